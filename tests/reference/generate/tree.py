"""Generated code as a tree that can be reduced."""


class Node:
    """A piece of code: strings and smaller pieces. `kind` names the pieces that can replace it."""

    __slots__ = ("kind", "parts", "sep")

    def __init__(self, kind, parts, sep=None):
        self.kind = kind
        self.parts = list(parts)
        self.sep = sep  # the separator of a list, whose parts can be removed one by one

    def text(self):
        out = []
        self._write(out)
        return "".join(out)

    def _write(self, out):
        first = True
        for part in self.parts:
            if self.sep is not None:
                if not first:
                    out.append(self.sep)
                first = False
            if isinstance(part, str):
                out.append(part)
            else:
                part._write(out)

    def __str__(self):
        return self.text()


def n(kind, *parts):
    return Node(kind, parts)


def seq(items, sep=", "):
    return Node("list", items, sep)


SMALLEST = {"expr": ["1", "''", "undef", "[]", "{}"], "type": ["Any", "Integer", "String"], "statement": [], "lambda": ["|$x| { $x }"], "query": ["a == 1"]}


def positions(root):
    """(parent, index) of all pieces, large ones first."""
    found = []

    def walk(node):
        for index, part in enumerate(node.parts):
            if isinstance(part, Node):
                found.append((len(part.text()), len(found), node, index))
                walk(part)
            elif node.sep is not None:
                found.append((len(part), len(found), node, index))

    walk(root)
    found.sort(key=lambda position: (-position[0], position[1]))
    return [(node, index) for _, _, node, index in found]


def descendants(node, kind):
    for part in node.parts:
        if isinstance(part, Node):
            if part.kind == kind:
                yield part
            else:
                yield from descendants(part, kind)


def reductions(root):
    """Yields replacements that make the code shorter, most promising first: (parent, index, new piece or None) for `replace`."""
    for parent, index in positions(root):
        part = parent.parts[index]
        if parent.sep is not None:
            yield parent, index, None
        if isinstance(part, Node):
            for inner in descendants(part, part.kind):
                yield parent, index, inner
            size = len(part.text())
            for code in SMALLEST.get(part.kind, []):
                if len(code) < size:
                    yield parent, index, Node(part.kind, [code])


def replace(parent, index, new):
    """Replaces a piece and returns a function that undoes the change."""
    old = parent.parts[index]
    if new is None:
        del parent.parts[index]
        return lambda: parent.parts.insert(index, old)
    parent.parts[index] = new

    def undo():
        parent.parts[index] = old

    return undo

"""Every construct with every kind of value: types, calls, operators and formats with arbitrary operands."""

from .tree import n, seq

# One value of each kind, and values with special rules.
VALUES = ["undef", "default", "true", "false", "0", "1", "-1", "5", "1.5", "-0.0", "1e30", "''", "' '", "'a'", "'A'", "'1'", "'1.5'", "'é'", "'a::b'", "'default'", "'true'", "\"a\\nb\"", "'%s'", "[]", "[1]", "[undef]", "[[]]", "[1, 'a']", "['a', 'b']", "[['a', 1]]",
          "{}", "{a => 1}", "{1 => 2}", "{undef => undef}", "{a => {b => 1}}", "/a/", "/(/", "Integer", "Integer[1, 2]", "String[1]", "Enum[a]", "Any", "Undef", "Data", "Optional[Integer]", "Array[String]", "Tuple[Integer]", "Struct[{a => Integer}]", "Variant[Integer, String]",
          "Callable", "Type[Integer]", "Regexp[/a/]", "Pattern[/a/]", "Sensitive[String]", "Init[Integer]", "Runtime[ruby, 'X']", "Boolean[true]", "Float[1.0]", "Hash[String, Integer]", "Iterable[Integer]", "Timespan[1, 2]", "SemVer['1.x']", "URI", "Object", "TypeSet", "TypeAlias", "CatalogEntry",
          "File", "File['/a']", "Notify", "Notify['x']", "Class", "Class['x']", "Resource", "Resource['notify', 'x']", "Timespan(5)", "Timestamp(5)", "SemVer('1.2.3')", "SemVerRange('1.x')", "Binary('YWJj')", "URI('http://a/b')", "Sensitive('s')", "Deferred('f')", "Error('m')",
          "Object[{attributes => {x => Integer}}].new(1)", "[1, 2].reverse_each", "Integer[1, 3]", "'abc'.reverse_each", "$facts", "$nosuch"]
TYPES = ["Any", "Array", "Binary", "Boolean", "Callable", "CatalogEntry", "Class", "Collection", "Data", "Default", "Deferred", "Enum", "Error", "File", "Float", "Hash", "Init", "Integer", "Iterable", "Iterator", "NotUndef", "Notify", "Numeric", "Object", "Optional", "Pattern", "Regexp",
         "Resource", "RichData", "Runtime", "Scalar", "SemVer", "SemVerRange", "Sensitive", "String", "Struct", "Timespan", "Timestamp", "Tuple", "Type", "TypeAlias", "TypeReference", "TypeSet", "Undef", "URI", "Variant", "Sensitive"]
BINARY = ["+", "-", "*", "/", "%", "<<", ">>", "==", "!=", "<", "<=", ">", ">=", "=~", "!~", "in", "and", "or"]
DIRECTIVES = ["%s", "%d", "%p", "%x", "%f", "%e", "%g", "%a", "%c", "%b", "%B", "%t", "%y", "%h", "%#s", "%#p", "%+d", "%05d", "%-5s", "%.2s", "%u", "%C", "%T", "%n", "%o", "%i", "%%", "%z"]


class Products:
    """A mixin of Generator."""

    def any_value(self):
        return n("expr", self.rng.choice(VALUES))

    def any_values(self, *counts):
        return seq([self.any_value() for _ in range(self.rng.choice(counts))])

    def product(self):
        """(code, whether it needs stdlib)."""
        rng = self.rng
        pick = rng.choices(range(9), [8, 14, 6, 5, 5, 3, 2, 2, 14])[0]
        if pick == 0:
            tree = n("expr", rng.choice(TYPES), "[", self.any_values(1, 1, 1, 2, 2, 3, 4), "]")
        elif pick == 1:
            tree = self.any_call(rng.choice(self.core))
        elif pick == 2:
            tree = n("expr", self.group(self.any_value()), f" {rng.choice(BINARY)} ", self.group(self.any_value()))
        elif pick == 3:
            tree = n("expr", rng.choice(TYPES), rng.choice([".new", ""]), "(", self.any_values(0, 1, 1, 1, 2, 2, 3), ")")
        elif pick == 4:
            tree = n("expr", self.group(self.any_value()), "[", self.any_values(1, 1, 1, 2, 3), "]")
        elif pick == 5:
            options = rng.choice([n("expr", f"'{rng.choice(DIRECTIVES)}'"), n("expr", "{", rng.choice(TYPES), f" => '{rng.choice(DIRECTIVES)}'}}"), self.any_value()])
            tree = n("expr", rng.choice(["String", "sprintf"]), "(", *([self.any_value(), ", ", options] if rng.random() < 0.6 else [options, ", ", self.any_value()]), ")")
        elif pick == 6:
            tree = n("expr", rng.choice(["!", "-", "*", "type(", "\"${", "[*"]), self.group(self.any_value()))
            tree.parts.append({"type(": ")", "\"${": "}\"", "[*": "]"}.get(tree.parts[0], ""))
            if tree.parts[0] == "*":
                tree.parts[0] = "notice(*"
                tree.parts.append(")")
        elif pick == 7:
            tree = n("expr", rng.choice(["case ", "if "]), self.group(self.any_value()))
            tree.parts += [" { ", self.group(self.any_value()), ": { 1 } default: { 2 } }"] if tree.parts[0] == "case " else [" { 1 }"]
        else:
            return n("code", seq([n("statement", self.any_call(rng.choice(self.stdlib)))], "\n")), True
        return n("code", seq([n("statement", tree)], "\n")), False

    def any_call(self, name):
        """Random arguments, mostly in the number that a signature takes."""
        rng = self.rng
        signature = rng.choice(self.table[name])
        arguments = []
        anything = name in self.loosely_typed and [p[0] for p in signature.parameters] == ["Any"]
        loose = self.loose_arguments(name) if anything else []
        count = len(loose) if loose else sum(rng.choice([0, 1, 2]) if repeated else default is None or rng.random() < 0.4 for _, repeated, default in signature.parameters)
        for at in range(max(0, int(count) + rng.choice([0] * 12 + [1, -1]))):
            fits = rng.random() < 0.55
            if fits and at < len(loose):
                arguments.append(loose[at])
            elif fits and not anything and signature.parameters:
                arguments.append(self.argument_for_type(signature.parameters[min(at, len(signature.parameters) - 1)][0], 0))
            else:
                arguments.append(self.any_value())
        block = []
        if signature.block and rng.random() < 0.7:
            block = [" ", self.block_for_type(signature.block, 1)]
        return n("expr", name, "(", seq(arguments), ")", *block)

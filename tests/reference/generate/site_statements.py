"""Statements of generated sites: declarations of classes, calls that read values, assignments, conditions, iterations."""

from .site_words import EDGES, capital
from .tree import n, seq


class Body:
    """A body that contains statements."""

    def __init__(self, kind, owner=None, stem=None, live=True):
        self.kind = kind
        self.owner = owner
        self.stem = stem  # the prefix of titles, so that they differ between instances
        self.live = live  # whether its resources are in the catalog
        self.variables = []  # (name, kind of value)
        self.resources = []  # (type, title as code, names of its attributes)
        self.assigned = set()


class SiteStatements:
    """A mixin of SiteGenerator."""

    # Classes

    def class_declaration(self, definition, body):
        """The declaration of a class, in the form chosen for it."""
        rng = self.rng
        name = definition.name
        form = definition.declared
        if form == "like":
            needed = [(parameter, kind) for parameter, kind, need in definition.parameters if need or self.chance(0.4)]
            items = [n("attribute", parameter, " => ", self.value(kind, body)) for parameter, kind in needed]
            if self.chance(0.35):
                meta, text = self.metaparameter(body)
                if meta != "alias":
                    items.append(n("attribute", meta, " => ", n("expr", text)))
            if self.chance(0.2):
                items.append(n("attribute", rng.choice(EDGES), " => ", self.reference_value(body)))
            if self.chance(0.12) and self.stages:
                items.append(n("attribute", "stage", " => ", rng.choice(self.stages)))
            return n("statement", "class { ", rng.choice([f"'{name}'", f"'{name}'", f"'::{name}'", name]), ": ", seq(items), " }")
        if self.chance(0.1):
            return n("statement", rng.choice([f"'{name}'", f"Class['{name}']", f"['{name}']", f"'{name}'.with |$c| {{ $c }}"]), f".{form}")
        if self.chance(0.05) and form == "include":
            return n("statement", f"create_resources('class', {{'{name}' => {{}}}})")
        text = rng.choice([name, name, f"'{name}'", f"'::{name}'", f"Class['{name}']", f"[{name}]"])
        return n("statement", form, rng.choice([" {}", "({})"]).format(text))

    def include_again(self, body):
        """Includes a class again."""
        known = [one for one in self.classes if one.declared in ("include", "contain", "require")]
        if not known:
            return self.resource(body)
        names = [self.rng.choice(known).name for _ in range(self.rng.choice([1, 1, 2]))]
        return n("statement", self.rng.choice(["include", "include", "contain", "require"]), " ", seq(names) if len(names) > 1 and self.chance(0.6) else names[0])

    # Statements

    def read_value(self, body):
        rng = self.rng
        variables = [f"${name}" for name, kind in body.variables if kind != "late"]
        far = [f"${one.name}::{name}" for one in self.classes for name, _ in one.variables]
        inner = rng.choice([
            *(variables * 3), *(far * 2), "tagged('one')", "tagged(m, 't1')", "$title", "$name", "$module_name", "$caller_module_name", '"${title} ${name}"', "lookup('k')", "lookup('nokey', undef, undef, 'dflt')", "defined('m')", "defined('notify', 'file')",
            "defined(Notify['none'])", "getvar('m::v')", "$facts['os']['family']", "$trusted['certname']", "$settings::strict", "$environment", "$server_facts['serverversion']", "$::kernel", "inline_epp('k <%= $facts[\"kernel\"] %>')",
            "inline_epp('<%- |$p| -%>p <%= $p %>', {p => 1})", *(["epp('m/t.epp', {'a' => 5})", "epp('m/t.epp')"] if "modules/m/templates/t.epp" in self.files else [])])
        pick = self.weighted_index(3, 2, 2)
        if body.resources and pick:
            type_name, code, names = rng.choice(body.resources)
            if pick == 1:
                inner = f"{capital(type_name)}[{code}]['{rng.choice(sorted(names) or ['message'])}']" if names and not names <= set(EDGES) else f"defined({capital(type_name)}[{code}])"
            elif self.stdlib and self.chance(0.6):
                inner = rng.choice([f"getparam({capital(type_name)}[{code}], '{rng.choice(sorted(names) or ['ensure'])}')", f"defined_with_params({capital(type_name)}[{code}], {{}})"])
            else:
                inner = rng.choice([f"defined({capital(type_name)}[{code}])", f"{capital(type_name)}[{code}]", f"[{capital(type_name)}[{code}]]"])
        if self.chance(0.7):
            return n("statement", rng.choice(["notice", "notice", "warning", "err", "info"]), "(", n("expr", inner), ")")
        code, text = self.title("notify", body)
        self.register("notify", text, body)
        return n("statement", "notify { ", code, ": message => ", n("expr", inner), " }")

    def assignment(self, body):
        rng = self.rng
        if body.kind == "lambda":
            name = f"w{self.unique()}"
        else:
            name = f"v{self.unique()}"
        if self.chance(0.12):
            names = [f"u{self.unique()}", f"u{self.unique()}"]
            body.variables += [(one, "string") for one in names]
            return n("statement", f"[${names[0]}, ${names[1]}] = ['p', 'q']")
        if self.chance(0.1):
            body.variables.append((name, "splat"))
            return n("statement", f"${name} = ", rng.choice(["{'noop' => true}", "{'tag' => ['sp']}", "{'loglevel' => 'info'}"]))
        kind = rng.choice(["string", "string", "number", "flag", "list", "hash", "secret", "odd"])
        value = self.value(kind, body)
        body.variables.append((name, kind))
        if body.kind == "class" and body.owner:
            body.owner.variables.append((name, kind))
        return n("statement", f"${name} = ", value)

    def nested_statements(self, body, stem=None, live=True, kind=None):
        inner = Body(kind or body.kind, body.owner, stem or body.stem, body.live and live)
        inner.variables = list(body.variables)
        inner.assigned = body.assigned
        inner.resources = list(body.resources)
        self.depth += 1
        statements = [self.statement(inner) for _ in range(self.rng.choice([1, 1, 2]))]
        self.depth -= 1
        return seq(statements, "\n  ")

    def control_flow(self, body):
        rng = self.rng
        pick = self.weighted_index(4, 2, 4, 2, 2, 1)
        stem = (body.stem + "-") if body.stem else ""
        if pick == 0:
            condition, other = rng.choice(["true", "$facts['kernel'] == 'Linux'", "!tagged('never')", "'a' in ['a']", "defined('notify')"]), ""
            inner = self.nested_statements(body)
            if self.chance(0.4):
                other = n("tail", " else {\n  ", self.nested_statements(body, live=False), "\n}")
            return n("statement", f"if {condition} {{\n  ", inner, "\n}", other)
        if pick == 1:
            return n("statement", rng.choice(["unless false", "unless $facts['kernel'] == 'Windows'"]), " {\n  ", self.nested_statements(body), "\n}")
        if pick == 2:
            number = self.unique()
            inner = self.nested_statements(body, f"{stem}${{it}}", False, "lambda")
            head = rng.choice([f"['e{number}', 'f{number}'].each |$it|", f"['e{number}'].each |$at, $it|", f"Hash({{'e{number}' => 1, 'f{number}' => 2}}).each |$it, $val|", f"['e{number}', 'f{number}'].map |$it|", f"['e{number}', 'f{number}'].filter |$it|", f"['e{number}'].reverse_each |String $it|", f"Integer[{number * 10}, {number * 10 + 1}].each |$it|"])
            return n("statement", head, " {\n  ", inner, "\n}")
        if pick == 3:
            number = self.unique()
            return n("statement", f"with('w{number}') |$it| {{\n  ", self.nested_statements(body, f"{stem}${{it}}", False, "lambda"), "\n}")
        if pick == 4:
            return n("statement", rng.choice(["case $facts['os']['family'] { 'Debian', 'Suse'", "case 5 { Integer[1, 9]", "case 'web1' { /^web/", "case 1 { default"]), ": {\n  ", self.nested_statements(body), "\n} }")
        number = self.unique()
        return n("statement", f"'th{number}'.then |$it| {{\n  ", self.nested_statements(body, f"{stem}${{it}}", False, "lambda"), "\n}")

    def function_call(self, body):
        if not self.functions or body.kind == "function":
            return self.assignment(body)
        name, kind = self.rng.choice(self.functions)
        number = self.unique()
        title = f'"{body.stem}-{number}"' if body.stem else f"'c{number}'"
        if kind == "resource" and not body.stem and body.live:
            self.resources.append(("notify", f"c{number}"))
        text = f"{name}({title})"
        return n("statement", self.rng.choice([text, f"notice({text})", f"$v{self.unique()} = {text}", f"{title}.{name}"]))

    def statement(self, body):
        rng = self.rng
        if self.inner_classes and body.live and body.kind in ("class", "define") and not self.depth and self.chance(0.4 if body.kind == "class" else 0.06):
            one = self.inner_classes.pop(rng.randrange(len(self.inner_classes)))
            if one is not body.owner and body.kind == "class" and body.owner.declared != "never":
                self.resources.append(("class", one.name))
            return n("statement", self.rng.choice(["include", "include", "contain", "require"]), " ", one.name)
        pick = self.weighted_index(34, 6, 8, 6, 5, 5, 5, 7 if self.depth < 2 else 0, 4, 8, 5, 4 if self.stdlib else 0, 3, 3)
        if pick == 0:
            return self.resource(body)
        if pick == 1:
            return self.collector(body)
        if pick == 2:
            return self.relation(body)
        if pick == 3:
            return self.override(body)
        if pick == 4:
            return self.default(body)
        if pick == 5:
            return self.realize(body)
        if pick == 6:
            return self.create_resources(body)
        if pick == 7:
            return self.control_flow(body)
        if pick == 8:
            return self.include_again(body) if body.kind != "define" or self.chance(0.5) else self.resource(body)
        if pick == 9:
            return self.read_value(body)
        if pick == 10:
            return self.assignment(body)
        if pick == 11:
            return self.ensure_packages(body)
        if pick == 12:
            return n("statement", "tag(", seq([rng.choice(["one", "'two'", "'t1'", "'x'", "'m::n'", "'q'"]) for _ in range(rng.randint(1, 2))]), ")")
        return self.function_call(body)

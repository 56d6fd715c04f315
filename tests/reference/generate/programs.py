"""Small manifests: classes, defined types, resources, collectors, overrides, relationships."""

from .tree import n, seq

TYPES = {
    "notify": ["message", "loglevel", "withpath", "noop"],
    "file": ["ensure", "mode", "owner", "content", "path", "source", "recurse", "target", "backup"],
    "service": ["ensure", "enable", "name", "provider"],
    "exec": ["command", "path", "creates", "refreshonly", "unless"],
    "user": ["ensure", "uid", "groups", "home", "name"],
    "package": ["ensure", "name", "provider"],
    "group": ["ensure", "gid"],
    "resources": ["purge"],
    "schedule": ["period", "range"],
    "tidy": ["age"],
    "filebucket": ["path"],
}
VALUES = {
    "ensure": ["present", "absent", "file", "directory", "running", "'1.2'", "link", "latest"], "mode": ["'0644'", "'u+x'", "'755'"], "enable": ["true", "false"], "groups": ["['a', 'b']", "'a'"],
    "noop": ["true", "false"], "refreshonly": ["true"], "recurse": ["true", "remote"], "loglevel": ["err", "'warning'"], "uid": ["1000", "'1000'"], "gid": ["0"], "purge": ["true"], "path": ["'/tmp/x'", "'/bin:/usr/bin'"],
    "content": ["'text'", "\"t ${title}\"", "$x"], "message": ["'m'", "\"${name} m\"", "['a', undef]", "{a => 1}", "Sensitive('s')", "undef", "$x", "Integer[1]", "/re/", "default", "1.5", "Timespan(5)"],
}
META = {"tag": ["'t1'", "['t1', 't2']", "one"], "noop": ["true"], "loglevel": ["debug"], "schedule": ["'s'"], "alias": ["'al'", "['a1', 'a2']"], "audit": ["'all'", "['mode']"], "stage": ["'pre'", "'main'"]}
EASY = ["Any", "Any", "Data", "Optional[Any]", "Optional[Data]", "Variant[String, Data]", "NotUndef", "String", "Optional[String]", "RichData"]
TITLES = ["t1", "t2", "t3", "/tmp/a", "/tmp/b", "x", "A b", "l1", "u", "v", "w", "/tmp/a/", "k1", "k2"]
EDGES = ["require", "before", "notify", "subscribe"]


class Programs:
    """A mixin of Generator."""

    def program(self):
        rng = self.rng
        self.classes = rng.sample(["a", "b", "c", "base", "m::x"], rng.randint(0, 3))
        self.defines = rng.sample(["d", "e", "m::d"], rng.randint(0, 2))
        self.declared = []
        self.parameters = {}
        self.inside = 0
        self.in_define = None
        # Most programs are nearly valid; the others contain errors of every kind.
        self.clean = rng.random() < 0.65
        if self.clean:
            self.wrong = 0.0
        parts = []
        for name in [*self.classes, *self.defines]:
            self.parameters[name] = rng.sample(["x", "y", "z"], rng.randint(0, 3))
        for name in self.classes:
            parts.append(self.class_(name))
        for name in self.defines:
            parts.append(self.define(name))
        if rng.random() < 0.12:
            parts.append(self.function_())
        if rng.random() < 0.1:
            parts.append(n("statement", "type ", rng.choice(["T1", "M::T"]), " = ", self.type_(2)))
        main = [self.top() for _ in range(rng.randint(1, 5))]
        if rng.random() < 0.5:
            parts += main
        else:
            parts = main + parts
        if rng.random() < 0.12:
            parts.append(self.node())
        return n("code", seq(parts, "\n"))

    def body(self, count=None):
        rng = self.rng
        self.inside += 1
        parts = [self.top() for _ in range(count if count is not None else rng.choice([0, 1, 1, 2, 3]))]
        self.inside -= 1
        return seq(parts, "\n  ")

    def parameter_list(self, owner):
        rng = self.rng
        parameters = []
        names = self.parameters.get(owner, ["x", "y"])
        for name in names:
            pick = rng.random()
            type_ = [self.type_(1), " "] if pick < 0.06 else [n("type", rng.choice(EASY)), " "] if pick < 0.45 else []
            default = [" = ", rng.choice(["1", "'v'", "undef", "$title", "[1, 2]", "$name", "$x", "$facts['os']['name']", "{a => 1}", "lookup('k')", "\"${title}!\""])] if rng.random() < 0.85 else []
            parameters.append(n("member", *type_, "$", name, *default))
        return seq(parameters)

    def class_(self, name):
        rng = self.rng
        others = [other for other in self.classes if other != name]
        inherits = f" inherits {rng.choice(others)}" if others and rng.random() < 0.25 else ""
        head = n("head", "(", self.parameter_list(name), ")") if self.parameters[name] else ""
        return n("statement", f"class {name}", head, inherits, " {\n  ", self.body(), "\n}")

    def define(self, name):
        self.in_define = name
        body = self.body()
        self.in_define = None
        return n("statement", f"define {name}(", self.parameter_list(name), ") {\n  ", body, "\n}")

    def function_(self):
        rng = self.rng
        returns = [" >> ", self.type_(1)] if rng.random() < 0.3 else []
        return n("statement", "function ", rng.choice(["m::f", "f"]), "(", self.parameter_list("function"), ")", *returns, " {\n  ", self.statement(1), "\n  ", self.expr("any", 1), "\n}\n$r = ", rng.choice(["m::f", "f"]), "(", seq([self.expr("any", 1) for _ in range(rng.randint(0, 2))]), ")")

    def node(self):
        rng = self.rng
        name = rng.choice(["default", "/^web/", "'web1.example.com'"]) if self.clean else rng.choice(["default", "'web1.example.com'", "/^web/", "web1.example.com", "'other'", "'web1'", "/nope/, default", "'a', /web\\d/"])
        return n("statement", f"node {name} {{\n  ", self.body(), "\n}")

    def title(self, type_name):
        rng = self.rng
        if self.in_define and (self.clean or rng.random() < 0.5):
            self.count += 1
            return f'"${{title}}-{self.count}"'
        if self.clean or rng.random() < 0.85:
            free = [title for title in TITLES if (type_name, title) not in self.declared]
            if free:
                chosen = rng.sample(free, min(len(free), rng.choice([1, 1, 1, 2])))
                self.declared += [(type_name, title) for title in chosen]
                return f"'{chosen[0]}'" if len(chosen) == 1 else n("expr", "[", seq([f"'{title}'" for title in chosen]), "]")
        return self.rng.choice(["'t1'", "'t2'", "'/tmp/a'", "'/tmp/b'", "x", "'t3'", "\"${title}-s\"", "'A b'", "['l1', 'l2']", "'/tmp/a/'", "$name", "'t1'"])

    def value(self, attribute):
        rng = self.rng
        if self.clean:
            if attribute in EDGES:
                return n("expr", self.reference())
            return n("expr", rng.choice([text for text in VALUES.get(attribute) or META.get(attribute) or ["'v'", "1", "true", "'/x'", "undef", "['a']"] if text[0] != "$"]))
        if attribute in EDGES:
            return n("expr", self.reference()) if rng.random() < 0.85 else self.expr("any", 1)
        if rng.random() < 0.12:
            return self.expr("any", 1)
        known = VALUES.get(attribute) or META.get(attribute)
        return n("expr", rng.choice(known or ["'v'", "1", "true", "'/x'", "undef", "$y", "['a']"]))

    def attributes(self, type_name, most=3, override=False):
        rng = self.rng
        names = TYPES.get(type_name) or self.parameters.get(type_name)
        if names is None:
            names = ["x", "y"]
        chosen = rng.sample(names, min(len(names), rng.randint(0, most)))
        if rng.random() < 0.25 and (self.declared or not self.clean):
            chosen.append(rng.choice(EDGES))
        if rng.random() < 0.12:
            chosen.append(rng.choice(["tag", "noop", "loglevel", "schedule", "audit"] if self.clean else list(META)))
        chosen = list(dict.fromkeys(chosen)) if self.clean else chosen
        if rng.random() < 0.015 and not self.clean:
            chosen.append(rng.choice(["zz", "x", "ensure", "title", "name", "message"]))
        items = [n("attribute", name, rng.choice([" +> "] if override and rng.random() < 0.35 else [" => "]), self.value(name)) for name in chosen]
        if rng.random() < 0.08 and self.clean:
            if names:
                items = [n("attribute", "* => {", seq([n("pair", name, " => ", self.value(name)) for name in rng.sample(names, 1)]), "}")]
        elif rng.random() < 0.08:
            items.append(n("attribute", "* => ", rng.choice(["{message => 'splat'}", "{'ensure' => present}", "{x => 1, 'y' => 2}", "$h", "{}", "{1 => 2}", "{mode => '0600', owner => 'u'}"])))
        return seq(items)

    def choose_type(self):
        rng = self.rng
        pick = rng.random()
        # To avoid endless recursion, a definition declares only earlier definitions.
        usable = self.defines[:self.defines.index(self.in_define)] if self.in_define else self.defines
        if pick < 0.4 and usable:
            return rng.choice(usable)
        if pick < 0.99 or self.clean:
            return rng.choice(["notify", "file", "notify", "file", *TYPES])
        return rng.choice(["nosuch", "class"])

    def resource(self):
        rng = self.rng
        type_name = self.choose_type()
        bodies = []
        for _ in range(rng.choice([1, 1, 1, 2])):
            bodies.append(n("body", self.title(type_name), ": ", self.attributes(type_name)))
        if rng.random() < 0.08:
            bodies.insert(rng.randint(0, len(bodies)), n("body", "default: ", self.attributes(type_name)))
        mark = rng.choice([""] * 8 + ["@", "@", "@@"])
        if rng.random() < 0.06 and not self.clean:
            head_type = rng.choice([f"Resource['{type_name}']", f"{self.capital(type_name)}", "$t"])
            return n("statement", mark, head_type, " { ", seq(bodies, "; "), " }")
        return n("statement", mark, type_name, " { ", seq(bodies, "; "), " }")

    def capital(self, type_name):
        return "::".join(part.capitalize() for part in type_name.split("::"))

    def reference(self):
        rng = self.rng
        pick = rng.random()
        if pick < 0.2 and self.classes:
            return f"Class['{rng.choice(self.classes)}']"
        if self.declared and (self.clean or rng.random() < 0.8):
            type_name, title = rng.choice(self.declared)
            return f"{self.capital(type_name)}['{title}']"
        type_name = self.choose_type()
        title = rng.choice(["'t1'", "'t2'", "'/tmp/a'", "'t1', 't2'", "x", "'t3'", "'/tmp/b'", "'none'", "'l1'"])
        text = f"{self.capital(type_name)}[{title}]"
        if pick > 0.9:
            return f"[{text}, {self.capital(type_name)}['t2']]"
        return text

    def query(self, depth=2):
        rng = self.rng
        if depth > 0 and rng.random() < 0.3:
            return n("query", "(", self.query(depth - 1), rng.choice([" and ", " or "]), self.query(depth - 1), ")")
        return n("query", rng.choice(["title", "tag", "ensure", "message", "mode", "x", "owner", "name", "noop"]), rng.choice([" == ", " == ", " != "]), rng.choice(["'t1'", "'t2'", "present", "'m'", "one", "1", "true", "'/tmp/a'", "undef", "['a', 'b']", "'A'", "m", "Notify['t1']", "$x", "\"${1}x\"", "a", "d"]))

    def collector(self):
        rng = self.rng
        type_name = self.choose_type()
        left, right = ("<|", "|>") if rng.random() < 0.85 else ("<<|", "|>>")
        query = self.query() if rng.random() < 0.6 else ""
        override = n("tail", " { ", self.attributes(type_name, 2, True), " }") if rng.random() < 0.35 else ""
        return n("statement", self.capital(type_name), f" {left} ", query, f" {right}", override)

    def operand(self):
        rng = self.rng
        pick = rng.random()
        if pick < 0.55:
            return n("operand", self.reference())
        if pick < 0.75:
            return n("operand", self.resource())
        if pick < 0.92 or self.clean:
            return n("operand", self.collector())
        return n("operand", rng.choice(["'File[/tmp/a]'", "['Notify[t1]', Notify['t2']]", "$x", "Class['a', 'b']", "[]", "1", "undef"]))

    def relation(self):
        rng = self.rng
        parts = [self.operand()]
        for _ in range(rng.choice([1, 1, 2])):
            parts += [rng.choice([" -> ", " ~> ", " <- ", " <~ "]), self.operand()]
        return n("statement", *parts)

    def declare(self):
        rng = self.rng
        if self.clean:
            free = [name for name in self.classes if ("class", name) not in self.declared]
            if not free:
                return self.resource()
            name = rng.choice(free)
            self.declared.append(("class", name))
        else:
            name = rng.choice(self.classes) if self.classes and rng.random() < 0.9 else rng.choice(["a", "settings", "nosuch"])
        pick = rng.random()
        if pick < 0.4:
            if self.clean:
                return n("statement", rng.choice(["include", "contain", "require"]), " ", name)
            return n("statement", rng.choice(["include", "contain", "require"]), " ", rng.choice([name, f"'{name}'", f"::{name}", f"Class['{name}']", f"[{name}, {rng.choice(self.classes or ['b'])}]"]))
        return n("statement", "class { ", rng.choice([f"'{name}'", name, f"'::{name}'"]), ": ", self.attributes(name), " }")

    def top(self):
        rng = self.rng
        pick = rng.random()
        if self.clean and not [one for one in self.declared if one[0] != "class"] and 0.5 < pick < 0.73:
            pick = 0
        if pick < 0.33:
            return self.resource()
        if pick < 0.43:
            return self.declare()
        if pick < 0.50:
            return self.collector()
        if pick < 0.59:
            return self.relation()
        if pick < 0.63:
            type_name = self.choose_type()
            return n("statement", self.capital(type_name), " { ", self.attributes(type_name, 2, rng.random() < 0.3), " }")
        if pick < 0.69:
            return n("statement", self.reference(), " { ", self.attributes(self.choose_type(), 2, True), " }")
        if pick < 0.73:
            return n("statement", "realize(", seq([self.reference() for _ in range(rng.randint(1, 2))]), ")")
        if pick < 0.76:
            type_name = self.choose_type()
            return n("statement", f"create_resources('{rng.choice(['', '', '@', '@@'])}{type_name}', ", "{'c1' => {", self.attributes(type_name, 1), "}}", rng.choice(["", ", {}", ", {tag => 'cr'}", ", {noop => true}"]), ")")
        if pick < 0.79:
            return n("statement", "tag ", seq([rng.choice(["one", "'two'", "'t1'", "'x'" if self.clean else "'A B'"]) for _ in range(rng.randint(1, 2))]))
        if pick < 0.80 and not self.inside:
            return n("statement", "stage { 'pre': before => Stage['main'] }")
        if pick < 0.87:
            inner = rng.choice([
                f"defined({self.reference()})", f"defined('{rng.choice(['a', 'd', 'notify', '$x', 'file', 'm::d'])}')", f"{self.reference()}['message']", "tagged('one')", "tagged(a)", "getvar('a::x')", "getvar('::x')", "$a::x", "$b::y",
                "$title", "$name", "$module_name", "$caller_module_name", "$x", "\"${title} ${name}\"", "$::x", "$settings::strict", "lookup('k')", "lookup('nokey', undef, undef, 'dflt')", "$facts['os']", "$trusted['certname']",
                f"{self.reference()}", "$base::x", "Class['a']['x']", "defined(Class['a'])", "tagged('t1', 'a')", "$environment", "$server_facts", "$::facts['kernel']"])
            return self.output(inner)
        if pick < 0.92:
            return n("statement", "if ", rng.choice(["defined(Notify['t1'])", "$x", "true", "!defined(Class['a'])", "$facts['kernel'] == 'Linux'", "tagged(one)", "defined('d')"]), " {\n  ", self.body(1), "\n}", n("tail", " else { ", self.body(1), " }") if rng.random() < 0.3 else "")
        if pick < 0.95:
            return n("statement", "['e1', 'e2'].each |$x| { ", self.resource(), " }")
        return n("statement", "$", self.fresh() if self.clean else rng.choice(["x", "h", "t", "y", self.fresh()]), " = ", rng.choice(["'X'", "{message => 'hm'}", "'notify'", "{'ensure' => 'present'}"]) if rng.random() < 0.7 else self.expr("any", 1))

    def output(self, inner):
        rng = self.rng
        if rng.random() < 0.65:
            return n("statement", rng.choice(["notice", "notice", "warning"]), "(", n("expr", inner), ")")
        return n("statement", "notify { 'n", str(rng.randint(1, 9)), "': message => ", n("expr", inner), " }")

"""Statements of every kind with arbitrary operands: titles, attributes, queries, parameters, type strings, iterators of collections.
`products.py` combines expressions; this module combines statements that change a catalog."""

from .products import TYPES, VALUES
from .tree import n, seq

# Expressions in the position of a title, a reference or a name.
REFERENCES = ["Notify['a']", "Notify['a', 'b']", "Notify[['a']]", "Notify", "Class['c']", "Class['c', 'e']", "Class", "D['x']", "D", "Resource['notify', 'a']", "Resource['notify']", "Resource['a']", "Resource['a', 'b']", "Resource['class', 'c']", "Resource['class', '']", "File['/a']", "File['/a/']",
              "'Notify[a]'", "'notify[a]'", "'Class[c]'", "'Notify'", "'a'", "'Nope[x]'", "'Notify[a'", "[Notify['a'], Class['c']]", "[]", "[[Notify['a']]]", "undef", "Notify['nope']", "Class['nope']", "Class['::c']", "Node['x']", "Stage['main']", "Exec", "Whit['a']", "Type[Notify]", "Optional[Notify['a']]"]
NAMES = ["a", "'a'", "'c'", "'::c'", "'C'", "c", "'d'", "notify", "'notify'", "'Notify'", "'::notify'", "'@notify'", "'@@notify'", "'class'", "'Class'", "'nope'", "''", "'a b'", "['c', 'e']", "Notify", "Class['c']", "1", "undef", "default", "'main'", "'c::x'", "'file'", "'stage'"]
QUERY = ["title", "message", "tag", "name", "ensure", "noop", "loglevel", "x", "alias", "require", "nope", "path", "withpath"]
META = ["require", "before", "notify", "subscribe", "tag", "alias", "noop", "loglevel", "schedule", "stage", "audit", "message", "name", "title", "x", "nope", "withpath", "consume", "export"]
PARAMETERS = ["$p", "$p = 1", "Integer $p", "String $p = 'd'", "Optional[Integer] $p = undef", "Enum['a', 'b'] $p = 'a'", "Array[Integer] $p = []", "Hash[String, Integer] $p = {}", "Struct[{a => Integer, Optional[b] => String}] $p", "Variant[Integer, Array[String]] $p", "Tuple[Integer, String] $p",
              "Pattern[/^a/] $p", "NotUndef $p", "Boolean $p = true", "Type[Integer] $p", "Callable $p", "Sensitive[String] $p", "Data $p", "Notify $p", "Class['c'] $p", "Resource $p", "Regexp $p", "Timespan $p", "Any $p = $title", "Integer[1, 5] $p", "String[2, 3] $p", "Iterable[Integer] $p", "Collection[1] $p",
              "Init[Integer] $p", "CatalogEntry $p", "Undef $p = undef", "Default $p = default", "$p = $q", "$p = $name", "Integer $p = 'x'", "SemVer $p", "URI $p", "Deferred $p", "Numeric $p = -1", "Scalar $p", "Float[1.0, 2.0] $p", "T $p", "Array[T] $p", "Optional[T] $p = undef", "Array[Struct[{k => Enum[x]}], 1] $p"]
LISTS = ["", "$p", "$p, $q", "$p, $q = 2", "$p = 1, $q = $p", "*$p", "$p, *$q", "Integer $p", "Integer $p, String $q = 'q'", "String *$p", "Array *$p", "$p, Integer *$q", "$p = [1], *$q", "$p, &$q", "$q = $nosuch", "$p, $p", "Integer $p = 'x'", "$p, $q, $r, $s", "Any $p, Optional[Any] $q = undef", "*$p = 1", "$p = 1, $q", "Variant[String, Integer] $p", "Callable &$p",
         "Struct[{a => Integer}] $p", "Type $p", "Array[Integer, 2] *$p", "T $p", "T *$p", "Enum[a] $p, $q = \"<${p}>\"", "$p = $title", "Tuple[Integer, Integer] $p", "Iterable $p", "Undef $p", "NotUndef $p, *$q"]
CONSUMERS = ["Array(§)", "§.map |$x| { $x }", "§.map |$i, $x| { [$i, $x] }", "§.filter |$x| { true }", "§.filter |$i, $x| { $i != 1 }", "§.each |$x| { notice($x) }", "§.each |$i, $x| { notice($i, $x) }", "§.slice(1)", "§.slice(2)", "§.slice(2) |$x, $y| { notice($x, $y) }", "§.reduce |$m, $x| { [$m, $x] }", "§.reduce(0) |$m, $x| { [$m, $x] }",
             "§.all |$x| { notice($x) true }", "§.any |$x| { notice($x) false }", "§.all |$i, $x| { notice($i, $x) true }", "§.index |$x| { notice($x) false }", "§.index |$i, $x| { notice($i, $x) false }", "§.unique", "§.reverse_each.map |$x| { $x }", "Array(§.reverse_each)", "§.step(2).map |$x| { $x }", "Array(§.step(2))", "Array(§.step(3))", "String(§)", "\"${§}\"", "notice(§)", "type(§)",
             "[*§]", "[§]", "notice(*§)", "Hash(§)", "Tuple(§)", "§.convert_to(Array)", "case 1 { *§: { 1 } default: { 2 } }", "§ == §", "§ =~ Iterable[Array]", "§ =~ Iterator", "$a = § [$b, $c] = $a", "§.partition |$x| { true }", "§.group_by |$x| { 1 }", "§.tree_each.map |$x| { $x }", "[1, §].flatten", "§.then |$x| { $x }", "[§] + §", "Array(§, true)", "Array(§.reverse_each.step(2))",
             "with(*§) |*$x| { $x }", "§.sort", "§.join", "§.size", "§[0]", "1 in §", "§.each_entry", "inline_epp('<% § %>')", "assert_type(Iterable[Integer], §)", "max(*§)", "[§].unique", "{a => §}", "§ ? { Iterable => 1, default => 2 }", "Iterable(§)", "Set(§)", "§.keys", "§.lest || { 1 }", "§.empty", "§.break"]
PREFIX = ["", "", "", "::", "::", "Array[", "Optional[", "Variant[Integer, ", "Type["]
BASE = "define d($x = 1, $y = undef) { notify { \"in-${title}\": message => $x } }\nclass c($x = 1) { notify { 'in c': message => $x } }\nclass e { }\ntype T = Variant[Integer, Array[T]]\n"


class Crossings:
    """A mixin of Generator."""

    def any_operand(self):
        rng = self.rng
        return n("expr", rng.choice(VALUES if rng.random() < 0.7 else REFERENCES))

    def reference_operand(self):
        return n("expr", self.rng.choice(REFERENCES)) if self.rng.random() < 0.8 else self.any_operand()

    def name_operand(self):
        return n("expr", self.rng.choice(NAMES)) if self.rng.random() < 0.75 else self.any_operand()

    def pairs(self, names):
        rng = self.rng
        chosen = rng.sample(names, rng.choice([0, 1, 1, 2]))
        return seq([n("attribute", name, rng.choice([" => "] * 12 + [" +> "]), self.reference_operand() if name in ("require", "before", "notify", "subscribe") else self.any_operand()) for name in chosen])

    def crossing(self):
        """(code, mode)."""
        rng = self.rng
        self.wrong = 0.0
        maker = rng.choices([self.iterator_code, self.type_string_code, self.lambda_code, self.statement_code], [3, 3, 3, 8])[0]
        if maker != self.statement_code:
            return n("code", seq([n("statement", maker())], "\n")), "value"
        statements = [n("statement", self.statement_code()) for _ in range(rng.choice([1, 1, 2]))]
        there = [n("statement", text) for text in rng.sample(["notify { 'a': }", "@notify { 'b': tag => 't' }", "include c", "d { 'x': }", "file { '/a': }", "include e", "@@notify { 'ex': }", "class { 'c': x => 2 }", "notify { 'n': alias => 'al', message => [1] }"], rng.choice([0, 1, 2]))]
        # The existing resource comes before or after.
        parts = there + statements if rng.random() < 0.7 else statements + there
        return n("code", BASE, seq(parts, "\n")), "catalog"

    def iterator_code(self):
        """Iterations over collections of collections."""
        rng = self.rng
        values = ["{}", "[]", "[1]", "[1, 2]", "{a => 1}", "{a => 1, b => 2}", "undef", "[[1]]", "[undef]", "'x'", "0", "Tuple[Integer]", "Variant[Integer, String]", "Struct[{a => Integer}]", "[1].reverse_each", "Integer[1, 2]", "'ab'", "Timespan(1)", "Sensitive([1])", "default", "[[]]", "Enum[a, b]"]
        source = n("expr", *rng.choice([["[", seq(rng.choices(values, k=rng.randint(0, 5))), "]"]] * 3 + [["{", seq([f"{key} => {value}" for key, value in zip("abcde", rng.choices(values, k=rng.randint(0, 4)))]), "}"], [rng.choice(values)], ["Integer[1, 7]"], ["'abcd'"]]))
        steps = "".join(rng.choices([".step(1)", ".step(2)", ".step(3)", ".reverse_each", ".tree_each", ".tree_each({order => breadth_first, include_root => false})", ".tree_each({include_containers => false})"], [2, 4, 2, 4, 1, 1, 1], k=rng.choice([1, 1, 1, 2, 3])))
        whole = source.text() + steps
        form = rng.choice(CONSUMERS)
        if form.count("§") > 1:
            return n("expr", "$i = ", source, steps, "\n", form.replace("§", "$i"))
        before, _, after = form.partition("§")
        return n("expr", before, source, steps, after) if whole else source

    def type_string(self):
        rng = self.rng
        inner = rng.choice(TYPES + ["T", "Nope", "D", "Puppet::LookupKey", "RichDataKey", "Annotation", "integer", "'x'", "1", ""])
        if rng.random() < 0.6:
            inner += "[" + ", ".join(rng.choices([value for value in VALUES if "new(" not in value and "$" not in value], k=rng.choice([1, 1, 2, 3]))) + "]"
        prefix = rng.choice(PREFIX)
        return prefix + inner + ("]" if "[" in prefix else "")

    def type_string_code(self):
        rng = self.rng
        text = self.type_string()
        quoted = "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
        return n("expr", *rng.choice([["Type(", quoted, ")"], ["assert_type(", quoted, ", ", self.any_operand(), ")"], [self.group(self.any_operand()), ".convert_to(", text.lstrip(":") or "Any", ", ", self.any_operand(), ")"], ["Type(", quoted, ") == ", text or "Any"], [self.group(self.any_operand()), " =~ Type(", quoted, ")"], ["Init[", text or "Any", ", ", self.any_operand(), "].new(", self.any_operand(), ")"],
                                      ["[", self.any_operand(), ", ", self.any_operand(), "].type(", rng.choice(["generalized", "reduced", "detailed", "'x'"]), ")"], ["Array(", text or "Any", ".tree_each)"], ["String(", text or "Any", ", '", rng.choice(["%p", "%#p", "%s", "%#s", "%d", "%i"]), "')"], ["sprintf('", rng.choice(["%s", "%p", "%d", "%<a>s", "%{name}", "%c", "%5.2s|", "%-8p|"]), "', ", self.any_operand(), ")"],
                                      ["new(", text or "Any", ", ", self.any_operand(), ")"], ["[", text or "Any", "].unique.size"], ["defined(", quoted, ")"]]))

    def lambda_code(self):
        """Lists of parameters of blocks, each called in every way."""
        rng = self.rng
        block = n("lambda", "|", rng.choice(LISTS), "| { ", rng.choice(["[$p, $q]", "$p", "notice($p) $q", "next($p)", "return($p)", "break()", "[$p, $q, $0]", "\"${p}:${q}\"", "$p.then |$z| { [$z, $q] }", "type($p)", "{p => $p}"]), " }")
        values = [self.any_operand() for _ in range(rng.choice([0, 1, 1, 2, 2, 3]))]
        subject = self.group(values[0]) if values else n("expr", "[1, 2]")
        return n("expr", *rng.choice([["with(", seq(values), ") ", block], ["with(", seq(values), ") ", block], ["[[1, 2], {a => 1}, undef].each ", block], [subject, ".then ", block], [subject, ".lest ", block], [subject, ".map ", block], [subject, ".filter ", block], [subject, ".reduce ", block], [subject, ".reduce(1) ", block], [subject, ".slice(2) ", block], [subject, ".any ", block],
                                      ["call('with', ", seq(values or [self.any_operand()]), ") ", block], ["assert_type(Integer, ", subject, ") ", block], ["lookup('nokey') ", block], [subject, ".index ", block], [subject, ".unique ", block], ["Sensitive(", subject, ").unwrap ", block], [subject, ".sort ", block], [subject, ".group_by ", block], [subject, ".partition ", block], [subject, ".tree_each ", block],
                                      [subject, ".step(2) ", block], [subject, ".reverse_each ", block], [subject, ".max ", block], [subject, ".all ", block], ["regsubst('abc', 'b', 'x') ", block], ["'a'.match(/a/) ", block], ["dig({a => 1}, a) ", block], ["getvar('nope') ", block], ["get({a => 1}, 'b') ", block], ["break() ", block]]))

    def query(self, depth=2):
        rng = self.rng
        if depth and rng.random() < 0.35:
            return n("query", rng.choice(["(", ""]), self.query(depth - 1), rng.choice([" and ", " or "]), self.query(depth - 1)) if rng.random() < 0.6 else n("query", "(", self.query(depth - 1), ")")
        return n("query", rng.choice(QUERY), rng.choice([" == ", " == ", " != "]), rng.choice(["'a'", "'t'", "undef", "true", "1", "a", "Notify['a']", "['a', 'b']", "default", "'in c'", "$title", "\"${1}\"", "d", "/a/", "Class['c']"]) if rng.random() < 0.8 else self.group(self.any_operand()))

    def statement_code(self):
        rng = self.rng
        title = lambda: self.any_operand() if rng.random() < 0.7 else n("expr", rng.choice(["'a'", "'new'", "['a', 'new']", "['new', ['n2']]", "default", "\"${1}x\"", "$title", "[]", "'/f'"]))
        kind = rng.choice(["notify", "notify", "d", "file", "c", "class", "nope", "Notify", "@notify", "@@notify", "@d", "@class", "exec", "stage", "user", "Resource['notify']", "Resource['d']", "$t", "'notify'", "Integer", "whit", "node", "resources", "::notify", "Class"])
        block = ["[", seq([self.any_operand(), self.any_operand()]), "].each |$p| { "]
        return n("expr", *rng.choices([
            [kind, " { ", title(), ": ", self.pairs(META), " }"],
            [kind, " { ", title(), ": ", self.pairs(META), "; ", title(), ": ", self.pairs(META), " }"],
            [kind, " { default: ", self.pairs(META), "; ", title(), ": ", self.pairs(META), rng.choice(["", "; default: message => 2"]), " }"],
            [kind, " { ", title(), ": * => ", self.any_operand(), " }"],
            ["Notify { ", self.pairs(META), " }\nnotify { 'dd': }"],
            [self.reference_operand(), " { ", self.pairs(META), " }"],
            [rng.choice(["Notify", "Class", "D", "File", "Nope", "Notify['a']", "Resource"]), " ", rng.choice(["<| ", "<<| "]), self.query() if rng.random() < 0.85 else "", "|>", *rng.choice([[""], [" { ", self.pairs(META), " }"], [" -> ", self.reference_operand()]])],
            [self.reference_operand(), rng.choice([" -> ", " ~> ", " <- ", " <~ "]), self.reference_operand(), *rng.choice([[], [rng.choice([" -> ", " ~> "]), self.reference_operand()]])],
            [rng.choice(["include", "contain", "require", "realize", "tag", "defined", "tagged"]), "(", seq([rng.choice([self.name_operand, self.reference_operand])() for _ in range(rng.choice([1, 1, 2]))]), ")"],
            ["create_resources(", self.name_operand(), ", ", rng.choice([self.any_operand, lambda: n("expr", "{", seq([n("pair", self.group(self.any_operand()), " => ", rng.choice([self.any_operand, lambda: n("expr", "{", self.pairs(META), "}")])())]), "}")])(), *rng.choice([[], [", ", self.any_operand()]]), ")"],
            ["class pc(", rng.choice(PARAMETERS), ") { notice($p) }\nclass { 'pc': ", *rng.choice([[], ["p => ", self.any_operand()]]), " }"],
            ["define pd(", rng.choice(PARAMETERS), ") { notice($p) }\npd { 'one': ", *rng.choice([[], ["p => ", self.any_operand()]]), " }"],
            ["function pf(", rng.choice(LISTS), ")", rng.choice(["", "", " >> Integer", " >> T", " >> Undef", " >> Array[String]"]), " { ", rng.choice(["[$p, $q]", "$p", "return($p)", "", "notify { 'f': }", "next($p)", "break()"]), " }\nnotice(pf(", seq([self.any_operand() for _ in range(rng.choice([0, 1, 1, 2, 3]))]), "))"],
            ["notice(", rng.choice(["Notify['a']", "Class['c']", "D['x']", "File['/a']", "Notify['a', 'b']", "Resource['notify', 'a']", "Notify['al']", "Class['e']"]), "[", seq([rng.choice([f"'{name}'" for name in META]) if rng.random() < 0.7 else self.any_operand() for _ in range(rng.choice([1, 1, 2]))]), "])"],
            ["$r = ", kind, " { ", title(), ": }\nnotice($r, type($r))\n", "$r -> ", self.reference_operand()],
            [*block, kind if kind != "node" else "d", " { ", rng.choice(["$p", "\"x${p}\"", "\"${p}\""]), ": ", self.pairs(["message", "require", "x", "tag"]), " } }"],
            ["notice(inline_epp(\"<%- |", rng.choice([each for each in PARAMETERS if '"' not in each]), "| -%><%= \\$p %>\", {", rng.choice(["p", "q", "'p'"]), " => ", self.any_operand(), "}))"],
            ["if ", self.any_operand(), " { notify { 'if': } } elsif ", self.any_operand(), " { notify { 'elsif': } } else { notify { 'else': } }"],
            ["case ", self.any_operand(), " { ", seq([self.group(self.any_operand()), self.group(self.any_operand())]), ": { notify { 'one': } } ", self.group(self.any_operand()), ": { notify { 'two': } } default: { notify { 'none': } } }"],
            ["[$va, $vb] = ", self.any_operand(), "\nnotice($va, $vb)"],
            ["node ", rng.choice(["default", "'web1.example.com'", "/web/", "'web1'", "'a', default", "/(\\w+)\\d/"]), " { ", kind, " { ", title(), ": ", self.pairs(META), " } }"],
            ["class pi inherits ", rng.choice(["c", "e", "::c", "nope", "pi"]), " { ", rng.choice(["Notify['in c']", "Notify['a']", "Class['c']", "D['x']"]), " { ", self.pairs(META), " } }\ninclude pi"],
            ["type A = ", self.type_string().replace("T[", "Array[") or "Any", "\nnotice(", self.any_operand(), " =~ A)\nnotice(A)"],
            ["notice(lookup(", self.name_operand(), ", ", rng.choice(["Integer", "undef", "String", "T"]), ", ", self.any_operand(), ", ", self.any_operand(), "))"],
        ], [10, 3, 3, 3, 2, 4, 7, 7, 7, 5, 4, 4, 4, 4, 2, 3, 2, 1, 2, 1, 1, 2, 2, 1])[0])

"""Expressions of a requested kind, and sometimes of another kind."""

from .tree import n, seq

ARITHMETIC = ["+", "-", "*", "/", "%", "<<", ">>"]
COMPARISON = ["==", "!=", "<", ">", "<=", ">=", "=~", "!~", "in"]
FORMATS = ["%d", "%s", "%x", "%5d", "%-5s|", "%05d", "%.2f", "%e", "%#x", "%o", "%b", "%p", "%g", "%+d", "% d", "%X", "%c", "%i", "%a", "%#o", "%10.3f", "%<a>s", "%{a}", "%%", "%u", "%B", "%E", "%G",
           "%t", "%y", "%#b", "%n", "%h", "%q", "%-10d|", "%*d", "%1$s", "%C", "%#s", "%10s", "%.3s", "%#p", "%T", "%Y"]
CONTAINER_FORMATS = ["%a", "%(a", "%#a", "%<a", "%[h", "%h", "%#h", "%s", "%p", "%#s", "%|a", "%{h", "%d", "%# a", "%5a", "%A", "% a"]


class Expressions:
    """A mixin of Generator."""

    def expr(self, kind="any", depth=3):
        rng = self.rng
        if kind == "any":
            kind = self.any_kind()
        elif rng.random() < self.wrong:
            kind = self.any_kind()
        known = [name for name, its in self.variables if its == kind]
        if known and rng.random() < 0.25:
            return n("expr", "$", rng.choice(known))
        if depth <= 0 or rng.random() < 0.22:
            return self.literal(kind, 1)
        makers = getattr(self, "make_" + kind, None)
        if makers is None or rng.random() < 0.22:
            return self.make_general(kind, depth - 1)
        return makers(depth - 1)

    def group(self, node):
        text = node.text()
        if text.isalnum() or text[:1] in "[$'\"" and not any(c in text[1:-1] for c in " [(") or text[:1] == "(" and text[-1:] == ")" and text.count("(") == 1:
            return node
        return n("expr", "(", node, ")")

    # Expressions of any kind.
    def make_general(self, kind, depth):
        rng = self.rng
        pick = rng.randrange(13)
        if pick == 0:
            condition = self.expr("bool", depth)
            return n("expr", "if ", condition, " { ", self.expr(kind, depth), " } else { ", self.expr(kind, depth), " }") if rng.random() < 0.8 else n("expr", "unless ", condition, " { ", self.expr(kind, depth), " }")
        if pick == 1:
            return self.case_(kind, depth)
        if pick == 2:
            return self.selector(kind, depth)
        if pick == 3:
            items = [self.expr(kind, depth - 1) for _ in range(rng.randint(1, 4))]
            return n("expr", "[", seq(items), "][", rng.choice(["0", "-1", "1", "2", "-2", "5"]), "]")
        if pick == 4:
            return n("expr", "{a => ", self.expr(kind, depth), ", b => 2}[", rng.choice(["a", "'a'", "b", "'zz'", "1"]), "]")
        if pick == 5:
            name = self.fresh()
            self.variables.append((name, kind))
            inner = self.expr(kind, depth)
            self.variables.pop()
            return n("expr", "with(", self.expr(kind, depth - 1), ") |$", name, "| { ", inner, " }")
        if pick == 6:
            return n("expr", self.group(self.expr(kind, depth)), ".then |$x| { ", self.bound("x", kind, kind, depth), " }")
        if pick == 7:
            return n("expr", self.group(self.expr("array", depth)), ".reduce |$m, $x| { ", self.bound("x", "any", kind, depth), " }")
        if pick == 8:
            return n("expr", "(", self.expr(kind, depth), ")")
        if pick == 9:
            return n("expr", self.group(self.expr("bool", depth)), " and ", self.group(self.expr(kind, depth))) if rng.random() < 0.3 else n("expr", self.group(self.expr(kind, depth)), ".lest || { ", self.expr(kind, depth - 1), " }")
        if pick == 10:
            name = self.fresh()
            return n("expr", "($", name, " = ", self.expr(kind, depth), ")")
        if pick == 11:
            return n("expr", "assert_type(", self.type_as_expr(1), ", ", self.expr(kind, depth), ")")
        return self.binary(depth)

    def binary(self, depth):
        """Any operator on operands of any kind."""
        rng = self.rng
        operator = rng.choice(ARITHMETIC + COMPARISON + ["and", "or"])
        left, right = self.expr("any", depth - 1), self.expr("any", depth - 1)
        return n("expr", self.group(left), f" {operator} ", self.group(right))

    def bound(self, name, kind, wanted, depth):
        self.variables.append((name, kind))
        inner = self.expr(wanted, depth - 1)
        self.variables.pop()
        return inner

    def option(self, depth):
        rng = self.rng
        pick = rng.random()
        if pick < 0.3:
            return self.literal(rng.choice(["string", "int", "bool", "undef"]), 0)
        if pick < 0.5:
            return n("expr", self.type_(1))
        if pick < 0.7:
            return self.literal("regexp")
        if pick < 0.78:
            return n("expr", "*", self.literal("array", 0))
        if pick < 0.84:
            return self.literal(rng.choice(["array", "hash", "float"]), 0)
        return self.expr("any", depth - 2)

    def case_(self, kind, depth):
        rng = self.rng
        options = []
        for _ in range(rng.randint(1, 3)):
            values = [self.option(depth) for _ in range(rng.randint(1, 2))]
            body = self.expr(kind, depth - 1) if rng.random() < 0.85 else n("expr", rng.choice(['"m: ${0} ${1}"', "$1", "$0", "[$0, $1, $2]"]))
            options.append(n("option", seq(values), ": { ", body, " }"))
        if rng.random() < 0.7:
            options.insert(rng.randint(0, len(options)), n("option", "default: { ", self.expr(kind, depth - 1), " }"))
        return n("expr", "case ", self.expr("any", depth - 1), " { ", seq(options, " "), " }")

    def selector(self, kind, depth):
        rng = self.rng
        options = []
        for _ in range(rng.randint(1, 3)):
            body = self.expr(kind, depth - 1) if rng.random() < 0.85 else n("expr", rng.choice(["$1", "$0", '"<$0>"']))
            options.append(n("option", self.group_option(self.option(depth)), " => ", self.group(body)))
        if rng.random() < 0.7:
            options.insert(rng.randint(0, len(options)), n("option", "default => ", self.group(self.expr(kind, depth - 1))))
        return n("expr", self.group(self.expr("any", depth - 1)), " ? { ", seq(options), " }")

    def group_option(self, node):
        text = node.text()
        return node if text[:1] in "/*'" or text.isalnum() else self.group(node)

    def make_int(self, depth):
        rng = self.rng
        e = self.expr
        pick = rng.randrange(14)
        if pick == 0 and rng.random() < 0.3:
            # Near the limits; only where no loop counts up to the number.
            return n("expr", rng.choice(["9223372036854775807", "-9223372036854775807", "4611686018427387904", "1000000"]), " ", rng.choice(ARITHMETIC), " ", rng.choice(["1", "-1", "2", "0", "63", "9223372036854775807", "1.5"]), rng.choice(["", " == 1", " > 5", " - 1"]))
        if pick < 5:
            return n("expr", self.group(e("int", depth)), " ", rng.choice(ARITHMETIC), " ", self.group(e("num" if pick == 0 else "int", depth)))
        if pick == 5:
            return n("expr", "-", self.group(e("int", depth)))
        if pick == 6:
            return n("expr", self.group(e(rng.choice(["string", "array", "hash"]), depth)), rng.choice([".size", ".length"]))
        if pick == 7:
            arguments = [self.expr(rng.choice(["string", "int", "float", "bool", "timespan", "timestamp", "any"]), depth - 1)]
            if rng.random() < 0.5:
                arguments.append(n("expr", rng.choice(["10", "16", "2", "8", "default", "0", "7"])))
                if rng.random() < 0.3:
                    arguments.append(n("expr", rng.choice(["true", "false"])))
            if rng.random() < 0.15:
                arguments = [n("expr", "{from => ", arguments[0], rng.choice(["", ", radix => 16", ", abs => true", ", radix => default, abs => false", ", x => 1"]), "}")]
            return n("expr", rng.choice(["Integer", "Integer", "Numeric", "Integer[0, 100]", "Optional[Integer]"]), rng.choice([".new", ""]), "(", seq(arguments), ")")
        if pick == 8:
            return n("expr", self.group(e("num", depth)), rng.choice([".abs", ".floor", ".ceiling", ".round"]))
        if pick == 9:
            return n("expr", self.group(e("array", depth)), ".reduce", rng.choice(["", "(0)", "(1)"]), " |$a, $b| { $a ", rng.choice(["+", "*", "-"]), " $b }")
        if pick == 10:
            return n("expr", rng.choice(["max", "min"]), "(", seq([e("num", depth - 1) for _ in range(rng.randint(1, 3))]), ")")
        if pick == 11:
            return n("expr", rng.choice(["versioncmp", "compare"]), "(", e("string", depth - 1), ", ", e("string", depth - 1), ")")
        if pick == 12:
            return n("expr", self.group(e("array", depth)), ".index", rng.choice([" |$x| { $x == 1 }", "(1)", "('a')", " |$i, $x| { $i == 1 }"]))
        return n("expr", self.group(e("string", depth)), " ", rng.choice(["+", "-", "*", "/"]), " ", self.group(e("int", depth)))

    make_num = make_int

    def make_float(self, depth):
        rng = self.rng
        pick = rng.randrange(6)
        if pick < 3:
            return n("expr", self.group(self.expr("float", depth)), " ", rng.choice(ARITHMETIC[:5]), " ", self.group(self.expr(rng.choice(["int", "float"]), depth)))
        if pick == 3:
            return n("expr", rng.choice(["Float", "Numeric", "Float.new", "Float[0.0, 10.0]"]), "(", self.expr(rng.choice(["string", "int", "timespan", "timestamp", "bool", "any"]), depth), rng.choice(["", "", ", true"]), ")")
        if pick == 4:
            return n("expr", "-", self.group(self.expr("float", depth)))
        return n("expr", "abs(", self.expr("float", depth), ")")

    def make_bool(self, depth):
        rng = self.rng
        e = self.expr
        pick = rng.randrange(12)
        if pick < 3:
            kind = rng.choice(["num", "string", "any", "version", "array", "type", "timespan", "timestamp", "semver", "hash"])
            kind = "semver" if kind == "version" else kind
            return n("expr", self.group(e(kind, depth)), " ", rng.choice(COMPARISON[:6]), " ", self.group(e(kind if rng.random() < 0.8 else "any", depth)))
        if pick == 3:
            return n("expr", self.group(e("string", depth)), " ", rng.choice(["=~", "!~"]), " ", self.literal(rng.choice(["regexp", "regexp", "regexp", "string"])))
        if pick == 4:
            return n("expr", self.group(e("any", depth)), " ", rng.choice(["=~", "!~"]), " ", self.group(self.type_as_expr(2)))
        if pick == 5:
            return n("expr", self.group(e("any", depth)), " in ", self.group(e(rng.choice(["array", "hash", "string", "any"]), depth)))
        if pick == 6:
            return n("expr", self.group(e("bool", depth)), " ", rng.choice(["and", "or"]), " ", self.group(e(rng.choice(["bool", "any"]), depth)))
        if pick == 7:
            return n("expr", "!", self.group(e(rng.choice(["bool", "any"]), depth)))
        if pick == 8:
            return n("expr", self.group(e(rng.choice(["array", "hash", "iterator"]), depth)), ".", rng.choice(["any", "all"]), " ", self.lambda_(rng.choice([1, 1, 2]), "bool", depth))
        if pick == 9:
            return n("expr", "Boolean(", e("any", depth - 1), ")")
        if pick == 10:
            return n("expr", self.group(e(rng.choice(["array", "hash", "string", "undef"]), depth)), ".empty")
        return n("expr", self.group(self.type_as_expr(2)), " ", rng.choice(["<", "<=", ">", ">=", "==", "!="]), " ", self.group(self.type_as_expr(2)))

    def make_string(self, depth):
        rng = self.rng
        e = self.expr
        pick = rng.randrange(15)
        if pick < 3:
            return self.interpolated(depth)
        if pick == 3:
            return self.formatted(depth)
        if pick == 4:
            return n("expr", "sprintf(", seq([self.format_string(), *[e(rng.choice(["int", "string", "float", "any", "array", "hash"]), depth - 1) for _ in range(rng.randint(0, 3))]]), ")")
        if pick == 5:
            return n("expr", self.group(e("string", depth)), "[", self.range_(), "]")
        if pick == 6:
            flags = rng.choice(["", "", ", 'G'", ", 'I'", ", 'GI'", ", 'M'", ", 'x'"])
            pattern = self.literal(rng.choice(["regexp", "string"]))
            replacement = rng.choice(["'x'", "'\\1'", "'<\\0>'", "'\\2\\1'", "'\\\\'", "''", "'$1'", "\"\\\\0\\\\0\"", "{'a' => 'b'}", "'\\k<x>'"])
            return n("expr", "regsubst(", e("string", depth), ", ", pattern, ", ", n("expr", replacement), flags, ")")
        if pick == 7:
            return n("expr", self.group(e("string", depth)), ".", rng.choice(["upcase", "downcase", "capitalize", "strip", "lstrip", "rstrip", "chomp", "chop", "camelcase"]))
        if pick == 8:
            return n("expr", self.group(e("array", depth)), ".join", rng.choice(["", "(',')", "('-')", "(1)"]))
        if pick == 9:
            return self.heredoc(depth)
        if pick == 10:
            time = rng.choice(["timespan", "timestamp"])
            formats = ["'%H:%M:%S'", "'%D %-H'", "'%F %T'", "'%j %a %B'", "'%s'", "'%3N'", "'%L'", "'%e|%-d|%_H'", "'%Q'", "'%y %C'", "'%I %p'", "'%z'", "'%c'", "'%%x'", "'%10H'", "'%-3D'", "'%Y-%m-%dT%H:%M:%S.%9N'", "'%U %V %G'", "'%^a %#p'"]
            return n("expr", "strftime(", self.literal(time), ", ", rng.choice(formats), rng.choice(["", "", ", 'UTC'", ", '+02:00'", ", 'PST'"]) if time == "timestamp" else "", ")")
        if pick == 11:
            return n("expr", "String(", e("any", depth), ")")
        if pick == 12:
            return n("expr", "type(", e("any", depth), rng.choice(["", ", 'generalized'", ", reduced", ", detailed"]), ")")
        if pick == 13:
            return n("expr", rng.choice(["md5", "sha1", "sha256", "shellquote", "String", "type"]), "(", e("string", depth), ")")
        return n("expr", '"', rng.choice(["", "a", "x "]), "${", self.interpolated_inner(depth), '}"')

    def interpolated_inner(self, depth):
        inner = self.expr("any", depth - 1)
        return inner

    def interpolated(self, depth):
        rng = self.rng
        parts = []
        for _ in range(rng.randint(1, 3)):
            pick = rng.random()
            if pick < 0.4:
                parts.append(rng.choice(["a", " ", "\\n", "$", "\\$", "{}", "\u00e9", "\\t", "x.y", "[0]", "\\u0041", "\\q", "::"]))
            elif pick < 0.8 or not self.variables:
                parts.append(n("part", "${", self.interpolated_inner(depth), "}"))
            else:
                name = rng.choice(self.variables)[0]
                parts.append(rng.choice([f"$${name}", f"${{{name}}}", f"${name}", f"${{{name}[0]}}", f"${{{name}.size}}", f"${name}[0]", f"${{{name}['a']}}", f"${{{name} + 1}}", f"${{{name}.map |$q| {{ $q }}}}"]))
        return n("expr", '"', Parts(parts), '"')

    def heredoc(self, depth):
        rng = self.rng
        tag = rng.choice(["X", '"X"', '"X"', '"X"/$nt', "X/tn", '"X"/L', "END", '"END":txt', '"X"/', "X/q"])
        end = tag.strip('"').split('"')[0].split("/")[0].split(":")[0]
        lines = []
        for _ in range(rng.randint(0, 3)):
            lines.append(rng.choice(["text", "  a $x b", "", "tab\\tend", "back\\\\slash", "  | margin", "${1 + 1}", "$ {", "cont\\", "${[1,2].map |$x| { $x }}", "\u00e9", '"quoted"']) + "\n")
        margin = rng.choice(["| ", "|", "", "|- ", "- ", "  | ", "    |- "])
        return n("expr", "@(", tag, ")\n", *lines, margin, end, "\n")

    def format_string(self):
        rng = self.rng
        return n("expr", "'", *[rng.choice(FORMATS) if rng.random() < 0.8 else rng.choice([" ", "x", "-"]) for _ in range(rng.randint(1, 3))], "'")

    def formatted(self, depth):
        rng = self.rng
        pick = rng.random()
        if pick < 0.45:
            return n("expr", "String(", self.expr(rng.choice(["int", "float", "string", "bool", "any", "undef", "regexp", "type"]), depth), ", '", rng.choice(FORMATS), "')")
        if pick < 0.7:
            return n("expr", "String(", self.expr(rng.choice(["array", "hash"]), depth), ", '", rng.choice(CONTAINER_FORMATS), "')")
        entries = []
        for name in rng.sample(["Any", "Integer", "String", "Array", "Hash", "Float", "Undef", "Boolean", "Default", "Numeric", "Integer[1, 5]", "Collection", "Type", "Regexp", "Sensitive", "Object"], rng.randint(1, 3)):
            if name in ("Array", "Hash", "Collection") and rng.random() < 0.7:
                inner = rng.choice(["format => '%(a'", "format => '%#a', separator => ';'", "string_formats => {Integer => '%#x'}", "separator => ' | '", "format => '%h', separator2 => ' = '", "format => '%#[h'", "format => '%d'"])
                entries.append(n("pair", name, " => {", inner, "}"))
            else:
                entries.append(n("pair", name, " => '", rng.choice(FORMATS + CONTAINER_FORMATS), "'"))
        return n("expr", "String(", self.expr(rng.choice(["array", "hash", "any"]), depth), ", {", seq(entries), "})")

    def range_(self):
        rng = self.rng
        return rng.choice(["0", "1", "-1", "0, 2", "1, -1", "-2, 2", "-3, -1", "5", "2, 0", "0, -2", "10, 2", "1, 1", "1.5", "'1'", "0, 1, 2", "undef", "", "-10, 3", "3, -3"])

    def make_array(self, depth):
        rng = self.rng
        e = self.expr
        pick = rng.randrange(17)
        if pick < 3:
            kind = rng.choice(["int", "string", "any", "array", "hash", "num"])
            items = [e(kind, depth - 1) if rng.random() < 0.93 else n("expr", "*", e("array", depth - 1)) for _ in range(rng.randint(0, 4))]
            return n("expr", "[", seq(items), "]")
        if pick == 3:
            return n("expr", self.group(e("array", depth)), " ", rng.choice(["+", "-", "<<"]), " ", self.group(e(rng.choice(["array", "array", "any", "hash"]), depth)))
        if pick == 4:
            return n("expr", self.group(e(rng.choice(["array", "array", "hash", "iterator", "int"]), depth)), ".", rng.choice(["map", "map", "filter", "each"]), " ", self.lambda_(rng.choice([1, 1, 1, 2]), "any", depth))
        if pick == 5:
            return n("expr", self.group(e("array", depth)), "[", self.range_(), "]")
        if pick == 6:
            return n("expr", self.group(e("string", depth)), ".split(", self.literal(rng.choice(["regexp", "string"])), ")")
        if pick == 7:
            return n("expr", self.group(e("hash", depth)), rng.choice([".keys", ".values"]))
        if pick == 8:
            return n("expr", self.group(e(rng.choice(["array", "hash", "iterator"]), depth)), ".slice(", rng.choice(["2", "3", "1", "0"]), ")", rng.choice(["", "", " |$x| { $x }", " |$x, $y| { [$y, $x] }", " |$x, $y, $z| { $z }"]))
        if pick == 9:
            return n("expr", self.group(e("array", depth)), ".", rng.choice(["flatten", "unique", "sort", "reverse_each.map |$x| { $x }", "unique |$x| { $x =~ Integer }", "sort |$a, $b| { compare($b, $a) }", "filter |$x| { $x }"]))
        if pick == 10:
            return n("expr", "Array(", e("any", depth), rng.choice(["", ", true", ", false"]), ")")
        if pick == 11:
            return n("expr", self.group(e("string", depth)), ".match(", self.literal(rng.choice(["regexp", "string"])), ")")
        if pick == 12:
            return n("expr", "Tuple(", e("any", depth), ")")
        if pick == 13:
            return n("expr", "*", self.group(e(rng.choice(["array", "hash", "any"]), depth))) if rng.random() < 0.3 else n("expr", "[*", self.group(e(rng.choice(["array", "hash", "any", "int", "undef"]), depth)), "]")
        if pick == 14:
            return n("expr", self.group(e(rng.choice(["array", "hash"]), depth)), ".", rng.choice(["partition", "tree_each", "group_by", "index"]), " ", self.lambda_(rng.choice([1, 2]), "bool", depth))
        if pick == 15:
            return n("expr", self.group(e("iterator", depth)), ".map |$x| { ", self.bound("x", "int", "any", depth), " }")
        return n("expr", "[", seq([e("any", depth - 1), e("any", depth - 1)]), "].map |$i, $v| { [$i, $v] }")

    def make_hash(self, depth):
        rng = self.rng
        e = self.expr
        pick = rng.randrange(10)
        if pick < 3:
            pairs = [n("pair", self.group(e(rng.choice(["string", "string", "int", "any"]), depth - 2)), " => ", e("any", depth - 1)) for _ in range(rng.randint(0, 3))]
            return n("expr", "{", seq(pairs), "}")
        if pick == 3:
            return n("expr", self.group(e("hash", depth)), " ", rng.choice(["+", "-", "+", "<<"]), " ", self.group(e(rng.choice(["hash", "hash", "array"]), depth)))
        if pick == 4:
            return n("expr", self.group(e("hash", depth)), ".filter ", self.lambda_(rng.choice([1, 2]), "bool", depth))
        if pick == 5:
            return n("expr", self.group(e("array", depth)), ".group_by ", self.lambda_(1, "any", depth))
        if pick == 6:
            return n("expr", rng.choice(["Hash", "Struct"]), "(", e(rng.choice(["array", "hash", "any"]), depth), rng.choice(["", "", ", tree", ", hash_tree"]), ")")
        if pick == 7:
            return n("expr", self.group(e("array", depth)), ".reduce({}) |$m, $x| { $m + {", rng.choice(["$x => 1", "a => $x", "\"k${x}\" => $x"]), "} }")
        if pick == 8:
            return n("expr", self.group(e("hash", depth)), "[", rng.choice(["a", "'a'", "1", "a, b", "'zz'", "undef", "a, 'zz'"]), "]")
        return n("expr", self.group(e("hash", depth)), ".map |$k, $v| { [$k, ", self.bound("v", "any", "any", depth), "] }.Hash")

    def make_regexp(self, depth):
        return n("expr", "Regexp(", self.expr("string", depth - 1), self.rng.choice(["", ", true"]), ")")

    def make_type(self, depth):
        rng = self.rng
        pick = rng.random()
        if pick < 0.5:
            return self.type_as_expr(depth + 1)
        if pick < 0.75:
            return n("expr", "type(", self.expr("any", depth), rng.choice(["", ", generalized", ", reduced"]), ")")
        return n("expr", "Type", rng.choice(["", ".new"]), "(", self.expr(rng.choice(["string", "type"]), depth - 1), ")")

    def make_iterator(self, depth):
        rng = self.rng
        return n("expr", self.group(self.expr(rng.choice(["iterator", "array", "int", "string", "type"]), depth)), rng.choice([".reverse_each", ".step(2)", ".step(3)", ".step(0)", ".tree_each", ".each"]))

    def make_timespan(self, depth):
        rng = self.rng
        pick = rng.random()
        if pick < 0.5:
            return n("expr", self.group(self.expr(rng.choice(["timespan", "timestamp"]), depth - 1)), " ", rng.choice(["+", "-", "*", "/", "%"]), " ", self.group(self.expr(rng.choice(["timespan", "timestamp", "num"]), depth - 1)))
        return n("expr", "Timespan(", seq([self.expr(rng.choice(["int", "string", "float"]), 0) for _ in range(rng.randint(1, 5))]), ")")

    make_timestamp = make_timespan

    def make_semver(self, depth):
        return n("expr", "SemVer(", seq([self.expr(self.rng.choice(["int", "string", "int"]), 0) for _ in range(self.rng.randint(1, 4))]), ")")

    def make_sensitive(self, depth):
        rng = self.rng
        return n("expr", "Sensitive", rng.choice([".new", ""]), "(", self.expr("any", depth), ")", rng.choice(["", "", ".unwrap", ".unwrap |$x| { \"${x}\" }"]))

    def make_binary(self, depth):
        return n("expr", "Binary(", self.expr(self.rng.choice(["string", "array", "any"]), depth - 1), self.rng.choice(["", ", '%s'", ", '%b'", ", '%r'", ", '%u'", ", '%B'", ", '%x'"]), ")")

    def make_reference(self, depth):
        rng = self.rng
        return n("expr", rng.choice(["File", "Notify", "Class", "Resource['file']", "Foo::Bar", "Resource"]), "[", seq([self.expr(rng.choice(["string", "string", "array", "any"]), depth - 1) for _ in range(rng.randint(1, 2))]), "]")

    def lambda_(self, arity, kind, depth):
        """A block; some parameters have types, defaults and splats."""
        rng = self.rng
        names = [self.fresh() for _ in range(arity)]
        if rng.random() < 0.04:
            names = names[:-1] if rng.random() < 0.5 else [*names, self.fresh()]
        parameters = []
        for at, name in enumerate(names):
            text = "$" + name
            pick = rng.random()
            if pick < 0.06:
                text = rng.choice(["Integer", "String", "Any", "Optional[Integer]", "Numeric", "Variant[Integer, String]"]) + " " + text
            elif pick < 0.09 and at == len(names) - 1:
                text = "*" + text
            elif pick < 0.12 and at == len(names) - 1:
                text += " = 1"
            parameters.append(text)
        before = len(self.variables)
        self.variables.extend((name, rng.choice(["int", "string", "any", "int"])) for name in names)
        body = []
        if rng.random() < 0.08:
            body.append(n("statement", rng.choice(["notice(", "warning("]), self.expr("any", depth - 2), ")"))
        if rng.random() < 0.06:
            body.append(n("statement", "if ", self.expr("bool", depth - 2), " { ", rng.choice(["next()", "next(1)", "break()", "return(2)", "return()"]), " }"))
        body.append(self.expr(kind, depth - 1))
        del self.variables[before:]
        return n("lambda", "|", ", ".join(parameters), "| { ", seq(body, " "), " }")

    def fresh(self):
        self.count += 1
        return f"v{self.count}"


def Parts(parts):
    return seq(parts, "")

"""Type expressions, mostly well formed."""

from .tree import n, seq

PLAIN = ["Any", "Scalar", "ScalarData", "Data", "RichData", "Undef", "Default", "Boolean", "Integer", "Float", "Numeric", "String", "Enum", "Pattern",
         "Regexp", "Array", "Hash", "Tuple", "Struct", "Optional", "NotUndef", "Variant", "Collection", "Iterable", "Iterator", "Callable", "Sensitive",
         "Deferred", "Timestamp", "Timespan", "SemVer", "SemVerRange", "Binary", "URI", "Type", "Runtime", "Object", "TypeSet", "Init", "Resource",
         "CatalogEntry", "Class", "Error", "TypeAlias", "Annotation"]
COMMON = ["Integer", "String", "Float", "Boolean", "Undef", "Array", "Hash", "Any", "Numeric", "Scalar", "Data"]
PARAMETRIC = ["Integer", "Float", "String", "Enum", "Pattern", "Regexp", "Array", "Hash", "Tuple", "Struct", "Optional", "NotUndef", "Variant",
              "Collection", "Iterable", "Iterator", "Callable", "Sensitive", "Timestamp", "Timespan", "SemVer", "SemVerRange", "URI", "Type", "Boolean",
              "Init", "Resource", "Class", "Runtime", "Object", "Any", "Undef", "Binary", "Data", "CatalogEntry", "Error", "Typeset", "Deferred"]
INTS = ["0", "1", "2", "3", "5", "10", "-1", "-5", "default", "100"]
TIMES = ["'2015-01-01'", "'2016-06-15T12:00:00'", "'2020-02-29 10:11:12.5'", "default", "'x'", "'1999-12-31T23:59:59.999 UTC'"]
SPANS = ["'1-00:00:00'", "'00:30:00'", "default", "'x'", "{hours => 2}", "3600", "1.5", "'2-03:04:05.678'", "1, 2, 3, 4"]


class Types:
    """A mixin of Generator."""

    # Types in the definition of an alias have valid parameters.
    defining = False

    def type_(self, depth=2):
        rng = self.rng
        if depth <= 0 or rng.random() < 0.3:
            return n("type", rng.choice(COMMON if rng.random() < 0.6 else PLAIN))
        return self.type_of(rng.choice(PARAMETRIC), depth)

    def type_of(self, name, depth):
        rng = self.rng
        method = getattr(self, "t_" + name.lower(), None)
        if method is None and self.defining:
            return n("type", name)
        if method is None or rng.random() < 0.03 and not self.defining:
            return n("type", name, "[", seq([self.type_argument(depth) for _ in range(rng.randint(1, 3))]), "]")
        return n("type", name, "[", method(depth - 1), "]")

    def type_argument(self, depth):
        rng = self.rng
        if rng.random() < 0.4:
            return self.type_(depth - 1)
        return n("expr", rng.choice(["1", "-1", "'a'", "default", "undef", "/a/", "1.5", "true", "[1]", "{a => Integer}", "''", "'x::y'", "[]", "{}"]))

    def bounds(self, values=INTS, most=2):
        return seq([n("expr", self.rng.choice(values)) for _ in range(self.rng.randint(1, most))])

    def t_integer(self, _):
        return self.bounds()

    t_collection = t_integer

    def t_float(self, _):
        return self.bounds(["0.0", "1.5", "-2.5", "default", "1", "10", "1e3"])

    def t_string(self, depth):
        return self.bounds() if self.rng.random() < 0.9 else self.type_(depth)

    def t_enum(self, _):
        rng = self.rng
        words = [rng.choice(["a", "'b'", "'C'", "'foo bar'", "''", "'1'", "red", "'a'"]) for _ in range(rng.randint(1, 3))]
        if rng.random() < 0.2:
            words.append(rng.choice(["true", "false"]))
        return seq(words)

    def t_pattern(self, depth):
        rng = self.rng
        if self.defining:
            return n("expr", rng.choice(["/a/", "'b'", "/x/i", "/^c/, /d$/"]))
        return seq([rng.choice(["/a/", "/^b/", "'c+'", "/\\A[0-9]+\\z/", "Pattern[/x/]", "Regexp[/y/]", "/(?i:z)/", "'('", "''"]) for _ in range(rng.randint(1, 2))])

    def t_regexp(self, _):
        if self.defining:
            return n("expr", self.rng.choice(["/a/", "'b'", "/x/i", "default"]))
        return n("expr", self.rng.choice(["/a/", "'b'", "/x/i", "''", "'('", "default", "1", "/a\\/b/", "'a/b'"]))

    def sized(self, items, depth):
        if self.rng.random() < 0.35:
            items.append(n("expr", self.rng.choice(INTS)))
            if self.rng.random() < 0.6:
                items.append(n("expr", self.rng.choice(INTS)))
        return seq(items)

    def t_array(self, depth):
        return self.sized([self.type_(depth)] if self.rng.random() < 0.9 else [], depth) if self.rng.random() < 0.95 else self.bounds()

    def t_hash(self, depth):
        return self.sized([self.type_(min(depth, 1)), self.type_(depth)], depth) if self.rng.random() < 0.9 else self.bounds()

    def t_tuple(self, depth):
        return self.sized([self.type_(depth) for _ in range(self.rng.randint(1, 3))], depth)

    def t_struct(self, depth):
        rng = self.rng
        members = []
        for key in rng.sample(["a", "b", "'c d'", "e"], rng.randint(0, 3)):
            wrap = rng.random()
            key = f"Optional[{key}]" if wrap < 0.2 else f"NotUndef[{key}]" if wrap < 0.3 else key
            members.append(n("member", key, " => ", self.type_(depth)))
        return n("struct", "{", seq(members), "}")

    def t_optional(self, depth):
        return self.type_(depth) if self.rng.random() < 0.85 else n("expr", self.rng.choice(["'a'", "''", "1", "undef"]))

    t_notundef = t_optional

    def t_variant(self, depth):
        return seq([self.type_(depth) for _ in range(self.rng.randint(1, 3))])

    def t_iterable(self, depth):
        return self.type_(depth)

    t_iterator = t_sensitive = t_iterable

    def t_type(self, depth):
        return self.type_(depth)

    def t_init(self, depth):
        rng = self.rng
        items = [self.type_(depth)]
        if rng.random() < 0.4:
            items += [n("expr", rng.choice(["1", "'%d'", "16", "true", "'a'"])) for _ in range(rng.randint(1, 2))]
        return seq(items)

    def t_callable(self, depth):
        rng = self.rng
        items = [self.type_(depth) for _ in range(rng.randint(0, 3))]
        if rng.random() < 0.4:
            items += [n("expr", rng.choice(["0", "1", "2", "3", "default"])) for _ in range(rng.randint(1, 2))]
        if rng.random() < 0.2:
            items.append(self.type_of("Callable", depth))
        if rng.random() < 0.2:
            return seq([n("expr", "[", seq(items), "]"), self.type_(depth)])
        return seq(items or [n("expr", "0"), n("expr", "0")])

    def t_timestamp(self, _):
        return self.bounds(TIMES)

    def t_timespan(self, _):
        return self.bounds(SPANS)

    def t_semver(self, _):
        if self.defining:
            return n("expr", self.rng.choice(["'1.x'", "'>=1.2.3 <2.0.0'", "'~1.2', '^2.0'"]))
        return seq([n("expr", self.rng.choice(["'1.x'", "'>=1.2.3 <2.0.0'", "'~1.2'", "'^2.0'", "'1.2.3'", "'x'", "1", "SemVerRange('>1.0.0')"])) for _ in range(self.rng.randint(1, 2))])

    def t_semverrange(self, _):
        return n("expr", self.rng.choice(["1", "'1.x'"]))

    def t_uri(self, _):
        if self.defining:
            return n("expr", self.rng.choice(["'http://example.com'", "{scheme => 'http'}"]))
        return n("expr", self.rng.choice(["'http'", "'http://example.com'", "{scheme => 'http'}", "{scheme => Enum['a','b']}", "{x => 1}", "URI['http']", "1"]))

    def t_boolean(self, _):
        return n("expr", self.rng.choice(["true", "false", "'true'", "1"]))

    def t_resource(self, _):
        if self.defining:
            return n("expr", self.rng.choice(["'file'", "file", "File, 'a'", "'Foo::Bar'"]))
        return seq([n("expr", self.rng.choice(["'file'", "file", "'/a'", "File", "'Foo::Bar'", "['a', 'b']", "''", "'x y'"])) for _ in range(self.rng.randint(1, 2))])

    def t_class(self, _):
        if self.defining:
            return n("expr", self.rng.choice(["'a'", "a", "'::a::b'"]))
        return seq([n("expr", self.rng.choice(["'a'", "a", "'::a::b'", "['x', 'y']", "''", "'Ab'", "1", "undef"])) for _ in range(self.rng.randint(1, 2))])

    def t_runtime(self, _):
        if self.defining:
            return n("expr", "'ruby', 'Symbol'")
        return seq([n("expr", text) for text in self.rng.choice([["'ruby'"], ["'ruby'", "'Symbol'"], ["'go'", "'x'"], ["1"], ["'ruby'", "[/a/, 'b']"], ["ruby", "'A::B'"]])])

    def t_object(self, depth):
        rng = self.rng
        members = []
        if rng.random() < 0.6:
            members.append(n("member", "name => ", rng.choice(["'Foo'", "'My::Obj'", "'x'", "1"])))
        if rng.random() < 0.8:
            attributes = []
            for name in rng.sample(["a", "b", "c", "'D'"], rng.randint(1, 2)):
                full = rng.random()
                if full < 0.6:
                    attributes.append(n("member", name, " => ", self.type_(depth)))
                else:
                    items = [n("member", "type => ", self.type_(min(depth, 1)))]
                    if rng.random() < 0.5:
                        items.append(n("member", "value => ", rng.choice(["1", "'a'", "undef", "[1]"])))
                    if rng.random() < 0.3:
                        items.append(n("member", "kind => ", rng.choice(["constant", "derived", "given_or_derived", "reference", "'x'"])))
                    if rng.random() < 0.2:
                        items.append(n("member", rng.choice(["final => true", "override => true", "override => 1", "x => 1"])))
                    attributes.append(n("member", name, " => {", seq(items), "}"))
            members.append(n("member", "attributes => {", seq(attributes), "}"))
        if rng.random() < 0.2:
            members.append(n("member", rng.choice(["equality => [a]", "equality => b", "equality => [zz]", "equality_include_type => false", "constants => {k => 1}", "parent => Integer", "serialization => [a]", "type_parameters => {a => Integer}", "functions => {f => Callable[Integer]}", "annotations => {}", "checks => 1", "zz => 1"])))
        return n("struct", "{", seq(members), "}")

    def t_any(self, depth):
        return self.type_argument(1)

    t_undef = t_binary = t_data = t_catalogentry = t_error = t_typeset = t_deferred = t_any

"""Literal values of each kind."""

from .tree import n, seq

INTS = ["0", "1", "2", "3", "7", "10", "42", "255", "-1", "-7", "0x1F", "0777", "-3", "5", "4"]
FLOATS = ["1.5", "0.0", "-2.25", "1e3", "1.0e-5", "1e20", "3.14159", "100.0", "0.1", "1.0", "-0.5", "1e100", "2.5", "123456789.123"]
STRINGS = ["''", "'a'", "'abc'", "'Abc'", "'ABC'", "'42'", "'0x1f'", "' 3 '", "'1.5'", "\"x\\ty\"", "'\u00e9t\u00e9'", "'foo bar'", "'true'", "'1e3'", "'-7'", "'a/b'",
           "'foo.bar.baz'", "\"l1\\nl2\\n\"", "'a,b,,c'", "'010'", "'0b11'", "'hello world'", "'\\''", "'x=1;y=2'", "'1.2.3'", "' '", "'/etc/passwd'", "b",
           "'undef'", "'+5'", "'1_000'", "'::a::b'", "'$x'", "\"\\$y\"", "'a\"b'", "'\\\\'", "\"\\u{1F600}\"", "'%s'", "'z'", "'2-rc1'", "'10.0.0.1'", "'\u00df'"]
REGEXPS = ["/a/", "/^b.*/", "/(\\d+)/", "/([a-z]+)([0-9]*)/", "/A/i", "/\\s+/", "//", "/[aeiou]/", "/(?<x>b)(c)?/", "/o{1,2}/", "/,/", "/\\A\\w/", "/a|b/", "/./m", "/$/", "/\\./", "/\\W/"]
TIMESPANS = ["Timespan('1-02:03:04')", "Timespan(3600)", "Timespan(1.5)", "Timespan({minutes => 90})", "Timespan('10', '%M')", "Timespan(0, 1, 2, 3, 500)", "Timespan(-5)",
             "Timespan(1, 2, 3, 4, 5, 6, 7)"]
TIMESTAMPS = ["Timestamp('2015-03-01T10:11:12.5')", "Timestamp(1500000000)", "Timestamp(1234567890.25)", "Timestamp('2016-02-29')", "Timestamp('2020 13', '%Y %H')", "Timestamp()",
              "Timestamp('2015-03-01 02:03:04 +0200', '%F %T %z')"]
SEMVERS = ["SemVer('1.2.3')", "SemVer('1.2.3-rc1')", "SemVer('2.0.0+build')", "SemVer(1, 2, 3)", "SemVer('0.0.1')", "SemVer(1, 0, 0, 'alpha.1', 'b')", "SemVer({major => 1, minor => 2, patch => 3})"]
RANGES = ["SemVerRange('1.x')", "SemVerRange('>=1.2.0 <3.0.0')", "SemVerRange('~1.2')", "SemVerRange(SemVer('1.0.0'), SemVer('2.0.0'))", "SemVerRange('>1.0.0', '<2.0.0')", "SemVerRange('1.0.0 - 2.0.0')", "SemVerRange('^1.2 || 3.x')"]
BINARIES = ["Binary('YWJj')", "Binary('abc', '%s')", "Binary([1, 2, 255])", "Binary('', '%u')", "Binary({value => 'YQ==', format => '%B'})"]
URIS = ["URI('http://example.com/a?b=c#d')", "URI('mailto:a@b.c')", "URI({scheme => 'http', host => 'h', path => '/p'})", "URI('/rel')", "URI('http://u:p@h:8080/')"]
KINDS = ["int", "float", "string", "bool", "undef", "array", "hash", "regexp", "type", "timespan", "timestamp", "semver", "semverrange", "binary", "uri", "sensitive",
         "default", "reference", "iterator", "deferred", "error", "object"]
USUAL = ["int", "int", "float", "string", "string", "string", "bool", "undef", "array", "array", "hash", "hash", "type"]
OBJECTS = ["Object[{name => 'Pt', attributes => {x => Integer, y => {type => Integer, value => 2}}}].new(1)", "Object[{name => 'Pt', attributes => {x => Integer}}].new({x => 3})",
           "Object[{attributes => {x => String}}].new('a')"]


class Literals:
    """A mixin of Generator."""

    def literal(self, kind, depth=1):
        rng = self.rng
        c = rng.choice
        if kind == "int":
            return n("expr", c(INTS))
        if kind == "float":
            return n("expr", c(FLOATS))
        if kind == "num":
            return self.literal(c(["int", "float"]))
        if kind == "string":
            return n("expr", c(STRINGS))
        if kind == "bool":
            return n("expr", c(["true", "false"]))
        if kind == "array":
            inner = c(["int", "string", "any", "int", "string", "num", "array", "hash", "numstring"])
            items = [self.literal("any" if inner == "numstring" else inner, depth - 1) if depth > 0 else n("expr", c(["1", "'a'", "undef", "2", "3.5"])) for _ in range(rng.randint(0, 4))]
            return n("expr", "[", seq(items), "]")
        if kind == "hash":
            keys = rng.sample(["a", "b", "c", "'d e'", "1", "2", "undef", "'x'", "'1'", "1.5", "true", "[1]", "default", "/k/"], rng.randint(0, 3))
            inner = c(["int", "string", "any", "array", "int"])
            pairs = [n("pair", key, " => ", self.literal(inner, depth - 1) if depth > 0 else n("expr", c(["1", "'v'", "undef", "2"]))) for key in keys]
            return n("expr", "{", seq(pairs), "}")
        if kind == "undef":
            return n("expr", "undef")
        if kind == "default":
            return n("expr", "default")
        if kind == "regexp":
            return n("expr", c(REGEXPS))
        if kind == "type":
            return self.type_as_expr(depth)
        if kind == "sensitive":
            return n("expr", "Sensitive(", self.literal(c(["string", "int", "any"]), depth - 1), ")")
        if kind == "reference":
            return n("expr", c(["File['/a']", "Class['x']", "Notify['a', 'b']", "Foo::Bar['t']", "Resource['file', 'x']", "File", "Class", "Resource[File]"]))
        if kind == "iterator":
            return n("expr", c(["Integer[1, 4]", "Integer[3, 5].step(2)", "[1, 2, 3].reverse_each", "[1, 2, 3, 4].step(2)", "Integer[0, 3].reverse_each", "'abc'.reverse_each", "Enum[a, b].reverse_each",
                                "Iterable([1, 2])", "{a => 1, b => 2}.reverse_each", "5.reverse_each", "Integer[1, 10].step(3).reverse_each", "[1,2,3].reverse_each.step(2)", "Iterator([1])"]))
        if kind == "deferred":
            return n("expr", c(["Deferred('upcase', ['a'])", "Deferred('$x')", "Deferred('size', [[1, 2]])"]))
        if kind == "error":
            return n("expr", c(["Error('bad')", "Error('bad', 'kind/x')", "Error({msg => 'm', issue_code => 'C', details => {a => 1}})", "Error('m', 'k', {}, 'code', 1)"]))
        if kind == "object":
            return n("expr", c(OBJECTS))
        table = {"timespan": TIMESPANS, "timestamp": TIMESTAMPS, "semver": SEMVERS, "semverrange": RANGES, "binary": BINARIES, "uri": URIS}
        if kind in table:
            return n("expr", c(table[kind]))
        return self.literal(self.any_kind(), depth)

    def any_kind(self):
        return self.rng.choice(USUAL if self.rng.random() < 0.75 else KINDS)

    def type_as_expr(self, depth=2):
        inner = self.type_(depth)
        return n("expr", inner)

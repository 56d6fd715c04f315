"""Strings in all their forms: several heredocs on a line with flags, margins and syntaxes; interpolation of everything."""

from .tree import n, seq

LINES = ["text", "  indented", "\ttabbed", "", " ", "a $x b", "${x}", "${x[0]}", "$x[0]", "${x['k']}", "$x::y", "${1 + 1}", "${[1, 2].map |$q| { \"<${q}>\" }}", "\\t\\n\\s\\r", "\\$x \\${x}", "\\\\", "\\u00e9 \\u{1F600}", "back\\", "| inside", "- dash", "'q' \"q\"", "<%= 1 %>", "é", "${h.dig('a')}", "${facts['os']['name'].downcase}",
         "$", "$$", "${", "{a: 1}", "a: [1, 2]", "\\q\\z", "@(X)", "\"${x}\"", "${if true { 'y' } else { 'n' }}", "${h['a']['b']}", "%{x}", "${'in ${x}'}", "trailing  ", "END x", "${x ? { Integer => 'int', default => 'other' }}", "${h.keys.sort.join('-')}", "$facts", "${$x}", "${-1}", "${x.type}"]
FLAGS = ["", "", "", "/", "/L", "/n", "/t", "/$", "/s", "/r", "/u", "/tn", "/L$", "/tnsruL$", "/q", "/tt"]
INNER = ["x", "x[0]", "h['a']", "h[a]", "h['a']['b']", "h.a", "x.size", "h.dig('a', 'b')", "$x", "$h['a']", "facts['os']['name']", "facts['list'][0].upcase", "::kernel", "x + 1", "x == 1", "[x, 1]", "[$x, 1]", "{a => $x}", "'lit'", "\"in ${x}\"", "\"in $x ${h['a']}\"", "if $x { 1 } else { 2 }", "x ? { 1 => 'one', default => 'other' }", "[1, 2].map |$i| { $i * 2 }",
         "with($x) |$y| { \"<${y}>\" }", "Sensitive($x)", "Sensitive('s').unwrap", "undef", "true", "default", "Integer[1, 2]", "File['/a']", "/re/", "Deferred('upcase', ['a'])", "Timespan(61)", "SemVer('1.2.3')", "Binary('YQ==')", "1.0e10", "-5", "!x", "!$x", "h.map |$k, $v| { \"${k}=${v}\" }.join(',')", "lookup('k')", "case $x { 1: { 'a' } default: { 'b' } }", "unless $x { 'n' }",
         "x.then |$q| { $q }", "nope", "nope['a']", "nope.size", "String($x, '%5s')", "sprintf('%03d', $x)", "regsubst('abc', 'b', '[\\0]')", "$x.String", "notice('n')", "x =~ Integer", "1 in [1]", "x and h", "[]", "{}", "''", "type", "class", "node", "import", "h['zz']", "h['zz']['y']", "[[1, [2]], {a => [b]}]", "*[1, 2]", "$facts['networking']['interfaces']['eth0']", "URI('http://a/b')", "h.keys[0]", "h[a, l]", "x[0, 1]", "'abc'[1, -1]"]


class Strings:
    """A mixin of Generator."""

    def string_code(self, depth=2):
        rng = self.rng
        maker = rng.choice([self.heredocs, self.heredocs, self.double_quoted, self.double_quoted, self.escaped_string])
        head = ["$x = " + rng.choice(["1", "'str'", "[1, 2]", "undef", "{'k' => 'v'}", "Sensitive('s')", "1.5", "Integer"]), "$h = {'a' => {'b' => 1}, 'l' => [1, 'two', undef]}"]
        return n("code", seq([*[n("statement", text) for text in head], n("statement", maker())], "\n"))

    def escaped_string(self):
        """An escape sequence."""
        rng = self.rng
        pieces = ["a", "\\\\", "\\'", "\\\"", "\\n", "\\t", "\\s", "\\r", "\\$", "$", "\\u0041", "\\u{41}", "\\u{10FFFF}", "\\u12", "\\u{}", "\\u{110000}", "\\x41", "\\0", "\\e", " ", "\n", "\\\n", "é", "{", "}", "#", "%", "$x", "${x}", "\\${x}", "'", "\\\\\\", "$1", "$x-y", "$h.a", "$_", "$-", "$x'", "$X", "$::x", "$::", "$x::", "${::x}", "$x_y", "$é"]
        quote = rng.choice(['"', '"', '"', "'"])
        return n("expr", quote, seq([piece for piece in rng.choices(pieces, k=rng.randint(1, 5)) if quote == '"' or piece != "'"], ""), quote)

    def double_quoted(self):
        rng = self.rng
        parts = []
        for _ in range(rng.randint(1, 4)):
            parts.append(rng.choice(["a", " ", "-", "\\n", "[0]", ".x", "{}", ":", "é", "$"]) if rng.random() < 0.35 else n("part", "${", n("inner", rng.choice(["", "", "", " ", "\n"]), rng.choice(INNER), rng.choice(["", "", "", " "])), "}"))
        text = n("expr", '"', seq(parts, ""), '"')
        return text if rng.random() < 0.75 else n("expr", "[", text, ", ", self.escaped_string(), "]")

    def heredoc_parts(self):
        """The start and the lines of a heredoc."""
        rng = self.rng
        tag = rng.choice(["X", "END", "a b", "EOT-1", "é", "x.y", "L"])
        quoted = rng.random() < 0.6
        flags = rng.choice(FLAGS)
        syntax = rng.choice(["", "", "", "", "", ":txt", ":json", ":json", ":yaml", ":epp", ":pp"])
        gap = rng.choice(["", "", "", " "])
        head = f'@({gap}"{tag}"{gap}{syntax}{flags})' if quoted else f"@({gap}{tag}{gap}{syntax}{flags})"
        indent = rng.choice(["", "", "  ", "    ", "\t"])
        lines = [indent + rng.choice(LINES) + "\n" for _ in range(rng.choice([0, 1, 1, 2, 3, 4]))]
        if syntax == ":json" and rng.random() < 0.7:
            lines = [indent + rng.choice(['{"a": 1}', '["x", ${x}]', "[1,", '{"a": "${x}"}', "nope", '"text"']) + "\n"]
        margin = rng.choice(["", indent, indent + "| ", indent + "|", indent + "|- ", indent + "|-", indent + "- ", indent + "  | ", "|", "| "])
        return head, n("lines", seq(lines, ""), margin + tag + rng.choice(["", "", "", " ", "\n"]) + "\n")

    def heredocs(self):
        rng = self.rng
        docs = [self.heredoc_parts() for _ in range(rng.choice([1, 1, 1, 1, 2, 2, 3]))]
        heads = [head + rng.choice(["", "", "", ".upcase", ".size", ".split(\"\\n\")", "[0]", ".strip"]) for head, _ in docs]
        first = heads[0] if len(heads) == 1 else rng.choice(["[{}]", "[{},]", "join([{}], '|')", "{{a => {}}}"]).format(", ".join(heads) if rng.random() < 0.9 else " + ".join(heads)) if len(heads) > 1 else ""
        if len(heads) > 1 and first.startswith("{a"):
            first = "{" + ", ".join(f"k{at} => {head}" for at, head in enumerate(heads)) + "}"
        tail = rng.choice(["", "", "", " # comment", " ", "; 1", " == 'x'", ".notice"])
        wrap = rng.choice(["{}", "{}", "{}", "notice({})", "$r = {}", "if true {{ {} }}" if False else "{}", "[1, 2].map |$i| {{ {}"])
        code = wrap.format(first) + tail + "\n"
        return n("expr", code, *[lines for _, lines in docs], rng.choice(["", "", "'after'"]) if "{ " not in wrap[-6:] and not wrap.startswith("[1, 2]") else "}")

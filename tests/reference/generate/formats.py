"""Strings with their own grammar: formats, times, versions, templates, regular expressions."""

from .tree import n, seq

CONVERSIONS = "dxXobBeEfgGaAscpPqhtTyYniCu"
TIME_LETTERS = "YCymBbhdejHkIlPpMSLNzZsQAauwGgVUWcDFvxXrRTnt%E"
SPAN_LETTERS = "DHMSLN%sFjQ"
REGEX_PIECES = ["a", "b", "[a-c]", "[^b]", "\\d", "\\w", "\\s", "\\S", ".", "(a)", "(b|c)", "(?:x)", "(?<n>o)", "(?=b)", "(?!b)", "(?<=a)", "(?<!a)", "^", "$", "\\A", "\\z", "\\Z", "\\b", "\\B", "[[:alpha:]]", "[[:digit:]]", "[[:space:]]", "\\h", "\\H", "\\R",
                "\\.", "\\/", "(?i)", "(?i:A)", "(?m:.)", "(?x: a )", "\\p{Alpha}", "\\p{Lu}", "[\\w-]", "[a&&[^b]]", "\\u0061", "\\x61", "\\t", "\\n", "(?>a+)", "\\1", "\\k<n>", "[a", "(", ")", "*", "\\e", "[]", "\u00e9", "\\G", "\\K", "(?#c)", "\\N", "\\X", "#", " "]
QUANTIFIERS = ["", "", "", "*", "+", "?", "{2}", "{1,}", "{,2}", "{1,3}", "*?", "+?", "??", "++", "*+", "{1,2}?", "{x}"]
SUBJECTS = ["'abc'", "'aabbcc'", "'foo bar'", "\"a\\nb\\nc\"", "'A1b2'", "'x.y/z'", "''", "'2024-01-02'", "\"\u00c9t\u00e9 a\"", "'a,b;c'", "'key = value'", "' a  b '", "'oo'", "\"a\\tb\\r\\n\"", "'[x]'", "'\u00df\u01c4'"]


class Formats:
    """A mixin of Generator."""

    def directive(self):
        """One %-directive of sprintf and String.new."""
        rng = self.rng
        flags = "".join(rng.sample(["-", "+", " ", "0", "#", "<", "[", "{", "(", "|"], rng.choice([0, 0, 0, 1, 1, 2])))
        width = rng.choice(["", "", "", "1", "5", "10", "08", "3"])
        precision = rng.choice(["", "", "", ".0", ".2", ".5", "."])
        return "%" + flags + width + precision + rng.choice(CONVERSIONS)

    def make_directives(self, depth):
        """A value with a format that usually suits it."""
        rng = self.rng
        kind = rng.choice(["int", "int", "float", "float", "string", "bool", "undef", "default", "regexp", "type", "binary", "timespan", "timestamp", "semver", "uri", "sensitive", "object", "array", "hash", "any"])
        letters = {"int": "dxXobBpscaA", "float": "feEgGaAdxsp", "string": "scCtTpudq", "bool": "tTyYdxpsbo", "undef": "nuvVdxpsqb", "default": "dDsp", "regexp": "ps", "type": "pdsq", "array": "aps", "hash": "haps"}.get(kind, CONVERSIONS)
        flags = "".join(rng.sample(["-", "+", " ", "0", "#"], rng.choice([0, 0, 1, 1, 2])))
        format_ = "%" + flags + rng.choice(["", "", "4", "12"]) + rng.choice(["", "", ".1", ".3"]) + rng.choice(letters)
        if rng.random() < 0.2:
            format_ = self.directive()
        value = self.expr(kind, min(depth, 1))
        return n("expr", "String(", value, ", '", format_, "')")

    def format_map(self, depth=2):
        """A hash of formats by type, possibly nested."""
        rng = self.rng
        pairs = []
        for name in rng.sample(["Integer", "Float", "String", "Numeric", "Boolean", "Undef", "Default", "Regexp", "Array", "Hash", "Any", "Scalar", "Type", "Binary", "Timestamp", "Object", "Collection", "Sensitive", "Integer[0, 5]", "String[2]", "Enum[a, b]", "Array[Integer]", "Tuple", "Struct"], rng.randint(1, 4)):
            if name in ("Array", "Hash", "Any", "Collection", "Tuple", "Struct", "Array[Integer]") and depth > 0 and rng.random() < 0.8:
                options = []
                for option in rng.sample(["format", "separator", "separator2", "string_formats"], rng.randint(1, 3)):
                    if option == "format":
                        letter = {"Hash": "haps", "Struct": "hap"}.get(name, "aps")
                        options.append(n("pair", "format => '%", rng.choice(["", "#", "(", "[", "<", "{", "|", "# ", "#(", " ", "3", "#5"]), rng.choice(letter), "'"))
                    elif option == "string_formats":
                        options.append(n("pair", "string_formats => ", self.format_map(depth - 1)))
                    else:
                        options.append(n("pair", option, " => '", rng.choice([",", ";", " => ", "=", "", "\\n", " | "]), "'"))
                pairs.append(n("pair", name, " => {", seq(options), "}"))
            else:
                letters = {"Integer": "dxob", "Float": "feg", "String": "scup", "Boolean": "tyd", "Undef": "nuv", "Array": "a", "Hash": "h", "Regexp": "p", "Default": "dD", "Type": "p"}.get(name.split("[")[0], "sp")
                pairs.append(n("pair", name, " => '%", rng.choice(["", "", "#", "-6", "6", "+", "05"]), rng.choice(letters), "'"))
        return n("expr", "{", seq(pairs), "}")

    def format_map_code(self, depth):
        rng = self.rng
        return n("expr", "String(", self.expr(rng.choice(["array", "hash", "array", "hash", "any"]), 2), ", ", self.format_map(), ")")

    def pattern(self, letters, parsing=False):
        rng = self.rng
        out = []
        for _ in range(rng.randint(1, 4)):
            if rng.random() < 0.25:
                out.append(rng.choice([" ", "-", ":", "T", "x", "/", "."]))
            flags = rng.choice(["", "", "", "-", "0", "_", "^", "#", "-0", ":", "::", "E"]) if not parsing or rng.random() < 0.2 else ""
            out.append("%" + flags + rng.choice(["", "", "", "", "3", "10", "6"]) + rng.choice(letters))
        return "'" + "".join(out) + "'"

    def time_code(self, depth):
        """strftime, Timespan and Timestamp with formats."""
        rng = self.rng
        pick = rng.random()
        if pick < 0.3:
            zone = rng.choice(["", "", ", 'UTC'", ", '+02:00'", ", 'PST'", ", 'Europe/Stockholm'", ", '-0330'", ", 'EST'", ", 'CEST'", ", 'current'", ", 'Z'"])
            return n("expr", "strftime(", self.expr("timestamp", 1), ", ", self.pattern(TIME_LETTERS), zone, ")")
        if pick < 0.55:
            return n("expr", self.group(self.expr("timespan", 1)), ".strftime(", self.pattern(SPAN_LETTERS[:8]), ")")
        if pick < 0.75:
            text = rng.choice(["'1:02:03'", "'10'", "'3-04:05:06.789'", "'x'", "'12 34'", "'-5'", "'99:99'", "'1.5'", "' 7'", "'007'", "'5 days'", "'120'", "'1-2'", "'00.5'", "''"])
            form = rng.choice(["'%H:%M:%S'", "'%M'", "'%D-%H:%M:%S.%L'", "'%S'", "'%H %M'", "'%L'", "'%N'", "'%D days'", "'%S.%L'", "'%-H'", "'%3N'", "'%D-%H'", "['%H:%M', '%M', '%S']", "'%_H'", "'%%'", "default", "'%S.%-N'", "'%Q'", self.pattern("DHMSLN", True)])
            return n("expr", rng.choice(["Timespan(", "Timespan.new(", "Timespan['00:00:01', '9-00:00:00'].new("]), text, ", ", form, ")")
        text = rng.choice(["'2015-03-01'", "'2015-03-01 10:11:12'", "'2015-03-01T10:11:12.345'", "'10:11'", "'1500000000'", "'Mon, 02 Mar 2015'", "'2015-060'", "'15/3/2'", "'x'", "'2015-03-01 10:11:12 PM'", "'2015-03-01T10:11:12+0200'", "'2015-03-01 10:11:12 UTC'", "'2015-13-41'", "'1 Feb 2020'"])
        form = rng.choice(["'%F'", "'%F %T'", "'%Y-%m-%dT%H:%M:%S.%L'", "'%H:%M'", "'%s'", "'%a, %d %b %Y'", "'%Y-%j'", "'%y/%m/%d'", "['%F', '%s']", "default", "'%F %I:%M:%S %p'", "'%FT%T%z'", "'%F %T %Z'", "'%d %b %Y'"])
        zone = rng.choice(["", "", "", ", 'UTC'", ", '+02:00'", ", 'PST'", ", default", ", 'America/New_York'"])
        return n("expr", "Timestamp(", text, ", ", form, zone, ")")

    def version(self):
        rng = self.rng
        c = rng.choice
        parts = ".".join(c(["0", "1", "2", "3", "10", "x", "X", "*", "01"]) if rng.random() < 0.3 else c(["0", "1", "2", "3"]) for _ in range(c([1, 2, 3, 3, 3, 3, 4])))
        return c(["", "", "", "", "v", " "]) + parts + c(["", "", "", "-rc1", "-alpha.1", "-1", "+b1", "-a+b", "-01", "-", "-a.b.c"])

    def version_code(self, depth):
        rng = self.rng
        pick = rng.random()
        if pick < 0.2:
            return n("expr", "SemVer('", self.version(), "') ", rng.choice(["<", ">", "==", "<=", ">=", "!="]), " SemVer('", self.version(), "')")
        if pick < 0.35:
            return n("expr", "SemVer('", self.version(), "') =~ SemVer['", self.version_range(), "']")
        if pick < 0.55:
            return n("expr", "SemVer('", self.version(), "') ", rng.choice(["=~", "in"]), " SemVerRange('", self.version_range(), "')")
        if pick < 0.75:
            return n("expr", "SemVerRange('", self.version_range(), "')")
        if pick < 0.82:
            return n("expr", "versioncmp('", self.version(), "', '", self.version(), "'", rng.choice(["", "", ", true", ", false"]), ")")
        if pick < 0.9:
            return n("expr", "SemVer('", self.version(), "').", rng.choice(["major", "minor", "patch", "prerelease", "build", "to_s", "size", "inspect"]))
        return n("expr", "SemVer['", self.version_range(), "'] ", rng.choice(["<", "==", "<="]), " SemVer['", self.version_range(), "']")

    def version_range(self):
        rng = self.rng
        single = lambda: rng.choice(["", "", "=", ">", "<", ">=", "<=", "~", "^", "~>", "> "]) + self.version()
        pick = rng.random()
        if pick < 0.4:
            return single()
        if pick < 0.6:
            return single() + " " + single()
        if pick < 0.75:
            return single() + rng.choice([" || ", "||"]) + single()
        if pick < 0.9:
            return self.version() + " - " + self.version()
        return rng.choice(["*", "x", "", "1.x.2", ">=", "a", "||", "1.2.3.4", ">1.0.0 - 2.0.0"])

    def regexp_source(self):
        rng = self.rng
        return "".join(piece + (rng.choice(QUANTIFIERS) if piece[-1:] not in "^$" and piece not in ("\\A", "\\z", "\\Z", "\\b", "\\B", "\\G", "\\K", "(?i)") else "") for piece in rng.choices(REGEX_PIECES, k=rng.randint(1, 4)))

    def regexp_code(self, depth):
        rng = self.rng
        text = self.regexp_source()
        literal = "/" + text + "/"
        if rng.random() < 0.15:
            literal = "'" + text.replace("\\", "\\\\").replace("'", "") + "'"
        elif rng.random() < 0.1:
            literal = "Regexp[" + literal + "]"
        subject = rng.choice(SUBJECTS)
        pick = rng.random()
        if pick < 0.25:
            return n("expr", "if ", subject, " =~ ", literal, " { [$0, $1, $2] } else { no }")
        if pick < 0.45:
            return n("expr", "regsubst(", subject, ", ", literal, ", ", rng.choice(["'<\\0>'", "'\\1'", "'\\2-\\1'", "'\\k<n>'", "'x'", "'\\\\\\0'", "'\\9'", "\"\\\\&\"", "'\\`|\\''", "{'a' => '1', 'b' => '2'}"]), rng.choice(["", ", 'G'", ", 'G'", ", 'I'", ", 'GM'", ", 'E'", ", 'GEI'"]), rng.choice(["", "", "", "", ", 'U'", ", 'N'"]), ")")
        if pick < 0.6:
            return n("expr", subject, ".match(", literal, ")")
        if pick < 0.75:
            return n("expr", subject, ".split(", literal, ")")
        if pick < 0.85:
            return n("expr", subject, " ? { ", literal, " => \"${0}:${1}\", default => 'none' }")
        if pick < 0.92:
            return n("expr", "[", subject, ", ", rng.choice(SUBJECTS), "].filter |$x| { $x =~ ", literal, " }")
        return n("expr", subject, " =~ Pattern[", literal, "]")

    def binary_code(self, depth):
        rng = self.rng
        text = rng.choice(["'YWJj'", "'YQ=='", "'YQ'", "'a b'", "'////'", "'____'", "'-_-_'", "\"YWJj\\n\"", "''", "'\u00e9'", "'abc'", "'YWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXphYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5eg=='", "'*'", "[1, 2, 3]", "[256]", "[-1]", "[]", "'\\u00e9'"])
        form = rng.choice(["", "", ", '%b'", ", '%B'", ", '%u'", ", '%s'", ", '%r'", ", '%x'", ", default"])
        value = n("expr", "Binary(", text, form, ")")
        pick = rng.random()
        if pick < 0.4:
            return value
        if pick < 0.7:
            return n("expr", "String(", value, ", '", rng.choice(["%b", "%B", "%u", "%s", "%p", "%t", "%T", "%#s", "%10t|", "%-80B|", "%#p", "%x", "%3b"]), "')")
        if pick < 0.85:
            return n("expr", value, rng.choice([".length", ".size", ".empty", ".type", ".Array", ".unwrap", " == Binary('YWJj')", " == 'abc'", " =~ Binary", " + Binary('YQ==')", " in ['a']"]))
        return n("expr", rng.choice(["md5", "String", "[", "Array", "Sensitive", "String.new", "type"]), "(", value, ")")

    def template(self, depth=2):
        """inline_epp of a string with tags."""
        rng = self.rng
        parameters = rng.sample(["x", "y", "z"], rng.randint(0, 2)) if rng.random() < 0.6 else None
        lines = []
        before = len(self.variables)
        if parameters is not None:
            items = [rng.choice(["", "Integer ", "String ", "Optional[Any] "]) + "$" + name + rng.choice(["", " = 1", " = 'd'", " = $facts"]) for name in parameters]
            lines.append(rng.choice(["<%-", "<%-", "<%"]) + " | " + ", ".join(items) + " | " + rng.choice(["-%>", "%>"]))
            self.variables.extend((name, "any") for name in parameters)
        parts = [*lines]
        for _ in range(rng.randint(0, 4)):
            pick = rng.random()
            if pick < 0.25:
                parts.append(rng.choice(["text\n", " ", "a <%% b", " %%> ", "<%# comment %>", "<%#- c -%>\n", "\n", "  \n", "$x ${x}\n", "'\"\n", "-%>", "<%= 1 -%>\n", "<%- 1 %>"]))
            elif pick < 0.6:
                parts.append(n("part", "<%=", rng.choice([" ", "", "\n"]), self.expr("any", 1), rng.choice([" %>", " -%>", " -%>\n", " %>\n"])))
            elif pick < 0.75:
                parts.append(n("part", rng.choice(["<%", "  <%-"]), " [1, 2].each |$q| { ", rng.choice(["%>", "-%>\n"]), rng.choice(["v ", "v<%= $q %>", "<%= $q -%>\n"]), rng.choice(["<% } %>", "  <%- } -%>\n"])))
            elif pick < 0.9:
                parts.append(n("part", "<% if ", self.expr("bool", 1), " { ", rng.choice(["%>", "-%>\n"]), "yes", rng.choice(["<% } else { %>no<% } %>", "<% } -%>\n"])))
            else:
                parts.append(n("part", "<% ", n("statement", "$", self.fresh(), " = ", self.expr("any", 1)), " %>"))
        del self.variables[before:]
        body = seq(parts, "")
        quoted = n("expr", "@(EPP)\n", body, "\n| EPP\n") if rng.random() < 0.75 and "'" in body.text() else n("expr", "'", n("raw", body.text().replace("\\", "\\\\").replace("'", "\\'")), "'")
        arguments = [quoted]
        if parameters is not None and rng.random() < 0.75 or rng.random() < 0.1:
            given = [name for name in (parameters or []) if rng.random() < 0.85] + (["w"] if rng.random() < 0.06 else [])
            arguments.append(n("expr", "{", seq([n("pair", name, " => ", self.expr("any", 1)) for name in given]), "}"))
        heredoc = quoted.text().startswith("@(")
        if heredoc:
            head = "@(EPP)" + (", " + arguments[1].text() if len(arguments) > 1 else "") + ")\n"
            return n("expr", "inline_epp(", head, body, "\n| EPP\n")
        return n("expr", "inline_epp(", seq(arguments), ")")

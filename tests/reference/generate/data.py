"""Data of sites: hierarchies, YAML in all its forms, interpolations, options of lookups; and lookups of that data."""

import json

from .tree import n, seq

SCALARS = ["a", "b c", "1", "0", "-1", "+1", "0x1F", "0o17", "017", "08", "09.5", "1_000", "1,000", "1.5", ".5", "5.", "1e3", "1.0e+3", "1.5e-2", "-.inf", ".NaN", ".inf", "+.INF", "~", "null", "Null", "NULL", "true", "True", "TRUE", "yes", "Yes", "NO", "no", "on", "Off", "y", "n", "Y",
           "2020-01-01", "2020-1-1", "2020-13-01", "2020-01-01 10:00:00", "2020-01-01T10:00:00Z", "2020-01-01 10:00:00.5 +02:00", "2001-12-14t21:59:43.10-05:00", "12:30", "12:30:45", "190:20:30", "1:2", "12:30:45.5", ":sym", ":'sym bol'", ':"q"', "a:b", "a: b", "a #c", "a#b", "a:", "'it''s'", "''", '""',
           '"a\\tb\\u00e9\\x41"', "'a\\n'", '"a\\\\nb\\/"', '"\\e\\0"', "!!str 1", '!!int "1"', "!!str", "!ruby/sym a", "!ruby/regexp /a/", "!!binary YWJj", "!foo bar", "!!float 1", '!!null ""', "!!bool yes", "&x 1", "*x", "<<", "=", "@a", "`a`", "%a", "?", "-", "- a", "0b11", "0b12", "0.1.2", "1.2.3", "1e", "e1", "1__0", "_1", "0x", "-0", "+.5", "-1_0.5", "0.0",
           "é", "'%{facts.os.name}'", '"%{lookup(\'k\')}"', "99999999999999999999", "-99999999999999999999", "0xFFFFFFFFFFFFFFFFFF", "1e400", "Infinity", "NaN", "nil", "[", "{", "]", "a, b", "'a'b", '"a', "http://a/b:80", "10.0.0.1", "::1", "a::b", "0644", "'0644'", "u+x", "!a", "! a", "|", ">", "*", "&", "#", "'#'", "1 # one", "tab\there", "trailing  ",
           "--- x", "...", "undef", "default", "Integer", "$x", "\\d", '"\\d"', "a\\", "1 000", "12e03", "-2E+05", "1.e5", "0e0", "1_000.5", "1._5", "00", "0_7", "-017", "+017", "1_", "685_230.15", "190:20:30.15", "=x", "<<x", "1.2e", "0x1_F", "~a", "null a", "true b"]
USUAL = ["a", "b c", "1", "true", "~", "1.5", "2020", "'q'", '"d"', "0644", "x-y", "yes", "8080", "http://a/b:80", "-1", "1.2.3", "ab", "no", "'%{facts.os.name}'", "%{facts.os.name}"]
KEYS = ["a", "b", "c", "'q r'", '"d"', "1", "1.5", "true", "~", "null", ":s", "e.f", "m::x", "yes", "2020-01-01", "é", "'1'", "a b", "''", "? g", "'%{facts.kernel}'", "<<", "0x1F", "x y: z"]
LINES = [["text"], ["text", "more"], ["text", "", "more"], ["text", "  deeper", "back"], ["", "text", ""], ["- a", "b: c"], ["text # no comment"], ["ends with \\"], ["  first deeper", "then"], ["a\tb"], ["'quoted'"], ["%{facts.os.name} x"]]


class Yaml:
    """YAML in the styles that people and programs write."""

    def __init__(self, rng):
        self.rng = rng
        self.anchors = []
        self.count = 0

    def chance(self, chance):
        return self.rng.random() < chance

    def scalar(self):
        return self.rng.choice(SCALARS if self.chance(0.3) else USUAL)

    def flow(self, depth):
        rng = self.rng
        pick = rng.random()
        if depth <= 0 or pick < 0.4:
            return rng.choice([one for one in (self.scalar(), self.scalar(), "x") if not one.startswith(("-", "[", "{", "?", "|", ">", "...", "#"))])
        items = [self.flow(depth - 1) for _ in range(rng.randint(0, 3))]
        if pick < 0.7:
            if self.chance(0.1):
                items.append("p: 1")
            return "[" + rng.choice([", ", ",", " , ", ",\n    "]).join(items) + rng.choice(["", "", "", ",", " "]) + "]"
        pairs = [f"{self.key()}{rng.choice([': ', ': ', ': ', ':'])}{item}" for item in items]
        if self.chance(0.08):
            pairs.append("bare")
        return "{" + rng.choice([", ", ",\n    "]).join(pairs) + rng.choice(["", "", "", ","]) + "}"

    def key(self):
        return self.rng.choice(KEYS) if self.chance(0.4) else self.rng.choice("abcdef")

    def node(self, indent, depth):
        """The value after a key or a dash: the rest of the line and further lines."""
        rng = self.rng
        mark = ""
        if self.chance(0.06):
            self.count += 1
            name = f"r{self.count}"
            # An alias inside its own anchor would be endless.
            text = self.plain_node(f" &{name}", indent, depth)
            self.anchors.append(name)
            return text
        elif self.anchors and self.chance(0.12):
            return f" *{rng.choice(self.anchors)}\n"
        elif self.chance(0.03):
            mark = " " + rng.choice(["!!map", "!!seq", "!x", "!!set", "!!omap", "!ruby/hash:Foo", "!ruby/object:Foo", "!!python/tuple"])
        return self.plain_node(mark, indent, depth)

    def plain_node(self, mark, indent, depth):
        rng = self.rng
        pick = rng.random()
        if depth <= 0 or pick < 0.45:
            return f"{mark} {self.scalar()}" + rng.choice(["", "", "", " # note", "  "]) + "\n"
        if pick < 0.57:
            return f"{mark} {self.flow(2)}\n"
        if pick < 0.67:
            lines = rng.choice(LINES)
            head = rng.choice("|>") + rng.choice(["", "", "-", "+", "2", "-2", "2-", " # note"])
            pad = " " * (indent + 2)
            return f"{mark} {head}\n" + "".join((pad + line if line else "") + "\n" for line in lines) + rng.choice(["", "", "\n", "\n\n"])
        if pick < 0.71:
            pad = " " * (indent + 2)
            return f"{mark} " + rng.choice([f"plain text\n{pad}goes on\n", f"'quoted\n{pad}text\n\n{pad}more'\n", f"\"double \\\n{pad}joined\n{pad}text\"\n", f"\n{pad}on the next line\n"])
        if pick < 0.86:
            return f"{mark}\n" + self.mapping(indent + rng.choice([2, 2, 2, 4]), depth - 1)
        return f"{mark}\n" + self.sequence(indent + rng.choice([0, 2, 2]), depth - 1)

    def mapping(self, indent, depth):
        rng = self.rng
        out = []
        for _ in range(rng.choice([1, 1, 2, 3])):
            pad = " " * indent
            if self.anchors and self.chance(0.12):
                names = [f"*{rng.choice(self.anchors)}" for _ in range(rng.choice([1, 1, 2]))]
                out.append(f"{pad}<<: " + (names[0] if len(names) == 1 else "[" + ", ".join(names) + "]") + "\n")
                continue
            if self.chance(0.05):
                out.append(rng.choice([f"{pad}# a comment\n", "\n", "# at the start\n"]))
            key = self.key()
            out.append(f"{pad}{key}" + (":" if not key.startswith("? ") else f"\n{pad}:") + self.node(indent, depth))
        return "".join(out)

    def sequence(self, indent, depth):
        rng = self.rng
        pad = " " * indent
        out = []
        for _ in range(rng.choice([1, 2, 2, 3])):
            if self.chance(0.15):
                inner = self.mapping(indent + 2, depth - 1)
                out.append(f"{pad}- {inner.lstrip(' ')}")
            elif self.chance(0.06):
                out.append(f"{pad}- - {self.scalar()}\n{pad}  - {self.scalar()}\n")
            else:
                out.append(f"{pad}-" + self.node(indent, depth - 1))
        return "".join(out)

    def document(self, keys):
        """A hash with these keys."""
        rng = self.rng
        parts = [rng.choice(["", "", "---\n", "--- \n", "# head\n---\n", "%YAML 1.1\n---\n", "\n"])]
        for key in keys:
            parts.append(f"{key}:" + self.node(0, 3))
        text = "".join(parts) + rng.choice(["", "", "", "...\n", "---\nsecond: 1\n", "# end"])
        if self.chance(0.04):
            text = text.replace("\n", "\r\n")
        if self.chance(0.02):
            text = "\ufeff" + text
        if self.chance(0.03):
            text = rng.choice(["", "# nothing\n", "- a\n- b\n", "just text\n", "1\n", "---\n", "~\n", "{}\n", "a: 1\na: 2\n", "a: [\n", "\ta: 1\n", "a: 1\n b: 2\n", "a:\n\t- 1\n"])
        return text


# Strings in data; those with % are interpolated.
REACH = ["%{facts.os.name}", "%{::kernel}", "%{kernel}", "%{facts.os.family}-%{facts.nope}", "%{lookup('leaf')}", "%{lookup('far.x')}", "%{lookup('far.l.0')}", "%{alias('far')}", "%{alias('leaf')}", "%{hiera('leaf')}", "%{literal('%')}{x}", "%{scope('facts.os.name')}", "%{trusted.certname}", "%{}", "%{::}", "%{''}", "%{nope}", "%{lookup('nokey')}",
         "x %{alias('leaf')}", "%{ lookup( 'leaf' ) }", "%{lookup(\"leaf\")}", "%{lookup('own')}", "%{facts.list.0}", "%{facts.list}", "%{facts.memory}", "%{facts.is_virtual}", "%{server_facts.serverversion}", "%{module_name}", "%{environment}", "%{calling_module}", "%{nosuch('x')}", "%{lookup('leaf'}", "%{facts.'os'.name}", "%{facts.os.'name'}", "%%{x}", "%{a b}",
         "%{lookup('num')}", "%{alias('num')}", "a\\tb", "%{facts['os']['name']}", "%{lookup('m::own')}", "%{alias('m::own')}", "%{settings::strict}", "%{lookup('sec')}", "%{literal('%{x}')}", "%{networking.ip}", "%{1}", "%{facts.os.name}%{facts.os.family}"]
VALUES = ["text", 1, True, None, 1.5, [], {}, ["a", "b"], {"a": 1, "b": {"c": [1, 2]}}, [1, [2, {"d": 3}]], "", [None], {"x": None}, ["a", "a", "c"], {"--a": 1, "l": ["--b", "c"]}, ["--a", "b"]]
MERGES = ["first", "unique", "hash", "deep", {"strategy": "deep", "knockout_prefix": "--"}, {"strategy": "deep", "sort_merged_arrays": True}, {"strategy": "deep", "merge_hash_arrays": True}, {"strategy": "first"}, {"strategy": "unique"}, {"strategy": "nosuch"}, "reverse_deep", {"strategy": "reverse_deep"}, {"nosuch": 1}, "nosuch", {"strategy": "hash"}]
CONVERT = ["String", "Integer", "Sensitive", "Array", ["Array", True], ["Integer", 16], "Nosuch", "Boolean", "Float", ["String", "%p"], "Hash", "Optional[Integer]", "Enum[a]", "Tuple[String]", "Timestamp", "SemVer"]
NAMES = ["own", "leaf", "far", "num", "sec", "list", "hash", "m::own", "m::x", "m::y", "a.b"]


class Data:
    """A mixin of Generator."""

    def in_data(self, depth=2):
        """A value in JSON's terms."""
        rng = self.rng
        pick = rng.random()
        if pick < 0.45:
            return rng.choice(REACH)
        if pick < 0.75 or depth == 0:
            return rng.choice(VALUES)
        if pick < 0.87:
            return [self.in_data(depth - 1) for _ in range(rng.randint(1, 3))]
        return {rng.choice(["a", "b", "x", "l", "%{facts.kernel}", "--a", "%{nope}"]): self.in_data(depth - 1) for _ in range(rng.randint(1, 3))}

    def level(self, prefix=""):
        """The data of one level."""
        rng = self.rng
        data = {prefix + name if prefix and "::" not in name else name: self.in_data() for name in rng.sample(NAMES, rng.randint(1, 6))}
        if rng.random() < 0.35:
            options = {}
            for _ in range(rng.randint(1, 3)):
                one = {}
                if rng.random() < 0.7:
                    one["merge"] = rng.choice(MERGES)
                if rng.random() < 0.4:
                    one["convert_to"] = rng.choice(CONVERT)
                if rng.random() < 0.04:
                    one["nosuch"] = 1
                options[rng.choice([*NAMES, "^m::.*", "^l.*t$", "^own$", "^", "^(", "nothing"])] = one if rng.random() < 0.96 else rng.choice(["deep", None, []])
            data["lookup_options"] = options if rng.random() < 0.97 else rng.choice(["x", [], None])
        return data

    def hierarchy(self, files, folder):
        """Levels of one `hiera.yaml`; writes their data."""
        rng = self.rng
        levels = []
        for at in range(rng.choice([1, 2, 2, 3])):
            level = {"name": f"level {at}"}
            of_json = rng.random() < 0.25
            name = f"d{at}." + ("json" if of_json else "yaml")
            place = rng.choice([
                {"path": name}, {"path": name}, {"paths": ["none.yaml", name]}, {"path": "%{facts.os.family}/" + name}, {"glob": f"d{at}*"}, {"globs": ["none/*", f"d{at}.*"]}, {"path": "%{trusted.certname}-" + name}, {"mapped_paths": ["facts.list", "i", "%{i}-" + name]}, {"mapped_paths": ["facts.os", "i", "%{i.name}" + name]},
                {"path": "%{nope}/" + name}, {}, {"path": name, "paths": [name]}, {"uri": "http://a"}, {"mapped_paths": ["facts.kernel", "i", "%{i}" + name]}, {"path": "%{::fqdn}" + name}] if rng.random() < 0.7 else [{"path": name}])
            level.update(place)
            path = next(iter(place.values()), name) if place else name
            path = path[-1] if isinstance(path, list) else path
            path = path.replace("%{facts.os.family}", "Debian").replace("%{trusted.certname}", "web1.example.com").replace("%{i.name}", "").replace("%{i}", "a" if "facts.list" in str(place) else "Linux").replace("%{nope}", "").replace("%{::fqdn}", "web1.example.com").replace("*", ".json" if of_json else ".yaml").replace("..", ".")
            datadir = rng.choice(["data", "data", "data", "more", "%{environment}"]) if rng.random() < 0.2 else None
            if datadir:
                level["datadir"] = datadir
            if of_json or rng.random() < 0.2:
                level["data_hash"] = "json_data" if of_json else "yaml_data"
            if rng.random() < 0.03:
                level.update(rng.choice([{"nosuch": 1}, {"data_hash": "nosuch"}, {"options": {"path": "x"}}, {"lookup_key": "nosuch"}, {"name": "level 0"}, {"options": {"a": 1}}, {"data_dig": "nosuch"}]))
            data = self.level("m::" if folder else "")
            files[f"{folder}{(datadir or 'data').replace('%{environment}', 'production')}/{path.lstrip('/')}"] = json.dumps(data, indent=1, ensure_ascii=False)
            levels.append(level)
        config = {"version": 5, "hierarchy": levels}
        if rng.random() < 0.8:
            config["defaults"] = {"datadir": "data", "data_hash": "yaml_data"}
        if folder and rng.random() < 0.3:
            config["default_hierarchy"] = [{"name": "default", "path": "default.yaml"}]
            files[f"{folder}data/default.yaml"] = json.dumps(self.level("m::"), indent=1)
        if rng.random() < 0.03:
            config.update(rng.choice([{"version": 4}, {"hierarchy": "x"}, {"nosuch": 1}, {"hierarchy": [{"path": "x"}]}, {"defaults": {"data_hash": "json_data", "lookup_key": "x"}}, {"version": "5"}, {"hierarchy": []}, {"default_hierarchy": []}]))
        files[f"{folder}hiera.yaml"] = json.dumps(config, indent=1)

    def question(self):
        rng = self.rng
        key = rng.choice([*NAMES, *NAMES, "far.x", "far.l.0", "hash.a", "hash.b.c.0", "list.0", "'a.b'", '"a.b"', "list.nope", "hash.a.b", "nokey", "own.0", "lookup_options", "'a.b'.c", "list.-1", "hash.", ".a", "a..b"])
        name = n("expr", "'" + key + "'" if "'" not in key else f'"{key}"')
        pick = rng.random()
        if pick < 0.3:
            return n("expr", "lookup(", name, ")")
        if pick < 0.5:
            return n("expr", "lookup(", name, ", undef, undef, 'dflt')")
        if pick < 0.8:
            merge = rng.choice([one for one in MERGES if isinstance(one, str)])
            return n("expr", "lookup(", name, rng.choice([", Any", ", Array", ", Hash", ", undef", ", String", ", Optional[Integer]"]), f", '{merge}')")
        if pick < 0.9:
            return n("expr", "lookup({name => ", name, ", ", rng.choice(["merge => unique", "merge => {strategy => deep, knockout_prefix => '--'}", "default_value => 1", "value_type => Array", "default_values_hash => {'nokey' => 5, 'own' => {'z' => 1}}", "override => {'own' => 'o', 'far' => {'x' => 'f'}}", "merge => hash"]), "})")
        if pick < 0.95:
            return n("expr", rng.choice(["hiera", "hiera_array", "hiera_hash"]), "(", name, rng.choice(["", ", 'd'"]), ")")
        return n("expr", "lookup([", name, ", 'far'])")

    def data_site(self):
        """(code of the main manifest, files by path)."""
        rng = self.rng
        files = {}
        if rng.random() < 0.5:
            keys = rng.sample(["v", "w", "x"], rng.choice([1, 1, 2]))
            files["data/site.yaml"] = Yaml(rng).document(keys)
            code = n("expr", f"lookup('{keys[0]}'", rng.choice([")", ")", ")", ", undef, undef, 'dflt')", ", Hash, deep)"]), "")
            if rng.random() < 0.3:
                code = n("expr", f"notice(lookup('{keys[0]}'))")
            return n("code", seq([n("statement", code)], "\n"), "\n"), files
        self.hierarchy(files, "")
        if rng.random() < 0.5:
            files["modules/m/metadata.json"] = json.dumps({"name": "x-m", "version": "1.0.0", "author": "x", "license": "x", "summary": "x", "source": "x", "dependencies": []})
            self.hierarchy(files, "modules/m/")
            files["modules/m/manifests/init.pp"] = "class m($own = 'none', Any $x = undef, $y = lookup('m::own', undef, undef, 'nothing')) { notice([$own, $x, $y]) }\n"
        statements = [n("statement", "notice(", self.question(), ")") for _ in range(rng.randint(1, 3))]
        if "modules/m/manifests/init.pp" in files and rng.random() < 0.6:
            statements.append(n("statement", "include m"))
        return n("code", seq(statements, "\n"), "\n"), files

    def with_files(self):
        code, files = self.data_site()
        parts = [n("file", f"##file: {path}\n", text, "" if text.endswith("\n") else "\n") for path, text in files.items()]
        return n("code", code, seq(parts, ""))

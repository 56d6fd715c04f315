"""Sites that mostly compile: modules with several manifests, classes, defined types, collectors, data, a classifier.

A site is one string: the main manifest, then further files, each after a line `##file: PATH`. The generator records what it declares,
so that most references, overrides, collectors and relationships name existing resources. A few sites contain a mistake on purpose.
"""

import json
import re

from .site_resources import SiteResources
from .site_statements import Body, SiteStatements
from .site_words import KINDS, capital
from .snippets import SITES, STATEMENTS
from .tree import n, seq

MARK = re.compile(r"^##file: (\S+)\n", re.M)


def split_files(site):
    """Splits a site into type_name main manifest and type_name other files."""
    parts = MARK.split(site)
    return parts[0], dict(zip(parts[1::2], parts[2::2]))


class Definition:
    """A class or a defined type."""

    def __init__(self, kind, name):
        self.kind = kind
        self.name = name
        self.parameters = []  # (name, kind of value, whether it is required)
        self.variables = []
        self.resources = []  # resources that its body declares: of a define (type, (prefix, suffix) of the title, whether virtual), of a class as in Body
        self.parent = None
        # How it is declared: include, contain, require, like (resource-like), enc, data (by lookup), inner (by another class), never, define.
        self.declared = "never"


class SiteGenerator(SiteResources, SiteStatements):
    """Generates one site."""

    def __init__(self, generator):
        self.generator = generator
        self.rng = generator.rng
        self.count = 0
        self.resources = []  # (type, title) of the resources in the catalog
        self.virtual_resources = []
        self.open_references = []  # references whose resource is chosen when all resources are declared
        self.classes = []
        self.defines = []
        self.functions = []
        self.files = {}
        self.data = {}
        self.depth = 0
        self.query_body = None
        self.has_site_snippet = False  # whether the main manifest has definitions that are not allowed in a node block
        self.inner_classes = []  # classes to be declared inside another class or define
        self.bodies = []
        self.owners = []
        self.stdlib = self.rng.random() < 0.25
        self.mistakes = 1 if self.rng.random() < 0.16 else 0

    # Definitions

    def parameters(self, definition, body):
        rng = self.rng
        items = []
        for name in rng.sample(["x", "y", "z", "mode", "opts", "first"], rng.choice([0, 1, 1, 2, 2, 3, 4])):
            kind = rng.choices(list(KINDS), [6, 3, 3, 3, 2, 3, 1, 1, 1, 1])[0]
            type_ = rng.choice(KINDS[kind][0])
            needed = self.chance(0.3)
            default = ""
            if type_ == "M::Ensure" and "modules/m/types/ensure.pp" not in self.files:
                type_ = "String"
            if not needed:
                if definition.kind == "class" and definition.parent and definition.parent.variables and self.chance(0.5):
                    fits = [one for one, type_name in definition.parent.variables if type_name == kind]
                    default = n("expr", f"${definition.parent.name}::{rng.choice(fits)}") if fits else self.value(kind, body)
                else:
                    default = self.value(kind, body)
                default = n("tail", " = ", default)
            if definition.kind == "class" and needed and definition.declared != "like":
                # The value is in the data.
                self.data[f"{definition.name}::{name}"] = {"string": "data", "number": 11, "flag": True, "list": ["d", "e"], "hash": {"h": 1}, "choice": "absent"}.get(kind)
                if self.data[f"{definition.name}::{name}"] is None:
                    del self.data[f"{definition.name}::{name}"]
                    default = n("tail", " = ", self.value(kind, body))
                    needed = False
            definition.parameters.append((name, kind, needed and definition.declared in ("like", "define")))
            items.append(n("member", type_, " " if type_ else "", f"${name}", default))
            body.variables.append((name, kind))
        if not items and self.chance(0.6):
            return ""
        return n("head", "(", seq(items), ")")

    def class_(self, definition):
        body = Body("class", definition, None, definition.declared != "never")
        inherits = ""
        if definition.parent:
            inherits = f" inherits {definition.parent.name}"
        head = self.parameters(definition, body)
        for name, kind in definition.parent.variables if definition.parent else []:
            body.variables.append((name, kind))
        statements = [self.statement(body) for _ in range(self.rng.choice([0, 1, 2, 2, 3, 4, 6]))]
        if definition.parent:
            for type_name, code, names in definition.parent.resources:
                if self.chance(0.4):
                    attributes, _ = self.attributes(type_name, body, 2, True)
                    statements.append(n("statement", f"{capital(type_name)}[{code}] {{ ", attributes, " }"))
        for name, kind in body.variables:
            if (name, kind) not in definition.variables:
                definition.variables.append((name, kind))
        definition.resources = list(body.resources)
        if body.live and definition.declared != "inner":
            self.resources.append(("class", definition.name))
        self.bodies.append(seq(statements, "\n  "))
        self.owners.append(definition)
        return n("statement", f"class {definition.name}", head, inherits, " {\n  ", self.bodies[-1], "\n}")

    def define(self, definition):
        body = Body("define", definition, self.rng.choice(["${title}", "${name}", "$title"]), True)
        head = self.parameters(definition, body)
        statements = [self.statement(body) for _ in range(self.rng.choice([0, 1, 2, 2, 3]))]
        self.bodies.append(seq(statements, "\n  "))
        self.owners.append(None)
        return n("statement", f"define {definition.name}", head, " {\n  ", self.bodies[-1], "\n}")

    def function(self, name):
        body = Body("function", None, "${t}", False)
        body.variables = [("t", "string")]
        kind = self.rng.choice(["plain", "resource"])
        statements = [n("statement", "notify { $t: }")] if kind == "resource" else []
        if self.chance(0.4):
            statements.insert(0, self.statement(body))
        if self.chance(0.6) or not statements:
            statements.append(n("statement", self.rng.choice(["return($t)", "$t", "if true { return(1) }", "[$t, 1]", '"<${t}>"', "undef", "$t.upcase"])))
        self.functions.append((name, kind))
        return n("statement", f"function {name}(", self.rng.choice(["$t", "String $t", "$t, $u = 1"]), ") {\n  ", seq(statements, "\n  "), "\n}")

    # The site

    def mistake(self, body):
        rng = self.rng
        number = self.unique()
        type_name = self.choose_type()
        title = f"'bad{number}'"
        existing = self.rng.choice(self.resources or [("notify", "none")])
        duplicate = f"{existing[0]} {{ '{existing[1]}': }}"
        reference = f"{capital(existing[0])}['{existing[1]}']"
        statements = [
            duplicate, duplicate, f"@{duplicate}", f"notify {{ {title}: require => File['/none'] }}", "realize(Notify['none'])", f"File['/none'] -> {reference}", "File['/none'] { mode => '0600' }", f"{reference} {{ nosuch => 1 }}", f"{reference} {{ message => 'over', mode => 'over', ensure => over }}",
            f"{type_name} {{ {title}: nosuch => 1 }}", f"nosuch {{ {title}: }}", "include nosuch", "nosuch()", f"notify {{ {title}: message => 1, message => 2 }}", f"notify {{ {title}: message +> 1 }}", "notify { '': }", "notify { undef: }", "notify { 1: }", "notify { []: }", "notify { ['a', 1]: }", "notify { {}: }",
            "fail('stop here')", "Class <| |>", "node default { }", "$title = 1", "tag('A B')", "tag('')", "File { mode => '1' }\nFile { mode => '2' }", "Class { x => 1 }", f"package {{ {title}: name => 'same', provider => apt }}\npackage {{ 'other{number}': name => 'same' }}",
            f"file {{ '/tmp/bad{number}': path => '/tmp/same{number}' }}\nfile {{ '/tmp/same{number}': }}", f"notify {{ {title}: alias => 'n1' }}\nnotify {{ 'other{number}': alias => 'n1' }}", f"notify {{ {title}: stage => main }}", f"{reference}['nosuch']", "notice(File['/none']['mode'])", "notify { 'x': * => 1 }",
            "create_resources('nosuch', {a => {}})", "create_resources('class', {nosuch => {}})", "create_resources('file', {a => 1})", "create_resources('file', {'/tmp/q' => {'nosuch' => 1}})", "1 -> 2", f"{reference} -> 'Notify[none]'", f"{reference} -> undef", f"{reference} -> $nope", "Integer -> Notify['a']",
            f"notify {{ {title}: before => 'Notify[none]' }}", f"notify {{ {title}: before => 1 }}", f"notify {{ {title}: require => undef }}", f"notify {{ {title}: require => [undef] }}", f"notify {{ {title}: noop => 'x', loglevel => bad }}", f"notify {{ {title}: tag => 1 }}", f"notify {{ {title}: tag => 'A B' }}",
            "lookup('nokey')", "$v1 = 1\n$v1 = 2", f"contain {existing[1]}" if existing[0] == "class" else "contain nosuch", f"class {{ '{existing[1]}': }}" if existing[0] == "class" else "class { 'nosuch': }", "class { ['a', 'b']: }", "User <| groups == ['a', 'b'] |>", "User <| groups == $nope |>", "Notify <| message == File['/x'] or message == Sensitive |>", "Notify <| title == 'a', title == 'b' |>", "Notify <| !(title == a) |>", "Notify <| title =~ /a/ |>", "require('')", "include []", "include undef", "include Class", "include Notify['x']", "file { 'relative': }", "file { '/a//b/': }\nfile { '/a//b': }", "exec { ['a', 'a']: }",
            f"define late{number}($x) {{ }}\nlate{number} {{ {title}: }}", f"define late{number}(Integer $x) {{ }}\nlate{number} {{ {title}: x => 'text' }}", f"define late{number}() {{ fail('inside') }}\nlate{number} {{ {title}: }}", f"define late{number}() {{ notify {{ 'same': }} }}\nlate{number} {{ ['s1', 's2']: }}", f"class late{number}($x) {{ }}\ninclude late{number}", f"class late{number}(Enum[a] $x = b) {{ }}\ninclude late{number}",
            f"class late{number} inherits nosuch {{ }}\ninclude late{number}", f"class late{number} inherits late{number} {{ }}\ninclude late{number}", f"Notify <| title == 'n1' |> {{ nosuch => 1 }}", "Nosuch <| |>", "notify { 'd1': message => 1; 'd1': message => 2 }", f"@notify {{ {title}: }}\nrealize(Notify[{title}], 'Notify[none]')", "realize(1)", "realize([])", "realize(undef)", "realize(Notify)", "realize('Notify[none]')", "realize(Class['nosuch'])",
            f"define late{number}(Resource[Late{number}] $x, Runtime['ruby'] $z) {{ }}\nlate{number} {{ {title}: x => Notify['a'] }}", f"Notify[{title}] {{ message => 1 }}\nnotify {{ {title}: message => 2 }}", f"notify {{ {title}: message => 2 }}\nNotify[{title}] {{ message => 1 }}", f"notify {{ {title}: }}\nNotify[{title}] {{ message => 1, message => 2 }}", "'a' { message => 1 }", "$nope['a']['b']", "assert_type(String, 1)", "Foo[1]", "node 'a' inherits b { }",
        ]
        return n("statement", rng.choice(statements))

    def site(self):
        rng = self.rng
        self.stages = []
        if self.chance(0.3):
            self.files["modules/m/types/ensure.pp"] = n("code", "type M::Ensure = Enum['present', 'absent']\n")
        if self.chance(0.25):
            self.files["modules/m/templates/t.epp"] = n("code", rng.choice(["<%- |$a = 2| -%>\na <%= $a %>\n", "a <%= $facts['kernel'] %> <% [1, 2].each |$e| { -%>\n<%= $e %>\n<% } -%>\n"]))
        if rng.random() < 0.3:
            # If the module has type_name own data file, type_name parameters are looked up there.
            self.files["modules/m/hiera.yaml"] = n("code", "version: 5\nhierarchy: [{name: c, path: c.yaml}]\ndefaults: {datadir: data, data_hash: yaml_data}\n")
            self.files["modules/m/data/c.yaml"] = n("code", "m::x: from module\nm::list: [mod]\nlookup_options:\n  m::list: {merge: unique}\n")
        main = Body("main")
        parts = []
        if self.chance(0.12):
            self.stages = ["'pre'"]
            parts.append(n("statement", "stage { 'pre': before => Stage['main'] }"))
        definitions = []
        for name in rng.sample(["m::f", "m::g", "plain_f"], rng.choice([0, 0, 1, 1, 2])):
            definitions.append((name, self.function(name)))
        for name in rng.sample(["d", "e", "m::d", "m::sub::e"], rng.choice([0, 1, 1, 2, 3])):
            one = Definition("define", name)
            one.declared = "define"
            tree = self.define(one)
            self.defines.append(one)
            definitions.append((name, tree))
        for name in rng.sample(["m", "a", "m::x", "m::params", "base", "m::sub::y"], rng.choice([0, 1, 2, 2, 3, 4])):
            one = Definition("class", name)
            one.declared = rng.choice(["include", "include", "include", "contain", "require", "like", "like", "enc", "never", "inner", "inner", "data"])
            parents = [other for other in self.classes if other.declared in ("include", "contain", "require", "never") and other.name != name]
            if parents and self.chance(0.4):
                one.parent = rng.choice(parents)
            if one.declared == "inner" and one.parent is not None:
                one.declared = "include"
            if one.declared == "enc" and one.parent is not None and one.parent.declared == "never":
                one.declared = "include"
            tree = self.class_(one)
            self.classes.append(one)
            if one.declared == "inner":
                self.inner_classes.append(one)
            definitions.append((name, tree))
        statements = [self.statement(main) for _ in range(rng.randint(1, 9))]
        for one in self.classes:
            if one.declared in ("include", "contain", "require", "like"):
                statements.insert(rng.randint(0, len(statements)) if self.chance(0.5) else 0, self.class_declaration(one, main))
        for one in self.inner_classes:
            statements.insert(rng.randint(0, len(statements)), n("statement", "include ", one.name))
            self.resources.append(("class", one.name))
        by_data = [one.name for one in self.classes if one.declared == "data"]
        if by_data:
            self.data["classes"] = by_data
            text = rng.choice(["include lookup('classes')", "lookup('classes', Array[String], 'unique').include", "hiera_include('classes')", "contain(lookup('classes'))", "lookup({name => 'classes', merge => unique, default_value => []}).each |$c| { include $c }", "hiera_array('classes').include"])
            statements.insert(rng.randint(0, len(statements)), n("statement", text))
        once = [body for body, one in zip(self.bodies, self.owners) if one is not None and one.declared not in ("never", "inner")]
        for _ in range(rng.choice([0, 0, 0, 0, 1, 1, 2, 3])):
            where = rng.choice(once).parts if once and self.chance(0.3) else statements
            where.insert(rng.randint(0, len(where)), self.snippet(STATEMENTS))
        for _ in range(rng.choice([0, 0, 0, 0, 0, 1, 1, 2])):
            self.has_site_snippet = True
            statements.insert(rng.randint(0, len(statements)), self.snippet(SITES))
        self.bodies.append(seq(statements, "\n"))
        if self.mistakes:
            where = rng.choice(self.bodies) if self.chance(0.5) else self.bodies[-1]
            where.parts.insert(rng.randint(0, len(where.parts)), self.mistake(main))
            statements = self.bodies[-1].parts
        self.resolve_references()
        return self.assemble(parts, definitions, statements)

    def snippet(self, snippets):
        lines = self.rng.choice(snippets).replace("§", str(self.unique()))
        return n("statement", lines)

    def assemble(self, parts, definitions, statements):
        rng = self.rng
        here = []
        for name, tree in definitions:
            segments = name.split("::")
            if segments[0] == "m" and self.chance(0.6):
                folder = "functions" if tree.parts[0].startswith("function") else "manifests"
                file = "/".join(segments[1:] or ["init"])
                self.files[f"modules/m/{folder}/{file}.pp"] = tree
            else:
                here.append(tree)
        if self.chance(0.12) and not self.has_site_snippet:
            name = rng.choice(["default", "/^web\\d/", "'web1.example.com'", "web1.example.com"])
            statements = [n("statement", f"node {name} {{\n", seq(statements, "\n"), "\n}")]
            if self.chance(0.3):
                statements.append(n("statement", "node 'other' { notify { 'not here': } }"))
        pick = self.weighted_index(3, 1, 1)
        body = here + parts + statements if pick == 0 else parts + statements + here
        if pick == 2:
            rng.shuffle(here)
            body = parts + here + statements
        enc = [one for one in self.classes if one.declared == "enc"]
        if enc or self.chance(0.05):
            classes = {one.name: {name: {"string": "enc", "number": 3, "flag": False, "list": ["enc"], "hash": {}, "choice": "present"}[kind] for name, kind, _ in one.parameters if kind in ("string", "number", "flag", "choice") and self.chance(0.4)} for one in enc}
            listed = classes if any(classes.values()) or self.chance(0.4) else list(classes)
            self.files["enc.json"] = n("code", json.dumps({"classes": listed, "parameters": {"from_enc": "p", "role": ["r"]}}), "\n")
        if self.data:
            data = {"lookup_options": {"^m::.*list": {"merge": "unique"}, **({next(iter(self.data)): {"merge": rng.choice(["first", "unique", "deep"]) if isinstance(next(iter(self.data.values())), list) else "first"}} if self.chance(0.3) else {})}, **self.data}
            self.files["data/site.yaml"] = n("code", json.dumps(data, indent=1), "\n")
        files = [n("file", f"##file: {path}\n", tree, "" if tree.text().endswith("\n") else "\n") for path, tree in self.files.items()]
        return n("code", seq(body, "\n"), "\n", seq(files, ""))

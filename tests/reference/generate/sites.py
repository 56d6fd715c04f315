"""Sites that mostly compile: modules with several manifests, classes, defined types, collectors, data, a classifier.

A site is one text: the main manifest, then further files, each after a line `##file: PATH`. What is declared is remembered,
so that references, overrides, collectors and relationships find something; a few mistakes are mixed in on purpose.
"""

import json
import re

from .snippets import SITES, STATEMENTS
from .tree import Node, n, seq

MARK = re.compile(r"^##file: (\S+)\n", re.M)


def split_files(text):
    """Splits a site into its main manifest and its other files."""
    parts = MARK.split(text)
    return parts[0], dict(zip(parts[1::2], parts[2::2]))


# Kinds of values: types that accept them, the values.
KINDS = {
    "text": (["String", "String", "String[1]", "Optional[String]", "Any", "Data", "Variant[String, Integer]", "NotUndef", "Scalar", "", ""], ["'v'", "'w x'", "bare", '"t1"', "'0644'", "'present'", "upcase('v')", "$facts['os']['name']", "lookup('k')", "$facts['kernel'] ? { 'Linux' => 'lin', default => 'other' }", "if true { 'yes' } else { 'no' }", "['p', 'q'].join('-')", '"${1 + 1}"', "$trusted['certname']", "'é\\'s'", "inline_epp('<%= 1 + 1 %>')"]),
    "number": (["Integer", "Numeric", "Integer[0]", "Any", "Optional[Integer]", "Variant[String, Integer]", ""], ["1", "7", "42", "0", "2 * 3", "size([1, 2])", "Integer('5')"]),
    "flag": (["Boolean", "Optional[Boolean]", "Any", ""], ["true", "false", "1 == 1", "!false"]),
    "list": (["Array", "Array[String]", "Collection", "Any", "Iterable", ""], ["['a', 'b']", "['c']", "[]", "['a', 'b'].map |$e| { \"${e}!\" }", "['z'] + ['y']", "lookup('uniq')"]),
    "hash": (["Hash", "Hash[String, Any]", "Any", "Optional[Hash]", ""], ["{'mode' => '0600'}", "{}", "{'a' => 1, 'b' => [2]}", "{'k' => {'l' => undef}}", "lookup('hash')", "lookup('hash', Hash, 'deep')"]),
    "choice": (["Enum['present', 'absent']", "String", "Pattern[/^(pre|ab)/]", "Optional[Enum['present', 'absent']]", "M::Ensure"], ["present", "'absent'", "'present'"]),
    "secret": (["Sensitive", "Sensitive[String]", "Any", "Variant[Sensitive, String]", ""], ["Sensitive('pw')", "Sensitive(\"a${1}\")", "lookup('sens')"]),
    "late": (["Any", "Variant[Deferred, String]", "Deferred", ""], ["Deferred('upcase', ['x'])", "Deferred('join', [['a', 'b'], '-'])"]),
    "odd": (["Any", "RichData", ""], ["undef", "1.5", "/re/", "default", "Integer[1]", "Timespan(5)", "['a', undef]", "{1 => 2}", "SemVer('1.2.3')", "[Sensitive('in')]", "{'d' => Deferred('downcase', ['X'])}", "Timestamp('2020-01-01')", "Binary('YQ==')", "[[1], {a => b}]", "''", "URI('http://a/b')"]),
    "ref": (["Type", "Any", "Type[CatalogEntry]", "Variant[Type, Array]", ""], []),
}
MODE = ["'0644'", "'u+x'", "'755'", "'0600'", "$facts['kernel'] ? { 'Linux' => '0640', default => undef }"]
# Attributes: a kind of value or a list of values. Required attributes come first and are always set.
TYPES = {
    "notify": {"message": ["$any", "$any", "$any", "'m'", "'hello'"], "withpath": "flag", "name": ["$unique"]},
    "file": {"ensure": ["file", "present", "directory", "absent", "link", "'/target'"], "mode": MODE, "owner": ["root", "'u1'", "0", "$unique"], "group": ["'root'", "undef"], "content": ["$any", "\"c\"", "$secret", "'x'"], "source": ["'puppet:///modules/m/x'", "['/a', '/b']"], "recurse": ["true", "remote"], "backup": ["false", "main"], "target": ["'/t'"], "force": "flag", "path": ["$path"], "purge": "flag", "ignore": ["['*.a', '.b']"], "validate_cmd": ["'/bin/true %'"], "seltype": ["undef"]},
    "exec": {"command": ["'/bin/true'", "['/bin/true', '-x']", "\"/bin/echo ${facts['kernel']}\""], "path": ["'/bin:/usr/bin'", "['/bin', '/usr/bin']"], "creates": ["'/x'"], "refreshonly": "flag", "unless": ["'/bin/false'", "['a', 'b']"], "environment": ["['A=1', 'B=2']"], "returns": ["[0, 2]"], "timeout": "number", "tries": "number"},
    "service": {"ensure": ["running", "stopped", "true"], "enable": "flag", "name": ["$unique"], "provider": ["systemd"], "hasstatus": "flag"},
    "package": {"ensure": ["present", "latest", "'1.2'", "absent"], "name": ["$unique"], "provider": ["apt", "gem", "undef"], "install_options": ["['-x', {'-y' => 'z'}]"]},
    "user": {"ensure": ["present"], "uid": ["1000", "'1001'"], "groups": ["['a', 'b']", "'a'"], "home": ["'/home/x'"], "name": ["$unique"], "gid": ["'users'"], "password": ["$secret"], "membership": ["minimum"]},
    "group": {"ensure": ["present"], "gid": ["0", "'5'"], "name": ["$unique"], "system": "flag"},
    "cron": {"command": ["'/bin/true'"], "user": ["root", "'u'"], "hour": ["[2, 4]", "'*/2'"], "minute": "number", "special": ["absent", "'daily'"], "target": ["'t'"]},
    "host": {"ip": ["'10.0.0.1'"], "host_aliases": ["['a', 'b']"], "comment": "text", "name": ["$unique"]},
    "mount": {"device": ["'/dev/sda1'"], "fstype": ["ext4"], "ensure": ["mounted"], "options": ["'ro'"], "atboot": ["true"]},
    "ssh_authorized_key": {"user": ["root"], "type": ["'ssh-rsa'"], "key": ["'AAA'"], "options": ["['a', 'b']"]},
    "schedule": {"period": ["daily", "hourly"], "range": ["'2 - 4'"], "repeat": "number"},
    "tidy": {"age": ["'1w'"], "recurse": "flag", "matches": ["'*.x'"]},
    "filebucket": {"path": ["false", "'/b'"], "server": ["undef"]},
    "resources": {"purge": "flag"},
}
WEIGHTS = {"notify": 10, "file": 8, "exec": 3, "service": 3, "package": 3, "user": 2, "group": 2, "cron": 1, "host": 1, "mount": 1, "ssh_authorized_key": 1, "schedule": 1, "tidy": 1, "filebucket": 1, "resources": 0.3}
PATHS = {"file", "tidy", "mount"}
EDGES = ["require", "before", "notify", "subscribe"]
ARROWS = [" -> ", " -> ", " ~> ", " <- ", " <~ "]
WORDS = ["a", "b", "x", "A b", "it::s", "k-1", "Up", "é", "a.b", "x/y", "1", "a[b]"]
TAGS = ["one", "two", "t1", "m", "a::b", "x"]


def capital(its):
    return "::".join(part.capitalize() for part in its.split("::"))


class Definition:
    """A class or a defined type."""

    def __init__(self, kind, name):
        self.kind = kind
        self.name = name
        self.parameters = []  # (name, kind of value, needed)
        self.variables = []
        self.inner = []  # resources its body declares: (type, text behind the title, attributes set)
        self.parent = None
        self.declared = "never"


class Body:
    """A body that contains statements."""

    def __init__(self, kind, owner=None, stem=None, live=True):
        self.kind = kind
        self.owner = owner
        self.stem = stem  # what titles begin with, so that they differ between instances
        self.live = live
        self.variables = []  # (name, kind of value)
        self.local = []  # (type, title as code, attributes set)
        self.assigned = set()


class Maker:
    """Generates one site."""

    def __init__(self, generator):
        self.generator = generator
        self.rng = generator.rng
        self.count = 0
        self.made = []  # (type, title) of what will be in the catalog
        self.virtual = []
        self.late = []  # references that are filled in when everything is known
        self.classes = []
        self.defines = []
        self.functions = []
        self.files = {}
        self.data = {}
        self.depth = 0
        self.querying = None
        self.flat = False  # whether what is defined keeps the main manifest out of a node block
        self.waiting = []  # classes that another class or define is to declare first
        self.bodies = []
        self.owners = []
        self.by_data = []
        self.stdlib = self.rng.random() < 0.25
        self.mistakes = 1 if self.rng.random() < 0.16 else 0

    # Names and titles

    def unique(self):
        self.count += 1
        return self.count

    def some(self, *chances):
        """A random index, weighted by chances."""
        return self.rng.choices(range(len(chances)), chances)[0]

    def often(self, chance):
        return self.rng.random() < chance

    def title(self, its, body):
        """(title as code, title as text or what stands behind the stem)."""
        number = self.unique()
        word = self.rng.choice(WORDS) if self.often(0.15) else self.rng.choice("nfrs")
        if body.stem:
            tail = f"-{number}"
            head = "/tmp/" if its in PATHS else ""
            return f'"{head}{body.stem}{tail}"', (head, tail)
        if its in PATHS:
            text = f"/tmp/{word.replace(' ', '_').replace('/', '_')}{number}" + ("/" if self.often(0.08) else "")
        elif its == "ssh_authorized_key" and self.often(0.3):
            text = f"k{number}@h"
        else:
            text = f"{word}{number}"
        if re.fullmatch(r"[a-z]\w*", text) and self.often(0.2):
            return text, text
        if "'" not in text and self.often(0.1):
            return f'"{text}"', text
        return f"'{text}'", text

    def register(self, its, text, body, virtual=False):
        """Registers a resource with the resources inside."""
        if isinstance(text, tuple):
            if body.live and body.owner is not None and body.kind == "define":
                body.owner.inner.append((its, text, virtual))
            return
        if not body.live:
            return
        self.instance(its, text, virtual, 0)

    def instance(self, its, text, virtual, depth):
        if virtual and depth:
            # It exists only when the resource that declares it is realized.
            return
        (self.virtual if virtual else self.made).append((its, text))
        define = next((one for one in self.defines if one.name == its), None)
        if define is None or depth > 4:
            return
        for inner, (head, tail), inner_virtual in define.inner:
            self.instance(inner, f"{head}{text}{tail}", virtual or inner_virtual, depth + 1)

    # References

    def reference(self):
        """A reference to a resource that is chosen at the end."""
        node = Node("ref", ["Notify['none']"])
        self.late.append((node, None))
        return node

    def reference_of(self, its):
        node = Node("ref", [f"{capital(its)}['none']"])
        self.late.append((node, its))
        return node

    def settle(self):
        rng = self.rng
        for node, its in self.late:
            known = [one for one in self.made if its is None or one[0] == its] or self.made or [("stage", "main")]
            if any("'" in title for _, title in known):
                known = [one for one in known if "'" not in one[1]] or [("stage", "main")]
            its, title = rng.choice(known)
            if self.often(0.02):
                node.parts = [f"'{capital(its)}[{title}]'" if "'" not in title else f"Resource[{capital(its)}, \"{title}\"]"]
            elif its != "class" and self.often(0.03):
                node.parts = [self.rng.choice([f"Resource['{its}', \"{title}\"]", f"Resource[{capital(its)}][\"{title}\"]", f"Resource['{capital(its)}']['{title}']" if "'" not in title else f"{capital(its)}[\"{title}\"]"])]
            elif its == "class":
                node.parts = [rng.choice([f"Class['{title}']", f"Class[{title}]", f"Class['::{title}']" if self.often(0.2) else f"Class['{title}']"])]
            elif its in PATHS and self.often(0.05):
                node.parts = [f"{capital(its)}['{title.rstrip('/')}/']"]
            else:
                node.parts = [f"{capital(its)}['{title}']"]
                if self.often(0.04) and len(known) > 1:
                    more = [one for one in known if one[0] == its]
                    node.parts = [f"{capital(its)}['{title}', '{rng.choice(more)[1]}']"]

    def references(self, body):
        rng = self.rng
        pick = self.some(10, 3, 1, 0.5, 0.5, 3 if body.local else 0)
        if pick == 0:
            return n("expr", self.reference())
        if pick == 5:
            its, code, _ = rng.choice(body.local)
            return n("expr", f"{capital(its)}[{code}]")
        if pick == 1:
            return n("expr", "[", seq([self.reference() for _ in range(rng.randint(1, 3))]), "]")
        if pick == 2:
            return n("expr", "[[", self.reference(), "], ", self.reference(), "]")
        if pick == 3:
            return n("expr", "[", self.reference(), "].map |$r| { $r }")
        return n("expr", "[]")

    # Values

    def value(self, kind, body):
        rng = self.rng
        if kind == "any":
            kind = rng.choices(["text", "number", "flag", "list", "hash", "odd", "secret", "late", "ref"], [8, 2, 2, 2, 1, 2, 1, 1, 1])[0]
        if kind == "ref":
            return n("expr", self.reference())
        fitting = [name for name, its in body.variables if its == kind]
        if fitting and self.often(0.5):
            name = rng.choice(fitting)
            return n("expr", f'"${{{name}}} x"' if kind == "text" and self.often(0.4) else f"${name}")
        if kind == "text" and body.kind in ("class", "define") and self.often(0.25):
            return n("expr", rng.choice(["$title", "$name", '"${title}/${name}"', "$module_name", '"m ${module_name}"', "$caller_module_name"]))
        return n("expr", rng.choice(KINDS[kind][1]))

    def attribute_value(self, its, name, body):
        rng = self.rng
        if name in EDGES:
            return self.references(body)
        define = next((one for one in self.defines if one.name == its), None)
        if define is not None:
            kind = next((kind for parameter, kind, _ in define.parameters if parameter == name), "text")
            return self.value(kind, body)
        given = TYPES.get(its, {}).get(name, "text")
        if isinstance(given, str):
            return self.value(given, body)
        text = rng.choice(given)
        if text == "$any":
            return self.value("any", body)
        if text == "$secret":
            return self.value("secret", body)
        if text == "$unique":
            return n("expr", f"'real{self.unique()}'" if not body.stem else f'"{body.stem}-real{self.unique()}"')
        if text == "$path":
            return n("expr", f"'/p/{self.unique()}'" if not body.stem else f'"/p/{body.stem}-{self.unique()}"')
        return n("expr", text)

    def meta(self, body):
        rng = self.rng
        return rng.choice([
            ("tag", rng.choice(["'t1'", "['t1', 'two']", "one", "'m::x'"])), ("noop", rng.choice(["true", "false"])), ("loglevel", rng.choice(["debug", "'warning'"])), ("schedule", rng.choice(["daily", "'weekly'", "undef"])), ("audit", rng.choice(["all", "['mode', 'owner']"])),
            ("alias", f"'al{self.unique()}'" if not body.stem else f'"{body.stem}-al{self.unique()}"'), ("tag", "undef")])

    def names(self, its):
        define = next((one for one in self.defines if one.name == its), None)
        if define is not None:
            return [name for name, _, _ in define.parameters], [name for name, _, needed in define.parameters if needed]
        return list(TYPES.get(its, {})), []

    def attributes(self, its, body, most=3, override=False, only=None):
        """(attributes, names)."""
        rng = self.rng
        known, needed = self.names(its)
        if override:
            known = [name for name in known if name not in ("name", "path")]
            needed = []
        chosen = list(needed)
        for name in rng.sample(known, min(len(known), rng.randint(0, most))):
            if name not in chosen and (name not in ("name", "path") or self.often(0.3)) and (only is None or name in only):
                chosen.append(name)
        if self.often(0.22):
            chosen.append(rng.choice(EDGES))
        rng.shuffle(chosen)
        items = []
        splat = []
        for name in chosen:
            value = self.attribute_value(its, name, body)
            operator = " => "
            if override and (name in EDGES or name in ("groups", "source", "environment", "tag")) and self.often(0.5):
                operator = " +> "
            if not override and self.often(0.06):
                splat.append(n("pair", f"'{name}'", " => ", value))
                continue
            items.append(n("attribute", name, operator, value))
        if self.often(0.15):
            name, text = self.meta(body)
            if not (override and name == "alias"):
                items.append(n("attribute", name, " +> " if override and name == "tag" and self.often(0.6) else " => ", n("expr", text)))
                chosen.append(name)
        if splat:
            items.insert(rng.randint(0, len(items)), n("attribute", "* => {", seq(splat), "}"))
        elif self.often(0.03) and not override:
            hashes = [name for name, kind in body.variables if kind == "splat"]
            items.append(n("attribute", "* => ", f"${rng.choice(hashes)}" if hashes else "{}"))
        return seq(items), chosen

    # Resources

    def chosen_type(self, plain=False):
        rng = self.rng
        usable = [one.name for one in self.defines if one.name not in self.blocked]
        if usable and not plain and self.often(0.35):
            return rng.choice(usable)
        return rng.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]

    def resource(self, body, mark=None):
        rng = self.rng
        its = self.chosen_type()
        if mark is None:
            mark = rng.choice([""] * 9 + ["@", "@", "@@"])
        bodies = []
        attributes_before, default_names = None, []
        if self.often(0.08):
            attributes_before, default_names = self.attributes(its, body, 2)
        count = rng.choice([1, 1, 1, 1, 2, 2, 3])
        for _ in range(count):
            codes, texts = zip(*[self.title(its, body) for _ in range(rng.choice([1, 1, 1, 1, 1, 2, 3]))])
            attributes, names = self.attributes(its, body)
            if len(codes) > 1 and any(name in names for name in ("name", "path", "alias")):
                codes, texts = codes[:1], texts[:1]
            code = codes[0] if len(codes) == 1 and self.often(0.9) else n("expr", "[", seq(list(codes)), "]")
            bodies.append(n("body", code, ": ", attributes))
            for one, text in zip(codes, texts):
                self.register(its, text, body, bool(mark))
                if not mark:
                    body.local.append((its, one, set(names) | set(default_names)))
        if attributes_before is not None:
            at = rng.randint(0, len(bodies))
            if any(name in ("name", "path", "alias") for name in default_names):
                attributes_before = seq([])
            bodies.insert(at, n("body", "default: ", attributes_before))
        head = its
        if self.often(0.05):
            head = rng.choice([f"Resource['{its}']", capital(its), f"Resource[{capital(its)}]" if "::" not in its else capital(its)])
        return n("statement", mark, head, " { ", seq(bodies, "; "), " }")

    def collector(self, body, its=None):
        rng = self.rng
        its = its or (rng.choice(self.virtual)[0] if self.virtual and self.often(0.5) else self.chosen_type())
        left, right = ("<|", "|>") if self.often(0.85) else ("<<|", "|>>")
        self.querying = body
        query = self.query(its, 2) if self.often(0.75) else ""
        override = ""
        self.querying = body
        if self.often(0.35):
            attributes, _ = self.attributes(its, body, 2, True)
            override = n("tail", " { ", attributes, " }")
        return n("statement", capital(its), f" {left} ", query, f" {right}", override)

    def query(self, its, depth):
        rng = self.rng
        if depth > 0 and self.often(0.35):
            left, right = self.query(its, depth - 1), self.query(its, depth - 1)
            parts = [left, rng.choice([" and ", " or "]), right]
            return n("query", "(", *parts, ")") if self.often(0.6) else n("query", *parts)
        known = [name for name in self.names(its)[0] if name != "unless"]
        name = rng.choice(["title", "title", "tag", "tag", *known[:6], "noop", "require", "name"])
        if name == "title" and self.querying.local and self.often(0.3):
            return n("query", "title == ", rng.choice(self.querying.local)[1])
        if name == "title":
            titles = [title for one, title in self.made + self.virtual if one == its] or ["none"]
            return n("query", name, rng.choice([" == ", " == ", " != "]), f"'{rng.choice(titles)}'")
        if name == "tag":
            return n("query", name, rng.choice([" == ", " == ", " != "]), rng.choice([f"'{tag}'" for tag in TAGS] + ["one", its if "::" not in its else f"'{its}'", "'a'"]))
        value = rng.choice(["'v'", "present", "'0644'", "1", "true", "undef", "'m'", "7", "'a'", "false", "'7'", "''", "1.0", "\"v\"", "root"])
        if name == "require":
            value = self.reference()
        texts = [one for one, kind in self.querying.variables if kind in ("text", "number", "flag", "choice")]
        if texts and self.often(0.15):
            value = rng.choice([f"${rng.choice(texts)}", f'"${{{rng.choice(texts)}}}"'])
        given = TYPES.get(its, {}).get(name)
        if isinstance(given, list) and self.often(0.6):
            texts = [text for text in given if re.fullmatch(r"'[^']*'|\w+|\d+", text)]
            value = rng.choice(texts or [value])
        return n("query", name, rng.choice([" == ", " == ", " == ", " != "]), value)

    def override(self, body):
        """Attributes for a resource of this body."""
        rng = self.rng
        pool = [one for one in body.local if one[0] not in ("resources",)]
        if not pool:
            return self.resource(body)
        its, code, names = rng.choice(pool)
        known, _ = self.names(its)
        fresh = [name for name in known if name not in names]
        attributes, more = self.attributes(its, body, 2, True, fresh)
        if any(name in names for name in more):
            return self.resource(body)
        names.update(more)
        return n("statement", f"{capital(its)}[{code}] {{ ", attributes, " }")

    def operand(self, body):
        rng = self.rng
        pick = self.some(8, 2, 3, 2, 1, 0.5)
        if pick == 0:
            return n("operand", self.reference())
        if pick == 1:
            return n("operand", "[", seq([self.reference() for _ in range(rng.randint(1, 3))]), "]")
        if pick == 2:
            return n("operand", self.resource(body, ""))
        if pick == 3:
            return n("operand", self.collector(body))
        if pick == 4:
            classes = [one for one in self.classes if one.declared in ("include", "contain")]
            if classes:
                return n("operand", f"Class['{rng.choice(classes).name}']")
            return n("operand", self.reference())
        return n("operand", rng.choice(["[]", "[[], []]"]))

    def relation(self, body):
        parts = [self.operand(body)]
        for _ in range(self.rng.choice([1, 1, 1, 2, 3])):
            parts += [self.rng.choice(ARROWS), self.operand(body)]
        return n("statement", *parts)

    def default(self, body):
        its = self.chosen_type()
        known, _ = self.names(its)
        fresh = [name for name in known if (its, name) not in body.assigned and name not in ("name", "path")]
        if not fresh or (its, "") in body.assigned:
            return self.resource(body)
        name = self.rng.choice(fresh)
        body.assigned.add((its, ""))
        items = [n("attribute", name, " => ", self.attribute_value(its, name, body))]
        if self.often(0.4):
            name, text = self.meta(body)
            if name != "alias":
                items.append(n("attribute", name, " => ", n("expr", text)))
        if self.often(0.3):
            items.append(n("attribute", self.rng.choice(EDGES), " => ", self.references(body)))
        return n("statement", capital(its), " { ", seq(items), " }")

    def realize(self, body):
        rng = self.rng
        if not self.virtual:
            return self.resource(body, "@")
        found = [f"{capital(its)}['{title}']" for its, title in rng.sample(self.virtual, min(len(self.virtual), rng.randint(1, 3)))]
        if self.often(0.3):
            found = [n("expr", "[", seq(found), "]")]
        # Resources of classes that are declared later are resolved at the end.
        return n("statement", "realize(", seq(found), ")")

    def create(self, body):
        rng = self.rng
        its = self.chosen_type()
        mark = rng.choice(["", "", "", "@", "@@"])
        pairs = []
        for _ in range(rng.choice([0, 1, 1, 2])):
            code, text = self.title(its, body)
            attributes, names = self.attributes(its, body, 2)
            if any(isinstance(part, Node) and part.parts and str(part.parts[0]).startswith("*") for part in attributes.parts):
                attributes = seq([n("attribute", name, " => ", self.attribute_value(its, name, body)) for name in self.names(its)[1]])
            attributes.parts = [n("pair", *[f"'{part}'" if at == 0 and self.often(0.5) else part for at, part in enumerate(item.parts)]) for item in attributes.parts]
            pairs.append(n("pair", code, " => {", attributes, "}"))
            self.register(its, text, body, bool(mark))
        tail = rng.choice(["", "", ", {}", ", {'tag' => 'cr'}", ", {noop => true}", ", {'require' => []}"])
        call = rng.choice(["create_resources('{}', ", "create_resources({}, "]) if not mark and "::" not in its else "create_resources('{}', "
        return n("statement", call.format(mark + its), "{", seq(pairs), "}", tail, ")")

    def ensure(self, body):
        rng = self.rng
        number = self.unique()
        title = f'"{body.stem}-{number}"' if body.stem else f"'p{number}'"
        if not body.stem and body.live:
            self.made.append(("package", f"p{number}"))
        return n("statement", rng.choice([
            f"ensure_packages([{title}])", f"ensure_packages({title})" if not body.stem else f"ensure_packages([{title}], {{}})", f"ensure_packages([{title}], {{'ensure' => 'latest'}})", f"ensure_resource('package', {title}, {{'ensure' => 'present'}})", f"ensure_packages({{{title} => {{'ensure' => '1'}}}})",
            f"ensure_packages([{title}])\n  ensure_packages([{title}])", f"ensure_resource('package', [{title}])", f"ensure_resources('package', {{{title} => {{'ensure' => 'present'}}}})", f"package {{ {title}: ensure => present }}\n  ensure_packages([{title}])"]))

    # Classes

    def declare(self, definition, body):
        """The declaration of a class, in the form chosen for it."""
        rng = self.rng
        name = definition.name
        how = definition.declared
        if how == "like":
            needed = [(parameter, kind) for parameter, kind, need in definition.parameters if need or self.often(0.4)]
            items = [n("attribute", parameter, " => ", self.value(kind, body)) for parameter, kind in needed]
            if self.often(0.35):
                meta, text = self.meta(body)
                if meta != "alias":
                    items.append(n("attribute", meta, " => ", n("expr", text)))
            if self.often(0.2):
                items.append(n("attribute", rng.choice(EDGES), " => ", self.references(body)))
            if self.often(0.12) and self.stages:
                items.append(n("attribute", "stage", " => ", rng.choice(self.stages)))
            return n("statement", "class { ", rng.choice([f"'{name}'", f"'{name}'", f"'::{name}'", name]), ": ", seq(items), " }")
        if self.often(0.1):
            return n("statement", rng.choice([f"'{name}'", f"Class['{name}']", f"['{name}']", f"'{name}'.with |$c| {{ $c }}"]), f".{how}")
        if self.often(0.05) and how == "include":
            return n("statement", f"create_resources('class', {{'{name}' => {{}}}})")
        text = rng.choice([name, name, f"'{name}'", f"'::{name}'", f"Class['{name}']", f"[{name}]"])
        return n("statement", how, rng.choice([" {}", "({})"]).format(text))

    def again(self, body):
        """Includes a class again."""
        known = [one for one in self.classes if one.declared in ("include", "contain", "require")]
        if not known:
            return self.resource(body)
        names = [self.rng.choice(known).name for _ in range(self.rng.choice([1, 1, 2]))]
        return n("statement", self.rng.choice(["include", "include", "contain", "require"]), " ", seq(names) if len(names) > 1 and self.often(0.6) else names[0])

    # Statements

    def ask(self, body):
        rng = self.rng
        variables = [f"${name}" for name, kind in body.variables if kind != "late"]
        far = [f"${one.name}::{name}" for one in self.classes for name, _ in one.variables]
        inner = rng.choice([
            *(variables * 3), *(far * 2), "tagged('one')", "tagged(m, 't1')", "$title", "$name", "$module_name", "$caller_module_name", '"${title} ${name}"', "lookup('k')", "lookup('nokey', undef, undef, 'dflt')", "defined('m')", "defined('notify', 'file')",
            "defined(Notify['none'])", "getvar('m::v')", "$facts['os']['family']", "$trusted['certname']", "$settings::strict", "$environment", "$server_facts['serverversion']", "$::kernel", "inline_epp('k <%= $facts[\"kernel\"] %>')",
            "inline_epp('<%- |$p| -%>p <%= $p %>', {p => 1})", *(["epp('m/t.epp', {'a' => 5})", "epp('m/t.epp')"] if "modules/m/templates/t.epp" in self.files else [])])
        pick = self.some(3, 2, 2)
        if body.local and pick:
            its, code, names = rng.choice(body.local)
            if pick == 1:
                inner = f"{capital(its)}[{code}]['{rng.choice(sorted(names) or ['message'])}']" if names and not names <= set(EDGES) else f"defined({capital(its)}[{code}])"
            elif self.stdlib and self.often(0.6):
                inner = rng.choice([f"getparam({capital(its)}[{code}], '{rng.choice(sorted(names) or ['ensure'])}')", f"defined_with_params({capital(its)}[{code}], {{}})"])
            else:
                inner = rng.choice([f"defined({capital(its)}[{code}])", f"{capital(its)}[{code}]", f"[{capital(its)}[{code}]]"])
        if self.often(0.7):
            return n("statement", rng.choice(["notice", "notice", "warning", "err", "info"]), "(", n("expr", inner), ")")
        code, text = self.title("notify", body)
        self.register("notify", text, body)
        return n("statement", "notify { ", code, ": message => ", n("expr", inner), " }")

    def assign(self, body):
        rng = self.rng
        if body.kind == "lambda":
            name = f"w{self.unique()}"
        else:
            name = f"v{self.unique()}"
        if self.often(0.12):
            names = [f"u{self.unique()}", f"u{self.unique()}"]
            body.variables += [(one, "text") for one in names]
            return n("statement", f"[${names[0]}, ${names[1]}] = ['p', 'q']")
        if self.often(0.1):
            body.variables.append((name, "splat"))
            return n("statement", f"${name} = ", rng.choice(["{'noop' => true}", "{'tag' => ['sp']}", "{'loglevel' => 'info'}"]))
        kind = rng.choice(["text", "text", "number", "flag", "list", "hash", "secret", "odd"])
        value = self.value(kind, body)
        body.variables.append((name, kind))
        if body.kind == "class" and body.owner:
            body.owner.variables.append((name, kind))
        return n("statement", f"${name} = ", value)

    def nested(self, body, stem=None, live=True, kind=None):
        inner = Body(kind or body.kind, body.owner, stem or body.stem, body.live and live)
        inner.variables = list(body.variables)
        inner.assigned = body.assigned
        inner.local = list(body.local)
        self.depth += 1
        statements = [self.statement(inner) for _ in range(self.rng.choice([1, 1, 2]))]
        self.depth -= 1
        return seq(statements, "\n  ")

    def control(self, body):
        rng = self.rng
        pick = self.some(4, 2, 4, 2, 2, 1)
        stem = (body.stem + "-") if body.stem else ""
        if pick == 0:
            condition, other = rng.choice(["true", "$facts['kernel'] == 'Linux'", "!tagged('never')", "'a' in ['a']", "defined('notify')"]), ""
            inner = self.nested(body)
            if self.often(0.4):
                other = n("tail", " else {\n  ", self.nested(body, live=False), "\n}")
            return n("statement", f"if {condition} {{\n  ", inner, "\n}", other)
        if pick == 1:
            return n("statement", rng.choice(["unless false", "unless $facts['kernel'] == 'Windows'"]), " {\n  ", self.nested(body), "\n}")
        if pick == 2:
            number = self.unique()
            inner = self.nested(body, f"{stem}${{it}}", False, "lambda")
            head = rng.choice([f"['e{number}', 'f{number}'].each |$it|", f"['e{number}'].each |$at, $it|", f"Hash({{'e{number}' => 1, 'f{number}' => 2}}).each |$it, $val|", f"['e{number}', 'f{number}'].map |$it|", f"['e{number}', 'f{number}'].filter |$it|", f"['e{number}'].reverse_each |String $it|", f"Integer[{number * 10}, {number * 10 + 1}].each |$it|"])
            return n("statement", head, " {\n  ", inner, "\n}")
        if pick == 3:
            number = self.unique()
            return n("statement", f"with('w{number}') |$it| {{\n  ", self.nested(body, f"{stem}${{it}}", False, "lambda"), "\n}")
        if pick == 4:
            return n("statement", rng.choice(["case $facts['os']['family'] { 'Debian', 'Suse'", "case 5 { Integer[1, 9]", "case 'web1' { /^web/", "case 1 { default"]), ": {\n  ", self.nested(body), "\n} }")
        number = self.unique()
        return n("statement", f"'th{number}'.then |$it| {{\n  ", self.nested(body, f"{stem}${{it}}", False, "lambda"), "\n}")

    def call(self, body):
        if not self.functions or body.kind == "function":
            return self.assign(body)
        name, kind = self.rng.choice(self.functions)
        number = self.unique()
        title = f'"{body.stem}-{number}"' if body.stem else f"'c{number}'"
        if kind == "resource" and not body.stem and body.live:
            self.made.append(("notify", f"c{number}"))
        text = f"{name}({title})"
        return n("statement", self.rng.choice([text, f"notice({text})", f"$v{self.unique()} = {text}", f"{title}.{name}"]))

    def statement(self, body):
        rng = self.rng
        if self.waiting and body.live and body.kind in ("class", "define") and not self.depth and self.often(0.4 if body.kind == "class" else 0.06):
            one = self.waiting.pop(rng.randrange(len(self.waiting)))
            if one is not body.owner and body.kind == "class" and body.owner.declared != "never":
                self.made.append(("class", one.name))
            return n("statement", self.rng.choice(["include", "include", "contain", "require"]), " ", one.name)
        pick = self.some(34, 6, 8, 6, 5, 5, 5, 7 if self.depth < 2 else 0, 4, 8, 5, 4 if self.stdlib else 0, 3, 3)
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
            return self.create(body)
        if pick == 7:
            return self.control(body)
        if pick == 8:
            return self.again(body) if body.kind != "define" or self.often(0.5) else self.resource(body)
        if pick == 9:
            return self.ask(body)
        if pick == 10:
            return self.assign(body)
        if pick == 11:
            return self.ensure(body)
        if pick == 12:
            return n("statement", "tag(", seq([rng.choice(["one", "'two'", "'t1'", "'x'", "'m::n'", "'q'"]) for _ in range(rng.randint(1, 2))]), ")")
        return self.call(body)

    # Definitions

    def parameters(self, definition, body):
        rng = self.rng
        items = []
        for name in rng.sample(["x", "y", "z", "mode", "opts", "first"], rng.choice([0, 1, 1, 2, 2, 3, 4])):
            kind = rng.choices(list(KINDS), [6, 3, 3, 3, 2, 3, 1, 1, 1, 1])[0]
            type_ = rng.choice(KINDS[kind][0])
            needed = self.often(0.3)
            default = ""
            if type_ == "M::Ensure" and "modules/m/types/ensure.pp" not in self.files:
                type_ = "String"
            if not needed:
                if definition.kind == "class" and definition.parent and definition.parent.variables and self.often(0.5):
                    fits = [one for one, its in definition.parent.variables if its == kind]
                    default = n("expr", f"${definition.parent.name}::{rng.choice(fits)}") if fits else self.value(kind, body)
                else:
                    default = self.value(kind, body)
                default = n("tail", " = ", default)
            if definition.kind == "class" and needed and definition.declared != "like":
                # The value is in the data.
                self.data[f"{definition.name}::{name}"] = {"text": "data", "number": 11, "flag": True, "list": ["d", "e"], "hash": {"h": 1}, "choice": "absent"}.get(kind)
                if self.data[f"{definition.name}::{name}"] is None:
                    del self.data[f"{definition.name}::{name}"]
                    default = n("tail", " = ", self.value(kind, body))
                    needed = False
            definition.parameters.append((name, kind, needed and definition.declared in ("like", "define")))
            items.append(n("member", type_, " " if type_ else "", f"${name}", default))
            body.variables.append((name, kind))
        if not items and self.often(0.6):
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
            for its, code, names in definition.parent.inner:
                if self.often(0.4):
                    attributes, _ = self.attributes(its, body, 2, True)
                    statements.append(n("statement", f"{capital(its)}[{code}] {{ ", attributes, " }"))
        for name, kind in body.variables:
            if (name, kind) not in definition.variables:
                definition.variables.append((name, kind))
        definition.inner = list(body.local)
        if body.live and definition.declared != "inner":
            self.made.append(("class", definition.name))
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
        body.variables = [("t", "text")]
        kind = self.rng.choice(["plain", "resource"])
        statements = [n("statement", "notify { $t: }")] if kind == "resource" else []
        if self.often(0.4):
            statements.insert(0, self.statement(body))
        if self.often(0.6) or not statements:
            statements.append(n("statement", self.rng.choice(["return($t)", "$t", "if true { return(1) }", "[$t, 1]", '"<${t}>"', "undef", "$t.upcase"])))
        self.functions.append((name, kind))
        return n("statement", f"function {name}(", self.rng.choice(["$t", "String $t", "$t, $u = 1"]), ") {\n  ", seq(statements, "\n  "), "\n}")

    # The whole

    def mistake(self, body):
        rng = self.rng
        number = self.unique()
        its = self.chosen_type()
        title = f"'bad{number}'"
        known = self.rng.choice(self.made or [("notify", "none")])
        again = f"{known[0]} {{ '{known[1]}': }}"
        reference = f"{capital(known[0])}['{known[1]}']"
        texts = [
            again, again, f"@{again}", f"notify {{ {title}: require => File['/none'] }}", "realize(Notify['none'])", f"File['/none'] -> {reference}", "File['/none'] { mode => '0600' }", f"{reference} {{ nosuch => 1 }}", f"{reference} {{ message => 'over', mode => 'over', ensure => over }}",
            f"{its} {{ {title}: nosuch => 1 }}", f"nosuch {{ {title}: }}", "include nosuch", "nosuch()", f"notify {{ {title}: message => 1, message => 2 }}", f"notify {{ {title}: message +> 1 }}", "notify { '': }", "notify { undef: }", "notify { 1: }", "notify { []: }", "notify { ['a', 1]: }", "notify { {}: }",
            "fail('stop here')", "Class <| |>", "node default { }", "$title = 1", "tag('A B')", "tag('')", "File { mode => '1' }\nFile { mode => '2' }", "Class { x => 1 }", f"package {{ {title}: name => 'same', provider => apt }}\npackage {{ 'other{number}': name => 'same' }}",
            f"file {{ '/tmp/bad{number}': path => '/tmp/same{number}' }}\nfile {{ '/tmp/same{number}': }}", f"notify {{ {title}: alias => 'n1' }}\nnotify {{ 'other{number}': alias => 'n1' }}", f"notify {{ {title}: stage => main }}", f"{reference}['nosuch']", "notice(File['/none']['mode'])", "notify { 'x': * => 1 }",
            "create_resources('nosuch', {a => {}})", "create_resources('class', {nosuch => {}})", "create_resources('file', {a => 1})", "create_resources('file', {'/tmp/q' => {'nosuch' => 1}})", "1 -> 2", f"{reference} -> 'Notify[none]'", f"{reference} -> undef", f"{reference} -> $nope", "Integer -> Notify['a']",
            f"notify {{ {title}: before => 'Notify[none]' }}", f"notify {{ {title}: before => 1 }}", f"notify {{ {title}: require => undef }}", f"notify {{ {title}: require => [undef] }}", f"notify {{ {title}: noop => 'x', loglevel => bad }}", f"notify {{ {title}: tag => 1 }}", f"notify {{ {title}: tag => 'A B' }}",
            "lookup('nokey')", "$v1 = 1\n$v1 = 2", f"contain {known[1]}" if known[0] == "class" else "contain nosuch", f"class {{ '{known[1]}': }}" if known[0] == "class" else "class { 'nosuch': }", "class { ['a', 'b']: }", "User <| groups == ['a', 'b'] |>", "User <| groups == $nope |>", "Notify <| message == File['/x'] or message == Sensitive |>", "Notify <| title == 'a', title == 'b' |>", "Notify <| !(title == a) |>", "Notify <| title =~ /a/ |>", "require('')", "include []", "include undef", "include Class", "include Notify['x']", "file { 'relative': }", "file { '/a//b/': }\nfile { '/a//b': }", "exec { ['a', 'a']: }",
            f"define late{number}($x) {{ }}\nlate{number} {{ {title}: }}", f"define late{number}(Integer $x) {{ }}\nlate{number} {{ {title}: x => 'text' }}", f"define late{number}() {{ fail('inside') }}\nlate{number} {{ {title}: }}", f"define late{number}() {{ notify {{ 'same': }} }}\nlate{number} {{ ['s1', 's2']: }}", f"class late{number}($x) {{ }}\ninclude late{number}", f"class late{number}(Enum[a] $x = b) {{ }}\ninclude late{number}",
            f"class late{number} inherits nosuch {{ }}\ninclude late{number}", f"class late{number} inherits late{number} {{ }}\ninclude late{number}", f"Notify <| title == 'n1' |> {{ nosuch => 1 }}", "Nosuch <| |>", "notify { 'd1': message => 1; 'd1': message => 2 }", f"@notify {{ {title}: }}\nrealize(Notify[{title}], 'Notify[none]')", "realize(1)", "realize([])", "realize(undef)", "realize(Notify)", "realize('Notify[none]')", "realize(Class['nosuch'])",
            f"define late{number}(Resource[Late{number}] $x, Runtime['ruby'] $z) {{ }}\nlate{number} {{ {title}: x => Notify['a'] }}", f"Notify[{title}] {{ message => 1 }}\nnotify {{ {title}: message => 2 }}", f"notify {{ {title}: message => 2 }}\nNotify[{title}] {{ message => 1 }}", f"notify {{ {title}: }}\nNotify[{title}] {{ message => 1, message => 2 }}", "'a' { message => 1 }", "$nope['a']['b']", "assert_type(String, 1)", "Foo[1]", "node 'a' inherits b { }",
        ]
        return n("statement", rng.choice(texts))

    def site(self):
        rng = self.rng
        self.blocked = set()
        self.stages = []
        if self.often(0.3):
            self.files["modules/m/types/ensure.pp"] = n("code", "type M::Ensure = Enum['present', 'absent']\n")
        if self.often(0.25):
            self.files["modules/m/templates/t.epp"] = n("code", rng.choice(["<%- |$a = 2| -%>\na <%= $a %>\n", "a <%= $facts['kernel'] %> <% [1, 2].each |$e| { -%>\n<%= $e %>\n<% } -%>\n"]))
        if rng.random() < 0.3:
            # If the module has its own data file, its parameters are looked up there.
            self.files["modules/m/hiera.yaml"] = n("code", "version: 5\nhierarchy: [{name: c, path: c.yaml}]\ndefaults: {datadir: data, data_hash: yaml_data}\n")
            self.files["modules/m/data/c.yaml"] = n("code", "m::x: from module\nm::list: [mod]\nlookup_options:\n  m::list: {merge: unique}\n")
        main = Body("main")
        parts = []
        if self.often(0.12):
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
            if parents and self.often(0.4):
                one.parent = rng.choice(parents)
            if one.declared == "inner" and one.parent is not None:
                one.declared = "include"
            if one.declared == "enc" and one.parent is not None and one.parent.declared == "never":
                one.declared = "include"
            tree = self.class_(one)
            self.classes.append(one)
            if one.declared == "inner":
                self.waiting.append(one)
            definitions.append((name, tree))
        statements = [self.statement(main) for _ in range(rng.randint(1, 9))]
        for one in self.classes:
            if one.declared in ("include", "contain", "require", "like"):
                statements.insert(rng.randint(0, len(statements)) if self.often(0.5) else 0, self.declare(one, main))
        for one in self.waiting:
            statements.insert(rng.randint(0, len(statements)), n("statement", "include ", one.name))
            self.made.append(("class", one.name))
        by_data = [one.name for one in self.classes if one.declared == "data"]
        if by_data:
            self.data["classes"] = by_data
            text = rng.choice(["include lookup('classes')", "lookup('classes', Array[String], 'unique').include", "hiera_include('classes')", "contain(lookup('classes'))", "lookup({name => 'classes', merge => unique, default_value => []}).each |$c| { include $c }", "hiera_array('classes').include"])
            statements.insert(rng.randint(0, len(statements)), n("statement", text))
        once = [body for body, one in zip(self.bodies, self.owners) if one is not None and one.declared not in ("never", "inner")]
        for _ in range(rng.choice([0, 0, 0, 0, 1, 1, 2, 3])):
            where = rng.choice(once).parts if once and self.often(0.3) else statements
            where.insert(rng.randint(0, len(where)), self.snippet(STATEMENTS))
        for _ in range(rng.choice([0, 0, 0, 0, 0, 1, 1, 2])):
            self.flat = True
            statements.insert(rng.randint(0, len(statements)), self.snippet(SITES))
        self.bodies.append(seq(statements, "\n"))
        if self.mistakes:
            where = rng.choice(self.bodies) if self.often(0.5) else self.bodies[-1]
            where.parts.insert(rng.randint(0, len(where.parts)), self.mistake(main))
            statements = self.bodies[-1].parts
        self.settle()
        return self.assemble(parts, definitions, statements)

    def snippet(self, of):
        lines = self.rng.choice(of).replace("§", str(self.unique()))
        return n("statement", lines)

    def assemble(self, parts, definitions, statements):
        rng = self.rng
        here = []
        for name, tree in definitions:
            segments = name.split("::")
            if segments[0] == "m" and self.often(0.6):
                folder = "functions" if tree.parts[0].startswith("function") else "manifests"
                file = "/".join(segments[1:] or ["init"])
                self.files[f"modules/m/{folder}/{file}.pp"] = tree
            else:
                here.append(tree)
        if self.often(0.12) and not self.flat:
            name = rng.choice(["default", "/^web\\d/", "'web1.example.com'", "web1.example.com"])
            statements = [n("statement", f"node {name} {{\n", seq(statements, "\n"), "\n}")]
            if self.often(0.3):
                statements.append(n("statement", "node 'other' { notify { 'not here': } }"))
        pick = self.some(3, 1, 1)
        body = here + parts + statements if pick == 0 else parts + statements + here
        if pick == 2:
            rng.shuffle(here)
            body = parts + here + statements
        enc = [one for one in self.classes if one.declared == "enc"]
        if enc or self.often(0.05):
            classes = {one.name: {name: {"text": "enc", "number": 3, "flag": False, "list": ["enc"], "hash": {}, "choice": "present"}[kind] for name, kind, _ in one.parameters if kind in ("text", "number", "flag", "choice") and self.often(0.4)} for one in enc}
            given = classes if any(classes.values()) or self.often(0.4) else list(classes)
            self.files["enc.json"] = n("code", json.dumps({"classes": given, "parameters": {"from_enc": "p", "role": ["r"]}}), "\n")
        if self.data:
            data = {"lookup_options": {"^m::.*list": {"merge": "unique"}, **({next(iter(self.data)): {"merge": rng.choice(["first", "unique", "deep"]) if isinstance(next(iter(self.data.values())), list) else "first"}} if self.often(0.3) else {})}, **self.data}
            self.files["data/site.yaml"] = n("code", json.dumps(data, indent=1), "\n")
        files = [n("file", f"##file: {path}\n", tree, "" if tree.text().endswith("\n") else "\n") for path, tree in self.files.items()]
        return n("code", seq(body, "\n"), "\n", seq(files, ""))

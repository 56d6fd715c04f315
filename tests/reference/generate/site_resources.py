"""Resources of generated sites, and what refers to them: titles, values, attributes, collectors, overrides, relationships, defaults."""

import re

from .site_words import ARROWS, EDGES, KINDS, PATHS, TAGS, TYPES, WEIGHTS, WORDS, capital
from .tree import Node, n, seq


class SiteResources:
    """A mixin of SiteGenerator."""

    # Names and titles

    def unique(self):
        """A number that was not used before."""
        self.count += 1
        return self.count

    def weighted_index(self, *chances):
        """A random index, weighted by chances."""
        return self.rng.choices(range(len(chances)), chances)[0]

    def chance(self, chance):
        return self.rng.random() < chance

    def title(self, type_name, body):
        """(title as code, title as a string; with a stem: the prefix and suffix around the stem)."""
        number = self.unique()
        word = self.rng.choice(WORDS) if self.chance(0.15) else self.rng.choice("nfrs")
        if body.stem:
            tail = f"-{number}"
            head = "/tmp/" if type_name in PATHS else ""
            return f'"{head}{body.stem}{tail}"', (head, tail)
        if type_name in PATHS:
            title = f"/tmp/{word.replace(' ', '_').replace('/', '_')}{number}" + ("/" if self.chance(0.08) else "")
        elif type_name == "ssh_authorized_key" and self.chance(0.3):
            title = f"k{number}@h"
        else:
            title = f"{word}{number}"
        if re.fullmatch(r"[a-z]\w*", title) and self.chance(0.2):
            return title, title
        if "'" not in title and self.chance(0.1):
            return f'"{title}"', title
        return f"'{title}'", title

    def register(self, type_name, title, body, virtual=False):
        """Records a resource and the resources that it declares."""
        if isinstance(title, tuple):
            if body.live and body.owner is not None and body.kind == "define":
                body.owner.resources.append((type_name, title, virtual))
            return
        if not body.live:
            return
        self.register_instance(type_name, title, virtual, 0)

    def register_instance(self, type_name, title, virtual, depth):
        if virtual and depth:
            # It exists only when the resource that declares it is realized.
            return
        (self.virtual_resources if virtual else self.resources).append((type_name, title))
        define = next((one for one in self.defines if one.name == type_name), None)
        if define is None or depth > 4:
            return
        for inner, (head, tail), inner_virtual in define.resources:
            self.register_instance(inner, f"{head}{title}{tail}", virtual or inner_virtual, depth + 1)

    # References

    def reference(self):
        """A reference to a resource that is chosen when all resources are declared."""
        node = Node("ref", ["Notify['none']"])
        self.open_references.append(node)
        return node

    def resolve_references(self):
        """Chooses the resources of open references."""
        rng = self.rng
        for node in self.open_references:
            candidates = self.resources or [("stage", "main")]
            if any("'" in title for _, title in candidates):
                candidates = [one for one in candidates if "'" not in one[1]] or [("stage", "main")]
            type_name, title = rng.choice(candidates)
            if self.chance(0.02):
                node.parts = [f"'{capital(type_name)}[{title}]'" if "'" not in title else f"Resource[{capital(type_name)}, \"{title}\"]"]
            elif type_name != "class" and self.chance(0.03):
                node.parts = [self.rng.choice([f"Resource['{type_name}', \"{title}\"]", f"Resource[{capital(type_name)}][\"{title}\"]", f"Resource['{capital(type_name)}']['{title}']" if "'" not in title else f"{capital(type_name)}[\"{title}\"]"])]
            elif type_name == "class":
                node.parts = [rng.choice([f"Class['{title}']", f"Class[{title}]", f"Class['::{title}']" if self.chance(0.2) else f"Class['{title}']"])]
            elif type_name in PATHS and self.chance(0.05):
                node.parts = [f"{capital(type_name)}['{title.rstrip('/')}/']"]
            else:
                node.parts = [f"{capital(type_name)}['{title}']"]
                if self.chance(0.04) and len(candidates) > 1:
                    more = [one for one in candidates if one[0] == type_name]
                    node.parts = [f"{capital(type_name)}['{title}', '{rng.choice(more)[1]}']"]

    def reference_value(self, body):
        rng = self.rng
        pick = self.weighted_index(10, 3, 1, 0.5, 0.5, 3 if body.resources else 0)
        if pick == 0:
            return n("expr", self.reference())
        if pick == 5:
            type_name, code, _ = rng.choice(body.resources)
            return n("expr", f"{capital(type_name)}[{code}]")
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
            kind = rng.choices(["string", "number", "flag", "list", "hash", "odd", "secret", "late", "ref"], [8, 2, 2, 2, 1, 2, 1, 1, 1])[0]
        if kind == "ref":
            return n("expr", self.reference())
        fitting = [name for name, type_name in body.variables if type_name == kind]
        if fitting and self.chance(0.5):
            name = rng.choice(fitting)
            return n("expr", f'"${{{name}}} x"' if kind == "string" and self.chance(0.4) else f"${name}")
        if kind == "string" and body.kind in ("class", "define") and self.chance(0.25):
            return n("expr", rng.choice(["$title", "$name", '"${title}/${name}"', "$module_name", '"m ${module_name}"', "$caller_module_name"]))
        return n("expr", rng.choice(KINDS[kind][1]))

    def attribute_value(self, type_name, name, body):
        rng = self.rng
        if name in EDGES:
            return self.reference_value(body)
        define = next((one for one in self.defines if one.name == type_name), None)
        if define is not None:
            kind = next((kind for parameter, kind, _ in define.parameters if parameter == name), "string")
            return self.value(kind, body)
        values = TYPES.get(type_name, {}).get(name, "string")
        if isinstance(values, str):
            return self.value(values, body)
        text = rng.choice(values)
        if text == "$any":
            return self.value("any", body)
        if text == "$secret":
            return self.value("secret", body)
        if text == "$unique":
            return n("expr", f"'real{self.unique()}'" if not body.stem else f'"{body.stem}-real{self.unique()}"')
        if text == "$path":
            return n("expr", f"'/p/{self.unique()}'" if not body.stem else f'"/p/{body.stem}-{self.unique()}"')
        return n("expr", text)

    def metaparameter(self, body):
        rng = self.rng
        return rng.choice([
            ("tag", rng.choice(["'t1'", "['t1', 'two']", "one", "'m::x'"])), ("noop", rng.choice(["true", "false"])), ("loglevel", rng.choice(["debug", "'warning'"])), ("schedule", rng.choice(["daily", "'weekly'", "undef"])), ("audit", rng.choice(["all", "['mode', 'owner']"])),
            ("alias", f"'al{self.unique()}'" if not body.stem else f'"{body.stem}-al{self.unique()}"'), ("tag", "undef")])

    def attribute_names(self, type_name):
        define = next((one for one in self.defines if one.name == type_name), None)
        if define is not None:
            return [name for name, _, _ in define.parameters], [name for name, _, needed in define.parameters if needed]
        return list(TYPES.get(type_name, {})), []

    def attributes(self, type_name, body, most=3, override=False, only=None):
        """(attributes, their names)."""
        rng = self.rng
        known, needed = self.attribute_names(type_name)
        if override:
            known = [name for name in known if name not in ("name", "path")]
            needed = []
        chosen = list(needed)
        for name in rng.sample(known, min(len(known), rng.randint(0, most))):
            if name not in chosen and (name not in ("name", "path") or self.chance(0.3)) and (only is None or name in only):
                chosen.append(name)
        if self.chance(0.22):
            chosen.append(rng.choice(EDGES))
        rng.shuffle(chosen)
        items = []
        splat = []
        for name in chosen:
            value = self.attribute_value(type_name, name, body)
            operator = " => "
            if override and (name in EDGES or name in ("groups", "source", "environment", "tag")) and self.chance(0.5):
                operator = " +> "
            if not override and self.chance(0.06):
                splat.append(n("pair", f"'{name}'", " => ", value))
                continue
            items.append(n("attribute", name, operator, value))
        if self.chance(0.15):
            name, text = self.metaparameter(body)
            if not (override and name == "alias"):
                items.append(n("attribute", name, " +> " if override and name == "tag" and self.chance(0.6) else " => ", n("expr", text)))
                chosen.append(name)
        if splat:
            items.insert(rng.randint(0, len(items)), n("attribute", "* => {", seq(splat), "}"))
        elif self.chance(0.03) and not override:
            hashes = [name for name, kind in body.variables if kind == "splat"]
            items.append(n("attribute", "* => ", f"${rng.choice(hashes)}" if hashes else "{}"))
        return seq(items), chosen

    # Resources

    def choose_type(self, plain=False):
        rng = self.rng
        usable = [one.name for one in self.defines]
        if usable and not plain and self.chance(0.35):
            return rng.choice(usable)
        return rng.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]

    def resource(self, body, mark=None):
        rng = self.rng
        type_name = self.choose_type()
        if mark is None:
            mark = rng.choice([""] * 9 + ["@", "@", "@@"])
        bodies = []
        attributes_before, default_names = None, []
        if self.chance(0.08):
            attributes_before, default_names = self.attributes(type_name, body, 2)
        count = rng.choice([1, 1, 1, 1, 2, 2, 3])
        for _ in range(count):
            codes, texts = zip(*[self.title(type_name, body) for _ in range(rng.choice([1, 1, 1, 1, 1, 2, 3]))])
            attributes, names = self.attributes(type_name, body)
            if len(codes) > 1 and any(name in names for name in ("name", "path", "alias")):
                codes, texts = codes[:1], texts[:1]
            code = codes[0] if len(codes) == 1 and self.chance(0.9) else n("expr", "[", seq(list(codes)), "]")
            bodies.append(n("body", code, ": ", attributes))
            for one, text in zip(codes, texts):
                self.register(type_name, text, body, bool(mark))
                if not mark:
                    body.resources.append((type_name, one, set(names) | set(default_names)))
        if attributes_before is not None:
            at = rng.randint(0, len(bodies))
            if any(name in ("name", "path", "alias") for name in default_names):
                attributes_before = seq([])
            bodies.insert(at, n("body", "default: ", attributes_before))
        head = type_name
        if self.chance(0.05):
            head = rng.choice([f"Resource['{type_name}']", capital(type_name), f"Resource[{capital(type_name)}]" if "::" not in type_name else capital(type_name)])
        return n("statement", mark, head, " { ", seq(bodies, "; "), " }")

    def collector(self, body, type_name=None):
        rng = self.rng
        type_name = type_name or (rng.choice(self.virtual_resources)[0] if self.virtual_resources and self.chance(0.5) else self.choose_type())
        left, right = ("<|", "|>") if self.chance(0.85) else ("<<|", "|>>")
        self.query_body = body
        query = self.query(type_name, 2) if self.chance(0.75) else ""
        override = ""
        self.query_body = body
        if self.chance(0.35):
            attributes, _ = self.attributes(type_name, body, 2, True)
            override = n("tail", " { ", attributes, " }")
        return n("statement", capital(type_name), f" {left} ", query, f" {right}", override)

    def query(self, type_name, depth):
        rng = self.rng
        if depth > 0 and self.chance(0.35):
            left, right = self.query(type_name, depth - 1), self.query(type_name, depth - 1)
            parts = [left, rng.choice([" and ", " or "]), right]
            return n("query", "(", *parts, ")") if self.chance(0.6) else n("query", *parts)
        known = [name for name in self.attribute_names(type_name)[0] if name != "unless"]
        name = rng.choice(["title", "title", "tag", "tag", *known[:6], "noop", "require", "name"])
        if name == "title" and self.query_body.resources and self.chance(0.3):
            return n("query", "title == ", rng.choice(self.query_body.resources)[1])
        if name == "title":
            titles = [title for one, title in self.resources + self.virtual_resources if one == type_name] or ["none"]
            return n("query", name, rng.choice([" == ", " == ", " != "]), f"'{rng.choice(titles)}'")
        if name == "tag":
            return n("query", name, rng.choice([" == ", " == ", " != "]), rng.choice([f"'{tag}'" for tag in TAGS] + ["one", type_name if "::" not in type_name else f"'{type_name}'", "'a'"]))
        value = rng.choice(["'v'", "present", "'0644'", "1", "true", "undef", "'m'", "7", "'a'", "false", "'7'", "''", "1.0", "\"v\"", "root"])
        if name == "require":
            value = self.reference()
        texts = [one for one, kind in self.query_body.variables if kind in ("string", "number", "flag", "choice")]
        if texts and self.chance(0.15):
            value = rng.choice([f"${rng.choice(texts)}", f'"${{{rng.choice(texts)}}}"'])
        values = TYPES.get(type_name, {}).get(name)
        if isinstance(values, list) and self.chance(0.6):
            texts = [text for text in values if re.fullmatch(r"'[^']*'|\w+|\d+", text)]
            value = rng.choice(texts or [value])
        return n("query", name, rng.choice([" == ", " == ", " == ", " != "]), value)

    def override(self, body):
        """An override of a resource of this body."""
        rng = self.rng
        pool = [one for one in body.resources if one[0] not in ("resources",)]
        if not pool:
            return self.resource(body)
        type_name, code, names = rng.choice(pool)
        known, _ = self.attribute_names(type_name)
        fresh = [name for name in known if name not in names]
        attributes, more = self.attributes(type_name, body, 2, True, fresh)
        if any(name in names for name in more):
            return self.resource(body)
        names.update(more)
        return n("statement", f"{capital(type_name)}[{code}] {{ ", attributes, " }")

    def operand(self, body):
        rng = self.rng
        pick = self.weighted_index(8, 2, 3, 2, 1, 0.5)
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
        type_name = self.choose_type()
        known, _ = self.attribute_names(type_name)
        fresh = [name for name in known if (type_name, name) not in body.assigned and name not in ("name", "path")]
        if not fresh or (type_name, "") in body.assigned:
            return self.resource(body)
        name = self.rng.choice(fresh)
        body.assigned.add((type_name, ""))
        items = [n("attribute", name, " => ", self.attribute_value(type_name, name, body))]
        if self.chance(0.4):
            name, text = self.metaparameter(body)
            if name != "alias":
                items.append(n("attribute", name, " => ", n("expr", text)))
        if self.chance(0.3):
            items.append(n("attribute", self.rng.choice(EDGES), " => ", self.reference_value(body)))
        return n("statement", capital(type_name), " { ", seq(items), " }")

    def realize(self, body):
        rng = self.rng
        if not self.virtual_resources:
            return self.resource(body, "@")
        found = [f"{capital(type_name)}['{title}']" for type_name, title in rng.sample(self.virtual_resources, min(len(self.virtual_resources), rng.randint(1, 3)))]
        if self.chance(0.3):
            found = [n("expr", "[", seq(found), "]")]
        # Resources of classes that are declared later are resolved at the end.
        return n("statement", "realize(", seq(found), ")")

    def create_resources(self, body):
        rng = self.rng
        type_name = self.choose_type()
        mark = rng.choice(["", "", "", "@", "@@"])
        pairs = []
        for _ in range(rng.choice([0, 1, 1, 2])):
            code, text = self.title(type_name, body)
            attributes, names = self.attributes(type_name, body, 2)
            if any(isinstance(part, Node) and part.parts and str(part.parts[0]).startswith("*") for part in attributes.parts):
                attributes = seq([n("attribute", name, " => ", self.attribute_value(type_name, name, body)) for name in self.attribute_names(type_name)[1]])
            attributes.parts = [n("pair", *[f"'{part}'" if at == 0 and self.chance(0.5) else part for at, part in enumerate(item.parts)]) for item in attributes.parts]
            pairs.append(n("pair", code, " => {", attributes, "}"))
            self.register(type_name, text, body, bool(mark))
        tail = rng.choice(["", "", ", {}", ", {'tag' => 'cr'}", ", {noop => true}", ", {'require' => []}"])
        call = rng.choice(["create_resources('{}', ", "create_resources({}, "]) if not mark and "::" not in type_name else "create_resources('{}', "
        return n("statement", call.format(mark + type_name), "{", seq(pairs), "}", tail, ")")

    def ensure_packages(self, body):
        rng = self.rng
        number = self.unique()
        title = f'"{body.stem}-{number}"' if body.stem else f"'p{number}'"
        if not body.stem and body.live:
            self.resources.append(("package", f"p{number}"))
        return n("statement", rng.choice([
            f"ensure_packages([{title}])", f"ensure_packages({title})" if not body.stem else f"ensure_packages([{title}], {{}})", f"ensure_packages([{title}], {{'ensure' => 'latest'}})", f"ensure_resource('package', {title}, {{'ensure' => 'present'}})", f"ensure_packages({{{title} => {{'ensure' => '1'}}}})",
            f"ensure_packages([{title}])\n  ensure_packages([{title}])", f"ensure_resource('package', [{title}])", f"ensure_resources('package', {{{title} => {{'ensure' => 'present'}}}})", f"package {{ {title}: ensure => present }}\n  ensure_packages([{title}])"]))

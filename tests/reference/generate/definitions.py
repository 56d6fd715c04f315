"""Functions, aliases, objects, type sets and classes in a manifest, and code that uses them."""

from .tree import n, seq

# Between the manifest and the code that is evaluated after it.
BETWEEN = "\n#---\n"


class Definitions:
    """A mixin of Generator."""

    def parameters_(self, names):
        rng = self.rng
        items = []
        optional = False
        for at, name in enumerate(names):
            text = []
            if rng.random() < 0.5:
                text += [self.type_(1) if rng.random() < 0.3 else n("type", rng.choice(["Any", "Integer", "String", "Numeric", "Optional[String]", "Array", "Hash", "Variant[Integer, String]", "Data", "Type", "Callable", "Array[Integer]", "Enum[a, b]", "Boolean", "Sensitive"])), " "]
            if at == len(names) - 1 and rng.random() < 0.15:
                text.append("*$" + name)
            elif at == len(names) - 1 and rng.random() < 0.12:
                text = [rng.choice(["Callable ", "Optional[Callable] ", "Callable[1, 1] ", "", "Callable[Integer] "]), "&$" + name]
            else:
                text.append("$" + name)
                if optional or rng.random() < 0.2:
                    optional = rng.random() < 0.95
                    text += [" = ", self.expr(rng.choice(["int", "string", "any"]), 1)]
            items.append(n("member", *text))
        return seq(items)

    def function_definition(self, name):
        """Defines a function and returns the number of its parameters."""
        rng = self.rng
        names = rng.sample(["p", "q", "r"], rng.choice([0, 1, 1, 2, 2, 3]))
        parameters = self.parameters_(names)
        saved, self.variables = self.variables, [(each, "any") for each in names]
        body = []
        for _ in range(rng.choice([0, 0, 1, 2])):
            pick = rng.random()
            if pick < 0.25:
                body.append(n("statement", "if ", self.expr("bool", 1), " { return(", self.expr("any", 1), ") }"))
            elif pick < 0.35:
                body.append(n("statement", rng.choice(["return", "return()", "next(1)", "break()", "next()"])))
            elif pick < 0.5 and names:
                body.append(n("statement", "[1, 2, 3].each |$i| { if $i == 2 { ", rng.choice(["return($i)", "next()", "break()", "return()"]), " } notice($i) }"))
            else:
                body.append(self.statement(1))
        body.append(n("statement", self.expr("any", 2)))
        if rng.random() < 0.1:
            body.append(n("statement", "$", rng.choice(["p", "q", "x"]), " = 5"))
        self.variables = saved
        result = [" >> ", self.type_(1) if rng.random() < 0.4 else n("type", rng.choice(["Any", "Integer", "String", "Data", "Array", "Numeric", "Undef", "Optional[Integer]"]))] if rng.random() < 0.3 else []
        return n("statement", "function ", name, "(", parameters, ")", *result, " { ", seq(body, "\n  "), " }"), len(names)

    def alias_definition(self, name):
        rng = self.rng
        pick = rng.random()
        if pick < 0.5:
            return n("statement", "type ", name, " = ", self.type_(2))
        if pick < 0.62:
            return n("statement", "type ", name, " = ", rng.choice([f"Variant[Integer, Array[{name}]]", f"Hash[String, Variant[Data, {name}]]", f"Optional[{name}]", f"Array[{name}]", f"Variant[{name}, String]", f"Struct[{{a => Optional[{name}]}}]", name, f"Tuple[Integer, Optional[{name}]]"]))
        if pick < 0.8:
            return n("statement", "type ", name, " = Object[", self.t_object(1), "]")
        if pick < 0.89:
            return self.object_definition(name)
        if pick < 0.92:
            return n("statement", "type ", name, " = ", rng.choice(["{attributes => {a => Integer, b => {type => String, value => 'd'}}}", "Object[{attributes => {a => Integer}, functions => {f => Callable[[Integer], String]}}]", f"Object[{{type_parameters => {{t => Integer}}, attributes => {{t => Integer}}}}]", "Object[{constants => {K => 3}, attributes => {a => Any}}]", "Object[{attributes => {a => {type => Integer, kind => constant, value => 1}}}]"]))
        return n("statement", "type ", name, " = ", rng.choice(["TypeSet[{pcore_version => '1.0.0', version => '1.0.0', types => {A => Integer, B => {attributes => {x => A}}}}]", "TypeSet[{version => '1.0.0', types => {A => Enum[x, y]}}]", "TypeSet[{pcore_version => '1.0.0', version => '1.2.0', types => {Car => Object[{attributes => {n => String}}], Fast => {parent => Car, attributes => {s => Integer}}}}]", "TypeSet[{pcore_version => '1.0.0', types => {A => 1}}]"]))

    def object_definition(self, name):
        """An object type with several features, some of which conflict."""
        rng = self.rng
        kinds = ["constant", "derived", "given_or_derived", "reference", "normal", "other"]
        types = ["Integer", "String", "Any", "Optional[Integer]", "Array[Integer]", "Enum[x, y]", "Type", name, "Variant[String, Integer]", "Struct[{k => Integer}]"]
        attributes = []
        for attribute in rng.sample(["a", "b", "c", "x", "k-1", "type", "name"], rng.choice([0, 1, 2, 2, 3])):
            pick = rng.random()
            value = rng.choice(["1", "'v'", "undef", "[1]", "default", "x", "{k => 1}", "Integer"])
            if pick < 0.4:
                text = rng.choice(types)
            else:
                parts = ["type => " + rng.choice(types)]
                parts += ["value => " + value] * (rng.random() < 0.6) + ["kind => " + rng.choice(kinds)] * (rng.random() < 0.4)
                parts += ["final => true"] * (rng.random() < 0.15) + ["override => " + rng.choice(["true", "false"])] * (rng.random() < 0.15) + ["annotations => {}"] * (rng.random() < 0.05)
                rng.shuffle(parts)
                text = "{" + ", ".join(parts) + "}"
            attributes.append(n("member", f"'{attribute}' => " if "-" in attribute else f"{attribute} => ", text))
        features = [n("member", "attributes => {", seq(attributes), "}")]
        choices = {
            "parent": ["Object", "Annotation", "Object[{attributes => {p => Integer}}]", "Object[{name => 'Base', attributes => {p => {type => String, value => 'd'}}, functions => {f => Callable[[Integer], Integer]}}]", "Integer", "T1", "T2", "M::T", name, "Error", "Deferred"],
            "equality": ["a", "[a]", "[a, b]", "[]", "[nope]", "p", "1"],
            "equality_include_type": ["true", "false"],
            "functions": ["{f => Callable[[Integer], String]}", "{a => Callable}", "{f => Integer}", "{f => {type => Callable, final => true}}", "{f => {type => Callable[[Integer], Integer], override => true}}"],
            "type_parameters": ["{a => Integer}", "{q => String}", "{a => {type => Integer, value => 1}}"],
            "constants": ["{K => 1, L => 'x'}", "{a => 1}", "{K => undef}", "{K => [1, {a => b}]}"],
            "serialization": ["[a, b]", "[a]", "[nope]", "[K]"],
            "name": ["'Own'", "'own'", "'A::B'"],
            "checks": ["1"], "annotations": ["{}", "{Annotation => {}}"], "nosuch": ["1"],
        }
        weights = [5, 2, 1, 3, 2, 3, 1.5, 0.7, 0.2, 0.4, 0.3]
        for feature in dict.fromkeys(rng.choices(list(choices), weights, k=rng.choice([0, 1, 1, 2, 3]))):
            features.append(n("member", feature, " => ", rng.choice(choices[feature])))
        inner = [seq(features)]
        return n("statement", "type ", name, " = ", *rng.choice([["Object[{", *inner, "}]"], ["{", *inner, "}"], ["Object {", *inner, "}"], ["Annotation {", *inner, "}"]] if rng.random() < 0.3 else [["Object[{", *inner, "}]"]]))

    def definition(self):
        rng = self.rng
        definitions = []
        functions = []
        types = []
        for name in rng.sample(["f", "g", "m::h"], rng.randint(0, 2)):
            made, count = self.function_definition(name)
            definitions.append(made)
            functions.append((name, count))
        for name in rng.sample(["T1", "M::T", "T2"], rng.randint(0 if functions else 1, 2)):
            self.defining = rng.random() < 0.95
            definitions.append(self.alias_definition(name))
            self.defining = False
            types.append(name)
        if rng.random() < 0.15:
            definitions.append(n("statement", "class c($k = 1) { $z = ", self.expr("any", 1), rng.choice(["\n notice($k) }\ninclude c", " }\nclass { c: k => 2 }", " }"])))
        if rng.random() < 0.15:
            definitions.append(self.statement(1))
            self.variables = []
        self.own = functions
        self.own_types = types
        rng.shuffle(definitions)
        code = [self.statement(1) for _ in range(rng.choice([0, 0, 1]))]
        code.append(n("statement", self.use()))
        return n("code", seq(definitions, "\n"), BETWEEN, seq(code, "\n"))

    def use(self):
        rng = self.rng
        pick = rng.random()
        if self.own and (pick < 0.5 or not self.own_types):
            name, count = rng.choice(self.own)
            count = count if rng.random() < 0.85 else rng.randint(0, 4)
            arguments = seq([self.expr(rng.choice(["int", "string", "any"]), 1) for _ in range(count)])
            block = [" ", self.lambda_(rng.choice([0, 1, 1, 2]), "any", 1)] if rng.random() < 0.15 else []
            call = n("expr", name, "(", arguments, ")", *block)
            return call if rng.random() < 0.7 else n("expr", "[1, 2].map |$x| { ", call, " }") if rng.random() < 0.6 else n("expr", "call('", name, "', ", arguments, ")")
        if not self.own_types:
            return self.expr("any", 2)
        name = rng.choice(self.own_types)
        if rng.random() < 0.15:
            name = rng.choice([name + "::A", name + "::B", name + "[1]", name + "[Integer]", "Optional[" + name + "]", "Array[" + name + "]", "Type[" + name + "]", "Init[" + name + "]", name + "::Car"])
        value = self.expr(rng.choice(["int", "string", "any", "array", "hash"]), 2)
        return n("expr", *rng.choice([
            [self.group(value), " =~ ", name], ["assert_type(", name, ", ", value, ")"], [name, ".new(", value, ")"], [name, "(", seq([value, self.expr("any", 1)]), ")"], [name],
            ["type(", name, ")"], ["with(", value, ") |", name, " $x| { $x }"], [name, " ", rng.choice(["==", "<", "<=", ">"]), " ", self.type_(2)], ["\"${", name, "}\""], ["type(", name, "(", value, "), reduced)"],
            [name, "({a => ", self.expr("any", 1), "})"], [name, "(", self.expr("int", 0), ").", rng.choice(["a", "b", "f(1)", "K", "x", "t", "n"])], [name, "(", value, ") == ", name, "(", value, ")"], ["{a => 1} =~ ", name],
            ["{a => {a => undef}} =~ ", name], ["[1, [2, ['a']]] =~ ", name],
            [name, "(", seq([self.expr(rng.choice(["int", "string", "any"]), 0) for _ in range(rng.randint(0, 3))]), ")"], [name, "({a => 1, b => 'v'}).", rng.choice(["a", "b", "c", "K", "p", "f(1)", "nope", "type", "name"])],
            [name, "(1) == ", name, "(1)"], ["[", name, "(1), ", name, "(1)].unique"], ["{", name, "(1) => 2}[", name, "(1)]"], [name, "(1, 'v') =~ ", name, "[", rng.choice(["1", "{a => 1}", "{q => x}", "2, 3", "{p => d}", "Integer", "default"]), "]"],
            ["annotate(", name, ", ", value, rng.choice([", {}", ", {a => 1}", "", ", clear", ", nope", ", {a => 1, b => 'v'}"]), ")"], ["annotate(", name, ", Integer, {a => 1})\nannotate(", name, ", Integer)"],
            [name, "(", value, ").with |$o| { [$o.a, type($o), \"${o}\"] }"], ["Init[", name, "] =~ Type"], ["[", name, "(1)].each |", name, " $o| { notice($o) }"], ["String(", name, "(1), '%#p')"], [name, ".", rng.choice(["K", "L", "a", "f(1)", "new", "nope"])]]))

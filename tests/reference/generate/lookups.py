"""Lookups of the environment's data, and values that functions read from files."""

from .tree import n, seq

KEYS = ["k", "list", "hash", "deep", "nokey", "hash.a", "list.0", "deep.x.y", "interp", "alias", "bad", "hash.zz", "list.9", "uniq", "conv", "sens", "'hash.a'", "dotted.key", "lit", "merged", "probe::x", "probe::list", "scoped", "fn", "badfn", "nested", "undefd", "number", "list.x", "k.a", "lookup_options", ""]
MERGES = ["first", "unique", "hash", "deep", "'zz'", "{strategy => deep}", "{strategy => deep, knockout_prefix => '--'}", "{strategy => deep, merge_hash_arrays => true}", "{strategy => deep, sort_merged_arrays => true}", "{strategy => unique}", "{'strategy' => 'x'}", "{x => 1}", "default", "reverse_deep", "unconstrained_deep"]


class Lookups:
    """A mixin of Generator."""

    def key(self):
        return n("expr", "'", self.rng.choice(KEYS).replace("'", '"'), "'")

    def lookup(self):
        rng = self.rng
        pick = rng.random()
        if pick < 0.65:
            name = self.key() if rng.random() < 0.85 else n("expr", "[", seq([self.key(), self.key()]), "]")
            arguments = [name]
            if rng.random() < 0.7:
                arguments.append(self.type_as_expr(1) if rng.random() < 0.6 else n("expr", "undef"))
                if rng.random() < 0.7:
                    arguments.append(n("expr", rng.choice(MERGES)) if rng.random() < 0.75 else n("expr", "undef"))
                    if rng.random() < 0.4:
                        arguments.append(self.expr("any", 1))
            block = " |$k| { \"dflt ${k}\" }" if rng.random() < 0.2 else ""
            call = n("expr", "lookup(", seq(arguments), ")", block)
        elif pick < 0.85:
            options = []
            for option in rng.sample(["name", "value_type", "default_value", "override", "default_values_hash", "merge", "zz"], rng.randint(1, 3)):
                value = {"name": self.key, "value_type": lambda: self.type_as_expr(1), "merge": lambda: n("expr", rng.choice(MERGES))}.get(option)
                value = value() if value else n("expr", rng.choice(["{k => 1}", "{'hash' => {b => 9}}", "{'list' => [9]}", "'x'", "{}", "1"]))
                options.append(n("pair", option, " => ", value))
            first = [self.key(), ", "] if rng.random() < 0.7 else []
            call = n("expr", "lookup(", *first, "{", seq(options), "})")
        else:
            call = n("expr", rng.choice(["hiera", "hiera_array", "hiera_hash"]), "(", seq([self.key(), *([self.expr("any", 0)] if rng.random() < 0.4 else [])]), ")")
        return n("code", seq([n("statement", call)], "\n"))

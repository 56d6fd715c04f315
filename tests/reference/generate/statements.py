"""Code that ends with a value: assignments, conditions, logging, then an expression."""

from .tree import n, seq


class Statements:
    """A mixin of Generator."""

    def assignment(self, depth=2):
        rng = self.rng
        kind = self.any_kind()
        if rng.random() < 0.1:
            names = [self.fresh() for _ in range(rng.randint(1, 3))]
            if rng.random() < 0.7:
                value = n("expr", "[", seq([self.expr("any", 1) for _ in range(len(names) if rng.random() < 0.85 else 2)]), "]")
            else:
                value = n("expr", "{", seq([n("pair", name, " => ", self.expr("any", 1)) for name in names]), "}")
            self.variables.extend((name, "any") for name in names)
            return n("statement", "[", ", ".join("$" + name for name in names), "] = ", value)
        value = self.expr(kind, depth)
        name = self.fresh() if rng.random() < 0.96 or not self.variables else rng.choice(self.variables)[0]
        self.variables.append((name, kind))
        return n("statement", "$", name, rng.choice([" = "] * 30 + [" += ", " -= "]), value)

    def statement(self, depth=2):
        rng = self.rng
        pick = rng.random()
        if pick < 0.55:
            return self.assignment(depth)
        if pick < 0.75:
            return n("statement", rng.choice(["notice", "notice", "warning", "err", "info", "alert"]), "(", seq([self.expr("any", depth - 1) for _ in range(rng.randint(1, 2))]), ")")
        if pick < 0.85:
            body = seq([self.statement(1) for _ in range(rng.randint(1, 2))], "\n  ")
            tail = n("tail", rng.choice([" else { ", " elsif $facts { "]), seq([self.statement(1)], "\n"), " }") if rng.random() < 0.4 else ""
            return n("statement", "if ", self.expr("bool", depth - 1), " { ", body, " }", tail)
        if pick < 0.9:
            return n("statement", "unless ", self.expr("bool", depth - 1), " { ", self.statement(1), " }")
        if pick < 0.95:
            return n("statement", self.group(self.expr("array", depth)), ".each ", self.lambda_(1, "any", 1))
        return n("statement", self.case_("any", depth))

    def code(self, kind="any", depth=3):
        rng = self.rng
        statements = [self.statement(2) for _ in range(rng.choice([0, 0, 0, 1, 1, 2, 3]))]
        statements.append(n("statement", self.expr(kind, depth)))
        return n("code", seq(statements, "\n"))

"""Cases of every kind, reproducible by their seed."""

import random

from .calls import LOOSE, NOT_CALLED, Calls
from .crossings import Crossings
from .data import Data
from .definitions import Definitions
from .expressions import Expressions
from .formats import Formats
from .literals import Literals
from .lookups import Lookups
from .modules import Modules
from .mutations import Mutations
from .products import Products
from .programs import Programs
from .ruby import Ruby
from .scopes import Scopes
from .sites import SiteGenerator
from .statements import Statements
from .strings import Strings
from .tree import n, seq
from .types import Types

# The percentage of cases of each kind.
SHARES = {"expression": 20, "type": 10, "call": 18, "string": 10, "format": 8, "lookup": 3, "definition": 6, "scope": 4, "program": 18, "module": 7, "syntax": 7, "stdlib": 6, "product": 10, "crossing": 12, "data": 8, "ruby": 8}
# Generated only on request, because they are not code in the Puppet language.
ON_REQUEST = {"ruby"}
DEFAULT = [kind for kind in SHARES if kind not in ON_REQUEST]


class Generator(Crossings, Data, Definitions, Expressions, Formats, Literals, Types, Statements, Calls, Products, Programs, Ruby, Lookups, Mutations, Scopes, Modules, Strings):
    """Generates cases."""

    def __init__(self, table, stdlib, missing):
        self.table = table
        self.loosely_typed = set(LOOSE) | stdlib
        self.core = [name for name in table if name not in stdlib and name not in NOT_CALLED]
        self.stdlib = [name for name in table if name in stdlib and name not in NOT_CALLED and name not in missing]

    def case(self, seed, index, kinds):
        """A case by its number: independent of all others."""
        self.rng = rng = random.Random(f"{seed}/{index}")
        self.variables = []
        self.count = 0
        self.wrong = rng.choice([0.0, 0.0, 0.01, 0.02, 0.05, 0.15])
        names = list(kinds)
        kind = rng.choices(names, [SHARES[name] for name in names])[0]
        settings = {}
        if rng.random() < 0.06:
            settings["strict"] = rng.choice(["off", "error"])
        if rng.random() < 0.08:
            settings["strict_variables"] = True
        mode = "catalog" if kind in ("program", "module") else "value"
        env = "plain"
        if kind == "syntax":
            of_program = rng.random() < 0.5
            mode = "catalog" if of_program else "value"
            tree = self.mutated_code((self.program() if of_program else self.code(depth=2)).text())
        elif kind == "stdlib":
            env = "stdlib"
            tree = self.calls(self.stdlib)
        elif kind == "product":
            tree, with_stdlib = self.product()
            env = "stdlib" if with_stdlib else env
        elif kind == "crossing":
            tree, mode = self.crossing()
        elif kind == "data":
            tree = self.with_files()
            env = "site"
        elif kind == "ruby":
            tree = self.ruby_template()
        elif kind == "module":
            tree = self.module()
            env = "site-stdlib" if self.needs_stdlib else "site"
        elif kind == "program" and rng.random() < 0.88:
            site = SiteGenerator(self)
            env = "site-stdlib" if site.stdlib else "site"
            tree = site.site()
        else:
            tree = getattr(self, "kind_" + kind)()
        return {"kind": kind, "mode": mode, "settings": settings, "env": env, "tree": tree}

    def kind_expression(self):
        return self.code(depth=self.rng.choice([2, 3, 3, 4]))

    def kind_call(self):
        return self.calls(self.core)

    def kind_lookup(self):
        return self.lookup()

    def kind_program(self):
        return self.program()

    def kind_definition(self):
        return self.definition()

    def kind_scope(self):
        return self.scope_code()

    def kind_format(self):
        maker = self.rng.choice([self.make_directives, self.format_map_code, self.time_code, self.version_code, self.regexp_code, self.regexp_code, self.binary_code, self.template])
        return n("code", seq([n("statement", maker(2))], "\n"))

    def kind_string(self):
        if self.rng.random() < 0.5:
            return self.string_code()
        maker = self.rng.choice([self.formatted, self.heredoc, self.interpolated, self.make_string, self.formatted])
        statements = [self.assignment(1) for _ in range(self.rng.choice([0, 1, 1, 2]))]
        return n("code", seq([*statements, n("statement", maker(2))], "\n"))

    def kind_type(self):
        rng = self.rng
        pick = rng.randrange(12)
        a, b = self.type_as_expr(3), self.type_as_expr(2)
        if pick < 2:
            tree = a
        elif pick < 5:
            tree = n("expr", self.group(self.expr("any", 2)), " =~ ", a)
        elif pick == 5:
            tree = n("expr", a, rng.choice([" < ", " <= ", " == ", " > "]), b)
        elif pick == 6:
            tree = n("expr", "type([", a, ", ", b, "], generalized)")
        elif pick < 9:
            tree = n("expr", "assert_type(", a, ", ", self.expr("any", 2), ")")
        elif pick == 9:
            tree = n("expr", a, rng.choice([".new", ""]), "(", seq([self.expr("any", 1) for _ in range(rng.randint(1, 3))]), ")")
        elif pick == 10:
            tree = n("expr", "type(", self.expr("any", 3), rng.choice(["", ", generalized", ", reduced"]), ")")
        else:
            value = self.expr("any", 1)
            tree = n("expr", "with(", value, ") |", a, " $p| { $p }")
        return n("code", seq([n("statement", tree)], "\n"))

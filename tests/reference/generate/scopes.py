"""Variables and their visibility: facts, qualified names, matches, blocks, multiple assignments; resources as values."""

from .tree import n, seq

GLOBALS = ["$facts", "$trusted", "$server_facts", "$facts['os']", "$facts['os']['release']['major']", "$facts['nope']", "$facts['nope']['x']", "$trusted['certname']", "$trusted['extensions']", "$::kernel", "$kernel", "$::facts['list']", "$settings::strict",
           "$settings::environment", "$settings::nope", "$environment", "$title", "$name", "$module_name", "$caller_module_name", "$server_facts['serverversion']", "$nope", "$::nope", "$nope::x", "$facts['list'][1]", "$facts['list'][-1, 1]", "$fqdn", "$facts['networking']['interfaces']['eth0']['ip']",
           "$0", "$1", "$facts['memory']", "$is_virtual", "$facts['is_virtual']", "$clientcert", "$serverversion", "$servername", "$settings::all_local['strict']", "$trusted['domain']", "$facts['list', 'kernel']", "$main::x", "$::settings::strict"]
PATHS = ["'facts.os.name'", "'facts.list.0'", "'facts.list.x'", "'facts.nope'", "'facts.nope.x'", "'facts'", "'trusted.certname'", "'v.a.b'", "'h.a'", "'h.b.1'", "'h.b.1.z'", "'::kernel'", "'a..b'", "''", "'1'", "'x y'", "'h.\"a\"'", "\"h.'b'.0\"", "'h.1'", "'nope::x'", "'h.b.-1'", "'facts.os.release.full.0'", "'A'", "'h.b.9'"]


class Scopes:
    """A mixin of Generator."""

    def scope_code(self):
        rng = self.rng
        statements = []
        if rng.random() < 0.5:
            statements.append(n("statement", "$h = {a => 1, 'b' => [1, {z => ", self.expr("any", 0), "}], 1 => one, nil => undef}"))
            self.variables.append(("h", "hash"))
        for _ in range(rng.choice([1, 2, 2, 3, 4])):
            statements.append(self.scope_statement())
        known = [name for name, _ in self.variables]
        last = self.scope_value() if rng.random() < 0.5 or not known else n("expr", "[", seq([n("expr", "$", name) for name in rng.sample(known, min(len(known), 3))]), "]")
        statements.append(n("statement", last))
        return n("code", seq(statements, "\n"))

    def scope_value(self, depth=1):
        rng = self.rng
        pick = rng.random()
        if pick < 0.35:
            return n("expr", rng.choice(GLOBALS))
        if pick < 0.55:
            name = rng.choice(["getvar", "getvar", "get", "dig"])
            if name == "getvar":
                return n("expr", "getvar(", rng.choice(PATHS), *rng.choice([[")"], [", 'dflt')"], [") |$e| { $e }"], [", 1) |$e| { $e['issue_code'] }"]]))
            base = rng.choice(["$facts", "$h", "[1, [2, 3], {a => [4]}]", "{a => {b => [1, undef]}}", "undef", "'x'", "1", "Integer"])
            if name == "get":
                return n("expr", "get(", base, *rng.choice([[")"], [", ", rng.choice(["'os.name'", "'1.0'", "'a.b.0'", "'a.b.1'", "'2.a.0'", "'b.1.z'", "''", "'x'", "'a.b.x'", "'-1'", "'a..b'", "'\"a\".b'", "0", "'1.0.0'"]), rng.choice([")", ")", ", 'd')", ") |$e| { [$e] }"])]]))
            return n("expr", "dig(", base, ", ", seq([n("expr", rng.choice(["'a'", "0", "1", "'os'", "'b'", "-1", "undef", "'name'", "1.5"])) for _ in range(rng.randint(1, 3))]), ")")
        if pick < 0.7:
            return n("expr", '"', seq([rng.choice(["${facts['os']['name']}", "$facts['os']", "${::kernel}", "$::kernel", "${trusted[certname]}", "${facts[list][0]}", "${facts[list].map |$x| { \"<${x}>\" }}", "${kernel}", "$kernel.size", "${kernel.size}", "${nope}", "${h}", "${h[a]}", "$h[a]", "${h['b'][1]}", "${if true { 1 }}",
                                                   "${'${1}'}", "${\"${1 + 1}\"}", "${[1, 2][0]}", "${ kernel }", "${-1}", "${1}", "${0}", "${type}", "${unless}", "${Integer}", "${undef}", "${default}", "${!true}", "${facts == 1}", "${{a => 1}}", "${h.keys}", "${notice(1)}", "${kernel ? { 'Linux' => 1 }}", "\\${x}", "$", "$$", "${}", "${$h}", "${x::y}", "${::x::y}", "${_x}",
                                                   "\\u{41}", "\\x", "\\0", "\\s\\t\\r\\n", "\\'", "\\\"", "${h.a}", "${h.dig('b', 0)}", "$1", "${md5('a')}", "${case 1 { 1: { x } }}", "${size('abc')}", "${[*$h]}"]) for _ in range(rng.randint(1, 3))], rng.choice(["", " "])), '"')
        if pick < 0.8:
            return n("expr", rng.choice(["defined(", "defined("]), rng.choice(["$h", "'$h'", "'$nope'", "$nope", "'$::kernel'", "File", "File['/x']", "'notify'", "Notify['r1']", "'probe::twice'", "Class['main']", "'$facts'", "'$1'", "'$nope::x'", "Integer", "'Integer'", "'main'", "Class", "'md5'", "'$h', '$nope'", "undef", "1"]), ")")
        if pick < 0.88:
            return n("expr", rng.choice(["Notify['r1']['message']", "Notify['r1']['nope']", "Notify['r1']", "Notify['zz']['message']", "Class['main']['name']", "Notify['r1'] == Notify[r1]", "Notify['r1'] -> Notify['r2']", "Notify['r1', 'r2']['message']", "Notify[r1][tag]", "Notify['r1'] =~ Resource['notify']", "tagged('main')", "tagged('r1')", "Notify[['r1']]"]))
        return self.expr("any", 2)

    def scope_statement(self):
        rng = self.rng
        pick = rng.random()
        fresh = self.fresh
        if pick < 0.2:
            names = [fresh() for _ in range(rng.randint(1, 4))]
            if rng.random() < 0.6:
                inner = list("$" + name for name in names)
                values = [self.expr("any", 0) for _ in names]
                if len(names) > 2 and rng.random() < 0.5:
                    inner = [inner[0], "[" + ", ".join(inner[1:]) + "]"]
                    values = [values[0], n("expr", "[", seq(values[1:]), "]")]
                if rng.random() < 0.1:
                    values.append(n("expr", "9"))
                self.variables.extend((name, "any") for name in names)
                return n("statement", "[", ", ".join(inner), "] = ", n("expr", "[", seq(values), "]"))
            self.variables.extend((name, "any") for name in names)
            return n("statement", "[", ", ".join("$" + name for name in names), "] = ", rng.choice([n("expr", "{", seq([n("pair", name, " => ", self.expr("any", 0)) for name in (names if rng.random() < 0.9 else names[1:])]), "}"), n("expr", "Class['main']"), self.expr("any", 1)]))
        if pick < 0.35:
            name = fresh()
            value = self.scope_value()
            self.variables.append((name, "any"))
            return n("statement", "$", name, " = ", value)
        if pick < 0.5:
            # Matches and the variables that they set.
            subject = rng.choice(["'abc'", "'x1y2'", "'foo bar'", "''"])
            regexp = rng.choice(["/b/", "/(\\w)(\\d)/", "/(?<q>o+)/", "/zz/", "/(x)|(f)/", "/^$/"])
            inner = self.scope_statement() if rng.random() < 0.3 else n("statement", "notice([$0, $1, $2])")
            return n("statement", *rng.choice([
                ["if ", subject, " =~ ", regexp, " { ", inner, " }\nnotice($0)"], ["if ", subject, " !~ ", regexp, " { ", inner, " } else { notice($1) }"], ["case ", subject, " { ", regexp, ": { ", inner, " } default: { notice($0) } }"],
                ["$", fresh(), " = ", subject, " ? { ", regexp, " => \"<$0 $1>\", default => $0 }"], ["unless ", subject, " =~ ", regexp, " { ", inner, " } else { notice(\"${0}\") }"], ["[1].each |$x| { if ", subject, " =~ ", regexp, " { ", inner, " } notice($0) }"],
                [subject, " =~ ", regexp, "\nnotice($0, $1)"], ["if ", subject, " =~ ", regexp, " and 'zy' =~ /(y)/ { ", inner, " }"], ["with('in') |$w| { if $w =~ /(n)/ { ", inner, " } }\nnotice($1)"]]))
        if pick < 0.62:
            name = rng.choice(["notice", "warning", "err", "info", "debug", "crit", "fail"] if rng.random() < 0.9 else ["include", "realize", "tag", "contain", "require"])
            # Calls without parentheses.
            return n("statement", name, " ", seq([rng.choice(["1", "'a'", "$facts['os']['name']", "[1, 2]", "abc", "$h", "Integer", "\"x ${kernel}\"", "undef", "-1", "{a => 1}", "md5('x')", "1 + 2", "/x/", "default", "true"]) for _ in range(rng.randint(1, 2))])) if rng.random() < 0.8 else n("statement", name)
        if pick < 0.74:
            inner = self.scope_statement()
            return n("statement", *rng.choice([["[1, 2].each |$x| { ", inner, " }"], ["with(3) |$h| { notice($h) ", inner, " }"], ["if ", self.expr("bool", 1), " { ", inner, " } elsif true { notice(e) } else { notice(f) }"], ["{a => 1}.each |$k, $v = 2| { ", inner, " }"], ["$", fresh(), " = [1, 2, 3].reduce |$m, $x| { ", inner, " $m }"],
                                               ["case ", self.expr("any", 1), " { ", self.option(1), ", *[1, 'a', /x/, Integer]: { ", inner, " } default: {} }"], ["unless false { ", inner, " }"], ["[1, [2, 3]].each |$i, $x| { ", inner, " }"], ["Integer[1, 2].map |$x| { ", inner, " } "]]))
        if pick < 0.84:
            return n("statement", rng.choice(["$x = ", "$y = ", "$r = ", ""]), rng.choice(["notify { 'r1': message => 'm' }", "notify { ['r1', 'r2']: }", "@notify { 'r1': tag => 'z' }", "notify { 'r2': message => $h }", "notify { 'r1': ; 'r2': message => [1, undef] }", "notify { default: message => 'd'; 'r1': }", "Notify { message => 'dd' }", "notify { 'r1': * => {message => 'q'} }", "notify { $h: }",
                                                                              "Notify['r1'] { message => 'over' }", "Notify['r1'] { message +> 'over' }", "notify { '': }", "notify { undef: }", "notify { [undef, 'r1']: }", "notify { [[]]: }", "@@notify { 'r1': }", "realize(Notify['r1'])", "create_resources(notify, {'r1' => {message => 1}})", "create_resources('@notify', {'r1' => {}}, {message => 2})", "notify { 'r1': message => undef, loglevel => err }"]))
        if pick < 0.92:
            return n("statement", rng.choice(["# a comment\n", "/* c */ ", "1 ; ", "", "# é\n"]), self.assignment(1), rng.choice(["", " # end", " /* * */", ";"]))
        return n("statement", rng.choice(["$x", "$h", "$v1", "$facts", "$trusted", "$1", "$a::b", "$_z", "$::q", "$title", "$name", "$kernel", "$server_facts", "$environment", "$module_name"]), rng.choice([" = ", " = ", " += "]), self.expr("any", 1))

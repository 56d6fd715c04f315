//! Inputs of a size, one kind a row.

use super::Case;
use super::Kind;

pub(super) const EVAL: &[&str] = &["eval", "code.pp", "--time-limit", "100"];
const CHECK: &[&str] = &["check", "code.pp"];
pub(super) const COMPILE: &[&str] =
    &["compile", "a", "--output", "out.json", "--manifest", "code.pp", "--time-limit", "100"];
const LOOKUP: &[&str] = &["eval", "-e", "lookup('k', default_value => 1) =~ Any", "--time-limit", "100"];

/// One piece of text for each number.
fn each(n: usize, piece: impl Fn(usize) -> String) -> String {
    (0..n).map(piece).collect()
}

pub(super) fn code(command: &'static [&'static str], text: String) -> Case {
    (vec![("code.pp", text)], command)
}

fn list(n: usize, piece: impl Fn(usize) -> String) -> String {
    (0..n).map(piece).collect::<Vec<_>>().join(", ")
}

fn yaml(text: String) -> Case {
    (
        vec![("hiera.yaml", "version: 5\nhierarchy: [{name: d, path: d.yaml}]\n".to_owned()), ("data/d.yaml", text)],
        LOOKUP,
    )
}

fn hiera(kind: &str, file: &'static str, text: String) -> Case {
    let name = file.trim_start_matches("data/");
    let config = format!("version: 5\nhierarchy: [{{name: d, path: {name}, data_hash: {kind}}}]\n");
    (vec![("hiera.yaml", config), (file, text)], LOOKUP)
}

/// Levels of which each has its own entry in a value that all have.
fn levels(n: usize, value: &str, merge: &'static [&'static str]) -> Case {
    let levels = each(n, |i| format!("  - {{name: l{i}, data_hash: 'm::data', options: {{i: {i}}}}}\n"));
    let function = format!("function m::data($o, $c) {{ {{ 'k' => {value} }} }}");
    let files =
        vec![("hiera.yaml", format!("version: 5\nhierarchy:\n{levels}")), ("modules/m/functions/data.pp", function)];
    (files, merge)
}

fn groups(text: String) -> Case {
    let site = "manifest = \"site.pp\"\nnodes = \"nodes\"\n[classifier]\ngroups = \"groups.yaml\"\n".to_owned();
    let files = vec![
        ("catwalk.toml", site),
        ("groups.yaml", format!("- {{name: All Nodes, classes: {{}}}}\n{text}")),
        ("site.pp", String::new()),
    ];
    (files, &["compile", "a", "--output", "out.json"])
}

fn tested(text: String) -> Case {
    let files = vec![
        ("metadata.json", crate::support::METADATA.to_owned()),
        ("manifests/init.pp", "class m {}".to_owned()),
        ("tests/t.yaml", text),
    ];
    (files, &["test", "--list"])
}

fn erb(text: String) -> Case {
    (vec![("modules/m/templates/t.erb", text), ("code.pp", "template('m/t.erb') =~ Any".to_owned())], EVAL)
}

pub(super) const KINDS: &[Kind] = &[
    ("closing braces", 20_000, |n| code(CHECK, "}\n".repeat(n))),
    ("errors", 10_000, |n| code(CHECK, "$a = = 1\n".repeat(n))),
    ("errors of validation", 2000, |n| code(CHECK, each(n, |i| format!("class a{i} {{ class Bad {{}} }}\n")))),
    ("unclosed texts", 10_000, |n| code(CHECK, "$a = \"${x\n".repeat(n))),
    ("unclosed blocks", 4000, |n| code(CHECK, "if true {\n".repeat(n))),
    ("unclosed blocks of EPP", 5000, |n| {
        let epp = "<% [1].each |$x| { %>\n".repeat(n);
        (vec![("modules/m/templates/t.epp", epp), ("code.pp", "epp('m/t.epp')".to_owned())], EVAL)
    }),
    ("unclosed tags of EPP", 20_000, |n| {
        let epp = "<% | ".repeat(n);
        (vec![("modules/m/templates/t.epp", epp), ("code.pp", "epp('m/t.epp')".to_owned())], EVAL)
    }),
    ("dollars in a text", 50_000, |n| code(EVAL, format!("\"{}\".length", "$ ".repeat(n)))),
    ("patterns of a type", 4000, |n| code(EVAL, format!("'z' =~ Pattern[{}]", list(n, |i| format!("/^a{i}/"))))),
    ("unclosed heredocs", 10_000, |n| code(CHECK, each(n, |i| format!("$h{i} = @(E{i})\n")))),
    ("comments", 200_000, |n| code(EVAL, "# c\n".repeat(n) + "1")),
    ("resources", 3000, |n| code(COMPILE, each(n, |i| format!("notify {{ 'n{i}': }}\n")))),
    ("bodies of a resource", 3000, |n| {
        code(COMPILE, format!("notify {{\n{}}}", each(n, |i| format!("'n{i}': message => 'x';\n"))))
    }),
    ("classes", 1500, |n| code(COMPILE, each(n, |i| format!("class a{i} {{}}\ninclude a{i}\n")))),
    ("parameters", 4000, |n| {
        code(COMPILE, format!("class c({}) {{}}\ninclude c", list(n, |i| format!("Integer $p{i} = {i}"))))
    }),
    ("arrows", 1500, |n| {
        let chain = (0..n).map(|i| format!("Notify['n{i}']")).collect::<Vec<_>>().join(" -> ");
        code(COMPILE, format!("{}{chain}", each(n, |i| format!("notify {{ 'n{i}': }}\n"))))
    }),
    ("realized resources", 1500, |n| {
        code(COMPILE, each(n, |i| format!("@notify {{ 'n{i}': }}\nrealize(Notify['n{i}'])\n")))
    }),
    ("overrides", 1500, |n| {
        code(COMPILE, each(n, |i| format!("notify {{ 'n{i}': }}\nNotify['n{i}'] {{ message => 'x' }}\n")))
    }),
    ("node blocks", 1500, |n| code(COMPILE, each(n, |i| format!("node /^b{i}$/ {{}}\n")) + "node default {}")),
    ("options of a case", 10_000, |n| {
        code(EVAL, format!("case 'z' {{ {} default: {{ 1 }} }}", each(n, |i| format!("'a{i}': {{ {i} }}\n"))))
    }),
    ("keys of a hash", 10_000, |n| code(EVAL, format!("{{ {} }}.length", list(n, |i| format!("'a{i}' => {i}"))))),
    ("a long text", 1_000_000, |n| code(EVAL, format!("'{}'.length", "a".repeat(n)))),
    ("interpolations", 20_000, |n| code(EVAL, format!("$x = 1\n\"{}\".length", "${x} ".repeat(n)))),
    ("heredocs", 5000, |n| code(EVAL, each(n, |i| format!("$h{i} = @(E)\n  t {i}\n  | E\n")) + "1")),
    ("a type's text", 10_000, |n| code(EVAL, format!("1 =~ Variant[{}]", list(n, |i| format!("Enum['a{i}']"))))),
    ("parameters of EPP", 4000, |n| {
        let epp = format!("<%- | {} | -%>\nx", list(n, |i| format!("$p{i} = 1")));
        (vec![("modules/m/templates/t.epp", epp), ("code.pp", "epp('m/t.epp') =~ Any".to_owned())], EVAL)
    }),
    ("tags of EPP", 10_000, |n| {
        let code = "epp('m/t.epp') =~ Any".to_owned();
        (vec![("modules/m/templates/t.epp", "<%= 1 %> a\n".repeat(n)), ("code.pp", code)], EVAL)
    }),
    ("tags of ERB", 4000, |n| erb("<%= 1 %> a\n".repeat(n))),
    ("methods of Ruby", 3000, |n| erb(format!("<%\n{}%>x", each(n, |i| format!("def m{i}(a); a; end\n"))))),
    ("heredocs of Ruby", 3000, |n| erb(format!("<%\n{}%>x", each(n, |i| format!("a = <<E{i}\n t\nE{i}\n"))))),
    ("keys of YAML", 8000, |n| yaml(each(n, |i| format!("k{i}: {i}\n")))),
    ("anchors of YAML", 4000, |n| yaml(each(n, |i| format!("k{i}: &a{i} {i}\nl{i}: *a{i}\n")))),
    ("merged keys of YAML", 4000, |n| yaml(format!("a: &a {{x: 1}}\n{}", each(n, |i| format!("l{i}:\n  <<: *a\n"))))),
    ("a scalar of YAML", 300_000, |n| yaml(format!("k: '{}'\n", "a ".repeat(n)))),
    ("keys of JSON", 20_000, |n| {
        hiera("json_data", "data/d.json", format!("{{{}}}", list(n, |i| format!("\"k{i}\": {i}"))))
    }),
    ("patterns of lookup_options", 2000, |n| {
        yaml(format!("lookup_options:\n{}", each(n, |i| format!("  '^b{i}':\n    merge: first\n"))))
    }),
    ("keys of HOCON", 4000, |n| hiera("hocon_data", "data/d.conf", each(n, |i| format!("k{i} = {i}\n")))),
    ("levels of hiera.yaml", 2000, |n| {
        let levels = each(n, |i| format!("  - {{name: l{i}, path: 'a{i}/%{{facts.x}}.yaml'}}\n"));
        (vec![("hiera.yaml", format!("version: 5\nhierarchy:\n{levels}"))], LOOKUP)
    }),
    ("interpolations in data", 4000, |n| yaml(format!("k: '{}'\n", "%{facts.x}".repeat(n)))),
    ("items of arrays that differ", 2000, |n| {
        let items = |from: usize| list(n, |i| format!("\"i{}\"", i + from));
        let catalog = format!(
            r#"{{"name": "a", "version": 1, "catalog_format": 2, "edges": [], "resources": [{{"type": "Notify", "title": "n",
            "tags": [], "exported": false, "parameters": {{"message": [{}]}}}}]}}"#,
            items(0)
        );
        let manifest = format!("notify {{ 'n': message => [{}] }}", items(n));
        (vec![("kept/a.json", catalog), ("manifests/site.pp", manifest)], &["diff", "--against", "kept"])
    }),
    ("facts", 8000, |n| {
        let facts = format!("{{{}}}", list(n, |i| format!("\"k{i}\": {i}")));
        (vec![("f.json", facts)], &["eval", "--facts", "f.json", "-e", "$facts.length"])
    }),
    ("merged objects of HOCON", 1000, |n| {
        hiera("hocon_data", "data/d.conf", format!("a = {{}}\n{}", each(n, |i| format!("a = {{ k{i} = {i} }}\n"))))
    }),
    ("paths of HOCON", 1000, |n| hiera("hocon_data", "data/d.conf", each(n, |i| format!("a.b.c{i} = {i}\n")))),
    ("comments of HOCON", 20_000, |n| hiera("hocon_data", "data/d.conf", "# c\n".repeat(n))),
    ("local variables of a template", 2000, |n| {
        erb(format!("<%\n{}{}%>x", each(n, |i| format!("v{i} = {i}\n")), each(n, |i| format!("w = v{i}\n"))))
    }),
    ("local variables of a method", 2000, |n| {
        erb(format!("<%\ndef m\n{}end\nm%>x", each(n, |i| format!("v{i} = {i}\n"))))
    }),
    ("elements added by Ruby", 4000, |n| {
        erb(format!("<% a = []; h = {{}}; s = ''\n{n}.times {{ |i| a << i; h[i] = i; s << 'ab' }} %>x"))
    }),
    ("a sum of Ruby", 4000, |n| erb(format!("<%= 1{} %>", " + 1".repeat(n)))),
    ("escapes of Ruby", 20_000, |n| erb(format!("<%= \"{}\".length %>", "\\n\\u0041".repeat(n)))),
    ("options of Ruby's case", 4000, |n| {
        erb(format!("<% case 'z'\n{}end %>", each(n, |i| format!("when 'a{i}' then 1\n"))))
    }),
    ("variants of variants", 500, |n| {
        let all = list(n, |i| format!("Pattern[/a{i}/]"));
        code(EVAL, format!("Variant[{all}] < Variant[{all}, Integer]"))
    }),
    ("structs of structs", 1000, |n| {
        let all = |t: &str| list(n, |i| format!("a{i} => {t}"));
        code(EVAL, format!("Struct[{{{}}}] < Struct[{{{}}}]", all("Integer[1, 2]"), all("Integer")))
    }),
    ("aliases of aliases", 500, |n| {
        let chain = each(n, |i| format!("type A{} = A{i}\n", i + 1));
        code(EVAL, format!("type A0 = Integer\n{chain}{}1", each(n, |i| format!("1 =~ A{i}\n"))))
    }),
    ("collectors by tag", 500, |n| {
        code(COMPILE, each(n, |i| format!("@notify {{ 'n{i}': tag => 't{i}' }}\nNotify <| tag == 't{i}' |>\n")))
    }),
    ("collectors by title", 500, |n| {
        code(COMPILE, each(n, |i| format!("@notify {{ 'n{i}': }}\nNotify <| title == 'n{i}' |>\n")))
    }),
    ("collectors with overrides", 500, |n| {
        let one = |i| format!("@notify {{ 'n{i}': }}\nNotify <| title == 'n{i}' |> {{ message => 'x' }}\n");
        code(COMPILE, each(n, one))
    }),
    ("collectors by attribute", 500, |n| {
        let one = |i| format!("@notify {{ 'n{i}': message => 'm{i}' }}\nNotify <| message == 'm{i}' |>\n");
        code(COMPILE, each(n, one))
    }),
    ("collectors of everything", 500, |n| code(COMPILE, each(n, |i| format!("@notify {{ 'n{i}': }}\nNotify <| |>\n")))),
    ("resources required one after the other", 1000, |n| {
        code(COMPILE, each(n, |i| format!("notify {{ 'n{i}': }} -> notify {{ 'm{i}': require => Notify['n{i}'] }}\n")))
    }),
    ("cycles", 500, |n| {
        let one = |a: &str, b: &str, i: usize| format!("notify {{ '{a}{i}': require => Notify['{b}{i}'] }}\n");
        code(COMPILE, each(n, |i| one("a", "b", i) + one("b", "a", i).as_str()))
    }),
    ("an array of titles", 3000, |n| {
        code(COMPILE, format!("notify {{ [{}]: message => 'x' }}", list(n, |i| format!("'n{i}'"))))
    }),
    ("attributes from a hash", 2000, |n| {
        let params = list(n, |i| format!("$a{i}"));
        let values = list(n, |i| format!("a{i} => {i}"));
        code(COMPILE, format!("define d({params}) {{}}\nd {{ 'x': * => {{ {values} }} }}"))
    }),
    ("instances of a define", 1000, |n| {
        let all = each(n, |i| format!("d {{ 'x{i}': }}\n"));
        code(COMPILE, format!("define d() {{ notify {{ $title: }} }}\n{all}"))
    }),
    ("functions", 2000, |n| {
        code(
            EVAL,
            each(n, |i| format!("function f{i}() {{ {i} }}\n")) + each(n, |i| format!("f{i}()\n")).as_str() + "1",
        )
    }),
    ("variables", 10_000, |n| code(EVAL, each(n, |i| format!("$v{i} = {i}\n")) + "1")),
    ("options of a selector", 10_000, |n| {
        code(EVAL, format!("'z' ? {{ {} default => 1 }}", each(n, |i| format!("'a{i}' => {i},\n"))))
    }),
    ("regular expressions of a case", 1000, |n| {
        code(EVAL, format!("case 'z' {{ {} default: {{ 1 }} }}", each(n, |i| format!("/^a{i}$/: {{ {i} }}\n"))))
    }),
    ("alternatives of a regular expression", 5000, |n| {
        code(EVAL, format!("'z' =~ /{}/", list(n, |i| format!("a{i}")).replace(", ", "|")))
    }),
    ("escapes of a string", 50_000, |n| code(EVAL, format!("\"{}\".length", "\\n\\u0041\\t".repeat(n)))),
    ("a long comment", 100_000, |n| code(EVAL, format!("/*{}*/1", "c\n".repeat(n)))),
    ("lines of a heredoc", 20_000, |n| {
        code(EVAL, format!("$y = 1\n$x = @(\"E\")\n{}  | E\n1", "  line ${y}\n".repeat(n)))
    }),
    ("formats of strptime", 1000, |n| {
        code(EVAL, format!("Timestamp('2019', [{}, '%Y'])", list(n, |_| "'%d %H'".into())))
    }),
    ("directives of strptime", 5000, |n| {
        code(EVAL, format!("Timestamp('{}', '{}')", "2019 ".repeat(n), "%Y ".repeat(n)))
    }),
    ("a text that is searched", 50_000, |n| {
        code(EVAL, format!("regsubst('{}', 'a', 'b', 'G').length", "ab".repeat(n)))
    }),
    ("a flow sequence of YAML", 10_000, |n| yaml(format!("k: [{}]\n", "a, ".repeat(n)))),
    ("a flow mapping of YAML", 5000, |n| yaml(format!("k: {{{}}}\n", list(n, |i| format!("a{i}: 1"))))),
    ("an unclosed flow of YAML", 2000, |n| yaml(format!("k: {}\n", "[a, ".repeat(n)))),
    ("lines of a YAML scalar", 20_000, |n| yaml(format!("k: >\n{}", "  line\n".repeat(n)))),
    ("escapes of YAML", 20_000, |n| yaml(format!("k: \"{}\"\n", "\\n\\u0041".repeat(n)))),
    ("escapes of JSON", 50_000, |n| {
        hiera("json_data", "data/d.json", format!("{{\"k\": \"{}\"}}", "\\u0041".repeat(n)))
    }),
    ("files of hiera.yaml", 500, |n| {
        let levels = each(n, |i| format!("  - {{name: l{i}, path: a{i}.yaml}}\n"));
        (vec![("hiera.yaml", format!("version: 5\nhierarchy:\n{levels}"))], LOOKUP)
    }),
    ("encrypted values", 1000, |n| {
        let text = each(n, |i| format!("k{i}: ENC[PKCS7,{}]\n", "QUJD".repeat(20)));
        let level = "{name: d, path: d.yaml, lookup_key: eyaml_lookup_key, options: {pkcs7_private_key: k, pkcs7_public_key: p}}";
        (vec![("hiera.yaml", format!("version: 5\nhierarchy: [{level}]\n")), ("data/d.yaml", text)], LOOKUP)
    }),
    ("node groups", 500, |n| {
        let one = |i| format!("- {{name: g{i}, classes: {{}}, variables: {{v{i}: x}}, rule: ['~', name, '^a']}}\n");
        groups(each(n, one))
    }),
    ("regular expressions of node groups", 500, |n| {
        groups(each(n, |i| format!("- {{name: g{i}, classes: {{}}, rule: ['~', name, 'b{i}.*x']}}\n")))
    }),
    ("a rule of a node group", 3000, |n| {
        groups(format!("- {{name: g, classes: {{}}, rule: [or, {}]}}\n", list(n, |i| format!("['=', name, b{i}]"))))
    }),
    ("levels of a deep merge", 300, |n| {
        let merge = &["eval", "-e", "lookup('k', Hash, 'deep').length", "--time-limit", "100"];
        levels(n, "{ \"a${o['i']}\" => 1, 'b' => { \"c${o['i']}\" => [1] }, 'd' => [$o['i']] }", merge)
    }),
    ("levels of a hash merge", 300, |n| {
        levels(n, "{ \"a${o['i']}\" => 1 }", &["eval", "-e", "lookup('k', Hash, 'hash').length", "--time-limit", "100"])
    }),
    ("levels of a unique merge", 300, |n| {
        levels(n, "[$o['i']]", &["eval", "-e", "lookup('k', Array, 'unique').length", "--time-limit", "100"])
    }),
    ("keys that are compared with patterns of lookup_options", 500, |n| {
        let options = each(n, |i| format!("  '^k{i}x':\n    merge: unique\n"));
        let keys = each(n, |i| format!("k{i}x: 1\n"));
        let asked = format!("Integer[0, {}].map |$i| {{ lookup(\"k${{i}}x\") }} =~ Any", n - 1);
        let hiera = "version: 5\nhierarchy: [{name: d, path: d.yaml}]\n".to_owned();
        let data = format!("lookup_options:\n{options}{keys}");
        (vec![("hiera.yaml", hiera), ("data/d.yaml", data), ("code.pp", asked)], EVAL)
    }),
    ("ranges that differ", 2000, |n| {
        let ranges = list(n, |i| format!("Integer[{}, {}]", 4 * i, 4 * i + 1));
        code(EVAL, format!("type T = Variant[{ranges}]\n1 =~ T"))
    }),
    ("node groups in each other", 300, |n| {
        let parent = |i: usize| if i == 0 { "All Nodes".to_owned() } else { format!("g{}", i - 1) };
        let rule = "rule: ['~', name, '^a']";
        groups(each(n, |i| {
            format!("- {{name: g{i}, parent: {}, classes: {{}}, variables: {{v{i}: x}}, {rule}}}\n", parent(i))
        }))
    }),
    // Tables of rules grow in large steps of memory: with few rules such a step would be mistaken for growth.
    ("rules of what is ignored", 32_000, |n| {
        let rules = each(n, |i| format!("[[ignore]]\ntype = \"File\"\ntitle = \"x{i}\"\n"));
        (vec![("catwalk.toml", rules + "[limits]\ntime = 60\n"), ("code.pp", "1".to_owned())], EVAL)
    }),
];

/// Kinds that have a limit, such as nesting: the larger run is as large as that allows.
pub(super) const DEEP: &[Kind] = &[
    // More of them take time by the square of their number, which the bound of 10,000 levels keeps below half a second.
    ("parentheses", 600, |n| code(EVAL, format!("{}1{}", "(".repeat(n), ")".repeat(n)))),
    ("arrays", 2400, |n| code(EVAL, format!("{}1{}.length", "[".repeat(n), "]".repeat(n)))),
    ("hashes", 2400, |n| code(EVAL, format!("{}1{}.length", "{a=>".repeat(n), "}".repeat(n)))),
    ("conditions", 2400, |n| code(CHECK, format!("{}1{}", "if true {".repeat(n), "}".repeat(n)))),
    ("case in case", 1200, |n| code(CHECK, format!("{}1{}", "case 1 { default: {".repeat(n), "}}".repeat(n)))),
    ("selectors", 2400, |n| code(CHECK, format!("$x = {}1{}", "1 ? { default => ".repeat(n), "}".repeat(n)))),
    ("blocks", 2400, |n| code(CHECK, format!("{}1{}", "[1].each |$x| {".repeat(n), "}".repeat(n)))),
    ("types", 2400, |n| code(CHECK, format!("$x = {}Any{}", "Array[".repeat(n), "]".repeat(n)))),
    ("interpolations", 240, |n| code(CHECK, format!("$x = {}1{}", "\"${".repeat(n), "}\"".repeat(n)))),
    ("parentheses of Ruby", 240, |n| erb(format!("<%= {}1{} %>", "(".repeat(n), ")".repeat(n)))),
    ("conditions of Ruby", 240, |n| erb(format!("<% {}{} %>", "if true\n".repeat(n), "end\n".repeat(n)))),
    ("unclosed conditions of Ruby", 2400, |n| erb(format!("<% {} %>", "if true\n".repeat(n)))),
    ("blocks of Ruby", 240, |n| erb(format!("<% {}1{} %>", "[1].each { |x| ".repeat(n), "}".repeat(n)))),
    ("flows of YAML", 60, |n| yaml(format!("k: {}{}\n", "[".repeat(n), "]".repeat(n)))),
    ("unclosed flows of YAML", 2400, |n| yaml(format!("k: {}\n", "{a: ".repeat(n)))),
    ("JSON", 2400, |n| hiera("json_data", "data/d.json", format!("{{\"k\": {}{}}}", "[".repeat(n), "]".repeat(n)))),
    ("unclosed objects of HOCON", 2400, |n| hiera("hocon_data", "data/d.conf", "{a: ".repeat(n))),
    ("facts of a test", 1000, |n| {
        let facts = each(n, |i| format!("      f{i}: {i}\n"));
        tested(format!("cases:\n  c:\n    class: m\n    facts:\n{facts}"))
    }),
    ("a matrix of tests", 200, |n| {
        let kinds = |count: usize, name: &str| list(count, |i| format!("{name}{i}: {{}}"));
        tested(format!("matrix:\n  a: {{{}}}\n  b: {{{}}}\ncases:\n  c: {{class: m}}\n", kinds(n, "x"), kinds(8, "y")))
    }),
    ("cases of a test", 1500, |n| tested(format!("cases:\n{}", each(n, |i| format!("  c{i}: {{class: m}}\n"))))),
    ("comments of catwalk.toml", 100_000, |n| {
        (vec![("catwalk.toml", "# c\n".repeat(n)), ("code.pp", "1".to_owned())], EVAL)
    }),
];

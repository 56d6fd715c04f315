//! Deep files and files that refer to themselves: each command reads them and ends by itself.

use std::sync::Mutex;

use super::failure;
use super::limited;
use crate::support::Site;

/// Levels of nesting: more than a debug build's stack holds, in a full run more than any does.
fn levels() -> usize {
    if super::is_full() { 1_000_000 } else { 50_000 }
}

/// What nests: the beginning, the innermost part and the end.
type Nest = (&'static str, &'static str, &'static str);

fn nested((open, inner, close): Nest) -> String {
    format!("{}{inner}{}", open.repeat(levels()), close.repeat(levels()))
}

/// A file with text, and the commands that read it.
struct Case {
    file: &'static str,
    text: String,
    commands: &'static [&'static str],
}

const SITE: &[&str] = &["compile n", "check"];
const DATA: &[&str] = &["lookup a --node n", "check"];
const TYPE: &[&str] = &["eval -e t{'a':}"];
const FUNCTION: &[&str] = &["eval -e f(1)", "check"];
const ERB: &[&str] = &["eval -e template('m/t.erb')", "check"];
const EPP: &[&str] = &["eval -e epp('m/t.epp')", "check"];
const TEST: &[&str] = &["test", "check"];

/// Files that hold a value in JSON, which is also YAML, Puppet code and Ruby code: the file, its text around `VALUE`, the commands.
const HOLDERS: &[(&str, &str, &[&str])] = &[
    ("nodes/n.json", "{\"a\":VALUE}", &["compile n", "facts show n", "check", "eval -e 1"]),
    (
        "catalog.json",
        "{\"name\":\"n\",\"version\":1,\"environment\":\"production\",\"edges\":[],\"classes\":[],\"resources\":\
         [{\"type\":\"Notify\",\"title\":\"a\",\"parameters\":{\"message\":VALUE}}]}",
        &["apply --noop --catalog catalog.json", "diff catalog.json catalog.json", "catalog graph catalog.json"],
    ),
    (
        "groups.json",
        "{\"groups\":[{\"name\":\"a\",\"id\":\"00000000-0000-4000-8000-000000000000\",\"environment\":\"production\",\
         \"parent\":\"00000000-0000-4000-8000-000000000000\",\"classes\":{},\"rule\":VALUE}]}",
        &["classify n --enc groups.json", "compile n --enc groups.json"],
    ),
    ("data/d.json", "{\"a\":VALUE}", DATA),
    ("data/d.yaml", "a: VALUE", DATA),
    ("data/d.conf", "a: VALUE", DATA),
    ("modules/m/metadata.json", "VALUE", SITE),
    ("modules/m/tasks/t.json", "VALUE", &["check"]),
    ("exported.json", "VALUE", &["compile n --exported exported.json"]),
    ("answers/commands.json", "VALUE", &["compile n --replay answers"]),
    ("plan.json", "VALUE", &["apply --apply-plan plan.json --catalog plan.json"]),
    ("site.pp", "$a = VALUE", &["compile n", "check", "parse site.pp"]),
    ("catwalk.toml", "a = VALUE", SITE),
    ("environment.conf", "modulepath = VALUE", &["compile n"]),
    ("hiera.yaml", "version: 5\nhierarchy: VALUE", DATA),
    ("modules/m/lib/puppet/functions/f.rb", "x = VALUE", FUNCTION),
    ("modules/m/lib/puppet/type/t.rb", "Puppet::Type.newtype(:t) { x = VALUE }", TYPE),
    ("modules/m/templates/t.erb", "<% x = VALUE %>", ERB),
    ("modules/m/templates/t.epp", "<% $x = VALUE %>", EPP),
    ("tests/n.yaml", "n: VALUE", TEST),
    ("snapshots/n.snap", "---\nVALUE", &["test"]),
];

/// YAML whose anchors contain themselves.
const ANCHORS: &[&str] = &["&a [*a]", "&a {a: *a}", "&a {*a : *a}", "a: &a [&b [*a, *b]]", "a: &a\n  <<: *a\n"];

/// Data of Hiera that refers to itself.
const LOOPS: &[&str] = &[
    "a: \"%{lookup('a')}\"\n",
    "a: \"%{alias('b')}\"\nb: \"%{alias('a')}\"\n",
    "a: [\"%{alias('a')}\"]\n",
    "a: \"%{hiera('b')}\"\nb: {x: \"%{lookup('a')}\"}\n",
    "lookup_options: {a: {merge: \"%{lookup('lookup_options')}\"}}\na: 1\n",
];

const PUPPET: &[Nest] = &[
    ("(", "1", ")"),
    ("-", "1", ""),
    ("!", "true", ""),
    ("\"${", "a", "}\""),
    ("if true {", "", "}"),
    ("Array[", "Any", "]"),
    ("[1].each |$x| {", "", "}"),
    ("class a {", "", "}"),
    ("1 + (", "1", ")"),
    ("1 + ", "1", ""),
    ("$a = ", "1", ""),
    ("case 1 { 1: {", "", "}}"),
    ("$a.b", "", "()"),
    ("true and ", "true", ""),
    ("true or ", "true", ""),
    ("[] << ", "1", ""),
    ("'a' =~ ", "'a'", ""),
    ("1 == ", "1", ""),
    ("1 in ", "[]", ""),
    ("$a", "", "[0]"),
    ("1", "", " ? { default => 1 }"),
    ("File['a'] -> ", "File['a']", ""),
];

const RUBY: &[Nest] = &[
    ("(", "1", ")"),
    ("-", "1", ""),
    ("not ", "1", ""),
    ("\"#{", "1", "}\""),
    ("if true then ", "1", " end"),
    ("lambda { ", "1", "}"),
    ("begin; ", "1", "; end"),
    ("x.map { |x| ", "x", "}"),
    ("1 ? 2 : ", "3", ""),
    ("x = ", "1", ""),
    ("x[", "1", "]"),
    ("class A; ", "", "; end"),
    ("/#{", "1", "}/"),
    ("1 + ", "1", ""),
    ("1 * ", "2.5", ""),
    ("1 == ", "1", ""),
    ("[] << ", "1", ""),
    ("'a' + ", "'b'", ""),
    ("'a' =~ ", "/a/", ""),
    ("true && ", "true", ""),
    ("nil || ", "1", ""),
    ("true and ", "true", ""),
    ("x = 1", "", " rescue 2"),
    ("x = 1", "", " if true"),
    ("x.y", "", "()"),
    ("case 1; in [", "1", "] then 1; end"),
];

const RHAI: &[Nest] = &[
    ("(", "1", ")"),
    ("-", "1", ""),
    ("!", "true", ""),
    ("`${", "1", "}`"),
    ("if true {", "", "}"),
    ("|x| ", "1", ""),
    ("{", "", "}"),
    ("[", "1", "]"),
    ("#{a:", "1", "}"),
    ("f(", "1", ")"),
    ("a[", "1", "]"),
    ("a.b.", "c", ""),
    ("switch 1 { _ => ", "1", "}"),
    ("1 + ", "1", ""),
    ("/*", "", "*/"),
];

const REGEXPS: &[Nest] =
    &[("(", "a", ")"), ("[a-", "z", "]"), ("(?=", "a", ")"), ("a|", "", ""), ("(?:a*)", "", "*"), ("a{1000}", "", "")];

/// Types that contain themselves.
const TYPES: &[&str] = &[
    "type A = Array[A]",
    "type A = Variant[A, Integer]",
    "type A = Optional[A]",
    "type A = B\ntype B = A",
    "type A = Iterable[A]",
    "type A = Object[{parent => A}]",
    "type A = Struct[{a => A}]",
    "type A = Callable[A]",
    "type A = Type[A]",
    "type A = Init[A]",
    "type A = Object[{attributes => {a => A}}]",
    "type A = Tuple[A, A]",
    "type A = Hash[A, A]",
    "type A = TypeSet[{pcore_version => '1.0.0', types => {A => A}}]",
];
const USES_OF_TYPES: &[&str] = &[
    "[[[]]] =~ A",
    "A == A",
    "A < A",
    "\"${A}\"",
    "A =~ A",
    "A == C",
    "A < C",
    "C < A",
    "type(A)",
    "A.new([[]])",
    "assert_type(A, 1)",
    "$x ? { A => 1, default => 2 }",
];

fn cases() -> Vec<Case> {
    let mut all = Vec::new();
    let mut add = |file, text: String, commands| all.push(Case { file, text, commands });
    for value in [nested(("[", "1", "]")), nested(("{\"a\":", "1", "}"))] {
        HOLDERS.iter().for_each(|(file, text, commands)| add(file, text.replace("VALUE", &value), *commands));
    }
    let list = "- ".repeat(levels());
    for text in ANCHORS.iter().copied().chain([list.as_str()]) {
        add("data/d.yaml", text.to_owned(), DATA);
        add("nodes/n.yaml", text.to_owned(), SITE);
        add("hiera.yaml", text.to_owned(), DATA);
        add("tests/n.yaml", text.to_owned(), TEST);
        add("groups.yaml", text.to_owned(), &["classify n --enc groups.yaml"]);
    }
    for text in LOOPS {
        add("data/d.yaml", (*text).to_owned(), &["lookup a --node n", "lookup a --node n --explain", "data n"]);
    }
    for nest in PUPPET {
        add("site.pp", nested(*nest), &["compile n", "check", "parse site.pp"]);
        add("modules/m/templates/t.epp", format!("<%= {} %>", nested(*nest)), EPP);
    }
    for nest in RUBY {
        add("modules/m/templates/t.erb", format!("<%= {} %>", nested(*nest)), ERB);
        add("modules/m/lib/puppet/functions/f.rb", nested(*nest), FUNCTION);
        add("modules/m/lib/puppet/type/t.rb", nested(*nest), TYPE);
    }
    for nest in RHAI {
        let text = format!("fn f() {{ {} }}", nested(*nest));
        add("modules/m/scripts/functions/f.rhai", text.clone(), &["script check", "eval -e m::f()"]);
        add("enc.rhai", text, &["classify n --enc enc.rhai"]);
    }
    for nest in REGEXPS {
        add("site.pp", format!("notice('a' =~ Regexp('{}'))\n", nested(*nest)), &["compile n"]);
        add("modules/m/templates/t.erb", format!("<%= 'a' =~ /{}/ %>", nested(*nest)), ERB);
    }
    for form in ["Optional[T]", "T", "Array[T]", "Object[{parent => T}]", "Variant[T, Integer]"] {
        let define = |n: usize| format!("type T{} = {}\n", n + 1, form.replace('T', &format!("T{n}")));
        let definitions: String = (0..2 * levels()).map(define).collect();
        let first = if form.starts_with("Object") { "Object[{}]" } else { "Integer" };
        let uses = format!("notice(1 =~ T{0}, T{0} == T0, \"${{T{0}}}\".length)", 2 * levels());
        add("site.pp", format!("type T0 = {first}\n{definitions}{uses}\n"), &["compile n --time-limit 20"]);
    }
    for definition in TYPES {
        for code in USES_OF_TYPES {
            add("site.pp", format!("{definition}\ntype C = Array[C]\n$x = [[]]\nnotice({code})\n"), &["compile n"]);
        }
    }
    all
}

/// A site with the files that are read beside the one of a case.
fn site(case: &Case) -> Site {
    let site = Site::new(&[
        ("site.pp", ""),
        ("nodes/n.json", "{}"),
        (
            "hiera.yaml",
            "version: 5\nhierarchy:\n  - {name: y, path: d.yaml}\n  - {name: j, path: d.json, data_hash: json_data}\n  \
             - {name: c, path: d.conf, data_hash: hocon_data}\n",
        ),
        (
            "modules/m/metadata.json",
            r#"{"name": "x-m", "version": "0.1.0", "author": "x", "license": "x", "source": "x", "dependencies": []}"#,
        ),
    ]);
    if case.file == "nodes/n.yaml" {
        site.remove("nodes/n.json");
    }
    site.write(case.file, &case.text);
    site
}

#[test]
fn deep_files_end_no_process() {
    let all = cases();
    let cases = Mutex::new(all.iter());
    let found = Mutex::new(Vec::new());
    let work = || {
        loop {
            let Some(case) = cases.lock().unwrap().next() else { break };
            let site = site(case);
            for command in case.commands {
                let args: Vec<&str> = command.split(' ').collect();
                let output = limited(&site, &args).stdin(std::process::Stdio::null()).output().unwrap();
                if let Some(why) = failure(&output) {
                    let start: String = case.text.chars().take(80).collect();
                    found.lock().unwrap().push(format!("{command} with {} = {start}…\n   {why}", case.file));
                }
            }
        }
    };
    std::thread::scope(|scope| (0..2).for_each(|_| drop(scope.spawn(work))));
    let found = found.into_inner().unwrap();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

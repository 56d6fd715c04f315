//! Resource types that scripts define: mistakes with their positions, order of attributes, equality with types in Ruby, edits.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use catwalk_base::diag::Severity;
use catwalk_program::Environment;
use catwalk_program::Registry;
use catwalk_program::ResourceType;
use catwalk_session::Changes;
use catwalk_session::Options;
use catwalk_session::STACK;
use catwalk_session::Session;
use catwalk_session::update::Outcome;
use catwalk_session::update::State;
use catwalk_world::Disk;

use crate::scripting::compile_site;
use crate::support::Site;

/// The sections of a file: heading, blocks by their kind.
fn sections(text: &str) -> Vec<(&str, Vec<(&str, String)>)> {
    let mut all = Vec::new();
    for section in text.split("\n## ").skip(1) {
        let (heading, rest) = section.split_once('\n').unwrap();
        let mut blocks = Vec::new();
        let mut lines = rest.lines();
        while let Some(line) = lines.next() {
            if let Some(kind) = line.strip_prefix("```") {
                let inner: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
                blocks.push((kind, inner.iter().map(|line| format!("{line}\n")).collect()));
            }
        }
        all.push((heading, blocks));
    }
    all
}

fn block<'a>(blocks: &'a [(&str, String)], kind: &str) -> &'a str {
    blocks.iter().find(|(known, _)| *known == kind).map(|(_, text)| text.as_str()).unwrap()
}

/// What `script check` reports of a type `t`.
fn reported_mistakes(script: &str) -> String {
    let site = Site::new(&[("modules/m/scripts/types/t.rhai", script), ("site.pp", "")]);
    let root = site.path().to_path_buf();
    let run = move || {
        let options = Options { root: Some(root.clone()), ..Options::default() };
        let session = Session::open(options, Arc::new(Disk::new())).unwrap();
        let found = session.check_scripts(&session.scripts().unwrap()).unwrap();
        let line = |diagnostic: &catwalk_base::diag::Diagnostic| {
            let (_, line, column) = session.sources().locate(diagnostic.span.unwrap()).unwrap();
            let warning = if diagnostic.severity == Severity::Warning { "warning " } else { "" };
            let help = diagnostic.help.as_deref().map(|help| format!("    {help}\n")).unwrap_or_default();
            let text = format!("{warning}{line}:{column} {}\n{help}", diagnostic.message);
            text.replace(&*root.to_string_lossy(), "SITE")
        };
        found.iter().map(line).collect::<String>()
    };
    std::thread::Builder::new().stack_size(STACK).spawn(run).unwrap().join().unwrap()
}

#[test]
fn all_mistakes_of_a_definition_are_reported_with_their_positions() {
    let mut wrong = Vec::new();
    for (heading, blocks) in sections(include_str!("../resource-types/mistakes.md")) {
        let (script, expected) = (block(&blocks, "rhai"), block(&blocks, "errors"));
        let got = reported_mistakes(script);
        if got != expected {
            wrong.push(format!("## {heading}\n--- expected\n{expected}--- got\n{got}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The type `t` of a site with these files.
fn read_type(files: &[(&str, &str)]) -> Arc<ResourceType> {
    let site = Site::new(files);
    let root = site.path().to_path_buf();
    let run = move || {
        let scripts = Arc::new(catwalk_scripting::Scripts::new(catwalk_base::source::SourceMap::new()));
        let types = Arc::new(catwalk_scripting::RhaiTypes { scripts });
        let registry = Registry::with_scripts(vec![root.join("modules")], Some(root.clone()), types);
        let environment = Environment::open("production", Some(&root), &Default::default(), &Disk::new()).unwrap().0;
        registry.lookup(&environment, &Disk::new(), "t").unwrap().unwrap()
    };
    std::thread::Builder::new().stack_size(STACK).spawn(run).unwrap().join().unwrap()
}

#[test]
fn ruby_and_rhai_give_equal_definitions() {
    for (heading, blocks) in sections(include_str!("../resource-types/equal.md")) {
        let ruby = read_type(&[("modules/m/lib/puppet/type/t.rb", block(&blocks, "ruby"))]);
        let rhai = read_type(&[
            ("modules/m/scripts/types/t.rhai", block(&blocks, "rhai")),
            (
                "modules/m/scripts/lib/common.rhai",
                "fn named() { #{ type: \"String\", desc: \"n\", behaviour: \"namevar\" } }",
            ),
        ]);
        assert!(ruby.gaps.is_empty(), "{heading}: {:?}", ruby.gaps);
        let definition = |of: &ResourceType| {
            let mut definition = (**of.definition.as_ref().unwrap_or_else(|| panic!("{heading}"))).clone();
            definition.file = Arc::from("");
            format!("{definition:#?}")
        };
        assert_eq!(definition(&ruby), definition(&rhai), "{heading}");
        let names = |of: &ResourceType| of.attributes.keys().map(|name| name.as_str()).collect::<Vec<_>>().join(" ");
        assert_eq!(names(&ruby), names(&rhai), "{heading}");
        assert_eq!(ruby.key_attributes, rhai.key_attributes, "{heading}");
        if let Some((_, order)) = blocks.iter().find(|(kind, _)| *kind == "order") {
            let definition = rhai.definition.as_ref().unwrap();
            let written: Vec<&str> = definition.attributes.keys().map(|name| name.as_str()).collect();
            assert_eq!(written.join(" "), order.trim(), "{heading}");
        }
    }
}

const TWO: &str = r#"register_type(#{ name: "two", desc: "x",
    title_patterns: [#{ pattern: "^(?<b>.*)-(?<a>.*)$" }, #{ pattern: "^(?<b>.*)$" }],
    attributes: #{
        b: #{ type: "String", desc: "x", behaviour: "namevar" },
        a: #{ type: "String", desc: "x", behaviour: "namevar" },
        v: #{ type: "Optional[String]", desc: "x" },
    } });"#;

#[test]
fn manifests_use_types_of_scripts() {
    let one = r#"register_type(#{ name: "one", desc: "x", attributes: #{ key: #{ type: "String", desc: "x", behaviour: "namevar" } } });"#;
    let combo = r#"register_type(#{ name: "combo", desc: "x", title_patterns: [#{ pattern: "^(?<key>[a-z]+)$" }],
        attributes: #{ key: #{ type: "String", desc: "x", behaviour: "namevar" } } });"#;
    let files = [
        ("modules/m/scripts/types/two.rhai", TWO),
        ("scripts/types/one.rhai", one),
        ("modules/m/scripts/types/combo.rhai", combo),
        ("modules/m/scripts/types/bad.rhai", "register_type(#{ name: \"bad\", attributes: #{} });"),
        ("modules/m/scripts/types/both.rhai", &one.replace("one", "both")),
        ("modules/m/lib/puppet/type/both.rb", "Puppet::Type.newtype(:both) do\n newparam(:name)\nend\n"),
    ];
    let cases = [
        ("one { 'a': } notice(One['a'])", "One['a']"),
        ("two { 'php-yum': v => 'x' } notice(Two['php-yum']['v'])", "x"),
        (
            "two { 'php-yum': }\ntwo { 'other': a => 'yum', b => 'php' }",
            "error: Evaluation Error: Error while evaluating a Resource Statement, Cannot alias Two[other] to [\"yum\", \"php\"] at (file: SITE/site.pp, line: 2); resource [\"Two\", \"yum\", \"php\"] already declared (file: SITE/site.pp, line: 1) (file: SITE/site.pp, line: 2, column: 1)",
        ),
        (
            "two { 'x': w => 1 }",
            "error: no parameter named 'w' (file: SITE/site.pp, line: 1) on Two[x] (file: SITE/site.pp, line: 1)",
        ),
        (
            "combo { '5': key => 'a' }",
            "error: Evaluation Error: Error while evaluating a Resource Statement, No set of title patterns matched the title \"5\". (file: SITE/site.pp, line: 1, column: 1)",
        ),
        (
            "bad { 'x': }",
            "error: Evaluation Error: Error while evaluating a Resource Statement, resource type 'bad' cannot be used: `bad` has no namevar (file: SITE/site.pp, line: 1, column: 1)",
        ),
        (
            "both { 'a': }",
            "resource type 'both' is defined in SITE/modules/m/scripts/types/both.rhai and in SITE/modules/m/lib/puppet/type/both.rb: the script is used",
        ),
        ("notify { 'a': } notice('other catalogs compile')", "other catalogs compile"),
    ];
    for (code, expected) in cases {
        let got =
            compile_site(&files, code).map(|logs| logs.join("\n")).unwrap_or_else(|error| format!("error: {error}"));
        assert_eq!(got, expected, "{code}");
    }
}

#[test]
fn a_type_in_ruby_is_refused_as_by_puppet() {
    let ruby = |schema: &str| format!("require 'puppet/resource_api'\nPuppet::ResourceApi.register_type({schema})\n");
    let named = "name: { type: 'String', desc: 'n', behaviour: :namevar }";
    let cases = [
        ("name: 't', desc: 'x', attributes: ['name']".to_owned(), "`t.attributes` must be a hash, not `Array`"),
        (
            format!("name: 't', desc: 'x', attributes: {{ {named}, a: {{ type: 'String[', desc: 'x' }} }}"),
            "The type of the `a` attribute `String[` could not be parsed: Syntax error at end of input",
        ),
        (
            format!("name: 't', desc: 'x', docs: 'y', attributes: {{ {named} }}"),
            "`t` has both `desc` and `docs`, prefer using `desc`",
        ),
    ];
    for (schema, expected) in cases {
        let files = [("modules/m/lib/puppet/type/t.rb", &*ruby(&schema))];
        let error = compile_site(&files, "t { 'a': }").unwrap_err();
        let expected = format!("Could not autoload puppet/type/t: {expected} (file: SITE/site.pp");
        assert!(error.contains(&expected), "{error}");
    }
    // What Puppet accepts compiles, though the agent could not use it.
    let files = [(
        "modules/m/lib/puppet/type/t.rb",
        &*ruby(&format!("name: 't', attributes: {{ {named}, a: {{ type: 'Stdlib::Port' }} }}")),
    )];
    let logs = compile_site(&files, "t { 'a': a => 80 }").unwrap();
    assert_eq!(
        logs,
        [
            "`t` has no documentation, add it using a `desc` key",
            "`t.a` has no documentation, add it using a `desc` key"
        ]
    );
}

#[test]
fn edits_of_types_take_effect() {
    std::thread::Builder::new().stack_size(STACK).spawn(edits).unwrap().join().unwrap();
}

fn edits() {
    let definition = |kind: &str| {
        format!(
            "import \"l\" as l;\nregister_type(#{{ name: \"one\", desc: \"x\", attributes: #{{ key: #{{ type: {kind}, desc: \"x\", behaviour: \"namevar\" }} }} }});"
        )
    };
    let path = "modules/m/scripts/types/one.rhai";
    let site = Site::new(&[
        ("site.pp", "one { 'a': }"),
        ("nodes/n.json", "{}"),
        (path, &definition("l::kind()")),
        ("modules/m/scripts/lib/l.rhai", "fn kind() { \"String\" }"),
    ]);
    let options = Options { root: Some(site.path().to_path_buf()), ..Options::default() };
    let session = Session::open(options, Arc::new(Disk::new())).unwrap();
    let names: Vec<Arc<str>> = vec![Arc::from("n")];
    let mut state = State::default();
    let first = state.compile(&session, &names).unwrap();
    assert!(matches!(first[0].outcome, Outcome::First(_)), "{:?}", first[0].outcome);
    let mut after = |changed: &Path| {
        let changes = Changes { paths: BTreeSet::from([changed.to_path_buf()]), rescan: true };
        session.refresh(&changes);
        let updates = state.update(&session, &names).unwrap();
        match updates.into_iter().next().map(|update| update.outcome) {
            Some(Outcome::Failed { error, .. }) => error.message.to_string(),
            Some(other) => format!("{other:?}").chars().take(9).collect(),
            None => "nothing".to_owned(),
        }
    };
    let unusable =
        "Evaluation Error: Error while evaluating a Resource Statement, resource type 'one' cannot be used: ";
    let steps = [
        (
            "modules/m/scripts/lib/l.rhai",
            Some("fn kind() { \"Strin[\" }".to_owned()),
            "The type of the `key` attribute `Strin[`",
        ),
        (path, Some(definition("\"String\"")), "Same"),
        (path, Some(format!("// A comment.\n{}", definition("\"String\""))), "nothing"),
        (path, None, "Unknown resource type: 'one'"),
        ("scripts/types/one.rhai", Some(definition("\"String\"").replace("import \"l\" as l;", "")), "Same"),
    ];
    for (file, text, expected) in steps {
        match text {
            Some(text) => site.write(file, text),
            None => site.remove(file),
        }
        let got = after(&site.path().join(file));
        assert!(got.replace(unusable, "").contains(expected), "{file}: {got}\nexpected {expected}");
    }
}

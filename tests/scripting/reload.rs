//! An edited script takes effect for the next compile of the nodes that used it, whatever it is for.

use std::collections::BTreeSet;
use std::sync::Arc;

use catwalk_session::Changes;
use catwalk_session::Options;
use catwalk_session::STACK;
use catwalk_session::Session;
use catwalk_session::update::Outcome;
use catwalk_session::update::State;
use catwalk_world::Disk;

use crate::support::Site;

#[test]
fn edits_of_scripts_take_effect() {
    std::thread::Builder::new().stack_size(STACK).spawn(edits).unwrap().join().unwrap();
}

fn edits() {
    let site = Site::new(&[
        (
            "catwalk.toml",
            "modulepath = [\"modules\"]\nmanifest = \"site.pp\"\nnodes = \"nodes\"\nenc = \"scripts/enc.rhai\"\n",
        ),
        ("site.pp", "notify { \"${m::f()} ${lookup('k')} ${tier}\": }"),
        ("nodes/n.json", "{}"),
        ("hiera.yaml", "version: 5\nhierarchy:\n  - { name: own, data_hash: m::b }\n"),
        ("scripts/enc.rhai", "fn classify(node) { #{ parameters: #{ tier: \"t1\" } } }"),
        ("scripts/policies/p.rhai", "fn check(catalog) { }"),
        ("modules/m/scripts/functions/f.rhai", "import \"l\" as l;\nfn f() { \"f1\" + l::x() }"),
        ("modules/m/scripts/lib/l.rhai", "fn x() { \"x1\" }"),
        ("modules/m/scripts/hiera/b.rhai", "fn data_hash(o, c) { #{ k: \"k1\" } }"),
    ]);
    let options = Options { root: Some(site.path().to_path_buf()), ..Options::default() };
    let session = Session::open(options, Arc::new(Disk::new())).unwrap();
    let names: Vec<Arc<str>> = vec![Arc::from("n")];
    let mut state = State::default();
    let first = state.compile(&session, &names).unwrap();
    assert!(matches!(first[0].outcome, Outcome::First(_)), "{:?}", first[0].outcome);
    let mut edit = |path: &str, text: &str| {
        site.write(path, text);
        let changes = Changes { paths: BTreeSet::from([site.path().join(path)]), rescan: false };
        session.refresh(&changes);
        let mut updates = state.update(&session, &names).unwrap();
        assert_eq!(updates.len(), 1, "{path}");
        match updates.remove(0).outcome {
            Outcome::Changed(diff) => catwalk_formats::diff::render(&diff, false),
            Outcome::Failed { error, .. } => error.message.to_string(),
            other => format!("{other:?}"),
        }
    };
    for (path, text, expected) in [
        ("scripts/enc.rhai", "fn classify(node) { #{ parameters: #{ tier: \"t2\" } } }", "+ Notify[f1x1 k1 t2]"),
        (
            "modules/m/scripts/functions/f.rhai",
            "import \"l\" as l;\nfn f() { \"f2\" + l::x() }",
            "+ Notify[f2x1 k1 t2]",
        ),
        ("modules/m/scripts/lib/l.rhai", "fn x() { \"x2\" }", "+ Notify[f2x2 k1 t2]"),
        ("modules/m/scripts/hiera/b.rhai", "fn data_hash(o, c) { #{ k: \"k2\" } }", "+ Notify[f2x2 k2 t2]"),
        ("scripts/policies/p.rhai", "fn check(catalog) { deny(\"not so\") }", "not so"),
        ("scripts/policies/p.rhai", "fn check(catalog) { }", "recovered: true"),
        ("scripts/policies/q.rhai", "fn check(catalog) { deny(\"new\") }", "new"),
        ("modules/m/scripts/functions/f.rhai", "fn f( {", "Expecting"),
    ] {
        let got = edit(path, text);
        assert!(got.contains(expected), "{path}: wanted {expected}, got {got}");
    }
}

//! Kept results: after any edits and with any facts, a result that holds is that of a compile.

use std::collections::HashMap;
use std::sync::Arc;

use catwalk_session::AgentNode;
use catwalk_session::KeptResults;
use catwalk_session::NodeSource;
use catwalk_session::Outdated;
use catwalk_session::Session;
use catwalk_value::Hash;
use catwalk_value::Value;

use super::Following;
use super::document;
use super::edits::Random;
use super::edits::SITE;
use super::edits::edit;
use super::edits::write;
use super::number;
use super::on_large_stack;
use super::options;
use crate::support::Site;

/// Kept catalogs, as a server keeps them.
#[derive(Default)]
struct Kept {
    results: KeptResults,
    documents: HashMap<Arc<str>, String>,
    /// How many results held.
    held: usize,
    /// Why the last result did not hold, and why it was not kept.
    outdated: Option<Outdated>,
    not_kept: Option<Outdated>,
}

impl Kept {
    /// Answers a request; returns whether the kept result holds. It is compiled in any case.
    fn request(&mut self, session: &Session, certname: &Arc<str>, facts: Hash, description: &str) -> bool {
        let trusted = session.trusted_of_certificate(certname, &[]).unwrap_or_default();
        let (certname, facts) = (certname.clone(), Arc::new(facts));
        let agent = AgentNode { certname: certname.clone(), facts, trusted, server_facts: Hash::default() };
        let Ok(prepared) = session.prepare(NodeSource::Agent(&agent)) else { return false };
        let mut compiled = session.compile_prepared(&prepared);
        let now = compiled.result.as_ref().map_or_else(|error| error.message.to_string(), document);
        self.outdated = self.results.check(&certname, &prepared).err();
        let holds = self.outdated.is_none();
        if holds {
            self.held += 1;
            assert_eq!(self.documents.get(&certname), Some(&now), "{description}");
        }
        self.not_kept = self.results.keep(&certname, &mut compiled).err();
        if self.not_kept.is_none() {
            self.documents.insert(certname, now);
        }
        holds
    }

    /// Follows the changes since the last call.
    fn follow(&mut self, following: &Following) -> Vec<String> {
        let outdated = self.results.follow(&following.session, &following.state.take_news());
        let root = &following.session.options.root;
        let root = format!("{}/", root.as_ref().map(|root| root.display().to_string()).unwrap_or_default());
        outdated.into_iter().map(|(key, why)| format!("{key}: {why}").replace(&root, "")).collect()
    }
}

fn facts(entries: &[(&str, i64)]) -> Hash {
    entries.iter().map(|(name, value)| (Value::str(*name), Value::Int(*value))).collect()
}

#[test]
fn only_what_a_compile_used_ends_a_kept_result() {
    on_large_stack(|| {
        let site = Site::new(&[
            ("catwalk.toml", "nodes = \"nodes\"\n"),
            ("nodes/listed.yaml", "{}\n"),
            ("hiera.yaml", "version: 5\nhierarchy:\n- {name: common, path: common.yaml}\n"),
            ("data/common.yaml", "a: 1\nb: 1\n"),
            ("manifests/site.pp", "notify { \"${facts['used']} ${lookup('a')}\": }\n"),
        ]);
        let root = site.path().canonicalize().unwrap();
        let mut following = Following::start(&root);
        let mut kept = Kept::default();
        let name: Arc<str> = Arc::from("agent");
        let request = |kept: &mut Kept, following: &Following, entries: &[(&str, i64)]| {
            kept.request(&following.session, &name, facts(entries), "")
        };
        let edit = |following: &mut Following, path: &str, text: &str| {
            write(&root.join(path), text);
            following.update(Some(&[root.join(path)]));
        };
        let first = [("used", 1), ("unused", 1)];
        assert!(!request(&mut kept, &following, &first));
        assert!(request(&mut kept, &following, &[("used", 1), ("unused", 2)]));
        assert!(!request(&mut kept, &following, &[("used", 2), ("unused", 2)]));
        edit(&mut following, "data/common.yaml", "a: 1\nb: 2\n");
        assert!(kept.follow(&following).is_empty());
        edit(&mut following, "data/common.yaml", "a: 2\nb: 2\n");
        assert_eq!(kept.follow(&following), ["agent: data/common.yaml has changed"]);
        assert!(!request(&mut kept, &following, &first));
        assert!(request(&mut kept, &following, &first));
        // The catalog contains line numbers.
        edit(&mut following, "manifests/site.pp", "\nnotify { \"${facts['used']} ${lookup('a')}\": }\n");
        assert_eq!(kept.follow(&following), ["agent: manifests/site.pp has changed"]);
    });
}

/// A compile that asks what changes without a sign is not kept; the reason names it.
#[test]
fn what_changes_without_a_sign_is_not_kept() {
    let cases = [
        ("notify { 'a': }", "there is no catalog of an earlier request"),
        ("notify { strftime('%s'): }", "the compile asked for the time"),
        ("notify { String(Timestamp.new()): }", "the compile asked for the time"),
        ("notify { inline_template('<%= Time.now.year %>'): }", "the compile asked for the time"),
        ("notify { inline_template('<%= rand(5) %>'): }", "the compile used random numbers"),
        ("notify { inline_template('<%= `echo 1` %>'): }", "the compile asked the command echo"),
        ("notify { generate('/bin/echo', 'secret'): }", "the compile asked the command /bin/echo"),
        ("fail('no')", "the last compile failed"),
    ];
    on_large_stack(move || {
        for (code, expected) in cases {
            let site = Site::new(&[("catwalk.toml", "nodes = \"nodes\"\n"), ("manifests/site.pp", code)]);
            let following = Following::start(&site.path().canonicalize().unwrap());
            let mut kept = Kept::default();
            let name: Arc<str> = Arc::from("agent");
            kept.request(&following.session, &name, facts(&[]), code);
            let why = kept.not_kept.take().map_or_else(|| Outdated::New.to_string(), |why| why.to_string());
            assert_eq!(why, expected, "{code}");
        }
    });
}

/// The reason names the facts that have changed, or that all are used.
#[test]
fn a_reason_names_the_changed_facts() {
    on_large_stack(|| {
        let site = Site::new(&[
            ("catwalk.toml", "nodes = \"nodes\"\n"),
            (
                "manifests/site.pp",
                "notify { \"${facts['a']} ${facts['b']}\": } if $facts['all'] { notify { inline_template('<%= @facts.size %>'): } }\n",
            ),
        ]);
        let following = Following::start(&site.path().canonicalize().unwrap());
        let mut kept = Kept::default();
        let name: Arc<str> = Arc::from("agent");
        let mut request = |entries: &[(&str, i64)]| {
            kept.request(&following.session, &name, facts(entries), "");
            kept.outdated.take().map(|why| why.to_string())
        };
        assert_eq!(request(&[("a", 1), ("b", 1)]).as_deref(), Some("there is no catalog of an earlier request"));
        assert_eq!(request(&[("a", 2), ("b", 2), ("c", 1)]).as_deref(), Some("the facts a, b have changed"));
        assert_eq!(request(&[("a", 2), ("b", 2), ("c", 2)]), None);
        assert_eq!(request(&[("a", 2), ("b", 2), ("all", 2)]).as_deref(), Some("the facts all have changed"));
        let all = "a fact has changed, and the compile used all facts";
        assert_eq!(request(&[("a", 2), ("b", 2), ("all", 2), ("c", 3)]).as_deref(), Some(all));
    });
}

fn sequence(seed: u64) -> usize {
    let site = Site::new(&[("catwalk.toml", "nodes = \"nodes\"\n")]);
    let root = site.path().canonicalize().unwrap();
    let mut random = Random::new(seed);
    for (name, texts) in SITE {
        write(&root.join(name), texts[0]);
    }
    let mut following = Following::start(&root);
    let mut kept = Kept::default();
    let mut edits = Vec::new();
    for _ in 0..8 {
        // While a configuration is invalid, nothing is updated.
        let is_valid = Session::open(options(&root), following.world.clone()).is_ok_and(|it| it.nodes().is_ok());
        for name in ["web1", "db1", "other"].iter().filter(|_| is_valid).map(|name| Arc::from(*name)) {
            let mut facts = facts(&[("uptime", 1), ("x", 0)]);
            facts.set("os", Value::str(["debian", "suse"][random.below(2)]));
            kept.request(&following.session, &name, facts, &format!("SEED={seed}\n{}", edits.join("\n")));
        }
        let (changed, description) = edit(&root, &mut random);
        edits.push(description);
        following.update(Some(&changed[..]));
        kept.follow(&following);
    }
    kept.held
}

#[test]
fn kept_results_are_those_of_compiles_after_random_edits() {
    on_large_stack(|| {
        let first = number("SEED", 1);
        let sequences = number("SEQUENCES", 12);
        let held: usize = (first..first + sequences).map(sequence).sum();
        assert!(held > 0);
    });
}

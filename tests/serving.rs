//! The site behind `catwalk serve`, without HTTP: catalogs for facts that come with requests, edits, environments, the store.

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::Mutex;

use catwalk::diag::Diagnostic;
use catwalk::serve::AgentSite;
use catwalk::serve::Environments;
use catwalk::serve::Layout;
use catwalk::serve::Records;
use catwalk::serve::ServeLog;
use catwalk::session::Options;
use catwalk::source::SourceMap;
use catwalk::value::Hash;
use catwalk_server::CatalogRequest;
use catwalk_server::Client;
use catwalk_server::Failure;
use catwalk_server::FailureKind;
use catwalk_server::NodeRequest;
use catwalk_server::ServedSite;
use serde_json::Value;
use serde_json::json;

use crate::support::Site;

/// What a server would print.
#[derive(Default)]
struct Lines(Mutex<Vec<String>>);

impl ServeLog for Lines {
    fn diagnostic(&self, diagnostic: &Diagnostic, sources: &SourceMap, node: Option<&str>) {
        let text = format!("{}: {}", node.unwrap_or_default(), diagnostic.puppet_text(sources));
        self.0.lock().unwrap().push(text);
    }

    fn note(&self, text: &str) {
        self.0.lock().unwrap().push(text.to_owned());
    }

    fn forget(&self) {}
}

struct Serving {
    site: AgentSite,
    lines: Arc<Lines>,
}

/// How a server is started.
#[derive(Default)]
struct Start {
    layout: Option<Layout>,
    store: Option<PathBuf>,
    reports: Option<PathBuf>,
    polls: bool,
}

impl Serving {
    fn new(site: &Site) -> Serving {
        Serving::with(site, Start::default())
    }

    fn with(site: &Site, start: Start) -> Serving {
        let lines = Arc::new(Lines::default());
        let root = start.layout.is_none().then(|| site.path().to_path_buf());
        let options = Options { root, store: start.store.clone(), ..Options::default() };
        let layout = start.layout.unwrap_or_else(|| Layout::Site("production".to_owned()));
        let environments = Arc::new(Environments::new(layout, None, options, lines.clone()).polling(start.polls));
        let records = Records::open(start.store, None, start.reports, "server.example.com", lines.clone()).unwrap();
        Serving { site: AgentSite::new(environments, records, Hash::new(), lines.clone()), lines }
    }

    fn answer(&self, request: &CatalogRequest) -> Result<Value, Failure> {
        self.site.catalog(request).map(|bytes| serde_json::from_slice(&bytes).unwrap())
    }

    fn catalog(&self, certname: &str, facts: &Value) -> Value {
        self.answer(&request(certname, facts)).unwrap_or_else(|failure| panic!("{failure:?}: {:?}", self.printed()))
    }

    fn failure(&self, certname: &str, facts: &Value) -> String {
        self.answer(&request(certname, facts)).unwrap_err().message
    }

    fn printed(&self) -> String {
        self.lines.0.lock().unwrap().join("\n")
    }
}

fn client(certname: &str) -> Client {
    Client { certname: certname.to_owned(), extensions: vec![("pp_role".to_owned(), "web".to_owned())] }
}

fn request(certname: &str, facts: &Value) -> CatalogRequest {
    let body = json!({"name": certname, "values": facts, "timestamp": "2026-01-01T00:00:00.000000000+00:00"});
    CatalogRequest {
        client: client(certname),
        environment: Some("production".to_owned()),
        check_environment: true,
        facts: Some(body.to_string().into_bytes()),
        transaction_uuid: Some("5e5be4f2-0e2e-4a1c-8a0a-000000000001".to_owned()),
        rich_data: true,
        ..CatalogRequest::default()
    }
}

/// The titles of a type.
fn titles(catalog: &Value, type_name: &str) -> Vec<String> {
    let resources = catalog["resources"].as_array().unwrap().iter();
    resources.filter(|one| one["type"] == type_name).map(|one| one["title"].as_str().unwrap().to_owned()).collect()
}

/// A catalog without what differs each time.
fn steady(mut catalog: Value) -> Value {
    catalog["version"] = Value::Null;
    catalog["catalog_uuid"] = Value::Null;
    catalog
}

#[test]
fn a_catalog_is_that_of_compile() {
    let manifest = "class m($x) { file { '/m': content => \"${x} ${facts['role']} ${trusted['authenticated']}\", mode => '0600' } }\n\
                    class { 'm': x => Sensitive('s3cret-value') }\nnotify { 'when': message => Timestamp(1) }\n@notify { 'virtual': }\n";
    let site = Site::new(&[("site.pp", manifest), ("nodes/a.example.com.json", r#"{"role": "web"}"#)]);
    let serving = Serving::new(&site);
    let answer = serving.catalog("a.example.com", &json!({"role": "web"}));
    let compiled: Value = serde_json::from_str(&site.run(&["compile", "a.example.com"]).expect(0, "").stdout).unwrap();
    let shown = |catalog: Value| steady(catalog).to_string().replace(&*site.path().to_string_lossy(), "SITE");
    assert_eq!(shown(answer.clone()), shown(compiled));
    let again = serving.catalog("a.example.com", &json!({"role": "web"}));
    assert_ne!(answer["catalog_uuid"], again["catalog_uuid"]);
    assert_eq!(answer["version"], again["version"]);
    assert!(answer["version"].is_u64());
    // Without rich data, what JSON cannot express is a string.
    let plain = CatalogRequest { rich_data: false, ..request("a.example.com", &json!({"role": "web"})) };
    assert!(!serving.answer(&plain).unwrap().to_string().contains("__ptype"));
    assert!(again.to_string().contains("__ptype"));
    assert!(!serving.printed().contains("s3cret-value"), "{}", serving.printed());
}

#[test]
fn every_edit_is_seen_by_the_next_request() {
    follow_edits(false);
}

#[test]
fn every_edit_is_seen_without_events_of_the_system() {
    follow_edits(true);
}

fn follow_edits(polls: bool) {
    let site = Site::new(&[
        ("site.pp", "include m"),
        ("modules/m/manifests/init.pp", "class m { notify { 'v0': } }"),
        ("nodes/a.json", "{}"),
    ]);
    let serving = Serving::with(&site, Start { polls, ..Start::default() });
    for number in 0..40 {
        let text = format!("class m {{ notify {{ 'v{number}': }} }}");
        match number % 2 {
            0 => site.write("modules/m/manifests/init.pp", text),
            _ => site.write_in_place("modules/m/manifests/init.pp", text),
        }
        assert_eq!(titles(&serving.catalog("a", &json!({})), "Notify"), [format!("v{number}")]);
    }
    site.write("modules/n/manifests/init.pp", "class n { notify { 'n': } }");
    site.write("site.pp", "include m\ninclude n");
    assert_eq!(titles(&serving.catalog("a", &json!({})), "Notify"), ["v39", "n"]);
    site.write("catalog.txt", "unrelated");
    site.write("other.pp", "notify { 'other': }");
    site.write("catwalk.toml", "manifest = \"other.pp\"\nnodes = \"nodes\"\n");
    assert_eq!(titles(&serving.catalog("a", &json!({})), "Notify"), ["other"]);
    // What is wrong in catwalk.toml is printed; the last configuration stays.
    site.write("catwalk.toml", "manifest = [");
    assert_eq!(titles(&serving.catalog("a", &json!({})), "Notify"), ["other"]);
    assert!(serving.printed().contains("catwalk.toml"), "{}", serving.printed());
}

#[test]
fn edits_are_seen_while_other_nodes_ask() {
    let site = Site::new(&[
        ("site.pp", "include m\n"),
        ("modules/m/manifests/init.pp", "class m { notify { lookup('m::text'): } }"),
        ("hiera.yaml", "version: 5\nhierarchy:\n  - { name: x, path: common.yaml }\n"),
        ("data/common.yaml", "m::text: v\n"),
    ]);
    let serving = Serving::new(&site);
    let is_done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        for number in 0..3 {
            let (serving, is_done) = (&serving, &is_done);
            scope.spawn(move || {
                while !is_done.load(std::sync::atomic::Ordering::Relaxed) {
                    let name = format!("n{number}");
                    assert_eq!(titles(&serving.catalog(&name, &json!({})), "Notify").len(), 1);
                }
            });
        }
        for number in 0..60 {
            site.write("data/common.yaml", format!("m::text: v{number}\n"));
            assert_eq!(titles(&serving.catalog("own", &json!({})), "Notify"), [format!("v{number}")]);
        }
        is_done.store(true, std::sync::atomic::Ordering::Relaxed);
    });
}

/// Deployments that keep releases in directories and switch a link.
#[test]
fn an_environment_that_is_a_link_can_be_switched() {
    let site = Site::empty();
    for number in 0..4 {
        site.write(&format!("releases/{number}/manifests/site.pp"), "include m\n");
        let class = format!("class m {{ notify {{ 'v{number}': }} }}");
        site.write(&format!("releases/{number}/modules/m/manifests/init.pp"), class);
    }
    std::fs::create_dir(site.path().join("environments")).unwrap();
    let switch = |number: usize| {
        let (link, new) = (site.path().join("environments/production"), site.path().join("environments/.new"));
        std::os::unix::fs::symlink(format!("../releases/{number}"), &new).unwrap();
        std::fs::rename(new, link).unwrap();
    };
    switch(0);
    let layout = Some(Layout::Path(vec![site.path().join("environments")]));
    let serving = Serving::with(&site, Start { layout, ..Start::default() });
    for number in 0..4 {
        switch(number);
        assert_eq!(titles(&serving.catalog("a", &json!({})), "Notify"), [format!("v{number}")]);
        let edited = format!("class m {{ notify {{ 'edited {number}': }} }}");
        site.write(&format!("releases/{number}/modules/m/manifests/init.pp"), edited);
        assert_eq!(titles(&serving.catalog("a", &json!({})), "Notify"), [format!("edited {number}")]);
    }
    // A directory that takes the place of another one.
    let staging = site.path().join("environments/staging");
    for number in 0..3 {
        let _ = std::fs::rename(&staging, site.path().join(format!("old{number}")));
        std::fs::rename(site.path().join(format!("releases/{number}")), &staging).unwrap();
        let asked = CatalogRequest { environment: Some("staging".to_owned()), ..request("a", &json!({})) };
        assert_eq!(titles(&serving.answer(&asked).unwrap(), "Notify"), [format!("edited {number}")]);
    }
}

#[test]
fn a_failure_has_the_message_of_puppet() {
    let site = Site::new(&[("site.pp", "if $facts['bad'] { fail('no') }\nnotify { 'ok': }"), ("nodes/a.json", "{}")]);
    let serving = Serving::new(&site);
    let message = serving.failure("a.example.com", &json!({"bad": true}));
    let expected = format!(
        "Evaluation Error: Error while evaluating a Function Call, no (file: {}/site.pp, line: 1, column: 20) on node a.example.com",
        site.path().display()
    );
    assert_eq!(message, expected);
    assert!(serving.printed().contains("a.example.com: "), "{}", serving.printed());
    // The next node is not affected, and facts of one node are not those of another one.
    assert_eq!(titles(&serving.catalog("b.example.com", &json!({})), "Notify"), ["ok"]);
    assert_eq!(titles(&serving.catalog("a.example.com", &json!({"bad": false})), "Notify"), ["ok"]);
    let other = CatalogRequest { client: client("c.example.com"), ..request("b.example.com", &json!({})) };
    let failure = serving.answer(&other).unwrap_err();
    assert!(failure.message.contains("facts definition") || failure.message.contains("fact definition"), "{failure:?}");
    for body in [&b""[..], b"{", b"[]", b"\xff", b"{\"name\": \"b.example.com\", \"values\": [1]}"] {
        let broken = CatalogRequest { facts: Some(body.to_vec()), ..request("b.example.com", &json!({})) };
        assert!(serving.answer(&broken).is_err());
    }
}

#[test]
fn requests_at_once_get_their_own_facts_and_trusted_data() {
    let code = "notify { \"${facts['id']} ${trusted['certname']} ${trusted['extensions']['pp_role']} ${facts['clientcert']}\": }";
    let site = Site::new(&[("site.pp", code), ("nodes/a.json", "{}")]);
    let serving = Serving::new(&site);
    std::thread::scope(|scope| {
        for number in 0..50 {
            let serving = &serving;
            scope.spawn(move || {
                let name = format!("n{number}.example.com");
                let catalog = serving.catalog(&name, &json!({"id": number, "clientcert": name}));
                assert_eq!(titles(&catalog, "Notify"), [format!("{number} {name} web {name}")]);
                assert_eq!(catalog["name"], Value::from(name));
            });
        }
    });
}

/// `DIR/environments` with these environments, each with a manifest.
fn environments(site: &Site, manifests: &[(&str, &str)]) -> Layout {
    for (name, manifest) in manifests {
        site.write(&format!("environments/{name}/manifests/site.pp"), manifest);
    }
    Layout::Path(vec![site.path().join("environments")])
}

#[test]
fn environments_of_a_path() {
    let site = Site::empty();
    let layout =
        environments(&site, &[("production", "notify { 'p': }"), ("staging", "notify { \"s ${environment}\": }")]);
    site.write("environments/not-valid/manifests/site.pp", "");
    let serving = Serving::with(&site, Start { layout: Some(layout), ..Start::default() });
    let asked = |environment: &str, check_environment: bool| {
        let environment = Some(environment.to_owned());
        serving.answer(&CatalogRequest { environment, check_environment, ..request("a", &json!({})) })
    };
    let names: Vec<String> = serving.site.environments().into_iter().map(|one| one.name).collect();
    assert_eq!(names, ["production", "staging"]);
    let staging = asked("staging", true).unwrap();
    assert_eq!(
        (titles(&staging, "Notify"), &staging["environment"]),
        (vec!["s staging".to_owned()], &json!("staging"))
    );
    // An unknown environment: the catalog of the default one tells the agent where it belongs.
    for name in ["nosuch", "../environments/staging", "not-valid", ""] {
        let answer = asked(name, true).unwrap();
        assert_eq!((titles(&answer, "Notify"), &answer["environment"]), (vec!["p".to_owned()], &json!("production")));
        assert!(!serving.site.has_environment(name), "{name}");
        assert_eq!(serving.site.modules(name).unwrap_err().kind, FailureKind::NotFound);
    }
    // One that comes later.
    site.write("environments/later/manifests/site.pp", "notify { 'later': }");
    assert_eq!(titles(&asked("later", true).unwrap(), "Notify"), ["later"]);
}

#[test]
fn the_classifier_decides_the_environment() {
    let site = Site::empty();
    let layout =
        environments(&site, &[("production", "notify { 'p': }"), ("staging", "notify { \"${role} in staging\": }")]);
    let enc = "fn classify(node) { #{ environment: if node.facts.wants == () { \"staging\" } else { node.facts.wants }, \
               parameters: #{ role: \"web\" }, classes: [] } }";
    site.write("environments/production/enc.rhai", enc);
    site.write("environments/production/catwalk.toml", "enc = \"enc.rhai\"\n");
    let serving = Serving::with(&site, Start { layout: Some(layout), ..Start::default() });
    let answer = serving.catalog("a", &json!({}));
    let expected = json!({
        "tags": [], "name": "a", "version": null, "code_id": null, "catalog_uuid": null, "catalog_format": 2,
        "environment": "staging", "resources": [], "edges": [], "classes": [],
    });
    assert_eq!(steady(answer), expected);
    // An agent that does not check gets the catalog of the assigned environment.
    let unchecked = CatalogRequest { check_environment: false, ..request("a", &json!({})) };
    let answer = serving.answer(&unchecked).unwrap();
    assert_eq!(answer["environment"], "staging");
    let missing = CatalogRequest { check_environment: false, ..request("a", &json!({"wants": "nosuch"})) };
    let message = serving.answer(&missing).unwrap_err().message;
    assert!(
        message.contains("Could not find a directory environment named 'nosuch' anywhere in the path"),
        "{message}"
    );
    let node =
        NodeRequest { client: client("b"), environment: Some("production".to_owned()), ..NodeRequest::default() };
    let node: Value = serde_json::from_slice(&serving.site.node(&node).unwrap()).unwrap();
    assert_eq!(node, json!({"name": "b", "environment": "staging", "parameters": {"role": "web"}}));
}

#[test]
fn facts_cannot_open_any_number_of_environments() {
    let site = Site::new(&[("nodes/a.json", "{}"), ("site.pp", "notify { 'x': }")]);
    site.write("enc.rhai", "fn classify(node) { #{ environment: node.facts.wants, classes: [] } }");
    site.write("catwalk.toml", "manifest = \"site.pp\"\nenc = \"enc.rhai\"\n");
    let serving = Serving::new(&site);
    let answer = |number: usize| {
        let unchecked =
            CatalogRequest { check_environment: false, ..request("a", &json!({"wants": format!("e{number}")})) };
        serving.answer(&unchecked)
    };
    // `production`, whose classifier is asked, is one of them.
    for number in 1..64 {
        assert_eq!(answer(number).unwrap()["environment"], format!("e{number}"));
    }
    let message = answer(64).unwrap_err().message;
    assert!(message.contains("a site serves at most 64 environments"), "{message}");
    assert_eq!(answer(63).unwrap()["environment"], "e63");
}

/// A site whose nodes export a host each and collect those of all.
const EXPORTING: &str = "if $facts['bad'] { fail('bad') }\n@@notify { \"from ${trusted['certname']}\": message => $facts['word'] }\n\
                         Notify <<| |>>\n$rows = puppetdb_query('facts[certname, value] { name = \"word\" }')\n\
                         notify { \"rows ${rows.size}\": }\n";

#[test]
fn the_store_holds_what_was_answered() {
    let site = Site::new(&[("site.pp", EXPORTING), ("nodes/a.json", "{}")]);
    let store = site.path().join("site.db");
    let start = || Start { store: Some(store.clone()), ..Start::default() };
    let serving = Serving::with(&site, start());
    let a = serving.catalog("a", &json!({"word": "x"}));
    assert_eq!(titles(&a, "Notify"), ["from a", "rows 1"]);
    let b = serving.catalog("b", &json!({"word": "y"}));
    assert_eq!(titles(&b, "Notify"), ["from b", "rows 2", "from a"]);
    // A node that fails keeps what it exports and stops no other; its facts are the new ones.
    assert!(serving.failure("a", &json!({"bad": true, "word": "z"})).contains("bad"));
    let b = serving.catalog("b", &json!({"word": "y"}));
    assert_eq!(titles(&b, "Notify"), ["from b", "rows 2", "from a"]);
    let collected = |catalog: &Value| {
        let found = catalog["resources"].as_array().unwrap().iter().find(|one| one["title"] == "from a").cloned();
        found.unwrap()["parameters"]["message"].clone()
    };
    assert_eq!(collected(&b), "x");
    assert_eq!(titles(&serving.catalog("a", &json!({"word": "z"})), "Notify"), ["from a", "rows 2", "from b"]);
    assert_eq!(collected(&serving.catalog("b", &json!({"word": "y"}))), "z");
    // A server that begins anew, and the commands of the store, see the same.
    let again = Serving::with(&site, start());
    assert_eq!(titles(&again.catalog("c", &json!({"word": "w"})), "Notify"), ["from c", "rows 3", "from a", "from b"]);
    let listed = site.run(&["store", "list", "--store", "site.db"]).expect(0, "").stdout;
    assert_eq!(listed.lines().filter(|line| line.starts_with(['a', 'b', 'c'])).count(), 3, "{listed}");
    // A catalog that is as before: the store names its last compile. What another process removed is written again.
    for removed in [false, true] {
        if removed {
            site.run(&["store", "remove", "b", "--store", "site.db"]).expect(0, "");
        }
        let b = again.catalog("b", &json!({"word": "y"}));
        let query = "catalogs[catalog_uuid, transaction_uuid] { certname = 'b' }";
        let stored = site.run(&["store", "query", query, "--store", "site.db"]).expect(0, "").stdout;
        let stored: Value = serde_json::from_str(&stored).unwrap();
        let expected =
            json!([{"catalog_uuid": b["catalog_uuid"], "transaction_uuid": "5e5be4f2-0e2e-4a1c-8a0a-000000000001"}]);
        assert_eq!(stored, expected, "{removed}");
        let query = "resources[title] { certname = 'b' and exported = true }";
        assert!(site.run(&["store", "query", query, "--store", "site.db"]).stdout.contains("from b"), "{removed}");
    }
    // Without facts in the request, the stored ones are used.
    let without = CatalogRequest { facts: None, ..request("c", &json!({})) };
    assert_eq!(collected(&again.answer(&without).unwrap()), "z");
}

#[test]
fn reports_and_facts_are_kept() {
    let site =
        Site::new(&[("site.pp", "notify { \"x ${facts['word']}\": }"), ("nodes/listed.json", r#"{"word": "listed"}"#)]);
    let reports = site.path().join("reports");
    let serving = Serving::with(&site, Start { reports: Some(reports.clone()), ..Start::default() });
    let report = json!({"host": "a", "status": "changed", "logs": []}).to_string();
    assert_eq!(serving.site.save_report(&client("a"), "production", report.as_bytes()).unwrap(), ["store"]);
    let written: Vec<_> = std::fs::read_dir(reports.join("a")).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(written.len(), 1);
    assert_eq!(std::fs::read_to_string(&written[0]).unwrap().trim(), report);
    assert!(serving.printed().contains("a: report: changed"));
    let forging = json!({"host": "a", "status": "changed\nb: report: failed"}).to_string();
    serving.site.save_report(&client("a"), "production", forging.as_bytes()).unwrap();
    assert!(serving.printed().ends_with("a: report: without a status"), "{}", serving.printed());
    for bad in [&b"{"[..], b"[]", b""] {
        assert!(serving.site.save_report(&client("a"), "production", bad).is_err());
    }
    let hostile = client("../../hostile-node");
    let taken = serving.site.save_report(&hostile, "production", report.as_bytes()).unwrap();
    assert_eq!(taken, Vec::<String>::new(), "what is not written is not taken");
    assert!(
        !Path::new(&site.path().join("../hostile-node")).exists() && std::fs::read_dir(&reports).unwrap().count() == 1
    );
    let without = |name: &str| serving.answer(&CatalogRequest { facts: None, ..request(name, &json!({})) }).unwrap();
    serving.site.save_facts(&client("a"), "production", br#"{"name": "a", "values": {"word": "sent"}}"#).unwrap();
    assert_eq!(titles(&without("a"), "Notify"), ["x sent"]);
    assert_eq!(titles(&without("listed"), "Notify"), ["x listed"]);
    assert_eq!(titles(&without("unknown"), "Notify"), ["x "]);
}

#[test]
fn limits_and_panics_end_one_request_only() {
    let site = Site::new(&[
        (
            "site.pp",
            "case $facts['what'] { 'loop': { range(1, 10000000).each |$i| { $i } } 'deep': { include deep } default: { notify { 'ok': } } }",
        ),
        ("modules/deep/functions/f.pp", "function deep::f($x) { deep::f($x + 1) }"),
        ("modules/deep/manifests/init.pp", "class deep { deep::f(1) }"),
        ("catwalk.toml", "manifest = \"site.pp\"\nmodulepath = [\"modules\"]\n[limits]\niterations = 1000\n"),
    ]);
    let serving = Serving::new(&site);
    for what in ["loop", "deep"] {
        assert!(!serving.failure("a", &json!({"what": what})).is_empty());
        assert_eq!(titles(&serving.catalog("b", &json!({})), "Notify"), ["ok"]);
    }
}

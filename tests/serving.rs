//! The site of `catwalk serve`, without HTTP: catalogs for the facts of requests, edits, failures and limits.

mod code;
mod deploys;
mod environments;
mod kept;
mod on_behalf;
mod store;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::Mutex;

use catwalk_agent_site::AgentSite;
use catwalk_agent_site::Detection;
use catwalk_agent_site::Environments;
use catwalk_agent_site::Keeping;
use catwalk_agent_site::Layout;
use catwalk_agent_site::Records;
use catwalk_agent_site::ReportProcessor;
use catwalk_agent_site::ServeLog;
use catwalk_base::diag::Diagnostic;
use catwalk_base::source::SourceMap;
use catwalk_server::CatalogRequest;
use catwalk_server::Client;
use catwalk_server::Facts;
use catwalk_server::Failure;
use catwalk_server::ServedSite;
use catwalk_session::Options;
use catwalk_value::Hash;
use catwalk_world::output::Place;
use serde_json::Value;
use serde_json::json;

use crate::support::Site;

/// Collects the messages that a server would print.
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

/// The options that a server is started with.
#[derive(Default)]
struct Start {
    layout: Option<Layout>,
    store: Option<PathBuf>,
    reports: Option<PathBuf>,
    detection: Detection,
    keeping: Keeping,
}

impl Serving {
    fn new(site: &Site) -> Serving {
        Serving::with(site, Start::default())
    }

    fn with(site: &Site, start: Start) -> Serving {
        let lines = Arc::new(Lines::default());
        let root = start.layout.is_none().then(|| site.path().to_path_buf());
        let store = start.store.map(Place::named);
        let options = Options { root, store: store.clone(), ..Options::default() };
        let layout = start.layout.unwrap_or_else(|| Layout::Site("production".to_owned()));
        let environments = Arc::new(
            Environments::new(layout, None, options, lines.clone())
                .with_detection(start.detection)
                .without_outputs(start.reports.clone().into_iter().collect()),
        );
        let reports = start.reports.into_iter().map(ReportProcessor::Json).collect();
        let records = Records::open(store.as_ref(), None, reports, "server.example.com", lines.clone()).unwrap();
        let site = AgentSite::new(environments, records, Hash::new(), lines.clone()).keeping(start.keeping);
        Serving { site, lines }
    }

    fn answer(&self, request: &CatalogRequest) -> Result<Value, Failure> {
        self.site.catalog(request).map(|document| serde_json::from_slice(&document.into_bytes().unwrap()).unwrap())
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
    Client {
        certname: certname.to_owned(),
        extensions: vec![("pp_role".to_owned(), "web".to_owned())],
        ..Client::default()
    }
}

fn request(certname: &str, facts: &Value) -> CatalogRequest {
    let body = json!({"name": certname, "values": facts, "timestamp": "2026-01-01T00:00:00.000000000+00:00"});
    CatalogRequest {
        client: client(certname),
        environment: Some("production".to_owned()),
        check_environment: true,
        facts: Some(Facts::parse(body.to_string().as_bytes(), certname).unwrap()),
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

/// A catalog without its version and UUID, which differ each time.
fn without_ids(mut catalog: Value) -> Value {
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
    let shown = |catalog: Value| without_ids(catalog).to_string().replace(&*site.path().to_string_lossy(), "SITE");
    assert_eq!(shown(answer.clone()), shown(compiled));
    let again = serving.catalog("a.example.com", &json!({"role": "web"}));
    assert_ne!(answer["catalog_uuid"], again["catalog_uuid"]);
    assert_eq!(answer["version"], again["version"]);
    assert!(answer["version"].is_u64());
    // Without rich data, values that JSON cannot express are strings.
    let plain = CatalogRequest { rich_data: false, ..request("a.example.com", &json!({"role": "web"})) };
    assert!(!serving.answer(&plain).unwrap().to_string().contains("__ptype"));
    assert!(again.to_string().contains("__ptype"));
    assert!(!serving.printed().contains("s3cret-value"), "{}", serving.printed());
}

#[test]
fn every_edit_is_seen_by_the_next_request() {
    follow_edits(Detection::Events);
}

#[test]
fn every_edit_is_seen_without_events_of_the_system() {
    follow_edits(Detection::Polling);
}

fn follow_edits(detection: Detection) {
    let site = Site::new(&[
        ("site.pp", "include m"),
        ("modules/m/manifests/init.pp", "class m { notify { 'v0': } }"),
        ("nodes/a.json", "{}"),
    ]);
    let serving = Serving::with(&site, Start { detection, ..Start::default() });
    for number in 0..12 {
        let text = format!("class m {{ notify {{ 'v{number}': }} }}");
        match number % 2 {
            0 => site.write("modules/m/manifests/init.pp", text),
            _ => site.write_in_place("modules/m/manifests/init.pp", text),
        }
        assert_eq!(titles(&serving.catalog("a", &json!({})), "Notify"), [format!("v{number}")]);
    }
    site.write("modules/n/manifests/init.pp", "class n { notify { 'n': } }");
    site.write("site.pp", "include m\ninclude n");
    assert_eq!(titles(&serving.catalog("a", &json!({})), "Notify"), ["v11", "n"]);
    site.write("catalog.txt", "unrelated");
    site.write("other.pp", "notify { 'other': }");
    site.write("catwalk.toml", "manifest = \"other.pp\"\nnodes = \"nodes\"\n");
    assert_eq!(titles(&serving.catalog("a", &json!({})), "Notify"), ["other"]);
    // Errors in catwalk.toml are printed; the last valid configuration stays in use.
    site.write("catwalk.toml", "manifest = [");
    assert_eq!(titles(&serving.catalog("a", &json!({})), "Notify"), ["other"]);
    assert!(serving.printed().contains("catwalk.toml"), "{}", serving.printed());
}

#[test]
fn edits_are_seen_while_other_nodes_request_catalogs() {
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
        for number in 0..20 {
            site.write("data/common.yaml", format!("m::text: v{number}\n"));
            assert_eq!(titles(&serving.catalog("own", &json!({})), "Notify"), [format!("v{number}")]);
        }
        is_done.store(true, std::sync::atomic::Ordering::Relaxed);
    });
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
    // The next node is not affected, and no node gets the facts of another node.
    assert_eq!(titles(&serving.catalog("b.example.com", &json!({})), "Notify"), ["ok"]);
    assert_eq!(titles(&serving.catalog("a.example.com", &json!({"bad": false})), "Notify"), ["ok"]);
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

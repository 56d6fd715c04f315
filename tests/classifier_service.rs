//! `catwalk serve` as a classifier service, asked over the wire by programs of this machine, by `catwalk classify --server` and by another
//! site.

use std::time::Duration;

use catwalk_world::HttpClient;
use catwalk_world::Identity;
use serde_json::Value;
use serde_json::json;

use crate::support::Site;
use crate::support::agent::Connection;
use crate::support::agent::ServerRun;

/// A server with a listener without TLS.
struct Service {
    server: ServerRun,
    url: String,
    client: HttpClient,
}

impl Service {
    fn start(site: &Site) -> Service {
        let server = ServerRun::start(site, &["--classifier-listen", "127.0.0.1:0"]);
        let printed = server.printed();
        let line = printed.lines().find_map(|line| line.strip_prefix("classifying on "));
        let url = line.unwrap().split(' ').next().unwrap().to_owned();
        let client = HttpClient::new(&Identity::default(), Duration::from_secs(60), 1 << 24).unwrap();
        Service { server, url, client }
    }

    fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        let url = format!("{}/classifier-api/v1/classified/nodes/{path}", self.url);
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let response = self.client.send(&url, &[("Content-Type", "application/json")], Some(body.as_bytes())).unwrap();
        (response.status, serde_json::from_slice(&response.body).unwrap())
    }
}

const TOML: &str = "manifest = \"site.pp\"\nnodes = \"nodes\"\n[classifier]\n";

fn site(classifier: &str, files: &[(&str, &str)]) -> Site {
    let toml = format!("{TOML}{classifier}");
    let mut all = vec![("catwalk.toml", toml.as_str()), ("site.pp", "")];
    all.extend_from_slice(files);
    Site::new(&all)
}

fn keys(document: &Value) -> Vec<&String> {
    document.as_object().unwrap().keys().collect()
}

/// The examples of the service's documentation and further ones: the files have `groups`, `nodes` and `cases`. Each file is an edit that the
/// next request sees.
#[test]
fn examples_are_answered_over_the_wire() {
    let site = site("groups = \"groups.json\"\n", &[("groups.json", "[]")]);
    let service = Service::start(&site);
    let mut counts = [0; 3];
    for text in [
        include_str!("classifier/explanation.json"),
        include_str!("classifier/explanation-conflict.json"),
        include_str!("classifier/conflict.json"),
        include_str!("classifier/classified.json"),
        include_str!("classifier/environments.json"),
        include_str!("classifier/hierarchy.json"),
    ] {
        let mut document: Value = serde_json::from_str(text).unwrap();
        let cases = document["cases"].take();
        let mut groups = json!({"groups": document["groups"]});
        if let Some(nodes) = document.get("nodes") {
            groups["nodes"] = nodes.clone();
        }
        site.write("groups.json", groups.to_string());
        for case in cases.as_array().unwrap() {
            let name = case["name"].as_str().unwrap();
            for (number, (kind, end, status)) in
                [("classified", "", 200), ("problem", "", 500), ("explanation", "/explanation", 200)]
                    .into_iter()
                    .enumerate()
            {
                let Some(expected) = case.get(kind).filter(|expected| !expected.is_null()) else { continue };
                counts[number] += 1;
                let mut body = case["body"].clone();
                if kind == "explanation" && body.get("fact").is_none() {
                    body["fact"] = json!({});
                }
                let (got_status, got) = service.post(&format!("{name}{end}"), &body);
                let printed = serde_json::to_string_pretty(&got).unwrap();
                assert_eq!(got_status, status, "{name} {kind}: {printed}");
                assert!(
                    got == *expected,
                    "{name} {kind}: {printed}\nexpected {}",
                    serde_json::to_string_pretty(expected).unwrap()
                );
                assert_eq!(keys(&got), keys(expected), "{name} {kind}: order of the members");
            }
        }
    }
    assert!(counts.iter().all(|count| *count > 1), "{counts:?}");
}

const GROUPS: &str = "- name: Web\n  rule: [\"~\", name, \"^web\"]\n  classes: {web: {port: 80, host: a}}\n  variables: {tier: web}\n\
                      - name: Large\n  parent: Web\n  rule: [\">=\", [fact, cores], \"8\"]\n  classes: {large: {}}\n";
const SCRIPT: &str = "fn classify(node) {\n    let c = classification();\n    c.include(\"web\", #{ port: 8080 });\n    \
                      c.include(\"scripted\");\n    c.param(\"cores\", node.fact(\"cores\", 0));\n    c\n}\n";

/// What is asked offline and by `--server`, with the same result.
fn same_offline_and_asked(site: &Site, service: &Service, arguments: &[&str]) -> Value {
    let offline = site.run(&[&["classify"], arguments].concat()).expect(0, "").stdout;
    let dev = site.path().join(".catwalk/ca");
    let file = |name: &str| dev.join(name).to_string_lossy().into_owned();
    let server = format!("https://localhost:{}", service.server.port);
    let (ca, cert, key) =
        (file("ca_crt.pem"), file("signed/catwalk.localhost.pem"), file("private/catwalk.localhost.pem"));
    let remote = ["--server", &server, "--ssl-ca", &ca, "--ssl-cert", &cert, "--ssl-key", &key];
    let asked = site.run(&[&["classify"], arguments, &remote].concat()).expect(0, "").stdout;
    assert_eq!(offline, asked, "{arguments:?}");
    let plain = site.run(&[&["classify"], arguments, &["--server", &service.url]].concat()).expect(0, "").stdout;
    assert_eq!(offline, plain, "{arguments:?}");
    serde_json::from_str(&offline).unwrap()
}

#[test]
fn chains_and_scripts_are_explained() {
    let chain = "chain = [\"groups.yaml\", \"classify.rhai\"]\n";
    let site =
        site(chain, &[("groups.yaml", GROUPS), ("classify.rhai", SCRIPT), ("nodes/web1.json", r#"{"cores": 8}"#)]);
    let service = Service::start(&site);
    let classified = same_offline_and_asked(&site, &service, &["web1"]);
    assert_eq!(keys(&classified), ["name", "groups", "environment", "parameters", "classes"]);
    assert_eq!(classified["groups"].as_array().unwrap().len(), 3, "{classified}");
    assert_eq!(classified["environment"], "production");
    assert_eq!(classified["parameters"], json!({"tier": "web", "cores": 8}));
    let classes = json!({"large": {}, "web": {"host": "a", "port": 8080}, "scripted": {}});
    assert_eq!(classified["classes"], classes);
    let explained = same_offline_and_asked(&site, &service, &["web1", "--explain"]);
    let expected = [
        "node_as_received",
        "match_explanations",
        "leaf_groups",
        "inherited_classifications",
        "individual_classification",
        "final_classification",
        "classification_sources",
        "classifiers_without_groups",
    ];
    assert_eq!(keys(&explained), expected);
    assert_eq!(explained["final_classification"]["classes"], classes);
    let sources = &explained["classification_sources"];
    let group = explained["leaf_groups"].as_object().unwrap().keys().next().unwrap();
    assert_eq!(sources["classes"]["web"]["port"], json!({"value": 8080, "sources": ["script classify.rhai"]}));
    assert_eq!(sources["classes"]["scripted"], json!({"puppetlabs.classifier/sources": ["script classify.rhai"]}));
    assert_eq!(sources["classes"]["large"]["puppetlabs.classifier/sources"], json!([group]));
    assert_eq!(sources["variables"]["cores"], json!({"value": 8, "sources": ["script classify.rhai"]}));
    let without_groups = json!([{
        "classifier": "script classify.rhai",
        "classification": {"variables": {"cores": 8}, "classes": {"web": {"port": 8080}, "scripted": {}}}
    }]);
    assert_eq!(explained["classifiers_without_groups"], without_groups);
    // The name is used as received; the script is read again after an edit.
    assert_eq!(service.post("Web2", &Value::Null).1["name"], "Web2");
    site.write("classify.rhai", SCRIPT.replace("8080", "9090"));
    let answer = service.post("web1", &json!({"fact": {}})).1;
    assert_eq!(answer["classes"]["web"]["port"], 9090, "{answer}");
    // Without any groups, nothing but the script says something; without a classifier, nothing.
    site.write("catwalk.toml", format!("{TOML}script = \"classify.rhai\"\n"));
    let explained = same_offline_and_asked(&site, &service, &["web1", "--explain"]);
    assert_eq!((&explained["match_explanations"], &explained["leaf_groups"]), (&json!({}), &json!({})));
    assert_eq!(explained["classifiers_without_groups"][0]["classifier"], "script classify.rhai");
    let classified = service.post("web1", &Value::Null).1;
    assert_eq!((&classified["groups"], &classified["environment"]), (&json!([]), &json!("agent-specified")));
    site.write("catwalk.toml", TOML.replace("[classifier]\n", ""));
    let empty = json!({"name": "x", "groups": [], "environment": "agent-specified", "parameters": {}, "classes": {}});
    assert_eq!(service.post("x", &Value::Null), (200, empty));
}

#[test]
fn failures_name_no_facts_of_others() {
    let script =
        "fn classify(node) {\n    if node.name == \"bad\" { throw \"no such role\"; }\n    classification()\n}\n";
    let site =
        site("chain = [\"groups.yaml\", \"classify.rhai\"]\n", &[("groups.yaml", GROUPS), ("classify.rhai", script)]);
    let service = Service::start(&site);
    let secret =
        json!({"fact": {"token": "s3cret-of-web1", "cores": 9}, "trusted": {"extensions": {"x": "s3cret-too"}}});
    assert_eq!(service.post("web1", &secret).0, 200);
    let explained = service.post("web1/explanation", &secret).1;
    assert_eq!(explained["node_as_received"]["fact"], secret["fact"]);
    let (status, problem) = service.post("bad", &secret);
    assert_eq!((status, problem["kind"].as_str()), (500, Some("application-error")));
    assert!(problem["msg"].as_str().unwrap().contains("no such role"), "{problem}");
    let others = service.post("web2/explanation", &json!({"fact": {}})).1.to_string();
    let malformed = service.post("web2", &json!([1])).1.to_string();
    let printed = service.server.printed();
    assert!(printed.contains("no such role") && printed.contains("classify.rhai:2"), "{printed}");
    for text in [others, malformed, printed, problem.to_string()] {
        assert!(!text.contains("s3cret"), "{text}");
    }
}

#[test]
fn a_node_cannot_choose_its_trusted_facts() {
    let groups = "- {name: Secret, rule: [\"=\", [trusted, extensions, pp_role], db], classes: {db: {}}}\n\
                  - {name: Own, rule: [\"=\", [trusted, certname], a.example.com], classes: {own: {}}}\n";
    let site = site("groups = \"groups.yaml\"\n", &[("groups.yaml", groups)]);
    let service = Service::start(&site);
    let forged = json!({"fact": {}, "trusted": {"certname": "x", "extensions": {"pp_role": "db"}}});
    assert_eq!(service.post("a.example.com", &forged).1["classes"], json!({"db": {}}));
    let agent = service.server.first_contact("a.example.com");
    let mut connection = Connection::open(&service.server, Some(&agent));
    let path = "/v1/classified/nodes/a.example.com";
    let answer = connection.send("POST", path, "application/json", forged.to_string().as_bytes());
    assert_eq!((answer.status, &answer.json()["classes"]), (200, &json!({"own": {}})));
    let path = "/v1/classified/nodes/b.example.com";
    let answer = connection.send("POST", path, "application/json", forged.to_string().as_bytes());
    assert_eq!((answer.status, &answer.json()["kind"]), (403, &json!("permission-denied")));
}

#[test]
fn another_site_is_classified_by_the_service() {
    let master = site("groups = \"groups.yaml\"\n", &[("groups.yaml", GROUPS)]);
    let service = Service::start(&master);
    let files = [
        ("nodes/web1.json", r#"{"cores": 16}"#),
        ("nodes/db1.json", "{}"),
        (
            "site.pp",
            "class web($port, $host) { notify { \"${host} ${port} ${tier}\": } }\nclass large { notify { 'large': } }\n",
        ),
    ];
    let site = Site::new(&files);
    site.write("catwalk.toml", format!("{TOML}http = \"{}/classifier-api\"\n", service.url));
    let titles = |node: &str| -> Vec<String> {
        let catalog: Value = serde_json::from_str(&site.run(&["compile", node]).expect(0, "").stdout).unwrap();
        let resources = catalog["resources"].as_array().unwrap().iter();
        let notices = resources.filter(|resource| resource["type"] == "Notify");
        notices.map(|resource| resource["title"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(titles("web1"), ["a 80 web", "large"]);
    assert_eq!(titles("db1"), [""; 0]);
    // A conflict of the service is an error of the node.
    master.write(
        "groups.yaml",
        format!("{GROUPS}- name: Other\n  rule: [\"~\", name, \"^web\"]\n  classes: {{web: {{port: 81}}}}\n"),
    );
    let run = site.run(&["compile", "web1"]);
    run.expect(1, "answered 500: classification-conflict: The node was classified into multiple unrelated node groups");
}

#[test]
fn options_of_the_service_are_checked() {
    let site = site("groups = \"groups.yaml\"\n", &[("groups.yaml", GROUPS)]);
    for (arguments, message) in [
        (["--classifier-listen", "0.0.0.0:0"], "other machines can reach 0.0.0.0:0"),
        (["--classifier-allow", "*"], "it would be every client"),
        (["--classifier-allow", "pp_role="], "an extension is NAME=VALUE"),
    ] {
        site.run(&[&["serve", "--dev", "--listen", "127.0.0.1:0"], &arguments[..]].concat()).expect(2, message);
    }
    site.write("facts.json", "{}");
    let facts = ["classify", "web1", "--facts", "facts.json"];
    let asked = [&facts[..], &["--server", "http://127.0.0.1:1"]].concat();
    site.run(&asked).expect(1, "cannot reach http://127.0.0.1:1/v1/classified/nodes/web1");
    site.run(&[&asked[..], &["--format", "human"]].concat()).expect(2, "--format human needs the groups");
}

//! Catalogs that a client other than their node requests, compared with those that puppetserver compiles for `/puppet/v4/catalog`
//! (`tests/reference/catalog-v4`).

use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;

use catwalk_agent_site::Layout;
use catwalk_base::diag::Severity;
use catwalk_server::CatalogRequest;
use catwalk_server::Client;
use catwalk_server::Facts;
use catwalk_server::OnBehalf;
use catwalk_server::ServedSite;
use catwalk_value::Hash;
use catwalk_value::json::from_json;
use serde_json::Value;
use serde_json::json;

use super::Serving;
use super::Start;
use crate::support::Site;

const A: &str = "a.example.com";

/// The site of a case: environments in a directory, with a classifier for all of them if the case has one.
fn site_of(case: &Value) -> (Site, Layout) {
    let site = Site::empty();
    for (path, text) in case["files"].as_object().unwrap() {
        site.write(&format!("environments/{path}"), text.as_str().unwrap());
    }
    if !case["enc"].is_null() {
        site.write("enc", format!("#!/bin/sh\necho '{}'\n", case["enc"]));
        let enc = site.path().join("enc");
        std::fs::set_permissions(&enc, std::fs::Permissions::from_mode(0o755)).unwrap();
        for path in case["files"].as_object().unwrap().keys() {
            let environment = path.split('/').next().unwrap();
            let text = format!("enc = \"{}\"\n", enc.display());
            site.write(&format!("environments/{environment}/catwalk.toml"), text);
        }
    }
    let layout = Layout::Path(vec![site.path().join("environments")]);
    (site, layout)
}

/// The request that the server passes to the site for the JSON body of a request.
fn on_behalf(body: &Value) -> CatalogRequest {
    let facts = |name: &str| match from_json(&body[name]["values"]) {
        catwalk_value::Value::Hash(values) => Some(values),
        _ => None::<Arc<Hash>>,
    };
    let options = &body["options"];
    let document = json!({ "name": body["certname"], "values": body["facts"]["values"] }).to_string();
    CatalogRequest {
        client: Client { certname: body["certname"].as_str().unwrap().to_owned(), ..Client::default() },
        environment: body["environment"].as_str().map(str::to_owned),
        facts: facts("facts").map(|_| Facts::parse(document.as_bytes(), A).unwrap()),
        on_behalf: Some(OnBehalf {
            trusted: facts("trusted_facts"),
            saves_facts: body["persistence"]["facts"] == json!(true),
            saves_catalog: body["persistence"]["catalog"] == json!(true),
            prefers_environment: options["prefer_requested_environment"] == json!(true),
            logs: (options["capture_logs"] == json!(true)).then(|| {
                options["log_level"].as_str().map_or(Severity::Notice, |level| Severity::find(level).unwrap())
            }),
        }),
        ..CatalogRequest::default()
    }
}

/// The parts of a response that are recorded.
fn recorded_parts(mut response: Value) -> Value {
    let catalog = &response["catalog"];
    let notifies: Vec<Value> = catalog["resources"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|one| one["type"] == "Notify")
        .map(|one| json!([one["title"], one.get("parameters").cloned().unwrap_or_else(|| json!({}))]))
        .collect();
    let shown = json!({ "name": catalog["name"], "environment": catalog["environment"], "notifies": notifies });
    response["catalog"] = shown;
    for line in response.get_mut("logs").and_then(Value::as_array_mut).into_iter().flatten() {
        assert!(line["time"].as_str().unwrap().starts_with("20"), "{line}");
        line.as_object_mut().unwrap().shift_remove("time");
    }
    response
}

#[test]
fn catalogs_are_those_of_puppetserver() {
    let text = include_str!("../server/catalog_v4.json");
    let cases: Vec<Value> = serde_json::from_str(text).unwrap();
    assert!(cases.len() > 15);
    for case in cases {
        let name = &case["name"];
        let (site, layout) = site_of(&case);
        let serving = Serving::with(&site, Start { layout: Some(layout), ..Start::default() });
        let root = site.path().display().to_string();
        match serving.site.catalog(&on_behalf(&case["request"])) {
            Ok(bytes) => {
                let response = serde_json::from_slice(&bytes.into_bytes().unwrap()).unwrap();
                assert_eq!(recorded_parts(response).to_string(), case["answer"].to_string(), "{name}");
            }
            Err(failure) => {
                assert_eq!(Some(&*failure.message.replace(&root, "DIR")), case["error"].as_str(), "{name}");
            }
        }
    }
}

#[test]
fn facts_and_catalogs_are_saved_on_request_only() {
    let site = Site::new(&[("site.pp", "notify { \"${facts['role']} ${trusted}\": }\n")]);
    let start = || Start { store: Some(site.path().join("s.db")), ..Start::default() };
    let body = |facts: bool, catalog: bool, role: &str| {
        json!({ "certname": A, "environment": "production", "persistence": { "facts": facts, "catalog": catalog },
            "facts": { "values": { "role": role } }, "trusted_facts": { "values": { "of": role } } })
    };
    let serving = Serving::with(&site, start());
    let compile = |body: &Value| {
        let bytes = serving.site.catalog(&on_behalf(body)).unwrap();
        recorded_parts(serde_json::from_slice(&bytes.into_bytes().unwrap()).unwrap())["catalog"]["notifies"][0][0]
            .clone()
    };
    let stored =
        json!({ "certname": A, "environment": "production", "persistence": { "facts": false, "catalog": false } });
    assert_eq!(compile(&body(false, false, "not saved")), json!("not saved {of => not saved}"));
    assert_eq!(compile(&stored), json!(" {}"));
    assert_eq!(compile(&body(true, false, "saved")), json!("saved {of => saved}"));
    assert_eq!(compile(&stored), json!("saved {of => saved}"));
    let agents = serving.catalog(A, &json!({ "role": "agent" }));
    assert!(agents["resources"].is_array());
    let resources = || {
        let found = site.run(&["store", "query", "resources[title] { type = 'Notify' }", "--store", "s.db"]);
        found.expect(0, "").stdout.clone()
    };
    let before = resources();
    compile(&body(false, false, "other"));
    assert_eq!(resources(), before);
    compile(&body(false, true, "other"));
    assert_ne!(resources(), before);
}

//! What a server writes: catalogs and facts in the store, and reports in a directory.

use std::path::Path;

use catwalk_server::CatalogRequest;
use catwalk_server::Facts;
use catwalk_server::ServedSite;
use serde_json::Value;
use serde_json::json;

use super::Serving;
use super::Start;
use super::client;
use super::request;
use super::titles;
use crate::support::Site;

/// A site where each node exports a notify and collects those of all nodes.
const EXPORTING: &str = "if $facts['bad'] { fail('bad') }\n@@notify { \"from ${trusted['certname']}\": message => $facts['word'] }\n\
                         Notify <<| |>>\n$rows = puppetdb_query('facts[certname, value] { name = \"word\" }')\n\
                         notify { \"rows ${rows.size}\": }\n";

#[test]
fn the_store_holds_the_catalogs_and_facts_of_all_requests() {
    let site = Site::new(&[("site.pp", EXPORTING), ("nodes/a.json", "{}")]);
    let store = site.path().join("site.db");
    let start = || Start { store: Some(store.clone()), ..Start::default() };
    let serving = Serving::with(&site, start());
    let a = serving.catalog("a", &json!({"word": "x"}));
    assert_eq!(titles(&a, "Notify"), ["from a", "rows 1"]);
    let b = serving.catalog("b", &json!({"word": "y"}));
    assert_eq!(titles(&b, "Notify"), ["from b", "rows 2", "from a"]);
    // A node that fails keeps its exported resources and does not affect other nodes; its facts are updated.
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
    // A restarted server and `catwalk store` read the same catalogs.
    let again = Serving::with(&site, start());
    assert_eq!(titles(&again.catalog("c", &json!({"word": "w"})), "Notify"), ["from c", "rows 3", "from a", "from b"]);
    let listed = site.run(&["store", "list", "--store", "site.db"]).expect(0, "").stdout;
    assert_eq!(listed.lines().filter(|line| line.starts_with(['a', 'b', 'c'])).count(), 3, "{listed}");
    // The store has the UUIDs of the last compile even if the catalog is unchanged. Catalogs that another process removed are
    // written again.
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
    // Without facts in the request, the stored facts are used.
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
    let facts = Facts::parse(br#"{"name": "a", "values": {"word": "sent"}}"#, "a").unwrap();
    serving.site.save_facts(&client("a"), "production", &facts).unwrap();
    assert_eq!(titles(&without("a"), "Notify"), ["x sent"]);
    assert_eq!(titles(&without("listed"), "Notify"), ["x listed"]);
    assert_eq!(titles(&without("unknown"), "Notify"), ["x "]);
}

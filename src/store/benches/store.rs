//! Benchmarks of a store with 1,000 nodes of 300 resources each: opening it, a collector, queries. `cargo bench -p catwalk-store`.
#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "a benchmark")]

use std::path::Path;

use catwalk_store::CatalogDocument;
use catwalk_store::EdgeDocument;
use catwalk_store::FactsDocument;
use catwalk_store::NodeFixture;
use catwalk_store::ResourceDocument;
use catwalk_store::Store;
use criterion::Criterion;
use serde_json::Value;
use serde_json::json;

const NODES: usize = 1_000;
const RESOURCES: usize = 300;
/// Every how many resources one is exported: 20 per node.
const EXPORTED: usize = 15;

fn node(number: usize) -> NodeFixture {
    let certname = format!("node{number:04}.example.com");
    let resource = |index: usize| {
        let exported = index.is_multiple_of(EXPORTED);
        let type_name = if exported { "Nagios_service" } else { "File" };
        let parameters = json!({
            "ensure": "present", "mode": "0644", "owner": "root", "content": format!("# {index}\nvalue = {number}\n"),
            "check_interval": index, "tag": ["monitoring", format!("group{}", number % 10)],
        });
        ResourceDocument {
            type_name: type_name.to_owned(),
            title: format!("/srv/{number}/{index}"),
            exported,
            file: Some("/code/modules/profile/manifests/web.pp".to_owned()),
            line: i64::try_from(index).ok(),
            tags: ["file", "class", "profile", "profile::web", "monitoring"].map(str::to_owned).to_vec(),
            parameters: parameters.as_object().unwrap().clone(),
        }
    };
    let resources: Vec<ResourceDocument> = (0..RESOURCES).map(resource).collect();
    let reference = |resource: &ResourceDocument| (resource.type_name.clone(), resource.title.clone());
    let edge = |pair: &[ResourceDocument]| EdgeDocument {
        source: reference(&pair[0]),
        target: reference(&pair[1]),
        relationship: "contains".to_owned(),
    };
    let edges = resources.windows(2).map(edge).collect();
    let facts = (0..100).map(|fact| (format!("fact{fact}"), json!({"value": fact, "list": [number, fact]})));
    let mut values: serde_json::Map<String, Value> = facts.collect();
    values.insert("os".to_owned(), json!({"family": if number.is_multiple_of(2) { "Debian" } else { "RedHat" }}));
    let environment = Some("production".to_owned());
    NodeFixture {
        certname: certname.clone(),
        deactivated: None,
        catalog: Some(CatalogDocument {
            certname: certname.clone(),
            environment: environment.clone(),
            version: "1".to_owned(),
            resources,
            edges,
            ..CatalogDocument::default()
        }),
        facts: Some(FactsDocument { certname, environment, values, ..FactsDocument::default() }),
    }
}

fn filled(path: &Path) -> Store {
    let store = Store::open(path).unwrap();
    for first in (0..NODES).step_by(100) {
        let nodes: Vec<NodeFixture> = (first..first + 100).map(node).collect();
        store.put(&nodes, 1_767_225_600_000).unwrap();
    }
    store
}

fn main() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("catwalk.db");
    let store = filled(&path);
    println!("{} MB", std::fs::metadata(&path).unwrap().len() / 1_000_000);
    let mut criterion = Criterion::default().configure_from_args().sample_size(10);
    criterion.bench_function("store/open", |bench| bench.iter(|| Store::open_existing(&path).unwrap()));
    criterion.bench_function("store/collector for one node", |bench| {
        let query = json!([
            "from",
            "resources",
            [
                "and",
                ["=", "type", "Nagios_service"],
                ["=", "exported", true],
                ["=", "certname", "node0500.example.com"]
            ]
        ]);
        bench.iter(|| assert_eq!(store.query(&query).unwrap().len(), 20));
    });
    criterion.bench_function("store/collector of all 20,000 exports", |bench| {
        bench.iter(|| assert_eq!(store.exported("Nagios_service").unwrap().len(), 20 * NODES));
    });
    criterion.bench_function("store/nodes by a fact", |bench| {
        let query = Value::from("nodes[certname] { facts { name = 'os' } }");
        bench.iter(|| assert_eq!(store.query(&query).unwrap().len(), NODES));
    });
    criterion.bench_function("store/inventory by a structured fact", |bench| {
        let query = Value::from("inventory[certname] { facts.os.family = 'Debian' }");
        bench.iter(|| assert_eq!(store.query(&query).unwrap().len(), NODES / 2));
    });
    criterion.bench_function("store/count of all resources", |bench| {
        let query = Value::from("resources[type, count()] { group by type }");
        bench.iter(|| assert_eq!(store.query(&query).unwrap().len(), 2));
    });
    let mut number = 0;
    criterion.bench_function("store/replace one node", |bench| {
        bench.iter(|| {
            number = (number + 1) % NODES;
            store.put(&[node(number)], 1_767_225_600_001).unwrap();
        });
    });
    criterion.final_summary();
}

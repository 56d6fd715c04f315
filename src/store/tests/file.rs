//! The store file: persistence, concurrent writers, damaged files.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::disallowed_methods, reason = "tests")]

use std::path::Path;

use catwalk_store::NodeFixture;
use catwalk_store::QueryError;
use catwalk_store::Store;
use catwalk_store::StoreError;
use catwalk_store::read_fixture;
use serde_json::Value;
use serde_json::json;

fn nodes(titles: &[(&str, &str)]) -> Vec<NodeFixture> {
    let node = |(certname, title): &(&str, &str)| {
        let host = json!({"type": "Host", "title": title, "exported": true, "parameters": {"ip": "10.0.0.1"}});
        let fixture = json!({"nodes": {*certname: {"facts": {"role": "web"}, "resources": [host]}}});
        read_fixture(&fixture, None).unwrap().remove(0)
    };
    titles.iter().map(node).collect()
}

fn exported(store: &Store) -> Vec<(String, String)> {
    store.exported("Host").unwrap().into_iter().map(|row| (row.certname, row.title)).collect()
}

fn pair(certname: &str, title: &str) -> (String, String) {
    (certname.to_owned(), title.to_owned())
}

#[test]
fn nodes_are_replaced_one_by_one_and_removed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.db");
    let store = Store::open(&path).unwrap();
    store.put(&nodes(&[("b", "b1"), ("a", "a1")]), 1).unwrap();
    store.put(&nodes(&[("a", "a2")]), 2).unwrap();
    // A node without a catalog keeps the one it had.
    let facts_only = read_fixture(&json!({"name": "a", "values": {"role": "db"}}), None).unwrap();
    store.put(&facts_only, 3).unwrap();
    drop(store);
    let store = Store::open_existing(&path).unwrap();
    assert_eq!(exported(&store), [pair("a", "a2"), pair("b", "b1")]);
    let facts = store.query(&Value::from("facts[certname, value] { name = 'role' }")).unwrap();
    assert_eq!(facts, [json!({"certname": "a", "value": "db"}), json!({"certname": "b", "value": "web"})]);
    let store = Store::open(&path).unwrap();
    assert!(store.set_deactivated("b", Some(4)).unwrap());
    assert_eq!(exported(&store), [pair("a", "a2")]);
    assert!(store.remove("a").unwrap() && !store.remove("a").unwrap());
    assert_eq!(store.nodes().unwrap().len(), 1);
    assert!(store.query(&Value::from("resources { }")).unwrap().is_empty());
    store.check().unwrap();
}

#[test]
fn sensitive_parameters_are_not_in_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.db");
    let secret = json!({"__ptype": "Sensitive", "__pvalue": "swordfish"});
    let resource = json!({
        "type": "User", "title": "x", "exported": true, "sensitive_parameters": ["password"],
        "parameters": {"password": "hunter2", "rich": [secret], "home": "/x"},
    });
    let catalog = json!({"name": "n", "resources": [resource], "edges": []});
    Store::open(&path).unwrap().put(&read_fixture(&catalog, None).unwrap(), 1).unwrap();
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains("hunter2") && !text.contains("swordfish"));
    }
    let rows = Store::open_existing(&path).unwrap().exported("User").unwrap();
    assert_eq!(Value::Object(rows[0].parameters.clone()), json!({"home": "/x"}));
}

#[test]
fn readers_read_while_another_connection_writes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.db");
    Store::open(&path).unwrap().put(&nodes(&[("a", "a")]), 1).unwrap();
    let writer = |number: usize| {
        let path = path.clone();
        move || {
            let store = Store::open(&path).unwrap();
            for round in 0..20 {
                store.put(&nodes(&[(&format!("w{number}"), &format!("t{round}"))]), 2).unwrap();
            }
        }
    };
    std::thread::scope(|scope| {
        for number in 0..3 {
            scope.spawn(writer(number));
        }
        let reader = Store::open_existing(&path).unwrap();
        for _ in 0..50 {
            assert!(exported(&reader).contains(&pair("a", "a")));
        }
    });
    assert_eq!(Store::open_existing(&path).unwrap().nodes().unwrap().len(), 4);
}

/// The error when a damaged file is opened or read.
fn complaint(path: &Path) -> String {
    let opened = Store::open_existing(path).and_then(|store| {
        store.check()?;
        match store.query(&Value::from("resources { }")) {
            Ok(_) => Ok(()),
            Err(QueryError::Store(error)) => Err(error),
            Err(QueryError::Bad(why)) => panic!("{why}"),
        }
    });
    opened.expect_err("a damaged file").to_string()
}

#[test]
fn a_file_that_is_no_store_is_an_error_that_names_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.db");
    assert!(matches!(Store::open_existing(&path), Err(StoreError::Unreadable(..))));
    std::fs::write(&path, "nodes: {}\n".repeat(200)).unwrap();
    assert!(complaint(&path).contains("s.db: not a usable store file: file is not a database"));
    std::fs::remove_file(&path).unwrap();
    Store::open(&path).unwrap().put(&nodes(&[("a", "a"), ("b", "b")]), 1).unwrap();
    let whole = std::fs::read(&path).unwrap();
    std::fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    assert!(complaint(&path).contains("not a usable store file"));
    // Overwrite every page except the first.
    let mut damaged = whole;
    damaged[4096..].fill(0x5a);
    std::fs::write(&path, &damaged).unwrap();
    assert!(complaint(&path).contains("not a usable store file"));
}

#[test]
fn a_database_of_another_program_stays_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("other.db");
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute_batch("CREATE TABLE t (x); INSERT INTO t VALUES (1)").unwrap();
    let before = std::fs::read(&path).unwrap();
    for opened in [Store::open(&path), Store::open_existing(&path)] {
        assert!(opened.unwrap_err().to_string().contains("it is a file of another program"));
    }
    assert_eq!(std::fs::read(&path).unwrap(), before);
    other.execute_batch("PRAGMA application_id = 1129804660; PRAGMA user_version = 99").unwrap();
    assert!(matches!(Store::open(&path), Err(StoreError::Newer(_, 99))));
}

/// Facts may hold secrets, and while a store is open they are also in the files beside it.
#[cfg(unix)]
#[test]
fn stores_are_for_their_owners_only() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.db");
    let modes = || {
        let entries = std::fs::read_dir(folder.path()).unwrap();
        entries.map(|entry| entry.unwrap().metadata().unwrap().permissions().mode() & 0o777).collect::<Vec<_>>()
    };
    let store = Store::open(&path).unwrap();
    store.put(&nodes(&[("a", "a")]), 1).unwrap();
    assert_eq!(modes(), [0o600; 3]);
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        std::fs::set_permissions(entry.unwrap().path(), std::fs::Permissions::from_mode(0o644)).unwrap();
    }
    let again = Store::open(&path).unwrap();
    again.put(&nodes(&[("b", "b")]), 1).unwrap();
    assert_eq!(modes(), [0o600; 3]);
    drop((store, again));
    // A store that a group shares stays so.
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o660)).unwrap();
    drop(Store::open(&path).unwrap());
    assert_eq!(modes(), [0o660]);
}

#[test]
fn catalogs_that_puppetdb_would_refuse_are_not_stored() {
    let store = Store::in_memory().unwrap();
    let put = |catalog: Value| store.put(&read_fixture(&catalog, Some("n")).unwrap(), 1).unwrap_err().to_string();
    let host = json!({"type": "Host", "title": "a"});
    assert_eq!(put(json!({"resources": [host, host]})), "n: /resources/1: Host[a] is already declared at /resources/0");
    let edge = json!({"source": "Host[a]", "target": "Host[b]"});
    let text = "n: /edges/0/target: Host[b] is not a resource of the catalog";
    assert_eq!(put(json!({"resources": [host], "edges": [edge]})), text);
    assert!(store.nodes().unwrap().is_empty());
    let wrong = [
        (json!([]), "not a catalog: it has no resources"),
        (json!({"resources": [{"type": "Host"}]}), "not a catalog: a resource has no title: its keys are type"),
        (json!({"nodes": {"a": {"fcats": {}}}}), "a: unknown key `fcats` of a node"),
        (json!({"nodes": {"a": {"resources": [{"type": "A", "titel": "b"}]}}}), "a: unknown key `titel` of a resource"),
        (json!({"nodes": {"a": {"deactivated": "soon"}}}), "a: `deactivated` is not a time: soon"),
    ];
    for (document, why) in wrong {
        let error = read_fixture(&document, Some("n")).unwrap_err();
        assert!(error.starts_with(why), "{error}");
    }
}

#[test]
fn deep_queries_are_refused() {
    let store = Store::in_memory().unwrap();
    let deep = (0..100_000).fold(String::new(), |text, _| text + "!");
    for query in [format!("nodes {{ {deep}certname = 'a' }}"), format!("nodes {{ {}", "(".repeat(100_000))] {
        assert!(store.query(&Value::from(query)).unwrap_err().to_string().contains("nested deeper than 100"));
    }
    let nested = (0..120).fold(json!(["=", "certname", "a"]), |inner, _| json!(["not", inner]));
    let error = store.query(&json!(["from", "nodes", nested])).unwrap_err().to_string();
    assert!(error.contains("nested deeper than 100"), "{error}");
}

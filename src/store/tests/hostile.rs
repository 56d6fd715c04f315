//! Files of other people that look like a store: nothing but the tables of a store is read, and nothing else is opened or written.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::disallowed_methods, reason = "tests")]

use std::path::Path;
use std::time::Duration;
use std::time::Instant;

use catwalk_base::meter;
use catwalk_base::meter::Bounds;
use catwalk_base::meter::Exceeded;
use catwalk_store::Store;
use catwalk_store::read_fixture;
use rusqlite::Connection;
use serde_json::Value;
use serde_json::json;

const ENDLESS: &str = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT";

/// A new store with one exported resource.
fn store(path: &Path) {
    let host = json!({"type": "Host", "title": "a", "exported": true, "parameters": {"ip": "10.0.0.1"}});
    let fixture = json!({"nodes": {"n": {"facts": {"role": "web"}, "resources": [host]}}});
    Store::open(path).unwrap().put(&read_fixture(&fixture, None).unwrap(), 1).unwrap();
}

/// Opens the file as a collector does and reads everything; the error.
fn refusal(path: &Path) -> String {
    let start = Instant::now();
    let read = Store::open_existing(path).and_then(|store| {
        store.nodes()?;
        store.exported("Host")?;
        for entity in ["resources", "facts", "fact_contents", "edges", "catalogs", "nodes"] {
            store.query(&Value::from(format!("{entity} {{ }}"))).map_err(|error| match error {
                catwalk_store::QueryError::Store(error) => error,
                catwalk_store::QueryError::Bad(why) => panic!("{why}"),
            })?;
        }
        Ok(())
    });
    assert!(start.elapsed() < Duration::from_secs(20), "{}", path.display());
    read.map_or_else(|error| error.to_string(), |()| String::new())
}

/// SQL that makes a store hostile, with a part of the error.
const SCHEMAS: [(&str, &str); 12] = [
    (
        "ALTER TABLE resources RENAME TO r; CREATE VIEW resources AS {ENDLESS} 1 AS node, i AS position, 'Host' AS type, i AS title, \
      1 AS exported, '' AS file, 1 AS line, '[]' AS tags, '{}' AS parameters, '' AS hash FROM n",
        "its",
    ),
    ("CREATE VIEW more AS {ENDLESS} i FROM n", "its view more is not that of a store"),
    ("CREATE TRIGGER t AFTER INSERT ON nodes BEGIN DELETE FROM facts; END", "its trigger t is not that of a store"),
    ("CREATE TABLE more (x)", "its table more is not that of a store"),
    ("CREATE INDEX more ON nodes (deactivated)", "its index more is not that of a store"),
    ("CREATE INDEX more ON nodes (abs(id))", "its index more is not that of a store"),
    ("CREATE VIRTUAL TABLE more USING fts5(x)", "is not that of a store"),
    ("CREATE VIRTUAL TABLE more USING rtree(a, b, c)", "is not that of a store"),
    ("DROP TABLE facts", "it has not all tables of a store"),
    (
        "DROP TABLE facts; CREATE TABLE facts (node INTEGER, name TEXT, value TEXT AS (hex(zeroblob(1000000000))))",
        "its table facts is not that of a store",
    ),
    (
        "DROP TABLE facts; CREATE VIEW facts AS {ENDLESS} i AS node, i AS name, i AS value FROM n",
        "its view facts is not that of a store",
    ),
    ("DROP INDEX facts_by_name", "it has not all tables of a store"),
];

#[test]
fn only_the_tables_of_a_store_are_read() {
    let folder = tempfile::tempdir().unwrap();
    for (at, (sql, expected)) in SCHEMAS.iter().enumerate() {
        let path = folder.path().join(format!("{at}.db"));
        store(&path);
        assert_eq!(refusal(&path), "");
        let connection = Connection::open(&path).unwrap();
        if let Err(error) = connection.execute_batch(&sql.replace("{ENDLESS}", ENDLESS)) {
            // This SQLite has no such module.
            assert!(error.to_string().contains("no such module"), "{sql}: {error}");
            continue;
        }
        drop(connection);
        let before = std::fs::read(&path).unwrap();
        let refused = refusal(&path);
        assert!(
            refused.contains(&format!("{at}.db: not a usable store file: ")) && refused.contains(expected),
            "{sql}: {refused}"
        );
        assert!(Store::open(&path).is_err(), "{sql}");
        assert_eq!(std::fs::read(&path).unwrap(), before, "{sql}");
    }
}

#[test]
fn a_file_that_claims_to_be_a_store_without_tables_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("h.db");
    let claims = "PRAGMA application_id = 1129804660; PRAGMA user_version = 1;";
    Connection::open(&path).unwrap().execute_batch(&format!("{claims} CREATE TABLE t (x)")).unwrap();
    assert!(refusal(&path).contains("its table t is not that of a store"));
}

/// A damaged page can refer to another page many times: a scan then never ends by itself.
#[test]
fn damaged_pages_end_with_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let whole = folder.path().join("whole.db");
    let resources: Vec<Value> = (0..3000)
        .map(|n| json!({"type": "Host", "title": format!("h{n}"), "exported": true, "parameters": {"ip": "x".repeat(50)}}))
        .collect();
    let fixture = json!({"nodes": {"n": {"facts": {"role": "web"}, "resources": resources}}});
    Store::open(&whole).unwrap().put(&read_fixture(&fixture, None).unwrap(), 1).unwrap();
    let bytes = std::fs::read(&whole).unwrap();
    let path = folder.path().join("h.db");
    let mut state = 45u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % below
    };
    for round in 0..150 {
        let mut damaged = bytes.clone();
        for _ in 0..1 + random(20) {
            let at = 100 + random(damaged.len() - 100);
            damaged[at] = u8::try_from(random(256)).unwrap();
        }
        // Interior pages refer to one child only.
        if round % 3 == 0 {
            for page in damaged.chunks_mut(4096).filter(|page| matches!(page[0], 2 | 5)) {
                let right = page[8..12].to_vec();
                let count = usize::from(u16::from_be_bytes([page[3], page[4]]));
                for cell in 0..count {
                    let at = usize::from(u16::from_be_bytes([page[12 + 2 * cell], page[13 + 2 * cell]]));
                    if let Some(child) = page.get_mut(at..at + 4) {
                        child.copy_from_slice(&right);
                    }
                }
            }
        }
        std::fs::write(&path, damaged).unwrap();
        let _ = refusal(&path);
    }
}

#[test]
fn a_statement_ends_at_the_limits_of_the_compile() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.db");
    store(&path);
    let opened = Store::open_existing(&path).unwrap();
    let late = Bounds { stop_at: Some(Instant::now()), ..Bounds::time_only() };
    let many = Value::from("resources { certname in inventory[certname] { } }");
    let ended = meter::run(late, || (0..100_000).for_each(|_| drop(opened.query(&many))));
    assert!(match ended {
        Err(Exceeded::Time) => true,
        Err(Exceeded::Waiting(file)) => file.contains("s.db"),
        _ => false,
    });
    // The store can be used afterwards.
    assert_eq!(opened.exported("Host").unwrap().len(), 1);
}

#[cfg(unix)]
#[test]
fn only_regular_files_are_opened() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    let outside = file("outside");
    std::fs::write(&outside, "outside").unwrap();
    let pipe = file("pipe.db");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    symlink("/dev/zero", file("zero.db")).unwrap();
    std::fs::create_dir(file("folder.db")).unwrap();
    for name in ["pipe.db", "zero.db", "folder.db"] {
        for opened in [Store::open(&file(name)), Store::open_existing(&file(name))] {
            assert!(opened.unwrap_err().to_string().contains("it is not a regular file"), "{name}");
        }
    }
    // Files that SQLite reads and writes beside a store.
    for ending in ["-wal", "-shm", "-journal"] {
        let path = file(&format!("s{ending}.db"));
        store(&path);
        let beside = file(&format!("s{ending}.db{ending}"));
        symlink(&outside, &beside).unwrap();
        for opened in [Store::open(&path), Store::open_existing(&path)] {
            let error = opened.unwrap_err().to_string();
            assert!(error.contains(&format!("s{ending}.db{ending}: it is not a regular file")), "{error}");
        }
        assert_eq!(std::fs::read_to_string(&outside).unwrap(), "outside");
    }
    // A link to a store that the user names.
    store(&file("s.db"));
    symlink(file("s.db"), file("link.db")).unwrap();
    assert_eq!(refusal(&file("link.db")), "");
}

/// SQLite deletes the file that a rollback journal names as the journal of several databases.
#[test]
fn a_journal_that_names_another_file_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.db");
    store(&path);
    let victim = folder.path().join("victim");
    std::fs::write(&victim, "").unwrap();
    let name = victim.to_str().unwrap().as_bytes();
    let mut journal = vec![0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];
    for number in [0u32, 1, 1, 512, 4096] {
        journal.extend(number.to_be_bytes());
    }
    journal.resize(512, 0);
    journal.extend([0; 4]);
    journal.extend(name);
    journal.extend(u32::try_from(name.len()).unwrap().to_be_bytes());
    let sum: u32 = name.iter().map(|byte| u32::from(*byte)).sum();
    journal.extend(sum.to_be_bytes());
    journal.extend([0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]);
    std::fs::write(folder.path().join("s.db-journal"), journal).unwrap();
    for opened in [Store::open(&path), Store::open_existing(&path)] {
        assert!(opened.unwrap_err().to_string().contains("s.db-journal: it names another file"));
    }
    assert!(victim.exists());
}

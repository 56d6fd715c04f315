//! Queries have the same results as in PuppetDB, recorded in `tests/puppetdb/answers.json` by `tests/reference/puppetdb-queries`.
#![allow(clippy::unwrap_used, clippy::disallowed_methods, clippy::cast_possible_truncation, reason = "tests")]

use std::path::PathBuf;

use catwalk_store::QueryError;
use catwalk_store::Store;
use catwalk_store::read_fixture;
use serde_json::Value;

fn data(name: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/puppetdb");
    std::fs::read_to_string(folder.join(name)).unwrap()
}

/// A store with the nodes of `content.yaml`, with the times at which PuppetDB received them.
fn store(times: &[Value]) -> Store {
    let content = catwalk_value::data::yaml::parse(data("content.yaml").as_bytes()).unwrap();
    let content = catwalk_value::json::to_json(&content);
    let store = Store::in_memory().unwrap();
    for mut node in read_fixture(&content, None).unwrap() {
        let known = times.iter().find(|row| row["certname"] == node.certname.as_str()).unwrap();
        let time = |key: &str| {
            let text = known[key].as_str()?;
            Some(text.parse::<jiff::Timestamp>().unwrap().as_millisecond())
        };
        let facts = node.facts.take();
        if facts.is_some() {
            let alone = catwalk_store::NodeFixture { catalog: None, facts, ..node.clone() };
            store.put(&[alone], time("facts_timestamp").unwrap()).unwrap();
        }
        store.put(&[node], time("catalog_timestamp").unwrap_or(0)).unwrap();
    }
    store
}

/// Sorts what PuppetDB returns in no order (rows without `order_by`, tags, the lists in catalogs and factsets) and removes hashes of
/// catalogs, which depend on the order of a Clojure set.
fn normal(value: &Value) -> Value {
    match value {
        Value::Object(entries) => {
            let entries = entries.iter().filter(|(key, value)| *key != "hash" || value.is_null());
            let entries = entries.map(|(key, value)| {
                let value = normal(value);
                (key.clone(), if matches!(key.as_str(), "tags" | "data") { sorted(&value) } else { value })
            });
            let mut entries: Vec<_> = entries.collect();
            entries.sort_by(|a, b| a.0.cmp(&b.0));
            Value::Object(entries.into_iter().collect())
        }
        Value::Array(items) => items.iter().map(normal).collect(),
        Value::Number(number) => match number.as_f64() {
            Some(float) if number.is_f64() && float.fract() == 0.0 => Value::from(float as i64),
            _ => value.clone(),
        },
        other => other.clone(),
    }
}

fn sorted(value: &Value) -> Value {
    let mut items = value.as_array().cloned().unwrap_or_default();
    items.sort_by_cached_key(Value::to_string);
    Value::Array(items)
}

/// The lines of a message, sorted for a parse error, whose expected tokens have no order.
fn message(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = text.trim_end().lines().map(str::to_owned).collect();
    if text.starts_with("PQL parse error") {
        lines.sort();
    }
    lines
}

fn is_ordered(query: &Value) -> bool {
    query.to_string().contains("order_by") || query.as_str().is_some_and(|text| text.contains("order by"))
}

#[test]
fn answers_are_those_of_puppetdb() {
    let recorded: Value = serde_json::from_str(&data("answers.json")).unwrap();
    let known: Vec<Value> = serde_json::from_str(&data("differences.json")).unwrap();
    let store = store(recorded["times"].as_array().unwrap());
    let (mut wrong, mut equal, mut differing) = (Vec::new(), 0, 0);
    let queries = recorded["queries"].as_array().unwrap();
    for row in queries {
        let query = &row["query"];
        let got = store.query(query);
        let difference = known.iter().find(|known| known["query"] == *query);
        let problem = match (&got, row.get("rows"), row["error"].as_str()) {
            (Ok(got), Some(rows), _) => {
                let (got, rows) = (normal(&Value::Array(got.clone())), normal(rows));
                let (got, rows) = if is_ordered(query) { (got, rows) } else { (sorted(&got), sorted(&rows)) };
                (got != rows).then(|| format!("  expected {rows}\n  got      {got}"))
            }
            (Err(QueryError::Bad(got)), _, Some(error)) => {
                let same = message(got) == message(error);
                (!same).then(|| format!("  expected {error}\n  got      {got}"))
            }
            (got, rows, error) => Some(format!("  expected {rows:?} {error:?}\n  got      {got:?}")),
        };
        match (problem, difference) {
            (None, None) => equal += 1,
            (Some(_), Some(difference)) => {
                differing += 1;
                let text = got.map(|rows| Value::Array(rows).to_string()).unwrap_or_else(|error| error.to_string());
                let ours = difference["store"].as_str().unwrap();
                if text != ours {
                    wrong.push(format!("{query}\n  listed {ours}\n  got    {text}"));
                }
            }
            (Some(problem), None) => wrong.push(format!("{query}\n{problem}")),
            (None, Some(_)) => wrong.push(format!("{query}\n  is listed in differences.json, and is equal")),
        }
    }
    println!("{equal} of {} equal, {differing} listed differences", queries.len());
    assert!(wrong.is_empty(), "{} of {} differ:\n{}", wrong.len(), queries.len(), wrong.join("\n"));
}

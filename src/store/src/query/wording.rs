//! PuppetDB's error messages about queries.

use serde_json::Value;

use super::entity::Entity;

/// `'a', 'b', and 'c'`.
pub(super) fn quoted_list<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let words: Vec<String> = words.into_iter().map(|word| format!("'{word}'")).collect();
    match words.split_last() {
        Some((last, rest)) if rest.len() > 1 => format!("{}, and {last}", rest.join(", ")),
        _ => words.join(" and "),
    }
}

pub(super) fn not_queryable(field: &str, entity: &Entity) -> String {
    let (name, fields) = (entity.alias, quoted_list(entity.queryable_sorted()));
    format!("'{field}' is not a queryable object for {name}. Known queryable objects are {fields}")
}

/// `action` is "Can't extract" or "Can't match on", `context` an ending such as " for 'in'".
pub(super) fn unknown_fields(
    action: &str,
    unknown: &[String],
    entity: &Entity,
    fields: &[&str],
    context: &str,
) -> String {
    let word = if unknown.len() > 1 { "fields" } else { "field" };
    let (name, unknown) = (entity.alias, quoted_list(unknown.iter().map(String::as_str)));
    let fields = quoted_list(fields.iter().copied());
    format!("{action} unknown '{name}' {word} {unknown}{context}. Acceptable fields are {fields}")
}

pub(super) fn cannot_order(field: &str, entity: &Entity) -> String {
    let columns: Vec<String> = entity.orderable().map(|name| format!("'{name}'")).collect();
    format!("Unrecognized column '{field}' specified in :order_by; Supported columns are {}", columns.join(", "))
}

pub(super) const TOP_FORM: &str =
    "Your initial query must be of the form: [\"from\",<entity>,(<optional-query>)]. Check your query and try again.";
pub(super) const ONE_QUERY: &str =
    "Your `from` query accepts an optional query only as a second argument. Check your query and try again.";
// A mistake in PuppetDB: the placeholder is never replaced.
pub(super) const PATH_STEP: &str = "Path array element wasnt string or integer in {0}";

/// Writes a query as Clojure prints it: `["and" ["=" "a" 1]]`.
pub(super) fn to_clojure(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("[{}]", items.iter().map(to_clojure).collect::<Vec<_>>().join(" ")),
        Value::Object(entries) => {
            let entries =
                entries.iter().map(|(key, value)| format!("{} {}", Value::from(key.as_str()), to_clojure(value)));
            format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
        }
        Value::Null => "nil".to_owned(),
        other => other.to_string(),
    }
}

/// Writes a value in a sentence: strings without quotes.
pub(super) fn to_plain_string(value: &Value) -> String {
    value.as_str().map_or_else(|| to_clojure(value), str::to_owned)
}

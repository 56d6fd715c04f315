//! Redaction of catalogs as JSON documents.
//!
//! In: a native catalog document, the secrets of its compile. Out: [`Redacted`]. Code that compares or prints documents takes only
//! this type, so that it never receives a document with secrets.

use std::collections::HashMap;
use std::collections::HashSet;
use std::ops::Deref;
use std::ops::DerefMut;

use serde_json::Map;
use serde_json::Value;

use super::ReportedSecrets;
use super::SecretCollection;
use super::Secrets;
use super::key::Key;
use super::key::comparable;
use super::key::is_token;
use super::key::without_digests;

/// The prefix of a token.
const TOKEN: &str = "<Sensitive";

/// The limit on nesting; the compiler refuses deeper values.
const MAX_DEPTH: usize = 10_000;

/// The shortest string inside of a sensitive array or hash that is also secret elsewhere.
const SHORTEST_INSIDE: usize = 8;

/// A document whose secrets are redacted.
#[derive(Clone, Debug, PartialEq)]
pub struct Redacted(Value);

impl Deref for Redacted {
    type Target = Value;

    fn deref(&self) -> &Value {
        &self.0
    }
}

impl DerefMut for Redacted {
    fn deref_mut(&mut self) -> &mut Value {
        &mut self.0
    }
}

impl Redacted {
    /// Redacts a document with the secrets of its compile: replaces sensitive parameters, nested `Sensitive` values, and secrets
    /// within strings by tokens.
    #[must_use]
    pub fn new(mut document: Value, secrets: &Secrets) -> Redacted {
        for resource in resources(&mut document) {
            redact_parameters(resource, secrets.key());
        }
        redact(&mut document, secrets, 0);
        Redacted(document)
    }

    /// Redacts a document from a file or a service with the values that it marks as sensitive.
    #[must_use]
    pub fn from_document(document: Value, key: &Key) -> Redacted {
        let secrets = Secrets::from_document(&document, key);
        Redacted::new(document, &secrets)
    }

    /// Redacts the report of a run with the secrets of the run. Numbers, and strings that are too short to be replaced within strings, are
    /// counts and states: they stay.
    #[must_use]
    pub fn report(mut document: Value, secrets: &Secrets) -> Redacted {
        redact(&mut document, &secrets.without_short(), 0);
        Redacted(document)
    }

    /// Redacts a document for PuppetDB or a store with the secrets of its compile. Unwrapped secrets in exported resources are not
    /// redacted, since collecting nodes would write the tokens into files; `Sensitive` values are redacted. Tags that contain a
    /// secret are omitted. A short string or number that equals a secret is not redacted: usually it is a port or a mode.
    #[must_use]
    pub fn for_submission(mut document: Value, secrets: &Secrets) -> Redacted {
        let submitted = SubmissionRedactor::new(secrets);
        let mut exported = HashSet::new();
        for resource in resources(&mut document) {
            redact_parameters(resource, secrets.key());
            if let (true, Some(end)) = (is_exported(resource), type_and_title(resource)) {
                exported.insert(end);
            }
            submitted.redact_resource(resource);
        }
        let edges = document.get_mut("edges").and_then(Value::as_array_mut).into_iter().flatten();
        for edge in edges.filter_map(Value::as_object_mut).filter(|_| !submitted.is_empty()) {
            submitted.redact_edge(edge, |_, kind, title| exported.contains(&(kind.to_owned(), title.to_owned())));
        }
        Redacted(document)
    }

    /// Makes two documents comparable: if their digests were computed with different keys, equal secrets have different digests, so
    /// digests are removed from both.
    pub fn align(&mut self, other: &mut Redacted) {
        let (mut tokens, mut other_tokens) = (String::new(), String::new());
        collect_tokens(&self.0, &mut tokens);
        collect_tokens(&other.0, &mut other_tokens);
        let (comparable, _) = comparable(&tokens, &other_tokens);
        if comparable != tokens {
            remove_digests(&mut self.0);
            remove_digests(&mut other.0);
        }
    }

    /// Redacts parameters that differ from those of the same resource in `other` if the parameters in `other` contain a token: a stored
    /// catalog does not mark secrets that a template inserted into a string.
    pub fn hide_counterparts(&mut self, other: &Redacted, key: &Key) {
        let mut tokens = String::new();
        collect_tokens(other, &mut tokens);
        if tokens.is_empty() {
            return;
        }
        let name =
            |resource: &Map<String, Value>| Some((resource.get("type")?.clone(), resource.get("title")?.clone()));
        let named = |resource: &Map<String, Value>| name(resource).map(|(kind, title)| format!("{kind}{title}"));
        let list = other.get("resources").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_object);
        let others: HashMap<String, &Map<String, Value>> =
            list.filter_map(|resource| Some((named(resource)?, resource))).collect();
        for resource in resources(&mut self.0) {
            let Some(other) = named(resource).and_then(|name| others.get(&name)) else { continue };
            let Some(with) = other.get("parameters").and_then(Value::as_object) else { continue };
            for (name, value) in resource.get_mut("parameters").and_then(Value::as_object_mut).into_iter().flatten() {
                let differs_with_token = |other: &Value| other != value && other.to_string().contains(TOKEN);
                if with.get(name).is_some_and(differs_with_token) && !value.as_str().is_some_and(is_token) {
                    *value = Value::from(key.token(value));
                }
            }
        }
    }

    /// Returns the document.
    #[must_use]
    pub fn into_inner(self) -> Value {
        self.0
    }
}

/// Redacts resources and edges for PuppetDB or a store one by one, see [`Redacted::for_submission`].
#[derive(Debug)]
pub struct SubmissionRedactor {
    secrets: Secrets,
    /// The secrets for exported resources: none, so that unwrapped secrets are not redacted.
    exported: Secrets,
}

impl SubmissionRedactor {
    /// Creates a redactor for the secrets of a compile.
    #[must_use]
    pub fn new(secrets: &Secrets) -> SubmissionRedactor {
        let exported = Secrets::new(secrets.key().clone(), ReportedSecrets::default());
        SubmissionRedactor { secrets: secrets.without_short(), exported }
    }

    /// Whether only `Sensitive` values are redacted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.secrets.is_empty()
    }

    /// Redacts a resource.
    pub fn redact_resource(&self, resource: &mut Map<String, Value>) {
        let secrets = if is_exported(resource) { &self.exported } else { &self.secrets };
        // Positions and types do not come from values, and PuppetDB refuses the characters of a token in tags.
        for name in ["title", "parameters"] {
            resource.get_mut(name).into_iter().for_each(|member| redact(member, secrets, 0));
        }
        if let Some(tags) = resource.get_mut("tags").and_then(Value::as_array_mut) {
            tags.retain(|tag| tag.as_str().is_none_or(|tag| secrets.find_in(tag).is_empty()));
        }
    }

    /// Redacts the titles of an edge's ends like those of the resources. `is_exported` returns whether an end, with its name (`source`
    /// or `target`), type and title, is an exported resource, whose title is not redacted. Ends are objects in commands for PuppetDB,
    /// `source_type` and `source_title` in its responses, and strings such as `File[/x]` in native catalogs.
    pub fn redact_edge(&self, edge: &mut Map<String, Value>, is_exported: impl Fn(&str, &str, &str) -> bool) {
        for name in ["source", "target"] {
            match edge.get_mut(name) {
                Some(Value::Object(end)) => {
                    let exported = type_and_title(end).is_some_and(|(kind, title)| is_exported(name, &kind, &title));
                    if let Some(title) = end.get_mut("title").filter(|_| !exported) {
                        redact(title, &self.secrets, 0);
                    }
                }
                Some(Value::String(end)) => {
                    let parts = end.strip_suffix(']').and_then(|end| end.split_once('['));
                    let Some((kind, title)) = parts.filter(|(kind, title)| !is_exported(name, kind, title)) else {
                        continue;
                    };
                    if let Some(title) = self.secrets.replace(title) {
                        *end = format!("{kind}[{title}]");
                    }
                }
                _ => {
                    let [kind, title] = [format!("{name}_type"), format!("{name}_title")];
                    let string = |key: &str| edge.get(key).and_then(Value::as_str).map(str::to_owned);
                    let end = string(&kind).zip(string(&title));
                    if end.is_some_and(|(kind, title)| !is_exported(name, &kind, &title))
                        && let Some(title) = edge.get_mut(&title)
                    {
                        redact(title, &self.secrets, 0);
                    }
                }
            }
        }
    }
}

fn is_exported(resource: &Map<String, Value>) -> bool {
    resource.get("exported").and_then(Value::as_bool) == Some(true)
}

impl Secrets {
    /// Collects the values that a catalog document marks as sensitive: sensitive parameters and nested `Sensitive` values.
    #[must_use]
    pub fn from_document(document: &Value, key: &Key) -> Secrets {
        let collection = SecretCollection::default();
        report_sensitive(document, &collection);
        Secrets::new(key.clone(), collection.reported())
    }
}

/// The type and the title of a resource or of an edge's end.
fn type_and_title(members: &Map<String, Value>) -> Option<(String, String)> {
    let string = |name: &str| members.get(name)?.as_str().map(str::to_owned);
    Some((string("type")?, string("title")?))
}

/// Collects the strings of a document that contain tokens.
fn collect_tokens(value: &Value, out: &mut String) {
    match value {
        Value::String(text) if text.contains(TOKEN) => {
            out.push_str(text);
            out.push('\n');
        }
        Value::Array(items) => items.iter().for_each(|item| collect_tokens(item, out)),
        Value::Object(members) => members.values().for_each(|member| collect_tokens(member, out)),
        _ => {}
    }
}

fn remove_digests(value: &mut Value) {
    match value {
        Value::String(text) if text.contains(TOKEN) => *text = without_digests(text),
        Value::Array(items) => items.iter_mut().for_each(remove_digests),
        Value::Object(members) => members.values_mut().for_each(remove_digests),
        _ => {}
    }
}

fn resources(document: &mut Value) -> impl Iterator<Item = &mut Map<String, Value>> {
    let inner = match document.get("resources") {
        Some(_) => Some(document),
        None => document.get_mut("data"),
    };
    let list = inner.and_then(|document| document.get_mut("resources")).and_then(Value::as_array_mut);
    list.into_iter().flatten().filter_map(Value::as_object_mut)
}

fn sensitive_names(resource: &Map<String, Value>) -> Vec<String> {
    let names = resource.get("sensitive_parameters").and_then(Value::as_array);
    names.into_iter().flatten().filter_map(|name| name.as_str().map(str::to_owned)).collect()
}

fn redact_parameters(resource: &mut Map<String, Value>, key: &Key) {
    let names = sensitive_names(resource);
    let Some(Value::Object(parameters)) = resource.get_mut("parameters") else { return };
    for name in names {
        if let Some(value) = parameters.get_mut(&name).filter(|value| !value.as_str().is_some_and(is_token)) {
            *value = Value::from(key.token(value));
        }
    }
}

/// The value of a rich-data object of type `Sensitive`.
fn sensitive(members: &Map<String, Value>) -> Option<&Value> {
    let is = members.get("__ptype").and_then(Value::as_str) == Some("Sensitive");
    is.then(|| members.get("__pvalue").unwrap_or(&Value::Null))
}

fn redact(value: &mut Value, secrets: &Secrets, depth: usize) {
    if depth > MAX_DEPTH {
        return;
    }
    match value {
        Value::String(text) => {
            if let Some(replaced) = secrets.replace(text) {
                *text = replaced;
            }
        }
        Value::Number(number) if secrets.contains(&number.to_string()) => {
            *value = Value::from(secrets.key().token(&Value::from(number.to_string())));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| redact(item, secrets, depth + 1)),
        Value::Object(members) => {
            if let Some(inner) = sensitive(members) {
                *value = Value::from(secrets.key().token(inner));
                return;
            }
            members.values_mut().for_each(|member| redact(member, secrets, depth + 1));
            if !secrets.is_empty() && members.keys().any(|name| secrets.replace(name).is_some()) {
                let renamed = std::mem::take(members).into_iter();
                *members = renamed.map(|(name, member)| (secrets.redact(&name).into_owned(), member)).collect();
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Reports the strings that a document marks as sensitive.
fn report_sensitive(document: &Value, secrets: &SecretCollection) {
    let list = document.get("resources").or_else(|| document.get("data")?.get("resources"));
    for resource in list.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_object) {
        let names = sensitive_names(resource);
        for (name, value) in resource.get("parameters").and_then(Value::as_object).into_iter().flatten() {
            match names.contains(name) {
                true => report_marked(value, secrets),
                false => report_nested_sensitive(value, 0, secrets),
            }
        }
    }
}

/// Reports a value that is marked as sensitive, or its strings. Short strings of a collection, such as `present`, are not secret
/// elsewhere.
fn report_marked(value: &Value, secrets: &SecretCollection) {
    match value {
        Value::String(text) if is_token(text) => {}
        Value::String(text) => secrets.report(text),
        Value::Number(number) => secrets.report(&number.to_string()),
        value => report_strings(value, 0, secrets),
    }
}

fn report_strings(value: &Value, depth: usize, secrets: &SecretCollection) {
    match value {
        _ if depth > MAX_DEPTH => {}
        Value::String(text) if text.len() >= SHORTEST_INSIDE && !is_token(text) => secrets.report(text),
        Value::Array(items) => items.iter().for_each(|item| report_strings(item, depth + 1, secrets)),
        Value::Object(members) => members.values().for_each(|member| report_strings(member, depth + 1, secrets)),
        _ => {}
    }
}

fn report_nested_sensitive(value: &Value, depth: usize, secrets: &SecretCollection) {
    match value {
        _ if depth > MAX_DEPTH => {}
        Value::Array(items) => items.iter().for_each(|item| report_nested_sensitive(item, depth + 1, secrets)),
        Value::Object(members) => match sensitive(members) {
            Some(value) => report_marked(value, secrets),
            None => members.values().for_each(|member| report_nested_sensitive(member, depth + 1, secrets)),
        },
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn exported_resources_keep_unwrapped_secrets() {
        let document = json!({"resources": [
            {"type": "A", "title": "exported hunter2", "exported": true, "parameters": {"x": "hunter2",
                "h": {"__ptype": "Sensitive", "__pvalue": "hunter2"}}},
            {"type": "A", "title": "own hunter2", "exported": false, "parameters": {"x": "hunter2"}},
        ], "edges": [{"source": {"type": "A", "title": "own hunter2"}, "target": {"type": "A", "title": "exported hunter2"}},
            {"source": "A[own hunter2]", "target": "A[exported hunter2]"}]});
        let collection = SecretCollection::default();
        collection.report("hunter2");
        let secrets = Secrets::new(Key::from_bytes(&[7; 32]), collection.reported());
        let document = Redacted::for_submission(document, &secrets);
        assert_eq!(document["resources"][0]["parameters"]["x"], "hunter2");
        assert_eq!(document["edges"][0]["target"]["title"], "exported hunter2");
        assert_eq!(document["edges"][0]["source"]["title"], document["resources"][1]["title"]);
        assert_eq!(document["edges"][1]["target"], "A[exported hunter2]");
        let own = document["resources"][1]["title"].as_str().unwrap_or_default();
        assert_eq!(document["edges"][1]["source"], format!("A[{own}]"));
        assert!(!document["resources"][1].to_string().contains("hunter2"), "{}", document["resources"][1]);
        assert!(document["resources"][0]["parameters"]["h"].as_str().is_some_and(is_token));
    }

    #[test]
    fn no_secret_is_left_in_a_document() {
        let document = json!({"name": "n", "resources": [
            {"type": "User", "title": "u", "tags": ["user"], "sensitive_parameters": ["password"],
                "parameters": {"password": "hunter2", "note": "hunter2 again", "key hunter2": 1}},
            {"type": "C", "title": "hunter3", "parameters": {"h": {
                "pw": {"__ptype": "Sensitive", "__pvalue": "hunter3"},
                "pin": {"__ptype": "Sensitive", "__pvalue": 123},
                "deferred": {"__ptype": "Deferred", "name": "f", "arguments": [{"__ptype": "Sensitive", "__pvalue": ["x1"]}]}}}},
        ], "edges": [{"source": "Stage[main]", "target": "C[hunter3]"}]});
        let redacted = Redacted::from_document(document.clone(), &Key::from_bytes(&[7; 32]));
        let text = redacted.to_string();
        for secret in ["hunter", "123", "x1"] {
            assert!(!text.contains(secret), "{text}");
        }
        assert!(text.contains("\"name\":\"n\"") && text.contains("again"), "{text}");
        assert_eq!(Redacted::from_document(redacted.clone().into_inner(), &Key::from_bytes(&[7; 32])), redacted);
    }
}

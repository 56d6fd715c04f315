//! Catalogs as JSON documents without secrets.
//!
//! In: a native catalog document, the secrets of its compile. Out: [`Redacted`]. What compares or prints documents takes only that, so that no
//! document with secrets reaches it.

use std::collections::HashMap;
use std::ops::Deref;
use std::ops::DerefMut;

use serde_json::Map;
use serde_json::Value;

use super::Secrets;
use super::collect;
use super::key::Key;
use super::key::is_token;
use super::note;

/// Values nest no deeper; the compiler refuses what does.
const DEPTH: usize = 10_000;

/// A document without secrets.
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
    /// A document of which the compile's secrets are known: sensitive parameters, `Sensitive` values inside of others, and every
    /// secret in any string are replaced by tokens.
    #[must_use]
    pub fn new(mut document: Value, secrets: &Secrets) -> Redacted {
        for resource in resources(&mut document) {
            redact_parameters(resource, secrets.key());
        }
        redact(&mut document, secrets, 0);
        Redacted(document)
    }

    /// A document that was read from a file or a service: which strings are secret is taken from itself.
    #[must_use]
    pub fn of_unknown(document: Value, key: &Key) -> Redacted {
        let secrets = Secrets::of_document(&document, key);
        Redacted::new(document, &secrets)
    }

    /// Hides the parameters that differ from those of the same resource in another document where these hold a token: a catalog that
    /// was kept does not tell which strings were secret when a template put them into a text.
    pub fn hide_counterparts(&mut self, other: &Redacted, key: &Key) {
        let name =
            |resource: &Map<String, Value>| Some((resource.get("type")?.clone(), resource.get("title")?.clone()));
        let named = |resource: &Map<String, Value>| name(resource).map(|(kind, title)| format!("{kind}{title}"));
        let list = other.get("resources").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_object);
        let others: HashMap<String, &Map<String, Value>> = list.filter_map(|own| Some((named(own)?, own))).collect();
        for resource in resources(&mut self.0) {
            let Some(other) = named(resource).and_then(|name| others.get(&name)) else { continue };
            let Some(with) = other.get("parameters").and_then(Value::as_object) else { continue };
            for (name, value) in resource.get_mut("parameters").and_then(Value::as_object_mut).into_iter().flatten() {
                let holds = |other: &Value| other != value && other.to_string().contains("<Sensitive");
                if with.get(name).is_some_and(holds) && !value.as_str().is_some_and(is_token) {
                    *value = Value::from(key.token(value));
                }
            }
        }
    }

    /// The document.
    #[must_use]
    pub fn into_inner(self) -> Value {
        self.0
    }
}

impl Secrets {
    /// The secrets that a catalog document names itself: sensitive parameters, and `Sensitive` values inside of others.
    #[must_use]
    pub fn of_document(document: &Value, key: &Key) -> Secrets {
        let ((), noted) = collect(|| note_document(document));
        Secrets::new(key.clone(), noted)
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
    if depth > DEPTH {
        return;
    }
    match value {
        Value::String(text) => {
            if let Some(replaced) = secrets.replace(text) {
                *text = replaced;
            }
        }
        Value::Number(number) if secrets.holds(&number.to_string()) => {
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

/// Notes the strings of a document that are sensitive by themselves.
fn note_document(document: &Value) {
    let list = document.get("resources").or_else(|| document.get("data")?.get("resources"));
    for resource in list.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_object) {
        let names = sensitive_names(resource);
        for (name, value) in resource.get("parameters").and_then(Value::as_object).into_iter().flatten() {
            match value {
                Value::String(text) if names.contains(name) && !is_token(text) => note(text),
                value => note_inside(value, 0),
            }
        }
    }
}

fn note_inside(value: &Value, depth: usize) {
    match value {
        _ if depth > DEPTH => {}
        Value::Array(items) => items.iter().for_each(|item| note_inside(item, depth + 1)),
        Value::Object(members) => match sensitive(members) {
            Some(Value::String(text)) => note(text),
            Some(_) => {}
            None => members.values().for_each(|member| note_inside(member, depth + 1)),
        },
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

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
        let redacted = Redacted::of_unknown(document.clone(), &Key::of(&[7; 32]));
        let text = redacted.to_string();
        for secret in ["hunter", "123", "x1"] {
            assert!(!text.contains(secret), "{text}");
        }
        assert!(text.contains("\"name\":\"n\"") && text.contains("again"), "{text}");
        assert_eq!(Redacted::of_unknown(redacted.clone().into_inner(), &Key::of(&[7; 32])), redacted);
    }
}

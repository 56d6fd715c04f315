//! Documents about the code of environments: classes with their parameters, modules with their versions.
//!
//! In: what a session lists. Out: JSON with sorted keys, so that equal code makes equal bytes. Must not: know HTTP.

use serde_json::Map;
use serde_json::Value as Json;
use serde_json::json;

use catwalk_session::ClassInformation;
use catwalk_session::ManifestClasses;
use catwalk_session::ModuleVersion;
use catwalk_session::ParameterInformation;
use catwalk_value::Value;
use catwalk_value::json::to_json;

/// The response to `GET /puppet/v3/environment_classes` (`class-info-from-jruby->class-info-for-json`).
pub(crate) fn classes(environment: &str, manifests: &[ManifestClasses]) -> Json {
    let files: Vec<Json> = manifests.iter().map(manifest).collect();
    json!({ "files": files, "name": environment })
}

fn manifest(manifest: &ManifestClasses) -> Json {
    let path = manifest.path.to_string_lossy();
    match &manifest.classes {
        Ok(classes) => json!({ "classes": classes.iter().map(class).collect::<Vec<_>>(), "path": path }),
        Err(message) => json!({ "error": message, "path": path }),
    }
}

fn class(class: &ClassInformation) -> Json {
    let parameters: Vec<Json> = class.parameters.iter().map(parameter).collect();
    json!({ "name": &*class.name, "params": parameters })
}

fn parameter(parameter: &ParameterInformation) -> Json {
    let mut fields = Map::new();
    if let Some(literal) = &parameter.default_literal {
        fields.insert("default_literal".to_owned(), sorted(literal));
    }
    if let Some(source) = &parameter.default_source {
        fields.insert("default_source".to_owned(), json!(source));
    }
    fields.insert("name".to_owned(), json!(&*parameter.name));
    if let Some(data_type) = &parameter.data_type {
        fields.insert("type".to_owned(), json!(data_type));
    }
    Json::Object(fields)
}

/// A value as JSON with sorted keys (`sort-nested-info-maps`).
fn sorted(value: &Value) -> Json {
    match value {
        Value::Array(items) => Json::Array(items.iter().map(sorted).collect()),
        Value::Hash(hash) => {
            let mut entries: Vec<(&str, &Value)> =
                hash.iter().filter_map(|(name, value)| Some((name.as_str()?, value))).collect();
            entries.sort_by_key(|(name, _)| keyword(name));
            Json::Object(entries.into_iter().map(|(name, value)| (name.to_owned(), sorted(value))).collect())
        }
        value => to_json(value),
    }
}

/// How Clojure orders a keyword: the part before the first `/` is its namespace; keywords without one come first.
fn keyword(name: &str) -> (Option<&str>, &str) {
    match name.split_once('/') {
        Some((namespace, rest)) if name != "/" => (Some(namespace), rest),
        _ => (None, name),
    }
}

/// An environment in the response to `GET /puppet/v3/environment_modules`.
pub(crate) fn modules(environment: &str, modules: &[ModuleVersion]) -> Json {
    let module = |module: &ModuleVersion| json!({ "name": module.name, "version": module.version });
    json!({ "modules": modules.iter().map(module).collect::<Vec<_>>(), "name": environment })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use catwalk_value::Hash;

    #[test]
    fn keys_have_the_order_of_keywords() {
        let mut hash = Hash::new();
        for name in ["b/a", "z", "a", "b", "a/z", "/"] {
            hash.set(name, Value::Int(1));
        }
        let sorted = sorted(&Value::hash(hash));
        let names: Vec<&String> = sorted.as_object().unwrap().keys().collect();
        assert_eq!(names, ["/", "a", "b", "z", "a/z", "b/a"]);
    }
}

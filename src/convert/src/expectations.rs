//! The expectations of an example, in the form of test files.

use serde_json::Map;
use serde_json::Value as Json;
use serde_json::json;

/// The expectations of a case.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Expectations {
    /// The error with which the compile fails: `true` for any, a string, or a pattern.
    pub(super) fails: Option<Json>,
    /// Resources that the catalog contains, with parameters.
    pub(super) contains: Vec<(String, Map<String, Json>)>,
    /// Resources that the catalog does not contain, or not with these parameters.
    pub(super) lacks: Vec<(String, Map<String, Json>)>,
    pub(super) count: Vec<(String, i64)>,
    /// Pairs of resources: the first is applied before the second.
    pub(super) order: Vec<(String, String)>,
}

impl Expectations {
    /// Adds the expectations of another example with the same catalog, without duplicates.
    pub(super) fn add(&mut self, other: &Expectations) {
        fn extend<T: Clone + PartialEq>(all: &mut Vec<T>, added: &[T]) {
            for item in added {
                if !all.contains(item) {
                    all.push(item.clone());
                }
            }
        }
        extend(&mut self.contains, &other.contains);
        extend(&mut self.lacks, &other.lacks);
        extend(&mut self.count, &other.count);
        extend(&mut self.order, &other.order);
    }

    /// Reads the expectations of an evaluated example.
    ///
    /// # Errors
    /// Why a test file cannot express them.
    pub(super) fn read(expected: &[Json]) -> Result<Expectations, String> {
        let mut all = Expectations::default();
        for expectation in expected {
            let is_wanted = expectation.get("wanted").and_then(Json::as_bool).unwrap_or(true);
            match (expectation.get("kind").and_then(Json::as_str).unwrap_or_default(), is_wanted) {
                ("compiles", true) | ("fails", false) => {}
                ("compiles", false) => all.fails = Some(Json::Bool(true)),
                ("fails", true) => all.fails = Some(message(expectation.get("message").unwrap_or(&Json::Null))),
                ("resource", is_wanted) => all.resource(expectation, is_wanted)?,
                ("count", true) => {
                    let name = string_member(expectation, "type");
                    let count = expectation.get("count").and_then(Json::as_i64).unwrap_or(0);
                    // Every catalog contains the classes `main` and `settings`, which rspec-puppet does not count.
                    let count = if name == "Class" { count + 2 } else { count };
                    all.count.push((name, count));
                }
                _ => return Err("the opposite of a count".to_owned()),
            }
        }
        let has_others = !(all.contains.is_empty() && all.lacks.is_empty() && all.count.is_empty());
        if all.fails.is_some() && has_others {
            return Err("an error and resources in one example".to_owned());
        }
        Ok(all)
    }

    fn resource(&mut self, expectation: &Json, is_wanted: bool) -> Result<(), String> {
        let reference = format!("{}[{}]", string_member(expectation, "type"), string_member(expectation, "title"));
        let list = |name: &str| expectation.get(name).and_then(Json::as_array).cloned().unwrap_or_default();
        let (with, without) = (list("with"), list("without"));
        let mut parameters = parameters(&with)?;
        for name in without.iter().filter_map(Json::as_str) {
            parameters.insert(name.to_owned(), Json::Null);
        }
        if expectation.get("only").and_then(Json::as_bool) == Some(true) {
            parameters.insert("*".to_owned(), Json::Null);
        }
        let is_ordered = !list("requires").is_empty() || !list("before").is_empty();
        if !is_wanted && is_ordered {
            return Err("a resource that must not be in this order".to_owned());
        }
        if !is_wanted {
            self.lacks.push((reference, parameters));
            return Ok(());
        }
        for pair in list("unlike") {
            self.lacks.push((reference.clone(), self::parameters(&[pair])?));
        }
        for other in list("requires").iter().filter_map(Json::as_str) {
            self.order.push((other.to_owned(), reference.clone()));
        }
        for other in list("before").iter().filter_map(Json::as_str) {
            self.order.push((reference.clone(), other.to_owned()));
        }
        self.contains.push((reference, parameters));
        Ok(())
    }
}

/// Converts pairs of names and values to the parameters of a resource in a test file.
fn parameters(pairs: &[Json]) -> Result<Map<String, Json>, String> {
    let mut parameters = Map::new();
    for pair in pairs {
        let (Some(name), Some(value)) = (pair.get(0).and_then(Json::as_str), pair.get(1)) else { continue };
        parameters.insert(name.to_owned(), parameter(value)?);
    }
    Ok(parameters)
}

fn string_member(expectation: &Json, name: &str) -> String {
    expectation.get(name).and_then(Json::as_str).unwrap_or_default().to_owned()
}

/// The member `mark` of a value that JSON cannot represent, such as `{"_regexp": …}`.
fn marked<'a>(value: &'a Json, mark: &str) -> Option<&'a Json> {
    value.as_object().filter(|members| members.keys().next().is_some_and(|key| key.starts_with('_')))?.get(mark)
}

/// A regular expression between slashes, with its options in a group.
fn pattern(value: &Json) -> Option<String> {
    let source = marked(value, "_regexp")?.as_str()?;
    let options = value.get("_options").and_then(Json::as_i64).unwrap_or(0);
    let letters = [(1, 'i'), (2, 'x'), (4, 'm')];
    let letters: String = letters.into_iter().filter(|(bit, _)| options & bit != 0).map(|(_, letter)| letter).collect();
    Some(if letters.is_empty() { format!("/{source}/") } else { format!("/(?{letters}:{source})/") })
}

/// The expected message of an error.
fn message(value: &Json) -> Json {
    match (value, pattern(value)) {
        (Json::Null, _) => Json::Bool(true),
        (_, Some(pattern)) => Json::String(pattern),
        (value, None) => value.clone(),
    }
}

/// The value of a parameter.
fn parameter(value: &Json) -> Result<Json, String> {
    if let Some(pattern) = pattern(value) {
        return Ok(Json::String(pattern));
    }
    if marked(value, "_undef").is_some() {
        return Ok(Json::Null);
    }
    if let Some(inner) = marked(value, "_sensitive") {
        return parameter(inner);
    }
    match value {
        // A string between slashes would be a regular expression. In an array it is not, and an array of one value equals the value.
        Json::String(text) if text.len() > 2 && text.starts_with('/') && text.ends_with('/') => Ok(json!([text])),
        value if is_plain(value) => Ok(value.clone()),
        _ => Err("a regular expression or Puppet code within a value".to_owned()),
    }
}

/// Whether JSON can represent a value.
pub(super) fn is_plain(value: &Json) -> bool {
    match value {
        Json::Array(items) => items.iter().all(is_plain),
        Json::Object(members) => members.iter().all(|(name, value)| !is_mark(name) && is_plain(value)),
        _ => true,
    }
}

fn is_mark(name: &str) -> bool {
    matches!(name, "_undef" | "_regexp" | "_sensitive" | "_code")
}

/// A value as Puppet source.
pub(super) fn puppet(value: &Json) -> String {
    if let Some(code) = marked(value, "_code").and_then(Json::as_str) {
        return code.to_owned();
    }
    if marked(value, "_undef").is_some() {
        return "undef".to_owned();
    }
    if let Some(inner) = marked(value, "_sensitive") {
        return format!("Sensitive({})", puppet(inner));
    }
    if let Some(pattern) = pattern(value) {
        return pattern;
    }
    match value {
        Json::Null => "undef".to_owned(),
        Json::String(text) => catwalk_value::puppet_quote(text),
        Json::Array(items) => format!("[{}]", items.iter().map(puppet).collect::<Vec<_>>().join(", ")),
        Json::Object(members) => {
            let entry =
                |(name, value): (&String, &Json)| format!("{} => {}", catwalk_value::puppet_quote(name), puppet(value));
            format!("{{{}}}", members.iter().map(entry).collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

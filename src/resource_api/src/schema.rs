//! Checks the rows that a provider returned (`BaseTypeDefinition#check_schema`, `strict_check` of resources).
//!
//! In: a definition and the rows of `get`. Out: messages in the words of the Resource API; the caller handles them according to
//! the setting `strict`. Must not: log.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use crate::Attribute;
use crate::Definition;
use crate::munge;
use catwalk_base::names::Name;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_value::ruby;

impl Definition {
    /// Checks a row of `get` against the attributes. `Ok(Some(message))` is a multi-line message that is subject to the setting
    /// `strict` (off: debug; warning: at most 100 for each type in a run; error: the resource fails).
    ///
    /// # Errors
    /// A namevar is missing: the resource fails regardless of `strict`.
    pub fn check_row(&self, row: &Hash) -> Result<Option<String>, String> {
        for namevar in self.namevars() {
            if row.get(&namevar).is_none_or(Value::is_undef) {
                let name = self.name;
                return Err(format!("`{name}.get` did not return a value for the `{namevar}` namevar attribute"));
            }
        }
        let first = self.namevars().next().and_then(|namevar| row.get(&namevar)).cloned().unwrap_or(Value::Undef);
        let subject = format!(
            "Provider returned data that does not match the Type Schema for `{}[{}]`",
            self.name,
            ruby::to_s(&first)
        );
        Ok(mismatches(&self.attributes, row, &subject))
    }

    /// Checks the title of a row against its namevars, for types with several namevars and title patterns. `title` is the title
    /// of the resource, `name` the expected namevars. The message is subject to `strict`.
    #[must_use]
    pub fn check_row_title(&self, title: &str, name: &Value, row: &Hash) -> Option<String> {
        if self.namevars().count() < 2 || self.title_patterns.is_empty() {
            return None;
        }
        let subject = format!("{}[{title}]#get has", self.name);
        let Some(title) = row.get("title") else { return Some(format!("{subject} not provided a title attribute.")) };
        let mut parsed = Hash::new();
        for (attribute, value) in self.parse_title(&ruby::to_s(title)).unwrap_or_default() {
            parsed.set(&attribute, value.map_or(Value::Undef, Value::from));
        }
        let Value::Hash(expected) = name else { return None };
        if is_same_state(expected, &parsed) {
            return None;
        }
        let value = |hash: &Hash, namevar: Name| hash.get(&namevar).cloned().unwrap_or(Value::Undef);
        let different: Vec<Value> = self
            .namevars()
            .filter(|namevar| value(expected, *namevar) != value(&parsed, *namevar))
            .map(|namevar| Value::Symbol(namevar.shared()))
            .collect();
        Some(format!(
            "{subject} provided a title attribute which does not match all namevars.\nNamevars which do not match: {}\nReturned parsed title hash:  {}\nExpected hash:               {}",
            ruby::inspect(&Value::array(different)),
            inspect_state(&parsed),
            inspect_state(expected),
        ))
    }

    /// Compares a row with its canonical form. The message is subject to `strict`.
    #[must_use]
    pub fn check_canonical(&self, title: &str, row: &Hash, canonical: &Hash) -> Option<String> {
        if is_same_state(row, canonical) {
            return None;
        }
        Some(format!(
            "{}[{title}]#get has not provided canonicalized values.\nReturned values:       {}\nCanonicalized values:  {}",
            self.name,
            self.inspect(row),
            self.inspect(canonical)
        ))
    }

    /// A state as Ruby prints it, without the values of sensitive attributes: `{:name=>"a", :num=>5}`.
    #[must_use]
    pub fn inspect(&self, state: &Hash) -> String {
        let secret = |key: &Value| {
            let name = key.as_str().map(Name::new);
            name.and_then(|name| self.attributes.get(&name)).is_some_and(|attribute| attribute.sensitive)
        };
        if !state.keys().any(secret) {
            return inspect_state(state);
        }
        let hide = |(key, value): (&Value, &Value)| {
            let value = if secret(key) { Value::Sensitive(std::sync::Arc::new(Value::Undef)) } else { value.clone() };
            (key.clone(), value)
        };
        inspect_state(&state.iter().map(hide).collect())
    }
}

/// Whether two states are equal; the order of their attributes is ignored (`Hash#==`).
#[must_use]
pub fn is_same_state(a: &Hash, b: &Hash) -> bool {
    a.len() == b.len() && a.iter().all(|(key, value)| b.get_value(key) == Some(value))
}

/// A state as Ruby prints it: names of attributes are symbols. `{:package=>"php", :manager=>"yum"}`
#[must_use]
pub fn inspect_state(state: &Hash) -> String {
    let symbol = |(key, value): (&Value, &Value)| {
        let key = match key {
            Value::Str(name) => Value::Symbol(name.to_shared()),
            other => other.clone(),
        };
        (key, value.clone())
    };
    ruby::inspect(&Value::hash(state.iter().map(symbol).collect()))
}

/// The name of a resource in messages: a string unchanged, a hash of namevars as Ruby prints it.
#[must_use]
pub fn display_name(name: &Value) -> String {
    match name {
        Value::Hash(names) => inspect_state(names),
        other => ruby::to_s(other).into_owned(),
    }
}

/// Lists the attributes of a row that are unknown or have a wrong type, below a headline.
pub(crate) fn mismatches(
    attributes: &IndexMap<Name, Attribute, FxBuildHasher>,
    row: &Hash,
    headline: &str,
) -> Option<String> {
    let attribute_of = |key: &Value| key.as_str().and_then(|key| attributes.get(&Name::new(key)));
    let unknown: Vec<_> =
        row.keys().filter(|key| key.as_str() != Some("title") && attribute_of(key).is_none()).map(ruby::to_s).collect();
    let mut wrong = Vec::new();
    for (key, value) in row.iter() {
        let Some(attribute) = attribute_of(key) else { continue };
        let Some(message) = munge::mismatch(&attribute.data_type, value, "", attribute.sensitive) else { continue };
        let printed = if attribute.sensitive {
            format!("<< redacted value >> {message}")
        } else {
            format!("{} ({message})", ruby::to_s(value))
        };
        wrong.push(format!("{}: {printed}", ruby::to_s(key)));
    }
    if unknown.is_empty() && wrong.is_empty() {
        return None;
    }
    let mut text = headline.to_owned();
    if !unknown.is_empty() {
        text.push_str("\n Unknown attribute:\n");
        unknown.iter().for_each(|key| text.push_str(&format!("    * {key}\n")));
    }
    if !wrong.is_empty() {
        text.push_str("\n Value type mismatch:\n");
        wrong.iter().for_each(|line| text.push_str(&format!("    * {line}\n")));
    }
    Some(text)
}

//! Checks the rows that a provider returned (`BaseTypeDefinition#check_schema`, `strict_check` of resources).
//!
//! In: a definition and the rows of `get`. Out: messages in the words of the Resource API; the caller handles them according to
//! the setting `strict`. Must not: log.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use crate::Attribute;
use crate::Definition;
use crate::State;
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
    pub fn check_row(&self, row: &State) -> Result<Option<String>, String> {
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
    pub fn check_row_title(&self, title: &str, name: &Value, row: &State) -> Option<String> {
        if self.namevars().count() < 2 || self.title_patterns.is_empty() {
            return None;
        }
        let subject = format!("{}[{title}]#get has", self.name);
        let Some(title) = row.get(&catwalk_base::name!("title")) else {
            return Some(format!("{subject} not provided a title attribute."));
        };
        let titled = self.parse_title(&ruby::to_s(title)).unwrap_or_default().into_iter();
        let parsed: State = titled.map(|(name, value)| (name, value.map_or(Value::Undef, Value::from))).collect();
        let Value::Hash(expected) = name else { return None };
        let expected = State::from(expected.as_ref());
        if expected == parsed {
            return None;
        }
        let value = |state: &State, namevar: Name| state.get(&namevar).cloned().unwrap_or(Value::Undef);
        let different: Vec<Value> = self
            .namevars()
            .filter(|namevar| value(&expected, *namevar) != value(&parsed, *namevar))
            .map(|namevar| Value::Symbol(namevar.shared()))
            .collect();
        Some(format!(
            "{subject} provided a title attribute which does not match all namevars.\nNamevars which do not match: {}\nReturned parsed title hash:  {}\nExpected hash:               {}",
            ruby::inspect(&Value::array(different)),
            inspect_state(&parsed.to_hash()),
            inspect_state(&expected.to_hash()),
        ))
    }

    /// Compares a row with its canonical form. The message is subject to `strict`.
    #[must_use]
    pub fn check_canonical(&self, title: &str, row: &State, canonical: &State) -> Option<String> {
        if row == canonical {
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
    pub fn inspect(&self, state: &State) -> String {
        let is_secret = |name: Name| self.attributes.get(&name).is_some_and(|attribute| attribute.sensitive);
        let mut shown = state.clone();
        for (_, value) in shown.iter_mut().filter(|(name, _)| is_secret(**name)) {
            *value = Value::Sensitive(std::sync::Arc::new(Value::Undef));
        }
        inspect_state(&shown.to_hash())
    }
}

/// A state, or a hash of namevars, as Ruby prints it: names of attributes are symbols. `{:package=>"php", :manager=>"yum"}`
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
    row: &State,
    headline: &str,
) -> Option<String> {
    let is_known = |name: Name| name == "title" || attributes.contains_key(&name);
    let keys = row.keys_of_row().filter(|(name, _)| !name.is_some_and(is_known));
    let unknown: Vec<&str> = keys.map(|(_, key)| key).collect();
    let mut wrong = Vec::new();
    for (key, value) in row.iter() {
        let Some(attribute) = attributes.get(key) else { continue };
        let Some(message) = munge::mismatch(&attribute.data_type, value, "", attribute.sensitive) else { continue };
        let printed = if attribute.sensitive {
            format!("<< redacted value >> {message}")
        } else {
            format!("{} ({message})", ruby::to_s(value))
        };
        wrong.push(format!("{key}: {printed}"));
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

//! The state that one run saves for the next: desired values, to distinguish corrective from intentional changes, and audited
//! values (Puppet::Transaction::Persistence, Puppet::Util::Storage).

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

use indexmap::IndexMap;
use serde_json::Map;
use serde_json::Value as Json;

use catwalk_base::secrets::Redacted;
use catwalk_base::secrets::Secrets;
use catwalk_value::Value;
use catwalk_value::json;
use catwalk_value::rich;
use catwalk_value::rich::Mode;

use crate::display::redacted;

/// Values by resource and property.
type Values = IndexMap<String, IndexMap<String, Json>>;

/// The values that earlier runs recorded. Tokens replace secrets in names and values.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    system: Values,
    audited: Values,
    secrets: Arc<Secrets>,
}

impl State {
    /// Parses the output of [`State::to_json`].
    ///
    /// # Errors
    /// The text is not JSON of this form.
    pub fn parse(text: &str) -> Result<State, String> {
        let document: Json = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let section = |name: &str| -> Result<Values, String> {
            match document.get(name) {
                None => Ok(Values::default()),
                Some(section) => values(section).ok_or_else(|| format!("{name} is not a hash of hashes")),
            }
        };
        Ok(State { system: section("system_values")?, audited: section("audited")?, secrets: Arc::default() })
    }

    /// Replaces these secrets in names and values from now on, in those that are looked up and in those that are recorded.
    pub fn hide(&mut self, secrets: Arc<Secrets>) {
        self.secrets = secrets;
    }

    fn resource<'r>(&self, resource: &'r str) -> Cow<'r, str> {
        self.secrets.redact(resource)
    }

    /// A value as it is recorded.
    pub(crate) fn recorded(&self, value: Json) -> Json {
        if self.secrets.is_empty() { value } else { Redacted::new(value, &self.secrets).into_inner() }
    }

    /// The values as JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        let section = |values: &Values| -> Json {
            let entry = |(name, values): (&String, &IndexMap<String, Json>)| {
                (name.clone(), Json::Object(values.iter().map(|(name, value)| (name.clone(), value.clone())).collect()))
            };
            Json::Object(values.iter().map(entry).collect())
        };
        let mut document = Map::new();
        document.insert("system_values".to_owned(), section(&self.system));
        document.insert("audited".to_owned(), section(&self.audited));
        format!("{:#}\n", self.recorded(Json::Object(document)))
    }

    /// The last value that a run saved for a property.
    pub(crate) fn system_value(&self, resource: &str, property: &str) -> Option<&Json> {
        self.system.get(&*self.resource(resource))?.get(property)
    }

    pub(crate) fn set_system_value(&mut self, resource: &str, property: &str, value: Json) {
        let (resource, value) = (self.resource(resource).into_owned(), self.recorded(value));
        self.system.entry(resource).or_default().insert(property.to_owned(), value);
    }

    /// Removes the saved values of resources that are not among these.
    pub(crate) fn keep_system_values<'r>(&mut self, resources: impl Iterator<Item = &'r str>) {
        let kept: HashSet<Cow<'r, str>> = resources.map(|resource| self.resource(resource)).collect();
        self.system.retain(|resource, _| kept.contains(resource.as_str()));
    }

    /// The value that an audit recorded last.
    pub(crate) fn audited(&self, resource: &str, property: &str) -> Option<Value> {
        self.audited.get(&*self.resource(resource))?.get(property).map(json::from_json)
    }

    pub(crate) fn set_audited(&mut self, resource: &str, property: &str, value: &Value) {
        let (resource, value) = (self.resource(resource).into_owned(), self.recorded(plain(value)));
        self.audited.entry(resource).or_default().insert(property.to_owned(), value);
    }
}

fn values(section: &Json) -> Option<Values> {
    let entry = |(resource, values): (&String, &Json)| {
        let values = values.as_object()?.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        Some((resource.clone(), values))
    };
    section.as_object()?.iter().map(entry).collect()
}

/// Converts a value to JSON; values without a JSON form become strings.
pub(crate) fn plain(value: &Value) -> Json {
    rich::to_json(&redacted(value), Mode::CATALOG_PLAIN).unwrap_or(Json::Null)
}

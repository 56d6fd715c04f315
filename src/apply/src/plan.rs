//! The changes that a noop run would make, as a file: a later run makes exactly these changes or refuses.

use std::fmt;

use serde_json::Map;
use serde_json::Value as Json;
use serde_json::json;

use catwalk_base::names::Name;
use catwalk_base::secrets::Key;
use catwalk_base::secrets::Redacted;
use catwalk_base::secrets::ReportedSecrets;
use catwalk_base::secrets::Secrets;
use catwalk_value::Value;
use catwalk_value::json;

use crate::CurrentValues;
use crate::ManagedResource;
use crate::RunOutcome;
use crate::state::plain;

/// The version of the file.
const FORMAT: u64 = 1;

/// One planned change of a property. Secret values are tokens: keyed digests.
#[derive(Clone, PartialEq, Debug)]
pub struct Change {
    /// The resource: `File[/x]`.
    pub resource: String,
    /// The property.
    pub property: String,
    /// The value before the change.
    pub current: Json,
    /// The value after the change.
    pub desired: Json,
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}: {} to {}", self.resource, self.property, self.current, self.desired)
    }
}

impl Change {
    /// The change of a property to its desired value.
    #[must_use]
    pub fn new(
        resource: &str,
        property: Name,
        managed: &dyn ManagedResource,
        current: &CurrentValues,
        key: &Key,
    ) -> Change {
        let is_sensitive = managed.traits(property).is_sensitive;
        let redact = |value: &Value| if is_sensitive { to_token(value, key) } else { to_json_with_tokens(value, key) };
        Change {
            resource: resource.to_owned(),
            property: property.as_str().to_owned(),
            current: current.get(&property).map_or(Json::Null, redact),
            desired: redact(&managed.desired(property)),
        }
    }

    /// The change with tokens in place of the secrets in its strings.
    #[must_use]
    fn redacted(&self, secrets: &Secrets) -> Change {
        let redact = |value: &Json| Redacted::new(value.clone(), secrets).into_inner();
        Change {
            resource: secrets.redact(&self.resource).into_owned(),
            property: self.property.clone(),
            current: redact(&self.current),
            desired: redact(&self.desired),
        }
    }

    fn to_json(&self) -> Json {
        json!({"resource": self.resource, "property": self.property, "current": self.current, "desired": self.desired})
    }

    fn parse(json: &Json) -> Result<Change, String> {
        let string = |name: &str| {
            let value = json.get(name).and_then(Json::as_str).map(str::to_owned);
            value.ok_or_else(|| format!("a change without the string {name}"))
        };
        let value = |name: &str| json.get(name).cloned().unwrap_or(Json::Null);
        let (current, desired) = (value("current"), value("desired"));
        Ok(Change { resource: string("resource")?, property: string("property")?, current, desired })
    }
}

fn to_token(value: &Value, key: &Key) -> Json {
    match value {
        Value::Undef => Json::Null,
        Value::Sensitive(inner) => Json::from(key.token(&json::to_json(inner))),
        value => Json::from(key.token(&json::to_json(value))),
    }
}

/// Replaces the secrets in a value by tokens.
fn to_json_with_tokens(value: &Value, key: &Key) -> Json {
    match value {
        Value::Sensitive(inner) => to_token(inner, key),
        Value::Array(items) => Json::Array(items.iter().map(|item| to_json_with_tokens(item, key)).collect()),
        Value::Hash(entries) => {
            let member = |(name, value): (&Value, &Value)| {
                let name = plain(name);
                (name.as_str().map_or_else(|| name.to_string(), str::to_owned), to_json_with_tokens(value, key))
            };
            Json::Object(entries.iter().map(member).collect())
        }
        value => plain(value),
    }
}

/// The changes that a run would make to a machine, in order.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The node.
    pub certname: String,
    /// A digest of the catalog.
    pub catalog: String,
    /// The changes.
    pub changes: Vec<Change>,
    /// Resources that would be refreshed.
    pub refreshes: Vec<String>,
    /// The secrets of the run that tokens replace.
    secrets: Secrets,
}

impl Plan {
    /// The plan of a noop run, with tokens in place of these secrets.
    #[must_use]
    pub fn new(certname: &str, catalog: String, outcome: &RunOutcome, secrets: Secrets) -> Plan {
        Plan {
            certname: certname.to_owned(),
            catalog,
            changes: outcome.changes.iter().map(|change| change.redacted(&secrets)).collect(),
            refreshes: outcome.refreshes.iter().map(|name| secrets.redact(name).into_owned()).collect(),
            secrets,
        }
    }

    /// The plan for a run with these secrets, whose key must be that of the plan.
    #[must_use]
    pub fn with_secrets(self, secrets: Secrets) -> Plan {
        Plan { secrets, ..self }
    }

    /// The key for tokens in place of secrets.
    pub(crate) fn key(&self) -> &Key {
        self.secrets.key()
    }

    /// Whether the plan refreshes a resource.
    pub(crate) fn refreshes(&self, resource: &str) -> bool {
        let resource = self.secrets.redact(resource);
        self.refreshes.iter().any(|name| *name == resource)
    }

    /// Checks that a run may make this change.
    ///
    /// # Errors
    /// The plan has no such change.
    pub(crate) fn check(&self, change: &Change) -> Result<(), String> {
        let change = change.redacted(&self.secrets);
        if self.changes.contains(&change) {
            return Ok(());
        }
        let Change { resource, property, .. } = &change;
        let planned = self.changes.iter().find(|change| change.resource == *resource && change.property == *property);
        Err(match planned {
            None => format!("the plan does not change {property} of {resource}"),
            Some(planned) => {
                format!("the plan changes {planned}, now it would be {} to {}", change.current, change.desired)
            }
        })
    }

    /// The differences between this plan and a plan of the current state of the machine.
    #[must_use]
    pub fn differences(&self, now: &Plan) -> Vec<String> {
        let mut differences = Vec::new();
        if self.certname != now.certname {
            differences.push(format!("the plan is for {}, not for {}", self.certname, now.certname));
        }
        if self.catalog != now.catalog {
            differences.push("the catalog has changed".to_owned());
        }
        let gone = self.changes.iter().filter(|change| !now.changes.contains(change));
        differences.extend(gone.map(|change| format!("no longer: {change}")));
        let new = now.changes.iter().filter(|change| !self.changes.contains(change));
        differences.extend(new.map(|change| format!("not planned: {change}")));
        if differences.is_empty() && self.changes != now.changes {
            differences.push("the order of the changes is different".to_owned());
        }
        if differences.is_empty() && self.refreshes != now.refreshes {
            differences.push("the refreshed resources are different".to_owned());
        }
        differences
    }

    /// The plan as JSON with a newline at the end.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut document = Map::new();
        document.insert("plan_format".to_owned(), Json::from(FORMAT));
        document.insert("certname".to_owned(), Json::from(self.certname.as_str()));
        document.insert("catalog".to_owned(), Json::from(self.catalog.as_str()));
        document.insert("changes".to_owned(), self.changes.iter().map(Change::to_json).collect());
        document.insert("refreshes".to_owned(), self.refreshes.iter().map(|name| Json::from(name.as_str())).collect());
        format!("{:#}\n", Json::Object(document))
    }

    /// Parses the output of [`Plan::to_json`].
    ///
    /// # Errors
    /// The text is not a plan, or has a different format version.
    pub fn parse(text: &str, key: Key) -> Result<Plan, String> {
        let document: Json = serde_json::from_str(text).map_err(|error| format!("it is not a plan: {error}"))?;
        match document.get("plan_format").and_then(Json::as_u64) {
            Some(FORMAT) => {}
            Some(other) => return Err(format!("it has the format {other}; this version reads {FORMAT}")),
            None => return Err("it is not a plan: plan_format is missing".to_owned()),
        }
        let string = |name: &str| {
            let value = document.get(name).and_then(Json::as_str);
            value.map(str::to_owned).ok_or_else(|| format!("it is not a plan: {name} is missing"))
        };
        let list = |name: &str| document.get(name).and_then(Json::as_array).into_iter().flatten();
        Ok(Plan {
            certname: string("certname")?,
            catalog: string("catalog")?,
            changes: list("changes").map(Change::parse).collect::<Result<_, _>>()?,
            refreshes: list("refreshes").filter_map(Json::as_str).map(str::to_owned).collect(),
            secrets: Secrets::new(key, ReportedSecrets::default()),
        })
    }
}

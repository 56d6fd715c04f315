//! Transports: how a run connects to a device (Puppet::ResourceApi::Transport).
//!
//! In: a definition and a connection hash. Out: the hash with defaults and wrapped secrets, or an error message. Must not:
//! connect.

use std::sync::Arc;

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use crate::Attribute;
use crate::State;
use crate::schema;
use catwalk_base::names::Name;
use catwalk_value::Hash;
use catwalk_value::Type;
use catwalk_value::Value;

/// A transport of the Resource API, as `register_transport` accepts it.
#[derive(Clone, PartialEq, Debug)]
pub struct TransportDefinition {
    pub name: Name,
    /// The description (key `desc`).
    pub description: Option<Arc<str>>,
    /// The attributes of a connection in the order of their definition.
    pub connection_info: IndexMap<Name, Attribute, FxBuildHasher>,
    /// The file that registers the transport.
    pub file: Arc<str>,
}

impl TransportDefinition {
    /// Checks a connection hash, adds defaults and wraps the values of sensitive keys in `Sensitive`. The second part of the
    /// result are debug messages about defaults (`<transport>: Using default value …`) without the values of sensitive keys.
    ///
    /// # Errors
    /// The message of the Resource API.
    pub fn complete_connection(&self, connection: &Hash) -> Result<(Hash, Vec<String>), String> {
        let mut connection = connection.clone();
        let mut messages = Vec::new();
        for (name, attribute) in &self.connection_info {
            if let Some(default) = &attribute.default
                && connection.get(name).is_none()
            {
                let printed =
                    if attribute.sensitive { "[redacted]".to_owned() } else { catwalk_value::ruby::inspect(default) };
                messages.push(format!("Using default value for attribute: {name}, value: {printed}"));
                connection.set(name, default.clone());
            }
        }
        let subject = "The connection info provided does not match the Transport Schema";
        let message = format!("{subject} for `{}[]`", self.name);
        if let Some(message) = schema::mismatches(&self.connection_info, &State::from(&connection), &message) {
            return Err(message);
        }
        let missing = self.connection_info.iter().filter(|(name, attribute)| {
            let is_missing = connection.get(name).is_none_or(Value::is_undef);
            is_missing && !matches!(attribute.data_type, Type::Optional(_))
        });
        let missing: Vec<&str> = missing.map(|(name, _)| name.as_str()).collect();
        if !missing.is_empty() {
            let list = missing.join(", \n    *  ");
            return Err(format!("The following mandatory attributes were not provided:\n    *  {list}"));
        }
        for (name, _) in self.connection_info.iter().filter(|(_, attribute)| attribute.sensitive) {
            if let Some(value) = connection.get(name).filter(|value| !matches!(value, Value::Sensitive(_))).cloned() {
                connection.set(name, Value::Sensitive(Arc::new(value)));
            }
        }
        Ok((connection, messages))
    }
}

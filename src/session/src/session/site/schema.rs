//! The JSON Schema of `catwalk.toml`: that of the structures that read it, and of the tables that are read key by key.
//!
//! In: [`Document`]. Out: a schema for editors. Must not: read files.

use schemars::JsonSchema;
use schemars::Schema;
use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use schemars::json_schema;

use crate::session::site::document::Document;
use crate::session::site::ldap::LdapTable;
use catwalk_eval::Limits;

/// The JSON Schema of `catwalk.toml` (draft 7).
#[must_use]
pub fn schema() -> serde_json::Value {
    SchemaSettings::draft07().into_generator().into_root_schema_for::<Document>().to_value()
}

/// The version of the language: a number, or a string of a release.
pub(super) fn version(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "anyOf": [
            {"type": "number", "minimum": 7, "exclusiveMaximum": 9},
            {"type": "string", "pattern": "^[78](\\.[0-9]+)*$"},
        ],
    })
}

/// Table `limits`.
pub(super) fn limits(_: &mut SchemaGenerator) -> Schema {
    let limit = serde_json::json!({"type": ["number", "string"]});
    let properties: serde_json::Map<String, serde_json::Value> =
        Limits::NAMES.iter().map(|name| ((*name).to_owned(), limit.clone())).collect();
    json_schema!({"type": "object", "properties": properties, "additionalProperties": false})
}

/// Table `classifier`, as `termini` of `document` reads it.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code, reason = "describes the table")]
pub(super) enum ClassifierTable {
    /// Several sources, of which later ones win.
    Chain(ChainTable),
    /// One source.
    One(Box<TerminusTable>),
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[allow(dead_code, reason = "describes the table")]
pub(super) struct ChainTable {
    /// The sources in order: paths, or tables.
    chain: Vec<ChainLink>,
}

#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code, reason = "describes the table")]
pub(super) enum ChainLink {
    Path(String),
    Table(Box<TerminusTable>),
}

/// A source of node objects: exactly one of `exec`, `script`, `groups`, `http` and `ldap`.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[allow(dead_code, reason = "describes the table")]
pub(super) struct TerminusTable {
    /// An executable that prints the classification of the node that its last argument names.
    exec: Option<String>,
    /// Arguments of `exec` before the name of the node.
    arguments: Option<Vec<serde_json::Value>>,
    /// A file or folder of node groups.
    groups: Option<String>,
    /// A script in Rhai with the function `classify`.
    script: Option<String>,
    /// A directory of nodes.
    ldap: Option<Box<LdapTable>>,
    /// The address of a classifier service.
    http: Option<String>,
    /// The certificate of the authority that signed the service's (PEM).
    ca: Option<String>,
    /// The certificate to present to the service (PEM).
    cert: Option<String>,
    /// The key of that certificate (PEM).
    key: Option<String>,
    /// Revocation lists (PEM).
    crl: Option<String>,
    /// The file of a token for the service.
    token: Option<String>,
    /// The time limit in seconds.
    timeout: Option<std::num::NonZeroU64>,
}

//! The contents of a tape's file: recorded answers as JSON.
//!
//! In: the contents of a file, or lists of answers. Out: the other of the two. Must not: access anything except the file.

use super::tape_error;
use crate::LdapEntry;
use crate::LdapScope;
use crate::World;
use crate::WorldError;
use base64::Engine;
use catwalk_base::diag::Reason;
use indexmap::IndexMap;
use serde::Deserialize;
use serde::Serialize;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// A UTF-8 string, or other bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum Bytes {
    Text(String),
    Raw { base64: String },
}

impl Default for Bytes {
    fn default() -> Bytes {
        Bytes::Text(String::new())
    }
}

impl Bytes {
    pub(super) fn new(bytes: &[u8]) -> Bytes {
        match std::str::from_utf8(bytes) {
            Ok(text) => Bytes::Text(text.to_owned()),
            Err(_) => Bytes::Raw { base64: base64::engine::general_purpose::STANDARD.encode(bytes) },
        }
    }

    pub(super) fn bytes(&self) -> Arc<[u8]> {
        match self {
            Bytes::Text(text) => Arc::from(text.as_bytes()),
            Bytes::Raw { base64 } => {
                Arc::from(base64::engine::general_purpose::STANDARD.decode(base64).unwrap_or_default())
            }
        }
    }
}

/// The output of a command.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CommandAnswer {
    pub(super) argv: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) stdin: Option<String>,
    /// `null`: it was stopped because it took too long. Left out: 0.
    #[serde(default = "success")]
    pub(super) status: Option<i32>,
    #[serde(default)]
    pub(super) stdout: Bytes,
    #[serde(default)]
    pub(super) stderr: Bytes,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<String>,
}

#[allow(clippy::unnecessary_wraps, reason = "serde wants the field's type")]
pub(super) fn success() -> Option<i32> {
    Some(0)
}

/// The response of a web server.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PageAnswer {
    pub(super) url: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) login: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) post: Option<serde_json::Value>,
    #[serde(default = "ok")]
    pub(super) status: u16,
    #[serde(default)]
    pub(super) body: Bytes,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<String>,
}

pub(super) fn ok() -> u16 {
    200
}

/// The answer to a DNS lookup.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DnsAnswer {
    pub(super) record: String,
    pub(super) name: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) servers: Vec<String>,
    #[serde(default)]
    pub(super) answer: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<String>,
}

/// The entries that a search in a directory found.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LdapAnswer {
    pub(super) url: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) login: Option<String>,
    #[serde(default)]
    pub(super) base: String,
    #[serde(default = "sub", skip_serializing_if = "is_sub")]
    pub(super) scope: String,
    pub(super) filter: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) attributes: Vec<String>,
    #[serde(default)]
    pub(super) entries: Vec<EntryAnswer>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<String>,
}

fn sub() -> String {
    LdapScope::Sub.as_str().to_owned()
}

fn is_sub(scope: &str) -> bool {
    scope == LdapScope::Sub.as_str()
}

/// An entry of a directory.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EntryAnswer {
    pub(super) dn: String,
    #[serde(default)]
    pub(super) attributes: IndexMap<String, Vec<Bytes>>,
}

impl EntryAnswer {
    pub(super) fn new(entry: &LdapEntry) -> EntryAnswer {
        let attribute = |(name, values): &(String, Vec<Arc<[u8]>>)| {
            (name.clone(), values.iter().map(|value| Bytes::new(value)).collect())
        };
        EntryAnswer { dn: entry.dn.clone(), attributes: entry.attributes.iter().map(attribute).collect() }
    }

    pub(super) fn entry(self) -> LdapEntry {
        let attribute = |(name, values): (String, Vec<Bytes>)| (name, values.iter().map(Bytes::bytes).collect());
        LdapEntry { dn: self.dn, attributes: self.attributes.into_iter().map(attribute).collect() }
    }
}

/// The result of a PuppetDB query.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PuppetDbAnswer {
    pub(super) query: serde_json::Value,
    #[serde(default)]
    pub(super) answer: serde_json::Value,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<String>,
}

/// The contents of one file.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Recording {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) time: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) random: Vec<String>,
    #[serde(skip_serializing_if = "serde_json::Map::is_empty")]
    pub(super) env: serde_json::Map<String, serde_json::Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) run: Vec<CommandAnswer>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) http: Vec<PageAnswer>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) ldap: Vec<LdapAnswer>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) dns: Vec<DnsAnswer>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) puppetdb: Vec<PuppetDbAnswer>,
}

pub(super) fn read(path: &Path, world: &dyn World) -> Result<Option<Recording>, Reason> {
    match world.read(path) {
        Ok(bytes) => serde_json::from_slice(&bytes).map(Some).map_err(|error| tape_error(path, &error)),
        Err(WorldError::Missing(_)) => Ok(None),
        Err(refused) => Err(tape_error(path, &refused)),
    }
}

/// The text of a file.
pub(super) fn text(path: &Path, recording: &Recording) -> Result<String, Reason> {
    serde_json::to_string_pretty(recording).map(|text| text + "\n").map_err(|error| tape_error(path, &error))
}

pub(super) fn nth<'a>(list: &'a [String], at: &mut usize) -> Option<&'a String> {
    let found = list.get(*at).or(list.last());
    *at += 1;
    found
}

pub(super) fn timestamp(time: Duration) -> Option<String> {
    let stamp = jiff::Timestamp::from_duration(jiff::SignedDuration::try_from(time).ok()?).ok()?;
    Some(stamp.to_string())
}

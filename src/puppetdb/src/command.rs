//! A command for PuppetDB: its name, its version, its payload.
//!
//! In: a payload. Out: the command in the form that is sent, and in the form that is stored in a queue. A payload that PuppetDB would
//! discard is an error.

use std::fmt;

use jiff::Timestamp;
use serde_json::Value;
use serde_json::json;
use sha1::Digest;
use sha1::Sha1;

use crate::check;
use catwalk_formats::wire::validate::Violation;

/// The commands that Catwalk sends.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum CommandName {
    /// Replaces the catalog of a node.
    ReplaceCatalog,
    /// Replaces the facts of a node.
    ReplaceFacts,
    /// Adds a report.
    StoreReport,
}

impl CommandName {
    /// All commands.
    pub const ALL: [CommandName; 3] =
        [CommandName::ReplaceCatalog, CommandName::ReplaceFacts, CommandName::StoreReport];

    /// Its name in URLs, with underscores.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            CommandName::ReplaceCatalog => "replace_catalog",
            CommandName::ReplaceFacts => "replace_facts",
            CommandName::StoreReport => "store_report",
        }
    }

    /// The command with this name, in which words are separated by underscores or spaces.
    #[must_use]
    pub fn find(name: &str) -> Option<CommandName> {
        CommandName::ALL.into_iter().find(|known| known.as_str() == name.replace(' ', "_"))
    }

    /// The version of the command, which defines the format of its payload.
    #[must_use]
    pub fn version(self) -> u32 {
        match self {
            CommandName::ReplaceCatalog => 9,
            CommandName::ReplaceFacts => 5,
            CommandName::StoreReport => 8,
        }
    }

    /// Whether a newer command replaces an older one for the same node, which then need not be sent.
    #[must_use]
    pub fn replaces_older(self) -> bool {
        self != CommandName::StoreReport
    }
}

impl fmt::Display for CommandName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A command with a valid payload.
#[derive(Clone, PartialEq, Debug)]
pub struct Command {
    name: CommandName,
    certname: String,
    /// The payload's `producer_timestamp`.
    time: Timestamp,
    /// The payload as JSON.
    payload: String,
}

impl Command {
    /// Creates a command after checking its payload.
    ///
    /// # Errors
    /// All violations of PuppetDB's rules.
    pub fn new(name: CommandName, payload: &Value) -> Result<Command, Vec<Violation>> {
        let violations = check::violations(name, payload);
        if !violations.is_empty() {
            return Err(violations);
        }
        let string = |key: &str| payload.get(key).and_then(Value::as_str).unwrap_or_default();
        Ok(Command {
            name,
            certname: string("certname").to_owned(),
            // The check has made sure that it is a time.
            time: string("producer_timestamp").parse().unwrap_or(Timestamp::UNIX_EPOCH),
            payload: payload.to_string(),
        })
    }

    /// The name of the command.
    #[must_use]
    pub fn name(&self) -> CommandName {
        self.name
    }

    /// The node whose catalog, facts or report it contains.
    #[must_use]
    pub fn certname(&self) -> &str {
        &self.certname
    }

    /// The payload's `producer_timestamp`.
    #[must_use]
    pub fn time(&self) -> Timestamp {
        self.time
    }

    /// The payload as JSON.
    #[must_use]
    pub fn payload(&self) -> &str {
        &self.payload
    }

    /// The SHA-1 of the command, computed like the terminus does: 40 hexadecimal digits.
    #[must_use]
    pub fn checksum(&self) -> String {
        let mut sha = Sha1::new();
        sha.update("{");
        sha.update(self.members());
        sha.update("}");
        sha.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Command, version, node and payload, as members of a JSON object.
    fn members(&self) -> String {
        let name = json!(self.name.as_str().replace('_', " "));
        let (version, certname) = (self.name.version(), json!(self.certname));
        format!(r#""command":{name},"version":{version},"certname":{certname},"payload":{}"#, self.payload)
    }

    /// The command as a JSON document with its checksum, in one line.
    #[must_use]
    pub fn to_document(&self) -> String {
        format!("{{\"checksum\":\"{}\",{}}}\n", self.checksum(), self.members())
    }

    /// Reads a command that [`Command::to_document`] wrote.
    ///
    /// # Errors
    /// The document is damaged; the error states the reason.
    pub fn from_document(bytes: &[u8]) -> Result<Command, String> {
        let document: Value = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        let string = |key: &str| document.get(key).and_then(Value::as_str).ok_or(format!("`{key}` is missing"));
        let name = CommandName::find(string("command")?).ok_or("its command is unknown")?;
        if document.get("version").and_then(Value::as_u64) != Some(u64::from(name.version())) {
            return Err(format!("its version is not {}", name.version()));
        }
        let payload = document.get("payload").ok_or("`payload` is missing")?;
        let command = Command::new(name, payload).map_err(|violations| summary(&violations))?;
        match command.checksum() == string("checksum")? {
            true => Ok(command),
            false => Err("its checksum is wrong".to_owned()),
        }
    }
}

/// The first violation, and the number of further ones.
#[must_use]
pub(crate) fn summary(violations: &[Violation]) -> String {
    let more = violations.len().saturating_sub(1);
    let first = violations.first().map(ToString::to_string).unwrap_or_default();
    if more == 0 { first } else { format!("{first} (and {more} more)") }
}

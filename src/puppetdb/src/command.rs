//! A command for PuppetDB: its name, its version, its payload.
//!
//! In: a payload. Out: the command as it is sent, and as it is kept in a queue. A payload that PuppetDB would discard makes no command.

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
    /// The catalog of a node replaces the one that PuppetDB has.
    ReplaceCatalog,
    /// The facts of a node replace those that PuppetDB has.
    ReplaceFacts,
    /// A report is added.
    StoreReport,
}

impl CommandName {
    /// All of them.
    pub const ALL: [CommandName; 3] =
        [CommandName::ReplaceCatalog, CommandName::ReplaceFacts, CommandName::StoreReport];

    /// Its name in addresses.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            CommandName::ReplaceCatalog => "replace_catalog",
            CommandName::ReplaceFacts => "replace_facts",
            CommandName::StoreReport => "store_report",
        }
    }

    /// The command with this name, as in addresses or with spaces.
    #[must_use]
    pub fn find(name: &str) -> Option<CommandName> {
        CommandName::ALL.into_iter().find(|known| known.as_str() == name.replace(' ', "_"))
    }

    /// The version of the payload.
    #[must_use]
    pub fn version(self) -> u32 {
        match self {
            CommandName::ReplaceCatalog => 9,
            CommandName::ReplaceFacts => 5,
            CommandName::StoreReport => 8,
        }
    }

    /// Whether a newer command of the same node makes an older one needless.
    #[must_use]
    pub fn is_replaced(self) -> bool {
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
    /// When the payload was made.
    time: Timestamp,
    /// The payload as JSON.
    payload: String,
}

impl Command {
    /// The command with this payload.
    ///
    /// # Errors
    /// The payload breaks rules of PuppetDB: all of them.
    pub fn new(name: CommandName, payload: &Value) -> Result<Command, Vec<Violation>> {
        let violations = check::violations(name, payload);
        if !violations.is_empty() {
            return Err(violations);
        }
        let string = |key: &str| payload.get(key).and_then(Value::as_str).unwrap_or_default();
        Ok(Command {
            name,
            certname: string("certname").to_owned(),
            // The rules say that it is a time.
            time: string("producer_timestamp").parse().unwrap_or(Timestamp::UNIX_EPOCH),
            payload: payload.to_string(),
        })
    }

    /// Which command it is.
    #[must_use]
    pub fn name(&self) -> CommandName {
        self.name
    }

    /// The node that it is about.
    #[must_use]
    pub fn certname(&self) -> &str {
        &self.certname
    }

    /// When the payload was made.
    #[must_use]
    pub fn time(&self) -> Timestamp {
        self.time
    }

    /// The payload as JSON.
    #[must_use]
    pub fn payload(&self) -> &str {
        &self.payload
    }

    /// The SHA-1 of the command, as the terminus computes it: 40 hexadecimal digits.
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

    /// Reads what [`Command::to_document`] writes.
    ///
    /// # Errors
    /// The document is damaged: the error says how.
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

/// The first violation, and how many more there are.
#[must_use]
pub(crate) fn summary(violations: &[Violation]) -> String {
    let more = violations.len().saturating_sub(1);
    let first = violations.first().map(ToString::to_string).unwrap_or_default();
    if more == 0 { first } else { format!("{first} (and {more} more)") }
}

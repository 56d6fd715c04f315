//! A command whose catalog is submitted again for later runs of the agent.
//!
//! In: the command of a compile. Out: the command for a later run with the same catalog. Must not: know how long it is kept.

use std::io;
use std::io::Read;
use std::io::Write;

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use serde_json::Value;

use crate::command::Command;
use crate::command::CommandName;
use crate::command::summary;

/// The members of a payload that are new for each run.
#[derive(Clone, Debug)]
pub struct RunMembers {
    /// The version of the catalog.
    pub version: String,
    /// The UUID of the catalog.
    pub catalog_uuid: String,
    /// The UUID of the agent's run.
    pub transaction_uuid: String,
    /// The time of the submission, as in RFC 3339.
    pub producer_timestamp: String,
}

/// The command of a catalog, compressed.
#[derive(Debug)]
pub struct KeptCommand {
    name: CommandName,
    payload: Vec<u8>,
}

impl KeptCommand {
    /// Compresses a command.
    ///
    /// # Errors
    /// There is not enough memory.
    pub fn new(command: &Command) -> io::Result<KeptCommand> {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(command.payload().as_bytes())?;
        let mut payload = encoder.finish()?;
        payload.shrink_to_fit();
        Ok(KeptCommand { name: command.name(), payload })
    }

    /// The number of bytes in memory.
    #[must_use]
    pub fn size(&self) -> usize {
        self.payload.len()
    }

    /// The command for a later run.
    ///
    /// # Errors
    /// PuppetDB would discard it; the error names the violated rule.
    pub fn renewed(&self, run: &RunMembers) -> Result<Command, String> {
        let mut payload = Vec::new();
        DeflateDecoder::new(self.payload.as_slice()).read_to_end(&mut payload).map_err(|error| error.to_string())?;
        let mut payload: Value = serde_json::from_slice(&payload).map_err(|error| error.to_string())?;
        for (member, value) in [
            ("version", &run.version),
            ("catalog_uuid", &run.catalog_uuid),
            ("transaction_uuid", &run.transaction_uuid),
            ("producer_timestamp", &run.producer_timestamp),
        ] {
            payload[member] = Value::from(value.as_str());
        }
        Command::new(self.name, &payload).map_err(|violations| summary(&violations))
    }
}

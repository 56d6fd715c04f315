//! What a provider may report, and how its log messages read (Puppet::ResourceApi::BaseContext).

use std::sync::Arc;

use catwalk_system::System;
use catwalk_value::value::Value;

use crate::Definition;
use crate::Level;
use crate::Log;

/// The environment of one call of a provider: logs its messages and remembers failures.
pub struct Context<'a> {
    /// The type of the resources.
    pub definition: Arc<Definition>,
    /// The names of the resources that are being changed; messages about other resources are errors. `None` outside of `set`.
    pub requested: Option<Vec<Value>>,
    /// Whether `set` is asked to change nothing.
    pub noop: bool,
    /// What the transport's `connect` returned, in a run for a device.
    pub device: Option<Value>,
    /// The machine that the provider works on.
    pub system: &'a mut dyn System,
    log: &'a mut dyn Log,
    /// The prefix of messages inside a block function: `thing[a]: Creating`.
    block: Option<String>,
    failed: bool,
}

impl<'a> Context<'a> {
    /// A context outside of `set`.
    #[must_use]
    pub fn new(definition: Arc<Definition>, log: &'a mut dyn Log, system: &'a mut dyn System) -> Context<'a> {
        Context { definition, requested: None, noop: false, device: None, system, log, block: None, failed: false }
    }

    /// Logs a message without titles: `thing: message`, inside a block function `thing[a]: Creating: message`.
    pub fn message(&mut self, level: Level, message: &str) {
        let prefix = self.block.as_deref().unwrap_or(self.definition.name.as_str());
        self.log.log(level, None, &format!("{prefix}: {message}"));
    }

    /// Whether an action failed since this was last asked (`failed?`, `reset_failed`).
    pub fn take_failed(&mut self) -> bool {
        std::mem::take(&mut self.failed)
    }
}

//! The options and the environment of a run.

use catwalk_base::secrets::Key;
use catwalk_base::version::Strict;
use catwalk_base::version::Version;
use catwalk_resource_api::Log;
use catwalk_system::System;
use catwalk_value::Value;

use crate::Plan;
use crate::State;
use catwalk_base::secrets::SecretCollection;

/// The options of a run.
#[derive(Clone, Debug)]
pub struct Options {
    /// Whether changes are only reported, not made.
    pub noop: bool,
    /// The version whose messages are reproduced.
    pub version: Version,
    /// Whether all deferred functions are called before the first resource is applied: the setting `preprocess_deferred`.
    pub preprocess_deferred: bool,
    /// The setting `strict`.
    pub strict: Strict,
    /// Only resources with one of these tags are applied; all resources if the list is empty.
    pub tags: Vec<String>,
    /// Resources with one of these tags are not applied.
    pub skip_tags: Vec<String>,
    /// Whether the run is for a device: resources of a host are skipped.
    pub is_device: bool,
    /// The planned changes, if only these may be made.
    pub plan: Option<Plan>,
    /// The key for tokens in place of secrets, if the changes that noop mode leaves out are recorded for a plan.
    pub record_plan: Option<Key>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            noop: false,
            version: Version::EIGHT,
            preprocess_deferred: false,
            strict: Strict::Warning,
            tags: Vec::new(),
            skip_tags: Vec::new(),
            is_device: false,
            plan: None,
            record_plan: None,
        }
    }
}

/// Calls the functions of `Deferred` values.
pub trait Resolver {
    /// Replaces every `Deferred` in a value by the result of its call. Messages of functions go to `log`.
    ///
    /// # Errors
    /// A call fails, or a function does not exist.
    fn resolve(&mut self, value: &Value, log: &mut dyn Log) -> Result<Value, String>;
}

/// The environment of a run.
pub struct Environment<'a> {
    /// The machine.
    pub system: &'a mut dyn System,
    /// The receiver of messages.
    pub log: &'a mut dyn Log,
    /// The collection of the secrets of the run.
    pub secrets: &'a SecretCollection,
    /// The resolver of deferred values.
    pub resolver: &'a mut dyn Resolver,
    /// The state that earlier runs have saved.
    pub state: &'a mut State,
    /// Whether the run ends after the current resource.
    pub is_interrupted: &'a dyn Fn() -> bool,
    /// Called before each resource with its number and the number of all resources.
    pub progress: &'a mut dyn FnMut(usize, usize),
}

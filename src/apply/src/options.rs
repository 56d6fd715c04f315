//! How a catalog is applied, and the environment of a run.

use catwalk_base::secrets::Key;
use catwalk_resource_api::Log;
use catwalk_system::System;
use catwalk_value::value::Value;

use crate::Plan;
use crate::State;
use crate::Strict;

/// How a catalog is applied.
#[derive(Clone, Debug)]
pub struct Options {
    /// Whether changes are only reported, not made.
    pub noop: bool,
    /// The setting `strict`.
    pub strict: Strict,
    /// Only resources with one of these tags are applied; all if there are none.
    pub tags: Vec<String>,
    /// Resources with one of these tags are not applied.
    pub skip_tags: Vec<String>,
    /// Whether the run is for a device: resources that need none are skipped.
    pub is_device: bool,
    /// The only changes that may be made.
    pub plan: Option<Plan>,
    /// Whether changes that noop leaves out are recorded for a plan; secrets become tokens of this key.
    pub record_plan: Option<Key>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            noop: false,
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
    /// A value with every `Deferred` in it replaced by the result of its call.
    ///
    /// # Errors
    /// A call fails, or a function does not exist.
    fn resolve(&mut self, value: &Value) -> Result<Value, String>;
}

/// The environment of a run.
pub struct Environment<'a> {
    /// The machine.
    pub system: &'a mut dyn System,
    /// The receiver of messages.
    pub log: &'a mut dyn Log,
    /// The resolver of deferred values.
    pub resolver: &'a mut dyn Resolver,
    /// The state that earlier runs have saved.
    pub state: &'a mut State,
    /// Whether the run ends after the current resource.
    pub is_interrupted: &'a dyn Fn() -> bool,
    /// Called before each resource with its number and how many there are.
    pub progress: &'a mut dyn FnMut(usize, usize),
}

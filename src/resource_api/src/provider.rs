//! The interface between a transaction and the provider of a resource type.

use std::sync::Arc;

use catwalk_base::names::Name;
use catwalk_value::Value;

use crate::Context;
use crate::Definition;
use crate::State;

/// The failure of a provider.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// The message, as Puppet's log shows it.
    pub message: String,
    /// The position in the script and the call stack, printed with `--debug` and `--trace`.
    pub trace: Vec<String>,
    /// The line of the script and the calls that led there, for people; empty if they are unknown.
    pub excerpt: String,
    /// Whether the failure ends the whole run: a limit was reached or the script called `exit`.
    pub is_fatal: bool,
}

impl Failure {
    /// A failure of one resource.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Failure {
        Failure { message: message.into(), trace: Vec::new(), excerpt: String::new(), is_fatal: false }
    }

    /// The message with the excerpt below it, where no log shows it separately.
    #[must_use]
    pub fn message_with_excerpt(&self) -> String {
        match self.excerpt.as_str() {
            "" => self.message.clone(),
            excerpt => format!("{}\n{excerpt}", self.message),
        }
    }
}

/// A requested change of one resource.
#[derive(Clone, PartialEq, Debug)]
pub struct Change {
    /// The resource: a string, or a hash of the namevars if the type has several.
    pub name: Value,
    /// The current state; `None` if the caller does not know it.
    pub is: Option<State>,
    /// The desired state; `None` or `ensure => absent` removes the resource.
    pub should: Option<State>,
}

/// Reads and changes the resources of one type. The values of states have the attributes' data types;
/// `ensure` is the string `present` or `absent`.
pub trait Provider {
    /// The existing resources. `names` limits them if the type has the feature `simple_get_filter`; `None` means all.
    ///
    /// # Errors
    /// The provider failed.
    fn get(&mut self, context: &mut Context<'_>, names: Option<&[Value]>) -> Result<Vec<State>, Failure>;

    /// Brings resources into their desired states. With `noop` it reports what it would change and changes nothing; `noop` is
    /// only set if the type has the feature `supports_noop`.
    ///
    /// # Errors
    /// The provider failed. Errors in block functions of the context are recorded instead ([`Context::take_failed`]).
    fn set(&mut self, context: &mut Context<'_>, changes: &[Change], noop: bool) -> Result<(), Failure>;

    /// Converts the values of states to the form that `get` returns. Only called if the type has the feature `canonicalize`.
    ///
    /// # Errors
    /// The provider failed.
    fn canonicalize(&mut self, context: &mut Context<'_>, states: Vec<State>) -> Result<Vec<State>, Failure>;

    /// This provider as one that changes attributes one by one, if it does so.
    fn as_attribute_provider(&mut self) -> Option<&mut dyn AttributeProvider> {
        None
    }
}

/// Finds the providers of types.
pub trait Providers {
    /// The provider of a type, loaded at its first use in a run; `None` if there is none.
    ///
    /// # Errors
    /// Its file cannot be read or is not a provider of this type.
    fn load(&mut self, definition: &Arc<Definition>) -> Result<Option<Box<dyn Provider>>, Failure>;
}

/// How messages describe an attribute that is not in sync. `None` means the default form.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Difference {
    /// The message after the change: `created`.
    pub message: Option<String>,
    /// The current value.
    pub current: Option<String>,
    /// The desired value.
    pub desired: Option<String>,
}

/// The decision of a provider with the feature `custom_insync` about an attribute.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Comparison {
    /// No decision: the default comparison applies.
    Undecided,
    /// The attribute has its desired value.
    InSync,
    /// The attribute does not have its desired value.
    Differs(Difference),
}

/// A provider that works like those of Puppet's own types: one resource at a time when it is applied, and one attribute at a
/// time, so that each change succeeds or fails by itself.
pub trait AttributeProvider: Provider {
    /// The rows of a resource: one, or none if it does not exist. `declared` is its desired state.
    ///
    /// # Errors
    /// The provider failed: the resource fails.
    fn read(&mut self, context: &mut Context<'_>, name: &Value, declared: &State) -> Result<Vec<State>, Failure>;

    /// Compares an attribute.
    ///
    /// # Errors
    /// The provider failed: the change fails.
    fn compare(&mut self, context: &mut Context<'_>, change: &AttributeChange<'_>) -> Result<Comparison, Failure>;

    /// Changes an attribute.
    ///
    /// # Errors
    /// The provider failed: this change fails, the others continue.
    fn sync(&mut self, context: &mut Context<'_>, change: &AttributeChange<'_>) -> Result<(), Failure>;

    /// Called after all attributes of a resource of which at least one was changed.
    ///
    /// # Errors
    /// The provider failed: the resource fails.
    fn flush(&mut self, context: &mut Context<'_>, name: &Value, is: &State, should: &State) -> Result<(), Failure>;

    /// Whether its resources react to notifications.
    fn is_refreshable(&self) -> bool;

    /// Handles a notification. Returns whether the resource was refreshed.
    ///
    /// # Errors
    /// The provider failed.
    fn refresh(&mut self, context: &mut Context<'_>, name: &Value, is: &State, should: &State)
    -> Result<bool, Failure>;
}

/// A change of one attribute.
#[derive(Clone, Copy, Debug)]
pub struct AttributeChange<'a> {
    pub name: &'a Value,
    pub attribute: Name,
    /// The current state of the resource.
    pub is: &'a State,
    /// The desired state of the resource.
    pub should: &'a State,
}

//! The contract between a transaction and the provider of a resource type.

use std::sync::Arc;

use catwalk_value::value::Hash;
use catwalk_value::value::Value;

use crate::Context;
use crate::Definition;

/// Why a provider did not do what it was asked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// The message, as Puppet's log shows it.
    pub message: String,
    /// The position in the script and the calls that led there; printed with `--debug` and `--trace`.
    pub trace: Vec<String>,
    /// Whether the whole run ends: a limit was reached or the script called `exit`.
    pub is_fatal: bool,
}

impl Failure {
    /// A failure of one resource.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Failure {
        Failure { message: message.into(), trace: Vec::new(), is_fatal: false }
    }
}

/// A requested change of one resource.
#[derive(Clone, PartialEq, Debug)]
pub struct Change {
    /// The resource: a string, or a hash of the namevars where a type has several.
    pub name: Value,
    /// Its current state; `None` where the caller does not know it.
    pub is: Option<Hash>,
    /// The desired state; `None` or `ensure => absent` removes it.
    pub should: Option<Hash>,
}

/// Reads and changes the resources of one type. States are hashes from names of attributes to values in the form of the
/// attributes' data types; `ensure` is the string `present` or `absent`.
pub trait Provider {
    /// The existing resources. `names` limits them where the type has the feature `simple_get_filter`; `None` asks for all.
    ///
    /// # Errors
    /// The provider failed.
    fn get(&mut self, context: &mut Context<'_>, names: Option<&[Value]>) -> Result<Vec<Hash>, Failure>;

    /// Brings resources into their desired states. With `noop` it reports what it would change and changes nothing; only called so
    /// where the type has the feature `supports_noop`.
    ///
    /// # Errors
    /// The provider failed. Errors in block functions of the context are not returned but remembered ([`Context::take_failed`]).
    fn set(&mut self, context: &mut Context<'_>, changes: &[Change], noop: bool) -> Result<(), Failure>;

    /// The same states with all values in the form that `get` returns. Only called where the type has the feature `canonicalize`.
    ///
    /// # Errors
    /// The provider failed.
    fn canonicalize(&mut self, context: &mut Context<'_>, states: Vec<Hash>) -> Result<Vec<Hash>, Failure>;
}

/// Finds the providers of types.
pub trait Providers {
    /// The provider of a type, loaded at its first use in a run; `None` if there is none.
    ///
    /// # Errors
    /// Its file cannot be read or is no provider of this type.
    fn load(&mut self, definition: &Arc<Definition>) -> Result<Option<Box<dyn Provider>>, Failure>;
}

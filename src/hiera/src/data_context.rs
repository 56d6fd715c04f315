//! The context of custom data functions.

use std::cell::RefCell;
use std::path::Path;

use super::Host;
use super::backend::unreadable;
use super::failure::Failure;
use super::lookup::Lookup;
use super::node_data::NodeData;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_world::World;

/// The context of custom data functions: `Puppet::LookupContext`.
pub struct DataContext<'a> {
    pub(super) lookup: &'a Lookup,
    pub(super) node: &'a NodeData,
    pub(super) world: &'a dyn World,
    pub(super) module: Option<&'a str>,
    pub(super) cache: &'a RefCell<Hash>,
}

impl DataContext<'_> {
    /// The module whose hiera.yaml names the function; `None` in the other layers.
    #[must_use]
    pub fn module_name(&self) -> Option<&str> {
        self.module
    }

    /// The environment's name.
    #[must_use]
    pub fn environment_name(&self) -> &str {
        &self.lookup.sources().environment_name
    }

    /// Values cached between calls for the same hierarchy entry and location.
    #[must_use]
    pub fn cache(&self) -> &RefCell<Hash> {
        self.cache
    }

    /// Replaces `%{…}` in a value.
    ///
    /// # Errors
    /// As a lookup.
    pub fn interpolate(&self, value: &Value, host: &mut dyn Host) -> Result<Value, Failure> {
        self.lookup.interpolate(self.node, self.world, host, value)
    }

    /// Adds a line to the explanation, if one is in progress.
    pub fn explain(&self, text: impl FnOnce() -> String) {
        self.node.explain_with(text);
    }

    /// The contents of a file (`cached_file_data`).
    ///
    /// # Errors
    /// It cannot be read.
    pub fn file(&self, path: &Path) -> Result<Value, Failure> {
        let bytes = self.world.read(path).map_err(|refused| unreadable(&refused))?;
        Ok(Value::str(String::from_utf8_lossy(&bytes)))
    }
}

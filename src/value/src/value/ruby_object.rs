//! Ruby objects without a value of the Puppet language: a set, a time, an object of a module's class.
//!
//! Manifests can read the class and the string; Ruby code receives the object itself.

use std::hash::Hash;
use std::hash::Hasher;
use std::sync::Arc;

use catwalk_base::names::Name;

/// An object that Ruby code returned.
#[derive(Clone, Debug)]
pub struct RubyObject {
    /// The number of the object in the compile.
    pub number: u32,
    pub class: Name,
    /// The result of `to_s` when the manifest received it.
    pub text: Arc<str>,
    /// The result of `inspect`.
    pub inspected: Arc<str>,
    /// Whether it equals objects of the same class with the same `inspect` string.
    pub by_value: bool,
}

impl RubyObject {
    /// The name of the class; `None` for an anonymous class.
    #[must_use]
    pub fn class_name(&self) -> Option<&'static str> {
        let name = self.class.as_str();
        (!name.starts_with("#<")).then_some(name)
    }
}

impl PartialEq for RubyObject {
    fn eq(&self, other: &RubyObject) -> bool {
        self.number == other.number
            || (self.by_value && other.by_value && self.class == other.class && self.inspected == other.inspected)
    }
}
impl Eq for RubyObject {}

impl Hash for RubyObject {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // Objects that differ only in their number are rare.
        self.class.hash(state);
    }
}

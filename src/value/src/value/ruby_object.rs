//! Objects of Ruby that have no other form in the language: a set, a time, an object of a module's own class.
//!
//! The language knows their class and their text; Ruby code that is given one has the object itself.

use std::hash::Hash;
use std::hash::Hasher;
use std::sync::Arc;

use catwalk_base::names::Name;

/// An object that Ruby code gave.
#[derive(Clone, Debug)]
pub struct RubyObject {
    /// Which of the compile's objects it is.
    pub number: u32,
    /// Its class.
    pub class: Name,
    /// What `to_s` gave when the language got it.
    pub text: Arc<str>,
    /// What `inspect` gave.
    pub inspected: Arc<str>,
    /// Whether others that look the same are equal.
    pub by_value: bool,
}

impl RubyObject {
    /// The name of its class; nothing of a class that has none.
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
        // What is told apart by its number is rare.
        self.class.hash(state);
    }
}

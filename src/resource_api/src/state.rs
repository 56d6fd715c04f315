//! The state of a resource: values by the names of its attributes.

use std::ops::Deref;
use std::ops::DerefMut;

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use catwalk_base::names::Name;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_value::ruby;

/// The attributes of a resource in their order: those that a manifest sets, or those that a provider has read. Two states are equal
/// whatever the order of their attributes.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct State(IndexMap<Name, Value, FxBuildHasher>);

impl State {
    /// A state without attributes.
    #[must_use]
    pub fn new() -> State {
        State::default()
    }

    /// The state as a hash, for code that is not written in Rust.
    #[must_use]
    pub fn to_hash(&self) -> Hash {
        self.iter().map(|(name, value)| (Value::from(name.shared()), value.clone())).collect()
    }
}

/// Keys that are no strings become their strings.
impl From<&Hash> for State {
    fn from(hash: &Hash) -> State {
        hash.iter().map(|(key, value)| (Name::new(&ruby::to_s(key)), value.clone())).collect()
    }
}

impl FromIterator<(Name, Value)> for State {
    fn from_iter<I: IntoIterator<Item = (Name, Value)>>(attributes: I) -> State {
        State(attributes.into_iter().collect())
    }
}

impl IntoIterator for State {
    type Item = (Name, Value);
    type IntoIter = indexmap::map::IntoIter<Name, Value>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a> IntoIterator for &'a State {
    type Item = (&'a Name, &'a Value);
    type IntoIter = indexmap::map::Iter<'a, Name, Value>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl Deref for State {
    type Target = IndexMap<Name, Value, FxBuildHasher>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for State {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

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
pub struct State {
    attributes: IndexMap<Name, Value, FxBuildHasher>,
    /// The keys of a provider's row that are no strings and so cannot name an attribute, each with the number of attributes before it.
    foreign_keys: Vec<(usize, String)>,
}

impl State {
    /// A state without attributes.
    #[must_use]
    pub fn new() -> State {
        State::default()
    }

    /// The keys of a provider's row in their order, also those that cannot name an attribute: these have no name.
    pub(crate) fn keys_of_row(&self) -> impl Iterator<Item = (Option<Name>, &str)> {
        let foreign = |at: usize| self.foreign_keys.iter().filter(move |(before, _)| *before == at);
        let foreign = move |at| foreign(at).map(|(_, key)| (None, key.as_str()));
        let named = self.attributes.keys().enumerate();
        let named = named.flat_map(move |(at, name)| foreign(at).chain([(Some(*name), name.as_str())]));
        named.chain(foreign(self.attributes.len()))
    }

    /// The state as a hash, for code that is not written in Rust.
    #[must_use]
    pub fn to_hash(&self) -> Hash {
        self.iter().map(|(name, value)| (Value::from(name.shared()), value.clone())).collect()
    }
}

/// Keys that are no strings name no attribute: a check of the row reports them.
impl From<&Hash> for State {
    fn from(hash: &Hash) -> State {
        let mut state = State::new();
        for (key, value) in hash {
            match key {
                Value::Str(name) => _ = state.attributes.insert(Name::new(name), value.clone()),
                Value::Symbol(name) => _ = state.attributes.insert(Name::new(name), value.clone()),
                key => state.foreign_keys.push((state.attributes.len(), ruby::to_s(key).into_owned())),
            }
        }
        state
    }
}

impl FromIterator<(Name, Value)> for State {
    fn from_iter<I: IntoIterator<Item = (Name, Value)>>(attributes: I) -> State {
        State { attributes: attributes.into_iter().collect(), foreign_keys: Vec::new() }
    }
}

impl IntoIterator for State {
    type Item = (Name, Value);
    type IntoIter = indexmap::map::IntoIter<Name, Value>;

    fn into_iter(self) -> Self::IntoIter {
        self.attributes.into_iter()
    }
}

impl<'a> IntoIterator for &'a State {
    type Item = (&'a Name, &'a Value);
    type IntoIter = indexmap::map::Iter<'a, Name, Value>;

    fn into_iter(self) -> Self::IntoIter {
        self.attributes.iter()
    }
}

impl Deref for State {
    type Target = IndexMap<Name, Value, FxBuildHasher>;

    fn deref(&self) -> &Self::Target {
        &self.attributes
    }
}

impl DerefMut for State {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.attributes
    }
}

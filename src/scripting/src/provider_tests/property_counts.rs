//! The properties that every provider has, and how often tests have found that one holds.

use catwalk_base::names::Name;

use crate::state;

/// A property that every provider must have.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Property {
    /// The rows of `get` match the definition of the type and are canonical.
    Rows,
    /// `canonicalize` does not change canonical resources.
    CanonicalTwice,
    /// After `set`, `get` returns the desired state.
    Reached,
    /// A second run changes nothing.
    SecondRun,
    /// `set` with noop changes nothing.
    Noop,
    /// `set` logs only for the resources that are passed to it.
    GivenTitles,
    /// Per resource, blocks begin before other messages, and changes of attributes are logged before the action.
    Order,
}

impl Property {
    /// All properties.
    pub const ALL: [Property; 7] = [
        Property::Rows,
        Property::CanonicalTwice,
        Property::Reached,
        Property::SecondRun,
        Property::Noop,
        Property::GivenTitles,
        Property::Order,
    ];

    /// The property as a sentence.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Property::Rows => "rows of get are of the type and canonical",
            Property::CanonicalTwice => "canonicalize twice is canonicalize once",
            Property::Reached => "after set, get returns what should be",
            Property::SecondRun => "a second run changes nothing",
            Property::Noop => "set with noop changes nothing",
            Property::GivenTitles => "set logs only for given titles",
            Property::Order => "messages about a title are in order",
        }
    }
}

/// Counts a call of a test in which a property held.
pub(super) fn note(type_name: Name, property: Property) {
    state::tests(|tests| *tests.property_counts.entry((type_name, property)).or_default() += 1);
}

/// In how many calls of tests a property held.
pub(super) fn count(type_name: Name, property: Property) -> usize {
    state::tests(|tests| tests.property_counts.get(&(type_name, property)).copied().unwrap_or_default())
}

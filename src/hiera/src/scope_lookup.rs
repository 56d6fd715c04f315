//! The variables that a hierarchy was resolved with.

use rustc_hash::FxHashMap;

use super::key::Segment;
use catwalk_value::Value;

/// Values by the expression that refers to them, as written in a hierarchy's paths (`facts.os.family`).
pub(super) type Replay = FxHashMap<String, Value>;

/// The entries of a variable that are used; `None`: the whole variable.
pub(super) type Entries<'a> = Option<&'a mut dyn Iterator<Item = &'a str>>;

/// A variable that a hierarchy was resolved with.
#[derive(Clone, Debug)]
pub(super) struct ScopeLookup {
    /// The whole expression.
    pub(super) key: String,
    pub(super) root: String,
    pub(super) segments: Vec<Segment>,
    /// The value of the root, if the value is inside it.
    pub(super) root_value: Value,
    /// The value; `Undef` if there was no variable.
    pub(super) value: Value,
}

impl ScopeLookup {
    /// An absolute variable that has a value cannot change.
    pub(super) fn is_fixed(&self) -> bool {
        !self.value.is_undef() && self.key.starts_with("::")
    }
}

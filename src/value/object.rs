//! Values of object types: `Deferred`, `Error` and what users define.

use std::sync::Arc;

use crate::types::ObjectType;
use crate::value::Hash;
use crate::value::Value;

/// An object: its type and the attributes that were given or have a default, in the order of the type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// Its type.
    pub object_type: Arc<ObjectType>,
    /// Its attributes.
    pub attributes: Hash,
}

impl Object {
    /// An attribute: the object's own, or the type's default.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Value> {
        self.attributes
            .get(name)
            .cloned()
            .or_else(|| self.object_type.attribute(name).and_then(|attribute| attribute.default.clone()))
    }

    /// The attributes as they are written down: trailing ones that have their default are left out.
    #[must_use]
    pub fn init_hash(&self) -> Hash {
        self.attributes
            .iter()
            .filter(|(name, value)| {
                let attribute = name.as_str().and_then(|name| self.object_type.attribute(name));
                attribute.is_none_or(|attribute| attribute.is_given() && attribute.default.as_ref() != Some(value))
            })
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect()
    }
}

impl std::hash::Hash for Object {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.object_type.name.hash(state);
        state.write_usize(self.attributes.len());
    }
}

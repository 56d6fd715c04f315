//! Values of object types: `Deferred`, `Error` and user-defined types.

use std::sync::Arc;

use crate::types::ObjectType;
use crate::value::Hash;
use crate::value::Value;

/// An object: its type and its attributes from arguments or defaults, in the order of the type.
#[derive(Clone, Debug)]
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

    /// The attributes in written form, without those at their defaults. (`_pcore_init_hash`)
    #[must_use]
    pub(crate) fn init_hash(&self) -> Hash {
        // (PuppetObject#_pcore_init_hash)
        if self.object_type.is_opaque() {
            return Hash::new();
        }
        // Other attributes are unchanged: for some values the type is only a name.
        if self.object_type.definition.is_none() {
            return self.attributes.clone();
        }
        let attributes =
            self.object_type.all_attributes().into_iter().filter(|attribute| attribute.is_argument_of_new());
        let changed = attributes.filter_map(|attribute| {
            let value = self.get(&attribute.name).unwrap_or(Value::Undef);
            let differs = !attribute.default.as_ref().is_some_and(|default| eql(default, &value));
            differs.then(|| (Value::from(attribute.name.clone()), value))
        });
        changed.collect()
    }

    /// The attributes for a catalog, in the order of `new`'s parameters, without those at the end that are at their defaults.
    /// (`ToDataConverter#value_to_data_hash`)
    #[must_use]
    pub fn data_hash(&self) -> Hash {
        if self.object_type.definition.is_none() {
            return self.attributes.clone();
        }
        let attributes =
            self.object_type.all_attributes().into_iter().filter(|attribute| attribute.is_argument_of_new());
        let (mut ordered, valued): (Vec<_>, Vec<_>) = attributes.partition(|attribute| attribute.default.is_none());
        let required = ordered.len();
        ordered.extend(valued);
        let get = |name: &str| self.get(name).unwrap_or(Value::Undef);
        let differs = |attribute: &&crate::types::Attribute| {
            !attribute.default.as_ref().is_some_and(|default| eql(default, &get(&attribute.name)))
        };
        let count = ordered.iter().rposition(differs).map_or(0, |at| at + 1).max(required);
        let attributes = ordered.into_iter().take(count);
        attributes.map(|attribute| (Value::from(attribute.name.clone()), get(&attribute.name))).collect()
    }
}

/// Objects are equal if their types and their attributes for equality are equal. A type may exclude attributes, or the type, from
/// the comparison. (`RubyGenerator#class_body`, `eql?`)
impl PartialEq for Object {
    fn eq(&self, other: &Object) -> bool {
        if std::ptr::eq(self, other) {
            return true;
        }
        let object_type = &*self.object_type;
        if object_type.definition.is_none() {
            return object_type == &*other.object_type && self.attributes == other.attributes;
        }
        let same = |name: &str| eql(&self.get(name).unwrap_or(Value::Undef), &other.get(name).unwrap_or(Value::Undef));
        let mut types = vec![object_type];
        while let Some(parent) = types.last().and_then(|t| t.parent_object()) {
            types.push(parent);
        }
        // Each type calls the method of its parent. The topmost type calls that of Ruby's `Object`, which compares identities, if it
        // compares no attributes or extends a type that is not an object type.
        let last = types.last().copied().unwrap_or(object_type);
        if last.parent.is_some() || (!last.includes_type && last.own_equality().is_empty()) {
            return false;
        }
        let is_same_type = !types.iter().any(|t| t.includes_type) || object_type == &*other.object_type;
        is_same_type && types.iter().all(|t| t.own_equality().into_iter().all(same))
    }
}
impl Eq for Object {}

impl Object {
    /// The name of its type in catalogs; for a type with parameters only its last segment (PuppetObject#_pcore_type).
    #[must_use]
    pub fn type_name(&self) -> &str {
        if self.object_type.is_parameterized() { self.object_type.simple_name() } else { self.object_type.label() }
    }
}

/// `Object#eql?`: times are compared by value, also in arrays; other values like hash keys.
fn eql(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Timestamp(a), Value::Timestamp(b)) => a == b,
        (Value::Timespan(a), Value::Timespan(b)) => a == b,
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| eql(a, b)),
        _ => a == b,
    }
}

impl std::hash::Hash for Object {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.object_type.name.hash(state);
        state.write_usize(self.attributes.len());
    }
}

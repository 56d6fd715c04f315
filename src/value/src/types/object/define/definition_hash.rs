//! Object types as the hash that defines them.
//!
//! In: attributes and functions. Out: hashes. Must not: check anything.

use crate::types::Attribute;
use crate::types::AttributeKind;
use crate::types::Function;
use crate::types::ObjectType;
use crate::types::Type;
use crate::types::generalize;
use crate::types::infer;
use crate::value::Hash;
use crate::value::Value;
use std::sync::Arc;

pub(super) fn members_hash(members: impl Iterator<Item = (Arc<str>, Value)>) -> Value {
    Value::hash(members.map(|(name, value)| (Value::from(name), value)).collect())
}

impl Attribute {
    pub(super) fn written(&self) -> Value {
        let mut parts = Hash::new();
        parts.set("type", Value::Type(self.data_type.clone()));
        if self.is_final && self.kind != AttributeKind::Constant {
            parts.set("final", Value::Bool(true));
        }
        if self.overrides {
            parts.set("override", Value::Bool(true));
        }
        if let Some(annotations) = &self.annotations {
            parts.set("annotations", annotations.clone());
        }
        if let Some(kind) = self.kind.word() {
            parts.set("kind", Value::str(kind));
        }
        if let Some(value) = &self.default {
            parts.set("value", value.clone());
        }
        shortened(parts, &self.data_type)
    }

    pub(super) fn written_parameter(&self) -> Value {
        let inner = match &self.data_type {
            Type::Optional(Some(inner)) => (**inner).clone(),
            _ => Type::Any,
        };
        let mut parts = Hash::new();
        parts.set("type", Value::Type(inner.clone()));
        if let Some(value) = self.default.as_ref().filter(|value| !value.is_undef()) {
            parts.set("value", value.clone());
        }
        shortened(parts, &inner)
    }
}

impl Function {
    pub(super) fn written(&self) -> Value {
        let mut parts = Hash::new();
        parts.set("type", Value::Type(self.data_type.clone()));
        if self.is_final {
            parts.set("final", Value::Bool(true));
        }
        if self.overrides {
            parts.set("override", Value::Bool(true));
        }
        if let Some(annotations) = &self.annotations {
            parts.set("annotations", annotations.clone());
        }
        shortened(parts, &self.data_type)
    }
}

/// A member with nothing but a type is written as that type.
pub(super) fn shortened(parts: Hash, data_type: &Type) -> Value {
    if parts.len() == 1 { Value::Type(data_type.clone()) } else { Value::hash(parts) }
}

impl ObjectType {
    /// The definition in written form: members with their default are left out. (`_pcore_init_hash`)
    pub(super) fn to_definition(&self, definition: &Hash) -> Hash {
        let mut hash = Hash::new();
        if let Some(annotations) = definition.get("annotations") {
            hash.set("annotations", annotations.clone());
        }
        if let Some(name) = &self.name {
            hash.set("name", Value::from(name.clone()));
        }
        if let Some(parent) = &self.parent {
            hash.set("parent", Value::Type(parent.clone()));
        }
        if !self.type_parameters.is_empty() {
            let members = self.type_parameters.iter().map(|own| (own.name.clone(), own.written_parameter()));
            hash.set("type_parameters", members_hash(members));
        }
        let plain = |own: &Attribute| {
            let value = own.default.as_ref().filter(|_| own.kind == AttributeKind::Constant);
            value.is_some_and(|value| own.data_type == generalize(&infer(value)))
        };
        let (constants, others): (Vec<&Attribute>, Vec<&Attribute>) =
            self.attributes.iter().partition(|own| plain(own));
        if !others.is_empty() {
            let members = others.iter().map(|own| (own.name.clone(), own.written()));
            hash.set("attributes", members_hash(members));
        }
        if !constants.is_empty() {
            let value = |own: &Attribute| own.default.clone().unwrap_or(Value::Undef);
            hash.set("constants", members_hash(constants.iter().map(|own| (own.name.clone(), value(own)))));
        }
        if !self.functions.is_empty() {
            hash.set("functions", members_hash(self.functions.iter().map(|own| (own.name.clone(), own.written()))));
        }
        if let Some(equality) = &self.equality {
            hash.set("equality", Value::array(equality.iter().cloned().map(Value::from).collect()));
        }
        if let Some(checks) = definition.get("checks").filter(|checks| !checks.is_undef()) {
            hash.set("checks", checks.clone());
        }
        hash
    }
}

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
    pub(super) fn to_definition(&self) -> Value {
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
        if let Some(kind) = self.kind.keyword() {
            parts.set("kind", Value::str(kind));
        }
        if let Some(value) = &self.default {
            parts.set("value", value.clone());
        }
        shorten(parts, &self.data_type)
    }

    pub(super) fn to_parameter_definition(&self) -> Value {
        let inner = match &self.data_type {
            Type::Optional(Some(inner)) => (**inner).clone(),
            _ => Type::Any,
        };
        let mut parts = Hash::new();
        parts.set("type", Value::Type(inner.clone()));
        if let Some(value) = self.default.as_ref().filter(|value| !value.is_undef()) {
            parts.set("value", value.clone());
        }
        shorten(parts, &inner)
    }
}

impl Function {
    pub(super) fn to_definition(&self) -> Value {
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
        shorten(parts, &self.data_type)
    }
}

/// The definition of a member: only its type if it has no other parts.
pub(super) fn shorten(parts: Hash, data_type: &Type) -> Value {
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
            let members = self
                .type_parameters
                .iter()
                .map(|parameter| (parameter.name.clone(), parameter.to_parameter_definition()));
            hash.set("type_parameters", members_hash(members));
        }
        let is_constant = |attribute: &Attribute| {
            let value = attribute.default.as_ref().filter(|_| attribute.kind == AttributeKind::Constant);
            value.is_some_and(|value| attribute.data_type == generalize(&infer(value)))
        };
        let (constants, others): (Vec<&Attribute>, Vec<&Attribute>) =
            self.attributes.iter().partition(|attribute| is_constant(attribute));
        if !others.is_empty() {
            let members = others.iter().map(|attribute| (attribute.name.clone(), attribute.to_definition()));
            hash.set("attributes", members_hash(members));
        }
        if !constants.is_empty() {
            let value = |constant: &Attribute| constant.default.clone().unwrap_or(Value::Undef);
            hash.set(
                "constants",
                members_hash(constants.iter().map(|constant| (constant.name.clone(), value(constant)))),
            );
        }
        if !self.functions.is_empty() {
            hash.set(
                "functions",
                members_hash(self.functions.iter().map(|function| (function.name.clone(), function.to_definition()))),
            );
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

//! The common type of two types, by Puppet's rules.

use std::sync::Arc;

use crate::types::DistinctParts;
use crate::types::HashType;
use crate::types::IntRange;
use crate::types::ResourceType;
use crate::types::Type;
use crate::types::is_assignable;
use catwalk_base::meter;
use catwalk_regexp::Regexp;

/// A type that both types are assignable to, as Puppet reduces them.
#[must_use]
pub fn common_type(a: &Type, b: &Type) -> Type {
    // `undef` and the element type of an empty collection are ignored.
    if matches!(a, Type::Undef | Type::Unit) {
        if *a == Type::Unit && *b == Type::Undef {
            return a.clone();
        }
        return b.clone();
    }
    if matches!(b, Type::Undef | Type::Unit) || is_assignable(a, b) {
        return a.clone();
    }
    if is_assignable(b, a) {
        return b.clone();
    }
    same_kind(a, b).unwrap_or_else(|| different_kind(a, b))
}

fn same_kind(a: &Type, b: &Type) -> Option<Type> {
    Some(match (a, b) {
        (Type::Array(a), Type::Array(b)) => Type::array(common_type(&a.element, &b.element), None),
        (Type::Hash(a), Type::Hash(b)) => Type::Hash(Arc::new(HashType {
            key: common_type(&a.key, &b.key),
            value: common_type(&a.value, &b.value),
            size: None,
        })),
        (Type::Class(_), Type::Class(_)) => Type::Class(None),
        (Type::Resource(a), Type::Resource(b)) => {
            if a.type_name == b.type_name {
                Type::Resource(Arc::new(ResourceType { type_name: a.type_name.clone(), ..ResourceType::default() }))
            } else {
                Type::any_resource()
            }
        }
        (Type::Integer(a), Type::Integer(b)) => Type::Integer(a.hull(*b)),
        (Type::Integer(_) | Type::BigInteger(_), Type::Integer(_) | Type::BigInteger(_)) => {
            Type::integer(a.integer_range()?.hull(&b.integer_range()?))
        }
        (Type::Float(a), Type::Float(b)) => Type::Float(a.hull(*b)),
        (Type::Pattern(a), Type::Pattern(b)) => {
            meter::tick(a.len() + b.len());
            let all: DistinctParts<Arc<Regexp>> = a.iter().chain(b.iter()).cloned().collect();
            Type::Pattern(all.into_iter().collect())
        }
        (Type::Variant(a), Type::Variant(b)) => Type::variant(a.iter().chain(b.iter()).cloned().collect()),
        (Type::Regexp(_), Type::Regexp(_)) => Type::Regexp(None),
        (Type::Callable(_), Type::Callable(_)) => Type::any_callable(),
        _ => return common_string_type(a, b),
    })
}

fn common_string_type(a: &Type, b: &Type) -> Option<Type> {
    let value = |t: &Type| match t {
        Type::StringValue(value) => Some(value.clone()),
        _ => None,
    };
    let size = |t: &Type| match t {
        Type::StringSize(size) => Some(**size),
        _ => None,
    };
    let is_string = |t: &Type| matches!(t, Type::String | Type::StringSize(_) | Type::StringValue(_));
    if let Type::Enum(values) = a {
        meter::tick(values.values.len());
    }
    match (a, b) {
        (Type::Enum(a), Type::Enum(b)) => {
            Some(Type::enumeration(a.values.iter().chain(&b.values).cloned().collect(), false))
        }
        (Type::Enum(values), text) | (text, Type::Enum(values)) if is_string(text) => Some(match value(text) {
            None => Type::any_enum(),
            Some(value) => Type::enumeration(values.values.iter().cloned().chain([value]).collect(), false),
        }),
        _ if is_string(a) && is_string(b) => Some(match (size(a), size(b)) {
            (Some(a), Some(b)) => match common_type(&Type::Integer(a), &Type::Integer(b)) {
                Type::Integer(size) => Type::string_size(size),
                _ => Type::string_size(IntRange::SIZE),
            },
            _ => match (value(a), value(b)) {
                (Some(a), Some(b)) => Type::enumeration(vec![a, b], false),
                _ => Type::String,
            },
        }),
        _ => None,
    }
}

fn different_kind(a: &Type, b: &Type) -> Type {
    for simple in [Type::Numeric, Type::ScalarData, Type::Scalar, Type::data()] {
        if is_assignable(&simple, a) && is_assignable(&simple, b) {
            return simple;
        }
    }
    if let (Type::Type(a), Type::Type(b)) = (a, b) {
        return match (a, b) {
            (Some(a), Some(b)) => Type::type_of(common_type(a, b)),
            _ => Type::Type(None),
        };
    }
    let rich = Type::rich_data();
    if is_assignable(&rich, a) && is_assignable(&rich, b) {
        return rich;
    }
    Type::Any
}

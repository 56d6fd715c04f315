//! Iterable types and the types of their elements.
//!
//! In: a type. Out: the type of its elements.

use std::sync::Arc;

use crate::types::IntRange;
use crate::types::StructElement;
use crate::types::Type;
use crate::types::alias::with_guard;
use crate::value::Value;

/// Whether values of a type can be iterated over.
#[must_use]
pub(crate) fn is_iterable(t: &Type) -> bool {
    match t {
        Type::Integer(_)
        | Type::BigInteger(_)
        | Type::String
        | Type::StringSize(_)
        | Type::StringValue(_)
        | Type::Enum(_)
        | Type::Collection(_)
        | Type::Array(_)
        | Type::Hash(_)
        | Type::Tuple(_)
        | Type::Struct(_)
        | Type::Iterable(_)
        | Type::Iterator(_) => true,
        Type::Type(Some(inner)) => match &**inner {
            Type::Enum(_) => true,
            Type::Integer(range) => range.is_finite(),
            Type::BigInteger(range) => range.is_finite(),
            _ => false,
        },
        // A class of Ruby that is iterable: those of Puppet's own iterators.
        Type::Runtime(runtime) => {
            runtime.runtime.as_deref() == Some("ruby")
                && runtime.name.as_ref().and_then(Value::as_str).is_some_and(|name| ITERATORS.contains(&name))
        }
        Type::Alias(alias) => with_guard(alias, None, false, |inner, _| is_iterable(inner)),
        _ => false,
    }
}

const ITERATORS: [&str; 7] = [
    "Puppet::Pops::Types::Iterator",
    "Puppet::Pops::Types::HashIterator",
    "Puppet::Pops::Types::StepIterator",
    "Puppet::Pops::Types::IntegerRangeIterator",
    "Puppet::Pops::Types::Iterable::TreeIterator",
    "Puppet::Pops::Types::Iterable::DepthFirstTreeIterator",
    "Puppet::Pops::Types::Iterable::BreadthFirstTreeIterator",
];

/// The `Iterable[element]` that iterating over values of a type returns.
#[must_use]
pub fn iterable_type(t: &Type) -> Option<Type> {
    let iterable = |element: Type| Some(Type::Iterable(Some(Arc::new(element))));
    let pair = |key: Type, value: Type| Type::tuple(vec![key, value], Some(IntRange::exactly(2)));
    match t {
        Type::Integer(_) | Type::BigInteger(_) => iterable(Type::INTEGER),
        Type::String | Type::StringSize(_) | Type::StringValue(_) | Type::Enum(_) => {
            iterable(Type::string_size(IntRange::exactly(1)))
        }
        Type::Array(array) if array.element == Type::Any => Some(Type::Iterable(None)),
        Type::Array(array) => iterable(array.element.clone()),
        Type::Hash(_) if *t == Type::any_hash() || *t == Type::empty_hash() => iterable(pair(Type::Unit, Type::Unit)),
        Type::Hash(hash) => iterable(pair(hash.key.clone(), hash.value.clone())),
        Type::Tuple(tuple) => iterable(Type::variant(tuple.types.clone())),
        Type::Struct(elements) if elements.is_empty() => iterable(pair(Type::Unit, Type::Unit)),
        Type::Struct(elements) => {
            let keys = elements.iter().map(StructElement::key_type).collect();
            let values = elements.iter().map(|element| element.value.clone()).collect();
            iterable(pair(Type::variant(keys), Type::variant(values)))
        }
        Type::Iterable(_) => Some(t.clone()),
        Type::Iterator(None) => Some(Type::Iterable(None)),
        Type::Iterator(Some(inner)) => Some(Type::Iterable(Some(inner.clone()))),
        Type::Type(Some(inner)) if is_iterable(t) => Some(Type::Iterable(Some(inner.clone()))),
        Type::Runtime(_) if is_iterable(t) => iterable(t.clone()),
        Type::Alias(alias) => with_guard(alias, None, None, |inner, _| iterable_type(inner)),
        _ => None,
    }
}

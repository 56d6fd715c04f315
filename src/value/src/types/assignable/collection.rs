//! Assignability of collections and callables.
//!
//! In: the parts of two types. Out: whether the first accepts all values of the second. Must not: open aliases itself.

use std::sync::Arc;

use super::RecursionGuard;
use super::assignable;
use crate::types::ArrayType;
use crate::types::CallableType;
use crate::types::HashType;
use crate::types::IntRange;
use crate::types::StructElement;
use crate::types::TupleType;
use crate::types::Type;
use crate::types::is_instance;
use crate::types::len;
use crate::value::Value;

pub(super) fn collection(size: Option<IntRange>, o: &Type) -> bool {
    let size = size.unwrap_or(IntRange::SIZE);
    match o {
        Type::Collection(other) => size.covers(other.as_deref().copied().unwrap_or(IntRange::SIZE)),
        Type::Array(other) => size.covers(other.size.unwrap_or(IntRange::SIZE)),
        Type::Hash(other) => size.covers(other.size.unwrap_or(IntRange::SIZE)),
        Type::Tuple(other) => size.covers(tuple_size(other)),
        Type::Struct(elements) => size.contains(len(elements.len())),
        _ => false,
    }
}

fn tuple_size(tuple: &TupleType) -> IntRange {
    tuple.size.unwrap_or_else(|| IntRange::exactly(len(tuple.types.len())))
}

pub(super) fn array(own: &ArrayType, o: &Type, mut guard: Option<&mut RecursionGuard>) -> bool {
    let size = own.size.unwrap_or(IntRange::SIZE);
    match o {
        Type::Tuple(other) => {
            size.covers(tuple_size(other))
                && other.types.iter().all(|t| assignable(&own.element, t, guard.as_deref_mut()))
        }
        Type::Array(other) => {
            size.covers(other.size.unwrap_or(IntRange::SIZE)) && assignable(&own.element, &other.element, guard)
        }
        _ => false,
    }
}

pub(crate) fn hash(own: &HashType, o: &Type, mut guard: Option<&mut RecursionGuard>) -> bool {
    let size = own.size.unwrap_or(IntRange::SIZE);
    match o {
        Type::Hash(other) => {
            if size.lower() == Some(0) && *o == Type::empty_hash() {
                return true;
            }
            assignable(&own.key, &other.key, guard.as_deref_mut())
                && assignable(&own.value, &other.value, guard)
                && size.covers(other.size.unwrap_or(IntRange::SIZE))
        }
        Type::Struct(elements) => {
            size.contains(len(elements.len()))
                && elements.iter().all(|element| {
                    is_instance(&own.key, &Value::from(element.name.clone()))
                        && assignable(&own.value, &element.value, guard.as_deref_mut())
                })
        }
        _ => false,
    }
}

pub(super) fn tuple(own: &TupleType, t: &Type, o: &Type, mut guard: Option<&mut RecursionGuard>) -> bool {
    if t == o {
        return true;
    }
    let size = own.size_range();
    match o {
        Type::Tuple(other) => {
            if !size.covers(other.size_range()) {
                return false;
            }
            if own.types.is_empty() {
                return true;
            }
            if other.types.is_empty() {
                return size.lower() == Some(0);
            }
            other.types.iter().enumerate().all(|(index, element)| {
                own.at(index).is_some_and(|expected| assignable(expected, element, guard.as_deref_mut()))
            })
        }
        Type::Array(other) => {
            let other_size = other.size.unwrap_or(IntRange::SIZE);
            if !size.covers(other_size) {
                return false;
            }
            let most = other_size.upper().and_then(|n| usize::try_from(n).ok()).unwrap_or(usize::MAX);
            own.types.iter().take(most).all(|expected| assignable(expected, &other.element, guard.as_deref_mut()))
        }
        _ => false,
    }
}

pub(super) fn structure(own: &[StructElement], o: &Type, mut guard: Option<&mut RecursionGuard>) -> bool {
    match o {
        Type::Struct(others) => {
            let mut matched = 0;
            let many = own.len().saturating_mul(others.len()) > 1024;
            let index: Option<rustc_hash::FxHashMap<&str, &StructElement>> =
                many.then(|| others.iter().rev().map(|other| (&*other.name, other)).collect());
            for element in own {
                let other = match &index {
                    Some(index) => index.get(&*element.name).copied(),
                    None => others.iter().find(|other| other.name == element.name),
                };
                match other {
                    None if element.optional => {}
                    None => return false,
                    Some(other) => {
                        matched += 1;
                        if (other.optional && !element.optional)
                            || !assignable(&element.value, &other.value, guard.as_deref_mut())
                        {
                            return false;
                        }
                    }
                }
            }
            matched == others.len()
        }
        Type::Hash(other) => {
            let mut required = 0;
            for element in own.iter().filter(|element| !element.optional) {
                required += 1;
                if !assignable(&element.value, &other.value, guard.as_deref_mut())
                    || !assignable(&Type::String, &other.key, None)
                {
                    return false;
                }
            }
            IntRange::new(Some(required), Some(len(own.len()))).covers(other.size.unwrap_or(IntRange::SIZE))
        }
        _ => false,
    }
}

pub(super) fn callable(own: &CallableType, other: &CallableType, mut guard: Option<&mut RecursionGuard>) -> bool {
    if let Some(returns) = &own.returns
        && !assignable(returns, other.returns.as_ref().unwrap_or(&Type::Any), guard.as_deref_mut())
    {
        return false;
    }
    let Some(params) = &own.params else { return true };
    let Some(other_params) = &other.params else { return false };
    let (params, other_params) = (Type::Tuple(Arc::new(params.clone())), Type::Tuple(Arc::new(other_params.clone())));
    if !assignable(&other_params, &params, guard.as_deref_mut()) {
        return false;
    }
    let own_block = own.block.as_ref().unwrap_or(&Type::Undef);
    assignable(other.block.as_ref().unwrap_or(&Type::Undef), own_block, guard)
}

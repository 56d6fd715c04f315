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

pub(super) fn collection_accepts(size: Option<IntRange>, actual: &Type) -> bool {
    let size = size.unwrap_or(IntRange::SIZE);
    match actual {
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

pub(super) fn array_accepts(expected: &ArrayType, actual: &Type, mut guard: Option<&mut RecursionGuard>) -> bool {
    let size = expected.size.unwrap_or(IntRange::SIZE);
    match actual {
        Type::Tuple(other) => {
            size.covers(tuple_size(other))
                && other.types.iter().all(|t| assignable(&expected.element, t, guard.as_deref_mut()))
        }
        Type::Array(other) => {
            size.covers(other.size.unwrap_or(IntRange::SIZE)) && assignable(&expected.element, &other.element, guard)
        }
        _ => false,
    }
}

pub(crate) fn hash_accepts(expected: &HashType, actual: &Type, mut guard: Option<&mut RecursionGuard>) -> bool {
    let size = expected.size.unwrap_or(IntRange::SIZE);
    match actual {
        Type::Hash(other) => {
            if size.lower() == Some(0) && *actual == Type::empty_hash() {
                return true;
            }
            assignable(&expected.key, &other.key, guard.as_deref_mut())
                && assignable(&expected.value, &other.value, guard)
                && size.covers(other.size.unwrap_or(IntRange::SIZE))
        }
        Type::Struct(elements) => {
            size.contains(len(elements.len()))
                && elements.iter().all(|element| {
                    is_instance(&expected.key, &Value::from(element.name.clone()))
                        && assignable(&expected.value, &element.value, guard.as_deref_mut())
                })
        }
        _ => false,
    }
}

pub(super) fn tuple_accepts(expected: &TupleType, actual: &Type, mut guard: Option<&mut RecursionGuard>) -> bool {
    let size = expected.size_range();
    match actual {
        Type::Tuple(other) => {
            if !size.covers(other.size_range()) {
                return false;
            }
            if expected.types.is_empty() {
                return true;
            }
            if other.types.is_empty() {
                return size.lower() == Some(0);
            }
            other.types.iter().enumerate().all(|(index, element)| {
                expected.at(index).is_some_and(|t| assignable(t, element, guard.as_deref_mut()))
            })
        }
        Type::Array(other) => {
            let other_size = other.size.unwrap_or(IntRange::SIZE);
            if !size.covers(other_size) {
                return false;
            }
            let most = other_size.upper().and_then(|n| usize::try_from(n).ok()).unwrap_or(usize::MAX);
            expected.types.iter().take(most).all(|t| assignable(t, &other.element, guard.as_deref_mut()))
        }
        _ => false,
    }
}

pub(super) fn struct_accepts(
    expected: &[StructElement],
    actual: &Type,
    mut guard: Option<&mut RecursionGuard>,
) -> bool {
    match actual {
        Type::Struct(others) => {
            let mut matched = 0;
            let many = expected.len().saturating_mul(others.len()) > 1024;
            let index: Option<rustc_hash::FxHashMap<&str, &StructElement>> =
                many.then(|| others.iter().rev().map(|other| (&*other.name, other)).collect());
            for element in expected {
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
            for element in expected.iter().filter(|element| !element.optional) {
                required += 1;
                if !assignable(&element.value, &other.value, guard.as_deref_mut())
                    || !assignable(&Type::String, &other.key, None)
                {
                    return false;
                }
            }
            IntRange::new(Some(required), Some(len(expected.len()))).covers(other.size.unwrap_or(IntRange::SIZE))
        }
        _ => false,
    }
}

pub(super) fn callable_accepts(
    expected: &CallableType,
    actual: &CallableType,
    mut guard: Option<&mut RecursionGuard>,
) -> bool {
    if let Some(returns) = &expected.returns
        && !assignable(returns, actual.returns.as_ref().unwrap_or(&Type::Any), guard.as_deref_mut())
    {
        return false;
    }
    let Some(params) = &expected.params else { return true };
    let Some(actual_params) = &actual.params else { return false };
    let (params, actual_params) = (Type::Tuple(Arc::new(params.clone())), Type::Tuple(Arc::new(actual_params.clone())));
    if !assignable(&actual_params, &params, guard.as_deref_mut()) {
        return false;
    }
    let block = expected.block.as_ref().unwrap_or(&Type::Undef);
    assignable(actual.block.as_ref().unwrap_or(&Type::Undef), block, guard)
}

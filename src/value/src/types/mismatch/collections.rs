//! Mismatches of collections.
//!
//! In: two types and the path to them. Out: mismatches with their paths. Must not: format messages.

use std::sync::Arc;

use super::describe;
use super::extend_path;
use crate::types::ArrayType;
use crate::types::HashType;
use crate::types::IntRange;
use crate::types::StructElement;
use crate::types::TupleType;
use crate::types::Type;
use crate::types::is_assignable;
use crate::types::len;
use crate::types::mismatch::message::Kind;
use crate::types::mismatch::message::Mismatch;
use crate::types::mismatch::message::Step;

pub(super) fn describe_array(expected: &ArrayType, original: &Type, actual: &Type, path: &[Step]) -> Vec<Mismatch> {
    let size = |expected, actual| vec![Mismatch { path: path.to_vec(), kind: Kind::Size(expected, actual) }];
    match actual {
        Type::Tuple(tuple) => {
            let expected_size = expected.size.unwrap_or(IntRange::SIZE);
            let actual_size = tuple.size.unwrap_or_else(|| IntRange::exactly(len(tuple.types.len())));
            if !expected_size.covers(actual_size) {
                return size(expected_size, actual_size);
            }
            let mut mismatches = Vec::new();
            for (n, t) in tuple.types.iter().enumerate() {
                if !is_assignable(&expected.element, t) {
                    mismatches.extend(describe(&expected.element, t, &extend_path(path, Step::Index(n))));
                }
            }
            mismatches
        }
        Type::Array(array) => {
            let actual_size = array.size.unwrap_or(IntRange::SIZE);
            match expected.size {
                Some(expected_size) if !expected_size.covers(actual_size) => size(expected_size, actual_size),
                _ => vec![Mismatch::new_type(path, original, &Type::array(array.element.clone(), None))],
            }
        }
        _ => vec![Mismatch::new_type(path, original, actual)],
    }
}

pub(super) fn describe_hash(expected: &HashType, original: &Type, actual: &Type, path: &[Step]) -> Vec<Mismatch> {
    let size = |expected, actual| vec![Mismatch { path: path.to_vec(), kind: Kind::Size(expected, actual) }];
    match actual {
        Type::Struct(elements) => {
            let expected_size = expected.size.unwrap_or(IntRange::SIZE);
            let actual_size = struct_size(elements);
            if !expected_size.covers(actual_size) {
                return size(expected_size, actual_size);
            }
            let mut mismatches = Vec::new();
            for element in elements.iter() {
                let key = element.key_type();
                if !is_assignable(&expected.key, &key) {
                    mismatches.extend(describe(
                        &expected.key,
                        &key,
                        &extend_path(path, Step::EntryKey(element.name.to_string())),
                    ));
                }
                if !is_assignable(&expected.value, &element.value) {
                    let path = extend_path(path, Step::Entry(element.name.to_string()));
                    mismatches.extend(describe(&expected.value, &element.value, &path));
                }
            }
            mismatches
        }
        Type::Hash(hash) => {
            let actual_size = hash.size.unwrap_or(IntRange::SIZE);
            match expected.size {
                Some(expected_size) if !expected_size.covers(actual_size) => size(expected_size, actual_size),
                _ => vec![Mismatch::new_type(path, original, &unsized_hash(hash))],
            }
        }
        _ => vec![Mismatch::new_type(path, original, actual)],
    }
}

fn unsized_hash(hash: &HashType) -> Type {
    Type::Hash(Arc::new(HashType { key: hash.key.clone(), value: hash.value.clone(), size: None }))
}

fn struct_size(elements: &[StructElement]) -> IntRange {
    let required = elements.iter().filter(|element| !element.optional).count();
    IntRange::new(Some(len(required)), Some(len(elements.len())))
}

pub(super) fn describe_struct(
    expected: &[StructElement],
    original: &Type,
    actual: &Type,
    path: &[Step],
) -> Vec<Mismatch> {
    match actual {
        Type::Struct(elements) => {
            let mut mismatches = Vec::new();
            for element in expected {
                let Some(actual) = elements.iter().find(|actual| actual.name == element.name) else {
                    if !element.optional {
                        mismatches.push(Mismatch { path: path.to_vec(), kind: Kind::MissingKey(element.name.clone()) });
                    }
                    continue;
                };
                let (key, actual_key) = (element.key_type(), actual.key_type());
                if !is_assignable(&key, &actual_key) {
                    let path = extend_path(path, Step::EntryKey(element.name.to_string()));
                    mismatches.extend(describe(&key, &actual_key, &path));
                }
                if !is_assignable(&element.value, &actual.value) {
                    let path = extend_path(path, Step::Entry(element.name.to_string()));
                    mismatches.extend(describe(&element.value, &actual.value, &path));
                }
            }
            for actual in elements.iter() {
                if !expected.iter().any(|element| element.name == actual.name) {
                    mismatches.push(Mismatch { path: path.to_vec(), kind: Kind::ExtraneousKey(actual.name.clone()) });
                }
            }
            mismatches
        }
        Type::Hash(hash) => {
            let (expected_size, actual_size) = (struct_size(expected), hash.size.unwrap_or(IntRange::SIZE));
            if expected_size.covers(actual_size) {
                return vec![Mismatch::new_type(path, original, &unsized_hash(hash))];
            }
            vec![Mismatch { path: path.to_vec(), kind: Kind::Size(expected_size, actual_size) }]
        }
        _ => vec![Mismatch::new_type(path, original, actual)],
    }
}

pub(super) fn describe_tuple(
    expected: &TupleType,
    original: &Type,
    actual: &Type,
    path: &[Step],
    arguments: bool,
) -> Vec<Mismatch> {
    let same = matches!(actual, Type::Tuple(actual) if **actual == *expected);
    if same || (expected.types.is_empty() && matches!(actual, Type::Array(_))) {
        return Vec::new();
    }
    let expected_size = expected.size_range();
    let size = |actual| {
        let kind = if arguments { Kind::Count(expected_size, actual) } else { Kind::Size(expected_size, actual) };
        vec![Mismatch { path: path.to_vec(), kind }]
    };
    let mut mismatches = Vec::new();
    match actual {
        Type::Tuple(tuple) => {
            if !expected_size.covers(tuple.size_range()) {
                return size(tuple.size_range());
            }
            for (n, t) in tuple.types.iter().enumerate() {
                let at = n.min(expected.types.len().saturating_sub(1));
                if let Some(element) = expected.types.get(at) {
                    mismatches.extend(describe(element, t, &extend_path(path, Step::Index(at))));
                }
            }
        }
        Type::Array(array) => {
            let actual_size = array.size.unwrap_or(IntRange::SIZE);
            if !expected_size.covers(actual_size) {
                return size(actual_size);
            }
            for (n, element) in expected.types.iter().enumerate() {
                mismatches.extend(describe(element, &array.element, &extend_path(path, Step::Index(n))));
            }
        }
        _ => mismatches.push(Mismatch::new_type(path, original, actual)),
    }
    mismatches
}

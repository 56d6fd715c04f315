//! The simplest form of a type: nested variants flattened, ranges and strings in variants joined, `Optional` outermost.

use std::cmp::Ordering;
use std::cmp::Reverse;
use std::collections::HashSet;
use std::sync::Arc;

use crate::types::ArrayType;
use crate::types::CallableType;
use crate::types::DistinctParts;
use crate::types::HashType;
use crate::types::StructElement;
use crate::types::TimeRange;
use crate::types::TupleType;
use crate::types::Type;
use crate::types::is_assignable;
use crate::value::SemVerRange;

/// A variant with nested variants flattened and doubles removed; a single type is returned unchanged.
#[allow(clippy::mutable_key_type, reason = "the cells in types are written once and do not count for equality")]
pub(super) fn maybe_variant(types: Vec<Type>) -> Type {
    let mut seen: HashSet<Type> = HashSet::with_capacity(types.len());
    let mut flat: Vec<Type> = Vec::with_capacity(types.len());
    for t in types {
        match t {
            Type::Variant(inner) => {
                for t in inner.iter() {
                    if seen.insert(t.clone()) {
                        flat.push(t.clone());
                    }
                }
            }
            t => {
                if seen.insert(t.clone()) {
                    flat.push(t);
                }
            }
        }
    }
    match <[Type; 1]>::try_from(flat) {
        Ok([one]) => one,
        Err(flat) => Type::Variant(Arc::from(flat)),
    }
}

fn normalize_shared(inner: Option<&Arc<Type>>) -> Option<Arc<Type>> {
    inner.map(|inner| Arc::new(normalize(inner)))
}

/// The simplest form of a type.
#[must_use]
pub(crate) fn normalize(t: &Type) -> Type {
    match t {
        // (PArrayType#normalize)
        Type::Array(array) if array.element == Type::Any => Type::array(Type::Any, None),
        Type::Array(array) => Type::Array(Arc::new(ArrayType { element: normalize(&array.element), size: array.size })),
        Type::Hash(hash) => {
            Type::Hash(Arc::new(HashType { key: normalize(&hash.key), value: normalize(&hash.value), size: hash.size }))
        }
        Type::Tuple(tuple) => Type::tuple(tuple.types.iter().map(normalize).collect(), tuple.size),
        Type::Struct(elements) => Type::Struct(
            elements
                .iter()
                .map(|element| StructElement { value: normalize(&element.value), ..element.clone() })
                .collect(),
        ),
        Type::Callable(callable) => Type::Callable(Arc::new(CallableType {
            params: callable
                .params
                .as_ref()
                .map(|params| TupleType { types: params.types.iter().map(normalize).collect(), size: params.size }),
            block: callable.block.as_ref().map(normalize),
            returns: callable.returns.as_ref().map(normalize),
        })),
        Type::Collection(_) => Type::Collection(None),
        Type::Iterable(inner) => Type::Iterable(normalize_shared(inner.as_ref())),
        Type::Iterator(inner) => Type::Iterator(normalize_shared(inner.as_ref())),
        Type::Type(inner) => Type::Type(normalize_shared(inner.as_ref())),
        Type::Sensitive(Some(inner)) => {
            let normal = normalize(inner);
            if normal == **inner { t.clone() } else { Type::sensitive(&normal) }
        }
        Type::NotUndef(Some(inner)) => match normalize(inner) {
            Type::Optional(None) => Type::NotUndef(None),
            Type::Optional(Some(inner)) => normalize(&Type::NotUndef(Some(inner))),
            inner if !is_assignable(&inner, &Type::Undef) => inner,
            inner => Type::not_undef(inner),
        },
        Type::Optional(Some(inner)) => match normalize(inner) {
            Type::NotUndef(None) => Type::Optional(None),
            Type::NotUndef(Some(inner)) => normalize(&Type::Optional(Some(inner))),
            inner if is_assignable(&inner, &Type::Undef) => inner,
            inner => Type::optional(inner),
        },
        Type::Variant(types) if !types.is_empty() => normalize_variant(types),
        _ => t.clone(),
    }
}

fn normalize_variant(variants: &[Type]) -> Type {
    let types: Vec<Type> = variants.iter().map(normalize).collect();
    let changed = types != variants;
    if let [one] = types.as_slice() {
        return one.clone();
    }
    if types.iter().any(|t| matches!(t, Type::Undef | Type::Optional(_))) {
        let rest = types
            .into_iter()
            .filter(|t| *t != Type::Undef)
            .map(|t| match t {
                Type::Optional(Some(inner)) => (*inner).clone(),
                Type::Optional(None) => Type::Any,
                t => t,
            })
            .collect();
        return normalize(&Type::optional(maybe_variant(rest)));
    }
    let mut flat = Vec::with_capacity(types.len());
    for t in types {
        match t {
            Type::Variant(inner) => flat.extend(inner.iter().cloned()),
            t => flat.push(t),
        }
    }
    let before = flat.len();
    let types =
        merge_times(merge_floats(merge_integers(merge_versions(merge_patterns(merge_enums(merge_not_undefs(flat)))))));
    // Merging changes the order: if nothing was joined, the variant stays as it was written.
    if changed || types.len() != before { maybe_variant(types) } else { Type::Variant(Arc::from(variants)) }
}

/// Splits a list by a test, keeping order.
fn split(types: Vec<Type>, test: impl Fn(&Type) -> bool) -> (Vec<Type>, Vec<Type>) {
    types.into_iter().partition(|t| test(t))
}

fn merge_not_undefs(types: Vec<Type>) -> Vec<Type> {
    if types.iter().filter(|t| matches!(t, Type::NotUndef(_))).count() < 2 {
        return types;
    }
    let (matching, mut rest) = split(types, |t| matches!(t, Type::NotUndef(_)));
    let inner = matching
        .into_iter()
        .map(|t| match t {
            Type::NotUndef(Some(inner)) => (*inner).clone(),
            _ => Type::Any,
        })
        .collect();
    rest.push(Type::not_undef(normalize(&maybe_variant(inner))));
    rest
}

fn merge_enums(types: Vec<Type>) -> Vec<Type> {
    let exact = |t: &Type| match t {
        Type::Enum(values) => !values.values.is_empty() && !values.case_insensitive,
        Type::StringValue(_) => true,
        _ => false,
    };
    let mut types = types;
    if types.iter().filter(|t| exact(t)).count() > 1 {
        let (matching, mut rest) = split(types, exact);
        let mut values = Vec::new();
        for t in matching {
            match t {
                Type::Enum(inner) => values.extend(inner.values.iter().cloned()),
                Type::StringValue(value) => values.push(value),
                _ => {}
            }
        }
        rest.push(Type::enumeration(values, false));
        types = rest;
    }
    let folded = |t: &Type| matches!(t, Type::Enum(values) if !values.values.is_empty() && values.case_insensitive);
    if types.iter().filter(|t| folded(t)).count() > 1 {
        let (matching, mut rest) = split(types, folded);
        let mut values = Vec::new();
        for t in matching {
            if let Type::Enum(inner) = t {
                values.extend(inner.values.iter().map(|value| Arc::from(value.to_lowercase())));
            }
        }
        rest.push(Type::enumeration(values, true));
        types = rest;
    }
    types
}

fn merge_patterns(types: Vec<Type>) -> Vec<Type> {
    if types.iter().filter(|t| matches!(t, Type::Pattern(_))).count() < 2 {
        return types;
    }
    let (matching, mut rest) = split(types, |t| matches!(t, Type::Pattern(_)));
    let mut all: DistinctParts<Arc<catwalk_regexp::Regexp>> = DistinctParts::default();
    for t in &matching {
        if let Type::Pattern(patterns) = t {
            all.extend(patterns.iter().cloned());
        }
    }
    rest.push(Type::Pattern(all.into_iter().collect()));
    rest
}

fn merge_versions(types: Vec<Type>) -> Vec<Type> {
    if types.iter().filter(|t| matches!(t, Type::SemVer(_))).count() < 2 {
        return types;
    }
    let (matching, rest) = split(types, |t| matches!(t, Type::SemVer(_)));
    let mut ranges = Vec::new();
    for t in &matching {
        if let Type::SemVer(inner) = t {
            ranges.extend(inner.iter().cloned());
        }
    }
    let mut all = vec![Type::SemVer(Arc::from(merge_version_ranges(ranges)))];
    all.extend(rest);
    all
}

/// Joins version ranges where the union is contiguous.
pub(super) fn merge_version_ranges(ranges: Vec<Arc<SemVerRange>>) -> Vec<Arc<SemVerRange>> {
    let mut result = merge_all(ranges, |a, b| a.merge(b).map(Arc::new));
    result.reverse();
    result
}

/// Joins ranges in Puppet's order: from the last one backwards.
fn merge_all<T>(mut ranges: Vec<T>, merge: impl Fn(&T, &T) -> Option<T>) -> Vec<T> {
    let mut result = Vec::new();
    while let Some(mut memo) = ranges.pop() {
        let mut rest = Vec::new();
        for other in ranges {
            match merge(&memo, &other) {
                Some(joined) => memo = joined,
                None => rest.push(other),
            }
        }
        result.push(memo);
        ranges = rest;
    }
    result
}

/// Joins the types of one kind, which `test` accepts. `compare_starts` compares the starts of their ranges; `merge` joins overlapping
/// or adjacent ranges.
fn merge_kind(
    types: Vec<Type>,
    test: impl Fn(&Type) -> bool,
    compare_starts: impl Fn(&Type, &Type) -> Ordering,
    merge: impl Fn(&Type, &Type) -> Option<Type>,
) -> Vec<Type> {
    if types.iter().filter(|t| test(t)).count() < 2 {
        return types;
    }
    let (matching, rest) = split(types, test);
    let mut merged = merge_neighbours(matching, compare_starts, merge);
    merged.extend(rest);
    merged
}

/// The result of [`merge_all`] for ranges, comparing only neighbours.
fn merge_neighbours<T: Clone>(
    ranges: Vec<T>,
    compare_starts: impl Fn(&T, &T) -> Ordering,
    merge: impl Fn(&T, &T) -> Option<T>,
) -> Vec<T> {
    let mut sorted: Vec<(usize, T)> = ranges.into_iter().enumerate().collect();
    sorted.sort_by(|(_, a), (_, b)| compare_starts(a, b));
    // Each group, and the union that it covers.
    let mut groups: Vec<(T, Vec<(usize, T)>)> = Vec::new();
    for (at, range) in sorted {
        match groups.last_mut() {
            Some((whole, group)) => match merge(whole, &range) {
                Some(joined) => {
                    *whole = joined;
                    group.push((at, range));
                }
                None => groups.push((range.clone(), vec![(at, range)])),
            },
            None => groups.push((range.clone(), vec![(at, range)])),
        }
    }
    let mut merged: Vec<(usize, T)> = Vec::new();
    for (_, mut group) in groups {
        group.sort_by_key(|(at, _)| *at);
        merged.extend(merge_all(group, |(at, a), (_, b)| Some((*at, merge(a, b)?))));
    }
    merged.sort_by_key(|(at, _)| Reverse(*at));
    merged.into_iter().map(|(_, range)| range).collect()
}

fn merge_integers(types: Vec<Type>) -> Vec<Type> {
    merge_kind(
        types,
        |t| matches!(t, Type::Integer(_) | Type::BigInteger(_)),
        |a, b| match (a, b) {
            (Type::Integer(a), Type::Integer(b)) => a.low().cmp(&b.low()),
            // Infinity is below all.
            _ => a.integer_range().and_then(|a| a.from).cmp(&b.integer_range().and_then(|b| b.from)),
        },
        |a, b| match (a, b) {
            (Type::Integer(a), Type::Integer(b)) => a.merge(*b).map(Type::Integer),
            _ => a.integer_range()?.merge(&b.integer_range()?).map(Type::integer),
        },
    )
}

fn merge_floats(types: Vec<Type>) -> Vec<Type> {
    merge_kind(
        types,
        |t| matches!(t, Type::Float(_)),
        |a, b| match (a, b) {
            (Type::Float(a), Type::Float(b)) => a.from.total_cmp(&b.from),
            _ => Ordering::Equal,
        },
        |a, b| match (a, b) {
            (Type::Float(a), Type::Float(b)) => a.merge(*b).map(Type::Float),
            _ => None,
        },
    )
}

fn merge_times(types: Vec<Type>) -> Vec<Type> {
    let merge_ranges = |a: Option<&Arc<TimeRange>>, b: Option<&Arc<TimeRange>>| {
        let (a, b) = (a.map(|r| **r).unwrap_or_default(), b.map(|r| **r).unwrap_or_default());
        let apart = |x: &TimeRange, y: &TimeRange| matches!((x.to, y.from), (Some(to), Some(from)) if to < from);
        if apart(&a, &b) || apart(&b, &a) {
            return None;
        }
        let from = a.from.and_then(|x| b.from.map(|y| x.min(y)));
        let to = a.to.and_then(|x| b.to.map(|y| x.max(y)));
        let written = crate::types::FloatEnds {
            from_float: if from == a.from { a.written.from_float } else { b.written.from_float },
            to_float: if to == a.to { a.written.to_float } else { b.written.to_float },
        };
        Some(TimeRange { from, to, written }).map(|r| (r != TimeRange::default()).then(|| Arc::new(r)))
    };
    let compare_starts = |a: &Type, b: &Type| match (a, b) {
        (Type::Timespan(a), Type::Timespan(b)) | (Type::Timestamp(a), Type::Timestamp(b)) => {
            a.as_ref().and_then(|a| a.from).cmp(&b.as_ref().and_then(|b| b.from))
        }
        _ => Ordering::Equal,
    };
    let types = merge_kind(
        types,
        |t| matches!(t, Type::Timespan(_)),
        compare_starts,
        |a, b| match (a, b) {
            (Type::Timespan(a), Type::Timespan(b)) => merge_ranges(a.as_ref(), b.as_ref()).map(Type::Timespan),
            _ => None,
        },
    );
    merge_kind(
        types,
        |t| matches!(t, Type::Timestamp(_)),
        compare_starts,
        |a, b| match (a, b) {
            (Type::Timestamp(a), Type::Timestamp(b)) => merge_ranges(a.as_ref(), b.as_ref()).map(Type::Timestamp),
            _ => None,
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::IntRange;

    #[test]
    fn comparing_neighbours_alone_changes_no_result() {
        let merge = |a: &IntRange, b: &IntRange| a.merge(*b);
        // Numbers of a simple generator: equal on every run.
        let mut state = 1_u64;
        let mut next = |below: i64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            i64::try_from(state >> 40).unwrap_or(0) % below
        };
        for round in 0..2000 {
            let ranges: Vec<IntRange> = (0..next(12))
                .map(|_| {
                    let (from, length) = (next(40), next(6));
                    let ends = (next(20) > 0, next(20) > 0);
                    IntRange::new(ends.0.then_some(from), ends.1.then_some(from + length))
                })
                .collect();
            let all = merge_all(ranges.clone(), merge);
            assert_eq!(
                merge_neighbours(ranges.clone(), |a, b| a.low().cmp(&b.low()), merge),
                all,
                "{round}: {ranges:?}"
            );
        }
    }
}

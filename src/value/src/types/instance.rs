//! Tests whether a value is of a type, without inferring the value's type.

use std::sync::Arc;

use num_bigint::Sign;

use crate::types::ArrayType;
use crate::types::BigRange;
use crate::types::CallableType;
use crate::types::HashType;
use crate::types::IntRange;
use crate::types::StructElement;
use crate::types::TimeRange;
use crate::types::TupleType;
use crate::types::Type;
use crate::types::infer;
use crate::types::is_assignable;
use crate::types::len;
use crate::value::Hash;
use crate::value::Uri;
use crate::value::Value;
use catwalk_base::meter;
use catwalk_regexp::Regexp;

/// Whether `value` is of type `t`.
#[must_use]
pub fn is_instance(t: &Type, value: &Value) -> bool {
    accepts(t, value, 0)
}

/// [`is_instance`] at a depth of nesting.
fn accepts(t: &Type, value: &Value, depth: u32) -> bool {
    if depth > super::depth::LIMIT {
        return false;
    }
    meter::tick(0);
    let inner_accepts = |inner: &Type, value: &Value| accepts(inner, value, depth + 1);
    match t {
        Type::Any | Type::Unit => true,
        Type::Undef => value.is_undef(),
        Type::Default => matches!(value, Value::Default),
        Type::Scalar => is_scalar(value),
        Type::ScalarData => is_scalar_data(value),
        // NaN is in no range, not even in the unbounded one.
        Type::Numeric => {
            matches!(value, Value::Int(_) | Value::BigInt(_)) || matches!(value, Value::Float(n) if !n.is_nan())
        }
        // A reference is a type, and a type's type is not a catalog entry.
        Type::CatalogEntry | Type::Resource(_) | Type::Class(_) => false,
        Type::Binary => matches!(value, Value::Binary(_)),
        Type::SemVerRange => matches!(value, Value::SemVerRange(_)),
        Type::Boolean(expected) => matches!(value, Value::Bool(b) if expected.is_none_or(|expected| expected == *b)),
        Type::Integer(range) => match value {
            Value::Int(n) => range.contains(*n),
            Value::BigInt(n) => BigRange::from(*range).contains(n),
            _ => false,
        },
        Type::BigInteger(range) => value.as_big().is_some_and(|n| range.contains(&n)),
        Type::Float(range) => matches!(value, Value::Float(n) if range.contains(*n)),
        Type::String => matches!(value, Value::Str(_)),
        Type::StringSize(size) => matches!(value, Value::Str(string) if has_length(string, **size)),
        Type::StringValue(expected) => matches!(value, Value::Str(string) if string == expected),
        // A bare `Enum` has no values, although every string type is assignable to it.
        Type::Enum(values) => matches!(value, Value::Str(string) if values.contains(string)),
        Type::Pattern(patterns) => matches!(value, Value::Str(string) if matches_any(patterns, string)),
        Type::Regexp(expected) => {
            matches!(value, Value::Regexp(regexp) if expected.as_ref().is_none_or(|expected| expected == regexp))
        }
        Type::Collection(size) => match value {
            Value::Array(items) => size.as_ref().is_none_or(|size| size.contains(len(items.len()))),
            Value::Hash(entries) => size.as_ref().is_none_or(|size| size.contains(len(entries.len()))),
            _ => false,
        },
        Type::Array(array) => matches!(value, Value::Array(items) if array_accepts(array, items, depth)),
        Type::Hash(hash) => matches!(value, Value::Hash(entries) if hash_accepts(hash, entries, depth)),
        Type::Tuple(tuple) => matches!(value, Value::Array(items) if tuple_accepts(tuple, items, depth)),
        Type::Struct(elements) => matches!(value, Value::Hash(entries) if struct_accepts(elements, entries, depth)),
        Type::Optional(inner) => value.is_undef() || inner.as_ref().is_some_and(|t| inner_accepts(t, value)),
        Type::NotUndef(inner) => !value.is_undef() && inner.as_ref().is_none_or(|t| inner_accepts(t, value)),
        Type::Variant(types) => types.iter().any(|t| inner_accepts(t, value)),
        Type::Iterable(inner) => match inner {
            Some(inner) if !is_assignable(inner, &Type::Any) => is_assignable(t, &infer(value)),
            _ => is_iterable(value),
        },
        Type::Iterator(inner) => match value {
            Value::Iterator(iter) => inner.as_ref().is_none_or(|inner| is_assignable(inner, &iter.element_type())),
            _ => false,
        },
        Type::Callable(_) => false,
        Type::Sensitive(inner) => match value {
            Value::Sensitive(secret) => inner.as_ref().is_none_or(|inner| inner_accepts(inner, secret)),
            _ => false,
        },
        Type::Timestamp(range) => {
            matches!(value, Value::Timestamp(time) if is_in_range(time.nanoseconds(), range.as_deref()))
        }
        Type::Timespan(range) => {
            matches!(value, Value::Timespan(time) if is_in_range(time.nanoseconds(), range.as_deref()))
        }
        Type::SemVer(ranges) => match value {
            Value::SemVer(version) => ranges.is_empty() || ranges.iter().any(|range| range.includes(version)),
            _ => false,
        },
        Type::Uri(parameters) => matches!(value, Value::Uri(uri) if uri_accepts(parameters.as_deref(), uri)),
        Type::Type(inner) => match value {
            Value::Type(actual) => inner.as_ref().is_none_or(|inner| is_assignable(inner, actual)),
            _ => false,
        },
        Type::Init(init) => match &init.target {
            None => inner_accepts(&Type::rich_data(), value),
            Some(_) => super::new::init_instance(init, value),
        },
        Type::Runtime(_) => matches!(value, Value::Symbol(_) | Value::Ruby(_)) && is_assignable(t, &infer(value)),
        Type::Object(object_type) => match value {
            Value::Object(object) => object_type.has_instance(object),
            // Types are objects in Puppet.
            Value::Type(t) => object_type.has_type(t),
            _ => false,
        },
        Type::TypeSet(_) => matches!(value, Value::Type(Type::TypeSet(_))),
        Type::Reference(_) => false,
        Type::Alias(alias) => match alias.name() {
            // Large data is checked often, and visiting the value is faster than trying the variants.
            "Data" => is_data(value, depth),
            _ => alias.end().is_some_and(|inner| inner_accepts(inner, value)),
        },
    }
}

fn is_scalar(value: &Value) -> bool {
    is_scalar_data(value)
        || matches!(
            value,
            Value::Regexp(_) | Value::SemVer(_) | Value::SemVerRange(_) | Value::Timestamp(_) | Value::Timespan(_)
        )
}

fn is_scalar_data(value: &Value) -> bool {
    matches!(value, Value::Str(_) | Value::Int(_) | Value::BigInt(_) | Value::Float(_) | Value::Bool(_))
}

/// Whether the number of characters of a string is in a range.
fn has_length(string: &str, size: IntRange) -> bool {
    // A string has at least a quarter as many characters as bytes.
    if size.upper().is_none() && size.lower().is_some_and(|from| len(string.len().div_ceil(4)) >= from) {
        return true;
    }
    size.contains(len(string.chars().count()))
}

fn matches_any(patterns: &[Arc<Regexp>], string: &str) -> bool {
    patterns.is_empty() || patterns.iter().any(|regexp| regexp.is_match(string).unwrap_or(false))
}

fn array_accepts(array: &ArrayType, items: &[Value], depth: u32) -> bool {
    array.size.is_none_or(|size| size.contains(len(items.len())))
        && (array.element == Type::Any || items.iter().all(|item| accepts(&array.element, item, depth + 1)))
}

fn hash_accepts(hash: &HashType, entries: &Hash, depth: u32) -> bool {
    hash.size.is_none_or(|size| size.contains(len(entries.len())))
        && (hash.key == Type::Any || entries.keys().all(|key| accepts(&hash.key, key, depth + 1)))
        && (hash.value == Type::Any || entries.values().all(|value| accepts(&hash.value, value, depth + 1)))
}

fn tuple_accepts(tuple: &TupleType, items: &[Value], depth: u32) -> bool {
    let has_size = match tuple.size {
        Some(size) => size.contains(len(items.len())),
        None => tuple.types.is_empty() || tuple.types.len() == items.len(),
    };
    let has_type = |(index, item)| tuple.at(index).is_some_and(|t| accepts(t, item, depth + 1));
    has_size && (tuple.types.is_empty() || items.iter().enumerate().all(has_type))
}

fn struct_accepts(elements: &[StructElement], entries: &Hash, depth: u32) -> bool {
    let mut matched = 0;
    elements.iter().all(|element| match entries.get(&element.name) {
        None => element.optional,
        Some(value) => {
            matched += 1;
            accepts(&element.value, value, depth + 1)
        }
    }) && matched == entries.len()
}

fn uri_accepts(parameters: Option<&Hash>, uri: &Uri) -> bool {
    parameters.is_none_or(|parameters| {
        parameters.iter().all(|(name, expected)| {
            let part = name.as_str().and_then(|name| uri.part(name)).unwrap_or(Value::Undef);
            part_matches(&part, expected)
        })
    })
}

/// Whether a value is of type `Data`.
fn is_data(value: &Value, depth: u32) -> bool {
    match value {
        Value::Str(_) | Value::Int(_) | Value::BigInt(_) | Value::Float(_) | Value::Bool(_) | Value::Undef => true,
        Value::Array(items) => depth < super::depth::LIMIT && items.iter().all(|item| is_data(item, depth + 1)),
        Value::Hash(entries) => {
            depth < super::depth::LIMIT
                && entries.iter().all(|(key, value)| matches!(key, Value::Str(_)) && is_data(value, depth + 1))
        }
        _ => false,
    }
}

fn is_iterable(value: &Value) -> bool {
    match value {
        Value::Iterator(_) | Value::Str(_) | Value::Hash(_) | Value::Array(_) => true,
        Value::Int(n) => *n >= 0,
        Value::BigInt(n) => n.sign() == Sign::Plus,
        Value::Type(t) => match t.resolved() {
            Type::Enum(_) => true,
            Type::Integer(range) => range.is_finite(),
            Type::BigInteger(range) => range.is_finite(),
            _ => false,
        },
        _ => false,
    }
}

fn is_in_range(nanoseconds: i128, range: Option<&TimeRange>) -> bool {
    range.is_none_or(|range| {
        range.from.is_none_or(|from| nanoseconds >= from) && range.to.is_none_or(|to| nanoseconds <= to)
    })
}

/// Whether a part of a URI matches a parameter of `URI[…]`.
fn part_matches(part: &Value, expected: &Value) -> bool {
    match expected {
        Value::Type(t) => is_instance(t, part),
        Value::Regexp(regexp) => part.as_str().is_some_and(|text| regexp.is_match(text).unwrap_or(false)),
        _ => crate::value::compare::equals(part, expected),
    }
}

/// Whether the constraints `actual` of a URI type are within the constraints `expected`.
pub(super) fn uri_covers(expected: Option<&Hash>, actual: Option<&Hash>) -> bool {
    let Some(expected) = expected else { return true };
    expected.iter().all(|(name, expected)| {
        let Some(actual) = actual.and_then(|actual| actual.get_value(name)) else { return false };
        part_matches(actual, expected)
            || matches!((actual, expected), (Value::Type(actual), Value::Type(expected)) if is_assignable(expected, actual))
    })
}

/// Whether a callable takes these arguments, and a block of this type (`None`: no block).
#[must_use]
pub fn is_callable_with(callable: &CallableType, args: &[Value], block: Option<&Type>) -> bool {
    let Some(params) = &callable.params else { return true };
    let fits = params.size_range().contains(len(args.len()))
        && (params.types.is_empty()
            || args.iter().enumerate().all(|(n, arg)| params.at(n).is_some_and(|t| is_instance(t, arg))));
    // A tuple without types accepts anything, but parameters without types accept nothing.
    let fits = fits && (!params.types.is_empty() || params.size.is_some() || args.is_empty());
    fits && match (&callable.block, block) {
        (None, None) => true,
        (None, Some(_)) => false,
        (Some(expected), None) => is_assignable(expected, &Type::Undef),
        (Some(expected), Some(block)) => is_assignable(expected, block),
    }
}

/// The type of a `Callable` with these parts.
impl From<CallableType> for Type {
    fn from(callable: CallableType) -> Type {
        Type::Callable(Arc::new(callable))
    }
}

//! Tests whether a value is of a type, without inferring the value's type.

use std::sync::Arc;

use num_bigint::Sign;

use crate::types::BigRange;
use crate::types::CallableType;
use crate::types::TimeRange;
use crate::types::Type;
use crate::types::infer;
use crate::types::is_assignable;
use crate::types::len;
use crate::value::Hash;
use crate::value::Value;
use catwalk_base::meter;

/// Whether `value` is of type `t`.
#[must_use]
pub fn is_instance(t: &Type, value: &Value) -> bool {
    instance(t, value, 0)
}

fn instance(t: &Type, value: &Value, depth: u32) -> bool {
    if depth > super::depth::LIMIT {
        return false;
    }
    meter::tick(0);
    match t {
        Type::Any | Type::Unit => true,
        Type::Undef => value.is_undef(),
        Type::Default => matches!(value, Value::Default),
        Type::Scalar => matches!(
            value,
            Value::Str(_)
                | Value::Int(_)
                | Value::BigInt(_)
                | Value::Float(_)
                | Value::Bool(_)
                | Value::Regexp(_)
                | Value::SemVer(_)
                | Value::SemVerRange(_)
                | Value::Timestamp(_)
                | Value::Timespan(_)
        ),
        Type::ScalarData => {
            matches!(value, Value::Str(_) | Value::Int(_) | Value::BigInt(_) | Value::Float(_) | Value::Bool(_))
        }
        // NaN is in no range, not even in the unbounded one.
        Type::Numeric => match value {
            Value::Int(_) | Value::BigInt(_) => true,
            Value::Float(n) => !n.is_nan(),
            _ => false,
        },
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
        Type::StringSize(size) => match value {
            Value::Str(text) => {
                // A string has at least a quarter as many characters as bytes.
                if size.upper().is_none() && size.lower().is_some_and(|from| len(text.len().div_ceil(4)) >= from) {
                    return true;
                }
                size.contains(len(text.chars().count()))
            }
            _ => false,
        },
        Type::StringValue(expected) => matches!(value, Value::Str(text) if text == expected),
        // A bare `Enum` has no values, although every string type is assignable to it.
        Type::Enum(values) => matches!(value, Value::Str(text) if values.contains(text)),
        Type::Pattern(patterns) => match value {
            Value::Str(text) => {
                patterns.is_empty() || patterns.iter().any(|regexp| regexp.is_match(text).unwrap_or(false))
            }
            _ => false,
        },
        Type::Regexp(expected) => {
            matches!(value, Value::Regexp(regexp) if expected.as_ref().is_none_or(|expected| expected == regexp))
        }
        Type::Collection(size) => match value {
            Value::Array(items) => size.as_ref().is_none_or(|size| size.contains(len(items.len()))),
            Value::Hash(entries) => size.as_ref().is_none_or(|size| size.contains(len(entries.len()))),
            _ => false,
        },
        Type::Array(array) => match value {
            Value::Array(items) => {
                array.size.is_none_or(|size| size.contains(len(items.len())))
                    && (array.element == Type::Any
                        || items.iter().all(|item| instance(&array.element, item, depth + 1)))
            }
            _ => false,
        },
        Type::Hash(hash) => match value {
            Value::Hash(entries) => {
                hash.size.is_none_or(|size| size.contains(len(entries.len())))
                    && (hash.key == Type::Any || entries.keys().all(|key| instance(&hash.key, key, depth + 1)))
                    && (hash.value == Type::Any
                        || entries.values().all(|value| instance(&hash.value, value, depth + 1)))
            }
            _ => false,
        },
        Type::Tuple(tuple) => match value {
            Value::Array(items) => {
                let size_fits = match tuple.size {
                    Some(size) => size.contains(len(items.len())),
                    None => tuple.types.is_empty() || tuple.types.len() == items.len(),
                };
                size_fits
                    && (tuple.types.is_empty()
                        || items
                            .iter()
                            .enumerate()
                            .all(|(index, item)| tuple.at(index).is_some_and(|t| instance(t, item, depth + 1))))
            }
            _ => false,
        },
        Type::Struct(elements) => match value {
            Value::Hash(entries) => {
                let mut matched = 0;
                elements.iter().all(|element| match entries.get(&element.name) {
                    None => element.optional,
                    Some(value) => {
                        matched += 1;
                        instance(&element.value, value, depth + 1)
                    }
                }) && matched == entries.len()
            }
            _ => false,
        },
        Type::Optional(inner) => value.is_undef() || inner.as_ref().is_some_and(|t| instance(t, value, depth + 1)),
        Type::NotUndef(inner) => !value.is_undef() && inner.as_ref().is_none_or(|t| instance(t, value, depth + 1)),
        Type::Variant(types) => types.iter().any(|t| instance(t, value, depth + 1)),
        Type::Iterable(inner) => match inner {
            Some(inner) if !is_assignable(inner, &Type::Any) => is_assignable(t, &infer(value)),
            _ => iterable(value),
        },
        Type::Iterator(inner) => match value {
            Value::Iterator(iter) => inner.as_ref().is_none_or(|inner| is_assignable(inner, &iter.element_type())),
            _ => false,
        },
        Type::Callable(_) => false,
        Type::Sensitive(inner) => match value {
            Value::Sensitive(secret) => inner.as_ref().is_none_or(|inner| instance(inner, secret, depth + 1)),
            _ => false,
        },
        Type::Timestamp(range) => {
            matches!(value, Value::Timestamp(time) if time_in(range.as_deref(), time.nanoseconds()))
        }
        Type::Timespan(range) => {
            matches!(value, Value::Timespan(time) if time_in(range.as_deref(), time.nanoseconds()))
        }
        Type::SemVer(ranges) => match value {
            Value::SemVer(version) => ranges.is_empty() || ranges.iter().any(|range| range.includes(version)),
            _ => false,
        },
        Type::Uri(parameters) => match value {
            Value::Uri(uri) => parameters.as_ref().is_none_or(|parameters| {
                parameters.iter().all(|(name, expected)| {
                    let part = name.as_str().and_then(|name| uri.part(name)).unwrap_or(Value::Undef);
                    part_matches(&part, expected)
                })
            }),
            _ => false,
        },
        Type::Type(inner) => match value {
            Value::Type(own) => inner.as_ref().is_none_or(|inner| is_assignable(inner, own)),
            _ => false,
        },
        Type::Init(init) => match &init.target {
            None => instance(&Type::rich_data(), value, depth + 1),
            Some(_) => super::new::init_instance(init, value),
        },
        Type::Runtime(_) => matches!(value, Value::Symbol(_) | Value::Ruby(_)) && is_assignable(t, &infer(value)),
        Type::Object(object) => match value {
            Value::Object(own) => object.has_instance(own),
            // Types are objects in Puppet.
            Value::Type(own) => object.has_type(own),
            _ => false,
        },
        Type::TypeSet(_) => matches!(value, Value::Type(Type::TypeSet(_))),
        Type::Reference(_) => false,
        Type::Alias(alias) => match alias.name() {
            // Large data is checked often, and visiting the value is faster than trying the variants.
            "Data" => data(value, depth),
            _ => alias.end().is_some_and(|inner| instance(inner, value, depth + 1)),
        },
    }
}

fn data(value: &Value, depth: u32) -> bool {
    match value {
        Value::Str(_) | Value::Int(_) | Value::BigInt(_) | Value::Float(_) | Value::Bool(_) | Value::Undef => true,
        Value::Array(items) => depth < super::depth::LIMIT && items.iter().all(|item| data(item, depth + 1)),
        Value::Hash(entries) => {
            depth < super::depth::LIMIT
                && entries.iter().all(|(key, value)| matches!(key, Value::Str(_)) && data(value, depth + 1))
        }
        _ => false,
    }
}

fn iterable(value: &Value) -> bool {
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

fn time_in(range: Option<&TimeRange>, at: i128) -> bool {
    range.is_none_or(|range| range.from.is_none_or(|from| at >= from) && range.to.is_none_or(|to| at <= to))
}

/// Whether a part of a URI matches a parameter of `URI[…]`.
fn part_matches(part: &Value, expected: &Value) -> bool {
    match expected {
        Value::Type(t) => is_instance(t, part),
        Value::Regexp(regexp) => part.as_str().is_some_and(|text| regexp.is_match(text).unwrap_or(false)),
        _ => crate::value::compare::equals(part, expected),
    }
}

/// Whether the constraints of one URI type are within those of another.
pub(super) fn uri_covers(own: Option<&Hash>, other: Option<&Hash>) -> bool {
    let Some(own) = own else { return true };
    own.iter().all(|(name, expected)| {
        let Some(given) = other.and_then(|other| other.get_value(name)) else { return false };
        part_matches(given, expected)
            || matches!((given, expected), (Value::Type(given), Value::Type(expected)) if is_assignable(expected, given))
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

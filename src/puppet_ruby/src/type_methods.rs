//! Methods of types of the Puppet language in Ruby: parts of `Enum['a', 'b']`, bounds of `Integer[1, 2]`, elements of a `Struct`.
//! (the classes of puppet/pops/types/types.rb)
//!
//! In: a type, the name of a method. Out: the result of the method of Puppet's object for the type. Must not: parse types.

use std::rc::Rc;
use std::sync::Arc;

use crate::PuppetInterp;
use crate::type_factory::puppet_value;
use catwalk_regexp::Regexp;
use catwalk_ruby::Blk;
use catwalk_ruby::HashObject;
use catwalk_ruby::Key;
use catwalk_ruby::Raise;
use catwalk_ruby::RegexpValue;
use catwalk_ruby::Rv;
use catwalk_ruby::enumerator;
use catwalk_ruby::object;
use catwalk_value::IntRange;
use catwalk_value::StructElement;
use catwalk_value::TupleType;
use catwalk_value::Type;
use catwalk_value::Value;

/// The class of the elements of a `Struct`.
pub(crate) const ELEMENT: &str = "Puppet::Pops::Types::PStructElement";

/// A method of a type; `None` if it has none of this name.
///
/// # Errors
///
/// Errors of a block, and values that cannot be converted.
pub(crate) fn call(
    rt: &mut PuppetInterp<'_, '_>,
    ty: &Type,
    name: &str,
    args: &[Rv],
    block: Blk<'_>,
) -> Raise<Option<Rv>> {
    if let Some(value) = common_method(rt, ty, name, args)? {
        return Ok(Some(value));
    }
    let items = if name == "each" && args.is_empty() { items(ty) } else { None };
    if let Some(items) = items {
        let Some(block) = block else { return Ok(Some(enumerator(&Rv::array(items), name, &[]))) };
        for item in items {
            rt.ruby().yield_value(block, item)?;
        }
        return Ok(Some(Rv::Nil));
    }
    if let Type::Alias(alias) = ty {
        // An alias also has the methods of the type that it names.
        return match (name, alias.resolved()) {
            ("resolved_type", Some(meaning)) => Ok(Some(type_value(meaning))),
            ("self_recursion?", _) => Ok(Some(Rv::bool(alias.is_recursive()))),
            (_, Some(meaning)) => call(rt, meaning, name, args, block),
            _ => Ok(None),
        };
    }
    Ok(if args.is_empty() { attribute(ty, name) } else { None })
}

fn type_value(ty: &Type) -> Rv {
    puppet_value(Value::Type(ty.clone()))
}

fn optional_type_value(ty: Option<&Type>) -> Rv {
    ty.map_or(Rv::Nil, type_value)
}

/// Methods that all types have.
fn common_method(rt: &mut PuppetInterp<'_, '_>, ty: &Type, name: &str, args: &[Rv]) -> Raise<Option<Rv>> {
    Ok(Some(match (name, args) {
        ("simple_name", []) => Rv::str(ty.simple_name()),
        ("name", []) => match ty {
            Type::Alias(alias) => Rv::str(alias.name()),
            Type::Object(object) => Rv::str(object.label()),
            Type::TypeSet(_) => return Ok(None),
            ty => Rv::str(ty.simple_name()),
        },
        ("instance?" | "===", [value]) => {
            let value = rt.ruby().to_puppet(value)?;
            Rv::bool(catwalk_value::is_instance(ty, &value))
        }
        ("really_instance?", [value]) => {
            let value = rt.ruby().to_puppet(value)?;
            Rv::Int(if catwalk_value::is_instance(ty, &value) { 1 } else { -1 })
        }
        ("assignable?", [other]) => match rt.ruby().to_puppet(other)? {
            Value::Type(other) => Rv::bool(catwalk_value::is_assignable(ty, &other)),
            _ => Rv::False,
        },
        ("generalize", []) => type_value(&catwalk_value::generalize(ty)),
        ("resolve", [_]) => type_value(ty),
        ("iterable?", []) => Rv::bool(catwalk_value::iterable_type(ty).is_some()),
        ("iterable_type", []) => optional_type_value(catwalk_value::iterable_type(ty).as_ref()),
        ("kind_of_callable?", [] | [_]) => {
            Rv::bool(catwalk_value::is_callable_type(ty, args.first().is_none_or(Rv::truthy)))
        }
        ("create", args) => {
            let mut new_args = vec![Value::Type(ty.clone())];
            for arg in args {
                new_args.push(rt.ruby().to_puppet(arg)?);
            }
            rt.call_puppet_function("new", &new_args)?
        }
        ("to_alias_expanded_s", []) => Rv::str(ty.expanded()),
        _ => return Ok(None),
    }))
}

/// The items of `each`.
fn items(ty: &Type) -> Option<Vec<Rv>> {
    Some(match ty {
        Type::Enum(strings) => strings.values.iter().map(|string| Rv::str(&**string)).collect(),
        Type::Integer(range) => match (range.lower(), range.upper()) {
            // A range without an upper bound has no elements.
            (Some(from), Some(to)) if to.saturating_sub(from) < 1 << 20 => (from..=to).map(Rv::Int).collect(),
            (Some(_), Some(_)) => return None,
            _ => Vec::new(),
        },
        Type::Tuple(tuple) => tuple.types.iter().map(type_value).collect(),
        Type::Variant(types) => types.iter().map(type_value).collect(),
        Type::Struct(elements) => elements.iter().map(element_object).collect(),
        _ => return None,
    })
}

/// An attribute of a type.
fn attribute(ty: &Type, name: &str) -> Option<Rv> {
    match ty {
        Type::Enum(strings) => match name {
            "values" => items(ty).map(Rv::array),
            "case_insensitive" | "case_insensitive?" => Some(Rv::bool(strings.case_insensitive)),
            _ => None,
        },
        Type::Integer(range) => {
            let end = |end: Option<i64>| end.map(Rv::Int);
            bounds_attribute(&Bounds { from: end(range.lower()), to: end(range.upper()), is_integer: true }, name)
        }
        Type::BigInteger(range) => {
            let end = |end: &Option<num_bigint::BigInt>| end.clone().map(catwalk_ruby::big_integer::to_value);
            bounds_attribute(&Bounds { from: end(&range.from), to: end(&range.to), is_integer: true }, name)
        }
        Type::Float(range) => {
            let end = |end: f64| Some(Rv::float(end)).filter(|_| end.is_finite());
            bounds_attribute(&Bounds { from: end(range.from), to: end(range.to), is_integer: false }, name)
        }
        Type::Boolean(value) => (name == "value").then(|| value.map_or(Rv::Nil, Rv::bool)),
        Type::String | Type::StringSize(_) | Type::StringValue(_) => string_attribute(ty, name),
        Type::Regexp(pattern) => regexp_attribute(pattern.as_deref(), name),
        Type::Pattern(patterns) if name == "patterns" => {
            Some(Rv::array(patterns.iter().map(|pattern| type_value(&Type::Regexp(Some(pattern.clone())))).collect()))
        }
        Type::Resource(reference) => match name {
            "type_name" => Some(reference.type_name.as_deref().map_or(Rv::Nil, Rv::str)),
            "downcased_name" => {
                Some(reference.type_name.as_deref().map_or(Rv::Nil, |name| Rv::str(name.to_lowercase())))
            }
            "title" => Some(reference.title.as_deref().map_or(Rv::Nil, Rv::str)),
            _ => None,
        },
        Type::Class(class) if name == "class_name" => Some(class.as_deref().map_or(Rv::Nil, Rv::str)),
        ty => element_attribute(ty, name),
    }
}

/// Attributes of types that contain other types: these types, and sizes.
fn element_attribute(ty: &Type, name: &str) -> Option<Rv> {
    match ty {
        Type::Optional(inner) | Type::NotUndef(inner) | Type::Sensitive(inner) | Type::Type(inner)
            if name == "type" =>
        {
            Some(optional_type_value(inner.as_deref()))
        }
        Type::Iterable(inner) | Type::Iterator(inner) if matches!(name, "type" | "element_type") => {
            Some(optional_type_value(inner.as_deref()))
        }
        Type::Optional(inner) if name == "optional_type" => Some(optional_type_value(inner.as_deref())),
        Type::Init(init) if name == "type" => Some(optional_type_value(init.target.as_ref())),
        Type::Array(array) => match name {
            "element_type" => Some(type_value(&array.element)),
            _ => size_attribute(array.size, name),
        },
        Type::Hash(hash) => match name {
            "key_type" => Some(type_value(&hash.key)),
            "value_type" | "element_type" => Some(type_value(&hash.value)),
            "is_the_empty_hash?" => Some(Rv::bool(hash.size.is_some_and(IntRange::is_zero))),
            _ => size_attribute(hash.size, name),
        },
        Type::Collection(size) => size_attribute(size.as_deref().copied(), name),
        Type::Tuple(tuple) => tuple_attribute(tuple, name),
        Type::Variant(_) if name == "types" => items(ty).map(Rv::array),
        Type::Struct(elements) => match name {
            "elements" => items(ty).map(Rv::array),
            "hashed_elements" => {
                let entries = elements.iter().map(|element| (Key(Rv::str(&*element.name)), element_object(element)));
                Some(Rv::Hash(HashObject::new(entries.collect())))
            }
            _ => None,
        },
        Type::Callable(callable) => match name {
            "param_types" => Some(match &callable.params {
                Some(params) => type_value(&Type::Tuple(Arc::new(params.clone()))),
                None => Rv::Nil,
            }),
            "return_type" => Some(optional_type_value(callable.returns.as_ref())),
            "block_type" => Some(optional_type_value(callable.block.as_ref())),
            "size_range" => callable.params.as_ref().and_then(|params| tuple_attribute(params, name)),
            _ => None,
        },
        _ => None,
    }
}

/// The bounds of a type of numbers.
struct Bounds {
    from: Option<Rv>,
    to: Option<Rv>,
    /// Whether it is a type of integers.
    is_integer: bool,
}

fn bounds_attribute(bounds: &Bounds, name: &str) -> Option<Rv> {
    let from = || bounds.from.clone().unwrap_or(Rv::float(f64::NEG_INFINITY));
    let to = || bounds.to.clone().unwrap_or(Rv::float(f64::INFINITY));
    Some(match name {
        "from" => bounds.from.clone().unwrap_or(Rv::Nil),
        "to" => bounds.to.clone().unwrap_or(Rv::Nil),
        "numeric_from" => from(),
        "numeric_to" => to(),
        "unbounded?" => Rv::bool(bounds.from.is_none() && bounds.to.is_none()),
        "range" if bounds.is_integer => Rv::array(vec![from(), to()]),
        "finite_range?" if bounds.is_integer => Rv::bool(bounds.from.is_some() && bounds.to.is_some()),
        "size" if bounds.is_integer => match (&bounds.from, &bounds.to) {
            (Some(from), Some(to)) => catwalk_ruby::big_integer::to_value(
                catwalk_ruby::big_integer::from_value(to)? - catwalk_ruby::big_integer::from_value(from)? + 1,
            ),
            _ => Rv::float(f64::INFINITY),
        },
        _ => return None,
    })
}

fn string_attribute(ty: &Type, name: &str) -> Option<Rv> {
    let (string, size) = match ty {
        Type::StringValue(string) => (Some(Rv::str(&**string)), None),
        Type::StringSize(size) => (None, Some(type_value(&Type::Integer(**size)))),
        _ => (None, None),
    };
    Some(match name {
        "value" => string.unwrap_or(Rv::Nil),
        // Puppet reads a variable that is never set.
        "values" => Rv::array(Vec::new()),
        "size_type" => size.unwrap_or(Rv::Nil),
        "size_type_or_value" => string.or(size).unwrap_or(Rv::Nil),
        _ => return None,
    })
}

fn regexp_attribute(pattern: Option<&Regexp>, name: &str) -> Option<Rv> {
    Some(match name {
        "pattern" => pattern.map_or(Rv::Nil, |pattern| Rv::str(pattern.source())),
        "regexp" => Rv::Regexp(Rc::new(RegexpValue::new(pattern.map_or("", Regexp::source), ""))),
        _ => return None,
    })
}

/// `[from, to]` of a size.
fn size_range(from: i64, to: Option<i64>) -> Rv {
    Rv::array(vec![Rv::Int(from), to.map_or(Rv::float(f64::INFINITY), Rv::Int)])
}

fn size_attribute(size: Option<IntRange>, name: &str) -> Option<Rv> {
    Some(match name {
        "size_type" => size.map_or(Rv::Nil, |size| type_value(&Type::Integer(size))),
        "size_range" => size_range(size.and_then(IntRange::lower).unwrap_or(0), size.and_then(IntRange::upper)),
        "has_empty_range?" => Rv::bool(size.is_some_and(IntRange::is_zero)),
        _ => return None,
    })
}

fn tuple_attribute(tuple: &TupleType, name: &str) -> Option<Rv> {
    let types = i64::try_from(tuple.types.len()).unwrap_or(i64::MAX);
    match (name, tuple.size) {
        ("types", _) => Some(Rv::array(tuple.types.iter().map(type_value).collect())),
        ("size_range", None) => Some(size_range(types, Some(types))),
        ("repeat_last_range", None) => Some(size_range(1, Some(1))),
        ("repeat_last_range", Some(size)) => {
            let before = types - 1;
            let from = size.lower().unwrap_or(0).saturating_sub(before).max(0);
            Some(size_range(from, size.upper().map(|to| to.saturating_sub(before))))
        }
        ("size_type" | "size_range", size) => size_attribute(size, name),
        _ => None,
    }
}

/// An element of a `Struct`; the type of its key determines whether it is optional.
fn element_object(element: &StructElement) -> Rv {
    let key = Type::StringValue(element.name.clone());
    let key = if element.optional { Type::Optional(Some(Arc::new(key))) } else { key };
    let fields =
        [("name", Rv::str(&*element.name)), ("key_type", type_value(&key)), ("value_type", type_value(&element.value))];
    object(ELEMENT, &fields)
}

//! Puppet's type system and versions for code of modules: types from `TypeFactory`, strings from `StringConverter`,
//! `SemanticPuppet`, the attributes of resource types.
//!
//! In: a call of a method of one of these classes. Out: a type or value of the Puppet language, as a Ruby value. Must not: know
//! scopes.

use std::rc::Rc;
use std::sync::Arc;

use crate::Interp;
use crate::Raise;
use crate::value::Rv;
use catwalk_base::names::Name;
use catwalk_program::resource_types::AttributeKind;
use catwalk_value::types;
use catwalk_value::types::Type;
use catwalk_value::value::SemVer;
use catwalk_value::value::SemVerRange;
use catwalk_value::value::Value;

/// Factory methods whose names differ from those of their types.
const OF_FACTORY: &[(&str, &str)] = &[
    ("any", "Any"),
    ("array_of", "Array"),
    ("array_of_any", "Array"),
    ("array_of_data", "Array[Data]"),
    ("binary", "Binary"),
    ("boolean", "Boolean"),
    ("callable", "Callable"),
    ("catalog_entry", "CatalogEntry"),
    ("collection", "Collection"),
    ("data", "Data"),
    ("default", "Default"),
    ("deferred", "Deferred"),
    ("enum", "Enum"),
    ("error", "Error"),
    ("float", "Float"),
    ("float_range", "Float"),
    ("hash_kv", "Hash"),
    ("hash_of", "Hash"),
    ("hash_of_any", "Hash"),
    ("hash_of_data", "Hash[String, Data]"),
    ("integer", "Integer"),
    ("iterable", "Iterable"),
    ("iterator", "Iterator"),
    ("not_undef", "NotUndef"),
    ("numeric", "Numeric"),
    ("optional", "Optional"),
    ("pattern", "Pattern"),
    ("range", "Integer"),
    ("regexp", "Regexp"),
    ("rich_data", "RichData"),
    ("rich_data_key", "RichDataKey"),
    ("scalar", "Scalar"),
    ("scalar_data", "ScalarData"),
    ("sem_ver", "SemVer"),
    ("sem_ver_range", "SemVerRange"),
    ("sensitive", "Sensitive"),
    ("struct", "Struct"),
    ("timespan", "Timespan"),
    ("timestamp", "Timestamp"),
    ("tuple", "Tuple"),
    ("type_type", "Type"),
    ("undef", "Undef"),
    ("uri", "URI"),
    ("variant", "Variant"),
];

/// A value of the Puppet language as a Ruby value.
pub(crate) fn puppet_value(value: Value) -> Rv {
    Rv::Puppet(Rc::new(value))
}

/// The seconds of a Timestamp or Timespan.
pub(crate) fn seconds(value: &Value) -> Option<f64> {
    match value {
        Value::Timestamp(time) => Some(time.seconds()),
        Value::Timespan(time) => Some(time.seconds()),
        _ => None,
    }
}

/// Methods of these classes.
pub(crate) fn class_method(rt: &mut Interp<'_, '_>, class: &str, name: &str, args: &[Rv]) -> Raise<Option<Rv>> {
    let arg = args.first().cloned().unwrap_or(Rv::Nil);
    Ok(Some(match (class, name) {
        ("SemanticPuppet::Version", "new") => version_of_parts(rt, args)?,
        ("SemanticPuppet::Version", "parse") => match SemVer::parse(&version_text(rt, &arg)?) {
            Ok(version) => puppet_value(Value::SemVer(Arc::new(version))),
            Err(message) => return rt.raise("SemanticPuppet::Version::ValidationFailure", message),
        },
        ("SemanticPuppet::Version", "valid?") => Rv::bool(SemVer::parse(&version_text(rt, &arg)?).is_ok()),
        ("SemanticPuppet::VersionRange", "parse") => {
            let text = rt.expect_str(&arg)?;
            match SemVerRange::parse(&text) {
                Ok(range) => puppet_value(Value::SemVerRange(Arc::new(range))),
                Err(message) => return rt.raise("ArgumentError", message),
            }
        }
        ("SemanticPuppet::VersionRange", "new") => match (version(&arg), args.get(1).and_then(version)) {
            (Some(from), Some(to)) => {
                let range = SemVerRange::between(&from, &to, args.get(2).is_some_and(Rv::truthy));
                puppet_value(Value::SemVerRange(Arc::new(range)))
            }
            _ => return rt.unsupported("VersionRange.new of this"),
        },
        ("Puppet::Pops::Types::StringConverter", "singleton") => Rv::Class(Name::new(class)),
        ("Puppet::Pops::Types::StringConverter", "convert") => {
            let mut given = vec![Value::Type(Type::String), rt.to_puppet(&arg)?];
            if let Some(format) = args.get(1).filter(|format| format.string_or_symbol().as_deref() != Some("default")) {
                given.push(rt.to_puppet(format)?);
            }
            rt.call_puppet_function("new", &given)?
        }
        ("Puppet::Pops::Types::TypeFactory", _) => return factory(rt, name, args).map(Some),
        ("Puppet::Pops::Types::TypeMismatchDescriber", "new" | "singleton") => Rv::Class(Name::new(class)),
        ("Puppet::Pops::Types::TypeMismatchDescriber", "describe_mismatch") => {
            let subject = rt.to_s(&arg)?;
            match (given_type(rt, args.get(1))?, given_type(rt, args.get(2))?) {
                (Some(wanted), Some(actual)) => Rv::str(types::mismatch::describe_mismatch(&subject, &wanted, &actual)),
                _ => return rt.unsupported("describe_mismatch of this"),
            }
        }
        ("Puppet::Type", "__attributes") => attributes(rt, &arg)?,
        _ => return Ok(None),
    }))
}

/// Constants of these classes.
pub(crate) fn constant(path: &str) -> Option<Rv> {
    Some(puppet_value(match path {
        "SemanticPuppet::Version::MIN" => Value::SemVer(Arc::new(SemVer::min())),
        "SemanticPuppet::Version::MAX" => Value::SemVer(Arc::new(SemVer::max())),
        _ => return None,
    }))
}

fn version(value: &Rv) -> Option<Arc<SemVer>> {
    match value {
        Rv::Puppet(value) => match &**value {
            Value::SemVer(version) => Some(version.clone()),
            _ => None,
        },
        _ => None,
    }
}

/// The string that is parsed as a version; other values have no method `match`.
fn version_text(rt: &mut Interp<'_, '_>, given: &Rv) -> Raise<String> {
    match given.string_or_symbol() {
        Some(text) => Ok(text),
        None => rt.no_method(given, "match"),
    }
}

/// `SemanticPuppet::Version.new(major, minor, patch, prerelease, build)`
fn version_of_parts(rt: &mut Interp<'_, '_>, args: &[Rv]) -> Raise<Rv> {
    let mut numbers = [0; 3];
    for (at, number) in numbers.iter_mut().enumerate() {
        *number = match args.get(at) {
            Some(Rv::Int(n)) => u128::try_from(*n).unwrap_or(0),
            _ => return rt.unsupported("SemanticPuppet::Version.new of this"),
        };
    }
    let [major, minor, patch] = numbers;
    let mut text = SemVer::new(major, minor, patch).to_string();
    for (at, sign) in [(3, '-'), (4, '+')] {
        if let Some(Rv::Array(parts)) = args.get(at) {
            let parts = parts.borrow().clone();
            let parts: Vec<String> = parts.iter().map(|part| rt.to_s(part)).collect::<Raise<_>>()?;
            text.push(sign);
            text.push_str(&parts.join("."));
        }
    }
    match SemVer::parse(&text) {
        Ok(version) => Ok(puppet_value(Value::SemVer(Arc::new(version)))),
        Err(message) => rt.raise("SemanticPuppet::Version::ValidationFailure", message),
    }
}

/// Methods of `SemanticPuppet::Version` and `SemanticPuppet::VersionRange`.
pub(crate) fn call(rt: &mut Interp<'_, '_>, value: &Rc<Value>, name: &str, args: &[Rv]) -> Raise<Option<Rv>> {
    match &**value {
        Value::SemVer(own) => Ok(version_method(own, name, args)),
        Value::SemVerRange(own) => range_method(rt, own, name, args),
        _ => Ok(None),
    }
}

fn version_method(own: &Arc<SemVer>, name: &str, args: &[Rv]) -> Option<Rv> {
    let made = |version: SemVer| puppet_value(Value::SemVer(Arc::new(version)));
    let number = |n: u128| Rv::integer(n);
    Some(match (name, args) {
        ("major", []) => number(own.major),
        ("minor", []) => number(own.minor),
        ("patch", []) => number(own.patch),
        ("prerelease", []) => match own.prerelease.as_deref() {
            None | Some([]) => Rv::Nil,
            Some(parts) => Rv::str(parts.iter().map(ToString::to_string).collect::<Vec<_>>().join(".")),
        },
        ("build", []) => match own.build.as_deref() {
            None | Some([]) => Rv::Nil,
            Some(parts) => Rv::str(parts.join(".")),
        },
        ("stable?", []) => Rv::bool(own.is_stable()),
        ("to_stable", []) => made(SemVer { prerelease: None, ..SemVer::clone(own) }),
        ("next", [part]) => match part.string_or_symbol().as_deref() {
            Some("major") => made(SemVer::new(own.major.saturating_add(1), 0, 0)),
            Some("minor") => made(SemVer::new(own.major, own.minor.saturating_add(1), 0)),
            Some("patch") => made(SemVer::new(own.major, own.minor, own.patch.saturating_add(1))),
            _ => Rv::Nil,
        },
        ("to_s" | "inspect", []) => Rv::str(own.to_string()),
        _ => return None,
    })
}

fn range_method(rt: &mut Interp<'_, '_>, own: &Arc<SemVerRange>, name: &str, args: &[Rv]) -> Raise<Option<Rv>> {
    let bound =
        |version: Option<SemVer>| version.map_or(Rv::Nil, |version| puppet_value(Value::SemVer(Arc::new(version))));
    Ok(Some(match (name, args) {
        ("include?" | "member?" | "cover?" | "===", [given]) => match version(given) {
            Some(version) => Rv::bool(own.includes(&version)),
            None => return rt.no_method(given, "stable?"),
        },
        ("begin", []) => bound(own.begin()),
        ("end", []) => bound(own.end()),
        ("exclude_end?", []) => match own.end() {
            Some(_) => Rv::bool(own.excludes_end()),
            None => Rv::Nil,
        },
        ("intersection" | "&", [given]) => {
            let other = match given {
                Rv::Puppet(value) => match &**value {
                    Value::SemVerRange(other) => Some(other.clone()),
                    _ => None,
                },
                _ => None,
            };
            match other {
                Some(other) => match own.intersection(&other) {
                    Ok(common) => puppet_value(Value::SemVerRange(Arc::new(common))),
                    Err(message) => return rt.raise("NameError", message),
                },
                None => return rt.raise("ArgumentError", "value must be a SemanticPuppet::VersionRange"),
            }
        }
        ("to_s", []) => Rv::str(own.to_string()),
        _ => return Ok(None),
    }))
}

/// The type of an optional argument.
fn given_type(rt: &mut Interp<'_, '_>, given: Option<&Rv>) -> Raise<Option<Type>> {
    match given {
        Some(given) => Ok(match rt.to_puppet(given)? {
            Value::Type(found) => Some(found),
            _ => None,
        }),
        None => Ok(None),
    }
}

/// `TypeFactory.type_of`: a type itself, or the inferred type of a value.
fn type_of(rt: &mut Interp<'_, '_>, given: &Rv) -> Raise<Value> {
    Ok(match rt.to_puppet(given)? {
        Value::Type(found) => Value::Type(found),
        value => Value::Type(types::generalize(&types::infer(&value))),
    })
}

/// A type created by `TypeFactory`.
fn factory(rt: &mut Interp<'_, '_>, name: &str, args: &[Rv]) -> Raise<Rv> {
    let args: Vec<Rv> = args.iter().filter(|arg| !arg.is_nil()).cloned().collect();
    match (name, args.as_slice()) {
        ("host_class", [class]) => {
            let class = rt.expect_str(class)?;
            return parameterize(rt, "Class", &[Value::str(class.strip_prefix("::").unwrap_or(&class))]);
        }
        ("host_class", []) => return parameterize(rt, "Class", &[]),
        ("resource", []) => return parameterize(rt, "Resource", &[]),
        ("resource", parts) => {
            let mut keys = Vec::with_capacity(parts.len());
            for part in parts {
                keys.push(rt.to_puppet(part)?);
            }
            return parameterize(rt, "Resource", &keys);
        }
        ("type_of", [value]) => return type_of(rt, value).map(puppet_value),
        ("string", []) => return Ok(puppet_value(Value::Type(Type::String))),
        ("string", [text]) if text.string_or_symbol().is_some() => {
            return Ok(puppet_value(Value::Type(Type::StringValue(Arc::from(
                text.string_or_symbol().unwrap_or_default(),
            )))));
        }
        ("string", [size]) => {
            let keys = size_of(rt, size)?;
            return parameterize(rt, "String", &keys);
        }
        ("label", [value]) => return rt.to_s(value).map(Rv::str),
        _ => {}
    }
    let Ok(at) = OF_FACTORY.binary_search_by(|(known, _)| (*known).cmp(name)) else {
        return rt.unsupported(&format!("TypeFactory.{name}"));
    };
    let kind = OF_FACTORY.get(at).map_or("Any", |(_, kind)| *kind);
    let mut keys = Vec::with_capacity(args.len());
    match (name, args.as_slice()) {
        ("hash_of", [value, rest @ ..]) => {
            let key = rest.first();
            keys.push(match key {
                Some(key) => type_of(rt, key)?,
                None => Value::Type(Type::Scalar),
            });
            keys.push(type_of(rt, value)?);
            for size in rest.iter().skip(1) {
                keys.extend(size_of(rt, size)?);
            }
        }
        ("array_of" | "tuple", [element, rest @ ..]) => {
            let elements = match (name, element) {
                ("tuple", Rv::Array(items)) => items.borrow().clone(),
                _ => vec![element.clone()],
            };
            for element in &elements {
                keys.push(type_of(rt, element)?);
            }
            for size in rest {
                keys.extend(size_of(rt, size)?);
            }
        }
        ("variant", parts) => {
            for part in parts {
                keys.push(type_of(rt, part)?);
            }
        }
        ("collection", [size]) => keys = size_of(rt, size)?,
        (_, parts) => {
            for part in parts {
                keys.push(rt.to_puppet(part)?);
            }
        }
    }
    parameterize(rt, kind, &keys)
}

/// The bounds of a size, as an Integer type has them.
fn size_of(rt: &mut Interp<'_, '_>, size: &Rv) -> Raise<Vec<Value>> {
    match rt.to_puppet(size)? {
        Value::Type(Type::Integer(range)) => {
            Ok(vec![range.lower().map_or(Value::Default, Value::Int), range.upper().map_or(Value::Default, Value::Int)])
        }
        _ => rt.unsupported("a size that is no Integer type"),
    }
}

/// `KIND[keys]`
fn parameterize(rt: &mut Interp<'_, '_>, kind: &str, keys: &[Value]) -> Raise<Rv> {
    let base = match rt.ev.parse_type(kind) {
        Ok(base) => base,
        Err(stop) => return rt.raise_failure(stop),
    };
    if keys.is_empty() {
        return Ok(puppet_value(Value::Type(base)));
    }
    match types::access(&base, keys) {
        Ok(value) => Ok(puppet_value(value)),
        Err(error) => rt.raise("ArgumentError", error.reason.message.to_string()),
    }
}

/// `[properties, parameters, key attributes, isomorphic?]` of a resource type in Ruby; nil if there is none.
fn attributes(rt: &mut Interp<'_, '_>, name: &Rv) -> Raise<Rv> {
    let name = rt.expect_str(name)?;
    let found = match rt.ev.builtin(Name::new(&name)) {
        Ok(Some(found)) => found,
        Ok(None) => return Ok(Rv::Nil),
        Err(stop) => return rt.raise_failure(stop),
    };
    if let Some(gap) = found.schema().gaps.first() {
        let gap = gap.clone();
        return rt.unsupported(&format!("attributes of resource type '{name}': {gap}"));
    }
    let of = |kind: AttributeKind| {
        let all = found.schema().attributes.iter().filter(|(_, own)| **own == kind);
        Rv::array(all.map(|(name, _)| Rv::sym(name.as_str())).collect())
    };
    let keys = found.schema().key_attributes.iter().map(|name| Rv::sym(name.as_str())).collect();
    Ok(Rv::array(vec![
        of(AttributeKind::Property),
        of(AttributeKind::Parameter),
        Rv::array(keys),
        Rv::bool(found.schema().isomorphic),
    ]))
}

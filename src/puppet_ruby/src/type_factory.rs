//! Puppet's type system and versions for code of modules: types from `TypeFactory`, strings from `StringConverter`,
//! `SemanticPuppet`, the attributes of resource types.
//!
//! In: a call of a method of one of these classes. Out: a type or value of the Puppet language, as a Ruby value. Must not: know
//! scopes.

use std::rc::Rc;
use std::sync::Arc;

use crate::PuppetInterp;
use catwalk_base::names::Name;
use catwalk_program::AttributeKind;
use catwalk_ruby::Raise;
use catwalk_ruby::Rv;
use catwalk_value::SemVer;
use catwalk_value::SemVerRange;
use catwalk_value::Type;
use catwalk_value::Value;

/// Methods of `TypeFactory` and the types that they create, sorted by method.
const FACTORY_TYPES: &[(&str, &str)] = &[
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

/// Methods of these classes.
pub(crate) fn class_method(rt: &mut PuppetInterp<'_, '_>, class: &str, name: &str, args: &[Rv]) -> Raise<Option<Rv>> {
    let arg = args.first().cloned().unwrap_or(Rv::Nil);
    Ok(Some(match (class, name) {
        ("SemanticPuppet::Version", "new") => version_from_parts(rt, args)?,
        ("SemanticPuppet::Version", "parse") => match SemVer::parse(&version_string(rt, &arg)?) {
            Ok(version) => puppet_value(Value::SemVer(Arc::new(version))),
            Err(message) => return rt.ruby().raise("SemanticPuppet::Version::ValidationFailure", message),
        },
        ("SemanticPuppet::Version", "valid?") => Rv::bool(SemVer::parse(&version_string(rt, &arg)?).is_ok()),
        ("SemanticPuppet::VersionRange", "parse") => {
            let range = rt.ruby().expect_str(&arg)?;
            match SemVerRange::parse(&range) {
                Ok(range) => puppet_value(Value::SemVerRange(Arc::new(range))),
                Err(message) => return rt.ruby().raise("ArgumentError", message),
            }
        }
        ("SemanticPuppet::VersionRange", "new") => match (version(&arg), args.get(1).and_then(version)) {
            (Some(from), Some(to)) => {
                let range = SemVerRange::between(&from, &to, args.get(2).is_some_and(Rv::truthy));
                puppet_value(Value::SemVerRange(Arc::new(range)))
            }
            _ => return rt.ruby().unsupported("VersionRange.new with these arguments"),
        },
        ("Puppet::Pops::Types::StringConverter", "singleton") => Rv::Class(Name::new(class)),
        ("Puppet::Pops::Types::StringConverter", "convert") => {
            let mut new_args = vec![Value::Type(Type::String), rt.ruby().to_puppet(&arg)?];
            if let Some(format) = args.get(1).filter(|format| format.string_or_symbol().as_deref() != Some("default")) {
                new_args.push(rt.ruby().to_puppet(format)?);
            }
            rt.call_puppet_function("new", &new_args)?
        }
        ("Puppet::Pops::Types::TypeFactory", _) => return create_type(rt, name, args).map(Some),
        ("Puppet::Pops::Types::TypeMismatchDescriber", "new" | "singleton") => Rv::Class(Name::new(class)),
        ("Puppet::Pops::Types::TypeMismatchDescriber", "describe_mismatch") => {
            let subject = rt.ruby().to_s(&arg)?;
            match (optional_type(rt, args.get(1))?, optional_type(rt, args.get(2))?) {
                (Some(expected), Some(actual)) => {
                    Rv::str(catwalk_value::mismatch::describe_mismatch(&subject, &expected, &actual))
                }
                _ => return rt.ruby().unsupported("describe_mismatch with these arguments"),
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
fn version_string(rt: &mut PuppetInterp<'_, '_>, value: &Rv) -> Raise<String> {
    match value.string_or_symbol() {
        Some(string) => Ok(string),
        None => rt.ruby().no_method(value, "match"),
    }
}

/// `SemanticPuppet::Version.new(major, minor, patch, prerelease, build)`
fn version_from_parts(rt: &mut PuppetInterp<'_, '_>, args: &[Rv]) -> Raise<Rv> {
    let mut numbers = [0; 3];
    for (at, number) in numbers.iter_mut().enumerate() {
        *number = match args.get(at) {
            Some(Rv::Int(n)) => u128::try_from(*n).unwrap_or(0),
            _ => return rt.ruby().unsupported("SemanticPuppet::Version.new with these arguments"),
        };
    }
    let [major, minor, patch] = numbers;
    let mut version = SemVer::new(major, minor, patch).to_string();
    for (at, sign) in [(3, '-'), (4, '+')] {
        if let Some(Rv::Array(parts)) = args.get(at) {
            let parts = parts.borrow().clone();
            let parts: Vec<String> = parts.iter().map(|part| rt.ruby().to_s(part)).collect::<Raise<_>>()?;
            version.push(sign);
            version.push_str(&parts.join("."));
        }
    }
    match SemVer::parse(&version) {
        Ok(version) => Ok(puppet_value(Value::SemVer(Arc::new(version)))),
        Err(message) => rt.ruby().raise("SemanticPuppet::Version::ValidationFailure", message),
    }
}

/// Methods of `SemanticPuppet::Version` and `SemanticPuppet::VersionRange`.
pub(crate) fn call(rt: &mut PuppetInterp<'_, '_>, value: &Rc<Value>, name: &str, args: &[Rv]) -> Raise<Option<Rv>> {
    match &**value {
        Value::SemVer(version) => Ok(call_version(version, name, args)),
        Value::SemVerRange(range) => call_range(rt, range, name, args),
        _ => Ok(None),
    }
}

fn call_version(version: &Arc<SemVer>, name: &str, args: &[Rv]) -> Option<Rv> {
    let to_ruby = |version: SemVer| puppet_value(Value::SemVer(Arc::new(version)));
    let number = |n: u128| Rv::integer(n);
    Some(match (name, args) {
        ("major", []) => number(version.major),
        ("minor", []) => number(version.minor),
        ("patch", []) => number(version.patch),
        ("prerelease", []) => match version.prerelease.as_deref() {
            None | Some([]) => Rv::Nil,
            Some(parts) => Rv::str(parts.iter().map(ToString::to_string).collect::<Vec<_>>().join(".")),
        },
        ("build", []) => match version.build.as_deref() {
            None | Some([]) => Rv::Nil,
            Some(parts) => Rv::str(parts.join(".")),
        },
        ("stable?", []) => Rv::bool(version.is_stable()),
        ("to_stable", []) => to_ruby(SemVer { prerelease: None, ..SemVer::clone(version) }),
        ("next", [part]) => match part.string_or_symbol().as_deref() {
            Some("major") => to_ruby(SemVer::new(version.major.saturating_add(1), 0, 0)),
            Some("minor") => to_ruby(SemVer::new(version.major, version.minor.saturating_add(1), 0)),
            Some("patch") => to_ruby(SemVer::new(version.major, version.minor, version.patch.saturating_add(1))),
            _ => Rv::Nil,
        },
        ("to_s" | "inspect", []) => Rv::str(version.to_string()),
        _ => return None,
    })
}

fn call_range(rt: &mut PuppetInterp<'_, '_>, range: &Arc<SemVerRange>, name: &str, args: &[Rv]) -> Raise<Option<Rv>> {
    let bound =
        |version: Option<SemVer>| version.map_or(Rv::Nil, |version| puppet_value(Value::SemVer(Arc::new(version))));
    Ok(Some(match (name, args) {
        ("include?" | "member?" | "cover?" | "===", [arg]) => match version(arg) {
            Some(version) => Rv::bool(range.includes(&version)),
            None => return rt.ruby().no_method(arg, "stable?"),
        },
        ("begin", []) => bound(range.begin()),
        ("end", []) => bound(range.end()),
        ("exclude_end?", []) => match range.end() {
            Some(_) => Rv::bool(range.excludes_end()),
            None => Rv::Nil,
        },
        ("intersection" | "&", [arg]) => {
            let other = match arg {
                Rv::Puppet(value) => match &**value {
                    Value::SemVerRange(other) => Some(other.clone()),
                    _ => None,
                },
                _ => None,
            };
            match other {
                Some(other) => match range.intersection(&other) {
                    Ok(common) => puppet_value(Value::SemVerRange(Arc::new(common))),
                    Err(message) => return rt.ruby().raise("NameError", message),
                },
                None => return rt.ruby().raise("ArgumentError", "value must be a SemanticPuppet::VersionRange"),
            }
        }
        ("to_s", []) => Rv::str(range.to_string()),
        _ => return Ok(None),
    }))
}

/// The type of an optional argument.
fn optional_type(rt: &mut PuppetInterp<'_, '_>, arg: Option<&Rv>) -> Raise<Option<Type>> {
    match arg {
        Some(arg) => Ok(match rt.ruby().to_puppet(arg)? {
            Value::Type(ty) => Some(ty),
            _ => None,
        }),
        None => Ok(None),
    }
}

/// `TypeFactory.type_of`: a type itself, or the inferred type of a value.
fn infer_type(rt: &mut PuppetInterp<'_, '_>, value: &Rv) -> Raise<Value> {
    Ok(match rt.ruby().to_puppet(value)? {
        Value::Type(ty) => Value::Type(ty),
        value => Value::Type(catwalk_value::generalize(&catwalk_value::infer(&value))),
    })
}

/// Creates a type by a method of `TypeFactory`.
fn create_type(rt: &mut PuppetInterp<'_, '_>, name: &str, args: &[Rv]) -> Raise<Rv> {
    let args: Vec<Rv> = args.iter().filter(|arg| !arg.is_nil()).cloned().collect();
    match (name, args.as_slice()) {
        ("host_class", [class]) => {
            let class = rt.ruby().expect_str(class)?;
            parameterize(rt, "Class", &[Value::str(class.strip_prefix("::").unwrap_or(&class))])
        }
        ("host_class", []) => parameterize(rt, "Class", &[]),
        ("resource", args) => {
            let keys = puppet_values(rt, args)?;
            parameterize(rt, "Resource", &keys)
        }
        ("type_of", [value]) => infer_type(rt, value).map(puppet_value),
        ("string", []) => Ok(puppet_value(Value::Type(Type::String))),
        ("string", [arg]) => match arg.string_or_symbol() {
            Some(string) => Ok(puppet_value(Value::Type(Type::StringValue(Arc::from(string))))),
            None => {
                let keys = size_bounds(rt, arg)?;
                parameterize(rt, "String", &keys)
            }
        },
        ("label", [value]) => rt.ruby().to_s(value).map(Rv::str),
        (name, args) => match FACTORY_TYPES.binary_search_by(|(method, _)| (*method).cmp(name)) {
            Ok(at) => {
                let type_name = FACTORY_TYPES.get(at).map_or("Any", |(_, type_name)| *type_name);
                let keys = factory_keys(rt, name, args)?;
                parameterize(rt, type_name, &keys)
            }
            Err(_) => rt.ruby().unsupported(&format!("TypeFactory.{name}")),
        },
    }
}

/// The parameters of the type that a method of `TypeFactory` creates.
fn factory_keys(rt: &mut PuppetInterp<'_, '_>, name: &str, args: &[Rv]) -> Raise<Vec<Value>> {
    let mut keys = Vec::with_capacity(args.len());
    match (name, args) {
        ("hash_of", [value, key_and_sizes @ ..]) => {
            keys.push(match key_and_sizes.first() {
                Some(key) => infer_type(rt, key)?,
                None => Value::Type(Type::Scalar),
            });
            keys.push(infer_type(rt, value)?);
            for size in key_and_sizes.iter().skip(1) {
                keys.extend(size_bounds(rt, size)?);
            }
        }
        ("array_of" | "tuple", [element, sizes @ ..]) => {
            let elements = match (name, element) {
                ("tuple", Rv::Array(items)) => items.borrow().clone(),
                _ => vec![element.clone()],
            };
            for element in &elements {
                keys.push(infer_type(rt, element)?);
            }
            for size in sizes {
                keys.extend(size_bounds(rt, size)?);
            }
        }
        ("variant", alternatives) => {
            for alternative in alternatives {
                keys.push(infer_type(rt, alternative)?);
            }
        }
        ("collection", [size]) => keys = size_bounds(rt, size)?,
        (_, args) => keys = puppet_values(rt, args)?,
    }
    Ok(keys)
}

fn puppet_values(rt: &mut PuppetInterp<'_, '_>, values: &[Rv]) -> Raise<Vec<Value>> {
    values.iter().map(|value| rt.ruby().to_puppet(value)).collect()
}

/// The bounds of a size, as an Integer type has them.
fn size_bounds(rt: &mut PuppetInterp<'_, '_>, size: &Rv) -> Raise<Vec<Value>> {
    match rt.ruby().to_puppet(size)? {
        Value::Type(Type::Integer(range)) => {
            Ok(vec![range.lower().map_or(Value::Default, Value::Int), range.upper().map_or(Value::Default, Value::Int)])
        }
        _ => rt.ruby().unsupported("a size that is not an Integer type"),
    }
}

/// `KIND[keys]`
fn parameterize(rt: &mut PuppetInterp<'_, '_>, kind: &str, keys: &[Value]) -> Raise<Rv> {
    let base = match rt.host.ev.parse_type(kind) {
        Ok(base) => base,
        Err(stop) => return rt.raise_failure(stop),
    };
    if keys.is_empty() {
        return Ok(puppet_value(Value::Type(base)));
    }
    match catwalk_value::access(&base, keys) {
        Ok(value) => Ok(puppet_value(value)),
        Err(error) => rt.ruby().raise("ArgumentError", error.reason.message.to_string()),
    }
}

/// `[properties, parameters, key attributes, isomorphic?]` of a resource type in Ruby; nil if there is none.
fn attributes(rt: &mut PuppetInterp<'_, '_>, name: &Rv) -> Raise<Rv> {
    let name = rt.ruby().expect_str(name)?;
    let found = match rt.host.ev.builtin(Name::new(&name)) {
        Ok(Some(found)) => found,
        Ok(None) => return Ok(Rv::Nil),
        Err(stop) => return rt.raise_failure(stop),
    };
    if let Some(gap) = found.schema().gaps.first() {
        let gap = gap.clone();
        return rt.ruby().unsupported(&format!("attributes of resource type '{name}': {gap}"));
    }
    let attributes_of_kind = |kind: AttributeKind| {
        let attributes = found.schema().attributes.iter().filter(|(_, attribute)| **attribute == kind);
        Rv::array(attributes.map(|(name, _)| Rv::sym(name.as_str())).collect())
    };
    let keys = found.schema().key_attributes.iter().map(|name| Rv::sym(name.as_str())).collect();
    Ok(Rv::array(vec![
        attributes_of_kind(AttributeKind::Property),
        attributes_of_kind(AttributeKind::Parameter),
        Rv::array(keys),
        Rv::bool(found.schema().isomorphic),
    ]))
}

//! `Type[parameters]`: from a type and the values between the brackets to a type.
//!
//! The evaluator handles access that needs a catalog (`File['/x']['mode']`). Errors contain the position of the invalid key, so that
//! the caller can report its location.

mod collection;
mod keys;
mod number;
mod references;
mod time;
mod uri;

use std::sync::Arc;

use crate::types::DistinctParts;
use crate::types::InitType;
use crate::types::IntRange;
use crate::types::RuntimeType;
use crate::types::Type;
use crate::types::TypeSet;
use crate::types::generalize;
use crate::types::infer;
use crate::types::normalize::merge_version_ranges;
use crate::types::object::assert_type_name;
use crate::value::Hash;
use crate::value::SemVerRange;
use crate::value::Value;
use crate::value::type_label;
use catwalk_base::diag::Code;
use catwalk_base::diag::Reason;
use catwalk_base::meter;
use catwalk_regexp::Regexp;

use collection::array;
use collection::callable;
use collection::hash;
use collection::size;
use collection::structure;
use collection::tuple;
use keys::as_type;
use keys::assert_keys;
pub(super) use keys::bad_arity;
use keys::bad_type;
use keys::flatten;
use keys::is_nothing;
pub(super) use keys::key_type_name;
use keys::name_key;
use keys::single_key;
use keys::subject;
use keys::type_key;
use number::float;
use number::integer;
use references::class_access;
pub(super) use references::is_type_name;
pub use references::one_reference;
use references::resource_access;
use time::time;
pub(super) use uri::assert_parameter as assert_uri_parameter;
use uri::uri;

/// An error, and the key that causes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessError {
    /// The code and message.
    pub reason: Reason,
    /// The position of the key that causes it.
    pub key: Option<usize>,
}

impl From<AccessError> for Reason {
    fn from(error: AccessError) -> Reason {
        error.reason
    }
}

/// An error about the whole access.
pub fn access_error(code: Code, message: String) -> AccessError {
    AccessError { reason: Reason::new(code, message), key: None }
}

fn key_error(key: usize, code: Code, message: String) -> AccessError {
    AccessError { reason: Reason::new(code, message), key: Some(key) }
}

/// An error that Ruby's constructors raise.
fn argument_error(message: impl Into<String>) -> AccessError {
    AccessError { reason: Reason::runtime(message.into()), key: None }
}

type Result<T> = std::result::Result<T, AccessError>;

/// `t[keys]`. The result is a type, an array of references, or `undef` (references to nothing).
///
/// # Errors
/// Puppet's messages (`access_operator`), with the key they are about.
pub fn access(t: &Type, keys: &[Value]) -> Result<Value> {
    let flat: Vec<Value>;
    let keys = match t {
        Type::Callable(_) | Type::Struct(_) | Type::Init(_) | Type::Resource(_) | Type::Class(_) => keys,
        _ if keys.iter().any(|key| matches!(key, Value::Array(_))) => {
            flat = flatten(keys);
            flat.as_slice()
        }
        _ => keys,
    };
    access_unflattened(t, keys)
}

/// Like [`access`], without flattening arrays: for the parameters in a written type.
///
/// # Errors
/// As [`access`].
pub(super) fn access_unflattened(t: &Type, keys: &[Value]) -> Result<Value> {
    let result = match t {
        Type::Resource(resource) => return resource_access(t, resource, keys),
        Type::Class(None) => return class_access(keys),
        Type::Class(Some(_)) => return Err(argument_error("not supported yet: parameters of a class")),
        Type::Regexp(_) => regexp(t, keys)?,
        Type::Boolean(_) => boolean(t, keys)?,
        Type::Enum(_) => enumeration(t, keys)?,
        Type::Variant(_) => {
            assert_keys(t, keys, 1, None, &["Any-Type"], |key| matches!(key, Value::Type(_)))?;
            Type::variant(keys.iter().filter_map(as_type).collect())
        }
        Type::SemVer(_) => semver(t, keys)?,
        Type::Timestamp(_) | Type::Timespan(_) => time(t, keys)?,
        Type::Tuple(_) => tuple(t, keys)?,
        Type::Callable(_) => callable(t, keys)?,
        Type::Struct(_) => structure(t, keys)?,
        Type::String | Type::StringSize(_) | Type::StringValue(_) => string(keys)?,
        Type::Pattern(_) => pattern(t, keys)?,
        Type::Uri(_) => uri(keys)?,
        Type::Optional(_) => optional(keys)?,
        Type::NotUndef(_) => not_undef(keys)?,
        Type::Sensitive(_) => Type::sensitive(&type_key(single_key(keys, "Sensitive-Type")?, 0, "Sensitive-Type")?),
        Type::Type(_) => Type::type_of(type_key(single_key(keys, "Type-Type")?, 0, "Type-Type")?),
        Type::Iterable(_) => {
            Type::Iterable(Some(Arc::new(type_key(single_key(keys, "Iterable-Type")?, 0, "Iterable-Type")?)))
        }
        Type::Iterator(_) => {
            Type::Iterator(Some(Arc::new(type_key(single_key(keys, "Iterator-Type")?, 0, "Iterator-Type")?)))
        }
        Type::Init(_) => init(keys)?,
        Type::Runtime(_) => runtime(t, keys)?,
        Type::Integer(_) | Type::BigInteger(_) => integer(keys)?,
        Type::Float(_) => float(keys)?,
        Type::Hash(_) => hash(keys)?,
        Type::Array(_) => array(keys)?,
        Type::Collection(_) => match keys.len() {
            1 | 2 => Type::Collection(Some(Arc::new(size(keys, 0)?.to_size()))),
            n => return Err(bad_arity("Collection-Type", 1, Some(2), n)),
        },
        Type::Object(object) if object.name.is_none() => object_type(keys)?,
        Type::Object(object) if object.base.is_none() => {
            Type::Object(Arc::new(object.with_parameters(keys).map_err(argument_error)?))
        }
        Type::TypeSet(_) => type_set(keys)?,
        Type::Reference(name) => {
            return Err(access_error(Code::UNKNOWN_RESOURCE_TYPE, format!("Resource type not found: {name}")));
        }
        // While an object type is defined, its name is an alias.
        Type::Alias(alias) if matches!(alias.resolved(), Some(Type::Object(object)) if object.name.as_deref() == Some(alias.name())) =>
        {
            return match alias.resolved() {
                Some(inner) => access(inner, keys),
                None => Ok(Value::Type(t.clone())),
            };
        }
        _ => {
            let label = crate::value::a_an(&type_label(t));
            let message = format!("Operator '[]' is not applicable to {label}.");
            return Err(access_error(Code::OPERATOR_NOT_APPLICABLE, message));
        }
    };
    Ok(Value::Type(result))
}

fn optional(keys: &[Value]) -> Result<Type> {
    match single_key(keys, "Optional-Type")? {
        Value::Str(string) => Ok(Type::optional(Type::StringValue(string.to_shared()))),
        key => Ok(Type::optional(type_key(key, 0, "Optional-Type")?)),
    }
}

fn not_undef(keys: &[Value]) -> Result<Type> {
    match keys {
        [] => Ok(Type::NotUndef(None)),
        [Value::Str(string)] => Ok(Type::not_undef(Type::StringValue(string.to_shared()))),
        [Value::Type(inner)] => Ok(Type::not_undef(inner.clone())),
        [key] => {
            let class = ruby_class(key);
            let message = format!("NotUndef-Type[] argument must be a Type or a String. Got {class}");
            Err(key_error(0, Code::BAD_NOT_UNDEF_SLICE_TYPE, message))
        }
        _ => Err(bad_arity("NotUndef-Type", 0, Some(1), keys.len())),
    }
}

fn object_type(keys: &[Value]) -> Result<Type> {
    match keys {
        [key] if is_nothing(key) => Ok(Type::any_object()),
        [Value::Hash(definition)] => {
            Ok(Type::Object(Arc::new(super::object::define(None, definition).map_err(argument_error)?)))
        }
        [key] => {
            assert_type_name("object name", name_key(key)?).map_err(argument_error)?;
            let definition: Hash = [(Value::str("name"), key.clone())].into_iter().collect();
            Ok(Type::Object(Arc::new(super::object::define(None, &definition).map_err(argument_error)?)))
        }
        _ => Err(bad_arity("Object-Type", 1, None, keys.len())),
    }
}

fn type_set(keys: &[Value]) -> Result<Type> {
    match keys {
        [key] if is_nothing(key) => Ok(Type::TypeSet(None)),
        [Value::Hash(definition)] => {
            Ok(Type::TypeSet(Some(Arc::new(TypeSet::define(None, definition).map_err(argument_error)?))))
        }
        [key] => {
            assert_type_name("TypeSet name", name_key(key)?).map_err(argument_error)?;
            let name = name_key(key)?.as_str().map(Arc::from);
            Ok(Type::TypeSet(Some(Arc::new(TypeSet { name, ..TypeSet::default() }))))
        }
        _ => Err(bad_arity("TypeSet-Type", 1, None, keys.len())),
    }
}

/// The class of a value in Puppet's implementation, for messages.
pub fn ruby_class(value: &Value) -> String {
    match value {
        Value::Type(Type::Object(object)) if object.base.is_some() => {
            "Puppet::Pops::Types::PObjectTypeExtension".to_owned()
        }
        Value::Type(t) => format!("Puppet::Pops::Types::P{}Type", t.simple_name()),
        Value::Object(object) if object.object_type.name.as_deref() != Some("Error") => {
            object.object_type.name.as_deref().unwrap_or("Object").to_owned()
        }
        other => crate::value::ruby::class_name(other).to_owned(),
    }
}

fn is_range(key: Option<&Value>) -> bool {
    match key {
        Some(Value::Int(_) | Value::BigInt(_) | Value::Default) => true,
        Some(Value::Str(text)) => &**text == "default",
        _ => false,
    }
}

/// An end of a range of sizes: no size is beyond 64 bits.
fn to_bound(key: &Value) -> Option<i64> {
    key.as_int_within()
}

fn int_range(from: Option<i64>, to: Option<i64>) -> Result<IntRange> {
    if let (Some(low), Some(high)) = (from, to)
        && low > high
    {
        return Err(argument_error(format!("'from' must be less or equal to 'to'. Got ({low}, {high}")));
    }
    Ok(IntRange::new(from, to))
}

fn regexp(t: &Type, keys: &[Value]) -> Result<Type> {
    if keys.len() != 1 {
        // The second key is blamed if there is one.
        let key = (keys.len() > 1).then_some(1);
        return Err(AccessError { key, ..bad_arity(&subject(t), 1, None, keys.len()) });
    }
    assert_keys(t, keys, 1, Some(1), &["String", "Regexp"], |key| matches!(key, Value::Str(_) | Value::Regexp(_)))?;
    let regexp = keys.first().and_then(as_regexp);
    well_formed(regexp.iter())?;
    Ok(Type::Regexp(regexp))
}

fn as_regexp(key: &Value) -> Option<Arc<Regexp>> {
    match key {
        Value::Str(text) => Some(Arc::new(Regexp::new(&**text))),
        Value::Regexp(regexp) => Some(regexp.clone()),
        _ => None,
    }
}

fn boolean(t: &Type, keys: &[Value]) -> Result<Type> {
    assert_keys(t, keys, 1, Some(1), &["TrueClass", "FalseClass"], |key| matches!(key, Value::Bool(_)))?;
    match keys {
        [Value::Bool(b)] => Ok(Type::Boolean(Some(*b))),
        _ => Ok(Type::Boolean(None)),
    }
}

fn enumeration(t: &Type, keys: &[Value]) -> Result<Type> {
    let (keys, case_insensitive) = match keys {
        [rest @ .., Value::Bool(b)] => (rest, *b),
        _ => (keys, false),
    };
    assert_keys(t, keys, 1, None, &["String"], |key| matches!(key, Value::Str(_)))?;
    let values = keys.iter().filter_map(|key| match key {
        Value::Str(text) => Some(text.to_shared()),
        _ => None,
    });
    Ok(Type::enumeration(values.collect(), case_insensitive))
}

fn semver(t: &Type, keys: &[Value]) -> Result<Type> {
    let expected = ["String", "SemanticPuppet::VersionRange"];
    assert_keys(t, keys, 1, None, &expected, |key| matches!(key, Value::Str(_) | Value::SemVerRange(_)))?;
    let mut ranges = Vec::new();
    for key in keys {
        match key {
            Value::Str(text) => ranges.push(Arc::new(SemVerRange::parse(text).map_err(argument_error)?)),
            Value::SemVerRange(range) => ranges.push(range.clone()),
            _ => {}
        }
    }
    let ranges = if ranges.len() > 1 { merge_version_ranges(ranges) } else { ranges };
    Ok(Type::SemVer(Arc::from(ranges)))
}

/// The type that a key means: a type itself, the Ruby class that a string names, or the general type of another value.
fn to_type(key: &Value) -> Result<Type> {
    Ok(match key {
        Value::Type(t) => t.clone(),
        Value::Str(_) => runtime_type(Some(Arc::from("ruby")), Some(key.clone()))?,
        other => generalize(&infer(other)),
    })
}

/// The name of a class cannot be an empty string. (`PRuntimeType#initialize`)
fn runtime_type(runtime: Option<Arc<str>>, name: Option<Value>) -> Result<Type> {
    if name.as_ref().and_then(Value::as_str).is_some_and(str::is_empty) {
        let message = "expects a value of type String[1] or Tuple[Regexp, String[1]], got String";
        return Err(argument_error(format!("Runtime 'name_or_pattern' has wrong type, {message}")));
    }
    Ok(Type::Runtime(Arc::new(RuntimeType { runtime, name })))
}

/// The class of a value with its article: `a String`, `an Integer-Type`.
fn class_label(value: &Value) -> String {
    match value {
        Value::Type(Type::Object(object)) if object.base.is_some() => "an ObjectTypeExten-Type".to_owned(),
        Value::Type(t) => crate::value::a_an(&format!("{}-Type", t.simple_name())),
        value => crate::value::a_an(&ruby_class(value)),
    }
}

fn string(keys: &[Value]) -> Result<Type> {
    match keys.len() {
        1 | 2 => Ok(Type::string_size(size(keys, 0)?)),
        n => {
            let message = format!("String supports [] with one or two arguments. Got {n}");
            Err(access_error(Code::BAD_STRING_SLICE_ARITY, message))
        }
    }
}

fn pattern(t: &Type, keys: &[Value]) -> Result<Type> {
    let expected = ["String", "Regexp", "Pattern-Type", "Regexp-Type"];
    assert_keys(t, keys, 1, None, &expected, |key| {
        matches!(key, Value::Str(_) | Value::Regexp(_) | Value::Type(Type::Pattern(_) | Type::Regexp(_)))
    })?;
    let mut all: DistinctParts<Arc<Regexp>> = DistinctParts::default();
    let mut add = |regexp: Arc<Regexp>| {
        meter::tick(1);
        all.insert(regexp);
    };
    for key in keys {
        match key {
            Value::Type(Type::Pattern(patterns)) => patterns.iter().cloned().for_each(&mut add),
            Value::Type(Type::Regexp(regexp)) => add(regexp.clone().unwrap_or_else(|| Arc::new(Regexp::new("")))),
            key => as_regexp(key).into_iter().for_each(&mut add),
        }
    }
    well_formed(all.iter())?;
    Ok(Type::Pattern(all.into_iter().collect()))
}

/// Checks regular expressions, which may be invalid if they come from strings.
fn well_formed<'r>(mut regexps: impl Iterator<Item = &'r Arc<Regexp>>) -> Result<()> {
    regexps.try_for_each(|regexp| regexp.check().map_err(|error| argument_error(error.message())))
}

fn init(keys: &[Value]) -> Result<Type> {
    match keys {
        [Value::Type(t), args @ ..] => {
            Ok(Type::Init(Arc::new(InitType { target: Some(t.clone()), args: args.to_vec() })))
        }
        [key, ..] => Err(bad_type(0, "Init-Type", key)),
        [] => Err(bad_type(0, "Init-Type", &Value::Undef)),
    }
}

fn runtime(t: &Type, keys: &[Value]) -> Result<Type> {
    assert_keys(t, keys, 2, Some(2), &["String", "String"], |key| matches!(key, Value::Str(_)))?;
    let runtime = keys.first().and_then(Value::as_str).map(Arc::from);
    runtime_type(runtime, keys.get(1).cloned())
}

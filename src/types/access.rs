//! `Type[parameters]`: from a type and the values between the brackets to a type.
//!
//! What needs a catalog (`File['/x']['mode']`) is the evaluator's. Failures name the key they are about by its position,
//! so that the caller can point at it.

mod references;
mod time;
mod uri;

use std::sync::Arc;

use crate::diag::Code;
use crate::diag::Reason;
use crate::regexp::Regexp;
use crate::types::BigRange;
use crate::types::CallableType;
use crate::types::FloatRange;
use crate::types::InitType;
use crate::types::IntRange;
use crate::types::RuntimeType;
use crate::types::StructElement;
use crate::types::TupleType;
use crate::types::Type;
use crate::types::TypeSet;
use crate::types::generalize;
use crate::types::infer;
use crate::types::is_assignable;
use crate::types::kind_of_callable;
use crate::types::normalize::merge_version_ranges;
use crate::types::object::assert_type_name;
use crate::value::Hash;
use crate::value::SemVerRange;
use crate::value::Value;
use crate::value::type_label;

use references::class_access;
pub use references::class_name;
pub(super) use references::is_type_name;
pub use references::one_reference;
use references::resource_access;
use time::time;
use uri::uri;

/// A failure, and the key it is about where it is about one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessError {
    /// What is wrong.
    pub reason: Reason,
    /// Position of the key to blame.
    pub key: Option<usize>,
}

impl From<AccessError> for Reason {
    fn from(error: AccessError) -> Reason {
        error.reason
    }
}

/// A failure about the whole access.
pub fn access_error(code: &'static str, message: String) -> AccessError {
    AccessError { reason: Reason::new(Code(code), message), key: None }
}

fn about(key: usize, code: &'static str, message: String) -> AccessError {
    AccessError { reason: Reason::new(Code(code), message), key: Some(key) }
}

/// A failure Ruby's constructors raise.
fn argument(message: impl Into<String>) -> AccessError {
    AccessError { reason: Reason::runtime(message.into()), key: None }
}

type Result<T> = std::result::Result<T, AccessError>;

/// `t[keys]`. The result is a type, an array of references, or `undef` (references to nothing).
///
/// # Errors
/// The reference's messages (`access_operator`), with the key they are about.
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
    access_as_given(t, keys)
}

/// The same for keys that stand in the definition of a type: nothing takes arrays apart there.
///
/// # Errors
/// As [`access`].
pub(super) fn access_as_given(t: &Type, keys: &[Value]) -> Result<Value> {
    let result = match t {
        Type::Resource(resource) => return resource_access(t, resource, keys),
        Type::Class(None) => return class_access(keys),
        Type::Class(Some(_)) => return Err(argument("not supported yet: parameters of a class")),
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
        Type::Callable(_) => callable(keys)?,
        Type::Struct(_) => structure(t, keys)?,
        Type::String | Type::StringSize(_) | Type::StringValue(_) => string(keys)?,
        Type::Pattern(_) => pattern(t, keys)?,
        Type::Uri(_) => uri(keys)?,
        Type::Optional(_) => match one(keys, "Optional-Type")? {
            Value::Str(text) => Type::optional(Type::StringValue(text.clone())),
            key => Type::optional(type_key(key, 0, "Optional-Type")?),
        },
        Type::NotUndef(_) => match keys {
            [] => Type::NotUndef(None),
            [Value::Str(text)] => Type::not_undef(Type::StringValue(text.clone())),
            [Value::Type(inner)] => Type::not_undef(inner.clone()),
            [key] => {
                let class = ruby_class(key);
                let message = format!("NotUndef-Type[] argument must be a Type or a String. Got {class}");
                return Err(about(0, "BAD_NOT_UNDEF_SLICE_TYPE", message));
            }
            _ => return Err(bad_arity("NotUndef-Type", 0, Some(1), keys.len())),
        },
        Type::Sensitive(_) => Type::sensitive(&type_key(one(keys, "Sensitive-Type")?, 0, "Sensitive-Type")?),
        Type::Type(_) => Type::type_of(type_key(one(keys, "Type-Type")?, 0, "Type-Type")?),
        Type::Iterable(_) => Type::Iterable(Some(Arc::new(type_key(one(keys, "Iterable-Type")?, 0, "Iterable-Type")?))),
        Type::Iterator(_) => Type::Iterator(Some(Arc::new(type_key(one(keys, "Iterator-Type")?, 0, "Iterator-Type")?))),
        Type::Init(_) => init(keys)?,
        Type::Runtime(_) => runtime(t, keys)?,
        Type::Integer(_) | Type::BigInteger(_) => integer(keys)?,
        Type::Float(_) => float(keys)?,
        Type::Hash(_) => hash(keys)?,
        Type::Array(_) => array(keys)?,
        Type::Collection(_) => {
            let size = match keys.len() {
                1 | 2 => size(keys, 0)?,
                n => return Err(bad_arity("Collection-Type", 1, Some(2), n)),
            };
            Type::Collection(Some(Arc::new(size.to_size())))
        }
        Type::Object(object) if object.name.is_none() => match keys {
            [key] if is_nothing(key) => Type::any_object(),
            [Value::Hash(definition)] => {
                Type::Object(Arc::new(super::object::define(None, definition).map_err(argument)?))
            }
            [key] => {
                assert_type_name("object name", name_key(key)?).map_err(argument)?;
                let definition: Hash = [(Value::str("name"), key.clone())].into_iter().collect();
                Type::Object(Arc::new(super::object::define(None, &definition).map_err(argument)?))
            }
            _ => return Err(bad_arity("Object-Type", 1, None, keys.len())),
        },
        Type::Object(object) if object.base.is_none() => {
            Type::Object(Arc::new(object.with_parameters(keys).map_err(argument)?))
        }
        Type::TypeSet(_) => match keys {
            [key] if is_nothing(key) => Type::TypeSet(None),
            [Value::Hash(definition)] => {
                Type::TypeSet(Some(Arc::new(TypeSet::define(None, definition).map_err(argument)?)))
            }
            [key] => {
                assert_type_name("TypeSet name", name_key(key)?).map_err(argument)?;
                let name = name_key(key)?.as_str().map(Arc::from);
                Type::TypeSet(Some(Arc::new(TypeSet { name, ..TypeSet::default() })))
            }
            _ => return Err(bad_arity("TypeSet-Type", 1, None, keys.len())),
        },
        Type::Reference(name) => {
            return Err(access_error("UNKNOWN_RESOURCE_TYPE", format!("Resource type not found: {name}")));
        }
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
            return Err(access_error("OPERATOR_NOT_APPLICABLE", message));
        }
    };
    Ok(Value::Type(result))
}

/// What `nil?` and `empty?` are true of.
fn is_nothing(key: &Value) -> bool {
    match key {
        Value::Hash(entries) => entries.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Str(text) => text.is_empty(),
        other => other.is_undef(),
    }
}

/// A key that stands for a name: Ruby asks whether it is empty before it looks what it is. (`TypeFactory.object`,
/// `TypeFactory.type_set`)
fn name_key(key: &Value) -> Result<&Value> {
    match key {
        Value::Str(_) | Value::Array(_) | Value::Default => Ok(key),
        _ => Err(argument(format!("undefined method `empty?' for {}", crate::value::ruby::plain_receiver(key)))),
    }
}

fn flatten(keys: &[Value]) -> Vec<Value> {
    if !keys.iter().any(|key| matches!(key, Value::Array(_))) {
        return keys.to_vec();
    }
    let mut flat = Vec::with_capacity(keys.len());
    let mut stack: Vec<&Value> = keys.iter().rev().collect();
    while let Some(key) = stack.pop() {
        match key {
            Value::Array(items) => stack.extend(items.iter().rev()),
            key => flat.push(key.clone()),
        }
    }
    flat
}

fn as_type(key: &Value) -> Option<Type> {
    match key {
        Value::Type(t) => Some(t.clone()),
        _ => None,
    }
}

/// The class of a value in the reference's implementation: its messages show it.
pub(crate) fn ruby_class(value: &Value) -> String {
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

/// The name of a key's type, without details.
pub(super) fn key_type_name(value: &Value) -> String {
    match value {
        Value::Undef => "Undef".to_owned(),
        Value::Default => "Default".to_owned(),
        _ => generalize(&infer(value)).to_string(),
    }
}

/// The number of keys is wrong. A `max` of -1 or none means any number.
pub(super) fn bad_arity(base: &str, min: i64, max: Option<i64>, actual: usize) -> AccessError {
    let message = match max {
        Some(-1) => format!("{base}[] accepts {min} or more arguments. Got {actual}"),
        Some(max) if max != min => format!("{base}[] accepts {min} to {max} arguments. Got {actual}"),
        _ => {
            let s = if min == 1 { "" } else { "s" };
            format!("{base}[] accepts {min} argument{s}. Got {actual}")
        }
    };
    access_error("BAD_TYPE_SLICE_ARITY", message)
}

/// A type as the subject of a sentence: `An Integer-Type`.
fn subject(t: &Type) -> String {
    let label = crate::value::a_an(&type_label(t));
    crate::types::capitalize_first(&label)
}

fn bad_type(key: usize, base: &str, actual: &Value) -> AccessError {
    let message = format!("{base}[] arguments must be types. Got {}", ruby_class(actual));
    about(key, "BAD_TYPE_SLICE_TYPE", message)
}

fn one<'a>(keys: &'a [Value], base: &str) -> Result<&'a Value> {
    match keys {
        [key] => Ok(key),
        _ => Err(bad_arity(base, 1, None, keys.len())),
    }
}

fn type_key(key: &Value, at: usize, base: &str) -> Result<Type> {
    as_type(key).ok_or_else(|| bad_type(at, base, key))
}

fn assert_keys(
    t: &Type,
    keys: &[Value],
    min: usize,
    max: Option<usize>,
    expected: &[&str],
    allowed: impl Fn(&Value) -> bool,
) -> Result<()> {
    if keys.len() < min || max.is_some_and(|max| keys.len() > max) {
        let max = max.map_or(Some(-1), |max| i64::try_from(max).ok());
        return Err(bad_arity(&subject(t), 1, max, keys.len()));
    }
    for (n, key) in keys.iter().enumerate() {
        if !allowed(key) {
            let message = format!("Cannot use {} where {} is expected", key_type_name(key), expected.join(" or "));
            return Err(specialization(n, t, &message));
        }
    }
    Ok(())
}

fn specialization(key: usize, t: &Type, message: &str) -> AccessError {
    let message = format!("Error creating type specialization of {}, {message}", crate::value::a_an(&type_label(t)));
    about(key, "BAD_TYPE_SPECIALIZATION", message)
}

fn is_range(key: Option<&Value>) -> bool {
    match key {
        Some(Value::Int(_) | Value::BigInt(_) | Value::Default) => true,
        Some(Value::Str(text)) => &**text == "default",
        _ => false,
    }
}

/// An end of a range of sizes: no size is beyond 64 bits.
fn bound(key: &Value) -> Option<i64> {
    key.as_int_within()
}

fn int_range(from: Option<i64>, to: Option<i64>) -> Result<IntRange> {
    if let (Some(low), Some(high)) = (from, to)
        && low > high
    {
        return Err(argument(format!("'from' must be less or equal to 'to'. Got ({low}, {high}")));
    }
    Ok(IntRange::new(from, to))
}

fn regexp(t: &Type, keys: &[Value]) -> Result<Type> {
    if keys.len() != 1 {
        // The second key is to blame when there is one.
        let key = (keys.len() > 1).then_some(1);
        return Err(AccessError { key, ..bad_arity(&subject(t), 1, None, keys.len()) });
    }
    assert_keys(t, keys, 1, Some(1), &["String", "Regexp"], |key| matches!(key, Value::Str(_) | Value::Regexp(_)))?;
    let own = keys.first().and_then(as_regexp);
    well_formed(own.iter())?;
    Ok(Type::Regexp(own))
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
        Value::Str(text) => Some(text.clone()),
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
            Value::Str(text) => ranges.push(Arc::new(SemVerRange::parse(text).map_err(argument)?)),
            Value::SemVerRange(range) => ranges.push(range.clone()),
            _ => {}
        }
    }
    let ranges = if ranges.len() > 1 { merge_version_ranges(ranges) } else { ranges };
    Ok(Type::SemVer(Arc::from(ranges)))
}

/// The lower end of a size. Of the text `default`, which passes for one, Ruby makes no end at all. (`TypeFactory.range`)
fn least(key: Option<&Value>) -> Result<Option<i64>> {
    match key {
        Some(Value::Str(_)) => Err(argument("undefined method `>' for false:FalseClass")),
        key => Ok(key.and_then(bound)),
    }
}

/// A lower end that may be anything, as far as it compares with Infinity. (`PIntegerType#initialize`)
fn least_of(key: &Value) -> Result<Option<i64>> {
    #[allow(clippy::cast_possible_truncation, reason = "no size is beyond 64 bits")]
    let whole = |f: f64| Some(f.ceil() as i64);
    match key {
        Value::Undef => Ok(None),
        Value::Float(f) => Ok(whole(*f)),
        Value::Timespan(time) => Ok(whole(time.seconds())),
        Value::Timestamp(time) => Ok(whole(time.seconds())),
        Value::Hash(_) => Err(argument("no implicit conversion of Float into Hash")),
        Value::Str(_) | Value::SemVer(_) => {
            Err(argument(format!("comparison of {} with Infinity failed", ruby_class(key))))
        }
        other => Err(argument(format!("undefined method `>' for {}", crate::value::ruby::receiver(other)))),
    }
}

/// Types with a size at the end.
fn split_size(keys: &[Value]) -> Result<(&[Value], Option<IntRange>)> {
    let n = keys.len();
    let last = keys.last();
    let before = n.checked_sub(2).and_then(|at| keys.get(at));
    if is_range(before) && is_range(last) {
        let size = int_range(least(before)?, last.and_then(bound))?;
        return Ok((keys.get(..n - 2).unwrap_or_default(), Some(size)));
    }
    if is_range(last) {
        let size = int_range(least(last)?, None)?;
        return Ok((keys.get(..n - 1).unwrap_or_default(), Some(size)));
    }
    Ok((keys, None))
}

fn tuple(t: &Type, keys: &[Value]) -> Result<Type> {
    let (keys, size) = split_size(keys)?;
    assert_keys(t, keys, 1, None, &["Any-Type"], |key| matches!(key, Value::Type(_)))?;
    Ok(Type::tuple(keys.iter().filter_map(as_type).collect(), size))
}

fn callable(keys: &[Value]) -> Result<Type> {
    let (params, returns) = match keys {
        [Value::Array(params), returns] => match returns {
            Value::Type(returns) => (params.as_slice(), Some(returns.clone())),
            key => {
                let message = format!("Cannot use {} where Any-Type is expected", key_type_name(key));
                return Err(specialization(1, &Type::any_callable(), &message));
            }
        },
        [Value::Array(_), ..] => return Err(bad_arity("A Callable-Type", 2, Some(2), keys.len())),
        _ => (keys, None),
    };
    let (params, block) = match params {
        [rest @ .., Value::Type(last)] if kind_of_callable(last, true) => (rest, Some(last.clone())),
        _ => (params, None),
    };
    let (params, size) = split_size(params)?;
    let mut types: Vec<Type> = params.iter().map(type_of).collect::<Result<_>>()?;
    if types.is_empty() && size.is_some_and(|size| size.upper().is_none_or(|to| to > 0)) {
        types.push(Type::Unit);
    }
    let returns = returns.filter(|t| *t != Type::Any);
    Ok(Type::from(CallableType { params: Some(TupleType::new(types, size)), block, returns }))
}

/// A type from a key that need not be one.
fn type_of(key: &Value) -> Result<Type> {
    Ok(match key {
        Value::Type(t) => t.clone(),
        Value::Str(_) => runtime_of(Some(Arc::from("ruby")), Some(key.clone()))?,
        other => generalize(&infer(other)),
    })
}

/// A name of a class is no empty text. (`PRuntimeType#initialize`)
fn runtime_of(runtime: Option<Arc<str>>, name: Option<Value>) -> Result<Type> {
    if name.as_ref().and_then(Value::as_str).is_some_and(str::is_empty) {
        let wanted = "expects a value of type String[1] or Tuple[Regexp, String[1]], got String";
        return Err(argument(format!("Runtime 'name_or_pattern' has wrong type, {wanted}")));
    }
    Ok(Type::Runtime(Arc::new(RuntimeType { runtime, name })))
}

fn structure(t: &Type, keys: &[Value]) -> Result<Type> {
    assert_keys(t, keys, 1, Some(1), &["Hash"], |key| matches!(key, Value::Hash(_)))?;
    let Some(Value::Hash(entries)) = keys.first() else { return Ok(Type::any_struct()) };
    let mut elements = Vec::with_capacity(entries.len());
    for (key, value) in entries.iter() {
        let value = type_of(value)?;
        elements.push(struct_element(key, value).map_err(argument)?);
    }
    Ok(Type::Struct(Arc::from(elements)))
}

fn struct_element(key: &Value, value: Type) -> std::result::Result<StructElement, String> {
    let (key_type, optional) = match key {
        Value::Str(text) if text.is_empty() => {
            return Err("Struct element key cannot be an empty String".to_owned());
        }
        Value::Str(text) => {
            let optional = is_assignable(&value, &Type::Undef);
            return Ok(StructElement { name: text.clone(), optional, value });
        }
        Value::Type(Type::NotUndef(Some(inner))) => ((**inner).clone(), false),
        Value::Type(Type::Optional(Some(inner))) => ((**inner).clone(), true),
        Value::Type(Type::NotUndef(None) | Type::Optional(None)) => (Type::Any, false),
        Value::Type(t @ (Type::String | Type::StringSize(_) | Type::StringValue(_) | Type::Enum(_))) => {
            (t.clone(), false)
        }
        other => {
            let class = match other {
                Value::Type(t) => format!("Puppet::Pops::Types::P{}Type", t.simple_name()),
                other => ruby_class(other),
            };
            return Err(format!(
                "Illegal Struct member key type. Expected NotUndef, Optional, String, or Enum. Got: {class}"
            ));
        }
    };
    match &key_type {
        Type::StringValue(name) => Ok(StructElement { name: name.clone(), optional, value }),
        Type::Enum(values) if values.values.len() == 1 && !optional => {
            let name = values.values.first().cloned().unwrap_or_else(|| Arc::from(""));
            Ok(StructElement { name, optional, value })
        }
        _ => {
            let shown = crate::value::to_program(key);
            Err(format!("Unable to extract a non-empty literal string from Struct member key type {shown}"))
        }
    }
}

fn size(keys: &[Value], start: usize) -> Result<IntRange> {
    if let [Value::Type(Type::Integer(range))] = keys {
        return Ok(*range);
    }
    for (n, key) in keys.iter().enumerate() {
        if !matches!(key, Value::Int(_) | Value::BigInt(_) | Value::Default) {
            let message = format!(
                "A Type's size constraint arguments must be a single Integer type, or 1-2 integers (or default). Got {}",
                class_label(key)
            );
            return Err(about(start + n, "BAD_COLLECTION_SLICE_TYPE", message));
        }
    }
    int_range(keys.first().and_then(bound), keys.get(1).and_then(bound))
}

/// The class of a value with its article: `a String`, `an Integer-Type`.
fn class_label(value: &Value) -> String {
    match value {
        Value::Type(t) => crate::value::a_an(&format!("{}-Type", t.simple_name())),
        value => crate::value::a_an(&ruby_class(value)),
    }
}

fn string(keys: &[Value]) -> Result<Type> {
    match keys.len() {
        1 | 2 => Ok(Type::string_size(size(keys, 0)?)),
        n => {
            let message = format!("String supports [] with one or two arguments. Got {n}");
            Err(access_error("BAD_STRING_SLICE_ARITY", message))
        }
    }
}

fn pattern(t: &Type, keys: &[Value]) -> Result<Type> {
    let expected = ["String", "Regexp", "Pattern-Type", "Regexp-Type"];
    assert_keys(t, keys, 1, None, &expected, |key| {
        matches!(key, Value::Str(_) | Value::Regexp(_) | Value::Type(Type::Pattern(_) | Type::Regexp(_)))
    })?;
    let mut all: Vec<Arc<Regexp>> = Vec::new();
    let mut add = |regexp: Arc<Regexp>| {
        if !all.contains(&regexp) {
            all.push(regexp);
        }
    };
    for key in keys {
        match key {
            Value::Type(Type::Pattern(patterns)) => patterns.iter().cloned().for_each(&mut add),
            Value::Type(Type::Regexp(regexp)) => add(regexp.clone().unwrap_or_else(|| Arc::new(Regexp::new("")))),
            key => as_regexp(key).into_iter().for_each(&mut add),
        }
    }
    well_formed(all.iter())?;
    Ok(Type::Pattern(Arc::from(all)))
}

/// Regular expressions given as texts may be none.
fn well_formed<'r>(mut regexps: impl Iterator<Item = &'r Arc<Regexp>>) -> Result<()> {
    regexps.try_for_each(|regexp| regexp.check().map_err(|error| argument(error.message())))
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
    runtime_of(runtime, keys.get(1).cloned())
}

fn integer(keys: &[Value]) -> Result<Type> {
    if keys.is_empty() || keys.len() > 2 {
        let message = format!("Integer-Type supports [] with one or two arguments (from, to). Got {}", keys.len());
        return Err(access_error("BAD_INTEGER_SLICE_ARITY", message));
    }
    for (n, key) in keys.iter().enumerate() {
        if !matches!(key, Value::Int(_) | Value::BigInt(_) | Value::Default) {
            let class = ruby_class(key);
            let message = format!("Integer-Type [] requires all arguments to be integers (or default). Got {class}");
            return Err(about(n, "BAD_INTEGER_SLICE_TYPE", message));
        }
    }
    if keys.iter().any(|key| matches!(key, Value::BigInt(_))) {
        let range = BigRange { from: keys.first().and_then(Value::as_big), to: keys.get(1).and_then(Value::as_big) };
        if let (Some(low), Some(high)) = (&range.from, &range.to)
            && low > high
        {
            return Err(argument(format!("'from' must be less or equal to 'to'. Got ({low}, {high}")));
        }
        return Ok(Type::integer(range));
    }
    Ok(Type::Integer(int_range(keys.first().and_then(bound), keys.get(1).and_then(bound))?))
}

fn float(keys: &[Value]) -> Result<Type> {
    if keys.is_empty() || keys.len() > 2 {
        let message = format!("Float-Type supports [] with one or two arguments (from, to). Got {}", keys.len());
        return Err(access_error("BAD_INTEGER_SLICE_ARITY", message));
    }
    let mut ends = [None, None];
    for (n, key) in keys.iter().enumerate() {
        let end = match key {
            Value::Int(i) => Some(*i as f64),
            Value::BigInt(i) => Some(crate::value::big::to_float(i)),
            Value::Float(f) => Some(*f),
            Value::Default => None,
            key => {
                let class = ruby_class(key);
                let message =
                    format!("Float-Type [] requires all arguments to be floats, or integers (or default). Got {class}");
                return Err(about(n, "BAD_INTEGER_SLICE_TYPE", message));
            }
        };
        if let Some(slot) = ends.get_mut(n) {
            *slot = end;
        }
    }
    let range = FloatRange { from: ends[0].unwrap_or(f64::NEG_INFINITY), to: ends[1].unwrap_or(f64::INFINITY) };
    if range.from > range.to {
        let text = crate::value::number::float_text;
        let message = format!("'from' must be less or equal to 'to'. Got ({}, {}", text(range.from), text(range.to));
        return Err(argument(message));
    }
    Ok(Type::Float(range))
}

fn hash(keys: &[Value]) -> Result<Type> {
    if let [from @ (Value::Int(_) | Value::BigInt(_)), to @ (Value::Int(_) | Value::BigInt(_))] = keys {
        return Ok(Type::hash(Type::Any, Type::Any, Some(int_range(bound(from), bound(to))?)));
    }
    for (n, key) in keys.iter().take(2).enumerate() {
        type_key(key, n, "Hash-Type")?;
    }
    let (key, value) = (keys.first().and_then(as_type), keys.get(1).and_then(as_type));
    let size = match keys {
        [_, _] => None,
        [_, _, Value::Type(Type::Integer(range))] => Some(*range),
        [_, _, from @ (Value::Int(_) | Value::BigInt(_) | Value::Default)] => Some(int_range(bound(from), None)?),
        // Nothing looks what it is before Ruby asks whether it is above the other end, which is open.
        [_, _, other] => Some(int_range(least_of(other)?, None)?),
        [_, _, rest @ ..] if rest.len() == 2 => Some(size(rest, 2)?),
        _ => return Err(bad_arity("Hash-Type", 2, Some(4), keys.len())),
    };
    Ok(Type::hash(key.unwrap_or(Type::Any), value.unwrap_or(Type::Any), size))
}

fn array(keys: &[Value]) -> Result<Type> {
    match keys {
        [key] => Ok(Type::array(type_key(key, 0, "Array-Type")?, None)),
        [Value::Type(t), rest @ ..] if matches!(rest.len(), 1 | 2) => Ok(Type::array(t.clone(), Some(size(rest, 1)?))),
        [_, _] => Ok(Type::array(Type::Any, Some(size(keys, 0)?))),
        [key, _, _] => Err(bad_type(0, "Array-Type", key)),
        _ => Err(bad_arity("Array-Type", 1, Some(3), keys.len())),
    }
}

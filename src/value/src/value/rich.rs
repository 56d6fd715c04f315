//! Values as JSON: plain data stays plain, everything else is tagged with `__ptype` (rich data) or becomes a string.
//!
//! In: a value. Out: anything serde writes to. The tags are those of Puppet's `ToDataConverter`.

use std::sync::Arc;

use num_bigint::BigInt;
use serde::Serialize;
use serde::Serializer;
use serde::ser::Error;
use serde::ser::SerializeMap;
use serde::ser::SerializeSeq;

use crate::types::CallableType;
use crate::types::IntRange;
use crate::types::ObjectType;
use crate::types::StructElement;
use crate::types::TimeRange;
use crate::types::TupleType;
use crate::types::Type;
use crate::types::class_of_type;
use crate::value::Hash;
use crate::value::Object;
use crate::value::Timespan;
use crate::value::Timestamp;
use crate::value::Value;
use crate::value::big::to_float;
use crate::value::reference_text;
use crate::value::to_puppet_string;

/// The failure of a type that contains itself.
const ENDLESS: &str =
    "Endless recursion detected when attempting to serialize value of class Puppet::Pops::Types::PTypeAliasType";

/// Whether writing a value fails because a type contains itself; this error comes before others.
pub fn is_endless(value: &Value) -> bool {
    first_refused(value) == Some(Unwritable::Endless)
}

/// A type that cannot be serialized.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unwritable {
    /// A type that contains itself.
    Endless,
    /// A type set.
    Set,
}

fn first_refused(value: &Value) -> Option<Unwritable> {
    match value {
        Value::Array(items) => items.iter().find_map(first_refused),
        Value::Hash(entries) => {
            entries.iter().find_map(|(key, value)| first_refused(key).or_else(|| first_refused(value)))
        }
        Value::Sensitive(secret) => first_refused(secret),
        Value::Object(object) => object.attributes.values().find_map(first_refused),
        Value::Type(Type::Alias(alias)) if alias.is_recursive() => Some(Unwritable::Endless),
        Value::Type(Type::Alias(alias)) => first_refused(&Value::Type(alias.resolved()?.clone())),
        Value::Type(Type::TypeSet(_)) => Some(Unwritable::Set),
        Value::Type(t) => attributes(t).iter().find_map(|(_, part)| first_refused(part)),
        _ => None,
    }
}

/// How values that JSON cannot express are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mode {
    /// With `__ptype` tags; else as strings.
    pub rich: bool,
    /// References as `File[/x]`, as catalogs have them; else as types.
    pub references_as_text: bool,
    /// As a document in memory, whose numbers have 64 bits.
    document: bool,
}

impl Mode {
    /// Rich data as `catwalk eval --format rich` prints it.
    pub const RICH: Mode = Mode { rich: true, references_as_text: false, document: false };
    /// Parameters of a catalog's resources, rich data on.
    pub const CATALOG: Mode = Mode { rich: true, references_as_text: true, document: false };
    /// Parameters of a catalog's resources, rich data off.
    pub const CATALOG_PLAIN: Mode = Mode { rich: false, references_as_text: true, document: false };

    /// The mode for values inside others, where a reference stays a type.
    fn inside(self) -> Mode {
        Mode { references_as_text: self.references_as_text && !self.rich, ..self }
    }
}

/// A value that serde writes.
#[derive(Clone, Copy, Debug)]
pub struct Rich<'a>(pub &'a Value, pub Mode);

/// The value as a JSON document. An integer that does not fit its numbers becomes the nearest float.
///
/// # Errors
/// The value holds a type that cannot be written, such as a recursive alias.
pub fn to_json(value: &Value, mode: Mode) -> Result<serde_json::Value, String> {
    serde_json::to_value(Rich(value, Mode { document: true, ..mode })).map_err(|error| error.to_string())
}

fn big<S: Serializer>(n: &BigInt, mode: Mode, serializer: S) -> Result<S::Ok, S::Error> {
    match (u64::try_from(n), i128::try_from(n)) {
        (Ok(n), _) => serializer.serialize_u64(n),
        _ if mode.document => serializer.serialize_f64(to_float(n)),
        (_, Ok(n)) => serializer.serialize_i128(n),
        _ => Err(S::Error::custom("not supported yet: an integer beyond 128 bits in JSON")),
    }
}

impl Serialize for Rich<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Rich(value, mode) = *self;
        match value {
            Value::Undef => serializer.serialize_unit(),
            Value::Bool(b) => serializer.serialize_bool(*b),
            Value::Int(n) => serializer.serialize_i64(*n),
            Value::BigInt(n) => big(n, mode, serializer),
            Value::Float(f) => serializer.serialize_f64(*f),
            Value::Str(text) => serializer.serialize_str(text),
            Value::Symbol(name) => serializer.serialize_str(name),
            Value::Ruby(object) => serializer.serialize_str(&object.text),
            Value::Array(items) => {
                let mut seq = serializer.serialize_seq(Some(items.len()))?;
                for item in items.iter() {
                    seq.serialize_element(&Rich(item, mode))?;
                }
                seq.end()
            }
            Value::Hash(entries) => hash(entries, mode, serializer),
            Value::Sensitive(inner) => {
                let mut map = serializer.serialize_map(Some(2))?;
                map.serialize_entry("__ptype", "Sensitive")?;
                map.serialize_entry("__pvalue", &Rich(inner, mode.inside()))?;
                map.end()
            }
            Value::Type(t) if mode.references_as_text && reference_text(t).is_some() => {
                serializer.serialize_str(&reference_text(t).unwrap_or_default())
            }
            _ if !mode.rich => serializer.serialize_str(&plain_text(value)),
            Value::Default => {
                let mut map = serializer.serialize_map(Some(1))?;
                map.serialize_entry("__ptype", "Default")?;
                map.end()
            }
            Value::Type(t) => type_object(t, mode, serializer),
            Value::Object(object) => {
                let init = object.data_hash();
                let mut map = serializer.serialize_map(Some(init.len() + 1))?;
                map.serialize_entry("__ptype", object.type_name())?;
                for (key, value) in &init {
                    map.serialize_entry(&*to_puppet_string(key), &Rich(value, mode.inside()))?;
                }
                map.end()
            }
            Value::Iterator(_) => serializer.serialize_str(&to_puppet_string(value)),
            Value::Regexp(regexp) => tagged("Regexp", &regexp.source_with_options(), serializer),
            Value::Timestamp(_) => tagged("Timestamp", &to_puppet_string(value), serializer),
            Value::Timespan(_) => tagged("Timespan", &to_puppet_string(value), serializer),
            Value::SemVer(_) => tagged("SemVer", &to_puppet_string(value), serializer),
            Value::SemVerRange(_) => tagged("SemVerRange", &to_puppet_string(value), serializer),
            Value::Binary(_) => tagged("Binary", &to_puppet_string(value), serializer),
            Value::Uri(_) => tagged("URI", &to_puppet_string(value), serializer),
        }
    }
}

fn tagged<S: Serializer>(tag: &str, text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(2))?;
    map.serialize_entry("__ptype", tag)?;
    map.serialize_entry("__pvalue", text)?;
    map.end()
}

/// A value as a string, where rich data is off.
#[must_use]
pub(crate) fn plain_text(value: &Value) -> Arc<str> {
    to_puppet_string(value)
}

fn hash<S: Serializer>(entries: &Hash, mode: Mode, serializer: S) -> Result<S::Ok, S::Error> {
    let is_reference =
        |key: &Value| mode.references_as_text && matches!(key, Value::Type(t) if reference_text(t).is_some());
    let plain = entries.keys().all(|key| key.as_str().map_or_else(|| is_reference(key), |key| key != "__ptype"));
    if plain || !mode.rich {
        let mut map = serializer.serialize_map(Some(entries.len()))?;
        for (key, value) in entries {
            match key {
                Value::Str(key) => map.serialize_entry(&**key, &Rich(value, mode))?,
                Value::Type(t) if is_reference(key) => {
                    map.serialize_entry(&reference_text(t).unwrap_or_default(), &Rich(value, mode))?;
                }
                other => map.serialize_entry(&*plain_text(other), &Rich(value, mode))?,
            }
        }
        return map.end();
    }
    let mut map = serializer.serialize_map(Some(2))?;
    map.serialize_entry("__ptype", "Hash")?;
    map.serialize_entry("__pvalue", &FlatHash(entries, mode))?;
    map.end()
}

/// A hash as an array of alternating keys and values.
struct FlatHash<'a>(&'a Hash, Mode);

impl Serialize for FlatHash<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut seq = serializer.serialize_seq(Some(self.0.len() * 2))?;
        for (key, value) in self.0 {
            seq.serialize_element(&Rich(key, self.1))?;
            seq.serialize_element(&Rich(value, self.1))?;
        }
        seq.end()
    }
}

fn type_object<S: Serializer>(t: &Type, mode: Mode, serializer: S) -> Result<S::Ok, S::Error> {
    if let Type::Alias(alias) = t {
        if alias.is_recursive() {
            return Err(S::Error::custom(ENDLESS));
        }
        let mut map = serializer.serialize_map(Some(4))?;
        map.serialize_entry("__ptype", "Pcore::TypeAliasType")?;
        map.serialize_entry("name", alias.name())?;
        map.serialize_entry("type_expr", &())?;
        let resolved = alias.resolved().map_or(Value::Undef, |inner| Value::Type(inner.clone()));
        map.serialize_entry("resolved_type", &Rich(&resolved, mode.inside()))?;
        return map.end();
    }
    if matches!(t, Type::TypeSet(_)) {
        // Puppet does not find the arguments of a type set's initializer.
        return Err(S::Error::custom(
            "Initializer for class Puppet::Pops::Types::PTypeSetType parameter 'name_or_init_hash' does not match any of \
             the the attributes of type Pcore::TypeSetType",
        ));
    }
    let attributes = attributes(t);
    let mut map = serializer.serialize_map(Some(attributes.len() + 1))?;
    map.serialize_entry("__ptype", &class_of_type(t))?;
    for (name, value) in &attributes {
        map.serialize_entry(name, &Rich(value, mode.inside()))?;
    }
    map.end()
}

fn range(range: IntRange) -> Value {
    Value::Type(Type::Integer(range))
}

fn types(types: &[Type]) -> Value {
    Value::array(types.iter().cloned().map(Value::Type).collect())
}

/// The attributes of a type that are not at their defaults, in the order of the type's definition.
pub(super) fn attributes(t: &Type) -> Vec<(&'static str, Value)> {
    let text = |text: &Arc<str>| Value::from(text.clone());
    let mut out: Vec<(&'static str, Value)> = Vec::new();
    match t {
        Type::Integer(own) => {
            // An infinite end is written if a finite one follows.
            let open = own.upper().map(|_| ("from", Value::Undef));
            out.extend(own.lower().map(|n| ("from", Value::Int(n))).or(open));
            out.extend(own.upper().map(|n| ("to", Value::Int(n))));
        }
        Type::BigInteger(own) => {
            let open = own.to.as_ref().map(|_| ("from", Value::Undef));
            out.extend(own.from.clone().map(|n| ("from", Value::integer(n))).or(open));
            out.extend(own.to.clone().map(|n| ("to", Value::integer(n))));
        }
        Type::Float(own) => {
            let open = own.to.is_finite().then_some(("from", Value::Undef));
            out.extend(own.from.is_finite().then_some(("from", Value::Float(own.from))).or(open));
            out.extend(own.to.is_finite().then_some(("to", Value::Float(own.to))));
        }
        Type::StringSize(size) => out.push(("size_type_or_value", range(**size))),
        Type::StringValue(value) => out.push(("size_type_or_value", text(value))),
        Type::Enum(own) => {
            out.push(("values", Value::array(own.values.iter().map(text).collect())));
            out.extend(own.case_insensitive.then_some(("case_insensitive", Value::Bool(true))));
        }
        Type::Pattern(patterns) => {
            let patterns = patterns.iter().map(|regexp| Value::Type(Type::Regexp(Some(regexp.clone()))));
            out.push(("patterns", Value::array(patterns.collect())));
        }
        Type::Regexp(Some(regexp)) => out.push(("pattern", Value::str(regexp.source()))),
        Type::Collection(size) => out.extend(size.as_ref().map(|size| ("size_type", range(**size)))),
        Type::Array(own) => {
            let sized = own.size.is_some();
            out.extend((own.element != Type::Any || sized).then(|| ("element_type", Value::Type(own.element.clone()))));
            out.extend(own.size.map(|size| ("size_type", range(size))));
        }
        Type::Hash(own) => {
            let valued = own.value != Type::Any || own.size.is_some();
            out.extend((own.key != Type::Any || valued).then(|| ("key_type", Value::Type(own.key.clone()))));
            out.extend(valued.then(|| ("value_type", Value::Type(own.value.clone()))));
            out.extend(own.size.map(|size| ("size_type", range(size))));
        }
        Type::Tuple(own) => {
            out.push(("types", types(&own.types)));
            out.extend(own.size.map(|size| ("size_type", range(size))));
        }
        Type::Struct(elements) => out.push(("elements", Value::array(elements.iter().map(element).collect()))),
        Type::Variant(own) => out.push(("types", types(own))),
        Type::Optional(Some(inner))
        | Type::NotUndef(Some(inner))
        | Type::Iterable(Some(inner))
        | Type::Iterator(Some(inner))
        | Type::Type(Some(inner)) => out.push(("type", Value::Type((**inner).clone()))),
        Type::Callable(own) => out.extend(callable(own)),
        Type::Timestamp(Some(own)) => {
            out.extend(times(own, |n| Value::Timestamp(Arc::new(Timestamp::new(n)))));
        }
        Type::Timespan(Some(own)) => out.extend(times(own, |n| Value::Timespan(Arc::new(Timespan::new(n))))),
        Type::SemVer(ranges) if !ranges.is_empty() => {
            out.push(("ranges", Value::array(ranges.iter().cloned().map(Value::SemVerRange).collect())));
        }
        Type::Uri(Some(parts)) => out.push(("parameters", Value::Hash(parts.clone()))),
        Type::Init(own) => {
            out.extend(own.target.clone().map(|t| ("type", Value::Type(t))));
            out.extend((!own.args.is_empty()).then(|| ("init_args", Value::array(own.args.clone()))));
        }
        Type::Runtime(own) => {
            out.extend(own.runtime.as_ref().map(|name| ("runtime", Value::Symbol(name.clone()))));
            out.extend(own.name.clone().map(|name| ("name_or_pattern", name)));
        }
        Type::Object(own) => match &own.base {
            None => out.extend(object(own)),
            Some(base) => {
                out.push(("base_type", Value::Type(Type::Object(base.clone()))));
                out.push((
                    "init_parameters",
                    match own.written_parameters().as_slice() {
                        [named @ Value::Hash(_)] if own.parameters.len() > 2 => named.clone(),
                        listed => Value::array(listed.to_vec()),
                    },
                ));
            }
        },
        Type::Reference(name) => out.push(("type_string", text(name))),
        Type::Resource(own) => {
            out.extend(own.type_name.as_ref().map(|name| ("type_name", text(name))));
            out.extend(own.title.as_ref().map(|title| ("title", text(title))));
        }
        Type::Class(Some(name)) => out.push(("class_name", text(name))),
        _ => {}
    }
    out
}

/// A struct's element is an object of its own type.
pub(super) fn element(element: &StructElement) -> Value {
    let mut attributes = Hash::with_capacity(2);
    attributes.set("key_type", Value::Type(element.key_type()));
    attributes.set("value_type", Value::Type(element.value.clone()));
    Value::Object(Arc::new(Object { object_type: ObjectType::struct_element(), attributes }))
}

fn callable(own: &CallableType) -> [(&'static str, Value); 3] {
    let optional = |t: Option<Type>| t.map_or(Value::Undef, Value::Type);
    let params = own.params.as_ref().map(|params: &TupleType| Type::Tuple(Arc::new(params.clone())));
    [
        ("param_types", optional(params)),
        ("block_type", optional(own.block.clone())),
        ("return_type", optional(own.returns.clone())),
    ]
}

fn times(range: &TimeRange, value: impl Fn(i128) -> Value) -> Vec<(&'static str, Value)> {
    let ends = [("from", range.from), ("to", range.to)];
    let written = |(name, end): (&'static str, Option<i128>)| match end {
        Some(end) => Some((name, value(end))),
        None => (name == "from" && range.to.is_some()).then_some((name, Value::Undef)),
    };
    ends.into_iter().filter_map(written).collect()
}

fn object(own: &ObjectType) -> Option<(&'static str, Value)> {
    // The type of all objects is written with an empty definition.
    let init = own.definition.clone().or_else(|| own.is_any().then(Hash::new))?;
    Some(("_pcore_init_hash", Value::hash(init)))
}

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

use crate::types::ArrayType;
use crate::types::CallableType;
use crate::types::HashType;
use crate::types::IntRange;
use crate::types::ObjectType;
use crate::types::StructElement;
use crate::types::TupleType;
use crate::types::Type;
use crate::types::class_of_type;
use crate::value::Hash;
use crate::value::Object;
use crate::value::Timespan;
use crate::value::Timestamp;
use crate::value::Value;
use crate::value::big::to_float;
use crate::value::catalog_reference;
use crate::value::to_puppet_string;

/// The error for a type that contains itself.
const ENDLESS: &str =
    "Endless recursion detected when attempting to serialize value of class Puppet::Pops::Types::PTypeAliasType";

/// Whether writing a value fails because a type contains itself; this error comes before others.
pub fn is_endless(value: &Value) -> bool {
    find_unwritable(value) == Some(Unwritable::Endless)
}

/// A type that cannot be serialized.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unwritable {
    /// A type that contains itself.
    Endless,
    /// A type set.
    TypeSet,
}

fn find_unwritable(value: &Value) -> Option<Unwritable> {
    match value {
        Value::Array(items) => items.iter().find_map(find_unwritable),
        Value::Hash(entries) => {
            entries.iter().find_map(|(key, value)| find_unwritable(key).or_else(|| find_unwritable(value)))
        }
        Value::Sensitive(secret) => find_unwritable(secret),
        Value::Object(object) => object.attributes.values().find_map(find_unwritable),
        Value::Type(Type::Alias(alias)) if alias.is_recursive() => Some(Unwritable::Endless),
        Value::Type(Type::Alias(alias)) => find_unwritable(&Value::Type(alias.resolved()?.clone())),
        Value::Type(Type::TypeSet(_)) => Some(Unwritable::TypeSet),
        Value::Type(t) => attributes(t).iter().find_map(|(_, part)| find_unwritable(part)),
        _ => None,
    }
}

/// How values that JSON cannot express are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mode {
    /// With `__ptype` tags; else as strings.
    pub rich: bool,
    /// References as `File[/x]`, as catalogs have them; else as types.
    pub references_as_strings: bool,
    /// As a document in memory, whose numbers have 64 bits.
    document: bool,
}

impl Mode {
    /// Rich data as `catwalk eval --format rich` prints it.
    pub const RICH: Mode = Mode { rich: true, references_as_strings: false, document: false };
    /// Parameters of a catalog's resources, rich data on.
    pub const CATALOG: Mode = Mode { rich: true, references_as_strings: true, document: false };
    /// Parameters of a catalog's resources, rich data off.
    pub const CATALOG_PLAIN: Mode = Mode { rich: false, references_as_strings: true, document: false };

    /// The mode for values inside others, where a reference stays a type.
    fn inside(self) -> Mode {
        Mode { references_as_strings: self.references_as_strings && !self.rich, ..self }
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

fn serialize_big<S: Serializer>(n: &BigInt, mode: Mode, serializer: S) -> Result<S::Ok, S::Error> {
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
            Value::BigInt(n) => serialize_big(n, mode, serializer),
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
            Value::Hash(entries) => serialize_hash(entries, mode, serializer),
            Value::Sensitive(inner) => {
                let mut map = serializer.serialize_map(Some(2))?;
                map.serialize_entry("__ptype", "Sensitive")?;
                map.serialize_entry("__pvalue", &Rich(inner, mode.inside()))?;
                map.end()
            }
            Value::Type(t) if mode.references_as_strings && catalog_reference(t).is_some() => {
                serializer.serialize_str(&catalog_reference(t).unwrap_or_default())
            }
            _ if !mode.rich => serializer.serialize_str(&to_plain_string(value)),
            Value::Default => {
                let mut map = serializer.serialize_map(Some(1))?;
                map.serialize_entry("__ptype", "Default")?;
                map.end()
            }
            Value::Type(t) => serialize_type(t, mode, serializer),
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
            Value::Regexp(regexp) => serialize_tagged("Regexp", &regexp.source_with_options(), serializer),
            Value::Timestamp(_) => serialize_tagged("Timestamp", &to_puppet_string(value), serializer),
            Value::Timespan(_) => serialize_tagged("Timespan", &to_puppet_string(value), serializer),
            Value::SemVer(_) => serialize_tagged("SemVer", &to_puppet_string(value), serializer),
            Value::SemVerRange(_) => serialize_tagged("SemVerRange", &to_puppet_string(value), serializer),
            Value::Binary(_) => serialize_tagged("Binary", &to_puppet_string(value), serializer),
            Value::Uri(_) => serialize_tagged("URI", &to_puppet_string(value), serializer),
        }
    }
}

fn serialize_tagged<S: Serializer>(tag: &str, text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(2))?;
    map.serialize_entry("__ptype", tag)?;
    map.serialize_entry("__pvalue", text)?;
    map.end()
}

/// A value as a string, where rich data is off.
#[must_use]
pub(crate) fn to_plain_string(value: &Value) -> Arc<str> {
    to_puppet_string(value)
}

fn serialize_hash<S: Serializer>(entries: &Hash, mode: Mode, serializer: S) -> Result<S::Ok, S::Error> {
    let is_reference =
        |key: &Value| mode.references_as_strings && matches!(key, Value::Type(t) if catalog_reference(t).is_some());
    let plain = entries.keys().all(|key| key.as_str().map_or_else(|| is_reference(key), |key| key != "__ptype"));
    if plain || !mode.rich {
        let mut map = serializer.serialize_map(Some(entries.len()))?;
        for (key, value) in entries {
            match key {
                Value::Str(key) => map.serialize_entry(&**key, &Rich(value, mode))?,
                Value::Type(t) if is_reference(key) => {
                    map.serialize_entry(&catalog_reference(t).unwrap_or_default(), &Rich(value, mode))?;
                }
                other => map.serialize_entry(&*to_plain_string(other), &Rich(value, mode))?,
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

fn serialize_type<S: Serializer>(t: &Type, mode: Mode, serializer: S) -> Result<S::Ok, S::Error> {
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

fn size_type(size: IntRange) -> Value {
    Value::Type(Type::Integer(size))
}

fn types(types: &[Type]) -> Value {
    Value::array(types.iter().cloned().map(Value::Type).collect())
}

/// Attributes of a type by name.
type Attributes = Vec<(&'static str, Value)>;

/// The attributes of a type that are not at their defaults, in the order of the type's definition.
pub(super) fn attributes(t: &Type) -> Attributes {
    let string = |string: &Arc<str>| Value::from(string.clone());
    match t {
        Type::Integer(range) => range_ends(range.lower().map(Value::Int), range.upper().map(Value::Int)),
        Type::BigInteger(range) => {
            range_ends(range.from.clone().map(Value::integer), range.to.clone().map(Value::integer))
        }
        Type::Float(range) => {
            let finite = |end: f64| Some(Value::Float(end)).filter(|_| end.is_finite());
            range_ends(finite(range.from), finite(range.to))
        }
        Type::StringSize(size) => vec![("size_type_or_value", size_type(**size))],
        Type::StringValue(value) => vec![("size_type_or_value", string(value))],
        Type::Enum(values) => {
            let ignore_case = values.case_insensitive.then_some(("case_insensitive", Value::Bool(true)));
            let strings = ("values", Value::array(values.values.iter().map(string).collect()));
            std::iter::once(strings).chain(ignore_case).collect()
        }
        Type::Pattern(patterns) => {
            let patterns = patterns.iter().map(|regexp| Value::Type(Type::Regexp(Some(regexp.clone()))));
            vec![("patterns", Value::array(patterns.collect()))]
        }
        Type::Regexp(Some(regexp)) => vec![("pattern", Value::str(regexp.source()))],
        Type::Collection(size) => size.iter().map(|size| ("size_type", size_type(**size))).collect(),
        Type::Array(array) => array_attributes(array),
        Type::Hash(hash) => hash_attributes(hash),
        Type::Tuple(tuple) => {
            let size = tuple.size.map(|size| ("size_type", size_type(size)));
            std::iter::once(("types", types(&tuple.types))).chain(size).collect()
        }
        Type::Struct(elements) => vec![("elements", Value::array(elements.iter().map(element).collect()))],
        Type::Variant(variants) => vec![("types", types(variants))],
        Type::Optional(Some(inner))
        | Type::NotUndef(Some(inner))
        | Type::Iterable(Some(inner))
        | Type::Iterator(Some(inner))
        | Type::Type(Some(inner)) => vec![("type", Value::Type((**inner).clone()))],
        Type::Callable(callable) => callable_attributes(callable),
        Type::Timestamp(Some(range)) => {
            let time = |n: i128| Value::Timestamp(Arc::new(Timestamp::new(n)));
            range_ends(range.from.map(time), range.to.map(time))
        }
        Type::Timespan(Some(range)) => {
            let time = |n: i128| Value::Timespan(Arc::new(Timespan::new(n)));
            range_ends(range.from.map(time), range.to.map(time))
        }
        Type::SemVer(ranges) if !ranges.is_empty() => {
            vec![("ranges", Value::array(ranges.iter().cloned().map(Value::SemVerRange).collect()))]
        }
        Type::Uri(Some(parts)) => vec![("parameters", Value::Hash(parts.clone()))],
        Type::Init(init) => {
            let args = (!init.args.is_empty()).then(|| ("init_args", Value::array(init.args.clone())));
            let target = init.target.clone().map(|t| ("type", Value::Type(t)));
            target.into_iter().chain(args).collect()
        }
        Type::Runtime(runtime) => {
            let language = runtime.runtime.as_ref().map(|name| ("runtime", Value::Symbol(name.clone())));
            language.into_iter().chain(runtime.name.clone().map(|name| ("name_or_pattern", name))).collect()
        }
        Type::Object(object) => object_attributes(object),
        Type::Reference(name) => vec![("type_string", string(name))],
        Type::Resource(resource) => {
            let type_name = resource.type_name.as_ref().map(|name| ("type_name", string(name)));
            type_name.into_iter().chain(resource.title.as_ref().map(|title| ("title", string(title)))).collect()
        }
        Type::Class(Some(name)) => vec![("class_name", string(name))],
        _ => Vec::new(),
    }
}

/// The ends of a range. An open lower end is written if the upper end is not open.
fn range_ends(from: Option<Value>, to: Option<Value>) -> Attributes {
    let from = from.or(to.is_some().then_some(Value::Undef));
    from.map(|from| ("from", from)).into_iter().chain(to.map(|to| ("to", to))).collect()
}

fn array_attributes(array: &ArrayType) -> Attributes {
    let size = array.size.map(|size| ("size_type", size_type(size)));
    let has_element_type = array.element != Type::Any || size.is_some();
    let element = has_element_type.then(|| ("element_type", Value::Type(array.element.clone())));
    element.into_iter().chain(size).collect()
}

fn hash_attributes(hash: &HashType) -> Attributes {
    let size = hash.size.map(|size| ("size_type", size_type(size)));
    let has_value_type = hash.value != Type::Any || size.is_some();
    let has_key_type = hash.key != Type::Any || has_value_type;
    let key = has_key_type.then(|| ("key_type", Value::Type(hash.key.clone())));
    let value = has_value_type.then(|| ("value_type", Value::Type(hash.value.clone())));
    key.into_iter().chain(value).chain(size).collect()
}

/// The element of a struct as an object of the type `Pcore::StructElement`.
pub(super) fn element(element: &StructElement) -> Value {
    let mut attributes = Hash::with_capacity(2);
    attributes.set("key_type", Value::Type(element.key_type()));
    attributes.set("value_type", Value::Type(element.value.clone()));
    Value::Object(Arc::new(Object { object_type: ObjectType::struct_element(), attributes }))
}

fn callable_attributes(callable: &CallableType) -> Attributes {
    let optional = |t: Option<Type>| t.map_or(Value::Undef, Value::Type);
    let params = callable.params.as_ref().map(|params: &TupleType| Type::Tuple(Arc::new(params.clone())));
    vec![
        ("param_types", optional(params)),
        ("block_type", optional(callable.block.clone())),
        ("return_type", optional(callable.returns.clone())),
    ]
}

fn object_attributes(object: &ObjectType) -> Attributes {
    let Some(base) = &object.base else {
        // The type of all objects is written with an empty definition.
        let definition = object.definition.clone().or_else(|| object.is_any().then(Hash::new));
        return definition.map(|definition| ("_pcore_init_hash", Value::hash(definition))).into_iter().collect();
    };
    let parameters = match object.written_parameters().as_slice() {
        [by_name @ Value::Hash(_)] if object.parameters.len() > 2 => by_name.clone(),
        by_position => Value::array(by_position.to_vec()),
    };
    vec![("base_type", Value::Type(Type::Object(base.clone()))), ("init_parameters", parameters)]
}

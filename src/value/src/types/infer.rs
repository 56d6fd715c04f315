//! The type of a value, and the general form of a type.

use std::sync::Arc;

use crate::types::BigRange;
use crate::types::CallableType;
use crate::types::HashType;
use crate::types::IntRange;
use crate::types::RuntimeType;
use crate::types::StructElement;
use crate::types::TimeRange;
use crate::types::TupleType;
use crate::types::Type;
use crate::types::common_type;
use crate::types::len;
use crate::value::SemVerRange;
use crate::value::Value;
use catwalk_base::meter;

/// The type of a value, with the common type of the elements of a collection: `Array[Integer[1, 2], 2, 2]` for
/// `[1, 2]`. The function `type` calls this `reduced`.
#[must_use]
pub fn infer(value: &Value) -> Type {
    match value {
        Value::Array(items) => {
            if items.is_empty() {
                return Type::empty_array();
            }
            Type::array(reduce(items.iter()), Some(IntRange::exactly(len(items.len()))))
        }
        Value::Hash(entries) => {
            if entries.is_empty() {
                return Type::empty_hash();
            }
            let size = IntRange::exactly(len(entries.len()));
            Type::hash(reduce(entries.keys()), reduce(entries.values()), Some(size))
        }
        _ => infer_single(value),
    }
}

/// The type of a value with a type for each position and key: `Tuple[Integer[1, 1], Integer[2, 2]]`. The function
/// `type` calls this `detailed`.
#[must_use]
pub fn infer_set(value: &Value) -> Type {
    match value {
        Value::Array(items) => {
            meter::tick(items.len());
            if items.is_empty() {
                return Type::empty_array();
            }
            Type::Tuple(Arc::new(TupleType { types: items.iter().map(infer_set).collect(), size: None }))
        }
        Value::Hash(entries) => {
            if entries.is_empty() {
                return Type::empty_hash();
            }
            meter::tick(entries.len());
            if entries.keys().all(|key| key.as_str().is_some_and(|text| !text.is_empty())) {
                let elements = entries.iter().filter_map(|(key, value)| match key {
                    Value::Str(name) => {
                        Some(StructElement { name: name.to_shared(), optional: false, value: infer_set(value) })
                    }
                    _ => None,
                });
                return Type::Struct(elements.collect());
            }
            let key = Type::variant(entries.keys().map(infer_set).collect());
            let value = Type::variant(entries.values().map(infer_set).collect());
            Type::hash(key, value, Some(IntRange::exactly(len(entries.len()))))
        }
        Value::SemVer(version) => Type::SemVer(Arc::from(vec![Arc::new(SemVerRange::exactly(version))])),
        _ => infer_single(value),
    }
}

fn infer_single(value: &Value) -> Type {
    match value {
        Value::Undef => Type::Undef,
        Value::Default => Type::Default,
        Value::Symbol(_) => Type::Runtime(ruby_class("Symbol")),
        Value::Ruby(object) => match object.class_name() {
            Some(name) => Type::Runtime(ruby_class(name)),
            None => Type::Runtime(Arc::new(RuntimeType { runtime: Some(Arc::from("ruby")), name: None })),
        },
        Value::Bool(b) => Type::Boolean(Some(*b)),
        Value::Int(n) => Type::Integer(IntRange::exactly(*n)),
        Value::BigInt(n) => Type::integer(BigRange { from: Some((**n).clone()), to: Some((**n).clone()) }),
        Value::Float(f) => Type::Float(crate::types::FloatRange { from: *f, to: *f }),
        Value::Str(text) => Type::StringValue(text.to_shared()),
        Value::Regexp(regexp) => Type::Regexp(Some(regexp.clone())),
        Value::Type(Type::Resource(resource)) if resource.resolved => {
            let type_name = resource.type_name.as_deref().unwrap_or("");
            match resource.title.as_deref() {
                // Class names are capitalized here; this is the title of Ruby's symbol for the class without a name.
                Some("main") if type_name == "Class" => Type::type_of(Type::class_of_no_name()),
                _ => Type::type_of(Type::resource(type_name, resource.title.clone())),
            }
        }
        Value::Type(t) => Type::type_of(t.clone()),
        Value::Sensitive(inner) => Type::sensitive(&infer(inner)),
        Value::Timestamp(time) => Type::Timestamp(Some(Arc::new(single_time(time.nanoseconds())))),
        Value::Timespan(time) => Type::Timespan(Some(Arc::new(single_time(time.nanoseconds())))),
        Value::SemVer(_) => Type::any_semver(),
        Value::SemVerRange(_) => Type::SemVerRange,
        Value::Binary(_) => Type::Binary,
        Value::Uri(uri) => Type::Uri(uri.type_parameters().map(Arc::new)),
        Value::Iterator(iter) if let Some(class) = iter.tree_class() => Type::Runtime(ruby_class(class)),
        Value::Iterator(iter) => Type::Iterator(Some(Arc::new(iter.element_type()))),
        Value::Object(object) => Type::Object(with_own_parameters(object)),
        Value::Array(_) => Type::any_array(),
        Value::Hash(_) => Type::any_hash(),
    }
}

/// `Runtime[ruby, 'CLASS']`
fn ruby_class(name: &str) -> Arc<RuntimeType> {
    Arc::new(RuntimeType { runtime: Some(Arc::from("ruby")), name: Some(Value::str(name)) })
}

fn single_time(nanoseconds: i128) -> TimeRange {
    TimeRange { from: Some(nanoseconds), to: Some(nanoseconds), ..TimeRange::default() }
}

/// The common type of values.
fn reduce<'a>(values: impl Iterator<Item = &'a Value> + Clone) -> Type {
    // Strings reduce to the enum of all of them; reducing pairs would copy the enum each time.
    if values.clone().all(|value| matches!(value, Value::Str(_))) {
        let mut strings: Vec<Arc<str>> = values
            .filter_map(|value| match value {
                Value::Str(text) => Some(text.to_shared()),
                _ => None,
            })
            .collect();
        strings.sort();
        strings.dedup();
        return match strings.as_slice() {
            [one] => Type::StringValue(one.clone()),
            _ => Type::enumeration(strings, false),
        };
    }
    let mut memo: Option<Type> = None;
    for value in values {
        meter::tick(0);
        let next = infer(value);
        memo = Some(match memo {
            None => next,
            Some(memo) => common_type(&memo, &next),
        });
    }
    memo.unwrap_or(Type::Unit)
}

fn generalize_shared(inner: Option<&Arc<Type>>) -> Option<Arc<Type>> {
    inner.map(|inner| Arc::new(generalize(inner)))
}

/// The type without sizes, ranges and single values: `Array[Integer]` for `Array[Integer[1, 2], 2, 2]`.
#[must_use]
pub fn generalize(t: &Type) -> Type {
    match t {
        Type::Boolean(_) => Type::Boolean(None),
        Type::Integer(_) | Type::BigInteger(_) => Type::INTEGER,
        Type::Float(_) => Type::FLOAT,
        Type::String | Type::StringSize(_) | Type::StringValue(_) => Type::String,
        Type::Enum(values) => {
            let sizes: Vec<i64> = values.values.iter().map(|value| len(value.chars().count())).collect();
            match (sizes.iter().min(), sizes.iter().max()) {
                (Some(min), Some(max)) => Type::string_size(IntRange::new(Some(*min), Some(*max))),
                _ => Type::String,
            }
        }
        Type::Collection(_) => Type::Collection(None),
        Type::Array(array) => {
            if array.element == Type::Any {
                return Type::any_array();
            }
            Type::array(generalize(&array.element), None)
        }
        Type::Hash(hash) => {
            if *t == Type::any_hash() || *t == Type::empty_hash() {
                return t.clone();
            }
            Type::Hash(Arc::new(HashType { key: generalize(&hash.key), value: generalize(&hash.value), size: None }))
        }
        Type::Tuple(tuple) => Type::tuple(tuple.types.iter().map(generalize).collect(), tuple.size),
        Type::Struct(elements) => Type::Struct(
            elements
                .iter()
                .map(|element| StructElement { value: generalize(&element.value), ..element.clone() })
                .collect(),
        ),
        Type::Variant(types) if !types.is_empty() => Type::variant(types.iter().map(generalize).collect()),
        Type::Optional(inner) => Type::Optional(generalize_shared(inner.as_ref())),
        Type::NotUndef(inner) => Type::NotUndef(generalize_shared(inner.as_ref())),
        Type::Iterable(inner) => Type::Iterable(generalize_shared(inner.as_ref())),
        Type::Iterator(inner) => Type::Iterator(generalize_shared(inner.as_ref())),
        Type::Type(inner) => Type::Type(generalize_shared(inner.as_ref())),
        Type::Sensitive(inner) => Type::Sensitive(generalize_shared(inner.as_ref())),
        Type::Callable(callable) => Type::Callable(Arc::new(CallableType {
            params: callable
                .params
                .as_ref()
                .map(|params| TupleType { types: params.types.iter().map(generalize).collect(), size: params.size }),
            block: callable.block.as_ref().map(generalize),
            returns: callable.returns.as_ref().map(generalize),
        })),
        Type::Timestamp(_) => Type::Timestamp(None),
        Type::Timespan(_) => Type::Timespan(None),
        Type::Uri(_) => Type::Uri(None),
        Type::Object(object) => Type::Object(object.base.clone().unwrap_or_else(|| object.clone())),
        _ => t.clone(),
    }
}

/// The type of an object: if it has type parameters, with the values of the object's attributes.
/// (PObjectTypeExtension.create_from_instance)
fn with_own_parameters(object: &crate::value::Object) -> Arc<crate::types::ObjectType> {
    let plain = &object.object_type;
    let parameters = plain.all_type_parameters();
    if parameters.is_empty() {
        return plain.clone();
    }
    let values: Vec<Value> =
        parameters.iter().map(|parameter| object.get(&parameter.name).unwrap_or(Value::Undef)).collect();
    plain.with_parameters(&values).map_or_else(|_| plain.clone(), Arc::new)
}

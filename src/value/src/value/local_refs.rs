//! Values as data in which an object that occurs twice is written once (Puppet::Pops::Serialization::ToDataConverter with local
//! references).
//!
//! In: a value. Out: data; the second occurrence of an object becomes a `LocalRef` with the path of the first. Must not:
//! serialize.

use std::collections::HashMap;
use std::sync::Arc;

use crate::types::Type;
use crate::types::class_of_type;
use crate::value::Hash;
use crate::value::Value;
use crate::value::puppet_quote;
use crate::value::rich;
use crate::value::to_puppet_string;

/// The deepest nesting of a value.
const MAX_DEPTH: usize = 1000;

/// The identity of a value: its address, or its name for a unique object.
#[derive(PartialEq, Eq, Hash)]
enum Identity {
    Address(usize),
    Name(String),
}

/// A step of a path; `None` for a key that cannot be in a path.
type Step = Option<String>;

struct Converter {
    path: Vec<Step>,
    /// The path of the first occurrence; `None` if no path leads there.
    first_paths: HashMap<Identity, Option<Arc<str>>>,
    inside: Vec<Identity>,
    /// Temporary values, kept alive so that their addresses are not reused.
    temporaries: Vec<Value>,
}

/// Converts a value to data.
///
/// # Errors
/// The value cannot be written.
pub fn to_data(value: &Value) -> Result<Value, String> {
    Converter { path: Vec::new(), first_paths: HashMap::new(), inside: Vec::new(), temporaries: Vec::new() }
        .convert(value)
}

fn tagged(tag: &str, value: Option<Value>) -> Hash {
    let mut out = Hash::new();
    out.set("__ptype", Value::from(tag));
    if let Some(value) = value {
        out.set("__pvalue", value);
    }
    out
}

fn step(key: &Value) -> Step {
    match key {
        Value::Str(text) => Some(format!("[{}]", puppet_quote(text))),
        Value::Undef => Some("[null]".to_owned()),
        Value::Bool(_) | Value::Int(_) | Value::BigInt(_) | Value::Float(_) => {
            Some(format!("[{}]", to_puppet_string(key)))
        }
        _ => None,
    }
}

/// Types without parameters are one object each, and so are aliases.
fn identity_of(value: &Value) -> Option<Identity> {
    let address = |pointer: *const ()| Some(Identity::Address(pointer.addr()));
    match value {
        Value::Array(items) => address(Arc::as_ptr(items).cast()),
        Value::Hash(entries) => address(Arc::as_ptr(entries).cast()),
        Value::Sensitive(inner) => address(Arc::as_ptr(inner).cast()),
        Value::Object(object) => address(Arc::as_ptr(object).cast()),
        Value::Type(t) => match t {
            Type::Alias(alias) => Some(Identity::Name(alias.name().to_owned())),
            Type::Boolean(_) => Some(Identity::Name(t.to_string())),
            t if !matches!(t, Type::StringValue(_)) && !t.to_string().contains('[') => {
                Some(Identity::Name(t.to_string()))
            }
            Type::Array(inner) => address(Arc::as_ptr(inner).cast()),
            Type::Hash(inner) => address(Arc::as_ptr(inner).cast()),
            Type::Tuple(inner) => address(Arc::as_ptr(inner).cast()),
            Type::Struct(parts) => address(parts.as_ptr().cast()),
            Type::Variant(parts) => address(parts.as_ptr().cast()),
            Type::Callable(inner) => address(Arc::as_ptr(inner).cast()),
            Type::Enum(inner) => address(Arc::as_ptr(inner).cast()),
            Type::Object(inner) => address(Arc::as_ptr(inner).cast()),
            Type::Resource(inner) => address(Arc::as_ptr(inner).cast()),
            Type::Init(inner) => address(Arc::as_ptr(inner).cast()),
            Type::Runtime(inner) => address(Arc::as_ptr(inner).cast()),
            Type::Optional(Some(inner))
            | Type::NotUndef(Some(inner))
            | Type::Iterable(Some(inner))
            | Type::Iterator(Some(inner))
            | Type::Sensitive(Some(inner))
            | Type::Type(Some(inner)) => address(Arc::as_ptr(inner).cast()),
            _ => None,
        },
        _ => None,
    }
}

/// Puppet's message for a value whose type has no Ruby class.
fn no_class(value: &Value) -> String {
    let t = Value::Type(crate::types::infer(value));
    format!("undefined method `implementation_class' for {}", crate::value::ruby::plain_receiver(&t))
}

impl Converter {
    fn convert(&mut self, value: &Value) -> Result<Value, String> {
        if self.path.len() > MAX_DEPTH {
            return Err("the value is nested too deeply".to_owned());
        }
        match value {
            Value::Undef | Value::Bool(_) | Value::Int(_) | Value::BigInt(_) | Value::Float(_) | Value::Str(_) => {
                Ok(value.clone())
            }
            // Tree iterators are Ruby objects; Puppet fails while it warns about them.
            Value::Iterator(iter) if iter.tree_class().is_some() => {
                let converter = "#<Puppet::Pops::Serialization::ToDataConverter>";
                Err(format!("undefined local variable or method `stacktrace' for {converter}"))
            }
            // Ruby has no class from which they could be recreated. (`ToDataConverter#value_to_data_hash`)
            Value::Type(Type::Resource(resource)) if resource.resolved => Err(no_class(value)),
            Value::Iterator(_) => Err(no_class(value)),
            Value::Symbol(name) => Ok(Value::hash(tagged("Symbol", Some(Value::from(name.clone()))))),
            Value::Ruby(object) => Ok(Value::from(object.text.clone())),
            Value::Default => Ok(Value::hash(tagged("Default", None))),
            Value::Array(_) | Value::Hash(_) | Value::Sensitive(_) | Value::Object(_) | Value::Type(_) => {
                self.convert_once(value)
            }
            Value::Regexp(regexp) => Ok(Value::hash(tagged("Regexp", Some(Value::str(regexp.source_with_options()))))),
            other => {
                let tag = crate::types::infer(other);
                Ok(Value::hash(tagged(tag.simple_name(), Some(Value::from(to_puppet_string(other))))))
            }
        }
    }

    /// Converts the first occurrence of a value; later occurrences become references.
    fn convert_once(&mut self, value: &Value) -> Result<Value, String> {
        let Some(identity) = identity_of(value) else { return self.convert_parts(value) };
        match self.first_paths.get(&identity) {
            Some(Some(path)) => Ok(Value::hash(tagged("LocalRef", Some(Value::from(path.clone()))))),
            Some(None) => {
                if self.inside.contains(&identity) {
                    let class = crate::value::ruby::class_name(value);
                    return Err(format!(
                        "Endless recursion detected when attempting to serialize value of class {class}"
                    ));
                }
                self.inside.push(identity);
                let data = self.convert_parts(value);
                self.inside.pop();
                data
            }
            None => {
                let path: Option<String> = self.path.iter().map(Option::as_deref).collect();
                self.first_paths.insert(identity, path.map(|path| Arc::from(format!("${path}"))));
                self.convert_parts(value)
            }
        }
    }

    fn convert_at(&mut self, key: &Value, value: &Value) -> Result<Value, String> {
        self.path.push(step(key));
        let data = self.convert(value);
        self.path.pop();
        data
    }

    fn convert_parts(&mut self, value: &Value) -> Result<Value, String> {
        match value {
            Value::Array(items) => {
                let convert = |(at, item): (i64, &Value)| self.convert_at(&Value::Int(at), item);
                Ok(Value::array((0..).zip(items.iter()).map(convert).collect::<Result<_, _>>()?))
            }
            Value::Hash(entries) => self.convert_hash(entries),
            Value::Sensitive(inner) => Ok(Value::hash(tagged("Sensitive", Some(self.convert(inner)?)))),
            Value::Object(object) => self.convert_attributes(object.type_name(), object.data_hash().iter()),
            Value::Type(t) => self.convert_type(t),
            other => Ok(other.clone()),
        }
    }

    fn convert_hash(&mut self, entries: &Hash) -> Result<Value, String> {
        if entries.keys().all(|key| key.as_str().is_some_and(|key| key != "__ptype")) {
            let convert = |(key, value): (&Value, &Value)| Ok((key.clone(), self.convert_at(key, value)?));
            return Ok(Value::hash(entries.iter().map(convert).collect::<Result<Hash, String>>()?));
        }
        let mut flat = Vec::with_capacity(entries.len() * 2);
        for (key, value) in entries {
            let key = self.convert(key)?;
            let value = self.convert_at(&key, value)?;
            flat.extend([key, value]);
        }
        Ok(Value::hash(tagged("Hash", Some(Value::array(flat)))))
    }

    fn convert_attributes<'v>(
        &mut self,
        name: &str,
        attributes: impl Iterator<Item = (&'v Value, &'v Value)>,
    ) -> Result<Value, String> {
        let mut out = tagged(name, None);
        for (key, value) in attributes {
            let value = self.convert_at(key, value)?;
            out.insert(key.clone(), value);
        }
        Ok(Value::hash(out))
    }

    fn convert_type(&mut self, t: &Type) -> Result<Value, String> {
        let name = class_of_type(t);
        let attributes: Vec<(Value, Value)> = match t {
            Type::Alias(alias) => {
                let resolved = alias.resolved().map_or(Value::Undef, |inner| Value::Type(inner.clone()));
                let attributes =
                    [("name", Value::str(alias.name())), ("type_expr", Value::Undef), ("resolved_type", resolved)];
                let attributes =
                    attributes.into_iter().map(|(key, value)| (Value::from(key), value)).collect::<Vec<_>>();
                let attributes = attributes.iter().map(|(key, value)| (key, value));
                return self.convert_attributes("Pcore::TypeAliasType", attributes);
            }
            // Puppet does not find the arguments of its initializer.
            Type::TypeSet(_) => {
                return Err(
                    "Initializer for class Puppet::Pops::Types::PTypeSetType parameter 'name_or_init_hash' does not \
                     match any of the the attributes of type Pcore::TypeSetType"
                        .to_owned(),
                );
            }
            t => rich::attributes(t).into_iter().map(|(key, value)| (Value::from(key), value)).collect(),
        };
        self.temporaries.extend(attributes.iter().map(|(_, value)| value.clone()));
        let mut out = tagged(&name, None);
        for (key, value) in &attributes {
            let data = self.convert_at(key, value)?;
            out.insert(key.clone(), data);
        }
        Ok(Value::hash(out))
    }
}

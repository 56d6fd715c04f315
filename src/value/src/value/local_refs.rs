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
    Place(usize),
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

/// The data of a value.
///
/// # Errors
/// The value cannot be written.
pub fn to_data(value: &Value) -> Result<Value, String> {
    Converter { path: Vec::new(), first_paths: HashMap::new(), inside: Vec::new(), temporaries: Vec::new() }.data(value)
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
fn identity(value: &Value) -> Option<Identity> {
    let place = |place: *const ()| Some(Identity::Place(place.addr()));
    match value {
        Value::Array(items) => place(Arc::as_ptr(items).cast()),
        Value::Hash(entries) => place(Arc::as_ptr(entries).cast()),
        Value::Sensitive(inner) => place(Arc::as_ptr(inner).cast()),
        Value::Object(object) => place(Arc::as_ptr(object).cast()),
        Value::Type(t) => match t {
            Type::Alias(alias) => Some(Identity::Name(alias.name().to_owned())),
            Type::Boolean(_) => Some(Identity::Name(t.to_string())),
            t if !matches!(t, Type::StringValue(_)) && !t.to_string().contains('[') => {
                Some(Identity::Name(t.to_string()))
            }
            Type::Array(own) => place(Arc::as_ptr(own).cast()),
            Type::Hash(own) => place(Arc::as_ptr(own).cast()),
            Type::Tuple(own) => place(Arc::as_ptr(own).cast()),
            Type::Struct(own) => place(own.as_ptr().cast()),
            Type::Variant(own) => place(own.as_ptr().cast()),
            Type::Callable(own) => place(Arc::as_ptr(own).cast()),
            Type::Enum(own) => place(Arc::as_ptr(own).cast()),
            Type::Object(own) => place(Arc::as_ptr(own).cast()),
            Type::Resource(own) => place(Arc::as_ptr(own).cast()),
            Type::Init(own) => place(Arc::as_ptr(own).cast()),
            Type::Runtime(own) => place(Arc::as_ptr(own).cast()),
            Type::Optional(Some(own))
            | Type::NotUndef(Some(own))
            | Type::Iterable(Some(own))
            | Type::Iterator(Some(own))
            | Type::Sensitive(Some(own))
            | Type::Type(Some(own)) => place(Arc::as_ptr(own).cast()),
            _ => None,
        },
        _ => None,
    }
}

/// Puppet's message for a value whose type has no Ruby class.
fn no_class(value: &Value) -> String {
    let own = Value::Type(crate::types::infer(value));
    format!("undefined method `implementation_class' for {}", crate::value::ruby::plain_receiver(&own))
}

impl Converter {
    fn data(&mut self, value: &Value) -> Result<Value, String> {
        if self.path.len() > MAX_DEPTH {
            return Err("the value is nested too deeply".to_owned());
        }
        match value {
            Value::Undef | Value::Bool(_) | Value::Int(_) | Value::BigInt(_) | Value::Float(_) | Value::Str(_) => {
                Ok(value.clone())
            }
            // Tree iterators are objects of Ruby, about which Puppet fails to warn.
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
                self.once(value)
            }
            Value::Regexp(regexp) => Ok(Value::hash(tagged("Regexp", Some(Value::str(regexp.source_with_options()))))),
            other => {
                let tag = crate::types::infer(other);
                Ok(Value::hash(tagged(tag.simple_name(), Some(Value::from(to_puppet_string(other))))))
            }
        }
    }

    /// The second occurrence becomes a reference.
    fn once(&mut self, value: &Value) -> Result<Value, String> {
        let Some(known) = identity(value) else { return self.inner(value) };
        match self.first_paths.get(&known) {
            Some(Some(path)) => Ok(Value::hash(tagged("LocalRef", Some(Value::from(path.clone()))))),
            Some(None) => {
                if self.inside.contains(&known) {
                    let class = crate::value::ruby::class_name(value);
                    return Err(format!(
                        "Endless recursion detected when attempting to serialize value of class {class}"
                    ));
                }
                self.inside.push(known);
                let made = self.inner(value);
                self.inside.pop();
                made
            }
            None => {
                let path: Option<String> = self.path.iter().map(Option::as_deref).collect();
                self.first_paths.insert(known, path.map(|path| Arc::from(format!("${path}"))));
                self.inner(value)
            }
        }
    }

    fn below(&mut self, key: &Value, value: &Value) -> Result<Value, String> {
        self.path.push(step(key));
        let made = self.data(value);
        self.path.pop();
        made
    }

    fn inner(&mut self, value: &Value) -> Result<Value, String> {
        match value {
            Value::Array(items) => {
                let below = |(at, item): (i64, &Value)| self.below(&Value::Int(at), item);
                Ok(Value::array((0..).zip(items.iter()).map(below).collect::<Result<_, _>>()?))
            }
            Value::Hash(entries) => self.hash(entries),
            Value::Sensitive(inner) => Ok(Value::hash(tagged("Sensitive", Some(self.data(inner)?)))),
            Value::Object(object) => self.attributes(object.type_name(), object.data_hash().iter()),
            Value::Type(t) => self.of_type(t),
            other => Ok(other.clone()),
        }
    }

    fn hash(&mut self, entries: &Hash) -> Result<Value, String> {
        if entries.keys().all(|key| key.as_str().is_some_and(|key| key != "__ptype")) {
            let below = |(key, value): (&Value, &Value)| Ok((key.clone(), self.below(key, value)?));
            return Ok(Value::hash(entries.iter().map(below).collect::<Result<Hash, String>>()?));
        }
        let mut flat = Vec::with_capacity(entries.len() * 2);
        for (key, value) in entries {
            let key = self.data(key)?;
            let value = self.below(&key, value)?;
            flat.extend([key, value]);
        }
        Ok(Value::hash(tagged("Hash", Some(Value::array(flat)))))
    }

    fn attributes<'v>(
        &mut self,
        name: &str,
        attributes: impl Iterator<Item = (&'v Value, &'v Value)>,
    ) -> Result<Value, String> {
        let mut out = tagged(name, None);
        for (key, value) in attributes {
            let value = self.below(key, value)?;
            out.insert(key.clone(), value);
        }
        Ok(Value::hash(out))
    }

    fn of_type(&mut self, t: &Type) -> Result<Value, String> {
        let name = class_of_type(t);
        let attributes: Vec<(Value, Value)> = match t {
            Type::Alias(alias) => {
                let resolved = alias.resolved().map_or(Value::Undef, |inner| Value::Type(inner.clone()));
                let named =
                    [("name", Value::str(alias.name())), ("type_expr", Value::Undef), ("resolved_type", resolved)];
                let named = named.into_iter().map(|(key, value)| (Value::from(key), value)).collect::<Vec<_>>();
                let named = named.iter().map(|(key, value)| (key, value));
                return self.attributes("Pcore::TypeAliasType", named);
            }
            // It calls a method that does not exist, since it was not made from a hash.
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
            let data = self.below(key, value)?;
            out.insert(key.clone(), data);
        }
        Ok(Value::hash(out))
    }
}

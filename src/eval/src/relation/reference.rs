//! References in values: the resources that a parameter names, and how they are stored.
//!
//! In: values with references. Out: references of the catalog, values that contain them. Must not: know arrows.

use std::borrow::Cow;
use std::sync::Arc;

use num_bigint::BigInt;
use num_bigint::Sign;

use crate::Evaluator;
use crate::Res;
use crate::Stop;
use crate::register::split_reference;
use catwalk_base::diag::Code;
use catwalk_base::diag::Reason;
use catwalk_base::names::Name;
use catwalk_value::Hash;
use catwalk_value::Type;
use catwalk_value::Value;
use catwalk_value::big;
use catwalk_value::ruby;

/// Type and title, as the catalog writes them.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Reference {
    /// The type, capitalized.
    pub type_name: Name,
    /// The title; class titles are capitalized.
    pub title: Arc<str>,
}

impl std::fmt::Display for Reference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}[{}]", self.type_name, self.title)
    }
}

fn holds_reference(value: &Value) -> bool {
    contains_value(value, |value| {
        matches!(
            value,
            Value::Type(Type::Resource(_) | Type::Class(_) | Type::CatalogEntry)
                | Value::Iterator(_)
                | Value::BigInt(_)
        )
    })
}

/// Whether a value, or one inside it, satisfies a predicate.
fn contains_value(value: &Value, predicate: fn(&Value) -> bool) -> bool {
    match value {
        Value::Array(items) => items.iter().any(|item| contains_value(item, predicate)),
        Value::Hash(entries) => {
            entries.iter().any(|(key, value)| contains_value(key, predicate) || contains_value(value, predicate))
        }
        value => predicate(value),
    }
}

/// The error for an integer beyond 64 bits, which the catalog and 3.x functions do not accept.
/// (`Runtime3Converter#convert_Integer`)
pub(crate) fn integer_too_large(n: &BigInt) -> Reason {
    let (end, hex) = match n.sign() {
        Sign::Minus => ("min", format!("..{}", big::complement(n, 4))),
        _ => ("max", n.to_str_radix(16)),
    };
    Reason::new(
        Code::NOT_CONVERTIBLE,
        format!("Use of a Ruby Integer outside of Puppet Integer {end} range, got '0x{hex}'"),
    )
}

/// A reference as a value.
pub(crate) fn reference_value(reference: &Reference) -> Value {
    Value::Type(Type::resolved_resource(reference.type_name, reference.title.clone()))
}

impl<'c> Evaluator<'c> {
    /// A reference type as the catalog stores it. A type that does not exist becomes a class, as in Puppet; the class without a
    /// name is `main`.
    pub fn catalog_reference(&self, data_type: &Type) -> Res<Reference> {
        let class = catwalk_base::name!("Class");
        let class_title = |name: &str| match name {
            "" => Arc::from("main"),
            name => Name::new(name).capitalized().shared(),
        };
        let absolute_title = |name: &str| class_title(name.strip_prefix("::").unwrap_or(name));
        let no_title = || Err(Stop::runtime("No title provided and \"class\" is not a valid resource reference"));
        match data_type {
            Type::Class(Some(name)) => Ok(Reference { type_name: class, title: absolute_title(name) }),
            Type::Resource(resource) => {
                let Some(name) = resource.type_name.as_deref() else {
                    return Err(Stop::runtime("undefined method `include?' for nil:NilClass"));
                };
                if let Some(title) = resource.title.clone().filter(|_| resource.resolved) {
                    return Ok(Reference { type_name: Name::new(name), title });
                }
                let type_name = Name::new(name);
                let title = || resource.title.clone().unwrap_or_else(|| Arc::from(""));
                if let Some(known) = self.state.types.referenced_types.borrow().get(&type_name) {
                    return Ok(Reference { type_name: *known, title: title() });
                }
                let name = name.strip_prefix("::").unwrap_or(name).to_lowercase();
                if name == "class" && resource.title.is_none() {
                    return no_title();
                }
                let title = title();
                if name == "class" {
                    return Ok(Reference { type_name: class, title: absolute_title(&title) });
                }
                // The type of instances of definitions also represents classes. (`Puppet::Resource.munge_type_name`)
                if name == "component" {
                    return Ok(Reference { type_name: class, title: class_title(&title) });
                }
                match self.loaded_resource_type(Name::new(&name))? {
                    Some(found) => {
                        self.state.types.referenced_types.borrow_mut().insert(type_name, found.type_name());
                        Ok(Reference { type_name: found.type_name(), title })
                    }
                    None if name == "node" => Ok(Reference { type_name: catwalk_base::name!("Node"), title }),
                    None => Ok(Reference { type_name: class, title: class_title(&title) }),
                }
            }
            _ => no_title(),
        }
    }

    /// Converts a value to a reference: a reference type, or a string such as `File[/x]`.
    pub(crate) fn reference_of_value(&self, value: &Value) -> Res<Reference> {
        match value {
            Value::Type(data_type @ (Type::Resource(_) | Type::Class(_))) => self.catalog_reference(data_type),
            other => {
                let text = match other {
                    Value::Str(text) => Cow::Borrowed(&**text),
                    other => Cow::Owned(ruby::to_s(other).into_owned()),
                };
                let Some((type_name, title)) = split_reference(&text) else {
                    return Err(Stop::runtime(format!(
                        "No title provided and {text:?} is not a valid resource reference"
                    )));
                };
                let type_name = Name::new(type_name).capitalized();
                let is_class = type_name == "Class";
                let title = if is_class { Name::new(title).capitalized().as_str() } else { title };
                Ok(Reference { type_name, title: Arc::from(title) })
            }
        }
    }

    /// Converts the result of a 3.x function, which received references as resources.
    pub fn convert_3x_result(&self, value: Value) -> Res<Value> {
        let references = |value: &Value| matches!(value, Value::Type(Type::Resource(_) | Type::Class(_)));
        let others = |value: &Value| matches!(value, Value::BigInt(_) | Value::Iterator(_));
        if contains_value(&value, references) && !contains_value(&value, others) {
            self.resolve_references(&value)
        } else {
            Ok(value)
        }
    }

    /// A value as parameters store it: references resolved, everything else unchanged.
    pub fn catalog_value(&self, value: Value) -> Res<Value> {
        if !holds_reference(&value) {
            return Ok(value);
        }
        self.resolve_references(&value)
    }

    fn resolve_references(&self, value: &Value) -> Res<Value> {
        match value {
            Value::Type(data_type @ (Type::Resource(_) | Type::Class(_))) => {
                let reference = self.catalog_reference(data_type)?;
                Ok(reference_value(&reference))
            }
            Value::Type(Type::CatalogEntry) => Err(Stop::runtime(crate::runtime3::NO_SPLIT)),
            Value::Array(items) => {
                let items = items.iter().map(|item| self.resolve_references(item)).collect::<Res<Vec<_>>>()?;
                Ok(Value::array(items))
            }
            Value::Hash(entries) => {
                let mut resolved = Hash::with_capacity(entries.len());
                for (key, value) in entries.iter() {
                    resolved.insert(self.resolve_references(key)?, self.resolve_references(value)?);
                }
                Ok(Value::hash(resolved))
            }
            Value::Iterator(_) => {
                Err(Stop::from(Reason::new(Code::NOT_CONVERTIBLE, "Use of an Iterator is not supported here")))
            }
            Value::BigInt(n) => Err(Stop::from(integer_too_large(n))),
            other => Ok(other.clone()),
        }
    }
}

//! Conversion of values of the Puppet language to Ruby and back (Puppet::Pops::Evaluator::Runtime3Converter).
//!
//! As in Puppet, an array or hash of the Puppet language is always converted to the same Ruby object.
#![allow(clippy::wrong_self_convention, reason = "conversions need the program: methods of the value may run")]

use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::Interp;
use crate::Raise;
use crate::bridge::shared_collections::object_address;
use crate::value::HashObject;
use crate::value::Key;
use crate::value::Map;
use crate::value::RegexpValue;
use crate::value::Rv;
use catwalk_base::meter;
use catwalk_regexp::Regexp;
use catwalk_value::Hash;
use catwalk_value::RuntimeType;
use catwalk_value::SemVer;
use catwalk_value::Str;
use catwalk_value::Type;
use catwalk_value::Value;

/// Maximum nesting of values.
const MAX_DEPTH: usize = 200;

/// The values of arrays and hashes that one conversion has reached, by their addresses.
type ConvertedCollections = FxHashMap<usize, Value>;

impl Interp<'_> {
    /// A value of the Puppet language for Ruby code.
    pub fn to_ruby(&mut self, value: &Value) -> Rv {
        match value {
            Value::Undef => Rv::Nil,
            Value::Default => Rv::sym("default"),
            Value::Bool(b) => Rv::bool(*b),
            Value::Int(n) => Rv::Int(*n),
            Value::BigInt(n) => crate::core::big_integer::to_value((**n).clone()),
            Value::Float(f) => Rv::float(*f),
            Value::Str(string) => Rv::str(&**string),
            Value::Symbol(name) => Rv::sym(name),
            Value::Array(items) => {
                if let Some(object) = self.state().shared_collections.get(value) {
                    return object.clone();
                }
                let converted = Rv::array(items.iter().map(|item| self.to_ruby(item)).collect());
                self.state().shared_collections.insert(value, &converted);
                converted
            }
            Value::Hash(entries) => {
                if let Some(object) = self.state().shared_collections.get(value) {
                    return object.clone();
                }
                let map = entries.iter().map(|(key, value)| (Key(self.to_ruby(key)), self.to_ruby(value))).collect();
                let converted = Rv::Hash(HashObject::new(map));
                self.state().shared_collections.insert(value, &converted);
                converted
            }
            Value::Regexp(regexp) => Rv::Regexp(Rc::new(RegexpValue::new(regexp.source(), ""))),
            Value::Uri(uri) => crate::library::uri::uri_object(uri),
            Value::Ruby(object) => self.stored_object(object),
            other => Rv::Puppet(Rc::new(other.clone())),
        }
    }

    /// Converts a value for a 3.x function, which receives copies of arrays and hashes.
    pub fn copy_to_ruby(&mut self, value: &Value) -> Rv {
        // An object that Ruby code created is copied, not its Puppet value, which has lost the symbols.
        if let Some(object) = self.state().shared_collections.get(value) {
            return copy(object, &mut Copies::default());
        }
        match value {
            Value::Array(items) => Rv::array(items.iter().map(|item| self.copy_to_ruby(item)).collect()),
            Value::Hash(entries) => {
                let copied = |(key, value)| (Key(self.copy_to_ruby(key)), self.copy_to_ruby(value));
                Rv::Hash(HashObject::new(entries.iter().map(copied).collect()))
            }
            other => self.to_ruby(other),
        }
    }

    /// Converts the result of a function: its arrays and hashes keep their identity for Ruby code that sees the value later.
    pub fn result_to_puppet(&mut self, value: &Rv) -> Raise<Value> {
        self.records_identity = true;
        let converted = self.to_puppet(value);
        self.records_identity = false;
        converted
    }

    /// A value of Ruby code for the Puppet language.
    pub fn to_puppet(&mut self, value: &Rv) -> Raise<Value> {
        self.convert(value, 0, &mut ConvertedCollections::default())
    }

    /// Converts a value for writing YAML: shared objects stay shared, and symbols stay symbols.
    pub(crate) fn to_data(&mut self, value: &Rv) -> Raise<Value> {
        self.keeps_symbols = true;
        let converted = self.convert(value, 0, &mut ConvertedCollections::default());
        self.keeps_symbols = false;
        converted
    }

    /// The current value of a collection that was changed.
    pub(crate) fn changed_value(&mut self, value: &Rv) -> Raise<Value> {
        let mut parts = ConvertedCollections::default();
        let converted = self.convert(value, 0, &mut parts)?;
        #[allow(clippy::iter_over_hash_type, reason = "each value is stored independently of the others")]
        for (address, value) in &parts {
            self.state().shared_collections.set_value(*address, value);
        }
        Ok(converted)
    }

    fn convert(&mut self, value: &Rv, depth: usize, converted: &mut ConvertedCollections) -> Raise<Value> {
        if depth > MAX_DEPTH {
            return self.unsupported("values nested this deep");
        }
        Ok(match value {
            Rv::Nil => Value::Undef,
            Rv::True => Value::Bool(true),
            Rv::False => Value::Bool(false),
            Rv::Int(n) => Value::integer(*n),
            Rv::Big(n) => Value::integer((**n).clone()),
            Rv::Float(f) => Value::Float(f.get()),
            Rv::Str(string) => Value::str(&*string.borrow()),
            Rv::Sym(name) => match &**name {
                _ if self.keeps_symbols => Value::Symbol(Arc::from(name.as_str())),
                "undef" | "default" => Value::symbol(name),
                _ => Value::Symbol(Arc::from(name.as_str())),
            },
            Rv::Array(_) | Rv::Hash(_) if self.state().shared_collections.unchanged(value).is_some() => {
                self.state().shared_collections.unchanged(value).cloned().unwrap_or(Value::Undef)
            }
            Rv::Array(_) | Rv::Hash(_) => self.convert_collection(value, depth, converted)?,
            Rv::Regexp(regexp) => Value::Regexp(Arc::new(Regexp::new(crate::core::regexp::whole_source(regexp)))),
            Rv::Puppet(value) => Value::clone(value),
            Rv::Version(version) => match SemVer::parse(version) {
                Ok(version) => Value::SemVer(Arc::new(version)),
                Err(_) => Value::str(version),
            },
            Rv::Time(_) | Rv::Ip(_) if self.keeps_symbols => Value::from(self.to_s(value)?),
            Rv::Bytes(bytes) => match std::str::from_utf8(&bytes.borrow()) {
                Ok(string) => Value::Str(Str::binary(string)),
                Err(_) => Value::Binary(Arc::from(&**bytes.borrow())),
            },
            // Puppet's types see a Ruby class as a `Runtime` type.
            Rv::Class(class) => Value::Type(Type::Runtime(Arc::new(RuntimeType {
                runtime: Some(Arc::from("ruby")),
                name: Some(Value::str(class.as_str())),
            }))),
            Rv::Object(object) if crate::library::uri::is_class(object.class.as_str()) => {
                Value::Uri(Arc::new(crate::library::uri::to_uri(self, object)?))
            }
            Rv::Object(object) if object.native.borrow().is_some() => {
                let native = object.native.borrow().clone().unwrap_or(Rv::Nil);
                self.convert(&native, depth + 1, converted)?
            }
            other if self.keeps_symbols => {
                let class = self.class_name(other);
                return self.unsupported(&format!("a value of class {class} for the Puppet language"));
            }
            other => self.object_value(other),
        })
    }

    /// Converts an array or hash, unless it has been converted before.
    fn convert_collection(&mut self, object: &Rv, depth: usize, converted: &mut ConvertedCollections) -> Raise<Value> {
        let address = object_address(object).unwrap_or_default();
        if let Some(value) = converted.get(&address) {
            return Ok(value.clone());
        }
        let value = match object {
            Rv::Array(items) => {
                let items = items.borrow().clone();
                let mut values = Vec::with_capacity(items.len());
                for item in &items {
                    values.push(self.convert(item, depth + 1, converted)?);
                }
                Value::array(values)
            }
            Rv::Hash(hash) => {
                let map: Map = hash.map.borrow().clone();
                let mut entries = Hash::with_capacity(map.len());
                for (Key(key), value) in &map {
                    entries
                        .insert(self.convert(key, depth + 1, converted)?, self.convert(value, depth + 1, converted)?);
                }
                Value::hash(entries)
            }
            _ => Value::Undef,
        };
        if !self.keeps_symbols {
            // What is contained several times is printed and copied several times, except in YAML.
            let measure = value.measure();
            meter::check_elements(measure.elements as usize);
            meter::check_allocation(usize::try_from(measure.bytes).unwrap_or(usize::MAX));
        }
        if self.records_identity {
            self.state().shared_collections.insert(&value, object);
        }
        converted.insert(address, value.clone());
        Ok(value)
    }
}

/// The copies that one copy of a value has made, by the addresses of the originals.
type Copies = FxHashMap<usize, Rv>;

/// A copy of an array or hash with all collections in it. What contains itself, or is contained twice, is copied once.
fn copy(object: &Rv, copies: &mut Copies) -> Rv {
    meter::descend();
    let address = match object_address(object) {
        Some(address) => address,
        None => return object.clone(),
    };
    if let Some(copied) = copies.get(&address) {
        return copied.clone();
    }
    match object {
        Rv::Array(items) => {
            let list = crate::value::share(Vec::new());
            copies.insert(address, Rv::Array(list.clone()));
            let copied: Vec<Rv> = items.borrow().iter().map(|item| copy(item, copies)).collect();
            *list.borrow_mut() = copied;
            Rv::Array(list)
        }
        Rv::Hash(hash) => {
            let new = HashObject::new(Map::default());
            copies.insert(address, Rv::Hash(new.clone()));
            let map = hash.map.borrow();
            let copied: Map = map.iter().map(|(key, value)| (key.clone(), copy(value, copies))).collect();
            *new.map.borrow_mut() = copied;
            Rv::Hash(new)
        }
        other => other.clone(),
    }
}

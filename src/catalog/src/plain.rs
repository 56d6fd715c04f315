//! Catalogs for the setting `rich_data=false` (Puppet::Pops::Serialization::ToDataConverter).
//!
//! In: a finished catalog. Out: the catalog with only values that JSON can express, and a message about each conversion. A
//! `Sensitive` inside a value is not converted: it is tagged with and without rich data.

use std::fmt::Write;
use std::sync::Arc;

use crate::Catalog;
use crate::Resource;
use catwalk_base::diag::Code;
use catwalk_base::diag::Reason;
use catwalk_value::Hash;
use catwalk_value::Type;
use catwalk_value::Value;
use catwalk_value::a_an;
use catwalk_value::catalog_reference;
use catwalk_value::puppet_quote;
use catwalk_value::ruby;
use catwalk_value::to_puppet_string;

impl Catalog {
    /// Converts values that JSON cannot express to strings. Returns a message about each conversion, whose severity depends on the
    /// setting `strict`.
    pub fn make_plain(&mut self, paths: MessagePaths) -> Vec<Reason> {
        let mut messages = Vec::new();
        for resource in &mut self.resources {
            let mut converter = Converter::new(resource, paths, &mut messages);
            let title = resource.title.clone();
            let namevar = (!resource.title_is_main).then_some(resource.namevar);
            for (name, value) in &mut resource.parameters {
                if Some(*name) == namevar && value.as_str() == Some(&title) {
                    continue;
                }
                converter.path.push(Segment::Key(Arc::from(name.as_str())));
                if let Some(plain) = converter.convert(value, true) {
                    *value = plain;
                }
                converter.path.pop();
            }
        }
        messages
    }
}

impl Catalog {
    /// Returns a message about each Ruby object, which becomes a string even with rich data. The severity depends on the setting
    /// `strict`.
    #[must_use]
    pub fn describe_objects(&self, paths: MessagePaths) -> Vec<Reason> {
        let mut messages = Vec::new();
        for resource in &self.resources {
            let mut converter = Converter::new(resource, paths, &mut messages);
            for (name, value) in &resource.parameters {
                converter.path.push(Segment::Key(Arc::from(name.as_str())));
                converter.report_objects(value);
                converter.path.pop();
            }
        }
        messages
    }
}

/// The paths of values in messages about a resource.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MessagePaths {
    /// The path of each value.
    Separate,
    /// As in Puppet 7, the path of each value follows those of earlier messages.
    Accumulated,
}

enum Segment {
    Key(Arc<str>),
    Index(usize),
}

struct Converter<'s> {
    messages: &'s mut Vec<Reason>,
    /// What precedes the path in messages.
    prefix: String,
    paths: MessagePaths,
    location: String,
    path: Vec<Segment>,
}

impl<'s> Converter<'s> {
    fn new(resource: &Resource, paths: MessagePaths, messages: &'s mut Vec<Reason>) -> Converter<'s> {
        let location = match (&resource.file, resource.line) {
            (Some(file), Some(line)) => format!(" (file: {file}, line: {line})"),
            (Some(file), None) => format!(" (file: {file})"),
            (None, Some(line)) => format!(" (line: {line})"),
            (None, None) => String::new(),
        };
        Converter { messages, prefix: resource.reference(), paths, location, path: Vec::new() }
    }

    fn add_message(&mut self, code: Code, description: &str) {
        let mut place = self.prefix.clone();
        for segment in &self.path {
            let _ = match segment {
                Segment::Key(key) => write!(place, "[{}]", puppet_quote(key)),
                Segment::Index(at) => write!(place, "[{at}]"),
            };
        }
        let message = format!("{place} contains {description}{}", self.location);
        self.messages.push(Reason::new(code, message));
        if self.paths == MessagePaths::Accumulated {
            self.prefix = place;
        }
    }

    /// The value as plain data; `None` for a scalar that is plain data already. Resource references are strings already, except inside of
    /// `Sensitive`.
    fn convert(&mut self, value: &Value, outside: bool) -> Option<Value> {
        match value {
            Value::Undef | Value::Bool(_) | Value::Int(_) | Value::BigInt(_) | Value::Float(_) | Value::Str(_) => None,
            Value::Symbol(name) => Some(Value::from(name.clone())),
            Value::Default => {
                let description = "the special value default. It will be converted to the String 'default'";
                self.add_message(Code::SERIALIZATION_DEFAULT_CONVERTED_TO_STRING, description);
                Some(Value::str("default"))
            }
            Value::Array(items) => {
                let mut plain = Vec::with_capacity(items.len());
                for (at, item) in items.iter().enumerate() {
                    self.path.push(Segment::Index(at));
                    plain.push(self.convert(item, outside).unwrap_or_else(|| item.clone()));
                    self.path.pop();
                }
                Some(Value::array(plain))
            }
            Value::Hash(entries) => Some(self.convert_hash(entries, outside)),
            Value::Sensitive(inner) => {
                let inner = self.convert(inner, false).unwrap_or_else(|| Value::clone(inner));
                Some(Value::Sensitive(Arc::new(inner)))
            }
            Value::Type(t) if outside && catalog_reference(t).is_some() => catalog_reference(t).map(Value::from),
            other => {
                let text = unknown_to_string(other);
                let description =
                    format!("{} value. It will be converted to the String '{text}'", a_an(&class_name(other)));
                self.add_message(Code::SERIALIZATION_UNKNOWN_CONVERTED_TO_STRING, &description);
                Some(Value::from(text))
            }
        }
    }

    /// The messages about Ruby objects in a value. (`ToDataConverter#unknown_to_string_with_warning`)
    fn report_objects(&mut self, value: &Value) {
        match value {
            Value::Ruby(object) => {
                let class = a_an(object.class_name().unwrap_or("Anonymous Class"));
                let description = format!("{class} value. It will be converted to the String '{}'", object.text);
                self.add_message(Code::SERIALIZATION_UNKNOWN_CONVERTED_TO_STRING, &description);
            }
            Value::Array(items) => {
                for (at, item) in items.iter().enumerate() {
                    self.path.push(Segment::Index(at));
                    self.report_objects(item);
                    self.path.pop();
                }
            }
            Value::Hash(entries) => {
                for (key, value) in entries.iter() {
                    self.report_objects(key);
                    self.path.push(Segment::Key(to_puppet_string(key)));
                    self.report_objects(value);
                    self.path.pop();
                }
            }
            Value::Sensitive(inner) => self.report_objects(inner),
            Value::Object(object) => object.attributes.values().for_each(|value| self.report_objects(value)),
            _ => {}
        }
    }

    fn convert_hash(&mut self, entries: &Hash, outside: bool) -> Value {
        let mut plain = Hash::with_capacity(entries.len());
        for (key, value) in entries.iter() {
            let key: Arc<str> = match key {
                Value::Str(key) => key.to_shared(),
                Value::Symbol(key) => key.clone(),
                Value::Default => Arc::from("default"),
                Value::Type(t) if outside && catalog_reference(t).is_some() => {
                    Arc::from(catalog_reference(t).unwrap_or_default())
                }
                other => {
                    let text = unknown_to_string(other);
                    let class = a_an(&class_name(other));
                    let description = format!("a hash with {class} key. It will be converted to the String '{text}'");
                    self.add_message(Code::SERIALIZATION_UNKNOWN_KEY_CONVERTED_TO_STRING, &description);
                    Arc::from(text)
                }
            };
            self.path.push(Segment::Key(key.clone()));
            let value = self.convert(value, outside).unwrap_or_else(|| value.clone());
            self.path.pop();
            plain.insert(Value::from(key), value);
        }
        Value::hash(plain)
    }
}

/// `to_s` of a value, except that a regular expression is written as Puppet source. (`ToDataConverter#unknown_to_string`)
fn unknown_to_string(value: &Value) -> String {
    match value {
        Value::Regexp(regexp) => regexp.to_puppet_source(),
        other => ruby::to_s(other).into_owned(),
    }
}

/// The name of a value's class in Puppet's messages.
fn class_name(value: &Value) -> String {
    match value {
        Value::Type(t) if catalog_reference(t).is_some() => "Puppet::Resource".to_owned(),
        Value::Type(Type::Object(object)) if object.base.is_some() => "ObjectExtension-Type".to_owned(),
        Value::Type(t) => format!("{}-Type", t.simple_name()),
        Value::Object(object) => match object.object_type.name.as_deref() {
            Some("Error") | None => ruby::class_name(value).to_owned(),
            Some(name) => name.to_owned(),
        },
        Value::Ruby(object) => object.class_name().unwrap_or("Anonymous Class").to_owned(),
        other => ruby::class_name(other).to_owned(),
    }
}

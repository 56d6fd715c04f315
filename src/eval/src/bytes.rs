//! Texts that are strings of bytes in Ruby (encoding ASCII-8BIT): what `crypt` and `Base64.decode64` give.
//!
//! In: such texts, from functions. Out: the catalog, in which they are `Binary`
//! (Puppet::Pops::Serialization::ToDataConverter#to_data). Everywhere else they are texts like others. A text is known by its
//! place in memory, as Ruby's encoding belongs to one object; what is made of it is another text.

use std::sync::Arc;

use crate::Evaluator;
use catwalk_catalog::Catalog;
use catwalk_value::value::Hash;
use catwalk_value::value::Value;

impl Evaluator<'_> {
    /// A text that is a string of bytes.
    pub fn byte_text(&mut self, text: &str) -> Value {
        let text: Arc<str> = Arc::from(text);
        self.state.byte_texts.insert(text.as_ptr().addr(), text.clone());
        Value::Str(text)
    }

    /// Whether it is such a text.
    pub fn is_byte_text(&self, value: &Value) -> bool {
        matches!(value, Value::Str(text) if self.state.byte_texts.contains_key(&text.as_ptr().addr()))
    }

    /// What `join` makes of parts: the first says what the whole is, unless a later one is not ASCII.
    pub(super) fn joined(&mut self, text: &str, first: usize) -> Value {
        if text.get(first..).is_some_and(str::is_ascii) { self.byte_text(text) } else { Value::str(text) }
    }

    /// Makes binaries of such texts in parameters.
    pub fn write_byte_texts(&self, catalog: &mut Catalog) {
        if self.state.byte_texts.is_empty() {
            return;
        }
        for resource in &mut catalog.resources {
            for (_, value) in &mut resource.parameters {
                if let Some(written) = self.written(value) {
                    *value = written;
                }
            }
        }
    }

    /// The value as the catalog has it; `None` where it is the same.
    fn written(&self, value: &Value) -> Option<Value> {
        match value {
            Value::Str(text) if self.is_byte_text(value) => Some(Value::Binary(Arc::from(text.as_bytes()))),
            Value::Sensitive(inner) => self.written(inner).map(|inner| Value::Sensitive(Arc::new(inner))),
            Value::Array(items) => {
                let written: Vec<Option<Value>> = items.iter().map(|item| self.written(item)).collect();
                written.iter().any(Option::is_some).then(|| {
                    let items = items.iter().zip(written);
                    Value::array(items.map(|(item, written)| written.unwrap_or_else(|| item.clone())).collect())
                })
            }
            Value::Hash(entries) => {
                let written: Vec<Option<Value>> = entries.iter().map(|(_, value)| self.written(value)).collect();
                written.iter().any(Option::is_some).then(|| {
                    let mut hash = Hash::with_capacity(entries.len());
                    for ((key, value), written) in entries.iter().zip(written) {
                        hash.insert(key.clone(), written.unwrap_or_else(|| value.clone()));
                    }
                    Value::hash(hash)
                })
            }
            _ => None,
        }
    }
}

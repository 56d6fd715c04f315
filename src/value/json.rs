//! Plain JSON to values and back: facts, trusted data, answers of services, documents; and these as text.

use std::io;
use std::sync::Arc;

use serde::Serialize;
use serde::Serializer;

use crate::value::Hash;
use crate::value::Value;
use crate::value::big::to_float;

/// The value of a JSON document. Numbers beyond 64 bits become floats.
#[must_use]
pub fn from_json(json: &serde_json::Value) -> Value {
    match json {
        serde_json::Value::Null => Value::Undef,
        serde_json::Value::Bool(b) => Value::Bool(*b),
        serde_json::Value::Number(n) => match n.as_i64() {
            Some(n) => Value::Int(n),
            // What does not fit its number types was read as a float.
            None if n.is_u64() => Value::integer(n.as_u64().unwrap_or_default()),
            None => Value::Float(n.as_f64().unwrap_or(f64::NAN)),
        },
        serde_json::Value::String(text) => Value::Str(Arc::from(text.as_str())),
        serde_json::Value::Array(items) => Value::array(items.iter().map(from_json).collect()),
        serde_json::Value::Object(entries) => {
            let mut hash = Hash::with_capacity(entries.len());
            for (key, value) in entries {
                hash.insert(Value::str(key), from_json(value));
            }
            Value::hash(hash)
        }
    }
}

/// The JSON of a value that is data: texts, numbers, booleans, arrays, hashes. Keys that are no texts become their JSON, what
/// JSON has no form for becomes null.
#[must_use]
pub fn to_json(value: &Value) -> serde_json::Value {
    match value {
        Value::Bool(b) => (*b).into(),
        Value::Int(n) => (*n).into(),
        // Beyond 64 bits a document in memory has the nearest float.
        Value::BigInt(n) => match u64::try_from(&**n) {
            Ok(n) => n.into(),
            Err(_) => to_float(n).into(),
        },
        Value::Float(f) => (*f).into(),
        Value::Str(text) => text.as_ref().into(),
        Value::Array(items) => items.iter().map(to_json).collect(),
        Value::Hash(hash) => {
            let text = |key: &Value| key.as_str().map_or_else(|| to_json(key).to_string(), str::to_owned);
            serde_json::Value::Object(hash.iter().map(|(key, item)| (text(key), to_json(item))).collect())
        }
        _ => serde_json::Value::Null,
    }
}

/// The longest document that is written: indentation may make much of little.
const LONGEST: usize = 1 << 30;

/// A document as indented text.
///
/// # Errors
/// What it holds cannot be written; it is too long.
pub fn pretty(document: &impl Serialize) -> Result<String, String> {
    pretty_of(document, 0)
}

/// The same, when about `expected` bytes come.
///
/// # Errors
/// As [`pretty`].
pub fn pretty_of(document: &impl Serialize, expected: usize) -> Result<String, String> {
    let mut sink = Sink(Vec::with_capacity(expected));
    serde_json::to_writer_pretty(&mut sink, document).map_err(|error| error.to_string())?;
    String::from_utf8(sink.0).map_err(|error| error.to_string())
}

/// The items of a list that is a member of a document, as they stand in its indented text: without the list's brackets.
/// About `expected` bytes come.
///
/// # Errors
/// As [`pretty`].
pub fn pretty_items<I>(items: impl Fn() -> I, expected: usize) -> Result<String, String>
where
    I: Iterator<Item: Serialize>,
{
    const BEFORE: &str = "{\n  \"\": [\n";
    const AFTER: &str = "\n  ]\n}";
    let mut text = pretty_of(&std::collections::BTreeMap::from([("", Items(items))]), expected)?;
    if !(text.starts_with(BEFORE) && text.ends_with(AFTER)) {
        return Ok(String::new());
    }
    text.truncate(text.len() - AFTER.len());
    text.drain(..BEFORE.len());
    Ok(text)
}

/// A list that is made while it is written.
pub struct Items<F>(pub F);

impl<F: Fn() -> I, I: Iterator<Item: Serialize>> Serialize for Items<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0())
    }
}

struct Sink(Vec<u8>);

impl io::Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes).map(|()| bytes.len())
    }

    // Called for every few bytes.
    #[inline]
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.0.len() + bytes.len() > LONGEST {
            return Err(io::Error::other(format!("the text is longer than {LONGEST} bytes")));
        }
        self.0.extend_from_slice(bytes);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

//! JSON values that borrow their strings from the document.
//!
//! In: the bytes of a document. Out: a [`Json`], whose strings borrow from the bytes unless they have escapes, and whose objects have no
//! index: it needs a tenth of the allocations of [`serde_json::Value`]. Must not: differ from [`serde_json::Value`] in the documents
//! that it accepts or in their values.

use std::borrow::Cow;
use std::fmt;

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use serde::Deserialize;
use serde::Deserializer;
use serde::de::Error;
use serde::de::MapAccess;
use serde::de::SeqAccess;
use serde::de::Visitor;
use serde_json::Number;
use serde_json::Value;

/// The largest number of members for which repeated names are found by comparing all pairs.
const MAX_PAIRWISE: usize = 32;

/// A JSON value.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Json<'a> {
    Null,
    Bool(bool),
    Number(Number),
    String(Cow<'a, str>),
    Array(Vec<Json<'a>>),
    /// Members with unique names, in the order of the document.
    Object(Vec<(Cow<'a, str>, Json<'a>)>),
}

impl Json<'_> {
    /// A member of an object.
    pub(super) fn get(&self, member: &str) -> Option<&Self> {
        match self {
            Json::Object(members) => members.iter().find(|(name, _)| name == member).map(|(_, value)| value),
            _ => None,
        }
    }

    pub(super) fn as_str(&self) -> Option<&str> {
        match self {
            Json::String(string) => Some(string),
            _ => None,
        }
    }

    pub(super) fn as_array(&self) -> Option<&[Self]> {
        match self {
            Json::Array(items) => Some(items),
            _ => None,
        }
    }

    /// Converts to a value that borrows nothing.
    pub(super) fn to_value(&self) -> Value {
        match self {
            Json::Null => Value::Null,
            Json::Bool(bool) => Value::Bool(*bool),
            Json::Number(number) => Value::Number(number.clone()),
            Json::String(string) => Value::from(&**string),
            Json::Array(items) => items.iter().map(Json::to_value).collect(),
            Json::Object(members) => {
                Value::Object(members.iter().map(|(name, value)| (name.to_string(), value.to_value())).collect())
            }
        }
    }

    /// Whether a predicate is true for any string, number or name of a member in the value.
    pub(super) fn any_string(&self, test: &impl Fn(&str) -> bool) -> bool {
        match self {
            Json::Null | Json::Bool(_) => false,
            // Secrets may be numbers.
            Json::Number(number) => test(&number.to_string()),
            Json::String(string) => test(string),
            Json::Array(items) => items.iter().any(|item| item.any_string(test)),
            Json::Object(members) => members.iter().any(|(name, value)| test(name) || value.any_string(test)),
        }
    }
}

/// Removes repeated names: like in `serde_json`, the last value is kept at the position of the first.
fn without_repeated<'a>(members: Vec<(Cow<'a, str>, Json<'a>)>) -> Vec<(Cow<'a, str>, Json<'a>)> {
    let is_repeated = |at: usize, name: &str| members.iter().take(at).any(|(earlier, _)| earlier == name);
    if members.len() <= MAX_PAIRWISE && !members.iter().enumerate().any(|(at, (name, _))| is_repeated(at, name)) {
        return members;
    }
    members.into_iter().collect::<IndexMap<_, _, FxBuildHasher>>().into_iter().collect()
}

impl<'de> Deserialize<'de> for Json<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Json<'de>, D::Error> {
        deserializer.deserialize_any(JsonVisitor)
    }
}

struct JsonVisitor;

impl<'de> Visitor<'de> for JsonVisitor {
    type Value = Json<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any valid JSON value")
    }

    fn visit_unit<E>(self) -> Result<Json<'de>, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json<'de>, E> {
        Ok(Json::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json<'de>, E> {
        Ok(Json::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json<'de>, E> {
        Ok(Json::Number(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Json<'de>, E> {
        Ok(Number::from_f64(value).map_or(Json::Null, Json::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Json<'de>, E> {
        Ok(Json::String(Cow::Owned(value.to_owned())))
    }

    fn visit_borrowed_str<E>(self, value: &'de str) -> Result<Json<'de>, E> {
        Ok(Json::String(Cow::Borrowed(value)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Json<'de>, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = access.next_element()? {
            items.push(item);
        }
        Ok(Json::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Json<'de>, A::Error> {
        let mut members = Vec::new();
        while let Some(name) = access.next_key::<Json<'de>>()? {
            let Json::String(name) = name else { return Err(A::Error::custom("a name is not a string")) };
            members.push((name, access.next_value()?));
        }
        Ok(Json::Object(without_repeated(members)))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn documents_are_read_like_by_serde_json() {
        let mut many: String = (0..100).map(|number| format!("\"{}\": {number},", number % 60)).collect();
        many = format!("{{{many} \"0\": null}}");
        for text in [
            r#"{"a": [1, -2, 18446744073709551615, 1.5, 1e300, true, null, "x", "\u00e9\n"], "\"b": {}, "": []}"#,
            r#"{"a": 1, "b": 2, "a": 3}"#,
            &many,
        ] {
            let expected: Value = serde_json::from_str(text).unwrap();
            let value = serde_json::from_str::<Json<'_>>(text).unwrap().to_value();
            assert_eq!(value.to_string(), expected.to_string());
        }
        let nested = "[".repeat(1000);
        for text in ["", "{", "[1,]", "{1: 2}", "\"\\ud800\"", "1e999", "nul", "[] []", nested.as_str()] {
            let expected = serde_json::from_str::<Value>(text).unwrap_err().to_string();
            assert_eq!(serde_json::from_str::<Json<'_>>(text).unwrap_err().to_string(), expected);
        }
    }
}

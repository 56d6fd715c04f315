//! Parses and checks the formats of `String.new`, and merges them with the defaults.
//!
//! In: the `formats` argument. Out: the map. Must not: write text.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::OnceLock;

use super::Format;
use super::FormatMap;
use crate::types;
use crate::types::Type;
use crate::types::is_assignable;
use crate::value::Hash;
use crate::value::Value;
use crate::value::ruby;
use crate::value::ruby::inspect;
use crate::value::to_puppet_string;

fn without_flags(text: &str) -> Format {
    Format {
        text: text.to_owned(),
        letter: text.chars().last().unwrap_or('s'),
        left: false,
        alt: false,
        space: false,
        delimiter: None,
        width: None,
        precision: None,
        separator: None,
        separator2: None,
        elements: None,
    }
}

pub(super) fn element_defaults() -> &'static FormatMap {
    static MAP: OnceLock<FormatMap> = OnceLock::new();
    MAP.get_or_init(|| FormatMap(Arc::new(vec![(Type::Any, without_flags("%p"))])))
}

pub(super) fn defaults() -> &'static FormatMap {
    static MAP: OnceLock<FormatMap> = OnceLock::new();
    MAP.get_or_init(|| {
        let container = |text: &str, separator2: &str| Format {
            separator: Some(", ".to_owned()),
            separator2: Some(separator2.to_owned()),
            elements: Some(element_defaults().clone()),
            ..without_flags(text)
        };
        FormatMap(Arc::new(vec![
            (Type::any_object(), without_flags("%p")),
            (Type::FLOAT, without_flags("%f")),
            (Type::Numeric, without_flags("%d")),
            (Type::any_array(), container("%a", ", ")),
            (Type::any_hash(), container("%h", " => ")),
            (Type::Binary, without_flags("%B")),
            (Type::Any, without_flags("%s")),
        ]))
    })
}

pub(super) fn validate(entries: &Hash) -> Result<FormatMap, String> {
    let mut map = Vec::with_capacity(entries.len());
    for (key, value) in entries {
        let Value::Type(t) = key else {
            let class = types::infer(key).simple_name();
            return Err(format!("top level keys in the format hash must be data types, got instance of '{class}'"));
        };
        let format = match value {
            Value::Hash(container) => validate_container(container)?,
            Value::Str(text) => Format::parse(text)?,
            other => Format::parse(&to_puppet_string(other))?,
        };
        map.push((t.clone(), format));
    }
    Ok(FormatMap(Arc::new(map)))
}

fn validate_container(container: &Hash) -> Result<Format, String> {
    let allowed = ["separator", "separator2", "format", "string_formats"];
    if container.keys().any(|key| !key.as_str().is_some_and(|key| allowed.contains(&key))) {
        return Err(format!(
            "only 'separator', 'separator2', 'format', 'string_formats' are allowed in a container format, got {}",
            inspect(&Value::hash(container.clone()))
        ));
    }
    let text = |key: &str| container.get(key).and_then(Value::as_str).map(str::to_owned);
    let mut format = Format::parse(&text("format").unwrap_or_default())?;
    format.separator = text("separator");
    format.separator2 = text("separator2");
    if let Some(Value::Hash(elements)) = container.get("string_formats") {
        format.elements = Some(validate(elements)?);
    }
    Ok(format)
}

pub(super) fn merge(lower: Option<&FormatMap>, higher: Option<&FormatMap>) -> Option<FormatMap> {
    let (Some(lower), Some(higher)) = (lower, higher) else { return lower.or(higher).cloned() };
    let not_replaced =
        lower.0.iter().filter(|(low, _)| !higher.0.iter().any(|(high, _)| high != low && is_assignable(high, low)));
    let mut merged: Vec<(Type, Format)> = Vec::new();
    for (t, format) in not_replaced {
        let other = higher.0.iter().find(|(high, _)| high == t);
        merged.push((t.clone(), other.map_or_else(|| format.clone(), |(_, other)| format.merge(other))));
    }
    for (t, format) in higher.0.iter() {
        if !merged.iter().any(|(merged, _)| merged == t) {
            merged.push((t.clone(), format.clone()));
        }
    }
    // The relation is not a total order, so the result depends on the sorting algorithm: Ruby's.
    let sorted = ruby::sort(merged, &mut |a, b| Ok::<_, std::convert::Infallible>(compare_types(&a.0, &b.0)));
    Some(FormatMap(Arc::new(sorted.unwrap_or_default())))
}

fn compare_types(a: &Type, b: &Type) -> std::cmp::Ordering {
    use std::cmp::Ordering;
    if a == b {
        return Ordering::Equal;
    }
    let rank = |t: &Type| match t {
        Type::Struct(_) => 1,
        Type::Hash(_) => 2,
        Type::Tuple(_) => 3,
        Type::Array(_) => 4,
        Type::Pattern(_) => 10,
        Type::Enum(_) => 11,
        Type::String | Type::StringSize(_) | Type::StringValue(_) => 12,
        _ => 0,
    };
    match (is_assignable(b, a), is_assignable(a, b)) {
        (true, false) => Ordering::Less,
        (false, true) => Ordering::Greater,
        _ if rank(a) == 0 || rank(b) == 0 => a.to_string().cmp(&b.to_string()),
        _ => rank(a).cmp(&rank(b)),
    }
}

impl FormatMap {
    pub(super) fn find(&self, t: &Type) -> Format {
        self.0.iter().find(|(key, _)| is_assignable(key, t)).map_or_else(|| without_flags("%s"), |(_, f)| f.clone())
    }
}

/// The type whose format is used: for a parameterized object type, the base type (StringConverter#string_PObjectTypeExtension).
pub(super) fn formatted_type(t: &Type) -> Cow<'_, Type> {
    match t {
        Type::Object(object) if let Some(base) = &object.base => Cow::Owned(Type::Object(base.clone())),
        t => Cow::Borrowed(t),
    }
}

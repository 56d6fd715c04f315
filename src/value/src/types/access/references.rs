//! `File['/x']`, `Resource['file', '/x']`, `Class['a']`: from names and titles to references.
//!
//! In: a type and the values between the brackets. Out: one reference, or an array of several. Must not: look into a catalog.

use std::sync::Arc;

use super::AccessError;
use super::Result;
use super::argument_error;
use super::bad_arity;
use super::flatten;
use super::key_error;
use super::key_type_name;
use super::keys::specialization;
use crate::types::ResourceType;
use crate::types::Type;
use crate::types::capitalize_segments;
use crate::value::Value;
use catwalk_base::diag::Code;
use catwalk_base::diag::Reason;

/// Whether a string is a type's name: capitalized segments.
pub(crate) fn is_type_name(name: &str) -> bool {
    has_segments(name, |c| c.is_ascii_uppercase())
}

/// Whether a string is the name of a class, function or the like.
fn is_name(name: &str) -> bool {
    has_segments(name, |c| c.is_ascii_lowercase())
}

/// Whether a string consists of segments of letters, digits and `_`, separated by `::`, and `first` accepts the first
/// character of each segment.
fn has_segments(name: &str, first: fn(char) -> bool) -> bool {
    let name = name.strip_prefix("::").unwrap_or(name);
    if let [start, rest @ ..] = name.as_bytes()
        && rest.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
    {
        return first(char::from(*start));
    }
    let mut chars = name.chars();
    let mut begins = true;
    while let Some(c) = chars.next() {
        let fits = match (begins, c) {
            (true, c) => first(c),
            (false, ':') => chars.next() == Some(':'),
            (false, c) => c.is_alphanumeric() || c == '_',
        };
        if !fits {
            return false;
        }
        begins = !begins && c == ':';
    }
    !begins
}

/// A fast path for one title or name. `None` if the general [`super::access`] is needed.
#[must_use]
pub fn one_reference(t: &Type, title: &Arc<str>) -> Option<Type> {
    match t {
        Type::Resource(resource) if resource.title.is_none() => {
            let type_name = resource.type_name.clone().filter(|name| is_type_name(name))?;
            let title = Some(title.clone());
            Some(Type::Resource(Arc::new(ResourceType {
                type_name: Some(type_name),
                title,
                ..ResourceType::default()
            })))
        }
        Type::Class(None) => parse_class_name(title).map(|name| Type::Class(Some(name))),
        _ => None,
    }
}

pub(super) fn resource_access(t: &Type, resource: &ResourceType, keys: &[Value]) -> Result<Value> {
    if resource.title.is_some() {
        return Err(argument_error("not supported yet: parameters of a resource"));
    }
    if keys.is_empty() {
        return Err(bad_arity(&t.to_string(), 1, Some(-1), 0));
    }
    let (type_name, rest): (Arc<str>, &[Value]) = match &resource.type_name {
        Some(name) => (name.clone(), keys),
        None => {
            let first = keys.first();
            let name = match first {
                // The name of a resource without a title is missing, which does not conform either.
                Some(Value::Type(Type::Resource(other))) => Some(other.type_name.clone().unwrap_or_default()),
                Some(Value::Str(text)) => Some(Arc::from(capitalize_segments(text).as_ref())),
                _ => None,
            };
            let name = name.ok_or_else(|| {
                let actual = first.map(key_type_name).unwrap_or_default();
                let message =
                    format!("First argument to Resource[] must be a resource type or a String. Got {actual}.");
                key_error(0, Code::ILLEGAL_RESOURCE_SPECIALIZATION, message)
            })?;
            (name, keys.get(1..).unwrap_or_default())
        }
    };
    if !is_type_name(&type_name) {
        let message =
            format!("Illegal type reference. The given name '{type_name}' does not conform to the naming rule");
        return Err(key_error(0, Code::ILLEGAL_CLASSREF, message));
    }
    let many = rest.len() > 1 || matches!(rest.first(), Some(Value::Array(_)));
    let key_count = rest.len();
    let titles: Vec<Value> = flatten(rest).into_iter().filter(|key| !key.is_undef()).collect();
    if titles.is_empty() && !rest.is_empty() {
        return empty_specialization(many);
    }
    let reference = |title: Option<Arc<str>>| {
        let type_name = Some(type_name.clone());
        Value::Type(Type::Resource(Arc::new(ResourceType { type_name, title, ..ResourceType::default() })))
    };
    if titles.is_empty() {
        return Ok(reference(None));
    }
    // Puppet blames keys of the whole access by positions in the list of titles.
    let shift = usize::from(key_count != titles.len());
    let mut references = Vec::with_capacity(titles.len());
    for (n, title) in titles.iter().enumerate() {
        match title {
            Value::Str(title) => references.push(reference(Some(title.to_shared()))),
            other => {
                let message = format!("Cannot use {} where a resource title String is expected", key_type_name(other));
                return Err(specialization(n + shift, t, &message));
            }
        }
    }
    Ok(if many { Value::array(references) } else { references.pop().unwrap_or(Value::Undef) })
}

/// The result of an access without references: an error under `strict`, else an empty array or undef.
fn empty_specialization(many: bool) -> Result<Value> {
    Ok(if many { Value::array(Vec::new()) } else { Value::Undef })
}

/// A class name as a reference has it: lower case, without a leading `::`.
///
/// # Errors
/// The name is not a string, or not a valid class name.
fn class_name(key: &Value) -> std::result::Result<Arc<str>, Reason> {
    let Value::Str(text) = key else {
        let label = crate::types::capitalize_first(&crate::value::a_an(&crate::value::label(key)));
        let message =
            format!("Illegal Class name in class reference. {label} cannot be used where a String is expected");
        return Err(Reason::new(Code::ILLEGAL_HOSTCLASS_NAME, message));
    };
    parse_class_name(text.characters()).ok_or_else(|| {
        let message = format!(
            "Illegal name. The given name '{text}' does not conform to the naming rule /^((::)?[a-z_]\\w*)(::[a-z]\\w*)*$/"
        );
        Reason::new(Code::ILLEGAL_NAME, message)
    })
}

fn parse_class_name(text: &Arc<str>) -> Option<Arc<str>> {
    let lower = match text.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase()) {
        true => text.clone(),
        false => Arc::from(text.to_lowercase()),
    };
    let name = lower.strip_prefix("::").unwrap_or(&lower);
    let name = is_name(name).then_some(name)?;
    Some(if name.len() == lower.len() { lower.clone() } else { Arc::from(name) })
}

pub(super) fn class_access(keys: &[Value]) -> Result<Value> {
    if keys.is_empty() {
        return Err(bad_arity("Class", 1, Some(-1), 0));
    }
    let many = keys.len() > 1 || matches!(keys.first(), Some(Value::Array(_)));
    let names: Vec<Value> = flatten(keys).into_iter().filter(|key| !key.is_undef()).collect();
    if names.is_empty() {
        return empty_specialization(many);
    }
    let mut references = Vec::with_capacity(names.len());
    for (n, name) in names.iter().enumerate() {
        let name = class_name(name).map_err(|reason| AccessError { reason, key: Some(n) })?;
        references.push(Value::Type(Type::Class(Some(name))));
    }
    Ok(if many { Value::array(references) } else { references.pop().unwrap_or(Value::Undef) })
}

//! Scalars and tags of YAML.
//!
//! In: strings with their tags. Out: the values that Psych builds, or the error for a disallowed class. Must not: know collections.

use std::sync::Arc;

use base64::Engine;

use super::document::AllowedClasses;
use super::document::Node;
use super::document::Shape;
use super::document::YamlError;
use crate::data::yaml_scalar;
use crate::data::yaml_scalar::Scalar;
use crate::value::Str;
use crate::value::Value;
use catwalk_regexp::Regexp;

pub(super) fn scalar(
    tag: Option<&str>,
    text: String,
    quoted: bool,
    allowed: AllowedClasses,
) -> Result<Node, YamlError> {
    let plain = |value| Node { value, size: 1, shape: Shape::Scalar };
    if quoted {
        return Ok(plain(Value::from(text)));
    }
    match tag {
        None => {}
        Some("!binary" | "tag:yaml.org,2002:binary") => {
            return Ok(plain(Value::Str(Str::binary(unpack_base64(&text)))));
        }
        Some("tag:yaml.org,2002:str" | "!str" | "!ruby/string" | "!str:" | "!ruby/string:") => {
            return Ok(plain(Value::from(text)));
        }
        Some("tag:yaml.org,2002:float" | "!float") => {
            let scalar = match yaml_scalar::tokenize(&text) {
                Scalar::Int(n) => return Ok(plain(Value::Float(n as f64))),
                Scalar::Text => yaml_scalar::ruby_float(&text),
                other => other,
            };
            return scalar_node(scalar, text);
        }
        Some("!ruby/regexp") if allowed.regexp => {
            return Ok(plain(Value::Regexp(Arc::new(Regexp::new(regexp_source(&text))))));
        }
        Some(tag) if tag.starts_with("!ruby/sym") => {
            return Ok(plain(Value::Symbol(Arc::from(text))));
        }
        Some(tag) => {
            if let Some(class) = scalar_class(tag, &text) {
                return Err(YamlError::class(&class));
            }
        }
    }
    scalar_node(yaml_scalar::tokenize(&text), text)
}

fn scalar_node(scalar: Scalar, text: String) -> Result<Node, YamlError> {
    let value = match scalar {
        Scalar::Nil => Value::Undef,
        Scalar::Bool(b) => Value::Bool(b),
        Scalar::Int(n) => Value::Int(n),
        Scalar::Big(n) => n,
        Scalar::Float(f) => Value::Float(f),
        Scalar::Text => Value::from(text),
        Scalar::Symbol(name) => Value::Symbol(Arc::from(name)),
        Scalar::Class(class) => return Err(YamlError::class(class)),
        Scalar::Invalid(message) => return Err(YamlError::bare(message)),
        Scalar::TooBig => {
            return Err(YamlError::bare(format!("not supported yet: an integer of {} digits", text.len())));
        }
    };
    Ok(Node { value, size: 1, shape: Shape::Scalar })
}

/// The source of `/…/imx`; the options become a group at the start.
fn regexp_source(text: &str) -> String {
    let parts = text.strip_prefix('/').and_then(|rest| rest.rsplit_once('/'));
    match parts {
        Some((source, "")) => source.to_owned(),
        Some((source, options)) => {
            let options: String = options.chars().filter(|c| matches!(c, 'i' | 'm' | 'x')).collect();
            if options.is_empty() { source.to_owned() } else { format!("(?{options})({source})") }
        }
        None => text.to_owned(),
    }
}

/// The class that a scalar's tag names; safe loading allows none of them.
fn scalar_class(tag: &str, text: &str) -> Option<String> {
    let class = match tag {
        "!ruby/object:BigDecimal" => "BigDecimal",
        "!ruby/object:DateTime" => "DateTime",
        "!ruby/object:Complex" => "Complex",
        "!ruby/object:Rational" => "Rational",
        "!ruby/class" | "!ruby/module" => text,
        "!ruby/regexp" => "Regexp",
        "!ruby/range" => "Range",
        "!ruby/encoding" => "Encoding",
        _ => tag.strip_prefix("!str:").or_else(|| tag.strip_prefix("!ruby/string:"))?,
    };
    Some(class.to_owned())
}

/// Whether a sequence is an ordered map.
pub(super) fn sequence_tag(tag: Option<&str>) -> Result<bool, YamlError> {
    match tag {
        Some("!omap" | "tag:yaml.org,2002:omap") => Ok(true),
        Some(tag) => match tag.strip_prefix("!seq:").or_else(|| tag.strip_prefix("!ruby/array:")) {
            Some("") | None => Ok(false),
            Some(class) => Err(YamlError::class(class)),
        },
        None => Ok(false),
    }
}

/// Returns the error for tags that create Ruby objects from mappings.
pub(super) fn mapping_tag(tag: Option<&str>) -> Result<(), YamlError> {
    let Some(tag) = tag else { return Ok(()) };
    let named = |prefix: &str, fallback: &str| {
        let class = tag.strip_prefix(prefix)?;
        let class = class.strip_prefix(':').unwrap_or(class);
        Some(if class.is_empty() { fallback.to_owned() } else { class.to_owned() })
    };
    let class = match tag {
        "!ruby/object:Hash" => None,
        "!ruby/range" => Some("Range".to_owned()),
        "!set" | "tag:yaml.org,2002:set" => Some("Psych::Set".to_owned()),
        "!omap" | "tag:yaml.org,2002:omap" => Some("Psych::Omap".to_owned()),
        _ => named("!ruby/struct", "Struct")
            .or_else(|| named("!ruby/object", "Object"))
            .or_else(|| named("!ruby/exception", "Exception"))
            .or_else(|| named("!ruby/hash:", ""))
            .or_else(|| named("!ruby/marshalable:", ""))
            .or_else(|| named("!ruby/array:", ""))
            .or_else(|| named("!ruby/hash-with-ivars", "Hash"))
            .or_else(|| named("!map:", ""))
            .filter(|class| !class.is_empty()),
    };
    class.map_or(Ok(()), |class| Err(YamlError::class(&class)))
}

/// Decodes Base64 like Ruby's `unpack('m')`, which ignores other characters. Invalid UTF-8 is replaced.
fn unpack_base64(text: &str) -> String {
    let clean: Vec<u8> = text
        .bytes()
        .take_while(|b| *b != b'=')
        .filter(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/'))
        .collect();
    let whole = clean.len() - usize::from(clean.len() % 4 == 1);
    let bytes =
        base64::engine::general_purpose::STANDARD_NO_PAD.decode(clean.get(..whole).unwrap_or(&[])).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

//! What Ruby calls values and how it prints texts: the reference's messages and outputs show both.
//!
//! In: values. Out: names and texts. Must not: convert values.

use std::sync::LazyLock;

use crate::types::Type;
use crate::value::Value;

/// The class a value has in the reference, for messages that name it.
pub(crate) fn class_name(value: &Value) -> &'static str {
    match value {
        Value::Undef => "NilClass",
        Value::Default => "Symbol",
        Value::Bool(true) => "TrueClass",
        Value::Bool(false) => "FalseClass",
        Value::Int(_) => "Integer",
        Value::Float(_) => "Float",
        Value::Str(_) => "String",
        Value::Array(_) => "Array",
        Value::Hash(_) => "Hash",
        Value::Regexp(_) => "Regexp",
        Value::Type(t) => type_class(t),
        Value::Sensitive(_) => "Puppet::Pops::Types::PSensitiveType::Sensitive",
        Value::Timestamp(_) => "Puppet::Pops::Time::Timestamp",
        Value::Timespan(_) => "Puppet::Pops::Time::Timespan",
        Value::SemVer(_) => "SemanticPuppet::Version",
        Value::SemVerRange(_) => "SemanticPuppet::VersionRange",
        Value::Binary(_) => "Puppet::Pops::Types::PBinaryType::Binary",
        Value::Uri(_) => "URI::Generic",
        Value::Iterator(iterator) => iterator.class_name(),
        Value::Object(object) if object.object_type.name.as_deref() == Some("Error") => "Puppet::DataTypes::Error",
        Value::Object(_) => "Object",
    }
}

fn type_class(t: &Type) -> &'static str {
    match t {
        Type::Any => "Puppet::Pops::Types::PAnyType",
        Type::Undef => "Puppet::Pops::Types::PUndefType",
        Type::Boolean(_) => "Puppet::Pops::Types::PBooleanType",
        Type::Integer(_) => "Puppet::Pops::Types::PIntegerType",
        Type::Float(_) => "Puppet::Pops::Types::PFloatType",
        Type::Numeric => "Puppet::Pops::Types::PNumericType",
        Type::String | Type::StringSize(_) | Type::StringValue(_) => "Puppet::Pops::Types::PStringType",
        Type::Enum(_) => "Puppet::Pops::Types::PEnumType",
        Type::Array(_) => "Puppet::Pops::Types::PArrayType",
        Type::Hash(_) => "Puppet::Pops::Types::PHashType",
        Type::Tuple(_) => "Puppet::Pops::Types::PTupleType",
        Type::Struct(_) => "Puppet::Pops::Types::PStructType",
        Type::Optional(_) => "Puppet::Pops::Types::POptionalType",
        Type::Variant(_) => "Puppet::Pops::Types::PVariantType",
        Type::Type(_) => "Puppet::Pops::Types::PTypeType",
        Type::Alias(_) => "Puppet::Pops::Types::PTypeAliasType",
        Type::Object(_) => "Puppet::Pops::Types::PObjectType",
        // The older interface receives references as resources.
        Type::Resource(_) | Type::Class(_) => "Puppet::Resource",
        _ => "Puppet::Pops::Types::PAnyType",
    }
}

/// How messages about implicit conversions name a value.
pub(crate) fn conversion_name(value: &Value) -> &'static str {
    match value {
        Value::Undef => "nil",
        Value::Bool(true) => "true",
        Value::Bool(false) => "false",
        other => class_name(other),
    }
}

/// Characters `inspect` escapes: controls, line separators and what Unicode has not assigned.
static UNPRINTABLE: LazyLock<Option<regex::Regex>> =
    LazyLock::new(|| regex::Regex::new(r"^[\p{Cc}\p{Cn}\p{Zl}\p{Zp}]$").ok());

fn is_printable(c: char) -> bool {
    if c.is_ascii() {
        return !c.is_ascii_control();
    }
    let mut buffer = [0; 4];
    !UNPRINTABLE.as_ref().is_some_and(|unprintable| unprintable.is_match(c.encode_utf8(&mut buffer)))
}

/// `String#inspect`
pub(crate) fn inspect_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    push_inspected(text, &mut out);
    out
}

/// Appends what `String#inspect` gives: the text in double quotes with Ruby's escapes.
pub(crate) fn push_inspected(text: &str, out: &mut String) {
    out.push('"');
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '#' if matches!(chars.peek(), Some('{' | '$' | '@')) => out.push_str("\\#"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\x0c' => out.push_str("\\f"),
            '\x0b' => out.push_str("\\v"),
            '\x08' => out.push_str("\\b"),
            '\x07' => out.push_str("\\a"),
            '\x1b' => out.push_str("\\e"),
            c if is_printable(c) => out.push(c),
            c if u32::from(c) > 0xffff => out.push_str(&format!("\\u{{{:X}}}", u32::from(c))),
            c => out.push_str(&format!("\\u{:04X}", u32::from(c))),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_quoted() {
        assert_eq!(inspect_text("a\"#{b}\n\u{7f}\u{2028}é\u{10ffff}"), "\"a\\\"\\#{b}\\n\\u007F\\u2028é\\u{10FFFF}\"");
    }
}

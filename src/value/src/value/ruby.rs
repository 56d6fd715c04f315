//! Ruby's view of values, where messages and outputs show it: names of classes, `to_s`, `inspect`, comparison, numbers, case,
//! paths, shell words, YAML and JSON as its libraries write them.
//!
//! In: values and text. Out: what the Ruby method of the same name returns. Must not: know calls or scopes.

mod bcrypt;
mod compare;
pub mod crypt;
mod inspect;
mod json;
mod number;
mod path;
mod random;
mod shell;
mod succ;
mod text;
mod yaml;

pub use crate::types::capitalize;
pub use compare::block_order;
pub use compare::compare;
pub use compare::not_comparable;
pub use inspect::to_s;
pub use json::Layout;
pub use json::json_text;
pub use json::to_json;
pub use number::float_text;
pub use number::kernel_float;
pub use number::kernel_integer;
pub use number::kernel_number;
pub use number::to_f;
pub use number::to_i;
pub use number::to_integer;
pub use path::basename;
pub use path::dirname;
pub use path::extname;
pub use random::Random;
pub use shell::shellescape;
pub use shell::shellsplit;
pub use succ::succ;
pub use text::char_ranges;
pub use text::chomp;
pub use text::chop;
pub use text::count;
pub use text::downcase;
pub use text::is_space;
pub use text::split_text;
pub use text::squeeze;
pub use text::swapcase;
pub use text::upcase;
pub use yaml::YamlOptions;
pub use yaml::to_yaml;

use std::cmp::Ordering;
use std::sync::LazyLock;

use crate::types::Type;
use crate::value::Value;
use catwalk_base::meter;

/// The class a value has in the reference, for messages that name it.
pub fn class_name(value: &Value) -> &'static str {
    match value {
        Value::Undef => "NilClass",
        Value::Default | Value::Symbol(_) => "Symbol",
        Value::Bool(true) => "TrueClass",
        Value::Bool(false) => "FalseClass",
        Value::Int(_) | Value::BigInt(_) => "Integer",
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
        Value::Uri(uri) => uri.class_name(),
        Value::Iterator(iterator) => iterator.class_name(),
        Value::Object(object) if object.object_type.name.as_deref() == Some("Error") => "Puppet::DataTypes::Error",
        Value::Object(_) => "Object",
        Value::Ruby(object) => object.class.as_str(),
    }
}

/// The same for a value that no function of the older kind got: references are types there, but those that one gave back.
pub fn plain_class_name(value: &Value) -> &'static str {
    match value {
        Value::Type(Type::Class(_)) => "Puppet::Pops::Types::PClassType",
        Value::Type(Type::Resource(resource)) if !resource.resolved => "Puppet::Pops::Types::PResourceType",
        other => class_name(other),
    }
}

fn type_class(t: &Type) -> &'static str {
    match t.simple_name() {
        "Object" if matches!(t, Type::Object(object) if object.base.is_some()) => {
            "Puppet::Pops::Types::PObjectTypeExtension"
        }
        "Any" => "Puppet::Pops::Types::PAnyType",
        "Unit" => "Puppet::Pops::Types::PUnitType",
        "Undef" => "Puppet::Pops::Types::PUndefType",
        "Default" => "Puppet::Pops::Types::PDefaultType",
        "Scalar" => "Puppet::Pops::Types::PScalarType",
        "ScalarData" => "Puppet::Pops::Types::PScalarDataType",
        "Numeric" => "Puppet::Pops::Types::PNumericType",
        "CatalogEntry" => "Puppet::Pops::Types::PCatalogEntryType",
        "Binary" => "Puppet::Pops::Types::PBinaryType",
        "SemVerRange" => "Puppet::Pops::Types::PSemVerRangeType",
        "Boolean" => "Puppet::Pops::Types::PBooleanType",
        "Integer" => "Puppet::Pops::Types::PIntegerType",
        "Float" => "Puppet::Pops::Types::PFloatType",
        "String" => "Puppet::Pops::Types::PStringType",
        "Enum" => "Puppet::Pops::Types::PEnumType",
        "Pattern" => "Puppet::Pops::Types::PPatternType",
        "Regexp" => "Puppet::Pops::Types::PRegexpType",
        "Collection" => "Puppet::Pops::Types::PCollectionType",
        "Array" => "Puppet::Pops::Types::PArrayType",
        "Hash" => "Puppet::Pops::Types::PHashType",
        "Tuple" => "Puppet::Pops::Types::PTupleType",
        "Struct" => "Puppet::Pops::Types::PStructType",
        "Optional" => "Puppet::Pops::Types::POptionalType",
        "NotUndef" => "Puppet::Pops::Types::PNotUndefType",
        "Variant" => "Puppet::Pops::Types::PVariantType",
        "Iterable" => "Puppet::Pops::Types::PIterableType",
        "Iterator" => "Puppet::Pops::Types::PIteratorType",
        "Callable" => "Puppet::Pops::Types::PCallableType",
        "Sensitive" => "Puppet::Pops::Types::PSensitiveType",
        "Timestamp" => "Puppet::Pops::Types::PTimestampType",
        "Timespan" => "Puppet::Pops::Types::PTimespanType",
        "SemVer" => "Puppet::Pops::Types::PSemVerType",
        "URI" => "Puppet::Pops::Types::PURIType",
        "Type" => "Puppet::Pops::Types::PTypeType",
        "Init" => "Puppet::Pops::Types::PInitType",
        "Runtime" => "Puppet::Pops::Types::PRuntimeType",
        "Object" => "Puppet::Pops::Types::PObjectType",
        "TypeSet" => "Puppet::Pops::Types::PTypeSetType",
        "TypeAlias" => "Puppet::Pops::Types::PTypeAliasType",
        "TypeReference" => "Puppet::Pops::Types::PTypeReferenceType",
        // The older interface receives references as resources.
        _ => "Puppet::Resource",
    }
}

/// How messages about implicit conversions name a value.
pub fn conversion_name(value: &Value) -> &'static str {
    match value {
        Value::Undef => "nil",
        Value::Bool(true) => "true",
        Value::Bool(false) => "false",
        other => class_name(other),
    }
}

/// The same for a value that no function of the older kind got.
pub fn plain_conversion_name(value: &Value) -> &'static str {
    match value {
        Value::Type(_) => plain_class_name(value),
        other => conversion_name(other),
    }
}

/// How messages about methods that are not there name what they were called of. What looks like `#<…>` names its class
/// itself.
pub fn receiver(value: &Value) -> String {
    let shown = inspect(value);
    if shown.starts_with('#') { shown } else { format!("{shown}:{}", class_name(value)) }
}

/// The same for a value that no function of the older kind got. Types and objects are shown by their class and what they are.
pub fn plain_receiver(value: &Value) -> String {
    match value {
        Value::Type(_) | Value::Timestamp(_) | Value::Timespan(_) | Value::Binary(_) | Value::Object(_) => {
            format!("#<{} {}>", plain_class_name(value), crate::value::to_puppet_string(value))
        }
        Value::Iterator(iterator) => iterator.receiver(),
        other => receiver(other),
    }
}

/// How messages about comparisons name what a value was compared with: small values are shown.
pub(crate) fn operand_name(value: &Value) -> String {
    match value {
        Value::Undef | Value::Default | Value::Symbol(_) | Value::Bool(_) | Value::Int(_) | Value::Float(_) => {
            inspect(value)
        }
        other => class_name(other).to_owned(),
    }
}

/// Sorts with a comparison that may fail, as Ruby does (glibc's merge sort); equal values keep their order.
///
/// # Errors
/// The first failure of the comparison.
pub fn sort<T, E>(values: Vec<T>, compare: &mut impl FnMut(&T, &T) -> Result<Ordering, E>) -> Result<Vec<T>, E> {
    if values.len() < 2 {
        return Ok(values);
    }
    let mut left = values;
    let right = left.split_off(left.len() / 2);
    let left = sort(left, compare)?;
    let right = sort(right, compare)?;
    let mut out = Vec::with_capacity(left.len() + right.len());
    let (mut left, mut right) = (left.into_iter().peekable(), right.into_iter().peekable());
    while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
        let next = if compare(a, b)? == Ordering::Greater { right.next() } else { left.next() };
        out.extend(next);
    }
    out.extend(left);
    out.extend(right);
    Ok(out)
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
pub fn inspect_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    push_inspected(text, &mut out);
    out
}

/// Appends what `String#inspect` gives: the text in double quotes with Ruby's escapes.
pub fn push_inspected(text: &str, out: &mut String) {
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

/// `Object#inspect`
pub fn inspect(value: &Value) -> String {
    let mut out = String::new();
    push_value(value, 0, &mut out);
    out
}

/// Deeper collections are cut: nothing that deep is meant to be read.
const MAX_DEPTH: usize = 1000;

/// Appends what `Object#inspect` gives.
pub(crate) fn push_value(value: &Value, depth: usize, out: &mut String) {
    match value {
        _ if depth > MAX_DEPTH => out.push('…'),
        Value::Undef => out.push_str("nil"),
        Value::Default => out.push_str(":default"),
        Value::Symbol(name) => push_symbol(name, out),
        Value::Ruby(object) => out.push_str(&object.inspected),
        Value::Sensitive(_) => out.push_str("#<Sensitive [value redacted]>"),
        Value::Str(text) => push_inspected(text, out),
        Value::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push_str(", ");
                }
                push_value(item, depth + 1, out);
                meter::text(out.len());
            }
            out.push(']');
        }
        Value::Hash(entries) => {
            out.push('{');
            for (at, (key, value)) in entries.iter().enumerate() {
                if at > 0 {
                    out.push_str(", ");
                }
                push_value(key, depth + 1, out);
                out.push_str("=>");
                push_value(value, depth + 1, out);
                meter::text(out.len());
            }
            out.push('}');
        }
        Value::Type(Type::Resource(resource)) if resource.title.is_some() => {
            let its = resource.type_name.as_deref().unwrap_or_default();
            push_reference(its, resource.title.as_deref().unwrap_or_default(), out);
        }
        Value::Type(Type::Resource(resource)) if resource.type_name.is_some() && depth > 0 => {
            push_reference(resource.type_name.as_deref().unwrap_or_default(), "", out);
        }
        Value::Type(Type::Class(Some(name))) => {
            push_reference("Class", &crate::types::capitalize_segments(name), out);
        }
        Value::Uri(uri) => out.push_str(&format!("#<{} {uri}>", class_name(value))),
        Value::Binary(_) => out.push_str(&format!("#<{}>", class_name(value))),
        Value::SemVerRange(range) => out.push_str(&range.parts_text()),
        Value::Regexp(regexp) => out.push_str(&catwalk_regexp::inspect(regexp.source())),
        other => out.push_str(&crate::value::to_puppet_string(other)),
    }
}

/// What `Object#inspect` gives for a reference as functions of the older kind get it.
pub fn inspect_reference(its: &str, title: &str) -> String {
    let mut out = String::new();
    push_reference(its, title, &mut out);
    out
}

/// `Puppet::Resource#to_hash`, of a reference: the attribute that its title says, and the value.
pub fn of_title<'t>(its: &str, title: &'t str) -> (&'static str, &'t str) {
    match its.to_lowercase().as_str() {
        "file" => ("path", if title.len() > 1 { title.trim_end_matches('/') } else { title }),
        "exec" => ("command", title),
        "tidy" => ("path", title),
        _ => ("name", title),
    }
}

/// Ruby shows a value with the references in it as resources; the title of one must be one (`Puppet::Resource#parse_title`).
///
/// # Errors
/// A reference in it is one to no title.
pub fn showable(value: &Value) -> Result<(), &'static str> {
    match value {
        Value::Array(items) => items.iter().try_for_each(showable),
        Value::Hash(entries) => {
            entries.iter().try_for_each(|(key, value)| showable(key).and_then(|()| showable(value)))
        }
        Value::Type(Type::Resource(resource))
            if resource.title.as_deref().unwrap_or_default().is_empty()
                && resource.type_name.as_deref() == Some("File") =>
        {
            Err("No set of title patterns matched the title \"\".")
        }
        _ => Ok(()),
    }
}

/// `Puppet::Resource#inspect`: functions of the older kind get references as such; the title says the attribute that names it.
fn push_reference(its: &str, title: &str, out: &mut String) {
    let (attribute, name) = of_title(its, title);
    out.push_str(&format!("{}[{title}]{{:{attribute}=>", crate::types::capitalize_segments(its)));
    push_inspected(name, out);
    out.push('}');
}

/// Appends what `Symbol#inspect` gives.
pub fn push_symbol(text: &str, out: &mut String) {
    out.push(':');
    let body = text.strip_suffix(['?', '!', '=']).unwrap_or(text);
    let body = body.trim_start_matches(['@', '$']);
    let plain = body.starts_with(|c: char| c == '_' || c.is_alphabetic())
        && body.chars().all(|c| c == '_' || c.is_alphanumeric());
    let operator = matches!(
        text,
        "[]" | "[]="
            | "+"
            | "-"
            | "*"
            | "/"
            | "%"
            | "**"
            | "=="
            | "!="
            | "<"
            | ">"
            | "<="
            | ">="
            | "<=>"
            | "==="
            | "<<"
            | ">>"
            | "!"
            | "=~"
            | "&"
            | "|"
            | "^"
            | "~"
    );
    if plain || operator {
        out.push_str(text);
    } else {
        push_inspected(text, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_quoted() {
        assert_eq!(inspect_text("a\"#{b}\n\u{7f}\u{2028}é\u{10ffff}"), "\"a\\\"\\#{b}\\n\\u007F\\u2028é\\u{10FFFF}\"");
    }
}

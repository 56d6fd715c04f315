//! The classes of values: their names in messages, and their ancestors.
//!
//! 3.x functions receive references as `Puppet::Resource`, all other code as types. So there are two functions for each name, such as
//! `class_name` for 3.x functions and `plain_class_name` for all other code.
//!
//! In: values and names of classes. Out: names. Must not: know methods.

use crate::types::Type;
use crate::value::Value;
use crate::value::ruby::inspect;

/// The name of a value's class in 3.x functions.
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

/// The name of a value's class outside of 3.x functions: references are types, except those that a 3.x function returned.
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
        // 3.x functions receive references as resources.
        _ => "Puppet::Resource",
    }
}

/// The name of a value in messages about implicit conversions, in 3.x functions: `nil`, `true` or the class.
pub fn conversion_name(value: &Value) -> &'static str {
    match value {
        Value::Undef => "nil",
        Value::Bool(true) => "true",
        Value::Bool(false) => "false",
        other => class_name(other),
    }
}

/// [`conversion_name`] outside of 3.x functions.
pub fn plain_conversion_name(value: &Value) -> &'static str {
    match value {
        Value::Type(_) => plain_class_name(value),
        other => conversion_name(other),
    }
}

/// The receiver in `undefined method … for RECEIVER`, in 3.x functions: `inspect` and class. An `inspect` of the form `#<…>` already
/// contains the class.
pub fn receiver(value: &Value) -> String {
    let inspected = inspect(value);
    if inspected.starts_with('#') { inspected } else { format!("{inspected}:{}", class_name(value)) }
}

/// [`receiver`] outside of 3.x functions: types and objects are printed as their class and their Puppet source.
pub fn plain_receiver(value: &Value) -> String {
    match value {
        Value::Type(_) | Value::Timestamp(_) | Value::Timespan(_) | Value::Binary(_) | Value::Object(_) => {
            format!("#<{} {}>", plain_class_name(value), crate::value::to_puppet_string(value))
        }
        Value::Iterator(iterator) => iterator.receiver(),
        other => receiver(other),
    }
}

/// The right operand in messages about comparisons: simple values by `inspect`, others by their class.
pub(crate) fn operand_name(value: &Value) -> String {
    match value {
        Value::Undef | Value::Default | Value::Symbol(_) | Value::Bool(_) | Value::Int(_) | Value::Float(_) => {
            inspect(value)
        }
        other => class_name(other).to_owned(),
    }
}

/// Whether a known class inherits from or includes `ancestor`: `Runtime['ruby', …]`, `is_a?`.
pub fn inherits_from(class: &str, ancestor: &str) -> bool {
    parents(class).is_some_and(|parents| {
        matches!(ancestor, "Object" | "Kernel" | "BasicObject")
            || parents.iter().any(|parent| *parent == ancestor || inherits_from(parent, ancestor))
    })
}

/// Whether a class of this name is known.
pub fn is_class(class: &str) -> bool {
    parents(class).is_some()
}

/// The superclass of a class and the modules it includes, without those of all objects; `None` for an unknown class.
fn parents(class: &str) -> Option<&'static [&'static str]> {
    Some(match class.strip_prefix("Puppet::Pops::Types::") {
        Some(name) => return type_parents(name),
        None => match class {
            "Object" | "NilClass" | "TrueClass" | "FalseClass" | "Proc" | "Method" | "Regexp" | "MatchData"
            | "Exception" | "Module" => &[],
            "String" | "Symbol" | "Numeric" | "Time" | "Date" | "Pathname" | "IPAddr" | "Gem::Version" => {
                &["Comparable"]
            }
            "Integer" | "Float" | "Rational" | "Complex" | "BigDecimal" => &["Numeric"],
            "DateTime" => &["Date"],
            "Array" | "Hash" | "Range" | "Set" | "Struct" | "Enumerator" | "Dir" | "IO" | "Puppet::Resource" => {
                &["Enumerable"]
            }
            "Class" => &["Module"],
            "File" => &["IO"],
            "URI::HTTPS" => &["URI::HTTP"],
            "URI::LDAPS" => &["URI::LDAP"],
            "URI::WSS" => &["URI::WS"],
            "URI::HTTP" | "URI::FTP" | "URI::MailTo" | "URI::LDAP" | "URI::File" | "URI::WS" => &["URI::Generic"],
            "URI::Generic" => &["URI"],
            "Puppet::Pops::Time::Timestamp" | "Puppet::Pops::Time::Timespan" => &["Puppet::Pops::Time::TimeData"],
            "Puppet::Pops::Time::TimeData" => &["Puppet::Pops::LabelProvider", "Numeric"],
            "SemanticPuppet::Version" => &["Numeric"],
            "SemanticPuppet::VersionRange" | "Puppet::DataTypes::Error" => &[],
            _ => return None,
        },
    })
}

/// The parents of a class in `Puppet::Pops::Types`, by the rest of its name.
fn type_parents(name: &str) -> Option<&'static [&'static str]> {
    Some(match name {
        "PAnyType" => &["Puppet::Pops::Types::TypedModelObject"],
        "TypedModelObject" => {
            &["Puppet::Pops::Adaptable", "Puppet::Pops::Visitable", "Puppet::Pops::Types::PuppetObject"]
        }
        "PBinaryType"
        | "PCallableType"
        | "PCatalogEntryType"
        | "PCollectionType"
        | "PDefaultType"
        | "PRuntimeType"
        | "PScalarType"
        | "PSemVerRangeType"
        | "PTypeAliasType"
        | "PTypeReferenceType"
        | "PTypeWithContainedType"
        | "PUndefType"
        | "PUnitType" => &["Puppet::Pops::Types::PAnyType"],
        "PStructType" | "PTupleType" | "PVariantType" => &["Puppet::Pops::Types::PAnyType", "Enumerable"],
        "PObjectTypeExtension" | "PURIType" => {
            &["Puppet::Pops::Types::TypeWithMembers", "Puppet::Pops::Types::PAnyType"]
        }
        "PMetaType" => &["Puppet::Pops::Types::Annotatable", "Puppet::Pops::Types::PAnyType"],
        "PObjectType" => &["Puppet::Pops::Types::TypeWithMembers", "Puppet::Pops::Types::PMetaType"],
        "PTypeSetType" => &["Puppet::Pops::Types::PMetaType"],
        "PArrayType" | "PHashType" => &["Puppet::Pops::Types::PCollectionType"],
        "PClassType" | "PResourceType" => &["Puppet::Pops::Types::PCatalogEntryType"],
        "PInitType" | "PIterableType" | "PIteratorType" | "PNotUndefType" | "POptionalType" | "PSensitiveType"
        | "PTypeType" => &["Puppet::Pops::Types::PTypeWithContainedType"],
        "PScalarDataType" | "PRegexpType" | "PSemVerType" | "PAbstractTimeDataType" => {
            &["Puppet::Pops::Types::PScalarType"]
        }
        "PBooleanType" | "PEnumType" | "PNumericType" | "PPatternType" | "PStringType" => {
            &["Puppet::Pops::Types::PScalarDataType"]
        }
        "PIntegerType" | "PFloatType" => &["Puppet::Pops::Types::PNumericType"],
        "PTimestampType" | "PTimespanType" => &["Puppet::Pops::Types::PAbstractTimeDataType"],
        "PSensitiveType::Sensitive" | "PBinaryType::Binary" => &[],
        "Iterator" | "Iterable::TreeIterator" => &["Puppet::Pops::Types::Iterable"],
        "HashIterator" => &["Puppet::Pops::Types::Iterator"],
        "StepIterator" | "IntegerRangeIterator" => &["Puppet::Pops::Types::Iterator", "Enumerable"],
        "Iterable::DepthFirstTreeIterator" | "Iterable::BreadthFirstTreeIterator" => {
            &["Puppet::Pops::Types::Iterable::TreeIterator"]
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ancestors() {
        assert!(inherits_from("Puppet::Pops::Types::PIntegerType", "Puppet::Pops::Types::PScalarType"));
        assert!(inherits_from("SemanticPuppet::Version", "Comparable") && inherits_from("NilClass", "Kernel"));
        assert!(!inherits_from("SemanticPuppet::VersionRange", "Range") && !inherits_from("Nonsense", "Object"));
    }
}

//! Types of the language by name, and names that strings may use.
//!
//! In: a name. Out: the type. Must not: look at parameters.

use std::sync::Arc;

use super::AliasResolver;
use crate::types::ObjectType;
use crate::types::ResourceType;
use crate::types::Type;
use crate::types::alias::built_in;
use catwalk_base::diag::Reason;

/// Resource types that exist in every environment.
const RESOURCE_TYPES: [&str; 15] = [
    "Component",
    "Exec",
    "File",
    "Filebucket",
    "Group",
    "Node",
    "Notify",
    "Package",
    "Resources",
    "Schedule",
    "Service",
    "Stage",
    "Tidy",
    "User",
    "Whit",
];

/// A type of the language by its name in any case: `integer` and `Integer` are one.
#[must_use]
pub fn language_type(name: &str) -> Option<Type> {
    let lower = name.to_ascii_lowercase();
    Some(match lower.as_str() {
        "any" => Type::Any,
        "typealias" => crate::types::alias::unresolved(),
        "undef" => Type::Undef,
        "default" => Type::Default,
        "scalar" => Type::Scalar,
        "scalardata" => Type::ScalarData,
        "numeric" => Type::Numeric,
        "catalogentry" => Type::CatalogEntry,
        "binary" => Type::Binary,
        "semverrange" => Type::SemVerRange,
        "boolean" => Type::Boolean(None),
        "integer" => Type::INTEGER,
        "float" => Type::FLOAT,
        "string" => Type::String,
        "enum" => Type::any_enum(),
        "pattern" => Type::any_pattern(),
        "regexp" => Type::Regexp(None),
        "collection" => Type::Collection(None),
        "array" => Type::any_array(),
        "hash" => Type::any_hash(),
        "tuple" => Type::any_tuple(),
        "struct" => Type::any_struct(),
        "optional" => Type::Optional(None),
        "notundef" => Type::NotUndef(None),
        "variant" => Type::any_variant(),
        "iterable" => Type::Iterable(None),
        "iterator" => Type::Iterator(None),
        "callable" => Type::any_callable(),
        "sensitive" => Type::Sensitive(None),
        "timestamp" => Type::Timestamp(None),
        "timespan" => Type::Timespan(None),
        "semver" => Type::any_semver(),
        "uri" => Type::Uri(None),
        "type" => Type::Type(None),
        "init" => Type::any_init(),
        "runtime" => Type::any_runtime(),
        "object" => Type::any_object(),
        "typeset" => Type::TypeSet(None),
        "typereference" => Type::Reference(Arc::from(crate::types::alias::UNRESOLVED)),
        "resource" => Type::any_resource(),
        "class" => Type::Class(None),
        _ => return built_in(name).or_else(|| predefined_type(name)),
    })
}

pub(super) fn predefined_type(name: &str) -> Option<Type> {
    match name.strip_prefix("::").unwrap_or(name) {
        "Deferred" => Some(Type::Object(ObjectType::deferred())),
        "Error" => Some(Type::Object(ObjectType::error())),
        "Annotation" => Some(Type::Object(ObjectType::annotation())),
        "RubyMethod" => Some(Type::Object(ObjectType::ruby_method())),
        "Pcore" => Some(Type::Object(ObjectType::pcore())),
        "Puppet::LookupContext" => Some(Type::Object(ObjectType::lookup_context())),
        name => {
            if let Some(t) = crate::types::object::pcore_type(name) {
                return Some(t);
            }
            let known = RESOURCE_TYPES.iter().find(|known| known.eq_ignore_ascii_case(name))?;
            let type_name = Some(Arc::from(*known));
            Some(Type::Resource(Arc::new(ResourceType { type_name, ..ResourceType::default() })))
        }
    }
}

/// Returns the type of a name; an unknown name becomes a [`Type::Reference`].
///
/// # Errors
///
/// Returns the error of the resolver.
pub fn resolve_name(name: &str, resolver: &mut dyn AliasResolver) -> Result<Type, Reason> {
    // Types of the language also have absolute names, from the loader of built-in types.
    match language_type(name.strip_prefix("::").unwrap_or(name)) {
        Some(Type::Object(object)) if resolver.is_static() && object == ObjectType::error() => {}
        Some(Type::Resource(resource)) if !resolver.has_resource_types() && resource.type_name.is_some() => {}
        Some(t) => return Ok(t),
        None => {}
    }
    Ok(resolver.resolve(name)?.unwrap_or_else(|| Type::Reference(Arc::from(name))))
}

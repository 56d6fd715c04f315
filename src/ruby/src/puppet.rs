//! Puppet's classes as Ruby code sees them: the scope, functions of both APIs, data types, the catalog, settings; templates.
//!
//! In: calls of methods of these classes. Out: their results.

pub(crate) mod automatic_relations;
pub(crate) mod catalog;
pub(crate) mod data_type;
pub(crate) mod environment;
pub(crate) mod function;
pub(crate) mod function_call;
pub(crate) mod function_checks;
pub(crate) mod function_precedence;
pub(crate) mod host_classes;
pub(crate) mod log_call;
pub(crate) mod module_functions;
pub(crate) mod object_type_methods;
pub(crate) mod objects;
pub(crate) mod scope;
pub(crate) mod scope_defaults;
pub(crate) mod scope_methods;
pub(crate) mod scope_names;
pub(crate) mod template;
pub(crate) mod type_factory;
pub(crate) mod type_methods;
pub(crate) mod util;

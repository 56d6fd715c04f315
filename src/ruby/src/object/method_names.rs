//! The methods that values have in Ruby.
//!
//! In: a value and a name. Out: whether Ruby has such a method, for `respond_to?` and messages about unsupported methods. Must
//! not: call any.

use crate::object::ruby_methods;
use crate::value::Rv;

pub(crate) use crate::object::ruby_methods::is_private_method;

/// Whether Ruby has such a method, supported by Catwalk or not.
pub fn is_ruby_method(value: &Rv, name: &str) -> bool {
    match value {
        Rv::Class(class) => ruby_methods::has_class_method(class.as_str(), name),
        Rv::Exception(exception) if !ruby_methods::has_class(exception.class.as_str()) => {
            ruby_methods::has_method("Exception", name)
        }
        // Sets and addresses are instances of Ruby's `Set` and `IPAddr`, whatever represents them here.
        other => ruby_methods::has_method(other.class(), name),
    }
}

/// Methods of the object itself rather than of the value inside it.
pub const OBJECT_METHODS: &[&str] = &[
    "class",
    "is_a?",
    "kind_of?",
    "instance_of?",
    "respond_to?",
    "instance_variable_get",
    "instance_variable_set",
    "instance_variable_defined?",
    "instance_variables",
    "send",
    "public_send",
    "__send__",
    "method",
    "tap",
    "then",
    "nil?",
    "extend",
    "instance_eval",
    "instance_exec",
    "define_singleton_method",
    "singleton_class",
    "equal?",
    "itself",
    "freeze",
];

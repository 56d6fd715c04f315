//! The methods that values have in Ruby.
//!
//! In: a value and a name. Out: whether Ruby has such a method, for `respond_to?` and messages about unsupported methods. Must
//! not: call any.

use crate::object::ruby_methods;
use crate::value::Rv;

pub(crate) use crate::object::ruby_methods::is_private_method;

/// Whether Ruby has such a method, supported by Catwalk or not.
pub(crate) fn is_ruby_method(value: &Rv, name: &str) -> bool {
    match value {
        Rv::Class(class) => ruby_methods::has_class_method(class.as_str(), name),
        Rv::Exception(exception) if !ruby_methods::has_class(exception.class.as_str()) => {
            ruby_methods::has_method("Exception", name)
        }
        // Sets and addresses are instances of Ruby's `Set` and `IPAddr`, whatever represents them here.
        other => ruby_methods::has_method(other.class(), name),
    }
}

//! Which methods values have in Ruby.
//!
//! In: a value and a name. Out: whether Ruby has such a method, which `respond_to?` and messages about what is not built ask.
//! Must not: call any.

use crate::object::ruby_methods;
use crate::value::Rv;

pub(crate) use crate::object::ruby_methods::is_private;

/// Whether Ruby has such a method, also when it is not built here.
pub(crate) fn is_ruby_method(value: &Rv, name: &str) -> bool {
    match value {
        Rv::Class(class) => ruby_methods::of_class(class.as_str(), name),
        Rv::Exception(exception) if !ruby_methods::has_class(exception.class.as_str()) => {
            ruby_methods::has("Exception", name)
        }
        // A set as the program sees it is one of Ruby's, an address one of `IPAddr`, whatever class stands for them here.
        other => ruby_methods::has(other.class(), name),
    }
}

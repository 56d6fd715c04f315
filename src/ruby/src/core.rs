//! Ruby's core classes, one file per class: each has the table of its methods ([`crate::object::Class`]) and their functions.
//!
//! In: a receiver of the class, arguments whose number was checked, a block. Out: the result of the method. Must not: look up
//! methods of other classes by name if a function can be called.

pub(crate) mod array;
pub mod big_integer;
pub(crate) mod bytes;
mod common_methods;
pub(crate) mod comparable;
pub(crate) mod compare;
pub(crate) mod enumerable;
pub(crate) mod enumerator;
pub(crate) mod every_object;
pub(crate) mod exception;
pub(crate) mod float;
pub(crate) mod hash;
pub(crate) mod inspect;
pub(crate) mod integer;
pub(crate) mod ipaddr;
pub(crate) mod kernel;
mod kernel_conversions;
pub(crate) mod kernel_definitions;
pub(crate) mod match_data;
pub(crate) mod math;
pub(crate) mod module;
pub(crate) mod nil_class;
pub(crate) mod number;
pub(crate) mod object;
pub(crate) mod pack;
pub(crate) mod proc;
pub(crate) mod random;
pub(crate) mod range;
pub(crate) mod regexp;
pub(crate) mod set;
pub(crate) mod string;
pub(crate) mod string_helpers;
pub(crate) mod symbol;
pub(crate) mod time;
pub(crate) mod unpack;
pub(crate) mod version;
mod walk;

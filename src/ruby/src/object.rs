//! Ruby's own classes: tables of their methods, method lookup, constants and the construction of objects.
//!
//! | file | content |
//! |---|---|
//! | `class` | [`Class`], [`Method`], `Arity`: the types of the tables in `core/` |
//! | `registry` | all classes with tables, the class of a value, and the method that a call reaches: [`find`] |
//! | `ruby_methods` | all methods of Ruby: unsupported ones are refused with an error, and `respond_to?` finds them |
//! | `class_methods`, `module_functions` | methods of classes and modules themselves (`Time.now`) |
//! | `builtin_classes`, `constant_lookup` | names of Ruby's and Puppet's classes, values of constants |
//! | `construct`, `native_methods` | `Class.new`; methods of objects whose class inherits from one of Ruby's own |
//! | `kind`, `object_flags` | `is_a?` and `respond_to?`; frozen objects and singleton classes |
//!
//! Classes and methods of the program are in [`crate::machine::definitions`]; they are looked up first.

pub(crate) mod builtin_classes;
pub(crate) mod class;
pub(crate) mod class_methods;
pub(crate) mod constant_lookup;
pub(crate) mod construct;
pub(crate) mod kind;
pub(crate) mod method_names;
pub(crate) mod module_functions;
pub(crate) mod native_methods;
pub(crate) mod object_flags;
mod registry;
pub(crate) mod ruby_methods;
#[cfg(test)]
mod tests;

pub(crate) use class::Class;
pub(crate) use class::Method;
pub(crate) use registry::MethodId;
pub(crate) use registry::class_of;
pub(crate) use registry::find;
pub(crate) use registry::find_singleton;

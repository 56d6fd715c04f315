//! What classes, methods, exceptions and frames are: the types that the classes in `core` and evaluation use.
//!
//! | file | content |
//! |---|---|
//! | `class` | [`Class`], [`Method`], [`Function`], `Arity`: the types of the tables in `core/` |
//! | `definitions`, `visibility` | classes and methods of the program; the order of method lookup |
//! | `frame`, `frame_pool` | local variables of running code |
//! | `exception` | exceptions and jumps |
//! | `ruby_methods`, `method_names` | all methods of Ruby: unsupported ones are refused with an error, and `respond_to?` finds them |
//! | `builtin_classes` | names of Ruby's classes |
//! | `kind`, `object_flags` | `is_a?` and `respond_to?`; frozen objects and singleton classes |
//!
//! Must not: know a single class.

pub(crate) mod builtin_classes;
pub(crate) mod class;
pub(crate) mod definitions;
pub(crate) mod exception;
pub(crate) mod frame;
mod frame_pool;
pub(crate) mod kind;
pub(crate) mod method_names;
pub(crate) mod object_flags;
pub(crate) mod ruby_methods;
pub(crate) mod visibility;

pub(crate) use class::Class;
pub(crate) use class::Function;
pub(crate) use class::Method;

//! Evaluation: expressions, calls, blocks, constants; which method of which class a call reaches; construction of objects.
//!
//! In: trees of [`catwalk_ruby_syntax::ast`]. Out: values. Must not: know methods of single classes.

pub(crate) mod assign;
pub(crate) mod block;
pub(crate) mod call;
pub(crate) mod class_methods;
pub(crate) mod constant_lookup;
pub(crate) mod construct;
pub(crate) mod control;
pub(crate) mod define;
pub(crate) mod dispatch;
pub(crate) mod expression;
pub(crate) mod method_cache;
pub(crate) mod method_call;
pub(crate) mod native_methods;
pub(crate) mod operator_call;
pub(crate) mod operators;
pub(crate) mod pattern;
mod reflection;
pub(crate) mod registry;
mod skipped_call;
pub(crate) mod string_literal;
#[cfg(test)]
mod tests;
pub(crate) mod variables;

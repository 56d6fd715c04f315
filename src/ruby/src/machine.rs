//! Evaluation: expressions, calls, blocks, frames, exceptions and definitions of programs.
//!
//! In: trees of [`catwalk_ruby_syntax::ast`]. Out: values. Must not: know methods of single classes.

pub(crate) mod assign;
pub(crate) mod block;
pub(crate) mod call;
pub(crate) mod control;
pub(crate) mod define;
pub(crate) mod definitions;
pub(crate) mod dispatch;
pub(crate) mod exception;
pub(crate) mod expression;
pub(crate) mod frame;
pub(crate) mod frame_pool;
pub(crate) mod method_cache;
pub(crate) mod method_call;
pub(crate) mod operator_call;
pub(crate) mod operators;
pub(crate) mod pattern;
pub(crate) mod string_literal;
pub(crate) mod variables;
pub(crate) mod visibility;

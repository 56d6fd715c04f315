//! Conversion of values between Ruby and the Puppet language, and the interpreter as the Puppet evaluator calls it.

pub(crate) mod block_call;
pub(crate) mod convert;
pub(crate) mod interpreter;
pub(crate) mod object_store;
pub(crate) mod shared_collections;

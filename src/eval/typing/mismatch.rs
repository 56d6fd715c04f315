//! Stand-in for mismatch texts.

use std::sync::Arc;

use crate::types::CallableType;
use crate::types::StructElement;
use crate::types::Type;
use crate::value::Hash;

/// A signature as messages show it.
#[derive(Debug)]
pub struct Signature<'a> {
    /// Its type.
    pub callable: &'a CallableType,
    /// Parameter names.
    pub names: &'a [Arc<str>],
    /// Name of the block.
    pub block: Option<&'a str>,
}

/// Why no signature fits.
#[must_use]
pub fn describe_signatures(name: &str, signatures: &[Signature<'_>], args: &Type) -> String {
    let label = if name == "lambda" { "block".to_owned() } else { format!("'{name}'") };
    format!("{label} was called with arguments it does not accept: {args} (of {} signatures)", signatures.len())
}

/// Why a value is not of a type.
#[must_use]
pub fn describe_mismatch(name: &str, expected: &Type, actual: &Type) -> String {
    format!("{name} had wrong type, expects a value of type {expected}, got {actual}")
}

/// Why parameters do not fit.
#[must_use]
pub fn validate_parameters(_: &str, _: &[StructElement], _: &Hash, _: bool) -> Option<String> {
    None
}

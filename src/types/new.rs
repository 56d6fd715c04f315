//! Making values: `Type.new(…)`.

use crate::diag::Reason;
use crate::types::InitType;
use crate::types::Type;
use crate::types::is_assignable;
use crate::types::is_instance;
use crate::value::Value;

/// `t.new(args)`.
///
/// # Errors
/// The reference's messages.
pub fn new_instance(t: &Type, _args: &[Value]) -> Result<Value, Reason> {
    Err(Reason::unsupported(&format!("{t}.new")))
}

/// Whether a value is accepted by the `new` an `Init` type stands for.
pub(super) fn init_instance(init: &InitType, value: &Value) -> bool {
    init.target.as_ref().is_some_and(|t| is_instance(t, value))
}

/// Whether all values of a type are accepted by the `new` an `Init` type stands for.
pub(super) fn init_assignable(init: &InitType, other: &Type) -> bool {
    init.target.as_ref().is_some_and(|t| is_assignable(t, other))
}

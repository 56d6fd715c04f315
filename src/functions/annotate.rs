//! `annotate`

use crate::diag::Reason;
use crate::eval::Call;
use crate::eval::Res;
use crate::functions::Function;
use crate::value::Value;

pub(super) const FUNCTION: Function = Function {
    name: "annotate",
    signatures: &[("Any $type, Any $value, Any *$annotations, Optional[Callable] &$block", annotate)],
    doc: "Annotations of objects.",
    examples: &[],
};

fn annotate(_call: &mut Call<'_, '_>) -> Res<Value> {
    Err(Reason::unsupported("annotations of objects").into())
}

//! `scanf`

use crate::functions::Function;

pub(super) const FUNCTION: Function = Function {
    name: "scanf",
    signatures: &[("String $data, String $format, Optional[Callable] &$block", |call| call.unsupported("scanf()"))],
    doc: "Values read from a text by a format.",
    examples: &[],
};

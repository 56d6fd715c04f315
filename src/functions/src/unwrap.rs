//! `unwrap`

use crate::Function;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_value::value::Value;
use catwalk_value::value::secret;

pub(super) const FUNCTION: Function = Function {
    name: "unwrap",
    signatures: &[
        ("Sensitive $arg, Optional[Callable] &$block", unwrap),
        ("Any $arg, Optional[Callable] &$block", unwrap),
    ],
    doc: "Gives the value inside a Sensitive, in the clear; with a block, the block gets it and gives the result. Any \
          other value is given as it is.",
    examples: &[("unwrap(Sensitive('x'))", "'x'"), ("Sensitive(2).unwrap |$x| { $x + 1 }", "3"), ("unwrap(1)", "1")],
};

fn unwrap(call: &mut Call<'_, '_>) -> Res<Value> {
    let value = match call.arg(0) {
        Value::Sensitive(inner) => {
            secret::reveal(inner);
            inner.as_ref().clone()
        }
        other => other.clone(),
    };
    if call.block.is_some() { call.call_block(&[value]) } else { Ok(value) }
}

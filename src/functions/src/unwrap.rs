//! `unwrap`

use crate::Function;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_value::Value;
use catwalk_value::secret;

pub(super) const FUNCTION: Function = Function {
    name: "unwrap",
    signatures: &[
        ("Sensitive $arg, Optional[Callable] &$block", unwrap),
        ("Any $arg, Optional[Callable] &$block", unwrap),
    ],
    doc: "Returns the value inside a Sensitive, in clear text; a block receives it and returns the result. Any other \
          value is returned unchanged.",
    examples: &[("unwrap(Sensitive('x'))", "'x'"), ("Sensitive(2).unwrap |$x| { $x + 1 }", "3"), ("unwrap(1)", "1")],
};

fn unwrap(call: &mut Call<'_, '_>) -> Res<Value> {
    let value = match call.arg(0) {
        Value::Sensitive(inner) => {
            secret::reveal(inner, call.ev.world.secrets());
            inner.as_ref().clone()
        }
        other => other.clone(),
    };
    if call.block.is_some() { call.call_block(&[value]) } else { Ok(value) }
}

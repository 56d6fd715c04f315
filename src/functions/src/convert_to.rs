//! `convert_to`

use crate::Function;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_value::Value;

pub(super) const FUNCTION: Function = Function {
    name: "convert_to",
    signatures: &[("Any $value, Type $type, Any *$args, Optional[Callable[1,1]] &$block", convert_to)],
    doc: "Calls `new` of a type with the value as first argument, so that a conversion can end a chain of calls: \
          `$x.convert_to(Integer)` is `Integer.new($x)`. Further arguments are passed to `new`; a block receives the \
          new value, and its result is returned.",
    examples: &[
        ("'0x10'.convert_to(Integer)", "16"),
        ("'0xff'.convert_to(Integer, 16)", "255"),
        ("'1'.convert_to(Integer) |$n| { $n + 1 }", "2"),
    ],
};

fn convert_to(call: &mut Call<'_, '_>) -> Res<Value> {
    let mut args = vec![call.arg(1).clone(), call.arg(0).clone()];
    args.extend(call.args.iter().skip(2).cloned());
    let result = call.call_function("new", &args)?;
    if call.block.is_some() { call.call_block(&[result]) } else { Ok(result) }
}

//! `realize`

use crate::Function;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_eval::runtime3;
use catwalk_value::Value;

pub(super) const FUNCTION: Function = Function {
    name: "realize",
    signatures: &[("Any *$references", realize)],
    doc: "Makes virtual resources real, as a collector `Type<| title == … |>` does, even if they are declared later. \
          Takes references and arrays of them. A reference to a resource that is never declared is an error at the end \
          of the compile.",
    examples: &[
        ("@notify { 'x': }\nrealize(Notify['x'])\ndefined(Notify['x'])", "true"),
        ("@notify { ['a', 'b']: }\nrealize([Notify['a'], Notify['b']])", "undef"),
    ],
};

fn realize(call: &mut Call<'_, '_>) -> Res<Value> {
    let args = runtime3::at_least(call, 1)?;
    let targets = call.ev.realize_targets(&Value::array(args.to_vec()))?;
    call.ev.realize(targets);
    Ok(Value::Undef)
}

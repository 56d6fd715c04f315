//! `realize`

use crate::eval::Call;
use crate::eval::Res;
use crate::eval::Stop;
use crate::functions::Function;
use crate::value::Value;

pub(super) const FUNCTION: Function = Function {
    name: "realize",
    signatures: &[("Any *$references", realize)],
    doc: "Makes virtual resources real, also when they are declared only later.",
    examples: &[],
};

fn realize(call: &mut Call<'_, '_>) -> Res<Value> {
    if call.args.is_empty() {
        return Err(Stop::runtime("realize(): Wrong number of arguments given (0 for minimum 1)"));
    }
    let wanted = call.ev.references(&Value::array(call.args.to_vec()))?;
    call.ev.realize(wanted);
    Ok(Value::Undef)
}

//! `realize`

use crate::diag::Diagnostic;
use crate::diag::Reason;
use crate::eval::Call;
use crate::eval::Res;
use crate::eval::Stop;
use crate::functions::Function;
use crate::value::Value;

pub(super) const FUNCTION: Function = Function {
    name: "realize",
    signatures: &[("Any *$references", realize)],
    doc: "Makes virtual resources real, as a collector `Type<| title == … |>` does, also when they are declared only \
          later. Takes references and arrays of them. A reference to what is never declared is an error at the end.",
    examples: &[
        ("@notify { 'x': }\nrealize(Notify['x'])\ndefined(Notify['x'])", "true"),
        ("@notify { ['a', 'b']: }\nrealize([Notify['a'], Notify['b']])", "undef"),
    ],
};

fn realize(call: &mut Call<'_, '_>) -> Res<Value> {
    if call.args.is_empty() {
        return Err(Stop::runtime("realize(): Wrong number of arguments given (0 for minimum 1)"));
    }
    let wanted = call.ev.references(&Value::array(call.args.to_vec())).map_err(|stop| match stop {
        // The reference makes its references only when it collects: the call has no part in the failure.
        Stop::Reason(reason) => {
            let text = format!("Puppet::Parser::Compiler failed with error ArgumentError: {}", reason.message);
            Stop::Failed(Box::new(Diagnostic::new(Reason { message: text.into(), ..*reason }, None)))
        }
        other => other,
    })?;
    call.ev.realize(wanted);
    Ok(Value::Undef)
}

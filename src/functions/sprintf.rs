//! `sprintf`

use crate::diag::Reason;
use crate::eval::Call;
use crate::eval::Res;
use crate::functions::Function;
use crate::functions::ruby;
use crate::functions::runtime3;
use crate::value::Value;
use crate::value::sprintf;

pub(super) const FUNCTION: Function = Function {
    name: "sprintf",
    signatures: &[("Any *$args", format)],
    doc: "Text by a format with values for its directives; named ones (`%<x>d`, `%{x}`) take them from a hash.",
    examples: &[("sprintf('%03d|%-3s|%x', 7, 'a', 255)", "'007|a  |ff'"), ("sprintf('%<a>s', {'a' => 1})", "'1'")],
};

fn format(call: &mut Call<'_, '_>) -> Res<Value> {
    let args = runtime3::at_least(call, 1)?;
    let (template, values) = match args.as_ref() {
        [template, values @ ..] => (ruby::to_s(template), values),
        [] => return Ok(Value::Undef),
    };
    Ok(Value::from(sprintf::sprintf(&template, values).map_err(Reason::runtime)?))
}

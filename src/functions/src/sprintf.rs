//! `sprintf`

use crate::Function;
use catwalk_base::diag::Reason;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_eval::runtime3;
use catwalk_eval::runtime3::fail;
use catwalk_value::Value;
use catwalk_value::ruby;
use catwalk_value::sprintf;

pub(super) const FUNCTION: Function = Function {
    name: "sprintf",
    signatures: &[("Any *$args", format)],
    doc: "Returns a string in which the directives of a format are replaced by the further arguments: `%s` string, \
          `%d` Integer, `%f` and `%e` Float, `%x` `%o` `%b` other bases, `%p` as written in code, `%%` a percent sign; \
          with flags, width and precision as in Ruby. Named directives `%<x>d` and `%{x}` take values from a hash.",
    examples: &[
        ("sprintf('%03d|%-3s|%x', 7, 'a', 255)", "'007|a  |ff'"),
        ("sprintf('%<a>s is %<b>.2f', {'a' => 'pi', 'b' => 3.14159})", "'pi is 3.14'"),
        ("sprintf('%d %%', 5)", "'5 %'"),
    ],
};

fn format(call: &mut Call<'_, '_>) -> Res<Value> {
    let args = runtime3::at_least(call, 1)?;
    let (template, values) = match args.as_ref() {
        [Value::Str(template), values @ ..] => (template, values),
        [other, ..] => {
            return fail(format!("no implicit conversion of {} into String", ruby::conversion_name(other)));
        }
        [] => return Ok(Value::Undef),
    };
    let values = values.iter().map(|value| call.ev.convert_3x_result(value.clone())).collect::<Res<Vec<Value>>>()?;
    Ok(Value::from(sprintf::sprintf(template, &values).map_err(Reason::runtime)?))
}

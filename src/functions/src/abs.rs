//! `abs`

use crate::Function;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_eval::runtime3;
use catwalk_eval::runtime3::fail;
use catwalk_value::Value;
use catwalk_value::ruby;

pub(super) const FUNCTION: Function = Function {
    name: "abs",
    signatures: &[("Numeric $val", on_numeric), ("String $val", on_string)],
    doc: "Returns the absolute value of a number, as an Integer or a Float like the argument. A String of decimal \
          digits is converted first, with a deprecation warning; any other String fails.",
    examples: &[("abs(-3)", "3"), ("abs(-2.5)", "2.5"), ("abs('-7')", "7")],
};

fn on_numeric(call: &mut Call<'_, '_>) -> Res<Value> {
    Ok(match call.arg(0) {
        Value::Int(n) => n.checked_abs().map_or_else(|| Value::integer(n.unsigned_abs()), Value::Int),
        Value::BigInt(n) => Value::integer(n.magnitude().clone()),
        Value::Float(f) => Value::Float(f.abs()),
        other => other.clone(),
    })
}

/// The conversion of strings is deprecated, but supported, for decimal notation only.
fn on_string(call: &mut Call<'_, '_>) -> Res<Value> {
    let message = "The abs() function's auto conversion of String to Numeric is deprecated - change to convert input before \
                calling";
    runtime3::warn_once_without_position(call, message);
    let argument = call.arg(0);
    let string = call.str(0);
    let digits = |string: &str| !string.is_empty() && string.bytes().all(|byte| byte.is_ascii_digit());
    let is_float = |line: &str| line.split_once('.').is_some_and(|(whole, rest)| digits(whole) && digits(rest));
    // One line that is a number is enough, but the whole string is converted.
    let mut lines = string.split('\n').map(|line| line.strip_prefix('-').unwrap_or(line));
    if lines.clone().any(is_float) {
        return Ok(Value::Float(ruby::to_f(string).abs()));
    }
    match ruby::to_integer(argument) {
        Some(Value::Int(n)) if lines.any(digits) => {
            Ok(n.checked_abs().map_or_else(|| Value::integer(n.unsigned_abs()), Value::Int))
        }
        Some(Value::BigInt(n)) if lines.any(digits) => Ok(Value::integer(n.magnitude().clone())),
        _ => fail("abs(): Requires float or integer to work with - was given non decimal string"),
    }
}

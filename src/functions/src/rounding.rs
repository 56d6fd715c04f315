//! `ceiling`, `floor`, `round`

use crate::Function;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_eval::runtime3;
use catwalk_eval::runtime3::fail;
use catwalk_value::Value;
use catwalk_value::big;
use catwalk_value::ruby;

pub(super) const CEILING: Function = Function {
    name: "ceiling",
    signatures: &[("Numeric $val", ceiling), ("String $val", round_string)],
    doc: "Returns the smallest Integer that is not less than the number. A String is converted to a number first, with \
          a deprecation warning.",
    examples: &[("ceiling(1.2)", "2"), ("ceiling(-1.2)", "-1")],
};

pub(super) const FLOOR: Function = Function {
    name: "floor",
    signatures: &[("Numeric $val", floor), ("String $val", round_string)],
    doc: "Returns the largest Integer that is not greater than the number. A String is converted to a number first, \
          with a deprecation warning.",
    examples: &[("floor(1.8)", "1"), ("floor(-1.2)", "-2")],
};

pub(super) const ROUND: Function = Function {
    name: "round",
    signatures: &[("Numeric $val", round)],
    doc: "Returns the nearest Integer; halves are rounded away from zero.",
    examples: &[("round(2.5)", "3"), ("round(-2.5)", "-3"), ("round(2.4)", "2")],
};

fn ceiling(call: &mut Call<'_, '_>) -> Res<Value> {
    round_with(call, f64::ceil)
}

fn floor(call: &mut Call<'_, '_>) -> Res<Value> {
    round_with(call, f64::floor)
}

/// The conversion of strings is deprecated, but supported.
fn round_string(call: &mut Call<'_, '_>) -> Res<Value> {
    let name = call.name;
    let message = format!(
        "The {name}() function's auto conversion of String to Float is deprecated - change to convert input \
         before calling"
    );
    runtime3::warn_once_without_position(call, &message);
    if name == "floor" { floor(call) } else { ceiling(call) }
}

/// Integers are rounded as floats, too: large ones lose digits.
fn round(call: &mut Call<'_, '_>) -> Res<Value> {
    let nearest = |f: f64| if f > 0.0 { (f + 0.5).trunc() } else { (f - 0.5).trunc() };
    #[allow(clippy::cast_precision_loss, reason = "as the reference computes")]
    let float = match call.arg(0) {
        Value::Int(n) => *n as f64,
        Value::BigInt(n) => big::to_float(n),
        _ => return round_with(call, nearest),
    };
    big::from_float(nearest(float)).map_or_else(|| fail(ruby::float_to_s(float)), Ok)
}

fn round_with(call: &mut Call<'_, '_>, rounding: fn(f64) -> f64) -> Res<Value> {
    let number = match call.arg(0) {
        number @ (Value::Int(_) | Value::BigInt(_)) => return Ok(number.clone()),
        Value::Float(f) => *f,
        other => match other.as_str().and_then(ruby::kernel_float) {
            Some(f) => f,
            None => return fail(format!("{}(): cannot convert given value to a floating point value.", call.name)),
        },
    };
    match big::from_float(rounding(number)) {
        Some(whole) => Ok(whole),
        None => fail(ruby::float_to_s(number)),
    }
}

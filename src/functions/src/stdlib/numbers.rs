//! `clamp`, `convert_base`, `to_bytes`

use num_bigint::BigInt;

use crate::Function;
use crate::flatten::flat;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_eval::runtime3;
use catwalk_eval::runtime3::fail;
use catwalk_eval::runtime3::no_method;
use catwalk_value::Value;
use catwalk_value::ruby;

pub(super) const CLAMP: Function = Function {
    name: "clamp",
    signatures: &[("Any *$args", clamp)],
    doc: "Returns the middle one of three numbers: a value limited to a range. Arrays among the arguments are \
          flattened; strings that look like numbers are compared as numbers.",
    examples: &[("clamp('24', [575, 187])", "187"), ("clamp(16, 88, 661)", "88")],
};

pub(super) const CONVERT_BASE: Function = Function {
    name: "convert_base",
    signatures: &[("Any *$args", convert_base)],
    doc: "Converts an integer, or a string of decimal digits, to a base from 2 to 36.",
    examples: &[("convert_base(5, 2)", "'101'"), ("convert_base('254', '16')", "'fe'")],
};

pub(super) const TO_BYTES: Function = Function {
    name: "to_bytes",
    signatures: &[("Any *$args", to_bytes)],
    doc: "Converts a size such as `4 kB` to a number of bytes; units are powers of 1024.",
    examples: &[("to_bytes('4 kB')", "4096"), ("to_bytes(3)", "3")],
};

fn is_digits(string: &str) -> bool {
    !string.is_empty() && string.bytes().all(|byte| byte.is_ascii_digit())
}

fn clamp(call: &mut Call<'_, '_>) -> Res<Value> {
    let args = flat(&runtime3::at_least(call, 1)?);
    if args.len() != 3 {
        return fail("clamp(): Wrong number of arguments, need three to clamp");
    }
    // All arguments are checked before the first is converted.
    for value in &args {
        match value {
            Value::Str(string) if !string.split('\n').any(is_digits) => {
                return fail(format!("clamp(): Required explicit numeric ({string}:String)"));
            }
            Value::Hash(_) => {
                return fail(format!("clamp(): The Hash type is not allowed ({})", runtime3::to_s(value)));
            }
            _ => {}
        }
    }
    let mut numbers = Vec::new();
    for value in &args {
        match ruby::to_integer(value).and_then(|number| number.as_big()) {
            Some(number) => numbers.push(number),
            None => return no_method("to_i", value),
        }
    }
    numbers.sort_unstable();
    Ok(numbers.get(1).cloned().map_or(Value::Undef, Value::integer))
}

fn convert_base(call: &mut Call<'_, '_>) -> Res<Value> {
    let args = runtime3::exactly(call, 2)?;
    let read = |at: usize, which: &str| -> Res<BigInt> {
        match args.get(at) {
            Some(number @ (Value::Int(_) | Value::BigInt(_))) => Ok(number.as_big().unwrap_or_default()),
            Some(Value::Str(_)) => Ok(BigInt::ZERO),
            _ => fail(format!("convert_base(): {which} argument must be either a string or an integer")),
        }
    };
    let (mut number, mut base) = (read(0, "First")?, read(1, "Second")?);
    for (at, into) in [(0, &mut number), (1, &mut base)] {
        if let Some(given @ Value::Str(string)) = args.get(at) {
            if !string.split('\n').any(is_digits) {
                return fail(
                    "convert_base(): First argument must be an integer or a string corresponding to an integer in base 10",
                );
            }
            *into = ruby::to_integer(given).and_then(|number| number.as_big()).unwrap_or_default();
        }
    }
    let Some(base) = u32::try_from(base).ok().filter(|base| (2..=36).contains(base)) else {
        return fail("convert_base(): base must be at least 2 and must not be greater than 36");
    };
    Ok(Value::from(number.to_str_radix(base)))
}

fn to_bytes(call: &mut Call<'_, '_>) -> Res<Value> {
    let args = runtime3::args(call)?;
    let string = match args.as_ref() {
        [number @ (Value::Int(_) | Value::BigInt(_) | Value::Float(_))] => return Ok(number.clone()),
        [Value::Str(string)] => string.as_ref(),
        [Value::Symbol(name)] => name.as_ref(),
        // 3.x functions receive the symbol, which Ruby treats as a string here.
        [Value::Default] => "default",
        [other] => {
            return fail(format!("no implicit conversion of {} into String", ruby::conversion_name(other)));
        }
        args => return fail(format!("to_bytes(): Wrong number of arguments given ({} for 1)", args.len())),
    };
    let end = string.find(|c: char| !matches!(c, '0'..='9' | '.' | 'e' | '+' | '-')).unwrap_or(string.len());
    let (number, rest) = string.split_at(end);
    let prefix = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '\x0b').chars().next();
    let shift = match prefix.filter(|c| !matches!(c, 'b' | 'B')) {
        None => 0,
        Some('k') => 10,
        Some('M') => 20,
        Some('G') => 30,
        Some('T') => 40,
        Some('P') => 50,
        Some('E') => 60,
        Some(other) => return fail(format!("to_bytes(): Unknown prefix {other}")),
    };
    let bytes = ruby::to_f(number) * 2.0_f64.powi(shift);
    match catwalk_value::big::from_float(bytes) {
        Some(bytes) => Ok(bytes),
        None => fail("Infinity"),
    }
}

//! `range`

use crate::Function;
use catwalk_base::meter;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_eval::runtime3;
use catwalk_eval::runtime3::fail;
use catwalk_eval::runtime3::no_method;
use catwalk_value::Value;
use catwalk_value::ruby;

pub(super) const FUNCTION: Function = Function {
    name: "range",
    signatures: &[("Any *$args", range)],
    doc: "Returns the integers or strings from the first to the second argument, in steps of the third (1 by default); \
          or the range that a single string describes: `'1..3'`, `'1...3'` without its end, `'a-c'`.",
    examples: &[
        ("range(1, 4)", "[1, 2, 3, 4]"),
        ("range('a', 'e', 2)", "['a', 'c', 'e']"),
        ("range('host01', 'host03')", "['host01', 'host02', 'host03']"),
        ("range('0...2')", "[0, 1]"),
    ],
};

/// The maximum number of elements; further ones are silently dropped.
const MAX_ELEMENTS: usize = 1_000_000;

fn range(call: &mut Call<'_, '_>) -> Res<Value> {
    let args = runtime3::args(call)?;
    let (start, stop, step, exclusive) = match args.as_ref() {
        [] => return fail("range(): Wrong number of arguments given (0 for 1)"),
        [value] => {
            let Value::Str(value) = value else {
                return no_method("match", value);
            };
            let Some((start, stop, exclusive)) = value.split('\n').find_map(parse_range) else {
                let problem = if value.split('\n').any(|line| !line.is_empty()) {
                    "Unable to compute range from the value"
                } else {
                    "Unknown range format"
                };
                return fail(format!("range(): {problem}: {value}"));
            };
            (start.to_owned(), stop.to_owned(), 1, exclusive)
        }
        [start, stop, rest @ ..] => {
            let step = match rest.first() {
                None | Some(Value::Undef) => 1,
                Some(Value::Int(n)) => n.saturating_abs(),
                #[allow(clippy::cast_possible_truncation, reason = "as to_i does")]
                Some(Value::Float(f)) => (*f as i64).saturating_abs(),
                Some(Value::Str(string)) => ruby::to_i(string).saturating_abs(),
                Some(other) => return reject_non_integer(other),
            };
            if step == 0 {
                return fail("range(): 3rd arg (step size) must be a non zero integer (e.g. 1 or -1)");
            }
            if !matches!(stop, Value::Str(_) | Value::Int(_) | Value::Float(_))
                && runtime3::to_s(start).split('\n').any(is_digits)
            {
                return reject_non_integer(stop);
            }
            let first = runtime3::to_s(start).into_owned();
            let last = match stop {
                // `to_i`: the string of a large float reads as a different number.
                Value::Float(f) if first.split('\n').any(is_digits) => catwalk_value::big::from_float(*f),
                _ => None,
            };
            let last = runtime3::to_s(last.as_ref().unwrap_or(stop)).into_owned();
            (first, last, step, false)
        }
    };
    let step = usize::try_from(step).unwrap_or(usize::MAX);
    if start.split('\n').any(is_digits) {
        let number = |string: &str| ruby::to_integer(&Value::from(string)).unwrap_or(Value::Int(0));
        let (start, stop) = match (number(&start), number(&stop)) {
            (Value::Int(start), Value::Int(stop)) => (start, stop),
            (start, stop) => return Ok(big_range(&start, &stop, exclusive, step)),
        };
        let last = if exclusive { stop.checked_sub(1) } else { Some(stop) };
        let numbers = last.map(|last| meter::collect((start..=last).step_by(step).take(MAX_ELEMENTS).map(Value::Int)));
        return Ok(Value::array(numbers.unwrap_or_default()));
    }
    Ok(Value::array(string_range(&start, &stop, exclusive, step)))
}

/// A range with an end beyond 64 bits.
fn big_range(start: &Value, stop: &Value, exclusive: bool, step: usize) -> Value {
    let (Some(mut at), Some(stop)) = (start.as_big(), stop.as_big()) else { return Value::array(Vec::new()) };
    let mut numbers = Vec::new();
    while numbers.len() < MAX_ELEMENTS && (at < stop || (at == stop && !exclusive)) {
        meter::check_elements(numbers.len());
        numbers.push(Value::integer(at.clone()));
        at += step;
    }
    Value::array(numbers)
}

fn is_digits(line: &str) -> bool {
    !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit())
}

fn reject_non_integer(value: &Value) -> Res<Value> {
    no_method("to_i", value)
}

/// `a..b`, `a...b`, `a-b` of word characters.
fn parse_range(line: &str) -> Option<(&str, &str, bool)> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let (start, rest) = line.split_at(line.find(|c: char| !is_word(c))?);
    let (stop, exclusive) = rest
        .strip_prefix("...")
        .map(|stop| (stop, true))
        .or_else(|| rest.strip_prefix("..").or_else(|| rest.strip_prefix('-')).map(|stop| (stop, false)))?;
    (!start.is_empty() && !stop.is_empty() && stop.chars().all(is_word)).then_some((start, stop, exclusive))
}

/// `(start..stop).step(step)` for strings.
fn string_range(start: &str, stop: &str, exclusive: bool, step: usize) -> Vec<Value> {
    let mut out = Vec::new();
    let single = |string: &str| (string.len() == 1).then(|| string.as_bytes().first().copied()).flatten();
    if let (Some(first), Some(last)) = (single(start), single(stop)) {
        let last = if exclusive { last.checked_sub(1) } else { Some(last) };
        let chars = last.map(|last| (first..=last).step_by(step).map(|b| Value::from(char::from(b).to_string())));
        return chars.map(Iterator::collect).unwrap_or_default();
    }
    if start > stop || (exclusive && start == stop) {
        return out;
    }
    // Ruby compares lengths in bytes. (`rb_str_upto_each`)
    let longest = stop.len();
    let after = ruby::succ(stop);
    let mut current = start.to_owned();
    let mut at = 0usize;
    while current != after {
        // A range may never reach its end.
        meter::tick(current.len());
        meter::check_elements(out.len());
        let is_last = current == stop;
        if is_last && exclusive {
            break;
        }
        if out.len() == MAX_ELEMENTS {
            break;
        }
        if at.is_multiple_of(step) {
            out.push(Value::from(current.as_str()));
        }
        if is_last {
            break;
        }
        at += 1;
        current = ruby::succ(&current);
        if current.len() > longest || current.is_empty() {
            break;
        }
    }
    out
}

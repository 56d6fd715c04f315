//! `any2bool`, `bool2num`, `bool2str`, `num2bool`, `str2bool`

use crate::Function;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_eval::runtime3;
use catwalk_eval::runtime3::fail;
use catwalk_value::Value;
use catwalk_value::ruby;

pub(super) const ANY2BOOL: Function = Function {
    name: "any2bool",
    signatures: &[("Any *$args", any2bool)],
    doc: "Converts any value to a Boolean: strings as `str2bool` does, numbers as `num2bool` does; everything else is \
          true, including strings that are neither true nor false.",
    examples: &[("any2bool('yes')", "true"), ("any2bool(-1)", "false"), ("any2bool([])", "true")],
};

pub(super) const BOOL2NUM: Function = Function {
    name: "bool2num",
    signatures: &[("Any *$args", bool2num)],
    doc: "Returns 1 for `true` and for strings that mean true (see `str2bool`), 0 for everything else.",
    examples: &[("bool2num(true)", "1"), ("bool2num('no')", "0")],
};

pub(super) const BOOL2STR: Function = Function {
    name: "bool2str",
    signatures: &[("Any *$args", bool2str)],
    doc: "Returns `'true'` or `'false'` for a Boolean; the second and third argument replace these strings. Strings \
          are not accepted.",
    examples: &[("bool2str(true)", "'true'"), ("bool2str(false, 'on', 'off')", "'off'")],
};

pub(super) const NUM2BOOL: Function = Function {
    name: "num2bool",
    signatures: &[("Any *$args", num2bool)],
    doc: "Returns whether a number, or the number in a string, is above 0, after cutting off its fraction.",
    examples: &[("num2bool(1)", "true"), ("num2bool('0')", "false"), ("num2bool('1.5')", "true")],
};

pub(super) const STR2BOOL: Function = Function {
    name: "str2bool",
    signatures: &[("Any *$args", str2bool)],
    doc: "Converts a string to a Boolean: `1 t y true yes` in any case are true, `0 f n false no undef undefined` and \
          the empty string are false, everything else fails. A Boolean is returned unchanged.",
    examples: &[
        ("str2bool('yes')", "true"),
        ("str2bool('')", "false"),
        ("str2bool('maybe')", "error: str2bool(): Unknown type of boolean given"),
    ],
};

fn reject_no_arguments<T>(call: &Call<'_, '_>) -> Res<T> {
    fail(format!("{}(): Wrong number of arguments given (0 for 1)", call.name))
}

/// The result of `str2bool` for a value.
pub(super) fn to_bool(value: &Value) -> Res<bool> {
    let string = match value {
        Value::Bool(b) => return Ok(*b),
        Value::Str(string) => string,
        _ => return fail("str2bool(): Requires string to work with"),
    };
    // Puppet's patterns match any line, and are tried in this order. An empty string after the last line break is not a line.
    let lines = || string.strip_suffix('\n').unwrap_or(string).split('\n');
    let any_line = |words: &[&str]| lines().any(|line| words.iter().any(|word| line.eq_ignore_ascii_case(word)));
    if lines().any(str::is_empty) {
        Ok(false)
    } else if any_line(&["1", "t", "y", "true", "yes"]) {
        Ok(true)
    } else if any_line(&["0", "f", "n", "false", "no"]) || lines().any(|l| l == "undef" || l == "undefined") {
        Ok(false)
    } else {
        fail("str2bool(): Unknown type of boolean given")
    }
}

fn is_above_zero(value: &Value) -> Res<bool> {
    match value {
        Value::Int(n) => Ok(*n > 0),
        Value::Float(f) => Ok(f.trunc() > 0.0),
        Value::Str(string) => match ruby::kernel_float(string) {
            Some(f) => Ok(f.trunc() > 0.0),
            None => fail(format!(
                "num2bool(): '{string}' does not look like a number: invalid value for Float(): {}",
                if string.is_ascii() {
                    ruby::inspect_string(string)
                } else {
                    catwalk_value::sprintf::inspect_bytes(string.as_bytes())
                }
            )),
        },
        other => Ok(ruby::to_i(&runtime3::to_s(other)) > 0),
    }
}

fn any2bool(call: &mut Call<'_, '_>) -> Res<Value> {
    let args = runtime3::args(call)?;
    let result = match args.first() {
        None => return reject_no_arguments(call),
        Some(Value::Bool(b)) => *b,
        Some(Value::Undef) => false,
        Some(number @ (Value::Int(_) | Value::Float(_))) => is_above_zero(number)?,
        Some(string @ Value::Str(inner)) if ruby::kernel_float(inner).is_some() => is_above_zero(string)?,
        Some(string @ Value::Str(_)) => to_bool(string)?,
        Some(_) => true,
    };
    Ok(Value::Bool(result))
}

fn bool2num(call: &mut Call<'_, '_>) -> Res<Value> {
    let args = runtime3::args(call)?;
    match args.first() {
        None => reject_no_arguments(call),
        Some(value) => Ok(Value::Int(i64::from(to_bool(value)?))),
    }
}

fn bool2str(call: &mut Call<'_, '_>) -> Res<Value> {
    let args = runtime3::args(call)?;
    if args.len() != 1 && args.len() != 3 {
        return fail(format!("bool2str(): Wrong number of arguments given ({} for 3)", args.len()));
    }
    let Some(Value::Bool(value)) = args.first() else {
        return fail("bool2str(): Requires a boolean to work with");
    };
    let word = |at: usize, default: &str| match args.get(at) {
        Some(value) if value.truthy() => value.clone(),
        _ => Value::from(default),
    };
    let (yes, no) = (word(1, "true"), word(2, "false"));
    if yes.as_str().is_none() || no.as_str().is_none() {
        return fail("bool2str(): Requires strings to convert to");
    }
    Ok(if *value { yes } else { no })
}

fn num2bool(call: &mut Call<'_, '_>) -> Res<Value> {
    let args = runtime3::args(call)?;
    match args.as_ref() {
        [value] => Ok(Value::Bool(is_above_zero(value)?)),
        _ => fail(format!("num2bool(): Wrong number of arguments given ({} for 1)", args.len())),
    }
}

fn str2bool(call: &mut Call<'_, '_>) -> Res<Value> {
    let args = runtime3::args(call)?;
    match args.first() {
        None => reject_no_arguments(call),
        Some(value) => Ok(Value::Bool(to_bool(value)?)),
    }
}

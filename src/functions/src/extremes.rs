//! `max`, `min`

use std::borrow::Cow;
use std::cmp::Ordering;
use std::sync::Arc;

use crate::Function;
use crate::iterable;
use catwalk_base::names::Name;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_eval::runtime3;
use catwalk_eval::runtime3::fail;
use catwalk_value::RubyObject;
use catwalk_value::Type;
use catwalk_value::Value;
use catwalk_value::big::to_float;
use catwalk_value::is_instance;
use catwalk_value::ruby;

pub(super) const MAX: Function = Function {
    name: "max",
    signatures: &[
        ("Numeric *$values", max),
        ("String *$values", max),
        ("Array[Numeric] $values, Optional[Callable[2,2]] &$block", max_of_list),
        ("Array[String] $values, Optional[Callable[2,2]] &$block", max_of_list),
        ("Array $values, Optional[Callable[2,2]] &$block", max_of_list),
        ("Any *$values, Callable[2,2] &$block", max),
        ("Any *$values", max),
    ],
    doc: "Returns the greatest of its arguments, or of the elements of an array. Numbers are compared as numbers, \
          strings by character, upper case before lower case; two strings that contain numbers as numbers, and \
          mixtures as strings, with a deprecation warning. A block compares two values and returns -1, 0 or 1.",
    examples: &[
        ("max(1, 3, 2)", "3"),
        ("max(['a', 'c', 'b'])", "'c'"),
        ("max(['x', 'abc', 'yy']) |$a, $b| { compare(length($a), length($b)) }", "'abc'"),
    ],
};

pub(super) const MIN: Function = Function {
    name: "min",
    signatures: &[
        ("Numeric *$values", min),
        ("String *$values", min),
        ("Array[Numeric] $values, Optional[Callable[2,2]] &$block", min_of_list),
        ("Array[String] $values, Optional[Callable[2,2]] &$block", min_of_list),
        ("Array $values, Optional[Callable[2,2]] &$block", min_of_list),
        ("Any *$values, Callable[2,2] &$block", min),
        ("Any *$values", min),
    ],
    doc: "Returns the least of its arguments, or of the elements of an array. Compares as `max` does, also with a \
          block.",
    examples: &[("min(2, 1, 3)", "1"), ("min(['b', 'a'])", "'a'"), ("min([1, 5]) |$a, $b| { compare($b, $a) }", "5")],
};

/// `max` of Puppet 8.
pub(super) const MAX_8: Function = Function {
    signatures: &[
        ("Numeric *$values", max),
        ("String *$values", max),
        ("SemVer *$values", max_ordered),
        ("Timespan *$values", max_ordered),
        ("Timestamp *$values", max_ordered),
        ("Array[Numeric] $values, Optional[Callable[2,2]] &$block", max_of_list),
        ("Array[String] $values, Optional[Callable[2,2]] &$block", max_of_list),
        ("Array[SemVer] $values, Optional[Callable[2,2]] &$block", max_ordered_list),
        ("Array[Timespan] $values, Optional[Callable[2,2]] &$block", max_ordered_list),
        ("Array[Timestamp] $values, Optional[Callable[2,2]] &$block", max_ordered_list),
        ("Array $values, Optional[Callable[2,2]] &$block", max_of_list),
        ("Any *$values, Callable[2,2] &$block", max),
        ("Any *$values", max),
    ],
    ..MAX
};

/// `min` of Puppet 8.
pub(super) const MIN_8: Function = Function {
    signatures: &[
        ("Numeric *$values", min),
        ("String *$values", min),
        ("SemVer *$values", min_ordered),
        ("Timespan *$values", min_ordered),
        ("Timestamp *$values", min_ordered),
        ("Array[Numeric] $values, Optional[Callable[2,2]] &$block", min_of_list),
        ("Array[SemVer] $values, Optional[Callable[2,2]] &$block", min_ordered_list),
        ("Array[Timespan] $values, Optional[Callable[2,2]] &$block", min_ordered_list),
        ("Array[Timestamp] $values, Optional[Callable[2,2]] &$block", min_ordered_list),
        ("Array[String] $values, Optional[Callable[2,2]] &$block", min_of_list),
        ("Array $values, Optional[Callable[2,2]] &$block", min_of_list),
        ("Any *$values, Callable[2,2] &$block", min),
        ("Any *$values", min),
    ],
    ..MIN
};

fn max_ordered(call: &mut Call<'_, '_>) -> Res<Value> {
    find_ordered_extreme(call, call.args, Ordering::Greater)
}

fn min_ordered(call: &mut Call<'_, '_>) -> Res<Value> {
    find_ordered_extreme(call, call.args, Ordering::Less)
}

fn max_ordered_list(call: &mut Call<'_, '_>) -> Res<Value> {
    let list = call.arg(0).clone();
    find_ordered_extreme(call, &iterable::items(&list), Ordering::Greater)
}

fn min_ordered_list(call: &mut Call<'_, '_>) -> Res<Value> {
    let list = call.arg(0).clone();
    find_ordered_extreme(call, &iterable::items(&list), Ordering::Less)
}

/// The extreme of values of one kind with an order; a block decides if there is one.
fn find_ordered_extreme(call: &mut Call<'_, '_>, values: &[Value], extreme: Ordering) -> Res<Value> {
    if call.block.is_some() || values.is_empty() {
        return find_extreme(call, values, extreme);
    }
    let order = |a: &Value, b: &Value| match (a, b) {
        (Value::SemVer(a), Value::SemVer(b)) => a.cmp(b),
        (Value::Timespan(a), Value::Timespan(b)) => a.cmp(b),
        (Value::Timestamp(a), Value::Timestamp(b)) => a.cmp(b),
        _ => Ordering::Equal,
    };
    let best = values.iter().reduce(|best, value| if order(value, best) == extreme { value } else { best });
    Ok(best.cloned().unwrap_or(Value::Undef))
}

fn max(call: &mut Call<'_, '_>) -> Res<Value> {
    find_extreme(call, call.args, Ordering::Greater)
}

fn min(call: &mut Call<'_, '_>) -> Res<Value> {
    find_extreme(call, call.args, Ordering::Less)
}

fn max_of_list(call: &mut Call<'_, '_>) -> Res<Value> {
    let list = call.arg(0).clone();
    find_extreme(call, &iterable::items(&list), Ordering::Greater)
}

fn min_of_list(call: &mut Call<'_, '_>) -> Res<Value> {
    let list = call.arg(0).clone();
    find_extreme(call, &iterable::items(&list), Ordering::Less)
}

/// The first value that no other value exceeds.
fn find_extreme(call: &mut Call<'_, '_>, values: &[Value], extreme: Ordering) -> Res<Value> {
    let Some((first, rest)) = values.split_first() else {
        if call.block.is_some() {
            return Ok(Value::Undef);
        }
        return fail(format!("{}(): Wrong number of arguments need at least one", call.name));
    };
    let all_numbers = values.iter().all(|value| is_instance(&Type::Numeric, value));
    let all_strings = values.iter().all(|value| matches!(value, Value::Str(_)));
    let mut best = first;
    for value in rest {
        let order = match call.block {
            Some(_) => ruby::order_from_block(&call.call_block(&[value.clone(), best.clone()])?, value, best)?,
            None if all_numbers => compare_numbers(value, best),
            None => {
                if let Some(conversion) = needed_conversion(value, best, all_strings) {
                    warn_deprecated(call, conversion);
                }
                compare_values(value, best)
            }
        };
        if order == extreme {
            best = value;
        }
    }
    Ok(best.clone())
}

/// The conversion that is needed to compare two of several values that are not all numbers.
fn needed_conversion(a: &Value, b: &Value, all_strings: bool) -> Option<&'static str> {
    match (parse_number(a), parse_number(b)) {
        (Some(_), Some(_)) => Some("String to Numeric"),
        _ if all_strings => None,
        _ => Some("Any to String"),
    }
}

fn warn_deprecated(call: &mut Call<'_, '_>, conversion: &str) {
    let name = call.name;
    let message = format!(
        "The {name}() function's auto conversion of {conversion} is deprecated - change to convert input before calling, \
         or use lambda"
    );
    runtime3::warn_once_without_position(call, &message);
}

/// Compares two numbers by value, regardless of their notation.
fn compare_numbers(a: &Value, b: &Value) -> Ordering {
    #[allow(clippy::cast_precision_loss, reason = "compared as the reference compares them")]
    let float = |value: &Value| match value {
        Value::Int(n) => *n as f64,
        Value::BigInt(n) => to_float(n),
        Value::Float(f) => *f,
        _ => 0.0,
    };
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => a.cmp(b),
        (Value::BigInt(_), Value::Int(_) | Value::BigInt(_)) | (Value::Int(_), Value::BigInt(_)) => {
            a.as_big().cmp(&b.as_big())
        }
        (a, b) => float(a).partial_cmp(&float(b)).unwrap_or(Ordering::Equal),
    }
}

/// Compares numbers by value, also numbers in strings; everything else as strings.
fn compare_values(a: &Value, b: &Value) -> Ordering {
    if let (Value::Int(a), Value::Int(b)) = (a, b) {
        return a.cmp(b);
    }
    if let (Some(a), Some(b)) = (parse_number(a), parse_number(b)) {
        return a.partial_cmp(&b).unwrap_or(Ordering::Equal);
    }
    to_s(a).cmp(&to_s(b))
}

/// `to_s`, which prints the elements of an array or hash as Ruby's `inspect` does.
fn to_s(value: &Value) -> Cow<'_, str> {
    match value {
        Value::Array(_) | Value::Hash(_) => Cow::Owned(ruby::inspect(&replace_objects(value))),
        other => ruby::to_s(other),
    }
}

/// The value with types, times and objects replaced by Ruby objects, which print as their classes.
fn replace_objects(value: &Value) -> Value {
    match value {
        Value::Array(items) => Value::array(items.iter().map(replace_objects).collect()),
        Value::Hash(entries) => {
            Value::hash(entries.iter().map(|(key, value)| (replace_objects(key), replace_objects(value))).collect())
        }
        Value::Type(_) | Value::Timestamp(_) | Value::Timespan(_) | Value::Object(_) | Value::Iterator(_) => {
            let class = Name::new(ruby::plain_class_name(value));
            let string: Arc<str> = Arc::from(format!("#<{class}>"));
            Value::Ruby(Arc::new(RubyObject {
                number: 0,
                class,
                text: string.clone(),
                inspected: string,
                by_value: true,
            }))
        }
        other => other.clone(),
    }
}

/// The number of a value: a number, or a string of digits with at most one separator.
fn parse_number(value: &Value) -> Option<f64> {
    match value {
        #[allow(clippy::cast_precision_loss, reason = "compared as the reference compares them")]
        Value::Int(n) => Some(*n as f64),
        Value::BigInt(n) => Some(to_float(n)),
        // Puppet does not recognize `1.0e+20` as a number.
        Value::Float(f) => parse_number(&Value::from(ruby::float_to_s(*f))),
        Value::Str(string) => {
            let unsigned = string.strip_prefix('-').unwrap_or(string);
            let digits = |string: &str| !string.is_empty() && string.bytes().all(|byte| byte.is_ascii_digit());
            let is_number = match unsigned.split_once(['.', '_', 'e', 'E']) {
                Some((whole, fraction)) => digits(whole) && digits(fraction),
                None => digits(unsigned),
            };
            is_number.then(|| ruby::to_f(string))
        }
        _ => None,
    }
}

//! The assertions about numbers and lengths: `validate_integer`, `validate_numeric`, `validate_slength`. The list in `validate`
//! refers to them.

use num_bigint::BigInt;

use catwalk_eval::Res;
use catwalk_eval::runtime3::fail;
use catwalk_value::Value;
use catwalk_value::ruby;

/// Parses a string as `Integer(string)` or `Float(string)` does.
type ParseNumber = fn(&str) -> Option<Value>;

struct Messages {
    name: &'static str,
    expected: &'static str,
    /// The function name in the message about hashes, in which Puppet names the wrong function.
    name_for_hash: &'static str,
    parse: ParseNumber,
}

pub(super) fn integer(args: &[Value]) -> Res<()> {
    check_bounds(
        args,
        &Messages {
            name: "validate_integer",
            expected: "an Integer",
            name_for_hash: "validate_integer",
            parse: ruby::kernel_number,
        },
    )
}

pub(super) fn numeric(args: &[Value]) -> Res<()> {
    check_bounds(
        args,
        &Messages {
            name: "validate_numeric",
            expected: "a Numeric",
            name_for_hash: "validate_integer",
            parse: |string| ruby::kernel_float(string).map(Value::Float),
        },
    )
}

/// The bounds of a number.
struct Bounds {
    max: Option<Value>,
    min: Option<Value>,
}

fn exceeds(a: &Value, b: &Value) -> bool {
    ruby::compare(a, b) == Some(std::cmp::Ordering::Greater)
}

impl Bounds {
    /// Reads the second and the third argument.
    fn parse(args: &[Value], messages: &Messages) -> Res<Bounds> {
        let Messages { name, expected, parse, .. } = messages;
        let bound = |at: usize, ordinal: &str| -> Res<Option<Value>> {
            let Some(argument) = args.get(at) else { return Ok(None) };
            let string = ruby::to_s(argument);
            // An empty upper bound means no bound, if there is a lower one.
            if at == 1 && args.len() > 2 && string.is_empty() {
                return Ok(None);
            }
            match parse(&string) {
                Some(number) => Ok(Some(number)),
                None => {
                    let class = if at == 1 { "String" } else { ruby::plain_class_name(argument) };
                    fail(format!(
                        "{name}(): Expected {ordinal} argument to be unset or {expected}, got {string}:{class}"
                    ))
                }
            }
        };
        let bounds = Bounds { max: bound(1, "second")?, min: bound(2, "third")? };
        if let (Some(min), Some(max)) = (&bounds.min, &bounds.max)
            && exceeds(min, max)
        {
            let (max, min) = (ruby::to_s(max), ruby::to_s(min));
            return fail(format!(
                "{name}(): Expected second argument to be larger than third argument, got {max} < {min}"
            ));
        }
        Ok(bounds)
    }

    /// Fails unless a number is within the bounds; the message contains `subject`.
    fn check(&self, number: &Value, subject: &Value, name: &str) -> Res<()> {
        let subject = ruby::inspect(subject);
        if let Some(max) = self.max.as_ref().filter(|max| exceeds(number, max)) {
            let max = ruby::to_s(max);
            return fail(format!("{name}(): Expected {subject} to be smaller or equal to {max}, got {subject}."));
        }
        if let Some(min) = self.min.as_ref().filter(|min| exceeds(min, number)) {
            let min = ruby::to_s(min);
            return fail(format!("{name}(): Expected {subject} to be greater or equal to {min}, got {subject}."));
        }
        Ok(())
    }
}

fn check_bounds(args: &[Value], messages: &Messages) -> Res<()> {
    let Messages { name, expected, name_for_hash, parse } = messages;
    if args.is_empty() || args.len() > 3 {
        return fail(format!("{name}(): Wrong number of arguments; must be 1, 2 or 3, got {}", args.len()));
    }
    let bounds = Bounds::parse(args, messages)?;
    let input = args.first().unwrap_or(&Value::Undef);
    match input {
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                let number = if matches!(item, Value::Hash(_)) { None } else { parse(&ruby::to_s(item)) };
                match number {
                    Some(number) => bounds.check(&number, input, name)?,
                    None => {
                        let class = ruby::plain_class_name(item);
                        return fail(format!(
                            "{name}(): Expected element at array position {at} to be {expected}, got {class}"
                        ));
                    }
                }
            }
            Ok(())
        }
        Value::Hash(_) => {
            fail(format!("{name_for_hash}(): Expected first argument to be {expected} or Array, got Hash"))
        }
        other => match parse(&ruby::to_s(other)) {
            Some(number) => bounds.check(&number, &number, name),
            None => {
                let class = ruby::plain_class_name(other);
                fail(format!("{name}(): Expected first argument to be {expected} or Array, got {class}"))
            }
        },
    }
}

/// `Integer(value)`: a number is truncated, a string must be an integer.
fn to_integer(value: &Value) -> Option<BigInt> {
    match value {
        Value::Int(_) | Value::BigInt(_) => value.as_big(),
        Value::Float(f) => catwalk_value::big::from_float(*f)?.as_big(),
        Value::Str(string) => ruby::kernel_number(string)?.as_big(),
        Value::Timespan(time) => Some(time.nanoseconds().div_euclid(1_000_000_000).into()),
        Value::Timestamp(time) => Some(time.nanoseconds().div_euclid(1_000_000_000).into()),
        _ => None,
    }
}

/// Converts an argument for messages, which show the parsed number.
fn parsed_number(value: &Value) -> Value {
    to_integer(value).map_or_else(|| value.clone(), Value::integer)
}

pub(super) fn slength(args: &[Value]) -> Res<()> {
    if args.len() != 2 && args.len() != 3 {
        return fail(format!("validate_slength(): Wrong number of arguments ({}; must be 2 or 3)", args.len()));
    }
    let (input, limit) = (args.first().unwrap_or(&Value::Undef), args.get(1).unwrap_or(&Value::Undef));
    let Some(max) = to_integer(limit).filter(|max| *max > BigInt::ZERO) else {
        let limit = parsed_number(limit);
        return fail(format!(
            "validate_slength(): Expected second argument to be a positive Numeric, got {}:{}",
            ruby::to_s(&limit),
            ruby::plain_class_name(&limit)
        ));
    };
    let min = match args.get(2).filter(|min| min.truthy()) {
        None => BigInt::ZERO,
        Some(argument) => match to_integer(argument) {
            Some(min) if min >= BigInt::ZERO => min,
            _ => {
                let argument = parsed_number(argument);
                return fail(format!(
                    "validate_slength(): Expected third argument to be unset or a positive Numeric, got {}:{}",
                    ruby::to_s(&argument),
                    ruby::plain_class_name(&argument)
                ));
            }
        },
    };
    if max < min {
        return fail("validate_slength(): Expected second argument to be equal to or larger than third argument");
    }
    let check = |string: &str| -> Res<()> {
        let length = BigInt::from(string.chars().count());
        if min <= length && length <= max {
            return Ok(());
        }
        let input_length = match input {
            Value::Array(items) => items.len(),
            other => ruby::to_s(other).chars().count(),
        };
        fail(format!(
            "validate_slength(): Expected length of {} to be between {min} and {max}, was {input_length}",
            ruby::inspect(input)
        ))
    };
    match input {
        Value::Str(string) => check(string),
        Value::Array(items) => items.iter().enumerate().try_for_each(|(at, item)| match item {
            Value::Str(string) => check(string),
            other => fail(format!(
                "validate_slength(): Expected element at array position {at} to be a String, got {}",
                ruby::plain_class_name(other)
            )),
        }),
        other => fail(format!(
            "validate_slength(): Expected first argument to be a String or Array, got {}",
            ruby::plain_class_name(other)
        )),
    }
}

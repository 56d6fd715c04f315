//! `compare`

use std::cmp::Ordering;

use crate::Function;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_value::Type;
use catwalk_value::Value;
use catwalk_value::label;
use catwalk_value::ruby;

pub(super) const FUNCTION: Function = Function {
    name: "compare",
    signatures: &[
        ("Numeric $a, Numeric $b", values),
        ("String $a, String $b, Boolean $ignore_case = true", compare_strings),
        ("SemVer $a, SemVer $b", values),
        ("Numeric $a, Variant[Timespan, Timestamp] $b", values),
        ("Timestamp $a, Variant[Timestamp, Numeric] $b", values),
        ("Timespan $a, Variant[Timespan, Numeric] $b", values),
        ("! Any $a, Any $b, Any *$ignore_case", reject),
    ],
    doc: "Compares two values of the same kind: returns -1, 0 or 1 if the first is smaller than, equal to or greater \
          than the second. Accepts numbers, Strings, SemVers, Timestamps and Timespans; a Timestamp or Timespan can \
          also be compared with a number of seconds. Strings are compared ignoring case unless the third argument is \
          `false`.",
    examples: &[
        ("compare(1, 2.5)", "-1"),
        ("compare('A', 'a')", "0"),
        ("compare('A', 'a', false)", "-1"),
        ("compare(SemVer('2.0.0'), SemVer('1.0.0'))", "1"),
    ],
};

fn values(call: &mut Call<'_, '_>) -> Res<Value> {
    match ruby::compare(call.arg(0), call.arg(1)) {
        Some(order) => Ok(Value::Int(order as i64)),
        None => Ok(Value::Undef),
    }
}

/// Only ASCII letters are compared case-insensitively, as by `casecmp`.
fn compare_strings(call: &mut Call<'_, '_>) -> Res<Value> {
    let (a, b) = (call.str(0), call.str(1));
    let order = if call.args.len() < 3 || call.arg(2).truthy() {
        let folded = |string: &str| string.bytes().map(|byte| byte.to_ascii_lowercase()).collect::<Vec<_>>();
        folded(a).cmp(&folded(b))
    } else {
        a.cmp(b)
    };
    Ok(Value::Int(match order {
        Ordering::Less => -1,
        Ordering::Equal => 0,
        Ordering::Greater => 1,
    }))
}

/// The error for values that cannot be compared, as Puppet words it.
fn reject(call: &mut Call<'_, '_>) -> Res<Value> {
    let (a, b) = (call.arg(0), call.arg(1));
    let comparable = |value: &Value| {
        catwalk_value::is_instance(&Type::Numeric, value)
            || matches!(value, Value::Str(_) | Value::SemVer(_) | Value::Timestamp(_) | Value::Timespan(_))
    };
    let further_args = call.args.get(2..).unwrap_or_default();
    let both = || format!("Got {} and {}", label(a), label(b));
    let message = if !comparable(a) || !comparable(b) {
        format!(
            "compare(): Non comparable type. Only values of the types Numeric, String, Semver, Timestamp and Timestamp \
             can be compared. {}",
            both()
        )
    } else if !further_args.is_empty() && (a.as_str().is_none() || b.as_str().is_none()) {
        "compare(): The third argument (ignore case) can only be used when comparing strings".to_owned()
    } else if further_args.len() > 1 {
        format!("compare(): Accepts at most 3 arguments, got {}", call.args.len())
    } else if further_args.first().is_some_and(|third| !matches!(third, Value::Bool(_))) {
        // Puppet fails with this while it reports that the argument must be a Boolean.
        return Err(catwalk_eval::Stop::runtime(
            "uninitialized constant Puppet::Pops::Loader::RubyFunctionInstantiator::Boolean",
        ));
    } else {
        format!(
            "compare(): Can only compare values of the same type (or for Timestamp/Timespan also against Numeric). {}",
            both()
        )
    };
    Ok(Value::from(message))
}

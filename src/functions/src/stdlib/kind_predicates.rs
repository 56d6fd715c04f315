//! `is_absolute_path`, `is_array`, `is_bool` … `is_string`: deprecated checks of kinds of values.

use crate::Function;
use crate::stdlib::checks;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_eval::runtime3;
use catwalk_eval::runtime3::fail;
use catwalk_value::Value;
use catwalk_value::ruby;

pub(super) const IS_ABSOLUTE_PATH: Function = Function {
    name: "is_absolute_path",
    signatures: &[("Any *$args", |call| {
        warn_deprecated(call, "Stdlib::Compat::Absolute_Path")?;
        if call.args.len() != 1 {
            return fail(format!("is_absolute_path(): Wrong number of arguments given ({} for 1)", call.args.len()));
        }
        if let list @ Value::Array(_) = call.arg(0) {
            runtime3::warn_if_not_path(call, list)?;
            runtime3::warn_if_not_path(call, list)?;
        } else {
            checks::report_invalid_paths(call, call.args);
        }
        Ok(Value::Bool(checks::is_absolute_path(call.arg(0))))
    })],
    doc: "Returns whether a string is an absolute path of Unix or Windows. Deprecated: use the types \
          `Stdlib::Absolutepath` or `Stdlib::Unixpath`.",
    examples: &[
        ("is_absolute_path('/a')", "true"),
        ("is_absolute_path('C:/a')", "true"),
        ("is_absolute_path('a/b')", "false"),
    ],
};

pub(super) const IS_ARRAY: Function = Function {
    name: "is_array",
    signatures: &[("Any *$args", |call| {
        check_first(call, "Stdlib::Compat::Array", |value| matches!(value, Value::Array(_)))
    })],
    doc: "Returns whether a value is an array. Deprecated: use `=~ Array`.",
    examples: &[("is_array([])", "true"), ("is_array('')", "false")],
};

pub(super) const IS_BOOL: Function = Function {
    name: "is_bool",
    signatures: &[("Any *$args", |call| {
        warn_deprecated(call, "Stdlib::Compat::Bool")?;
        if call.args.len() != 1 {
            return fail(format!("is_bool(): Wrong number of arguments given ({} for 1)", call.args.len()));
        }
        Ok(Value::Bool(matches!(call.arg(0), Value::Bool(_))))
    })],
    doc: "Returns whether a value is a Boolean. Deprecated: use `=~ Boolean`.",
    examples: &[("is_bool(true)", "true"), ("is_bool('true')", "false")],
};

pub(super) const IS_DOMAIN_NAME: Function = Function {
    name: "is_domain_name",
    signatures: &[("Any *$args", |call| check_3x(call, checks::is_domain_name))],
    doc: "Returns whether a string is a domain name by syntax; a number is not.",
    examples: &[("is_domain_name('a.example.com')", "true"), ("is_domain_name('-a')", "false")],
};

pub(super) const IS_EMAIL_ADDRESS: Function = Function {
    name: "is_email_address",
    signatures: &[("Any *$args", |call| check_3x(call, checks::is_email_address))],
    doc: "Returns whether a string is an e-mail address by syntax.",
    examples: &[("is_email_address('bob@example.com')", "true"), ("is_email_address('bob')", "false")],
};

pub(super) const IS_FLOAT: Function = Function {
    name: "is_float",
    signatures: &[("Any *$args", |call| {
        let is_float = check_one(call, "Stdlib::Compat::Float", checks::is_float)?;
        match call.args {
            // Ruby treats a version as a number, but it cannot be converted to a float.
            [version @ Value::SemVer(_)] => runtime3::no_method("to_f", version),
            _ => Ok(is_float),
        }
    })],
    doc: "Returns whether a value is a Float or a string that contains one. Deprecated: use `=~ Float`.",
    examples: &[("is_float('1.5')", "true"), ("is_float(1)", "false")],
};

pub(super) const IS_FUNCTION_AVAILABLE: Function = Function {
    name: "is_function_available",
    signatures: &[("Any *$args", is_function_available)],
    doc: "Returns whether a function of this name exists, a legacy (3.x) function or one of the current API. \
          Deprecated.",
    examples: &[("is_function_available('sprintf')", "true"), ("is_function_available('no_such_function')", "false")],
};

pub(super) const IS_HASH: Function = Function {
    name: "is_hash",
    signatures: &[("Any *$args", |call| {
        let args = runtime3::args(call)?;
        match args.as_ref() {
            [value] => Ok(Value::Bool(matches!(value, Value::Hash(_)))),
            args => fail(format!("is_hash(): Wrong number of arguments given ({} for 1)", args.len())),
        }
    })],
    doc: "Returns whether a value is a hash.",
    examples: &[("is_hash({})", "true"), ("is_hash([])", "false")],
};

pub(super) const IS_INTEGER: Function = Function {
    name: "is_integer",
    signatures: &[("Any *$args", |call| check_3x(call, checks::is_integer))],
    doc: "Returns whether a value is an Integer or a string that contains one, without leading zeroes. Deprecated: use \
          `=~ Integer`.",
    examples: &[("is_integer('3')", "true"), ("is_integer('03')", "false")],
};

pub(super) const IS_IP_ADDRESS: Function = Function {
    name: "is_ip_address",
    signatures: &[("Any *$args", |call| {
        check_one(call, "Stdlib::Compat::Ip_address", |value| checks::parse_ip(value).is_some())
    })],
    doc: "Returns whether a string is an IP address. Deprecated: use `=~ Stdlib::IP::Address`.",
    examples: &[("is_ip_address('::1')", "true"), ("is_ip_address('1.2.3')", "false")],
};

pub(super) const IS_IPV4_ADDRESS: Function = Function {
    name: "is_ipv4_address",
    signatures: &[("Any *$args", |call| {
        check_one(call, "Stdlib::Compat::Ipv4", |value| checks::parse_ip(value).is_some_and(|ip| ip.is_v4()))
    })],
    doc: "Returns whether a string is an IPv4 address. Deprecated: use `=~ Stdlib::IP::Address::V4`.",
    examples: &[("is_ipv4_address('127.0.0.1')", "true"), ("is_ipv4_address('::1')", "false")],
};

pub(super) const IS_IPV6_ADDRESS: Function = Function {
    name: "is_ipv6_address",
    signatures: &[("Any *$args", |call| {
        check_one(call, "Stdlib::Compat::Ipv6", |value| checks::parse_ip(value).is_some_and(|ip| ip.is_v6()))
    })],
    doc: "Returns whether a string is an IPv6 address. Deprecated: use `=~ Stdlib::IP::Address::V6`.",
    examples: &[("is_ipv6_address('::1')", "true"), ("is_ipv6_address('127.0.0.1')", "false")],
};

pub(super) const IS_MAC_ADDRESS: Function = Function {
    name: "is_mac_address",
    signatures: &[("Any *$args", |call| {
        // A symbol is accepted as a string.
        if let [other] = runtime3::args(call)?.as_ref()
            && !matches!(other, Value::Str(_) | Value::Default)
        {
            return fail(format!("no implicit conversion of {} into String", ruby::conversion_name(other)));
        }
        check_3x(call, checks::is_mac_address)
    })],
    doc: "Returns whether a string is a MAC address of 6 bytes, or of 20.",
    examples: &[("is_mac_address('00:a0:1f:12:7f:a0')", "true"), ("is_mac_address('00:a0')", "false")],
};

pub(super) const IS_NUMERIC: Function = Function {
    name: "is_numeric",
    signatures: &[("Any *$args", |call| {
        check_one(call, "Stdlib::Compat::Numeric", |value| match value {
            // Ruby treats these as numbers.
            Value::SemVer(_) | Value::Timespan(_) | Value::Timestamp(_) => true,
            value => checks::is_numeric(value),
        })
    })],
    doc: "Returns whether a value is a number or a string that contains one. Deprecated: use `=~ Numeric`.",
    examples: &[("is_numeric('1e3')", "true"), ("is_numeric('x')", "false")],
};

pub(super) const IS_STRING: Function = Function {
    name: "is_string",
    signatures: &[("Any *$args", |call| check_first(call, "Stdlib::Compat::String", checks::is_string))],
    doc: "Returns whether a value is a string that does not contain a number. Deprecated: use `=~ String`.",
    examples: &[("is_string('a')", "true"), ("is_string('1')", "false")],
};

fn warn_deprecated(call: &mut Call<'_, '_>, with: &str) -> Res<()> {
    let message = format!(
        "This method is deprecated, please use match expressions with {with} instead. They are described at \
         https://docs.puppet.com/puppet/latest/reference/lang_data_type.html#match-expressions."
    );
    let key = if call.name == "is_ipv6_address" { "is_ipv4_address" } else { call.name };
    checks::warn_deprecated(call, key, &message)
}

fn check_one(call: &mut Call<'_, '_>, with: &str, check: fn(&Value) -> bool) -> Res<Value> {
    warn_deprecated(call, with)?;
    match call.args {
        [value] => Ok(Value::Bool(check(value))),
        args => fail(format!("{}(): Wrong number of arguments given {} for 1", call.name, args.len())),
    }
}

fn check_first(call: &mut Call<'_, '_>, with: &str, check: fn(&Value) -> bool) -> Res<Value> {
    warn_deprecated(call, with)?;
    match call.args.first() {
        Some(value) => Ok(Value::Bool(check(value))),
        None => fail(format!("{}(): Wrong number of arguments given (0 for 1)", call.name)),
    }
}

/// Functions that only have the 3.x API.
fn check_3x(call: &mut Call<'_, '_>, check: fn(&Value) -> bool) -> Res<Value> {
    let args = runtime3::args(call)?;
    match args.as_ref() {
        [value] => Ok(Value::Bool(check(value))),
        args => fail(format!("{}(): Wrong number of arguments given {} for 1", call.name, args.len())),
    }
}

fn is_function_available(call: &mut Call<'_, '_>) -> Res<Value> {
    let args = runtime3::args(call)?;
    match args.as_ref() {
        // Names of Ruby are case-sensitive.
        [Value::Str(name)] if name.chars().any(char::is_uppercase) => Ok(Value::Bool(false)),
        [Value::Str(name)] => Ok(Value::Bool(runtime3::has_function(call, name)?)),
        [_] => Ok(Value::Bool(false)),
        args => fail(format!("is_function_available?(): Wrong number of arguments given {} for 1", args.len())),
    }
}

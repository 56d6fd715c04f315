//! `validate_array`, `validate_bool` … `validate_string`: deprecated assertions. Their code takes plain arguments, so that
//! `validate_legacy` can call them, too.

use crate::Function;
use crate::flatten::flat;
use crate::stdlib::checks;
use crate::stdlib::validate_number;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_eval::Stop;
use catwalk_eval::runtime3;
use catwalk_eval::runtime3::fail;
use catwalk_regexp::Regexp;
use catwalk_value::Value;
use catwalk_value::ruby;

/// An assertion, which fails unless the arguments are valid.
pub(super) type Check = fn(&[Value]) -> Res<()>;

/// The assertions by name, with the type that their deprecation recommends; `None` for those not deprecated.
const CHECKS: &[(&str, Check, Option<&str>)] = &[
    ("validate_absolute_path", absolute_path, Some("Stdlib::Compat::Absolute_Path")),
    ("validate_array", array, Some("Stdlib::Compat::Array")),
    ("validate_bool", boolean, Some("Stdlib::Compat::Bool")),
    ("validate_domain_name", domain_name, None),
    ("validate_email_address", email_address, None),
    ("validate_hash", hash, Some("Stdlib::Compat::Hash")),
    ("validate_integer", validate_number::integer, Some("Stdlib::Compat::Integer")),
    ("validate_ip_address", ip_address, Some("Stdlib::Compat::Ip_Address")),
    ("validate_ipv4_address", ipv4_address, Some("Stdlib::Compat::Ipv4_Address")),
    ("validate_ipv6_address", ipv6_address, Some("Stdlib::Compat::Ipv6_address")),
    ("validate_numeric", validate_number::numeric, Some("Stdlib::Compat::Numeric")),
    ("validate_re", re, Some("Pattern[]")),
    ("validate_slength", validate_number::slength, Some("String[]")),
    ("validate_string", string, Some("Stdlib::Compat::String")),
];

/// Finds an assertion by name.
pub(super) fn find_check(name: &str) -> Option<Check> {
    CHECKS.iter().find(|(check_name, ..)| *check_name == name).map(|(_, find_check, _)| *find_check)
}

const fn function(
    name: &'static str,
    doc: &'static str,
    examples: &'static [(&'static str, &'static str)],
) -> Function {
    Function { name, signatures: &[("Any *$args", run)], doc, examples }
}

pub(super) const ABSOLUTE_PATH: Function = function(
    "validate_absolute_path",
    "Fails unless all arguments are absolute paths of Unix or Windows, or arrays of them. Deprecated: use the type \
     `Stdlib::Absolutepath`.",
    &[
        ("validate_absolute_path('/a', 'C:\\a')", "undef"),
        ("validate_absolute_path('a')", "error: \"a\" is not an absolute path."),
    ],
);
pub(super) const ARRAY: Function = function(
    "validate_array",
    "Fails unless all arguments are arrays. Deprecated: use the type `Array`.",
    &[
        ("validate_array([])", "undef"),
        ("validate_array('a')", "error: \"a\" is not an Array.  It looks to be a String"),
    ],
);
pub(super) const BOOL: Function = function(
    "validate_bool",
    "Fails unless all arguments are Booleans. Deprecated: use the type `Boolean`.",
    &[
        ("validate_bool(true)", "undef"),
        ("validate_bool('true')", "error: \"true\" is not a boolean.  It looks to be a String"),
    ],
);
pub(super) const DOMAIN_NAME: Function = function(
    "validate_domain_name",
    "Fails unless all arguments are domain names by syntax.",
    &[
        ("validate_domain_name('www.example.com')", "undef"),
        ("validate_domain_name('-a')", "error: \"-a\" is not a syntactically correct domain name"),
    ],
);
pub(super) const EMAIL_ADDRESS: Function = function(
    "validate_email_address",
    "Fails unless all arguments are e-mail addresses by syntax.",
    &[
        ("validate_email_address('bob@example.com')", "undef"),
        ("validate_email_address('bob')", "error: \"bob\" is not a valid email"),
    ],
);
pub(super) const HASH: Function = function(
    "validate_hash",
    "Fails unless all arguments are hashes. Deprecated: use the type `Hash`.",
    &[("validate_hash({})", "undef"), ("validate_hash([])", "error: [] is not a Hash.  It looks to be a Array")],
);
pub(super) const INTEGER: Function = function(
    "validate_integer",
    "Fails unless the first argument, or each element of it, is an integer, not above the second argument and not below \
     the third. Deprecated: use the type `Integer[MIN, MAX]`.",
    &[
        ("validate_integer(5, 10, 1)", "undef"),
        ("validate_integer(11, 10)", "error: validate_integer(): Expected 11 to be smaller or equal to 10"),
    ],
);
pub(super) const IP_ADDRESS: Function = function(
    "validate_ip_address",
    "Fails unless all arguments are IP addresses. Deprecated: use the type `Stdlib::IP::Address`.",
    &[
        ("validate_ip_address('::1')", "undef"),
        ("validate_ip_address('1.2.3')", "error: \"1.2.3\" is not a valid IP address."),
    ],
);
pub(super) const IPV4_ADDRESS: Function = function(
    "validate_ipv4_address",
    "Fails unless all arguments are IPv4 addresses. Deprecated: use the type `Stdlib::IP::Address::V4`.",
    &[
        ("validate_ipv4_address('127.0.0.1')", "undef"),
        ("validate_ipv4_address('::1')", "error: \"::1\" is not a valid IPv4 address."),
    ],
);
pub(super) const IPV6_ADDRESS: Function = function(
    "validate_ipv6_address",
    "Fails unless all arguments are IPv6 addresses. Deprecated: use the type `Stdlib::IP::Address::V6`.",
    &[
        ("validate_ipv6_address('::1')", "undef"),
        ("validate_ipv6_address('127.0.0.1')", "error: \"127.0.0.1\" is not a valid IPv6 address."),
    ],
);
pub(super) const NUMERIC: Function = function(
    "validate_numeric",
    "Fails unless the first argument, or each element of it, is a number, not above the second argument and not below \
     the third. Deprecated: use the type `Numeric`.",
    &[
        ("validate_numeric(1.5, 2)", "undef"),
        ("validate_numeric(3, 2)", "error: validate_numeric(): Expected 3.0 to be smaller or equal to 2.0"),
    ],
);
pub(super) const RE: Function = function(
    "validate_re",
    "Fails unless a string matches a regular expression given as a string, or one of an array of them; a third \
     argument is the error message. Deprecated: use the type `Pattern`.",
    &[("validate_re('one', ['^one$', '^two$'])", "undef"), ("validate_re('three', '^one$', 'no')", "error: no")],
);
pub(super) const SLENGTH: Function = function(
    "validate_slength",
    "Fails unless a string, or each string of an array, is at most as long as the second argument and at least as long \
     as the third. Deprecated: use the type `String[MIN, MAX]`.",
    &[
        ("validate_slength('abc', 3, 1)", "undef"),
        (
            "validate_slength('abcd', 3)",
            "error: validate_slength(): Expected length of \"abcd\" to be between 0 and 3, was 4",
        ),
    ],
);
pub(super) const STRING: Function = function(
    "validate_string",
    "Fails unless all arguments are strings. Deprecated: use the type `String`.",
    &[
        ("validate_string('a', 'b')", "undef"),
        ("validate_string(1)", "error: 1 is not a string.  It looks to be a Integer"),
    ],
);

fn run(call: &mut Call<'_, '_>) -> Res<Value> {
    let Some((_, find_check, deprecated)) = CHECKS.iter().find(|(name, ..)| *name == call.name) else {
        return Ok(Value::Undef);
    };
    match deprecated {
        Some(with) => {
            let message = format!(
                "This method is deprecated, please use the stdlib validate_legacy function,\n                    with \
                 {with}. There is further documentation for validate_legacy function in the README."
            );
            checks::warn_deprecated(call, call.name, &message)?;
            if call.name == "validate_absolute_path" {
                checks::report_invalid_paths(call, call.args);
            }
            find_check(call.args)?;
        }
        None => find_check(&runtime3::args(call)?)?,
    }
    Ok(Value::Undef)
}

/// Each argument must pass; the message is built for the first that does not.
fn check_all(
    name: &str,
    args: &[Value],
    passes: fn(&Value) -> bool,
    message: impl Fn(&Value) -> Res<String>,
) -> Res<()> {
    if args.is_empty() {
        return fail(format!("{name}(): wrong number of arguments (0; must be > 0)"));
    }
    match args.iter().find(|arg| !passes(arg)) {
        Some(arg) => fail(message(arg)?),
        None => Ok(()),
    }
}

fn absolute_path(args: &[Value]) -> Res<()> {
    let paths = args.iter().flat_map(|arg| match arg {
        Value::Array(items) => items.to_vec(),
        other => vec![other.clone()],
    });
    if args.is_empty() {
        return fail("validate_absolute_path(): wrong number of arguments (0; must be > 0)");
    }
    for path in paths {
        if !checks::is_absolute_path(&path) {
            return fail(format!("{} is not an absolute path.", ruby::inspect(&path)));
        }
    }
    Ok(())
}

fn class_mismatch(expected: &'static str) -> impl Fn(&Value) -> Res<String> {
    move |arg| {
        Ok(format!("{} is not {expected}.  It looks to be a {}", ruby::inspect(arg), ruby::plain_class_name(arg)))
    }
}

fn array(args: &[Value]) -> Res<()> {
    check_all("validate_array", args, |arg| matches!(arg, Value::Array(_)), class_mismatch("an Array"))
}

fn boolean(args: &[Value]) -> Res<()> {
    check_all("validate_bool", args, |arg| matches!(arg, Value::Bool(_)), class_mismatch("a boolean"))
}

fn hash(args: &[Value]) -> Res<()> {
    check_all("validate_hash", args, |arg| matches!(arg, Value::Hash(_)), class_mismatch("a Hash"))
}

fn string(args: &[Value]) -> Res<()> {
    check_all("validate_string", args, |arg| matches!(arg, Value::Str(_) | Value::Undef), class_mismatch("a string"))
}

/// Each argument must be a string and pass; otherwise the message shows it with `inspect`, converted as for a 3.x function.
fn check_strings(
    name: &str,
    args: &[Value],
    passes: fn(&Value) -> bool,
    expected: &str,
    inspect: fn(&Value) -> Res<String>,
) -> Res<()> {
    check_all(name, args, passes, |arg| {
        let inspected = inspect(arg)?;
        let is_text = arg.as_str().is_some();
        Ok(if is_text { format!("{inspected} is not a {expected}") } else { format!("{inspected} is not a string.") })
    })
}

fn inspect(arg: &Value) -> Res<String> {
    Ok(ruby::inspect(arg))
}

fn domain_name(args: &[Value]) -> Res<()> {
    check_strings(
        "validate_domain_name",
        args,
        checks::is_domain_name,
        "syntactically correct domain name",
        runtime3::inspect,
    )
}

fn email_address(args: &[Value]) -> Res<()> {
    check_strings("validate_email_address", args, checks::is_email_address, "valid email address", runtime3::inspect)
}

fn ip_address(args: &[Value]) -> Res<()> {
    check_strings("validate_ip_address", args, |arg| checks::parse_ip(arg).is_some(), "valid IP address.", inspect)
}

fn ipv4_address(args: &[Value]) -> Res<()> {
    let is_v4 = |arg: &Value| checks::parse_ip(arg).is_some_and(|ip| ip.is_v4());
    check_strings("validate_ipv4_address", args, is_v4, "valid IPv4 address.", inspect)
}

fn ipv6_address(args: &[Value]) -> Res<()> {
    let is_v6 = |arg: &Value| checks::parse_ip(arg).is_some_and(|ip| ip.is_v6());
    check_strings("validate_ipv6_address", args, is_v6, "valid IPv6 address.", inspect)
}

fn re(args: &[Value]) -> Res<()> {
    if args.len() < 2 || args.len() > 3 {
        return fail(format!("validate_re(): wrong number of arguments ({}; must be 2 or 3)", args.len()));
    }
    let (Some(Value::Str(string)), Some(patterns)) = (args.first(), args.get(1)) else {
        let class = ruby::plain_class_name(args.first().unwrap_or(&Value::Undef));
        return fail(format!("validate_re(): input needs to be a String, not a {class}"));
    };
    for pattern in flat(std::slice::from_ref(patterns)) {
        let matched = match &pattern {
            Value::Str(source) => Regexp::new(source.as_ref()).is_match(string),
            Value::Regexp(regexp) => regexp.is_match(string),
            other => {
                return fail(format!("no implicit conversion of {} into String", ruby::plain_conversion_name(other)));
            }
        };
        if matched.map_err(|error| Stop::runtime(error.message().to_owned()))? {
            return Ok(());
        }
    }
    match args.get(2).filter(|message| message.truthy()) {
        Some(Value::Str(message)) => fail(message.to_string()),
        Some(message) => fail(format!("undefined method `scrub' for {}", ruby::plain_receiver(message))),
        None => {
            fail(format!("validate_re(): {} does not match {}", ruby::inspect_string(string), ruby::inspect(patterns)))
        }
    }
}

//! Checks of values that the `is_…` and `validate_…` functions share.

use std::sync::LazyLock;

use crate::stdlib::ip::Ip;
use catwalk_base::diag::Reason;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_eval::Strict;
use catwalk_eval::runtime3;
use catwalk_value::Value;
use catwalk_value::ruby;
use catwalk_world::Kind;

type Pattern = LazyLock<Option<regex::Regex>>;

static ABSOLUTE_WINDOWS: Pattern = LazyLock::new(|| {
    let (slash, label) = (r"[\\/]", r"[^\\/]+");
    regex::Regex::new(&format!(
        r"(?mi)^(?:[A-Z]:{slash}|{slash}{slash}{label}{slash}{label}|{slash}{slash}\?{slash}{label})"
    ))
    .ok()
});
static NUMERIC: Pattern =
    LazyLock::new(|| regex::Regex::new(r"(?m)^-?(?:[1-9][0-9]*|0)(?:\.[0-9]+)?(?:[eE]-?[0-9]+)?$").ok());
static INTEGER: Pattern = LazyLock::new(|| regex::Regex::new(r"(?m)^-?(?:[1-9][0-9]*|0)$").ok());
static MAC: Pattern = LazyLock::new(|| {
    regex::Regex::new(r"(?mi)^[a-f0-9]{1,2}(?::[a-f0-9]{1,2}){5}$|^[a-f0-9]{1,2}(?::[a-f0-9]{1,2}){19}$").ok()
});
static EMAIL: Pattern =
    LazyLock::new(|| regex::Regex::new(r"\A(?:[A-Za-z0-9_+\-].?)+@[a-z0-9\-]+(?:\.[a-z]+)*\.[a-z]+\z").ok());

fn matches(pattern: &Pattern, string: &str) -> bool {
    pattern.as_ref().is_some_and(|pattern| pattern.is_match(string))
}

pub(super) fn is_absolute_path(value: &Value) -> bool {
    value.as_str().is_some_and(|path| path.split('\n').any(|l| l.starts_with('/')) || matches(&ABSOLUTE_WINDOWS, path))
}

/// The errors of Puppet::Util.absolute_path? for values that are not strings: one for Unix, one for Windows. The first value that
/// is not a path ends the checks.
pub(super) fn report_invalid_paths(call: &mut Call<'_, '_>, values: &[Value]) {
    let paths = values.iter().flat_map(|value| match value {
        Value::Array(items) => items.to_vec(),
        other => vec![other.clone()],
    });
    let refused = paths.into_iter().find(|path| !is_absolute_path(path));
    if let Some(path) = refused.filter(|path| path.as_str().is_none()) {
        let path_string = ruby::to_s(&path);
        let class = ruby::plain_class_name(&path);
        let message =
            format!("Cannot check if {path_string} is an absolute path because it is a '{class}' and not a String'");
        call.ev.log(catwalk_base::diag::Severity::Warning, message.clone(), None);
        call.ev.log(catwalk_base::diag::Severity::Warning, message, None);
    }
}

pub(super) fn is_integer(value: &Value) -> bool {
    match value {
        Value::Int(_) | Value::BigInt(_) => true,
        Value::Str(string) => matches(&INTEGER, string),
        _ => false,
    }
}

pub(super) fn is_numeric(value: &Value) -> bool {
    match value {
        Value::Int(_) | Value::BigInt(_) | Value::Float(_) => true,
        Value::Str(string) => matches(&NUMERIC, string),
        _ => false,
    }
}

pub(super) fn is_float(value: &Value) -> bool {
    match value {
        Value::Float(_) => true,
        Value::Str(string) => string.as_ref() == ruby::float_to_s(ruby::to_f(string)),
        _ => false,
    }
}

/// Whether a string is an integer in Ruby's notation: `text.to_i.to_s == text`.
pub(super) fn is_decimal_string(string: &str) -> bool {
    let digits = string.strip_prefix('-').unwrap_or(string);
    let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    plain && (string == "0" || !digits.starts_with('0'))
}

/// Whether a value is a string that does not contain a number; `undef` is one.
pub(super) fn is_string(value: &Value) -> bool {
    match value {
        Value::Undef => true,
        Value::Str(string) => !is_float(value) && !is_decimal_string(string),
        _ => false,
    }
}

pub(super) fn parse_ip(value: &Value) -> Option<Ip> {
    value.as_str().and_then(Ip::parse)
}

pub(super) fn is_mac_address(value: &Value) -> bool {
    value.as_str().is_some_and(|string| matches(&MAC, string))
}

pub(super) fn is_email_address(value: &Value) -> bool {
    value.as_str().is_some_and(|string| matches(&EMAIL, string))
}

pub(super) fn is_domain_name(value: &Value) -> bool {
    let Value::Str(string) = value else { return false };
    if string.as_ref() == "." {
        return true;
    }
    let domain = string.strip_suffix('.').unwrap_or(string);
    if domain.is_empty() || domain.chars().count() > 255 {
        return false;
    }
    if domain.contains('.') {
        let ends_in_letters = |line: &str| {
            line.rsplit_once('.')
                .is_some_and(|(_, last)| !last.is_empty() && last.chars().all(|c| c.is_ascii_alphabetic()))
        };
        if !domain.split('\n').any(ends_in_letters) {
            return false;
        }
    }
    let is_label = |label: &str| {
        (1..=63).contains(&label.chars().count())
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label
                .split('\n')
                .any(|line| !line.is_empty() && line.chars().all(|c| c.is_ascii_alphanumeric() || c == '-'))
    };
    ruby::split_string(domain, ".").into_iter().all(is_label)
}

/// The deprecation warning of the 4.x functions that wrap 3.x functions.
pub(super) fn warn_deprecated(call: &mut Call<'_, '_>, key: &str, message: &str) -> Res<()> {
    log_deprecation(call, key, message, true)
}

/// Logs a deprecation; unless `use_strict`, the setting `strict` is ignored.
pub(super) fn log_deprecation(call: &mut Call<'_, '_>, key: &str, message: &str, use_strict: bool) -> Res<()> {
    // Versions before 4.13 have no such function and log nothing.
    let kind = |path: &str| {
        let module = call.ev.program.environment.module("stdlib");
        module.map(|module| call.ev.world.kind(&module.root.join(path)))
    };
    if kind("lib/puppet/parser/functions") == Some(Kind::Directory)
        && kind("lib/puppet/functions/deprecation.rb") != Some(Kind::File)
    {
        return Ok(());
    }
    // stdlib takes file and line from the two innermost calls.
    let format_position = |(file, line): (String, u32)| format!("[{}, {line}]", ruby::inspect(&Value::from(file)));
    let mut calls = call.ev.stacktrace().map(format_position);
    let (file, line) = (calls.next().unwrap_or_default(), calls.next().unwrap_or_default());
    drop(calls);
    let message = format!("{message} at {file}:{line}");
    match if use_strict { call.ev.settings.strict } else { Strict::Warning } {
        Strict::Off => {}
        Strict::Error => return Err(Reason::runtime(format!("deprecation. {key}. {message}")).into()),
        Strict::Warning => {
            if call.ev.world.env("STDLIB_LOG_DEPRECATIONS").as_deref() != Some("false") {
                runtime3::warn_deprecated(call, key, &message);
            }
        }
    }
    Ok(())
}

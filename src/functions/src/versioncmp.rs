//! `versioncmp`

use std::cmp::Ordering;

use crate::Function;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_value::Value;
use catwalk_value::ruby;

pub(super) const FUNCTION: Function = Function {
    name: "versioncmp",
    signatures: &[("String $a, String $b, Boolean $ignore_trailing_zeroes = false", versioncmp)],
    doc: "Compares two version numbers and returns -1, 0 or 1. Runs of digits are compared as numbers, so 1.10 is \
          after 1.9, and `-` comes before `.`; the rest is compared as strings. With `true` as third argument trailing \
          zeroes are ignored.",
    examples: &[
        ("versioncmp('1.10', '1.9')", "1"),
        ("versioncmp('2.0-1', '2.0.1')", "-1"),
        ("versioncmp('1.0', '1', true)", "0"),
    ],
};

fn versioncmp(call: &mut Call<'_, '_>) -> Res<Value> {
    let (a, b) = (call.str(0), call.str(1));
    let nothing = |version: &str| version.bytes().all(|byte| byte == b'-');
    if call.arg(2).truthy() && (nothing(a) || nothing(b)) {
        return call.fail("undefined method `sub!' for nil:NilClass");
    }
    let order = if call.arg(2).truthy() {
        compare(&strip_trailing_zeroes(a), &strip_trailing_zeroes(b))
    } else {
        compare(a, b)
    };
    Ok(Value::Int(order as i64))
}

/// The part before the first dash without its trailing zeroes and dots.
fn strip_trailing_zeroes(version: &str) -> String {
    let (main, rest) = match version.split_once('-') {
        Some((main, rest)) => (main, Some(rest)),
        None => (version, None),
    };
    let main = main.trim_end_matches(['.', '0']);
    rest.filter(|rest| !rest.is_empty()).map_or_else(|| main.to_owned(), |rest| format!("{main}-{rest}"))
}

/// A dash or dot, a run of digits, or a run of anything else.
fn split_parts(version: &str) -> impl Iterator<Item = &str> {
    let mut rest = version;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let end = match first {
            '-' | '.' => 1,
            c if c.is_ascii_digit() => rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len()),
            _ => rest.find(|c: char| matches!(c, '-' | '.') || c.is_ascii_digit()).unwrap_or(rest.len()),
        };
        let (part, after) = rest.split_at(end);
        rest = after;
        Some(part)
    })
}

/// Puppet::Util::Package.versioncmp
pub(super) fn compare(a: &str, b: &str) -> Ordering {
    for (a, b) in split_parts(a).zip(split_parts(b)) {
        if a == b {
            continue;
        }
        for separator in ["-", "."] {
            if a == separator {
                return Ordering::Less;
            }
            if b == separator {
                return Ordering::Greater;
            }
        }
        let is_number = |part: &str| part.starts_with(|c: char| c.is_ascii_digit());
        if is_number(a) && is_number(b) && !a.starts_with('0') && !b.starts_with('0') {
            // Without leading zeros, the number with more digits is larger.
            return a.len().cmp(&b.len()).then_with(|| a.cmp(b));
        }
        return ruby::upcase(a).cmp(&ruby::upcase(b));
    }
    a.cmp(b)
}

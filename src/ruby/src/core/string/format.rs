//! `format` for the most common directives: strings and numbers with a width. [`Interp::sprintf`] handles the others.

use std::fmt::Write;

use crate::Interp;
use crate::Raise;
use crate::value::Rv;

/// Wider fields are handled by [`Interp::sprintf`].
const WIDEST: usize = 4096;

/// A directive: `%-05.2f`.
struct Directive {
    left: bool,
    zeroes: bool,
    width: usize,
    precision: Option<usize>,
    kind: char,
}

/// The formatted string; `None` if a directive or a value is not simple, or a value is missing.
pub(crate) fn simple(format: &str, values: &[Rv]) -> Option<String> {
    let mut out = String::with_capacity(format.len() + 16);
    let mut values = values.iter();
    let mut rest = format;
    while let Some(at) = memchr::memchr(b'%', rest.as_bytes()) {
        out.push_str(rest.get(..at)?);
        rest = rest.get(at + 1..)?;
        if let Some(after) = rest.strip_prefix('%') {
            out.push('%');
            rest = after;
            continue;
        }
        let (directive, after) = directive(rest)?;
        write_value(&directive, values.next()?, &mut out)?;
        rest = after;
    }
    out.push_str(rest);
    Some(out)
}

/// The directive at the start of a string, whose `%` is removed, and the rest of the string.
fn directive(string: &str) -> Option<(Directive, &str)> {
    let flags = string.find(|c| !matches!(c, '-' | '0')).unwrap_or(string.len());
    let (flags, rest) = string.split_at_checked(flags)?;
    let (width, rest) = number(rest)?;
    let (precision, rest) = match rest.strip_prefix('.') {
        Some(rest) => {
            let (precision, rest) = number(rest)?;
            (Some(precision), rest)
        }
        None => (None, rest),
    };
    let mut chars = rest.chars();
    let kind = chars.next().filter(|kind| matches!(kind, 's' | 'd' | 'f' | 'x'))?;
    let left = flags.contains('-');
    Some((Directive { left, zeroes: flags.contains('0') && !left, width, precision, kind }, chars.as_str()))
}

/// The number at the start of a string, or 0.
fn number(string: &str) -> Option<(usize, &str)> {
    let end = string.find(|c: char| !c.is_ascii_digit()).unwrap_or(string.len());
    let (digits, rest) = string.split_at_checked(end)?;
    let number = if digits.is_empty() { 0 } else { digits.parse().ok()? };
    (number <= WIDEST).then_some((number, rest))
}

/// Appends a value as its directive requires.
fn write_value(directive: &Directive, value: &Rv, out: &mut String) -> Option<()> {
    match (directive.kind, value) {
        ('s', Rv::Str(string)) => push_text(directive, &string.borrow(), out),
        ('s', Rv::Sym(string)) => push_text(directive, string, out),
        ('s', Rv::Nil) => push_text(directive, "", out),
        ('s', Rv::Int(n)) if directive.width == 0 && directive.precision.is_none() => write!(out, "{n}").ok()?,
        ('s', Rv::Int(n)) => push_text(directive, &n.to_string(), out),
        ('d', Rv::Int(n)) if directive.precision.is_none() => {
            let digits = n.unsigned_abs().to_string();
            push_number(directive, *n < 0, &digits, out);
        }
        ('x', Rv::Int(n)) if *n >= 0 && directive.precision.is_none() => {
            push_number(directive, false, &format!("{n:x}"), out);
        }
        ('f', Rv::Float(f)) if f.get().is_finite() => {
            let f = f.get();
            let digits = format!("{:.*}", directive.precision.unwrap_or(6), f.abs());
            push_number(directive, f.is_sign_negative(), &digits, out);
        }
        _ => return None,
    }
    Some(())
}

fn push_text(directive: &Directive, string: &str, out: &mut String) {
    let string = match directive.precision {
        Some(most) => string.char_indices().nth(most).and_then(|(end, _)| string.get(..end)).unwrap_or(string),
        None => string,
    };
    let missing = if directive.width == 0 { 0 } else { directive.width.saturating_sub(string.chars().count()) };
    if !directive.left {
        out.extend(std::iter::repeat_n(' ', missing));
    }
    out.push_str(string);
    if directive.left {
        out.extend(std::iter::repeat_n(' ', missing));
    }
}

fn push_number(directive: &Directive, negative: bool, digits: &str, out: &mut String) {
    let missing = directive.width.saturating_sub(digits.len() + usize::from(negative));
    if !directive.left && !directive.zeroes {
        out.extend(std::iter::repeat_n(' ', missing));
    }
    if negative {
        out.push('-');
    }
    if directive.zeroes {
        out.extend(std::iter::repeat_n('0', missing));
    }
    out.push_str(digits);
    if directive.left {
        out.extend(std::iter::repeat_n(' ', missing));
    }
}

/// `format % values`
pub(super) fn formatted(rt: &mut Interp<'_>, format: &Rv, values: &Rv) -> Raise<Rv> {
    let quick = match (format, values) {
        (Rv::Str(format), Rv::Array(items)) => simple(&format.borrow(), &items.borrow()),
        (Rv::Str(format), value) => simple(&format.borrow(), std::slice::from_ref(value)),
        _ => None,
    };
    if let Some(string) = quick {
        rt.check_size(string.len())?;
        return Ok(Rv::str(string));
    }
    let mut args = vec![format.clone()];
    match values {
        Rv::Array(items) => args.extend(items.borrow().iter().cloned()),
        other => args.push(other.clone()),
    }
    rt.sprintf(&args).map(Rv::str)
}

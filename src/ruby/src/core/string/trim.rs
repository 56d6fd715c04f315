//! Methods of `String` that remove something from its ends or add something there.

use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::value::Rv;
use crate::value::Str;

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\x0b' | '\x0c' | '\r' | '\0')
}

pub(super) fn strip(_: &mut Interp<'_>, this: &Str, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::str(this.borrow().trim_matches(is_blank)))
}

pub(super) fn lstrip(_: &mut Interp<'_>, this: &Str, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::str(this.borrow().trim_start_matches(is_blank)))
}

pub(super) fn rstrip(_: &mut Interp<'_>, this: &Str, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::str(this.borrow().trim_end_matches(is_blank)))
}

/// A line without its line end.
pub(super) fn without_newline(line: &str) -> &str {
    line.strip_suffix("\r\n").or_else(|| line.strip_suffix(['\n', '\r'])).unwrap_or(line)
}

/// `chomp`, `chomp(end)`; with `""` all newlines at the end.
pub(super) fn chomp(rt: &mut Interp<'_>, this: &Str, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let s = this.borrow();
    Ok(Rv::str(match args {
        [] => without_newline(&s),
        [Rv::Nil] => &s,
        [Rv::Str(end)] => {
            let end = end.borrow();
            match end.as_str() {
                "\n" => without_newline(&s),
                "" => {
                    let mut rest = s.as_str();
                    while let Some(shorter) = rest.strip_suffix('\n') {
                        rest = shorter.strip_suffix('\r').unwrap_or(shorter);
                    }
                    rest
                }
                end => s.strip_suffix(end).unwrap_or(&s),
            }
        }
        [other, ..] => return rt.type_error(other, "String"),
    }))
}

pub(super) fn chop(_: &mut Interp<'_>, this: &Str, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let s = this.borrow();
    let mut chars = s.chars();
    chars.next_back();
    let rest = chars.as_str();
    Ok(Rv::str(rest.strip_suffix('\r').filter(|_| s.ends_with("\r\n")).unwrap_or(rest)))
}

pub(super) fn delete_prefix(rt: &mut Interp<'_>, this: &Str, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    match args {
        [Rv::Str(start)] => {
            let s = this.borrow();
            Ok(Rv::str(s.strip_prefix(start.borrow().as_str()).unwrap_or(&s)))
        }
        _ => rt.type_error(args.first().unwrap_or(&Rv::Nil), "String"),
    }
}

pub(super) fn delete_suffix(rt: &mut Interp<'_>, this: &Str, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    match args {
        [Rv::Str(end)] => {
            let s = this.borrow();
            Ok(Rv::str(s.strip_suffix(end.borrow().as_str()).unwrap_or(&s)))
        }
        _ => rt.type_error(args.first().unwrap_or(&Rv::Nil), "String"),
    }
}

pub(super) fn ljust(rt: &mut Interp<'_>, this: &Str, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    pad(rt, this, args, |_| 0)
}

pub(super) fn rjust(rt: &mut Interp<'_>, this: &Str, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    pad(rt, this, args, |missing| missing)
}

pub(super) fn center(rt: &mut Interp<'_>, this: &Str, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    pad(rt, this, args, |missing| missing / 2)
}

/// The string padded to a width; `left` computes the padding on the left from the total.
fn pad(rt: &mut Interp<'_>, this: &Str, args: &[Rv], left: fn(usize) -> usize) -> Raise<Rv> {
    let width = usize::try_from(rt.expect_int(args.first().unwrap_or(&Rv::Nil))?).unwrap_or(0);
    rt.check_size(width)?;
    let fill = match args.get(1) {
        Some(fill) => rt.expect_str(fill)?,
        None => " ".to_owned(),
    };
    if fill.is_empty() {
        return rt.raise("ArgumentError", "zero width padding");
    }
    let s = this.borrow();
    let missing = width.saturating_sub(this.count());
    let left = left(missing);
    let mut out = String::with_capacity(s.len() + missing.saturating_mul(fill.len()));
    out.extend(fill.chars().cycle().take(left));
    out.push_str(&s);
    out.extend(fill.chars().cycle().take(missing - left));
    Ok(Rv::str(out))
}

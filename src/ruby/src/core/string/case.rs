//! Methods of `String` for upper and lower case.

use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::value::Rv;
use crate::value::Str;

pub(crate) fn upcase(_: &mut Interp<'_>, this: &Str, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let s = this.borrow();
    Ok(Rv::str(if this.is_ascii() { s.to_ascii_uppercase() } else { s.to_uppercase() }))
}

pub(crate) fn downcase(_: &mut Interp<'_>, this: &Str, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let s = this.borrow();
    Ok(Rv::str(if this.is_ascii() { s.to_ascii_lowercase() } else { s.to_lowercase() }))
}

pub(crate) fn capitalize(_: &mut Interp<'_>, this: &Str, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let s = this.borrow();
    if this.is_ascii() {
        let mut out = s.to_ascii_lowercase();
        if let Some(first) = out.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        return Ok(Rv::str(out));
    }
    let mut chars = s.chars();
    let mut out: String = chars.next().into_iter().flat_map(char::to_uppercase).collect();
    out.push_str(&chars.as_str().to_lowercase());
    Ok(Rv::str(out))
}

pub(crate) fn swapcase(_: &mut Interp<'_>, this: &Str, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let mut out = String::with_capacity(this.borrow().len());
    for c in this.borrow().chars() {
        if c.is_uppercase() { out.extend(c.to_lowercase()) } else { out.extend(c.to_uppercase()) }
    }
    Ok(Rv::str(out))
}

/// `casecmp(other)`: the order without regard to the case of ASCII letters.
pub(crate) fn casecmp(_: &mut Interp<'_>, this: &Str, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    match args {
        [Rv::Str(other)] => {
            let (a, b) = (this.borrow(), other.borrow());
            let lower = |string: &str| string.bytes().map(|byte| byte.to_ascii_lowercase()).collect::<Vec<u8>>();
            Ok(Rv::Int(lower(&a).cmp(&lower(&b)) as i64))
        }
        _ => Ok(Rv::Nil),
    }
}

/// `casecmp?(other)`: whether they are equal without regard to case.
pub(crate) fn is_casecmp(_: &mut Interp<'_>, this: &Str, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    match args {
        [Rv::Str(other)] if this.is_ascii() && other.is_ascii() => {
            Ok(Rv::bool(this.borrow().eq_ignore_ascii_case(&other.borrow())))
        }
        [Rv::Str(other)] => Ok(Rv::bool(this.borrow().to_lowercase() == other.borrow().to_lowercase())),
        _ => Ok(Rv::Nil),
    }
}

//! Methods of `String` that select a part by position.

use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::value::Rv;
use crate::value::Str;

/// `string[selector]`
pub(crate) fn slice(rt: &mut Interp<'_>, this: &Str, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(match find_selection(rt, this, args)? {
        Some((from, to)) => Rv::str(this.borrow().get(from..to).unwrap_or("")),
        None => Rv::Nil,
    })
}

/// `string[selector] = value`
pub(crate) fn set(rt: &mut Interp<'_>, this: &Str, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let Some((value, selector)) = args.split_last() else { return Ok(Rv::Nil) };
    let new = rt.expect_str(value)?;
    let Some((from, to)) = find_selection(rt, this, selector)? else {
        return match selector {
            [Rv::Int(at), ..] => rt.raise("IndexError", format!("index {at} out of string")),
            [range @ Rv::Range(_)] => {
                let inspected = rt.inspect(range)?;
                rt.raise("RangeError", format!("{inspected} out of range"))
            }
            [Rv::Regexp(_), ..] => rt.raise("IndexError", "regexp not matched"),
            _ => rt.raise("IndexError", "string not matched"),
        };
    };
    rt.check_growth(this.borrow().len(), new.len())?;
    this.borrow_mut().replace_range(from..to, &new);
    Ok(value.clone())
}

/// `string.slice!(selector)`
pub(crate) fn cut(rt: &mut Interp<'_>, this: &Str, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let Some((from, to)) = find_selection(rt, this, args)? else { return Ok(Rv::Nil) };
    let removed = this.borrow().get(from..to).unwrap_or("").to_owned();
    this.borrow_mut().replace_range(from..to, "");
    Ok(Rv::str(removed))
}

pub(crate) fn insert(rt: &mut Interp<'_>, this: &Str, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let [at, other] = args else { return Ok(Rv::Nil) };
    let (index, other) = (rt.expect_int(at)?, rt.expect_str(other)?);
    let count = this.count() as i64;
    let at = if index < 0 { index + count + 1 } else { index };
    if at < 0 || at > count {
        return rt.raise("IndexError", format!("index {index} out of string"));
    }
    rt.check_growth(this.borrow().len(), other.len())?;
    let byte = this.byte_index(usize::try_from(at).unwrap_or(0));
    this.borrow_mut().insert_str(byte, &other);
    Ok(Rv::Str(this.clone()))
}

/// The bytes that `string[selector]` selects.
fn find_selection(rt: &mut Interp<'_>, this: &Str, selector: &[Rv]) -> Raise<Option<(usize, usize)>> {
    Ok(match selector {
        [Rv::Int(at)] => char_span(this, *at),
        [Rv::Int(at), length] => {
            let length = rt.expect_int(length)?;
            let count = this.count();
            let at = if *at < 0 { at + count as i64 } else { *at };
            match (usize::try_from(at), usize::try_from(length)) {
                (Ok(at), Ok(length)) if at <= count => Some(this.byte_range(at, length)),
                _ => None,
            }
        }
        [Rv::Range(range)] => {
            crate::core::range::bounds(range, this.count()).map(|(from, length)| this.byte_range(from, length))
        }
        [Rv::Str(other)] => {
            let other = other.borrow();
            super::search::find(&this.borrow(), &other, 0).map(|at| (at, at + other.len()))
        }
        [Rv::Regexp(regexp), rest @ ..] => {
            let found = rt.match_at(regexp, &this.borrow(), 0)?;
            let Rv::Match(found) = &found else { return Ok(None) };
            match rest.first() {
                None => found.span(0),
                Some(group) => crate::core::match_data::group_number(rt, found, group)?.and_then(|at| found.span(at)),
            }
        }
        [at @ Rv::Float(_), rest @ ..] if rest.len() < 2 => {
            let mut selector = vec![Rv::Int(rt.expect_int(at)?)];
            selector.extend(rest.iter().cloned());
            return find_selection(rt, this, &selector);
        }
        [] | [_, _, _, ..] => return rt.wrong_argument_count(selector.len(), "1..2"),
        [other, ..] => return rt.type_error(other, "Integer"),
    })
}

/// The bytes of one character.
fn char_span(this: &Str, at: i64) -> Option<(usize, usize)> {
    let s = this.borrow();
    if this.is_ascii() {
        let at = usize::try_from(if at < 0 { at + s.len() as i64 } else { at }).ok()?;
        return (at < s.len()).then_some((at, at + 1));
    }
    let found = match usize::try_from(at) {
        Ok(at) => s.char_indices().nth(at),
        Err(_) => s.char_indices().rev().nth(usize::try_from(-1 - at).ok()?),
    };
    found.map(|(from, c)| (from, from + c.len_utf8()))
}

/// `byteslice(from, length)`, `byteslice(at)`, `byteslice(range)`
pub(crate) fn byteslice(rt: &mut Interp<'_>, this: &Str, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let count = this.borrow().len();
    let (from, length) = match args {
        [Rv::Range(range)] => match crate::core::range::bounds(range, count) {
            Some(found) => found,
            None => return Ok(Rv::Nil),
        },
        [at, rest @ ..] => {
            let at = rt.expect_int(at)?;
            let length = match rest.first() {
                Some(length) => rt.expect_int(length)?,
                None => 1,
            };
            let at = usize::try_from(if at < 0 { at + count as i64 } else { at });
            match (at, usize::try_from(length)) {
                (Ok(at), Ok(length)) if at < count || (at == count && !rest.is_empty()) => (at, length),
                _ => return Ok(Rv::Nil),
            }
        }
        [] => return Ok(Rv::Nil),
    };
    let s = this.borrow();
    let part = s.as_bytes().get(from..from.saturating_add(length).min(count)).unwrap_or_default();
    Ok(Rv::from_bytes(part.to_vec()))
}

pub(crate) fn getbyte(rt: &mut Interp<'_>, this: &Str, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let at = rt.expect_int(args.first().unwrap_or(&Rv::Nil))?;
    let s = this.borrow();
    let at = usize::try_from(if at < 0 { at + s.len() as i64 } else { at }).ok();
    Ok(at.and_then(|at| s.as_bytes().get(at)).map_or(Rv::Nil, |byte| Rv::Int(i64::from(*byte))))
}

//! Methods of `String` that change it.
//!
//! In: a text that others may hold as well. Out: the same text, changed. Must not: know patterns but by their places.

use super::Interp;
use super::Raise;
use super::string::byte_at;
use super::value::Rv;
use super::value::Str;

/// Methods that change the string.
pub(super) fn changing(rt: &mut Interp<'_, '_>, this: &Str, name: &str, args: &[Rv]) -> Raise<Option<Rv>> {
    match (name, args) {
        // No text any more: who holds the string is given the bytes in its place.
        ("<<" | "concat", [Rv::Bytes(other)]) => {
            let mut bytes = this.borrow().as_bytes().to_vec();
            bytes.extend(other.borrow().iter());
            rt.check_size(bytes.len())?;
            match String::from_utf8(bytes) {
                Ok(text) => *this.borrow_mut() = text,
                Err(error) => return Ok(Some(Rv::bytes(error.into_bytes()))),
            }
        }
        ("<<" | "concat" | "prepend", _) => {
            let mut added = String::new();
            for arg in args {
                match arg {
                    Rv::Int(n) => added.extend(u32::try_from(*n).ok().and_then(char::from_u32)),
                    other => added.push_str(&rt.expect_str(other)?),
                }
            }
            let size = this.borrow().len();
            // What comes first moves all that is there.
            let moved = if name == "prepend" { size / 64 } else { 0 };
            rt.check_growth(size, added.len() + moved)?;
            if name == "prepend" { this.borrow_mut().insert_str(0, &added) } else { this.borrow_mut().push_str(&added) }
        }
        ("replace", [other]) => {
            let new = rt.expect_str(other)?;
            *this.borrow_mut() = new;
        }
        ("clear", []) => this.borrow_mut().clear(),
        ("insert", [at, other]) => {
            let (at, other) = (rt.expect_int(at)?, rt.expect_str(other)?);
            let count = this.borrow().chars().count() as i128;
            let at = if at < 0 { at + count + 1 } else { at };
            if at < 0 || at > count {
                return rt.raise("IndexError", format!("index {at} out of string"));
            }
            let byte = byte_at(&this.borrow(), usize::try_from(at).unwrap_or(0));
            this.borrow_mut().insert_str(byte, &other);
        }
        ("[]=", [place @ .., value]) => {
            let new = rt.expect_str(value)?;
            let s = this.borrow().clone();
            let Some((from, to)) = find_place(rt, &s, place)? else {
                return rt.raise("IndexError", "string not matched");
            };
            this.borrow_mut().replace_range(from..to, &new);
            return Ok(Some(value.clone()));
        }
        ("slice!", place) => {
            let s = this.borrow().clone();
            let Some((from, to)) = find_place(rt, &s, place)? else { return Ok(Some(Rv::Nil)) };
            let taken = s.get(from..to).unwrap_or("").to_owned();
            this.borrow_mut().replace_range(from..to, "");
            return Ok(Some(Rv::str(taken)));
        }
        _ => return Ok(None),
    }
    Ok(Some(Rv::Str(this.clone())))
}

/// The bytes that `s[place]` names.
pub(super) fn find_place(rt: &mut Interp<'_, '_>, s: &str, place: &[Rv]) -> Raise<Option<(usize, usize)>> {
    let count = s.chars().count();
    let chars = |from: usize, length: usize| {
        let start = byte_at(s, from);
        let end = byte_at(s, from.saturating_add(length));
        (start, end)
    };
    Ok(match place {
        [Rv::Int(at)] => {
            let at = if *at < 0 { at + count as i128 } else { *at };
            usize::try_from(at).ok().filter(|at| *at < count).map(|at| chars(at, 1))
        }
        [Rv::Int(at), length] => {
            let length = rt.expect_int(length)?;
            let at = if *at < 0 { at + count as i128 } else { *at };
            match (usize::try_from(at), usize::try_from(length)) {
                (Ok(at), Ok(length)) if at <= count => Some(chars(at, length)),
                _ => None,
            }
        }
        [Rv::Range(range)] => crate::core::range::bounds(range, count).map(|(from, length)| chars(from, length)),
        [Rv::Str(other)] => s.find(other.borrow().as_str()).map(|at| (at, at + other.borrow().len())),
        [Rv::Regexp(regexp), rest @ ..] => {
            let found = rt.match_at(&regexp.clone(), s, 0)?;
            let Rv::Match(found) = &found else { return Ok(None) };
            let at = match rest.first() {
                None => 0,
                Some(Rv::Int(n)) => usize::try_from(*n).unwrap_or(0),
                Some(name) => {
                    let name = name.text().unwrap_or_default();
                    found.names.iter().position(|known| known.as_deref() == Some(&name)).map_or(usize::MAX, |at| at + 1)
                }
            };
            found.spans.get(at).copied().flatten()
        }
        [at @ Rv::Float(_), rest @ ..] if rest.len() < 2 => {
            let mut place = vec![Rv::Int(rt.expect_int(at)?)];
            place.extend(rest.iter().cloned());
            return find_place(rt, s, &place);
        }
        [] | [_, _, _, ..] => return rt.wrong_count(place.len(), "1..2"),
        [other, ..] => return rt.type_error(&other.clone(), "Integer"),
    })
}

//! Methods of `String` that search: regular expressions, positions, parts around separators.
//!
//! In: a string, a pattern. Out: positions and parts. Must not: change the string.

use std::rc::Rc;

use memchr::memmem;

use super::pattern::Pattern;
use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::value::MatchValue;
use crate::value::RegexpValue;
use crate::value::Rv;
use crate::value::Str;

/// The byte position of a string in another, from `from` on.
pub(crate) fn find(string: &str, part: &str, from: usize) -> Option<usize> {
    memmem::find(string.as_bytes().get(from..)?, part.as_bytes()).map(|at| at + from)
}

/// `text =~ pattern`
pub(crate) fn matches(rt: &mut Interp<'_>, this: &Str, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    match args {
        [Rv::Regexp(regexp)] => crate::core::regexp::match_index(rt, regexp, this),
        [Rv::Str(_) | Rv::Bytes(_)] => rt.raise("TypeError", "type mismatch: String given"),
        [Rv::Nil] => Ok(Rv::Nil),
        [other] => rt.call_method(other, "=~", &[Rv::Str(this.clone())], None),
        _ => Ok(Rv::Nil),
    }
}

/// The regular expression of `match(pattern)`: a string is the source of one.
fn source(rt: &mut Interp<'_>, pattern: &Rv) -> Raise<Rc<RegexpValue>> {
    match pattern {
        Rv::Str(string) => rt.regexp_value(&string.borrow(), ""),
        other => rt.pattern(other),
    }
}

pub(crate) fn match_data(rt: &mut Interp<'_>, this: &Str, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let regexp = source(rt, args.first().unwrap_or(&Rv::Nil))?;
    crate::core::regexp::match_from(rt, &regexp, this, args.get(1), block)
}

pub(crate) fn is_match(rt: &mut Interp<'_>, this: &Str, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let regexp = source(rt, args.first().unwrap_or(&Rv::Nil))?;
    crate::core::regexp::is_match_from(rt, &regexp, this, args.get(1))
}

pub(crate) fn starts_with(rt: &mut Interp<'_>, this: &Str, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    for arg in args {
        let fits = match arg {
            Rv::Str(other) => this.borrow().starts_with(other.borrow().as_str()),
            Rv::Regexp(regexp) => {
                let found = rt.match_at(regexp, &this.borrow(), 0)?;
                let fits = matches!(&found, Rv::Match(found) if found.span(0).is_some_and(|(from, _)| from == 0));
                if !fits {
                    rt.last_match = Rv::Nil;
                }
                fits
            }
            other => return rt.type_error(other, "String"),
        };
        if fits {
            return Ok(Rv::True);
        }
    }
    Ok(Rv::False)
}

pub(crate) fn ends_with(rt: &mut Interp<'_>, this: &Str, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    for arg in args {
        let Rv::Str(other) = arg else { return rt.type_error(arg, "String") };
        if this.borrow().ends_with(other.borrow().as_str()) {
            return Ok(Rv::True);
        }
    }
    Ok(Rv::False)
}

pub(crate) fn includes(rt: &mut Interp<'_>, this: &Str, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    match args {
        [Rv::Str(other)] => Ok(Rv::bool(find(&this.borrow(), &other.borrow(), 0).is_some())),
        _ => rt.type_error(args.first().unwrap_or(&Rv::Nil), "String"),
    }
}

/// The parts of a text as a string each.
fn split_around(s: &str, span: Option<(usize, usize)>, at_end: bool) -> Rv {
    let part = |from: usize, to: usize| Rv::str(s.get(from..to).unwrap_or(""));
    let (from, to) = span.unwrap_or(if at_end { (0, 0) } else { (s.len(), s.len()) });
    Rv::array(vec![part(0, from), part(from, to), part(to, s.len())])
}

pub(crate) fn partition(rt: &mut Interp<'_>, this: &Str, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let s = this.borrow();
    let span = match args {
        [Rv::Regexp(regexp)] => match rt.match_at(regexp, &s, 0)? {
            Rv::Match(found) => found.span(0),
            _ => None,
        },
        [Rv::Str(other)] => find(&s, &other.borrow(), 0).map(|at| (at, at + other.borrow().len())),
        other => {
            let class = rt.conversion_name(other.first().unwrap_or(&Rv::Nil))?;
            return rt.raise("TypeError", format!("wrong argument type {class} (expected Regexp)"));
        }
    };
    Ok(split_around(&s, span, false))
}

pub(crate) fn rpartition(rt: &mut Interp<'_>, this: &Str, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let s = this.borrow();
    let span = match args {
        [Rv::Regexp(regexp)] => last_match_before(rt, regexp, &s, s.len())?,
        [Rv::Str(other)] => {
            let other = other.borrow();
            s.rfind(other.as_str()).map(|at| (at, at + other.len()))
        }
        other => {
            let class = rt.conversion_name(other.first().unwrap_or(&Rv::Nil))?;
            return rt.raise("TypeError", format!("wrong argument type {class} (expected Regexp)"));
        }
    };
    Ok(split_around(&s, span, true))
}

/// The last match that starts at or before a byte; sets `$~`.
fn last_match_before(
    rt: &mut Interp<'_>,
    regexp: &Rc<RegexpValue>,
    s: &str,
    most: usize,
) -> Raise<Option<(usize, usize)>> {
    let mut last = None;
    let mut at = 0;
    while at <= most {
        match regexp.regexp.captures_at(s, at) {
            Ok(Some(found)) if found.start() <= most => {
                // The next match may begin within this one.
                at = found.start()
                    + s.get(found.start()..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8);
                last = Some(found);
            }
            Ok(_) => break,
            Err(error) => return rt.regexp_error(&error),
        }
    }
    let span = last.as_ref().map(|found| (found.start(), found.end()));
    let whole = rt.shared_subject(s);
    rt.last_match =
        last.map_or(Rv::Nil, |found| Rv::Match(Rc::new(MatchValue::from_captures(Some(regexp), found, whole))));
    Ok(span)
}

/// A position given as a number of characters, from the end if negative; `None` outside of the string.
fn char_position_argument(rt: &mut Interp<'_>, count: usize, at: &Rv) -> Raise<Option<usize>> {
    let at = rt.expect_int(at)?;
    Ok(usize::try_from(if at < 0 { at + count as i64 } else { at }).ok())
}

pub(crate) fn index(rt: &mut Interp<'_>, this: &Str, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let from = match args.get(1) {
        Some(at) => {
            let count = this.count();
            match char_position_argument(rt, count, at)?.filter(|at| *at <= count) {
                Some(at) => this.byte_index(at),
                None => return Ok(Rv::Nil),
            }
        }
        None => 0,
    };
    let s = this.borrow();
    let found = match args.first() {
        Some(Rv::Str(other)) => find(&s, &other.borrow(), from),
        Some(Rv::Regexp(regexp)) => match rt.match_at(regexp, &s, from)? {
            Rv::Match(found) => found.span(0).map(|(from, _)| from),
            _ => None,
        },
        other => return rt.type_error(other.unwrap_or(&Rv::Nil), "String"),
    };
    Ok(found.map_or(Rv::Nil, |at| Rv::int(this.char_index(at))))
}

pub(crate) fn rindex(rt: &mut Interp<'_>, this: &Str, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let most = match args.get(1) {
        Some(at) => match char_position_argument(rt, this.count(), at)? {
            Some(at) => this.byte_index(at),
            None => return Ok(Rv::Nil),
        },
        None => this.borrow().len(),
    };
    let s = this.borrow();
    let found = match args.first() {
        Some(Rv::Str(other)) => {
            let other = other.borrow();
            let end = most.saturating_add(other.len()).min(s.len());
            memmem::rfind(s.as_bytes().get(..end).unwrap_or_default(), other.as_bytes())
        }
        Some(Rv::Regexp(regexp)) => last_match_before(rt, regexp, &s, most)?.map(|(from, _)| from),
        other => return rt.type_error(other.unwrap_or(&Rv::Nil), "String"),
    };
    Ok(found.map_or(Rv::Nil, |at| Rv::int(this.char_index(at))))
}

pub(crate) fn scan(rt: &mut Interp<'_>, this: &Str, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let pattern = Pattern::from_value(rt, args.first().unwrap_or(&Rv::Nil))?;
    let whole = rt.shared_subject(&this.borrow());
    let mut list = Vec::new();
    let mut last = None;
    rt.last_match = Rv::Nil;
    for found in pattern.matches(&whole) {
        let found = match found {
            Ok(found) => found,
            Err(error) => return rt.regexp_error(&error),
        };
        let item = match found.len() {
            1 => Rv::str(found.matched()),
            groups => Rv::array((1..groups).map(|at| found.get(at).map_or(Rv::Nil, Rv::str)).collect()),
        };
        match block {
            Some(block) => {
                let found = Rv::Match(Rc::new(MatchValue::from_captures(pattern.regexp(), found, whole.clone())));
                rt.last_match = found.clone();
                rt.yield_value(block, item)?;
                rt.last_match = found;
            }
            None => {
                rt.check_growth(list.len() * 64, 64)?;
                list.push(item);
                last = Some(found);
            }
        }
    }
    if block.is_some() {
        return Ok(Rv::Str(this.clone()));
    }
    if let Some(found) = last {
        rt.last_match = Rv::Match(Rc::new(MatchValue::from_captures(pattern.regexp(), found, whole.clone())));
    }
    Ok(Rv::array(list))
}

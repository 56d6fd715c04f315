//! `String#sub` and `String#gsub`.

use std::rc::Rc;

use super::pattern::Pattern;
use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::value::HashObject;
use crate::value::MatchValue;
use crate::value::Rv;
use crate::value::Str;
use catwalk_base::meter;
use catwalk_regexp::Captures;

/// The replacement of a match.
enum Replacement<'a> {
    /// A string with `\1`, `\k<name>` …
    Template(String),
    /// A string without these.
    Plain(String),
    Table(&'a Rc<HashObject>),
    Block(&'a Rc<crate::value::Callable>),
}

pub(super) fn sub(rt: &mut Interp<'_>, this: &Str, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::str(match replace_matches(rt, this, args, block, true)? {
        Some(string) => string,
        None => this.borrow().clone(),
    }))
}

pub(super) fn gsub(rt: &mut Interp<'_>, this: &Str, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    if args.len() == 1 && block.is_none() {
        return Ok(crate::core::enumerator::enumerator(&Rv::Str(this.clone()), "gsub", args));
    }
    Ok(Rv::str(match replace_matches(rt, this, args, block, false)? {
        Some(string) => string,
        None => this.borrow().clone(),
    }))
}

/// `sub!`: `nil` if there is no match.
pub(super) fn sub_bang(rt: &mut Interp<'_>, this: &Str, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let new = replace_matches(rt, this, args, block, true)?;
    Ok(set_contents(this, new))
}

/// `gsub!`: `nil` if there is no match.
pub(super) fn gsub_bang(rt: &mut Interp<'_>, this: &Str, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    if args.len() == 1 && block.is_none() {
        return Ok(crate::core::enumerator::enumerator(&Rv::Str(this.clone()), "gsub!", args));
    }
    let new = replace_matches(rt, this, args, block, false)?;
    Ok(set_contents(this, new))
}

fn set_contents(this: &Str, new: Option<String>) -> Rv {
    match new {
        Some(string) => {
            *this.borrow_mut() = string;
            Rv::Str(this.clone())
        }
        None => Rv::Nil,
    }
}

/// The string with its first or all matches replaced; `None` if there is no match.
fn replace_matches(rt: &mut Interp<'_>, this: &Str, args: &[Rv], block: Blk<'_>, once: bool) -> Raise<Option<String>> {
    let replacement = match (args, block) {
        ([_, Rv::Hash(table)], _) => Replacement::Table(table),
        ([_, string], _) => {
            let string = rt.expect_str(string)?;
            if string.contains('\\') { Replacement::Template(string) } else { Replacement::Plain(string) }
        }
        (_, Some(block)) => Replacement::Block(block),
        _ => return rt.wrong_argument_count(args.len(), "2"),
    };
    let pattern = Pattern::from_value(rt, args.first().unwrap_or(&Rv::Nil))?;
    let limit = if once { 1 } else { usize::MAX };
    let done = match &replacement {
        Replacement::Plain(_) | Replacement::Template(_) => {
            replace_with_string(rt, &this.borrow(), &pattern, &replacement, limit)?
        }
        Replacement::Table(_) | Replacement::Block(_) => replace_with_code(rt, this, &pattern, &replacement, limit)?,
    };
    if let Some(string) = &done {
        rt.check_size(string.len())?;
    }
    Ok(done)
}

/// Replaces without running code of the program: only the last match is stored in `$~`.
fn replace_with_string(
    rt: &mut Interp<'_>,
    s: &str,
    pattern: &Pattern,
    replacement: &Replacement<'_>,
    limit: usize,
) -> Raise<Option<String>> {
    let mut out = String::new();
    let mut copied = 0;
    let mut last: Option<Captures<'_>> = None;
    for found in pattern.matches(s).take(limit) {
        let found = match found {
            Ok(found) => found,
            Err(error) => return rt.regexp_error(&error),
        };
        if out.capacity() == 0 {
            out.reserve(s.len());
        }
        let before = out.len();
        meter::push_str(&mut out, s.get(copied..found.start()).unwrap_or(""));
        match replacement {
            Replacement::Template(string) => {
                if let Err(error) = found.expand(string, &mut out) {
                    return rt.regexp_error(&error);
                }
            }
            Replacement::Plain(string) => meter::push_str(&mut out, string),
            _ => {}
        }
        meter::charge(out.len().saturating_sub(before));
        copied = found.end();
        last = Some(found);
    }
    let Some(last) = last else {
        rt.last_match = Rv::Nil;
        return Ok(None);
    };
    meter::push_str(&mut out, s.get(copied..).unwrap_or(""));
    let whole = rt.shared_subject(s);
    rt.last_match = Rv::Match(Rc::new(MatchValue::from_captures(pattern.regexp(), last, whole)));
    Ok(Some(out))
}

/// A block, or the default of a hash, is code of the program: each match is `$~` while it runs, and it may change the string.
fn replace_with_code(
    rt: &mut Interp<'_>,
    this: &Str,
    pattern: &Pattern,
    replacement: &Replacement<'_>,
    limit: usize,
) -> Raise<Option<String>> {
    let whole = rt.shared_subject(&this.borrow());
    let mut out = String::new();
    let mut copied = 0;
    let mut last = None;
    for found in pattern.matches(&whole).take(limit) {
        let found = match found {
            Ok(found) => found,
            Err(error) => return rt.regexp_error(&error),
        };
        meter::push_str(&mut out, whole.get(copied..found.start()).unwrap_or(""));
        copied = found.end();
        let key = Rv::str(found.matched());
        let found = Rv::Match(Rc::new(MatchValue::from_captures(pattern.regexp(), found, whole.clone())));
        rt.last_match = found.clone();
        let value = match replacement {
            Replacement::Table(table) => match table.get(&key) {
                Some(value) => value,
                None => rt.call_method(&Rv::Hash((*table).clone()), "[]", &[key], None)?,
            },
            Replacement::Block(block) => rt.yield_value(block, key)?,
            _ => Rv::Nil,
        };
        match &value {
            Rv::Str(string) => meter::push_str(&mut out, &string.borrow()),
            other => {
                let string = rt.to_s(other)?;
                meter::push_str(&mut out, &string);
            }
        }
        last = Some(found);
    }
    rt.last_match = last.clone().unwrap_or(Rv::Nil);
    if last.is_none() {
        return Ok(None);
    }
    meter::push_str(&mut out, whole.get(copied..).unwrap_or(""));
    Ok(Some(out))
}

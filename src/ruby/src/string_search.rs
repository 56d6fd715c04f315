//! Methods of `String` that look for something: regular expressions, places, parts between separators.
//!
//! In: a text, a pattern. Out: places, parts, texts with parts replaced. Must not: change the text.

use std::rc::Rc;

use super::Blk;
use super::Interp;
use super::Raise;
use super::string::byte_at;
use super::string_change::find_place;
use super::value::MatchValue;
use super::value::Rv;
use super::value::Str;

/// Methods with patterns.
pub(super) fn matching(
    rt: &mut Interp<'_, '_>,
    this: &Str,
    name: &str,
    args: &[Rv],
    block: Blk<'_>,
) -> Raise<Option<Rv>> {
    let s = this.borrow().clone();
    Ok(Some(match (name, args) {
        ("[]" | "slice", _) => match find_place(rt, &s, args)? {
            Some((from, to)) => Rv::str(s.get(from..to).unwrap_or("")),
            None => Rv::Nil,
        },
        ("=~", [Rv::Regexp(regexp)]) => rt.call_method(&Rv::Regexp(regexp.clone()), "=~", &[Rv::str(s)], None)?,
        ("=~", [Rv::Str(_)]) => return rt.raise("TypeError", "type mismatch: String given"),
        ("match" | "match?", [pattern]) => {
            let regexp = match pattern {
                Rv::Str(source) => rt.regexp(&source.borrow().clone(), "")?,
                other => other.clone(),
            };
            rt.call_method(&regexp, name, &[Rv::str(s)], None)?
        }
        ("start_with?" | "end_with?", _) => {
            let mut fits = false;
            for arg in args {
                fits |= match arg {
                    Rv::Str(other) if name == "start_with?" => s.starts_with(other.borrow().as_str()),
                    Rv::Str(other) => s.ends_with(other.borrow().as_str()),
                    Rv::Regexp(regexp) if name == "start_with?" => match rt.match_at(&regexp.clone(), &s, 0)? {
                        Rv::Match(found) => found.spans.first().copied().flatten().is_some_and(|(from, _)| from == 0),
                        _ => false,
                    },
                    other => return rt.type_error(&other.clone(), "String"),
                };
            }
            Rv::Bool(fits)
        }
        ("index" | "rindex", [pattern, ..]) => index(rt, &s, name, pattern, args.get(1))?,
        ("sub" | "gsub", [pattern, Rv::Hash(table)]) => {
            let regexp = rt.pattern(pattern)?;
            let found = rt.matches(&regexp, &s)?;
            let table = table.clone();
            replaced(rt, &s, found, name == "sub", |rt, found| {
                let key = group_text(found);
                let value = table.get(&key).unwrap_or(Rv::Nil);
                rt.to_s(&value)
            })?
        }
        ("sub" | "gsub", [pattern, replacement]) => {
            let replacement = rt.expect_str(replacement)?;
            let regexp = rt.pattern(pattern)?;
            let done = if name == "sub" {
                regexp.regexp.replace_first(&s, &replacement)
            } else {
                regexp.regexp.replace_all(&s, &replacement)
            };
            match done {
                Ok(done) => Rv::str(done.into_owned()),
                Err(error) => return rt.regexp_error(&error),
            }
        }
        ("sub" | "gsub", [pattern]) => {
            let Some(block) = block else { return rt.unsupported(&format!("{name} without replacement")) };
            let regexp = rt.pattern(pattern)?;
            let found = rt.matches(&regexp, &s)?;
            replaced(rt, &s, found, name == "sub", |rt, found| {
                let value = rt.yield_value(block, group_text(found))?;
                rt.to_s(&value)
            })?
        }
        ("grapheme_clusters" | "each_grapheme_cluster", []) => {
            let cluster = rt.regexp("\\X", "")?;
            let found = scan(rt, this, &s, &cluster, None)?;
            match (name, block) {
                ("grapheme_clusters", _) => found,
                (_, None) => crate::core::enumerator::enumerator(&found, "each", &[]),
                (_, Some(_)) => {
                    rt.call_method(&found, "each", &[], block)?;
                    Rv::Str(this.clone())
                }
            }
        }
        ("scan", [pattern]) => scan(rt, this, &s, pattern, block)?,
        ("partition" | "rpartition", [pattern]) => {
            let span = match pattern {
                Rv::Str(other) => {
                    let other = other.borrow().clone();
                    let at = if name == "partition" { s.find(&other) } else { s.rfind(&other) };
                    at.map(|at| (at, at + other.len()))
                }
                other => {
                    let regexp = rt.pattern(other)?;
                    let found = rt.matches(&regexp, &s)?;
                    let one = if name == "partition" { found.first() } else { found.last() };
                    one.and_then(|found| found.spans.first().copied().flatten())
                }
            };
            let part = |from: usize, to: usize| Rv::str(s.get(from..to).unwrap_or(""));
            match span {
                Some((from, to)) => Rv::array(vec![part(0, from), part(from, to), part(to, s.len())]),
                None if name == "partition" => Rv::array(vec![Rv::str(s), Rv::str(""), Rv::str("")]),
                None => Rv::array(vec![Rv::str(""), Rv::str(""), Rv::str(s)]),
            }
        }
        ("split", _) => split(rt, &s, args)?,
        _ => return Ok(None),
    }))
}

fn group_text(found: &Rc<MatchValue>) -> Rv {
    super::regexp::group(&Rv::Match(found.clone()), 0)
}

fn replaced(
    rt: &mut Interp<'_, '_>,
    s: &str,
    found: Vec<MatchValue>,
    once: bool,
    mut write: impl FnMut(&mut Interp<'_, '_>, &Rc<MatchValue>) -> Raise<String>,
) -> Raise<Rv> {
    let mut out = String::with_capacity(s.len());
    let mut copied = 0;
    for found in found.into_iter().take(if once { 1 } else { usize::MAX }) {
        let (from, to) = found.spans.first().copied().flatten().unwrap_or((0, 0));
        out.push_str(s.get(copied..from).unwrap_or(""));
        let found = Rc::new(found);
        rt.last_match = Rv::Match(found.clone());
        let text = write(rt, &found)?;
        out.push_str(&text);
        copied = to;
    }
    out.push_str(s.get(copied..).unwrap_or(""));
    rt.check_size(out.len())?;
    Ok(Rv::str(out))
}

fn scan(rt: &mut Interp<'_, '_>, this: &Str, s: &str, pattern: &Rv, block: Blk<'_>) -> Raise<Rv> {
    let regexp = rt.pattern(pattern)?;
    let mut list = Vec::new();
    for found in rt.matches(&regexp, s)? {
        let found = Rv::Match(Rc::new(found));
        let Rv::Match(inner) = &found else { continue };
        let item = if inner.spans.len() > 1 {
            Rv::array((1..inner.spans.len()).map(|at| super::regexp::group(&found, at)).collect())
        } else {
            super::regexp::group(&found, 0)
        };
        rt.last_match = found.clone();
        match block {
            Some(block) => {
                rt.yield_value(block, item)?;
            }
            None => list.push(item),
        }
    }
    Ok(if block.is_some() { Rv::Str(this.clone()) } else { Rv::array(list) })
}

pub(super) fn index(rt: &mut Interp<'_, '_>, s: &str, name: &str, pattern: &Rv, from: Option<&Rv>) -> Raise<Rv> {
    let count = s.chars().count() as i128;
    let from = match from {
        Some(from) => {
            let from = rt.expect_int(from)?;
            if from < 0 { from + count } else { from }
        }
        None if name == "index" => 0,
        None => count,
    };
    let Ok(from) = usize::try_from(from) else { return Ok(Rv::Nil) };
    if from as i128 > count && name == "index" {
        return Ok(Rv::Nil);
    }
    let byte = byte_at(s, from);
    let found = match (pattern, name) {
        (Rv::Str(other), "index") => {
            s.get(byte..).and_then(|rest| rest.find(other.borrow().as_str())).map(|at| at + byte)
        }
        (Rv::Str(other), _) => {
            let end = (byte + other.borrow().len()).min(s.len());
            s.get(..end).unwrap_or(s).rfind(other.borrow().as_str())
        }
        (pattern, "index") => {
            let regexp = rt.pattern(pattern)?;
            match rt.match_at(&regexp, s, byte)? {
                Rv::Match(found) => found.spans.first().copied().flatten().map(|(from, _)| from),
                _ => None,
            }
        }
        (pattern, _) => {
            let regexp = rt.pattern(pattern)?;
            let found = rt.matches(&regexp, s)?;
            found
                .iter()
                .filter_map(|found| found.spans.first().copied().flatten())
                .map(|(from, _)| from)
                .rfind(|at| *at <= byte)
        }
    };
    Ok(found.map_or(Rv::Nil, |at| Rv::int(s.get(..at).unwrap_or("").chars().count())))
}

fn split(rt: &mut Interp<'_, '_>, s: &str, args: &[Rv]) -> Raise<Rv> {
    let limit = match args.get(1) {
        Some(limit) => i64::try_from(rt.expect_int(limit)?).unwrap_or(0),
        None => 0,
    };
    let strings = |parts: Vec<&str>| Rv::array(parts.into_iter().map(Rv::str).collect());
    let awk = match args.first() {
        None | Some(Rv::Nil) => true,
        Some(Rv::Str(separator)) => *separator.borrow() == " ",
        _ => false,
    };
    if awk {
        if limit > 0 {
            let mut parts = Vec::new();
            let mut rest = s.trim_start();
            while !rest.is_empty() {
                if parts.len() as i64 == limit - 1 {
                    parts.push(rest);
                    break;
                }
                match rest.find(char::is_whitespace) {
                    Some(at) => {
                        parts.push(rest.get(..at).unwrap_or(""));
                        rest = rest.get(at..).unwrap_or("").trim_start();
                    }
                    None => {
                        parts.push(rest);
                        break;
                    }
                }
            }
            return Ok(strings(parts));
        }
        return Ok(strings(s.split_whitespace().collect()));
    }
    let pattern = args.first().cloned().unwrap_or(Rv::Nil);
    let regexp = rt.pattern(&pattern)?;
    match regexp.regexp.split(s, limit) {
        Ok(parts) => Ok(strings(parts)),
        Err(error) => rt.regexp_error(&error),
    }
}

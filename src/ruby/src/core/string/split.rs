//! Methods of `String` that split it.

use memchr::memmem;

use super::trim::without_newline;
use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::value::Rv;
use crate::value::Str;

/// Collects the parts of a string.
struct SplitParts {
    parts: Vec<Rv>,
    /// The maximum number of parts; `None`: no limit.
    limit: Option<usize>,
}

impl SplitParts {
    fn push(&mut self, part: &str) {
        self.parts.push(Rv::str(part));
    }

    /// Whether the rest is the last part.
    fn is_last_part(&self) -> bool {
        self.limit.is_some_and(|limit| self.parts.len() + 1 >= limit)
    }
}

/// `split`, `split(separator)`, `split(separator, limit)`
pub(super) fn split(rt: &mut Interp<'_>, this: &Str, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let limit = match args.get(1) {
        Some(limit) => rt.expect_int(limit)?,
        None => 0,
    };
    let s = this.borrow();
    let max_parts = usize::try_from(limit).ok().filter(|max_parts| *max_parts > 0);
    let mut parts = SplitParts { parts: Vec::new(), limit: max_parts };
    match args.first() {
        _ if s.is_empty() => {}
        _ if limit == 1 => parts.push(&s),
        None | Some(Rv::Nil) => split_at_space(&s, limit, &mut parts),
        Some(Rv::Str(separator)) => match separator.borrow().as_str() {
            " " => split_at_space(&s, limit, &mut parts),
            "" => split_characters(&s, limit, &mut parts),
            separator => split_at(&s, separator, limit, &mut parts),
        },
        Some(Rv::Regexp(regexp)) => match regexp.regexp.split(&s, limit) {
            Ok(found) => parts.parts = found.into_iter().map(Rv::str).collect(),
            Err(error) => return rt.regexp_error(&error),
        },
        Some(other) => {
            let class = rt.conversion_name(other)?;
            return rt.raise("TypeError", format!("wrong argument type {class} (expected Regexp)"));
        }
    }
    rt.check_size(s.len().saturating_add(parts.parts.len() * 64))?;
    drop(s);
    if limit == 0 {
        while parts.parts.last().is_some_and(|last| matches!(last, Rv::Str(last) if last.borrow().is_empty())) {
            parts.parts.pop();
        }
    }
    match block {
        Some(block) => {
            for part in parts.parts {
                rt.yield_value(block, part)?;
            }
            Ok(Rv::Str(this.clone()))
        }
        None => Ok(Rv::array(parts.parts)),
    }
}

/// Words between white space; leading white space is ignored.
fn split_at_space(s: &str, limit: i64, parts: &mut SplitParts) {
    let is_space = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | 0x0b | 0x0c | b'\r');
    let bytes = s.as_bytes();
    let mut at = 0;
    loop {
        let left = bytes.get(at..).unwrap_or_default();
        at += left.iter().position(|byte| !is_space(byte)).unwrap_or(left.len());
        let left = bytes.get(at..).unwrap_or_default();
        let end = if parts.is_last_part() { None } else { left.iter().position(is_space) };
        let Some(end) = end else {
            if limit != 0 || !left.is_empty() {
                parts.push(s.get(at..).unwrap_or_default());
            }
            return;
        };
        parts.push(s.get(at..at + end).unwrap_or_default());
        at += end + 1;
    }
}

fn split_characters(s: &str, limit: i64, parts: &mut SplitParts) {
    let mut rest = s.chars();
    while !parts.is_last_part() {
        match rest.next() {
            Some(c) => parts.parts.push(Rv::str(c)),
            None => break,
        }
    }
    if limit != 0 || !rest.as_str().is_empty() {
        parts.push(rest.as_str());
    }
}

fn split_at(s: &str, separator: &str, limit: i64, parts: &mut SplitParts) {
    let mut begin = 0;
    let mut part = |parts: &mut SplitParts, at: usize, length: usize| {
        parts.push(s.get(begin..at).unwrap_or_default());
        begin = at + length;
        !parts.is_last_part()
    };
    if let [byte] = separator.as_bytes() {
        for at in memchr::memchr_iter(*byte, s.as_bytes()) {
            if !part(parts, at, 1) {
                break;
            }
        }
    } else {
        for at in memmem::find_iter(s.as_bytes(), separator.as_bytes()) {
            if !part(parts, at, separator.len()) {
                break;
            }
        }
    }
    if limit != 0 || begin < s.len() {
        parts.push(s.get(begin..).unwrap_or_default());
    }
}

/// Passes the parts to a block; without one, returns them as an array.
fn each(rt: &mut Interp<'_>, this: &Str, pieces: Vec<Rv>, block: Blk<'_>) -> Raise<Rv> {
    rt.check_size(pieces.len().saturating_mul(32))?;
    let Some(block) = block else { return Ok(Rv::array(pieces)) };
    for piece in pieces {
        rt.yield_value(block, piece)?;
    }
    Ok(Rv::Str(this.clone()))
}

pub(super) fn chars(rt: &mut Interp<'_>, this: &Str, _: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let pieces = this.borrow().chars().map(Rv::str).collect();
    each(rt, this, pieces, block)
}

pub(super) fn bytes(rt: &mut Interp<'_>, this: &Str, _: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let pieces = this.borrow().bytes().map(|byte| Rv::Int(i64::from(byte))).collect();
    each(rt, this, pieces, block)
}

pub(super) fn codepoints(rt: &mut Interp<'_>, this: &Str, _: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let pieces = this.borrow().chars().map(|c| Rv::Int(i64::from(u32::from(c)))).collect();
    each(rt, this, pieces, block)
}

pub(super) fn grapheme_clusters(rt: &mut Interp<'_>, this: &Str, _: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let cluster = rt.regexp_value("\\X", "")?;
    let mut pieces = Vec::new();
    for found in cluster.regexp.captures_iter(&this.borrow()) {
        match found {
            Ok(found) => pieces.push(Rv::str(found.matched())),
            Err(error) => return rt.regexp_error(&error),
        }
    }
    each(rt, this, pieces, block)
}

pub(super) fn lines(rt: &mut Interp<'_>, this: &Str, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let (args, chomps) = match args.split_last() {
        Some((Rv::Hash(options), rest)) => (rest, options.get(&Rv::sym("chomp")).is_some_and(|chomps| chomps.truthy())),
        _ => (args, false),
    };
    let s = this.borrow();
    let pieces = match args.first() {
        Some(Rv::Nil) => vec![Rv::str(s.as_str())],
        Some(Rv::Str(separator)) if separator.borrow().is_empty() => paragraphs(&s, chomps),
        Some(Rv::Str(separator)) => {
            let separator = separator.borrow();
            let pieces = s.split_inclusive(separator.as_str());
            let chomped = |line| {
                if separator.as_str() == "\n" {
                    without_newline(line)
                } else {
                    line.strip_suffix(separator.as_str()).unwrap_or(line)
                }
            };
            pieces.map(|line| Rv::str(if chomps { chomped(line) } else { line })).collect()
        }
        None => {
            let lines = s.split_inclusive('\n');
            lines.map(|line| Rv::str(if chomps { without_newline(line) } else { line })).collect()
        }
        Some(other) => return rt.type_error(other, "String"),
    };
    drop(s);
    each(rt, this, pieces, block)
}

/// Parts that end with two newlines; further newlines belong to no part.
fn paragraphs(s: &str, chomps: bool) -> Vec<Rv> {
    let mut found = Vec::new();
    let mut rest = s;
    while !rest.is_empty() {
        let (part, after) = rest.split_once("\n\n").map_or((rest, None), |(part, after)| (part, Some(after)));
        let ended = after.is_some() && !chomps;
        found.push(Rv::str(if ended { format!("{part}\n\n") } else { part.to_owned() }));
        rest = after.unwrap_or_default().trim_start_matches('\n');
    }
    found
}

/// `from.upto(to, exclusive)`
pub(super) fn upto(rt: &mut Interp<'_>, this: &Str, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let range = crate::value::Range {
        from: Rv::Str(this.clone()),
        to: args.first().cloned().unwrap_or(Rv::Nil),
        exclusive: args.get(1).is_some_and(Rv::truthy),
    };
    if !matches!(range.to, Rv::Str(_)) {
        return rt.type_error(&range.to, "String");
    }
    let pieces = crate::core::range::items(rt, &range)?;
    each(rt, this, pieces, block)
}

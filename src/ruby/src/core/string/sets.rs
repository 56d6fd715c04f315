//! Methods of `String` whose arguments are sets of characters: `tr`, `delete`, `count`, `squeeze`.

use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::value::Rv;
use crate::value::Str;
use catwalk_value::ruby;

/// The characters of a set: `a-z`, `^0-9`.
pub(super) struct Set {
    ranges: Vec<(char, char)>,
    negated: bool,
    /// Whether each ASCII character is in it.
    ascii: u128,
}

impl Set {
    /// # Errors
    ///
    /// A range whose first character is greater than its last.
    fn parse(string: &str) -> Result<Set, String> {
        let negated = string.starts_with('^') && string.chars().nth(1).is_some();
        let ranges = ruby::char_ranges(string.get(usize::from(negated)..).unwrap_or_default())?;
        let mut set = Set { ranges, negated, ascii: 0 };
        set.ascii = (0..128u8).filter(|byte| set.has(char::from(*byte))).fold(0, |bits, byte| bits | 1 << byte);
        Ok(set)
    }

    fn has(&self, c: char) -> bool {
        self.ranges.iter().any(|(first, last)| (*first..=*last).contains(&c)) != self.negated
    }

    fn contains(&self, c: char) -> bool {
        if c.is_ascii() { self.ascii >> u32::from(c) & 1 == 1 } else { self.has(c) }
    }

    /// The index of a character in the set, with ranges expanded.
    fn index_of(&self, c: char) -> Option<usize> {
        let mut before = 0;
        for (first, last) in &self.ranges {
            if (*first..=*last).contains(&c) {
                return Some(before + (*first..c).count());
            }
            before += (*first..=*last).count();
        }
        None
    }

    fn nth(&self, mut index: usize) -> Option<char> {
        for (first, last) in &self.ranges {
            let count = (*first..=*last).count();
            if index < count {
                return (*first..=*last).nth(index);
            }
            index -= count;
        }
        None
    }
}

/// The intersection of all sets.
fn sets(rt: &mut Interp<'_>, args: &[Rv]) -> Raise<Vec<Set>> {
    let mut sets = Vec::with_capacity(args.len());
    for arg in args {
        match Set::parse(&rt.expect_str(arg)?) {
            Ok(set) => sets.push(set),
            Err(message) => return rt.raise("ArgumentError", message),
        }
    }
    Ok(sets)
}

fn in_all(sets: &[Set], c: char) -> bool {
    sets.iter().all(|set| set.contains(c))
}

pub(super) fn delete(rt: &mut Interp<'_>, this: &Str, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let sets = sets(rt, args)?;
    Ok(Rv::str(this.borrow().chars().filter(|c| !in_all(&sets, *c)).collect::<String>()))
}

pub(super) fn count(rt: &mut Interp<'_>, this: &Str, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let sets = sets(rt, args)?;
    Ok(Rv::int(this.borrow().chars().filter(|c| in_all(&sets, *c)).count()))
}

pub(super) fn squeeze(rt: &mut Interp<'_>, this: &Str, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let sets = sets(rt, args)?;
    let s = this.borrow();
    let mut out = String::with_capacity(s.len());
    let mut last = None;
    for c in s.chars() {
        if last != Some(c) || !in_all(&sets, c) {
            out.push(c);
        }
        last = Some(c);
    }
    Ok(Rv::str(out))
}

pub(super) fn tr(rt: &mut Interp<'_>, this: &Str, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    translate(rt, this, args, false)
}

/// `tr_s(from, to)`: adjacent characters that become equal are squeezed to one.
pub(super) fn tr_s(rt: &mut Interp<'_>, this: &Str, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    translate(rt, this, args, true)
}

fn translate(rt: &mut Interp<'_>, this: &Str, args: &[Rv], squeezes: bool) -> Raise<Rv> {
    let [from, to] = args else { return Ok(Rv::Nil) };
    let (from, to) = (rt.expect_str(from)?, rt.expect_str(to)?);
    match table(&from, &to) {
        Ok(table) => Ok(Rv::str(table.apply(&this.borrow(), squeezes))),
        Err(message) => rt.raise("ArgumentError", message),
    }
}

/// The replacements of `tr`.
struct Table {
    from: Set,
    to: Set,
    /// The last character of `to`, which replaces all characters without a counterpart.
    last: Option<char>,
    ascii: [CharReplacement; 128],
}

/// The replacement of a character: none (`None`), a different one or nothing.
type CharReplacement = Option<Option<char>>;

/// # Errors
/// As [`Set::parse`].
fn table(from: &str, to: &str) -> Result<Table, String> {
    let from = Set::parse(from)?;
    let to = Set { ranges: ruby::char_ranges(to)?, negated: false, ascii: 0 };
    let last = to.ranges.last().map(|(_, last)| *last);
    let mut table = Table { from, to, last, ascii: [None; 128] };
    for byte in 0..128u8 {
        let replaced = table.find(char::from(byte));
        if let Some(slot) = table.ascii.get_mut(usize::from(byte)) {
            *slot = replaced;
        }
    }
    Ok(table)
}

impl Table {
    fn find(&self, c: char) -> CharReplacement {
        match (self.from.negated, self.from.index_of(c)) {
            (false, Some(at)) => Some(self.to.nth(at).or(self.last)),
            (true, None) => Some(self.last),
            _ => None,
        }
    }

    fn apply(&self, string: &str, squeezes: bool) -> String {
        let mut out = String::with_capacity(string.len());
        let mut last = None;
        for c in string.chars() {
            let replaced = match self.ascii.get(c as usize) {
                Some(replacement) => *replacement,
                None => self.find(c),
            };
            match replaced {
                None => {
                    out.push(c);
                    last = None;
                }
                Some(new) => {
                    if !(squeezes && last == Some(new)) {
                        out.extend(new);
                    }
                    last = Some(new);
                }
            }
        }
        out
    }
}

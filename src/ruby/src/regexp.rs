//! Regular expressions and their matches.

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::Interp;
use super::Raise;
use super::value::MatchValue;
use super::value::RegexpValue;
use super::value::Rv;
use catwalk_regexp::Captures;
use catwalk_regexp::Regexp;
use catwalk_ruby_syntax::place::Literal;

/// Regular expressions already translated, by source and flags. Literals in loops and in templates of many nodes would
/// otherwise be translated again and again.
type Known = FxHashMap<(String, String), Rc<RegexpValue>>;

thread_local! {
    static KNOWN: RefCell<Known> = RefCell::default();
    /// What literals stand for, by their number.
    static LITERALS: RefCell<FxHashMap<u32, Rc<RegexpValue>>> = RefCell::default();
}

/// How many are kept.
const MOST: usize = 2000;

impl Interp<'_, '_> {
    /// What a literal without code in it stands for: made when the program first comes to it.
    ///
    /// # Errors
    /// The literal is no regular expression, or more than is supported.
    pub(crate) fn regexp_literal(&mut self, literal: Literal, source: &str, flags: &str) -> Raise<Rv> {
        if let Some(known) = LITERALS.with(|known| known.borrow().get(&literal.number()).cloned()) {
            return Ok(Rv::Regexp(known));
        }
        let made = self.regexp(source, flags)?;
        if let Rv::Regexp(made) = &made {
            LITERALS.with(|known| {
                let mut known = known.borrow_mut();
                if known.len() >= MOST {
                    known.clear();
                }
                known.insert(literal.number(), made.clone());
            });
        }
        Ok(made)
    }

    /// The regular expression with this source and these flags.
    pub(crate) fn regexp(&mut self, source: &str, flags: &str) -> Raise<Rv> {
        let flags: String = ["m", "i", "x"].into_iter().filter(|flag| flags.contains(flag)).collect();
        let key = (source.to_owned(), flags);
        if let Some(known) = KNOWN.with(|known| known.borrow().get(&key).cloned()) {
            return Ok(Rv::Regexp(known));
        }
        let whole = if key.1.is_empty() { source.to_owned() } else { format!("(?{}:{source})", key.1) };
        let value =
            RegexpValue { source: Rc::from(source), flags: Rc::from(key.1.as_str()), regexp: Regexp::new(whole) };
        if let Err(error) = value.regexp.check() {
            return self.regexp_error(&error);
        }
        let value = Rc::new(value);
        KNOWN.with(|known| {
            let mut known = known.borrow_mut();
            if known.len() >= MOST {
                known.clear();
            }
            known.insert(key, value.clone());
        });
        Ok(Rv::Regexp(value))
    }

    /// A pattern argument: a regular expression, or a text that matches itself.
    pub(crate) fn pattern(&mut self, value: &Rv) -> Raise<Rc<RegexpValue>> {
        let found = match value {
            Rv::Regexp(regexp) => return Ok(regexp.clone()),
            Rv::Str(text) => self.regexp(&catwalk_regexp::escape(&text.borrow()), "")?,
            other => {
                let shown = self.conversion_name(other)?;
                return self.raise("TypeError", format!("wrong argument type {shown} (expected Regexp)"));
            }
        };
        match found {
            Rv::Regexp(regexp) => Ok(regexp),
            _ => self.unsupported("this pattern"),
        }
    }

    /// The first match from a byte on; sets `$~`.
    pub(crate) fn match_at(&mut self, regexp: &RegexpValue, text: &str, from: usize) -> Raise<Rv> {
        self.last_match = match regexp.regexp.captures_at(text, from) {
            Ok(Some(captures)) => {
                let whole: Rc<str> = Rc::from(text);
                Rv::Match(Rc::new(of_captures(regexp, &captures, whole)))
            }
            Ok(None) => Rv::Nil,
            Err(error) => return self.regexp_error(&error),
        };
        Ok(self.last_match.clone())
    }

    /// All matches.
    pub(crate) fn matches(&mut self, regexp: &RegexpValue, text: &str) -> Raise<Vec<MatchValue>> {
        let whole: Rc<str> = Rc::from(text);
        let mut found = Vec::new();
        for captures in regexp.regexp.captures_iter(text) {
            match captures {
                Ok(captures) => found.push(of_captures(regexp, &captures, whole.clone())),
                Err(error) => return self.regexp_error(&error),
            }
        }
        Ok(found)
    }
}

fn of_captures(regexp: &RegexpValue, captures: &Captures<'_>, text: Rc<str>) -> MatchValue {
    let names = regexp.regexp.names().map(<[Option<String>]>::to_vec).unwrap_or_default();
    MatchValue { text, spans: (0..captures.len()).map(|at| captures.span(at)).collect(), names }
}

/// A group of a match; nil when it took no part.
pub(crate) fn group(found: &Rv, at: usize) -> Rv {
    let Rv::Match(found) = found else { return Rv::Nil };
    match found.spans.get(at).copied().flatten() {
        Some((from, to)) => Rv::str(found.text.get(from..to).unwrap_or("")),
        None => Rv::Nil,
    }
}

/// What stands before or behind a match.
pub(crate) fn around(found: &MatchValue, before: bool) -> Rv {
    let (from, to) = found.spans.first().copied().flatten().unwrap_or((0, 0));
    Rv::str(if before { found.text.get(..from) } else { found.text.get(to..) }.unwrap_or(""))
}

/// `regexp.to_s`: with the flags in front.
pub(crate) fn to_s(regexp: &RegexpValue) -> String {
    catwalk_regexp::to_s(&regexp.source, &regexp.flags)
}

pub(crate) fn inspect(regexp: &RegexpValue) -> String {
    format!("/{}/{}", catwalk_regexp::slashed(&regexp.source), regexp.flags)
}

/// The source with its flags in it.
pub(crate) fn whole_source(regexp: &RegexpValue) -> String {
    if regexp.flags.is_empty() { regexp.source.to_string() } else { format!("(?{}:{})", regexp.flags, regexp.source) }
}

/// Methods of `Regexp`.
pub(crate) fn call(rt: &mut Interp<'_, '_>, this: &Rc<RegexpValue>, name: &str, args: &[Rv]) -> Raise<Option<Rv>> {
    let subject = match args.first() {
        Some(Rv::Str(text)) => Some(text.borrow().clone()),
        Some(Rv::Sym(text)) => Some(text.to_string()),
        _ => None,
    };
    Ok(Some(match (name, subject) {
        ("=~", Some(text)) => {
            let found = rt.match_at(this, &text, 0)?;
            match &found {
                Rv::Match(found) => start_of(found, 0),
                _ => Rv::Nil,
            }
        }
        ("match", Some(text)) => rt.match_at(this, &text, 0)?,
        ("match?", Some(text)) => match this.regexp.is_match(&text) {
            Ok(found) => Rv::Bool(found),
            Err(error) => return rt.regexp_error(&error),
        },
        ("=~" | "match", None) => {
            rt.last_match = Rv::Nil;
            match args.first() {
                Some(Rv::Nil) | None => Rv::Nil,
                Some(other) => {
                    let other = other.clone();
                    return rt.type_error(&other, "String");
                }
            }
        }
        ("match?", None) => Rv::Bool(false),
        ("source", _) => Rv::str(&*this.source),
        ("options", _) => {
            let bits = [('i', 1), ('x', 2), ('m', 4)];
            Rv::Int(bits.iter().filter(|(flag, _)| this.flags.contains(*flag)).map(|(_, bit)| bit).sum())
        }
        ("names", _) => {
            let names = this.regexp.names().map(<[Option<String>]>::to_vec).unwrap_or_default();
            Rv::array(names.into_iter().flatten().map(Rv::str).collect())
        }
        _ => return Ok(None),
    }))
}

fn start_of(found: &MatchValue, at: usize) -> Rv {
    match found.spans.get(at).copied().flatten() {
        Some((from, _)) => Rv::int(found.text.get(..from).unwrap_or("").chars().count()),
        None => Rv::Nil,
    }
}

/// Methods of `MatchData`.
pub(crate) fn call_match(rt: &mut Interp<'_, '_>, this: &Rc<MatchValue>, name: &str, args: &[Rv]) -> Raise<Option<Rv>> {
    let whole = Rv::Match(this.clone());
    let groups = |from: usize| -> Vec<Rv> { (from..this.spans.len()).map(|at| group(&whole, at)).collect() };
    let named = |wanted: &str| -> Option<Rv> {
        let at = this.names.iter().rposition(|name| name.as_deref() == Some(wanted))?;
        Some(group(&whole, at + 1))
    };
    Ok(Some(match (name, args) {
        ("[]", [Rv::Int(at)]) => {
            let at = if *at < 0 { this.spans.len() as i128 + at } else { *at };
            usize::try_from(at).map_or(Rv::Nil, |at| group(&whole, at))
        }
        ("[]", [Rv::Str(_) | Rv::Sym(_)]) => {
            let wanted = args.first().and_then(Rv::text).unwrap_or_default();
            match named(&wanted) {
                Some(value) => value,
                None => return rt.raise("IndexError", format!("undefined group name reference: {wanted}")),
            }
        }
        ("[]", _) => {
            let list = Rv::array(groups(0));
            rt.call_method(&list, "[]", args, None)?
        }
        ("captures", []) => Rv::array(groups(1)),
        ("to_a", []) => Rv::array(groups(0)),
        ("values_at", _) => {
            let list = Rv::array(groups(0));
            rt.call_method(&list, "values_at", args, None)?
        }
        ("names", []) => Rv::array(this.names.iter().flatten().map(Rv::str).collect()),
        ("named_captures", []) => {
            let mut map = super::value::Map::default();
            for wanted in this.names.iter().flatten() {
                map.insert(super::value::Key(Rv::str(wanted)), named(wanted).unwrap_or(Rv::Nil));
            }
            Rv::hash(map)
        }
        ("pre_match", []) => around(this, true),
        ("post_match", []) => around(this, false),
        ("begin", [Rv::Int(at)]) => usize::try_from(*at).map_or(Rv::Nil, |at| start_of(this, at)),
        ("size" | "length", []) => Rv::int(this.spans.len()),
        _ => return Ok(None),
    }))
}

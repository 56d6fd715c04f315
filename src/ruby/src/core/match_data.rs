//! `MatchData`: the match of a regular expression.

use std::rc::Rc;

use super::common_methods;
use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::object::Class;
use crate::object::Method;
use crate::value::Key;
use crate::value::Map;
use crate::value::MatchValue;
use crate::value::Rv;

/// A function on matches as the body of a method.
macro_rules! on {
    ($function:path) => {
        |rt, this, args, block| match this {
            Rv::Match(this) => $function(rt, this, args, block),
            other => rt.type_error(other, "MatchData"),
        }
    };
}

pub(crate) static CLASS: Class = Class {
    name: "MatchData",
    parent: None,
    includes: &[],
    extends: &[],
    methods: &[
        Method::new("==", 1, common_methods::equal),
        Method::between("[]", 1, 2, on!(item)),
        Method::new("begin", 1, on!(begin)),
        Method::new("captures", 0, on!(captures)),
        Method::new("end", 1, on!(end)),
        Method::new("eql?", 1, common_methods::eql),
        Method::new("inspect", 0, common_methods::inspect),
        Method::new("length", 0, on!(length)),
        Method::new("match", 1, on!(match_group)),
        Method::new("match_length", 1, on!(match_length)),
        Method::new("named_captures", 0, on!(named_captures)),
        Method::new("names", 0, on!(names)),
        Method::new("offset", 1, on!(offset)),
        Method::new("post_match", 0, on!(post_match)),
        Method::new("pre_match", 0, on!(pre_match)),
        Method::new("regexp", 0, on!(regexp)),
        Method::new("size", 0, on!(length)),
        Method::new("string", 0, on!(string)),
        Method::new("to_a", 0, on!(to_a)),
        Method::new("to_s", 0, on!(to_s)),
        Method::at_least("values_at", 0, on!(values_at)),
    ],
    singleton: &[],
};

impl MatchValue {
    /// The byte range of a group.
    pub fn span(&self, group: usize) -> Option<(usize, usize)> {
        self.spans.get(group).copied().flatten()
    }

    /// The string that a group matched; `nil` if the group did not participate.
    pub(crate) fn group(&self, group: usize) -> Rv {
        self.span(group).map_or(Rv::Nil, |(from, to)| Rv::str(self.string.get(from..to).unwrap_or("")))
    }

    /// The number of a named group: if several have the name, the last one that participated.
    fn named_group(&self, group_name: &str) -> Option<usize> {
        let mut number = None;
        for (at, name) in self.names.iter().enumerate() {
            if name.as_deref() == Some(group_name) && (number.is_none() || self.span(at + 1).is_some()) {
                number = Some(at + 1);
            }
        }
        number
    }

    /// Whether another match has an equal expression and string, at the same position.
    pub(crate) fn equals(&self, other: &MatchValue) -> bool {
        let same_regexp = match (&self.regexp, &other.regexp) {
            (Some(a), Some(b)) => a.source == b.source && a.flags == b.flags,
            (None, None) => true,
            _ => false,
        };
        same_regexp && self.string == other.string && self.spans == other.spans
    }

    /// The strings that the groups matched, from group 1 on.
    fn groups(&self, from: usize) -> Vec<Rv> {
        (from..self.spans.len()).map(|group| self.group(group)).collect()
    }
}

/// The number of the group that an argument names; `None` for a number that no group has.
///
/// # Errors
///
/// `IndexError` for a name that no group has.
pub(crate) fn group_number(rt: &mut Interp<'_>, matched: &MatchValue, group: &Rv) -> Raise<Option<usize>> {
    match group {
        Rv::Str(_) | Rv::Sym(_) => {
            let name = group.string_or_symbol().unwrap_or_default();
            match matched.named_group(&name) {
                Some(at) => Ok(Some(at)),
                None => rt.raise("IndexError", format!("undefined group name reference: {name}")),
            }
        }
        number => {
            let at = rt.expect_int(number)?;
            let at = if at < 0 { at + matched.spans.len() as i64 } else { at };
            Ok(usize::try_from(at).ok().filter(|at| *at < matched.spans.len()))
        }
    }
}

/// As [`group_number`], but a number without a group is an error.
fn existing_group(rt: &mut Interp<'_>, this: &MatchValue, args: &[Rv]) -> Raise<usize> {
    let group = args.first().unwrap_or(&Rv::Nil);
    match (group_number(rt, this, group)?, group) {
        (Some(at), _) if !matches!(group, Rv::Int(n) if *n < 0) => Ok(at),
        _ => {
            let number = rt.expect_int(group)?;
            rt.raise("IndexError", format!("index {number} out of matches"))
        }
    }
}

/// `found[group]`, `found[from, length]`, `found[range]`
fn item(rt: &mut Interp<'_>, this: &Rc<MatchValue>, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    match args {
        [Rv::Range(_)] | [_, _] => {
            let list = Rv::array(this.groups(0));
            rt.call_method(&list, "[]", args, None)
        }
        _ => Ok(group_number(rt, this, args.first().unwrap_or(&Rv::Nil))?.map_or(Rv::Nil, |at| this.group(at))),
    }
}

/// `match(group)`
fn match_group(rt: &mut Interp<'_>, this: &Rc<MatchValue>, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(this.group(existing_group(rt, this, args)?))
}

fn match_length(rt: &mut Interp<'_>, this: &Rc<MatchValue>, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let group = existing_group(rt, this, args)?;
    Ok(this.span(group).map_or(Rv::Nil, |(from, to)| Rv::int(this.string.get(from..to).unwrap_or("").chars().count())))
}

/// The character position of a byte.
fn char_offset(this: &MatchValue, byte: usize) -> Rv {
    Rv::int(this.string.get(..byte).unwrap_or("").chars().count())
}

fn begin(rt: &mut Interp<'_>, this: &Rc<MatchValue>, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let group = existing_group(rt, this, args)?;
    Ok(this.span(group).map_or(Rv::Nil, |(from, _)| char_offset(this, from)))
}

fn end(rt: &mut Interp<'_>, this: &Rc<MatchValue>, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let group = existing_group(rt, this, args)?;
    Ok(this.span(group).map_or(Rv::Nil, |(_, to)| char_offset(this, to)))
}

fn offset(rt: &mut Interp<'_>, this: &Rc<MatchValue>, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let group = existing_group(rt, this, args)?;
    let both =
        this.span(group).map_or([Rv::Nil, Rv::Nil], |(from, to)| [char_offset(this, from), char_offset(this, to)]);
    Ok(Rv::array(both.to_vec()))
}

fn captures(_: &mut Interp<'_>, this: &Rc<MatchValue>, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::array(this.groups(1)))
}

fn to_a(_: &mut Interp<'_>, this: &Rc<MatchValue>, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::array(this.groups(0)))
}

fn values_at(rt: &mut Interp<'_>, this: &Rc<MatchValue>, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let mut found = Vec::with_capacity(args.len());
    for arg in args {
        match arg {
            Rv::Range(_) => {
                let list = Rv::array(this.groups(0));
                let part = rt.call_method(&list, "values_at", std::slice::from_ref(arg), None)?;
                found.extend(rt.items(&part)?);
            }
            group => found.push(group_number(rt, this, group)?.map_or(Rv::Nil, |at| this.group(at))),
        }
    }
    Ok(Rv::array(found))
}

/// The names of the groups, each once.
fn unique_names(this: &MatchValue) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for name in this.names.iter().flatten() {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    names
}

fn names(_: &mut Interp<'_>, this: &Rc<MatchValue>, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::array(unique_names(this).into_iter().map(Rv::str).collect()))
}

fn named_captures(_: &mut Interp<'_>, this: &Rc<MatchValue>, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let mut map = Map::default();
    for name in unique_names(this) {
        map.insert(Key(Rv::str(name)), this.named_group(name).map_or(Rv::Nil, |at| this.group(at)));
    }
    Ok(Rv::hash(map))
}

fn pre_match(_: &mut Interp<'_>, this: &Rc<MatchValue>, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(super::regexp::string_around(this, true))
}

fn post_match(_: &mut Interp<'_>, this: &Rc<MatchValue>, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(super::regexp::string_around(this, false))
}

fn regexp(rt: &mut Interp<'_>, this: &Rc<MatchValue>, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    match &this.regexp {
        Some(regexp) => Ok(Rv::Regexp(regexp.clone())),
        // The search was for a string, so the match is that string.
        None => {
            let found = this.span(0).and_then(|(from, to)| this.string.get(from..to)).unwrap_or("");
            rt.regexp(&catwalk_regexp::escape(found), "")
        }
    }
}

/// `string`: a copy that cannot be changed.
fn string(rt: &mut Interp<'_>, this: &Rc<MatchValue>, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let copy = Rv::str(&*this.string);
    rt.state().flags.freeze(&copy);
    Ok(copy)
}

fn to_s(_: &mut Interp<'_>, this: &Rc<MatchValue>, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(this.group(0))
}

fn length(_: &mut Interp<'_>, this: &Rc<MatchValue>, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::int(this.spans.len()))
}

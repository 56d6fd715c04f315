//! `Regexp`: regular expressions, and the searches that set `$~`.

use std::cell::OnceCell;
use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::common_methods;
use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::object::Class;
use crate::object::Method;
use crate::value::Key;
use crate::value::Map;
use crate::value::MatchValue;
use crate::value::RegexpValue;
use crate::value::Rv;
use crate::value::Str;
use crate::value::string_object::StringObject;
use catwalk_regexp::Captures;
use catwalk_regexp::Regexp;
use catwalk_ruby_syntax::inline_cache::Literal;

/// A function on regular expressions as the body of a method.
macro_rules! on {
    ($function:path) => {
        |rt, this, args, block| match this {
            Rv::Regexp(this) => $function(rt, this, args, block),
            other => rt.type_error(other, "Regexp"),
        }
    };
}

pub(crate) static CLASS: Class = Class {
    name: "Regexp",
    parent: None,
    includes: &[],
    extends: &[],
    methods: &[
        Method::new("==", 1, common_methods::equal),
        Method::new("===", 1, on!(case_equals)),
        Method::new("=~", 1, on!(matches)),
        Method::new("casefold?", 0, on!(is_casefold)),
        Method::new("encoding", 0, on!(encoding)),
        Method::new("eql?", 1, common_methods::eql),
        Method::new("fixed_encoding?", 0, on!(is_fixed_encoding)),
        Method::new("hash", 0, on!(hash)),
        Method::new("inspect", 0, common_methods::inspect),
        Method::between("match", 1, 2, on!(match_data)),
        Method::between("match?", 1, 2, on!(is_match)),
        Method::new("named_captures", 0, on!(named_captures)),
        Method::new("names", 0, on!(names)),
        Method::new("options", 0, on!(options)),
        Method::new("source", 0, on!(source)),
        Method::new("to_s", 0, on!(with_flags)),
    ],
    singleton: &[
        Method::between("compile", 1, 3, new),
        Method::new("escape", 1, escape),
        Method::between("last_match", 0, 1, last_match),
        Method::between("new", 1, 3, new),
        Method::new("quote", 1, escape),
        Method::at_least("union", 0, union),
    ],
};

/// `Regexp.new(source, flags)`: the flags are a number of bits, or true for `i`.
fn new(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let source = args.first().unwrap_or(&Rv::Nil);
    if let Rv::Regexp(_) = source {
        return Ok(source.clone());
    }
    let source = rt.expect_str(source)?;
    let flags = match args.get(1) {
        Some(Rv::Int(bits)) => {
            let names = [(1, 'i'), (2, 'x'), (4, 'm')];
            names.iter().filter(|(bit, _)| bits & bit != 0).map(|(_, flag)| *flag).collect()
        }
        Some(value) if value.truthy() => "i".to_owned(),
        _ => String::new(),
    };
    rt.regexp(&source, &flags)
}

/// The flags in the order in which Ruby prints them, each with its bit in `options`.
const FLAGS: [(char, i64); 3] = [('m', 4), ('i', 1), ('x', 2)];

/// Compiled regular expressions by source, one for each combination of flags. Without this cache, expressions with
/// interpolations, in loops and in templates of many nodes would be compiled repeatedly.
type RegexpCache = FxHashMap<Box<str>, [Option<Rc<RegexpValue>>; 8]>;

/// The expressions that a thread compiled last.
#[derive(Default)]
struct Cached {
    by_source: RefCell<RegexpCache>,
    /// Those of literals, by their number.
    literals: RefCell<FxHashMap<u32, Rc<RegexpValue>>>,
}

thread_local! {
    static CACHED: Cached = Cached::default();
}

/// Maximum number of cached sources.
const MAX_CACHED: usize = 2000;

impl RegexpValue {
    /// An expression with this source and flags out of `mix`, in this order.
    pub fn new(source: &str, flags: &str) -> RegexpValue {
        let whole = if flags.is_empty() { source.to_owned() } else { format!("(?{flags}:{source})") };
        RegexpValue {
            source: Rc::from(source),
            flags: Rc::from(flags),
            regexp: Regexp::new(whole),
            string: OnceCell::new(),
        }
    }

    fn names(&self) -> &[Option<String>] {
        self.regexp.names().unwrap_or_default()
    }
}

impl MatchValue {
    /// The match of a regular expression, or of a string, in `string`.
    pub(crate) fn from_captures(
        regexp: Option<&Rc<RegexpValue>>,
        captures: Captures<'_>,
        string: Rc<str>,
    ) -> MatchValue {
        let (spans, names) = captures.into_parts();
        MatchValue { string, spans, names, regexp: regexp.cloned() }
    }
}

impl Interp<'_> {
    /// The expression of a literal without interpolation, compiled when the program first reaches it.
    ///
    /// # Errors
    ///
    /// The literal is not a regular expression, or is not supported.
    pub(crate) fn regexp_literal(&mut self, literal: Literal, source: &str, flags: &str) -> Raise<Rv> {
        if let Some(regexp) = CACHED.with(|cached| cached.literals.borrow().get(&literal.number()).cloned()) {
            return Ok(Rv::Regexp(regexp));
        }
        let regexp = self.regexp_value(source, flags)?;
        CACHED.with(|cached| {
            let mut cache = cached.literals.borrow_mut();
            if cache.len() >= MAX_CACHED {
                cache.clear();
            }
            cache.insert(literal.number(), regexp.clone());
        });
        Ok(Rv::Regexp(regexp))
    }

    /// The regular expression with this source and these flags.
    pub fn regexp(&mut self, source: &str, flags: &str) -> Raise<Rv> {
        self.regexp_value(source, flags).map(Rv::Regexp)
    }

    /// As [`Interp::regexp`].
    pub(crate) fn regexp_value(&mut self, source: &str, flags: &str) -> Raise<Rc<RegexpValue>> {
        let bits: i64 = FLAGS.iter().filter(|(flag, _)| flags.contains(*flag)).map(|(_, bit)| bit).sum();
        let slot = usize::try_from(bits).unwrap_or(0);
        let cached = CACHED.with(|cached| {
            cached.by_source.borrow().get(source).and_then(|regexps| regexps.get(slot).cloned().flatten())
        });
        if let Some(regexp) = cached {
            return Ok(regexp);
        }
        let flags: String = FLAGS.iter().map(|(flag, _)| *flag).filter(|flag| flags.contains(*flag)).collect();
        let value = RegexpValue::new(source, &flags);
        if let Err(error) = value.regexp.check() {
            return self.regexp_error(&error);
        }
        let value = Rc::new(value);
        CACHED.with(|cached| {
            let mut cache = cached.by_source.borrow_mut();
            if cache.len() >= MAX_CACHED {
                cache.clear();
            }
            if let Some(entry) = cache.entry(source.into()).or_default().get_mut(slot) {
                *entry = Some(value.clone());
            }
        });
        Ok(value)
    }

    /// The expression of a pattern argument: a regular expression, or a string that matches itself.
    pub fn pattern(&mut self, value: &Rv) -> Raise<Rc<RegexpValue>> {
        match value {
            Rv::Regexp(regexp) => Ok(regexp.clone()),
            Rv::Str(string) => self.regexp_value(&catwalk_regexp::escape(&string.borrow()), ""),
            other => {
                let class = self.conversion_name(other)?;
                self.raise("TypeError", format!("wrong argument type {class} (expected Regexp)"))
            }
        }
    }

    /// The searched string as matches store it. If the last match has an equal string, that one is reused.
    pub(crate) fn shared_subject(&self, string: &str) -> Rc<str> {
        match &self.last_match {
            Rv::Match(last) if *last.string == *string => last.string.clone(),
            _ => Rc::from(string),
        }
    }

    /// The first match from a byte on; sets `$~`.
    pub(crate) fn match_at(&mut self, regexp: &Rc<RegexpValue>, string: &str, from: usize) -> Raise<Rv> {
        self.last_match = match regexp.regexp.captures_at(string, from) {
            Ok(Some(captures)) => {
                let whole = self.shared_subject(string);
                Rv::Match(Rc::new(MatchValue::from_captures(Some(regexp), captures, whole)))
            }
            Ok(None) => Rv::Nil,
            Err(error) => return self.regexp_error(&error),
        };
        Ok(self.last_match.clone())
    }
}

/// A group of a match; nil if the group did not participate.
pub(crate) fn group(matched: &Rv, at: usize) -> Rv {
    if let Rv::Match(matched) = matched { matched.group(at) } else { Rv::Nil }
}

/// The string before or after a match.
pub(crate) fn string_around(matched: &MatchValue, before: bool) -> Rv {
    let (from, to) = matched.span(0).unwrap_or((0, 0));
    Rv::str(if before { matched.string.get(..from) } else { matched.string.get(to..) }.unwrap_or(""))
}

/// `regexp.to_s`: the source with its flags; computed once.
pub(crate) fn to_s(regexp: &RegexpValue) -> Rc<str> {
    let make = || Rc::from(catwalk_regexp::to_s(&regexp.source, &regexp.flags));
    regexp.string.get_or_init(make).clone()
}

pub(crate) fn inspect(regexp: &RegexpValue) -> String {
    format!("/{}/{}", catwalk_regexp::escape_slashes(&regexp.source), regexp.flags)
}

/// The source with its flags in it.
pub(crate) fn whole_source(regexp: &RegexpValue) -> String {
    regexp.regexp.source().to_owned()
}

/// `regexp =~ text`: the character where the first match starts; sets `$~`.
pub(super) fn match_index(rt: &mut Interp<'_>, regexp: &Rc<RegexpValue>, string: &StringObject) -> Raise<Rv> {
    let found = rt.match_at(regexp, &string.borrow(), 0)?;
    let Rv::Match(found) = &found else { return Ok(Rv::Nil) };
    Ok(found.span(0).map_or(Rv::Nil, |(from, _)| Rv::int(string.char_index(from))))
}

/// The byte at which a search starts, given as a number of characters; `None` outside of the string.
fn start(rt: &mut Interp<'_>, string: &StringObject, from: Option<&Rv>) -> Raise<Option<usize>> {
    let Some(from) = from else { return Ok(Some(0)) };
    let from = rt.expect_int(from)?;
    let count = string.count();
    let from = usize::try_from(if from < 0 { from + count as i64 } else { from }).ok();
    Ok(from.filter(|from| *from <= count).map(|from| string.byte_index(from)))
}

/// `regexp.match(text, from)`; a block receives the match.
pub(super) fn match_from(
    rt: &mut Interp<'_>,
    regexp: &Rc<RegexpValue>,
    string: &StringObject,
    from: Option<&Rv>,
    block: Blk<'_>,
) -> Raise<Rv> {
    let found = match start(rt, string, from)? {
        Some(start) => rt.match_at(regexp, &string.borrow(), start)?,
        None => {
            rt.last_match = Rv::Nil;
            Rv::Nil
        }
    };
    match block {
        Some(block) if !found.is_nil() => rt.yield_value(block, found),
        _ => Ok(found),
    }
}

/// `regexp.match?(text, from)`: does not set `$~`.
pub(super) fn is_match_from(
    rt: &mut Interp<'_>,
    regexp: &Rc<RegexpValue>,
    string: &StringObject,
    from: Option<&Rv>,
) -> Raise<Rv> {
    let Some(start) = start(rt, string, from)? else { return Ok(Rv::False) };
    let string = string.borrow();
    let found = match start {
        0 => regexp.regexp.is_match(&string),
        start => regexp.regexp.captures_at(&string, start).map(|found| found.is_some()),
    };
    match found {
        Ok(found) => Ok(Rv::bool(found)),
        Err(error) => rt.regexp_error(&error),
    }
}

/// The string to search; `None` for `nil`.
fn subject(rt: &mut Interp<'_>, args: &[Rv]) -> Raise<Option<Str>> {
    match args.first() {
        Some(Rv::Str(string)) => Ok(Some(string.clone())),
        Some(Rv::Sym(string)) => Ok(Some(Rc::new(StringObject::new(string.to_string())))),
        Some(Rv::Nil) | None => Ok(None),
        Some(Rv::Bytes(bytes)) => match String::from_utf8(bytes.borrow().clone()) {
            Ok(string) => Ok(Some(Rc::new(StringObject::new(string)))),
            Err(_) => rt.unsupported("regular expressions on binary data"),
        },
        Some(other) => match other.inner_value() {
            Rv::Str(string) => Ok(Some(string)),
            _ => rt.type_error(other, "String"),
        },
    }
}

fn matches(rt: &mut Interp<'_>, this: &Rc<RegexpValue>, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    match subject(rt, args)? {
        Some(string) => match_index(rt, this, &string),
        None => {
            rt.last_match = Rv::Nil;
            Ok(Rv::Nil)
        }
    }
}

fn case_equals(rt: &mut Interp<'_>, this: &Rc<RegexpValue>, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let value = args.first().unwrap_or(&Rv::Nil);
    rt.case_equal(&Rv::Regexp(this.clone()), value).map(Rv::bool)
}

fn match_data(rt: &mut Interp<'_>, this: &Rc<RegexpValue>, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    match subject(rt, args)? {
        Some(string) => match_from(rt, this, &string, args.get(1), block),
        None => {
            rt.last_match = Rv::Nil;
            Ok(Rv::Nil)
        }
    }
}

fn is_match(rt: &mut Interp<'_>, this: &Rc<RegexpValue>, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    match subject(rt, args)? {
        Some(string) => is_match_from(rt, this, &string, args.get(1)),
        None => Ok(Rv::False),
    }
}

fn hash(_: &mut Interp<'_>, this: &Rc<RegexpValue>, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::Int(crate::value::key_number(&Rv::str(this.regexp.source()))))
}

fn is_casefold(_: &mut Interp<'_>, this: &Rc<RegexpValue>, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::bool(this.flags.contains('i')))
}

/// A source in ASCII matches strings of any encoding.
fn encoding(_: &mut Interp<'_>, this: &Rc<RegexpValue>, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::str(if this.source.is_ascii() { "US-ASCII" } else { "UTF-8" }))
}

fn is_fixed_encoding(_: &mut Interp<'_>, this: &Rc<RegexpValue>, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::bool(!this.source.is_ascii()))
}

fn source(_: &mut Interp<'_>, this: &Rc<RegexpValue>, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::str(&*this.source))
}

fn options(_: &mut Interp<'_>, this: &Rc<RegexpValue>, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    // Bit 16: the encoding is fixed.
    let fixed = if this.source.is_ascii() { 0 } else { 16 };
    let bits: i64 = FLAGS.iter().filter(|(flag, _)| this.flags.contains(*flag)).map(|(_, bit)| bit).sum();
    Ok(Rv::Int(bits + fixed))
}

fn names(_: &mut Interp<'_>, this: &Rc<RegexpValue>, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let mut found: Vec<&str> = Vec::new();
    for name in this.names().iter().flatten() {
        if !found.contains(&name.as_str()) {
            found.push(name);
        }
    }
    Ok(Rv::array(found.into_iter().map(Rv::str).collect()))
}

/// `named_captures`: the numbers of the groups of each name.
fn named_captures(_: &mut Interp<'_>, this: &Rc<RegexpValue>, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let mut map = Map::default();
    for (at, name) in this.names().iter().enumerate() {
        let Some(name) = name else { continue };
        let numbers = map.entry(Key(Rv::str(name))).or_insert_with(|| Rv::array(Vec::new()));
        if let Rv::Array(numbers) = numbers {
            numbers.borrow_mut().push(Rv::int(at + 1));
        }
    }
    Ok(Rv::hash(map))
}

fn with_flags(_: &mut Interp<'_>, this: &Rc<RegexpValue>, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::str(&*to_s(this)))
}

/// `Regexp.escape(text)`
fn escape(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let source = match args {
        [Rv::Sym(name)] => name.to_string(),
        _ => rt.expect_str(args.first().unwrap_or(&Rv::Nil))?,
    };
    Ok(Rv::str(catwalk_regexp::escape(&source)))
}

/// `Regexp.last_match`, `Regexp.last_match(group)`
fn last_match(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let (Rv::Match(found), Some(group)) = (rt.last_match.clone(), args.first()) else {
        return Ok(rt.last_match.clone());
    };
    Ok(super::match_data::group_number(rt, &found, group)?.map_or(Rv::Nil, |at| found.group(at)))
}

/// `Regexp.union(patterns)`
fn union(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let items = match args {
        [Rv::Array(items)] => items.borrow().clone(),
        _ => args.to_vec(),
    };
    if let [Rv::Regexp(only)] = items.as_slice() {
        return Ok(Rv::Regexp(only.clone()));
    }
    let mut sources = Vec::with_capacity(items.len());
    for item in &items {
        sources.push(match item {
            Rv::Regexp(regexp) => to_s(regexp).to_string(),
            Rv::Sym(name) if items.len() == 1 => catwalk_regexp::escape(name),
            other => catwalk_regexp::escape(&rt.expect_str(other)?),
        });
    }
    rt.regexp(&if sources.is_empty() { "(?!)".to_owned() } else { sources.join("|") }, "")
}

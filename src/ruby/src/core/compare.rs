//! Equality and order of values: `==`, `===`, `<=>`.

use std::cell::RefCell;
use std::cmp::Ordering;
use std::rc::Rc;

use crate::Interp;
use crate::Raise;
use crate::value::Array;
use crate::value::Key;
use crate::value::Lookup;
use crate::value::Map;
use crate::value::PairWalk;
use crate::value::Rv;
use crate::value::WalkLookup;
use catwalk_value::Value;
use catwalk_value::number::compare_int_float;
use catwalk_value::ruby;

/// `a == b`. Collections that contain themselves are equal if no part differs.
pub(crate) fn equal(a: &Rv, b: &Rv) -> bool {
    equal_in(a, b, &PairWalk::default())
}

impl PairWalk {
    /// As [`equal`], as a part of a walk over two values.
    pub(crate) fn equal(&self, a: &Rv, b: &Rv) -> bool {
        equal_in(a, b, self)
    }
}

fn equal_in(a: &Rv, b: &Rv, walk: &PairWalk) -> bool {
    match (a, b) {
        (Rv::Nil, Rv::Nil) | (Rv::Scope, Rv::Scope) => true,
        (Rv::True, Rv::True) | (Rv::False, Rv::False) => true,
        (Rv::Int(a), Rv::Int(b)) => a == b,
        (Rv::Float(a), Rv::Float(b)) => a.get() == b.get(),
        (Rv::Int(_) | Rv::Big(_) | Rv::Float(_), Rv::Int(_) | Rv::Big(_) | Rv::Float(_)) => {
            compare_numbers(a, b) == Some(Ordering::Equal)
        }
        (Rv::Str(a), Rv::Str(b)) => Rc::ptr_eq(a, b) || *a.borrow() == *b.borrow(),
        (Rv::Bytes(a), Rv::Bytes(b)) => Rc::ptr_eq(a, b) || *a.borrow() == *b.borrow(),
        (Rv::Str(a), Rv::Bytes(b)) | (Rv::Bytes(b), Rv::Str(a)) => a.borrow().as_bytes() == b.borrow().as_slice(),
        (Rv::Sym(a), Rv::Sym(b)) => a == b,
        (Rv::Array(a), Rv::Array(b)) => Rc::ptr_eq(a, b) || equal_arrays(a, b, walk),
        (Rv::Hash(a), Rv::Hash(b)) => Rc::ptr_eq(a, b) || equal_maps(&a.map, &b.map, walk),
        (Rv::Set(a), Rv::Set(b)) => Rc::ptr_eq(a, b) || equal_maps(a, b, walk),
        (Rv::Range(a), Rv::Range(b)) => {
            let equal = || equal_in(&a.from, &b.from, walk) && equal_in(&a.to, &b.to, walk);
            Rc::ptr_eq(a, b) || (a.exclusive == b.exclusive && walk.enter(&**a, &**b, true, equal))
        }
        (Rv::Regexp(a), Rv::Regexp(b)) => a.source == b.source && a.flags == b.flags,
        (Rv::Match(a), Rv::Match(b)) => Rc::ptr_eq(a, b) || a.equals(b),
        (Rv::Class(a), Rv::Class(b)) => a == b,
        (Rv::Time(a), Rv::Time(b)) => a.nanos == b.nanos,
        (Rv::Ip(a), Rv::Ip(b)) => a.address == b.address && a.v6 == b.v6,
        (Rv::Version(a), Rv::Version(b)) => compare_versions(a, b) == Ordering::Equal,
        (Rv::Object(a), Rv::Object(b)) => {
            let equal = || match (&*a.native.borrow(), &*b.native.borrow()) {
                (Some(a), Some(b)) => equal_in(a, b, walk),
                _ => false,
            };
            Rc::ptr_eq(a, b) || walk.enter(&**a, &**b, true, equal)
        }
        (Rv::Object(a), b) | (b, Rv::Object(a)) => {
            let equal = || a.native.borrow().as_ref().is_some_and(|a| equal_in(a, b, walk));
            walk.enter(&**a, b, true, equal)
        }
        (Rv::Proc(a), Rv::Proc(b)) => Rc::ptr_eq(a, b),
        (Rv::Exception(a), Rv::Exception(b)) => Rc::ptr_eq(a, b),
        (Rv::Puppet(a), Rv::Puppet(b)) => a == b,
        _ => false,
    }
}

/// An array that is being changed during the comparison contains itself, and equals only itself.
fn equal_arrays(a: &Array, b: &Array, walk: &PairWalk) -> bool {
    let (Ok(left), Ok(right)) = (a.try_borrow(), b.try_borrow()) else { return false };
    let equal = || left.iter().zip(right.iter()).all(|(a, b)| equal_in(a, b, walk));
    left.len() == right.len() && walk.enter(&**a, &**b, true, equal)
}

fn equal_maps(a: &RefCell<Map>, b: &RefCell<Map>, walk: &PairWalk) -> bool {
    let (Ok(left), Ok(right)) = (a.try_borrow(), b.try_borrow()) else { return false };
    let is_equal = |(Key(key), value): (&Key, &Rv)| {
        right.get(&WalkLookup(key, walk)).is_some_and(|other| equal_in(value, other, walk))
    };
    left.len() == right.len() && walk.enter(a, b, true, || left.iter().all(is_equal))
}

fn compare_numbers(a: &Rv, b: &Rv) -> Option<Ordering> {
    match (a, b) {
        (Rv::Int(a), Rv::Int(b)) => Some(a.cmp(b)),
        (Rv::Float(a), Rv::Float(b)) => a.get().partial_cmp(&b.get()),
        (Rv::Int(a), Rv::Float(b)) => compare_int_float(*a, b.get()),
        (Rv::Big(a), Rv::Big(b)) => Some(a.cmp(b)),
        (Rv::Big(a), Rv::Int(b)) => Some((**a).cmp(&(*b).into())),
        (Rv::Big(a), Rv::Float(b)) => crate::core::big_integer::compare_with_float(a, b.get()),
        (Rv::Float(_) | Rv::Int(_), Rv::Int(_) | Rv::Big(_)) => compare_numbers(b, a).map(Ordering::reverse),
        _ => None,
    }
}

/// `a <=> b`; `None` for `nil`.
pub(crate) fn order(a: &Rv, b: &Rv) -> Option<Ordering> {
    order_in(a, b, &PairWalk::default())
}

fn order_in(a: &Rv, b: &Rv, walk: &PairWalk) -> Option<Ordering> {
    match (a, b) {
        (Rv::Int(_) | Rv::Big(_) | Rv::Float(_), Rv::Int(_) | Rv::Big(_) | Rv::Float(_)) => compare_numbers(a, b),
        (Rv::Str(a), Rv::Str(b)) => Some(a.borrow().as_bytes().cmp(b.borrow().as_bytes())),
        (Rv::Bytes(a), Rv::Bytes(b)) => Some(a.borrow().cmp(&b.borrow())),
        (Rv::Str(a), Rv::Bytes(b)) => Some(a.borrow().as_bytes().cmp(&b.borrow()[..])),
        (Rv::Bytes(a), Rv::Str(b)) => Some(a.borrow()[..].cmp(b.borrow().as_bytes())),
        (Rv::Sym(a), Rv::Sym(b)) => Some(a.as_bytes().cmp(b.as_bytes())),
        (Rv::Array(a), Rv::Array(b)) if Rc::ptr_eq(a, b) => Some(Ordering::Equal),
        (Rv::Array(a), Rv::Array(b)) => {
            let (Ok(left), Ok(right)) = (a.try_borrow(), b.try_borrow()) else { return None };
            // Inside of itself, a pair of arrays does not decide: the lengths do.
            let parts = walk.enter(&**a, &**b, Some(Ordering::Equal), || order_items(&left, &right, walk));
            parts.map(|order| order.then(left.len().cmp(&right.len())))
        }
        (Rv::Time(a), Rv::Time(b)) => Some(a.nanos.cmp(&b.nanos)),
        (Rv::Ip(a), Rv::Ip(b)) => (a.v6 == b.v6).then(|| a.address.cmp(&b.address)),
        (Rv::Version(a), Rv::Version(b)) => Some(compare_versions(a, b)),
        (Rv::Puppet(a), Rv::Puppet(b)) => ruby::compare(a, b),
        (Rv::Puppet(a), Rv::Int(_) | Rv::Float(_)) => compare_time_with_number(a, b),
        (Rv::Int(_) | Rv::Float(_), Rv::Puppet(b)) => compare_time_with_number(b, a).map(Ordering::reverse),
        (a, b) => equal_in(a, b, walk).then_some(Ordering::Equal),
    }
}

/// The order of the first items that differ.
fn order_items(left: &[Rv], right: &[Rv], walk: &PairWalk) -> Option<Ordering> {
    for (a, b) in left.iter().zip(right.iter()) {
        match order_in(a, b, walk)? {
            Ordering::Equal => {}
            other => return Some(other),
        }
    }
    Some(Ordering::Equal)
}

/// Compares a Timestamp or Timespan with a number of seconds.
fn compare_time_with_number(time: &Value, number: &Rv) -> Option<Ordering> {
    let seconds = crate::value::seconds(time)?;
    compare_numbers(&Rv::float(seconds), number)
}

/// `Gem::Version#<=>`: segments of numbers and letters; letters come before numbers, trailing zeroes are ignored.
pub(crate) fn compare_versions(a: &str, b: &str) -> Ordering {
    let (a, b) = (parse_segments(a), parse_segments(b));
    for at in 0..a.len().max(b.len()) {
        let (left, right) = (a.get(at), b.get(at));
        let ordering = match (left, right) {
            (None, Some(Segment::Text(_))) | (Some(Segment::Number(_)), Some(Segment::Text(_))) => Ordering::Greater,
            (Some(Segment::Text(_)), None | Some(Segment::Number(_))) => Ordering::Less,
            (Some(Segment::Text(a)), Some(Segment::Text(b))) => a.cmp(b),
            (a, b) => number(a).cmp(&number(b)),
        };
        if ordering != Ordering::Equal {
            return ordering;
        }
    }
    Ordering::Equal
}

enum Segment {
    Number(u128),
    Text(String),
}

fn number(segment: Option<&Segment>) -> u128 {
    match segment {
        Some(Segment::Number(n)) => *n,
        _ => 0,
    }
}

fn parse_segments(version: &str) -> Vec<Segment> {
    let mut segments = Vec::new();
    let mut chars = version.trim().chars().peekable();
    while let Some(c) = chars.peek().copied() {
        let mut piece = String::new();
        let digit = c.is_ascii_digit();
        while let Some(c) = chars.peek().copied().filter(|c| c.is_ascii_alphanumeric() && c.is_ascii_digit() == digit) {
            piece.push(c);
            chars.next();
        }
        if piece.is_empty() {
            // A dash starts a prerelease.
            if chars.next() == Some('-') {
                segments.push(Segment::Text("pre".to_owned()));
            }
        } else if digit {
            segments.push(Segment::Number(piece.parse().unwrap_or(u128::MAX)));
        } else {
            segments.push(Segment::Text(piece));
        }
    }
    while matches!(segments.last(), Some(Segment::Number(0))) {
        segments.pop();
    }
    segments
}

impl Interp<'_> {
    /// `a <=> b`; an order is required, as in sorting and `max`.
    pub(crate) fn compare(&mut self, a: &Rv, b: &Rv) -> Raise<Ordering> {
        if matches!(a, Rv::Object(_)) {
            match self.call_method(a, "<=>", std::slice::from_ref(b), None)? {
                Rv::Int(n) => return Ok(n.cmp(&0)),
                Rv::Float(f) => return Ok(f.get().partial_cmp(&0.0).unwrap_or(Ordering::Equal)),
                _ => {}
            }
        }
        let found = match (a, b) {
            (Rv::Object(_), _) | (_, Rv::Object(_)) => order(&a.inner_value(), &b.inner_value()),
            _ => order(a, b),
        };
        match found {
            Some(ordering) => Ok(ordering),
            None => self.not_comparable(a, b),
        }
    }

    /// The error for two values without an order (`rb_cmperr`).
    fn not_comparable<T>(&mut self, a: &Rv, b: &Rv) -> Raise<T> {
        let description = match b {
            Rv::Nil | Rv::True | Rv::False | Rv::Int(_) | Rv::Float(_) | Rv::Sym(_) => self.inspect(b)?,
            other => self.class_name(other),
        };
        let class = self.class_name(a);
        self.raise("ArgumentError", format!("comparison of {class} with {description} failed"))
    }

    /// `pattern === value`
    pub(crate) fn case_equal(&mut self, pattern: &Rv, value: &Rv) -> Raise<bool> {
        Ok(match pattern {
            Rv::Class(_) | Rv::Object(_) if self.has_method(pattern, catwalk_base::name!("===")) => {
                self.call_method(pattern, "===", std::slice::from_ref(value), None)?.truthy()
            }
            Rv::Object(_) if self.has_method(pattern, catwalk_base::name!("==")) => {
                self.call_method(pattern, "==", std::slice::from_ref(value), None)?.truthy()
            }
            Rv::Class(class) => self.is_a(value, *class),
            Rv::Regexp(regexp) => match value {
                Rv::Str(string) => self.match_at(regexp, &string.borrow(), 0)?.truthy(),
                Rv::Sym(string) => self.match_at(regexp, string, 0)?.truthy(),
                _ => false,
            },
            Rv::Range(range) => crate::core::range::covers(range, value),
            Rv::Proc(callable) => self.call_proc(callable, std::slice::from_ref(value))?.truthy(),
            Rv::Set(set) => set.borrow().contains_key(&Lookup(value)),
            Rv::Ip(ip) => match value {
                Rv::Ip(other) => crate::core::ipaddr::contains(ip, other),
                _ => false,
            },
            other => equal(other, value),
        })
    }

    /// `a == b`, which the program may define.
    pub(crate) fn equals(&mut self, a: &Rv, b: &Rv) -> Raise<bool> {
        match a {
            Rv::Object(_) if self.has_method(a, catwalk_base::name!("==")) => {
                Ok(self.call_method(a, "==", std::slice::from_ref(b), None)?.truthy())
            }
            _ => Ok(equal(a, b)),
        }
    }

    /// Converts the result of a block that compares two values.
    pub(crate) fn ordering_from_result(&mut self, result: &Rv, a: &Rv, b: &Rv) -> Raise<Ordering> {
        match result {
            Rv::Int(n) => Ok(n.cmp(&0)),
            Rv::Float(f) => Ok(f.get().partial_cmp(&0.0).unwrap_or(Ordering::Equal)),
            _ => self.not_comparable(a, b),
        }
    }

    /// The items sorted by `<=>`, or by a block.
    pub(crate) fn sort_items(&mut self, mut items: Vec<Rv>, block: crate::Blk<'_>) -> Raise<Vec<Rv>> {
        if let Some(block) = block {
            return ruby::sort(items, &mut |a: &Rv, b: &Rv| {
                let result = self.yield_values(block, &[a.clone(), b.clone()])?;
                self.ordering_from_result(&result, a, b)
            });
        }
        match self.same_kind_comparison(items.iter()) {
            Some(order) => {
                items.sort_by(order);
                Ok(items)
            }
            None => ruby::sort(items, &mut |a: &Rv, b: &Rv| self.compare(a, b)),
        }
    }

    /// Items sorted by their keys.
    pub fn sort_by_key(&mut self, mut keyed: Vec<(Rv, Rv)>) -> Raise<Vec<(Rv, Rv)>> {
        match self.same_kind_comparison(keyed.iter().map(|(key, _)| key)) {
            Some(order) => {
                keyed.sort_by(|a, b| order(&a.0, &b.0));
                Ok(keyed)
            }
            None => ruby::sort(keyed, &mut |a: &(Rv, Rv), b: &(Rv, Rv)| self.compare(&a.0, &b.0)),
        }
    }

    /// The comparison for values that are all integers, all strings or all symbols, unless the program redefines it.
    fn same_kind_comparison<'v>(&self, mut values: impl Iterator<Item = &'v Rv>) -> Option<fn(&Rv, &Rv) -> Ordering> {
        if self.tables.reopens_builtins {
            return None;
        }
        let first = values.next()?;
        let kind = std::mem::discriminant(first);
        let has_order = matches!(first, Rv::Int(_) | Rv::Str(_) | Rv::Sym(_));
        (has_order && values.all(|value| std::mem::discriminant(value) == kind)).then_some(compare_same_kind)
    }
}

/// The order of two integers, strings or symbols.
fn compare_same_kind(a: &Rv, b: &Rv) -> Ordering {
    match (a, b) {
        (Rv::Int(a), Rv::Int(b)) => a.cmp(b),
        (Rv::Str(a), Rv::Str(b)) => a.borrow().as_bytes().cmp(b.borrow().as_bytes()),
        (Rv::Sym(a), Rv::Sym(b)) => a.as_bytes().cmp(b.as_bytes()),
        _ => Ordering::Equal,
    }
}

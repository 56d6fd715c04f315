//! `Enumerator`: an iteration that waits for its block.
//!
//! In: an object, the name of the method that iterates, its arguments. Out: what that method gives to a block, all of it or as
//! much as is asked for. What need not see everything ([`STREAMED`]) is written in Ruby (`prelude/enumerator.rs`). There are no
//! coroutines: `next` runs the method ahead and keeps what it gave, so that what such a block does otherwise is done early.

use std::cell::RefCell;
use std::rc::Rc;

use super::Blk;
use super::Flow;
use super::Interp;
use super::Raise;
use super::value::Callable;
use super::value::Enumerator;
use super::value::Range;
use super::value::Rv;
use super::value::Walked;
use catwalk_base::names::Name;

/// The class of those that take one item after the other through their steps.
const LAZY: &str = "Enumerator::Lazy";

/// So many items `next` asks for at first; each time they are not enough it asks for twice as many.
const AHEAD: usize = 64;

/// Methods that may end before all items were there.
const STREAMED: &[&str] = &[
    "first",
    "take",
    "find",
    "detect",
    "find_index",
    "take_while",
    "include?",
    "member?",
    "each_with_index",
    "each_with_object",
    "each_entry",
    "each_slice",
    "each_cons",
    "any?",
    "all?",
    "none?",
    "map",
    "collect",
];

/// Those of them that are nothing without a block.
const NEED_BLOCK: &[&str] = &[
    "find",
    "detect",
    "take_while",
    "each_with_index",
    "each_with_object",
    "each_entry",
    "each_slice",
    "each_cons",
    "map",
    "collect",
];

/// An enumerator.
pub(crate) fn enumerator(receiver: &Rv, method: &str, args: &[Rv]) -> Rv {
    Rv::Enumerator(Rc::new(Enumerator {
        receiver: receiver.clone(),
        method: Name::new(method),
        args: args.to_vec(),
        walked: RefCell::default(),
    }))
}

/// `Enumerator.new(size) { |yielder| … }`
pub(crate) fn of_block(rt: &mut Interp<'_, '_>, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let Some(block) = block else { return rt.raise("ArgumentError", "no block given") };
    let class = rt.constant_path(None, "Enumerator::Generator")?;
    let size = args.first().cloned().unwrap_or(Rv::Nil);
    let generator = rt.call_method(&class, "new", &[size], Some(block))?;
    Ok(enumerator(&generator, "each", &[]))
}

/// `Enumerator.produce(first) { |last| … }`
pub(crate) fn produced(rt: &mut Interp<'_, '_>, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let Some(block) = block else { return rt.raise("ArgumentError", "no block given") };
    let class = rt.constant_path(None, "Enumerator::Producer")?;
    let given = [Rv::array(args.to_vec()), Rv::Proc(block.clone())];
    let producer = rt.call_method(&class, "new", &given, None)?;
    Ok(enumerator(&producer, "each", &[]))
}

/// A method of `Enumerable` for what may have no end, or whose items the program makes one by one.
pub(crate) fn streamed(
    rt: &mut Interp<'_, '_>,
    this: &Rv,
    name: &str,
    args: &[Rv],
    block: Blk<'_>,
) -> Raise<Option<Rv>> {
    if name == "lazy" && args.is_empty() {
        let class = rt.constant_path(None, LAZY)?;
        return rt.call_method(&class, "new", std::slice::from_ref(this), None).map(Some);
    }
    if !STREAMED.contains(&name) || !is_stream(this) || (block.is_none() && NEED_BLOCK.contains(&name)) {
        return Ok(None);
    }
    if block.is_none() && name == "find_index" && args.is_empty() {
        return Ok(None);
    }
    let stream = rt.constant_path(None, "Enumerator::Stream")?;
    let given: Vec<Rv> = std::iter::once(this).chain(args).cloned().collect();
    rt.call_method(&stream, name, &given, block).map(Some)
}

/// Whether items come one by one from the program, or without an end.
fn is_stream(value: &Rv) -> bool {
    match value {
        Rv::Object(object) => object.native.borrow().is_none(),
        Rv::Range(range) => is_endless_range(range),
        Rv::Class(_) => true,
        Rv::Enumerator(e) => is_cycle(e) || is_stream(&e.receiver),
        _ => false,
    }
}

fn is_endless_range(range: &Range) -> bool {
    matches!(range.to, Rv::Nil) || matches!(range.to, Rv::Float(to) if to == f64::INFINITY)
}

/// `cycle` without a count, of something that has items.
fn is_cycle(e: &Enumerator) -> bool {
    e.method.as_str() == "cycle"
        && matches!(e.args.first(), None | Some(Rv::Nil))
        && !matches!(&e.receiver, Rv::Array(items) if items.borrow().is_empty())
}

/// Whether nobody can have all items.
fn is_endless(e: &Enumerator) -> bool {
    is_cycle(e)
        || match &e.receiver {
            Rv::Range(range) => is_endless_range(range),
            Rv::Enumerator(inner) => is_endless(inner),
            _ => false,
        }
}

/// What a block is given as one value.
fn packed(args: &[Rv]) -> Rv {
    match args {
        [one] => one.clone(),
        several => Rv::array(several.to_vec()),
    }
}

/// Methods of `Enumerator` itself.
pub(crate) fn call(
    rt: &mut Interp<'_, '_>,
    e: &Rc<Enumerator>,
    name: &str,
    args: &[Rv],
    block: Blk<'_>,
) -> Raise<Option<Rv>> {
    Ok(Some(match (name, block) {
        ("with_index" | "each_with_index", Some(block)) => {
            let offset = match args.first() {
                Some(Rv::Int(n)) => *n,
                _ => 0,
            };
            let (inner, at) = (block.clone(), std::cell::Cell::new(offset));
            let numbered = Callable::Native(Box::new(move |rt: &mut Interp<'_, '_>, args: &[Rv]| {
                let index = at.get();
                at.set(index + 1);
                rt.yield_values(&inner, &[packed(args), Rv::Int(index)])
            }));
            rt.call_method(&e.receiver, e.method.as_str(), &e.args, Some(&Rc::new(numbered)))?
        }
        ("with_object" | "each_with_object", Some(block)) => {
            let memo = args.first().cloned().unwrap_or(Rv::Nil);
            let (inner, kept) = (block.clone(), memo.clone());
            let wrapped = Callable::Native(Box::new(move |rt: &mut Interp<'_, '_>, args: &[Rv]| {
                rt.yield_values(&inner, &[packed(args), kept.clone()])
            }));
            rt.call_method(&e.receiver, e.method.as_str(), &e.args, Some(&Rc::new(wrapped)))?;
            memo
        }
        ("with_index" | "with_object" | "each_with_index" | "each_with_object", None) => {
            enumerator(&Rv::Enumerator(e.clone()), name, args)
        }
        ("size", None) => size(rt, e)?,
        ("each", Some(block)) => {
            let given: Vec<Rv> = e.args.iter().chain(args).cloned().collect();
            rt.call_method(&e.receiver, e.method.as_str(), &given, Some(block))?
        }
        ("each", None) if args.is_empty() => Rv::Enumerator(e.clone()),
        ("next" | "peek", _) => next(rt, e, name == "peek")?,
        ("next_values" | "peek_values", _) => match next(rt, e, name == "peek_values")? {
            Rv::Array(items) => Rv::Array(items),
            one => Rv::array(vec![one]),
        },
        ("rewind", _) => {
            *e.walked.borrow_mut() = None;
            Rv::Enumerator(e.clone())
        }
        ("+", _) => {
            let class = rt.constant_path(None, "Enumerator::Chain")?;
            let parts: Vec<Rv> = std::iter::once(Rv::Enumerator(e.clone())).chain(args.iter().cloned()).collect();
            rt.call_method(&class, "new", &parts, None)?
        }
        _ => return Ok(None),
    }))
}

/// How many items there are; `nil` where only the program could tell.
fn size(rt: &mut Interp<'_, '_>, e: &Enumerator) -> Raise<Rv> {
    if is_endless(e) || matches!(&e.receiver, Rv::Class(_)) {
        return Ok(Rv::Float(f64::INFINITY));
    }
    match &e.receiver {
        Rv::Enumerator(inner) => size(rt, inner),
        Rv::Object(object) if object.class.as_str().starts_with("Enumerator::") => {
            rt.call_method(&e.receiver, "size", &[], None)
        }
        Rv::Object(object) if object.native.borrow().is_none() => Ok(Rv::Nil),
        _ => Ok(Rv::int(rt.collected(e)?.len())),
    }
}

/// The next item of an enumerator; with `peek` it stays the next one.
fn next(rt: &mut Interp<'_, '_>, e: &Enumerator, peek: bool) -> Raise<Rv> {
    let short = match &*e.walked.borrow() {
        None => Some(AHEAD),
        Some(walked) if walked.at >= walked.items.len() && walked.end.is_none() => Some(walked.items.len() * 2),
        Some(_) => None,
    };
    if let Some(count) = short {
        let at = e.walked.borrow().as_ref().map_or(0, |walked| walked.at);
        let (items, end) = rt.ahead(e, count)?;
        *e.walked.borrow_mut() = Some(Walked { items, at, end });
    }
    let end = {
        let mut walked = e.walked.borrow_mut();
        let Some(walked) = &mut *walked else { return Ok(Rv::Nil) };
        if let Some(item) = walked.items.get(walked.at).cloned() {
            walked.at += usize::from(!peek);
            return Ok(item);
        }
        walked.end.clone()
    };
    match end {
        Some(Err(exception)) => Err(Box::new(Flow::Raise(exception))),
        end => {
            let text = Rv::str("iteration reached an end");
            let exception = rt.exception(Name::new("StopIteration"), text);
            let result = end.and_then(Result::ok).unwrap_or(Rv::Nil);
            exception.ivars.borrow_mut().insert(Name::new(super::raise::RESULT), result);
            Err(Box::new(Flow::Raise(exception)))
        }
    }
}

impl Interp<'_, '_> {
    /// What an enumerator gives, found by running its method with a block that collects.
    pub(crate) fn collected(&mut self, e: &Enumerator) -> Raise<Vec<Rv>> {
        if is_endless(e) {
            return self.unsupported("all of an enumerator without an end");
        }
        let found: Rc<RefCell<Vec<Rv>>> = Rc::default();
        let sink = found.clone();
        let block = Callable::Native(Box::new(move |rt: &mut Interp<'_, '_>, args: &[Rv]| {
            sink.borrow_mut().push(packed(args));
            let count = sink.borrow().len();
            rt.check_size(count.saturating_mul(16))?;
            Ok(Rv::Nil)
        }));
        self.call_method(&e.receiver, e.method.as_str(), &e.args, Some(&Rc::new(block)))?;
        Ok(found.take())
    }

    /// The first items of an enumerator, and how it ended if these are all.
    #[allow(clippy::type_complexity, reason = "named where it is kept")]
    fn ahead(
        &mut self,
        e: &Enumerator,
        count: usize,
    ) -> Raise<(Vec<Rv>, Option<Result<Rv, Rc<super::value::Exception>>>)> {
        let found: Rc<RefCell<Vec<Rv>>> = Rc::default();
        let sink = found.clone();
        let tag = self.fresh_id();
        let block = Callable::Native(Box::new(move |rt: &mut Interp<'_, '_>, args: &[Rv]| {
            sink.borrow_mut().push(packed(args));
            let known = sink.borrow().len();
            rt.check_size(known.saturating_mul(16))?;
            if known >= count { Err(Box::new(Flow::Break(tag, Rv::Nil))) } else { Ok(Rv::Nil) }
        }));
        let result = self.call_method(&e.receiver, e.method.as_str(), &e.args, Some(&Rc::new(block)));
        let end = match result.map_err(|flow| *flow) {
            Ok(value) => Some(Ok(value)),
            Err(Flow::Break(broken, _)) if broken == tag => None,
            Err(Flow::Raise(exception)) => Some(Err(exception)),
            Err(flow) => return Err(Box::new(flow)),
        };
        Ok((found.take(), end))
    }
}

//! `Enumerator`: an iteration whose block is passed later.
//!
//! In: an object, the name of the method that iterates, its arguments. Out: the items that the method passes to a block, all or
//! as many as needed. Methods that may stop early ([`call_streaming`]) are written in Ruby (`prelude/enumerator.rb`). There are no
//! coroutines: `next` runs the method ahead and buffers its items, so that side effects of the method happen early.

use std::cell::RefCell;
use std::rc::Rc;

use crate::Blk;
use crate::Flow;
use crate::Interp;
use crate::Raise;
use crate::object::Class;
use crate::object::Method;
use crate::value::Callable;
use crate::value::Enumerator;
use crate::value::EnumeratorItems;
use crate::value::Range;
use crate::value::Rv;
use catwalk_base::names::Name;

/// The number of items that `next` reads ahead at first; the number doubles each time all are used.
const INITIAL_READ_AHEAD: usize = 64;

pub(crate) static CLASS: Class = Class {
    name: "Enumerator",
    parent: None,
    includes: &[&super::enumerable::MODULE],
    extends: &[],
    methods: &[
        Method::new("+", 1, plus),
        Method::at_least("each", 0, each),
        Method::new("each_with_index", 0, with_index).returns_enumerator(),
        Method::new("each_with_object", 1, with_object).returns_enumerator(),
        Method::new("inspect", 0, super::common_methods::inspect),
        Method::new("next", 0, next),
        Method::new("next_values", 0, next_values),
        Method::new("peek", 0, peek),
        Method::new("peek_values", 0, peek_values),
        Method::new("rewind", 0, rewind),
        Method::new("size", 0, size),
        Method::between("with_index", 0, 1, with_index).returns_enumerator(),
        Method::new("with_object", 1, with_object).returns_enumerator(),
    ],
    singleton: &[Method::between("new", 0, 1, from_block), Method::between("produce", 0, 1, produce)],
};

/// An enumerator.
pub fn enumerator(receiver: &Rv, method: &str, args: &[Rv]) -> Rv {
    Rv::Enumerator(Rc::new(Enumerator {
        receiver: receiver.clone(),
        method: Name::new(method),
        args: args.to_vec(),
        buffer: RefCell::default(),
    }))
}

/// `Enumerator.new(size) { |yielder| … }`
fn from_block(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let Some(block) = block else { return rt.raise("ArgumentError", "no block given") };
    let class = rt.constant_path(None, "Enumerator::Generator")?;
    let size = args.first().cloned().unwrap_or(Rv::Nil);
    let generator = rt.call_method(&class, "new", &[size], Some(block))?;
    Ok(enumerator(&generator, "each", &[]))
}

/// `Enumerator.produce(first) { |last| … }`
fn produce(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let Some(block) = block else { return rt.raise("ArgumentError", "no block given") };
    let class = rt.constant_path(None, "Enumerator::Producer")?;
    let args = [Rv::array(args.to_vec()), Rv::Proc(block.clone())];
    let producer = rt.call_method(&class, "new", &args, None)?;
    Ok(enumerator(&producer, "each", &[]))
}

/// A method of `Enumerable` that may stop before the end, for a collection that produces its items one by one; `None` for other
/// values.
pub(crate) fn call_streaming(
    rt: &mut Interp<'_>,
    this: &Rv,
    name: &str,
    args: &[Rv],
    block: Blk<'_>,
) -> Raise<Option<Rv>> {
    // Ranges are iterated without a list of their items.
    if matches!(this, Rv::Range(_)) || !is_stream(this) || (block.is_none() && name == "find_index" && args.is_empty())
    {
        return Ok(None);
    }
    let stream = rt.constant_path(None, "Enumerator::Stream")?;
    let args: Vec<Rv> = std::iter::once(this).chain(args).cloned().collect();
    rt.call_method(&stream, name, &args, block).map(Some)
}

/// Whether items are produced one by one by the program, or without end.
fn is_stream(mut value: &Rv) -> bool {
    loop {
        match value {
            Rv::Object(object) => return object.native.borrow().is_none(),
            Rv::Range(range) => return is_endless_range(range),
            Rv::Class(_) => return true,
            Rv::Enumerator(e) if is_cycle(e) => return true,
            Rv::Enumerator(e) => value = &e.receiver,
            _ => return false,
        }
    }
}

fn is_endless_range(range: &Range) -> bool {
    matches!(range.to, Rv::Nil) || matches!(range.to, Rv::Float(to) if to.get() == f64::INFINITY)
}

/// `cycle` without a count, of something that has items.
fn is_cycle(e: &Enumerator) -> bool {
    e.method.as_str() == "cycle"
        && matches!(e.args.first(), None | Some(Rv::Nil))
        && !matches!(&e.receiver, Rv::Array(items) if items.borrow().is_empty())
}

/// Whether the items are infinite.
fn is_endless(mut e: &Enumerator) -> bool {
    loop {
        if is_cycle(e) {
            return true;
        }
        match &e.receiver {
            Rv::Range(range) => return is_endless_range(range),
            Rv::Enumerator(inner) => e = inner,
            _ => return false,
        }
    }
}

/// The arguments of a block as one value.
fn pack_arguments(args: &[Rv]) -> Rv {
    match args {
        [one] => one.clone(),
        several => Rv::array(several.to_vec()),
    }
}

/// `each`; arguments are passed to the method that iterates.
fn each(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let Rv::Enumerator(e) = this else { return Ok(Rv::Nil) };
    let args: Vec<Rv> = e.args.iter().chain(args).cloned().collect();
    match block {
        Some(block) => rt.call_method(&e.receiver, e.method.as_str(), &args, Some(block)),
        None if args.is_empty() => Ok(this.clone()),
        None => Ok(enumerator(&e.receiver, e.method.as_str(), &args)),
    }
}

fn with_index(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let (Rv::Enumerator(e), Some(block)) = (this, block) else { return Ok(Rv::Nil) };
    let offset = match args.first() {
        None | Some(Rv::Nil) => 0,
        Some(offset) => rt.expect_int(offset)?,
    };
    let (inner, at) = (block.clone(), std::cell::Cell::new(i128::from(offset)));
    let numbered = Callable::Native(Box::new(move |rt: &mut Interp<'_>, args: &[Rv]| {
        let index = at.get();
        at.set(index + 1);
        rt.yield_values(&inner, &[pack_arguments(args), Rv::integer(index)])
    }));
    rt.call_method(&e.receiver, e.method.as_str(), &e.args, Some(&Rc::new(numbered)))
}

fn with_object(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let (Rv::Enumerator(e), Some(block), [memo]) = (this, block, args) else { return Ok(Rv::Nil) };
    let (inner, object) = (block.clone(), memo.clone());
    let wrapped = Callable::Native(Box::new(move |rt: &mut Interp<'_>, args: &[Rv]| {
        rt.yield_values(&inner, &[pack_arguments(args), object.clone()])
    }));
    rt.call_method(&e.receiver, e.method.as_str(), &e.args, Some(&Rc::new(wrapped)))?;
    Ok(memo.clone())
}

fn next(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let Rv::Enumerator(e) = this else { return Ok(Rv::Nil) };
    next_item(rt, e, false)
}

fn peek(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let Rv::Enumerator(e) = this else { return Ok(Rv::Nil) };
    next_item(rt, e, true)
}

/// An item as the array of its values.
fn values(item: Rv) -> Rv {
    if matches!(item, Rv::Array(_)) { item } else { Rv::array(vec![item]) }
}

fn next_values(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    next(rt, this, args, block).map(values)
}

fn peek_values(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    peek(rt, this, args, block).map(values)
}

fn rewind(_: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    if let Rv::Enumerator(e) = this {
        *e.buffer.borrow_mut() = None;
    }
    Ok(this.clone())
}

/// `Enumerator::Chain`, which is written in Ruby.
fn plus(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    super::enumerable::list::chain(rt, this, args, block)
}

fn size(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let Rv::Enumerator(e) = this else { return Ok(Rv::Nil) };
    count(rt, e)
}

/// The number of items; `nil` if it is only known after running the method.
fn count(rt: &mut Interp<'_>, mut e: &Enumerator) -> Raise<Rv> {
    if is_endless(e) {
        return Ok(Rv::float(f64::INFINITY));
    }
    while let Rv::Enumerator(inner) = &e.receiver {
        e = inner;
    }
    if matches!(&e.receiver, Rv::Class(_)) {
        return Ok(Rv::float(f64::INFINITY));
    }
    match &e.receiver {
        Rv::Array(items) if super::walk::is_plain(e) => Ok(Rv::int(items.borrow().len())),
        Rv::Object(object) if object.class.as_str().starts_with("Enumerator::") => {
            rt.call_method(&e.receiver, "size", &[], None)
        }
        Rv::Object(object) if object.native.borrow().is_none() => Ok(Rv::Nil),
        _ => Ok(Rv::int(rt.collect_items(e)?.len())),
    }
}

/// The next item of an enumerator; `peek` does not advance the position.
fn next_item(rt: &mut Interp<'_>, e: &Enumerator, peek: bool) -> Raise<Rv> {
    let short = match &*e.buffer.borrow() {
        None => Some(INITIAL_READ_AHEAD),
        Some(buffer) if buffer.at >= buffer.items.len() && buffer.end.is_none() => Some(buffer.items.len() * 2),
        Some(_) => None,
    };
    if let Some(count) = short {
        let at = e.buffer.borrow().as_ref().map_or(0, |buffer| buffer.at);
        let (items, end) = rt.read_ahead(e, count)?;
        *e.buffer.borrow_mut() = Some(EnumeratorItems { items, at, end });
    }
    let end = {
        let mut buffer = e.buffer.borrow_mut();
        let Some(buffer) = &mut *buffer else { return Ok(Rv::Nil) };
        if let Some(item) = buffer.items.get(buffer.at).cloned() {
            buffer.at += usize::from(!peek);
            return Ok(item);
        }
        buffer.end.clone()
    };
    match end {
        Some(Err(exception)) => Err(rt.throw(Flow::Raise(exception))),
        end => {
            let string = Rv::str("iteration reached an end");
            let exception = rt.exception(Name::new("StopIteration"), string);
            let result = end.and_then(Result::ok).unwrap_or(Rv::Nil);
            exception.ivars.borrow_mut().insert(Name::new(crate::object::exception::RESULT), result);
            Err(rt.throw(Flow::Raise(exception)))
        }
    }
}

impl Interp<'_> {
    /// The items of an enumerator, collected by running its method with a block.
    pub(crate) fn collect_items(&mut self, e: &Enumerator) -> Raise<Vec<Rv>> {
        if is_endless(e) {
            return self.unsupported("all of an enumerator without an end");
        }
        let found: Rc<RefCell<Vec<Rv>>> = Rc::default();
        let sink = found.clone();
        let block = Callable::Native(Box::new(move |rt: &mut Interp<'_>, args: &[Rv]| {
            sink.borrow_mut().push(pack_arguments(args));
            let count = sink.borrow().len();
            rt.check_size(count.saturating_mul(16))?;
            Ok(Rv::Nil)
        }));
        self.call_method(&e.receiver, e.method.as_str(), &e.args, Some(&Rc::new(block)))?;
        Ok(found.take())
    }

    /// The first items of an enumerator, and the result of the method if there are no more items.
    #[allow(clippy::type_complexity, reason = "the fields of `EnumeratorItems`")]
    fn read_ahead(
        &mut self,
        e: &Enumerator,
        count: usize,
    ) -> Raise<(Vec<Rv>, Option<Result<Rv, Rc<crate::value::Exception>>>)> {
        let found: Rc<RefCell<Vec<Rv>>> = Rc::default();
        let sink = found.clone();
        let tag = self.fresh_id();
        let block = Callable::Native(Box::new(move |rt: &mut Interp<'_>, args: &[Rv]| {
            sink.borrow_mut().push(pack_arguments(args));
            let count_so_far = sink.borrow().len();
            rt.check_size(count_so_far.saturating_mul(16))?;
            if count_so_far >= count { Err(rt.throw(Flow::Break(tag, Rv::Nil))) } else { Ok(Rv::Nil) }
        }));
        let result = self.call_method(&e.receiver, e.method.as_str(), &e.args, Some(&Rc::new(block)));
        let end = match self.catch_result(result) {
            Ok(value) => Some(Ok(value)),
            Err(Flow::Break(broken, _)) if broken == tag => None,
            Err(Flow::Raise(exception)) => Some(Err(exception)),
            Err(flow) => return Err(self.throw(flow)),
        };
        Ok((found.take(), end))
    }
}

//! Contents that several values share, and dropping them without deep recursion.
//!
//! In: contents. Out: [`Shared`], a cell whose contents are dropped one level at a time once the stack is nearly used up, so that
//! values of any depth can be dropped. Must not: run code of the program.

use std::any::Any;
use std::cell::Cell;
use std::cell::RefCell;
use std::mem;
use std::ops::Deref;
use std::rc::Rc;

use super::Callable;
use super::Enumerator;
use super::Exception;
use super::HashObject;
use super::Instance;
use super::Range;
use super::Rv;
use crate::Frame;
use catwalk_base::stack;

/// Parts of values that wait to be dropped.
struct Waiting {
    parts: RefCell<Vec<Box<dyn Any>>>,
    is_dropping: Cell<bool>,
}

thread_local! {
    static WAITING: Waiting = const { Waiting { parts: RefCell::new(Vec::new()), is_dropping: Cell::new(false) } };
}

/// Drops a part of a value after the calls of `drop` that this thread is in, or now, but not its parts.
#[cold]
fn drop_later<T: 'static>(part: T) {
    let mut part = Some(part);
    let queued = WAITING.try_with(|waiting| {
        if let Some(part) = part.take() {
            waiting.parts.borrow_mut().push(Box::new(part));
        }
    });
    if queued.is_err() || WAITING.try_with(|waiting| waiting.is_dropping.replace(true)).unwrap_or(true) {
        return;
    }
    while let Ok(Some(part)) = WAITING.try_with(|waiting| waiting.parts.borrow_mut().pop()) {
        drop(part);
    }
    let _ = WAITING.try_with(|waiting| waiting.is_dropping.set(false));
}

/// A cell with the contents of an array or set.
#[derive(Default)]
pub struct Shared<T: Default + 'static>(RefCell<T>);

impl<T: Default + 'static> Shared<T> {
    #[inline]
    pub fn new(contents: T) -> Shared<T> {
        Shared(RefCell::new(contents))
    }
}

impl<T: Default + 'static> Deref for Shared<T> {
    type Target = RefCell<T>;

    #[inline]
    fn deref(&self) -> &RefCell<T> {
        &self.0
    }
}

impl<T: Default + 'static> Drop for Shared<T> {
    #[inline]
    fn drop(&mut self) {
        if stack::is_low() {
            drop_later(mem::take(self.0.get_mut()));
        }
    }
}

impl Drop for HashObject {
    #[inline]
    fn drop(&mut self) {
        if stack::is_low() {
            let default = (mem::take(self.default.get_mut()), self.default_proc.get_mut().take());
            drop_later((mem::take(self.map.get_mut()), default));
        }
    }
}

impl Drop for Range {
    fn drop(&mut self) {
        if stack::is_low() {
            drop_later((mem::take(&mut self.from), mem::take(&mut self.to)));
        }
    }
}

impl Drop for Exception {
    fn drop(&mut self) {
        if stack::is_low() {
            drop_later((mem::take(self.message.get_mut()), mem::take(self.ivars.get_mut())));
        }
    }
}

impl Drop for Enumerator {
    fn drop(&mut self) {
        if stack::is_low() {
            drop_later((mem::take(&mut self.receiver), mem::take(&mut self.args), self.buffer.get_mut().take()));
        }
    }
}

impl Drop for Instance {
    #[inline]
    fn drop(&mut self) {
        if stack::is_low() {
            let inside = (self.key.get_mut().take(), self.native.get_mut().take());
            drop_later((mem::take(self.ivars.get_mut()), inside));
        }
    }
}

impl Drop for Callable {
    #[inline]
    fn drop(&mut self) {
        if stack::is_low() {
            match self {
                Callable::Method(receiver, _) => drop_later(mem::take(receiver)),
                Callable::Native(body) => drop_later(mem::replace(body, Box::new(|_, _| Ok(Rv::Nil)))),
                // A frame drops its own parts later.
                Callable::Block { .. } | Callable::Symbol(..) | Callable::Puppet(_) => {}
            }
        }
    }
}

impl Drop for Frame {
    #[inline]
    fn drop(&mut self) {
        if stack::is_low() {
            drop_later(self.take_parts());
        }
    }
}

/// An array or set of these contents.
pub(crate) fn share<T: Default + 'static>(contents: T) -> Rc<Shared<T>> {
    Rc::new(Shared::new(contents))
}

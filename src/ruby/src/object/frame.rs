//! Frames: one for each call of a method or block, with the variables of its body.
//!
//! In: names and values. Out: values, found at the positions that the tree caches. Unused frames are reused. Must not: run
//! anything.

use std::cell::Cell;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::object::definitions::MethodEntry;
use crate::object::visibility::Visibility;
use crate::value::Callable;
use crate::value::Rv;
use catwalk_base::names::Name;
use catwalk_ruby_syntax::ast::Def;
use catwalk_ruby_syntax::inline_cache::Local;

/// Bodies with this many variables or more are indexed by name.
const INDEXED: usize = 64;

/// The context of one call of a method.
#[derive(Clone)]
pub(crate) struct MethodContext {
    /// Identifies the call, for `return`.
    pub id: u64,
    /// The block that was passed.
    pub block: Option<Rc<Callable>>,
    /// The method's name, for `__method__` and `super`.
    pub name: Option<Name>,
    /// The class or module the method belongs to.
    pub owner: Option<Name>,
    /// The method, whose parameters `super` without arguments passes on.
    pub entry: Option<Rc<MethodEntry>>,
}

impl MethodContext {
    /// The context of code outside of methods.
    pub(crate) fn outside_method(id: u64) -> MethodContext {
        MethodContext { id, block: None, name: None, owner: None, entry: None }
    }

    /// The context of a method call.
    pub(crate) fn for_method(entry: &Rc<MethodEntry>, id: u64, block: Option<Rc<Callable>>) -> MethodContext {
        let name = entry.def().map(|def| def.name);
        MethodContext { id, block, name, owner: Some(entry.owner), entry: Some(entry.clone()) }
    }

    /// The definition of the method, unless it is a block.
    pub(crate) fn def(&self) -> Option<&Arc<Def>> {
        self.entry.as_ref().and_then(|entry| entry.def())
    }
}

/// A variable.
struct Slot {
    name: Name,
    value: Cell<Rv>,
}

impl Slot {
    fn new(name: Name, value: Rv) -> Slot {
        Slot { name, value: Cell::new(value) }
    }

    #[inline(always)]
    fn get(&self) -> Rv {
        let value = self.value.take();
        let copy = value.clone();
        // The old value is `nil`, which needs no drop.
        std::mem::forget(self.value.replace(value));
        copy
    }

    /// The value, unless it is an object.
    #[inline(always)]
    fn plain(&self) -> Option<Rv> {
        let value = self.value.take();
        let copy = value.plain();
        std::mem::forget(self.value.replace(value));
        copy
    }

    #[inline(always)]
    fn set(&self, value: Rv) {
        self.value.replace(value).discard();
    }
}

/// The variables and context of running code.
pub struct Frame {
    /// The variables of its body.
    slots: Vec<Slot>,
    /// Variables that a string of code, a template or a whole program added to the body's own.
    added: RefCell<Vec<(Name, Rv)>>,
    /// Positions of variables in a body with many variables; those added since the last use are missing.
    index: RefCell<FxHashMap<Name, usize>>,
    /// The enclosing frame, whose variables this code sees, too.
    pub outer: Option<Rc<Frame>>,
    pub this: Rv,
    /// The method call that the frame belongs to; a block belongs to the one of the enclosing frame.
    pub(crate) method: Option<MethodContext>,
    /// The tag of the block that runs in the frame, for `break`.
    pub tag: u64,
    /// The class or module whose body runs in the frame.
    pub class: Option<Name>,
    /// The visibility that `private` or `protected` set for later definitions.
    pub(crate) visibility: Cell<Visibility>,
    /// Whether the frame only sets the `self` of a block. Such a frame never encloses running code: variables are cached by the
    /// number of frames to them, which must not depend on a block's `self`.
    pub rebinds: bool,
}

/// The parts of a frame, without its variables.
pub(crate) struct FrameParts {
    pub outer: Option<Rc<Frame>>,
    pub this: Rv,
    pub(crate) method: Option<MethodContext>,
    pub tag: u64,
    pub class: Option<Name>,
}

impl Frame {
    pub(crate) fn new(parts: FrameParts) -> Rc<Frame> {
        let FrameParts { outer, this, method, tag, class } = parts;
        Rc::new(Frame {
            slots: Vec::new(),
            added: RefCell::default(),
            index: RefCell::default(),
            outer,
            this,
            method,
            tag,
            class,
            visibility: Cell::default(),
            rebinds: false,
        })
    }

    /// The frame of the method, or of the code outside of methods, that contains the block.
    pub fn outermost(&self) -> &Frame {
        let mut frame = self;
        while let Some(outer) = &frame.outer {
            frame = outer;
        }
        frame
    }

    /// The call of a method in which the code runs.
    pub(crate) fn method(&self) -> Option<&MethodContext> {
        let mut frame = self;
        loop {
            if let Some(method) = &frame.method {
                return Some(method);
            }
            frame = frame.outer.as_deref()?;
        }
    }

    /// The block that was passed to the method.
    pub fn block(&self) -> Option<&Rc<Callable>> {
        self.method()?.block.as_ref()
    }

    /// The name of the method.
    pub fn method_name(&self) -> Option<Name> {
        self.method()?.name
    }

    /// The variable at its cached position.
    #[inline(always)]
    fn slot(&self, local: &Local) -> Option<&Slot> {
        let (depth, at) = local.position();
        self.frame_at(depth)?.slots.get(at).filter(|slot| slot.name == local.name)
    }

    /// The value of a variable; `None` if it is unknown here.
    #[inline(always)]
    pub fn read(&self, local: &Local) -> Option<Rv> {
        match self.slot(local) {
            Some(slot) => Some(slot.get()),
            None => self.read_added(local),
        }
    }

    /// The value of a variable of the body unless it is an object.
    #[inline(always)]
    pub(crate) fn read_plain(&self, local: &Local) -> Option<Rv> {
        self.slot(local)?.plain()
    }

    /// As [`Frame::read`] for an added variable, or one that is not at its cached position.
    #[inline(never)]
    fn read_added(&self, local: &Local) -> Option<Rv> {
        let (depth, at) = local.position();
        if let Some(frame) = self.frame_at(depth)
            && let Some(at) = at.checked_sub(frame.slots.len())
            && let Some((name, value)) = frame.added.borrow().get(at)
            && *name == local.name
        {
            return Some(value.clone());
        }
        let (depth, at) = self.find(local.name)?;
        local.remember(depth, at);
        self.frame_at(depth)?.value(at)
    }

    /// Sets a variable where it is defined, else here.
    #[inline]
    pub fn write(&self, local: &Local, value: Rv) {
        match self.slot(local) {
            Some(slot) => slot.set(value),
            None => self.write_added(local, value),
        }
    }

    #[inline(never)]
    fn write_added(&self, local: &Local, value: Rv) {
        let (depth, at) = local.position();
        if let Some(frame) = self.frame_at(depth)
            && let Some(at) = at.checked_sub(frame.slots.len())
            && let Some((name, old)) = frame.added.borrow_mut().get_mut(at)
            && *name == local.name
        {
            std::mem::replace(old, value).discard();
            return;
        }
        let (depth, at) = self.find(local.name).unwrap_or_else(|| (0, self.len()));
        local.remember(depth, at);
        self.set_at(depth, at, local.name, value);
    }

    /// The value of a variable that is a machine integer and at its cached position.
    #[inline(always)]
    pub(crate) fn read_int(&self, local: &Local) -> Option<i64> {
        match self.slot(local)?.plain() {
            Some(Rv::Int(n)) => Some(n),
            _ => None,
        }
    }

    /// As [`Frame::read`] for a name without a cached position.
    pub fn get(&self, name: Name) -> Option<Rv> {
        let (depth, at) = self.find(name)?;
        self.frame_at(depth)?.value(at)
    }

    /// As [`Frame::write`] for a name without a cached position.
    pub fn set(&self, name: Name, value: Rv) {
        let (depth, at) = self.find(name).unwrap_or_else(|| (0, self.len()));
        self.set_at(depth, at, name, value);
    }

    /// Sets a variable of this body, hiding one around it.
    pub fn declare(&self, name: Name, value: Rv) {
        let at = self.position(name).unwrap_or_else(|| self.len());
        self.set_at(0, at, name, value);
    }

    /// The names of all variables that code here sees.
    pub fn names(&self) -> Vec<Name> {
        let mut names = Vec::new();
        let mut current = Some(self);
        while let Some(frame) = current {
            names.extend(frame.slots.iter().map(|slot| slot.name));
            names.extend(frame.added.borrow().iter().map(|(name, _)| *name));
            current = frame.outer.as_deref();
        }
        names
    }

    /// The number of variables.
    fn len(&self) -> usize {
        self.slots.len() + self.added.borrow().len()
    }

    /// The value of the variable with an index.
    fn value(&self, at: usize) -> Option<Rv> {
        match self.slots.get(at) {
            Some(slot) => Some(slot.get()),
            None => self.added.borrow().get(at - self.slots.len()).map(|(_, value)| value.clone()),
        }
    }

    /// Adds the next variable to a body.
    #[inline(always)]
    pub fn add(&mut self, name: Name, value: Rv) {
        self.slots.push(Slot::new(name, value));
    }

    /// Sets the variables of a body: the first get these values, the others are `nil`. Those of an earlier run of the body are
    /// overwritten.
    #[inline]
    pub(crate) fn fill(&mut self, names: &[Name], values: &[Rv]) {
        self.clear_added();
        if self.slots.is_empty() {
            for (at, name) in names.iter().enumerate() {
                self.add(*name, values.get(at).map_or(Rv::Nil, Rv::clone));
            }
            return;
        }
        for (at, slot) in self.slots.iter_mut().enumerate() {
            let new = values.get(at).map_or(Rv::Nil, Rv::clone);
            std::mem::replace(slot.value.get_mut(), new).discard();
        }
    }

    /// As [`Frame::fill`] for one value.
    #[inline(always)]
    pub(crate) fn fill_one(&mut self, names: &[Name], value: Rv) {
        if let [slot] = self.slots.as_mut_slice() {
            std::mem::replace(slot.value.get_mut(), value).discard();
            self.clear_added();
        } else {
            self.fill(names, &[value]);
        }
    }

    /// Removes the added variables.
    #[inline(always)]
    fn clear_added(&mut self) {
        if !self.added.get_mut().is_empty() {
            self.added.get_mut().clear();
            self.index.get_mut().clear();
        }
    }

    /// Takes everything out of the frame that may hold other values, for dropping it.
    #[cold]
    pub(crate) fn take_parts(&mut self) -> impl Sized + use<> {
        let values = (std::mem::take(&mut self.slots), std::mem::take(self.added.get_mut()), self.this.take());
        (values, self.outer.take(), self.method.take())
    }

    /// Removes all variables.
    #[inline(always)]
    pub(crate) fn clear(&mut self) {
        if self.slots.len() >= INDEXED {
            self.index.get_mut().clear();
        }
        self.clear_added();
        while let Some(slot) = self.slots.pop() {
            slot.value.into_inner().discard();
        }
    }

    #[inline(always)]
    fn frame_at(&self, depth: usize) -> Option<&Frame> {
        let mut frame = self;
        for _ in 0..depth {
            frame = frame.outer.as_deref()?;
        }
        Some(frame)
    }

    fn set_at(&self, depth: usize, at: usize, name: Name, value: Rv) {
        let Some(frame) = self.frame_at(depth) else { return };
        if let Some(slot) = frame.slots.get(at) {
            return slot.set(value);
        }
        let mut added = frame.added.borrow_mut();
        match added.get_mut(at - frame.slots.len()) {
            Some((_, old)) => *old = value,
            None => added.push((name, value)),
        }
    }

    fn position(&self, name: Name) -> Option<usize> {
        let added = self.added.borrow();
        if self.slots.len() + added.len() < INDEXED {
            let mut names = self.slots.iter().map(|slot| slot.name).chain(added.iter().map(|(name, _)| *name));
            return names.position(|variable| variable == name);
        }
        let mut index = self.index.borrow_mut();
        // A slice skips the indexed variables at once; an iterator over both would visit all of them.
        let indexed = index.len();
        for (at, slot) in self.slots.iter().enumerate().skip(indexed) {
            index.insert(slot.name, at);
        }
        for (at, (variable, _)) in added.iter().enumerate().skip(indexed.saturating_sub(self.slots.len())) {
            index.insert(*variable, self.slots.len() + at);
        }
        index.get(&name).copied()
    }

    /// Whether a frame directly encloses this one.
    pub(crate) fn is_inside(&self, frame: &Rc<Frame>) -> bool {
        self.outer.as_ref().is_some_and(|outer| Rc::ptr_eq(outer, frame))
    }

    /// The number of frames to a variable's frame, and its position there.
    fn find(&self, name: Name) -> Option<(usize, usize)> {
        let mut frame = self;
        for depth in 0.. {
            if let Some(at) = frame.position(name) {
                return Some((depth, at));
            }
            frame = frame.outer.as_deref()?;
        }
        None
    }
}

//! Where code runs: one frame for each call of a method or block, with the variables of its body.
//!
//! In: names and values. Out: values, found by where they were the last time the same code ran. Frames that nothing holds any
//! more are used again. Must not: run anything.

use std::cell::Cell;
use std::cell::RefCell;
use std::cell::RefMut;
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::Interp;
use crate::machine::definitions::Found;
use crate::machine::visibility::Visibility;
use crate::value::Callable;
use crate::value::Rv;
use catwalk_base::names::Name;
use catwalk_ruby_syntax::ast::Def;
use catwalk_ruby_syntax::inline_cache::Local;

/// Frames that wait to be used again.
const SPARE: usize = 64;

/// From how many variables on their positions are remembered by name.
const INDEXED: usize = 64;

/// What belongs to one call of a method.
#[derive(Clone)]
pub(crate) struct MethodContext {
    /// Tells calls apart, for `return`.
    pub id: u64,
    /// The block it was given.
    pub block: Option<Rc<Callable>>,
    /// Its name, for `__method__` and `super`.
    pub name: Option<Name>,
    /// The class or module the method belongs to.
    pub owner: Option<Name>,
    /// The method, whose parameters `super` without arguments hands on.
    pub found: Option<Rc<Found>>,
}

impl MethodContext {
    /// Of code that is no method.
    pub(crate) fn outside(id: u64) -> MethodContext {
        MethodContext { id, block: None, name: None, owner: None, found: None }
    }

    /// Of a call of a method.
    fn of(found: &Rc<Found>, id: u64, block: Option<Rc<Callable>>) -> MethodContext {
        let name = found.def().map(|def| def.name);
        MethodContext { id, block, name, owner: Some(found.owner), found: Some(found.clone()) }
    }

    /// The definition of the method, unless it is a block.
    pub(crate) fn def(&self) -> Option<&Arc<Def>> {
        self.found.as_ref().and_then(|found| found.def())
    }
}

/// Where code runs.
pub(crate) struct Frame {
    /// Variables in the order in which they became known.
    vars: RefCell<Vec<(Name, Rv)>>,
    /// The positions of the variables of a body that has many; those that were added since it was last used are missing.
    index: RefCell<FxHashMap<Name, usize>>,
    /// The frame around, whose variables this code sees, too.
    outer: Option<Rc<Frame>>,
    pub this: Rv,
    /// The call of a method that it is; a block belongs to that of the frame around.
    method: Option<MethodContext>,
    /// The block whose body it is, for `break`.
    pub tag: u64,
    /// The class or module whose body it is.
    pub class: Option<Name>,
    /// What `private`, `protected` say of the methods that are defined from here on.
    pub visibility: Cell<Visibility>,
}

/// What a frame is made of, but for its variables.
pub(crate) struct Place {
    pub outer: Option<Rc<Frame>>,
    pub this: Rv,
    pub method: Option<MethodContext>,
    pub tag: u64,
    pub class: Option<Name>,
}

impl Frame {
    pub(crate) fn new(place: Place) -> Rc<Frame> {
        let Place { outer, this, method, tag, class } = place;
        Rc::new(Frame {
            vars: RefCell::default(),
            index: RefCell::default(),
            outer,
            this,
            method,
            tag,
            class,
            visibility: Cell::default(),
        })
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

    /// The block that the method was given.
    pub(crate) fn block(&self) -> Option<&Rc<Callable>> {
        self.method()?.block.as_ref()
    }

    /// The name of the method.
    pub(crate) fn method_name(&self) -> Option<Name> {
        self.method()?.name
    }

    /// The value of a variable that is where it was found before.
    #[inline(always)]
    pub(crate) fn read(&self, local: &Local) -> Option<Rv> {
        let (depth, at) = local.found();
        match self.at(depth)?.vars.borrow().get(at) {
            Some((name, value)) if *name == local.name => Some(value.clone()),
            _ => None,
        }
    }

    /// As [`Frame::read`], if the value is no object.
    #[inline(always)]
    pub(crate) fn read_plain(&self, local: &Local) -> Option<Rv> {
        let (depth, at) = local.found();
        match self.at(depth)?.vars.borrow().get(at) {
            Some((name, value)) if *name == local.name => value.plain(),
            _ => None,
        }
    }

    /// As [`Frame::read`] for a variable that is not where it was the last time; nothing when it is not known here.
    #[cold]
    pub(crate) fn look_for(&self, local: &Local) -> Option<Rv> {
        let (depth, at) = self.find(local.name)?;
        local.remember(depth, at);
        self.at(depth)?.vars.borrow().get(at).map(|(_, value)| value.clone())
    }

    /// Sets a variable where it is known, else here.
    #[inline]
    pub(crate) fn write(&self, local: &Local, value: Rv) {
        let (depth, at) = local.found();
        if let Some(frame) = self.at(depth)
            && let Some((name, known)) = frame.vars.borrow_mut().get_mut(at)
            && *name == local.name
        {
            std::mem::replace(known, value).discard();
            return;
        }
        self.write_elsewhere(local, value);
    }

    #[cold]
    fn write_elsewhere(&self, local: &Local, value: Rv) {
        let (depth, at) = self.find(local.name).unwrap_or_else(|| (0, self.vars.borrow().len()));
        local.remember(depth, at);
        self.put(depth, at, local.name, value);
    }

    /// The value of a variable that is a machine integer and was found before.
    #[inline(always)]
    pub(crate) fn read_int(&self, local: &Local) -> Option<i64> {
        let (depth, at) = local.found();
        match self.at(depth)?.vars.borrow().get(at) {
            Some((name, Rv::Int(n))) if *name == local.name => Some(*n),
            _ => None,
        }
    }

    /// As [`Frame::read`] for a name that no place of the tree remembers.
    pub(crate) fn get(&self, name: Name) -> Option<Rv> {
        let (depth, at) = self.find(name)?;
        self.at(depth)?.vars.borrow().get(at).map(|(_, value)| value.clone())
    }

    /// As [`Frame::write`] for a name that no place of the tree remembers.
    pub(crate) fn set(&self, name: Name, value: Rv) {
        let (depth, at) = self.find(name).unwrap_or_else(|| (0, self.vars.borrow().len()));
        self.put(depth, at, name, value);
    }

    /// Sets a variable of this body, hiding one around it.
    pub(crate) fn declare(&self, name: Name, value: Rv) {
        let at = self.position(name).unwrap_or_else(|| self.vars.borrow().len());
        self.put(0, at, name, value);
    }

    /// The names of all variables that code here sees.
    pub(crate) fn names(&self) -> Vec<Name> {
        let mut names: Vec<Name> = self.vars.borrow().iter().map(|(name, _)| *name).collect();
        let mut around = self.outer.as_deref();
        while let Some(frame) = around {
            names.extend(frame.vars.borrow().iter().map(|(name, _)| *name));
            around = frame.outer.as_deref();
        }
        names
    }

    /// Gives a body without variables its own: the first get these values, the others are `nil`.
    #[inline]
    pub(crate) fn fill(&self, names: &[Name], values: &[Rv]) {
        let mut vars = self.vars.borrow_mut();
        for (at, name) in names.iter().enumerate() {
            vars.push((*name, values.get(at).map_or(Rv::Nil, Rv::clone)));
        }
    }

    /// As [`Frame::fill`]; the variables that an earlier run of the same body left are overwritten.
    #[inline]
    pub(crate) fn refill(&self, names: &[Name], values: &[Rv]) {
        let mut vars = self.vars.borrow_mut();
        if vars.is_empty() {
            drop(vars);
            return self.fill(names, values);
        }
        if vars.len() > names.len() {
            vars.truncate(names.len());
            self.index.borrow_mut().clear();
        }
        for (at, (_, value)) in vars.iter_mut().enumerate() {
            let new = values.get(at).map_or(Rv::Nil, Rv::clone);
            std::mem::replace(value, new).discard();
        }
    }

    /// The variables of a body that has none yet, to be given to it in their order.
    #[inline(always)]
    pub(crate) fn variables(&self) -> RefMut<'_, Vec<(Name, Rv)>> {
        self.vars.borrow_mut()
    }

    #[inline(always)]
    fn at(&self, depth: usize) -> Option<&Frame> {
        let mut frame = self;
        for _ in 0..depth {
            frame = frame.outer.as_deref()?;
        }
        Some(frame)
    }

    fn put(&self, depth: usize, at: usize, name: Name, value: Rv) {
        let Some(frame) = self.at(depth) else { return };
        let mut vars = frame.vars.borrow_mut();
        match vars.get_mut(at) {
            Some((_, known)) => *known = value,
            None => vars.push((name, value)),
        }
    }

    fn position(&self, name: Name) -> Option<usize> {
        let vars = self.vars.borrow();
        if vars.len() < INDEXED {
            return vars.iter().position(|(known, _)| *known == name);
        }
        let mut index = self.index.borrow_mut();
        for (at, (known, _)) in vars.iter().enumerate().skip(index.len()) {
            index.insert(*known, at);
        }
        index.get(&name).copied()
    }

    /// Whether a frame is the one right around this.
    fn is_inside(&self, frame: &Rc<Frame>) -> bool {
        self.outer.as_ref().is_some_and(|outer| Rc::ptr_eq(outer, frame))
    }

    /// How many bodies further out a variable is, and as which one of that body.
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

/// Whether two values are the same object or the same constant, as far as that is known without a look into them.
#[inline]
fn is_same(a: &Rv, b: &Rv) -> bool {
    match (a, b) {
        (Rv::Object(a), Rv::Object(b)) => Rc::ptr_eq(a, b),
        (Rv::Class(a), Rv::Class(b)) => a == b,
        (Rv::Scope, Rv::Scope) => true,
        _ => false,
    }
}

/// A new frame for a call of a method.
#[inline(never)]
fn method_frame(method: MethodContext, this: &Rv) -> Rc<Frame> {
    let class = method.found.as_ref().map(|found| found.home);
    Frame::new(Place { outer: None, this: this.clone(), method: Some(method), tag: 0, class })
}

/// The frame of a call that has ended, for a call of another method or of another receiver.
#[inline(never)]
fn refitted(mut frame: Rc<Frame>, method: MethodContext, this: &Rv) -> Rc<Frame> {
    match Rc::get_mut(&mut frame) {
        None => method_frame(method, this),
        Some(free) => {
            free.class = method.found.as_ref().map(|found| found.home);
            free.method = Some(method);
            if !is_same(&free.this, this) {
                free.this = this.clone();
            }
            frame
        }
    }
}

impl Interp<'_, '_> {
    /// A frame for code that is no method.
    pub(crate) fn enter(&mut self, place: Place) -> Rc<Frame> {
        let Some(mut spare) = self.spare.pop() else { return Frame::new(place) };
        let Some(frame) = Rc::get_mut(&mut spare) else { return Frame::new(place) };
        let Place { outer, this, method, tag, class } = place;
        frame.outer = outer;
        std::mem::replace(&mut frame.this, this).discard();
        if method.is_some() {
            frame.method = method;
        }
        frame.tag = tag;
        frame.class = class;
        frame.visibility = Cell::default();
        spare
    }

    /// A frame for a run of a block that is no lambda: that of its last run, unless other code ran in between.
    #[inline]
    pub(crate) fn enter_block(&mut self, outer: &Rc<Frame>, tag: u64) -> Rc<Frame> {
        if let Some(warm) = self.warm.take() {
            if warm.tag == tag && warm.outer.as_ref().is_some_and(|known| Rc::ptr_eq(known, outer)) {
                return warm;
            }
            self.leave(warm);
        }
        self.enter(Place { outer: Some(outer.clone()), this: outer.this.clone(), method: None, tag, class: outer.class })
    }

    /// The run of a block has ended: the next one has its frame, unless something holds that.
    #[inline]
    pub(crate) fn leave_block(&mut self, mut frame: Rc<Frame>) {
        if Rc::strong_count(&frame) > 1 {
            self.cool(&frame);
        }
        if Rc::get_mut(&mut frame).is_some()
            && let Some(last) = self.warm.replace(frame)
        {
            self.leave(last);
        }
    }

    /// Lets go of the frame of a block that ran in this one and waits for its next run.
    fn cool(&mut self, frame: &Rc<Frame>) {
        if let Some(warm) = self.warm.take_if(|warm| warm.is_inside(frame)) {
            self.leave(warm);
        }
    }

    /// A frame for a call of a method.
    #[inline(always)]
    pub(crate) fn enter_method(&mut self, found: &Rc<Found>, this: &Rv, block: Option<Rc<Callable>>) -> Rc<Frame> {
        let id = self.fresh_id();
        if let Some(mut spare) = self.spare_methods.pop() {
            if let Some(frame) = Rc::get_mut(&mut spare)
                && let Some(method) = &mut frame.method
                && let Some(known) = &method.found
                && Rc::ptr_eq(known, found)
                && is_same(&frame.this, this)
            {
                method.id = id;
                if block.is_some() {
                    method.block = block;
                }
                return spare;
            }
            return refitted(spare, MethodContext::of(found, id, block), this);
        }
        method_frame(MethodContext::of(found, id, block), this)
    }

    /// The call of a method has ended: unless something holds its frame, another call may have it. Method and receiver stay until
    /// then: most calls are of the same.
    #[inline(always)]
    pub(crate) fn leave_method(&mut self, mut frame: Rc<Frame>) {
        let Some(free) = Rc::get_mut(&mut frame) else { return self.leave(frame) };
        let vars = free.vars.get_mut();
        if vars.len() >= INDEXED {
            free.index.get_mut().clear();
        }
        while let Some((_, value)) = vars.pop() {
            value.discard();
        }
        if let Some(method) = &mut free.method
            && method.block.is_some()
        {
            method.block = None;
        }
        free.visibility = Cell::default();
        if self.spare_methods.len() < SPARE {
            self.spare_methods.push(frame);
        }
    }

    /// The code has ended: unless something holds its frame, other code may have it.
    pub(crate) fn leave(&mut self, mut frame: Rc<Frame>) {
        self.cool(&frame);
        let Some(free) = Rc::get_mut(&mut frame) else { return };
        // A lambda belongs to the call around it, too.
        if free.outer.is_none() && free.method.as_ref().is_some_and(|method| method.found.is_some()) {
            return self.leave_method(frame);
        }
        let vars = free.vars.get_mut();
        if vars.len() >= INDEXED {
            free.index.get_mut().clear();
        }
        vars.clear();
        free.this = Rv::Nil;
        free.outer = None;
        free.method = None;
        if self.spare.len() < SPARE {
            self.spare.push(frame);
        }
    }
}

//! Where code runs: one frame for each call of a method or block, with the variables of its body.
//!
//! In: names and values. Out: values, found by where they were the last time the same code ran. Frames that nothing holds any
//! more are used again. Must not: run anything.

use std::cell::Cell;
use std::cell::RefCell;
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

    /// The definition of the method whose call it is.
    #[inline]
    pub(crate) fn def(&self) -> Option<&Arc<Def>> {
        self.method.as_ref()?.def()
    }

    /// The file of the method whose call it is, where that is not the file of the program.
    #[inline]
    pub(crate) fn method_file(&self) -> Option<&Rc<str>> {
        self.method.as_ref()?.found.as_ref()?.file.as_ref()
    }

    /// The block that the method was given.
    pub(crate) fn block(&self) -> Option<&Rc<Callable>> {
        self.method()?.block.as_ref()
    }

    /// The name of the method.
    pub(crate) fn method_name(&self) -> Option<Name> {
        self.method()?.name
    }

    /// The value of a variable; nothing when it is not known here.
    #[inline(always)]
    pub(crate) fn read(&self, local: &Local) -> Option<Rv> {
        let (depth, at) = local.found();
        if let Some(frame) = self.at(depth)
            && let Some((name, value)) = frame.vars.borrow().get(at)
            && *name == local.name
        {
            return Some(value.clone());
        }
        self.look_for(local)
    }

    /// As [`Frame::read`] for a variable that is not where it was the last time.
    #[cold]
    fn look_for(&self, local: &Local) -> Option<Rv> {
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
        vars.extend(names.iter().zip(values).map(|(name, value)| (*name, value.clone())));
        if let Some(rest) = names.get(values.len()..) {
            vars.extend(rest.iter().map(|name| (*name, Rv::Nil)));
        }
    }

    /// Adds a variable to a body that does not have it.
    #[inline(always)]
    pub(crate) fn push(&self, name: Name, value: Rv) {
        self.vars.borrow_mut().push((name, value));
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

impl Interp<'_, '_> {
    /// A frame for code that is no method.
    #[inline]
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

    /// A frame for a call of a method.
    #[inline]
    pub(crate) fn enter_method(&mut self, found: Rc<Found>, this: Rv, block: Option<Rc<Callable>>) -> Rc<Frame> {
        let id = self.fresh_id();
        let (class, owner) = (Some(found.home), Some(found.owner));
        let name = found.def().map(|def| def.name);
        if let Some(mut spare) = self.spare_methods.pop()
            && let Some(frame) = Rc::get_mut(&mut spare)
            && let Some(method) = &mut frame.method
        {
            method.id = id;
            method.block = block;
            method.name = name;
            method.owner = owner;
            method.found = Some(found);
            std::mem::replace(&mut frame.this, this).discard();
            frame.class = class;
            frame.visibility = Cell::default();
            return spare;
        }
        let method = Some(MethodContext { id, block, name, owner, found: Some(found) });
        Frame::new(Place { outer: None, this, method, tag: 0, class })
    }

    /// The call has ended: unless something holds its frame, another call may have it.
    #[inline]
    pub(crate) fn leave(&mut self, mut frame: Rc<Frame>) {
        let Some(free) = Rc::get_mut(&mut frame) else { return };
        let vars = free.vars.get_mut();
        if vars.len() >= INDEXED {
            free.index.get_mut().clear();
        }
        while let Some((_, value)) = vars.pop() {
            value.discard();
        }
        std::mem::replace(&mut free.this, Rv::Nil).discard();
        free.outer = None;
        let spare = match &mut free.method {
            Some(method) if method.found.is_some() => {
                method.block = None;
                method.found = None;
                free.tag = 0;
                &mut self.spare_methods
            }
            method => {
                *method = None;
                &mut self.spare
            }
        };
        if spare.len() < SPARE {
            spare.push(frame);
        }
    }
}

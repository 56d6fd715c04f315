//! Properties of individual objects: whether an object is frozen, and its singleton class (`def text.shout`, `class << list`).
//!
//! In: built-in values and instances of the program's classes. Out: their properties, which last for the whole compile:
//! constants of one program are objects of the next. Must not: keep an object alive, or know which methods change an object.

use std::cell::RefCell;
use std::rc::Rc;
use std::rc::Weak;

use rustc_hash::FxHashMap;

use crate::Interp;
use crate::Raise;
use crate::value::Callable;
use crate::value::Exception;
use crate::value::HashObject;
use crate::value::Instance;
use crate::value::Map;
use crate::value::Rv;
use crate::value::Shared;
use crate::value::string_object::StringObject;
use catwalk_base::names::Name;

/// Below this number of objects, dropped ones are not removed.
const MIN_SWEPT: usize = 256;

/// The properties of the objects of a compile, by their addresses.
#[derive(Clone, Default)]
pub(crate) struct ObjectFlags {
    by_address: FxHashMap<usize, Flags>,
    /// Whether any object ever had singleton methods.
    pub has_singletons: bool,
    /// The number of objects after the last removal of dropped ones.
    count_after_sweep: usize,
}

#[derive(Clone)]
struct Flags {
    object: WeakObject,
    frozen: bool,
    /// The singleton class.
    singleton: Option<Name>,
}

/// A weak reference to an object, which keeps its address from being reused.
#[derive(Clone)]
enum WeakObject {
    Str(Weak<StringObject>),
    Bytes(Weak<RefCell<Vec<u8>>>),
    Array(Weak<Shared<Vec<Rv>>>),
    Hash(Weak<HashObject>),
    Set(Weak<Shared<Map>>),
    Object(Weak<Instance>),
    Proc(Weak<Callable>),
    Exception(Weak<Exception>),
}

impl WeakObject {
    fn from_value(value: &Rv) -> Option<(usize, WeakObject)> {
        Some(match value {
            Rv::Str(it) => (Rc::as_ptr(it).addr(), WeakObject::Str(Rc::downgrade(it))),
            Rv::Bytes(it) => (Rc::as_ptr(it).addr(), WeakObject::Bytes(Rc::downgrade(it))),
            Rv::Array(it) => (Rc::as_ptr(it).addr(), WeakObject::Array(Rc::downgrade(it))),
            Rv::Hash(it) => (Rc::as_ptr(it).addr(), WeakObject::Hash(Rc::downgrade(it))),
            Rv::Set(it) => (Rc::as_ptr(it).addr(), WeakObject::Set(Rc::downgrade(it))),
            Rv::Object(it) => (Rc::as_ptr(it).addr(), WeakObject::Object(Rc::downgrade(it))),
            Rv::Proc(it) => (Rc::as_ptr(it).addr(), WeakObject::Proc(Rc::downgrade(it))),
            Rv::Exception(it) => (Rc::as_ptr(it).addr(), WeakObject::Exception(Rc::downgrade(it))),
            _ => return None,
        })
    }

    fn is_dropped(&self) -> bool {
        0 == match self {
            WeakObject::Str(it) => it.strong_count(),
            WeakObject::Bytes(it) => it.strong_count(),
            WeakObject::Array(it) => it.strong_count(),
            WeakObject::Hash(it) => it.strong_count(),
            WeakObject::Set(it) => it.strong_count(),
            WeakObject::Object(it) => it.strong_count(),
            WeakObject::Proc(it) => it.strong_count(),
            WeakObject::Exception(it) => it.strong_count(),
        }
    }
}

fn address(value: &Rv) -> Option<usize> {
    Some(match value {
        Rv::Str(it) => Rc::as_ptr(it).addr(),
        Rv::Bytes(it) => Rc::as_ptr(it).addr(),
        Rv::Array(it) => Rc::as_ptr(it).addr(),
        Rv::Hash(it) => Rc::as_ptr(it).addr(),
        Rv::Set(it) => Rc::as_ptr(it).addr(),
        Rv::Object(it) => Rc::as_ptr(it).addr(),
        Rv::Proc(it) => Rc::as_ptr(it).addr(),
        Rv::Exception(it) => Rc::as_ptr(it).addr(),
        _ => return None,
    })
}

impl ObjectFlags {
    /// Whether no object has properties.
    pub(crate) fn is_empty(&self) -> bool {
        self.by_address.is_empty()
    }

    fn get(&self, value: &Rv) -> Option<&Flags> {
        if self.by_address.is_empty() { None } else { self.by_address.get(&address(value)?) }
    }

    fn entry(&mut self, value: &Rv) -> Option<&mut Flags> {
        let (address, object) = WeakObject::from_value(value)?;
        if self.by_address.len() > MIN_SWEPT.max(self.count_after_sweep.saturating_mul(2)) {
            self.by_address.retain(|_, mark| !mark.object.is_dropped());
            self.count_after_sweep = self.by_address.len();
        }
        Some(self.by_address.entry(address).or_insert(Flags { object, frozen: false, singleton: None }))
    }

    /// `value.frozen?`
    pub(crate) fn is_frozen(&self, value: &Rv) -> bool {
        match value {
            Rv::Nil
            | Rv::True
            | Rv::False
            | Rv::Int(_)
            | Rv::Big(_)
            | Rv::Float(_)
            | Rv::Sym(_)
            | Rv::Range(_)
            | Rv::Regexp(_) => true,
            other => self.get(other).is_some_and(|mark| mark.frozen),
        }
    }

    /// `value.freeze`, also for the value inside an object of a class that inherits from one of Ruby's own.
    pub(crate) fn freeze(&mut self, value: &Rv) {
        if let Some(mark) = self.entry(value) {
            mark.frozen = true;
        }
        if let Rv::Object(object) = value
            && let Some(native) = &*object.native.borrow()
        {
            self.freeze(native);
        }
    }

    /// Freezes an object and everything in it, as Puppet does with facts and trusted data (`Scope#deep_freeze`).
    pub(crate) fn freeze_all(&mut self, value: &Rv) {
        match value {
            Rv::Array(items) => items.borrow().iter().for_each(|item| self.freeze_all(item)),
            Rv::Hash(hash) => {
                for (key, value) in hash.map.borrow().iter() {
                    self.freeze_all(&key.0);
                    self.freeze_all(value);
                }
            }
            _ => {}
        }
        self.freeze(value);
    }

    /// The singleton class of an object.
    pub(crate) fn singleton(&self, value: &Rv) -> Option<Name> {
        self.get(value)?.singleton
    }

    /// Sets the singleton class of an object; returns false if the object cannot have one.
    pub(crate) fn set_singleton(&mut self, value: &Rv, class: Name) -> bool {
        match self.entry(value) {
            Some(mark) => {
                mark.singleton = Some(class);
                self.has_singletons = true;
                crate::object::definitions::invalidate();
                true
            }
            None => false,
        }
    }
}

impl Interp<'_> {
    /// Whether an object was frozen.
    pub fn is_frozen(&self, value: &Rv) -> bool {
        let state = self.state_ref();
        !state.flags.is_empty() && state.flags.is_frozen(value)
    }

    /// Freezes an object and everything in it, unless it is frozen already.
    pub fn freeze_all(&mut self, value: &Rv) {
        let mut state = self.state();
        if !state.flags.is_frozen(value) {
            state.flags.freeze_all(value);
        }
    }

    /// `FrozenError`
    pub(crate) fn frozen_error<T>(&mut self, value: &Rv) -> Raise<T> {
        // A set wraps a hash, which is the object that changes.
        let changed = match value {
            Rv::Set(set) => Rv::hash(set.borrow().clone()),
            other => other.clone(),
        };
        let class = self.class_name(&changed);
        let message = format!("can't modify frozen {class}: {}", self.inspect(&changed)?);
        let exception = self.exception(Name::new("FrozenError"), Rv::str(message));
        exception.ivars.borrow_mut().insert(Name::new(crate::object::exception::RECEIVER), value.clone());
        Err(self.throw(crate::Flow::Raise(exception)))
    }

    /// The singleton class of an object, created if it is missing; `None` if the object cannot have one.
    pub fn ensure_singleton_class(&mut self, this: &Rv) -> Option<Name> {
        match this {
            Rv::Class(class) => return Some(crate::object::definitions::singleton_name(*class)),
            Rv::Scope => return Some(self.host.scope_class()),
            // These are the only objects of their classes.
            Rv::Nil | Rv::True | Rv::False => return Some(Name::new(this.class())),
            _ => {}
        }
        if let Some(singleton) = self.state().flags.singleton(this) {
            return Some(singleton);
        }
        let id = self.fresh_id();
        let singleton = Name::new(&format!("#<Class:#<{}:{id}>>", self.class_name(this)));
        if !self.state().flags.set_singleton(this, singleton) {
            return None;
        }
        if !matches!(this, Rv::Object(_) | Rv::Exception(_)) {
            // From now on, method lookup checks the singleton class before Ruby's own methods.
            self.tables_mut().reopens_builtins = true;
        }
        Some(singleton)
    }

    /// `dup`, `clone`: a clone keeps the properties of the object.
    pub(crate) fn copy_object(&mut self, this: &Rv, name: &str, args: &[Rv]) -> Rv {
        let copy = this.dup();
        if name == "clone" {
            let mut state = self.state();
            if let Some(singleton) = state.flags.singleton(this) {
                state.flags.set_singleton(&copy, singleton);
            }
            let freeze = match args.first() {
                Some(Rv::Hash(options)) => options.get(&Rv::sym("freeze")),
                _ => None,
            };
            if freeze.map_or(state.flags.is_frozen(this), |freeze| freeze.truthy()) && address(&copy).is_some() {
                state.flags.freeze(&copy);
            }
        }
        copy
    }
}

//! Copying and dropping values without a call for numbers, the most common values.

use std::rc::Rc;

use super::Rv;

impl Clone for Rv {
    /// Numbers, the most common values, are copied without a call.
    #[inline]
    fn clone(&self) -> Rv {
        match self {
            Rv::Nil => Rv::Nil,
            Rv::True => Rv::True,
            Rv::False => Rv::False,
            Rv::Int(n) => Rv::Int(*n),
            Rv::Float(f) => Rv::Float(*f),
            other => other.share(),
        }
    }
}

impl Rv {
    /// `dup`
    pub(crate) fn dup(&self) -> Rv {
        match self {
            Rv::Str(string) => Rv::str(string.borrow().clone()),
            Rv::Bytes(bytes) => Rv::bytes(bytes.borrow().clone()),
            Rv::Array(items) => Rv::array(items.borrow().clone()),
            Rv::Hash(hash) => {
                let copy = super::HashObject::new(hash.map.borrow().clone());
                *copy.default.borrow_mut() = hash.default.borrow().clone();
                *copy.default_proc.borrow_mut() = hash.default_proc.borrow().clone();
                Rv::Hash(copy)
            }
            Rv::Set(set) => Rv::Set(super::share(set.borrow().clone())),
            Rv::Object(object) => {
                let instance = super::Instance::with(object.class, object.ivars.borrow().clone());
                *instance.native.borrow_mut() = object.native.borrow().as_ref().map(Rv::dup);
                Rv::Object(Rc::new(instance))
            }
            other => other.clone(),
        }
    }

    /// A copy of a value that is not an object; `None` for an object.
    #[inline(always)]
    pub fn plain(&self) -> Option<Rv> {
        match self {
            Rv::Nil => Some(Rv::Nil),
            Rv::True => Some(Rv::True),
            Rv::False => Some(Rv::False),
            Rv::Int(n) => Some(Rv::Int(*n)),
            Rv::Float(f) => Some(Rv::Float(*f)),
            _ => None,
        }
    }

    /// A copy; of an object, a reference to it.
    #[inline(never)]
    fn share(&self) -> Rv {
        match self {
            Rv::Nil => Rv::Nil,
            Rv::True => Rv::True,
            Rv::False => Rv::False,
            Rv::Int(n) => Rv::Int(*n),
            Rv::Float(f) => Rv::Float(*f),
            Rv::Class(name) => Rv::Class(*name),
            Rv::Scope => Rv::Scope,
            Rv::Big(n) => Rv::Big(n.clone()),
            Rv::Str(text) => Rv::Str(text.clone()),
            Rv::Bytes(bytes) => Rv::Bytes(bytes.clone()),
            Rv::Sym(text) => Rv::Sym(text.clone()),
            Rv::Array(items) => Rv::Array(items.clone()),
            Rv::Hash(hash) => Rv::Hash(hash.clone()),
            Rv::Set(set) => Rv::Set(set.clone()),
            Rv::Range(range) => Rv::Range(range.clone()),
            Rv::Regexp(regexp) => Rv::Regexp(regexp.clone()),
            Rv::Match(found) => Rv::Match(found.clone()),
            Rv::Proc(callable) => Rv::Proc(callable.clone()),
            Rv::Time(time) => Rv::Time(time.clone()),
            Rv::Ip(ip) => Rv::Ip(ip.clone()),
            Rv::Version(text) => Rv::Version(text.clone()),
            Rv::Exception(exception) => Rv::Exception(exception.clone()),
            Rv::Enumerator(enumerator) => Rv::Enumerator(enumerator.clone()),
            Rv::Object(object) => Rv::Object(object.clone()),
            Rv::Puppet(value) => Rv::Puppet(value.clone()),
        }
    }

    /// Takes a value out and leaves `nil`.
    #[inline]
    pub fn take(&mut self) -> Rv {
        std::mem::replace(self, Rv::Nil)
    }

    /// Drops a value: a number without a call.
    #[inline]
    pub(crate) fn discard(self) {
        if matches!(self, Rv::Nil | Rv::True | Rv::False | Rv::Int(_) | Rv::Float(_)) {
            std::mem::forget(self);
        }
    }
}

//! Arrays and hashes that Puppet and Ruby code share.
//!
//! In the reference both languages hold the same objects: a template that appends to `@list` changes the variable, and the
//! parameter of the resource it came from. Values of ours cannot change; so after a program ran, what it changed is put in
//! place of the old value wherever a variable or parameter holds that.

use rustc_hash::FxHashMap;
use std::rc::Rc;
use std::sync::Arc;

use super::Interp;
use super::value::Rv;
use crate::value::Value;

/// Converted collections by the address of the value; it is kept so that the address stays taken.
#[derive(Clone, Default)]
pub(crate) struct Shared {
    by_value: FxHashMap<usize, (Value, Rv)>,
    /// Addresses of values by those of the Ruby objects.
    by_object: FxHashMap<usize, usize>,
    /// Whether anything was ever changed: then values may be out of date inside.
    changed: bool,
}

impl Shared {
    /// The Ruby object of a value.
    pub(crate) fn get(&self, value: &Value) -> Option<&Rv> {
        self.by_value.get(&value_place(value)?).map(|(_, object)| object)
    }

    /// Remembers the object of a value.
    pub(crate) fn insert(&mut self, value: &Value, object: &Rv) {
        if let (Some(place), Some(other)) = (value_place(value), object_place(object)) {
            self.by_value.insert(place, (value.clone(), object.clone()));
            self.by_object.insert(other, place);
        }
    }

    /// The value an object was made of.
    pub(crate) fn origin(&self, object: &Rv) -> Option<&Value> {
        let place = self.by_object.get(&object_place(object)?)?;
        self.by_value.get(place).map(|(value, _)| value)
    }

    /// The value an object still is.
    pub(crate) fn unchanged(&self, object: &Rv) -> Option<&Value> {
        if self.changed { None } else { self.origin(object) }
    }

    fn replace(&mut self, old: &Value, new: &Value, object: &Rv) {
        // The old value stays known: what still holds it means the same object.
        if let Some(place) = value_place(old) {
            self.by_value.insert(place, (old.clone(), object.clone()));
        }
        self.insert(new, object);
    }
}

fn value_place(value: &Value) -> Option<usize> {
    match value {
        Value::Array(items) => Some(Arc::as_ptr(items).addr()),
        Value::Hash(entries) => Some(Arc::as_ptr(entries).addr()),
        _ => None,
    }
}

/// How many hold a value.
fn holders(value: &Value) -> usize {
    match value {
        Value::Array(items) => Arc::strong_count(items),
        Value::Hash(entries) => Arc::strong_count(entries),
        _ => usize::MAX,
    }
}

/// Address of a shared object.
pub(crate) fn object_place(object: &Rv) -> Option<usize> {
    match object {
        Rv::Array(items) => Some(Rc::as_ptr(items).addr()),
        Rv::Hash(hash) => Some(Rc::as_ptr(hash).addr()),
        _ => None,
    }
}

impl Interp<'_, '_> {
    /// Notes that a collection was changed.
    pub(crate) fn changed(&mut self, object: Rv) {
        if self.ev.ruby.shared.origin(&object).is_some() {
            self.ev.ruby.shared.changed = true;
            self.dirty.push(object);
        }
    }

    /// Puts what was changed in place of the values it came from.
    pub(crate) fn write_back(&mut self) {
        for object in std::mem::take(&mut self.dirty) {
            let Some(old) = self.ev.ruby.shared.origin(&object).cloned() else { continue };
            // What cannot be a value of the language stays on Ruby's side.
            let Ok(new) = self.changed_value(&object) else { continue };
            if new == old {
                continue;
            }
            let Some(place) = value_place(&old) else { continue };
            // The table of shared values and this function hold it: when nobody else does, nothing is to be put in its place.
            let mut left = holders(&old).saturating_sub(2);
            self.ev.ruby.shared.replace(&old, &new, &object);
            let held = |value: &Value| value_place(value) == Some(place);
            // Most are variables of a scope just made, and parameters of what is being evaluated.
            for scope in self.ev.scopes.iter_mut().rev() {
                if left == 0 {
                    break;
                }
                left = left.saturating_sub(scope.vars.replace(&held, &new));
            }
            for entry in self.ev.state.entries.iter_mut().rev() {
                if left == 0 {
                    break;
                }
                for param in entry.params.values_mut().filter(|param| held(&param.value)) {
                    param.value = new.clone();
                    left = left.saturating_sub(1);
                }
            }
        }
    }
}

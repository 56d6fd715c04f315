//! Arrays and hashes that Puppet and Ruby code share.
//!
//! In Puppet both languages hold the same objects: a template that appends to `@list` changes the variable, and the parameter
//! of the resource that the value came from. Catwalk's values are immutable, so after a program has run, each variable and each
//! parameter of a class or define that holds a changed collection is set to the new value. A resource gets a copy
//! ([`catwalk_value::value::Value::deep_copy`]), which only its own body shares.

use rustc_hash::FxHashMap;
use rustc_hash::FxHashSet;
use std::rc::Rc;
use std::sync::Arc;

use crate::Interp;
use crate::value::Key;
use crate::value::Rv;
use catwalk_eval::state::Entry;
use catwalk_value::value::Value;

/// Converted collections by the address of the value, which is kept alive so that the address stays unique.
#[derive(Clone, Default)]
pub(crate) struct SharedCollections {
    by_value: FxHashMap<usize, (Value, Rv)>,
    /// For the address of a Ruby object, the addresses of its values: earlier ones, and the current one last.
    by_object: FxHashMap<usize, Vec<usize>>,
    /// For the address of a Ruby object, the addresses of the objects that contain it.
    around: FxHashMap<usize, Vec<usize>>,
    /// Whether any collection was changed. Values may then contain outdated values.
    changed: bool,
}

impl SharedCollections {
    /// The Ruby object for a value.
    pub(crate) fn get(&self, value: &Value) -> Option<&Rv> {
        self.by_value.get(&value_address(value)?).map(|(_, object)| object)
    }

    /// Stores the object for a value.
    pub(crate) fn insert(&mut self, value: &Value, object: &Rv) {
        if let (Some(place), Some(other)) = (value_address(value), object_address(object)) {
            if self.by_value.insert(place, (value.clone(), object.clone())).is_none() {
                self.by_object.entry(other).or_default().push(place);
            }
            each_part(object, &mut |part| {
                let around = self.around.entry(part).or_default();
                if !around.contains(&other) {
                    around.push(other);
                }
            });
        }
    }

    /// The objects that contain `object`.
    fn around(&self, object: &Rv) -> Vec<Rv> {
        let around = object_address(object).and_then(|place| self.around.get(&place)).into_iter().flatten();
        around.filter_map(|place| self.latest(*place)).map(|(_, object)| object.clone()).collect()
    }

    /// Sets the new value of an object that a changed object contains.
    pub(crate) fn renew(&mut self, place: usize, value: &Value) {
        if let Some(object) = self.latest(place).map(|(_, object)| object.clone()) {
            self.insert(value, &object);
        }
    }

    fn latest(&self, place: usize) -> Option<&(Value, Rv)> {
        self.by_value.get(self.by_object.get(&place)?.last()?)
    }

    /// The value from which an object was converted.
    pub(crate) fn origin(&self, object: &Rv) -> Option<&Value> {
        self.latest(object_address(object)?).map(|(value, _)| value)
    }

    /// All values of an object, earlier ones and the current one.
    fn origins(&self, object: &Rv) -> impl Iterator<Item = &Value> {
        let places = object_address(object).and_then(|place| self.by_object.get(&place)).into_iter().flatten();
        places.filter_map(|place| self.by_value.get(place)).map(|(value, _)| value)
    }

    /// Removes the values of an object that only this table holds: no variable needs to be updated.
    fn forget_unheld(&mut self, object: &Rv) {
        let Some(places) = object_address(object).and_then(|place| self.by_object.get_mut(&place)) else { return };
        let by_value = &mut self.by_value;
        places.retain(|place| {
            let held = by_value.get(place).is_some_and(|(value, _)| holders(value) > 1);
            if !held {
                by_value.remove(place);
            }
            held
        });
    }

    /// The value of an object that was not changed.
    pub(crate) fn unchanged(&self, object: &Rv) -> Option<&Value> {
        if self.changed { None } else { self.origin(object) }
    }
}

fn value_address(value: &Value) -> Option<usize> {
    match value {
        Value::Array(items) => Some(Arc::as_ptr(items).addr()),
        Value::Hash(entries) => Some(Arc::as_ptr(entries).addr()),
        _ => None,
    }
}

/// Calls `part` with the addresses of the collections in an object.
fn each_part(object: &Rv, part: &mut dyn FnMut(usize)) {
    match object {
        Rv::Array(items) => items.borrow().iter().filter_map(object_address).for_each(part),
        Rv::Hash(hash) => {
            for (Key(key), value) in hash.map.borrow().iter() {
                [key, value].into_iter().filter_map(object_address).for_each(&mut *part);
            }
        }
        _ => {}
    }
}

/// The number of references to a value.
fn holders(value: &Value) -> usize {
    match value {
        Value::Array(items) => Arc::strong_count(items),
        Value::Hash(entries) => Arc::strong_count(entries),
        _ => usize::MAX,
    }
}

/// Address of a shared object.
pub(crate) fn object_address(object: &Rv) -> Option<usize> {
    match object {
        Rv::Array(items) => Some(Rc::as_ptr(items).addr()),
        Rv::Hash(hash) => Some(Rc::as_ptr(hash).addr()),
        _ => None,
    }
}

impl Interp<'_, '_> {
    /// Records that a collection was changed.
    pub(crate) fn mark_changed(&mut self, object: &Rv) {
        if self.state_ref().shared_collections.origin(object).is_some() {
            self.state().shared_collections.changed = true;
            self.changed_collections.push(object.clone());
        }
    }

    /// Replaces the old values of changed collections.
    pub(crate) fn write_back(&mut self) {
        self.preserve_thrown(Interp::put_back);
    }

    fn put_back(&mut self) {
        let mut changed = std::mem::take(&mut self.changed_collections);
        let mut seen: FxHashSet<usize> = changed.iter().filter_map(object_address).collect();
        // A collection that contains a changed one has changed, too.
        let mut at = 0;
        while let Some(object) = changed.get(at) {
            let around = self.state().shared_collections.around(object);
            changed.extend(
                around.into_iter().filter(|outer| object_address(outer).is_some_and(|place| seen.insert(place))),
            );
            at += 1;
        }
        let mut renewed: FxHashMap<usize, Value> = FxHashMap::default();
        let mut left = 0usize;
        // Old values are looked up before any is converted, since one may be part of another.
        let origin = |object: Rv| self.state().shared_collections.origin(&object).cloned().map(|old| (object, old));
        let changed: Vec<(Rv, Value)> = changed.into_iter().filter_map(origin).collect();
        for (object, old) in changed {
            // An object without a Puppet representation stays in Ruby.
            let Ok(new) = self.changed_value(&object) else { continue };
            if new == old {
                continue;
            }
            drop(old);
            self.state().shared_collections.forget_unheld(&object);
            for old in self.state().shared_collections.origins(&object) {
                left = left.saturating_add(holders(old).saturating_sub(1));
                renewed.extend(value_address(old).map(|place| (place, new.clone())));
            }
            self.state().shared_collections.insert(&new, &object);
        }
        if renewed.is_empty() {
            return;
        }
        let renewed = |value: &Value| value_address(value).and_then(|place| renewed.get(&place));
        let in_params = |entry: &mut Entry<'_>| {
            let mut replaced = 0;
            for param in entry.params.values_mut() {
                if let Some(new) = renewed(&param.value) {
                    param.value = new.clone();
                    replaced += 1;
                }
            }
            replaced
        };
        // Most holders are variables of a new scope, and parameters of what is being evaluated in it.
        let ev = &mut *self.ev;
        for scope in ev.scopes.iter_mut().rev() {
            if left == 0 {
                break;
            }
            left = left.saturating_sub(scope.vars.replace(&renewed));
            let own = scope.resource.and_then(|id| ev.state.entries.get_mut(id.0 as usize));
            left = left.saturating_sub(own.filter(|entry| !entry.is_builtin()).map_or(0, in_params));
        }
        for entry in ev.state.entries.iter_mut().rev() {
            if left == 0 {
                break;
            }
            if !entry.is_builtin() {
                left = left.saturating_sub(in_params(entry));
            }
        }
    }
}

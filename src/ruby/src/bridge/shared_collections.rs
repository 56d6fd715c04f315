//! Arrays and hashes that Puppet and Ruby code share.
//!
//! In Puppet both languages hold the same objects: a template that appends to `@list` changes the variable, and the parameter
//! of the resource that the value came from. Catwalk's values are immutable, so after a program has run, each variable and each
//! parameter of a class or define that holds a changed collection is set to the new value. A resource gets a copy
//! ([`catwalk_value::Value::deep_copy`]), which only its own body shares.

use rustc_hash::FxHashMap;
use rustc_hash::FxHashSet;
use std::rc::Rc;
use std::sync::Arc;

use crate::Interp;
use crate::value::Key;
use crate::value::Rv;
use catwalk_value::Value;

/// Converted collections by the address of the value, which is kept alive so that the address stays unique.
#[derive(Clone, Default)]
pub(crate) struct SharedCollections {
    by_value: FxHashMap<usize, (Value, Rv)>,
    /// For the address of a Ruby object, the addresses of its values: earlier ones, and the current one last.
    by_object: FxHashMap<usize, Vec<usize>>,
    /// For the address of a Ruby object, the addresses of the objects that contain it.
    containers: FxHashMap<usize, Vec<usize>>,
    /// Whether any collection was changed. Then the stored values may contain outdated ones.
    changed: bool,
}

impl SharedCollections {
    /// The Ruby object for a value.
    pub(crate) fn get(&self, value: &Value) -> Option<&Rv> {
        self.by_value.get(&value_address(value)?).map(|(_, object)| object)
    }

    /// Stores the object for a value.
    pub(crate) fn insert(&mut self, value: &Value, object: &Rv) {
        if let (Some(value_address), Some(object_address)) = (value_address(value), object_address(object)) {
            if self.by_value.insert(value_address, (value.clone(), object.clone())).is_none() {
                self.by_object.entry(object_address).or_default().push(value_address);
            }
            for_each_part(object, &mut |part| {
                let containers = self.containers.entry(part).or_default();
                if !containers.contains(&object_address) {
                    containers.push(object_address);
                }
            });
        }
    }

    /// The objects that contain `object`.
    fn containers(&self, object: &Rv) -> Vec<Rv> {
        let containers = object_address(object).and_then(|address| self.containers.get(&address)).into_iter().flatten();
        containers.filter_map(|address| self.latest(*address)).map(|(_, object)| object.clone()).collect()
    }

    /// Sets the new value of an object that a changed object contains.
    pub(crate) fn set_value(&mut self, address: usize, value: &Value) {
        if let Some(object) = self.latest(address).map(|(_, object)| object.clone()) {
            self.insert(value, &object);
        }
    }

    fn latest(&self, address: usize) -> Option<&(Value, Rv)> {
        self.by_value.get(self.by_object.get(&address)?.last()?)
    }

    /// The value from which an object was converted.
    pub(crate) fn origin(&self, object: &Rv) -> Option<&Value> {
        self.latest(object_address(object)?).map(|(value, _)| value)
    }

    /// All values of an object, earlier ones and the current one.
    fn origins(&self, object: &Rv) -> impl Iterator<Item = &Value> {
        let addresses = object_address(object).and_then(|address| self.by_object.get(&address)).into_iter().flatten();
        addresses.filter_map(|address| self.by_value.get(address)).map(|(value, _)| value)
    }

    /// Removes the values of an object that only this table references: no variable needs to be updated.
    fn drop_unreferenced_values(&mut self, object: &Rv) {
        let Some(addresses) = object_address(object).and_then(|address| self.by_object.get_mut(&address)) else {
            return;
        };
        let by_value = &mut self.by_value;
        addresses.retain(|address| {
            let is_referenced = by_value.get(address).is_some_and(|(value, _)| reference_count(value) > 1);
            if !is_referenced {
                by_value.remove(address);
            }
            is_referenced
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
fn for_each_part(object: &Rv, part: &mut dyn FnMut(usize)) {
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
fn reference_count(value: &Value) -> usize {
    match value {
        Value::Array(items) => Arc::strong_count(items),
        Value::Hash(entries) => Arc::strong_count(entries),
        _ => usize::MAX,
    }
}

/// The address of an array or hash.
pub(crate) fn object_address(object: &Rv) -> Option<usize> {
    match object {
        Rv::Array(items) => Some(Rc::as_ptr(items).addr()),
        Rv::Hash(hash) => Some(Rc::as_ptr(hash).addr()),
        _ => None,
    }
}

impl Interp<'_> {
    /// Records that a collection was changed.
    pub(crate) fn mark_changed(&mut self, object: &Rv) {
        if self.state_ref().shared_collections.origin(object).is_some() {
            self.state().shared_collections.changed = true;
            self.changed_collections.push(object.clone());
        }
    }

    /// Replaces the old values of changed collections.
    pub fn write_back(&mut self) {
        self.preserve_thrown(Interp::write_back_changes);
    }

    fn write_back_changes(&mut self) {
        let changed = self.take_changed_collections();
        let (new_values, references) = self.convert_changed_collections(changed);
        if !new_values.is_empty() {
            let new_value = |value: &Value| value_address(value).and_then(|address| new_values.get(&address));
            self.host.replace_values(&new_value, references);
        }
    }

    /// The collections that were changed since the last call, and all collections that contain them.
    fn take_changed_collections(&mut self) -> Vec<Rv> {
        let mut changed = std::mem::take(&mut self.changed_collections);
        let mut seen: FxHashSet<usize> = changed.iter().filter_map(object_address).collect();
        let mut at = 0;
        while let Some(object) = changed.get(at) {
            let containers = self.state().shared_collections.containers(object);
            let is_new = |outer: &Rv| object_address(outer).is_some_and(|address| seen.insert(address));
            changed.extend(containers.into_iter().filter(is_new));
            at += 1;
        }
        changed
    }

    /// The new values of changed collections by the addresses of their old values, and the number of references to old values.
    fn convert_changed_collections(&mut self, changed: Vec<Rv>) -> (FxHashMap<usize, Value>, usize) {
        let mut new_values: FxHashMap<usize, Value> = FxHashMap::default();
        let mut references = 0usize;
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
            self.state().shared_collections.drop_unreferenced_values(&object);
            for old in self.state().shared_collections.origins(&object) {
                references = references.saturating_add(reference_count(old).saturating_sub(1));
                new_values.extend(value_address(old).map(|address| (address, new.clone())));
            }
            self.state().shared_collections.insert(&new, &object);
        }
        (new_values, references)
    }
}

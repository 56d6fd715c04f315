//! The array of the language.

use std::hash::Hash;
use std::hash::Hasher;
use std::ops::Deref;

use crate::value::Measure;
use crate::value::Value;
use crate::value::measure;
use catwalk_base::meter;

/// Values in order, with their size.
#[derive(Debug, Default)]
pub struct List {
    items: Vec<Value>,
    measure: Measure,
}

impl List {
    /// The size of the array.
    #[inline]
    #[must_use]
    pub fn measure(&self) -> Measure {
        self.measure
    }

    /// Adds a value at the end.
    pub fn push(&mut self, value: Value) {
        meter::charge(size_of::<Value>());
        self.measure.add(&value);
        self.items.push(value);
    }

    /// Changes the values.
    pub fn change<T>(&mut self, body: impl FnOnce(&mut Vec<Value>) -> T) -> T {
        let result = body(&mut self.items);
        self.measure = Measure::of_parts(self.items.iter());
        meter::charge(self.items.len() * size_of::<Value>());
        result
    }

    /// The values as a slice.
    #[must_use]
    pub fn as_slice(&self) -> &[Value] {
        &self.items
    }

    pub(super) fn take(&mut self) -> Vec<Value> {
        self.measure = Measure::default();
        std::mem::take(&mut self.items)
    }
}

impl From<Vec<Value>> for List {
    fn from(items: Vec<Value>) -> List {
        let measure = Measure::of_parts(items.iter());
        meter::charge(items.len() * size_of::<Value>() + usize::try_from(measure.bytes).unwrap_or(usize::MAX) / 4);
        List { items, measure }
    }
}

impl Clone for List {
    fn clone(&self) -> List {
        meter::charge(self.items.len() * size_of::<Value>());
        List { items: self.items.clone(), measure: self.measure }
    }
}

impl Extend<Value> for List {
    fn extend<I: IntoIterator<Item = Value>>(&mut self, values: I) {
        let values = values.into_iter();
        self.items.reserve(values.size_hint().0.min(1 << 20));
        values.for_each(|value| self.push(value));
    }
}

impl Deref for List {
    type Target = [Value];
    fn deref(&self) -> &[Value] {
        &self.items
    }
}

impl<'a> IntoIterator for &'a List {
    type Item = &'a Value;
    type IntoIter = std::slice::Iter<'a, Value>;
    fn into_iter(self) -> Self::IntoIter {
        self.items.iter()
    }
}

impl PartialEq for List {
    fn eq(&self, other: &List) -> bool {
        meter::tick(self.items.len());
        std::ptr::eq(self, other) || self.items == other.items
    }
}
impl Eq for List {}

impl Hash for List {
    fn hash<H: Hasher>(&self, state: &mut H) {
        meter::tick(self.items.len());
        self.items.hash(state);
    }
}

impl Drop for List {
    fn drop(&mut self) {
        if measure::is_deep(self.measure) {
            measure::drop_deep(self.take());
        }
    }
}

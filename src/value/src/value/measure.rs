//! The size of a value: computed when it is built, so that code that visits values can rely on it.
//!
//! In: parts. Out: [`Measure`], and deep values dropped without recursion.

use crate::types::Type;
use crate::value::Value;

/// The depth and size of a value. A value that occurs twice is counted twice, as when printed. Sums saturate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Measure {
    /// Levels of collections and objects; 0 for single values.
    pub depth: u32,
    /// Values in it on all levels, without itself.
    pub elements: u32,
    /// Bytes of all strings in it.
    pub bytes: u64,
}

/// The number of a type's parts beyond which it is too large.
const MAX_TYPE_PARTS: u32 = 1_000_000;

/// Values that nest deeper are dropped by a loop.
const MAX_RECURSIVE_DROP: u32 = 100;

impl Measure {
    /// Adds a part to a collection.
    pub(super) fn add(&mut self, part: &Value) {
        let measure = part.measure();
        self.depth = self.depth.max(measure.depth.saturating_add(1));
        self.elements = self.elements.saturating_add(measure.elements).saturating_add(1);
        self.bytes = self.bytes.saturating_add(measure.bytes);
    }

    /// The measure with one more part.
    #[must_use]
    pub fn with(mut self, part: &Value) -> Measure {
        self.add(part);
        self
    }

    /// Removes a part. The depth stays, since the part that determined it is unknown.
    pub(super) fn sub(&mut self, part: &Value) {
        let measure = part.measure();
        // A saturated sum cannot be reduced.
        if self.elements != u32::MAX {
            self.elements = self.elements.saturating_sub(measure.elements).saturating_sub(1);
        }
        self.bytes = self.bytes.saturating_sub(measure.bytes);
    }

    /// The measure of a collection of these parts.
    pub(super) fn of_parts<'a>(parts: impl Iterator<Item = &'a Value>) -> Measure {
        // An empty collection is a level, too.
        let mut measure = Measure { depth: 1, ..Measure::default() };
        parts.for_each(|part| measure.add(part));
        measure
    }

    /// The measure with one more level around it.
    pub(super) fn inside(self) -> Measure {
        Measure { depth: self.depth.saturating_add(1), elements: self.elements.saturating_add(1), ..self }
    }
}

impl Value {
    /// The size of the value.
    #[inline]
    #[must_use]
    pub fn measure(&self) -> Measure {
        match self {
            Value::Str(text) => Measure { bytes: text.len() as u64, ..Measure::default() },
            Value::Array(items) => items.measure(),
            Value::Hash(entries) => entries.measure(),
            Value::Undef | Value::Default | Value::Bool(_) | Value::Int(_) | Value::BigInt(_) | Value::Float(_) => {
                Measure::default()
            }
            other => other.measure_rare(),
        }
    }

    fn measure_rare(&self) -> Measure {
        match self {
            Value::Sensitive(inner) => inner.measure().inside(),
            Value::Object(object) => object.attributes.measure().inside(),
            Value::Iterator(iter) => iter.measure().inside(),
            Value::Type(t) => measure_type(t),
            Value::Regexp(regexp) => Measure { bytes: regexp.source().len() as u64, ..Measure::default() },
            Value::Ruby(object) => Measure { bytes: object.text.len() as u64, ..Measure::default() },
            Value::Symbol(name) => Measure { bytes: name.len() as u64, ..Measure::default() },
            Value::Binary(bytes) => Measure { bytes: bytes.len() as u64, ..Measure::default() },
            _ => Measure::default(),
        }
    }
}

/// The size of a type. Named types are not inspected.
fn measure_type(t: &Type) -> Measure {
    let mut walk = TypeWalk { deepest: 0, parts: 0, bytes: 0 };
    walk.visit(t, 1);
    Measure { depth: walk.deepest, elements: walk.parts, bytes: walk.bytes }
}

struct TypeWalk {
    deepest: u32,
    parts: u32,
    bytes: u64,
}

impl TypeWalk {
    fn visit(&mut self, t: &Type, depth: u32) {
        // Deeper than any limit: the type is refused regardless of its other parts.
        if self.parts >= MAX_TYPE_PARTS || depth > super::MAX_NESTING.saturating_add(1) {
            self.parts = u32::MAX;
            return;
        }
        self.parts += 1;
        self.deepest = self.deepest.max(depth);
        let next = depth + 1;
        match t {
            Type::StringValue(text) => self.bytes += text.len() as u64,
            Type::Enum(values) => self.bytes += values.values.iter().map(|text| text.len() as u64 + 8).sum::<u64>(),
            Type::Array(array) => self.visit(&array.element, next),
            Type::Hash(hash) => {
                self.visit(&hash.key, next);
                self.visit(&hash.value, next);
            }
            Type::Tuple(tuple) => tuple.types.iter().for_each(|part| self.visit(part, next)),
            Type::Struct(elements) => elements.iter().for_each(|element| {
                self.bytes += element.name.len() as u64;
                self.visit(&element.value, next);
            }),
            Type::Variant(types) => types.iter().for_each(|part| self.visit(part, next)),
            Type::Optional(Some(inner))
            | Type::NotUndef(Some(inner))
            | Type::Iterable(Some(inner))
            | Type::Iterator(Some(inner))
            | Type::Sensitive(Some(inner))
            | Type::Type(Some(inner)) => self.visit(inner, next),
            Type::Callable(callable) => {
                let params = callable.params.iter().flat_map(|params| &params.types);
                params.chain(&callable.block).chain(&callable.returns).for_each(|part| self.visit(part, next));
            }
            Type::Init(init) => {
                init.target.iter().for_each(|part| self.visit(part, next));
                init.args.iter().for_each(|part| self.value(part, next));
            }
            Type::Runtime(runtime) => runtime.name.iter().for_each(|part| self.value(part, next)),
            Type::Uri(Some(parts)) => self.add(parts.measure(), next),
            Type::Object(object) => {
                object.definition.iter().for_each(|definition| self.add(definition.measure(), next));
                object.parameters.iter().for_each(|(_, part)| self.value(part, next));
            }
            _ => {}
        }
    }

    fn value(&mut self, value: &Value, depth: u32) {
        match value {
            Value::Type(t) => self.visit(t, depth),
            other => self.add(other.measure(), depth),
        }
    }

    fn add(&mut self, measure: Measure, depth: u32) {
        self.deepest = self.deepest.max(depth.saturating_add(measure.depth));
        self.parts = self.parts.saturating_add(measure.elements);
        self.bytes = self.bytes.saturating_add(measure.bytes);
    }
}

/// Whether a value must be dropped without recursion, which needs stack for each level.
pub(super) fn is_deep(measure: Measure) -> bool {
    measure.depth > MAX_RECURSIVE_DROP
}

/// Drops deep values without recursion. Shared values stay.
pub(super) fn drop_deep(mut stack: Vec<Value>) {
    while let Some(value) = stack.pop() {
        match value {
            Value::Array(items) => {
                if let Some(mut items) = std::sync::Arc::into_inner(items) {
                    stack.append(&mut items.take());
                }
            }
            Value::Hash(entries) => {
                if let Some(mut entries) = std::sync::Arc::into_inner(entries) {
                    stack.extend(entries.take().into_iter().flat_map(|(key, value)| [key, value]));
                }
            }
            Value::Sensitive(inner) => stack.extend(std::sync::Arc::into_inner(inner)),
            Value::Object(object) => {
                if let Some(mut object) = std::sync::Arc::into_inner(object) {
                    stack.extend(object.attributes.take().into_iter().flat_map(|(key, value)| [key, value]));
                }
            }
            Value::Iterator(iter) => {
                if let Some(iter) = std::sync::Arc::into_inner(iter) {
                    stack.extend(iter.into_sources().into_iter().flatten());
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::value::Hash;
    use crate::value::List;

    fn deep(levels: usize) -> Value {
        (0..levels).fold(Value::from(1), |inner, _| Value::array(vec![inner]))
    }

    #[test]
    fn values_measure_their_size() {
        assert_eq!(Value::from(1).measure(), Measure::default());
        assert_eq!(Value::array(Vec::new()).measure(), Measure { depth: 1, elements: 0, bytes: 0 });
        let shared = Value::array(vec![Value::str("abc"), Value::from(1)]);
        assert_eq!(shared.measure(), Measure { depth: 1, elements: 2, bytes: 3 });
        let twice = Value::array(vec![shared.clone(), shared.clone()]);
        assert_eq!(twice.measure(), Measure { depth: 2, elements: 6, bytes: 6 });
        let mut hash = Hash::new();
        hash.set("a", twice.clone());
        assert_eq!(hash.measure(), Measure { depth: 3, elements: 8, bytes: 7 });
        hash.set("a", Value::from(1));
        hash.set("b", shared.clone());
        hash.remove(&Value::str("a"));
        // The depth is not reduced when the deepest part is removed.
        assert_eq!(hash.measure(), Measure { depth: 3, elements: 4, bytes: 4 });
        assert_eq!(hash.iter().map(|(a, b)| (a.clone(), b.clone())).collect::<Hash>().measure().depth, 2);
        let mut list = List::from(vec![shared]);
        list.push(twice);
        assert_eq!(list.measure(), Measure { depth: 3, elements: 10, bytes: 9 });
        list.change(|items| items.truncate(1));
        assert_eq!(list.measure(), Measure { depth: 2, elements: 3, bytes: 3 });
        let all = (0..100).fold(Value::from(1), |inner, _| Value::array(vec![inner.clone(), inner]));
        assert_eq!(all.measure().elements, u32::MAX);
    }

    #[test]
    fn deep_values_are_dropped_on_a_small_stack() {
        let work = || {
            drop(deep(1_000_000));
            let hashes = (0..1_000_000).fold(Value::from(1), |inner, _| {
                Value::hash([(Value::from(1), Value::Sensitive(std::sync::Arc::new(inner)))].into_iter().collect())
            });
            drop(hashes);
        };
        std::thread::Builder::new().stack_size(256 << 10).spawn(work).unwrap().join().unwrap();
    }

    #[test]
    fn types_are_measured_with_their_parts() {
        let t = (0..50).fold(Type::INTEGER, |inner, _| Type::array(inner, None));
        assert_eq!(Value::Type(t).measure().depth, 51);
        let wide = (0..60).fold(Type::INTEGER, |inner, _| Type::tuple(vec![inner.clone(), inner], None));
        assert_eq!(Value::Type(wide).measure().elements, u32::MAX);
    }
}

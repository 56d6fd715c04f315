//! Fingerprints of values: equal exactly for identical values, with the order of keys and the kinds of numbers.
//!
//! In: values. Out: their parts, added to a [`Fingerprinter`]. Must not: compare values as the Puppet language does.

use std::hash::Hash as _;

use crate::Hash;
use crate::Value;
use catwalk_base::fingerprint::Fingerprint;
use catwalk_base::fingerprint::Fingerprinter;

/// The fingerprint of a value.
#[must_use]
pub fn of(value: &Value) -> Fingerprint {
    let mut fingerprinter = Fingerprinter::default();
    add(value, &mut fingerprinter);
    fingerprinter.fingerprint()
}

/// The fingerprint of a hash.
#[must_use]
pub fn of_hash(entries: &Hash) -> Fingerprint {
    let mut fingerprinter = Fingerprinter::default();
    add_hash(entries, &mut fingerprinter);
    fingerprinter.fingerprint()
}

/// Adds a value.
pub fn add(value: &Value, fingerprinter: &mut Fingerprinter) {
    std::mem::discriminant(value).hash(fingerprinter);
    match value {
        Value::Str(text) => text.as_ref().hash(fingerprinter),
        Value::Int(number) => number.hash(fingerprinter),
        Value::Float(number) => number.to_bits().hash(fingerprinter),
        Value::Bool(value) => value.hash(fingerprinter),
        Value::Undef => {}
        Value::Array(items) => {
            items.len().hash(fingerprinter);
            items.iter().for_each(|item| add(item, fingerprinter));
        }
        Value::Hash(entries) => add_hash(entries, fingerprinter),
        Value::Sensitive(value) => add(value, fingerprinter),
        // Other kinds are rare, so their debug output is fast enough.
        other => Fingerprint::of_debug(other).hash(fingerprinter),
    }
}

/// Adds a hash.
pub fn add_hash(entries: &Hash, fingerprinter: &mut Fingerprinter) {
    entries.len().hash(fingerprinter);
    for (key, value) in entries.iter() {
        add(key, fingerprinter);
        add(value, fingerprinter);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn only_identical_values_have_equal_fingerprints() {
        let hash = |entries: &[(Value, Value)]| Value::Hash(Arc::new(entries.iter().cloned().collect()));
        let (one, two) = (Value::Int(1), Value::Int(2));
        let values = [
            Value::Undef,
            Value::Bool(false),
            one.clone(),
            Value::Float(1.0),
            Value::Float(0.0),
            Value::Float(-0.0),
            Value::from("1"),
            Value::from(""),
            Value::Sensitive(Arc::new(one.clone())),
            Value::Sensitive(Arc::new(two.clone())),
            hash(&[]),
            hash(&[(one.clone(), one.clone()), (two.clone(), two.clone())]),
            hash(&[(two.clone(), two.clone()), (one.clone(), one.clone())]),
        ];
        for (at, a) in values.iter().enumerate() {
            for (other, b) in values.iter().enumerate() {
                assert_eq!(of(a) == of(&b.clone()), at == other, "{a:?} {b:?}");
            }
        }
    }
}

//! Fingerprints of answers: 128-bit hashes by which two answers to one question are compared.
//!
//! In: the parts of an answer, hashed or printed. Out: a [`Fingerprint`], equal for equal answers in one build of the program. Must
//! not: protect secrets, or data that an attacker chooses.

use std::fmt;
use std::hash::DefaultHasher;
use std::hash::Hash;
use std::hash::Hasher;

/// The fingerprint of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fingerprint(u128);

impl Fingerprint {
    /// The fingerprint of a value that can be hashed.
    #[must_use]
    pub fn of(value: &(impl Hash + ?Sized)) -> Fingerprint {
        let mut fingerprinter = Fingerprinter::default();
        value.hash(&mut fingerprinter);
        fingerprinter.fingerprint()
    }

    /// The fingerprint of a value's debug output, for values that cannot be hashed.
    #[must_use]
    pub fn of_debug(value: &impl fmt::Debug) -> Fingerprint {
        let mut fingerprinter = Fingerprinter::default();
        // Writing to a fingerprinter cannot fail.
        let _ = fmt::write(&mut fingerprinter, format_args!("{value:?}"));
        fingerprinter.fingerprint()
    }
}

/// Computes a fingerprint from its parts.
#[derive(Clone, Debug)]
pub struct Fingerprinter {
    low: DefaultHasher,
    high: DefaultHasher,
}

impl Default for Fingerprinter {
    fn default() -> Fingerprinter {
        let mut high = DefaultHasher::new();
        // Both halves hash the same parts, after different beginnings.
        high.write_u8(1);
        Fingerprinter { low: DefaultHasher::new(), high }
    }
}

impl Fingerprinter {
    /// The fingerprint of all parts so far.
    #[must_use]
    pub fn fingerprint(&self) -> Fingerprint {
        Fingerprint(u128::from(self.high.finish()) << 64 | u128::from(self.low.finish()))
    }
}

impl Hasher for Fingerprinter {
    fn write(&mut self, bytes: &[u8]) {
        self.low.write(bytes);
        self.high.write(bytes);
    }

    fn finish(&self) -> u64 {
        self.low.finish()
    }
}

impl fmt::Write for Fingerprinter {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.write(text.as_bytes());
        Ok(())
    }
}

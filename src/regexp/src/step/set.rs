//! Sets of characters of the stepwise engine.
//!
//! In: a set as the other engines write it. Out: whether a character is in it.

/// A set: its ASCII characters, and a test for the rest.
#[derive(Debug)]
pub(crate) struct Set {
    ascii: u128,
    rest: regex::Regex,
}

impl Set {
    /// The set with this source, case-sensitive or not.
    pub(crate) fn new(text: &str, ignore_case: bool) -> Option<Set> {
        let rest = regex::RegexBuilder::new(&format!(r"\A(?:{text})\z")).case_insensitive(ignore_case).build().ok()?;
        let ascii = (0..128u8).filter(|c| {
            let mut buffer = [0; 4];
            rest.is_match(char::from(*c).encode_utf8(&mut buffer))
        });
        let ascii = ascii.fold(0, |all, c| all | 1u128 << c);
        Some(Set { ascii, rest })
    }

    /// Whether a character is in it.
    pub(crate) fn has(&self, c: char) -> bool {
        if c.is_ascii() {
            return self.ascii >> u32::from(c) & 1 == 1;
        }
        let mut buffer = [0; 4];
        self.rest.is_match(c.encode_utf8(&mut buffer))
    }
}

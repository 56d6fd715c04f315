//! Sets of characters of the stepwise engine.
//!
//! In: a class in the syntax of the other engines. Out: whether it contains a character.

/// A set of characters: a table of its ASCII characters, and an engine for the others.
#[derive(Debug)]
pub(crate) struct Set {
    ascii: u128,
    rest: regex::Regex,
}

impl Set {
    /// The set with this source; `None` if the engine rejects it.
    pub(crate) fn new(text: &str, ignore_case: bool) -> Option<Set> {
        let rest = regex::RegexBuilder::new(&format!(r"\A(?:{text})\z")).case_insensitive(ignore_case).build().ok()?;
        let ascii = (0..128u8).filter(|c| {
            let mut buffer = [0; 4];
            rest.is_match(char::from(*c).encode_utf8(&mut buffer))
        });
        let ascii = ascii.fold(0, |all, c| all | 1u128 << c);
        Some(Set { ascii, rest })
    }

    /// Whether the set contains a character.
    pub(crate) fn has(&self, c: char) -> bool {
        if c.is_ascii() {
            return self.ascii >> u32::from(c) & 1 == 1;
        }
        let mut buffer = [0; 4];
        self.rest.is_match(c.encode_utf8(&mut buffer))
    }
}

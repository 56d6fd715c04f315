//! Ruby's regular expressions. (The regexp engineer replaces this placeholder.)

/// A regular expression as written.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Regexp {
    source: String,
}

impl Regexp {
    /// A regular expression with this source, compiled on first use.
    #[must_use]
    pub fn new(source: &str) -> Regexp {
        Regexp { source: source.to_owned() }
    }

    /// The source between the slashes.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }
}

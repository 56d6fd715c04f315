//! Why a test file is invalid.
//!
//! In: a message and the keys that lead to the invalid part. Out: a [`Reason`] with the position in the file. Must not: read files.

use std::path::Path;

use catwalk_base::diag::Code;
use catwalk_base::diag::DataLocation;
use catwalk_base::diag::Reason;
use catwalk_value::data::positions;

/// Why a part of a test file is invalid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invalid {
    /// The message.
    pub message: String,
    /// The keys that lead to the invalid part, the outermost first. The last ones may not exist.
    pub keys: Vec<String>,
    /// A hint, such as an example.
    pub help: Option<String>,
    /// Other paths of keys that may have set the invalid part, to be tried before `keys`.
    pub alternatives: Vec<Vec<String>>,
}

impl From<String> for Invalid {
    fn from(message: String) -> Invalid {
        Invalid { message, keys: Vec::new(), help: None, alternatives: Vec::new() }
    }
}

impl From<&str> for Invalid {
    fn from(message: &str) -> Invalid {
        Invalid::from(message.to_owned())
    }
}

impl Invalid {
    /// The failure of the part below a key, unless it already begins with that key.
    #[must_use]
    pub fn within(mut self, key: &str) -> Invalid {
        if self.keys.first().is_none_or(|first| first != key) {
            self.keys.insert(0, key.to_owned());
        }
        self
    }

    /// The failure of keys that are merged from several parts of the file: the position is in the first part that has the keys.
    #[must_use]
    pub fn merged_from(mut self, parts: &[Vec<String>]) -> Invalid {
        let below = |part: &Vec<String>| part.iter().chain(&self.keys).cloned().collect();
        self.alternatives = parts.iter().map(below).collect();
        self
    }

    /// The failure with its position in the file.
    #[must_use]
    pub fn reason(self, path: &Path, contents: &[u8]) -> Reason {
        let text = std::str::from_utf8(contents).unwrap_or_default();
        let locate = |keys: &Vec<String>| {
            let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
            let position = positions::find(text, &keys)?;
            // The first keys exist in all parts: only a part that has all keys is the origin.
            let parent = keys.split_last().and_then(|(_, parent)| positions::find(text, parent));
            Some((position, parent != Some(position)))
        };
        let exact = self.alternatives.iter().filter_map(locate).find(|(_, is_exact)| *is_exact);
        let position = exact.or_else(|| self.alternatives.first().and_then(locate)).or_else(|| locate(&self.keys));
        let location = DataLocation::new(path, contents, position.map_or((1, 1), |(position, _)| position));
        Reason::new(Code::BAD_TEST, self.message).hint(self.help).in_file(location)
    }
}

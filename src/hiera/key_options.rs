//! The `lookup_options` of one layer, by key and by pattern.

use super::failure::Failure;
use crate::regexp::Regexp;
use crate::value::Hash;
use crate::value::Value;

/// The options of a module or of everything else.
#[derive(Debug, Default)]
pub(super) struct Options {
    keys: Hash,
    patterns: Vec<(Regexp, Value)>,
}

impl Options {
    /// The options of a root key: those of its name, else of the first pattern that matches.
    pub(super) fn of(&self, root: &str) -> Option<&Value> {
        if let Some(found) = self.keys.get(root).filter(|found| !found.is_undef()) {
            return Some(found);
        }
        self.patterns.iter().find(|(pattern, _)| pattern.is_match(root).unwrap_or(false)).map(|(_, value)| value)
    }

    /// Keys that start with `^` are regular expressions.
    pub(super) fn new(options: &Hash) -> Result<Options, Failure> {
        let mut made = Options::default();
        for (key, value) in options.iter() {
            let Some(text) = key.as_str() else { continue };
            if text.starts_with('^') {
                let pattern = Regexp::new(text);
                pattern.check().map_err(|error| Failure::ruby(error.message().to_owned()))?;
                made.patterns.push((pattern, value.clone()));
            } else {
                made.keys.insert(key.clone(), value.clone());
            }
        }
        Ok(made)
    }
}

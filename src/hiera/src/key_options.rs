//! The `lookup_options` of one layer, by key and by pattern.

use rustc_hash::FxHashMap;

use super::failure::Failure;
use catwalk_regexp::Regexp;
use catwalk_value::Hash;
use catwalk_value::Value;

/// The compiled options for the keys of a module, or for all other keys.
#[derive(Debug, Default)]
pub(super) struct Options {
    keys: Hash,
    patterns: Vec<(Regexp, Value)>,
    /// The positions of the patterns, in order, by the prefix of matching keys: a key is compared with few patterns.
    by_prefix: FxHashMap<String, Vec<usize>>,
}

impl Options {
    /// The options of a root key: those of its name, else of the first pattern that matches.
    pub(super) fn find(&self, root: &str) -> Option<&Value> {
        if let Some(found) = self.keys.get(root).filter(|found| !found.is_undef()) {
            return Some(found);
        }
        let matches = |(pattern, _): &&(Regexp, Value)| pattern.is_match(root).unwrap_or(false);
        let first = if root.contains('\n') {
            // In Ruby, `^` matches at the start of each line.
            self.patterns.iter().find(matches)
        } else {
            let prefixes = root.char_indices().map(|(at, _)| at).chain([root.len()]);
            let found = prefixes.filter_map(|at| self.by_prefix.get(root.get(..at)?));
            let mut positions: Vec<usize> = found.flatten().copied().collect();
            positions.sort_unstable();
            positions.into_iter().filter_map(|position| self.patterns.get(position)).find(matches)
        };
        first.map(|(_, value)| value)
    }

    /// Keys that start with `^` are regular expressions.
    pub(super) fn new(options: &Hash) -> Result<Options, Failure> {
        let mut compiled = Options::default();
        for (key, value) in options.iter() {
            let Some(text) = key.as_str() else { continue };
            if text.starts_with('^') {
                let pattern = Regexp::new(text);
                pattern.check().map_err(|error| Failure::ruby(error.message().to_owned()))?;
                compiled.by_prefix.entry(literal_prefix(text)).or_default().push(compiled.patterns.len());
                compiled.patterns.push((pattern, value.clone()));
            } else {
                compiled.keys.insert(key.clone(), value.clone());
            }
        }
        Ok(compiled)
    }
}

/// The prefix of all matches of a pattern with `^`; empty where it is not obvious.
fn literal_prefix(pattern: &str) -> String {
    let is_literal = |character: char| character.is_ascii_alphanumeric() || matches!(character, '_' | ':' | '-');
    if pattern.contains('|') {
        return String::new();
    }
    let rest = pattern.get(1..).unwrap_or_default();
    let mut literal: String = rest.chars().take_while(|character| is_literal(*character)).collect();
    if rest.get(literal.len()..).is_some_and(|next| next.starts_with(['?', '*', '{'])) {
        literal.pop();
    }
    literal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_matching_pattern_is_used_whatever_its_prefix() {
        let patterns = ["^abc$", "^a.*z", "^ab?x", "^ab", "^(?i)AB", "^q|b", "^", "^é"];
        let options = patterns.iter().map(|pattern| (Value::str(pattern), Value::str(pattern))).collect::<Hash>();
        let options = Options::new(&options).unwrap_or_default();
        for key in ["abc", "abz", "ax", "abx", "ABx", "b", "xb", "", "ab", "q", "x\nabc", "éz"] {
            let slow = patterns.iter().find(|pattern| Regexp::new(**pattern).is_match(key).unwrap_or(false));
            assert_eq!(options.find(key).and_then(Value::as_str), slow.copied(), "{key:?}");
        }
    }
}

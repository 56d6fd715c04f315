//! Tags: lower-case words on resources and catalogs (Puppet::Util::Tagging).

use std::sync::Arc;

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

/// A set of tags in order of insertion.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tags(IndexSet<Arc<str>, FxBuildHasher>);

impl Tags {
    /// Adds a tag and its `::` segments, in lower case.
    ///
    /// # Errors
    /// The text is no legal tag; it is given back in lower case.
    pub fn add(&mut self, text: &str) -> Result<(), String> {
        let name = lower(text);
        if self.0.contains(name.as_ref()) {
            return Ok(());
        }
        if !is_tag(&name) {
            return Err(name.into_owned());
        }
        self.insert(&name);
        Ok(())
    }

    /// Adds a title as a tag when it can be one.
    pub fn add_if_valid(&mut self, text: &str) {
        if is_tag(text) {
            let name = lower(text);
            if !self.0.contains(name.as_ref()) {
                self.insert(&name);
            }
        }
    }

    fn insert(&mut self, name: &str) {
        self.0.insert(Arc::from(name));
        if name.contains("::") {
            // Ruby's split leaves out empty segments at the end.
            for segment in name.trim_end_matches(':').split("::") {
                if !self.0.contains(segment) {
                    self.0.insert(Arc::from(segment));
                }
            }
        }
    }

    /// Adds all tags of another set.
    pub fn merge(&mut self, other: &Tags) {
        for tag in &other.0 {
            if !self.0.contains(tag.as_ref()) {
                self.0.insert(tag.clone());
            }
        }
    }

    /// Whether the tag, given in lower case, is in the set.
    #[must_use]
    pub fn contains(&self, tag: &str) -> bool {
        self.0.contains(tag)
    }

    /// Tags in order of insertion.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<str>> {
        self.0.iter()
    }
}

fn lower(text: &str) -> std::borrow::Cow<'_, str> {
    if text.bytes().any(|byte| byte.is_ascii_uppercase() || !byte.is_ascii()) {
        return text.to_lowercase().into();
    }
    text.into()
}

/// Whether a text is a legal tag: a letter, digit or `_`, then those and `:`, `.`, `-`.
#[must_use]
pub fn is_tag(text: &str) -> bool {
    let text = text.strip_suffix('\n').unwrap_or(text);
    let mut chars = text.chars();
    let word = |c: char| c.is_alphanumeric() || c == '_';
    chars.next().is_some_and(word) && chars.all(|c| word(c) || matches!(c, ':' | '.' | '-'))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn segments_follow_the_whole() {
        let mut tags = Tags::default();
        tags.add("Foo::Bar").unwrap();
        tags.add("bar").unwrap();
        tags.add_if_valid("/etc/motd");
        assert_eq!(tags.iter().map(AsRef::as_ref).collect::<Vec<_>>(), ["foo::bar", "foo", "bar"]);
        assert_eq!(tags.add("A B"), Err("a b".to_owned()));
    }
}

//! Tags: lower-case words on resources and catalogs (Puppet::Util::Tagging).

use std::borrow::Cow;
use std::hash::BuildHasher;
use std::sync::Arc;

use rustc_hash::FxBuildHasher;
use rustc_hash::FxHashSet;

/// A set of tags in insertion order. Cheap to clone: clones share the memory until one is changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tags(Arc<Set>);

/// The tags of a set. Most sets have about ten tags and are searched linearly by hash; only large sets have a table.
#[derive(Clone, Debug, Default)]
struct Set {
    /// A Bloom filter of one bit for each hash: a tag whose bit is 0 is not in the set.
    bits: u64,
    entries: Vec<(u32, Arc<str>)>,
    table: Option<Box<FxHashSet<Arc<str>>>>,
}

/// The number of tags from which a set has a table.
const INDEXED: usize = 32;

impl PartialEq for Set {
    fn eq(&self, other: &Set) -> bool {
        self.entries == other.entries
    }
}
impl Eq for Set {}

impl Set {
    fn contains(&self, hash: u32, tag: &str) -> bool {
        if self.bits & bit(hash) == 0 {
            return false;
        }
        match &self.table {
            Some(table) => table.contains(tag),
            None => self.entries.iter().any(|(known, text)| *known == hash && **text == *tag),
        }
    }

    /// Whether this set ends with all tags of the other set: then merging adds nothing.
    fn ends_with(&self, other: &Set) -> bool {
        let Some(from) = self.entries.len().checked_sub(other.entries.len()) else { return false };
        let same = |((_, a), (_, b)): (&(u32, Arc<str>), &(u32, Arc<str>))| Arc::ptr_eq(a, b);
        self.entries.iter().skip(from).zip(&other.entries).all(same)
    }

    fn push(&mut self, hash: u32, tag: Arc<str>) {
        if let Some(table) = &mut self.table {
            table.insert(tag.clone());
        }
        self.bits |= bit(hash);
        self.entries.push((hash, tag));
        if self.table.is_none() && self.entries.len() > INDEXED {
            self.table = Some(Box::new(self.entries.iter().map(|(_, tag)| tag.clone()).collect()));
        }
    }
}

fn bit(hash: u32) -> u64 {
    1 << (hash >> 26)
}

fn hash(tag: &str) -> u32 {
    let hash = FxBuildHasher.hash_one(tag);
    (hash ^ hash >> 32) as u32
}

impl Tags {
    /// Adds a tag and its `::` segments, in lower case.
    ///
    /// # Errors
    /// The string is not a valid tag; returns it in lower case.
    pub fn add(&mut self, text: &str) -> Result<(), String> {
        let name = lower(text);
        if self.contains(&name) {
            return Ok(());
        }
        if !is_tag(&name) {
            return Err(name.into_owned());
        }
        self.insert(Arc::from(name));
        Ok(())
    }

    /// Adds a title as a tag if it is a valid tag.
    pub fn add_if_valid(&mut self, text: &Arc<str>) {
        if is_tag(text) {
            let name = lower(text);
            if !self.contains(&name) {
                self.insert(match name {
                    Cow::Borrowed(_) => text.clone(),
                    Cow::Owned(name) => Arc::from(name),
                });
            }
        }
    }

    fn insert(&mut self, tag: Arc<str>) {
        let set = self.make_mut(8);
        let name: &str = &tag;
        set.push(hash(name), tag.clone());
        if name.as_bytes().windows(2).any(|pair| pair == b"::") {
            // Ruby's split leaves out empty segments at the end.
            let mut add = |segment: &str| {
                let hash = hash(segment);
                if !set.contains(hash, segment) {
                    set.push(hash, Arc::from(segment));
                }
            };
            let mut after_empty = false;
            for segment in name.split("::") {
                if !segment.is_empty() {
                    if std::mem::take(&mut after_empty) {
                        add("");
                    }
                    add(segment);
                } else {
                    after_empty = true;
                }
            }
        }
    }

    /// The set as mutable, with capacity for `additional` tags. A shared set is copied first.
    fn make_mut(&mut self, additional: usize) -> &mut Set {
        if Arc::get_mut(&mut self.0).is_none() {
            let mut entries = Vec::with_capacity(self.0.entries.len() + additional);
            entries.extend_from_slice(&self.0.entries);
            self.0 = Arc::new(Set { bits: self.0.bits, entries, table: self.0.table.clone() });
        }
        let set = Arc::make_mut(&mut self.0);
        if set.entries.capacity() == set.entries.len() {
            set.entries.reserve(additional);
        }
        set
    }

    /// Adds all tags of another set.
    pub fn merge(&mut self, other: &Tags) {
        if Arc::ptr_eq(&self.0, &other.0) || self.0.ends_with(&other.0) {
            return;
        }
        let Some(first) = other.0.entries.iter().position(|(hash, tag)| !self.0.contains(*hash, tag)) else { return };
        let new_tags = other.0.entries.get(first..).unwrap_or_default();
        let set = self.make_mut(new_tags.len());
        for (hash, tag) in new_tags {
            if !set.contains(*hash, tag) {
                set.push(*hash, tag.clone());
            }
        }
    }

    /// Whether the set is shared.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        Arc::strong_count(&self.0) > 1
    }

    /// The address of the set: equal for clones that share it, valid until the last of them is dropped.
    #[must_use]
    pub fn address(&self) -> usize {
        Arc::as_ptr(&self.0).addr()
    }

    /// Whether there are no tags.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.entries.is_empty()
    }

    /// Whether the set has a tag, which must be in lower case.
    #[must_use]
    pub fn contains(&self, tag: &str) -> bool {
        self.0.contains(hash(tag), tag)
    }

    /// Whether the set has a tag, which is passed with its [`Tags::hash`].
    #[must_use]
    pub fn contains_hashed(&self, (hash, tag): (u32, &str)) -> bool {
        self.0.contains(hash, tag)
    }

    /// The hash of a tag for [`Tags::contains_hashed`].
    #[must_use]
    pub fn hash(tag: &str) -> u32 {
        hash(tag)
    }

    /// Tags in order of insertion.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<str>> {
        self.0.entries.iter().map(|(_, tag)| tag)
    }
}

fn lower(text: &str) -> Cow<'_, str> {
    if text.bytes().any(|byte| byte.is_ascii_uppercase() || !byte.is_ascii()) {
        return text.to_lowercase().into();
    }
    text.into()
}

/// The characters of ASCII that tags may have.
const TAG: [bool; 256] = {
    let mut legal = [false; 256];
    let mut byte = 0u8;
    while byte < 128 {
        legal[byte as usize] = byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':' | b'.' | b'-');
        byte += 1;
    }
    legal
};

/// Whether a string is a valid tag: a letter, digit or `_`, then those and `:`, `.`, `-`.
#[must_use]
pub(crate) fn is_tag(text: &str) -> bool {
    let text = text.strip_suffix('\n').unwrap_or(text);
    let other = text.bytes().position(|byte| !TAG.get(byte as usize).is_some_and(|legal| *legal));
    match other.and_then(|at| text.as_bytes().get(at)) {
        None => return !text.is_empty() && !text.starts_with([':', '.', '-']),
        Some(byte) if byte.is_ascii() => return false,
        Some(_) => {}
    }
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
        tags.add_if_valid(&Arc::from("/etc/motd"));
        assert_eq!(tags.iter().map(AsRef::as_ref).collect::<Vec<_>>(), ["foo::bar", "foo", "bar"]);
        assert_eq!(tags.add("A B"), Err("a b".to_owned()));
    }

    #[test]
    fn legal_tags() {
        for tag in ["a", "_a", "9", "a.b-c::d", "é", "a\n", "aé.b"] {
            assert!(is_tag(tag), "{tag:?}");
        }
        for text in ["", "\n", ".a", "-a", ":a", "a/b", "é/", "a b", "a\n\n", "é\u{2028}"] {
            assert!(!is_tag(text), "{text:?}");
        }
    }

    #[test]
    fn many_tags_stay_in_order() {
        let mut tags = Tags::default();
        let all: Vec<String> = (0..100).map(|n| format!("t{n}")).collect();
        for tag in all.iter().chain(&all) {
            tags.add(tag).unwrap();
        }
        let mut other = Tags::default();
        other.add("t99").unwrap();
        other.merge(&tags);
        assert_eq!(tags.iter().map(AsRef::as_ref).collect::<Vec<_>>(), all);
        assert_eq!(other.iter().count(), 100);
        assert!(other.contains("t50") && !other.contains("t100"));
    }
}

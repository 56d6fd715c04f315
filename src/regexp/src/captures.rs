//! The result of a match.
//!
//! In: matches of either engine. Out: groups and their positions. Must not: search.

use std::sync::Arc;

use super::Regexp;
use super::RegexpError;

/// One match: byte offsets and contents of all groups, group 0 being the whole.
#[derive(Debug, Clone)]
pub struct Captures<'t> {
    pub(super) text: &'t str,
    pub(super) spans: Spans,
    pub(super) names: Arc<[Option<String>]>,
}

/// Byte ranges of the groups of a match, group 0 being the whole.
pub type Spans = Vec<Option<(usize, usize)>>;

impl<'t> Captures<'t> {
    /// A match of a plain string: bytes `start` to `end` of a text, without groups.
    pub fn literal(text: &'t str, start: usize, end: usize) -> Captures<'t> {
        static NONE: std::sync::LazyLock<Arc<[Option<String>]>> = std::sync::LazyLock::new(Arc::default);
        Captures { text, spans: vec![Some((start, end))], names: Arc::clone(&NONE) }
    }

    /// The positions of the groups, and their names from group 1 on.
    pub fn into_parts(self) -> (Spans, Arc<[Option<String>]>) {
        (self.spans, self.names)
    }

    /// Byte offset where the match starts.
    pub fn start(&self) -> usize {
        self.span(0).map_or(0, |span| span.0)
    }

    /// Byte offset behind the match.
    pub fn end(&self) -> usize {
        self.span(0).map_or(0, |span| span.1)
    }

    /// The whole matched text.
    pub fn matched(&self) -> &'t str {
        self.get(0).unwrap_or("")
    }

    /// The text before the match (`$~.pre_match`).
    pub fn pre(&self) -> &'t str {
        self.text.get(..self.start()).unwrap_or("")
    }

    /// The text after the match (`$~.post_match`).
    pub fn post(&self) -> &'t str {
        self.text.get(self.end()..).unwrap_or("")
    }

    /// Number of groups, group 0 included. Never 0, so there is no `is_empty`.
    #[allow(clippy::len_without_is_empty, reason = "a match always has group 0")]
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// Byte range of group `index`; nothing if it does not exist or took no part.
    pub fn span(&self, index: usize) -> Option<(usize, usize)> {
        self.spans.get(index).copied().flatten()
    }

    /// Text of group `index`; nothing if it does not exist or took no part.
    pub fn get(&self, index: usize) -> Option<&'t str> {
        self.span(index).and_then(|(start, end)| self.text.get(start..end))
    }

    /// Texts of all groups from group 0 on; `None` for those that took no part.
    pub fn iter(&self) -> impl Iterator<Item = Option<&'t str>> + use<'_, 't> {
        (0..self.spans.len()).map(|index| self.get(index))
    }

    /// Text of the named group, with whether such a name exists: of groups with the same name the last that took part.
    pub fn name(&self, name: &str) -> Option<Option<&'t str>> {
        let mut found = None;
        for (index, _) in self.names.iter().enumerate().filter(|(_, group)| group.as_deref() == Some(name)) {
            let text = self.get(index + 1);
            if text.is_some() || found.is_none() {
                found = Some(text);
            }
        }
        found
    }
}

/// The buffer for positions of groups that one search after another reuses.
#[derive(Debug, Default)]
pub(super) struct SearchBuffer {
    pub(super) places: Option<regex::CaptureLocations>,
}

/// Iterator of [`Regexp::captures_iter`]; ends after the first error.
#[derive(Debug)]
pub struct CapturesIter<'r, 't> {
    pub(super) regexp: &'r Regexp,
    pub(super) text: &'t str,
    pub(super) at: Option<usize>,
    pub(super) kept: SearchBuffer,
}

impl<'t> Iterator for CapturesIter<'_, 't> {
    type Item = Result<Captures<'t>, RegexpError>;

    fn next(&mut self) -> Option<Self::Item> {
        let at = self.at.take()?;
        match self.regexp.captures_with(self.text, at, &mut self.kept) {
            Err(error) => Some(Err(error)),
            Ok(None) => None,
            Ok(Some(captures)) => {
                let (start, end) = (captures.start(), captures.end());
                self.at = if start < end { Some(end) } else { next_char(self.text, end) };
                Some(Ok(captures))
            }
        }
    }
}

/// Offset behind the character at `at`; nothing at the end of the text.
pub(super) fn next_char(text: &str, at: usize) -> Option<usize> {
    text.get(at..)?.chars().next().map(|c| at + c.len_utf8())
}

//! The result of a match.
//!
//! In: matches of either engine. Out: groups and their positions. Must not: search.

use std::sync::Arc;

use super::Regexp;
use super::RegexpError;

/// One match: the byte offsets and contents of all groups. Group 0 is the whole match.
#[derive(Debug, Clone)]
pub struct Captures<'t> {
    pub(super) text: &'t str,
    pub(super) spans: Spans,
    pub(super) names: Arc<[Option<String>]>,
}

/// The byte ranges of the groups of a match; `None` for a group that did not participate. Group 0 is the whole match.
pub type Spans = Vec<Option<(usize, usize)>>;

impl<'t> Captures<'t> {
    /// The match of a plain string at bytes `start` to `end` of `text`, without groups.
    pub fn literal(text: &'t str, start: usize, end: usize) -> Captures<'t> {
        static NONE: std::sync::LazyLock<Arc<[Option<String>]>> = std::sync::LazyLock::new(Arc::default);
        Captures { text, spans: vec![Some((start, end))], names: Arc::clone(&NONE) }
    }

    /// The byte ranges of the groups, and their names from group 1 on.
    pub fn into_parts(self) -> (Spans, Arc<[Option<String>]>) {
        (self.spans, self.names)
    }

    /// The byte offset at which the match starts.
    pub fn start(&self) -> usize {
        self.span(0).map_or(0, |span| span.0)
    }

    /// The byte offset after the match.
    pub fn end(&self) -> usize {
        self.span(0).map_or(0, |span| span.1)
    }

    /// The matched string (`$~[0]`).
    pub fn matched(&self) -> &'t str {
        self.get(0).unwrap_or("")
    }

    /// The string before the match (`$~.pre_match`).
    pub fn pre(&self) -> &'t str {
        self.text.get(..self.start()).unwrap_or("")
    }

    /// The string after the match (`$~.post_match`).
    pub fn post(&self) -> &'t str {
        self.text.get(self.end()..).unwrap_or("")
    }

    /// The number of groups, including group 0. It is never 0, so there is no `is_empty`.
    #[allow(clippy::len_without_is_empty, reason = "a match always has group 0")]
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// The byte range of group `index`; `None` if it does not exist or did not participate.
    pub fn span(&self, index: usize) -> Option<(usize, usize)> {
        self.spans.get(index).copied().flatten()
    }

    /// The string of group `index`; `None` if it does not exist or did not participate.
    pub fn get(&self, index: usize) -> Option<&'t str> {
        self.span(index).and_then(|(start, end)| self.text.get(start..end))
    }

    /// The strings of all groups from group 0 on; `None` for those that did not participate.
    pub fn iter(&self) -> impl Iterator<Item = Option<&'t str>> + use<'_, 't> {
        (0..self.spans.len()).map(|index| self.get(index))
    }

    /// The string of the named group. `None`: no group has this name; `Some(None)`: none of its groups participated. Of several groups
    /// with the name, the last that participated is returned.
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

/// A buffer for group positions that successive searches reuse.
#[derive(Debug, Default)]
pub(super) struct SearchBuffer {
    pub(super) locations: Option<regex::CaptureLocations>,
}

/// Iterator of [`Regexp::captures_iter`]; ends after the first error.
#[derive(Debug)]
pub struct CapturesIter<'r, 't> {
    pub(super) regexp: &'r Regexp,
    pub(super) text: &'t str,
    pub(super) at: Option<usize>,
    pub(super) buffer: SearchBuffer,
}

impl<'t> Iterator for CapturesIter<'_, 't> {
    type Item = Result<Captures<'t>, RegexpError>;

    fn next(&mut self) -> Option<Self::Item> {
        let at = self.at.take()?;
        match self.regexp.captures_with(self.text, at, &mut self.buffer) {
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

/// The offset after the character at `at`; `None` at the end.
pub(super) fn next_char(text: &str, at: usize) -> Option<usize> {
    text.get(at..)?.chars().next().map(|c| at + c.len_utf8())
}

//! Ruby's `String#split` with a regular expression.
//!
//! In: a regular expression, a string, a limit. Out: the parts. Must not: know the caller.

use super::Regexp;
use super::RegexpError;
use super::captures::SearchBuffer;
use super::captures::next_char;
use catwalk_base::meter;

impl Regexp {
    /// `text.split(self, limit)`. The groups of the separator are parts, too; an empty match splits between characters.
    ///
    /// | limit | result |
    /// |---|---|
    /// | 0 | all parts except empty ones at the end |
    /// | positive | at most this number of parts, without groups |
    /// | negative | all parts |
    /// # Errors
    /// As [`Regexp::is_match`].
    pub fn split<'t>(&self, text: &'t str, limit: i64) -> Result<Vec<&'t str>, RegexpError> {
        self.check()?;
        let mut parts = Vec::new();
        if text.is_empty() {
            return Ok(parts);
        }
        if limit == 1 {
            return Ok(vec![text]);
        }
        let slice = |from: usize, to: usize| text.get(from..to).unwrap_or("");
        // `begin` is the start of the current part, `start` that of the next search.
        let (mut begin, mut start, mut skipped, mut count) = (0, 0, false, 1);
        let mut buffer = SearchBuffer::default();
        while let Some(found) = self.captures_with(text, start, &mut buffer)? {
            let (from, to) = (found.start(), found.end());
            if start == from && from == to {
                if skipped {
                    let end = next_char(text, begin).unwrap_or(text.len());
                    parts.push(slice(begin, end));
                    begin = start;
                } else {
                    start = next_char(text, start).unwrap_or(start + 1);
                    skipped = true;
                    continue;
                }
            } else {
                parts.push(slice(begin, from));
                begin = to;
                start = to;
            }
            skipped = false;
            meter::charge(size_of::<&str>() * found.len());
            meter::check_elements(parts.len());
            parts.extend((1..found.len()).filter_map(|group| found.get(group)));
            count += 1;
            if limit > 0 && limit <= count {
                break;
            }
        }
        if limit != 0 || text.len() > begin {
            parts.push(if text.len() == begin { "" } else { slice(begin, text.len()) });
        }
        if limit == 0 {
            while parts.last().is_some_and(|part| part.is_empty()) {
                parts.pop();
            }
        }
        Ok(parts)
    }
}

//! A position in a file that is not a manifest: data, configuration, facts, tests.
//!
//! In: the path, the contents and a line and column of a file. Out: a [`DataLocation`] that a [`crate::diag::Reason`] carries, with the
//! line that an excerpt shows. Must not: know a format, read files.

use std::borrow::Cow;
use std::ops::Range;
use std::path::Path;
use std::path::PathBuf;

/// The longest line in bytes that an excerpt shows; of a longer line only the position is shown.
const MAX_LINE: usize = 4096;

/// A position in a file that is not a manifest. It keeps only the line of the position, not the file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DataLocation {
    /// The file.
    pub path: PathBuf,
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
    /// What is there, for a further position; `None`: the message is about this position.
    pub note: Option<Cow<'static, str>>,
    /// The text of the line, if an excerpt may show it.
    text: Option<Box<str>>,
    /// The bytes of the line that are underlined.
    underlined: (u32, u32),
}

impl DataLocation {
    /// The position at a line and column of a file with these contents, both from 1. A position outside of the file is moved to its last
    /// line or the end of the line.
    #[must_use]
    pub fn new(path: &Path, contents: &[u8], (line, column): (usize, usize)) -> DataLocation {
        // What follows the last line break is not a line.
        let body = contents.strip_suffix(b"\n").unwrap_or(contents);
        let lines = body.split(|byte| *byte == b'\n').take(line.max(1)).enumerate();
        let (number, current) = lines.last().map_or((1, &[][..]), |(at, line)| (at + 1, line));
        let text = String::from_utf8_lossy(current.strip_suffix(b"\r").unwrap_or(current));
        let length = text.chars().count();
        let column = if number < line { length + 1 } else { column.clamp(1, length + 1) };
        let start = text.char_indices().nth(column - 1).map_or(text.len(), |(at, _)| at);
        let end = start + text.get(start..).map_or(0, word_length);
        let clip = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        DataLocation {
            path: path.to_path_buf(),
            line: clip(number),
            column: clip(column),
            note: None,
            underlined: (clip(start), clip(end)),
            text: (text.len() <= MAX_LINE).then(|| text.into()),
        }
    }

    /// The position of a byte of a file with these contents.
    #[must_use]
    pub fn at_byte(path: &Path, contents: &[u8], at: usize) -> DataLocation {
        let before = contents.get(..at.min(contents.len())).unwrap_or_default();
        let line = memchr::memchr_iter(b'\n', before).count() + 1;
        let last = before.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
        DataLocation::new(path, contents, (line, String::from_utf8_lossy(last).chars().count() + 1))
    }

    /// Removes the text of the line, which may be secret: only the position is shown.
    #[must_use]
    pub fn without_text(self) -> DataLocation {
        DataLocation { text: None, ..self }
    }

    /// Makes this a further position, with a note about what is there.
    #[must_use]
    pub fn note(self, text: impl Into<Cow<'static, str>>) -> DataLocation {
        DataLocation { note: Some(text.into()), ..self }
    }

    /// The text of the line and the bytes of it that are underlined, for an excerpt.
    pub(crate) fn excerpt(&self) -> Option<(&str, Range<usize>)> {
        let (start, end) = self.underlined;
        self.text.as_deref().map(|text| (text, start as usize..end as usize))
    }
}

/// The length in bytes of the word at the start of a string, or of its first character.
fn word_length(text: &str) -> usize {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | ':');
    let length = text.find(|c: char| !is_part(c)).unwrap_or(text.len());
    let length = text.get(..length).map_or(0, |word| word.trim_end_matches(':').len());
    if length > 0 { length } else { text.chars().next().map_or(0, char::len_utf8) }
}

#[cfg(test)]
#[allow(clippy::expect_used, reason = "tests")]
mod tests {
    use super::DataLocation;
    use std::path::Path;

    #[test]
    fn a_position_keeps_its_line() {
        let text = "a: 1\nb::c: [é, x\r\n\nlast";
        let cases: [(usize, usize, (u32, u32), &str, &str); 8] = [
            (1, 1, (1, 1), "a: 1", "a"),
            (2, 1, (2, 1), "b::c: [é, x", "b::c"),
            (2, 8, (2, 8), "b::c: [é, x", "é"),
            (2, 99, (2, 12), "b::c: [é, x", ""),
            (3, 1, (3, 1), "", ""),
            (4, 2, (4, 2), "last", "ast"),
            (9, 3, (4, 5), "last", ""),
            (0, 0, (1, 1), "a: 1", "a"),
        ];
        for (line, column, position, shown, underlined) in cases {
            let location = DataLocation::new(Path::new("f"), text.as_bytes(), (line, column));
            let (text, range) = location.excerpt().expect("a short line");
            assert_eq!(((location.line, location.column), text), (position, shown), "{line}:{column}");
            assert_eq!(&text[range], underlined, "{line}:{column}");
        }
        let after_end = DataLocation::new(Path::new("f"), b"a: [1\n", (2, 1));
        assert_eq!((after_end.line, after_end.column), (1, 6));
        let byte = DataLocation::at_byte(Path::new("f"), text.as_bytes(), 12);
        assert_eq!((byte.line, byte.column), (2, 8));
        let long = "x".repeat(5000);
        assert!(DataLocation::new(Path::new("f"), long.as_bytes(), (1, 1)).excerpt().is_none());
        assert!(DataLocation::new(Path::new("f"), b"", (1, 1)).excerpt().is_some());
    }
}

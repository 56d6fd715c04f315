//! The bytes of one value in a YAML text, to replace it and leave the rest of the text as it is.
//!
//! In: a text and the keys that lead to a value. Out: a [`Scalar`]. Must not: write.

use std::ops::Range;

use libyaml_safer::EventData;
use libyaml_safer::ScalarStyle;

use super::search;

/// A scalar value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Scalar {
    /// Its bytes, with quotes or the header of a block scalar, without a line break at the end.
    pub bytes: Range<usize>,
    /// The string that it denotes.
    pub value: String,
    /// How it is written.
    pub style: Style,
    /// Whether it is in a list or hash in brackets or braces.
    pub in_flow: bool,
}

/// How a scalar is written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Style {
    /// Without quotes.
    Plain,
    /// In single quotes.
    SingleQuoted,
    /// In double quotes.
    DoubleQuoted,
    /// A block scalar, with the indentation of its lines.
    Block(String),
}

/// Why a path leads to no scalar that can be replaced.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ScalarError {
    /// There is no such value, or the text is not YAML.
    Missing,
    /// A list or hash.
    Collection,
    /// An alias of another value, or a value with an anchor or tag.
    Decorated,
}

/// The scalar at a path of a YAML text; numbers are indexes of lists.
///
/// # Errors
/// There is no such scalar.
pub fn scalar(text: &str, path: &[&str]) -> Result<Scalar, ScalarError> {
    // Positions are those of the text without it.
    let mark = text.len() - text.trim_start_matches('\u{feff}').len();
    let found = search(text, |search| search.document(path).map(|event| (event, search.in_flow))).flatten();
    let (event, in_flow) = found.ok_or(ScalarError::Missing)?;
    let (value, style) = match event.data {
        EventData::Scalar { anchor: None, tag: None, value, style, .. } => (value, style),
        EventData::Scalar { .. } | EventData::Alias { .. } => return Err(ScalarError::Decorated),
        _ => return Err(ScalarError::Collection),
    };
    let index = |at: u64| usize::try_from(at).unwrap_or(usize::MAX).saturating_add(mark).min(text.len());
    let start = index(event.start_mark.index);
    let written = text.get(start..index(event.end_mark.index)).ok_or(ScalarError::Missing)?;
    let written = written.trim_end_matches(['\n', '\r', ' ', '\t']);
    let style = match style {
        ScalarStyle::SingleQuoted => Style::SingleQuoted,
        ScalarStyle::DoubleQuoted => Style::DoubleQuoted,
        ScalarStyle::Literal | ScalarStyle::Folded => Style::Block(indentation(written).ok_or(ScalarError::Missing)?),
        _ => Style::Plain,
    };
    Ok(Scalar { bytes: start..start + written.len(), value, style, in_flow })
}

/// The indentation of the first line of a block scalar that is not blank; `None` if all are.
fn indentation(block: &str) -> Option<String> {
    let first = block.lines().skip(1).find(|line| !line.trim().is_empty())?;
    Some(first.chars().take_while(|letter| *letter == ' ').collect())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn scalars_have_their_bytes() {
        let yaml = "\u{feff}# ä\nplain: ü b # c\n'q': 'it''s'\nd: \"x\\n\"\nblock: |\n   one\n   two\n\n# end\nflow: {a: [1, x]}\nempty:\nlast: >-\n  z\n";
        for (path, written, value, style, in_flow) in [
            (&["plain"] as &[&str], "ü b", "ü b", Style::Plain, false),
            (&["q"], "'it''s'", "it's", Style::SingleQuoted, false),
            (&["d"], "\"x\\n\"", "x\n", Style::DoubleQuoted, false),
            (&["block"], "|\n   one\n   two", "one\ntwo\n", Style::Block("   ".to_owned()), false),
            (&["flow", "a", "1"], "x", "x", Style::Plain, true),
            (&["empty"], "", "", Style::Plain, false),
            (&["last"], ">-\n  z", "z", Style::Block("  ".to_owned()), false),
        ] {
            let found = scalar(yaml, path).unwrap();
            assert_eq!(yaml.get(found.bytes.clone()), Some(written), "{path:?}");
            assert_eq!((found.value.as_str(), found.style, found.in_flow), (value, style, in_flow), "{path:?}");
        }
        for (yaml, path, error) in [
            ("a: {b: 1}\n", &["a"] as &[&str], ScalarError::Collection),
            ("a: {b: 1}\n", &["c"], ScalarError::Missing),
            ("a: &x 1\nb: *x\nc: !!str 1\n", &["a"], ScalarError::Decorated),
            ("a: &x 1\nb: *x\nc: !!str 1\n", &["b"], ScalarError::Decorated),
            ("a: &x 1\nb: *x\nc: !!str 1\n", &["c"], ScalarError::Decorated),
            ("a: [\n", &["a", "1"], ScalarError::Missing),
        ] {
            assert_eq!(scalar(yaml, path).unwrap_err(), error, "{yaml} {path:?}");
        }
    }
}

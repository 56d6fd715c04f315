//! One format of a map: the letter, width, precision and flags of `%-10.3p`.
//!
//! In: a format, as a string or a hash. Out: its flags, width and precision; formatted strings. Must not: know values.
//! (`Puppet::Pops::Types::StringConverter::Format`)

use super::FormatMap;
use crate::value::convert::formats::merge;
use catwalk_base::meter;

/// One format: `%-#10.3s`, and for collections its separators and the formats of its elements.
#[derive(Clone, Debug)]
pub(super) struct Format {
    pub(super) text: String,
    pub(super) letter: char,
    pub(super) left: bool,
    pub(super) alt: bool,
    pub(super) space: bool,
    pub(super) delimiter: Option<char>,
    pub(super) width: Option<usize>,
    pub(super) precision: Option<usize>,
    pub(super) separator: Option<String>,
    pub(super) separator2: Option<String>,
    pub(super) elements: Option<FormatMap>,
}

impl Format {
    pub(super) fn parse(text: &str) -> Result<Format, String> {
        let invalid =
            || format!("The format '{text}' is not a valid format on the form '%<flags><width>.<prec><format>'");
        let body = text.strip_prefix('%').ok_or_else(invalid)?;
        let end = body.find(|c: char| !(c.is_whitespace() || "[+#0{<(|-".contains(c))).unwrap_or(body.len());
        let (flags, rest) = body.split_at_checked(end).ok_or_else(invalid)?;
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (width, rest) = rest.split_at_checked(digits).ok_or_else(invalid)?;
        let (precision, rest) = match rest.strip_prefix('.') {
            Some(rest) => {
                let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
                if digits == 0 {
                    return Err(invalid());
                }
                rest.split_at_checked(digits).map(|(n, rest)| (Some(n), rest)).ok_or_else(invalid)?
            }
            None => (None, rest),
        };
        let mut letters = rest.chars();
        let letter = letters.next().filter(char::is_ascii_alphabetic).ok_or_else(invalid)?;
        if letters.next().is_some() {
            return Err(invalid());
        }
        let mut unique = Vec::new();
        for flag in flags.chars() {
            if unique.contains(&flag) {
                return Err(format!("The same flag can only be used once, got '{text}'"));
            }
            unique.push(flag);
        }
        let delimiters: Vec<char> = ['[', '{', '(', '<', '|'].into_iter().filter(|d| unique.contains(d)).collect();
        if delimiters.len() > 1 {
            return Err(format!(
                "Only one of the delimiters [ {{ ( < | can be given in the format flags, got '{text}'"
            ));
        }
        Ok(Format {
            text: text.to_owned(),
            letter,
            left: unique.contains(&'-'),
            alt: unique.contains(&'#'),
            space: unique.contains(&' '),
            delimiter: delimiters.first().copied(),
            width: width.parse().ok(),
            precision: precision.and_then(|n| n.parse().ok()),
            separator: None,
            separator2: None,
            elements: None,
        })
    }

    /// Merges another format into this one.
    pub(super) fn merge(&self, other: &Format) -> Format {
        Format {
            separator: other.separator.clone().or_else(|| self.separator.clone()),
            separator2: other.separator2.clone().or_else(|| self.separator2.clone()),
            elements: merge(self.elements.as_ref(), other.elements.as_ref()),
            ..other.clone()
        }
    }

    pub(super) fn delimiters(&self, default: (&'static str, &'static str)) -> (&'static str, &'static str) {
        match self.delimiter {
            Some('[') => ("[", "]"),
            Some('{') => ("{", "}"),
            Some('(') => ("(", ")"),
            Some('<') => ("<", ">"),
            Some('|') => ("|", "|"),
            _ if self.space => ("", ""),
            _ => default,
        }
    }

    /// The format as a string with another letter; like Puppet's `tr`, it replaces every occurrence.
    pub(super) fn with_letter(&self, letter: char) -> String {
        self.text.chars().map(|c| if c == self.letter { letter } else { c }).collect()
    }

    /// Applies width and precision to a finished string.
    pub(super) fn apply(&self, text: &str) -> String {
        let truncated: String = match self.precision {
            Some(precision) => text.chars().take(precision).collect(),
            None => text.to_owned(),
        };
        let missing = self.width.unwrap_or(0).saturating_sub(truncated.chars().count());
        meter::check_string(missing);
        meter::charge(missing);
        let blanks = " ".repeat(missing);
        if self.left { format!("{truncated}{blanks}") } else { format!("{blanks}{truncated}") }
    }

    pub(super) fn refuse<T>(&self, kind: &str, expected: &str) -> Result<T, String> {
        Err(format!(
            "Illegal format '{}' specified for value of {kind} type - expected one of the characters '{expected}'",
            self.letter
        ))
    }
}

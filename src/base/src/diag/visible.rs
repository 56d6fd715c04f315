//! Replaces control characters in terminal output by visible signs.
//!
//! In: output with parts of manifests, data or file names. Out: the output with signs in place of characters that move the cursor,
//! ring the bell, or change the title or the direction of writing, as in excerpts of source code. Newlines and tabs are unchanged.

use std::borrow::Cow;

/// The visible sign for a character that must not reach a terminal.
fn sign(character: char) -> Option<char> {
    match character {
        '\n' | '\t' => None,
        '\0'..='\u{1f}' => char::from_u32(0x2400 + u32::from(character)),
        '\u{7f}' => Some('\u{2421}'),
        '\u{80}'..='\u{9f}' => Some(char::REPLACEMENT_CHARACTER),
        // Marks that change the direction of the following text ("Trojan source").
        '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            Some(char::REPLACEMENT_CHARACTER)
        }
        _ => None,
    }
}

fn is_plain(text: &str) -> bool {
    // The first UTF-8 bytes of all other replaced characters.
    !text.bytes().any(|byte| (byte < 0x20 && !matches!(byte, b'\n' | b'\t')) || matches!(byte, 0x7f | 0xc2 | 0xe2))
}

/// Replaces control characters by visible signs.
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    if is_plain(text) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(|character| sign(character).unwrap_or(character)).collect())
}

/// Replaces control characters in coloured output, except in colour sequences such as `ESC [ 31 m`.
#[must_use]
pub fn visible_styled(text: &str) -> Cow<'_, str> {
    if is_plain(text) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\u{1b}') {
        let (before, from) = rest.split_at(at);
        out.push_str(&visible(before));
        let length = style(from).unwrap_or(1);
        let (sequence, after) = from.split_at(length);
        if length > 1 {
            out.push_str(sequence)
        } else {
            out.push_str(&visible(sequence))
        }
        rest = after;
    }
    out.push_str(&visible(rest));
    Cow::Owned(out)
}

/// The length of the escape sequence for a style at the start of `text`.
fn style(text: &str) -> Option<usize> {
    let parameters = text.strip_prefix("\u{1b}[")?;
    let end = parameters.find(|c: char| !c.is_ascii_digit() && c != ';')?;
    parameters.get(end..)?.starts_with('m').then_some(end + 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_shown() {
        assert_eq!(visible("a\n\tb ünïcode €"), "a\n\tb ünïcode €");
        assert_eq!(visible("\u{1b}]0;title\u{7}\r\u{8}\u{7f}"), "␛]0;title␇␍␈␡");
        assert_eq!(visible("\u{9b}2J\u{202e}x"), "\u{fffd}2J\u{fffd}x");
        assert_eq!(visible_styled("\u{1b}[1;31mred\u{1b}[0m \u{1b}[2J\u{1b}"), "\u{1b}[1;31mred\u{1b}[0m ␛[2J␛");
    }
}

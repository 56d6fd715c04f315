//! Replaces characters in output that a terminal, a log or a build server would interpret.
//!
//! In: output with parts of manifests, data, requests or file names. Out: the output with visible signs in place of characters that move
//! the cursor, ring the bell, or change the title or the direction of writing, as in excerpts of source code. Must not: know formats.
//!
//! | function | newlines | for |
//! |---|---|---|
//! | [`visible`] | unchanged | text of several lines, whose writer has placed the newlines |
//! | [`visible_styled`] | unchanged | the same, with colours |
//! | [`line`] | visible | one line of a log or list, and any name in it |
//! | [`message`] | later lines are indented | a message of unknown origin that begins at the left margin |
//! | [`run_message`] | later lines are indented if they read as a message | messages of a run, which are Puppet's |
//! | [`json`] | | a JSON document on one line |
//!
//! A line that a build server would run as a command is preceded by `| ` (see [`crate::workflow`]).

use std::borrow::Cow;

use crate::workflow;

/// The indentation of later lines of a [`message`], so that none of them reads as a message of its own.
const INDENT: &str = "  ";

/// The visible sign for a character that must not reach a terminal.
fn sign(character: char) -> Option<char> {
    match character {
        '\n' | '\t' => None,
        '\0'..='\u{1f}' => char::from_u32(0x2400 + u32::from(character)),
        '\u{7f}' => Some('\u{2421}'),
        character if is_deceptive(character) => Some(char::REPLACEMENT_CHARACTER),
        _ => None,
    }
}

/// Whether a character outside of ASCII controls a terminal, separates lines, or changes the direction of the following text ("Trojan
/// source").
fn is_deceptive(character: char) -> bool {
    matches!(
        character,
        '\u{80}'..='\u{9f}'
            | '\u{61c}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}'
    )
}

fn is_plain(text: &str) -> bool {
    // The first UTF-8 bytes of all other replaced characters.
    !text
        .bytes()
        .any(|byte| (byte < 0x20 && !matches!(byte, b'\n' | b'\t')) || matches!(byte, 0x7f | 0xc2 | 0xd8 | 0xe2))
}

/// Replaces control characters other than newlines and tabs by visible signs.
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    match signs(text) {
        Cow::Borrowed(text) => workflow::without_commands(text),
        Cow::Owned(text) => Cow::Owned(workflow::without_commands(&text).into_owned()),
    }
}

fn signs(text: &str) -> Cow<'_, str> {
    if is_plain(text) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(|character| sign(character).unwrap_or(character)).collect())
}

/// Replaces control characters by visible signs, and newlines by `␊`, so that the result is one line.
#[must_use]
pub fn line(text: &str) -> Cow<'_, str> {
    match visible(text) {
        shown if shown.contains('\n') => Cow::Owned(shown.replace('\n', "\u{240a}")),
        shown => shown,
    }
}

/// Replaces control characters by visible signs, and indents all lines after the first. Newlines at the end are removed.
#[must_use]
pub fn message(text: &str) -> Cow<'_, str> {
    match visible(text.trim_end_matches('\n')) {
        shown if shown.contains('\n') => Cow::Owned(shown.replace('\n', &format!("\n{INDENT}"))),
        shown => shown,
    }
}

/// The levels with which Puppet's messages on a console begin.
const LEVELS: [&str; 9] = ["debug", "info", "notice", "warning", "error", "err", "alert", "emergency", "critical"];

/// Replaces control characters of a message of a run by visible signs, and indents those later lines that read as a message of their
/// own: `Notice: …`. Other lines are as Puppet prints them.
#[must_use]
pub fn run_message(text: &str) -> Cow<'_, str> {
    let shown = visible(text.trim_end_matches('\n'));
    let reads_as_message = |line: &str| {
        let name: String = line.trim_start().chars().take_while(char::is_ascii_alphabetic).collect();
        LEVELS.contains(&name.to_ascii_lowercase().as_str())
    };
    if !shown.split('\n').skip(1).any(reads_as_message) {
        return shown;
    }
    let mut lines = shown.split('\n');
    let mut out = lines.next().unwrap_or_default().to_owned();
    for line in lines {
        out.push('\n');
        if reads_as_message(line) {
            out.push_str(INDENT);
        }
        out.push_str(line);
    }
    Cow::Owned(out)
}

/// Escapes the characters of a JSON document that control a terminal or begin a command of a build server. The document means the same.
#[must_use]
pub fn json(document: &str) -> Cow<'_, str> {
    match workflow::without_commands(document) {
        Cow::Borrowed(document) => escape_json(document),
        // Only strings contain `##`.
        Cow::Owned(_) => Cow::Owned(escape_json(&document.replace("##", "#\\u0023")).into_owned()),
    }
}

fn escape_json(document: &str) -> Cow<'_, str> {
    let escaped = |character: char| character == '\u{7f}' || is_deceptive(character);
    if is_plain(document) || !document.contains(escaped) {
        return Cow::Borrowed(document);
    }
    let mut out = String::with_capacity(document.len() + 16);
    for character in document.chars() {
        match escaped(character) {
            true => out.push_str(&format!("\\u{:04x}", u32::from(character))),
            false => out.push(character),
        }
    }
    Cow::Owned(out)
}

/// Replaces control characters in coloured output, except in colour sequences such as `ESC [ 31 m`.
#[must_use]
pub fn visible_styled(text: &str) -> Cow<'_, str> {
    if is_plain(text) {
        return workflow::without_commands(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\u{1b}') {
        let (before, from) = rest.split_at(at);
        out.push_str(&signs(before));
        let length = style(from).unwrap_or(1);
        let (sequence, after) = from.split_at(length);
        if length > 1 {
            out.push_str(sequence)
        } else {
            out.push_str(&signs(sequence))
        }
        rest = after;
    }
    out.push_str(&signs(rest));
    Cow::Owned(workflow::without_commands(&out).into_owned())
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
        assert_eq!(visible("a\u{2028}b\u{2029}c\u{61c}d\u{85}"), "a\u{fffd}b\u{fffd}c\u{fffd}d\u{fffd}");
        assert_eq!(visible("عربى"), "عربى");
        assert_eq!(visible_styled("\u{1b}[1;31mred\u{1b}[0m \u{1b}[2J\u{1b}"), "\u{1b}[1;31mred\u{1b}[0m ␛[2J␛");
    }

    #[test]
    fn a_line_stays_one_line() {
        assert_eq!(line("a\nb\r\nc\n"), "a␊b␍␊c␊");
        assert_eq!(line("plain"), "plain");
    }

    #[test]
    fn later_lines_of_a_message_are_indented() {
        assert_eq!(message("a\nNotice: b\n\n"), "a\n  Notice: b");
        assert_eq!(message("a\n\nb"), "a\n  \n  b");
        assert_eq!(message("a"), "a");
    }

    #[test]
    fn later_lines_of_a_run_forge_no_message() {
        assert_eq!(run_message("a\nReturned values: b\n"), "a\nReturned values: b");
        assert_eq!(run_message("a\nNotice: b\n ERROR: c\nd"), "a\n  Notice: b\n   ERROR: c\nd");
    }

    #[test]
    fn json_means_the_same() {
        let value = serde_json::json!({"a": "x\u{9b}2J\u{202e}\u{7f}\n€ ##[error]"}).to_string();
        let escaped = json(&value);
        assert_eq!(escaped, "{\"a\":\"x\\u009b2J\\u202e\\u007f\\n€ #\\u0023[error]\"}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&escaped).ok(), serde_json::from_str(&value).ok());
    }
}

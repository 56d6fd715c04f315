//! `Shellwords`.

/// `Shellwords.shellescape`
pub fn shellescape(text: &str) -> String {
    if text.is_empty() {
        return "''".to_owned();
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '\n' => out.push_str("'\n'"),
            'A'..='Z' | 'a'..='z' | '0'..='9' | '_' | '-' | '.' | ',' | ':' | '+' | '/' | '@' => out.push(c),
            _ => {
                out.push('\\');
                out.push(c);
            }
        }
    }
    out
}

/// `Shellwords.shellsplit`; `None` for an unclosed quote, where Ruby raises `Unmatched quote`.
pub fn shellsplit(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        let after = &rest[c.len_utf8()..];
        rest = match c {
            '\'' => {
                let end = after.find('\'')?;
                word.get_or_insert_default().push_str(&after[..end]);
                &after[end + 1..]
            }
            '"' => double_quoted(after, word.get_or_insert_default())?,
            '\\' => {
                let mut chars = after.chars();
                let word = word.get_or_insert_default();
                // A backslash before a line end, or at the end of the string, is a literal.
                match chars.next() {
                    None => word.push('\\'),
                    Some('\n') => word.push_str("\\\n"),
                    Some(c) => word.push(c),
                }
                chars.as_str()
            }
            c if c.is_ascii_whitespace() || c == '\x0b' => {
                words.extend(word.take());
                after
            }
            c => {
                word.get_or_insert_default().push(c);
                after
            }
        };
    }
    words.extend(word);
    Some(words)
}

/// Reads up to the closing double quote; `None` without one.
fn double_quoted<'a>(text: &'a str, word: &mut String) -> Option<&'a str> {
    let mut chars = text.chars();
    loop {
        match chars.next()? {
            '"' => return Some(chars.as_str()),
            '\\' => match chars.next()? {
                // Between double quotes, a backslash escapes only these characters.
                c @ ('$' | '`' | '"' | '\\' | '\n') => word.push(c),
                c => word.extend(['\\', c]),
            },
            c => word.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn words() {
        assert_eq!(shellescape("a b'c\n"), "a\\ b\\'c'\n'");
        assert_eq!(shellsplit("a 'b c' \"d\\\" \\e\"f g\\ h").unwrap(), ["a", "b c", "d\" \\ef", "g h"]);
        assert_eq!(shellsplit("a 'b"), None);
        assert_eq!(shellsplit("a\\\nb \\").unwrap(), ["a\\\nb", "\\"]);
    }
}

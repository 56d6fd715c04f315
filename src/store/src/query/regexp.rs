//! PostgreSQL's advanced regular expressions, translated for `fancy-regex`.
//!
//! The differences that matter in queries: `.` matches a newline; `\m`, `\M`, `\y` and `\Y` are about word boundaries; `\Z` is the end.

use fancy_regex::Regex;
use fancy_regex::RegexBuilder;

/// The most steps of a match; a match that needs more fails.
const MAX_STEPS: usize = 1_000_000;
/// The largest size of a compiled pattern, in bytes.
const MAX_SIZE: usize = 10 << 20;

/// Compiles a pattern.
///
/// # Errors
/// It is not a regular expression; the message is PostgreSQL's for the usual mistakes.
pub(super) fn compile(pattern: &str) -> Result<Regex, String> {
    let failed = |why: &str| format!("ERROR: invalid regular expression: {why}");
    if let Some(why) = mistake(pattern) {
        return Err(failed(why));
    }
    let mut builder = RegexBuilder::new(&format!("(?s){}", translate(pattern)));
    builder.backtrack_limit(MAX_STEPS).delegate_size_limit(MAX_SIZE);
    builder.build().map_err(|error| failed(&error.to_string()))
}

/// Whether a pattern matches anywhere in `text`. One that needs too many steps does not match.
pub(super) fn is_match(pattern: &Regex, text: &str) -> bool {
    pattern.is_match(text).unwrap_or(false)
}

fn translate(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len());
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('m') => out.push_str(r"\b(?=\w)"),
            Some('M') => out.push_str(r"\b(?<=\w)"),
            Some('y') => out.push_str(r"\b"),
            Some('Y') => out.push_str(r"\B"),
            Some('Z') => out.push_str(r"\z"),
            Some(other) => out.extend(['\\', other]),
            None => out.push('\\'),
        }
    }
    out
}

/// PostgreSQL's message for the most common mistakes in a pattern.
fn mistake(pattern: &str) -> Option<&'static str> {
    let chars: Vec<char> = pattern.chars().collect();
    let (mut at, mut depth, mut operand) = (0, 0_usize, false);
    while let Some(c) = chars.get(at) {
        match c {
            '\\' if at + 1 == chars.len() => return Some(r"invalid escape \ sequence"),
            '\\' => {
                at += 1;
                operand = true;
            }
            '[' => match bracket_end(&chars, at) {
                Some(end) => {
                    at = end;
                    operand = true;
                }
                None => return Some("brackets [] not balanced"),
            },
            '(' => {
                depth += 1;
                operand = false;
                // The `?` in `(?…` is not a quantifier.
                at += usize::from(chars.get(at + 1) == Some(&'?'));
            }
            ')' if depth == 0 => return Some("parentheses () not balanced"),
            ')' => {
                depth -= 1;
                operand = true;
            }
            '|' => operand = false,
            '*' | '+' | '?' if !operand => return Some("quantifier operand invalid"),
            '{' if chars.get(at + 1).is_some_and(char::is_ascii_digit) => {
                if let Some(why) = bad_count(&chars[at + 1..]) {
                    return Some(why);
                }
            }
            _ => operand = true,
        }
        at += 1;
    }
    (depth > 0).then_some("parentheses () not balanced")
}

/// The end of the bracket expression that starts at `at`.
fn bracket_end(chars: &[char], at: usize) -> Option<usize> {
    let mut end = at + 1;
    end += usize::from(chars.get(end) == Some(&'^'));
    end += usize::from(chars.get(end) == Some(&']'));
    while let Some(c) = chars.get(end) {
        match c {
            ']' => return Some(end),
            '\\' => end += 1,
            '[' if matches!(chars.get(end + 1), Some(':' | '.' | '=')) => {
                let mark = chars[end + 1];
                end += 2;
                while end + 1 < chars.len() && !(chars[end] == mark && chars[end + 1] == ']') {
                    end += 1;
                }
                end += 1;
            }
            _ => {}
        }
        end += 1;
    }
    None
}

/// PostgreSQL's message if the counts in `{m,n}` are invalid.
fn bad_count(rest: &[char]) -> Option<&'static str> {
    let text: String = rest.iter().take_while(|c| **c != '}').collect();
    let (from, to) = text.split_once(',').unwrap_or((&text, ""));
    let (from, to) = (from.parse::<u32>().ok()?, to.parse::<u32>().ok());
    let bad = from > 255 || to.is_some_and(|to| to > 255 || to < from);
    bad.then_some("invalid repetition count(s)")
}

//! Parts of Markdown for comments in GitHub and GitLab, with strings that anybody may have written.
//!
//! In: names, values, text. Out: Markdown that shows them and does nothing else: no formatting, HTML, links, or notified users
//! (`@name`). Must not: know reports.

use std::borrow::Cow;

use crate::visible;

/// A name in a sentence or heading: as it is written if it is only a name, else as code.
#[must_use]
pub fn name(text: &str) -> Cow<'_, str> {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | '/' | ':' | ' ' | ',' | '…');
    let is_emphasis = |word: &str| word.starts_with('_') || word.ends_with('_');
    let is_word = !text.is_empty() && text.trim() == text && !text.split(' ').any(is_emphasis);
    match is_word && !text.contains("://") && text.chars().all(is_plain) {
        true => Cow::Borrowed(text),
        false => Cow::Owned(code(text)),
    }
}

/// Names with commas between them, at most `most`, and the number of the others.
#[must_use]
pub fn names(all: &[impl AsRef<str>], most: usize) -> String {
    let first: Vec<Cow<'_, str>> = all.iter().take(most).map(|one| name(one.as_ref())).collect();
    match all.len().saturating_sub(most) {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

/// A string as code within a line.
#[must_use]
pub fn code(text: &str) -> String {
    let text = visible::line(text);
    let ticks = "`".repeat(longest_run(&text) + 1);
    // One blank is removed at each end.
    let blank = if text.starts_with('`') || text.ends_with('`') || text.trim().is_empty() { " " } else { "" };
    format!("{ticks}{blank}{text}{blank}{ticks}")
}

/// A sentence of this program that contains strings of a site: without formatting and on one line.
#[must_use]
pub fn sentence(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in visible::line(text).chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            // GitHub recognizes `@name`, even after a backslash.
            '@' => out.push_str("@\u{2060}"),
            '\\' | '*' | '[' | ']' | '|' | '~' | '#' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}

/// Text of several lines between fences that are longer than those in it.
#[must_use]
pub fn fenced(language: &str, text: &str) -> String {
    let text = visible::visible(text);
    let fence = "`".repeat(longest_run(&text).max(2) + 1);
    format!("{fence}{language}\n{}\n{fence}\n", text.trim_end_matches('\n'))
}

/// A name in an element of HTML, where Markdown is not read.
#[must_use]
pub fn html(text: &str) -> String {
    let text = visible::line(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    // Between tags, GitHub still recognizes `@name`.
    text.replace('@', "@\u{2060}")
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_shown_and_do_nothing() {
        let cases = [
            ("web1.example.com", "web1.example.com"),
            ("fedora/web 1", "fedora/web 1"),
            ("a_b", "a_b"),
            ("__init__", "`__init__`"),
            ("@everybody", "`@everybody`"),
            ("a`b", "``a`b``"),
            ("`", "`` ` ``"),
            ("<img src=x>", "`<img src=x>`"),
            ("a\n# b", "`a␊# b`"),
            ("http://x", "`http://x`"),
        ];
        for (text, expected) in cases {
            assert_eq!(name(text), expected);
        }
        assert_eq!(names(&["a", "@b", "c"], 2), "a, `@b` and 1 more");
        assert_eq!(fenced("diff", "a\n````\n"), "`````diff\na\n````\n`````\n");
        assert_eq!(sentence("`x` of <b> @me *y*\n# z"), "`x` of &lt;b&gt; @\u{2060}me \\*y\\*␊\\# z");
        assert_eq!(html("<a> @b"), "&lt;a&gt; @\u{2060}b");
    }
}

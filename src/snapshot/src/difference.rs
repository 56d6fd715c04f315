//! Differences of long strings, for failed expectations.
//!
//! In: the value of a parameter, the expected string or pattern. Out: what is expected first, then the lines that matter. Must not: compare
//! values.

use similar::ChangeTag;

use catwalk_base::line_diff::diff_lines;
use catwalk_base::names::similarity;

/// The longest string that is printed whole, in one line.
const MAX_WHOLE: usize = 120;
/// The number of lines around a change.
const CONTEXT: usize = 1;
/// The maximum number of lines of a difference.
const MAX_LINES: usize = 20;
/// The maximum number of characters of a line.
const MAX_LINE: usize = 160;
/// The number of lines that are printed for a pattern.
const NEAREST: usize = 3;
/// The maximum number of lines of strings whose difference is computed.
const MAX_DIFFED: usize = 3000;
/// The maximum number of lines that are compared with a pattern.
const MAX_COMPARED: usize = 2000;

fn is_short(text: &str) -> bool {
    text.len() <= MAX_WHOLE && !text.trim_end_matches('\n').contains('\n')
}

fn shortened(line: &str) -> String {
    let line = line.trim_end_matches(['\n', '\r']);
    match line.char_indices().nth(MAX_LINE) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line.to_owned(),
    }
}

/// What differs between a string and the expected one, as a difference of lines; `None` if both are short.
#[must_use]
pub(crate) fn between(is: &str, expected: &str) -> Option<String> {
    if is_short(is) && is_short(expected) {
        return None;
    }
    let is_long = |text: &str| text.lines().count() > MAX_DIFFED;
    if is_long(is) || is_long(expected) {
        return Some(first_difference(is, expected));
    }
    let diff = diff_lines(expected, is);
    let mut lines = Vec::new();
    for group in diff.grouped_ops(CONTEXT) {
        if !lines.is_empty() {
            lines.push("  …".to_owned());
        }
        for change in group.iter().flat_map(|operation| diff.iter_changes(operation)) {
            let sign = match change.tag() {
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
                ChangeTag::Equal => ' ',
            };
            let end = if change.missing_newline() { " (no line break at the end)" } else { "" };
            lines.push(format!("  {sign} {}{end}", shortened(change.value())));
        }
    }
    let more = lines.len().saturating_sub(MAX_LINES);
    lines.truncate(MAX_LINES);
    if more > 0 {
        lines.push(format!("  … {more} more lines differ"));
    }
    let heading = format!("is not as expected ({}; - expected, + is)", size(is));
    Some(format!("{heading}:\n{}", lines.join("\n")))
}

/// The first line that differs, for strings that are too long for a complete comparison.
fn first_difference(is: &str, expected: &str) -> String {
    let same = is.lines().zip(expected.lines()).take_while(|(is, expected)| is == expected).count();
    let line = |text: &str| text.lines().nth(same).map_or_else(|| "(end)".to_owned(), shortened);
    let (expected, number) = (line(expected), same + 1);
    format!("is not as expected ({}), first in line {number}:\n  - {expected}\n  + {}", size(is), line(is))
}

/// A pattern that does not occur in a long string, and the lines that are most similar to it; `None` if the string is short.
#[must_use]
pub(crate) fn from_pattern(is: &str, pattern: &str) -> Option<String> {
    if is_short(is) {
        return None;
    }
    // The signs of a regular expression are no words of the lines.
    let words: String =
        pattern.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '_' | '-')).take(MAX_LINE).collect();
    let words = words.trim();
    let score = |line: &str| {
        let line: String = line.chars().take(MAX_LINE).collect();
        // A line with a whole word of the pattern is nearer than one with similar letters.
        let common: usize = words.split(' ').filter(|word| word.len() > 1 && line.contains(word)).map(str::len).sum();
        (common, similarity(words, line.trim()))
    };
    let lines = is.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()).take(MAX_COMPARED);
    let mut nearest: Vec<((usize, f32), usize, &str)> = lines.map(|(at, line)| (score(line), at, line)).collect();
    nearest.sort_by(|((common, score), ..), ((other_common, other_score), ..)| {
        other_common.cmp(common).then(other_score.total_cmp(score))
    });
    nearest.truncate(NEAREST);
    nearest.sort_by_key(|(_, at, _)| *at);
    let lines: Vec<String> =
        nearest.iter().map(|(_, at, line)| format!("  {:>4} | {}", at + 1, shortened(line))).collect();
    Some(format!("does not match {pattern} ({}); the nearest lines:\n{}", size(is), lines.join("\n")))
}

fn size(text: &str) -> String {
    let lines = text.lines().count();
    format!("{lines} line{}, {} bytes", if lines == 1 { "" } else { "s" }, text.len())
}

#[cfg(test)]
#[allow(clippy::expect_used, reason = "tests")]
mod tests {
    use super::between;
    use super::from_pattern;

    #[test]
    fn long_strings_are_compared_by_lines() {
        let text: String = (1..=60).map(|number| format!("setting{number} = value {number}\n")).collect();
        let changed = text.replace("value 7\n", "other\n");
        let shown = between(&changed, &text).expect("a difference");
        assert!(shown.starts_with("is not as expected (60 lines, "), "{shown}");
        assert!(shown.contains("  - setting7 = value 7\n  + setting7 = other\n"), "{shown}");
        assert!(shown.lines().count() <= 6 && !shown.contains("setting40"), "{shown}");
        assert_eq!(between("a", "b"), None);
        assert!(between("a\nb", "a\nb\n").is_some_and(|shown| shown.contains("no line break")));

        let shown = from_pattern(&text, "/^setting44 = valeu 44$/").expect("the nearest lines");
        assert!(shown.starts_with("does not match /^setting44 = valeu 44$/ (60 lines, "), "{shown}");
        assert!(shown.contains("    44 | setting44 = value 44"), "{shown}");
        let long = "x".repeat(4000);
        assert!(from_pattern(&long, "y").is_some_and(|shown| shown.len() < 300), "{long}");
    }
}

//! Patterns with `*`, `?`, `[a-z]` and `{a,b}`.
//!
//! In: a pattern. Out: a matcher for names, or why the pattern is malformed. Must not: search for files (see `world::glob`).

use globset::GlobBuilder;
use globset::GlobMatcher;

/// The longest pattern in bytes. The crate `globset` panics if the regular expression of a pattern is too large or nested too
/// deeply.
const LONGEST: usize = 4096;

/// The most pairs of braces.
const MOST_BRACES: usize = 50;

/// A pattern that matches whole names.
///
/// # Errors
/// The pattern is malformed, longer than 4096 bytes, or has more than 50 pairs of braces.
pub fn matcher(pattern: &str, any_case: bool) -> Result<GlobMatcher, String> {
    if pattern.len() > LONGEST {
        return Err(format!("a pattern may have at most {LONGEST} bytes, this one has {}", pattern.len()));
    }
    let (mut open, mut escaped) = (0, false);
    for byte in pattern.bytes() {
        open += usize::from(byte == b'{' && !escaped);
        escaped = byte == b'\\' && !escaped;
    }
    if open > MOST_BRACES {
        return Err(format!("a pattern may have at most {MOST_BRACES} pairs of braces"));
    }
    let glob = GlobBuilder::new(pattern).case_insensitive(any_case).backslash_escape(true).build();
    #[allow(clippy::disallowed_methods, reason = "the only caller: short patterns compile")]
    glob.map(|glob| glob.compile_matcher()).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn the_longest_patterns_compile_and_longer_ones_are_refused() {
        for part in ["?", "*", "**/", "[!a]", "[a-z0-9A-Z_]", "é", "[é-ü]", "a", "\\*"] {
            for any_case in [false, true] {
                assert!(matcher(&part.repeat(LONGEST / part.len()), any_case).is_ok(), "{part}");
                let error = matcher(&part.repeat(LONGEST), any_case);
                assert!(part.len() == 1 || error.unwrap_err().contains("at most 4096 bytes"), "{part}");
            }
        }
        for pairs in 0..300 {
            for (open, close) in [("{a?,", "}"), ("{\\},", "}"), ("{[}],", "}"), ("{a,b}", "")] {
                let made = matcher(&format!("{}b{}", open.repeat(pairs), close.repeat(pairs)), true);
                assert_eq!(made.is_ok(), pairs <= MOST_BRACES, "{open} {pairs}");
            }
        }
        assert!(matcher(&"\\{".repeat(300), false).is_ok());
        assert!(matcher("[a", false).is_err());
    }
}

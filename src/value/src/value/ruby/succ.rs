//! `String#succ`

/// A character that can be incremented: a digit or a letter of any script.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Digit,
    Letter,
}

fn kind(c: char) -> Option<Kind> {
    match c {
        '0'..='9' => Some(Kind::Digit),
        'a'..='z' | 'A'..='Z' => Some(Kind::Letter),
        c if c.is_ascii() => None,
        c if c.is_numeric() && is_unicode_digit(c) => Some(Kind::Digit),
        c if c.is_alphabetic() => Some(Kind::Letter),
        _ => None,
    }
}

/// Whether a character beyond ASCII is a decimal digit: decimal digits are runs of ten numeric characters that are not letters.
fn is_unicode_digit(c: char) -> bool {
    static DIGITS: std::sync::LazyLock<Option<regex::Regex>> =
        std::sync::LazyLock::new(|| regex::Regex::new(r"\A\p{Nd}\z").ok());
    DIGITS.as_ref().is_some_and(|digits| digits.is_match(c.encode_utf8(&mut [0; 4])))
}

/// The next character with as many bytes. Code points that are not characters are skipped.
fn next_same_length(c: char) -> Option<char> {
    let next = (u32::from(c) + 1..=u32::from(char::MAX)).find_map(char::from_u32)?;
    (next.len_utf8() == c.len_utf8()).then_some(next)
}

/// The previous character with as many bytes.
fn previous_same_length(c: char) -> Option<char> {
    let previous = (0..u32::from(c)).rev().find_map(char::from_u32)?;
    (previous.len_utf8() == c.len_utf8()).then_some(previous)
}

/// The next character of a kind, or the first of its run with a carry. One character of a different kind in between is skipped.
/// (`enc_succ_alnum_char`)
fn increment(c: char, own_kind: Kind) -> (char, bool) {
    let first = next_same_length(c);
    let next = [first, first.and_then(next_same_length)].into_iter().flatten().find(|c| kind(*c) == Some(own_kind));
    match next {
        Some(next) => (next, false),
        None => {
            let run =
                std::iter::successors(Some(c), |c| previous_same_length(*c).filter(|c| kind(*c) == Some(own_kind)));
            (run.last().unwrap_or(c), true)
        }
    }
}

/// `String#succ`: increments the rightmost letter or digit and carries to the left; without any, increments the last character.
pub fn succ(text: &str) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    if !chars.iter().any(|c| kind(*c).is_some()) {
        return increment_without_alnum(chars);
    }
    let mut last_alnum: Option<(usize, Kind)> = None;
    let mut at = chars.len();
    while at > 0 {
        at -= 1;
        let Some(&c) = chars.get(at) else { break };
        let Some(own_kind) = kind(c) else {
            // A mark between a digit and a letter stops the carry: `1.9` becomes `2.0`, `a.9` becomes `a.10`.
            if last_alnum.is_some_and(|(_, last)| !carries_over(&chars, at, last)) {
                break;
            }
            continue;
        };
        last_alnum = Some((at, own_kind));
        let (next, carry) = increment(c, own_kind);
        if let Some(c) = chars.get_mut(at) {
            *c = next;
        }
        if !carry {
            return chars.into_iter().collect();
        }
    }
    // The leftmost letter or digit carries: the first character of its run is inserted before it, for digits the second.
    if let Some((at, own_kind)) = last_alnum {
        let first = chars.get(at).copied().unwrap_or('a');
        chars.insert(at, if own_kind == Kind::Digit { next_same_length(first).unwrap_or(first) } else { first });
    }
    chars.into_iter().collect()
}

/// Whether the letter or digit left of a mark has the same kind as the last character that carried.
fn carries_over(chars: &[char], mark: usize, last: Kind) -> bool {
    let left = chars.get(..mark).unwrap_or_default().iter().rev().find_map(|c| kind(*c));
    left == Some(last)
}

fn increment_without_alnum(mut chars: Vec<char>) -> String {
    for c in chars.iter_mut().rev() {
        if let Some(next) = next_same_length(*c) {
            *c = next;
            return chars.into_iter().collect();
        }
        // The last character with this number of bytes becomes the first one, and the character before it is incremented.
        *c = match c.len_utf8() {
            1 => '\0',
            2 => '\u{80}',
            3 => '\u{800}',
            _ => '\u{10000}',
        };
    }
    if !chars.is_empty() {
        chars.insert(0, '\u{1}');
    }
    chars.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_incremented_like_in_ruby() {
        let after = ["az", "zz", "a9", "Zz", "1.9", "host09", "-9", "<<koala>>", "***", "", "1.9.9"].map(succ);
        assert_eq!(after, ["ba", "aaa", "b0", "AAa", "2.0", "host10", "-10", "<<koalb>>", "**+", "", "2.0.0"]);
        let after = ["a.9", "9.z", "9-9", "z--9", "1--9", "a.z"].map(succ);
        assert_eq!(after, ["a.10", "9.aa", "10-0", "z--10", "2--0", "b.a"]);
        let after = ["{\u{7f}", "\u{7f}", "ö", "éz"].map(succ);
        assert_eq!(after, ["|\0", "\u{1}\0", "ø", "êa"]);
    }
}

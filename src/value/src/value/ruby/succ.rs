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
        c if c.is_numeric() && unicode_digit(c) => Some(Kind::Digit),
        c if c.is_alphabetic() => Some(Kind::Letter),
        _ => None,
    }
}

/// Whether a character beyond ASCII is a decimal digit: those are in runs of ten, each a number that is not a letter.
fn unicode_digit(c: char) -> bool {
    static DIGITS: std::sync::LazyLock<Option<regex::Regex>> =
        std::sync::LazyLock::new(|| regex::Regex::new(r"\A\p{Nd}\z").ok());
    DIGITS.as_ref().is_some_and(|digits| digits.is_match(c.encode_utf8(&mut [0; 4])))
}

/// The next character with as many bytes; code points that are not characters are skipped.
fn after(c: char) -> Option<char> {
    let next = (u32::from(c) + 1..=u32::from(char::MAX)).find_map(char::from_u32)?;
    (next.len_utf8() == c.len_utf8()).then_some(next)
}

/// The previous character with as many bytes.
fn before(c: char) -> Option<char> {
    let previous = (0..u32::from(c)).rev().find_map(char::from_u32)?;
    (previous.len_utf8() == c.len_utf8()).then_some(previous)
}

/// The next of a kind, or the first of its run, which carries. One character between may be something else.
/// (`enc_succ_alnum_char`)
fn next(c: char, own: Kind) -> (char, bool) {
    let first = after(c);
    let found = [first, first.and_then(after)].into_iter().flatten().find(|c| kind(*c) == Some(own));
    match found {
        Some(next) => (next, false),
        None => {
            let run = std::iter::successors(Some(c), |c| before(*c).filter(|c| kind(*c) == Some(own)));
            (run.last().unwrap_or(c), true)
        }
    }
}

/// `String#succ`: the rightmost letters and digits are incremented, carrying to the left; without any the last character does.
pub fn succ(text: &str) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    if !chars.iter().any(|c| kind(*c).is_some()) {
        return next_without_alnum(chars);
    }
    let mut last_alnum: Option<(usize, Kind)> = None;
    let mut at = chars.len();
    while at > 0 {
        at -= 1;
        let Some(&c) = chars.get(at) else { break };
        let Some(own) = kind(c) else {
            // Nothing carries over a mark between a digit and a letter: `1.9` becomes `2.0`, `a.9` becomes `a.10`.
            if last_alnum.is_some_and(|(_, last)| !carries_over(&chars, at, last)) {
                break;
            }
            continue;
        };
        last_alnum = Some((at, own));
        let (next, carry) = next(c, own);
        if let Some(place) = chars.get_mut(at) {
            *place = next;
        }
        if !carry {
            return chars.into_iter().collect();
        }
    }
    // The carry left the leftmost letter or digit: it grows by the first of its run, of digits by the one after.
    if let Some((at, own)) = last_alnum {
        let first = chars.get(at).copied().unwrap_or('a');
        chars.insert(at, if own == Kind::Digit { after(first).unwrap_or(first) } else { first });
    }
    chars.into_iter().collect()
}

/// Whether the letter or digit left of a mark is of the kind of the one that wrapped last.
fn carries_over(chars: &[char], mark: usize, last: Kind) -> bool {
    let left = chars.get(..mark).unwrap_or_default().iter().rev().find_map(|c| kind(*c));
    left == Some(last)
}

fn next_without_alnum(mut chars: Vec<char>) -> String {
    for c in chars.iter_mut().rev() {
        if let Some(next) = after(*c) {
            *c = next;
            return chars.into_iter().collect();
        }
        // The last character of this many bytes becomes the first one, and the character before it is incremented.
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
    fn counts_up_as_ruby_does() {
        let after = ["az", "zz", "a9", "Zz", "1.9", "host09", "-9", "<<koala>>", "***", "", "1.9.9"].map(succ);
        assert_eq!(after, ["ba", "aaa", "b0", "AAa", "2.0", "host10", "-10", "<<koalb>>", "**+", "", "2.0.0"]);
        let after = ["a.9", "9.z", "9-9", "z--9", "1--9", "a.z"].map(succ);
        assert_eq!(after, ["a.10", "9.aa", "10-0", "z--10", "2--0", "b.a"]);
        let after = ["{\u{7f}", "\u{7f}", "ö", "éz"].map(succ);
        assert_eq!(after, ["|\0", "\u{1}\0", "ø", "êa"]);
    }
}

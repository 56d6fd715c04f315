//! `String#succ`

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Digit,
    Lower,
    Upper,
    Other,
}

fn kind(c: char) -> Kind {
    match c {
        '0'..='9' => Kind::Digit,
        'a'..='z' => Kind::Lower,
        'A'..='Z' => Kind::Upper,
        _ => Kind::Other,
    }
}

/// The text that comes after: the rightmost letters and digits count up, carrying to the left; without any the last
/// character does.
pub(crate) fn succ(text: &str) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    if !chars.iter().any(|c| kind(*c) != Kind::Other) {
        return next_without_alnum(chars);
    }
    let mut last_alnum: Option<usize> = None;
    let mut at = chars.len();
    while at > 0 {
        at -= 1;
        let Some(&c) = chars.get(at) else { break };
        if kind(c) == Kind::Other {
            // Nothing carries over a mark between a digit and a letter: `1.9` becomes `2.0`, `a.9` becomes `a.10`.
            if last_alnum.is_some_and(|last| !carries_over(&chars, at, last)) {
                break;
            }
            continue;
        }
        last_alnum = Some(at);
        let (next, carry) = match c {
            '9' => ('0', true),
            'z' => ('a', true),
            'Z' => ('A', true),
            c => (char::from_u32(u32::from(c) + 1).unwrap_or(c), false),
        };
        if let Some(place) = chars.get_mut(at) {
            *place = next;
        }
        if !carry {
            return chars.into_iter().collect();
        }
    }
    // The carry left the leftmost letter or digit: it grows.
    if let Some(at) = last_alnum {
        let grown = match chars.get(at).copied().map_or(Kind::Other, kind) {
            Kind::Digit => '1',
            Kind::Lower => 'a',
            _ => 'A',
        };
        chars.insert(at, grown);
    }
    chars.into_iter().collect()
}

/// Whether the letter or digit left of a mark is of the kind of the one that wrapped last.
fn carries_over(chars: &[char], mark: usize, last: usize) -> bool {
    let is_digit = |c: &char| kind(*c) == Kind::Digit;
    let left = chars.get(..mark).unwrap_or_default().iter().rev().find(|c| kind(**c) != Kind::Other);
    left.is_some_and(|left| Some(is_digit(left)) == chars.get(last).map(is_digit))
}

fn next_without_alnum(mut chars: Vec<char>) -> String {
    if let Some(last) = chars.last_mut() {
        *last = char::from_u32(u32::from(*last) + 1).unwrap_or(*last);
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
    }
}

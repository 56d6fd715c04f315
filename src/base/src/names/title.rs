//! Title case, which Rust's standard library lacks.
//!
//! In: the first character of a word. Out: its title case. The table was generated with Ruby's `String#capitalize`.

/// The title case of a character: one to three characters.
pub fn titlecase(c: char) -> impl Iterator<Item = char> {
    let (alone, several) = match special(c) {
        Some(Title::One(title)) => (Some(title), ""),
        Some(Title::Several(text)) => (None, text),
        None => (None, ""),
    };
    let usual = (alone.is_none() && several.is_empty()).then(|| {
        let mut upper = c.to_uppercase();
        upper.next().into_iter().chain(upper.flat_map(char::to_lowercase))
    });
    alone.into_iter().chain(several.chars()).chain(usual.into_iter().flatten())
}

enum Title {
    One(char),
    Several(&'static str),
}

/// The exceptions from the rule that title case is the first character of the upper case, followed by the others in lower case.
fn special(c: char) -> Option<Title> {
    let moved = |by: i32| u32::from(c).checked_add_signed(by).and_then(char::from_u32).map(Title::One);
    match c {
        '\u{149}' => Some(Title::Several("\u{2bc}N")),
        // Digraphs of Latin letters.
        '\u{1c4}' | '\u{1c7}' | '\u{1ca}' | '\u{1f1}' => moved(1),
        '\u{1c5}' | '\u{1c8}' | '\u{1cb}' | '\u{1f2}' => moved(0),
        '\u{1c6}' | '\u{1c9}' | '\u{1cc}' | '\u{1f3}' => moved(-1),
        // Georgian capitals are not used at the beginning of words.
        '\u{10d0}'..='\u{10fa}' | '\u{10fd}'..='\u{10ff}' => moved(0),
        '\u{1c90}'..='\u{1cba}' | '\u{1cbd}'..='\u{1cbf}' => moved(-3008),
        // Greek with an iota subscript.
        '\u{1f80}'..='\u{1f87}' | '\u{1f90}'..='\u{1f97}' | '\u{1fa0}'..='\u{1fa7}' => moved(8),
        '\u{1f88}'..='\u{1f8f}' | '\u{1f98}'..='\u{1f9f}' | '\u{1fa8}'..='\u{1faf}' => moved(0),
        '\u{1fb3}' | '\u{1fc3}' | '\u{1ff3}' => moved(9),
        '\u{1fbc}' | '\u{1fcc}' | '\u{1ffc}' => moved(0),
        '\u{1fb2}' => Some(Title::Several("\u{1fba}\u{345}")),
        '\u{1fb4}' => Some(Title::Several("\u{386}\u{345}")),
        '\u{1fb7}' => Some(Title::Several("\u{391}\u{342}\u{345}")),
        '\u{1fc2}' => Some(Title::Several("\u{1fca}\u{345}")),
        '\u{1fc4}' => Some(Title::Several("\u{389}\u{345}")),
        '\u{1fc7}' => Some(Title::Several("\u{397}\u{342}\u{345}")),
        '\u{1ff2}' => Some(Title::Several("\u{1ffa}\u{345}")),
        '\u{1ff4}' => Some(Title::Several("\u{38f}\u{345}")),
        '\u{1ff7}' => Some(Title::Several("\u{3a9}\u{342}\u{345}")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::titlecase;

    #[test]
    fn title_case_is_rubys() {
        let title = |c| titlecase(c).collect::<String>();
        assert_eq!(title('a'), "A");
        assert_eq!(title('ß'), "Ss");
        assert_eq!(title('ǆ'), "ǅ");
        assert_eq!(title('ᾳ'), "ᾼ");
        assert_eq!(title('ა'), "ა");
        assert_eq!(title('ŉ'), "ʼN");
    }
}

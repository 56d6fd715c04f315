//! Strings: white space, case, `squeeze`, `split`.

/// White space for `strip`: ASCII white space, vertical tab and NUL.
pub fn is_space(c: char) -> bool {
    matches!(c, '\0' | '\t' | '\n' | '\x0b' | '\x0c' | '\r' | ' ')
}

/// `String#upcase`
pub fn upcase(text: &str) -> String {
    text.chars().flat_map(char::to_uppercase).collect()
}

/// `String#downcase`: character by character; `str::to_lowercase` treats a final sigma differently.
pub fn downcase(text: &str) -> String {
    text.chars().flat_map(char::to_lowercase).collect()
}

/// `String#swapcase`
pub fn swapcase(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_uppercase() {
            out.extend(c.to_lowercase());
        } else {
            out.extend(c.to_uppercase());
        }
    }
    out
}

/// `String#chomp`: without one line end.
pub fn chomp(text: &str) -> &str {
    text.strip_suffix("\r\n").or_else(|| text.strip_suffix('\n')).or_else(|| text.strip_suffix('\r')).unwrap_or(text)
}

/// `String#chop`: without the last character; CRLF is one character.
pub fn chop(text: &str) -> &str {
    let mut chars = text.chars();
    if text.ends_with("\r\n") {
        chars.next_back();
    }
    chars.next_back();
    chars.as_str()
}

/// A set of characters for `count`, `squeeze` and `delete`: `a-z` is a range, a leading `^` negates, a backslash escapes.
struct CharSet {
    negated: bool,
    ranges: Vec<(char, char)>,
}

impl CharSet {
    /// # Errors
    /// A range whose ends are in the wrong order.
    fn parse(text: &str) -> Result<CharSet, String> {
        let negated = text.starts_with('^') && text.chars().nth(1).is_some();
        Ok(CharSet { negated, ranges: char_ranges(text.get(usize::from(negated)..).unwrap_or_default())? })
    }

    fn contains(&self, c: char) -> bool {
        self.ranges.iter().any(|(first, last)| (*first..=*last).contains(&c)) != self.negated
    }
}

/// The characters of a set as ranges; a backslash escapes.
///
/// # Errors
/// A range whose ends are in the wrong order.
pub fn char_ranges(set: &str) -> Result<Vec<(char, char)>, String> {
    let mut ranges = Vec::new();
    let mut rest = set.chars().peekable();
    while let Some(c) = rest.next() {
        let first = if c == '\\' { rest.next().unwrap_or(c) } else { c };
        let mut last = first;
        // A backslash at the end is a literal; the character after a backslash is a literal.
        let mut ahead = rest.clone();
        if ahead.next_if_eq(&'-').is_some()
            && let Some(end) = ahead.next()
        {
            (rest, last) = (ahead, end);
        }
        if first > last {
            let range = if first.is_ascii() { format!(" \"{first}-{last}\"") } else { String::new() };
            return Err(format!("invalid range{range} in string transliteration"));
        }
        ranges.push((first, last));
    }
    Ok(ranges)
}

/// `String#count`: how many characters are in a set.
///
/// # Errors
/// The set has a range whose ends are in the wrong order.
pub fn count(text: &str, set: &str) -> Result<usize, String> {
    let set = CharSet::parse(set)?;
    Ok(text.chars().filter(|c| set.contains(*c)).count())
}

/// `String#squeeze`: replaces runs of equal characters, or only of characters in `set`, by one.
///
/// # Errors
/// The set has a range whose ends are in the wrong order.
pub fn squeeze(text: &str, set: Option<&str>) -> Result<String, String> {
    let set = set.map(CharSet::parse).transpose()?;
    let mut out = String::with_capacity(text.len());
    let mut last = None;
    for c in text.chars() {
        if last == Some(c) && set.as_ref().is_none_or(|set| set.contains(c)) {
            continue;
        }
        out.push(c);
        last = Some(c);
    }
    Ok(out)
}

/// `String#split` with a string as separator: empty fields at the end are dropped; a single space splits at white space.
pub fn split_string<'a>(text: &'a str, separator: &str) -> Vec<&'a str> {
    if separator == " " {
        return text.split(is_space).filter(|field| !field.is_empty()).collect();
    }
    let mut fields: Vec<&str> = if separator.is_empty() {
        text.char_indices().map(|(at, c)| &text[at..at + c.len_utf8()]).collect()
    } else {
        text.split(separator).collect()
    };
    while fields.last().is_some_and(|field| field.is_empty()) {
        fields.pop();
    }
    fields
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn case_is_that_of_ruby() {
        assert_eq!(downcase("ΑΣ"), "ασ");
        assert_eq!(upcase("ŉ"), "ʼN");
        assert_eq!(swapcase("aBc"), "AbC");
    }

    #[test]
    fn ends_are_removed() {
        assert_eq!((chomp("a\r\n"), chomp("a\n\n"), chop("a\r\n"), chop("")), ("a", "a\n", "a", ""));
    }

    #[test]
    fn squeezes() {
        assert_eq!(squeeze("aabbcc", None).unwrap(), "abc");
        assert_eq!(squeeze("aabbcc", Some("a-b")).unwrap(), "abcc");
        assert_eq!(squeeze("aabbcc", Some("^a")).unwrap(), "aabc");
    }

    #[test]
    fn splits() {
        assert_eq!(split_string("a,b,,", ","), ["a", "b"]);
        assert_eq!(split_string("abc", ""), ["a", "b", "c"]);
    }
}

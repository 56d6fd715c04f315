//! Positions of keys in `catwalk.toml`.
//!
//! In: the text of the file, keys or a position. Out: the position of a key; the table above a key that was meant for the whole file.
//! Must not: know the meaning of keys.

use toml::de::DeTable;
use toml::de::DeValue;

/// The byte at which the last existing key of a path begins; numbers are indexes of arrays. The start of the file if there is none.
pub(super) fn find(text: &str, keys: &[String]) -> usize {
    let Ok(document) = DeTable::parse(text) else { return 0 };
    let mut found = 0;
    let mut table = Some(document.get_ref());
    let mut array: Option<&[_]> = None;
    for key in keys {
        let value = match (table, array) {
            (Some(table), _) => {
                let Some((name, value)) = table.iter().find(|(name, _)| name.get_ref() == key) else { break };
                found = name.span().start;
                value
            }
            (None, Some(items)) => {
                let Some(value) = key.parse().ok().and_then(|number: usize| items.get(number)) else { break };
                found = toml::Spanned::span(value).start;
                value
            }
            (None, None) => break,
        };
        table = value.get_ref().as_table();
        array = value.get_ref().as_array().map(|items| &items[..]);
    }
    found
}

/// The key at a position inside of a table: its name, the path of the table, and the line of the table's header.
pub(super) fn key_in_table(text: &str, at: usize) -> Option<(String, String, usize)> {
    let document = DeTable::parse(text).ok()?;
    let (mut path, mut header) = (Vec::new(), 0);
    let mut table = document.get_ref();
    loop {
        let holds_position = |value: &toml::Spanned<DeValue<'_>>| {
            value.get_ref().as_table().is_some_and(|inner| contains_key_at(inner, at))
        };
        if let Some((name, _)) = table.iter().find(|(name, _)| name.span().contains(&at)) {
            let line = text.get(..header)?.matches('\n').count() + 1;
            return (!path.is_empty()).then(|| (name.get_ref().to_string(), path.join("."), line));
        }
        let (name, value) = table.iter().find(|(_, value)| holds_position(value))?;
        path.push(name.get_ref().to_string());
        header = name.span().start;
        table = value.get_ref().as_table()?;
    }
}

fn contains_key_at(table: &DeTable<'_>, at: usize) -> bool {
    table.iter().any(|(name, value)| {
        name.span().contains(&at) || value.get_ref().as_table().is_some_and(|inner| contains_key_at(inner, at))
    })
}

#[cfg(test)]
mod tests {
    use super::find;
    use super::key_in_table;

    const TEXT: &str = "puppet = 9\n\n[classifier]\nchain = [\"a\", {script = 1}]\noutput = \"out\"\n\n[a.b]\nc = 1\n";

    #[test]
    fn keys_have_positions() {
        for (keys, expected) in [
            (&["puppet"] as &[&str], "puppet = 9"),
            (&["classifier", "chain", "1", "script"], "script = 1"),
            (&["classifier", "chain", "1"], "{script"),
            (&["classifier", "missing"], "classifier]"),
            (&["a", "b", "c"], "c = 1"),
            (&[], "puppet"),
        ] {
            let keys: Vec<String> = keys.iter().map(ToString::to_string).collect();
            assert!(TEXT[find(TEXT, &keys)..].starts_with(expected), "{keys:?}");
        }
        assert_eq!(find("a = [", &["a".to_owned()]), 0);
    }

    #[test]
    fn a_key_knows_the_table_above_it() {
        let at = |word: &str| key_in_table(TEXT, TEXT.find(word).unwrap_or(0));
        assert_eq!(at("output"), Some(("output".to_owned(), "classifier".to_owned(), 3)));
        assert_eq!(at("c = 1"), Some(("c".to_owned(), "a.b".to_owned(), 7)));
        assert_eq!(at("puppet"), None);
    }
}

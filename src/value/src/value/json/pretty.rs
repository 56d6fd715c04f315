//! Documents as indented JSON text, as `JSON.pretty_generate` lays it out.
//!
//! In: what serializes. Out: text. Must not: know what is written. Catalogs are large: every place that a text is written from
//! is one copy, and what stands between texts is written at once.

use serde::Serialize;
use serde::Serializer;

use super::writer::Writer;

/// A document as indented text.
///
/// # Errors
/// What it holds cannot be written; it is too long.
pub fn pretty(document: &impl Serialize) -> Result<String, String> {
    pretty_of(document, 0)
}

/// The same, when about `expected` bytes come.
///
/// # Errors
/// As [`pretty`].
pub fn pretty_of(document: &impl Serialize, expected: usize) -> Result<String, String> {
    let mut writer = Writer { out: Vec::with_capacity(expected), level: 0 };
    document.serialize(&mut writer).map_err(|error| error.to_string())?;
    text(writer)
}

/// Some items of a list that is a member of a document, as they stand in its indented text: each with the line's end before
/// it and a comma before that, but for the list's first item, which these begin with if `first` says so. About `expected`
/// bytes come.
///
/// # Errors
/// As [`pretty`].
pub fn pretty_items(items: impl Iterator<Item: Serialize>, first: bool, expected: usize) -> Result<String, String> {
    /// Levels around the items: the document's and the list's.
    const AROUND: usize = 2;
    let mut writer = Writer { out: Vec::with_capacity(expected), level: AROUND };
    for (number, item) in items.enumerate() {
        let written = writer.next_line(!first || number > 0, AROUND).and_then(|()| item.serialize(&mut writer));
        written.map_err(|error| error.to_string())?;
    }
    text(writer)
}

fn text(writer: Writer) -> Result<String, String> {
    String::from_utf8(writer.out).map_err(|error| error.to_string())
}

/// A list that is made while it is written.
pub struct Items<F>(pub F);

impl<F: Fn() -> I, I: Iterator<Item: Serialize>> Serialize for Items<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn as_serde_json_lays_it_out() {
        let mut deep = json!([1]);
        for _ in 0..30 {
            deep = json!({ "a": [deep, {}], "b": [] });
        }
        for document in
            [json!([]), json!({}), json!([[], {}, [[]]]), json!({ "a": "\n\"\u{e9}", "b": [1, null] }), deep]
        {
            assert_eq!(pretty(&document).unwrap(), serde_json::to_string_pretty(&document).unwrap());
        }
    }

    #[test]
    fn strings_and_rust_values_as_serde_json_writes_them() {
        let same = |document: &dyn Fn() -> (String, String)| {
            let (own, known) = document();
            assert_eq!(own, known);
        };
        let characters: String = (0..=0x3ff).filter_map(char::from_u32).collect();
        for start in 0..characters.chars().count() {
            let some: String = characters.chars().skip(start).take(19).collect();
            same(&|| (pretty(&some).unwrap(), serde_json::to_string_pretty(&some).unwrap()));
        }
        let bounds: [std::ops::Bound<(i8, f32)>; 3] =
            [std::ops::Bound::Unbounded, std::ops::Bound::Included((-1, 0.1)), std::ops::Bound::Excluded((2, 1e30))];
        let mixed =
            (bounds, 'x', u128::MAX, f64::NAN, Some(()), Ok::<_, ()>([""; 0]), std::time::Duration::from_millis(1));
        same(&|| (pretty(&mixed).unwrap(), serde_json::to_string_pretty(&mixed).unwrap()));
        assert!(pretty(&std::collections::BTreeMap::from([((), 1)])).is_err());
    }

    #[test]
    fn items_stand_as_in_their_document() {
        let items = [json!({ "a": [1, 2] }), json!([]), json!("x")];
        let whole = serde_json::to_string_pretty(&json!({ "": items })).unwrap();
        let part = |items: &[_], first| pretty_items(items.iter(), first, 0).unwrap();
        let alone = [part(&items[..1], true), part(&items[1..], false)].concat();
        assert_eq!(whole, format!("{{\n  \"\": [{alone}\n  ]\n}}"));
        assert_eq!(pretty_items(std::iter::empty::<u8>(), true, 0).unwrap(), "");
    }
}

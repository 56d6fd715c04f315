//! Positions in YAML or JSON documents, for messages about values that were read earlier.
//!
//! In: a text and the keys that lead to a value. Out: line and column. Must not: make values.

mod scalar;

use std::io::BufRead;
use std::panic::UnwindSafe;
use std::path::Path;

use libyaml_safer::Event;
use libyaml_safer::EventData;
use libyaml_safer::MappingStyle;
use libyaml_safer::Parser;
use libyaml_safer::SequenceStyle;

use catwalk_base::diag::DataLocation;
use catwalk_base::meter;

pub use scalar::Scalar;
pub use scalar::ScalarError;
pub use scalar::Style;
pub use scalar::scalar;

/// Line and column, both from 1, in characters.
pub type Position = (usize, usize);

/// The position of the last key of a path; numbers are indexes of lists. If the path does not exist completely, the position of
/// the last existing key; `None` if not even the first exists, or the text cannot be read.
#[must_use]
pub fn find(text: &str, path: &[&str]) -> Option<Position> {
    search(text, |search| {
        let _ = search.document(path);
        search.best
    })
    .flatten()
}

/// Reads a text with `read`. `None`: the scanner panics.
fn search<T>(text: &str, read: impl FnOnce(&mut Search<&mut &[u8]>) -> T + UnwindSafe) -> Option<T> {
    // The scanner panics at some tags, and cannot end in the middle of a line.
    let mut text = text.trim_start_matches('\u{feff}').as_bytes().to_vec();
    text.push(b'\n');
    let found = std::panic::catch_unwind(|| {
        let mut input = text.as_slice();
        let mut parser = Parser::new();
        parser.set_input_string(&mut input);
        read(&mut Search { parser, best: None, in_flow: false })
    });
    found.map_err(meter::resume_exceeded).ok()
}

/// The position of the last key of a path in the file with these contents, as [`find`] returns it.
#[must_use]
pub fn locate(path: &Path, contents: &[u8], keys: &[&str]) -> Option<DataLocation> {
    let position = find(std::str::from_utf8(contents).ok()?, keys)?;
    Some(DataLocation::new(path, contents, position))
}

/// The members of the mapping or list at a path with their positions: keys, or indexes of items. Empty if there is no such value, or the
/// text cannot be read. One pass over the text, however many members there are.
#[must_use]
pub fn members(text: &str, path: &[&str]) -> Vec<(String, Position)> {
    search(text, |search| {
        let mut members = Vec::new();
        let start = search.document(path);
        let _ = start.and_then(|start| search.members(&start, &mut members));
        members
    })
    .unwrap_or_default()
}

struct Search<R> {
    parser: Parser<R>,
    best: Option<Position>,
    /// Whether the value that was found is in a collection in brackets or braces.
    in_flow: bool,
}

impl<R: BufRead> Search<R> {
    fn next(&mut self) -> Option<Event> {
        meter::tick(8);
        self.parser.parse().ok()
    }

    /// The event with which the value at a path begins.
    fn document(&mut self, path: &[&str]) -> Option<Event> {
        loop {
            match self.next()?.data {
                EventData::DocumentStart { .. } => break,
                EventData::StreamEnd => return None,
                _ => {}
            }
        }
        let mut path = path;
        let mut event = self.next()?;
        while let Some((key, rest)) = path.split_first() {
            event = match event.data {
                EventData::MappingStart { style, .. } => {
                    self.in_flow |= style == MappingStyle::Flow;
                    self.member(key)?
                }
                EventData::SequenceStart { style, .. } => {
                    self.in_flow |= style == SequenceStyle::Flow;
                    self.item(key.parse().ok()?)?
                }
                _ => return None,
            };
            path = rest;
        }
        Some(event)
    }

    /// Adds the members of the value that begins with an event, up to the first that cannot be read.
    fn members(&mut self, start: &Event, members: &mut Vec<(String, Position)>) -> Option<()> {
        let is_mapping = match start.data {
            EventData::MappingStart { .. } => true,
            EventData::SequenceStart { .. } => false,
            _ => return None,
        };
        loop {
            let event = self.next()?;
            let name = match &event.data {
                EventData::MappingEnd | EventData::SequenceEnd => return Some(()),
                EventData::Scalar { value, .. } if is_mapping => value.clone(),
                _ if is_mapping => String::new(),
                _ => members.len().to_string(),
            };
            members.push((name, position(&event)?));
            self.skip(event)?;
            if is_mapping {
                let value = self.next()?;
                self.skip(value)?;
            }
        }
    }

    /// The event with which the value of a key begins.
    fn member(&mut self, key: &str) -> Option<Event> {
        loop {
            let event = self.next()?;
            let is_key = match &event.data {
                EventData::MappingEnd => return None,
                EventData::Scalar { value, .. } => value == key,
                _ => false,
            };
            if is_key {
                self.best = position(&event);
                return self.next();
            }
            self.skip(event)?;
            let value = self.next()?;
            self.skip(value)?;
        }
    }

    /// The event with which an item of a list begins.
    fn item(&mut self, number: usize) -> Option<Event> {
        for _ in 0..number {
            let event = self.next()?;
            if matches!(event.data, EventData::SequenceEnd) {
                return None;
            }
            self.skip(event)?;
        }
        let event = self.next().filter(|event| !matches!(event.data, EventData::SequenceEnd))?;
        self.best = position(&event);
        Some(event)
    }

    /// Reads to the end of what an event begins.
    fn skip(&mut self, event: Event) -> Option<()> {
        let mut depth = 0_usize;
        let mut event = event;
        loop {
            match event.data {
                EventData::MappingStart { .. } | EventData::SequenceStart { .. } => depth += 1,
                EventData::MappingEnd | EventData::SequenceEnd => depth = depth.checked_sub(1)?,
                _ => {}
            }
            if depth == 0 {
                return Some(());
            }
            event = self.next()?;
        }
    }
}

fn position(event: &Event) -> Option<Position> {
    let number = |n: u64| usize::try_from(n).ok();
    Some((number(event.start_mark.line)? + 1, number(event.start_mark.column)? + 1))
}

#[cfg(test)]
mod tests {
    use super::find;
    use super::members;

    #[test]
    fn members_are_listed_with_their_positions() {
        let yaml = "# cases\ncases:\n  a: {x: [1, 2]}\n  'b c':\n    y: 1\n  3: z\nlist:\n- a\n- b: 1\n";
        let owned = |expected: &[(&str, (usize, usize))]| -> Vec<(String, (usize, usize))> {
            expected.iter().map(|(name, at)| ((*name).to_owned(), *at)).collect()
        };
        type Expected<'a> = &'a [(&'a str, (usize, usize))];
        let cases: [(&str, &[&str], Expected<'_>); 7] = [
            (yaml, &["cases"], &[("a", (3, 3)), ("b c", (4, 3)), ("3", (6, 3))]),
            (yaml, &["list"], &[("0", (8, 3)), ("1", (9, 3))]),
            (yaml, &[], &[("cases", (2, 1)), ("list", (7, 1))]),
            (yaml, &["cases", "3"], &[]),
            (yaml, &["none"], &[]),
            ("{\"a\": 1,\n \"b\": [}", &[], &[("a", (1, 2)), ("b", (2, 2))]),
            ("", &[], &[]),
        ];
        for (text, path, expected) in cases {
            assert_eq!(members(text, path), owned(expected), "{path:?}");
        }
    }

    #[test]
    fn keys_are_found_in_yaml_and_json() {
        let yaml =
            "# groups\n- name: Web\n  classes:\n    web: {prot: 80}\n    'db::x':\n      a: [1, {b: 2}]\n- name: Db\n";
        let json = "{\n  \"a\": {\"b\": [1, 2]},\n  \"c\": null\n}";
        for (text, path, expected) in [
            (yaml, &["0", "classes", "web"] as &[&str], Some((4, 5))),
            (yaml, &["0", "classes", "web", "prot"], Some((4, 11))),
            (yaml, &["0", "classes", "db::x", "a", "1", "b"], Some((6, 15))),
            (yaml, &["1", "name"], Some((7, 3))),
            // The rest of the path is missing: the last existing key.
            (yaml, &["1", "classes", "x"], Some((7, 3))),
            (yaml, &["name"], None),
            (json, &["a", "b", "1"], Some((2, 18))),
            (json, &["c"], Some((3, 3))),
            ("a: [1\n", &["b"], None),
            ("", &["b"], None),
        ] {
            assert_eq!(find(text, path), expected, "{path:?}");
        }
    }
}

//! One snapshot file: a header in YAML between two lines `---`, then the body. The form is that of the crate insta, so that
//! `cargo insta review` and `insta::assert_snapshot!` accept the files.

use std::collections::BTreeMap;
use std::fmt::Write;

use catwalk_base::secrets::comparable;

/// The member of the header with the locations of changed resources; only a pending snapshot has it.
const LOCATIONS: &str = "locations:";

/// A snapshot: its body (a catalog or an error) and its header.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// The lines of the header.
    pub header: String,
    /// The body without newlines at its end.
    pub text: String,
}

impl Snapshot {
    /// A snapshot with its source file and description.
    #[must_use]
    pub fn new(source: &str, description: &str, text: &str) -> Snapshot {
        let mut header = String::new();
        for (key, value) in [("source", source), ("description", description)] {
            // A JSON string is also a YAML string.
            let plain = value.starts_with(|c: char| c.is_ascii_alphanumeric())
                && !value.contains([':', '#', '"', '\'', '\\'])
                && !value.contains(char::is_control)
                && !value.ends_with(' ');
            let value = if plain { value.to_owned() } else { serde_json::Value::from(value).to_string() };
            let _ = writeln!(header, "{key}: {value}");
        }
        Snapshot { header, text: trim_end_lines(text) }
    }

    /// Reads a file. A file without a header is all body.
    #[must_use]
    pub fn parse(file: &str) -> Snapshot {
        let file = file.replace("\r\n", "\n");
        let parts = file.strip_prefix("---\n").and_then(|rest| match rest.strip_prefix("---\n") {
            Some(text) => Some(("", text)),
            None => rest.split_once("\n---\n").or_else(|| Some((rest.strip_suffix("\n---")?, ""))),
        });
        match parts {
            None => Snapshot { header: String::new(), text: trim_end_lines(&file) },
            Some((header, text)) => {
                let mut header = header.to_owned();
                if !header.is_empty() {
                    header.push('\n');
                }
                Snapshot { header, text: trim_end_lines(text) }
            }
        }
    }

    /// Whether it is an error in place of a catalog.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.text.starts_with("error: ")
    }

    /// Whether it is one that Catwalk has written: its header has the members of [`Snapshot::new`] in their order and no others but those
    /// of a pending snapshot, and its body is a catalog or an error. Snapshots of other programs in the folder have different ones.
    #[must_use]
    pub fn is_of_catalog(&self) -> bool {
        let mut lines = self.header.lines();
        let is = |line: Option<&str>, name: &str| line.is_some_and(|line| line.starts_with(name));
        let is_pending = |line: &str| line.starts_with(LOCATIONS) || line.starts_with("assertion_line:");
        is(lines.next(), "source: ")
            && is(lines.next(), "description: ")
            && lines.all(is_pending)
            && (self.text.starts_with('{') || self.is_error())
    }

    /// Whether two snapshots have equal bodies. Digests of secrets that were created with different keys are ignored.
    #[must_use]
    pub fn has_same_body(&self, other: &Snapshot) -> bool {
        let (body, other_body) = comparable(&self.text, &other.text);
        body == other_body
    }

    /// The contents of the file.
    #[must_use]
    pub fn print(&self) -> String {
        format!("---\n{}---\n{}\n", self.header, self.text)
    }

    /// The snapshot without the members that insta keeps only while a snapshot is pending.
    #[must_use]
    pub fn accepted(mut self) -> Snapshot {
        let is_kept = |line: &&str| !line.starts_with("assertion_line:") && !line.starts_with(LOCATIONS);
        let lines = self.header.lines().filter(is_kept);
        self.header = lines.map(|line| format!("{line}\n")).collect();
        self
    }

    /// Adds the locations of changed resources, for a review.
    #[must_use]
    pub fn with_locations(mut self, locations: &BTreeMap<String, String>) -> Snapshot {
        if !locations.is_empty() {
            let _ = writeln!(self.header, "{LOCATIONS} {}", serde_json::json!(locations));
        }
        self
    }

    /// The locations of changed resources.
    #[must_use]
    pub fn locations(&self) -> BTreeMap<String, String> {
        let text = self.member(LOCATIONS.trim_end_matches(':'));
        text.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
    }

    /// The unparsed value of a member of the header.
    #[must_use]
    pub fn member(&self, name: &str) -> Option<&str> {
        self.header.lines().find_map(|line| Some(line.strip_prefix(name)?.strip_prefix(':')?.trim()))
    }
}

/// A body as insta compares it: without empty lines at the end.
fn trim_end_lines(text: &str) -> String {
    text.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_printed_snapshot_is_read_back() {
        for (source, description) in [("site.pp", "Catalog of web1"), ("a: b", "it's \"x\" # y"), ("", "")] {
            let snapshot = Snapshot::new(source, description, "{\n  1\n}\n\n");
            assert_eq!(Snapshot::parse(&snapshot.print()), snapshot);
            assert_eq!(snapshot.text, "{\n  1\n}");
        }
        assert_eq!(Snapshot::parse("---\n---\nx\n"), Snapshot { header: String::new(), text: "x".to_owned() });
        assert_eq!(Snapshot::parse("---\na: 1\n---\n"), Snapshot { header: "a: 1\n".to_owned(), text: String::new() });
        assert_eq!(Snapshot::parse("x\r\ny\n").text, "x\ny");
        let waiting = Snapshot::parse("---\nsource: a.rs\nassertion_line: 3\n---\nx");
        assert_eq!(waiting.member("source"), Some("a.rs"));
        assert_eq!(waiting.accepted().print(), "---\nsource: a.rs\n---\nx\n");
    }
}

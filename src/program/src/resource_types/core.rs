//! The types that ship with Puppet 7.23, as data.
//! In: a name. Out: its [`ResourceType`], parsed on first use. Must not: know modules.
//! The table is what `tests/reference/types.rb core` prints.

use std::sync::Arc;
use std::sync::OnceLock;

use indexmap::IndexMap;

use super::AttributeKind;
use super::ResourceType;
use super::TitlePattern;
use catwalk_base::names::Name;
use catwalk_regexp::Regexp;

const TABLE: &str = include_str!("core.jsonl");

/// One line of the table.
#[derive(serde::Deserialize)]
pub(super) struct Line {
    name: String,
    attributes: Vec<(String, String)>,
    key: Vec<String>,
    isomorphic: bool,
    patterns: Vec<(String, Vec<String>, bool)>,
}

impl Line {
    /// The type a line describes.
    pub(super) fn into_type(self) -> ResourceType {
        let kind = |kind: &str| if kind == "property" { AttributeKind::Property } else { AttributeKind::Parameter };
        let attributes: IndexMap<Name, AttributeKind, _> =
            self.attributes.iter().map(|(name, of)| (Name::new(name), kind(of))).collect();
        let pattern = |(regexp, names, _): &(String, Vec<String>, bool)| TitlePattern {
            regexp: Regexp::new(regexp.as_str()),
            names: names.iter().map(|name| Name::new(name)).collect(),
        };
        ResourceType {
            name: Name::new(&self.name),
            attributes,
            key_attributes: self.key.iter().map(|name| Name::new(name)).collect(),
            title_patterns: self.patterns.iter().map(pattern).collect(),
            isomorphic: self.isomorphic,
            from_api: false,
            generated: false,
            gaps: Vec::new(),
            definition: None,
            warnings: Vec::new(),
        }
    }
}

/// A type and its line, parsed on first use.
type Entry = (&'static str, &'static str, OnceLock<Option<Arc<ResourceType>>>);

fn entries() -> &'static [Entry] {
    static ENTRIES: OnceLock<Vec<Entry>> = OnceLock::new();
    ENTRIES.get_or_init(|| {
        let name = |line: &'static str| line.strip_prefix("{\"name\":\"").and_then(|rest| rest.split('"').next());
        TABLE.lines().filter_map(|line| name(line).map(|name| (name, line, OnceLock::new()))).collect()
    })
}

/// Names of Puppet's own types, in alphabetical order.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    entries().iter().map(|(name, _, _)| *name)
}

/// Puppet's own type of this name (lower case).
pub(super) fn lookup(name: &str) -> Option<Arc<ResourceType>> {
    let (_, line, parsed) = entries().iter().find(|(known, _, _)| *known == name)?;
    parsed.get_or_init(|| serde_json::from_str::<Line>(line).ok().map(|line| Arc::new(line.into_type()))).clone()
}

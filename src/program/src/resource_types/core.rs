//! The types that ship with Puppet, and those of the modules that its packages contain, as data.
//! In: a name and a version. Out: its [`ResourceType`]. Must not: read modules.
//! The first table is what `tests/reference/types.rb core` prints for Puppet 7.23; attributes of later releases name theirs. The second is what it prints for the newest releases of the modules that
//! the packages of OpenVox 8.28 contain: augeas_core, cron_core, host_core, mount_core, scheduled_task, selinux_core, sshkeys_core,
//! yumrepo_core, zfs_core, zone_core.

use std::sync::Arc;
use std::sync::OnceLock;

use indexmap::IndexMap;

use super::AttributeKind;
use super::ResourceType;
use super::TitlePattern;
use catwalk_base::names::Name;
use catwalk_base::version::Version;
use catwalk_regexp::Regexp;

/// A table with a line for each type.
struct Table {
    lines: &'static str,
    entries: OnceLock<Vec<Entry>>,
}

static PUPPET: Table = Table { lines: include_str!("core.jsonl"), entries: OnceLock::new() };
static MODULES: Table = Table { lines: include_str!("core_modules.jsonl"), entries: OnceLock::new() };

/// One line of the table.
#[derive(serde::Deserialize)]
pub(super) struct Line {
    name: String,
    attributes: Vec<Attribute>,
    key: Vec<String>,
    isomorphic: bool,
    patterns: Vec<(String, Vec<String>, bool)>,
}

/// The name and kind of an attribute; `["name","param","8.26.0"]` also has the release that brought it.
#[derive(serde::Deserialize)]
#[serde(untagged)]
enum Attribute {
    Old(String, String),
    New(String, String, String),
}

impl Attribute {
    /// The name and the kind, if the version has the attribute.
    fn of_version(&self, version: Version) -> Option<(&str, &str)> {
        match self {
            Attribute::Old(name, kind) => Some((name, kind)),
            Attribute::New(name, kind, release) => version.is_since(release).then_some((name, kind)),
        }
    }
}

impl Line {
    /// The type that a line describes, in a version of Puppet.
    pub(super) fn to_type(&self, version: Version) -> ResourceType {
        let kind = |kind: &str| if kind == "property" { AttributeKind::Property } else { AttributeKind::Parameter };
        let attributes: IndexMap<Name, AttributeKind, _> = self
            .attributes
            .iter()
            .filter_map(|attribute| attribute.of_version(version))
            .map(|(name, of)| (Name::new(name), kind(of)))
            .collect();
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

/// The name of a type and its line, parsed on first use.
type Entry = (&'static str, &'static str, OnceLock<Option<Line>>);

impl Table {
    fn entries(&self) -> &[Entry] {
        self.entries.get_or_init(|| {
            let name = |line: &'static str| line.strip_prefix("{\"name\":\"").and_then(|rest| rest.split('"').next());
            self.lines.lines().filter_map(|line| name(line).map(|name| (name, line, OnceLock::new()))).collect()
        })
    }

    fn lookup(&self, name: &str, version: Version) -> Option<Arc<ResourceType>> {
        let (_, line, parsed) = self.entries().iter().find(|(known, _, _)| *known == name)?;
        let parsed = parsed.get_or_init(|| serde_json::from_str::<Line>(line).ok());
        parsed.as_ref().map(|line| Arc::new(line.to_type(version)))
    }
}

/// Names of Puppet's own types, in alphabetical order.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    PUPPET.entries().iter().map(|(name, _, _)| *name)
}

/// Names of the types of modules in Puppet's packages, in alphabetical order.
pub(super) fn names_in_modules() -> impl Iterator<Item = &'static str> {
    MODULES.entries().iter().map(|(name, _, _)| *name)
}

/// Puppet's own type of this name (lower case).
pub(super) fn lookup(name: &str, version: Version) -> Option<Arc<ResourceType>> {
    PUPPET.lookup(name, version)
}

/// The type of this name (lower case) of a module in Puppet's packages, for environments without the module.
pub(super) fn lookup_in_modules(name: &str, version: Version) -> Option<Arc<ResourceType>> {
    MODULES.lookup(name, version)
}

//! A note about a version of Puppet that the files of a site name, and that its catalogs do not have.
//!
//! In: a session whose configuration names no version. Out: the note. Must not: change the version.

use catwalk_world::World;
use std::path::Path;
use std::path::PathBuf;

use serde::Deserialize;

use crate::session::Session;
use catwalk_base::version::Version;
use catwalk_value::Hash;
use catwalk_value::SemVer;
use catwalk_value::SemVerRange;
use catwalk_value::Value;

/// What a file of the site says about the version.
struct Named {
    /// The statement: `metadata.json requires puppet >= 7.0.0 < 8.0.0`.
    text: String,
    /// A version that fits.
    version: Version,
}

/// The part of a `metadata.json` that is read.
#[derive(Deserialize)]
struct Metadata {
    #[serde(default)]
    requirements: Vec<Requirement>,
}

#[derive(Deserialize)]
struct Requirement {
    name: String,
    #[serde(default)]
    version_requirement: String,
}

impl Session {
    /// As [`Session::version_difference`], if neither an option nor `catwalk.toml` names the version.
    #[must_use]
    pub fn version_note(&self) -> Option<String> {
        let is_named = self.options.puppet.is_some();
        if is_named { None } else { self.version_difference() }
    }

    /// A note if a file of the site names another version of Puppet than that of the catalogs: the requirements of `metadata.json`,
    /// `puppet_version` of `.fixtures.yml`, the fact `puppetversion` of the first node.
    #[must_use]
    pub fn version_difference(&self) -> Option<String> {
        let version = self.options.settings.version;
        let module = self.options.module.as_ref().map(|module| module.root.clone());
        let root = self.options.root.clone().or(module)?;
        let named = self
            .required_by_metadata(&root, version)
            .or_else(|| self.required_by_fixtures(&root, version))
            .or_else(|| self.version_of_first_node(version))?;
        let major = named.version.major.to_string();
        let is_major = Version::find(&major) == Some(named.version);
        let (release, option) = (version.release, if is_major { major.as_str() } else { named.version.series() });
        Some(format!(
            "note: catalogs are those of Puppet {release}, but {}: `puppet = \"{option}\"` in catwalk.toml selects that version",
            named.text
        ))
    }

    fn required_by_metadata(&self, root: &Path, version: Version) -> Option<Named> {
        let bytes = self.world.read(&root.join("metadata.json")).ok()?;
        let metadata: Metadata = serde_json::from_slice(&bytes).ok()?;
        let is_puppet = |requirement: &&Requirement| matches!(requirement.name.as_str(), "puppet" | "openvox");
        let all: Vec<Requirement> = metadata.requirements.into_iter().filter(|one| is_puppet(&one)).collect();
        // One of the two products is enough.
        let unmet: Option<Vec<Named>> = all
            .iter()
            .map(|one| unmet("metadata.json requires", &one.name, &one.version_requirement, version))
            .collect();
        unmet?.into_iter().next()
    }

    fn required_by_fixtures(&self, root: &Path, version: Version) -> Option<Named> {
        let bytes = self.world.read(&root.join(".fixtures.yml")).ok()?;
        let document = catwalk_value::data::yaml::parse(&bytes).ok()?;
        let fixtures = hash(hash(&document)?.get("fixtures")?)?;
        let kinds = fixtures.iter().filter_map(|(_, kind)| hash(kind));
        let requirements = kinds.flat_map(|kind| kind.iter().filter_map(|(_, fixture)| hash(fixture)));
        let mut texts = requirements.filter_map(|fixture| fixture.get("puppet_version")?.as_str());
        texts.find_map(|text| unmet(".fixtures.yml names", "puppet_version", text, version))
    }

    /// The version of the agent that sent the facts of the first node.
    fn version_of_first_node(&self, version: Version) -> Option<Named> {
        let (certname, path): (_, PathBuf) = self.nodes().ok()?.into_iter().min()?;
        let found = self.layers.facts(&path, self.world.as_ref()).ok()?;
        let text = found.values.get("puppetversion")?.as_str()?;
        let major = text.split('.').next()?;
        let named = Version::find(text).or_else(|| Version::find(major))?;
        (named.major != version.major)
            .then(|| Named { text: format!("the facts of {certname} are from an agent of {text}"), version: named })
    }
}

fn hash(value: &Value) -> Option<&Hash> {
    if let Value::Hash(hash) = value { Some(hash) } else { None }
}

/// A requirement that the version does not meet, and the newest major version that does.
fn unmet(says: &str, name: &str, text: &str, version: Version) -> Option<Named> {
    let range = SemVerRange::parse(text).ok()?;
    let meets = |version: Version| SemVer::parse(version.release).is_ok_and(|release| range.includes(&release));
    if text.is_empty() || meets(version) {
        return None;
    }
    let all = ["9", "8", "7", "7.37"].into_iter().filter_map(Version::find);
    let fitting = all.into_iter().find(|version| meets(*version))?;
    Some(Named { text: format!("{says} {name} {text}"), version: fitting })
}

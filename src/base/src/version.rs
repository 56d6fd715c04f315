//! Versions of the language and their differences.
//!
//! A release behaves by the newest rule that is not newer than it. Recorded answers exist for 7.23, 8.28.1 and 9.0 (its second beta).
//!
//! In: the name of a version. Out: [`Version`], with a method for each difference of the language. Must not:
//! know the rules.

use std::ops::Deref;

/// Puppet's setting `strict`: the severity of problems that are not always errors, such as duplicate keys of a hash.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Strict {
    /// Nothing is reported.
    Off,
    /// A warning is logged.
    #[default]
    Warning,
    /// The compile fails.
    Error,
}

impl Strict {
    /// The value of the setting.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Strict::Off => "off",
            Strict::Warning => "warning",
            Strict::Error => "error",
        }
    }
}

/// A release: major, minor, patch.
type Release = (u32, u32, u32);

/// The releases, oldest first: of Puppet until 8.10, then of OpenVox.
const RELEASES: [(&str, Release); 63] = [
    ("7.23.0", (7, 23, 0)),
    ("7.24.0", (7, 24, 0)),
    ("7.25.0", (7, 25, 0)),
    ("7.26.0", (7, 26, 0)),
    ("7.27.0", (7, 27, 0)),
    ("7.28.0", (7, 28, 0)),
    ("7.29.0", (7, 29, 0)),
    ("7.29.1", (7, 29, 1)),
    ("7.30.0", (7, 30, 0)),
    ("7.31.0", (7, 31, 0)),
    ("7.32.0", (7, 32, 0)),
    ("7.32.1", (7, 32, 1)),
    ("7.33.0", (7, 33, 0)),
    ("7.34.0", (7, 34, 0)),
    ("7.36.1", (7, 36, 1)),
    ("7.37.0", (7, 37, 0)),
    ("7.37.1", (7, 37, 1)),
    ("7.37.2", (7, 37, 2)),
    ("8.0.0", (8, 0, 0)),
    ("8.0.1", (8, 0, 1)),
    ("8.1.0", (8, 1, 0)),
    ("8.2.0", (8, 2, 0)),
    ("8.3.0", (8, 3, 0)),
    ("8.3.1", (8, 3, 1)),
    ("8.4.0", (8, 4, 0)),
    ("8.5.0", (8, 5, 0)),
    ("8.5.1", (8, 5, 1)),
    ("8.6.0", (8, 6, 0)),
    ("8.7.0", (8, 7, 0)),
    ("8.8.0", (8, 8, 0)),
    ("8.8.1", (8, 8, 1)),
    ("8.9.0", (8, 9, 0)),
    ("8.10.0", (8, 10, 0)),
    ("8.11.0", (8, 11, 0)),
    ("8.12.0", (8, 12, 0)),
    ("8.12.1", (8, 12, 1)),
    ("8.13.0", (8, 13, 0)),
    ("8.14.0", (8, 14, 0)),
    ("8.15.0", (8, 15, 0)),
    ("8.16.0", (8, 16, 0)),
    ("8.17.0", (8, 17, 0)),
    ("8.18.0", (8, 18, 0)),
    ("8.18.1", (8, 18, 1)),
    ("8.19.0", (8, 19, 0)),
    ("8.19.1", (8, 19, 1)),
    ("8.19.2", (8, 19, 2)),
    ("8.20.0", (8, 20, 0)),
    ("8.21.0", (8, 21, 0)),
    ("8.21.1", (8, 21, 1)),
    ("8.22.0", (8, 22, 0)),
    ("8.23.0", (8, 23, 0)),
    ("8.23.1", (8, 23, 1)),
    ("8.24.0", (8, 24, 0)),
    ("8.24.1", (8, 24, 1)),
    ("8.24.2", (8, 24, 2)),
    ("8.25.0", (8, 25, 0)),
    ("8.26.0", (8, 26, 0)),
    ("8.26.1", (8, 26, 1)),
    ("8.26.2", (8, 26, 2)),
    ("8.27.0", (8, 27, 0)),
    ("8.28.0", (8, 28, 0)),
    ("8.28.1", (8, 28, 1)),
    ("9.0.0", (9, 0, 0)),
];

/// The differences between versions.
#[derive(Debug)]
pub struct Behaviour {
    /// The major version.
    pub major: u32,
    /// The release whose behaviour is reproduced: `$serverversion`, `$clientversion`, `Puppet.version`.
    pub release: &'static str,
    /// The default of the setting `strict`.
    pub strict: Strict,
    /// The default of the setting `strict_variables`.
    pub strict_variables: bool,
    /// Whether computed types of class parameters are deprecated.
    pub literal_parameter_types: bool,
    /// Whether `+` converts an array of pairs to a hash like `Array#to_h`, with its errors.
    pub strict_pairs: bool,
    /// Whether unknown variables in paths of a hierarchy are warnings even if `strict` is `error`, and the default of a lookup
    /// replaces a missing variable.
    pub forgiving_hierarchy: bool,
    /// Whether keys of other modules in a module's data are ignored, with a warning that names them.
    pub module_data_dropped: bool,
    /// Whether Hiera 3 with custom backends is included.
    pub hiera3: bool,
    /// Whether PSON is included: the constant, and `to_pson` of every object.
    pub pson: bool,
    /// Whether Ruby has `URI.escape`: the function `uriescape` of stdlib 9 refuses to run without it.
    pub uri_escape: bool,
    /// Whether an empty `metadata.json` is treated like a missing one.
    pub empty_metadata: bool,
    /// Whether `each`, `map` and `filter` number the items of an iterator like Ruby's `each_with_index`.
    pub iterators_number_items: bool,
    /// Whether look-around of a regular expression is part of a node definition's name.
    pub look_around_in_node_names: bool,
    /// Whether titles of node blocks with a regular expression are in lower case as a whole, so that the block is found by them.
    pub lower_case_node_names: bool,
    /// Whether agents send legacy facts: the default of their setting `include_legacy_facts`.
    pub legacy_facts: bool,
    /// `Puppet.implementation`, and the fact `implementation` of agents; `None` before there was one.
    pub implementation: Option<&'static str>,
    /// The name of the server fact with the implementation.
    pub implementation_server_fact: &'static str,
    /// Whether messages about values that become strings append the path of each value to those of earlier messages.
    pub accumulated_paths: bool,
    /// Whether `generate` checks that the directory of its program exists, with a message of its own.
    pub generate_checks_directory: bool,
    /// Whether `regsubst` warns about its argument `encoding`, which it ignores.
    pub regsubst_encoding_ignored: bool,
    /// Whether `regsubst` has no argument `encoding`, and `environment.conf` and settings name no other sources of data than `hiera.yaml`.
    pub without_deprecated: bool,
    /// The product's name in messages.
    pub product: &'static str,
    /// Whether all deferred functions are called before an agent's run: the default of the setting `preprocess_deferred`.
    pub preprocess_deferred: bool,
    /// Whether a change that noop mode leaves out is reported in the words of a change: `content changed 'a' to 'b' (noop)`.
    pub noop_in_words_of_change: bool,
    /// Whether links are made without a change of the directory: the message if the directory does not exist.
    pub links_without_chdir: bool,
    /// Whether a `file` accepts the value `etag` of `checksum`.
    pub etag_checksums: bool,
    /// Whether a file's `content` that looks like a checksum (`{md5}…`) is content, and not the name of content in a filebucket.
    pub checksums_are_content: bool,
}

/// The behaviour of a release: each difference with the release that brought it.
const fn behaviour((name, release): (&'static str, Release)) -> Behaviour {
    let (eight, nine) = (is_since(release, (8, 0, 0)), is_since(release, (9, 0, 0)));
    Behaviour {
        major: release.0,
        release: name,
        strict: if eight { Strict::Error } else { Strict::Warning },
        strict_variables: eight,
        literal_parameter_types: eight,
        strict_pairs: eight,
        forgiving_hierarchy: eight,
        module_data_dropped: eight,
        hiera3: !eight,
        pson: !eight,
        uri_escape: !eight,
        empty_metadata: eight,
        iterators_number_items: eight,
        look_around_in_node_names: is_since(release, (8, 9, 0)),
        lower_case_node_names: is_since(release, (8, 28, 1)),
        legacy_facts: !eight,
        implementation: if is_since(release, (8, 19, 0)) { Some("openvox") } else { None },
        implementation_server_fact: match is_since(release, (8, 19, 2)) {
            true => "serverimplementation",
            false => "implementation",
        },
        accumulated_paths: !eight,
        generate_checks_directory: is_since(release, (8, 8, 0)),
        regsubst_encoding_ignored: is_since(release, (8, 8, 0)),
        without_deprecated: nine,
        product: if nine { "OpenVox" } else { "Puppet" },
        preprocess_deferred: !eight || nine,
        noop_in_words_of_change: is_since(release, (8, 9, 0)),
        links_without_chdir: is_since(release, (8, 8, 0)),
        etag_checksums: is_since(release, (8, 26, 0)),
        checksums_are_content: nine,
    }
}

const fn is_since(release: Release, first: Release) -> bool {
    let ((major, minor, patch), (first_major, first_minor, first_patch)) = (release, first);
    if major != first_major {
        return major > first_major;
    }
    if minor != first_minor { minor > first_minor } else { patch >= first_patch }
}

/// The behaviour of each release.
static BEHAVIOURS: [Behaviour; RELEASES.len()] = {
    let mut all = [const { behaviour(RELEASES[0]) }; RELEASES.len()];
    let mut number = 0;
    while number < RELEASES.len() {
        all[number] = behaviour(RELEASES[number]);
        number += 1;
    }
    all
};

/// The number of a release among all.
const fn number_of(release: Release) -> usize {
    let mut number = 0;
    while number + 1 < RELEASES.len() && !is_since(RELEASES[number].1, release) {
        number += 1;
    }
    number
}

/// A version of the language: that of a release.
#[derive(Clone, Copy, Debug)]
pub struct Version(&'static Behaviour);

impl Version {
    /// The oldest release, the last one of Puppet 7 that Debian has.
    pub const SEVEN: Version = Version(&BEHAVIOURS[0]);
    /// The newest release of 8.
    pub const EIGHT: Version = Version(&BEHAVIOURS[number_of((8, 28, 1))]);
    /// The newest release.
    pub const NINE: Version = Version(&BEHAVIOURS[RELEASES.len() - 1]);

    /// Whether this release has the number of another one, such as `8.26.0`, or is newer.
    #[must_use]
    pub fn is_since(self, release: &str) -> bool {
        let named = Version::find(release);
        let number = |version: Version| BEHAVIOURS.iter().position(|known| known.release == version.release);
        named.is_some_and(|named| number(self) >= number(named))
    }

    /// Major and minor version: `7.23`.
    #[must_use]
    pub fn series(self) -> &'static str {
        let release = self.0.release;
        release.rsplit_once('.').map_or(release, |(series, _)| series)
    }

    /// The address of a page of the documentation: `lang_reserved` in this version's pages.
    #[must_use]
    pub fn documentation(self, page: &str) -> String {
        let pages = if self.major >= 9 { "docs.openvoxproject.org/openvox" } else { "puppet.com/docs/puppet" };
        format!("https://{pages}/latest/{page}.html")
    }

    /// The version with a name: a release (`8.28.1`), a series (`8.28`) or a major version, which mean their newest release; `7` is 7.23,
    /// of which there are recorded answers.
    #[must_use]
    pub fn find(name: &str) -> Option<Version> {
        let parts: Vec<u32> = name.split('.').map(|part| part.parse().ok()).collect::<Option<_>>()?;
        if parts == [7] {
            return Some(Version::SEVEN);
        }
        let is_named = |behaviour: &&Behaviour| {
            let mut known = behaviour.release.split('.').map(|part| part.parse().ok());
            matches!(parts.len(), 1..=3) && parts.iter().all(|part| known.next() == Some(Some(*part)))
        };
        BEHAVIOURS.iter().rev().find(is_named).map(Version)
    }

    /// The versions that [`Version::find`] finds, for messages.
    #[must_use]
    pub fn known() -> String {
        let series = |major: u32| {
            let mut all = BEHAVIOURS.iter().filter(move |behaviour| behaviour.major == major).map(Version);
            let first = all.next().map_or("", Version::series);
            all.next_back()
                .filter(|last| last.series() != first)
                .map_or_else(|| first.to_owned(), |last| format!("{first} to {}", last.series()))
        };
        format!("7, 8, 9, or a release: {}, {}, {}", series(7), series(8), series(9))
    }
}

impl Default for Version {
    fn default() -> Version {
        Version::EIGHT
    }
}

impl Deref for Version {
    type Target = Behaviour;

    fn deref(&self) -> &Behaviour {
        self.0
    }
}

impl PartialEq for Version {
    fn eq(&self, other: &Version) -> bool {
        self.release == other.release
    }
}

impl Eq for Version {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_are_found_by_their_names() {
        for (name, release) in [
            ("7", Some("7.23.0")),
            ("7.37", Some("7.37.2")),
            ("7.23", Some("7.23.0")),
            ("7.23.0", Some("7.23.0")),
            ("8", Some("8.28.1")),
            ("8.28", Some("8.28.1")),
            ("8.28.0", Some("8.28.0")),
            ("8.11", Some("8.11.0")),
            ("9", Some("9.0.0")),
            ("9.0", Some("9.0.0")),
            ("7.22", None),
            ("8.28.2", None),
            ("8.29", None),
            ("9.1", None),
            ("10", None),
            ("6", None),
            ("", None),
            ("8.", None),
            ("8.x", None),
            ("8.28.1.0", None),
            ("-8", None),
        ] {
            assert_eq!(Version::find(name).map(|version| version.release), release, "{name}");
        }
        assert_eq!(Version::known(), "7, 8, 9, or a release: 7.23 to 7.37, 8.0 to 8.28, 9.0");
        assert_eq!(
            (Version::SEVEN.release, Version::EIGHT.release, Version::NINE.release),
            ("7.23.0", "8.28.1", "9.0.0")
        );
        assert_ne!(Version::find("8.10"), Version::find("8.11"));
    }

    #[test]
    fn a_rule_holds_from_its_release_on() {
        let version = |name: &str| Version::find(name).unwrap_or_default();
        assert!(!version("8.8").look_around_in_node_names && version("8.9").look_around_in_node_names);
        assert!(!version("8.28.0").lower_case_node_names && version("8.28").lower_case_node_names);
        assert!(version("7.37").hiera3 && !version("8.0").hiera3);
    }
}

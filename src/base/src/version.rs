//! Versions of the language: one value that says all that differs between them.
//!
//! In: the name of a version. Out: [`Version`], with a method for each difference of the language. Must not:
//! know the rules.

use std::ops::Deref;

/// How questionable code is taken (Puppet's setting `strict`).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Strict {
    /// Nothing is said.
    Off,
    /// A warning.
    #[default]
    Warning,
    /// An error.
    Error,
}

impl Strict {
    /// As the setting writes it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Strict::Off => "off",
            Strict::Warning => "warning",
            Strict::Error => "error",
        }
    }
}

/// What differs between versions.
#[derive(Debug)]
pub struct Behaviour {
    /// The major version: what `--puppet` takes.
    pub major: u32,
    /// The release that Catwalk is compared with: `$serverversion`, `$clientversion`, `Puppet.version`.
    pub release: &'static str,
    /// The setting `strict` when nothing is said.
    pub strict: Strict,
    /// The setting `strict_variables` when nothing is said.
    pub strict_variables: bool,
    /// Types of class parameters should be literal: other expressions are deprecated.
    pub literal_parameter_types: bool,
    /// `split` and `regsubst` accept `Sensitive` strings.
    pub sensitive_texts: bool,
    /// `regsubst` says that its argument for the encoding is of no use.
    pub encoding_deprecated: bool,
    /// `min` and `max` order versions and times by value, not as strings.
    pub ordered_times: bool,
    /// `+` turns an array of pairs into a hash as `Array#to_h` does, with its errors.
    pub strict_pairs: bool,
    /// Unknown variables in the paths of a hierarchy are warnings also when `strict` is `error`, and a default of a lookup
    /// stands in for a variable that is not there.
    pub forgiving_hierarchy: bool,
    /// Keys of a module's data that are not its own are named in the warning, and dropped.
    pub module_data_dropped: bool,
    /// Hiera 3 with backends of its own comes along.
    pub hiera3: bool,
    /// PSON comes along: the constant, and `to_pson` of every object.
    pub pson: bool,
    /// An empty `metadata.json` is as good as none.
    pub empty_metadata: bool,
    /// `each`, `map` and `filter` count the items of an iterator as Ruby's `each_with_index` does.
    pub counted_by_ruby: bool,
    /// Look-around of a regular expression is part of a node definition's name.
    pub look_around_in_node_names: bool,
}

static SEVEN: Behaviour = Behaviour {
    major: 7,
    release: "7.23.0",
    strict: Strict::Warning,
    strict_variables: false,
    literal_parameter_types: false,
    sensitive_texts: false,
    encoding_deprecated: false,
    ordered_times: false,
    strict_pairs: false,
    forgiving_hierarchy: false,
    module_data_dropped: false,
    hiera3: true,
    pson: true,
    empty_metadata: false,
    counted_by_ruby: false,
    look_around_in_node_names: false,
};

static EIGHT: Behaviour = Behaviour {
    major: 8,
    release: "8.11.0",
    strict: Strict::Error,
    strict_variables: true,
    literal_parameter_types: true,
    sensitive_texts: true,
    encoding_deprecated: true,
    ordered_times: true,
    strict_pairs: true,
    forgiving_hierarchy: true,
    module_data_dropped: true,
    hiera3: false,
    pson: false,
    empty_metadata: true,
    counted_by_ruby: true,
    look_around_in_node_names: true,
};

/// A version of the language; 7 by default.
#[derive(Clone, Copy, Debug)]
pub struct Version(&'static Behaviour);

impl Version {
    /// Puppet 7.
    pub const SEVEN: Version = Version(&SEVEN);
    /// Puppet 8.
    pub const EIGHT: Version = Version(&EIGHT);

    /// Major and minor version: `7.23`.
    #[must_use]
    pub fn series(self) -> &'static str {
        let release = self.0.release;
        release.rsplit_once('.').map_or(release, |(series, _)| series)
    }

    /// The version of this name: the major version, or a release of it.
    #[must_use]
    pub fn find(name: &str) -> Option<Version> {
        let (major, rest) = name.split_once('.').unwrap_or((name, ""));
        let release = rest.is_empty() || rest.split('.').all(|part| part.parse::<u32>().is_ok());
        [Version::SEVEN, Version::EIGHT].into_iter().find(|known| release && known.major.to_string() == major)
    }
}

impl Default for Version {
    fn default() -> Version {
        Version::SEVEN
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
        self.major == other.major
    }
}

impl Eq for Version {}

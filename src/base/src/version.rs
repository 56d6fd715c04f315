//! Versions of the language and their differences.
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

/// The differences between versions.
#[derive(Debug)]
pub struct Behaviour {
    /// The major version: the value of `--puppet`.
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
}

static SEVEN: Behaviour = Behaviour {
    major: 7,
    release: "7.23.0",
    strict: Strict::Warning,
    strict_variables: false,
    literal_parameter_types: false,
    strict_pairs: false,
    forgiving_hierarchy: false,
    module_data_dropped: false,
    hiera3: true,
    pson: true,
    uri_escape: true,
    empty_metadata: false,
    iterators_number_items: false,
    look_around_in_node_names: false,
};

static EIGHT: Behaviour = Behaviour {
    major: 8,
    release: "8.11.0",
    strict: Strict::Error,
    strict_variables: true,
    literal_parameter_types: true,
    strict_pairs: true,
    forgiving_hierarchy: true,
    module_data_dropped: true,
    hiera3: false,
    pson: false,
    uri_escape: false,
    empty_metadata: true,
    iterators_number_items: true,
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

    /// The version with a name: the major version, or one of its releases.
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

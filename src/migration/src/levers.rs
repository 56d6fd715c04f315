//! What can be set on servers and agents of a new version until the code has been changed.
//!
//! In: the options of the new version. Out: the options with a lever applied. Must not: compile.

use catwalk_base::version::Strict;
use catwalk_base::version::Version;
use catwalk_session::Options;

/// One change of the servers' or agents' configuration that brings back a behaviour of the old version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lever {
    /// Agents send legacy facts.
    LegacyFacts,
    /// `strict = warning`.
    Strict,
    /// `strict_variables = false`.
    StrictVariables,
    /// Both settings together.
    BothStrict,
    /// The gem `pson` on the server.
    Pson,
    /// All of them together.
    All,
}

/// Levers in the order in which they are tried: the first one that undoes a change explains it.
const ALL: [Lever; 6] =
    [Lever::LegacyFacts, Lever::StrictVariables, Lever::Strict, Lever::BothStrict, Lever::Pson, Lever::All];

impl Lever {
    /// The name in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Lever::LegacyFacts => "legacy_facts",
            Lever::Strict => "strict",
            Lever::StrictVariables => "strict_variables",
            Lever::BothStrict => "strict_and_strict_variables",
            Lever::Pson => "pson",
            Lever::All => "all",
        }
    }

    /// Why the new version behaves differently.
    #[must_use]
    pub fn cause(self) -> &'static str {
        match self {
            Lever::LegacyFacts => "agents no longer send legacy facts",
            Lever::Strict => "problems that were warnings are errors (`strict = error` is the default)",
            Lever::StrictVariables => "unknown variables are errors (`strict_variables = true` is the default)",
            Lever::BothStrict => {
                "unknown variables are errors (`strict = error` and `strict_variables = true` are the defaults)"
            }
            Lever::Pson => "the server has no PSON",
            Lever::All => "several defaults have changed",
        }
    }

    /// What to do: the change of the code, and the setting that gives time for it.
    #[must_use]
    pub fn remedy(self) -> &'static str {
        match self {
            Lever::LegacyFacts => {
                "read the structured facts listed above; until then `include_legacy_facts = true` in puppet.conf of the agents"
            }
            Lever::Strict => "change the code; until then `strict = warning` in puppet.conf of the servers",
            Lever::StrictVariables => {
                "set the variable, or test it with defined(); until then `strict_variables = false` in puppet.conf of the servers"
            }
            Lever::BothStrict => {
                "set the variable, or test it with defined(); until then `strict = warning` and `strict_variables = false` in puppet.conf of the servers"
            }
            Lever::Pson => {
                "update the module, or use parsejson(); until then install the gem pson (`[ruby] gems = [\"pson\"]` in catwalk.toml)"
            }
            Lever::All => {
                "change the code; until then `include_legacy_facts = true` on agents, and `strict = warning` and \
                 `strict_variables = false` on servers"
            }
        }
    }

    /// The options with this lever.
    pub(super) fn applied(self, options: &Options) -> Options {
        let mut options = options.clone();
        let mut set = |name: &str, value: &str| options.set.push((name.to_owned(), value.to_owned()));
        if matches!(self, Lever::Strict | Lever::BothStrict | Lever::All) {
            set("strict", "warning");
        }
        if matches!(self, Lever::StrictVariables | Lever::BothStrict | Lever::All) {
            set("strict_variables", "false");
        }
        if matches!(self, Lever::LegacyFacts | Lever::All) {
            set("include_legacy_facts", "true");
            options.drop_legacy_facts = false;
        }
        if matches!(self, Lever::Pson | Lever::All) {
            options.gems.push("pson".to_owned());
        }
        options
    }
}

/// The options of the new version: facts are those that its agents send.
pub(super) fn new_options(options: &Options, from: Version, to: Version) -> Options {
    let before = Options { puppet: Some(from), ..options.clone() }.agent(None).legacy_facts;
    let new = Options { puppet: Some(to), ..options.clone() };
    Options { drop_legacy_facts: before && !new.agent(None).legacy_facts, ..new }
}

/// The levers that exist between two versions.
pub(super) fn available(options: &Options, from: Version) -> impl Iterator<Item = Lever> {
    let to = options.puppet.unwrap_or_default();
    let is_stricter = from.strict != to.strict && to.strict == Strict::Error;
    let legacy = options.drop_legacy_facts;
    let pson = from.pson && !to.pson;
    ALL.into_iter().filter(move |lever| match lever {
        Lever::LegacyFacts => legacy,
        Lever::Strict | Lever::StrictVariables | Lever::BothStrict => is_stricter,
        Lever::Pson => pson,
        Lever::All => legacy || is_stricter || pson,
    })
}

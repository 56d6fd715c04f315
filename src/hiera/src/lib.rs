//! Hiera 5: `lookup()` and automatic parameter lookup through the global, environment and module layers.
//!
//! In: the locations of the layers ([`Sources`]), a world, and a [`Host`] with variables, functions and types. Out: values, or a
//! [`Failure`] with Puppet's message. Must not: know scopes, catalogs or how manifests are evaluated.
//!
//! Each environment has a [`Lookup`], shared by all nodes and threads: it caches parsed data and configuration while the world returns
//! the same bytes. Each compile has a [`NodeData`]: hierarchies resolved with that node's variables, its `lookup_options`. Rules:
//! Puppet's documentation of Hiera 5 and `puppet/pops/lookup` of 7.23.
//!
//! | file | what |
//! |---|---|
//! | `lookup` | the order of layers, `lookup()`, automatic parameter lookup |
//! | `options`, `key_options` | `lookup_options` |
//! | `config`, `config3` | hiera.yaml |
//! | `hierarchy`, `resolved` | entries with their locations for one node |
//! | `provider` | looks up a key in one hierarchy entry |
//! | `backend` | data files as hashes, cached |
//! | `interpolate` | `%{…}` |
//! | `merge`, `deep`, `levels` | merge strategies: two values, deep, many levels |
//! | `explain` | the steps of a lookup |
//! | `replay` | whether an edited hiera.yaml has the same results for a node |
//! | `usage`, `key_usage` | which keys exist, and which are used |
//! | `data_context` | the context of custom data functions |
//! | `scope_lookup` | the variables that a hierarchy was resolved with |

mod backend;
mod config;
mod config3;
mod data_context;
mod deep;
pub mod explain;
pub mod eyaml;
mod failure;
mod hierarchy;
mod interpolate;
mod key;
mod key_options;
mod key_usage;
mod layers;
mod levels;
mod lookup;
mod merge;
mod node_data;
mod options;
mod provider;
mod replay;
mod resolved;
mod scope_lookup;
mod usage;

use std::path::PathBuf;
use std::sync::Arc;

use rustc_hash::FxHashMap;

pub use backend::DataUse;
pub use backend::Format;
pub use backend::read_data;
pub use config::check_config;
pub use data_context::DataContext;
pub use eyaml::DecryptionCache;
pub use failure::Failure;
pub use failure::FilePosition;
pub use failure::Kind;
pub use key_usage::Usage;
pub use lookup::Answer;
pub use lookup::Lookup;
pub use lookup::Request;
pub use node_data::NodeData;
pub use replay::ConfigUse;
pub use usage::DataFile;

pub use catwalk_base::version::Strict;

use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::version::Version;
use catwalk_value::Value;

/// The reserved key.
const LOOKUP_OPTIONS: &str = "lookup_options";

/// The locations of an environment's layers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sources {
    /// The global hiera.yaml; `None`: no global layer.
    pub global: Option<PathBuf>,
    /// The environment's directory; `None`: no environment layer.
    pub environment: Option<PathBuf>,
    /// The environment's name.
    pub environment_name: Arc<str>,
    /// Whether only the functions `hiera…` use the global layer (the setting `data_binding_terminus=none`).
    pub global_for_hiera_calls: bool,
    /// `environment_data_provider` of environment.conf.
    pub environment_data_provider: Option<String>,
    /// The root directory of each module.
    pub modules: FxHashMap<String, PathBuf>,
    /// Puppet's `strict` setting.
    pub strict: Strict,
    /// The version of the language.
    pub version: Version,
    /// Whether deprecation warnings are suppressed.
    pub quiet: bool,
    /// How to treat encrypted values.
    pub eyaml: Eyaml,
    /// Puppet's `codedir`, where data of Hiera 3 is by default.
    pub codedir: PathBuf,
}

impl Sources {
    /// Whether the layers have the same locations and meaning. Modules may differ. Without a global layer, the treatment of encrypted
    /// values may differ, too: a global layer may be one of Hiera 3, whose uses of values are not recorded.
    #[must_use]
    pub fn is_alike(&self, other: &Sources) -> bool {
        let without_modules =
            |of: &Sources| Sources { modules: FxHashMap::default(), eyaml: Eyaml::default(), ..of.clone() };
        without_modules(self) == without_modules(other) && (self.eyaml == other.eyaml || self.global.is_none())
    }
}

/// How to treat values that eyaml encrypted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Eyaml {
    /// They are decrypted with the keys that the hierarchy names.
    #[default]
    Keys,
    /// They become distinct placeholders, for machines without the keys.
    Placeholder,
}

impl Eyaml {
    /// The mode of a name.
    #[must_use]
    pub fn find(name: &str) -> Option<Eyaml> {
        match name {
            "keys" => Some(Eyaml::Keys),
            "placeholder" => Some(Eyaml::Placeholder),
            _ => None,
        }
    }
}

/// How to treat a variable that does not exist.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum UnknownPolicy {
    /// As the setting `strict` requires.
    #[default]
    Strict,
    /// A warning where `strict` is `error`.
    Forgiven,
    /// No message: a default replaces it.
    Silent,
}

/// What kind of data function is called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DataKind {
    /// `data_hash`: options, context → hash
    DataHash,
    /// `lookup_key`: key, options, context → value
    LookupKey,
    /// `data_dig`: segments, options, context → value
    DataDig,
    /// `v4_data_hash`, the deprecated `environment::data` and `<module>::data`: called without any argument → hash
    LegacyDataHash,
}

impl DataKind {
    /// The key in hiera.yaml.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            DataKind::DataHash => "data_hash",
            DataKind::LookupKey => "lookup_key",
            DataKind::DataDig => "data_dig",
            DataKind::LegacyDataHash => "v4_data_hash",
        }
    }
}

/// The result of a data function.
#[derive(Clone, Debug)]
pub enum DataAnswer {
    /// A value.
    Value(Value),
    /// It called `not_found()` of its context.
    NotFound,
    /// It raised a Ruby error, which gets the position of the call in the manifest.
    Raised(Reason),
    /// There is no function of that name.
    NoFunction,
    /// The function does not exist, and neither does its module.
    NoModule,
}

/// Why `convert_to` failed.
#[derive(Clone, Debug)]
pub enum ConvertError {
    /// The type does not parse; the parser's message.
    Type(String),
    /// `new()` failed; its message.
    Failed(String),
}

/// What Hiera needs from the evaluator.
pub trait Host {
    /// The value of a variable in the current scope (`facts`, `::environment`, `ntp::servers`); `None` if it does not exist. Warns or
    /// fails for unknown variables according to `strict` and `strict_variables`.
    ///
    /// # Errors
    /// The evaluator's failure for unknown variables, whose cause is [`Cause::UnknownVariable`](catwalk_base::diag::Cause::UnknownVariable).
    fn variable(&mut self, name: &str, unknown: UnknownPolicy) -> Result<Option<Value>, Box<Diagnostic>>;

    /// The value of a variable of which only some entries are used.
    ///
    /// # Errors
    /// As [`Host::variable`].
    fn variable_entries(
        &mut self,
        name: &str,
        _entries: &mut dyn Iterator<Item = &str>,
        unknown: UnknownPolicy,
    ) -> Result<Option<Value>, Box<Diagnostic>> {
        self.variable(name, unknown)
    }

    /// Calls a custom data function with its arguments without the context, which the host passes last (not to
    /// [`DataKind::LegacyDataHash`]). A name without `::` is looked for in the environment, else in its module.
    ///
    /// # Errors
    /// Returns the failure of the function.
    fn data_function(
        &mut self,
        kind: DataKind,
        name: &str,
        args: &[Value],
        context: &DataContext<'_>,
    ) -> Result<DataAnswer, Box<Diagnostic>>;

    /// `new(T, value, …)` for `convert_to`: the first item is the type or its name, the others are further arguments.
    ///
    /// # Errors
    /// The type or the conversion is wrong.
    fn convert(&mut self, convert_to: &[Value], value: Value) -> Result<Value, ConvertError>;

    /// The class that is being evaluated (`calling_class` of Hiera 3).
    fn calling_class(&mut self) -> Option<String> {
        None
    }

    /// The message `<subject> has wrong type, expects …` for a value that is not of the type.
    fn describe_mismatch(&mut self, subject: &str, expected: &str, value: &Value) -> String;

    /// A warning. With a key, it is logged once per key and Puppet process.
    fn warn(&mut self, key: Option<&str>, message: String);
}

#[cfg(test)]
mod tests;

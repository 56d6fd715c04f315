//! Settings of a compile for the evaluator.
//!
//! In: names and values of settings. Out: their meaning. Must not: know where they were written.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::AtomicU8;
use std::sync::atomic::Ordering;

use super::Limits;
use crate::coverage;
use catwalk_base::diag::Reason;
use catwalk_base::diag::Severity;
use catwalk_base::version::Strict;
use catwalk_base::version::Version;
use catwalk_syntax as syntax;
use catwalk_value::Value;

/// Puppet's settings, as far as a compile depends on them.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The language.
    pub version: Version,
    /// `strict`: off, warning or error.
    pub strict: Strict,
    /// `strict_variables`: unknown variables are errors.
    pub strict_variables: bool,
    /// All settings by name, as they were set: shown in `$settings::…`.
    pub values: indexmap::IndexMap<String, String>,
    /// Limits that stop a manifest before it exhausts the machine.
    pub limits: Limits,
    /// Whether catalogs get the positions of their relationships ([`Catalog::origins`](catwalk_catalog::Catalog)).
    pub relationship_origins: bool,
    /// Whether catalogs get the relationships that resource types imply
    /// ([`Catalog::automatic`](catwalk_catalog::Catalog)), which the search for dependency cycles follows then.
    pub automatic_relationships: bool,
    /// Whether catalogs have rich data; `None`: from the environment or Puppet's setting `rich_data`.
    pub rich_data: Option<bool>,
    /// How to treat dependency cycles.
    pub cycles: Cycles,
    /// Whether to warn of `Deferred` values that fail on an agent.
    pub deferred_warnings: bool,
    /// Set to interrupt the evaluation.
    pub interrupt: Option<Arc<AtomicBool>>,
    /// The counters of reached code; `None`: code is not counted.
    pub coverage: Option<Arc<coverage::Hits>>,
    /// The levels of messages that are logged.
    pub log_level: LogLevel,
    /// The server's Ruby.
    pub ruby: RubyServer,
}

/// What code in Ruby finds on the server besides Puppet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RubyServer {
    /// Whether it has PSON: Puppet 7 includes it, later ones have it as the gem `pson`.
    pub has_pson: bool,
    /// Whether `inspect` of hashes has the form of Ruby 3.4, `{"a" => 1, b: 2}` in place of `{"a"=>1, :b=>2}`.
    pub has_spaced_hashes: bool,
}

/// The lowest level of messages for the log. Copies share it, so that later compiles can log more.
#[derive(Clone, Debug)]
pub struct LogLevel(Arc<AtomicU8>);

impl LogLevel {
    /// Messages of this level and those that are more serious.
    #[must_use]
    pub fn from(level: Severity) -> LogLevel {
        LogLevel(Arc::new(AtomicU8::new(level as u8)))
    }

    /// Whether messages of this level are logged.
    #[must_use]
    pub fn includes(&self, level: Severity) -> bool {
        level as u8 >= self.0.load(Ordering::Relaxed)
    }

    /// A level of its own that logs messages from this level on, in addition.
    #[must_use]
    pub fn including(&self, level: Severity) -> LogLevel {
        LogLevel(Arc::new(AtomicU8::new(self.0.load(Ordering::Relaxed).min(level as u8))))
    }

    /// Logs messages from this level on, in addition.
    pub fn include(&self, level: Severity) {
        self.0.fetch_min(level as u8, Ordering::Relaxed);
    }
}

/// The default of Puppet's setting `log_level`.
impl Default for LogLevel {
    fn default() -> LogLevel {
        LogLevel::from(Severity::Notice)
    }
}

/// How to treat dependency cycles. Puppet leaves finding them to the agent, where they stop the whole run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Cycles {
    /// Not reported.
    Ignore,
    /// A warning.
    #[default]
    Warning,
    /// The catalog is refused.
    Error,
}

impl Cycles {
    /// The treatment with a name.
    #[must_use]
    pub fn find(name: &str) -> Option<Cycles> {
        match name {
            "ignore" => Some(Cycles::Ignore),
            "warning" => Some(Cycles::Warning),
            "error" => Some(Cycles::Error),
            _ => None,
        }
    }
}

impl Settings {
    /// The defaults of a version of the language.
    #[must_use]
    pub fn for_version(version: Version) -> Settings {
        Settings {
            version,
            strict: version.strict,
            strict_variables: version.strict_variables,
            values: indexmap::IndexMap::new(),
            limits: Limits::default(),
            relationship_origins: false,
            deferred_warnings: false,
            automatic_relationships: false,
            rich_data: None,
            cycles: Cycles::default(),
            interrupt: None,
            coverage: None,
            log_level: LogLevel::default(),
            ruby: RubyServer { has_pson: version.pson, has_spaced_hashes: false },
        }
    }

    /// The settings for opening an environment.
    #[must_use]
    pub fn environment_settings(&self) -> catwalk_program::Settings {
        catwalk_program::Settings { values: self.values.clone(), version: self.version, strict: self.strict }
    }

    /// The syntax options of the parser.
    #[must_use]
    pub fn syntax(&self) -> syntax::Options {
        let defaults = syntax::MessageLimits::default();
        let message_limits = syntax::MessageLimits {
            errors: self.number("max_errors", defaults.errors),
            warnings: self.number("max_warnings", defaults.warnings),
            deprecations: match self.disables("deprecations") {
                true => 0,
                false => self.number("max_deprecations", defaults.deprecations),
            },
        };
        syntax::Options { strict: self.strict, version: self.version, message_limits, ..syntax::Options::default() }
    }

    /// A setting that is a number.
    fn number(&self, name: &str, unset: usize) -> usize {
        match self.environment_settings().typed_value(name) {
            Some(Value::Int(most)) => usize::try_from(most).unwrap_or(0),
            _ => unset,
        }
    }

    /// Changes one setting, as `--set NAME=VALUE` does.
    ///
    /// # Errors
    ///
    /// Puppet has no setting of this name, or it cannot have that value; or it is not supported.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), Reason> {
        let mut settings = self.environment_settings();
        let set = settings.set(name, value);
        self.values = settings.values;
        set?;
        match (name, value) {
            ("strict", "off") => self.strict = Strict::Off,
            ("strict", "warning") => self.strict = Strict::Warning,
            ("strict", "error") => self.strict = Strict::Error,
            ("strict_variables", on) => self.strict_variables = on == "true",
            ("log_level", name) => self.log_level = Severity::find(name).map_or_else(LogLevel::default, LogLevel::from),
            ("tasks", "true") => return Err(Reason::unsupported(&format!("{name}={value}"))),
            // Modules may provide others as indirection termini in Ruby.
            ("data_binding_terminus", terminus) if !matches!(terminus, "hiera" | "none" | "") => {
                return Err(Reason::unsupported(&format!("{name}={value}")));
            }
            _ => {}
        }
        Ok(())
    }

    /// Whether warnings of a kind are switched off (`disable_warnings`): `deprecations`, `undefined_variables`.
    #[must_use]
    pub fn disables(&self, kind: &str) -> bool {
        self.values.get("disable_warnings").is_some_and(|kinds| kinds.split(',').any(|item| item.trim() == kind))
    }

    /// Whether data of the global layer is not used for parameters and `lookup()` (`data_binding_terminus`).
    #[must_use]
    pub fn without_data_binding(&self) -> bool {
        self.values.get("data_binding_terminus").is_some_and(|terminus| matches!(terminus.as_str(), "none" | ""))
    }

    /// Whether deferred functions are called before an agent's run (`preprocess_deferred`).
    #[must_use]
    pub fn preprocess_deferred(&self) -> bool {
        self.values.get("preprocess_deferred").map_or(self.version.preprocess_deferred, |value| value == "true")
    }

    /// A boolean setting; false if it is not set.
    #[must_use]
    pub fn flag(&self, name: &str) -> bool {
        self.values.get(name).is_some_and(|value| value == "true")
    }
}

/// The defaults of the default version.
impl Default for Settings {
    fn default() -> Settings {
        Settings::for_version(Version::default())
    }
}

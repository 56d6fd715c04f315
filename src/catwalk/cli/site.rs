//! The options of all commands that compile.

use std::path::PathBuf;

use clap::Args;
use clap::ValueEnum;

use catwalk_base::diag::Severity;
use catwalk_base::version::Version;
use catwalk_eval::Cycles;
use catwalk_hiera::Eyaml;
use catwalk_world::sandbox::Startable;

/// The location of the code and the inputs of compiles: options of all commands that compile.
#[derive(Args, Debug, Clone, Default)]
pub struct SiteArgs {
    /// The site: an environment's directory [default: the nearest parent with catwalk.toml or environment.conf]
    #[arg(long, value_name = "DIR")]
    pub site: Option<PathBuf>,
    /// Name of the environment [default: production]
    #[arg(long, value_name = "NAME")]
    pub environment: Option<String>,
    /// Directories of modules, separated by colons
    #[arg(long, value_name = "A:B")]
    pub modulepath: Option<String>,
    /// The main manifest: a file, or a directory of manifests
    #[arg(long, value_name = "PATH")]
    pub manifest: Option<PathBuf>,
    /// Compile this code instead of the main manifest
    #[arg(short, long, value_name = "CODE")]
    pub execute: Option<String>,
    /// Facts of the node: a file (JSON or YAML: a hash, {"name", "values"}, or `puppet facts` output), or the name of a fact set
    /// such as debian-12 (`catwalk facts list`)
    #[arg(long, value_name = "FILE|SET")]
    pub facts: Option<PathBuf>,
    /// Override a fact, such as os.family=RedHat; the value is YAML or JSON (repeatable)
    #[arg(long = "fact", value_name = "NAME=VALUE")]
    pub fact: Vec<String>,
    /// Add legacy facts such as osfamily to fact sets and to this machine's facts [default: with Puppet 7]
    #[arg(long)]
    pub legacy_facts: bool,
    /// The $trusted hash (JSON or YAML), or a certificate (PEM)
    #[arg(long, value_name = "FILE")]
    pub trusted: Option<PathBuf>,
    /// The $server_facts hash; JSON or YAML
    #[arg(long, value_name = "FILE")]
    pub server_facts: Option<PathBuf>,
    /// External node classifier: an executable, or a .rhai script
    #[arg(long, value_name = "PATH")]
    pub enc: Option<PathBuf>,
    /// Global Hiera configuration (hiera.yaml, version 5)
    #[arg(long, value_name = "FILE")]
    pub hiera: Option<PathBuf>,
    /// Version of the language: 7, 8, 9 or a release such as 8.28 [default: catwalk.toml, otherwise 8]
    #[arg(long, value_parser = puppet_version, value_name = "VERSION")]
    pub puppet: Option<Version>,
    /// Set a Puppet setting, such as strict_variables=true (repeatable)
    #[arg(long = "set", value_name = "SETTING=VALUE")]
    pub settings: Vec<String>,
    /// Stop a compile that takes longer, 0 for no limit [default: catwalk.toml, otherwise 300]
    #[arg(long, value_name = "SECONDS")]
    pub time_limit: Option<String>,
    /// Set a limit: time, depth, resources, iterations, text, elements, memory, file or responses (repeatable)
    #[arg(long = "limit", value_name = "NAME=N")]
    pub limits: Vec<String>,
    /// How to treat dependency cycles [default: catwalk.toml, otherwise warning]
    #[arg(long, value_enum, value_name = "HOW")]
    pub cycles: Option<CyclePolicy>,
    /// Include automatic relationships of resource types in the search for dependency cycles and in graphs: a file waits for its directory
    /// and its owner [default: catwalk.toml, otherwise not]
    #[arg(long)]
    pub autorequire: bool,
    /// How to treat values encrypted with eyaml [default: catwalk.toml, otherwise keys]
    #[arg(long, value_enum, value_name = "HOW")]
    pub eyaml: Option<EyamlMode>,
    /// Source of exported resources for `<<| |>>`: `site` (compiles all nodes), a directory of catalogs, a store, or a PuppetDB
    /// (`puppetdb`: that of catwalk.toml); stores and PuppetDB also answer puppetdb_query
    #[arg(long, value_name = "site|DIR|FILE.db|puppetdb|URL")]
    pub exported: Option<String>,
    /// Save the responses of commands, web servers, PuppetDB, the clock and the environment to this directory
    #[arg(long, value_name = "DIR")]
    pub record: Option<PathBuf>,
    /// Use the responses saved in this directory; a request without one is an error
    #[arg(long, value_name = "DIR", conflicts_with = "record")]
    pub replay: Option<PathBuf>,
    /// Run each Rhai script in its own process, without access to files, network and environment
    #[arg(long)]
    pub isolate_scripts: bool,
    /// Do not let code of the site start processes, use the network, see environment variables or read outside of the site; the
    /// environment variable CATWALK_UNTRUSTED=1 and `untrusted = true` in catwalk.toml do the same
    #[arg(long)]
    pub untrusted: bool,
    /// Paths outside of the site that other options name
    #[arg(skip)]
    pub readable: Vec<PathBuf>,
    /// The directory of snapshots, in place of that of the site
    #[arg(skip)]
    pub snapshots: Option<PathBuf>,
    /// The directory of test files, in place of that of the site
    #[arg(skip)]
    pub tests: Option<PathBuf>,
    /// Files and directories that the command writes, besides those in the site
    #[arg(skip)]
    pub writable: Vec<PathBuf>,
    /// Files that the command itself reads outside of the site; code may not
    #[arg(skip)]
    pub read_by_command: Vec<PathBuf>,
    /// Programs that the command starts for the user: git, or what `--exec` names
    #[arg(skip)]
    pub programs: Vec<Startable>,
    /// Format of messages on stderr
    #[arg(long, value_enum, default_value = "human")]
    pub log_format: LogFormat,
    #[command(flatten)]
    pub verbosity: Verbosity,
}

/// The directories of tests and snapshots: options of commands that compare catalogs with snapshots.
#[derive(Args, Debug, Clone, Default)]
pub struct SuiteArgs {
    /// The directory of snapshots [default: catwalk.toml, otherwise snapshots in the site]
    #[arg(long, value_name = "DIR")]
    pub snapshots: Option<PathBuf>,
    /// The directory of test files [default: catwalk.toml, otherwise tests in the site]
    #[arg(long, value_name = "DIR")]
    pub tests: Option<PathBuf>,
}

impl SuiteArgs {
    /// Adds the directories to the site's arguments.
    pub fn add_to(&self, site: &mut SiteArgs) {
        site.snapshots.clone_from(&self.snapshots);
        site.tests.clone_from(&self.tests);
    }
}

/// Which messages are printed; by default `log_level` of catwalk.toml, otherwise notices and above.
#[derive(Args, Debug, Clone, Copy, Default)]
pub struct Verbosity {
    /// Print all messages
    #[arg(long, short = 'd')]
    pub debug: bool,
    /// Print informational messages
    #[arg(long, short = 'v')]
    pub verbose: bool,
    /// Print errors only
    #[arg(long, short = 'q', conflicts_with_all = ["debug", "verbose"])]
    pub quiet: bool,
}

impl Verbosity {
    /// The lowest level of messages to print, if an option sets it.
    #[must_use]
    pub fn level(self) -> Option<Severity> {
        match self {
            Verbosity { debug: true, .. } => Some(Severity::Debug),
            Verbosity { verbose: true, .. } => Some(Severity::Info),
            Verbosity { quiet: true, .. } => Some(Severity::Error),
            _ => None,
        }
    }
}

/// How to treat values encrypted with eyaml.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum EyamlMode {
    /// Decrypt them
    Keys,
    /// Replace them by placeholders with a digest; needs no keys
    Placeholder,
}

impl EyamlMode {
    /// The mode itself.
    #[must_use]
    pub fn mode(self) -> Eyaml {
        match self {
            EyamlMode::Keys => Eyaml::Keys,
            EyamlMode::Placeholder => Eyaml::Placeholder,
        }
    }
}

/// How to treat dependency cycles.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum CyclePolicy {
    /// Ignore them silently
    Ignore,
    /// Log a warning; in Puppet only the agent finds cycles
    Warning,
    /// Fail the node
    Error,
}

impl CyclePolicy {
    /// The policy itself.
    #[must_use]
    pub fn cycles(self) -> Cycles {
        match self {
            CyclePolicy::Ignore => Cycles::Ignore,
            CyclePolicy::Warning => Cycles::Warning,
            CyclePolicy::Error => Cycles::Error,
        }
    }
}

/// Reads a version of the language.
///
/// # Errors
/// There is no such version: a sentence with those that exist.
pub(crate) fn puppet_version(name: &str) -> Result<Version, String> {
    Version::find(name).ok_or_else(|| format!("the versions are {}", Version::known()))
}

/// Forms of messages.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum LogFormat {
    /// Text with source excerpts
    #[default]
    Human,
    /// One JSON object a line: level, message, file, line, pos, code
    Json,
    /// Annotations of GitHub Actions
    Github,
}

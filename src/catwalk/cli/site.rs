//! Options that all commands which compile share.

use std::path::PathBuf;

use clap::Args;
use clap::ValueEnum;

use catwalk_base::diag::Severity;
use catwalk_base::version::Version;
use catwalk_eval::Cycles;
use catwalk_hiera::Eyaml;
use catwalk_world::wall::Startable;

/// Where the code is and what it is compiled with: shared by all commands that compile.
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
    /// Facts for the named node: a hash, {"name", "values"}, or `puppet facts` output; JSON or YAML; or the name of a set that is
    /// built in, such as debian-12, or that `facts` in catwalk.toml brings (`catwalk facts list`)
    #[arg(long, value_name = "FILE|SET")]
    pub facts: Option<PathBuf>,
    /// A fact that wins over those of files and sets, such as os.family=RedHat; the value is YAML or JSON; may be repeated
    #[arg(long = "fact", value_name = "NAME=VALUE")]
    pub fact: Vec<String>,
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
    /// The version of the language [default: as catwalk.toml says, else 7]
    #[arg(long, value_enum, value_name = "VERSION")]
    pub puppet: Option<PuppetVersion>,
    /// A setting of Puppet, such as strict_variables=true; may be repeated
    #[arg(long = "set", value_name = "SETTING=VALUE")]
    pub settings: Vec<String>,
    /// Stop a compile that takes longer, 0 for never [default: as catwalk.toml says, else 300]
    #[arg(long, value_name = "SECONDS")]
    pub time_limit: Option<String>,
    /// A limit: time, depth, resources, iterations, text, elements or memory; may be repeated
    #[arg(long = "limit", value_name = "NAME=N")]
    pub limits: Vec<String>,
    /// What becomes of dependency cycles [default: as catwalk.toml says, else warning]
    #[arg(long, value_enum, value_name = "HOW")]
    pub cycles: Option<CyclePolicy>,
    /// Let the search for dependency cycles, and graphs of catalogs, follow what resource types imply, too: a file waits for its directory
    /// and its owner [default: as catwalk.toml says, else not]
    #[arg(long)]
    pub autorequire: bool,
    /// What becomes of values that eyaml encrypted [default: as catwalk.toml says, else keys]
    #[arg(long, value_enum, value_name = "HOW")]
    pub eyaml: Option<EyamlMode>,
    /// Where `<<| |>>` finds what other nodes export: `site` (all nodes are compiled), a directory of catalogs, a store, or a PuppetDB
    /// (`puppetdb` is the one of catwalk.toml); the last two answer puppetdb_query, too
    #[arg(long, value_name = "site|DIR|FILE.db|puppetdb|URL")]
    pub exported: Option<String>,
    /// Write what the outside answers (processes, web servers, PuppetDB, clock, environment) to this folder
    #[arg(long, value_name = "DIR")]
    pub record: Option<PathBuf>,
    /// Take the answers of the outside from this folder; a question without one is an error
    #[arg(long, value_name = "DIR", conflicts_with = "record")]
    pub replay: Option<PathBuf>,
    /// Run scripts in Rhai in processes of their own, without files, network and environment
    #[arg(long)]
    pub isolate_scripts: bool,
    /// Do not let code of the site start processes, use the network, see environment variables or read outside of the site; the
    /// environment variable CATWALK_UNTRUSTED=1 and `untrusted = true` in catwalk.toml do the same
    #[arg(long)]
    pub untrusted: bool,
    /// Paths outside of the site that other options name
    #[arg(skip)]
    pub readable: Vec<PathBuf>,
    /// Files and directories that the command writes, besides those in the site
    #[arg(skip)]
    pub writable: Vec<PathBuf>,
    /// Files that the command itself reads outside of the site; code may not
    #[arg(skip)]
    pub read_by_command: Vec<PathBuf>,
    /// Programs that the command starts for the user: git, or what `--exec` names
    #[arg(skip)]
    pub programs: Vec<Startable>,
    /// How messages are written to stderr
    #[arg(long, value_enum, default_value = "human")]
    pub log_format: LogFormat,
    #[command(flatten)]
    pub verbosity: Verbosity,
}

/// Which messages are printed; without an option as `log_level` in catwalk.toml says, else notices and above.
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
    /// From which level on messages are printed, if that was said.
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

/// What becomes of values that eyaml encrypted.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum EyamlMode {
    /// They are decrypted
    Keys,
    /// Values become placeholders with a digest, without keys
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

/// What becomes of dependency cycles.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum CyclePolicy {
    /// Nothing is said
    Ignore,
    /// A warning; Puppet leaves finding cycles to the agent
    Warning,
    /// The node fails
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

/// Versions of the language.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum PuppetVersion {
    /// Puppet 7
    #[value(name = "7")]
    Seven,
    /// Puppet 8
    #[value(name = "8")]
    Eight,
}

impl PuppetVersion {
    /// The version itself.
    #[must_use]
    pub fn version(self) -> Version {
        match self {
            PuppetVersion::Seven => Version::SEVEN,
            PuppetVersion::Eight => Version::EIGHT,
        }
    }
}

/// Forms of messages.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum LogFormat {
    /// Text with source excerpts
    #[default]
    Human,
    /// One JSON object a line: level, message, file, line, pos, code
    Json,
}

//! The command line as Rust types.

use clap::Parser;
use clap::Subcommand;

use crate::cli::commands;
use crate::cli::site::LogFormat;

/// Puppet catalogs, compiled as you type.
#[derive(Parser, Debug)]
#[command(name = "catwalk", version, about, max_term_width = 110)]
pub struct Arguments {
    /// Format of messages on stderr
    #[arg(long, value_enum, default_value = "human", global = true)]
    pub log_format: LogFormat,
    /// The subcommand.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Check manifests and templates
    Check(commands::check::Arguments),
    /// Show the syntax tree of manifests and templates
    Parse(commands::parse::Arguments),
    /// Compile a catalog and apply it to this machine
    Apply(Box<commands::apply::Apply>),
    /// Compile the catalogs of all nodes of the site, or of the named ones
    Compile(Box<commands::compile::Compile>),
    /// Convert, validate, compare and draw catalogs
    Catalog(commands::catalog::Arguments),
    /// Show a node's catalog, or a resource: its parameters, their sources, its neighbours
    Show(commands::show::Show),
    /// Classify a node, or all nodes, with node groups; test groups
    Classify(commands::classify::Arguments),
    /// Evaluate code at the top scope of a node; on a terminal without code: interactively
    Eval(commands::eval::Eval),
    /// Set up Catwalk in a control repository, a module or an empty directory
    Init(commands::init::Arguments),
    /// Look up keys in Hiera for a node, and explain the sources of values
    Lookup(commands::lookup::Lookup),
    /// Show which data the nodes use
    Data(commands::data::Data),
    /// Encrypt, edit and check the secrets in Hiera data, as hiera-eyaml does
    Eyaml(commands::eyaml::Arguments),
    /// Show what changes between two revisions or environments, or since catalogs were saved
    Diff(commands::diff::Arguments),
    /// Print the completions of a shell
    Completions(commands::completions::Arguments),
    /// Convert tests of other tools to test files
    Convert(commands::convert::Arguments),
    /// Explain functions, types, classes and error codes; print guides and JSON Schemas
    Docs(commands::docs::Arguments),
    /// Write the manual pages of all commands
    Man(commands::man::Arguments),
    /// Show what another version of Puppet changes on each node, and what to do about it
    Migrate(Box<commands::migrate::Arguments>),
    /// Create a new module or a new site
    New(commands::new::Arguments),
    /// Show the node object of a node
    Node(commands::node::Arguments),
    /// Test nodes and cases: compare their catalogs with snapshots, check expectations
    Test(commands::test::Arguments),
    /// Review, accept and reject changes of snapshots
    Snapshot(commands::snapshot::Arguments),
    /// List and show fact sets; import facts of real nodes
    Facts(commands::facts::Arguments),
    /// Show and fill a store of catalogs and facts, which collectors and puppetdb_query use
    Store(commands::store::Arguments),
    /// Show and change resources of this machine
    Resource(Box<commands::resource::Resource>),
    /// Check and test scripts in Rhai
    Script(commands::script::Script),
    /// Manage a certificate authority: requests, certificates, revocation
    Ca(commands::ca::Arguments),
    /// Serve catalogs and files to agents
    Serve(Box<commands::serve::Serve>),
    /// Compile all nodes, then show what each edit changes in their catalogs
    Watch(commands::watch::Watch),
    /// What another process of this program starts
    #[command(hide = true)]
    InternalWorker,
    /// The process that `serve` supervises
    #[command(hide = true)]
    InternalServe(Box<commands::serve::SupervisedServe>),
    /// What starts a process with a user, a group or a umask of its own
    #[command(hide = true, name = catwalk_system::LAUNCH)]
    InternalLaunch {
        /// The options and the command
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<std::ffi::OsString>,
    },
}

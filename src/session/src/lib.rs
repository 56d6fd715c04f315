//! A site in memory: its nodes are compiled in parallel, and again after edits.
//!
//! In: [`Options`], names of nodes, changes on disk. Out: [`Compiled`] for each node and what it read. Must
//! not: print; know formats or command lines.

mod compile;
mod session;

pub use compile::Input;
pub use compile::begin;
pub use compile::compile_with;
pub use compile::complete;
pub use compile::core_type_targets;
pub use compile::declare;
pub use compile::library;
pub use compile::phases;
pub use compile::probe;
pub use session::AgentNode;
pub use session::CaseResult;
pub use session::Cases;
pub use session::Changes;
pub use session::ClassInformation;
pub use session::CompileInput;
pub use session::Compiled;
pub use session::DeferredResolver;
pub use session::ExportedFrom;
pub use session::ExternalQueries;
pub use session::KeptResults;
pub use session::ManifestClasses;
pub use session::ModuleVersion;
pub use session::NodeDefinition;
pub use session::NodeReport;
pub use session::NodeSource;
pub use session::Options;
pub use session::Outdated;
pub use session::PROPERTIES;
pub use session::ParameterInformation;
pub use session::PendingChanges;
pub use session::PreparedNode;
pub use session::STACK;
pub use session::ScriptTestResult;
pub use session::Session;
pub use session::TestNode;
pub use session::Uses;
pub use session::data_use;
pub use session::dependencies;
pub use session::inventory;
pub use session::oid_names;
pub use session::pool;
pub use session::puppetfile;
pub use session::repository;
pub use session::secret_key;
pub use session::selection;
pub use session::site;
pub use session::store_path;
pub use session::update;

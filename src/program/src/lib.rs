//! The code of an environment: its modules, the definitions in its manifests and the schemas of its resource types.
//!
//! In: directories, a [`World`](catwalk_world::World). Out: [`Environment`], [`Program`],
//! [`Registry`]. Must not: evaluate anything.

mod environment;
mod program;
mod resource_types;

pub use environment::Conf;
pub use environment::Environment;
pub use environment::EnvironmentQueries;
pub use environment::Module;
pub use environment::ModuleQueries;
pub use environment::ModulesChange;
pub use environment::Overrides;
pub use environment::Settings;
pub use environment::metadata;
pub use environment::setting_definition;
pub use program::Cache;
pub use program::Checkpoint;
pub use program::CodePart;
pub use program::DiscoveryCache;
pub use program::LoadResult;
pub use program::MovedLines;
pub use program::ParsedSource;
pub use program::Prefetcher;
pub use program::Program;
pub use program::RubyFunctionFile;
pub use program::RubyUse;
pub use program::SharedType;
pub use program::Use;
pub use resource_types::AttributeKind;
pub use resource_types::METAPARAMETERS;
pub use resource_types::RELATIONSHIP_METAPARAMETERS;
pub use resource_types::Registry;
pub use resource_types::ResourceType;
pub use resource_types::ResourceTypeError;
pub use resource_types::ScriptType;
pub use resource_types::ScriptTypes;
pub use resource_types::TitlePattern;
pub use resource_types::docs;
pub use resource_types::generated;
pub use resource_types::is_relationship;

//! Catwalk: Puppet catalogs, compiled as you type.
//!
//! This package is the program: the command line ([`cli`]) and the modules that only commands use. The compiler consists of the other
//! crates in `src/`.
pub mod cli;
pub mod compare;
pub mod console;
pub mod convert;
pub mod docs;
#[doc(hidden)]
pub mod fuzzing;
pub mod migration;
pub mod scaffold;
pub mod serve;
pub mod watch;

pub use catwalk_base::diag;
pub use catwalk_base::names;
pub use catwalk_base::secrets;
pub use catwalk_base::source;
pub use catwalk_base::stack;
pub use catwalk_base::version;
pub use catwalk_catalog as catalog;
pub use catwalk_classifier as classifier;
pub use catwalk_eval as eval;
pub use catwalk_formats::diff;
pub use catwalk_formats::wire;
pub use catwalk_functions as functions;
pub use catwalk_hiera as hiera;
pub use catwalk_node as node;
pub use catwalk_program::environment;
pub use catwalk_program::program;
pub use catwalk_program::resource_types;
pub use catwalk_regexp as regexp;
pub use catwalk_ruby_syntax as ruby;
pub use catwalk_ruby_syntax::erb;
pub use catwalk_scripting as scripting;
pub use catwalk_session::compile;
pub use catwalk_session::session;
pub use catwalk_snapshot as snapshot;
pub use catwalk_snapshot::assert_catalog;
pub use catwalk_syntax as syntax;
pub use catwalk_value::data;
pub use catwalk_value::types;
pub use catwalk_value::value;
pub use catwalk_world as world;

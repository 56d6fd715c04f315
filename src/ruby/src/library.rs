//! Ruby's standard library, and the files that programs load.
//!
//! In: calls of its methods. Out: their results. Must not: reach files, processes or servers except through the world of the
//! compile.

pub(crate) mod directories;
pub(crate) mod env_vars;
pub(crate) mod files;
pub(crate) mod marshal;
pub(crate) mod open_file;
pub(crate) mod openssl;
pub(crate) mod paths;
pub(crate) mod prelude;
pub(crate) mod processes;
pub(crate) mod require;
pub(crate) mod string_formats;
pub(crate) mod uri;
pub(crate) mod written_files;
pub(crate) mod yaml;

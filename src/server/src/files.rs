//! Files of modules for agents: metadata and contents.
//!
//! In: the modules of an environment, a path below a mount. Out: metadata as JSON, contents. Must not: know HTTP, read files outside of
//! the module.
//!
//! | file | what |
//! |---|---|
//! | `checksums` | checksums of files, cached until a file changes |
//! | `fileset` | all files below a directory |
//! | `metadata` | the metadata of a file |
//! | `mounts` | the mounts and the directories of modules that they serve |
//! | `tree` | looking up files below a directory; no link leads outside of it |

pub(crate) mod checksums;
pub(crate) mod fileset;
pub(crate) mod metadata;
pub(crate) mod mounts;
pub(crate) mod tree;

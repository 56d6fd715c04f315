//! Files of modules: which of them are served, what agents receive about them.
//!
//! In: the modules of an environment, a mount with a path. Out: metadata as JSON, contents. Must not: know HTTP, leave the module.
//!
//! | file | what |
//! |---|---|
//! | `beneath` | paths that stay below a directory, wherever links lead |
//! | `checksums` | checksums of files, kept while a file stays as it is |
//! | `fileset` | all files below a directory |
//! | `metadata` | what agents receive about a file |
//! | `mounts` | where the files of a mount are |

pub(crate) mod beneath;
pub(crate) mod checksums;
pub(crate) mod fileset;
pub(crate) mod metadata;
pub(crate) mod mounts;

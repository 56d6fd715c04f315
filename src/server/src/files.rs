//! Files for agents: metadata and contents; the file bucket.
//!
//! In: the modules of an environment, mounts of `fileserver.conf`, a path below a mount. Out: metadata as JSON, contents. Must not: know HTTP, read files outside of
//! the module or directory.
//!
//! | file | what |
//! |---|---|
//! | `bucket` | the file bucket |
//! | `checksums` | checksums of files, cached until a file changes |
//! | `fileserver_conf` | `fileserver.conf` |
//! | `fileset` | all files below a directory |
//! | `metadata` | the metadata of a file |
//! | `mounts` | the mounts and the directories of modules that they serve |
//! | `tree` | looking up files below a directory; no link leads outside of it |

pub(crate) mod bucket;
pub(crate) mod checksums;
pub(crate) mod fileserver_conf;
pub(crate) mod fileset;
pub(crate) mod metadata;
pub(crate) mod mounts;
pub(crate) mod tree;

//! Changes on disk as batches of paths.
//!
//! In: the paths that compiles touched. Out: [`Changes`], batched. Must not: know what the paths mean, decide what to
//! recompile. Events are only hints that a path may have changed: the receiver of a batch reads the paths again.
//!
//! Directories are watched, not files: editors replace files, which drops a watch on a file; and a file that a compile searched for
//! and that is missing is noticed when it appears in its directory. Only directories that some compile touched are watched, so
//! build output below the site costs nothing. Without the system's events (network and container mounts, watches used up)
//! every interval is a batch of everything.

mod watcher;

pub use watcher::Fence;
pub use watcher::Ignore;
pub use watcher::Waker;
pub use watcher::Watcher;
pub use watcher::Watches;

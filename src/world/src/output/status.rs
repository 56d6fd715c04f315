//! What an entry of a directory is.

/// The kind of an entry.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum FileKind {
    File,
    Directory,
    Link,
    /// A device, pipe or socket.
    Other,
}

/// What an entry is and to whom it belongs; on systems other than Unix all entries belong to one user.
#[derive(Clone, Copy, Debug)]
pub(super) struct Status {
    pub(super) kind: FileKind,
    /// The permissions.
    pub(super) mode: u32,
    pub(super) owner: u32,
    pub(super) group: u32,
}

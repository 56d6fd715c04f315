//! An open directory whose entries are reached by name.

#[cfg(not(unix))]
mod by_path;
#[cfg(unix)]
mod relative;

#[cfg(not(unix))]
pub(in crate::output) use self::by_path::Folder;
#[cfg(unix)]
pub(in crate::output) use self::relative::Folder;

//! The directory for the state of this user: the history of the console, queues, the machine's key.

use std::path::PathBuf;

use super::Place;
use super::contents::Contents;
use super::contents::Marker;
use super::contents::Purpose;
use super::status::FileKind;

/// The directory for the state of this user.
pub static STATE: Purpose = Purpose {
    name: "state",
    description: "the history, keys and queues of this user",
    option: "XDG_STATE_HOME",
    contents: Contents::Private { is_own, marker: Marker::Lock },
};

fn is_own(name: &str, kind: FileKind) -> bool {
    match kind {
        FileKind::File => matches!(name, "history" | "machine.key"),
        FileKind::Directory => name == "queue",
        FileKind::Link | FileKind::Other => false,
    }
}

/// `catwalk` below `$XDG_STATE_HOME`, else below `~/.local/state`; on Windows below `%LOCALAPPDATA%`; for root without a home
/// directory `/var/lib/catwalk/state`. `None`: the environment names no such directory.
#[allow(clippy::disallowed_methods, reason = "the user's directories, on which no catalog depends")]
#[must_use]
pub fn state_directory() -> Option<Place> {
    let directory = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    if let Some(state) = directory("XDG_STATE_HOME").or_else(|| directory("LOCALAPPDATA")) {
        return Place::below(state, "catwalk");
    }
    match directory("HOME") {
        Some(home) => Place::below(home, ".local/state/catwalk"),
        None if is_root() => Place::below("/var/lib", "catwalk/state"),
        None => None,
    }
}

#[cfg(unix)]
fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

#[cfg(not(unix))]
fn is_root() -> bool {
    false
}

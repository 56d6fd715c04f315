//! What the resource types that are managed in Rust need of a site and of this machine.

use std::path::Path;
use std::path::PathBuf;

use catwalk_session::session::Opened;
use catwalk_system::Machine;
use catwalk_system::System;

/// The site's modules, the bucket for replaced contents, and how differences are shown.
pub(super) fn settings(opened: &Opened<'_>, show_diff: bool) -> catwalk_resources::Settings {
    let modules = opened.module_folders();
    catwalk_resources::Settings {
        show_diff,
        bucket: state_folder().join("bucket"),
        environment: opened.environment_name(),
        module_files: Box::new(move |name| Some(modules.get(name)?.join("files"))),
    }
}

/// Where runs keep replaced contents of files: `/var/lib/catwalk`, for others than root in their home directory.
fn state_folder() -> PathBuf {
    let mut machine = Machine::new();
    let home = machine.variable("HOME").filter(|home| home.starts_with('/'));
    match home.filter(|_| machine.own_user_id() != 0) {
        Some(home) => Path::new(&home).join(".local/state/catwalk"),
        None => PathBuf::from("/var/lib/catwalk"),
    }
}

//! Settings of the resource types that are implemented in Rust, from a site and this machine.

use std::path::Path;
use std::path::PathBuf;

use catwalk_session::CompileInput;
use catwalk_system::Machine;
use catwalk_system::System;

/// The site's modules, the bucket for replaced contents, and whether differences are logged.
pub(crate) fn settings(input: &CompileInput<'_>, show_diff: bool) -> catwalk_resources::Settings {
    let modules = input.module_folders();
    catwalk_resources::Settings {
        show_diff,
        bucket: state_folder().join("bucket"),
        environment: input.environment_name(),
        version: input.version(),
        module_files: Box::new(move |name| Some(modules.get(name)?.join("files"))),
    }
}

/// The directory for replaced contents of files: `/var/lib/catwalk`, or a directory in the user's home for users other than root.
fn state_folder() -> PathBuf {
    let mut machine = Machine::new();
    let home = machine.variable("HOME").filter(|home| home.starts_with('/'));
    match home.filter(|_| machine.own_user_id() != 0) {
        Some(home) => Path::new(&home).join(".local/state/catwalk"),
        None => PathBuf::from("/var/lib/catwalk"),
    }
}

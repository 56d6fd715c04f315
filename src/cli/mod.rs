//! The command line: what was typed becomes a `Session` and its results become text and an exit code.

use std::process::ExitCode;

/// Runs the program with the process's arguments. Exit codes: 0 done, 1 some node or file failed, 2 usage.
#[must_use]
pub fn run() -> ExitCode {
    ExitCode::from(2)
}

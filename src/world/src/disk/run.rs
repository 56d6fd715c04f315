//! Runs commands.
//!
//! In: a command with its input and limits. Out: its output and exit status. No process outlives the call: the command runs in its
//! own process group, which is killed at the end, at the deadline of the command or of the compile, when it has printed too much,
//! and when a signal ends this process.

#[cfg(unix)]
mod exchange;
#[cfg(unix)]
mod groups;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::read::BUSY_TRIES;
use crate::Command;
use crate::Output;
use crate::WorldError;
use crate::launcher;

#[cfg(unix)]
pub use groups::Group;
pub use groups::delegate_signals;
pub use groups::ignored_signals;
#[cfg(unix)]
pub use groups::kill_children;
#[cfg(unix)]
pub use groups::mark_signals_non_fatal;

/// Runs a process. Within a compile it ends with the compile's time at the latest, which is then exceeded
/// ([`catwalk_base::meter::check`]).
pub(super) fn run(command: &Command) -> Result<Output, WorldError> {
    let waits_for = || crate::excerpt(&command.argv.join(" ")).into_owned();
    // Without time left, nothing is started.
    catwalk_base::meter::check(waits_for);
    let result = attempt(command);
    catwalk_base::meter::check(waits_for);
    result
}

fn start(command: &Command) -> Result<std::process::Child, WorldError> {
    use std::process::Stdio;
    let program = command.argv.first().map_or("", String::as_str);
    let prepare = || {
        #[allow(clippy::disallowed_methods, reason = "a world accesses the machine here")]
        let mut prepared = std::process::Command::new(program);
        prepared
            .args(command.argv.iter().skip(1))
            .stdin(if command.stdin.is_some() { Stdio::piped() } else { Stdio::null() })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut prepared, 0);
        prepared
    };
    let mut tries = 0;
    loop {
        match launcher::spawn(prepare()) {
            // Try again: an editor that saves the program may still have it open for writing.
            Err(error) if error.kind() == std::io::ErrorKind::ExecutableFileBusy && tries < BUSY_TRIES => {
                tries += 1;
                std::thread::sleep(Duration::from_millis(5));
            }
            Err(error) => return Err(failed(command, &error)),
            Ok(child) => return Ok(child),
        }
    }
}

fn failed(command: &Command, error: &std::io::Error) -> WorldError {
    let program = command.argv.first().map_or("", String::as_str);
    let (program, why) = (PathBuf::from(program), Arc::from(error.to_string()));
    match error.kind() {
        std::io::ErrorKind::PermissionDenied => WorldError::NotExecutable(program, why),
        _ => WorldError::Unreadable(program, why),
    }
}

#[cfg(unix)]
fn attempt(command: &Command) -> Result<Output, WorldError> {
    use crate::End;
    let limit = catwalk_base::meter::time_left().map_or(command.limit, |left| left.min(command.limit));
    let deadline = std::time::Instant::now().checked_add(limit);
    let mut group = groups::Group::start(|| start(command))?;
    let mut pipes = exchange::pipes(&mut group.child, command).map_err(|error| failed(command, &error))?;
    let end = exchange::exchange(&mut pipes, command.output, deadline, || group.has_ended());
    let end = end.map_err(|error| failed(command, &error))?;
    let status = group.end().map_err(|error| failed(command, &error))?;
    let (stdout, stderr) = pipes.output();
    let (stdout, stderr) = (Arc::from(stdout), Arc::from(stderr));
    match end {
        End::Done => Ok(Output { status: status.code(), stdout, stderr }),
        End::Late => Ok(Output { status: None, stdout, stderr }),
        End::Flooded => {
            let program = command.argv.first().map_or("", String::as_str);
            Err(WorldError::flooded(program, command.output))
        }
    }
}

#[cfg(not(unix))]
fn attempt(command: &Command) -> Result<Output, WorldError> {
    let output = start(command)?.wait_with_output().map_err(|error| failed(command, &error))?;
    Ok(Output { status: output.status.code(), stdout: Arc::from(output.stdout), stderr: Arc::from(output.stderr) })
}

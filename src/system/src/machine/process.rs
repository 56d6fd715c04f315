//! Processes.
//!
//! In: a command. Out: its exit code and output. Each process runs in its own session, so that it cannot wait for a terminal. Its
//! process group is killed at the timeout, if the output is too long, and if a signal ends Catwalk.
#![allow(clippy::disallowed_methods, reason = "this is the machine")]

use std::io::ErrorKind;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::process::Stdio;
use std::time::Duration;
use std::time::Instant;

use catwalk_world::End;
use catwalk_world::Group;
use catwalk_world::Pipes;
use process_wrap::std::CommandWrap;
use process_wrap::std::CommandWrapper;
use process_wrap::std::ProcessSession;
use rustix::process::Pid;

use rustix::process::Signal;

use super::Machine;
use super::launch::Identity;
use super::launch::LAUNCH;
use super::output::LIMIT;
use super::output::exchange;
use super::reason;
use crate::Command;
use crate::Output;
use crate::Result;
use crate::System;
use crate::SystemError;

/// The time between the signals TERM and KILL.
const GRACE: Duration = Duration::from_millis(500);
/// The number of attempts to start a program that another process has open for writing.
const BUSY_TRIES: u32 = 20;

pub(super) fn run(machine: &mut Machine, command: &Command) -> Result<Output> {
    let name = command.argv.first().map_or("", String::as_str);
    let failed = |error: std::io::Error| SystemError {
        message: format!("{name}: {}", reason(&error)),
        code: error.raw_os_error(),
    };
    let program = find(command)?;
    let identity = identity(machine, command)?;
    let launcher = launcher(machine, identity)?;
    let deadline = command.timeout.and_then(|timeout| Instant::now().checked_add(timeout));
    let (stdout, out) = std::io::pipe().map_err(failed)?;
    let (stderr, err) = match command.merge_output {
        true => (None, out.try_clone().map_err(failed)?),
        false => std::io::pipe().map(|(reader, writer)| (Some(reader), writer)).map_err(failed)?,
    };
    let prepared = prepare(command, &program, launcher.as_deref(), identity);
    let mut group = Group::start(|| spawn(prepared, out, err)).map_err(failed)?;
    let input = command.stdin.as_deref().unwrap_or_default();
    let mut pipes = Pipes::new(group.child.stdin.take(), input, Some(stdout), stderr).map_err(failed)?;
    let end = wait_handle(group.child.id());
    match exchange(&mut pipes, deadline, end.as_ref(), || group.has_ended()).map_err(failed)? {
        End::Done => {
            let status = group.wait().map_err(failed)?;
            let (stdout, stderr) = pipes.output();
            Ok(Output { code: code(status), stdout, stderr })
        }
        End::Late => {
            stop(&mut group, &mut pipes);
            let seconds = command.timeout.unwrap_or_default().as_secs_f64();
            let code = Some(rustix::io::Errno::TIMEDOUT.raw_os_error());
            Err(SystemError { message: format!("{name}: it exceeded its timeout of {seconds} seconds"), code })
        }
        End::Flooded => {
            let _ = group.end();
            Err(SystemError::new(format!("{name}: it printed more than {} MiB and was stopped", LIMIT >> 20)))
        }
    }
}

/// Ends a process after its timeout with TERM, so that it can clean up, then with KILL.
fn stop(group: &mut Group, pipes: &mut Pipes<'_>) {
    group.signal(Signal::TERM);
    let end = wait_handle(group.child.id());
    let _ = exchange(pipes, Instant::now().checked_add(GRACE), end.as_ref(), || group.has_ended());
    let _ = group.end();
}

/// The exit code, or 128 plus the number of the signal that killed the process.
fn code(status: ExitStatus) -> i32 {
    status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0))
}

/// A file descriptor that becomes readable when the process ends; `None` if the system has none.
fn wait_handle(process: u32) -> Option<std::os::fd::OwnedFd> {
    let pid = i32::try_from(process).ok().and_then(Pid::from_raw)?;
    #[cfg(target_os = "linux")]
    return rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()).ok();
    #[cfg(not(target_os = "linux"))]
    return None;
}

/// The path of the program. A name without `/` is looked up in `PATH` of the process's environment.
fn find(command: &Command) -> Result<PathBuf> {
    let Some(name) = command.argv.first().filter(|name| !name.is_empty()) else {
        return Err(SystemError::new("the command is empty"));
    };
    if let Some(invalid) = command.argv.iter().find(|argument| argument.contains('\0')) {
        return Err(SystemError::new(format!("{name}: an argument contains a NUL byte: {invalid:?}")));
    }
    if name.contains('/') {
        super::absolute(Path::new(name))?;
        return Ok(PathBuf::from(name));
    }
    let changed = command.environment.iter().rev().find(|(variable, _)| variable == "PATH");
    let path = match changed {
        Some((_, value)) => value.clone().unwrap_or_default(),
        None => std::env::var("PATH").unwrap_or_default(),
    };
    let is_program =
        |file: &PathBuf| file.is_file() && rustix::fs::access(file.as_path(), rustix::fs::Access::EXEC_OK).is_ok();
    let mut candidates =
        path.split(':').filter(|folder| folder.starts_with('/')).map(|folder| Path::new(folder).join(name));
    candidates.find(is_program).ok_or_else(|| SystemError {
        message: format!("{name}: command not found in PATH={path}"),
        code: Some(rustix::io::Errno::NOENT.raw_os_error()),
    })
}

/// The user, group and umask of the process, where they differ from those of this process.
fn identity(machine: &mut Machine, command: &Command) -> Result<Identity> {
    let uid = match &command.user {
        Some(user) => {
            Some(machine.user_id(user).ok_or_else(|| SystemError::new(format!("could not find user {user}")))?)
        }
        None => None,
    };
    let gid = match &command.group {
        Some(group) => {
            Some(machine.group_id(group).ok_or_else(|| SystemError::new(format!("could not find group {group}")))?)
        }
        None => None,
    };
    let is_current = uid.is_none_or(|uid| uid == rustix::process::geteuid().as_raw())
        && gid.is_none_or(|gid| gid == rustix::process::getegid().as_raw());
    let identity = Identity { uid, gid, umask: command.umask };
    Ok(if is_current { Identity { uid: None, gid: None, ..identity } } else { identity })
}

/// The program that sets the identity; `None` if the identity is that of this process.
fn launcher(machine: &Machine, identity: Identity) -> Result<Option<PathBuf>> {
    if identity == Identity::default() {
        return Ok(None);
    }
    let missing = || SystemError::new("processes with a different user, group or umask cannot be started here");
    machine.launcher.clone().map(Some).ok_or_else(missing)
}

fn prepare(command: &Command, program: &Path, launcher: Option<&Path>, identity: Identity) -> std::process::Command {
    let mut prepared = std::process::Command::new(launcher.unwrap_or(program));
    if launcher.is_some() {
        prepared.arg(LAUNCH).args(identity.arguments()).arg(program);
    }
    prepared.args(command.argv.iter().skip(1));
    for (name, value) in &command.environment {
        match value {
            // The standard library refuses invalid variables when it starts the process, without naming them.
            Some(value) if !name.is_empty() && !name.contains(['=', '\0']) && !value.contains('\0') => {
                prepared.env(name, value)
            }
            Some(_) => &mut prepared,
            None => prepared.env_remove(name),
        };
    }
    if let Some(directory) = &command.directory {
        prepared.current_dir(directory);
    }
    prepared.stdin(if command.stdin.is_some() { Stdio::piped() } else { Stdio::null() });
    prepared
}

fn spawn(
    mut command: std::process::Command,
    stdout: std::io::PipeWriter,
    stderr: std::io::PipeWriter,
) -> std::io::Result<std::process::Child> {
    command.stdout(stdout).stderr(stderr);
    // The wrapper creates a session in the child before it executes the program.
    ProcessSession.pre_spawn(&mut command, &CommandWrap::with_new("", |_| {}))?;
    let mut tries = 0;
    loop {
        match command.spawn() {
            // The program was just written, and a process that was started meanwhile has inherited the open file.
            Err(error) if error.kind() == ErrorKind::ExecutableFileBusy && tries < BUSY_TRIES => {
                tries += 1;
                std::thread::sleep(Duration::from_millis(5));
            }
            result => return result,
        }
    }
}

//! Starts the programs that are still allowed after the kernel's restrictions are in force: those that the command line names, git for
//! `diff`, and this program itself for isolated scripts.
//!
//! In: before the sandbox is entered, the beginnings of allowed command lines; later, commands. Out: running children. Must not: start
//! anything else.
//!
//! Landlock and seccomp restrict a thread and the threads and processes that it starts. So a thread that was started before the sandbox
//! was entered starts these programs, with the user's full rights, while the threads that compile cannot start any.

use std::ffi::OsStr;
use std::process::Child;
use std::process::Command;
use std::sync::OnceLock;
use std::sync::mpsc;

use crate::git::SAFE;

/// The allowed subcommands of git: none runs programs or changes the repository.
const GIT_SUBCOMMANDS: &[&str] = &["rev-parse", "ls-tree", "ls-files", "cat-file"];
/// Options of these commands of git that run configured programs.
const GIT_PROGRAM_OPTIONS: &[&str] = &["--textconv", "--filters"];

/// Command lines that may be started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Startable {
    /// Those that begin with these words, the first of which is the program.
    Words(Vec<String>),
    /// Git commands that only read a repository.
    Git,
}

/// A command for the thread, and the channel for the child.
type Request = (Command, mpsc::Sender<std::io::Result<Child>>);

static REQUESTS: OnceLock<mpsc::Sender<Request>> = OnceLock::new();

impl Startable {
    fn allows(&self, command: &Command) -> bool {
        let mut words = std::iter::once(command.get_program()).chain(command.get_args());
        match self {
            Startable::Words(first) => first.iter().all(|word| words.next() == Some(OsStr::new(word))),
            Startable::Git => {
                let mut first = std::iter::once("git").chain(SAFE).chain(["-C"]);
                let is_safe = first.all(|word| words.next() == Some(OsStr::new(word)));
                // The other arguments are a directory and a subcommand.
                let subcommand = words.nth(1);
                let runs_program = |word: &OsStr| GIT_PROGRAM_OPTIONS.iter().any(|option| word == *option);
                is_safe
                    && subcommand.is_some_and(|subcommand| GIT_SUBCOMMANDS.iter().any(|known| subcommand == *known))
                    && !words.any(runs_program)
            }
        }
    }
}

/// From now on these command lines are started by their own thread. The first call in a process decides, and must come before
/// the sandbox is entered.
pub(super) fn start(allowed: Vec<Startable>) {
    if allowed.is_empty() || REQUESTS.get().is_some() {
        return;
    }
    let (sender, requests) = mpsc::channel::<Request>();
    let serve = move || {
        for (mut command, reply) in requests {
            let child = match allowed.iter().any(|allowed| allowed.allows(&command)) {
                true => command.spawn(),
                false => Err(std::io::Error::from(std::io::ErrorKind::PermissionDenied)),
            };
            // The thread that requested the child may have ended.
            let _ = reply.send(child);
        }
    };
    if std::thread::Builder::new().name("launcher".to_owned()).spawn(serve).is_ok() {
        let _ = REQUESTS.set(sender);
    }
}

/// Starts a program, in this thread outside of a sandbox.
///
/// # Errors
/// It cannot be started, or the sandbox has been entered and the program is not in the list.
pub(super) fn spawn(mut command: Command) -> std::io::Result<Child> {
    let Some(requests) = REQUESTS.get() else { return command.spawn() };
    let (sender, child) = mpsc::channel();
    let gone = || std::io::Error::from(std::io::ErrorKind::BrokenPipe);
    requests.send((command, sender)).map_err(|_| gone())?;
    child.recv().map_err(|_| gone())?
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn only_allowed_command_lines_are_started() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let exec = Startable::Words(["sh", "-c", "make all"].map(str::to_owned).to_vec());
        let safe = SAFE.join(" ");
        for (startable, line, allowed) in [
            (Startable::Words(words("/enc")), "/enc web1.example.com", true),
            (Startable::Words(words("/enc")), "/enc2", false),
            (Startable::Words(words("/enc a")), "/enc", false),
            (exec, "sh -c id", false),
            (Startable::Git, &format!("git {safe} -C /site cat-file --batch"), true),
            (Startable::Git, &format!("git {safe} -C /site rev-parse HEAD"), true),
            (Startable::Git, &format!("git {safe} -C /site cat-file --textconv HEAD:a"), false),
            (Startable::Git, &format!("git {safe} -C /site push"), false),
            (Startable::Git, &format!("git {safe} -c alias.x=!sh x"), false),
            (Startable::Git, "git -C /site rev-parse HEAD", false),
            (Startable::Git, "sh -c git", false),
        ] {
            let line = words(line);
            let mut command = Command::new(line.first().map_or("", String::as_str));
            command.args(line.iter().skip(1));
            assert_eq!(startable.allows(&command), allowed, "{line:?}");
        }
    }
}

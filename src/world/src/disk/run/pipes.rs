//! Input and output of a command, exchanged in one thread: nothing blocks, nothing grows beyond the limit.
//!
//! In: a child process with pipes. Out: what it printed. Must not: kill it.

use std::io::ErrorKind;
use std::io::Read;
use std::io::Write;
use std::os::fd::AsFd;
use std::process::Child;
use std::process::ChildStderr;
use std::process::ChildStdin;
use std::process::ChildStdout;
use std::sync::Arc;
use std::time::Duration;
use std::time::Instant;

use rustix::event::PollFd;
use rustix::event::PollFlags;
use rustix::event::Timespec;

use crate::Command;

/// How long to wait for a pipe before the compile's interrupt is looked at.
const SLICE: Duration = Duration::from_millis(50);
/// How long to wait for the end of a process that has closed its pipes.
const GLANCE: Duration = Duration::from_micros(500);
/// Bytes that are read or written at once.
const CHUNK: usize = 1 << 16;

/// How an exchange ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum End {
    /// The process ended, and nobody has its pipes any more.
    Done,
    /// The time is over, or the compile was interrupted.
    Late,
    /// More was printed than is kept.
    Flooded,
}

/// The pipes of a child process.
pub(super) struct Pipes<'a> {
    stdin: Option<ChildStdin>,
    input: &'a [u8],
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
    out: Vec<u8>,
    err: Vec<u8>,
    most: usize,
}

impl<'a> Pipes<'a> {
    /// Takes the pipes of a child.
    pub(super) fn of(child: &mut Child, command: &'a Command) -> std::io::Result<Pipes<'a>> {
        let pipes = Pipes {
            stdin: child.stdin.take(),
            input: command.stdin.as_deref().unwrap_or_default().as_bytes(),
            stdout: child.stdout.take(),
            stderr: child.stderr.take(),
            out: Vec::new(),
            err: Vec::new(),
            most: command.output,
        };
        let all = [pipes.stdin.as_ref().map(AsFd::as_fd), pipes.stdout.as_ref().map(AsFd::as_fd)];
        for pipe in all.into_iter().chain([pipes.stderr.as_ref().map(AsFd::as_fd)]).flatten() {
            rustix::io::ioctl_fionbio(pipe, true)?;
        }
        Ok(pipes)
    }

    /// Exchanges until the process has ended and its output is complete, or until there is no time any more.
    pub(super) fn exchange(&mut self, deadline: Option<Instant>, ended: impl Fn() -> bool) -> std::io::Result<End> {
        loop {
            let complete = self.stdout.is_none() && self.stderr.is_none();
            if complete && ended() {
                return Ok(End::Done);
            }
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            if left == Some(Duration::ZERO) || catwalk_base::meter::is_over() {
                return Ok(End::Late);
            }
            let slice = if complete { GLANCE } else { SLICE };
            self.wait(left.map_or(slice, |left| left.min(slice)))?;
            self.write();
            take(&mut self.stdout, &mut self.out);
            take(&mut self.stderr, &mut self.err);
            if self.out.len() + self.err.len() > self.most {
                return Ok(End::Flooded);
            }
        }
    }

    /// Waits until a pipe can be read or written.
    fn wait(&self, time: Duration) -> std::io::Result<()> {
        let readers = [self.stdout.as_ref().map(AsFd::as_fd), self.stderr.as_ref().map(AsFd::as_fd)];
        let readers = readers.iter().flatten().map(|pipe| PollFd::from_borrowed_fd(*pipe, PollFlags::IN));
        let writer = self.stdin.as_ref().map(|pipe| PollFd::new(pipe, PollFlags::OUT));
        let mut pipes: Vec<PollFd<'_>> = readers.chain(writer).collect();
        let time = Timespec::try_from(time).unwrap_or(Timespec { tv_sec: 0, tv_nsec: 0 });
        match rustix::event::poll(&mut pipes, Some(&time)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    fn write(&mut self) {
        let Some(pipe) = &mut self.stdin else { return };
        match pipe.write(self.input.get(..CHUNK).unwrap_or(self.input)) {
            Ok(written) => self.input = self.input.get(written..).unwrap_or_default(),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
            // A process may close its input without reading it.
            Err(_) => self.input = &[],
        }
        if self.input.is_empty() {
            self.stdin = None;
        }
    }

    /// What was printed: on standard output, on standard error.
    pub(super) fn output(self) -> (Arc<[u8]>, Arc<[u8]>) {
        (Arc::from(self.out), Arc::from(self.err))
    }
}

/// Reads what a pipe has now; one that ends is closed.
fn take<P: Read>(pipe: &mut Option<P>, bytes: &mut Vec<u8>) {
    let Some(open) = pipe else { return };
    let mut chunk = [0; CHUNK];
    match open.read(&mut chunk) {
        Ok(length) if length > 0 => bytes.extend_from_slice(chunk.get(..length).unwrap_or_default()),
        Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
        Ok(_) | Err(_) => *pipe = None,
    }
}

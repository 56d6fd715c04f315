//! Input and output of a process, exchanged in one thread: nothing blocks, nothing grows beyond the limit.
//!
//! In: pipes, a way to see that the process has ended. Out: what it printed. Must not: kill it.
//!
//! The exchange ends with the process, even if a program that it left in the background still has the pipes: a service that an
//! `exec` starts keeps running.

use std::io::ErrorKind;
use std::io::PipeReader;
use std::io::Read;
use std::io::Write;
use std::os::fd::AsFd;
use std::os::fd::OwnedFd;
use std::process::ChildStdin;
use std::time::Duration;
use std::time::Instant;

use rustix::event::PollFd;
use rustix::event::PollFlags;
use rustix::event::Timespec;

/// Bytes of output that are kept.
pub(super) const LIMIT: usize = 64 << 20;
/// How long to wait at once where the end of a process cannot be waited for.
const GLANCE: Duration = Duration::from_millis(10);
/// How long to wait at once where it can.
const SLICE: Duration = Duration::from_secs(1);
/// Bytes that are read or written at once.
const CHUNK: usize = 1 << 16;

/// How an exchange ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum End {
    /// The process ended.
    Done,
    /// The time is over.
    Late,
    /// More was printed than is kept.
    Flooded,
}

/// The pipes of a process.
pub(super) struct Pipes<'a> {
    stdin: Option<ChildStdin>,
    input: &'a [u8],
    stdout: Option<PipeReader>,
    stderr: Option<PipeReader>,
    out: Vec<u8>,
    err: Vec<u8>,
}

impl<'a> Pipes<'a> {
    pub(super) fn new(
        stdin: Option<ChildStdin>,
        input: &'a [u8],
        stdout: PipeReader,
        stderr: Option<PipeReader>,
    ) -> std::io::Result<Pipes<'a>> {
        let pipes = Pipes { stdin, input, stdout: Some(stdout), stderr, out: Vec::new(), err: Vec::new() };
        let all = [
            pipes.stdin.as_ref().map(AsFd::as_fd),
            pipes.stdout.as_ref().map(AsFd::as_fd),
            pipes.stderr.as_ref().map(AsFd::as_fd),
        ];
        for pipe in all.into_iter().flatten() {
            rustix::io::ioctl_fionbio(pipe, true)?;
        }
        Ok(pipes)
    }

    /// Exchanges until the process has ended, or until the deadline. `end` can be read when the process has ended.
    pub(super) fn exchange(
        &mut self,
        deadline: Option<Instant>,
        end: Option<&OwnedFd>,
        has_ended: impl Fn() -> bool,
    ) -> std::io::Result<End> {
        loop {
            if has_ended() {
                while self.read() {
                    if self.out.len() + self.err.len() > LIMIT {
                        return Ok(End::Flooded);
                    }
                }
                return Ok(End::Done);
            }
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            if left == Some(Duration::ZERO) {
                return Ok(End::Late);
            }
            let slice = if end.is_some() { SLICE } else { GLANCE };
            self.wait(left.map_or(slice, |left| left.min(slice)), end)?;
            self.write();
            self.read();
            if self.out.len() + self.err.len() > LIMIT {
                return Ok(End::Flooded);
            }
        }
    }

    /// Waits until a pipe can be read or written, or the process ends.
    fn wait(&self, time: Duration, end: Option<&OwnedFd>) -> std::io::Result<()> {
        let readers =
            [self.stdout.as_ref().map(AsFd::as_fd), self.stderr.as_ref().map(AsFd::as_fd), end.map(AsFd::as_fd)];
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

    /// Reads what the pipes have now: whether there was something.
    fn read(&mut self) -> bool {
        let out = take(&mut self.stdout, &mut self.out);
        let err = take(&mut self.stderr, &mut self.err);
        out || err
    }

    /// What was printed: on standard output, on standard error.
    pub(super) fn output(self) -> (Vec<u8>, Vec<u8>) {
        (self.out, self.err)
    }
}

/// Reads what a pipe has now, whether there was something; one that ends is closed.
fn take(pipe: &mut Option<PipeReader>, bytes: &mut Vec<u8>) -> bool {
    let Some(open) = pipe else { return false };
    let mut chunk = [0; CHUNK];
    match open.read(&mut chunk) {
        Ok(length) if length > 0 => {
            bytes.extend_from_slice(chunk.get(..length).unwrap_or_default());
            true
        }
        Err(error) if error.kind() == ErrorKind::Interrupted => true,
        Err(error) if error.kind() == ErrorKind::WouldBlock => false,
        Ok(_) | Err(_) => {
            *pipe = None;
            false
        }
    }
}

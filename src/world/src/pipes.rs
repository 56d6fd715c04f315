//! Input and output of a child process, exchanged in one thread: nothing blocks.
//!
//! In: the ends of its pipes. Out: its output. Must not: limit time or output; the caller does.

use std::io::ErrorKind;
use std::io::PipeReader;
use std::io::Read;
use std::io::Write;
use std::os::fd::AsFd;
use std::os::fd::OwnedFd;
use std::process::ChildStdin;
use std::time::Duration;

use rustix::event::PollFd;
use rustix::event::PollFlags;
use rustix::event::Timespec;

/// Bytes that are read or written at once.
const CHUNK: usize = 1 << 16;

/// How an exchange with a process ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// The process ended.
    Done,
    /// The deadline has passed.
    Late,
    /// The process printed more than the limit.
    Flooded,
}

/// The non-blocking pipes of a process. A pipe that the process has closed is closed here, too.
pub struct Pipes<'a> {
    stdin: Option<ChildStdin>,
    input: &'a [u8],
    stdout: Option<PipeReader>,
    stderr: Option<PipeReader>,
    out: Vec<u8>,
    err: Vec<u8>,
}

impl<'a> Pipes<'a> {
    /// Takes pipes; `input` is written to the standard input of the process.
    ///
    /// # Errors
    /// The system cannot make them non-blocking.
    pub fn new(
        stdin: Option<ChildStdin>,
        input: &'a [u8],
        stdout: Option<PipeReader>,
        stderr: Option<PipeReader>,
    ) -> std::io::Result<Pipes<'a>> {
        let pipes = Pipes { stdin, input, stdout, stderr, out: Vec::new(), err: Vec::new() };
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

    /// Whether all output was read to its end.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.stdout.is_none() && self.stderr.is_none()
    }

    /// The number of bytes that were read.
    #[must_use]
    pub fn len(&self) -> usize {
        self.out.len() + self.err.len()
    }

    /// Whether nothing was read.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Waits until a pipe can be read or written, or `end` can be read, for `time` at most.
    ///
    /// # Errors
    ///
    /// The system cannot wait.
    pub fn wait(&self, time: Duration, end: Option<&OwnedFd>) -> std::io::Result<()> {
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

    /// Writes as much input as possible without blocking; closes the pipe after the last byte.
    pub fn write(&mut self) {
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

    /// Reads the available output. Returns whether there was any.
    pub fn read(&mut self) -> bool {
        let out = take(&mut self.stdout, &mut self.out);
        let err = take(&mut self.stderr, &mut self.err);
        out || err
    }

    /// The bytes of standard output and of standard error.
    #[must_use]
    pub fn output(self) -> (Vec<u8>, Vec<u8>) {
        (self.out, self.err)
    }
}

/// Reads the available bytes of a pipe, and closes it at its end. Returns whether there were any.
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

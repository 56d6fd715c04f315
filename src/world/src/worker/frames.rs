//! Frames in pipes: four bytes of length, then the bytes.
//!
//! In: a pipe. Out: frames of at most a given length. Must not: wait for a reader or a writer beyond the deadline.

use parking_lot::Mutex;
use std::collections::VecDeque;
use std::io::Read;
use std::io::Write;
use std::process::ChildStdin;
use std::sync::Arc;
use std::time::Instant;

/// Longest frame in bytes.
pub(super) const MAX_FRAME: u32 = 256 << 20;

/// Longest frame that a worker may send, in bytes: a value of a script, or all its secrets.
pub(super) const MAX_WORKER_FRAME: u32 = 96 << 20;

/// A fixed list of frames that replaces the other process when fuzzing. Clones share the queue.
#[derive(Clone, Debug, Default)]
pub struct FrameScript(Arc<Mutex<VecDeque<Vec<u8>>>>);

impl FrameScript {
    /// Provides these frames in order, then behaves like a closed pipe.
    pub fn new(frames: impl IntoIterator<Item = Vec<u8>>) -> FrameScript {
        FrameScript(Arc::new(Mutex::new(frames.into_iter().collect())))
    }

    pub(super) fn next(&self) -> Option<Vec<u8>> {
        self.0.lock().pop_front()
    }
}

/// The next frame; `None`: the pipe is closed, or the frame is longer than `longest`.
pub(super) fn read(from: &mut impl Read, longest: u32) -> Option<Vec<u8>> {
    let mut length = [0; 4];
    from.read_exact(&mut length).ok()?;
    let length = u32::from_le_bytes(length);
    if length > longest {
        return None;
    }
    // Memory is allocated as bytes arrive, not by the announced length.
    let mut frame = Vec::new();
    let read = from.take(u64::from(length)).read_to_end(&mut frame).ok()?;
    (read == length as usize).then_some(frame)
}

/// A frame with its length in front.
fn with_length(frame: &[u8]) -> std::io::Result<Vec<u8>> {
    let length = u32::try_from(frame.len()).ok().filter(|length| *length <= MAX_FRAME);
    let length = length.ok_or_else(|| std::io::Error::other("a frame is too long"))?;
    let mut all = Vec::with_capacity(frame.len() + 4);
    all.extend(length.to_le_bytes());
    all.extend(frame);
    Ok(all)
}

/// Writes a frame.
pub(super) fn write(to: &mut impl Write, frame: &[u8]) -> std::io::Result<()> {
    to.write_all(&with_length(frame)?)?;
    to.flush()
}

/// Prepares a pipe for [`write_until`].
#[cfg(unix)]
pub(super) fn make_nonblocking(pipe: &ChildStdin) -> std::io::Result<()> {
    Ok(rustix::io::ioctl_fionbio(pipe, true)?)
}

/// Writes a frame to a pipe that does not block, until a point in time.
#[cfg(unix)]
pub(super) fn write_until(to: &mut ChildStdin, frame: &[u8], until: Instant) -> std::io::Result<()> {
    use rustix::event::PollFd;
    use rustix::event::PollFlags;
    use rustix::event::Timespec;
    use std::io::ErrorKind;
    let all = with_length(frame)?;
    let mut rest = all.as_slice();
    while !rest.is_empty() {
        match to.write(rest) {
            Ok(0) => return Err(ErrorKind::WriteZero.into()),
            Ok(written) => rest = rest.get(written..).unwrap_or_default(),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                let left = until.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    return Err(ErrorKind::TimedOut.into());
                }
                let time = Timespec::try_from(left).unwrap_or(Timespec { tv_sec: 1, tv_nsec: 0 });
                match rustix::event::poll(&mut [PollFd::new(&*to, PollFlags::OUT)], Some(&time)) {
                    Ok(_) | Err(rustix::io::Errno::INTR) => {}
                    Err(error) => return Err(error.into()),
                }
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(not(unix))]
pub(super) fn make_nonblocking(_: &ChildStdin) -> std::io::Result<()> {
    Ok(())
}

/// Waits without limit: other systems have no timed wait for a pipe.
#[cfg(not(unix))]
pub(super) fn write_until(to: &mut ChildStdin, frame: &[u8], _: Instant) -> std::io::Result<()> {
    write(to, frame)
}

//! A worker process of this program: both ends of the pipes to its parent, and the rights that the worker drops.
//!
//! In: frames of bytes. Out: frames of bytes, or an error. Must not: interpret them.
//!
//! The worker has no environment, and after [`confine`] no files, no network, and limits on memory and processor time. It has its own
//! process group. Its parent can end it at any time; when the parent ends for any reason, so does the worker ([`confine`]).

mod frames;
pub mod restricted;

use parking_lot::Mutex;
use std::io::Read;
use std::path::Path;
use std::path::PathBuf;
use std::process::Child;
use std::process::ChildStdin;
use std::process::Stdio;
use std::sync::mpsc;
use std::time::Duration;
use std::time::Instant;

use crate::launcher;
use crate::sandbox;
pub use frames::FrameScript;

/// The assumed address space of this program in bytes, where the system does not report it.
const DEFAULT_ADDRESS_SPACE: u64 = 2 << 30;

/// The parent's end of a worker.
#[derive(Debug)]
pub struct Worker(End);

#[derive(Debug)]
enum End {
    Process(Process),
    Script(FrameScript),
}

#[derive(Debug)]
struct Process {
    child: Child,
    stdin: ChildStdin,
    frames: mpsc::Receiver<Vec<u8>>,
}

/// Why no frame was received from a worker.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReceiveError {
    /// The deadline passed; the worker was killed.
    TimeOver,
    /// The worker exceeded its processor time.
    ProcessorTimeOver,
    /// The worker ended unexpectedly, mostly because it ran out of memory.
    Ended,
}

/// The subcommand that runs this program as a worker.
pub const ARGUMENT: &str = "internal-worker";

/// The path of this program.
#[must_use]
#[allow(clippy::disallowed_methods, reason = "a world accesses the machine here")]
pub fn own_program() -> Option<PathBuf> {
    std::env::current_exe().ok()
}

impl Worker {
    /// Starts a program with these arguments, without an environment.
    ///
    /// # Errors
    /// It cannot be started; the error is the system's.
    #[allow(clippy::disallowed_methods, reason = "a world accesses the machine here")]
    pub fn start(program: &Path, arguments: &[String]) -> Result<Worker, String> {
        let mut command = std::process::Command::new(program);
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        command
            .args(arguments)
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut child = launcher::spawn(command).map_err(|error| error.to_string())?;
        let (Some(stdin), Some(mut stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("it has no pipes".to_owned());
        };
        frames::make_nonblocking(&stdin).map_err(|error| error.to_string())?;
        // A small queue: a worker that sends many frames waits until they are read.
        let (sender, frames) = mpsc::sync_channel(1);
        std::thread::spawn(move || {
            while let Some(frame) = frames::read(&mut stdout, frames::MAX_WORKER_FRAME) {
                if sender.send(frame).is_err() {
                    return;
                }
            }
        });
        Ok(Worker(End::Process(Process { child, stdin, frames })))
    }

    /// A worker without a process, which sends the frames of a script.
    #[must_use]
    pub fn scripted(frames: FrameScript) -> Worker {
        Worker(End::Script(frames))
    }

    /// Sends a frame if the worker accepts it before `until`. If the worker has ended, the next `receive` fails.
    pub fn send(&mut self, frame: &[u8], until: Instant) {
        if let End::Process(process) = &mut self.0 {
            let _ = frames::write_until(&mut process.stdin, frame, until);
        }
    }

    /// Waits for a frame. A worker that sends none in time is killed.
    ///
    /// # Errors
    /// Returns why no frame arrived.
    pub fn receive(&mut self, until: Instant) -> Result<Vec<u8>, ReceiveError> {
        match &mut self.0 {
            End::Process(process) => process.receive(until),
            End::Script(_) if Instant::now() >= until => Err(ReceiveError::TimeOver),
            End::Script(frames) => frames.next().ok_or(ReceiveError::Ended),
        }
    }
}

impl Process {
    fn receive(&mut self, until: Instant) -> Result<Vec<u8>, ReceiveError> {
        let left = until.saturating_duration_since(Instant::now());
        // A worker that sends requests endlessly always has a frame ready.
        let received =
            if left.is_zero() { Err(mpsc::RecvTimeoutError::Timeout) } else { self.frames.recv_timeout(left) };
        match received {
            Ok(frame) => Ok(frame),
            Err(mpsc::RecvTimeoutError::Timeout) => {
                self.end();
                Err(ReceiveError::TimeOver)
            }
            Err(mpsc::RecvTimeoutError::Disconnected) => {
                let status = self.end();
                Err(if ran_out_of_time(status) { ReceiveError::ProcessorTimeOver } else { ReceiveError::Ended })
            }
        }
    }

    fn end(&mut self) -> Option<std::process::ExitStatus> {
        #[cfg(unix)]
        if let Some(group) = i32::try_from(self.child.id()).ok().and_then(rustix::process::Pid::from_raw) {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        let _ = self.child.kill();
        self.child.wait().ok()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.end();
    }
}

#[cfg(unix)]
fn ran_out_of_time(status: Option<std::process::ExitStatus>) -> bool {
    use std::os::unix::process::ExitStatusExt;
    status.and_then(|status| status.signal()) == Some(rustix::process::Signal::XCPU.as_raw())
}

#[cfg(not(unix))]
fn ran_out_of_time(_: Option<std::process::ExitStatus>) -> bool {
    false
}

/// The worker's end of the pipes, and the system files that it may still read.
#[derive(Debug, Default)]
pub struct WorkerPipes {
    status: Option<Mutex<std::fs::File>>,
    /// Replaces the pipes when fuzzing.
    script: Option<FrameScript>,
}

impl WorkerPipes {
    /// An end that receives the frames of a script and discards those that it sends. The process keeps its rights.
    #[must_use]
    pub fn scripted(frames: FrameScript) -> WorkerPipes {
        WorkerPipes { status: None, script: Some(frames) }
    }

    /// The next frame; `None`: the worker is no longer needed.
    #[must_use]
    pub fn receive(&self) -> Option<Vec<u8>> {
        match &self.script {
            Some(script) => script.next(),
            None => frames::read(&mut std::io::stdin().lock(), frames::MAX_FRAME),
        }
    }

    /// Sends a frame.
    pub fn send(&self, frame: &[u8]) {
        if self.script.is_none() {
            // An error needs no handling: without a reader no further frame arrives, and the worker ends.
            let _ = frames::write(&mut std::io::stdout().lock(), frame);
        }
    }

    /// The resident memory of this process in bytes, where that is known.
    #[must_use]
    pub fn memory(&self) -> Option<u64> {
        self.status_bytes("VmRSS:")
    }

    fn status_bytes(&self, field: &str) -> Option<u64> {
        use std::io::Seek;
        let mut status = self.status.as_ref()?.lock();
        let mut text = String::new();
        status.rewind().ok()?;
        status.read_to_string(&mut text).ok()?;
        let line = text.lines().find_map(|line| line.strip_prefix(field))?;
        line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
    }

    /// Sets the limit on processor time to the time used so far plus `additional`.
    pub fn allow_time(&self, additional: Duration) {
        if self.script.is_none() {
            allow_time(additional);
        }
    }
}

/// Drops the rights that a worker does not need: files, network and programs where the kernel can deny them (Landlock,
/// seccomp), more than `memory` bytes of address space beyond those in use now, further processes, further open files and
/// connections of any kind, writing files, core dumps.
#[must_use]
#[allow(clippy::disallowed_methods, reason = "a world accesses the machine here")]
pub fn confine(memory: u64) -> WorkerPipes {
    let status = std::fs::File::open("/proc/self/status").ok().map(Mutex::new);
    let pipes = WorkerPipes { status, script: None };
    end_with_parent();
    let open = if pipes.status.is_some() { 4 } else { 3 };
    limit_resources(memory + pipes.status_bytes("VmSize:").unwrap_or(DEFAULT_ADDRESS_SPACE), open);
    sandbox::enter_without_permissions();
    pipes
}

/// How often a worker checks whether its parent still runs.
const PARENT_CHECK_INTERVAL: Duration = Duration::from_millis(100);

/// Ends this process once its parent has ended, even while a script runs that does not read from the pipe.
#[cfg(unix)]
#[allow(clippy::disallowed_methods, reason = "a world accesses the machine here")]
fn end_with_parent() {
    let parent = std::os::unix::process::parent_id();
    let watch = move || {
        while std::os::unix::process::parent_id() == parent {
            std::thread::sleep(PARENT_CHECK_INTERVAL);
        }
        std::process::exit(1);
    };
    // If the thread cannot be started, the worker ends when it waits for the next frame.
    let _ = std::thread::Builder::new().name("parent".to_owned()).stack_size(64 << 10).spawn(watch);
}

#[cfg(not(unix))]
fn end_with_parent() {}

/// `open` is the number of files that are open: the pipes to and from the parent process, standard error, and the files of this
/// process itself. Without a free descriptor nothing can be opened, even where the kernel has no Landlock.
#[cfg(unix)]
fn limit_resources(memory: u64, open: u64) {
    use rustix::process::Resource;
    use rustix::process::Rlimit;
    use rustix::process::setrlimit;
    let both = |value: u64| Rlimit { current: Some(value), maximum: Some(value) };
    for (resource, value) in [
        (Resource::As, memory),
        (Resource::Fsize, 0),
        (Resource::Core, 0),
        (Resource::Nproc, 0),
        (Resource::Nofile, open),
    ] {
        // Keep a lower limit.
        let _ = setrlimit(resource, both(value));
    }
}

#[cfg(unix)]
fn allow_time(additional: Duration) {
    use rustix::process::Resource;
    use rustix::process::Rlimit;
    let used = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    let seconds = u64::try_from(used.tv_sec).unwrap_or(0) + additional.as_secs() + 2;
    let _ = rustix::process::setrlimit(Resource::Cpu, Rlimit { current: Some(seconds), maximum: None });
}

#[cfg(not(unix))]
fn limit_resources(_: u64, _: u64) {}

#[cfg(not(unix))]
fn allow_time(_: Duration) {}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    #![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests")]

    use super::*;

    #[test]
    fn a_confined_thread_opens_nothing() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        // Landlock restricts only the thread that calls it.
        let tried = std::thread::spawn(move || {
            let enforced = sandbox::enter_without_permissions().files;
            (enforced, std::fs::read("/proc/self/cmdline").is_ok(), std::net::TcpStream::connect(address).is_ok())
        });
        let (enforced, read, connected) = tried.join().unwrap();
        if !enforced {
            // Without Landlock only the limit of open files protects.
            return;
        }
        assert!(!read);
        // Landlock restricts ports from Linux 6.7 on.
        let version = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap();
        let mut numbers = version.split('.').map(|part| part.parse::<u32>().unwrap_or(0));
        let version = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
        assert!(version < (6, 7) || !connected);
    }
}

//! Process groups of running commands, and the signals that end them together with this process.
//!
//! In: a function that starts a child process. Out: a [`Group`], which is always killed. Must not: use the pipes.

use parking_lot::Mutex;
use std::collections::BTreeSet;
use std::process::Child;
use std::process::ExitStatus;
use std::sync::Once;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering;

use rustix::process::Pid;
use rustix::process::Signal;
use rustix::process::WaitId;
use rustix::process::WaitIdOptions;
use signal_hook::consts::SIGHUP;
use signal_hook::consts::SIGINT;
use signal_hook::consts::SIGQUIT;
use signal_hook::consts::SIGTERM;

/// The running groups, by the ID of their first process.
static RUNNING: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());
/// Signals, as bits, that kill commands but do not end this process: another part of this program handles them.
static NON_FATAL: AtomicU64 = AtomicU64::new(0);
/// Signals, as bits, that are ignored here: another part of this program handles them and kills the commands.
static DELEGATED: AtomicU64 = AtomicU64::new(0);
static HANDLER: Once = Once::new();

/// A child process and the processes that it started, if they stayed in its group. Dropping the group kills them.
#[derive(Debug)]
pub struct Group {
    /// The first process of the group.
    pub child: Child,
    pid: Option<Pid>,
}

impl Group {
    /// Starts a child, which must be the first of its own group.
    ///
    /// # Errors
    /// Returns the error of `start`.
    pub fn start<E>(start: impl FnOnce() -> Result<Child, E>) -> Result<Group, E> {
        HANDLER.call_once(handle_signals);
        // The lock is held during the start, so that the signal handler sees every group.
        let mut running = RUNNING.lock();
        let child = start()?;
        let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        running.extend(pid.map(Pid::as_raw_pid));
        Ok(Group { child, pid })
    }

    /// Whether the first process has ended. Its process ID is not reused before [`Group::end`].
    #[must_use]
    pub fn has_ended(&self) -> bool {
        let Some(pid) = self.pid else { return true };
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        !matches!(rustix::process::waitid(WaitId::Pid(pid), options), Ok(None))
    }

    /// Sends a signal to all processes of the group.
    pub fn signal(&self, signal: Signal) {
        if let Some(pid) = self.pid {
            let _ = rustix::process::kill_process_group(pid, signal);
        }
    }

    /// Waits for the end of the first process. Processes that it has started in the background continue.
    ///
    /// # Errors
    /// Returns the error of the operating system.
    pub fn wait(&mut self) -> std::io::Result<ExitStatus> {
        let status = self.child.wait();
        if let Some(pid) = self.pid.take() {
            RUNNING.lock().remove(&pid.as_raw_pid());
        }
        status
    }

    /// Kills the remaining processes of the group and returns the exit status of the first one.
    ///
    /// # Errors
    ///
    /// Returns the error of the operating system.
    pub fn end(&mut self) -> std::io::Result<ExitStatus> {
        let mut running = RUNNING.lock();
        if let Some(pid) = self.pid.take() {
            kill(pid);
            running.remove(&pid.as_raw_pid());
        }
        drop(running);
        self.child.wait()
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if self.pid.is_some() {
            let _ = self.end();
        }
    }
}

fn kill(group: Pid) {
    // Fails if the group has no processes left.
    let _ = rustix::process::kill_process_group(group, Signal::KILL);
}

/// Kills all commands that run. A program that exits calls this last.
pub fn kill_children() {
    let running = RUNNING.lock();
    running.iter().copied().filter_map(Pid::from_raw).for_each(kill);
}

/// Declares that the caller handles these signals, so they do not end this process. They still kill commands.
pub fn mark_signals_non_fatal(signals: &[i32]) {
    let bits = signals.iter().fold(0, |bits, signal| bits | bit(*signal));
    NON_FATAL.fetch_or(bits, Ordering::Relaxed);
}

/// Leaves these signals to the caller, who decides whether running commands are killed ([`kill_children`]).
pub fn delegate_signals(signals: &[i32]) {
    let bits = signals.iter().fold(0, |bits, signal| bits | bit(*signal));
    DELEGATED.fetch_or(bits, Ordering::Relaxed);
}

fn bit(signal: i32) -> u64 {
    u32::try_from(signal - 1).ok().and_then(|shift| 1u64.checked_shl(shift)).unwrap_or(0)
}

/// Commands are not in the terminal's foreground group, so Ctrl-C does not reach them: this process passes it on.
fn handle_signals() {
    let ignored = ignored_signals();
    let handled = [SIGINT, SIGTERM, SIGHUP, SIGQUIT].into_iter().filter(|signal| ignored & bit(*signal) == 0);
    // Without a handler a signal still ends this process, as before.
    let Ok(mut signals) = signal_hook::iterator::Signals::new(handled) else { return };
    let wait = move || {
        for signal in &mut signals {
            if DELEGATED.load(Ordering::Relaxed) & bit(signal) != 0 {
                continue;
            }
            let running = RUNNING.lock();
            running.iter().copied().filter_map(Pid::from_raw).for_each(kill);
            if NON_FATAL.load(Ordering::Relaxed) & bit(signal) == 0 {
                // The lock is never released, so that no further process is started.
                let _ = signal_hook::low_level::emulate_default_handler(signal);
            }
        }
    };
    let _ = std::thread::Builder::new().name("signals".to_owned()).spawn(wait);
}

/// Signals, as bits, that this process has ignored since its start (`nohup`), where the system reports them.
#[must_use]
pub fn ignored_signals() -> u64 {
    let status = crate::read_file(std::path::Path::new("/proc/self/status")).unwrap_or_default();
    let status = String::from_utf8_lossy(&status);
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

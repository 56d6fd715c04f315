//! Starts the process that serves, and starts it again when it dies.
//!
//! In: the address to listen on, signals. Out: a serving process that inherits the listening socket, so no connection is refused while it
//! is replaced; a line of the log for each death, with the requests that were being answered. Must not: read the site, so that this
//! process needs little memory and has nothing to die of.
//!
//! Signals go to the supervisor. It passes them on as SIGUSR1 (reload) and SIGUSR2 (stop), and the serving process ignores SIGHUP, SIGINT and
//! SIGTERM: a terminal and service managers send these to both processes.

use parking_lot::Condvar;
use parking_lot::Mutex;
use parking_lot::MutexGuard;
use std::io::BufRead;
use std::io::BufReader;
use std::io::PipeReader;
use std::io::PipeWriter;
use std::io::Write;
use std::net::SocketAddr;
use std::net::TcpListener;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::os::unix::process::ExitStatusExt;
use std::process::Child;
use std::process::Command;
use std::process::ExitStatus;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;
use std::time::Instant;

use rustix::process::Pid;
use rustix::process::Signal;
use rustix::process::WaitId;
use rustix::process::WaitIdOptions;
use sd_notify::NotifyState;
use signal_hook::consts::SIGHUP;
use signal_hook::consts::SIGINT;
use signal_hook::consts::SIGTERM;

use crate::crashes::Crashes;
use crate::journal::Note;
use crate::journal::Start;
use crate::server_error;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_messages::MessageLog;

/// A process that lived for longer is replaced at once.
const LONG_LIFE: Duration = Duration::from_secs(10);
/// The pause before a process is started again that has died soon after its start; it doubles with each such death.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// The signal that makes the serving process read its certificates and configuration again.
pub(crate) const RELOAD: i32 = signal_hook::consts::SIGUSR1;
/// The signal that makes the serving process stop; the second one ends it at once.
pub(crate) const STOP: i32 = signal_hook::consts::SIGUSR2;

/// What the threads of the supervisor share.
#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    /// Notified when a signal asks for a stop.
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// The serving process, until it has been waited for.
    child: Option<Pid>,
    /// Whether it handles signals.
    is_ready: bool,
    /// Closed at the first signal to stop: no more connections are accepted.
    listener: Option<TcpListener>,
    /// The signals to stop so far, the last one first.
    stop: Option<i32>,
    stops: u32,
    crashes: Crashes,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    fn handle(&self, signal: i32) {
        let mut state = self.state();
        if signal == SIGHUP {
            state.crashes.forget();
            if state.is_ready {
                state.send(Signal::USR1);
            }
            return;
        }
        notify(NotifyState::Stopping);
        state.stop = Some(signal);
        state.stops += 1;
        state.listener = None;
        match (state.is_ready, state.stops) {
            (true, _) => state.send(Signal::USR2),
            // The process does not handle signals yet.
            (false, 1) => {}
            (false, _) => state.send(Signal::KILL),
        }
        self.changed.notify_all();
    }

    /// Waits before the next start. Returns early when a signal asks for a stop.
    fn pause(&self, time: Duration) {
        let mut state = self.state();
        self.changed.wait_while_for(&mut state, |state| state.stop.is_none(), time);
    }
}

impl State {
    fn send(&self, signal: Signal) {
        if let Some(pid) = self.child {
            let _ = rustix::process::kill_process(pid, signal);
        }
    }
}

/// The listening socket that a service manager passes (socket activation, sd_listen_fds(3)), if there is one: the first one.
fn activated_listener() -> Result<Option<TcpListener>, Reason> {
    let unusable = |why: String| server_error(format!("the socket of the service manager cannot be used: {why}"));
    let passed = listenfd::ListenFd::from_env().take_tcp_listener(0).map_err(|error| unusable(error.to_string()))?;
    match &passed {
        // A connection has the same type: no client could connect.
        Some(socket) if !matches!(rustix::net::sockopt::socket_acceptconn(socket), Ok(true)) => {
            Err(unusable("it does not listen; a unit of systemd needs Accept=no".to_owned()))
        }
        _ => Ok(passed),
    }
}

/// Tells the service manager about the state of the server (sd_notify(3)). Without one, this does nothing.
fn notify(state: NotifyState<'_>) {
    // A service manager that does not listen is no reason to end.
    let _ = sd_notify::notify(false, &[state]);
}

/// Serves until a signal ends it. Returns the exit code.
///
/// # Errors
/// The address is in use, or no process can be started.
pub fn run(listen: SocketAddr, log: &dyn MessageLog) -> Result<u8, Reason> {
    let listener = match activated_listener()? {
        Some(listener) => listener,
        None => {
            TcpListener::bind(listen).map_err(|error| server_error(format!("cannot listen on {listen}: {error}")))?
        }
    };
    let shared = Arc::new(Shared::default());
    shared.state().listener = Some(listener);
    handle_signals(shared.clone())?;
    let (mut was_ready, mut short_lives) = (false, 0_u32);
    loop {
        let started = Instant::now();
        let Some(status) = serve(&shared, was_ready)? else { return Ok(0) };
        let mut state = shared.state();
        let is_first = !was_ready && !state.is_ready;
        was_ready |= std::mem::take(&mut state.is_ready);
        let (stop, stops) = (state.stop, state.stops);
        let requests = state.crashes.died(Instant::now());
        drop(state);
        match (status.code(), stop) {
            (None, Some(signal)) if stops > 1 => {
                // Ends like a process that has not handled the signal.
                let _ = signal_hook::low_level::emulate_default_handler(signal);
                return Ok(1);
            }
            (Some(0), _) | (_, Some(_)) => return Ok(exit_code(status)),
            // It has printed why it cannot start.
            (Some(_), None) if is_first => return Ok(exit_code(status)),
            _ => report(status, &requests, is_first, log),
        }
        if is_first {
            return Ok(exit_code(status));
        }
        short_lives = if started.elapsed() >= LONG_LIFE { 0 } else { short_lives + 1 };
        if short_lives > 1 {
            shared.pause((FIRST_PAUSE * 2_u32.saturating_pow(short_lives - 2)).min(LONGEST_PAUSE));
        }
        if shared.state().stop.is_some() {
            return Ok(0);
        }
    }
}

fn exit_code(status: ExitStatus) -> u8 {
    status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}

fn handle_signals(shared: Arc<Shared>) -> Result<(), Reason> {
    let ignored = catwalk_world::ignored_signals();
    let handled = [SIGHUP, SIGINT, SIGTERM].into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0);
    let mut signals = signal_hook::iterator::Signals::new(handled).map_err(server_error)?;
    let wait = move || signals.forever().for_each(|signal| shared.handle(signal));
    std::thread::Builder::new().name("signals".to_owned()).spawn(wait).map_err(server_error)?;
    Ok(())
}

/// Starts a serving process and waits for its end. `None`: a signal came before the start.
fn serve(shared: &Arc<Shared>, is_restart: bool) -> Result<Option<ExitStatus>, Reason> {
    let (reader, writer) = std::io::pipe().map_err(server_error)?;
    let child = {
        // Locked, so that a signal that comes now finds the process.
        let mut state = shared.state();
        let Some(listener) = &state.listener else { return Ok(None) };
        let listener = listener.try_clone().map_err(server_error)?;
        let refused = state.crashes.refused(Instant::now());
        let refused = refused.into_iter().map(|(request, left)| (request, left.as_secs())).collect();
        let start = Start { parent: std::process::id(), is_restart, refused };
        let child = start_process(listener, &writer, &start)
            .map_err(|error| server_error(format!("the server process cannot be started: {error}")))?;
        state.child = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        child
    };
    let for_wait = shared.clone();
    let waiting = std::thread::Builder::new().name("wait".to_owned());
    let waiting = waiting.spawn(move || wait(child, &for_wait, writer)).map_err(server_error)?;
    read_notes(reader, shared);
    let status = waiting.join().map_err(|_| server_error("the thread that waits for the server process has ended"))?;
    status.map(Some).map_err(server_error)
}

/// Starts this program again, with the listening socket as its stdin.
#[allow(clippy::disallowed_methods, reason = "this process starts itself again; nothing that a catalog depends on")]
fn start_process(listener: TcpListener, notes: &PipeWriter, start: &Start) -> std::io::Result<Child> {
    let arguments: Vec<_> = std::env::args_os().collect();
    let (name, arguments) = arguments.split_first().ok_or(std::io::ErrorKind::InvalidInput)?;
    // The running program, even if its file has been replaced by another version.
    let program = if cfg!(target_os = "linux") { "/proc/self/exe".into() } else { std::env::current_exe()? };
    let command = arguments.iter().position(|argument| argument == "serve").unwrap_or(arguments.len());
    let (before, after) = arguments.split_at(command);
    Command::new(program)
        .arg0(name)
        .args(before)
        .args(["internal-serve", "--start", &start.to_argument()])
        .args(after.iter().skip(1))
        .stdin(Stdio::from(OwnedFd::from(listener)))
        .stdout(Stdio::from(OwnedFd::from(notes.try_clone()?)))
        .spawn()
}

/// Waits for the end of the process. Its last notes are in the pipe before the one that is added here.
fn wait(mut child: Child, shared: &Shared, mut notes: PipeWriter) -> std::io::Result<ExitStatus> {
    if let Some(pid) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        while matches!(rustix::process::waitid(WaitId::Pid(pid), options), Err(rustix::io::Errno::INTR)) {}
    }
    let status = {
        // Until the process has been waited for, its ID is not used for another one: a signal goes to the right process.
        let mut state = shared.state();
        state.child = None;
        child.wait()
    };
    let mut line = serde_json::to_vec(&Note::Ended).unwrap_or_default();
    line.push(b'\n');
    notes.write_all(&line)?;
    status
}

/// Reads the notes of a process until its end.
fn read_notes(reader: PipeReader, shared: &Shared) {
    for line in BufReader::new(reader).split(b'\n').map_while(Result::ok) {
        // A command that the process has started may write to the same pipe.
        let Ok(note) = serde_json::from_slice(&line) else { continue };
        let mut state = shared.state();
        match note {
            Note::Ready => {
                state.is_ready = true;
                notify(NotifyState::Ready);
                if state.stop.is_some() {
                    state.send(Signal::USR2);
                }
            }
            Note::Begin(id, request) => state.crashes.begin(id, request),
            Note::End(id) => state.crashes.end(id),
            Note::Ended => return,
        }
    }
}

/// Logs the death of a process.
fn report(status: ExitStatus, requests: &[String], is_first: bool, log: &dyn MessageLog) {
    let how = match (status.signal(), status.code()) {
        (Some(signal), _) => {
            let name = signal_hook::low_level::signal_name(signal).unwrap_or("unknown");
            format!("was ended by signal {signal} ({name})")
        }
        (None, code) => format!("has ended with exit code {}", code.unwrap_or_default()),
    };
    let then = if is_first { "" } else { "; it is started again" };
    let during = match requests {
        [] => " while it answered no request".to_owned(),
        requests => format!(" while it answered {}", requests.join(", ")),
    };
    let reason = server_error(format!("the server process {how}{during}{then}"));
    let reason = match status.signal() {
        Some(libc::SIGKILL) => reason.help("the system may have run out of memory: its log names the process"),
        _ => reason.help("this is a bug of catwalk, please report it with the manifests that these requests use"),
    };
    log.report(&Diagnostic::new(reason, None));
}

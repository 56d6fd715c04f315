//! The process that serves: its socket, its end, its signals. SIGHUP, SIGINT and SIGTERM are for the supervisor, which sends signals of its
//! own: one reloads certificates and configuration, the other waits for running requests, the second time it ends the process immediately.

use std::net::TcpListener;
use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::SIGHUP;
use signal_hook::consts::SIGINT;
use signal_hook::consts::SIGTERM;

use crate::journal::Journal;
use crate::journal::Note;
use crate::server_error;
use crate::supervisor;
use catwalk_agent_site::AgentSite;
use catwalk_agent_site::Environments;
use catwalk_base::diag::Reason;
use catwalk_messages::MessageLog;
use catwalk_server::Config;
use catwalk_server::Listeners;

/// Ends this process when the supervisor ends, even by SIGKILL: a process without supervisor would keep the port.
///
/// # Errors
/// The supervisor has ended already.
pub fn end_with(parent: u32) -> Result<(), Reason> {
    #[cfg(target_os = "linux")]
    rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL)).map_err(server_error)?;
    let has_parent =
        move || rustix::process::getppid().is_some_and(|pid| u32::try_from(pid.as_raw_pid()) == Ok(parent));
    if !has_parent() {
        return Err(server_error("the process that has started this one has ended"));
    }
    #[cfg(not(target_os = "linux"))]
    std::thread::spawn(move || {
        while has_parent() {
            std::thread::sleep(std::time::Duration::from_secs(1));
        }
        let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
    });
    Ok(())
}

/// The listening socket, which the supervisor passes as stdin. Stdin is `/dev/null` afterwards.
///
/// # Errors
/// Stdin is not a listening socket.
#[allow(clippy::disallowed_methods, reason = "a device that no catalog depends on")]
pub fn inherited_listener() -> Result<TcpListener, Reason> {
    let socket = std::io::stdin().as_fd().try_clone_to_owned().map_err(server_error)?;
    let null = std::fs::File::open("/dev/null").map_err(server_error)?;
    rustix::stdio::dup2_stdin(null).map_err(server_error)?;
    Ok(TcpListener::from(socket))
}

/// Serves until a signal ends the server. Calls `listening` when the server accepts requests.
///
/// # Errors
/// Certificates cannot be read, or threads or signal handlers cannot be set up.
pub fn serve(
    config: Config,
    site: AgentSite,
    listeners: Listeners,
    environments: Arc<Environments>,
    journal: Arc<Journal>,
    log: Arc<dyn MessageLog>,
    listening: impl FnOnce(),
) -> Result<(), Reason> {
    let (server, handle) = catwalk_server::Server::new(config, Arc::new(site)).map_err(server_error)?;
    handle_signals(handle, environments, journal.clone(), log)?;
    listening();
    journal.write(&Note::Ready);
    server.with_journal(journal).serve(listeners).map_err(server_error)
}

fn handle_signals(
    handle: catwalk_server::Handle,
    environments: Arc<Environments>,
    journal: Arc<Journal>,
    log: Arc<dyn MessageLog>,
) -> Result<(), Reason> {
    let ignored = catwalk_world::ignored_signals();
    for signal in [SIGHUP, SIGINT, SIGTERM].into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0) {
        // The supervisor gets the same signal and decides.
        signal_hook::flag::register(signal, Arc::new(AtomicBool::new(false))).map_err(server_error)?;
    }
    // Nor do they end the commands of compiles that are running.
    catwalk_world::delegate_signals(&[SIGHUP, SIGINT, SIGTERM]);
    let handled = [supervisor::RELOAD, supervisor::STOP];
    let mut signals = signal_hook::iterator::Signals::new(handled).map_err(server_error)?;
    let mut is_stopping = false;
    let mut handle_signal = move |signal: i32| match signal {
        supervisor::RELOAD => {
            journal.forget();
            environments.reload();
            match handle.reload() {
                Ok(()) => log.note("reloading certificates and configuration"),
                Err(error) => log.note(&error.to_string()),
            }
        }
        _ if is_stopping => {
            catwalk_world::kill_children();
            let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
        }
        _ => {
            is_stopping = true;
            log.note("stopping when running requests have ended; a second signal stops at once");
            handle.stop();
        }
    };
    let wait = move || signals.forever().for_each(&mut handle_signal);
    std::thread::Builder::new().name("signals".to_owned()).spawn(wait).map_err(server_error)?;
    Ok(())
}

//! Runs a server until a signal ends it. SIGINT and SIGTERM wait for running requests, a second one ends the server immediately. SIGHUP
//! reloads certificates and configuration.

use std::net::TcpListener;
use std::sync::Arc;

use crate::cli::Logger;
use crate::cli::commands::serve::server_error;
use crate::serve::AgentSite;
use crate::serve::Environments;
use catwalk_base::diag::Reason;
use catwalk_server::Config;

/// Serves until a signal ends the server. Calls `listening` when the server accepts requests.
///
/// # Errors
/// Certificates cannot be read, or threads or signal handlers cannot be set up.
#[cfg(unix)]
pub(super) fn serve(
    config: Config,
    site: AgentSite,
    listener: TcpListener,
    environments: Arc<Environments>,
    (logger, listening): (Logger, impl FnOnce()),
) -> Result<(), Reason> {
    let (server, handle) = catwalk_server::Server::new(config, Arc::new(site)).map_err(server_error)?;
    handle_signals(handle, environments, logger)?;
    listening();
    server.serve(vec![listener]).map_err(server_error)
}

#[cfg(not(unix))]
pub(super) fn serve(
    _: Config,
    _: AgentSite,
    _: TcpListener,
    _: Arc<Environments>,
    _: (Logger, impl FnOnce()),
) -> Result<(), Reason> {
    Err(server_error("catwalk serve runs on Unix only"))
}

#[cfg(unix)]
fn handle_signals(
    handle: catwalk_server::Handle,
    environments: Arc<Environments>,
    logger: Logger,
) -> Result<(), Reason> {
    use signal_hook::consts::SIGHUP;
    use signal_hook::consts::SIGINT;
    use signal_hook::consts::SIGTERM;
    let ignored = crate::cli::signals::ignored();
    let signals_to_handle = [SIGHUP, SIGINT, SIGTERM].into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0);
    let mut signals = signal_hook::iterator::Signals::new(signals_to_handle).map_err(server_error)?;
    // The handler for commands of compiles must not end the server.
    catwalk_world::mark_signals_non_fatal(&[SIGHUP, SIGINT, SIGTERM]);
    let mut is_stopping = false;
    let mut handle_signal = move |signal: i32| match signal {
        SIGHUP => {
            environments.reload();
            match handle.reload() {
                Ok(()) => logger.note("reloading certificates and configuration"),
                Err(error) => logger.note(&format!("the certificates in use are kept: {error}")),
            }
        }
        _ if is_stopping => {
            catwalk_world::kill_children();
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
        _ => {
            is_stopping = true;
            logger.note("stopping when running requests have ended; a second signal stops at once");
            handle.stop();
        }
    };
    let wait = move || signals.forever().for_each(&mut handle_signal);
    std::thread::Builder::new().name("signals".to_owned()).spawn(wait).map_err(server_error)?;
    Ok(())
}

//! Signals during a run: the first signal ends it after the current resource, the second one immediately.

use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering;

/// A flag that the first SIGINT, SIGTERM or SIGHUP sets. Signals that the parent process ignores (`nohup`) stay ignored. A second signal
/// kills the running command and ends the process.
pub(super) fn flag() -> Arc<AtomicBool> {
    static FLAG: OnceLock<Arc<AtomicBool>> = OnceLock::new();
    FLAG.get_or_init(|| {
        let flag = Arc::new(AtomicBool::new(false));
        #[cfg(unix)]
        handle_signals(flag.clone());
        flag
    })
    .clone()
}

#[cfg(unix)]
fn handle_signals(flag: Arc<AtomicBool>) {
    use signal_hook::consts::SIGHUP;
    use signal_hook::consts::SIGINT;
    use signal_hook::consts::SIGTERM;
    let ignored = catwalk_world::ignored_signals();
    let signals_to_handle = [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0);
    // If the thread cannot be started, a signal ends the process, as before a run.
    let Ok(mut signals) = signal_hook::iterator::Signals::new(signals_to_handle) else { return };
    let wait = move || {
        for signal in signals.forever() {
            if flag.swap(true, Ordering::Relaxed) {
                catwalk_world::kill_children();
                let _ = signal_hook::low_level::emulate_default_handler(signal);
            } else {
                eprintln!(
                    "Warning: interrupted: the run ends after the current resource; a second signal ends it at once"
                );
            }
        }
    };
    if std::thread::Builder::new().name("interrupts".to_owned()).spawn(wait).is_ok() {
        catwalk_world::delegate_signals(&[SIGINT, SIGTERM, SIGHUP]);
    }
}

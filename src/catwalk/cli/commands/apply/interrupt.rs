//! Signals during a run: the first one ends it after the running resource.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A flag that SIGINT, SIGTERM and SIGHUP set. A second signal ends the process.
pub(super) fn flag() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    #[cfg(unix)]
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM, signal_hook::consts::SIGHUP] {
        // Without a handler the signal ends the process at once.
        let _ = signal_hook::flag::register_conditional_default(signal, flag.clone());
        let _ = signal_hook::flag::register(signal, flag.clone());
    }
    flag
}

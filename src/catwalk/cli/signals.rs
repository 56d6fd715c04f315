//! Signals that end the program while it writes files: removes temporary files and reports how many files were written.
//!
//! In: SIGINT, SIGTERM, SIGHUP. Out: a line on stderr, then the signal's usual effect. Must not: handle signals that the parent process
//! ignores (`nohup`).

/// Makes the program remove its temporary files when a signal ends it. Writing beyond the system's limit (`ulimit -f`) becomes an error
/// instead of a signal.
#[cfg(unix)]
pub(super) fn clean_up_at_the_end() {
    use signal_hook::consts::SIGHUP;
    use signal_hook::consts::SIGINT;
    use signal_hook::consts::SIGTERM;
    // If this fails, the signal ends the program.
    let _ = signal_hook::flag::register(libc::SIGXFSZ, std::sync::Arc::default());
    let ignored = catwalk_world::ignored_signals();
    let signals_to_handle = [SIGHUP, SIGINT, SIGTERM].into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0);
    // If the thread cannot be started, a signal ends the program as usual; the next run removes the temporary files.
    let Ok(mut signals) = signal_hook::iterator::Signals::new(signals_to_handle) else { return };
    // A separate handler kills the commands of compiles; this one ends the program.
    catwalk_world::mark_signals_non_fatal(&[SIGHUP, SIGINT, SIGTERM]);
    let wait = move || {
        if let Some(signal) = signals.forever().next() {
            if let Some(progress) = catwalk_world::output::batch::progress() {
                eprintln!("interrupted: {progress}");
            }
            catwalk_world::output::abandon();
            catwalk_world::kill_children();
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
    };
    let _ = std::thread::Builder::new().name("signals".to_owned()).spawn(wait);
}

#[cfg(not(unix))]
pub(super) fn clean_up_at_the_end() {}

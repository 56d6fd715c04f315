//! Signals that end the program while it writes files: no temporary file stays, and the user learns how far it came.
//!
//! In: SIGINT, SIGTERM, SIGHUP. Out: a line on stderr, then the signal's usual effect. Must not: catch what the caller has
//! switched off (`nohup`).

/// From now on the program removes its temporary files when a signal ends it. A file that grows beyond the system's limit
/// (`ulimit -f`) is an error, not the end.
#[cfg(unix)]
pub(super) fn clean_up_at_the_end() {
    use signal_hook::consts::SIGHUP;
    use signal_hook::consts::SIGINT;
    use signal_hook::consts::SIGTERM;
    // Without it, the signal ends the program.
    let _ = signal_hook::flag::register(libc::SIGXFSZ, std::sync::Arc::default());
    let ignored = ignored();
    let wanted = [SIGHUP, SIGINT, SIGTERM].into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0);
    // Without a thread a signal ends the program as it always does; the next run removes what stays.
    let Ok(mut signals) = signal_hook::iterator::Signals::new(wanted) else { return };
    // Commands of the compile are killed by their own handler; this one ends the program.
    catwalk_world::keep_signals(&[SIGHUP, SIGINT, SIGTERM]);
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

/// The signals that the caller has switched off, as a set of bits. Known on Linux only.
#[cfg(unix)]
#[allow(clippy::disallowed_methods, reason = "what the system knows of this process")]
pub(super) fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    line.and_then(|digits| u64::from_str_radix(digits.trim(), 16).ok()).unwrap_or(0)
}

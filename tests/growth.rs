//! Growth: input of any kind that is four times as long takes at most five times the processor time and memory.
//!
//! In: a table of generators. Each runs at `n` and at `4n`, where `n` is doubled until the smaller run takes long enough to be measured.
//! Processor time is compared, the cost of the same command with the shortest input is taken off, and the best of several tries counts: a
//! loaded machine fails nothing.

mod apply;
mod kinds;

use std::collections::BTreeMap;
use std::process::Child;
use std::process::Stdio;
use std::sync::Mutex;
use std::time::Duration;
use std::time::Instant;

use crate::support::Site;
use apply::CATALOGS;
use kinds::DEEP;
use kinds::KINDS;

/// Processor time and memory of a run.
#[derive(Clone, Copy, Debug, Default)]
struct Cost {
    /// Processor time.
    time: Duration,
    /// Most memory at once, in kB.
    memory: u64,
}

impl Cost {
    /// The smaller of two.
    fn least(self, other: Cost) -> Cost {
        Cost { time: self.time.min(other.time), memory: self.memory.min(other.memory) }
    }

    /// The cost without that of starting the program.
    fn since(self, start: Cost) -> Cost {
        Cost { time: self.time.saturating_sub(start.time), memory: self.memory.saturating_sub(start.memory) }
    }
}

/// Files, and the command line that reads them.
type Case = (Vec<(&'static str, String)>, &'static [&'static str]);

/// What grows: a name, the size of the smaller run, and the input of a size.
type Kind = (&'static str, usize, fn(usize) -> Case);

/// Runs a case to its end.
fn cost((files, args): &Case) -> Cost {
    let site = Site::new(&[("nodes/a.json", "{}")]);
    for (path, text) in files {
        site.write(path, text);
    }
    if files.iter().any(|(path, _)| *path == "metadata.json") {
        site.remove("catwalk.toml");
    }
    let mut command = site.command(args);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let cost = follow(&mut child);
    let status = child.wait().unwrap();
    // Errors of the input are input, too; errors of usage would measure nothing.
    // `apply` has more codes for failed resources.
    let is_result = matches!((args[0], status.code()), (_, Some(0 | 1)) | ("apply", Some(2 | 4 | 6)));
    assert!(is_result, "{args:?}: {status}");
    cost
}

/// Waits for the end of a process without taking its numbers away.
fn follow(child: &mut Child) -> Cost {
    use rustix::process::Pid;
    use rustix::process::WaitId;
    use rustix::process::WaitIdOptions;
    let pid = Pid::from_raw(child.id().cast_signed()).unwrap();
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    let clock = nix::time::clock_getcpuclockid(nix::unistd::Pid::from_raw(child.id().cast_signed())).unwrap();
    let started = Instant::now();
    let mut memory = 0;
    while rustix::process::waitid(WaitId::Pid(pid), options).unwrap().is_none() {
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB"));
        memory = memory.max(peak.and_then(|peak| peak.trim().parse().ok()).unwrap_or(0));
        if started.elapsed() > Duration::from_secs(60) {
            let _ = child.kill();
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    // The clock of all its threads, to the nanosecond, until the process is waited for.
    Cost { time: Duration::from(nix::time::clock_gettime(clock).unwrap()), memory }
}

/// The smaller run takes at least this much processor time, unless its input is short whatever its size.
const LEAST: Duration = Duration::from_millis(10);
/// What else runs on the machine takes time away. What grows by the square takes 16 times as much: at least 160 ms where five times
/// would be 50 ms, so that 60 ms more still tell them apart.
const NOISE: Duration = Duration::from_millis(60);
/// Memory comes in steps of about so many kB.
const STEP: u64 = 16_000;

/// What a command with the shortest input takes. Kinds with the same command and files share it.
fn start(case: &Case) -> Cost {
    static STARTS: Mutex<BTreeMap<Vec<&'static str>, Cost>> = Mutex::new(BTreeMap::new());
    let key: Vec<&str> = case.1.iter().copied().chain(case.0.iter().map(|(path, _)| *path)).collect();
    if let Some(cost) = STARTS.lock().unwrap().get(&key) {
        return *cost;
    }
    let least = cost(case).least(cost(case));
    STARTS.lock().unwrap().insert(key, least);
    least
}

/// Why a kind of input grows too fast, if it does. With `is_scaled`, its size is doubled until it can be measured.
fn excess(kind: &Kind, is_scaled: bool) -> Option<String> {
    let (name, n, input) = kind;
    let start = start(&input(1));
    // Most tables begin above what can be measured.
    let mut n = if is_scaled { n.div_ceil(2) } else { *n };
    let mut small = input(n);
    let mut a = cost(&small).since(start);
    for _ in 0..5 {
        if !is_scaled || a.time >= LEAST {
            break;
        }
        n *= 2;
        small = input(n);
        a = cost(&small).since(start);
    }
    let large = input(4 * n);
    let mut b = cost(&large).since(start);
    for _ in 0..4 {
        if b.time <= a.time * 5 + NOISE && b.memory <= a.memory * 5 + STEP {
            return None;
        }
        let again = cost(&large).since(start);
        b = Cost { time: b.time.min(again.time), memory: b.memory.min(again.memory) };
        let again = cost(&small).since(start);
        a = Cost { time: a.time.max(again.time), memory: a.memory.max(again.memory) };
    }
    Some(format!("{name}: {a:?} at {n}, {b:?} at {}", 4 * n))
}

#[cfg(target_os = "linux")]
#[test]
fn four_times_the_input_takes_at_most_five_times_as_much() {
    let deep = DEEP.iter().map(|kind| (kind, false));
    compare(&KINDS.iter().map(|kind| (kind, true)).chain(deep).collect::<Vec<_>>());
}

#[cfg(target_os = "linux")]
#[test]
fn four_times_the_catalog_takes_at_most_five_times_as_much_to_apply() {
    compare(&CATALOGS.iter().map(|kind| (kind, true)).collect::<Vec<_>>());
}

/// Fails if kinds of input grow too fast.
#[cfg(target_os = "linux")]
fn compare(all: &[(&Kind, bool)]) {
    let next = std::sync::atomic::AtomicUsize::new(0);
    let wrong = Mutex::new(Vec::new());
    let work = || {
        while let Some((kind, is_scaled)) = all.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) {
            let found = excess(kind, *is_scaled);
            wrong.lock().unwrap().extend(found);
        }
    };
    std::thread::scope(|scope| (0..2).for_each(|_| drop(scope.spawn(work))));
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[cfg(target_os = "linux")]
#[test]
fn messages_are_held_once() {
    let messages =
        |n: usize| format!("$s = sprintf('%{n}s', 'x')\nInteger[1, 40].each |$i| {{ notice(\"${{s}}${{i}}\") }}");
    let case = |n| kinds::code(kinds::COMPILE, messages(n));
    let taken = cost(&case(1_000_000)).since(cost(&case(1)));
    // 40 MB of messages; each has two more copies while it is written.
    assert!(taken.memory < 80_000, "{taken:?}");
}

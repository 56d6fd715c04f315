//! A site of 1,000 nodes with about 300 resources each, its first compile and edits as `catwalk watch` follows them:
//! `cargo bench --bench scale [-- --nodes N] [--rounds N]`; `--write DIR` only writes the site.
//!
//! Each kind of edit is made many times. If other programs use the processors, too, a part of the time is waiting for a processor: the
//! system reports how long, and the times are printed with and without it.
#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods, reason = "a benchmark")]

mod support;

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use std::time::Instant;

use catwalk_session::Options;
use catwalk_session::STACK;
use catwalk_session::Session;
use catwalk_session::update::Outcome;
use catwalk_session::update::State;
use catwalk_watcher::Watcher;
use catwalk_world::Disk;
use catwalk_world::World;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// A session that follows a site, as `catwalk watch` does.
struct Following {
    root: PathBuf,
    world: Arc<Disk>,
    session: Session,
    state: State,
    watcher: Watcher,
}

impl Following {
    fn megabytes(&self) -> f64 {
        self.world.memory().unwrap_or_default() as f64 / 1e6
    }

    fn set_watches(&mut self) {
        let site_paths = self.session.site_paths();
        let watches = self.watcher.watch_state(&mut self.state, site_paths, self.world.as_ref()).unwrap();
        assert!(watches.warning.is_none());
    }

    /// Makes an edit, follows it and prints the times.
    fn edit(&mut self, name: &str, edit: impl FnOnce(&Path)) {
        let timing = self.follow(edit);
        println!("{name}: {timing}; {:.0} MB", self.megabytes());
    }

    fn follow(&mut self, edit: impl FnOnce(&Path)) -> EditTiming {
        edit(&self.root);
        let (started, waiting) = (Instant::now(), time_waited());
        let mut timing = EditTiming::default();
        while let Some(changes) = self.watcher.next_batch(Some(QUIET)) {
            let begin = Instant::now();
            let arrival = started.elapsed();
            if !self.session.reopen(&changes).unwrap() {
                continue;
            }
            timing.reopening += begin.elapsed();
            let begin = Instant::now();
            let names = self.session.node_names().unwrap();
            let updates = self.state.update(&self.session, &names).unwrap();
            for update in &updates {
                match &update.outcome {
                    Outcome::Changed(diff) => drop(catwalk_formats::diff::render(diff, false)),
                    Outcome::Failed { error, .. } => panic!("{}: {}", update.certname, error.message),
                    _ => {}
                }
            }
            timing.work += begin.elapsed();
            timing.events = timing.events.max(arrival);
            timing.all = started.elapsed();
            timing.waited = time_waited().saturating_sub(waiting).min(timing.all);
            timing.batches += 1;
            timing.compiled += updates.len();
            self.set_watches();
            timing.ready = started.elapsed().saturating_sub(timing.all);
        }
        timing
    }
}

/// The times of an edit, and what followed it.
#[derive(Clone, Copy, Default)]
struct EditTiming {
    /// From the write to the printed diff.
    all: Duration,
    /// The part until the events arrived.
    events: Duration,
    /// The part for reading the changed files again.
    reopening: Duration,
    /// The part for compiling and comparing nodes.
    work: Duration,
    /// How long threads of this process waited for a processor meanwhile.
    waited: Duration,
    /// From the diff until the next edit is noticed.
    ready: Duration,
    compiled: usize,
    batches: usize,
}

impl std::fmt::Display for EditTiming {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let EditTiming { compiled, batches, .. } = self;
        let [all, events, reopening, work, waited, ready] =
            [self.all, self.events, self.reopening, self.work, self.waited, self.ready].map(ms);
        write!(
            f,
            "{compiled} compiled in {batches} batches; {all:.1} ms after the write: events {events:.1}, reading files {reopening:.1}, \
             nodes {work:.1}, of that waiting for a processor {waited:.1}; ready {ready:.1} ms later"
        )
    }
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// How long this thread and the one that receives the system's events have waited for a processor; zero if the system does not
/// report it.
fn time_waited() -> Duration {
    let delay = |task: std::fs::DirEntry| -> Option<u64> {
        let name = std::fs::read_to_string(task.path().join("comm")).ok()?;
        let is_measured = name.starts_with(THREAD) || name.starts_with("notify");
        let stat = std::fs::read_to_string(task.path().join("schedstat")).ok().filter(|_| is_measured)?;
        stat.split_ascii_whitespace().nth(1)?.parse().ok()
    };
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    Duration::from_nanos(tasks.filter_map(delay).sum())
}

/// Prints the slowest of some edits and the distribution of their times.
fn print_distribution(name: &str, edits: &[EditTiming]) {
    let worst = edits.iter().max_by_key(|timing| timing.all).copied().unwrap_or_default();
    println!("== {name}, {} edits; the slowest: {worst}", edits.len());
    let distribution = |title: &str, time: &dyn Fn(&EditTiming) -> Duration| {
        let mut times: Vec<f64> = edits.iter().map(|timing| ms(time(timing))).collect();
        times.sort_by(f64::total_cmp);
        let at =
            |part: f64| times.get((times.len() as f64 * part) as usize).or(times.last()).copied().unwrap_or_default();
        let [median, p95, p99, most] = [0.5, 0.95, 0.99, 1.0].map(at);
        println!("   {title}: median {median:.1} ms, 95 % {p95:.1} ms, 99 % {p99:.1} ms, at most {most:.1} ms");
    };
    distribution("after the write", &|timing| timing.all);
    distribution("without waiting for a processor", &|timing| timing.all.saturating_sub(timing.waited));
    distribution("from the diff until the next edit is noticed", &|timing| timing.ready);
}

/// The name of the thread that follows edits.
const THREAD: &str = "follows";

/// An edit has been followed when nothing has happened for this time.
const QUIET: Duration = Duration::from_millis(50);

fn replace(path: &Path, old: &str, new: &str) {
    let text = std::fs::read_to_string(path).unwrap();
    assert!(text.contains(old), "{}", path.display());
    std::fs::write(path, text.replacen(old, new, 1)).unwrap();
}

/// Writes the site and compiles all nodes for the first time.
fn start(root: &Path, nodes: usize) -> Following {
    let files = support::site::write(root, nodes);
    let started = Instant::now();
    let world = Arc::new(Disk::new());
    let session = Session::open(Options { root: Some(root.into()), ..Options::default() }, world.clone()).unwrap();
    let names = session.node_names().unwrap();
    let mut state = State::default();
    let updates = state.compile(&session, &names).unwrap();
    let seconds = started.elapsed().as_secs_f64();
    let mut resources = 0;
    for update in &updates {
        match &update.outcome {
            Outcome::First(count) => resources += count,
            Outcome::Failed { error, .. } => panic!("{}: {}", update.certname, error.message),
            other => panic!("{other:?}"),
        }
    }
    println!("{nodes} nodes, {files} files, {} resources a node", resources / nodes.max(1));
    let mut following = Following { root: root.into(), world, session, state, watcher: Watcher::new(None).unwrap() };
    println!("cold start: {seconds:.2} s, {:.0} nodes/s, {:.0} MB", nodes as f64 / seconds, following.megabytes());
    let started = Instant::now();
    following.set_watches();
    println!("watches and index: {:.0} ms, {:.0} MB", started.elapsed().as_secs_f64() * 1e3, following.megabytes());
    following
}

/// The number of a round of edits, and the node whose data is edited in it.
#[derive(Clone, Copy)]
struct Round {
    number: usize,
    node: usize,
}

/// A kind of edit that is made once in each round.
struct EditKind {
    name: &'static str,
    /// The number of nodes that it recompiles.
    compiled: usize,
    edit: fn(&Path, Round),
}

const EDIT_KINDS: [EditKind; 7] = [
    EditKind {
        name: "an edit of one node",
        compiled: 1,
        edit: |root, round| {
            let path = support::site::node_data(root, round.node);
            let text = std::fs::read_to_string(&path).unwrap().replace("owner", "former");
            std::fs::write(&path, format!("{text}owner: x{}\n", round.number)).unwrap();
        },
    },
    EditKind {
        name: "an unused key of a node",
        compiled: 0,
        edit: |root, round| {
            let path = support::site::node_data(root, round.node);
            let text = std::fs::read_to_string(&path).unwrap();
            let note = format!("unused: {}", "x".repeat(round.number + 1));
            std::fs::write(path, text.replace("unused:", &note)).unwrap();
        },
    },
    EditKind {
        name: "an unused key of common data",
        compiled: 0,
        edit: |root, round| {
            let list = |number: usize| format!("[7, {}", 14 + number);
            replace(&common_data(root), &list(round.number), &list(round.number + 1));
        },
    },
    EditKind {
        name: "a comment at the end of a line of a class",
        compiled: 0,
        edit: |root, round| replace(&class(root, round.number % 40), " (", " ( # here"),
    },
    EditKind {
        name: "a comment line in a class, which moves all others",
        compiled: 0,
        edit: |root, round| replace(&class(root, round.number % 40), "@summary", "@summary\n#"),
    },
    EditKind {
        name: "a comment line in the main manifest",
        compiled: 0,
        edit: |root, _| replace(&main_manifest(root), "# Every", "#\n# Every"),
    },
    EditKind {
        name: "a node block for no node",
        compiled: 0,
        edit: |root, round| {
            let block = format!("node 'x{}' {{ }}\nnode /^spare", round.number);
            replace(&main_manifest(root), "node /^spare", &block);
        },
    },
];

fn common_data(root: &Path) -> PathBuf {
    root.join("data/common.yaml")
}

fn class(root: &Path, app: usize) -> PathBuf {
    root.join(format!("modules/app{app:02}/manifests/init.pp"))
}

fn main_manifest(root: &Path) -> PathBuf {
    root.join("manifests/site.pp")
}

/// Makes each kind of edit once in each round, and prints the distribution of the times.
fn measure_repeated_edits(following: &mut Following, nodes: usize, rounds: usize) {
    let mut timings = EDIT_KINDS.map(|_| Vec::new());
    for number in 0..rounds {
        // A different node each time: nothing of its compile is in the processor's caches.
        let node = 8 + number * 17 % nodes.saturating_sub(8).max(1);
        for (kind, timings) in EDIT_KINDS.iter().zip(&mut timings) {
            timings.push(following.follow(|root| (kind.edit)(root, Round { number, node })));
        }
    }
    for (kind, timings) in EDIT_KINDS.iter().zip(&timings) {
        assert!(timings.iter().all(|timing| (timing.compiled, timing.batches) == (kind.compiled, 1)), "{}", kind.name);
        print_distribution(kind.name, timings);
    }
}

/// Makes edits that reach many nodes, each once.
fn measure_large_edits(following: &mut Following) {
    following.edit("data of a rack", |root| replace(&support::site::rack_data(root, 30), "row 0", "row 1"));
    following.edit("data of a rack that reaches files", |root| {
        replace(&support::site::rack_data(root, 30), "app01::rack: r", "app01::rack: x")
    });
    following.edit("a class of 12 roles", |root| {
        replace(&class(root, 3), "ensure => $ensure", "ensure => $ensure, provider => apt")
    });
    following.edit("a key of common data that a role uses", |root| {
        replace(&common_data(root), "app05::workers: 7", "app05::workers: 8")
    });
    following.edit("a checkout of all files", append);
}

fn run(root: &Path, nodes: usize, rounds: usize) {
    let mut following = start(root, nodes);
    measure_repeated_edits(&mut following, nodes, rounds);
    measure_large_edits(&mut following);
}

/// Adds white space to every file below.
fn append(folder: &Path) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            append(&path);
        } else {
            let text = std::fs::read_to_string(&path).unwrap();
            std::fs::write(&path, format!("{text}\n")).unwrap();
        }
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let value = |name: &str| arguments.iter().skip_while(|argument| *argument != name).nth(1).cloned();
    let number = |name: &str, default: usize| value(name).map_or(default, |text| text.parse().unwrap());
    let (nodes, rounds) = (number("--nodes", 1000), number("--rounds", 150));
    if let Some(folder) = value("--write") {
        println!("{} files", support::site::write(Path::new(&folder), nodes));
        return;
    }
    catwalk_world::disable_large_pages();
    let folder = tempfile::tempdir().unwrap();
    let work = move || run(&folder.path().canonicalize().unwrap(), nodes, rounds);
    std::thread::Builder::new().name(THREAD.into()).stack_size(STACK).spawn(work).unwrap().join().unwrap();
}

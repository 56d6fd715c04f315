//! A site of 1,000 nodes with about 300 resources each, its first compile and edits as `catwalk watch` follows them:
//! `cargo bench --bench scale [-- --nodes N] [--rounds N]`; `--write DIR` only writes the site.
//!
//! Each kind of edit is made many times. Where other programs use the processors, too, a part of the time is waiting for one: the
//! system tells how long, and the times are printed with and without that.
#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods, reason = "a benchmark")]

mod support;

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use std::time::Instant;

use catwalk::session::Options;
use catwalk::session::STACK;
use catwalk::session::Session;
use catwalk::session::update::Outcome;
use catwalk::session::update::State;
use catwalk::watch::Watcher;
use catwalk::world::Disk;
use catwalk::world::World;

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

    fn look(&mut self) {
        let own = self.session.site_paths();
        let watches = self.watcher.watch_state(&mut self.state, own, self.world.as_ref()).unwrap();
        assert!(watches.warning.is_none());
    }

    /// Makes an edit, follows it and prints how long that took.
    fn edit(&mut self, name: &str, edit: impl FnOnce(&Path)) {
        let took = self.follow(edit);
        println!("{name}: {took}; {:.0} MB", self.megabytes());
    }

    fn follow(&mut self, edit: impl FnOnce(&Path)) -> Took {
        edit(&self.root);
        let (started, waiting) = (Instant::now(), waited());
        let mut took = Took::default();
        while let Some(changes) = self.watcher.next_batch(Some(QUIET)) {
            let begun = Instant::now();
            let came = started.elapsed();
            if !self.session.reopen(&changes).unwrap() {
                continue;
            }
            took.asked += begun.elapsed();
            let begun = Instant::now();
            let names = self.session.node_names().unwrap();
            let updates = self.state.update(&self.session, &names).unwrap();
            for update in &updates {
                match &update.outcome {
                    Outcome::Changed(diff) => drop(catwalk::diff::render(diff, false)),
                    Outcome::Failed { error, .. } => panic!("{}: {}", update.certname, error.message),
                    _ => {}
                }
            }
            took.work += begun.elapsed();
            took.events = took.events.max(came);
            took.all = started.elapsed();
            took.waited = waited().saturating_sub(waiting).min(took.all);
            took.batches += 1;
            took.compiled += updates.len();
            self.look();
            took.ready = started.elapsed().saturating_sub(took.all);
        }
        took
    }
}

/// How long an edit took.
#[derive(Clone, Copy, Default)]
struct Took {
    /// From the write to the diff as text.
    all: Duration,
    /// Of that, until the events were there, asking again, and compiles.
    events: Duration,
    asked: Duration,
    work: Duration,
    /// Of all that, how long threads of this process waited for a processor.
    waited: Duration,
    /// From the diff until the next edit can be followed.
    ready: Duration,
    compiled: usize,
    batches: usize,
}

impl std::fmt::Display for Took {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Took { compiled, batches, .. } = self;
        let [all, events, asked, work, waited, ready] =
            [self.all, self.events, self.asked, self.work, self.waited, self.ready].map(ms);
        write!(
            f,
            "{compiled} compiled in {batches} batches; {all:.1} ms after the write: events {events:.1}, questions {asked:.1}, \
             nodes {work:.1}, of that waiting for a processor {waited:.1}; ready {ready:.1} ms later"
        )
    }
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// How long this thread and the one that takes the system's events were ready to run and did not; nothing where the system does
/// not tell.
fn waited() -> Duration {
    let delay = |task: std::fs::DirEntry| -> Option<u64> {
        let name = std::fs::read_to_string(task.path().join("comm")).ok()?;
        let own = name.starts_with(THREAD) || name.starts_with("notify");
        let stat = std::fs::read_to_string(task.path().join("schedstat")).ok().filter(|_| own)?;
        stat.split_ascii_whitespace().nth(1)?.parse().ok()
    };
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    Duration::from_nanos(tasks.filter_map(delay).sum())
}

/// How some edits of a kind went: the worst as it was, and how the times are distributed.
fn sum_up(name: &str, edits: &[Took]) {
    let worst = edits.iter().max_by_key(|took| took.all).copied().unwrap_or_default();
    println!("== {name}, {} edits; the slowest: {worst}", edits.len());
    let distribution = |what: &str, time: &dyn Fn(&Took) -> Duration| {
        let mut times: Vec<f64> = edits.iter().map(|took| ms(time(took))).collect();
        times.sort_by(f64::total_cmp);
        let at =
            |part: f64| times.get((times.len() as f64 * part) as usize).or(times.last()).copied().unwrap_or_default();
        let [median, p95, p99, most] = [0.5, 0.95, 0.99, 1.0].map(at);
        println!("   {what}: median {median:.1} ms, 95 % {p95:.1} ms, 99 % {p99:.1} ms, at most {most:.1} ms");
    };
    distribution("after the write", &|took| took.all);
    distribution("without waiting for a processor", &|took| took.all.saturating_sub(took.waited));
    distribution("then ready for the next after", &|took| took.ready);
}

/// The name of the thread that follows edits.
const THREAD: &str = "follows";

/// An edit is over when nothing happened for this long.
const QUIET: Duration = Duration::from_millis(50);

fn replace(path: &Path, old: &str, new: &str) {
    let text = std::fs::read_to_string(path).unwrap();
    assert!(text.contains(old), "{}", path.display());
    std::fs::write(path, text.replacen(old, new, 1)).unwrap();
}

fn run(root: &Path, nodes: usize, rounds: usize) {
    let files = support::site::write(root, nodes);
    let started = Instant::now();
    let world = Arc::new(Disk::new());
    let session = Session::open(Options { root: Some(root.into()), ..Options::default() }, world.clone()).unwrap();
    let names = session.node_names().unwrap();
    let mut state = State::default();
    let updates = state.compile(&session, &names).unwrap();
    let took = started.elapsed().as_secs_f64();
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
    println!("cold start: {took:.2} s, {:.0} nodes/s, {:.0} MB", nodes as f64 / took, following.megabytes());
    let started = Instant::now();
    following.look();
    println!("watches and index: {:.0} ms, {:.0} MB", started.elapsed().as_secs_f64() * 1e3, following.megabytes());
    let common = |root: &Path| root.join("data/common.yaml");
    let init = |root: &Path, app: usize| root.join(format!("modules/app{app:02}/manifests/init.pp"));
    let (mut nobody, mut unused, mut one) = (Vec::new(), Vec::new(), Vec::new());
    let (mut beside, mut above, mut first, mut block) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let main = |root: &Path| root.join("manifests/site.pp");
    for round in 0..rounds {
        // Each time another node: nothing of its compile is in the processor's caches.
        let node = 8 + round * 17 % nodes.saturating_sub(8).max(1);
        let note = |round: usize| format!("unused: {}", "x".repeat(round));
        let text = std::fs::read_to_string(support::site::node_data(root, node)).unwrap();
        one.push(following.follow(|root| {
            let text = format!("{}owner: x{round}\n", text.replace("owner", "former"));
            std::fs::write(support::site::node_data(root, node), text).unwrap();
        }));
        nobody.push(following.follow(|root| {
            let path = support::site::node_data(root, node);
            let text = std::fs::read_to_string(&path).unwrap();
            std::fs::write(path, text.replace("unused:", &note(round + 1))).unwrap();
        }));
        let list = |round: usize| format!("[7, {}", 14 + round);
        unused.push(following.follow(|root| replace(&common(root), &list(round), &list(round + 1))));
        let app = round % 40;
        beside.push(following.follow(|root| replace(&init(root, app), " (", " ( # here")));
        above.push(following.follow(|root| replace(&init(root, app), "@summary", "@summary\n#")));
        first.push(following.follow(|root| replace(&main(root), "# Every", "#\n# Every")));
        block.push(
            following
                .follow(|root| replace(&main(root), "node /^spare", &format!("node 'x{round}' {{ }}\nnode /^spare"))),
        );
    }
    let expected = |edits: &[Took], compiled: usize| {
        assert!(edits.iter().all(|took| (took.compiled, took.batches) == (compiled, 1)))
    };
    expected(&one, 1);
    expected(&nobody, 0);
    expected(&unused, 0);
    expected(&beside, 0);
    expected(&above, 0);
    expected(&first, 0);
    expected(&block, 0);
    sum_up("an edit of one node", &one);
    sum_up("a key of a node that nobody asks for", &nobody);
    sum_up("a key of common data that nobody asks for", &unused);
    sum_up("a comment at the end of a line of a class", &beside);
    sum_up("a comment line in a class, which moves all others", &above);
    sum_up("a comment line in the main manifest", &first);
    sum_up("a node block for no node", &block);
    following.edit("data of a rack", |root| replace(&support::site::rack_data(root, 30), "row 0", "row 1"));
    following.edit("data of a rack that reaches files", |root| {
        replace(&support::site::rack_data(root, 30), "app01::rack: r", "app01::rack: x")
    });
    following.edit("a class of 12 roles", |root| {
        replace(&init(root, 3), "ensure => $ensure", "ensure => $ensure, provider => apt")
    });
    following.edit("a key of common data that a role asks for", |root| {
        replace(&common(root), "app05::workers: 7", "app05::workers: 8")
    });
    following.edit("a checkout of all files", append);
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
    let number = |name: &str, usual: usize| value(name).map_or(usual, |text| text.parse().unwrap());
    let (nodes, rounds) = (number("--nodes", 1000), number("--rounds", 150));
    if let Some(folder) = value("--write") {
        println!("{} files", support::site::write(Path::new(&folder), nodes));
        return;
    }
    catwalk::world::disable_large_pages();
    let folder = tempfile::tempdir().unwrap();
    let work = move || run(&folder.path().canonicalize().unwrap(), nodes, rounds);
    std::thread::Builder::new().name(THREAD.into()).stack_size(STACK).spawn(work).unwrap().join().unwrap();
}

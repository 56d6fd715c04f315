//! A site of 1,000 nodes with about 300 resources each, its first compile and edits as `catwalk watch` follows them:
//! `cargo bench --bench scale [-- --nodes N]`; `--write DIR` only writes the site.
#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods, reason = "a benchmark")]

#[path = "support/site.rs"]
mod site;

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
        self.state.prepare();
        let own = self.session.touched();
        let touched = self.state.touched().chain(own.iter().map(PathBuf::as_path));
        let watches = self.watcher.watch(touched, self.world.as_ref()).unwrap();
        assert!(watches.warning.is_none());
    }

    /// Milliseconds from the write to the diff as text, how many of them the events took, asking again, compiles, and how long
    /// it takes then to be ready for the next edit; nodes compiled; batches.
    fn edit(&mut self, name: &str, edit: impl FnOnce(&Path)) -> f64 {
        let started = Instant::now();
        edit(&self.root);
        let written = started.elapsed();
        let (mut batches, mut compiled, mut last, mut ready) = (0, 0, started.elapsed(), Duration::ZERO);
        let [mut events, mut asked, mut work] = [Duration::ZERO; 3];
        while let Some(changes) = self.watcher.next_batch(Some(Duration::from_millis(300))) {
            let begun = Instant::now();
            let waited = started.elapsed();
            if !self.session.reopen(&changes).unwrap() {
                continue;
            }
            asked += begun.elapsed();
            let begun = Instant::now();
            let names = self.session.node_names().unwrap();
            let updates = self.state.update(&self.session, &names).unwrap();
            for update in &updates {
                match &update.outcome {
                    Outcome::Changed(diff) => drop(catwalk::diff::render(diff, false)),
                    Outcome::Failed(why) => panic!("{}: {}", update.certname, why.message),
                    _ => {}
                }
            }
            work += begun.elapsed();
            events = events.max(waited.saturating_sub(written));
            last = started.elapsed();
            batches += 1;
            compiled += updates.len();
            self.look();
            ready = started.elapsed().saturating_sub(last);
        }
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        let took = ms(last.saturating_sub(written));
        let [events, asked, work, ready] = [events, asked, work, ready].map(ms);
        println!(
            "{name}: {compiled} compiled in {batches} batches; {took:.1} ms after the write: events {events:.1}, \
             questions {asked:.1}, nodes {work:.1}; ready {ready:.1} ms later; {:.0} MB",
            self.megabytes()
        );
        took
    }
}

/// The median and the largest of some times.
fn sum_up(name: &str, mut times: Vec<f64>) {
    times.sort_by(f64::total_cmp);
    let at = |at: usize| times.get(at).copied().unwrap_or_default();
    println!("== {name}: median {:.1} ms, at most {:.1} ms", at(times.len() / 2), at(times.len().saturating_sub(1)));
}

fn replace(path: &Path, old: &str, new: &str) {
    let text = std::fs::read_to_string(path).unwrap();
    assert!(text.contains(old), "{}", path.display());
    std::fs::write(path, text.replacen(old, new, 1)).unwrap();
}

fn run(root: &Path, nodes: usize) {
    let files = site::write(root, nodes);
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
            Outcome::Failed(why) => panic!("{}: {}", update.certname, why.message),
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
    let (mut nobody, mut unused, mut one) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..9 {
        let note = |round: usize| format!("note 7{}", "x".repeat(round));
        nobody.push(following.edit("a key of a node that nobody asks for", |root| {
            replace(&site::node_data(root, 7), &note(round), &note(round + 1));
        }));
        let name = format!("owner: x{round}\n");
        one.push(following.edit("data of one node", |root| std::fs::write(site::node_data(root, 8), &name).unwrap()));
        let list = |round: usize| format!("[7, 14{}", "0".repeat(round));
        unused.push(following.edit("a key in common data that nobody asks for", |root| {
            replace(&common(root), &list(round), &list(round + 1));
        }));
    }
    sum_up("an edit of one node", one);
    sum_up("a key of a node that nobody asks for", nobody);
    sum_up("a key of common data that nobody asks for", unused);
    let init = |root: &Path| root.join("modules/app03/manifests/init.pp");
    following
        .edit("a comment at the end of a line", |root| replace(&init(root), "class app03 (", "class app03 ( # here"));
    following.edit("a comment line in a class", |root| replace(&init(root), "@summary", "@summary\n#"));
    following.edit("data of a rack", |root| replace(&site::rack_data(root, 30), "row 0", "row 1"));
    following.edit("data of a rack that reaches files", |root| {
        replace(&site::rack_data(root, 30), "app01::rack: r", "app01::rack: x")
    });
    following.edit("a class of 12 roles", |root| {
        replace(&init(root), "ensure => $ensure", "ensure => $ensure, provider => apt")
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
    let nodes = value("--nodes").map_or(1000, |text| text.parse().unwrap());
    if let Some(folder) = value("--write") {
        println!("{} files", site::write(Path::new(&folder), nodes));
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let work = move || run(&folder.path().canonicalize().unwrap(), nodes);
    std::thread::Builder::new().stack_size(STACK).spawn(work).unwrap().join().unwrap();
}

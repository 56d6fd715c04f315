//! A site of 1,000 nodes with about 300 resources each: `cargo bench --bench scale [-- --nodes N]`; `--write DIR` only
//! writes the site.
#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods, reason = "a benchmark")]

#[path = "support/site.rs"]
mod site;

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use catwalk::session::Options;
use catwalk::session::STACK;
use catwalk::session::Session;
use catwalk::session::update::Outcome;
use catwalk::session::update::State;
use catwalk::world::Disk;
use catwalk::world::World;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn run(root: &Path, nodes: usize) {
    let files = site::write(root, nodes);
    let started = Instant::now();
    let world = Arc::new(Disk::new());
    let session = Session::open(Options { root: Some(root.into()), ..Options::default() }, world.clone()).unwrap();
    let names: Vec<Arc<str>> = session.nodes().unwrap().into_keys().collect();
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
    let memory = world.memory().unwrap_or_default() as f64 / 1e6;
    println!("{nodes} nodes, {files} files, {} resources a node", resources / nodes.max(1));
    println!("cold start: {took:.2} s, {:.0} nodes/s, {memory:.0} MB", nodes as f64 / took);
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

//! Two revisions of a site of 1,000 nodes with about 300 resources each, of which 10 change:
//! `cargo bench --bench diff [-- --nodes N]`. The whole comparison is measured, from two names of revisions to the report.
#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "a benchmark")]

mod support;

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use catwalk_compare as compare;
use catwalk_compare::Inputs;
use catwalk_compare::OldSide;
use catwalk_compare::Plan;
use catwalk_compare::Report;
use catwalk_compare::Side;
use catwalk_compare::Task;
use catwalk_formats::diff::rules::Rules;
use catwalk_session::Options;
use catwalk_session::STACK;
use catwalk_session::Session;
use catwalk_world::Disk;
use catwalk_world::World;
use catwalk_world::git::Repository;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn git(root: &Path, arguments: &[&str]) {
    let name = ["-c", "user.name=Ann", "-c", "user.email=ann@example.com"];
    let done = Command::new("git").args(name).args(arguments).current_dir(root).status().unwrap();
    assert!(done.success());
}

fn commit(root: &Path) {
    git(root, &["add", "-A"]);
    git(root, &["commit", "-q", "-m", "a commit"]);
}

/// Compares the last two commits. Returns the report and the time in seconds.
fn compared(root: &Path) -> (Report, f64) {
    let started = Instant::now();
    let disk = Arc::new(Disk::new());
    let repository = Repository::open(root, disk).unwrap();
    let side = |name: &str| {
        let world = Arc::new(Disk::with_revision(repository.tree(&repository.revision(name).unwrap()).unwrap()));
        let options = Options { root: Some(root.into()), ..Options::default() };
        Side::new(Session::open(options, world.clone()).unwrap(), world)
    };
    let (old, new) = (side("HEAD~1"), side("HEAD"));
    let tasks: Vec<Task> =
        new.session.nodes().unwrap().into_keys().map(|certname| Task { certname, old: true, new: true }).collect();
    let inputs = Inputs::new(old.world.clone(), new.world.clone(), vec![root.into(), root.join("nodes")]);
    let (old, rules) = (OldSide::Session(Box::new(old)), Rules::default());
    let plan = Plan { inputs: Some(inputs), ..Plan::new(old, new, rules) };
    let compared = compare::run(&plan, &tasks, &|| ());
    let report = Report::new("HEAD~1".to_owned(), "HEAD".to_owned(), compared);
    std::hint::black_box(compare::human(&report, &[], 10, false));
    (report, started.elapsed().as_secs_f64())
}

fn run(root: &Path, nodes: usize) {
    support::site::write(root, nodes);
    git(root, &["init", "-q"]);
    commit(root);
    let memory = || Disk::new().memory().unwrap_or_default() as f64 / 1e6;
    let measure = |what: &str| {
        commit(root);
        let (report, took) = compared(root);
        println!("{what}: {took:.2} s, {:.0} MB: {}", memory(), report.summary());
    };
    let append = |path: &Path, text: &str| {
        let old = std::fs::read_to_string(path).unwrap();
        std::fs::write(path, old + text).unwrap();
    };
    (0..10).for_each(|node| std::fs::write(support::site::node_data(root, node), "owner: others\n").unwrap());
    append(&support::site::node_data(root, 11), "unused::too: 1\n");
    measure("data of ten nodes");
    append(&root.join("modules/app07/manifests/init.pp"), "\n# A comment.\n");
    measure("a comment in a module");
    append(&root.join("modules/app07/templates/main.epp"), "# The end.\n");
    measure("a template of a module");
    append(&root.join("modules/app07/files/static00.txt"), "More.\n");
    measure("a file that agents fetch");
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let given = arguments.iter().skip_while(|argument| *argument != "--nodes").nth(1);
    let nodes = given.map_or(1000, |text| text.parse().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let work = move || run(&folder.path().canonicalize().unwrap(), nodes);
    std::thread::Builder::new().stack_size(STACK).spawn(work).unwrap().join().unwrap();
}

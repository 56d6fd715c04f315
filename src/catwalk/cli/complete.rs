//! Completion of values that a site defines, while the user types: nodes, fact sets, cases of test files, environments.
//!
//! In: the arguments so far, names of files of the site. Out: candidates. Must not: run code of the site (classifiers, scripts,
//! manifests, commands), print messages, list without a bound.

use catwalk_node::facts::Agent;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::Path;
use std::path::PathBuf;

use clap::Arg;
use clap_complete::engine::ArgValueCompleter;
use clap_complete::engine::CompletionCandidate;
use clap_complete::engine::PathCompleter;
use clap_complete::engine::ValueCompleter;
use clap_complete::env::CompleteEnv;

use crate::cli::help;
use crate::cli::options;
use catwalk_base::stack;
use catwalk_session::site::Site;
use catwalk_snapshot::facts::FactSets;
use catwalk_snapshot::matrix;
use catwalk_snapshot::matrix::ReadContext;
use catwalk_world::Disk;
use catwalk_world::Kind;
use catwalk_world::World;
use catwalk_world::output::Place;

/// The most candidates of a completion.
const MAX: usize = 5_000;
/// Fact sets in more files than this are completed by the names of the files; reading them would take too long.
const MAX_FILES: usize = 60;

/// What an argument names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Named {
    Node,
    FactSet,
    Case,
    Environment,
}

/// Arguments that name something of a site: the command (empty: every command), the argument's id, what it names.
const ARGUMENTS: [(&str, &str, Named); 17] = [
    ("", "facts", Named::FactSet),
    ("", "environment", Named::Environment),
    ("compile", "certnames", Named::Node),
    ("watch", "certnames", Named::Node),
    ("show", "certname", Named::Node),
    ("classify", "certname", Named::Node),
    ("node show", "certname", Named::Node),
    ("apply", "certname", Named::Node),
    ("lookup", "node", Named::Node),
    ("eval", "node", Named::Node),
    ("catalog why", "node", Named::Node),
    ("diff", "nodes", Named::Node),
    ("test", "cases", Named::Case),
    ("snapshot accept", "patterns", Named::Case),
    ("snapshot reject", "patterns", Named::Case),
    ("facts show", "name", Named::FactSet),
    ("facts bundle", "only", Named::FactSet),
];

/// Adds the completion of a command's argument.
pub(super) fn with_completion(arg: Arg, path: &str) -> Arg {
    let id = arg.get_id().as_str();
    let is_about = |(command, argument, _): &&(&str, &str, Named)| {
        *argument == id && (*command == path || (command.is_empty() && arg.get_long() == Some(id)))
    };
    match ARGUMENTS.iter().find(is_about) {
        Some((_, _, named)) => arg.add(ArgValueCompleter::new(Completer(*named))),
        None => arg,
    }
}

/// Answers a shell's request for candidates or for its registration, if the environment variable `COMPLETE` names a shell. Returns whether
/// it was one.
pub(super) fn answer() -> bool {
    // An unknown shell: the variable has another purpose.
    let here = options::current_dir().ok();
    let answered = stack::with_large(|| {
        CompleteEnv::with_factory(help::command).bin("catwalk").try_complete(std::env::args_os(), here.as_deref())
    });
    matches!(answered, Ok(Ok(true)))
}

struct Completer(Named);

impl ValueCompleter for Completer {
    fn complete(&self, current: &OsStr) -> Vec<CompletionCandidate> {
        let world = Disk::new();
        let site = site(&world);
        let names = match self.0 {
            Named::Node => site.as_ref().map(|site| nodes(site, &world)).unwrap_or_default(),
            Named::FactSet => fact_sets(site.as_ref(), &world),
            Named::Case => cases(site.as_ref(), &world),
            Named::Environment => site.as_ref().map(|site| environments(&site.root, &world)).unwrap_or_default(),
        };
        let typed = current.to_str().unwrap_or_default();
        // `diff --nodes a,b`: the last one is completed.
        let (before, last) = typed.rsplit_once(',').map_or(("", typed), |(before, last)| (before, last));
        let comma = if before.is_empty() { "" } else { "," };
        let matching = names.iter().filter(|name| name.starts_with(last) && !name.chars().any(char::is_control));
        let mut candidates: Vec<CompletionCandidate> =
            matching.take(MAX).map(|name| CompletionCandidate::new(format!("{before}{comma}{name}"))).collect();
        if self.0 == Named::FactSet {
            candidates.extend(PathCompleter::any().complete(current));
        }
        candidates
    }
}

/// The site of the option `--site`, or that of the current directory.
fn site(world: &Disk) -> Option<Site> {
    let here = options::current_dir().ok()?;
    let words: Vec<_> = std::env::args_os().collect();
    let named = words.iter().enumerate().find_map(|(at, word)| match word.to_str()? {
        "--site" => words.get(at + 1).map(PathBuf::from),
        word => word.strip_prefix("--site=").map(PathBuf::from),
    });
    let root = match named {
        Some(path) => here.join(path),
        None => Site::find(&here, world).or_else(|| catwalk_snapshot::suite::find(&here, world))?,
    };
    Site::open(&root, world).ok()
}

/// The names in a directory without these extensions; none if it cannot be listed.
fn stems(folder: &Path, extensions: &[&str], world: &Disk) -> BTreeSet<String> {
    let entries = world.list(folder).map(|entries| entries.to_vec()).unwrap_or_default();
    let stem = |name: &str| {
        let (stem, extension) = name.rsplit_once('.')?;
        (extensions.contains(&extension) && !stem.is_empty()).then(|| stem.to_owned())
    };
    let files = entries.iter().filter(|entry| entry.kind == Kind::File);
    files.filter_map(|entry| stem(&entry.name)).take(MAX).collect()
}

fn nodes(site: &Site, world: &Disk) -> BTreeSet<String> {
    site.nodes.as_ref().map(|folder| stems(folder, &["json", "yaml", "yml"], world)).unwrap_or_default()
}

/// The fact sets of a site: all built-in ones, those of its files.
fn load_fact_sets(site: Option<&Site>, world: &Disk) -> (FactSets, BTreeSet<String>) {
    let (mut sets, mut others) = (FactSets::built_in(Agent::default()), BTreeSet::new());
    for path in site.iter().flat_map(|site| &site.facts) {
        let files = match world.kind(path) {
            Kind::Directory => stems(path, &["json", "yaml", "yml", "facts"], world),
            _ => BTreeSet::new(),
        };
        if files.len() > MAX_FILES {
            others.extend(files);
        } else {
            // Files that cannot be read have no candidates.
            let _ = sets.load(path, world);
        }
    }
    (sets, others)
}

fn fact_sets(site: Option<&Site>, world: &Disk) -> BTreeSet<String> {
    let (sets, mut names) = load_fact_sets(site, world);
    names.extend(sets.iter().map(|set| set.name.to_string()));
    names
}

/// The nodes and the cases of test files.
fn cases(site: Option<&Site>, world: &Disk) -> BTreeSet<String> {
    let Some(site) = site else { return BTreeSet::new() };
    let mut names = nodes(site, world);
    let folder = site.tests.as_ref().map_or_else(|| site.root.join("tests"), Place::path);
    let (sets, _) = load_fact_sets(Some(site), world);
    let context = ReadContext { root: &site.root, sets: &sets, overrides: &[], world };
    let entries = world.list(&folder).map(|entries| entries.to_vec()).unwrap_or_default();
    let is_test = |name: &str| name.ends_with(".yaml") || name.ends_with(".yml");
    for entry in entries.iter().filter(|entry| entry.kind == Kind::File && is_test(&entry.name)).take(MAX) {
        // Files with mistakes have no candidates.
        let file = matrix::read(&folder.join(entry.name.as_ref()), &context).unwrap_or_default();
        names.extend(file.cases.into_iter().map(|case| case.name));
    }
    names
}

/// The environments beside a site in a folder `environments`, and those below the site.
fn environments(root: &Path, world: &Disk) -> BTreeSet<String> {
    let beside = root.parent().filter(|parent| parent.file_name().is_some_and(|name| name == "environments"));
    let folders = beside.map(Path::to_path_buf).into_iter().chain([root.join("environments")]);
    let list = |folder: PathBuf| world.list(&folder).map(|entries| entries.to_vec()).unwrap_or_default();
    let directories = folders.flat_map(list).filter(|entry| entry.kind == Kind::Directory);
    directories.map(|entry| entry.name.to_string()).filter(|name| !name.starts_with('.')).take(MAX).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn each_argument_exists() {
        let all = help::command();
        for (path, id, _) in ARGUMENTS.iter().filter(|(path, ..)| !path.is_empty()) {
            let mut command = &all;
            for name in path.split(' ') {
                command = command.find_subcommand(name).unwrap();
            }
            assert!(command.get_arguments().any(|arg| arg.get_id() == id), "{path} has no argument {id}");
        }
    }
}

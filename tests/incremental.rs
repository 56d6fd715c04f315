//! Incremental compiles: after any edits the result is that of a fresh session, and edits that affect no catalog compile no node.
//!
//! `cargo test` runs a few random sequences of edits, `SEQUENCES=2000 cargo test --test main incremental` that many; `SEED=N`
//! selects other sequences. `tests/edits` lists edits with the nodes that each recompiles.

pub mod edits;
mod kept_results;

use std::collections::BTreeSet;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use catwalk_catalog::Catalog;
use catwalk_formats::wire;
use catwalk_session::Changes;
use catwalk_session::Options;
use catwalk_session::Session;
use catwalk_session::update::NodeUpdate;
use catwalk_session::update::State;
use catwalk_world::Disk;
use catwalk_world::output::Place;

use self::edits::Random;
use self::edits::SITE;
use self::edits::edit;
use self::edits::write;
use crate::support::Site;

/// A session that follows edits.
pub struct Following {
    pub session: Session,
    pub state: State,
    pub world: Arc<Disk>,
}

fn options(root: &Path) -> Options {
    // Modules of an installed Puppet must not affect the site.
    let set = vec![("basemodulepath".to_owned(), "/nonexistent".to_owned())];
    Options { root: Some(root.to_path_buf()), set, ..Options::default() }
}

#[test]
fn folders_of_the_command_line_are_kept_after_an_edit_of_the_configuration() {
    let site = Site::new(&[("site.pp", ""), ("catwalk.toml", "snapshots = \"own\"\n")]);
    let root = site.path();
    let [snapshots, tests] = ["named", "named-tests"].map(|name| Place::named(root.join(name)));
    let named = Options { snapshots: Some(snapshots.clone()), tests: Some(tests.clone()), ..options(root) };
    let mut session = Session::open(named, Arc::new(Disk::new())).unwrap();
    // A comment, other folders, a setting of the language.
    for text in ["# x\n", "snapshots = \"new\"\ntests = \"new-tests\"\n", "cycles = \"error\"\n"] {
        site.write("catwalk.toml", text);
        session.reopen(&Changes { paths: [root.join("catwalk.toml")].into(), rescan: false }).unwrap();
        assert_eq!(session.site.snapshots_place(root), snapshots, "{text}");
        assert_eq!(session.site.tests_place(root), tests, "{text}");
    }
}

impl Following {
    pub fn start(root: &Path) -> Following {
        let world = Arc::new(Disk::new());
        let session = Session::open(options(root), world.clone()).unwrap();
        let mut state = State::default();
        let names: Vec<Arc<str>> = session.nodes().unwrap_or_default().into_keys().collect();
        state.compile(&session, &names).unwrap();
        Following { session, state, world }
    }

    /// Follows an edit of these paths, or of unknown ones with `None`. Updates nothing while the site's configuration is invalid.
    pub fn update(&mut self, paths: Option<&[PathBuf]>) -> Vec<NodeUpdate> {
        self.follow(&Changes { rescan: paths.is_none(), paths: paths.into_iter().flatten().cloned().collect() }).1
    }

    /// Follows a batch. Returns whether anything changed, and the updates of nodes.
    pub fn follow(&mut self, changes: &Changes) -> (bool, Vec<NodeUpdate>) {
        let Ok(changed) = self.session.reopen(changes) else { return (true, Vec::new()) };
        let Ok(nodes) = self.session.nodes() else { return (changed, Vec::new()) };
        if !changed {
            return (false, Vec::new());
        }
        self.state.prepare();
        let updates = self.state.update(&self.session, &nodes.into_keys().collect::<Vec<_>>()).unwrap();
        self.state.update_positions();
        (true, updates)
    }

    /// Catalog or error, and log, of each node.
    pub fn results(&self) -> Vec<String> {
        let name = |text: &str| text.to_owned();
        self.state
            .nodes()
            .map(|(certname, failure)| {
                let result = match failure {
                    Some(failure) => failure.puppet_text(self.session.sources()),
                    None => document(self.state.catalog(certname).unwrap()),
                };
                let logs = self.state.logs(certname).iter().map(|log| log.puppet_text(self.session.sources()));
                let mut logs: Vec<String> = logs.collect();
                logs.sort();
                format!("{}: {result}\n{}", name(certname), logs.join("\n"))
            })
            .collect::<BTreeSet<String>>()
            .into_iter()
            .collect()
    }
}

/// A catalog without its version and its number.
fn document(catalog: &Catalog) -> String {
    let mut document = wire::native::document(catalog).unwrap();
    document.as_object_mut().unwrap().remove("version");
    document.as_object_mut().unwrap().remove("catalog_uuid");
    serde_json::to_string(&document).unwrap()
}

/// Fails unless the session's results are those of a fresh session.
pub fn same_as_fresh(following: &Following, root: &Path, description: &dyn Fn() -> String) {
    if Session::open(options(root), Arc::new(Disk::new())).map_or(true, |session| session.nodes().is_err()) {
        return;
    }
    let fresh = Following::start(root);
    let (current, fresh) = (following.results(), fresh.results());
    for (current, fresh) in current.iter().zip(&fresh) {
        assert_eq!(current, fresh, "{}", description());
    }
    assert_eq!(current.len(), fresh.len(), "{}", description());
}

pub fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn sequence(seed: u64) {
    let site = Site::new(&[("catwalk.toml", "nodes = \"nodes\"\n")]);
    let root = site.path().canonicalize().unwrap();
    let mut random = Random::new(seed);
    let all_there = random.below(3) > 0;
    for (name, texts) in SITE {
        if all_there || random.below(3) > 0 || name.starts_with("nodes/") {
            write(&root.join(name), texts[if all_there { 0 } else { random.below(texts.len()) }]);
        }
    }
    let mut following = Following::start(&root);
    let mut edits = Vec::new();
    for _ in 0..8 {
        let mut paths = Vec::new();
        for _ in 0..=random.below(3) {
            let (changed, description) = edit(&root, &mut random);
            paths.extend(changed);
            edits.push(description);
        }
        // Events of unchanged paths and lost events must not matter.
        let rescan = random.below(10) == 0;
        paths.push(root.join("data"));
        following.update(Some(&paths[..]).filter(|_| !rescan));
        edits.push("-- update".to_owned());
        same_as_fresh(&following, &root, &|| format!("SEED={seed}\n{}", edits.join("\n")));
    }
}

pub fn on_large_stack(work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(catwalk_session::STACK).spawn(work).unwrap();
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
    }
}

#[test]
fn incremental_is_fresh_after_random_edits() {
    on_large_stack(|| {
        let first = number("SEED", 1);
        for seed in first..first + number("SEQUENCES", 12) {
            sequence(seed);
        }
    });
}

/// Another failure hides the check of the main manifest, and lasts only as long as the manifest exists.
#[test]
fn a_failure_before_the_compile_ends_with_the_manifest() {
    on_large_stack(|| {
        let site = Site::new(&[
            ("catwalk.toml", "nodes = \"nodes\"\nmanifest = \"manifests/site.pp\"\n"),
            ("manifests/site.pp", ""),
            ("nodes/web1.json", "{}"),
            ("modules/broken/metadata.json", "5"),
        ]);
        let root = site.path().canonicalize().unwrap();
        let mut following = Following::start(&root);
        assert!(following.results()[0].contains("undefined method `empty?'"), "{:?}", following.results());
        let manifest = root.join("manifests/site.pp");
        std::fs::remove_file(&manifest).unwrap();
        following.update(Some(std::slice::from_ref(&manifest)));
        assert!(following.results()[0].contains("manifest does not exist"), "{:?}", following.results());
        same_as_fresh(&following, &root, &|| "rm manifests/site.pp".to_owned());
        write(&manifest, "");
        following.update(Some(&[manifest]));
        same_as_fresh(&following, &root, &|| "write manifests/site.pp".to_owned());
    });
}

/// Makes an edit of `edits.txt` and returns the changed paths.
/// A folder without files is followed, too: each of these edits is followed alone, and a node that it does not affect stays valid.
#[test]
fn folders_of_the_main_manifest_are_followed_before_they_have_files() {
    on_large_stack(|| {
        let site = Site::new(&[
            ("catwalk.toml", "nodes = \"nodes\"\n"),
            ("nodes/a.yaml", "{}\n"),
            ("manifests/site.pp", "node default { notify { 'one': } }\n"),
        ]);
        let root = site.path().canonicalize().unwrap();
        let mut following = Following::start(&root);
        let folder = root.join("manifests/new/deep");
        for folder in [root.join("manifests/new"), folder.clone()] {
            std::fs::create_dir(&folder).unwrap();
            following.update(Some(&[folder.parent().unwrap().to_path_buf(), folder]));
            same_as_fresh(&following, &root, &|| "a new folder".to_owned());
        }
        let file = folder.join("more.pp");
        std::fs::write(&file, "notify { 'two': }\n").unwrap();
        let updates = following.update(Some(&[folder, file]));
        same_as_fresh(&following, &root, &|| "a file in a new folder".to_owned());
        assert_eq!(updates.len(), 1);
    });
}

/// Positions move with the code of the exporter and of the collector in one step.
#[test]
fn lines_of_exporters_and_collectors_in_one_file_move_once() {
    on_large_stack(|| {
        let manifest = |text: &str| {
            format!(
                "node a {{\n  @@notify {{ 'exported': message => '{text}' }}\n}}\nnode b {{\n  Notify <<| |>>\n  notify {{ 'own': }}\n}}\n"
            )
        };
        let site = Site::new(&[
            ("catwalk.toml", "nodes = \"nodes\"\n"),
            ("nodes/a.yaml", "{}\n"),
            ("nodes/b.yaml", "{}\n"),
            ("manifests/site.pp", &manifest("1")),
        ]);
        let root = site.path().canonicalize().unwrap();
        let mut following = Following::start(&root);
        for (text, lines) in [("2", "\n"), ("3", "\n\n\n"), ("3", "")] {
            let file = root.join("manifests/site.pp");
            std::fs::write(&file, format!("{lines}{}", manifest(text))).unwrap();
            following.update(Some(&[file]));
            same_as_fresh(&following, &root, &|| format!("{text} after {} lines", lines.len()));
        }
    });
}

fn scripted(root: &Path, step: &str) -> Vec<PathBuf> {
    let (verb, rest) = step.split_once(' ').unwrap();
    let (name, argument) = rest.split_once(": ").unwrap_or((rest, ""));
    let argument = argument.replace("\\n", "\n").replace("\\t", "\t");
    let path = root.join(name);
    let contents = std::fs::read_to_string(&path).unwrap_or_default();
    match verb {
        "write" => write(&path, &argument),
        "append" => write(&path, &format!("{contents}{argument}")),
        "prepend" => write(&path, &format!("{argument}{contents}")),
        "remove" => std::fs::remove_file(&path).unwrap(),
        "edit" => {
            // The code may contain ` => ` too: split at the first one whose left side occurs in the file.
            let at = argument
                .match_indices(" => ")
                .find(|(at, _)| contents.contains(&argument[..*at]) && (argument[..*at].len() > 1));
            let at = at.unwrap_or_else(|| panic!("{step}")).0;
            let (old, new) = (&argument[..at], &argument[at + 4..]);
            write(&path, &contents.replacen(old, new, 1));
        }
        "move" => {
            let (from, to) = name.split_once(' ').unwrap();
            std::fs::rename(root.join(from), root.join(to)).unwrap();
            return vec![root.join(from), root.join(to)];
        }
        other => panic!("{other}"),
    }
    vec![path]
}

#[test]
fn edits_recompile_only_the_nodes_they_affect() {
    on_large_stack(|| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/edits");
        let files = std::fs::read_to_string(folder.join("site.txt")).unwrap();
        let script = std::fs::read_to_string(folder.join("edits.txt")).unwrap();
        let mut current = String::new();
        let mut at = None;
        for line in script.lines().filter(|line| !line.starts_with("=> ")) {
            current.push_str(line);
            current.push('\n');
            if line.starts_with("# ") {
                at = Some(line);
                continue;
            }
            if at.is_none() || line.is_empty() {
                continue;
            }
            let site = tempfile::tempdir().unwrap();
            let root = site.path().canonicalize().unwrap();
            for file in format!("\n{files}").split("\n== ").skip(1) {
                let (name, text) = file.split_once('\n').unwrap();
                write(&root.join(name), &format!("{text}\n"));
            }
            let mut following = Following::start(&root);
            for (name, failure) in following.state.nodes() {
                assert!(failure.is_none(), "{name}: {}", failure.unwrap().message);
            }
            let paths = scripted(&root, line);
            let updates = following.update(Some(&paths));
            same_as_fresh(&following, &root, &|| line.to_owned());
            let mut names: Vec<&str> = updates.iter().map(|update| &*update.certname).collect();
            names.sort_unstable();
            current.push_str(&format!("=> {}\n", if names.is_empty() { "nobody".to_owned() } else { names.join(" ") }));
        }
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(folder.join("edits.txt"), &current).unwrap();
        }
        assert_eq!(current, script);
    });
}

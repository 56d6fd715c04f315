//! Sections of `tests/apply/manifests/*.md`: the manifest, applied twice to a scratch directory, must log the same lines and leave
//! the same tree as `tests/reference/apply` recorded of Puppet.

use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use catwalk_apply as apply;
use catwalk_program::Cache;
use catwalk_resource_api::Level;
use catwalk_resource_api::Log;
use catwalk_system::Machine;
use catwalk_value::Value;
use catwalk_world::Memory;
use catwalk_world::World;
use libtest_mimic::Trial;

use crate::programs;
use crate::sections;
use crate::sections::Answers;
use crate::sections::Section;
use catwalk_base::secrets::SecretCollection;

/// One test for each section of the folder's files. Sections with a block `root` change owners and need root.
pub fn trials(prefix: &str, folder: &Path) -> Vec<Trial> {
    let is_root = rustix::process::geteuid().is_root();
    match is_root {
        true => sections::trials(prefix, folder, answer, |_| false),
        false => sections::trials(prefix, folder, answer, |section| section.text("root").is_some()),
    }
}

/// Collects the lines of a run.
#[derive(Default)]
struct Lines(Vec<String>);

impl Log for Lines {
    fn log(&mut self, level: Level, source: Option<&str>, message: &str) {
        let name = match level {
            Level::Emerg => "Emergency",
            Level::Alert => "Alert",
            Level::Crit => "Critical",
            Level::Err => "Error",
            Level::Warning => "Warning",
            Level::Notice => "Notice",
            Level::Info => "Info",
            Level::Debug => return,
        };
        let source = source.map(|source| format!("{source}: ")).unwrap_or_default();
        self.0.push(format!("{name}: {source}{message}"));
    }

    fn wants(&self, level: Level) -> bool {
        level != Level::Debug
    }
}

struct NoFunctions;

impl apply::Resolver for NoFunctions {
    fn resolve(&mut self, value: &Value, _: &mut dyn Log) -> Result<Value, String> {
        Ok(value.clone())
    }
}

fn answer(section: &Section) -> Answers {
    let scratch = tempfile::TempDir::new().unwrap();
    let dir = scratch.path().join("dir");
    std::fs::create_dir(&dir).unwrap();
    let shell = |script: &str| {
        let script = format!("umask 022; set -e\n{script}");
        assert!(std::process::Command::new("sh").args(["-c", &script]).current_dir(&dir).status().unwrap().success());
    };
    section.text("setup").into_iter().for_each(shell);
    let code = section.text("puppet").unwrap().replace("DIR", dir.to_str().unwrap());
    let mut log = Vec::new();
    let mut state = apply::State::default();
    for run in ["first", "second", "third"].into_iter().filter(|run| *run != "third" || section.text(run).is_some()) {
        section.text(run).into_iter().for_each(shell);
        log.push(format!("{run} run"));
        log.extend(apply_once(section, &code, &dir, &scratch.path().join("bucket"), &mut state));
        // `puppet apply` keeps no state between runs, either.
        if section.text("state").is_none() {
            state = apply::State::default();
        }
    }
    let plain = |text: &str| normalize(&text.replace(dir.to_str().unwrap(), "DIR"));
    let mut tree = Vec::new();
    list(&dir, &dir, &mut tree);
    Answers::from([("log".to_owned(), plain(&log.join("\n"))), ("tree".to_owned(), plain(&tree.join("\n")))])
}

fn apply_once(section: &Section, code: &str, dir: &Path, bucket: &Path, state: &mut apply::State) -> Vec<String> {
    let root = PathBuf::from(programs::ROOT);
    let world: Arc<dyn World> = Arc::new(Memory::new([(root.join("site.pp"), format!("{code}\n"))]));
    let settings = section.settings();
    let cache = Arc::new(Cache::with_options(settings.syntax()));
    let catalog = programs::compile(section, &world, &settings, cache.clone(), &mut Vec::new());
    let catalog = catalog.unwrap_or_else(|error| panic!("{}", error.puppet_text(&cache.sources)));
    let version = settings.version;
    let modules = dir.join("modules");
    let mut kinds = apply::Kinds::new();
    let settings = catwalk_resources::Settings {
        show_diff: section.text("show_diff").is_some(),
        bucket: bucket.to_path_buf(),
        environment: "production".to_owned(),
        version,
        module_files: Box::new(move |name| Some(modules.join(name).join("files"))),
    };
    catwalk_resources::kinds(settings).into_iter().for_each(|kind| kinds.insert(kind));
    let mut lines = Lines::default();
    let mut environment = apply::Environment {
        system: &mut Machine::new().with_launcher(env!("CARGO_BIN_EXE_catwalk").into()),
        log: &mut lines,
        secrets: &SecretCollection::default(),
        resolver: &mut NoFunctions,
        state,
        is_interrupted: &|| false,
        progress: &mut |_, _| {},
    };
    let tags = |name: &str| section.text(name).into_iter().flat_map(|text| text.split(',')).map(str::to_lowercase);
    let options = apply::Options {
        noop: section.text("noop").is_some(),
        tags: tags("tags").collect(),
        skip_tags: tags("skip_tags").collect(),
        version,
        ..apply::Options::default()
    };
    let outcome = apply::apply(&catalog, &kinds, &mut environment, &options);
    // Puppet ends at the first problem.
    lines.0.extend(
        outcome.failure.iter().flat_map(|failure| failure.lines()).take(1).map(|line| format!("Error: {line}")),
    );
    lines.0.retain(|line| !line.starts_with("Info: Applying configuration"));
    lines.0
}

/// The text without parts that differ from run to run.
fn normalize(text: &str) -> String {
    let position = regex::Regex::new(r" \((file: [^()]*, )?line: \d+\)").unwrap();
    let temporary = regex::Regex::new(r"\.catwalk-validate-\d+").unwrap();
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with("--- ") && !line.starts_with("+++ ")) {
        let line = position.replace_all(line, "").into_owned();
        let line = temporary.replace_all(&line, "").replace("Error: Failed to apply catalog: ", "Error: ");
        if lines.last() != Some(&line) {
            lines.push(line.trim_end().to_owned());
        }
    }
    lines.join("\n")
}

/// A line for each file: kind, mode, owner, group, name, contents or target. `tests/reference/apply` prints the same lines.
fn list(top: &Path, dir: &Path, lines: &mut Vec<String>) {
    let mut names: Vec<PathBuf> = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.sort();
    for path in names {
        let meta = std::fs::symlink_metadata(&path).unwrap();
        let name = path.strip_prefix(top).unwrap().display();
        let owner = |id: u32, own: u32| if id == own { "own".to_owned() } else { id.to_string() };
        let (uid, gid) = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
        let owners = format!("{}:{}", owner(meta.uid(), uid), owner(meta.gid(), gid));
        let mode = meta.mode() & 0o7777;
        if meta.is_symlink() {
            lines.push(format!("link {name} -> {}", std::fs::read_link(&path).unwrap().display()));
        } else if meta.is_dir() {
            lines.push(format!("directory {mode:04o} {owners} {name}"));
            list(top, &path, lines);
        } else {
            let contents = std::fs::read(&path).unwrap();
            let contents = String::from_utf8_lossy(&contents).replace('\n', "\\n");
            lines.push(format!("file {mode:04o} {owners} {name} {contents}"));
        }
    }
}

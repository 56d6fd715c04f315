//! Finds the modules that a module depends on: folders of fixtures, `.fixtures.yml`, `modules/`, sibling modules.
//!
//! In: a module's directory. Out: folders and modules; for each dependency of `metadata.json` the command that installs it. Must
//! not: install anything.

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use catwalk_base::source::path::normalize_path;
use catwalk_program::Module;
use catwalk_session::dependencies::Dependency;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_value::data::json;
use catwalk_value::data::yaml;
use catwalk_world::Kind;
use catwalk_world::World;

/// Folders of modules in a module, as in the layouts of common tools for modules.
const FOLDERS: [&str; 3] = ["spec/fixtures/modules", "tests/fixtures/modules", "modules"];
/// The folder that commands install into.
const TARGET: &str = "spec/fixtures/modules";

/// The modules that a module's directory contains or refers to.
#[derive(Debug, Default)]
pub(crate) struct Fixtures {
    /// Directories of modules.
    pub(crate) folders: Vec<PathBuf>,
    /// Modules in directories that `.fixtures.yml` names.
    pub(crate) modules: Vec<Module>,
    /// The dependencies of `metadata.json`, then those of the specs in `.fixtures.yml`.
    pub(crate) dependencies: Vec<Dependency>,
}

/// Finds the modules that a module needs. Unreadable files are ignored.
pub(crate) fn find_fixtures(module: &Module, world: &dyn World) -> Fixtures {
    let root = &module.root;
    let mut folders: Vec<PathBuf> = FOLDERS.iter().map(|folder| root.join(folder)).collect();
    folders.extend(root.parent().filter(|parent| parent.ends_with("modules")).map(Path::to_path_buf));
    folders.retain(|folder| world.kind(folder) == Kind::Directory);
    let fixtures = read(&root.join(".fixtures.yml"), world, |bytes| yaml::parse(bytes).ok());
    let fixtures = fixtures.as_deref().and_then(|all| member(all, "fixtures"));
    let section = |name: &str| fixtures.and_then(|fixtures| member(fixtures, name));
    let entries = |name: &str| section(name).into_iter().flat_map(|section| section.iter());
    let mut modules = Vec::new();
    for (name, entry) in entries("symlinks").chain(entries("repositories")) {
        let (Some(name), Some(location)) = (name.as_str(), entry_location(entry)) else { continue };
        let directory = local_directory(root, location).filter(|path| world.kind(path) == Kind::Directory);
        if let Some(directory) = directory.filter(|directory| directory != root) {
            modules.push(Module::new(Arc::from(name), directory));
        }
    }
    let metadata = read(&root.join("metadata.json"), world, |bytes| json::parse(bytes).ok());
    let dependencies = match metadata.as_deref().and_then(|metadata| metadata.get("dependencies")) {
        Some(Value::Array(dependencies)) => dependencies.clone(),
        _ => Default::default(),
    };
    let metadata_names = dependencies.iter().filter_map(|dependency| match dependency {
        Value::Hash(dependency) => dependency.get("name").and_then(Value::as_str).map(str::to_owned),
        _ => None,
    });
    // Specs need modules that users of the module need not have.
    let repository_names = entries("repositories").map(|(name, _)| name.as_str().map(str::to_owned));
    let forge_names =
        entries("forge_modules").map(|(name, module)| entry_location(module).or(name.as_str()).map(str::to_owned));
    let names = metadata_names.chain(repository_names.flatten()).chain(forge_names.flatten());
    let install = |full: &str, name: &str| {
        let repository = section("repositories").and_then(|section| section.get(name));
        match repository.and_then(|value| Some((value, entry_location(value)?))) {
            Some((value, url)) => clone_command(value, url, name),
            None => format!("puppet module install {} --target-dir {TARGET}", full.replace('/', "-")),
        }
    };
    let mut dependencies: Vec<Dependency> = Vec::new();
    for full in names {
        let name = full.rsplit(['-', '/']).next().unwrap_or(&full);
        if dependencies.iter().all(|dependency| dependency.name != name) {
            dependencies.push(Dependency { name: name.to_owned(), install: install(&full, name) });
        }
    }
    Fixtures { folders, modules, dependencies }
}

fn read(path: &Path, world: &dyn World, parse: impl Fn(&[u8]) -> Option<Value>) -> Option<Arc<Hash>> {
    match parse(&world.read(path).ok()?)? {
        Value::Hash(hash) => Some(hash),
        _ => None,
    }
}

fn member<'a>(hash: &'a Hash, name: &str) -> Option<&'a Hash> {
    match hash.get(name)? {
        Value::Hash(hash) => Some(hash),
        _ => None,
    }
}

/// The path or address of an entry: a string, or the member `repo` of a hash.
fn entry_location(entry: &Value) -> Option<&str> {
    match entry {
        Value::Hash(entry) => entry.get("repo").and_then(Value::as_str),
        entry => entry.as_str(),
    }
}

/// The directory that an entry names; `None` for an address.
fn local_directory(root: &Path, location: &str) -> Option<PathBuf> {
    let path = location.strip_prefix("file://").unwrap_or(location);
    let path = path.replace("#{source_dir}", &root.to_string_lossy());
    let is_address = path.contains("://") || path.contains('@');
    (!is_address).then(|| normalize_path(&root.join(path)))
}

fn clone_command(entry: &Value, url: &str, name: &str) -> String {
    let text = |key: &str| match entry {
        Value::Hash(entry) => entry.get(key).and_then(Value::as_str),
        _ => None,
    };
    let revision = text("branch").or_else(|| text("tag")).or_else(|| text("ref"));
    match revision {
        None => format!("git clone {url} {TARGET}/{name}"),
        // `git clone` takes branches and tags, but no commits.
        Some(commit) if commit.len() == 40 && commit.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
            format!("git clone {url} {TARGET}/{name} && git -C {TARGET}/{name} checkout {commit}")
        }
        Some(branch) => format!("git clone --branch {branch} {url} {TARGET}/{name}"),
    }
}

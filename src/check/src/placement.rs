//! Finds the directory of modules that contains a file to check.
//!
//! In: files, `--modulepath`, the `environment.conf` in their parent directories. Out: a [`Placement`] for each. Must not: read manifests.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::Path;
use std::path::PathBuf;

use catwalk_program::Conf;
use catwalk_program::Settings;
use catwalk_syntax::Placement;
use catwalk_world::Disk;
use catwalk_world::Kind;
use catwalk_world::World;

/// The entries that distinguish a module from a directory of modules.
const PARTS: [&str; 9] =
    ["manifests", "functions", "types", "lib", "templates", "files", "facts.d", "tasks", "metadata.json"];

/// The directories of a module, besides `plans`, from which definitions are loaded.
const LOADED: [&str; 3] = ["manifests", "functions", "types"];

/// The files of a repository or of a project of Bolt.
const PROJECTS: [&str; 3] = ["environment.conf", "Puppetfile", "bolt-project.yaml"];

/// The directories of modules around the files of one directory.
#[derive(Debug, Default)]
struct ModuleDirectories {
    modulepath: Vec<PathBuf>,
    manifest: Option<PathBuf>,
}

/// The directories of modules around files.
#[derive(Debug)]
pub(crate) struct Placements {
    /// `--modulepath`
    modulepath: Option<Vec<PathBuf>>,
    /// The directories of modules by the directory of a file.
    by_directory: HashMap<PathBuf, ModuleDirectories>,
}

impl Placements {
    /// Looks for the directories of modules around these files: those of `--modulepath`; else those that the nearest
    /// `environment.conf` names, if the file is in one of them; else every directory called `modules` in which the file
    /// belongs to a module.
    pub(crate) fn new(files: &[PathBuf], modulepath: Option<&str>, settings: &Settings, world: &Disk) -> Placements {
        let absolute = |list: &str| list.split(':').filter_map(|path| std::path::absolute(path).ok()).collect();
        let mut placements = Placements { modulepath: modulepath.map(absolute), by_directory: HashMap::new() };
        if placements.modulepath.is_some() {
            return placements;
        }
        let mut environments: HashMap<PathBuf, Option<Conf>> = HashMap::new();
        for file in files {
            let Some(directory) = std::path::absolute(file).ok().and_then(|file| file.parent().map(Path::to_path_buf))
            else {
                continue;
            };
            if let Entry::Vacant(entry) = placements.by_directory.entry(directory) {
                let directories = find_module_directories(entry.key(), &mut environments, settings, world);
                entry.insert(directories);
            }
        }
        placements
    }

    /// The definitions that a file may contain.
    pub(crate) fn placement(&self, path: &Path) -> Placement {
        let Ok(path) = std::path::absolute(path) else { return Placement::Anywhere };
        if let Some(directories) = &self.modulepath {
            return Placement::from_path(&path, directories, None);
        }
        let Some(directories) = path.parent().and_then(|directory| self.by_directory.get(directory)) else {
            return Placement::Anywhere;
        };
        // Nothing is autoloaded from the directories of examples and tests; their files are standalone manifests.
        match Placement::from_path(&path, &directories.modulepath, directories.manifest.as_deref()) {
            Placement::Nowhere => Placement::Anywhere,
            placement => placement,
        }
    }
}

fn find_module_directories(
    directory: &Path,
    environments: &mut HashMap<PathBuf, Option<Conf>>,
    settings: &Settings,
    world: &Disk,
) -> ModuleDirectories {
    let root = directory.ancestors().find(|root| world.kind(&root.join("environment.conf")) == Kind::File);
    if let Some(root) = root {
        let conf = environments.entry(root.to_path_buf()).or_insert_with(|| {
            // Mistakes in it are reported by a compile.
            Conf::read(root, "production", settings, world).ok()
        });
        if let Some(conf) = conf
            && conf.modulepath.iter().any(|modules| directory.starts_with(modules))
        {
            return ModuleDirectories { modulepath: conf.modulepath.clone(), manifest: conf.manifest.clone() };
        }
    }
    ModuleDirectories { modulepath: directories_called_modules(directory, world), manifest: None }
}

/// Whether a file is a plan of a module or project, in the language of Bolt: the innermost of its directories that definitions are loaded
/// from is called `plans`, and is not part of a namespace below another one (`manifests/plans/x.pp` is the class `m::plans::x`).
pub(crate) fn is_plan(path: &Path, world: &Disk) -> bool {
    let Ok(path) = std::path::absolute(path) else { return false };
    let is_named = |directory: &&Path, names: &[&str]| names.iter().any(|name| directory.ends_with(name));
    let mut directories = path.ancestors().skip(1);
    let innermost = directories.find(|directory| is_named(directory, &LOADED) || is_named(directory, &["plans"]));
    let is_home = |directory: &Path| is_module(directory, world) || has_any(directory, &PROJECTS, world);
    let is_in_namespace = || {
        let mut above = directories.take_while(|directory| !is_home(directory));
        above.any(|directory| is_named(&directory, &LOADED))
    };
    path.extension().is_some_and(|extension| extension == "pp")
        && innermost.is_some_and(|directory| directory.ends_with("plans"))
        && !is_in_namespace()
}

fn has_any(directory: &Path, names: &[&str], world: &Disk) -> bool {
    names.iter().any(|name| world.kind(&directory.join(name)) != Kind::Missing)
}

fn is_module(directory: &Path, world: &Disk) -> bool {
    has_any(directory, &PARTS, world)
}

/// Every directory called `modules` above a module that this directory belongs to.
fn directories_called_modules(directory: &Path, world: &Disk) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut module = directory;
    for ancestor in directory.ancestors().skip(1) {
        if ancestor.file_name().is_some_and(|name| name == "modules")
            && (is_module(module, world) || has_any(module, &["plans"], world))
        {
            found.push(ancestor.to_path_buf());
        }
        module = ancestor;
    }
    found
}

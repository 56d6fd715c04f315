//! Where things are: `environment.conf`, the modulepath, and the rules that turn names into paths.
//!
//! In: an environment's directory and overrides, a world. Out: [`Environment`]: modules, main manifest, paths to try for
//! a name. Must not: parse manifests, evaluate.

mod conf;

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use indexmap::IndexMap;

use crate::diag::Diagnostic;
use crate::diag::Reason;
use crate::diag::Severity;
use crate::world::Kind;
use crate::world::World;

pub use conf::Conf;

/// A module on the modulepath.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// Its directory's name.
    pub name: Arc<str>,
    /// Its directory.
    pub root: PathBuf,
}

/// An environment: what Puppet calls by that name, found on disk.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// Its name (`production`).
    pub name: Arc<str>,
    /// Its directory: the environment layer of Hiera and `functions/`, `types/` live there.
    pub root: Option<PathBuf>,
    /// Directories of modules, in order.
    pub modulepath: Vec<PathBuf>,
    /// The main manifest: a file or a directory. `None`: there is no code.
    pub manifest: Option<PathBuf>,
    /// The command that gives the catalog version.
    pub config_version: Option<String>,
    /// Modules by name; of two of the same name the first on the modulepath counts.
    pub modules: IndexMap<Arc<str>, Module>,
}

/// What the command line or `catwalk.toml` says over `environment.conf`.
#[derive(Clone, Debug, Default)]
pub struct Overrides {
    /// `--modulepath`
    pub modulepath: Option<Vec<PathBuf>>,
    /// `--manifest`
    pub manifest: Option<PathBuf>,
}

impl Environment {
    /// Reads an environment. Warnings are those the reference logs for `environment.conf`.
    ///
    /// # Errors
    /// The directory or a given manifest is not there; `environment.conf` cannot be read.
    pub fn open(
        name: &str,
        root: Option<&Path>,
        overrides: &Overrides,
        world: &dyn World,
    ) -> Result<(Environment, Vec<Diagnostic>), Reason> {
        let mut warnings = Vec::new();
        let mut conf = Conf::default();
        if let Some(root) = root {
            if world.kind(root) != Kind::Directory {
                return Err(Reason::runtime(format!("Could not find a directory environment at {}", root.display())));
            }
            conf = Conf::read(root, name, world)?;
            warnings.extend(
                conf.warnings
                    .iter()
                    .map(|text| Diagnostic::new(Reason::runtime(text.clone()), None).severity(Severity::Warning)),
            );
        }
        let modulepath = overrides.modulepath.clone().unwrap_or_else(|| conf.modulepath.clone());
        let manifest = overrides.manifest.clone().or_else(|| conf.manifest.clone());
        let modules = find_modules(&modulepath, world);
        let environment = Environment {
            name: Arc::from(name),
            root: root.map(Path::to_path_buf),
            modulepath,
            manifest,
            config_version: conf.config_version,
            modules,
        };
        Ok((environment, warnings))
    }

    /// The module of this name.
    #[must_use]
    pub fn module(&self, name: &str) -> Option<&Module> {
        self.modules.get(name)
    }

    /// The module whose directory holds this file, as the reference tells `$module_name`.
    #[must_use]
    pub fn module_of_path(&self, path: &Path) -> Option<&Module> {
        self.modulepath.iter().find_map(|dir| {
            let rest = path.strip_prefix(dir).ok()?;
            let mut parts = rest.iter();
            let module = parts.next()?.to_str()?;
            parts.next()?;
            self.modules.get(module)
        })
    }

    /// The main manifest's files: the file itself, or all `.pp` files below the directory, sorted by path as text.
    ///
    /// # Errors
    /// The manifest is not there.
    pub fn manifest_files(&self, world: &dyn World) -> Result<Vec<PathBuf>, Reason> {
        let Some(manifest) = &self.manifest else { return Ok(Vec::new()) };
        match world.kind(manifest) {
            Kind::File => Ok(vec![manifest.clone()]),
            Kind::Directory => {
                let mut files = Vec::new();
                collect_manifests(manifest, world, &mut files, 0);
                files.sort_by(|a, b| a.as_os_str().cmp(b.as_os_str()));
                Ok(files)
            }
            // The reference compiles without a main manifest when its default one is not there.
            Kind::Missing => Ok(Vec::new()),
        }
    }

    /// Files that may define the class or define of this name, most specific first: `a::b` is looked for in
    /// `a/manifests/b.pp`, then in `a/manifests/init.pp` (Puppet::Parser::TypeLoader#files_to_try_for).
    #[must_use]
    pub fn manifest_candidates(&self, name: &str) -> Vec<PathBuf> {
        let parts: Vec<&str> = name.split("::").collect();
        let Some(module) = parts.first().and_then(|module| self.module(module)) else { return Vec::new() };
        if parts.iter().any(|part| part.is_empty() || part.contains(['/', '.'])) {
            return Vec::new();
        }
        let manifests = module.root.join("manifests");
        (1..=parts.len())
            .rev()
            .map(|n| match parts.get(1..n) {
                Some([]) | None => manifests.join("init.pp"),
                Some(rest) => manifests.join(format!("{}.pp", rest.join("/"))),
            })
            .collect()
    }

    /// The file of a function in the Puppet language (`kind` `functions`) or of a type alias (`types`).
    #[must_use]
    pub fn definition_file(&self, kind: &str, name: &str) -> Option<PathBuf> {
        let parts: Vec<&str> = name.split("::").collect();
        let (first, rest) = parts.split_first()?;
        if parts.iter().any(|part| part.is_empty() || part.contains(['/', '.'])) || rest.is_empty() {
            return None;
        }
        let root = match (*first, &self.root) {
            ("environment", Some(root)) => root.clone(),
            _ => self.module(first)?.root.clone(),
        };
        Some(root.join(kind).join(format!("{}.pp", rest.join("/"))))
    }

    /// The path of `module/rest` below a module's `files` or `templates`; an absolute path is itself.
    #[must_use]
    pub fn file_in_module(&self, kind: &str, reference: &str) -> Option<PathBuf> {
        if reference.starts_with('/') {
            return Some(PathBuf::from(reference));
        }
        let (module, rest) = reference.split_once('/')?;
        Some(self.module(module)?.root.join(kind).join(rest))
    }
}

fn collect_manifests(dir: &Path, world: &dyn World, files: &mut Vec<PathBuf>, depth: usize) {
    // Links may form a circle.
    if depth > 64 {
        return;
    }
    let Ok(entries) = world.list(dir) else { return };
    for entry in entries.iter().filter(|entry| !entry.name.starts_with('.')) {
        let path = dir.join(entry.name.as_ref());
        match entry.kind {
            Kind::Directory => collect_manifests(&path, world, files, depth + 1),
            Kind::File if entry.name.ends_with(".pp") => files.push(path),
            _ => {}
        }
    }
}

/// The rule of Puppet::Module.is_module_directory_name?: `/^[a-z][a-z0-9_]*$/`.
fn valid_module_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
}

fn find_modules(modulepath: &[PathBuf], world: &dyn World) -> IndexMap<Arc<str>, Module> {
    let mut modules = IndexMap::new();
    for dir in modulepath {
        let Ok(entries) = world.list(dir) else { continue };
        for entry in entries.iter().filter(|entry| entry.kind == Kind::Directory && valid_module_name(&entry.name)) {
            let module = || Module { name: entry.name.clone(), root: dir.join(entry.name.as_ref()) };
            modules.entry(entry.name.clone()).or_insert_with(module);
        }
    }
    modules
}

//! Environments: `environment.conf`, the modulepath, and the rules that turn names into paths.
//!
//! In: an environment's directory and overrides, a world. Out: [`Environment`]: modules, main manifest, paths to try for
//! a name. Must not: parse manifests, evaluate.

mod conf;
pub mod metadata;
mod module_queries;
pub mod setting_definition;
mod settings;
#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use indexmap::IndexMap;

use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::diag::Severity;
use catwalk_base::names::Name;
use catwalk_base::version::Version;
use catwalk_world::Dependency;
use catwalk_world::Descent;
use catwalk_world::Kind;
use catwalk_world::World;

pub use conf::Conf;
pub use module_queries::EnvironmentQueries;
pub use module_queries::ModuleQueries;
pub use module_queries::ModulesChange;
pub use settings::Settings;

/// A module on the modulepath.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// Its directory's name.
    pub name: Arc<str>,
    /// Its directory.
    pub root: PathBuf,
    /// The modules that its metadata lists as dependencies, without their authors, in order.
    pub dependencies: Arc<[Name]>,
}

impl Module {
    /// A module in a directory; its dependencies are read when the environment is opened.
    #[must_use]
    pub fn new(name: Arc<str>, root: PathBuf) -> Module {
        Module { name, root, dependencies: Arc::default() }
    }
}

/// An environment of Puppet, as found on disk.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// Its name (`production`).
    pub name: Arc<str>,
    /// The version of Puppet.
    pub version: Version,
    /// Its directory: the environment layer of Hiera and `functions/`, `types/` live there.
    pub root: Option<PathBuf>,
    /// Directories of modules, in order.
    pub modulepath: Vec<PathBuf>,
    /// The main manifest: a file or a directory. `None`: there is no code.
    pub manifest: Option<PathBuf>,
    /// The command that prints the catalog version.
    pub config_version: Option<String>,
    /// `rich_data`, where its `environment.conf` has it.
    pub rich_data: Option<bool>,
    /// `environment_data_provider`, from before Hiera 5.
    pub data_provider: Option<String>,
    /// Why no catalog is compiled in it (Puppet::Node::Environment#validation_errors).
    pub validation_error: Option<String>,
    /// Modules by name; of two modules with one name, the first on the modulepath wins. A compile uses [`Environment::module`]
    /// and [`Environment::paths_in_modules`], which record what it looked for.
    pub modules: Arc<IndexMap<Arc<str>, Module>>,
    /// Directories on the modulepath that are not used as modules: because of their name, because an earlier module has it, or
    /// because of their metadata. Puppet still loads 3.x functions from their `lib/` (Puppet::Util::ModuleDirectoriesAdapter).
    pub hidden: Vec<PathBuf>,
    /// Modules outside the modulepath that were named individually.
    pub individual_modules: Vec<Module>,
    /// The modules and settings that a compile looked up; each compile has its own.
    pub queries: Arc<ModuleQueries>,
}

/// Folders of a module with functions in Ruby: those of the current API, then 3.x functions.
const RUBY_FUNCTIONS: [&str; 2] = ["lib/puppet/functions", "lib/puppet/parser/functions"];
const RUBY_TYPES: &str = "lib/puppet/datatypes";

/// Options of the command line or `catwalk.toml` that override `environment.conf`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overrides {
    /// `--modulepath`
    pub modulepath: Option<Vec<PathBuf>>,
    /// `--manifest`
    pub manifest: Option<PathBuf>,
    /// Individually named modules, whatever their directories are called; they win over those of the modulepath.
    pub individual_modules: Vec<Module>,
}

impl Environment {
    /// The directories of the environment: its own, those of the modulepath, those of modules. All its files are below one of
    /// them.
    pub fn roots(&self) -> impl Iterator<Item = &Path> {
        let modules = self.modules.values().chain(&self.individual_modules).map(|module| module.root.as_path());
        let directories = self.root.iter().chain(&self.modulepath).chain(&self.hidden).map(PathBuf::as_path);
        directories.chain(modules)
    }

    /// Checks the names of modules: those of Puppet's own loaders end every compile (Puppet::Pops::Loaders#add_loader_by_name).
    ///
    /// # Errors
    /// Returns an error if a module has such a name.
    pub fn check_names(&self) -> Result<(), Reason> {
        match ["puppet_system", "environment"].into_iter().find(|name| self.module(name).is_some()) {
            Some(name) => Err(Reason::runtime(format!("Internal Error: Attempt to redefine loader named '{name}'"))),
            None => Ok(()),
        }
    }

    /// Reads an environment. Warnings are those Puppet logs for `environment.conf` and the metadata of modules.
    ///
    /// # Errors
    /// The directory or a given manifest does not exist; `environment.conf` or metadata cannot be read.
    pub fn open(
        name: &str,
        root: Option<&Path>,
        overrides: &Overrides,
        world: &dyn World,
    ) -> Result<(Environment, Vec<Diagnostic>), Reason> {
        Environment::open_with(name, root, overrides, &Settings::default(), &metadata::MetadataCache::default(), world)
    }

    /// Reads an environment of an installation with these settings; `metadata` caches the metadata of modules.
    ///
    /// # Errors
    /// As [`Environment::open`]; also a name that no environment may have.
    pub fn open_with(
        name: &str,
        root: Option<&Path>,
        overrides: &Overrides,
        settings: &Settings,
        metadata: &metadata::MetadataCache,
        world: &dyn World,
    ) -> Result<(Environment, Vec<Diagnostic>), Reason> {
        let mut warnings = Vec::new();
        let mut conf = Conf::default();
        if let Some(root) = root {
            if world.kind(root) != Kind::Directory {
                return Err(Reason::runtime(format!("Could not find a directory environment at {}", root.display())));
            }
            conf = Conf::read(root, name, settings, world)?;
            let note =
                |text: &String, severity| Diagnostic::new(Reason::runtime(text.clone()), None).severity(severity);
            // These errors are about the default manifest, which an override replaces.
            let errors = conf.errors.iter().filter(|_| overrides.manifest.is_none());
            warnings.extend(errors.map(|text| note(text, Severity::Error)));
            warnings.extend(conf.warnings.iter().map(|text| note(text, Severity::Warning)));
        }
        let mut modulepath = overrides.modulepath.clone().unwrap_or_else(|| conf.modulepath.clone());
        if let Some(libraries) = world.env("PUPPETLIB") {
            // Puppet::Node::Environment.extralibs
            modulepath.splice(0..0, libraries.split(':').filter(|part| !part.is_empty()).map(PathBuf::from));
        }
        let manifest = overrides.manifest.clone().or_else(|| conf.manifest.clone());
        let (mut modules, mut hidden) = find_modules(&modulepath, world);
        for module in &overrides.individual_modules {
            modules.insert(module.name.clone(), module.clone());
        }
        hidden.extend(metadata.apply(&mut modules, settings, world, &mut warnings)?);
        let environment = Environment {
            name: Arc::from(name),
            version: settings.version,
            root: root.map(Path::to_path_buf),
            modulepath,
            manifest,
            config_version: conf.config_version,
            rich_data: conf.rich_data,
            data_provider: conf.data_provider,
            validation_error: conf.validation_error,
            modules: Arc::new(modules),
            hidden,
            individual_modules: overrides.individual_modules.clone(),
            queries: Arc::default(),
        };
        Ok((environment, warnings))
    }

    /// The module of this name.
    #[must_use]
    pub fn module(&self, name: &str) -> Option<&Module> {
        self.queries.record_module(name);
        self.modules.get(name)
    }

    /// A copy for one compile, with its own record of what it looks up.
    #[must_use]
    pub fn for_compile(&self) -> Environment {
        Environment { queries: Arc::default(), ..self.clone() }
    }

    /// This path below each module, in order.
    pub fn paths_in_modules(&self, relative: &str) -> impl Iterator<Item = PathBuf> {
        self.queries.record_module_path(relative);
        self.modules.values().map(move |module| module.root.join(relative))
    }

    /// The module whose directory holds this file, which is how Puppet sets `$module_name`.
    #[must_use]
    pub fn module_of_path(&self, path: &Path) -> Option<&Module> {
        if let Some(module) = self.individual_modules.iter().find(|module| path.starts_with(&module.root)) {
            return Some(module);
        }
        self.modulepath.iter().find_map(|dir| {
            let rest = path.strip_prefix(dir).ok()?;
            let mut parts = rest.iter();
            let module = parts.next()?.to_str()?;
            parts.next()?;
            self.module(module)
        })
    }

    /// The main manifest's files: the file itself, or all `.pp` files below the directory, sorted by path as a string.
    ///
    /// # Errors
    /// The manifest does not exist.
    pub fn manifest_files(&self, world: &dyn World) -> Result<Vec<PathBuf>, Reason> {
        let Some(manifest) = &self.manifest else { return Ok(Vec::new()) };
        // The session compares which files a directory holds.
        let is_folder = world.list_for(manifest, Dependency::ComparedByCaller).is_ok();
        match if is_folder { Kind::Directory } else { world.kind(manifest) } {
            Kind::File => Ok(vec![manifest.clone()]),
            Kind::Directory => {
                let (mut files, mut folders) = (Vec::new(), Vec::new());
                collect_manifests(manifest, world, &mut Descent::default(), &mut files, &mut folders);
                folders.sort();
                world.record_reads(&std::sync::Arc::from(folders), Dependency::ComparedByCaller);
                files.sort_by(|a, b| a.as_os_str().cmp(b.as_os_str()));
                Ok(files)
            }
            // Puppet tries the name with `.pp`, then compiles without a main manifest.
            Kind::Missing => {
                let mut name = manifest.clone().into_os_string();
                name.push(".pp");
                let named = PathBuf::from(name);
                let found = manifest.extension().is_none_or(|end| end != "pp") && world.kind(&named) == Kind::File;
                Ok(if found { vec![named] } else { Vec::new() })
            }
        }
    }

    /// Files that may define the class or define of this name, in the order Puppet loads them: `a::b::c` is looked for in
    /// `a/manifests/init.pp`, which is always loaded first (Puppet::Module#match_manifests), in `b/c.pp`, then in `b.pp`
    /// (Puppet::Parser::TypeLoader#files_to_try_for).
    #[must_use]
    pub(crate) fn manifest_candidates(&self, name: &str) -> Vec<PathBuf> {
        let Some((module, rest)) = self.module_parts(name) else { return Vec::new() };
        let manifests = module.root.join("manifests");
        let file = |parts: &[&str]| manifests.join(format!("{}.pp", parts.join("/")));
        let specific = (1..=rest.len()).rev().filter_map(|n| rest.get(..n)).map(file);
        std::iter::once(manifests.join("init.pp")).chain(specific).collect()
    }

    /// The file of a function in the Puppet language (`kind` `functions`) or of a type alias (`types`):
    /// `<module>/types/b/c.pp` for `a::b::c`. Of the environment itself come names without a namespace and those in the
    /// namespace `environment`, whose files are in a folder of that name (`functions/environment/f.pp`).
    #[must_use]
    pub(crate) fn definition_file(&self, kind: &str, name: &str) -> Option<PathBuf> {
        let parts: Vec<&str> = name.split("::").collect();
        if parts.iter().any(|part| part.is_empty() || part.contains(['/', '.'])) {
            return None;
        }
        if parts.len() == 1 || parts.first() == Some(&"environment") {
            let root = self.root.as_ref()?;
            return Some(root.join(kind).join(format!("{}.pp", parts.join("/"))));
        }
        let (module, rest) = self.module_parts(name)?;
        Some(module.root.join(kind).join(format!("{}.pp", rest.join("/"))))
    }

    /// The file of the type set that has a module's name.
    #[must_use]
    pub(crate) fn type_set_file(&self, name: &str) -> Option<PathBuf> {
        if name.contains("::") {
            return None;
        }
        self.module(name).map(|module| module.root.join("types").join("init_typeset.pp"))
    }

    /// Records the modules that decide where a function in Ruby is looked for.
    pub(crate) fn record_ruby_function_query(&self, name: &str) {
        match name.split_once("::") {
            Some((module, _)) => drop(self.module(module)),
            None => {
                RUBY_FUNCTIONS.iter().for_each(|folder| self.queries.record_module_path(&format!("{folder}/{name}.rb")))
            }
        }
    }

    /// Files that may define a data type in Ruby, in the order Puppet tries them: with a namespace only in the module of that
    /// name, else in every module. (`LoaderPaths::DataTypePath`)
    #[must_use]
    pub(crate) fn ruby_type_files(&self, name: &str) -> Vec<PathBuf> {
        let parts: Vec<&str> = name.split("::").collect();
        if parts.iter().any(|part| part.is_empty() || part.contains(['/', '.'])) {
            return Vec::new();
        }
        let path = format!("{RUBY_TYPES}/{}.rb", parts.join("/"));
        let own = self.root.iter().map(|root| root.join(&path));
        match parts.as_slice() {
            [_] => own.chain(self.paths_in_modules(&path)).collect(),
            ["environment", ..] => own.collect(),
            [first, ..] => self.module(first).map(|module| module.root.join(&path)).into_iter().collect(),
            [] => Vec::new(),
        }
    }

    /// The folders, existing or not, in which a function in Ruby without a namespace is looked for, in the order Puppet tries
    /// them.
    #[must_use]
    pub(crate) fn ruby_function_folders(&self) -> Vec<PathBuf> {
        let below = |root: &Path| RUBY_FUNCTIONS.map(|folder| root.join(folder));
        let own = self.root.iter().flat_map(|root| below(root));
        let hidden = self.hidden.iter().map(|root| root.join("lib/puppet/parser/functions"));
        own.chain(self.modules.values().flat_map(|module| below(&module.root))).chain(hidden).collect()
    }

    /// Files that may define a function in Ruby, in the order Puppet tries them: with a namespace only in the module of that
    /// name, else in every module; the current API before the 3.x API.
    #[must_use]
    pub(crate) fn ruby_function_files(&self, name: &str) -> Vec<PathBuf> {
        let parts: Vec<&str> = name.split("::").collect();
        if parts.iter().any(|part| part.is_empty() || part.contains(['/', '.'])) {
            return Vec::new();
        }
        self.record_ruby_function_query(name);
        let path = format!("{}.rb", parts.join("/"));
        let folders = RUBY_FUNCTIONS.map(|folder| format!("{folder}/{path}"));
        let below = |root: &Path| folders.each_ref().map(|relative| root.join(relative));
        let files = |module: &Module| below(&module.root);
        let own = self.root.iter().flat_map(|root| below(root));
        match parts.as_slice() {
            [_] => {
                let hidden = self.hidden.iter().map(|root| root.join("lib/puppet/parser/functions").join(&path));
                own.chain(self.modules.values().flat_map(files)).chain(hidden).collect()
            }
            ["environment", ..] => own.collect(),
            [first, ..] => self.module(first).into_iter().flat_map(files).collect(),
            [] => Vec::new(),
        }
    }

    /// The module of a name and the segments behind its first.
    fn module_parts<'n>(&self, name: &'n str) -> Option<(&Module, Vec<&'n str>)> {
        let mut parts = name.split("::");
        let module = self.module(parts.next()?)?;
        let rest: Vec<&str> = parts.collect();
        let odd = rest.iter().any(|part| part.is_empty() || part.contains(['/', '.']));
        (!odd).then_some((module, rest))
    }

    /// The file of a template reference (`Puppet::Parser::Files.find_template`), if it exists. `epp` also tries the name with
    /// `.epp`.
    #[must_use]
    pub fn template_file(&self, reference: &str, epp: bool, world: &dyn World) -> Option<PathBuf> {
        let exists = |path: &PathBuf| world.kind(path) != Kind::Missing;
        // `epp` appends the extension unless the name is already the path of a file.
        let plain = !epp || reference.ends_with(".epp") || exists(&PathBuf::from(reference));
        let reference = if plain { reference.to_owned() } else { format!("{reference}.epp") };
        self.file_in_module("templates", &reference).filter(exists)
    }

    /// The path of `module/rest` below a module's `files` or `templates`; an absolute path is itself.
    #[must_use]
    pub fn file_in_module(&self, kind: &str, reference: &str) -> Option<PathBuf> {
        if reference.starts_with('/') {
            return Some(PathBuf::from(reference));
        }
        let (module, rest) = reference.split_once('/')?;
        // As `File.join`: more slashes between the two are one.
        Some(self.module(module)?.root.join(kind).join(rest.trim_start_matches('/')))
    }
}

/// The manifests below a directory. As in Puppet, links to directories are not followed.
fn collect_manifests(
    dir: &Path,
    world: &dyn World,
    descent: &mut Descent,
    files: &mut Vec<PathBuf>,
    folders: &mut Vec<OsString>,
) {
    folders.push(dir.as_os_str().to_owned());
    let Ok(entries) = world.list_for(dir, Dependency::ComparedByCaller) else { return };
    for entry in entries.iter().filter(|entry| !entry.name.starts_with('.')) {
        let path = dir.join(entry.name.as_ref());
        match entry.kind {
            Kind::Directory if descent.enters_unlinked(entry) => {
                collect_manifests(&path, world, descent, files, folders);
            }
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

/// Modules by name, and the other directories.
fn find_modules(modulepath: &[PathBuf], world: &dyn World) -> (IndexMap<Arc<str>, Module>, Vec<PathBuf>) {
    let (mut modules, mut hidden) = (IndexMap::new(), Vec::new());
    for dir in modulepath {
        let Ok(entries) = world.list(dir) else { continue };
        for entry in entries.iter().filter(|entry| entry.kind == Kind::Directory) {
            let root = dir.join(entry.name.as_ref());
            if valid_module_name(&entry.name) && !modules.contains_key(&entry.name) {
                modules.insert(entry.name.clone(), Module::new(entry.name.clone(), root));
            } else if !entry.name.starts_with('.') {
                hidden.push(root);
            }
        }
    }
    (modules, hidden)
}

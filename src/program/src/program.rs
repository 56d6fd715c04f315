//! The definitions of manifests, by name; files are found and parsed on demand.
//!
//! In: environment, world, parse cache. Out: [`Definition`]s that live as long as the program. Must not: evaluate.
//!
//! One [`Program`] serves one compile. ParsedSource files are shared between compiles through the [`Cache`]; the program
//! keeps each file it used alive and only ever adds files, so that references into trees stay valid.

mod cache;
mod contents;
mod discovery;
mod file_use;
mod find;
mod index;
mod layout;
mod parsed;
mod prefetch;
mod ruby_use;
mod sources;
mod uses;

use std::cell::Cell;
use std::cell::RefCell;
use std::ffi::OsString;
use std::ops::Range;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use elsa::FrozenVec;
use rustc_hash::FxHashSet;

pub use cache::Cache;
pub use discovery::DiscoveryCache;
pub use discovery::SharedType;
pub(crate) use discovery::SharedTypes;
pub use file_use::CodePart;
pub use file_use::Use;
pub use layout::MovedLines;
pub use parsed::ParsedSource;
pub use prefetch::Prefetcher;
pub use ruby_use::RubyUse;

use crate::environment::Environment;
use crate::program::index::DefinitionId;
use crate::program::index::Index;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::names::Name;
use catwalk_base::source::SourceMap;
use catwalk_base::source::Span;
use catwalk_syntax::ast::Definition;
use catwalk_syntax::ast::DefinitionKind;
use catwalk_syntax::ast::File;
use catwalk_value::data::yaml_cache::YamlCache;
use catwalk_world::Dependency;
use catwalk_world::World;
pub use sources::RubyFunctionFile;

/// Definitions by name.
pub struct Program {
    /// The sources of everything parsed.
    pub sources: SourceMap,
    /// The environment whose files are loaded.
    pub environment: Arc<Environment>,
    world: Arc<dyn World>,
    cache: Arc<Cache>,
    discovery: Arc<DiscoveryCache>,
    files: FrozenVec<Arc<File>>,
    /// Those files as parsed, and the definitions that were used.
    parsed: RefCell<Vec<Arc<ParsedSource>>>,
    used: RefCell<FxHashSet<(usize, usize)>>,
    ruby: RefCell<ruby_use::Uses>,
    /// Names of definitions that were looked for, existing or not.
    searched_names: RefCell<FxHashSet<Name>>,
    uses_positions: Cell<bool>,
    index: RefCell<Index>,
    main: Vec<usize>,
    /// The first duplicate names in the main manifest.
    clashes: find::Clashes,
    warnings: RefCell<Vec<Diagnostic>>,
    prefetcher: Option<Prefetcher>,
}

/// The result of loading a file, which may be unreadable or have errors.
pub type LoadResult<T> = Result<T, Box<Diagnostic>>;

/// The definitions of a program at one time, for [`Program::restore`].
#[derive(Clone, Debug)]
pub struct Checkpoint(Index);

/// The kinds of definitions that are looked up by name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum LookupKind {
    Class,
    Define,
    Function,
    TypeAlias,
}

impl Program {
    /// A program that starts with the main manifest: `code` if given (`--execute`), else the environment's manifest.
    ///
    /// # Errors
    /// The main manifest cannot be read or does not parse.
    pub fn load(
        environment: Arc<Environment>,
        world: Arc<dyn World>,
        cache: Arc<Cache>,
        code: Option<&str>,
    ) -> LoadResult<Program> {
        Program::load_with(environment, world, cache, code, None)
    }

    /// Loads the main manifest; `prefetcher` reads files that the program may need.
    ///
    /// # Errors
    /// The main manifest cannot be read or does not parse.
    pub fn load_with(
        environment: Arc<Environment>,
        world: Arc<dyn World>,
        cache: Arc<Cache>,
        code: Option<&str>,
        prefetcher: Option<Prefetcher>,
    ) -> LoadResult<Program> {
        let mut program = Program {
            sources: cache.sources.clone(),
            environment,
            world,
            cache,
            discovery: Arc::default(),
            files: FrozenVec::new(),
            parsed: RefCell::default(),
            used: RefCell::default(),
            ruby: RefCell::default(),
            searched_names: RefCell::default(),
            uses_positions: Cell::new(false),
            index: RefCell::default(),
            main: Vec::new(),
            clashes: find::Clashes::default(),
            warnings: RefCell::default(),
            prefetcher,
        };
        program.environment.check_names()?;
        if let Some(why) = &program.environment.validation_error {
            return Err(Box::from(Reason::runtime(format!(
                "Compilation has been halted because: {why} For more information, see {}",
                program.environment.version.documentation("environments_about")
            ))));
        }
        if let Some(code) = code {
            let parsed = program.cache.parse_string(code, false);
            let (file, clashes) = program.add_file_with_clashes(&parsed)?;
            program.main.push(file);
            program.clashes = clashes;
            return Ok(program);
        }
        program.load_main_manifest()?;
        Ok(program)
    }

    /// Loads the files of the environment's main manifest.
    fn load_main_manifest(&mut self) -> LoadResult<()> {
        let paths = self.environment.manifest_files(self.world.as_ref())?;
        let mut listed: Vec<OsString> = paths.iter().map(|path| path.clone().into_os_string()).collect();
        listed.sort_unstable();
        self.world.record_reads(&Arc::from(listed), Dependency::ComparedByCaller);
        for path in &paths {
            let loaded = self.load_main(path).inspect_err(|_| {
                // Without a program, no record shows what was used of the files.
                for path in &paths {
                    let _ = self.world.read(path);
                }
            });
            // Messages about the files before the one that fails come first.
            let (file, clashes) = loaded.map_err(|mut failure| {
                let mut messages = self.warnings.take();
                messages.append(&mut failure.summarized);
                failure.summarized = messages;
                failure
            })?;
            self.main.push(file);
            self.clashes.at_instantiation = self.clashes.at_instantiation.take().or(clashes.at_instantiation);
            self.clashes.after_instantiation = self.clashes.after_instantiation.take().or(clashes.after_instantiation);
        }
        Ok(())
    }

    /// Shares the discoveries of other compiles of the same environment. The files must be unchanged since.
    pub fn share(&mut self, discovery: Arc<DiscoveryCache>) {
        self.discovery = discovery;
    }

    /// Types of the environment's code that need no compile to be known.
    #[must_use]
    pub fn shared_types(&self) -> &SharedTypes {
        &self.discovery.types
    }

    /// The class of this name (any case, leading `::` allowed), loaded from its module when it is not known yet.
    ///
    /// # Errors
    /// Its file does not parse.
    pub fn class(&self, name: Name) -> LoadResult<Option<&Definition>> {
        self.find(LookupKind::Class, name)
    }

    /// The defined type of this name, loaded like a class.
    ///
    /// # Errors
    ///
    /// Its file does not parse.
    pub fn define(&self, name: Name) -> LoadResult<Option<&Definition>> {
        self.find(LookupKind::Define, name)
    }

    /// The function of this name that the main manifest defines; it comes before those of the language.
    #[must_use]
    pub fn main_manifest_function(&self, name: Name) -> Option<&Definition> {
        let index = self.index.borrow();
        let id = index.plain_functions.then(|| index.get(LookupKind::Function, name)).flatten()?;
        (!name.contains("::")).then(|| self.use_definition(id)).flatten()
    }

    /// The function of this name in the Puppet language, loaded like a class.
    ///
    /// # Errors
    ///
    /// Its file does not parse.
    pub fn function(&self, name: Name) -> LoadResult<Option<&Definition>> {
        self.find(LookupKind::Function, name)
    }

    /// The type alias of this name, loaded like a class.
    ///
    /// # Errors
    ///
    /// Its file does not parse.
    pub fn type_alias(&self, name: Name) -> LoadResult<Option<&Definition>> {
        self.find(LookupKind::TypeAlias, name)
    }

    /// The module a definition or expression belongs to, by its file: `ntp` for `…/modules/ntp/manifests/init.pp`;
    /// `None` in the main manifest.
    #[must_use]
    pub fn module_of(&self, span: Span) -> Option<Name> {
        if let Some(known) = self.index.borrow().modules.get(&span.file) {
            return *known;
        }
        let module = self.discovery.module(span.file, || {
            let source = self.sources.get(span.file)?;
            let module = source.path.as_deref().and_then(|path| self.environment.module_of_path(path));
            module.map(|module| Name::new(&module.name))
        });
        self.index.borrow_mut().modules.insert(span.file, module);
        module
    }

    /// The root directory of a module.
    #[must_use]
    pub fn module_root(&self, module: &str) -> Option<PathBuf> {
        self.environment.module(module).map(|module| module.root.clone())
    }

    /// Fails when two classes, or a class and a define, of the main manifest have one name.
    ///
    /// # Errors
    /// Returns the first duplicate name.
    pub fn check_names(&self) -> LoadResult<()> {
        self.clashes.after_instantiation.clone().map_or(Ok(()), Err)
    }

    /// Fails when this definition of the main manifest is the first that has the name of an earlier define, type or function.
    ///
    /// # Errors
    ///
    /// The name is a duplicate.
    pub fn check_instantiation(&self, file: usize, definition: usize) -> LoadResult<()> {
        match &self.clashes.at_instantiation {
            Some((id, clash)) if (id.file, id.definition) == (file, definition) => Err(clash.clone()),
            _ => Ok(()),
        }
    }

    /// How many files the main manifest has; they are the first that are loaded.
    #[must_use]
    pub fn main_count(&self) -> usize {
        self.main.len()
    }

    /// The main manifest's files in order: their top-level code is evaluated in this order.
    #[must_use]
    pub fn main(&self) -> Vec<&File> {
        self.main.iter().filter_map(|at| self.files.get(*at)).collect()
    }

    /// Node definitions in order of appearance.
    #[must_use]
    pub fn nodes(&self) -> Vec<&Definition> {
        let index = self.index.borrow();
        index.nodes.iter().filter_map(|id| self.definition(*id)).collect()
    }

    /// The class of this name if a file that was read defines it; nothing is loaded.
    #[must_use]
    pub fn loaded_class(&self, name: Name) -> Option<&Definition> {
        self.searched_names.borrow_mut().insert(name.normalized());
        let id = self.index.borrow().get(LookupKind::Class, name)?;
        self.use_definition(id)
    }

    /// Whether a file that was read defines a type alias of this name; nothing is loaded.
    #[must_use]
    pub fn has_alias(&self, name: Name) -> bool {
        self.index.borrow().get(LookupKind::TypeAlias, name).is_some()
    }

    /// Whether a file that was read, or a manifest named like it, may define a defined type of this name.
    #[must_use]
    pub fn may_define(&self, name: Name) -> bool {
        self.searched_names.borrow_mut().insert(name.normalized());
        self.index.borrow().get(LookupKind::Define, name).is_some()
            || self
                .environment
                .definition_file("manifests", &name)
                .is_some_and(|path| self.world.kind(&path) == catwalk_world::Kind::File)
    }

    /// Loads a manifest in addition to the main manifest and adds its definitions.
    ///
    /// # Errors
    /// The manifest cannot be read or does not parse.
    pub fn manifest(&self, path: &Path) -> LoadResult<&File> {
        let at = self.load_file(path)?;
        self.file(at)
    }

    /// The current definitions, for [`Program::restore`].
    #[must_use]
    pub fn checkpoint(&self) -> Checkpoint {
        Checkpoint(self.index.borrow().clone())
    }

    /// Forgets the definitions that were added since. Their files stay loaded.
    pub fn restore(&self, checkpoint: &Checkpoint) {
        self.index.replace(checkpoint.0.clone());
    }

    /// How many files were loaded.
    #[must_use]
    pub fn file_count(&self) -> usize {
        self.files.len()
    }

    /// Names of all definitions of loaded files: classes, defined types, functions, type aliases.
    #[must_use]
    pub fn names(&self) -> [Vec<Name>; 4] {
        self.index.borrow().names()
    }

    /// Parses an ERB template given as a string (`inline_template`).
    #[must_use]
    pub fn erb_string(&self, text: &str) -> Arc<cache::Template> {
        self.cache.erb_string(text)
    }

    /// The cache of YAML documents that code parses.
    #[must_use]
    pub fn yaml(&self) -> &YamlCache {
        &self.cache.yaml
    }

    /// Warnings of the parser for all files loaded since the last call.
    #[must_use]
    pub fn take_warnings(&self) -> Vec<Diagnostic> {
        std::mem::take(&mut self.warnings.borrow_mut())
    }

    /// The file that was loaded as the `at`-th.
    #[must_use]
    pub fn loaded(&self, at: usize) -> Option<&File> {
        self.files.get(at)
    }

    /// Removes the classes, defines and nodes of some files, which stay loaded, and returns their definitions.
    pub fn forget(&self, files: Range<usize>) -> impl Iterator<Item = &Definition> {
        self.index.borrow_mut().forget(&files);
        for parsed in self.parsed.borrow().get(files.clone()).unwrap_or_default() {
            // A change anywhere in the file may correct it.
            if let Some(path) = parsed.path() {
                let _ = self.world.read(path);
            }
        }
        files
            .filter_map(|at| self.files.get(at))
            .flat_map(|file| file.definitions.iter().map(|definition| &**definition))
    }

    fn file(&self, at: usize) -> LoadResult<&File> {
        self.files.get(at).ok_or_else(|| Box::from(Reason::runtime("file is not loaded")))
    }

    fn use_definition(&self, id: DefinitionId) -> Option<&Definition> {
        self.used.borrow_mut().insert((id.file, id.definition));
        self.definition(id)
    }

    fn definition(&self, id: DefinitionId) -> Option<&Definition> {
        self.files.get(id.file)?.definitions.get(id.definition).map(|definition| &**definition)
    }

    /// The number of resources of the environment's last compile, as an estimate for the next.
    #[must_use]
    pub fn expected_resources(&self) -> usize {
        self.discovery.resources.load(Ordering::Relaxed)
    }

    /// Records how many resources a compile had.
    pub fn record_resource_count(&self, resources: usize) {
        self.discovery.resources.store(resources, Ordering::Relaxed);
    }
}

impl LookupKind {
    fn from_definition(kind: &DefinitionKind) -> Option<LookupKind> {
        match kind {
            DefinitionKind::Class(_) => Some(LookupKind::Class),
            DefinitionKind::Define(_) => Some(LookupKind::Define),
            DefinitionKind::Function(_) => Some(LookupKind::Function),
            DefinitionKind::TypeAlias(_) => Some(LookupKind::TypeAlias),
            _ => None,
        }
    }
}

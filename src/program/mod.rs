//! What manifests define, by name; files are found, parsed and kept on demand.
//!
//! In: environment, world, parse cache. Out: [`Definition`]s that live as long as the program. Must not: evaluate.
//!
//! One [`Program`] serves one compile. Parsed files are shared between compiles through the [`Cache`]; the program
//! keeps each file it used alive and only ever adds files, so that references into trees stay valid.

mod ahead;
mod cache;
mod contents;
mod index;
mod known;
mod layout;
mod ruby_use;

use std::cell::Cell;
use std::cell::RefCell;
use std::ffi::OsString;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use elsa::FrozenVec;
use rustc_hash::FxHashSet;

pub use ahead::Ahead;
pub use cache::Cache;
pub use cache::Parsed;
pub use known::Known;
pub use known::SharedType;
pub use known::SharedTypes;
pub use layout::Moved;
pub use layout::Use;
pub use ruby_use::RubyUse;

use crate::diag::Code;
use crate::diag::Diagnostic;
use crate::diag::Reason;
use crate::diag::Severity;
use crate::environment::Environment;
use crate::environment::metadata;
use crate::names::Name;
use crate::program::index::Index;
use crate::program::index::Place;
use crate::source::SourceMap;
use crate::source::Span;
use crate::syntax;
use crate::syntax::Placement;
use crate::syntax::ast::Definition;
use crate::syntax::ast::DefinitionKind;
use crate::syntax::ast::File;
use crate::world::World;

/// Definitions by name.
pub struct Program {
    /// Places of everything parsed.
    pub sources: SourceMap,
    /// Where things are.
    pub environment: Arc<Environment>,
    world: Arc<dyn World>,
    cache: Arc<Cache>,
    known: Arc<Known>,
    files: FrozenVec<Arc<File>>,
    /// The same with what belongs to them, and the definitions that were used.
    parsed: RefCell<Vec<Arc<Parsed>>>,
    used: RefCell<FxHashSet<(usize, usize)>>,
    ruby: RefCell<ruby_use::Uses>,
    /// Names of definitions that were looked for, there or not.
    asked: RefCell<FxHashSet<Name>>,
    places: Cell<bool>,
    index: RefCell<Index>,
    main: Vec<usize>,
    /// The first clash of names in the main manifest that is told when the types of its parameters are known.
    clash: Option<Box<Diagnostic>>,
    warnings: RefCell<Vec<Diagnostic>>,
    ahead: Option<Ahead>,
}

/// A file that was wanted and has errors, or cannot be read.
pub type LoadResult<T> = Result<T, Box<Diagnostic>>;

/// What a program defined at some time.
#[derive(Clone, Debug)]
pub struct Checkpoint(Index);

/// The code of failures over a file that was loaded for a function or type and does not hold it, or more. They have no
/// place of their own.
pub const UNUSABLE_FILE: Code = Code("UNUSABLE_FILE");

/// The kinds of definitions that are looked up by name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Wanted {
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

    /// The same; `ahead` reads files that the program may need.
    ///
    /// # Errors
    /// The main manifest cannot be read or does not parse.
    pub fn load_with(
        environment: Arc<Environment>,
        world: Arc<dyn World>,
        cache: Arc<Cache>,
        code: Option<&str>,
        ahead: Option<Ahead>,
    ) -> LoadResult<Program> {
        let mut program = Program {
            sources: cache.sources.clone(),
            environment,
            world,
            cache,
            known: Arc::default(),
            files: FrozenVec::new(),
            parsed: RefCell::default(),
            used: RefCell::default(),
            ruby: RefCell::default(),
            asked: RefCell::default(),
            places: Cell::new(false),
            index: RefCell::default(),
            main: Vec::new(),
            clash: None,
            warnings: RefCell::default(),
            ahead,
        };
        let unplaced = |reason| Box::new(Diagnostic::new(reason, None));
        program.environment.check_names().map_err(unplaced)?;
        if let Some(code) = code {
            let parsed = program.cache.parse_text(code, false);
            let (file, clash) = program.keep_all(&parsed)?;
            program.main.push(file);
            program.clash = clash;
            return Ok(program);
        }
        let paths = program.environment.manifest_files(program.world.as_ref()).map_err(unplaced)?;
        let mut listed: Vec<OsString> = paths.iter().map(|path| path.clone().into_os_string()).collect();
        listed.sort_unstable();
        program.world.touch_elsewhere(&Arc::from(listed));
        for path in &paths {
            let loaded = program.load_main(path).inspect_err(|_| {
                // Without a program nobody tells what was used of the files.
                for path in &paths {
                    let _ = program.world.read(path);
                }
            });
            // What was said of the files before the one that fails comes first.
            let (file, clash) = loaded.map_err(|mut failure| {
                let mut said = program.warnings.take();
                said.append(&mut failure.several);
                failure.several = said;
                failure
            })?;
            program.main.push(file);
            program.clash = program.clash.or(clash);
        }
        Ok(program)
    }

    /// Uses what other compiles of the same environment know of its files. They must be unchanged since.
    pub fn share(&mut self, known: Arc<Known>) {
        self.known = known;
    }

    /// Types of the environment's code that need no compile to be known.
    #[must_use]
    pub fn shared_types(&self) -> &SharedTypes {
        &self.known.types
    }

    /// The class of this name (any case, leading `::` allowed), loaded from its module when it is not known yet.
    ///
    /// # Errors
    /// Its file does not parse.
    pub fn class(&self, name: Name) -> LoadResult<Option<&Definition>> {
        self.find(Wanted::Class, name)
    }

    /// The defined type of this name, likewise.
    ///
    /// # Errors
    /// Its file does not parse.
    pub fn define(&self, name: Name) -> LoadResult<Option<&Definition>> {
        self.find(Wanted::Define, name)
    }

    /// The function of this name that the main manifest defines; it comes before those of the language.
    #[must_use]
    pub fn own_function(&self, name: Name) -> Option<&Definition> {
        let index = self.index.borrow();
        let place = index.plain_functions.then(|| index.get(Wanted::Function, name)).flatten()?;
        (!name.contains("::")).then(|| self.at(place)).flatten()
    }

    /// The function in the Puppet language of this name, likewise.
    ///
    /// # Errors
    /// Its file does not parse.
    pub fn function(&self, name: Name) -> LoadResult<Option<&Definition>> {
        self.find(Wanted::Function, name)
    }

    /// The type alias of this name, likewise.
    ///
    /// # Errors
    /// Its file does not parse.
    pub fn type_alias(&self, name: Name) -> LoadResult<Option<&Definition>> {
        self.find(Wanted::TypeAlias, name)
    }

    /// The module a definition or expression belongs to, by its file: `ntp` for `…/modules/ntp/manifests/init.pp`;
    /// `None` in the main manifest.
    #[must_use]
    pub fn module_of(&self, span: Span) -> Option<Name> {
        if let Some(known) = self.index.borrow().modules.get(&span.file) {
            return *known;
        }
        let module = self.known.module(span.file, || {
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
    /// The first such clash.
    pub fn check_names(&self) -> LoadResult<()> {
        self.clash.clone().map_or(Ok(()), Err)
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
        index.nodes.iter().filter_map(|place| self.definition(*place)).collect()
    }

    /// The class of this name if a file that was read defines it; nothing is loaded.
    #[must_use]
    pub fn known_class(&self, name: Name) -> Option<&Definition> {
        self.asked.borrow_mut().insert(name.normalized());
        let place = self.index.borrow().get(Wanted::Class, name)?;
        self.at(place)
    }

    /// Whether a file that was read defines a type alias of this name; nothing is loaded.
    #[must_use]
    pub fn knows_alias(&self, name: Name) -> bool {
        self.index.borrow().get(Wanted::TypeAlias, name).is_some()
    }

    /// Whether a file that was read, or a manifest named like it, may define a defined type of this name.
    #[must_use]
    pub fn may_define(&self, name: Name) -> bool {
        self.asked.borrow_mut().insert(name.normalized());
        self.index.borrow().get(Wanted::Define, name).is_some()
            || self
                .environment
                .definition_file("manifests", &name)
                .is_some_and(|path| self.world.kind(&path) == crate::world::Kind::File)
    }

    /// A template in the Puppet language, parsed.
    ///
    /// # Errors
    /// It cannot be read or does not parse.
    pub fn epp(&self, path: &Path) -> LoadResult<&File> {
        let options = || syntax::Options { template: true, ..syntax::Options::default() };
        let parsed = self.cache.parse_file(path, self.world.as_ref(), options)?;
        if let Some(at) = self.index.borrow().templates.get(&parsed.file.id) {
            return self.file(*at);
        }
        let at = self.keep(&parsed)?;
        self.index.borrow_mut().templates.insert(parsed.file.id, at);
        self.file(at)
    }

    /// A template given as text (`inline_epp`): parsed and kept.
    ///
    /// # Errors
    /// It does not parse.
    pub fn epp_text(&self, text: &str) -> LoadResult<&File> {
        let parsed = self.cache.parse_text(text, true);
        let at = self.keep(&parsed)?;
        self.file(at)
    }

    /// Code given as text, besides the main manifest: parsed, kept, and what it defines is known from then on.
    ///
    /// # Errors
    /// It does not parse.
    pub fn text(&self, text: &str) -> LoadResult<&File> {
        let parsed = self.cache.parse_text(text, false);
        let at = self.keep(&parsed)?;
        self.file(at)
    }

    /// A manifest besides the main one: read, parsed, kept, and what it defines is known from then on.
    ///
    /// # Errors
    /// It cannot be read or does not parse.
    pub fn manifest(&self, path: &Path) -> LoadResult<&File> {
        let at = self.load_file(path)?;
        self.file(at)
    }

    /// What is defined by now, to come back to.
    #[must_use]
    pub fn checkpoint(&self) -> Checkpoint {
        Checkpoint(self.index.borrow().clone())
    }

    /// Forgets what was defined since. Files stay, but nothing in them is found any more.
    pub fn restore(&self, checkpoint: &Checkpoint) {
        self.index.replace(checkpoint.0.clone());
    }

    /// How many files were loaded.
    #[must_use]
    pub fn count(&self) -> usize {
        self.files.len()
    }

    /// Names of all definitions of loaded files: classes, defined types, functions, type aliases.
    #[must_use]
    pub fn names(&self) -> [Vec<Name>; 4] {
        self.index.borrow().names()
    }

    /// A template in ERB, parsed; an inner error is one of its syntax.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn erb(&self, path: &Path) -> LoadResult<Arc<cache::Template>> {
        let (tree, bytes) = self.cache.erb_file(path, self.world.as_ref())?;
        self.uses_ruby(path, bytes, true);
        Ok(tree)
    }

    /// A file in Ruby, parsed; an inner error is one of its syntax.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn ruby(&self, path: &Path) -> LoadResult<Arc<cache::Template>> {
        let (tree, bytes) = self.cache.ruby_file(path, self.world.as_ref())?;
        self.uses_ruby(path, bytes, false);
        Ok(tree)
    }

    fn uses_ruby(&self, path: &Path, bytes: Arc<[u8]>, template: bool) {
        self.ruby.borrow_mut().add(path, bytes, template);
    }

    /// Names of definitions that were looked for, there or not, in no order.
    #[must_use]
    pub fn asked_names(&self) -> Box<[Name]> {
        let mut names: Vec<Name> = self.asked.borrow().iter().copied().collect();
        names.sort_unstable_by_key(|name| name.as_str().as_ptr().addr());
        names.into_boxed_slice()
    }

    /// What was used of files in Ruby and of templates in ERB.
    #[must_use]
    pub fn uses_of_ruby(&self) -> Vec<RubyUse> {
        self.ruby.take().into_list()
    }

    /// A template in ERB given as text (`inline_template`), parsed.
    #[must_use]
    pub fn erb_text(&self, text: &str) -> Arc<cache::Template> {
        self.cache.erb_text(text)
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

    fn file(&self, at: usize) -> LoadResult<&File> {
        self.files.get(at).ok_or_else(|| Box::new(Diagnostic::new(Reason::runtime("file is not loaded"), None)))
    }

    /// Notes that a node block is used, not only looked at; by its place among [`Program::nodes`].
    pub fn uses_block(&self, block: usize) {
        if let Some(place) = self.index.borrow().nodes.get(block) {
            self.used.borrow_mut().insert((place.file, place.definition));
        }
    }

    /// Notes that the place of code decides what the catalog holds, not only where its resources are.
    pub fn uses_places(&self) {
        self.places.set(true);
    }

    /// What was used of each file, and whether places were.
    #[must_use]
    pub fn uses_of_files(&self) -> (Vec<Use>, bool) {
        let mut used: Vec<(usize, usize)> = self.used.borrow().iter().copied().collect();
        used.sort_unstable();
        let mut uses = Vec::new();
        for (at, parsed) in self.parsed.borrow().iter().enumerate() {
            let from = used.partition_point(|(file, _)| *file < at);
            let to = used.partition_point(|(file, _)| *file <= at);
            let definitions = used.get(from..to).unwrap_or_default().iter().map(|(_, number)| *number).collect();
            if parsed.path().is_some_and(Path::is_absolute) {
                uses.push(Use { parsed: parsed.clone(), definitions });
            }
        }
        (uses, self.places.get())
    }

    fn at(&self, place: Place) -> Option<&Definition> {
        self.used.borrow_mut().insert((place.file, place.definition));
        self.definition(place)
    }

    fn definition(&self, place: Place) -> Option<&Definition> {
        self.files.get(place.file)?.definitions.get(place.definition).map(|definition| &**definition)
    }

    fn find(&self, wanted: Wanted, name: Name) -> LoadResult<Option<&Definition>> {
        let name = name.normalized();
        self.asked.borrow_mut().insert(name);
        if let Some(place) = self.index.borrow().get(wanted, name) {
            return Ok(self.at(place));
        }
        if self.index.borrow().is_missing(wanted, name) {
            return Ok(None);
        }
        let paths = || match wanted {
            Wanted::Class | Wanted::Define => self.environment.manifest_candidates(&name),
            Wanted::Function => self.environment.definition_file("functions", &name).into_iter().collect(),
            Wanted::TypeAlias => {
                let own = self.environment.definition_file("types", &name);
                own.into_iter().chain(self.environment.type_set_file(&name)).collect()
            }
        };
        let candidates = self.known.candidates(wanted as u8, name, paths);
        let of_manifests = matches!(wanted, Wanted::Class | Wanted::Define);
        for (number, candidate) in if self.usable(&name) { &candidates[..] } else { &[] }.iter().enumerate() {
            // `init.pp` is loaded together with the file that has the name, whichever of them defines it.
            let with_next = of_manifests && number == 0 && candidates.len() > 1;
            if self.index.borrow().tried.contains(candidate.path().as_os_str()) {
                continue;
            }
            let several = |mut failure: Box<Diagnostic>| {
                self.warnings.borrow_mut().append(&mut failure.several);
                failure
            };
            let parsed = self.parsed(candidate).map_err(several)?;
            let hidden = matches!(wanted, Wanted::Function) && parsed.is_some() && self.is_ruby_beside(name);
            let parsed = parsed.filter(|_| !hidden);
            let at = parsed.map(|parsed| self.keep(&parsed).map_err(several)).transpose()?;
            // One that does not parse is tried again.
            self.index.borrow_mut().tried.insert(candidate.path().as_os_str().to_owned());
            let Some(at) = at else { continue };
            if let Some(file) = self.files.get(at) {
                contents::check(wanted, name, file, candidate.path())?;
            }
            let place = self.index.borrow().get(wanted, name);
            if let Some(place) = place.filter(|_| !with_next) {
                return Ok(self.at(place));
            }
        }
        if let Some(place) = self.index.borrow().get(wanted, name) {
            return Ok(self.at(place));
        }
        self.index.borrow_mut().set_missing(wanted, name);
        Ok(None)
    }

    /// Whether the module or environment whose `functions/` has a file for a function has one in Ruby, too: that one counts
    /// (`LoaderPaths.relative_paths_for_type`).
    fn is_ruby_beside(&self, name: Name) -> bool {
        if name.contains("::") {
            return self.ruby_functions(name).0.iter().any(|file| !file.older);
        }
        let path = |root: &PathBuf| root.join(format!("lib/puppet/functions/{name}.rb"));
        let own = self.environment.root.as_ref().map(path);
        own.is_some_and(|path| self.world.kind(&path) == crate::world::Kind::File)
    }

    /// The file of a candidate if it is there.
    fn parsed(&self, candidate: &known::Candidate) -> LoadResult<Option<Arc<cache::Parsed>>> {
        if let Some(known) = candidate.parsed.get() {
            self.world.touch_parts(&candidate.path);
            if known.as_ref().is_some_and(|parsed| parsed.first_error().is_some()) {
                self.world.touch_all(&candidate.path);
            }
            return Ok(known.clone());
        }
        let path = candidate.path();
        let there = self.world.kind(path) == crate::world::Kind::File;
        let parsed = if there { Some(self.parse(path)?) } else { None };
        Ok(candidate.parsed.get_or_init(|| parsed).clone())
    }

    /// Whether the module of a name takes part. One with incomplete metadata is left out, with the reference's error in
    /// the log; the file is read when the module is first needed.
    fn usable(&self, name: &str) -> bool {
        let module = name.split("::").next().and_then(|module| self.environment.module(module));
        let Some(module) = module else { return true };
        let key = Name::new(&module.name);
        if let Some(known) = self.index.borrow().usable.get(&key) {
            return *known;
        }
        let found = self.known.usable(key, || {
            let found = metadata::read(module, self.world.as_ref(), self.cache.strict, self.cache.version);
            let note = match &found {
                Ok((_, warning)) => {
                    let text = warning.clone();
                    text.map(|text| Diagnostic::new(Reason::runtime(text), None).severity(Severity::Warning))
                }
                Err(reason) => Some(Diagnostic::new(reason.clone(), None)),
            };
            let paths = Arc::from([module.root.join("metadata.json").into_os_string()]);
            known::Usable { usable: found.is_ok(), note, paths }
        });
        self.world.touch_all(&found.paths);
        self.warnings.borrow_mut().extend(found.note);
        self.index.borrow_mut().usable.insert(key, found.usable);
        found.usable
    }

    /// What files say of a name, found out by `find` and kept for other compiles as long as no file changes: one answer of
    /// each type. `find` may ask nothing but the world it is given, and what all compiles of the environment share.
    pub fn found<T: std::any::Any + Send + Sync>(
        &self,
        name: Name,
        find: impl FnOnce(&dyn World) -> T,
    ) -> Option<Arc<T>> {
        self.known.found(name, &self.world, find)
    }

    /// The files of a function in Ruby that are there, in the order the reference tries them.
    #[must_use]
    pub fn ruby_functions(&self, name: Name) -> Arc<RubyFunctions> {
        self.environment.ask_ruby_function(name.as_str());
        let find = |world: &dyn World| {
            let files = self.environment.ruby_function_files(name.as_str()).into_iter();
            let there = files.filter(|path| world.kind(path) == crate::world::Kind::File);
            let depth = name.split("::").count();
            let is_older =
                |path: &Path| path.ancestors().nth(depth).is_some_and(|folder| folder.ends_with("parser/functions"));
            RubyFunctions(there.map(|path| RubyFunctionFile { older: is_older(&path), path }).collect())
        };
        self.found(name, find).unwrap_or_default()
    }

    /// How many resources a compile of the environment may have: as many as the one before.
    #[must_use]
    pub fn expected(&self) -> usize {
        self.known.resources.load(Ordering::Relaxed)
    }

    /// Tells how many resources a compile had.
    pub fn had(&self, resources: usize) {
        self.known.resources.store(resources, Ordering::Relaxed);
    }

    fn load_file(&self, path: &Path) -> LoadResult<usize> {
        self.index.borrow_mut().tried.insert(path.as_os_str().to_owned());
        let parsed = self.parse(path)?;
        self.keep(&parsed)
    }

    /// A file of the main manifest: what it means that it comes or goes is known by what was used of it. The first clash of
    /// classes and defines is given back beside it.
    fn load_main(&self, path: &Path) -> LoadResult<(usize, Option<Box<Diagnostic>>)> {
        self.index.borrow_mut().tried.insert(path.as_os_str().to_owned());
        let options = || manifest_options(path, &self.environment);
        let parsed = self.cache.parse_listed(path, self.world.as_ref(), options)?;
        self.keep_all(&parsed)
    }

    fn parse(&self, path: &Path) -> LoadResult<Arc<cache::Parsed>> {
        let options = || manifest_options(path, &self.environment);
        self.cache.parse_file(path, self.world.as_ref(), options)
    }

    /// Keeps a parsed file and indexes what it defines.
    fn keep(&self, parsed: &Arc<Parsed>) -> LoadResult<usize> {
        match self.keep_all(parsed)? {
            (at, None) => Ok(at),
            (_, Some(clash)) => Err(clash),
        }
    }

    /// The same; the first clash of classes and defines is given back beside the file.
    fn keep_all(&self, parsed: &Arc<Parsed>) -> LoadResult<(usize, Option<Box<Diagnostic>>)> {
        if let Some(error) = parsed.failure() {
            return Err(error);
        }
        self.warnings.borrow_mut().extend(parsed.diagnostics.iter().cloned());
        if let Some(ahead) = &self.ahead {
            ahead.follow(&parsed.file);
        }
        let at = self.files.len();
        self.files.push(parsed.file.clone());
        self.parsed.borrow_mut().push(parsed.clone());
        let mut first = None;
        for (number, definition) in parsed.file.definitions.iter().enumerate() {
            let place = Place { file: at, definition: number };
            let known = |place: Place| self.at(place);
            let added = self.index.borrow_mut().add(place, definition, &known, &self.sources);
            if !matches!(added, Ok(None))
                && let Some(path) = parsed.path()
            {
                let _ = self.world.read(path);
            }
            let clash = added?;
            first = first.or(clash);
        }
        Ok((at, first))
    }
}

/// Files of a function in Ruby.
#[derive(Debug, Default)]
pub struct RubyFunctions(pub Vec<RubyFunctionFile>);

/// A file that defines a function in Ruby.
#[derive(Debug)]
pub struct RubyFunctionFile {
    /// Where it is.
    pub path: PathBuf,
    /// Whether it is written for the older interface (`lib/puppet/parser/functions`).
    pub older: bool,
}

/// How a manifest is judged: what may stand in it depends on where it is.
fn manifest_options(path: &Path, environment: &Environment) -> syntax::Options {
    syntax::Options {
        placement: Placement::of(path, &environment.modulepath, environment.manifest.as_deref()),
        ..syntax::Options::default()
    }
}

impl Wanted {
    fn of(kind: &DefinitionKind) -> Option<Wanted> {
        match kind {
            DefinitionKind::Class(_) => Some(Wanted::Class),
            DefinitionKind::Define(_) => Some(Wanted::Define),
            DefinitionKind::Function(_) => Some(Wanted::Function),
            DefinitionKind::TypeAlias(_) => Some(Wanted::TypeAlias),
            _ => None,
        }
    }
}

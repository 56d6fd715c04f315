//! Finds a definition by name: in the loaded files, then in the files that may define it, in Puppet's order.
//!
//! In: a name and a kind of definition. Out: the definition; files are loaded on the way. Must not: know the caller.

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use crate::environment::Environment;
use crate::program::LoadResult;
use crate::program::LookupKind;
use crate::program::ParsedSource;
use crate::program::Program;
use crate::program::contents;
use crate::program::discovery;
use crate::program::index::DefinitionId;
use crate::program::parsed;
use catwalk_base::diag::Diagnostic;
use catwalk_base::names::Name;
use catwalk_syntax as syntax;
use catwalk_syntax::Placement;
use catwalk_syntax::ast::Definition;

impl Program {
    pub(super) fn find(&self, kind: LookupKind, name: Name) -> LoadResult<Option<&Definition>> {
        let name = name.normalized();
        self.searched_names.borrow_mut().insert(name);
        if let Some(id) = self.index.borrow().get(kind, name) {
            return Ok(self.use_definition(id));
        }
        if self.index.borrow().is_missing(kind, name) {
            return Ok(None);
        }
        let paths = || match kind {
            LookupKind::Class | LookupKind::Define => self.environment.manifest_candidates(&name),
            LookupKind::Function => self.environment.definition_file("functions", &name).into_iter().collect(),
            LookupKind::TypeAlias => {
                let own = self.environment.definition_file("types", &name);
                own.into_iter().chain(self.environment.type_set_file(&name)).collect()
            }
        };
        // Each compile depends on whether the module exists, not only the one that finds the files.
        self.environment.queries.record_module(name.split("::").next().unwrap_or_default());
        let candidates = self.discovery.candidates(kind as u8, name, paths);
        let of_manifests = matches!(kind, LookupKind::Class | LookupKind::Define);
        for (number, candidate) in candidates.iter().enumerate() {
            // `init.pp` is loaded together with the file that has the name, whichever of them defines it.
            let with_next = of_manifests && number == 0 && candidates.len() > 1;
            if self.index.borrow().tried.contains(candidate.path().as_os_str()) {
                continue;
            }
            let several = |mut failure: Box<Diagnostic>| {
                self.warnings.borrow_mut().append(&mut failure.summarized);
                failure
            };
            let parsed = self.parsed(candidate).map_err(several)?;
            let hidden = matches!(kind, LookupKind::Function) && parsed.is_some() && self.is_ruby_beside(name);
            let parsed = parsed.filter(|_| !hidden);
            let number = parsed.map(|parsed| self.add_file(&parsed).map_err(several)).transpose()?;
            // A file that does not parse is tried again.
            self.index.borrow_mut().tried.insert(candidate.path().as_os_str().to_owned());
            let Some(number) = number else { continue };
            if let Some(file) = self.files.get(number) {
                contents::check(kind, name, file, candidate.path())?;
            }
            let id = self.index.borrow().get(kind, name);
            if let Some(id) = id.filter(|_| !with_next) {
                return Ok(self.use_definition(id));
            }
        }
        if let Some(id) = self.index.borrow().get(kind, name) {
            return Ok(self.use_definition(id));
        }
        self.index.borrow_mut().set_missing(kind, name);
        Ok(None)
    }

    /// Whether a function in the Puppet language also exists in Ruby in the same module or environment: then Ruby's wins
    /// (`LoaderPaths.relative_paths_for_type`).
    pub(super) fn is_ruby_beside(&self, name: Name) -> bool {
        if name.contains("::") {
            return self.ruby_functions(name).0.iter().any(|file| !file.is_legacy);
        }
        let path = |root: &PathBuf| root.join(format!("lib/puppet/functions/{name}.rb"));
        let own = self.environment.root.as_ref().map(path);
        own.is_some_and(|path| self.world.kind(&path) == catwalk_world::Kind::File)
    }

    /// The file of a candidate if it exists.
    pub(super) fn parsed(&self, candidate: &discovery::Candidate) -> LoadResult<Option<Arc<parsed::ParsedSource>>> {
        if let Some(parsed) = candidate.parsed.get() {
            self.world.record_reads(&candidate.path, catwalk_world::Dependency::Parts);
            if parsed.as_ref().is_some_and(|parsed| parsed.first_error().is_some()) {
                self.world.record_reads(&candidate.path, catwalk_world::Dependency::Whole);
            }
            return Ok(parsed.clone());
        }
        let path = candidate.path();
        let is_file = self.world.kind(path) == catwalk_world::Kind::File;
        let parsed = if is_file { Some(self.parse(path)?) } else { None };
        Ok(candidate.parsed.get_or_init(|| parsed).clone())
    }

    pub(super) fn load_file(&self, path: &Path) -> LoadResult<usize> {
        self.index.borrow_mut().tried.insert(path.as_os_str().to_owned());
        let parsed = self.parse(path)?;
        self.add_file(&parsed)
    }

    /// Loads a file of the main manifest; its creation or removal is compared by what was used of it. Also returns the first
    /// duplicate name of classes and defines.
    pub(super) fn load_main(&self, path: &Path) -> LoadResult<(usize, Clashes)> {
        self.index.borrow_mut().tried.insert(path.as_os_str().to_owned());
        let options = || manifest_options(path, &self.environment);
        let parsed = self.cache.parse_listed(path, self.world.as_ref(), options)?;
        self.add_file_with_clashes(&parsed)
    }

    pub(super) fn parse(&self, path: &Path) -> LoadResult<Arc<parsed::ParsedSource>> {
        let options = || manifest_options(path, &self.environment);
        self.cache.parse_file(path, self.world.as_ref(), options)
    }

    /// Adds a parsed file and indexes its definitions.
    pub(super) fn add_file(&self, parsed: &Arc<ParsedSource>) -> LoadResult<usize> {
        let (number, clashes) = self.add_file_with_clashes(parsed)?;
        match clashes.at_instantiation.map(|(_, clash)| clash).or(clashes.after_instantiation) {
            None => Ok(number),
            Some(clash) => Err(clash),
        }
    }

    /// Adds a parsed file and indexes its definitions; also returns the first duplicate names. A duplicate that ends the
    /// instantiation leaves the rest of the file undefined.
    pub(super) fn add_file_with_clashes(&self, parsed: &Arc<ParsedSource>) -> LoadResult<(usize, Clashes)> {
        if let Some(error) = parsed.failure() {
            return Err(error);
        }
        self.warnings.borrow_mut().extend(parsed.reported_warnings());
        if let Some(prefetcher) = &self.prefetcher {
            prefetcher.follow(&parsed.file);
        }
        let file = self.files.len();
        self.files.push(parsed.file.clone());
        self.parsed.borrow_mut().push(parsed.clone());
        let mut clashes = Clashes::default();
        for (number, definition) in parsed.file.definitions.iter().enumerate() {
            let id = DefinitionId { file, definition: number };
            let definition_of = |id: DefinitionId| self.use_definition(id);
            let added = self.index.borrow_mut().add(id, definition, &definition_of, &self.sources);
            if !matches!(added, Ok(None))
                && let Some(path) = parsed.path()
            {
                let _ = self.world.read(path);
            }
            match added {
                Ok(clash) => clashes.after_instantiation = clashes.after_instantiation.or(clash),
                Err(clash) => {
                    clashes.at_instantiation = Some((id, clash));
                    break;
                }
            }
        }
        Ok((file, clashes))
    }
}

/// The first names of a file that are already defined.
#[derive(Debug, Default)]
pub(super) struct Clashes {
    /// A duplicate define, type or function. The definitions before it are instantiated before the error is reported.
    pub(super) at_instantiation: Option<(DefinitionId, Box<Diagnostic>)>,
    /// A duplicate class or define, reported once all definitions are instantiated.
    pub(super) after_instantiation: Option<Box<Diagnostic>>,
}

/// How a manifest is validated: what it may contain depends on its path.
pub(super) fn manifest_options(path: &Path, environment: &Environment) -> syntax::Options {
    syntax::Options {
        placement: Placement::from_path(path, &environment.modulepath, environment.manifest.as_deref()),
        ..syntax::Options::default()
    }
}

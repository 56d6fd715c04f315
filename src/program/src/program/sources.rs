//! Files that are read on demand: templates, Ruby, functions of modules.
//!
//! In: paths, names of modules. Out: parsed files, each once. Must not: evaluate.

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::LoadResult;
use super::Program;
use crate::program::cache;
use crate::resource_types::generated;
use catwalk_base::names::Name;
use catwalk_syntax as syntax;
use catwalk_syntax::ast::File;
use catwalk_world::World;

/// Files of a function in Ruby.
#[derive(Debug, Default)]
pub struct RubyFunctions(pub Vec<RubyFunctionFile>);

/// A file that defines a function in Ruby.
#[derive(Debug)]
pub struct RubyFunctionFile {
    /// The path of the file.
    pub path: PathBuf,
    /// Whether it is written for the 3.x API (`lib/puppet/parser/functions`).
    pub is_legacy: bool,
    /// The module it is in; `None`: the environment itself, or a directory on the modulepath that is not a module.
    pub module: Option<Name>,
}

/// Existing folders of functions in Ruby.
#[derive(Debug, Default)]
struct RubyFolders(Vec<PathBuf>);

/// The file of a data type in Ruby.
#[derive(Debug, Default)]
struct RubyType(Option<PathBuf>);

/// Resource types that `puppet generate types` wrote.
#[derive(Debug, Default)]
struct GeneratedTypes(FxHashSet<Name>);

/// Modules that a module depends on.
#[derive(Debug, Default)]
pub struct Dependencies(pub Arc<[Name]>);

impl Program {
    /// Parses a template in the Puppet language.
    ///
    /// # Errors
    /// The template cannot be read or does not parse.
    pub fn epp(&self, path: &Path) -> LoadResult<&File> {
        let options = || syntax::Options { template: true, ..syntax::Options::default() };
        let parsed = self.cache.parse_file(path, self.world.as_ref(), options)?;
        if let Some(at) = self.index.borrow().templates.get(&parsed.file.id) {
            return self.file(*at);
        }
        let at = self.add_file(&parsed)?;
        self.index.borrow_mut().templates.insert(parsed.file.id, at);
        self.file(at)
    }

    /// Parses a template given as a string (`inline_epp`).
    ///
    /// # Errors
    ///
    /// The template does not parse.
    pub fn epp_string(&self, text: &str) -> LoadResult<&File> {
        let parsed = self.cache.parse_string(text, true);
        let at = self.add_file(&parsed)?;
        self.file(at)
    }

    /// Parses code given as a string, besides the main manifest; its definitions are known from then on.
    ///
    /// # Errors
    /// The code does not parse.
    pub fn parse_code(&self, text: &str) -> LoadResult<&File> {
        let parsed = self.cache.parse_string(text, false);
        let at = self.add_file(&parsed)?;
        self.file(at)
    }

    /// Parses a template in ERB. The inner result contains its syntax error.
    ///
    /// # Errors
    /// The template cannot be read.
    pub fn erb(&self, path: &Path) -> LoadResult<Arc<cache::Template>> {
        let (tree, bytes) = self.cache.erb_file(path, self.world.as_ref())?;
        self.record_ruby_use(path, bytes, true);
        Ok(tree)
    }

    /// A file in Ruby, parsed; an inner error is one of its syntax.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn ruby(&self, path: &Path) -> LoadResult<Arc<cache::Template>> {
        let (tree, bytes) = self.cache.ruby_file(path, self.world.as_ref())?;
        self.record_ruby_use(path, bytes, false);
        Ok(tree)
    }

    /// The file of a resource type, in lower case, that `puppet generate types` wrote.
    ///
    /// # Errors
    /// The file cannot be read or does not parse.
    pub fn generated_type(&self, name: Name) -> LoadResult<Option<&File>> {
        let Some(root) = &self.environment.root else { return Ok(None) };
        let folder = root.join(generated::FOLDER);
        let find = |world: &dyn World| {
            let entries = world.list(&folder).unwrap_or_default();
            let files = entries.iter().filter(|entry| entry.kind == catwalk_world::Kind::File);
            GeneratedTypes(files.filter_map(|entry| entry.name.strip_suffix(".pp")).map(Name::new).collect())
        };
        let found = self.shared_result(catwalk_base::name!(""), find);
        if !generated::may_be(&name) || !found.is_some_and(|types| types.0.contains(&name)) {
            return Ok(None);
        }
        let path = folder.join(format!("{name}.pp"));
        // The compile depends on all of it.
        let _ = self.world.read(&path);
        self.manifest(&path).map(Some)
    }

    /// A result that `find` derives from files for a name, shared with other compiles until a file changes: one result of each
    /// type. `find` may use only its world and what all compiles of the environment share.
    pub fn shared_result<T: std::any::Any + Send + Sync>(
        &self,
        name: Name,
        find: impl FnOnce(&dyn World) -> T,
    ) -> Option<Arc<T>> {
        self.discovery.shared_result(name, &self.world, find)
    }

    /// The existing files of a function in Ruby, in the order Puppet tries them.
    #[must_use]
    pub fn ruby_functions(&self, name: Name) -> Arc<RubyFunctions> {
        self.environment.record_ruby_function_query(name.as_str());
        // Most modules have no functions in Ruby: their folders are looked for once for all names.
        let folders = (!name.contains(['/', '.', ':'])).then(|| self.ruby_folders());
        let find = |world: &dyn World| {
            let files = match &folders {
                Some(folders) => folders.0.iter().map(|folder| folder.join(format!("{name}.rb"))).collect(),
                None => self.environment.ruby_function_files(name.as_str()),
            };
            let files = files.into_iter();
            let there = files.filter(|path| world.kind(path) == catwalk_world::Kind::File);
            let depth = name.split("::").count();
            let is_legacy =
                |path: &Path| path.ancestors().nth(depth).is_some_and(|folder| folder.ends_with("parser/functions"));
            let module = |path: &Path| {
                let mut modules = self.environment.modules.values();
                modules.find(|module| path.starts_with(&module.root)).map(|module| Name::new(&module.name))
            };
            let file = |path: PathBuf| RubyFunctionFile { is_legacy: is_legacy(&path), module: module(&path), path };
            RubyFunctions(there.map(file).collect())
        };
        self.shared_result(name, find).unwrap_or_default()
    }

    /// The file of a data type in Ruby, by its name in lower case, if there is one.
    #[must_use]
    pub fn ruby_type(&self, name: Name) -> Option<PathBuf> {
        let is_file = |world: &dyn World, path: &PathBuf| world.kind(path) == catwalk_world::Kind::File;
        let find = |world: &dyn World| {
            let files = self.environment.ruby_type_files(name.as_str());
            RubyType(files.into_iter().find(|path| is_file(world, path)))
        };
        self.shared_result(name, find).and_then(|found| found.0.clone())
    }

    fn ruby_folders(&self) -> Arc<RubyFolders> {
        let find = |world: &dyn World| {
            let there = |folder: &PathBuf| world.kind(folder) != catwalk_world::Kind::Missing;
            RubyFolders(self.environment.ruby_function_folders().into_iter().filter(there).collect())
        };
        self.shared_result(catwalk_base::name!(""), find).unwrap_or_default()
    }

    /// The modules that a module's metadata lists as dependencies, in order.
    #[must_use]
    pub fn dependencies(&self, module: Name) -> Arc<Dependencies> {
        let find = |world: &dyn World| {
            let Some(module) = self.environment.module(module.as_str()) else { return Dependencies::default() };
            // It was read when the environment was opened; this records that the compile depends on it.
            let _ = world.read(&module.root.join("metadata.json"));
            Dependencies(module.dependencies.clone())
        };
        self.shared_result(module, find).unwrap_or_default()
    }
}

//! Compiled scripts, shared by all threads; an entry is valid while the world returns the same bytes.

use parking_lot::RwLock;
use std::ffi::OsString;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::OnceLock;

use rhai::AST;
use rhai::Engine;
use rhai::OptimizationLevel;
use rhai::Scope;
use rhai::Stmt;
use rustc_hash::FxHashMap;

use crate::chain;
use crate::check::Purpose;
use crate::coverage;
use crate::dispatch::Dispatch;
use crate::engine;
use crate::limits;
use crate::links::Links;
use crate::parse;
use crate::running;
use crate::unreadable::Unreadable;
use crate::worker::Isolation;
use crate::worker::Workers;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::source::FileId;
use catwalk_base::source::SourceMap;
use catwalk_program::Environment;
use catwalk_world::World;
use catwalk_world::worker::FrameScript;
use catwalk_world::worker::restricted::RestrictedWorld;

/// A parsed script, in the forms in which it is run and checked.
#[derive(Debug)]
pub(super) struct Script {
    /// Its file.
    pub(super) path: PathBuf,
    /// The source in the source map, for positions.
    pub(super) file: FileId,
    /// The tree of the whole file, for checks.
    pub(super) ast: AST,
    /// The tree of the whole file, for the engine.
    pub(super) runnable: AST,
    /// The functions with only the `const` and `import` statements of the top, which a call evaluates first.
    pub(super) callable: AST,
    /// The `dispatch` lines, collected on first use.
    pub(super) dispatches: OnceLock<Result<Vec<Dispatch>, Box<Diagnostic>>>,
    /// Whether `callable` has `const` or `import` statements, which a call must evaluate first.
    pub(super) has_top: bool,
}

/// The engine and all scripts of a process.
#[derive(Debug)]
pub struct Scripts {
    pub(super) engine: Engine,
    /// The engine for calls of providers, built at the first one: their arrays and maps have the resources of a machine.
    provider_engine: OnceLock<Engine>,
    /// Whether the trees of scripts are optimized.
    optimizes: bool,
    pub(super) sources: SourceMap,
    files: RwLock<FxHashMap<OsString, (Arc<[u8]>, Arc<Script>)>>,
    /// Checks the targets of links; `None` in a worker process, for which the compile checks them.
    links: Option<Links>,
    /// Worker processes that run the scripts instead of this one.
    pub(super) workers: Option<Workers>,
}

impl Scripts {
    /// A host with no scripts loaded. The sources of scripts are added to `sources`.
    #[must_use]
    pub fn new(sources: SourceMap) -> Scripts {
        Scripts {
            engine: engine::build(false),
            provider_engine: OnceLock::new(),
            optimizes: true,
            sources,
            files: RwLock::default(),
            links: Some(Links::default()),
            workers: None,
        }
    }

    /// A host that runs scripts in worker processes if `isolation` is set.
    #[must_use]
    pub fn isolated(self, isolation: Option<Isolation>) -> Scripts {
        Scripts { workers: isolation.map(Workers::new), ..self }
    }

    /// A host for fuzzing: it starts no process, and its workers send these frames regardless of what they receive.
    #[doc(hidden)]
    #[must_use]
    pub fn with_scripted_workers(self, frames: FrameScript) -> Scripts {
        Scripts { workers: Some(Workers::scripted(frames)), ..self }
    }

    /// The world of a compile. If scripts run in worker processes, it is restricted while it serves their calls
    /// ([`RestrictedWorld`]).
    #[must_use]
    pub fn world<W: World + 'static>(
        &self,
        environment: &Environment,
        site: Option<&Path>,
        world: &Arc<W>,
    ) -> Arc<dyn World> {
        if self.workers.is_none() {
            return world.clone();
        }
        let directories = environment.roots().chain(site).map(Path::to_path_buf).collect();
        Arc::new(RestrictedWorld::new(world.clone(), directories))
    }

    /// A host in a worker process.
    pub(super) fn confined(sources: SourceMap) -> Scripts {
        Scripts { links: None, ..Scripts::new(sources) }
    }

    /// The bytes of a script, or of a file that scripts may read.
    ///
    /// # Errors
    /// It cannot be read, or it is a link that leads out of the site and its modules.
    pub(super) fn read(
        &self,
        path: &Path,
        environment: &Environment,
        world: &dyn World,
    ) -> Result<Arc<[u8]>, Unreadable> {
        match &self.links {
            Some(links) => links.read(path, environment, world),
            None => world.read(path).map_err(|refused| Unreadable::from(&refused)),
        }
    }

    /// A host for tests of scripts, with assertions, stubs and coverage.
    #[must_use]
    pub fn testing(sources: SourceMap) -> Scripts {
        let mut engine = engine::build(true);
        coverage::record_lines(&mut engine);
        let (files, links) = (RwLock::default(), Some(Links::default()));
        Scripts { engine, provider_engine: OnceLock::new(), optimizes: false, sources, files, links, workers: None }
    }

    /// The engine for the current entry: calls of providers have larger arrays.
    pub(super) fn entry_engine(&self) -> &Engine {
        if !running::is_set() {
            return &self.engine;
        }
        self.provider_engine.get_or_init(|| {
            let is_test = !self.optimizes;
            let mut engine = engine::build(is_test);
            engine.set_max_array_size(limits::MAX_PROVIDER_ITEMS).set_max_map_size(limits::MAX_PROVIDER_ITEMS);
            if is_test {
                coverage::record_lines(&mut engine);
            }
            engine
        })
    }

    /// All scripts that were loaded, sorted.
    pub(super) fn loaded_scripts(&self) -> Vec<Arc<Script>> {
        let files = self.files.read();
        let mut scripts: Vec<Arc<Script>> = files.values().map(|(_, script)| script.clone()).collect();
        scripts.sort_by(|a, b| a.path.cmp(&b.path));
        scripts
    }

    /// A script, compiled when it is new or changed.
    pub(super) fn load(
        &self,
        path: &Path,
        environment: &Environment,
        world: &dyn World,
    ) -> Result<Arc<Script>, Box<Diagnostic>> {
        let fail = |message: String| Box::from(Reason::new(Code::SCRIPT_UNREADABLE, message));
        let bytes = self.read(path, environment, world).map_err(|why| {
            let reason = Reason::new(Code::SCRIPT_UNREADABLE, format!("cannot read the script: {why}"));
            Box::from(reason.because(why.cause))
        })?;
        if let Some((cached, script)) = self.files.read().get(path.as_os_str())
            && Arc::ptr_eq(cached, &bytes)
        {
            return Ok(script.clone());
        }
        let text = std::str::from_utf8(&bytes)
            .map_err(|_| fail(format!("the script {} is not UTF-8 text", path.display())))?;
        let file = self.sources.add(Some(path), &path.to_string_lossy(), Arc::from(text));
        let compiled = self.compile(path, text, file).inspect_err(|_| {
            // The previous version is outdated, too.
            self.files.write().remove(path.as_os_str());
        });
        let script = Arc::new(compiled?);
        let mut files = self.files.write();
        files.insert(path.as_os_str().to_owned(), (bytes, script.clone()));
        Ok(script)
    }

    /// Whether the script at a path, which was loaded before, has changed only in comments and white space.
    #[must_use]
    pub fn has_same_code(&self, path: &Path, world: &dyn World) -> bool {
        let previous = self.files.read().get(path.as_os_str()).map(|(bytes, _)| bytes.clone());
        let compact = |bytes: &[u8]| parse::compact(&self.engine, bytes);
        let (Some(previous), Ok(current)) = (previous, world.read(path)) else { return false };
        compact(&previous).is_some_and(|previous| compact(&current) == Some(previous))
    }

    fn compile(&self, path: &Path, text: &str, file: FileId) -> Result<Script, Box<Diagnostic>> {
        let mut ast = parse::parse(&self.engine, text, file, &self.sources)?;
        // The optimizer forgets the order of map literals.
        let keeps_order = matches!(Purpose::from_path(path), Purpose::Type | Purpose::Transport);
        if self.optimizes && !keeps_order && parse::is_quick_to_optimize(text) && !parse::imports_in_blocks(&ast) {
            ast = self.engine.optimize_ast(&Scope::new(), ast, OptimizationLevel::Simple);
        }
        ast.set_source(path.to_string_lossy().as_ref());
        let declarations: Vec<Stmt> =
            ast.statements().iter().filter(|statement| is_declaration(statement)).cloned().collect();
        let has_top = !declarations.is_empty();
        let source = path.to_string_lossy();
        let functions = chain::wrap_functions(&self.engine, &ast, &source);
        let mut runnable = AST::new(ast.statements().iter().cloned(), functions.clone());
        let mut callable = AST::new(declarations, functions);
        runnable.set_source(source.as_ref());
        callable.set_source(source.as_ref());
        Ok(Script { path: path.to_path_buf(), file, ast, runnable, callable, dispatches: OnceLock::new(), has_top })
    }
}

fn is_declaration(statement: &Stmt) -> bool {
    match statement {
        Stmt::Var(_, flags, _) => flags.intersects(rhai::ASTFlags::CONSTANT),
        Stmt::Import(..) | Stmt::Export(..) => true,
        _ => false,
    }
}

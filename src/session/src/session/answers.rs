//! What compiles used, and the current state of what is compared for each node: environments, hierarchies, facts, replies.
//!
//! In: records of compiles, changes. Out: whether the answers that a compile got are unchanged. Must not: compile.

mod external;

use std::cell::OnceCell;
use std::ffi::OsString;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use rustc_hash::FxHashSet;

use crate::session::CompileInput;
use crate::session::ConfigurationChange;
use crate::session::PendingChanges;
use crate::session::PreparedNode;
use crate::session::Session;
use crate::session::answers::external::CurrentEnvironment;
use crate::session::compile::PreparedNodes;
use crate::session::input::NodeUse;
use crate::session::layers::SharedEnvironment;
use crate::session::questions::Check;
use crate::session::questions::Checks;
use crate::session::questions::Part;
use catwalk_base::diag::Diagnostic;
use catwalk_base::names::Name;
use catwalk_catalog::Catalog;
use catwalk_catalog::Version;
use catwalk_eval::FactsUse;
use catwalk_hiera::ConfigUse;
use catwalk_hiera::DataUse;
use catwalk_program::EnvironmentQueries;
use catwalk_program::ParsedSource;
use catwalk_program::RubyUse;
use catwalk_program::Use;
use catwalk_syntax as syntax;
use catwalk_syntax::Placement;
use catwalk_value::Value;
use catwalk_world::Query;
use catwalk_world::RecordingWorld;
use catwalk_world::Reply;

/// The parts of files that a compile used: other parts of these files do not affect it.
#[derive(Debug, Default)]
pub struct Uses {
    /// The node; `None` for a test node.
    pub(super) node: Option<Box<NodeUse>>,
    /// The facts that were used.
    pub(super) facts: FactsUse,
    /// Manifests and templates.
    pub(super) manifests: Vec<Use>,
    /// Names of definitions that were searched for, found or not.
    pub(super) names: Box<[Name]>,
    /// Files in Ruby and templates in ERB.
    pub(super) ruby: Vec<RubyUse>,
    /// Data files.
    pub(super) data: Vec<DataUse>,
    /// Configurations of Hiera.
    pub(super) configs: Vec<ConfigUse>,
    /// The number of manifests, at the beginning of the list, that are the main manifest; `None` if code replaces it.
    pub(super) main_count: Option<usize>,
    /// Whether the catalog has dependency cycles, or was not checked for them.
    pub(super) cyclic: bool,
    /// Whether line numbers are used for more than the positions of resources.
    pub(super) reads_lines: bool,
    /// The environment and its modules.
    pub(super) environment: Option<EnvironmentUse>,
    /// Whether everything is recorded: the compile did not end early.
    pub(super) complete: bool,
}

impl Uses {
    /// Whether the used parts of the environment are recorded: it is the site's own environment.
    pub(super) fn records_environment(&self) -> bool {
        self.environment.as_ref().is_some_and(EnvironmentUse::is_recorded)
    }

    /// Forgets the parts of files, which are questions now.
    pub(super) fn forget_files(&mut self) {
        (self.manifests, self.ruby, self.data) = (Vec::new(), Vec::new(), Vec::new());
        self.names = Box::default();
    }
}

/// What a compile used of its environment.
#[derive(Debug)]
pub(super) struct EnvironmentUse {
    /// The environment as it was opened.
    shared: Arc<SharedEnvironment>,
    /// The queries about its modules; `None` if they were not recorded.
    questions: Option<EnvironmentQueries>,
}

impl EnvironmentUse {
    pub(super) fn is_recorded(&self) -> bool {
        self.questions.is_some()
    }

    /// Whether every change of modules affects the compile.
    pub(super) fn depends_on_all(&self) -> bool {
        self.questions.as_ref().is_some_and(|questions| questions.all)
    }

    /// Whether a path was read to open the environment.
    pub(super) fn has_read(&self, path: &OsString) -> bool {
        self.shared.touched.binary_search(path).is_ok()
    }
}

/// The current state of all inputs, read once for all nodes of an update.
pub(super) struct CurrentAnswers {
    /// The change of `catwalk.toml`.
    site: Option<ConfigurationChange>,
    /// Files with different contents.
    edited: FxHashSet<PathBuf>,
    /// Those of them that are scripts in which only comments have changed.
    same_code: FxHashSet<PathBuf>,
    /// Current responses of processes and servers.
    replies: FxHashMap<Query, Reply>,
    /// Nodes that may have changed, as they are now.
    nodes: FxHashMap<Arc<str>, PreparedNode>,
    manifests: FxHashMap<PathBuf, Option<Arc<ParsedSource>>>,
    /// Old environments, each compared with the current one.
    environments: Vec<(Arc<SharedEnvironment>, Option<CurrentEnvironment>)>,
    /// The files of the main manifest; `Some(None)` if there is none.
    main_files: Option<Option<Arc<MainFiles>>>,
}

/// Where the main manifest is.
pub(super) struct MainFiles {
    pub(super) files: Vec<PathBuf>,
    /// The folders in which the files were found, also those without files.
    pub(super) folders: Vec<PathBuf>,
}

/// New lines by file and line.
pub(super) type Lines = Vec<(Arc<str>, Arc<FxHashMap<u32, u32>>)>;

/// What is recorded about the last compile of a node.
pub(super) struct NodeRecord<'a> {
    pub(super) certname: &'a str,
    pub(super) uses: &'a mut Uses,
    pub(super) logs: &'a [Diagnostic],
    pub(super) failed: bool,
}

/// Answers that a node depends on from now on; those that it got are unchanged.
#[derive(Default)]
pub(super) struct NewAnswers {
    /// Questions about paths that were read to compare the answers.
    pub(super) paths: Vec<(PathBuf, Part)>,
    /// Data files of an edited hierarchy.
    pub(super) data: Vec<DataUse>,
    /// The new version of the catalog, if `config_version` has changed.
    pub(super) version: Option<Version>,
}

impl NewAnswers {
    fn add_paths(&mut self, paths: impl IntoIterator<Item = PathBuf>, part: &Part) {
        self.paths.extend(paths.into_iter().map(|path| (path, part.clone())));
    }
}

impl CurrentAnswers {
    /// The state after these changes; nothing is read yet but scripts.
    pub(super) fn new(pending: &PendingChanges, session: &Session) -> CurrentAnswers {
        let is_same_code = |path: &&PathBuf| {
            path.extension().is_some_and(|extension| extension == "rhai")
                && session.scripts.has_same_code(path, session.world.as_ref())
        };
        let edited = pending.changes.iter().filter(|change| change.contents_only);
        let edited: FxHashSet<PathBuf> = edited.map(|change| change.path.clone()).collect();
        CurrentAnswers {
            site: pending.configuration,
            same_code: edited.iter().filter(is_same_code).cloned().collect(),
            edited,
            replies: FxHashMap::default(),
            nodes: FxHashMap::default(),
            manifests: FxHashMap::default(),
            environments: Vec::new(),
            main_files: None,
        }
    }

    /// Counts every change of a script. Whether only comments have changed is known of the script that was loaded last, which need not be
    /// the one that a compile used whose result a caller keeps.
    pub(super) fn with_all_scripts(self) -> CurrentAnswers {
        CurrentAnswers { same_code: FxHashSet::default(), ..self }
    }

    /// Whether only comments of a script have changed.
    pub(super) fn is_same_code(&self, path: &Path) -> bool {
        self.same_code.contains(path)
    }

    pub(super) fn has_new_configuration(&self) -> bool {
        self.site.is_some()
    }

    /// Compares what depends on the node. `None`: an answer has changed, so the node must be recompiled.
    pub(super) fn check_node(
        &mut self,
        session: &Session,
        node: &mut NodeRecord<'_>,
        checks: Checks,
    ) -> Option<NewAnswers> {
        let mut new = NewAnswers::default();
        self.holds_with_new_configuration(node).then_some(())?;
        if self.site.is_some() || checks.has(Check::Environment) {
            // Only uses of the site's own environment are recorded.
            node.uses.records_environment().then_some(())?;
            self.follow_environment(session, node.uses, node.logs, &mut new)?;
        }
        if checks.has(Check::Hierarchies) {
            self.follow_hierarchies(session, node, &mut new)?;
        }
        Some(new)
    }

    /// Repeats the lookups of a node in its hierarchies, if that is possible without a compile.
    fn follow_hierarchies(&self, session: &Session, node: &mut NodeRecord<'_>, new: &mut NewAnswers) -> Option<()> {
        let environment = &node.uses.environment.as_ref()?.shared.environment;
        let lookup =
            session.layers.lookup(environment, &session.options, &session.site, session.world.as_ref()).ok()?;
        // Read once for all hierarchies: a command may print the external trusted facts.
        let subject = OnceCell::new();
        let variable = |name: &str| -> Option<Value> {
            let subject = subject.get_or_init(|| session.subject(node.certname).ok()).as_ref()?;
            match name {
                "facts" => Some(Value::Hash(subject.facts())),
                "trusted" => Some(Value::Hash(subject.trusted())),
                _ => None,
            }
        };
        let world = Arc::new(RecordingWorld::new(session.world.clone()));
        for used in node.uses.configs.iter_mut().filter(|used| self.edited.contains(&used.path)) {
            new.data.extend(lookup.update_if_equivalent(used, &variable, world.as_ref())?);
        }
        new.add_paths(world.take_reads().paths().map(Path::to_path_buf), &Part::Existence);
        Some(())
    }

    /// The files of the site's own main manifest.
    pub(super) fn main_files(&mut self, session: &Session) -> Option<Arc<MainFiles>> {
        let find = || {
            let environment = session.open_environment().ok()?;
            let world = RecordingWorld::new(session.world.clone());
            let files = environment.manifest_files(&world).ok()?;
            let folders = world.take_reads().caller_compared().map(PathBuf::from).collect();
            Some(Arc::new(MainFiles { files, folders }))
        };
        self.main_files.get_or_insert_with(find).clone()
    }

    /// A manifest or template as it is now; `None` if it cannot be read.
    pub(super) fn parse_manifest(
        &mut self,
        session: &Session,
        path: &Path,
        template: bool,
    ) -> Option<Arc<ParsedSource>> {
        if let Some(parsed) = self.manifests.get(path) {
            return parsed.clone();
        }
        let environment = session.open_environment().ok();
        let options = || {
            let placement = match &environment {
                Some(environment) if !template => {
                    Placement::from_path(path, &environment.modulepath, environment.manifest.as_deref())
                }
                _ => Placement::default(),
            };
            syntax::Options { template, placement, ..syntax::Options::default() }
        };
        let parsed = session.cache.parse_file(path, session.world.as_ref(), options).ok();
        self.manifests.insert(path.to_path_buf(), parsed.clone());
        parsed
    }

    /// Moves the nodes that have changed, prepared for their compile.
    pub(super) fn move_changed_nodes(&mut self, nodes: &PreparedNodes) {
        self.nodes.drain().for_each(|(_, prepared)| nodes.put(prepared));
    }
}

impl Session {
    /// Records what a compile used of its environment.
    pub(super) fn environment_use(&self, opened: &CompileInput<'_>) -> Option<EnvironmentUse> {
        let environment = &opened.program.environment;
        if let Some(shared) = self.layers.shared_environment(environment) {
            for module in opened.data.node.modules() {
                environment.queries.record_module(&module);
            }
            return Some(EnvironmentUse { shared, questions: Some(environment.queries.take()) });
        }
        // The environment is assigned by a classifier, or is the site's under a different name.
        let site = self.open_environment().ok()?;
        Some(EnvironmentUse { shared: self.layers.shared_environment(&site)?, questions: None })
    }
}

/// Whether a logged message has a position or contains a line number.
pub(super) fn has_positions(logs: &[Diagnostic]) -> bool {
    logs.iter().any(|log| log.span.is_some() || log.message.contains("line"))
}

/// Whether the new lines of all resources in these files are known.
pub(super) fn can_move_lines(catalog: &Catalog, lines: &Lines) -> bool {
    catalog.resources.iter().all(|resource| {
        let (Some(file), Some(line)) = (&resource.file, &resource.line) else { return true };
        lines.iter().all(|(path, moved)| path != file || moved.contains_key(line))
    })
}

/// Updates the lines of a catalog's resources.
pub(super) fn move_lines(catalog: &mut Catalog, lines: &Lines) {
    for resource in &mut catalog.resources {
        let (Some(file), Some(line)) = (&resource.file, &mut resource.line) else { continue };
        let moved = lines.iter().find(|(path, _)| path == file).and_then(|(_, moved)| moved.get(line));
        *line = moved.copied().unwrap_or(*line);
    }
}

//! The parts of files and other inputs that a compile used, and whether they are unchanged after an edit.
//!
//! In: what compiles recorded, changes. Out: for each node whether it must be recompiled, and how lines of its manifests have moved.
//! Must not: compile.

mod blocks;
mod current_answers;
mod external;

pub(super) use blocks::CurrentNodeBlocks;

use std::path::PathBuf;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::session::CompileInput;
use crate::session::ConfigurationChange;
use crate::session::PendingChanges;
use crate::session::PreparedNode;
use crate::session::Session;
use crate::session::answers::external::CurrentEnvironment;
use crate::session::compile::PreparedNodes;
use crate::session::file_uses::BlockMatcher;
use crate::session::file_uses::FileUse;
use crate::session::file_uses::MovedLines;
use crate::session::index::Compare;
use crate::session::input::NodeUse;
use crate::session::layers::SharedEnvironment;
use catwalk_base::diag::Diagnostic;
use catwalk_base::names::Name;
use catwalk_catalog::Catalog;
use catwalk_catalog::Version;
use catwalk_eval::FactsUse;
use catwalk_hiera::ConfigUse;
use catwalk_hiera::CurrentData;
use catwalk_hiera::DataChange;
use catwalk_hiera::DataUse;
use catwalk_program::EnvironmentQueries;
use catwalk_program::LayoutChange;
use catwalk_program::ParsedSource;
use catwalk_program::RubyUse;
use catwalk_program::Use;
use catwalk_world::Change;
use catwalk_world::ChangeSet;
use catwalk_world::Query;
use catwalk_world::Reads;
use catwalk_world::Reply;
use catwalk_world::World;

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
    /// The number of manifests, at the beginning of the list, that are the main manifest.
    pub(super) main_count: usize,
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
        self.environment.as_ref().is_some_and(|used| used.questions.is_some())
    }

    /// The number of keys of data that were looked up.
    pub(super) fn count_keys(&self) -> usize {
        self.data.iter().map(|used| used.keys().len()).sum()
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

/// The address of the old file, its used definitions, and the node block that matches now, if node blocks match differently.
type ManifestUseKey = (usize, Arc<[usize]>, Option<Option<usize>>);

/// The current state of all inputs, read once for all nodes of an update.
pub(super) struct CurrentAnswers {
    changed: ChangeSet,
    /// The change of `catwalk.toml`.
    site: Option<ConfigurationChange>,
    /// Current responses of processes and servers.
    replies: FxHashMap<Query, Reply>,
    /// Nodes that may have changed, as they are now.
    nodes: FxHashMap<Arc<str>, PreparedNode>,
    /// The changes, including scripts in which only comments changed: messages contain positions in them.
    changed_with_comments: Option<ChangeSet>,
    manifests: FxHashMap<PathBuf, Option<Arc<ParsedSource>>>,
    /// By the address of the old environment.
    environments: FxHashMap<usize, Option<CurrentEnvironment>>,
    /// What node blocks match; `Some(None)` if that is unknown.
    blocks: Option<Option<Arc<CurrentNodeBlocks>>>,
    /// The files of the main manifest; `Some(None)` if there is none.
    main_files: Option<Option<Arc<[PathBuf]>>>,
    /// Whether files or directories were added, removed or became unreadable.
    has_existence_changes: bool,
    /// By the address of the parsed file: whether the file has changed.
    edited: FxHashMap<usize, bool>,
    layout_changes: FxHashMap<ManifestUseKey, (LayoutChange, Arc<[usize]>)>,
    /// By the address of the old data.
    data: FxHashMap<usize, (DataChange, CurrentData)>,
    /// By the address of the old bytes: the current bytes, if their code is equivalent.
    ruby: FxHashMap<usize, Option<Arc<[u8]>>>,
    old_ruby: Vec<Arc<[u8]>>,
    /// Old files, kept in memory so that their addresses stay unique.
    old_files: Vec<Arc<ParsedSource>>,
    old_environments: Vec<Arc<SharedEnvironment>>,
    old_data: Vec<DataUse>,
    /// Current data files, with the old ones.
    data_files: FxHashMap<PathBuf, (DataUse, CurrentData)>,
}

/// New lines by file and line.
pub(super) type Lines = Vec<(Arc<str>, Arc<FxHashMap<u32, u32>>)>;

/// Whether changes affect a node.
pub(super) enum Verdict {
    /// An input has changed.
    Recompile,
    /// The inputs are unchanged; queries must still be compared if [`CurrentAnswers::needs_queries`].
    Unchanged {
        /// Moved lines.
        lines: Lines,
        /// The new version of its catalog, if `config_version` has changed.
        version: Option<Version>,
    },
}

/// What is recorded about the last compile of a node.
pub(super) struct NodeRecord<'a> {
    pub(super) certname: &'a str,
    pub(super) reads: &'a mut Reads,
    pub(super) uses: &'a mut Uses,
    pub(super) logs: &'a [Diagnostic],
    pub(super) failed: bool,
    /// Whether code replaces the main manifest.
    pub(super) has_code: bool,
}

impl CurrentAnswers {
    /// The state after these changes; nothing is read yet.
    pub(super) fn new(pending: &PendingChanges, session: &Session) -> CurrentAnswers {
        let changes = &pending.changes;
        let is_same_code = |change: &&Change| {
            change.contents_only
                && change.path.extension().is_some_and(|extension| extension == "rhai")
                && session.scripts.has_same_code(&change.path, session.world.as_ref())
        };
        let (same_code, others): (Vec<&Change>, Vec<&Change>) = changes.iter().partition(is_same_code);
        let others: Vec<Change> = others.into_iter().cloned().collect();
        CurrentAnswers {
            changed: ChangeSet::new(&others),
            site: pending.configuration,
            replies: FxHashMap::default(),
            nodes: FxHashMap::default(),
            changed_with_comments: (!same_code.is_empty()).then(|| ChangeSet::new(changes)),
            manifests: FxHashMap::default(),
            environments: FxHashMap::default(),
            blocks: None,
            main_files: None,
            has_existence_changes: changes.iter().any(|change| !change.contents_only),
            edited: FxHashMap::default(),
            layout_changes: FxHashMap::default(),
            data: FxHashMap::default(),
            ruby: FxHashMap::default(),
            old_ruby: Vec::new(),
            old_files: Vec::new(),
            old_environments: Vec::new(),
            old_data: Vec::new(),
            data_files: FxHashMap::default(),
        }
    }

    /// Checks whether a node must be recompiled. If not, its records are updated to the current files.
    pub(super) fn check_node(&mut self, session: &Session, node: NodeRecord<'_>) -> Verdict {
        let logs_positions = node.failed || has_positions(node.logs);
        let changed = self.changed_with_comments.as_mut().filter(|_| logs_positions).unwrap_or(&mut self.changed);
        if changed.affects(node.reads, !node.uses.complete) {
            return Verdict::Recompile;
        }
        if !self.holds_with_new_configuration(&node) {
            return Verdict::Recompile;
        }
        // Only uses of the site's own environment are recorded.
        let is_recorded = node.uses.records_environment();
        if !is_recorded && (self.site.is_some() || self.changed.affects_caller_compared(node.reads)) {
            return Verdict::Recompile;
        }
        let Some((mut missing, version)) = self.follow_environment(session, node.uses, node.logs) else {
            return Verdict::Recompile;
        };
        let files = if node.has_code {
            Some((Vec::new(), false))
        } else {
            self.update_main_files(session, node.uses, logs_positions)
        };
        let Some((added, is_added)) = files else { return Verdict::Recompile };
        missing.extend(added);
        let block = match self.find_matching_block(session, node.certname, node.uses, is_added) {
            Ok(block) => block,
            Err(()) => return Verdict::Recompile,
        };
        for used in &mut node.uses.ruby {
            if !self.changed.contents_changed(&used.path) {
                continue;
            }
            let address = used.bytes.as_ptr().addr();
            let now = self.ruby.entry(address).or_insert_with(|| {
                self.old_ruby.push(used.bytes.clone());
                session.world.read(&used.path).ok().filter(|now| used.behaves_like(now))
            });
            match now {
                Some(now) if !logs_positions => used.bytes = now.clone(),
                _ => return Verdict::Recompile,
            }
        }
        if !self.data_holds(session, node.uses) {
            return Verdict::Recompile;
        }
        if !self.configs_hold(session, node.certname, node.uses, node.reads, logs_positions) {
            return Verdict::Recompile;
        }
        let count = node.uses.manifests.len();
        let Some(lines) = self.follow_manifests(session, node.uses, count, block.as_ref(), logs_positions) else {
            return Verdict::Recompile;
        };
        if !missing.is_empty() {
            node.reads.add(missing);
        }
        Verdict::Unchanged { lines, version }
    }

    /// Moves the nodes that have changed, prepared for their compile.
    pub(super) fn move_changed_nodes(&mut self, nodes: &PreparedNodes) {
        self.nodes.drain().for_each(|(_, prepared)| nodes.put(prepared));
    }

    /// The positions of moved lines, for nodes that an edit affects in no other way.
    pub(super) fn into_moved_lines(self, nodes: Vec<Arc<str>>) -> MovedLines {
        let manifests = self.manifests.into_iter().filter_map(|(path, parsed)| Some((path, parsed?))).collect();
        MovedLines::new(nodes, manifests, self.blocks.flatten())
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

/// Compares old and current files for the index.
pub(super) struct FileComparer<'a> {
    pub(super) answers: &'a mut CurrentAnswers,
    pub(super) session: &'a Session,
}

impl Compare for FileComparer<'_> {
    fn data(&mut self, used: &DataUse) -> (DataChange, Option<DataUse>) {
        let (change, now) = self.answers.compare_data(self.session, used);
        let mut latest = used.clone();
        (change.clone(), latest.update_if_unchanged(change, now).then_some(latest))
    }

    fn parts(&mut self, used: &FileUse, blocks: Option<&[usize]>) -> (LayoutChange, FileUse) {
        self.answers.compare_part(self.session, used, blocks)
    }

    fn blocks(&mut self, used: &FileUse) -> Option<BlockMatcher> {
        let FileUse::Manifest { used, main: true } = used else { return None };
        let now = self.answers.parse_manifest(self.session, used.parsed.path()?, used.parsed.template)?;
        used.has_different_node_matches(&now).then(|| BlockMatcher(self.answers.current_blocks(self.session)))
    }
}

/// Whether a logged message has a position or contains a line number.
pub(super) fn has_positions(logs: &[Diagnostic]) -> bool {
    logs.iter().any(|log| log.span.is_some() || log.message.contains("line"))
}

/// Updates the lines of a catalog's resources. `false`: a line is unknown.
pub(super) fn move_lines(catalog: &mut Catalog, lines: &Lines) -> bool {
    for resource in &mut catalog.resources {
        let (Some(file), Some(line)) = (&resource.file, &mut resource.line) else { continue };
        if let Some((_, moved)) = lines.iter().find(|(path, _)| path == file) {
            let Some(now) = moved.get(line) else { return false };
            *line = *now;
        }
    }
    true
}

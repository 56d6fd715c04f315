//! What a compile used of the outside beyond whole answers, and whether it would get the same now.
//!
//! In: what compiles noted, the questions that have other answers now. Out: for each node whether it must be compiled again,
//! and where lines of its manifests went. Must not: compile.

mod blocks;
mod now;
mod outside;

pub(super) use blocks::BlocksNow;

use std::path::PathBuf;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::session::Opened;
use crate::session::Pending;
use crate::session::Reopened;
use crate::session::Session;
use crate::session::answers::outside::EnvironmentNow;
use crate::session::index::Compare;
use crate::session::input::NodeNow;
use crate::session::input::NodeUse;
use crate::session::layers::Shared;
use crate::session::parts::Matching;
use crate::session::parts::Places;
use crate::session::parts::Used;
use catwalk_base::diag::Diagnostic;
use catwalk_base::names::Name;
use catwalk_catalog::Catalog;
use catwalk_catalog::Version;
use catwalk_eval::FactsUse;
use catwalk_hiera::ConfigUse;
use catwalk_hiera::DataChange;
use catwalk_hiera::DataNow;
use catwalk_hiera::DataUse;
use catwalk_program::environment::Questions;
use catwalk_program::program::LayoutChange;
use catwalk_program::program::Parsed;
use catwalk_program::program::RubyUse;
use catwalk_program::program::Use;
use catwalk_world::Change;
use catwalk_world::ChangeSet;
use catwalk_world::Query;
use catwalk_world::Reads;
use catwalk_world::Reply;
use catwalk_world::World;

/// What a compile used of files of which not all counts.
#[derive(Debug, Default)]
pub struct Uses {
    /// The node; nothing for one that is made up.
    pub(super) node: Option<Box<NodeUse>>,
    /// The facts that count.
    pub(super) facts: FactsUse,
    /// Manifests and templates.
    pub(super) manifests: Vec<Use>,
    /// Names of definitions that were looked for, there or not.
    pub(super) names: Box<[Name]>,
    /// Files in Ruby and templates in ERB.
    pub(super) ruby: Vec<RubyUse>,
    /// Data files.
    pub(super) data: Vec<DataUse>,
    /// Configurations of Hiera.
    pub(super) configs: Vec<ConfigUse>,
    /// How many of the manifests, the first of them, are the main manifest.
    pub(super) main: usize,
    /// Its catalog has dependency cycles, or it is not known.
    pub(super) cyclic: bool,
    /// Lines reached more than the places of resources.
    pub(super) places: bool,
    /// Which modules there are.
    pub(super) environment: Option<EnvironmentUse>,
    /// The notes are all there: the compile did not end in the middle.
    pub(super) complete: bool,
}

impl Uses {
    /// Whether it is known what was asked of the environment: it is the site's own.
    pub(super) fn knows_environment(&self) -> bool {
        self.environment.as_ref().is_some_and(|used| used.asked.is_some())
    }

    /// How many keys of data were asked for.
    pub(super) fn count_keys(&self) -> usize {
        self.data.iter().map(|used| used.keys().len()).sum()
    }
}

/// What a compile used of its environment.
#[derive(Debug)]
pub(super) struct EnvironmentUse {
    /// As it was opened.
    opened: Arc<Shared>,
    /// What was asked of its modules; nothing where that is not known.
    asked: Option<Questions>,
}

/// The place of a file as it was, the definitions of it that were used, and the node block of it that is used now
/// where blocks match otherwise.
type Definitions = (usize, Arc<[usize]>, Option<Option<usize>>);

/// What files are now, asked once for all nodes.
pub(super) struct Now {
    changed: ChangeSet,
    /// What the site's own file says otherwise.
    site: Option<Reopened>,
    /// Answers of processes and servers that were asked again.
    replies: FxHashMap<Query, Reply>,
    /// Nodes that may be other ones, as they are.
    nodes: FxHashMap<Arc<str>, NodeNow>,
    /// The changes, including scripts in which only comments changed, since messages contain positions in them.
    places: Option<ChangeSet>,
    manifests: FxHashMap<PathBuf, Option<Arc<Parsed>>>,
    /// By the place of the environment as it was.
    environments: FxHashMap<usize, Option<EnvironmentNow>>,
    /// What node blocks match; nothing inside where that cannot be told.
    blocks: Option<Option<Arc<BlocksNow>>>,
    /// The files of the main manifest; nothing where there is none.
    main: Option<Option<Arc<[PathBuf]>>>,
    /// Whether files or directories came, went or cannot be read.
    moved_files: bool,
    /// By the place of the parsed file: whether it is of a file that changed.
    old: FxHashMap<usize, bool>,
    moved: FxHashMap<Definitions, (LayoutChange, Arc<[usize]>)>,
    /// By the place of the data as it was.
    data: FxHashMap<usize, (DataChange, DataNow)>,
    /// By the place of the bytes as they were: the bytes of now, if they do the same.
    ruby: FxHashMap<usize, Option<Arc<[u8]>>>,
    kept_ruby: Vec<Arc<[u8]>>,
    /// What the places are of.
    kept: Vec<Arc<Parsed>>,
    kept_environments: Vec<Arc<Shared>>,
    kept_data: Vec<DataUse>,
    /// Data files as they are now, with what they are of.
    data_files: FxHashMap<PathBuf, (DataUse, DataNow)>,
}

/// New lines by file and line.
pub(super) type Lines = Vec<(Arc<str>, Arc<FxHashMap<u32, u32>>)>;

/// What a node is to the changes.
pub(super) enum Verdict {
    /// Some answer differs.
    Again,
    /// Its answers are the same, as far as it is not [`Now::must_ask`].
    Same {
        /// Where lines went.
        lines: Lines,
        /// The version of its catalog, if that comes from elsewhere.
        version: Option<Version>,
    },
}

/// What is known of a node.
pub(super) struct Known<'a> {
    pub(super) certname: &'a str,
    pub(super) reads: &'a mut Reads,
    pub(super) uses: &'a mut Uses,
    pub(super) logs: &'a [Diagnostic],
    pub(super) failed: bool,
    /// It has code in place of the main manifest.
    pub(super) code: bool,
}

impl Now {
    /// What is there after these changes.
    pub(super) fn new(pending: &Pending, session: &Session) -> Now {
        let changes = &pending.changes;
        let same = |change: &&Change| {
            change.text_only
                && change.path.extension().is_some_and(|extension| extension == "rhai")
                && session.scripts.means_the_same(&change.path, session.world.as_ref())
        };
        let (same, others): (Vec<&Change>, Vec<&Change>) = changes.iter().partition(same);
        let others: Vec<Change> = others.into_iter().cloned().collect();
        Now {
            changed: ChangeSet::new(&others),
            site: pending.site,
            replies: FxHashMap::default(),
            nodes: FxHashMap::default(),
            places: (!same.is_empty()).then(|| ChangeSet::new(changes)),
            manifests: FxHashMap::default(),
            environments: FxHashMap::default(),
            blocks: None,
            main: None,
            moved_files: changes.iter().any(|change| !change.text_only),
            old: FxHashMap::default(),
            moved: FxHashMap::default(),
            data: FxHashMap::default(),
            ruby: FxHashMap::default(),
            kept_ruby: Vec::new(),
            kept: Vec::new(),
            kept_environments: Vec::new(),
            kept_data: Vec::new(),
            data_files: FxHashMap::default(),
        }
    }

    /// Whether a node gets the same answers. Its notes are of the new files then.
    pub(super) fn judge(&mut self, session: &Session, node: Known<'_>) -> Verdict {
        let told = node.failed || tells_places(node.logs);
        let changed = self.places.as_mut().filter(|_| told).unwrap_or(&mut self.changed);
        if changed.concern(node.reads, !node.uses.complete) {
            return Verdict::Again;
        }
        if !self.holds_reopened(&node) {
            return Verdict::Again;
        }
        // Of other environments it is not known.
        let known = node.uses.knows_environment();
        if !known && (self.site.is_some() || self.changed.concern_elsewhere(node.reads)) {
            return Verdict::Again;
        }
        let Some((mut missing, version)) = self.environment(session, node.uses, node.logs) else {
            return Verdict::Again;
        };
        let files = if node.code { Some((Vec::new(), false)) } else { self.main_files(session, node.uses, told) };
        let Some((added, is_added)) = files else { return Verdict::Again };
        missing.extend(added);
        let block = match self.blocks(session, node.certname, node.uses, is_added) {
            Ok(block) => block,
            Err(()) => return Verdict::Again,
        };
        for used in &mut node.uses.ruby {
            if !self.changed.has_text(&used.path) {
                continue;
            }
            let address = used.bytes.as_ptr().addr();
            let now = self.ruby.entry(address).or_insert_with(|| {
                self.kept_ruby.push(used.bytes.clone());
                session.world.read(&used.path).ok().filter(|now| used.means(now))
            });
            match now {
                Some(now) if !told => used.bytes = now.clone(),
                _ => return Verdict::Again,
            }
        }
        if !self.data_holds(session, node.uses) {
            return Verdict::Again;
        }
        if !self.configs(session, node.certname, node.uses, node.reads, told) {
            return Verdict::Again;
        }
        let all = node.uses.manifests.len();
        let Some(lines) = self.manifests_hold(session, node.uses, all, block.as_ref(), told) else {
            return Verdict::Again;
        };
        if !missing.is_empty() {
            node.reads.add(missing);
        }
        Verdict::Same { lines, version }
    }

    /// For nodes to whom an edit was nothing but other places: where these went in the manifests that were looked at.
    pub(super) fn into_places(self, nodes: Vec<Arc<str>>) -> Places {
        let manifests = self.manifests.into_iter().filter_map(|(path, parsed)| Some((path, parsed?))).collect();
        Places::new(nodes, manifests, self.blocks.flatten())
    }
}

impl Session {
    /// What a compile used of its environment.
    pub(super) fn environment_use(&self, opened: &Opened<'_>) -> Option<EnvironmentUse> {
        let own = &opened.program.environment;
        if let Some(shared) = self.layers.opened(own) {
            for module in opened.data.node.modules() {
                own.asked.module(&module);
            }
            return Some(EnvironmentUse { opened: shared, asked: Some(own.asked.take()) });
        }
        // Of the environment that a classifier chose, or the site's under another name.
        let site = self.open_environment().ok()?;
        Some(EnvironmentUse { opened: self.layers.opened(&site)?, asked: None })
    }
}

/// What changes mean, for the index.
pub(super) struct Comparing<'a> {
    pub(super) now: &'a mut Now,
    pub(super) session: &'a Session,
}

impl Compare for Comparing<'_> {
    fn data(&mut self, used: &DataUse) -> (DataChange, Option<DataUse>) {
        let (change, now) = self.now.data_now(self.session, used);
        let mut latest = used.clone();
        (change.clone(), latest.holds(change, now).then_some(latest))
    }

    fn parts(&mut self, used: &Used, blocks: Option<&[usize]>) -> (LayoutChange, Used) {
        self.now.parts_now(self.session, used, blocks)
    }

    fn blocks(&mut self, used: &Used) -> Option<Matching> {
        let Used::Manifest { used, main: true } = used else { return None };
        let now = self.now.manifest(self.session, used.parsed.path()?, used.parsed.template)?;
        used.has_different_node_matches(&now).then(|| Matching(self.now.blocks_now(self.session)))
    }
}

/// Whether something was logged that has a place, or names one.
pub(super) fn tells_places(logs: &[Diagnostic]) -> bool {
    logs.iter().any(|log| log.span.is_some() || log.message.contains("line"))
}

/// Moves the places of a catalog's resources. `false`: a line is not known.
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

//! The main manifest as a source of answers: its files, the names that it defines, and the node blocks that match.
//!
//! In: its parsed files. Out: fingerprints. Must not: read files, or look into the code of definitions.

use std::path::Path;
use std::sync::Arc;
use std::sync::OnceLock;

use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use rustc_hash::FxHashSet;

use crate::session::questions::source::Part;
use catwalk_base::fingerprint::Fingerprint;
use catwalk_base::names::Name;
use catwalk_base::version::Version;
use catwalk_eval::Blocks;
use catwalk_program::CodePart;
use catwalk_program::ParsedSource;
use catwalk_syntax::ast::Definition;
use catwalk_syntax::ast::DefinitionKind;
use catwalk_syntax::ast::ExprKind;

/// The files of the main manifest.
#[derive(Debug)]
pub(in crate::session) struct MainManifest {
    files: Vec<Arc<ParsedSource>>,
    names: OnceLock<FxHashMap<Name, Vec<usize>>>,
    blocks: OnceLock<Arc<NodeBlocks>>,
}

/// The node blocks, which match nodes.
#[derive(Debug)]
struct NodeBlocks {
    blocks: Blocks,
    /// The file of each block, and its number among the blocks of the file.
    positions: Vec<(usize, usize)>,
    has_clash: bool,
    /// The blocks of nodes.
    matches: Mutex<FxHashMap<Arc<str>, Vec<usize>>>,
}

impl MainManifest {
    pub(super) fn new(files: Vec<Arc<ParsedSource>>) -> MainManifest {
        MainManifest { files, names: OnceLock::new(), blocks: OnceLock::new() }
    }

    /// Whether both have the same files with the same contents.
    pub(super) fn is_same(&self, other: &MainManifest) -> bool {
        self.files.len() == other.files.len() && self.files.iter().zip(&other.files).all(|(a, b)| Arc::ptr_eq(a, b))
    }

    /// The main manifest after an edit. Node blocks match the same nodes if their heads are unchanged.
    pub(super) fn followed_by(&self, files: Vec<Arc<ParsedSource>>) -> MainManifest {
        let is_same = |a: &Arc<ParsedSource>, b: &Arc<ParsedSource>| {
            Arc::ptr_eq(a, b) || (a.path() == b.path() && a.heads() == b.heads())
        };
        let has_same_heads =
            files.len() == self.files.len() && files.iter().zip(&self.files).all(|(a, b)| is_same(a, b));
        let now = MainManifest::new(files);
        if let Some(blocks) = self.blocks.get().filter(|_| has_same_heads) {
            let _ = now.blocks.set(blocks.clone());
        }
        now
    }

    pub(super) fn files(&self) -> impl Iterator<Item = (&Path, &Arc<ParsedSource>)> {
        self.files.iter().filter_map(|file| Some((file.path()?, file)))
    }

    pub(super) fn contains(&self, path: &Path) -> bool {
        self.files().any(|(file, _)| file == path)
    }

    /// The fingerprint of the answer to a question about it.
    pub(super) fn fingerprint(&self, part: &Part, version: Version) -> Fingerprint {
        match part {
            Part::MainFiles { is_exact: true } => Fingerprint::of(&self.paths(|_| true)),
            Part::MainFiles { is_exact: false } => {
                let mut duplicates: Vec<&str> =
                    self.names().iter().filter(|(_, files)| files.len() > 1).map(|(name, _)| name.as_str()).collect();
                duplicates.sort_unstable();
                Fingerprint::of(&(self.paths(|file| !contains_only_definitions(file)), duplicates))
            }
            Part::MainName(name) => {
                let files = self.names().get(name).into_iter().flatten();
                Fingerprint::of(&files.filter_map(|file| self.files.get(*file)?.path()).collect::<Vec<_>>())
            }
            Part::NodeBlock { certname, positions } => self.block_fingerprint(certname, *positions, version),
            _ => Fingerprint::of(part),
        }
    }

    fn paths(&self, is_selected: impl Fn(&ParsedSource) -> bool) -> Vec<&Path> {
        self.files.iter().filter(|file| is_selected(file)).filter_map(|file| file.path()).collect()
    }

    /// The files that define each class and defined type.
    fn names(&self) -> &FxHashMap<Name, Vec<usize>> {
        self.names.get_or_init(|| {
            let mut names: FxHashMap<Name, Vec<usize>> = FxHashMap::default();
            for (at, file) in self.files.iter().enumerate() {
                for definition in file.file.definitions.iter().filter(|definition| is_named(definition)) {
                    names.entry(definition.name.normalized()).or_default().push(at);
                }
            }
            names
        })
    }

    /// The fingerprint of the code of the blocks that a node gets.
    fn block_fingerprint(&self, certname: &Arc<str>, with_positions: bool, version: Version) -> Fingerprint {
        let blocks = self.blocks.get_or_init(|| Arc::new(NodeBlocks::new(&self.files, version)));
        if blocks.has_clash {
            return Fingerprint::of("clash");
        }
        let mut matches = blocks.matches.lock();
        let used = matches.entry(certname.clone()).or_insert_with(|| blocks.blocks.used_by(certname));
        let block = |block: &usize| {
            let (file, number) = blocks.positions.get(*block)?;
            let file = self.files.get(*file)?;
            Some((file.path(), file.fingerprint(CodePart::Block(*number), with_positions)))
        };
        Fingerprint::of(&(blocks.positions.is_empty(), used.iter().map(block).collect::<Vec<_>>()))
    }
}

impl NodeBlocks {
    fn new(files: &[Arc<ParsedSource>], version: Version) -> NodeBlocks {
        let (mut nodes, mut positions) = (Vec::new(), Vec::new());
        let mut classes: FxHashSet<&str> = FxHashSet::default();
        for (at, file) in files.iter().enumerate() {
            let mut number = 0;
            for definition in &file.file.definitions {
                match &definition.kind {
                    DefinitionKind::Node(_) => {
                        nodes.push(&**definition);
                        positions.push((at, number));
                        number += 1;
                    }
                    DefinitionKind::Class(_) => drop(classes.insert(definition.name.normalized().as_str())),
                    _ => {}
                }
            }
        }
        let has_clash = Blocks::clash(&nodes, &classes, version);
        NodeBlocks { blocks: Blocks::new(&nodes, version), positions, has_clash, matches: Mutex::default() }
    }
}

/// Whether a definition is a class or a defined type.
pub(super) fn is_named(definition: &Definition) -> bool {
    matches!(definition.kind, DefinitionKind::Class(_) | DefinitionKind::Define(_))
}

/// Whether a file contains only node blocks, classes and defined types.
fn contains_only_definitions(parsed: &ParsedSource) -> bool {
    parsed.diagnostics.is_empty()
        && parsed.file.body.statements.iter().all(|it| matches!(it.kind, ExprKind::Definition(_) | ExprKind::Nop))
        && parsed.file.definitions.iter().all(|it| matches!(it.kind, DefinitionKind::Node(_)) || is_named(it))
}

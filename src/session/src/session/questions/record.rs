//! The questions of one compile.
//!
//! In: what a compile read and used. Out: its questions. Must not: compare answers.

use std::ffi::OsStr;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use rustc_hash::FxHashSet;

use crate::session::Uses;
use crate::session::answers::EnvironmentUse;
use crate::session::answers::NewAnswers;
use crate::session::questions::MAIN;
use crate::session::questions::MainManifest;
use crate::session::questions::Part;
use crate::session::questions::Questions;
use crate::session::questions::Source;
use crate::session::questions::main_manifest::is_named;
use catwalk_catalog::Catalog;
use catwalk_hiera::DataUse;
use catwalk_program::CodePart;
use catwalk_world::Reads;

/// A compile whose questions are recorded.
pub(in crate::session) struct Recorded<'a> {
    pub(in crate::session) certname: &'a Arc<str>,
    pub(in crate::session) reads: &'a mut Reads,
    pub(in crate::session) uses: &'a mut Uses,
    /// The catalog, whose lines are moved with the code.
    pub(in crate::session) catalog: Option<&'a Catalog>,
    /// Whether a message or the error has a position.
    pub(in crate::session) logs_positions: bool,
}

impl Questions {
    /// Replaces the questions of a node by those of a compile, which are removed from its records.
    pub(in crate::session) fn record(&mut self, name: &Arc<str>, compile: Recorded<'_>) {
        let mut list = Vec::new();
        self.record_paths(&compile, &mut list);
        if compile.uses.complete {
            let mut data = std::mem::take(&mut compile.uses.data);
            data.retain(|used| !compile.reads.is_whole(used.path.as_os_str()));
            self.record_data(data, &mut list);
            self.record_code(&compile, &mut list);
            self.record_main(&compile, &mut list);
        }
        compile.reads.forget_paths();
        compile.uses.forget_files();
        let node = self.number(name);
        self.set_list(node, list);
    }

    fn record_paths(&mut self, compile: &Recorded<'_>, list: &mut Vec<u32>) {
        let Recorded { reads, uses, logs_positions, .. } = compile;
        let whole = Part::Whole { positions: *logs_positions };
        // If the compile ended early, its records of parts are missing.
        let or_whole = |part: Part| if uses.complete { part } else { whole.clone() };
        let mut add = |path: &OsStr, part: Part| {
            self.add_parts(path, Source::Path, [part], list);
        };
        for path in reads.unshared_paths() {
            add(path, if reads.is_whole(path) { whole.clone() } else { or_whole(Part::Existence) });
        }
        reads.shared_parts().for_each(|path| add(path, or_whole(Part::Existence)));
        reads.whole_shared_paths().for_each(|path| add(path, whole.clone()));
        reads.node_inputs().iter().for_each(|path| add(path, or_whole(Part::NodeInputs)));
        // Only uses of the site's own environment are recorded.
        let recorded = uses.environment.as_ref().filter(|used| used.is_recorded());
        for path in reads.caller_compared() {
            let part = match recorded {
                Some(used) if used.has_read(path) => Part::Environment,
                Some(_) => Part::MainPath,
                None => whole.clone(),
            };
            add(path, or_whole(part));
        }
        for used in &uses.configs {
            let is_replayed = recorded.is_some() && !logs_positions;
            add(used.path.as_os_str(), if is_replayed { or_whole(Part::Hierarchy) } else { whole.clone() });
        }
    }

    /// Adds the questions on which a node depends after an edit.
    pub(in crate::session) fn extend(&mut self, name: &Arc<str>, new: NewAnswers) {
        let mut list = Vec::new();
        for (path, part) in new.paths {
            self.add_parts(path.as_os_str(), Source::Path, [part], &mut list);
        }
        self.record_data(new.data, &mut list);
        let node = self.number(name);
        self.extend_list(node, &list);
    }

    /// Adds the paths that were read for a node's facts and classes after an edit.
    pub(in crate::session) fn record_node_inputs(&mut self, name: &Arc<str>, reads: &mut Reads) {
        let mut list = Vec::new();
        for path in reads.node_inputs() {
            self.add_parts(path, Source::Path, [Part::NodeInputs], &mut list);
        }
        reads.forget_paths();
        let node = self.number(name);
        self.extend_list(node, &list);
    }

    fn record_data(&mut self, data: Vec<DataUse>, list: &mut Vec<u32>) {
        for mut used in data {
            let path = used.path.clone().into_os_string();
            let names = used.depends_on_names().then_some(Part::KeyNames);
            let keys = used.take_keys();
            self.add_parts(&path, Source::Data(used), names.into_iter().chain(keys.map(Part::Key)), list);
        }
    }

    fn record_code(&mut self, compile: &Recorded<'_>, list: &mut Vec<u32>) {
        let Recorded { uses, logs_positions, catalog, .. } = compile;
        let mut lines: FxHashMap<&OsStr, FxHashSet<u32>> = FxHashMap::default();
        for resource in catalog.iter().flat_map(|catalog| &catalog.resources) {
            if let (Some(file), Some(line)) = (&resource.file, resource.line) {
                lines.entry(OsStr::new(&**file)).or_default().insert(line);
            }
        }
        let positions = uses.reads_lines;
        for used in &uses.manifests {
            let Some(path) = used.parsed.path().map(std::path::Path::as_os_str) else { continue };
            if *logs_positions {
                self.add_parts(path, Source::Path, [Part::Whole { positions: true }], list);
                continue;
            }
            // The node block that a node gets is a question about the whole main manifest.
            let used_parts = used.definitions.iter().map(|number| used.parsed.part(*number));
            let used_parts = used_parts.filter(|part| !matches!(part, CodePart::Block(_)));
            let parts = std::iter::once(CodePart::Rest).chain(used_parts);
            let parts = parts.map(|part| Part::Code { part, positions });
            if let Some(version) = self.add_parts(path, Source::Code(used.parsed.clone()), parts, list) {
                version.lines.extend(lines.get(path).into_iter().flatten());
            }
        }
        for used in &uses.ruby {
            let (source, part) = match logs_positions {
                true => (Source::Path, Part::Whole { positions: true }),
                false => (Source::Ruby(used.clone()), Part::Ruby),
            };
            self.add_parts(used.path.as_os_str(), source, [part], list);
        }
    }

    /// Records the questions about the main manifest as a whole.
    fn record_main(&mut self, compile: &Recorded<'_>, list: &mut Vec<u32>) {
        let Recorded { uses, logs_positions, certname, .. } = compile;
        let Some(count) = uses.main_count.filter(|_| uses.records_environment()) else { return };
        let (main, others) = uses.manifests.split_at(count.min(uses.manifests.len()));
        let depends_on_all = uses.environment.as_ref().is_some_and(EnvironmentUse::depends_on_all);
        let is_exact = *logs_positions || depends_on_all || main.is_empty();
        let definitions = others.iter().flat_map(|used| &used.parsed.file.definitions);
        let defined =
            definitions.filter(|definition| is_named(definition)).map(|definition| definition.name.normalized());
        let names = uses.names.iter().copied().chain(defined).map(Part::MainName);
        let block = Part::NodeBlock { certname: (*certname).clone(), positions: uses.reads_lines };
        let parts = [Part::MainFiles { is_exact }, block].into_iter().chain(names);
        let source = MainManifest::new(main.iter().map(|used| used.parsed.clone()).collect());
        self.add_parts(OsStr::new(MAIN), Source::Main(Arc::new(source)), parts, list);
    }
}

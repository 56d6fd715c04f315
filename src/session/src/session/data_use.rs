//! Keys of data that nodes do not use.
//!
//! In: names of nodes, which are compiled. Out: a [`Report`]. Must not: print.

mod formats;

use parking_lot::Mutex;
use std::path::PathBuf;
use std::sync::Arc;

use indexmap::IndexMap;
use rayon::prelude::*;

use crate::session::NodeSource;
use crate::session::PreparedNode;
use crate::session::Session;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::names::Name;
use catwalk_base::names::nearest;
use catwalk_hiera::DataFile;
use catwalk_hiera::Usage;
use catwalk_syntax::ast::Definition;
use catwalk_syntax::ast::DefinitionKind;

/// Why a key is not used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Its class exists, but has no such parameter.
    Typo,
    /// No node looks it up.
    Unused,
    /// Nodes look it up, but each finds a value elsewhere.
    Overridden,
}

impl Kind {
    /// The name in output.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Typo => "typo",
            Kind::Unused => "unused",
            Kind::Overridden => "overridden",
        }
    }
}

/// A key that is not used.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The kind of the finding.
    pub kind: Kind,
    /// The key.
    pub key: String,
    /// Its file.
    pub path: PathBuf,
    /// The line in the file.
    pub line: u32,
    /// The file's layer.
    pub layer: Arc<str>,
    /// The most similar existing name.
    pub nearest: Option<String>,
}

/// The result of comparing data with the lookups of nodes.
#[derive(Debug, Default)]
pub struct Report {
    /// Keys that are not used, by file and line.
    pub findings: Vec<Finding>,
    /// Nodes that do not compile; their lookups until the failure are included.
    pub failed: Vec<(Arc<str>, Box<Diagnostic>)>,
    /// The number of compiled nodes.
    pub nodes: usize,
    /// The number of files.
    pub files: usize,
    /// The number of keys.
    pub keys: usize,
}

/// Data files by environment.
type Files = Mutex<IndexMap<Arc<str>, Result<Vec<DataFile>, Box<Diagnostic>>>>;

/// The first of the nodes, by number, that could be prepared; its environment defines the classes that keys may name.
type FirstNode = Mutex<Option<(usize, PreparedNode)>>;

impl Session {
    /// Compiles nodes and returns the keys of data files that none of them uses. `modules`: also data of modules.
    ///
    /// # Errors
    ///
    /// A hierarchy or data file is malformed.
    pub fn unused_data(&self, names: &[Arc<str>], modules: bool) -> Result<Report, Box<Diagnostic>> {
        let prepared = self.gather_exports(&|_| true);
        let files = Files::default();
        let first = FirstNode::default();
        let collect = |(at, name): (usize, &Arc<str>)| {
            let node = prepared.take(name).map_or_else(|| self.prepare(NodeSource::Site(name)), Ok);
            (name.clone(), node.and_then(|node| self.collect_usage((at, node), modules, &files, &first)))
        };
        let used: Vec<_> = match Some(names).filter(|names| names.len() > 1).and_then(|_| super::pool()) {
            Some(pool) => pool.install(|| names.par_iter().enumerate().map(collect).collect()),
            None => names.iter().enumerate().map(collect).collect(),
        };
        let mut report = Report { nodes: names.len(), ..Report::default() };
        let mut usage = Usage::default();
        for (name, result) in used {
            match result {
                Ok((used, failure)) => {
                    usage.merge(used);
                    report.failed.extend(failure.map(|failure| (name, failure)));
                }
                Err(failure) => report.failed.push((name, failure)),
            }
        }
        let mut files = files.into_inner();
        files.sort_keys();
        let mut data_files: IndexMap<PathBuf, DataFile> = IndexMap::new();
        for (_, files) in files {
            data_files.extend(files?.into_iter().map(|file| (file.path.clone(), file)));
        }
        report.files = data_files.len();
        report.keys = data_files.values().map(|file| file.keys.len()).sum();
        for file in data_files.values() {
            let unused = file.keys.iter().filter(|(key, _)| !usage.is_read(&file.path, key));
            report.findings.extend(unused.map(|(key, line)| Finding {
                kind: if usage.is_looked_up(key) { Kind::Overridden } else { Kind::Unused },
                key: key.clone(),
                path: file.path.clone(),
                line: *line,
                layer: file.layer.clone(),
                nearest: None,
            }));
        }
        if let Some((_, prepared)) = first.into_inner() {
            self.find_typos(&prepared, &mut report.findings)?;
        }
        Ok(report)
    }

    /// Compiles a node; returns its lookups, and the failure if there is one.
    fn collect_usage(
        &self,
        (at, prepared): (usize, PreparedNode),
        modules: bool,
        files: &Files,
        first: &FirstNode,
    ) -> Result<(Usage, Option<Box<Diagnostic>>), Box<Diagnostic>> {
        let usage = self.with_prepared(&prepared, |opened, _| {
            let lookup = opened.data.lookup;
            let mut by_environment = files.lock();
            by_environment.entry(lookup.sources().environment_name.clone()).or_insert_with(|| {
                lookup.data_files(modules, opened.world).map_err(|failure| {
                    let locations = failure.reason.locations.clone();
                    let reason = Reason { locations, ..Reason::new(Code::BAD_DATA, failure.full_message()) };
                    Box::from(reason)
                })
            });
            drop(by_environment);
            opened.data.node.record_keys();
            let compiled = crate::compile::compile_with(&opened.input(), |evaluator| opened.set_up(evaluator));
            let failure = compiled.result.err().map(|mut failure| {
                opened.explain(&mut failure);
                failure.redact(&self.secrets(opened.world.secrets().reported()));
                failure
            });
            (opened.data.node.take_usage(), failure)
        })?;
        let mut first = first.lock();
        if first.as_ref().is_none_or(|(earlier, _)| at < *earlier) {
            *first = Some((at, prepared));
        }
        Ok(usage)
    }

    /// Unused keys of an existing class that has no such parameter.
    fn find_typos(&self, prepared: &PreparedNode, findings: &mut [Finding]) -> Result<(), Box<Diagnostic>> {
        self.with_prepared(prepared, |opened, _| {
            for finding in findings.iter_mut().filter(|finding| finding.kind == Kind::Unused) {
                let Some((class, parameter)) = finding.key.rsplit_once("::") else { continue };
                let Ok(Some(definition)) = opened.program.class(Name::new(class)) else { continue };
                let names = parameter_names(definition);
                if names.contains(&parameter) {
                    continue;
                }
                finding.kind = Kind::Typo;
                finding.nearest = nearest(parameter, names).map(|name| format!("{class}::{name}"));
            }
        })
    }
}

fn parameter_names(definition: &Definition) -> Vec<&str> {
    match &definition.kind {
        DefinitionKind::Class(class) => class.params.iter().map(|parameter| parameter.name.as_str()).collect(),
        _ => Vec::new(),
    }
}

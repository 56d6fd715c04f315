//! Compiles of a site's nodes, in parallel.
//!
//! In: a session, names of nodes. Out: [`Compiled`] for each, with its inputs. A panic inside is an error of one node. Must not:
//! know earlier compiles.

use catwalk_node::facts::legacy;
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering;
use std::time::Duration;
use std::time::Instant;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::session::ExportedFrom;
use crate::session::Session;
use crate::session::Uses;
use crate::session::guard::Guarded;
use crate::session::policies;
use crate::session::pool;
use crate::session::prepare::FailedNode;
use crate::session::prepare::NodeSource;
use crate::session::prepare::PreparedNode;
use catwalk_base::diag::Diagnostic;
use catwalk_base::meter::parallel::RunningCompile;
use catwalk_base::profile;
use catwalk_base::secrets::SecretCollection;
use catwalk_catalog::Catalog;
use catwalk_value::Hash;
use catwalk_world::Reads;
use catwalk_world::RecordingWorld;

/// The result for one node.
#[derive(Debug)]
pub struct Compiled {
    /// The certname of the node.
    pub certname: Arc<str>,
    /// The catalog, or the error.
    pub result: Result<Catalog, Box<Diagnostic>>,
    /// The messages that the compile logged, in order.
    pub logs: Vec<Diagnostic>,
    /// The external data that was read.
    pub reads: Reads,
    /// The parts of files that were used.
    pub uses: Uses,
    /// Wall time.
    pub elapsed: Duration,
    /// Whether exported resources are collected.
    pub collects: bool,
    /// The facts of the node as they were read, where the options keep them.
    pub(super) facts: Option<Arc<Hash>>,
}

/// Nodes that were prepared before their compile, by name.
#[derive(Default)]
pub(super) struct PreparedNodes(Mutex<FxHashMap<Arc<str>, PreparedNode>>);

impl PreparedNodes {
    pub(super) fn take(&self, certname: &str) -> Option<PreparedNode> {
        self.0.lock().remove(certname)
    }

    pub(super) fn put(&self, prepared: PreparedNode) {
        self.0.lock().insert(prepared.certname().clone(), prepared);
    }
}

impl Compiled {
    /// The legacy facts of the node that the compile used.
    #[must_use]
    pub fn used_legacy_facts(&self) -> Vec<String> {
        let Some(facts) = &self.facts else { return Vec::new() };
        let used = |name: &String| self.uses.facts.names.iter().any(|used| used.as_str() == name);
        legacy::names(facts).into_iter().filter(used).collect()
    }
}

/// The records of a compile besides its result.
#[derive(Default)]
struct CompileRecord {
    uses: Uses,
    collects: bool,
}

impl Session {
    /// Compiles nodes in parallel and calls `done` with each result. Results are in the order of the names. The calling thread should
    /// have a large stack ([`catwalk_base::stack::with_large`]).
    pub fn compile_all(&self, names: &[Arc<str>], done: &(dyn Fn(&Compiled) + Sync)) -> Vec<Compiled> {
        if self.options.exported != Some(ExportedFrom::Site) {
            return self.compile_each(names, done);
        }
        let compiled = self.compile_collecting(names, &PreparedNodes::default(), &|_| false);
        compiled.iter().for_each(done);
        compiled
    }

    /// Compiles nodes in parallel and calls `take` with each result, in the thread that compiled it. Returns the results of `take` in the
    /// order of the names. The calling thread should have a large stack.
    pub fn compile_all_into<T: Send>(&self, names: &[Arc<str>], take: impl Fn(Compiled) -> T + Sync + Send) -> Vec<T> {
        if self.options.exported != Some(ExportedFrom::Site) {
            return self.compile_each_into(names, take);
        }
        let compiled = self.compile_collecting(names, &PreparedNodes::default(), &|_| false);
        match Some(&compiled).filter(|all| all.len() > 1).and_then(|_| pool()) {
            Some(pool) => pool.install(|| compiled.into_par_iter().map(take).collect()),
            None => compiled.into_iter().map(take).collect(),
        }
    }

    fn compile_each(&self, names: &[Arc<str>], done: &(dyn Fn(&Compiled) + Sync)) -> Vec<Compiled> {
        self.compile_each_into(names, |compiled| {
            done(&compiled);
            compiled
        })
    }

    fn compile_each_into<T: Send>(&self, names: &[Arc<str>], take: impl Fn(Compiled) -> T + Sync + Send) -> Vec<T> {
        self.for_each_node(names, |name| take(self.compile(name)))
    }

    /// Compiles nodes, and prepares those that are not among `prepared`. The nodes that `keeps` selects stay there for another compile,
    /// so that only the first one classifies them.
    pub(super) fn compile_each_of(
        &self,
        names: &[Arc<str>],
        prepared: &PreparedNodes,
        keeps: impl Fn(&Compiled) -> bool + Sync,
    ) -> Vec<Compiled> {
        self.for_each_node(names, |name| {
            let (compiled, node) = match prepared.take(name) {
                Some(node) => (self.compile_prepared(&node), Some(node)),
                None => self.compile_and_keep(NodeSource::Site(name)),
            };
            // Each compile reads its own tape.
            if let Some(node) = node.filter(|_| self.tapes.is_none() && keeps(&compiled)) {
                prepared.put(node);
            }
            compiled
        })
    }

    fn for_each_node<T: Send>(&self, names: &[Arc<str>], compile: impl Fn(&Arc<str>) -> T + Sync + Send) -> Vec<T> {
        match Some(names).filter(|names| names.len() > 1).and_then(|_| pool()) {
            Some(pool) => {
                // Reading ahead is useless while other nodes are compiled on all processors.
                self.may_prefetch.store(false, Ordering::Relaxed);
                // Start nodes in order, so that output that is written in order need not wait.
                let next = AtomicUsize::new(0);
                let compile_next = |_| {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    names.get(at).map(|name| (at, compile(name)))
                };
                let mut results: Vec<(usize, T)> = pool.install(|| names.par_iter().filter_map(compile_next).collect());
                results.sort_unstable_by_key(|(at, _)| *at);
                results.into_iter().map(|(_, result)| result).collect()
            }
            None => names.iter().map(compile).collect(),
        }
    }

    /// Compiles one node of the site. A panic inside is an error of this node.
    #[must_use]
    pub fn compile(&self, certname: &str) -> Compiled {
        self.compile_source(NodeSource::Site(certname))
    }

    /// Prepares and compiles a node.
    pub(super) fn compile_source(&self, source: NodeSource<'_>) -> Compiled {
        self.compile_and_keep(source).0
    }

    /// As [`Session::compile_source`]; also returns the prepared node.
    fn compile_and_keep(&self, source: NodeSource<'_>) -> (Compiled, Option<PreparedNode>) {
        with_retry(|| {
            let started = Instant::now();
            match self.try_prepare(source) {
                Ok(prepared) => (self.compile_once(&prepared, started), Some(prepared)),
                Err(failed) => (self.failed(source.certname(), *failed, started), None),
            }
        })
    }

    /// Compiles a prepared node. A panic inside is an error of this node.
    #[must_use]
    pub fn compile_prepared(&self, prepared: &PreparedNode) -> Compiled {
        with_retry(|| self.compile_once(prepared, Instant::now()))
    }

    fn compile_once(&self, prepared: &PreparedNode, started: Instant) -> Compiled {
        let collection = Arc::new(SecretCollection::from(prepared.reported()));
        let (world, recording) = prepared.open_world(&collection);
        let mut record = CompileRecord::default();
        let guarded = self.guard(
            &collection,
            |logs| {
                logs.extend(prepared.logs().iter().cloned());
                self.attempt(prepared, &world, &mut record, logs)
            },
            |result| {
                prepared.node_world().close(result).map_err(|mut failure| {
                    self.name_missing_dependencies(&mut failure);
                    failure
                })
            },
        );
        let Guarded { mut result, logs, secrets, .. } = guarded;
        if let Ok(catalog) = &mut result {
            catalog.secrets = secrets;
        }
        let mut reads = recording.take_reads();
        reads.set_node_inputs(prepared.node_reads().clone());
        let CompileRecord { mut uses, collects } = record;
        uses.node = prepared.node_use(&uses.facts).map(Box::new);
        let facts = uses.node.as_ref().filter(|_| self.options.keep_facts).map(|_| prepared.facts().values.clone());
        let certname = prepared.certname().clone();
        Compiled { certname, result, logs, reads, uses, elapsed: started.elapsed(), collects, facts }
    }

    /// The result for a node that could not be prepared.
    fn failed(&self, certname: Arc<str>, failed: FailedNode, started: Instant) -> Compiled {
        let FailedNode { mut failure, logs, reads } = failed;
        self.name_missing_dependencies(&mut failure);
        let (uses, elapsed) = (Uses::default(), started.elapsed());
        Compiled { certname, result: Err(failure), logs, reads, uses, elapsed, collects: false, facts: None }
    }

    /// Compiles a node, and checks the catalog with the site's policies.
    fn attempt(
        &self,
        prepared: &PreparedNode,
        world: &Arc<RecordingWorld>,
        record: &mut CompileRecord,
        logs: &mut Vec<Diagnostic>,
    ) -> Result<Catalog, Box<Diagnostic>> {
        let CompileRecord { uses, collects } = record;
        self.open_prepared(prepared, world, logs, |opened, logs| {
            let compiled = crate::compile::compile_with(&opened.input(), |evaluator| opened.set_up(evaluator));
            logs.extend(opened.program.take_warnings());
            logs.extend(compiled.logs);
            *collects = compiled.collects;
            let mut facts = compiled.facts;
            let result = compiled.result.map_err(|mut failure| {
                self.explain_failure(&mut failure, opened);
                failure
            });
            let result = result.and_then(|catalog| policies::check(catalog, opened, &mut facts, logs));
            // Facts that policies used are inputs, too.
            let (manifests, reads_lines) = opened.program.uses_of_files();
            let environment = self.environment_use(opened);
            let main_count = opened.program.main_file_count();
            let data = opened.data.node.take_uses();
            let configs = opened.data.node.config_uses();
            let ruby = opened.program.uses_of_ruby();
            let names = opened.program.looked_up_names();
            *uses = Uses {
                node: None,
                facts,
                manifests,
                names,
                ruby,
                data,
                configs,
                main_count,
                reads_lines,
                cyclic: compiled.cyclic,
                environment,
                complete: true,
            };
            result
        })?
    }
}

/// Runs a compile. If memory runs short while other nodes are compiled, the compile is repeated alone: only a node that needs too
/// much memory by itself fails.
fn with_retry<T>(compile: impl Fn() -> T) -> T {
    let running = RunningCompile::start();
    let compiled = profile::compile(&compile);
    if !running.must_repeat() {
        return compiled;
    }
    drop(compiled);
    let _running = running.start_alone();
    profile::compile(compile)
}

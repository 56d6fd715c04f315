//! Compiles of a site's nodes, in parallel.
//!
//! In: a session, names of nodes. Out: [`Compiled`] for each, with its inputs. A panic inside is an error of one node. Must not:
//! know earlier compiles.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering;
use std::time::Duration;
use std::time::Instant;

use rayon::prelude::*;

use crate::session::ExportedFrom;
use crate::session::Session;
use crate::session::Uses;
use crate::session::input::CompileNode;
use crate::session::node_world::NodeWorld;
use crate::session::open::InputOverrides;
use crate::session::policies;
use crate::session::pool;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::meter::parallel::RunningCompile;
use catwalk_base::profile;
use catwalk_base::secrets;
use catwalk_catalog::Catalog;
use catwalk_node::Node;
use catwalk_program::environment::Environment;
use catwalk_value::value::Hash;
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

/// The records of a compile besides its result.
#[derive(Default)]
pub(super) struct CompileRecord {
    pub(super) logs: Vec<Diagnostic>,
    pub(super) uses: Uses,
    pub(super) collects: bool,
    pub(super) facts: Option<Arc<Hash>>,
    /// The reads for the node's facts, trusted data and classification.
    pub(super) node_reads: Reads,
}

impl Session {
    /// Compiles nodes in parallel and calls `done` with each result. Results are in the order of the names. The calling thread should
    /// have a large stack ([`catwalk_base::stack::with_large`]).
    pub fn compile_all(&self, names: &[Arc<str>], done: &(dyn Fn(&Compiled) + Sync)) -> Vec<Compiled> {
        if self.options.exported != Some(ExportedFrom::Site) {
            return self.compile_each(names, done);
        }
        let compiled = self.compile_collecting(names);
        compiled.iter().for_each(done);
        compiled
    }

    /// Compiles nodes in parallel and calls `take` with each result, in the thread that compiled it. Returns the results of `take` in the
    /// order of the names. The calling thread should have a large stack.
    pub fn compile_all_into<T: Send>(&self, names: &[Arc<str>], take: impl Fn(Compiled) -> T + Sync + Send) -> Vec<T> {
        if self.options.exported != Some(ExportedFrom::Site) {
            return self.compile_each_into(names, take);
        }
        let compiled = self.compile_collecting(names);
        match Some(&compiled).filter(|all| all.len() > 1).and_then(|_| pool()) {
            Some(pool) => pool.install(|| compiled.into_par_iter().map(take).collect()),
            None => compiled.into_iter().map(take).collect(),
        }
    }

    pub(super) fn compile_each(&self, names: &[Arc<str>], done: &(dyn Fn(&Compiled) + Sync)) -> Vec<Compiled> {
        self.compile_each_into(names, |compiled| {
            done(&compiled);
            compiled
        })
    }

    fn compile_each_into<T: Send>(&self, names: &[Arc<str>], take: impl Fn(Compiled) -> T + Sync + Send) -> Vec<T> {
        let compile = |name: &Arc<str>| take(self.compile(name));
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

    /// Compiles one node. A panic inside is an error of this node.
    #[must_use]
    pub fn compile(&self, certname: &str) -> Compiled {
        self.compile_with_retry(
            &Arc::from(certname),
            || self.node_world(certname),
            |world, record| {
                let CompileNode { node, used, facts } = self.compile_node(certname, world, record)?;
                record.facts = self.options.keep_facts.then_some(facts);
                let overrides = InputOverrides { code: self.options.code.as_deref(), ..InputOverrides::default() };
                let result = self.attempt(node, overrides, world, record);
                record.uses.node = Some(Box::new(used));
                result
            },
        )
    }

    /// Runs a compile and collects its records. If memory runs short while other nodes are compiled, the compile is repeated
    /// alone: only a node that needs too much memory by itself fails.
    pub(super) fn compile_with_retry(
        &self,
        certname: &Arc<str>,
        open_world: impl Fn() -> Result<NodeWorld, Reason>,
        attempt: impl Fn(&Arc<RecordingWorld>, &mut CompileRecord) -> Result<Catalog, Box<Diagnostic>>,
    ) -> Compiled {
        let running = RunningCompile::start();
        let compiled = profile::compile(|| self.compile_once(certname, open_world(), &attempt));
        if !running.must_repeat() {
            return compiled;
        }
        drop(compiled);
        let _running = running.start_alone();
        profile::compile(|| self.compile_once(certname, open_world(), &attempt))
    }

    fn compile_once(
        &self,
        certname: &Arc<str>,
        node_world: Result<NodeWorld, Reason>,
        attempt: &impl Fn(&Arc<RecordingWorld>, &mut CompileRecord) -> Result<Catalog, Box<Diagnostic>>,
    ) -> Compiled {
        let started = Instant::now();
        let mut record = CompileRecord::default();
        let ((mut result, mut reads), used_secrets) = secrets::collect(|| match node_world {
            Err(reason) => (Err(Box::new(Diagnostic::new(reason, None))), Reads::default()),
            Ok(node_world) => {
                let attempt = std::panic::AssertUnwindSafe(|| attempt(&node_world.world, &mut record));
                let result =
                    std::panic::catch_unwind(attempt).unwrap_or_else(|panic| Err(panic_failure(panic.as_ref())));
                (node_world.close(result), node_world.world.take_reads())
            }
        });
        let CompileRecord { mut logs, uses, collects, facts, node_reads } = record;
        reads.set_node_inputs(node_reads);
        let secrets = self.secrets(used_secrets);
        logs.iter_mut().for_each(|line| line.redact(&secrets));
        match &mut result {
            Ok(catalog) => catalog.secrets = secrets,
            Err(failure) => {
                self.name_missing_dependencies(failure);
                failure.redact(&secrets);
            }
        }
        Compiled { certname: certname.clone(), result, logs, reads, uses, elapsed: started.elapsed(), collects, facts }
    }

    /// Compiles a node of the site or a test node, and checks the catalog with the site's policies.
    pub(super) fn attempt(
        &self,
        node: (Node, Arc<Environment>),
        overrides: InputOverrides<'_>,
        world: &Arc<RecordingWorld>,
        record: &mut CompileRecord,
    ) -> Result<Catalog, Box<Diagnostic>> {
        let CompileRecord { logs, uses, collects, .. } = record;
        self.open_node_as(node, overrides, world, logs, |opened, logs| {
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
            let main_count = opened.program.main_count();
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

/// Converts a panic inside of a compile to an error.
fn panic_failure(panic: &(dyn std::any::Any + Send)) -> Box<Diagnostic> {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
    let reason = Reason::new(Code::INTERNAL_ERROR, format!("internal error: {text}"));
    Box::new(Diagnostic::new(reason.help("this is a bug of catwalk; the other nodes are not affected"), None))
}

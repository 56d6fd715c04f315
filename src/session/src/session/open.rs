//! Opens a node without compiling it, for code that drives the evaluator itself.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::compile;
use crate::compile::Input;
use crate::session::Options;
use crate::session::Session;
use crate::session::layers::hiera_sources;
use crate::session::prepare::NodeSource;
use crate::session::prepare::PreparedNode;
use catwalk_base::diag::Diagnostic;
use catwalk_base::secrets::Key;
use catwalk_base::secrets::ReportedSecrets;
use catwalk_base::secrets::SecretCollection;
use catwalk_base::secrets::Secrets;
use catwalk_catalog::ExportSource;
use catwalk_eval::Data;
use catwalk_eval::Evaluator;
use catwalk_eval::Settings;
use catwalk_hiera as hiera;
use catwalk_node::Node;
use catwalk_program::Environment;
use catwalk_program::Prefetcher;
use catwalk_program::Program;
use catwalk_program::Registry;
use catwalk_scripting::RhaiFunctions;
use catwalk_world::RecordingWorld;
use catwalk_world::World;

/// The input of a node's compile.
#[derive(Clone)]
pub struct CompileInput<'c> {
    /// The definitions of the manifests.
    pub program: &'c Program,
    /// The node.
    pub node: &'c Node,
    /// The external data.
    pub world: &'c dyn World,
    pub(super) settings: &'c catwalk_eval::Settings,
    pub(super) functions: &'c RhaiFunctions,
    pub(super) data: Data<'c>,
    pub(super) registry: Arc<Registry>,
    pub(super) exports: Option<Arc<dyn ExportSource>>,
    relates_automatically: bool,
    session: &'c Session,
}

impl<'c> CompileInput<'c> {
    /// The key for the tokens that replace secrets.
    #[must_use]
    pub fn secrets_key(&self) -> &'c Key {
        &self.session.key
    }

    /// Adds hints to a failure of code that was evaluated with this input: the similar name, the missing modules, the position in a
    /// classifier. All commands report failures with them.
    pub fn explain(&self, failure: &mut Diagnostic) {
        self.session.explain_failure(failure, self);
        self.session.name_missing_dependencies(failure);
    }

    /// The input of a compile.
    pub(super) fn input(&self) -> Input<'c> {
        Input {
            program: self.program,
            world: self.world,
            node: self.node,
            settings: self.settings,
            relates_automatically: self.relates_automatically,
        }
    }

    /// Sets up an evaluator for the site: script functions, data, resource types.
    pub(super) fn set_up(&self, evaluator: &mut Evaluator<'c>) {
        evaluator.share_resource_types(self.registry.clone());
        evaluator.library.scripts = Some(self.functions);
        evaluator.data = Some(self.data);
        evaluator.exports = self.exports.clone();
    }

    /// An evaluator for this node that has only a top scope yet.
    #[must_use]
    pub fn evaluator(&self) -> Evaluator<'c> {
        let mut evaluator = Evaluator::new(self.program, self.world, self.node, self.settings, compile::library());
        self.set_up(&mut evaluator);
        evaluator
    }
}

impl Session {
    /// Reported secrets with the key of the site and the matchers of this session.
    pub(crate) fn secrets(&self, mut reported: ReportedSecrets) -> Arc<Secrets> {
        // There are none unless code reports secrets to the wrong world.
        reported.add(self.world.secrets().reported());
        Arc::new(Secrets::sharing(self.key.clone(), reported, &self.layers.matchers))
    }

    /// The key of the site, without secrets.
    #[must_use]
    pub fn no_secrets(&self) -> Secrets {
        Secrets::new(self.key.clone(), ReportedSecrets::default())
    }

    /// Prepares a node of the site and opens it as [`Session::with_prepared`].
    ///
    /// # Errors
    /// As [`Session::prepare`] and [`Session::with_prepared`].
    pub fn with_node<T>(
        &self,
        certname: &str,
        work: impl FnOnce(&CompileInput<'_>, Vec<Diagnostic>) -> T,
    ) -> Result<T, Box<Diagnostic>> {
        self.with_prepared(&self.prepare(NodeSource::Site(certname))?, work)
    }

    /// Opens a prepared node without compiling it: `work` gets the input of its compile and the log so far. Secrets are collected while
    /// `work` runs; `work` itself must redact them in its result. A panic inside is an error of this node.
    ///
    /// # Errors
    /// The main manifest does not parse.
    pub fn with_prepared<T>(
        &self,
        prepared: &PreparedNode,
        work: impl FnOnce(&CompileInput<'_>, Vec<Diagnostic>) -> T,
    ) -> Result<T, Box<Diagnostic>> {
        let secrets = Arc::new(SecretCollection::from(prepared.reported()));
        let (world, _) = prepared.open_world(&secrets);
        let work = |opened: &CompileInput<'_>, logs: &mut Vec<Diagnostic>| {
            self.redact_so_far(logs, &secrets);
            work(opened, std::mem::take(logs))
        };
        let open = |logs: &mut Vec<Diagnostic>| {
            logs.extend(prepared.logs().iter().cloned());
            self.open_prepared(prepared, &world, logs, work)
        };
        self.guard(&secrets, open, |result| prepared.node_world().close(result)).result
    }

    /// A thread that reads ahead, for the first compile if a processor is idle.
    fn start_prefetcher(&self, environment: &Arc<Environment>) -> Option<Prefetcher> {
        let may_prefetch = self.may_prefetch.swap(false, Ordering::Relaxed);
        let has_idle_processor = || std::thread::available_parallelism().is_ok_and(|count| count.get() > 1);
        if !may_prefetch || !has_idle_processor() {
            return None;
        }
        let resource_types = self.layers.registry(environment, &self.scripts);
        // Its queries are not those of the compile.
        let environment = Arc::new(environment.for_compile());
        let stop_at = self.options.settings.limits.stop_at();
        Prefetcher::start(environment, self.world.clone(), self.cache.clone(), resource_types, stop_at)
    }

    /// Opens a prepared node with an existing world and log.
    pub(super) fn open_prepared<T>(
        &self,
        prepared: &PreparedNode,
        world: &Arc<RecordingWorld>,
        logs: &mut Vec<Diagnostic>,
        work: impl FnOnce(&CompileInput<'_>, &mut Vec<Diagnostic>) -> T,
    ) -> Result<T, Box<Diagnostic>> {
        let environment = prepared.environment().clone();
        let prefetcher = self.start_prefetcher(&environment);
        let world = self.scripts.world(&environment, self.options.root.as_deref(), world);
        let load =
            || Program::load_with(environment.clone(), world.clone(), self.cache.clone(), prepared.code(), prefetcher);
        let Settings { limits, interrupt, .. } = &self.options.settings;
        let program = limits.within_time_only(interrupt.clone(), load);
        let program = program.unwrap_or_else(|reason| Err(Box::from(reason)));
        let mut program = program.map_err(|mut failure| {
            logs.append(&mut failure.summarized);
            failure
        })?;
        if let Some(shared) = self.layers.shared_environment(&environment) {
            program.share(shared.discovery.clone());
        }
        let lookup = match prepared.hiera() {
            None => self.layers.lookup(&environment, &self.options, &self.site, self.world.as_ref())?,
            Some(hiera) => {
                let options = Options { hiera: Some(hiera.to_path_buf()), ..self.options.clone() };
                Arc::new(hiera::Lookup::sharing(
                    hiera_sources(&environment, &options, &self.site, self.world.as_ref())?,
                    &self.layers.decrypted,
                ))
            }
        };
        let registry = self.layers.registry(&environment, &self.scripts);
        let data = hiera::NodeData::new();
        let functions = RhaiFunctions::new(self.scripts.clone(), environment, world.clone());
        let opened = CompileInput {
            program: &program,
            node: prepared.node(),
            world: world.as_ref(),
            settings: &self.options.settings,
            functions: &functions,
            data: Data { lookup: &lookup, node: &data },
            registry,
            exports: self.exports(),
            relates_automatically: prepared.relates_automatically(),
            session: self,
        };
        Ok(work(&opened, logs))
    }
}

//! Opens a node without compiling it, for code that drives the evaluator itself.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::compile;
use crate::compile::Input;
use crate::session::Options;
use crate::session::Session;
use crate::session::layers::hiera_sources;
use catwalk_base::diag::Diagnostic;
use catwalk_base::secrets;
use catwalk_base::secrets::Key;
use catwalk_base::secrets::ReportedSecrets;
use catwalk_base::secrets::Secrets;
use catwalk_catalog::ExportSource;
use catwalk_eval::Data;
use catwalk_eval::Evaluator;
use catwalk_eval::Settings;
use catwalk_hiera as hiera;
use catwalk_node::Node;
use catwalk_program::environment::Environment;
use catwalk_program::program::Prefetcher;
use catwalk_program::program::Program;
use catwalk_program::resource_types::Registry;
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

/// Replacements for the site's main manifest, Hiera configuration and settings.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct InputOverrides<'a> {
    /// Code in place of the main manifest.
    pub(super) code: Option<&'a str>,
    /// A file in place of the global `hiera.yaml`.
    pub(super) hiera: Option<&'a Path>,
    /// Whether automatic relationships are added after the check for cycles.
    pub(super) relates_automatically: bool,
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
    pub(crate) fn secrets(&self, reported: ReportedSecrets) -> Arc<Secrets> {
        Arc::new(Secrets::sharing(self.key.clone(), reported, &self.layers.matchers))
    }

    /// The key of the site, without secrets.
    #[must_use]
    pub fn no_secrets(&self) -> Secrets {
        Secrets::new(self.key.clone(), ReportedSecrets::default())
    }

    /// Opens a node: `work` gets the input of its compile and the log so far. `code` replaces the main manifest of the site.
    /// Secrets are collected while `work` runs; `work` itself must redact them in its result.
    ///
    /// # Errors
    ///
    /// The node does not exist, its facts are invalid, the classifier fails, or the main manifest does not parse.
    pub fn with_node<T>(
        &self,
        certname: &str,
        code: Option<&str>,
        work: impl FnOnce(&CompileInput<'_>, Vec<Diagnostic>) -> T,
    ) -> Result<T, Box<Diagnostic>> {
        let node_world = self.node_world(certname).map_err(|reason| Box::new(Diagnostic::new(reason, None)))?;
        let mut logs = Vec::new();
        let work = |opened: &CompileInput<'_>, logs: &mut Vec<Diagnostic>| {
            let secrets = self.secrets(secrets::reported());
            logs.iter_mut().for_each(|line| line.redact(&secrets));
            work(opened, std::mem::take(logs))
        };
        let open = || node_world.close(self.open_node(certname, code, &node_world.world, &mut logs, work));
        let (result, used_secrets) = secrets::collect(open);
        result.map_err(|mut failure| {
            failure.redact(&self.secrets(used_secrets));
            failure
        })
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

    /// Opens a node with an existing world and log.
    pub(super) fn open_node<T>(
        &self,
        certname: &str,
        code: Option<&str>,
        world: &Arc<RecordingWorld>,
        logs: &mut Vec<Diagnostic>,
        work: impl FnOnce(&CompileInput<'_>, &mut Vec<Diagnostic>) -> T,
    ) -> Result<T, Box<Diagnostic>> {
        let environment = self.environment(self.environment_name(), world, logs)?;
        let facts = self.facts(certname, world).map_err(|reason| Box::new(Diagnostic::new(reason, None)))?;
        let node = self.node(certname, &facts, environment, world, logs)?;
        self.open_node_as(node, InputOverrides { code, ..InputOverrides::default() }, world, logs, work)
    }

    /// Opens an existing node.
    pub(super) fn open_node_as<T>(
        &self,
        (node, environment): (Node, Arc<Environment>),
        overrides: InputOverrides<'_>,
        world: &Arc<RecordingWorld>,
        logs: &mut Vec<Diagnostic>,
        work: impl FnOnce(&CompileInput<'_>, &mut Vec<Diagnostic>) -> T,
    ) -> Result<T, Box<Diagnostic>> {
        let prefetcher = self.start_prefetcher(&environment);
        let world = self.scripts.world(&environment, self.options.root.as_deref(), world);
        let load =
            || Program::load_with(environment.clone(), world.clone(), self.cache.clone(), overrides.code, prefetcher);
        let Settings { limits, interrupt, .. } = &self.options.settings;
        let program = limits.within_time_only(interrupt.clone(), load);
        let program = program.unwrap_or_else(|reason| Err(Box::new(Diagnostic::new(reason, None))));
        let mut program = program.map_err(|mut failure| {
            logs.append(&mut failure.summarized);
            failure
        })?;
        if let Some(shared) = self.layers.shared_environment(&environment) {
            program.share(shared.discovery.clone());
        }
        let lookup = match overrides.hiera {
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
            node: &node,
            world: world.as_ref(),
            settings: &self.options.settings,
            functions: &functions,
            data: Data { lookup: &lookup, node: &data },
            registry,
            exports: self.exports(),
            relates_automatically: overrides.relates_automatically,
            session: self,
        };
        Ok(work(&opened, logs))
    }
}

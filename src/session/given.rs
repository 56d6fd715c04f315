//! Nodes that are made up: facts, data and code come from a test instead of the site's folder of nodes.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use crate::compile::compile_with;
use crate::diag::Diagnostic;
use crate::eval::Data;
use crate::hiera;
use crate::node::Node;
use crate::node::Parts;
use crate::node::classify::Classification;
use crate::program::Program;
use crate::scripting::RhaiFunctions;
use crate::session::Compiled;
use crate::session::Opened;
use crate::session::Options;
use crate::session::Session;
use crate::session::panicked;
use crate::stack;
use crate::value::Hash;
use crate::value::Value;
use crate::value::json::to_json;
use crate::world::Memory;
use crate::world::Overlay;
use crate::world::Reads;
use crate::world::Recorded;

/// Where a made-up node's data seems to lie: no file of this name is on a disk.
pub(super) const HIERA: &str = "/data of the test/hiera.yaml";
const DATA: &str = "/data of the test/data.json";
const CONFIGURATION: &str = "version: 5\nhierarchy:\n  - name: data of the test\n    path: data.json\n    datadir: .\n    data_hash: json_data\n";

/// A node that is made up.
#[derive(Clone, Debug, Default)]
pub struct Given {
    /// Its name.
    pub certname: Arc<str>,
    /// Its facts.
    pub facts: Arc<Hash>,
    /// `$trusted`; `None`: what follows from the name.
    pub trusted: Option<Hash>,
    /// Data that wins over all of Hiera, as its global layer.
    pub data: Option<Arc<Hash>>,
    /// Code in place of the main manifest; `None`: the site's.
    pub code: Option<String>,
    /// Classes as a classifier gives them.
    pub classes: Vec<Arc<str>>,
    /// Top-scope variables as a classifier gives them.
    pub variables: Arc<Hash>,
}

/// A world with the data of a test.
fn with_data(data: &Arc<Hash>, inner: Arc<Recorded>) -> Arc<Recorded> {
    let text = to_json(&Value::Hash(data.clone())).to_string();
    let files = Memory::new([(HIERA, CONFIGURATION), (DATA, text.as_str())]);
    Arc::new(Recorded::new(Arc::new(Overlay::new(files, inner))))
}

impl Session {
    /// Compiles a node that is made up; no classifier is asked. A panic inside is its failure.
    #[must_use]
    pub fn compile_given(&self, given: &Given) -> Compiled {
        let started = Instant::now();
        let done = |result, logs, reads, collects| Compiled {
            certname: given.certname.clone(),
            result,
            logs,
            reads,
            uses: super::Uses::default(),
            elapsed: started.elapsed(),
            collects,
        };
        let outside = match self.outside(&given.certname) {
            Ok(outside) => outside,
            Err(reason) => {
                let failure = Box::new(Diagnostic::new(reason, None));
                return done(Err(failure), Vec::new(), Reads::default(), false);
            }
        };
        let world = match &given.data {
            None => outside.world.clone(),
            Some(data) => with_data(data, outside.world.clone()),
        };
        let (mut logs, mut collects) = (Vec::new(), false);
        let attempt = std::panic::AssertUnwindSafe(|| self.attempt_given(given, &world, &mut logs, &mut collects));
        let result = std::panic::catch_unwind(attempt).unwrap_or_else(|panic| Err(panicked(panic.as_ref())));
        let result = outside.close(result);
        let reads = world.take_reads();
        done(result, logs, reads, collects)
    }

    fn attempt_given(
        &self,
        given: &Given,
        world: &Arc<Recorded>,
        logs: &mut Vec<Diagnostic>,
        collects: &mut bool,
    ) -> Result<crate::catalog::Catalog, Box<Diagnostic>> {
        let environment = self.environment(self.environment_name(), world, logs)?;
        let version = self.options.settings.version;
        let classification = Classification {
            classes: given.classes.iter().map(|class| (class.clone(), None)).collect(),
            parameters: given
                .variables
                .iter()
                .filter_map(|(name, value)| Some((Arc::from(name.as_str()?), value.clone())))
                .collect(),
            ..Classification::default()
        };
        let parts = Parts {
            facts: given.facts.clone(),
            trusted: given.trusted.clone(),
            server_facts: None,
            classification,
            version,
        };
        let node = Node::new(&given.certname, &environment.name, parts);
        let code = given.code.as_deref().or(self.options.code.as_deref());
        let program = Program::load(environment.clone(), world.clone(), self.cache.clone(), code);
        let mut program = program.map_err(|mut failure| {
            logs.append(&mut failure.several);
            failure
        })?;
        if let Some(shared) = self.layers.opened(&environment) {
            program.share(shared.known.clone());
        }
        let lookup = match &given.data {
            None => self.layers.lookup(&environment, &self.options, &self.site)?,
            Some(_) => {
                let options = Options { hiera: Some(Path::new(HIERA).to_path_buf()), ..self.options.clone() };
                Arc::new(hiera::Lookup::new(super::layers::sources(&environment, &options, &self.site)?))
            }
        };
        let data = hiera::NodeData::new();
        let registry = self.layers.registry(&environment);
        let functions = RhaiFunctions { scripts: self.scripts.clone(), environment, world: world.clone() };
        let opened = Opened {
            program: &program,
            node: &node,
            world: world.as_ref(),
            settings: &self.options.settings,
            functions: &functions,
            data: Data { lookup: &lookup, node: &data },
            registry,
            exports: self.exports(),
        };
        let compiled = compile_with(&opened.input(), |evaluator| opened.equip(evaluator));
        logs.extend(program.take_warnings());
        logs.extend(compiled.logs);
        *collects = compiled.collects;
        compiled.result
    }

    /// Compiles several of them in parallel, in order.
    #[must_use]
    pub fn compile_all_given(&self, all: &[Given]) -> Vec<Compiled> {
        use rayon::prelude::*;
        match Some(all).filter(|all| all.len() > 1).and_then(|_| super::pool()) {
            Some(pool) => pool.install(|| all.par_iter().map(|given| self.compile_given(given)).collect()),
            None => {
                stack::with_large(|| all.iter().map(|given| self.compile_given(given)).collect()).unwrap_or_default()
            }
        }
    }
}

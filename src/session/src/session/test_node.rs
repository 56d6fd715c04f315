//! Nodes that are made up: facts, data and code come from a test instead of the site's folder of nodes.

use std::path::Path;
use std::sync::Arc;

use crate::session::Compiled;
use crate::session::Session;
use crate::session::open::Start;
use catwalk_base::stack;
use catwalk_node::Node;
use catwalk_node::NodeInput;
use catwalk_node::classify::Classification;
use catwalk_value::value::Hash;
use catwalk_value::value::Value;
use catwalk_value::value::json::to_json;
use catwalk_world::Memory;
use catwalk_world::Overlay;
use catwalk_world::Recorded;

/// Where a made-up node's data seems to lie: no file of this name is on a disk.
pub(super) const HIERA: &str = "/data of the test/hiera.yaml";
const DATA: &str = "/data of the test/data.json";
const CONFIGURATION: &str = "version: 5\nhierarchy:\n  - name: data of the test\n    path: data.json\n    datadir: .\n    data_hash: json_data\n";

/// A node that is made up.
#[derive(Clone, Debug, Default)]
pub struct Given {
    /// Its name.
    pub certname: Arc<str>,
    /// The name of the case it is of, which no other has; `None`: it is asked for by itself.
    pub case: Option<Arc<str>>,
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
        let outside = || match &given.case {
            Some(case) => self.outside_of_case(case, &given.certname),
            None => self.outside(&given.certname),
        };
        self.compiled(&given.certname, outside, |outside, made| {
            let world = match &given.data {
                None => outside.clone(),
                Some(data) => with_data(data, outside.clone()),
            };
            let environment = self.environment(self.environment_name(), &world, &mut made.logs)?;
            let node = self.node_given(given, &environment.name);
            let start = Start {
                code: given.code.as_deref().or(self.options.code.as_deref()),
                hiera: given.data.is_some().then_some(Path::new(HIERA)),
            };
            self.attempt((node, environment), start, &world, made)
        })
    }

    fn node_given(&self, given: &Given, environment: &Arc<str>) -> Node {
        let variables = given.variables.iter();
        let classification = Classification {
            classes: given.classes.iter().map(|class| (class.clone(), None)).collect(),
            parameters: variables
                .filter_map(|(name, value)| Some((Arc::from(name.as_str()?), value.clone())))
                .collect(),
            ..Classification::default()
        };
        let parts = NodeInput {
            facts: given.facts.clone(),
            trusted: given.trusted.clone(),
            server_facts: None,
            classification,
            version: self.options.settings.version,
        };
        Node::new(&given.certname, environment, parts)
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

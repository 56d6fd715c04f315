//! Nodes of tests: facts, data and code come from a test case instead of the site's directory of nodes.

use std::path::Path;
use std::sync::Arc;

use crate::session::Compiled;
use crate::session::Session;
use crate::session::open::InputOverrides;
use catwalk_base::stack;
use catwalk_node::Node;
use catwalk_node::NodeInput;
use catwalk_node::classify::Classification;
use catwalk_value::value::Hash;
use catwalk_value::value::Value;
use catwalk_value::value::json::to_json;
use catwalk_world::Memory;
use catwalk_world::Overlay;
use catwalk_world::RecordingWorld;

/// The path of a test node's Hiera configuration, in memory: no file of this name exists on a disk.
pub(super) const HIERA: &str = "/data of the test/hiera.yaml";
const DATA: &str = "/data of the test/data.json";
const CONFIGURATION: &str = "version: 5\nhierarchy:\n  - name: data of the test\n    path: data.json\n    datadir: .\n    data_hash: json_data\n";

/// A node that a test case describes.
#[derive(Clone, Debug, Default)]
pub struct TestNode {
    /// The certname.
    pub certname: Arc<str>,
    /// The unique name of its test case; `None` for a single node.
    pub case: Option<Arc<str>>,
    /// The facts of the node.
    pub facts: Arc<Hash>,
    /// `$trusted`; `None`: derived from the certname.
    pub trusted: Option<Hash>,
    /// Hiera data with the highest priority, as the global layer.
    pub data: Option<Arc<Hash>>,
    /// Code that replaces the main manifest; `None`: the site's main manifest.
    pub code: Option<String>,
    /// Classes, as from a classifier.
    pub classes: Vec<Arc<str>>,
    /// Top-scope variables, as from a classifier.
    pub variables: Arc<Hash>,
    /// Whether the catalog contains the relationships that resource types imply, for expectations of the order. Cycles are found without
    /// them.
    pub relates_automatically: bool,
}

/// Adds the files of a test node's data to a world.
fn with_data(data: &Arc<Hash>, inner: Arc<RecordingWorld>) -> Arc<RecordingWorld> {
    let text = to_json(&Value::Hash(data.clone())).to_string();
    let files = Memory::new([(HIERA, CONFIGURATION), (DATA, text.as_str())]);
    Arc::new(RecordingWorld::new(Arc::new(Overlay::new(files, inner))))
}

impl Session {
    /// Compiles a test node without a classifier. A panic inside is an error of this node.
    #[must_use]
    pub fn compile_test_node(&self, test_node: &TestNode) -> Compiled {
        let open_world = || match &test_node.case {
            Some(case) => self.case_world(case, &test_node.certname),
            None => self.node_world(&test_node.certname),
        };
        self.compile_with_retry(&test_node.certname, open_world, |node_world, record| {
            let world = match &test_node.data {
                None => node_world.clone(),
                Some(data) => with_data(data, node_world.clone()),
            };
            let environment = self.environment(self.environment_name(), &world, &mut record.logs)?;
            let node = self.build_test_node(test_node, &environment.name);
            let overrides = InputOverrides {
                code: test_node.code.as_deref().or(self.options.code.as_deref()),
                hiera: test_node.data.is_some().then_some(Path::new(HIERA)),
                relates_automatically: test_node.relates_automatically,
            };
            self.attempt((node, environment), overrides, &world, record)
        })
    }

    fn build_test_node(&self, test_node: &TestNode, environment: &Arc<str>) -> Node {
        let variables = test_node.variables.iter();
        let classification = Classification {
            classes: test_node.classes.iter().map(|class| (class.clone(), None)).collect(),
            parameters: variables
                .filter_map(|(name, value)| Some((Arc::from(name.as_str()?), value.clone())))
                .collect(),
            ..Classification::default()
        };
        let input = NodeInput {
            facts: test_node.facts.clone(),
            trusted: test_node.trusted.clone(),
            server_facts: None,
            classification,
            version: self.options.settings.version,
        };
        Node::new(&test_node.certname, environment, input)
    }

    /// Compiles test nodes in parallel; results are in the order of the nodes.
    #[must_use]
    pub fn compile_test_nodes(&self, test_nodes: &[TestNode]) -> Vec<Compiled> {
        use rayon::prelude::*;
        match Some(test_nodes).filter(|test_nodes| test_nodes.len() > 1).and_then(|_| super::pool()) {
            Some(pool) => {
                pool.install(|| test_nodes.par_iter().map(|test_node| self.compile_test_node(test_node)).collect())
            }
            None => {
                stack::with_large(|| test_nodes.iter().map(|test_node| self.compile_test_node(test_node)).collect())
                    .unwrap_or_default()
            }
        }
    }
}

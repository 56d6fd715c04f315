//! Nodes of tests: facts, data and code come from a test case instead of the site's directory of nodes.

use std::sync::Arc;

use crate::session::Compiled;
use crate::session::NodeSource;
use crate::session::Session;
use catwalk_base::stack;
use catwalk_node::classify::Classification;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_value::json::to_json;
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
pub(super) fn with_data(data: &Arc<Hash>, inner: Arc<RecordingWorld>) -> Arc<RecordingWorld> {
    let text = to_json(&Value::Hash(data.clone())).to_string();
    let files = Memory::new([(HIERA, CONFIGURATION), (DATA, text.as_str())]);
    Arc::new(RecordingWorld::new(Arc::new(Overlay::new(files, inner))))
}

impl TestNode {
    /// The classes and variables of the case.
    pub(super) fn classification(&self) -> Classification {
        let variables = self.variables.iter();
        Classification {
            classes: self.classes.iter().map(|class| (class.clone(), None)).collect(),
            parameters: variables
                .filter_map(|(name, value)| Some((Arc::from(name.as_str()?), value.clone())))
                .collect(),
            ..Classification::default()
        }
    }
}

impl Session {
    /// Compiles a test node without a classifier. A panic inside is an error of this node.
    #[must_use]
    pub fn compile_test_node(&self, test_node: &TestNode) -> Compiled {
        self.compile_source(NodeSource::Test(test_node))
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

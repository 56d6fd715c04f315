//! The data that a classifier in Rhai may look up.
//!
//! In: the facts and trusted data of the node to classify. Out: values of Hiera. Must not: know classes or variables of manifests. Files are
//! recorded as read completely, since a classification is repeated as a whole.

use std::path::Path;
use std::sync::Arc;

use crate::compile;
use crate::session::Session;
use crate::session::TestNode;
use crate::session::node_world::NodeWorld;
use crate::session::prepare::NodeSource;
use catwalk_base::diag::Diagnostic;
use catwalk_base::names::Name;
use catwalk_base::secrets::SecretCollection;
use catwalk_base::source::FileId;
use catwalk_base::source::Span;
use catwalk_node::classify::DataSource;
use catwalk_node::classify::Request;
use catwalk_program::Environment;
use catwalk_value::Value;
use catwalk_world::Dependency;
use catwalk_world::Entry;
use catwalk_world::RecordingWorld;
use catwalk_world::World;
use catwalk_world::WorldError;

/// The data of a site for the classification of a node.
pub(super) struct ClassifierData<'a> {
    pub(super) session: &'a Session,
    /// The environment that the node requests.
    pub(super) environment: Arc<Environment>,
    /// The world of the classification.
    pub(super) world: Arc<RecordingWorld>,
}

impl DataSource for ClassifierData<'_> {
    fn lookup(&self, request: &Request, args: &[Value]) -> Result<Value, Box<Diagnostic>> {
        let unclassified = TestNode {
            certname: request.certname.clone(),
            facts: request.facts.clone(),
            trusted: Some((*request.trusted).clone()),
            code: Some(String::new()),
            ..TestNode::default()
        };
        let node_world = NodeWorld::new(Arc::new(WholeReads(self.world.clone())));
        let prepared = self.session.prepare_in(NodeSource::Test(&unclassified), node_world, Some(&self.environment));
        let prepared = prepared.map_err(|failed| failed.failure)?;
        let secrets = self.world.secrets();
        secrets.add(prepared.reported());
        let (world, _) = prepared.open_world(secrets);
        self.session.open_prepared(&prepared, &world, &mut Vec::new(), |opened, _| {
            let mut evaluator = opened.evaluator();
            let nowhere = Span::new(FileId(u32::MAX), 0, 0);
            let found = evaluator.within_limits(|evaluator| {
                compile::begin(evaluator)?;
                evaluator.call_function(Name::new("lookup"), args, None, nowhere)
            });
            found.map_err(|stop| {
                let mut failure = evaluator.failure(stop);
                // The call in the script is the position.
                failure.labels.retain(|label| label.span != nowhere);
                opened.explain(&mut failure);
                failure
            })
        })?
    }
}

/// A world that records everything that is read as a whole.
struct WholeReads(Arc<RecordingWorld>);

impl World for WholeReads {
    fn below(&self) -> Option<&dyn World> {
        Some(self.0.as_ref())
    }

    fn secrets(&self) -> &Arc<SecretCollection> {
        self.0.secrets()
    }

    fn read_for(&self, path: &Path, _: Dependency) -> Result<Arc<[u8]>, WorldError> {
        self.0.read_for(path, Dependency::Whole)
    }

    fn list_for(&self, path: &Path, _: Dependency) -> Result<Arc<[Entry]>, WorldError> {
        self.0.list_for(path, Dependency::Whole)
    }
}

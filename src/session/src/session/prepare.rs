//! The one way to a node: facts, trusted data and server facts, then the classification, then the environment.
//!
//! In: a [`NodeSource`]. Out: a [`PreparedNode`], for any number of compiles and evaluators. Must not: run manifests.
//!
//! | | a node of the site | an agent's node | a test node |
//! |---|---|---|---|
//! | facts | files of the site, options | the agent | the test case |
//! | `$trusted` | files of the site, the certname | the certificate | the test case, the certname |
//! | `$server_facts` | configured, else those of a server of this version | configured, else those of the server | those of a server of this version |
//! | classification | the site's classifiers | the site's classifiers | the test case |
//! | environment | assigned by the classification | chosen by the caller ([`Session::adopt`]) | the site's |

use std::path::Path;
use std::sync::Arc;

use crate::session::AgentNode;
use crate::session::Session;
use crate::session::TestNode;
use crate::session::classifier_data::ClassifierData;
use crate::session::guard::Guarded;
use crate::session::input::NodeUse;
use crate::session::layers::NodeFacts;
use crate::session::node_world::NodeWorld;
use crate::session::test_node;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::secrets::ReportedSecrets;
use catwalk_base::secrets::SecretCollection;
use catwalk_base::secrets::Secrets;
use catwalk_eval::FactsUse;
use catwalk_eval::Settings;
use catwalk_node::Node;
use catwalk_node::NodeInput;
use catwalk_node::classify::Classifier;
use catwalk_node::classify::Request;
use catwalk_node::trusted;
use catwalk_program::Environment;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_world::Reads;
use catwalk_world::RecordingWorld;
use catwalk_world::World;

/// The origin of a node.
#[derive(Clone, Copy, Debug)]
pub enum NodeSource<'a> {
    /// A node of the site, by its certname.
    Site(&'a str),
    /// A node whose agent sent its facts.
    Agent(&'a AgentNode),
    /// A node that a test case describes.
    Test(&'a TestNode),
}

/// A node that is ready for compiles. Nothing about it is asked again: neither classifiers nor external commands run for them.
pub struct PreparedNode {
    certname: Arc<str>,
    node: Node,
    environment: Arc<Environment>,
    /// The environment that the classification assigns, if it is not the session's.
    assigned: Option<Arc<str>>,
    /// Whether it is compiled in an environment other than the session's.
    is_elsewhere: bool,
    kind: Kind,
    /// The facts as they were read.
    facts: NodeFacts,
    /// Code in place of the main manifest.
    code: Option<String>,
    /// Hiera data of a test case.
    data: Option<Arc<Hash>>,
    relates_automatically: bool,
    node_world: NodeWorld,
    /// What was read for the environment.
    reads: Reads,
    /// What was read for facts, trusted data and classification.
    node_reads: Reads,
    logs: Vec<Diagnostic>,
    reported: ReportedSecrets,
    secrets: Arc<Secrets>,
}

/// The kind of source of a prepared node.
#[derive(Clone, Debug)]
enum Kind {
    Site,
    /// The server facts of the server.
    Agent(Hash),
    Test,
}

/// A node that could not be prepared.
pub(super) struct FailedNode {
    pub(super) failure: Box<Diagnostic>,
    pub(super) logs: Vec<Diagnostic>,
    pub(super) reads: Reads,
}

/// The parts of a node, as they were found.
struct Parts {
    node: Node,
    environment: Arc<Environment>,
    assigned: Option<Arc<str>>,
    is_elsewhere: bool,
    facts: NodeFacts,
}

impl NodeSource<'_> {
    pub(super) fn certname(&self) -> Arc<str> {
        match self {
            NodeSource::Site(certname) => Arc::from(*certname),
            NodeSource::Agent(agent) => agent.certname.clone(),
            NodeSource::Test(test) => test.certname.clone(),
        }
    }

    fn kind(&self) -> Kind {
        match self {
            NodeSource::Site(_) => Kind::Site,
            NodeSource::Agent(agent) => Kind::Agent(agent.server_facts.clone()),
            NodeSource::Test(_) => Kind::Test,
        }
    }

    fn open_world(&self, session: &Session) -> Result<NodeWorld, Reason> {
        match self {
            NodeSource::Test(TestNode { case: Some(case), certname, .. }) => session.case_world(case, certname),
            _ => session.node_world(&self.certname()),
        }
    }
}

impl PreparedNode {
    /// The certname.
    #[must_use]
    pub fn certname(&self) -> &Arc<str> {
        &self.certname
    }

    /// The node.
    #[must_use]
    pub fn node(&self) -> &Node {
        &self.node
    }

    /// The environment that a classifier assigns to an agent's node, if it is not that of the session that prepared the node: the
    /// session of that environment must adopt the node ([`Session::adopt`]).
    #[must_use]
    pub fn assigned_environment(&self) -> Option<&Arc<str>> {
        self.assigned.as_ref().filter(|_| matches!(self.kind, Kind::Agent(_)))
    }

    /// The messages that were logged while the node was prepared, without secrets.
    #[must_use]
    pub fn logs(&self) -> &[Diagnostic] {
        &self.logs
    }

    /// Takes these messages, so that compiles do not return them.
    pub fn take_logs(&mut self) -> Vec<Diagnostic> {
        std::mem::take(&mut self.logs)
    }

    /// This node with code in place of the main manifest.
    #[must_use]
    pub fn with_code(self, code: &str) -> PreparedNode {
        PreparedNode { code: Some(code.to_owned()), ..self }
    }

    pub(super) fn environment(&self) -> &Arc<Environment> {
        &self.environment
    }

    pub(super) fn code(&self) -> Option<&str> {
        self.code.as_deref()
    }

    /// The file in place of the global `hiera.yaml`.
    pub(super) fn hiera(&self) -> Option<&'static Path> {
        self.data.as_ref().map(|_| Path::new(test_node::HIERA))
    }

    /// Whether automatic relationships are added after the check for cycles.
    pub(super) fn relates_automatically(&self) -> bool {
        self.relates_automatically
    }

    /// The facts as they were read, and their file.
    pub(super) fn facts(&self) -> &NodeFacts {
        &self.facts
    }

    pub(super) fn reported(&self) -> &ReportedSecrets {
        &self.reported
    }

    pub(super) fn secrets(&self) -> &Arc<Secrets> {
        &self.secrets
    }

    pub(super) fn node_world(&self) -> &NodeWorld {
        &self.node_world
    }

    /// What was read for facts, trusted data and classification.
    pub(super) fn node_reads(&self) -> &Reads {
        &self.node_reads
    }

    /// Whether it is compiled in an environment other than the session's.
    pub(super) fn is_elsewhere(&self) -> bool {
        self.is_elsewhere
    }

    /// The record for comparing the node later, after a compile that used these facts; `None` for a node of a test case.
    pub(super) fn node_use(&self, facts: &FactsUse) -> Option<NodeUse> {
        (!matches!(self.kind, Kind::Test)).then(|| NodeUse::new(self, facts))
    }

    /// The world for a compile with the collection of its secrets: what is read is recorded in the second one.
    pub(super) fn open_world(&self, secrets: &Arc<SecretCollection>) -> (Arc<RecordingWorld>, Arc<RecordingWorld>) {
        let recording = self.node_world.recording(secrets);
        recording.add_reads(&self.reads);
        (world_with_data(self.data.as_ref(), &recording), recording)
    }
}

/// The world of a node, with the data of a test case.
fn world_with_data(data: Option<&Arc<Hash>>, recording: &Arc<RecordingWorld>) -> Arc<RecordingWorld> {
    data.map_or_else(|| recording.clone(), |data| test_node::with_data(data, recording.clone()))
}

impl Session {
    /// Prepares a node. Each classifier, external command and file is asked once.
    ///
    /// # Errors
    /// The node does not exist, its facts are invalid, or a classifier fails.
    pub fn prepare(&self, source: NodeSource<'_>) -> Result<PreparedNode, Box<Diagnostic>> {
        self.try_prepare(source).map_err(|failed| failed.failure)
    }

    /// As [`Session::prepare`]; returns the messages also if it fails.
    ///
    /// # Errors
    /// As [`Session::prepare`].
    pub fn prepare_or_log(&self, source: NodeSource<'_>) -> Result<PreparedNode, (Box<Diagnostic>, Vec<Diagnostic>)> {
        self.try_prepare(source).map_err(|failed| (failed.failure, failed.logs))
    }

    pub(super) fn try_prepare(&self, source: NodeSource<'_>) -> Result<PreparedNode, Box<FailedNode>> {
        match source.open_world(self) {
            Ok(node_world) => self.prepare_in(source, node_world, None),
            Err(reason) => {
                let (failure, logs, reads) = (Box::from(reason), Vec::new(), Reads::default());
                Err(Box::new(FailedNode { failure, logs, reads }))
            }
        }
    }

    /// Prepares a node with an open world and, if the caller has opened one, its environment.
    pub(super) fn prepare_in(
        &self,
        source: NodeSource<'_>,
        node_world: NodeWorld,
        requested: Option<&Arc<Environment>>,
    ) -> Result<PreparedNode, Box<FailedNode>> {
        let secrets = Arc::new(SecretCollection::default());
        let (recording, inputs) = (node_world.recording(&secrets), node_world.recording(&secrets));
        let data = if let NodeSource::Test(test) = source { test.data.clone() } else { None };
        let world = world_with_data(data.as_ref(), &recording);
        let guarded = self.guard(
            &secrets,
            |logs| {
                let requested = match requested {
                    Some(environment) => environment.clone(),
                    None => self.environment(self.environment_name(), &world, logs)?,
                };
                self.find_parts(source, &requested, (&world, &inputs), logs)
            },
            // A node that is ready closes its tape after its compile.
            |result| if result.is_ok() { result } else { node_world.close(result) },
        );
        let Guarded { result, logs, reported, secrets } = guarded;
        let (mut reads, node_reads) = (recording.take_reads(), inputs.take_reads());
        let Parts { node, environment, assigned, is_elsewhere, facts } = match result {
            Ok(parts) => parts,
            Err(failure) => {
                reads.set_node_inputs(node_reads);
                return Err(Box::new(FailedNode { failure, logs, reads }));
            }
        };
        let test_code = if let NodeSource::Test(test) = source { test.code.clone() } else { None };
        Ok(PreparedNode {
            certname: source.certname(),
            node,
            environment,
            assigned,
            is_elsewhere,
            kind: source.kind(),
            facts,
            code: test_code.or_else(|| self.options.code.clone()),
            data,
            relates_automatically: matches!(source, NodeSource::Test(test) if test.relates_automatically),
            node_world,
            reads,
            node_reads,
            logs,
            reported,
            secrets,
        })
    }

    fn find_parts(
        &self,
        source: NodeSource<'_>,
        requested: &Arc<Environment>,
        (world, inputs): (&Arc<RecordingWorld>, &Arc<RecordingWorld>),
        logs: &mut Vec<Diagnostic>,
    ) -> Result<Parts, Box<Diagnostic>> {
        let Settings { limits, interrupt, .. } = &self.options.settings;
        let found = limits.within_time(interrupt.clone(), || self.complete_parts(source, requested, inputs, logs));
        let found = found.unwrap_or_else(|reason| Err(Box::from(reason)));
        if found.is_err() && matches!(source, NodeSource::Site(_)) {
            // The compile does not check this, but a missing manifest is reported first.
            let _ = self.is_manifest_missing(world.as_ref());
        }
        found
    }

    fn complete_parts(
        &self,
        source: NodeSource<'_>,
        requested: &Arc<Environment>,
        inputs: &Arc<RecordingWorld>,
        logs: &mut Vec<Diagnostic>,
    ) -> Result<Parts, Box<Diagnostic>> {
        let certname = source.certname();
        let (facts, trusted, mut server_facts) = match source {
            NodeSource::Site(certname) => (
                self.facts(certname, inputs)?,
                self.trusted(certname, inputs.as_ref())?,
                self.configured_server_facts(inputs.as_ref())?,
            ),
            NodeSource::Agent(agent) => (NodeFacts::shared(agent.facts.clone()), agent.trusted.clone(), None),
            NodeSource::Test(test) => {
                let trusted = test.trusted.clone().unwrap_or_else(|| trusted(&test.certname));
                (NodeFacts::shared(test.facts.clone()), trusted, None)
            }
        };
        let mut classification = match source {
            NodeSource::Test(test) => test.classification(),
            NodeSource::Site(_) | NodeSource::Agent(_) => {
                let request = Request {
                    certname: certname.clone(),
                    environment: requested.name.clone(),
                    facts: facts.values.clone(),
                    trusted: Arc::new(trusted.clone()),
                };
                let data = ClassifierData { session: self, environment: requested.clone(), world: inputs.clone() };
                let classifier = self.classifier(requested, inputs.as_ref(), &data)?;
                classifier.classify(&request, inputs.as_ref()).map_err(|mut failure| {
                    self.keep_printed(&mut failure.summarized);
                    logs.append(&mut failure.summarized);
                    failure
                })?
            }
        };
        self.keep_printed(&mut classification.warnings);
        logs.append(&mut classification.warnings);
        let assigned = classification.environment.clone().filter(|name| *name != requested.name);
        let environment = match (&assigned, source) {
            (Some(name), NodeSource::Site(_)) => self.open_assigned_environment(name, requested, inputs, logs)?,
            _ => requested.clone(),
        };
        if let (NodeSource::Agent(agent), None) = (source, &assigned) {
            let configured = self.configured_server_facts(inputs.as_ref())?;
            server_facts = Some(configured.unwrap_or_else(|| agent.server_facts.clone()));
        }
        let version = self.options.settings.version;
        let complete_facts = facts.completed(&certname, version);
        let trusted = Some(trusted);
        let input = NodeInput { facts: complete_facts, trusted, server_facts, classification, version };
        let node = Node::new(&certname, &environment.name, input);
        let is_elsewhere = !Arc::ptr_eq(&environment, requested);
        Ok(Parts { node, environment, assigned, is_elsewhere, facts })
    }

    /// The configured `$server_facts`.
    fn configured_server_facts(&self, world: &dyn World) -> Result<Option<Hash>, Reason> {
        self.options.server_facts.as_ref().map(|path| self.layers.server_facts(path, world)).transpose()
    }

    /// Takes over an agent's node from the session that prepared it, since its classification assigns it to this session's environment.
    ///
    /// # Errors
    /// The environment cannot be opened, or its server facts cannot be read. Also returns the messages.
    pub fn adopt(&self, mut prepared: PreparedNode) -> Result<PreparedNode, (Box<Diagnostic>, Vec<Diagnostic>)> {
        let node_world = self.node_world(&prepared.certname).map_err(|reason| (Box::from(reason), Vec::new()))?;
        let secrets = Arc::new(SecretCollection::from(&prepared.reported));
        let recording = node_world.recording(&secrets);
        let guarded = self.guard(
            &secrets,
            |logs| {
                let environment = self.environment(self.environment_name(), &recording, logs)?;
                let configured = self.configured_server_facts(recording.as_ref())?;
                Ok((environment, configured))
            },
            |result| if result.is_ok() { result } else { node_world.close(result) },
        );
        let (environment, configured) = match guarded.result {
            Ok(opened) => opened,
            Err(failure) => return Err((failure, guarded.logs)),
        };
        if let Kind::Agent(server_facts) = &prepared.kind {
            let mut server_facts = configured.unwrap_or_else(|| server_facts.clone());
            server_facts.set("environment", Value::from(environment.name.clone()));
            prepared.node.server_facts = Arc::new(server_facts);
        }
        prepared.node.environment = environment.name.clone();
        prepared.logs.extend(guarded.logs);
        Ok(PreparedNode {
            environment,
            assigned: None,
            code: self.options.code.clone(),
            node_world,
            reads: recording.take_reads(),
            secrets: guarded.secrets,
            reported: guarded.reported,
            ..prepared
        })
    }
}

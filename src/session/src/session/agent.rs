//! Compiles for agents: the facts come with a request, `$trusted` from the certificate of its connection.
//!
//! In: an [`AgentNode`]. Out: its catalog, also for a store and PuppetDB, or the environment that it belongs to. Must not: keep facts
//! or certificates beyond one request.

use std::sync::Arc;
use std::sync::OnceLock;

use crate::session::CompileRecord;
use crate::session::Compiled;
use crate::session::Session;
use crate::session::classifier_data::ClassifierData;
use crate::session::open::InputOverrides;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::secrets;
use catwalk_eval::Settings;
use catwalk_node as node;
use catwalk_node::Node;
use catwalk_node::NodeInput;
use catwalk_node::classify::Classification;
use catwalk_node::classify::Classifier;
use catwalk_node::classify::Request;
use catwalk_node::facts;
use catwalk_program::environment::Environment;
use catwalk_value::value::Hash;
use catwalk_value::value::Value;
use catwalk_world::RecordingWorld;

/// A node as its agent and its certificate describe it.
#[derive(Clone, Debug, Default)]
pub struct AgentNode {
    /// The certname.
    pub certname: Arc<str>,
    /// The facts that the agent sent.
    pub facts: Arc<Hash>,
    /// `$trusted`
    pub trusted: Hash,
    /// `$server_facts` where the site does not configure them.
    pub server_facts: Hash,
}

/// The result of a compile for an agent.
#[derive(Debug)]
pub enum AgentCompile {
    /// The catalog of this session's environment, or why there is none.
    Compiled(Box<Compiled>),
    /// The classifier assigns the node to this environment. Nothing was compiled.
    OtherEnvironment(Arc<str>),
}

/// The definition of a node by a classifier.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeDefinition {
    /// The environment that the classifier assigns, or else the session's.
    pub environment: Arc<str>,
    /// Classes with their parameters.
    pub classes: Vec<(Arc<str>, Option<Arc<Hash>>)>,
    /// Top-scope variables of the classifier.
    pub parameters: Vec<(Arc<str>, Value)>,
}

fn without_position(reason: Reason) -> Box<Diagnostic> {
    Box::new(Diagnostic::new(reason, None))
}

impl Session {
    /// `$trusted` of a connection with a certificate: authenticated, with the certificate's extensions by name or number and the facts
    /// of `trusted_external_command`. (Puppet::Context::TrustedInformation.remote)
    ///
    /// # Errors
    /// The command fails, or the mapping of object identifiers cannot be read.
    pub fn trusted_of_certificate(&self, certname: &str, extensions: &[(String, String)]) -> Result<Hash, Reason> {
        let world = RecordingWorld::new(self.world.clone());
        let names = self.oid_names(&world)?;
        let mut named = Hash::new();
        for (oid, value) in extensions {
            let name = names.get(oid).and_then(Value::as_str).unwrap_or(oid);
            named.set(name, Value::str(value));
        }
        let mut trusted = node::trusted(certname);
        trusted.set("extensions", Value::hash(named));
        if let Some(external) = self.external_trusted(certname, &world)? {
            trusted.set("external", external);
        }
        Ok(trusted)
    }

    /// Compiles the catalog of an agent's node. With `is_environment_fixed`, the environment that the classifier assigns is ignored. A
    /// panic is returned as an error of this node.
    pub fn compile_for_agent(&self, agent: &AgentNode, is_environment_fixed: bool) -> AgentCompile {
        let assigned = OnceLock::new();
        let compiled = self.compile_with_retry(
            &agent.certname,
            || self.node_world(&agent.certname),
            |world, record| {
                let environment = self.environment(self.environment_name(), world, &mut record.logs)?;
                let classification = self.classify(agent, &environment, world, record)?;
                if let Some(name) = &classification.environment
                    && **name != *environment.name
                    && !is_environment_fixed
                {
                    let _ = assigned.set(name.clone());
                    return Err(without_position(Reason::runtime("the node belongs to another environment")));
                }
                let node = self.build_agent_node(agent, &environment, classification)?;
                let overrides = InputOverrides { code: self.options.code.as_deref(), ..InputOverrides::default() };
                self.attempt((node, environment), overrides, world, record)
            },
        );
        match assigned.into_inner() {
            Some(environment) => AgentCompile::OtherEnvironment(environment),
            None => AgentCompile::Compiled(Box::new(compiled)),
        }
    }

    /// Classifies an agent's node. Also returns the messages that the classifier logs.
    ///
    /// # Errors
    /// The classifier fails.
    pub fn classify_agent(&self, agent: &AgentNode) -> Result<(NodeDefinition, Vec<Diagnostic>), Box<Diagnostic>> {
        let mut record = CompileRecord::default();
        let world = Arc::new(RecordingWorld::new(self.world.clone()));
        let (result, used_secrets) = secrets::collect(|| {
            let classify = std::panic::AssertUnwindSafe(|| {
                let environment = self.environment(self.environment_name(), &world, &mut record.logs)?;
                let classification = self.classify(agent, &environment, &world, &mut record)?;
                Ok((environment.name.clone(), classification))
            });
            std::panic::catch_unwind(classify).unwrap_or_else(|_| {
                Err(without_position(Reason::new(
                    Code::INTERNAL_ERROR,
                    "internal error: the classifier ended unexpectedly",
                )))
            })
        });
        let secrets = self.secrets(used_secrets);
        record.logs.iter_mut().for_each(|line| line.redact(&secrets));
        let (environment, classification) = result.map_err(|mut failure: Box<Diagnostic>| {
            failure.redact(&secrets);
            failure
        })?;
        let Classification { classes, parameters, environment: assigned, .. } = classification;
        let definition = NodeDefinition {
            environment: assigned.unwrap_or(environment),
            classes: classes.into_iter().collect(),
            parameters: parameters.into_iter().collect(),
        };
        Ok((definition, record.logs))
    }

    fn classify(
        &self,
        agent: &AgentNode,
        environment: &Arc<Environment>,
        world: &Arc<RecordingWorld>,
        record: &mut CompileRecord,
    ) -> Result<Classification, Box<Diagnostic>> {
        let request = Request {
            certname: agent.certname.clone(),
            environment: environment.name.clone(),
            facts: agent.facts.clone(),
            trusted: Arc::new(agent.trusted.clone()),
        };
        let Settings { limits, interrupt, .. } = &self.options.settings;
        let result = limits.within_time(interrupt.clone(), || {
            let data = ClassifierData { session: self, environment: environment.clone(), world: world.clone() };
            self.classifier(environment, world.as_ref(), &data)?.classify(&request, world.as_ref())
        });
        let result = result.unwrap_or_else(|reason| Err(without_position(reason)));
        let mut classification = result.map_err(|mut failure| {
            self.keep_printed(&mut failure.summarized);
            record.logs.append(&mut failure.summarized);
            failure
        })?;
        self.keep_printed(&mut classification.warnings);
        record.logs.append(&mut classification.warnings);
        Ok(classification)
    }

    fn build_agent_node(
        &self,
        agent: &AgentNode,
        environment: &Environment,
        mut classification: Classification,
    ) -> Result<Node, Box<Diagnostic>> {
        classification.environment = None;
        let configured = self.options.server_facts.as_ref().or(self.site.server_facts.as_ref());
        let server_facts = match configured {
            Some(path) => facts::read_hash(path, "server facts", self.world.as_ref()).map_err(without_position)?,
            None => agent.server_facts.clone(),
        };
        let version = self.options.settings.version;
        let input = NodeInput {
            facts: agent.facts.clone(),
            trusted: Some(agent.trusted.clone()),
            server_facts: Some(server_facts),
            classification,
            version,
        };
        Ok(Node::new(&agent.certname, &environment.name, input))
    }

    /// The facts of a node in the site's directory of nodes; `None` where it has none.
    #[must_use]
    pub fn listed_facts(&self, certname: &str) -> Option<Arc<Hash>> {
        let world = Arc::new(RecordingWorld::new(self.world.clone()));
        self.nodes().ok()?.contains_key(certname).then_some(())?;
        self.facts(certname, &world).ok().map(|facts| facts.values)
    }

    /// Drops the cached web pages and host names, so that the next request of an agent reads current ones.
    pub fn forget_services(&self) {
        self.world.forget_services();
        if let Some(stored) = &self.stored {
            stored.refresh();
        }
    }
}

//! The responses to requests of agents, as in Puppet's compiler terminus.
//!
//! In: requests with the certname of a verified certificate. Out: documents, or Puppet's messages. A panic fails only its request. Must
//! not: know HTTP, trust the name that an agent sends.

use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use serde_json::json;

use crate::code;
use crate::environment::Attempt;
use crate::environment::PATIENCE;
use crate::environment::ServedEnvironment;
use crate::environments::Environments;
use crate::facts::FactMemory;
use crate::kept;
use crate::kept::KeptCatalog;
use crate::on_behalf;
use crate::records::Records;
use crate::serve_log::ServeLog;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::diag::Severity;
use catwalk_base::source::SourceMap;
use catwalk_base::stack;
use catwalk_catalog::Catalog;
use catwalk_catalog::MessagePaths;
use catwalk_catalog::Version;
use catwalk_classifier::Subject;
use catwalk_formats::wire::native;
use catwalk_server::CatalogDocument;
use catwalk_server::CatalogRequest;
use catwalk_server::ClassificationFailure;
use catwalk_server::ClassificationRequest;
use catwalk_server::Client;
use catwalk_server::CompileResult;
use catwalk_server::EnvironmentSettings;
use catwalk_server::Facts;
use catwalk_server::Failure;
use catwalk_server::FailureKind;
use catwalk_server::Metrics;
use catwalk_server::ModuleDirectory;
use catwalk_server::NodeRequest;
use catwalk_server::ServedSite;
use catwalk_session::AgentNode;
use catwalk_session::Compiled;
use catwalk_session::NodeSource;
use catwalk_session::PreparedNode;
use catwalk_session::Session;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_value::json::to_json;

/// The environments that a server serves to agents.
pub struct AgentSite {
    environments: Arc<Environments>,
    records: Records,
    facts: FactMemory,
    server_facts: Hash,
    metrics: Arc<Metrics>,
    keeping: Keeping,
    log: Arc<dyn ServeLog>,
}

/// Which catalogs are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keeping {
    /// How many bytes the kept catalogs of an environment may have; 0: none are kept.
    pub bytes: usize,
    /// Whether the log says why a catalog was compiled.
    pub explains: bool,
}

impl Default for Keeping {
    fn default() -> Keeping {
        Keeping { bytes: 256 << 20, explains: false }
    }
}

/// The result of an attempt to compile.
enum Tried {
    Answer(CatalogDocument),
    /// Files are newer than the version.
    Outdated,
    /// Files of the node's own environment are newer than this version of it.
    OutdatedElsewhere(Arc<ServedEnvironment>, Attempt),
}

/// The document of a classification, or that of a conflict.
type Classification = Result<Vec<u8>, ClassificationFailure>;

fn failed(message: impl Into<String>) -> Failure {
    Failure { kind: FailureKind::Failed, message: message.into() }
}

fn not_found(reason: &Reason) -> Failure {
    Failure { kind: FailureKind::NotFound, message: reason.message.to_string() }
}

/// Runs a compile on a stack of sufficient size. A panic is a failure.
fn catch_panics<T: Send>(work: impl FnOnce() -> Result<T, Failure> + Send) -> Result<T, Failure> {
    let caught = || std::panic::catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err(failed("internal error")));
    stack::with_large(caught).unwrap_or_else(|error| Err(failed(format!("cannot start a thread: {error}"))))
}

/// A catalog without resources, which tells an agent its environment (Puppet::Resource::Catalog::Compiler#find).
fn empty_catalog(certname: &str, environment: &str, uuid: &str) -> Vec<u8> {
    let catalog = json!({
        "tags": [], "name": certname, "version": null, "code_id": null, "catalog_uuid": uuid, "catalog_format": 2,
        "environment": environment, "resources": [], "edges": [], "classes": [],
    });
    catalog.to_string().into_bytes()
}

impl AgentSite {
    /// Creates the site. `server_facts` are `$server_facts` of environments that do not configure them.
    #[must_use]
    pub fn new(
        environments: Arc<Environments>,
        records: Records,
        server_facts: Hash,
        log: Arc<dyn ServeLog>,
    ) -> AgentSite {
        AgentSite {
            environments,
            records,
            facts: FactMemory::default(),
            server_facts,
            metrics: Arc::default(),
            keeping: Keeping::default(),
            log,
        }
    }

    /// Counts compiles in these figures.
    #[must_use]
    pub fn with_metrics(self, metrics: Arc<Metrics>) -> AgentSite {
        AgentSite { metrics, ..self }
    }

    /// Keeps these catalogs.
    #[must_use]
    pub fn keeping(self, keeping: Keeping) -> AgentSite {
        AgentSite { keeping, ..self }
    }

    /// The environment that an agent requests; if it does not exist, the default one.
    fn requested_environment(&self, name: Option<&str>) -> Result<(String, Arc<ServedEnvironment>), Failure> {
        let default = self.environments.default_name();
        let name = name.filter(|name| self.environments.exists(name)).unwrap_or(default);
        let environment = match self.environments.exists(name) {
            true => self.environments.get(name).map_err(|reason| failed(reason.message.to_string())),
            false => self.environments.get(name).map_err(|reason| not_found(&reason)),
        };
        Ok((name.to_owned(), environment?))
    }

    /// An environment that a request names.
    fn served(&self, name: &str) -> Result<Arc<ServedEnvironment>, Failure> {
        if !self.environments.exists(name) {
            return Err(not_found(&Reason::runtime(format!("Could not find environment '{name}'"))));
        }
        self.environments.get(name).map_err(|reason| failed(reason.message.to_string()))
    }

    /// The session for a request whose client asks for more messages than the server prints.
    fn session_with_messages(attempt: &Attempt, request: &CatalogRequest) -> Option<Session> {
        let level = request.on_behalf.as_ref()?.logs?;
        Some(attempt.open.session.with_messages_from(level))
    }

    /// The node of a request, with `$trusted` of its certificate or as the client decides.
    fn node_of(&self, session: &Session, request: &CatalogRequest, facts: Arc<Hash>) -> Result<AgentNode, Reason> {
        let Some(behalf) = &request.on_behalf else { return self.agent_node(session, &request.client, facts) };
        let certname = Arc::from(request.client.certname.as_str());
        let trusted = on_behalf::trusted(behalf, &facts, || self.records.stored_trusted(&request.client.certname));
        Ok(AgentNode { certname, facts, trusted, server_facts: self.server_facts.clone() })
    }

    fn agent_node(&self, session: &Session, client: &Client, facts: Arc<Hash>) -> Result<AgentNode, Reason> {
        let trusted = session.trusted_of_certificate(&client.certname, &client.extensions)?;
        let certname = Arc::from(client.certname.as_str());
        Ok(AgentNode { certname, facts, trusted, server_facts: self.server_facts.clone() })
    }

    /// The latest facts of a node, for requests without facts.
    fn last_facts(&self, certname: &str, session: &Session) -> Option<Arc<Hash>> {
        let stored = self.records.stored_facts(certname).or_else(|| self.facts.latest(certname));
        stored.or_else(|| session.listed_facts(certname))
    }

    fn compile(&self, request: &CatalogRequest) -> Result<CatalogDocument, Failure> {
        let deadline = Instant::now() + PATIENCE;
        let (name, environment) = match (&request.on_behalf, &request.environment) {
            (Some(_), Some(name)) => (name.clone(), self.environment_on_behalf(name)?),
            _ => self.requested_environment(request.environment.as_deref())?,
        };
        let mut attempt = environment.begin()?;
        let mut facts_are_recorded = false;
        let mut has_retried = false;
        loop {
            match self.try_to_compile(request, &name, &attempt, &mut facts_are_recorded)? {
                Tried::Answer(catalog) => return Ok(catalog),
                // Perhaps only another request needed the newer files.
                Tried::Outdated if !std::mem::replace(&mut has_retried, true) => attempt = environment.begin()?,
                Tried::Outdated => attempt = environment.begin_again(&attempt, deadline)?,
                Tried::OutdatedElsewhere(environment_of_node, elsewhere) => {
                    environment_of_node.begin_again(&elsewhere, deadline)?;
                    attempt = environment.begin()?;
                }
            }
        }
    }

    /// An environment that a client other than the node names: unlike for agents, there is no default.
    fn environment_on_behalf(&self, name: &str) -> Result<Arc<ServedEnvironment>, Failure> {
        let environment = match self.environments.exists(name) {
            true => self.environments.get(name),
            false => Err(self.environments.missing_directory(name)),
        };
        environment.map_err(|reason| failed(reason.message.to_string()))
    }

    /// Compiles with one version of the environment that the agent requests.
    fn try_to_compile(
        &self,
        request: &CatalogRequest,
        name: &str,
        attempt: &Attempt,
        facts_are_recorded: &mut bool,
    ) -> Result<Tried, Failure> {
        let certname = request.client.certname.as_str();
        let with_messages = AgentSite::session_with_messages(attempt, request);
        let session = with_messages.as_ref().unwrap_or(&attempt.open.session);
        let running = attempt.running();
        let facts = match &request.facts {
            Some(facts) => facts.values().clone(),
            None => self.last_facts(certname, session).unwrap_or_default(),
        };
        let agent = match self.node_of(session, request, facts) {
            Err(_) if !attempt.is_whole() => return Ok(Tried::Outdated),
            agent => agent.map_err(|reason| {
                let failure: Box<Diagnostic> = reason.into();
                self.fail(&failure, session.sources(), certname)
            })?,
        };
        if let Some(facts) = request.facts.as_ref().filter(|_| request.saves_facts() && !*facts_are_recorded) {
            self.record_facts(session, &agent, name, facts);
            *facts_are_recorded = true;
        }
        let started = Instant::now();
        session.forget_services();
        // The node is classified once, in the environment that the agent requests.
        let prepared = session.prepare_or_log(NodeSource::Agent(&agent));
        if !attempt.is_whole() {
            self.metrics.compile(name, CompileResult::Outdated);
            return Ok(Tried::Outdated);
        }
        self.metrics.phase(name, "classify", started.elapsed());
        let prepared =
            prepared.map_err(|(failure, logs)| self.fail_preparing(&failure, &logs, session, &agent.certname))?;
        let assigned = match prepared.assigned_environment().cloned() {
            None => return self.compile_in((attempt, session), &prepared, request, started),
            Some(_) if request.prefers_environment() => {
                drop(running);
                return self.compile_elsewhere(attempt, prepared, request, started);
            }
            Some(assigned) if request.check_environment => {
                let uuid = session.new_uuid();
                return Ok(Tried::Answer(CatalogDocument::Whole(empty_catalog(certname, &assigned, &uuid))));
            }
            Some(assigned) => assigned,
        };
        let prepared = self.leave(session, prepared);
        drop(running);
        let environment = self
            .environments
            .for_node(&assigned)
            .map_err(|reason| failed(format!("Failed when searching for node {certname}: {}", reason.message)))?;
        let elsewhere = environment.begin()?;
        let tried = self.compile_elsewhere(&elsewhere, prepared, request, started)?;
        Ok(match tried {
            Tried::Outdated => Tried::OutdatedElsewhere(environment, elsewhere),
            tried => tried,
        })
    }

    /// Compiles a node in the environment that a classifier assigned to it.
    fn compile_elsewhere(
        &self,
        attempt: &Attempt,
        prepared: PreparedNode,
        request: &CatalogRequest,
        started: Instant,
    ) -> Result<Tried, Failure> {
        let with_messages = AgentSite::session_with_messages(attempt, request);
        let session = with_messages.as_ref().unwrap_or(&attempt.open.session);
        let _running = attempt.running();
        session.forget_services();
        let prepared = match session.adopt(prepared) {
            Err(_) if !attempt.is_whole() => return Ok(Tried::Outdated),
            prepared => prepared
                .map_err(|(failure, logs)| self.fail_preparing(&failure, &logs, session, &request.client.certname))?,
        };
        self.compile_in((attempt, session), &prepared, request, started)
    }

    /// Prints the messages of a node that another environment's session compiles: positions in them are those of this session.
    fn leave(&self, session: &Session, mut prepared: PreparedNode) -> PreparedNode {
        self.print(&prepared.take_logs(), session, prepared.certname());
        prepared
    }

    fn print(&self, logs: &[Diagnostic], session: &Session, certname: &str) {
        // A client may ask for more messages of its compile than the server prints.
        let printed = logs.iter().filter(|line| session.options.prints(line.severity));
        printed.for_each(|line| self.log.diagnostic(line, session.sources(), Some(certname)));
    }

    fn fail_preparing(&self, failure: &Diagnostic, logs: &[Diagnostic], session: &Session, certname: &str) -> Failure {
        self.print(logs, session, certname);
        self.fail(failure, session.sources(), certname)
    }

    fn record_facts(&self, session: &Session, agent: &AgentNode, environment: &str, facts: &Facts) {
        if !self.records.stores_facts() {
            self.facts.store(&agent.certname, facts);
        }
        self.records.facts(session, agent, environment);
    }

    /// Compiles in an environment and prints the messages. `started`: when the node was prepared.
    fn compile_in(
        &self,
        (attempt, session): (&Attempt, &Session),
        prepared: &PreparedNode,
        request: &CatalogRequest,
        started: Instant,
    ) -> Result<Tried, Failure> {
        let name = &prepared.definition().environment;
        let key = kept::key(prepared.certname(), request.rich_data);
        if let Some(document) = self.kept_document(attempt, &key, prepared, request, started) {
            return Ok(Tried::Answer(document));
        }
        let compiling = Instant::now();
        let mut compiled = session.compile_prepared(prepared);
        if !attempt.is_whole() {
            self.metrics.compile(name, CompileResult::Outdated);
            return Ok(Tried::Outdated);
        }
        self.metrics.phase(name, "compile", compiling.elapsed());
        let result = if compiled.result.is_ok() { CompileResult::Compiled } else { CompileResult::Failed };
        self.metrics.compile(name, result);
        if let Ok(catalog) = &mut compiled.result
            && let Version::Seconds(seconds) = &mut catalog.version
        {
            *seconds = attempt.open.changed();
        }
        let recording = Instant::now();
        let record = match request.saves_catalog() {
            true => self.records.catalog(session, &mut compiled, request.transaction_uuid.as_deref()),
            false => None,
        };
        self.metrics.phase(name, "record", recording.elapsed());
        let ticket = self.keeps(request).then(|| attempt.open.kept.lock().begin(&key, &mut compiled)).flatten();
        let Compiled { certname, result, logs, .. } = compiled;
        self.print(&logs, session, &certname);
        let mut catalog = result.map_err(|failure| {
            let Failure { kind, message } = self.fail(&failure, session.sources(), &certname);
            let is_of_main = session.is_failure_of_main_manifest(&failure);
            let start = if is_of_main { format!("Could not parse for environment {name}: ") } else { String::new() };
            Failure { kind, message: format!("{start}{message}") }
        })?;
        let writing = Instant::now();
        // A client that is no agent gets rich data where it is Puppet's default.
        let is_rich = match &request.on_behalf {
            Some(_) => session.options.puppet.unwrap_or_default().is_since("8.0.0"),
            None => request.rich_data,
        };
        let written = to_bytes(&mut catalog, is_rich).map_err(|reason| {
            let failure: Box<Diagnostic> = reason.into();
            self.fail(&failure, session.sources(), &certname)
        })?;
        let written = match &request.on_behalf {
            Some(behalf) => on_behalf::document(behalf, written, &catalog, &logs, session.sources()),
            None => written,
        };
        self.metrics.phase(name, "write", writing.elapsed());
        // The messages of the classification are new in each request.
        let printed = logs.into_iter().skip(prepared.logs().len()).filter(|line| session.options.prints(line.severity));
        let logs: Vec<Diagnostic> = printed.collect();
        if let (Some(ticket), Some(record)) = (ticket, record)
            && let Some(kept) = KeptCatalog::new(&written, (&catalog.version, &catalog.uuid), logs, record)
        {
            attempt.open.kept.lock().put(&key, ticket, kept, self.keeping.bytes);
        }
        let seconds = started.elapsed().as_secs_f64();
        let environment = &catalog.environment;
        let text = format!("Compiled catalog for {certname} in environment {environment} in {seconds:.2} seconds");
        self.log.note(&text);
        Ok(Tried::Answer(CatalogDocument::Whole(written)))
    }

    /// Whether the catalog of a request may be kept: only those of the nodes themselves are.
    fn keeps(&self, request: &CatalogRequest) -> bool {
        self.keeping.bytes > 0 && request.on_behalf.is_none()
    }

    /// The kept catalog of a node, if it holds, with a new UUID and the present version. It is recorded like a compile.
    fn kept_document(
        &self,
        attempt: &Attempt,
        key: &str,
        prepared: &PreparedNode,
        request: &CatalogRequest,
        started: Instant,
    ) -> Option<CatalogDocument> {
        if !self.keeps(request) {
            return None;
        }
        let session = &attempt.open.session;
        let (name, certname) = (&prepared.definition().environment, prepared.certname());
        let (found, figures) = {
            let catalogs = attempt.open.kept.lock();
            (catalogs.find(key, prepared), catalogs.figures())
        };
        self.metrics.kept(name, figures);
        let kept = match found {
            Ok(kept) => kept,
            Err(why) => {
                self.metrics.miss(name, why.label());
                if self.keeping.explains {
                    self.log.note(&format!("{certname} is compiled: {why}"));
                }
                return None;
            }
        };
        // A command that fails adds a warning.
        let version = session.configured_version(prepared).ok()?;
        if version.is_some() != kept.has_text_version || !attempt.is_whole() {
            return None;
        }
        let version = version.unwrap_or_else(|| Version::Seconds(attempt.open.changed()));
        let uuid = session.new_uuid();
        let transaction = request.transaction_uuid.as_deref();
        if !self.records.renew(session, certname, &kept.record, (&version, &uuid), transaction) {
            return None;
        }
        self.print(prepared.logs(), session, certname);
        self.print(&kept.logs, session, certname);
        let (beginning, end) = kept.document(&version, &uuid);
        self.metrics.compile(name, CompileResult::Kept);
        let seconds = started.elapsed().as_secs_f64();
        self.log.note(&format!("Kept catalog for {certname} in environment {name} in {seconds:.2} seconds"));
        Some(CatalogDocument::Kept(beginning, end))
    }

    /// Prints the failure of a compile. Returns the message for the agent.
    fn fail(&self, failure: &Diagnostic, sources: &SourceMap, certname: &str) -> Failure {
        self.log.diagnostic(failure, sources, Some(certname));
        failed(format!("{} on node {certname}", failure.puppet_text(sources)))
    }

    /// Answers a request from one version of an environment.
    fn answer<T>(
        &self,
        environment: &ServedEnvironment,
        mut answer: impl FnMut(&Attempt) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let deadline = Instant::now() + PATIENCE;
        let mut attempt = environment.begin()?;
        let mut has_retried = false;
        loop {
            let answered = {
                let _running = attempt.running();
                answer(&attempt)
            };
            if attempt.is_whole() {
                return answered;
            }
            attempt = match std::mem::replace(&mut has_retried, true) {
                // Perhaps only another request needed the newer files.
                false => environment.begin()?,
                true => environment.begin_again(&attempt, deadline)?,
            };
        }
    }

    /// Classifies a node that a request describes, with the classifiers of the default environment.
    fn classify_node(&self, request: &ClassificationRequest) -> Result<Classification, Failure> {
        let (_, environment) = self.requested_environment(None)?;
        let bytes = |document: &Value| to_json(document).to_string().into_bytes();
        self.answer(&environment, |attempt| {
            let session = &attempt.open.session;
            session.forget_services();
            let trusted = match &request.asking_node {
                None => request.trusted.clone(),
                Some(node) => session
                    .trusted_of_certificate(&node.certname, &node.extensions)
                    .map(Arc::new)
                    .map_err(|reason| failed(reason.message.to_string()))?,
            };
            let node = Subject::new(&request.name, request.facts.clone(), trusted);
            let (answer, logs) = session.classify_for_documents(&node, None, |classified, world| {
                if request.explains {
                    return Ok(Ok(classified.explanation(&node, false, world)?));
                }
                Ok(classified.classified(node.name()))
            });
            if !attempt.is_whole() {
                return Err(failed("outdated"));
            }
            self.print(&logs, session, node.name());
            match answer {
                Ok(Ok(document)) => Ok(Ok(bytes(&document))),
                Ok(Err(conflict)) => Ok(Err(ClassificationFailure::Conflict(bytes(&conflict.document())))),
                Err(failure) => {
                    self.log.diagnostic(&failure, session.sources(), Some(node.name()));
                    Err(failed(failure.puppet_text(session.sources())))
                }
            }
        })
    }

    fn define_node(&self, request: &NodeRequest) -> Result<Vec<u8>, Failure> {
        let (_, environment) = self.requested_environment(request.environment.as_deref())?;
        self.answer(&environment, |attempt| self.define_node_in(attempt, request))
    }

    fn define_node_in(&self, attempt: &Attempt, request: &NodeRequest) -> Result<Vec<u8>, Failure> {
        let certname = request.client.certname.as_str();
        let session = &attempt.open.session;
        let facts = self.last_facts(certname, session).unwrap_or_default();
        let agent = self.agent_node(session, &request.client, facts);
        let agent = agent.map_err(|reason| self.fail(&Diagnostic::new(reason, None), session.sources(), certname))?;
        let prepared = session.prepare(NodeSource::Agent(&agent));
        if !attempt.is_whole() {
            return Err(failed("outdated"));
        }
        let prepared = prepared.map_err(|failure| self.fail(&failure, session.sources(), certname))?;
        let definition = prepared.definition();
        for line in prepared.logs().iter().filter(|line| line.severity >= Severity::Warning) {
            self.log.diagnostic(line, session.sources(), Some(certname));
        }
        self.environments.for_node(&definition.environment).map_err(|reason| failed(reason.message.to_string()))?;
        let mut document = json!({"name": certname, "environment": &*definition.environment});
        if !definition.classes.is_empty() {
            let parameters = |parameters: &Option<Arc<Hash>>| match parameters {
                Some(parameters) => to_json(&Value::Hash(parameters.clone())),
                None => json!({}),
            };
            let classes = definition.classes.iter().map(|(name, values)| (name.to_string(), parameters(values)));
            document["classes"] = serde_json::Value::Object(classes.collect());
        }
        let classifier_parameters =
            definition.parameters.iter().map(|(name, value)| (name.to_string(), to_json(value)));
        let mut parameters: serde_json::Map<String, serde_json::Value> = classifier_parameters.collect();
        // Facts do not replace parameters of the classifier (Puppet::Node#merge).
        for (name, value) in agent.facts.iter().filter_map(|(name, value)| Some((name.as_str()?, value))) {
            parameters.entry(name).or_insert_with(|| to_json(value));
        }
        parameters.shift_remove("environment");
        if !parameters.is_empty() {
            document["parameters"] = serde_json::Value::Object(parameters);
        }
        Ok(document.to_string().into_bytes())
    }
}

fn to_bytes(catalog: &mut Catalog, rich_data: bool) -> Result<Vec<u8>, Reason> {
    if !rich_data {
        catalog.make_plain(MessagePaths::Separate);
    }
    native::write_for_agent(catalog)
}

impl ServedSite for AgentSite {
    fn search_paths(&self) -> Vec<PathBuf> {
        self.environments.search_paths()
    }

    fn environments(&self) -> Vec<EnvironmentSettings> {
        let settings = |name: String| {
            let served = self.environments.get(&name).ok()?;
            let opened = self.answer(&served, |attempt| Ok(attempt.open.session.open_environment().ok()));
            let environment = opened.ok()??;
            Some(EnvironmentSettings {
                name,
                modulepath: environment.modulepath.clone(),
                manifest: environment.manifest.clone().unwrap_or_default(),
                config_version: environment.config_version.clone(),
            })
        };
        catch_panics(|| Ok(self.environments.names().into_iter().filter_map(settings).collect())).unwrap_or_default()
    }

    fn has_environment(&self, name: &str) -> bool {
        self.environments.exists(name)
    }

    fn modules(&self, environment: &str) -> Result<Vec<ModuleDirectory>, Failure> {
        catch_panics(|| {
            let served = self.served(environment)?;
            let opened = self.answer(&served, |attempt| {
                let session = &attempt.open.session;
                session.open_environment().map_err(|failure| failed(failure.puppet_text(session.sources())))
            })?;
            let modules = opened.modules.iter();
            Ok(modules
                .map(|(name, module)| ModuleDirectory { name: name.to_string(), path: module.root.clone() })
                .collect())
        })
    }

    fn node(&self, request: &NodeRequest) -> Result<Vec<u8>, Failure> {
        catch_panics(|| self.define_node(request))
    }

    fn catalog(&self, request: &CatalogRequest) -> Result<CatalogDocument, Failure> {
        catch_panics(|| self.compile(request))
    }

    fn classify(&self, request: &ClassificationRequest) -> Result<Vec<u8>, ClassificationFailure> {
        catch_panics(|| self.classify_node(request)).unwrap_or_else(|failure| {
            Err(match failure.kind {
                FailureKind::Busy => ClassificationFailure::Busy(failure.message),
                _ => ClassificationFailure::Failed(failure.message),
            })
        })
    }

    fn save_facts(&self, client: &Client, environment: &str, facts: &Facts) -> Result<(), Failure> {
        catch_panics(|| {
            let (name, served) = self.requested_environment(Some(environment))?;
            let mut is_recorded = false;
            self.answer(&served, |attempt| {
                let session = &attempt.open.session;
                let agent = self.agent_node(session, client, facts.values().clone());
                let agent = agent.map_err(|reason| failed(reason.message.to_string()))?;
                if attempt.is_whole() && !std::mem::replace(&mut is_recorded, true) {
                    self.record_facts(session, &agent, &name, facts);
                }
                Ok(())
            })
        })
    }

    fn deployed(&self, environment: Option<&str>) -> Result<(), Failure> {
        catch_panics(|| self.environments.deployed(environment))
    }

    fn environment_classes(&self, environment: &str) -> Result<Vec<u8>, Failure> {
        catch_panics(|| {
            let served = self.served(environment)?;
            self.answer(&served, |attempt| {
                let session = &attempt.open.session;
                let manifests = session.manifest_classes();
                let manifests = manifests.map_err(|failure| failed(failure.puppet_text(session.sources())))?;
                Ok(code::classes(environment, &manifests).to_string().into_bytes())
            })
        })
    }

    fn environment_modules(&self, environment: Option<&str>) -> Result<Vec<u8>, Failure> {
        let modules = |name: &str| {
            let served = self.served(name)?;
            self.answer(&served, |attempt| {
                let session = &attempt.open.session;
                let modules = session.module_versions();
                Ok(code::modules(name, &modules.map_err(|failure| failed(failure.puppet_text(session.sources())))?))
            })
        };
        catch_panics(|| {
            let document = match environment {
                Some(name) => modules(name)?,
                None => {
                    let names = self.environments.names();
                    serde_json::Value::Array(names.iter().map(|name| modules(name)).collect::<Result<_, _>>()?)
                }
            };
            Ok(document.to_string().into_bytes())
        })
    }

    fn save_report(&self, client: &Client, _: &str, report: &[u8]) -> Result<Vec<String>, Failure> {
        catch_panics(|| {
            self.records.report(&client.certname, report).map_err(|why| Failure {
                kind: FailureKind::BadRequest,
                message: format!("The report is not a report: {why}"),
            })
        })
    }
}

//! What is kept of requests: catalogs and facts in a store, commands for PuppetDB in its queue, reports in files.
//!
//! In: results of compiles, facts, reports. Out: they are on the disk when a call returns, so that a server that is killed has lost nothing
//! that an agent was told. A thread writes the store: what arrives meanwhile is one transaction. Must not: fail a request for a disk
//! that is full, know how PuppetDB is reached.

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc;

use crate::serve::ServeLog;
use catwalk_apply::report;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::source::SourceMap;
use catwalk_formats::wire::puppetdb::Submission;
use catwalk_puppetdb::Command;
use catwalk_puppetdb::CommandName;
use catwalk_session::session::AgentNode;
use catwalk_session::session::Compiled;
use catwalk_session::session::Session;
use catwalk_store::NodeFixture;
use catwalk_store::Store;
use catwalk_value::value::Hash;
use catwalk_value::value::Value;
use catwalk_value::value::json::from_json;
use catwalk_world::Disk;
use catwalk_world::World;
use catwalk_world::output;

/// Nodes that are written in one transaction at most.
const BATCH: usize = 64;

/// Puts commands into the queue of PuppetDB. When it returns, they are on the disk.
pub type Submit = Box<dyn Fn(&[Command]) -> Result<(), Reason> + Send + Sync>;

/// Where results go.
pub struct Records {
    store: Option<StoreWriter>,
    submit: Option<Submit>,
    reports: Option<PathBuf>,
    /// The server's certname: the producer of commands.
    producer: Arc<str>,
    log: Arc<dyn ServeLog>,
}

/// A node to write and who waits for it.
struct Job {
    node: NodeFixture,
    done: mpsc::Sender<Result<(), String>>,
}

/// The thread that writes a store.
struct StoreWriter {
    path: PathBuf,
    jobs: mpsc::Sender<Job>,
}

fn write_jobs(store: &Store, jobs: &mpsc::Receiver<Job>) {
    let now = || i64::try_from(Disk::new().now().as_millis()).unwrap_or(i64::MAX);
    while let Ok(first) = jobs.recv() {
        let batch: Vec<Job> = std::iter::once(first).chain(jobs.try_iter().take(BATCH)).collect();
        let (nodes, done): (Vec<NodeFixture>, Vec<_>) = batch.into_iter().map(|job| (job.node, job.done)).unzip();
        let put = |nodes: &[NodeFixture]| store.put(nodes, now()).map_err(|error| error.to_string());
        let written = put(&nodes);
        for (node, done) in nodes.iter().zip(done) {
            let result = match &written {
                // One node that cannot be written must not keep out the others.
                Err(_) if nodes.len() > 1 => put(std::slice::from_ref(node)),
                written => written.clone(),
            };
            // The request may have been given up.
            let _ = done.send(result);
        }
    }
}

impl StoreWriter {
    fn start(path: PathBuf) -> Result<StoreWriter, Reason> {
        let failed = |why: String| Reason::new(Code::BAD_STORE, why);
        let store = Store::open(&path).map_err(|error| failed(error.to_string()))?;
        let (jobs, received) = mpsc::channel();
        let thread = std::thread::Builder::new().name("store".to_owned());
        thread.spawn(move || write_jobs(&store, &received)).map_err(|error| failed(error.to_string()))?;
        Ok(StoreWriter { path, jobs })
    }

    fn put(&self, node: NodeFixture) -> Result<(), Reason> {
        let (done, result) = mpsc::channel();
        let sent = self.jobs.send(Job { node, done }).map_err(|_| "its writer has ended".to_owned());
        let written = sent.and_then(|()| result.recv().unwrap_or_else(|_| Err("its writer has ended".to_owned())));
        written.map_err(|why| Reason::new(Code::BAD_STORE, why))
    }
}

impl Records {
    /// Keeps results in these places.
    ///
    /// # Errors
    /// The store cannot be opened.
    pub fn open(
        store: Option<PathBuf>,
        submit: Option<Submit>,
        reports: Option<PathBuf>,
        producer: &str,
        log: Arc<dyn ServeLog>,
    ) -> Result<Records, Reason> {
        let store = store.map(StoreWriter::start).transpose()?;
        Ok(Records { store, submit, reports, producer: Arc::from(producer), log })
    }

    /// Whether facts are found again.
    pub(super) fn keeps_facts(&self) -> bool {
        self.store.is_some()
    }

    fn warn(&self, result: Result<(), Reason>, node: &str) {
        if let Err(reason) = result {
            self.log.diagnostic(&Diagnostic::new(reason, None), &SourceMap::new(), Some(node));
        }
    }

    fn put(&self, node: NodeFixture) {
        if let Some(store) = &self.store {
            let certname = node.certname.clone();
            self.warn(store.put(node), &certname);
        }
    }

    fn submit(&self, command: Result<Command, Reason>, node: &str) {
        if let Some(submit) = &self.submit {
            self.warn(command.and_then(|command| submit(&[command])), node);
        }
    }

    /// Keeps the facts of a node, also where its catalog will not compile.
    pub(super) fn facts(&self, session: &Session, agent: &AgentNode, environment: &str) {
        if self.store.is_none() && self.submit.is_none() {
            return;
        }
        let mut facts = session.agent_facts(agent, environment);
        facts.producer = Some(self.producer.to_string());
        if self.submit.is_some() {
            self.submit(session.facts_command(&facts), &agent.certname);
        }
        let certname = agent.certname.to_string();
        self.put(NodeFixture { certname, facts: Some(facts), ..NodeFixture::default() });
    }

    /// Keeps the catalog of a node. One that did not compile leaves what is known of the node as it is.
    pub(super) fn catalog(&self, session: &Session, compiled: &mut Compiled, transaction: Option<&str>) {
        if self.submit.is_some() {
            let submission = Submission {
                transaction_uuid: transaction.map(Arc::from),
                producer: Some(self.producer.clone()),
                ..Submission::default()
            };
            if let Some(command) = session.catalog_command(compiled, &submission).transpose() {
                self.submit(command, &compiled.certname);
            }
        }
        if self.store.is_some()
            && let Some(mut node) = session.catalog_fixture(compiled)
        {
            if let Some(catalog) = &mut node.catalog {
                catalog.producer = Some(self.producer.to_string());
                catalog.transaction_uuid = transaction.map(str::to_owned).or(catalog.transaction_uuid.take());
            }
            self.put(node);
        }
    }

    /// The facts of a node in the store, without its trusted data.
    pub(super) fn stored_facts(&self, certname: &str) -> Option<Arc<Hash>> {
        let store = Store::open_existing(&self.store.as_ref()?.path).ok()?;
        let mut values = store.node(certname).ok()??.facts?.values;
        values.shift_remove("trusted");
        match from_json(&serde_json::Value::Object(values)) {
            Value::Hash(facts) => Some(facts),
            _ => None,
        }
    }

    /// Keeps a report. Returns the names of the places that took it, as Puppet names report processors.
    ///
    /// # Errors
    /// It is not JSON.
    pub(super) fn report(&self, certname: &str, body: &[u8]) -> Result<Vec<String>, String> {
        let document: serde_json::Value = serde_json::from_slice(body).map_err(|error| error.to_string())?;
        if !document.is_object() {
            return Err("it is not an object".to_owned());
        }
        let status = document.get("status").and_then(serde_json::Value::as_str).unwrap_or("without a status");
        self.log.note(&format!("{certname}: report: {status}"));
        let mut taken = Vec::new();
        if let Some(folder) = &self.reports {
            self.warn(write_report(folder, certname, &document), certname);
            taken.push("store".to_owned());
        }
        if self.submit.is_some() {
            let payload = report::store_report(&document, &self.producer);
            let command = Command::new(CommandName::StoreReport, &payload).map_err(|violations| {
                let rules: Vec<String> = violations.iter().map(ToString::to_string).collect();
                let text = format!(
                    "the report of {certname} is not submitted, since PuppetDB would discard it: {}",
                    rules.join("; ")
                );
                Reason::new(Code::BAD_PAYLOAD, text)
            });
            self.submit(command, certname);
            taken.push("puppetdb".to_owned());
        }
        Ok(taken)
    }
}

/// Writes a report to `FOLDER/CERTNAME/TIME.json`.
fn write_report(folder: &Path, certname: &str, report: &serde_json::Value) -> Result<(), Reason> {
    let is_name = certname.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
    if !is_name || certname.starts_with('.') {
        return Err(Reason::new(Code::BAD_REPORT, format!("'{certname}' is no name of a directory for reports")));
    }
    let time = report::iso8601(std::time::UNIX_EPOCH + Disk::new().now());
    let time: String = time.chars().take(23).map(|c| if c == ':' { '-' } else { c }).collect();
    let path = folder.join(certname).join(format!("{time}.json"));
    let failed = |error: std::io::Error| Reason::runtime(format!("cannot write {}: {error}", path.display()));
    output::folder(&folder.join(certname)).map_err(failed)?;
    output::write(&path, output::Kind::NodeReport, format!("{report}\n").as_bytes()).map_err(failed)
}

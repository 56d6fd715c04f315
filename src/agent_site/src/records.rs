//! Records of requests: catalogs and facts in a store, commands for PuppetDB in its queue, reports for their processors.
//!
//! In: results of compiles, facts, reports. Out: records on the disk before a call returns, so that a killed server loses nothing that it
//! has confirmed to an agent. A thread writes the store; records that arrive during a transaction are written in the next one. Must not:
//! fail a request because the disk is full, know how PuppetDB is reached.

use std::collections::HashMap;
use std::hash::RandomState;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc;

use crate::reports::PuppetReport;
use crate::reports::ReportProcessor;
use crate::serve_log::ServeLog;
use catwalk_apply::report;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::source::SourceMap;
use catwalk_catalog::Version;
use catwalk_formats::wire::native;
use catwalk_formats::wire::puppetdb::Submission;
use catwalk_puppetdb::Command;
use catwalk_puppetdb::CommandName;
use catwalk_puppetdb::KeptCommand;
use catwalk_session::AgentNode;
use catwalk_session::Compiled;
use catwalk_session::Session;
use catwalk_session::store_path;
use catwalk_store::CatalogRenewal;
use catwalk_store::NodeFixture;
use catwalk_store::Store;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_value::json::from_json;
use catwalk_world::Disk;
use catwalk_world::World;
use catwalk_world::output::Place;

/// The most records that are taken from the queue after the first one and written in the same transaction.
const BATCH: usize = 64;

/// Adds commands to the queue of PuppetDB. They are on the disk when it returns.
pub type Submit = Box<dyn Fn(&[Command]) -> Result<(), Reason> + Send + Sync>;

/// The destinations of records.
pub struct Records {
    store: Option<StoreWriter>,
    submit: Option<Submit>,
    reports: Vec<ReportProcessor>,
    /// The server's certname: the producer of commands.
    producer: Arc<str>,
    log: Arc<dyn ServeLog>,
}

/// What is needed to record a kept catalog again.
pub(crate) struct CatalogRecord {
    /// The hash of the catalog in the store.
    hash: Option<u64>,
    command: Option<KeptCommand>,
}

impl CatalogRecord {
    /// The number of bytes in memory.
    pub(crate) fn size(&self) -> usize {
        self.command.as_ref().map_or(0, KeptCommand::size)
    }
}

/// The records to write for a node.
enum Work {
    /// The facts and the catalog of a node, with the hash of the catalog if there is one.
    Node(Box<NodeFixture>, Option<u64>),
    /// Only the metadata of a compile, if its catalog has the hash of the one written last.
    Renewal(CatalogRenewal, u64),
}

/// A write to the store and the channel of its caller, which receives whether the store had the catalog to renew.
struct Job {
    work: Work,
    reply: mpsc::Sender<Result<bool, Reason>>,
}

/// The thread that writes a store.
struct StoreWriter {
    path: PathBuf,
    jobs: mpsc::Sender<Job>,
    hasher: RandomState,
}

fn write_jobs(store: &Store, jobs: &mpsc::Receiver<Job>) {
    // Hashes of the catalogs that were written.
    let mut written: HashMap<String, u64> = HashMap::new();
    let mut version = store.data_version().ok();
    while let Ok(first) = jobs.recv() {
        let now = i64::try_from(Disk::new().now().as_millis()).unwrap_or(i64::MAX);
        let before = std::mem::replace(&mut version, store.data_version().ok());
        if before.is_none() || before != version {
            // Another process has changed the store.
            written.clear();
        }
        let (mut nodes, mut waiting) = (Vec::new(), Vec::new());
        for Job { work, reply } in std::iter::once(first).chain(jobs.try_iter().take(BATCH)) {
            let result = match work {
                Work::Node(node, hash) => {
                    if hash.is_some() {
                        written.remove(&node.certname);
                    }
                    nodes.push(*node);
                    waiting.push((reply, hash));
                    continue;
                }
                Work::Renewal(renewal, hash) if written.get(&renewal.certname) == Some(&hash) => {
                    store.renew_catalog(&renewal, now).map_err(|error| error.reason())
                }
                Work::Renewal(..) => Ok(false),
            };
            // The request may have been cancelled.
            let _ = reply.send(result);
        }
        let put = |nodes: &[NodeFixture]| store.put(nodes, now).map(|()| true).map_err(|error| error.reason());
        let all = put(&nodes);
        for (node, (reply, hash)) in nodes.iter().zip(waiting) {
            let result = match &all {
                // A node that cannot be written must not prevent writing others.
                Err(_) if nodes.len() > 1 => put(std::slice::from_ref(node)),
                all => all.clone(),
            };
            if let (Ok(_), Some(hash)) = (&result, hash) {
                written.insert(node.certname.clone(), hash);
            }
            let _ = reply.send(result);
        }
    }
}

impl StoreWriter {
    fn start(path: PathBuf) -> Result<StoreWriter, Reason> {
        let failed = |why: String| Reason::new(Code::BAD_STORE, why);
        let store = Store::open(&path).map_err(|error| error.reason())?;
        store.write_without_waiting().map_err(|error| error.reason())?;
        let (jobs, received) = mpsc::channel();
        let thread = std::thread::Builder::new().name("store".to_owned());
        thread.spawn(move || write_jobs(&store, &received)).map_err(|error| failed(error.to_string()))?;
        Ok(StoreWriter { path, jobs, hasher: RandomState::new() })
    }

    fn write(&self, work: Work) -> Result<bool, Reason> {
        let (reply, result) = mpsc::channel();
        let ended = || Reason::new(Code::BAD_STORE, format!("{}: its writer has ended", self.path.display()));
        self.jobs.send(Job { work, reply }).map_err(|_| ended())?;
        result.recv().unwrap_or_else(|_| Err(ended()))
    }

    /// Writes the catalog of a compile; for an unchanged catalog, only the metadata of the compile.
    fn catalog(
        &self,
        session: &Session,
        compiled: &mut Compiled,
        transaction: Option<&str>,
        producer: &str,
    ) -> Result<Option<u64>, Reason> {
        let Ok(catalog) = &compiled.result else { return Ok(None) };
        let hash = native::hash_contents(catalog, &self.hasher)?;
        let transaction = transaction.map(str::to_owned);
        let renewal = CatalogRenewal {
            certname: compiled.certname.to_string(),
            version: catalog.version.to_string(),
            catalog_uuid: Some(catalog.uuid.to_string()),
            transaction_uuid: transaction.clone().or_else(|| Some(catalog.uuid.to_string())),
        };
        if self.write(Work::Renewal(renewal, hash))? {
            return Ok(Some(hash));
        }
        let Some(mut node) = session.catalog_fixture(compiled) else { return Ok(None) };
        if let Some(catalog) = &mut node.catalog {
            catalog.producer = Some(producer.to_owned());
            catalog.transaction_uuid = transaction.or(catalog.transaction_uuid.take());
        }
        self.write(Work::Node(Box::new(node), Some(hash))).map(|_| Some(hash))
    }
}

impl Records {
    /// Creates records with these destinations.
    ///
    /// # Errors
    /// The store cannot be opened, or the directory of reports cannot be written to.
    pub fn open(
        store: Option<&Place>,
        submit: Option<Submit>,
        reports: Vec<ReportProcessor>,
        producer: &str,
        log: Arc<dyn ServeLog>,
    ) -> Result<Records, Reason> {
        let store = store.map(|place| store_path(place).and_then(StoreWriter::start)).transpose()?;
        reports.iter().try_for_each(ReportProcessor::check)?;
        Ok(Records { store, submit, reports, producer: Arc::from(producer), log })
    }

    /// Whether facts are stored.
    pub(crate) fn stores_facts(&self) -> bool {
        self.store.is_some()
    }

    /// Prints an error of writing a record. Returns whether the record was written.
    fn warn(&self, result: Result<(), Reason>, node: &str) -> bool {
        if let Err(reason) = &result {
            self.log.diagnostic(&Diagnostic::new(reason.clone(), None), &SourceMap::new(), Some(node));
        }
        result.is_ok()
    }

    /// Adds a command to the queue. Returns whether it was added.
    fn submit(&self, command: Result<Command, Reason>, node: &str) -> bool {
        let Some(submit) = &self.submit else { return false };
        self.warn(command.and_then(|command| submit(&[command])), node)
    }

    /// Records the facts of a node, even if its catalog is not going to compile.
    pub(crate) fn facts(&self, session: &Session, agent: &AgentNode, environment: &str) {
        if self.store.is_none() && self.submit.is_none() {
            return;
        }
        let mut facts = session.agent_facts(agent, environment);
        facts.producer = Some(self.producer.to_string());
        if self.submit.is_some() {
            self.submit(session.facts_command(&facts), &agent.certname);
        }
        if let Some(store) = &self.store {
            let certname = agent.certname.to_string();
            let node = NodeFixture { certname, facts: Some(facts), ..NodeFixture::default() };
            self.warn(store.write(Work::Node(Box::new(node), None)).map(|_| ()), &agent.certname);
        }
    }

    /// Records the catalog of a node. After a failed compile, the records of the node stay unchanged. Returns what is needed to record it
    /// again if it is kept; `None`: it must not be kept, since a record failed.
    pub(crate) fn catalog(
        &self,
        session: &Session,
        compiled: &mut Compiled,
        transaction: Option<&str>,
    ) -> Option<CatalogRecord> {
        let mut record = Some(CatalogRecord { hash: None, command: None });
        if self.submit.is_some() {
            let submission = Submission {
                transaction_uuid: transaction.map(Arc::from),
                producer: Some(self.producer.clone()),
                ..Submission::default()
            };
            if let Some(command) = session.catalog_command(compiled, &submission).transpose() {
                let mut kept = command.as_ref().ok().and_then(|command| KeptCommand::new(command).ok());
                let is_submitted = self.submit(command, &compiled.certname);
                record = record.filter(|_| is_submitted && kept.is_some());
                record.iter_mut().for_each(|record| record.command = kept.take());
            }
        }
        if let Some(store) = &self.store {
            let written = store.catalog(session, compiled, transaction, &self.producer);
            let hash = written.as_ref().ok().copied().flatten();
            record = record.filter(|_| hash.is_some());
            record.iter_mut().for_each(|record| record.hash = hash);
            self.warn(written.map(|_| ()), &compiled.certname);
        }
        record
    }

    /// Records a kept catalog for a later run of its agent. `false`: not everything could be recorded, so it must be compiled.
    pub(crate) fn renew(
        &self,
        session: &Session,
        certname: &str,
        record: &CatalogRecord,
        (version, uuid): (&Version, &str),
        transaction: Option<&str>,
    ) -> bool {
        if let Some(store) = &self.store {
            let Some(hash) = record.hash else { return false };
            let renewal = CatalogRenewal {
                certname: certname.to_owned(),
                version: version.to_string(),
                catalog_uuid: Some(uuid.to_owned()),
                transaction_uuid: Some(transaction.unwrap_or(uuid).to_owned()),
            };
            if !store.write(Work::Renewal(renewal, hash)).unwrap_or(false) {
                return false;
            }
        }
        if self.submit.is_some() {
            let Some(kept) = &record.command else { return false };
            return self.submit(session.renewed_command(kept, certname, (version, uuid), transaction), certname);
        }
        true
    }

    /// The facts of a node in the store, without its trusted data.
    pub(crate) fn stored_facts(&self, certname: &str) -> Option<Arc<Hash>> {
        let store = Store::open_existing(&self.store.as_ref()?.path).ok()?;
        let mut values = store.node(certname).ok()??.facts?.values;
        values.shift_remove("trusted");
        match from_json(&serde_json::Value::Object(values)) {
            Value::Hash(facts) => Some(facts),
            _ => None,
        }
    }

    /// The trusted data of a node in the store.
    pub(crate) fn stored_trusted(&self, certname: &str) -> Option<Arc<Hash>> {
        let store = Store::open_existing(&self.store.as_ref()?.path).ok()?;
        let values = store.node(certname).ok()??.facts?.values;
        match from_json(values.get("trusted")?) {
            Value::Hash(trusted) => Some(trusted),
            _ => None,
        }
    }

    /// Passes a report to its processors. Returns their names.
    ///
    /// # Errors
    /// The report is not JSON, or has another form than Puppet's.
    pub(crate) fn report(&self, certname: &str, body: &[u8]) -> Result<Vec<String>, String> {
        let document: serde_json::Value = serde_json::from_slice(body).map_err(|error| error.to_string())?;
        if !document.is_object() {
            return Err("it is not an object".to_owned());
        }
        let status = document.get("status").and_then(serde_json::Value::as_str);
        // The agent controls the content, which must not forge lines of the log.
        let is_word = |status: &&str| status.len() < 32 && status.bytes().all(|byte| byte.is_ascii_lowercase());
        let status = status.filter(is_word).unwrap_or("without a status");
        self.log.note(&format!("{certname}: report: {status}"));
        let mut destinations = Vec::new();
        // JSON files have the report as the agent has sent it.
        let is_read = self.reports.iter().any(|processor| !matches!(processor, ReportProcessor::Json(_)));
        let report = if is_read { PuppetReport::read(&document)? } else { PuppetReport::default() };
        for processor in &self.reports {
            match processor.process(certname, (&report, &document), self.log.as_ref()) {
                Ok(name) => destinations.push(name),
                Err(reason) => drop(self.warn(Err(reason), certname)),
            }
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
            if self.submit(command, certname) {
                destinations.push("puppetdb".to_owned());
            }
        }
        Ok(destinations)
    }
}

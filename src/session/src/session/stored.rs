//! The store of a site: provides data for collectors and `puppetdb_query`, and receives the results of compiles.
//!
//! In: a store file; compiled catalogs. Out: exported resources by type, answers to queries; a filled store, commands for PuppetDB. For
//! a node that does not compile, the data in the store and in PuppetDB stays unchanged.

use parking_lot::Mutex;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use crate::session::AgentNode;
use crate::session::Compiled;
use crate::session::ExportedFrom;
use crate::session::Options;
use crate::session::Session;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::diag::Severity;
use catwalk_base::names::Name;
use catwalk_catalog::ExportQuery;
use catwalk_catalog::ExportSource;
use catwalk_catalog::Exported;
use catwalk_formats::wire;
use catwalk_formats::wire::puppetdb::Style;
use catwalk_formats::wire::puppetdb::Submission;
use catwalk_formats::wire::puppetdb::Version;
use catwalk_puppetdb::Command;
use catwalk_puppetdb::CommandName;
use catwalk_puppetdb::PuppetDb;
use catwalk_store::CatalogDocument;
use catwalk_store::FactsDocument;
use catwalk_store::NodeFixture;
use catwalk_store::QueryError;
use catwalk_store::Store;
use catwalk_store::StoreError;
use catwalk_store::print_time;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_value::json::from_json;
use catwalk_value::json::to_json;
use catwalk_world::QueryService;
use catwalk_world::World;
use catwalk_world::WorldError;
use catwalk_world::output;
use catwalk_world::output::Contents;
use catwalk_world::output::Place;
use catwalk_world::output::Purpose;

/// A store that a session reads. Results are cached, so that all compiles of a run see the same exported resources.
pub(super) struct StoredNodes {
    store: Store,
    exported: Mutex<HashMap<Name, Arc<Vec<Exported>>>>,
    /// The version of the store from which `exported` was read.
    version: Mutex<i64>,
}

impl StoredNodes {
    /// Clears the cache if the store has changed since the last call.
    pub(super) fn refresh(&self) {
        // If the store cannot be read, the next query reports it.
        let current = self.store.data_version().unwrap_or_default();
        let mut version = self.version.lock();
        if std::mem::replace(&mut *version, current) != current {
            self.exported.lock().clear();
        }
    }
}

impl std::fmt::Debug for StoredNodes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "StoredNodes({})", self.store.path().display())
    }
}

impl ExportSource for StoredNodes {
    fn select(&self, query: &ExportQuery<'_>, _: &dyn World) -> Result<Arc<Vec<Exported>>, String> {
        let type_name = query.type_name;
        let mut exported = self.exported.lock();
        if let Some(rows) = exported.get(&type_name) {
            return Ok(rows.clone());
        }
        let rows = self.store.exported(type_name.as_str()).map_err(|error| error.to_string())?;
        let rows: Vec<Exported> = rows
            .into_iter()
            .map(|row| Exported {
                certname: Arc::from(row.certname),
                title: Arc::from(row.title),
                tags: row.tags.into_iter().map(Arc::from).collect(),
                parameters: row
                    .parameters
                    .iter()
                    .filter(|(_, value)| !value.is_null())
                    .map(|(name, value)| (Name::new(name), from_json(value)))
                    .collect(),
            })
            .collect();
        let rows = Arc::new(rows);
        exported.insert(type_name, rows.clone());
        Ok(rows)
    }
}

impl QueryService for StoredNodes {
    fn query(&self, query: &serde_json::Value) -> Result<serde_json::Value, WorldError> {
        match self.store.query(query) {
            Ok(rows) => Ok(serde_json::Value::Array(rows)),
            Err(QueryError::Bad(why)) => {
                Err(WorldError::NoAnswer(Arc::from(format!("the store {} rejected the query: {why}", self.location()))))
            }
            Err(QueryError::Store(error)) => Err(WorldError::NoAnswer(Arc::from(error.to_string()))),
        }
    }

    fn location(&self) -> String {
        self.store.path().display().to_string()
    }
}

fn store_failure(error: &StoreError) -> Reason {
    error.reason()
}

/// Stores of catalogs and facts.
static STORES: Purpose =
    Purpose { name: "store", description: "the store", option: "--store FILE.db", contents: Contents::Mixed };

/// The path of a store that a run writes to.
///
/// # Errors
/// It is reached through a link that the user did not name.
pub fn store_path(place: &Place) -> Result<PathBuf, Reason> {
    Ok(output::unlinked_path(place, &STORES)?)
}

/// Opens the store that the options name for collectors. Creates it if the same run writes to it.
///
/// # Errors
/// The file does not exist, or is not a store.
pub(super) fn open(options: &Options) -> Result<Option<Arc<StoredNodes>>, Reason> {
    let Some(ExportedFrom::Store(path)) = &options.exported else { return Ok(None) };
    let filled = match &options.store {
        Some(place) if place.path() == *path => store_path(place).map(|_| true)?,
        _ => false,
    };
    let store = if filled { Store::open(path) } else { Store::open_existing(path) };
    let store = store.map_err(|error| store_failure(&error))?;
    Ok(Some(Arc::new(StoredNodes { store, exported: Mutex::default(), version: Mutex::default() })))
}

/// The service for `puppetdb_query`: the PuppetDB of `catwalk.toml`, else the store that collectors read.
pub(super) fn query_service(puppetdb: PuppetDb, stored: Option<&Arc<StoredNodes>>) -> Option<Arc<dyn QueryService>> {
    match stored {
        _ if puppetdb.is_configured() => Some(Arc::new(puppetdb)),
        Some(stored) => Some(stored.clone()),
        None => None,
    }
}

impl Session {
    /// The catalog and facts of a compile for the store, without Sensitive parameters. `None`: the node failed, or PuppetDB would refuse
    /// its catalog, which becomes a warning; the data of such nodes in the store stays unchanged.
    pub fn to_store(&self, compiled: &mut Compiled) -> Option<NodeFixture> {
        let catalog = self.catalog_to_store(compiled)?;
        Some(NodeFixture {
            certname: compiled.certname.to_string(),
            deactivated: None,
            facts: facts_document(compiled, catalog.environment.clone()),
            catalog: Some(catalog),
        })
    }

    /// The catalog of a compile for the store; as [`Session::to_store`].
    fn catalog_to_store(&self, compiled: &mut Compiled) -> Option<CatalogDocument> {
        let catalog = compiled.result.as_ref().ok()?;
        let document = wire::puppetdb::document_of_version_4(catalog).and_then(|document| {
            let read = CatalogDocument::from_json(&document, Some(&compiled.certname));
            read.and_then(|catalog| catalog.check().map(|()| catalog)).map_err(Reason::runtime)
        });
        match document {
            Ok(catalog) => Some(catalog),
            Err(reason) => {
                let text = format!("the catalog of {} is not stored: {}", compiled.certname, reason.message);
                let warning = Diagnostic::new(Reason::new(Code::NOT_STORED, text), None).severity(Severity::Warning);
                compiled.logs.push(warning);
                None
            }
        }
    }

    /// The commands for PuppetDB with the catalog and facts of a compile; none if it failed. `submission` has the data that differ each
    /// time; its time defaults to now.
    ///
    /// # Errors
    /// PuppetDB would discard the catalog or the facts; the error names the violated rule.
    pub fn commands(&self, compiled: &Compiled, submission: &Submission) -> Result<Vec<Command>, Reason> {
        let Ok(catalog) = &compiled.result else { return Ok(Vec::new()) };
        let now = self.milliseconds();
        let time = submission.producer_timestamp.clone().unwrap_or_else(|| Arc::from(print_time(now)));
        let submission = Submission { producer_timestamp: Some(time.clone()), ..submission.clone() };
        let payload = wire::puppetdb::document(catalog, Version::V9, Style::Terminus, &submission)?;
        let mut payloads = vec![(CommandName::ReplaceCatalog, payload)];
        if let Some(mut facts) = facts_document(compiled, Some(catalog.environment.to_string())) {
            facts.producer = submission.producer.as_deref().map(str::to_owned);
            let mut payload = facts.to_payload(now);
            payload["producer_timestamp"] = serde_json::Value::from(&*time);
            payloads.push((CommandName::ReplaceFacts, payload));
        }
        payloads.iter().map(|(name, payload)| command(*name, payload, &compiled.certname)).collect()
    }

    /// The command for PuppetDB with the catalog of a compile; `None` if the compile failed.
    ///
    /// # Errors
    /// PuppetDB would discard the catalog; the error names the violated rule.
    pub fn catalog_command(&self, compiled: &Compiled, submission: &Submission) -> Result<Option<Command>, Reason> {
        let Ok(catalog) = &compiled.result else { return Ok(None) };
        let time = Arc::from(print_time(self.milliseconds()));
        let submission = Submission { producer_timestamp: Some(time), ..submission.clone() };
        let payload = wire::puppetdb::document(catalog, Version::V9, Style::Terminus, &submission)?;
        command(CommandName::ReplaceCatalog, &payload, &compiled.certname).map(Some)
    }

    /// The catalog of a compile for the store, without facts; as [`Session::to_store`].
    pub fn catalog_fixture(&self, compiled: &mut Compiled) -> Option<NodeFixture> {
        let catalog = self.catalog_to_store(compiled)?;
        Some(NodeFixture { certname: compiled.certname.to_string(), catalog: Some(catalog), ..NodeFixture::default() })
    }

    /// The facts that an agent sent, with its trusted data as the fact `trusted`, as PuppetDB's terminus sends them.
    #[must_use]
    pub fn agent_facts(&self, agent: &AgentNode, environment: &str) -> FactsDocument {
        let mut values = json_object(&agent.facts);
        values.insert("trusted".to_owned(), serde_json::Value::Object(json_object(&agent.trusted)));
        let (certname, environment) = (agent.certname.to_string(), Some(environment.to_owned()));
        FactsDocument { certname, environment, values, ..FactsDocument::default() }
    }

    /// The command for PuppetDB with facts.
    ///
    /// # Errors
    /// PuppetDB would discard them; the error names the violated rule.
    pub fn facts_command(&self, facts: &FactsDocument) -> Result<Command, Reason> {
        command(CommandName::ReplaceFacts, &facts.to_payload(self.milliseconds()), &facts.certname)
    }

    pub(super) fn milliseconds(&self) -> i64 {
        i64::try_from(self.world.now().as_millis()).unwrap_or(i64::MAX)
    }

    /// Writes nodes to a store.
    ///
    /// # Errors
    /// The store cannot be written.
    pub fn fill_store(&self, place: &Place, mut nodes: Vec<NodeFixture>) -> Result<(), Reason> {
        nodes.sort_by(|a, b| a.certname.cmp(&b.certname));
        let store = Store::open(&store_path(place)?).map_err(|error| store_failure(&error))?;
        store.put(&nodes, self.milliseconds()).map_err(|error| store_failure(&error))
    }
}

/// The facts of a compiled node, with its trusted data as the fact `trusted`, as PuppetDB's terminus sends them. `None`: the options
/// did not keep them.
fn facts_document(compiled: &Compiled, environment: Option<String>) -> Option<FactsDocument> {
    let mut values = json_object(compiled.facts.as_ref()?);
    if let Some(used) = &compiled.uses.node {
        values.insert("trusted".to_owned(), serde_json::Value::Object(json_object(used.trusted())));
    }
    let certname = compiled.certname.to_string();
    Some(FactsDocument { certname, environment, values, ..FactsDocument::default() })
}

fn json_object(hash: &Hash) -> serde_json::Map<String, serde_json::Value> {
    match to_json(&Value::Hash(Arc::new(hash.clone()))) {
        serde_json::Value::Object(values) => values,
        _ => serde_json::Map::new(),
    }
}

/// A command, unless PuppetDB would discard its payload.
fn command(name: CommandName, payload: &serde_json::Value, certname: &str) -> Result<Command, Reason> {
    Command::new(name, payload).map_err(|violations| {
        let rules = violations.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n  ");
        let text = format!("{name} of {certname} is not submitted, since PuppetDB would discard it:\n  {rules}");
        Reason::new(Code::BAD_PAYLOAD, text)
    })
}

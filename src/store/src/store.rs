//! Opening, writing and reading the store file.
//!
//! Each [`Store`] has one connection. The file is in SQLite's write-ahead mode: readers never wait, writers wait for each other,
//! and a process that is killed loses only changes that it had not committed.

use parking_lot::Mutex;
use parking_lot::MutexGuard;
use std::collections::HashMap;
use std::path::Path;
use std::path::PathBuf;
use std::time::Duration;

use rusqlite::Connection;
use rusqlite::OpenFlags;
use rusqlite::OptionalExtension;
use rusqlite::params;
use serde_json::Map;
use serde_json::Value;

use crate::document::CatalogDocument;
use crate::document::FactsDocument;
use crate::error::QueryError;
use crate::error::StoreError;
use crate::fixture::NodeFixture;
use crate::hash;
use crate::permissions;
use crate::query;
use crate::safety;
use crate::safety::RowCount;
use crate::schema;

/// How long a writer waits for another writer.
const BUSY_TIMEOUT: Duration = Duration::from_secs(30);

/// A file with catalogs and facts of nodes.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    connection: Mutex<Connection>,
}

/// A resource that a node exports.
#[derive(Clone, Debug, PartialEq)]
pub struct ExportedResource {
    pub certname: String,
    pub title: String,
    pub tags: Vec<String>,
    pub parameters: Map<String, Value>,
}

/// A summary of one node in a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeSummary {
    pub certname: String,
    /// The number of resources in its catalog; `None` without a catalog.
    pub resources: Option<i64>,
    /// The number of exported resources in its catalog.
    pub exported: i64,
    /// The number of its facts; `None` without facts.
    pub facts: Option<i64>,
    pub deactivated: bool,
}

type Sql<T> = Result<T, rusqlite::Error>;

impl Store {
    /// Opens the store for reading and writing; creates the file if it does not exist. Since facts may contain secrets, only the owner can
    /// read a new file, and the permissions of a file that everybody can read or write are restricted to its owner.
    ///
    /// # Errors
    /// The file cannot be opened or is not a store that this version reads.
    pub fn open(path: &Path) -> Result<Store, StoreError> {
        safety::check_files(path)?;
        permissions::check(path)?;
        permissions::create(path).map_err(|error| StoreError::from_io(path, &error))?;
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let store = Store::connect(path, flags)?;
        store.prepare()?;
        // Only now, since it could have been a file of another program.
        permissions::restrict(path);
        Ok(store)
    }

    /// Opens an existing store for reading. Temporary files that SQLite creates beside it are removed when it is closed.
    ///
    /// # Errors
    /// As [`Store::open`], or the file does not exist.
    pub fn open_existing(path: &Path) -> Result<Store, StoreError> {
        safety::check_files(path)?;
        permissions::check(path)?;
        // A read-only connection could not remove these files. If the file cannot be written, SQLite opens it for reading only.
        let store = Store::connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
        store.sql(|connection| connection.pragma_update(None, "query_only", true))?;
        store.check_version()?;
        Ok(store)
    }

    /// A store in memory, for tests.
    ///
    /// # Errors
    /// SQLite cannot allocate memory.
    pub fn in_memory() -> Result<Store, StoreError> {
        let path = PathBuf::from(":memory:");
        let connection = Connection::open_in_memory().map_err(|error| StoreError::from_sqlite(&path, &error))?;
        let store = Store { path, connection: Mutex::new(connection) };
        store.sql(|connection| safety::restrict(connection))?;
        store.prepare()?;
        Ok(store)
    }

    fn connect(path: &Path, flags: OpenFlags) -> Result<Store, StoreError> {
        let failed = |error: rusqlite::Error| StoreError::from_sqlite(path, &error);
        let connection = Connection::open_with_flags(path, flags).map_err(failed)?;
        connection.busy_timeout(BUSY_TIMEOUT).map_err(failed)?;
        connection.set_prepared_statement_cache_capacity(64);
        safety::restrict(&connection).map_err(failed)?;
        Ok(Store { path: path.to_path_buf(), connection: Mutex::new(connection) })
    }

    fn connection(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock()
    }

    /// The path of the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn sql<T>(&self, work: impl FnOnce(&mut Connection) -> Sql<T>) -> Result<T, StoreError> {
        let result = work(&mut self.connection());
        result.map_err(|error| StoreError::from_sqlite(&self.path, &error))
    }

    /// Creates the tables if the file is empty.
    fn prepare(&self) -> Result<(), StoreError> {
        let empty = self.sql(|connection| {
            let version: i64 = connection.pragma_query_value(None, "schema_version", |row| row.get(0))?;
            Ok(version == 0)
        })?;
        if empty {
            self.sql(|connection| {
                // Before the log is used, so that the file is recognised even if this process is killed.
                connection.pragma_update(None, "application_id", schema::APPLICATION)?;
                connection.pragma_update(None, "journal_mode", "wal")?;
                let change = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
                // Another process may have created them meanwhile.
                let version: i64 = change.pragma_query_value(None, "schema_version", |row| row.get(0))?;
                if version == 0 {
                    change.execute_batch(schema::CREATE)?;
                    change.pragma_update(None, "application_id", schema::APPLICATION)?;
                    change.pragma_update(None, "user_version", schema::VERSION)?;
                }
                change.commit()
            })?;
        }
        self.check_version()
    }

    fn check_version(&self) -> Result<(), StoreError> {
        let (application, version) = self.sql(|connection| {
            let application: i64 = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
            let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
            Ok((application, version))
        })?;
        if application != schema::APPLICATION {
            return Err(StoreError::Damaged(self.path.clone(), "it is a file of another program".to_owned()));
        }
        if version > schema::VERSION {
            return Err(StoreError::Newer(self.path.clone(), version));
        }
        match self.sql(|connection| safety::schema_difference(connection))? {
            Some(why) => Err(StoreError::Damaged(self.path.clone(), why)),
            None => Ok(()),
        }
    }

    /// A number that changes when another connection, in this or another process, has changed the file.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn data_version(&self) -> Result<i64, StoreError> {
        self.sql(|connection| connection.pragma_query_value(None, "data_version", |row| row.get(0)))
    }

    /// Reads every page of the file and compares indexes with tables.
    ///
    /// # Errors
    /// The file is damaged.
    pub fn check(&self) -> Result<(), StoreError> {
        let result: String =
            self.sql(|connection| connection.pragma_query_value(None, "integrity_check", |row| row.get(0)))?;
        match result.as_str() {
            "ok" => Ok(()),
            why => Err(StoreError::Damaged(self.path.clone(), why.lines().next().unwrap_or_default().to_owned())),
        }
    }

    /// Replaces catalogs and facts of nodes, all or none of them. `now` is the time in milliseconds since 1970. A node without a catalog in
    /// `nodes` keeps its stored catalog, so that a node whose compile failed still exports its resources.
    ///
    /// # Errors
    /// A catalog contains a resource twice, or an edge to a resource that it does not contain; the file cannot be written.
    pub fn put(&self, nodes: &[NodeFixture], now: i64) -> Result<(), StoreError> {
        for catalog in nodes.iter().filter_map(|node| node.catalog.as_ref()) {
            catalog.check().map_err(|why| StoreError::Document(format!("{}: {why}", catalog.certname)))?;
        }
        self.sql(|connection| {
            let change = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
            for node in nodes {
                let id = node_id(&change, &node.certname, node.deactivated)?;
                if let Some(catalog) = &node.catalog {
                    put_catalog(&change, id, catalog, now)?;
                }
                if let Some(facts) = &node.facts {
                    put_facts(&change, id, facts, now)?;
                }
            }
            change.commit()
        })
    }

    /// Deletes a node with its catalog and facts. Returns whether it existed.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn remove(&self, certname: &str) -> Result<bool, StoreError> {
        self.sql(|connection| {
            let change = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
            let id: Option<i64> = change
                .query_row("SELECT id FROM nodes WHERE certname = ?1", [certname], |row| row.get(0))
                .optional()?;
            let Some(id) = id else { return Ok(false) };
            for table in ["resources", "edges", "facts", "catalogs", "factsets"] {
                change.execute(&format!("DELETE FROM {table} WHERE node = ?1"), [id])?;
            }
            change.execute("DELETE FROM nodes WHERE id = ?1", [id])?;
            change.commit()?;
            Ok(true)
        })
    }

    /// Marks a node as deactivated at a time in milliseconds since 1970, or as active (`None`). Collectors and queries ignore deactivated
    /// nodes. Returns whether the node exists.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn set_deactivated(&self, certname: &str, time: Option<i64>) -> Result<bool, StoreError> {
        let sql = "UPDATE nodes SET deactivated = ?2 WHERE certname = ?1";
        Ok(self.sql(|connection| connection.execute(sql, params![certname, time]))? > 0)
    }

    /// The nodes, sorted by name.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn nodes(&self) -> Result<Vec<NodeSummary>, StoreError> {
        let sql = "SELECT n.certname, n.deactivated IS NOT NULL, c.node IS NOT NULL, s.node IS NOT NULL, \
                   (SELECT count(*) FROM resources r WHERE r.node = n.id), \
                   (SELECT count(*) FROM resources r WHERE r.node = n.id AND r.exported = 1), \
                   (SELECT count(*) FROM facts f WHERE f.node = n.id) \
                   FROM nodes n LEFT JOIN catalogs c ON c.node = n.id LEFT JOIN factsets s ON s.node = n.id ORDER BY n.certname";
        self.sql(|connection| {
            let mut count = RowCount::new(connection)?;
            let mut statement = connection.prepare_cached(sql)?;
            let rows = statement.query_map([], |row| {
                count.add(row.get_ref(0)?.as_str()?.len())?;
                let (has_catalog, has_facts): (bool, bool) = (row.get(2)?, row.get(3)?);
                Ok(NodeSummary {
                    certname: row.get(0)?,
                    deactivated: row.get(1)?,
                    resources: if has_catalog { Some(row.get(4)?) } else { None },
                    exported: row.get(5)?,
                    facts: if has_facts { Some(row.get(6)?) } else { None },
                })
            })?;
            rows.collect()
        })
    }

    /// The resources of a type that active nodes export, from which `<<| |>>` selects: sorted by node, then in the order of the catalog.
    ///
    /// # Errors
    /// The file cannot be read or is damaged.
    pub fn exported(&self, type_name: &str) -> Result<Vec<ExportedResource>, StoreError> {
        let sql = "SELECT n.certname, r.title, r.tags, r.parameters FROM resources r JOIN nodes n ON n.id = r.node \
                   WHERE r.type = ?1 AND r.exported = 1 AND n.deactivated IS NULL ORDER BY n.certname, r.position";
        self.sql(|connection| {
            let mut count = RowCount::new(connection)?;
            let mut statement = connection.prepare_cached(sql)?;
            let rows = statement.query_map([type_name], |row| {
                count.add(row.get_ref(2)?.as_str()?.len().saturating_add(row.get_ref(3)?.as_str()?.len()))?;
                let json = |at: usize| -> Sql<Value> {
                    let text = row.get_ref(at)?.as_str()?;
                    serde_json::from_str(text).map_err(|error| damaged(at, error))
                };
                let tags = match json(2)? {
                    Value::Array(items) => items.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
                    _ => Vec::new(),
                };
                let parameters = match json(3)? {
                    Value::Object(parameters) => parameters,
                    _ => Map::new(),
                };
                Ok(ExportedResource { certname: row.get(0)?, title: row.get(1)?, tags, parameters })
            })?;
            rows.collect()
        })
    }

    /// Runs a PuppetDB query, which is PQL or JSON in a string, or an AST as an array. Returns the same as PuppetDB's root endpoint: a list
    /// of objects, without deactivated nodes unless the query selects them (`node_state`).
    ///
    /// # Errors
    /// The query is invalid, or the file cannot be read.
    pub fn query(&self, query: &Value) -> Result<Vec<Value>, QueryError> {
        query::run(&self.connection(), &self.path, query)
    }
}

/// The error if a column does not contain valid JSON.
pub(crate) fn damaged(column: usize, error: serde_json::Error) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, rusqlite::types::Type::Text, Box::new(error))
}

/// The id of a node, which is added if necessary and is marked as active, or as deactivated at a time.
fn node_id(connection: &Connection, certname: &str, deactivated: Option<i64>) -> Sql<i64> {
    let sql = "INSERT INTO nodes (certname, deactivated) VALUES (?1, ?2) \
               ON CONFLICT (certname) DO UPDATE SET deactivated = ?2 RETURNING id";
    connection.prepare_cached(sql)?.query_row(params![certname, deactivated], |row| row.get(0))
}

fn put_catalog(connection: &Connection, node: i64, catalog: &CatalogDocument, now: i64) -> Sql<()> {
    for table in ["resources", "edges", "catalogs"] {
        connection.prepare_cached(&format!("DELETE FROM {table} WHERE node = ?1"))?.execute([node])?;
    }
    let sql = "INSERT INTO catalogs VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";
    connection.prepare_cached(sql)?.execute(params![
        node,
        catalog.environment,
        catalog.version,
        catalog.catalog_uuid,
        catalog.transaction_uuid,
        catalog.code_id,
        catalog.job_id,
        catalog.producer,
        catalog.producer_timestamp.unwrap_or(now),
        now,
        hash::catalog(catalog),
    ])?;
    let mut insert =
        connection.prepare_cached("INSERT INTO resources VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)")?;
    for (position, resource) in (0_i64..).zip(&catalog.resources) {
        insert.execute(params![
            node,
            position,
            resource.type_name,
            resource.title,
            resource.exported,
            resource.file,
            resource.line,
            Value::from(resource.tags.clone()).to_string(),
            serde_json::to_string(&resource.parameters).unwrap_or_default(),
            hash::resource(resource),
        ])?;
    }
    let mut insert = connection.prepare_cached("INSERT INTO edges VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")?;
    for (position, edge) in (0_i64..).zip(&catalog.edges) {
        let (source, target) = (&edge.source, &edge.target);
        insert.execute(params![node, position, source.0, source.1, target.0, target.1, edge.relationship])?;
    }
    Ok(())
}

fn put_facts(connection: &Connection, node: i64, facts: &FactsDocument, now: i64) -> Sql<()> {
    let sql = "INSERT INTO factsets VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (node) DO UPDATE SET environment = ?2, producer = ?3, \
               producer_timestamp = ?4, received = ?5, hash = ?6";
    connection.prepare_cached(sql)?.execute(params![
        node,
        facts.environment,
        facts.producer,
        facts.producer_timestamp.unwrap_or(now),
        now,
        hash::facts(facts),
    ])?;
    // Most facts of a node are unchanged, and are not written.
    let mut before: HashMap<String, String> = connection
        .prepare_cached("SELECT name, value FROM facts WHERE node = ?1")?
        .query_map([node], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<Sql<_>>()?;
    let mut insert = connection.prepare_cached("INSERT OR REPLACE INTO facts VALUES (?1, ?2, ?3)")?;
    for (name, value) in &facts.values {
        let value = value.to_string();
        if before.remove(name).is_none_or(|known| known != value) {
            insert.execute(params![node, name, value])?;
        }
    }
    let mut delete = connection.prepare_cached("DELETE FROM facts WHERE node = ?1 AND name = ?2")?;
    #[allow(clippy::iter_over_hash_type, reason = "rows have no order")]
    for name in before.keys() {
        delete.execute(params![node, name])?;
    }
    Ok(())
}

//! The tables of a store file.
//!
//! Times are milliseconds since 1970-01-01 UTC. Tags, parameters and the values of facts are JSON.

/// Marks the file as a store (`PRAGMA application_id`): "CWst".
pub(crate) const APPLICATION: i64 = 0x4357_7374;

/// The version of the tables (`PRAGMA user_version`).
pub(crate) const VERSION: i64 = 1;

/// Creates the tables in an empty file.
pub(crate) const CREATE: &str = "
CREATE TABLE nodes (
    id INTEGER PRIMARY KEY,
    certname TEXT NOT NULL UNIQUE,
    deactivated INTEGER
) STRICT;
CREATE TABLE catalogs (
    node INTEGER PRIMARY KEY REFERENCES nodes (id),
    environment TEXT,
    version TEXT NOT NULL,
    catalog_uuid TEXT,
    transaction_uuid TEXT,
    code_id TEXT,
    job_id TEXT,
    producer TEXT,
    producer_timestamp INTEGER NOT NULL,
    received INTEGER NOT NULL,
    hash TEXT NOT NULL
) STRICT;
CREATE TABLE resources (
    node INTEGER NOT NULL REFERENCES nodes (id),
    position INTEGER NOT NULL,
    type TEXT NOT NULL,
    title TEXT NOT NULL,
    exported INTEGER NOT NULL,
    file TEXT,
    line INTEGER,
    tags TEXT NOT NULL,
    parameters TEXT NOT NULL,
    hash TEXT NOT NULL,
    PRIMARY KEY (node, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX resources_by_title ON resources (type, title);
CREATE INDEX exported_resources ON resources (type) WHERE exported = 1;
CREATE TABLE edges (
    node INTEGER NOT NULL REFERENCES nodes (id),
    position INTEGER NOT NULL,
    source_type TEXT NOT NULL,
    source_title TEXT NOT NULL,
    target_type TEXT NOT NULL,
    target_title TEXT NOT NULL,
    relationship TEXT NOT NULL,
    PRIMARY KEY (node, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE factsets (
    node INTEGER PRIMARY KEY REFERENCES nodes (id),
    environment TEXT,
    producer TEXT,
    producer_timestamp INTEGER NOT NULL,
    received INTEGER NOT NULL,
    hash TEXT NOT NULL
) STRICT;
CREATE TABLE facts (
    node INTEGER NOT NULL REFERENCES nodes (id),
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (node, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX facts_by_name ON facts (name);
";

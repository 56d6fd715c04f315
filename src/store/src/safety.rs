//! Opens files that may come from other people: a repository can contain a database that only looks like a store.
//!
//! In: the path and the connection of a store. Out: an error unless the file is regular and has exactly the tables of a store; limits for
//! the statements of this connection. Must not: read rows.

use std::ffi::OsString;
use std::path::Path;
use std::path::PathBuf;

use catwalk_base::meter;
use rusqlite::Connection;
use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;

use crate::error::StoreError;
use crate::schema;

/// The longest string or row in bytes.
const MAX_LENGTH: i32 = 256 << 20;
/// The longest SQL statement in bytes: in the schema of a file, too.
const MAX_SQL: i32 = 1 << 20;
/// Instructions of SQLite between two checks of the compile's limits.
const CHECK_INTERVAL: i32 = 10_000;
/// The end of a rollback journal that names another file, which SQLite would delete.
const SUPER_JOURNAL_MAGIC: [u8; 8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];

/// The file that SQLite writes beside a database.
fn side_file(path: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(ending);
    PathBuf::from(name)
}

/// Refuses files that SQLite must not open: pipes and devices, and files beside the store that lead to other files.
#[allow(clippy::disallowed_methods, reason = "this crate opens its file by itself")]
pub(crate) fn check_files(path: &Path) -> Result<(), StoreError> {
    let refuse = |path: &Path, why: &str| Err(StoreError::Unreadable(path.to_path_buf(), why.to_owned()));
    if std::fs::metadata(path).is_ok_and(|meta| !meta.is_file()) {
        return refuse(path, "it is not a regular file");
    }
    for ending in ["-wal", "-shm", "-journal"] {
        let file = side_file(path, ending);
        if std::fs::symlink_metadata(&file).is_ok_and(|meta| !meta.is_file()) {
            return refuse(&file, "it is not a regular file");
        }
    }
    let journal = side_file(path, "-journal");
    if names_another_file(&journal).unwrap_or(false) {
        return refuse(&journal, "it names another file; delete it, or recover the database with SQLite");
    }
    Ok(())
}

#[allow(clippy::disallowed_methods, reason = "this crate opens its file by itself")]
fn names_another_file(journal: &Path) -> std::io::Result<bool> {
    use std::io::Read;
    use std::io::Seek;
    let mut file = std::fs::File::open(journal)?;
    let mut end = [0; 8];
    file.seek(std::io::SeekFrom::End(-8))?;
    file.read_exact(&mut end)?;
    Ok(end == SUPER_JOURNAL_MAGIC)
}

/// Restricts what statements and the schema of a file can do, and stops statements at the limits of the running compile.
pub(crate) fn restrict(connection: &Connection) -> Result<(), rusqlite::Error> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, MAX_LENGTH)?;
    connection.set_limit(Limit::SQLITE_LIMIT_SQL_LENGTH, MAX_SQL)?;
    connection.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 0)?;
    connection.progress_handler(CHECK_INTERVAL, Some(meter::is_over))
}

/// An entry of the schema: type, name, table, SQL.
type Entry = (String, String, String, Option<String>);

/// The entries of a schema, sorted; at most one more than `max`.
fn entries(connection: &Connection, max: usize) -> Result<Vec<Entry>, rusqlite::Error> {
    let sql = format!("SELECT type, name, tbl_name, sql FROM sqlite_schema LIMIT {}", max + 1);
    let mut statement = connection.prepare(&sql)?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))?;
    let mut entries = rows.collect::<Result<Vec<Entry>, _>>()?;
    entries.sort();
    Ok(entries)
}

/// The reason why a database is not a store: its schema has other tables, views, triggers or columns than a new store. `None`: it has
/// the same.
pub(crate) fn schema_difference(connection: &Connection) -> Result<Option<String>, rusqlite::Error> {
    let new = Connection::open_in_memory()?;
    new.execute_batch(schema::CREATE)?;
    let expected = entries(&new, usize::from(u16::MAX))?;
    let found = entries(connection, expected.len())?;
    if let Some((kind, name, ..)) = found.iter().find(|entry| !expected.contains(entry)) {
        return Ok(Some(format!("its {kind} {name} is not that of a store")));
    }
    Ok((found.len() < expected.len()).then(|| "it has not all tables of a store".to_owned()))
}

/// The most rows that a file can contain: a row takes at least four bytes. A damaged file can contain a page many times.
pub(crate) fn max_rows(connection: &Connection) -> Result<usize, rusqlite::Error> {
    let pages: i64 = connection.pragma_query_value(None, "page_count", |row| row.get(0))?;
    let size: i64 = connection.pragma_query_value(None, "page_size", |row| row.get(0))?;
    Ok(usize::try_from(pages.saturating_mul(size) / 4).unwrap_or(usize::MAX))
}

/// Counts the rows that a statement reads, with their bytes.
pub(crate) struct RowCount {
    left: usize,
}

impl RowCount {
    pub(crate) fn new(connection: &Connection) -> Result<RowCount, rusqlite::Error> {
        Ok(RowCount { left: max_rows(connection)? })
    }

    /// Counts a row of `bytes` bytes.
    ///
    /// # Errors
    /// There are more rows than the file can contain.
    pub(crate) fn add(&mut self, bytes: usize) -> Result<(), rusqlite::Error> {
        meter::charge(bytes);
        self.left = self.left.checked_sub(1).ok_or_else(|| {
            rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CORRUPT), None)
        })?;
        Ok(())
    }
}

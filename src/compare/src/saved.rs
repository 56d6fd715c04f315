//! Saved catalogs as the old side of a comparison: of files, and of PuppetDB.

use std::path::Path;
use std::sync::Arc;
use std::sync::OnceLock;

use indexmap::IndexMap;
use serde_json::Value;
use serde_json::json;

use crate::comparison::SavedCatalogs;
use catwalk_base::diag::Code;
use catwalk_base::diag::Reason;
use catwalk_formats::wire;
use catwalk_session::Session;
use catwalk_world::Disk;
use catwalk_world::Kind;
use catwalk_world::World;
use catwalk_world::WorldError;

/// The name of the file for PuppetDB's catalogs with `--record` and `--replay`.
const TAPE: &str = "catalogs";

/// Ends the reading of saved catalogs.
pub type Close = Box<dyn FnOnce() -> Result<(), Reason>>;

/// The latest catalogs in the PuppetDB of a site. The second value is called after the comparison; it fails if PuppetDB did not respond.
///
/// # Errors
/// The recorded responses of PuppetDB cannot be read.
pub fn catalogs_of_puppetdb(session: &Session) -> Result<(SavedCatalogs, Close), Reason> {
    let queries = Arc::new(session.external_queries(TAPE)?);
    // If PuppetDB does not respond, nothing can be compared.
    let failure: Arc<OnceLock<Reason>> = Arc::default();
    let (queries_of_catalogs, first_failure) = (queries.clone(), failure.clone());
    let catalogs: SavedCatalogs = Box::new(move |certname| {
        if let Some(reason) = first_failure.get() {
            return Err(reason.clone());
        }
        let query = json!(["from", "catalogs", ["=", "certname", certname]]);
        match queries_of_catalogs.world().puppetdb(&query) {
            Err(why) => {
                let why = format!("the catalog of {certname} cannot be read from PuppetDB: {why}");
                Err(first_failure.get_or_init(|| Reason::new(Code::PUPPETDB, why)).clone())
            }
            Ok(Value::Array(rows)) if rows.is_empty() => Ok(None),
            Ok(rows) => Ok(Some(rows)),
        }
    });
    let close: Close = Box::new(move || match failure.get() {
        Some(reason) => Err(reason.clone()),
        None => queries.close(),
    });
    Ok((catalogs, close))
}

/// The files of catalogs in a directory, by node.
///
/// # Errors
/// The directory cannot be read.
pub fn list_catalog_files(folder: &Path, disk: &Disk) -> Result<IndexMap<Arc<str>, Arc<str>>, Reason> {
    let entries = disk.list(folder).map_err(|refused| Reason::new(Code::DIFF, refused.to_string()))?;
    Ok(wire::archive::files(entries.iter().filter(|entry| entry.kind == Kind::File).map(|entry| &*entry.name)))
}

/// Reads a saved catalog. `None`: there is no such file.
///
/// # Errors
/// The file cannot be read, or is not JSON.
pub fn read_catalog(path: &Path, disk: &Disk) -> Result<Option<Value>, Reason> {
    let bad = |why: &dyn std::fmt::Display| Reason::new(Code::BAD_CATALOG, format!("{}: {why}", path.display()));
    match disk.read(path) {
        Ok(bytes) => serde_json::from_slice(&bytes).map(Some).map_err(|error| bad(&error)),
        Err(WorldError::Missing(_)) => Ok(None),
        Err(refused) => Err(bad(&refused)),
    }
}

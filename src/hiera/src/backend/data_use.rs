//! The keys of a data file that a compile used, and the fingerprints of their values.
//!
//! In: a data file, the keys that were looked up. Out: fingerprints; the current file. Must not: look anything up.

use std::hash::Hash;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::DataHash;
use super::Files;
use super::Format;
use crate::Strict;
use catwalk_base::fingerprint::Fingerprint;
use catwalk_base::fingerprint::Fingerprinter;
use catwalk_value::fingerprint;
use catwalk_world::World;

/// A data file with the root keys that a compile used.
#[derive(Clone, Debug)]
pub struct DataUse {
    /// The file.
    pub path: PathBuf,
    format: Format,
    /// The data that the compile read.
    data: Arc<DataHash>,
    /// The keys that were looked up, found or not.
    keys: FxHashSet<Arc<str>>,
    /// Whether the compile depends on the names of all keys.
    all_names: bool,
    /// The cache that parses the file.
    files: Arc<Files>,
}

impl DataUse {
    pub(crate) fn new(
        path: &Path,
        format: Format,
        data: &Arc<DataHash>,
        all_names: bool,
        files: &Arc<Files>,
    ) -> DataUse {
        let (path, data, files) = (path.to_path_buf(), data.clone(), files.clone());
        DataUse { path, format, data, keys: FxHashSet::default(), all_names, files }
    }

    /// Whether the compile depends on the list of keys.
    #[must_use]
    pub fn depends_on_names(&self) -> bool {
        self.all_names
    }

    /// Takes the keys that were looked up, found or not, in no order.
    #[allow(clippy::iter_over_hash_type, reason = "callers collect the keys in maps")]
    pub fn take_keys(&mut self) -> impl Iterator<Item = Arc<str>> + use<> {
        std::mem::take(&mut self.keys).into_iter()
    }

    pub(crate) fn record_key(&mut self, key: &str) {
        if !self.keys.contains(key) {
            self.keys.insert(Arc::from(key));
        }
    }

    /// Whether both have the data that was parsed at once, from one file.
    #[must_use]
    pub fn is_same(&self, other: &DataUse) -> bool {
        Arc::ptr_eq(&self.data, &other.data)
    }

    /// The file as a compile would read it now; `None` if that fails.
    #[must_use]
    pub fn current(&self, strict: Strict, world: &dyn World) -> Option<DataUse> {
        let data = self.files.read(&self.path, self.format, strict, world).ok()?;
        Some(DataUse::new(&self.path, self.format, &data, false, &self.files))
    }

    /// The fingerprint of a key's value, and of the warning about the file.
    #[must_use]
    pub fn fingerprint(&self, key: &str) -> Fingerprint {
        let mut fingerprinter = Fingerprinter::default();
        self.data.warning.hash(&mut fingerprinter);
        if let Some(entry) = self.data.get(key) {
            fingerprint::add(&entry.value, &mut fingerprinter);
        }
        fingerprinter.fingerprint()
    }

    /// The fingerprint of the list of keys, and of the warning about the file.
    #[must_use]
    pub fn names_fingerprint(&self) -> Fingerprint {
        let mut fingerprinter = Fingerprinter::default();
        self.data.warning.hash(&mut fingerprinter);
        self.data.keys.iter().for_each(|key| fingerprint::add(key, &mut fingerprinter));
        fingerprinter.fingerprint()
    }
}

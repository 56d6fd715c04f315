//! A world in memory for tests: files in a map, a fixed clock, no processes.

use std::collections::BTreeMap;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::Dependency;
use crate::Entry;
use crate::Kind;
use crate::World;
use crate::WorldError;
use catwalk_base::secrets::SecretCollection;

/// Files by absolute path; directories exist when a file is below them.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    files: BTreeMap<PathBuf, Arc<[u8]>>,
    secrets: Arc<SecretCollection>,
}

impl Memory {
    /// A world of these files.
    pub fn new<P: Into<PathBuf>, T: AsRef<[u8]>>(files: impl IntoIterator<Item = (P, T)>) -> Memory {
        let files = files.into_iter().map(|(path, text)| (path.into(), Arc::from(text.as_ref()))).collect();
        Memory { files, secrets: Arc::default() }
    }

    /// This world for the code of a compile that has a collection for its secrets.
    #[must_use]
    pub fn with_secrets(self, secrets: Arc<SecretCollection>) -> Memory {
        Memory { secrets, ..self }
    }

    /// Adds or replaces a file.
    pub fn write(&mut self, path: impl Into<PathBuf>, text: impl AsRef<[u8]>) {
        self.files.insert(path.into(), Arc::from(text.as_ref()));
    }

    /// Removes a file.
    pub fn remove(&mut self, path: &Path) {
        self.files.remove(path);
    }

    fn below<'a>(&'a self, path: &'a Path) -> impl Iterator<Item = &'a Path> {
        self.files.range(path.to_path_buf()..).map(|(file, _)| file.as_path()).take_while(move |f| f.starts_with(path))
    }
}

impl World for Memory {
    fn below(&self) -> Option<&dyn World> {
        None
    }

    fn secrets(&self) -> &Arc<SecretCollection> {
        &self.secrets
    }

    fn read_for(&self, path: &Path, _: Dependency) -> Result<Arc<[u8]>, WorldError> {
        self.files.get(path).cloned().ok_or_else(|| WorldError::Missing(path.to_path_buf()))
    }

    fn list_for(&self, path: &Path, _: Dependency) -> Result<Arc<[Entry]>, WorldError> {
        let mut entries: Vec<Entry> = Vec::new();
        for file in self.below(path) {
            let Ok(rest) = file.strip_prefix(path) else { continue };
            let mut parts = rest.iter();
            let Some(name) = parts.next().and_then(|part| part.to_str()) else { continue };
            let kind = if parts.next().is_some() { Kind::Directory } else { Kind::File };
            entries.push(Entry { name: Arc::from(name), kind, link: false });
        }
        if entries.is_empty() {
            return Err(WorldError::Missing(path.to_path_buf()));
        }
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        entries.dedup_by(|a, b| a.name == b.name);
        Ok(Arc::from(entries))
    }

    fn kind(&self, path: &Path) -> Kind {
        if self.files.contains_key(path) {
            Kind::File
        } else if self.below(path).next().is_some() {
            Kind::Directory
        } else {
            Kind::Missing
        }
    }

    fn now(&self) -> Duration {
        Duration::from_secs(1_700_000_000)
    }
}

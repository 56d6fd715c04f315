//! The secrets of a run: some are known from its catalog, others are reported while it runs and prints.

use std::sync::Arc;

use super::Key;
use super::ReportedSecrets;
use super::SecretCollection;
use super::Secrets;

/// The secrets of a run. Everything that a run prints, logs or writes is redacted with [`RunSecrets::current`].
#[derive(Clone, Debug, Default)]
pub struct RunSecrets {
    /// The collections of the compiles of the run.
    collections: Vec<Arc<SecretCollection>>,
    strings: ReportedSecrets,
    current: Arc<Secrets>,
}

impl RunSecrets {
    /// Adds secrets and uses their key for tokens.
    pub fn add(&mut self, secrets: &Secrets) {
        self.strings.extend(secrets.strings.iter().cloned());
        self.rebuild(secrets.key.clone());
    }

    /// Adds what is reported to a collection from now on, too.
    pub fn follow(&mut self, collection: &Arc<SecretCollection>) {
        if !self.collections.iter().any(|followed| Arc::ptr_eq(followed, collection)) {
            self.collections.push(collection.clone());
        }
    }

    /// The secrets that are known now: those that were added, and those that were reported to the collections.
    pub fn current(&mut self) -> &Arc<Secrets> {
        let new = self.collections.iter().flat_map(|collection| collection.reported_beyond(&self.strings));
        let new: Vec<Arc<str>> = new.collect();
        if !new.is_empty() {
            self.strings.extend(new);
            self.rebuild(self.current.key.clone());
        }
        &self.current
    }

    fn rebuild(&mut self, key: Key) {
        self.current = Arc::new(Secrets::new(key, self.strings.clone()));
    }
}

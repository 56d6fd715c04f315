//! The files of a record, over those of the machine.

use catwalk_base::secrets::SecretCollection;
use catwalk_world::Dependency;
use catwalk_world::Disk;
use catwalk_world::Entry;
use catwalk_world::Kind;
use catwalk_world::Memory;
use catwalk_world::World;
use catwalk_world::WorldError;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

/// The files of a record, over those of the machine (installed modules).
pub(super) struct Overlay {
    pub(super) memory: Memory,
    pub(super) disk: Disk,
}

/// The module stdlib 9.x that is used without STDLIB_9: empty files with the names of its functions.
const STDLIB_9: &str = "/stdlib-9/stdlib";

pub(super) fn stdlib_9<'t>() -> impl Iterator<Item = (PathBuf, &'t str)> {
    let metadata = (
        "metadata.json".to_owned(),
        r#"{"name": "puppetlabs-stdlib", "version": "9.7.0", "author": "x", "license": "x", "source": "x", "dependencies": []}"#,
    );
    let functions = catwalk_functions::all().map(|function| {
        let name = function.name.replace("stdlib::", "stdlib/");
        let new = name.contains('/') || catwalk_functions::all().any(|f| f.name == format!("stdlib::{name}"));
        (format!("lib/puppet/{}functions/{name}.rb", if new { "" } else { "parser/" }), "")
    });
    std::iter::once(metadata).chain(functions).map(|(path, text)| (Path::new(STDLIB_9).join(path), text))
}

impl World for Overlay {
    fn below(&self) -> Option<&dyn World> {
        Some(&self.memory)
    }
    fn secrets(&self) -> &Arc<SecretCollection> {
        self.memory.secrets()
    }
    fn read_for(&self, path: &Path, used: Dependency) -> Result<Arc<[u8]>, WorldError> {
        self.memory.read(path).or_else(|_| self.disk.read_for(path, used))
    }
    fn list_for(&self, path: &Path, used: Dependency) -> Result<Arc<[Entry]>, WorldError> {
        self.memory.list(path).or_else(|_| self.disk.list_for(path, used))
    }
    fn kind(&self, path: &Path) -> Kind {
        match self.memory.kind(path) {
            Kind::Missing => self.disk.kind(path),
            kind => kind,
        }
    }
    fn canonical(&self, path: &Path) -> Result<PathBuf, WorldError> {
        self.memory.canonical(path).or_else(|_| self.disk.canonical(path))
    }
}

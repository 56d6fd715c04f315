//! Files that code wrote during the compile; all other files are those of the world.
//!
//! In: paths. Out: bytes and kinds. Must not: know `File` and `Dir`.

use std::cell::RefCell;
use std::path::Path;
use std::path::PathBuf;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::Interp;
use crate::Raise;
use crate::library::files::raise_missing;
use catwalk_world::Kind;

/// The last change of a path by module code.
#[derive(Clone)]
pub(crate) enum PathEffect {
    File(Rc<RefCell<Vec<u8>>>),
    Directory,
    Removed,
}

/// Files and directories that module code wrote during the compile.
#[derive(Clone, Default)]
pub(crate) struct WrittenFiles {
    pub paths: FxHashMap<PathBuf, PathEffect>,
    /// The users and groups that code set.
    pub owners: FxHashMap<PathBuf, (Box<str>, Box<str>)>,
}

impl WrittenFiles {
    /// Adds the written entries of a directory to its names and removes the deleted ones.
    pub(crate) fn update_entries(&self, directory: &Path, names: &mut std::collections::BTreeSet<String>) {
        #[allow(clippy::iter_over_hash_type, reason = "the names go into a sorted set")]
        for (path, effect) in &self.paths {
            if path.parent() != Some(directory) {
                continue;
            }
            let Some(name) = path.file_name() else { continue };
            let name = name.to_string_lossy().into_owned();
            match effect {
                PathEffect::Removed => names.remove(&name),
                PathEffect::File(_) | PathEffect::Directory => names.insert(name),
            };
        }
    }
}

impl Interp<'_> {
    /// The last change of a path by module code; `None` if the file is that of the world.
    pub(crate) fn path_effect(&self, path: &str) -> Option<PathEffect> {
        let state = self.state_ref();
        let written = &state.written_files.paths;
        if written.is_empty() {
            return None;
        }
        if let Some(effect) = written.get(Path::new(path)) {
            return Some(effect.clone());
        }
        let is_removed = |ancestor: &Path| matches!(written.get(ancestor), Some(PathEffect::Removed));
        Path::new(path).ancestors().any(is_removed).then_some(PathEffect::Removed)
    }

    /// Removes a path and everything below it.
    pub fn remove(&mut self, path: &str) {
        self.state().written_files.paths.retain(|other, _| !other.starts_with(path));
        self.record_effect(path, PathEffect::Removed);
    }

    pub(crate) fn record_effect(&mut self, path: &str, effect: PathEffect) {
        self.state().written_files.paths.insert(PathBuf::from(path), effect);
    }

    /// The kind of the entry at a path.
    pub fn kind(&self, path: &str) -> Kind {
        match self.path_effect(path) {
            Some(PathEffect::File(_)) => Kind::File,
            Some(PathEffect::Directory) => Kind::Directory,
            Some(PathEffect::Removed) => Kind::Missing,
            None => self.host.world().kind(Path::new(path)),
        }
    }

    pub(crate) fn bytes_at(&self, path: &str) -> Option<Vec<u8>> {
        match self.path_effect(path) {
            Some(PathEffect::File(bytes)) => Some(bytes.borrow().clone()),
            Some(_) => None,
            None => self.host.world().read(Path::new(path)).ok().map(|bytes| bytes.to_vec()),
        }
    }

    /// The bytes of a file.
    pub fn read_file(&mut self, path: &str) -> Raise<Vec<u8>> {
        match self.bytes_at(path) {
            Some(bytes) => Ok(bytes),
            None if self.kind(path) == Kind::Directory => {
                self.raise("Errno::EISDIR", format!("Is a directory @ io_fread - {path}"))
            }
            None => raise_missing(self, "rb_sysopen", path),
        }
    }

    pub(crate) fn check_parent(&mut self, function: &str, path: &str) -> Raise<()> {
        let parent = Path::new(path).parent().map(|parent| parent.to_string_lossy().into_owned());
        match parent.filter(|parent| !parent.is_empty()) {
            Some(parent) if self.kind(&parent) != Kind::Directory => raise_missing(self, function, path),
            _ => Ok(()),
        }
    }

    /// Opens a file for writing: empty, or with its contents.
    pub(crate) fn open_to_write(&mut self, path: &str, append: bool) -> Raise<Rc<RefCell<Vec<u8>>>> {
        if self.kind(path) == Kind::Directory {
            return self.raise("Errno::EISDIR", format!("Is a directory @ rb_sysopen - {path}"));
        }
        self.check_parent("rb_sysopen", path)?;
        let bytes = if append { self.bytes_at(path).unwrap_or_default() } else { Vec::new() };
        let file = Rc::new(RefCell::new(bytes));
        self.record_effect(path, PathEffect::File(file.clone()));
        Ok(file)
    }
}

//! Reads a resource type from a module's Ruby without running it.
//!
//! In: files below the modules' `lib` folders. Out: a [`ResourceType`], with the gaps that reading left.
//! The code is evaluated as far as it defines attributes: literals, loops over literals, helper methods, files it
//! requires; everything else is unknown and skipped ([`value::Value::Unknown`]). Must not: evaluate anything a
//! resource would do on an agent.

mod call;
mod code;
mod define;
mod expression;
mod statement;
mod value;

use std::ffi::OsString;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use super::ResourceType;
use super::registry::is_file;
use crate::diag::Reason;
use crate::names::Name;
use crate::world::Entry;
use crate::world::Kind;
use crate::world::World;

/// What was asked of the world, to see later whether the answers still hold.
#[derive(Clone, Debug, Default)]
pub(super) struct Asked {
    kinds: Vec<(PathBuf, Kind)>,
    listed: Vec<(PathBuf, Option<Arc<[Entry]>>)>,
    /// The directories of modules, and whether more was looked for in all modules than a type and its providers.
    modulepath: Vec<(PathBuf, Option<Arc<[Entry]>>)>,
    wide: bool,
    files: Vec<(PathBuf, Option<Arc<[u8]>>)>,
}

impl Asked {
    /// All paths, sorted by their texts. Which modules there are counts only where more was looked for than a type and its
    /// providers: for these, who asks for a type tells so.
    pub(super) fn paths(&self) -> Arc<[OsString]> {
        let modulepath = self.modulepath.iter().filter(|_| self.wide);
        let listed = self.listed.iter().chain(modulepath).map(|(path, _)| path);
        let all = listed.chain(self.kinds.iter().map(|(path, _)| path)).chain(self.files.iter().map(|(path, _)| path));
        let mut all: Vec<OsString> = all.map(|path| path.as_os_str().to_owned()).collect();
        all.sort_unstable();
        all.dedup();
        Arc::from(all)
    }

    /// Asks again; this also records the questions for the compile that asks.
    pub(super) fn still_holds(&self, world: &dyn World) -> bool {
        let same = |a: Option<&Arc<[u8]>>, b: Option<&Arc<[u8]>>| match (a, b) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b) || a == b,
            (None, None) => true,
            _ => false,
        };
        let list = |path: &Path| if self.wide { world.list(path) } else { world.list_parts(path) };
        self.modulepath.iter().all(|(path, entries)| list(path).ok() == *entries)
            && self.listed.iter().all(|(path, entries)| world.list(path).ok() == *entries)
            && self.kinds.iter().all(|(path, kind)| world.kind(path) == *kind)
            && self.files.iter().all(|(path, bytes)| same(world.read(path).ok().as_ref(), bytes.as_ref()))
    }
}

/// The Ruby files of all modules.
pub(super) struct Library<'a> {
    world: &'a dyn World,
    libs: Vec<PathBuf>,
    asked: Asked,
}

impl<'a> Library<'a> {
    /// The `lib` folders below `modulepath`, in the order the reference searches them.
    pub(super) fn new(world: &'a dyn World, modulepath: &[PathBuf]) -> Library<'a> {
        let mut library = Library { world, libs: Vec::new(), asked: Asked::default() };
        for folder in modulepath {
            let entries = world.list_parts(folder).ok();
            for entry in entries.iter().flat_map(|entries| entries.iter()) {
                // Whether it has a `lib` shows when a file is looked up there.
                if entry.kind == Kind::Directory && !entry.name.starts_with('.') {
                    library.libs.push(folder.join(&*entry.name).join("lib"));
                }
            }
            library.asked.modulepath.push((folder.clone(), entries));
        }
        library
    }

    /// What was asked so far.
    pub(super) fn into_asked(self) -> Asked {
        self.asked
    }

    /// The first file with this path below a `lib` folder. Folders are listed rather than files asked for: the lists
    /// serve all types, and most modules have no such folder.
    pub(super) fn find(&mut self, relative: &str) -> Option<PathBuf> {
        self.asked.wide = true;
        for (folder, _) in &self.asked.modulepath {
            let _ = self.world.list(folder);
        }
        self.find_type(relative)
    }

    /// The same for the file of the type that was asked for.
    pub(super) fn find_type(&mut self, relative: &str) -> Option<PathBuf> {
        let (folder, file) = relative.rsplit_once('/').unwrap_or(("", relative));
        let folders: Vec<PathBuf> = self.libs.iter().map(|lib| lib.join(folder)).collect();
        let has = |entry: &Entry| entry.kind == Kind::File && *entry.name == *file;
        let found = folders.into_iter().find(|folder| self.list(folder).is_some_and(|list| list.iter().any(has)))?;
        Some(found.join(file))
    }

    /// Whether any module brings a provider for this type.
    pub(super) fn has_provider(&mut self, name: &str) -> bool {
        let folders: Vec<PathBuf> = self.libs.iter().map(|lib| lib.join("puppet/provider")).collect();
        let is_type = |entry: &Entry| entry.kind == Kind::Directory && *entry.name == *name;
        folders.into_iter().any(|folder| {
            self.list(&folder).is_some_and(|list| list.iter().any(is_type))
                && self.list(&folder.join(name)).is_some_and(|list| list.iter().any(|e| e.name.ends_with(".rb")))
        })
    }

    fn list(&mut self, folder: &Path) -> Option<Arc<[Entry]>> {
        let entries = self.world.list(folder).ok();
        self.asked.listed.push((folder.to_path_buf(), entries.clone()));
        entries
    }

    /// Whether there is a file at `path`.
    pub(super) fn is_file(&mut self, path: &Path) -> bool {
        let found = is_file(self.world, path);
        self.asked.kinds.push((path.to_path_buf(), if found { Kind::File } else { self.world.kind(path) }));
        found
    }

    /// The text of a file.
    pub(super) fn text(&mut self, path: &Path) -> Option<String> {
        let bytes = self.world.read(path).ok();
        self.asked.files.push((path.to_path_buf(), bytes.clone()));
        bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// Reads the type `name` that `file` should define.
pub(super) fn read_type(library: &mut Library<'_>, file: &Path, name: Name) -> Result<ResourceType, Reason> {
    let mut reader = statement::Reader::new(library, name);
    reader.load(file).map_err(|error| Reason::runtime(format!("Could not autoload puppet/type/{name}: {error}")))?;
    reader.finish().ok_or_else(|| {
        Reason::unsupported(&format!("resource type '{name}': no definition found in {}", file.display()))
    })
}

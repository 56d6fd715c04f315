//! Where the files of a mount are (`Puppet::FileServing::Mount`).

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use rustix::fs::FileType;

use super::beneath::Tree;
use super::checksums::Checksums;
use super::fileset::Fileset;
use super::metadata::Describer;
use super::metadata::Metadata;
use super::metadata::Wanted;
use crate::served_site::Failure;
use crate::served_site::ModuleDirectory;
use crate::served_site::ServedSite;

/// A mount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mount {
    /// The path starts with the name of a module.
    OfModule(&'static str),
    /// The directories of all modules, merged.
    Merged(&'static str),
}

/// Mounts with the directory of a module that they serve.
const MOUNTS: [(&str, Mount); 6] = [
    ("modules", Mount::OfModule("files")),
    ("plugins", Mount::Merged("lib")),
    ("pluginfacts", Mount::Merged("facts.d")),
    ("locales", Mount::Merged("locales")),
    ("scripts", Mount::OfModule("scripts")),
    ("tasks", Mount::OfModule("tasks")),
];

/// Why there is no answer.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// There is no such file.
    Missing,
    /// The request cannot be answered: Puppet's message.
    Failed(String),
    /// The site fails.
    Site(Failure),
}

impl From<Failure> for Trouble {
    fn from(failure: Failure) -> Trouble {
        Trouble::Site(failure)
    }
}

impl From<String> for Trouble {
    fn from(message: String) -> Trouble {
        Trouble::Failed(message)
    }
}

/// The files of an environment.
pub(crate) struct Files<'a> {
    pub(crate) site: &'a dyn ServedSite,
    pub(crate) environment: &'a str,
    pub(crate) checksums: &'a Checksums,
    /// Entries of an answer at most.
    pub(crate) limit: usize,
}

/// A file of a module.
struct Located {
    tree: Tree,
    /// Its path in the module.
    within: String,
    /// Its whole path.
    path: Arc<str>,
}

impl Located {
    /// `None`: the module has no such file, or it leads out of the module.
    fn new(module: &ModuleDirectory, directory: &str, rest: &[String]) -> Option<Located> {
        let tree = Tree::open(&module.path).ok()?;
        let within = std::iter::once(directory).chain(rest.iter().map(String::as_str)).collect::<Vec<_>>().join("/");
        tree.find(&within, true)?;
        let path = string(&module.path.join(&within));
        Some(Located { tree, within, path })
    }
}

fn string(path: &Path) -> Arc<str> {
    path.to_string_lossy().into()
}

impl Files<'_> {
    /// Describes a file: `path` is a mount and what follows it.
    pub(crate) fn find(&self, path: &[String], wanted: &Wanted) -> Result<Metadata, Trouble> {
        let located = self.locate("find", "file_metadata", path)?.ok_or(Trouble::Missing)?;
        let found = located.tree.find(&located.within, wanted.follows_links).ok_or(Trouble::Missing)?;
        let describer = Describer { wanted, checksums: self.checksums };
        describer.describe(&located.tree, &located.within, &found, &located.path, None).ok_or(Trouble::Missing)
    }

    /// Opens a file, with its size.
    pub(crate) fn open(&self, path: &[String]) -> Result<(File, u64), Trouble> {
        let located = self.locate("find", "file_content", path)?.ok_or(Trouble::Missing)?;
        let found = located.tree.find(&located.within, true).ok_or(Trouble::Missing)?;
        if found.kind() != FileType::RegularFile {
            return Err(Trouble::Missing);
        }
        let (file, stat) = found.file().map_err(|why| format!("{} cannot be read: {why}", located.path))?;
        Ok((file, u64::try_from(stat.st_size).unwrap_or_default()))
    }

    /// Describes all files below a directory.
    pub(crate) fn search(&self, path: &[String], wanted: &Wanted) -> Result<Vec<Metadata>, Trouble> {
        let describer = Describer { wanted, checksums: self.checksums };
        let mut fileset = Fileset::new(&describer, self.limit);
        match mount(path)? {
            Some(Mount::OfModule(_)) => {
                let located = self.locate("search", "file_metadata", path)?.ok_or(Trouble::Missing)?;
                fileset.add(&located.tree, &located.within, &located.path)?;
            }
            Some(Mount::Merged(directory)) => {
                let mut any = false;
                for module in self.site.modules(self.environment)? {
                    let Some(located) = Located::new(&module, directory, &[]) else { continue };
                    any |= fileset.add(&located.tree, &located.within, &located.path)?;
                }
                if !any {
                    return self.empty(wanted);
                }
            }
            None => return Err(self.unknown("search", "file_metadata", path)),
        }
        Ok(fileset.entries())
    }

    /// What Puppet answers where no module has the directory of a mount: the directories of modules, without what is in them.
    fn empty(&self, wanted: &Wanted) -> Result<Vec<Metadata>, Trouble> {
        let environments = self.site.environments();
        let own = environments.into_iter().find(|environment| environment.name == self.environment);
        let paths = own.map(|environment| environment.modulepath).unwrap_or_default();
        let wanted = Wanted { recurse: false, ..wanted.clone() };
        let describer = Describer { wanted: &wanted, checksums: self.checksums };
        let mut fileset = Fileset::new(&describer, self.limit);
        for path in paths.into_iter().chain(self.site.search_paths()) {
            let Ok(tree) = Tree::open(&path) else { continue };
            fileset.add(&tree, "", &string(&path))?;
            return Ok(fileset.entries());
        }
        Err(Trouble::Missing)
    }

    fn locate(&self, method: &str, indirection: &str, path: &[String]) -> Result<Option<Located>, Trouble> {
        let rest = path.get(1..).unwrap_or_default();
        match mount(path)? {
            Some(Mount::OfModule(directory)) => {
                let none = if directory == "tasks" { "No task specified" } else { "No module specified" };
                let (name, rest) = rest.split_first().ok_or_else(|| none.to_owned())?;
                let modules = self.site.modules(self.environment)?;
                let module = modules.iter().find(|module| module.name == *name);
                Ok(module.and_then(|module| Located::new(module, directory, rest)))
            }
            Some(Mount::Merged(directory)) => {
                let modules = self.site.modules(self.environment)?;
                Ok(modules.iter().find_map(|module| Located::new(module, directory, rest)))
            }
            None => Err(self.unknown(method, indirection, path)),
        }
    }

    fn unknown(&self, method: &str, indirection: &str, path: &[String]) -> Trouble {
        Trouble::Failed(format!("Not authorized to call {method} on /{indirection}/{}", path.join("/")))
    }
}

/// The mount at the start of a path.
fn mount(path: &[String]) -> Result<Option<Mount>, Trouble> {
    let name = path.first().map_or("", String::as_str);
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    if name.is_empty() || !name.bytes().all(is_word) {
        return Err(Trouble::Failed(format!("Cannot find file: Invalid mount '{name}'")));
    }
    Ok(MOUNTS.iter().find(|(known, _)| *known == name).map(|(_, mount)| *mount))
}

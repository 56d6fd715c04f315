//! The mounts and the directories of modules that they serve (`Puppet::FileServing::Mount`).

use std::fs::File;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use rustix::fs::FileType;

use super::checksums::Checksums;
use super::fileserver_conf::FileMounts;
use super::fileset::Fileset;
use super::metadata::Describer;
use super::metadata::Metadata;
use super::metadata::MetadataOptions;
use super::tree::Tree;
use crate::served_site::Failure;
use crate::served_site::ModuleDirectory;
use crate::served_site::ServedSite;

/// How a mount finds files, with the directory in a module.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Mount {
    /// In the module whose name is the first part of the path.
    OfModule(&'static str),
    /// In the directories of all modules, merged.
    Merged(&'static str),
    /// In a directory; `None`: the node has none.
    Directory(Option<PathBuf>),
}

/// The mounts by name that every server has.
const MOUNTS: [(&str, Mount); 6] = [
    ("modules", Mount::OfModule("files")),
    ("plugins", Mount::Merged("lib")),
    ("pluginfacts", Mount::Merged("facts.d")),
    ("locales", Mount::Merged("locales")),
    ("scripts", Mount::OfModule("scripts")),
    ("tasks", Mount::OfModule("tasks")),
];

/// Why a file or its metadata cannot be sent.
#[derive(Debug)]
pub(crate) enum FileError {
    /// The file does not exist.
    NotFound,
    /// Puppet's message about an invalid request or an unreadable file.
    Failed(String),
    /// The site failed.
    Site(Failure),
}

impl From<Failure> for FileError {
    fn from(failure: Failure) -> FileError {
        FileError::Site(failure)
    }
}

impl From<String> for FileError {
    fn from(message: String) -> FileError {
        FileError::Failed(message)
    }
}

/// The files of an environment.
pub(crate) struct Files<'a> {
    pub(crate) site: &'a dyn ServedSite,
    pub(crate) environment: &'a str,
    /// The mounts of `fileserver.conf`.
    pub(crate) mounts: &'a FileMounts,
    /// The node that requests files.
    pub(crate) node: &'a str,
    pub(crate) checksums: &'a Checksums,
    /// The maximum number of entries in a response.
    pub(crate) limit: usize,
}

/// A file of a module or of a directory.
struct ModuleFile {
    tree: Tree,
    /// The path relative to the module or directory.
    tree_path: String,
    /// The absolute path.
    path: Arc<str>,
}

impl ModuleFile {
    /// Finds a file in a directory of a module. `None`: it does not exist, or a link leads outside of the module.
    fn new(module: &ModuleDirectory, directory: &str, rest: &[String]) -> Option<ModuleFile> {
        let tree_path = std::iter::once(directory).chain(rest.iter().map(String::as_str)).collect::<Vec<_>>().join("/");
        ModuleFile::open(&module.path, tree_path)
    }

    /// Finds a file below a directory. `None`: it does not exist, or a link leads outside of the directory.
    fn open(root: &Path, tree_path: String) -> Option<ModuleFile> {
        let tree = Tree::open(root).ok()?;
        tree.find(&tree_path, true)?;
        let path = if tree_path.is_empty() { string(root) } else { string(&root.join(&tree_path)) };
        Some(ModuleFile { tree, tree_path, path })
    }
}

fn string(path: &Path) -> Arc<str> {
    path.to_string_lossy().into()
}

impl Files<'_> {
    /// The metadata of a file. `path` is the name of a mount and a path below it.
    pub(crate) fn find(&self, path: &[String], options: &MetadataOptions) -> Result<Metadata, FileError> {
        let file = self.locate("find", "file_metadata", path)?.ok_or(FileError::NotFound)?;
        let entry = file.tree.find(&file.tree_path, options.follows_links).ok_or(FileError::NotFound)?;
        let describer = Describer { options, checksums: self.checksums };
        describer.check_size(&entry, &file.path)?;
        describer.describe(&file.tree, &file.tree_path, &entry, &file.path, None).ok_or(FileError::NotFound)
    }

    /// Opens a file. Returns it with its size in bytes.
    pub(crate) fn open(&self, path: &[String]) -> Result<(File, u64), FileError> {
        let file = self.locate("find", "file_content", path)?.ok_or(FileError::NotFound)?;
        let entry = file.tree.find(&file.tree_path, true).ok_or(FileError::NotFound)?;
        if entry.kind() != FileType::RegularFile {
            return Err(FileError::NotFound);
        }
        let (file, stat) = entry.file().map_err(|why| format!("{} cannot be read: {why}", file.path))?;
        Ok((file, u64::try_from(stat.st_size).unwrap_or_default()))
    }

    /// The metadata of all files below a directory.
    pub(crate) fn search(&self, path: &[String], options: &MetadataOptions) -> Result<Vec<Metadata>, FileError> {
        let describer = Describer { options, checksums: self.checksums };
        let mut fileset = Fileset::new(&describer, self.limit);
        match self.mount(path)? {
            Some(Mount::OfModule(_) | Mount::Directory(_)) => {
                let file = self.locate("search", "file_metadata", path)?.ok_or(FileError::NotFound)?;
                fileset.add(&file.tree, &file.tree_path, &file.path)?;
            }
            Some(Mount::Merged(directory)) => {
                let mut any = false;
                for module in self.site.modules(self.environment)? {
                    let Some(file) = ModuleFile::new(&module, directory, &[]) else { continue };
                    any |= fileset.add(&file.tree, &file.tree_path, &file.path)?;
                }
                if !any {
                    return self.describe_module_directory(options);
                }
            }
            None => return Err(self.unknown_mount("search", "file_metadata", path)),
        }
        Ok(fileset.entries())
    }

    /// Puppet's response if no module has the directory of a mount: the metadata of the first directory of modules, without its entries.
    fn describe_module_directory(&self, options: &MetadataOptions) -> Result<Vec<Metadata>, FileError> {
        let environments = self.site.environments();
        let requested = environments.into_iter().find(|environment| environment.name == self.environment);
        let paths = requested.map(|environment| environment.modulepath).unwrap_or_default();
        let options = MetadataOptions { recurse: false, ..options.clone() };
        let describer = Describer { options: &options, checksums: self.checksums };
        let mut fileset = Fileset::new(&describer, self.limit);
        for path in paths.into_iter().chain(self.site.search_paths()) {
            let Ok(tree) = Tree::open(&path) else { continue };
            fileset.add(&tree, "", &string(&path))?;
            return Ok(fileset.entries());
        }
        Err(FileError::NotFound)
    }

    fn locate(&self, method: &str, indirection: &str, path: &[String]) -> Result<Option<ModuleFile>, FileError> {
        let rest = path.get(1..).unwrap_or_default();
        match self.mount(path)? {
            Some(Mount::Directory(directory)) => {
                Ok(directory.and_then(|directory| ModuleFile::open(&directory, rest.join("/"))))
            }
            Some(Mount::OfModule(directory)) => {
                let message = if directory == "tasks" { "No task specified" } else { "No module specified" };
                let (name, rest) = rest.split_first().ok_or_else(|| message.to_owned())?;
                let modules = self.site.modules(self.environment)?;
                let module = modules.iter().find(|module| module.name == *name);
                Ok(module.and_then(|module| ModuleFile::new(module, directory, rest)))
            }
            Some(Mount::Merged(directory)) => {
                let modules = self.site.modules(self.environment)?;
                Ok(modules.iter().find_map(|module| ModuleFile::new(module, directory, rest)))
            }
            None => Err(self.unknown_mount(method, indirection, path)),
        }
    }

    /// The mount at the start of a path.
    fn mount(&self, path: &[String]) -> Result<Option<Mount>, FileError> {
        let name = path.first().map_or("", String::as_str);
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
        if name.is_empty() || !name.bytes().all(is_word) {
            return Err(FileError::Failed(format!("Cannot find file: Invalid mount '{name}'")));
        }
        if self.mounts.contains(name) {
            return Ok(Some(Mount::Directory(self.mounts.directory(name, self.node).map(PathBuf::from))));
        }
        Ok(MOUNTS.iter().find(|(known, _)| *known == name).map(|(_, mount)| mount.clone()))
    }

    fn unknown_mount(&self, method: &str, indirection: &str, path: &[String]) -> FileError {
        FileError::Failed(format!("Not authorized to call {method} on /{indirection}/{}", path.join("/")))
    }
}

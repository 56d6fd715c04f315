//! Looks up files below a directory. No link leads outside of it.
//!
//! Each part of a path is opened relative to its parent directory with `O_NOFOLLOW`. Links are resolved by this module, so that a link
//! cannot lead outside even if it is changed during the lookup.

use std::ffi::OsStr;
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::ffi::OsStringExt;
use std::path::Component;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use rustix::fs::AtFlags;
use rustix::fs::FileType;
use rustix::fs::Mode;
use rustix::fs::OFlags;
use rustix::fs::Stat;
use rustix::io::Errno;

/// The most links to follow for one path, as in Linux.
const MAX_LINKS: usize = 40;

/// A directory and everything below it.
pub(crate) struct Tree {
    root: Arc<OwnedFd>,
    /// The path without links, to resolve links to absolute paths.
    real: PathBuf,
}

/// A file, directory or link in a tree.
pub(crate) struct Entry {
    /// The directory that contains it.
    directory: Arc<OwnedFd>,
    name: OsString,
    /// The file status; that of the link itself if links are not followed.
    pub(crate) stat: Stat,
}

impl Tree {
    /// Opens a directory. Links in `path` are followed.
    #[allow(clippy::disallowed_methods, reason = "no catalog depends on files that are served")]
    pub(crate) fn open(path: &Path) -> io::Result<Tree> {
        let real = path.canonicalize()?;
        let root = rustix::fs::open(&real, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
        Ok(Tree { root: Arc::new(root), real })
    }

    /// Finds the entry at a path relative to the tree. `follow`: whether to follow a link at the end of the path. `None`: no such file
    /// exists, or a link leads outside of the tree.
    pub(crate) fn find(&self, path: &str, follow: bool) -> Option<Entry> {
        let mut directories = vec![self.root.clone()];
        let mut left: Vec<OsString> = components(Path::new(path))?;
        let mut links = 0;
        while let Some(name) = left.pop() {
            if name == ".." {
                directories.pop().filter(|_| !directories.is_empty())?;
                continue;
            }
            let directory = directories.last()?.clone();
            let stat = rustix::fs::statat(&directory, &name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
            match FileType::from_raw_mode(stat.st_mode) {
                FileType::Symlink if follow || !left.is_empty() => {
                    links += 1;
                    let target = rustix::fs::readlinkat(&directory, &name, Vec::new()).ok()?;
                    let mut target = Path::new(OsStr::from_bytes(target.as_bytes()));
                    if links > MAX_LINKS {
                        return None;
                    }
                    if target.is_absolute() {
                        target = target.strip_prefix(&self.real).ok()?;
                        directories.truncate(1);
                    }
                    left.extend(components(target)?);
                }
                FileType::Directory if !left.is_empty() => {
                    directories.push(Arc::new(open(&directory, &name, OFlags::DIRECTORY).ok()?));
                }
                _ if left.is_empty() => return Some(Entry { directory, name, stat }),
                _ => return None,
            }
        }
        // The path or the last link ends with `..` or is empty: the directory is already open.
        let directory = directories.pop()?;
        let stat = rustix::fs::fstat(&directory).ok()?;
        Some(Entry { directory, name: OsString::from("."), stat })
    }
}

/// The parts of a relative path, the last one first.
fn components(path: &Path) -> Option<Vec<OsString>> {
    let mut parts = Vec::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => parts.push(OsString::from("..")),
            Component::Normal(name) => parts.push(name.to_owned()),
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    parts.reverse();
    Some(parts)
}

fn open(directory: &OwnedFd, name: &OsStr, flags: OFlags) -> Result<OwnedFd, Errno> {
    // Opening a pipe must not wait for a writer.
    let flags = flags | OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    rustix::fs::openat(directory, name, flags, Mode::empty())
}

impl Entry {
    /// The file type from the file status.
    pub(crate) fn kind(&self) -> FileType {
        FileType::from_raw_mode(self.stat.st_mode)
    }

    /// Opens a regular file. Returns it with its current file status.
    pub(crate) fn file(&self) -> io::Result<(File, Stat)> {
        let opened = open(&self.directory, &self.name, OFlags::empty())?;
        let stat = rustix::fs::fstat(&opened)?;
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => Ok((File::from(opened), stat)),
            _ => Err(io::Error::from(io::ErrorKind::InvalidInput)),
        }
    }

    /// The target of a link.
    pub(crate) fn target(&self) -> Option<String> {
        let target = rustix::fs::readlinkat(&self.directory, &self.name, Vec::new()).ok()?;
        Some(OsString::from_vec(target.into_bytes()).to_string_lossy().into_owned())
    }

    /// Opens a directory.
    pub(crate) fn directory(&self) -> io::Result<Directory> {
        let opened = open(&self.directory, &self.name, OFlags::DIRECTORY)?;
        Ok(Directory { opened: Arc::new(opened) })
    }
}

/// An open directory.
pub(crate) struct Directory {
    opened: Arc<OwnedFd>,
}

impl Directory {
    /// The names of the entries, sorted. Names that are not UTF-8 are left out: JSON cannot represent them.
    pub(crate) fn names(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in rustix::fs::Dir::read_from(&self.opened)? {
            match entry?.file_name().to_str() {
                Ok("." | "..") | Err(_) => {}
                Ok(name) => names.push(name.to_owned()),
            }
        }
        names.sort_unstable();
        Ok(names)
    }

    /// The entry with this name; a link is not followed.
    pub(crate) fn entry(&self, name: &str) -> Option<Entry> {
        let stat = rustix::fs::statat(&self.opened, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        Some(Entry { directory: self.opened.clone(), name: OsString::from(name), stat })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests")]

    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn no_link_leads_outside() {
        let dir = tempfile::tempdir().unwrap();
        let at = |path: &str| dir.path().join(path);
        std::fs::create_dir_all(at("module/files/sub")).unwrap();
        std::fs::create_dir_all(at("outside")).unwrap();
        for file in ["module/files/a", "module/files/sub/b", "outside/secret"] {
            std::fs::write(at(file), file).unwrap();
        }
        let links: [(&str, PathBuf); 11] = [
            ("near", "a".into()),
            ("dir", "sub".into()),
            ("up", "sub/../a".into()),
            ("whole", at("module").canonicalize().unwrap().join("files/a")),
            ("whole_out", at("outside/secret")),
            ("out", "../../outside/secret".into()),
            ("out_dir", "../../outside".into()),
            ("round", "../../module/files/a".into()),
            ("system", "/etc/passwd".into()),
            ("loop", "loop".into()),
            ("dangling", "nothing".into()),
        ];
        for (name, target) in links {
            symlink(target, at("module/files").join(name)).unwrap();
        }
        let tree = Tree::open(&at("module")).unwrap();
        let cases = [
            ("files/a", true),
            ("files/near", true),
            ("files/dir/b", true),
            ("files/up", true),
            ("files/whole", true),
            ("files/dir", true),
            ("files/whole_out", false),
            ("files/out", false),
            ("files/out_dir/secret", false),
            ("files/out_dir", false),
            ("files/round", false),
            ("files/system", false),
            ("files/loop", false),
            ("files/dangling", false),
            ("files/../../outside/secret", false),
            ("files/../files/a", true),
            ("files/a/b", false),
            ("/etc/passwd", false),
            ("..", false),
            ("", true),
        ];
        for (path, expected) in cases {
            assert_eq!(tree.find(path, true).is_some(), expected, "{path}");
        }
        let link = tree.find("files/out", false).unwrap();
        assert_eq!((link.kind(), link.target().as_deref()), (FileType::Symlink, Some("../../outside/secret")));
        assert!(link.file().is_err());
    }
}

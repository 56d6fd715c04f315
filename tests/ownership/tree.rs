//! A directory of others, and what has changed in it.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::path::PathBuf;
use std::time::Duration;
use std::time::SystemTime;

/// Paths with what is there: permissions, time in nanoseconds, and contents, the target of a link, or nothing.
pub struct Tree(BTreeMap<PathBuf, Entry>);

#[derive(PartialEq, Eq, Debug)]
struct Entry {
    mode: u32,
    time: i128,
    contents: Vec<u8>,
    is_directory: bool,
}

/// Files as on a machine, with names of all kinds.
pub fn fill(directory: &Path) {
    let hostile = OsStr::from_bytes(b"\xff\x1b[31m");
    let names: [(&OsStr, &str, u32); 12] = [
        (OsStr::new("etc/passwd"), "root:x:0:0\n", 0o644),
        (OsStr::new("etc/shadow"), "root:*\n", 0o600),
        (OsStr::new("usr/bin/true"), "#!/bin/sh\n", 0o755),
        (OsStr::new("passwd"), "root:x:0:0\n", 0o644),
        (OsStr::new("notes.json"), "{}\n", 0o640),
        (OsStr::new("others.snap"), "// not a catalog\n", 0o644),
        (OsStr::new("others.snap.new"), "---\nsource: a.rs\nexpression: x\n---\n1\n", 0o644),
        (OsStr::new("nodes/others.json"), "{}\n", 0o644),
        (OsStr::new("damaged/others.json"), "{}\n", 0o644),
        (OsStr::new(".catwalk-tmp/mine"), "x\n", 0o644),
        (OsStr::new(".catwalk-tmp/.gitignore"), "mine\n", 0o644),
        (hostile, "x\n", 0o644),
    ];
    for (name, text, mode) in names {
        let path = directory.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
    }
    std::os::unix::fs::symlink("passwd", directory.join("link")).unwrap();
    let old = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    let tree = Tree::read(directory);
    for (path, entry) in
        tree.0.iter().rev().filter(|(_, entry)| entry.is_directory || entry.mode & 0o170_000 == 0o100_000)
    {
        assert!(entry.time > 0);
        std::fs::File::open(directory.join(path)).unwrap().set_modified(old).unwrap();
    }
}

impl Tree {
    /// What is at a path; nothing if it does not exist.
    pub fn read(path: &Path) -> Tree {
        let mut found = BTreeMap::new();
        add(path, Path::new(""), &mut found);
        Tree(found)
    }

    /// What has changed, except for added files with these names (`*.1`: with this end) and the times of directories that contain one.
    pub fn changes(&self, after: &Tree, own: &[&str]) -> Vec<String> {
        let is_own = |path: &Path| {
            own.iter().any(|name| match name.strip_prefix('*') {
                Some(end) => path.to_string_lossy().ends_with(end),
                None => path == Path::new(name),
            })
        };
        let mut changes = Vec::new();
        for (path, entry) in &self.0 {
            // Temporary files come and go there.
            let is_temporary = path.ends_with(".catwalk-tmp") && !own.is_empty();
            let contains_own = is_temporary
                || entry.is_directory
                    && after.0.keys().any(|added| added.parent() == Some(path.as_path()) && is_own(added));
            match after.0.get(path) {
                None => changes.push(format!("{} is gone", path.display())),
                Some(now) if now == entry => {}
                Some(now) if contains_own && now.mode == entry.mode => {}
                Some(now) => changes.push(format!("{} was {entry:?}, is {now:?}", path.display())),
            }
        }
        let added = after.0.keys().filter(|path| !self.0.contains_key(*path) && !is_own(path));
        changes.extend(added.map(|path| format!("{} is new", path.display())));
        changes
    }
}

fn add(root: &Path, below: &Path, found: &mut BTreeMap<PathBuf, Entry>) {
    let path = if below.as_os_str().is_empty() { root.to_path_buf() } else { root.join(below) };
    let Ok(meta) = std::fs::symlink_metadata(&path) else { return };
    let contents = match meta.file_type() {
        kind if kind.is_symlink() => std::fs::read_link(&path).unwrap().as_os_str().as_bytes().to_vec(),
        kind if kind.is_file() => std::fs::read(&path).unwrap(),
        _ => Vec::new(),
    };
    let time = i128::from(meta.mtime()) * 1_000_000_000 + i128::from(meta.mtime_nsec());
    let entry = Entry { mode: meta.mode(), time, contents, is_directory: meta.is_dir() };
    found.insert(below.to_path_buf(), entry);
    if meta.is_dir() {
        let names: Vec<OsString> = std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.iter().for_each(|name| add(root, &below.join(name), found));
    }
}

//! A machine in memory, for tests of providers: files and prepared results of commands.
//!
//! In: files and results that a test prepares. Out: the changes and commands of a provider. Must not: touch the real machine.

use std::collections::BTreeMap;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering;
use std::time::Duration;
use std::time::SystemTime;

use crate::Check;
use crate::Clock;
use crate::Command;
use crate::Contents;
use crate::FileKind;
use crate::Output;
use crate::Ownership;
use crate::Result;
use crate::Stat;
use crate::System;
use crate::SystemError;

/// The most symbolic links that are followed for one path.
const MAX_LINKS: usize = 40;

/// Returns the result of a command; `None`: the command is unknown.
pub type Runner = Box<dyn FnMut(&Command) -> Option<Result<Output>>>;

/// A machine in memory. Its user is root.
#[derive(Default)]
pub struct FakeMachine {
    entries: BTreeMap<PathBuf, Entry>,
    runner: Option<Runner>,
    /// All commands in the order of their calls.
    pub runs: Vec<Command>,
    /// All changes in order, such as `write /x`.
    pub changes: Vec<String>,
    /// Environment variables.
    pub variables: BTreeMap<String, String>,
    /// Ids of users besides root.
    pub users: BTreeMap<String, u32>,
    /// Ids of groups besides root.
    pub groups: BTreeMap<String, u32>,
    /// The clock, which stands still unless a test sets its step.
    pub clock: Arc<FakeClock>,
}

/// A clock of tests. It starts at 2001-09-09 01:46:40 UTC.
#[derive(Debug, Default)]
pub struct FakeClock {
    nanoseconds: AtomicU64,
    step: AtomicU64,
}

impl FakeClock {
    /// Advances the clock by a millisecond from now on whenever it is read.
    pub fn tick(&self) {
        self.step.store(1_000_000, Ordering::Relaxed);
    }
}

impl Clock for FakeClock {
    fn now(&self) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000) + self.elapsed()
    }

    fn elapsed(&self) -> Duration {
        Duration::from_nanos(self.nanoseconds.fetch_add(self.step.load(Ordering::Relaxed), Ordering::Relaxed))
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Content {
    File(Vec<u8>),
    Directory,
    Link(PathBuf),
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Entry {
    content: Content,
    mode: u32,
    uid: u32,
    gid: u32,
}

fn fail<T>(path: &Path, why: &str, code: i32) -> Result<T> {
    Err(SystemError { message: format!("{}: {why}", path.display()), code: Some(code) })
}

fn missing<T>(path: &Path) -> Result<T> {
    fail(path, "No such file or directory", 2)
}

impl FakeMachine {
    /// A machine without files.
    #[must_use]
    pub fn new() -> FakeMachine {
        FakeMachine::default()
    }

    /// Adds a file and its missing parent directories.
    pub fn put(&mut self, path: &Path, contents: &[u8]) {
        self.ensure_parents(path);
        let entry = Entry { content: Content::File(contents.to_vec()), mode: 0o644, uid: 0, gid: 0 };
        self.entries.insert(path.to_path_buf(), entry);
    }

    /// All regular files with their contents, sorted.
    pub fn files(&self) -> impl Iterator<Item = (&Path, &[u8])> {
        self.entries.iter().filter_map(|(path, entry)| match &entry.content {
            Content::File(contents) => Some((path.as_path(), contents.as_slice())),
            _ => None,
        })
    }

    /// Sets the function that returns the results of commands. Without it, every command fails.
    pub fn set_runner(&mut self, runner: Runner) {
        self.runner = Some(runner);
    }

    /// Adds the missing parent directories of a path.
    fn ensure_parents(&mut self, path: &Path) {
        for parent in path.ancestors().skip(1) {
            let entry = Entry { content: Content::Directory, mode: 0o755, uid: 0, gid: 0 };
            self.entries.entry(parent.to_path_buf()).or_insert(entry);
        }
    }

    fn find(&self, path: &Path) -> Option<&Entry> {
        self.entries.get(path)
    }

    /// Resolves symbolic links at the end of a path.
    fn follow(&self, path: &Path) -> Option<PathBuf> {
        let mut at = path.to_path_buf();
        for _ in 0..MAX_LINKS {
            match &self.find(&at)?.content {
                Content::Link(target) => at = at.parent()?.join(target),
                _ => return Some(at),
            }
        }
        None
    }

    fn is_directory(&self, path: &Path) -> bool {
        path == Path::new("/") || self.find(path).is_some_and(|entry| entry.content == Content::Directory)
    }

    /// Adds an entry, whose parent must be a directory. An existing entry keeps the attributes that `ownership` does not set.
    fn add(&mut self, path: &Path, content: Content, mode: u32, ownership: Ownership) -> Result<()> {
        let Some(parent) = path.parent() else { return fail(path, "Is a directory", 21) };
        if !self.follow(parent).is_some_and(|parent| self.is_directory(&parent)) && !self.is_directory(parent) {
            return missing(path);
        }
        let before = self.find(path).filter(|entry| !matches!(entry.content, Content::Link(_)));
        let (mode, uid, gid) = before.map_or((mode, 0, 0), |entry| (entry.mode, entry.uid, entry.gid));
        let entry = Entry {
            content,
            mode: ownership.mode.unwrap_or(mode),
            uid: ownership.uid.unwrap_or(uid),
            gid: ownership.gid.unwrap_or(gid),
        };
        self.entries.insert(path.to_path_buf(), entry);
        Ok(())
    }

    /// Removes a directory at `path`, if `ownership` allows to replace it.
    fn remove_replaced_directory(&mut self, path: &Path, ownership: Ownership) -> Result<()> {
        if !self.is_directory(path) {
            return Ok(());
        }
        if !ownership.replaces_other_kinds {
            return fail(path, "Is a directory", 21);
        }
        self.entries.retain(|entry, _| !entry.starts_with(path));
        Ok(())
    }

    fn record_change(&mut self, operation: &str, path: &Path) {
        self.changes.push(format!("{operation} {}", path.display()));
    }

    fn children(&self, path: &Path) -> Vec<PathBuf> {
        let below = |child: &&PathBuf| child.starts_with(path) && child.as_path() != path;
        self.entries.keys().filter(below).cloned().collect()
    }
}

impl System for FakeMachine {
    fn run(&mut self, command: &Command) -> Result<Output> {
        self.runs.push(command.clone());
        let output = self.runner.as_mut().and_then(|runner| runner(command));
        output.unwrap_or_else(|| {
            let message = format!("running '{}': there is no prepared answer for it", command.argv.join(" "));
            Err(SystemError { message, code: None })
        })
    }

    fn stat(&mut self, path: &Path, follow: bool) -> Result<Option<Stat>> {
        if path == Path::new("/") {
            self.ensure_parents(Path::new("/x"));
        }
        let found = if follow { self.follow(path) } else { Some(path.to_path_buf()) };
        let Some(entry) = found.as_deref().and_then(|path| self.find(path)) else { return Ok(None) };
        let (kind, size, target) = match &entry.content {
            Content::File(contents) => (FileKind::File, contents.len() as u64, None),
            Content::Directory => (FileKind::Directory, 4096, None),
            Content::Link(target) => (FileKind::Link, target.as_os_str().len() as u64, Some(target.clone())),
        };
        let time = SystemTime::UNIX_EPOCH;
        Ok(Some(Stat {
            kind,
            size,
            mode: entry.mode,
            uid: entry.uid,
            gid: entry.gid,
            modified: time,
            changed: time,
            target,
        }))
    }

    fn read(&mut self, path: &Path) -> Result<Vec<u8>> {
        match self.follow(path).and_then(|path| self.find(&path).map(|entry| entry.content.clone())) {
            Some(Content::File(contents)) => Ok(contents),
            Some(_) => fail(path, "Is a directory", 21),
            None => missing(path),
        }
    }

    fn write(&mut self, path: &Path, contents: &[u8], ownership: Ownership) -> Result<()> {
        self.remove_replaced_directory(path, ownership)?;
        self.add(path, Content::File(contents.to_vec()), 0o644, ownership)?;
        self.record_change("write", path);
        Ok(())
    }

    fn write_checked(
        &mut self,
        path: &Path,
        contents: Contents<'_>,
        ownership: Ownership,
        check: &mut Check<'_>,
    ) -> Result<()> {
        let bytes = match contents {
            Contents::Bytes(bytes) => bytes.to_vec(),
            Contents::Of(from) => self.read(from)?,
        };
        let mut temporary = path.to_path_buf().into_os_string();
        temporary.push(".new");
        let temporary = PathBuf::from(temporary);
        let entry = Entry { content: Content::File(bytes.clone()), mode: 0o600, uid: 0, gid: 0 };
        self.entries.insert(temporary.clone(), entry);
        let accepted = check(self, &temporary);
        self.entries.remove(&temporary);
        accepted?;
        self.write(path, &bytes, ownership)
    }

    fn list(&mut self, path: &Path) -> Result<Vec<String>> {
        match self.follow(path) {
            Some(path) if self.is_directory(&path) => {
                let names = self.entries.keys().filter(|child| child.parent() == Some(&path));
                Ok(names.filter_map(|child| Some(child.file_name()?.to_string_lossy().into_owned())).collect())
            }
            Some(_) => fail(path, "Not a directory", 20),
            None => missing(path),
        }
    }

    fn create_directory(&mut self, path: &Path, ownership: Ownership) -> Result<()> {
        let is_replaced = ownership.replaces_other_kinds && !self.is_directory(path);
        if path == Path::new("/") || self.find(path).is_some() && !is_replaced {
            return fail(path, "File exists", 17);
        }
        self.entries.remove(path);
        self.add(path, Content::Directory, 0o755, ownership)?;
        self.record_change("create directory", path);
        Ok(())
    }

    fn delete_file(&mut self, path: &Path) -> Result<()> {
        if self.is_directory(path) {
            return fail(path, "Is a directory", 21);
        }
        if self.entries.remove(path).is_some() {
            self.record_change("delete", path);
        }
        Ok(())
    }

    fn delete_directory(&mut self, path: &Path, recursive: bool) -> Result<()> {
        if !self.is_directory(path) {
            return if self.find(path).is_some() { fail(path, "Not a directory", 20) } else { missing(path) };
        }
        let children = self.children(path);
        if !recursive && !children.is_empty() {
            return fail(path, "Directory not empty", 39);
        }
        for child in children.iter().map(PathBuf::as_path).chain([path]) {
            self.entries.remove(child);
        }
        self.record_change("delete directory", path);
        Ok(())
    }

    fn link(&mut self, path: &Path, target: &Path, ownership: Ownership) -> Result<()> {
        self.remove_replaced_directory(path, ownership)?;
        let ownership = Ownership { mode: None, ..ownership };
        self.add(path, Content::Link(target.to_path_buf()), 0o777, ownership)?;
        self.record_change("link", path);
        Ok(())
    }

    fn set_mode(&mut self, path: &Path, mode: u32) -> Result<()> {
        let Some(found) = self.follow(path) else { return missing(path) };
        if let Some(entry) = self.entries.get_mut(&found) {
            entry.mode = mode;
        }
        self.record_change("set mode", path);
        Ok(())
    }

    fn set_owner(&mut self, path: &Path, uid: Option<u32>, gid: Option<u32>, follow: bool) -> Result<()> {
        let found = if follow { self.follow(path) } else { Some(path.to_path_buf()) };
        let Some(entry) = found.and_then(|path| self.entries.get_mut(&path)) else { return missing(path) };
        entry.uid = uid.unwrap_or(entry.uid);
        entry.gid = gid.unwrap_or(entry.gid);
        self.record_change("set owner", path);
        Ok(())
    }

    fn variable(&mut self, name: &str) -> Option<String> {
        self.variables.get(name).cloned()
    }

    fn user_id(&mut self, name: &str) -> Option<u32> {
        id(&self.users, name)
    }

    fn group_id(&mut self, name: &str) -> Option<u32> {
        id(&self.groups, name)
    }

    fn user_name(&mut self, uid: u32) -> Option<String> {
        name(&self.users, uid)
    }

    fn group_name(&mut self, gid: u32) -> Option<String> {
        name(&self.groups, gid)
    }

    fn own_user_id(&mut self) -> u32 {
        0
    }

    fn clock(&self) -> Arc<dyn Clock> {
        self.clock.clone()
    }
}

fn id(ids: &BTreeMap<String, u32>, name: &str) -> Option<u32> {
    match name {
        "root" => Some(0),
        name => ids.get(name).copied().or_else(|| name.parse().ok()),
    }
}

fn name(ids: &BTreeMap<String, u32>, id: u32) -> Option<String> {
    let found = ids.iter().find(|(_, known)| **known == id).map(|(name, _)| name.clone());
    found.or_else(|| (id == 0).then(|| "root".to_owned()))
}

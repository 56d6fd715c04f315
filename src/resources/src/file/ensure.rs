//! The entry at a path: creation, removal, replacement of one kind by another, backups.

use std::path::Path;
use std::path::PathBuf;

use catwalk_apply::CurrentValues;
use catwalk_apply::Run;
use catwalk_base::name;
use catwalk_resource_api::Failure;
use catwalk_resource_api::Level;
use catwalk_system::FileKind as Kind;
use catwalk_system::Ownership;
use catwalk_system::SystemError;
use catwalk_value::Value;

use super::Backup;
use super::Ensure;
use super::File;
use super::Recurse;
use super::bucket;

/// The kind of a file in messages.
pub(super) fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::File => "file",
        Kind::Directory => "directory",
        Kind::Link => "link",
        Kind::Other => "special",
    }
}

fn failure(error: SystemError) -> Failure {
    Failure::new(error.message)
}

impl File {
    pub(super) fn is_ensured(&self) -> bool {
        let kind = self.stat.as_ref().map(|stat| stat.kind);
        match (self.desired_entry(), kind) {
            (None, _) => true,
            (_, Some(_)) if !self.replace => true,
            (Some(Ensure::Absent), kind) => kind.is_none(),
            (Some(Ensure::Present), kind) => kind.is_some(),
            (Some(desired), kind) => kind.is_some_and(|kind| kind_name(kind) == desired.as_str()),
        }
    }

    pub(super) fn sync_ensure(&mut self, run: &mut Run<'_>) -> Result<(), Failure> {
        let desired = self.desired_entry().unwrap_or(Ensure::Present);
        self.remove_existing(desired, run)?;
        match desired {
            Ensure::Absent => Ok(()),
            Ensure::File | Ensure::Present => {
                self.write(run).map_err(|failure| self.with_ensure_prefix("file", failure))
            }
            Ensure::Directory => self.make_directory(run),
            Ensure::Link => self.make_link(run),
        }
    }

    /// Adds the prefix `Could not set 'file' on ensure: `, except to the messages that Puppet does not prefix.
    fn with_ensure_prefix(&self, value: &str, failure: Failure) -> Failure {
        let unprefixed = [
            "Could not find filebucket",
            "Execution of",
            "Could not back",
            "File written",
            "Could not remove",
            "Could not retrieve content",
            "not supported",
        ];
        if unprefixed.iter().any(|start| failure.message.starts_with(start)) {
            return failure;
        }
        Failure { message: format!("Could not set '{value}' on ensure: {}", failure.message), ..failure }
    }

    fn make_directory(&mut self, run: &mut Run<'_>) -> Result<(), Failure> {
        let parent = self.path.parent().unwrap_or(Path::new("/")).to_path_buf();
        let path = self.path.display().to_string();
        if run.system.stat(&parent, true).map_err(failure)?.is_none() {
            let parent = parent.display();
            return Err(Failure::new(format!("Cannot create {path}; parent directory {parent} does not exist")));
        }
        let ownership = self.ownership(true, run)?;
        let result = run.system.create_directory(&self.path, ownership);
        result.map_err(|error| self.with_ensure_prefix("directory", failure(error)))?;
        self.read_entry(run);
        self.check_accounts().map_err(|failure| self.with_ensure_prefix("directory", failure))
    }

    /// Creates the link. An existing link or file is replaced, a directory only with `force`.
    pub(super) fn make_link(&mut self, run: &mut Run<'_>) -> Result<(), Failure> {
        let target = self.link_target();
        let target = target.ok_or_else(|| Failure::new("Cannot create a symlink without a target"))?;
        self.remove_existing(Ensure::Link, run)?;
        if self.is_directory() && !self.force {
            return Err(Failure::new("Could not remove existing file"));
        }
        let parent = self.path.parent().unwrap_or(Path::new("/")).to_path_buf();
        if run.system.stat(&parent, true).map_err(failure)?.is_none() {
            let text = match self.settings.version.links_without_chdir {
                true => format!("No such file or directory @ rb_file_s_symlink - ({target}, {})", self.path.display()),
                false => format!("No such file or directory @ dir_chdir - {}", parent.display()),
            };
            return Err(self.with_ensure_prefix("link", Failure::new(text)));
        }
        let ownership = self.ownership(false, run)?;
        let linked = run.system.link(&self.path, Path::new(&target), ownership);
        linked.map_err(|error| self.with_ensure_prefix("link", failure(error)))?;
        self.read_entry(run);
        self.check_accounts().map_err(|failure| self.with_ensure_prefix("link", failure))
    }

    pub(super) fn has_same_target(&self, current: &CurrentValues) -> bool {
        if self.recurse != Recurse::No || !self.replace && self.stat.is_some() {
            return true;
        }
        let target = current.get(&name!("target")).and_then(Value::as_str);
        target == self.link_target().as_deref()
    }

    pub(super) fn ensure_message(&self, old: Option<&Value>) -> String {
        let old = old.and_then(Value::as_str).unwrap_or("absent");
        match self.desired_entry() {
            Some(Ensure::File | Ensure::Present)
                if self.has_contents() && self.contents_property() == name!("content") =>
            {
                format!("defined content as '{}'", self.desired_checksum())
            }
            _ if old == "absent" => "created".to_owned(),
            Some(Ensure::Absent) => "removed".to_owned(),
            desired => format!("ensure changed '{old}' to '{}'", desired.map_or("", Ensure::as_str)),
        }
    }

    /// Backs up the existing entry, and removes it for `ensure => absent`. An entry that is replaced by a different kind stays until the
    /// new one is complete.
    ///
    /// # Errors
    /// The entry cannot be backed up or removed.
    pub(super) fn remove_existing(&mut self, desired: Ensure, run: &mut Run<'_>) -> Result<(), Failure> {
        let Some(kind) = self.stat.as_ref().map(|stat| stat.kind) else { return Ok(()) };
        self.back_up(kind, run)?;
        if kind_name(kind) == desired.as_str() {
            return Ok(());
        }
        match kind {
            Kind::Directory if !self.force => {
                let text = "Not removing directory; use 'force' to override";
                run.log.log(Level::Notice, Some(&run.path.to_string()), text);
                return Ok(());
            }
            Kind::Directory | Kind::File | Kind::Link => {
                let text = format!("Removing existing {} for replacement with {}", kind_name(kind), desired.as_str());
                run.log.log(Level::Debug, Some(&run.path.to_string()), &text);
            }
            Kind::Other => {}
        }
        match (desired, kind) {
            (Ensure::Absent, Kind::Directory) => run.system.delete_directory(&self.path, true).map_err(failure)?,
            (Ensure::Absent, _) => run.system.delete_file(&self.path).map_err(failure)?,
            _ => return Ok(()),
        }
        self.read_entry(run);
        Ok(())
    }

    fn back_up(&mut self, kind: Kind, run: &mut Run<'_>) -> Result<(), Failure> {
        // The removal has several steps; only the first makes a backup.
        let backup = std::mem::replace(&mut self.backup, Backup::None);
        match backup {
            Backup::None => Ok(()),
            _ if kind == Kind::Other => {
                run.log.log(Level::Warning, Some(&run.path.to_string()), "Could not back up file of type special");
                Ok(())
            }
            Backup::Suffix(suffix) => {
                if kind == Kind::Directory && !self.force {
                    run.log.log(
                        Level::Warning,
                        Some(&run.path.to_string()),
                        "Could not back up file of type directory",
                    );
                    return Ok(());
                }
                let mut copy = self.path.clone().into_os_string();
                copy.push(suffix);
                copy_all(&self.path, Path::new(&copy), 0, run)
            }
            Backup::Bucket(name) => {
                self.backup = Backup::Bucket(name.clone());
                let bucket = self.bucket(&name);
                self.backup = Backup::None;
                let bucket = bucket?;
                let mut files: Vec<PathBuf> = Vec::new();
                match kind {
                    Kind::File => files.push(self.path.clone()),
                    Kind::Directory if self.force && self.recurse == Recurse::No => {
                        run.log.log(Level::Info, Some(&run.path.to_string()), "Recursively backing up to filebucket");
                        collect(&self.path, &mut files, 0, run)?;
                    }
                    Kind::Directory if !self.force => {
                        run.log.log(
                            Level::Warning,
                            Some(&run.path.to_string()),
                            "Could not back up file of type directory",
                        );
                    }
                    _ => {}
                }
                for file in files {
                    let sum = bucket::store(&bucket, &file, run)?;
                    let text = format!("Filebucketed {} to {name} with sum {sum}", file.display());
                    run.log.log(Level::Info, Some(&run.path.to_string()), &text);
                }
                Ok(())
            }
        }
    }
}

/// The maximum depth of directories that are copied.
const MAX_DEPTH: usize = 200;

/// The regular files in a directory.
fn collect(folder: &Path, files: &mut Vec<PathBuf>, depth: usize, run: &mut Run<'_>) -> Result<(), Failure> {
    for name in run.system.list(folder).map_err(failure)? {
        let path = folder.join(name);
        match run.system.stat(&path, false).map_err(failure)?.map(|stat| stat.kind) {
            Some(Kind::File) => files.push(path),
            Some(Kind::Directory) if depth < MAX_DEPTH => collect(&path, files, depth + 1, run)?,
            _ => {}
        }
    }
    Ok(())
}

/// Copies a file, link or directory with owner and mode.
fn copy_all(from: &Path, to: &Path, depth: usize, run: &mut Run<'_>) -> Result<(), Failure> {
    let failed = |error: SystemError| Failure::new(format!("Could not back {} up: {error}", from.display()));
    let Some(stat) = run.system.stat(from, false).map_err(failed)? else { return Ok(()) };
    let is_root = run.system.own_user_id() == 0;
    let keep = |id: u32| is_root.then_some(id);
    let (uid, gid) = (keep(stat.uid), keep(stat.gid));
    let ownership = Ownership { mode: Some(stat.mode), uid, gid, ..Ownership::default() };
    match stat.kind {
        Kind::File => run.system.copy(from, to, ownership).map_err(failed),
        Kind::Link => run.system.link(to, &stat.target.unwrap_or_default(), Ownership::default()).map_err(failed),
        Kind::Other => Ok(()),
        Kind::Directory => {
            if run.system.stat(to, false).map_err(failed)?.is_some() {
                let to = to.display();
                return Err(Failure::new(format!("Will not remove directory backup {to}; use a filebucket")));
            }
            run.system.create_directory(to, ownership).map_err(failed)?;
            for name in run.system.list(from).map_err(failed)? {
                if depth < MAX_DEPTH {
                    copy_all(&from.join(&name), &to.join(&name), depth + 1, run)?;
                }
            }
            Ok(())
        }
    }
}

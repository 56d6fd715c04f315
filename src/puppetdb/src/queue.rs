//! A queue of commands that PuppetDB has not accepted yet: a directory with a file for each command.
//!
//! In: commands. Out: the same commands, even after this process was killed. A file is written atomically and synced to the disk. Its name
//! is `TIME.ARRIVAL-CERTNAME-COMMAND-CHECKSUM.json`, so that names sort by the time of the payload, in milliseconds, then by arrival;
//! older versions of Catwalk wrote no arrival. Several processes may add commands at once. Must not: delete a command that PuppetDB has not
//! accepted, unless a newer one replaces it or the queue contains it twice.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt;
use std::io;
use std::path::Path;
use std::path::PathBuf;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering;
use std::time::Duration;

use sha1::Digest;
use sha1::Sha1;

use crate::command::Command;
use crate::command::CommandName;
use catwalk_world::Disk;
use catwalk_world::Kind;
use catwalk_world::World;
use catwalk_world::WorldError;
use catwalk_world::output;

/// The file that is locked by the process that sends the queue.
const LOCK: &str = ".lock";
/// How long to wait for another process that is sending the queue.
const LOCK_TIMEOUT: Duration = Duration::from_secs(60);
/// The longest name of a node in a file name, in bytes. Longer names are shortened: a file name has at most 255 bytes.
const MAX_NAME: usize = 130;
/// How many hexadecimal digits of the checksum are in a file name.
const CHECKSUM_DIGITS: usize = 16;

/// Why a queue cannot be used.
#[derive(Debug)]
pub enum QueueError {
    /// The directory, or a file in it, cannot be read or written.
    Unusable(PathBuf, String),
    /// Another process is sending the queue.
    Busy(PathBuf),
}

impl fmt::Display for QueueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            QueueError::Unusable(path, why) => write!(f, "{}: {why}", path.display()),
            QueueError::Busy(path) => write!(f, "{}: another process is sending this queue", path.display()),
        }
    }
}

impl std::error::Error for QueueError {}

/// Why a command cannot be read, with a message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ReadError {
    /// The file contains no valid command.
    Damaged(String),
    /// This process cannot read the file.
    Unreadable(String),
}

/// A directory of commands.
#[derive(Clone, Debug)]
pub struct Queue {
    folder: PathBuf,
}

/// A command in a queue, described by its file name.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct QueuedCommand {
    /// The file name, which sorts by time and arrival.
    file: String,
    /// The node, escaped as in the file name.
    node: String,
    name: Option<CommandName>,
    /// The first digits of the checksum.
    checksum_prefix: String,
}

impl QueuedCommand {
    fn from_file_name(file: &str) -> QueuedCommand {
        let parts = || {
            let mut parts = file.strip_suffix(".json")?.rsplitn(3, '-');
            let (digits, name, rest) = (parts.next()?, parts.next()?, parts.next()?);
            let (_, node) = rest.split_once('-')?;
            Some((node.to_owned(), CommandName::find(name)?, digits.to_owned()))
        };
        let file = file.to_owned();
        match parts() {
            Some((node, name, digits)) => QueuedCommand { file, node, name: Some(name), checksum_prefix: digits },
            None => QueuedCommand { file, node: String::new(), name: None, checksum_prefix: String::new() },
        }
    }

    /// A newer command with the same key replaces this one: the catalog of the same node, the facts of the same node, or an identical report.
    fn key(&self) -> Option<(String, CommandName, String)> {
        let name = self.name?;
        let digits = if name.replaces_older() { String::new() } else { self.checksum_prefix.clone() };
        Some((self.node.clone(), name, digits))
    }

    /// Whether it contains the catalog, the facts or a report of a node.
    #[must_use]
    pub fn is_about(&self, certname: &str) -> bool {
        self.node == escaped(certname)
    }

    /// Its file name.
    #[must_use]
    pub fn file(&self) -> &str {
        &self.file
    }
}

impl Queue {
    /// The queue in a directory, which is created when the first command is added.
    #[must_use]
    pub fn new(folder: PathBuf) -> Queue {
        Queue { folder }
    }

    /// The directory.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Adds a command. It is synced to the disk when this function returns.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn add(&self, command: &Command) -> Result<(), QueueError> {
        let path = self.folder.join(file_name(command));
        output::write(&path, output::Kind::Command, command.to_document().as_bytes())
            .map_err(|error| QueueError::Unusable(path, error.to_string()))
    }

    /// The commands, sorted by time and arrival. A missing directory is an empty queue.
    ///
    /// # Errors
    /// The directory cannot be read.
    pub fn list(&self) -> Result<Vec<QueuedCommand>, QueueError> {
        // A new `Disk`, which has nothing cached: other processes change the directory.
        match Disk::new().list(&self.folder) {
            Ok(entries) => Ok(entries
                .iter()
                .filter(|entry| entry.kind == Kind::File && !entry.name.starts_with('.'))
                .map(|entry| QueuedCommand::from_file_name(&entry.name))
                .collect()),
            Err(WorldError::Missing(_)) => Ok(Vec::new()),
            Err(refused) => Err(QueueError::Unusable(self.folder.clone(), refused.to_string())),
        }
    }

    /// The path of a command's file.
    #[must_use]
    pub fn path(&self, queued: &QueuedCommand) -> PathBuf {
        self.folder.join(&queued.file)
    }

    /// Reads a command. `None`: another process has sent or replaced it.
    ///
    /// # Errors
    /// The file is damaged, or cannot be read.
    pub fn read(&self, queued: &QueuedCommand) -> Result<Option<Command>, ReadError> {
        let bytes = match catwalk_world::read_file(&self.path(queued)) {
            Ok(bytes) => bytes,
            Err(WorldError::Missing(_)) => return Ok(None),
            Err(refused) => return Err(ReadError::Unreadable(refused.to_string())),
        };
        if queued.name.is_none() {
            return Err(ReadError::Damaged("its name is not that of a queued command".to_owned()));
        }
        Command::from_document(&bytes).map(Some).map_err(ReadError::Damaged)
    }

    /// Removes a command that PuppetDB has accepted, or that a newer one replaces.
    ///
    /// # Errors
    /// The file cannot be removed.
    pub fn remove(&self, queued: &QueuedCommand) -> Result<(), QueueError> {
        let path = self.path(queued);
        output::remove(&path).map_err(|error| QueueError::Unusable(path, error.to_string()))
    }

    /// Moves a command to a directory below the queue, from which commands are not sent. Returns the new path.
    ///
    /// # Errors
    /// The file cannot be moved.
    pub fn set_aside(&self, queued: &QueuedCommand, folder: &str) -> Result<PathBuf, QueueError> {
        let to = self.folder.join(folder).join(&queued.file);
        let moved = || -> io::Result<()> {
            output::folder(&self.folder.join(folder))?;
            output::rename(&self.path(queued), &to)
        };
        moved().map_err(|error| QueueError::Unusable(self.path(queued), error.to_string()))?;
        Ok(to)
    }

    /// Removes commands that newer ones replace, and returns the others in order. A command that cannot be read replaces none.
    ///
    /// # Errors
    /// The directory cannot be read, or a file cannot be removed.
    pub fn newest(&self) -> Result<Vec<QueuedCommand>, QueueError> {
        let mut queued = self.list()?;
        let mut newest: HashMap<(String, CommandName, String), String> = HashMap::new();
        for command in &queued {
            let Some(key) = command.key() else { continue };
            match newest.entry(key) {
                Entry::Vacant(entry) => {
                    entry.insert(command.file.clone());
                }
                // Only a command that would replace a queued command must be read.
                Entry::Occupied(mut entry) => {
                    if matches!(self.read(command), Ok(Some(_))) {
                        entry.insert(command.file.clone());
                    }
                }
            }
        }
        let is_replaced = |command: &QueuedCommand| {
            command.key().and_then(|key| newest.get(&key)).is_some_and(|newest| *newest > command.file)
        };
        queued.iter().filter(|command| is_replaced(command)).try_for_each(|command| self.remove(command))?;
        queued.retain(|command| !is_replaced(command));
        Ok(queued)
    }

    /// Locks the queue for sending. Waits up to a minute for another process.
    ///
    /// # Errors
    /// Another process has locked it for longer, or the directory cannot be written.
    pub(crate) fn lock(&self) -> Result<output::Lock, QueueError> {
        let path = self.folder.join(LOCK);
        match output::lock(&path, LOCK_TIMEOUT) {
            Ok(Some(lock)) => Ok(lock),
            Ok(None) => Err(QueueError::Busy(self.folder.clone())),
            Err(error) => Err(QueueError::Unusable(path, error.to_string())),
        }
    }
}

/// The file name of a command.
fn file_name(command: &Command) -> String {
    let time = command.time().strftime("%Y%m%dT%H%M%S.%3fZ");
    let checksum = command.checksum();
    let digits = checksum.get(..CHECKSUM_DIGITS).unwrap_or_default();
    format!("{time}.{:016x}-{}-{}-{digits}.json", arrival(), escaped(command.certname()), command.name())
}

/// The time in nanoseconds since 1970, made unique and ascending within this process; across processes it depends on the clock.
fn arrival() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    let now = u64::try_from(Disk::new().now().as_nanos()).unwrap_or(u64::MAX);
    let later = |last: u64| now.max(last.saturating_add(1));
    later(LAST.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |last| Some(later(last))).unwrap_or_default())
}

/// Escapes a node's name for a file name: every byte except lower-case letters, digits, `.`, `-` and `_` becomes `%XX`, also upper-case
/// letters, since some file systems are case-insensitive. A long name is cut and ends with its SHA-1.
fn escaped(certname: &str) -> String {
    let byte = |byte: u8| match byte {
        b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    let escaped: String = certname.bytes().map(byte).collect();
    match escaped.get(..MAX_NAME) {
        Some(start) => {
            let digest: String = Sha1::digest(certname).iter().map(|byte| format!("{byte:02x}")).collect();
            format!("{start}~{digest}")
        }
        None => escaped,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests")]
mod tests {
    use super::*;
    use serde_json::json;

    fn facts(certname: &str, second: u32, value: &str) -> Command {
        let time = format!("2026-01-02T03:04:{second:02}.000Z");
        let payload = json!({"certname": certname, "environment": "production", "producer_timestamp": time, "producer": null,
            "values": {"a": value, "float": 1.5e-7, "large": 18_446_744_073_709_551_615_u64, "nested": {"__x": [null, true]}}});
        Command::new(CommandName::ReplaceFacts, &payload).unwrap()
    }

    fn queue() -> (tempfile::TempDir, Queue) {
        let dir = tempfile::TempDir::new().unwrap();
        let queue = Queue::new(dir.path().join("queue"));
        (dir, queue)
    }

    #[test]
    fn commands_are_read_back_in_the_order_of_time_and_arrival() {
        let (_dir, queue) = queue();
        assert_eq!(queue.list().unwrap(), []);
        let long = "x".repeat(300);
        let commands = [facts("a-b", 1, "ä"), facts("Ö/..", 1, "x"), facts(&long, 2, "x"), facts("a", 3, "x")];
        commands.iter().rev().for_each(|command| queue.add(command).unwrap());
        let listed = queue.list().unwrap();
        let names: Vec<(&str, &str)> =
            listed.iter().map(|command| (&command.file[..20], &command.file[37..42])).collect();
        assert_eq!(
            names,
            [
                ("20260102T030401.000Z", "-%C3%"),
                ("20260102T030401.000Z", "-a-b-"),
                ("20260102T030402.000Z", "-xxxx"),
                ("20260102T030403.000Z", "-a-re")
            ]
        );
        assert!(listed.iter().all(|command| command.file.len() < 255));
        for (queued, command) in listed.iter().zip([&commands[1], &commands[0], &commands[2], &commands[3]]) {
            assert!(queued.is_about(command.certname()) && !queued.is_about("b"));
            assert_eq!(queue.read(queued).unwrap().as_ref(), Some(command));
        }
    }

    #[test]
    fn newer_facts_replace_older_ones_of_the_same_node() {
        let (_dir, queue) = queue();
        [facts("a", 2, "second"), facts("a", 1, "first"), facts("b", 1, "b")]
            .iter()
            .for_each(|command| queue.add(command).unwrap());
        let left: Vec<Command> =
            queue.newest().unwrap().iter().map(|command| queue.read(command).unwrap().unwrap()).collect();
        assert_eq!(left, [facts("b", 1, "b"), facts("a", 2, "second")]);
        assert_eq!(queue.list().unwrap().len(), 2);
        // A damaged command replaces no older one.
        queue.add(&facts("a", 3, "third")).unwrap();
        let third = queue.list().unwrap().remove(2);
        std::fs::write(queue.path(&third), "{").unwrap();
        let left = queue.newest().unwrap();
        assert_eq!((left.len(), left.last()), (3, Some(&third)));
    }

    #[test]
    fn commands_of_one_millisecond_are_in_the_order_of_arrival() {
        let (_dir, queue) = queue();
        let commands: Vec<Command> = (0..20).map(|number| facts("a", 1, &number.to_string())).collect();
        commands.iter().for_each(|command| queue.add(command).unwrap());
        let read = |queued: &[QueuedCommand]| -> Vec<Command> {
            queued.iter().map(|command| queue.read(command).unwrap().unwrap()).collect()
        };
        assert_eq!(read(&queue.list().unwrap()), commands);
        // File names of older versions have no arrival.
        let first = queue.list().unwrap().remove(0);
        let old = format!("{}{}", &first.file[..20], &first.file[37..]);
        std::fs::rename(queue.path(&first), queue.folder().join(&old)).unwrap();
        let listed = queue.list().unwrap();
        assert_eq!((listed[0].file(), listed[0].is_about("a"), read(&listed)), (old.as_str(), true, commands.clone()));
        assert_eq!(read(&queue.newest().unwrap()), commands[19..]);
    }

    #[test]
    fn a_report_that_is_queued_twice_is_sent_once() {
        let (_dir, queue) = queue();
        let command = Command::new(CommandName::StoreReport, &crate::check::tests::report()).unwrap();
        (0..3).for_each(|_| queue.add(&command).unwrap());
        assert_eq!((queue.newest().unwrap().len(), queue.list().unwrap().len()), (1, 1));
    }

    #[test]
    fn damaged_files_are_found() {
        let (_dir, queue) = queue();
        queue.add(&facts("a", 1, "value")).unwrap();
        let queued = queue.list().unwrap().remove(0);
        let path = queue.path(&queued);
        let text = std::fs::read_to_string(&path).unwrap();
        for (damaged, expected) in [
            (text.get(..40).unwrap().to_owned(), "EOF"),
            (String::new(), "EOF"),
            (text.replace("\"value\"", "\"other\""), "its checksum is wrong"),
            (text.replace("replace facts", "replace all"), "its command is unknown"),
            (text.replace("\"version\":5", "\"version\":4"), "its version is not 5"),
            (text.replace("\"producer\":null,", ""), "the member `producer` is required"),
        ] {
            std::fs::write(&path, damaged).unwrap();
            let error = queue.read(&queued).unwrap_err();
            assert!(matches!(&error, ReadError::Damaged(why) if why.contains(expected)), "{error:?}");
        }
        let aside = queue.set_aside(&queued, "damaged").unwrap();
        assert!(aside.ends_with(format!("damaged/{}", queued.file())) && aside.exists());
        assert_eq!((queue.read(&queued), queue.list().unwrap().len()), (Ok(None), 0));
        std::fs::write(queue.folder().join("note.txt"), "x").unwrap();
        let error = queue.read(&queue.list().unwrap()[0]).unwrap_err();
        assert_eq!(error, ReadError::Damaged("its name is not that of a queued command".to_owned()));
    }
}

//! A queue of commands that PuppetDB has not accepted yet: a directory with a file for each command.
//!
//! In: commands. Out: the same commands, even after this process was killed. A file is written atomically and synced to the disk. Its name
//! is `TIME.ARRIVAL-CERTNAME-COMMAND-CHECKSUM.json`, so that names sort by the time of the payload, in milliseconds, then by arrival;
//! older versions of Catwalk wrote no arrival. Several processes may add commands at once. Must not: delete a command that PuppetDB has not
//! accepted, unless a newer one replaces it or the queue contains it twice.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt;
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
use catwalk_world::World;
use catwalk_world::output;
use catwalk_world::output::Contents;
use catwalk_world::output::Directory;
use catwalk_world::output::DirectoryError;
use catwalk_world::output::FileKind;
use catwalk_world::output::MachineKey;
use catwalk_world::output::Marker;
use catwalk_world::output::Place;
use catwalk_world::output::Purpose;

/// Queues.
static QUEUES: Purpose = Purpose {
    name: "queue",
    description: "the queue of commands for PuppetDB",
    option: "--queue DIR",
    contents: Contents::Private { is_own, marker: Marker::Lock },
};
/// The directories below a queue: for commands that PuppetDB refused, and for damaged ones.
pub(crate) const REFUSED: &str = "refused";
pub(crate) const DAMAGED: &str = "damaged";
/// How long to wait for another process that is sending the queue.
const LOCK_TIMEOUT: Duration = Duration::from_secs(60);
/// The longest name of a node in a file name, in bytes. Longer names are shortened: a file name has at most 255 bytes.
const MAX_NAME: usize = 130;
/// How many hexadecimal digits of the checksum are in a file name.
const CHECKSUM_DIGITS: usize = 16;

fn is_own(name: &str, kind: FileKind) -> bool {
    match kind {
        FileKind::File => QueuedCommand::from_file_name(name).is_some(),
        FileKind::Directory => name == REFUSED || name == DAMAGED,
        FileKind::Link | FileKind::Other => false,
    }
}

/// Why a queue cannot be used.
#[derive(Debug)]
pub enum QueueError {
    /// The directory is not one of Catwalk's.
    Refused(DirectoryError),
    /// The directory, or a file in it, cannot be read or written.
    Unusable(PathBuf, String),
    /// Another process is sending the queue.
    Busy(PathBuf),
}

impl fmt::Display for QueueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            QueueError::Refused(error) => error.fmt(f),
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
    place: Place,
    folder: PathBuf,
    key: Option<MachineKey>,
}

/// A command in a queue, described by its file name.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct QueuedCommand {
    /// The file name, which sorts by time and arrival.
    file: String,
    /// The node, escaped as in the file name.
    node: String,
    name: CommandName,
    /// The first digits of the checksum.
    checksum_prefix: String,
}

impl QueuedCommand {
    /// `None`: it is not the name of a command.
    fn from_file_name(file: &str) -> Option<QueuedCommand> {
        let mut parts = file.strip_suffix(".json")?.rsplitn(3, '-');
        let (digits, name, rest) = (parts.next()?, parts.next()?, parts.next()?);
        let (time, node) = rest.split_once('-')?;
        let is_hex = |text: &str, length: usize| {
            text.len() == length && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        };
        let is_node_byte =
            |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'A'..=b'F' | b'-' | b'.' | b'_' | b'%' | b'~');
        let is_named =
            is_time(time, is_hex) && !name.contains(' ') && !node.is_empty() && node.bytes().all(is_node_byte);
        (is_named && is_hex(digits, CHECKSUM_DIGITS)).then_some(())?;
        let (node, checksum_prefix) = (node.to_owned(), digits.to_owned());
        Some(QueuedCommand { file: file.to_owned(), node, name: CommandName::find(name)?, checksum_prefix })
    }

    /// A newer command with the same key replaces this one: the catalog of the same node, the facts of the same node, or an identical report.
    fn key(&self) -> (String, CommandName, String) {
        let digits = if self.name.replaces_older() { String::new() } else { self.checksum_prefix.clone() };
        (self.node.clone(), self.name, digits)
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
    pub fn new(place: Place) -> Queue {
        Queue { folder: place.path(), place, key: None }
    }

    /// The queue in a directory of a repository. Only commands are sent that this machine has put into it.
    #[must_use]
    pub fn in_repository(place: Place, key: MachineKey) -> Queue {
        Queue { key: Some(key), ..Queue::new(place) }
    }

    /// The directory.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The directory, if it exists.
    ///
    /// # Errors
    /// It is not one of Catwalk's, or cannot be read.
    fn existing(&self) -> Result<Option<Directory>, QueueError> {
        Directory::open_existing_marked(&self.place, &QUEUES, self.key.as_ref()).map_err(|error| self.unusable(error))
    }

    /// The directory, which is created if it does not exist.
    fn open(&self) -> Result<Directory, QueueError> {
        Directory::open_marked(&self.place, &QUEUES, self.key.as_ref()).map_err(|error| self.unusable(error))
    }

    fn unusable(&self, error: DirectoryError) -> QueueError {
        match error.is_refusal() {
            true => QueueError::Refused(error),
            false => QueueError::Unusable(self.folder.clone(), error.to_string()),
        }
    }

    /// Checks the directory. Nothing is written; it need not exist.
    ///
    /// # Errors
    /// It contains files of others, others can write to it, or it is reached through a link.
    pub fn check(&self) -> Result<(), QueueError> {
        match self.existing() {
            Err(error @ QueueError::Refused(_)) => Err(error),
            _ => Ok(()),
        }
    }

    /// Adds a command. It is synced to the disk when this function returns.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn add(&self, command: &Command) -> Result<(), QueueError> {
        let name = file_name(command);
        let written = self.open()?.write(&name, output::Kind::Command, command.to_document().as_bytes());
        written.map_err(|error| QueueError::Unusable(self.folder.join(name), error.to_string()))
    }

    /// The commands, sorted by time and arrival. A missing directory is an empty queue. Files that are not named as commands are ignored.
    ///
    /// # Errors
    /// The directory cannot be read.
    pub fn list(&self) -> Result<Vec<QueuedCommand>, QueueError> {
        let Some(directory) = self.existing()? else { return Ok(Vec::new()) };
        let entries = directory.list("");
        let entries = entries.map_err(|error| QueueError::Unusable(self.folder.clone(), error.to_string()))?;
        let files = entries.iter().filter(|entry| entry.kind == FileKind::File);
        Ok(files.filter_map(|entry| QueuedCommand::from_file_name(entry.name.to_str()?)).collect())
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
        let unreadable =
            |why: &dyn fmt::Display| ReadError::Unreadable(format!("{}: {why}", self.path(queued).display()));
        let directory = self.existing().map_err(|error| unreadable(&error))?;
        let bytes = directory.map(|directory| directory.read(&queued.file)).transpose();
        match bytes.map_err(|error| unreadable(&error))?.flatten() {
            None => Ok(None),
            Some(bytes) => Command::from_document(&bytes).map(Some).map_err(ReadError::Damaged),
        }
    }

    /// Removes a command that PuppetDB has accepted, or that a newer one replaces.
    ///
    /// # Errors
    /// The file cannot be removed.
    pub fn remove(&self, queued: &QueuedCommand) -> Result<(), QueueError> {
        let Some(directory) = self.existing()? else { return Ok(()) };
        directory.remove(&queued.file).map_err(|error| QueueError::Unusable(self.path(queued), error.to_string()))
    }

    /// Moves a command to a directory below the queue, from which commands are not sent. Returns the new path.
    ///
    /// # Errors
    /// The file cannot be moved.
    pub fn set_aside(&self, queued: &QueuedCommand, folder: &str) -> Result<PathBuf, QueueError> {
        let name = format!("{folder}/{}", queued.file);
        let moved = self.open()?.rename(&queued.file, &name);
        moved.map_err(|error| QueueError::Unusable(self.path(queued), error.to_string()))?;
        Ok(self.folder.join(name))
    }

    /// Removes commands that newer ones replace, and returns the others in order. A command that cannot be read replaces none.
    ///
    /// # Errors
    /// The directory cannot be read, or a file cannot be removed.
    pub fn newest(&self) -> Result<Vec<QueuedCommand>, QueueError> {
        let mut queued = self.list()?;
        let mut newest: HashMap<(String, CommandName, String), String> = HashMap::new();
        for command in &queued {
            match newest.entry(command.key()) {
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
        let is_replaced =
            |command: &QueuedCommand| newest.get(&command.key()).is_some_and(|newest| *newest > command.file);
        queued.iter().filter(|command| is_replaced(command)).try_for_each(|command| self.remove(command))?;
        queued.retain(|command| !is_replaced(command));
        Ok(queued)
    }

    /// Locks the queue for sending. Waits up to a minute for another process.
    ///
    /// # Errors
    /// Another process has locked it for longer, or the directory cannot be written.
    pub(crate) fn lock(&self) -> Result<output::Lock, QueueError> {
        match self.open()?.lock(LOCK_TIMEOUT) {
            Ok(Some(lock)) => Ok(lock),
            Ok(None) => Err(QueueError::Busy(self.folder.clone())),
            Err(error) => Err(QueueError::Unusable(self.folder.clone(), error.to_string())),
        }
    }

    /// Removes the temporary files of killed processes.
    pub(crate) fn sweep(&self) {
        if let Ok(Some(directory)) = self.existing() {
            directory.sweep("");
        }
    }
}

/// Whether it is the time in a file name, with or without the arrival.
fn is_time(text: &str, is_hex: impl Fn(&str, usize) -> bool) -> bool {
    const FORM: &[u8] = b"00000000T000000.000Z";
    let fits = |(byte, form): (u8, &u8)| if *form == b'0' { byte.is_ascii_digit() } else { byte == *form };
    let is_form = |time: &str| time.len() == FORM.len() && time.bytes().zip(FORM).all(fits);
    match text.split_once("Z.") {
        None => is_form(text),
        Some((time, arrival)) => is_form(&format!("{time}Z")) && is_hex(arrival, 16),
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
        let queue = Queue::new(Place::named(dir.path().join("queue")));
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
    }

    #[cfg(unix)]
    #[test]
    fn only_files_that_are_named_as_commands_are_commands() {
        let (_dir, queue) = queue();
        queue.add(&facts("a", 1, "value")).unwrap();
        let queued = queue.list().unwrap();
        let name = queued[0].file().to_owned();
        for other in [
            "note.txt".to_owned(),
            format!("x{name}"),
            name.replace(".json", ".yaml"),
            name.replace('T', "t"),
            name.replace("replace_facts", "replace_all"),
            name.replace("-a-", "--"),
            name.replace("-a-", "-A\n-"),
            format!("{}g.json", &name[..name.len() - 6]),
        ] {
            assert!(!is_own(&other, FileKind::File), "{other}");
            std::fs::write(queue.folder().join(&other), "{").unwrap();
        }
        std::os::unix::fs::symlink("/etc/passwd", queue.folder().join(name.replace("-a-", "-b-"))).unwrap();
        assert_eq!(queue.list().unwrap(), queued);
    }
}

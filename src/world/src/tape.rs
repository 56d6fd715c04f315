//! Records the replies of external systems, or replays recorded ones.
//!
//! A tape is a folder of JSON files, which can be edited by hand:
//!
//! | file | what |
//! |---|---|
//! | `nodes/CERTNAME.json` | the questions of this node's compile, in order |
//! | `cases/CASE.json` | the questions of this case of a test file; without this file, a replay uses the node's |
//! | `common.json` | answers for all nodes; environment variables are recorded here |
//!
//! Each file is a hash with any of these members; the node's or case's file has priority over the common one:
//!
//! | member | question and answer |
//! |---|---|
//! | `time` | list of times (`2026-03-01T12:00:00Z`), one for each reading of the clock; the last one is repeated |
//! | `random` | list of random numbers, as hexadecimal strings; the last one is repeated |
//! | `env` | hash of environment variables; `null`: not set |
//! | `run` | list of `{argv, stdin, status, stdout, stderr}`: processes, of the classifier, `generate`, `config_version` … |
//! | `http` | list of `{url, login, post, status, body}`: pages; `post` is the document that was sent, if one was |
//! | `ldap` | list of `{url, login, base, scope, filter, attributes, entries}`: searches in directories; an entry is `{dn, attributes}` |
//! | `dns` | list of `{record, name, servers, answer}`: kinds such as `AAAA`, a list of records (`["10 mail.example.com"]`) |
//! | `puppetdb` | list of `{query, answer}` |
//!
//! Instead of an answer there can be an `error`: why there was none. Output that is not UTF-8 is `{"base64": …}`. `{site}`
//! stands for the site's directory. A question that was asked several times has several entries; the last one is repeated.
//! Files and directories are not recorded: they belong to the site. A question that a replay has no answer for makes the node
//! fail.

mod recording;
mod replay;

use recording::Bytes;
use recording::Recording;
use recording::read;
use recording::text;

use parking_lot::Mutex;
use parking_lot::MutexGuard;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering;

use crate::Kind;
use crate::World;
use crate::WorldError;
use crate::output;
use crate::output::Contents;
use crate::output::Directory;
use crate::output::Place;
use crate::output::Purpose;
use catwalk_base::diag::Code;
use catwalk_base::diag::Reason;

/// Folders of tapes.
static TAPES: Purpose =
    Purpose { name: "tapes", description: "recorded answers", option: "--record DIR", contents: Contents::Mixed };

/// The file of the answers for all nodes.
const COMMON: &str = "common.json";

/// Whether to record or replay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Answers are written to this folder.
    Record(Place),
    /// Answers come from this folder.
    Replay(PathBuf),
}

impl Mode {
    /// The folder.
    #[must_use]
    pub fn folder(&self) -> PathBuf {
        match self {
            Mode::Record(place) => place.path(),
            Mode::Replay(folder) => folder.clone(),
        }
    }
}

/// The position of a replay in a file: how many answers to each question were used.
#[derive(Debug, Default)]
struct ReplayPosition {
    time: usize,
    random: usize,
    replies: std::collections::HashMap<String, usize>,
}

/// A folder of tapes.
#[derive(Debug)]
pub struct Tapes {
    folder: PathBuf,
    /// The folder to write to.
    record: Option<Place>,
    /// The site's directory.
    root: Option<String>,
    common: Mutex<Recording>,
    /// The environment variables that this process has written to the common file.
    variables_written: AtomicUsize,
}

/// The world of one node, recorded or replayed.
pub struct Tape {
    tapes: Arc<Tapes>,
    inner: Arc<dyn World>,
    /// The name of its file in the folder.
    name: String,
    node_recording: Mutex<(Recording, ReplayPosition)>,
    /// The position in the common file.
    common_position: Mutex<ReplayPosition>,
    missing: Mutex<Option<String>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock()
}

fn tape_error(path: &Path, why: &dyn std::fmt::Display) -> Reason {
    Reason::new(Code::BAD_TAPE, format!("{}: {why}", path.display()))
}

impl Tapes {
    /// Opens a folder of tapes for a site.
    ///
    /// # Errors
    /// The folder to replay does not exist, or its common file is malformed.
    pub fn open(mode: &Mode, root: Option<&Path>, world: &dyn World) -> Result<Tapes, Reason> {
        let (folder, record) = match mode {
            Mode::Record(place) => (place.path(), Some(place.clone())),
            Mode::Replay(folder) => (folder.clone(), None),
        };
        if record.is_none() && world.kind(&folder) != Kind::Directory {
            return Err(tape_error(&folder, &"no such directory to replay"));
        }
        if let Some(place) = &record {
            // Refused before the first question is asked.
            Directory::open_existing(place, &TAPES)?;
        }
        let common = read(&folder.join(COMMON), world)?.unwrap_or_default();
        let root = root.map(|root| root.to_string_lossy().into_owned());
        Ok(Tapes { folder, record, root, common: Mutex::new(common), variables_written: AtomicUsize::new(0) })
    }

    fn is_recording(&self) -> bool {
        self.record.is_some()
    }

    /// Writes a file when recording.
    fn write(&self, name: &str, recording: &Recording) -> Result<(), Reason> {
        let Some(place) = &self.record else { return Ok(()) };
        let path = self.folder.join(name);
        let text = text(&path, recording)?;
        let written = Directory::open(place, &TAPES)?.write(name, output::Kind::Tape, text.as_bytes());
        written.map_err(|error| tape_error(&path, &error))
    }

    fn to_portable(&self, text: &str) -> String {
        match &self.root {
            Some(root) => text.replace(root.as_str(), "{site}"),
            None => text.to_owned(),
        }
    }

    fn to_local(&self, text: &str) -> String {
        text.replace("{site}", self.root.as_deref().unwrap_or("{site}"))
    }

    fn localize(&self, bytes: &Bytes) -> Arc<[u8]> {
        match bytes {
            Bytes::Text(text) if text.contains("{site}") => Arc::from(self.to_local(text).into_bytes()),
            other => other.bytes(),
        }
    }
}

impl Tape {
    /// The tape of a node.
    ///
    /// # Errors
    /// Its file is malformed.
    pub fn open(tapes: &Arc<Tapes>, certname: &str, inner: Arc<dyn World>) -> Result<Tape, Reason> {
        let name = Tape::node_name(certname);
        let recording = if tapes.is_recording() { None } else { read(&tapes.folder.join(&name), inner.as_ref())? };
        Ok(Tape::new(tapes, name, recording, inner))
    }

    /// The tape of a test case. If a replay has none, that of the node.
    ///
    /// # Errors
    /// Its file is malformed.
    pub fn open_case(tapes: &Arc<Tapes>, case: &str, certname: &str, inner: Arc<dyn World>) -> Result<Tape, Reason> {
        // The name of a case becomes a portable file name in at most one folder.
        let name = format!("cases/{case}.json");
        let recording = match tapes.record {
            Some(_) => None,
            None => match read(&tapes.folder.join(&name), inner.as_ref())? {
                None => read(&tapes.folder.join(Tape::node_name(certname)), inner.as_ref())?,
                recording => recording,
            },
        };
        Ok(Tape::new(tapes, name, recording, inner))
    }

    fn node_name(certname: &str) -> String {
        format!("nodes/{}.json", certname.replace('/', "_"))
    }

    fn new(tapes: &Arc<Tapes>, name: String, recording: Option<Recording>, inner: Arc<dyn World>) -> Tape {
        Tape {
            tapes: tapes.clone(),
            inner,
            name,
            node_recording: Mutex::new((recording.unwrap_or_default(), ReplayPosition::default())),
            common_position: Mutex::default(),
            missing: Mutex::default(),
        }
    }

    /// Writes the recording at the end of the compile.
    ///
    /// # Errors
    /// The recording cannot be written, or the replay had no answer to a question.
    pub fn close(&self) -> Result<(), Reason> {
        if self.tapes.is_recording() {
            let common = lock(&self.tapes.common);
            // Variables are only added.
            if common.env.len() > self.tapes.variables_written.load(Ordering::Relaxed) {
                self.tapes.write(COMMON, &common)?;
                self.tapes.variables_written.store(common.env.len(), Ordering::Relaxed);
            }
            drop(common);
            return self.tapes.write(&self.name, &lock(&self.node_recording).0);
        }
        match lock(&self.missing).take() {
            None => Ok(()),
            Some(text) => {
                let path = self.tapes.folder.join(&self.name);
                let help = format!("add the answer to {} or to common.json beside it, or record again", path.display());
                Err(Reason::new(Code::NO_RECORDED_ANSWER, text).help(help))
            }
        }
    }

    /// Records a question without an answer; the first one is reported.
    fn report_unanswered(&self, member: &str, question: &serde_json::Value) -> WorldError {
        let text = format!("no recorded answer to the question \"{member}\": {question}");
        lock(&self.missing).get_or_insert_with(|| text.clone());
        WorldError::NoAnswer(Arc::from(text))
    }

    fn record(&self, add: impl FnOnce(&mut Recording)) {
        add(&mut lock(&self.node_recording).0);
    }

    /// The next answer from the node's file, or from the common file if the node's has none.
    fn next<T: Clone>(&self, pick: impl Fn(&Recording, &mut ReplayPosition) -> Option<T>) -> Option<T> {
        let mut node = lock(&self.node_recording);
        let (recording, position) = &mut *node;
        pick(recording, position).or_else(|| pick(&lock(&self.tapes.common), &mut lock(&self.common_position)))
    }

    /// The next matching entry; the last one is repeated.
    fn entry<T: Clone>(
        &self,
        question: &serde_json::Value,
        list: impl Fn(&Recording) -> &[T],
        matches: impl Fn(&T) -> bool,
    ) -> Option<T> {
        let key = question.to_string();
        self.next(|recording, position| {
            let matching: Vec<&T> = list(recording).iter().filter(|entry| matches(entry)).collect();
            let used = position.replies.entry(key.clone()).or_default();
            let found = matching.get(*used).or(matching.last()).map(|entry| (*entry).clone());
            *used += 1;
            found
        })
    }
}

//! Questions and answers on tape: what a compile asked of the outside is recorded, or answered from what was recorded.
//!
//! A tape is a folder of JSON files, made to be read and written by people, too:
//!
//! | file | what |
//! |---|---|
//! | `nodes/CERTNAME.json` | what the compile of this node asked, in order |
//! | `cases/CASE.json` | what this case of a test file asked; a replay without one takes the node's |
//! | `common.json` | what holds for all nodes; environment variables are recorded here |
//!
//! Both are hashes with any of these members; the node's file comes first:
//!
//! | member | question and answer |
//! |---|---|
//! | `time` | list of times (`2026-03-01T12:00:00Z`), one for each look at the clock; the last one stays |
//! | `random` | list of random numbers, as hexadecimal text; the last one stays |
//! | `env` | hash of environment variables; `null`: not set |
//! | `run` | list of `{argv, stdin, status, stdout, stderr}`: processes, of the classifier, `generate`, `config_version` … |
//! | `http` | list of `{url, login, post, status, body}`: pages; `post` is the document that was sent, if one was |
//! | `dns` | list of `{record, name, servers, answer}`: kinds such as `AAAA`, a list of records (`["10 mail.example.com"]`) |
//! | `puppetdb` | list of `{query, answer}` |
//!
//! Instead of an answer there can be an `error`: why there was none. Output that is no UTF-8 text is `{"base64": …}`. `{site}`
//! stands for the site's directory. A question that was asked several times has several entries; the last one stays. Files and
//! directories are no such questions: they are the site. A question that a replay has no answer for makes the node fail.

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::MutexGuard;
use std::sync::PoisonError;
use std::time::Duration;

use base64::Engine;
use serde::Deserialize;
use serde::Serialize;

use crate::diag::Code;
use crate::diag::Reason;
use crate::world::Command;
use crate::world::Entry;
use crate::world::Fetch;
use crate::world::Fetched;
use crate::world::Kind;
use crate::world::Output;
use crate::world::Refused;
use crate::world::World;
use crate::world::dns::Answer;
use crate::world::dns::Question;

/// What is done with a tape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Answers are written to this folder.
    Record(PathBuf),
    /// Answers come from this folder.
    Replay(PathBuf),
}

/// Text, or bytes that are none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum Bytes {
    Text(String),
    Raw { base64: String },
}

impl Default for Bytes {
    fn default() -> Bytes {
        Bytes::Text(String::new())
    }
}

impl Bytes {
    fn of(bytes: &[u8]) -> Bytes {
        match std::str::from_utf8(bytes) {
            Ok(text) => Bytes::Text(text.to_owned()),
            Err(_) => Bytes::Raw { base64: base64::engine::general_purpose::STANDARD.encode(bytes) },
        }
    }

    fn bytes(&self) -> Arc<[u8]> {
        match self {
            Bytes::Text(text) => Arc::from(text.as_bytes()),
            Bytes::Raw { base64 } => {
                Arc::from(base64::engine::general_purpose::STANDARD.decode(base64).unwrap_or_default())
            }
        }
    }
}

/// A process and what it gave.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Ran {
    argv: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    stdin: Option<String>,
    /// `null`: it was stopped, since it took too long. Left out: 0.
    #[serde(default = "success")]
    status: Option<i32>,
    #[serde(default)]
    stdout: Bytes,
    #[serde(default)]
    stderr: Bytes,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

#[allow(clippy::unnecessary_wraps, reason = "serde wants the field's type")]
fn success() -> Option<i32> {
    Some(0)
}

/// A page.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Page {
    url: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    login: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    post: Option<serde_json::Value>,
    #[serde(default = "ok")]
    status: u16,
    #[serde(default)]
    body: Bytes,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

fn ok() -> u16 {
    200
}

/// A question to the domain name system.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Named {
    record: String,
    name: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    servers: Vec<String>,
    #[serde(default)]
    answer: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// A question to PuppetDB.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Queried {
    query: serde_json::Value,
    #[serde(default)]
    answer: serde_json::Value,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// One file.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Deck {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    time: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    random: Vec<String>,
    #[serde(skip_serializing_if = "serde_json::Map::is_empty")]
    env: serde_json::Map<String, serde_json::Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    run: Vec<Ran>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    http: Vec<Page>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    dns: Vec<Named>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    puppetdb: Vec<Queried>,
}

/// How far a replay is in a file: how many answers to each question were given.
#[derive(Debug, Default)]
struct Place {
    time: usize,
    random: usize,
    given: std::collections::HashMap<String, usize>,
}

/// A folder of tapes.
#[derive(Debug)]
pub struct Tapes {
    folder: PathBuf,
    /// The site's directory.
    root: Option<String>,
    recording: bool,
    common: Mutex<Deck>,
}

/// The world of one node, recorded or replayed.
pub struct Tape {
    tapes: Arc<Tapes>,
    inner: Arc<dyn World>,
    path: PathBuf,
    own: Mutex<(Deck, Place)>,
    /// How far the common file is used.
    place: Mutex<Place>,
    missing: Mutex<Option<String>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn bad(path: &Path, why: &dyn std::fmt::Display) -> Reason {
    Reason::new(Code("BAD_TAPE"), format!("{}: {why}", path.display()))
}

fn read(path: &Path, world: &dyn World) -> Result<Option<Deck>, Reason> {
    match world.read(path) {
        Ok(bytes) => serde_json::from_slice(&bytes).map(Some).map_err(|error| bad(path, &error)),
        Err(Refused::Missing(_)) => Ok(None),
        Err(refused) => Err(bad(path, &refused)),
    }
}

fn write(path: &Path, deck: &Deck) -> Result<(), Reason> {
    let text = serde_json::to_string_pretty(deck).map_err(|error| bad(path, &error))?;
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|error| bad(folder, &error))?;
    }
    std::fs::write(path, text + "\n").map_err(|error| bad(path, &error))
}

impl Tapes {
    /// Opens a folder of tapes for a site.
    ///
    /// # Errors
    /// The folder to replay is not there; its common file is malformed.
    pub fn open(mode: &Mode, root: Option<&Path>, world: &dyn World) -> Result<Tapes, Reason> {
        let (folder, recording) = match mode {
            Mode::Record(folder) => (folder, true),
            Mode::Replay(folder) => (folder, false),
        };
        if !recording && world.kind(folder) != Kind::Directory {
            return Err(bad(folder, &"no such directory to replay"));
        }
        let common = read(&folder.join("common.json"), world)?.unwrap_or_default();
        let root = root.map(|root| root.to_string_lossy().into_owned());
        Ok(Tapes { folder: folder.clone(), root, recording, common: Mutex::new(common) })
    }

    fn portable(&self, text: &str) -> String {
        match &self.root {
            Some(root) => text.replace(root.as_str(), "{site}"),
            None => text.to_owned(),
        }
    }

    fn local(&self, text: &str) -> String {
        text.replace("{site}", self.root.as_deref().unwrap_or("{site}"))
    }

    fn localized(&self, bytes: &Bytes) -> Arc<[u8]> {
        match bytes {
            Bytes::Text(text) if text.contains("{site}") => Arc::from(self.local(text).into_bytes()),
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
        let path = Tape::of_node(tapes, certname);
        let deck = if tapes.recording { None } else { read(&path, inner.as_ref())? };
        Ok(Tape::new(tapes, path, deck, inner))
    }

    /// The tape of a case of tests. A replay without one takes that of the node.
    ///
    /// # Errors
    /// Its file is malformed.
    pub fn open_case(tapes: &Arc<Tapes>, case: &str, certname: &str, inner: Arc<dyn World>) -> Result<Tape, Reason> {
        // Names of cases are names of files that are safe everywhere, with at most one folder.
        let path = tapes.folder.join("cases").join(format!("{case}.json"));
        let deck = match tapes.recording {
            true => None,
            false => match read(&path, inner.as_ref())? {
                None => read(&Tape::of_node(tapes, certname), inner.as_ref())?,
                own => own,
            },
        };
        Ok(Tape::new(tapes, path, deck, inner))
    }

    fn of_node(tapes: &Tapes, certname: &str) -> PathBuf {
        tapes.folder.join("nodes").join(format!("{}.json", certname.replace('/', "_")))
    }

    fn new(tapes: &Arc<Tapes>, path: PathBuf, deck: Option<Deck>, inner: Arc<dyn World>) -> Tape {
        Tape {
            tapes: tapes.clone(),
            inner,
            path,
            own: Mutex::new((deck.unwrap_or_default(), Place::default())),
            place: Mutex::default(),
            missing: Mutex::default(),
        }
    }

    /// Ends the compile: what was recorded is written.
    ///
    /// # Errors
    /// It cannot be written; the replay had no answer to a question.
    pub fn close(&self) -> Result<(), Reason> {
        if self.tapes.recording {
            let common = lock(&self.tapes.common);
            if !common.env.is_empty() {
                write(&self.tapes.folder.join("common.json"), &common)?;
            }
            return write(&self.path, &lock(&self.own).0);
        }
        match lock(&self.missing).take() {
            None => Ok(()),
            Some(text) => {
                let help =
                    format!("add the answer to {} or to common.json beside it, or record again", self.path.display());
                Err(Reason::new(Code("NO_RECORDED_ANSWER"), text).help(help))
            }
        }
    }

    /// Notes a question without an answer; the first one is told.
    fn unanswered(&self, member: &str, question: &serde_json::Value) -> Refused {
        let text = format!("no recorded answer to the question \"{member}\": {question}");
        lock(&self.missing).get_or_insert_with(|| text.clone());
        Refused::NoAnswer(Arc::from(text))
    }

    fn record(&self, add: impl FnOnce(&mut Deck)) {
        add(&mut lock(&self.own).0);
    }

    /// The next answer in the node's file, else in the common one.
    fn next<T: Clone>(&self, pick: impl Fn(&Deck, &mut Place) -> Option<T>) -> Option<T> {
        let mut own = lock(&self.own);
        let (deck, place) = &mut *own;
        pick(deck, place).or_else(|| pick(&lock(&self.tapes.common), &mut lock(&self.place)))
    }

    /// The next of the entries that fit; the last one stays.
    fn entry<T: Clone>(
        &self,
        question: &serde_json::Value,
        list: impl Fn(&Deck) -> &[T],
        fits: impl Fn(&T) -> bool,
    ) -> Option<T> {
        let key = question.to_string();
        self.next(|deck, place| {
            let fitting: Vec<&T> = list(deck).iter().filter(|entry| fits(entry)).collect();
            let given = place.given.entry(key.clone()).or_default();
            let found = fitting.get(*given).or(fitting.last()).map(|entry| (*entry).clone());
            *given += 1;
            found
        })
    }
}

fn nth<'a>(list: &'a [String], at: &mut usize) -> Option<&'a String> {
    let found = list.get(*at).or(list.last());
    *at += 1;
    found
}

fn timestamp(time: Duration) -> Option<String> {
    let stamp = jiff::Timestamp::from_duration(jiff::SignedDuration::try_from(time).ok()?).ok()?;
    Some(stamp.to_string())
}

impl World for Tape {
    fn read(&self, path: &Path) -> Result<Arc<[u8]>, Refused> {
        self.inner.read(path)
    }

    fn list(&self, path: &Path) -> Result<Arc<[Entry]>, Refused> {
        self.inner.list(path)
    }

    fn kind(&self, path: &Path) -> Kind {
        self.inner.kind(path)
    }

    fn env(&self, name: &str) -> Option<Arc<str>> {
        if self.tapes.recording {
            let answer = self.inner.env(name);
            let value = answer.as_deref().map_or(serde_json::Value::Null, |text| self.tapes.portable(text).into());
            lock(&self.tapes.common).env.insert(name.to_owned(), value);
            return answer;
        }
        match self.next(|deck, _| deck.env.get(name).cloned()) {
            Some(serde_json::Value::String(text)) => Some(Arc::from(self.tapes.local(&text))),
            Some(_) => None,
            None => {
                self.unanswered("env", &serde_json::json!({ name: "VALUE, or null" }));
                None
            }
        }
    }

    /// A replay has those variables that somebody asked for.
    fn env_names(&self) -> Vec<Arc<str>> {
        if self.tapes.recording {
            return self.inner.env_names();
        }
        let set = |deck: &Deck| -> Vec<Arc<str>> {
            deck.env.iter().filter(|(_, value)| value.is_string()).map(|(name, _)| Arc::from(&**name)).collect()
        };
        let mut names = set(&lock(&self.own).0);
        names.extend(set(&lock(&self.tapes.common)));
        names.sort_unstable();
        names.dedup();
        names
    }

    fn run(&self, command: &Command) -> Result<Output, Refused> {
        let argv: Vec<String> = command.argv.iter().map(|word| self.tapes.portable(word)).collect();
        let stdin = command.stdin.as_deref().map(|text| self.tapes.portable(text));
        if self.tapes.recording {
            let answer = self.inner.run(command);
            let mut ran = Ran { argv, stdin, ..Ran::default() };
            match &answer {
                Ok(output) => {
                    ran.status = output.status;
                    (ran.stdout, ran.stderr) = (Bytes::of(&output.stdout), Bytes::of(&output.stderr));
                }
                Err(Refused::Unreadable(_, why)) => ran.error = Some(why.to_string()),
                Err(refused) => ran.error = Some(refused.to_string()),
            }
            self.record(|deck| deck.run.push(ran));
            return answer;
        }
        let question = match &stdin {
            Some(stdin) => serde_json::json!({ "argv": argv, "stdin": stdin }),
            None => serde_json::json!({ "argv": argv }),
        };
        match self.entry(&question, |deck| &deck.run, |ran| ran.argv == argv && ran.stdin == stdin) {
            None => Err(self.unanswered("run", &question)),
            Some(Ran { error: Some(why), .. }) => {
                let program = command.argv.first().map_or("", String::as_str);
                Err(Refused::Unreadable(PathBuf::from(program), Arc::from(why)))
            }
            Some(ran) => Ok(Output {
                status: ran.status,
                stdout: self.tapes.localized(&ran.stdout),
                stderr: self.tapes.localized(&ran.stderr),
            }),
        }
    }

    fn now(&self) -> Duration {
        if self.tapes.recording {
            let now = self.inner.now();
            self.record(|deck| deck.time.extend(timestamp(now)));
            return now;
        }
        let Some(text) = self.next(|deck, place| nth(&deck.time, &mut place.time).cloned()) else {
            self.unanswered("time", &serde_json::json!(["2026-03-01T12:00:00Z"]));
            return Duration::ZERO;
        };
        let time = text.parse::<jiff::Timestamp>().ok();
        time.and_then(|time| Duration::try_from(time.as_duration()).ok()).unwrap_or_else(|| {
            self.unanswered("time", &serde_json::json!(format!("{text} is no time like 2026-03-01T12:00:00Z")));
            Duration::ZERO
        })
    }

    fn random(&self) -> u128 {
        if self.tapes.recording {
            let random = self.inner.random();
            self.record(|deck| deck.random.push(format!("{random:032x}")));
            return random;
        }
        let Some(text) = self.next(|deck, place| nth(&deck.random, &mut place.random).cloned()) else {
            self.unanswered("random", &serde_json::json!(["0123456789abcdef"]));
            return 0;
        };
        u128::from_str_radix(&text, 16).unwrap_or_else(|_| {
            self.unanswered("random", &serde_json::json!(format!("{text} is no hexadecimal number")));
            0
        })
    }

    fn fetch(&self, asked: &Fetch) -> Result<Fetched, Refused> {
        let login = asked.login.as_ref().map(|(name, _)| name.clone());
        let post = asked.post.as_ref().map(|text| serde_json::from_str(text).unwrap_or_else(|_| text.as_str().into()));
        if self.tapes.recording {
            let answer = self.inner.fetch(asked);
            let mut page = Page { url: asked.url.clone(), login, post, ..Page::default() };
            match &answer {
                Ok(fetched) => (page.status, page.body) = (fetched.status, Bytes::of(&fetched.body)),
                Err(Refused::Unreachable(_, why)) => page.error = Some(why.to_string()),
                Err(refused) => page.error = Some(refused.to_string()),
            }
            self.record(|deck| deck.http.push(page));
            return answer;
        }
        let mut question = serde_json::json!({ "url": asked.url });
        if let (Some(post), Some(members)) = (&post, question.as_object_mut()) {
            members.insert("post".to_owned(), post.clone());
        }
        match self.entry(&question, |deck| &deck.http, |page| page.url == asked.url && page.post == post) {
            None => Err(self.unanswered("http", &question)),
            Some(Page { error: Some(why), .. }) => {
                Err(Refused::Unreachable(Arc::from(asked.url.as_str()), Arc::from(why)))
            }
            Some(page) => Ok(Fetched { status: page.status, body: page.body.bytes() }),
        }
    }

    fn resolve(&self, asked: &Question) -> Result<Answer, Refused> {
        let record = asked.record.to_string();
        if self.tapes.recording {
            let answer = self.inner.resolve(asked);
            let mut named =
                Named { record, name: asked.name.clone(), servers: asked.servers.clone(), ..Named::default() };
            match &answer {
                Ok(found) => named.answer = found.iter().map(ToString::to_string).collect(),
                Err(refused) => named.error = Some(refused.to_string()),
            }
            self.record(|deck| deck.dns.push(named));
            return answer;
        }
        let question = serde_json::json!({ "record": record, "name": asked.name });
        let fits = |named: &Named| named.record == record && named.name == asked.name && named.servers == asked.servers;
        match self.entry(&question, |deck| &deck.dns, fits) {
            None => Err(self.unanswered("dns", &question)),
            Some(Named { error: Some(why), .. }) => Err(Refused::NotAllowed(Arc::from(why))),
            Some(named) => Ok(named.answer.into_iter().map(Arc::from).collect()),
        }
    }

    fn puppetdb(&self, query: &serde_json::Value) -> Result<serde_json::Value, Refused> {
        if self.tapes.recording {
            let answer = self.inner.puppetdb(query);
            let mut queried = Queried { query: query.clone(), ..Queried::default() };
            match &answer {
                Ok(value) => queried.answer = value.clone(),
                Err(Refused::Unreachable(_, why)) => queried.error = Some(why.to_string()),
                Err(refused) => queried.error = Some(refused.to_string()),
            }
            self.record(|deck| deck.puppetdb.push(queried));
            return answer;
        }
        let question = serde_json::json!({ "query": query });
        match self.entry(&question, |deck| &deck.puppetdb, |queried| queried.query == *query) {
            None => Err(self.unanswered("puppetdb", &question)),
            Some(Queried { error: Some(why), .. }) => Err(Refused::Unreachable(Arc::from("PuppetDB"), Arc::from(why))),
            Some(queried) => Ok(queried.answer),
        }
    }

    fn memory(&self) -> Option<u64> {
        self.inner.memory()
    }

    fn generation(&self) -> Option<u64> {
        self.inner.generation()
    }
}

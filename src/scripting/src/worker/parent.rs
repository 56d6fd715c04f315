//! The compile's side: starts workers, makes them enter scripts, answers the scripts' calls.
//!
//! In: a script's entry and arguments, the running compile. Out: a value or a failure. Must not: trust a worker: its calls are
//! checked here.

mod answers;
mod workers;

use std::cell::Cell;
use std::cell::RefCell;
use std::path::Path;
use std::time::Duration;
use std::time::Instant;

use rustc_hash::FxHashMap;

use super::codec::Reader;
use super::codec::RetainedValues;
use super::codec::Writer;
use super::from_worker;
use super::schema::EnvironmentDocument;
use crate::cache::Script;
use crate::host;
use crate::host::ImportContext;
use crate::limits;
use crate::limits::TIMED_OUT;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::secrets::SecretCollection;
use catwalk_base::source::FileId;
use catwalk_base::source::Span;
use catwalk_eval::Stop;
use catwalk_value::ObjectType;
use catwalk_value::Value;
use catwalk_world::worker::ReceiveError;
use workers::ArcByAddress;
use workers::SentEnvironment;
use workers::Slot;
pub(super) use workers::Subject;
pub(super) use workers::WeakByAddress;
pub(crate) use workers::Workers;

/// How much longer than the script itself its worker may take to end it in good order.
const GRACE: Duration = Duration::from_millis(1500);

/// The maximum number of bytes of secrets that a worker may report in one entry.
const MAX_SECRETS: usize = 96 << 20;

/// Why a script in a worker has no result.
pub(crate) enum WorkerFailure {
    /// The script failed; with the compile's own failure, if that was the cause.
    Failed(Box<Diagnostic>, Option<Stop>),
    /// The value of the script cannot be sent.
    NoValue(String),
}

impl WorkerFailure {
    /// The failure.
    pub(crate) fn diagnostic(self) -> Box<Diagnostic> {
        match self {
            WorkerFailure::Failed(diagnostic, _) => diagnostic,
            WorkerFailure::NoValue(why) => Box::from(Reason::runtime(why)),
        }
    }
}

/// One entry into a script.
pub(crate) struct Conversation<'a> {
    slot: RefCell<Slot>,
    deadline: Instant,
    limit: Duration,
    script: &'a Script,
    loading: &'a ImportContext<'a>,
    receive_error: Cell<Option<ReceiveError>>,
    failures: RefCell<Vec<Option<Stop>>>,
    /// Bytes of secrets that the worker may still report.
    secrets_left: Cell<usize>,
    values: RefCell<Vec<Value>>,
    numbers: RefCell<FxHashMap<Value, usize>>,
}

impl RetainedValues for Conversation<'_> {
    fn retain(&self, value: &Value) -> Option<u64> {
        let mut values = self.values.borrow_mut();
        // Scripts can compare values, so equal values share a number; but each context has its own.
        let is_context = matches!(value, Value::Object(object) if object.object_type == ObjectType::lookup_context());
        if is_context {
            values.push(value.clone());
            return Some(values.len() as u64 - 1);
        }
        let mut numbers = self.numbers.borrow_mut();
        let at = *numbers.entry(value.clone()).or_insert_with(|| {
            values.push(value.clone());
            values.len() - 1
        });
        Some(at as u64)
    }

    fn retained_value(&self, number: u64) -> Option<Value> {
        self.values.borrow().get(usize::try_from(number).ok()?).cloned()
    }

    fn secrets(&self) -> &SecretCollection {
        self.loading.world.secrets()
    }
}

impl<'a> Conversation<'a> {
    /// Runs an entry with a worker.
    pub(super) fn run<T>(
        script: &'a Script,
        loading: &'a ImportContext<'a>,
        limit: Duration,
        subject: &Subject,
        converse: impl FnOnce(&Conversation<'a>) -> Result<T, WorkerFailure>,
    ) -> Result<T, WorkerFailure> {
        let Some(workers) = loading.scripts.workers.as_ref() else {
            return Err(WorkerFailure::NoValue("there are no workers".to_owned()));
        };
        // A nested entry ends no later than the one around it, as in the compile's own process.
        let limit = limits::time_left().map_or(limit, |left| left.min(limit));
        // The list of modules is sent to the worker.
        loading.environment.queries.record_all();
        let mut slot = workers.take(subject).map_err(|why| {
            let reason = Reason::new(Code::SCRIPT_FAILED, format!("cannot start a process for scripts: {why}"));
            WorkerFailure::Failed(Box::new(Diagnostic::new(reason, Some(file_start(script)))), None)
        })?;
        let values = if slot.subject == *subject { slot.values.clone() } else { Vec::new() };
        if slot.subject != *subject {
            (slot.subject, slot.values) = (Subject::None, Vec::new());
        }
        let conversation = Conversation {
            slot: RefCell::new(slot),
            deadline: Instant::now() + limit + GRACE,
            limit,
            script,
            loading,
            receive_error: Cell::new(None),
            failures: RefCell::default(),
            secrets_left: Cell::new(MAX_SECRETS),
            numbers: RefCell::new(values.iter().cloned().zip(0..).collect()),
            values: RefCell::new(values),
        };
        let result = converse(&conversation);
        // A script that catches the refusal of an attempt fails nevertheless.
        let result = match (result, limits::take_refusal()) {
            (Err(WorkerFailure::Failed(failed, stop)), Some(text)) => {
                let mut refused = Diagnostic::new(Reason::untrusted(text.to_string()), failed.span);
                refused.trace = failed.trace;
                Err(WorkerFailure::Failed(Box::new(refused), stop))
            }
            (_, Some(text)) => {
                let reason = Reason::untrusted(text.to_string());
                Err(WorkerFailure::Failed(Box::new(Diagnostic::new(reason, Some(file_start(script)))), None))
            }
            (result, _) => result,
        };
        if conversation.receive_error.get().is_none() {
            workers.give_back(conversation.slot.into_inner());
        }
        result
    }

    /// Sends the subject of the request, unless the worker has it.
    pub(super) fn send_subject(&self, subject: &Subject, writer: &mut Writer, write: impl FnOnce(&mut Writer)) {
        if self.slot.borrow().subject == *subject {
            writer.byte(0);
            return;
        }
        write(writer.byte(1));
        let mut slot = self.slot.borrow_mut();
        (slot.subject, slot.values) = (subject.clone(), self.values.borrow().clone());
    }

    /// The start of a frame: the script, its time limit, and the environment unless the worker has it.
    pub(super) fn start_request(&self, tag: u8) -> Writer {
        let mut writer = Writer::new(tag);
        let environment = self.loading.environment;
        writer.string(&self.script.path.to_string_lossy());
        writer.number(u64::try_from(self.limit.as_millis()).unwrap_or(u64::MAX));
        let sent = SentEnvironment {
            name: environment.name.clone(),
            root: environment.root.clone(),
            modulepath: environment.modulepath.clone(),
            modules: ArcByAddress(environment.modules.clone()),
        };
        let mut slot = self.slot.borrow_mut();
        if slot.environment.as_ref() == Some(&sent) {
            writer.byte(0);
            return writer;
        }
        let modules = environment.modules.values();
        writer.byte(1).document(&EnvironmentDocument {
            name: &environment.name,
            root: environment.root.as_ref().map(|root| root.to_string_lossy()),
            modulepath: environment.modulepath.iter().map(|path| path.to_string_lossy()).collect(),
            modules: modules.map(|module| (&*module.name, module.root.to_string_lossy())).collect(),
        });
        slot.environment = Some(sent);
        writer
    }

    pub(super) fn send(&self, writer: &Writer) {
        self.slot.borrow_mut().worker.send(&writer.0, self.deadline);
    }

    /// Answers calls until another message arrives.
    pub(super) fn answer_calls(&self) -> Result<Vec<u8>, WorkerFailure> {
        loop {
            let received = self.slot.borrow_mut().worker.receive(self.deadline);
            let frame = match received {
                Ok(frame) => frame,
                Err(error) => {
                    // Later reasons are consequences of the first.
                    let error = self.receive_error.get().unwrap_or(error);
                    self.receive_error.set(Some(error));
                    return Err(self.receive_failure(error));
                }
            };
            let tag = frame.first().copied().unwrap_or_default();
            if !(from_worker::READ..=from_worker::SECRETS).contains(&tag) {
                return Ok(frame);
            }
            let answer = self.answer_call(&frame).ok_or_else(|| self.invalid_response())?;
            if !matches!(tag, from_worker::LOG | from_worker::SECRETS) {
                self.send(&answer);
            }
        }
    }

    /// Whether a script may read a path: its own file, those of the site and modules, the data file of its call.
    pub(super) fn may_read(&self, path: &Path) -> bool {
        path == self.script.path || host::is_readable(self.loading, path)
    }

    /// A failure that the worker reports.
    pub(super) fn read_failure(&self, frame: &[u8]) -> WorkerFailure {
        let mut reader = Reader::new(frame);
        let (Some(from_worker::FAILURE), Some(number)) = (reader.byte(), reader.number()) else {
            return self.invalid_response();
        };
        let Some(diagnostic) = reader.diagnostic(&|path| self.find_source(path)) else {
            return self.invalid_response();
        };
        let stop = usize::try_from(number).ok();
        let stop = stop.and_then(|number| self.failures.borrow_mut().get_mut(number).and_then(Option::take));
        WorkerFailure::Failed(diagnostic, stop)
    }

    /// The source of a script that the worker names.
    pub(super) fn find_source(&self, path: &str) -> Option<FileId> {
        let scripts = self.loading.scripts;
        let load = || Some(scripts.load(Path::new(path), self.loading.environment, self.loading.world).ok()?.file);
        scripts.sources.find(path).or_else(|| if self.may_read(Path::new(path)) { load() } else { None })
    }

    fn receive_failure(&self, error: ReceiveError) -> WorkerFailure {
        let reason = match error {
            ReceiveError::TimeOver | ReceiveError::ProcessorTimeOver => {
                Reason::new(Code::SCRIPT_LIMIT, TIMED_OUT).help("its process was ended")
            }
            ReceiveError::Ended => Reason::new(Code::SCRIPT_LIMIT, "the script takes too much memory")
                .help("its process ended; does it build a value in a loop?"),
        };
        WorkerFailure::Failed(Box::new(Diagnostic::new(reason, Some(file_start(self.script)))), None)
    }

    /// A worker that sends an unexpected message is not used again.
    pub(super) fn invalid_response(&self) -> WorkerFailure {
        self.receive_error.set(Some(ReceiveError::Ended));
        let reason = Reason::new(Code::SCRIPT_FAILED, "the script's process sent a response that cannot be read");
        WorkerFailure::Failed(Box::new(Diagnostic::new(reason, Some(file_start(self.script)))), None)
    }
}

fn file_start(script: &Script) -> Span {
    Span::new(script.file, 0, 0)
}

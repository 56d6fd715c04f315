//! The compile's side: starts workers, makes them enter scripts, answers the scripts' calls.
//!
//! In: a script's entry and arguments, the running compile. Out: a value or a failure. Must not: trust a worker: its calls are
//! checked here.

mod workers;

use std::cell::Cell;
use std::cell::RefCell;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::PoisonError;
use std::time::Duration;
use std::time::Instant;

use rustc_hash::FxHashMap;

use super::allowed;
use super::codec::Reader;
use super::codec::RetainedValues;
use super::codec::Writer;
use super::from_worker;
use super::remote::digest;
use super::to_worker;
use crate::cache::Script;
use crate::function::host_failure;
use crate::host;
use crate::host::Closure;
use crate::host::HostFailure;
use crate::host::ImportContext;
use crate::limits;
use crate::limits::TIMED_OUT;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::FORBIDDEN;
use catwalk_base::diag::Reason;
use catwalk_base::secrets;
use catwalk_base::source::FileId;
use catwalk_base::source::Span;
use catwalk_eval::Stop;
use catwalk_eval::is_not_found;
use catwalk_value::types::ObjectType;
use catwalk_value::value::Value;
use catwalk_world::Kind;
use catwalk_world::WorldError;
use catwalk_world::worker::ReceiveError;
use catwalk_world::worker::restricted;
use workers::KnownEnvironment;
use workers::SameArc;
pub(super) use workers::SameWeak;
use workers::Slot;
pub(super) use workers::Subject;
pub(crate) use workers::Workers;

/// How much longer than the script itself its worker may take to end it in good order.
const GRACE: Duration = Duration::from_millis(1500);

/// The maximum number of bytes of secrets that a worker may report in one entry.
const MAX_SECRETS: usize = 96 << 20;

/// The maximum number of parameters of a script's block; the compile describes each of them.
const MAX_ARITY: usize = 255;

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
            WorkerFailure::NoValue(why) => Box::new(Diagnostic::new(Reason::runtime(why), None)),
        }
    }
}

/// One entry into a script.
pub(crate) struct Conversation<'a> {
    slot: RefCell<Slot>,
    until: Instant,
    limit: Duration,
    script: &'a Script,
    loading: &'a ImportContext<'a>,
    silence: Cell<Option<ReceiveError>>,
    failures: RefCell<Vec<Option<Stop>>>,
    /// Bytes of secrets that the worker may still report.
    secrets_left: Cell<usize>,
    values: RefCell<Vec<Value>>,
    numbers: RefCell<FxHashMap<Value, usize>>,
}

impl RetainedValues for Conversation<'_> {
    fn keep(&self, value: &Value) -> Option<u64> {
        let mut values = self.values.borrow_mut();
        // Scripts can compare values, so equal values share a number; but each context has its own.
        let is_context = matches!(value, Value::Object(own) if own.object_type == ObjectType::lookup_context());
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

    fn retained(&self, number: u64) -> Option<Value> {
        self.values.borrow().get(usize::try_from(number).ok()?).cloned()
    }
}

impl<'a> Conversation<'a> {
    /// Runs an entry with a worker.
    pub(super) fn with<T>(
        script: &'a Script,
        loading: &'a ImportContext<'a>,
        limit: Duration,
        subject: &Subject,
        run: impl FnOnce(&Conversation<'a>) -> Result<T, WorkerFailure>,
    ) -> Result<T, WorkerFailure> {
        let Some(workers) = loading.scripts.workers.as_ref() else {
            return Err(WorkerFailure::NoValue("there are no workers".to_owned()));
        };
        // A nested entry ends no later than the one around it, as in the compile's own process.
        let limit = limits::left().map_or(limit, |left| left.min(limit));
        // The list of modules is sent to the worker.
        loading.environment.queries.all();
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
            until: Instant::now() + limit + GRACE,
            limit,
            script,
            loading,
            silence: Cell::new(None),
            failures: RefCell::default(),
            secrets_left: Cell::new(MAX_SECRETS),
            numbers: RefCell::new(values.iter().cloned().zip(0..).collect()),
            values: RefCell::new(values),
        };
        let result = run(&conversation);
        // A script that catches the refusal of an attempt fails nevertheless.
        let result = match (result, limits::attempted()) {
            (Err(WorkerFailure::Failed(failed, stop)), Some(text)) if failed.message.contains(&*text) => {
                Err(WorkerFailure::Failed(failed, stop))
            }
            (_, Some(text)) => {
                let reason = Reason::new(Code::SCRIPT_FAILED, text.to_string());
                Err(WorkerFailure::Failed(Box::new(Diagnostic::new(reason, Some(file_start(script)))), None))
            }
            (result, _) => result,
        };
        if conversation.silence.get().is_none() {
            workers.put(conversation.slot.into_inner());
        }
        result
    }

    /// Sends the subject of the request, unless the worker has it.
    pub(super) fn about(&self, subject: &Subject, writer: &mut Writer, tell: impl FnOnce(&mut Writer)) {
        if self.slot.borrow().subject == *subject {
            writer.byte(0);
            return;
        }
        tell(writer.byte(1));
        let mut slot = self.slot.borrow_mut();
        (slot.subject, slot.values) = (subject.clone(), self.values.borrow().clone());
    }

    /// The start of a frame: the script, its time limit, and the environment unless the worker has it.
    pub(super) fn begin(&self, tag: u8) -> Writer {
        let mut writer = Writer::new(tag);
        let environment = self.loading.environment;
        writer.text(&self.script.path.to_string_lossy());
        writer.number(u64::try_from(self.limit.as_millis()).unwrap_or(u64::MAX));
        let told = KnownEnvironment {
            name: environment.name.clone(),
            root: environment.root.clone(),
            modulepath: environment.modulepath.clone(),
            modules: SameArc(environment.modules.clone()),
        };
        let mut slot = self.slot.borrow_mut();
        if slot.environment.as_ref() == Some(&told) {
            writer.byte(0);
            return writer;
        }
        let root = environment.root.as_ref().map(|root| root.to_string_lossy().into_owned());
        writer.byte(1).text(&environment.name).optional(root.as_deref());
        writer.number(environment.modulepath.len() as u64);
        for path in &environment.modulepath {
            writer.text(&path.to_string_lossy());
        }
        writer.number(environment.modules.len() as u64);
        for module in environment.modules.values() {
            writer.text(&module.name).text(&module.root.to_string_lossy());
        }
        slot.environment = Some(told);
        writer
    }

    pub(super) fn send(&self, writer: &Writer) {
        self.slot.borrow_mut().worker.send(&writer.0, self.until);
    }

    /// Answers calls until another message arrives.
    pub(super) fn talk(&self) -> Result<Vec<u8>, WorkerFailure> {
        loop {
            let received = self.slot.borrow_mut().worker.receive(self.until);
            let frame = match received {
                Ok(frame) => frame,
                Err(silence) => {
                    // Later reasons are consequences of the first.
                    let silence = self.silence.get().unwrap_or(silence);
                    self.silence.set(Some(silence));
                    return Err(self.silent(silence));
                }
            };
            let tag = frame.first().copied().unwrap_or_default();
            if !(from_worker::READ..=from_worker::SECRETS).contains(&tag) {
                return Ok(frame);
            }
            let answer = self.answer(&frame).ok_or_else(|| self.wrong())?;
            if !matches!(tag, from_worker::LOG | from_worker::SECRETS) {
                self.send(&answer);
            }
        }
    }

    /// Answers a call of the worker, with the rights of a script; `None`: the frame is not a call.
    fn answer(&self, frame: &[u8]) -> Option<Writer> {
        let _ = restricted::take_refusal();
        restricted::for_script(|| self.answer_question(frame))
    }

    fn answer_question(&self, frame: &[u8]) -> Option<Writer> {
        let mut reader = Reader::new(frame);
        let mut answer = Writer::new(to_worker::ANSWER);
        match reader.byte()? {
            from_worker::READ => {
                let path = PathBuf::from(reader.text()?);
                let known = if reader.byte()? == 1 { Some(reader.number()?) } else { None };
                match self.read(&path) {
                    Ok(bytes) if known == Some(digest(&bytes)) => answer.byte(2),
                    Ok(bytes) => answer.byte(3).bytes(&bytes),
                    Err(WorldError::Unreadable(_, why)) => answer.byte(1).text(&why),
                    Err(_) => answer.byte(0),
                };
            }
            from_worker::KIND => {
                let path = PathBuf::from(reader.text()?);
                let kind = if self.may_read(&path) { self.loading.world.kind(&path) } else { Kind::Missing };
                answer.byte(match kind {
                    Kind::Missing => 0,
                    Kind::File => 1,
                    Kind::Directory => 2,
                });
            }
            from_worker::SECRETS => {
                self.secrets_left.set(self.secrets_left.get().checked_sub(frame.len())?);
                for _ in 0..reader.number()? {
                    secrets::report(reader.text()?);
                }
            }
            _ if !host::HOST.is_set() => return None,
            from_worker::FUNCTION => {
                let (name, args) = (reader.text()?, reader.values(self)?);
                let closure = self.closure(&mut reader)?;
                if let Err(reason) = allowed::check(name) {
                    return Some(self.result(Err(host_failure(reason.into()))));
                }
                let result = self
                    .with_closure(closure, |closure| host::HOST.with(|host| host.call_function(name, &args, closure)));
                return Some(self.result(result));
            }
            from_worker::BLOCK => {
                let block = usize::try_from(reader.number()?).ok()?;
                let args = reader.values(self)?;
                return Some(self.result(host::HOST.with(|host| host.call_block(block, &args))));
            }
            from_worker::CONTEXT => {
                let (context, name, args) = (reader.value(self)?, reader.text()?, reader.values(self)?);
                let closure = self.closure(&mut reader)?;
                let result = self.with_closure(closure, |closure| {
                    host::HOST.with(|host| host.call_context(&context, name, &args, closure))
                });
                return Some(self.result(result));
            }
            from_worker::BACKEND => {
                let (name, args) = (reader.text()?, reader.values(self)?);
                if let Err(reason) = allowed::check(name) {
                    return Some(self.result(Err(host_failure(reason.into()))));
                }
                match host::HOST.with(|host| host.call_backend(name, &args)) {
                    Ok(None) => drop(answer.byte(0)),
                    Ok(Some(value)) => drop(answer.byte(1).value(&value, self)),
                    Err(failure) => return Some(self.result(Err(failure))),
                }
            }
            from_worker::TYPE => {
                let text = reader.text()?;
                let found = host::HOST.with(|host| host.parse_type(text));
                return Some(self.result(found));
            }
            from_worker::IS_A => {
                let (value, data_type) = (reader.value(self)?, reader.value(self)?);
                let is = host::HOST.with(|host| host.is_a(&value, &data_type));
                return Some(self.result(is.map(Value::Bool)));
            }
            from_worker::TYPE_OF => {
                let value = reader.value(self)?;
                return Some(self.result(host::HOST.with(|host| host.type_of(&value))));
            }
            from_worker::FACTS => {
                let facts = host::HOST.with(|host| host.facts());
                answer.hash(&facts, self);
            }
            from_worker::LOG => {
                let (level, text) = (reader.text()?, reader.text()?);
                host::HOST.with(|host| host.log(level, text));
            }
            _ => return None,
        }
        Some(answer)
    }

    fn result(&self, result: Result<Value, HostFailure>) -> Writer {
        match result {
            Ok(value) => {
                let mut answer = Writer::new(to_worker::ANSWER);
                answer.value(&value, self);
                answer
            }
            Err(HostFailure(stop, text)) => {
                let mut stop = stop.lock().unwrap_or_else(PoisonError::into_inner).take();
                let help = match &mut stop {
                    Some(Stop::Reason(reason)) => Some(&mut reason.help),
                    Some(Stop::Failed(diagnostic)) => Some(&mut diagnostic.help),
                    _ => None,
                };
                if let (Some(help), Some(refusal)) = (help, restricted::take_refusal()) {
                    help.get_or_insert(refusal.into());
                }
                let not_found = stop.as_ref().is_some_and(is_not_found);
                let mut failures = self.failures.borrow_mut();
                failures.push(stop);
                let mut answer = Writer::new(to_worker::FAILED);
                answer.number(failures.len() as u64 - 1).byte(u8::from(not_found)).text(&text);
                answer
            }
        }
    }

    /// Reads whether the script passed a block, and how many arguments it takes. `None` if the frame is damaged.
    #[allow(clippy::option_option, reason = "outer: the frame is whole")]
    fn closure(&self, reader: &mut Reader<'_>) -> Option<Option<Option<usize>>> {
        match reader.byte()? {
            0 => Some(None),
            _ => {
                let arity = reader.number()?;
                if arity == u64::MAX {
                    return Some(Some(None));
                }
                usize::try_from(arity).ok().filter(|arity| *arity <= MAX_ARITY).map(|arity| Some(Some(arity)))
            }
        }
    }

    #[allow(clippy::option_option, reason = "as it comes")]
    fn with_closure<T>(&self, closure: Option<Option<usize>>, run: impl FnOnce(Option<Closure<'_>>) -> T) -> T {
        let mut call = |args: &[Value]| -> Result<Value, String> {
            let mut writer = Writer::new(to_worker::CLOSURE);
            writer.values(args, self);
            self.send(&writer);
            let frame = match self.talk() {
                Ok(frame) => frame,
                Err(WorkerFailure::Failed(diagnostic, _)) => return Err(diagnostic.message.to_string()),
                Err(WorkerFailure::NoValue(why)) => return Err(why),
            };
            let mut reader = Reader::new(&frame);
            let wrong = || "the script's block returned nothing".to_owned();
            match reader.byte() {
                Some(from_worker::CLOSURE_VALUE) => reader.value(self).ok_or_else(wrong),
                Some(from_worker::CLOSURE_FAILED) => Err(reader.text().unwrap_or_default().to_owned()),
                _ => Err(wrong()),
            }
        };
        match closure {
            None => run(None),
            Some(arity) => run(Some((&mut call, arity))),
        }
    }

    pub(super) fn may_read(&self, path: &Path) -> bool {
        path == self.script.path || host::readable_for(self.loading, path)
    }

    fn read(&self, path: &Path) -> Result<Arc<[u8]>, WorldError> {
        let missing = || WorldError::Missing(path.to_path_buf());
        if !self.may_read(path) {
            return Err(missing());
        }
        let ImportContext { scripts, environment, world, .. } = self.loading;
        scripts.read(path, environment, *world).map_err(|why| {
            // A forbidden file is missing for untrusted code, but the reported error is the attempt.
            match !why.contains(FORBIDDEN) && world.kind(path) == Kind::Missing {
                true => missing(),
                false => WorldError::Unreadable(path.to_path_buf(), Arc::from(why)),
            }
        })
    }

    /// A failure that the worker reports.
    pub(super) fn failed(&self, frame: &[u8]) -> WorkerFailure {
        let mut reader = Reader::new(frame);
        let (Some(from_worker::FAILURE), Some(number)) = (reader.byte(), reader.number()) else { return self.wrong() };
        let Some(diagnostic) = reader.diagnostic(&|path| self.file(path)) else { return self.wrong() };
        let stop = usize::try_from(number).ok();
        let stop = stop.and_then(|number| self.failures.borrow_mut().get_mut(number).and_then(Option::take));
        WorkerFailure::Failed(diagnostic, stop)
    }

    /// The source of a script that the worker names.
    pub(super) fn file(&self, path: &str) -> Option<FileId> {
        let scripts = self.loading.scripts;
        let load = || Some(scripts.load(Path::new(path), self.loading.environment, self.loading.world).ok()?.file);
        scripts.sources.find(path).or_else(|| if self.may_read(Path::new(path)) { load() } else { None })
    }

    fn silent(&self, silence: ReceiveError) -> WorkerFailure {
        let reason = match silence {
            ReceiveError::TimeOver | ReceiveError::ProcessorTimeOver => {
                Reason::new(Code::SCRIPT_LIMIT, TIMED_OUT).help("its process was ended")
            }
            ReceiveError::Ended => Reason::new(Code::SCRIPT_LIMIT, "the script takes too much memory")
                .help("its process ended; does it build a value in a loop?"),
        };
        WorkerFailure::Failed(Box::new(Diagnostic::new(reason, Some(file_start(self.script)))), None)
    }

    /// A worker that sends an unexpected message is not used again.
    pub(super) fn wrong(&self) -> WorkerFailure {
        self.silence.set(Some(ReceiveError::Ended));
        let reason = Reason::new(Code::SCRIPT_FAILED, "the script's process sent a response that cannot be read");
        WorkerFailure::Failed(Box::new(Diagnostic::new(reason, Some(file_start(self.script)))), None)
    }
}

fn file_start(script: &Script) -> Span {
    Span::new(script.file, 0, 0)
}

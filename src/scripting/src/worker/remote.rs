//! The compile's interface in a worker: sends calls of scripts over the pipe.
//!
//! In: calls of scripts. Out: frames, and the contents of the answers. Must not: make the compile's decisions.

use parking_lot::Mutex;
use std::hash::Hasher;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::codec::Reader;
use super::codec::RetainedValues;
use super::codec::Writer;
use super::from_worker;
use super::to_worker;
use crate::api::NOT_A_TYPE;
use crate::callers;
use crate::dispatch;
use crate::host::Closure;
use crate::host::HostApi;
use crate::host::HostFailure;
use crate::stand_in;
use catwalk_base::diag::Code;
use catwalk_base::diag::Reason;
use catwalk_base::secrets::SecretCollection;
use catwalk_eval::Stop;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_world::Dependency;
use catwalk_world::Kind;
use catwalk_world::World;
use catwalk_world::WorldError;
use catwalk_world::worker::WorkerPipes;

/// Files with a digest of their bytes.
type Files = FxHashMap<PathBuf, (u64, Arc<[u8]>)>;

/// The pipe to the compile.
pub(super) struct CompilePipe {
    pub(super) pipes: WorkerPipes,
    files: Mutex<Files>,
    pub(super) no_values: NoRetainedValues,
}

/// A worker retains none of the compile's values.
#[derive(Default)]
pub(super) struct NoRetainedValues {
    /// The secrets of the running request.
    pub(super) secrets: Arc<SecretCollection>,
}

impl RetainedValues for NoRetainedValues {
    fn retain(&self, _: &Value) -> Option<u64> {
        None
    }

    fn retained_value(&self, _: u64) -> Option<Value> {
        None
    }

    fn secrets(&self) -> &SecretCollection {
        &self.secrets
    }
}

/// A digest of bytes, to name contents that were already sent.
pub(super) fn digest(bytes: &[u8]) -> u64 {
    let mut hasher = rustc_hash::FxHasher::default();
    hasher.write(bytes);
    hasher.finish()
}

fn host_failure(code: Code, text: &str, number: u64) -> HostFailure {
    let reason = Reason::new(code, text.to_owned()).help(number.to_string());
    let stop = Stop::Failed(Box::from(reason));
    HostFailure(Arc::new(Mutex::new(Some(stop))), text.to_owned())
}

impl CompilePipe {
    pub(super) fn new(pipes: WorkerPipes) -> CompilePipe {
        CompilePipe { pipes, files: Mutex::default(), no_values: NoRetainedValues::default() }
    }

    /// Calls the compile, which may call the block meanwhile. Returns the answer after its tag.
    fn request(&self, question: &Writer, mut closure: Option<Closure<'_>>) -> Result<Vec<u8>, HostFailure> {
        self.pipes.send(&question.0);
        loop {
            let closed = || host_failure(Code::REMOTE, "the compile has ended", u64::MAX);
            let mut frame = self.pipes.receive().ok_or_else(closed)?;
            let mut reader = Reader::new(&frame);
            match reader.byte() {
                Some(to_worker::ANSWER) => {
                    frame.remove(0);
                    return Ok(frame);
                }
                Some(to_worker::FAILED) => {
                    let (number, not_found) = (reader.number(), reader.byte());
                    let code = if not_found == Some(1) { Code::LOOKUP_NOT_FOUND } else { Code::REMOTE };
                    let text = reader.string().unwrap_or_default();
                    return Err(host_failure(code, text, number.unwrap_or(u64::MAX)));
                }
                Some(to_worker::CLOSURE) => {
                    let values = reader.values(&self.no_values).ok_or_else(closed)?;
                    let result = match &mut closure {
                        Some((closure, _)) => {
                            // The caller holds the mutable borrow of the host, so the block uses a second `Remote`.
                            let mut remote = Remote::new(self);
                            callers::with_host(&mut remote, || closure(&values))
                        }
                        None => Err("there is no block".to_owned()),
                    };
                    let mut writer = Writer::default();
                    match result {
                        Ok(value) => writer.byte(from_worker::CLOSURE_VALUE).value(&value, &self.no_values),
                        Err(why) => writer.byte(from_worker::CLOSURE_FAILED).string(&why),
                    };
                    self.pipes.send(&writer.0);
                }
                _ => return Err(closed()),
            }
        }
    }
}

/// The interface of scripts in this process to the compile.
pub(super) struct Remote<'a> {
    pipe: &'a CompilePipe,
    facts: Option<Arc<Hash>>,
}

impl<'a> Remote<'a> {
    pub(super) fn new(pipe: &'a CompilePipe) -> Remote<'a> {
        Remote { pipe, facts: None }
    }
}

fn unreadable_answer() -> HostFailure {
    host_failure(Code::REMOTE, "the answer cannot be read", u64::MAX)
}

/// The number of a block's parameters, if there is a block.
fn write_block(writer: &mut Writer, closure: Option<&Closure<'_>>) {
    match closure {
        None => writer.byte(0),
        Some((_, arity)) => writer.byte(1).number(arity.map_or(u64::MAX, |arity| arity as u64)),
    };
}

impl HostApi for Remote<'_> {
    fn call_function(
        &mut self,
        name: &str,
        args: &[Value],
        closure: Option<Closure<'_>>,
    ) -> Result<Value, HostFailure> {
        let mut writer = Writer::new(from_worker::FUNCTION);
        writer.string(name).values(args, &self.pipe.no_values);
        write_block(&mut writer, closure.as_ref());
        Reader::new(&self.pipe.request(&writer, closure)?).value(&self.pipe.no_values).ok_or_else(unreadable_answer)
    }

    fn call_block(&mut self, block: usize, args: &[Value]) -> Result<Value, HostFailure> {
        let mut writer = Writer::new(from_worker::BLOCK);
        writer.number(block as u64).values(args, &self.pipe.no_values);
        Reader::new(&self.pipe.request(&writer, None)?).value(&self.pipe.no_values).ok_or_else(unreadable_answer)
    }

    fn call_context(
        &mut self,
        context: &Value,
        name: &str,
        args: &[Value],
        closure: Option<Closure<'_>>,
    ) -> Result<Value, HostFailure> {
        let mut writer = Writer::new(from_worker::CONTEXT);
        writer.value(context, &self.pipe.no_values).string(name).values(args, &self.pipe.no_values);
        write_block(&mut writer, closure.as_ref());
        Reader::new(&self.pipe.request(&writer, closure)?).value(&self.pipe.no_values).ok_or_else(unreadable_answer)
    }

    fn call_backend(&mut self, name: &str, args: &[Value]) -> Result<Option<Value>, HostFailure> {
        let mut writer = Writer::new(from_worker::BACKEND);
        writer.string(name).values(args, &self.pipe.no_values);
        let answer = self.pipe.request(&writer, None)?;
        let mut reader = Reader::new(&answer);
        match reader.byte() {
            Some(1) => reader.value(&self.pipe.no_values).map(Some).ok_or_else(unreadable_answer),
            _ => Ok(None),
        }
    }

    fn parse_type(&mut self, text: &str) -> Result<Value, HostFailure> {
        // The types of the language need no compile.
        if let Ok(data_type) = catwalk_value::parse_type(text, &mut dispatch::LanguageTypes) {
            return Ok(Value::Type(data_type));
        }
        let mut writer = Writer::new(from_worker::TYPE);
        writer.string(text);
        Reader::new(&self.pipe.request(&writer, None)?).value(&self.pipe.no_values).ok_or_else(unreadable_answer)
    }

    fn is_a(&mut self, value: &Value, data_type: &Value) -> Result<bool, HostFailure> {
        match data_type {
            Value::Type(data_type) if !stand_in::is_in(value) => Ok(catwalk_value::is_instance(data_type, value)),
            Value::Type(_) | Value::Object(_) => {
                let mut writer = Writer::new(from_worker::IS_A);
                writer.value(value, &self.pipe.no_values).value(data_type, &self.pipe.no_values);
                match Reader::new(&self.pipe.request(&writer, None)?).value(&self.pipe.no_values) {
                    Some(Value::Bool(answer)) => Ok(answer),
                    _ => Err(unreadable_answer()),
                }
            }
            _ => Err(host_failure(Code::REMOTE, NOT_A_TYPE, u64::MAX)),
        }
    }

    fn type_of(&mut self, value: &Value) -> Result<Value, HostFailure> {
        if !stand_in::is_in(value) {
            return Ok(Value::Type(catwalk_value::infer_set(value)));
        }
        let mut writer = Writer::new(from_worker::TYPE_OF);
        writer.value(value, &self.pipe.no_values);
        Reader::new(&self.pipe.request(&writer, None)?).value(&self.pipe.no_values).ok_or_else(unreadable_answer)
    }

    fn facts(&mut self) -> Arc<Hash> {
        if let Some(facts) = &self.facts {
            return facts.clone();
        }
        let answer = self.pipe.request(&Writer::new(from_worker::FACTS), None).unwrap_or_default();
        let facts = Reader::new(&answer).hash(&self.pipe.no_values).unwrap_or_default();
        self.facts.insert(facts).clone()
    }

    fn log(&mut self, level: &str, text: &str) {
        let mut writer = Writer::new(from_worker::LOG);
        writer.string(level).string(text);
        self.pipe.pipes.send(&writer.0);
    }
}

impl World for CompilePipe {
    fn below(&self) -> Option<&dyn World> {
        None
    }

    fn secrets(&self) -> &Arc<SecretCollection> {
        &self.no_values.secrets
    }

    fn read_for(&self, path: &Path, _: Dependency) -> Result<Arc<[u8]>, WorldError> {
        let cached = self.files.lock().get(path).cloned();
        let mut writer = Writer::new(from_worker::READ);
        writer.string(&path.to_string_lossy());
        match &cached {
            Some((digest, _)) => writer.byte(1).number(*digest),
            None => writer.byte(0),
        };
        let missing = || WorldError::Missing(path.to_path_buf());
        let answer = self.request(&writer, None).map_err(|_| missing())?;
        let mut reader = Reader::new(&answer);
        match (reader.byte(), cached) {
            (Some(2), Some((_, bytes))) => Ok(bytes),
            (Some(3), _) => {
                let bytes: Arc<[u8]> = Arc::from(reader.bytes().ok_or_else(missing)?);
                let mut files = self.files.lock();
                files.insert(path.to_path_buf(), (digest(&bytes), bytes.clone()));
                Ok(bytes)
            }
            (Some(1), _) => {
                Err(WorldError::Unreadable(path.to_path_buf(), Arc::from(reader.string().unwrap_or_default())))
            }
            _ => Err(missing()),
        }
    }

    fn kind(&self, path: &Path) -> Kind {
        let mut writer = Writer::new(from_worker::KIND);
        writer.string(&path.to_string_lossy());
        match self.request(&writer, None).ok().and_then(|answer| answer.first().copied()) {
            Some(1) => Kind::File,
            Some(2) => Kind::Directory,
            _ => Kind::Missing,
        }
    }

    fn memory(&self) -> Option<u64> {
        self.pipes.memory()
    }
}

//! The worker: enters scripts, asks over the pipe what they ask.
//!
//! In: frames on stdin. Out: frames on stdout. Must not: touch anything else.

use std::hash::Hasher;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::Duration;

use indexmap::IndexMap;
use rhai::CallFnOptions;
use rhai::Dynamic;
use rhai::EvalAltResult;
use rhai::Scope;
use rustc_hash::FxHashMap;

use super::MEMORY;
use super::ask;
use super::codec::Kept;
use super::codec::Reader;
use super::codec::Writer;
use super::say;
use crate::diag::Code;
use crate::diag::Diagnostic;
use crate::diag::Reason;
use crate::environment::Environment;
use crate::environment::Module;
use crate::eval::NOT_FOUND;
use crate::eval::Stop;
use crate::node::classify::Classification;
use crate::node::classify::Classifier;
use crate::node::classify::Request;
use crate::scripting::bridge;
use crate::scripting::cache::Scripts;
use crate::scripting::dispatch;
use crate::scripting::enc::RhaiEnc;
use crate::scripting::engine;
use crate::scripting::error;
use crate::scripting::function::block_pointer;
use crate::scripting::host;
use crate::scripting::host::Closure;
use crate::scripting::host::HostApi;
use crate::scripting::host::HostFailure;
use crate::scripting::host::Loading;
use crate::source::SourceMap;
use crate::types::Type;
use crate::value::Hash;
use crate::value::Value;
use crate::world::Command;
use crate::world::Entry;
use crate::world::Kind;
use crate::world::Output;
use crate::world::Refused;
use crate::world::World;
use crate::world::worker::Confined;
use crate::world::worker::confine;

/// The failure of something that the compile did; the help is its number there.
const REMOTE: Code = Code("REMOTE");

/// Files with a digest of their bytes.
type Files = FxHashMap<PathBuf, (u64, Arc<[u8]>)>;

/// The pipe to the compile.
struct Line {
    pipe: Confined,
    files: Mutex<Files>,
}

/// A worker keeps nothing of the compile's values.
struct Nothing;

impl Kept for Nothing {
    fn keep(&self, _: &Value) -> Option<u64> {
        None
    }

    fn kept(&self, _: u64) -> Option<Value> {
        None
    }
}

/// A digest of bytes, to say what is known already.
pub(super) fn digest(bytes: &[u8]) -> u64 {
    let mut hasher = rustc_hash::FxHasher::default();
    hasher.write(bytes);
    hasher.finish()
}

/// Works until nobody needs it any more.
pub fn serve() {
    let line = Arc::new(Line { pipe: confine(MEMORY), files: Mutex::default() });
    let scripts = Arc::new(Scripts::new(SourceMap::new()));
    while let Some(frame) = line.pipe.receive() {
        let Some(answer) = asked(&frame, &scripts, &line) else { return };
        line.pipe.send(&answer.0);
    }
}

fn asked(frame: &[u8], scripts: &Arc<Scripts>, line: &Arc<Line>) -> Option<Writer> {
    let mut reader = Reader(frame);
    let tag = reader.byte()?;
    let path = PathBuf::from(reader.text()?);
    let limit = Duration::from_millis(reader.number()?);
    let environment = Arc::new(environment(&mut reader)?);
    line.pipe.allow_time(limit);
    match tag {
        ask::FUNCTION => {
            let entry = reader.text()?;
            let data = reader.optional()?.map(PathBuf::from);
            let block = reader.byte()? == 1;
            let values = reader.values(&Nothing)?;
            let loading = Loading { scripts, environment: &environment, world: line.as_ref(), data: data.as_deref() };
            Some(function(&loading, line, (&path, entry), limit, &values, block))
        }
        ask::CLASSIFY => {
            let request = Request {
                certname: Arc::from(reader.text()?),
                environment: Arc::from(reader.text()?),
                facts: reader.hash(&Nothing)?,
                trusted: reader.hash(&Nothing)?,
            };
            let enc = RhaiEnc { path, scripts: scripts.clone(), environment };
            Some(match enc.classify(&request, line.as_ref()) {
                Ok(classification) => classified(&classification),
                Err(diagnostic) => failed(u64::MAX, &diagnostic, &scripts.sources),
            })
        }
        ask::TOP => Some(top(scripts, &environment, line, &path, limit)),
        _ => None,
    }
}

fn environment(reader: &mut Reader<'_>) -> Option<Environment> {
    let name = Arc::from(reader.text()?);
    let root = reader.optional()?.map(PathBuf::from);
    let modulepath =
        (0..reader.number()?).map(|_| reader.text().map(PathBuf::from)).collect::<Option<Vec<PathBuf>>>()?;
    let mut modules: IndexMap<Arc<str>, Module> = IndexMap::new();
    for _ in 0..reader.number()? {
        let (name, root): (Arc<str>, PathBuf) = (Arc::from(reader.text()?), PathBuf::from(reader.text()?));
        modules.insert(name.clone(), Module { name, root });
    }
    Some(Environment { name, root, modulepath, modules: Arc::new(modules), ..Environment::default() })
}

fn function(
    loading: &Loading<'_>,
    line: &Line,
    (path, entry): (&Path, &str),
    limit: Duration,
    values: &[Value],
    block: bool,
) -> Writer {
    let scripts = loading.scripts;
    let script = match scripts.load(path, line) {
        Ok(script) => script,
        Err(diagnostic) => return failed(u64::MAX, &diagnostic, &scripts.sources),
    };
    let mut arguments: Vec<Dynamic> = values.iter().map(bridge::to_dynamic).collect();
    if block && let Ok(pointer) = block_pointer(0) {
        arguments.push(Dynamic::from(pointer));
    }
    let options = CallFnOptions::new().eval_ast(script.has_top);
    let mut host = Remote { line, facts: None };
    let called = engine::limited(limit, || {
        host::loading_data(loading, || {
            host::HOST.set(&mut host, || {
                let scope = &mut Scope::new();
                scripts.engine.call_fn_with_options::<Dynamic>(options, scope, &script.callable, entry, arguments)
            })
        })
    });
    match called.unwrap_or(Ok(Dynamic::UNIT)) {
        Ok(result) => match bridge::from_dynamic(result) {
            Ok(value) => {
                let mut writer = Writer::new(say::VALUE);
                writer.value(&value, &Nothing);
                writer
            }
            Err(why) => {
                let mut writer = Writer::new(say::NO_VALUE);
                writer.text(&why);
                writer
            }
        },
        Err(why) => {
            let number = number_of(&why);
            failed(number, &error::diagnostic(&why, script.file, &scripts.sources), &scripts.sources)
        }
    }
}

fn top(scripts: &Arc<Scripts>, environment: &Environment, line: &Line, path: &Path, limit: Duration) -> Writer {
    let script = match scripts.load(path, line) {
        Ok(script) => script,
        Err(diagnostic) => return failed(u64::MAX, &diagnostic, &scripts.sources),
    };
    let ran = engine::limited(limit, || {
        host::loading(scripts, environment, line, || dispatch::collect(|| scripts.engine.run_ast(&script.ast)))
    });
    match ran {
        Some((Err(why), _)) => {
            failed(u64::MAX, &error::diagnostic(&why, script.file, &scripts.sources), &scripts.sources)
        }
        Some((Ok(()), found)) => {
            let mut writer = Writer::new(say::DISPATCHES);
            writer.number(found.len() as u64);
            for dispatch in &found {
                writer.text(&dispatch.text).text(&dispatch.entry);
            }
            writer
        }
        None => {
            let mut writer = Writer::new(say::DISPATCHES);
            writer.number(0);
            writer
        }
    }
}

fn classified(classification: &Classification) -> Writer {
    let mut writer = Writer::new(say::CLASSIFICATION);
    writer.number(classification.classes.len() as u64);
    for (class, parameters) in &classification.classes {
        writer.text(class);
        match parameters {
            None => writer.byte(0),
            Some(parameters) => writer.byte(1).hash(parameters, &Nothing),
        };
    }
    for values in [&classification.parameters, &classification.data] {
        writer.number(values.len() as u64);
        for (name, value) in values {
            writer.text(name).value(value, &Nothing);
        }
    }
    writer.optional(classification.environment.as_deref());
    writer
}

fn failed(number: u64, diagnostic: &Diagnostic, sources: &SourceMap) -> Writer {
    let mut writer = Writer::new(say::FAILURE);
    writer.number(number).diagnostic(diagnostic, sources);
    writer
}

/// The number of the compile's failure that an error is.
fn number_of(why: &EvalAltResult) -> u64 {
    let Some(HostFailure(stop, _)) = error::host_failure(why) else { return u64::MAX };
    match stop.lock().unwrap_or_else(PoisonError::into_inner).as_ref() {
        Some(Stop::Failed(diagnostic)) => {
            diagnostic.help.as_deref().and_then(|number| number.parse().ok()).unwrap_or(u64::MAX)
        }
        _ => u64::MAX,
    }
}

fn host_failure(code: Code, text: &str, number: u64) -> HostFailure {
    let reason = Reason::new(code, text.to_owned()).help(number.to_string());
    let stop = Stop::Failed(Box::new(Diagnostic::new(reason, None)));
    HostFailure(Arc::new(Mutex::new(Some(stop))), text.to_owned())
}

impl Line {
    /// Asks the compile; meanwhile it may call the block. The answer is what follows its tag.
    fn ask(&self, question: &Writer, mut closure: Option<Closure<'_>>) -> Result<Vec<u8>, HostFailure> {
        self.pipe.send(&question.0);
        loop {
            let gone = || host_failure(REMOTE, "nobody answers the script", u64::MAX);
            let mut frame = self.pipe.receive().ok_or_else(gone)?;
            let mut reader = Reader(&frame);
            match reader.byte() {
                Some(ask::ANSWER) => {
                    frame.remove(0);
                    return Ok(frame);
                }
                Some(ask::FAILED) => {
                    let (number, not_found) = (reader.number(), reader.byte());
                    let code = if not_found == Some(1) { NOT_FOUND } else { REMOTE };
                    let text = reader.text().unwrap_or_default();
                    return Err(host_failure(code, text, number.unwrap_or(u64::MAX)));
                }
                Some(ask::CLOSURE) => {
                    let values = reader.values(&Nothing).ok_or_else(gone)?;
                    let result = match &mut closure {
                        Some((closure, _)) => closure(&values),
                        None => Err("there is no block".to_owned()),
                    };
                    let mut writer = Writer::default();
                    match result {
                        Ok(value) => writer.byte(say::CLOSURE_VALUE).value(&value, &Nothing),
                        Err(why) => writer.byte(say::CLOSURE_FAILED).text(&why),
                    };
                    self.pipe.send(&writer.0);
                }
                _ => return Err(gone()),
            }
        }
    }
}

/// The compile as scripts of this process see it.
struct Remote<'a> {
    line: &'a Line,
    facts: Option<Arc<Hash>>,
}

fn wrong() -> HostFailure {
    host_failure(REMOTE, "the answer cannot be read", u64::MAX)
}

/// How many arguments a block takes, where there is one.
fn block_of(writer: &mut Writer, closure: Option<&Closure<'_>>) {
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
        let mut writer = Writer::new(say::FUNCTION);
        writer.text(name).values(args, &Nothing);
        block_of(&mut writer, closure.as_ref());
        Reader(&self.line.ask(&writer, closure)?).value(&Nothing).ok_or_else(wrong)
    }

    fn call_block(&mut self, block: usize, args: &[Value]) -> Result<Value, HostFailure> {
        let mut writer = Writer::new(say::BLOCK);
        writer.number(block as u64).values(args, &Nothing);
        Reader(&self.line.ask(&writer, None)?).value(&Nothing).ok_or_else(wrong)
    }

    fn call_context(
        &mut self,
        context: &Value,
        name: &str,
        args: &[Value],
        closure: Option<Closure<'_>>,
    ) -> Result<Value, HostFailure> {
        let mut writer = Writer::new(say::CONTEXT);
        writer.value(context, &Nothing).text(name).values(args, &Nothing);
        block_of(&mut writer, closure.as_ref());
        Reader(&self.line.ask(&writer, closure)?).value(&Nothing).ok_or_else(wrong)
    }

    fn call_backend(&mut self, name: &str, args: &[Value]) -> Result<Option<Value>, HostFailure> {
        let mut writer = Writer::new(say::BACKEND);
        writer.text(name).values(args, &Nothing);
        let answer = self.line.ask(&writer, None)?;
        let mut reader = Reader(&answer);
        match reader.byte() {
            Some(1) => reader.value(&Nothing).map(Some).ok_or_else(wrong),
            _ => Ok(None),
        }
    }

    fn type_of_text(&mut self, text: &str) -> Result<Type, HostFailure> {
        let mut writer = Writer::new(say::TYPE);
        writer.text(text);
        match Reader(&self.line.ask(&writer, None)?).value(&Nothing) {
            Some(Value::Type(found)) => Ok(found),
            _ => {
                let why = format!("not supported yet: {text}, a type of the site, in a script in a process of its own");
                Err(host_failure(REMOTE, &why, u64::MAX))
            }
        }
    }

    fn facts(&mut self) -> Arc<Hash> {
        if let Some(known) = &self.facts {
            return known.clone();
        }
        let answer = self.line.ask(&Writer::new(say::FACTS), None).unwrap_or_default();
        let facts = Reader(&answer).hash(&Nothing).unwrap_or_default();
        self.facts.insert(facts).clone()
    }

    fn log(&mut self, level: &str, text: &str) {
        let mut writer = Writer::new(say::LOG);
        writer.text(level).text(text);
        self.line.pipe.send(&writer.0);
    }
}

impl World for Line {
    fn read(&self, path: &Path) -> Result<Arc<[u8]>, Refused> {
        let known = self.files.lock().unwrap_or_else(PoisonError::into_inner).get(path).cloned();
        let mut writer = Writer::new(say::READ);
        writer.text(&path.to_string_lossy());
        match &known {
            Some((digest, _)) => writer.byte(1).number(*digest),
            None => writer.byte(0),
        };
        let missing = || Refused::Missing(path.to_path_buf());
        let answer = self.ask(&writer, None).map_err(|_| missing())?;
        let mut reader = Reader(&answer);
        match (reader.byte(), known) {
            (Some(2), Some((_, bytes))) => Ok(bytes),
            (Some(3), _) => {
                let bytes: Arc<[u8]> = Arc::from(reader.bytes().ok_or_else(missing)?);
                let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
                files.insert(path.to_path_buf(), (digest(&bytes), bytes.clone()));
                Ok(bytes)
            }
            (Some(1), _) => Err(Refused::Unreadable(path.to_path_buf(), Arc::from(reader.text().unwrap_or_default()))),
            _ => Err(missing()),
        }
    }

    fn list(&self, path: &Path) -> Result<Arc<[Entry]>, Refused> {
        Err(Refused::Missing(path.to_path_buf()))
    }

    fn kind(&self, path: &Path) -> Kind {
        let mut writer = Writer::new(say::KIND);
        writer.text(&path.to_string_lossy());
        match self.ask(&writer, None).ok().and_then(|answer| answer.first().copied()) {
            Some(1) => Kind::File,
            Some(2) => Kind::Directory,
            _ => Kind::Missing,
        }
    }

    fn env(&self, _: &str) -> Option<Arc<str>> {
        None
    }

    fn run(&self, _: &Command) -> Result<Output, Refused> {
        Err(Refused::NotAllowed(Arc::from("running a process")))
    }

    fn now(&self) -> Duration {
        Duration::ZERO
    }

    fn random(&self) -> u128 {
        0
    }

    fn memory(&self) -> Option<u64> {
        self.pipe.memory()
    }
}

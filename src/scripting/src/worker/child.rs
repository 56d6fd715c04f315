//! The worker: enters scripts, and forwards their calls over the pipe.
//!
//! In: frames on stdin. Out: frames on stdout. Must not: touch anything else.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use indexmap::IndexMap;
use rhai::Dynamic;
use rhai::EvalAltResult;

use super::MEMORY;
use super::WorkerFailure;
use super::codec::FROM_COMPILE;
use super::codec::Reader;
use super::codec::Writer;
use super::documents;
use super::from_worker;
use super::remote::CompilePipe;
use super::remote::Remote;
use super::schema::DispatchesDocument;
use super::schema::EnvironmentDocument;
use super::to_worker;
use crate::api::CatalogHandle;
use crate::api::collect_verdicts;
use crate::bridge;
use crate::cache::Script;
use crate::cache::Scripts;
use crate::dispatch;
use crate::enc::RhaiEnc;
use crate::entry;
use crate::entry::EntryResult;
use crate::error;
use crate::function::block_pointer;
use crate::groups;
use crate::groups::GroupCollection;
use crate::groups::RuleCode;
use crate::host::HostFailure;
use crate::host::ImportContext;
use crate::register;
use catwalk_base::diag::Diagnostic;
use catwalk_base::source::SourceMap;
use catwalk_eval::Stop;
use catwalk_node::classify::Request;
use catwalk_program::Environment;
use catwalk_program::Module;
use catwalk_world::worker::FrameScript;
use catwalk_world::worker::WorkerPipes;
use catwalk_world::worker::confine;

/// The state of a worker between requests.
struct Worker {
    pipe: Arc<CompilePipe>,
    scripts: Arc<Scripts>,
    /// Where scripts may import from, by the last request.
    environment: Arc<Environment>,
    /// The catalog that policies check.
    catalog: Option<CatalogHandle>,
    /// The node that rules of groups are evaluated for.
    node: Option<Request>,
    /// The groups of a script, with the number of the reading.
    groups: Option<(u64, Arc<Script>, GroupCollection)>,
}

/// A request: the script to enter, and its time limit.
struct EntryRequest {
    path: PathBuf,
    limit: Duration,
}

/// Serves requests until the pipe is closed.
pub fn serve() {
    serve_requests(confine(MEMORY));
}

/// Runs a worker for fuzzing: the parent sends these frames regardless of what it receives, and the process keeps its rights.
#[doc(hidden)]
pub fn serve_script(frames: FrameScript) {
    serve_requests(WorkerPipes::scripted(frames));
}

fn serve_requests(pipes: WorkerPipes) {
    let pipe = Arc::new(CompilePipe::new(pipes));
    let scripts = Arc::new(Scripts::confined(SourceMap::new()));
    let mut worker =
        Worker { pipe: pipe.clone(), scripts, environment: Arc::default(), catalog: None, node: None, groups: None };
    while let Some(frame) = pipe.pipes.receive() {
        let Some(answer) = worker.answer_request(&frame) else { return };
        let used_secrets = pipe.no_values.secrets.take();
        if used_secrets.iter().len() > 0 {
            let mut writer = Writer::new(from_worker::SECRETS);
            writer.number(used_secrets.iter().len() as u64);
            used_secrets.iter().for_each(|string| _ = writer.string(string));
            pipe.pipes.send(&writer.0);
        }
        pipe.pipes.send(&answer.0);
    }
}

impl Worker {
    fn answer_request(&mut self, frame: &[u8]) -> Option<Writer> {
        let mut reader = Reader::new(frame);
        let tag = reader.byte()?;
        let request =
            EntryRequest { path: PathBuf::from(reader.string()?), limit: Duration::from_millis(reader.number()?) };
        if reader.byte()? == 1 {
            self.environment = Arc::new(read_environment(&mut reader)?);
        }
        self.pipe.pipes.allow_time(request.limit);
        // The catalog and the node are kept only until the next request of another kind.
        if tag != to_worker::POLICY {
            self.catalog = None;
        }
        if tag != to_worker::RULE {
            self.node = None;
        }
        let answer = match tag {
            to_worker::FUNCTION => self.call_function(&request, &mut reader)?,
            to_worker::CLASSIFY => self.classify(&request, &mut reader)?,
            to_worker::TOP => self.collect_dispatches(&request),
            to_worker::POLICY => self.check_policy(&request, &mut reader)?,
            to_worker::GROUPS => self.collect_groups(&request, &mut reader)?,
            to_worker::RULE => self.evaluate_rule(&request, &mut reader)?,
            to_worker::REGISTRATIONS => self.collect_registrations(&request),
            _ => return None,
        };
        Some(answer.unwrap_or_else(|failure| self.write_failure(u64::MAX, &failure)))
    }

    fn load(&self, request: &EntryRequest) -> Result<Arc<Script>, Box<Diagnostic>> {
        self.scripts.load(&request.path, &self.environment, self.pipe.as_ref())
    }

    fn loading<'a>(&'a self, data: Option<&'a PathBuf>) -> ImportContext<'a> {
        let data = data.map(PathBuf::as_path);
        ImportContext { scripts: &self.scripts, environment: &self.environment, world: self.pipe.as_ref(), data }
    }

    /// Calls a function of a script that has the running compile as its host.
    fn call(
        &self,
        script: &Script,
        entry: &str,
        args: Vec<Dynamic>,
        request: &EntryRequest,
        data: Option<&PathBuf>,
    ) -> EntryResult {
        let mut host = Remote::new(&self.pipe);
        entry::call(script, entry, args, request.limit, &self.loading(data), Some(&mut host))
    }

    fn call_function(
        &self,
        request: &EntryRequest,
        reader: &mut Reader<'_>,
    ) -> Option<Result<Writer, Box<Diagnostic>>> {
        let entry = reader.string()?;
        let data = reader.optional_string()?.map(PathBuf::from);
        let has_block = reader.byte()? == 1;
        let values = reader.values(&self.pipe.no_values)?;
        let script = match self.load(request) {
            Ok(script) => script,
            Err(failure) => return Some(Err(failure)),
        };
        let mut arguments: Vec<Dynamic> = values.iter().map(bridge::to_dynamic).collect();
        if has_block && let Ok(pointer) = block_pointer(0) {
            arguments.push(Dynamic::from(pointer));
        }
        let result = match self.call(&script, entry, arguments, request, data.as_ref()).unwrap_or(Ok(Dynamic::UNIT)) {
            Ok(result) => result,
            Err(why) => return Some(Ok(self.write_script_failure(&why, &script))),
        };
        Some(Ok(match bridge::from_dynamic(result) {
            Ok(value) => {
                let mut writer = Writer::new(from_worker::VALUE);
                writer.value(&value, &self.pipe.no_values);
                writer
            }
            Err(why) => write_no_value(&why),
        }))
    }

    fn classify(&self, request: &EntryRequest, reader: &mut Reader<'_>) -> Option<Result<Writer, Box<Diagnostic>>> {
        let node = documents::read_request(reader, &self.pipe.no_values)?;
        let (path, scripts, environment) = (request.path.clone(), self.scripts.clone(), self.environment.clone());
        let enc = RhaiEnc { path, data: None, scripts, environment };
        let mut host = Remote::new(&self.pipe);
        let classified = enc.classify_with(&mut host, &node, self.pipe.as_ref());
        Some(classified.map(|classification| {
            let mut writer = Writer::new(from_worker::CLASSIFICATION);
            documents::write_classification(&mut writer, &classification, &self.pipe.no_values);
            writer
        }))
    }

    /// The `dispatch` lines of a script.
    fn collect_dispatches(&self, request: &EntryRequest) -> Result<Writer, Box<Diagnostic>> {
        let script = self.load(request)?;
        let (result, dispatches) = dispatch::collect(|| entry::top(&script, request.limit, &self.loading(None)));
        if let Some(Err(why)) = result {
            return Err(error::diagnostic(&why, script.file, &self.scripts.sources));
        }
        let mut writer = Writer::new(from_worker::DISPATCHES);
        let lines = dispatches.iter().map(|dispatch| (dispatch.text.as_str(), dispatch.entry.as_str()));
        writer.document(&lines.collect::<DispatchesDocument<'_>>());
        Ok(writer)
    }

    /// The registrations of a script.
    fn collect_registrations(&self, request: &EntryRequest) -> Result<Writer, Box<Diagnostic>> {
        let script = self.load(request)?;
        let registrations = register::collect(&script, &self.loading(None))?;
        let mut writer = Writer::new(from_worker::REGISTRATIONS);
        documents::write_registrations(&mut writer, &registrations, &self.pipe.no_values);
        Ok(writer)
    }

    /// Runs a policy. The catalog comes with the request of the first one.
    fn check_policy(
        &mut self,
        request: &EntryRequest,
        reader: &mut Reader<'_>,
    ) -> Option<Result<Writer, Box<Diagnostic>>> {
        if reader.byte()? == 1 {
            self.catalog = Some(CatalogHandle::new(documents::read_catalog(reader, &self.pipe.no_values)?));
        }
        let catalog = self.catalog.clone()?;
        let script = match self.load(request) {
            Ok(script) => script,
            Err(failure) => return Some(Err(failure)),
        };
        let args = vec![Dynamic::from(catalog)];
        let (result, verdicts) = collect_verdicts(|| self.call(&script, "check", args, request, None));
        let mut writer = Writer::new(from_worker::VERDICTS);
        documents::write_verdicts(&mut writer, &verdicts);
        match result {
            Some(Err(why)) => writer.byte(1).bytes(&self.write_script_failure(&why, &script).0),
            _ => writer.byte(0),
        };
        Some(Ok(writer))
    }

    /// The groups that a script declares.
    fn collect_groups(
        &mut self,
        request: &EntryRequest,
        reader: &mut Reader<'_>,
    ) -> Option<Result<Writer, Box<Diagnostic>>> {
        let (reading, pipe) = (reader.number()?, self.pipe.clone());
        Some(self.load_groups(request, reading).map(|(_, collected)| {
            let mut writer = Writer::new(from_worker::GROUPS);
            documents::write_groups(&mut writer, collected, &pipe.no_values);
            writer
        }))
    }

    /// Runs the top of a script, once for each reading.
    fn load_groups(
        &mut self,
        request: &EntryRequest,
        reading: u64,
    ) -> Result<(&Arc<Script>, &GroupCollection), Box<Diagnostic>> {
        if self.groups.as_ref().is_none_or(|(loaded, script, _)| *loaded != reading || script.path != request.path) {
            let script = self.load(request)?;
            let collected = groups::collect(&script, &self.loading(None))?;
            self.groups = Some((reading, script, collected));
        }
        let missing = || Box::from(catwalk_base::diag::Reason::runtime("the script declares nothing"));
        self.groups.as_ref().map(|(_, script, collected)| (script, collected)).ok_or_else(missing)
    }

    /// Runs a rule of a group. The node comes with the request of the first one.
    fn evaluate_rule(
        &mut self,
        request: &EntryRequest,
        reader: &mut Reader<'_>,
    ) -> Option<Result<Writer, Box<Diagnostic>>> {
        let (number, reading) = (usize::try_from(reader.number()?).ok()?, reader.number()?);
        if reader.byte()? == 1 {
            self.node = Some(documents::read_request(reader, &self.pipe.no_values)?);
        }
        let node = self.node.clone()?;
        let (script, rule) = match self.load_groups(request, reading) {
            Ok((script, collected)) => {
                (script.clone(), collected.groups.get(number).and_then(|group| group.rule.clone()))
            }
            Err(failure) => return Some(Err(failure)),
        };
        let Some(RuleCode::Local(closure)) = rule else {
            return Some(Ok(write_no_value("nothing: the script has changed")));
        };
        Some(match groups::evaluate_rule(&closure, &script, &self.loading(None), node, &mut Remote::new(&self.pipe)) {
            Ok(value) => {
                let mut writer = Writer::new(from_worker::VALUE);
                writer.value(&value, &self.pipe.no_values);
                Ok(writer)
            }
            Err(WorkerFailure::NoValue(kind)) => Ok(write_no_value(&kind)),
            Err(WorkerFailure::Failed(diagnostic, _)) => Err(diagnostic),
        })
    }

    /// The failure of a script that has a host.
    fn write_script_failure(&self, why: &EvalAltResult, script: &Script) -> Writer {
        self.write_failure(failure_number(why), &error::diagnostic(why, script.file, &self.scripts.sources))
    }

    fn write_failure(&self, number: u64, diagnostic: &Diagnostic) -> Writer {
        let mut writer = Writer::new(from_worker::FAILURE);
        writer.number(number).diagnostic(diagnostic, &self.scripts.sources);
        writer
    }
}

pub(super) fn read_environment(reader: &mut Reader<'_>) -> Option<Environment> {
    let document: EnvironmentDocument<'_> = reader.document(FROM_COMPILE)?;
    let path = |path: Cow<'_, str>| PathBuf::from(path.into_owned());
    let module = |(name, root): (&str, Cow<'_, str>)| {
        let name: Arc<str> = Arc::from(name);
        (name.clone(), Module::new(name, path(root)))
    };
    Some(Environment {
        name: Arc::from(document.name),
        root: document.root.map(path),
        modulepath: document.modulepath.into_iter().map(path).collect(),
        modules: Arc::new(document.modules.into_iter().map(module).collect::<IndexMap<_, _>>()),
        ..Environment::default()
    })
}

fn write_no_value(why: &str) -> Writer {
    let mut writer = Writer::new(from_worker::NO_VALUE);
    writer.string(why);
    writer
}

/// The number of the compile's failure that an error carries.
fn failure_number(why: &EvalAltResult) -> u64 {
    let Some(HostFailure(stop, _)) = error::host_failure(why) else { return u64::MAX };
    match stop.lock().as_ref() {
        Some(Stop::Failed(diagnostic)) => {
            diagnostic.help.as_deref().and_then(|number| number.parse().ok()).unwrap_or(u64::MAX)
        }
        _ => u64::MAX,
    }
}

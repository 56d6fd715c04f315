//! Answers to the calls of scripts in workers.
//!
//! In: frames from a worker, the running compile. Out: frames. Must not: trust a worker: its calls are checked here.

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use super::Conversation;
use super::WorkerFailure;
use crate::callers;
use crate::function::host_failure;
use crate::host::Closure;
use crate::host::HostApi;
use crate::host::HostFailure;
use crate::host::ImportContext;
use crate::worker::allowed;
use crate::worker::codec::Reader;
use crate::worker::codec::Writer;
use crate::worker::from_worker;
use crate::worker::remote::digest;
use crate::worker::to_worker;
use catwalk_base::diag::Cause;
use catwalk_eval::Stop;
use catwalk_eval::is_not_found;
use catwalk_value::Value;
use catwalk_world::Kind;
use catwalk_world::WorldError;
use catwalk_world::worker::restricted;

/// The maximum number of parameters of a script's block; the compile describes each of them.
const MAX_ARITY: usize = 255;

impl Conversation<'_> {
    /// Answers a call of the worker, with the rights of a script; `None`: the frame is not a call.
    pub(super) fn answer_call(&self, frame: &[u8]) -> Option<Writer> {
        let _ = restricted::take_refusal(self.loading.world);
        restricted::for_script(self.loading.world, || {
            let mut reader = Reader::new(frame);
            match reader.byte()? {
                from_worker::READ => self.answer_read(&mut reader),
                from_worker::KIND => self.answer_kind(&mut reader),
                from_worker::SECRETS => {
                    self.secrets_left.set(self.secrets_left.get().checked_sub(frame.len())?);
                    for _ in 0..reader.number()? {
                        self.loading.world.secrets().report(reader.string()?);
                    }
                    Some(Writer::new(to_worker::ANSWER))
                }
                tag => callers::host(|host| self.answer_host_call(host, tag, &mut reader)).flatten(),
            }
        })
    }

    /// Answers with the bytes of a file, unless the worker has them.
    fn answer_read(&self, reader: &mut Reader<'_>) -> Option<Writer> {
        let path = PathBuf::from(reader.string()?);
        let cached_digest = if reader.byte()? == 1 { Some(reader.number()?) } else { None };
        let mut answer = Writer::new(to_worker::ANSWER);
        match self.read(&path) {
            Ok(bytes) if cached_digest == Some(digest(&bytes)) => answer.byte(2),
            Ok(bytes) => answer.byte(3).bytes(&bytes),
            Err(WorldError::Unreadable(_, why)) => answer.byte(1).string(&why),
            Err(_) => answer.byte(0),
        };
        Some(answer)
    }

    /// Answers with the kind of the entry at a path.
    fn answer_kind(&self, reader: &mut Reader<'_>) -> Option<Writer> {
        let path = PathBuf::from(reader.string()?);
        let kind = if self.may_read(&path) { self.loading.world.kind(&path) } else { Kind::Missing };
        let mut answer = Writer::new(to_worker::ANSWER);
        answer.byte(match kind {
            Kind::Missing => 0,
            Kind::File => 1,
            Kind::Directory => 2,
        });
        Some(answer)
    }

    /// Answers a call of the running compile, as [`host::HostApi`] defines them.
    fn answer_host_call(&self, host: &mut dyn HostApi, tag: u8, reader: &mut Reader<'_>) -> Option<Writer> {
        let mut answer = Writer::new(to_worker::ANSWER);
        let result = match tag {
            from_worker::FUNCTION => {
                let (name, args) = (reader.string()?, reader.values(self)?);
                let closure = self.read_closure(reader)?;
                allowed::check(name)
                    .map_err(|reason| host_failure(reason.into()))
                    .and_then(|()| self.with_closure(closure, |closure| host.call_function(name, &args, closure)))
            }
            from_worker::BLOCK => {
                let block = usize::try_from(reader.number()?).ok()?;
                let args = reader.values(self)?;
                host.call_block(block, &args)
            }
            from_worker::CONTEXT => {
                let (context, name, args) = (reader.value(self)?, reader.string()?, reader.values(self)?);
                let closure = self.read_closure(reader)?;
                self.with_closure(closure, |closure| host.call_context(&context, name, &args, closure))
            }
            from_worker::BACKEND => {
                let (name, args) = (reader.string()?, reader.values(self)?);
                let checked = allowed::check(name).map_err(|reason| host_failure(reason.into()));
                match checked.and_then(|()| host.call_backend(name, &args)) {
                    Ok(None) => drop(answer.byte(0)),
                    Ok(Some(value)) => drop(answer.byte(1).value(&value, self)),
                    Err(failure) => return Some(self.write_result(Err(failure))),
                }
                return Some(answer);
            }
            from_worker::TYPE => {
                let text = reader.string()?;
                host.parse_type(text)
            }
            from_worker::IS_A => {
                let (value, data_type) = (reader.value(self)?, reader.value(self)?);
                host.is_a(&value, &data_type).map(Value::Bool)
            }
            from_worker::TYPE_OF => {
                let value = reader.value(self)?;
                host.type_of(&value)
            }
            from_worker::FACTS => {
                answer.hash(&host.facts(), self);
                return Some(answer);
            }
            from_worker::LOG => {
                let (level, text) = (reader.string()?, reader.string()?);
                host.log(level, text);
                return Some(answer);
            }
            _ => return None,
        };
        Some(self.write_result(result))
    }

    fn write_result(&self, result: Result<Value, HostFailure>) -> Writer {
        match result {
            Ok(value) => {
                let mut answer = Writer::new(to_worker::ANSWER);
                answer.value(&value, self);
                answer
            }
            Err(HostFailure(stop, text)) => {
                let mut stop = stop.lock().take();
                let help = match &mut stop {
                    Some(Stop::Reason(reason)) => Some(&mut reason.help),
                    Some(Stop::Failed(diagnostic)) => Some(&mut diagnostic.help),
                    _ => None,
                };
                if let (Some(help), Some(refusal)) = (help, restricted::take_refusal(self.loading.world)) {
                    help.get_or_insert(refusal.into());
                }
                let not_found = stop.as_ref().is_some_and(is_not_found);
                let mut failures = self.failures.borrow_mut();
                failures.push(stop);
                let mut answer = Writer::new(to_worker::FAILED);
                answer.number(failures.len() as u64 - 1).byte(u8::from(not_found)).string(&text);
                answer
            }
        }
    }

    /// Reads whether the script passed a block, and how many arguments it takes. `None` if the frame is damaged.
    #[allow(clippy::option_option, reason = "outer: the frame is whole")]
    fn read_closure(&self, reader: &mut Reader<'_>) -> Option<Option<Option<usize>>> {
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

    #[allow(clippy::option_option, reason = "as the frame contains it")]
    fn with_closure<T>(&self, closure: Option<Option<usize>>, run: impl FnOnce(Option<Closure<'_>>) -> T) -> T {
        let mut call = |args: &[Value]| -> Result<Value, String> {
            let mut writer = Writer::new(to_worker::CLOSURE);
            writer.values(args, self);
            self.send(&writer);
            let frame = match self.answer_calls() {
                Ok(frame) => frame,
                Err(WorkerFailure::Failed(diagnostic, _)) => return Err(diagnostic.message.to_string()),
                Err(WorkerFailure::NoValue(why)) => return Err(why),
            };
            let mut reader = Reader::new(&frame);
            let no_result = || "the script's block returned nothing".to_owned();
            match reader.byte() {
                Some(from_worker::CLOSURE_VALUE) => reader.value(self).ok_or_else(no_result),
                Some(from_worker::CLOSURE_FAILED) => Err(reader.string().unwrap_or_default().to_owned()),
                _ => Err(no_result()),
            }
        };
        match closure {
            None => run(None),
            Some(arity) => run(Some((&mut call, arity))),
        }
    }

    fn read(&self, path: &Path) -> Result<Arc<[u8]>, WorldError> {
        let missing = || WorldError::Missing(path.to_path_buf());
        if !self.may_read(path) {
            return Err(missing());
        }
        let ImportContext { scripts, environment, world, .. } = self.loading;
        scripts.read(path, environment, *world).map_err(|why| {
            // A forbidden file is missing for untrusted code, but the reported error is the attempt.
            match why.cause != Cause::Forbidden && world.kind(path) == Kind::Missing {
                true => missing(),
                false => WorldError::Unreadable(path.to_path_buf(), Arc::from(why.message)),
            }
        })
    }
}

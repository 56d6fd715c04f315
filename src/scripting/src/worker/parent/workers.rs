//! Processes that run scripts, and what each was told.
//!
//! In: programs of scripts. Out: processes that are free. Must not: know the conversation.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::Weak;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering;

use indexmap::IndexMap;

use crate::api::Held;
use crate::worker::Isolation;
use catwalk_program::environment::Module;
use catwalk_value::value::Hash;
use catwalk_value::value::Value;
use catwalk_world::worker::ARGUMENT;
use catwalk_world::worker::FrameScript;
use catwalk_world::worker::Worker;

/// So many idle workers are kept.
const IDLE: usize = 8;

/// The workers of a host.
#[derive(Debug)]
pub(crate) struct Workers {
    source: Source,
    idle: Mutex<Vec<Slot>>,
    /// How often a script was read for its groups.
    readings: AtomicU64,
}

/// What new workers are.
#[derive(Debug)]
enum Source {
    /// Processes of a program.
    Program(Isolation),
    /// No processes: all send the frames of one script, in its order.
    Script(FrameScript),
}

/// A worker, and what it was told.
#[derive(Debug)]
pub(super) struct Slot {
    pub(super) worker: Worker,
    pub(super) environment: Option<Told>,
    pub(super) subject: Subject,
    /// What of the subject stayed here.
    pub(super) values: Vec<Value>,
}

/// An environment as a worker knows it.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Told {
    pub(super) name: Arc<str>,
    pub(super) root: Option<PathBuf>,
    pub(super) modulepath: Vec<PathBuf>,
    pub(super) modules: Same<IndexMap<Arc<str>, Module>>,
}

/// What several questions are about, so that a worker is told once.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Subject {
    /// Nothing of that kind.
    None,
    /// A catalog, asked about by policies.
    Catalog(Gone<Held>),
    /// A node, asked about by rules: its name, facts and trusted data.
    Node(Arc<str>, Gone<Hash>, Gone<Hash>),
}

/// The same thing, not an equal one.
#[derive(Debug)]
pub(super) struct Same<T>(pub(crate) Arc<T>);

impl<T> Clone for Same<T> {
    fn clone(&self) -> Same<T> {
        Same(self.0.clone())
    }
}

impl<T> PartialEq for Same<T> {
    fn eq(&self, other: &Same<T>) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// The same without keeping it.
#[derive(Debug)]
pub(crate) struct Gone<T>(pub(crate) Weak<T>);

impl<T> Clone for Gone<T> {
    fn clone(&self) -> Gone<T> {
        Gone(self.0.clone())
    }
}

impl<T> PartialEq for Gone<T> {
    fn eq(&self, other: &Gone<T>) -> bool {
        // While someone has the pointer no other thing can be there.
        Weak::ptr_eq(&self.0, &other.0)
    }
}

impl Workers {
    pub(crate) fn new(isolation: Isolation) -> Workers {
        Workers::of(Source::Program(isolation))
    }

    /// Workers without processes, for fuzzing.
    pub(crate) fn scripted(frames: FrameScript) -> Workers {
        Workers::of(Source::Script(frames))
    }

    fn of(source: Source) -> Workers {
        Workers { source, idle: Mutex::default(), readings: AtomicU64::new(0) }
    }

    /// A number for one reading of a script.
    pub(crate) fn reading(&self) -> u64 {
        self.readings.fetch_add(1, Ordering::Relaxed)
    }

    /// An idle worker, one that knows the subject if there is one, or a new one.
    pub(super) fn take(&self, subject: &Subject) -> Result<Slot, String> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let knows = idle.iter().rposition(|slot| *subject != Subject::None && slot.subject == *subject);
        let found = match knows {
            Some(at) => Some(idle.remove(at)),
            None => idle.pop(),
        };
        drop(idle);
        if let Some(slot) = found {
            return Ok(slot);
        }
        let worker = match &self.source {
            Source::Program(isolation) => Worker::start(&isolation.program, &[ARGUMENT.to_owned()])?,
            Source::Script(frames) => Worker::scripted(frames.clone()),
        };
        Ok(Slot { worker, environment: None, subject: Subject::None, values: Vec::new() })
    }

    pub(super) fn put(&self, slot: Slot) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < IDLE {
            idle.push(slot);
        }
    }
}

//! The worker processes, and the data that each has received.
//!
//! In: the worker's program. Out: idle processes. Must not: know the messages.

use parking_lot::Mutex;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::Weak;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering;

use indexmap::IndexMap;

use crate::api::CatalogView;
use crate::worker::Isolation;
use catwalk_program::Module;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_world::worker::ARGUMENT;
use catwalk_world::worker::FrameScript;
use catwalk_world::worker::Worker;

/// The number of idle workers that are kept.
const MAX_IDLE: usize = 8;

/// The workers of a host.
#[derive(Debug)]
pub(crate) struct Workers {
    source: Source,
    idle: Mutex<Vec<Slot>>,
    /// The number of times that a script was read for its groups.
    readings: AtomicU64,
}

/// The kind of new workers.
#[derive(Debug)]
enum Source {
    /// Processes of a program.
    Program(Isolation),
    /// No processes: all send the frames of one script, in its order.
    Script(FrameScript),
}

/// A worker, and the data that it has received.
#[derive(Debug)]
pub(super) struct Slot {
    pub(super) worker: Worker,
    pub(super) environment: Option<SentEnvironment>,
    pub(super) subject: Subject,
    /// Values of the subject that were not sent.
    pub(super) values: Vec<Value>,
}

/// The environment that a worker has received.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct SentEnvironment {
    pub(super) name: Arc<str>,
    pub(super) root: Option<PathBuf>,
    pub(super) modulepath: Vec<PathBuf>,
    pub(super) modules: ArcByAddress<IndexMap<Arc<str>, Module>>,
}

/// The subject of several requests, so that a worker receives it once.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Subject {
    /// No subject.
    None,
    /// A catalog, for policies.
    Catalog(WeakByAddress<CatalogView>),
    /// A node, for rules: its name, facts and trusted data.
    Node(Arc<str>, WeakByAddress<Hash>, WeakByAddress<Hash>),
}

/// An `Arc` that is compared by address.
#[derive(Debug)]
pub(super) struct ArcByAddress<T>(pub(crate) Arc<T>);

impl<T> Clone for ArcByAddress<T> {
    fn clone(&self) -> ArcByAddress<T> {
        ArcByAddress(self.0.clone())
    }
}

impl<T> PartialEq for ArcByAddress<T> {
    fn eq(&self, other: &ArcByAddress<T>) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// A weak pointer that is compared by address.
#[derive(Debug)]
pub(crate) struct WeakByAddress<T>(pub(crate) Weak<T>);

impl<T> Clone for WeakByAddress<T> {
    fn clone(&self) -> WeakByAddress<T> {
        WeakByAddress(self.0.clone())
    }
}

impl<T> PartialEq for WeakByAddress<T> {
    fn eq(&self, other: &WeakByAddress<T>) -> bool {
        // While the pointer exists, its address is not reused.
        Weak::ptr_eq(&self.0, &other.0)
    }
}

impl Workers {
    pub(crate) fn new(isolation: Isolation) -> Workers {
        Workers::with_source(Source::Program(isolation))
    }

    /// Workers without processes, for fuzzing.
    pub(crate) fn scripted(frames: FrameScript) -> Workers {
        Workers::with_source(Source::Script(frames))
    }

    fn with_source(source: Source) -> Workers {
        Workers { source, idle: Mutex::default(), readings: AtomicU64::new(0) }
    }

    /// A number for one reading of a script.
    pub(crate) fn next_reading(&self) -> u64 {
        self.readings.fetch_add(1, Ordering::Relaxed)
    }

    /// An idle worker, preferably one that has the subject, or a new one.
    pub(super) fn take(&self, subject: &Subject) -> Result<Slot, String> {
        let mut idle = self.idle.lock();
        let with_subject = idle.iter().rposition(|slot| *subject != Subject::None && slot.subject == *subject);
        let slot = match with_subject {
            Some(at) => Some(idle.remove(at)),
            None => idle.pop(),
        };
        drop(idle);
        if let Some(slot) = slot {
            return Ok(slot);
        }
        let worker = match &self.source {
            Source::Program(isolation) => Worker::start(&isolation.program, &[ARGUMENT.to_owned()])?,
            Source::Script(frames) => Worker::scripted(frames.clone()),
        };
        Ok(Slot { worker, environment: None, subject: Subject::None, values: Vec::new() })
    }

    pub(super) fn give_back(&self, slot: Slot) {
        let mut idle = self.idle.lock();
        if idle.len() < MAX_IDLE {
            idle.push(slot);
        }
    }
}

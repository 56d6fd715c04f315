//! Scripts in worker processes, for sites whose authors are not trusted.
//!
//! In: a script's entry with its arguments. Out: its value or its failure, as without a worker. The process is this program
//! (`catwalk internal-worker`); it has no environment, no files and no network ([`catwalk_world::worker`]). Calls from a script
//! into the compile (functions, blocks, the context of a lookup, its own files) are sent over the pipe, and the compile handles
//! them as for a script in its own process: only scripts of the site and its modules can be read.
//!
//! Calls are strictly nested: the side that waits for an answer serves calls of the other. A script that calls a function which
//! calls a script uses a second process; idle ones are reused.

mod allowed;
mod child;
mod codec;
mod documents;
mod entries;
mod parent;
mod remote;
mod schema;

use std::path::PathBuf;

pub use child::serve;
pub use child::serve_script;
pub(super) use parent::Conversation;
pub(super) use parent::WorkerFailure;
pub(super) use parent::Workers;

/// Reads a frame as each kind of document that either end may get: for fuzzing.
#[doc(hidden)]
pub fn decode_frame(frame: &[u8]) {
    use codec::Reader;
    let retained = &remote::NoRetainedValues::default();
    let _ = Reader::new(frame).values(retained);
    if let Some(value) = Reader::new(frame).value(retained) {
        // A document that could be read must survive being written and read again.
        let mut writer = codec::Writer::default();
        writer.value(&value, retained);
        let _ = Reader::new(&writer.0).value(retained);
    }
    let _ = Reader::new(frame).diagnostic(&|_| None);
    let _ = documents::read_request(&mut Reader::new(frame), retained);
    let _ = documents::read_catalog(&mut Reader::new(frame), retained);
    let _ = documents::read_classification(&mut Reader::new(frame), retained, &|_| true);
    let _ = documents::read_verdicts(&mut Reader::new(frame));
    let _ = documents::read_groups(&mut Reader::new(frame), retained, 1);
    let _ = documents::read_registrations(&mut Reader::new(frame), retained);
    let _ = child::read_environment(&mut Reader::new(frame));
}

/// How scripts are isolated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Isolation {
    /// The program of the workers: this one.
    pub program: PathBuf,
}

/// Address space of a worker beyond what the program itself takes. The engine's own memory limit is lower and ends a script
/// earlier.
pub(super) const MEMORY: u64 = 768 << 20;

/// Tags of the first request to a worker.
mod to_worker {
    pub(super) const FUNCTION: u8 = 1;
    pub(super) const CLASSIFY: u8 = 2;
    pub(super) const TOP: u8 = 3;
    /// The answer to a call of the worker.
    pub(super) const ANSWER: u8 = 4;
    pub(super) const FAILED: u8 = 5;
    /// A block of the script is called.
    pub(super) const CLOSURE: u8 = 6;
    pub(super) const POLICY: u8 = 7;
    /// Groups that a script declares; a rule of one.
    pub(super) const GROUPS: u8 = 8;
    pub(super) const RULE: u8 = 9;
    /// What a script registers: resource types, transports.
    pub(super) const REGISTRATIONS: u8 = 10;
}

/// Tags of messages from a worker.
mod from_worker {
    pub(super) const VALUE: u8 = 1;
    pub(super) const CLASSIFICATION: u8 = 2;
    pub(super) const DISPATCHES: u8 = 3;
    pub(super) const FAILURE: u8 = 4;
    /// A value that cannot leave the script.
    pub(super) const NO_VALUE: u8 = 5;
    pub(super) const CLOSURE_VALUE: u8 = 6;
    pub(super) const CLOSURE_FAILED: u8 = 7;
    pub(super) const VERDICTS: u8 = 8;
    pub(super) const GROUPS: u8 = 9;
    /// From here on: calls from a worker.
    pub(super) const READ: u8 = 10;
    pub(super) const KIND: u8 = 11;
    pub(super) const FUNCTION: u8 = 12;
    pub(super) const BLOCK: u8 = 13;
    pub(super) const CONTEXT: u8 = 14;
    pub(super) const BACKEND: u8 = 15;
    pub(super) const TYPE: u8 = 16;
    pub(super) const FACTS: u8 = 17;
    pub(super) const LOG: u8 = 18;
    pub(super) const IS_A: u8 = 19;
    pub(super) const TYPE_OF: u8 = 20;
    /// Strings that the script wrapped in a Sensitive or unwrapped.
    pub(super) const SECRETS: u8 = 21;
    /// The registrations of a script.
    pub(super) const REGISTRATIONS: u8 = 22;
}

//! The external data of one node's compile: the disk, with a tape in front of it when responses are recorded or replayed.

use std::sync::Arc;

use crate::session::Session;
use catwalk_base::diag::Cause;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::secrets::SecretCollection;
use catwalk_world::RecordingWorld;
use catwalk_world::Tape;
use catwalk_world::Tapes;
use catwalk_world::World;

/// The world of one node.
#[derive(Clone)]
pub(super) struct NodeWorld {
    below: Arc<dyn World>,
    tape: Option<Arc<Tape>>,
}

/// External data that is read outside of a compile, such as PuppetDB's catalogs for `diff`.
pub struct ExternalQueries(NodeWorld);

impl ExternalQueries {
    /// The world to read from.
    #[must_use]
    pub fn world(&self) -> &dyn World {
        self.0.below.as_ref()
    }

    /// Writes the tape, if responses are recorded.
    ///
    /// # Errors
    /// The tape cannot be written, or a replay had no response.
    pub fn close(&self) -> Result<(), Reason> {
        self.0.tape.as_ref().map_or(Ok(()), |tape| tape.close())
    }
}

impl Session {
    /// Opens external data that belongs to no node; `name` is the name of its file on a tape.
    ///
    /// # Errors
    /// The tape is malformed.
    pub fn external_queries(&self, name: &str) -> Result<ExternalQueries, Reason> {
        self.node_world(name).map(ExternalQueries)
    }

    /// Opens the world of a node's compile.
    ///
    /// # Errors
    /// Its tape is malformed.
    pub(super) fn node_world(&self, certname: &str) -> Result<NodeWorld, Reason> {
        self.open_world(|tapes| Tape::open(tapes, certname, self.world.clone()))
    }

    /// Opens the world of a test case. Several cases may have the same certname; each has its own tape.
    ///
    /// # Errors
    /// Its tape is malformed.
    pub(super) fn case_world(&self, case: &str, certname: &str) -> Result<NodeWorld, Reason> {
        self.open_world(|tapes| Tape::open_case(tapes, case, certname, self.world.clone()))
    }

    fn open_world(&self, open: impl FnOnce(&Arc<Tapes>) -> Result<Tape, Reason>) -> Result<NodeWorld, Reason> {
        let Some(tapes) = &self.tapes else { return Ok(NodeWorld::new(self.world.clone())) };
        let tape = Arc::new(open(tapes)?);
        Ok(NodeWorld { below: tape.clone(), tape: Some(tape) })
    }
}

impl NodeWorld {
    /// A world without a tape.
    pub(super) fn new(below: Arc<dyn World>) -> NodeWorld {
        NodeWorld { below, tape: None }
    }

    /// A view of this world that records what is read through it, for code whose secrets are reported to `secrets`.
    pub(super) fn recording(&self, secrets: &Arc<SecretCollection>) -> Arc<RecordingWorld> {
        Arc::new(RecordingWorld::for_compile(self.below.clone(), secrets.clone()))
    }

    /// Ends the compile and writes a recorded tape. A request without a recorded response is an error, with its position if the
    /// compile failed because of it.
    pub(super) fn close<T>(&self, result: Result<T, Box<Diagnostic>>) -> Result<T, Box<Diagnostic>> {
        let Some(Err(reason)) = self.tape.as_ref().map(|tape| tape.close()) else { return result };
        match result {
            Err(mut failure) if failure.cause == Cause::NotRecorded => {
                failure.code = Code::NO_RECORDED_ANSWER;
                failure.help = reason.help;
                Err(failure)
            }
            // The failure that came before the tape's is more important.
            Err(failure) if reason.code == Code::BAD_TAPE => Err(failure),
            // Code may wrap or catch what it got in place of an answer, and fail then.
            Err(failure) => {
                let mut unanswered = Diagnostic::new(reason, failure.span);
                unanswered.trace = failure.trace;
                Err(Box::new(unanswered))
            }
            Ok(_) => Err(Box::from(reason)),
        }
    }
}

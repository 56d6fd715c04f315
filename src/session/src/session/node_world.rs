//! The outside of one node's compile: the disk, with a tape between the two when answers are recorded or replayed.

use std::sync::Arc;

use crate::session::Session;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_world::Recorded;
use catwalk_world::Tape;
use catwalk_world::Tapes;
use catwalk_world::World;

/// What a node's compile asks.
pub(super) struct Outside {
    pub(super) world: Arc<Recorded>,
    tape: Option<Arc<Tape>>,
}

/// Questions to the outside besides those of a compile.
pub struct Aside(Outside);

impl Aside {
    /// Who answers.
    #[must_use]
    pub fn world(&self) -> &dyn World {
        self.0.world.as_ref()
    }

    /// Ends the questions: what was recorded is written.
    ///
    /// # Errors
    /// It cannot be written, or a replay had no answer.
    pub fn close(&self) -> Result<(), Reason> {
        self.0.tape.as_ref().map_or(Ok(()), |tape| tape.close())
    }
}

impl Session {
    /// The outside for questions that are no node's; on a tape they have a file of this name.
    ///
    /// # Errors
    /// The tape is malformed.
    pub fn aside(&self, name: &str) -> Result<Aside, Reason> {
        self.outside(name).map(Aside)
    }

    /// The outside of a node.
    ///
    /// # Errors
    /// Its tape is malformed.
    pub(super) fn outside(&self, certname: &str) -> Result<Outside, Reason> {
        self.on_tape(|tapes| Tape::open(tapes, certname, self.world.clone()))
    }

    /// The outside of a case of tests: several may be about one certname, and each has its own tape.
    ///
    /// # Errors
    /// Its tape is malformed.
    pub(super) fn outside_of_case(&self, case: &str, certname: &str) -> Result<Outside, Reason> {
        self.on_tape(|tapes| Tape::open_case(tapes, case, certname, self.world.clone()))
    }

    fn on_tape(&self, open: impl FnOnce(&Arc<Tapes>) -> Result<Tape, Reason>) -> Result<Outside, Reason> {
        let Some(tapes) = &self.tapes else {
            return Ok(Outside { world: Arc::new(Recorded::new(self.world.clone())), tape: None });
        };
        let tape = Arc::new(open(tapes)?);
        Ok(Outside { world: Arc::new(Recorded::new(tape.clone())), tape: Some(tape) })
    }
}

impl Outside {
    /// Ends the compile: a recorded tape is written; a question without an answer is a failure, at the place that asked if
    /// that is known.
    pub(super) fn close<T>(&self, result: Result<T, Box<Diagnostic>>) -> Result<T, Box<Diagnostic>> {
        let Some(Err(reason)) = self.tape.as_ref().map(|tape| tape.close()) else { return result };
        match result {
            Err(mut failure) if failure.message.contains(&*reason.message) => {
                failure.code = Code("NO_RECORDED_ANSWER");
                failure.help = reason.help;
                Err(failure)
            }
            // What failed before the tape could not be written is more important.
            Err(failure) if reason.code == Code("BAD_TAPE") => Err(failure),
            _ => Err(Box::new(Diagnostic::new(reason, None))),
        }
    }
}

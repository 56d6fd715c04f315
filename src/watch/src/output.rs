//! What the output of watch receives: the results of rounds, of cases, of the command of `--exec`, and messages.

use std::path::PathBuf;
use std::time::Duration;

use crate::cases::Round as CaseRound;
use catwalk_base::diag::Reason;
use catwalk_session::Session;
use catwalk_session::update::NodeUpdate;
use catwalk_session::update::Outcome;
use catwalk_session::update::State;

/// The message when the site can be read again.
pub(crate) const REPAIRED: &str = "the site can be read again";

/// The state after a round of compiles.
pub struct RoundResult<'a> {
    /// The results of the nodes.
    pub updates: &'a [NodeUpdate],
    /// The state of all nodes.
    pub state: &'a State,
    /// The session of the site.
    pub session: &'a Session,
    /// The time since the change was detected.
    pub elapsed: Duration,
    /// Whether an edit caused the round; false for the first round.
    pub edit: bool,
}

impl RoundResult<'_> {
    /// The number of compiled nodes; the other updates are removed nodes.
    #[must_use]
    pub fn compiled(&self) -> usize {
        self.updates.iter().filter(|update| !matches!(update.outcome, Outcome::Removed)).count()
    }
}

/// The result of the command of `--exec`.
#[derive(Default)]
pub struct ExecResult {
    /// What it wrote to stdout.
    pub output: String,
    /// What it wrote to stderr.
    pub errors: String,
    /// The exit code; `None` if Catwalk ended the command.
    pub status: Option<i32>,
    /// Why the command could not be started.
    pub start_error: Option<String>,
}

impl ExecResult {
    /// The message about the command besides its output.
    #[must_use]
    pub fn note(&self) -> String {
        let mut note = self.errors.trim_end().to_owned();
        let end = match (&self.start_error, self.status) {
            (Some(start_error), _) => format!("the command of --exec does not run: {start_error}"),
            (None, Some(0)) => return note,
            (None, Some(status)) => format!("the command of --exec ended with {status}"),
            (None, None) => "the command of --exec was stopped".to_owned(),
        };
        if !note.is_empty() {
            note.push('\n');
        }
        note.push_str(&end);
        note
    }
}

/// The output of watch: lines, events, or a full screen.
pub trait WatchOutput {
    /// A compile begins; `nodes`: the number of watched nodes.
    fn begin(&mut self, nodes: usize);
    /// A function to call after each compile, from any thread, with the number of nodes to compile.
    fn progress(&self) -> Box<dyn Fn(usize) + Sync> {
        Box::new(|_| ())
    }
    /// A compile ended; after an edit that affects no catalog, there are no updates.
    fn round(&mut self, result: &RoundResult<'_>);
    /// An error or warning; `broken`: the site cannot be read at present.
    fn report(&mut self, reason: Reason, broken: bool);
    /// The site can be read again.
    fn report_repair(&mut self);
    /// The command of `--exec` has ended.
    fn show_command(&mut self, result: &ExecResult);
    /// Runs long work; requests in the meantime are answered from the current state.
    fn answer_during(&mut self, _session: &Session, _state: &State, work: &mut dyn FnMut()) {
        work();
    }
    /// Works on pending tasks until the next edit.
    fn idle(&mut self, session: &Session, state: &State) -> Idle;
    /// Takes the results of the cases of test files in a round, if they are available immediately.
    fn take_case_round(&mut self) -> CaseRound {
        CaseRound::default()
    }
    /// Compiles the waiting cases of test files and returns their results.
    fn cases(&mut self, _session: &Session, _state: &State) -> CaseRound {
        CaseRound::default()
    }
    /// Paths to watch besides those of the nodes.
    fn paths(&self) -> Vec<PathBuf> {
        Vec::new()
    }
}

/// The remaining work while there are no edits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Idle {
    /// No work is left.
    Done,
    /// More work is left.
    More,
    /// Only new paths must be watched.
    Watch,
}

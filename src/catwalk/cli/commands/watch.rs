//! `catwalk watch [CERTNAME…]`

mod cases;
mod follower;
mod full;
mod messages;
mod model;
mod round;
mod show;
mod snapshot_comparison;
mod view;

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::cli::Logger;
use crate::cli::commands::watch::cases::Round as CaseRound;
use crate::cli::commands::watch::follower::Follower;
use crate::cli::options;
use crate::cli::site::SiteArgs;
use crate::cli::site::SuiteArgs;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_session::Session;
use catwalk_session::update::NodeUpdate;
use catwalk_session::update::Outcome;
use catwalk_session::update::State;
use catwalk_world::disable_large_pages;

/// Arguments of `watch`.
#[derive(Args, Debug)]
pub struct Watch {
    /// Nodes to compile: names or patterns such as 'web*' [default: all nodes of the site]
    pub certnames: Vec<String>,
    #[command(flatten)]
    pub site: SiteArgs,
    #[command(flatten)]
    pub directories: SuiteArgs,
    /// Poll for changes at this interval in milliseconds instead of using the system's file events
    #[arg(long, value_name = "MS", num_args = 0..=1, default_missing_value = "500")]
    pub poll: Option<u64>,
    /// Print lines instead of the full screen; the default without a terminal
    #[arg(long)]
    pub plain: bool,
    /// Print events as JSON, one per line
    #[arg(long)]
    pub json: bool,
    /// Run a command with `sh -c` after each change of a catalog or an error; its arguments are the affected nodes
    #[arg(long, value_name = "CMD")]
    pub exec: Option<String>,
    /// End after the first change that compiles nodes or changes the result of a case; the exit code is 1 if one fails
    #[arg(long)]
    pub once: bool,
}

/// Compiles, then shows the changes of every edit until the user stops it.
pub fn run(args: &Watch) -> u8 {
    // Small pages: clearing a large page takes longer than processing an edit. A single compile is faster with large pages.
    disable_large_pages();
    let logger = Logger::from_args(&args.site);
    match watch(args, &logger) {
        Ok(code) => code,
        Err(reason) => {
            let code = if reason.code == Code::USAGE || reason.code == Code::BAD_SITE { 2 } else { 1 };
            print_error(&logger, reason);
            code
        }
    }
}

fn print_error(logger: &Logger, reason: Reason) {
    logger.write(&Diagnostic::new(reason, None), &options::message_sources(), None);
}

/// The message when the site can be read again.
const REPAIRED: &str = "the site can be read again";

/// The state after a round of compiles.
struct RoundResult<'a> {
    updates: &'a [NodeUpdate],
    state: &'a State,
    session: &'a Session,
    elapsed: Duration,
    /// Whether an edit caused the round; false for the first round.
    edit: bool,
}

impl RoundResult<'_> {
    /// The number of compiled nodes; the other updates are removed nodes.
    fn compiled(&self) -> usize {
        self.updates.iter().filter(|update| !matches!(update.outcome, Outcome::Removed)).count()
    }
}

/// The result of the command of `--exec`.
#[derive(Default)]
struct ExecResult {
    output: String,
    errors: String,
    /// The exit code; `None` if Catwalk ended the command.
    status: Option<i32>,
    /// Why the command could not be started.
    start_error: Option<String>,
}

impl ExecResult {
    /// The message about the command besides its output.
    fn note(&self) -> String {
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

/// The output of watch: lines on stdout, or a full screen.
trait WatchOutput {
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
enum Idle {
    /// No work is left.
    Done,
    /// More work is left.
    More,
    /// Only new paths must be watched.
    Watch,
}

fn watch(args: &Watch, logger: &Logger) -> Result<u8, Reason> {
    let mut follower = Follower::open(args, logger)?;
    follower.compile_all()?;
    loop {
        let Some(changes) = follower.wait()? else { return Ok(0) };
        if !follower.refresh(&changes) {
            continue;
        }
        let Some(compiled) = follower.compile()? else { continue };
        if let Some(code) = follower.show(&compiled) {
            return Ok(code);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]
mod tests;

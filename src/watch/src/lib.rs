//! Follows the edits of a site: waits for changes, refreshes the session, compiles the affected nodes, reports the results.
//!
//! In: the options of a site, [`WatchOptions`], events of the file system. Out: calls of a [`WatchOutput`]: [`Lines`], a [`FullScreen`] or
//! that of the caller. Must not: know terminals and options of commands; decide which nodes a change affects.
//!
//! | file | what |
//! |---|---|
//! | `follower` | the loop: wait, refresh, compile, show |
//! | `output` | what an output receives |
//! | `cases`, `snapshot_comparison` | cases of test files, catalogs that differ from their snapshots |
//! | `messages`, `round` | the messages and results of a round, equal ones of several nodes once |
//! | `lines` | lines for people, events as JSON |
//! | `full`, `model`, `view` | the full screen: its threads, its state, its lines |

mod cases;
mod follower;
mod full;
mod lines;
mod messages;
mod model;
mod output;
mod round;
mod snapshot_comparison;
#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]
mod tests;
mod view;

pub use cases::Round as CaseRound;
pub use follower::Compiled;
pub use follower::Follower;
pub use follower::WatchOptions;
pub use full::FullScreen;
pub use full::InputSender;
pub use full::ScreenOptions;
pub use full::Terminal;
pub use full::TerminalInput;
pub use lines::LineWriter;
pub use lines::Lines;
pub use output::ExecResult;
pub use output::Idle;
pub use output::RoundResult;
pub use output::WatchOutput;

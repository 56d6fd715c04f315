//! The processes of a server: one that serves, and one that starts it again when it dies.
//!
//! In: the address to listen on, signals, the site to serve. Out: a serving process that is replaced when it dies. Must not: know the
//! protocol of agents, options of commands except that `serve` starts the process that serves as `internal-serve`. It runs on Unix.
//!
//! | file | what |
//! |---|---|
//! | `supervisor` | starts the process that serves, and starts it again |
//! | `process` | the process that serves: its socket, its end, its signals |
//! | `journal` | what the two tell each other |
//! | `crashes` | the requests that were being answered when the process died |
#![cfg(unix)]

mod crashes;
mod journal;
mod process;
mod supervisor;

pub use journal::Journal;
pub use journal::Start;
pub use process::end_with;
pub use process::inherited_listener;
pub use process::serve;
pub use supervisor::run;

use catwalk_base::diag::Code;
use catwalk_base::diag::Reason;

fn server_error(error: impl std::fmt::Display) -> Reason {
    Reason::new(Code::SERVER_FAILED, error.to_string())
}

//! Messages for people, programs and build servers.
//!
//! In: diagnostics with their nodes and sources. Out: text, JSON, annotations of GitHub. Must not: print, compile, start git.
//!
//! | file | what |
//! |---|---|
//! | `formats` | text for people, JSON |
//! | `github` | annotations of GitHub |
//! | `log` | the receiver of the messages of a library |
//! | `positions` | failures about data files with an excerpt |
//! | `shell` | paths as words of a shell |
//! | `slow_commands` | hints about commands that took much of the time |
//! | `repository` | paths relative to the repository |

mod formats;
mod github;
mod log;
mod positions;
mod repository;
mod shell;
mod slow_commands;

pub use formats::has_code;
pub use formats::human;
pub use formats::json;
pub use github::Annotation;
pub use github::Position;
pub use github::position;
pub use log::MessageLog;
pub use positions::diagnostic_at;
pub use repository::below_repository;
pub use repository::site_in_repository;
pub use shell::quote as quote_for_shell;
pub use slow_commands::hints as slow_command_hints;

//! A server in this process, asked over TLS.
//!
//! | file | what |
//! |---|---|
//! | `certificates` | requests for certificates, revocation, existing certificates |
//! | `files` | what is served and what is not |
//! | `hostile` | damaged input |
//! | `limits` | large and slow requests, too many of them, the end of a server |
//! | `protocol` | who may ask for what, recorded requests, catalogs, reports |
//! | `support` | the site behind the server, clients |
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::disallowed_methods, reason = "tests")]

mod certificates;
mod files;
mod hostile;
mod limits;
mod protocol;
mod support;

//! Tests of a server in this process, over TLS.
//!
//! | file | what |
//! |---|---|
//! | `authority` | managing the certificate authority |
//! | `bucket` | the file bucket |
//! | `certificates` | requests for certificates, revocation, existing certificates |
//! | `files` | which files are served |
//! | `hostile` | damaged input |
//! | `limits` | large, slow and too many requests; stopping a server |
//! | `load` | many connections, memory, many requests for certificates |
//! | `monitoring` | figures, the status service, announcements of deploys |
//! | `protocol` | access rules, recorded requests, catalogs, reports |
//! | `reload` | changed files are read again; slow policies delay no other client |
//! | `support` | the served site, the server, clients |
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::disallowed_methods, reason = "tests")]

mod auth;
mod authority;
mod bucket;
mod certificates;
mod classification;
mod code;
mod files;
mod hostile;
mod limits;
mod load;
mod monitoring;
mod protocol;
mod reload;
mod support;

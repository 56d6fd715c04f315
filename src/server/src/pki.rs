//! Certificates of clients and of this server: reading, verifying.
//!
//! In: PEM files, the certificates of connections. Out: the settings of TLS, names of clients. Must not: sign anything, know HTTP.
//!
//! | file | what |
//! |---|---|
//! | `peer` | the certificate of a client |
//! | `trust` | the settings of TLS; whether a client's certificate is still valid |
//! | `verifier` | names the certificates that are refused |

pub(crate) mod peer;
pub(crate) mod trust;
pub(crate) mod verifier;

//! Certificates: creating, signing, verifying.
//!
//! In: PEM files, requests for certificates. Out: certificates, CRLs, the settings of TLS. Must not: know HTTP.
//!
//! | file | what |
//! |---|---|
//! | `authority` | a certificate authority in a directory |
//! | `encoding` | certificates and CRLs with the same content as those of puppetserver |
//! | `key` | private keys: creating, reading, signing |
//! | `peer` | the certificate of a client |
//! | `request` | requests for certificates and what they may contain |
//! | `trust` | the settings of TLS; whether a client's certificate is still valid |
//! | `verifier` | names the certificates that are refused |

pub(crate) mod authority;
pub(crate) mod encoding;
pub(crate) mod key;
pub(crate) mod peer;
pub(crate) mod request;
pub(crate) mod trust;
pub(crate) mod verifier;

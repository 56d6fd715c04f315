//! Certificates: made, signed, checked.
//!
//! In: PEM files, requests for certificates. Out: certificates, CRLs, what TLS needs. Must not: know HTTP.
//!
//! | file | what |
//! |---|---|
//! | `authority` | a certificate authority in a directory |
//! | `encoding` | certificates and CRLs as Puppet's authority writes them |
//! | `key` | private keys: made, read, used |
//! | `peer` | the certificate of a client |
//! | `request` | requests for certificates and what they may ask for |
//! | `trust` | what TLS needs, from PEM files; whether a client may still use its certificate |

pub(crate) mod authority;
pub(crate) mod encoding;
pub(crate) mod key;
pub(crate) mod peer;
pub(crate) mod request;
pub(crate) mod trust;

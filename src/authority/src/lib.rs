//! A certificate authority in a directory, with the same files as Puppet's.
//!
//! In: a directory, requests for certificates, names of nodes. Out: certificates, revocation lists, their states. Must not: serve
//! requests, print, know the language of a policy's script.
//!
//! | file | what |
//! |---|---|
//! | `authority` | opens the directory, signs, revokes, renews, lists |
//! | `autosign` | which requests are signed without an operator |
//! | `bundle` | files with several certificates or revocation lists |
//! | `config` | the settings of an authority |
//! | `encoding` | certificates and CRLs with the same content as those of puppetserver |
//! | `key`, `prime` | private keys: creating, reading, signing |
//! | `new_request` | a key and a request for its certificate |
//! | `operator` | the actions of an operator, on a directory or a running server |
//! | `request` | requests for certificates and what they may contain |
//! | `signature` | verifies signatures |
//!
//! A directory can be shared with `puppetserver ca` and with other processes of Catwalk: each change holds the lock of the directory, and
//! each file is replaced as a whole.

mod authority;
mod autosign;
mod bundle;
mod config;
mod encoding;
mod key;
mod new_request;
mod operator;
mod prime;
mod request;
mod signature;

pub use authority::Authority;
pub use authority::CertificateStatus;
pub use authority::Expirations;
pub use authority::Generated;
pub use authority::Imported;
pub use authority::Refusal;
pub use authority::Setup;
pub use authority::SignedNames;
pub use authority::State;
pub use authority::Submission;
pub use autosign::Autosign;
pub use autosign::AutosignPolicy;
pub use autosign::Decision;
pub use autosign::matches;
pub use bundle::certificates;
pub use config::AuthorityConfig;
pub use config::AuthorityError;
pub use config::CertificateFiles;
pub use config::KeyKind;
pub use config::TTL;
pub use encoding::alternative_name;
pub use encoding::common_name;
pub use encoding::now;
pub use encoding::pem;
pub use key::Key;
pub use key::new_p256;
pub use new_request::NewRequest;
pub use operator::Operator;
pub use operator::Outcome;
pub use operator::RemoteAuthority;
pub use operator::Statuses;
pub use request::RequestSummary;
pub use request::fingerprint;
pub use request::is_certname;
pub use request::subject_name;

#[cfg(all(test, unix))]
mod tests;

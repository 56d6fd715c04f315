//! The settings of a certificate authority.

use std::fmt;
use std::path::Path;
use std::path::PathBuf;
use std::time::Duration;

use crate::autosign::Autosign;
use catwalk_world::output::Place;

/// How long certificates and CRLs are valid: Puppet's `ca_ttl`.
pub const TTL: Duration = Duration::from_secs(5 * 365 * 24 * 3600);

/// A certificate authority in a directory, with the same files as Puppet's: `ca_crt.pem`, `ca_key.pem`, `ca_crl.pem`, `serial`,
/// `inventory.txt`, `signed/`, `requests/`. The server's own certificate is `signed/CERTNAME.pem`, its key `private/CERTNAME.pem`, or both
/// are in an `ssldir`.
#[derive(Clone, Debug)]
pub struct AuthorityConfig {
    /// Its directory.
    pub directory: Place,
    /// The server's certname.
    pub certname: String,
    /// Additional DNS names and IP addresses of the server.
    pub alt_names: Vec<String>,
    /// Puppet's `ssldir` with the server's own certificate and key.
    pub ssldir: Option<Place>,
    /// The requests for certificates to sign immediately. All others are stored in `requests/`.
    pub autosign: Autosign,
    /// The keys of a new authority.
    pub key: KeyKind,
    /// How long certificates of nodes are valid.
    pub ttl: Duration,
    /// Whether a request may name further alternative names (`allow-subject-alt-names` of puppetserver's `ca.conf`).
    pub allow_alt_names: bool,
    /// Whether a request may have authorization extensions (`allow-authorization-extensions`). `pp_cli_auth` is never allowed.
    pub allow_authorization: bool,
}

impl AuthorityConfig {
    /// An authority with Puppet's defaults, which signs nothing without an operator.
    #[must_use]
    pub fn new(directory: Place, certname: impl Into<String>) -> AuthorityConfig {
        AuthorityConfig {
            directory,
            certname: certname.into(),
            alt_names: Vec::new(),
            ssldir: None,
            autosign: Autosign::None,
            key: KeyKind::Rsa(KeyKind::RSA_BITS),
            ttl: TTL,
            allow_alt_names: false,
            allow_authorization: false,
        }
    }
}

/// The kind of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyKind {
    /// RSA with this number of bits.
    Rsa(usize),
    /// ECDSA with the curve P-256.
    P256,
}

impl KeyKind {
    /// The size of Puppet's RSA keys.
    pub const RSA_BITS: usize = 4096;
}

/// Files in PEM of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CertificateFiles {
    /// The certificates of all authorities in the chain.
    pub ca: PathBuf,
    /// The server's certificate, optionally followed by intermediate certificates.
    pub certificate: PathBuf,
    /// The server's private key.
    pub key: PathBuf,
    /// A CRL of each authority in the chain.
    pub crl: PathBuf,
}

impl CertificateFiles {
    /// The files of `certname` in Puppet's `ssldir`.
    #[must_use]
    pub fn in_ssldir(ssldir: &Path, certname: &str) -> CertificateFiles {
        CertificateFiles {
            ca: ssldir.join("certs/ca.pem"),
            certificate: ssldir.join(format!("certs/{certname}.pem")),
            key: ssldir.join(format!("private_keys/{certname}.pem")),
            crl: ssldir.join("crl.pem"),
        }
    }
}

/// Why an authority fails: a sentence that names the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuthorityError(pub(crate) String);

impl fmt::Display for AuthorityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for AuthorityError {}

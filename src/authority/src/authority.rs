//! A certificate authority in a directory, with the same files as Puppet's.
//!
//! Rules of a submission: `process-csr-submission!` in puppetserver's `certificate_authority.clj`.
//!
//! | file | what |
//! |---|---|
//! | `creation` | new and imported authorities; the server's own certificate |
//! | `directory` | reads and writes the files |
//! | `generation` | keys and certificates that the authority makes itself |
//! | `renewal` | new dates for certificates, the authority's own and revocation lists |
//! | `revocation` | revokes certificates, removes their files, takes over revocation lists |
//! | `status` | the state of certificates and requests |
//! | `stored_requests` | signs requests in `requests/`, limits their number |

mod creation;
mod directory;
mod generation;
mod renewal;
mod revocation;
mod status;
mod stored_requests;

use parking_lot::Mutex;
use std::path::Path;
use std::path::PathBuf;

use catwalk_world::output::Kind;
use cms::cert::x509::Certificate;
use cms::cert::x509::der::Encode;
use cms::cert::x509::ext::Extension;
use cms::cert::x509::ext::pkix::name::GeneralName;
use cms::cert::x509::spki::SubjectPublicKeyInfoOwned;

pub use creation::Imported;
pub use creation::Setup;
pub use generation::Generated;
#[cfg(test)]
pub(crate) use revocation::crl_number;
pub use status::CertificateStatus;
pub use status::Expirations;
pub use status::State;
pub use stored_requests::SignedNames;

use self::directory::is_file;
use self::directory::lock;
use self::directory::read;
use self::directory::read_if_present;
use self::directory::unwritable;
use self::directory::write;
use crate::autosign::Decision;
use crate::bundle;
use crate::config::AuthorityConfig;
use crate::config::AuthorityError;
use crate::config::CertificateFiles;
use crate::encoding::Content;
use crate::encoding::Issuer;
use crate::encoding::alternative_name;
use crate::encoding::common_name;
use crate::encoding::failed;
use crate::encoding::now;
use crate::encoding::pem;
use crate::encoding::utc;
use crate::key::Key;
use crate::request;
use crate::request::Request;

/// The outcome of a request for a certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Submission {
    Signed,
    /// The request is stored until it is signed.
    Pending {
        /// Why the policy does not sign it, if it says so.
        reason: Option<String>,
    },
}

/// Why a request is rejected.
#[derive(Debug)]
pub enum Refusal {
    /// The request is invalid: Puppet's message.
    Request(String),
    /// There is no such request or certificate: Puppet's message.
    Missing(String),
    /// So many requests wait already for a decision of the operator.
    Full(usize),
    /// The authority failed.
    Authority(AuthorityError),
}

impl From<AuthorityError> for Refusal {
    fn from(error: AuthorityError) -> Refusal {
        Refusal::Authority(error)
    }
}

/// A certificate authority in a directory.
pub struct Authority {
    config: AuthorityConfig,
    key: Key,
    /// The certificate of `key`.
    certificate: Certificate,
    /// Locked while the directory is changed. The number of requests that `requests/` had when they were last counted, and those stored
    /// since then.
    change_lock: Mutex<usize>,
    /// How many requests may wait in `requests/`.
    max_waiting: usize,
}

impl Authority {
    /// Opens an authority that exists.
    ///
    /// # Errors
    /// The directory has no authority, or a file of it cannot be used.
    pub fn open_existing(config: AuthorityConfig) -> Result<Authority, AuthorityError> {
        let place = config.directory.clone();
        let (key_path, bundle_path) = (place.path().join("ca_key.pem"), place.path().join("ca_crt.pem"));
        if let Some(missing) = [&key_path, &bundle_path].into_iter().find(|path| !is_file(path)) {
            let (folder, missing) = (place.path(), missing.display());
            return Err(AuthorityError(format!(
                "{} holds no certificate authority: there is no file {missing}; `catwalk ca setup` creates one",
                folder.display()
            )));
        }
        let unusable = |why: String| AuthorityError(format!("{}: {why}", key_path.display()));
        let key = Key::read(&read(&key_path)?).map_err(unusable)?;
        let certificate = certificate_of(&key, &bundle_path, &read(&bundle_path)?)?;
        Ok(Authority { config, key, certificate, change_lock: Mutex::new(usize::MAX), max_waiting: usize::MAX })
    }

    /// Limits the requests that wait in `requests/` for a decision of the operator.
    #[must_use]
    pub fn with_max_waiting(self, max_waiting: usize) -> Authority {
        Authority { max_waiting, ..self }
    }

    /// The certificates, key and CRL of the server.
    #[must_use]
    pub fn files(&self) -> CertificateFiles {
        let certname = &self.config.certname;
        let (certificate, key) = match &self.config.ssldir {
            Some(ssldir) => {
                let files = CertificateFiles::in_ssldir(&ssldir.path(), certname);
                (files.certificate, files.key)
            }
            None => (self.certificate_path(certname), self.path(&directory::private_key(certname))),
        };
        CertificateFiles { ca: self.path("ca_crt.pem"), certificate, key, crl: self.path("ca_crl.pem") }
    }

    /// The directory.
    #[must_use]
    pub fn directory(&self) -> PathBuf {
        self.config.directory.path()
    }

    /// The certificate of a node in PEM.
    #[must_use]
    pub fn certificate(&self, name: &str) -> Option<Vec<u8>> {
        read_pem(name, &self.certificate_path(name))
    }

    /// The request of a node in PEM.
    #[must_use]
    pub fn request(&self, name: &str) -> Option<Vec<u8>> {
        read_pem(name, &self.request_path(name))
    }

    /// Stores a request of the node `requested`, and signs it if the autosign policy allows it. If a request of the node for the same key
    /// is stored already and the policy allows it, the stored one is signed. All other requests of a node with a stored request or a
    /// certificate are refused, and so are requests that the policy does not allow if too many wait already.
    ///
    /// # Errors
    /// The request is refused.
    pub fn submit(&self, requested: &str, body: &[u8]) -> Result<Submission, Refusal> {
        let request = Request::read(body).map_err(Refusal::Request)?;
        // The name in the request decides, not that in the URL.
        self.check_new(&request.name)?;
        if requested != request.name && self.request(&request.name).is_some() {
            return Err(already(&request.name, "requested"));
        }
        request::check_name(requested, &request.name).map_err(Refusal::Request)?;
        // The policy decides about the request that would be signed: the one that is stored, if it is for the same key.
        let stored_request = read_if_present(&self.request_path(requested))?.and_then(|pem| Request::read(&pem).ok());
        let decided = stored_request.as_ref().filter(|stored| stored.public() == request.public()).unwrap_or(&request);
        request::general_names(request.extensions()).map_err(Refusal::Request)?;
        // A command may take long, or ask this server.
        let decision = self.config.autosign.decide(&decided.summary()?);
        let mut stored = self.change_lock.lock();
        let _lock = lock(&self.config.directory)?;
        self.check_new(requested)?;
        if let Some(waiting) = read_if_present(&self.request_path(requested))? {
            // The policy may have been changed since the agent's first request, which is then signed.
            return match Request::read(&waiting) {
                // Another process may have replaced it since the decision.
                Ok(waiting) if decision.is_signed && waiting.der() == decided.der() => {
                    self.sign_request(requested, &waiting, None)
                }
                _ => Err(already(requested, "requested")),
            };
        }
        if !decision.is_signed && !self.has_room(&mut stored) {
            return Err(Refusal::Full(self.max_waiting));
        }
        self.write(&format!("requests/{requested}.pem"), Kind::Certificate, &request.pem()?)?;
        *stored = stored.saturating_add(1);
        match decision {
            Decision { is_signed: true, .. } => self.sign_request(requested, &request, None),
            Decision { note, .. } => Ok(Submission::Pending { reason: note }),
        }
    }

    /// Checks that a node has no certificate.
    fn check_new(&self, name: &str) -> Result<(), Refusal> {
        match self.certificate_state(name)? {
            None => Ok(()),
            Some(State::Revoked) => Err(already(name, "revoked")),
            Some(State::Signed | State::Requested) => Err(already(name, "signed")),
        }
    }

    /// Signs a request in `requests/` and removes it from there. `ttl`: how long the certificate is valid, if not as long as usual.
    fn sign_request(&self, name: &str, request: &Request, ttl: Option<u64>) -> Result<Submission, Refusal> {
        request::check_name(name, &request.name).map_err(Refusal::Request)?;
        let (alt_names, authorization) = (self.config.allow_alt_names, self.config.allow_authorization);
        request.check_signable(alt_names, authorization).map_err(Refusal::Request)?;
        let names = request::general_names(request.extensions()).map_err(Refusal::Request)?;
        let node_extensions = request.signed_extensions().cloned().collect();
        self.sign(name, request.public().clone(), names, node_extensions, ttl)?;
        let removed = directory::open(&self.config.directory)?.remove(&format!("requests/{name}.pem"));
        removed.map_err(|why| unwritable(&self.request_path(name), &why))?;
        Ok(Submission::Signed)
    }

    /// Signs a certificate with a new serial number, adds it to the inventory and writes it to `signed/`. Returns it in PEM.
    fn sign(
        &self,
        name: &str,
        public: SubjectPublicKeyInfoOwned,
        alternative_names: Vec<GeneralName>,
        node_extensions: Vec<Extension>,
        ttl: Option<u64>,
    ) -> Result<String, AuthorityError> {
        let issuer = self.issuer()?;
        let mut extensions = issuer.leaf_extensions(&public, with_certname(name, alternative_names)?)?;
        extensions.extend(node_extensions);
        let ca_ends = self.certificate.tbs_certificate.validity.not_after.to_unix_duration().as_secs();
        let not_after = now().saturating_add(ttl.unwrap_or(self.config.ttl.as_secs())).min(ca_ends);
        let serial = self.next_serial()?;
        let signed =
            issuer.certificate(Content { serial, subject: common_name(name)?, public, extensions, not_after })?;
        self.add_to_inventory(serial, &signed, name)?;
        let text = pem("CERTIFICATE", &signed.to_der().map_err(failed)?)?;
        self.write(&format!("signed/{name}.pem"), Kind::Certificate, &text)?;
        Ok(text)
    }

    /// Returns the number in the file `serial`, which is hexadecimal, and increments it there.
    fn next_serial(&self) -> Result<u64, AuthorityError> {
        let path = self.path("serial");
        let serial = match read_if_present(&path)? {
            // A number that was used already must not be used again.
            None if self.has_issued()? => {
                return Err(AuthorityError(format!("{} is missing: restore it", path.display())));
            }
            None => 2,
            Some(bytes) => {
                let text = String::from_utf8_lossy(&bytes).trim().to_owned();
                let malformed = |_| AuthorityError(format!("{}: '{text}' is not a hexadecimal number", path.display()));
                u64::from_str_radix(&text, 16).map_err(malformed)?
            }
        };
        self.write("serial", Kind::Certificate, &format!("{:04X}\n", serial.saturating_add(1)))?;
        Ok(serial)
    }

    /// Adds a line to `inventory.txt`: serial number, dates, subject.
    fn add_to_inventory(&self, serial: u64, certificate: &Certificate, name: &str) -> Result<(), AuthorityError> {
        let bytes = read_if_present(&self.path("inventory.txt"))?;
        let mut lines = bytes.map_or_else(String::new, |bytes| String::from_utf8_lossy(&bytes).into_owned());
        if !lines.is_empty() && !lines.ends_with('\n') {
            lines.push('\n');
        }
        let validity = certificate.tbs_certificate.validity;
        let (from, until) = (utc(validity.not_before), utc(validity.not_after));
        lines.push_str(&format!("0x{serial:04x} {from} {until} /CN={name}\n"));
        self.write("inventory.txt", Kind::Certificate, &lines)
    }

    /// Whether certificates have been signed.
    fn has_issued(&self) -> Result<bool, AuthorityError> {
        Ok(read_if_present(&self.path("inventory.txt"))?.is_some_and(|lines| !lines.is_empty()))
    }

    fn issuer(&self) -> Result<Issuer<'_>, AuthorityError> {
        Issuer::of(&self.certificate, &self.key)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.config.directory.path().join(name)
    }

    fn write(&self, name: &str, kind: Kind, text: &str) -> Result<(), AuthorityError> {
        write(&self.config.directory, name, kind, text)
    }

    fn certificate_path(&self, name: &str) -> PathBuf {
        self.path(&format!("signed/{name}.pem"))
    }

    fn request_path(&self, name: &str) -> PathBuf {
        self.path(&format!("requests/{name}.pem"))
    }
}

fn already(name: &str, state: &str) -> Refusal {
    Refusal::Request(format!("{name} already has a {state} certificate; ignoring certificate request"))
}

fn read_pem(name: &str, path: &Path) -> Option<Vec<u8>> {
    (request::is_certname(name) && is_file(path)).then(|| read(path).ok().map(|bytes| bytes.to_vec())).flatten()
}

/// The certificate of a key in a bundle, whose other certificates are those of the authorities above it.
fn certificate_of(key: &Key, path: &Path, pem: &[u8]) -> Result<Certificate, AuthorityError> {
    let unusable = |why: String| AuthorityError(format!("{}: {why}", path.display()));
    let public = key.public()?;
    let own = bundle::certificates(pem).map_err(unusable)?;
    let mut own = own.into_iter().filter(|one| one.tbs_certificate.subject_public_key_info == public);
    own.next().ok_or_else(|| unusable("it has no certificate of ca_key.pem".to_owned()))
}

/// The alternative names in a certificate: the certname, then `others` without duplicates.
pub(crate) fn with_certname(name: &str, others: Vec<GeneralName>) -> Result<Vec<GeneralName>, AuthorityError> {
    let mut names = vec![alternative_name(name)?];
    for other in others {
        if !names.contains(&other) {
            names.push(other);
        }
    }
    Ok(names)
}

//! A certificate authority in a directory, with the same files as Puppet's.
//!
//! Rules of a submission: `process-csr-submission!` in puppetserver's `certificate_authority.clj`.

mod stored_requests;

use parking_lot::Mutex;
use std::path::Path;
use std::path::PathBuf;
use std::time::Duration;

use catwalk_world::output;
use catwalk_world::output::Contents;
use catwalk_world::output::Directory;
use catwalk_world::output::FileKind;
use catwalk_world::output::Kind;
use catwalk_world::output::Marker;
use catwalk_world::output::Place;
use catwalk_world::output::Purpose;
use cms::cert::x509::Certificate;
use cms::cert::x509::crl::CertificateList;
use cms::cert::x509::crl::RevokedCert;
use cms::cert::x509::der;
use cms::cert::x509::der::Decode;
use cms::cert::x509::der::DecodePem;
use cms::cert::x509::der::Encode;
use cms::cert::x509::ext::Extension;
use cms::cert::x509::ext::pkix::CrlNumber;
use cms::cert::x509::ext::pkix::SubjectAltName;
use cms::cert::x509::ext::pkix::name::GeneralName;
use cms::cert::x509::spki::SubjectPublicKeyInfoOwned;

use super::encoding::Content;
use super::encoding::Issuer;
use super::encoding::SUBJECT_ALT_NAME;
use super::encoding::TTL;
use super::encoding::alternative_name;
use super::encoding::cli_authorization;
use super::encoding::common_name;
use super::encoding::failed;
use super::encoding::now;
use super::encoding::pem;
use super::key;
use super::key::Key;
use super::request;
use super::request::Request;
use super::trust::read;
use crate::config::AuthorityConfig;
use crate::config::CertificateFiles;
use crate::config::ServerError;

/// A CRL or server certificate is replaced if it expires sooner than this.
const RENEWAL: Duration = Duration::from_secs(30 * 24 * 3600);
/// How long to wait for another process that is changing the directory.
const LOCK_TIMEOUT: Duration = Duration::from_secs(10);

/// Directories of certificate authorities.
static AUTHORITIES: Purpose = Purpose {
    name: "ca",
    description: "a certificate authority",
    option: "--cadir DIR",
    contents: Contents::Private { is_own, marker: Marker::Lock },
};

/// Also accepts the other files of Puppet's authority, whose directory can be copied.
fn is_own(name: &str, kind: FileKind) -> bool {
    const FILES: [&str; 9] = [
        "ca_key.pem",
        "ca_crt.pem",
        "ca_crl.pem",
        "serial",
        "inventory.txt",
        "ca_pub.pem",
        "infra_crl.pem",
        "infra_inventory.txt",
        "infra_serials",
    ];
    match kind {
        FileKind::File => FILES.contains(&name),
        FileKind::Directory => matches!(name, "private" | "requests" | "signed"),
        FileKind::Link | FileKind::Other => false,
    }
}

/// The outcome of a request for a certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Submission {
    Signed,
    /// The request is stored until it is signed.
    Pending,
}

/// A certificate authority in a directory.
pub(crate) struct Authority {
    config: AuthorityConfig,
    key: Key,
    certificate: Certificate,
    /// Locked while the directory is changed. The number of requests that `requests/` had when they were last counted, and those stored
    /// since then.
    change_lock: Mutex<usize>,
    /// How many requests may wait in `requests/`.
    max_waiting: usize,
}

/// Why a request is rejected.
pub(crate) enum Refusal {
    /// The request is invalid: Puppet's message.
    Request(String),
    /// So many requests wait already for a decision of the operator.
    Full(usize),
    /// The authority failed.
    Authority(ServerError),
}

impl From<ServerError> for Refusal {
    fn from(error: ServerError) -> Refusal {
        Refusal::Authority(error)
    }
}

impl Authority {
    /// Opens an authority. Creates the authority and the server's own certificate if they do not exist.
    pub(crate) fn open(config: AuthorityConfig) -> Result<Authority, ServerError> {
        request::check_name(&config.certname, &config.certname)
            .map_err(|why| ServerError(format!("{}: {why}", config.certname)))?;
        let place = config.directory.clone();
        let directory = open(&place)?;
        let _lock = lock(&place)?;
        for folder in ["private", "requests", "signed"] {
            directory.create_folder(folder).map_err(|why| unwritable(&place.path().join(folder), &why))?;
        }
        let key_path = place.path().join("ca_key.pem");
        if !is_file(&key_path) {
            write(&place, "ca_key.pem", Kind::Key, &key::new_rsa(config.key_bits)?)?;
        }
        let key = Key::read(&read(&key_path)?).map_err(|why| ServerError(format!("{}: {why}", key_path.display())))?;
        let certificate = authority_certificate(&config, &key)?;
        let authority =
            Authority { config, key, certificate, change_lock: Mutex::new(usize::MAX), max_waiting: usize::MAX };
        authority.renew_crl()?;
        authority.ensure_server_certificate()?;
        Ok(authority)
    }

    /// Opens an authority that exists, to sign requests.
    pub(crate) fn open_existing(config: AuthorityConfig) -> Result<Authority, ServerError> {
        let (key_path, certificate_path) =
            (config.directory.path().join("ca_key.pem"), config.directory.path().join("ca_crt.pem"));
        let key = Key::read(&read(&key_path)?).map_err(|why| ServerError(format!("{}: {why}", key_path.display())))?;
        let certificate = read_certificate(&certificate_path)?;
        Ok(Authority { config, key, certificate, change_lock: Mutex::new(usize::MAX), max_waiting: usize::MAX })
    }

    /// Limits the requests that wait in `requests/` for a decision of the operator.
    pub(crate) fn with_max_waiting(self, max_waiting: usize) -> Authority {
        Authority { max_waiting, ..self }
    }

    /// The certificates, key and CRL of the server.
    pub(crate) fn files(&self) -> CertificateFiles {
        let certname = &self.config.certname;
        CertificateFiles {
            ca: self.path("ca_crt.pem"),
            certificate: self.certificate_path(certname),
            key: self.path(&private_key(certname)),
            crl: self.path("ca_crl.pem"),
        }
    }

    /// Replaces the CRL if it is missing or expires soon.
    pub(crate) fn renew_crl(&self) -> Result<(), ServerError> {
        let path = self.path("ca_crl.pem");
        let (mut number, mut revoked) = (0, Vec::new());
        if is_file(&path) {
            let unusable = |why| ServerError(format!("{}: it is not a CRL in PEM: {why}", path.display()));
            let (_, der) = der::pem::decode_vec(&read(&path)?).map_err(|why| unusable(why.to_string()))?;
            let list = CertificateList::from_der(&der).map_err(|why| unusable(why.to_string()))?;
            let until = list.tbs_cert_list.next_update.map_or(0, |time| time.to_unix_duration().as_secs());
            if until > now() + RENEWAL.as_secs() {
                return Ok(());
            }
            number = crl_number(&list) + 1;
            revoked = list.tbs_cert_list.revoked_certificates.unwrap_or_default();
        }
        self.write_crl(number, revoked)
    }

    /// Writes a CRL that revokes these certificates.
    pub(crate) fn write_crl(&self, number: u64, revoked: Vec<RevokedCert>) -> Result<(), ServerError> {
        let list = self.issuer()?.revocation_list(number, revoked)?;
        self.write("ca_crl.pem", Kind::Certificate, &pem("X509 CRL", &list.to_der().map_err(failed)?)?)
    }

    /// The certificate of a node in PEM.
    pub(crate) fn certificate(&self, name: &str) -> Option<Vec<u8>> {
        self.read_pem(name, &self.certificate_path(name))
    }

    /// The request of a node in PEM.
    pub(crate) fn request(&self, name: &str) -> Option<Vec<u8>> {
        self.read_pem(name, &self.request_path(name))
    }

    fn read_pem(&self, name: &str, path: &Path) -> Option<Vec<u8>> {
        (request::is_file_name(name) && is_file(path)).then(|| read(path).ok().map(|bytes| bytes.to_vec())).flatten()
    }

    /// Stores a request of the node `requested`, and signs it if the autosign policy allows it. If a request of the node for the same key
    /// is stored already and the policy allows it, the stored one is signed. All other requests of a node with a stored request or a
    /// certificate are refused, and so are requests that the policy does not allow if too many wait already.
    pub(crate) fn submit(&self, requested: &str, body: &[u8]) -> Result<Submission, Refusal> {
        let request = Request::read(body).map_err(Refusal::Request)?;
        request::check_name(requested, &request.name).map_err(Refusal::Request)?;
        let mut stored = self.change_lock.lock();
        let _lock = lock(&self.config.directory)?;
        let already = |state: &str| {
            let message = format!("{requested} already has a {state} certificate; ignoring certificate request");
            Err(Refusal::Request(message))
        };
        if is_file(&self.certificate_path(requested)) {
            return already("signed");
        }
        let is_autosigned = self.config.autosign.allows(requested);
        if is_file(&self.request_path(requested)) {
            // The policy may have been changed since the agent's first request, which is then signed.
            return match Request::read(&read(&self.request_path(requested))?) {
                Ok(stored) if is_autosigned && stored.public() == request.public() => {
                    self.sign_request(requested, &stored)
                }
                _ => already("requested"),
            };
        }
        if !is_autosigned && !self.has_room(&mut stored) {
            return Err(Refusal::Full(self.max_waiting));
        }
        self.write(&format!("requests/{requested}.pem"), Kind::Certificate, &request.pem()?)?;
        *stored = stored.saturating_add(1);
        match is_autosigned {
            true => self.sign_request(requested, &request),
            false => Ok(Submission::Pending),
        }
    }

    /// Signs a request in `requests/` and removes it from there.
    fn sign_request(&self, name: &str, request: &Request) -> Result<Submission, Refusal> {
        request::check_name(name, &request.name).map_err(Refusal::Request)?;
        request.check_signable().map_err(Refusal::Request)?;
        let node_extensions = request.signed_extensions().cloned().collect();
        self.sign(name, request.public().clone(), Vec::new(), node_extensions)?;
        let removed = open(&self.config.directory)?.remove(&format!("requests/{name}.pem"));
        removed.map_err(|why| unwritable(&self.request_path(name), &why))?;
        Ok(Submission::Signed)
    }

    /// Renews a certificate of this authority that TLS has verified: a certificate with a new serial number and new dates. Returns it
    /// in PEM.
    pub(crate) fn renew(&self, der: &[u8]) -> Result<Vec<u8>, Refusal> {
        let old =
            Certificate::from_der(der).map_err(|_| Refusal::Request("The certificate cannot be read".to_owned()))?;
        let parts = old.tbs_certificate;
        let name = request::subject_name(&parts.subject).unwrap_or_default();
        request::check_name(&name, &name).map_err(Refusal::Request)?;
        let node_extensions: Vec<Extension> =
            parts.extensions.into_iter().flatten().filter(request::is_node_extension).collect();
        let _changing = self.change_lock.lock();
        let _lock = lock(&self.config.directory)?;
        self.sign(&name, parts.subject_public_key_info, Vec::new(), node_extensions)?;
        Ok(read(&self.certificate_path(&name))?.to_vec())
    }

    /// Signs a certificate with a new serial number, adds it to the inventory and writes it to `signed/`.
    fn sign(
        &self,
        name: &str,
        public: SubjectPublicKeyInfoOwned,
        alternative_names: Vec<GeneralName>,
        node_extensions: Vec<Extension>,
    ) -> Result<(), ServerError> {
        let issuer = self.issuer()?;
        let mut extensions = issuer.leaf_extensions(&public, with_certname(name, alternative_names)?)?;
        extensions.extend(node_extensions);
        let ca_ends = self.certificate.tbs_certificate.validity.not_after.to_unix_duration().as_secs();
        let not_after = (now() + TTL.as_secs()).min(ca_ends);
        let serial = self.next_serial()?;
        let signed =
            issuer.certificate(Content { serial, subject: common_name(name)?, public, extensions, not_after })?;
        self.add_to_inventory(serial, &signed, name)?;
        let name = format!("signed/{name}.pem");
        self.write(&name, Kind::Certificate, &pem("CERTIFICATE", &signed.to_der().map_err(failed)?)?)
    }

    /// Returns the number in the file `serial`, which is hexadecimal, and increments it there.
    fn next_serial(&self) -> Result<u64, ServerError> {
        let path = self.path("serial");
        let serial = match is_file(&path) {
            false => 2,
            true => {
                let text = String::from_utf8_lossy(&read(&path)?).trim().to_owned();
                let malformed = |_| ServerError(format!("{}: '{text}' is not a hexadecimal number", path.display()));
                u64::from_str_radix(&text, 16).map_err(malformed)?
            }
        };
        self.write("serial", Kind::Certificate, &format!("{:04X}\n", serial.saturating_add(1)))?;
        Ok(serial)
    }

    /// Adds a line to `inventory.txt`: serial number, dates, subject.
    fn add_to_inventory(&self, serial: u64, certificate: &Certificate, name: &str) -> Result<(), ServerError> {
        let path = self.path("inventory.txt");
        let mut lines =
            if is_file(&path) { String::from_utf8_lossy(&read(&path)?).into_owned() } else { String::new() };
        let time = |time: cms::cert::x509::time::Time| {
            let seconds = i64::try_from(time.to_unix_duration().as_secs()).unwrap_or(i64::MAX);
            jiff::Timestamp::from_second(seconds)
                .map(|time| time.strftime("%Y-%m-%dT%H:%M:%SUTC").to_string())
                .unwrap_or_default()
        };
        let validity = certificate.tbs_certificate.validity;
        let (from, until) = (time(validity.not_before), time(validity.not_after));
        lines.push_str(&format!("0x{serial:04x} {from} {until} /CN={name}\n"));
        self.write("inventory.txt", Kind::Certificate, &lines)
    }

    /// Creates the server's own key and certificate if they do not exist. Replaces a certificate that expires soon or does not have the
    /// configured names.
    fn ensure_server_certificate(&self) -> Result<(), ServerError> {
        let files = self.files();
        let names: Result<Vec<GeneralName>, ServerError> =
            self.config.alt_names.iter().map(|name| alternative_name(name)).collect();
        let names = with_certname(&self.config.certname, names?)?;
        match (is_file(&files.certificate), is_file(&files.key)) {
            (true, true) if is_current(&files.certificate, &names)? => return Ok(()),
            (false, false) => self.write(&private_key(&self.config.certname), Kind::Key, &key::new_p256()?)?,
            (true, false) => {
                let (certificate, key) = (files.certificate.display(), files.key.display());
                return Err(ServerError(format!("{certificate} exists, but not its key {key}: copy the key there")));
            }
            (_, true) => {}
        }
        let unusable = |why| ServerError(format!("{}: {why}", files.key.display()));
        let key = Key::read(&read(&files.key)?).map_err(unusable)?;
        self.sign(&self.config.certname, key.public()?, names, vec![cli_authorization()?])
    }

    fn issuer(&self) -> Result<Issuer<'_>, ServerError> {
        let parts = &self.certificate.tbs_certificate;
        Ok(Issuer { name: parts.subject.clone(), public: parts.subject_public_key_info.clone(), key: &self.key })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.config.directory.path().join(name)
    }

    fn write(&self, name: &str, kind: Kind, text: &str) -> Result<(), ServerError> {
        write(&self.config.directory, name, kind, text)
    }

    fn certificate_path(&self, name: &str) -> PathBuf {
        self.path(&format!("signed/{name}.pem"))
    }

    fn request_path(&self, name: &str) -> PathBuf {
        self.path(&format!("requests/{name}.pem"))
    }
}

/// The alternative names in a certificate: the certname, then `others` without duplicates.
fn with_certname(name: &str, others: Vec<GeneralName>) -> Result<Vec<GeneralName>, ServerError> {
    let mut names = vec![alternative_name(name)?];
    for other in others {
        if !names.contains(&other) {
            names.push(other);
        }
    }
    Ok(names)
}

/// Whether the server's certificate has these names and does not expire soon.
fn is_current(path: &Path, names: &[GeneralName]) -> Result<bool, ServerError> {
    let certificate = read_certificate(path)?.tbs_certificate;
    let extensions = certificate.extensions.iter().flatten();
    let alternative_names = extensions.filter(|extension| extension.extn_id == SUBJECT_ALT_NAME);
    let current: Vec<GeneralName> = alternative_names
        .filter_map(|extension| SubjectAltName::from_der(extension.extn_value.as_bytes()).ok())
        .flat_map(|names| names.0)
        .collect();
    let until = certificate.validity.not_after.to_unix_duration().as_secs();
    Ok(current == names && until > now() + RENEWAL.as_secs())
}

fn read_certificate(path: &Path) -> Result<Certificate, ServerError> {
    Certificate::from_pem(read(path)?)
        .map_err(|why| ServerError(format!("{}: it is not a certificate in PEM: {why}", path.display())))
}

/// The certificate of the authority, which is created if it does not exist.
fn authority_certificate(config: &AuthorityConfig, key: &Key) -> Result<Certificate, ServerError> {
    let path = config.directory.path().join("ca_crt.pem");
    if !is_file(&path) {
        let name = common_name(&format!("Puppet CA: {}", config.certname))?;
        let certificate = Issuer { name, public: key.public()?, key }.self_signed_certificate()?;
        let text = pem("CERTIFICATE", &certificate.to_der().map_err(failed)?)?;
        write(&config.directory, "ca_crt.pem", Kind::Certificate, &text)?;
    }
    let certificate = read_certificate(&path)?;
    match certificate.tbs_certificate.subject_public_key_info == key.public()? {
        true => Ok(certificate),
        false => Err(ServerError(format!("{}: it is not the certificate of ca_key.pem", path.display()))),
    }
}

fn crl_number(list: &CertificateList) -> u64 {
    let extensions = list.tbs_cert_list.crl_extensions.iter().flatten();
    let numbers = extensions.filter_map(|extension| CrlNumber::from_der(extension.extn_value.as_bytes()).ok());
    let value = |number: CrlNumber| number.0.as_bytes().iter().fold(0_u64, |sum, byte| (sum << 8) | u64::from(*byte));
    numbers.map(value).max().unwrap_or(0)
}

/// Opens the directory, which is created if it does not exist.
fn open(place: &Place) -> Result<Directory, ServerError> {
    Directory::open(place, &AUTHORITIES).map_err(|error| match error.help() {
        Some(help) => ServerError(format!("{error}; {help}")),
        None => ServerError(error.to_string()),
    })
}

/// Locks the directory against other processes.
fn lock(place: &Place) -> Result<output::Lock, ServerError> {
    let path = place.path();
    match open(place)?.lock(LOCK_TIMEOUT).map_err(|why| unwritable(&path, &why))? {
        Some(lock) => Ok(lock),
        None => Err(ServerError(format!("{}: another process has been using it for 10 seconds", path.display()))),
    }
}

/// The name of the key of a server.
fn private_key(certname: &str) -> String {
    format!("private/{certname}.pem")
}

fn is_file(path: &Path) -> bool {
    rustix::fs::stat(path).is_ok_and(|stat| rustix::fs::FileType::from_raw_mode(stat.st_mode).is_file())
}

fn write(place: &Place, name: &str, kind: Kind, text: &str) -> Result<(), ServerError> {
    let written = open(place)?.write(name, kind, text.as_bytes());
    written.map_err(|why| unwritable(&place.path().join(name), &why))
}

fn unwritable(path: &Path, why: &std::io::Error) -> ServerError {
    ServerError(format!("{} cannot be written: {why}", path.display()))
}

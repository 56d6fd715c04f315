//! The settings of TLS from PEM files; whether a client's certificate is still valid.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering;
use std::time::Duration;

use cms::cert::x509::Certificate;
use cms::cert::x509::der::Decode;
use hyper::body::Bytes;
use rustls::DistinguishedName;
use rustls::RootCertStore;
use rustls::ServerConfig;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::CertificateRevocationListDer;
use rustls::pki_types::PrivateKeyDer;
use rustls::pki_types::UnixTime;
use rustls::pki_types::pem::PemObject;
use rustls::server::NoServerSessionStorage;
use rustls::server::ResolvesServerCert;
use rustls::server::WebPkiClientVerifier;
use rustls::server::danger::ClientCertVerifier;
use rustls::sign::CertifiedKey;
use rustls::sign::SingleCertAndKey;

use super::peer::Peer;
use super::verifier::NamingVerifier;
use super::verifier::RefusedCertificate;
use crate::config::ServerError;
use catwalk_authority::CertificateFiles;
use catwalk_authority::now;

/// The next [`Trust::generation`].
static NEXT_GENERATION: AtomicU64 = AtomicU64::new(1);

/// A file that is sent to agents.
#[derive(Clone, Debug)]
pub(crate) struct Document {
    pub(crate) bytes: Bytes,
    /// The modification time in seconds since 1970.
    pub(crate) modified: i64,
}

/// The certificates and CRLs of a server, replaced as a whole when they are reloaded.
pub(crate) struct Trust {
    provider: Arc<CryptoProvider>,
    certificate: Arc<dyn ResolvesServerCert>,
    /// The certificates of the authorities.
    pub(crate) ca: Document,
    /// The CRLs of the authorities.
    pub(crate) crl: Document,
    /// A number that each reload changes: clients that were verified with a different one are verified again.
    pub(crate) generation: u64,
    verifier: Arc<dyn ClientCertVerifier>,
    /// The certificates of the authorities below the roots.
    intermediates: Arc<Vec<CertificateDer<'static>>>,
}

/// What changes when a file is replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileStamp(Option<(u64, u64, i64, u64, i64)>);

impl FileStamp {
    /// The stamp of a file; a missing one has its own.
    pub(crate) fn of(path: &Path) -> FileStamp {
        let stat = rustix::fs::stat(path).ok();
        // The types of some fields differ between systems.
        #[allow(
            clippy::useless_conversion,
            clippy::cast_possible_wrap,
            clippy::unnecessary_cast,
            reason = "as the system has them"
        )]
        FileStamp(stat.map(|stat| {
            (
                stat.st_dev as u64,
                stat.st_ino as u64,
                stat.st_mtime as i64,
                stat.st_mtime_nsec as u64,
                stat.st_size as i64,
            )
        }))
    }
}

impl Trust {
    /// Reads the files of a server.
    pub(crate) fn read(files: &CertificateFiles) -> Result<Trust, ServerError> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let (ca, crl) = (document(&files.ca)?, document(&files.crl)?);
        let authorities = Authorities::read(files, &ca.bytes)?;
        let crls: Result<Vec<CertificateRevocationListDer<'static>>, _> =
            CertificateRevocationListDer::pem_slice_iter(&crl.bytes).collect();
        let crls = crls.map_err(|why| unusable(&files.crl, &why))?;
        if crls.is_empty() {
            return Err(unusable(&files.crl, &"it holds no CRL in PEM"));
        }
        // Without a list of each authority, only the certificate of the client can be checked.
        let has_all_lists = crls.len() >= authorities.count;
        let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(authorities.roots), provider.clone())
            .with_crls(crls)
            .add_root_hint_subjects(authorities.subjects)
            .allow_unauthenticated();
        let verifier = if has_all_lists { verifier } else { verifier.only_check_end_entity_revocation() };
        let verifier = verifier.build().map_err(|why| unusable(&files.crl, &why))?;
        let chain = certificates(&files.certificate, &read(&files.certificate)?)?;
        let key = PrivateKeyDer::from_pem_slice(&read(&files.key)?).map_err(|why| unusable(&files.key, &why))?;
        let certified = CertifiedKey::from_der(chain, key, &provider).map_err(|why| {
            ServerError(format!("{} and {}: {why}", files.certificate.display(), files.key.display()))
        })?;
        let certificate = Arc::new(SingleCertAndKey::from(certified));
        let generation = NEXT_GENERATION.fetch_add(1, Ordering::Relaxed);
        let intermediates = Arc::new(authorities.intermediates);
        let trust = Trust { provider, certificate, ca, crl, generation, verifier, intermediates };
        trust.tls(Arc::default()).map_err(|why| ServerError(format!("TLS cannot be set up: {why}")))?;
        Ok(trust)
    }

    /// The settings of TLS for a connection. If its client's certificate is refused, `refused` names it.
    pub(crate) fn tls(&self, refused: Arc<RefusedCertificate>) -> Result<Arc<ServerConfig>, rustls::Error> {
        let verifier = Arc::new(NamingVerifier {
            verifier: self.verifier.clone(),
            intermediates: self.intermediates.clone(),
            refused,
        });
        let mut tls = ServerConfig::builder_with_provider(self.provider.clone())
            .with_safe_default_protocol_versions()?
            .with_client_cert_verifier(verifier)
            .with_cert_resolver(self.certificate.clone());
        // A client that resumes a session is not verified again, so session tickets would keep a revoked certificate usable.
        tls.send_tls13_tickets = 0;
        tls.session_storage = Arc::new(NoServerSessionStorage {});
        tls.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Arc::new(tls))
    }

    /// Whether a client's certificate is still valid. While its connection is open, it may expire or be revoked, and the authority may
    /// be replaced.
    pub(crate) fn admits(&self, peer: &Peer) -> bool {
        let seconds = now();
        if seconds < peer.not_before || seconds > peer.not_after {
            return false;
        }
        if peer.verified_with.load(Ordering::Relaxed) == self.generation {
            return true;
        }
        let Some((certificate, intermediates)) = peer.chain.split_first() else { return false };
        let time = UnixTime::since_unix_epoch(Duration::from_secs(seconds));
        let chain: Vec<CertificateDer<'_>> = intermediates.iter().chain(self.intermediates.iter()).cloned().collect();
        let verified = self.verifier.verify_client_cert(certificate, &chain, time).is_ok();
        if verified {
            peer.verified_with.store(self.generation, Ordering::Relaxed);
        }
        verified
    }
}

/// The certificates of the authorities.
struct Authorities {
    /// Those that sign themselves; without one, all are trusted.
    roots: RootCertStore,
    intermediates: Vec<CertificateDer<'static>>,
    /// The names of those below the roots, since clients choose their certificate by the name of its authority.
    subjects: Vec<DistinguishedName>,
    count: usize,
}

impl Authorities {
    fn read(files: &CertificateFiles, pem: &[u8]) -> Result<Authorities, ServerError> {
        let all = certificates(&files.ca, pem)?;
        let count = all.len();
        let is_root = |der: &CertificateDer<'_>| {
            Certificate::from_der(der).is_ok_and(|one| one.tbs_certificate.subject == one.tbs_certificate.issuer)
        };
        let (mut anchors, mut intermediates): (Vec<_>, Vec<_>) = all.into_iter().partition(is_root);
        if anchors.is_empty() {
            anchors = std::mem::take(&mut intermediates);
        }
        let store = |certificates: &[CertificateDer<'static>]| {
            let mut store = RootCertStore::empty();
            for certificate in certificates {
                store.add(certificate.clone()).map_err(|why| unusable(&files.ca, &why))?;
            }
            Ok::<RootCertStore, ServerError>(store)
        };
        let subjects = store(&intermediates)?.subjects();
        Ok(Authorities { roots: store(&anchors)?, intermediates, subjects, count })
    }
}

fn unusable(path: &Path, why: &dyn std::fmt::Display) -> ServerError {
    ServerError(format!("{}: {why}", path.display()))
}

/// Reads a file.
pub(crate) fn read(path: &Path) -> Result<Arc<[u8]>, ServerError> {
    catwalk_world::read_file(path).map_err(|why| ServerError(why.to_string()))
}

fn document(path: &Path) -> Result<Document, ServerError> {
    let bytes = Bytes::copy_from_slice(&read(path)?);
    let stat = rustix::fs::stat(path).map_err(|why| unusable(path, &why))?;
    Ok(Document { bytes, modified: stat.st_mtime })
}

fn certificates(path: &Path, pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, ServerError> {
    let read: Result<Vec<CertificateDer<'static>>, _> = CertificateDer::pem_slice_iter(pem).collect();
    let certificates = read.map_err(|why| unusable(path, &why))?;
    match certificates.is_empty() {
        true => Err(unusable(path, &"it holds no certificate in PEM")),
        false => Ok(certificates),
    }
}

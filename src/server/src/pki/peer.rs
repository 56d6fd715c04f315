//! The certificate of a client.

use std::sync::atomic::AtomicU64;

use cms::cert::x509::Certificate;
use cms::cert::x509::der::Decode;
use rustls::pki_types::CertificateDer;

use crate::served_site::Client;
use catwalk_authority::subject_name;

/// A client with a certificate that the TLS handshake has verified.
pub(crate) struct Peer {
    /// The name and Puppet's extensions in the certificate.
    pub(crate) client: Client,
    /// The certificate, then the intermediate certificates.
    pub(crate) chain: Vec<CertificateDer<'static>>,
    /// Start of the certificate's validity, in seconds since 1970.
    pub(crate) not_before: u64,
    /// End of the certificate's validity, in seconds since 1970.
    pub(crate) not_after: u64,
    /// The [`Trust::generation`](super::trust::Trust::generation) that the chain was last verified with.
    pub(crate) verified_with: AtomicU64,
}

impl Peer {
    /// Reads a certificate chain. `None`: the certificate has no usable common name.
    pub(crate) fn read(chain: &[CertificateDer<'_>], verified_with: u64) -> Option<Peer> {
        let certificate = Certificate::from_der(chain.first()?).ok()?;
        // A name with a line break would forge lines of the log.
        let certname =
            subject_name(&certificate.tbs_certificate.subject).filter(|name| !name.contains(char::is_control))?;
        let extensions = catwalk_certificate::extensions(&certificate);
        let validity = certificate.tbs_certificate.validity;
        Some(Peer {
            client: Client { certname, extensions },
            chain: chain.iter().map(|certificate| certificate.clone().into_owned()).collect(),
            not_before: validity.not_before.to_unix_duration().as_secs(),
            not_after: validity.not_after.to_unix_duration().as_secs(),
            verified_with: AtomicU64::new(verified_with),
        })
    }
}

//! The certificate of a client.

use std::net::IpAddr;
use std::sync::atomic::AtomicU64;

use cms::cert::x509::Certificate;
use cms::cert::x509::der::Decode;
use cms::cert::x509::ext::pkix::SubjectAltName;
use cms::cert::x509::ext::pkix::name::GeneralName;
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
            client: Client { certname, extensions, alt_names: alternative_names(&certificate) },
            chain: chain.iter().map(|certificate| certificate.clone().into_owned()).collect(),
            not_before: validity.not_before.to_unix_duration().as_secs(),
            not_after: validity.not_after.to_unix_duration().as_secs(),
            verified_with: AtomicU64::new(verified_with),
        })
    }
}

/// The alternative names of a certificate, as [`Client::alt_names`] lists them.
fn alternative_names(certificate: &Certificate) -> Vec<(&'static str, String)> {
    let Ok(Some((_, SubjectAltName(names)))) = certificate.tbs_certificate.get::<SubjectAltName>() else {
        return Vec::new();
    };
    let name = |name: GeneralName| match name {
        GeneralName::DnsName(name) => Some(("dns-name", name.to_string())),
        GeneralName::UniformResourceIdentifier(name) => Some(("uri", name.to_string())),
        GeneralName::Rfc822Name(name) => Some(("rfc822-name", name.to_string())),
        GeneralName::IpAddress(bytes) => {
            let four = <[u8; 4]>::try_from(bytes.as_bytes()).map(IpAddr::from);
            let address = four.or_else(|_| <[u8; 16]>::try_from(bytes.as_bytes()).map(IpAddr::from)).ok()?;
            Some(("ip", address.to_string()))
        }
        _ => None,
    };
    names.into_iter().filter_map(name).collect()
}

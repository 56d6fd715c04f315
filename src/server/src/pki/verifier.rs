//! A verifier of client certificates that names the one it refuses.
//!
//! In: certificate chains. Out: what webpki's verifier returns, and for a refused certificate its names. Must not: decide anything itself.

use std::sync::Arc;
use std::sync::OnceLock;

use cms::cert::x509::Certificate;
use cms::cert::x509::der::Decode;
use rustls::DigitallySignedStruct;
use rustls::DistinguishedName;
use rustls::Error;
use rustls::SignatureScheme;
use rustls::client::danger::HandshakeSignatureValid;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::UnixTime;
use rustls::server::danger::ClientCertVerified;
use rustls::server::danger::ClientCertVerifier;

/// The longest name of a certificate in a message, in characters.
const MAX_NAME: usize = 200;

/// The certificate that was refused in a handshake.
#[derive(Debug, Default)]
pub(crate) struct RefusedCertificate(OnceLock<String>);

impl RefusedCertificate {
    /// The failure of a handshake, with the refused certificate: `CN=web1, issued by CN=other CA, serial number 5: invalid peer …`.
    pub(crate) fn explain(&self, failure: &str) -> String {
        match self.0.get() {
            Some(certificate) => format!("the certificate {certificate}, is refused: {failure}"),
            None => failure.to_owned(),
        }
    }
}

/// The names in a certificate that anybody may have made.
fn describe(certificate: &CertificateDer<'_>) -> String {
    let Ok(read) = Certificate::from_der(certificate) else { return "that cannot be read".to_owned() };
    let parts = read.tbs_certificate;
    let short = |name: String| match name.char_indices().nth(MAX_NAME) {
        Some((end, _)) => format!("{}…", name.get(..end).unwrap_or_default()),
        None => name,
    };
    let (subject, issuer) = (short(parts.subject.to_string()), short(parts.issuer.to_string()));
    format!("{subject}, issued by {issuer}, serial number {}", short(parts.serial_number.to_string()))
}

/// A verifier that notes the names of a refused certificate, and completes the chains of clients, which send only their own certificate.
#[derive(Debug)]
pub(crate) struct NamingVerifier {
    pub(crate) verifier: Arc<dyn ClientCertVerifier>,
    /// The certificates of the authorities below the roots.
    pub(crate) intermediates: Arc<Vec<CertificateDer<'static>>>,
    pub(crate) refused: Arc<RefusedCertificate>,
}

impl ClientCertVerifier for NamingVerifier {
    fn offer_client_auth(&self) -> bool {
        self.verifier.offer_client_auth()
    }

    fn client_auth_mandatory(&self) -> bool {
        self.verifier.client_auth_mandatory()
    }

    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        self.verifier.root_hint_subjects()
    }

    fn verify_client_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        now: UnixTime,
    ) -> Result<ClientCertVerified, Error> {
        let chain: Vec<CertificateDer<'_>> = intermediates.iter().chain(self.intermediates.iter()).cloned().collect();
        let verified = self.verifier.verify_client_cert(end_entity, &chain, now);
        if verified.is_err() {
            let _ = self.refused.0.set(describe(end_entity));
        }
        verified
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.verifier.verify_tls12_signature(message, certificate, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.verifier.verify_tls13_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.verifier.supported_verify_schemes()
    }
}

//! TLS: certificates, keys and revocation lists of an [`Identity`], and how the certificate of a server is checked.
//!
//! In: files in PEM. Out: a configuration of rustls; the reasons of failed checks. The checks are those of rustls' webpki verifier, with
//! three additions for sites with their own authority, as in Puppet:
//!
//! - Without alternative names, the common name of the certificate's subject must be the host (`common_name`).
//! - With revocation lists, each certificate of the chain needs a list of its authority that has not expired, and must not be in it: the
//!   mode `chain` of Puppet's setting `certificate_revocation`. Of several lists of one authority the newest is used.
//! - An authority that has expired is not trusted.

use std::path::Path;
use std::sync::Arc;

use rustls::CertificateError;
use rustls::ClientConfig;
use rustls::DigitallySignedStruct;
use rustls::RootCertStore;
use rustls::SignatureScheme;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::HandshakeSignatureValid;
use rustls::client::danger::ServerCertVerified;
use rustls::client::danger::ServerCertVerifier;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::CertificateRevocationListDer;
use rustls::pki_types::PrivateKeyDer;
use rustls::pki_types::ServerName;
use rustls::pki_types::UnixTime;
use rustls::pki_types::pem::PemObject;

use super::common_name;
use super::invalid_file;
use super::validity;
use crate::Identity;
use crate::WorldError;
use crate::read_file;

/// The configuration of connections with this identity.
///
/// # Errors
/// A file cannot be read or parsed, or the key does not belong to the certificate.
pub(crate) fn config(identity: &Identity) -> Result<Arc<ClientConfig>, WorldError> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let failed = |error: &rustls::Error| WorldError::NotAllowed(Arc::from(error.to_string()));
    let builder = ClientConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .map_err(|error| failed(&error))?;
    let builder = match &identity.ca {
        Some(ca) => {
            let verifier = OwnAuthority::new(ca, identity.crl.as_deref(), provider)?;
            builder.dangerous().with_custom_certificate_verifier(Arc::new(verifier))
        }
        None => match &identity.crl {
            Some(crl) => {
                return Err(invalid_file(crl, &"revocation lists need the certificate of their authority (`ca`), too"));
            }
            None => {
                let roots = webpki_roots::TLS_SERVER_ROOTS.iter().cloned().collect::<RootCertStore>();
                builder.with_root_certificates(roots)
            }
        },
    };
    let config = match (&identity.cert, &identity.key) {
        (Some(cert), Some(key)) => {
            let private = PrivateKeyDer::from_pem_slice(&read_file(key)?).map_err(|error| invalid_file(key, &error))?;
            let unfit =
                |error: &rustls::Error| invalid_file(key, &format!("not the key of {}: {error}", cert.display()));
            builder.with_client_auth_cert(certificates(cert)?, private).map_err(|error| unfit(&error))?
        }
        _ => builder.with_no_client_auth(),
    };
    Ok(Arc::new(config))
}

/// Why the check of the server's certificate failed; `None` for all other errors.
pub(super) fn certificate_error(error: &ureq::Error, crl: Option<&Path>) -> Option<String> {
    let error = match error {
        ureq::Error::Rustls(error) => error,
        ureq::Error::Io(error) => error.get_ref()?.downcast_ref::<rustls::Error>()?,
        _ => return None,
    };
    Some(describe_error(error, crl))
}

/// Why TLS failed; `crl` is the file of revocation lists.
pub(crate) fn describe_error(error: &rustls::Error, crl: Option<&Path>) -> String {
    let (rustls::Error::InvalidCertificate(why), Some(crl)) = (error, crl) else { return error.to_string() };
    let crl = crl.display();
    let why = match why {
        CertificateError::Revoked => format!("it is revoked, by a list in {crl}"),
        CertificateError::UnknownRevocationStatus => {
            format!("{crl} has no revocation list of an authority in its chain")
        }
        CertificateError::ExpiredRevocationList | CertificateError::ExpiredRevocationListContext { .. } => {
            format!("a revocation list in {crl} has expired")
        }
        _ => return error.to_string(),
    };
    format!("invalid peer certificate: {why}")
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, WorldError> {
    let text = read_file(path)?;
    CertificateDer::pem_slice_iter(&text).map(|item| item.map_err(|error| invalid_file(path, &error))).collect()
}

fn revocation_lists(path: &Path) -> Result<Vec<CertificateRevocationListDer<'static>>, WorldError> {
    let text = read_file(path)?;
    let lists = CertificateRevocationListDer::pem_slice_iter(&text)
        .map(|item| item.map_err(|error| invalid_file(path, &error)));
    match lists.collect::<Result<Vec<_>, WorldError>>()? {
        none if none.is_empty() => Err(invalid_file(path, &"it holds no revocation list (X509 CRL)")),
        // Without any list the verifier would check nothing.
        lists => match validity::in_order(lists, UnixTime::now()) {
            none if none.is_empty() => Err(invalid_file(path, &"its revocation lists are not valid yet")),
            lists => Ok(lists),
        },
    }
}

/// Checks the certificates of servers that a site's own authority has signed.
#[derive(Debug)]
struct OwnAuthority {
    webpki: Arc<WebPkiServerVerifier>,
    /// Intermediate certificates in the authority's file, which complete the chain of a server that does not send them. They are not
    /// trusted roots, since a root is never looked up in a revocation list.
    intermediates: Vec<CertificateDer<'static>>,
}

impl OwnAuthority {
    fn new(
        ca: &Path,
        crl: Option<&Path>,
        provider: Arc<rustls::crypto::CryptoProvider>,
    ) -> Result<OwnAuthority, WorldError> {
        let (mut trusted, mut intermediates): (Vec<_>, Vec<_>) =
            certificates(ca)?.into_iter().partition(common_name::is_self_issued);
        if trusted.is_empty() {
            trusted = std::mem::take(&mut intermediates);
        }
        // The verifier ignores the validity of trusted certificates.
        let has_some = !trusted.is_empty();
        trusted.retain(|authority| validity::is_valid(authority, UnixTime::now()));
        if has_some && trusted.is_empty() {
            return Err(invalid_file(ca, &"the certificate of the authority has expired, or is not valid yet"));
        }
        let mut roots = RootCertStore::empty();
        let (added, _) = roots.add_parsable_certificates(trusted);
        if added == 0 {
            return Err(invalid_file(ca, &"it holds no certificate of an authority"));
        }
        let mut builder = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider);
        if let Some(crl) = crl {
            builder = builder.with_crls(revocation_lists(crl)?).enforce_revocation_expiration();
        }
        let webpki = builder.build().map_err(|error| invalid_file(crl.unwrap_or(ca), &error))?;
        Ok(OwnAuthority { webpki, intermediates })
    }
}

impl ServerCertVerifier for OwnAuthority {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let chain: Vec<CertificateDer<'_>> = intermediates.iter().chain(&self.intermediates).cloned().collect();
        match self.webpki.verify_server_cert(end_entity, &chain, server_name, ocsp_response, now) {
            // The verifier compares names last, so the chain, the times and the revocation lists are valid here.
            Err(rustls::Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) if common_name::is_host(end_entity, server_name) => Ok(ServerCertVerified::assertion()),
            result => result,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.webpki.verify_tls12_signature(message, cert, dss)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.webpki.verify_tls13_signature(message, cert, dss)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.webpki.supported_verify_schemes()
    }
}

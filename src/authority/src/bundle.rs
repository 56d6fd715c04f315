//! Files with several certificates or revocation lists in PEM, as an authority with an intermediate certificate has them.
//!
//! In: the text of a file. Out: its parts, each with its DER. Text between the parts is ignored, as by OpenSSL. Must not: verify them.

use cms::cert::x509::Certificate;
use cms::cert::x509::crl::CertificateList;
use cms::cert::x509::der::Decode;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::CertificateRevocationListDer;
use rustls::pki_types::pem::PemObject;

/// The most parts of a file: a chain of authorities is short, and requests contain such files.
const MAX_PARTS: usize = 100;

/// Decodes the certificates in PEM.
///
/// # Errors
/// There is none, or one cannot be decoded: the end of a sentence that begins with the name of the file.
pub fn certificates(pem: &[u8]) -> Result<Vec<Certificate>, String> {
    let parts = parts(CertificateDer::pem_slice_iter(pem), "certificate")?;
    let decoded: Result<Vec<_>, _> = parts.iter().map(|der| Certificate::from_der(der)).collect();
    decoded.map_err(|why| format!("a certificate cannot be read: {why}"))
}

/// Decodes the revocation lists in PEM; none is no error.
pub(crate) fn revocation_lists(pem: &[u8]) -> Result<Vec<CertificateList>, String> {
    let parts = match parts(CertificateRevocationListDer::pem_slice_iter(pem), "CRL") {
        Ok(parts) => parts,
        Err(_) if !is_pem(pem) => return Ok(Vec::new()),
        Err(why) => return Err(why),
    };
    let decoded: Result<Vec<_>, _> = parts.iter().map(|der| CertificateList::from_der(der)).collect();
    decoded.map_err(|why| format!("a CRL cannot be read: {why}"))
}

fn is_pem(text: &[u8]) -> bool {
    text.windows(b"-----BEGIN X509 CRL-----".len()).any(|part| part == b"-----BEGIN X509 CRL-----")
}

fn parts<T, E: std::fmt::Display>(found: impl Iterator<Item = Result<T, E>>, kind: &str) -> Result<Vec<T>, String> {
    let mut parts = Vec::new();
    for part in found {
        parts.push(part.map_err(|why| format!("it is not PEM: {why}"))?);
        if parts.len() > MAX_PARTS {
            return Err(format!("it holds more than {MAX_PARTS} parts"));
        }
    }
    if parts.is_empty() { Err(format!("it holds no {kind} in PEM")) } else { Ok(parts) }
}

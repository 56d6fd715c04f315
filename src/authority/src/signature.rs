//! Verifies the signatures of requests, certificates and revocation lists.

use cms::cert::x509::Certificate;
use cms::cert::x509::crl::CertificateList;
use cms::cert::x509::der::Any;
use cms::cert::x509::der::Decode;
use cms::cert::x509::der::Encode;
use cms::cert::x509::der::Reader;
use cms::cert::x509::der::SliceReader;
use cms::cert::x509::der::asn1::BitString;
use cms::cert::x509::spki::AlgorithmIdentifierOwned;
use cms::cert::x509::spki::SubjectPublicKeyInfoOwned;

/// Whether a key has signed a message.
pub(crate) fn verifies(
    public: &SubjectPublicKeyInfoOwned,
    algorithm: &AlgorithmIdentifierOwned,
    message: &[u8],
    signature: &BitString,
) -> bool {
    let verified = || {
        let (key, signature) = (public.subject_public_key.as_bytes()?, signature.as_bytes()?);
        let (of_key, of_signature) = (content(&public.algorithm)?, content(algorithm)?);
        let provider = rustls::crypto::ring::default_provider();
        let mut candidates = provider.signature_verification_algorithms.all.iter().filter(|algorithm| {
            algorithm.public_key_alg_id().as_ref() == of_key && algorithm.signature_alg_id().as_ref() == of_signature
        });
        Some(candidates.any(|algorithm| algorithm.verify_signature(key, message, signature).is_ok()))
    };
    verified().unwrap_or(false)
}

/// Whether the owner of a certificate has signed a certificate.
pub(crate) fn has_signed(issuer: &Certificate, certificate: &Certificate) -> bool {
    let (of_issuer, parts) = (&issuer.tbs_certificate, &certificate.tbs_certificate);
    let signed = parts.to_der();
    of_issuer.subject == parts.issuer
        && signed.is_ok_and(|signed| {
            let algorithm = &certificate.signature_algorithm;
            verifies(&of_issuer.subject_public_key_info, algorithm, &signed, &certificate.signature)
        })
}

/// Whether the owner of a certificate has signed a revocation list.
pub(crate) fn has_signed_list(issuer: &Certificate, list: &CertificateList) -> bool {
    let (of_issuer, parts) = (&issuer.tbs_certificate, &list.tbs_cert_list);
    let signed = parts.to_der();
    of_issuer.subject == parts.issuer
        && signed.is_ok_and(|signed| {
            verifies(&of_issuer.subject_public_key_info, &list.signature_algorithm, &signed, &list.signature)
        })
}

/// The contents of an algorithm identifier, without the header of its sequence.
fn content(algorithm: &AlgorithmIdentifierOwned) -> Option<Vec<u8>> {
    let der = algorithm.to_der().ok()?;
    let mut reader = SliceReader::new(&der).ok()?;
    let any = Any::decode(&mut reader).ok()?;
    reader.is_finished().then(|| any.value().to_vec())
}

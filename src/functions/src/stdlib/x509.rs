//! `validate_x509_rsa_key_pair`: whether a certificate was signed with a key.
//!
//! In: PEM strings. Out: nothing, or the failure with OpenSSL's message. Only RSA signatures (PKCS #1 v1.5) are verified.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use cms::cert::x509::Certificate;
use cms::cert::x509::der;
use cms::cert::x509::der::Decode;
use cms::cert::x509::der::Reader;
use cms::cert::x509::der::SliceReader;
use cms::cert::x509::der::asn1::BitStringRef;
use cms::cert::x509::der::asn1::ObjectIdentifier;
use cms::cert::x509::spki::AlgorithmIdentifierOwned;
use md5::Digest;
use rsa::BigUint;
use rsa::Pkcs1v15Sign;
use rsa::RsaPublicKey;
use rsa::pkcs1;
use rsa::pkcs8::PrivateKeyInfo;
use rsa::pkcs8::SubjectPublicKeyInfoRef;
use sha1::Sha1;
use sha2::Sha256;
use sha2::Sha384;
use sha2::Sha512;

use crate::Function;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_eval::runtime3;
use catwalk_eval::runtime3::fail;
use catwalk_value::Value;

pub(super) const VALIDATE_X509_RSA_KEY_PAIR: Function = Function {
    name: "validate_x509_rsa_key_pair",
    signatures: &[("Any *$args", validate)],
    doc: "Fails unless a certificate was signed with an RSA key; both are PEM strings.",
    examples: &[
        (
            "validate_x509_rsa_key_pair('a', 'b')",
            "error: Not a valid x509 certificate: PEM_read_bio_X509: no start line",
        ),
        ("validate_x509_rsa_key_pair(1, 'b')", "error: 1 is not a string."),
    ],
};

fn validate(call: &mut Call<'_, '_>) -> Res<Value> {
    let args = runtime3::args(call)?;
    if args.len() != 2 {
        let count = args.len();
        return fail(format!("validate_x509_rsa_key_pair(): wrong number of arguments ({count}; must be 2)"));
    }
    if let Some(other) = args.iter().find(|arg| arg.as_str().is_none()) {
        return fail(format!("{} is not a string.", runtime3::inspect(other)?));
    }
    let string = |at: usize| args.get(at).and_then(Value::as_str).unwrap_or("");
    let der = match find_pem_block(string(0), &["CERTIFICATE", "X509 CERTIFICATE", "TRUSTED CERTIFICATE"]) {
        Ok((_, der)) => der,
        Err(why) => return fail(format!("Not a valid x509 certificate: PEM_read_bio_X509: {why}")),
    };
    let Ok(certificate) = SignedCertificate::read(&der) else {
        return fail("Not a valid x509 certificate: PEM_read_bio_X509: nested asn1 error");
    };
    let key = find_pem_block(string(1), &KEYS).ok().and_then(|(kind, der)| public_key(kind, &der));
    let Some(key) = key else { return fail("Not a valid RSA key: Neither PUB key nor PRIV key: unsupported") };
    if certificate.is_signed_with(&key) {
        Ok(Value::Undef)
    } else {
        fail("Certificate signature does not match supplied key")
    }
}

/// Kinds of PEM blocks with a key of RSA.
const KEYS: [&str; 4] = ["RSA PRIVATE KEY", "PRIVATE KEY", "RSA PUBLIC KEY", "PUBLIC KEY"];

/// The first block of one of the kinds.
fn find_pem_block<'k>(string: &str, kinds: &[&'k str]) -> Result<(&'k str, Vec<u8>), &'static str> {
    let mut lines = string.lines().map(str::trim_end);
    while let Some(line) = lines.next() {
        let begins =
            |kind: &&&str| line.strip_prefix("-----BEGIN ").and_then(|l| l.strip_suffix("-----")) == Some(**kind);
        let Some(kind) = kinds.iter().find(begins) else { continue };
        let end = format!("-----END {kind}-----");
        let mut body = String::new();
        for line in lines.by_ref() {
            if line == end {
                return STANDARD.decode(body).map(|der| (*kind, der)).map_err(|_| "bad base64 decode");
            }
            body.push_str(line);
        }
        return Err("bad end line");
    }
    Err("no start line")
}

/// The signed part of a certificate, and the signature.
struct SignedCertificate<'d> {
    /// The encoded part that the signature is for.
    body: &'d [u8],
    algorithm: ObjectIdentifier,
    signature: &'d [u8],
}

impl SignedCertificate<'_> {
    /// Reads a certificate.
    fn read(der: &[u8]) -> der::Result<SignedCertificate<'_>> {
        // A trusted certificate is followed by its trust settings.
        let der = SliceReader::new(der)?.tlv_bytes()?;
        Certificate::from_der(der)?;
        // The signature covers the original bytes, not a new encoding of them.
        let mut reader = SliceReader::new(der)?;
        reader.sequence(|reader| {
            let body = reader.tlv_bytes()?;
            let algorithm = AlgorithmIdentifierOwned::decode(reader)?.oid;
            let signature = BitStringRef::decode(reader)?.raw_bytes();
            Ok(SignedCertificate { body, algorithm, signature })
        })
    }

    /// Whether the signature is a PKCS #1 v1.5 signature of this key.
    fn is_signed_with(&self, key: &RsaPublicKey) -> bool {
        let Some((_, prefix, digest)) = DIGESTS.iter().find(|(oid, ..)| *oid == self.algorithm) else { return false };
        let digest = digest(self.body);
        let scheme = Pkcs1v15Sign { hash_len: Some(digest.len()), prefix: Box::from(*prefix) };
        key.verify(scheme, &digest, self.signature).is_ok()
    }
}

/// A function that computes a digest.
type Digester = fn(&[u8]) -> Vec<u8>;

/// Signature algorithms, with the prefix of the digest in the signed data (RFC 8017, section 9.2, note 1).
const DIGESTS: [(ObjectIdentifier, &[u8], Digester); 4] = [
    (
        ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.5"),
        b"\x30\x21\x30\x09\x06\x05\x2b\x0e\x03\x02\x1a\x05\x00\x04\x14",
        |bytes| Sha1::digest(bytes).to_vec(),
    ),
    (
        ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.11"),
        b"\x30\x31\x30\x0d\x06\x09\x60\x86\x48\x01\x65\x03\x04\x02\x01\x05\x00\x04\x20",
        |bytes| Sha256::digest(bytes).to_vec(),
    ),
    (
        ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.12"),
        b"\x30\x41\x30\x0d\x06\x09\x60\x86\x48\x01\x65\x03\x04\x02\x02\x05\x00\x04\x30",
        |bytes| Sha384::digest(bytes).to_vec(),
    ),
    (
        ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.13"),
        b"\x30\x51\x30\x0d\x06\x09\x60\x86\x48\x01\x65\x03\x04\x02\x03\x05\x00\x04\x40",
        |bytes| Sha512::digest(bytes).to_vec(),
    ),
];

/// Larger keys are not in use, and would take long.
const MAX_KEY_BITS: usize = 1 << 14;

/// The public half of a key of one of the kinds that PEM names.
fn public_key(kind: &str, der: &[u8]) -> Option<RsaPublicKey> {
    let (modulus, exponent) = match kind {
        "RSA PRIVATE KEY" => {
            let key = pkcs1::RsaPrivateKey::from_der(der).ok()?;
            (key.modulus, key.public_exponent)
        }
        "PRIVATE KEY" => return public_key("RSA PRIVATE KEY", PrivateKeyInfo::from_der(der).ok()?.private_key),
        "PUBLIC KEY" => {
            let info = SubjectPublicKeyInfoRef::from_der(der).ok()?;
            return public_key("RSA PUBLIC KEY", info.subject_public_key.raw_bytes());
        }
        _ => {
            let key = pkcs1::RsaPublicKey::from_der(der).ok()?;
            (key.modulus, key.public_exponent)
        }
    };
    let number = |number: der::asn1::UintRef<'_>| BigUint::from_bytes_be(number.as_bytes());
    RsaPublicKey::new_with_max_size(number(modulus), number(exponent), MAX_KEY_BITS).ok()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    const CERTIFICATE: &str = include_str!("../../../../tests/cases/hiera-eyaml/keys/public_key.pkcs7.pem");
    const KEY: &str = include_str!("../../../../tests/cases/hiera-eyaml/keys/private_key.pkcs7.pem");
    const OTHER: &str = include_str!("../../../../tests/classifier/certificate.pem");

    fn der(string: &str) -> Vec<u8> {
        find_pem_block(string, &["CERTIFICATE"]).unwrap().1
    }

    #[test]
    fn a_certificate_is_verified_with_the_key_that_signed_it() {
        let (kind, key) = find_pem_block(KEY, &KEYS).unwrap();
        let key = public_key(kind, &key).unwrap();
        assert!(SignedCertificate::read(&der(CERTIFICATE)).unwrap().is_signed_with(&key));
        assert!(!SignedCertificate::read(&der(OTHER)).unwrap().is_signed_with(&key));
        let mut changed = der(CERTIFICATE);
        *changed.last_mut().unwrap() ^= 1;
        assert!(!SignedCertificate::read(&changed).unwrap().is_signed_with(&key));
    }

    #[test]
    fn invalid_certificates_and_keys_are_errors() {
        let whole = der(CERTIFICATE);
        for end in 0..whole.len() {
            assert!(SignedCertificate::read(&whole[..end]).is_err(), "{end}");
        }
        // A sequence of the right shape that contains no certificate.
        let empty = [0x30, 0x0c, 0x30, 0x00, 0x30, 0x03, 0x06, 0x01, 0x2a, 0x03, 0x03, 0x00, 0x01, 0x02];
        assert!(SignedCertificate::read(&empty).is_err());
        for kind in KEYS {
            assert!(public_key(kind, &whole).is_none() && public_key(kind, &[]).is_none(), "{kind}");
        }
    }
}

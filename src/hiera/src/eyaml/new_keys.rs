//! New keys, as `eyaml createkeys` makes them: an RSA key of 2048 bits and a certificate that it signs itself.
//!
//! Source: `create_keys` in hiera-eyaml's `encryptors/pkcs7.rb`.

use std::time::Duration;

use cms::cert::x509::Certificate;
use cms::cert::x509::TbsCertificate;
use cms::cert::x509::Version;
use cms::cert::x509::der;
use cms::cert::x509::der::Any;
use cms::cert::x509::der::Decode;
use cms::cert::x509::der::Encode;
use cms::cert::x509::der::asn1::BitString;
use cms::cert::x509::der::asn1::GeneralizedTime;
use cms::cert::x509::der::asn1::Null;
use cms::cert::x509::der::asn1::ObjectIdentifier;
use cms::cert::x509::der::asn1::OctetString;
use cms::cert::x509::der::asn1::UtcTime;
use cms::cert::x509::ext::Extension;
use cms::cert::x509::ext::pkix::AuthorityKeyIdentifier;
use cms::cert::x509::ext::pkix::BasicConstraints;
use cms::cert::x509::ext::pkix::name::GeneralName;
use cms::cert::x509::name::RdnSequence;
use cms::cert::x509::serial_number::SerialNumber;
use cms::cert::x509::spki::AlgorithmIdentifierOwned;
use cms::cert::x509::spki::SubjectPublicKeyInfoOwned;
use cms::cert::x509::time::Time;
use cms::cert::x509::time::Validity;
use rsa::Pkcs1v15Sign;
use rsa::RsaPrivateKey;
use rsa::pkcs1::EncodeRsaPrivateKey;
use rsa::pkcs8::EncodePublicKey;
use rsa::pkcs8::LineEnding;
use rsa::rand_core::OsRng;
use sha2::Digest;
use zeroize::Zeroizing;

const BITS: usize = 2048;
/// 50 years of 365 days.
const VALIDITY: Duration = Duration::from_secs(50 * 365 * 24 * 3600);
/// The first second that a `UTCTime` cannot represent.
const YEAR_2050: u64 = 2_524_608_000;
const SHA256_WITH_RSA: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.11");
const BASIC_CONSTRAINTS: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.19");
const SUBJECT_KEY_IDENTIFIER: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.14");
const AUTHORITY_KEY_IDENTIFIER: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.35");
/// What PKCS#1 signs before a digest of SHA-256 (RFC 8017, 9.2, note 1).
const SHA256_PREFIX: [u8; 19] =
    [0x30, 0x31, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01, 0x05, 0x00, 0x04, 0x20];

/// A new pair of keys.
pub struct NewKeys {
    /// The private key in PEM.
    pub private: Zeroizing<String>,
    /// The certificate in PEM.
    pub public: String,
}

impl std::fmt::Debug for NewKeys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("NewKeys")
    }
}

impl NewKeys {
    /// Makes a pair of keys that is valid from a time since 1970 on.
    ///
    /// # Errors
    /// The system has no random bytes.
    pub fn create(now: Duration) -> Result<NewKeys, String> {
        let failed = |error: &dyn std::fmt::Display| format!("keys cannot be created: {error}");
        let key = RsaPrivateKey::new(&mut OsRng, BITS).map_err(|error| failed(&error))?;
        let private = key.to_pkcs1_pem(LineEnding::LF).map_err(|error| failed(&error))?;
        let certificate = certificate(&key, now).map_err(|error| failed(&error))?;
        let public = der::pem::encode_string("CERTIFICATE", der::pem::LineEnding::LF, &certificate);
        Ok(NewKeys { private, public: public.map_err(|error| failed(&error))? })
    }
}

/// The certificate as DER.
fn certificate(key: &RsaPrivateKey, now: Duration) -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    let public = key.to_public_key().to_public_key_der()?;
    let public = SubjectPublicKeyInfoOwned::from_der(public.as_bytes())?;
    let algorithm = AlgorithmIdentifierOwned { oid: SHA256_WITH_RSA, parameters: Some(Any::from(Null)) };
    let serial_number = SerialNumber::new(&[1])?;
    let tbs_certificate = TbsCertificate {
        version: Version::V3,
        serial_number: serial_number.clone(),
        signature: algorithm.clone(),
        issuer: RdnSequence::default(),
        validity: Validity { not_before: time(now)?, not_after: time(now + VALIDITY)? },
        subject: RdnSequence::default(),
        extensions: Some(extensions(&public, serial_number)?),
        subject_public_key_info: public,
        issuer_unique_id: None,
        subject_unique_id: None,
    };
    let digest = sha2::Sha256::digest(tbs_certificate.to_der()?);
    let scheme = Pkcs1v15Sign { hash_len: Some(digest.len()), prefix: Box::new(SHA256_PREFIX) };
    let signature = BitString::from_bytes(&key.sign_with_rng(&mut OsRng, scheme, &digest)?)?;
    Ok(Certificate { tbs_certificate, signature_algorithm: algorithm, signature }.to_der()?)
}

fn extensions(public: &SubjectPublicKeyInfoOwned, serial: SerialNumber) -> der::Result<Vec<Extension>> {
    let identifier = OctetString::new(sha1::Sha1::digest(public.subject_public_key.raw_bytes()).to_vec())?;
    let authority = AuthorityKeyIdentifier {
        key_identifier: Some(identifier.clone()),
        authority_cert_issuer: Some(vec![GeneralName::DirectoryName(RdnSequence::default())]),
        authority_cert_serial_number: Some(serial),
    };
    let extension = |extn_id, critical, bytes: Vec<u8>| -> der::Result<Extension> {
        Ok(Extension { extn_id, critical, extn_value: OctetString::new(bytes)? })
    };
    Ok(vec![
        extension(BASIC_CONSTRAINTS, true, BasicConstraints { ca: true, path_len_constraint: None }.to_der()?)?,
        extension(SUBJECT_KEY_IDENTIFIER, false, identifier.to_der()?)?,
        extension(AUTHORITY_KEY_IDENTIFIER, false, authority.to_der()?)?,
    ])
}

fn time(since: Duration) -> der::Result<Time> {
    // Certificates have no parts of seconds.
    let since = Duration::from_secs(since.as_secs());
    match since.as_secs() < YEAR_2050 {
        true => UtcTime::from_unix_duration(since).map(Time::UtcTime),
        false => GeneralizedTime::from_unix_duration(since).map(Time::GeneralTime),
    }
}

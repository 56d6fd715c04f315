//! Private keys: creating, reading, signing.

use std::sync::Arc;

use cms::cert::x509::der::Any;
use cms::cert::x509::der::Decode;
use cms::cert::x509::der::asn1::Null;
use cms::cert::x509::der::asn1::ObjectIdentifier;
use cms::cert::x509::spki::AlgorithmIdentifierOwned;
use cms::cert::x509::spki::SubjectPublicKeyInfoOwned;
use rsa::pkcs1::EncodeRsaPrivateKey;
use rsa::pkcs8::LineEnding;
use rustls::SignatureScheme;
use rustls::crypto::ring::sign::any_supported_type;
use rustls::pki_types::PrivateKeyDer;
use rustls::pki_types::pem::PemObject;
use rustls::sign::Signer;
use rustls::sign::SigningKey;

use crate::config::AuthorityError;
use crate::config::KeyKind;
use crate::prime::SmallPrimes;
use crate::prime::random_prime;

const SHA256_WITH_RSA: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.11");
const ECDSA_WITH_SHA256: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.4.3.2");
const ECDSA_WITH_SHA384: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.4.3.3");

/// A private key that signs certificates. The library ring signs in constant time, so that timing reveals nothing about the key.
pub struct Key {
    signing: Arc<dyn SigningKey>,
}

impl Key {
    /// Reads a private key in PEM: PKCS#1, PKCS#8 or SEC 1, without a password.
    ///
    /// # Errors
    /// It is not such a key: a sentence.
    pub fn read(pem: &[u8]) -> Result<Key, String> {
        let der = PrivateKeyDer::from_pem_slice(pem)
            .map_err(|_| "it is not a private key in PEM without a password".to_owned())?;
        let signing = any_supported_type(&der).map_err(|why| why.to_string())?;
        Ok(Key { signing })
    }

    /// The public key.
    ///
    /// # Errors
    /// The library has none.
    pub fn public(&self) -> Result<SubjectPublicKeyInfoOwned, AuthorityError> {
        let der =
            self.signing.public_key().ok_or_else(|| AuthorityError("the private key has no public key".to_owned()))?;
        SubjectPublicKeyInfoOwned::from_der(&der)
            .map_err(|why| AuthorityError(format!("the public key cannot be read: {why}")))
    }

    /// The signature algorithm of this key.
    ///
    /// # Errors
    /// The key has a different kind.
    pub fn algorithm(&self) -> Result<AlgorithmIdentifierOwned, AuthorityError> {
        let identifier = match self.signer()?.scheme() {
            SignatureScheme::ECDSA_NISTP256_SHA256 => {
                AlgorithmIdentifierOwned { oid: ECDSA_WITH_SHA256, parameters: None }
            }
            SignatureScheme::ECDSA_NISTP384_SHA384 => {
                AlgorithmIdentifierOwned { oid: ECDSA_WITH_SHA384, parameters: None }
            }
            _ => AlgorithmIdentifierOwned { oid: SHA256_WITH_RSA, parameters: Some(Any::from(Null)) },
        };
        Ok(identifier)
    }

    /// Signs a message.
    ///
    /// # Errors
    /// The library fails.
    pub fn sign(&self, message: &[u8]) -> Result<Vec<u8>, AuthorityError> {
        self.signer()?.sign(message).map_err(|why| AuthorityError(format!("the private key cannot sign: {why}")))
    }

    fn signer(&self) -> Result<Box<dyn Signer>, AuthorityError> {
        let offered = [
            SignatureScheme::RSA_PKCS1_SHA256,
            SignatureScheme::ECDSA_NISTP256_SHA256,
            SignatureScheme::ECDSA_NISTP384_SHA384,
        ];
        let none = || AuthorityError("the private key is neither RSA nor ECDSA with P-256 or P-384".to_owned());
        self.signing.choose_scheme(&offered).ok_or_else(none)
    }
}

/// Creates a key, in PEM.
pub(crate) fn create(kind: KeyKind) -> Result<String, AuthorityError> {
    match kind {
        KeyKind::Rsa(bits) => new_rsa(bits),
        KeyKind::P256 => new_p256(),
    }
}

/// The public exponent of RSA keys: 2^16 + 1.
const EXPONENT: u32 = 65_537;

/// Creates an RSA key, in PEM: both primes at the same time.
fn new_rsa(bits: usize) -> Result<String, AuthorityError> {
    let failed = |why: &dyn std::fmt::Display| AuthorityError(format!("a key cannot be created: {why}"));
    let small = SmallPrimes::new();
    loop {
        let (p, q) = std::thread::scope(|scope| {
            let first = scope.spawn(|| random_prime(bits / 2, &small));
            (random_prime(bits - bits / 2, &small), first.join())
        });
        let q = q.map_err(|_| failed(&"the search for a prime failed"))?;
        // Fails in the rare case that the exponent divides one less than a prime.
        if let Ok(key) = rsa::RsaPrivateKey::from_p_q(p, q, EXPONENT.into()) {
            let pem = key.to_pkcs1_pem(LineEnding::LF).map_err(|why| failed(&why))?;
            return Ok(pem.as_str().to_owned());
        }
    }
}

/// The public key of a private key in PEM, as `ca_pub.pem` has it.
pub(crate) fn public_pem(key: &Key) -> Result<String, AuthorityError> {
    use cms::cert::x509::der::Encode;
    crate::encoding::pem("PUBLIC KEY", &key.public()?.to_der().map_err(crate::encoding::failed)?)
}

/// Creates an ECDSA key with the curve P-256, in PEM. A TLS handshake takes a hundredth of the time of one with RSA 4096.
///
/// # Errors
/// The system has no random bytes.
pub fn new_p256() -> Result<String, AuthorityError> {
    let algorithm = &ring::signature::ECDSA_P256_SHA256_ASN1_SIGNING;
    let pkcs8 = ring::signature::EcdsaKeyPair::generate_pkcs8(algorithm, &ring::rand::SystemRandom::new());
    let der =
        pkcs8.map_err(|_| AuthorityError("a key cannot be created: the system has no random bytes".to_owned()))?;
    crate::encoding::pem("PRIVATE KEY", der.as_ref())
}

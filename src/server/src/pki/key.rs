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

use crate::config::ServerError;

const SHA256_WITH_RSA: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.11");
const ECDSA_WITH_SHA256: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.4.3.2");
const ECDSA_WITH_SHA384: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.4.3.3");

/// A private key that signs certificates. The library ring signs in constant time, so that timing reveals nothing about the key.
pub(crate) struct Key {
    signing: Arc<dyn SigningKey>,
}

impl Key {
    /// Reads a private key in PEM: PKCS#1, PKCS#8 or SEC 1, without a password.
    pub(crate) fn read(pem: &[u8]) -> Result<Key, String> {
        let der = PrivateKeyDer::from_pem_slice(pem)
            .map_err(|_| "it is not a private key in PEM without a password".to_owned())?;
        let signing = any_supported_type(&der).map_err(|why| why.to_string())?;
        Ok(Key { signing })
    }

    /// The public key.
    pub(crate) fn public(&self) -> Result<SubjectPublicKeyInfoOwned, ServerError> {
        let der =
            self.signing.public_key().ok_or_else(|| ServerError("the private key has no public key".to_owned()))?;
        SubjectPublicKeyInfoOwned::from_der(&der)
            .map_err(|why| ServerError(format!("the public key cannot be read: {why}")))
    }

    /// The signature algorithm of this key.
    pub(crate) fn algorithm(&self) -> Result<AlgorithmIdentifierOwned, ServerError> {
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
    pub(crate) fn sign(&self, message: &[u8]) -> Result<Vec<u8>, ServerError> {
        self.signer()?.sign(message).map_err(|why| ServerError(format!("the private key cannot sign: {why}")))
    }

    fn signer(&self) -> Result<Box<dyn Signer>, ServerError> {
        let offered = [
            SignatureScheme::RSA_PKCS1_SHA256,
            SignatureScheme::ECDSA_NISTP256_SHA256,
            SignatureScheme::ECDSA_NISTP384_SHA384,
        ];
        let none = || ServerError("the private key is neither RSA nor ECDSA with P-256 or P-384".to_owned());
        self.signing.choose_scheme(&offered).ok_or_else(none)
    }
}

/// Creates an RSA key, in PEM.
pub(crate) fn new_rsa(bits: usize) -> Result<String, ServerError> {
    let failed = |why: &dyn std::fmt::Display| ServerError(format!("a key cannot be created: {why}"));
    let key = rsa::RsaPrivateKey::new(&mut rsa::rand_core::OsRng, bits).map_err(|why| failed(&why))?;
    let pem = key.to_pkcs1_pem(LineEnding::LF).map_err(|why| failed(&why))?;
    Ok(pem.as_str().to_owned())
}

/// Creates an ECDSA key with the curve P-256, in PEM. A TLS handshake takes a hundredth of the time of one with RSA 4096.
pub(crate) fn new_p256() -> Result<String, ServerError> {
    let algorithm = &ring::signature::ECDSA_P256_SHA256_ASN1_SIGNING;
    let pkcs8 = ring::signature::EcdsaKeyPair::generate_pkcs8(algorithm, &ring::rand::SystemRandom::new());
    let der = pkcs8.map_err(|_| ServerError("a key cannot be created: the system has no random bytes".to_owned()))?;
    super::encoding::pem("PRIVATE KEY", der.as_ref())
}

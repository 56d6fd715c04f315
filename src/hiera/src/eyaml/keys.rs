//! Keys of eyaml: a private RSA key, and a certificate with its public key.
//!
//! In: PEM, Base64 of encrypted values, strings to encrypt. Out: keys, decrypted and encrypted values. Must not: read files.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use cms::cert::x509::Certificate;
use cms::cert::x509::der::DecodePem;
use cms::cert::x509::der::Encode;
use rsa::RsaPrivateKey;
use rsa::RsaPublicKey;
use rsa::pkcs1::DecodeRsaPrivateKey;
use rsa::pkcs8::DecodePrivateKey;
use rsa::pkcs8::DecodePublicKey;
use zeroize::Zeroizing;

use super::envelope;

/// A key that decrypts values.
pub struct PrivateKey(RsaPrivateKey);

impl std::fmt::Debug for PrivateKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PrivateKey")
    }
}

impl PrivateKey {
    /// Reads a key in PEM.
    ///
    /// # Errors
    /// It is not an RSA key without a password: the message of OpenSSL.
    pub fn read(pem: &[u8]) -> Result<PrivateKey, String> {
        let text: Cow<'_, str> = String::from_utf8_lossy(pem);
        let text = text.trim();
        RsaPrivateKey::from_pkcs1_pem(text)
            .or_else(|_| RsaPrivateKey::from_pkcs8_pem(text))
            .map(PrivateKey)
            // OpenSSL 3 reports no details.
            .map_err(|_| "Neither PUB key nor PRIV key: unsupported".to_owned())
    }

    /// Decrypts a value from its Base64 without spaces.
    ///
    /// # Errors
    /// It is not Base64 of an envelope, or encrypted for another key.
    pub fn decrypt(&self, cipher: &str) -> Result<Zeroizing<Vec<u8>>, String> {
        let bytes = STANDARD.decode(cipher).map_err(|error| format!("invalid base64: {error}"))?;
        envelope::open(&bytes, &self.0)
    }

    /// Whether it decrypts what a public key encrypts.
    #[must_use]
    pub fn belongs_to(&self, public: &PublicKey) -> bool {
        self.0.to_public_key() == public.key
    }
}

/// A certificate, whose key encrypts values.
#[derive(Debug)]
pub struct PublicKey {
    certificate: Certificate,
    key: RsaPublicKey,
}

impl PublicKey {
    /// Reads a certificate in PEM.
    ///
    /// # Errors
    /// It is not a certificate, or its key is not one for RSA.
    pub fn read(pem: &[u8]) -> Result<PublicKey, String> {
        let text = String::from_utf8_lossy(pem);
        let certificate = Certificate::from_pem(text.trim().as_bytes())
            .map_err(|error| format!("it is not a certificate in PEM: {error}"))?;
        let encoded = certificate.tbs_certificate.subject_public_key_info.to_der();
        let key = encoded.ok().and_then(|der| RsaPublicKey::from_public_key_der(&der).ok());
        let key = key.ok_or("the key of the certificate is not an RSA key of at most 4096 bits")?;
        Ok(PublicKey { certificate, key })
    }

    /// Encrypts a value; returns its Base64.
    ///
    /// # Errors
    /// The system has no random bytes, or the key is too short.
    pub fn encrypt(&self, plain: &[u8]) -> Result<String, String> {
        Ok(STANDARD.encode(envelope::seal(plain, &self.certificate, &self.key)?))
    }
}

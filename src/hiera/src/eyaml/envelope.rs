//! PKCS7 envelopes (RFC 5652): the content is encrypted with AES in CBC mode, the key of that for an RSA key.
//!
//! In: bytes and a key. Out: the envelope or its content. Must not: know Base64, PEM or files.

use aes::cipher::BlockDecryptMut;
use aes::cipher::BlockEncryptMut;
use aes::cipher::KeyIvInit;
use aes::cipher::block_padding::Pkcs7;
use cms::cert::IssuerAndSerialNumber;
use cms::cert::x509::Certificate;
use cms::cert::x509::der::Any;
use cms::cert::x509::der::Decode;
use cms::cert::x509::der::Encode;
use cms::cert::x509::der::Tag;
use cms::cert::x509::der::asn1::Null;
use cms::cert::x509::der::asn1::ObjectIdentifier;
use cms::cert::x509::der::asn1::OctetString;
use cms::cert::x509::der::asn1::SetOfVec;
use cms::cert::x509::spki::AlgorithmIdentifierOwned;
use cms::content_info::CmsVersion;
use cms::content_info::ContentInfo;
use cms::enveloped_data::EncryptedContentInfo;
use cms::enveloped_data::EnvelopedData;
use cms::enveloped_data::KeyTransRecipientInfo;
use cms::enveloped_data::RecipientIdentifier;
use cms::enveloped_data::RecipientInfo;
use cms::enveloped_data::RecipientInfos;
use rsa::Pkcs1v15Encrypt;
use rsa::RsaPrivateKey;
use rsa::RsaPublicKey;
use rsa::rand_core::OsRng;
use rsa::rand_core::RngCore;
use zeroize::Zeroizing;

const DATA: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.7.1");
const ENVELOPED_DATA: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.7.3");
const RSA_ENCRYPTION: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.1");
const AES_128_CBC: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.1.2");
const AES_192_CBC: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.1.22");
const AES_256_CBC: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.1.42");

/// Opens an envelope.
pub(super) fn open(envelope: &[u8], key: &RsaPrivateKey) -> Result<Zeroizing<Vec<u8>>, String> {
    let wrong = |error: &dyn std::fmt::Display| format!("Could not parse the PKCS7: {error}");
    let info = ContentInfo::from_der(envelope).map_err(|error| wrong(&error))?;
    let data: EnvelopedData = info.content.decode_as().map_err(|error| wrong(&error))?;
    let session = data
        .recip_infos
        .0
        .iter()
        .find_map(|recipient| match recipient {
            RecipientInfo::Ktri(recipient) => key.decrypt(Pkcs1v15Encrypt, recipient.enc_key.as_bytes()).ok(),
            _ => None,
        })
        .map(Zeroizing::new)
        .ok_or("decryption error: the text is not encrypted for this key")?;
    let content = data.encrypted_content;
    let iv = content.content_enc_alg.parameters.as_ref().map(|any| any.value()).unwrap_or_default();
    let bytes = content.encrypted_content.as_ref().map(|octets| octets.as_bytes().to_vec()).unwrap_or_default();
    let mut bytes = Zeroizing::new(bytes);
    let length = match content.content_enc_alg.oid {
        AES_128_CBC => cbc::Decryptor::<aes::Aes128>::new_from_slices(&session, iv)
            .ok()
            .and_then(|cipher| cipher.decrypt_padded_mut::<Pkcs7>(&mut bytes).ok().map(<[u8]>::len)),
        AES_192_CBC => cbc::Decryptor::<aes::Aes192>::new_from_slices(&session, iv)
            .ok()
            .and_then(|cipher| cipher.decrypt_padded_mut::<Pkcs7>(&mut bytes).ok().map(<[u8]>::len)),
        AES_256_CBC => cbc::Decryptor::<aes::Aes256>::new_from_slices(&session, iv)
            .ok()
            .and_then(|cipher| cipher.decrypt_padded_mut::<Pkcs7>(&mut bytes).ok().map(<[u8]>::len)),
        other => return Err(format!("not supported yet: PKCS7 content encrypted with {other}")),
    };
    bytes.truncate(length.ok_or("decrypt error")?);
    Ok(bytes)
}

/// Encrypts bytes for the key of a certificate, with AES-256-CBC: what OpenSSL's `PKCS7_encrypt` makes for hiera-eyaml.
pub(super) fn seal(plain: &[u8], certificate: &Certificate, key: &RsaPublicKey) -> Result<Vec<u8>, String> {
    let failed = |error: &dyn std::fmt::Display| format!("the value cannot be encrypted: {error}");
    let mut session = Zeroizing::new([0; 32]);
    let mut iv = [0; 16];
    OsRng.try_fill_bytes(session.as_mut()).map_err(|error| failed(&error))?;
    OsRng.try_fill_bytes(&mut iv).map_err(|error| failed(&error))?;
    let wrapped = key.encrypt(&mut OsRng, Pkcs1v15Encrypt, session.as_ref()).map_err(|error| failed(&error))?;
    let mut content = Zeroizing::new(vec![0; (plain.len() / iv.len() + 1) * iv.len()]);
    content.get_mut(..plain.len()).unwrap_or_default().copy_from_slice(plain);
    let cipher = cbc::Encryptor::<aes::Aes256>::new((&*session).into(), &iv.into());
    cipher.encrypt_padded_mut::<Pkcs7>(&mut content, plain.len()).map_err(|error| failed(&error))?;
    encode(wrapped, &iv, &content, certificate).map_err(|error| failed(&error))
}

fn encode(
    wrapped: Vec<u8>,
    iv: &[u8],
    encrypted: &[u8],
    certificate: &Certificate,
) -> Result<Vec<u8>, cms::cert::x509::der::Error> {
    let certificate = &certificate.tbs_certificate;
    let recipient = RecipientInfo::Ktri(KeyTransRecipientInfo {
        version: CmsVersion::V0,
        rid: RecipientIdentifier::IssuerAndSerialNumber(IssuerAndSerialNumber {
            issuer: certificate.issuer.clone(),
            serial_number: certificate.serial_number.clone(),
        }),
        key_enc_alg: AlgorithmIdentifierOwned { oid: RSA_ENCRYPTION, parameters: Some(Any::from(Null)) },
        enc_key: OctetString::new(wrapped)?,
    });
    let mut recipients = SetOfVec::new();
    recipients.insert(recipient)?;
    let iv = Any::new(Tag::OctetString, iv)?;
    let data = EnvelopedData {
        version: CmsVersion::V0,
        originator_info: None,
        recip_infos: RecipientInfos(recipients),
        encrypted_content: EncryptedContentInfo {
            content_type: DATA,
            content_enc_alg: AlgorithmIdentifierOwned { oid: AES_256_CBC, parameters: Some(iv) },
            encrypted_content: Some(OctetString::new(encrypted)?),
        },
        unprotected_attrs: None,
    };
    ContentInfo { content_type: ENVELOPED_DATA, content: Any::encode_from(&data)? }.to_der()
}

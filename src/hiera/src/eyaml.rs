//! Encrypted values: `ENC[PKCS7,…]` in strings, as `eyaml_lookup_key` reads them.
//!
//! In: a string, the options of the hierarchy entry, the world that has the keys. Out: the string with its encrypted parts
//! decrypted, or the error of Ruby's hiera-eyaml. Must not: know hierarchies or lookups.

use std::borrow::Cow;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::PoisonError;
use std::sync::RwLock;

use aes::cipher::BlockDecryptMut;
use aes::cipher::KeyIvInit;
use aes::cipher::block_padding::Pkcs7;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use cms::cert::x509::der::Decode;
use cms::content_info::ContentInfo;
use cms::enveloped_data::EnvelopedData;
use cms::enveloped_data::RecipientInfo;
use rsa::Pkcs1v15Encrypt;
use rsa::RsaPrivateKey;
use rsa::pkcs1::DecodeRsaPrivateKey;
use rsa::pkcs8::DecodePrivateKey;
use rustc_hash::FxHashMap;

use crate::Eyaml;
use catwalk_base::secrets;
use catwalk_value::value::Hash;
use catwalk_value::value::Value;
use catwalk_world::Kind;
use catwalk_world::World;

/// The decrypted values of a session, by their encrypted bytes: decrypting a string takes a millisecond or more.
///
/// It belongs to the session: nothing decrypted outlives it, and no other session of the process gets it.
#[derive(Default)]
pub struct DecryptionCache(RwLock<Cache>);

#[derive(Default)]
struct Cache {
    strings: FxHashMap<(Arc<[u8]>, Box<str>), Arc<str>>,
    keys: FxHashMap<Arc<[u8]>, Arc<RsaPrivateKey>>,
}

/// The limit on cached strings.
const MAX_STRINGS: usize = 65_536;

impl std::fmt::Debug for DecryptionCache {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Decrypted")
    }
}

/// The options of a hierarchy level that name the key, and the directory of its hiera.yaml.
pub(super) type KeyOptions<'a> = (&'a Hash, Option<&'a Path>);

/// Whether a string has an encrypted part (`/.*ENC\[.*?\]/`).
pub(super) fn is_encrypted(text: &str) -> bool {
    text.lines().any(|line| line.split_once("ENC[").is_some_and(|(_, rest)| rest.contains(']')))
        || text.find("ENC[").and_then(|at| text.get(at..)).is_some_and(|rest| parse_part(rest).is_some())
}

/// Decrypts the encrypted parts of a string; a final newline is removed.
///
/// # Errors
/// The message of hiera-eyaml's exception: no key, an invalid key or string, another method than PKCS7.
pub(super) fn decrypt(
    text: &str,
    mode: Eyaml,
    options: KeyOptions<'_>,
    cache: &DecryptionCache,
    world: &dyn World,
) -> Result<String, String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("ENC[") {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        match parse_part(from) {
            Some((method, cipher, length)) => {
                if mode == Eyaml::Placeholder {
                    out.push_str(&placeholder(method, &cipher));
                } else if method != "PKCS7" {
                    return Err(format!("not supported yet: eyaml's encryption method {method}"));
                } else {
                    let plain = cache.decrypt(&cipher, options, world)?;
                    secrets::report(&plain);
                    out.push_str(&plain);
                }
                rest = from.get(length..).unwrap_or("");
            }
            None => {
                out.push_str("ENC[");
                rest = from.get(4..).unwrap_or("");
            }
        }
    }
    out.push_str(rest);
    let chomped = out.strip_suffix("\r\n").or_else(|| out.strip_suffix(['\n', '\r'])).map(str::len);
    out.truncate(chomped.unwrap_or(out.len()));
    Ok(out)
}

/// The placeholder for a part that is not decrypted; equal for equal encrypted bytes.
fn placeholder(method: &str, cipher: &str) -> String {
    use sha2::Digest;
    let digest = sha2::Sha256::digest(cipher.as_bytes());
    let hex: String = digest.iter().take(10).map(|byte| format!("{byte:02x}")).collect();
    format!("<eyaml {method} {hex}>")
}

/// An encrypted part at the start: its method, its Base64 without space, its length.
fn parse_part(text: &str) -> Option<(&str, String, usize)> {
    let inner = text.strip_prefix("ENC[")?;
    let end = inner.find(']')?;
    let body = inner.get(..end)?;
    let (method, cipher) = body.split_once(',').unwrap_or(("PKCS7", body));
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | ' ' | '=' | '\n');
    if cipher.is_empty() || !method.chars().all(word) || !cipher.chars().all(letter) {
        return None;
    }
    let cipher = cipher.chars().filter(|c| !c.is_whitespace()).collect();
    Some((method, cipher, end + "ENC[]".len()))
}

impl DecryptionCache {
    /// Decrypts one `ENC[…]` part of a value.
    fn decrypt(&self, cipher: &str, (options, folder): KeyOptions<'_>, world: &dyn World) -> Result<Arc<str>, String> {
        let pem = private_key(options, folder, world)?;
        let cache = self.0.read().unwrap_or_else(PoisonError::into_inner);
        // The key of the map owns its parts, so a lookup copies the pointer and the string.
        let name = (pem.clone(), Box::from(cipher));
        if let Some(text) = cache.strings.get(&name) {
            return Ok(text.clone());
        }
        let parsed = cache.keys.get(&pem).cloned();
        drop(cache);
        let key = match parsed {
            Some(key) => key,
            None => Arc::new(parse_key(&pem)?),
        };
        let bytes = STANDARD.decode(cipher).map_err(|error| format!("invalid base64: {error}"))?;
        let text: Arc<str> = Arc::from(String::from_utf8_lossy(&open_envelope(&bytes, &key)?));
        let mut cache = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if cache.strings.len() >= MAX_STRINGS {
            cache.strings.clear();
        }
        cache.keys.insert(pem, key);
        cache.strings.insert(name, text.clone());
        Ok(text)
    }

    /// How many strings are cached.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.0.read().unwrap_or_else(PoisonError::into_inner).strings.len()
    }
}

/// The private key in PEM (`Pkcs7.load_ANY_key_pem` of hiera-eyaml 5.0): from the environment variable that is named (plain, or
/// in Base64), else from the file. A relative path is one from the working directory, as in Ruby, else from the directory of
/// hiera.yaml.
fn private_key(options: &Hash, folder: Option<&Path>, world: &dyn World) -> Result<Arc<[u8]>, String> {
    let option = |name: &str| options.get(name).and_then(Value::as_str);
    let variable = |name: &str| world.env(name).ok_or_else(|| format!("env {name} is not set"));
    if let Some(name) = option("pkcs7_private_key_env_var") {
        return Ok(Arc::from(variable(name)?.as_bytes()));
    }
    if let Some(name) = option("pkcs7_b64_private_key_env_var") {
        let text: String = variable(name)?.chars().filter(|c| !c.is_whitespace()).collect();
        let bytes = STANDARD.decode(text).map_err(|error| format!("invalid base64: {error}"))?;
        return Ok(Arc::from(bytes));
    }
    let path = option("pkcs7_private_key").ok_or("pkcs7_private_key is not defined")?;
    let missing = || format!("file {path} does not exist");
    if path.is_empty() {
        return Err(missing());
    }
    let near = folder.map(|folder| folder.join(path));
    let tried: Vec<PathBuf> = std::iter::once(PathBuf::from(path)).chain(near).collect();
    tried.iter().find_map(|path| world.read(path).ok()).ok_or_else(|| {
        let directory = tried.iter().any(|path| world.kind(path) == Kind::Directory);
        if directory { format!("Is a directory @ io_fread - {path}") } else { missing() }
    })
}

fn parse_key(pem: &[u8]) -> Result<RsaPrivateKey, String> {
    let text: Cow<'_, str> = String::from_utf8_lossy(pem);
    let text = text.trim();
    RsaPrivateKey::from_pkcs1_pem(text)
        .or_else(|_| RsaPrivateKey::from_pkcs8_pem(text))
        // OpenSSL 3 reports no details.
        .map_err(|_| "Neither PUB key nor PRIV key: unsupported".to_owned())
}

/// Opens a PKCS7 envelope (RFC 5652): the session's key is encrypted for an RSA key, the content with AES in CBC mode.
fn open_envelope(envelope: &[u8], key: &RsaPrivateKey) -> Result<Vec<u8>, String> {
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
        .ok_or("decryption error: the text is not encrypted for this key")?;
    let content = data.encrypted_content;
    let iv = content.content_enc_alg.parameters.as_ref().map(|any| any.value()).unwrap_or_default();
    let mut bytes = content.encrypted_content.as_ref().map(|octets| octets.as_bytes().to_vec()).unwrap_or_default();
    let length = match content.content_enc_alg.oid.to_string().as_str() {
        "2.16.840.1.101.3.4.1.2" => cbc::Decryptor::<aes::Aes128>::new_from_slices(&session, iv)
            .ok()
            .and_then(|cipher| cipher.decrypt_padded_mut::<Pkcs7>(&mut bytes).ok().map(<[u8]>::len)),
        "2.16.840.1.101.3.4.1.22" => cbc::Decryptor::<aes::Aes192>::new_from_slices(&session, iv)
            .ok()
            .and_then(|cipher| cipher.decrypt_padded_mut::<Pkcs7>(&mut bytes).ok().map(<[u8]>::len)),
        "2.16.840.1.101.3.4.1.42" => cbc::Decryptor::<aes::Aes256>::new_from_slices(&session, iv)
            .ok()
            .and_then(|cipher| cipher.decrypt_padded_mut::<Pkcs7>(&mut bytes).ok().map(<[u8]>::len)),
        other => return Err(format!("not supported yet: PKCS7 content encrypted with {other}")),
    };
    bytes.truncate(length.ok_or("decrypt error")?);
    Ok(bytes)
}

//! Encrypted values: `ENC[PKCS7,…]` in strings, as `eyaml_lookup_key` reads them.
//!
//! In: a string, the options of the hierarchy entry, the world that has the keys. Out: the string with its encrypted parts
//! decrypted, or the error of Ruby's hiera-eyaml. Must not: know hierarchies or lookups.
//!
//! | module | content |
//! |---|---|
//! | `keys`, `new_keys` | keys in PEM; values encrypted and decrypted with them |
//! | `envelope` | the format of an encrypted value |
//! | `blocks` | encrypted values in the text of a data file |
//! | `editing` | a data file with decrypted values, and what becomes encrypted after an edit |
//! | `levels` | the levels of a `hiera.yaml`, with their keys and files |
//! | `clear` | secret values in clear |

mod blocks;
mod clear;
mod editing;
mod envelope;
mod keys;
mod levels;
mod new_keys;

use parking_lot::RwLock;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rustc_hash::FxHashMap;

use crate::Eyaml;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_world::Kind;
use catwalk_world::World;

pub use blocks::Block;
pub use blocks::Form;
pub use blocks::blocks;
pub use blocks::has_hidden_block;
pub use blocks::replace;
pub use clear::SensitiveKeys;
pub use editing::Decrypted;
pub use editing::EditError;
pub use editing::Encrypted;
pub use keys::PrivateKey;
pub use keys::PublicKey;
pub use levels::Level;
pub use levels::levels;
pub use new_keys::NewKeys;

/// The decrypted values of a session, by their encrypted bytes: decrypting a string takes a millisecond or more.
///
/// It belongs to the session: nothing decrypted outlives it, and no other session of the process gets it.
#[derive(Default)]
pub struct DecryptionCache(RwLock<Cache>);

#[derive(Default)]
struct Cache {
    strings: FxHashMap<(Arc<[u8]>, Box<str>), Arc<str>>,
    keys: FxHashMap<Arc<[u8]>, Arc<PrivateKey>>,
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
                    world.secrets().report(&plain);
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
        let pem = key_in_pem("private", options, folder, world)?;
        let cache = self.0.read();
        // The key of the map owns its parts, so a lookup copies the pointer and the string.
        let name = (pem.clone(), Box::from(cipher));
        if let Some(text) = cache.strings.get(&name) {
            return Ok(text.clone());
        }
        let parsed = cache.keys.get(&pem).cloned();
        drop(cache);
        let key = match parsed {
            Some(key) => key,
            None => Arc::new(PrivateKey::read(&pem)?),
        };
        let text: Arc<str> = Arc::from(String::from_utf8_lossy(&key.decrypt(cipher)?));
        let mut cache = self.0.write();
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
        self.0.read().strings.len()
    }
}

/// The `private` or `public` key in PEM (`Pkcs7.load_ANY_key_pem` of hiera-eyaml 5.0): from the environment variable that options
/// name (plain, or in Base64), else from the file. A relative path is one from the working directory, as in Ruby, else from the directory
/// of hiera.yaml.
///
/// # Errors
/// The options name no key, or it cannot be read.
pub fn key_in_pem(which: &str, options: &Hash, folder: Option<&Path>, world: &dyn World) -> Result<Arc<[u8]>, String> {
    let option = |name: String| options.get(name.as_str()).and_then(Value::as_str);
    let variable = |name: &str| world.env(name).ok_or_else(|| format!("env {name} is not set"));
    if let Some(name) = option(format!("pkcs7_{which}_key_env_var")) {
        return Ok(Arc::from(variable(name)?.as_bytes()));
    }
    if let Some(name) = option(format!("pkcs7_b64_{which}_key_env_var")) {
        let text: String = variable(name)?.chars().filter(|c| !c.is_whitespace()).collect();
        let bytes = STANDARD.decode(text).map_err(|error| format!("invalid base64: {error}"))?;
        return Ok(Arc::from(bytes));
    }
    let path = option(format!("pkcs7_{which}_key")).ok_or_else(|| format!("pkcs7_{which}_key is not defined"))?;
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

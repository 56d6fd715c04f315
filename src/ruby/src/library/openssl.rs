//! Digests of Ruby's `digest` and `openssl`: computed by class methods, by objects that take data in parts, with a key, and as
//! key derivation from passwords.
//!
//! In: names of algorithms, data. Out: bytes and their representations. Must not: know keys or certificates.

use std::rc::Rc;

use md5::Digest;
use pbkdf2::hmac::Hmac;
use pbkdf2::hmac::KeyInit;
use pbkdf2::hmac::Mac;

use crate::Interp;
use crate::Raise;
use crate::core::string_helpers;
use crate::value::Instance;
use crate::value::Rv;
use crate::value::object;
use catwalk_base::names::Name;

/// The class of digests in progress.
pub(crate) const DIGEST: &str = "OpenSSL::Digest";
/// The module of digests with a key.
pub(crate) const HMAC: &str = "OpenSSL::HMAC";

/// Maximum number of rounds of a key derivation.
const MAX_ROUNDS: u32 = 10_000_000;

#[derive(Clone, Copy)]
enum Algorithm {
    Md5,
    Sha1,
    Sha256,
    Sha384,
    Sha512,
}

impl Algorithm {
    /// An algorithm by its names in Ruby code: `SHA256`, `sha-256`, `Digest::SHA256`.
    fn from_name(name: &str) -> Option<Algorithm> {
        let last = name.rsplit("::").next().unwrap_or(name);
        Some(match last.to_ascii_lowercase().replace('-', "").as_str() {
            "md5" => Algorithm::Md5,
            "sha1" => Algorithm::Sha1,
            "sha256" => Algorithm::Sha256,
            "sha384" => Algorithm::Sha384,
            "sha512" => Algorithm::Sha512,
            _ => return None,
        })
    }

    fn digest(self, bytes: &[u8]) -> Vec<u8> {
        match self {
            Algorithm::Md5 => md5::Md5::digest(bytes).to_vec(),
            Algorithm::Sha1 => sha1::Sha1::digest(bytes).to_vec(),
            Algorithm::Sha256 => sha2::Sha256::digest(bytes).to_vec(),
            Algorithm::Sha384 => sha2::Sha384::digest(bytes).to_vec(),
            Algorithm::Sha512 => sha2::Sha512::digest(bytes).to_vec(),
        }
    }

    fn hmac(self, key: &[u8], bytes: &[u8]) -> Vec<u8> {
        fn compute<M: Mac + KeyInit>(key: &[u8], bytes: &[u8]) -> Vec<u8> {
            // A key may have any length.
            let Ok(mut mac) = <M as KeyInit>::new_from_slice(key) else { return Vec::new() };
            mac.update(bytes);
            mac.finalize().into_bytes().to_vec()
        }
        match self {
            Algorithm::Md5 => compute::<Hmac<md5::Md5>>(key, bytes),
            Algorithm::Sha1 => compute::<Hmac<sha1::Sha1>>(key, bytes),
            Algorithm::Sha256 => compute::<Hmac<sha2::Sha256>>(key, bytes),
            Algorithm::Sha384 => compute::<Hmac<sha2::Sha384>>(key, bytes),
            Algorithm::Sha512 => compute::<Hmac<sha2::Sha512>>(key, bytes),
        }
    }

    fn derive(self, password: &[u8], salt: &[u8], rounds: u32, out: &mut [u8]) {
        match self {
            Algorithm::Md5 => pbkdf2::pbkdf2_hmac::<md5::Md5>(password, salt, rounds, out),
            Algorithm::Sha1 => pbkdf2::pbkdf2_hmac::<sha1::Sha1>(password, salt, rounds, out),
            Algorithm::Sha256 => pbkdf2::pbkdf2_hmac::<sha2::Sha256>(password, salt, rounds, out),
            Algorithm::Sha384 => pbkdf2::pbkdf2_hmac::<sha2::Sha384>(password, salt, rounds, out),
            Algorithm::Sha512 => pbkdf2::pbkdf2_hmac::<sha2::Sha512>(password, salt, rounds, out),
        }
    }
}

/// Whether a class computes digests.
pub(crate) fn is_digest(class: &str) -> bool {
    class == DIGEST || class == HMAC || class.contains("Digest::") && Algorithm::from_name(class).is_some()
}

/// Methods of the classes.
pub(crate) fn class_method(rt: &mut Interp<'_>, class: &str, name: &str, args: &[Rv]) -> Raise<Option<Rv>> {
    let arg = args.first().cloned().unwrap_or(Rv::Nil);
    match (class, name) {
        (DIGEST, "new") => {
            let name = arg.string_or_symbol().unwrap_or_default();
            find_algorithm(rt, &arg)?;
            Ok(Some(object(DIGEST, &[("name", Rv::str(name)), ("data", Rv::bytes(Vec::new()))])))
        }
        (HMAC, "new") => {
            let (key, algorithm) = (string_helpers::string_bytes(rt, &arg)?, args.get(1).cloned().unwrap_or(Rv::Nil));
            find_algorithm(rt, &algorithm)?;
            let fields =
                [("name", algorithm_name(&algorithm)), ("key", Rv::bytes(key)), ("data", Rv::bytes(Vec::new()))];
            Ok(Some(object(HMAC, &fields)))
        }
        (HMAC, "digest" | "hexdigest" | "base64digest") => {
            let algorithm = find_algorithm(rt, &arg)?;
            let key = string_helpers::string_bytes(rt, args.get(1).unwrap_or(&Rv::Nil))?;
            let data = string_helpers::string_bytes(rt, args.get(2).unwrap_or(&Rv::Nil))?;
            Ok(Some(encode(name, algorithm.hmac(&key, &data))))
        }
        ("OpenSSL::KDF" | "OpenSSL::PKCS5", "pbkdf2_hmac" | "pbkdf2_hmac_sha1") => {
            derive(rt, class, name, args).map(Some)
        }
        (class, "new") if is_digest(class) => {
            Ok(Some(object(DIGEST, &[("name", Rv::str(class)), ("data", Rv::bytes(Vec::new()))])))
        }
        (DIGEST, "digest" | "hexdigest" | "base64digest") => {
            let algorithm = find_algorithm(rt, &arg)?;
            let data = string_helpers::string_bytes(rt, args.get(1).unwrap_or(&Rv::Nil))?;
            Ok(Some(encode(name, algorithm.digest(&data))))
        }
        (class, "digest" | "hexdigest" | "base64digest") if is_digest(class) => {
            let data = string_helpers::string_bytes(rt, &arg)?;
            Ok(Algorithm::from_name(class).map(|algorithm| encode(name, algorithm.digest(&data))))
        }
        _ => Ok(None),
    }
}

/// Methods of digests in progress.
pub(crate) fn call(rt: &mut Interp<'_>, this: &Rc<Instance>, name: &str, args: &[Rv]) -> Raise<Option<Rv>> {
    let field = |name: &str| this.ivars.borrow().get(&Name::new(name)).cloned().unwrap_or(Rv::Nil);
    match name {
        "<<" | "update" => {
            let added = string_helpers::string_bytes(rt, args.first().unwrap_or(&Rv::Nil))?;
            rt.check_size(added.len())?;
            if let Rv::Bytes(data) = field("data") {
                if data.borrow().len().saturating_add(added.len()) > crate::MAX_SIZE {
                    return rt.unsupported("Ruby values of this size");
                }
                data.borrow_mut().extend(added);
            }
            Ok(Some(Rv::Object(this.clone())))
        }
        "reset" => {
            this.ivars.borrow_mut().insert(Name::new("data"), Rv::bytes(Vec::new()));
            Ok(Some(Rv::Object(this.clone())))
        }
        "digest" | "hexdigest" | "base64digest" | "to_s" => {
            let algorithm = find_algorithm(rt, &field("name"))?;
            let data = match (args.first(), field("data")) {
                (Some(data), _) => string_helpers::string_bytes(rt, data)?,
                (None, Rv::Bytes(data)) => data.borrow().clone(),
                (None, _) => Vec::new(),
            };
            let digest = match field("key") {
                Rv::Bytes(key) => algorithm.hmac(&key.borrow(), &data),
                _ => algorithm.digest(&data),
            };
            Ok(Some(encode(if name == "to_s" { "hexdigest" } else { name }, digest)))
        }
        "digest_length" | "size" | "length" => {
            let algorithm = find_algorithm(rt, &field("name"))?;
            Ok(Some(Rv::int(algorithm.digest(&[]).len())))
        }
        _ => Ok(None),
    }
}

fn derive(rt: &mut Interp<'_>, class: &str, name: &str, args: &[Rv]) -> Raise<Rv> {
    let password = string_helpers::string_bytes(rt, args.first().unwrap_or(&Rv::Nil))?;
    let options = args.get(1).cloned().unwrap_or(Rv::Nil);
    let [salt, rounds, length, algorithm] = match &options {
        Rv::Hash(options) if class == "OpenSSL::KDF" => {
            ["salt", "iterations", "length", "hash"].map(|key| options.get(&Rv::sym(key)).unwrap_or(Rv::Nil))
        }
        _ => {
            let algorithm =
                if name.ends_with("sha1") { Rv::str("SHA1") } else { args.get(4).cloned().unwrap_or(Rv::Nil) };
            let at = |at: usize| args.get(at).cloned().unwrap_or(Rv::Nil);
            [at(1), at(2), at(3), algorithm]
        }
    };
    let algorithm = find_algorithm(rt, &algorithm)?;
    let salt = string_helpers::string_bytes(rt, &salt)?;
    let (Rv::Int(rounds), Rv::Int(length)) = (rounds, length) else {
        return rt.raise("TypeError", "no implicit conversion into Integer");
    };
    let length = usize::try_from(length).unwrap_or(0);
    rt.check_size(length)?;
    let rounds = u32::try_from(rounds).unwrap_or(u32::MAX);
    if rounds > MAX_ROUNDS || length > 4096 {
        return rt.unsupported("key derivations of this size");
    }
    let mut out = vec![0; length];
    algorithm.derive(&password, &salt, rounds, &mut out);
    Ok(Rv::bytes(out))
}

/// The algorithm's name of a string, or of a digest object.
fn algorithm_name(value: &Rv) -> Rv {
    match value {
        Rv::Object(object) => object.ivars.borrow().get(&Name::new("name")).cloned().unwrap_or(Rv::Nil),
        Rv::Class(class) => Rv::str(class.as_str()),
        other => other.clone(),
    }
}

fn find_algorithm(rt: &mut Interp<'_>, value: &Rv) -> Raise<Algorithm> {
    let name = algorithm_name(value).string_or_symbol().unwrap_or_default();
    match Algorithm::from_name(&name) {
        Some(found) => Ok(found),
        None => rt.raise("RuntimeError", format!("Unsupported digest algorithm ({name}).: unknown object name")),
    }
}

fn encode(method: &str, bytes: Vec<u8>) -> Rv {
    match method {
        "hexdigest" => Rv::str(hex(&bytes)),
        "digest" => Rv::bytes(bytes),
        _ => Rv::str(string_helpers::base64_text(&bytes, false)),
    }
}

/// Bytes as hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

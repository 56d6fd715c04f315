//! Digests of Ruby's `digest`, `openssl` and `zlib`: computed by class methods, by objects that take data in parts, with a key, and as
//! key derivation from passwords.
//!
//! In: names of algorithms, data. Out: bytes and their representations. Must not: know keys or certificates.

use md5::Digest;
use pbkdf2::hmac::Hmac;
use pbkdf2::hmac::KeyInit;
use pbkdf2::hmac::Mac;

use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::core::string_helpers;
use crate::object::Class;
use crate::object::Method;
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

/// Methods of the class of one algorithm.
const OF_ALGORITHM: &[Method] = &[
    Method::at_least("base64digest", 1, |rt, this, args, _| digest_of_class(rt, this, args, Encoding::Base64)),
    Method::at_least("digest", 1, |rt, this, args, _| digest_of_class(rt, this, args, Encoding::Bytes)),
    Method::at_least("hexdigest", 1, |rt, this, args, _| digest_of_class(rt, this, args, Encoding::Hex)),
    Method::at_least("new", 0, new_digest_of_class),
];

/// Methods of digests in progress.
const IN_PROGRESS: &[Method] = &[
    Method::new("<<", 1, update),
    Method::at_least("base64digest", 0, |rt, this, args, _| finish(rt, this, args, Encoding::Base64)),
    Method::at_least("digest", 0, |rt, this, args, _| finish(rt, this, args, Encoding::Bytes)),
    Method::new("digest_length", 0, digest_length),
    Method::at_least("hexdigest", 0, |rt, this, args, _| finish(rt, this, args, Encoding::Hex)),
    Method::new("length", 0, digest_length),
    Method::new("reset", 0, reset),
    Method::new("size", 0, digest_length),
    Method::new("to_s", 0, |rt, this, args, _| finish(rt, this, args, Encoding::Hex)),
    Method::new("update", 1, update),
];

/// The class of an algorithm.
const fn of_algorithm(name: &'static str) -> Class {
    Class::module(name, OF_ALGORITHM)
}

/// The classes of the algorithms. Their objects are those of `OpenSSL::Digest`.
pub(crate) static ALGORITHMS: [Class; 10] = [
    of_algorithm("Digest::MD5"),
    of_algorithm("Digest::SHA1"),
    of_algorithm("Digest::SHA256"),
    of_algorithm("Digest::SHA384"),
    of_algorithm("Digest::SHA512"),
    of_algorithm("OpenSSL::Digest::MD5"),
    of_algorithm("OpenSSL::Digest::SHA1"),
    of_algorithm("OpenSSL::Digest::SHA256"),
    of_algorithm("OpenSSL::Digest::SHA384"),
    of_algorithm("OpenSSL::Digest::SHA512"),
];

pub(crate) static DIGEST_CLASS: Class = Class {
    name: DIGEST,
    parent: None,
    includes: &[],
    extends: &[],
    methods: IN_PROGRESS,
    singleton: &[
        Method::new("base64digest", 2, |rt, _, args, _| digest_by_name(rt, args, Encoding::Base64)),
        Method::new("digest", 2, |rt, _, args, _| digest_by_name(rt, args, Encoding::Bytes)),
        Method::new("hexdigest", 2, |rt, _, args, _| digest_by_name(rt, args, Encoding::Hex)),
        Method::at_least("new", 1, new_digest),
    ],
};

pub(crate) static HMAC_CLASS: Class = Class {
    name: HMAC,
    parent: None,
    includes: &[],
    extends: &[],
    methods: IN_PROGRESS,
    singleton: &[
        Method::new("base64digest", 3, |rt, _, args, _| hmac_by_name(rt, args, Encoding::Base64)),
        Method::new("digest", 3, |rt, _, args, _| hmac_by_name(rt, args, Encoding::Bytes)),
        Method::new("hexdigest", 3, |rt, _, args, _| hmac_by_name(rt, args, Encoding::Hex)),
        Method::new("new", 2, new_hmac),
    ],
};

pub(crate) static ZLIB: Class = Class::module("Zlib", &[Method::at_least("crc32", 0, crc32)]);

pub(crate) static KDF: Class = Class::module("OpenSSL::KDF", &[Method::new("pbkdf2_hmac", 2, derive_with_options)]);

pub(crate) static PKCS5: Class = Class::module(
    "OpenSSL::PKCS5",
    &[Method::new("pbkdf2_hmac", 5, derive_with_digest), Method::new("pbkdf2_hmac_sha1", 4, derive_with_sha1)],
);

/// How a digest is returned.
#[derive(Clone, Copy)]
enum Encoding {
    Bytes,
    Hex,
    Base64,
}

fn argument(args: &[Rv], at: usize) -> &Rv {
    args.get(at).unwrap_or(&Rv::Nil)
}

/// `OpenSSL::Digest.new(name)`
fn new_digest(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let name = argument(args, 0).string_or_symbol().unwrap_or_default();
    find_algorithm(rt, argument(args, 0))?;
    Ok(object(DIGEST, &[("name", Rv::str(name)), ("data", Rv::bytes(Vec::new()))]))
}

/// `Digest::SHA256.new`
fn new_digest_of_class(_: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(object(DIGEST, &[("name", algorithm_name(this)), ("data", Rv::bytes(Vec::new()))]))
}

/// `OpenSSL::HMAC.new(key, name)`
fn new_hmac(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let (key, algorithm) = (string_helpers::string_bytes(rt, argument(args, 0))?, argument(args, 1));
    find_algorithm(rt, algorithm)?;
    let fields = [("name", algorithm_name(algorithm)), ("key", Rv::bytes(key)), ("data", Rv::bytes(Vec::new()))];
    Ok(object(HMAC, &fields))
}

/// `Digest::SHA256.digest(data)`
fn digest_of_class(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], encoding: Encoding) -> Raise<Rv> {
    let data = string_helpers::string_bytes(rt, argument(args, 0))?;
    let algorithm = find_algorithm(rt, this)?;
    Ok(encode(encoding, algorithm.digest(&data)))
}

/// `OpenSSL::Digest.digest(name, data)`
fn digest_by_name(rt: &mut Interp<'_>, args: &[Rv], encoding: Encoding) -> Raise<Rv> {
    let algorithm = find_algorithm(rt, argument(args, 0))?;
    let data = string_helpers::string_bytes(rt, argument(args, 1))?;
    Ok(encode(encoding, algorithm.digest(&data)))
}

/// `OpenSSL::HMAC.digest(name, key, data)`
fn hmac_by_name(rt: &mut Interp<'_>, args: &[Rv], encoding: Encoding) -> Raise<Rv> {
    let algorithm = find_algorithm(rt, argument(args, 0))?;
    let key = string_helpers::string_bytes(rt, argument(args, 1))?;
    let data = string_helpers::string_bytes(rt, argument(args, 2))?;
    Ok(encode(encoding, algorithm.hmac(&key, &data)))
}

fn field(this: &Rv, name: &str) -> Rv {
    match this {
        Rv::Object(digest) => digest.ivars.borrow().get(&Name::new(name)).cloned().unwrap_or(Rv::Nil),
        _ => Rv::Nil,
    }
}

fn update(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let added = string_helpers::string_bytes(rt, argument(args, 0))?;
    rt.check_size(added.len())?;
    if let Rv::Bytes(data) = field(this, "data") {
        if data.borrow().len().saturating_add(added.len()) > crate::MAX_SIZE {
            return rt.unsupported("Ruby values of this size");
        }
        data.borrow_mut().extend(added);
    }
    Ok(this.clone())
}

fn reset(_: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    if let Rv::Object(digest) = this {
        digest.ivars.borrow_mut().insert(Name::new("data"), Rv::bytes(Vec::new()));
    }
    Ok(this.clone())
}

/// The digest of the data so far, or of an argument.
fn finish(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], encoding: Encoding) -> Raise<Rv> {
    let algorithm = find_algorithm(rt, &field(this, "name"))?;
    let data = match (args.first(), field(this, "data")) {
        (Some(data), _) => string_helpers::string_bytes(rt, data)?,
        (None, Rv::Bytes(data)) => data.borrow().clone(),
        (None, _) => Vec::new(),
    };
    let digest = match field(this, "key") {
        Rv::Bytes(key) => algorithm.hmac(&key.borrow(), &data),
        _ => algorithm.digest(&data),
    };
    Ok(encode(encoding, digest))
}

fn digest_length(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let algorithm = find_algorithm(rt, &field(this, "name"))?;
    Ok(Rv::int(algorithm.digest(&[]).len()))
}

/// `Zlib.crc32(data)`
fn crc32(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let bytes = match args {
        [] | [Rv::Nil] => Vec::new(),
        [data] => string_helpers::string_bytes(rt, data)?,
        _ => return rt.unsupported("Zlib.crc32 of data in parts"),
    };
    Ok(Rv::Int(i64::from(crc32fast::hash(&bytes))))
}

/// `OpenSSL::KDF.pbkdf2_hmac(password, salt: …, iterations: …, length: …, hash: …)`
fn derive_with_options(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let option = |name: &str| match args.get(1) {
        Some(Rv::Hash(options)) => options.get(&Rv::sym(name)).unwrap_or(Rv::Nil),
        _ => Rv::Nil,
    };
    derive(rt, argument(args, 0), ["salt", "iterations", "length", "hash"].map(option))
}

/// `OpenSSL::PKCS5.pbkdf2_hmac(password, salt, iterations, length, digest)`
fn derive_with_digest(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    derive(rt, argument(args, 0), [1, 2, 3, 4].map(|at| argument(args, at).clone()))
}

/// `OpenSSL::PKCS5.pbkdf2_hmac_sha1(password, salt, iterations, length)`
fn derive_with_sha1(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let [salt, rounds, length] = [1, 2, 3].map(|at| argument(args, at).clone());
    derive(rt, argument(args, 0), [salt, rounds, length, Rv::str("SHA1")])
}

/// A key from a password, with the salt, the number of rounds, the length and the algorithm.
fn derive(rt: &mut Interp<'_>, password: &Rv, [salt, rounds, length, algorithm]: [Rv; 4]) -> Raise<Rv> {
    let password = string_helpers::string_bytes(rt, password)?;
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

fn encode(encoding: Encoding, bytes: Vec<u8>) -> Rv {
    match encoding {
        Encoding::Hex => Rv::str(hex(&bytes)),
        Encoding::Bytes => Rv::bytes(bytes),
        Encoding::Base64 => Rv::str(string_helpers::base64_text(&bytes, false)),
    }
}

/// Bytes as hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

//! Password hashes of `crypt(3)`, for `String#crypt` and the function `pw_hash`.

use md5::Digest;
use md5::Md5;
use sha2::Sha256;
use sha2::Sha512;

pub use super::bcrypt::hash as bcrypt;

/// `String#crypt` with salts of the kinds `$1$`, `$2b$`, `$5$` and `$6$`; `None` for others.
pub fn crypt(password: &str, salt: &str) -> Option<String> {
    let (kind, salt) = salt.strip_prefix('$')?.split_once('$')?;
    if matches!(kind, "2a" | "2b" | "2x" | "2y") {
        return bcrypt(kind, password.as_bytes(), salt).ok()?;
    }
    let salt = salt.split('$').next().unwrap_or_default();
    if salt.starts_with("rounds=") {
        return None;
    }
    let (password, salt) = (password.as_bytes(), salt.as_bytes());
    Some(match kind {
        "1" => md5(password, salt),
        "5" => sha256(password, salt),
        "6" => sha512(password, salt),
        _ => return None,
    })
}

/// The bytes of the digest that each group of characters encodes; `NONE` is a zero byte.
type Order = [[usize; 3]];
const NONE: usize = usize::MAX;
const MD5_ORDER: [[usize; 3]; 6] = [[0, 6, 12], [1, 7, 13], [2, 8, 14], [3, 9, 15], [4, 10, 5], [NONE, NONE, 11]];
const SHA256_ORDER: [[usize; 3]; 11] = [
    [0, 10, 20],
    [21, 1, 11],
    [12, 22, 2],
    [3, 13, 23],
    [24, 4, 14],
    [15, 25, 5],
    [6, 16, 26],
    [27, 7, 17],
    [18, 28, 8],
    [9, 19, 29],
    [NONE, 31, 30],
];
const SHA512_ORDER: [[usize; 3]; 22] = [
    [0, 21, 42],
    [22, 43, 1],
    [44, 2, 23],
    [3, 24, 45],
    [25, 46, 4],
    [47, 5, 26],
    [6, 27, 48],
    [28, 49, 7],
    [50, 8, 29],
    [9, 30, 51],
    [31, 52, 10],
    [53, 11, 32],
    [12, 33, 54],
    [34, 55, 13],
    [56, 14, 35],
    [15, 36, 57],
    [37, 58, 16],
    [59, 17, 38],
    [18, 39, 60],
    [40, 61, 19],
    [62, 20, 41],
    [NONE, NONE, 63],
];

fn encode(digest: &[u8], order: &Order) -> String {
    const DIGITS: &[u8] = b"./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let mut out = String::new();
    for group in order {
        let byte = |at: &usize| u32::from(digest.get(*at).copied().unwrap_or(0));
        let mut bits = group.iter().fold(0, |bits, at| (bits << 8) | byte(at));
        let used = group.iter().filter(|at| **at != NONE).count();
        for _ in 0..=used {
            out.push(DIGITS.get((bits & 63) as usize).copied().map_or('.', char::from));
            bits >>= 6;
        }
    }
    out
}

/// Repeats bytes up to a length.
fn repeat_to(bytes: &[u8], length: usize) -> Vec<u8> {
    bytes.iter().copied().cycle().take(length).collect()
}

/// The hash of the kind `$1$`; the salt is truncated to 8 bytes.
pub fn md5(password: &[u8], salt: &[u8]) -> String {
    let salt = salt.get(..8).unwrap_or(salt);
    let first = password.first().copied().unwrap_or(0);
    let mut mixed = Md5::new();
    for part in [password, salt, password] {
        mixed.update(part);
    }
    let mixed = mixed.finalize();
    let mut hash = Md5::new();
    for part in [password, b"$1$", salt, &repeat_to(&mixed, password.len())] {
        hash.update(part);
    }
    let mut length = password.len();
    while length > 0 {
        hash.update([if length & 1 == 1 { 0 } else { first }]);
        length >>= 1;
    }
    let mut digest = hash.finalize();
    for round in 0..1000 {
        let mut hash = Md5::new();
        let (odd, even): (&[u8], &[u8]) = if round & 1 == 1 { (password, &digest) } else { (&digest, password) };
        hash.update(odd);
        if round % 3 != 0 {
            hash.update(salt);
        }
        if round % 7 != 0 {
            hash.update(password);
        }
        hash.update(even);
        digest = hash.finalize();
    }
    format!("$1${}${}", String::from_utf8_lossy(salt), encode(&digest, &MD5_ORDER))
}

/// The hash of the kind `$5$`; the salt is truncated to 16 bytes.
pub fn sha256(password: &[u8], salt: &[u8]) -> String {
    sha_crypt::<Sha256>("5", password, salt.get(..16).unwrap_or(salt), &SHA256_ORDER)
}

/// The hash of the kind `$6$`; the salt is truncated to 16 bytes.
pub fn sha512(password: &[u8], salt: &[u8]) -> String {
    sha_crypt::<Sha512>("6", password, salt.get(..16).unwrap_or(salt), &SHA512_ORDER)
}

fn sha_crypt<D: Digest>(prefix: &str, password: &[u8], salt: &[u8], order: &Order) -> String {
    let digest = |parts: &[&[u8]]| -> Vec<u8> {
        let mut hash = D::new();
        parts.iter().for_each(|part| hash.update(part));
        hash.finalize().to_vec()
    };
    let mixed = digest(&[password, salt, password]);
    let mut hash = D::new();
    for part in [password, salt, &repeat_to(&mixed, password.len())] {
        hash.update(part);
    }
    let mut length = password.len();
    while length > 0 {
        hash.update(if length & 1 == 1 { mixed.as_slice() } else { password });
        length >>= 1;
    }
    let mut last = hash.finalize().to_vec();
    let passwords = digest(&[&repeat_to(password, password.len() * password.len())]);
    let passwords = repeat_to(&passwords, password.len());
    let salts = digest(&[&repeat_to(salt, salt.len() * (16 + usize::from(last.first().copied().unwrap_or(0))))]);
    let salts = repeat_to(&salts, salt.len());
    for round in 0..5000 {
        let is_odd = round & 1 == 1;
        let mut parts: Vec<&[u8]> = vec![if is_odd { &passwords } else { &last }];
        if round % 3 != 0 {
            parts.push(&salts);
        }
        if round % 7 != 0 {
            parts.push(&passwords);
        }
        parts.push(if is_odd { &last } else { &passwords });
        last = digest(&parts);
    }
    format!("${prefix}${}${}", String::from_utf8_lossy(salt), encode(&last, order))
}

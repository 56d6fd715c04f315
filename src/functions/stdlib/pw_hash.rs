//! `pw_hash`: password hashes as `crypt(3)` makes them.

use md5::Digest;
use md5::Md5;
use sha2::Sha256;
use sha2::Sha512;

use crate::diag::Reason;
use crate::eval::Call;
use crate::eval::Res;
use crate::functions::Function;
use crate::functions::ruby;
use crate::functions::runtime3;
use crate::functions::runtime3::fail;
use crate::functions::stdlib::bcrypt;
use crate::value::Value;
use crate::value::secret;

pub(super) const FUNCTION: Function = Function {
    name: "pw_hash",
    signatures: &[("Any *$args", |call| pw_hash(call, false))],
    doc: "Gives the hash of a password as the C library's `crypt` makes it: `pw_hash(PASSWORD, KIND, SALT)` with the \
          kinds `md5`, `sha-256` and `sha-512`. `undef` or empty text as password gives `undef`.",
    examples: &[
        ("pw_hash('password', 'md5', 'salt')", "'$1$salt$qJH7.N4xYta3aEG/dfqo/0'"),
        ("pw_hash('password', 'sha-256', 'salt')", "'$5$salt$Gcm6FsVtF/Qa77ZKD.iwsJlCVPY0XSMgLJL0Hnww/c1'"),
        ("pw_hash(undef, 'md5', 'salt')", "undef"),
    ],
};

/// The same with a cost of bcrypt that is checked.
pub(super) const FUNCTION_9: Function = Function {
    name: "pw_hash",
    signatures: &[("Any *$args", |call| pw_hash(call, true))],
    doc: FUNCTION.doc,
    examples: FUNCTION.examples,
};

fn pw_hash(call: &mut Call<'_, '_>, nine: bool) -> Res<Value> {
    let args = runtime3::exactly(call, 3)?;
    let arg = |at: usize| match args.get(at) {
        Some(Value::Sensitive(inner)) => {
            secret::reveal(inner);
            inner.as_ref().clone()
        }
        other => other.cloned().unwrap_or(Value::Undef),
    };
    let password = arg(0);
    if !matches!(password, Value::Str(_) | Value::Undef) {
        return fail("pw_hash(): first argument must be a string");
    }
    let Value::Str(kind) = arg(1) else { return fail("pw_hash(): second argument must be a string") };
    let wanted = ruby::downcase(&kind);
    let is_bcrypt = matches!(wanted.as_str(), "bcrypt" | "bcrypt-a" | "bcrypt-x" | "bcrypt-y");
    if !is_bcrypt && !matches!(wanted.as_str(), "md5" | "sha-256" | "sha-512") {
        return fail(format!("pw_hash(): {kind} is not a valid hash type"));
    }
    let Value::Str(salt) = arg(2) else { return fail("pw_hash(): third argument must be a string") };
    if salt.is_empty() {
        return fail("pw_hash(): third argument must not be empty");
    }
    let is_salt = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'/'));
    if is_bcrypt {
        let bytes = salt.as_bytes();
        let digits = bytes.iter().take(2).filter(|byte| byte.is_ascii_digit()).count();
        let is_good = digits == 2 && bytes.get(2) == Some(&b'$') && salt.get(3..25).is_some_and(is_salt);
        let cost = salt.get(..2).and_then(|cost| cost.parse::<u32>().ok()).unwrap_or(0);
        if !is_good || nine && !(4..=31).contains(&cost) {
            let cost = if nine { "(0[4-9]|[12][0-9]|3[01])" } else { "[0-9]{2}" };
            return fail(format!("pw_hash(): characters in salt must match (?-mix:^{cost}\\$[.\\/A-Za-z0-9]{{22}})"));
        }
    } else if !is_salt(&salt) {
        return fail("pw_hash(): characters in salt must be in the set [a-zA-Z0-9./]");
    }
    let Some(password) = password.as_str().filter(|password| !password.is_empty()) else {
        return Ok(Value::Undef);
    };
    // crypt(3) takes no longer ones.
    if password.len() >= 512 {
        return fail("pw_hash(): the password is longer than 511 bytes");
    }
    if is_bcrypt {
        let variant = match wanted.strip_prefix("bcrypt-") {
            Some("a") => "2a",
            Some("x") => "2x",
            Some("y") => "2y",
            _ => "2b",
        };
        let hash = bcrypt::hash(variant, password.as_bytes(), &salt).map_err(Reason::runtime)?;
        // What crypt(3) gives for what it refuses.
        return Ok(call.ev.byte_text(hash.as_deref().unwrap_or("*0")));
    }
    let (password, salt) = (password.as_bytes(), salt.as_bytes());
    let hash = match wanted.as_str() {
        "md5" => md5_crypt(password, salt.get(..8).unwrap_or(salt)),
        "sha-256" => sha_crypt::<Sha256>("5", password, salt.get(..16).unwrap_or(salt), &SHA256_ORDER),
        _ => sha_crypt::<Sha512>("6", password, salt.get(..16).unwrap_or(salt), &SHA512_ORDER),
    };
    Ok(call.ev.byte_text(&hash))
}

/// `String#crypt` with salts of the kinds `$1$`, `$2b$`, `$5$` and `$6$`; `None` for others.
pub(crate) fn crypt(password: &str, salt: &str) -> Option<String> {
    let (kind, salt) = salt.strip_prefix('$')?.split_once('$')?;
    if matches!(kind, "2a" | "2b" | "2x" | "2y") {
        return bcrypt::hash(kind, password.as_bytes(), salt).ok()?;
    }
    let salt = salt.split('$').next().unwrap_or_default();
    if salt.starts_with("rounds=") {
        return None;
    }
    let (password, salt) = (password.as_bytes(), salt.as_bytes());
    Some(match kind {
        "1" => md5_crypt(password, salt.get(..8).unwrap_or(salt)),
        "5" => sha_crypt::<Sha256>("5", password, salt.get(..16).unwrap_or(salt), &SHA256_ORDER),
        "6" => sha_crypt::<Sha512>("6", password, salt.get(..16).unwrap_or(salt), &SHA512_ORDER),
        _ => return None,
    })
}

/// Which bytes of the digest make each group of characters; `NONE` stands for zero bits.
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

fn encoded(digest: &[u8], order: &Order) -> String {
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

/// The bytes repeated and cut to a length.
fn stretched(bytes: &[u8], length: usize) -> Vec<u8> {
    bytes.iter().copied().cycle().take(length).collect()
}

fn md5_crypt(password: &[u8], salt: &[u8]) -> String {
    let first = password.first().copied().unwrap_or(0);
    let mut mixed = Md5::new();
    for part in [password, salt, password] {
        mixed.update(part);
    }
    let mixed = mixed.finalize();
    let mut hash = Md5::new();
    for part in [password, b"$1$", salt, &stretched(&mixed, password.len())] {
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
    format!("$1${}${}", String::from_utf8_lossy(salt), encoded(&digest, &MD5_ORDER))
}

fn sha_crypt<D: Digest>(prefix: &str, password: &[u8], salt: &[u8], order: &Order) -> String {
    let digest = |parts: &[&[u8]]| -> Vec<u8> {
        let mut hash = D::new();
        parts.iter().for_each(|part| hash.update(part));
        hash.finalize().to_vec()
    };
    let mixed = digest(&[password, salt, password]);
    let mut hash = D::new();
    for part in [password, salt, &stretched(&mixed, password.len())] {
        hash.update(part);
    }
    let mut length = password.len();
    while length > 0 {
        hash.update(if length & 1 == 1 { mixed.as_slice() } else { password });
        length >>= 1;
    }
    let mut last = hash.finalize().to_vec();
    let passwords = digest(&[&stretched(password, password.len() * password.len())]);
    let passwords = stretched(&passwords, password.len());
    let salts = digest(&[&stretched(salt, salt.len() * (16 + usize::from(last.first().copied().unwrap_or(0))))]);
    let salts = stretched(&salts, salt.len());
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
    format!("${prefix}${}${}", String::from_utf8_lossy(salt), encoded(&last, order))
}

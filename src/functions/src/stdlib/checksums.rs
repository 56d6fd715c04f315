//! `stdlib::crc32`, `stdlib::sha256`, `str2saltedpbkdf2`, `str2saltedsha512`

use sha2::Digest;
use sha2::Sha512;

use crate::Function;
use crate::digests;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_eval::runtime3;
use catwalk_eval::runtime3::fail;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_value::ruby;
use catwalk_value::secret;

pub(super) const CRC32: Function = Function {
    name: "stdlib::crc32",
    signatures: &[(DATA, |call| Ok(Value::from(format!("{:x}", crc32(unwrap_string(call).as_bytes())))))],
    doc: "Returns the CRC-32 of a value, converted to a string, in hexadecimal digits. A Sensitive is unwrapped.",
    examples: &[("stdlib::crc32('my string')", "'18fbd270'"), ("stdlib::crc32(Sensitive('my string'))", "'18fbd270'")],
};

pub(super) const SHA256: Function = Function {
    name: "stdlib::sha256",
    signatures: &[(DATA, |call| Ok(Value::from(digests::sha256_hex(unwrap_string(call).as_bytes()))))],
    doc: "Returns the SHA-256 digest of a value, converted to a string, in hexadecimal digits. A Sensitive is \
          unwrapped.",
    examples: &[
        ("stdlib::sha256('')", "'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'"),
        ("stdlib::sha256('abc') == sha256('abc')", "true"),
    ],
};

pub(super) const STR2SALTEDPBKDF2: Function = Function {
    name: "str2saltedpbkdf2",
    signatures: &[("Any *$args", str2saltedpbkdf2)],
    doc: "Returns the parts of a salted password hash in the format of macOS, from a password of any length, a salt of \
          8 to 32 bytes and the number of iterations: a hash with `password_hex`, `salt_hex` and `iterations`.",
    examples: &[
        ("str2saltedpbkdf2('Pa55w0rd', 'Using s0m3 s@lt', 50000)['salt_hex']", "'5573696e672073306d332073406c74'"),
        ("str2saltedpbkdf2('p', 's', 1)", "error: str2saltedpbkdf2()"),
    ],
};

pub(super) const STR2SALTEDSHA512: Function = Function {
    name: "str2saltedsha512",
    signatures: &[("Any *$args", str2saltedsha512)],
    doc: "Returns a password hash in the format of macOS 10.7: SHA-512 with a random salt, so the result differs at \
          each call.",
    examples: &[
        ("length(str2saltedsha512('secret'))", "136"),
        ("str2saltedsha512('a') == str2saltedsha512('a')", "false"),
    ],
};

const DATA: &str = "Variant[ScalarData, Sensitive[ScalarData], Binary, Sensitive[Binary]] $my_data >> String";

fn unwrap_string(call: &Call<'_, '_>) -> String {
    match call.arg(0) {
        Value::Sensitive(inner) => {
            secret::reveal(inner, call.ev.world.secrets());
            ruby::to_s(inner).into_owned()
        }
        other => ruby::to_s(other).into_owned(),
    }
}

fn crc32(bytes: &[u8]) -> u32 {
    let step = |mut word: u32| {
        for _ in 0..8 {
            word = if word & 1 == 1 { (word >> 1) ^ 0xedb8_8320 } else { word >> 1 };
        }
        word
    };
    !bytes.iter().fold(!0u32, |sum, byte| (sum >> 8) ^ step((sum ^ u32::from(*byte)) & 0xff))
}

/// HMAC with SHA-512.
struct Hmac {
    inner: Sha512,
    outer: Sha512,
}

impl Hmac {
    fn new(key: &[u8]) -> Hmac {
        let mut block = [0u8; 128];
        let short = if key.len() > block.len() { Sha512::digest(key).to_vec() } else { key.to_vec() };
        for (into, from) in block.iter_mut().zip(&short) {
            *into = *from;
        }
        let padded = |pad: u8| {
            let mut hash = Sha512::new();
            hash.update(block.map(|byte| byte ^ pad));
            hash
        };
        Hmac { inner: padded(0x36), outer: padded(0x5c) }
    }

    fn sum(&self, parts: &[&[u8]]) -> Vec<u8> {
        let mut inner = self.inner.clone();
        parts.iter().for_each(|part| inner.update(part));
        let mut outer = self.outer.clone();
        outer.update(inner.finalize());
        outer.finalize().to_vec()
    }
}

fn pbkdf2(password: &[u8], salt: &[u8], rounds: i64, length: usize) -> Vec<u8> {
    let hmac = Hmac::new(password);
    let mut out = Vec::with_capacity(length);
    let mut block = 0u32;
    while out.len() < length {
        block += 1;
        let mut last = hmac.sum(&[salt, &block.to_be_bytes()]);
        let mut sum = last.clone();
        for _ in 1..rounds {
            last = hmac.sum(&[&last]);
            for (into, from) in sum.iter_mut().zip(&last) {
                *into ^= from;
            }
        }
        out.extend(sum);
    }
    out.truncate(length);
    out
}

fn str2saltedpbkdf2(call: &mut Call<'_, '_>) -> Res<Value> {
    let args = runtime3::args(call)?;
    if args.len() != 3 {
        return fail(format!("str2saltedpbkdf2(): wrong number of arguments ({} for 3)", args.len()));
    }
    let arg = |at: usize| match args.get(at) {
        Some(Value::Sensitive(inner)) => {
            secret::reveal(inner, call.ev.world.secrets());
            inner.as_ref().clone()
        }
        other => other.cloned().unwrap_or(Value::Undef),
    };
    let Value::Str(password) = arg(0) else { return fail("str2saltedpbkdf2(): first argument must be a string") };
    let Value::Str(salt) = arg(1) else { return fail("str2saltedpbkdf2(): second argument must be a string") };
    if salt.len() < 8 {
        return fail("str2saltedpbkdf2(): second argument must be at least 8 bytes long");
    }
    let Value::Int(rounds) = arg(2) else { return fail("str2saltedpbkdf2(): third argument must be an integer") };
    if rounds <= 40_000 || rounds >= 70_000 {
        return fail("str2saltedpbkdf2(): third argument must be between 40,000 and 70,000");
    }
    let hash = pbkdf2(password.as_bytes(), salt.as_bytes(), rounds, 128);
    let mut out = Hash::new();
    out.set("password_hex", Value::from(digests::hex(&hash)));
    out.set("salt_hex", Value::from(digests::hex(salt.as_bytes())));
    out.set("iterations", Value::Int(rounds));
    Ok(Value::hash(out))
}

fn str2saltedsha512(call: &mut Call<'_, '_>) -> Res<Value> {
    let args = runtime3::args(call)?;
    match args.as_ref() {
        [Value::Str(password)] => {
            let [a, b, c, d, ..] = call.ev.world.random().to_le_bytes();
            let salt = [a, b, c, d & 0x7f];
            let mut hash = Sha512::new();
            hash.update(salt);
            hash.update(password.as_bytes());
            Ok(Value::from(format!("{}{}", digests::hex(&salt), digests::hex(&hash.finalize()))))
        }
        [other] => {
            fail(format!("str2saltedsha512(): Requires a String argument, you passed: {}", ruby::class_name(other)))
        }
        args => fail(format!("str2saltedsha512(): Wrong number of arguments passed ({} but we require 1)", args.len())),
    }
}

//! `digest`, `md5`, `sha1`, `sha256`

use md5::Digest;

use crate::Function;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_eval::runtime3;
use catwalk_eval::runtime3::fail;
use catwalk_value::Value;
use catwalk_value::ruby;

pub(super) const DIGEST: Function = Function {
    name: "digest",
    signatures: &[("Any *$args", digest)],
    doc: "Returns the hexadecimal digest of a string by the algorithm in the setting `digest_algorithm` (`sha256` by \
          default).",
    examples: &[
        ("digest('')", "'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'"),
        ("digest('abc') == sha256('abc')", "true"),
    ],
};

pub(super) const MD5: Function = Function {
    name: "md5",
    signatures: &[("Any *$args", |call| digest_string(call, md5_hex))],
    doc: "Returns the hexadecimal MD5 digest of a string. MD5 does not protect against tampering: use `sha256`.",
    examples: &[
        ("md5('abc')", "'900150983cd24fb0d6963f7d28e17f72'"),
        ("md5('')", "'d41d8cd98f00b204e9800998ecf8427e'"),
    ],
};

pub(super) const SHA1: Function = Function {
    name: "sha1",
    signatures: &[("Any *$args", |call| digest_string(call, sha1_hex))],
    doc: "Returns the hexadecimal SHA-1 digest of a string.",
    examples: &[
        ("sha1('abc')", "'a9993e364706816aba3e25717850c26c9cd0d89d'"),
        ("sha1('')", "'da39a3ee5e6b4b0d3255bfef95601890afd80709'"),
    ],
};

pub(super) const SHA256: Function = Function {
    name: "sha256",
    signatures: &[("Any *$args", |call| digest_string(call, sha256_hex))],
    doc: "Returns the hexadecimal SHA-256 digest of a string.",
    examples: &[
        ("sha256('')", "'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'"),
        ("sha256('abc')", "'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'"),
    ],
};

/// Bytes in hexadecimal digits.
pub(super) fn hex(bytes: &[u8]) -> String {
    let digit = |nibble: u8| char::from_digit(u32::from(nibble), 16).unwrap_or('0');
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

pub(super) fn md5_hex(bytes: &[u8]) -> String {
    hex(&md5::Md5::digest(bytes))
}

pub(super) fn sha1_hex(bytes: &[u8]) -> String {
    hex(&sha1::Sha1::digest(bytes))
}

pub(super) fn sha256_hex(bytes: &[u8]) -> String {
    hex(&sha2::Sha256::digest(bytes))
}

fn digest_string(call: &mut Call<'_, '_>, digest: fn(&[u8]) -> String) -> Res<Value> {
    let args = runtime3::exactly(call, 1)?;
    match args.first() {
        Some(Value::Str(string)) => Ok(Value::from(digest(string.as_bytes()))),
        other => fail(format!(
            "no implicit conversion of {} into String",
            ruby::conversion_name(other.unwrap_or(&Value::Undef))
        )),
    }
}

fn digest(call: &mut Call<'_, '_>) -> Res<Value> {
    let algorithm = call.ev.settings.values.get("digest_algorithm").map_or("sha256", String::as_str);
    let queries = &call.ev.program.environment.queries;
    queries.record_setting(catwalk_base::name!("digest_algorithm"), Some(&Value::str(algorithm)));
    let digest = match algorithm {
        "sha256" => sha256_hex,
        "md5" => md5_hex,
        "sha1" => sha1_hex,
        "sha384" => |bytes: &[u8]| hex(&sha2::Sha384::digest(bytes)),
        "sha512" => |bytes: &[u8]| hex(&sha2::Sha512::digest(bytes)),
        "sha224" => |bytes: &[u8]| hex(&sha2::Sha224::digest(bytes)),
        other => return fail(format!("not supported yet: digest_algorithm {other}")),
    };
    digest_string(call, digest)
}

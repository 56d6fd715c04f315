//! `validate_x509_rsa_key_pair`: whether a certificate was signed with a key.
//!
//! In: PEM texts. Out: nothing, or why not, in the words of OpenSSL. Only RSA signatures (PKCS #1 v1.5) are verified.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use md5::Digest;
use num_bigint::BigUint;
use sha1::Sha1;
use sha2::Sha256;
use sha2::Sha384;
use sha2::Sha512;

use crate::eval::Call;
use crate::eval::Res;
use crate::eval::runtime3;
use crate::eval::runtime3::fail;
use crate::functions::Function;
use crate::value::Value;

pub(super) const VALIDATE_X509_RSA_KEY_PAIR: Function = Function {
    name: "validate_x509_rsa_key_pair",
    signatures: &[("Any *$args", validate)],
    doc: "Fails unless a certificate was signed with an RSA key; both are PEM texts.",
    examples: &[
        (
            "validate_x509_rsa_key_pair('a', 'b')",
            "error: Not a valid x509 certificate: PEM_read_bio_X509: no start line",
        ),
        ("validate_x509_rsa_key_pair(1, 'b')", "error: 1 is not a string."),
    ],
};

fn validate(call: &mut Call<'_, '_>) -> Res<Value> {
    let args = runtime3::args(call)?;
    if args.len() != 2 {
        let given = args.len();
        return fail(format!("validate_x509_rsa_key_pair(): wrong number of arguments ({given}; must be 2)"));
    }
    if let Some(other) = args.iter().find(|arg| arg.as_str().is_none()) {
        return fail(format!("{} is not a string.", runtime3::inspect(other)?));
    }
    let text = |at: usize| args.get(at).and_then(Value::as_str).unwrap_or("");
    let der = match pem(text(0), &["CERTIFICATE", "X509 CERTIFICATE", "TRUSTED CERTIFICATE"]) {
        Ok((_, der)) => der,
        Err(why) => return fail(format!("Not a valid x509 certificate: PEM_read_bio_X509: {why}")),
    };
    let Some(certificate) = Certificate::read(&der) else {
        return fail("Not a valid x509 certificate: PEM_read_bio_X509: nested asn1 error");
    };
    let kinds = ["RSA PRIVATE KEY", "PRIVATE KEY", "RSA PUBLIC KEY", "PUBLIC KEY"];
    let key = pem(text(1), &kinds).ok().and_then(|(kind, der)| Key::read(kind, &der));
    let Some(key) = key else { return fail("Not a valid RSA key: Neither PUB key nor PRIV key: unsupported") };
    if certificate.is_signed_with(&key) {
        Ok(Value::Undef)
    } else {
        fail("Certificate signature does not match supplied key")
    }
}

/// The first block of one of the kinds.
fn pem<'k>(text: &str, kinds: &[&'k str]) -> Result<(&'k str, Vec<u8>), &'static str> {
    let mut lines = text.lines().map(str::trim_end);
    while let Some(line) = lines.next() {
        let begins =
            |kind: &&&str| line.strip_prefix("-----BEGIN ").and_then(|l| l.strip_suffix("-----")) == Some(**kind);
        let Some(kind) = kinds.iter().find(begins) else { continue };
        let end = format!("-----END {kind}-----");
        let mut body = String::new();
        for line in lines.by_ref() {
            if line == end {
                return STANDARD.decode(body).map(|der| (*kind, der)).map_err(|_| "bad base64 decode");
            }
            body.push_str(line);
        }
        return Err("bad end line");
    }
    Err("no start line")
}

/// A value of ASN.1: its tag, what is inside, and what is behind it.
fn element(der: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (tag, rest) = der.split_first()?;
    let (first, rest) = rest.split_first()?;
    let (length, rest) = if *first < 0x80 {
        (usize::from(*first), rest)
    } else {
        let count = usize::from(first & 0x7f);
        if count == 0 || count > 4 {
            return None;
        }
        let length = rest.get(..count)?.iter().fold(0, |length, byte| length << 8 | usize::from(*byte));
        (length, rest.get(count..)?)
    };
    Some((*tag, rest.get(..length)?, rest.get(length..)?))
}

/// What is inside an element of one tag, and what is behind it.
fn inside(der: &[u8], tag: u8) -> Option<(&[u8], &[u8])> {
    element(der).filter(|(found, ..)| *found == tag).map(|(_, inner, rest)| (inner, rest))
}

const INTEGER: u8 = 2;
const BITS: u8 = 3;
const OCTETS: u8 = 4;
const OBJECT: u8 = 6;
const SEQUENCE: u8 = 0x30;

struct Certificate<'d> {
    signed: &'d [u8],
    algorithm: &'d [u8],
    signature: &'d [u8],
}

impl Certificate<'_> {
    fn read(der: &[u8]) -> Option<Certificate<'_>> {
        let (body, _) = inside(der, SEQUENCE)?;
        let (_, rest) = inside(body, SEQUENCE)?;
        let signed = body.get(..body.len() - rest.len())?;
        let (algorithm, rest) = inside(rest, SEQUENCE)?;
        let (algorithm, _) = inside(algorithm, OBJECT)?;
        let (bits, _) = inside(rest, BITS)?;
        Some(Certificate { signed, algorithm, signature: bits.get(1..)? })
    }

    /// RFC 8017, section 8.2.2.
    fn is_signed_with(&self, key: &Key) -> bool {
        // The last byte of 1.2.840.113549.1.1.N says which digest is signed.
        let [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, kind] = self.algorithm else { return false };
        let (name, digest): (&[u8], Vec<u8>) = match kind {
            5 => (&[0x2b, 0x0e, 0x03, 0x02, 0x1a], Sha1::digest(self.signed).to_vec()),
            11 => (&[0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01], Sha256::digest(self.signed).to_vec()),
            12 => (&[0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x02], Sha384::digest(self.signed).to_vec()),
            13 => (&[0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x03], Sha512::digest(self.signed).to_vec()),
            _ => return false,
        };
        let size = usize::try_from(key.modulus.bits().div_ceil(8)).unwrap_or(0);
        let opened = BigUint::from_bytes_be(self.signature).modpow(&key.exponent, &key.modulus).to_bytes_be();
        let wrapped = |tag: u8, body: &[u8]| {
            let mut out = vec![tag, u8::try_from(body.len()).unwrap_or(u8::MAX)];
            out.extend_from_slice(body);
            out
        };
        let algorithm = wrapped(SEQUENCE, &[wrapped(OBJECT, name), vec![5, 0]].concat());
        let info = wrapped(SEQUENCE, &[algorithm, wrapped(OCTETS, &digest)].concat());
        let Some(padding) = size.checked_sub(info.len() + 3).filter(|padding| *padding >= 8) else { return false };
        // The leading zero byte is not part of a number's bytes.
        let expected = [&[1][..], &vec![0xff; padding], &[0], &info].concat();
        opened == expected
    }
}

struct Key {
    modulus: BigUint,
    exponent: BigUint,
}

impl Key {
    fn read(kind: &str, der: &[u8]) -> Option<Key> {
        let (body, _) = inside(der, SEQUENCE)?;
        match kind {
            "RSA PRIVATE KEY" => Key::of(inside(body, INTEGER)?.1),
            "PRIVATE KEY" => {
                let (_, rest) = inside(body, INTEGER)?;
                let (_, rest) = inside(rest, SEQUENCE)?;
                let (key, _) = inside(rest, OCTETS)?;
                Key::read("RSA PRIVATE KEY", key)
            }
            "PUBLIC KEY" => {
                let (_, rest) = inside(body, SEQUENCE)?;
                let (bits, _) = inside(rest, BITS)?;
                Key::read("RSA PUBLIC KEY", bits.get(1..)?)
            }
            _ => Key::of(body),
        }
    }

    /// Modulus and public exponent, the next two numbers.
    fn of(der: &[u8]) -> Option<Key> {
        let (modulus, rest) = inside(der, INTEGER)?;
        let (exponent, _) = inside(rest, INTEGER)?;
        let key = Key { modulus: BigUint::from_bytes_be(modulus), exponent: BigUint::from_bytes_be(exponent) };
        // Larger ones than anybody has would take long.
        (key.modulus.bits() > 1 && key.modulus.bits() <= 1 << 14 && key.exponent.bits() <= 64).then_some(key)
    }
}

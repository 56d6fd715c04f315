//! Checksums of contents in the format of messages and filebuckets.

use std::ops::Range;
use std::path::Path;
use std::time::SystemTime;

use catwalk_system::System;
use catwalk_value::strftime;
use md5::Md5;
use sha1::Sha1;
use sha2::Digest;
use sha2::Sha224;
use sha2::Sha256;
use sha2::Sha384;
use sha2::Sha512;

/// The number of bytes that the checksums `…lite` read.
const LITE: usize = 512;

/// The values of `checksum`. The last one is new in OpenVox 8.26.
pub(super) const NAMES: [&str; 13] = [
    "sha256",
    "sha256lite",
    "md5",
    "md5lite",
    "sha1",
    "sha1lite",
    "sha512",
    "sha384",
    "sha224",
    "mtime",
    "ctime",
    "none",
    "etag",
];

/// Whether a content has the form of a checksum (Puppet::Util::Checksums#checksum?): one of its lines begins with the name of a
/// checksum in braces and something that is not white space.
#[must_use]
pub fn looks_like_checksum(content: &[u8]) -> bool {
    content.split(|byte| *byte == b'\n').any(|line| {
        let Some(rest) = line.strip_prefix(b"{") else { return false };
        let name = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
        let after = rest.get(name + 1).is_some_and(|byte| !byte.is_ascii_whitespace() && *byte != b'\x0b');
        (3..=10).contains(&name) && rest.get(name) == Some(&b'}') && after
    })
}

/// Whether a value has the form of checksums of this name: digits, a time, or nothing.
pub(super) fn is_valid(name: &str, value: &str) -> bool {
    let lengths = match name.trim_end_matches("lite") {
        "md5" => 32..=32,
        "sha1" => 40..=40,
        "sha224" => 56..=56,
        "sha256" => 64..=64,
        "sha384" => 96..=96,
        "sha512" => 128..=128,
        "etag" => 32..=64,
        "none" => return value.is_empty(),
        _ => return value.contains(|c: char| c.is_ascii_digit()),
    };
    lengths.contains(&value.len()) && value.bytes().all(|digit| digit.is_ascii_hexdigit())
}

/// The place of the first `{…}` with letters, digits and `_`.
pub(super) fn name_in_braces(text: &str) -> Option<Range<usize>> {
    text.match_indices('{').find_map(|(start, _)| {
        let name = text[start + 1..].bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
        let end = start + 1 + name;
        (name > 0 && text[end..].starts_with('}')).then_some(start..end + 1)
    })
}

/// The digest of contents that are read in chunks.
pub(super) struct ContentDigest {
    hash: Box<dyn FnMut(&[u8]) -> Option<String>>,
    left: usize,
    name: String,
}

fn hasher<D: Digest + 'static>() -> Box<dyn FnMut(&[u8]) -> Option<String>> {
    let mut digest = Some(D::new());
    Box::new(move |bytes| {
        if bytes.is_empty() {
            let result = digest.take().map(D::finalize).unwrap_or_default();
            return Some(result.iter().map(|byte| format!("{byte:02x}")).collect());
        }
        if let Some(digest) = &mut digest {
            digest.update(bytes);
        }
        None
    })
}

impl ContentDigest {
    /// A checksum by name; for names that are not a digest, the checksum of no contents.
    pub(super) fn new(name: &str) -> ContentDigest {
        let hash = match name.trim_end_matches("lite") {
            "md5" => hasher::<Md5>(),
            "sha1" => hasher::<Sha1>(),
            "sha224" => hasher::<Sha224>(),
            "sha384" => hasher::<Sha384>(),
            "sha512" => hasher::<Sha512>(),
            _ => hasher::<Sha256>(),
        };
        ContentDigest { hash, left: if name.ends_with("lite") { LITE } else { usize::MAX }, name: name.to_owned() }
    }

    pub(super) fn add(&mut self, bytes: &[u8]) {
        let bytes = bytes.get(..self.left).unwrap_or(bytes);
        self.left -= bytes.len();
        if !bytes.is_empty() {
            (self.hash)(bytes);
        }
    }

    /// `{sha256}…`
    pub(super) fn finish(mut self) -> String {
        format!("{{{}}}{}", self.name, (self.hash)(&[]).unwrap_or_default())
    }
}

/// `{sha256}…` of bytes.
pub(super) fn bytes_checksum(name: &str, bytes: &[u8]) -> String {
    let mut sum = ContentDigest::new(name);
    sum.add(bytes);
    sum.finish()
}

/// `{sha256}…` of a file; of its time for `mtime` and `ctime`.
///
/// # Errors
/// It cannot be read.
pub(super) fn file_checksum(name: &str, path: &Path, system: &mut dyn System) -> Result<String, String> {
    if let "mtime" | "ctime" | "none" = name {
        let stat = system.stat(path, true).map_err(|error| error.message)?;
        let time = stat.map(|stat| if name == "mtime" { stat.modified } else { stat.changed });
        let text = time.filter(|_| name != "none").map(format_time).unwrap_or_default();
        return Ok(format!("{{{name}}}{text}"));
    }
    let mut sum = ContentDigest::new(name);
    let is_lite = name.ends_with("lite");
    let mut each = |bytes: &[u8]| {
        sum.add(bytes);
        !is_lite || sum.left > 0
    };
    system.stream(path, &mut each).map_err(|error| error.message)?;
    Ok(sum.finish())
}

/// A time as Ruby's `Time#to_s` prints it in UTC.
pub(super) fn format_time(time: SystemTime) -> String {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let nanoseconds = i128::try_from(since.as_nanos()).unwrap_or(0);
    strftime(nanoseconds, None, "%Y-%m-%d %H:%M:%S +0000").unwrap_or_default()
}

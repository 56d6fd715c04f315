//! Checksums of contents in the format of messages and filebuckets.

use std::path::Path;
use std::time::SystemTime;

use catwalk_system::System;
use catwalk_value::value::strftime;
use md5::Md5;
use sha1::Sha1;
use sha2::Digest;
use sha2::Sha224;
use sha2::Sha256;
use sha2::Sha384;
use sha2::Sha512;

/// The number of bytes that the checksums `…lite` read.
const LITE: usize = 512;

/// The names of all checksums.
pub(super) const NAMES: [&str; 14] = [
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
    "sha384lite",
    "sha512lite",
];

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

//! Checksums of files, cached until a file changes.

use parking_lot::Mutex;
use std::collections::HashMap;
use std::io;
use std::io::Read;
use std::sync::Arc;

use rustix::fs::Stat;

use super::tree::Entry;

/// The most checksums to cache; beyond that the cache is cleared.
const MAX_CACHED: usize = 500_000;
/// The checksum of a file that was changed less than this many seconds ago is not cached: another change might not alter its times.
const MIN_AGE: i64 = 2;
/// How many bytes `md5lite`, `sha1lite` and `sha256lite` read.
const LITE_BYTES: u64 = 512;

/// The checksum types of files (`Puppet::Util::Checksums`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Checksum {
    Md5,
    Md5Lite,
    Sha1,
    Sha1Lite,
    Sha224,
    Sha256,
    Sha256Lite,
    Sha384,
    Sha512,
    Mtime,
    Ctime,
    /// For files of a server, MD5 under another name (Puppet::Util::Checksums#etag).
    Etag,
    None,
}

const NAMES: [(&str, Checksum); 13] = [
    ("md5", Checksum::Md5),
    ("md5lite", Checksum::Md5Lite),
    ("sha1", Checksum::Sha1),
    ("sha1lite", Checksum::Sha1Lite),
    ("sha224", Checksum::Sha224),
    ("sha256", Checksum::Sha256),
    ("sha256lite", Checksum::Sha256Lite),
    ("sha384", Checksum::Sha384),
    ("sha512", Checksum::Sha512),
    ("mtime", Checksum::Mtime),
    ("ctime", Checksum::Ctime),
    ("etag", Checksum::Etag),
    ("none", Checksum::None),
];

impl Checksum {
    /// The checksum type with this name in Puppet.
    pub(crate) fn from_name(name: &str) -> Option<Checksum> {
        NAMES.iter().find(|(known, _)| *known == name).map(|(_, checksum)| *checksum)
    }

    /// Whether all bytes of a file are read.
    fn reads_all(self) -> bool {
        use Checksum as C;
        match self {
            C::Md5 | C::Sha1 | C::Sha224 | C::Sha256 | C::Sha384 | C::Sha512 | C::Etag => true,
            C::Md5Lite | C::Sha1Lite | C::Sha256Lite | C::Mtime | C::Ctime | C::None => false,
        }
    }

    /// The name in Puppet.
    pub(crate) fn name(self) -> &'static str {
        NAMES.iter().find(|(_, checksum)| *checksum == self).map_or("none", |(name, _)| name)
    }
}

/// The identity and file status of a file when its checksum was computed: the key of the cache.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct CacheKey {
    device: u64,
    inode: u64,
    size: i64,
    modified: (i64, i64),
    changed: (i64, i64),
    checksum: Checksum,
}

/// A cache of checksums.
pub(crate) struct Checksums {
    /// The size of the largest files that are served, in bytes.
    max_bytes: u64,
    cache: Mutex<HashMap<CacheKey, Arc<str>>>,
}

impl Checksums {
    /// A cache for files of at most `max_bytes` bytes.
    pub(crate) fn new(max_bytes: u64) -> Checksums {
        Checksums { max_bytes, cache: Mutex::default() }
    }

    /// Checks that a checksum of a file is computed: not if it is one of all bytes of a file that is too large to be served.
    ///
    /// # Errors
    /// The file is too large: its size.
    pub(crate) fn check_size(&self, stat: &Stat, checksum: Checksum) -> Result<(), u64> {
        let size = u64::try_from(stat.st_size).unwrap_or_default();
        if checksum.reads_all() && size > self.max_bytes { Err(size) } else { Ok(()) }
    }

    /// The checksum of a regular file, without a prefix such as `{md5}`.
    pub(crate) fn get(&self, entry: &Entry, checksum: Checksum) -> io::Result<Arc<str>> {
        match checksum {
            Checksum::Mtime => return Ok(time(entry.stat.st_mtime).into()),
            Checksum::Ctime => return Ok(time(entry.stat.st_ctime).into()),
            Checksum::None => return Ok("".into()),
            _ => {}
        }
        if let Some(cached) = self.lock().get(&cache_key(&entry.stat, checksum)) {
            return Ok(cached.clone());
        }
        let (file, stat) = entry.file()?;
        if self.check_size(&stat, checksum).is_err() {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let value: Arc<str> = digest(file, checksum)?.into();
        if jiff::Timestamp::now().as_second() - stat.st_ctime > MIN_AGE {
            let mut cache = self.lock();
            if cache.len() >= MAX_CACHED {
                cache.clear();
            }
            cache.insert(cache_key(&stat, checksum), value.clone());
        }
        Ok(value)
    }

    fn lock(&self) -> parking_lot::MutexGuard<'_, HashMap<CacheKey, Arc<str>>> {
        self.cache.lock()
    }
}

#[allow(clippy::unnecessary_cast, clippy::cast_possible_wrap, reason = "systems differ in the types of these fields")]
fn cache_key(stat: &Stat, checksum: Checksum) -> CacheKey {
    CacheKey {
        device: stat.st_dev as u64,
        inode: stat.st_ino as u64,
        size: stat.st_size as i64,
        modified: (stat.st_mtime as i64, stat.st_mtime_nsec as i64),
        changed: (stat.st_ctime as i64, stat.st_ctime_nsec as i64),
        checksum,
    }
}

fn digest(file: impl Read, checksum: Checksum) -> io::Result<String> {
    match checksum {
        Checksum::Md5 | Checksum::Etag => hex::<md5::Md5>(file),
        Checksum::Md5Lite => hex::<md5::Md5>(file.take(LITE_BYTES)),
        Checksum::Sha1 => hex::<sha1::Sha1>(file),
        Checksum::Sha1Lite => hex::<sha1::Sha1>(file.take(LITE_BYTES)),
        Checksum::Sha224 => hex::<sha2::Sha224>(file),
        Checksum::Sha256 => hex::<sha2::Sha256>(file),
        Checksum::Sha256Lite => hex::<sha2::Sha256>(file.take(LITE_BYTES)),
        Checksum::Sha384 => hex::<sha2::Sha384>(file),
        Checksum::Sha512 => hex::<sha2::Sha512>(file),
        Checksum::Mtime | Checksum::Ctime | Checksum::None => Ok(String::new()),
    }
}

fn hex<D: sha2::Digest>(mut file: impl Read) -> io::Result<String> {
    let mut digest = D::new();
    let mut buffer = vec![0; 64 << 10];
    loop {
        let read = file.read(&mut buffer)?;
        if read == 0 {
            break;
        }
        digest.update(buffer.get(..read).unwrap_or_default());
    }
    Ok(digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

/// A time in the format of Ruby's `Time#to_s`, in the machine's time zone.
pub(crate) fn time(seconds: i64) -> String {
    let zone = jiff::tz::TimeZone::system();
    let time = jiff::Timestamp::from_second(seconds).unwrap_or_default().to_zoned(zone);
    time.strftime("%Y-%m-%d %H:%M:%S %z").to_string()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    /// Recorded with `printf 'hello\n' | md5sum` and the like; `lite`: of the first 512 of 1000 bytes `a`.
    #[test]
    fn checksums_equal_those_of_coreutils() {
        let long = vec![b'a'; 1000];
        let cases: [(Checksum, &[u8], &str); 5] = [
            (Checksum::Md5, b"hello\n", "b1946ac92492d2347c6235b4d2611184"),
            (Checksum::Sha1, b"hello\n", "f572d396fae9206628714fb2ce00f72e94f2258f"),
            (Checksum::Sha256, b"hello\n", "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03"),
            (Checksum::Sha224, b"hello\n", "2d6d67d91d0badcdd06cbbba1fe11538a68a37ec9c2e26457ceff12b"),
            (Checksum::Md5Lite, &long, "56907396339ca2b099bd12245f936ddc"),
        ];
        for (checksum, bytes, expected) in cases {
            assert_eq!(digest(bytes, checksum).unwrap(), expected, "{}", checksum.name());
        }
    }
}

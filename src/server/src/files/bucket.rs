//! The file bucket: files that agents keep before they change them (Puppet::FileBucketFile::File).
//!
//! In: contents, digests, the paths of files on agents. Out: files in a directory with Puppet's layout, `d/i/g/e/s/t/…/DIGEST/contents` and
//! `paths`. The directory is the server's: it has no other files, and no link in it is followed. Must not: know HTTP.

use std::sync::OnceLock;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering;

use parking_lot::Mutex;
use sha2::Digest;
use sha2::Sha256;

use crate::config::BucketConfig;
use catwalk_world::output::Contents;
use catwalk_world::output::Directory;
use catwalk_world::output::DirectoryError;
use catwalk_world::output::FileKind;
use catwalk_world::output::Kind;
use catwalk_world::output::Marker;
use catwalk_world::output::Place;
use catwalk_world::output::Purpose;

/// The digest of new files.
const ALGORITHM: &str = "sha256";
/// The length of a digest in hexadecimal.
const DIGEST_LENGTH: usize = 64;
/// The most bytes of the list of paths of a file.
const MAX_PATHS: usize = 1 << 20;
/// The longest path, in bytes: that of Linux.
const MAX_PATH: usize = 4096;
/// The levels of directories above those with files.
const LEVELS: usize = 8;

static BUCKET: Purpose = Purpose {
    name: "bucket",
    description: "the file bucket",
    option: "--bucket DIR",
    contents: Contents::Private { is_own: is_level, marker: Marker::Lock },
};

/// Whether an entry is one of the directories of the first level.
fn is_level(name: &str, kind: FileKind) -> bool {
    kind == FileKind::Directory
        && matches!(name.as_bytes(), [byte] if byte.is_ascii_digit() || (b'a'..=b'f').contains(byte))
}

/// Why a request cannot be answered.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum BucketError {
    /// A key is wrong, or a file cannot be read or written: Puppet's message.
    Failed(String),
    /// The bucket is full.
    Full(String),
}

/// The file that a request names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BucketKey {
    digest: String,
    /// The path on the agent, if the request names one.
    path: Option<String>,
}

impl BucketKey {
    /// Reads `sha256/DIGEST/PATH`, whose path may be missing.
    ///
    /// # Errors
    /// The digest has another form (`request_to_checksum_and_path`), or the path has control characters or is too long.
    pub(crate) fn read(parts: &[String]) -> Result<BucketKey, BucketError> {
        let failed = |why: String| Err(BucketError::Failed(why));
        let (algorithm, rest) = parts.split_first().map_or(("", parts), |(first, rest)| (first.as_str(), rest));
        if algorithm != ALGORITHM {
            return failed(format!("Unsupported checksum type {algorithm:?}"));
        }
        let digest = rest.first().map_or("", String::as_str);
        if !is_digest(digest) {
            return failed(format!("Invalid checksum {digest:?}"));
        }
        let path = rest.get(1..).unwrap_or_default().join("/");
        if path.contains(char::is_control) || path.len() > MAX_PATH {
            return failed(format!("Invalid path {path:?}"));
        }
        Ok(BucketKey { digest: digest.to_owned(), path: Some(path).filter(|path| !path.is_empty()) })
    }
}

fn is_digest(text: &str) -> bool {
    text.len() == DIGEST_LENGTH && text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

/// The directory of a digest.
fn folder(digest: &str) -> String {
    let levels: Vec<String> = digest.chars().take(LEVELS).map(String::from).collect();
    format!("{}/{digest}", levels.join("/"))
}

/// A file bucket.
#[derive(Debug)]
pub(crate) struct Bucket {
    directory: Directory,
    max_bytes: u64,
    /// The bytes of all contents, counted with the first file that is stored.
    bytes: OnceLock<AtomicU64>,
    /// Held while a file and its list of paths are written.
    writing: Mutex<()>,
}

impl Bucket {
    /// Opens the directory, or creates it.
    ///
    /// # Errors
    /// It cannot be created, or contains files that are not those of a bucket.
    pub(crate) fn open(config: &BucketConfig) -> Result<Bucket, DirectoryError> {
        let directory = Directory::open(&Place::named(&config.directory), &BUCKET)?;
        Ok(Bucket { directory, max_bytes: config.max_bytes, bytes: OnceLock::new(), writing: Mutex::default() })
    }

    /// Whether the bucket has a file, from this path if the key has one.
    ///
    /// # Errors
    /// A file cannot be read.
    pub(crate) fn has(&self, key: &BucketKey) -> Result<bool, BucketError> {
        let folder = folder(&key.digest);
        let kind = self.directory.kind(&format!("{folder}/contents")).map_err(|why| unusable(key, &why))?;
        if kind != Some(FileKind::File) {
            return Ok(false);
        }
        let Some(path) = &key.path else { return Ok(true) };
        Ok(self.paths(&folder, key)?.lines().any(|line| line == path))
    }

    /// The contents of a file. `None`: the bucket does not have it, or not from this path.
    ///
    /// # Errors
    /// A file cannot be read, or its contents do not have the digest.
    pub(crate) fn get(&self, key: &BucketKey) -> Result<Option<Vec<u8>>, BucketError> {
        if !self.has(key)? {
            return Ok(None);
        }
        let contents = self.directory.read(&format!("{}/contents", folder(&key.digest)));
        let Some(contents) = contents.map_err(|why| unusable(key, &why))? else { return Ok(None) };
        match digest(&contents) == key.digest {
            true => Ok(Some(contents)),
            false => Err(unusable(key, &"its contents have changed")),
        }
    }

    /// Stores a file under the digest of its contents, and adds the path of the key to its list.
    ///
    /// # Errors
    /// The bucket is full, or a file cannot be written.
    pub(crate) fn put(&self, key: &BucketKey, contents: &[u8]) -> Result<(), BucketError> {
        let stored = BucketKey { digest: digest(contents), path: key.path.clone() };
        let folder = folder(&stored.digest);
        let name = format!("{folder}/contents");
        let _writing = self.writing.lock();
        let old = self.directory.read(&name).unwrap_or_default();
        if old.as_deref() != Some(contents) {
            let length = contents.len() as u64;
            let bytes = self.bytes.get_or_init(|| AtomicU64::new(self.count("", 0)));
            if bytes.load(Ordering::Relaxed).saturating_add(length) > self.max_bytes {
                return Err(BucketError::Full(format!(
                    "the file bucket has no room: its limit is {} bytes",
                    self.max_bytes
                )));
            }
            self.directory.write(&name, Kind::BucketFile, contents).map_err(|why| unusable(&stored, &why))?;
            bytes.fetch_add(length, Ordering::Relaxed);
        }
        let Some(path) = &stored.path else { return Ok(()) };
        let mut paths = self.paths(&folder, &stored)?;
        if paths.lines().any(|line| line == path) {
            return Ok(());
        }
        if paths.len() + path.len() >= MAX_PATHS {
            return Err(BucketError::Full("this file has too many paths".to_owned()));
        }
        paths.push_str(path);
        paths.push('\n');
        let name = format!("{folder}/paths");
        self.directory.write(&name, Kind::BucketFile, paths.as_bytes()).map_err(|why| unusable(&stored, &why))
    }

    /// The list of paths of a file.
    fn paths(&self, folder: &str, key: &BucketKey) -> Result<String, BucketError> {
        let bytes = self.directory.read(&format!("{folder}/paths")).map_err(|why| unusable(key, &why))?;
        Ok(String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned())
    }

    /// The bytes of the contents below a directory.
    fn count(&self, name: &str, level: usize) -> u64 {
        let entries = self.directory.list(name).unwrap_or_default();
        let folders = entries.iter().filter(|entry| entry.kind == FileKind::Directory);
        let size = |entry: &catwalk_world::output::Entry| {
            let Some(entry) = entry.name.to_str() else { return 0 };
            let below = if name.is_empty() { entry.to_owned() } else { format!("{name}/{entry}") };
            match level {
                LEVELS => self.directory.size(&format!("{below}/contents")).ok().flatten().unwrap_or(0),
                _ if is_level(entry, FileKind::Directory) => self.count(&below, level + 1),
                _ => 0,
            }
        };
        folders.map(size).sum()
    }
}

fn digest(contents: &[u8]) -> String {
    Sha256::digest(contents).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unusable(key: &BucketKey, why: &dyn std::fmt::Display) -> BucketError {
    BucketError::Failed(format!("the file {} of the file bucket cannot be used: {why}", key.digest))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests")]

    use super::*;
    use std::path::Path;

    fn open(directory: &Path, max_bytes: u64) -> Bucket {
        Bucket::open(&BucketConfig { directory: directory.to_path_buf(), max_bytes }).unwrap()
    }

    fn key(text: &str) -> Result<BucketKey, BucketError> {
        BucketKey::read(&text.split('/').map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn files_have_puppets_layout_and_are_found_by_digest_and_path() {
        let directory = tempfile::TempDir::new().unwrap();
        let root = directory.path().join("bucket");
        let bucket = open(&root, 1000);
        let hex = digest(b"old\n");
        let name = |path: &str| key(&format!("sha256/{hex}{path}")).unwrap();
        assert_eq!(bucket.get(&name("")), Ok(None));
        bucket.put(&name("/etc/motd"), b"old\n").unwrap();
        bucket.put(&name("/etc/issue"), b"old\n").unwrap();
        bucket.put(&name("/etc/motd"), b"old\n").unwrap();
        let levels: Vec<String> = hex.chars().take(8).map(String::from).collect();
        let folder = root.join(levels.join("/")).join(&hex);
        assert_eq!(std::fs::read(folder.join("contents")).unwrap(), b"old\n");
        assert_eq!(std::fs::read_to_string(folder.join("paths")).unwrap(), "etc/motd\netc/issue\n");
        assert_eq!(bucket.get(&name("/etc/issue")), Ok(Some(b"old\n".to_vec())));
        assert_eq!((bucket.has(&name("")), bucket.has(&name("/etc/other"))), (Ok(true), Ok(false)));
        // The digest of the contents decides, as in Puppet.
        bucket.put(&name("/x"), b"new").unwrap();
        assert_eq!(bucket.get(&name("")), Ok(Some(b"old\n".to_vec())));
        assert_eq!(bucket.has(&key(&format!("sha256/{}/x", digest(b"new"))).unwrap()), Ok(true));
        drop(bucket);
        assert_eq!(open(&root, 1000).get(&name("")), Ok(Some(b"old\n".to_vec())));
    }

    #[test]
    fn keys_are_those_of_puppet() {
        let hex = digest(b"");
        for (text, why) in [
            ("md5/x".to_owned(), "Unsupported checksum type \"md5\""),
            (String::new(), "Unsupported checksum type \"\""),
            ("sha256".to_owned(), "Invalid checksum \"\""),
            ("sha256/..".to_owned(), "Invalid checksum \"..\""),
            (format!("sha256/{}", hex.to_uppercase()), "Invalid checksum"),
            (format!("sha256/{hex}0"), "Invalid checksum"),
            (format!("sha256/{hex}/a\nb"), "Invalid path"),
            (format!("sha256/{hex}/a\0b"), "Invalid path"),
            (format!("sha256/{hex}/{}", "x".repeat(5000)), "Invalid path"),
        ] {
            let refused = key(&text).unwrap_err();
            assert!(
                matches!(&refused, BucketError::Failed(message) if message.starts_with(why)),
                "{text:?} {refused:?}"
            );
        }
    }

    #[test]
    fn a_full_bucket_refuses_files() {
        let directory = tempfile::TempDir::new().unwrap();
        let none = key(&format!("sha256/{}", digest(b""))).unwrap();
        open(directory.path(), 10).put(&none, b"123456").unwrap();
        let bucket = open(directory.path(), 10);
        assert!(matches!(bucket.put(&none, b"12345"), Err(BucketError::Full(_))));
        assert_eq!((bucket.put(&none, b"1234"), bucket.put(&none, b"123456")), (Ok(()), Ok(())));
    }

    #[test]
    fn links_are_not_followed_and_foreign_directories_are_refused() {
        let directory = tempfile::TempDir::new().unwrap();
        let (root, outside) = (directory.path().join("bucket"), directory.path().join("outside"));
        std::fs::create_dir(&outside).unwrap();
        let hex = digest(b"secret");
        let name = key(&format!("sha256/{hex}")).unwrap();
        let bucket = open(&root, 1000);
        bucket.put(&name, b"secret").unwrap();
        let first = root.join(&hex[..1]);
        std::fs::rename(&first, outside.join("moved")).unwrap();
        std::os::unix::fs::symlink(outside.join("moved"), &first).unwrap();
        assert!(bucket.get(&name).is_err() && bucket.put(&name, b"secret").is_err());
        std::fs::remove_file(&first).unwrap();
        bucket.put(&name, b"secret").unwrap();
        let contents = root.join(folder(&hex)).join("contents");
        std::fs::remove_file(&contents).unwrap();
        std::fs::write(outside.join("passwd"), "root").unwrap();
        std::os::unix::fs::symlink(outside.join("passwd"), &contents).unwrap();
        assert_eq!(bucket.get(&name), Ok(None));
        bucket.put(&name, b"secret").unwrap();
        assert_eq!(std::fs::read_to_string(outside.join("passwd")).unwrap(), "root");
        std::fs::write(&contents, "changed").unwrap();
        assert!(bucket.get(&name).is_err());
        std::fs::write(outside.join("users-file"), "").unwrap();
        assert!(Bucket::open(&BucketConfig { directory: outside, max_bytes: 1 }).is_err());
    }
}

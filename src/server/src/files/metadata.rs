//! The metadata of a file (`Puppet::FileServing::Metadata`).

use std::sync::Arc;

use rustix::fs::FileType;
use serde::Serialize;

use super::checksums::Checksum;
use super::checksums::Checksums;
use super::checksums::time;
use super::tree::Entry;
use super::tree::Tree;
use catwalk_http::Parameters;

/// The parameters of a request for metadata.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MetadataOptions {
    /// Whether to describe the target of a link instead of the link.
    pub(crate) follows_links: bool,
    pub(crate) checksum: Checksum,
    /// Whether owner, group and mode are those of the file; if not, they are those of this process and 0644.
    pub(crate) uses_file_permissions: bool,
    /// Whether to describe the files below a directory too.
    pub(crate) recurse: bool,
    /// The number of levels below a directory to describe.
    pub(crate) depth: Option<u64>,
    /// The maximum number of files, beyond which the request fails; 0 or less: no limit.
    pub(crate) max_files: i64,
    /// Patterns of file names to ignore.
    pub(crate) ignore: Vec<String>,
}

impl MetadataOptions {
    /// Reads the parameters of a request.
    ///
    /// # Errors
    /// Puppet's message about an invalid parameter.
    pub(crate) fn read(parameters: &Parameters) -> Result<MetadataOptions, String> {
        let links = parameters.get("links").unwrap_or("manage");
        let checksum = parameters.get("checksum_type").unwrap_or("sha256");
        let uses_file_permissions = match parameters.get("source_permissions") {
            None | Some("ignore") => false,
            Some("use" | "use_when_creating") => true,
            Some(other) => return Err(format!("Unsupported source_permission {other}")),
        };
        let number = |name: &str| parameters.get(name).and_then(|value| value.parse::<i64>().ok());
        if number("recurse").is_some() {
            return Err("Fileset recurse parameter must not be a number anymore, please use recurselimit".to_owned());
        }
        Ok(MetadataOptions {
            follows_links: match links {
                "follow" => true,
                "manage" | "ignore" => false,
                other => return Err(format!("Invalid :links value '{other}'")),
            },
            checksum: Checksum::from_name(checksum).ok_or_else(|| format!("Unsupported checksum type {checksum}"))?,
            uses_file_permissions,
            recurse: !matches!(parameters.get("recurse"), None | Some("false")),
            depth: number("recurselimit").and_then(|limit| u64::try_from(limit).ok()),
            max_files: number("max_files").unwrap_or(0),
            ignore: parameters.all("ignore").map(str::to_owned).collect(),
        })
    }
}

/// The metadata of a file in a response.
#[derive(Serialize)]
pub(crate) struct Metadata {
    #[serde(serialize_with = "string")]
    path: Arc<str>,
    relative_path: Option<String>,
    links: &'static str,
    owner: u32,
    group: u32,
    mode: u32,
    checksum: ChecksumValue,
    #[serde(rename = "type")]
    kind: &'static str,
    destination: Option<String>,
}

fn string<S: serde::Serializer>(path: &Arc<str>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(path)
}

#[derive(Serialize)]
struct ChecksumValue {
    #[serde(rename = "type")]
    kind: &'static str,
    value: Option<String>,
}

/// Computes the metadata of files.
pub(crate) struct Describer<'a> {
    pub(crate) options: &'a MetadataOptions,
    pub(crate) checksums: &'a Checksums,
}

impl Describer<'_> {
    /// Checks that a file is not too large for its checksum.
    ///
    /// # Errors
    /// A sentence with the path.
    pub(crate) fn check_size(&self, entry: &Entry, path: &str) -> Result<(), String> {
        if entry.kind() != FileType::RegularFile {
            return Ok(());
        }
        let checked = self.checksums.check_size(&entry.stat, self.options.checksum);
        checked.map_err(|size| format!("{path} has {size} bytes, more than are served"))
    }

    /// The metadata of a file. `tree_path` is its path relative to the tree; `path` is its absolute path, or that of the directory to which
    /// `relative` is relative. `None`: it cannot be read, or is neither a regular file nor a directory nor a link.
    pub(crate) fn describe(
        &self,
        tree: &Tree,
        tree_path: &str,
        entry: &Entry,
        path: &Arc<str>,
        relative: Option<&str>,
    ) -> Option<Metadata> {
        let checksum_of = |entry: &Entry| {
            let kind = self.options.checksum;
            let value = self.checksums.get(entry, kind).ok();
            ChecksumValue { kind: kind.name(), value: value.map(|value| format!("{{{}}}{value}", kind.name())) }
        };
        let (kind, checksum) = match entry.kind() {
            FileType::RegularFile => ("file", Some(checksum_of(entry)).filter(|checksum| checksum.value.is_some())?),
            FileType::Directory => {
                let value = Some(format!("{{ctime}}{}", time(entry.stat.st_ctime)));
                ("directory", ChecksumValue { kind: "ctime", value })
            }
            FileType::Symlink => {
                // The checksum of a link is that of its target, if it exists.
                let target = tree.find(tree_path, true).filter(|target| target.kind() == FileType::RegularFile);
                let without_value = ChecksumValue { kind: self.options.checksum.name(), value: None };
                ("link", target.as_ref().map_or(without_value, checksum_of))
            }
            _ => return None,
        };
        let is_file_owned = self.options.uses_file_permissions;
        let stat = &entry.stat;
        Some(Metadata {
            path: path.clone(),
            relative_path: relative.map(str::to_owned),
            links: if self.options.follows_links { "follow" } else { "manage" },
            owner: if is_file_owned { stat.st_uid } else { rustix::process::geteuid().as_raw() },
            group: if is_file_owned { stat.st_gid } else { rustix::process::getegid().as_raw() },
            mode: if is_file_owned { rustix::fs::Mode::from_raw_mode(stat.st_mode).bits() & 0o7777 } else { 0o644 },
            checksum,
            kind,
            destination: if kind == "link" { entry.target() } else { None },
        })
    }
}

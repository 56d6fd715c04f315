//! Puppet's files for `require 'puppet/…'`.
//!
//! In: the name of a library and the version. Out: whether the file exists; `tests/reference/libraries.rb` generates the list.
//! Must not: know their contents.

use std::collections::HashMap;
use std::sync::OnceLock;

use catwalk_base::version::Version;

const TABLE: &str = include_str!("puppet_files.tsv");

/// Whether Puppet's own `lib/` has the file; `library` has no extension.
pub(crate) fn has(library: &str, version: Version) -> bool {
    static FILES: OnceLock<HashMap<&'static str, Option<u32>>> = OnceLock::new();
    let files = FILES.get_or_init(|| TABLE.lines().filter_map(line).collect());
    // What 8 has added, later versions have, too.
    files.get(library).is_some_and(|only| only.is_none_or(|only| only == version.major.min(8)))
}

/// A file and the only major version that has it.
fn line(string: &'static str) -> Option<(&'static str, Option<u32>)> {
    let (only, name) = string.split_once('\t')?;
    Some((name, only.parse().ok()))
}

//! The file names in directories of saved catalogs.
//!
//! In: file names. Out: the node of each file. Must not: read the files.

use std::sync::Arc;

use indexmap::IndexMap;

/// The number of digits of a SHA-1.
const HASH_DIGITS: usize = 40;

/// The files of saved catalogs by node, in the order of `names`. A file name is `CERTNAME.json`, or `CERTNAME-HASH.json` as in archives
/// of `puppet db export` (PuppetDB's `export-filename`); if both exist, the former is used. Other files are ignored.
pub fn files<'a>(names: impl Iterator<Item = &'a str>) -> IndexMap<Arc<str>, Arc<str>> {
    let mut files: IndexMap<Arc<str>, Arc<str>> = IndexMap::new();
    for name in names {
        let Some(stem) = name.strip_suffix(".json").filter(|stem| !stem.starts_with('.')) else { continue };
        match without_hash(stem) {
            Some(certname) => {
                files.entry(certname.into()).or_insert_with(|| name.into());
            }
            None => {
                files.insert(stem.into(), name.into());
            }
        }
    }
    files
}

fn without_hash(stem: &str) -> Option<&str> {
    let (certname, hash) = stem.rsplit_once('-')?;
    let digits = hash.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    (hash.len() == HASH_DIGITS && digits && !certname.is_empty()).then_some(certname)
}

#[cfg(test)]
mod tests {
    use super::files;

    #[test]
    fn files_are_assigned_to_nodes() {
        let hash = "b1f993dd750d31a3e94b976aa50a979b77957f89";
        let exported = |name: &str| format!("{name}-{hash}.json");
        let names =
            [exported("a.b"), "a.b.json".into(), exported("c-d"), "e-1.json".into(), ".f.json".into(), "g.yaml".into()];
        let found = files(names.iter().map(String::as_str));
        let expected = [("a.b", "a.b.json"), ("c-d", &exported("c-d")), ("e-1", "e-1.json")];
        assert_eq!(found.iter().map(|(node, file)| (&**node, &**file)).collect::<Vec<_>>(), expected);
    }
}

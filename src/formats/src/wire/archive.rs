//! Directories of saved catalogs.
//!
//! In: the names of files. Out: of which node each is. Must not: read them.

use std::sync::Arc;

use indexmap::IndexMap;

/// The digits of a SHA-1.
const HASH: usize = 40;

/// The files of saved catalogs by node, in the order of `names`. A file is `CERTNAME.json`, or `CERTNAME-HASH.json`, as
/// archives of `puppet db export` have them (PuppetDB's `export-filename`); the former wins where both exist. Other files are
/// not catalogs.
pub fn files<'a>(names: impl Iterator<Item = &'a str>) -> IndexMap<Arc<str>, Arc<str>> {
    let mut found: IndexMap<Arc<str>, Arc<str>> = IndexMap::new();
    for name in names {
        let Some(stem) = name.strip_suffix(".json").filter(|stem| !stem.starts_with('.')) else { continue };
        match without_hash(stem) {
            Some(certname) => {
                found.entry(certname.into()).or_insert_with(|| name.into());
            }
            None => {
                found.insert(stem.into(), name.into());
            }
        }
    }
    found
}

fn without_hash(stem: &str) -> Option<&str> {
    let (certname, hash) = stem.rsplit_once('-')?;
    let digits = hash.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    (hash.len() == HASH && digits && !certname.is_empty()).then_some(certname)
}

#[cfg(test)]
mod tests {
    use super::files;

    #[test]
    fn files_are_of_nodes() {
        let hash = "b1f993dd750d31a3e94b976aa50a979b77957f89";
        let exported = |name: &str| format!("{name}-{hash}.json");
        let names =
            [exported("a.b"), "a.b.json".into(), exported("c-d"), "e-1.json".into(), ".f.json".into(), "g.yaml".into()];
        let found = files(names.iter().map(String::as_str));
        let expected = [("a.b", "a.b.json"), ("c-d", &exported("c-d")), ("e-1", "e-1.json")];
        assert_eq!(found.iter().map(|(node, file)| (&**node, &**file)).collect::<Vec<_>>(), expected);
    }
}

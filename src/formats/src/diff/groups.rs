//! Groups equal changes of many catalogs, for `diff`, `review` and the reports of tests.
//!
//! In: changes, each with its catalog. Out: [`Group`]s. Must not: depend on how catalogs are named.

use std::hash::Hash;

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use serde_json::Value;
use sha2::Digest;
use similar::ChangeTag;

use crate::diff::ResourceDiff;
use crate::diff::text;

/// Changes that occur in exactly these catalogs.
#[derive(Clone, Debug, PartialEq)]
pub struct Group<O, C> {
    /// The catalogs, in the order in which they were added.
    pub owners: Vec<O>,
    /// Their changes, in the order in which they first occur.
    pub changes: Vec<C>,
}

/// Collects changes. Only the first of equal changes is stored, since a change can be large and occur in many catalogs.
#[derive(Clone, Debug)]
pub struct Grouping<O, C> {
    by_change: IndexMap<Identity, (C, Vec<O>), FxBuildHasher>,
}

impl<O, C> Default for Grouping<O, C> {
    fn default() -> Grouping<O, C> {
        Grouping { by_change: IndexMap::default() }
    }
}

impl<O: Eq + Hash, C> Grouping<O, C> {
    /// Adds a change in a catalog.
    pub fn add(&mut self, owner: O, identity: Identity, change: C) {
        self.by_change.entry(identity).or_insert_with(|| (change, Vec::new())).1.push(owner);
    }

    /// The changes, grouped by the catalogs in which they occur; groups of the most catalogs come first.
    #[must_use]
    pub fn groups(self) -> Vec<Group<O, C>> {
        let mut by_owners: IndexMap<Vec<O>, Vec<C>, FxBuildHasher> = IndexMap::default();
        for (_, (change, owners)) in self.by_change {
            by_owners.entry(owners).or_default().push(change);
        }
        let groups = by_owners.into_iter().map(|(owners, changes)| Group { owners, changes });
        let mut groups: Vec<Group<O, C>> = groups.collect();
        groups.sort_by_key(|group| std::cmp::Reverse(group.owners.len()));
        groups
    }
}

/// A digest that is the same for equal changes.
pub type Identity = [u8; 32];

/// The identity of a change of a resource. Its location is ignored. Only the changed lines of a multi-line string are compared, so that
/// templates with the node's name in an unchanged line have the same change; very long strings are compared as a whole.
#[must_use]
pub fn identity(kind: &str, item: &ResourceDiff) -> Identity {
    let mut parts = vec![kind.to_owned(), item.reference.clone()];
    for change in &item.changes {
        parts.push(change.name.clone());
        match (&change.old, &change.new) {
            (Some(Value::String(old)), Some(Value::String(new))) if old.contains('\n') || new.contains('\n') => {
                let Some(diff) = text::diff_lines(old, new) else {
                    parts.extend([format!("-{old}"), format!("+{new}")]);
                    continue;
                };
                for line in diff.iter_all_changes().filter(|line| line.tag() != ChangeTag::Equal) {
                    let sign = if line.tag() == ChangeTag::Delete { '-' } else { '+' };
                    parts.push(format!("{sign}{}", line.value()));
                }
            }
            values => {
                let describe = |value: &Option<Value>| {
                    value.as_ref().map_or_else(|| "unset".to_owned(), |value| format!("= {value}"))
                };
                parts.extend([describe(values.0), describe(values.1)]);
            }
        }
    }
    digest(&parts)
}

/// The identity of a change that is described by strings.
#[must_use]
pub fn digest(parts: &[impl AsRef<str>]) -> Identity {
    let mut hasher = sha2::Sha256::new();
    for part in parts.iter().map(AsRef::as_ref) {
        hasher.update(part.len().to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.finalize().into()
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use serde_json::Value;

    use super::identity;
    use crate::diff::Change;
    use crate::diff::ResourceDiff;
    use crate::diff::text;

    fn item(old: &str, new: &str) -> ResourceDiff {
        let change = Change { name: "content".to_owned(), old: Some(Value::from(old)), new: Some(Value::from(new)) };
        ResourceDiff { reference: "File[/a]".to_owned(), location: None, changes: vec![change] }
    }

    #[test]
    fn only_changed_lines_make_a_change_unless_they_are_too_many() {
        let small = |node: &str| identity("changed", &item(&format!("{node}\nx\n"), &format!("{node}\ny\n")));
        assert_eq!(small("web1"), small("web2"));
        let lines = |name: &str| {
            (0..20_000).fold(String::new(), |mut all, number| {
                let _ = writeln!(all, "{name} {number}");
                all
            })
        };
        let (old, new) = (lines("old"), lines("new"));
        assert!(text::diff_lines(&old, &new).is_none());
        assert_eq!(identity("changed", &item(&old, &new)), identity("changed", &item(&old, &new)));
        let node = |node: &str| identity("changed", &item(&format!("{node}\n{old}"), &format!("{node}\n{new}")));
        assert_ne!(node("web1"), node("web2"));
    }
}

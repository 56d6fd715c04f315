//! All groups of a site as one hierarchy.
//!
//! In: groups as they were read. Out: [`Groups`], ordered by depth, then id; or the error in the hierarchy: duplicate names,
//! missing parents, cycles. Must not: know files.

use std::sync::Arc;
use std::sync::OnceLock;

use indexmap::IndexMap;
use rustc_hash::FxHashMap;

use crate::group::DEFAULT_ENVIRONMENT;
use crate::group::Draft;
use crate::group::Group;
use crate::group::ROOT_ID;
use crate::group::ROOT_NAME;
use crate::plan::Plan;
use crate::problem::Problem;
use crate::problem::object;
use crate::read::Drafts;
use crate::values::Source;
use crate::values::Values;
use catwalk_value::Hash;
use catwalk_value::Value;

/// Groups, checked and ready to classify nodes.
#[derive(Debug)]
pub struct Groups {
    /// By depth, then id; a parent comes before its children.
    pub groups: Vec<Group>,
    /// The values of each group and its ancestors, computed on first use: groups in a long chain would hold those of all above
    /// them.
    inherited: Vec<OnceLock<Values>>,
    /// Nodes' own classifications, applied after the groups.
    pub nodes: IndexMap<Arc<str>, Values>,
    /// The rules, prepared for many nodes.
    pub plan: Plan,
}

impl Groups {
    /// Reads groups from a document and puts them in order.
    ///
    /// # Errors
    /// As [`Drafts::read`] and [`Groups::new`].
    pub fn read(document: &Value) -> Result<Groups, Box<Problem>> {
        Groups::new(Drafts::read(document)?)
    }

    /// Puts groups in order. The root is added when it is not among them.
    ///
    /// # Errors
    /// Returns `uniqueness-violation`, `missing-parent` or `inheritance-cycle`.
    pub fn new(mut drafts: Drafts) -> Result<Groups, Box<Problem>> {
        if !drafts.groups.iter().any(|draft| id(draft) == ROOT_ID) {
            let name = |draft: &Draft| draft.document.get("name").and_then(Value::as_str) == Some(ROOT_NAME);
            let id = ("id", Value::str(ROOT_ID));
            let root = object([id, ("name", Value::str(ROOT_NAME)), ("classes", Value::hash(Hash::new()))]);
            // A root group with another id is not the built-in root.
            if let (Value::Hash(document), false) = (root, drafts.groups.iter().any(name)) {
                drafts.groups.push(Draft { document, parent: Arc::from(ROOT_ID), script: None, location: None });
            }
        }
        check_unique(&drafts.groups)?;
        let parents = parents(&drafts.groups)?;
        let depths = depths(&drafts.groups, &parents)?;
        let mut order: Vec<usize> = (0..drafts.groups.len()).collect();
        let key = |at: &usize| (depths.get(*at).copied().unwrap_or(0), drafts.groups.get(*at).map(id));
        order.sort_by(|a, b| key(a).cmp(&key(b)));
        let mut numbers = vec![0; order.len()];
        for (number, draft) in order.iter().enumerate() {
            if let Some(slot) = numbers.get_mut(*draft) {
                *slot = number;
            }
        }
        let mut groups: Vec<Group> = Vec::with_capacity(order.len());
        for (number, at) in order.iter().enumerate() {
            let Some(draft) = drafts.groups.get(*at) else { continue };
            let parent = parents.get(*at).copied().flatten();
            let above = parent.and_then(|parent| Some((*numbers.get(parent)?, id(drafts.groups.get(parent)?))));
            let group = Group::new(draft, number, above, depths.get(*at).copied().unwrap_or(0));
            groups.push(group);
        }
        let plan = Plan::new(&groups);
        let inherited = groups.iter().map(|_| OnceLock::new()).collect();
        Ok(Groups { groups, inherited, nodes: drafts.nodes.into_iter().collect(), plan })
    }

    /// A group by its number.
    #[must_use]
    pub fn get(&self, number: usize) -> Option<&Group> {
        self.groups.get(number)
    }

    /// A group by its id or its name.
    #[must_use]
    pub fn find(&self, id_or_name: &str) -> Option<usize> {
        let id = self.groups.iter().position(|group| *group.id == *id_or_name);
        id.or_else(|| self.groups.iter().position(|group| *group.name == *id_or_name))
    }

    /// The ancestors of a group, nearest first.
    pub fn ancestors(&self, number: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(self.get(number).and_then(|group| group.parent), |at| self.get(*at)?.parent)
    }

    /// The values of a group and its ancestors; `None`: there is no such group.
    #[must_use]
    pub fn inherited(&self, number: usize) -> Option<&Values> {
        let compute = || {
            let mut from_root: Vec<usize> = self.ancestors(number).collect();
            from_root.reverse();
            let mut all = Values::default();
            from_root.into_iter().chain([number]).filter_map(|at| self.get(at)).for_each(|at| all.overlay(&at.values));
            all
        };
        Some(self.inherited.get(number)?.get_or_init(compute))
    }

    /// A source in documents: a group's id, or `node`.
    #[must_use]
    pub fn source(&self, source: Source) -> Value {
        match source {
            Source::Group(number) => self.get(number).map_or(Value::Undef, |group| Value::from(group.id.clone())),
            Source::Node => Value::str("node"),
        }
    }

    /// The group object of a number.
    #[must_use]
    pub fn document(&self, number: usize) -> Value {
        self.get(number).map_or(Value::Undef, |group| group.document.clone())
    }
}

fn id(draft: &Draft) -> &str {
    draft.document.get("id").and_then(Value::as_str).unwrap_or("")
}

fn environment(draft: &Draft) -> &str {
    draft.document.get("environment").and_then(Value::as_str).unwrap_or(DEFAULT_ENVIRONMENT)
}

fn name(draft: &Draft) -> &str {
    draft.document.get("name").and_then(Value::as_str).unwrap_or("")
}

/// Checks that ids are unique, and names within an environment.
fn check_unique(drafts: &[Draft]) -> Result<(), Box<Problem>> {
    let mut ids: FxHashMap<&str, ()> = FxHashMap::default();
    let mut names: FxHashMap<(&str, &str), ()> = FxHashMap::default();
    let violation = |description: &str, conflict: Value, constraint: &str| {
        let text = "Could not complete the request because it violates a uniqueness constraint.";
        let details = object([("conflict", conflict), ("constraintName", Value::str(constraint))]);
        Problem::new("uniqueness-violation", format!("{text} A group with {description} already exists."), details)
    };
    for draft in drafts {
        if ids.insert(id(draft), ()).is_some() {
            let conflict = object([("id", Value::str(id(draft)))]);
            return Err(violation(&format!("id '{}'", id(draft)), conflict, "groups_id_unique"));
        }
        let (name, environment) = (name(draft), environment(draft));
        if names.insert((name, environment), ()).is_some() {
            let conflict = object([("name", Value::str(name)), ("environment", Value::str(environment))]);
            let description = format!("name '{name}' and environment '{environment}'");
            return Err(violation(&description, conflict, "groups_name_environment_unique"));
        }
    }
    Ok(())
}

/// The parent of each group; `None` for the root.
fn parents(drafts: &[Draft]) -> Result<Vec<Option<usize>>, Box<Problem>> {
    let by_id: FxHashMap<&str, usize> = drafts.iter().enumerate().map(|(at, draft)| (id(draft), at)).collect();
    let mut by_name: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
    for (at, draft) in drafts.iter().enumerate() {
        by_name.entry(name(draft)).or_default().push(at);
    }
    let parent = |draft: &Draft| {
        if id(draft) == ROOT_ID {
            return Ok(None);
        }
        let parent = draft.parent.as_ref();
        let environment_name = environment(draft);
        let named = by_name.get(parent).map(Vec::as_slice).unwrap_or_default();
        let named = match named {
            [only] => Some(*only),
            several => several
                .iter()
                .copied()
                .find(|at| drafts.get(*at).is_some_and(|other| environment(other) == environment_name)),
        };
        match by_id.get(parent).copied().or(named) {
            Some(at) => Ok(Some(at)),
            None => {
                let message = format!("The parent of group '{}' does not exist: '{parent}'.", name(draft));
                Err(Problem::new("missing-parent", message, Value::Hash(draft.document.clone())))
            }
        }
    };
    drafts.iter().map(parent).collect()
}

/// The number of ancestors of each group.
fn depths(drafts: &[Draft], parents: &[Option<usize>]) -> Result<Vec<usize>, Box<Problem>> {
    let mut depths: Vec<Option<usize>> = vec![None; drafts.len()];
    for start in 0..drafts.len() {
        let mut path = Vec::new();
        let mut at = Some(start);
        let mut known_depth = 0;
        while let Some(group) = at {
            if let Some(depth) = depths.get(group).copied().flatten() {
                known_depth = depth + 1;
                break;
            }
            // The path to the root ends at the first group whose depth is known, so it is long only if groups are nested deep.
            if path.len() > drafts.len() {
                return Err(cycle_problem(drafts, parents, group));
            }
            path.push(group);
            at = parents.get(group).copied().flatten();
        }
        for (distance, group) in path.into_iter().rev().enumerate() {
            if let Some(slot) = depths.get_mut(group) {
                *slot = Some(known_depth + distance);
            }
        }
    }
    Ok(depths.into_iter().map(Option::unwrap_or_default).collect())
}

/// The error about a cycle of groups, starting with the group that comes first in the document.
fn cycle_problem(drafts: &[Draft], parents: &[Option<usize>], inside: usize) -> Box<Problem> {
    let next = |at: &usize| parents.get(*at).copied().flatten();
    let mut members: Vec<usize> = Vec::new();
    for at in std::iter::successors(Some(inside), next) {
        if members.contains(&at) {
            break;
        }
        members.push(at);
    }
    if let Some(first) = members.iter().min().and_then(|least| members.iter().position(|at| at == least)) {
        members.rotate_left(first);
    }
    let groups: Vec<&Draft> = members.iter().filter_map(|at| drafts.get(*at)).collect();
    let names: Vec<&str> = groups.iter().chain(groups.first()).map(|draft| name(draft)).collect();
    let details = groups.iter().map(|draft| Value::Hash(draft.document.clone())).collect();
    let message = format!("Detected an inheritance cycle: {}.", names.join(" -> "));
    Problem::new("inheritance-cycle", message, Value::array(details))
}

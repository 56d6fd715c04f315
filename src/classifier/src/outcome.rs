//! From matching groups to a node's values: leaves, inheritance, conflicts, the node's own classification.
//!
//! In: groups that match. Out: [`Outcome`]. Must not: know rules.
//!
//! The steps are those of the service's explanation endpoint. Where its documentation is silent: configuration data conflicts
//! like parameters do; if leaves have an environment that trumps, only those leaves decide it; the node's own classification
//! never conflicts.

use std::collections::BTreeMap;

use crate::groups::Groups;
use crate::problem::Problem;
use crate::problem::object;
use crate::values::Key;
use crate::values::Source;
use crate::values::SourcedValue;
use crate::values::Values;
use crate::values::add_sources;
use crate::values::nested;
use catwalk_value::Hash;
use catwalk_value::Value;

/// One of several values that conflict.
#[derive(Clone, PartialEq, Debug)]
pub struct Detail {
    /// The value.
    pub value: Value,
    /// The leaf that has the value.
    pub from: usize,
    /// The group that defines it: the leaf or one of its ancestors.
    pub defined_by: Source,
}

/// The values of the groups that match a node. All nodes with these leaves share it.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome {
    /// Matching groups without a matching descendant, in order.
    pub leaves: Vec<usize>,
    /// The values of all leaves; conflicting ones are left out.
    pub values: Values,
    /// Keys to which leaves assign different values.
    pub conflicts: BTreeMap<Key, Vec<Detail>>,
}

impl Groups {
    /// The leaves of matching groups: those without a matching descendant.
    #[must_use]
    pub fn leaves(&self, matching: &[usize]) -> Vec<usize> {
        let mut above = vec![false; self.groups.len()];
        for group in matching {
            for ancestor in self.ancestors(*group) {
                match above.get_mut(ancestor) {
                    // The ancestors of a visited group have been visited, too.
                    Some(true) | None => break,
                    Some(noted) => *noted = true,
                }
            }
        }
        matching.iter().copied().filter(|group| above.get(*group) == Some(&false)).collect()
    }

    /// The combined values of leaves.
    #[must_use]
    pub fn outcome(&self, leaves: Vec<usize>) -> Outcome {
        let mut details: BTreeMap<&Key, Vec<(usize, &SourcedValue)>> = BTreeMap::new();
        let mut values = Values::default();
        let trumps = |leaf: &usize| self.get(*leaf).is_some_and(|group| group.environment_trumps);
        let some_trump = leaves.iter().any(trumps);
        for leaf in &leaves {
            let Some(inherited) = self.inherited(*leaf) else { continue };
            for (class, sources) in &inherited.classes {
                add_sources(values.classes.entry(class.clone()).or_default(), sources);
            }
            for (key, value) in &inherited.values {
                if *key != Key::Environment || !some_trump || trumps(leaf) {
                    details.entry(key).or_default().push((*leaf, value));
                }
            }
        }
        let mut conflicts = BTreeMap::new();
        for (key, given) in details {
            let mut all = given.iter().map(|(_, sourced)| *sourced);
            let Some(first) = all.next() else { continue };
            let mut agreed = first.clone();
            if all.all(|other| other.value == first.value) {
                given.iter().for_each(|(_, other)| add_sources(&mut agreed.sources, &other.sources));
                values.values.insert(key.clone(), agreed);
            } else {
                conflicts.insert(key.clone(), given.into_iter().map(detail).collect());
            }
        }
        Outcome { leaves, values, conflicts }
    }
}

fn detail((from, sourced): (usize, &SourcedValue)) -> Detail {
    let defined_by = sourced.sources.first().copied().unwrap_or(Source::Group(from));
    Detail { value: sourced.value.clone(), from, defined_by }
}

/// The conflicts as the service shows them: like a classification, with an array of `{value, from, defined_by}` in place of
/// each value.
#[must_use]
pub(crate) fn conflicts_document(groups: &Groups, conflicts: &BTreeMap<Key, Vec<Detail>>) -> Value {
    let details = |details: &Vec<Detail>| {
        let one = |detail: &Detail| {
            let by = match detail.defined_by {
                Source::Group(number) => groups.document(number),
                Source::Node => Value::str("node"),
            };
            object([("value", detail.value.clone()), ("from", groups.document(detail.from)), ("defined_by", by)])
        };
        Value::array(details.iter().map(one).collect())
    };
    let mut document = Hash::new();
    let mut variables = Hash::new();
    for (key, given) in conflicts {
        match key {
            Key::Environment => document.set("environment", details(given)),
            Key::Variable(name) => variables.set(name, details(given)),
            Key::Parameter(..) | Key::Data(..) => {}
        }
    }
    type Names<'a> = Option<(&'a str, &'a str)>;
    let by_class = |pick: &dyn for<'a> Fn(&'a Key) -> Names<'a>| {
        nested(conflicts.iter().filter_map(|(key, given)| pick(key).map(|(class, name)| (class, name, details(given)))))
    };
    let classes = by_class(&|key| match key {
        Key::Parameter(class, name) => Some((class, name)),
        _ => None,
    });
    let data = by_class(&|key| match key {
        Key::Data(class, name) => Some((class, name)),
        _ => None,
    });
    for (name, part) in [("variables", variables), ("classes", classes), ("config_data", data)] {
        if !part.is_empty() {
            document.set(name, Value::hash(part));
        }
    }
    Value::hash(document)
}

impl Outcome {
    /// The error of the service, if leaves conflict.
    #[must_use]
    pub fn problem(&self, groups: &Groups) -> Option<Box<Problem>> {
        if self.conflicts.is_empty() {
            return None;
        }
        let text = "The node was classified into multiple unrelated node groups that defined conflicting class \
                    parameters or top-level variables. See `details` for a list of the specific conflicts.";
        Some(Problem::new("classification-conflict", text, conflicts_document(groups, &self.conflicts)))
    }

    /// The conflicts as lines for people: the key, and which group assigns which value.
    #[must_use]
    pub fn conflict_lines(&self, groups: &Groups) -> Vec<String> {
        let name = |number: usize| groups.get(number).map_or("", |group| group.name.as_ref());
        let line = |(key, details): (&Key, &Vec<Detail>)| {
            let says = |detail: &Detail| {
                let from = name(detail.from);
                let by = match detail.defined_by {
                    Source::Group(number) if number != detail.from => format!(" (inherited from '{}')", name(number)),
                    _ => String::new(),
                };
                format!("{} from '{from}'{by}", catwalk_value::json::to_json(&detail.value))
            };
            format!("{}: {}", key.to_display_string(), details.iter().map(says).collect::<Vec<_>>().join(", "))
        };
        self.conflicts.iter().map(line).collect()
    }
}

impl Key {
    /// The key as people write it: `environment`, `$tier`, `ntp[servers]`.
    #[must_use]
    pub fn to_display_string(&self) -> String {
        match self {
            Key::Environment => "environment".to_owned(),
            Key::Variable(name) => format!("${name}"),
            Key::Parameter(class, name) => format!("{class}[{name}]"),
            Key::Data(class, name) => format!("data {class}::{name}"),
        }
    }
}

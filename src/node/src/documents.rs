//! The documents of a classifier service for any chain of classifiers: what it answers to `POST /v1/classified/nodes/NAME` and
//! `POST /v1/classified/nodes/NAME/explanation`.
//!
//! In: a chain, a node. Out: `classified`, `explanation`, or the service's error document. Must not: read files, know HTTP.
//!
//! Node groups explain themselves. Other classifiers have no groups: the explanation names them with what they assign, in the additional
//! key `classifiers_without_groups`.

use std::sync::Arc;

use crate::classify::Classification;
use crate::classify::Request;
use crate::terminus::Chain;
use crate::terminus::Link;
use catwalk_base::diag::Diagnostic;
use catwalk_classifier::Groups;
use catwalk_classifier::NodeClassification;
use catwalk_classifier::Problem;
use catwalk_classifier::Subject;
use catwalk_classifier::group::AGENT_SPECIFIED;
use catwalk_classifier::problem::object;
use catwalk_classifier::values::CLASS_SOURCES;
use catwalk_classifier::values::nested;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_world::World;

/// The parts of a classification, and how deeply each is merged: by variable, by parameter of a class.
const PARTS: [(&str, usize); 4] = [("environment", 0), ("variables", 1), ("classes", 2), ("config_data", 2)];

/// Node groups of a chain, and what they say about a node.
pub struct GroupsResult {
    /// The groups.
    pub groups: Arc<Groups>,
    /// The groups that the node is in.
    pub classified: NodeClassification,
}

/// What a classifier of a chain says about a node.
enum LinkResult {
    Groups(GroupsResult),
    /// A classifier without groups: its name and what it assigns.
    Other(Arc<str>, Hash),
}

/// The classification of a node by all classifiers of a chain.
#[derive(Default)]
pub struct Classified {
    /// In the order of the chain: values of later ones win.
    links: Vec<LinkResult>,
    /// The messages of scripts.
    pub logs: Vec<Diagnostic>,
}

impl Chain<'_> {
    /// Asks all classifiers about a node. Groups that conflict are no error, but assign nothing. `environment` is the one that the node
    /// requests.
    ///
    /// # Errors
    /// A classifier fails.
    pub fn classify_for_documents(
        &self,
        node: &Subject,
        environment: &Arc<str>,
        world: &dyn World,
    ) -> Result<Classified, Box<Diagnostic>> {
        let mut all = Classified::default();
        let request = Request {
            certname: Arc::from(node.name()),
            environment: environment.clone(),
            facts: node.facts(),
            trusted: node.trusted(),
        };
        for (name, link) in &self.links {
            all.links.push(match link {
                Link::Groups(terminus) => {
                    let (groups, classified) = terminus.classify_subject(node, world)?;
                    all.logs.extend(node.take_logs());
                    LinkResult::Groups(GroupsResult { groups, classified })
                }
                Link::Other(classifier) => {
                    let mut classification = classifier.classify(&request, world)?;
                    all.logs.append(&mut classification.warnings);
                    LinkResult::Other(name.clone(), document(&classification))
                }
            });
        }
        Ok(all)
    }
}

impl LinkResult {
    /// What it assigns: `environment`, `variables`, `classes`, `config_data`. `None`: groups conflict.
    fn assigned(&self) -> Option<Value> {
        match self {
            LinkResult::Groups(result) => result.classified.values.as_ref().map(|values| values.document()),
            LinkResult::Other(_, assigned) => Some(Value::hash(assigned.clone())),
        }
    }

    /// What it assigns, with `{value, sources}` in place of each value.
    fn annotated(&self) -> Option<Value> {
        match self {
            LinkResult::Groups(GroupsResult { groups, classified }) => {
                let values = classified.values.as_ref()?;
                Some(values.annotated_document(&|source| groups.source(source)))
            }
            LinkResult::Other(name, assigned) => Some(annotated(assigned, name)),
        }
    }

    /// Whether it leaves the environment to the node's agent.
    fn leaves_environment(&self) -> bool {
        let environment = match self {
            LinkResult::Groups(result) => result.classified.values.as_ref().and_then(|values| values.environment()),
            LinkResult::Other(..) => None,
        };
        environment == Some(AGENT_SPECIFIED)
    }
}

impl Classified {
    /// The results of node groups, in the order of the chain.
    pub fn groups(&self) -> impl Iterator<Item = &GroupsResult> {
        self.links.iter().filter_map(|link| if let LinkResult::Groups(result) = link { Some(result) } else { None })
    }

    /// Merges a document of each classifier; values of later ones win.
    fn merged(&self, part_of: impl Fn(&LinkResult) -> Option<Value>) -> Hash {
        let mut all = Hash::new();
        for link in &self.links {
            let Some(Value::Hash(document)) = part_of(link) else { continue };
            for (part, depth) in PARTS {
                let is_kept = part == "environment" && link.leaves_environment() && all.get(part).is_some();
                if !is_kept {
                    merge_part(&mut all, &document, part, depth);
                }
            }
        }
        all
    }

    /// Whether node groups assign the node different values.
    #[must_use]
    pub fn has_conflicts(&self) -> bool {
        self.groups().any(|result| result.classified.values.is_none())
    }

    /// The values that all classifiers assign, each as `{value, sources}`: `environment`, `variables`, `classes`, `config_data`. `None`:
    /// groups conflict.
    #[must_use]
    pub fn annotated(&self) -> Option<Hash> {
        (!self.has_conflicts()).then(|| self.merged(LinkResult::annotated))
    }

    /// The answer of `POST /v1/classified/nodes/NAME`. Without an environment of its own, a node has that which its agent requests.
    ///
    /// # Errors
    /// `classification-conflict` if groups conflict.
    pub fn classified(&self, name: &str) -> Result<Value, Box<Problem>> {
        let problem = |result: &GroupsResult| result.classified.outcome.problem(&result.groups);
        if let Some(problem) = self.groups().find_map(problem) {
            return Err(problem);
        }
        let assigned = self.merged(LinkResult::assigned);
        let groups = self.groups().flat_map(|result| {
            let id = |number: &usize| Some(Value::from(result.groups.get(*number)?.id.clone()));
            result.classified.matching.iter().filter_map(id)
        });
        let part = |name: &str| assigned.get(name).cloned().unwrap_or_else(|| Value::hash(Hash::new()));
        let environment = assigned.get("environment").cloned();
        let mut document = Hash::new();
        document.set("name", Value::str(name));
        document.set("groups", Value::array(groups.collect()));
        document.set("environment", environment.unwrap_or_else(|| Value::str(AGENT_SPECIFIED)));
        document.set("parameters", part("variables"));
        document.set("classes", part("classes"));
        if let Some(data) = assigned.get("config_data") {
            document.set("config_data", data.clone());
        }
        Ok(Value::hash(document))
    }

    /// The answer of `POST /v1/classified/nodes/NAME/explanation`. With `all` also `near_misses`: the groups that the node is not in.
    ///
    /// # Errors
    /// A rule in code fails.
    pub fn explanation(&self, node: &Subject, all: bool, world: &dyn World) -> Result<Value, Box<Diagnostic>> {
        let mut parts = Hash::new();
        for GroupsResult { groups, classified } in self.groups() {
            let Value::Hash(explained) = groups.explanation(node, classified, all, world)? else { continue };
            for part in ["match_explanations", "leaf_groups", "inherited_classifications", "near_misses"] {
                merge_part(&mut parts, &explained, part, 1);
            }
            for whole in ["conflicts", "individual_classification"] {
                let Some(Value::Hash(found)) = explained.get(whole) else { continue };
                let mut merged = match parts.get(whole) {
                    Some(Value::Hash(merged)) => merged.as_ref().clone(),
                    _ => Hash::new(),
                };
                PARTS.into_iter().for_each(|(part, depth)| merge_part(&mut merged, found, part, depth));
                parts.set(whole, Value::hash(merged));
            }
        }
        let taken = |name: &str| parts.get(name).cloned();
        let part = |name: &str| taken(name).unwrap_or_else(|| Value::hash(Hash::new()));
        let mut document = Hash::new();
        document.set("node_as_received", node.document());
        for name in ["match_explanations", "leaf_groups", "inherited_classifications"] {
            document.set(name, part(name));
        }
        if let Some(conflicts) = taken("conflicts") {
            document.set("conflicts", conflicts);
        }
        document.set("individual_classification", part("individual_classification"));
        if let Some(annotated) = self.annotated() {
            document.set("final_classification", complete(&self.merged(LinkResult::assigned)));
            document.set("classification_sources", complete(&annotated));
        }
        let other = |link: &LinkResult| match link {
            LinkResult::Other(name, assigned) => {
                Some(object([("classifier", Value::from(name.clone())), ("classification", complete(assigned))]))
            }
            LinkResult::Groups(_) => None,
        };
        let others: Vec<Value> = self.links.iter().filter_map(other).collect();
        if !others.is_empty() {
            document.set("classifiers_without_groups", Value::array(others));
        }
        if let Some(misses) = taken("near_misses") {
            document.set("near_misses", misses);
        }
        Ok(Value::hash(document))
    }
}

/// A classification with the members that it always has, in their order.
fn complete(assigned: &Hash) -> Value {
    let mut document = Hash::new();
    for (part, _) in PARTS {
        match assigned.get(part) {
            Some(value) => document.set(part, value.clone()),
            None if matches!(part, "variables" | "classes") => document.set(part, Value::hash(Hash::new())),
            None => {}
        }
    }
    Value::hash(document)
}

/// Merges a member of a document into that of another: hashes key by key, down to `depth` levels; below that, values are replaced.
fn merge_part(under: &mut Hash, over: &Hash, part: &str, depth: usize) {
    let Some(value) = over.get(part) else { return };
    let merged = match under.get(part) {
        Some(earlier) => merged(earlier, value, depth),
        None => value.clone(),
    };
    under.set(part, merged);
}

fn merged(under: &Value, over: &Value, depth: usize) -> Value {
    let (Value::Hash(under), Value::Hash(over), 1..) = (under, over, depth) else { return over.clone() };
    let mut all = under.as_ref().clone();
    for (key, value) in over.iter() {
        let value = match (all.get_value(key), key.as_str()) {
            (Some(Value::Array(earlier)), Some(CLASS_SOURCES)) => united(earlier, value),
            (Some(earlier), _) => merged(earlier, value, depth - 1),
            (None, _) => value.clone(),
        };
        all.insert(key.clone(), value);
    }
    Value::hash(all)
}

/// The sources of a class that several classifiers assign.
fn united(earlier: &[Value], later: &Value) -> Value {
    let mut all = earlier.to_vec();
    if let Value::Array(later) = later {
        all.extend(later.iter().filter(|source| !earlier.contains(source)).cloned());
    }
    Value::array(all)
}

/// The document of a classification.
fn document(classification: &Classification) -> Hash {
    let mut document = Hash::new();
    if let Some(environment) = &classification.environment {
        document.set("environment", Value::from(environment.clone()));
    }
    let named = |(name, value): (&Arc<str>, &Value)| (Value::from(name.clone()), value.clone());
    document.set("variables", Value::hash(classification.parameters.iter().map(named).collect()));
    let class = |(name, parameters): (&Arc<str>, &Option<Arc<Hash>>)| {
        (Value::from(name.clone()), Value::Hash(parameters.clone().unwrap_or_default()))
    };
    document.set("classes", Value::hash(classification.classes.iter().map(class).collect()));
    let data = nested(classification.data.iter().filter_map(|(key, value)| {
        let (class, name) = key.rsplit_once("::")?;
        Some((class, name, value.clone()))
    }));
    if !data.is_empty() {
        document.set("config_data", Value::hash(data));
    }
    document
}

/// A classification with `{value, sources}` in place of each value; the source of all is the classifier `name`.
fn annotated(assigned: &Hash, name: &Arc<str>) -> Value {
    let sources = || Value::array(vec![Value::from(name.clone())]);
    let annotate = |value: &Value| object([("value", value.clone()), ("sources", sources())]);
    let mut document = Hash::new();
    for (part, depth) in PARTS {
        let annotated = match (assigned.get(part), depth) {
            (Some(Value::Hash(entries)), 1) => {
                Value::hash(entries.iter().map(|(key, value)| (key.clone(), annotate(value))).collect())
            }
            (Some(Value::Hash(entries)), _) => {
                let class = |(class, parameters): (&Value, &Value)| {
                    let mut annotated = Hash::new();
                    if part == "classes" {
                        annotated.set(CLASS_SOURCES, sources());
                    }
                    if let Value::Hash(parameters) = parameters {
                        parameters.iter().for_each(|(key, value)| drop(annotated.insert(key.clone(), annotate(value))));
                    }
                    (class.clone(), Value::hash(annotated))
                };
                Value::hash(entries.iter().map(class).collect())
            }
            (Some(value), _) => annotate(value),
            (None, _) => continue,
        };
        document.set(part, annotated);
    }
    Value::hash(document)
}

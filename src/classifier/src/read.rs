//! Groups from documents: the list of `/v1/groups`, a hierarchy with `children`, or both with nodes' own classifications.
//!
//! In: a document. Out: [`Drafts`], or the service's error document. Must not: know files.

use std::path::Path;
use std::sync::Arc;

use crate::group;
use crate::group::DEFAULT_ENVIRONMENT;
use crate::group::DefinitionLocation;
use crate::group::Draft;
use crate::group::ROOT_ID;
use crate::group::ROOT_NAME;
use crate::problem::Problem;
use crate::problem::object;
use crate::values::Source;
use crate::values::Values;
use crate::values::entries;
use catwalk_value::Hash;
use catwalk_value::Value;

/// Deepest hierarchy of groups.
const MAX_DEPTH: usize = 64;

/// Groups as they were read, and nodes' own classifications.
#[derive(Clone, Debug, Default)]
pub struct Drafts {
    /// The groups in the order of the document.
    pub groups: Vec<Draft>,
    /// Nodes' own classifications, applied after all groups.
    pub nodes: Vec<(Arc<str>, Values)>,
}

impl Drafts {
    /// Reads a document:
    ///
    /// * an array of group objects, as `GET /v1/groups` returns it,
    /// * a group object with `children`, nested,
    /// * `{"groups": either, "nodes": {name: {"classes", "variables", "config_data"}}}`.
    ///
    /// An id may be left out, `parent` may be a name; without a parent, a group is a child of the root.
    ///
    /// # Errors
    /// Returns `malformed-request`, `schema-violation` or `malformed-uuid`.
    pub fn read(document: &Value) -> Result<Drafts, Box<Problem>> {
        let (groups, nodes) = match document {
            Value::Hash(hash) if hash.get("groups").is_some() => (hash.get("groups"), hash.get("nodes")),
            other => (Some(other), None),
        };
        let mut flat = Vec::new();
        let top: &[Arc<str>] = if nodes.is_some() || is_member(document) { &[Arc::from("groups")] } else { &[] };
        match groups {
            Some(Value::Array(items)) => {
                for (number, item) in items.iter().enumerate() {
                    flatten(item, None, &mut flat, &below(top, [&*number.to_string()]))?;
                }
            }
            Some(one @ Value::Hash(_)) => flatten(one, None, &mut flat, top)?,
            _ => {
                return Err(malformed_request(
                    "groups must be an array of group objects, or one with children",
                    document,
                ));
            }
        }
        check(&flat)?;
        let groups = flat.into_iter().map(draft).collect::<Result<_, _>>()?;
        Ok(Drafts { groups, nodes: node_values(nodes)? })
    }

    /// A group that code declares: like a group of a document, but `classes` may be missing, and its rule may be code.
    ///
    /// # Errors
    ///
    /// As [`Drafts::read`].
    pub fn declare(
        &mut self,
        mut group: Hash,
        script: Option<Arc<dyn crate::rule::ScriptRule>>,
        location: DefinitionLocation,
    ) -> Result<(), Box<Problem>> {
        if group.get("classes").is_none() {
            group.set("classes", Value::hash(Hash::new()));
        }
        let flat = FlatGroup { group: Arc::new(group), parent: None, keys: Vec::new() };
        check(std::slice::from_ref(&flat))?;
        let mut draft = draft(flat)?;
        draft.script = script;
        draft.location = Some(location);
        self.groups.push(draft);
        Ok(())
    }

    /// Records the document from which the groups were read.
    #[must_use]
    pub fn with_file(mut self, path: &Path) -> Drafts {
        let path: Arc<Path> = Arc::from(path);
        for draft in &mut self.groups {
            if let Some(DefinitionLocation::Value { file, .. }) = &mut draft.location {
                *file = path.clone();
            }
        }
        self
    }

    /// Adds other groups and nodes.
    pub fn extend(&mut self, other: Drafts) {
        self.groups.extend(other.groups);
        self.nodes.extend(other.nodes);
    }
}

/// A group object of a document.
struct FlatGroup {
    group: Arc<Hash>,
    /// The id or name of its parent.
    parent: Option<Arc<str>>,
    /// The keys that lead to it.
    keys: Vec<Arc<str>>,
}

/// Whether the groups are a member of the document.
fn is_member(document: &Value) -> bool {
    matches!(document, Value::Hash(hash) if hash.get("groups").is_some())
}

fn below<'a>(keys: &[Arc<str>], further: impl IntoIterator<Item = &'a str>) -> Vec<Arc<str>> {
    keys.iter().cloned().chain(further.into_iter().map(Arc::from)).collect()
}

fn malformed_request(why: &str, body: &Value) -> Box<Problem> {
    let details = object([("body", body.clone()), ("error", Value::str(why))]);
    Problem::new("malformed-request", format!("The groups could not be read: {why}."), details)
}

fn flatten(
    group: &Value,
    parent: Option<&Arc<str>>,
    flat: &mut Vec<FlatGroup>,
    keys: &[Arc<str>],
) -> Result<(), Box<Problem>> {
    let Value::Hash(hash) = group else { return Err(malformed_request("a group must be an object", group)) };
    // Each level has two keys: `children` and a number.
    if keys.len() / 2 > MAX_DEPTH {
        return Err(malformed_request("groups are nested deeper than 64 levels", &Value::Undef));
    }
    flat.push(FlatGroup { group: hash.clone(), parent: parent.cloned(), keys: keys.to_vec() });
    let children = match hash.get("children") {
        None | Some(Value::Undef) => return Ok(()),
        Some(Value::Array(children)) => children,
        Some(_) => return Err(malformed_request("children of a group must be an array", group)),
    };
    let id_or_name = hash.get("id").or_else(|| hash.get("name")).and_then(Value::as_str).map(Arc::from);
    let mut numbered = children.iter().enumerate();
    numbered.try_for_each(|(number, child)| {
        flatten(child, id_or_name.as_ref(), flat, &below(keys, ["children", &*number.to_string()]))
    })
}

/// Checks all groups and reports all violations in one error: `submitted` and `error` are parallel.
fn check(flat: &[FlatGroup]) -> Result<(), Box<Problem>> {
    let mut submitted = Vec::new();
    let mut errors = Vec::new();
    let mut sentence = String::new();
    for FlatGroup { group, .. } in flat {
        let wrong = group::violations(group);
        if let Some((at, what)) = wrong.first() {
            if sentence.is_empty() {
                let name = group.get("name").and_then(Value::as_str).unwrap_or("without a name");
                sentence = format!("group '{name}', {at}: {what}");
            }
            submitted.push(Value::Hash(group.clone()));
            errors.push(pointers(wrong));
        }
    }
    if submitted.is_empty() { Ok(()) } else { Err(violation(submitted, errors, &sentence)) }
}

fn pointers(wrong: Vec<(String, String)>) -> Value {
    Value::hash(wrong.into_iter().map(|(at, what)| (Value::from(at), Value::from(what))).collect())
}

fn violation(submitted: Vec<Value>, errors: Vec<Value>, sentence: &str) -> Box<Problem> {
    let text = "The object(s) in your submitted request did not conform to the schema. The problem is:";
    let details =
        object([("submitted", Value::array(submitted)), ("schema", group::schema()), ("error", Value::array(errors))]);
    Problem::new("schema-violation", format!("{text} {sentence}"), details)
}

/// A checked group whose id and parent are completed.
fn draft(FlatGroup { group, parent: parent_group, keys }: FlatGroup) -> Result<Draft, Box<Problem>> {
    let string = |key: &str| group.get(key).and_then(Value::as_str);
    let name = string("name").unwrap_or_default();
    let id: Arc<str> = match string("id") {
        Some(id) if group::is_uuid(id) => Arc::from(id.to_ascii_lowercase()),
        Some(id) => {
            let message = format!("The id of group '{name}' is not a valid UUID: '{id}'.");
            return Err(Problem::new("malformed-uuid", message, Value::str(id)));
        }
        None if name == ROOT_NAME => Arc::from(ROOT_ID),
        None => group::derived_id(string("environment").unwrap_or(DEFAULT_ENVIRONMENT), name),
    };
    let parent = match string("parent") {
        Some(parent) if group::is_uuid(parent) => Arc::from(parent.to_ascii_lowercase()),
        Some(parent) => Arc::from(parent),
        None => parent_group.unwrap_or_else(|| Arc::from(ROOT_ID)),
    };
    let mut document = Arc::unwrap_or_clone(group);
    document.set("id", Value::from(id));
    let location = Some(DefinitionLocation::Value { file: Arc::from(Path::new("")), keys });
    Ok(Draft { document: Arc::new(document), parent, script: None, location })
}

/// The classifications that are set for single nodes.
fn node_values(nodes: Option<&Value>) -> Result<Vec<(Arc<str>, Values)>, Box<Problem>> {
    match nodes {
        None | Some(Value::Undef | Value::Hash(_)) => {}
        Some(other) => return Err(malformed_request("nodes must be an object of classifications by name", other)),
    }
    let mut values = Vec::new();
    for (name, members) in entries(nodes) {
        let Value::Hash(members) = members else {
            return Err(malformed_request("the classification of a node must be an object", members));
        };
        let mut wrong = group::value_violations(members);
        if !matches!(members.get("environment"), None | Some(Value::Undef | Value::Str(_))) {
            wrong.push(("/environment".to_owned(), "must be a string".to_owned()));
        }
        if let Some((at, what)) = wrong.first() {
            let sentence = format!("node '{name}', {at}: {what}");
            return Err(violation(vec![Value::Hash(members.clone())], vec![pointers(wrong)], &sentence));
        }
        values.push((name, Values::read(members, Source::Node)));
    }
    Ok(values)
}

//! Groups from documents: the list of `/v1/groups`, a hierarchy with `children`, or both with nodes' own classifications.
//!
//! In: a document. Out: [`Drafts`], or the service's error document. Must not: know files.

use std::sync::Arc;

use crate::group;
use crate::group::DEFAULT_ENVIRONMENT;
use crate::group::Draft;
use crate::group::ROOT_ID;
use crate::group::ROOT_NAME;
use crate::problem::Problem;
use crate::problem::object;
use crate::values::Source;
use crate::values::Values;
use crate::values::entries;
use catwalk_value::value::Hash;
use catwalk_value::value::Value;

/// Deepest hierarchy of groups.
const MAX_DEPTH: usize = 64;

/// Groups as they were read, and nodes' own classifications.
#[derive(Clone, Debug, Default)]
pub struct Drafts {
    /// The groups in the order of the document.
    pub groups: Vec<Draft>,
    /// By node: what is applied after all groups.
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
    /// `malformed-request`, `schema-violation`, `malformed-uuid`.
    pub fn read(document: &Value) -> Result<Drafts, Box<Problem>> {
        let (groups, nodes) = match document {
            Value::Hash(hash) if hash.get("groups").is_some() => (hash.get("groups"), hash.get("nodes")),
            other => (Some(other), None),
        };
        let mut flat = Vec::new();
        match groups {
            Some(Value::Array(items)) => {
                for item in items.iter() {
                    flatten(item, None, &mut flat, 0)?;
                }
            }
            Some(one @ Value::Hash(_)) => flatten(one, None, &mut flat, 0)?,
            _ => return Err(malformed("groups must be an array of group objects, or one with children", document)),
        }
        check(&flat)?;
        let groups = flat.into_iter().map(draft).collect::<Result<_, _>>()?;
        Ok(Drafts { groups, nodes: own(nodes)? })
    }

    /// A group that code declares: like one of a document, but `classes` may be missing, and its rule may be code.
    ///
    /// # Errors
    /// As [`Drafts::read`].
    pub fn declare(
        &mut self,
        mut group: Hash,
        script: Option<Arc<dyn crate::rule::ScriptRule>>,
    ) -> Result<(), Box<Problem>> {
        if group.get("classes").is_none() {
            group.set("classes", Value::hash(Hash::new()));
        }
        let flat = (Arc::new(group), None);
        check(std::slice::from_ref(&flat))?;
        let mut draft = draft(flat)?;
        draft.script = script;
        self.groups.push(draft);
        Ok(())
    }

    /// Adds other groups and nodes.
    pub fn extend(&mut self, other: Drafts) {
        self.groups.extend(other.groups);
        self.nodes.extend(other.nodes);
    }
}

/// A group object with the id or name of its parent.
type FlatGroup = (Arc<Hash>, Option<Arc<str>>);

fn malformed(why: &str, body: &Value) -> Box<Problem> {
    let details = object([("body", body.clone()), ("error", Value::str(why))]);
    Problem::new("malformed-request", format!("The groups could not be read: {why}."), details)
}

fn flatten(
    group: &Value,
    parent: Option<&Arc<str>>,
    flat: &mut Vec<FlatGroup>,
    depth: usize,
) -> Result<(), Box<Problem>> {
    let Value::Hash(hash) = group else { return Err(malformed("a group must be an object", group)) };
    if depth > MAX_DEPTH {
        return Err(malformed("groups are nested deeper than 64 levels", &Value::Undef));
    }
    flat.push((hash.clone(), parent.cloned()));
    let children = match hash.get("children") {
        None | Some(Value::Undef) => return Ok(()),
        Some(Value::Array(children)) => children,
        Some(_) => return Err(malformed("children of a group must be an array", group)),
    };
    let own = hash.get("id").or_else(|| hash.get("name")).and_then(Value::as_str).map(Arc::from);
    children.iter().try_for_each(|child| flatten(child, own.as_ref(), flat, depth + 1))
}

/// All groups that do not conform, in one error: `submitted` and `error` are parallel.
fn check(flat: &[FlatGroup]) -> Result<(), Box<Problem>> {
    let mut submitted = Vec::new();
    let mut errors = Vec::new();
    let mut sentence = String::new();
    for (group, _) in flat {
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

/// A checked group with an id and a parent.
fn draft((group, above): FlatGroup) -> Result<Draft, Box<Problem>> {
    let text = |key: &str| group.get(key).and_then(Value::as_str);
    let name = text("name").unwrap_or_default();
    let id: Arc<str> = match text("id") {
        Some(id) if group::is_uuid(id) => Arc::from(id.to_ascii_lowercase()),
        Some(id) => {
            let message = format!("The id of group '{name}' is not a valid UUID: '{id}'.");
            return Err(Problem::new("malformed-uuid", message, Value::str(id)));
        }
        None if name == ROOT_NAME => Arc::from(ROOT_ID),
        None => group::made_up_id(text("environment").unwrap_or(DEFAULT_ENVIRONMENT), name),
    };
    let parent = match text("parent") {
        Some(parent) if group::is_uuid(parent) => Arc::from(parent.to_ascii_lowercase()),
        Some(parent) => Arc::from(parent),
        None => above.unwrap_or_else(|| Arc::from(ROOT_ID)),
    };
    let mut document = Arc::unwrap_or_clone(group);
    document.set("id", Value::from(id));
    Ok(Draft { document: Arc::new(document), parent, script: None })
}

/// Nodes' own classifications.
fn own(nodes: Option<&Value>) -> Result<Vec<(Arc<str>, Values)>, Box<Problem>> {
    match nodes {
        None | Some(Value::Undef | Value::Hash(_)) => {}
        Some(other) => return Err(malformed("nodes must be an object of classifications by name", other)),
    }
    let mut own = Vec::new();
    for (name, members) in entries(nodes) {
        let Value::Hash(members) = members else {
            return Err(malformed("the classification of a node must be an object", members));
        };
        let mut wrong = group::value_violations(members);
        if !matches!(members.get("environment"), None | Some(Value::Undef | Value::Str(_))) {
            wrong.push(("/environment".to_owned(), "must be text".to_owned()));
        }
        if let Some((at, what)) = wrong.first() {
            let sentence = format!("node '{name}', {at}: {what}");
            return Err(violation(vec![Value::Hash(members.clone())], vec![pointers(wrong)], &sentence));
        }
        own.push((name, Values::read(members, Source::Node)));
    }
    Ok(own)
}

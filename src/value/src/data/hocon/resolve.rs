//! Resolves the substitutions of a HOCON text.
//!
//! In: the tree of a text, and a function that knows the environment's variables. Out: a value. Must not: read files.

use super::node::Fields;
use super::node::Node;
use super::node::finish;
use super::node::merge;
use crate::data::hocon::HoconError;
use crate::value::Hash;
use crate::value::Value;

/// Resolves the substitutions of one text.
pub(super) struct Resolver<'t> {
    pub(super) root: &'t Fields,
    pub(super) origin: &'t str,
    pub(super) env: &'t dyn Fn(&str) -> Option<String>,
    /// The paths of the substitutions in progress, with their lines.
    active: Vec<(Vec<String>, usize)>,
    /// The fields being resolved, with their earlier values.
    fields: Vec<(Vec<String>, Option<&'t Node>)>,
    steps: u32,
}

/// The highest number of steps: a few lines can require billions.
const MAX_STEPS: u32 = 200_000;
/// The longest chain of substitutions.
const MAX_DEPTH: usize = 100;

fn display_path(path: &[String]) -> String {
    let plain = |part: &String| {
        let plain = !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '_');
        if plain { part.clone() } else { format!("{part:?}") }
    };
    format!("${{{}}}", path.iter().map(plain).collect::<Vec<_>>().join("."))
}

impl<'t> Resolver<'t> {
    pub(super) fn new(root: &'t Fields, origin: &'t str, env: &'t dyn Fn(&str) -> Option<String>) -> Self {
        Resolver { root, origin, env, active: Vec::new(), fields: Vec::new(), steps: 0 }
    }

    fn fail<T>(&self, line: usize, text: &str) -> Result<T, HoconError> {
        Err(HoconError::at(self.origin, (line, 1), text))
    }

    /// The value of the object at `path`.
    pub(super) fn resolve_object(&mut self, fields: &'t Fields, path: &[String]) -> Result<Value, HoconError> {
        let mut hash = Hash::with_capacity(fields.len());
        for (key, node) in fields.sorted() {
            let mut field_path = path.to_vec();
            field_path.push(key.clone());
            if let Some(value) = self.resolve_field(node, field_path, None)? {
                hash.set(key.as_str(), finish(value));
            }
        }
        Ok(Value::hash(hash))
    }

    fn resolve_field(
        &mut self,
        node: &'t Node,
        path: Vec<String>,
        before: Option<&'t Node>,
    ) -> Result<Option<Node>, HoconError> {
        self.fields.push((path, before));
        let result = self.resolve_node(node);
        self.fields.pop();
        result
    }

    /// The node with its substitutions resolved: a word, a list or a value. `None` for an optional substitution without a value.
    fn resolve_node(&mut self, node: &'t Node) -> Result<Option<Node>, HoconError> {
        self.steps += 1;
        if self.steps > MAX_STEPS || self.fields.len() > MAX_DEPTH {
            let message = "not supported yet: substitutions that take too many steps in HOCON".to_owned();
            return Err(HoconError { message, origin: self.origin.to_owned(), position: (1, 1) });
        }
        let path = || self.fields.last().map(|(path, _)| path.clone()).unwrap_or_default();
        Ok(Some(match node {
            Node::Word(_) | Node::Done(_) => node.clone(),
            Node::List(items) => {
                let mut out = Vec::with_capacity(items.len());
                for item in items {
                    out.extend(self.resolve_node(item)?.map(finish));
                }
                Node::Done(Value::array(out))
            }
            Node::Object(fields) => {
                let path = path();
                Node::Done(self.resolve_object(fields, &path)?)
            }
            Node::Substitution { path, optional, line } => return self.resolve_substitution(path, *optional, *line),
            Node::Joined(pieces, line) => return self.resolve_pieces(pieces, *line),
            Node::Override(old, new) => {
                let path = path();
                let Some(new) = self.resolve_field(new, path.clone(), Some(old.as_ref()))? else {
                    return self.resolve_field(old, path, None);
                };
                match new {
                    Node::Done(new @ Value::Hash(_)) => match self.resolve_field(old, path, None)? {
                        Some(Node::Done(old @ Value::Hash(_))) => Node::Done(merge(&old, new)),
                        _ => Node::Done(new),
                    },
                    other => other,
                }
            }
        }))
    }

    fn resolve_pieces(&mut self, pieces: &'t [(String, Node)], line: usize) -> Result<Option<Node>, HoconError> {
        let mut resolved = Vec::with_capacity(pieces.len());
        let mut blanks = String::new();
        for (gap, piece) in pieces {
            blanks.push_str(gap);
            if let Some(piece) = self.resolve_node(piece)? {
                resolved.push((std::mem::take(&mut blanks), piece));
            }
        }
        let is_list = |node: &Node| matches!(node, Node::Done(Value::Array(_)));
        let is_object = |node: &Node| matches!(node, Node::Done(Value::Hash(_)));
        if resolved.is_empty() {
            return Ok(None);
        }
        if resolved.len() == 1 && resolved.iter().all(|(_, piece)| is_list(piece) || is_object(piece)) {
            return Ok(resolved.pop().map(|(_, piece)| piece));
        }
        if resolved.iter().all(|(_, piece)| is_object(piece)) {
            let all = resolved.into_iter().map(|(_, piece)| finish(piece));
            return Ok(all.reduce(|old, new| merge(&old, new)).map(Node::Done));
        }
        if resolved.iter().all(|(_, piece)| is_list(piece)) {
            let items = resolved.into_iter().flat_map(|(_, piece)| match piece {
                Node::Done(Value::Array(items)) => items.to_vec(),
                _ => Vec::new(),
            });
            return Ok(Some(Node::Done(Value::array(items.collect()))));
        }
        if resolved.iter().any(|(_, piece)| is_list(piece) || is_object(piece)) {
            let text = "Cannot concatenate object or list with a non-object-or-list";
            return self.fail(line, text);
        }
        let mut text = String::new();
        for (gap, piece) in resolved {
            text.push_str(&gap);
            match piece {
                Node::Word(word) => text.push_str(&word),
                Node::Done(Value::Undef) => text.push_str("null"),
                other => text.push_str(&crate::value::to_puppet_string(&finish(other))),
            }
        }
        Ok(Some(Node::Done(Value::from(text))))
    }

    fn resolve_substitution(
        &mut self,
        path: &'t [String],
        optional: bool,
        line: usize,
    ) -> Result<Option<Node>, HoconError> {
        // A field that refers to itself refers to its earlier value.
        if let Some((_, before)) = self.fields.last().filter(|(field, _)| field == path) {
            return match *before {
                Some(before) => self.resolve_field(before, path.to_vec(), None),
                None if optional => Ok(None),
                None => {
                    let name = display_path(path);
                    let text = format!(
                        "Could not resolve substitution to a value: {name} was part of a cycle of substitutions involving {name}, {name}"
                    );
                    self.fail(line, &text)
                }
            };
        }
        if self.active.iter().any(|(active, _)| active == path) {
            if optional {
                return Ok(None);
            }
            let mut names: Vec<String> = self.active.iter().map(|(active, _)| display_path(active)).collect();
            names.push(display_path(path));
            let (last, line) = self.active.last().map(|(last, line)| (display_path(last), *line)).unwrap_or_default();
            let text = format!(
                "Could not resolve substitution to a value: {last} was part of a cycle of substitutions involving {}",
                names.join(", ")
            );
            return self.fail(line, &text);
        }
        self.active.push((path.to_vec(), line));
        let node = self.resolve_path(path);
        self.active.pop();
        if let Some(node) = node? {
            return Ok(Some(node));
        }
        if let Some(text) = (self.env)(&path.join(".")) {
            return Ok(Some(Node::Done(Value::from(text))));
        }
        if optional {
            return Ok(None);
        }
        self.fail(line, &format!("Could not resolve substitution to a value: {}", display_path(path)))
    }

    /// The node at a path from the root.
    fn resolve_path(&mut self, path: &[String]) -> Result<Option<Node>, HoconError> {
        let mut fields = self.root;
        for (at, key) in path.iter().enumerate() {
            let Some(node) = fields.get(key) else { return Ok(None) };
            let rest = path.get(at + 1..).unwrap_or_default();
            let node_path = path.get(..=at).unwrap_or_default().to_vec();
            if rest.is_empty() {
                return self.resolve_field(node, node_path, None);
            }
            match node {
                Node::Object(inner) => fields = inner,
                other => {
                    let Some(Node::Done(mut value)) = self.resolve_field(other, node_path, None)? else {
                        return Ok(None);
                    };
                    for key in rest {
                        let Value::Hash(hash) = &value else { return Ok(None) };
                        let Some(inner) = hash.get(key) else { return Ok(None) };
                        value = inner.clone();
                    }
                    return Ok(Some(Node::Done(value)));
                }
            }
        }
        Ok(None)
    }
}

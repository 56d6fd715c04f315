//! The tree of a HOCON text, with unresolved substitutions.
//!
//! In: the output of the parser. Out: fields and pieces, joined as far as possible without resolving anything.

use super::fields;
use crate::value::Hash;
use crate::value::Value;
use crate::value::number::parse_number;

/// A node of the tree, with unresolved substitutions.
#[derive(Clone, Debug)]
pub(super) enum Node {
    /// A word as it was written: a number keeps its digits if it becomes part of a string.
    Word(String),
    /// A finished value.
    Done(Value),
    List(Vec<Node>),
    Object(Fields),
    Substitution {
        path: Vec<String>,
        optional: bool,
        line: usize,
    },
    /// Pieces one after the other, each with the blanks before it.
    Joined(Vec<(String, Node)>, usize),
    /// A field that was set again: its earlier value, and the added one.
    Override(Box<Node>, Box<Node>),
}

/// The fields of an object.
pub(super) type Fields = fields::Fields<Node>;

impl Node {
    /// Whether the node contains a substitution.
    pub(super) fn is_open(&self) -> bool {
        match self {
            Node::Word(_) | Node::Done(_) => false,
            Node::List(items) => items.iter().any(Node::is_open),
            Node::Object(fields) => fields.values().any(Node::is_open),
            Node::Joined(pieces, _) => pieces.iter().any(|(_, piece)| piece.is_open()),
            Node::Substitution { .. } => true,
            Node::Override(old, new) => old.is_open() || new.is_open(),
        }
    }
}

/// Adds a field; objects under the same key are merged, new fields first.
pub(super) fn set_field(fields: &mut Fields, path: &[String], value: Node, append: bool) {
    let Some((first, rest)) = path.split_first() else { return };
    let new = if rest.is_empty() {
        value
    } else {
        let mut inner = Fields::default();
        set_field(&mut inner, rest, value, append);
        Node::Object(inner)
    };
    let append = append && rest.is_empty();
    let added = match (fields.get_mut(first), append) {
        (None, false) => new,
        (None, true) => Node::List(vec![new]),
        (Some(old), append) => {
            let old = std::mem::replace(old, Node::Done(Value::Undef));
            if append { append_item(old, new) } else { join(old, new) }
        }
    };
    fields.insert(first.clone(), added);
}

fn append_item(old: Node, new: Node) -> Node {
    match old {
        Node::List(mut items) => {
            items.push(new);
            Node::List(items)
        }
        old if old.is_open() => Node::Joined(vec![(String::new(), old), (String::new(), Node::List(vec![new]))], 0),
        _ => Node::List(vec![new]),
    }
}

fn join(old: Node, new: Node) -> Node {
    match (old, new) {
        (Node::Object(mut old), Node::Object(new)) => {
            // The new fields precede the old ones, in their order.
            for (key, value) in new.into_sorted().into_iter().rev() {
                catwalk_base::meter::tick(1);
                let value = match old.get_mut(&key) {
                    Some(before) => join(std::mem::replace(before, Node::Done(Value::Undef)), value),
                    None => value,
                };
                old.insert_first(key, value);
            }
            Node::Object(old)
        }
        (old, new @ (Node::Substitution { .. } | Node::Joined(..) | Node::Override(..))) if new.is_open() => {
            Node::Override(Box::new(old), Box::new(new))
        }
        (old, new @ Node::Object(_)) if old.is_open() && !matches!(old, Node::List(_)) => {
            Node::Override(Box::new(old), Box::new(new))
        }
        (_, new) => new,
    }
}

/// Joins consecutive pieces as far as possible.
pub(super) fn join_pieces(pieces: Vec<(String, Node)>, line: usize) -> Node {
    let all = |kind: fn(&Node) -> bool| pieces.iter().all(|(_, piece)| kind(piece));
    if all(|piece| matches!(piece, Node::Object(_))) {
        let objects = pieces.into_iter().map(|(_, piece)| piece);
        return objects.reduce(join).unwrap_or(Node::Done(Value::Undef));
    }
    if all(|piece| matches!(piece, Node::List(_))) {
        let items = pieces.into_iter().flat_map(|(_, piece)| match piece {
            Node::List(items) => items,
            _ => Vec::new(),
        });
        return Node::List(items.collect());
    }
    Node::Joined(pieces, line)
}

/// The value of a node without substitutions.
pub(super) fn finish(node: Node) -> Value {
    match node {
        Node::Word(word) => parse_word(Value::from(word)),
        Node::Done(value) => value,
        Node::List(items) => Value::array(items.into_iter().map(finish).collect()),
        _ => Value::Undef,
    }
}

/// The value of an unquoted word.
fn parse_word(word: Value) -> Value {
    let Value::Str(text) = &word else { return word };
    let number = text.starts_with(|c: char| c.is_ascii_digit() || c == '-');
    match text.as_ref() {
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        "null" => Value::Undef,
        text if number && !text.contains(['x', 'X']) => {
            // A leading zero does not mean octal here.
            let digits = text.trim_start_matches('-').trim_start_matches('0');
            match text.parse::<i64>() {
                Ok(n) => Value::Int(n),
                Err(_) if digits.is_empty() => word,
                Err(_) => parse_number(text).unwrap_or(word),
            }
        }
        _ => word,
    }
}

/// Merges two objects. The fields of the new one come first, as in the library.
pub(super) fn merge(old: &Value, new: Value) -> Value {
    match (old, new) {
        (Value::Hash(old), Value::Hash(new)) => {
            let mut result = Hash::with_capacity(old.len() + new.len());
            for (key, value) in new.iter() {
                let value = match old.get_value(key) {
                    Some(before) => merge(before, value.clone()),
                    None => value.clone(),
                };
                result.insert(key.clone(), value);
            }
            for (key, value) in old.iter() {
                if !new.contains(key) {
                    result.insert(key.clone(), value.clone());
                }
            }
            Value::hash(result)
        }
        (_, new) => new,
    }
}

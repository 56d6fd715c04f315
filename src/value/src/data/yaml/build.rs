//! Builds a value from the events of a YAML parser.
//!
//! In: events, or nodes from the fast reader. Out: a value, with anchors, merges and tags resolved. Must not: read bytes.

use std::sync::Arc;

use libyaml_safer::Event;
use libyaml_safer::EventData;
use rustc_hash::FxHashMap;

use super::document::AllowedClasses;
use super::document::Document;
use super::document::MAX_DEPTH;
use super::document::MAX_NODES;
use super::document::Node;
use super::document::Shape;
use super::document::Symbols;
use super::document::YamlError;
use super::scalar::mapping_tag;
use super::scalar::scalar;
use super::scalar::sequence_tag;
use crate::data::yaml_omap::OrderedMap;
use crate::data::yaml_omap::Step;
use crate::data::yaml_plain;
use crate::value::Hash;
use crate::value::Value;
use crate::value::to_puppet_string;

pub(super) enum OpenCollection {
    Sequence(Vec<Value>),
    OrderedMap(OrderedMap),
    Mapping { entries: Hash, key: Option<Key> },
}

pub(super) struct Key {
    value: Value,
    merge: bool,
}

pub(super) struct Frame {
    open: OpenCollection,
    anchor: Option<String>,
    size: u64,
}

#[derive(Default)]
pub(super) struct Builder {
    pub(super) stack: Vec<Frame>,
    /// The nodes with an anchor; `None` while the anchored collection is open.
    pub(super) anchors: FxHashMap<String, Option<Node>>,
    pub(super) root: Option<Value>,
    pub(super) any_symbol: bool,
    pub(super) allowed: AllowedClasses,
}

impl yaml_plain::Nodes for Builder {
    fn scalar(&mut self, text: &str, quoted: bool) -> Option<()> {
        let node =
            self.name(text, quoted).map_or_else(|| scalar(None, text.to_owned(), quoted, self.allowed).ok(), Some)?;
        self.any_symbol |= matches!(node.value, Value::Symbol(_));
        self.finish(None, node, false).ok()
    }

    fn open_sequence(&mut self) -> Option<()> {
        self.open(OpenCollection::Sequence(Vec::new()), None).ok()
    }

    fn open_mapping(&mut self) -> Option<()> {
        self.open(OpenCollection::Mapping { entries: Hash::new(), key: None }, None).ok()
    }

    fn close(&mut self) -> Option<()> {
        Builder::close(self).ok()
    }
}

impl Builder {
    pub(super) fn document(self) -> Document {
        let Builder { root, any_symbol, allowed, .. } = self;
        let (empty, value) = (root.is_none(), root.unwrap_or(Value::Undef));
        let value = if any_symbol && allowed.symbols != Symbols::Unchanged {
            with_symbols(&value, allowed.symbols)
        } else {
            value
        };
        Document { empty, value, any_symbol }
    }

    /// The string of a plain scalar that is a key, if keys are names and the value that YAML reads prints differently.
    fn name(&self, text: &str, quoted: bool) -> Option<Node> {
        let is_key = matches!(self.stack.last(), Some(Frame { open: OpenCollection::Mapping { key: None, .. }, .. }));
        if quoted || !is_key || !self.allowed.names_as_written {
            return None;
        }
        let value = scalar(None, text.to_owned(), quoted, self.allowed).map(|node| node.value);
        let printed = match &value {
            Ok(value @ (Value::Bool(_) | Value::Int(_) | Value::Float(_))) => to_puppet_string(value),
            Ok(Value::Undef) | Err(_) => Arc::from(""),
            Ok(_) => return None,
        };
        (*printed != *text).then(|| Node { value: Value::str(text), size: 1, shape: Shape::Scalar })
    }

    /// Handles one event of the first document.
    pub(super) fn event(&mut self, event: Event) -> Result<(), YamlError> {
        let Some(Frame { open: OpenCollection::OrderedMap(map), .. }) = self.stack.last_mut() else {
            return self.node(event);
        };
        match map.handle(event).map_err(YamlError::bare)? {
            Step::Build(event) => self.node(event),
            Step::Skip => Ok(()),
            Step::BuildLast(events) => events.into_iter().try_for_each(|event| self.event(event)),
            Step::End => self.close(),
        }
    }

    /// Handles an event of a node that is built.
    fn node(&mut self, event: Event) -> Result<(), YamlError> {
        match event.data {
            EventData::Scalar { anchor, tag, value, quoted_implicit, .. } => {
                let text_tag = tag.as_deref() == Some("tag:yaml.org,2002:str");
                let name = if tag.is_none() { self.name(&value, quoted_implicit) } else { None };
                let node = match name {
                    Some(name) => name,
                    None => scalar(tag.as_deref(), value, quoted_implicit, self.allowed)?,
                };
                self.any_symbol |= matches!(node.value, Value::Symbol(_));
                self.finish(anchor, node, text_tag)?;
            }
            EventData::Alias { anchor } => {
                if self.allowed.no_aliases {
                    return Err(YamlError::alias(&anchor));
                }
                let node = match self.anchors.get(&anchor) {
                    Some(Some(node)) => Node { shape: Shape::Alias, ..node.clone() },
                    Some(None) => {
                        return Err(YamlError::bare(format!("not supported yet: alias {anchor} inside itself")));
                    }
                    None => return Err(YamlError::alias(&anchor)),
                };
                self.finish(None, node, false)?;
            }
            EventData::SequenceStart { anchor, tag, .. } => {
                let ordered = sequence_tag(tag.as_deref())?;
                let open = if ordered {
                    OpenCollection::OrderedMap(OrderedMap::default())
                } else {
                    OpenCollection::Sequence(Vec::new())
                };
                self.open(open, anchor)?;
            }
            EventData::MappingStart { anchor, tag, .. } => {
                mapping_tag(tag.as_deref())?;
                self.open(OpenCollection::Mapping { entries: Hash::new(), key: None }, anchor)?;
            }
            EventData::SequenceEnd | EventData::MappingEnd => self.close()?,
            EventData::DocumentEnd { .. }
            | EventData::StreamEnd
            | EventData::StreamStart { .. }
            | EventData::DocumentStart { .. } => {}
        }
        Ok(())
    }

    fn open(&mut self, open: OpenCollection, anchor: Option<String>) -> Result<(), YamlError> {
        if self.stack.len() >= MAX_DEPTH {
            return Err(YamlError::limit(format!("nested deeper than {MAX_DEPTH} levels")));
        }
        if let Some(anchor) = &anchor {
            self.anchors.insert(anchor.clone(), None);
        }
        self.stack.push(Frame { open, anchor, size: 1 });
        Ok(())
    }

    fn close(&mut self) -> Result<(), YamlError> {
        let Some(frame) = self.stack.pop() else { return Ok(()) };
        let (value, shape) = match frame.open {
            OpenCollection::Sequence(items) => (Value::array(items), Shape::Sequence),
            OpenCollection::OrderedMap(map) => (Value::hash(map.entries), Shape::Sequence),
            OpenCollection::Mapping { entries, .. } => (Value::hash(entries), Shape::Mapping),
        };
        let node = Node { value, size: frame.size, shape };
        self.finish(frame.anchor, node, false)
    }

    /// Adds a finished node to its collection.
    fn finish(&mut self, anchor: Option<String>, node: Node, text_tag: bool) -> Result<(), YamlError> {
        if let Some(anchor) = anchor {
            self.anchors.insert(anchor, Some(node.clone()));
        }
        let Some(frame) = self.stack.last_mut() else {
            self.root = Some(node.value);
            return Ok(());
        };
        frame.size += node.size;
        if frame.size > MAX_NODES {
            return Err(YamlError::limit(format!("more than {MAX_NODES} values after following aliases")));
        }
        match &mut frame.open {
            OpenCollection::Sequence(items) => items.push(node.value),
            OpenCollection::OrderedMap(map) => map.add_node(node.value),
            OpenCollection::Mapping { entries, key } => match key.take() {
                None => {
                    let merge = !text_tag && node.value.as_str() == Some("<<");
                    *key = Some(Key { value: node.value, merge });
                }
                Some(Key { value: key, merge }) => {
                    if !(merge && merge_into(entries, &node)) {
                        entries.insert(key, node.value);
                    }
                }
            },
        }
        Ok(())
    }
}

/// Applies a merge key (`<<`): entries of the merged hashes replace existing ones, as in Psych's `merge!`. Returns false if the
/// value cannot be merged; the key is then an ordinary entry.
fn merge_into(entries: &mut Hash, node: &Node) -> bool {
    let from: Vec<&Arc<Hash>> = match (&node.value, node.shape) {
        (Value::Hash(hash), Shape::Mapping | Shape::Alias) => vec![hash],
        (Value::Array(items), Shape::Sequence) => {
            let hashes = items.iter().map(|item| match item {
                Value::Hash(hash) => Some(hash),
                _ => None,
            });
            match hashes.collect::<Option<Vec<_>>>() {
                Some(hashes) => hashes,
                None => return false,
            }
        }
        _ => return false,
    };
    let mut merged = Hash::new();
    for (key, value) in from.iter().rev().flat_map(|hash| hash.iter()) {
        merged.insert(key.clone(), value.clone());
    }
    for (key, value) in merged {
        entries.insert(key, value);
    }
    true
}

/// Converts the symbols in a value.
fn with_symbols(value: &Value, symbols: Symbols) -> Value {
    let inner = |value: &Value| with_symbols(value, symbols);
    match value {
        Value::Array(items) => Value::array(items.iter().map(inner).collect()),
        Value::Hash(entries) => {
            let key =
                |key: &Value| with_symbols(key, if symbols == Symbols::Values { symbols } else { Symbols::Strings });
            Value::hash(entries.iter().map(|(name, value)| (key(name), inner(value))).collect())
        }
        Value::Symbol(name) if symbols == Symbols::Strings => Value::from(name.clone()),
        Value::Symbol(name) => Value::symbol(name),
        value => value.clone(),
    }
}

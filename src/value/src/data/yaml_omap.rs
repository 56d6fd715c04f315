//! `!!omap`: an ordered map, written as a sequence of pairs.
//!
//! In: events of the items. Out: the nodes that are built. Psych builds only the first and the last child of each item, which are
//! its key and value, whether the item is a mapping or a sequence (`Psych::Visitors::ToRuby#visit_Psych_Nodes_Sequence`). Anchors
//! and tags of the item itself and of other children are ignored.

use libyaml_safer::Event;
use libyaml_safer::EventData;

use crate::value::Hash;
use crate::value::Value;

/// An ordered map that is being read.
#[derive(Default)]
pub(super) struct OrderedMap {
    pub entries: Hash,
    item: Item,
}

/// The position of the reader within the map.
#[derive(Default)]
enum Item {
    /// Between two items.
    #[default]
    Outside,
    /// The key is next, or being built.
    Key,
    /// The key is built; the last of the following nodes is the value.
    Value { key: Value, last: Vec<Event>, depth: usize },
    /// The item has ended, and its last node is being built.
    Last { key: Value },
}

/// The action for an event.
pub(super) enum Step {
    /// Build a node from it.
    Build(Event),
    /// Skip it.
    Skip,
    /// Build the last node of an item from these events.
    BuildLast(Vec<Event>),
    /// End the map.
    End,
}

impl OrderedMap {
    /// Handles an event directly in the map or in one of its items.
    ///
    /// # Errors
    ///
    /// An item that is neither a mapping nor a sequence, or an empty item.
    pub(super) fn handle(&mut self, event: Event) -> Result<Step, String> {
        let begins = matches!(event.data, EventData::SequenceStart { .. } | EventData::MappingStart { .. });
        let ends = matches!(event.data, EventData::SequenceEnd | EventData::MappingEnd);
        match &mut self.item {
            Item::Outside if ends => Ok(Step::End),
            Item::Outside if begins => {
                self.item = Item::Key;
                Ok(Step::Skip)
            }
            Item::Outside => Err("undefined method `first' for nil:NilClass".to_owned()),
            Item::Key if ends => Err("undefined method `visit_NilClass' for #<Psych::Visitors::ToRuby>".to_owned()),
            Item::Value { depth: 0, .. } if ends => {
                let Item::Value { key, last, .. } = std::mem::take(&mut self.item) else { return Ok(Step::Skip) };
                if last.is_empty() {
                    // The only node is the first and the last.
                    self.entries.insert(key.clone(), key);
                    return Ok(Step::Skip);
                }
                self.item = Item::Last { key };
                Ok(Step::BuildLast(last))
            }
            Item::Value { last, depth, .. } => {
                if *depth == 0 {
                    last.clear();
                }
                if begins {
                    *depth += 1;
                } else if ends {
                    *depth = depth.saturating_sub(1);
                }
                last.push(event);
                Ok(Step::Skip)
            }
            Item::Key | Item::Last { .. } => Ok(Step::Build(event)),
        }
    }

    /// Adds a key or value that was built.
    pub(super) fn add_node(&mut self, node: Value) {
        self.item = match std::mem::take(&mut self.item) {
            Item::Last { key } => {
                self.entries.insert(key, node);
                Item::Outside
            }
            _ => Item::Value { key: node, last: Vec::new(), depth: 0 },
        };
    }
}

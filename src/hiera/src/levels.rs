//! Merges values of many levels, each level in time proportional to its own size.
//!
//! In: a merge strategy and values, the highest priority first. Out: the result of merging them one after the other with
//! [`Strategy::merge`]. Must not: know where values come from.
//!
//! Merging two values copies both, so a merge over n levels would take time quadratic in n. From the ninth level on, values are
//! inserted into a tree that records their order. Values that `deep_merge` treats specially (options, `undef`, `false`, empty hashes,
//! arrays with equal elements) are still merged two at a time.

use std::cmp::Reverse;

use indexmap::IndexMap;
use indexmap::IndexSet;

use super::Host;
use super::failure::Failure;
use super::merge::Strategy;
use super::merge::StrategyKind;
use super::merge::flatten;
use super::merge::is_data;
use catwalk_value::Hash;
use catwalk_value::Value;

/// Number of merges from which a tree is faster than merging two values at a time.
const TREE_THRESHOLD: usize = 8;

/// A merge over levels.
pub(super) struct Levels<'s> {
    strategy: &'s Strategy,
    merged: MergedLevels,
    /// How many values were merged since the result was last a plain value.
    count: usize,
}

enum MergedLevels {
    Empty,
    Value(Value),
    Tree(Tree),
}

/// The position of an entry: entries of a later level come first.
type Order = (Reverse<usize>, usize);

enum Tree {
    /// The elements of `unique`, in order.
    Set(IndexSet<Value>),
    /// A hash. `true`: hashes in it are merged, too.
    Hash(bool, IndexMap<Value, (Order, Tree)>),
    /// An array of elements that differ.
    Array(IndexMap<Value, Order>),
    /// Any other value.
    Leaf(Value),
}

impl Levels<'_> {
    pub(super) fn new(strategy: &Strategy) -> Levels<'_> {
        Levels { strategy, merged: MergedLevels::Empty, count: 0 }
    }

    /// Merges the value of the next level, of lower priority.
    ///
    /// # Errors
    /// A value that the strategy cannot merge.
    pub(super) fn add(&mut self, value: Value, host: &mut dyn Host) -> Result<(), Failure> {
        self.count += 1;
        let merged = std::mem::replace(&mut self.merged, MergedLevels::Empty);
        let tree = match merged {
            MergedLevels::Empty => {
                self.merged = MergedLevels::Value(self.strategy.convert(value));
                return Ok(());
            }
            MergedLevels::Value(high) if self.count > TREE_THRESHOLD => {
                Tree::from_value(self.strategy, &high).ok_or(high)
            }
            MergedLevels::Value(high) => Err(high),
            MergedLevels::Tree(tree) => Ok(tree),
        };
        let high = match tree {
            Ok(mut tree) if is_simple(self.strategy, &value) && self.strategy.can_merge(&value) => {
                tree.merge_below(&value, self.count);
                self.merged = MergedLevels::Tree(tree);
                return Ok(());
            }
            Ok(tree) => tree.into_value(),
            Err(high) => high,
        };
        self.count = self.count.min(TREE_THRESHOLD);
        self.merged = MergedLevels::Value(self.strategy.merge(high, value, host)?);
        Ok(())
    }

    /// The result; `None`: there was no value.
    pub(super) fn finish(self) -> Option<Value> {
        match self.merged {
            MergedLevels::Empty => None,
            MergedLevels::Value(value) => Some(value),
            MergedLevels::Tree(tree) => Some(tree.into_value()),
        }
    }
}

/// Whether a value can be merged as a [`Tree`].
fn is_simple(strategy: &Strategy, value: &Value) -> bool {
    match strategy.kind {
        StrategyKind::Unique => is_data(value),
        StrategyKind::Hash => matches!(value, Value::Hash(_)),
        StrategyKind::Deep | StrategyKind::UnconstrainedDeep => {
            strategy.options.is_empty() && matches!(value, Value::Hash(_)) && is_plain(value)
        }
        _ => false,
    }
}

/// Whether merging a value into itself changes nothing.
fn is_plain(value: &Value) -> bool {
    match value {
        // An empty hash changes nothing in a merge.
        Value::Hash(entries) => !entries.is_empty() && entries.iter().all(|(_, value)| is_plain(value)),
        Value::Array(items) => items.iter().collect::<IndexSet<_>>().len() == items.len(),
        other => other.truthy(),
    }
}

impl Tree {
    /// A value as a tree, if the strategy can merge it as one.
    fn from_value(strategy: &Strategy, value: &Value) -> Option<Tree> {
        if !is_simple(strategy, value) || !strategy.can_merge(value) {
            return None;
        }
        Some(match strategy.kind {
            StrategyKind::Unique => Tree::Set(flatten(value).into_iter().collect()),
            kind => Tree::new(value, kind != StrategyKind::Hash, 0),
        })
    }

    fn new(value: &Value, is_deep: bool, level: usize) -> Tree {
        let mut tree = match value {
            Value::Hash(entries) => Tree::Hash(is_deep, IndexMap::with_capacity(entries.len())),
            Value::Array(items) if is_deep => Tree::Array(IndexMap::with_capacity(items.len())),
            other => return Tree::Leaf(other.clone()),
        };
        tree.merge_below(value, level);
        tree
    }

    /// Merges a value of lower priority below this one: it adds missing entries, and its order comes first.
    fn merge_below(&mut self, value: &Value, level: usize) {
        match (self, value) {
            (Tree::Set(all), value) => all.extend(flatten(value)),
            (Tree::Hash(is_deep, own), Value::Hash(entries)) => {
                for (at, (key, value)) in entries.iter().enumerate() {
                    let order = (Reverse(level), at);
                    match own.get_mut(key) {
                        Some((place, tree)) => {
                            *place = order;
                            if *is_deep {
                                tree.merge_below(value, level);
                            }
                        }
                        None => {
                            let tree = if *is_deep { Tree::new(value, true, level) } else { Tree::Leaf(value.clone()) };
                            own.insert(key.clone(), (order, tree));
                        }
                    }
                }
            }
            (Tree::Array(own), Value::Array(items)) => {
                own.extend(items.iter().enumerate().map(|(at, item)| (item.clone(), (Reverse(level), at))));
            }
            // The value with priority stays.
            _ => {}
        }
    }

    fn into_value(self) -> Value {
        match self {
            Tree::Set(all) => Value::array(all.into_iter().collect()),
            Tree::Hash(_, entries) => {
                let mut entries: Vec<(Value, (Order, Tree))> = entries.into_iter().collect();
                entries.sort_by_key(|(_, (order, _))| *order);
                let mut hash = Hash::with_capacity(entries.len());
                for (key, (_, tree)) in entries {
                    hash.insert(key, tree.into_value());
                }
                Value::hash(hash)
            }
            Tree::Array(items) => {
                let mut items: Vec<(Value, Order)> = items.into_iter().collect();
                items.sort_by_key(|(_, order)| *order);
                Value::array(items.into_iter().map(|(item, _)| item).collect())
            }
            Tree::Leaf(value) => value,
        }
    }
}

//! Walking nested arrays and hashes: the order and choices of `tree_each`.

use std::collections::VecDeque;

use crate::meter;
use crate::types;
use crate::types::Type;
use crate::value::Value;

/// What `tree_each` visits and in which order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeOptions {
    /// Children before siblings; else level by level.
    pub depth_first: bool,
    /// Whether the root itself is visited.
    pub include_root: bool,
    /// Whether arrays and hashes are visited.
    pub include_containers: bool,
    /// Whether all other values are visited.
    pub include_values: bool,
    /// Whether attributes that are references are walked into.
    pub include_refs: bool,
    /// Which values are walked into; `None` for all arrays, hashes and objects.
    pub containers: Option<Type>,
}

impl Default for TreeOptions {
    fn default() -> TreeOptions {
        TreeOptions {
            depth_first: true,
            include_root: true,
            include_containers: true,
            include_values: true,
            include_refs: false,
            containers: None,
        }
    }
}

impl TreeOptions {
    /// The visited nodes as `[path, value]`.
    pub(super) fn walk<'a>(&'a self, root: &'a Value) -> Box<dyn Iterator<Item = Value> + 'a> {
        let mut queue: VecDeque<(Vec<Value>, Value)> = VecDeque::from([(Vec::new(), root.clone())]);
        Box::new(std::iter::from_fn(move || {
            while let Some((path, value)) = queue.pop_front() {
                let children = self.children(&value, &path);
                let container = children.is_some();
                if let Some(mut children) = children {
                    if self.depth_first {
                        while let Some(child) = children.pop() {
                            queue.push_front(child);
                        }
                    } else {
                        queue.extend(children);
                    }
                }
                let wanted = if path.is_empty() {
                    self.include_containers && self.include_root
                } else if container {
                    self.include_containers
                } else {
                    // The level-by-level walk of the reference does not ask for this option.
                    self.include_values || !self.depth_first
                };
                if wanted {
                    return Some(Value::array(vec![Value::array(path), value]));
                }
            }
            None
        }))
    }

    fn children(&self, value: &Value, path: &[Value]) -> Option<Vec<(Vec<Value>, Value)>> {
        if let Some(containers) = &self.containers
            && !types::is_instance(containers, value)
        {
            return None;
        }
        let child = |key: Value, value: &Value| {
            meter::charge((path.len() + 1) * size_of::<Value>());
            let mut at = path.to_vec();
            at.push(key);
            (at, value.clone())
        };
        Some(match value {
            Value::Array(items) => (0..).zip(items.iter()).map(|(n, item)| child(Value::Int(n), item)).collect(),
            Value::Hash(entries) => entries.iter().map(|(key, item)| child(key.clone(), item)).collect(),
            // The attributes of its own type, not those of types that extends; with or without a value.
            Value::Object(object) => {
                let own = object.object_type.attributes.iter();
                let walked = own
                    .filter(|own| self.include_refs || own.kind != types::AttributeKind::Reference)
                    .map(|own| child(Value::Str(own.name.clone()), &object.get(&own.name).unwrap_or(Value::Undef)));
                walked.collect()
            }
            _ => return None,
        })
    }
}

//! The tree of nested arrays, hashes, objects and types that `tree_each` visits.

use std::collections::VecDeque;

use crate::types;
use crate::types::Type;
use crate::types::TypeSet;
use crate::value::Hash;
use crate::value::Value;
use crate::value::rich;
use catwalk_base::meter;

/// The options of `tree_each`: the visited values and their order.
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
    /// Whether attributes that are references are visited.
    pub include_refs: bool,
    /// The type of values whose parts are visited; `None` for all arrays, hashes and objects.
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
                let is_container = children.is_some();
                if let Some(mut children) = children {
                    if self.depth_first {
                        while let Some(child) = children.pop() {
                            queue.push_front(child);
                        }
                    } else {
                        queue.extend(children);
                    }
                }
                let is_visited = if path.is_empty() {
                    self.include_containers && self.include_root
                } else if is_container {
                    self.include_containers
                } else {
                    // Puppet's breadth-first walk ignores this option.
                    self.include_values || !self.depth_first
                };
                if is_visited {
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
            // The attributes of its own type, without those of the extended types.
            Value::Object(object) => {
                let attributes = object.object_type.attributes.iter();
                let attributes =
                    attributes.filter(|own| self.include_refs || own.kind != types::AttributeKind::Reference);
                let value = |name: &str| object.get(name).unwrap_or(Value::Undef);
                attributes.map(|own| child(Value::from(own.name.clone()), &value(&own.name))).collect()
            }
            Value::Type(t) => {
                type_attributes(t).into_iter().map(|(name, value)| child(Value::str(name), &value)).collect()
            }
            _ => return None,
        })
    }
}

/// The attributes of a type as an object, with their defaults, without inherited attributes. An alias that contains itself has none,
/// so that the tree is finite.
fn type_attributes(t: &Type) -> Vec<(&'static str, Value)> {
    let none = || Value::array(Vec::new());
    let defaults: Vec<(&'static str, Value)> = match t {
        Type::Alias(alias) if alias.is_recursive() => Vec::new(),
        Type::Alias(alias) => {
            let resolved = alias.resolved().map_or(Value::Undef, |inner| Value::Type(inner.clone()));
            return vec![("name", Value::str(alias.name())), ("type_expr", Value::Undef), ("resolved_type", resolved)];
        }
        Type::Object(object) if object.base.is_some() => vec![("base_type", Value::Undef), ("init_parameters", none())],
        t => match t.simple_name() {
            "Array" => vec![("element_type", Value::Type(Type::Any))],
            "Callable" => ["param_types", "block_type", "return_type"].map(|name| (name, Value::Undef)).to_vec(),
            "Class" => vec![("class_name", Value::Undef)],
            "Collection" => vec![("size_type", Value::Undef)],
            "Enum" => vec![("values", none()), ("case_insensitive", Value::Bool(false))],
            "Hash" => vec![("key_type", Value::Type(Type::Any)), ("value_type", Value::Type(Type::Any))],
            "Init" => vec![("type", Value::Undef), ("init_args", none())],
            "Iterable" | "Iterator" | "NotUndef" | "Optional" | "Type" => vec![("type", Value::Undef)],
            "Numeric" => vec![("from", Value::Undef), ("to", Value::Undef)],
            "Object" => vec![("_pcore_init_hash", Value::hash(Hash::new()))],
            "Pattern" => vec![("patterns", none())],
            "Regexp" => vec![("pattern", Value::Undef)],
            "Resource" => vec![("type_name", Value::Undef), ("title", Value::Undef)],
            "Runtime" => vec![("runtime", Value::Undef), ("name_or_pattern", Value::Undef)],
            "SemVer" => vec![("ranges", none())],
            "String" => vec![("size_type_or_value", Value::Undef)],
            "Struct" => vec![("elements", none())],
            "Timespan" | "Timestamp" => vec![("from", Value::Undef), ("to", Value::Undef)],
            "Tuple" => vec![("types", none()), ("size_type", Value::Undef)],
            "TypeSet" => vec![("_pcore_init_hash", Value::hash(TypeSet::default_set().definition()))],
            "TypeReference" => vec![("type_string", Value::Undef)],
            "URI" => vec![("parameters", Value::Undef)],
            "Variant" => vec![("types", none())],
            _ => Vec::new(),
        },
    };
    let mut attributes = rich::attributes(t);
    let take = |(name, default): (&'static str, Value)| {
        let at = attributes.iter().position(|(attribute, _)| *attribute == name);
        (name, at.map_or(default, |at| attributes.swap_remove(at).1))
    };
    defaults.into_iter().map(take).collect()
}

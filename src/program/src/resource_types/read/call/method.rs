//! Methods of Ruby's strings, arrays and hashes that definitions of types call.
//!
//! In: a receiver and a call. Out: the value, or nothing where the method is not known. Must not: know what is defined.

use super::Call;
use crate::resource_types::read::reader::Reader;
use crate::resource_types::read::reader::Scope;
use crate::resource_types::read::value::Value;
use catwalk_regexp::Regexp;

impl Reader<'_, '_> {
    /// The value of a variable after a call that changes it.
    pub(super) fn changed_by(&mut self, held: Value, call: &Call<'_>) -> Value {
        if !self.spend(held.cost_of_change()) {
            return Value::Unknown;
        }
        match (held, call.name, call.arguments.as_slice()) {
            (held @ Value::Array(_), "<<" | "push" | "append", items) => {
                items.iter().cloned().fold(held, Value::with_item)
            }
            (held @ Value::Array(_), "concat", lists) => lists.iter().fold(held, |held, list| match list {
                Value::Array(items) if self.spend(list.cost()) => items.iter().cloned().fold(held, Value::with_item),
                _ => Value::Unknown,
            }),
            (held @ Value::Hash(_), "[]=" | "store", [key, value]) if self.spend(held.cost()) => {
                held.with_entry(key.clone(), value.clone())
            }
            (held @ Value::Hash(_), "merge!" | "update", _) => {
                let merge = Call { name: "merge", arguments: call.arguments.clone(), block: None, line: call.line };
                self.call_pure_method(&held, &merge).unwrap_or(Value::Unknown)
            }
            _ => Value::Unknown,
        }
    }

    /// The result of a method without effects, if it is known.
    pub(super) fn call_pure_method(&mut self, receiver: &Value, call: &Call<'_>) -> Option<Value> {
        let argument = call.arguments.first().map_or(0, Value::cost);
        let steps = match call.name {
            // Each item of one operand is looked for in the other.
            "-" | "&" | "|" | "merge" => receiver.cost().saturating_mul(4).saturating_mul(argument.max(1)),
            _ => receiver.cost() + argument,
        };
        if self.spend(steps) { pure_method_result(receiver, call) } else { None }
    }

    /// Runs a block once for each item.
    pub(super) fn iterate(
        &mut self,
        receiver: &Value,
        items: Vec<Vec<Value>>,
        call: &Call<'_>,
        scope: &mut Scope,
    ) -> Value {
        let Some(block) = &call.block else {
            return if call.name.starts_with("each") { receiver.clone() } else { Value::Unknown };
        };
        let parts = block.params().len().max(block.numbered());
        let mut results = Vec::new();
        let mut inner = scope.clone();
        for item in items {
            let item = match (parts, item.as_slice()) {
                // A block with several parameters destructures an array.
                (2.., [Value::Array(parts)]) => parts.to_vec(),
                (1, [key, value]) if matches!(receiver, Value::Hash(_)) => {
                    vec![Value::array(vec![key.clone(), value.clone()])]
                }
                _ => item,
            };
            self.bind(block, item, &mut inner);
            inner.returned = false;
            let result = self.value(block.body(), &mut inner);
            // An array that is still in use is copied when it is changed.
            if !call.name.starts_with("each") {
                results.push(result);
            }
        }
        // The loop may have changed earlier values.
        let known: Vec<_> = scope.variables.keys().copied().collect();
        for name in known {
            if let Some(value) = inner.variables.get(&name) {
                scope.set(name, value.clone());
            }
        }
        match (call.name, receiver) {
            ("map" | "collect", _) => Value::array(results),
            ("select" | "filter" | "reject", Value::Array(items)) => {
                let wanted = call.name != "reject";
                let known: Option<Vec<bool>> = results.iter().map(Value::truth).collect();
                let chosen = |known: Vec<bool>| {
                    let pairs = items.iter().zip(known);
                    Value::array(pairs.filter(|(_, known)| *known == wanted).map(|(item, _)| item.clone()).collect())
                };
                known.map_or(Value::Unknown, chosen)
            }
            ("select" | "filter" | "reject", _) => Value::Unknown,
            _ => receiver.clone(),
        }
    }
}

/// Whether a call changes its receiver.
pub(super) fn changes(held: &Value, name: &str) -> bool {
    match held {
        Value::Array(_) => {
            let plain = matches!(
                name,
                "<<" | "push"
                    | "append"
                    | "concat"
                    | "unshift"
                    | "prepend"
                    | "insert"
                    | "delete"
                    | "delete_if"
                    | "delete_at"
                    | "clear"
                    | "shift"
                    | "pop"
            );
            plain || name.ends_with('!')
        }
        Value::Hash(_) => {
            let plain =
                matches!(name, "[]=" | "store" | "update" | "delete" | "delete_if" | "clear" | "shift" | "keep_if");
            plain || name.ends_with('!')
        }
        Value::Str(_) => name.ends_with('!'),
        _ => false,
    }
}

pub(super) fn item(items: &[Value], index: i64) -> Value {
    let length = i64::try_from(items.len()).unwrap_or(i64::MAX);
    let index = if index < 0 { index + length } else { index };
    usize::try_from(index).ok().and_then(|index| items.get(index)).cloned().unwrap_or(Value::Nil)
}

/// The arguments of a block in each iteration, if the method iterates over a known value.
pub(super) fn iterated(receiver: &Value, name: &str) -> Option<Vec<Vec<Value>>> {
    match (receiver, name) {
        (Value::Array(items), "each" | "map" | "collect" | "select" | "filter" | "reject") => {
            Some(items.iter().map(|item| vec![item.clone()]).collect())
        }
        (Value::Array(items), "each_with_index") => {
            let number = |index: usize| Value::Int(i64::try_from(index).unwrap_or(i64::MAX));
            Some(items.iter().enumerate().map(|(index, item)| vec![item.clone(), number(index)]).collect())
        }
        (Value::Hash(entries), "each" | "each_pair" | "map" | "collect") => {
            Some(entries.iter().map(|(key, value)| vec![key.clone(), value.clone()]).collect())
        }
        (Value::Hash(entries), "each_key") => Some(entries.iter().map(|(key, _)| vec![key.clone()]).collect()),
        (Value::Hash(entries), "each_value") => Some(entries.iter().map(|(_, value)| vec![value.clone()]).collect()),
        _ => None,
    }
}

/// The result of a method without effects, if it is known.
pub(super) fn pure_method_result(receiver: &Value, call: &Call<'_>) -> Option<Value> {
    match (receiver, call.name) {
        (Value::Unknown, _) => None,
        (value, "+" | "-" | "|" | "&" | "<<" | "==") => value.apply_operator(call.name, call.arguments.first()?),
        (value, "freeze" | "dup" | "clone" | "to_a" | "itself") => Some(value.clone()),
        (value, "nil?") => Some(Value::Bool(matches!(value, Value::Nil))),
        (Value::Array(_), "uniq") if call.block.is_none() => Value::array(Vec::new()).apply_operator("|", receiver),
        (Value::Array(items), _) => array_method_result(items, call),
        (Value::Hash(entries), _) => hash_method_result(entries, call),
        (Value::Str(text) | Value::Symbol(text), "to_sym" | "intern") => Some(Value::Symbol(text.clone())),
        (Value::Str(text) | Value::Symbol(text), "to_s" | "to_str" | "name") => Some(Value::Str(text.clone())),
        (Value::Str(text) | Value::Symbol(text), "=~") => {
            let regexp = Regexp::new(call.arguments.first()?.regexp_source()?);
            Some(match regexp.captures(text).ok()? {
                Some(captures) => count(text.get(..captures.start())?.chars().count()),
                None => Value::Nil,
            })
        }
        (Value::Str(text), _) => string_method_result(text, call),
        _ => None,
    }
}

fn count(n: usize) -> Value {
    Value::Int(i64::try_from(n).unwrap_or(i64::MAX))
}

fn array_method_result(items: &[Value], call: &Call<'_>) -> Option<Value> {
    Some(match call.name {
        "[]" => match call.arguments.as_slice() {
            [Value::Int(index)] => item(items, *index),
            _ => return None,
        },
        "count" | "size" | "length" if call.block.is_none() => count(items.len()),
        "empty?" => Value::Bool(items.is_empty()),
        "first" => items.first().cloned().unwrap_or(Value::Nil),
        "last" => items.last().cloned().unwrap_or(Value::Nil),
        "compact" => Value::array(items.iter().filter(|item| !matches!(item, Value::Nil)).cloned().collect()),
        "include?" => {
            let searched = call.arguments.first()?;
            let same: Option<Vec<bool>> = items.iter().map(|item| item.same(searched)).collect();
            Value::Bool(same?.contains(&true))
        }
        "join" => {
            let strings: Option<Vec<String>> = items.iter().map(Value::interpolated).collect();
            Value::Str(strings?.join(call.string(0).unwrap_or("")))
        }
        _ => return None,
    })
}

fn hash_method_result(entries: &[(Value, Value)], call: &Call<'_>) -> Option<Value> {
    Some(match call.name {
        "[]" => {
            let key = call.arguments.first()?;
            let entry = entries.iter().find(|(other, _)| other.same(key) == Some(true));
            entry.map_or(Value::Nil, |(_, value)| value.clone())
        }
        "empty?" => Value::Bool(entries.is_empty()),
        "keys" => Value::array(entries.iter().map(|(key, _)| key.clone()).collect()),
        "values" => Value::array(entries.iter().map(|(_, value)| value.clone()).collect()),
        "merge" => match call.arguments.first()? {
            Value::Hash(added) => {
                let mut merged = entries.to_vec();
                for (key, value) in added.iter() {
                    merged.retain(|(other, _)| other.same(key) != Some(true));
                    merged.push((key.clone(), value.clone()));
                }
                Value::hash(merged)
            }
            _ => return None,
        },
        _ => return None,
    })
}

fn string_method_result(text: &str, call: &Call<'_>) -> Option<Value> {
    Some(match call.name {
        "downcase" => Value::Str(text.to_lowercase()),
        "upcase" => Value::Str(text.to_uppercase()),
        "strip" => Value::Str(text.trim().to_owned()),
        "split" => match call.string(0) {
            None => Value::array(text.split_whitespace().map(|word| Value::Str(word.to_owned())).collect()),
            Some(separator) => Value::array(text.split(separator).map(|word| Value::Str(word.to_owned())).collect()),
        },
        "empty?" => Value::Bool(text.is_empty()),
        _ => return None,
    })
}

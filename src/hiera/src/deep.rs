//! The deep merge of two values, identical to that of the `deep_merge` library 1.2 that Hiera uses, including its defects.

use std::borrow::Cow;
use std::sync::Arc;

use indexmap::IndexSet;
use regex::Regex;

use super::failure::Failure;
use catwalk_value::Hash;
use catwalk_value::List;
use catwalk_value::Value;
use catwalk_value::ruby;

struct Options<'o> {
    knockout: Option<(&'o str, Knockout<'o>)>,
    unpack: Option<&'o str>,
    sort: bool,
    merge_hash_arrays: bool,
    overwrite_arrays: bool,
    extend_existing_arrays: bool,
}

/// Merges `source`, which has priority, into `dest`.
///
/// # Errors
/// An empty knockout prefix; arrays that cannot be sorted.
pub(super) fn merge(source: &Value, dest: &Value, options: &Hash) -> Result<Value, Failure> {
    let on = |name: &str| options.get(name).is_some_and(Value::truthy);
    let knockout = match options.get("knockout_prefix").and_then(Value::as_str) {
        Some("") => return Err(Failure::ruby("knockout_prefix cannot be an empty string in deep_merge!")),
        Some(prefix) => Some((prefix, Knockout::new(prefix)?)),
        None => None,
    };
    let options = Options {
        knockout,
        unpack: options.get("unpack_arrays").and_then(Value::as_str).filter(|by| !by.is_empty()),
        sort: on("sort_merged_arrays"),
        merge_hash_arrays: on("merge_hash_arrays"),
        overwrite_arrays: on("overwrite_arrays"),
        extend_existing_arrays: on("extend_existing_arrays"),
    };
    options.merge(source, dest.clone(), false)
}

/// The knockout prefix. The library uses it as a regular expression at the starts of lines; most prefixes, such as `--`, match only
/// themselves.
enum Knockout<'o> {
    Plain(&'o str),
    Pattern(Box<Regex>),
}

impl<'o> Knockout<'o> {
    fn new(prefix: &'o str) -> Result<Knockout<'o>, Failure> {
        if !prefix.contains(|c: char| c.is_ascii_punctuation() && !"-_~!@#%&=:;,<>/".contains(c)) {
            return Ok(Knockout::Plain(prefix));
        }
        let pattern = Regex::new(&format!("(?m)^{prefix}"))
            .or_else(|_| Regex::new(&format!("(?m)^{}", regex::escape(prefix))))
            .map_err(|error| Failure::ruby(error.to_string()))?;
        Ok(Knockout::Pattern(Box::new(pattern)))
    }

    fn is_match(&self, text: &str) -> bool {
        match self {
            Knockout::Plain(prefix) => text.split('\n').any(|line| line.starts_with(prefix)),
            Knockout::Pattern(pattern) => pattern.is_match(text),
        }
    }

    /// The string without the prefix at the starts of its lines.
    fn remove_from<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match self {
            Knockout::Plain(prefix) => {
                let lines = text.split('\n').map(|line| line.strip_prefix(prefix).unwrap_or(line));
                lines.collect::<Vec<_>>().join("\n").into()
            }
            Knockout::Pattern(pattern) => pattern.replace_all(text, ""),
        }
    }
}

impl Options<'_> {
    /// `is_same_object`: both values are one Ruby object, since the library merges a value into a shallow copy of itself when the
    /// destination has none; changing one then changes the other.
    fn merge(&self, source: &Value, dest: Value, is_same_object: bool) -> Result<Value, Failure> {
        match source {
            Value::Undef => Ok(dest),
            _ if !dest.truthy() => Ok(source.clone()),
            Value::Hash(entries) => self.merge_hash(entries, dest, is_same_object),
            Value::Array(items) => self.merge_array(items, dest, is_same_object),
            _ => Ok(match dest {
                Value::Array(items) if self.extend_existing_arrays => with_item(&items, source),
                _ => self.overwrite(source),
            }),
        }
    }

    fn merge_hash(&self, source: &Arc<Hash>, dest: Value, mut is_same_object: bool) -> Result<Value, Failure> {
        let mut dest = dest;
        for (key, value) in source.iter() {
            match &mut dest {
                Value::Hash(entries) => {
                    let found = entries.get_value(key).filter(|found| found.truthy()).cloned();
                    let merged = match found {
                        Some(found) => self.merge(value, found, is_same_object)?,
                        None => self.merge_over(value)?,
                    };
                    Arc::make_mut(entries).insert(key.clone(), merged);
                }
                Value::Array(items) if self.extend_existing_arrays => {
                    Arc::make_mut(items).push(Value::Hash(source.clone()));
                }
                _ => {
                    // The destination is now the source itself: the remaining keys are merged with themselves.
                    dest = Value::Hash(source.clone());
                    is_same_object = true;
                }
            }
        }
        Ok(dest)
    }

    /// Merges a value into its own shallow copy.
    fn merge_over(&self, value: &Value) -> Result<Value, Failure> {
        match value {
            Value::Hash(entries) => {
                let mut copy = Hash::with_capacity(entries.len());
                for (key, value) in entries.iter() {
                    let merged =
                        if value.truthy() { self.merge(value, value.clone(), true)? } else { self.merge_over(value)? };
                    copy.insert(key.clone(), merged);
                }
                Ok(Value::hash(copy))
            }
            _ => self.merge(value, value.clone(), false),
        }
    }

    fn merge_array(&self, source: &Arc<List>, dest: Value, is_same_object: bool) -> Result<Value, Failure> {
        if self.overwrite_arrays {
            return Ok(Value::Array(source.clone()));
        }
        let mut source: Cow<'_, [Value]> = Cow::Borrowed(source);
        let mut dest = dest;
        if let Some(separator) = self.unpack {
            source = Cow::Owned(split_items(&source, separator));
            if let Value::Array(items) = &dest {
                dest = Value::array(split_items(items, separator));
            }
        }
        if let Some((prefix, _)) = &self.knockout
            && source.iter().any(|item| item.as_str() == Some(prefix))
        {
            // The prefix alone empties the destination.
            dest = match dest {
                Value::Array(_) => Value::array(Vec::new()),
                Value::Hash(_) => Value::hash(Hash::new()),
                Value::Str(_) => Value::str(""),
                _ => Value::Undef,
            };
            let others = source.iter().filter(|item| item.as_str() != Some(prefix)).cloned().collect();
            source = Cow::Owned(if is_same_object { Vec::new() } else { others });
        }
        let Value::Array(items) = dest else {
            return Ok(self.overwrite(&Value::array(source.into_owned())));
        };
        let mut dest = items.to_vec();
        match &self.knockout {
            Some((_, pattern)) if is_same_object => {
                dest = knock_out_from_itself(dest, pattern);
                source = Cow::Owned(dest.clone());
            }
            Some((_, pattern)) => source = Cow::Owned(knock_out(&mut dest, &source, pattern)),
            None => {}
        }
        let mut merged = self.merge_items(&source, dest, is_same_object)?;
        if self.sort {
            sort(&mut merged)?;
        }
        Ok(Value::array(merged))
    }

    /// The union of two arrays; with `merge_hash_arrays`, hashes at equal positions are merged.
    fn merge_items(&self, source: &[Value], dest: Vec<Value>, is_same_object: bool) -> Result<Vec<Value>, Failure> {
        let are_hashes = |items: &[Value]| items.iter().all(|item| matches!(item, Value::Hash(_)));
        if !(self.merge_hash_arrays && are_hashes(source) && are_hashes(&dest)) {
            let union: IndexSet<Value> = dest.into_iter().chain(source.iter().cloned()).collect();
            return Ok(union.into_iter().collect());
        }
        let empty = Value::hash(Hash::new());
        let added = source.get(dest.len()..).unwrap_or(&[]).to_vec();
        let mut merged = Vec::with_capacity(dest.len());
        for (at, item) in dest.into_iter().enumerate() {
            merged.push(self.merge(source.get(at).unwrap_or(&empty), item, is_same_object)?);
        }
        merged.extend(added);
        Ok(merged)
    }

    fn overwrite(&self, source: &Value) -> Value {
        let Some((_, pattern)) = &self.knockout else { return source.clone() };
        match source {
            Value::Str(text) if pattern.is_match(text) => Value::str(""),
            Value::Array(items) => {
                let is_kept = |item: &&Value| !item.as_str().is_some_and(|text| pattern.is_match(text));
                Value::array(items.iter().filter(is_kept).cloned().collect())
            }
            other => other.clone(),
        }
    }
}

/// Joins and splits items, so that items with separators become several items.
fn split_items(items: &[Value], separator: &str) -> Vec<Value> {
    let strings: Vec<_> = items.iter().map(catwalk_value::to_puppet_string).collect();
    let joined = strings.join(separator);
    let mut parts: Vec<&str> = if joined.is_empty() { Vec::new() } else { joined.split(separator).collect() };
    while parts.last() == Some(&"") {
        parts.pop();
    }
    parts.into_iter().map(Value::str).collect()
}

fn with_item(items: &[Value], item: &Value) -> Value {
    Value::array(items.iter().chain(std::iter::once(item)).cloned().collect())
}

/// The string without its knockout prefix, if it has one.
fn without_prefix(item: &Value, pattern: &Knockout<'_>) -> Option<Value> {
    let text = item.as_str()?;
    let rest = pattern.remove_from(text);
    (rest != text).then(|| Value::from(rest.into_owned()))
}

/// Deletes from `dest` the items that `source` names with the knockout prefix; returns the other items of `source`.
fn knock_out(dest: &mut Vec<Value>, source: &[Value], pattern: &Knockout<'_>) -> Vec<Value> {
    let mut others = Vec::new();
    for item in source {
        match without_prefix(item, pattern) {
            Some(target) => dest.retain(|value| value != item && *value != target),
            None => others.push(item.clone()),
        }
    }
    others
}

/// `delete_if` on an array that its own block deletes from, step by step as Ruby does it.
fn knock_out_from_itself(mut items: Vec<Value>, pattern: &Knockout<'_>) -> Vec<Value> {
    let (mut read, mut write) = (0, 0);
    while let Some(item) = items.get(read).cloned() {
        if let Some(target) = without_prefix(&item, pattern) {
            items.retain(|value| *value != target && *value != item);
        } else {
            if let Some(slot) = items.get_mut(write) {
                *slot = item;
            }
            write += 1;
        }
        read += 1;
    }
    let tail: Vec<Value> = items.get(read..).unwrap_or(&[]).to_vec();
    items.truncate(write);
    items.extend(tail);
    items
}

/// Ruby's `sort!`.
fn sort(items: &mut Vec<Value>) -> Result<(), Failure> {
    let unsorted = std::mem::take(items);
    *items = ruby::sort(unsorted, &mut |a: &Value, b: &Value| {
        ruby::compare(a, b).ok_or_else(|| Failure::ruby(ruby::not_comparable(a, b).message))
    })?;
    Ok(())
}

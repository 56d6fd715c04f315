//! The deep merge of two values, identical to that of the `deep_merge` library 1.2 that Hiera uses, including its defects.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::PoisonError;
use std::sync::RwLock;

use indexmap::IndexSet;
use regex::Regex;

use super::failure::Failure;
use catwalk_value::value::Hash;
use catwalk_value::value::List;
use catwalk_value::value::Value;
use catwalk_value::value::ruby;

struct Options<'o> {
    knockout: Option<(&'o str, Arc<Regex>)>,
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
        Some(prefix) => Some((prefix, pattern(prefix)?)),
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

/// The library uses the prefix as a regular expression.
fn pattern(prefix: &str) -> Result<Arc<Regex>, Failure> {
    // Sites use one prefix: the last one is cached.
    static LAST: RwLock<Option<(String, Arc<Regex>)>> = RwLock::new(None);
    if let Some((known, regex)) = &*LAST.read().unwrap_or_else(PoisonError::into_inner)
        && known == prefix
    {
        return Ok(regex.clone());
    }
    let regex = Arc::new(compile(prefix)?);
    *LAST.write().unwrap_or_else(PoisonError::into_inner) = Some((prefix.to_owned(), regex.clone()));
    Ok(regex)
}

fn compile(prefix: &str) -> Result<Regex, Failure> {
    Regex::new(&format!("(?m)^{prefix}"))
        .or_else(|_| Regex::new(&format!("(?m)^{}", regex::escape(prefix))))
        .map_err(|error| Failure::ruby(error.to_string()))
}

impl Options<'_> {
    /// `same`: both are one Ruby object, since the library merges a value into a shallow copy of itself when the
    /// destination has none; changing one then changes the other.
    fn merge(&self, source: &Value, dest: Value, same: bool) -> Result<Value, Failure> {
        match source {
            Value::Undef => Ok(dest),
            _ if !dest.truthy() => Ok(source.clone()),
            Value::Hash(entries) => self.hash(entries, dest, same),
            Value::Array(items) => self.array(items, dest, same),
            _ => Ok(match dest {
                Value::Array(items) if self.extend_existing_arrays => extended(&items, source),
                _ => self.overwrite(source),
            }),
        }
    }

    fn hash(&self, source: &Arc<Hash>, dest: Value, mut same: bool) -> Result<Value, Failure> {
        let mut dest = dest;
        for (key, value) in source.iter() {
            match &mut dest {
                Value::Hash(entries) => {
                    let found = entries.get_value(key).filter(|found| found.truthy()).cloned();
                    let merged = match found {
                        Some(found) => self.merge(value, found, same)?,
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
                    same = true;
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

    fn array(&self, source: &Arc<List>, dest: Value, same: bool) -> Result<Value, Failure> {
        if self.overwrite_arrays {
            return Ok(Value::Array(source.clone()));
        }
        let mut source: Cow<'_, [Value]> = Cow::Borrowed(source);
        let mut dest = dest;
        if let Some(by) = self.unpack {
            source = Cow::Owned(unpacked(&source, by));
            if let Value::Array(items) = &dest {
                dest = Value::array(unpacked(items, by));
            }
        }
        if let Some((prefix, _)) = &self.knockout
            && source.iter().any(|item| item.as_str() == Some(prefix))
        {
            dest = match dest {
                Value::Array(_) => Value::array(Vec::new()),
                Value::Hash(_) => Value::hash(Hash::new()),
                Value::Str(_) => Value::str(""),
                _ => Value::Undef,
            };
            let kept = source.iter().filter(|item| item.as_str() != Some(prefix)).cloned().collect();
            source = Cow::Owned(if same { Vec::new() } else { kept });
        }
        let Value::Array(items) = dest else {
            return Ok(self.overwrite(&Value::array(source.into_owned())));
        };
        let mut dest = items.to_vec();
        if let Some((_, pattern)) = &self.knockout {
            if same {
                dest = knock_out_of_itself(dest, pattern);
                source = Cow::Owned(dest.clone());
            } else {
                let (gone, kept): (Vec<Value>, Vec<Value>) =
                    source.iter().cloned().partition(|item| knocked_out(item, pattern).is_some());
                for item in gone {
                    let target = knocked_out(&item, pattern);
                    dest.retain(|value| *value != item && Some(value) != target.as_ref());
                }
                source = Cow::Owned(kept);
            }
        }
        let hashes = |items: &[Value]| items.iter().all(|item| matches!(item, Value::Hash(_)));
        let mut merged = if self.merge_hash_arrays && hashes(&source) && hashes(&dest) {
            let empty = Value::hash(Hash::new());
            let more = source.get(dest.len()..).unwrap_or(&[]).to_vec();
            let mut list = Vec::with_capacity(dest.len());
            for (at, item) in dest.into_iter().enumerate() {
                list.push(self.merge(source.get(at).unwrap_or(&empty), item, same)?);
            }
            list.extend(more);
            list
        } else {
            let union: IndexSet<Value> = dest.into_iter().chain(source.iter().cloned()).collect();
            union.into_iter().collect()
        };
        if self.sort {
            sort(&mut merged)?;
        }
        Ok(Value::array(merged))
    }

    fn overwrite(&self, source: &Value) -> Value {
        let Some((_, pattern)) = &self.knockout else { return source.clone() };
        match source {
            Value::Str(text) if pattern.is_match(text) => Value::str(""),
            Value::Array(items) => {
                let kept = |item: &&Value| !item.as_str().is_some_and(|text| pattern.is_match(text));
                Value::array(items.iter().filter(kept).cloned().collect())
            }
            other => other.clone(),
        }
    }
}

/// Joins and splits items, so that items with separators become several items.
fn unpacked(items: &[Value], by: &str) -> Vec<Value> {
    let texts: Vec<_> = items.iter().map(catwalk_value::value::to_puppet_string).collect();
    let joined = texts.join(by);
    let mut parts: Vec<&str> = if joined.is_empty() { Vec::new() } else { joined.split(by).collect() };
    while parts.last() == Some(&"") {
        parts.pop();
    }
    parts.into_iter().map(Value::str).collect()
}

fn extended(items: &[Value], more: &Value) -> Value {
    Value::array(items.iter().chain(std::iter::once(more)).cloned().collect())
}

/// The string without its knockout prefix, if it has one.
fn knocked_out(item: &Value, pattern: &Regex) -> Option<Value> {
    let text = item.as_str()?;
    match pattern.replace_all(text, "") {
        Cow::Borrowed(_) => None,
        Cow::Owned(rest) => (rest != text).then(|| Value::from(rest)),
    }
}

/// `delete_if` on an array that its own block deletes from, step by step as Ruby does it.
fn knock_out_of_itself(mut items: Vec<Value>, pattern: &Regex) -> Vec<Value> {
    let (mut read, mut write) = (0, 0);
    while let Some(item) = items.get(read).cloned() {
        if let Some(target) = knocked_out(&item, pattern) {
            items.retain(|value| *value != target && *value != item);
        } else {
            if let Some(place) = items.get_mut(write) {
                *place = item;
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
    let given = std::mem::take(items);
    *items = ruby::sort(given, &mut |a: &Value, b: &Value| {
        ruby::compare(a, b).ok_or_else(|| Failure::ruby(ruby::not_comparable(a, b).message))
    })?;
    Ok(())
}

//! Iterates over any iterable value and calls a block, which takes the item, or index (or key) and item.

use std::sync::Arc;

use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_eval::Stop;
use catwalk_value::Hash;
use catwalk_value::Iter;
use catwalk_value::Value;

/// Whether an iteration continues.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Step {
    /// Continue with the next item.
    Continue,
    /// End the iteration.
    Stop,
}

/// The sequence of an iterable value.
///
/// # Errors
/// The value is not iterable.
pub(super) fn sequence(call: &Call<'_, '_>, value: &Value) -> Res<Iter> {
    match Iter::over(value) {
        Some(iter) => Ok(iter),
        None => call.fail(format!(
            "Puppet::Functions::{}(): wrong argument type ({}; is not Iterable.",
            call.name,
            catwalk_value::ruby::plain_conversion_name(value)
        )),
    }
}

/// Iterates over a value and calls the block for each item. The block receives the item, or with `two` parameters index and item
/// (key and value of a hash). `take` receives the index, the item and the result of the block.
///
/// # Errors
///
/// The value is not iterable; the errors of the block, including [`Stop::Break`].
pub(super) fn walk(
    call: &mut Call<'_, '_>,
    value: &Value,
    two: bool,
    take: impl FnMut(usize, &Value, &Value, Value) -> Step,
) -> Res<()> {
    let counted = two && call.ev.settings.version.iterators_number_items && !has_entries(value);
    walk_as(call, value, two, if counted { Iter::values } else { Iter::remaining }, take)
}

/// Whether a value is an iterator over the entries of a hash.
fn has_entries(value: &Value) -> bool {
    matches!(value, Value::Iterator(iter) if iter.is_hash())
}

/// A function that reads an iterator.
type ReadItems = for<'a> fn(&'a Iter) -> Box<dyn Iterator<Item = Value> + 'a>;

fn walk_as(
    call: &mut Call<'_, '_>,
    value: &Value,
    two: bool,
    read: ReadItems,
    mut take: impl FnMut(usize, &Value, &Value, Value) -> Step,
) -> Res<()> {
    match value {
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                let index = number(at);
                let block_result = if two {
                    call.call_block(&[index.clone(), item.clone()])?
                } else {
                    call.call_block(std::slice::from_ref(item))?
                };
                if take(at, &index, item, block_result) == Step::Stop {
                    break;
                }
            }
        }
        Value::Hash(entries) => return walk_hash(call, entries, two, take),
        other => {
            let iter = sequence(call, other)?;
            if iter.is_hash() {
                for (at, pair) in read(&iter).enumerate() {
                    let Value::Array(parts) = &pair else { continue };
                    let block_result =
                        if two { call.call_block(parts)? } else { call.call_block(std::slice::from_ref(&pair))? };
                    if take(at, parts.first().unwrap_or(&Value::Undef), &pair, block_result) == Step::Stop {
                        break;
                    }
                }
                return Ok(());
            }
            for (at, item) in read(&iter).enumerate() {
                let index = number(at);
                let block_result = if two {
                    call.call_block(&[index.clone(), item.clone()])?
                } else {
                    call.call_block(std::slice::from_ref(&item))?
                };
                if take(at, &index, &item, block_result) == Step::Stop {
                    break;
                }
            }
        }
    }
    Ok(())
}

/// As [`walk`] for `map`: entries of a hash are read as Ruby's own `map` reads them.
///
/// # Errors
/// As [`walk`].
pub(super) fn walk_map(
    call: &mut Call<'_, '_>,
    value: &Value,
    two: bool,
    take: impl FnMut(usize, &Value, &Value, Value) -> Step,
) -> Res<()> {
    let counted = call.ev.settings.version.iterators_number_items;
    let entries = two && (counted || has_entries(value));
    walk_as(call, value, two, if entries { Iter::values } else { Iter::remaining }, take)
}

/// As [`walk`] for functions that are methods of Ruby: they read an iterator as `Enumerable` does, and catch `break()` only for
/// sequences over which Ruby's `loop` iterates.
///
/// # Errors
///
/// As [`walk`].
pub(super) fn walk_loop(
    call: &mut Call<'_, '_>,
    value: &Value,
    two: bool,
    take: impl FnMut(usize, &Value, &Value, Value) -> Step,
) -> Res<()> {
    walk_until_break(call, value, two, Iter::values, take)
}

/// As [`walk_loop`] for `all` and `any`.
///
/// # Errors
/// As [`walk`].
pub(super) fn walk_predicate(
    call: &mut Call<'_, '_>,
    value: &Value,
    two: bool,
    take: impl FnMut(usize, &Value, &Value, Value) -> Step,
) -> Res<()> {
    walk_until_break(call, value, two, if two { Iter::values } else { Iter::first_values }, take)
}

fn walk_until_break(
    call: &mut Call<'_, '_>,
    value: &Value,
    two: bool,
    read: ReadItems,
    take: impl FnMut(usize, &Value, &Value, Value) -> Step,
) -> Res<()> {
    match walk_as(call, value, two, read, take) {
        Err(Stop::Break(_)) if ends_at_break(value) => Ok(()),
        walked => walked,
    }
}

/// Whether Ruby's `loop` iterates over the value.
pub(super) fn ends_at_break(value: &Value) -> bool {
    !matches!(value, Value::Array(_) | Value::Hash(_) | Value::Str(_))
        && Iter::over(value).is_some_and(|iter| iter.ends_at_break())
}

fn walk_hash(
    call: &mut Call<'_, '_>,
    entries: &Arc<Hash>,
    two: bool,
    mut take: impl FnMut(usize, &Value, &Value, Value) -> Step,
) -> Res<()> {
    for (at, (key, value)) in entries.iter().enumerate() {
        let block_result = if two {
            call.call_block(&[key.clone(), value.clone()])?
        } else {
            call.call_block(&[Value::array(vec![key.clone(), value.clone()])])?
        };
        if take(at, key, value, block_result) == Step::Stop {
            break;
        }
    }
    Ok(())
}

fn number(at: usize) -> Value {
    Value::Int(i64::try_from(at).unwrap_or(i64::MAX))
}

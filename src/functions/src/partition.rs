//! `group_by`, `partition`

use indexmap::IndexMap;

use crate::Function;
use crate::iterable;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_value::Value;

pub(super) const GROUP_BY: Function = Function {
    name: "group_by",
    signatures: &[
        ("Collection $collection, Callable[1,1] &$block", |call| group_by(call, false)),
        ("Array $array, Callable[2,2] &$block", |call| group_by(call, true)),
        ("Collection $collection, Callable[2,2] &$block", |call| group_by(call, true)),
    ],
    doc: "Groups elements by the result of a block: returns a hash of each result to an array of its elements, in \
          order of first appearance. The block takes the element; for an array also index and element, for a hash also \
          key and value.",
    examples: &[
        ("group_by([1, 2, 3]) |$x| { $x % 2 }", "{1 => [1, 3], 0 => [2]}"),
        ("group_by(['a', 'bb', 'c']) |$x| { length($x) }", "{1 => ['a', 'c'], 2 => ['bb']}"),
    ],
};

pub(super) const PARTITION: Function = Function {
    name: "partition",
    signatures: &[
        ("Collection $collection, Callable[1,1] &$block", |call| partition(call, false)),
        ("Array $array, Callable[2,2] &$block", |call| partition(call, true)),
        ("Collection $collection, Callable[2,2] &$block", |call| partition(call, true)),
    ],
    doc: "Returns an array of two arrays: the elements for which the block returns a true value, and the others. \
          Elements of a hash are pairs `[key, value]`; the block takes the element; for an array also index and \
          element, for a hash also key and value.",
    examples: &[
        ("partition([1, 2, 3]) |$x| { $x > 1 }", "[[2, 3], [1]]"),
        ("partition({a => 1, b => 2}) |$key, $value| { $value > 1 }", "[[['b', 2]], [['a', 1]]]"),
    ],
};

/// Calls the block with an element, or with index (or key) and element.
fn call_block_with(call: &mut Call<'_, '_>, two: bool, at: usize, item: &Value, is_hash: bool) -> Res<Value> {
    match (two, is_hash, item) {
        (false, ..) => call.call_block(std::slice::from_ref(item)),
        (true, true, Value::Array(pair)) => call.call_block(pair),
        _ => call.call_block(&[Value::Int(i64::try_from(at).unwrap_or(i64::MAX)), item.clone()]),
    }
}

fn group_by(call: &mut Call<'_, '_>, two: bool) -> Res<Value> {
    let list = call.arg(0).clone();
    let is_hash = matches!(list, Value::Hash(_));
    let mut groups: IndexMap<Value, Vec<Value>> = IndexMap::new();
    for (at, item) in iterable::items(&list).iter().enumerate() {
        let key = call_block_with(call, two, at, item, is_hash)?;
        groups.entry(key).or_default().push(item.clone());
    }
    Ok(Value::hash(groups.into_iter().map(|(key, items)| (key, Value::array(items))).collect()))
}

fn partition(call: &mut Call<'_, '_>, two: bool) -> Res<Value> {
    let list = call.arg(0).clone();
    let is_hash = matches!(list, Value::Hash(_));
    let (mut yes, mut no) = (Vec::new(), Vec::new());
    for (at, item) in iterable::items(&list).iter().enumerate() {
        if call_block_with(call, two, at, item, is_hash)?.truthy() { &mut yes } else { &mut no }.push(item.clone());
    }
    Ok(Value::array(vec![Value::array(yes), Value::array(no)]))
}

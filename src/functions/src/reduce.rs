//! `reduce` and `slice`.

use crate::Function;
use crate::iterate::sequence;
use catwalk_base::meter;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_value::Value;

/// `reduce`
pub(super) const REDUCE: Function = Function {
    name: "reduce",
    signatures: &[
        ("Iterable $enumerable, Callable[2,2] &$block", reduce),
        ("Iterable $enumerable, Any $memo, Callable[2,2] &$block", reduce),
    ],
    doc: "Reduces items to one value: calls a block with the memo and the next item; its result is the next memo and \
          finally the result. Without a start value the first item is the first memo, and an empty collection returns \
          `undef`. Items of a hash are pairs `[key, value]`.",
    examples: &[
        ("[1, 2, 3].reduce |$memo, $x| { $memo + $x }", "6"),
        ("[1, 2].reduce(10) |$memo, $x| { $memo + $x }", "13"),
        ("{a => 1, b => 2}.reduce(0) |$memo, $pair| { $memo + $pair[1] }", "3"),
    ],
};

fn reduce(call: &mut Call<'_, '_>) -> Res<Value> {
    let iter = sequence(call, call.arg(0))?;
    let mut items = iter.values();
    let mut memo = if call.has_arg(1) {
        call.arg(1).clone()
    } else {
        match items.next() {
            Some(first) => first,
            None => return Ok(Value::Undef),
        }
    };
    for item in items {
        match call.call_block_or_break(&[memo.clone(), item])? {
            Some(value) => memo = value,
            None => break,
        }
    }
    Ok(memo)
}

/// `slice`
pub(super) const SLICE: Function = Function {
    name: "slice",
    signatures: &[
        ("Hash[Any, Any] $hash, Integer[1, default] $slice_size, Optional[Callable] &$block", slice),
        ("Iterable $enumerable, Integer[1, default] $slice_size, Optional[Callable] &$block", slice),
    ],
    doc: "Cuts an array, hash or iterable into arrays of the given size; the last may be shorter. Without a block it \
          returns an array of them; with a block it calls the block with each, as one array or as single parameters, \
          and returns its first argument.",
    examples: &[("[1, 2, 3].slice(2)", "[[1, 2], [3]]"), ("{a => 1, b => 2}.slice(1)", "[[['a', 1]], [['b', 2]]]")],
};

fn slice(call: &mut Call<'_, '_>) -> Res<Value> {
    let subject = call.arg(0);
    if let Value::BigInt(_) = call.arg(1) {
        return call.fail("bignum too big to convert into `long'");
    }
    let size = call.int(1).and_then(|size| usize::try_from(size).ok()).unwrap_or(1).max(1);
    let argument_count = argument_count(call, size)?;
    let filler = if matches!(subject, Value::Hash(_)) { Value::array(Vec::new()) } else { Value::Undef };
    let iter = sequence(call, subject)?;
    if iter.is_unsized() {
        return call.fail("Not yet implemented - computes size lazily");
    }
    // In Ruby no slice is longer than the value, and an empty value has none.
    let size = iter.size().filter(|all| *all < size).map_or(size, |all| if all == 0 { usize::MAX } else { all });
    // The number of slices is checked before the first is created.
    if let (None, Some(all)) = (argument_count, iter.size()) {
        meter::check_elements(all.div_ceil(size));
    }
    let mut items = iter.values();
    let mut result = Vec::new();
    loop {
        let mut part = meter::collect(items.by_ref().take(size));
        if part.is_empty() {
            break;
        }
        let block_result = match argument_count {
            None => {
                result.push(Value::array(part));
                meter::check_elements(result.len());
                continue;
            }
            Some(1) => call.call_block_or_break(&[Value::array(part)])?,
            Some(argument_count) => {
                meter::check_elements(argument_count);
                part.resize(part.len().max(argument_count), filler.clone());
                call.call_block_or_break(&part)?
            }
        };
        if block_result.is_none() {
            break;
        }
    }
    Ok(if argument_count.is_some() { subject.clone() } else { Value::array(result) })
}

/// The number of arguments with which the block is called: 1 (a slice), or the size of a slice. `None` without a block.
fn argument_count(call: &Call<'_, '_>, size: usize) -> Res<Option<usize>> {
    let Some(arity) = call.block_arity() else { return Ok(None) };
    let argument_count = arity.exact().unwrap_or(size);
    if argument_count == 0 {
        return call.fail("slice(): block must define at least one parameter. Block has 0.");
    }
    if argument_count != 1 && argument_count != size {
        // Puppet fails while it formats this message: a block has no `parameter_names`.
        return call.fail("undefined method `parameter_names' for an instance of Puppet::Pops::Evaluator::PuppetProc");
    }
    Ok(Some(argument_count))
}

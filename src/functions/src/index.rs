//! `index`: the position of an element.

use crate::Function;
use crate::iterate::Step;
use crate::iterate::sequence;
use crate::iterate::walk_loop;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_eval::Stop;
use catwalk_value::Iter;
use catwalk_value::Value;

/// `index`
pub(super) const INDEX: Function = Function {
    name: "index",
    signatures: &[
        ("Hash[Any, Any] $hash, Callable[2,2] &$block", |call| find_by_block(call, true)),
        ("Hash[Any, Any] $hash, Callable[1,1] &$block", find_value),
        ("Iterable $enumerable, Callable[2,2] &$block", |call| find_by_block(call, true)),
        ("Iterable $enumerable, Callable[1,1] &$block", |call| find_by_block(call, false)),
        ("String $str, Variant[String,Regexp] $match", find_in_string),
        ("Iterable $enumerable, Any $match", find_equal),
    ],
    doc: "Returns the index of the first element (for a hash: the key of the first entry) that equals the argument or \
          for which a block returns a true value, or `undef`. In a string it searches for a substring or a regular \
          expression.",
    examples: &[
        ("['a', 'b'].index('b')", "1"),
        ("{a => 1, b => 2}.index |$value| { $value == 2 }", "'b'"),
        ("index('abc', /[bc]/)", "1"),
        ("[1].index(2)", "undef"),
    ],
};

fn find_by_block(call: &mut Call<'_, '_>, two: bool) -> Res<Value> {
    if let Value::Iterator(iter) = call.arg(0)
        && iter.is_hash()
    {
        return find_entry(call, iter, two);
    }
    let mut key = Value::Undef;
    walk_loop(call, call.arg(0), two, |_, index, _, result| {
        if !result.truthy() {
            return Step::Continue;
        }
        key = index.clone();
        Step::Stop
    })?;
    Ok(key)
}

/// The key of the first entry of a hash for which `test` is true.
/// (`index.rb`, `hash_style?`)
fn first_key(iter: &Iter, mut test: impl FnMut(&[Value]) -> Res<bool>) -> Res<Value> {
    for pair in iter.remaining() {
        let Value::Array(parts) = &pair else { continue };
        match test(parts) {
            Ok(true) => return Ok(parts.first().cloned().unwrap_or(Value::Undef)),
            Err(Stop::Break(_)) => break,
            no => no?,
        };
    }
    Ok(Value::Undef)
}

fn find_entry(call: &mut Call<'_, '_>, iter: &Iter, two: bool) -> Res<Value> {
    first_key(iter, |parts| {
        let result = call.call_block(if two { parts } else { parts.get(1..).unwrap_or(&[]) })?;
        Ok(result.truthy())
    })
}

/// A hash and a block of one parameter, which receives the values.
fn find_value(call: &mut Call<'_, '_>) -> Res<Value> {
    let Some(entries) = call.hash(0) else { return Ok(Value::Undef) };
    for (key, value) in entries.iter() {
        if call.call_block(std::slice::from_ref(value))?.truthy() {
            return Ok(key.clone());
        }
    }
    Ok(Value::Undef)
}

fn find_in_string(call: &mut Call<'_, '_>) -> Res<Value> {
    let string = call.str(0);
    let at = match call.arg(1) {
        Value::Regexp(regexp) => match regexp.captures(string) {
            Ok(captures) => captures.map(|captures| captures.start()),
            Err(error) => return call.fail(error.message().to_owned()),
        },
        part => string.find(part.as_str().unwrap_or("")),
    };
    let characters = at.and_then(|at| string.get(..at)).map(|before| before.chars().count());
    Ok(characters.and_then(|n| i64::try_from(n).ok()).map_or(Value::Undef, Value::Int))
}

fn find_equal(call: &mut Call<'_, '_>) -> Res<Value> {
    let element = call.arg(1);
    if let Value::Hash(entries) = call.arg(0) {
        let entry = entries.iter().find(|(_, value)| catwalk_eval::ruby_equals(value, element));
        return Ok(entry.map_or(Value::Undef, |(key, _)| key.clone()));
    }
    let iter = sequence(call, call.arg(0))?;
    if iter.is_hash() {
        return first_key(&iter, |parts| {
            Ok(parts.get(1).is_some_and(|value| catwalk_eval::ruby_equals(value, element)))
        });
    }
    for (at, item) in iter.values().enumerate() {
        if catwalk_eval::ruby_equals(&item, element) {
            return Ok(i64::try_from(at).map_or(Value::Undef, Value::Int));
        }
        // The search of a long range must be interruptible.
        if at % 4096 == 4095 {
            call.ev.check_limits()?;
        }
    }
    Ok(Value::Undef)
}

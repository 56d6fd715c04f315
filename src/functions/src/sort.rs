//! `sort`

use crate::Function;
use catwalk_base::meter;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_eval::Stop;
use catwalk_value::Value;
use catwalk_value::ruby;

pub(super) const FUNCTION: Function = Function {
    name: "sort",
    signatures: &[
        ("String $string_value, Optional[Callable[2,2]] &$block", sort_string),
        ("Array $array_value, Optional[Callable[2,2]] &$block", sort_array),
    ],
    doc: "Sorts an array, or the characters of a string. Without a block, numbers and strings cannot be mixed; strings \
          are compared by character code, upper case before lower case. A block compares two elements and returns -1, \
          0 or 1.",
    examples: &[
        ("sort([3, 1, 2])", "[1, 2, 3]"),
        ("sort(['b', 'a', 'C'])", "['C', 'a', 'b']"),
        ("sort([1, 2, 3]) |$a, $b| { compare($b, $a) }", "[3, 2, 1]"),
        ("sort('xadb')", "'abdx'"),
    ],
};

fn sort_string(call: &mut Call<'_, '_>) -> Res<Value> {
    let string = call.str(0);
    let mut buffer = [0; 4];
    let chars = string.chars().map(|c| Value::from(&*c.encode_utf8(&mut buffer))).collect();
    let sorted = sort_values(call, chars)?;
    Ok(Value::from(sorted.iter().filter_map(Value::as_str).collect::<String>()))
}

fn sort_array(call: &mut Call<'_, '_>) -> Res<Value> {
    let Value::Array(items) = call.arg(0) else { return Ok(Value::Undef) };
    Ok(Value::array(sort_values(call, meter::to_vec(items))?))
}

fn sort_values(call: &mut Call<'_, '_>, values: Vec<Value>) -> Res<Vec<Value>> {
    if call.block.is_none() {
        return ruby::sort(values, &mut |a, b| {
            ruby::compare(a, b).ok_or_else(|| Stop::from(ruby::not_comparable(a, b)))
        });
    }
    ruby::sort(values, &mut |a, b| {
        let answer = call.call_block(&[a.clone(), b.clone()])?;
        Ok(ruby::order_from_block(&answer, a, b)?)
    })
}

//! `return`, `next`, `break` and `fail`: end the evaluation of a function, block or compile.

use crate::Function;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_eval::Stop;
use catwalk_eval::runtime3;
use catwalk_value::Type;
use catwalk_value::Value;
use catwalk_value::ruby;

/// `return`
pub(super) const RETURN: Function = Function {
    name: "return",
    signatures: &[("Any $value = undef", |call| Err(Stop::Return(Box::new((call.arg(0).clone(), call.span)))))],
    doc: "Ends the enclosing function, class or defined type; the argument (`undef` by default) is the value of the \
          function. Inside of a block it ends whatever contains the block, not only the block.",
    examples: &[("example::first_even([1, 4, 6])", "4"), ("example::first_even([1])", "undef")],
};

/// `next`
pub(super) const NEXT: Function = Function {
    name: "next",
    signatures: &[("Any $value = undef", |call| Err(Stop::Next(Box::new((call.arg(0).clone(), call.span)))))],
    doc: "Ends the current call of a block and returns the argument (`undef` by default) from it; an iteration \
          continues with its next item.",
    examples: &[
        ("[1, 2, 3].map |$x| { if $x == 2 { next('two') } $x }", "[1, 'two', 3]"),
        ("[1, 2, 3].filter |$x| { if $x == 2 { next() } true }", "[1, 3]"),
    ],
};

/// `break`
pub(super) const BREAK: Function = Function {
    name: "break",
    signatures: &[("", |call| Err(Stop::Break(call.span)))],
    doc: "Ends the innermost iteration as if there were no more items: `map` and `filter` return what they have so \
          far, `reduce` the memo. Outside of an iterating block it is an error.",
    examples: &[
        ("[1, 2, 3].map |$x| { if $x == 2 { break() } $x }", "[1]"),
        ("[1, 2, 3].reduce |$sum, $x| { if $x == 3 { break() } $sum + $x }", "3"),
    ],
};

/// `fail`
pub(super) const FAIL: Function = Function {
    name: "fail",
    signatures: &[("Any *$p0", fail)],
    doc: "Stops compilation with an error. The arguments are converted to strings and joined with spaces; the error \
          has the file, line and column of the call.",
    examples: &[("fail('no', 'way')", "error: no way"), ("if false { fail('never') }", "undef")],
};

fn fail(call: &mut Call<'_, '_>) -> Res<Value> {
    let mut strings = Vec::with_capacity(call.args.len());
    let converted = runtime3::args(call)?.into_owned();
    for (original, arg) in call.args.iter().zip(&converted) {
        if let Value::Array(_) | Value::Hash(_) = arg {
            runtime3::check_printable(arg)?;
        }
        strings.push(match original {
            // 3.x functions receive references as resources, which are printed without quotes.
            Value::Type(data_type) if matches!(data_type, Type::Resource(_) | Type::Class(_)) => {
                match call.ev.catalog_reference(data_type) {
                    Ok(reference) => format!("{}[{}]", reference.type_name, reference.title),
                    Err(_) => ruby::to_s(arg).into_owned(),
                }
            }
            Value::Default => "default".to_owned(),
            _ => ruby::to_s(arg).into_owned(),
        });
    }
    call.fail(strings.join(" "))
}

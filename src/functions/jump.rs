//! `return`, `next`, `break` and `fail`: end what is being evaluated.

use crate::eval::Call;
use crate::eval::Res;
use crate::eval::Stop;
use crate::functions::Function;
use crate::value::Value;

/// `return`
pub(super) const RETURN: Function = Function {
    name: "return",
    signatures: &[("Any $value = undef", |call| Err(Stop::Return(Box::new((call.arg(0).clone(), call.span)))))],
    doc: "Makes the surrounding function, class or define end with a value. In a block it ends what the block is in.",
    examples: &[],
};

/// `next`
pub(super) const NEXT: Function = Function {
    name: "next",
    signatures: &[("Any $value = undef", |call| Err(Stop::Next(Box::new((call.arg(0).clone(), call.span)))))],
    doc: "Makes the surrounding block end with a value; an iteration goes on with the next item.",
    examples: &[("[1, 2, 3].map |$x| { if $x == 2 { next('two') } $x }", "[1, 'two', 3]")],
};

/// `break`
pub(super) const BREAK: Function = Function {
    name: "break",
    signatures: &[("", |call| Err(Stop::Break(call.span)))],
    doc: "Ends the surrounding iteration as if it had come to its end.",
    examples: &[("[1, 2, 3].map |$x| { if $x == 2 { break() } $x }", "[1]")],
};

/// `fail`
pub(super) const FAIL: Function = Function {
    name: "fail",
    signatures: &[("Any *$p0", fail)],
    doc: "Fails with a message: the arguments, joined with blanks.",
    examples: &[],
};

fn fail(call: &mut Call<'_, '_>) -> Res<Value> {
    let texts: Vec<String> = call.args.iter().map(crate::eval::ruby_text).collect();
    call.fail(texts.join(" "))
}

//! `template`, `inline_template`: ERB.

use crate::diag::Reason;
use crate::eval::Call;
use crate::eval::Res;
use crate::functions::Function;
use crate::functions::runtime3;
use crate::value::Value;

pub(super) const TEMPLATE: Function = Function {
    name: "template",
    signatures: &[("Any *$files", erb)],
    doc: "The output of ERB templates (`module/template` or absolute paths), one after the other.",
    examples: &[],
};

pub(super) const INLINE_TEMPLATE: Function = Function {
    name: "inline_template",
    signatures: &[("Any *$templates", erb)],
    doc: "The output of ERB templates given as text, one after the other.",
    examples: &[],
};

fn erb(call: &mut Call<'_, '_>) -> Res<Value> {
    let args = runtime3::at_least(call, 1)?;
    let what = match args.first() {
        Some(Value::Str(file)) if call.name == "template" => format!("ERB templates ({file})"),
        _ => "ERB templates".to_owned(),
    };
    Err(Reason::unsupported(&what).into())
}

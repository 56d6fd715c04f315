//! `pick`, `pick_default`

use crate::Function;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_eval::runtime3;
use catwalk_eval::runtime3::fail;
use catwalk_value::Value;

pub(super) const PICK: Function = Function {
    name: "pick",
    signatures: &[("Any *$args", pick)],
    doc: "Returns the first argument that is neither `undef` nor the empty string; fails if there is none. `false` is \
          a value.",
    examples: &[
        ("pick(undef, '', 'a', 'b')", "'a'"),
        ("pick(undef, false)", "false"),
        ("pick(undef, '')", "error: pick(): must receive at least one non empty value"),
    ],
};

pub(super) const PICK_DEFAULT: Function = Function {
    name: "pick_default",
    signatures: &[("Any *$args", pick_default)],
    doc: "Returns the first argument that is neither `undef` nor the empty string; if there is none, the last \
          argument.",
    examples: &[("pick_default(undef, '')", "''"), ("pick_default(undef, 'a', 'b')", "'a'")],
};

fn has_content(value: &&Value) -> bool {
    !value.is_undef() && value.as_str() != Some("")
}

fn pick(call: &mut Call<'_, '_>) -> Res<Value> {
    let args = runtime3::args(call)?;
    match args.iter().find(has_content) {
        Some(value) => {
            // Puppet checks whether its string is empty.
            if let Value::Array(_) | Value::Hash(_) = value {
                runtime3::check_printable(value)?;
            }
            Ok(value.clone())
        }
        None => fail("pick(): must receive at least one non empty value"),
    }
}

fn pick_default(call: &mut Call<'_, '_>) -> Res<Value> {
    let args = runtime3::args(call)?;
    match args.iter().find(has_content).or(args.last()) {
        Some(value) => Ok(value.clone()),
        None => fail("Must receive at least one argument."),
    }
}

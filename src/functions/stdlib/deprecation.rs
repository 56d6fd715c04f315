//! `deprecation`, `validate_legacy`

use crate::eval::Call;
use crate::eval::Res;
use crate::functions::Function;
use crate::functions::runtime3::fail;
use crate::functions::stdlib::checks;
use crate::functions::stdlib::validate;
use crate::types;
use crate::types::Type;
use crate::types::mismatch;
use crate::value::Value;

pub(super) const DEPRECATION: Function = Function {
    name: "deprecation",
    signatures: &[("String $key, String $message", |call| {
        checks::deprecated(call, call.str(0), call.str(1))?;
        Ok(Value::Undef)
    })],
    doc: "A deprecation warning, or a failure when the setting `strict` is `error`.",
    examples: &[],
};

pub(super) const VALIDATE_LEGACY: Function = Function {
    name: "validate_legacy",
    signatures: &[
        ("Type $target_type, String $function_name, Any $value, Any *$args", |call| match call.arg(0) {
            Value::Type(target) => validate_legacy(call, target),
            _ => Ok(Value::Undef),
        }),
        ("String $type_string, String $function_name, Any $value, Any *$args", |call| {
            let target = call.ev.type_of_text(call.str(0))?;
            validate_legacy(call, &target)
        }),
    ],
    doc: "Fails unless a value is of a type, or an old assertion accepts it.",
    examples: &[
        ("validate_legacy(String, 'validate_string', 'a')", "undef"),
        ("validate_legacy('Optional[Integer]', 'validate_integer', 1)", "undef"),
    ],
};

fn validate_legacy(call: &mut Call<'_, '_>, target: &Type) -> Res<Value> {
    let (name, value) = (call.str(1), call.arg(2));
    let passes_before = |call: &mut Call<'_, '_>| -> Res<bool> {
        let args = call.args.get(2..).unwrap_or_default();
        match validate::check(name) {
            Some(check) => {
                if name == "validate_absolute_path" {
                    checks::warn_of_paths(call, args);
                }
                Ok(check(args).is_ok())
            }
            None => Ok(call.call_function(name, args).is_ok()),
        }
    };
    let passed = passes_before(call)?;
    if types::is_instance(target, value) {
        if !passed {
            let text = format!("Accepting previously invalid value for target type '{target}'");
            call.log(crate::diag::Severity::Notice, text);
        }
        return Ok(Value::Undef);
    }
    let what = format!("validate_legacy({name})");
    let text = mismatch::describe_mismatch(&what, target, &types::infer_set(value));
    if passed {
        checks::deprecated(call, "validate_legacy", &text)?;
        return Ok(Value::Undef);
    }
    fail(text)
}

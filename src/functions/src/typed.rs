//! `new`, `type`, `assert_type`.

use crate::Function;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_value::Type;
use catwalk_value::Value;
use catwalk_value::mismatch;

/// `new`
pub(super) const NEW: Function = Function {
    name: "new",
    signatures: &[("Type $type, Any *$args, Optional[Callable] &$block", new)],
    doc: "Creates a value of a type from its arguments; `Integer('42')` is short for `Integer.new('42')`. `catwalk \
          docs datatypes` shows the arguments of each type. A block receives the new value and its value is the \
          result. A conversion that is not possible is an error.",
    examples: &[
        ("Integer('42')", "42"),
        ("Integer.new('0x10', 16)", "16"),
        ("new(Boolean, 'yes')", "true"),
        ("Integer('x')", "error: The string 'x' cannot be converted to Integer"),
    ],
};

fn new(call: &mut Call<'_, '_>) -> Res<Value> {
    let Value::Type(t) = call.arg(0) else { return Ok(Value::Undef) };
    let args = call.args.get(1..).unwrap_or_default();
    if let [only] = args
        && !matches!(t, Type::Init(_))
        && catwalk_value::is_instance(t, only)
    {
        // The block is not called in this case.
        return Ok(only.clone());
    }
    let value = call.ev.new_instance(t, args)?;
    call.ev.note_deferred(&value, call.span);
    if call.has_block() { call.call_block(&[value]) } else { Ok(value) }
}

/// `type`
pub(super) const TYPE: Function = Function {
    name: "type",
    signatures: &[
        ("Any $value, Enum[detailed] $inference_method = 'detailed'", |call| {
            Ok(Value::Type(catwalk_value::infer_set(call.arg(0))))
        }),
        ("Any $value, Enum[reduced] $inference_method", |call| Ok(Value::Type(catwalk_value::infer(call.arg(0))))),
        ("Any $value, Enum[generalized] $inference_method", |call| {
            Ok(Value::Type(catwalk_value::generalize(&catwalk_value::infer(call.arg(0)))))
        }),
    ],
    doc: "Returns the type of a value: in detail, with the type of every element; `reduced` to one type for all \
          elements; or `generalized`, without lengths and ranges.",
    examples: &[
        ("type(1)", "Integer[1, 1]"),
        ("type([1, 'a'], 'reduced')", "Array[ScalarData, 2, 2]"),
        ("type([1, 2], 'generalized')", "Array[Integer]"),
    ],
};

/// `assert_type`
pub(super) const ASSERT_TYPE: Function = Function {
    name: "assert_type",
    signatures: &[
        ("Type $type, Any $value, Optional[Callable[Type, Type]] &$block", |call| match call.arg(0) {
            Value::Type(t) => assert_type(call, t),
            _ => Ok(Value::Undef),
        }),
        ("String $type_string, Any $value, Optional[Callable[Type, Type]] &$block", |call| {
            let t = call.ev.parse_type(call.str(0))?;
            assert_type(call, &t)
        }),
    ],
    doc: "Returns the value if it is an instance of the type; otherwise fails with a description of the mismatch. A \
          block is called instead of failing, with the expected and the actual type, and its value is the result. The \
          type may also be given as a string.",
    examples: &[
        ("assert_type(Integer, 1)", "1"),
        ("assert_type(Integer, 'a') |$expected, $actual| { \"no ${expected}\" }", "'no Integer'"),
        ("assert_type(String[1], '')", "error: expects a String[1] value, got String"),
    ],
};

fn assert_type(call: &mut Call<'_, '_>, t: &Type) -> Res<Value> {
    let value = call.arg(1);
    let fits = catwalk_value::is_instance(t, value);
    if !fits || matches!(t.resolved(), Type::Init(_)) {
        mismatch::check_describable(t, value)?;
    }
    if fits {
        return Ok(value.clone());
    }
    let actual = catwalk_value::infer_set(value);
    if call.has_block() {
        return call.call_block(&[Value::Type(t.clone()), Value::Type(actual)]);
    }
    call.fail(mismatch::describe_mismatch("assert_type():", t, &actual))
}

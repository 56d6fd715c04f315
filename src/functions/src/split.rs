//! `split`

use std::sync::Arc;

use crate::Function;
use catwalk_base::diag::Reason;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_regexp::Regexp;
use catwalk_value::Type;
use catwalk_value::Value;
use catwalk_value::secret;

pub(super) const FUNCTION: Function = Function {
    name: "split",
    signatures: &[
        ("String $str, String $pattern", split),
        ("String $str, Regexp $pattern", split),
        ("String $str, Type[Regexp] $pattern", split),
    ],
    doc: "Splits a string where a pattern matches and returns an array of the parts. A pattern given as a string is a \
          regular expression, too, so `'.'` matches every character. Empty parts at the end are dropped, parts matched \
          by groups are added; an empty pattern splits into characters.",
    examples: &[
        ("split('a,b,,', ',')", "['a', 'b']"),
        ("split('a.b', '[.]')", "['a', 'b']"),
        ("split('a1b2c', /(\\d)/)", "['a', '1', 'b', '2', 'c']"),
    ],
};

/// `split` of Puppet 8.
pub(super) const FUNCTION_8: Function = Function {
    signatures: &[
        ("String $str, String $pattern", split),
        ("String $str, Regexp $pattern", split),
        ("String $str, Type[Regexp] $pattern", split),
        ("Sensitive[String] $sensitive, String $pattern", split),
        ("Sensitive[String] $sensitive, Regexp $pattern", split),
        ("Sensitive[String] $sensitive, Type[Regexp] $pattern", split),
    ],
    ..FUNCTION
};

fn split(call: &mut Call<'_, '_>) -> Res<Value> {
    let (string, sensitive) = match call.arg(0) {
        Value::Sensitive(inner) => {
            secret::reveal(inner, call.ev.world.secrets());
            (inner.as_ref(), true)
        }
        string => (string, false),
    };
    let Value::Str(string) = string else { return Ok(Value::Undef) };
    let compiled;
    let regexp = match call.arg(1) {
        Value::Regexp(regexp) | Value::Type(Type::Regexp(Some(regexp))) => regexp.as_ref(),
        Value::Str(source) => {
            compiled = Regexp::new(source.as_ref());
            &compiled
        }
        // `Regexp` without a pattern splits between all characters.
        _ => {
            compiled = Regexp::new("");
            &compiled
        }
    };
    let parts = regexp.split(string, 0).map_err(|error| Reason::runtime(error.message().to_owned()))?;
    let parts = Value::array(parts.into_iter().map(|part| Value::derived(string, part)).collect());
    Ok(if sensitive { Value::Sensitive(Arc::new(parts)) } else { parts })
}

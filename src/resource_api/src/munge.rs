//! Conversion and checks of single values (Puppet::ResourceApi::DataTypeHandling).
//!
//! In: a data type and a value. Out: the converted value, or the reason for a mismatch. Must not: know resources.

use std::sync::LazyLock;

use catwalk_regexp::Regexp;
use catwalk_value::Type;
use catwalk_value::Value;
use catwalk_value::generalize;
use catwalk_value::infer_set;
use catwalk_value::is_instance;
use catwalk_value::mismatch::describe_mismatch;
use catwalk_value::number::parse_number;
use catwalk_value::ruby;

/// Strings that are numbers (`Puppet::Pops::Patterns::NUMERIC`), or only digits.
static NUMERIC: LazyLock<Regexp> = LazyLock::new(|| {
    Regexp::new(
        r"^-?\d+$|\A[[:blank:]]*([-+]?)[[:blank:]]*((0[xX][0-9A-Fa-f]+)|(0?\d+)((?:\.\d+)?(?:[eE]-?\d+)?))[[:blank:]]*\z",
    )
});

/// The origin of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// A catalog: values keep the types of the manifest.
    Catalog,
    /// The command line of `catwalk resource`: strings are converted to the data type.
    CommandLine,
}

/// Checks a value against a data type, after converting it if it is from a command line (`DataTypeHandling.mungify`). `subject`
/// begins the message: `thing.num`.
///
/// # Errors
///
/// `thing.num expects a value of type Undef or Integer, got String`
pub fn mungify(data_type: &Type, value: &Value, subject: &str, origin: Origin, secret: bool) -> Result<Value, String> {
    let value = match (origin, value) {
        (Origin::CommandLine, value) => convert(data_type, value, subject, secret, 0)?,
        // Puppet's workaround for boolean properties (PUP-2368).
        (Origin::Catalog, Value::Symbol(name)) if &**name == "false" => Value::Bool(false),
        (Origin::Catalog, Value::Symbol(name)) if &**name == "true" => Value::Bool(true),
        (Origin::Catalog, value) => value.clone(),
    };
    match mismatch(data_type, &value, subject, secret) {
        Some(message) => Err(message),
        None => Ok(value),
    }
}

/// The reason why a value does not match a data type (`DataTypeHandling.try_validate`); `None` if it matches. With `secret`,
/// the message does not contain the value.
#[must_use]
pub fn mismatch(data_type: &Type, value: &Value, subject: &str, secret: bool) -> Option<String> {
    if is_instance(data_type, value) {
        return None;
    }
    let inferred = infer_set(value);
    let inferred = if secret { generalize(&inferred) } else { inferred };
    Some(describe_mismatch(subject, data_type, &inferred))
}

/// Maximum nesting of data types during conversion.
const MAX_DEPTH: usize = 100;

/// `DataTypeHandling.try_mungify`
fn convert(data_type: &Type, value: &Value, subject: &str, secret: bool, depth: usize) -> Result<Value, String> {
    let mut value = value.clone();
    let convert_inner = |data_type: &Type, value: &Value| convert(data_type, value, subject, secret, depth + 1);
    match data_type {
        _ if depth > MAX_DEPTH => {}
        Type::Array(array) => {
            if let Value::Array(items) = &value {
                let converted: Result<Vec<Value>, String> =
                    items.iter().map(|item| convert_inner(&array.element, item)).collect();
                // If one conversion fails, the whole value is checked unconverted.
                if let Ok(items) = converted {
                    value = Value::array(items);
                }
            }
        }
        Type::Boolean(_) => match as_word(&value) {
            Some("true") => value = Value::Bool(true),
            Some("false") => value = Value::Bool(false),
            _ => {}
        },
        Type::Integer(_) | Type::BigInteger(_) | Type::Float(_) | Type::Numeric => {
            if let Some(number) = value.as_str().and_then(number_or_undef) {
                value = number;
            }
        }
        Type::Enum(_) | Type::String | Type::StringSize(_) | Type::StringValue(_) | Type::Pattern(_) => {
            if let Value::Symbol(name) = &value {
                value = Value::Str(name.clone().into());
            }
        }
        Type::Optional(_) if value.is_undef() => return Ok(value),
        Type::Optional(Some(inner)) => return convert_inner(inner, &value),
        Type::Variant(types) => {
            let string = types.iter().find(|candidate| is_string(candidate));
            let others = types.iter().filter(|candidate| Some(*candidate) != string);
            let mut converted: Vec<Value> =
                others.filter_map(|candidate| convert_inner(candidate, &value).ok()).collect();
            if converted.len() > 1 {
                let printed = if secret { "a secret value".to_owned() } else { ruby::inspect(&value) };
                return Err(format!("{subject} {printed} is not unabiguously convertable to {data_type}"));
            }
            if let Some(only) = converted.pop() {
                return Ok(only);
            }
            if let Some(string) = string {
                return convert_inner(string, &value);
            }
        }
        _ => {}
    }
    match mismatch(data_type, &value, subject, secret) {
        Some(message) => Err(message),
        None => Ok(value),
    }
}

/// The contents of a string or symbol.
fn as_word(value: &Value) -> Option<&str> {
    match value {
        Value::Str(text) => Some(text),
        Value::Symbol(text) => Some(text),
        _ => None,
    }
}

fn is_string(data_type: &Type) -> bool {
    matches!(data_type, Type::String | Type::StringSize(_) | Type::StringValue(_))
}

/// The number that a string spells. As in Puppet, a string with several lines, one of them only digits, is `undef`.
fn number_or_undef(text: &str) -> Option<Value> {
    NUMERIC.is_match(text).unwrap_or(false).then(|| parse_number(text).unwrap_or(Value::Undef))
}

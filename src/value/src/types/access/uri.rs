//! `URI['…']` and `URI[{…}]`.

use std::sync::Arc;
use std::sync::OnceLock;

use super::Result;
use super::argument_error;
use super::bad_arity;
use super::bad_type;
use crate::types::Type;
use crate::types::mismatch::assert_instance;
use crate::value::Uri;
use crate::value::Value;
use catwalk_base::diag::Reason;

pub(super) fn uri(keys: &[Value]) -> Result<Type> {
    match keys {
        [Value::Str(text)] if !text.is_empty() => {
            if !Uri::contains_scheme(text) {
                return Err(argument_error(uri_error(text)));
            }
            let uri = Uri::parse(text).map_err(argument_error)?;
            Ok(Type::Uri(uri.type_parameters().map(Arc::new)))
        }
        [key @ Value::Hash(_)] if !crate::types::is_instance(uri_parameters(), key) => {
            Err(bad_type(0, "URI-Type", key))
        }
        [Value::Hash(parts)] => Ok(Type::Uri((!parts.is_empty()).then(|| parts.clone()))),
        [key] => Err(bad_type(0, "URI-Type", key)),
        _ => Err(bad_arity("URI-Type", 1, None, keys.len())),
    }
}

fn uri_error(text: &str) -> String {
    // Puppet shows the regular expression of Ruby's library here.
    format!("URI-Type parameter has wrong type, expects a match for Pattern[/(?x-mi: RFC 2396 /], got '{text}'")
}

/// Checks a parameter as the constructor does, if nothing checked it before.
///
/// # Errors
///
/// It is neither a URI nor a hash of its parts.
pub(in crate::types) fn assert_parameter(key: &Value) -> std::result::Result<(), Reason> {
    match key {
        Value::Str(text) if text.is_empty() => Err(Reason::runtime(uri_error(text))),
        Value::Hash(_) => {
            let expected = Type::variant(vec![Type::non_empty_string(), uri_parameters().clone()]);
            assert_instance("URI-Type parameter", &expected, key).map_err(|reason| Reason::runtime(reason.message))
        }
        _ => Ok(()),
    }
}

/// The type of the parts in `URI[{…}]`. (`PURIType::TYPE_URI_PARAM_TYPE`)
fn uri_parameters() -> &'static Type {
    static SHAPE: OnceLock<Type> = OnceLock::new();
    SHAPE.get_or_init(|| {
        let text = "Optional[Variant[String[1], Regexp, Type[Pattern], Type[Enum], Type[NotUndef], Type[Undef]]]";
        let parts = ["scheme", "userinfo", "host", "path", "query", "fragment", "opaque"];
        let mut all: Vec<String> = parts.iter().map(|part| format!("Optional[{part}] => {text}")).collect();
        all.push("Optional[port] => Optional[Variant[Integer[0], Type[NotUndef], Type[Undef]]]".to_owned());
        let all = format!("Struct[{{{}}}]", all.join(", "));
        crate::types::parse_type(&all, &mut crate::types::NoAliases).unwrap_or(Type::Any)
    })
}

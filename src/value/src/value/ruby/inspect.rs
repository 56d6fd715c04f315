//! `to_s` of values.

use std::borrow::Cow;

use crate::value::Value;
use crate::value::ruby::inspect;

/// `Object#to_s`: text as it is, `undef` as nothing, collections as they are inspected.
pub fn to_s(value: &Value) -> Cow<'_, str> {
    match value {
        Value::Undef => Cow::Borrowed(""),
        Value::Str(text) => Cow::Borrowed(text),
        Value::Symbol(name) => Cow::Borrowed(name),
        Value::Ruby(object) => Cow::Borrowed(&object.text),
        Value::Default => Cow::Borrowed("default"),
        Value::Sensitive(_) => Cow::Borrowed("Sensitive [value redacted]"),
        Value::Uri(uri) => Cow::Owned(uri.to_string()),
        Value::Binary(_) => Cow::Owned(crate::value::to_puppet_string(value).as_ref().to_owned()),
        Value::Type(data_type) => Cow::Owned(data_type.to_string()),
        Value::SemVerRange(range) => Cow::Owned(range.to_string()),
        Value::Regexp(regexp) => Cow::Owned(catwalk_regexp::to_s(regexp.source(), "")),
        other => Cow::Owned(inspect(other)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn collections() {
        let value = Value::array(vec![Value::Undef, Value::from("a"), Value::Bool(true), Value::array(vec![])]);
        assert_eq!(inspect(&value), "[nil, \"a\", true, []]");
        assert_eq!(to_s(&Value::Undef), "");
    }
}

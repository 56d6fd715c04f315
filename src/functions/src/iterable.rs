//! Elements of iterable values.

use std::borrow::Cow;

use catwalk_value::Iter;
use catwalk_value::Value;

/// The elements of an iterable value in order: pairs `[key, value]` for a hash, characters for a string, numbers from 0 for an
/// integer. Empty for a value that is not iterable.
pub(super) fn items(value: &Value) -> Cow<'_, [Value]> {
    match value {
        Value::Array(items) => Cow::Borrowed(items),
        other => Cow::Owned(Iter::over(other).map(|iter| iter.to_vec()).unwrap_or_default()),
    }
}

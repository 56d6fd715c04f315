//! Abbreviated lists of names.

use std::borrow::Cow;

use crate::visible;

/// The first `most` names of a list and the number of the others: `web1, web2 and 302 more`. Control characters in names are visible.
#[must_use]
pub fn abbreviate(names: &[impl AsRef<str>], most: usize) -> String {
    let first: Vec<Cow<'_, str>> = names.iter().take(most).map(|name| visible::line(name.as_ref())).collect();
    match names.len().saturating_sub(most) {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

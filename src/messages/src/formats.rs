//! Messages as text for people and as JSON.

use std::borrow::Cow;

use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Severity;
use catwalk_base::diag::group::Group;
use catwalk_base::diag::group::on_nodes;
use catwalk_base::diag::render;
use catwalk_base::diag::visible;
use catwalk_base::source::SourceMap;

/// A message for people: an excerpt with the next command, or a line of a log as Puppet prints it. `color`: whether to use colours.
#[must_use]
pub fn human(group: &Group<'_>, sources: &SourceMap, color: bool) -> String {
    let Group { diagnostic, nodes } = group;
    // Messages of notice() and warning() are printed as Puppet prints them. Their later lines are indented, since each line that begins
    // at the margin is a message.
    let is_log_message = diagnostic.span.is_none()
        && diagnostic.code == Code::RUNTIME_ERROR
        && diagnostic.help.is_none()
        && diagnostic.locations.is_empty();
    if diagnostic.severity <= Severity::Notice || (is_log_message && diagnostic.severity == Severity::Warning) {
        let node = if nodes.is_empty() { String::new() } else { format!("{}: ", on_nodes(nodes)) };
        let text = format!("{}: {node}{}", diagnostic.severity.as_str(), diagnostic.message_with_source());
        return visible::message(&text).into_owned();
    }
    let helped = with_next_command(diagnostic);
    let mut text = render::human(&helped, sources, color);
    match nodes.as_slice() {
        [] => {}
        [one] => text.push_str(&format!("\n  = node: {}", visible::line(one))),
        several => text.push_str(&format!("\n  = {}", visible::line(&on_nodes(several)))),
    }
    text
}

/// Adds the next command for the error's code as a hint, if the error has no hint.
fn with_next_command(diagnostic: &Diagnostic) -> Cow<'_, Diagnostic> {
    let is_failure = diagnostic.severity >= Severity::Error && diagnostic.help.is_none();
    match diagnostic.code.next_command().filter(|_| is_failure) {
        Some(next) => Cow::Owned(Diagnostic { help: Some(next.into()), ..diagnostic.clone() }),
        None => Cow::Borrowed(diagnostic),
    }
}

/// Whether a message has a code; what a manifest logs has none.
#[must_use]
pub fn has_code(diagnostic: &Diagnostic) -> bool {
    diagnostic.severity >= Severity::Error || diagnostic.code != Code::RUNTIME_ERROR
}

/// A message as an object; `message` is without the location, which has members of its own. One node is `node`, several are `nodes`.
#[must_use]
pub fn json(group: &Group<'_>, sources: &SourceMap) -> serde_json::Value {
    let Group { diagnostic, nodes } = group;
    let position = match diagnostic.data_location() {
        Some(location) => Some((location.path.to_string_lossy().into_owned(), location.line, location.column)),
        None => {
            let position = diagnostic.span.and_then(|span| sources.locate(span));
            position.map(|(source, line, column)| (source.name.to_string(), line, column))
        }
    };
    let mut object = serde_json::Map::new();
    object.insert("level".to_owned(), diagnostic.severity.as_str().into());
    object.insert("message".to_owned(), sources.hide(&diagnostic.message).into());
    if let Some(source) = &diagnostic.source {
        object.insert("source".to_owned(), source.as_ref().into());
    }
    object.insert("file".to_owned(), position.as_ref().map(|(file, ..)| file.as_str()).into());
    object.insert("line".to_owned(), position.as_ref().map(|(_, line, _)| *line).into());
    object.insert("pos".to_owned(), position.as_ref().map(|(_, _, column)| *column).into());
    object.insert("code".to_owned(), has_code(diagnostic).then_some(diagnostic.code.as_str()).into());
    match nodes.as_slice() {
        [] => None,
        [one] => object.insert("node".to_owned(), (*one).into()),
        several => object.insert("nodes".to_owned(), several.to_vec().into()),
    };
    if let Some(help) = &with_next_command(diagnostic).help {
        object.insert("help".to_owned(), sources.hide(help).into());
    }
    serde_json::Value::Object(object)
}

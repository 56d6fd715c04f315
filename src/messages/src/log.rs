//! The receiver of the messages of a library that works for a command.

use serde_json::Value;

use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::group::Group;
use catwalk_base::source::SourceMap;

/// Receives messages while work is done, from any thread.
pub trait MessageLog: Send + Sync {
    /// A message of nodes as it is written, with a newline at its end.
    fn text(&self, group: &Group<'_>, sources: &SourceMap) -> String;

    /// Writes a message of nodes.
    fn write_group(&self, group: &Group<'_>, sources: &SourceMap);

    /// Writes a message about a file or a service, which has no position in a source.
    fn report(&self, diagnostic: &Diagnostic);

    /// Writes a line for people; nothing in the formats for programs.
    fn note(&self, text: &str);

    /// Writes one line of a log: for people the text, else the object.
    fn line(&self, text: &str, object: &Value);
}

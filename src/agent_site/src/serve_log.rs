//! The receiver of messages while requests are handled.

use catwalk_base::diag::Diagnostic;
use catwalk_base::source::SourceMap;

/// Receives messages while requests are handled; called from many threads.
pub trait ServeLog: Send + Sync {
    /// A message of a compile of a node, or of the server itself.
    fn diagnostic(&self, diagnostic: &Diagnostic, sources: &SourceMap, node: Option<&str>);

    /// An event, as one line.
    fn note(&self, text: &str);

    /// Called after a change of the site: messages that were printed may be printed again.
    fn forget(&self);
}

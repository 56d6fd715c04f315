//! The state of a node between edits: its last catalog, and the inputs of its compile.
//!
//! In: compiles. Out: the comparison of each with what was reported before; whether the inputs are unchanged. Must not: know other nodes.

use std::sync::Arc;

use crate::session::Compiled;
use crate::session::Session;
use crate::session::Uses;
use crate::session::answers;
use crate::session::answers::CurrentAnswers;
use crate::session::answers::NewAnswers;
use crate::session::answers::NodeRecord;
use crate::session::differ::diff_catalogs;
use crate::session::questions::Checks;
use crate::session::questions::Recorded;
use crate::session::update::NodeUpdate;
use crate::session::update::Outcome;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::secrets::Redacted;
use catwalk_base::source::SourceMap;
use catwalk_catalog::Catalog;
use catwalk_catalog::Exports;
use catwalk_formats::diff::Diff;
use catwalk_formats::diff::comparable::Form;
use catwalk_formats::wire;
use catwalk_world::Reads;

/// The state of a node between edits.
#[derive(Debug, Default)]
pub(super) struct NodeState {
    /// The last successful catalog.
    pub(super) catalog: Option<Catalog>,
    pub(super) reads: Reads,
    pub(super) uses: Uses,
    /// The error, if it does not compile.
    pub(super) failure: Option<Box<Diagnostic>>,
    /// The error as Puppet prints it: when it is compared later, the file of its position may have changed.
    pub(super) failure_message: Option<String>,
    pub(super) logs: Vec<Diagnostic>,
    pub(super) collects: bool,
    /// Exported resources that other nodes may collect, kept only with `--exported site`.
    pub(super) exports: Option<Arc<Exports>>,
    /// The state that was reported last, if it has changed since.
    pub(super) reported: Option<ReportedState>,
}

/// The state of a node that was reported last.
#[derive(Debug)]
pub(super) struct ReportedState {
    /// The error, as Puppet prints it.
    failure: Option<String>,
    /// The catalog, if it is not the last successful one.
    catalog: Option<Option<Catalog>>,
}

impl NodeState {
    /// Stores the result of a compile and compares it with what was reported before.
    ///
    /// # Errors
    /// A catalog cannot be written as a document.
    pub(super) fn keep(&mut self, compiled: Compiled, sources: &SourceMap) -> Result<NodeUpdate, Reason> {
        (self.reads, self.uses, self.collects) = (compiled.reads, compiled.uses, compiled.collects);
        self.logs.clone_from(&compiled.logs);
        self.exports = exported_resources(&compiled.result);
        let before = self.failure_message.take();
        let reported = self.reported.get_or_insert(ReportedState { failure: before, catalog: None });
        let outcome = match compiled.result {
            Err(diagnostic) => {
                self.failure = Some(diagnostic.clone());
                self.failure_message = Some(diagnostic.puppet_text(sources));
                let is_repeated = reported.failure == self.failure_message;
                Outcome::Failed { error: diagnostic, is_repeated }
            }
            Ok(catalog) => {
                self.failure = None;
                let before = self.catalog.take();
                let before = reported.catalog.get_or_insert(before);
                let outcome = match before {
                    None => Outcome::First(catalog.len()),
                    Some(before) => {
                        let diff = diff_catalogs(before, &catalog)?;
                        debug_assert_eq!(diff, complete_diff(before, &catalog)?);
                        match diff.is_empty() {
                            true => Outcome::Same { recovered: reported.failure.is_some() },
                            false => Outcome::Changed(Box::new(diff)),
                        }
                    }
                };
                self.catalog = Some(catalog);
                outcome
            }
        };
        Ok(NodeUpdate { certname: compiled.certname, outcome, logs: compiled.logs, elapsed: compiled.elapsed })
    }

    /// Compares what depends on the node. `None`: an input has changed.
    pub(super) fn check(
        &mut self,
        certname: &str,
        session: &Session,
        answers: &mut CurrentAnswers,
        checks: Checks,
    ) -> Option<NewAnswers> {
        let failed = self.failure.is_some();
        let mut record = NodeRecord { certname, uses: &mut self.uses, logs: &self.logs, failed };
        let new = answers.check_node(session, &mut record, checks)?;
        if let (Some(catalog), Some(version)) = (&mut self.catalog, &new.version) {
            catalog.version = version.clone();
        }
        Some(new)
    }

    /// The compile, to record its questions.
    pub(super) fn recorded<'a>(&'a mut self, certname: &'a Arc<str>) -> Recorded<'a> {
        let logs_positions = self.failure.is_some() || answers::has_positions(&self.logs);
        let catalog = self.catalog.as_ref().filter(|_| !logs_positions);
        Recorded { certname, reads: &mut self.reads, uses: &mut self.uses, catalog, logs_positions }
    }
}

/// The difference of two catalogs, computed from their complete documents.
fn complete_diff(before: &Catalog, after: &Catalog) -> Result<Diff, Reason> {
    let secrets = before.secrets.union(&after.secrets, after.secrets.key());
    let document = |catalog| wire::native::document(catalog).map(|document| Redacted::new(document, &secrets));
    Ok(catwalk_formats::diff::diff(&document(before)?, &document(after)?, Form::Native))
}

/// The exported resources of a catalog.
pub(super) fn exported_resources(result: &Result<Catalog, Box<Diagnostic>>) -> Option<Arc<Exports>> {
    let catalog = result.as_ref().ok()?;
    catalog.resources.iter().any(|resource| resource.exported == Some(true)).then_some(())?;
    Exports::from_catalog(&catalog.name, catalog, &wire::puppetdb::document_of_version_4(catalog).ok()?)
        .ok()
        .map(Arc::new)
}

//! The result of a comparison as annotations: errors at their code, changed resources at their declarations on the new side.
//!
//! In: a [`Report`]. Out: [`Annotation`]s, those of the change first. Must not: print.

use std::path::PathBuf;
use std::sync::Arc;

use crate::human::render_changes;
use crate::report::Change;
use crate::report::FailureKind;
use crate::report::Group;
use crate::report::Report;
use catwalk_base::diag::Code;
use catwalk_base::diag::Severity;
use catwalk_base::names::abbreviate;

use catwalk_messages::Annotation;

/// The maximum number of nodes that an annotation names.
const NAMES: usize = 8;

/// The annotations of a report. `roots`: the sites, to which paths in messages are relative.
#[must_use]
pub fn annotations(report: &Report, roots: &[String]) -> Vec<Annotation> {
    let mut annotations = Vec::new();
    let mut unchanged = Vec::new();
    for failures in &report.failures {
        let (Some(new), Some((code, position))) = (&failures.new, &failures.origin) else { continue };
        let nodes = on_nodes(&failures.nodes);
        let is_new = failures.kind != FailureKind::Both;
        let (severity, message) = match is_new {
            true => (Severity::Error, format!("no longer compiles {nodes}: {new}")),
            false => (Severity::Warning, format!("fails on both sides {nodes}: {new}")),
        };
        let (file, line, column) = match position {
            Some((file, line, column)) => (Some(file.clone()), Some(*line), Some(*column)),
            None => (None, None, None),
        };
        let title = Some(code.to_string());
        let annotation = Annotation { file, line, column, title, ..Annotation::new(severity, message) };
        if is_new { annotations.push(annotation) } else { unchanged.push(annotation) }
    }
    for group in &report.groups {
        for change in &group.changes {
            annotations.push(change_annotation(group, change, roots));
        }
    }
    annotations.append(&mut unchanged);
    annotations
}

fn change_annotation(group: &Group, change: &Change, roots: &[String]) -> Annotation {
    // The old side's declarations are not in the files of the new side.
    let location = match change {
        Change::Added(item) | Change::Changed(item) => item.location.as_deref(),
        Change::EdgeAdded(edge) => edge.location.as_deref(),
        Change::Removed(_) | Change::EdgeRemoved(_) => None,
    };
    let position = location.and_then(|location| location.rsplit_once(':'));
    let position = position.and_then(|(file, line)| Some((PathBuf::from(file), line.parse().ok()?)));
    let alone = Group { nodes: group.nodes.clone(), changes: vec![change.clone()] };
    let message =
        format!("changed {}\n{}", on_nodes(&group.nodes), render_changes(&alone, roots, usize::MAX, false).trim_end());
    let (file, line) = position.map_or((None, None), |(file, line)| (Some(file), Some(line)));
    let title = Some(Code::CATALOG_DIFFERS.to_string());
    Annotation { file, line, title, ..Annotation::new(Severity::Notice, message) }
}

/// `on web1`, `on 3 nodes: a, b, c`
fn on_nodes(nodes: &[Arc<str>]) -> String {
    match nodes {
        [one] => format!("on {one}"),
        several => format!("on {} nodes: {}", several.len(), abbreviate(several, NAMES)),
    }
}

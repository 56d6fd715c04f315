//! The result of a migration for a terminal.

use std::path::Path;

use crate::legacy_facts::LegacyFact;
use crate::levers::Lever;
use crate::migration::Finding;
use crate::migration::Migration;
use catwalk_base::diag::visible;
use catwalk_compare as compare;
use catwalk_compare::FailureKind;
use catwalk_compare::Failures;
use catwalk_compare::count_noun;
use catwalk_compare::list_names;
use catwalk_node::facts::overrides::manifest_expression;

/// How many names of nodes, and how many places, are listed.
const MAX_NAMES: usize = 5;

/// The result for a terminal. Paths are relative to `roots`.
#[must_use]
pub fn human(migration: &Migration, roots: &[String], color: bool) -> String {
    let (from, to) = (migration.from.release, migration.to.release);
    let mut out = format!("From Puppet {from} to {to}\n");
    if !migration.legacy_facts.is_empty() {
        out.push_str(&format!("\nLegacy facts, which agents of {to} do not send:\n"));
        migration.legacy_facts.iter().for_each(|fact| out.push_str(&legacy_fact(fact, roots)));
    }
    for (failures, lever) in migration.report.failures.iter().zip(&migration.failure_levers) {
        out.push_str(&failure(failures, *lever));
    }
    for (group, lever) in migration.report.groups.iter().zip(&migration.group_levers) {
        let nodes = format!("{}: {}", count_noun(group.nodes.len(), "node"), list_names(&group.nodes, MAX_NAMES));
        out.push_str(&format!("\nCatalogs differ on {nodes}\n"));
        let changes = compare::render_changes(group, roots, 10, color);
        changes.lines().for_each(|line| out.push_str(&format!("  {line}\n")));
        out.push_str(&explanation(*lever));
    }
    let checksums = "These contents are written as they are; before, they named content in a filebucket";
    for (title, findings) in [("New warnings", &migration.warnings), (checksums, &migration.checksum_contents)] {
        if !findings.is_empty() {
            out.push_str(&format!("\n{title}:\n"));
            findings.iter().for_each(|found| out.push_str(&finding(found)));
        }
    }
    out.push_str(&format!("\n{}\n", migration.report.summary()));
    out
}

fn legacy_fact(fact: &LegacyFact, roots: &[String]) -> String {
    let structured = match fact.has_same_value {
        true => manifest_expression(&fact.structured),
        false => format!("the value is in {}", manifest_expression(&fact.structured)),
    };
    let nodes = count_noun(fact.nodes.len(), "node");
    let mut text = format!("  {}: {structured} ({nodes}: {})\n", fact.name, list_names(&fact.nodes, MAX_NAMES));
    for (path, line) in fact.places.iter().take(MAX_NAMES) {
        text.push_str(&format!("    {}:{line}\n", visible::line(&relative(path, roots))));
    }
    if let Some(more) = fact.places.len().checked_sub(MAX_NAMES).filter(|more| *more > 0) {
        text.push_str(&format!("    and {more} more (--format json)\n"));
    }
    text
}

fn failure(failures: &Failures, lever: Option<Lever>) -> String {
    let title = match failures.kind {
        FailureKind::New => "Does not compile any more",
        FailureKind::Fixed => "Compiles again",
        FailureKind::Changed => "Fails with another error",
        FailureKind::Both => "Fails with both versions",
    };
    let nodes = format!("{}: {}", count_noun(failures.nodes.len(), "node"), list_names(&failures.nodes, MAX_NAMES));
    let message =
        failures.new.as_ref().or(failures.old.as_ref()).map(|text| visible::message(text).replace('\n', "\n  "));
    let explained = if failures.kind == FailureKind::New { explanation(lever) } else { String::new() };
    format!("\n{title} on {nodes}\n  {}\n{explained}", message.unwrap_or_default())
}

fn explanation(lever: Option<Lever>) -> String {
    lever.map(|lever| format!("  cause: {}\n  remedy: {}\n", lever.cause(), lever.remedy())).unwrap_or_default()
}

fn finding(finding: &Finding) -> String {
    let text = visible::message(&finding.text).replace('\n', "\n  ");
    format!("  {text} ({}: {})\n", count_noun(finding.nodes.len(), "node"), list_names(&finding.nodes, MAX_NAMES))
}

/// A path relative to the first of `roots` that contains it.
pub(super) fn relative(path: &Path, roots: &[String]) -> String {
    let inside = roots.iter().find_map(|root| path.strip_prefix(root).ok());
    inside.unwrap_or(path).display().to_string()
}

//! The report for a terminal.

use crate::report::FailureKind;
use crate::report::Group;
use crate::report::Report;
use crate::report::count_noun;
use crate::report::list_names;
use catwalk_base::diag::visible;
use catwalk_formats::diff;

/// How many names of nodes are listed.
const MAX_NAMES: usize = 5;

/// The report for a terminal. Positions are relative to `roots`. At most `edges` edges of a group are shown.
#[must_use]
pub fn human(report: &Report, roots: &[String], edges: usize, color: bool) -> String {
    let (bold, red, green, dim, end) =
        if color { ("\x1b[1m", "\x1b[31m", "\x1b[32m", "\x1b[2m", "\x1b[0m") } else { ("", "", "", "", "") };
    let mut out =
        format!("{red}--- {}{end}\n{green}+++ {}{end}\n", visible::line(&report.old), visible::line(&report.new));
    for group in &report.groups {
        let nodes = match group.nodes.as_slice() {
            [one] => format!("on {}:", visible::line(one)),
            nodes => format!("on {}: {}", count_noun(nodes.len(), "node"), list_names(nodes, MAX_NAMES)),
        };
        out.push_str(&format!("\n{bold}{nodes}{end}\n"));
        for line in render_changes(group, roots, edges, color).lines() {
            out.push_str(if line.is_empty() { "" } else { "  " });
            out.push_str(line);
            out.push('\n');
        }
    }
    for failures in &report.failures {
        let (title, shade) = match failures.kind {
            FailureKind::New => ("no longer compiles", red),
            FailureKind::Fixed => ("compiles again", green),
            FailureKind::Changed => ("fails with another error", red),
            FailureKind::Both => ("fails on both sides", dim),
        };
        let nodes = format!("{}: {}", count_noun(failures.nodes.len(), "node"), list_names(&failures.nodes, MAX_NAMES));
        out.push_str(&format!("\n{bold}{title} on {nodes}{end}\n"));
        let same = failures.kind == FailureKind::Both;
        if let Some(text) = failures.old.as_ref().filter(|_| !same) {
            out.push_str(&format!("  {red}- {}{end}\n", later_lines_indented(text)));
        }
        if let Some(text) = &failures.new {
            let mark = if same { "!" } else { "+" };
            out.push_str(&format!("  {shade}{mark} {}{end}\n", later_lines_indented(text)));
        }
    }
    if !report.added.is_empty() {
        out.push('\n');
    }
    for (certname, resources) in &report.added {
        out.push_str(&format!(
            "{green}+ node {}{end}: {}\n",
            visible::line(certname),
            count_noun(*resources, "resource")
        ));
    }
    if !report.removed.is_empty() {
        out.push('\n');
    }
    for certname in &report.removed {
        out.push_str(&format!("{red}- node {}{end}\n", visible::line(certname)));
    }
    out.push_str(&format!("\n{}\n", report.summary()));
    out
}

/// A failure of several lines below its mark.
fn later_lines_indented(text: &str) -> String {
    visible::message(text).replace('\n', "\n  ")
}

/// A location relative to the first of `roots` that contains it.
pub(super) fn relative_location<'p>(location: &'p str, roots: &[String]) -> &'p str {
    let relative = |root: &String| location.strip_prefix(root.as_str())?.strip_prefix('/');
    roots.iter().find_map(relative).unwrap_or(location)
}

/// The changes of a group, rendered as a diff.
#[must_use]
pub fn render_changes(group: &Group, roots: &[String], edges: usize, color: bool) -> String {
    let mut diff = group.diff();
    let all = diff.edges_added.len() + diff.edges_removed.len();
    diff.edges_added.truncate(edges);
    diff.edges_removed.truncate(edges.saturating_sub(diff.edges_added.len()));
    let hidden = all - diff.edges_added.len() - diff.edges_removed.len();
    let items = diff.added.iter_mut().chain(&mut diff.removed).chain(&mut diff.changed).map(|item| &mut item.location);
    let edges_shown = diff.edges_added.iter_mut().chain(&mut diff.edges_removed).map(|edge| &mut edge.location);
    for location in items.chain(edges_shown).flatten() {
        *location = relative_location(location, roots).to_owned();
    }
    let mut text = diff::render(&diff, color);
    if hidden > 0 {
        let more = if edges == 0 { "" } else { "more " };
        text.push_str(&format!("… {more}{} (--edges all)\n", count_noun(hidden, "edge")));
    }
    text
}

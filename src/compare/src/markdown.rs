//! The report as Markdown for a comment on a pull request in GitHub or GitLab, truncated to the maximum length of a comment.

use std::sync::Arc;

use crate::human::render_changes;
use crate::report::FailureKind;
use crate::report::Report;
use crate::report::count_noun;
use catwalk_base::diag::visible;
use catwalk_base::markdown;
use catwalk_base::names::abbreviate;

/// The longest report, in bytes: GitHub accepts 65,536 characters.
const LIMIT: usize = 60_000;
/// Longer parts, in lines, are collapsed.
const MAX_LINES: usize = 30;
/// How many names of nodes are listed.
const MAX_NAMES: usize = 20;

/// The report as Markdown.
#[must_use]
pub fn markdown(report: &Report, roots: &[String], edges: usize) -> String {
    let mut out = format!(
        "### Catalogs: {} → {}\n\n{}\n",
        markdown::code(&report.old),
        markdown::code(&report.new),
        report.summary()
    );
    for note in &report.notes {
        out.push_str(&format!("\n> {}\n", markdown::sentence(note)));
    }
    // Failures on both sides are not caused by the change, so they follow it.
    let (mut parts, mut on_both): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    for failures in &report.failures {
        let title = match failures.kind {
            FailureKind::New => "No longer compiles on",
            FailureKind::Fixed => "Compiles again on",
            FailureKind::Changed => "Fails with another error on",
            FailureKind::Both => "Fails on both sides on",
        };
        let mut text = String::new();
        if let Some(old) = failures.old.as_ref().filter(|_| failures.kind != FailureKind::Both) {
            text.push_str(&with_mark('-', old));
        }
        if let Some(new) = &failures.new {
            text.push_str(&with_mark(if failures.kind == FailureKind::Both { ' ' } else { '+' }, new));
        }
        let part = section(&Title::new(title, &failures.nodes), &text);
        if failures.kind == FailureKind::Both { on_both.push(part) } else { parts.push(part) }
    }
    for group in &report.groups {
        let text: String = render_changes(group, roots, edges, false).lines().map(line).collect();
        parts.push(section(&Title::new("On", &group.nodes), &text));
    }
    if !report.added.is_empty() || !report.removed.is_empty() {
        let added = report.added.iter().map(|(certname, resources)| {
            format!("+ node {}: {}\n", visible::line(certname), count_noun(*resources, "resource"))
        });
        let removed = report.removed.iter().map(|certname| format!("- node {}\n", visible::line(certname)));
        let title = Title { markdown: "Nodes".to_owned(), html: "Nodes".to_owned() };
        parts.push(section(&title, &added.chain(removed).collect::<String>()));
    }
    parts.append(&mut on_both);
    let all = parts.len();
    for (at, part) in parts.into_iter().enumerate() {
        if out.len() + part.len() > LIMIT {
            out.push_str(&format!("\n… {} not shown: too long for a comment.\n", count_noun(all - at, "more part")));
            break;
        }
        out.push_str(&part);
    }
    out
}

/// A heading in both forms: Markdown is not read in `<summary>`.
struct Title {
    markdown: String,
    html: String,
}

impl Title {
    /// `before` and the nodes.
    fn new(before: &str, nodes: &[Arc<str>]) -> Title {
        let title = |nodes: String, all: usize| match all {
            1 => format!("{before} {nodes}"),
            _ => format!("{before} {}: {nodes}", count_noun(all, "node")),
        };
        let escaped: Vec<String> = nodes.iter().map(|node| markdown::html(node)).collect();
        Title {
            markdown: title(markdown::names(nodes, MAX_NAMES), nodes.len()),
            html: title(abbreviate(&escaped, MAX_NAMES), nodes.len()),
        }
    }
}

fn section(title: &Title, text: &str) -> String {
    let block = markdown::fenced("diff", text);
    if text.lines().count() > MAX_LINES {
        format!("\n<details><summary>{}</summary>\n\n{block}\n</details>\n", title.html)
    } else {
        format!("\n**{}**\n\n{block}", title.markdown)
    }
}

fn with_mark(mark: char, text: &str) -> String {
    text.lines().map(|line| format!("{mark} {line}\n")).collect()
}

/// Moves the mark (`+`, `-`) of a line to the first column, so that the line is coloured.
fn line(line: &str) -> String {
    let inner = line.trim_start();
    let indent = line.len() - inner.len();
    match inner.chars().next() {
        // Lines of strings have their mark after six spaces; a `+` or `-` after more spaces is a part of the string.
        Some(mark @ ('+' | '-')) if indent <= 6 => {
            format!("{mark}{}{}\n", " ".repeat(indent), inner.get(1..).unwrap_or_default())
        }
        _ if line.is_empty() => "\n".to_owned(),
        _ => format!(" {line}\n"),
    }
}

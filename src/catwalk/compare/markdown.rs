//! The report as Markdown for a comment on a pull request in GitHub or GitLab, truncated to the maximum length of a comment.

use std::sync::Arc;

use crate::compare::human::render_changes;
use crate::compare::report::FailureKind;
use crate::compare::report::Report;
use crate::compare::report::count_noun;
use crate::compare::report::list_names;

/// The longest report, in bytes: GitHub accepts 65,536 characters.
const LIMIT: usize = 60_000;
/// Longer parts, in lines, are collapsed.
const MAX_LINES: usize = 30;
/// How many names of nodes are listed.
const MAX_NAMES: usize = 20;

/// The report as Markdown.
#[must_use]
pub fn markdown(report: &Report, roots: &[String], edges: usize) -> String {
    let mut out =
        format!("### Catalogs: {} → {}\n\n{}\n", inline_code(&report.old), inline_code(&report.new), report.summary());
    for note in &report.notes {
        out.push_str(&format!("\n> {}\n", note.replace('\n', " ")));
    }
    let mut parts: Vec<String> = Vec::new();
    for failures in &report.failures {
        let title = match failures.kind {
            FailureKind::New => "No longer compiles",
            FailureKind::Fixed => "Compiles again",
            FailureKind::Changed => "Fails with another error",
            FailureKind::Both => "Fails on both sides",
        };
        let mut text = String::new();
        if let Some(old) = failures.old.as_ref().filter(|_| failures.kind != FailureKind::Both) {
            text.push_str(&with_mark('-', old));
        }
        if let Some(new) = &failures.new {
            text.push_str(&with_mark(if failures.kind == FailureKind::Both { ' ' } else { '+' }, new));
        }
        parts.push(section(&format!("{title} on {}", list_nodes(&failures.nodes)), &text));
    }
    for group in &report.groups {
        let text: String = render_changes(group, roots, edges, false).lines().map(line).collect();
        parts.push(section(&format!("On {}", list_nodes(&group.nodes)), &text));
    }
    if !report.added.is_empty() || !report.removed.is_empty() {
        let added = report
            .added
            .iter()
            .map(|(certname, resources)| format!("+ node {certname}: {}\n", count_noun(*resources, "resource")));
        let removed = report.removed.iter().map(|certname| format!("- node {certname}\n"));
        parts.push(section("Nodes", &added.chain(removed).collect::<String>()));
    }
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

fn section(title: &str, text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    let block = format!("{fence}diff\n{text}{fence}\n");
    if text.lines().count() > MAX_LINES {
        format!("\n<details><summary>{title}</summary>\n\n{block}\n</details>\n")
    } else {
        format!("\n**{title}**\n\n{block}")
    }
}

fn list_nodes(nodes: &[Arc<str>]) -> String {
    match nodes {
        [one] => one.to_string(),
        nodes => format!("{}: {}", count_noun(nodes.len(), "node"), list_names(nodes, MAX_NAMES)),
    }
}

fn inline_code(text: &str) -> String {
    format!("`{}`", text.replace('`', "'"))
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

//! Writes a catalog diff as text: a line for each resource, parameters below it, multi-line strings as line diffs.

use std::collections::HashSet;
use std::fmt::Write;

use catwalk_base::diag::visible;
use catwalk_base::line_diff;
use serde_json::Value;
use similar::ChangeTag;
use similar::TextDiff;

use crate::diff::Change;
use crate::diff::Diff;
use crate::diff::ResourceDiff;

/// The longest value on one line, in characters.
const MAX_WIDTH: usize = 100;
/// How many unchanged lines are shown around a changed line.
const CONTEXT: usize = 2;
/// The limit of the product of the numbers of lines of two compared strings.
const MAX_PRODUCT: usize = 25_000_000;

struct Style {
    added: &'static str,
    removed: &'static str,
    changed: &'static str,
    dim: &'static str,
    end: &'static str,
}

const COLOR: Style =
    Style { added: "\x1b[32m", removed: "\x1b[31m", changed: "\x1b[33m", dim: "\x1b[2m", end: "\x1b[0m" };
const PLAIN: Style = Style { added: "", removed: "", changed: "", dim: "", end: "" };

/// Renders a diff; the result is empty if the catalogs are equal.
#[must_use]
pub fn render(diff: &Diff, color: bool) -> String {
    let style = if color { &COLOR } else { &PLAIN };
    let mut out = String::new();
    for item in &diff.added {
        push_heading(&mut out, "+", style.added, item, style);
        push_values(&mut out, item, style);
    }
    for item in &diff.removed {
        push_heading(&mut out, "-", style.removed, item, style);
    }
    for item in &diff.changed {
        push_heading(&mut out, "~", style.changed, item, style);
        for change in &item.changes {
            push_change(&mut out, change, style);
        }
    }
    let edges = diff.edges_added.iter().map(|edge| ('+', style.added, edge));
    for (mark, color, edge) in edges.chain(diff.edges_removed.iter().map(|edge| ('-', style.removed, edge))) {
        let text = format!(
            "{color}{mark} {}{}{}",
            visible::line(&edge.description()),
            style.end,
            format_location(edge.location.as_ref(), style)
        );
        push_line(&mut out, &text);
    }
    out
}

fn push_line(out: &mut String, text: &str) {
    out.push_str(text.trim_end());
    out.push('\n');
}

fn push_heading(out: &mut String, mark: &str, color: &str, item: &ResourceDiff, style: &Style) {
    push_line(
        out,
        &format!(
            "{color}{mark} {}{}{}",
            visible::line(&item.reference),
            style.end,
            format_location(item.location.as_ref(), style)
        ),
    );
}

/// `  (site.pp:3)`
fn format_location(location: Option<&String>, style: &Style) -> String {
    location.map(|location| format!("  {}({}){}", style.dim, visible::line(location), style.end)).unwrap_or_default()
}

fn push_values(out: &mut String, item: &ResourceDiff, style: &Style) {
    for change in &item.changes {
        if let Some(value) = &change.new {
            push_line(
                out,
                &format!("    {} => {}{}{}", visible::line(&change.name), style.added, format_value(value), style.end),
            );
        }
    }
}

fn push_change(out: &mut String, change: &Change, style: &Style) {
    match (&change.old, &change.new) {
        (Some(Value::String(old)), Some(Value::String(new))) if old.contains('\n') || new.contains('\n') => {
            push_line(out, &format!("    {}:", visible::line(&change.name)));
            push_line_diff(out, old, new, style);
        }
        (Some(Value::Array(old)), Some(Value::Array(new))) => {
            let (before, after): (HashSet<&Value>, HashSet<&Value>) = (old.iter().collect(), new.iter().collect());
            let minus = old.iter().filter(|value| !after.contains(value)).map(|value| (style.removed, '-', value));
            let plus = new.iter().filter(|value| !before.contains(value)).map(|value| (style.added, '+', value));
            let parts: Vec<String> = minus
                .chain(plus)
                .map(|(color, mark, value)| format!("{color}{mark}{}{}", format_value(value), style.end))
                .collect();
            let parts = if parts.is_empty() { "(order)".to_owned() } else { parts.join(" ") };
            push_line(out, &format!("    {}: {parts}", visible::line(&change.name)));
        }
        (old, new) => {
            let show = |value: &Option<Value>| value.as_ref().map_or_else(|| "(unset)".to_owned(), format_value);
            push_line(
                out,
                &format!(
                    "    {}: {}{}{} => {}{}{}",
                    visible::line(&change.name),
                    style.removed,
                    show(old),
                    style.end,
                    style.added,
                    show(new),
                    style.end
                ),
            );
        }
    }
}

/// The line diff of two strings with the fewest changes. `None`: they differ in too many lines, so computing it would take too long.
pub(super) fn diff_lines<'a>(old: &'a str, new: &'a str) -> Option<TextDiff<'a, 'a, str>> {
    (!is_too_large(old, new)).then(|| line_diff::diff_lines(old, new))
}

/// Whether two strings differ in too many lines for a line diff, whose time grows with the product of the numbers of lines.
fn is_too_large(old: &str, new: &str) -> bool {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let head = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let tail = old.iter().skip(head).rev().zip(new.iter().skip(head).rev()).take_while(|(old, new)| old == new).count();
    let (old, new) = (old.len() - head - tail, new.len() - head - tail);
    old.saturating_mul(new) > MAX_PRODUCT
}

fn push_line_diff(out: &mut String, old: &str, new: &str, style: &Style) {
    // Without a line diff, all old lines are shown as removed and all new lines as added.
    let Some(diff) = diff_lines(old, new) else {
        old.lines().for_each(|text| push_line(out, &format!("      {}- {text}{}", style.removed, style.end)));
        new.lines().for_each(|text| push_line(out, &format!("      {}+ {text}{}", style.added, style.end)));
        return;
    };
    for (at, group) in diff.grouped_ops(CONTEXT).iter().enumerate() {
        if at > 0 {
            push_line(out, &format!("        {}…{}", style.dim, style.end));
        }
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let text = change.value().trim_end_matches('\n');
            let end = if change.missing_newline() { " (no newline at end)" } else { "" };
            match change.tag() {
                ChangeTag::Equal => push_line(out, &format!("        {text}{end}")),
                ChangeTag::Delete => push_line(out, &format!("      {}- {text}{end}{}", style.removed, style.end)),
                ChangeTag::Insert => push_line(out, &format!("      {}+ {text}{end}{}", style.added, style.end)),
            }
        }
    }
}

/// A value on one line, truncated if it is long.
fn format_value(value: &Value) -> String {
    let text = match value {
        Value::String(text) => format!("{text:?}"),
        other => other.to_string(),
    };
    if text.chars().count() <= MAX_WIDTH {
        return text;
    }
    let mut cut: String = text.chars().take(MAX_WIDTH).collect();
    let _ = write!(cut, "… ({} characters)", text.chars().count());
    cut
}

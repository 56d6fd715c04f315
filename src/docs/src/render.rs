//! Formats pages for a terminal, as Markdown, and as JSON.
//!
//! In: pages. Out: strings. Must not: print, know terminals, except whether to use colour.

use std::fmt::Write;

use crate::guides;
use crate::page::Attribute;
use crate::page::Page;
use crate::page::Topic;

/// The width of text in columns.
const WIDTH: usize = 100;

/// One line for each page, by origin: aligned names followed by first sentences.
#[must_use]
pub fn list(pages: &[Page], color: bool) -> String {
    let width = pages.iter().map(|page| page.name.chars().count()).max().unwrap_or(0).min(40);
    let mut text = String::new();
    let mut groups: Vec<(String, Vec<&Page>)> = Vec::new();
    for page in pages {
        let group = page.origin.split(':').next().unwrap_or_default().to_owned();
        match groups.iter_mut().find(|(name, _)| *name == group) {
            Some((_, list)) => list.push(page),
            None => groups.push((group, vec![page])),
        }
    }
    // Built-in pages come first, then the modules by name.
    groups.sort_by_key(|(name, _)| (name.starts_with("module "), name != "Puppet", name.clone()));
    for (at, (name, list)) in groups.iter().enumerate() {
        if at > 0 {
            text.push('\n');
        }
        let title = if name == "stdlib" { "stdlib, if that module is on the modulepath" } else { name };
        let _ = writeln!(text, "{}", heading(title, color));
        for page in list {
            let summary = page.summary();
            let room = (WIDTH + 20).saturating_sub(width + 4);
            let _ = writeln!(text, "  {:width$}  {}", page.name, shortened(&summary, room));
        }
    }
    text
}

fn shortened(text: &str, room: usize) -> String {
    if text.chars().count() <= room {
        return text.to_owned();
    }
    let cut: String = text.chars().take(room.saturating_sub(1)).collect();
    let whole = cut.rsplit_once(' ').map_or(cut.as_str(), |(whole, _)| whole);
    format!("{}…", whole.trim_end_matches([',', ';', ':']))
}

fn heading(text: &str, color: bool) -> String {
    if color { format!("\x1b[1m{text}\x1b[0m") } else { text.to_owned() }
}

/// A whole page.
#[must_use]
pub fn page(page: &Page, color: bool) -> String {
    let mut text = format!("{}  ({}, {})\n", heading(&page.name, color), page.kind, page.origin);
    if !page.signatures.is_empty() {
        text.push('\n');
        for signature in &page.signatures {
            let _ = writeln!(text, "  {signature}");
        }
    }
    if !page.doc.is_empty() {
        text.push('\n');
        text.push_str(&wrapped(&page.doc, 0));
    }
    if !page.attributes.is_empty() {
        let _ = write!(text, "\n{}\n", heading(attributes_title(page), color));
        for attribute in &page.attributes {
            let _ = writeln!(text, "  {}  {}", heading(&attribute.name, color), traits(attribute));
            if !attribute.doc.is_empty() {
                text.push_str(&wrapped(&attribute.doc, 6));
            }
        }
    }
    for (at, (name, value)) in page.notes.iter().enumerate() {
        let _ = write!(text, "{}{}\n{}", if at == 0 { "\n" } else { "" }, heading(name, color), wrapped(value, 2));
    }
    if !page.examples.is_empty() {
        let _ = write!(text, "\n{}\n", heading("Examples", color));
    }
    for (at, example) in page.examples.iter().enumerate() {
        if at > 0 {
            text.push('\n');
        }
        if !example.title.is_empty() {
            let _ = writeln!(text, "  {}", example.title);
        }
        for line in example.code.lines() {
            let _ = writeln!(text, "{}", format!("    {line}").trim_end());
        }
        if let Some(result) = &example.result {
            let _ = writeln!(text, "      # {}", result.replace('\n', "\n      # "));
        }
    }
    text
}

fn attributes_title(page: &Page) -> &'static str {
    if page.kind == "resource type" { "Attributes" } else { "Parameters" }
}

/// Kind, type, values, default of an attribute in one line.
fn traits(attribute: &Attribute) -> String {
    let mut parts = Vec::new();
    if !attribute.data_type.is_empty() {
        parts.push(attribute.data_type.clone());
    }
    if attribute.data_type.is_empty() || attribute.kind != "parameter" {
        parts.push(attribute.kind.clone());
    }
    if !attribute.values.is_empty() {
        parts.push(attribute.values.join(" | "));
    }
    if let Some(default) = &attribute.default {
        parts.push(format!("default {default}"));
    }
    if let Some(feature) = &attribute.feature {
        parts.push(format!("needs {feature}"));
    }
    parts.join("; ")
}

/// Paragraphs wrapped to the width; indented lines and list items are unchanged.
fn wrapped(text: &str, indent: usize) -> String {
    let margin = " ".repeat(indent);
    let mut out = String::new();
    let mut line = String::new();
    let flush = |line: &mut String, out: &mut String| {
        if !line.is_empty() {
            let _ = writeln!(out, "{margin}{line}");
            line.clear();
        }
    };
    let mut fenced = false;
    for source in text.trim_end().lines() {
        let fence = source.trim_start().starts_with("```");
        fenced ^= fence;
        let kept = fence || fenced || ["  ", "# ", "|", "- ", "* "].iter().any(|start| source.starts_with(start));
        if source.trim().is_empty() || kept {
            flush(&mut line, &mut out);
            let _ = writeln!(out, "{}", format!("{margin}{source}").trim_end());
            continue;
        }
        for word in source.split_whitespace() {
            if !line.is_empty() && indent + line.chars().count() + 1 + word.chars().count() > WIDTH {
                flush(&mut line, &mut out);
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    flush(&mut line, &mut out);
    out
}

/// A reference page of all pages of a topic.
#[must_use]
pub fn book(topic: Topic, pages: &[Page]) -> String {
    let (title, intro) = match topic {
        Topic::Functions => (
            "Functions",
            "Puppet's functions, and those of puppetlabs-stdlib, which are available when that module is on the \
             modulepath. The comment below an example is the value of its last statement, what it logs, or its error. \
             Examples run on a node `web1.example.com` in the environment `tests/examples`.",
        ),
        Topic::Types => (
            "Resource types",
            "Puppet's own types and those of the core modules that Debian packages. An attribute that needs a feature \
             works only with providers that have it.",
        ),
        Topic::Classes => ("Classes", ""),
        Topic::Datatypes => {
            ("Data types", "How to write each type with its parameters, and how to create values of it.")
        }
        Topic::Guides => ("Guides", "How to do what, by task."),
        Topic::Errors => (
            "Error codes",
            "Each error and warning has a code: `error[UNKNOWN_VARIABLE]` on a terminal, `\"code\"` with \
             `--log-format json`. Messages may change; codes keep their meaning. Codes that Puppet has, too, are spelled \
             as Puppet spells them. `catwalk docs errors CODE` prints one of these entries.",
        ),
    };
    let mut text = format!("# {title}\n");
    if !intro.is_empty() {
        let _ = write!(text, "\n{}", wrapped(intro, 0));
    }
    let mut area = "";
    for page in pages {
        text.push('\n');
        if topic != Topic::Errors {
            text.push_str(&markdown(page));
            continue;
        }
        if page.origin != area {
            area = &page.origin;
            let _ = write!(text, "## {area}\n\n");
        }
        let _ = writeln!(text, "### {}\n\n{}", page.name, page.doc.trim());
    }
    text
}

/// A page as Markdown.
#[must_use]
pub fn markdown(page: &Page) -> String {
    if page.kind == guides::KIND {
        return format!("{}\n", page.doc.trim());
    }
    let mut text = format!("## {}\n\n*{}, {}*\n", page.name, page.kind, page.origin);
    if !page.signatures.is_empty() {
        let _ = write!(text, "\n```puppet\n{}\n```\n", page.signatures.join("\n"));
    }
    if !page.doc.is_empty() {
        let _ = write!(text, "\n{}\n", page.doc.trim());
    }
    if !page.attributes.is_empty() {
        text.push('\n');
        for attribute in &page.attributes {
            let doc = attribute.doc.trim().replace('\n', "\n  ");
            let _ = writeln!(
                text,
                "- `{}` ({}){}",
                attribute.name,
                traits(attribute),
                if doc.is_empty() { String::new() } else { format!(": {doc}") }
            );
        }
    }
    if !page.notes.is_empty() {
        text.push('\n');
        for (name, value) in &page.notes {
            let _ = writeln!(text, "- {name}: {value}");
        }
    }
    for (at, example) in page.examples.iter().enumerate() {
        if !example.title.is_empty() {
            let _ = write!(text, "\n{}\n", example.title);
        }
        let result = example.result.as_ref().map(|result| format!("\n# {}", result.replace('\n', "\n# ")));
        // Short examples without titles share a block.
        let shared = at > 0 && example.title.is_empty();
        let _ = writeln!(
            text,
            "{}{}{}",
            if shared { "\n" } else { "\n```puppet\n" },
            example.code,
            result.unwrap_or_default()
        );
        if page.examples.get(at + 1).is_none_or(|next| !next.title.is_empty()) {
            text.push_str("```\n");
        }
    }
    text
}

/// Pages as a JSON array.
#[must_use]
pub fn json(pages: &[&Page]) -> String {
    serde_json::to_string_pretty(pages).unwrap_or_default()
}

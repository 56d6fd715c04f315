//! Results for a comment on a pull request: equal changes of many catalogs are shown once, those of the most catalogs first.

use catwalk_base::markdown;

use crate::decide::groups;
use crate::report::Counts;
use crate::report::cases;
use crate::report::group_by_messages;
use crate::run::Report;
use crate::run::State;

/// GitHub limits a comment to 65,536 characters.
const LONGEST: usize = 60_000;
/// The number of changes that are not collapsed.
const OPEN: usize = 3;

/// A change as a coloured diff, which needs marks at the beginning of lines.
fn marked(text: &str) -> String {
    let line = |line: &str| {
        let inner = line.trim_start();
        match inner.chars().next() {
            Some(mark @ ('+' | '-')) => {
                let indent = line.len() - inner.len();
                format!("{mark} {}{}\n", " ".repeat(indent), inner.get(1..).unwrap_or_default().trim_start())
            }
            Some('~') => format!("! {}\n", inner.get(1..).unwrap_or_default().trim_start()),
            _ => format!("  {line}\n"),
        }
    };
    text.lines().map(line).collect()
}

/// The report.
#[must_use]
pub fn write(report: &Report) -> String {
    let counts = Counts::of(report);
    let mut out = format!("### Catalogs: {}\n", counts.text());
    let changed = report.results.iter().filter(|result| !matches!(result.state, State::New(_)));
    let groups = groups(changed.map(|result| (result.case.name.as_str(), result.hunks())));
    for (number, group) in groups.iter().enumerate() {
        let mut part = String::new();
        let reference = &group.hunk.reference;
        let title =
            format!("{} in {} of {} catalogs", markdown::code(reference), group.names.len(), report.results.len());
        let names = markdown::names(&group.names, 10);
        let body = format!("{names}\n\n{}", markdown::fenced("diff", &marked(&group.hunk.text)));
        if number < OPEN {
            part.push_str(&format!("\n**{title}**: {body}"));
        } else {
            let many = if group.names.len() == 1 { "catalog" } else { "catalogs" };
            let summary = format!("<code>{}</code> in {} {many}", markdown::html(reference), group.names.len());
            part.push_str(&format!("\n<details><summary>{summary}</summary>\n\n{body}\n</details>\n"));
        }
        if out.len() + part.len() > LONGEST {
            out.push_str(&format!("\nand {} further changes\n", groups.len() - number));
            break;
        }
        out.push_str(&part);
    }
    // Names and values are between fences: nothing in them is read as Markdown.
    let mut list = |title: &str, items: Vec<String>| {
        if !items.is_empty() && out.len() < LONGEST {
            let mut text: String = items.iter().take(50).map(|item| format!("{item}\n")).collect();
            if items.len() > 50 {
                text.push_str(&format!("and {} more\n", items.len() - 50));
            }
            out.push_str(&format!("\n**{title}**\n\n{}", markdown::fenced("", &text)));
        }
    };
    let failures = report.results.iter().filter(|result| !result.failures.is_empty());
    let failures = group_by_messages(failures.map(|result| (result.case.name.as_str(), result.failures.clone())));
    let failures = failures.into_iter().map(|(failures, names)| format!("{}: {}", cases(&names), failures.join("; ")));
    let verdicts = report.classified.iter().map(|case| &case.verdict).filter(|verdict| !verdict.failures.is_empty());
    let verdicts = verdicts.map(|verdict| format!("{}: {}", verdict.name, verdict.failures.join("; ")));
    list("Failed", failures.chain(verdicts).collect());
    let new = report.results.iter().filter(|result| matches!(result.state, State::New(_)));
    list("New", new.map(|result| result.case.name.clone()).collect());
    list("Snapshots that belong to no case", report.orphans.clone());
    out
}

//! Results for people: changes, with equal changes of many snapshots shown once; failures; a line of numbers.

use catwalk_base::diag::visible;

use crate::decide::Group;
use crate::decide::groups;
use crate::hunks::Kind;
use crate::report::Counts;
use crate::report::NAMES;
use crate::report::abbreviate;
use crate::report::cases;
use crate::report::group_by_messages;
use crate::report::indented;
use crate::report::messages;
use crate::report::state_name;
use crate::run::CaseResult;
use crate::run::Report;
use crate::run::State;
use crate::run::Unreferenced;

/// Whether the output has colours.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// Whether the output has colours.
    pub color: bool,
}

impl Style {
    /// A string in the colour of a mark.
    fn paint(self, code: &str, text: &str) -> String {
        if self.color { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }

    /// A change with its lines in colours.
    #[must_use]
    pub fn change(self, text: &str) -> String {
        if !self.color {
            return text.to_owned();
        }
        let line = |line: &str| match line.trim_start().chars().next() {
            Some('+') => self.paint("32", line),
            Some('-') => self.paint("31", line),
            Some('~') => self.paint("33", line),
            _ => line.to_owned(),
        };
        text.lines().map(|text| format!("{}\n", line(text))).collect()
    }
}

/// Changes, equal ones together.
#[must_use]
pub fn changes(groups: &[Group], style: Style) -> String {
    let mut out = String::new();
    let mut above: &[String] = &[];
    for group in groups {
        let names = match group.names.as_slice() {
            [one] => visible::line(one).into_owned(),
            several => format!("{} snapshots: {}", several.len(), abbreviate(several, NAMES)),
        };
        // Changes that occur in the same snapshots are under one heading.
        if above != group.names.as_slice() {
            out.push_str(&format!("{}\n", style.paint("1", &names)));
        }
        above = &group.names;
        out.push_str(&indented(&style.change(&group.hunk.text), "  "));
    }
    out
}

/// The whole report; with `verbose`, a line for each case.
#[must_use]
pub fn write(report: &Report, style: Style, verbose: bool) -> String {
    let mut out = String::new();
    if verbose {
        write_cases(report, &mut out);
    }
    write_snapshots(report, style, &mut out);
    for verdict in report.classified.iter().map(|case| &case.verdict).filter(|verdict| !verdict.failures.is_empty()) {
        let node =
            if verdict.name == *verdict.node { String::new() } else { format!(" ({})", visible::line(&verdict.node)) };
        out.push_str(&format!("{} {}{node}\n", style.paint("31", "FAIL"), visible::line(&verdict.name)));
        verdict.failures.iter().for_each(|failure| out.push_str(&indented(failure, "  ")));
    }
    if !report.orphans.is_empty() {
        let state = match report.unreferenced {
            Unreferenced::Delete => "removed, they belong to no case",
            _ => "they belong to no case",
        };
        out.push_str(&format!("{} ({state}): {}\n", style.paint("33", "snapshots"), abbreviate(&report.orphans, 12)));
    }
    for rule in &report.idle_rules {
        out.push_str(&format!("{} no change matches {rule}\n", style.paint("33", "rule:")));
    }
    let counts = Counts::of(report);
    let color = if report.is_ok() { "32" } else { "31" };
    let cases = if counts.total() == 1 { "case" } else { "cases" };
    let numbers = format!("{} {cases}: {}", counts.total(), counts.text());
    let time = format!(" in {:.0} ms", report.elapsed.as_secs_f64() * 1000.0);
    out.push_str(&format!("{}{}\n", style.paint(color, &numbers), if verbose { &time } else { "" }));
    out
}

/// A line for each case and each expectation of a classifier.
fn write_cases(report: &Report, out: &mut String) {
    let width = report.results.iter().map(|result| result.case.name.chars().count()).max().unwrap_or(0);
    for result in &report.results {
        let time = format!("{:.1} ms", result.elapsed.as_secs_f64() * 1000.0);
        let name = visible::line(&result.case.name);
        let line = format!("{:8} {name:width$}  {:>5} resources  {time:>9}", state_name(result), result.resources);
        out.push_str(&format!("{line}\n"));
    }
    for verdict in report.classified.iter().map(|case| &case.verdict) {
        let word = if verdict.failures.is_empty() { "passed" } else { "failed" };
        out.push_str(&format!(
            "{word:8} {} (classification of {})\n",
            visible::line(&verdict.name),
            visible::line(&verdict.node)
        ));
    }
}

/// The changes of snapshots, new snapshots, and cases that do not meet expectations.
fn write_snapshots(report: &Report, style: Style, out: &mut String) {
    // A snapshot that was accepted as a whole has no change to show.
    let is_new = |result: &&CaseResult| match &result.state {
        State::New(_) => true,
        State::Accepted(hunks) => result.error.is_none() && hunks.iter().any(|hunk| hunk.kind == Kind::Whole),
        _ => false,
    };
    let changed = report.results.iter().filter(|result| !is_new(result));
    let groups = groups(changed.map(|result| (result.case.name.as_str(), result.hunks())));
    out.push_str(&changes(&groups, style));
    let new = report.results.iter().filter(is_new);
    let (compiled, not_compiled): (Vec<_>, Vec<_>) = new.partition(|result| result.error.is_none());
    if !compiled.is_empty() {
        let names: Vec<String> = compiled.iter().map(|result| result.case.name.clone()).collect();
        out.push_str(&format!("{} {}\n", style.paint("1", "new:"), abbreviate(&names, 12)));
    }
    let new_errors = not_compiled.into_iter().filter(|result| result.failures.is_empty());
    let failed = report.results.iter().filter(|result| !result.failures.is_empty());
    for (word, results) in
        [(style.paint("1", "new:"), new_errors.collect::<Vec<_>>()), (style.paint("31", "FAIL"), failed.collect())]
    {
        for (messages, names) in
            group_by_messages(results.iter().map(|result| (result.case.name.as_str(), messages(result))))
        {
            out.push_str(&format!("{word} {}\n", cases(&names)));
            messages.iter().for_each(|message| out.push_str(&indented(message, "  ")));
        }
    }
}

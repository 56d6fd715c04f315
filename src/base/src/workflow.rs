//! Commands of build servers in the output of a program: a line such as `::error file=site.pp::text` becomes an annotation of GitHub.
//!
//! In: output, parts of an annotation. Out: output without commands, escaped parts. Must not: know diagnostics.
//!
//! Rule: `ActionCommand.cs` and `ActionCommandManager.cs` of GitHub's runner. The runner ignores blanks before `::`, and finds commands of
//! the form `##[error]` anywhere in a line. Azure Pipelines and TeamCity run `##vso[…]` and `##teamcity[…]`.

use std::borrow::Cow;

/// The commands that GitHub's runner knows.
const COMMANDS: [&str; 16] = [
    "add-mask",
    "add-matcher",
    "add-path",
    "debug",
    "echo",
    "endgroup",
    "error",
    "group",
    "internal-set-repo-path",
    "notice",
    "remove-matcher",
    "save-state",
    "set-env",
    "set-output",
    "stop-commands",
    "warning",
];
/// The beginnings of commands that are run wherever they are in a line.
const ANYWHERE: [&str; 2] = ["##vso", "##teamcity"];

/// Whether a string begins with the name of a command, in any case, and a character that ends it.
fn has_command(text: &str, ends: &[char]) -> bool {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '_').unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    COMMANDS.iter().any(|command| command.eq_ignore_ascii_case(name)) && rest.starts_with(ends)
}

/// Changes each line that a build server would run, so that it is printed only: `::error::x` to `| ::error::x`, `##[error]` to `##|[error]`.
pub(crate) fn without_commands(text: &str) -> Cow<'_, str> {
    let mut out = Cow::Borrowed(text);
    if out.contains("::") && out.split('\n').any(runs) {
        let line = |line: &str| match runs(line) {
            true => {
                let blanks = line.len() - line.trim_start().len();
                let (blanks, command) = line.split_at(blanks);
                format!("{blanks}| {command}")
            }
            false => line.to_owned(),
        };
        out = Cow::Owned(out.split('\n').map(line).collect::<Vec<_>>().join("\n"));
    }
    if out.contains("##") {
        for mark in ANYWHERE {
            if out.contains(&format!("{mark}[")) {
                out = Cow::Owned(out.replace(&format!("{mark}["), &format!("{mark}|[")));
            }
        }
        let mut from = 0;
        while let Some(at) = out.get(from..).and_then(|rest| rest.find("##[")).map(|at| from + at + 2) {
            from = at;
            if out.get(at + 1..).is_some_and(|name| has_command(name, &[']', ' '])) {
                out.to_mut().insert(at, '|');
            }
        }
    }
    out
}

/// Whether GitHub's runner takes a line for a command.
fn runs(line: &str) -> bool {
    line.trim_start().strip_prefix("::").is_some_and(|name| has_command(name, &[':', ' ']))
}

/// Escapes the text of a GitHub annotation: `::error file=F::TEXT`.
#[must_use]
pub fn annotation_text(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes a property of a GitHub annotation, such as the name of a file: `::error file=PROPERTY::text`.
#[must_use]
pub fn annotation_property(value: &str) -> String {
    annotation_text(value).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_not_run() {
        let cases = [
            ("::error::x", "| ::error::x"),
            ("a\n \t::Error file=a::x\nb", "a\n \t| ::Error file=a::x\nb"),
            ("::add-mask::x", "| ::add-mask::x"),
            ("::apache::vhost", "::apache::vhost"),
            ("::error_log", "::error_log"),
            ("Error: ::error::x", "Error: ::error::x"),
            ("a ##[error]x ##[warning file=a]", "a ##|[error]x ##|[warning file=a]"),
            ("##[section]", "##[section]"),
            ("x ##vso[task.setvariable]", "x ##vso|[task.setvariable]"),
            ("##teamcity[message]", "##teamcity|[message]"),
            ("# comment ## [error]", "# comment ## [error]"),
        ];
        for (text, expected) in cases {
            assert_eq!(without_commands(text), expected);
            assert_eq!(without_commands(expected), expected, "unchanged the second time");
        }
    }

    #[test]
    fn annotations_are_escaped() {
        assert_eq!(annotation_text("100%\r\n::error::x"), "100%25%0D%0A::error::x");
        assert_eq!(annotation_property("a,b:c\n%"), "a%2Cb%3Ac%0A%25");
    }
}

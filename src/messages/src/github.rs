//! Messages as GitHub's workflow commands, which it shows at their lines in a pull request.
//!
//! In: a message with its position. Out: a line such as `::error file=a.pp,line=3,endLine=3,col=5,title=CODE::message`. Must not: print.
//!
//! Paths are relative to the repository, the nearest directory with `.git` at or above the file. The escapes are those of GitHub's
//! `@actions/core`: `%`, line ends, and in properties also `:` and `,`.

use std::path::Path;
use std::path::PathBuf;

use crate::repository::below_repository;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Severity;
use catwalk_base::diag::group::Group;
use catwalk_base::diag::group::on_nodes;
use catwalk_base::diag::visible;
use catwalk_base::source::SourceMap;
use catwalk_world::World;

/// The longest message in bytes; GitHub refuses annotations of 64 KB.
const LONGEST: usize = 16_000;

/// A message at a position.
#[derive(Clone, Debug)]
pub struct Annotation {
    /// How severe it is: errors, warnings and others are shown differently.
    pub severity: Severity,
    /// The file, absolute or relative to the current directory.
    pub file: Option<PathBuf>,
    /// The first line, from 1.
    pub line: Option<u32>,
    /// The last line, from 1.
    pub end_line: Option<u32>,
    /// The column of the first line, from 1, in characters.
    pub column: Option<u32>,
    /// The title: a code.
    pub title: Option<String>,
    /// The message.
    pub message: String,
}

/// Where a message is: lines and column from 1.
pub struct Position {
    /// The file.
    pub file: PathBuf,
    /// The first line.
    pub line: u32,
    /// The last line.
    pub end_line: u32,
    /// The column of the first line.
    pub column: u32,
}

/// The position of a diagnostic in a data file, else in a source with a path.
#[must_use]
pub fn position(diagnostic: &Diagnostic, sources: &SourceMap) -> Option<Position> {
    if let Some(location) = diagnostic.data_location() {
        let (line, column) = (location.line, location.column);
        return Some(Position { file: location.path.clone(), line, end_line: line, column });
    }
    let span = diagnostic.span?;
    let source = sources.get(span.file)?;
    let (line, column) = source.line_column(span.start);
    // A span that ends behind a line break ends on the line before.
    let end_line = source.line(span.end.max(span.start + 1) - 1);
    Some(Position { file: source.path.clone()?, line, end_line, column })
}

impl Annotation {
    /// A message without a position and a title.
    #[must_use]
    pub fn new(severity: Severity, message: String) -> Annotation {
        Annotation { severity, file: None, line: None, end_line: None, column: None, title: None, message }
    }

    /// The annotation of a diagnostic, with its hint and its nodes.
    #[must_use]
    pub fn from_group(group: &Group<'_>, has_code: bool, sources: &SourceMap) -> Annotation {
        let Group { diagnostic, nodes } = group;
        let mut message = diagnostic.message_with_source().to_string();
        if let Some(help) = &diagnostic.help {
            message.push_str(&format!("\nhelp: {help}"));
        }
        match nodes.as_slice() {
            [] => {}
            [one] => message.push_str(&format!("\nnode: {one}")),
            several => message.push_str(&format!("\n{}", on_nodes(several))),
        }
        let title = has_code.then(|| diagnostic.code.to_string());
        let annotation = Annotation { title, ..Annotation::new(diagnostic.severity, message) };
        match position(diagnostic, sources) {
            None => annotation,
            Some(Position { file, line, end_line, column }) => Annotation {
                file: Some(file),
                line: Some(line),
                end_line: Some(end_line),
                column: Some(column),
                ..annotation
            },
        }
    }

    /// The line, without a line break at its end. `here`: the current directory.
    #[must_use]
    pub fn to_line(&self, here: &Path, world: &dyn World) -> String {
        let mut properties = Vec::new();
        if let Some(file) = &self.file {
            properties.push(format!("file={}", property(&below_repository(file, here, world).to_string_lossy())));
        }
        // GitHub ignores lines without a file, and columns if there are several lines.
        if let Some(line) = self.line.filter(|_| self.file.is_some()) {
            let end = self.end_line.unwrap_or(line).max(line);
            properties.push(format!("line={line},endLine={end}"));
            properties.extend(self.column.filter(|_| end == line).map(|column| format!("col={column}")));
        }
        properties.extend(self.title.as_ref().map(|title| format!("title={}", property(title))));
        let command = match self.severity {
            Severity::Debug => "debug",
            Severity::Info | Severity::Notice => "notice",
            Severity::Warning => "warning",
            _ => "error",
        };
        let space = if properties.is_empty() { "" } else { " " };
        format!("::{command}{space}{}::{}", properties.join(","), data(&shortened(&self.message)))
    }
}

fn shortened(text: &str) -> String {
    if text.len() <= LONGEST {
        return text.to_owned();
    }
    let mut end = LONGEST;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}\n…", text.get(..end).unwrap_or_default())
}

/// Escapes a message; other control characters become visible signs.
fn data(text: &str) -> String {
    let escaped = text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    visible::line(&escaped).into_owned()
}

/// Escapes the value of a property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use catwalk_world::Disk;

    #[test]
    fn lines_cannot_be_forged_and_paths_are_below_the_repository() {
        let crate_ = Path::new(env!("CARGO_MANIFEST_DIR"));
        let Some(repository) = crate_.ancestors().nth(2) else { return };
        let annotation = |file: Option<&str>, message: &str| Annotation {
            severity: Severity::Error,
            file: file.map(|file| repository.join(file)),
            line: Some(3),
            end_line: Some(3),
            column: Some(5),
            title: Some("A_CODE".to_owned()),
            message: message.to_owned(),
        };
        for (annotation, expected) in [
            (annotation(Some("src/a.pp"), "x"), "::error file=src/a.pp,line=3,endLine=3,col=5,title=A_CODE::x"),
            (annotation(Some("a,b:c%.pp"), ""), "::error file=a%2Cb%3Ac%25.pp,line=3,endLine=3,col=5,title=A_CODE::"),
            (annotation(Some("a\nb"), ""), "::error file=a%0Ab,line=3,endLine=3,col=5,title=A_CODE::"),
            (annotation(None, "100 %\r\n::error::x: y, z"), "::error title=A_CODE::100 %25%0D%0A::error::x: y, z"),
            (annotation(None, "\u{1b}[31m\u{7}"), "::error title=A_CODE::␛[31m␇"),
            (
                Annotation { end_line: Some(7), severity: Severity::Warning, ..annotation(Some("a"), "x") },
                "::warning file=a,line=3,endLine=7,title=A_CODE::x",
            ),
            (Annotation { title: None, severity: Severity::Notice, ..annotation(None, "x") }, "::notice::x"),
        ] {
            assert_eq!(annotation.to_line(repository, &Disk::new()), expected);
        }
        let outside = Annotation { file: Some(PathBuf::from("/nowhere/a.pp")), ..annotation(None, "x") };
        assert!(outside.to_line(repository, &Disk::new()).starts_with("::error file=/nowhere/a.pp,line=3"));
        let long = annotation(None, &"ä".repeat(LONGEST)).to_line(repository, &Disk::new());
        assert!(long.len() < LONGEST + 100 && long.ends_with("%0A…"));
    }
}

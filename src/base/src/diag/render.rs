//! Renders diagnostics in rustc's style with `annotate-snippets`.

use std::sync::Arc;

use annotate_snippets::AnnotationKind;
use annotate_snippets::Group;
use annotate_snippets::Level;
use annotate_snippets::Origin;
use annotate_snippets::Renderer;
use annotate_snippets::Snippet;
use annotate_snippets::Title;

use crate::diag::DataLocation;
use crate::diag::Diagnostic;
use crate::diag::Frame;
use crate::diag::Label;
use crate::diag::Severity;
use crate::diag::visible;
use crate::source::Source;
use crate::source::SourceMap;
use crate::source::Span;

/// Renders a diagnostic with its source excerpt, with terminal colours if `color` is set.
#[must_use]
pub fn human(diagnostic: &Diagnostic, sources: &SourceMap, color: bool) -> String {
    let message = diagnostic.message_with_source();
    let message = visible::visible(&message);
    let main = diagnostic.span.and_then(|span| sources.get(span.file).map(|source| (span, source)));
    let calls = call_trace(diagnostic, sources);
    let other_files = labels_in_other_files(diagnostic, sources);
    let mut group = Group::with_title(title(diagnostic, &message));
    let mut groups = Vec::new();
    match (diagnostic.data_location(), &main) {
        (Some(location), main) => {
            group = add_data_line(group, location, sources);
            let is_other = |source: &Source| source.path.as_ref() != Some(&location.path);
            let main = main.as_ref().filter(|(_, source)| is_other(source));
            let note = || Group::with_title(Level::NOTE.secondary_title("used here"));
            groups.extend(main.map(|(span, source)| add_excerpt(note(), diagnostic, *span, source, sources)));
        }
        (None, Some((span, source))) => group = add_excerpt(group, diagnostic, *span, source, sources),
        (None, None) => {}
    }
    for location in &diagnostic.locations {
        let Some(note) = &location.note else { continue };
        groups.push(add_data_line(
            Group::with_title(Level::NOTE.secondary_title(visible::line(note))),
            location,
            sources,
        ));
    }
    for call in &calls {
        group = group.element(Level::NOTE.message(call.as_str()));
    }
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(visible::visible(help)));
    }
    groups.insert(0, group);
    groups.extend(other_files.iter().map(|(label, source)| label_excerpt(label, source, sources)));
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    let text = renderer.render(&groups);
    let text = match &diagnostic.secrets {
        Some(secrets) => secrets.redact(&text).into_owned(),
        None => text,
    };
    sources.hide(&text).into_owned()
}

/// The excerpt and the calls of a diagnostic, as [`human`] renders them without colours, but without the message and the hint: for a
/// program that prints the message itself.
#[must_use]
pub fn excerpt(diagnostic: &Diagnostic, sources: &SourceMap) -> String {
    let silent = Diagnostic { message: "".into(), source: None, help: None, ..diagnostic.clone() };
    let text = human(&silent, sources, false);
    text.split_once('\n').map(|(_, excerpt)| excerpt.to_owned()).unwrap_or_default()
}

fn line_owned(text: &str) -> String {
    visible::line(text).into_owned()
}

fn title<'a>(diagnostic: &'a Diagnostic, message: &'a str) -> Title<'a> {
    let level = match diagnostic.severity {
        Severity::Debug | Severity::Info | Severity::Notice => Level::NOTE,
        Severity::Warning => Level::WARNING,
        _ => Level::ERROR,
    };
    let title = level.primary_title(message);
    if diagnostic.severity >= Severity::Warning { title.id(diagnostic.code.as_str()) } else { title }
}

/// Adds the line of a data file; only the position if its text may not be shown.
fn add_data_line<'a>(group: Group<'a>, location: &'a DataLocation, sources: &SourceMap) -> Group<'a> {
    let path = line_owned(&sources.shown_path(&location.path));
    let (line, column) = (location.line as usize, location.column as usize);
    match location.excerpt() {
        Some((text, underlined)) => {
            let snippet = Snippet::source(text).line_start(line).path(path);
            group.element(snippet.annotation(AnnotationKind::Primary.span(underlined)))
        }
        None => group.element(Origin::path(path).line(line).char_column(column)),
    }
}

/// Adds the excerpt around `span` with the labels of its file; only the location if the lines are too long.
fn add_excerpt<'a>(
    group: Group<'a>,
    diagnostic: &'a Diagnostic,
    span: Span,
    source: &'a Source,
    sources: &SourceMap,
) -> Group<'a> {
    let labels = || diagnostic.labels.iter().filter(|label| label.span.file == span.file);
    let ranges = labels().map(|label| first_line_range(label.span, source)).chain([first_line_range(span, source)]);
    let excerpt = Excerpt::around(ranges, source);
    if !excerpt.is_short_enough() {
        let (line, column) = source.line_column(span.start);
        let origin =
            Origin::path(line_owned(&sources.shown_name(source))).line(line as usize).char_column(column as usize);
        return group.element(origin);
    }
    let primary = AnnotationKind::Primary.span(excerpt.relative(first_line_range(span, source)));
    let mut snippet = excerpt.snippet(source, sources).annotation(primary);
    for label in labels() {
        let note = AnnotationKind::Context.span(excerpt.relative(first_line_range(label.span, source)));
        snippet = snippet.annotation(note.label(visible::line(&label.text)));
    }
    group.element(snippet)
}

/// The calls that led to the failure: `in function f, from site.pp:3:1`.
fn call_trace(diagnostic: &Diagnostic, sources: &SourceMap) -> Vec<String> {
    let call = |frame: &Frame| match frame.span.and_then(|span| sources.locate(span)) {
        Some((source, line, column)) => {
            format!("in {}, from {}:{line}:{column}", frame.callee, sources.shown_name(&source))
        }
        None => format!("in {}", frame.callee),
    };
    diagnostic.trace.iter().map(|frame| visible::line(&call(frame)).into_owned()).collect()
}

fn labels_in_other_files<'d>(diagnostic: &'d Diagnostic, sources: &SourceMap) -> Vec<(&'d Label, Arc<Source>)> {
    let labels = diagnostic.labels.iter();
    let labels = labels.filter(|label| diagnostic.span.is_none_or(|span| span.file != label.span.file));
    labels.filter_map(|label| sources.get(label.span.file).map(|source| (label, source))).collect()
}

fn label_excerpt<'a>(label: &'a Label, source: &'a Source, sources: &SourceMap) -> Group<'a> {
    let range = first_line_range(label.span, source);
    let excerpt = Excerpt::around([range.clone()].into_iter(), source);
    let snippet = excerpt.snippet(source, sources).annotation(AnnotationKind::Primary.span(excerpt.relative(range)));
    Level::NOTE.secondary_title(visible::line(&label.text)).element(snippet)
}

/// The longest line in bytes of an excerpt: rendering a large file of one line takes seconds for each error.
const MAX_EXCERPT: usize = 1 << 16;

/// The lines of the excerpt with one line of context before and after. The library searches all lines of its input, which is slow
/// for a file with many errors.
struct Excerpt {
    bytes: std::ops::Range<usize>,
    first_line: usize,
}

impl Excerpt {
    fn around(ranges: impl Iterator<Item = std::ops::Range<usize>>, source: &Source) -> Excerpt {
        let all = ranges.reduce(|a, b| a.start.min(b.start)..a.end.max(b.end)).unwrap_or_default();
        let line = |at: usize| source.line(u32::try_from(at).unwrap_or(u32::MAX)) as usize;
        let first_line = line(all.start).saturating_sub(1).max(1);
        let start = source.offset(first_line, 1).unwrap_or(0);
        let end = source.offset(line(all.end) + 2, 1).unwrap_or(source.text.len());
        Excerpt { bytes: start..end, first_line }
    }

    /// Whether the lines are short enough for an excerpt. If not, only the location is printed.
    fn is_short_enough(&self) -> bool {
        self.bytes.len() <= MAX_EXCERPT
    }

    fn snippet<'s>(&self, source: &'s Source, sources: &SourceMap) -> Snippet<'s, annotate_snippets::Annotation<'s>> {
        let text = source.text.get(self.bytes.clone()).unwrap_or_default();
        Snippet::source(text).line_start(self.first_line).path(line_owned(&sources.shown_name(source))).fold(true)
    }

    /// Converts a range of the source to one of the excerpt.
    fn relative(&self, range: std::ops::Range<usize>) -> std::ops::Range<usize> {
        range.start - self.bytes.start..range.end - self.bytes.start
    }
}

/// The range of a span, cut at the end of its first line, so that a whole class is not underlined.
fn first_line_range(span: Span, source: &Source) -> std::ops::Range<usize> {
    let text = source.text.as_ref();
    let start = floor_char_boundary(text, span.start as usize);
    let end = floor_char_boundary(text, (span.end as usize).max(start));
    let line_end =
        memchr::memchr(b'\n', text.as_bytes().get(start..).unwrap_or(&[])).map_or(text.len(), |at| start + at);
    start..end.min(line_end).max(start)
}

fn floor_char_boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

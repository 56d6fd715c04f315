//! Diagnostics as text for people: rustc's look, drawn by `annotate-snippets`.

use annotate_snippets::AnnotationKind;
use annotate_snippets::Group;
use annotate_snippets::Level;
use annotate_snippets::Renderer;
use annotate_snippets::Snippet;

use crate::diag::Diagnostic;
use crate::diag::Severity;
use crate::diag::visible::visible;
use crate::source::Source;
use crate::source::SourceMap;
use crate::source::Span;

/// Renders one diagnostic with its source excerpt. `color` asks for terminal colours.
#[must_use]
pub fn human(diagnostic: &Diagnostic, sources: &SourceMap, color: bool) -> String {
    let level = match diagnostic.severity {
        Severity::Debug | Severity::Info | Severity::Notice => Level::NOTE,
        Severity::Warning => Level::WARNING,
        _ => Level::ERROR,
    };
    let said = diagnostic.said();
    let said = visible(&said);
    let mut title = level.primary_title(said.as_ref());
    if diagnostic.severity >= Severity::Warning {
        title = title.id(diagnostic.code.0);
    }
    let main = diagnostic.span.and_then(|span| sources.get(span.file).map(|source| (span, source)));
    let mut group = Group::with_title(title);
    if let Some((span, source)) = &main {
        let mut snippet = snippet(source).annotation(AnnotationKind::Primary.span(range(*span, source)));
        for label in diagnostic.labels.iter().filter(|label| label.span.file == span.file) {
            let note = AnnotationKind::Context.span(range(label.span, source)).label(visible(&label.text));
            snippet = snippet.annotation(note);
        }
        group = group.element(snippet);
    }
    let elsewhere: Vec<_> = diagnostic
        .labels
        .iter()
        .filter(|label| diagnostic.span.is_none_or(|span| span.file != label.span.file))
        .filter_map(|label| sources.get(label.span.file).map(|source| (label, source)))
        .collect();
    let mut groups = Vec::new();
    let frames: Vec<String> = diagnostic
        .trace
        .iter()
        .map(|frame| match frame.span.and_then(|span| sources.locate(span)) {
            Some((source, line, column)) => format!("in {}, from {}:{line}:{column}", frame.what, source.name),
            None => format!("in {}", frame.what),
        })
        .map(|text| visible(&text).into_owned())
        .collect();
    for frame in &frames {
        group = group.element(Level::NOTE.message(frame.as_str()));
    }
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(visible(help)));
    }
    groups.push(group);
    for (label, source) in &elsewhere {
        let note = AnnotationKind::Primary.span(range(label.span, source));
        groups.push(Level::NOTE.secondary_title(visible(&label.text)).element(snippet(source).annotation(note)));
    }
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    let text = renderer.render(&groups);
    match &diagnostic.secrets {
        Some(secrets) => secrets.redact(&text).into_owned(),
        None => text,
    }
}

fn snippet(source: &Source) -> Snippet<'_, annotate_snippets::Annotation<'_>> {
    Snippet::source(source.text.as_ref()).path(visible(&source.name)).fold(true)
}

/// A range inside the text that covers at most the first line, so that a whole class is not underlined.
fn range(span: Span, source: &Source) -> std::ops::Range<usize> {
    let text = source.text.as_ref();
    let start = floor(text, span.start as usize);
    let end = floor(text, (span.end as usize).max(start));
    let line_end =
        memchr::memchr(b'\n', text.as_bytes().get(start..).unwrap_or(&[])).map_or(text.len(), |at| start + at);
    start..end.min(line_end).max(start)
}

fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

//! Groups equal messages of several nodes.
//!
//! In: diagnostics of nodes, node by node. Out: [`Group`]s in the order of their first messages. Must not: render, print.

use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::BuildHasher;
use std::sync::Arc;

use rustc_hash::FxBuildHasher;

use crate::diag::Code;
use crate::diag::DataLocation;
use crate::diag::Diagnostic;
use crate::diag::Severity;
use crate::diag::visible;
use crate::names::abbreviate;
use crate::source::SourceMap;
use crate::source::Span;

/// The most names of nodes in the list of a group.
const MAX_NAMES: usize = 4;

/// A message and the nodes for which it was reported.
#[derive(Clone, Debug)]
pub struct Group<'d> {
    /// The message for the first node.
    pub diagnostic: &'d Diagnostic,
    /// The nodes, in the order of the input.
    pub nodes: Vec<&'d str>,
}

/// Lists nodes: `web1`; `on 304 nodes: web1, web2, web3, web4 and 300 more`.
#[must_use]
pub fn on_nodes(nodes: &[impl AsRef<str>]) -> String {
    match nodes {
        [one] => visible::line(one.as_ref()).into_owned(),
        several => format!("on {} nodes: {}", several.len(), abbreviate(several, MAX_NAMES)),
    }
}

/// The file, line and column of a span.
type Location = (Arc<str>, u32, u32);

/// The visible parts of a message, with a placeholder for the name of the node. Messages of a group have equal contents.
#[derive(PartialEq, Eq, Hash)]
struct Content<'d> {
    severity: Severity,
    code: Code,
    source: Option<&'d str>,
    message: Cow<'d, str>,
    help: Option<Cow<'d, str>>,
    location: Option<Location>,
    data_locations: Vec<&'d DataLocation>,
    labels: Vec<(Cow<'d, str>, Option<Location>)>,
    trace: Vec<(Cow<'d, str>, Option<Location>)>,
    summarized: Vec<Content<'d>>,
}

impl<'d> Content<'d> {
    /// The content of a message. Without lines and columns it is not changed by edits above the location.
    fn new(diagnostic: &'d Diagnostic, node: &str, sources: &SourceMap, with_lines: bool) -> Content<'d> {
        let locate = |span: Option<Span>| {
            let (source, line, column) = sources.locate(span?)?;
            let name = match (&source.path, without_name(&source.name, node)) {
                // The source of a command's output is named after the node.
                (None, Cow::Owned(name)) => Arc::from(name),
                _ => source.name.clone(),
            };
            Some(if with_lines { (name, line, column) } else { (name, 0, 0) })
        };
        let location = locate(diagnostic.span);
        // Messages that a manifest logs about its node are not grouped with those of other nodes.
        let is_logged = location.is_none()
            && matches!(diagnostic.code, Code::RUNTIME_ERROR | Code::SCRIPT_OUTPUT)
            && diagnostic.severity < Severity::Error;
        let nameless = |text: &'d str| match is_logged {
            true => Cow::Borrowed(text),
            false => without_name(text, node),
        };
        Content {
            severity: diagnostic.severity,
            code: diagnostic.code,
            source: diagnostic.source.as_deref(),
            message: nameless(&diagnostic.message),
            help: diagnostic.help.as_deref().map(nameless),
            location,
            data_locations: diagnostic.locations.iter().filter(|_| with_lines).collect(),
            labels: diagnostic.labels.iter().map(|label| (nameless(&label.text), locate(Some(label.span)))).collect(),
            trace: diagnostic.trace.iter().map(|frame| (nameless(&frame.callee), locate(frame.span))).collect(),
            summarized: diagnostic.summarized.iter().map(|one| Content::new(one, node, sources, with_lines)).collect(),
        }
    }
}

/// Replaces the name of a node by a placeholder, except within words: `a` in `failed` is not the node `a`.
fn without_name<'t>(text: &'t str, node: &str) -> Cow<'t, str> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let mut out = String::new();
    let mut copied = 0;
    for (at, _) in text.match_indices(node).filter(|_| !node.is_empty()) {
        let (before, after) = (text.get(..at).unwrap_or_default(), text.get(at + node.len()..).unwrap_or_default());
        // A dot after `web1` ends a sentence, or continues a name as in `web1.example.com`.
        let name_continues = after.strip_prefix('.').unwrap_or(after).starts_with(is_part);
        if before.ends_with(|c| is_part(c) || c == '.') || name_continues {
            continue;
        }
        out.push_str(text.get(copied..at).unwrap_or_default());
        out.push('\0');
        copied = at + node.len();
    }
    match copied {
        0 => Cow::Borrowed(text),
        _ => Cow::Owned(out + text.get(copied..).unwrap_or_default()),
    }
}

/// A hash that is equal for equal messages of a node, regardless of their line and column.
#[must_use]
pub fn fingerprint(diagnostic: &Diagnostic, node: &str, sources: &SourceMap) -> u64 {
    FxBuildHasher.hash_one(Content::new(diagnostic, node, sources, false))
}

/// Groups equal messages of several nodes. Equal messages of one node at one location are reported once, except those that a
/// manifest logs.
pub fn group<'d>(messages: impl IntoIterator<Item = (&'d Diagnostic, &'d str)>, sources: &SourceMap) -> Vec<Group<'d>> {
    let mut groups: Vec<Group<'d>> = Vec::new();
    let mut numbers_by_content: HashMap<Content<'d>, Vec<usize>, FxBuildHasher> = HashMap::default();
    for (diagnostic, node) in messages {
        let numbers = numbers_by_content.entry(Content::new(diagnostic, node, sources, true)).or_default();
        let is_of_node = |number: &usize| groups.get(*number).is_some_and(|group| group.nodes.last() == Some(&node));
        if diagnostic.span.is_some() && numbers.iter().any(is_of_node) {
            continue;
        }
        let free = numbers.iter().copied().find(|number| !is_of_node(number));
        match free.and_then(|number| groups.get_mut(number)) {
            Some(group) => group.nodes.push(node),
            None => {
                numbers.push(groups.len());
                groups.push(Group { diagnostic, nodes: vec![node] });
            }
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::Reason;

    /// The messages of nodes: level, location in the text, message.
    type Messages = &'static [(Severity, Option<usize>, &'static str)];

    #[test]
    fn equal_messages_are_grouped() {
        use Severity::Error;
        use Severity::Notice;
        use Severity::Warning;
        let cases: [(&[(&str, Messages)], &[&str]); 6] = [
            // Letters of other words are not the name of a node.
            (
                &[("a", &[(Error, None, "failed on a.")]), ("b", &[(Error, None, "failed on b.")])],
                &["failed on a.: a b"],
            ),
            // The same warning on two nodes; an error of one.
            (
                &[("a", &[(Warning, Some(1), "w")]), ("b", &[(Warning, Some(1), "w"), (Error, Some(2), "e")])],
                &["w: a b", "e: b"],
            ),
            // Messages at different locations are not grouped.
            (&[("a", &[(Warning, Some(1), "w")]), ("b", &[(Warning, Some(3), "w")])], &["w: a", "w: b"]),
            // Errors that differ only by the name of the node are grouped.
            (&[("a1", &[(Error, None, "no a1 here")]), ("b2", &[(Error, None, "no b2 here")])], &["no a1 here: a1 b2"]),
            // A message that is logged twice is reported twice; a warning at one location once.
            (
                &[
                    ("a", &[(Notice, None, "n"), (Notice, None, "m"), (Notice, None, "n")]),
                    ("b", &[(Notice, None, "n"), (Warning, Some(1), "w"), (Warning, Some(1), "w")]),
                ],
                &["n: a b", "m: a", "n: a", "w: b"],
            ),
            // Messages that a node logs about itself are not grouped.
            (
                &[("a1", &[(Notice, None, "I am a1")]), ("b2", &[(Notice, None, "I am b2")])],
                &["I am a1: a1", "I am b2: b2"],
            ),
        ];
        let sources = SourceMap::new();
        let file = sources.add(None, "site.pp", Arc::from("abc\ndef\n"));
        for (nodes, expected) in cases {
            let diagnostics: Vec<(Diagnostic, &str)> = nodes
                .iter()
                .flat_map(|(node, messages)| messages.iter().map(move |message| (*node, message)))
                .map(|(node, (severity, at, text))| {
                    let span = at.map(|at| Span::new(file, at, at + 1));
                    (Diagnostic::new(Reason::runtime(*text), span).severity(*severity), node)
                })
                .collect();
            let groups = group(diagnostics.iter().map(|(diagnostic, node)| (diagnostic, *node)), &sources);
            let printed: Vec<String> =
                groups.iter().map(|group| format!("{}: {}", group.diagnostic.message, group.nodes.join(" "))).collect();
            assert_eq!(printed, expected);
        }
        assert_eq!(on_nodes(&["a"]), "a");
        assert_eq!(on_nodes(&["a", "b", "c", "d", "e"]), "on 5 nodes: a, b, c, d and 1 more");
    }
}

//! Finds the examples and groups in the syntax tree of a spec, and inserts calls that report their lines to the evaluation.

use catwalk_ruby_syntax::ast::Node;
use catwalk_ruby_syntax::ast::NodeKind;
use catwalk_ruby_syntax::parser;
use catwalk_ruby_syntax::walk;

/// The functions that define an example.
const EXAMPLES: [&str; 8] = ["it", "specify", "example", "its", "fit", "xit", "pending", "skip"];
/// The functions that define or include a group of examples.
const GROUPS: [&str; 12] = [
    "describe",
    "context",
    "feature",
    "xdescribe",
    "xcontext",
    "fdescribe",
    "fcontext",
    "it_behaves_like",
    "it_should_behave_like",
    "include_examples",
    "include_context",
    "shared_examples",
];
/// The deepest nesting of the syntax tree that is searched.
const MAX_DEPTH: usize = 300;

/// An example or a group of examples in a spec.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct SpecPart {
    /// Its first line, from 1.
    pub(super) line: u32,
    /// Its last line.
    pub(super) end: u32,
    /// Whether it is an example.
    pub(super) is_example: bool,
}

/// The examples and groups of a spec.
#[derive(Clone, Debug, Default)]
pub(super) struct SpecLines {
    /// The examples and groups, sorted by line.
    pub(super) parts: Vec<SpecPart>,
    /// The source of the spec, with a call of `at` before each example and group.
    pub(super) text: String,
    /// Why it cannot be parsed.
    pub(super) failure: Option<(u32, String)>,
}

impl SpecLines {
    /// The innermost example or group at a line.
    pub(super) fn innermost(&self, line: u32) -> Option<SpecPart> {
        let around = self.parts.iter().filter(|part| part.line <= line && line <= part.end);
        around.min_by_key(|part| part.end - part.line).copied()
    }

    /// The lines of the examples in a part.
    pub(super) fn examples_in(&self, part: SpecPart) -> impl Iterator<Item = u32> {
        let inside = self.parts.iter().filter(move |inner| inner.is_example);
        inside.map(|inner| inner.line).filter(move |line| part.line <= *line && *line <= part.end)
    }
}

/// Finds the examples and groups of a spec.
pub(super) fn find(text: &str) -> SpecLines {
    let tree = match parser::parse(text, false) {
        Ok(tree) => tree,
        Err(error) => return SpecLines { failure: Some((error.line, error.message)), ..SpecLines::default() },
    };
    let mut parts = Vec::new();
    collect(&tree, &mut parts, 0);
    parts.sort_by_key(|part| part.line);
    let with_calls = insert_calls(text, &parts);
    // Inserting a call inside of an expression is a syntax error.
    let text = if parser::parse(&with_calls, false).is_ok() { with_calls } else { text.to_owned() };
    SpecLines { parts, text, failure: None }
}

fn collect(node: &Node, parts: &mut Vec<SpecPart>, depth: usize) {
    if depth > MAX_DEPTH {
        return;
    }
    if let NodeKind::Call(call) = &node.kind {
        let name = call.name.as_str();
        let is_rspec = match &call.receiver {
            None => true,
            Some(receiver) => matches!(&receiver.kind, NodeKind::Const(_, name) if name.as_str() == "RSpec"),
        };
        let is_example = EXAMPLES.contains(&name) && (call.block.is_some() || !call.args.is_empty());
        if is_rspec && (is_example || GROUPS.contains(&name)) {
            parts.push(SpecPart { line: node.line, end: last_line(node, 0), is_example });
        }
    }
    walk::for_each_child(node, &mut |inner| collect(inner, parts, depth + 1));
}

fn last_line(node: &Node, depth: usize) -> u32 {
    let mut last = node.line;
    if depth < MAX_DEPTH {
        walk::for_each_child(node, &mut |inner| last = last.max(last_line(inner, depth + 1)));
    }
    last
}

/// The source with `at LINE; ` before each line that begins with an example or a group.
fn insert_calls(text: &str, parts: &[SpecPart]) -> String {
    let mut result = String::with_capacity(text.len() + parts.len() * 10);
    for (at, line) in text.split_inclusive('\n').enumerate() {
        let number = u32::try_from(at + 1).unwrap_or(u32::MAX);
        let begun = line.trim_start();
        let word = begun.strip_prefix("RSpec.").unwrap_or(begun);
        let word: String = word.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        let is_part = parts.binary_search_by_key(&number, |part| part.line).is_ok();
        if is_part && (EXAMPLES.contains(&word.as_str()) || GROUPS.contains(&word.as_str())) {
            result.push_str(line.get(..line.len() - begun.len()).unwrap_or_default());
            result.push_str(&format!("at {number}; {begun}"));
        } else {
            result.push_str(line);
        }
    }
    result
}

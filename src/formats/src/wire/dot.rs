//! Writes a catalog as a graph for Graphviz: containers are clusters, relationships are arrows with their origins.

use std::fmt::Write;

use crate::graph::Graph;
use crate::wire::chunks::PieceSink;
use catwalk_catalog::Catalog;

/// The deepest nesting of clusters; deeper containers are drawn without a cluster.
const MAX_DEPTH: usize = 100;

/// The size of a piece in bytes.
const PIECE: usize = 1 << 16;

/// Passes the graph, which ends in a newline, to `take` in pieces.
///
/// # Errors
/// The errors of `take`.
pub(super) fn write_to<E>(catalog: &Catalog, take: PieceSink<'_, E>) -> Result<(), E> {
    let graph = Graph::from_catalog(catalog);
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); graph.nodes.len()];
    for (at, node) in graph.nodes.iter().enumerate() {
        if let Some(list) = node.container.and_then(|container| children.get_mut(container)) {
            list.push(at);
        }
    }
    let is_drawn = vec![false; graph.nodes.len()];
    let mut drawing = DotWriter { graph: &graph, children, is_drawn, dot: String::new(), take };
    drawing
        .dot
        .push_str("digraph catalog {\n  compound=true;\n  rankdir=LR;\n  node [shape=box, fontname=\"sans-serif\"];\n");
    for at in (0..graph.nodes.len()).filter(|at| graph.nodes.get(*at).is_some_and(|node| node.container.is_none())) {
        drawing.draw(at, 1)?;
    }
    for edge in &graph.edges {
        let reason = match &edge.position {
            Some(position) => format!("{} ({position})", edge.reason),
            None => edge.reason.clone(),
        };
        let (label, tooltip) = (quote(edge.parameter), quote(&reason));
        let _ = writeln!(drawing.dot, "  n{} -> n{} [label={label}, tooltip={tooltip}];", edge.source, edge.target);
        drawing.pass_on(PIECE)?;
    }
    drawing.dot.push_str("}\n");
    drawing.pass_on(0)
}

struct DotWriter<'a, 't, E> {
    graph: &'a Graph,
    children: Vec<Vec<usize>>,
    is_drawn: Vec<bool>,
    /// Text that has not been passed to `take` yet.
    dot: String,
    take: PieceSink<'t, E>,
}

impl<E> DotWriter<'_, '_, E> {
    fn draw(&mut self, at: usize, depth: usize) -> Result<(), E> {
        let Some(node) = self.graph.nodes.get(at) else { return Ok(()) };
        // Containers in a catalog from a file may form a cycle.
        if self.is_drawn.get_mut(at).is_none_or(|drawn| std::mem::replace(drawn, true)) {
            return Ok(());
        }
        let indent = "  ".repeat(depth.min(MAX_DEPTH));
        let label = quote(&node.reference);
        let tooltip = node.position.as_ref().map_or_else(String::new, |at| format!(", tooltip={}", quote(at)));
        let inner = self.children.get_mut(at).map(std::mem::take).unwrap_or_default();
        if inner.is_empty() || depth >= MAX_DEPTH {
            let _ = writeln!(self.dot, "{indent}n{at} [label={label}{tooltip}];");
            return self.pass_on(PIECE);
        }
        let _ = writeln!(self.dot, "{indent}subgraph cluster_{at} {{\n{indent}  label={label};");
        let _ = writeln!(self.dot, "{indent}  n{at} [label={label}{tooltip}];");
        inner.into_iter().try_for_each(|child| self.draw(child, depth + 1))?;
        let _ = writeln!(self.dot, "{indent}}}");
        Ok(())
    }

    /// Passes the text to `take` if it has at least this size.
    fn pass_on(&mut self, size: usize) -> Result<(), E> {
        if self.dot.len() < size { Ok(()) } else { (self.take)(std::mem::take(&mut self.dot)) }
    }
}

/// A quoted string for Graphviz.
fn quote(string: &str) -> String {
    format!("\"{}\"", string.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n").replace('\r', ""))
}

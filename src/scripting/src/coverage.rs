//! Line coverage of scripts by their tests.
//!
//! In: steps of the engine, by its hook for debuggers. Out: lines with statements of each script, and those that ran. Must
//! not: be part of the engine that compiles; a hook costs each step.

use std::collections::BTreeSet;
use std::path::PathBuf;

use rhai::ASTNode;
use rhai::Engine;
use rhai::Expr;
use rhai::Stmt;
use rhai::debugger::DebuggerCommand;

use crate::cache::Scripts;
use crate::check::Purpose;
use crate::state;

/// The coverage of a script.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScriptCoverage {
    /// The script.
    pub path: PathBuf,
    /// LogLines with statements.
    pub lines: Vec<usize>,
    /// LogLines with statements that no test ran.
    pub missed: Vec<usize>,
}

impl ScriptCoverage {
    /// The share of lines that ran, in percent.
    #[must_use]
    pub fn percent(&self) -> usize {
        let total = self.lines.len();
        ((total - self.missed.len()) * 100).checked_div(total).unwrap_or(100)
    }

    /// The missed lines as `3, 7-9`.
    #[must_use]
    pub fn missed_ranges(&self) -> String {
        let mut ranges: Vec<(usize, usize)> = Vec::new();
        for line in &self.missed {
            match ranges.last_mut() {
                Some((_, end)) if *end + 1 == *line => *end = *line,
                _ => ranges.push((*line, *line)),
            }
        }
        let range =
            |(start, end): &(usize, usize)| if start == end { start.to_string() } else { format!("{start}-{end}") };
        ranges.iter().map(range).collect::<Vec<_>>().join(", ")
    }
}

/// Registers a hook in an engine that records the lines it runs.
#[allow(deprecated, reason = "volatile upstream: the exact version is pinned")]
pub(super) fn record_lines(engine: &mut Engine) {
    engine.register_debugger(
        |_, debugger| debugger,
        |_, _, node, source, at| {
            // The body of a function as one expression: its statements follow.
            let is_body = match node {
                ASTNode::Stmt(Stmt::Expr(inner)) => matches!(**inner, Expr::Custom(..)),
                ASTNode::Expr(inner) => matches!(inner, Expr::Custom(..)),
                _ => false,
            };
            if is_body {
                return Ok(DebuggerCommand::StepInto);
            }
            if let (Some(source), Some(line)) = (source, at.line()) {
                state::tests(|tests| match tests.ran_lines.get_mut(source) {
                    Some(lines) => {
                        lines.insert(line);
                    }
                    None => {
                        tests.ran_lines.insert(source.to_owned(), BTreeSet::from([line]));
                    }
                });
            }
            Ok(DebuggerCommand::StepInto)
        },
    );
}

impl Scripts {
    /// The coverage of all loaded scripts except tests, as recorded on this thread.
    #[must_use]
    pub fn coverage(&self) -> Vec<ScriptCoverage> {
        let scripts =
            self.loaded_scripts().into_iter().filter(|script| Purpose::from_path(&script.path) != Purpose::Test);
        scripts
            .map(|script| {
                let mut lines = BTreeSet::new();
                script.ast.walk(&mut |nodes| {
                    if let Some(ASTNode::Stmt(statement)) = nodes.last()
                        && !matches!(statement, Stmt::Noop(_) | Stmt::Share(_) | Stmt::Block(_) | Stmt::Import(..))
                    {
                        lines.extend(statement.position().line());
                    }
                    true
                });
                let name = script.path.to_string_lossy();
                let missed = state::tests(|tests| {
                    let ran = tests.ran_lines.get(name.as_ref());
                    lines.iter().copied().filter(|line| ran.is_none_or(|ran| !ran.contains(line))).collect()
                });
                ScriptCoverage { path: script.path.clone(), lines: lines.into_iter().collect(), missed }
            })
            .collect()
    }
}

//! Coverage: how much of the Puppet code a run reached, by file: lines, branches, resources.
//!
//! In: counts of the evaluator, the files of the suite's modules and its main manifest. Out: [`Coverage`]; LCOV, a table. Must
//! not: compile. A line is measured where a statement or a resource begins, or where a branching evaluates its value; a branch
//! is an alternative of `if`, `unless`, `case` or a selector.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::Suite;
use catwalk_base::source::SourceMap;
use catwalk_base::source::Span;
use catwalk_eval::coverage::CoveragePoint;
use catwalk_eval::coverage::Hits;
use catwalk_syntax as syntax;
use catwalk_syntax::ast::Block;
use catwalk_syntax::ast::Definition;
use catwalk_syntax::ast::DefinitionKind;
use catwalk_syntax::ast::Expr;
use catwalk_syntax::ast::ExprKind;
use catwalk_syntax::ast::Parameter;
use catwalk_world::Entry;
use catwalk_world::Kind;
use catwalk_world::files_below;

/// The coverage of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileCoverage {
    /// How often each line was reached.
    pub lines: BTreeMap<u32, u64>,
    /// Branches: line, number of the branching within the file, number of the branch, how often it was reached; `None`: the
    /// branching itself was not reached.
    pub branches: Vec<(u32, u32, u32, Option<u64>)>,
    /// Resource expressions by line and how often they were reached.
    pub resources: Vec<(u32, u64)>,
}

/// Coverage by file, relative to the suite.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Files in order of their paths.
    pub files: BTreeMap<String, FileCoverage>,
}

type Counts = FxHashMap<(CoveragePoint, u32, u32), u64>;

/// The coverage of a run.
#[must_use]
pub fn measure(suite: &Suite, hits: &Hits) -> Coverage {
    let sources = suite.session.sources();
    let mut counts: FxHashMap<PathBuf, Counts> = FxHashMap::default();
    for (mark, span, count) in hits.all() {
        let Some(path) = sources.get(span.file).and_then(|source| source.path.clone()) else { continue };
        *counts.entry(path).or_default().entry((mark, span.start, span.end)).or_default() += count;
    }
    let none = Counts::default();
    let mut coverage = Coverage::default();
    for path in manifests(suite) {
        let Ok(bytes) = suite.world().read(&path) else { continue };
        let Ok(text) = std::str::from_utf8(&bytes) else { continue };
        let display_path = path.strip_prefix(&suite.root).unwrap_or(&path).display().to_string();
        let file = measure_file(text, counts.get(&path).unwrap_or(&none));
        coverage.files.insert(display_path, file);
    }
    coverage
}

/// The manifests of the suite: those of its own modules, and the main manifest. Fixture modules are not part of the suite.
fn manifests(suite: &Suite) -> Vec<PathBuf> {
    let mut manifests = Vec::new();
    let Ok(environment) = suite.session.open_environment() else { return manifests };
    for module in environment.modules.values() {
        let relative = module.root.strip_prefix(&suite.root);
        if relative.is_ok_and(|path| !path.iter().any(|part| part == "fixtures")) {
            for folder in ["manifests", "functions"] {
                let is_included = |entry: &Entry| entry.kind == Kind::Directory || entry.name.ends_with(".pp");
                let (files, _) = files_below(&module.root.join(folder), suite.world(), &is_included);
                manifests.extend(files);
            }
        }
    }
    let main = environment.manifest_files(suite.world()).unwrap_or_default();
    manifests.extend(main.into_iter().filter(|path| path.starts_with(&suite.root)));
    manifests.sort();
    manifests.dedup();
    manifests
}

/// A walk over the syntax tree of a file, which collects its coverage.
struct CoverageWalk<'a> {
    counts: &'a Counts,
    line: &'a dyn Fn(u32) -> u32,
    file: FileCoverage,
    branchings: u32,
}

fn measure_file(text: &str, counts: &Counts) -> FileCoverage {
    let sources = SourceMap::new();
    let id = sources.add(None, "", Arc::from(text));
    let (file, _) = syntax::parse_only(&sources, id, false);
    let source = sources.get(id);
    let line = |offset: u32| source.as_ref().map_or(1, |source| source.line(offset));
    let mut walk = CoverageWalk { counts, line: &line, file: FileCoverage::default(), branchings: 0 };
    walk.visit_block(&file.body);
    walk.file
}

/// The offset where an expression begins: the span of an operation is its operator, but it begins at its left operand.
fn start_offset(expr: &Expr) -> u32 {
    let mut start = expr.span.start;
    let mut at = expr;
    loop {
        at = match &at.kind {
            ExprKind::Binary(inner) => &inner.left,
            ExprKind::Assign(inner) => &inner.left,
            ExprKind::Relation(inner) => &inner.left,
            ExprKind::Access(inner) => &inner.left,
            ExprKind::Method(inner) => &inner.receiver,
            _ => return start,
        };
        start = start.min(at.span.start);
    }
}

impl CoverageWalk<'_> {
    fn count(&self, mark: CoveragePoint, span: Span) -> u64 {
        self.counts.get(&(mark, span.start, span.end)).copied().unwrap_or(0)
    }

    fn add_line(&mut self, line: u32, count: u64) {
        let line_count = self.file.lines.entry(line).or_default();
        *line_count = (*line_count).max(count);
    }

    fn visit_block(&mut self, block: &Block) {
        for statement in &block.statements {
            match &statement.kind {
                ExprKind::Definition(definition) => {
                    self.visit_definition(definition);
                    continue;
                }
                ExprKind::Nop | ExprKind::Error => continue,
                _ => {}
            }
            let line = (self.line)(start_offset(statement));
            self.add_line(line, self.count(CoveragePoint::Statement, statement.span));
            self.visit_expression(statement);
        }
    }

    fn visit_definition(&mut self, definition: &Definition) {
        match &definition.kind {
            DefinitionKind::Class(inner) => self.visit_body(&inner.params, &inner.body),
            DefinitionKind::Define(inner) => self.visit_body(&inner.params, &inner.body),
            DefinitionKind::Function(inner) => self.visit_body(&inner.params, &inner.body),
            DefinitionKind::Node(inner) => self.visit_block(&inner.body),
            _ => {}
        }
    }

    fn visit_body(&mut self, parameters: &[Parameter], body: &Block) {
        let defaults = parameters.iter().filter_map(|parameter| parameter.default.as_ref());
        defaults.for_each(|default| self.visit_expression(default));
        self.visit_block(body);
    }

    /// The branches of a branching at a span.
    fn add_branches(&mut self, span: Span, alternatives: u32, mark: fn(u32) -> CoveragePoint) {
        let counts: Vec<u64> = (0..alternatives).map(|alternative| self.count(mark(alternative), span)).collect();
        let reached = counts.iter().any(|count| *count > 0);
        let line = (self.line)(span.start);
        self.add_line(line, counts.iter().sum());
        for (alternative, count) in (0..).zip(counts) {
            self.file.branches.push((line, self.branchings, alternative, reached.then_some(count)));
        }
        self.branchings += 1;
    }

    fn visit_expression(&mut self, expr: &Expr) {
        let saturated = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        match &expr.kind {
            ExprKind::Definition(definition) => return self.visit_definition(definition),
            ExprKind::Block(block) => return self.visit_block(block),
            ExprKind::If(inner) | ExprKind::Unless(inner) => {
                self.add_branches(inner.test.span, 2, CoveragePoint::If);
                self.visit_expression(&inner.test);
                self.visit_block(&inner.then);
                inner.else_body.iter().for_each(|block| self.visit_block(block));
                return;
            }
            ExprKind::Case(inner) => {
                let default = |expr: &Expr| matches!(expr.kind, ExprKind::Default);
                let has_default = inner.options.iter().any(|option| option.values.iter().any(default));
                self.add_branches(
                    inner.test.span,
                    saturated(inner.options.len() + usize::from(!has_default)),
                    CoveragePoint::Case,
                );
                self.visit_expression(&inner.test);
                for option in &inner.options {
                    option.values.iter().for_each(|value| self.visit_expression(value));
                    self.visit_block(&option.then);
                }
                return;
            }
            ExprKind::Selector(inner) => {
                self.add_branches(inner.test.span, saturated(inner.options.len()), CoveragePoint::Selector)
            }
            ExprKind::Resource(_) => {
                let count = self.count(CoveragePoint::Resource, expr.span);
                let line = (self.line)(expr.span.start);
                self.add_line(line, count);
                self.file.resources.push((line, count));
            }
            ExprKind::Call(inner) => inner.block.iter().for_each(|lambda| self.visit_block(&lambda.body)),
            ExprKind::Method(inner) => inner.block.iter().for_each(|lambda| self.visit_block(&lambda.body)),
            _ => {}
        }
        expr.children(&mut |inner| self.visit_expression(inner));
    }
}

/// The number of reached items out of all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ratio {
    /// The number of reached items.
    pub hit: usize,
    /// The number of all items.
    pub all: usize,
}

impl Ratio {
    fn of(counts: impl Iterator<Item = u64>) -> Ratio {
        counts.fold(Ratio::default(), |share, count| Ratio {
            hit: share.hit + usize::from(count > 0),
            all: share.all + 1,
        })
    }

    fn add(&mut self, other: Ratio) {
        self.hit += other.hit;
        self.all += other.all;
    }

    fn text(self) -> String {
        if self.all == 0 {
            return "-".to_owned();
        }
        format!("{}/{} {:>3.0} %", self.hit, self.all, 100.0 * self.hit as f64 / self.all as f64)
    }
}

impl FileCoverage {
    /// The coverage of lines, branches and resources.
    #[must_use]
    pub(crate) fn shares(&self) -> [Ratio; 3] {
        [
            Ratio::of(self.lines.values().copied()),
            Ratio::of(self.branches.iter().map(|branch| branch.3.unwrap_or(0))),
            Ratio::of(self.resources.iter().map(|resource| resource.1)),
        ]
    }
}

impl Coverage {
    /// The coverage in the format of LCOV. A line with branches is listed itself, and a line that was reached has a reached branch
    /// (`genhtml` requires both).
    #[must_use]
    pub fn lcov(&self, root: &Path) -> String {
        let mut out = String::new();
        for (name, file) in &self.files {
            let [lines, branches, _] = file.shares();
            out.push_str(&format!("TN:\nSF:{}\n", root.join(name).display()));
            let branching_lines: BTreeSet<u32> =
                file.branches.iter().filter(|branch| branch.3.is_some()).map(|branch| branch.0).collect();
            for (line, branching, alternative, count) in &file.branches {
                let idle = !branching_lines.contains(line) && file.lines.get(line).is_some_and(|count| *count > 0);
                let count = count.or(idle.then_some(0));
                let count = count.map_or_else(|| "-".to_owned(), |count| count.to_string());
                out.push_str(&format!("BRDA:{line},{branching},{alternative},{count}\n"));
            }
            out.push_str(&format!("BRF:{}\nBRH:{}\n", branches.all, branches.hit));
            file.lines.iter().for_each(|(line, count)| out.push_str(&format!("DA:{line},{count}\n")));
            out.push_str(&format!("LF:{}\nLH:{}\nend_of_record\n", lines.all, lines.hit));
        }
        out
    }

    /// The coverage as a table for people.
    #[must_use]
    pub fn table(&self) -> String {
        let mut rows = vec![["file", "lines", "branches", "resources"].map(str::to_owned)];
        let mut total = [Ratio::default(); 3];
        let row = |name: &str, shares: [Ratio; 3]| {
            let [lines, branches, resources] = shares.map(Ratio::text);
            [name.to_owned(), lines, branches, resources]
        };
        for (name, file) in &self.files {
            let shares = file.shares();
            if shares.iter().all(|share| share.all == 0) {
                continue;
            }
            total.iter_mut().zip(shares).for_each(|(total, share)| total.add(share));
            rows.push(row(name, shares));
        }
        rows.push(row("all", total));
        let width =
            |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|text| text.chars().count()).max();
        let widths: Vec<usize> = (0..4).map(|column| width(column).unwrap_or(0)).collect();
        let line = |row: &[String; 4]| {
            let [name, lines, branches, resources] = row;
            let [a, b, c, d] = [0, 1, 2, 3].map(|column| widths.get(column).copied().unwrap_or(0));
            format!("{name:a$}  {lines:>b$}  {branches:>c$}  {resources:>d$}\n")
        };
        rows.iter().map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_that_is_not_reached_is_listed() {
        let text = "class a($x) {\n  $y = 1\n  if $x {\n    notice(1)\n  } else {\n    file { 'a':\n      mode => $x ? { 1 => 'a', default => 'b' },\n    }\n  }\n  package { 'p': }\n  -> case $x { 1: { notice(2) } }\n  [1].each |$i| {\n    notice($i)\n  }\n}\n";
        let file = measure_file(text, &Counts::default());
        assert_eq!(file.lines.keys().copied().collect::<Vec<_>>(), [2, 3, 4, 6, 7, 10, 11, 12, 13]);
        let branches: Vec<(u32, u32)> = file.branches.iter().map(|branch| (branch.0, branch.2)).collect();
        assert_eq!(branches, [(3, 0), (3, 1), (7, 0), (7, 1), (11, 0), (11, 1)]);
        assert_eq!(file.resources, [(6, 0), (10, 0)]);
    }
}

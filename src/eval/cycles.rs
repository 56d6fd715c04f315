//! Dependency cycles of a finished catalog as diagnostics: the way round, and where each of its steps was written.
//!
//! The reference leaves finding cycles to the agent, where they stop the whole run (Puppet::Graph::SimpleGraph).

use std::sync::Arc;

use crate::catalog::Catalog;
use crate::catalog::Cycle;
use crate::catalog::ResourceId;
use crate::catalog::Why;
use crate::catalog::dependency_cycles;
use crate::catalog::is_acyclic;
use crate::diag::Code;
use crate::diag::Diagnostic;
use crate::diag::Reason;
use crate::diag::Severity;
use crate::eval::Cycles;
use crate::eval::Evaluator;
use crate::eval::state::Entry;
use crate::names::Name;
use crate::source::Span;

/// An arrow as it was carried out: which resource it gave which parameter a reference to what.
#[derive(Clone, Debug)]
pub(crate) struct Drawn {
    pub(crate) owner: crate::catalog::ResourceId,
    pub(crate) parameter: &'static str,
    pub(crate) target: Arc<str>,
    pub(crate) span: Span,
}

impl<'c> Evaluator<'c> {
    /// The cycles of the catalog that this compile made: warnings, or errors, as the settings say.
    #[must_use]
    pub fn cycles(&self, catalog: &Catalog) -> Vec<Diagnostic> {
        let severity = match self.settings.cycles {
            Cycles::Ignore => return Vec::new(),
            Cycles::Warning => Severity::Warning,
            Cycles::Error => Severity::Error,
        };
        if self.is_acyclic() {
            return Vec::new();
        }
        dependency_cycles(catalog).iter().map(|cycle| self.cycle(cycle, catalog).severity(severity)).collect()
    }

    /// Whether nothing waits for itself, by what references meant when they were checked: the common case, for which the
    /// catalog need not be read again.
    fn is_acyclic(&self) -> bool {
        let Some(waits) = &self.state.waits else { return false };
        let count = self.state.entries.len();
        let contained = self.state.containment.list();
        let (begin, end) = (|id: ResourceId| id.0 as usize * 2, |id: ResourceId| id.0 as usize * 2 + 1);
        let mut edges = Vec::with_capacity(count + contained.len() * 2 + waits.len());
        edges.extend((0..count).map(|at| (at * 2, at * 2 + 1)));
        for (container, inner) in contained {
            edges.push((begin(*container), begin(*inner)));
            edges.push((end(*inner), end(*container)));
        }
        edges.extend(waits.iter().map(|(first, then)| (end(*first), begin(*then))));
        is_acyclic(count * 2, &edges)
    }

    fn cycle(&self, cycle: &Cycle, catalog: &Catalog) -> Diagnostic {
        let text = format!("Found 1 dependency cycle: {}", cycle.text(catalog));
        let mut steps = Vec::with_capacity(cycle.steps.len());
        for (at, (from, why)) in cycle.steps.iter().enumerate() {
            let Some((to, _)) = cycle.steps.get((at + 1) % cycle.steps.len().max(1)) else { continue };
            steps.extend(self.step(*from, *to, *why, catalog));
        }
        Diagnostic::new(Reason::new(Code("DEPENDENCY_CYCLE"), text).help(steps.join("\n")), None)
    }

    /// `File[/a] before File[/b]: 'require' of File[/b] (site.pp:3)`
    fn step(&self, from: usize, to: usize, why: Why, catalog: &Catalog) -> Option<String> {
        let (first, then) = (catalog.resources.get(from)?, catalog.resources.get(to)?);
        let (first, then) = (first.reference(), then.reference());
        let (how, span) = match why {
            Why::Containment => {
                // A container begins before what it contains, which ends before the container.
                let inside = catalog.edges.contains(&(from, to));
                let (inner, outer) = if inside { (&then, &first) } else { (&first, &then) };
                let span = self.entry_of(inner).and_then(|(_, entry)| entry.span);
                (format!("{inner} is declared in {outer}"), span)
            }
            Why::Parameter(parameter) => {
                let forward = matches!(parameter, "before" | "notify");
                let (owner, target) = if forward { (&first, &then) } else { (&then, &first) };
                self.origin(owner, parameter, target)
            }
        };
        let place = span.and_then(|span| self.program.sources.locate(span));
        let place = place.map_or_else(String::new, |(source, line, _)| format!(" ({}:{line})", source.name));
        Some(format!("{first} before {then}: {how}{place}"))
    }

    /// What made a relationship, and where.
    fn origin(&self, owner: &str, parameter: &str, target: &str) -> (String, Option<Span>) {
        let by_parameter = format!("'{parameter}' of {owner}");
        let Some((id, entry)) = self.entry_of(owner) else { return (by_parameter, None) };
        let drawn = |arrow: &&Drawn| arrow.owner == id && arrow.parameter == parameter && *arrow.target == *target;
        if let Some(arrow) = self.state.arrows.iter().find(drawn) {
            return ("an arrow".to_owned(), Some(arrow.span));
        }
        let set = entry.params.get(&Name::new(parameter)).and_then(|param| param.span);
        (by_parameter, set.or(entry.span))
    }

    fn entry_of(&self, reference: &str) -> Option<(crate::catalog::ResourceId, &Entry<'c>)> {
        let at = self.state.entries.iter().position(|entry| entry.reference() == reference)?;
        let id = crate::catalog::ResourceId(u32::try_from(at).ok()?);
        self.state.entries.get(at).map(|entry| (id, entry))
    }
}

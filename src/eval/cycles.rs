//! Dependency cycles of a finished catalog as diagnostics: the way round, and where each of its steps was written.
//!
//! The reference leaves finding cycles to the agent, where they stop the whole run (Puppet::Graph::SimpleGraph).

use std::sync::Arc;

use rustc_hash::FxHashMap;
use rustc_hash::FxHashSet;

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

/// Where resources and arrows of a compile are found by name: cycles may have many steps.
struct Origins<'e> {
    /// Containers with what they contain.
    contained: FxHashSet<(usize, usize)>,
    entries: FxHashMap<String, ResourceId>,
    /// By owner, parameter and target.
    arrows: FxHashMap<(ResourceId, &'e str, &'e str), Span>,
}

impl<'e> Origins<'e> {
    /// Of several with the same name the first is found.
    fn new(evaluator: &'e Evaluator<'_>, catalog: &Catalog) -> Origins<'e> {
        let ids = (0..).map(ResourceId);
        let references = evaluator.state.entries.iter().map(Entry::reference);
        let arrows = evaluator.state.arrows.iter().rev();
        Origins {
            contained: catalog.edges.iter().copied().collect(),
            entries: references.zip(ids).collect::<Vec<_>>().into_iter().rev().collect(),
            arrows: arrows.map(|arrow| ((arrow.owner, arrow.parameter, &*arrow.target), arrow.span)).collect(),
        }
    }
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
        let origins = Origins::new(self, catalog);
        dependency_cycles(catalog).iter().map(|cycle| self.cycle(cycle, catalog, &origins).severity(severity)).collect()
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

    fn cycle(&self, cycle: &Cycle, catalog: &Catalog, origins: &Origins<'_>) -> Diagnostic {
        let text = format!("Found 1 dependency cycle: {}", cycle.text(catalog));
        let mut steps = Vec::with_capacity(cycle.steps.len());
        for (at, (from, why)) in cycle.steps.iter().enumerate() {
            let Some((to, _)) = cycle.steps.get((at + 1) % cycle.steps.len().max(1)) else { continue };
            steps.extend(self.step(*from, *to, *why, (catalog, origins)));
        }
        Diagnostic::new(Reason::new(Code("DEPENDENCY_CYCLE"), text).help(steps.join("\n")), None)
    }

    /// `File[/a] before File[/b]: 'require' of File[/b] (site.pp:3)`
    fn step(&self, from: usize, to: usize, why: Why, (catalog, origins): (&Catalog, &Origins<'_>)) -> Option<String> {
        let (first, then) = (catalog.resources.get(from)?, catalog.resources.get(to)?);
        let (first, then) = (first.reference(), then.reference());
        let (how, span) = match why {
            Why::Containment => {
                // A container begins before what it contains, which ends before the container.
                let inside = origins.contained.contains(&(from, to));
                let (inner, outer) = if inside { (&then, &first) } else { (&first, &then) };
                let span = self.entry_of(inner, origins).and_then(|(_, entry)| entry.span);
                (format!("{inner} is declared in {outer}"), span)
            }
            Why::Parameter(parameter) => {
                let forward = matches!(parameter, "before" | "notify");
                let (owner, target) = if forward { (&first, &then) } else { (&then, &first) };
                self.origin((owner, parameter, target), origins)
            }
        };
        let place = span.and_then(|span| self.program.sources.locate(span));
        let place = place.map_or_else(String::new, |(source, line, _)| format!(" ({}:{line})", source.name));
        Some(format!("{first} before {then}: {how}{place}"))
    }

    /// What made a relationship, and where.
    fn origin(&self, (owner, parameter, target): (&str, &str, &str), origins: &Origins<'_>) -> (String, Option<Span>) {
        let by_parameter = format!("'{parameter}' of {owner}");
        let Some((id, entry)) = self.entry_of(owner, origins) else { return (by_parameter, None) };
        if let Some(span) = origins.arrows.get(&(id, parameter, target)) {
            return ("an arrow".to_owned(), Some(*span));
        }
        let set = entry.params.get(&Name::new(parameter)).and_then(|param| param.span);
        (by_parameter, set.or(entry.span))
    }

    fn entry_of(&self, reference: &str, origins: &Origins<'_>) -> Option<(ResourceId, &Entry<'c>)> {
        let id = *origins.entries.get(reference)?;
        self.state.entries.get(id.0 as usize).map(|entry| (id, entry))
    }
}

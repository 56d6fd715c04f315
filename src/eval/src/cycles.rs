//! Dependency cycles of a finished catalog as diagnostics, and where its relationships were written.
//!
//! Puppet leaves finding cycles to the agent, where they stop the whole run (Puppet::Graph::SimpleGraph).

use std::sync::Arc;

use rustc_hash::FxHashMap;
use rustc_hash::FxHashSet;

use crate::Cycles;
use crate::Evaluator;
use crate::state::Entry;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::diag::Severity;
use catwalk_base::names::Name;
use catwalk_base::source::Span;
use catwalk_catalog::Catalog;
use catwalk_catalog::Cycle;
use catwalk_catalog::OrderReason;
use catwalk_catalog::Origin;
use catwalk_catalog::RelationshipOrigin;
use catwalk_catalog::Resource;
use catwalk_catalog::ResourceId;
use catwalk_catalog::dependency_cycles;
use catwalk_catalog::for_each_reference;
use catwalk_catalog::is_acyclic;
use catwalk_catalog::is_forward;

/// A relationship that an arrow or the function `require` added: the resource with the parameter, and the added reference.
#[derive(Clone, Debug)]
pub(crate) struct AddedRelationship {
    pub(crate) owner: catwalk_catalog::ResourceId,
    pub(crate) parameter: &'static str,
    pub(crate) target: Arc<str>,
    pub(crate) origin: Origin,
    pub(crate) span: Span,
}

/// The resources and arrows of a compile by name: cycles may have many steps.
struct Origins<'e> {
    /// Pairs of a container and a resource in it.
    contained: FxHashSet<(usize, usize)>,
    /// By type and title.
    entries: FxHashMap<(Name, &'e str), ResourceId>,
    /// By owner, parameter and target.
    added: FxHashMap<(ResourceId, &'e str, &'e str), (Origin, Span)>,
}

impl<'e> Origins<'e> {
    /// If several resources or relationships have the same name, the first is used.
    fn new(evaluator: &'e Evaluator<'_>, catalog: &Catalog) -> Origins<'e> {
        let ids = (0..).map(ResourceId);
        let entries = evaluator.state.resources.entries.iter().map(|entry| (entry.type_name, &*entry.title));
        let added = evaluator.state.relations.added_relationships.iter().rev();
        let key = |one: &'e AddedRelationship| ((one.owner, one.parameter, &*one.target), (one.origin, one.span));
        Origins {
            contained: catalog.edges.iter().copied().collect(),
            entries: entries.zip(ids).fold(FxHashMap::default(), |mut all, (entry, id)| {
                all.entry(entry).or_insert(id);
                all
            }),
            added: added.map(key).collect(),
        }
    }
}

impl<'c> Evaluator<'c> {
    /// Records that the function `require`, called at `span`, made a class, define or node depend on a class.
    pub fn note_required_class(&mut self, owner: ResourceId, class: &str, span: Span) {
        let target = Arc::from(format!("Class[{}]", Name::new(class).capitalized()));
        let (parameter, origin) = ("require", Origin::RequireFunction);
        self.state.relations.added_relationships.push(AddedRelationship { owner, parameter, target, origin, span });
    }

    /// The cycles of the catalog of this compile: warnings or errors, by the settings.
    #[must_use]
    pub fn cycles(&self, catalog: &Catalog) -> Vec<Diagnostic> {
        let severity = match self.settings.cycles {
            Cycles::Ignore => return Vec::new(),
            Cycles::Warning => Severity::Warning,
            Cycles::Error => Severity::Error,
        };
        if catalog.automatic.is_empty() && self.is_acyclic() {
            return Vec::new();
        }
        let origins = Origins::new(self, catalog);
        dependency_cycles(catalog)
            .iter()
            .map(|cycle| self.cycle_diagnostic(cycle, catalog, &origins).severity(severity))
            .collect()
    }

    /// Whether no resource depends on itself, according to the resolved references. In this common case the catalog is not searched.
    fn is_acyclic(&self) -> bool {
        let Some(ordering) = &self.state.relations.ordering else { return false };
        let count = self.state.resources.entries.len();
        let contained = self.state.resources.containment.list();
        let (begin, end) = (|id: ResourceId| id.0 as usize * 2, |id: ResourceId| id.0 as usize * 2 + 1);
        let mut edges = Vec::with_capacity(count + contained.len() * 2 + ordering.len());
        edges.extend((0..count).map(|at| (at * 2, at * 2 + 1)));
        for (container, inner) in contained {
            edges.push((begin(*container), begin(*inner)));
            edges.push((end(*inner), end(*container)));
        }
        edges.extend(ordering.iter().map(|(first, then)| (end(*first), begin(*then))));
        is_acyclic(count * 2, &edges)
    }

    /// Where the relationships of the catalog of this compile were written.
    #[must_use]
    pub fn relationship_origins(&self, catalog: &Catalog) -> Vec<RelationshipOrigin> {
        let origins = Origins::new(self, catalog);
        let mut found = Vec::new();
        for (at, resource) in catalog.resources.iter().enumerate() {
            let owner = self.find_entry((resource.type_name, &resource.title), &origins);
            for parameter in ["before", "notify", "require", "subscribe"] {
                let Some(value) = resource.parameters.get(&Name::new(parameter)) else { continue };
                for_each_reference(value, &mut |type_name, title| {
                    let target = format!("{type_name}[{title}]");
                    let (origin, span) = self.find_origin(owner, parameter, &target, &origins);
                    let position = span.and_then(|span| self.program.sources.locate(span));
                    found.push(RelationshipOrigin {
                        owner: at,
                        parameter,
                        target: Arc::from(target),
                        origin,
                        position: position.map(|(source, line, _)| (source.name.clone(), line)),
                    });
                });
            }
        }
        found
    }

    /// The syntax that created a relationship, and its span.
    fn find_origin(
        &self,
        owner: Option<(ResourceId, &Entry<'c>)>,
        parameter: &str,
        target: &str,
        origins: &Origins<'_>,
    ) -> (Origin, Option<Span>) {
        let Some((id, entry)) = owner else { return (Origin::Parameter, None) };
        if let Some((origin, span)) = origins.added.get(&(id, parameter, target)) {
            return (*origin, Some(*span));
        }
        let set = entry.params.get(&Name::new(parameter)).and_then(|param| param.span);
        (Origin::Parameter, set.or(entry.span))
    }

    fn cycle_diagnostic(&self, cycle: &Cycle, catalog: &Catalog, origins: &Origins<'_>) -> Diagnostic {
        let text = format!("Found 1 dependency cycle: {}", cycle.text(catalog));
        let mut steps = Vec::with_capacity(cycle.steps.len());
        for (at, (from, reason)) in cycle.steps.iter().enumerate() {
            let Some((to, _)) = cycle.steps.get((at + 1) % cycle.steps.len().max(1)) else { continue };
            steps.extend(self.describe_step(*from, *to, *reason, (catalog, origins)));
        }
        Diagnostic::new(Reason::new(Code::DEPENDENCY_CYCLE, text).help(steps.join("\n")), None)
    }

    /// `File[/a] before File[/b]: 'require' of File[/b] (site.pp:3)`
    fn describe_step(
        &self,
        from: usize,
        to: usize,
        reason: OrderReason,
        (catalog, origins): (&Catalog, &Origins<'_>),
    ) -> Option<String> {
        let ends = (catalog.resources.get(from)?, catalog.resources.get(to)?);
        let (first, then) = (ends.0.reference(), ends.1.reference());
        let entry = |resource: &Resource| self.find_entry((resource.type_name, &resource.title), origins);
        let (description, span) = match reason {
            OrderReason::Containment => {
                // A container begins before its content, which ends before the container.
                let inside = origins.contained.contains(&(from, to));
                let (inner, outer) = if inside { (&then, &first) } else { (&first, &then) };
                let span = entry(if inside { ends.1 } else { ends.0 }).and_then(|(_, entry)| entry.span);
                (format!("{inner} is declared in {outer}"), span)
            }
            OrderReason::Parameter(parameter) => {
                let is_forward = is_forward(parameter);
                let (owner, target) = if is_forward { (&first, &then) } else { (&then, &first) };
                let owning = entry(if is_forward { ends.0 } else { ends.1 });
                let (origin, span) = match parameter.starts_with("auto") {
                    true => (Origin::Parameter, owning.and_then(|(_, entry)| entry.span)),
                    false => self.find_origin(owning, parameter, target, origins),
                };
                (origin.describe(parameter, owner), span)
            }
        };
        let position = span.and_then(|span| self.program.sources.locate(span));
        let position = position.map_or_else(String::new, |(source, line, _)| format!(" ({}:{line})", source.name));
        Some(format!("{first} before {then}: {description}{position}"))
    }

    fn find_entry(&self, (type_name, title): (Name, &str), origins: &Origins<'_>) -> Option<(ResourceId, &Entry<'c>)> {
        let id = *origins.entries.get(&(type_name, title))?;
        self.state.resources.entries.get(id.0 as usize).map(|entry| (id, entry))
    }
}

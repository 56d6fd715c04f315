//! Arrows at the end of a compile: they become parameters of their left sides.
//!
//! In: relationships as they were written. Out: `before` and `notify` of the left operands. Must not: evaluate expressions.

use std::sync::Arc;

use super::Operand;
use super::Reference;
use super::Relationship;
use super::title_source;
use crate::Evaluator;
use crate::Res;
use crate::collector::CollectorId;
use crate::cycles::AddedRelationship;
use catwalk_base::meter;
use catwalk_base::source::Span;
use catwalk_catalog::Origin;
use catwalk_catalog::ResourceId;
use catwalk_value::Type;
use catwalk_value::Value;

/// A resource at the left end of an arrow. The operand that replaces an empty collector is not converted to a resource: messages
/// print it as a type.
struct Source {
    reference: Reference,
    as_type: bool,
    /// The title as source if it is not a string.
    title_source: Option<Arc<str>>,
}

impl Source {
    fn resource(reference: Reference) -> Source {
        Source { reference, as_type: false, title_source: None }
    }

    fn operand(value: &Value, reference: &Reference, as_type: bool) -> Source {
        Source { reference: reference.clone(), as_type, title_source: title_source(value) }
    }
}

impl std::fmt::Display for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Reference { type_name, title } = &self.reference;
        if !self.as_type {
            return self.reference.fmt(f);
        }
        if type_name.as_str() == "Class" {
            return write!(f, "Class[{}]", title.to_lowercase());
        }
        match &self.title_source {
            Some(source) => write!(f, "{type_name}[{source}]"),
            None => write!(f, "{type_name}[{}]", catwalk_value::to_program(&Value::from(title.clone()))),
        }
    }
}

/// An evaluated side of an arrow: an operand, or a value that is still to be converted to operands.
pub(super) enum EvaluatedOperand {
    Operand(Operand),
    Value(Value),
}

/// Whether a reference type names no resource.
pub(super) fn is_incomplete(data_type: &Type) -> bool {
    match data_type {
        Type::Class(name) => name.is_none(),
        Type::Resource(resource) => resource.title.is_none(),
        _ => false,
    }
}

impl<'c> Evaluator<'c> {
    /// Turns all arrows into `before` and `notify` parameters of their left sides.
    pub(crate) fn evaluate_relationships(&mut self) -> Res<()> {
        for relationship in std::mem::take(&mut self.state.relations.relationships) {
            let sources = self.sources_of(&relationship.source);
            // A target is looked up once for all sources.
            let mut targets: Vec<(Reference, Option<Arc<str>>)> =
                self.targets_of(&relationship.target).into_iter().map(|target| (target, None)).collect();
            for source in &sources {
                let mut source_id = None;
                for (target, text) in &mut targets {
                    let id = match source_id {
                        Some(id) => id,
                        None => *source_id.insert(self.find_source(source, target, relationship.span)?),
                    };
                    let text = match text {
                        Some(text) => text.clone(),
                        None => text.insert(self.find_target(source, target, relationship.span)?).clone(),
                    };
                    self.relate(id, text, &relationship)?;
                }
            }
        }
        self.add_appended_targets();
        Ok(())
    }

    /// The resources right of an arrow.
    fn targets_of(&self, operand: &Operand) -> Vec<Reference> {
        match operand {
            Operand::Reference(_, reference) => vec![reference.clone()],
            Operand::Incomplete(_) => Vec::new(),
            Operand::Collector(id) => self.collected_references(*id),
        }
    }

    /// The resources left of an arrow. An empty collector is replaced by the operand left of it.
    fn sources_of(&self, operand: &Operand) -> Vec<Source> {
        let mut operand = operand;
        let mut as_type = false;
        loop {
            let id = match operand {
                Operand::Incomplete(_) => return Vec::new(),
                Operand::Reference(value, reference) => return vec![Source::operand(value, reference, as_type)],
                Operand::Collector(id) => *id,
            };
            let collected = self.collected_references(id);
            let collector = self.state.collection.collectors.get(id.0 as usize);
            match collector.and_then(|collector| collector.alternative.as_deref()) {
                Some([only]) if collected.is_empty() => (operand, as_type) = (only, true),
                Some(several) if collected.is_empty() => {
                    let sources = several.iter().flat_map(|operand| match operand {
                        Operand::Reference(value, reference) => vec![Source::operand(value, reference, true)],
                        Operand::Incomplete(_) => Vec::new(),
                        Operand::Collector(id) => {
                            self.collected_references(*id).into_iter().map(Source::resource).collect()
                        }
                    });
                    return sources.collect();
                }
                _ => return collected.into_iter().map(Source::resource).collect(),
            }
        }
    }

    fn collected_references(&self, id: CollectorId) -> Vec<Reference> {
        let collector = self.state.collection.collectors.get(id.0 as usize).into_iter();
        collector
            .flat_map(|collector| collector.collected(&self.state.resources.by_type))
            .filter_map(|id| self.reference_of_entry(id))
            .collect()
    }

    fn reference_of_entry(&self, id: ResourceId) -> Option<Reference> {
        let entry = self.state.resources.entries.get(id.0 as usize)?;
        Some(Reference { type_name: entry.type_name, title: entry.title.clone() })
    }

    /// The resource left of an arrow.
    fn find_source(&self, source: &Source, target: &Reference, arrow: Span) -> Res<ResourceId> {
        self.find_reference_checked(&source.reference)?.ok_or_else(|| {
            let text = format!("Could not find resource '{source}' for relationship on '{target}'");
            self.missing_end(text, &source.reference.to_string(), arrow)
        })
    }

    /// The string of the right operand of an arrow, if it exists.
    fn find_target(&self, source: &Source, target: &Reference, arrow: Span) -> Res<Arc<str>> {
        let reference = target.to_string();
        if self.find_reference_checked(target)?.is_none() {
            let text = format!("Could not find resource '{target}' for relationship from '{source}'");
            return Err(self.missing_end(text, &reference, arrow));
        }
        Ok(Arc::from(reference))
    }

    fn relate(&mut self, id: ResourceId, target: Arc<str>, arrow: &Relationship) -> Res<()> {
        let parameter = arrow.parameter;
        let name = if parameter == "notify" { catwalk_base::name!("notify") } else { catwalk_base::name!("before") };
        let current = self.state.resources.entries.get(id.0 as usize).and_then(|entry| entry.params.get(&name));
        let identity = match current {
            Some(param) if matches!(param.value, Value::Array(_)) => param.identity,
            other => {
                let existing = other.map(|param| param.value.clone()).filter(|value| !value.is_undef());
                self.set_value(id, name, Value::array(existing.into_iter().collect()))?;
                let set = self.state.resources.entries.get(id.0 as usize).and_then(|entry| entry.params.get(&name));
                match set.map(|param| param.identity) {
                    Some(identity) => identity,
                    None => self.state.resources.identity(),
                }
            }
        };
        // An edge needs a reference, a value and a string in the catalog.
        meter::charge(200);
        self.state.relations.appended_targets.entry(identity).or_default().push(Value::from(target.clone()));
        let (origin, span) = (Origin::Arrow, arrow.span);
        self.state.relations.added_relationships.push(AddedRelationship { owner: id, parameter, target, origin, span });
        Ok(())
    }

    /// A resource by reference; one without a title is refused as Puppet refuses its string.
    fn find_reference_checked(&self, reference: &Reference) -> Res<Option<ResourceId>> {
        if reference.title.is_empty() {
            return self.find_reference(&reference.to_string());
        }
        self.find_resource(reference.type_name, &reference.title)
    }

    /// Moves elements that arrows appended to the end of the arrays, also if several resources share one.
    fn add_appended_targets(&mut self) {
        let appended = std::mem::take(&mut self.state.relations.appended_targets);
        if appended.is_empty() {
            return;
        }
        for entry in &mut self.state.resources.entries {
            for name in [catwalk_base::name!("before"), catwalk_base::name!("notify")] {
                let Some(param) = entry.params.get_mut(&name) else { continue };
                let (Some(targets), Value::Array(items)) = (appended.get(&param.identity), &param.value) else {
                    continue;
                };
                param.value = Value::array(items.iter().chain(targets).cloned().collect());
            }
        }
    }
}

//! Collectors: `File <| mode == '0644' |> { … }`, `<<| |>>`, `realize` (Puppet::Pops::Evaluator::Collectors).

mod filter;
mod import;
mod index;
mod query;

use std::sync::Arc;

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use crate::Evaluator;
use crate::Res;
use crate::ScopeId;
use crate::Stop;
use crate::register::split_reference;
use crate::relation::Operand;
use crate::relation::Reference;
use crate::resource::flatten;
use crate::state::Param;
use crate::state::ResourceDefinition;
use crate::state::Source;
use catwalk_base::diag::Code;
use catwalk_base::diag::Reason;
use catwalk_base::names::Name;
use catwalk_base::names::NameMap;
use catwalk_base::source::Span;
use catwalk_catalog::ResourceId;
use catwalk_catalog::Tags;
use catwalk_syntax::ast;
use catwalk_syntax::ast::ExprKind;
use catwalk_value::Type;
use catwalk_value::Value;
use catwalk_value::ruby;
pub use index::Index;
use query::Query;

/// Index of a collector in the compiler's list.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct CollectorId(pub u32);

/// What a collector looks for.
#[derive(Clone, Debug)]
enum CollectorTarget {
    /// Resources of a type in this catalog.
    Catalog { type_name: Name, query: Option<Query> },
    /// Exported resources of a type.
    Exported { type_name: Name, query: Option<Query> },
    /// Resources of `realize` that were not found yet.
    Set { targets: Vec<RealizeTarget> },
}

/// An argument of `realize`; whether a string is a reference is determined when it is resolved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RealizeTarget {
    Reference(Reference),
    String(Arc<str>),
}

impl std::fmt::Display for RealizeTarget {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            RealizeTarget::Reference(reference) => reference.fmt(f),
            RealizeTarget::String(text) => f.write_str(text),
        }
    }
}

/// A collector of the compiler's list.
#[derive(Clone, Debug)]
pub struct Collector {
    target: CollectorTarget,
    overrides: Option<Vec<(Name, Param)>>,
    scope: ScopeId,
    source: Source,
    span: Option<Span>,
    collected: IndexSet<ResourceId, FxBuildHasher>,
    /// Without a query: the number of resources of the type that it has collected.
    collected_count: usize,
    /// Whether exported resources of other nodes were added.
    imported: bool,
    /// The operand left of it in a chain of arrows, used if it collects nothing.
    pub(crate) alternative: Option<Vec<Operand>>,
}

impl Collector {
    /// Everything collected so far, in order. `by_type` has all resources of each type.
    pub fn collected<'a>(
        &'a self,
        by_type: &'a NameMap<Vec<ResourceId>>,
    ) -> impl Iterator<Item = ResourceId> + use<'a> {
        let every = match &self.target {
            CollectorTarget::Catalog { type_name, query: None } => {
                by_type.get(type_name).and_then(|all| all.get(..self.collected_count))
            }
            _ => None,
        };
        every.unwrap_or_default().iter().chain(&self.collected).copied()
    }

    /// Whether it is a `realize` that has found all its resources.
    fn is_settled(&self) -> bool {
        matches!(&self.target, CollectorTarget::Set { targets } if targets.is_empty())
    }

    /// Arguments of `realize` that were not found.
    pub(crate) fn unresolved(&self) -> &[RealizeTarget] {
        match &self.target {
            CollectorTarget::Set { targets } => targets,
            _ => &[],
        }
    }
}

impl<'c> Evaluator<'c> {
    /// A collector expression. Its value is only used by arrows.
    ///
    /// # Errors
    ///
    /// Unknown type, or an invalid query.
    pub(crate) fn eval_collector(&mut self, collector: &'c Arc<ast::Collector>) -> Res<Value> {
        self.add_collector(collector).map(|_| Value::Undef)
    }

    /// Registers a collector.
    pub(crate) fn add_collector(&mut self, collector: &'c ast::Collector) -> Res<CollectorId> {
        if collector.exported && !self.storeconfigs() {
            let text =
                "You cannot collect exported resources without storeconfigs being set; the collection will be ignored";
            let reason = Reason::new(Code::RT_NO_STORECONFIGS, text);
            self.warn_of_issue(reason, Some(collector.span));
        } else if collector.exported && self.exports.is_none() {
            let text = "exported resources of other nodes are not known: only this node's are collected";
            let help = "give `--exported site`, or set `exported` in [puppetdb] of catwalk.toml";
            self.warn(Reason::new(Code::EXPORTS_NOT_KNOWN, text).help(help), collector.span);
        }
        let ExprKind::TypeName(name) = &collector.type_ref.kind else {
            return Err(Stop::runtime("LHS is not a type"));
        };
        let lower = name.to_lowercase();
        if lower == "class" {
            return Err(Stop::runtime("Classes cannot be collected"));
        }
        let Some(found) = self.find_resource_type(*name)? else {
            return Err(Stop::runtime(format!("Resource type {lower} doesn't exist")));
        };
        let mut overrides = None;
        if !collector.attributes.is_empty() {
            let mut params = Vec::with_capacity(collector.attributes.len());
            for attribute in &collector.attributes {
                params.extend(self.attribute_params(attribute)?);
            }
            overrides = Some(params);
        }
        let query = match &collector.query {
            Some(query) if !matches!(query.kind, ExprKind::Nop) => {
                if collector.exported {
                    // Puppet evaluates it once more, for the database, so its warnings are logged twice.
                    self.query(query)?;
                }
                match self.query(query)? {
                    Query::Value(Value::Undef) => None,
                    Query::Value(Value::Bool(false)) if !collector.exported => None,
                    query => Some(query),
                }
            }
            _ => None,
        };
        let type_name = found.type_name();
        let target = if collector.exported {
            CollectorTarget::Exported { type_name, query }
        } else {
            CollectorTarget::Catalog { type_name, query }
        };
        Ok(self.push_collector(target, overrides, Some(collector.span)))
    }

    fn push_collector(
        &mut self,
        target: CollectorTarget,
        overrides: Option<Vec<(Name, Param)>>,
        span: Option<Span>,
    ) -> CollectorId {
        let id = CollectorId(u32::try_from(self.state.collection.collectors.len()).unwrap_or(u32::MAX));
        let (scope, source) = (self.base(), self.source());
        let collected = IndexSet::default();
        let collector = Collector {
            target,
            overrides,
            scope,
            source,
            span,
            collected,
            collected_count: 0,
            imported: false,
            alternative: None,
        };
        self.state.collection.collectors.push(collector);
        self.state.collection.active_collectors.push(id);
        id
    }

    /// `realize`: collects the resources as soon as they exist.
    pub fn realize(&mut self, targets: Vec<RealizeTarget>) {
        self.push_collector(CollectorTarget::Set { targets }, None, None);
    }

    /// Evaluates every collector once; returns whether any found a new resource.
    pub(crate) fn evaluate_collections(&mut self) -> Res<bool> {
        let mut found_new = false;
        self.begin_round();
        for id in self.state.collection.active_collectors.clone() {
            found_new |= self.evaluate_collector(id)?;
        }
        self.state.collection.collector_index = None;
        let collectors = &self.state.collection.collectors;
        let is_settled = |id: &CollectorId| collectors.get(id.0 as usize).is_some_and(Collector::is_settled);
        self.state.collection.active_collectors.retain(|id| !is_settled(id));
        Ok(found_new)
    }

    fn evaluate_collector(&mut self, id: CollectorId) -> Res<bool> {
        let target = self.state.collection.collectors.get(id.0 as usize).map(|collector| &collector.target);
        if let Some(CollectorTarget::Catalog { type_name, query: None }) = target {
            return self.collect_all_of_type(id.0 as usize, *type_name);
        }
        let objects = self.collect(id)?;
        for object in &objects {
            if let Some(entry) = self.state.resources.entries.get_mut(object.0 as usize) {
                entry.is_virtual = false;
            }
        }
        let Some(collector) = self.state.collection.collectors.get_mut(id.0 as usize) else { return Ok(false) };
        let mut new = Vec::new();
        for object in objects {
            if !collector.collected.contains(&object) {
                new.push(object);
            }
        }
        if let CollectorTarget::Catalog { type_name, .. } | CollectorTarget::Exported { type_name, .. } =
            &collector.target
        {
            let type_name = *type_name;
            self.override_collected(id.0 as usize, type_name, &new)?;
        }
        let any = !new.is_empty();
        if let Some(collector) = self.state.collection.collectors.get_mut(id.0 as usize) {
            collector.collected.extend(new);
        }
        Ok(any)
    }

    fn collect(&mut self, id: CollectorId) -> Res<Vec<ResourceId>> {
        let Some(collector) = self.state.collection.collectors.get_mut(id.0 as usize) else { return Ok(Vec::new()) };
        if let CollectorTarget::Set { targets } = &mut collector.target {
            let unresolved = std::mem::take(targets);
            let mut objects = Vec::new();
            let mut missing = Vec::new();
            for target in unresolved {
                match self.find_realize_target(&target)? {
                    Some(object) => objects.push(object),
                    None => missing.push(target),
                }
            }
            if let Some(Collector { target: CollectorTarget::Set { targets }, .. }) =
                self.state.collection.collectors.get_mut(id.0 as usize)
            {
                *targets = missing;
            }
            return Ok(objects);
        }
        let listed = self.candidates(id);
        let Some(collector) = self.state.collection.collectors.get(id.0 as usize) else { return Ok(Vec::new()) };
        let (type_name, query, exported) = match &collector.target {
            CollectorTarget::Catalog { type_name, query } => (type_name, query, false),
            CollectorTarget::Exported { type_name, query } if self.storeconfigs() => (type_name, query, true),
            _ => return Ok(Vec::new()),
        };
        let all = self.state.resources.by_type.get(type_name).map_or(&[][..], Vec::as_slice);
        let candidates = listed.as_deref().unwrap_or(all);
        let mut found = Vec::new();
        // The search is counted, since many collectors may compare many resources.
        catwalk_base::meter::tick(16 * candidates.len());
        for id in candidates {
            let entry = self.state.resources.entries.get(id.0 as usize);
            let exported = !exported || entry.is_some_and(|entry| entry.exported == Some(true));
            if exported && query.as_ref().map_or(Ok(true), |query| self.matches_query(query, *id))? {
                found.push(*id);
            }
        }
        if exported {
            found.extend(self.import(id)?);
        }
        Ok(found)
    }

    /// Whether the node collects exported resources.
    #[must_use]
    pub fn collects_exported(&self) -> bool {
        self.storeconfigs()
            && self
                .state
                .collection
                .collectors
                .iter()
                .any(|collector| matches!(collector.target, CollectorTarget::Exported { .. }))
    }

    /// `realize` arguments: references, or strings that may be references.
    pub fn realize_targets(&self, value: &Value) -> Res<Vec<RealizeTarget>> {
        let mut flat = Vec::new();
        flatten(value, &mut flat);
        let target = |value: &Value| match value {
            Value::Type(data_type @ (Type::Resource(_) | Type::Class(_))) => {
                self.catalog_reference(data_type).map(RealizeTarget::Reference)
            }
            other => Ok(RealizeTarget::String(ruby::to_s(other).into_owned().into())),
        };
        flat.iter().map(target).collect()
    }

    fn find_realize_target(&self, target: &RealizeTarget) -> Res<Option<ResourceId>> {
        if let RealizeTarget::Reference(reference) = target
            && !reference.title.is_empty()
        {
            return self.find_resource(reference.type_name, &reference.title);
        }
        let text = target.to_string();
        let found = self.find_reference(&text).map_err(|stop| match stop {
            // The call has ended, so the failure does not mention it.
            Stop::Reason(reason) => Stop::ruby_error("ArgumentError", reason.message),
            other => other,
        })?;
        // Puppet creates a resource for a missing target, and tags it with its type.
        if found.is_none()
            && let Some((type_name, _)) = split_reference(&text)
            && let Err(bad) = Tags::default().add(type_name)
        {
            let reason = Reason::runtime(format!("Invalid tag '{bad}'"));
            return Err(Stop::Failed(Box::from(reason)));
        }
        Ok(found)
    }
}

impl ResourceDefinition<'_> {
    /// The capitalized name of the type.
    pub(crate) fn type_name(&self) -> Name {
        match self {
            ResourceDefinition::Builtin(builtin) => builtin.name,
            ResourceDefinition::Define(definition) => definition.name.normalized().capitalized(),
            ResourceDefinition::Class(_) => catwalk_base::name!("Class"),
            ResourceDefinition::Node(_) => catwalk_base::name!("Node"),
        }
    }

    /// Whether a parameter of this name may be set.
    pub(crate) fn accepts(&self, name: Name) -> bool {
        let written = match self {
            ResourceDefinition::Builtin(builtin) => return builtin.check_parameter(name).is_ok(),
            ResourceDefinition::Class(Some(definition)) | ResourceDefinition::Define(definition) => {
                crate::parameters::declared_parameters(definition)
            }
            _ => &[],
        };
        name == "name"
            || catwalk_program::METAPARAMETERS.contains(&name.as_str())
            || written.iter().any(|parameter| parameter.name == name)
    }
}

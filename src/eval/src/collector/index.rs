//! An index for many collectors of one type: the resources that a query may match.
//!
//! In: queries that compare an attribute or a tag with a string. Out: the candidate resources, which are then compared. An index
//! is valid for one round of all collectors: in a round, only collectors with overrides change resources, and report the change.

use rustc_hash::FxHashMap;

use super::Collector;
use super::CollectorId;
use super::CollectorTarget;
use super::query::Query;
use crate::Evaluator;
use crate::state::Entry;
use crate::state::Param;
use catwalk_base::names::Name;
use catwalk_base::names::NameMap;
use catwalk_catalog::ResourceId;
use catwalk_value::Value;

/// The number of collectors from which an index is built.
const INDEX_THRESHOLD: usize = 16;
/// The number of a resource's containers that are searched for tags; resources that are nested deeper are always candidates.
const MAX_CONTAINERS: usize = 64;

/// The compared property.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Field {
    Tag,
    Attribute(Name),
}

/// Positions in the list of a type's resources by the string that a field has, in lower case.
#[derive(Clone, Debug, Default)]
struct Positions {
    by_string: FxHashMap<Box<str>, Vec<usize>>,
    /// Resources that are always candidates, since their field may equal further strings.
    always: Vec<usize>,
    /// The number of indexed resources.
    indexed_count: usize,
}

/// The indexes of one round.
#[derive(Clone, Debug, Default)]
pub struct Index {
    fields: NameMap<FxHashMap<Field, Positions>>,
}

/// The field that a resource must have to match a query, with the possible strings in lower case.
fn required_field(query: &Query) -> Option<(Field, Vec<String>)> {
    match query {
        // The second operand is only evaluated if the first matches.
        Query::And(left, right) => required_field(left).or_else(|| {
            let is_plain =
                matches!(**left, Query::Equal(..) | Query::NotEqual(..) | Query::Tagged(_) | Query::Constant(_));
            required_field(right).filter(|_| is_plain)
        }),
        Query::Tagged(tags) => Some((Field::Tag, tags.iter().map(|(_, tag)| tag.clone()).collect())),
        Query::Equal(name, Value::Str(text)) => Some((Field::Attribute(*name), vec![text.to_lowercase()])),
        _ => None,
    }
}

impl Positions {
    fn add(&mut self, position: usize, values: Option<Vec<Box<str>>>) {
        let Some(values) = values else { return self.always.push(position) };
        for text in values {
            self.by_string.entry(text).or_default().push(position);
        }
    }
}

impl Evaluator<'_> {
    /// Begins a round of all collectors.
    pub(super) fn begin_round(&mut self) {
        self.state.collection.collector_index =
            (self.state.collection.active_collectors.len() >= INDEX_THRESHOLD).then(Box::default);
    }

    /// The candidate resources of a collector's query, in order; `None`: all of its type.
    pub(super) fn candidates(&mut self, id: CollectorId) -> Option<Vec<ResourceId>> {
        self.state.collection.collector_index.as_ref()?;
        let (type_name, query) = match &self.state.collection.collectors.get(id.0 as usize)?.target {
            CollectorTarget::Catalog { type_name, query } | CollectorTarget::Exported { type_name, query } => {
                (*type_name, query.as_ref()?)
            }
            CollectorTarget::Set { .. } => return None,
        };
        let (field, values) = required_field(query)?;
        let mut index = self.state.collection.collector_index.take()?;
        let positions = index.fields.entry(type_name).or_default().entry(field).or_default();
        let all = self.state.resources.by_type.get(&type_name).map_or(&[][..], Vec::as_slice);
        catwalk_base::meter::tick(16 * (all.len() - positions.indexed_count.min(all.len())));
        for (position, id) in all.iter().enumerate().skip(positions.indexed_count) {
            positions.add(position, self.values(*id, field));
        }
        positions.indexed_count = all.len();
        let listed = values.iter().filter_map(|text| positions.by_string.get(text.as_str())).flatten();
        let mut positions_found: Vec<usize> = listed.chain(&positions.always).copied().collect();
        positions_found.sort_unstable();
        positions_found.dedup();
        let resources = positions_found.into_iter().filter_map(|position| all.get(position).copied()).collect();
        self.state.collection.collector_index = Some(index);
        Some(resources)
    }

    /// Records that a collector has overridden attributes of these resources.
    pub(super) fn note_overridden(&mut self, type_name: Name, changed: &[ResourceId], params: &[(Name, Param)]) {
        let Some(mut index) = self.state.collection.collector_index.take() else { return };
        // Defaults of the collector's scope are applied with its own attributes.
        if self.state.resources.has_defaults || params.iter().any(|(name, _)| *name == catwalk_base::name!("tag")) {
            index.fields.values_mut().for_each(|fields| _ = fields.remove(&Field::Tag));
        }
        let all = self.state.resources.by_type.get(&type_name).map_or(&[][..], Vec::as_slice);
        for (field, positions) in index.fields.get_mut(&type_name).into_iter().flatten() {
            for id in changed.iter().filter(|_| *field != Field::Tag) {
                // Resource ids are assigned in ascending order.
                if let Ok(position) = all.binary_search_by_key(&id.0, |id| id.0)
                    && position < positions.indexed_count
                {
                    positions.add(position, self.values(*id, *field));
                }
            }
        }
        self.state.collection.collector_index = Some(index);
    }

    /// The strings that a field of a resource equals, in lower case; `None`: it may equal further strings.
    fn values(&self, id: ResourceId, field: Field) -> Option<Vec<Box<str>>> {
        let name = match field {
            Field::Tag => return self.all_tags(id),
            Field::Attribute(name) => name,
        };
        match &*self.query_operand(id, name) {
            Value::Str(text) => Some(vec![text.to_lowercase().into()]),
            Value::Undef | Value::Bool(_) | Value::Int(_) => Some(Vec::new()),
            _ => None,
        }
    }

    fn all_tags(&self, id: ResourceId) -> Option<Vec<Box<str>>> {
        let mut tags = Vec::new();
        let mut at = id;
        for _ in 0..MAX_CONTAINERS {
            let entry = self.state.resources.entries.get(at.0 as usize)?;
            tags.extend(entry.tags.iter().map(|tag| Box::from(&**tag)));
            match self.scope_resource(entry.scope) {
                Some(container) if container != at => at = container,
                _ => return Some(tags),
            }
        }
        None
    }

    /// Lets a collector without a query collect: it takes the resources declared since its last round.
    pub(super) fn collect_all_of_type(&mut self, at: usize, type_name: Name) -> crate::Res<bool> {
        let Some(collector) = self.state.collection.collectors.get_mut(at) else { return Ok(false) };
        let all = self.state.resources.by_type.get(&type_name).map_or(&[][..], Vec::as_slice);
        let before = std::mem::replace(&mut collector.collected_count, all.len());
        let new = all.get(before..).unwrap_or_default();
        // Another collector without a query may have realized them already.
        let realized = self.state.collection.realized_counts.entry(type_name).or_default();
        for id in all.iter().skip(std::mem::replace(realized, all.len())) {
            let entry: Option<&mut Entry<'_>> = self.state.resources.entries.get_mut(id.0 as usize);
            if let Some(entry) = entry {
                entry.is_virtual = false;
            }
        }
        catwalk_base::meter::tick(16);
        if new.is_empty() || collector.overrides.is_none() {
            return Ok(!new.is_empty());
        }
        let new = new.to_vec();
        self.override_collected(at, type_name, &new)?;
        Ok(true)
    }

    /// Overrides attributes of the resources that a collector has found, if it has a body.
    pub(super) fn override_collected(&mut self, at: usize, type_name: Name, new: &[ResourceId]) -> crate::Res<()> {
        let Some(Collector { overrides: Some(params), span: Some(span), scope, source, .. }) =
            self.state.collection.collectors.get(at).filter(|_| !new.is_empty())
        else {
            return Ok(());
        };
        let (params, span, scope, source) = (params.clone(), *span, *scope, *source);
        self.state.collection.overriding_sources.insert(source);
        for object in new {
            self.collected_override(*object, &params, scope, source, span)?;
        }
        self.note_overridden(type_name, new, &params);
        Ok(())
    }
}

//! The automatic relationships of a compiled catalog: those of Puppet's own types, of definitions of the Resource API, and of types that
//! modules write in Ruby.
//!
//! In: a catalog and the evaluator that created it. Out: the catalog with the relationships; warnings about types that cannot be read.
//! Must not: read the state of the machine.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use indexmap::IndexMap;

use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::diag::Severity;
use catwalk_base::names::Name;
use catwalk_catalog::AutomaticTarget;
use catwalk_catalog::Catalog;
use catwalk_catalog::Order;
use catwalk_catalog::Resource;
use catwalk_eval::Evaluator;
use catwalk_puppet_ruby as ruby;
use catwalk_resource_api::Definition;
use catwalk_resource_api::Relation;
use catwalk_resource_api::State;
use catwalk_resources::Neighbours;
use catwalk_resources::RelatedType;
use catwalk_resources::automatic_relations;
use catwalk_value::Hash;
use catwalk_value::Value;

/// Adds the automatic relationships. Returns warnings: types whose relationships cannot be read have none.
pub(super) fn relate(evaluator: &mut Evaluator<'_>, catalog: &mut Catalog) -> Vec<Diagnostic> {
    let mut automatic = AutomaticTargets { targets: core_type_targets(catalog), warnings: Vec::new() };
    let mut resources = None;
    for (type_name, resources_of_type) in group_by_type(catalog) {
        let resource_type = evaluator.builtin(type_name).ok().flatten();
        match resource_type.as_ref().and_then(|resource_type| resource_type.schema().definition.clone()) {
            Some(definition) => {
                resources_of_type.iter().for_each(|at| automatic.add_defined(catalog, *at, &definition))
            }
            None if RelatedType::from_name(type_name.as_str()).is_some() => {}
            None => {
                let resources = resources.get_or_insert_with(|| resources_for_ruby(catalog));
                automatic.add_written_in_ruby(evaluator, type_name, resources);
            }
        }
    }
    let AutomaticTargets { targets, warnings } = automatic;
    catalog.relate_automatically(targets);
    warnings
}

/// The targets of resources of Puppet's own types, for a catalog whose code is not available.
#[must_use]
pub fn core_type_targets(catalog: &Catalog) -> Vec<AutomaticTarget> {
    let order = Order::new(catalog);
    let neighbours = CatalogNeighbours { catalog, order, groups: OnceCell::new() };
    let mut targets = Vec::new();
    for (at, resource) in catalog.resources.iter().enumerate().filter(|(_, resource)| resource.builtin) {
        let get = |name: &str| parameter(resource, name);
        let Some(related_type) = RelatedType::from_name(resource.type_name.normalized().as_str()) else { continue };
        for (relation, type_name, title) in automatic_relations(related_type, &get, &neighbours) {
            targets.push(AutomaticTarget { owner: at, relation: relation.key(), type_name, title });
        }
    }
    targets
}

struct AutomaticTargets {
    targets: Vec<AutomaticTarget>,
    warnings: Vec<Diagnostic>,
}

impl AutomaticTargets {
    /// Adds the targets that a definition of the Resource API names.
    fn add_defined(&mut self, catalog: &Catalog, at: usize, definition: &Arc<Definition>) {
        let Some(resource) = catalog.resources.get(at) else { return };
        let mut state: State = resource.parameters.iter().map(|(name, value)| (*name, value.clone())).collect();
        for (name, value) in definition.parse_title(&resource.title).unwrap_or_default() {
            state.entry(name).or_insert_with(|| value.map_or(Value::Undef, Value::from));
        }
        for (relation, type_name, title) in definition.related_resources(&state) {
            self.targets.push(AutomaticTarget { owner: at, relation: Relation::key(relation), type_name, title });
        }
    }

    /// Adds the targets that the blocks of a type in Ruby return.
    fn add_written_in_ruby(&mut self, evaluator: &mut Evaluator<'_>, type_name: Name, resources: &Value) {
        let result =
            evaluator.within_limits(|evaluator| Ok(ruby::automatic_relations(evaluator, type_name, resources)));
        let why = match result {
            Ok(Ok(relations)) => {
                let targets = relations.targets.into_iter();
                self.targets.extend(targets.map(|(owner, relation, type_name, title)| AutomaticTarget {
                    owner,
                    relation,
                    type_name,
                    title,
                }));
                match relations.failures.into_iter().next() {
                    None => return,
                    Some((_, message)) => Reason::runtime(message),
                }
            }
            Ok(Err(reason)) => reason,
            Err(stop) => {
                let failure = evaluator.failure(stop);
                Reason::new(failure.code, failure.message)
            }
        };
        let text = format!("the automatic relationships of type '{type_name}' cannot be read: {}", why.message);
        let reason = Reason::new(Code::AUTOREQUIRE_NOT_READ, text);
        self.warnings.push(Diagnostic::new(reason, None).severity(Severity::Warning));
    }
}

/// The resources of each type that is not a class, defined type, node or stage.
fn group_by_type(catalog: &Catalog) -> IndexMap<Name, Vec<usize>> {
    let mut by_type: IndexMap<Name, Vec<usize>> = IndexMap::new();
    for (at, resource) in catalog.resources.iter().enumerate().filter(|(_, resource)| resource.builtin) {
        if !resource.is_virtual {
            by_type.entry(resource.type_name.normalized()).or_default().push(at);
        }
    }
    by_type
}

/// `[type, title, parameters]` of each resource, as [`ruby::automatic_relations`] reads them.
fn resources_for_ruby(catalog: &Catalog) -> Value {
    let row = |resource: &Resource| {
        let mut parameters = Hash::with_capacity(resource.parameters.len());
        for (name, value) in &resource.parameters {
            parameters.set(name.as_str(), value.clone());
        }
        let type_name = resource.type_name.normalized();
        Value::array(vec![Value::str(type_name.as_str()), Value::from(resource.title.clone()), Value::hash(parameters)])
    };
    Value::array(catalog.resources.iter().map(row).collect())
}

/// The value of a parameter; the title for a namevar without a value.
fn parameter(resource: &Resource, name: &str) -> Option<Value> {
    let value = resource.parameters.get(&Name::new(name)).cloned();
    value.or_else(|| (resource.namevar == name).then(|| Value::from(resource.title.clone())))
}

struct CatalogNeighbours<'a> {
    catalog: &'a Catalog,
    order: Order<'a>,
    /// Titles of groups by number; of several groups with one number the first.
    groups: OnceCell<HashMap<i64, Arc<str>>>,
}

impl Neighbours for CatalogNeighbours<'_> {
    fn has_file(&self, path: &Path) -> bool {
        path.to_str().is_some_and(|path| self.order.find("File", path).is_some())
    }

    fn files_below(&self, directory: &str) -> Vec<Arc<str>> {
        let files = self.catalog.resources.iter().filter(|resource| resource.type_name == "File");
        let paths = files.filter_map(|file| parameter(file, "path")?.as_str().map(Arc::from));
        paths.filter(|path: &Arc<str>| path.len() > directory.len() && path.starts_with(directory)).collect()
    }

    fn group(&self, gid: i64) -> Option<Arc<str>> {
        let number = |resource: &Resource| match parameter(resource, "gid")? {
            Value::Int(number) => Some(number),
            gid => gid.as_str()?.parse().ok(),
        };
        let groups = self.groups.get_or_init(|| {
            let mut groups = HashMap::new();
            for group in self.catalog.resources.iter().filter(|resource| resource.type_name == "Group") {
                if let Some(number) = number(group) {
                    groups.entry(number).or_insert_with(|| group.title.clone());
                }
            }
            groups
        });
        groups.get(&gid).cloned()
    }
}

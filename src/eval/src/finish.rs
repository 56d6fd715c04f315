//! The end of a compile: arrows, late overrides, tags, sensitive values, checks, inherited metaparameters, and the
//! finished catalog (Puppet::Parser::Compiler#finish, Puppet::Resource::Catalog#to_resource).

mod missing_target;
mod relationships;

use std::collections::hash_map::Entry as MapEntry;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::Evaluator;
use crate::Res;
use crate::Stop;
use crate::parameters::ParameterTypes;
use crate::resource::flatten;
use crate::resource::parse_error;
use crate::resource::set_param;
use crate::state::Entry;
use crate::state::KeyValues;
use crate::state::Param;
use crate::state::ResourceDefinition;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::names::Name;
use catwalk_base::names::Table;
use catwalk_catalog::Catalog;
use catwalk_catalog::Resource;
use catwalk_catalog::ResourceId;
use catwalk_catalog::Tags;
use catwalk_catalog::Version;
use catwalk_program::METAPARAMETERS;
use catwalk_program::RELATIONSHIP_METAPARAMETERS;
use catwalk_value::Type;
use catwalk_value::Value;

impl<'c> Evaluator<'c> {
    /// Completes every resource.
    ///
    /// # Errors
    ///
    /// An arrow to a missing resource, an override that is not permitted, an unknown parameter.
    pub fn finish(&mut self) -> Res<()> {
        self.evaluate_relationships()?;
        for at in 0..self.state.resources.entries.len() {
            let id = ResourceId(u32::try_from(at).unwrap_or(u32::MAX));
            let Some(entry) = self.state.resources.entries.get(at) else { continue };
            if !entry.in_compiler {
                continue;
            }
            if !self.state.collection.overrides.is_empty() {
                let reference = entry.reference();
                for over in self.state.collection.overrides.shift_remove(&reference).unwrap_or_default() {
                    self.merge_override(id, &over)?;
                }
            }
            self.finish_resource(id)?;
        }
        self.inherit_metaparameters()
    }

    fn finish_resource(&mut self, id: ResourceId) -> Res<()> {
        self.add_scope_tags(id);
        let Some(entry) = self.state.resources.entries.get_mut(id.0 as usize) else { return Ok(()) };
        if std::mem::replace(&mut entry.finished, true) {
            return Ok(());
        }
        for (name, param) in &mut entry.params {
            if let Value::Sensitive(inner) = &param.value {
                // From here on the secret is a plain value, which other code can read.
                catwalk_value::secret::conceal(inner, self.world.secrets());
                param.value = inner.as_ref().clone();
                entry.sensitive.push(*name);
            }
        }
        self.validate(id)
    }

    fn validate(&mut self, id: ResourceId) -> Res<()> {
        let Some(entry) = self.state.resources.entries.get(id.0 as usize) else { return Ok(()) };
        let declared = entry.declared.clone();
        match &declared {
            ResourceDefinition::Builtin(builtin) => {
                for name in entry.params.keys() {
                    let Err(Stop::Reason(reason)) = builtin.check_parameter(*name) else { continue };
                    if reason.code == Code::NOT_SUPPORTED_YET {
                        return Err(Stop::Failed(Box::new(Diagnostic::new(*reason, entry.span))));
                    }
                    let location = self.declared_at(entry).map_or_else(String::new, |location| format!(" {location}"));
                    let text = format!("{}{location} on {}", reason.message, entry.reference());
                    return Err(Stop::Failed(Box::new(self.error_at(Reason::runtime(text), entry))));
                }
                Ok(())
            }
            ResourceDefinition::Class(Some(definition)) | ResourceDefinition::Define(definition)
                // A `title` parameter passes the first check, for which `title` is a variable.
                if !entry.checked || entry.params.contains_key(&catwalk_base::name!("title")) =>
            {
                let wrapped = |name: &Name, param: &Param| match entry.sensitive.contains(name) {
                    true => Value::Sensitive(Arc::new(param.value.clone())),
                    false => param.value.clone(),
                };
                let values: Vec<_> = entry.params.iter().map(|(name, param)| (*name, wrapped(name, param))).collect();
                let types = self.parameter_types(definition)?;
                self.validate_parameters(id, &types, &values)
            }
            // The main class and `settings` have no parameters.
            ResourceDefinition::Class(None) if entry.params.keys().any(|name| *name != catwalk_base::name!("name")) => {
                let values: Vec<_> = entry.params.iter().map(|(name, param)| (*name, param.value.clone())).collect();
                self.validate_parameters(id, &ParameterTypes::default(), &values)
            }
            _ => Ok(()),
        }
    }

    /// Metaparameters and tags are inherited from `Class[main]` along containment; classes are contained in stages and are not
    /// reached.
    fn inherit_metaparameters(&mut self) -> Res<()> {
        let Some(main) = self.state.resources.main else { return Ok(()) };
        let inherited = |name: &&str| !RELATIONSHIP_METAPARAMETERS.contains(name);
        let names: Vec<Name> =
            METAPARAMETERS.iter().filter(|name| inherited(name)).map(|name| Name::new(name)).collect();
        let mut data: FxHashMap<ResourceId, Arc<Vec<(Name, Param)>>> = FxHashMap::default();
        let own_values = |entry: &Entry<'c>| {
            let set = |name: &Name| entry.get(*name).and(entry.params.get(name)).map(|param| (*name, param.clone()));
            names.iter().filter_map(set).collect::<Vec<_>>()
        };
        for (source, target) in self.state.resources.containment.walk(main) {
            let Some(container) = self.state.resources.entries.get(source.0 as usize) else { continue };
            let tags = container.tags.clone();
            let values = data.entry(source).or_insert_with(|| Arc::new(own_values(container))).clone();
            let Some(entry) = self.state.resources.entries.get_mut(target.0 as usize) else { continue };
            if !values.is_empty() {
                for (name, param) in values.iter() {
                    if entry.get(*name).is_none() {
                        let param = Param { span: None, source: entry.source, ..param.clone() };
                        if let Err(bad) = set_param(entry, *name, param) {
                            return Err(self.invalid_tag(bad));
                        }
                    }
                }
                let mut merged = values.as_ref().clone();
                for (name, param) in own_values(entry) {
                    match merged.iter_mut().find(|(known, _)| *known == name) {
                        Some(known) => known.1 = param,
                        None => merged.push((name, param)),
                    }
                }
                data.insert(target, Arc::new(merged));
            }
            entry.tags.merge(&tags);
        }
        Ok(())
    }

    /// Fails for overrides of resources that were never declared, and `realize` of missing ones.
    ///
    /// # Errors
    ///
    /// An override or an argument of `realize` names a missing resource.
    pub fn fail_on_unevaluated(&mut self) -> Res<()> {
        let missing: Vec<String> =
            self.state.collection.overrides.values().flatten().map(super::overrides::Override::reference).collect();
        if !missing.is_empty() {
            return parse_error(format!("Could not find resource(s) {} for overriding", missing.join(", ")), None);
        }
        let unresolved = |id: &super::collector::CollectorId| self.state.collection.collectors.get(id.0 as usize);
        let missing = self
            .state
            .collection
            .active_collectors
            .iter()
            .filter_map(unresolved)
            .flat_map(super::collector::Collector::unresolved);
        let missing: Vec<String> = missing.map(ToString::to_string).collect();
        if !missing.is_empty() {
            return parse_error(format!("Failed to realize virtual resources {}", missing.join(", ")), None);
        }
        Ok(())
    }

    /// The finished catalog: without virtual resources that are not exported, with parameters as an agent sees them. Their values
    /// move to it.
    ///
    /// # Errors
    ///
    /// A title does not match its type.
    pub fn catalog(&mut self, version: Version, uuid: Arc<str>) -> Res<Catalog> {
        self.program.record_resource_count(self.state.resources.entries.len());
        let mut entries = std::mem::take(&mut self.state.resources.entries);
        let mut resources = Vec::with_capacity(entries.len());
        let mut indexes = Vec::with_capacity(entries.len());
        let finished: Res<()> = entries.iter_mut().try_for_each(|entry| {
            let is_included = !entry.is_virtual || entry.exported == Some(true);
            indexes.push(is_included.then_some(resources.len()));
            if is_included {
                resources.push(self.catalog_resource(entry)?);
            }
            Ok(())
        });
        self.state.resources.entries = entries;
        finished?;
        self.check_aliases(&indexes)?;
        self.check_catalog(&resources)?;
        let index = |id: ResourceId| indexes.get(id.0 as usize).copied().flatten();
        let edges = self.state.resources.containment.edges();
        let edges = edges.into_iter().filter_map(|(from, to)| index(from).zip(index(to))).collect();
        let mut tags = Tags::default();
        for class in &self.state.classes {
            let _ = tags.add(class);
        }
        tags.merge(&self.state.resources.tags);
        Ok(Catalog {
            name: self.node.certname.clone(),
            version,
            uuid,
            environment: self.node.environment.clone(),
            tags,
            classes: self.state.classes.clone(),
            resources,
            edges,
            origins: Vec::new(),
            automatic: Vec::new(),
            secrets: Arc::default(),
        })
    }

    /// Checks titles and aliases of the finished catalog; an alias may be inherited from a container.
    fn check_aliases(&self, indexes: &[Option<usize>]) -> Res<()> {
        let alias = catwalk_base::name!("alias");
        let mut resources: Vec<(&Entry<'c>, ResourceId)> = Vec::with_capacity(indexes.len());
        for (at, (entry, index)) in self.state.resources.entries.iter().zip(indexes).enumerate() {
            if index.is_some() {
                resources.push((entry, ResourceId(u32::try_from(at).unwrap_or(u32::MAX))));
            }
        }
        if !resources.iter().any(|(entry, _)| entry.get(alias).is_some()) {
            return Ok(());
        }
        let mut table: FxHashMap<(Name, Value), ResourceId> = FxHashMap::default();
        for (entry, id) in resources {
            let title = Value::from(entry.title.clone());
            if let Some(existing) = table.insert((entry.type_name, title.clone()), id) {
                return self.duplicate_error(entry, existing).map_err(without_position);
            }
            for alias in super::register::aliases_of(entry).into_iter().filter(|alias| *alias != title) {
                match table.entry((entry.alias_type(), alias.clone())) {
                    MapEntry::Vacant(free) => drop(free.insert(id)),
                    MapEntry::Occupied(taken) if *taken.get() == id => {}
                    MapEntry::Occupied(taken) => {
                        let key = KeyValues::Single(alias);
                        return Err(without_position(self.cannot_alias(entry, &key, true, *taken.get())));
                    }
                }
            }
        }
        Ok(())
    }

    /// Arrays of values are flattened for the catalog. For that, Ruby tests whether each resource is an array. The test of a resource
    /// without a title fails if the empty title does not match its type.
    fn check_untitled(&self, value: &Value) -> Res<()> {
        let mut found = Vec::new();
        collect_untitled(value, &mut found);
        if found.is_empty() {
            return Ok(());
        }
        let empty = Arc::from("");
        for name in found {
            if let Some(builtin) = self.builtin(Name::new(name))? {
                builtin.for_each_title_attribute(&empty, |_, _| {}).map_err(without_position)?;
            }
        }
        Ok(())
    }

    /// A resource of the finished catalog. The values of the entry are moved to it.
    fn catalog_resource(&self, entry: &mut Entry<'c>) -> Res<Resource> {
        let name = catwalk_base::name!("name");
        let (namevar, isomorphic, composite) = match &entry.declared {
            ResourceDefinition::Builtin(builtin) => {
                (builtin.namevar(), builtin.isomorphic, builtin.key_attributes.len() > 1)
            }
            _ => (name, true, false),
        };
        let parameters = self.catalog_parameters(entry, namevar)?;
        let (file, line) = self.catalog_position(entry);
        Ok(Resource {
            type_name: entry.type_name,
            title: entry.title.clone(),
            title_is_main: entry.title_is_main || entry.title_value.is_some(),
            tags: entry.tags.clone(),
            file,
            line,
            exported: entry.exported,
            is_virtual: entry.is_virtual,
            kind: entry.kind,
            namevar,
            isomorphic,
            composite,
            builtin: entry.is_builtin(),
            parameters,
            sensitive: std::mem::take(&mut entry.sensitive),
        })
    }

    /// The parameters of a resource in the finished catalog: those from its title, then those of the entry, whose values are moved.
    fn catalog_parameters(&self, entry: &mut Entry<'c>, namevar: Name) -> Res<Table<Value>> {
        let name = catwalk_base::name!("name");
        let mut parameters = Table::with_capacity(1 + entry.params.len());
        match &entry.declared {
            ResourceDefinition::Builtin(builtin) => builtin.for_each_title_attribute(&entry.title, |name, value| {
                parameters.insert(name, value);
            })?,
            _ => drop(parameters.insert(name, Value::from(entry.title.clone()))),
        }
        // Only these parameters may occur twice.
        let from_title = parameters.len();
        let mut renamed: Vec<Name> = Vec::new();
        // Parameters from the title come first and are replaced in place. `name` means the attribute that names the resource; if
        // both are set, `name` wins.
        let overriding_name = (namevar != name && parameters.contains_key(&namevar)).then_some(name);
        // Aliases are compared after all resources have been created.
        let alias = catwalk_base::name!("alias");
        for (key, param) in &mut entry.params {
            if !param.value.is_undef() && Some(*key) != overriding_name {
                self.check_untitled(&param.value)?;
                let value =
                    if *key == alias { param.value.clone() } else { std::mem::replace(&mut param.value, Value::Undef) };
                let value = copied_value(*key, value);
                // Puppet::Resource stores parameters under lower-case names.
                let twice =
                    *key == namevar || parameters.keys().take(from_title).chain(&renamed).any(|known| known == key);
                if key.is_lower() && *key != name && !twice {
                    parameters.push(*key, value);
                    continue;
                }
                let key = if key.is_lower() { *key } else { Name::new(&key.as_str().to_lowercase()) };
                renamed.push(key);
                parameters.insert(if key == name { namevar } else { key }, value);
            }
        }
        if let Some(param) =
            overriding_name.and_then(|name| entry.params.get(&name)).filter(|param| !param.value.is_undef())
        {
            parameters.insert(namevar, copied_value(name, param.value.clone()));
        }
        Ok(parameters)
    }

    /// The file and line of a resource in the finished catalog.
    fn catalog_position(&self, entry: &Entry<'c>) -> (Option<Arc<str>>, Option<u32>) {
        let position = entry.span.and_then(|span| self.program.sources.locate(span));
        match position {
            Some((source, line, _)) => match source.path {
                Some(_) => (Some(source.name.clone()), Some(line)),
                None if entry.by_function => (Some(Arc::from("unknown")), Some(line)),
                None => (None, Some(line)),
            },
            None => (None, None),
        }
    }
}

/// Resource types without a title in a value or its elements.
fn collect_untitled<'v>(value: &'v Value, found: &mut Vec<&'v str>) {
    match value {
        Value::Type(Type::Resource(resource)) if resource.title.as_deref() == Some("") => {
            found.extend(resource.type_name.as_deref());
        }
        Value::Array(items) => items.iter().for_each(|item| collect_untitled(item, found)),
        _ => {}
    }
}

/// Completes a failure, so that no evaluated expression adds its position and wording.
fn without_position(stop: Stop) -> Stop {
    match stop {
        Stop::Reason(reason) => Stop::Failed(Box::from(*reason)),
        stop => stop,
    }
}

/// A value as it is copied into the finished catalog: arrays of references are flattened.
fn copied_value(name: Name, value: Value) -> Value {
    let Value::Array(items) = &value else { return value };
    let relationship = catwalk_program::is_relationship(name);
    if !relationship && !holds_reference(items) {
        return value;
    }
    if !items.iter().any(|item| matches!(item, Value::Array(_)) || relationship && item.is_undef()) {
        return value;
    }
    let mut flat = Vec::with_capacity(items.len());
    flatten(&value, &mut flat);
    if relationship {
        flat.retain(|item| !item.is_undef());
    }
    Value::array(flat)
}

fn holds_reference(items: &[Value]) -> bool {
    items.iter().any(|item| match item {
        Value::Type(Type::Resource(_) | Type::Class(_)) => true,
        Value::Array(items) => holds_reference(items),
        _ => false,
    })
}

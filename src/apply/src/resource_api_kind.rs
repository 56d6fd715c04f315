//! Resources of the Resource API: adapts a definition and its provider to a kind of resources.
//!
//! The provider's `get` is called for the first resource of a type, once; its rows are cached until a resource of another type
//! changes the machine.

mod managed;
mod rows;

use std::cell::RefCell;
use std::collections::HashSet;
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxBuildHasher;

use catwalk_base::names::Name;
use catwalk_base::version::Strict;
use catwalk_resource_api::Behaviour;
use catwalk_resource_api::Context;
use catwalk_resource_api::Definition;
use catwalk_resource_api::Failure;
use catwalk_resource_api::Level;
use catwalk_resource_api::Origin;
use catwalk_resource_api::Provider;
use catwalk_resource_api::Providers;
use catwalk_resource_api::State;
use catwalk_value::Value;
use catwalk_value::ruby;

use crate::CurrentValues;
use crate::DeclaredResource;
use crate::KindTraits;
use crate::ManagedResource;
use crate::ResourceKind;
use crate::Run;
use crate::missing_provider;
use managed::ApiResource;
use rows::Rows;
use rows::UnretrievedNames;

/// The maximum number of warnings about rows with unknown attributes or wrong values, for each resource type in a run.
const MAX_WARNINGS: usize = 100;

/// The resources of one definition.
pub(crate) struct ResourceApiKind {
    definition: Arc<Definition>,
    type_state: Rc<RefCell<TypeState>>,
    origin: Origin,
}

/// The state that the resources of a type share in a run.
struct TypeState {
    definition: Arc<Definition>,
    providers: Rc<RefCell<dyn Providers>>,
    device: Option<Value>,
    provider: Option<Result<Box<dyn Provider>, Failure>>,
    /// The names of the resources that have not been retrieved.
    pending: UnretrievedNames,
    /// The names of instances that no resource of the catalog is about: [`ResourceKind::instances`] has checked their rows.
    listed: HashSet<Value, FxBuildHasher>,
    rows: Option<Result<Rows, Failure>>,
    warnings: usize,
}

impl ResourceApiKind {
    /// The kind of a definition. `device` is the result of the transport's `connect`; `origin`: whether values are strings from a command
    /// line.
    pub(crate) fn new(
        definition: Arc<Definition>,
        providers: Rc<RefCell<dyn Providers>>,
        device: Option<Value>,
        origin: Origin,
    ) -> ResourceApiKind {
        let type_state = TypeState {
            definition: definition.clone(),
            providers,
            device,
            provider: None,
            pending: UnretrievedNames::default(),
            listed: HashSet::default(),
            rows: None,
            warnings: 0,
        };
        ResourceApiKind { definition, type_state: Rc::new(RefCell::new(type_state)), origin }
    }

    /// The parameters of a resource, including those that the title sets; secrets are wrapped.
    fn parameters(&self, resource: &DeclaredResource) -> Result<State, String> {
        let mut parameters = State::new();
        let is_given = |name: Name| resource.parameters.get(&name).is_some_and(|value| !value.is_undef());
        if !self.definition.namevars().all(is_given) {
            for (name, value) in self.definition.parse_title(&resource.title)? {
                if !is_given(name) {
                    // A group without a match is an error of the attribute.
                    parameters.insert(name, value.map_or(Value::Undef, Value::from));
                }
            }
        }
        for (name, value) in resource.parameters.iter().filter(|(_, value)| !value.is_undef()) {
            let is_wrapped = matches!(value, Value::Sensitive(_)) || !resource.sensitive.contains(name);
            let value = if is_wrapped { value.clone() } else { Value::Sensitive(Arc::new(value.clone())) };
            parameters.insert(*name, value);
        }
        Ok(parameters)
    }

    /// Converts a row to a resource; parameters have their defaults.
    fn instance(&self, title: Arc<str>, mut parameters: State) -> DeclaredResource {
        parameters.shift_remove(&catwalk_base::name!("title"));
        for (name, attribute) in &self.definition.attributes {
            if let Some(default) = attribute.default.as_ref().filter(|_| attribute.behaviour == Behaviour::Parameter) {
                parameters.entry(*name).or_insert_with(|| default.clone());
            }
        }
        DeclaredResource { type_name: self.definition.name, title, parameters, sensitive: Vec::new(), position: None }
    }

    fn is_parameter(&self, name: Name) -> bool {
        self.definition.attributes.get(&name).is_some_and(|attribute| attribute.behaviour == Behaviour::Parameter)
    }

    fn display_title(&self, resource: &DeclaredResource) -> Arc<str> {
        let name = resource.parameters.get(&catwalk_base::name!("name"));
        let is_named = self.definition.attributes.contains_key(&catwalk_base::name!("name"));
        match name.filter(|_| is_named) {
            Some(name) => Arc::from(ruby::to_s(name)),
            None => resource.title.clone(),
        }
    }
}

impl ResourceKind for ResourceApiKind {
    fn name(&self) -> &str {
        self.definition.name.as_str()
    }

    fn prepare(&self, resource: &DeclaredResource, run: &mut Run<'_>) -> Result<Box<dyn ManagedResource>, Vec<String>> {
        let reference = format!("{}[{}]", self.definition.name.capitalized(), self.display_title(resource));
        let declared = self.parameters(resource).map_err(|error| vec![format!("{reference}: {error}")])?;
        let mut type_state = self.type_state.borrow_mut();
        let mut broken = None;
        let mut parameters = declared.clone();
        // A device's provider is not used in a run for the machine.
        let is_for_device = self.definition.has_feature("remote_resource") && type_state.device.is_none();
        if self.definition.has_feature("canonicalize") && !is_for_device {
            match type_state.canonicalize(declared.clone(), run) {
                Ok(mut state) => {
                    state.retain(|name, value| !value.is_undef() || declared.get(name) == Some(value));
                    parameters = state;
                }
                // Puppet canonicalizes all resources before it applies the first one.
                Err(failure) if matches!(type_state.provider, Some(Ok(_))) => {
                    return Err(vec![failure.message_with_excerpt()]);
                }
                Err(failure) => broken = Some(failure),
            }
        }
        let title = match parameters.get(&catwalk_base::name!("name")) {
            Some(name) if self.definition.attributes.contains_key(&catwalk_base::name!("name")) => {
                Arc::from(ruby::to_s(name))
            }
            _ => resource.title.clone(),
        };
        let state = self.definition.desired_state(&title, &parameters, self.origin, run.secrets)?;
        let name = self.definition.resource_name(&state);
        type_state.pending.add(name.clone());
        Ok(Box::new(ApiResource::new(self.type_state.clone(), title, name, state, broken)))
    }

    fn instances(&self, run: &mut Run<'_>) -> Result<Vec<DeclaredResource>, Failure> {
        let mut type_state = self.type_state.borrow_mut();
        let rows = match &type_state.rows {
            Some(Ok(rows)) if !self.definition.has_feature("simple_get_filter") => rows.list().to_vec(),
            _ => {
                let rows = type_state.get(None, run)?;
                type_state.rows = Some(Ok(Rows::new(rows.clone(), &self.definition)));
                rows
            }
        };
        let mut resources = Vec::new();
        for row in rows {
            let name = self.definition.resource_name(&row);
            let given_title = row.get(&catwalk_base::name!("title"));
            let title: Arc<str> = Arc::from(ruby::to_s(given_title.unwrap_or(&name)));
            let has_several_names = given_title.is_some() && self.definition.namevars().count() > 1;
            let titled = match has_several_names {
                true => self.definition.resource_name_from_title(&title).map_err(Failure::new)?,
                false => name.clone(),
            };
            type_state.check(&title, &titled, &row, run)?;
            if !type_state.pending.contains(&name) {
                type_state.listed.insert(name);
            }
            resources.push(self.instance(title, row));
        }
        Ok(resources)
    }

    fn find(&self, title: &str, parameters: &CurrentValues, run: &mut Run<'_>) -> Result<DeclaredResource, Failure> {
        let resource = DeclaredResource {
            type_name: self.definition.name,
            title: Arc::from(title),
            parameters: parameters.clone(),
            sensitive: Vec::new(),
            position: None,
        };
        let declared = self.parameters(&resource).map_err(Failure::new)?;
        let mut type_state = self.type_state.borrow_mut();
        let is_for_device = self.definition.has_feature("remote_resource") && type_state.device.is_none();
        let state = match self.definition.has_feature("canonicalize") && !is_for_device {
            true => type_state.canonicalize(declared.clone(), run)?,
            false => declared.clone(),
        };
        let name = self.definition.resource_name(&state);
        let row = type_state.rows(run)?.find(&state, &self.definition).cloned();
        let mut row = row.unwrap_or_else(|| self.definition.missing_row(&name));
        // The provider does not return parameters.
        let desired = self.definition.desired_state(title, &declared, self.origin, run.secrets).unwrap_or_default();
        if let Some(message) = self.definition.missing_attributes(&desired).filter(|_| !parameters.is_empty()) {
            return Err(Failure::new(message));
        }
        row.extend(desired.into_iter().filter(|(name, _)| self.is_parameter(*name)));
        let name = catwalk_base::name!("name");
        let name_value = state.get(&name).filter(|_| self.definition.attributes.contains_key(&name));
        let title = name_value.map_or(resource.title, |name| Arc::from(ruby::to_s(name)));
        Ok(self.instance(title, row))
    }

    fn traits(&self) -> KindTraits {
        KindTraits {
            shows_name: self.definition.attributes.contains_key(&catwalk_base::name!("name")),
            absence_cancels_refresh: false,
            ..KindTraits::of_definition(&self.definition)
        }
    }

    fn machine_changed(&self) {
        let mut type_state = self.type_state.borrow_mut();
        // A provider that failed is not called again.
        if matches!(type_state.rows, Some(Ok(_))) {
            type_state.rows = None;
        }
    }

    fn finish(&self) {
        let mut type_state = self.type_state.borrow_mut();
        type_state.provider = None;
    }
}

impl TypeState {
    /// Calls the provider, which is loaded at its first use.
    fn with_provider<T>(
        &mut self,
        run: &mut Run<'_>,
        body: impl FnOnce(&mut dyn Provider, &mut Context<'_>) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let provider = self.provider.get_or_insert_with(|| {
            let loaded = self.providers.borrow_mut().load(&self.definition)?;
            loaded.ok_or_else(|| Failure::new(missing_provider(&self.definition.name)))
        });
        let provider = provider.as_mut().map_err(|failure| failure.clone())?;
        let mut context = Context::new(self.definition.clone(), run.log, run.system);
        context.device = self.device.clone();
        let result = body(provider.as_mut(), &mut context);
        // Only `set` may change resources.
        let changes = if context.requested.is_some() { context.take_changes() } else { context.take_writes() };
        changes.into_iter().for_each(|change| run.log.note_change(change));
        result
    }

    /// Canonicalizes a state with the provider.
    fn canonicalize(&mut self, state: State, run: &mut Run<'_>) -> Result<State, Failure> {
        let mut states = self.with_provider(run, |provider, context| provider.canonicalize(context, vec![state]))?;
        match (states.pop(), states.is_empty()) {
            (Some(state), true) => Ok(state),
            _ => {
                let name = self.definition.name;
                Err(Failure::new(format!("`{name}.canonicalize` did not return as many resources as it was given")))
            }
        }
    }

    fn get(&mut self, names: Option<Vec<Value>>, run: &mut Run<'_>) -> Result<Vec<State>, Failure> {
        let rows = self.with_provider(run, |provider, context| provider.get(context, names.as_deref()))?;
        rows.iter().for_each(|row| self.definition.conceal(row, run.secrets));
        Ok(rows)
    }

    /// The rows of the resources that have not been retrieved, or of all resources.
    fn rows(&mut self, run: &mut Run<'_>) -> Result<&mut Rows, Failure> {
        if self.rows.is_none() {
            let names = self.definition.has_feature("simple_get_filter").then(|| self.pending.names());
            let rows = self.get(names, run);
            self.rows = Some(rows.map(|rows| Rows::new(rows, &self.definition)));
        }
        match self.rows.as_mut() {
            Some(Ok(rows)) => Ok(rows),
            Some(Err(failure)) => Err(failure.clone()),
            None => Err(Failure::new("no rows")),
        }
    }

    /// Checks a row of `get` as the setting `strict` requires.
    fn check(&mut self, title: &str, name: &Value, row: &State, run: &mut Run<'_>) -> Result<(), Failure> {
        if let Some(message) = self.definition.check_row(row).map_err(Failure::new)? {
            self.warnings += 1;
            match run.strict {
                Strict::Off => run.log.log(Level::Debug, None, &message),
                Strict::Warning if self.warnings > MAX_WARNINGS => {}
                Strict::Warning => run.log.log(Level::Warning, None, &message),
                Strict::Error => return Err(Failure::new(message)),
            }
        }
        if run.strict == Strict::Off {
            return Ok(());
        }
        let mut messages = Vec::new();
        if self.definition.has_feature("canonicalize") {
            let canonical = self.canonicalize(row.clone(), run)?;
            messages.extend(self.definition.check_canonical(title, row, &canonical));
        }
        messages.extend(self.definition.check_row_title(title, name, row));
        for message in messages {
            match run.strict {
                Strict::Error => return Err(Failure::new(message)),
                _ => run.log.log(Level::Warning, None, &message),
            }
        }
        Ok(())
    }
}

/// Whether a manifest sets an attribute of this behaviour as a property.
fn is_property(behaviour: Behaviour) -> bool {
    matches!(behaviour, Behaviour::Property | Behaviour::InitOnly)
}

//! Types whose provider changes attributes one by one, as those of Puppet's own types do.
//!
//! In: a definition and its provider. Out: a [`ResourceKind`]. The provider reads each resource when it is applied, so it sees
//! changes that other resources made before.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use indexmap::IndexMap;

use catwalk_base::names::Name;
use catwalk_resource_api::AttributeChange;
use catwalk_resource_api::AttributeProvider;
use catwalk_resource_api::Behaviour;
use catwalk_resource_api::Comparison;
use catwalk_resource_api::Context;
use catwalk_resource_api::Definition;
use catwalk_resource_api::Difference;
use catwalk_resource_api::Failure;
use catwalk_resource_api::Origin;
use catwalk_resource_api::Provider;
use catwalk_resource_api::Relation;
use catwalk_resource_api::State;
use catwalk_value::Type;
use catwalk_value::Value;
use catwalk_value::ruby;

use crate::CurrentValues;
use crate::DeclaredResource;
use crate::KindTraits;
use crate::ManagedResource;
use crate::PropertyTraits;
use crate::RefreshOutcome;
use crate::ResourceKind;
use crate::Run;
use crate::display;

/// The resources of one type.
pub(crate) struct AttributeKind {
    type_provider: Rc<TypeProvider>,
    is_refreshable: bool,
    origin: Origin,
}

struct TypeProvider {
    definition: Arc<Definition>,
    provider: RefCell<Box<dyn Provider>>,
}

impl AttributeKind {
    /// The kind of a type whose provider changes attributes one by one ([`Provider::as_attribute_provider`]); `None` for other providers.
    /// `origin`: whether values are strings from a command line.
    pub(crate) fn new(
        definition: Arc<Definition>,
        mut provider: Box<dyn Provider>,
        origin: Origin,
    ) -> Option<AttributeKind> {
        let is_refreshable = provider.as_attribute_provider()?.is_refreshable();
        let type_provider = TypeProvider { definition, provider: RefCell::new(provider) };
        Some(AttributeKind { type_provider: Rc::new(type_provider), is_refreshable, origin })
    }
}

impl TypeProvider {
    /// Calls a function of the provider that changes a resource.
    fn call_to_change<T>(
        &self,
        name: &Value,
        run: &mut Run<'_>,
        call: impl FnOnce(&mut dyn AttributeProvider, &mut Context<'_>) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let mut changes = Vec::new();
        let result = self.call(Some(name), run, |provider, context| {
            let result = call(provider, context);
            changes = context.take_changes();
            result
        });
        changes.into_iter().for_each(|change| run.log.note_change(change));
        result
    }

    /// Calls the provider, for a resource if there is one.
    fn call<T>(
        &self,
        name: Option<&Value>,
        run: &mut Run<'_>,
        call: impl FnOnce(&mut dyn AttributeProvider, &mut Context<'_>) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let mut provider = self.provider.borrow_mut();
        let mut context = Context::new(self.definition.clone(), run.log, run.system);
        context.requested = name.map(|name| vec![name.clone()]);
        context.noop = run.noop;
        let result = match provider.as_attribute_provider() {
            Some(provider) => call(provider, &mut context),
            None => Err(Failure::new(format!("{} has no provider", self.definition.name))),
        };
        context.take_writes().into_iter().for_each(|change| run.log.note_change(change));
        result
    }

    fn canonicalize(&self, state: State, run: &mut Run<'_>) -> Result<State, Failure> {
        if !self.definition.has_feature("canonicalize") {
            return Ok(state);
        }
        let states = self.call(None, run, |provider, context| provider.canonicalize(context, vec![state]))?;
        states.into_iter().next().ok_or_else(|| Failure::new("canonicalize() returned no resource"))
    }

    fn is_property(&self, name: Name) -> bool {
        let behaviour = self.definition.attributes.get(&name).map(|attribute| attribute.behaviour);
        matches!(behaviour, Some(Behaviour::Property | Behaviour::InitOnly))
    }
}

impl ResourceKind for AttributeKind {
    fn name(&self) -> &str {
        self.type_provider.definition.name.as_str()
    }

    fn prepare(&self, resource: &DeclaredResource, run: &mut Run<'_>) -> Result<Box<dyn ManagedResource>, Vec<String>> {
        let definition = &self.type_provider.definition;
        let unsupported: Vec<String> = resource
            .parameters
            .keys()
            .filter(|name| !definition.attributes.contains_key(*name))
            .map(|name| format!("{}: attribute '{name}' is not supported", definition.name))
            .collect();
        if !unsupported.is_empty() {
            return Err(unsupported);
        }
        let secret = |name: &Name, value: &Value| match value {
            Value::Sensitive(_) => value.clone(),
            other if resource.sensitive.contains(name) => Value::Sensitive(Arc::new(other.clone())),
            other => other.clone(),
        };
        let parameters: State = resource
            .parameters
            .iter()
            .filter(|(_, value)| !value.is_undef())
            .map(|(name, value)| (*name, secret(name, value)))
            .collect();
        let should = definition.desired_state(&resource.title, &parameters, self.origin, run.secrets)?;
        let reference = definition.reference(&resource.title, &parameters);
        let failed =
            |failure: Failure| vec![format!("Validation of {reference} failed: {}", failure.message_with_excerpt())];
        let should = self.type_provider.canonicalize(should, run).map_err(failed)?;
        let name = definition.resource_name(&should);
        let is = definition.missing_row(&name);
        Ok(Box::new(Resource {
            type_provider: self.type_provider.clone(),
            name,
            should,
            is,
            differences: IndexMap::new(),
        }))
    }

    fn instances(&self, run: &mut Run<'_>) -> Result<Vec<DeclaredResource>, Failure> {
        let rows = self.type_provider.call(None, run, |provider, context| provider.get(context, None))?;
        let definition = &self.type_provider.definition;
        rows.iter().for_each(|row| definition.conceal(row, run.secrets));
        let declared = |row: State| DeclaredResource {
            type_name: definition.name,
            title: Arc::from(ruby::to_s(&definition.resource_name(&row)).as_ref()),
            parameters: row,
            sensitive: Vec::new(),
            position: None,
        };
        Ok(rows.into_iter().map(declared).collect())
    }

    fn traits(&self) -> KindTraits {
        let is_refreshable = self.is_refreshable;
        KindTraits { is_refreshable, ..KindTraits::of_definition(&self.type_provider.definition) }
    }
}

/// A resource while it is applied.
struct Resource {
    type_provider: Rc<TypeProvider>,
    name: Value,
    should: State,
    is: State,
    /// The style of differences in messages.
    differences: IndexMap<Name, Difference>,
}

impl Resource {
    fn call<T>(
        &mut self,
        run: &mut Run<'_>,
        call: impl FnOnce(&mut dyn AttributeProvider, &mut Context<'_>, &Resource) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let type_provider = self.type_provider.clone();
        type_provider.call(Some(&self.name), run, |provider, context| call(provider, context, self))
    }

    fn call_to_change<T>(
        &mut self,
        run: &mut Run<'_>,
        call: impl FnOnce(&mut dyn AttributeProvider, &mut Context<'_>, &Resource) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let type_provider = self.type_provider.clone();
        type_provider.call_to_change(&self.name, run, |provider, context| call(provider, context, self))
    }

    fn change(&self, attribute: Name) -> AttributeChange<'_> {
        AttributeChange { name: &self.name, attribute, is: &self.is, should: &self.should }
    }
}

impl ManagedResource for Resource {
    /// The value of the attribute `provider`, or the only one that it may have.
    fn provider(&self) -> Option<Arc<str>> {
        let name = catwalk_base::name!("provider");
        if let Some(given) = self.should.get(&name).filter(|given| !given.is_undef()) {
            return Some(Arc::from(ruby::to_s(given)));
        }
        let attribute = self.type_provider.definition.attributes.get(&name)?;
        let data_type = match &attribute.data_type {
            Type::Optional(Some(inner)) => inner.as_ref(),
            other => other,
        };
        match data_type {
            Type::Enum(only) if only.values.len() == 1 => only.values.first().cloned(),
            _ => None,
        }
    }

    fn retrieve(&mut self, run: &mut Run<'_>) -> Result<CurrentValues, Failure> {
        let rows =
            self.call(run, |provider, context, resource| provider.read(context, &resource.name, &resource.should))?;
        rows.iter().for_each(|row| self.type_provider.definition.conceal(row, run.secrets));
        let row = rows.into_iter().find(|row| self.type_provider.definition.is_same_resource(&self.should, row));
        self.is = match row {
            Some(row) => self.type_provider.canonicalize(row, run)?,
            None => self.type_provider.definition.missing_row(&self.name),
        };
        let is_set = |(name, value): &(&Name, &Value)| !value.is_undef() && self.type_provider.is_property(**name);
        Ok(self.is.iter().filter(is_set).map(|(name, value)| (*name, value.clone())).collect())
    }

    fn properties(&self) -> Vec<Name> {
        let names = self.type_provider.definition.attributes.keys().copied();
        names
            .filter(|name| {
                self.type_provider.is_property(*name) && self.should.get(name).is_some_and(|value| !value.is_undef())
            })
            .collect()
    }

    fn desired(&self, property: Name) -> Value {
        self.should.get(&property).cloned().unwrap_or(Value::Undef)
    }

    fn is_in_sync(&mut self, property: Name, current: &CurrentValues, run: &mut Run<'_>) -> Result<bool, Failure> {
        let compared =
            self.call(run, |provider, context, resource| provider.compare(context, &resource.change(property)))?;
        Ok(match compared {
            Comparison::InSync => true,
            Comparison::Undecided => current.get(&property) == self.should.get(&property),
            Comparison::Differs(difference) => {
                self.differences.insert(property, difference);
                false
            }
        })
    }

    fn sync(&mut self, property: Name, _: &CurrentValues, run: &mut Run<'_>) -> Result<(), Failure> {
        self.call_to_change(run, |provider, context, resource| provider.sync(context, &resource.change(property)))
    }

    fn change_message(&self, property: Name, current: &CurrentValues) -> String {
        if let Some(message) = self.differences.get(&property).and_then(|difference| difference.message.clone()) {
            return message;
        }
        let is = self.current_to_string(property, current.get(&property));
        format!("{property} changed {is} to {}", self.desired_to_string(property))
    }

    fn current_to_string(&self, property: Name, value: Option<&Value>) -> String {
        let displayed = self.differences.get(&property).and_then(|difference| difference.current.clone());
        displayed.unwrap_or_else(|| value.map(display_value).unwrap_or_default())
    }

    fn desired_to_string(&self, property: Name) -> String {
        let displayed = self.differences.get(&property).and_then(|difference| difference.desired.clone());
        displayed.unwrap_or_else(|| display_value(&self.desired(property)))
    }

    fn traits(&self, property: Name) -> PropertyTraits {
        let declared =
            self.type_provider.definition.attributes.get(&property).is_some_and(|attribute| attribute.sensitive);
        let is_sensitive = declared || matches!(self.should.get(&property), Some(Value::Sensitive(_)));
        PropertyTraits { is_sensitive, ..PropertyTraits::default() }
    }

    fn flush(&mut self, run: &mut Run<'_>) -> Result<(), Failure> {
        self.call_to_change(run, |provider, context, resource| {
            provider.flush(context, &resource.name, &resource.is, &resource.should)
        })
    }

    fn refresh(&mut self, run: &mut Run<'_>) -> Result<RefreshOutcome, Failure> {
        let refreshed = self.call_to_change(run, |provider, context, resource| {
            if !provider.is_refreshable() {
                return Ok(false);
            }
            provider.refresh(context, &resource.name, &resource.is, &resource.should)
        })?;
        Ok(if refreshed { RefreshOutcome::Refreshed } else { RefreshOutcome::Ignored })
    }

    fn auto_relations(&self) -> Vec<(Relation, Name, Arc<str>)> {
        self.type_provider.definition.related_resources(&self.should)
    }
}

/// Properties of Puppet's own types have symbols where these have booleans.
fn display_value(value: &Value) -> String {
    match value {
        Value::Bool(value) => format!("'{value}'"),
        other => display(other),
    }
}

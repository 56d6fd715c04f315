//! One resource of the Resource API while it is applied (Puppet::ResourceApi.register_type).

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use catwalk_base::names::Name;
use catwalk_base::version::Strict;
use catwalk_resource_api::Change;
use catwalk_resource_api::Failure;
use catwalk_resource_api::Level;
use catwalk_resource_api::Relation;
use catwalk_resource_api::State;
use catwalk_value::Value;
use catwalk_value::ruby;

use crate::CurrentValues;
use crate::ManagedResource;
use crate::PropertyTraits;
use crate::Run;
use crate::display::REDACTED;
use crate::display::display;
use crate::resource_api_kind::TypeState;
use crate::resource_api_kind::is_property;

/// A resource with its desired and, once it was retrieved, its current state.
pub(super) struct ApiResource {
    type_state: Rc<RefCell<TypeState>>,
    title: Arc<str>,
    /// The identity of the resource for its provider (see [`Definition::name_of`]).
    name: Value,
    desired: State,
    current: Option<State>,
    /// The reason why the resource cannot be applied.
    broken: Option<Failure>,
}

impl ApiResource {
    pub(super) fn new(
        type_state: Rc<RefCell<TypeState>>,
        title: Arc<str>,
        name: Value,
        desired: State,
        broken: Option<Failure>,
    ) -> ApiResource {
        ApiResource { type_state, title, name, desired, current: None, broken }
    }

    fn is_secret(&self, property: Name) -> bool {
        let type_state = self.type_state.borrow();
        type_state.definition.attributes.get(&property).is_some_and(|attribute| attribute.sensitive)
    }

    /// Calls the provider's `set`.
    fn set(&mut self, noop: bool, run: &mut Run<'_>) -> Result<(), Failure> {
        let type_state = self.type_state.clone();
        let mut type_state = type_state.borrow_mut();
        let definition = type_state.definition.clone();
        let target = match definition.has_feature("canonicalize") {
            true => type_state.canonicalize(self.desired.clone(), run)?,
            false => self.desired.clone(),
        };
        let current = self.current.clone().unwrap_or_else(|| definition.missing_row(&self.name));
        if current == target {
            return Ok(());
        }
        if run.log.wants(Level::Debug) {
            run.log.log(Level::Debug, None, &format!("Target State: {}", definition.inspect(&target)));
        }
        if run.strict != Strict::Off {
            for message in definition.init_only_changes(&current, &target) {
                match run.strict {
                    Strict::Error => return Err(Failure::new(message)),
                    _ => run.log.log(Level::Warning, None, &message),
                }
            }
        }
        let change = Change { name: self.name.clone(), is: Some(current), should: Some(target.clone()) };
        let name = self.name.clone();
        type_state.with_provider(run, |provider, context| {
            context.requested = Some(vec![name]);
            context.noop = noop;
            provider.set(context, &[change], noop)?;
            if context.take_failed() {
                return Err(Failure::new("Execution encountered an error"));
            }
            Ok(())
        })?;
        if !noop {
            if let Some(Ok(rows)) = &mut type_state.rows {
                rows.put(target.clone(), &definition);
            }
            self.current = Some(target);
        }
        Ok(())
    }
}

impl ManagedResource for ApiResource {
    fn retrieve(&mut self, run: &mut Run<'_>) -> Result<CurrentValues, Failure> {
        if let Some(failure) = &self.broken {
            return Err(failure.clone());
        }
        let type_state = self.type_state.clone();
        let mut type_state = type_state.borrow_mut();
        let definition = type_state.definition.clone();
        let rows = type_state.rows(run);
        let row = rows?.find(&self.desired, &definition).cloned();
        type_state.pending.remove(&self.name);
        let is_missing = row.is_none();
        let row = match row {
            Some(row) => {
                if !type_state.listed.contains(&self.name) {
                    type_state.check(&self.title, &self.name, &row, run)?;
                }
                row
            }
            None => definition.missing_row(&self.name),
        };
        if run.log.wants(Level::Debug) {
            let mut displayed = row.clone();
            if is_missing && definition.is_ensurable() {
                // Puppet sets this state as a symbol.
                displayed.insert(catwalk_base::name!("ensure"), Value::Symbol("absent".into()));
            }
            run.log.log(Level::Debug, None, &format!("Current State: {}", definition.inspect(&displayed)));
        }
        if let Some(message) = definition.missing_attributes(&self.desired) {
            return Err(Failure::new(message));
        }
        self.current = Some(row.clone());
        Ok(row)
    }

    fn title(&self) -> Option<Arc<str>> {
        Some(self.title.clone())
    }

    fn properties(&self) -> Vec<Name> {
        let type_state = self.type_state.borrow();
        let attributes = type_state.definition.attributes.iter();
        let set = attributes.filter(|(name, attribute)| {
            is_property(attribute.behaviour) && self.desired.get(*name).is_some_and(|value| !value.is_undef())
        });
        set.map(|(name, _)| *name).collect()
    }

    fn desired(&self, property: Name) -> Value {
        self.desired.get(&property).cloned().unwrap_or(Value::Undef)
    }

    fn is_in_sync(&mut self, property: Name, current: &CurrentValues, _: &mut Run<'_>) -> Result<bool, Failure> {
        let (is, should) = (current.get(&property).unwrap_or(&Value::Undef), self.desired(property));
        if property == "ensure" {
            return Ok(ruby::to_s(is) == ruby::to_s(&should));
        }
        // (Puppet::Property#property_matches?)
        Ok(*is == should || is.as_str().is_some_and(|is| *is == *ruby::to_s(&should)))
    }

    fn sync(&mut self, _: Name, _: &CurrentValues, _: &mut Run<'_>) -> Result<(), Failure> {
        Ok(())
    }

    fn change_message(&self, property: Name, current: &CurrentValues) -> String {
        let is_ensure = property == "ensure";
        let is = self.current_to_string(property, current.get(&property));
        let should = self.desired_to_string(property);
        let is_absent = |value: Option<&Value>| is_ensure && value.and_then(Value::as_str) == Some("absent");
        if is_absent(current.get(&property)) {
            format!("defined '{property}' as {should}")
        } else if is_absent(self.desired.get(&property)) {
            format!("undefined '{property}' from {is}")
        } else {
            format!("{property} changed {is} to {should}")
        }
    }

    fn current_to_string(&self, property: Name, value: Option<&Value>) -> String {
        match value {
            Some(value) if self.is_secret(property) && !value.is_undef() => REDACTED.to_owned(),
            Some(value) => display(value),
            None => String::new(),
        }
    }

    fn desired_to_string(&self, property: Name) -> String {
        match self.desired(property) {
            _ if self.is_secret(property) => REDACTED.to_owned(),
            // Booleans are symbols in Puppet.
            Value::Bool(value) => format!("'{value}'"),
            value => display(&value),
        }
    }

    fn traits(&self, property: Name) -> PropertyTraits {
        PropertyTraits { is_sensitive: self.is_secret(property), ..PropertyTraits::default() }
    }

    fn flush(&mut self, run: &mut Run<'_>) -> Result<(), Failure> {
        self.set(false, run)
    }

    fn flush_noop(&mut self, run: &mut Run<'_>) -> Result<(), Failure> {
        let supports_noop = self.type_state.borrow().definition.has_feature("supports_noop");
        if supports_noop { self.set(true, run) } else { Ok(()) }
    }

    fn auto_relations(&self) -> Vec<(Relation, Name, Arc<str>)> {
        self.type_state.borrow().definition.related_resources(&self.desired)
    }
}

//! A resource without properties.

use std::sync::Arc;

use catwalk_base::names::Name;
use catwalk_resource_api::Failure;
use catwalk_value::Value;

use crate::CurrentValues;
use crate::ManagedResource;
use crate::RefreshOutcome;
use crate::Run;

/// A resource without properties, which only configures the run (`schedule`), orders other resources (`anchor`), or fails.
#[derive(Default)]
pub struct Propertyless {
    failure: Option<String>,
    is_refreshable: bool,
}

impl Propertyless {
    /// A resource that is always in sync and ignores refreshes.
    #[must_use]
    pub fn new() -> Propertyless {
        Propertyless::default()
    }

    /// A resource that fails with a message when it is evaluated.
    #[must_use]
    pub fn failing(message: String) -> Propertyless {
        Propertyless { failure: Some(message), is_refreshable: false }
    }

    /// A resource that propagates refreshes.
    #[must_use]
    pub fn refreshable() -> Propertyless {
        Propertyless { failure: None, is_refreshable: true }
    }
}

impl ManagedResource for Propertyless {
    fn retrieve(&mut self, _: &mut Run<'_>) -> Result<CurrentValues, Failure> {
        match &self.failure {
            Some(message) => Err(Failure::new(message.clone())),
            None => Ok(CurrentValues::new()),
        }
    }

    fn properties(&self) -> Vec<Name> {
        Vec::new()
    }

    fn desired(&self, _: Name) -> Value {
        Value::Undef
    }

    fn is_in_sync(&mut self, _: Name, _: &CurrentValues, _: &mut Run<'_>) -> Result<bool, Failure> {
        Ok(true)
    }

    fn sync(&mut self, _: Name, _: &CurrentValues, _: &mut Run<'_>) -> Result<(), Failure> {
        Ok(())
    }

    fn change_message(&self, _: Name, _: &CurrentValues) -> String {
        String::new()
    }

    fn current_to_string(&self, _: Name, _: Option<&Value>) -> String {
        String::new()
    }

    fn desired_to_string(&self, _: Name) -> String {
        String::new()
    }

    fn auto_relations(&self) -> Vec<(catwalk_resource_api::Relation, Name, Arc<str>)> {
        Vec::new()
    }

    fn refresh(&mut self, _: &mut Run<'_>) -> Result<RefreshOutcome, Failure> {
        Ok(if self.is_refreshable { RefreshOutcome::Refreshed } else { RefreshOutcome::Ignored })
    }
}

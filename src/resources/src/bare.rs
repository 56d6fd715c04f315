//! Resources without properties, and `anchor`: what a module's classes are ordered by.

use catwalk_apply::Current;
use catwalk_apply::Declared;
use catwalk_apply::Managed;
use catwalk_apply::Outcome;
use catwalk_apply::ResourceKind;
use catwalk_apply::Run;
use catwalk_base::names::Name;
use catwalk_resource_api::Failure;
use catwalk_value::value::Value;

/// The resource type `anchor` of the module stdlib: nothing is done, refreshes are passed on.
pub struct AnchorKind;

/// A resource without properties.
pub(crate) struct Bare;

impl ResourceKind for AnchorKind {
    fn name(&self) -> &str {
        "anchor"
    }

    fn prepare(&self, _: &Declared, _: &mut Run<'_>) -> Result<Box<dyn Managed>, Vec<String>> {
        Ok(Box::new(Bare))
    }

    fn instances(&self, _: &mut Run<'_>) -> Result<Vec<Declared>, Failure> {
        Ok(Vec::new())
    }

    fn is_refreshable(&self) -> bool {
        true
    }
}

impl Managed for Bare {
    fn retrieve(&mut self, _: &mut Run<'_>) -> Result<Current, Failure> {
        Ok(Current::new())
    }

    fn properties(&self) -> Vec<Name> {
        Vec::new()
    }

    fn desired(&self, _: Name) -> Value {
        Value::Undef
    }

    fn is_in_sync(&mut self, _: Name, _: &Current, _: &mut Run<'_>) -> Result<bool, Failure> {
        Ok(true)
    }

    fn sync(&mut self, _: Name, _: &Current, _: &mut Run<'_>) -> Result<(), Failure> {
        Ok(())
    }

    fn change_message(&self, _: Name, _: &Current) -> String {
        String::new()
    }

    fn current_to_string(&self, _: Name, _: Option<&Value>) -> String {
        String::new()
    }

    fn desired_to_string(&self, _: Name) -> String {
        String::new()
    }

    fn is_sensitive(&self, _: Name) -> bool {
        false
    }
    fn refresh(&mut self, _: &mut Run<'_>) -> Result<Outcome, Failure> {
        Ok(Outcome::Refreshed)
    }
}

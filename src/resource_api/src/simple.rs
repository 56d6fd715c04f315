//! Providers that create, update and delete one resource at a time (Puppet::ResourceApi::SimpleProvider).

use catwalk_base::names::Name;
use catwalk_value::Value;

use crate::Change;
use crate::Context;
use crate::Failure;
use crate::Operation;
use crate::Provider;
use crate::State;
use crate::absent_state;

/// A provider that works on one resource at a time; [`set_each`] is its `set`.
pub trait SimpleProvider: Provider {
    /// Creates a resource that does not exist.
    ///
    /// # Errors
    /// The provider failed.
    fn create(&mut self, context: &mut Context<'_>, name: &Value, should: &State) -> Result<(), Failure>;

    /// Brings an existing resource into its desired state.
    ///
    /// # Errors
    /// The provider failed.
    fn update(&mut self, context: &mut Context<'_>, name: &Value, should: &State) -> Result<(), Failure>;

    /// Deletes an existing resource.
    ///
    /// # Errors
    /// The provider failed.
    fn delete(&mut self, context: &mut Context<'_>, name: &Value) -> Result<(), Failure>;
}

/// Makes changes one by one, each within the block function of its operation. A failure is logged and recorded, and the other
/// changes continue.
///
/// # Errors
/// The type has no attribute `ensure`, the current state of a resource cannot be read, or a failure is fatal.
pub fn set_each(
    provider: &mut dyn SimpleProvider,
    context: &mut Context<'_>,
    changes: &[Change],
) -> Result<(), Failure> {
    for change in changes {
        let name = &change.name;
        let is = match &change.is {
            Some(is) => Some(is.clone()),
            None => read_current(provider, context, name)?,
        };
        if !context.definition.is_ensurable() {
            return Err(Failure::new("SimpleProvider cannot be used with a Type that is not ensurable"));
        }
        let absent = || absent_state(&context.definition, name);
        let (is, should) = (is.unwrap_or_else(absent), change.should.clone().unwrap_or_else(absent));
        let ensure = |state: &State| {
            state.get(&catwalk_base::name!("ensure")).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        match (ensure(&is).as_str(), ensure(&should).as_str()) {
            ("absent", "present") => {
                context.run_block(Operation::Creating, name, |context| provider.create(context, name, &should))
            }
            ("present", "absent") => {
                context.run_block(Operation::Deleting, name, |context| provider.delete(context, name))
            }
            ("present", _) => {
                context.run_block(Operation::Updating, name, |context| provider.update(context, name, &should))
            }
            _ => Ok(()),
        }?;
    }
    Ok(())
}

/// Reads the current state of a resource whose change does not contain it.
fn read_current(
    provider: &mut dyn SimpleProvider,
    context: &mut Context<'_>,
    name: &Value,
) -> Result<Option<State>, Failure> {
    let filter = [name.clone()];
    let names = context.definition.has_feature("simple_get_filter").then_some(filter.as_slice());
    let absent = absent_state(&context.definition, name);
    let namevars: Vec<Name> = context.definition.namevars().collect();
    let rows = provider.get(context, names)?;
    Ok(rows.into_iter().find(|row| namevars.iter().all(|namevar| row.get(namevar) == absent.get(namevar))))
}

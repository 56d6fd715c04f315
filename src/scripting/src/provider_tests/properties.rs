//! Checks of the properties that every provider must have.

use catwalk_apply::RunOutcome;
use catwalk_base::name;
use catwalk_resource_api::Behaviour;
use catwalk_resource_api::Change;
use catwalk_resource_api::Context;
use catwalk_resource_api::Failure;
use catwalk_resource_api::Provider;
use catwalk_resource_api::State;
use catwalk_resource_api::absent_state;
use catwalk_resource_api::display_name;
use catwalk_value::Value;
use catwalk_value::ruby;

/// Rows match the definition of the type and are canonical.
pub(super) fn rows(provider: &mut dyn Provider, context: &mut Context<'_>, rows: &[State]) -> Result<(), Failure> {
    let definition = context.definition.clone();
    for row in rows {
        if let Some(message) = definition.check_row(row).map_err(Failure::new)? {
            return Err(Failure::new(message));
        }
    }
    if !definition.has_feature("canonicalize") {
        return Ok(());
    }
    let canonical = provider.canonicalize(context, rows.to_vec())?;
    for (row, canonical) in rows.iter().zip(&canonical) {
        let title = row.get(&name!("title")).or_else(|| row.get(&definition.namevars().next()?));
        let title = title.map(display_name).unwrap_or_default();
        if let Some(message) = definition.check_canonical(&title, row, canonical) {
            return Err(Failure::new(message));
        }
    }
    canonical_twice(provider, context, &canonical)
}

/// `canonicalize` leaves canonical rows unchanged.
pub(super) fn canonical_twice(
    provider: &mut dyn Provider,
    context: &mut Context<'_>,
    once: &[State],
) -> Result<(), Failure> {
    let twice = provider.canonicalize(context, once.to_vec())?;
    let changed = once.iter().zip(&twice).find(|(once, twice)| once != twice);
    match changed {
        None => Ok(()),
        Some((once, twice)) => {
            let (once, twice) = (context.definition.inspect(once), context.definition.inspect(twice));
            Err(Failure::new(format!("canonicalize() changes what it returned: {once} becomes {twice}")))
        }
    }
}

/// The row of a resource.
pub(super) fn current(
    provider: &mut dyn Provider,
    context: &mut Context<'_>,
    name: &Value,
) -> Result<Option<State>, Failure> {
    let definition = context.definition.clone();
    let filter = [name.clone()];
    let names = definition.has_feature("simple_get_filter").then_some(filter.as_slice());
    let absent = absent_state(&definition, name);
    let rows = provider.get(context, names)?;
    let is_of_resource = |row: &State| definition.namevars().all(|namevar| row.get(&namevar) == absent.get(&namevar));
    Ok(rows.into_iter().find(is_of_resource))
}

/// After `set`, `get` returns the desired state.
pub(super) fn reached(
    provider: &mut dyn Provider,
    context: &mut Context<'_>,
    changes: &[Change],
) -> Result<(), Failure> {
    let definition = context.definition.clone();
    for change in changes {
        let row = current(provider, context, &change.name)?;
        let name = display_name(&change.name);
        let is_absent =
            |state: &State| state.get(&name!("ensure")).is_some_and(|ensure| ensure.as_str() == Some("absent"));
        let should = change.should.as_ref().filter(|should| !is_absent(should));
        let row = row.filter(|row| !is_absent(row));
        let (should, row) = match (should, row) {
            (None, None) => continue,
            (None, Some(_)) => return Err(Failure::new(format!("after set, get still returns '{name}'"))),
            (Some(_), None) => return Err(Failure::new(format!("after set, get does not return '{name}'"))),
            (Some(should), Some(row)) => (should, row),
        };
        for (attribute, definition) in &definition.attributes {
            if matches!(definition.behaviour, Behaviour::Parameter | Behaviour::ReadOnly) {
                continue;
            }
            let Some(expected) = should.get(attribute).filter(|expected| !expected.is_undef()) else { continue };
            let actual = row.get(attribute).unwrap_or(&Value::Undef);
            if actual != expected {
                let secret = definition.sensitive || matches!(expected, Value::Sensitive(_));
                let display = |value: &Value| if secret { "[redacted]".to_owned() } else { ruby::inspect(value) };
                let (actual, expected) = (display(actual), display(expected));
                let text = format!("after set, get returns {actual} for '{attribute}' of '{name}', not {expected}");
                return Err(Failure::new(text));
            }
        }
    }
    Ok(())
}

/// A second run has no events.
pub(super) fn idle(second: &RunOutcome) -> Result<(), Failure> {
    let mut events = second.resources.iter().flat_map(|resource| {
        resource.status.events.iter().map(|event| format!("{}: {}", resource.reference, event.message))
    });
    match events.next() {
        Some(event) => Err(Failure::new(format!("a second run changes something again: {event}"))),
        None => Ok(()),
    }
}

/// `set` with noop changes no file and runs no command that changes something.
pub(super) fn nothing_changed(
    before: &[(String, Vec<u8>)],
    after: &[(String, Vec<u8>)],
    runs: Vec<String>,
) -> Result<(), Failure> {
    if let Some(command) = runs.first() {
        return Err(Failure::new(format!("set with noop ran '{command}', which changes something")));
    }
    let differs = |(path, _): &&(String, Vec<u8>)| {
        let find = |files: &[(String, Vec<u8>)]| files.iter().find(|(other, _)| other == path).cloned();
        find(before) != find(after)
    };
    match before.iter().chain(after).find(differs) {
        None => Ok(()),
        Some((path, _)) => Err(Failure::new(format!("set with noop changed {path}"))),
    }
}

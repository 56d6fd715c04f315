//! The operating systems in a module's `metadata.json`, as fact sets.

use std::path::Path;

use crate::facts::FactSet;
use crate::facts::FactSets;
use crate::facts::systems;
use crate::matrix::ReadContext;
use crate::matrix::hash;
use crate::matrix::list;
use crate::matrix::text;
use catwalk_value::Value;
use catwalk_value::data::json;
use catwalk_world::World;

/// The systems that `metadata.json` names.
#[derive(Debug, Default)]
pub(super) struct SupportedSystems<'a> {
    /// Their fact sets.
    pub(super) sets: Vec<&'a FactSet>,
    /// Systems without a fact set, such as `AIX 7.1`.
    pub(super) without_facts: Vec<String>,
}

/// The fact sets of the systems that the module in a directory supports.
///
/// # Errors
/// As for `fact_sets: metadata`.
pub fn supported_sets<'a>(
    root: &'a Path,
    sets: &'a FactSets,
    world: &'a dyn World,
) -> Result<Vec<&'a FactSet>, String> {
    let context = ReadContext { root, sets, overrides: &[], world };
    let mut selected: Vec<&FactSet> = Vec::new();
    for set in supported(&context, None)?.sets {
        if !selected.iter().any(|other| other.name == set.name) {
            selected.push(set);
        }
    }
    Ok(selected)
}

/// The systems that the module supports; `except` names systems that are left out.
///
/// # Errors
/// `metadata.json` does not exist or is invalid, or none of its systems has a fact set.
pub(super) fn supported<'a>(context: &ReadContext<'a>, except: Option<&Value>) -> Result<SupportedSystems<'a>, String> {
    let path = context.root.join("metadata.json");
    let bytes = context.world.read(&path).map_err(|refused| format!("`fact_sets: metadata`: {refused}"))?;
    let document = json::parse(&bytes)
        .map_err(|error| format!("metadata.json:{}:{}: {}", error.line, error.column, error.summary()))?;
    let document = hash(&document, "metadata.json").map_err(|why| why.message)?;
    let mut left_out = Vec::new();
    for name in except.iter().flat_map(|names| list(names)) {
        left_out.push(text(name, "except").map_err(|why| why.message)?.to_lowercase());
    }
    let mut supported = SupportedSystems::default();
    for system in document.get("operatingsystem_support").iter().flat_map(|systems| list(systems)) {
        let system = hash(system, "operatingsystem_support").map_err(|why| why.message)?;
        let name = system.get("operatingsystem").map(|name| text(name, "operatingsystem")).transpose();
        let name = name.map_err(|why| why.message)?;
        let Some(name) = name else { return Err("metadata.json: a system without `operatingsystem`".to_owned()) };
        let releases: Vec<Option<&Value>> = match system.get("operatingsystemrelease") {
            Some(releases) => list(releases).map(Some).collect(),
            None => vec![None],
        };
        for release in releases {
            let release = release.and_then(Value::as_str);
            let system = release.map_or_else(|| name.to_owned(), |release| format!("{name} {release}"));
            if left_out.iter().any(|out| *out == name.to_lowercase() || *out == system.to_lowercase()) {
                continue;
            }
            let of_system = context.sets.iter().filter(|set| systems::is_of_system(set, name, release));
            let before = supported.sets.len();
            supported.sets.extend(of_system);
            if supported.sets.len() == before {
                supported.without_facts.push(system);
            }
        }
    }
    match (supported.sets.is_empty(), supported.without_facts.is_empty()) {
        (false, _) => Ok(supported),
        (true, true) => Err("metadata.json names no operating system".to_owned()),
        (true, false) => {
            Err(format!("no system that metadata.json names has a fact set: {}", supported.without_facts.join(", ")))
        }
    }
}

//! The operating systems in a module's `metadata.json`, as fact sets.

use crate::facts::FactSet;
use crate::matrix::ReadContext;
use crate::matrix::hash;
use crate::matrix::list;
use crate::matrix::text;
use catwalk_value::data::json;
use catwalk_value::value::Hash;
use catwalk_value::value::Value;

/// A fact set for each system that the module supports; `except` names systems that are left out.
///
/// # Errors
/// There is no `metadata.json`, or a system has no fact set: it would stay untested.
pub(super) fn supported<'a>(around: &ReadContext<'a>, except: Option<&Value>) -> Result<Vec<&'a FactSet>, String> {
    let path = around.root.join("metadata.json");
    let bytes = around.world.read(&path).map_err(|refused| format!("`fact_sets: metadata`: {refused}"))?;
    let document = json::parse(&bytes)
        .map_err(|error| format!("{}:{}:{}: {}", path.display(), error.line, error.column, error.message))?;
    let document = hash(&document, "metadata.json")?;
    let mut left_out = Vec::new();
    for name in except.iter().flat_map(|names| list(names)) {
        left_out.push(text(name, "except")?.to_lowercase());
    }
    let mut found = Vec::new();
    for system in document.get("operatingsystem_support").iter().flat_map(|systems| list(systems)) {
        let system = hash(system, "operatingsystem_support")?;
        let name = system.get("operatingsystem").map(|name| text(name, "operatingsystem")).transpose()?;
        let Some(name) = name else { return Err("metadata.json: a system without `operatingsystem`".to_owned()) };
        let releases: Vec<Option<&Value>> = match system.get("operatingsystemrelease") {
            Some(releases) => list(releases).map(Some).collect(),
            None => vec![None],
        };
        for release in releases {
            let release = release.and_then(Value::as_str);
            let shown = release.map_or_else(|| name.to_owned(), |release| format!("{name} {release}"));
            if left_out.iter().any(|out| *out == name.to_lowercase() || *out == shown.to_lowercase()) {
                continue;
            }
            let mut wanted = Hash::new();
            wanted.set("os.name", Value::str(name));
            if let Some(release) = release {
                wanted.set("os.release.major", Value::str(release));
            }
            let sets = around.sets.having(&wanted).map_err(|_| {
                format!("metadata.json supports {shown}, but no fact set is of it: add one, or name it in `except`")
            })?;
            found.extend(sets);
        }
    }
    if found.is_empty() {
        return Err("metadata.json names no operating system".to_owned());
    }
    Ok(found)
}

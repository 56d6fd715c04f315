//! `metadata.json` of a module, as far as a compile uses it (Puppet::Module#load_metadata).
//!
//! In: a module, a world. Out: [`Metadata`] or why the reference leaves the module out. Must not: check versions.

use crate::diag::Reason;
use crate::environment::Module;
use crate::version::Strict;
use crate::version::Version;
use crate::world::World;

/// What `metadata.json` says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Metadata {
    /// `author/name`
    pub forge_name: Option<String>,
    /// `version`
    pub version: String,
    /// Names of the modules it depends on, without their authors, and the versions it wants.
    pub dependencies: Vec<(String, String)>,
}

/// The file read: nothing if there is none, or it is not JSON (then with the reference's warning).
pub type Found = (Option<Metadata>, Option<String>);

/// Reads a module's metadata.
///
/// # Errors
/// `No x module metadata provided for m`: the reference logs this and does as if the module were not there.
pub fn read(module: &Module, world: &dyn World, strict: Strict, version: Version) -> Result<Found, Reason> {
    let Ok(bytes) = world.read(&module.root.join("metadata.json")) else { return Ok((None, None)) };
    if bytes.is_empty() && version.empty_metadata {
        return Ok((None, None));
    }
    let data: serde_json::Value = match serde_json::from_slice(&bytes) {
        Ok(data) => data,
        Err(error) => {
            let text =
                format!("{} has an invalid and unparsable metadata.json file. The parse error: {error}", module.name);
            return match strict {
                Strict::Off => Ok((None, None)),
                Strict::Warning => Ok((None, Some(text))),
                Strict::Error => Err(Reason::runtime(text)),
            };
        }
    };
    if data.as_object().is_none_or(serde_json::Map::is_empty) {
        return Ok((None, None));
    }
    let text = |name: &str| data.get(name).and_then(|value| value.as_str()).map(str::to_owned);
    for name in ["source", "author", "version", "license", "dependencies"] {
        if data.get(name).is_none_or(serde_json::Value::is_null) {
            return Err(Reason::runtime(format!("No {name} module metadata provided for {}", module.name)));
        }
    }
    let Some(dependencies) = data.get("dependencies").and_then(|value| value.as_array()) else {
        return Err(Reason::runtime(format!(
            "The value for the key dependencies in the file metadata.json of the module {} must be an array, not: '{}'",
            module.name,
            text("dependencies").unwrap_or_else(|| data["dependencies"].to_string())
        )));
    };
    let dependency = |value: &serde_json::Value| {
        let name = value.get("name")?.as_str()?.replace('-', "/");
        let wanted = value.get("version_requirement").and_then(|v| v.as_str()).unwrap_or(">= 0.0.0").to_owned();
        Some((name.split('/').nth(1).unwrap_or(&name).to_owned(), wanted))
    };
    let metadata = Metadata {
        forge_name: text("name").map(|name| name.replace('-', "/")),
        version: text("version").unwrap_or_default(),
        dependencies: dependencies.iter().filter_map(dependency).collect(),
    };
    Ok((Some(metadata), None))
}

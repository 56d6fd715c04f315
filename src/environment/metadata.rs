//! `metadata.json` of a module, as far as a compile uses it (Puppet::Module#load_metadata).
//!
//! In: a module, a world. Out: [`Metadata`] or why the reference leaves the module out. Must not: check versions.

use crate::data::json;
use crate::diag::Reason;
use crate::environment::Module;
use crate::value::Value;
use crate::value::ruby;
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
    // (Puppet::Util::Json.load: comments are allowed, as in all that Ruby's library reads)
    let data = match json::parse(&bytes) {
        Ok(Value::Hash(data)) if !data.is_empty() => data,
        Ok(_) => return Ok((None, None)),
        Err(error) => {
            let text = format!(
                "{} has an invalid and unparsable metadata.json file. The parse error: {}",
                module.name, error.message
            );
            return match strict {
                Strict::Off => Ok((None, None)),
                Strict::Warning => Ok((None, Some(text))),
                Strict::Error => Err(Reason::runtime(text)),
            };
        }
    };
    let text = |name: &str| data.get(name).and_then(Value::as_str).map(str::to_owned);
    for name in ["source", "author", "version", "license", "dependencies"] {
        if data.get(name).is_none_or(|value| matches!(value, Value::Undef)) {
            return Err(Reason::runtime(format!("No {name} module metadata provided for {}", module.name)));
        }
    }
    let dependencies = match data.get("dependencies") {
        Some(Value::Array(dependencies)) => dependencies,
        other => {
            let shown = |given: &Value| given.as_str().map_or_else(|| ruby::inspect(given), str::to_owned);
            let given = other.map(shown).unwrap_or_default();
            return Err(Reason::runtime(format!(
                "The value for the key dependencies in the file metadata.json of the module {} must be an array, not: \
                 '{given}'",
                module.name
            )));
        }
    };
    let dependency = |value: &Value| {
        let Value::Hash(entry) = value else { return None };
        let name = entry.get("name")?.as_str()?.replace('-', "/");
        let wanted = entry.get("version_requirement").and_then(Value::as_str).unwrap_or(">= 0.0.0").to_owned();
        Some((name.split('/').nth(1).unwrap_or(&name).to_owned(), wanted))
    };
    let metadata = Metadata {
        forge_name: text("name").map(|name| name.replace('-', "/")),
        version: text("version").unwrap_or_default(),
        dependencies: dependencies.iter().filter_map(dependency).collect(),
    };
    Ok((Some(metadata), None))
}

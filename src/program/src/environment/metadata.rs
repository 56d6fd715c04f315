//! `metadata.json` of the modules of an environment (Puppet::Module#load_metadata).
//!
//! In: a module's name and directory, a world. Out: whether the module takes part, what it depends on and what is logged. Must
//! not: check versions.
//!
//! Puppet reads it for every module when it makes the loaders of an environment, used or not
//! (Puppet::Node::Environment#modules): its messages come before those about manifests.

use super::Module;
use indexmap::IndexMap;
use parking_lot::RwLock;
use std::borrow::Cow;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use serde::Deserialize;
use serde::Deserializer;
use serde::de::IgnoredAny;
use serde::de::MapAccess;
use serde::de::Visitor;

use crate::environment::Settings;
use catwalk_base::diag::DataLocation;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::diag::Severity;
use catwalk_base::names::Name;
use catwalk_base::version::Strict;
use catwalk_base::version::Version;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_value::data::json;
use catwalk_value::data::json::JsonError;
use catwalk_value::data::positions;
use catwalk_value::ruby;
use catwalk_world::World;
use catwalk_world::WorldError;

/// The keys that metadata must have, in the order in which Puppet checks them.
const REQUIRED_KEYS: [&str; 5] = ["source", "author", "version", "license", "dependencies"];

/// The effect of a `metadata.json` on its module.
#[derive(Clone, Debug)]
pub(super) enum ModuleMetadata {
    /// The module is used.
    Used {
        /// The modules that it depends on, without their authors, in the order in which it names them.
        dependencies: Arc<[Name]>,
        /// A warning to log.
        warning: Option<Diagnostic>,
    },
    /// The module is not used; the diagnostic is logged and states why.
    Excluded(Diagnostic),
}

/// The metadata of modules: each file is parsed once while its bytes stay the same.
#[derive(Debug, Default)]
pub struct MetadataCache(RwLock<FxHashMap<PathBuf, Entry>>);

#[derive(Debug)]
struct Entry {
    bytes: Arc<[u8]>,
    strict: Strict,
    version: Version,
    metadata: Result<ModuleMetadata, Reason>,
}

impl MetadataCache {
    /// Reads the metadata of modules, and removes modules that Puppet does not use because of it; returns their directories.
    ///
    /// # Errors
    ///
    /// As [`MetadataCache::get`].
    pub(super) fn apply(
        &self,
        modules: &mut IndexMap<Arc<str>, Module>,
        settings: &Settings,
        world: &dyn World,
        warnings: &mut Vec<Diagnostic>,
    ) -> Result<Vec<PathBuf>, Reason> {
        let mut excluded = Vec::new();
        for module in modules.values_mut() {
            match self.get(&module.name, &module.root, settings, world)? {
                ModuleMetadata::Used { dependencies, warning } => {
                    module.dependencies = dependencies;
                    warnings.extend(warning);
                }
                ModuleMetadata::Excluded(reason) => {
                    excluded.push(module.name.clone());
                    warnings.push(reason);
                }
            }
        }
        Ok(excluded.iter().filter_map(|name| modules.shift_remove(name)).map(|module| module.root).collect())
    }

    /// The effect of the metadata of a module.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or does not hold metadata: Puppet ends with Ruby's message.
    pub(super) fn get(
        &self,
        name: &str,
        root: &Path,
        settings: &Settings,
        world: &dyn World,
    ) -> Result<ModuleMetadata, Reason> {
        let path = root.join("metadata.json");
        let bytes = match world.read(&path) {
            Ok(bytes) => bytes,
            Err(WorldError::Missing(_)) => return Ok(ModuleMetadata::empty()),
            Err(refused) => return Err(Reason::runtime(refused.to_string()).because(refused.cause())),
        };
        let (strict, version) = (settings.strict, settings.version);
        let fits = |entry: &&Entry| {
            Arc::ptr_eq(&entry.bytes, &bytes) && entry.strict == strict && entry.version.release == version.release
        };
        if let Some(entry) = self.0.read().get(&path).filter(fits) {
            return entry.metadata.clone();
        }
        let metadata = MetadataFile { module: name, path: &path, bytes: &bytes }.read(strict, version);
        let entry = Entry { bytes, strict, version, metadata: metadata.clone() };
        self.0.write().insert(path, entry);
        metadata
    }
}

impl ModuleMetadata {
    fn empty() -> ModuleMetadata {
        ModuleMetadata::Used { dependencies: Arc::default(), warning: None }
    }

    fn excluded(text: String, location: DataLocation) -> ModuleMetadata {
        ModuleMetadata::Excluded(Diagnostic::new(Reason::runtime(text).in_file(location), None))
    }
}

/// Complete metadata in strict JSON, as nearly all are. Only what is used is deserialized.
#[derive(Deserialize)]
struct CompleteMetadata {
    #[serde(rename = "name")]
    _name: Option<AnyString>,
    #[serde(rename = "source")]
    _source: AnyString,
    #[serde(rename = "author")]
    _author: AnyString,
    #[serde(rename = "version")]
    _version: AnyString,
    #[serde(rename = "license")]
    _license: AnyString,
    dependencies: Vec<Dependency>,
}

/// Any string.
struct AnyString;

/// The name of a dependency, from its hash.
struct Dependency(Option<Name>);

impl<'d> Deserialize<'d> for AnyString {
    fn deserialize<D: Deserializer<'d>>(from: D) -> Result<AnyString, D::Error> {
        <&str>::deserialize(from).map(|_| AnyString)
    }
}

impl<'d> Deserialize<'d> for Dependency {
    fn deserialize<D: Deserializer<'d>>(from: D) -> Result<Dependency, D::Error> {
        from.deserialize_map(DependencyVisitor)
    }
}

struct DependencyVisitor;

impl<'d> Visitor<'d> for DependencyVisitor {
    type Value = Dependency;

    fn expecting(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.write_str("a hash")
    }

    fn visit_map<A: MapAccess<'d>>(self, mut entries: A) -> Result<Dependency, A::Error> {
        let mut name = None;
        while let Some(key) = entries.next_key::<Cow<'d, str>>()? {
            match key.as_ref() {
                "name" => {
                    let text: Option<Cow<'d, str>> = entries.next_value()?;
                    name = text.and_then(|text| name_without_author(&text));
                }
                _ => drop(entries.next_value::<IgnoredAny>()?),
            }
        }
        Ok(Dependency(name))
    }
}

/// How deep Ruby's library lets a document nest.
const DEPTH: usize = 100;

/// Parses complete metadata. `None`: the slower, complete reader must decide.
fn parse_complete(bytes: &[u8]) -> Option<ModuleMetadata> {
    // Serde would also accept an array in place of the hash.
    if !bytes.trim_ascii_start().starts_with(b"{") || memchr::memchr2_iter(b'[', b'{', bytes).count() > DEPTH {
        return None;
    }
    let complete: CompleteMetadata = serde_json::from_slice(bytes).ok()?;
    Some(ModuleMetadata::Used {
        dependencies: complete.dependencies.iter().filter_map(|dependency| dependency.0).collect(),
        warning: None,
    })
}

/// A file that [`parse_complete`] could not read.
struct MetadataFile<'f> {
    module: &'f str,
    path: &'f Path,
    bytes: &'f [u8],
}

impl MetadataFile<'_> {
    /// The position of a member, or of the start of the file.
    fn locate(&self, keys: &[&str]) -> DataLocation {
        let found = positions::locate(self.path, self.bytes, keys);
        found.unwrap_or_else(|| DataLocation::new(self.path, self.bytes, (1, 1)))
    }

    fn read(&self, strict: Strict, version: Version) -> Result<ModuleMetadata, Reason> {
        if let Some(found) = parse_complete(self.bytes) {
            return Ok(found);
        }
        if self.bytes.is_empty() && version.empty_metadata {
            return Ok(ModuleMetadata::empty());
        }
        // (Puppet::Util::Json.load: comments are allowed, as in all that Ruby's library reads)
        let data = match json::parse(self.bytes) {
            Ok(data) => data,
            Err(error) => return Ok(self.unparsable(&error, strict)),
        };
        match &data {
            Value::Hash(data) if !data.is_empty() => self.read_hash(data),
            Value::Array(data) if !data.is_empty() => Err(no_index().in_file(self.locate(&[]))),
            Value::Hash(_) | Value::Array(_) => Ok(ModuleMetadata::empty()),
            Value::Str(text) if text.is_empty() => Ok(ModuleMetadata::empty()),
            // Ruby's `String#[]` with a string: the substring, or nil.
            Value::Str(text) => Ok(match REQUIRED_KEYS.into_iter().find(|part| !text.contains(part)) {
                Some(part) => self.missing(part),
                None => self.no_list("dependencies"),
            }),
            other => Err(no_method("empty?", other).in_file(self.locate(&[]))),
        }
    }

    fn unparsable(&self, error: &JsonError, strict: Strict) -> ModuleMetadata {
        let (module, message) = (self.module, &error.message);
        let text = format!("{module} has an invalid and unparsable metadata.json file. The parse error: {message}");
        let location = error.location(self.path, self.bytes);
        match strict {
            Strict::Off => ModuleMetadata::empty(),
            Strict::Warning => {
                let warning = Diagnostic::new(Reason::runtime(text).in_file(location), None);
                let warning = Some(warning.severity(Severity::Warning));
                ModuleMetadata::Used { dependencies: Arc::default(), warning }
            }
            Strict::Error => ModuleMetadata::excluded(text, location),
        }
    }

    fn read_hash(&self, data: &Hash) -> Result<ModuleMetadata, Reason> {
        match data.get("name") {
            None | Some(Value::Undef | Value::Str(_) | Value::Bool(false)) => {}
            Some(other) => return Err(no_method("tr", other).in_file(self.locate(&["name"]))),
        }
        for name in REQUIRED_KEYS {
            if data.get(name).is_none_or(|value| matches!(value, Value::Undef)) {
                return Ok(self.missing(name));
            }
        }
        let dependencies = match data.get("dependencies") {
            Some(Value::Array(dependencies)) => dependencies,
            other => {
                let printed = |value: &Value| value.as_str().map_or_else(|| ruby::inspect(value), str::to_owned);
                return Ok(self.no_list(&other.map(printed).unwrap_or_default()));
            }
        };
        let mut names = Vec::with_capacity(dependencies.len());
        for (number, dependency) in dependencies.iter().enumerate() {
            let name = dependency_name(dependency);
            names.extend(name.map_err(|why| why.in_file(self.locate(&["dependencies", &number.to_string()])))?);
        }
        Ok(ModuleMetadata::Used { dependencies: names.into(), warning: None })
    }

    fn missing(&self, name: &str) -> ModuleMetadata {
        let text = format!("No {name} module metadata provided for {}", self.module);
        ModuleMetadata::excluded(text, self.locate(&[name]))
    }

    fn no_list(&self, given: &str) -> ModuleMetadata {
        let text = format!(
            "The value for the key dependencies in the file metadata.json of the module {} must be an array, not: '{given}'",
            self.module
        );
        ModuleMetadata::excluded(text, self.locate(&["dependencies"]))
    }
}

/// The name of a module without its author; one that names no author is found nowhere.
fn name_without_author(name: &str) -> Option<Name> {
    name.split(['-', '/']).nth(1).filter(|name| !name.is_empty()).map(Name::new)
}

/// The name of a module that another depends on.
fn dependency_name(dependency: &Value) -> Result<Option<Name>, Reason> {
    let entry = match dependency {
        Value::Hash(entry) => entry,
        Value::Str(_) => return Err(Reason::runtime("string not matched")),
        Value::Array(_) | Value::Int(_) => return Err(no_index()),
        other => return Err(no_method("[]", other)),
    };
    match entry.get("name") {
        Some(Value::Str(name)) => Ok(name_without_author(name)),
        None | Some(Value::Undef) => Ok(None),
        Some(other) => Err(no_method("tr", other)),
    }
}

fn no_index() -> Reason {
    Reason::runtime("no implicit conversion of String into Integer")
}

fn no_method(method: &str, value: &Value) -> Reason {
    Reason::runtime(format!("undefined method `{method}' for {}", ruby::plain_receiver(value)))
}

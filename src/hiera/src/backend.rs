//! Data files as hashes: parsed once for all nodes, valid while the world returns the same bytes.

mod data_use;

use parking_lot::RwLock;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::Strict;
use super::failure::Failure;
use super::interpolate::interpolation_start;
use catwalk_base::diag::DataLocation;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_value::data::hocon;
use catwalk_value::data::hocon::Inputs;
use catwalk_value::data::json;
use catwalk_value::data::yaml;
use catwalk_world::Dependency;
use catwalk_world::World;
use catwalk_world::WorldError;
pub use data_use::DataUse;

/// The value of a key, with properties that are computed once.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) value: Value,
    /// The value contains no `%{`, so it is returned unchanged.
    pub(super) plain: bool,
    /// The value is `RichData`: no symbols, keys are strings or numbers.
    pub(super) valid: bool,
}

/// A hash of data.
#[derive(Debug, Default)]
pub(super) struct DataHash {
    entries: FxHashMap<Arc<str>, Entry>,
    /// All keys in order, to check prefixes in modules.
    pub(super) keys: Vec<Value>,
    /// Puppet's warnings about the file.
    pub(super) warning: Option<String>,
}

impl DataHash {
    /// Computes the properties of each value.
    pub(super) fn new(hash: &Hash) -> DataHash {
        let mut entries = FxHashMap::default();
        for (key, value) in hash.iter() {
            let Value::Str(name) = key else { continue };
            let entry = Entry { plain: is_plain(value), valid: is_rich(value), value: value.clone() };
            entries.insert(name.to_shared(), entry);
        }
        DataHash { entries, keys: hash.keys().cloned().collect(), warning: None }
    }

    /// The entry of a root key.
    pub(super) fn get(&self, key: &str) -> Option<&Entry> {
        self.entries.get(key)
    }
}

/// Whether no string in it has an interpolation.
fn is_plain(value: &Value) -> bool {
    match value {
        Value::Str(text) => interpolation_start(text).is_none(),
        Value::Array(items) => items.iter().all(is_plain),
        Value::Hash(entries) => entries.iter().all(|(key, value)| is_plain(key) && is_plain(value)),
        _ => true,
    }
}

fn is_rich_key(key: &Value) -> bool {
    matches!(key, Value::Str(_) | Value::Int(_) | Value::BigInt(_) | Value::Float(_))
}

/// Whether a value is `RichData` (`Puppet::LookupValue`).
pub(super) fn is_rich(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().all(is_rich),
        Value::Hash(entries) => entries.iter().all(|(key, value)| is_rich_key(key) && is_rich(value)),
        Value::Symbol(_) | Value::Ruby(_) => false,
        _ => true,
    }
}

/// The built-in formats.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// `yaml_data`
    Yaml,
    /// `json_data`
    Json,
    /// `hocon_data`
    Hocon,
}

type FileCache<T> = RwLock<FxHashMap<PathBuf, (Arc<[u8]>, T)>>;

/// Parsed files by path.
#[derive(Default)]
pub(super) struct Files {
    data: FileCache<Result<Arc<DataHash>, Failure>>,
}

impl std::fmt::Debug for Files {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Files")
    }
}

impl Files {
    /// The data of a file.
    ///
    /// # Errors
    /// It cannot be read or parsed, or holds no hash.
    pub(super) fn read(
        &self,
        path: &Path,
        format: Format,
        strict: Strict,
        world: &dyn World,
    ) -> Result<Arc<DataHash>, Failure> {
        let bytes = world.read_for(path, Dependency::Parts).map_err(|refused| unreadable(&refused))?;
        let cache = self.data.read();
        if let Some((from, data)) = cache.get(path)
            && Arc::ptr_eq(from, &bytes)
        {
            if data.is_err() {
                let _ = world.read(path);
            }
            return data.clone();
        }
        drop(cache);
        let data = parse(path, &bytes, format, strict, world).map(Arc::new);
        if data.is_err() {
            let _ = world.read(path);
        }
        if format == Format::Hocon && uses_external_data(&bytes) {
            // The read is recorded for this node, too, as one of its dependencies.
            let _ = world.read(path);
            return data;
        }
        let mut cache = self.data.write();
        cache.insert(path.to_path_buf(), (bytes, data.clone()));
        data
    }
}

fn parse(path: &Path, bytes: &[u8], format: Format, strict: Strict, world: &dyn World) -> Result<DataHash, Failure> {
    match format {
        Format::Yaml => parse_yaml(path, bytes, strict),
        Format::Json => parse_json(path, bytes),
        Format::Hocon => parse_hocon(path, bytes, world),
    }
}

/// Ruby's message for a file that cannot be opened.
pub(super) fn unreadable(refused: &WorldError) -> Failure {
    let mut failure = Failure::ruby(match refused {
        WorldError::Missing(path) => format!("No such file or directory @ rb_sysopen - {}", path.display()),
        other => other.to_string(),
    });
    failure.reason = failure.reason.because(refused.cause());
    failure
}

fn parse_yaml(path: &Path, bytes: &[u8], strict: Strict) -> Result<DataHash, Failure> {
    let file = path.display().to_string();
    let allowed = yaml::AllowedClasses { symbols: yaml::Symbols::KeysAsStrings, ..yaml::AllowedClasses::default() };
    let document = yaml::parse_allowing(bytes, allowed).map_err(|error| {
        let message = format!("Unable to parse {}", error.puppet_text(Some(&file)));
        Failure::lookup(message).located(Some(error.location(path, bytes)))
    })?;
    if let Value::Hash(hash) = &document.value {
        return Ok(DataHash::new(hash));
    }
    let message = format!("{file}: file does not contain a valid yaml hash");
    if strict == Strict::Error && document.value.truthy() {
        return Err(Failure::lookup(message).located(Some(DataLocation::new(path, bytes, (1, 1)))));
    }
    Ok(DataHash { warning: Some(message), ..DataHash::default() })
}

fn parse_json(path: &Path, bytes: &[u8]) -> Result<DataHash, Failure> {
    let file = path.display();
    match json::parse(bytes) {
        Ok(Value::Hash(hash)) => Ok(DataHash::new(&hash)),
        Ok(other) => {
            let class = match other {
                Value::Undef => "Undef",
                Value::Bool(_) => "Boolean",
                Value::Int(_) | Value::BigInt(_) => "Integer",
                Value::Float(_) => "Float",
                Value::Str(_) => "String",
                Value::Array(items) if !items.is_empty() => "Tuple",
                _ => "Array",
            };
            let message = format!(
                "Value returned from data_hash function 'json_data', when using location '{file}', has wrong type, expects a Hash value, got {class}"
            );
            Err(Failure::puppet(message).located(Some(DataLocation::new(path, bytes, (1, 1)))))
        }
        Err(error) => {
            let message = format!("Unable to parse ({file}): {}", error.message);
            Err(Failure::lookup(message).located(Some(error.location(path, bytes))))
        }
    }
}

/// The data of a file as `yaml_data` and similar functions return it, and the warnings.
///
/// # Errors
/// It cannot be read or parsed, or holds no hash.
pub fn read_data(
    path: &Path,
    format: Format,
    strict: Strict,
    world: &dyn World,
) -> Result<(Value, Option<String>), Failure> {
    let bytes = world.read(path).map_err(|refused| unreadable(&refused))?;
    let data = match format {
        Format::Yaml => parse_yaml(path, &bytes, strict),
        Format::Json => parse_json(path, &bytes),
        Format::Hocon => parse_hocon(path, &bytes, world),
    }?;
    let value = |key: &Value| match key {
        Value::Str(name) => data.get(name).map_or(Value::Undef, |entry| entry.value.clone()),
        _ => Value::Undef,
    };
    Ok((Value::hash(data.keys.iter().map(|key| (key.clone(), value(key))).collect()), data.warning.clone()))
}

/// Whether a HOCON file may include other files or use environment variables.
fn uses_external_data(bytes: &[u8]) -> bool {
    memchr::memmem::find(bytes, b"${").is_some() || memchr::memmem::find(bytes, b"include").is_some()
}

/// What Puppet's messages about HOCON call the text.
const HOCON_ORIGIN: &str = "String";

fn parse_hocon(path: &Path, bytes: &[u8], world: &dyn World) -> Result<DataHash, Failure> {
    let file = path.display().to_string();
    let env = |name: &str| world.env(name).map(|value| value.to_string());
    let read = |path: &Path| world.read(path).ok().map(|bytes| bytes.to_vec());
    let fail = |message: &str| Failure::lookup(format!("Unable to parse ({file}): {message}"));
    match hocon::parse(
        &String::from_utf8_lossy(bytes),
        HOCON_ORIGIN,
        &Inputs { env: &env, read: &read, may_include: true },
    ) {
        Ok(Value::Hash(hash)) => Ok(DataHash::new(&hash)),
        Ok(_) => {
            Err(fail("String: object at file root has type LIST").located(Some(DataLocation::new(path, bytes, (1, 1)))))
        }
        Err(error) => {
            let included = (error.origin != HOCON_ORIGIN).then(|| PathBuf::from(&error.origin));
            let contents = included.as_ref().and_then(|path| world.read(path).ok());
            let (path, bytes) = (included.as_deref().unwrap_or(path), contents.as_deref().unwrap_or(bytes));
            Err(fail(&error.message).located(Some(DataLocation::new(path, bytes, error.position))))
        }
    }
}

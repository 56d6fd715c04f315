//! Reads configurations of Hiera in versions 4 and 5.
//!
//! In: the data of a `hiera.yaml`. Out: its entries, or Puppet's error. Must not: read files.

use catwalk_base::diag::Code;
use catwalk_base::diag::DataLocation;
use catwalk_base::version::Version;
use catwalk_value::data::positions;
use std::path::Path;
use std::sync::Arc;

use crate::DataKind;
use crate::Host;
use crate::config::schema::invalid4;
use crate::config::schema::invalid5;
use crate::config::schema::type4;
use crate::config::schema::type5;
use crate::config::tree::Config;
use crate::config::tree::ConfigEntry;
use crate::config::tree::FunctionKind;
use crate::config::tree::Layer;
use crate::config::tree::Locations;
use crate::config::tree::find_line;
use crate::config::tree::join;
use crate::failure::Failure;
use catwalk_value::Hash;
use catwalk_value::Value;

const FUNCTION_KEYS: [&str; 4] = ["data_hash", "lookup_key", "data_dig", "hiera3_backend"];
const FUNCTION_KEY_LIST: &str = "data_hash, lookup_key, data_dig, or hiera3_backend";
const LOCATION_KEYS: [&str; 7] = ["path", "paths", "glob", "globs", "uri", "uris", "mapped_paths"];
const LOCATION_KEY_LIST: &str = "path, paths, glob, globs, uri, uris, or mapped_paths";
const RESERVED_OPTIONS: [&str; 2] = ["path", "uri"];

/// Reads one hiera.yaml.
pub(crate) struct Reader<'r> {
    pub(crate) path: &'r Path,
    root: &'r Path,
    pub(crate) bytes: &'r Arc<[u8]>,
    version: Version,
}

impl<'r> Reader<'r> {
    /// A reader for a file with this directory and these bytes, in a version of Puppet.
    pub(super) fn new(path: &'r Path, root: &'r Path, bytes: &'r Arc<[u8]>, version: Version) -> Reader<'r> {
        Reader { path, root, bytes, version }
    }
}

impl Reader<'_> {
    pub(super) fn fail(&self, code: Code, message: String, line: Option<u32>) -> Failure {
        Failure::issue(code, message, Some(self.path), line)
    }

    /// The position of the last existing key of a path.
    fn locate(&self, keys: &[&str]) -> Option<DataLocation> {
        positions::locate(self.path, self.bytes, keys)
    }

    /// The type mismatch of the whole configuration, worded by the type system.
    pub(crate) fn mismatch(&self, config: &Hash, expected: &str, host: &mut dyn Host) -> Failure {
        let subject = format!("The Lookup Configuration at '{}'", self.path.display());
        Failure::puppet(host.describe_mismatch(&subject, expected, &Value::hash(config.clone())))
    }

    pub(super) fn version5(&self, hash: &Hash, layer: &Layer, host: &mut dyn Host) -> Result<Config, Failure> {
        let mut config = hash.clone();
        let built_in = |pairs: &[(&str, &str)]| {
            Value::hash(pairs.iter().map(|(key, value)| (Value::str(key), Value::str(value))).collect())
        };
        if !config.get("defaults").is_some_and(Value::truthy) {
            config.set("defaults", built_in(&[("datadir", "data"), ("data_hash", "yaml_data")]));
        }
        if !config.get("hierarchy").is_some_and(Value::truthy) {
            config.set("hierarchy", Value::array(vec![built_in(&[("name", "Common"), ("path", "common.yaml")])]));
        }
        if let Some(path) = invalid5(&config) {
            let keys: Vec<&str> = path.iter().map(String::as_str).collect();
            return Err(self.mismatch(&config, &type5(), host).located(self.locate(&keys)));
        }
        let empty = Hash::new();
        let defaults = hash_at(&config, "defaults").unwrap_or(&empty);
        self.check_defaults(defaults)?;
        for key in ["hierarchy", "plan_hierarchy"] {
            self.check_entries(&config, key, defaults, layer)?;
        }
        let has_default = config.get("default_hierarchy").is_some();
        if has_default {
            if !matches!(layer, Layer::Module(_)) {
                let line = find_line(self.bytes, r"(?:^|\s+)default_hierarchy:", 1);
                let message = "'default_hierarchy' is only allowed in the module layer".to_owned();
                return Err(self.fail(Code::HIERA_DEFAULT_HIERARCHY_NOT_IN_MODULE, message, line));
            }
            self.check_entries(&config, "default_hierarchy", defaults, layer)?;
        }
        let read = |key: &str| entries(&config, key).map(|entry| self.entry(entry, defaults)).collect();
        Ok(Config {
            path: Some(self.path.to_path_buf()),
            version: 5,
            hierarchy: read("hierarchy"),
            default_hierarchy: has_default.then(|| read("default_hierarchy")),
            hiera3: None,
            bytes: self.bytes.clone(),
        })
    }

    fn check_defaults(&self, defaults: &Hash) -> Result<(), Failure> {
        if FUNCTION_KEYS.iter().filter(|key| defaults.get(key).is_some()).count() > 1 {
            let message = format!("Only one of {FUNCTION_KEY_LIST} can be defined in defaults");
            let failure = self.fail(Code::HIERA_MULTIPLE_DATA_PROVIDER_FUNCTIONS_IN_DEFAULT, message, None);
            return Err(failure.located(self.locate(&["defaults"])));
        }
        let options = hash_at(defaults, "options");
        match RESERVED_OPTIONS.iter().find(|key| options.is_some_and(|options| options.get(key).is_some())) {
            Some(key) => {
                let message = format!("Option key '{key}' used in defaults is reserved by {}", self.version.product);
                let failure = self.fail(Code::HIERA_DEFAULT_OPTION_RESERVED_BY_PUPPET, message, None);
                Err(failure.located(self.locate(&["defaults", "options", key])))
            }
            None => Ok(()),
        }
    }

    fn check_entries(&self, config: &Hash, key: &str, defaults: &Hash, layer: &Layer) -> Result<(), Failure> {
        for (number, entry) in entries(config, key).enumerate() {
            let checked = self.check_entry(entry, defaults, layer);
            checked.map_err(|failure| match failure.file.as_ref().and_then(|file| file.line) {
                Some(_) => failure,
                None => failure.located(self.locate(&[key, &number.to_string()])),
            })?;
        }
        Ok(())
    }

    fn check_entry(&self, entry: &Hash, defaults: &Hash, layer: &Layer) -> Result<(), Failure> {
        let name = string_at(entry, "name").unwrap_or("");
        let count = |hash: &Hash| FUNCTION_KEYS.iter().filter(|key| hash.get(key).is_some()).count();
        match count(entry) + usize::from(entry.get("v4_data_hash").is_some()) {
            0 if count(defaults) == 0 => {
                let message = format!("One of {FUNCTION_KEY_LIST} must be defined in hierarchy '{name}'");
                return Err(self.fail(Code::HIERA_MISSING_DATA_PROVIDER_FUNCTION, message, None));
            }
            0 | 1 => {}
            _ => {
                let message = format!("Only one of {FUNCTION_KEY_LIST} can be defined in hierarchy '{name}'");
                return Err(self.fail(Code::HIERA_MULTIPLE_DATA_PROVIDER_FUNCTIONS, message, None));
            }
        }
        if let Some(backend) = string_at(entry, "hiera3_backend") {
            if *layer != Layer::Global {
                let line = find_line(self.bytes, r"\s+hiera3_backend:", 1);
                let message = "'hiera3_backend' is only allowed in the global layer".to_owned();
                return Err(self.fail(Code::HIERA_V3_BACKEND_NOT_GLOBAL, message, line));
            }
            if matches!(backend, "json" | "yaml" | "hocon") {
                let line = find_line(self.bytes, &format!(r#"\s+hiera3_backend:\s*['"]?{backend}(?:[^\w]|$)"#), 1);
                let message = format!("Use \"data_hash: {backend}_data\" instead of \"hiera3_backend: {backend}\"");
                return Err(self.fail(Code::HIERA_V3_BACKEND_REPLACED_BY_DATA_HASH, message, line));
            }
        }
        if LOCATION_KEYS.iter().filter(|key| entry.get(key).is_some()).count() > 1 {
            let message = format!("Only one of {LOCATION_KEY_LIST} can be defined in hierarchy '{name}'");
            return Err(self.fail(Code::HIERA_MULTIPLE_LOCATION_SPECS, message, None));
        }
        let options = hash_at(entry, "options");
        match RESERVED_OPTIONS.iter().find(|key| options.is_some_and(|options| options.get(key).is_some())) {
            Some(key) => {
                let message =
                    format!("Option key '{key}' used in hierarchy '{name}' is reserved by {}", self.version.product);
                Err(self.fail(Code::HIERA_OPTION_RESERVED_BY_PUPPET, message, None))
            }
            None => Ok(()),
        }
    }

    fn entry(&self, entry: &Hash, defaults: &Hash) -> ConfigEntry {
        let find = |hash: &Hash| {
            FUNCTION_KEYS.iter().find_map(|key| string_at(hash, key).map(|function| (*key, function.to_owned())))
        };
        let (key, function_name) = find(entry).or_else(|| find(defaults)).unwrap_or(("data_hash", String::new()));
        let function = match key {
            "lookup_key" => FunctionKind::Data(DataKind::LookupKey),
            "data_dig" => FunctionKind::Data(DataKind::DataDig),
            "hiera3_backend" => FunctionKind::Hiera3Backend,
            _ => FunctionKind::Data(DataKind::DataHash),
        };
        let datadir = string_at(entry, "datadir").or_else(|| string_at(defaults, "datadir")).unwrap_or("data");
        let one = |key: &str| string_at(entry, key).map(|text| vec![text.to_owned()]);
        let many = |key: &str| strings_at(entry, key);
        let locations = if let Some(paths) = one("path").or_else(|| many("paths")) {
            Locations::Paths(paths)
        } else if let Some(globs) = one("glob").or_else(|| many("globs")) {
            Locations::Globs(globs)
        } else if let Some(uris) = one("uri").or_else(|| many("uris")) {
            Locations::Uris(uris)
        } else if let Some([variable, name, template]) =
            many("mapped_paths").and_then(|parts| <[String; 3]>::try_from(parts).ok())
        {
            Locations::Mapped(variable, name, template)
        } else {
            Locations::None
        };
        let options = match entry.get("options").filter(|v| !v.is_undef()).or_else(|| defaults.get("options")) {
            Some(Value::Hash(options)) => Some(options.clone()),
            _ => None,
        };
        ConfigEntry {
            name: string_at(entry, "name").unwrap_or("").to_owned(),
            function,
            function_name,
            datadir: join(&self.root.to_string_lossy(), datadir),
            locations,
            options,
            extension: None,
        }
    }

    pub(super) fn version4(&self, hash: &Hash, host: &mut dyn Host) -> Result<Config, Failure> {
        let mut config = hash.clone();
        if !config.get("datadir").is_some_and(Value::truthy) {
            config.set("datadir", Value::str("data"));
        }
        if !config.get("hierarchy").is_some_and(Value::truthy) {
            let entry = [("name", "common"), ("backend", "yaml")];
            let entry = entry.iter().map(|(key, value)| (Value::str(key), Value::str(value))).collect();
            config.set("hierarchy", Value::array(vec![Value::hash(entry)]));
        }
        if let Some(path) = invalid4(&config) {
            let keys: Vec<&str> = path.iter().map(String::as_str).collect();
            return Err(self.mismatch(&config, &type4(), host).located(self.locate(&keys)));
        }
        let default_datadir = string_at(&config, "datadir").unwrap_or("data");
        let mut hierarchy = Vec::new();
        for entry in entries(&config, "hierarchy") {
            let name = string_at(entry, "name").unwrap_or("").to_owned();
            let backend = string_at(entry, "backend").unwrap_or("");
            if !matches!(backend, "yaml" | "json" | "hocon") {
                let line = find_line(self.bytes, &format!(r"[^\w]{}(?:[^\w]|$)", regex::escape(backend)), 1);
                let message = format!("No data provider is registered for backend '{backend}'");
                return Err(self.fail(Code::HIERA_NO_PROVIDER_FOR_BACKEND, message, line));
            }
            let path = || vec![string_at(entry, "path").unwrap_or(&name).to_owned()];
            hierarchy.push(ConfigEntry {
                function: FunctionKind::Data(DataKind::DataHash),
                function_name: format!("{backend}_data"),
                datadir: join(&self.root.to_string_lossy(), string_at(entry, "datadir").unwrap_or(default_datadir)),
                locations: Locations::Paths(strings_at(entry, "paths").unwrap_or_else(path)),
                options: None,
                extension: Some(if backend == "hocon" { ".conf".to_owned() } else { format!(".{backend}") }),
                name,
            });
        }
        let path = Some(self.path.to_path_buf());
        Ok(Config { path, version: 4, hierarchy, default_hierarchy: None, hiera3: None, bytes: self.bytes.clone() })
    }
}

pub(crate) fn string_at<'h>(hash: &'h Hash, key: &str) -> Option<&'h str> {
    hash.get(key).and_then(Value::as_str)
}

pub(crate) fn hash_at<'h>(hash: &'h Hash, key: &str) -> Option<&'h Hash> {
    match hash.get(key) {
        Some(Value::Hash(inner)) => Some(inner),
        _ => None,
    }
}

fn strings_at(hash: &Hash, key: &str) -> Option<Vec<String>> {
    match hash.get(key) {
        Some(Value::Array(items)) => Some(items.iter().filter_map(Value::as_str).map(str::to_owned).collect()),
        _ => None,
    }
}

fn entries<'h>(hash: &'h Hash, key: &str) -> impl Iterator<Item = &'h Hash> {
    let items = match hash.get(key) {
        Some(Value::Array(items)) => items.as_slice(),
        _ => &[],
    };
    items.iter().filter_map(|item| match item {
        Value::Hash(entry) => Some(entry.as_ref()),
        _ => None,
    })
}

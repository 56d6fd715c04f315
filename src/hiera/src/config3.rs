//! hiera.yaml of version 3, which is allowed in the global layer only and is deprecated.

use std::sync::Arc;

use super::DataKind;
use super::Host;
use super::Sources;
use super::config::reader::Reader;
use super::config::reader::hash_at;
use super::config::reader::string_at;
use super::config::schema::is_filled_string;
use super::config::tree::Config;
use super::config::tree::ConfigEntry;
use super::config::tree::FunctionKind;
use super::config::tree::Hiera3Options;
use super::config::tree::Locations;
use super::failure::Failure;
use catwalk_value::Hash;
use catwalk_value::Value;

impl Reader<'_> {
    /// Checks and reads a configuration of version 3.
    pub(super) fn version3(&self, hash: &Hash, sources: &Sources, host: &mut dyn Host) -> Result<Config, Failure> {
        let mut config = hash.clone();
        let mut default = |key: &str, value: Value| {
            if !config.get(key).is_some_and(Value::truthy) {
                config.set(key, value);
            }
        };
        let names = |names: &[&str]| Value::array(names.iter().map(Value::str).collect());
        default("version", Value::Int(3));
        default("backends", names(&["yaml"]));
        default("hierarchy", names(&["nodes/%{::trusted.certname}", "common"]));
        default("merge_behavior", Value::str("native"));
        default("deep_merge_options", Value::hash(Hash::new()));
        let backends = one_or_many(&config, "backends");
        if !is_valid(&config, &backends) {
            return Err(self.mismatch(&config, &expected_type(&backends), host));
        }
        let paths = one_or_many(&config, "hierarchy");
        let root = sources.codedir.join("environments").join("%{::environment}").join("hieradata");
        let mut hierarchy = Vec::new();
        for backend in backends {
            let empty = Hash::new();
            let options = hash_at(&config, &backend).unwrap_or(&empty);
            let extension = match string_at(options, "extension") {
                Some(extension) => format!(".{extension}"),
                None if backend == "hocon" => ".conf".to_owned(),
                None => format!(".{backend}"),
            };
            let datadir = string_at(options, "datadir").map_or_else(|| root.display().to_string(), str::to_owned);
            let (function, function_name) = match backend.as_str() {
                "yaml" | "json" | "hocon" => (FunctionKind::Data(DataKind::DataHash), format!("{backend}_data")),
                "eyaml" => (FunctionKind::Data(DataKind::LookupKey), "eyaml_lookup_key".to_owned()),
                _ => (FunctionKind::Hiera3Backend, backend.clone()),
            };
            // The keys of eyaml are reported beside its data directory.
            let eyaml_options = (backend == "eyaml").then(|| Arc::new(options.clone()));
            hierarchy.push(ConfigEntry {
                name: backend,
                function,
                function_name,
                // A relative one is below the working directory.
                datadir,
                locations: Locations::Paths(paths.clone()),
                options: eyaml_options,
                extension: Some(extension),
            });
        }
        Ok(Config {
            path: Some(self.path.to_path_buf()),
            version: 3,
            hierarchy,
            default_hierarchy: None,
            hiera3: Some(Hiera3Options { merge: merge_setting(&config) }),
            bytes: Arc::clone(self.bytes),
        })
    }
}

fn one_or_many(config: &Hash, key: &str) -> Vec<String> {
    match config.get(key) {
        Some(Value::Array(items)) => items.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        Some(Value::Str(text)) => vec![text.to_string()],
        _ => Vec::new(),
    }
}

fn merge_setting(config: &Hash) -> Value {
    let strategy = match string_at(config, "merge_behavior") {
        Some("deep") => "reverse_deep",
        Some("deeper") => "unconstrained_deep",
        _ => return Value::Undef,
    };
    let mut merge = Hash::new();
    merge.set("strategy", Value::str(strategy));
    for (key, value) in hash_at(config, "deep_merge_options").into_iter().flatten() {
        merge.insert(key.clone(), value.clone());
    }
    Value::hash(merge)
}

fn is_valid(config: &Hash, backends: &[String]) -> bool {
    let names = |value: &Value| {
        is_filled_string(value) || matches!(value, Value::Array(items) if items.iter().all(is_filled_string))
    };
    config.iter().all(|(key, value)| {
        let Some(key) = key.as_str() else { return false };
        match key {
            "version" => *value == Value::Int(3),
            "backends" | "hierarchy" => names(value),
            "logger" => is_filled_string(value),
            "merge_behavior" => matches!(value.as_str(), Some("deep" | "deeper" | "native")),
            "deep_merge_options" => match value {
                Value::Hash(options) => options
                    .iter()
                    .all(|(key, value)| is_filled_string(key) && matches!(value, Value::Str(_) | Value::Bool(_))),
                _ => false,
            },
            key if backends.iter().any(|backend| backend == key) => {
                matches!(value, Value::Hash(options) if options.keys().all(is_filled_string))
            }
            _ => false,
        }
    })
}

fn expected_type(backends: &[String]) -> String {
    let names = "Variant[String[1],Array[String[1]]]";
    let backends: String = backends.iter().map(|name| format!(",Optional['{name}']=>Hash[String[1],Any]")).collect();
    format!(
        "Struct[{{Optional[version]=>Integer[3,3],Optional[backends]=>{names},Optional[logger]=>String[1],\
         Optional[merge_behavior]=>Enum['deep','deeper','native'],\
         Optional[deep_merge_options]=>Hash[String[1],Variant[String,Boolean]],Optional[hierarchy]=>{names}{backends}}}]"
    )
}

//! hiera.yaml: reading, checking, and what its entries say before a node's variables are known.

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::PoisonError;
use std::sync::RwLock;

use regex::Regex;
use rustc_hash::FxHashMap;

use super::DataKind;
use super::Host;
use super::Sources;
use super::Strict;
use super::backend::unreadable;
use super::config3::Three;
use super::failure::Failure;
use crate::data::yaml;
use crate::value::Hash;
use crate::value::Value;
use crate::world::Kind;
use crate::world::World;

/// Whose configuration it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Layer {
    Global,
    Environment,
    Module(String),
}

/// A checked hiera.yaml, or the default one.
#[derive(Debug)]
pub(super) struct Config {
    /// The file; `None` for the default configuration, which leaves out paths that do not exist.
    pub(super) path: Option<PathBuf>,
    pub(super) version: i64,
    pub(super) hierarchy: Vec<ConfigEntry>,
    pub(super) default_hierarchy: Option<Vec<ConfigEntry>>,
    /// What only version 3 has.
    pub(super) three: Option<Three>,
    pub(super) text: Arc<[u8]>,
}

/// One entry of a hierarchy.
#[derive(Debug)]
pub(super) struct ConfigEntry {
    pub(super) name: String,
    pub(super) function: FunctionKind,
    pub(super) function_name: String,
    /// Joined to the configuration's directory, not interpolated yet.
    pub(super) datadir: String,
    pub(super) locations: Locations,
    pub(super) options: Option<Arc<Hash>>,
    /// Version 4 adds it to paths.
    pub(super) extension: Option<String>,
}

/// How an entry finds values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum FunctionKind {
    Data(DataKind),
    Hiera3Backend,
}

/// Where an entry looks.
#[derive(Debug)]
pub(super) enum Locations {
    None,
    Paths(Vec<String>),
    Globs(Vec<String>),
    Uris(Vec<String>),
    Mapped(String, String, String),
}

const FUNCTION_KEYS: [&str; 4] = ["data_hash", "lookup_key", "data_dig", "hiera3_backend"];
const FUNCTION_KEYS_TEXT: &str = "data_hash, lookup_key, data_dig, or hiera3_backend";
const LOCATION_KEYS: [&str; 7] = ["path", "paths", "glob", "globs", "uri", "uris", "mapped_paths"];
const LOCATION_KEYS_TEXT: &str = "path, paths, glob, globs, uri, uris, or mapped_paths";
const RESERVED_OPTIONS: [&str; 2] = ["path", "uri"];

/// Parsed configurations by path.
#[derive(Debug, Default)]
pub(super) struct Configs {
    known: RwLock<FxHashMap<PathBuf, (Arc<[u8]>, Arc<Config>)>>,
}

impl Configs {
    /// The configuration at a path; the default one if there is no file.
    ///
    /// # Errors
    /// The file is no valid hiera.yaml.
    pub(super) fn read(
        &self,
        path: &Path,
        layer: &Layer,
        sources: &Sources,
        world: &dyn World,
        host: &mut dyn Host,
    ) -> Result<Arc<Config>, Failure> {
        let root = path.parent().unwrap_or(Path::new("/"));
        if world.kind(path) == Kind::Missing {
            return Ok(Arc::new(Config::built_in(root)));
        }
        let bytes = world.read_parts(path).map_err(|refused| unreadable(&refused))?;
        // What was used of the later versions is told by the layer's uses.
        let whole = || drop(world.read(path));
        if let Some((from, config)) = self.known.read().unwrap_or_else(PoisonError::into_inner).get(path)
            && Arc::ptr_eq(from, &bytes)
        {
            if config.version < 4 {
                whole();
            }
            return Ok(config.clone());
        }
        let config = Arc::new(load(path, root, &bytes, layer, sources, host).inspect_err(|_| whole())?);
        if config.version < 4 {
            whole();
        }
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        known.insert(path.to_path_buf(), (bytes, config.clone()));
        Ok(config)
    }
}

fn load(
    path: &Path,
    root: &Path,
    bytes: &Arc<[u8]>,
    layer: &Layer,
    sources: &Sources,
    host: &mut dyn Host,
) -> Result<Config, Failure> {
    let shown = path.display().to_string();
    let value = yaml::parse(bytes).map_err(|error| Failure::puppet(error.puppet_text(Some(&shown))))?;
    let Value::Hash(hash) = value else {
        host.warn(None, format!("{shown}: File exists but does not contain a valid YAML hash. Falling back to Hiera version 3 default config"));
        deprecated(3, &shown, sources, host);
        return Reader { path, root, text: bytes }.version3(&Hash::new(), sources, host);
    };
    let version = match hash.get("version") {
        None | Some(Value::Undef) => 3,
        Some(Value::Int(number)) => *number,
        Some(Value::Float(number)) => *number as i64,
        Some(Value::Str(text)) => text.trim().parse().unwrap_or(0),
        Some(_) => 0,
    };
    if matches!(version, 3 | 4) {
        deprecated(version, &shown, sources, host);
    }
    let reader = Reader { path, root, text: bytes };
    match version {
        5 => reader.version5(&hash, layer, host),
        4 if *layer == Layer::Global => Err(reader.fail(
            "HIERA_UNSUPPORTED_VERSION_IN_GLOBAL",
            "hiera.yaml version 4 cannot be used in the global layer".to_owned(),
            None,
        )),
        4 => reader.version4(&hash, host),
        3 => reader.version3(&hash, sources, host),
        other => Err(reader.fail(
            "HIERA_UNSUPPORTED_VERSION",
            format!("This runtime does not support hiera.yaml version {other}"),
            None,
        )),
    }
}

fn deprecated(version: i64, shown: &str, sources: &Sources, host: &mut dyn Host) {
    if sources.strict != Strict::Off && !sources.quiet {
        let what = format!("Use of 'hiera.yaml' version {version} is deprecated. It should be converted to version 5");
        host.warn(Some("hiera.yaml"), format!("{shown}: {what}\n   (file: {shown})"));
    }
}

impl Config {
    /// `defaults: {datadir: data, data_hash: yaml_data}, hierarchy: [{name: Common, path: common.yaml}]`
    fn built_in(root: &Path) -> Config {
        let entry = ConfigEntry {
            name: "Common".to_owned(),
            function: FunctionKind::Data(DataKind::DataHash),
            function_name: "yaml_data".to_owned(),
            datadir: join(&root.to_string_lossy(), "data"),
            locations: Locations::Paths(vec!["common.yaml".to_owned()]),
            options: None,
            extension: None,
        };
        Config { hierarchy: vec![entry], ..Config::empty() }
    }

    /// The deprecated data function of an environment or module (`HieraConfig.v4_function_config`).
    pub(super) fn legacy_function(function: &str) -> Config {
        let entry = ConfigEntry {
            name: format!("Legacy function '{function}'"),
            function: FunctionKind::Data(DataKind::LegacyDataHash),
            function_name: function.to_owned(),
            datadir: String::new(),
            locations: Locations::None,
            options: None,
            extension: None,
        };
        Config { hierarchy: vec![entry], ..Config::empty() }
    }

    /// A layer without data.
    pub(super) fn empty() -> Config {
        Config {
            path: None,
            version: 5,
            hierarchy: Vec::new(),
            default_hierarchy: None,
            three: None,
            text: Arc::from([]),
        }
    }

    /// A failure about this file.
    pub(super) fn fail(&self, code: &'static str, message: String, line: Option<u32>) -> Failure {
        Failure::issue(code, message, self.path.as_deref(), line)
    }

    /// The first line from `start` on that matches; comments do not count.
    pub(super) fn find_line(&self, pattern: &str, start: u32) -> Option<u32> {
        find_line(&self.text, pattern, start)
    }
}

fn find_line(text: &[u8], pattern: &str, start: u32) -> Option<u32> {
    let pattern = Regex::new(pattern).ok()?;
    let text = String::from_utf8_lossy(text);
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        let mut quote = None;
        let mut end = line.len();
        for (at, c) in line.char_indices() {
            match c {
                '"' | '\'' if quote == Some(c) => quote = None,
                '"' | '\'' if quote.is_none() => quote = Some(c),
                '#' => {
                    end = at;
                    break;
                }
                _ => {}
            }
        }
        if number >= start && pattern.is_match(line.get(..end).unwrap_or("").trim_end_matches('\n')) {
            return Some(number);
        }
    }
    None
}

/// Ruby's `Pathname#+`: an absolute path replaces, leading `.` and `..` are resolved, the rest stays as written.
pub(super) fn join(base: &str, path: &str) -> String {
    if path.starts_with('/') {
        return path.to_owned();
    }
    let mut base = base.trim_end_matches('/');
    let mut rest = path;
    loop {
        let (first, after) = rest.split_once('/').unwrap_or((rest, ""));
        match first {
            "." | "" if !rest.is_empty() => rest = after,
            ".." => {
                base = base.rfind('/').map_or("", |at| base.get(..at).unwrap_or(""));
                rest = after;
            }
            _ => break,
        }
    }
    match (base, rest) {
        ("", rest) => format!("/{rest}"),
        (base, "") => base.to_owned(),
        (base, rest) => format!("{base}/{rest}"),
    }
}

pub(super) struct Reader<'r> {
    pub(super) path: &'r Path,
    root: &'r Path,
    pub(super) text: &'r Arc<[u8]>,
}

const NAMES: &str = "Array[String[1],1]";

impl Reader<'_> {
    fn fail(&self, code: &'static str, message: String, line: Option<u32>) -> Failure {
        Failure::issue(code, message, Some(self.path), line)
    }

    /// The type mismatch of the whole configuration, worded by the type system.
    pub(super) fn mismatch(&self, config: &Hash, expected: &str, host: &mut dyn Host) -> Failure {
        let subject = format!("The Lookup Configuration at '{}'", self.path.display());
        Failure::puppet(host.mismatch(&subject, expected, &Value::hash(config.clone())))
    }

    fn version5(&self, hash: &Hash, layer: &Layer, host: &mut dyn Host) -> Result<Config, Failure> {
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
        if !valid5(&config) {
            return Err(self.mismatch(&config, &type5(), host));
        }
        let empty = Hash::new();
        let defaults = hash_at(&config, "defaults").unwrap_or(&empty);
        self.check_defaults(defaults)?;
        for key in ["hierarchy", "plan_hierarchy"] {
            for entry in entries(&config, key) {
                self.check_entry(entry, defaults, layer)?;
            }
        }
        let has_default = config.get("default_hierarchy").is_some();
        if has_default {
            if !matches!(layer, Layer::Module(_)) {
                let line = find_line(self.text, r"(?:^|\s+)default_hierarchy:", 1);
                let message = "'default_hierarchy' is only allowed in the module layer".to_owned();
                return Err(self.fail("HIERA_DEFAULT_HIERARCHY_NOT_IN_MODULE", message, line));
            }
            for entry in entries(&config, "default_hierarchy") {
                self.check_entry(entry, defaults, layer)?;
            }
        }
        let read = |key: &str| entries(&config, key).map(|entry| self.entry(entry, defaults)).collect();
        Ok(Config {
            path: Some(self.path.to_path_buf()),
            version: 5,
            hierarchy: read("hierarchy"),
            default_hierarchy: has_default.then(|| read("default_hierarchy")),
            three: None,
            text: self.text.clone(),
        })
    }

    fn check_defaults(&self, defaults: &Hash) -> Result<(), Failure> {
        if FUNCTION_KEYS.iter().filter(|key| defaults.get(key).is_some()).count() > 1 {
            let message = format!("Only one of {FUNCTION_KEYS_TEXT} can be defined in defaults");
            return Err(self.fail("HIERA_MULTIPLE_DATA_PROVIDER_FUNCTIONS_IN_DEFAULT", message, None));
        }
        let options = hash_at(defaults, "options");
        match RESERVED_OPTIONS.iter().find(|key| options.is_some_and(|options| options.get(key).is_some())) {
            Some(key) => {
                let message = format!("Option key '{key}' used in defaults is reserved by Puppet");
                Err(self.fail("HIERA_DEFAULT_OPTION_RESERVED_BY_PUPPET", message, None))
            }
            None => Ok(()),
        }
    }

    fn check_entry(&self, entry: &Hash, defaults: &Hash, layer: &Layer) -> Result<(), Failure> {
        let name = text_at(entry, "name").unwrap_or("");
        let count = |hash: &Hash| FUNCTION_KEYS.iter().filter(|key| hash.get(key).is_some()).count();
        match count(entry) + usize::from(entry.get("v4_data_hash").is_some()) {
            0 if count(defaults) == 0 => {
                let message = format!("One of {FUNCTION_KEYS_TEXT} must be defined in hierarchy '{name}'");
                return Err(self.fail("HIERA_MISSING_DATA_PROVIDER_FUNCTION", message, None));
            }
            0 | 1 => {}
            _ => {
                let message = format!("Only one of {FUNCTION_KEYS_TEXT} can be defined in hierarchy '{name}'");
                return Err(self.fail("HIERA_MULTIPLE_DATA_PROVIDER_FUNCTIONS", message, None));
            }
        }
        if let Some(backend) = text_at(entry, "hiera3_backend") {
            if *layer != Layer::Global {
                let line = find_line(self.text, r"\s+hiera3_backend:", 1);
                let message = "'hiera3_backend' is only allowed in the global layer".to_owned();
                return Err(self.fail("HIERA_V3_BACKEND_NOT_GLOBAL", message, line));
            }
            if matches!(backend, "json" | "yaml" | "hocon") {
                let line = find_line(self.text, &format!(r#"\s+hiera3_backend:\s*['"]?{backend}(?:[^\w]|$)"#), 1);
                let message = format!("Use \"data_hash: {backend}_data\" instead of \"hiera3_backend: {backend}\"");
                return Err(self.fail("HIERA_V3_BACKEND_REPLACED_BY_DATA_HASH", message, line));
            }
        }
        if LOCATION_KEYS.iter().filter(|key| entry.get(key).is_some()).count() > 1 {
            let message = format!("Only one of {LOCATION_KEYS_TEXT} can be defined in hierarchy '{name}'");
            return Err(self.fail("HIERA_MULTIPLE_LOCATION_SPECS", message, None));
        }
        let options = hash_at(entry, "options");
        match RESERVED_OPTIONS.iter().find(|key| options.is_some_and(|options| options.get(key).is_some())) {
            Some(key) => {
                let message = format!("Option key '{key}' used in hierarchy '{name}' is reserved by Puppet");
                Err(self.fail("HIERA_OPTION_RESERVED_BY_PUPPET", message, None))
            }
            None => Ok(()),
        }
    }

    fn entry(&self, entry: &Hash, defaults: &Hash) -> ConfigEntry {
        let find = |hash: &Hash| {
            FUNCTION_KEYS.iter().find_map(|key| text_at(hash, key).map(|function| (*key, function.to_owned())))
        };
        let (key, function_name) = find(entry).or_else(|| find(defaults)).unwrap_or(("data_hash", String::new()));
        let function = match key {
            "lookup_key" => FunctionKind::Data(DataKind::LookupKey),
            "data_dig" => FunctionKind::Data(DataKind::DataDig),
            "hiera3_backend" => FunctionKind::Hiera3Backend,
            _ => FunctionKind::Data(DataKind::DataHash),
        };
        let datadir = text_at(entry, "datadir").or_else(|| text_at(defaults, "datadir")).unwrap_or("data");
        let one = |key: &str| text_at(entry, key).map(|text| vec![text.to_owned()]);
        let many = |key: &str| texts_at(entry, key);
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
            name: text_at(entry, "name").unwrap_or("").to_owned(),
            function,
            function_name,
            datadir: join(&self.root.to_string_lossy(), datadir),
            locations,
            options,
            extension: None,
        }
    }

    fn version4(&self, hash: &Hash, host: &mut dyn Host) -> Result<Config, Failure> {
        let mut config = hash.clone();
        if !config.get("datadir").is_some_and(Value::truthy) {
            config.set("datadir", Value::str("data"));
        }
        if !config.get("hierarchy").is_some_and(Value::truthy) {
            let entry = [("name", "common"), ("backend", "yaml")];
            let entry = entry.iter().map(|(key, value)| (Value::str(key), Value::str(value))).collect();
            config.set("hierarchy", Value::array(vec![Value::hash(entry)]));
        }
        if !valid4(&config) {
            return Err(self.mismatch(&config, &type4(), host));
        }
        let default_datadir = text_at(&config, "datadir").unwrap_or("data");
        let mut hierarchy = Vec::new();
        for entry in entries(&config, "hierarchy") {
            let name = text_at(entry, "name").unwrap_or("").to_owned();
            let backend = text_at(entry, "backend").unwrap_or("");
            if !matches!(backend, "yaml" | "json" | "hocon") {
                let line = find_line(self.text, &format!(r"[^\w]{}(?:[^\w]|$)", regex::escape(backend)), 1);
                let message = format!("No data provider is registered for backend '{backend}'");
                return Err(self.fail("HIERA_NO_PROVIDER_FOR_BACKEND", message, line));
            }
            let path = || vec![text_at(entry, "path").unwrap_or(&name).to_owned()];
            hierarchy.push(ConfigEntry {
                function: FunctionKind::Data(DataKind::DataHash),
                function_name: format!("{backend}_data"),
                datadir: join(&self.root.to_string_lossy(), text_at(entry, "datadir").unwrap_or(default_datadir)),
                locations: Locations::Paths(texts_at(entry, "paths").unwrap_or_else(path)),
                options: None,
                extension: Some(if backend == "hocon" { ".conf".to_owned() } else { format!(".{backend}") }),
                name,
            });
        }
        let path = Some(self.path.to_path_buf());
        Ok(Config { path, version: 4, hierarchy, default_hierarchy: None, three: None, text: self.text.clone() })
    }
}

pub(super) fn text_at<'h>(hash: &'h Hash, key: &str) -> Option<&'h str> {
    hash.get(key).and_then(Value::as_str)
}

pub(super) fn hash_at<'h>(hash: &'h Hash, key: &str) -> Option<&'h Hash> {
    match hash.get(key) {
        Some(Value::Hash(inner)) => Some(inner),
        _ => None,
    }
}

fn texts_at(hash: &Hash, key: &str) -> Option<Vec<String>> {
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

pub(super) fn filled(value: &Value) -> bool {
    value.as_str().is_some_and(|text| !text.is_empty())
}

fn names(value: &Value, least: usize, most: usize) -> bool {
    matches!(value, Value::Array(items) if (least..=most).contains(&items.len()) && items.iter().all(filled))
}

/// Option names start with a letter and end with a letter or digit.
fn options(value: &Value) -> bool {
    let name = |key: &Value| {
        key.as_str().is_some_and(|key| {
            let inner = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
            key.as_bytes().first().is_some_and(u8::is_ascii_alphabetic)
                && key.bytes().all(|b| inner(b) || b == b':')
                && key.as_bytes().last().is_some_and(u8::is_ascii_alphanumeric)
        })
    };
    matches!(value, Value::Hash(entries) if entries.iter().all(|(key, value)| name(key) && super::merge::is_data(value)))
}

fn all_keys(hash: &Hash, fits: impl Fn(&str, &Value) -> bool) -> bool {
    hash.iter().all(|(key, value)| key.as_str().is_some_and(|key| fits(key, value)))
}

fn valid5(config: &Hash) -> bool {
    let entry = |value: &Value| match value {
        Value::Hash(entry) => {
            entry.get("name").is_some()
                && all_keys(entry, |key, value| match key {
                    "options" => options(value),
                    "paths" | "globs" | "uris" => names(value, 1, usize::MAX),
                    "mapped_paths" => names(value, 3, 3),
                    "name" | "data_hash" | "lookup_key" | "hiera3_backend" | "v4_data_hash" | "data_dig" | "path"
                    | "glob" | "uri" | "datadir" => filled(value),
                    _ => false,
                })
        }
        _ => false,
    };
    all_keys(config, |key, value| match key {
        "version" => *value == Value::Int(5),
        "defaults" => matches!(value, Value::Hash(defaults) if all_keys(defaults, |key, value| match key {
            "data_hash" | "lookup_key" | "data_dig" | "datadir" => filled(value),
            "options" => options(value),
            _ => false,
        })),
        "hierarchy" | "plan_hierarchy" | "default_hierarchy" => {
            matches!(value, Value::Array(items) if items.iter().all(entry))
        }
        _ => false,
    })
}

fn valid4(config: &Hash) -> bool {
    let entry = |value: &Value| match value {
        Value::Hash(entry) => {
            ["name", "backend"].iter().all(|key| entry.get(key).is_some())
                && all_keys(entry, |key, value| match key {
                    "name" | "backend" | "datadir" | "path" => filled(value),
                    "paths" => names(value, 0, usize::MAX),
                    _ => false,
                })
        }
        _ => false,
    };
    all_keys(config, |key, value| match key {
        "version" => *value == Value::Int(4),
        "datadir" => filled(value),
        "hierarchy" => matches!(value, Value::Array(items) if items.iter().all(entry)),
        _ => false,
    })
}

fn type5() -> String {
    let options = r"Optional[options]=>Hash[Pattern[/\A[A-Za-z](:?[0-9A-Za-z_-]*[0-9A-Za-z])?\z/],Data]";
    let text =
        |keys: &[&str]| keys.iter().map(|key| format!("Optional[{key}]=>String[1]")).collect::<Vec<_>>().join(",");
    let functions = text(&["data_hash", "lookup_key", "hiera3_backend", "v4_data_hash", "data_dig", "path"]);
    let hierarchy = format!(
        "Array[Struct[{{name=>String[1],{options},{functions},Optional[paths]=>{NAMES},Optional[glob]=>String[1],\
         Optional[globs]=>{NAMES},Optional[uri]=>String[1],Optional[uris]=>{NAMES},\
         Optional[mapped_paths]=>Array[String[1],3,3],Optional[datadir]=>String[1]}}]]"
    );
    let defaults = text(&["data_hash", "lookup_key", "data_dig", "datadir"]);
    format!(
        "Struct[{{version=>Integer[5,5],Optional[defaults]=>Struct[{{{defaults},{options}}}],\
         Optional[hierarchy]=>{hierarchy},Optional[plan_hierarchy]=>{hierarchy},Optional[default_hierarchy]=>{hierarchy}}}]"
    )
}

fn type4() -> String {
    "Struct[{version=>Integer[4,4],Optional[datadir]=>String[1],Optional[hierarchy]=>Array[Struct[{backend=>String[1],\
     name=>String[1],Optional[datadir]=>String[1],Optional[path]=>String[1],Optional[paths]=>Array[String[1]]}]]}]"
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::join;

    #[test]
    fn paths_join_as_ruby_joins_them() {
        for (base, path, expected) in [
            ("/a/b", "../c/../d", "/a/c/../d"),
            ("/a/b", "./c", "/a/b/c"),
            ("/a/b", "/c", "/c"),
            ("/a/b/", "c//d", "/a/b/c//d"),
            ("/a/b", "../../../c", "/c"),
            ("/a/b", "", "/a/b"),
            ("/a/b", ".", "/a/b"),
        ] {
            assert_eq!(join(base, path), expected, "{base} + {path}");
        }
    }
}

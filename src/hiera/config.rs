//! hiera.yaml: reading, checking, and what its entries say before a node's variables are known.

pub(super) mod reader;
pub(super) mod schema;

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
use crate::world::Used;
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
        let bytes = world.read_for(path, Used::Parts).map_err(|refused| unreadable(&refused))?;
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

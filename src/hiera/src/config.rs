//! Reads hiera.yaml and caches it while its bytes stay the same.

pub(super) mod reader;
pub(super) mod schema;
pub(super) mod tree;

use catwalk_base::diag::Code;
use parking_lot::RwLock;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::Host;
use super::Sources;
use super::Strict;
use super::backend::unreadable;
use super::failure::Failure;
use super::usage::NoHost;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_value::data::positions;
use catwalk_value::data::yaml;
use catwalk_world::Dependency;
use catwalk_world::Kind;
use catwalk_world::World;
use reader::Reader;

pub(super) use tree::Config;
pub(super) use tree::ConfigEntry;
pub(super) use tree::FunctionKind;
pub(super) use tree::Layer;
pub(super) use tree::Locations;
pub(super) use tree::join;

/// Parsed configurations by path.
#[derive(Debug, Default)]
pub(super) struct Configs {
    by_path: RwLock<FxHashMap<PathBuf, (Arc<[u8]>, Arc<Config>)>>,
}

impl Configs {
    /// The configuration at a path; the default one if there is no file.
    ///
    /// # Errors
    /// The file is not a valid hiera.yaml.
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
        let bytes = world.read_for(path, Dependency::Parts).map_err(|refused| unreadable(&refused))?;
        // From version 4 on, the layer records separately which parts it uses.
        let record_whole_file = || drop(world.read(path));
        if let Some((from, config)) = self.by_path.read().get(path)
            && Arc::ptr_eq(from, &bytes)
        {
            if config.version < 4 {
                record_whole_file();
            }
            return Ok(config.clone());
        }
        let config = Arc::new(load(path, root, &bytes, layer, sources, host).inspect_err(|_| record_whole_file())?);
        if config.version < 4 {
            record_whole_file();
        }
        let mut cache = self.by_path.write();
        cache.insert(path.to_path_buf(), (bytes, config.clone()));
        Ok(config)
    }
}

/// Checks a `hiera.yaml` without using it; `module` is the module that it belongs to.
///
/// # Errors
/// The file cannot be read, or is no valid `hiera.yaml`.
pub fn check_config(path: &Path, module: Option<String>, world: &dyn World) -> Result<(), Failure> {
    let bytes = world.read(path).map_err(|refused| unreadable(&refused))?;
    let root = path.parent().unwrap_or(Path::new("/"));
    let layer = module.map_or(Layer::Environment, Layer::Module);
    load(path, root, &bytes, &layer, &Sources::default(), &mut NoHost).map(drop)
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
    let value = yaml::parse(bytes)
        .map_err(|error| Failure::puppet(error.puppet_text(Some(&shown))).located(Some(error.location(path, bytes))))?;
    let Value::Hash(hash) = value else {
        host.warn(None, format!("{shown}: File exists but does not contain a valid YAML hash. Falling back to Hiera version 3 default config"));
        deprecated(3, &shown, sources, host);
        return Reader::new(path, root, bytes, sources.version).version3(&Hash::new(), sources, host);
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
    let reader = Reader::new(path, root, bytes, sources.version);
    match version {
        5 => reader.version5(&hash, layer, host),
        4 if *layer == Layer::Global => {
            let message = "hiera.yaml version 4 cannot be used in the global layer".to_owned();
            let failure = reader.fail(Code::HIERA_UNSUPPORTED_VERSION_IN_GLOBAL, message, None);
            Err(failure.located(positions::locate(path, bytes, &["version"])))
        }
        4 => reader.version4(&hash, host),
        3 => reader.version3(&hash, sources, host),
        other => {
            let message = format!("This runtime does not support hiera.yaml version {other}");
            let failure = reader.fail(Code::HIERA_UNSUPPORTED_VERSION, message, None);
            Err(failure.located(positions::locate(path, bytes, &["version"])))
        }
    }
}

fn deprecated(version: i64, shown: &str, sources: &Sources, host: &mut dyn Host) {
    if sources.strict != Strict::Off && !sources.quiet {
        let message =
            format!("Use of 'hiera.yaml' version {version} is deprecated. It should be converted to version 5");
        host.warn(Some("hiera.yaml"), format!("{shown}: {message}\n   (file: {shown})"));
    }
}

//! How a compile used a hiera.yaml, and whether it would find the same values with an edited one.
//!
//! In: the hierarchy that was resolved with the node's variables, the keys that were looked up. Out: whether they have the same values
//! in the current hierarchy. Must not: know scopes; a hierarchy with variables that the compile did not use is considered different.

use std::path::Path;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use rustc_hash::FxHashSet;

use super::ConvertError;
use super::DataAnswer;
use super::DataKind;
use super::Host;
use super::LOOKUP_OPTIONS;
use super::Unknown;
use super::backend::DataUse;
use super::backend::Format;
use super::config::Config;
use super::config::FunctionKind;
use super::config::Layer;
use super::data_context::DataContext;
use super::lookup::Lookup;
use super::node_data::NodeData;
use super::resolved::Entry;
use super::resolved::Provider;
use super::scope_lookup::Replay;
use super::usage;
use catwalk_base::diag::Diagnostic;
use catwalk_value::value::Value;
use catwalk_world::World;

/// The parts of a hiera.yaml that a compile used.
#[derive(Debug)]
pub struct ConfigUse {
    /// The file.
    pub path: PathBuf,
    layer: Layer,
    config: Arc<Config>,
    /// The queried locations, in order; `None` if they changed during the compile.
    places: Option<Vec<DataQuery>>,
    variables: Replay,
    keys: FxHashSet<Arc<str>>,
}

/// A data file or function that a hierarchy queries.
#[derive(Clone, Debug, PartialEq, Eq)]
struct DataQuery {
    function: FunctionKind,
    name: String,
    options: String,
    location: Option<String>,
}

impl DataQuery {
    /// The format of its file, if one of Hiera's built-in functions reads it.
    fn format(&self) -> Option<Format> {
        match (self.function, self.name.as_str()) {
            (FunctionKind::Data(DataKind::DataHash), "yaml_data") => Some(Format::Yaml),
            (FunctionKind::Data(DataKind::DataHash), "json_data") => Some(Format::Json),
            (FunctionKind::Data(DataKind::DataHash), "hocon_data") => Some(Format::Hocon),
            _ => None,
        }
    }
}

fn places(entries: &[Entry]) -> Vec<DataQuery> {
    let mut places = Vec::new();
    for entry in entries {
        let place = |location| DataQuery {
            function: entry.function,
            name: entry.function_name.clone(),
            options: format!("{:?}", entry.options),
            location,
        };
        match &entry.locations {
            None => places.push(place(None)),
            Some(locations) => {
                let there = locations.iter().filter(|location| location.exists || location.uri);
                places.extend(there.map(|location| place(Some(location.text.clone()))));
            }
        }
    }
    places
}

/// Whether two configurations mean the same to every node.
fn same(a: &Config, b: &Config) -> bool {
    let shown = |of: &Config| format!("{} {:?} {:?} {:?}", of.version, of.hierarchy, of.default_hierarchy, of.three);
    shown(a) == shown(b)
}

impl ConfigUse {
    /// Whether a level reads encrypted data.
    #[must_use]
    pub fn decrypts(&self) -> bool {
        let levels = self.config.hierarchy.iter().chain(self.config.default_hierarchy.iter().flatten());
        self.config.version < 5 || levels.into_iter().any(|level| level.function_name == "eyaml_lookup_key")
    }

    /// The parts of a layer's configuration that a compile used; `None` for a layer without a file, and for versions that are recorded as
    /// read whole.
    fn of(provider: &Provider) -> Option<ConfigUse> {
        let config = provider.config.clone();
        let path = config.path.clone().filter(|_| config.version >= 4)?;
        let (places, variables) = match provider.resolved_once() {
            Some((hierarchy, variables)) => (Some(places(&hierarchy)), variables),
            None => (None, Replay::default()),
        };
        let keys = provider.looked_up.take();
        Some(ConfigUse { path, layer: provider.layer.clone(), config, places, variables, keys })
    }
}

impl NodeData {
    /// The parts of all layers' configurations that the compile used.
    #[must_use]
    pub fn config_uses(&self) -> Vec<ConfigUse> {
        let mut uses: Vec<ConfigUse> =
            self.providers().iter().filter_map(|provider: &Rc<Provider>| ConfigUse::of(provider)).collect();
        uses.sort_by(|a, b| a.path.cmp(&b.path));
        uses
    }
}

impl Lookup {
    /// Whether the current configuration has the same results for a compile; if so, `used` and `data` are updated to it.
    /// `variable` returns the node's variables `facts` and `trusted`; the world records what is read.
    pub fn follows(
        &self,
        used: &mut ConfigUse,
        data: &mut Vec<DataUse>,
        variable: &dyn Fn(&str) -> Option<Value>,
        world: &dyn World,
    ) -> bool {
        let mut host = ReplayHost { variable, strange: false };
        let Ok(config) = self.configs().read(&used.path, &used.layer, self.sources(), world, &mut host) else {
            return false;
        };
        if host.strange {
            return false;
        }
        if same(&used.config, &config) {
            used.config = config;
            return true;
        }
        let simple = |config: &Config| config.version == 5 && config.default_hierarchy.is_none();
        let (true, Some(before)) = (simple(&used.config) && simple(&config), &used.places) else { return false };
        if matches!(used.layer, Layer::Module(_)) {
            return false;
        }
        let provider = Provider::new(used.layer.clone(), config.clone());
        let node = NodeData::new();
        let mut invocation = self.invocation(&node, world, &mut host);
        invocation.replay = Some(&used.variables);
        let resolved = invocation.entries(&provider, false);
        let Ok(resolved) = resolved else { return false };
        let now = places(&resolved);
        if host.strange {
            return false;
        }
        let Some(files) = self.files_with(&now, before, &used.keys, world) else { return false };
        let counts = |place: &&DataQuery| {
            let known = place.location.as_ref().and_then(|location| files.get(location));
            known.is_none_or(|(_, _, asked)| *asked)
        };
        if before.iter().filter(counts).ne(now.iter().filter(counts)) {
            return false;
        }
        for location in now.iter().filter_map(|place| place.location.as_ref()) {
            let Some((format, content, _)) = files.get(location) else { continue };
            let at = data.iter().position(|known| known.path == Path::new(location)).unwrap_or_else(|| {
                data.push(DataUse::new(Path::new(location), *format, content, false, self.files()));
                data.len() - 1
            });
            if let Some(known) = data.get_mut(at) {
                used.keys.iter().for_each(|key| known.note(key));
            }
        }
        if let Some((_, variables)) = provider.resolved_once() {
            used.variables = variables;
        }
        (used.config, used.places) = (config, Some(now));
        true
    }

    /// The data files of queries, each with whether it has one of the keys; `None` if a query depends on more than that.
    #[allow(clippy::type_complexity, reason = "one place")]
    fn files_with(
        &self,
        now: &[DataQuery],
        before: &[DataQuery],
        keys: &FxHashSet<Arc<str>>,
        world: &dyn World,
    ) -> Option<FxHashMap<String, (Format, Arc<super::backend::DataHash>, bool)>> {
        let mut files = FxHashMap::default();
        for place in now.iter().chain(before) {
            let (Some(format), Some(location)) = (place.format(), &place.location) else { continue };
            if files.contains_key(location) {
                continue;
            }
            let data = self.files().read(Path::new(location), format, self.sources().strict, world).ok()?;
            if data.warning.is_some() {
                return None;
            }
            #[allow(clippy::iter_over_hash_type, reason = "any of them")]
            let asked = data.get(LOOKUP_OPTIONS).is_some() || keys.iter().any(|key| data.get(key).is_some());
            files.insert(location.clone(), (format, data, asked));
        }
        Some(files)
    }
}

/// The host of lookups after the compile has ended.
struct ReplayHost<'a> {
    variable: &'a dyn Fn(&str) -> Option<Value>,
    /// Whether a lookup needed data that this host does not have.
    strange: bool,
}

impl Host for ReplayHost<'_> {
    fn variable(&mut self, name: &str, _: Unknown) -> Result<Option<Value>, Box<Diagnostic>> {
        let known = (self.variable)(name);
        self.strange |= known.is_none();
        Ok(known)
    }

    fn data_function(
        &mut self,
        kind: DataKind,
        name: &str,
        args: &[Value],
        context: &DataContext<'_>,
    ) -> Result<DataAnswer, Box<Diagnostic>> {
        self.strange = true;
        usage::NoHost.data_function(kind, name, args, context)
    }

    fn convert(&mut self, to: &[Value], value: Value) -> Result<Value, ConvertError> {
        self.strange = true;
        usage::NoHost.convert(to, value)
    }

    fn mismatch(&mut self, subject: &str, expected: &str, value: &Value) -> String {
        self.strange = true;
        usage::NoHost.mismatch(subject, expected, value)
    }

    fn warn(&mut self, _: Option<&str>, _: String) {
        self.strange = true;
    }
}

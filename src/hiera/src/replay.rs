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
use super::UnknownPolicy;
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
use catwalk_value::Value;
use catwalk_world::World;

/// The parts of a hiera.yaml that a compile used.
#[derive(Debug)]
pub struct ConfigUse {
    /// The file.
    pub path: PathBuf,
    layer: Layer,
    config: Arc<Config>,
    /// The queried locations, in order; `None` if they changed during the compile.
    queries: Option<Vec<DataQuery>>,
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

fn data_queries(entries: &[Entry]) -> Vec<DataQuery> {
    let mut queries = Vec::new();
    for entry in entries {
        let query = |location| DataQuery {
            function: entry.function,
            name: entry.function_name.clone(),
            options: format!("{:?}", entry.options),
            location,
        };
        match &entry.locations {
            None => queries.push(query(None)),
            Some(locations) => {
                let reachable = locations.iter().filter(|location| location.exists || location.is_uri);
                queries.extend(reachable.map(|location| query(Some(location.resolved.clone()))));
            }
        }
    }
    queries
}

/// Whether two configurations mean the same to every node.
fn are_equivalent(a: &Config, b: &Config) -> bool {
    let meaning = |config: &Config| {
        format!("{} {:?} {:?} {:?}", config.version, config.hierarchy, config.default_hierarchy, config.hiera3)
    };
    meaning(a) == meaning(b)
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
    fn new(provider: &Provider) -> Option<ConfigUse> {
        let config = provider.config.clone();
        let path = config.path.clone().filter(|_| config.version >= 4)?;
        let (queries, variables) = match provider.resolved_once() {
            Some((hierarchy, variables)) => (Some(data_queries(&hierarchy)), variables),
            None => (None, Replay::default()),
        };
        let keys = provider.looked_up.take();
        Some(ConfigUse { path, layer: provider.layer.clone(), config, queries, variables, keys })
    }
}

impl NodeData {
    /// The parts of all layers' configurations that the compile used.
    #[must_use]
    pub fn config_uses(&self) -> Vec<ConfigUse> {
        let mut uses: Vec<ConfigUse> =
            self.providers().iter().filter_map(|provider: &Rc<Provider>| ConfigUse::new(provider)).collect();
        uses.sort_by(|a, b| a.path.cmp(&b.path));
        uses
    }
}

impl Lookup {
    /// If the current configuration has the same results for a compile, updates `used` to it and returns the data files in which the
    /// compile would look up keys now. `variable` returns the node's variables `facts` and `trusted`; the world records what is read.
    pub fn update_if_equivalent(
        &self,
        used: &mut ConfigUse,
        variable: &dyn Fn(&str) -> Option<Value>,
        world: &dyn World,
    ) -> Option<Vec<DataUse>> {
        let mut host = ReplayHost { variable, needs_other_data: false };
        let config = self.configs().read(&used.path, &used.layer, self.sources(), world, &mut host).ok()?;
        if host.needs_other_data {
            return None;
        }
        if are_equivalent(&used.config, &config) {
            used.config = config;
            return Some(Vec::new());
        }
        let simple = |config: &Config| config.version == 5 && config.default_hierarchy.is_none();
        let (true, Some(before)) = (simple(&used.config) && simple(&config), &used.queries) else { return None };
        if matches!(used.layer, Layer::Module(_)) {
            return None;
        }
        let provider = Provider::new(used.layer.clone(), config.clone());
        let node = NodeData::new();
        let mut invocation = self.invocation(&node, world, &mut host);
        invocation.replay = Some(&used.variables);
        let current = data_queries(&invocation.entries(&provider, false).ok()?);
        if host.needs_other_data {
            return None;
        }
        let files = self.files_with(&current, before, &used.keys, world)?;
        let has_used_keys = |query: &&DataQuery| {
            let file = query.location.as_ref().and_then(|location| files.get(location));
            file.is_none_or(|(_, _, has_key)| *has_key)
        };
        if before.iter().filter(has_used_keys).ne(current.iter().filter(has_used_keys)) {
            return None;
        }
        let mut data = Vec::new();
        for location in current.iter().filter_map(|query| query.location.as_ref()) {
            let Some((format, content, _)) = files.get(location) else { continue };
            let mut data_use = DataUse::new(Path::new(location), *format, content, false, self.files());
            used.keys.iter().for_each(|key| data_use.record_key(key));
            data.push(data_use);
        }
        if let Some((_, variables)) = provider.resolved_once() {
            used.variables = variables;
        }
        (used.config, used.queries) = (config, Some(current));
        Some(data)
    }

    /// The data files of queries, each with whether it has one of the keys; `None` if a query depends on more than that.
    #[allow(clippy::type_complexity, reason = "used once")]
    fn files_with(
        &self,
        current: &[DataQuery],
        before: &[DataQuery],
        keys: &FxHashSet<Arc<str>>,
        world: &dyn World,
    ) -> Option<FxHashMap<String, (Format, Arc<super::backend::DataHash>, bool)>> {
        let mut files = FxHashMap::default();
        for query in current.iter().chain(before) {
            let (Some(format), Some(location)) = (query.format(), &query.location) else { continue };
            if files.contains_key(location) {
                continue;
            }
            let data = self.files().read(Path::new(location), format, self.sources().strict, world).ok()?;
            if data.warning.is_some() {
                return None;
            }
            #[allow(clippy::iter_over_hash_type, reason = "any of them")]
            let has_key = data.get(LOOKUP_OPTIONS).is_some() || keys.iter().any(|key| data.get(key).is_some());
            files.insert(location.clone(), (format, data, has_key));
        }
        Some(files)
    }
}

/// The host of lookups after the compile has ended.
struct ReplayHost<'a> {
    variable: &'a dyn Fn(&str) -> Option<Value>,
    /// Whether a lookup needed data that this host does not have.
    needs_other_data: bool,
}

impl Host for ReplayHost<'_> {
    fn variable(&mut self, name: &str, _: UnknownPolicy) -> Result<Option<Value>, Box<Diagnostic>> {
        let value = (self.variable)(name);
        self.needs_other_data |= value.is_none();
        Ok(value)
    }

    fn data_function(
        &mut self,
        kind: DataKind,
        name: &str,
        args: &[Value],
        context: &DataContext<'_>,
    ) -> Result<DataAnswer, Box<Diagnostic>> {
        self.needs_other_data = true;
        usage::NoHost.data_function(kind, name, args, context)
    }

    fn convert(&mut self, to: &[Value], value: Value) -> Result<Value, ConvertError> {
        self.needs_other_data = true;
        usage::NoHost.convert(to, value)
    }

    fn describe_mismatch(&mut self, subject: &str, expected: &str, value: &Value) -> String {
        self.needs_other_data = true;
        usage::NoHost.describe_mismatch(subject, expected, value)
    }

    fn warn(&mut self, _: Option<&str>, _: String) {
        self.needs_other_data = true;
    }
}

//! A layer's hierarchy with the variables of one node replaced: its entries, their locations, and the cached data of each.

use std::cell::Cell;
use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use rustc_hash::FxHashSet;

use super::backend::DataHash;
use super::config::Config;
use super::config::FunctionKind;
use super::config::Layer;
use super::scope_lookup::Replay;
use super::scope_lookup::ScopeLookup;
use catwalk_value::Hash;

/// One layer of one node.
#[derive(Debug)]
pub(super) struct Provider {
    pub(super) layer: Layer,
    pub(super) config: Arc<Config>,
    pub(super) resolved: RefCell<Option<Rc<ResolvedHierarchy>>>,
    pub(super) resolutions: Cell<usize>,
    /// The root keys that were looked up.
    pub(super) looked_up: RefCell<FxHashSet<Arc<str>>>,
}

/// A hierarchy in which the node's variables are replaced.
#[derive(Debug)]
pub(super) struct ResolvedHierarchy {
    pub(super) hierarchy: Rc<[Entry]>,
    pub(super) default_hierarchy: Rc<[Entry]>,
    pub(super) variables: Vec<ScopeLookup>,
    /// The variables that cannot change.
    pub(super) fixed: Vec<ScopeLookup>,
}

/// A resolved entry.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) function: FunctionKind,
    pub(super) function_name: String,
    pub(super) options: Arc<Hash>,
    /// The locations; `None`: the function is called once, without a location.
    pub(super) locations: Option<Vec<Location>>,
    /// The directory for relative paths that a call adds.
    pub(super) datadir: String,
    /// Paths that calls added: a number for each, after those of `locations`.
    pub(super) added: RefCell<Vec<String>>,
    /// The cached data of each location.
    pub(super) contexts: RefCell<FxHashMap<usize, Rc<Context>>>,
}

/// A resolved location of an entry.
#[derive(Debug)]
pub(super) struct Location {
    /// The path or URI as it is written in hiera.yaml.
    pub(super) original: String,
    /// The path or URI with its variables replaced.
    pub(super) resolved: String,
    pub(super) is_uri: bool,
    pub(super) exists: bool,
    /// Its index among the locations of its entry.
    pub(super) number: usize,
}

impl Location {
    pub(super) fn path(&self) -> &Path {
        Path::new(&self.resolved)
    }
}

/// The cached data of an entry and location during a compile.
#[derive(Debug, Default)]
pub(super) struct Context {
    pub(super) data: RefCell<Option<Arc<DataHash>>>,
    /// Results of `lookup_key` and `data_dig` functions.
    pub(super) values: RefCell<Hash>,
    /// The cache that functions use through their context.
    pub(super) cache: RefCell<Hash>,
}

impl Entry {
    /// The context of the location with this number.
    pub(super) fn context(&self, location: usize) -> Rc<Context> {
        self.contexts.borrow_mut().entry(location).or_default().clone()
    }
}

impl Provider {
    pub(super) fn new(layer: Layer, config: Arc<Config>) -> Rc<Provider> {
        Rc::new(Provider {
            layer,
            config,
            resolved: RefCell::default(),
            resolutions: Cell::new(0),
            looked_up: RefCell::default(),
        })
    }

    /// Records a looked-up key.
    pub(super) fn record_key(&self, key: &Arc<str>) {
        let mut keys = self.looked_up.borrow_mut();
        if !keys.contains(&**key) {
            keys.insert(key.clone());
        }
    }

    /// The entries and the variables they depend on, if they were the same at every lookup.
    pub(super) fn resolved_once(&self) -> Option<(Rc<[Entry]>, Replay)> {
        if self.resolutions.get() != 1 {
            return None;
        }
        let resolved = self.resolved.borrow().clone()?;
        let variables = resolved
            .variables
            .iter()
            .chain(&resolved.fixed)
            .map(|variable| (variable.key.clone(), variable.value.clone()));
        Some((resolved.hierarchy.clone(), variables.collect()))
    }

    /// The module, for the module layer.
    pub(super) fn module(&self) -> Option<&str> {
        match &self.layer {
            Layer::Module(name) => Some(name),
            _ => None,
        }
    }

    /// The layer's name in explanations.
    pub(super) fn name(&self) -> String {
        let layer = match &self.layer {
            Layer::Global => "Global".to_owned(),
            Layer::Environment => "Environment".to_owned(),
            Layer::Module(name) => format!("Module \"{name}\""),
        };
        format!("{layer} Data Provider (hiera configuration version {})", self.config.version)
    }
}

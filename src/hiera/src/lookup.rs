//! The order of layers: global, environment, module, then the module's default hierarchy.

mod invocation;

pub(super) use invocation::Invocation;

use parking_lot::RwLock;
use std::path::PathBuf;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::Host;
use super::Sources;
use super::backend::Files;
use super::config::Configs;
use super::eyaml::DecryptionCache;
use super::failure::Failure;
use super::failure::LookupResult;
use super::failure::NoValue;
use super::failure::optional;
use super::key::LookupKey;
use super::node_data::NodeData;
use catwalk_base::names::Name;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_world::World;

/// Hiera for one environment, shared by nodes and threads.
#[derive(Debug, Default)]
pub struct Lookup {
    sources: Sources,
    files: Arc<Files>,
    configs: Configs,
    /// Keys of class parameters.
    keys: RwLock<FxHashMap<(Name, Name), Arc<LookupKey>>>,
    /// The data provider in the metadata of modules, with the file's bytes.
    pub(super) metadata: RwLock<FxHashMap<PathBuf, (Arc<[u8]>, Option<String>)>>,
    empty_key: Arc<str>,
    decrypted: Arc<DecryptionCache>,
}

/// The arguments of `lookup()`. The caller checks types: see [`Answer`].
#[derive(Clone, Debug)]
pub struct Request<'r> {
    /// The names, in order; the first that has a value wins.
    pub names: &'r [String],
    /// The `merge` argument; `Undef` for none.
    pub merge: &'r Value,
    /// `override`
    pub overrides: Option<&'r Hash>,
    /// `default_values_hash`
    pub defaults: Option<&'r Hash>,
    /// The call is of the `hiera` function family: only the global layer is used unless the environment has a hiera.yaml of
    /// version 5.
    pub hiera_call: bool,
    /// Paths that a `hiera` function puts before those of a hierarchy of version 3; others ignore them.
    pub extra_paths: &'r [Value],
}

/// The result of `lookup()`.
#[derive(Clone, Debug)]
pub enum Answer {
    /// A value; if a type was given, the caller asserts it with this subject (`Found value`).
    Found {
        /// The value.
        value: Value,
        /// The beginning of a type mismatch message.
        subject: String,
    },
    /// No value. The caller tries the block (`Value returned from default block`), then the default value (`Default value`), then
    /// fails with [`Failure::no_value`].
    Missing,
}

/// Where a value came from.
pub(super) enum Source {
    Data,
    Override,
    Default,
}

impl Lookup {
    /// Hiera for an environment.
    #[must_use]
    pub fn new(sources: Sources) -> Lookup {
        Lookup { sources, ..Lookup::default() }
    }

    /// Hiera for one of several environments that share their decrypted values.
    #[must_use]
    pub fn sharing(sources: Sources, decrypted: &Arc<DecryptionCache>) -> Lookup {
        Lookup { sources, decrypted: decrypted.clone(), ..Lookup::default() }
    }

    /// Where the layers are.
    #[must_use]
    pub fn sources(&self) -> &Sources {
        &self.sources
    }

    pub(super) fn decrypted(&self) -> &DecryptionCache {
        &self.decrypted
    }

    pub(super) fn configs(&self) -> &Configs {
        &self.configs
    }

    pub(super) fn files(&self) -> &Arc<Files> {
        &self.files
    }

    /// Automatic parameter lookup: `class::param`. `None` if no layer has a value. The caller must not replace a parameter's default
    /// expression by an `Undef` value.
    ///
    /// # Errors
    /// Broken data or configuration.
    pub(crate) fn automatic(
        &self,
        node: &NodeData,
        world: &dyn World,
        host: &mut dyn Host,
        key: &str,
    ) -> Result<Option<Value>, Failure> {
        let found = self.invocation(node, world, host).lookup_key(key, &Value::Undef);
        into_result(optional(found))
    }

    /// The value of a class's parameter. Its parsed key is cached.
    ///
    /// # Errors
    ///
    /// As `Lookup::automatic`.
    pub fn parameter(
        &self,
        node: &NodeData,
        world: &dyn World,
        host: &mut dyn Host,
        (class, parameter): (Name, Name),
    ) -> Result<Option<Value>, Failure> {
        let cached = self.keys.read().get(&(class, parameter)).cloned();
        let key = match cached {
            Some(key) => key,
            None => {
                let text = format!("{class}::{parameter}");
                let Ok(key) = LookupKey::new(&text) else { return self.automatic(node, world, host, &text) };
                let key = Arc::new(key);
                self.keys.write().insert((class, parameter), key.clone());
                key
            }
        };
        into_result(optional(self.invocation(node, world, host).lookup_parsed(&key, &Value::Undef)))
    }

    /// `lookup()` and the `hiera` functions.
    ///
    /// # Errors
    /// Broken data, configuration or arguments; values that cannot be merged.
    pub fn lookup(
        &self,
        node: &NodeData,
        world: &dyn World,
        host: &mut dyn Host,
        request: &Request<'_>,
    ) -> Result<Answer, Failure> {
        let mut invocation = self.invocation(node, world, host);
        invocation.overrides = request.overrides;
        invocation.defaults = request.defaults;
        into_result(invocation.find_first(request))
    }

    /// Replaces `%{…}` in a value outside a lookup.
    ///
    /// # Errors
    /// As a lookup.
    pub fn interpolate(
        &self,
        node: &NodeData,
        world: &dyn World,
        host: &mut dyn Host,
        value: &Value,
    ) -> Result<Value, Failure> {
        into_result(self.invocation(node, world, host).interpolate(value, true))
    }

    pub(super) fn invocation<'a>(
        &'a self,
        node: &'a NodeData,
        world: &'a dyn World,
        host: &'a mut dyn Host,
    ) -> Invocation<'a> {
        Invocation {
            lookup: self,
            node,
            world,
            host,
            overrides: None,
            defaults: None,
            module: None,
            top_key: self.empty_key.clone(),
            global_only: false,
            hiera_call: false,
            extra_paths: None,
            hiera3: false,
            used_variables: None,
            forgiving: false,
            loop_variable: None,
            replay: None,
        }
    }
}

fn into_result<T>(found: LookupResult<T>) -> Result<T, Failure> {
    found.map_err(|miss| match miss {
        NoValue::Failed(failure) => *failure,
        NoValue::NotFound => Failure::lookup("uncaught throw :no_such_key"),
    })
}

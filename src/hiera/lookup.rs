//! The order of layers: global, environment, module, then the module's default hierarchy.

use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::PoisonError;
use std::sync::RwLock;

use rustc_hash::FxHashMap;

use super::ConvertError;
use super::Host;
use super::LOOKUP_OPTIONS;
use super::Sources;
use super::again::Replay;
use super::backend::Files;
use super::config::Configs;
use super::explain::Event;
use super::explain::Explainer;
use super::explain::What;
use super::failure::Failure;
use super::failure::Found;
use super::failure::Kind;
use super::failure::Miss;
use super::failure::optional;
use super::interpolate::ScopeLookup;
use super::key::BadKey;
use super::key::LookupKey;
use super::merge::Strategy;
use super::node_data::NodeData;
use super::text;
use crate::names::Name;
use crate::value::Hash;
use crate::value::Value;
use crate::world::World;

/// Lookups nested deeper than this fail; the reference fails with a stack overflow further down.
const MAX_NESTED: usize = 100;

/// Hiera for one environment, shared by nodes and threads.
#[derive(Debug, Default)]
pub struct Lookup {
    sources: Sources,
    files: Arc<Files>,
    configs: Configs,
    /// Keys of class parameters.
    keys: RwLock<FxHashMap<(Name, Name), Arc<LookupKey>>>,
    /// What the metadata of modules call their data provider, with the text that says so.
    pub(super) metadata: RwLock<FxHashMap<PathBuf, (Arc<[u8]>, Option<String>)>>,
    empty: Arc<str>,
}

/// What `lookup()` is asked for. Types are the caller's business: see [`Answer`].
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
    /// The call is of the `hiera` function family: only the global layer counts unless the environment has a
    /// hiera.yaml of version 5.
    pub hiera_call: bool,
    /// Paths that a `hiera` function puts before those of a hierarchy of version 3; others ignore them.
    pub extra_paths: &'r [Value],
}

/// What `lookup()` found.
#[derive(Clone, Debug)]
pub enum Answer {
    /// A value; if a type was given, the caller asserts it with this subject (`Found value`).
    Found {
        /// The value.
        value: Value,
        /// How a type mismatch message starts.
        subject: String,
    },
    /// Nothing. The caller tries the block (`Value returned from default block`), then the default value
    /// (`Default value`), then fails with [`Failure::no_value`].
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

    /// Where the layers are.
    #[must_use]
    pub fn sources(&self) -> &Sources {
        &self.sources
    }

    pub(super) fn configs(&self) -> &Configs {
        &self.configs
    }

    pub(super) fn files(&self) -> &Arc<Files> {
        &self.files
    }

    /// Automatic parameter lookup: `class::param`. `None` when no layer has it. An `Undef` value does not replace a
    /// parameter's default expression; the caller sees to that.
    ///
    /// # Errors
    /// Broken data or configuration.
    pub fn automatic(
        &self,
        node: &NodeData,
        world: &dyn World,
        host: &mut dyn Host,
        key: &str,
    ) -> Result<Option<Value>, Failure> {
        let found = self.invocation(node, world, host).lookup_key(key, &Value::Undef);
        finished(optional(found))
    }

    /// The value of a class's parameter: the key is made once.
    ///
    /// # Errors
    /// As [`Lookup::automatic`].
    pub fn parameter(
        &self,
        node: &NodeData,
        world: &dyn World,
        host: &mut dyn Host,
        (class, parameter): (Name, Name),
    ) -> Result<Option<Value>, Failure> {
        let known = self.keys.read().unwrap_or_else(PoisonError::into_inner).get(&(class, parameter)).cloned();
        let key = match known {
            Some(key) => key,
            None => {
                let text = format!("{class}::{parameter}");
                let Ok(key) = LookupKey::new(&text) else { return self.automatic(node, world, host, &text) };
                let key = Arc::new(key);
                self.keys.write().unwrap_or_else(PoisonError::into_inner).insert((class, parameter), key.clone());
                key
            }
        };
        finished(optional(self.invocation(node, world, host).lookup_made(&key, &Value::Undef)))
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
        finished(invocation.first_of(request))
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
        finished(self.invocation(node, world, host).interpolate(value, true))
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
            top_key: self.empty.clone(),
            global_only: false,
            hiera_call: false,
            extra_paths: None,
            hiera3: false,
            collecting: None,
            forgiving: false,
            local: None,
            replay: None,
        }
    }
}

fn finished<T>(found: Found<T>) -> Result<T, Failure> {
    found.map_err(|miss| match miss {
        Miss::Failed(failure) => *failure,
        Miss::NotFound => Failure::lookup("uncaught throw :no_such_key"),
    })
}

/// One lookup under way.
pub(super) struct Invocation<'a> {
    pub(super) lookup: &'a Lookup,
    pub(super) node: &'a NodeData,
    pub(super) world: &'a dyn World,
    pub(super) host: &'a mut dyn Host,
    pub(super) overrides: Option<&'a Hash>,
    pub(super) defaults: Option<&'a Hash>,
    /// The module whose data may be asked.
    pub(super) module: Option<Arc<str>>,
    pub(super) top_key: Arc<str>,
    pub(super) global_only: bool,
    /// The call is of the `hiera` function family.
    pub(super) hiera_call: bool,
    /// Paths that a `hiera` function puts before those of a hierarchy of version 3.
    pub(super) extra_paths: Option<Rc<[Value]>>,
    /// Variables are those of Hiera 3.
    pub(super) hiera3: bool,
    /// Variables used, while a hierarchy is resolved.
    pub(super) collecting: Option<Vec<ScopeLookup>>,
    /// Unknown variables are no error: paths of a hierarchy are interpolated.
    pub(super) forgiving: bool,
    /// The loop variable of `mapped_paths`.
    pub(super) local: Option<(String, Value)>,
    /// What variables were in a compile that has ended.
    pub(super) replay: Option<&'a Replay>,
}

impl Invocation<'_> {
    /// An invocation for a lookup inside this one.
    pub(super) fn nested(&mut self) -> Invocation<'_> {
        Invocation {
            lookup: self.lookup,
            node: self.node,
            world: self.world,
            host: &mut *self.host,
            overrides: self.overrides,
            defaults: self.defaults,
            module: None,
            top_key: self.lookup.empty.clone(),
            global_only: self.global_only,
            hiera_call: self.hiera_call,
            extra_paths: self.extra_paths.clone(),
            hiera3: self.hiera3,
            collecting: None,
            forgiving: false,
            local: None,
            replay: self.replay,
        }
    }

    /// Runs with a step of the explanation open.
    pub(super) fn within<T>(&mut self, what: impl FnOnce() -> What, run: impl FnOnce(&mut Self) -> T) -> T {
        if !self.node.explaining.get() {
            return run(self);
        }
        self.node.with_explainer(|explainer| explainer.push(what()));
        let result = run(self);
        self.node.with_explainer(Explainer::pop);
        result
    }

    pub(super) fn not_found<T>(&mut self, key: &str) -> Found<T> {
        self.node.explain(|| Event::NotFound(key.to_owned()));
        Err(Miss::NotFound)
    }

    /// Guards against a key that is looked up while it is looked up. Puppet's errors become lookup errors here.
    pub(super) fn check<T>(&mut self, name: &Arc<str>, run: impl FnOnce(&mut Self) -> Found<T>) -> Found<T> {
        let mut stack = self.node.stack.borrow_mut();
        if stack.iter().any(|known| **known == **name) {
            return Err(Failure::lookup(format!("Recursive lookup detected in [{}]", stack.join(", "))).into());
        }
        if stack.len() >= MAX_NESTED {
            return Err(Failure::lookup(format!("not supported yet: lookups nested deeper than {MAX_NESTED}")).into());
        }
        stack.push(name.clone());
        drop(stack);
        let found = run(self);
        self.node.stack.borrow_mut().pop();
        found.map_err(|miss| match miss {
            Miss::Failed(mut failure) if failure.kind == Kind::Puppet => {
                failure.kind = Kind::Lookup;
                Miss::Failed(failure)
            }
            miss => miss,
        })
    }

    /// Asks several places and merges what they have.
    pub(super) fn merge_over<T>(
        &mut self,
        merge: &Strategy,
        places: &[T],
        mut ask: impl FnMut(&mut Self, &T) -> Found,
    ) -> Found {
        if merge.first_only() {
            for place in places {
                match ask(self, place) {
                    Err(Miss::NotFound) => {}
                    found => return found,
                }
            }
            return Err(Miss::NotFound);
        }
        match places {
            [] => Err(Miss::NotFound),
            [only] => Ok(merge.single(ask(self, only)?)),
            _ => self.within(
                || What::Merge(merge.kind.name(), merge.options.as_ref().clone()),
                |this| {
                    let mut merged = None;
                    for place in places {
                        let Some(value) = optional(ask(this, place))? else { continue };
                        merged = Some(match merged {
                            None => merge.convert(value),
                            Some(high) => merge.merge(high, value, this.host)?,
                        });
                    }
                    let merged = merged.ok_or(Miss::NotFound)?;
                    this.node.explain(|| Event::Result(merged.clone()));
                    Ok(merged)
                },
            ),
        }
    }

    /// `Puppet::Pops::Lookup.lookup` without types, block and default.
    fn first_of(&mut self, request: &Request<'_>) -> Found<Answer> {
        if request.hiera_call {
            let five = self.environment_provider()?.is_some_and(|provider| provider.config.version >= 5);
            self.global_only = !five;
            self.hiera_call = true;
            self.extra_paths = (!request.extra_paths.is_empty()).then(|| request.extra_paths.into());
        }
        for name in request.names {
            if let Some((source, value)) = self.search_data(name, request.merge)? {
                let subject = match source {
                    Source::Override => format!("Value found for key '{name}' in override hash"),
                    _ => "Found value".to_owned(),
                };
                return Ok(Answer::Found { value, subject });
            }
        }
        for name in request.names {
            if let Some(value) = self.defaults.and_then(|defaults| defaults.get(name)) {
                let subject = format!("Value found for key '{name}' in default values hash");
                return Ok(Answer::Found { value: value.clone(), subject });
            }
        }
        Ok(Answer::Missing)
    }

    fn search_data(&mut self, key: &str, merge: &Value) -> Found<Option<(Source, Value)>> {
        if let Some(value) = self.overrides.and_then(|overrides| overrides.get(key)) {
            return Ok(Some((Source::Override, value.clone())));
        }
        Ok(optional(self.lookup_key(key, merge))?.map(|value| (Source::Data, value)))
    }

    /// One key in overrides, data and default values.
    pub(super) fn search(&mut self, key: &str, merge: &Value) -> Found<Option<(Source, Value)>> {
        if let Some(found) = self.search_data(key, merge)? {
            return Ok(Some(found));
        }
        Ok(self.defaults.and_then(|defaults| defaults.get(key)).map(|value| (Source::Default, value.clone())))
    }

    /// One key in the data, with its `lookup_options`.
    fn lookup_key(&mut self, text: &str, merge: &Value) -> Found {
        let reserved = text.strip_prefix(LOOKUP_OPTIONS).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        if reserved {
            return self.within(|| What::InvalidKey(LOOKUP_OPTIONS.to_owned()), |_| Err(Miss::NotFound));
        }
        let key = LookupKey::new(text).map_err(|problem| match problem {
            BadKey::Ruby(problem) => Failure::ruby(problem),
            BadKey::Lookup(problem) => Failure::lookup(problem),
        })?;
        self.lookup_made(&key, merge)
    }

    fn lookup_made(&mut self, key: &LookupKey, merge: &Value) -> Found {
        self.node.used(|usage| usage.ask(&key.root));
        self.module.clone_from(&key.module);
        self.top_key.clone_from(&key.text);
        if self.node.explainer.borrow().as_ref().is_some_and(|explainer| explainer.only_options) {
            let _ = optional(self.in_layers(&LookupKey::lookup_options(), &Value::str("hash")))?;
            return Ok(Value::Undef);
        }
        let options = self.options_of(key)?;
        let option = |name: &str| match &options {
            Some(Value::Hash(options)) => Ok(options.get(name).filter(|value| !value.is_undef()).cloned()),
            // Ruby asks a list for what stands at a place.
            Some(Value::Array(_)) => Err(Failure::ruby("no implicit conversion of String into Integer")),
            _ => Ok(None),
        };
        let from_options = if merge.is_undef() { option("merge")? } else { None };
        if from_options.is_some() {
            self.within(|| What::MergeSource(LOOKUP_OPTIONS.to_owned()), |_| ());
        }
        let merge = from_options.as_ref().unwrap_or(merge);
        let value = self.within(
            || What::Search(key.text.to_string()),
            |this| match this.in_layers(key, merge) {
                Err(Miss::NotFound) if this.global_only => Err(Miss::NotFound),
                Err(Miss::NotFound) => {
                    let value = this.in_default_hierarchy(key)?;
                    this.dig(key, value)
                }
                found => found,
            },
        )?;
        match option("convert_to")? {
            Some(convert_to) => self.convert(key, &convert_to, value),
            None => Ok(value),
        }
    }

    fn dig(&mut self, key: &LookupKey, value: Value) -> Found {
        if key.segments.is_empty() { Ok(value) } else { self.sub_lookup(&key.text, &key.segments, value) }
    }

    fn in_layers(&mut self, key: &LookupKey, merge: &Value) -> Found {
        let merge = Strategy::of(merge, self.host)?;
        let value = if self.global_only {
            self.lookup_global(key, &merge)?
        } else {
            type Ask<'a> = fn(&mut Invocation<'a>, &LookupKey, &Strategy) -> Found;
            let layers: [Ask<'_>; 3] = [Self::lookup_global, Self::lookup_in_environment, Self::lookup_in_module];
            self.merge_over(&merge, &layers, |this, ask| ask(this, key, &merge))?
        };
        self.dig(key, value)
    }

    fn convert(&mut self, key: &LookupKey, convert_to: &Value, value: Value) -> Found {
        let arguments = match convert_to {
            Value::Array(items) => items.as_slice(),
            other => std::slice::from_ref(other),
        };
        let key = &key.text;
        let value = self.host.convert(arguments, value).map_err(|error| match error {
            ConvertError::Type(message) => {
                let source = arguments.first().map(text::to_s).unwrap_or_default();
                // The unbalanced quote is the reference's.
                Failure::lookup(format!(
                    "Invalid data type in lookup_options for key '{key}' could not parse '{source}', error: '{message}"
                ))
            }
            ConvertError::Failed(message) => {
                Failure::lookup(format!("The convert_to lookup_option for key '{key}' raised error: {message}"))
            }
        })?;
        self.node.explain_text(|| {
            let shown: Vec<String> = arguments
                .iter()
                .enumerate()
                .map(|(at, item)| match item {
                    Value::Str(text) if at > 0 => format!("'{text}'"),
                    other => text::to_s(other),
                })
                .collect();
            format!("Applying convert_to lookup_option with arguments [{}]", shown.join(", "))
        });
        Ok(value)
    }

    /// The global layer. Its failures are worded anew.
    pub(super) fn lookup_global(&mut self, key: &LookupKey, merge: &Strategy) -> Found {
        // The reference reads the configuration inside the guarded lookup.
        let found = match self.check(&key.text, Self::global_provider) {
            Ok(Some(provider)) => self.key_lookup(&provider, key, merge, false),
            Ok(None) => Err(Miss::NotFound),
            Err(miss) => Err(miss),
        };
        found.map_err(|miss| match miss {
            Miss::Failed(failure) if failure.kind == Kind::Lookup && !failure.has_issue() => {
                Failure::puppet(format!("Lookup of key '{}' failed: {}", self.top_key, failure.text())).into()
            }
            miss => miss,
        })
    }

    pub(super) fn lookup_in_environment(&mut self, key: &LookupKey, merge: &Strategy) -> Found {
        match self.environment_provider()? {
            Some(provider) => self.key_lookup(&provider, key, merge, false),
            None => Err(Miss::NotFound),
        }
    }

    pub(super) fn lookup_in_module(&mut self, key: &LookupKey, merge: &Strategy) -> Found {
        let Some(module) = self.module.clone() else { return Err(Miss::NotFound) };
        if let Some(provider) = self.module_provider(&module)? {
            return self.key_lookup(&provider, key, merge, false);
        }
        let unknown = !self.lookup.sources.modules.contains_key(&*module);
        self.within(|| What::NoModule(module.to_string(), unknown), |_| Err(Miss::NotFound))
    }

    fn in_default_hierarchy(&mut self, key: &LookupKey) -> Found {
        let Some(module) = self.module.clone() else { return Err(Miss::NotFound) };
        let provider = self.module_provider(&module)?;
        let Some(provider) = provider.filter(|provider| provider.config.default_hierarchy.is_some()) else {
            return Err(Miss::NotFound);
        };
        let name = || What::Scope(format!("Searching default_hierarchy of module \"{module}\""));
        self.within(name, |this| {
            let options = this.default_options_of(&provider, &module, key)?;
            let merge = match &options {
                Some(Value::Hash(options)) => options.get("merge").cloned().unwrap_or(Value::Undef),
                _ => Value::Undef,
            };
            let name = || What::Scope(format!("Searching for \"{}\"", key.text));
            this.within(name, |this| {
                let merge = Strategy::of(&merge, this.host)?;
                this.key_lookup(&provider, key, &merge, true)
            })
        })
    }
}

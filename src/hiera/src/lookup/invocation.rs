//! A lookup in progress: the layers in order, merges, conversions, the keys being looked up.
//!
//! In: a key and a strategy. Out: the value. Must not: read files; providers do. (`Puppet::Pops::Lookup::Invocation`, `LookupAdapter`)

use super::Answer;
use super::Lookup;
use super::Request;
use super::Source;
use crate::ConvertError;
use crate::Host;
use crate::LOOKUP_OPTIONS;
use crate::explain::Event;
use crate::explain::Explainer;
use crate::explain::StepKind;
use crate::failure::Failure;
use crate::failure::Kind;
use crate::failure::LookupResult;
use crate::failure::NoValue;
use crate::failure::optional;
use crate::key::InvalidKey;
use crate::key::LookupKey;
use crate::levels::Levels;
use crate::merge::Strategy;
use crate::node_data::NodeData;
use crate::scope_lookup::Replay;
use crate::scope_lookup::ScopeLookup;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_value::ruby;
use catwalk_world::World;
use std::rc::Rc;
use std::sync::Arc;

/// Lookups nested deeper than this fail; Puppet fails with a stack overflow further down.
pub(super) const MAX_NESTED: usize = 100;

/// A lookup in progress.
pub(crate) struct Invocation<'a> {
    pub(crate) lookup: &'a Lookup,
    pub(crate) node: &'a NodeData,
    pub(crate) world: &'a dyn World,
    pub(crate) host: &'a mut dyn Host,
    pub(crate) overrides: Option<&'a Hash>,
    pub(crate) defaults: Option<&'a Hash>,
    /// The module whose data may be used.
    pub(crate) module: Option<Arc<str>>,
    pub(crate) top_key: Arc<str>,
    pub(crate) global_only: bool,
    /// The call is of the `hiera` function family.
    pub(crate) hiera_call: bool,
    /// Paths that a `hiera` function puts before those of a hierarchy of version 3.
    pub(crate) extra_paths: Option<Rc<[Value]>>,
    /// Variables are those of Hiera 3.
    pub(crate) hiera3: bool,
    /// Variables used, while a hierarchy is resolved.
    pub(crate) used_variables: Option<Vec<ScopeLookup>>,
    /// Unknown variables are not errors, because paths of a hierarchy are interpolated.
    pub(crate) forgiving: bool,
    /// The loop variable of `mapped_paths`.
    pub(crate) loop_variable: Option<(String, Value)>,
    /// The values of variables in a compile that has ended.
    pub(crate) replay: Option<&'a Replay>,
}

impl Invocation<'_> {
    /// An invocation for a lookup inside this one.
    pub(crate) fn nested(&mut self) -> Invocation<'_> {
        Invocation {
            lookup: self.lookup,
            node: self.node,
            world: self.world,
            host: &mut *self.host,
            overrides: self.overrides,
            defaults: self.defaults,
            module: None,
            top_key: self.lookup.empty_key.clone(),
            global_only: self.global_only,
            hiera_call: self.hiera_call,
            extra_paths: self.extra_paths.clone(),
            hiera3: self.hiera3,
            used_variables: None,
            forgiving: false,
            loop_variable: None,
            replay: self.replay,
        }
    }

    /// Runs with a step of the explanation open.
    pub(crate) fn in_step<T>(&mut self, kind: impl FnOnce() -> StepKind, run: impl FnOnce(&mut Self) -> T) -> T {
        if !self.node.explaining.get() {
            return run(self);
        }
        self.node.with_explainer(|explainer| explainer.push(kind()));
        let result = run(self);
        self.node.with_explainer(Explainer::pop);
        result
    }

    pub(crate) fn not_found<T>(&mut self, key: &str) -> LookupResult<T> {
        self.node.explain(|| Event::NotFound(key.to_owned()));
        Err(NoValue::NotFound)
    }

    /// Refuses a key that is already being looked up. Puppet's errors become lookup errors here.
    pub(crate) fn guard_recursion<T>(
        &mut self,
        name: &Arc<str>,
        run: impl FnOnce(&mut Self) -> LookupResult<T>,
    ) -> LookupResult<T> {
        let mut stack = self.node.stack.borrow_mut();
        if stack.iter().any(|open_key| **open_key == **name) {
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
            NoValue::Failed(mut failure) if failure.kind == Kind::Puppet => {
                failure.kind = Kind::Lookup;
                NoValue::Failed(failure)
            }
            miss => miss,
        })
    }

    /// Queries several sources and merges their values.
    pub(crate) fn merge_sources<T>(
        &mut self,
        merge: &Strategy,
        sources: &[T],
        mut look_up: impl FnMut(&mut Self, &T) -> LookupResult,
    ) -> LookupResult {
        if merge.uses_first_only() {
            for source in sources {
                match look_up(self, source) {
                    Err(NoValue::NotFound) => {}
                    found => return found,
                }
            }
            return Err(NoValue::NotFound);
        }
        match sources {
            [] => Err(NoValue::NotFound),
            [only] => Ok(merge.apply_to_single(look_up(self, only)?)),
            _ => self.in_step(
                || StepKind::Merge(merge.kind.name(), merge.options.as_ref().clone()),
                |this| {
                    let mut levels = Levels::new(merge);
                    for source in sources {
                        if let Some(value) = optional(look_up(this, source))? {
                            levels.add(value, this.host)?;
                        }
                    }
                    let merged = levels.finish().ok_or(NoValue::NotFound)?;
                    this.node.explain(|| Event::Result(merged.clone()));
                    Ok(merged)
                },
            ),
        }
    }

    /// `Puppet::Pops::Lookup.lookup` without types, block and default.
    pub(super) fn find_first(&mut self, request: &Request<'_>) -> LookupResult<Answer> {
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

    pub(super) fn search_data(&mut self, key: &str, merge: &Value) -> LookupResult<Option<(Source, Value)>> {
        if let Some(value) = self.overrides.and_then(|overrides| overrides.get(key)) {
            return Ok(Some((Source::Override, value.clone())));
        }
        Ok(optional(self.lookup_key(key, merge))?.map(|value| (Source::Data, value)))
    }

    /// One key in overrides, data and default values.
    pub(crate) fn search(&mut self, key: &str, merge: &Value) -> LookupResult<Option<(Source, Value)>> {
        if let Some(found) = self.search_data(key, merge)? {
            return Ok(Some(found));
        }
        Ok(self.defaults.and_then(|defaults| defaults.get(key)).map(|value| (Source::Default, value.clone())))
    }

    /// One key in the data, with its `lookup_options`.
    pub(super) fn lookup_key(&mut self, text: &str, merge: &Value) -> LookupResult {
        let reserved = text.strip_prefix(LOOKUP_OPTIONS).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        if reserved {
            return self.in_step(|| StepKind::InvalidKey(LOOKUP_OPTIONS.to_owned()), |_| Err(NoValue::NotFound));
        }
        let key = LookupKey::new(text).map_err(|problem| match problem {
            InvalidKey::Ruby(problem) => Failure::ruby(problem),
            InvalidKey::Lookup(problem) => Failure::lookup(problem),
        })?;
        self.lookup_parsed(&key, merge)
    }

    pub(super) fn lookup_parsed(&mut self, key: &LookupKey, merge: &Value) -> LookupResult {
        self.node.record_usage(|usage| usage.record_lookup(&key.root));
        self.module.clone_from(&key.module);
        self.top_key.clone_from(&key.name);
        if self.node.explainer.borrow().as_ref().is_some_and(|explainer| explainer.only_options) {
            let _ = optional(self.lookup_in_layers(&LookupKey::lookup_options(), &Value::str("hash")))?;
            return Ok(Value::Undef);
        }
        let options = self.options_for(key)?;
        let option = |name: &str| match &options {
            Some(Value::Hash(options)) => Ok(options.get(name).filter(|value| !value.is_undef()).cloned()),
            // Ruby indexes an array here.
            Some(Value::Array(_)) => Err(Failure::ruby("no implicit conversion of String into Integer")),
            _ => Ok(None),
        };
        let from_options = if merge.is_undef() { option("merge")? } else { None };
        if from_options.is_some() {
            self.in_step(|| StepKind::MergeSource(LOOKUP_OPTIONS.to_owned()), |_| ());
        }
        let merge = from_options.as_ref().unwrap_or(merge);
        let value = self.in_step(
            || StepKind::Search(key.name.to_string()),
            |this| match this.lookup_in_layers(key, merge) {
                Err(NoValue::NotFound) if this.global_only => Err(NoValue::NotFound),
                Err(NoValue::NotFound) => {
                    let value = this.lookup_in_default_hierarchy(key)?;
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

    pub(super) fn dig(&mut self, key: &LookupKey, value: Value) -> LookupResult {
        if key.segments.is_empty() { Ok(value) } else { self.sub_lookup(&key.name, &key.segments, value) }
    }

    pub(super) fn lookup_in_layers(&mut self, key: &LookupKey, merge: &Value) -> LookupResult {
        let merge = Strategy::parse(merge, self.host)?;
        let value = if self.global_only {
            self.lookup_global(key, &merge)?
        } else {
            type LayerLookup<'a> = fn(&mut Invocation<'a>, &LookupKey, &Strategy) -> LookupResult;
            let layers: [LayerLookup<'_>; 3] =
                [Self::lookup_global, Self::lookup_in_environment, Self::lookup_in_module];
            self.merge_sources(&merge, &layers, |this, look_up| look_up(this, key, &merge))?
        };
        self.dig(key, value)
    }

    pub(super) fn convert(&mut self, key: &LookupKey, convert_to: &Value, value: Value) -> LookupResult {
        let arguments = match convert_to {
            Value::Array(items) => items.as_slice(),
            other => std::slice::from_ref(other),
        };
        let key = &key.name;
        let value = self.host.convert(arguments, value).map_err(|error| match error {
            ConvertError::Type(message) => {
                let source = arguments.first().map(|value| ruby::to_s(value).into_owned()).unwrap_or_default();
                // Puppet's message has an unbalanced quote.
                Failure::lookup(format!(
                    "Invalid data type in lookup_options for key '{key}' could not parse '{source}', error: '{message}"
                ))
            }
            ConvertError::Failed(message) => {
                Failure::lookup(format!("The convert_to lookup_option for key '{key}' raised error: {message}"))
            }
        })?;
        if matches!(value, Value::Sensitive(_)) {
            self.node.conceal_explained();
        }
        self.node.explain_with(|| {
            let names: Vec<String> = arguments
                .iter()
                .enumerate()
                .map(|(at, item)| match item {
                    Value::Str(text) if at > 0 => format!("'{text}'"),
                    other => ruby::to_s(other).into_owned(),
                })
                .collect();
            format!("Applying convert_to lookup_option with arguments [{}]", names.join(", "))
        });
        Ok(value)
    }

    /// The global layer. Its failures are reworded.
    pub(crate) fn lookup_global(&mut self, key: &LookupKey, merge: &Strategy) -> LookupResult {
        if self.lookup.sources.global_for_hiera_calls && !self.hiera_call {
            return self.not_found(&key.name);
        }
        // Puppet reads the configuration inside the guarded lookup.
        let found = match self.guard_recursion(&key.name, Self::global_provider) {
            Ok(Some(provider)) => self.key_lookup(&provider, key, merge, false),
            Ok(None) => Err(NoValue::NotFound),
            Err(miss) => Err(miss),
        };
        found.map_err(|miss| match miss {
            NoValue::Failed(failure) if failure.kind == Kind::Lookup && !failure.has_issue() => {
                let message = format!("Lookup of key '{}' failed: {}", self.top_key, failure.full_message());
                Failure::puppet(message).located(failure.reason.locations.into_iter().next()).into()
            }
            miss => miss,
        })
    }

    pub(crate) fn lookup_in_environment(&mut self, key: &LookupKey, merge: &Strategy) -> LookupResult {
        match self.environment_provider()? {
            Some(provider) => self.key_lookup(&provider, key, merge, false),
            None => Err(NoValue::NotFound),
        }
    }

    pub(crate) fn lookup_in_module(&mut self, key: &LookupKey, merge: &Strategy) -> LookupResult {
        let Some(module) = self.module.clone() else { return Err(NoValue::NotFound) };
        if let Some(provider) = self.module_provider(&module)? {
            return self.key_lookup(&provider, key, merge, false);
        }
        let unknown = !self.lookup.sources.modules.contains_key(&*module);
        self.in_step(|| StepKind::NoModule(module.to_string(), unknown), |_| Err(NoValue::NotFound))
    }

    pub(super) fn lookup_in_default_hierarchy(&mut self, key: &LookupKey) -> LookupResult {
        let Some(module) = self.module.clone() else { return Err(NoValue::NotFound) };
        let provider = self.module_provider(&module)?;
        let Some(provider) = provider.filter(|provider| provider.config.default_hierarchy.is_some()) else {
            return Err(NoValue::NotFound);
        };
        let name = || StepKind::Scope(format!("Searching default_hierarchy of module \"{module}\""));
        self.in_step(name, |this| {
            let options = this.default_options_for(&provider, &module, key)?;
            let merge = match &options {
                Some(Value::Hash(options)) => options.get("merge").cloned().unwrap_or(Value::Undef),
                _ => Value::Undef,
            };
            let name = || StepKind::Scope(format!("Searching for \"{}\"", key.name));
            this.in_step(name, |this| {
                let merge = Strategy::parse(&merge, this.host)?;
                this.key_lookup(&provider, key, &merge, true)
            })
        })
    }
}

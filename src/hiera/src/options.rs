//! `lookup_options`: the merge strategies and conversions of keys, by name or by pattern.

use std::rc::Rc;
use std::sync::Arc;

use super::LOOKUP_OPTIONS;
use super::explain::Event;
use super::explain::StepKind;
use super::failure::Failure;
use super::failure::LookupResult;
use super::failure::NoValue;
use super::failure::optional;
use super::key::LookupKey;
use super::key_options::Options;
use super::lookup::Invocation;
use super::merge::Strategy;
use super::merge::StrategyKind;
use super::resolved::Provider;
use catwalk_value::Value;

fn compile(options: Option<&Value>) -> Result<Option<Rc<Options>>, Failure> {
    match options {
        Some(Value::Hash(options)) => Ok(Some(Rc::new(Options::new(options)?))),
        _ => Ok(None),
    }
}

/// Options must be a hash; in a module all keys and patterns must begin with the module's name.
fn validate(options: Value, module: Option<&str>) -> Result<Option<Value>, Failure> {
    let hash = match &options {
        Value::Undef => return Ok(None),
        Value::Hash(hash) => hash,
        _ => return Err(Failure::lookup(format!("value of {LOOKUP_OPTIONS} must be a hash"))),
    };
    let Some(module) = module else { return Ok(Some(options)) };
    let prefix = format!("{module}::");
    for key in hash.keys().filter_map(Value::as_str) {
        match key.strip_prefix('^') {
            Some(pattern) if !pattern.starts_with(&prefix) => {
                return Err(Failure::lookup(format!(
                    "all {LOOKUP_OPTIONS} patterns must match a key starting with module name '{module}'"
                )));
            }
            None if !key.starts_with(&prefix) => {
                return Err(Failure::lookup(format!(
                    "all {LOOKUP_OPTIONS} keys must start with module name '{module}'"
                )));
            }
            _ => {}
        }
    }
    Ok(Some(options))
}

impl Invocation<'_> {
    /// The options of a key. The options of its module are merged once for each compile.
    pub(super) fn options_for(&mut self, key: &LookupKey) -> LookupResult<Option<Value>> {
        let cached = self.node.options.borrow().get(&key.module).cloned();
        let options = match cached {
            Some(options) => options,
            None => {
                let options = self.load_options(key.module.as_deref())?;
                self.node.options.borrow_mut().insert(key.module.clone(), options.clone());
                options
            }
        };
        Ok(options.and_then(|options| options.find(&key.root).cloned()))
    }

    fn load_options(&mut self, module: Option<&str>) -> LookupResult<Option<Rc<Options>>> {
        let mut meta = self.nested();
        (meta.overrides, meta.defaults) = (None, None);
        meta.module = module.map(Arc::from);
        meta.top_key = Arc::from(LOOKUP_OPTIONS);
        meta.in_step(
            || StepKind::Search(LOOKUP_OPTIONS.to_owned()),
            |meta| {
                if meta.global_only {
                    return Ok(compile(meta.global_options()?.as_ref())?);
                }
                let mut options = meta.environment_options()?;
                if let Some(module) = module {
                    if !meta.node.options.borrow().contains_key(&None) {
                        let plain = compile(options.as_ref())?;
                        meta.node.options.borrow_mut().insert(None, plain);
                    }
                    if let Some(module_options) = optional(meta.module_options(module))? {
                        options = match (options, module_options) {
                            (Some(options), Some(module_options)) => {
                                Some(meta.merge_module_options(module, options, module_options)?)
                            }
                            (None, module_options) => module_options,
                            // In a module, `lookup_options:` without a value discards all other options, too.
                            // (LookupAdapter#retrieve_lookup_options)
                            (Some(_), None) => None,
                        };
                    }
                }
                Ok(compile(options.as_ref())?)
            },
        )
    }

    fn merge_module_options(&mut self, module: &str, options: Value, module_options: Value) -> LookupResult {
        let sources = [("Global and Environment".to_owned(), options), (format!("Module {module}"), module_options)];
        self.merge_sources(&Strategy::plain(StrategyKind::Hash), &sources, |this, (name, value)| {
            this.in_step(
                || StepKind::Scope(name.clone()),
                |this| {
                    this.node.explain(|| Event::Found(LOOKUP_OPTIONS.to_owned(), value.clone()));
                    Ok(value.clone())
                },
            )
        })
    }

    fn global_options(&mut self) -> LookupResult<Option<Value>> {
        if let Some(known) = self.node.global_options.borrow().as_ref() {
            return Ok(known.clone());
        }
        // As in Puppet, later lookups behave after a failure as if there were no options.
        *self.node.global_options.borrow_mut() = Some(None);
        let key = LookupKey::lookup_options();
        let found = optional(self.lookup_global(&key, &Strategy::plain(StrategyKind::Hash)))?;
        let options = validate(found.unwrap_or(Value::Undef), None)?;
        *self.node.global_options.borrow_mut() = Some(options.clone());
        Ok(options)
    }

    fn environment_options(&mut self) -> LookupResult<Option<Value>> {
        if let Some(known) = self.node.environment_options.borrow().as_ref() {
            return Ok(known.clone());
        }
        let hash = Strategy::plain(StrategyKind::Hash);
        let global = self.global_options()?;
        let found = optional(self.lookup_in_environment(&LookupKey::lookup_options(), &hash))?;
        let of_environment = validate(found.unwrap_or(Value::Undef), None)?;
        let options = match (global, of_environment) {
            (Some(global), Some(of_environment)) => Some(hash.merge(global, of_environment, self.host)?),
            (global, of_environment) => global.or(of_environment),
        };
        *self.node.environment_options.borrow_mut() = Some(options.clone());
        Ok(options)
    }

    fn module_options(&mut self, module: &str) -> LookupResult<Option<Value>> {
        let found = self.lookup_in_module(&LookupKey::lookup_options(), &Strategy::plain(StrategyKind::Hash))?;
        Ok(validate(found, Some(module))?)
    }

    /// The options in a module's default hierarchy, which hold for that hierarchy only.
    pub(super) fn default_options_for(
        &mut self,
        provider: &Provider,
        module: &str,
        key: &LookupKey,
    ) -> LookupResult<Option<Value>> {
        let cached = self.node.default_options.borrow().get(module).cloned();
        let options = match cached {
            Some(options) => options,
            None => {
                let name = || StepKind::Scope(format!("Searching for \"{LOOKUP_OPTIONS}\""));
                let hash = Strategy::plain(StrategyKind::Hash);
                let found = self.in_step(name, |this| {
                    let mut meta = this.nested();
                    (meta.overrides, meta.defaults) = (None, None);
                    meta.key_lookup(provider, &LookupKey::lookup_options(), &hash, true)
                });
                let options = match found {
                    Err(NoValue::NotFound) => None,
                    found => compile(validate(found?, Some(module))?.as_ref())?,
                };
                self.node.default_options.borrow_mut().insert(module.to_owned(), options.clone());
                options
            }
        };
        Ok(options.and_then(|options| options.find(&key.root).cloned()))
    }
}

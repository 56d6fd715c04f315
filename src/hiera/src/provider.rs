//! Looks up a key in one layer, its entries and their locations.

use std::sync::Arc;

use super::DataAnswer;
use super::DataKind;
use super::LOOKUP_OPTIONS;
use super::backend::DataHash;
use super::backend::DataUse;
use super::backend::Format;
use super::backend::is_rich;
use super::config::FunctionKind;
use super::data_context::DataContext;
use super::explain::Event;
use super::explain::StepKind;
use super::eyaml;
use super::failure::Failure;
use super::failure::LookupResult;
use super::failure::NoValue;
use super::key::LookupKey;
use super::lookup::Invocation;
use super::merge::Strategy;
use super::merge::StrategyKind;
use super::resolved::Context;
use super::resolved::Entry;
use super::resolved::Location;
use super::resolved::Provider;
use catwalk_base::diag::Code;
use catwalk_base::meter;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_value::data::positions;
use catwalk_value::ruby;

impl Invocation<'_> {
    /// A key in a layer, guarded against recursion.
    pub(super) fn key_lookup(
        &mut self,
        provider: &Provider,
        key: &LookupKey,
        merge: &Strategy,
        default: bool,
    ) -> LookupResult {
        self.guard_recursion(&key.name, |this| {
            if provider.config.hiera3.is_some() && !this.hiera3 {
                return this.hiera3_lookup(provider, key, merge);
            }
            this.layer_lookup(provider, key, merge, default)
        })
    }

    /// A lookup in a global layer of version 3: nested lookups see only that layer, unless the environment has data of version 5. The
    /// `hiera` functions have different rules.
    fn hiera3_lookup(&mut self, provider: &Provider, key: &LookupKey, merge: &Strategy) -> LookupResult {
        let five = self.environment_provider()?.is_some_and(|provider| provider.config.version >= 5);
        let (module, hiera_call) = (self.module.clone(), self.hiera_call);
        let mut inner = self.nested();
        inner.hiera3 = true;
        inner.global_only |= !five;
        inner.module = module;
        inner.top_key.clone_from(&key.name);
        let configured = provider.config.hiera3.as_ref().map_or(&Value::Undef, |hiera3| &hiera3.merge);
        let own;
        let merge = if hiera_call && merge.kind == StrategyKind::Hash && !configured.is_undef() {
            own = Strategy::parse(configured, inner.host)?;
            &own
        } else {
            merge
        };
        let value = inner.layer_lookup(provider, key, merge, false)?;
        let hash = matches!(
            merge.kind,
            StrategyKind::Hash | StrategyKind::Deep | StrategyKind::UnconstrainedDeep | StrategyKind::ReverseDeep
        );
        if hiera_call && hash && !matches!(value, Value::Hash(_)) {
            return Err(Failure::puppet(inner.host.describe_mismatch("value", "Hash", &value)).into());
        }
        let resolution = match merge.kind {
            StrategyKind::Hash => "hash",
            _ => "array",
        };
        if hiera_call && !key.segments.is_empty() && matches!(merge.kind, StrategyKind::Hash | StrategyKind::Unique) {
            return Err(Failure::lookup(format!(
                "Resolution type :{resolution} is illegal when accessing values using dotted keys. Offending key was '{}'",
                key.name
            ))
            .into());
        }
        Ok(value)
    }

    fn layer_lookup(&mut self, provider: &Provider, key: &LookupKey, merge: &Strategy, default: bool) -> LookupResult {
        provider.record_key(&key.root);
        let config = || provider.config.path.as_ref().map(|path| path.display().to_string());
        let step = || StepKind::Provider(provider.name(), config(), provider.module().map(str::to_owned));
        let look_up = |this: &mut Self| {
            this.in_step(step, |this| {
                let entries = this.entries(provider, default)?;
                if entries.is_empty() {
                    return this.not_found(&key.name);
                }
                this.merge_sources(merge, &entries, |this, entry| this.entry_lookup(provider, entry, key, merge))
            })
        };
        meter::with_location(self, look_up, |_| config())
    }

    fn entry_lookup(&mut self, provider: &Provider, entry: &Entry, key: &LookupKey, merge: &Strategy) -> LookupResult {
        let legacy = entry.function == FunctionKind::Data(DataKind::LegacyDataHash);
        let name = || match legacy {
            true => StepKind::Provider(format!("Deprecated API function \"{}\"", entry.function_name), None, None),
            false => StepKind::Provider(format!("Hierarchy entry \"{}\"", entry.name), None, None),
        };
        self.in_step(name, |this| match &entry.locations {
            None => {
                let value = this.look_up_location(provider, entry, None, 0, key)?;
                Ok(merge.apply_to_single(value))
            }
            Some(locations) => {
                let extra = this.extra_paths.clone().filter(|_| provider.config.hiera3.is_some());
                let look_up = |this: &mut Self, location: &Location| {
                    let step =
                        || StepKind::Location(location.resolved.clone(), location.original.clone(), location.is_uri);
                    this.in_step(step, |this| {
                        if location.exists {
                            this.look_up_location(provider, entry, Some(location), location.number, key)
                        } else {
                            this.node.explain(|| Event::LocationNotFound);
                            Err(NoValue::NotFound)
                        }
                    })
                };
                let Some(paths) = extra else { return this.merge_sources(merge, locations, look_up) };
                let added = this.extra_locations(entry, &paths)?;
                let all: Vec<&Location> = added.iter().chain(locations).collect();
                this.merge_sources(merge, &all, |this, location| look_up(this, location))
            }
        })
    }

    fn look_up_location(
        &mut self,
        provider: &Provider,
        entry: &Entry,
        location: Option<&Location>,
        number: usize,
        key: &LookupKey,
    ) -> LookupResult {
        let FunctionKind::Data(kind) = entry.function else { return Err(NoValue::NotFound) };
        let call = FunctionCall { provider, entry, location, kind };
        self.call_for_key(&call, number, key).map_err(|miss| self.located(miss, &call, &key.root))
    }

    /// Adds the position of the key to a failure about the data of a file.
    fn located(&self, miss: NoValue, call: &FunctionCall<'_>, key: &str) -> NoValue {
        let NoValue::Failed(mut failure) = miss else { return miss };
        let reads_file =
            ["yaml_data", "json_data", "hocon_data", "eyaml_lookup_key"].contains(&call.entry.function_name.as_str());
        let is_located = failure.inner.is_some() || failure.file.is_some() || !failure.reason.locations.is_empty();
        if !reads_file {
            return NoValue::Failed(failure);
        }
        if let Some(location) = call.location.filter(|location| !location.is_uri && !is_located) {
            let contents = self.world.read(location.path()).unwrap_or_default();
            *failure = failure.located(positions::locate(location.path(), &contents, &[key]));
        }
        NoValue::Failed(failure)
    }

    fn call_for_key(&mut self, call: &FunctionCall<'_>, number: usize, key: &LookupKey) -> LookupResult {
        let context = call.entry.context(number);
        match call.kind {
            DataKind::DataHash | DataKind::LegacyDataHash => {
                let cached = context.data.borrow().clone();
                let data = match cached {
                    Some(data) => data,
                    None => {
                        let data = self.data_hash(call, &context)?;
                        *context.data.borrow_mut() = Some(data.clone());
                        data
                    }
                };
                self.find_value(call, &data, &key.root)
            }
            DataKind::LookupKey => {
                let root = Value::from(key.root.clone());
                let value = self.function_value(call, &context, root.clone(), &key.root, &[root])?;
                self.node.explain(|| Event::Found(key.root.to_string(), value.clone()));
                Ok(value)
            }
            DataKind::DataDig => {
                let value =
                    self.function_value(call, &context, Value::from(key.name.clone()), &key.name, &[key.path()])?;
                self.node.explain(|| Event::Found(key.name.to_string(), value.clone()));
                Ok(key.undig(value))
            }
        }
    }

    /// A root key in a data hash.
    fn find_value(&mut self, call: &FunctionCall<'_>, data: &DataHash, root: &str) -> LookupResult {
        if let Some(location) = call.location {
            self.node.record_key(&location.resolved, root);
        }
        let Some(found) = data.get(root) else { return self.not_found(root) };
        if let Some(location) = call.location {
            self.node.record_usage(|usage| usage.record_read(&location.resolved, root));
        }
        if !found.valid {
            let subject =
                call.with_location(&format!("Value for key '{root}', in hash returned from {}", call.full_name()));
            let class = catwalk_value::infer(&found.value).to_string();
            return Err(wrong_type(&subject, &class).into());
        }
        let value = if found.plain { found.value.clone() } else { self.interpolate(&found.value, true)? };
        self.node.explain(|| Event::Found(root.to_owned(), value.clone()));
        Ok(value)
    }

    /// Calls a `data_hash` function, or reads the file it would read.
    fn data_hash(&mut self, call: &FunctionCall<'_>, context: &Context) -> LookupResult<Arc<DataHash>> {
        let format = match call.entry.function_name.as_str() {
            "yaml_data" => Format::Yaml,
            "json_data" => Format::Json,
            "hocon_data" => Format::Hocon,
            _ => return self.custom_hash(call, context),
        };
        let Some(location) = call.location.filter(|location| !location.is_uri && call.entry.options.is_empty()) else {
            return Err(Failure::ruby(format!(
                "'{}' one of 'path', 'paths' 'glob', 'globs' or 'mapped_paths' must be declared in hiera.yaml when using this data_hash function",
                call.entry.function_name
            ))
            .into());
        };
        let strict = self.lookup.sources().strict;
        let data = self.lookup.files().read(location.path(), format, strict, self.world)?;
        let all_names = call.provider.module().is_some();
        // The names of a module's keys are checked.
        let first = self.node.record_file(&location.resolved, || {
            DataUse::new(location.path(), format, &data, all_names, self.lookup.files())
        });
        if first && let Some(warning) = &data.warning {
            self.host.warn(None, warning.clone());
        }
        self.check_prefixes(call, &data)?;
        Ok(data)
    }

    fn custom_hash(&mut self, call: &FunctionCall<'_>, context: &Context) -> LookupResult<Arc<DataHash>> {
        let value = self.call(call, context, &[])?;
        let Value::Hash(hash) = &value else {
            let subject = call.with_location(&format!("Value returned from {}", call.full_name()));
            return Err(Failure::puppet(self.host.describe_mismatch(&subject, "Hash", &value)).into());
        };
        let data = Arc::new(DataHash::new(hash));
        self.check_prefixes(call, &data)?;
        Ok(data)
    }

    /// Keys of a module's data must start with the module's name. Others only cause a warning; they are never used.
    fn check_prefixes(&mut self, call: &FunctionCall<'_>, data: &DataHash) -> LookupResult<()> {
        let Some(module) = call.provider.module() else { return Ok(()) };
        let prefix = format!("{module}::");
        for key in &data.keys {
            match key {
                Value::Str(key) if key.as_ref() == LOOKUP_OPTIONS || key.starts_with(&prefix) => {}
                Value::Str(key) => {
                    let subject = call.with_location(&format!("Value returned from {}", call.full_name()));
                    let mut message =
                        format!("Module '{module}': {subject} must use keys qualified with the name of the module");
                    if self.lookup.sources().version.module_data_dropped {
                        message.push_str(&format!("; got {key}"));
                    }
                    self.host.warn(None, message);
                }
                other => {
                    let printed = ruby::plain_inspect(other);
                    let class = ruby::plain_class_name(other);
                    let printed = if other.is_undef() { printed } else { format!("{printed}:{class}") };
                    return Err(Failure::ruby(format!("undefined method `start_with?' for {printed}")).into());
                }
            }
        }
        Ok(())
    }

    /// The value of a `lookup_key` or `data_dig` function, called once for each key.
    fn function_value(
        &mut self,
        call: &FunctionCall<'_>,
        context: &Context,
        cached: Value,
        key: &str,
        args: &[Value],
    ) -> LookupResult {
        let cached_value = context.values.borrow().get_value(&cached).cloned();
        if let Some(value) = cached_value {
            return Ok(value);
        }
        let called = match call.entry.function_name.as_str() {
            "eyaml_lookup_key" => self.eyaml(call, key),
            _ => self.call(call, context, args),
        };
        let value = match called {
            Err(NoValue::NotFound) => return self.not_found(key),
            called => called?,
        };
        if !is_rich(&value) {
            let subject = call.with_location(&format!("Value for key '{key}', returned from {}", call.full_name()));
            let class = catwalk_value::infer(&value).to_string();
            return Err(wrong_type(&subject, &class).into());
        }
        context.values.borrow_mut().insert(cached, value.clone());
        Ok(value)
    }

    /// `eyaml_lookup_key`: a value of a YAML file, decrypted.
    fn eyaml(&mut self, call: &FunctionCall<'_>, key: &str) -> LookupResult {
        let Some(location) = call.location.filter(|location| !location.is_uri) else {
            return Err(Failure::ruby(
                "'eyaml_lookup_key': one of 'path', 'paths' 'glob', 'globs' or 'mapped_paths' must be declared in hiera.yaml when using this lookup_key function",
            )
            .into());
        };
        let strict = self.lookup.sources().strict;
        let data = self.lookup.files().read(location.path(), Format::Yaml, strict, self.world)?;
        let first = self.node.record_file(&location.resolved, || {
            DataUse::new(location.path(), Format::Yaml, &data, false, self.lookup.files())
        });
        self.node.record_key(&location.resolved, key);
        if first && let Some(warning) = &data.warning {
            self.host.warn(None, warning.clone());
        }
        match data.get(key) {
            Some(entry) => {
                self.node.record_usage(|usage| usage.record_read(&location.resolved, key));
                self.decrypted(call, location, key, &entry.value)
            }
            None => Err(NoValue::NotFound),
        }
    }

    fn decrypted(&mut self, call: &FunctionCall<'_>, location: &Location, key: &str, value: &Value) -> LookupResult {
        Ok(match value {
            Value::Str(text) if eyaml::is_encrypted(text) => {
                let folder = call.config_path().and_then(std::path::Path::parent);
                let mode = self.lookup.sources().eyaml;
                let options = (call.entry.options.as_ref(), folder);
                match eyaml::decrypt(text, mode, options, self.lookup.decrypted(), self.world) {
                    Ok(plain) => self.interpolate(&Value::from(plain), true)?,
                    Err(error) => {
                        return Err(Failure::lookup(format!(
                            "hiera-eyaml backend error decrypting {text} when looking up {key} in {}. Error was {error}",
                            location.resolved
                        ))
                        .into());
                    }
                }
            }
            Value::Str(_) => self.interpolate(value, true)?,
            Value::Array(items) => {
                let items: Result<Vec<Value>, _> =
                    items.iter().map(|item| self.decrypted(call, location, key, item)).collect();
                Value::array(items?)
            }
            Value::Hash(entries) => {
                let mut plain = Hash::default();
                for (name, value) in entries.iter() {
                    let name = self.interpolate(name, true)?;
                    let value = self.decrypted(call, location, key, value)?;
                    plain.insert(name, value);
                }
                Value::hash(plain)
            }
            other => other.clone(),
        })
    }

    fn call(&mut self, call: &FunctionCall<'_>, context: &Context, args: &[Value]) -> LookupResult {
        let mut args = args.to_vec();
        if call.kind != DataKind::LegacyDataHash {
            args.push(call.options());
        }
        let name = &call.entry.function_name;
        let module = call.provider.module();
        let data_context =
            DataContext { lookup: self.lookup, node: self.node, world: self.world, module, cache: &context.cache };
        match self.host.data_function(call.kind, name, &args, &data_context).map_err(Failure::host)? {
            DataAnswer::Value(value) => Ok(value),
            DataAnswer::NotFound => Err(NoValue::NotFound),
            DataAnswer::Raised(reason) => {
                let mut failure = Failure::ruby(reason.message.to_string());
                failure.reason = reason;
                Err(failure.into())
            }
            DataAnswer::NoModule => {
                let module = name.split_once("::").map_or(name.as_str(), |(module, _)| module);
                let mut failure = Failure::ruby("undefined method `load_typed' for nil:NilClass");
                let help = format!("hiera.yaml names the function {name}, and the modulepath has no module {module}");
                failure.reason = failure.reason.help(help);
                Err(failure.into())
            }
            DataAnswer::NoFunction => {
                let message = format!("Unable to find '{}' function named '{name}'", call.kind.as_str());
                let config = &call.provider.config;
                Err(config
                    .fail(Code::HIERA_DATA_PROVIDER_FUNCTION_NOT_FOUND, message, None)
                    .located(config.locate(name))
                    .into())
            }
        }
    }
}

fn wrong_type(subject: &str, class: &str) -> Failure {
    Failure::puppet(format!("{subject} has wrong type, expects Puppet::LookupValue, got {class}"))
}

/// The provider, entry and location of a call, for calls and messages.
struct FunctionCall<'a> {
    provider: &'a Provider,
    entry: &'a Entry,
    location: Option<&'a Location>,
    kind: DataKind,
}

impl FunctionCall<'_> {
    fn full_name(&self) -> String {
        match self.kind {
            DataKind::LegacyDataHash => format!("deprecated API function '{}'", self.entry.function_name),
            kind => {
                let hiera3 = if self.provider.config.hiera3.is_some() { "v3_" } else { "" };
                format!("{hiera3}{} function '{}'", kind.as_str(), self.entry.function_name)
            }
        }
    }

    fn with_location(&self, text: &str) -> String {
        match self.location {
            Some(location) => format!("{text}, when using location '{}',", location.resolved),
            None => text.to_owned(),
        }
    }

    fn config_path(&self) -> Option<&std::path::Path> {
        self.provider.config.path.as_deref()
    }

    /// The entry's options with the location.
    fn options(&self) -> Value {
        let Some(location) = self.location else { return Value::Hash(self.entry.options.clone()) };
        let mut options: Hash = self.entry.options.as_ref().clone();
        options.set(if location.is_uri { "uri" } else { "path" }, Value::str(&location.resolved));
        Value::hash(options)
    }
}

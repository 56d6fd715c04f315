//! Finding the layers: the global one, the environment's, those of modules.
//!
//! In: where the site has its files. Out: a [`Provider`] for each layer, cached for the compile. Must not: look up keys.

use catwalk_base::diag::Code;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use super::Strict;
use super::config::Config;
use super::config::Layer;
use super::failure::Failure;
use super::failure::LookupResult;
use super::lookup::Invocation;
use super::resolved::Provider;
use catwalk_value::Value;
use catwalk_value::data::json;

/// The hint for sites without a `hiera.yaml`.
const USE_HIERA_YAML: &str = " A 'hiera.yaml' file should be used instead";

impl Invocation<'_> {
    pub(super) fn global_provider(&mut self) -> LookupResult<Option<Rc<Provider>>> {
        if let Some(known) = self.node.global.borrow().as_ref() {
            return Ok(known.clone());
        }
        let provider = match &self.lookup.sources().global {
            Some(path) => {
                let config =
                    self.lookup.configs().read(path, &Layer::Global, self.lookup.sources(), self.world, self.host)?;
                Provider::new(Layer::Global, config)
            }
            None => Provider::new(Layer::Global, Arc::new(Config::empty())),
        };
        let provider = Some(provider);
        *self.node.global.borrow_mut() = Some(provider.clone());
        Ok(provider)
    }

    pub(super) fn environment_provider(&mut self) -> LookupResult<Option<Rc<Provider>>> {
        if let Some(known) = self.node.environment.borrow().as_ref() {
            return Ok(known.clone());
        }
        let sources = self.lookup.sources();
        let provider = match &sources.environment {
            Some(root) => {
                let mut provider = self.configured_provider(Layer::Environment, root, false)?;
                let five = provider.as_ref().is_some_and(|provider| provider.config.version >= 5);
                let file = root.join("environment.conf");
                let name = sources.environment_data_provider.as_deref();
                if let Some(name) = name.filter(|_| five) {
                    let message =
                        format!("Defining environment_data_provider='{name}' in environment.conf is deprecated");
                    self.warn_deprecated("environment.conf#data_provider", &message, &file);
                    if name != "hiera" {
                        let config = root.join("hiera.yaml");
                        let message = format!(
                            "The environment_data_provider='{name}' setting is ignored since '{}' version >= 5",
                            config.display()
                        );
                        self.warn_deprecated("environment.conf#data_provider_overridden", &message, &file);
                    }
                }
                if let Some(name) = name.filter(|_| !five) {
                    let hint = if provider.is_none() { USE_HIERA_YAML } else { "" };
                    let message =
                        format!("Defining environment_data_provider='{name}' in environment.conf is deprecated.{hint}");
                    self.warn_deprecated("environment.conf#data_provider", &message, &file);
                    provider = match name {
                        "none" => None,
                        "hiera" => match provider {
                            None => self.configured_provider(Layer::Environment, root, true)?,
                            some => some,
                        },
                        "function" => Some(self.legacy_provider(Layer::Environment, "environment::data")),
                        other => {
                            let environment = &sources.environment_name;
                            let message =
                                format!("Environment '{environment}', cannot find environment_data_provider '{other}'");
                            return Err(Failure::puppet(message).into());
                        }
                    };
                }
                provider
            }
            None => None,
        };
        *self.node.environment.borrow_mut() = Some(provider.clone());
        Ok(provider)
    }

    pub(super) fn module_provider(&mut self, module: &Arc<str>) -> LookupResult<Option<Rc<Provider>>> {
        if let Some(known) = self.node.modules.borrow().get(module) {
            return Ok(known.clone());
        }
        let layer = Layer::Module(module.to_string());
        let provider = match self.lookup.sources().modules.get(&**module) {
            Some(root) => {
                let mut provider = self.configured_provider(layer.clone(), root, false)?;
                let five = provider.as_ref().is_some_and(|provider| provider.config.version >= 5);
                let (name, file) = (self.metadata_provider(root), root.join("metadata.json"));
                if let Some(name) = &name {
                    let hint = match &provider {
                        _ if five => " It is ignored since a 'hiera.yaml' with version >= 5 is present",
                        None => USE_HIERA_YAML,
                        Some(_) => "",
                    };
                    let message =
                        format!("Defining \"data_provider\": \"{name}\" in metadata.json is deprecated.{hint}");
                    self.warn_deprecated(&format!("metadata.json#data_provider-{module}"), &message, &file);
                }
                if let Some(name) = name.filter(|_| !five) {
                    provider = match name.as_str() {
                        "none" => None,
                        "hiera" => match provider {
                            None => self.configured_provider(layer, root, true)?,
                            some => some,
                        },
                        "function" => Some(self.legacy_provider(layer, &format!("{module}::data"))),
                        // Puppet does not replace the placeholders in this message.
                        _ => {
                            let message = "Environment '%{env}', cannot find module_data_provider '%{provider}'";
                            return Err(Failure::puppet(message).into());
                        }
                    };
                }
                provider
            }
            None => None,
        };
        self.node.modules.borrow_mut().insert(module.clone(), provider.clone());
        Ok(provider)
    }

    fn legacy_provider(&mut self, layer: Layer, function: &str) -> Rc<Provider> {
        if self.lookup.sources().strict != Strict::Off {
            self.host.warn(
                Some("legacy_provider_function"),
                format!(
                    "Using of legacy data provider function '{function}'. Please convert to a 'data_hash' function\n   (file & line not available)"
                ),
            );
        }
        Provider::new(layer, Arc::new(Config::legacy_function(function)))
    }

    fn warn_deprecated(&mut self, key: &str, message: &str, file: &Path) {
        if self.lookup.sources().strict != Strict::Off {
            self.host.warn(Some(key), format!("{message}\n   (file: {})", file.display()));
        }
    }

    /// The deprecated `data_provider` of a module's metadata.json.
    fn metadata_provider(&self, root: &Path) -> Option<String> {
        let path = root.join("metadata.json");
        let bytes = self.world.read(&path).ok()?;
        memchr::memmem::find(&bytes, b"\"data_provider\"")?;
        let cache = self.lookup.metadata.read().get(&path).cloned();
        if let Some((_, provider)) = cache.filter(|(from, _)| Arc::ptr_eq(from, &bytes)) {
            return provider;
        }
        let provider = match json::parse(&bytes).ok()? {
            Value::Hash(metadata) => metadata.get("data_provider").and_then(Value::as_str).map(str::to_owned),
            _ => None,
        };
        let mut cache = self.lookup.metadata.write();
        cache.insert(path, (bytes, provider.clone()));
        provider
    }

    /// The layer of a directory with a hiera.yaml; `always`: also without one.
    fn configured_provider(&mut self, layer: Layer, root: &Path, always: bool) -> LookupResult<Option<Rc<Provider>>> {
        let path = root.join("hiera.yaml");
        if !always && self.world.kind(&path) == catwalk_world::Kind::Missing {
            return Ok(None);
        }
        let config = self.lookup.configs().read(&path, &layer, self.lookup.sources(), self.world, self.host)?;
        if config.version > 3 {
            return Ok(Some(Provider::new(layer, config)));
        }
        let (layer_name, at) =
            if layer == Layer::Environment { ("an environment", "the environment") } else { ("a module", "module") };
        if self.lookup.sources().strict == Strict::Error {
            let message = format!("hiera.yaml version 3 cannot be used in {layer_name}");
            return Err(config.fail(Code::HIERA_VERSION_3_NOT_GLOBAL, message, None).into());
        }
        let message = format!("hiera.yaml version 3 found at {at} root was ignored\n   (file: {})", path.display());
        self.host.warn(Some(&path.display().to_string()), message);
        Ok(None)
    }
}

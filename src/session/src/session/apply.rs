//! What applying needs besides the catalog: definitions of types, providers, functions for deferred values.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use crate::compile::uuid;
use crate::session::Session;
use crate::session::open::CompileInput;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::version::Strict;
use catwalk_base::version::Version;
use catwalk_resource_api::Definition;
use catwalk_resource_api::Failure;
use catwalk_resource_api::Log;
use catwalk_resource_api::TransportDefinition;
use catwalk_scripting::Connection;
use catwalk_scripting::RhaiProviders;
use catwalk_scripting::RhaiTypes;
use catwalk_system::System;
use catwalk_value::Hash;
use catwalk_world::World;

impl Session {
    /// The environment's name for the report of a run that has no catalog.
    #[must_use]
    pub fn reported_environment(&self) -> Arc<str> {
        Arc::from(self.environment_name())
    }

    /// A UUID for a run.
    #[must_use]
    pub fn new_uuid(&self) -> Arc<str> {
        uuid(self.world.random())
    }
}

impl CompileInput<'_> {
    /// The definition of a resource type that uses the Resource API; `None` if the type does not exist or is of another kind.
    ///
    /// # Errors
    /// The file that defines it is wrong.
    pub fn definition(&self, type_name: &str) -> Result<Option<Arc<Definition>>, String> {
        let resource_type = self.registry.lookup(&self.functions.environment, self.world, type_name);
        match resource_type {
            Ok(resource_type) => Ok(resource_type.and_then(|resource_type| resource_type.definition.clone())),
            Err(unusable) => Err(unusable.reason.message.to_string()),
        }
    }

    /// Warnings of reading a type: missing descriptions, unknown features.
    #[must_use]
    pub fn type_warnings(&self, type_name: &str) -> Vec<String> {
        let resource_type = self.registry.lookup(&self.functions.environment, self.world, type_name).ok().flatten();
        let warnings = resource_type.iter().flat_map(|resource_type| &resource_type.warnings);
        warnings.map(|warning| warning.message.to_string()).collect()
    }

    /// Whether a resource type of this name exists.
    #[must_use]
    pub fn has_type(&self, type_name: &str) -> bool {
        matches!(self.registry.lookup(&self.functions.environment, self.world, type_name), Ok(Some(_)))
    }

    /// The providers of the environment's scripts.
    ///
    /// # Errors
    /// The code of the site is not trusted.
    pub fn providers(&self) -> Result<RhaiProviders, Reason> {
        let functions = self.functions;
        RhaiProviders::new(functions.scripts.clone(), functions.environment.clone(), functions.world.clone())
    }

    /// The definition of a transport and warnings about it.
    ///
    /// # Errors
    /// No module has it, or its definition is wrong.
    pub fn transport(&self, name: &str) -> Result<(TransportDefinition, Vec<String>), String> {
        let functions = self.functions;
        let (environment, world) = (&functions.environment, functions.world.as_ref());
        let Some(path) = catwalk_scripting::transport_file(name, environment, world) else {
            return Err(format!("transport '{name}' not found in modules/*/scripts/transports/{name}.rhai"));
        };
        let message = |diagnostic: &Diagnostic| diagnostic.message_with_source().to_string();
        match (RhaiTypes { scripts: functions.scripts.clone() }).transport(&path, name, environment, world) {
            Ok((transport, warnings)) => Ok((transport, warnings.iter().map(message).collect())),
            Err(errors) => {
                let errors: Vec<String> = errors.iter().map(message).collect();
                Err(format!("{} (file: {})", errors.join("\n"), path.display()))
            }
        }
    }

    /// Connects to a device.
    ///
    /// # Errors
    /// The code of the site is not trusted, the connection does not match the transport, or its script fails.
    pub fn connect(
        &self,
        transport: &TransportDefinition,
        attributes: &Hash,
        log: &mut dyn Log,
        system: &mut dyn System,
    ) -> Result<Connection, Failure> {
        self.providers().map_err(|reason| Failure::new(reason.message.to_string()))?;
        let functions = self.functions;
        let site = (functions.scripts.clone(), functions.environment.clone(), functions.world.clone());
        Connection::open(transport, attributes, site, log, system)
    }

    /// The directories of all modules, by name.
    #[must_use]
    pub fn module_folders(&self) -> BTreeMap<String, PathBuf> {
        let modules = self.functions.environment.modules.iter();
        modules.map(|(name, module)| (name.to_string(), module.root.clone())).collect()
    }

    /// The environment's name.
    #[must_use]
    pub fn environment_name(&self) -> String {
        self.functions.environment.name.to_string()
    }

    /// The version of the language.
    #[must_use]
    pub fn version(&self) -> Version {
        self.settings.version
    }

    /// The setting `preprocess_deferred`.
    #[must_use]
    pub fn preprocess_deferred(&self) -> bool {
        self.settings.preprocess_deferred()
    }

    /// The setting `strict`.
    #[must_use]
    pub fn strict(&self) -> Strict {
        self.settings.strict
    }
}

//! What the compiles of an environment share besides parsed files: Hiera's layers and the resource types of modules.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::PoisonError;

use crate::diag::Code;
use crate::diag::Diagnostic;
use crate::diag::Reason;
use crate::environment::Environment;
use crate::hiera;
use crate::resource_types::Registry;
use crate::session::Options;
use crate::session::site::Site;

/// Environments of which the layers are kept; after an edit to a modulepath the old ones are of no use.
const KEPT: usize = 16;

/// Layers of the environments that were compiled.
#[derive(Debug, Default)]
pub(super) struct Layers {
    lookups: Mutex<Vec<Arc<hiera::Lookup>>>,
    registries: Mutex<Vec<(Vec<PathBuf>, Arc<Registry>)>>,
}

impl Layers {
    /// Hiera for an environment, shared by all nodes while its layers stay where they are.
    ///
    /// # Errors
    /// `catwalk.toml` names a Hiera configuration that cannot be one.
    pub(super) fn lookup(
        &self,
        environment: &Environment,
        options: &Options,
        site: &Site,
    ) -> Result<Arc<hiera::Lookup>, Box<Diagnostic>> {
        let sources = sources(environment, options, site)?;
        let mut known = self.lookups.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(lookup) = known.iter().find(|lookup| *lookup.sources() == sources) {
            return Ok(lookup.clone());
        }
        if known.len() >= KEPT {
            known.clear();
        }
        let lookup = Arc::new(hiera::Lookup::new(sources));
        known.push(lookup.clone());
        Ok(lookup)
    }

    /// The resource types of a modulepath.
    pub(super) fn registry(&self, environment: &Environment) -> Arc<Registry> {
        let mut known = self.registries.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, registry)) = known.iter().find(|(path, _)| *path == environment.modulepath) {
            return registry.clone();
        }
        if known.len() >= KEPT {
            known.clear();
        }
        let registry = Arc::new(Registry::new(environment.modulepath.clone()));
        known.push((environment.modulepath.clone(), registry.clone()));
        registry
    }
}

fn sources(environment: &Environment, options: &Options, site: &Site) -> Result<hiera::Sources, Box<Diagnostic>> {
    let configured = site.hiera.as_ref().filter(|_| options.root == environment.root);
    if let Some(path) = configured
        && path.file_name().is_none_or(|name| name != "hiera.yaml")
    {
        let text = format!("`hiera` must name a file hiera.yaml, got {}", path.display());
        return Err(Box::new(Diagnostic::new(Reason::new(Code("BAD_SITE"), text), None)));
    }
    Ok(hiera::Sources {
        global: options.hiera.clone(),
        environment: match configured {
            Some(path) => path.parent().map(std::path::Path::to_path_buf),
            None => environment.root.clone(),
        },
        environment_name: environment.name.clone(),
        environment_data_provider: environment.data_provider.clone(),
        codedir: options.settings.values.get("codedir").map_or("/etc/puppet/code", String::as_str).into(),
        modules: environment.modules.iter().map(|(name, module)| (name.to_string(), module.root.clone())).collect(),
        strict: options.settings.strict,
        version: options.settings.version,
    })
}

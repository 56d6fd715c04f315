//! Embedded resource types: scripts for types that neither the site nor a module defines or manages.

use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use catwalk_base::names::Name;
use catwalk_base::secrets::SecretCollection;
use catwalk_base::source::SourceMap;
use catwalk_program::Environment;
use catwalk_program::ScriptTypes;
use catwalk_resource_api::Definition;
use catwalk_resource_api::Providers;
use catwalk_resources::embedded;
use catwalk_scripting::RhaiProviders;
use catwalk_scripting::RhaiTypes;
use catwalk_scripting::Scripts;
use catwalk_world::Memory;

/// The directory of these scripts in messages.
const ROOT: &str = "/catwalk/linux";

/// The embedded definitions and providers.
pub(crate) struct EmbeddedTypes {
    scripts: Arc<Scripts>,
    environment: Arc<Environment>,
    world: Arc<Memory>,
}

impl EmbeddedTypes {
    /// The types of a run, whose secrets are reported to `secrets`.
    pub(crate) fn new(secrets: &Arc<SecretCollection>) -> EmbeddedTypes {
        let files = embedded::SCRIPTS.iter().map(|(path, text)| (Path::new(ROOT).join(path), *text));
        EmbeddedTypes {
            scripts: Arc::new(Scripts::new(SourceMap::new())),
            environment: Arc::new(Environment { root: Some(ROOT.into()), ..Environment::default() }),
            world: Arc::new(Memory::new(files).with_secrets(secrets.clone())),
        }
    }

    /// The definition of a type.
    pub(crate) fn definition(&self, name: Name) -> Option<Arc<Definition>> {
        if !embedded::has_type(&name) {
            return None;
        }
        let path = Path::new(ROOT).join(format!("scripts/types/{name}.rhai"));
        let types = RhaiTypes { scripts: self.scripts.clone() };
        types.read(&path, name, &self.environment, self.world.as_ref()).definition.ok().map(Arc::new)
    }

    /// The providers of these types. One call of a provider may take as long as `limit`.
    pub(crate) fn providers(&self, limit: Option<Duration>) -> Option<Rc<RefCell<dyn Providers>>> {
        let providers = RhaiProviders::new(self.scripts.clone(), self.environment.clone(), self.world.clone());
        providers
            .ok()
            .map(|providers| Rc::new(RefCell::new(providers.with_time_limit(limit))) as Rc<RefCell<dyn Providers>>)
    }
}

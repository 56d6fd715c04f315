//! A script that the server calls outside of compiles: one function with one argument.
//!
//! In: a script, the name of its function, a value. Out: the value that the function returns. The script cannot look up data, read files or
//! run commands.

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use crate::bridge;
use crate::cache::Script;
use crate::cache::Scripts;
use crate::entry;
use crate::error;
use crate::host::ImportContext;
use crate::limits;
use catwalk_base::source::SourceMap;
use catwalk_program::Environment;
use catwalk_value::Value;
use catwalk_world::World;

/// A script with the function that is called.
pub(crate) struct ServerScript {
    path: PathBuf,
    function: &'static str,
    scripts: Scripts,
    environment: Arc<Environment>,
}

impl ServerScript {
    /// Reads a script. `call` is how messages write the function: `autosign(request)`.
    ///
    /// # Errors
    /// It cannot be read or parsed, or lacks the function: a message with the position.
    pub(crate) fn open(path: PathBuf, call: &'static str, world: &dyn World) -> Result<ServerScript, String> {
        let scripts = Scripts::new(SourceMap::new());
        let script = ServerScript { path, function: call, scripts, environment: Arc::default() };
        script.load(world)?;
        Ok(script)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Calls the function. The script is read again if it has changed.
    ///
    /// # Errors
    /// The script fails: a message with the position.
    pub(crate) fn call(&self, argument: &Value, world: &dyn World) -> Result<Value, String> {
        let script = self.load(world)?;
        let args = vec![bridge::to_dynamic(argument)];
        let (scripts, environment) = (&self.scripts, &self.environment);
        let loading = ImportContext { scripts, environment, world, data: None };
        let result = entry::call(&script, self.name(), args, limits::CLASSIFY_LIMIT, &loading, None);
        let result = result.ok_or_else(|| self.message(entry::TOO_DEEP))?;
        let result = result.map_err(|why| {
            error::diagnostic(&why, script.file, &self.scripts.sources).puppet_text(&self.scripts.sources)
        })?;
        bridge::from_dynamic(result).map_err(|why| self.message(&why))
    }

    fn name(&self) -> &'static str {
        self.function.split_once('(').map_or(self.function, |(name, _)| name)
    }

    fn load(&self, world: &dyn World) -> Result<Arc<Script>, String> {
        let script = self.scripts.load(&self.path, &self.environment, world);
        let script = script.map_err(|failure| failure.puppet_text(&self.scripts.sources))?;
        let is_entry = script.ast.iter_functions().any(|f| f.name == self.name() && f.params.len() == 1);
        if is_entry { Ok(script) } else { Err(self.message(&format!("it has no function {}", self.function))) }
    }

    /// A message about the script.
    pub(crate) fn message(&self, text: &str) -> String {
        format!("{}: {text}", self.path.display())
    }
}

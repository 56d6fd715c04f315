//! A policy in Rhai that decides which requests for certificates are signed: `fn autosign(request)`.
//!
//! In: a script, a request as a hash. Out: whether to sign it, and why not. The script runs without a compile: it cannot look up data, read
//! files or run commands.

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

/// The function of the script.
const FUNCTION: &str = "autosign";

/// A script that decides about requests for certificates.
pub struct RhaiAutosign {
    path: PathBuf,
    scripts: Scripts,
    environment: Arc<Environment>,
}

impl RhaiAutosign {
    /// Reads a script.
    ///
    /// # Errors
    /// It cannot be read or parsed, or lacks the function: a message with the position.
    pub fn open(path: PathBuf, world: &dyn World) -> Result<RhaiAutosign, String> {
        let scripts = Scripts::new(SourceMap::new());
        let policy = RhaiAutosign { path, scripts, environment: Arc::default() };
        policy.load(world)?;
        Ok(policy)
    }

    /// Decides about a request. `Ok(None)`: it is signed; `Ok(Some(reason))`: it is not.
    ///
    /// # Errors
    /// The script fails, or returns a value of a different type: a message with the position.
    pub fn decide(&self, request: &Value, world: &dyn World) -> Result<Option<String>, String> {
        let script = self.load(world)?;
        let args = vec![bridge::to_dynamic(request)];
        let (scripts, environment) = (&self.scripts, &self.environment);
        let loading = ImportContext { scripts, environment, world, data: None };
        let result = entry::call(&script, FUNCTION, args, limits::CLASSIFY_LIMIT, &loading, None);
        let result = result.ok_or_else(|| self.message(entry::TOO_DEEP))?;
        let result = result.map_err(|why| {
            error::diagnostic(&why, script.file, &self.scripts.sources).puppet_text(&self.scripts.sources)
        })?;
        match bridge::from_dynamic(result).map_err(|why| self.message(&why))? {
            Value::Bool(true) => Ok(None),
            Value::Bool(false) => Ok(Some(format!("{} does not sign it", self.path.display()))),
            value => match value.as_str() {
                Some(reason) => Ok(Some(reason.to_owned())),
                None => Err(self.message("autosign(request) returns neither a boolean nor the reason as a string")),
            },
        }
    }

    fn load(&self, world: &dyn World) -> Result<Arc<Script>, String> {
        let script = self.scripts.load(&self.path, &self.environment, world);
        let script = script.map_err(|failure| failure.puppet_text(&self.scripts.sources))?;
        let is_entry = script.ast.iter_functions().any(|f| f.name == FUNCTION && f.params.len() == 1);
        if is_entry { Ok(script) } else { Err(self.message("it has no function autosign(request)")) }
    }

    fn message(&self, text: &str) -> String {
        format!("{}: {text}", self.path.display())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use catwalk_value::Hash;
    use catwalk_world::Memory;

    fn decide(script: &str) -> Result<Option<String>, String> {
        let world = Memory::new([("/policy.rhai", script)]);
        let policy = RhaiAutosign::open(PathBuf::from("/policy.rhai"), &world)?;
        let extensions: Hash = [(Value::str("pp_role"), Value::str("web"))].into_iter().collect();
        let request: Hash = [
            (Value::str("certname"), Value::str("web1.example.com")),
            (Value::str("extensions"), Value::hash(extensions)),
        ]
        .into_iter()
        .collect();
        policy.decide(&Value::hash(request), &world)
    }

    #[test]
    fn a_script_decides_by_the_content_of_a_request() {
        let by_role = r#"
            fn autosign(request) {
                if !request.certname.ends_with(".example.com") { return "not of this site"; }
                request.extensions.pp_role == "ROLE"
            }"#;
        assert_eq!(decide(&by_role.replace("ROLE", "web")), Ok(None));
        assert_eq!(decide(&by_role.replace("ROLE", "db")), Ok(Some("/policy.rhai does not sign it".to_owned())));
        assert_eq!(decide(r#"fn autosign(r) { "no: " + r.certname }"#), Ok(Some("no: web1.example.com".to_owned())));
        for (wrong, message) in [
            ("fn autosign(r) { 1 }", "neither a boolean"),
            ("fn other(r) { true }", "no function autosign(request)"),
            ("fn autosign(r) { throw \"broken\" }", "broken"),
            ("fn autosign(r) {", "/policy.rhai"),
            ("fn autosign(r) { loop {} }", "/policy.rhai"),
        ] {
            let failure = decide(wrong).unwrap_err();
            assert!(failure.contains(message), "{wrong}: {failure}");
        }
    }
}

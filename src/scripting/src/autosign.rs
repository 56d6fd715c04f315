//! A policy in Rhai that decides which requests for certificates are signed: `fn autosign(request)`.
//!
//! In: a script, a request as a hash. Out: whether to sign it, and why not. The script runs without a compile: it cannot look up data, read
//! files or run commands.

use std::path::PathBuf;

use crate::server_script::ServerScript;
use catwalk_value::Value;
use catwalk_world::World;

/// A script that decides about requests for certificates.
pub struct RhaiAutosign(ServerScript);

impl RhaiAutosign {
    /// Reads a script.
    ///
    /// # Errors
    /// It cannot be read or parsed, or lacks the function: a message with the position.
    pub fn open(path: PathBuf, world: &dyn World) -> Result<RhaiAutosign, String> {
        ServerScript::open(path, "autosign(request)", world).map(RhaiAutosign)
    }

    /// Decides about a request. `Ok(None)`: it is signed; `Ok(Some(reason))`: it is not.
    ///
    /// # Errors
    /// The script fails, or returns a value of a different type: a message with the position.
    pub fn decide(&self, request: &Value, world: &dyn World) -> Result<Option<String>, String> {
        match self.0.call(request, world)? {
            Value::Bool(true) => Ok(None),
            Value::Bool(false) => Ok(Some(format!("{} does not sign it", self.0.path().display()))),
            value => match value.as_str() {
                Some(reason) => Ok(Some(reason.to_owned())),
                None => Err(self.0.message("autosign(request) returns neither a boolean nor the reason as a string")),
            },
        }
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

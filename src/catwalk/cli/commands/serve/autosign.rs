//! `--autosign FILE.rhai`: a script decides which requests for certificates are signed.
//!
//! In: a path, parsed requests. Out: decisions for the authority. The script is read again for each request.

use std::path::PathBuf;

use catwalk_authority::AutosignPolicy;
use catwalk_authority::Decision;
use catwalk_authority::RequestSummary;
use catwalk_base::diag::Reason;
use catwalk_scripting::RhaiAutosign;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_world::Disk;

/// A policy in Rhai.
pub(super) struct ScriptedAutosign(RhaiAutosign);

impl ScriptedAutosign {
    /// Reads a script.
    ///
    /// # Errors
    /// It cannot be read or parsed, or lacks the function `autosign`.
    pub(super) fn open(path: PathBuf) -> Result<ScriptedAutosign, Reason> {
        RhaiAutosign::open(path, &Disk::new())
            .map(ScriptedAutosign)
            .map_err(|why| Reason::usage(format!("--autosign: {why}")))
    }
}

impl AutosignPolicy for ScriptedAutosign {
    fn decide(&self, request: &RequestSummary) -> Decision {
        match self.0.decide(&script_value(request), &Disk::new()) {
            Ok(None) => Decision::SIGN,
            Ok(Some(reason)) | Err(reason) => Decision::wait(reason),
        }
    }
}

/// A request as the script sees it.
fn script_value(request: &RequestSummary) -> Value {
    let hash = |pairs: &[(String, String)]| {
        Value::hash(pairs.iter().map(|(name, value)| (Value::str(name), Value::str(value))).collect::<Hash>())
    };
    let names = request.alt_names.iter().map(Value::str).collect();
    let members = [
        ("certname", Value::str(&request.certname)),
        ("fingerprint", Value::str(&request.fingerprint)),
        ("extensions", hash(&request.extensions)),
        ("attributes", hash(&request.attributes)),
        ("alt_names", Value::array(names)),
        ("pem", Value::str(&request.pem)),
    ];
    Value::hash(members.into_iter().map(|(name, value)| (Value::str(name), value)).collect::<Hash>())
}

//! The hash that `Puppet::ResourceApi.register_type` is called with, as far as static evaluation knows it.
//!
//! In: a static value. Out: a [`catwalk_resource_api::Definition`] and Puppet's messages about it. Must not: guess: a value
//! that is not known leaves no definition.

use std::path::Path;
use std::sync::Arc;

use super::value::Value;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::diag::Severity;
use catwalk_regexp::Regexp;
use catwalk_resource_api::Definition;
use catwalk_resource_api::Problem;
use catwalk_resource_api::ProblemLevel;
use catwalk_resource_api::read_type;
use catwalk_value::Hash;

/// The result of reading a schema.
#[derive(Debug, Default)]
pub(super) struct Schema {
    /// The definition, if everything in it is known and Puppet accepts it.
    pub(super) definition: Option<Arc<Definition>>,
    /// Warnings that Puppet logs.
    pub(super) warnings: Vec<Diagnostic>,
    /// Errors that Puppet raises.
    pub(super) error: Option<String>,
}

impl Schema {
    /// Reads a schema; nothing is known of one that is not literal.
    pub(super) fn read(schema: &Value, file: &Path) -> Schema {
        let Some(value) = value(schema) else { return Schema::default() };
        let reading = read_type(&value, &file.to_string_lossy());
        let is_error = |problem: &&Problem| problem.level == ProblemLevel::Error;
        let error = reading.problems.iter().find(is_error).map(|problem| problem.message.clone());
        let before = reading.problems.iter().take_while(|problem| problem.level != ProblemLevel::Error);
        let warning = |problem: &Problem| {
            Diagnostic::new(Reason::runtime(problem.message.clone()), None).severity(Severity::Warning)
        };
        let warnings = before.filter(|problem| problem.level == ProblemLevel::Warning).map(warning).collect();
        Schema { definition: reading.definition.map(Arc::new), warnings, error }
    }
}

/// A static value as a value; nothing if any part of it but a description is not known.
fn value(from: &Value) -> Option<catwalk_value::Value> {
    use catwalk_value::Value as Known;
    Some(match from {
        Value::Nil => Known::Undef,
        Value::Bool(b) => Known::Bool(*b),
        Value::Int(n) => Known::Int(*n),
        Value::Str(text) | Value::Symbol(text) => Known::str(text),
        Value::Array(items) => Known::array(items.iter().map(value).collect::<Option<Vec<Known>>>()?),
        Value::Hash(entries) => {
            let mut hash = Hash::new();
            for (key, inner) in entries.iter() {
                let is_description = matches!(key.text(), Some("desc" | "docs"));
                let inner = match value(inner) {
                    None if is_description => Known::str(""),
                    inner => inner?,
                };
                hash.insert(value(key)?, inner);
            }
            Known::hash(hash)
        }
        Value::Regexp { .. } => Known::Regexp(Arc::new(Regexp::new(from.regexp_source()?))),
        Value::Constant(_) | Value::Lambda(_) | Value::Type(_) | Value::Unknown => return None,
    })
}

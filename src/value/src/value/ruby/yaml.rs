//! `to_yaml` as Psych writes it.

use crate::data::yaml_write;
use crate::value::Value;
use crate::value::ruby;
use catwalk_base::diag::Reason;

/// Options of `to_yaml`.
#[derive(Clone, Copy, Debug, Default)]
pub struct YamlOptions {
    /// Columns for each level.
    pub indentation: Option<i64>,
    /// Width lines are folded at; -1: never.
    pub line_width: Option<i64>,
    /// Canonical form.
    pub canonical: bool,
}

/// The value as a YAML document. Ruby objects are written as strings.
///
/// # Errors
/// Nesting too deep, an invalid width, or a string that YAML cannot hold.
pub fn to_yaml(value: &Value, options: YamlOptions) -> Result<String, Reason> {
    let YamlOptions { indentation, line_width, canonical } = options;
    let written = yaml_write::Options { indentation, line_width, canonical, text: Some(ruby::to_s) };
    yaml_write::write(value, written).map_err(Reason::runtime)
}

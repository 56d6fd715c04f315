//! `to_yaml` of Psych.

use crate::data::yaml_write;
use crate::value::Value;
use crate::value::ruby;
use catwalk_base::diag::Reason;

/// Options of `to_yaml`.
#[derive(Clone, Copy, Debug, Default)]
pub struct YamlOptions {
    /// The columns of a level.
    pub indentation: Option<i64>,
    /// The columns of a line before it is folded; -1: unlimited.
    pub line_width: Option<i64>,
    /// Whether to write the canonical form.
    pub canonical: bool,
}

/// The value as a YAML document. Ruby objects are written as strings.
///
/// # Errors
/// The nesting is too deep, the width is invalid, or YAML cannot represent a string.
pub fn to_yaml(value: &Value, options: YamlOptions) -> Result<String, Reason> {
    let YamlOptions { indentation, line_width, canonical } = options;
    let options = yaml_write::Options { indentation, line_width, canonical, text: Some(ruby::to_s), max_bytes: None };
    yaml_write::write(value, options).map_err(Reason::runtime)
}

//! Types of the YAML readers: options, documents, nodes, errors.

use std::fmt;

use crate::value::Value;

/// Collections nested deeper than this are refused.
pub(super) const MAX_DEPTH: usize = 256;
/// More nodes than this after following all aliases are refused: a few lines of nested aliases can stand for billions.
pub(super) const MAX_NODES: u64 = 4_000_000;

/// Why a text cannot be read as YAML.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct YamlError {
    /// Psych's message without file and position.
    pub message: String,
    /// Line, from 1; 0 when Psych returns none.
    pub line: u64,
    /// Column, from 1; 0 when Psych returns none.
    pub column: u64,
    /// Whether Puppet puts the file's name before the message.
    pub names_file: bool,
    /// Whether it is a limit of ours: nothing is read beyond it.
    pub limit: bool,
    /// The class of Psych's exception.
    pub class: &'static str,
}

/// Psych's error class for text that is not YAML.
pub(super) const SYNTAX: &str = "Psych::SyntaxError";

impl YamlError {
    /// An error like those of Psych's constructor: no position, no file name.
    pub(super) fn bare(message: impl Into<String>) -> YamlError {
        YamlError { message: message.into(), line: 0, column: 0, names_file: false, limit: false, class: SYNTAX }
    }

    /// The error for input beyond a limit.
    pub(super) fn limit(message: String) -> YamlError {
        YamlError { limit: true, ..YamlError::bare(message) }
    }

    /// The error for an alias that does not exist, or is not allowed.
    pub(super) fn alias(name: &str) -> YamlError {
        YamlError { class: "Psych::BadAlias", ..YamlError::bare(format!("Unknown alias: {name}")) }
    }

    /// A class that safe loading does not allow.
    pub(super) fn class(name: &str) -> YamlError {
        let message = format!("Tried to load unspecified class: {name}");
        YamlError { message, line: 0, column: 0, names_file: true, limit: false, class: "Psych::DisallowedClass" }
    }

    /// The message as Puppet words it: `(<file>): … at line L column C`.
    #[must_use]
    pub fn puppet_text(&self, file: Option<&str>) -> String {
        if !self.names_file {
            return self.message.clone();
        }
        let file = file.unwrap_or("<unknown>");
        if self.line == 0 {
            format!("({file}): {}", self.message)
        } else {
            format!("({file}): {} at line {} column {}", self.message, self.line, self.column)
        }
    }
}

impl fmt::Display for YamlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.puppet_text(None))
    }
}

/// The first document of a text.
#[derive(Clone, Debug)]
pub struct Document {
    /// Its value; `Undef` for an empty text.
    pub value: Value,
    /// Whether there is a symbol anywhere, as key or value.
    pub any_symbol: bool,
    /// Whether the text has no document.
    pub empty: bool,
}

/// How to treat symbols (`:name`).
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, Debug)]
pub enum Symbols {
    /// They become strings.
    #[default]
    Texts,
    /// As keys they become strings, as values symbols, as the evaluator reads them. (`HieraConfig.symkeys_to_string`)
    KeysAsTexts,
    /// They become the values that the language's evaluator treats them as.
    Values,
    /// They stay symbols for Ruby code, `:undef` and `:default`, too.
    Kept,
}

/// Classes besides data that a caller accepts.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, Debug)]
pub struct AllowedClasses {
    /// `!ruby/regexp /…/`
    pub regexp: bool,
    /// Aliases are refused, as by `YAML.load` and `YAML.safe_load` by default.
    pub no_aliases: bool,
    /// How to treat symbols.
    pub symbols: Symbols,
}

/// A finished node.
#[derive(Clone)]
pub(super) struct Node {
    pub(super) value: Value,
    /// The number of nodes in it, with aliases expanded.
    pub(super) size: u64,
    pub(super) shape: Shape,
}

/// How a node was written: `<<` merges mappings, aliases and sequences, not scalars.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Shape {
    Scalar,
    Sequence,
    Mapping,
    Alias,
}

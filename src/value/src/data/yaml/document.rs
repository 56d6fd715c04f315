//! Types of the YAML readers: options, documents, nodes, errors.

use std::fmt;
use std::path::Path;

use crate::value::Value;
use catwalk_base::diag::DataLocation;

/// The deepest nesting of collections.
pub(super) const MAX_DEPTH: usize = 256;
/// The most nodes with all aliases expanded: a few lines of nested aliases can expand to billions.
pub(super) const MAX_NODES: u64 = 4_000_000;

/// The error for a document that is invalid, contains disallowed classes, or exceeds a limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct YamlError {
    /// Psych's message without file and position.
    pub message: String,
    /// The line, from 1; 0 for errors without a position.
    pub line: u64,
    /// The column, from 1; 0 for errors without a position.
    pub column: u64,
    /// Whether Puppet's message begins with the file name.
    pub names_file: bool,
    /// Whether a limit of Catwalk is exceeded, which ends parsing.
    pub limit: bool,
    /// The class of Psych's exception.
    pub class: &'static str,
    /// The line and column at which the text is wrong, from 1, if they are known. Psych reports the start of the construct around it.
    pub problem: Option<(u64, u64)>,
}

/// Psych's error class for invalid YAML.
pub(super) const SYNTAX: &str = "Psych::SyntaxError";

impl YamlError {
    /// An error without position and file name.
    pub(super) fn bare(message: impl Into<String>) -> YamlError {
        YamlError {
            message: message.into(),
            line: 0,
            column: 0,
            names_file: false,
            limit: false,
            class: SYNTAX,
            problem: None,
        }
    }

    /// The error for input beyond a limit.
    pub(super) fn limit(message: String) -> YamlError {
        YamlError { limit: true, ..YamlError::bare(message) }
    }

    /// The error for an alias that does not exist, or is not allowed.
    pub(super) fn alias(name: &str) -> YamlError {
        YamlError { class: "Psych::BadAlias", ..YamlError::bare(format!("Unknown alias: {name}")) }
    }

    /// The error for a class that safe loading does not allow.
    pub(super) fn class(name: &str) -> YamlError {
        let message = format!("Tried to load unspecified class: {name}");
        YamlError {
            message,
            line: 0,
            column: 0,
            names_file: true,
            limit: false,
            class: "Psych::DisallowedClass",
            problem: None,
        }
    }

    /// The error at a position that the error itself does not know.
    pub(super) fn or_at(mut self, position: (u64, u64)) -> YamlError {
        self.problem.get_or_insert(position);
        self
    }

    /// The line and column to show, from 1: where the text is wrong, or else what the message names.
    #[must_use]
    pub fn position(&self) -> (usize, usize) {
        let (line, column) = self.problem.unwrap_or((self.line, self.column));
        let number = |number: u64| usize::try_from(number.max(1)).unwrap_or(usize::MAX);
        (number(line), number(column))
    }

    /// The position in the file with these contents.
    #[must_use]
    pub fn location(&self, path: &Path, contents: &[u8]) -> DataLocation {
        DataLocation::new(path, contents, self.position())
    }

    /// Puppet's message: `(<file>): … at line L column C`.
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

/// The first document of a YAML stream.
#[derive(Clone, Debug)]
pub struct Document {
    /// The value; `Undef` for an empty stream.
    pub value: Value,
    /// Whether the document contains a symbol, as a key or a value.
    pub any_symbol: bool,
    /// Whether the stream has no document.
    pub empty: bool,
}

/// How to treat symbols (`:name`).
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, Debug)]
pub enum Symbols {
    /// Symbols become strings.
    #[default]
    Strings,
    /// Symbols as keys become strings; others become values as for [`Symbols::Values`]. (`HieraConfig.symkeys_to_string`)
    KeysAsStrings,
    /// `:undef` becomes `undef` and `:default` becomes `default`; other symbols are unchanged.
    Values,
    /// All symbols are unchanged, including `:undef` and `:default`: for Ruby code.
    Unchanged,
}

/// The options of safe loading.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, Debug)]
pub struct AllowedClasses {
    /// Whether `!ruby/regexp /…/` is allowed.
    pub regexp: bool,
    /// Whether aliases are errors, as in `YAML.load` and `YAML.safe_load` by default.
    pub no_aliases: bool,
    /// How to treat symbols.
    pub symbols: Symbols,
    /// Whether keys are strings as they are written where YAML would read another value that prints differently: `on`, `1.10`, `0644`.
    pub names_as_written: bool,
}

/// A finished node.
#[derive(Clone)]
pub(super) struct Node {
    pub(super) value: Value,
    /// The number of nodes, including nested ones, with aliases expanded.
    pub(super) size: u64,
    pub(super) shape: Shape,
}

/// The written form of a node: `<<` merges mappings, aliases and sequences, not scalars.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Shape {
    Scalar,
    Sequence,
    Mapping,
    Alias,
}

//! A parsed hiera.yaml, before a node's variables are known.

use catwalk_base::diag::Code;
use catwalk_base::diag::DataLocation;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use regex::Regex;

use crate::DataKind;
use crate::failure::Failure;
use catwalk_value::Hash;
use catwalk_value::Value;

/// The layer that a configuration belongs to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Layer {
    Global,
    Environment,
    Module(String),
}

/// A checked hiera.yaml, or the default one.
#[derive(Debug)]
pub(crate) struct Config {
    /// The file; `None` for the default configuration, which leaves out paths that do not exist.
    pub(crate) path: Option<PathBuf>,
    pub(crate) version: i64,
    pub(crate) hierarchy: Vec<ConfigEntry>,
    pub(crate) default_hierarchy: Option<Vec<ConfigEntry>>,
    /// Options that only version 3 has.
    pub(crate) hiera3: Option<Hiera3Options>,
    pub(crate) bytes: Arc<[u8]>,
}

/// One entry of a hierarchy.
#[derive(Debug)]
pub(crate) struct ConfigEntry {
    pub(crate) name: String,
    pub(crate) function: FunctionKind,
    pub(crate) function_name: String,
    /// Joined to the configuration's directory, not interpolated yet.
    pub(crate) datadir: String,
    pub(crate) locations: Locations,
    pub(crate) options: Option<Arc<Hash>>,
    /// The extension that version 4 adds to paths.
    pub(crate) extension: Option<String>,
}

/// How an entry finds values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FunctionKind {
    Data(DataKind),
    Hiera3Backend,
}

/// Where an entry finds its data.
#[derive(Debug)]
pub(crate) enum Locations {
    None,
    Paths(Vec<String>),
    Globs(Vec<String>),
    Uris(Vec<String>),
    Mapped(String, String, String),
}

/// The options of a version 3 configuration besides its hierarchy.
#[derive(Debug)]
pub(crate) struct Hiera3Options {
    /// The `merge` equivalent to `merge_behavior` and `deep_merge_options`; `Undef` for `native`.
    pub(crate) merge: Value,
}

impl Config {
    /// `defaults: {datadir: data, data_hash: yaml_data}, hierarchy: [{name: Common, path: common.yaml}]`
    pub(crate) fn built_in(root: &Path) -> Config {
        let entry = ConfigEntry {
            name: "Common".to_owned(),
            function: FunctionKind::Data(DataKind::DataHash),
            function_name: "yaml_data".to_owned(),
            datadir: join(&root.to_string_lossy(), "data"),
            locations: Locations::Paths(vec!["common.yaml".to_owned()]),
            options: None,
            extension: None,
        };
        Config { hierarchy: vec![entry], ..Config::empty() }
    }

    /// The deprecated data function of an environment or module (`HieraConfig.v4_function_config`).
    pub(crate) fn legacy_function(function: &str) -> Config {
        let entry = ConfigEntry {
            name: format!("Legacy function '{function}'"),
            function: FunctionKind::Data(DataKind::LegacyDataHash),
            function_name: function.to_owned(),
            datadir: String::new(),
            locations: Locations::None,
            options: None,
            extension: None,
        };
        Config { hierarchy: vec![entry], ..Config::empty() }
    }

    /// A layer without data.
    pub(crate) fn empty() -> Config {
        Config {
            path: None,
            version: 5,
            hierarchy: Vec::new(),
            default_hierarchy: None,
            hiera3: None,
            bytes: Arc::from([]),
        }
    }

    /// A failure about this file.
    pub(crate) fn fail(&self, code: Code, message: String, line: Option<u32>) -> Failure {
        Failure::issue(code, message, self.path.as_deref(), line)
    }

    /// The position of the first line with a word, such as the name of a function.
    pub(crate) fn locate(&self, word: &str) -> Option<DataLocation> {
        let line = self.find_line(&format!(r"(?:^|[^\w:]){}(?:[^\w:]|$)", regex::escape(word)), 1)?;
        let line = usize::try_from(line).ok()?;
        let text = String::from_utf8_lossy(&self.bytes);
        let column = text.lines().nth(line - 1)?.split(word).next()?.chars().count() + 1;
        Some(DataLocation::new(self.path.as_deref()?, &self.bytes, (line, column)))
    }

    /// The first line from `start` on that matches; comments are ignored.
    pub(crate) fn find_line(&self, pattern: &str, start: u32) -> Option<u32> {
        find_line(&self.bytes, pattern, start)
    }
}

pub(crate) fn find_line(bytes: &[u8], pattern: &str, start: u32) -> Option<u32> {
    let pattern = Regex::new(pattern).ok()?;
    let text = String::from_utf8_lossy(bytes);
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        let mut quote = None;
        let mut end = line.len();
        for (at, c) in line.char_indices() {
            match c {
                '"' | '\'' if quote == Some(c) => quote = None,
                '"' | '\'' if quote.is_none() => quote = Some(c),
                '#' => {
                    end = at;
                    break;
                }
                _ => {}
            }
        }
        if number >= start && pattern.is_match(line.get(..end).unwrap_or("").trim_end_matches('\n')) {
            return Some(number);
        }
    }
    None
}

/// Ruby's `Pathname#+`: an absolute path replaces, leading `.` and `..` are resolved, the rest stays as written.
pub(crate) fn join(base: &str, path: &str) -> String {
    if path.starts_with('/') {
        return path.to_owned();
    }
    let mut base = base.trim_end_matches('/');
    let mut rest = path;
    loop {
        let (first, after) = rest.split_once('/').unwrap_or((rest, ""));
        match first {
            "." | "" if !rest.is_empty() => rest = after,
            ".." => {
                base = base.rfind('/').map_or("", |at| base.get(..at).unwrap_or(""));
                rest = after;
            }
            _ => break,
        }
    }
    match (base, rest) {
        ("", rest) => format!("/{rest}"),
        (base, "") => base.to_owned(),
        (base, rest) => format!("{base}/{rest}"),
    }
}

#[cfg(test)]
mod tests {
    use super::join;

    #[test]
    fn paths_join_as_ruby_joins_them() {
        for (base, path, expected) in [
            ("/a/b", "../c/../d", "/a/c/../d"),
            ("/a/b", "./c", "/a/b/c"),
            ("/a/b", "/c", "/c"),
            ("/a/b/", "c//d", "/a/b/c//d"),
            ("/a/b", "../../../c", "/c"),
            ("/a/b", "", "/a/b"),
            ("/a/b", ".", "/a/b"),
        ] {
            assert_eq!(join(base, path), expected, "{base} + {path}");
        }
    }
}

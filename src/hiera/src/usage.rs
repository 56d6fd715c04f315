//! The data files of a site, with the lines of their keys.
//!
//! In: the hierarchies of the layers. Out: [`DataFile`]s. Must not: decide which are used.

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::ConvertError;
use super::DataAnswer;
use super::DataKind;
use super::Host;
use super::LOOKUP_OPTIONS;
use super::UnknownPolicy;
use super::backend::Format;
use super::config::ConfigEntry;
use super::config::FunctionKind;
use super::config::Layer;
use super::config::Locations;
use super::config::join;
use super::data_context::DataContext;
use super::failure::Failure;
use super::lookup::Lookup;
use catwalk_base::diag::Diagnostic;
use catwalk_value::Value;
use catwalk_world::Descent;
use catwalk_world::Kind;
use catwalk_world::World;

/// A data file.
#[derive(Clone, Debug)]
pub struct DataFile {
    /// The path.
    pub path: PathBuf,
    /// The layer: `global`, `environment`, or the module's name.
    pub layer: Arc<str>,
    /// The keys except `lookup_options`, each with its line.
    pub keys: Vec<(String, u32)>,
}

impl Lookup {
    /// The data files that hierarchies can reach, whatever the values of variables in their paths: those of the global and the
    /// environment layer, and with `modules` those of modules. Files of custom functions are not included.
    ///
    /// # Errors
    ///
    /// A hiera.yaml or a data file is malformed.
    pub fn data_files(&self, modules: bool, world: &dyn World) -> Result<Vec<DataFile>, Failure> {
        let sources = self.sources();
        let mut layers: Vec<(Layer, PathBuf, Arc<str>)> = Vec::new();
        layers.extend(sources.global.iter().map(|path| (Layer::Global, path.clone(), Arc::from("global"))));
        let environment = sources.environment.iter();
        layers.extend(environment.map(|root| (Layer::Environment, root.join("hiera.yaml"), Arc::from("environment"))));
        let mut named: Vec<(&String, &PathBuf)> = sources.modules.iter().filter(|_| modules).collect();
        named.sort_unstable();
        for (name, root) in named {
            layers.push((Layer::Module(name.clone()), root.join("hiera.yaml"), Arc::from(name.as_str())));
        }
        let mut files: Vec<DataFile> = Vec::new();
        let mut seen = FxHashSet::default();
        for (layer, path, name) in layers {
            if world.kind(&path) == Kind::Missing {
                continue;
            }
            let config = self.configs().read(&path, &layer, sources, world, &mut NoHost)?;
            let default = config.default_hierarchy.iter().flatten();
            for entry in config.hierarchy.iter().chain(default) {
                let Some(format) = format(entry) else { continue };
                for path in reachable(entry, world) {
                    if seen.insert(path.clone()) {
                        files.push(self.data_file(path, format, &name, world)?);
                    }
                }
            }
        }
        Ok(files)
    }

    fn data_file(
        &self,
        path: PathBuf,
        format: Format,
        layer: &Arc<str>,
        world: &dyn World,
    ) -> Result<DataFile, Failure> {
        let data = self.files().read(&path, format, self.sources().strict, world)?;
        let text = world.read(&path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
        let lines = lines(&text, format == Format::Yaml);
        let keys = data.keys.iter().filter_map(Value::as_str).filter(|key| *key != LOOKUP_OPTIONS);
        let keys = keys.map(|key| (key.to_owned(), lines.get(key).copied().unwrap_or(1))).collect();
        Ok(DataFile { path, layer: layer.clone(), keys })
    }
}

/// The format of an entry's files; `None` for other functions.
fn format(entry: &ConfigEntry) -> Option<Format> {
    match (entry.function, entry.function_name.as_str()) {
        (FunctionKind::Data(DataKind::DataHash), "yaml_data") => Some(Format::Yaml),
        (FunctionKind::Data(DataKind::DataHash), "json_data") => Some(Format::Json),
        (FunctionKind::Data(DataKind::DataHash), "hocon_data") => Some(Format::Hocon),
        (FunctionKind::Data(DataKind::LookupKey), "eyaml_lookup_key") => Some(Format::Yaml),
        _ => None,
    }
}

/// The files that an entry can find for any values of its variables, sorted.
pub(super) fn reachable(entry: &ConfigEntry, world: &dyn World) -> Vec<PathBuf> {
    let (templates, glob): (Vec<&String>, bool) = match &entry.locations {
        Locations::Paths(paths) => (paths.iter().collect(), false),
        Locations::Globs(globs) => (globs.iter().collect(), true),
        Locations::Mapped(_, _, template) => (vec![template], false),
        Locations::None | Locations::Uris(_) => return Vec::new(),
    };
    let mut found = Vec::new();
    for template in templates {
        let mut pattern = join(&entry.datadir, template);
        if let Some(extension) = entry.extension.as_deref().filter(|extension| !pattern.ends_with(extension)) {
            pattern.push_str(extension);
        }
        let Ok(expression) = regex::Regex::new(&expression(&pattern, glob)) else { continue };
        let fixed = pattern.find(if glob { &['%', '*', '?', '[', '{'][..] } else { &['%'][..] });
        let Some(fixed) = fixed else {
            if world.kind(Path::new(&pattern)) == Kind::File {
                found.push(PathBuf::from(pattern));
            }
            continue;
        };
        let start = pattern.get(..fixed).and_then(|text| text.rsplit_once('/')).map_or("", |(start, _)| start);
        walk(Path::new(start), &expression, world, &mut Descent::default(), &mut found);
    }
    found
}

fn walk(folder: &Path, expression: &regex::Regex, world: &dyn World, descent: &mut Descent, found: &mut Vec<PathBuf>) {
    let Ok(entries) = world.list(folder) else { return };
    for entry in entries.iter().filter(|entry| !entry.name.starts_with('.')) {
        let path = folder.join(entry.name.as_ref());
        match entry.kind {
            Kind::Directory if descent.enters(world, &path, entry) => walk(&path, expression, world, descent, found),
            Kind::File if expression.is_match(&path.to_string_lossy()) => found.push(path),
            _ => {}
        }
    }
}

/// A regular expression for the paths that a template can produce: a variable matches any string.
fn expression(template: &str, glob: bool) -> String {
    let mut out = String::from("^");
    let mut rest = template;
    while let Some(first) = rest.chars().next() {
        if let Some(end) = rest.starts_with("%{").then(|| rest.find('}')).flatten() {
            out.push_str(".*");
            rest = rest.get(end + 1..).unwrap_or("");
            continue;
        }
        let (taken, text): (usize, &str) = match first {
            '*' if glob && rest.starts_with("**/") => (3, "(?:.*/)?"),
            '*' if glob => (1, "[^/]*"),
            '?' if glob => (1, "[^/]"),
            '{' if glob => (1, "(?:"),
            '}' if glob => (1, ")"),
            ',' if glob => (1, "|"),
            '[' | ']' if glob => (1, if first == '[' { "[" } else { "]" }),
            _ => (0, ""),
        };
        if taken > 0 {
            out.push_str(text);
            rest = rest.get(taken..).unwrap_or("");
        } else {
            out.push_str(&regex::escape(first.encode_utf8(&mut [0; 4])));
            rest = rest.get(first.len_utf8()..).unwrap_or("");
        }
    }
    out.push('$');
    out
}

/// The first line of each key: of YAML, JSON and HOCON, at the top of the document or, in JSON and HOCON, indented.
fn lines(text: &str, yaml: bool) -> std::collections::HashMap<&str, u32> {
    let mut lines = std::collections::HashMap::new();
    for (number, line) in (1_u32..).zip(text.lines()) {
        let line = if yaml { line } else { line.trim_start_matches([' ', '\t', '{', ',']) };
        let (key, rest) = match line.chars().next() {
            Some(quote @ ('"' | '\'')) => line.get(1..).and_then(|line| line.split_once(quote)).unwrap_or(("", "")),
            _ => {
                let end = line.match_indices([':', '=']).find(|(at, _)| {
                    let after = line.get(at + 1..).unwrap_or("");
                    let before = line.get(..*at).unwrap_or("");
                    !after.starts_with(':') && !before.ends_with(':')
                });
                end.map_or(("", ""), |(at, _)| line.split_at(at))
            }
        };
        if rest.trim_start().starts_with([':', '=', '{']) {
            lines.entry(key.trim_end()).or_insert(number);
        }
    }
    lines
}

/// A host that is never called: configurations are read, not used.
pub(super) struct NoHost;

impl Host for NoHost {
    fn variable(&mut self, _: &str, _: UnknownPolicy) -> Result<Option<Value>, Box<Diagnostic>> {
        Ok(None)
    }

    fn data_function(
        &mut self,
        _: DataKind,
        _: &str,
        _: &[Value],
        _: &DataContext<'_>,
    ) -> Result<DataAnswer, Box<Diagnostic>> {
        Ok(DataAnswer::NoFunction)
    }

    fn convert(&mut self, _: &[Value], value: Value) -> Result<Value, ConvertError> {
        Ok(value)
    }

    fn describe_mismatch(&mut self, subject: &str, expected: &str, _: &Value) -> String {
        format!("{subject} has wrong type, expects {expected}")
    }

    fn warn(&mut self, _: Option<&str>, _: String) {}
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]
    use super::*;

    #[test]
    fn paths_fit_templates_with_any_values() {
        for (template, glob, path, expected) in [
            ("/d/node/%{trusted.certname}.yaml", false, "/d/node/web1.example.com.yaml", true),
            ("/d/node/%{trusted.certname}.yaml", false, "/d/node/web1.yml", false),
            ("/d/%{a}/%{b}.yaml", false, "/d/x/y/z.yaml", true),
            ("/d/common.yaml", false, "/d/commonXyaml", false),
            ("/d/*.yaml", true, "/d/a.yaml", true),
            ("/d/*.yaml", true, "/d/a/b.yaml", false),
            ("/d/**/*.{yaml,json}", true, "/d/a/b.json", true),
            ("/d/**/*.{yaml,json}", true, "/d/b.yaml", true),
            ("/d/%{x}/*.yaml", true, "/d/v/b.yaml", true),
        ] {
            let expression = regex::Regex::new(&expression(template, glob)).unwrap();
            assert_eq!(expression.is_match(path), expected, "{template} {path}");
        }
    }

    #[test]
    fn lines_of_keys() {
        let found = lines("---\na::b: 1\n\"c\": 2\n'd e' : 3\nplain:\n  x: 9\nx: 1\n", true);
        assert_eq!([found["a::b"], found["c"], found["d e"], found["plain"], found["x"]], [2, 3, 4, 5, 7]);
        let found = lines("{ \"a::b\": 1,\n  \"x\": { },\n y = 3\n z { } }", false);
        assert_eq!([found["a::b"], found["x"], found["y"]], [1, 2, 3]);
    }
}

//! Files other than manifests: data in YAML and JSON, configurations, test files, scripts.
//!
//! In: the contents of a file. Out: mistakes with their positions. Must not: compile, run scripts.

use catwalk_node::facts::Agent;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::OnceLock;

use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::diag::Severity;
use catwalk_base::source::SourceMap;
use catwalk_messages::diagnostic_at;
use catwalk_program::Conf;
use catwalk_program::Environment;
use catwalk_program::Settings;
use catwalk_ruby_syntax as ruby;
use catwalk_scripting::Checker;
use catwalk_session::site;
use catwalk_session::site::Site;
use catwalk_snapshot::facts::FactSets;
use catwalk_snapshot::matrix;
use catwalk_snapshot::matrix::ReadContext;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_value::data::json;
use catwalk_value::data::positions;
use catwalk_value::data::yaml;
use catwalk_world::Disk;
use catwalk_world::Kind;
use catwalk_world::World;

/// The kind of a file, by its name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Document {
    Yaml,
    Json,
    Hiera,
    Metadata,
    EnvironmentConf,
    Puppetfile,
    Site,
    Test,
    Script,
}

impl Document {
    /// The kind of a file; `None` for files that are not checked.
    pub(crate) fn from_path(path: &Path, world: &dyn World) -> Option<Document> {
        match path.file_name()?.to_str()? {
            "hiera.yaml" => return Some(Document::Hiera),
            "metadata.json" => return Some(Document::Metadata),
            "environment.conf" => return Some(Document::EnvironmentConf),
            "Puppetfile" => return Some(Document::Puppetfile),
            site::FILE => return Some(Document::Site),
            _ => {}
        }
        match path.extension()?.to_str()? {
            "yaml" | "yml" if is_test(path, world) => Some(Document::Test),
            "yaml" | "yml" | "eyaml" => Some(Document::Yaml),
            "json" => Some(Document::Json),
            "rhai" => Some(Document::Script),
            _ => None,
        }
    }
}

/// Whether a file is in the folder `tests` of a site or module.
fn is_test(path: &Path, world: &dyn World) -> bool {
    let folder = path.parent().filter(|folder| folder.file_name().is_some_and(|name| name == "tests"));
    folder.and_then(Path::parent).is_some_and(|root| is_home(root, world))
}

fn is_home(directory: &Path, world: &dyn World) -> bool {
    [site::FILE, "environment.conf", "metadata.json"].iter().any(|name| world.kind(&directory.join(name)) == Kind::File)
}

/// Checks documents, with caches for all of them.
pub(crate) struct Documents<'d> {
    world: &'d Disk,
    sources: &'d SourceMap,
    settings: Settings,
    checker: OnceLock<Checker>,
    sets: OnceLock<FactSets>,
}

impl<'d> Documents<'d> {
    pub(crate) fn new(world: &'d Disk, sources: &'d SourceMap, settings: Settings) -> Documents<'d> {
        Documents { world, sources, settings, checker: OnceLock::new(), sets: OnceLock::new() }
    }

    /// The mistakes in a document.
    pub(crate) fn check(&self, document: Document, path: &Path, text: &str) -> Vec<Diagnostic> {
        let here = PathBuf::from(".");
        let directory = path.parent().filter(|path| !path.as_os_str().is_empty()).unwrap_or(&here);
        let result = match document {
            Document::Yaml => self.check_yaml(path, text).map(drop),
            Document::Json => self.check_json(path, text).map(drop),
            Document::Hiera => self.check_yaml(path, text).and_then(|_| self.check_hiera(path, directory, text)),
            Document::Metadata => self.check_json(path, text).and_then(|value| self.check_metadata(path, text, &value)),
            Document::EnvironmentConf => self.check_environment_conf(path, directory, text),
            Document::Puppetfile => self.check_puppetfile(path, text),
            Document::Site => {
                Site::open(directory, self.world).map(drop).map_err(|reason| self.located(reason, path, text))
            }
            Document::Test => self.check_yaml(path, text).and_then(|_| self.check_test_file(path, directory, text)),
            Document::Script => return self.check_script(path, directory),
        };
        result.err().into_iter().map(|diagnostic| *diagnostic).collect()
    }

    fn at_position(&self, reason: Reason, path: &Path, text: &str, line: usize, column: usize) -> Box<Diagnostic> {
        let id = self.sources.add(Some(path), &path.to_string_lossy(), Arc::from(text));
        Box::new(diagnostic_at(reason, id, (line, column), self.sources))
    }

    /// A failure at its position in the file; at the start of the file if it has none.
    fn located(&self, mut reason: Reason, path: &Path, text: &str) -> Box<Diagnostic> {
        let location = reason.locations.drain(..).find(|location| location.note.is_none());
        let number = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
        let position = location.map_or((1, 1), |location| (number(location.line), number(location.column)));
        self.at_position(reason, path, text, position.0, position.1)
    }

    fn check_yaml(&self, path: &Path, text: &str) -> Result<Value, Box<Diagnostic>> {
        let error = match yaml::parse(text.as_bytes()) {
            Ok(value) => return Ok(value),
            Err(error) => error,
        };
        let is_syntax = error.class == "Psych::SyntaxError" || error.limit;
        let reason = Reason::new(Code::YAML_SYNTAX, error.message.clone());
        let (line, column) = error.position();
        let mut diagnostic = self.at_position(reason, path, text, line, column);
        if !is_syntax {
            // Hiera rejects such values; YAML files of other programs may have them.
            *diagnostic = diagnostic.severity(Severity::Warning);
            diagnostic.code = Code::YAML_CLASS;
            diagnostic.help = Some("data of Hiera cannot have this value: quote it to make it a string".into());
        }
        Err(diagnostic)
    }

    fn check_json(&self, path: &Path, text: &str) -> Result<Value, Box<Diagnostic>> {
        json::parse(text.as_bytes()).map_err(|error| {
            // Ruby's messages begin with a line number of its parser's source.
            let message = error.message.lines().next().unwrap_or_default();
            let message = message.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start_matches(": ").to_owned();
            let reason = Reason::new(Code::JSON_SYNTAX, message).in_file(error.location(path, text.as_bytes()));
            self.located(reason, path, text)
        })
    }

    fn check_hiera(&self, path: &Path, directory: &Path, text: &str) -> Result<(), Box<Diagnostic>> {
        let is_module = self.world.kind(&directory.join("metadata.json")) == Kind::File;
        let module = directory.file_name().map(|name| name.to_string_lossy().into_owned()).filter(|_| is_module);
        catwalk_hiera::check_config(path, module, self.world).map_err(|failure| {
            match failure.file.as_ref().and_then(|file| file.line) {
                Some(line) => {
                    let line = usize::try_from(line).unwrap_or(1);
                    let indent =
                        text.lines().nth(line.saturating_sub(1)).map_or(0, |line| line.len() - line.trim_start().len());
                    self.at_position(failure.reason, path, text, line, indent + 1)
                }
                None => self.located(failure.reason, path, text),
            }
        })
    }

    /// Checks the members that Puppet and module tools need.
    fn check_metadata(&self, path: &Path, text: &str, value: &Value) -> Result<(), Box<Diagnostic>> {
        let bad_metadata = |keys: &[&str], message: &str| {
            let reason = Reason::new(Code::BAD_METADATA, message.to_owned());
            let location = positions::locate(path, text.as_bytes(), keys);
            self.located(Reason { locations: location.into_iter().collect(), ..reason }, path, text)
        };
        let Value::Hash(members) = value else { return Err(bad_metadata(&[], "metadata.json must be an object")) };
        let string = |hash: &Hash, key: &str| hash.get(key).and_then(Value::as_str).map(str::to_owned);
        // Puppet treats an empty string as missing.
        if members.is_empty() {
            return Ok(());
        }
        match string(members, "name") {
            None => return Err(bad_metadata(&["name"], "metadata.json needs the member `name`: \"author-module\"")),
            Some(name) if !name.contains(['-', '/']) => {
                return Err(bad_metadata(&["name"], &format!("the `name` must be \"author-module\", got '{name}'")));
            }
            Some(_) => {}
        }
        if string(members, "version").is_none() {
            return Err(bad_metadata(&["version"], "metadata.json needs the member `version`"));
        }
        let is_dependency = |value: &Value| matches!(value, Value::Hash(hash) if string(hash, "name").is_some());
        match members.get("dependencies") {
            None => Ok(()),
            Some(Value::Array(all)) => match all.iter().position(|value| !is_dependency(value)) {
                Some(number) => {
                    let message = "`dependencies` must be an array of objects with a `name`";
                    Err(bad_metadata(&["dependencies", &number.to_string()], message))
                }
                None => Ok(()),
            },
            Some(_) => Err(bad_metadata(&["dependencies"], "`dependencies` must be an array of objects with a `name`")),
        }
    }

    fn check_environment_conf(&self, path: &Path, directory: &Path, text: &str) -> Result<(), Box<Diagnostic>> {
        match Conf::read(directory, "production", &self.settings, self.world) {
            Err(reason) => Err(self.located(reason, path, text)),
            Ok(_) => Ok(()),
        }
    }

    fn check_puppetfile(&self, path: &Path, text: &str) -> Result<(), Box<Diagnostic>> {
        match ruby::parser::parse(text, false) {
            Err(error) if !error.is_unsupported => {
                let line = usize::try_from(error.line).unwrap_or(1);
                Err(self.at_position(Reason::new(Code::PUPPETFILE_SYNTAX, error.message), path, text, line, 1))
            }
            _ => Ok(()),
        }
    }

    fn check_test_file(&self, path: &Path, folder: &Path, text: &str) -> Result<(), Box<Diagnostic>> {
        let root = folder.parent().filter(|root| !root.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut sets = self.sets.get_or_init(|| FactSets::built_in(Agent::default())).clone();
        for facts in Site::open(root, self.world).iter().flat_map(|site| &site.facts) {
            // Sets that cannot be read are a mistake in `catwalk.toml`.
            let _ = sets.load(facts, self.world);
        }
        let context = ReadContext { root, sets: &sets, overrides: &[], world: self.world };
        matrix::read(path, &context).map(drop).map_err(|reason| self.located(reason, path, text))
    }

    fn check_script(&self, path: &Path, directory: &Path) -> Vec<Diagnostic> {
        let site = directory.ancestors().find(|directory| is_home(directory, self.world));
        let overrides = catwalk_program::Overrides::default();
        let opened = Environment::open("production", site, &overrides, self.world);
        let environment = opened.map(|(environment, _)| environment).unwrap_or_default();
        // A script imports scripts of the folder `scripts` that contains it; modules need nothing else.
        let scripts = directory.ancestors().find(|folder| folder.file_name().is_some_and(|name| name == "scripts"));
        let root = scripts.and_then(Path::parent).or(site).map(Path::to_path_buf);
        let environment = Environment { root: root.or(environment.root.clone()), ..environment };
        self.checker.get_or_init(|| Checker::new(self.sources.clone())).check(path, &environment, self.world)
    }
}

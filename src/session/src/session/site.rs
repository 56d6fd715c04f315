//! `catwalk.toml`: the modules, manifest, data, nodes, classifier and snapshots of a site.

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;

use crate::session::ExportedFrom;
use catwalk_base::diag::Code;
use catwalk_base::diag::Reason;
use catwalk_base::diag::Severity;
use catwalk_base::globs;
use catwalk_base::version::Version;
use catwalk_eval::Cycles;
use catwalk_eval::Limits;
use catwalk_formats::diff::rules;
use catwalk_formats::diff::rules::Rules;
use catwalk_hiera::Eyaml;
use catwalk_node::terminus;
use catwalk_node::terminus::Terminus;
use catwalk_puppetdb::PuppetDb;
use catwalk_puppetdb::check_url;
use catwalk_puppetdb::read_conf;
use catwalk_world::Identity;
use catwalk_world::Kind;
use catwalk_world::World;
use catwalk_world::WorldError;

/// The file that makes a directory a site.
pub const FILE: &str = "catwalk.toml";

/// A site: an environment with its nodes. All paths are absolute.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Site {
    /// The directory.
    pub root: PathBuf,
    /// The name of the environment; `production` by default.
    pub environment: Option<String>,
    /// Directories of modules; `None`: as `environment.conf` says.
    pub modulepath: Option<Vec<PathBuf>>,
    /// Main manifest; `None`: as `environment.conf` says.
    pub manifest: Option<PathBuf>,
    /// Hiera configuration of the environment layer; `None`: `hiera.yaml` in the directory.
    pub hiera: Option<PathBuf>,
    /// Folder of facts, one file for each certname.
    pub nodes: Option<PathBuf>,
    /// The sources of node objects, in order: `enc`, or the chain of `[classifier]`.
    pub termini: Vec<Terminus>,
    /// Folder of trusted data: `CERTNAME.pem` certificates, or hashes in JSON or YAML.
    pub trusted: Option<PathBuf>,
    /// `$server_facts`
    pub server_facts: Option<PathBuf>,
    /// Folder of catalog snapshots.
    pub snapshots: Option<PathBuf>,
    /// Folder of test files.
    pub tests: Option<PathBuf>,
    /// Files and folders of fact sets for test files.
    pub facts: Vec<PathBuf>,
    /// Folder that `compile` writes the catalogs of several nodes to.
    pub output: Option<PathBuf>,
    /// Version of the language.
    pub puppet: Option<Version>,
    /// Puppet's settings by name.
    pub settings: Vec<(String, String)>,
    /// Limits by name.
    pub limits: Vec<(String, String)>,
    /// How to treat dependency cycles.
    pub cycles: Option<Cycles>,
    /// Whether catalogs get the relationships that resource types imply.
    pub autorequire: Option<bool>,
    /// The lowest level of messages that are printed.
    pub log_level: Option<Severity>,
    /// The PuppetDB of the site; without an address if it is unknown.
    pub puppetdb: PuppetDb,
    /// The `puppetdb.conf` that names its addresses: see [`Site::puppetdb`].
    pub puppetdb_conf: Option<PathBuf>,
    /// The directory of commands that PuppetDB has not accepted yet.
    pub queue: Option<PathBuf>,
    /// The source of exported resources of other nodes.
    pub exported: Option<ExportedFrom>,
    /// The store that catalogs and facts of compiles go to.
    pub store: Option<PathBuf>,
    /// How to treat encrypted data.
    pub eyaml: Option<Eyaml>,
    /// Whether each script runs in its own process.
    pub isolate_scripts: Option<bool>,
    /// Whether the site's code is untrusted. Only `true` has an effect: a site cannot make itself trusted.
    pub untrusted: Option<bool>,
    /// Patterns of command lines whose output depends only on the arguments.
    pub pure_commands: Vec<String>,
    /// Patterns of paths that `watch` ignores.
    pub watch_ignore: Vec<String>,
    /// The rules for ignoring differences of catalogs.
    pub rules: Arc<Rules>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct Document {
    environment: Option<String>,
    modulepath: Option<Vec<PathBuf>>,
    manifest: Option<PathBuf>,
    hiera: Option<PathBuf>,
    nodes: Option<PathBuf>,
    enc: Option<String>,
    classifier: Option<toml::Table>,
    trusted: Option<PathBuf>,
    server_facts: Option<PathBuf>,
    snapshots: Option<PathBuf>,
    tests: Option<PathBuf>,
    facts: Option<Paths>,
    output: Option<PathBuf>,
    puppet: Option<toml::Value>,
    #[serde(default)]
    settings: toml::Table,
    #[serde(default)]
    limits: toml::Table,
    cycles: Option<String>,
    autorequire: Option<bool>,
    log_level: Option<String>,
    eyaml: Option<String>,
    untrusted: Option<bool>,
    #[serde(default)]
    puppetdb: Database,
    #[serde(default)]
    scripts: Scripts,
    #[serde(default)]
    commands: Commands,
    #[serde(default)]
    watch: Watch,
    #[serde(default)]
    ignore: Vec<rules::Ignore>,
    #[serde(default)]
    redact: Vec<rules::Redact>,
}

/// One path or several.
#[derive(Deserialize)]
#[serde(untagged)]
enum Paths {
    One(PathBuf),
    Several(Vec<PathBuf>),
}

/// Table `watch`.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct Watch {
    ignore: Vec<String>,
}

/// Table `commands`.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct Commands {
    pure: Vec<String>,
}

/// Table `scripts`.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct Scripts {
    isolation: Option<String>,
}

/// Table `puppetdb`.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct Database {
    url: Option<String>,
    urls: Vec<String>,
    conf: Option<PathBuf>,
    #[serde(alias = "ssl_ca")]
    ca: Option<PathBuf>,
    #[serde(alias = "ssl_cert")]
    cert: Option<PathBuf>,
    #[serde(alias = "ssl_key")]
    key: Option<PathBuf>,
    #[serde(alias = "ssl_crl")]
    crl: Option<PathBuf>,
    timeout: Option<f64>,
    queue: Option<PathBuf>,
    exported: Option<String>,
    store: Option<PathBuf>,
}

impl Database {
    /// The PuppetDB of the table, without that of its `puppetdb.conf`.
    fn server(&self, root: &Path) -> Result<PuppetDb, String> {
        let urls: Vec<String> = self.url.iter().chain(&self.urls).cloned().collect();
        urls.iter().try_for_each(|url| check_url(url))?;
        if self.conf.is_some() && !urls.is_empty() {
            return Err("`conf` of [puppetdb] has the addresses: leave out `url` and `urls`".to_owned());
        }
        let below = |path: &Option<PathBuf>| path.as_ref().map(|path| root.join(path));
        let timeout =
            self.timeout.map(|seconds| Duration::try_from_secs_f64(seconds).ok().filter(|time| !time.is_zero()));
        Ok(PuppetDb {
            urls,
            identity: Identity {
                ca: below(&self.ca),
                cert: below(&self.cert),
                key: below(&self.key),
                crl: below(&self.crl),
                token: None,
            },
            timeout: timeout
                .map(|time| time.ok_or("`timeout` of [puppetdb] must be a number of seconds"))
                .transpose()?,
            ..PuppetDb::default()
        })
    }
}

/// A value of the file as a string, as for `--set`.
fn display_value(value: &toml::Value) -> String {
    match value {
        toml::Value::String(text) => text.clone(),
        toml::Value::Array(items) => items.iter().map(display_value).collect::<Vec<_>>().join(","),
        other => other.to_string(),
    }
}

fn pure_commands(patterns: &[String]) -> Result<Vec<globset::GlobMatcher>, String> {
    let matcher = |pattern: &String| globs::matcher(pattern, false).map_err(|why| format!("'{pattern}': {why}"));
    patterns.iter().map(matcher).collect()
}

/// The table of limits, checked one by one.
fn limits(table: &toml::Table) -> Result<Vec<(String, String)>, Reason> {
    let limits = table.iter().map(|(name, value)| (name.clone(), display_value(value)));
    limits.map(|(name, value)| Limits::default().set(&name, &value).map(|()| (name, value))).collect()
}

/// The termini of `enc` or of the table `[classifier]`: one terminus, or several in `chain`.
fn termini(root: &Path, enc: Option<String>, table: Option<&toml::Table>) -> Result<Vec<Terminus>, String> {
    let Some(table) = table else {
        return Ok(enc.map(|text| Terminus::parse(&text, root)).into_iter().collect());
    };
    if enc.is_some() {
        return Err("`enc` and `[classifier]` cannot both be set: put the classifier into `chain`".to_owned());
    }
    match table.get("chain") {
        None => Ok(vec![link(root, table)?]),
        Some(_) if table.len() > 1 => Err("`[classifier]` with `chain` has no other keys".to_owned()),
        Some(toml::Value::Array(links)) => links
            .iter()
            .map(|one| match one {
                toml::Value::String(path) => Ok(Terminus::parse(path, root)),
                toml::Value::Table(table) => link(root, table),
                _ => Err("an item of `chain` must be a path or a table".to_owned()),
            })
            .collect(),
        Some(_) => Err("`chain` must be an array".to_owned()),
    }
}

/// One terminus from a table: `{groups = PATH}`, `{script = PATH}`, `{exec = PATH, timeout = SECONDS}`,
/// `{http = URL, ca, cert, key, crl, token}`.
fn link(root: &Path, table: &toml::Table) -> Result<Terminus, String> {
    const KEYS: [&str; 11] =
        ["exec", "arguments", "groups", "script", "http", "ca", "cert", "key", "crl", "token", "timeout"];
    if let Some(key) = table.keys().find(|key| !KEYS.contains(&key.as_str())) {
        return Err(format!("unknown key `{key}` of a classifier, expected chain or one of {}", KEYS.join(", ")));
    }
    let path = |key: &str| match table.get(key) {
        None => Ok(None),
        // The user's home directory is not a site.
        Some(toml::Value::String(path)) if path.starts_with("~/") => Ok(Some(PathBuf::from(path))),
        Some(toml::Value::String(path)) => Ok(Some(root.join(path))),
        Some(_) => Err(format!("`{key}` of a classifier must be a path")),
    };
    let limit = match table.get("timeout") {
        None => terminus::EXEC_LIMIT,
        Some(toml::Value::Integer(seconds)) if *seconds > 0 => Duration::from_secs(seconds.unsigned_abs()),
        Some(_) => return Err("`timeout` of a classifier must be a number of seconds".to_owned()),
    };
    let arguments = match table.get("arguments") {
        None => Vec::new(),
        Some(toml::Value::Array(items)) => items.iter().map(display_value).collect(),
        Some(_) => return Err("`arguments` of a classifier must be an array".to_owned()),
    };
    let url = match table.get("http") {
        None => None,
        Some(toml::Value::String(url)) => Some(url.as_str()),
        Some(_) => return Err("`http` of a classifier must be an address".to_owned()),
    };
    match (path("exec")?, path("script")?, path("groups")?, url) {
        (Some(path), None, None, None) => Ok(Terminus::Exec { path, arguments, limit }),
        (None, Some(path), None, None) => Ok(Terminus::Script(path)),
        (None, None, Some(path), None) => Ok(Terminus::Groups(path)),
        (None, None, None, Some(url)) => Ok(Terminus::Http {
            url: url.to_owned(),
            identity: Identity {
                ca: path("ca")?,
                cert: path("cert")?,
                key: path("key")?,
                crl: path("crl")?,
                token: path("token")?,
            },
        }),
        _ => Err("a classifier needs exactly one of exec, script, groups, http".to_owned()),
    }
}

impl Site {
    /// Matchers of the lines of pure commands.
    #[must_use]
    pub(crate) fn pure_commands(&self) -> Vec<globset::GlobMatcher> {
        // `open` has already checked them.
        pure_commands(&self.pure_commands).unwrap_or_default()
    }

    /// Reads the site in a directory; without `catwalk.toml` the site has the settings of `environment.conf`.
    ///
    /// # Errors
    ///
    /// The directory is missing; `catwalk.toml` does not parse or has unknown keys.
    pub fn open(root: &Path, world: &dyn World) -> Result<Site, Reason> {
        let fail = |message: String| Reason::new(Code::BAD_SITE, message);
        if world.kind(root) != Kind::Directory {
            return Err(fail(format!("Could not find a directory environment at {}", root.display())));
        }
        let path = root.join(FILE);
        let text = match world.read(&path) {
            Ok(bytes) => {
                String::from_utf8(bytes.to_vec()).map_err(|_| fail(format!("{} is not UTF-8 text", path.display())))?
            }
            Err(WorldError::Missing(_)) => String::new(),
            Err(refused) => return Err(fail(refused.to_string())),
        };
        let document: Document = toml::from_str(&text).map_err(|error| {
            let line = error.span().map_or(1, |span| 1 + text.get(..span.start).map_or(0, |t| t.matches('\n').count()));
            fail(format!("{}:{line}: {}", path.display(), error.message()))
        })?;
        let below = |path: PathBuf| root.join(path);
        let database = document.puppetdb;
        let puppetdb = database.server(root).map_err(|why| fail(format!("{}: {why}", path.display())))?;
        let exported = database.exported.map(|text| ExportedFrom::from_name(&text, |path| root.join(path)));
        let puppet = match document.puppet.as_ref().map(display_value) {
            None => None,
            Some(name) => Some(
                Version::find(&name)
                    .ok_or_else(|| fail(format!("{}: `puppet` must be 7 or 8, got {name}", path.display())))?,
            ),
        };
        Ok(Site {
            root: root.to_path_buf(),
            environment: document.environment,
            modulepath: document.modulepath.map(|paths| paths.into_iter().map(below).collect()),
            manifest: document.manifest.map(below),
            hiera: document.hiera.map(below),
            nodes: document.nodes.map(below),
            termini: termini(root, document.enc, document.classifier.as_ref())
                .map_err(|why| fail(format!("{}: {why}", path.display())))?,
            trusted: document.trusted.map(below),
            server_facts: document.server_facts.map(below),
            snapshots: document.snapshots.map(below),
            tests: document.tests.map(below),
            facts: match document.facts {
                None => Vec::new(),
                Some(Paths::One(path)) => vec![below(path)],
                Some(Paths::Several(paths)) => paths.into_iter().map(below).collect(),
            },
            output: document.output.map(below),
            puppet,
            limits: limits(&document.limits)
                .map_err(|reason| fail(format!("{}: {}", path.display(), reason.message)))?,
            autorequire: document.autorequire,
            cycles: match document.cycles.as_deref() {
                None => None,
                Some(word) => Some(Cycles::find(word).ok_or_else(|| {
                    fail(format!("{}: `cycles` must be ignore, warning or error, got {word}", path.display()))
                })?),
            },
            log_level: match document.log_level.as_deref() {
                None => None,
                Some(word) => Some(Severity::find(word).ok_or_else(|| {
                    let levels = Severity::ALL.map(Severity::as_str).join(", ");
                    fail(format!("{}: `log_level` must be one of {levels}, got {word}", path.display()))
                })?),
            },
            puppetdb,
            puppetdb_conf: database.conf.map(below),
            queue: database.queue.map(below),
            exported,
            store: database.store.map(below),
            eyaml: match document.eyaml.as_deref() {
                None => None,
                Some(word) => Some(Eyaml::find(word).ok_or_else(|| {
                    fail(format!("{}: `eyaml` must be keys or placeholder, got {word}", path.display()))
                })?),
            },
            isolate_scripts: match document.scripts.isolation.as_deref() {
                None => None,
                Some("process") => Some(true),
                Some("none") => Some(false),
                Some(word) => {
                    let path = path.display();
                    return Err(fail(format!("{path}: `isolation` of [scripts] must be process or none, got {word}")));
                }
            },
            untrusted: document.untrusted,
            pure_commands: match pure_commands(&document.commands.pure) {
                Ok(_) => document.commands.pure,
                Err(why) => return Err(fail(format!("{}: `pure` of [commands]: {why}", path.display()))),
            },
            rules: Rules::new(document.ignore, document.redact)
                .map(Arc::new)
                .map_err(|why| fail(format!("{}: {why}", path.display())))?,
            watch_ignore: document.watch.ignore,
            settings: document.settings.iter().map(|(name, value)| (name.clone(), display_value(value))).collect(),
        })
    }

    /// The PuppetDB of the table `[puppetdb]`, with the addresses of its `puppetdb.conf` if it names one.
    ///
    /// # Errors
    ///
    /// `puppetdb.conf` cannot be read.
    pub fn puppetdb(&self, world: &dyn World) -> Result<PuppetDb, Reason> {
        match &self.puppetdb_conf {
            None => Ok(self.puppetdb.clone()),
            Some(path) => read_puppetdb_conf(path, &self.puppetdb, world),
        }
    }

    /// The settings that catalogs depend on: without tests, snapshots, output, watching and comparing.
    #[must_use]
    pub(crate) fn for_catalogs(&self) -> Site {
        Site {
            snapshots: None,
            tests: None,
            facts: Vec::new(),
            output: None,
            store: None,
            queue: None,
            watch_ignore: Vec::new(),
            rules: Arc::default(),
            ..self.clone()
        }
    }

    /// The nearest directory at or above `start` with `catwalk.toml` or `environment.conf`; if there is none, the nearest with
    /// the layout of an environment: `manifests/` beside `modules/` or a Puppetfile, or `manifests/site.pp` beside `hiera.yaml`,
    /// unless `start` is in a module.
    #[must_use]
    pub fn find(start: &Path, world: &dyn World) -> Option<PathBuf> {
        let has = |dir: &Path, name: &str, kind: Kind| world.kind(&dir.join(name)) == kind;
        let is_named = |dir: &&Path| [FILE, "environment.conf"].iter().any(|name| has(dir, name, Kind::File));
        let holds_code = |dir: &&Path| {
            has(dir, "manifests", Kind::Directory)
                && (has(dir, "modules", Kind::Directory)
                    || has(dir, "Puppetfile", Kind::File)
                    // A module may also have `hiera.yaml`, but has no main manifest.
                    || (has(dir, "hiera.yaml", Kind::File) && has(dir, "manifests/site.pp", Kind::File)))
        };
        let outside = || start.ancestors().take_while(|dir| !has(dir, "metadata.json", Kind::File));
        let found = start.ancestors().find(is_named).or_else(|| outside().find(holds_code));
        found.map(Path::to_path_buf)
    }
}

/// The PuppetDB of a `puppetdb.conf`, with the identity and time limit of another configuration, which has priority.
///
/// # Errors
///
/// The file cannot be read or is invalid.
pub fn read_puppetdb_conf(path: &Path, defaults: &PuppetDb, world: &dyn World) -> Result<PuppetDb, Reason> {
    let fail = |why: &dyn std::fmt::Display| Reason::new(Code::BAD_SITE, format!("{}: {why}", path.display()));
    let bytes = world.read(path).map_err(|refused| Reason::new(Code::BAD_SITE, refused.to_string()))?;
    let text = std::str::from_utf8(&bytes).map_err(|_| fail(&"it is not UTF-8 text"))?;
    let puppetdb = read_conf(text).map_err(|why| fail(&why))?;
    Ok(PuppetDb { identity: defaults.identity.clone(), timeout: defaults.timeout.or(puppetdb.timeout), ..puppetdb })
}

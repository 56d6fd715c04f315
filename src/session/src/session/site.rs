//! `catwalk.toml`: the modules, manifest, data, nodes, classifier and snapshots of a site.

mod document;
pub(super) mod ldap;
mod position;
mod schema;

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use crate::session::ExportedFrom;
use crate::session::repository::is_module;
use crate::session::site::document::Document;
use crate::session::site::document::Invalid;
use crate::session::site::document::WrittenKey;
use crate::session::site::document::pure_commands;
use crate::session::untrusted;
use catwalk_base::diag::Code;
use catwalk_base::diag::DataLocation;
use catwalk_base::diag::Reason;
use catwalk_base::diag::Severity;
use catwalk_base::version::Version;
use catwalk_eval::Cycles;
use catwalk_eval::RubyServer;
use catwalk_formats::diff::rules::Rules;
use catwalk_hiera::Eyaml;
use catwalk_node::terminus::Terminus;
use catwalk_puppetdb::PuppetDb;
use catwalk_puppetdb::read_conf;
use catwalk_world::Kind;
use catwalk_world::World;
use catwalk_world::WorldError;
use catwalk_world::output::Place;

pub use schema::schema;

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
    pub snapshots: Option<Place>,
    /// Folder of test files.
    pub tests: Option<Place>,
    /// Files and folders of fact sets for test files.
    pub facts: Vec<PathBuf>,
    /// Folder that `compile` writes the catalogs of several nodes to.
    pub output: Option<Place>,
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
    pub queue: Option<Place>,
    /// The source of exported resources of other nodes.
    pub exported: Option<ExportedFrom>,
    /// The store that catalogs and facts of compiles go to.
    pub store: Option<Place>,
    /// How to treat encrypted data.
    pub eyaml: Option<Eyaml>,
    /// Whether each script runs in its own process.
    pub isolate_scripts: Option<bool>,
    /// The server's Ruby.
    pub ruby: RubyServer,
    /// Whether the site's code is untrusted. Only `true` has an effect: a site cannot make itself trusted.
    pub untrusted: Option<bool>,
    /// Patterns of command lines whose output depends only on the arguments.
    pub pure_commands: Vec<String>,
    /// Patterns of paths that `watch` ignores.
    pub watch_ignore: Vec<String>,
    /// The rules for ignoring differences of catalogs.
    pub rules: Arc<Rules>,
}

/// The position of a byte of `catwalk.toml`. A line with a password is not quoted.
fn location(path: &Path, contents: &[u8], at: usize) -> DataLocation {
    let location = DataLocation::at_byte(path, contents, at);
    let (before, after) = contents.split_at(at.min(contents.len()));
    let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
    let end = after.iter().position(|byte| *byte == b'\n').map_or(contents.len(), |newline| before.len() + newline);
    let line = contents.get(start..end).unwrap_or_default();
    match line.windows(12).any(|word| word == b"ldappassword") {
        true => location.without_text(),
        false => location,
    }
}

impl Site {
    /// Matchers of the lines of pure commands.
    #[must_use]
    pub(crate) fn pure_commands(&self) -> Vec<globset::GlobMatcher> {
        // `open` has already checked them.
        pure_commands(&self.pure_commands).unwrap_or_default()
    }

    /// The folder of snapshots of the site or module in `root`: by default `snapshots`.
    #[must_use]
    pub fn snapshots_place(&self, root: &Path) -> Place {
        self.snapshots.clone().unwrap_or_else(|| Place::named(root).join("snapshots"))
    }

    /// The folder of test files of the site or module in `root`: by default `tests`.
    #[must_use]
    pub fn tests_place(&self, root: &Path) -> Place {
        self.tests.clone().unwrap_or_else(|| Place::named(root).join("tests"))
    }

    /// Reads the site in a directory; without `catwalk.toml` the site has the settings of `environment.conf`.
    ///
    /// # Errors
    ///
    /// The directory is missing; `catwalk.toml` does not parse or has unknown keys.
    pub fn open(root: &Path, world: &dyn World) -> Result<Site, Reason> {
        Site::open_as(root, world, false)
    }

    /// As [`Site::open`]; `untrusted`: the command line marks the code as untrusted.
    ///
    /// # Errors
    /// As [`Site::open`].
    pub(crate) fn open_as(root: &Path, world: &dyn World, untrusted: bool) -> Result<Site, Reason> {
        let fail = |message: String| Reason::new(Code::BAD_SITE, message);
        if world.kind(root) != Kind::Directory {
            return Err(fail(format!("Could not find a directory environment at {}", root.display())));
        }
        let path = root.join(FILE);
        let text = match world.read(&path) {
            Ok(bytes) => String::from_utf8(bytes.to_vec()).map_err(|error| {
                let at = error.utf8_error().valid_up_to();
                fail(format!("{FILE} is not UTF-8 text")).in_file(location(&path, &bytes, at))
            })?,
            Err(WorldError::Missing(_)) => String::new(),
            Err(refused) => return Err(fail(refused.to_string()).because(refused.cause())),
        };
        let fail_at = |message: String, at: usize| {
            let reason = fail(message).in_file(location(&path, text.as_bytes(), at));
            reason.hint(hint_about_table(&text, at))
        };
        let document: Document = toml::from_str(&text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            fail_at(format!("{FILE}: {}", error.message()), at)
        })?;
        let invalid = |why: Invalid| fail_at(format!("{FILE}: {}", why.message), position::find(&text, &why.keys));
        let real = world.canonical(root).unwrap_or_else(|_| root.to_path_buf());
        if let Some(key) = document.written_outside(root, &real) {
            let reason = match untrusted || document.is_untrusted() {
                true => untrusted::outside_path(key.name, key.path.as_ref(), &path),
                false => writes_outside(&key),
            };
            return Err(reason.in_file(location(&path, text.as_bytes(), key.path.span().start)));
        }
        document.into_site(root, &real).map_err(invalid)
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

    /// Adds the position of a key of `catwalk.toml` to a failure about its value.
    #[must_use]
    pub(super) fn locate(&self, reason: Reason, keys: &[&str], world: &dyn World) -> Reason {
        let path = self.root.join(FILE);
        let contents = world.read(&path).unwrap_or_default();
        let text = std::str::from_utf8(&contents).unwrap_or_default();
        let keys: Vec<String> = keys.iter().map(ToString::to_string).collect();
        let at = position::find(text, &keys);
        let reason = reason.in_file(location(&path, &contents, at));
        if reason.help.is_some() { reason } else { reason.hint(hint_about_table(text, at)) }
    }

    /// The settings that catalogs depend on: without tests, snapshots, output, watching and comparing.
    #[must_use]
    pub(crate) fn catalog_settings(&self) -> Site {
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
        let outside_modules = || start.ancestors().take_while(|dir| !is_module(dir, world));
        let directory = start.ancestors().find(is_named).or_else(|| outside_modules().find(holds_code));
        directory.map(Path::to_path_buf)
    }
}

/// The hint for a key of the whole file that is below the header of a table.
fn hint_about_table(text: &str, at: usize) -> Option<String> {
    let (key, table, line) = position::key_in_table(text, at)?;
    let is_misplaced = document::KEYS.contains(&key.as_str());
    is_misplaced.then(|| {
        format!(
            "in TOML a key belongs to the table above it, so `{key}` is in [{table}] of line {line}: \
             write keys of the whole file before the first [table]"
        )
    })
}

/// An error: a repository does not decide what is written outside of it.
fn writes_outside(key: &WrittenKey<'_>) -> Reason {
    let (name, path) = (key.name, key.path.as_ref().display());
    let text = format!(
        "{FILE}: `{name}` names {path}, which is outside of the site; what is written elsewhere is named on the command line"
    );
    Reason::new(Code::WRITES_OUTSIDE, text).help(format!("remove the key, and give {}", key.option))
}

/// The PuppetDB of a `puppetdb.conf`, with the identity and time limit of another configuration, which has priority.
///
/// # Errors
///
/// The file cannot be read or is invalid.
pub fn read_puppetdb_conf(path: &Path, defaults: &PuppetDb, world: &dyn World) -> Result<PuppetDb, Reason> {
    let fail = |why: &dyn std::fmt::Display| Reason::new(Code::BAD_SITE, format!("{}: {why}", path.display()));
    let bytes = world
        .read(path)
        .map_err(|refused| Reason::new(Code::BAD_SITE, refused.to_string()).because(refused.cause()))?;
    let text = std::str::from_utf8(&bytes).map_err(|_| fail(&"it is not UTF-8 text"))?;
    let puppetdb = read_conf(text).map_err(|why| fail(&why))?;
    Ok(PuppetDb { identity: defaults.identity.clone(), timeout: defaults.timeout.or(puppetdb.timeout), ..puppetdb })
}

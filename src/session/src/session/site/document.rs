//! The contents of `catwalk.toml`.
//!
//! In: a document in TOML. Out: the [`Site`] that it configures, or its first invalid value. Must not: read files.

use std::collections::BTreeMap;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;

use crate::session::ExportedFrom;
use crate::session::site::Site;
use crate::session::site::ldap;
use crate::session::site::schema;
use catwalk_base::diag::Severity;
use catwalk_base::globs;
use catwalk_base::source::path::normalize_path;
use catwalk_base::version::Version;
use catwalk_eval::Cycles;
use catwalk_eval::Limits;
use catwalk_eval::RubyServer;
use catwalk_formats::diff::rules;
use catwalk_formats::diff::rules::Rules;
use catwalk_hiera::Eyaml;
use catwalk_node::terminus;
use catwalk_node::terminus::Terminus;
use catwalk_puppetdb::PuppetDb;
use catwalk_puppetdb::check_url;
use catwalk_world::Identity;
use catwalk_world::output::Place;

/// The keys of the whole file: those of [`Document`].
pub(super) const KEYS: [&str; 28] = [
    "environment",
    "modulepath",
    "manifest",
    "hiera",
    "nodes",
    "enc",
    "classifier",
    "trusted",
    "server_facts",
    "snapshots",
    "tests",
    "facts",
    "output",
    "puppet",
    "settings",
    "limits",
    "cycles",
    "autorequire",
    "log_level",
    "eyaml",
    "untrusted",
    "puppetdb",
    "scripts",
    "ruby",
    "commands",
    "watch",
    "ignore",
    "redact",
];

/// An invalid value of the file.
pub(super) struct Invalid {
    /// The message.
    pub(super) message: String,
    /// The keys that lead to the value.
    pub(super) keys: Vec<String>,
}

impl Invalid {
    pub(super) fn at<const N: usize>(keys: [&str; N], message: impl Into<String>) -> Invalid {
        Invalid { message: message.into(), keys: keys.map(str::to_owned).to_vec() }
    }

    fn within(mut self, keys: &[&str]) -> Invalid {
        self.keys.splice(..0, keys.iter().map(ToString::to_string));
        self
    }
}

/// The configuration of a site: `catwalk.toml`. Paths are relative to the directory of this file.
#[derive(Deserialize, JsonSchema, Default)]
#[serde(deny_unknown_fields)]
pub(super) struct Document {
    /// The name of the environment; `production` by default.
    environment: Option<String>,
    /// Directories of modules.
    modulepath: Option<Vec<PathBuf>>,
    /// The main manifest: a file, or a directory of manifests.
    manifest: Option<PathBuf>,
    /// The Hiera configuration of the environment; `hiera.yaml` by default.
    hiera: Option<PathBuf>,
    /// The folder of facts, one file for each node: `CERTNAME.json` or `CERTNAME.yaml`.
    nodes: Option<PathBuf>,
    /// The external node classifier: an executable, a script in Rhai, or a file of node groups.
    enc: Option<String>,
    /// The sources of node objects, in place of `enc`.
    #[schemars(with = "Option<schema::ClassifierTable>")]
    classifier: Option<toml::Table>,
    /// The folder of trusted data: certificates `CERTNAME.pem`, or hashes in JSON or YAML.
    trusted: Option<PathBuf>,
    /// The hash `$server_facts`, in JSON or YAML.
    server_facts: Option<PathBuf>,
    /// The folder of snapshots; `snapshots` by default.
    #[schemars(with = "Option<PathBuf>")]
    snapshots: Option<Spanned<PathBuf>>,
    /// The folder of test files; `tests` by default.
    #[schemars(with = "Option<PathBuf>")]
    tests: Option<Spanned<PathBuf>>,
    /// Files and folders of fact sets for test files.
    facts: Option<Paths>,
    /// The folder to which `compile` writes the catalogs of all nodes.
    #[schemars(with = "Option<PathBuf>")]
    output: Option<Spanned<PathBuf>>,
    /// The version of the language: 7, 8 or a release such as 8.28.
    #[serde(default)]
    #[schemars(schema_with = "schema::version")]
    puppet: Option<toml::Value>,
    /// Settings of Puppet, such as `strict_variables = true`.
    #[serde(default)]
    #[schemars(with = "BTreeMap<String, serde_json::Value>")]
    settings: toml::Table,
    /// Limits of a compile.
    #[serde(default)]
    #[schemars(schema_with = "schema::limits")]
    limits: toml::Table,
    /// How to treat dependency cycles; `warning` by default.
    #[schemars(extend("enum" = ["ignore", "warning", "error"]))]
    cycles: Option<String>,
    /// Whether catalogs get the relationships that resource types imply.
    autorequire: Option<bool>,
    /// The lowest level of messages to print.
    #[schemars(extend("enum" = Severity::ALL.map(Severity::as_str)))]
    log_level: Option<String>,
    /// How to treat values encrypted with eyaml: decrypt them with keys, or replace them by placeholders.
    #[schemars(extend("enum" = ["keys", "placeholder"]))]
    eyaml: Option<String>,
    /// Whether the code of the site is untrusted.
    untrusted: Option<bool>,
    /// The PuppetDB of the site, and stores in its place.
    #[serde(default)]
    puppetdb: Database,
    /// How scripts in Rhai run.
    #[serde(default)]
    scripts: Scripts,
    /// The server's Ruby.
    #[serde(default)]
    ruby: Ruby,
    /// Commands that code of the site starts.
    #[serde(default)]
    commands: Commands,
    /// What `watch` does.
    #[serde(default)]
    watch: Watch,
    /// Differences of catalogs to ignore.
    #[serde(default)]
    ignore: Vec<rules::Ignore>,
    /// Values to replace before catalogs are compared.
    #[serde(default)]
    redact: Vec<rules::Redact>,
}

/// One path or several.
#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
enum Paths {
    /// One path.
    One(PathBuf),
    /// Several paths.
    Several(Vec<PathBuf>),
}

/// Table `watch`.
#[derive(Deserialize, JsonSchema, Default)]
#[serde(deny_unknown_fields, default)]
struct Watch {
    /// Patterns of paths to ignore.
    ignore: Vec<String>,
}

/// Table `commands`.
#[derive(Deserialize, JsonSchema, Default)]
#[serde(deny_unknown_fields, default)]
struct Commands {
    /// Patterns of command lines whose output depends only on their arguments.
    pure: Vec<String>,
}

/// Table `scripts`.
#[derive(Deserialize, JsonSchema, Default)]
#[serde(deny_unknown_fields, default)]
struct Scripts {
    /// Whether each script runs in its own process.
    #[schemars(extend("enum" = ["process", "none"]))]
    isolation: Option<String>,
}

/// Table `ruby`.
#[derive(Deserialize, JsonSchema, Default)]
#[serde(deny_unknown_fields, default)]
struct Ruby {
    /// Gems that the server has besides Puppet's own: `pson`.
    gems: Vec<String>,
    /// The version of Ruby, such as 3.2: from 3.4 on, `inspect` of hashes has another form.
    version: Option<String>,
}

impl Ruby {
    fn server(&self) -> Result<RubyServer, Invalid> {
        if let Some(gem) = self.gems.iter().find(|gem| *gem != "pson") {
            let message = format!(
                "`gems` of [ruby] knows the gem pson, got '{gem}': other gems change no catalog that Catwalk compiles"
            );
            return Err(Invalid::at(["ruby", "gems"], message));
        }
        let number = |text: &str| -> Option<(u32, u32)> {
            let (major, rest) = text.split_once('.')?;
            Some((major.parse().ok()?, rest.split('.').next()?.parse().ok()?))
        };
        let version = self.version.as_deref().map(|text| {
            number(text).ok_or_else(|| {
                let message = format!("`version` of [ruby] must be a version of Ruby such as 3.4, got '{text}'");
                Invalid::at(["ruby", "version"], message)
            })
        });
        let has_spaced_hashes = version.transpose()?.is_some_and(|version| version >= (3, 4));
        Ok(RubyServer { has_pson: !self.gems.is_empty(), has_spaced_hashes })
    }
}

/// Table `puppetdb`.
#[derive(Deserialize, JsonSchema, Default)]
#[serde(deny_unknown_fields, default)]
struct Database {
    /// The address.
    url: Option<String>,
    /// Several addresses, which are tried in turn.
    urls: Vec<String>,
    /// The `puppetdb.conf` with the addresses.
    conf: Option<PathBuf>,
    /// The certificate of the authority that signed PuppetDB's (PEM).
    #[serde(alias = "ssl_ca")]
    ca: Option<PathBuf>,
    /// The certificate to present (PEM).
    #[serde(alias = "ssl_cert")]
    cert: Option<PathBuf>,
    /// The key of that certificate (PEM).
    #[serde(alias = "ssl_key")]
    key: Option<PathBuf>,
    /// Revocation lists (PEM).
    #[serde(alias = "ssl_crl")]
    crl: Option<PathBuf>,
    /// The time limit of a request in seconds.
    timeout: Option<f64>,
    /// The directory of commands that PuppetDB has not accepted yet.
    #[schemars(with = "Option<PathBuf>")]
    queue: Option<Spanned<PathBuf>>,
    /// The source of exported resources: `site`, `puppetdb`, an address, a directory of catalogs, or a store.
    exported: Option<String>,
    /// The store of catalogs and facts.
    #[schemars(with = "Option<PathBuf>")]
    store: Option<Spanned<PathBuf>>,
}

impl Database {
    /// The PuppetDB of the table, without that of its `puppetdb.conf`.
    fn puppetdb(&self, root: &Path) -> Result<PuppetDb, Invalid> {
        let urls: Vec<String> = self.url.iter().chain(&self.urls).cloned().collect();
        let key = if self.url.as_ref().is_some_and(|url| check_url(url).is_err()) { "url" } else { "urls" };
        urls.iter().try_for_each(|url| check_url(url)).map_err(|why| Invalid::at(["puppetdb", key], why))?;
        if self.conf.is_some() && !urls.is_empty() {
            let message = "`conf` of [puppetdb] has the addresses: leave out `url` and `urls`";
            return Err(Invalid::at(["puppetdb", "conf"], message));
        }
        let in_root = |path: &Option<PathBuf>| path.as_ref().map(|path| root.join(path));
        let timeout =
            self.timeout.map(|seconds| Duration::try_from_secs_f64(seconds).ok().filter(|time| !time.is_zero()));
        Ok(PuppetDb {
            urls,
            identity: Identity {
                ca: in_root(&self.ca),
                cert: in_root(&self.cert),
                key: in_root(&self.key),
                crl: in_root(&self.crl),
                token: None,
            },
            timeout: timeout
                .map(|time| {
                    let message = "`timeout` of [puppetdb] must be a number of seconds";
                    time.ok_or_else(|| Invalid::at(["puppetdb", "timeout"], message))
                })
                .transpose()?,
            ..PuppetDb::default()
        })
    }
}

/// A key that names a path to write to.
pub(super) struct WrittenKey<'d> {
    pub(super) name: &'static str,
    /// The option that names such a path on the command line.
    pub(super) option: &'static str,
    pub(super) path: &'d Spanned<PathBuf>,
}

/// The place of a path below the site; `real` is the site's path without links. `None`: it is outside.
fn place_below(path: &Path, root: &Path, real: &Path) -> Option<Place> {
    if !path.is_absolute() {
        return Place::below(root, path);
    }
    let normal = normalize_path(path);
    let below = [root, real].iter().find_map(|root| normal.strip_prefix(root).ok())?;
    Place::below(root, below)
}

impl Document {
    /// Whether the file marks the site's code as untrusted.
    pub(super) fn is_untrusted(&self) -> bool {
        self.untrusted == Some(true)
    }

    /// The first key that would write outside of the site.
    pub(super) fn written_outside(&self, root: &Path, real: &Path) -> Option<WrittenKey<'_>> {
        let keys = [
            ("snapshots", "--snapshots DIR", &self.snapshots),
            ("tests", "--tests DIR", &self.tests),
            ("output", "--output DIR", &self.output),
            ("queue", "--queue DIR", &self.puppetdb.queue),
            ("store", "--store FILE.db", &self.puppetdb.store),
        ];
        let mut outside = keys.into_iter().filter_map(|(name, option, path)| {
            let path = path.as_ref().filter(|path| place_below(path.as_ref(), root, real).is_none())?;
            Some(WrittenKey { name, option, path })
        });
        outside.next()
    }

    /// Converts the document to the configuration of the site in `root`.
    ///
    /// # Errors
    /// Returns the first invalid value.
    pub(super) fn into_site(self, root: &Path, real: &Path) -> Result<Site, Invalid> {
        let in_root = |path: PathBuf| root.join(path);
        let place = |path: Option<Spanned<PathBuf>>| place_below(path?.as_ref(), root, real);
        let log_levels = || format!("one of {}", Severity::ALL.map(Severity::as_str).join(", "));
        let version = self.puppet.as_ref().map(display_value);
        Ok(Site {
            root: root.to_path_buf(),
            environment: self.environment,
            puppetdb: self.puppetdb.puppetdb(root)?,
            puppet: parse_word(["puppet"], version.as_deref(), Version::find, Version::known)?,
            modulepath: self.modulepath.map(|paths| paths.into_iter().map(in_root).collect()),
            manifest: self.manifest.map(in_root),
            hiera: self.hiera.map(in_root),
            nodes: self.nodes.map(in_root),
            termini: termini(root, self.enc, self.classifier.as_ref())?,
            trusted: self.trusted.map(in_root),
            server_facts: self.server_facts.map(in_root),
            snapshots: place(self.snapshots),
            tests: place(self.tests),
            facts: match self.facts {
                None => Vec::new(),
                Some(Paths::One(path)) => vec![in_root(path)],
                Some(Paths::Several(paths)) => paths.into_iter().map(in_root).collect(),
            },
            output: place(self.output),
            limits: limits(&self.limits)?,
            autorequire: self.autorequire,
            cycles: parse_word(["cycles"], self.cycles.as_deref(), Cycles::find, || {
                "ignore, warning or error".to_owned()
            })?,
            log_level: parse_word(["log_level"], self.log_level.as_deref(), Severity::find, log_levels)?,
            puppetdb_conf: self.puppetdb.conf.map(in_root),
            queue: place(self.puppetdb.queue),
            exported: self.puppetdb.exported.map(|name| ExportedFrom::from_name(&name, |path| root.join(path))),
            store: place(self.puppetdb.store),
            eyaml: parse_word(["eyaml"], self.eyaml.as_deref(), Eyaml::find, || "keys or placeholder".to_owned())?,
            isolate_scripts: self.scripts.is_isolated()?,
            ruby: self.ruby.server()?,
            untrusted: self.untrusted,
            pure_commands: match pure_commands(&self.commands.pure) {
                Ok(_) => self.commands.pure,
                Err(why) => return Err(Invalid::at(["commands", "pure"], format!("`pure` of [commands]: {why}"))),
            },
            rules: Rules::new(self.ignore, self.redact).map(Arc::new).map_err(|why| Invalid::at(["redact"], why))?,
            watch_ignore: self.watch.ignore,
            settings: self.settings.iter().map(|(name, value)| (name.clone(), display_value(value))).collect(),
        })
    }
}

impl Scripts {
    /// Whether each script runs in its own process; `None` if the table does not say.
    fn is_isolated(&self) -> Result<Option<bool>, Invalid> {
        let find = |word: &str| match word {
            "process" => Some(true),
            "none" => Some(false),
            _ => None,
        };
        parse_word(["scripts", "isolation"], self.isolation.as_deref(), find, || "process or none".to_owned())
    }
}

/// The value that a word of the file names; `keys` lead to it, and `expected` describes the valid words in an error.
fn parse_word<T, const N: usize>(
    keys: [&str; N],
    word: Option<&str>,
    find: impl Fn(&str) -> Option<T>,
    expected: impl Fn() -> String,
) -> Result<Option<T>, Invalid> {
    let name = match keys.as_slice() {
        [table, key] => format!("`{key}` of [{table}]"),
        keys => format!("`{}`", keys.join(".")),
    };
    let invalid = |word| Invalid::at(keys, format!("{name} must be {}, got {word}", expected()));
    word.map(|word| find(word).ok_or_else(|| invalid(word))).transpose()
}

/// A value of the file as a string, as for `--set`.
fn display_value(value: &toml::Value) -> String {
    match value {
        toml::Value::String(text) => text.clone(),
        toml::Value::Array(items) => items.iter().map(display_value).collect::<Vec<_>>().join(","),
        other => other.to_string(),
    }
}

/// Matchers of patterns of command lines.
pub(super) fn pure_commands(patterns: &[String]) -> Result<Vec<globset::GlobMatcher>, String> {
    let matcher = |pattern: &String| globs::matcher(pattern, false).map_err(|why| format!("'{pattern}': {why}"));
    patterns.iter().map(matcher).collect()
}

/// The table of limits, checked one by one.
fn limits(table: &toml::Table) -> Result<Vec<(String, String)>, Invalid> {
    let limits = table.iter().map(|(name, value)| (name.clone(), display_value(value)));
    let checked = |(name, value): (String, String)| match Limits::default().set(&name, &value) {
        Ok(()) => Ok((name, value)),
        Err(reason) => Err(Invalid::at(["limits", &name], reason.message)),
    };
    limits.map(checked).collect()
}

/// The termini of `enc` or of the table `[classifier]`: one terminus, or several in `chain`.
fn termini(root: &Path, enc: Option<String>, table: Option<&toml::Table>) -> Result<Vec<Terminus>, Invalid> {
    let Some(table) = table else {
        return Ok(enc.map(|text| Terminus::parse(&text, root)).into_iter().collect());
    };
    if enc.is_some() {
        let message = "`enc` and `[classifier]` cannot both be set: put the classifier into `chain`";
        return Err(Invalid::at(["enc"], message));
    }
    let Some(chain) = table.get("chain") else {
        return Ok(vec![table_terminus(root, table).map_err(|why| why.within(&["classifier"]))?]);
    };
    if let Some(key) = table.keys().find(|key| *key != "chain") {
        let message = format!("`[classifier]` with `chain` has no other keys, and it has `{key}`");
        return Err(Invalid::at(["classifier", key], message));
    }
    let toml::Value::Array(links) = chain else {
        return Err(Invalid::at(["classifier", "chain"], "`chain` must be an array"));
    };
    let terminus = |(number, link): (usize, &toml::Value)| {
        let terminus = match link {
            toml::Value::String(path) => Ok(Terminus::parse(path, root)),
            toml::Value::Table(table) => table_terminus(root, table),
            _ => Err(Invalid::at([], "an item of `chain` must be a path or a table")),
        };
        terminus.map_err(|why| why.within(&["classifier", "chain", &number.to_string()]))
    };
    links.iter().enumerate().map(terminus).collect()
}

/// One terminus from a table: `{groups = PATH}`, `{script = PATH}`, `{exec = PATH, timeout = SECONDS}`,
/// `{http = URL, ca, cert, key, crl, token}`, `{ldap = TABLE}`.
fn table_terminus(root: &Path, table: &toml::Table) -> Result<Terminus, Invalid> {
    const KEYS: [&str; 12] =
        ["exec", "arguments", "groups", "script", "http", "ldap", "ca", "cert", "key", "crl", "token", "timeout"];
    if let Some(key) = table.keys().find(|key| !KEYS.contains(&key.as_str())) {
        let message = format!("unknown key `{key}` of a classifier, expected chain or one of {}", KEYS.join(", "));
        return Err(Invalid::at([key], message));
    }
    if let Some(directory) = table.get("ldap") {
        if let Some(key) = table.keys().find(|key| *key != "ldap") {
            let message =
                format!("a classifier with `ldap` has no other keys, and it has `{key}`: put it into the table `ldap`");
            return Err(Invalid::at([key], message));
        }
        return Ok(Terminus::Ldap(Box::new(ldap::settings(root, directory)?)));
    }
    let path = |key: &str| match table.get(key) {
        None => Ok(None),
        // The user's home directory is not a site.
        Some(toml::Value::String(path)) if path.starts_with("~/") => Ok(Some(PathBuf::from(path))),
        Some(toml::Value::String(path)) => Ok(Some(root.join(path))),
        Some(_) => Err(Invalid::at([key], format!("`{key}` of a classifier must be a path"))),
    };
    let limit = match table.get("timeout") {
        None => terminus::EXEC_LIMIT,
        Some(toml::Value::Integer(seconds)) if *seconds > 0 => Duration::from_secs(seconds.unsigned_abs()),
        Some(_) => {
            return Err(Invalid::at(["timeout"], "`timeout` of a classifier must be a number of seconds"));
        }
    };
    let arguments = match table.get("arguments") {
        None => Vec::new(),
        Some(toml::Value::Array(items)) => items.iter().map(display_value).collect(),
        Some(_) => {
            return Err(Invalid::at(["arguments"], "`arguments` of a classifier must be an array"));
        }
    };
    let url = match table.get("http") {
        None => None,
        Some(toml::Value::String(url)) => Some(url.as_str()),
        Some(_) => return Err(Invalid::at(["http"], "`http` of a classifier must be an address")),
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
        _ => Err(Invalid::at([], "a classifier needs exactly one of exec, script, groups, http, ldap")),
    }
}

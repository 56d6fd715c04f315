//! The options of a session.
//!
//! In: options of the command line, the configuration of a site. Out: both merged, with Puppet's settings. Must not: read files.

use std::path::PathBuf;
use std::sync::Arc;

use indexmap::IndexMap;

use crate::session::ExportedFrom;
use crate::session::combine::Combine;
use crate::session::dependencies::Dependency;
use crate::session::secret_key::KeySource;
use crate::session::site;
use crate::session::site::Site;
use catwalk_base::diag::Code;
use catwalk_base::diag::Reason;
use catwalk_base::diag::Severity;
use catwalk_base::version::Version;
use catwalk_eval::Cycles;
use catwalk_eval::LogLevel;
use catwalk_eval::Settings;
use catwalk_hiera::Eyaml;
use catwalk_node::facts::Agent;
use catwalk_node::terminus::EXEC_LIMIT;
use catwalk_node::terminus::Terminus;
use catwalk_program::Module;
use catwalk_world::World;
use catwalk_world::output::Place;
use catwalk_world::tape;

/// The options of a session, of one source or combined from several ([`Combine`]): `None` is set by none of them. Paths are absolute.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The site's directory; `None` if only a manifest or code was named.
    pub root: Option<PathBuf>,
    /// Environment name.
    pub environment: Option<String>,
    /// Directories of modules.
    pub modulepath: Option<Vec<PathBuf>>,
    /// Main manifest.
    pub manifest: Option<PathBuf>,
    /// An individually named module: its name and directory.
    pub module: Option<Module>,
    /// Individually named modules that the module needs.
    pub fixtures: Vec<Module>,
    /// The modules that the module's metadata depends on.
    pub dependencies: Vec<Dependency>,
    /// Code instead of the main manifest.
    pub code: Option<String>,
    /// The file of facts of the node that is compiled.
    pub facts: Option<PathBuf>,
    /// Facts without a file, for every node: facts with the node's name are adapted. They win over those of a file.
    pub fact_set: Option<Arc<catwalk_value::Hash>>,
    /// Facts that win over those of files and sets, for every node.
    pub fact_overrides: Vec<catwalk_node::facts::overrides::FactOverride>,
    /// `$trusted`
    pub trusted: Option<PathBuf>,
    /// `$server_facts`
    pub server_facts: Option<PathBuf>,
    /// Classifier.
    pub enc: Option<PathBuf>,
    /// The classifier that Puppet's settings name (`node_terminus`, `external_nodes`).
    pub external_nodes: Vec<Terminus>,
    /// Global Hiera configuration.
    pub hiera: Option<PathBuf>,
    /// Version of the language; by default 7.
    pub puppet: Option<Version>,
    /// Puppet's settings from `--set`; they win over those of `catwalk.toml`.
    pub set: Vec<(String, String)>,
    /// Limits by name; they win over those of `catwalk.toml`.
    pub limits: Vec<(String, String)>,
    /// How to treat dependency cycles; by default, they are warnings.
    pub cycles: Option<Cycles>,
    /// Whether catalogs get the relationships that resource types imply; by default, they do not.
    pub autorequire: Option<bool>,
    /// Whether the node is not one of the site's: it may have no facts, and the site's classifier is not used.
    pub unlisted: bool,
    /// Whether nodes are not classified.
    pub unclassified: bool,
    /// How to treat encrypted data; by default, it is decrypted.
    pub eyaml: Option<Eyaml>,
    /// The source of exported resources of other nodes, if there is one.
    pub exported: Option<ExportedFrom>,
    /// The store that catalogs and facts of compiles go to, if there is one.
    pub store: Option<Place>,
    /// Folder of catalog snapshots, in place of that of the site.
    pub snapshots: Option<Place>,
    /// Folder of test files, in place of that of the site.
    pub tests: Option<Place>,
    /// Whether compiles keep the facts of their nodes, for a store or PuppetDB.
    pub keep_facts: bool,
    /// Whether external responses are recorded or replayed.
    pub tape: Option<tape::Mode>,
    /// Whether each script runs in its own process; by default, it does not.
    pub isolate_scripts: Option<bool>,
    /// Gems that the server's Ruby has besides Puppet's own, in addition to those of `catwalk.toml`.
    pub gems: Vec<String>,
    /// Whether nodes of the site lose the legacy facts in their files, as if newer agents had sent them.
    pub drop_legacy_facts: bool,
    /// Whether the site's code is untrusted: it may not start processes, use the network, see environment variables or read
    /// outside of the site. `catwalk.toml` can also declare it untrusted.
    pub untrusted: bool,
    /// Files and directories outside of the site that untrusted code may read, besides those in other options.
    pub readable: Vec<PathBuf>,
    /// The working directory: relative paths of untrusted code start from it.
    pub directory: PathBuf,
    /// The program of worker processes; `None`: this program.
    pub worker: Option<PathBuf>,
    /// The source of the key for tokens of secrets.
    pub key: KeySource,
    /// The lowest level of messages that are printed; by default `notice`.
    pub log_level: Option<Severity>,
    /// The settings that compiles of the open session use.
    pub settings: Settings,
}

impl Options {
    /// Whether facts for the compiled node were passed.
    #[must_use]
    pub fn has_facts(&self) -> bool {
        self.facts.is_some() || self.fact_set.is_some()
    }

    /// Whether messages of this level are printed. Tests may need more levels.
    #[must_use]
    pub fn prints(&self, level: Severity) -> bool {
        level >= self.log_level.unwrap_or(Severity::Notice)
    }

    /// The agent of made-up facts: with the version of these options or of the site, and its setting `include_legacy_facts`.
    #[must_use]
    pub fn agent(&self, site: Option<&Site>) -> Agent {
        let version = self.version(site);
        let settings = site.iter().flat_map(|site| &site.settings).map(|(name, value)| (name, value));
        let settings = settings.chain(self.set.iter().map(|(name, value)| (name, value)));
        let include = settings.rev().find(|(name, _)| *name == "include_legacy_facts");
        Agent::new(version, include.map(|(_, value)| value == "true"))
    }

    /// The version of the language with these options, in this site.
    fn version(&self, site: Option<&Site>) -> Version {
        self.puppet.combine(site.and_then(|site| site.puppet)).unwrap_or_default()
    }

    /// The options completed by the site's version and settings; settings replace options that are missing.
    pub(super) fn merge_site(&self, site: &Site, world: &dyn World) -> Result<Options, Reason> {
        let version = self.version(Some(site));
        let initial = self.settings.clone();
        let mut settings = Settings { version, values: IndexMap::new(), ..Settings::for_version(version) };
        settings.ruby = site.ruby;
        settings.ruby.has_pson |= version.pson || self.gems.iter().any(|gem| gem == "pson");
        settings.limits = initial.limits;
        for (name, value) in site.limits.iter().chain(&self.limits) {
            settings.limits.set(name, value)?;
        }
        settings.interrupt = initial.interrupt;
        settings.relationship_origins = initial.relationship_origins;
        settings.rich_data = initial.rich_data;
        settings.deferred_warnings = initial.deferred_warnings;
        settings.coverage = initial.coverage;
        let log_level = site.log_level.map(|level| ("log_level".to_owned(), level.as_str().to_owned()));
        let failed = |reason: Reason| Reason { code: Code::BAD_SETTING, ..reason };
        for (name, value) in log_level.iter().chain(&site.settings) {
            let set = settings.set(name, value).map_err(failed);
            set.map_err(|reason| site.locate(reason, &["settings", name], world))?;
        }
        for (name, value) in &self.set {
            settings.set(name, value).map_err(failed)?;
        }
        let value = |name: &str| settings.values.get(name).filter(|value| !value.is_empty()).cloned();
        let of_settings = Options {
            environment: value("environment"),
            hiera: value("hiera_config").map(PathBuf::from),
            manifest: value("manifest").map(PathBuf::from),
            modulepath: value("modulepath").map(|list| list.split(':').map(PathBuf::from).collect()),
            code: value("code"),
            ..Options::default()
        };
        let mut options = self.clone().combine(of_settings).with_site(site);
        settings.cycles = options.cycles.unwrap_or(initial.cycles);
        settings.automatic_relationships = options.autorequire.unwrap_or_default();
        if let Some(hiera) = options.hiera.as_ref().and_then(|path| path.to_str()).filter(|path| !path.contains('$')) {
            settings.values.insert("hiera_config".to_owned(), hiera.to_owned());
        }
        let value = |name: &str| settings.values.get(name).filter(|value| !value.is_empty()).cloned();
        if value("node_terminus").as_deref() == Some("exec") {
            // The setting is a command with arguments.
            let command = value("external_nodes").filter(|command| command != "none").unwrap_or_default();
            let mut words = command.split_ascii_whitespace().map(str::to_owned);
            options.external_nodes = words
                .next()
                .map(|path| Terminus::Exec { path: path.into(), arguments: words.collect(), limit: EXEC_LIMIT })
                .into_iter()
                .collect();
        }
        if value("node_terminus").as_deref() == Some("ldap") {
            let directory = site::ldap::from_settings(&settings.values).map_err(failed)?;
            options.external_nodes = vec![Terminus::Ldap(Box::new(directory))];
        }
        if options.exported.is_some() && !settings.values.contains_key("storeconfigs") {
            settings.set("storeconfigs", "true")?;
        }
        if let Some(level) = self.log_level {
            settings.log_level = LogLevel::from(level);
        }
        options.log_level = Severity::ALL.into_iter().find(|level| settings.log_level.includes(*level));
        options.settings = settings;
        Ok(options)
    }
}

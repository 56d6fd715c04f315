//! Nodes of the site: their facts, and the environment that a classifier assigns.

use std::path::PathBuf;
use std::sync::Arc;

use indexmap::IndexMap;

use crate::session::Session;
use crate::session::inventory;
use crate::session::layers::NodeFacts;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::diag::Severity;
use catwalk_base::names::did_you_mean;
use catwalk_base::source::path::shown;
use catwalk_classifier::Subject;
use catwalk_node::facts;
use catwalk_program::Environment;
use catwalk_program::Settings;
use catwalk_world::Kind;
use catwalk_world::RecordingWorld;
use catwalk_world::World;

impl Session {
    /// Removes lines of levels that are not logged.
    pub(super) fn keep_printed(&self, lines: &mut Vec<Diagnostic>) {
        lines.retain(|line| self.options.settings.log_level.includes(line.severity));
    }

    /// A node of the site as rules of groups see it.
    ///
    /// # Errors
    /// The node does not exist, or its facts or trusted data cannot be read.
    pub fn subject(&self, certname: &str) -> Result<Subject, Box<Diagnostic>> {
        let world = Arc::new(RecordingWorld::new(self.world.clone()));
        let facts = self.facts(certname, &world)?;
        let trusted = self.trusted(certname, world.as_ref())?;
        Ok(Subject::new(certname, facts.values, Arc::new(trusted)))
    }

    /// The environment that a classifier chose: a directory beside the site's, as in Puppet; else the site's code with this
    /// environment name.
    pub(super) fn open_assigned_environment(
        &self,
        name: &str,
        environment: &Arc<Environment>,
        world: &Arc<RecordingWorld>,
        logs: &mut Vec<Diagnostic>,
    ) -> Result<Arc<Environment>, Box<Diagnostic>> {
        let directory = self.options.root.as_deref().and_then(|root| Some(root.parent()?.join(name)));
        let is_valid = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        if !is_valid {
            let reason = Reason::new(Code::ENC_FAILED, format!("Invalid environment name '{name}'"));
            return Err(Box::from(reason));
        }
        if let Some(directory) = directory
            && ["manifests", "modules", "environment.conf"]
                .iter()
                .any(|entry| world.kind(&directory.join(entry)) != Kind::Missing)
        {
            let overrides = catwalk_program::Overrides::default();
            let settings = Settings { values: IndexMap::default(), ..self.options.settings.environment_settings() };
            let metadata = &self.layers.metadata;
            let opened =
                Environment::open_with(name, Some(&directory), &overrides, &settings, metadata, world.as_ref());
            let (environment, warnings) = opened?;
            logs.extend(warnings);
            return Ok(Arc::new(environment));
        }
        let text = format!("there is no directory of environment '{name}' beside the site: the site's code is used");
        logs.push(Diagnostic::new(Reason::new(Code::NO_ENVIRONMENT_DIRECTORY, text), None).severity(Severity::Info));
        Ok(Arc::new(Environment { name: Arc::from(name), ..environment.as_ref().clone() }))
    }

    /// The facts of a node.
    ///
    /// # Errors
    /// The node is unknown, or the file of its facts cannot be read.
    pub(super) fn facts(&self, certname: &str, world: &Arc<RecordingWorld>) -> Result<NodeFacts, Reason> {
        if let Some(set) = &self.options.fact_set {
            return Ok(NodeFacts::new(facts::rename_host(set, certname)).with_overrides(&self.options.fact_overrides));
        }
        let facts = match self.facts_file(certname, world)? {
            Some(path) => self.layers.facts(&path, world.as_ref())?,
            None => NodeFacts::default(),
        };
        let facts = if self.options.drop_legacy_facts { facts.without_legacy() } else { facts };
        Ok(facts.with_overrides(&self.options.fact_overrides))
    }

    /// The file of a node's facts; `None` if the node may lack facts.
    ///
    /// # Errors
    ///
    /// The node must have facts and has none.
    fn facts_file(&self, certname: &str, world: &Arc<RecordingWorld>) -> Result<Option<PathBuf>, Reason> {
        if let Some(path) = &self.options.facts {
            return Ok(Some(path.clone()));
        }
        let Some(folder) = &self.site.nodes else { return Ok(None) };
        // The list of nodes matters only if this node is missing.
        let inventory = match self.layers.nodes(folder, self.world.as_ref()) {
            Ok(inventory) if inventory.contains_key(certname) => {
                for extension in inventory::EXTENSIONS {
                    world.kind(&folder.join(format!("{certname}{extension}")));
                }
                inventory
            }
            _ => self.layers.nodes(folder, world.as_ref())?,
        };
        match inventory.get(certname) {
            Some(path) => Ok(Some(path.clone())),
            None if self.options.unlisted => Ok(None),
            None => {
                let text = format!("no facts of node '{certname}' in {}", shown(folder, self.options.root.as_deref()));
                let reason = Reason::new(Code::UNKNOWN_NODE, text);
                // Suggest the full name for a host name: `web1.example.com` for `web1`.
                let is_full_name =
                    |name: &&Arc<str>| name.strip_prefix(certname).is_some_and(|rest| rest.starts_with('.'));
                let near = match inventory.keys().find(is_full_name) {
                    Some(name) => Some(format!("did you mean '{name}'?")),
                    None => did_you_mean(certname, inventory.keys().map(AsRef::as_ref)),
                };
                let how = "`catwalk node list` lists the nodes; to use a node that is not listed, add --facts FILE"
                    .to_owned();
                Err(reason.help(match near {
                    Some(near) => format!("{near} {how}"),
                    None => how,
                }))
            }
        }
    }
}

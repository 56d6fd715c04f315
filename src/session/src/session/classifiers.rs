//! Opens the classifiers of a site.

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use crate::session::Session;
use crate::session::classifier_data::ClassifierData;
use catwalk_base::diag::Diagnostic;
use catwalk_base::secrets::SecretCollection;
use catwalk_classifier::Groups;
use catwalk_classifier::Subject;
use catwalk_eval::Settings;
use catwalk_node::classify::DataSource;
use catwalk_node::classify::Exec;
use catwalk_node::documents::Classified;
use catwalk_node::groups::GroupsError;
use catwalk_node::groups::GroupsTerminus;
use catwalk_node::ldap::Ldap;
use catwalk_node::service::Service;
use catwalk_node::terminus::Chain;
use catwalk_node::terminus::Link;
use catwalk_node::terminus::Terminus;
use catwalk_program::Environment;
use catwalk_scripting::RhaiEnc;
use catwalk_scripting::RhaiGroups;
use catwalk_world::Kind;
use catwalk_world::RecordingWorld;
use catwalk_world::World;

type Fallible<T> = Result<T, Box<Diagnostic>>;

impl Session {
    /// The classifiers to use: `--enc`, otherwise those of the site.
    #[must_use]
    pub fn termini(&self) -> Vec<Terminus> {
        match &self.options.enc {
            _ if self.options.unclassified => Vec::new(),
            Some(path) => vec![Terminus::from_path(path.clone())],
            None if !self.options.external_nodes.is_empty() => self.options.external_nodes.clone(),
            None if self.options.unlisted => Vec::new(),
            None => self.site.termini.clone(),
        }
    }

    /// Whether the site or an option names a classifier, even if this session does not use it.
    #[must_use]
    pub fn is_classified(&self) -> bool {
        self.options.enc.is_some() || !self.options.external_nodes.is_empty() || !self.site.termini.is_empty()
    }

    /// All classifiers as one, which merges their classifications.
    pub(super) fn classifier<'a>(
        &'a self,
        environment: &Arc<Environment>,
        world: &dyn World,
        data: &'a dyn DataSource,
    ) -> Fallible<Chain<'a>> {
        let mut links: Vec<(Arc<str>, Link<'a>)> = Vec::new();
        for terminus in self.termini() {
            let name: Arc<str> = Arc::from(terminus.display(self.options.root.as_deref()));
            match terminus {
                Terminus::Exec { path, arguments, limit } => {
                    links.push((name, Link::Other(Box::new(Exec { path, arguments, limit }))));
                }
                Terminus::Http { url, identity } => {
                    links.push((name, Link::Other(Box::new(Service { url, identity }))))
                }
                Terminus::Ldap(settings) => links.push((name, Link::Other(Box::new(Ldap { settings: *settings })))),
                Terminus::Script(path) => {
                    let (groups, classify) = self.scripts.find_entry_points(&path, world)?;
                    if groups {
                        links.push((name.clone(), Link::Groups(self.groups_terminus(&path, environment))));
                    }
                    if classify || !groups {
                        links.push((name, Link::Other(Box::new(self.script(path, environment, data)))));
                    }
                }
                Terminus::Groups(path) => {
                    links.push((name.clone(), Link::Groups(self.groups_terminus(&path, environment))));
                    for script in scripts(&path, world) {
                        if self.scripts.find_entry_points(&script, world)?.1 {
                            let name = Terminus::Script(script.clone()).display(self.options.root.as_deref());
                            links
                                .push((Arc::from(name), Link::Other(Box::new(self.script(script, environment, data)))));
                        }
                    }
                }
            }
        }
        Ok(Chain { links })
    }

    fn script<'a>(&self, path: PathBuf, environment: &Arc<Environment>, data: &'a dyn DataSource) -> RhaiEnc<'a> {
        RhaiEnc { path, data: Some(data), scripts: self.scripts.clone(), environment: environment.clone() }
    }

    fn groups_terminus(&self, path: &Path, environment: &Arc<Environment>) -> GroupsTerminus {
        let scripts = RhaiGroups { scripts: self.scripts.clone(), environment: environment.clone() };
        GroupsTerminus { files: self.layers.group_files(path), scripts: Box::new(scripts) }
    }

    /// Classifies a node that is described completely, with the classifiers of the site or only the node groups in `groups`, and reads
    /// the result: documents are made while scripts may still run. Returns the messages of scripts, too.
    pub fn classify_for_documents<T>(
        &self,
        node: &Subject,
        groups: Option<&Path>,
        read: impl FnOnce(&Classified, &dyn World) -> Fallible<T>,
    ) -> (Fallible<T>, Vec<Diagnostic>) {
        let node_world = match self.node_world(node.name()) {
            Ok(node_world) => node_world,
            Err(reason) => return (Err(Box::from(reason)), Vec::new()),
        };
        let secrets = Arc::new(SecretCollection::default());
        let world = node_world.recording(&secrets);
        let Settings { limits, interrupt, .. } = &self.options.settings;
        let guarded = self.guard(
            &secrets,
            |logs| {
                let environment = self.environment_for_groups(&world, logs)?;
                let done = limits.within_time(interrupt.clone(), || {
                    let data = ClassifierData { session: self, environment: environment.clone(), world: world.clone() };
                    let chain = match groups {
                        Some(path) => self.chain_of_groups(path, &environment),
                        None => self.classifier(&environment, world.as_ref(), &data)?,
                    };
                    let classified = chain.classify_for_documents(node, &environment.name, world.as_ref());
                    let mut classified = classified.map_err(|mut failure| {
                        logs.append(&mut failure.summarized);
                        failure
                    })?;
                    logs.append(&mut classified.logs);
                    let read = read(&classified, world.as_ref());
                    logs.extend(node.take_logs());
                    read
                });
                done.unwrap_or_else(|reason| Err(Box::from(reason)))
            },
            |result| node_world.close(result),
        );
        let mut logs = guarded.logs;
        self.keep_printed(&mut logs);
        (guarded.result, logs)
    }

    /// A chain of one: the node groups in a file or directory.
    fn chain_of_groups(&self, path: &Path, environment: &Arc<Environment>) -> Chain<'_> {
        let name = Terminus::Groups(path.to_path_buf()).display(self.options.root.as_deref());
        Chain { links: vec![(Arc::from(name), Link::Groups(self.groups_terminus(path, environment)))] }
    }

    /// The environment whose modules the scripts of groups may use; an empty one outside of a site.
    fn environment_for_groups(
        &self,
        world: &Arc<RecordingWorld>,
        logs: &mut Vec<Diagnostic>,
    ) -> Fallible<Arc<Environment>> {
        match &self.options.root {
            Some(_) => self.environment(self.environment_name(), world, logs),
            None => Ok(Arc::default()),
        }
    }

    /// The node groups in a file or directory.
    ///
    /// # Errors
    /// They cannot be read or are wrong.
    pub fn groups(&self, path: &Path) -> Result<Arc<Groups>, GroupsError> {
        let environment = match &self.options.root {
            Some(_) => self.open_environment().map_err(GroupsError::Failed)?,
            None => Arc::default(),
        };
        let terminus = self.groups_terminus(path, &environment);
        // Scripts among the groups run, and may make Sensitive values.
        let secrets: Arc<SecretCollection> = Arc::default();
        let world = RecordingWorld::for_compile(self.world.clone(), secrets.clone());
        let mut loaded = terminus.files.load(terminus.scripts.as_ref(), &world);
        if let Err(GroupsError::Failed(failure)) = &mut loaded {
            failure.redact(&self.secrets(secrets.reported()));
        }
        loaded
    }
}

/// The scripts among files of groups: their `classify` runs after all groups.
fn scripts(path: &Path, world: &dyn World) -> Vec<PathBuf> {
    let is_script = |path: &Path| path.extension().is_some_and(|extension| extension == "rhai");
    if world.kind(path) != Kind::Directory {
        return Some(path.to_path_buf()).filter(|path| is_script(path)).into_iter().collect();
    }
    let entries = world.list(path).ok();
    let paths = entries.iter().flat_map(|entries| entries.iter()).map(|entry| path.join(entry.name.as_ref()));
    paths.filter(|path| is_script(path)).collect()
}

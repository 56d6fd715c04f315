//! Opens the classifiers of a site.

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use crate::session::Session;
use catwalk_base::diag::Diagnostic;
use catwalk_classifier::Groups;
use catwalk_node::classify::Classifier;
use catwalk_node::classify::DataSource;
use catwalk_node::classify::Exec;
use catwalk_node::groups::GroupsError;
use catwalk_node::groups::GroupsTerminus;
use catwalk_node::service::Service;
use catwalk_node::terminus::Chain;
use catwalk_node::terminus::Terminus;
use catwalk_program::environment::Environment;
use catwalk_scripting::RhaiEnc;
use catwalk_scripting::RhaiGroups;
use catwalk_world::Kind;
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
        let mut links: Vec<(Arc<str>, Box<dyn Classifier + 'a>)> = Vec::new();
        for terminus in self.termini() {
            let name: Arc<str> = Arc::from(terminus.display(self.options.root.as_deref()));
            match terminus {
                Terminus::Exec { path, arguments, limit } => {
                    links.push((name, Box::new(Exec { path, arguments, limit })));
                }
                Terminus::Http { url, identity } => links.push((name, Box::new(Service { url, identity }))),
                Terminus::Script(path) => {
                    let (groups, classify) = self.scripts.find_entry_points(&path, world)?;
                    if groups {
                        links.push((name.clone(), Box::new(self.groups_terminus(&path, environment))));
                    }
                    if classify || !groups {
                        links.push((name, Box::new(self.script(path, environment, data))));
                    }
                }
                Terminus::Groups(path) => {
                    links.push((name.clone(), Box::new(self.groups_terminus(&path, environment))));
                    for script in scripts(&path, world) {
                        if self.scripts.find_entry_points(&script, world)?.1 {
                            let name = Terminus::Script(script.clone()).display(self.options.root.as_deref());
                            links.push((Arc::from(name), Box::new(self.script(script, environment, data))));
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
        terminus.files.load(terminus.scripts.as_ref(), self.world.as_ref())
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

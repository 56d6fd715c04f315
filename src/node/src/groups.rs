//! The terminus `groups`: node groups from files.
//!
//! In: paths of groups (JSON, YAML, scripts, or directories of them). Out: [`Groups`], parsed again only when a file changes, and
//! classifications. Must not: know Rhai (scripts come in through [`ScriptGroups`]).

use parking_lot::Mutex;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use crate::classify::Classification;
use crate::classify::ClassificationPart;
use crate::classify::Classifier;
use crate::classify::Request;
use catwalk_base::diag::Code;
use catwalk_base::diag::DataLocation;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_classifier::Groups;
use catwalk_classifier::NodeClassification;
use catwalk_classifier::Problem;
use catwalk_classifier::Subject;
use catwalk_classifier::group::AGENT_SPECIFIED;
use catwalk_classifier::group::DefinitionLocation;
use catwalk_classifier::read::Drafts;
use catwalk_classifier::values::Key;
use catwalk_classifier::values::Source;
use catwalk_classifier::values::Values;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_value::data::json;
use catwalk_value::data::yaml;
use catwalk_world::Kind;
use catwalk_world::World;
use catwalk_world::WorldError;

/// Reads groups that a script declares.
pub trait ScriptGroups: Send + Sync {
    /// Runs a script; returns its groups and every file that it read.
    ///
    /// # Errors
    ///
    /// The script does not parse or fails, or declares an invalid group.
    fn read(&self, path: &Path, world: &dyn World) -> Result<(Drafts, Vec<PathBuf>), GroupsError>;
}

/// Why groups cannot be loaded.
#[derive(Clone, Debug)]
pub enum GroupsError {
    /// A file cannot be read or parsed, or a script fails.
    Failed(Box<Diagnostic>),
    /// The groups are invalid: the file that is the cause, if known, and the service's error.
    Invalid(Option<PathBuf>, Box<Problem>),
}

impl GroupsError {
    /// Converts the error to a diagnostic.
    #[must_use]
    pub fn diagnostic(self) -> Box<Diagnostic> {
        match self {
            GroupsError::Failed(diagnostic) => diagnostic,
            GroupsError::Invalid(file, problem) => {
                let mut reason = problem.reason();
                if let Some(file) = file {
                    reason.message = format!("{}: {}", file.display(), reason.message).into();
                }
                Box::from(reason)
            }
        }
    }
}

/// The bytes of each file, and the groups that they define.
type LoadedGroups = (Vec<(PathBuf, Arc<[u8]>)>, Arc<Groups>);

/// Files of groups with a cache of the groups.
#[derive(Debug)]
pub struct GroupFiles {
    /// A file, or a directory of files.
    pub path: PathBuf,
    loaded: Mutex<Option<LoadedGroups>>,
}

impl GroupFiles {
    /// Files that are read by the first [`GroupFiles::load`].
    #[must_use]
    pub fn new(path: PathBuf) -> GroupFiles {
        GroupFiles { path, loaded: Mutex::default() }
    }

    /// The groups, parsed again if a file was changed, added or deleted since the last call.
    ///
    /// # Errors
    /// A file cannot be read, or the groups are invalid.
    pub fn load(&self, scripts: &dyn ScriptGroups, world: &dyn World) -> Result<Arc<Groups>, GroupsError> {
        let files = files(&self.path, world)?;
        let mut cached = self.loaded.lock();
        if let Some((of, groups)) = &*cached {
            // Each file is read in each compile, so that the compile records the read.
            let mut same = files.iter().all(|file| of.iter().any(|(known, _)| known == file));
            for (path, bytes) in of {
                let still = world.read(path).is_ok_and(|now| Arc::ptr_eq(&now, bytes));
                same = same && still;
            }
            if same {
                return Ok(groups.clone());
            }
        }
        let mut all = Drafts::default();
        let mut of: Vec<PathBuf> = Vec::new();
        for file in files {
            if file.extension().is_some_and(|extension| extension == "rhai") {
                let (drafts, read) = scripts.read(&file, world)?;
                all.extend(drafts);
                of.extend(read);
            } else {
                let document = document(&file, world)?;
                let drafts =
                    Drafts::read(&document).map_err(|problem| GroupsError::Invalid(Some(file.clone()), problem))?;
                all.extend(drafts.with_file(&file));
            }
            of.push(file);
        }
        of.sort();
        of.dedup();
        let groups =
            Arc::new(Groups::new(all).map_err(|problem| GroupsError::Invalid(Some(self.path.clone()), problem))?);
        let of = of.into_iter().filter_map(|path| world.read(&path).ok().map(|bytes| (path, bytes))).collect();
        *cached = Some((of, groups.clone()));
        Ok(groups)
    }
}

/// The file, or the files of the directory, sorted by name.
fn files(path: &Path, world: &dyn World) -> Result<Vec<PathBuf>, GroupsError> {
    if world.kind(path) != Kind::Directory {
        return Ok(vec![path.to_path_buf()]);
    }
    let entries = world.list(path).map_err(|refused| refused_read(&refused))?;
    let is_group_file = |name: &str| [".json", ".yaml", ".yml", ".rhai"].iter().any(|end| name.ends_with(end));
    let group_files = entries.iter().filter(|entry| is_group_file(&entry.name) && !entry.name.starts_with('.'));
    Ok(group_files.map(|entry| path.join(entry.name.as_ref())).collect())
}

fn unreadable(why: &str, location: Option<DataLocation>) -> GroupsError {
    let reason = Reason { locations: location.into_iter().collect(), ..failure(why) };
    GroupsError::Failed(Box::from(reason))
}

fn failure(why: &str) -> Reason {
    Reason::new(Code::UNREADABLE_INPUT, format!("cannot read groups: {why}"))
}

fn refused_read(refused: &WorldError) -> GroupsError {
    let reason = failure(&refused.to_string()).because(refused.cause());
    GroupsError::Failed(Box::from(reason))
}

/// Reads a document in JSON or YAML.
///
/// # Errors
/// The file cannot be read or parsed.
pub fn document(path: &Path, world: &dyn World) -> Result<Value, GroupsError> {
    let bytes = world.read(path).map_err(|refused| refused_read(&refused))?;
    if path.extension().is_some_and(|extension| extension == "json") {
        json::parse(&bytes).map_err(|error| unreadable(error.summary(), Some(error.location(path, &bytes))))
    } else {
        yaml::parse(&bytes).map_err(|error| unreadable(&error.message, Some(error.location(path, &bytes))))
    }
}

/// Classifies nodes with the groups of files.
pub struct GroupsTerminus {
    /// The files.
    pub files: Arc<GroupFiles>,
    /// The reader of scripts.
    pub scripts: Box<dyn ScriptGroups>,
}

impl GroupsTerminus {
    /// The groups, and those that a node is in.
    pub(crate) fn classify_subject(
        &self,
        node: &Subject,
        world: &dyn World,
    ) -> Result<(Arc<Groups>, NodeClassification), Box<Diagnostic>> {
        let groups = self.files.load(self.scripts.as_ref(), world).map_err(GroupsError::diagnostic)?;
        let classified = groups.classify(node, world).map_err(|mut failure| {
            failure.summarized.splice(..0, node.take_logs());
            failure
        })?;
        Ok((groups, classified))
    }
}

impl Classifier for GroupsTerminus {
    fn classify(&self, request: &Request, world: &dyn World) -> Result<Classification, Box<Diagnostic>> {
        let node = Subject::new(&request.certname, request.facts.clone(), request.trusted.clone());
        let (groups, classified) = self.classify_subject(&node, world)?;
        let result = match (&classified.values, classified.outcome.problem(&groups)) {
            (Some(values), None) => classification(&groups, values),
            (_, Some(problem)) => {
                let lines = classified.outcome.conflict_lines(&groups).join("\n");
                return Err(Box::from(problem.reason().help(lines)));
            }
            (None, None) => Classification::default(),
        };
        Ok(Classification { warnings: node.take_logs(), ..result })
    }
}

/// Converts the values that groups assign to a classification with the origin of each value.
fn classification(groups: &Groups, values: &Values) -> Classification {
    let mut result = Classification::default();
    let mut parameters: Vec<(&Arc<str>, Hash)> = values.classes.keys().map(|class| (class, Hash::new())).collect();
    for (class, sources) in &values.classes {
        result.origins.insert(ClassificationPart::Class(class.clone()), origin(groups, sources));
        if let Some(location) = group_location(groups, sources) {
            result.locations.insert(ClassificationPart::Class(class.clone()), location.below(["classes", class]));
        }
    }
    for (key, sourced) in &values.values {
        let value = sourced.value.clone();
        let part = match key {
            Key::Environment => {
                // `agent-specified` keeps the environment that the agent requests.
                let Some(name) = value.as_str().filter(|name| *name != AGENT_SPECIFIED) else { continue };
                result.environment = Some(Arc::from(name));
                ClassificationPart::Environment
            }
            Key::Variable(name) => {
                result.parameters.insert(name.clone(), value);
                ClassificationPart::Variable(name.clone())
            }
            Key::Parameter(class, name) => {
                if let Ok(at) = parameters.binary_search_by(|(other, _)| other.as_ref().cmp(class))
                    && let Some((_, hash)) = parameters.get_mut(at)
                {
                    hash.set(name, value);
                }
                ClassificationPart::Parameter(class.clone(), name.clone())
            }
            Key::Data(class, name) => {
                let key: Arc<str> = Arc::from(format!("{class}::{name}"));
                result.data.insert(key.clone(), value);
                ClassificationPart::Data(key)
            }
        };
        if let Some(location) = group_location(groups, &sourced.sources) {
            result.locations.insert(part.clone(), location.below(keys(key)));
        }
        result.origins.insert(part, origin(groups, &sourced.sources));
    }
    let if_any = |hash: Hash| (!hash.is_empty()).then(|| Arc::new(hash));
    result.classes = parameters.into_iter().map(|(class, hash)| (class.clone(), if_any(hash))).collect();
    result
}

/// The keys of a value in a group object.
fn keys(key: &Key) -> Vec<&str> {
    match key {
        Key::Environment => vec!["environment"],
        Key::Variable(name) => vec!["variables", name],
        Key::Parameter(class, name) => vec!["classes", class, name],
        Key::Data(class, name) => vec!["config_data", class, name],
    }
}

/// The names of the sources of a value.
fn origin(groups: &Groups, sources: &[Source]) -> Arc<str> {
    let name = |source: &Source| match source {
        Source::Group(number) => match groups.get(*number) {
            Some(group) => format!("group '{}'", group.name),
            None => String::new(),
        },
        Source::Node => "the node's own classification".to_owned(),
    };
    Arc::from(sources.iter().map(name).collect::<Vec<_>>().join(", "))
}

/// The location of the last group among the sources of a value.
fn group_location(groups: &Groups, sources: &[Source]) -> Option<DefinitionLocation> {
    let number = sources.iter().rev().find_map(|source| match source {
        Source::Group(number) => Some(*number),
        Source::Node => None,
    })?;
    groups.get(number)?.location.clone()
}

//! What to classify, and how: by the site's classifiers, by the groups of a file, or by a service.

use std::path::PathBuf;
use std::sync::Arc;

use crate::many;
use crate::one;
use crate::remote;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::names::did_you_mean;
use catwalk_classifier::Groups;
use catwalk_classifier::rule::Rule;
use catwalk_classifier::translate;
use catwalk_node::groups::GroupsError;
use catwalk_node::terminus::Terminus;
use catwalk_session::Session;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_value::json::to_json;
use catwalk_world::Identity;
use catwalk_world::World;

/// What to classify. Paths are absolute.
#[derive(Debug, Clone, Default)]
pub struct ClassifyOptions {
    /// The node; `None` for many nodes.
    pub certname: Option<String>,
    /// Node groups, in place of those of the site's classifiers.
    pub groups: Option<PathBuf>,
    /// Whether to explain the classification.
    pub explain: bool,
    /// Whether to list also the groups that the node is not in.
    pub all: bool,
    /// The folder of facts of many nodes.
    pub nodes: Option<PathBuf>,
    /// Whether to classify all nodes.
    pub matrix: bool,
    /// A file of nodes with their expected groups and classes.
    pub expect: Option<PathBuf>,
    /// Whether to translate rules to queries, of all groups or of one.
    pub translate_rules: Option<Option<String>>,
    /// The service that classifies.
    pub service: Option<Service>,
    /// The format of the answer; `None` for that of the kind of answer.
    pub format: Option<Format>,
}

/// A classifier service.
#[derive(Debug, Clone)]
pub struct Service {
    /// The address.
    pub url: String,
    /// Certificates and tokens.
    pub identity: Identity,
}

/// Forms of answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// For people.
    Human,
    /// The documents of the classifier service.
    Json,
}

/// Why there is no result.
pub enum Failure {
    /// The options do not fit together or to the site.
    Usage(Reason),
    /// A file cannot be read, or a rule fails.
    Failed(Box<Diagnostic>),
    /// The groups cannot be read.
    Groups(GroupsError),
}

/// Classifies a node or all nodes, or translates rules. Returns the text and the exit code: 1 if groups conflict, an expectation is not met
/// or a rule cannot be translated. `log` receives the messages of scripts.
///
/// # Errors
/// The options do not fit together, or the groups, facts or nodes cannot be read.
pub fn classify(
    args: &ClassifyOptions,
    session: &Session,
    world: &dyn World,
    log: &mut dyn FnMut(&Diagnostic),
) -> Result<(String, u8), Failure> {
    let many = args.matrix || args.nodes.is_some();
    if let (Some(service), Some(name)) = (&args.service, &args.certname) {
        return remote::run(args, service, &one::subject(name, session, world)?, world);
    }
    if let (Some(name), None, false) = (&args.certname, &args.expect, many) {
        if args.groups.is_none() && session.termini().is_empty() {
            return Err(Failure::Usage(no_classifier()));
        }
        if let Some(path) = only_groups(args, session).map_err(Failure::Usage)? {
            // Invalid groups have an error document of the service.
            session.groups(&path).map_err(Failure::Groups)?;
        }
        let (answer, logs) = one::run(args, name, session, world);
        logs.iter().for_each(log);
        return answer;
    }
    let path = groups_path(args, session).map_err(Failure::Usage)?;
    let groups = session.groups(&path).map_err(Failure::Groups)?;
    if let Some(name) = &args.translate_rules {
        return translate_rules(&groups, name.as_deref());
    }
    match (&args.certname, &args.expect) {
        (Some(_), Some(_)) => Err(Failure::Usage(Reason::usage("--expect takes the nodes from its file"))),
        (None, Some(file)) => many::expect(args, file, session, &groups, world),
        (Some(_), None) => {
            Err(Failure::Usage(Reason::usage("--matrix and --nodes classify many nodes: leave out the node")))
        }
        (None, None) if many => many::matrix(args, session, &groups, world),
        (None, None) => Err(Failure::Usage(Reason::usage("no node to classify: name one, or give --matrix"))),
    }
}

fn no_classifier() -> Reason {
    Reason::usage("no node groups: the site's classifier has none")
        .help("give --groups FILE, or set `groups` in [classifier] of catwalk.toml")
}

/// The rules of groups as queries. The exit code is 1 if a rule cannot be expressed as a query.
fn translate_rules(groups: &Groups, name: Option<&str>) -> Result<(String, u8), Failure> {
    let one = match name {
        None => None,
        Some(name) => match groups.find(name) {
            Some(number) => Some(number),
            None => {
                let reason = Reason::usage(format!("there is no group '{name}'"));
                let names = groups.groups.iter().map(|group| &*group.name);
                return Err(Failure::Usage(reason.hint(did_you_mean(name, names))));
            }
        },
    };
    let numbers = (0..groups.groups.len()).filter(|number| one.is_none_or(|one| one == *number));
    let (mut all, mut code) = (Hash::new(), 0);
    for (number, group) in numbers.filter_map(|number| Some((number, groups.get(number)?))) {
        let rule_of = |at: usize| groups.get(at).and_then(|group| group.rule.as_ref());
        let above: Vec<&Rule> = groups.ancestors(number).filter_map(rule_of).collect();
        if let (Some(_), Value::Hash(document)) = (&group.rule, translate::document(group.rule.as_ref(), &above)) {
            code |= u8::from(translate::is_untranslatable(&document));
            let mut named = Hash::new();
            named.set("name", Value::from(group.name.clone()));
            named.set("environment", Value::from(group.environment.clone()));
            for (key, value) in document.iter() {
                named.insert(key.clone(), value.clone());
            }
            all.set(&group.id, Value::hash(named));
        }
    }
    Ok((json(&Value::hash(all)), code))
}

/// `--groups`, else the first files of groups of the site's classifier.
fn only_groups(args: &ClassifyOptions, session: &Session) -> Result<Option<PathBuf>, Reason> {
    if let Some(path) = &args.groups {
        return Ok(Some(path.clone()));
    }
    let groups = |terminus: Terminus| if let Terminus::Groups(path) = terminus { Some(path) } else { None };
    Ok(session.termini().into_iter().find_map(groups))
}

/// `--groups`, else the first groups of the site's classifier, which a script may declare.
fn groups_path(args: &ClassifyOptions, session: &Session) -> Result<PathBuf, Reason> {
    let script = || match session.termini().into_iter().next() {
        Some(Terminus::Script(path)) => Some(path),
        _ => None,
    };
    only_groups(args, session)?.or_else(script).ok_or_else(no_classifier)
}

/// Formats a document.
#[must_use]
pub fn json(document: &Value) -> String {
    serde_json::to_string_pretty(&to_json(document)).unwrap_or_default()
}

/// The groups of a session.
pub(crate) type Shared<'a> = &'a Arc<Groups>;

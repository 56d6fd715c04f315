//! `catwalk classify`: the classification of a node, or of all nodes, by node groups.

mod many;
mod one;
mod remote;

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use clap::ValueEnum;

use crate::cli::Logger;
use crate::cli::commands::classify::remote::ServerArgs;
use crate::cli::commands::compile::for_people;
use crate::cli::commands::compile::print;
use crate::cli::commands::compile::usage;
use crate::cli::options;
use crate::cli::site::SiteArgs;
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
use catwalk_world::Disk;
use catwalk_world::World;

/// Arguments of `classify`.
#[derive(Args, Debug)]
pub struct Arguments {
    /// The node
    pub certname: Option<String>,
    #[command(flatten)]
    pub site: SiteArgs,
    /// Node groups: a file (JSON, YAML, .rhai) or a directory of them [default: those of the site's classifier]
    #[arg(long, value_name = "PATH")]
    pub groups: Option<PathBuf>,
    /// Explain the classification
    #[arg(long)]
    pub explain: bool,
    /// Also list the groups that the node is not in, each with the first condition that is false; implies --explain
    #[arg(long)]
    pub all: bool,
    /// Facts of many nodes: a directory of CERTNAME.json or .yaml [default: the nodes of the site]
    #[arg(long, value_name = "DIR")]
    pub nodes: Option<PathBuf>,
    /// Classify all nodes: a table of nodes and groups, conflicts, groups without nodes, suspicious rules
    #[arg(long)]
    pub matrix: bool,
    /// Test the groups: a file of nodes with their expected groups and classes
    #[arg(long, value_name = "FILE")]
    pub expect: Option<PathBuf>,
    /// Show the rules of all groups, or of one, as PuppetDB queries
    #[arg(long, value_name = "GROUP", num_args = 0..=1, conflicts_with_all = ["certname", "matrix", "nodes", "expect"])]
    pub translate_rules: Option<Option<String>>,
    #[command(flatten)]
    pub service: ServerArgs,
    /// Format of the answer [default: json for a node, otherwise human]
    #[arg(long, value_enum)]
    pub format: Option<Format>,
}

/// Forms of answers.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// For people
    Human,
    /// The documents of the classifier service
    Json,
}

/// Why there is no result.
enum Failure {
    Usage(Reason),
    Failed(Box<Diagnostic>),
    Groups(GroupsError),
}

/// Classifies.
pub fn run(args: &Arguments) -> u8 {
    let logger = Logger::from_args(&args.site);
    let world = Arc::new(Disk::new());
    let opened = options::with_optional_site(&args.site, world.as_ref())
        .and_then(|options| Session::open(options, world.clone()));
    let session = match opened {
        Ok(session) => session,
        Err(reason) => return usage(&logger, reason),
    };
    let failed = |diagnostic: &Diagnostic| {
        logger.write(diagnostic, session.sources(), None);
        1
    };
    match classify(args, &session, world.as_ref(), logger) {
        Ok((text, code)) => {
            match print(&if args.format == Some(Format::Json) { text.into() } else { for_people(&text) }) {
                Ok(()) => code,
                Err(reason) => failed(&Diagnostic::new(reason, None)),
            }
        }
        Err(Failure::Usage(reason)) => usage(&logger, reason),
        Err(Failure::Failed(diagnostic)) => failed(&diagnostic),
        Err(Failure::Groups(GroupsError::Invalid(_, problem))) if args.format == Some(Format::Json) => {
            match print(&json(&problem.document())) {
                Ok(()) => 1,
                Err(reason) => failed(&Diagnostic::new(reason, None)),
            }
        }
        Err(Failure::Groups(unread)) => failed(&unread.diagnostic()),
    }
}

fn classify(args: &Arguments, session: &Session, world: &dyn World, logger: Logger) -> Result<(String, u8), Failure> {
    let many = args.matrix || args.nodes.is_some();
    if let (Some(url), Some(name)) = (&args.service.server, &args.certname) {
        return remote::run(args, url, &one::subject(name, session, world)?, world);
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
        logs.iter().for_each(|line| logger.write(line, session.sources(), None));
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
fn only_groups(args: &Arguments, session: &Session) -> Result<Option<PathBuf>, Reason> {
    if let Some(path) = &args.groups {
        return options::absolute(path).map(Some);
    }
    let groups = |terminus: Terminus| if let Terminus::Groups(path) = terminus { Some(path) } else { None };
    Ok(session.termini().into_iter().find_map(groups))
}

/// `--groups`, else the first groups of the site's classifier, which a script may declare.
fn groups_path(args: &Arguments, session: &Session) -> Result<PathBuf, Reason> {
    let script = || match session.termini().into_iter().next() {
        Some(Terminus::Script(path)) => Some(path),
        _ => None,
    };
    only_groups(args, session)?.or_else(script).ok_or_else(no_classifier)
}

/// Formats a document.
fn json(document: &Value) -> String {
    serde_json::to_string_pretty(&to_json(document)).unwrap_or_default()
}

/// The groups of a session.
type Shared<'a> = &'a Arc<Groups>;

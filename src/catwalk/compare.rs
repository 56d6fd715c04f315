//! Two states of a site compared node by node: two revisions, two environments, or saved catalogs.
//!
//! In: an opened session for each side (or a place of kept catalogs), rules. Out: an [`Outcome`] for each node, gathered in a
//! [`Report`] in which what is the same on many nodes stands once. A node whose inputs are the same on both sides is
//! compiled once only. A node that fails is part of the result. Must not: know where sides come from, print.
//!
//! | file | what |
//! |---|---|
//! | `inputs` | whether what a compile read is the same on both sides |
//! | `files` | files that agents fetch: `source => puppet:///modules/…` |
//! | `report` | the same change on many nodes, gathered |
//! | `human`, `markdown`, `json` | formats of the report |

mod files;
mod human;
mod inputs;
mod json;
mod markdown;
mod report;

use std::sync::Arc;
use std::sync::Mutex;
use std::sync::OnceLock;
use std::sync::PoisonError;

use hashbrown::HashMap;
use rayon::prelude::*;
use serde_json::Value;

use crate::compare::files::Sources;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::secrets::Redacted;
use catwalk_base::secrets::Secrets;
use catwalk_catalog::Catalog;
use catwalk_formats::diff;
use catwalk_formats::diff::Diff;
use catwalk_formats::diff::rules::RuleUse;
use catwalk_formats::diff::rules::Rules;
use catwalk_formats::diff::shape;
use catwalk_formats::diff::shape::Form;
use catwalk_formats::wire;
use catwalk_program::environment::Environment;
use catwalk_session::session::Compiled;
use catwalk_session::session::ExportedFrom;
use catwalk_session::session::Session;
use catwalk_session::session::pool;
use catwalk_world::World;

pub use human::human;
pub use inputs::Inputs;
pub use json::json;
pub use markdown::markdown;
pub use report::Change;
pub use report::Failures;
pub use report::Group;
pub use report::Report;
pub use report::Which;

/// Returns the saved catalog of a node; `None`: there is none.
pub type SavedCatalogs = Box<dyn Fn(&str) -> Result<Option<Value>, Reason> + Send + Sync>;

/// The old side of a comparison.
pub enum Old {
    /// A site, compiled.
    Session(Box<Side>),
    /// Saved catalogs.
    Catalogs(SavedCatalogs),
}

/// One side of a comparison: a site in one of its states.
pub struct Side {
    /// The session of the site.
    pub session: Session,
    /// The external data that it reads.
    pub world: Arc<dyn World>,
    environment: OnceLock<Option<Arc<Environment>>>,
}

impl Side {
    /// A side.
    #[must_use]
    pub fn new(session: Session, world: Arc<dyn World>) -> Side {
        Side { session, world, environment: OnceLock::new() }
    }

    /// The environment that a catalog was compiled in, if it is the site's own.
    fn environment(&self, catalog: &Catalog) -> Option<&Environment> {
        let opened = self.environment.get_or_init(|| self.session.open_environment().ok());
        opened.as_deref().filter(|environment| environment.name == catalog.environment)
    }

    fn failure(&self, diagnostic: &Diagnostic) -> Failure {
        let text = diagnostic.puppet_text(self.session.sources());
        let root = self.session.options.root.as_ref().map(|root| format!("{}/", root.display()));
        let text = root.map_or(text.clone(), |root| text.replace(&root, ""));
        Failure { message: diagnostic.message.to_string(), text }
    }
}

/// What is compared, and how.
pub struct Plan {
    /// Before.
    pub old: Old,
    /// After.
    pub new: Side,
    /// The rules for ignoring differences.
    pub rules: Rules,
    /// Whether tags count.
    pub tags: bool,
    /// Tells which nodes need not be compiled on both sides; `None`: all are.
    pub inputs: Option<Inputs>,
}

/// A node to compare.
#[derive(Clone, Debug)]
pub struct Task {
    /// Its name.
    pub certname: Arc<str>,
    /// Whether the old side has it.
    pub old: bool,
    /// Whether the new side has it.
    pub new: bool,
}

/// Why there is no catalog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The message without its place: a line that moved is no other error.
    pub message: String,
    /// With its place.
    pub text: String,
}

/// The result for a node.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// The catalogs are equal; `compiled`: the new side was compiled to compare them.
    Same {
        /// The inputs differ, or it was not known that they do not.
        compiled: bool,
        /// The catalogs contain only the resources that every catalog has.
        bare: bool,
    },
    /// They differ.
    Differs(Box<Diff>),
    /// At least one side has no catalog.
    Failed {
        /// Why the old side has none.
        old: Option<Failure>,
        /// Why the new side has none.
        new: Option<Failure>,
    },
    /// Only the new side has the node, or a catalog of it, with so many resources.
    Added(usize),
    /// Only the old side has the node.
    Removed,
}

impl Outcome {
    /// With what relationships of compiled catalogs were written as.
    fn with_origins(mut self, old: Option<&Catalog>, new: &Catalog) -> Outcome {
        if let Outcome::Differs(diff) = &mut self {
            diff.add_origins(old, Some(new));
        }
        self
    }
}

/// The results for all nodes.
pub struct Compared {
    /// Each node, in order.
    pub nodes: Vec<(Arc<str>, Outcome)>,
    /// Which rules had something to do.
    pub used: RuleUse,
}

/// Catalogs that were compiled ahead, since they depend on each other.
type Ahead = Option<Mutex<HashMap<Arc<str>, Compiled>>>;

/// Compares nodes in parallel and calls `done` for each.
#[must_use]
pub fn run(plan: &Plan, tasks: &[Task], done: &(dyn Fn() + Sync)) -> Compared {
    let names = |wanted: fn(&Task) -> bool| -> Vec<Arc<str>> {
        tasks.iter().filter(|task| wanted(task)).map(|task| task.certname.clone()).collect()
    };
    let old = match &plan.old {
        Old::Session(old) => ahead(&old.session, &names(|task| task.old)),
        Old::Catalogs(_) => None,
    };
    let new = ahead(&plan.new.session, &names(|task| task.new));
    let used = Mutex::new(RuleUse::default());
    // What other nodes export is no file.
    let inputs = plan.inputs.as_ref().filter(|_| old.is_none() && new.is_none());
    let one = |task: &Task| {
        let outcome = Comparing { plan, inputs, old: &old, new: &new, used: &used }.node(task);
        done();
        (task.certname.clone(), outcome)
    };
    let nodes = match Some(tasks).filter(|tasks| tasks.len() > 1).and_then(|_| pool()) {
        Some(pool) => pool.install(|| tasks.par_iter().map(one).collect()),
        None => tasks.iter().map(one).collect(),
    };
    Compared { nodes, used: used.into_inner().unwrap_or_else(PoisonError::into_inner) }
}

fn ahead(session: &Session, names: &[Arc<str>]) -> Ahead {
    if session.options.exported != Some(ExportedFrom::Site) {
        return None;
    }
    let compiled = session.compile_all(names, &|_| ());
    Some(Mutex::new(compiled.into_iter().map(|compiled| (compiled.certname.clone(), compiled)).collect()))
}

fn taken(session: &Session, ahead: &Ahead, certname: &str) -> Compiled {
    let known = ahead.as_ref().and_then(|all| all.lock().unwrap_or_else(PoisonError::into_inner).remove(certname));
    known.unwrap_or_else(|| session.compile(certname))
}

struct Comparing<'a> {
    plan: &'a Plan,
    inputs: Option<&'a Inputs>,
    old: &'a Ahead,
    new: &'a Ahead,
    used: &'a Mutex<RuleUse>,
}

impl Comparing<'_> {
    fn node(&self, task: &Task) -> Outcome {
        let (plan, certname) = (self.plan, &*task.certname);
        if !task.new {
            return Outcome::Removed;
        }
        let compile = || taken(&plan.new.session, self.new, certname).result;
        let failed = |failure: &Diagnostic| Some(plan.new.failure(failure));
        match &plan.old {
            Old::Session(_) if !task.old => match compile() {
                Ok(catalog) => Outcome::Added(catalog.len()),
                Err(failure) => Outcome::Failed { old: None, new: failed(&failure) },
            },
            Old::Session(old) => self.compiled(old, certname),
            Old::Catalogs(kept) => match (kept(certname), compile()) {
                (Ok(None), Ok(catalog)) => Outcome::Added(catalog.len()),
                (Ok(Some(document)), Ok(catalog)) => self.kept(certname, document, &catalog),
                (Err(reason), Ok(_)) => Outcome::Failed { old: Some(unread(&reason)), new: None },
                (Err(reason), Err(failure)) => Outcome::Failed { old: Some(unread(&reason)), new: failed(&failure) },
                (Ok(_), Err(failure)) => Outcome::Failed { old: None, new: failed(&failure) },
            },
        }
    }

    fn compiled(&self, old: &Side, certname: &str) -> Outcome {
        let plan = self.plan;
        let before = taken(&old.session, self.old, certname);
        let same = self.inputs.is_some_and(|inputs| inputs.same(&before.reads));
        match (&before.result, same) {
            (Err(failure), true) => {
                let failure = Some(old.failure(failure));
                return Outcome::Failed { old: failure.clone(), new: failure };
            }
            (Ok(catalog), true) => {
                let sources = old.environment(catalog).map(|environment| Sources::of(catalog, environment));
                let same = |inputs: &Inputs| sources.as_ref().is_none_or(|sources| sources.same(inputs));
                if self.inputs.is_some_and(same) {
                    return Outcome::Same { compiled: false, bare: is_bare(catalog) };
                }
            }
            _ => {}
        }
        let after = taken(&plan.new.session, self.new, certname);
        match (before.result, after.result) {
            (Ok(before), Ok(after)) => {
                let documents = (wire::native::document(&before), wire::native::document(&after));
                let (mut one, mut two) = match documents {
                    (Ok(one), Ok(two)) => (one, two),
                    (one, two) => {
                        let failure = |result: Result<Value, Reason>| result.err().map(|reason| unread(&reason));
                        return Outcome::Failed { old: failure(one), new: failure(two) };
                    }
                };
                if let (Some(there), Some(here)) = (old.environment(&before), plan.new.environment(&after)) {
                    let sides = [(old.world.as_ref(), &before, there), (plan.new.world.as_ref(), &after, here)];
                    files::add(sides, [&mut one, &mut two]);
                }
                let secrets = before.secrets.union(&after.secrets, plan.new.session.secrets_key());
                let documents = [one, two].map(|document| Redacted::new(document, &secrets));
                let outcome = self.documents(certname, documents, Form::Native, is_bare(&before) && is_bare(&after));
                outcome.with_origins(Some(&before), &after)
            }
            (before, after) => Outcome::Failed {
                old: before.err().map(|failure| old.failure(&failure)),
                new: after.err().map(|failure| plan.new.failure(&failure)),
            },
        }
    }

    fn kept(&self, certname: &str, document: Value, catalog: &Catalog) -> Outcome {
        let one = match shape::shape(document) {
            Ok(shaped) => shaped,
            Err(why) => {
                let text = format!("the kept catalog of {certname}: {why}");
                return Outcome::Failed { old: Some(Failure { message: text.clone(), text }), new: None };
            }
        };
        let two = match one.form {
            Form::Native => wire::native::document(catalog),
            Form::Wire => wire::puppetdb::document_of_version_4(catalog),
        };
        let two = two
            .map_err(|reason| unread(&reason))
            .and_then(|document| shape::shape(document).map_err(|why| Failure { message: why.clone(), text: why }));
        match two {
            Ok(mut two) => {
                if !one.has_edges() {
                    two.forget_edges();
                }
                let documents = self.without_secrets(one.document, two.document, catalog);
                self.documents(certname, documents, one.form, is_bare(catalog)).with_origins(None, catalog)
            }
            Err(failure) => Outcome::Failed { old: None, new: Some(failure) },
        }
    }

    /// A kept catalog, of whose secrets is known what it says itself, and a compiled one.
    fn without_secrets(&self, kept: Value, compiled: Value, catalog: &Catalog) -> [Redacted; 2] {
        let key = self.plan.new.session.secrets_key();
        let secrets = Secrets::of_document(&kept, key).union(&catalog.secrets, key);
        let compiled = Redacted::new(compiled, &secrets);
        let mut kept = Redacted::new(kept, &secrets);
        kept.hide_counterparts(&compiled, key);
        [kept, compiled]
    }

    fn documents(&self, certname: &str, documents: [Redacted; 2], form: Form, bare: bool) -> Outcome {
        let [mut one, mut two] = documents;
        for document in [&mut one, &mut two] {
            let used = self.plan.rules.apply(certname, document, self.plan.new.session.secrets_key());
            self.used.lock().unwrap_or_else(PoisonError::into_inner).add(&used);
            if !self.plan.tags {
                without_tags(document);
            }
        }
        let diff = diff::diff(&one, &two, form);
        if diff.is_empty() { Outcome::Same { compiled: true, bare } } else { Outcome::Differs(Box::new(diff)) }
    }
}

fn unread(reason: &Reason) -> Failure {
    Failure { message: reason.message.to_string(), text: reason.message.to_string() }
}

fn without_tags(document: &mut Value) {
    for resource in document.get_mut("resources").and_then(Value::as_array_mut).into_iter().flatten() {
        if let Some(members) = resource.as_object_mut() {
            members.remove("tags");
        }
    }
}

/// Whether a catalog has nothing but what every catalog has: often a sign that the node's code was not found.
fn is_bare(catalog: &Catalog) -> bool {
    catalog.resources.iter().all(|resource| match resource.type_name.as_str() {
        "Stage" | "Node" => true,
        "Class" => matches!(&*resource.title, "main" | "Main" | "settings" | "Settings"),
        _ => false,
    })
}

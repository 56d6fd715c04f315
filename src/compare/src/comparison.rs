//! Compares the two catalogs of each node: compiles what differs, applies the rules, groups the results by node.

use parking_lot::Mutex;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::OnceLock;

use hashbrown::HashMap;
use rayon::prelude::*;
use serde_json::Value;

use crate::files;
use crate::files::Sources;
use crate::inputs::Inputs;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::secrets::Redacted;
use catwalk_base::secrets::Secrets;
use catwalk_catalog::Catalog;
use catwalk_formats::diff;
use catwalk_formats::diff::Diff;
use catwalk_formats::diff::comparable;
use catwalk_formats::diff::comparable::Form;
use catwalk_formats::diff::rules::RuleUse;
use catwalk_formats::diff::rules::Rules;
use catwalk_formats::wire;
use catwalk_program::Environment;
use catwalk_session::Compiled;
use catwalk_session::ExportedFrom;
use catwalk_session::Session;
use catwalk_session::pool;
use catwalk_world::World;

/// Returns the saved catalog of a node; `None` if no catalog of it is saved.
pub type SavedCatalogs = Box<dyn Fn(&str) -> Result<Option<Value>, Reason> + Send + Sync>;

/// The old side of a comparison.
pub enum OldSide {
    /// A site, which is compiled.
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
    /// Creates a side.
    #[must_use]
    pub fn new(session: Session, world: Arc<dyn World>) -> Side {
        Side { session, world, environment: OnceLock::new() }
    }

    /// The environment in which a catalog was compiled, if it is the environment of the session.
    fn environment(&self, catalog: &Catalog) -> Option<&Environment> {
        let opened = self.environment.get_or_init(|| self.session.open_environment().ok());
        opened.as_deref().filter(|environment| environment.name == catalog.environment)
    }

    fn failure(&self, diagnostic: &Diagnostic) -> Failure {
        let text = diagnostic.puppet_text(self.session.sources());
        let root = self.session.options.root.as_ref().map(|root| format!("{}/", root.display()));
        let text = root.map_or(text.clone(), |root| text.replace(&root, ""));
        let located = diagnostic.span.and_then(|span| self.session.sources().locate(span));
        let in_code = located.and_then(|(source, line, column)| Some((source.path.clone()?, line, column)));
        let in_data = diagnostic.data_location().map(|at| (at.path.clone(), at.line, at.column));
        let position = in_data.or(in_code);
        Failure { message: diagnostic.message.to_string(), text, code: diagnostic.code, position }
    }
}

/// The two sides, and how to compare them.
pub struct Plan {
    /// The old side.
    pub old: OldSide,
    /// The new side.
    pub new: Side,
    /// The rules for ignoring differences.
    pub rules: Rules,
    /// Whether to compare tags.
    pub tags: bool,
    /// Detects nodes that need not be compiled on the new side. `None`: compile all nodes on both sides.
    pub inputs: Option<Inputs>,
    /// Called with the sessions of both sides and each pair of compiles.
    pub observe: Option<Observer>,
}

/// Looks at the two compiles of a node.
pub type Observer = Box<dyn Fn([&Session; 2], &Compiled, &Compiled) + Send + Sync>;

impl Plan {
    /// Compares all of both sides.
    #[must_use]
    pub fn new(old: OldSide, new: Side, rules: Rules) -> Plan {
        Plan { old, new, rules, tags: false, inputs: None, observe: None }
    }
}

/// A node to compare.
#[derive(Clone, Debug)]
pub struct Task {
    pub certname: Arc<str>,
    /// Whether the old side has it.
    pub old: bool,
    /// Whether the new side has it.
    pub new: bool,
}

/// The reason why a side has no catalog of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The message without its position, which does not matter when failures are compared.
    pub message: String,
    /// The message with its position.
    pub text: String,
    /// The code of the error.
    pub code: Code,
    /// The file, line and column of the error, if they are known.
    pub position: Option<(PathBuf, u32, u32)>,
}

/// The result for a node.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// The catalogs are equal.
    Same {
        /// Whether the new side was compiled, because its inputs were different or unknown.
        compiled: bool,
        /// Whether the catalogs contain only the resources that every catalog has.
        bare: bool,
    },
    /// The catalogs differ.
    Differs(Box<Diff>),
    /// At least one side has no catalog.
    Failed {
        /// The failure of the old side, if it fails.
        old: Option<Failure>,
        /// The failure of the new side, if it fails.
        new: Option<Failure>,
    },
    /// Only the new side has the node, or a catalog of it. With the number of its resources.
    Added(usize),
    /// Only the old side has the node.
    Removed,
}

impl Outcome {
    /// Adds the origins of relationships in compiled catalogs.
    fn with_origins(mut self, old: Option<&Catalog>, new: &Catalog) -> Outcome {
        if let Outcome::Differs(diff) = &mut self {
            diff.add_origins(old, Some(new));
        }
        self
    }
}

/// The results for all nodes.
pub struct ComparisonResult {
    /// The nodes in the order of the tasks.
    pub nodes: Vec<(Arc<str>, Outcome)>,
    /// Which rules have matched.
    pub rule_use: RuleUse,
}

/// The catalogs of a side that were compiled together before comparing, since they depend on each other through exported resources.
type CompiledAhead = Option<Mutex<HashMap<Arc<str>, Compiled>>>;

/// Compares nodes in parallel and calls `done` for each.
#[must_use]
pub fn run(plan: &Plan, tasks: &[Task], done: &(dyn Fn() + Sync)) -> ComparisonResult {
    let names = |is_on_side: fn(&Task) -> bool| -> Vec<Arc<str>> {
        tasks.iter().filter(|task| is_on_side(task)).map(|task| task.certname.clone()).collect()
    };
    let old = match &plan.old {
        OldSide::Session(old) => compile_ahead(&old.session, &names(|task| task.old)),
        OldSide::Catalogs(_) => None,
    };
    let new = compile_ahead(&plan.new.session, &names(|task| task.new));
    let rule_use = Mutex::new(RuleUse::default());
    // `inputs` does not know the exported resources of other nodes.
    let inputs = plan.inputs.as_ref().filter(|_| old.is_none() && new.is_none());
    let compare = |task: &Task| {
        let outcome = Comparison { plan, inputs, old: &old, new: &new, rule_use: &rule_use }.compare(task);
        done();
        (task.certname.clone(), outcome)
    };
    let nodes = match Some(tasks).filter(|tasks| tasks.len() > 1).and_then(|_| pool()) {
        Some(pool) => pool.install(|| tasks.par_iter().map(compare).collect()),
        None => tasks.iter().map(compare).collect(),
    };
    ComparisonResult { nodes, rule_use: rule_use.into_inner() }
}

fn compile_ahead(session: &Session, names: &[Arc<str>]) -> CompiledAhead {
    if session.options.exported != Some(ExportedFrom::Site) {
        return None;
    }
    let compiled = session.compile_all(names, &|_| ());
    Some(Mutex::new(compiled.into_iter().map(|compiled| (compiled.certname.clone(), compiled)).collect()))
}

/// Compiles a node, or takes its catalog from those that were compiled ahead.
fn compile(session: &Session, ahead: &CompiledAhead, certname: &str) -> Compiled {
    let compiled = ahead.as_ref().and_then(|all| all.lock().remove(certname));
    compiled.unwrap_or_else(|| session.compile(certname))
}

/// The comparison of a node.
struct Comparison<'a> {
    plan: &'a Plan,
    inputs: Option<&'a Inputs>,
    old: &'a CompiledAhead,
    new: &'a CompiledAhead,
    rule_use: &'a Mutex<RuleUse>,
}

impl Comparison<'_> {
    fn compare(&self, task: &Task) -> Outcome {
        let (plan, certname) = (self.plan, &*task.certname);
        if !task.new {
            return Outcome::Removed;
        }
        let compile_new = || compile(&plan.new.session, self.new, certname).result;
        let failed = |failure: &Diagnostic| Some(plan.new.failure(failure));
        match &plan.old {
            OldSide::Session(_) if !task.old => match compile_new() {
                Ok(catalog) => Outcome::Added(catalog.len()),
                Err(failure) => Outcome::Failed { old: None, new: failed(&failure) },
            },
            OldSide::Session(old) => self.compare_with_compiled(old, certname),
            OldSide::Catalogs(read) => match (read(certname), compile_new()) {
                (Ok(None), Ok(catalog)) => Outcome::Added(catalog.len()),
                (Ok(Some(document)), Ok(catalog)) => self.compare_with_saved(certname, document, &catalog),
                (Err(reason), Ok(_)) => Outcome::Failed { old: Some(without_position(&reason)), new: None },
                (Err(reason), Err(failure)) => {
                    Outcome::Failed { old: Some(without_position(&reason)), new: failed(&failure) }
                }
                (Ok(_), Err(failure)) => Outcome::Failed { old: None, new: failed(&failure) },
            },
        }
    }

    /// Compares with a catalog that the old side compiles.
    fn compare_with_compiled(&self, old: &Side, certname: &str) -> Outcome {
        let plan = self.plan;
        let before = compile(&old.session, self.old, certname);
        let has_same_inputs = self.inputs.is_some_and(|inputs| inputs.are_same(&before.reads));
        match (&before.result, has_same_inputs) {
            (Err(failure), true) => {
                let failure = Some(old.failure(failure));
                return Outcome::Failed { old: failure.clone(), new: failure };
            }
            (Ok(catalog), true) => {
                let sources = old.environment(catalog).map(|environment| Sources::from_catalog(catalog, environment));
                let are_same = |inputs: &Inputs| sources.as_ref().is_none_or(|sources| sources.are_same(inputs));
                if self.inputs.is_some_and(are_same) {
                    return Outcome::Same { compiled: false, bare: is_bare(catalog) };
                }
            }
            _ => {}
        }
        let after = compile(&plan.new.session, self.new, certname);
        if let Some(observe) = &plan.observe {
            observe([&old.session, &plan.new.session], &before, &after);
        }
        match (before.result, after.result) {
            (Ok(before), Ok(after)) => {
                let documents = (wire::native::document(&before), wire::native::document(&after));
                let (mut old_document, mut new_document) = match documents {
                    (Ok(old), Ok(new)) => (old, new),
                    (old, new) => {
                        let failure =
                            |result: Result<Value, Reason>| result.err().map(|reason| without_position(&reason));
                        return Outcome::Failed { old: failure(old), new: failure(new) };
                    }
                };
                if let (Some(from), Some(to)) = (old.environment(&before), plan.new.environment(&after)) {
                    let sides = [(old.world.as_ref(), &before, from), (plan.new.world.as_ref(), &after, to)];
                    files::add_contents(sides, [&mut old_document, &mut new_document]);
                }
                let secrets = before.secrets.union(&after.secrets, plan.new.session.secrets_key());
                let documents = [old_document, new_document].map(|document| Redacted::new(document, &secrets));
                let outcome =
                    self.compare_documents(certname, documents, Form::Native, is_bare(&before) && is_bare(&after));
                outcome.with_origins(Some(&before), &after)
            }
            (before, after) => Outcome::Failed {
                old: before.err().map(|failure| old.failure(&failure)),
                new: after.err().map(|failure| plan.new.failure(&failure)),
            },
        }
    }

    /// Compares with a saved catalog.
    fn compare_with_saved(&self, certname: &str, document: Value, catalog: &Catalog) -> Outcome {
        let saved = match comparable::normalize(document) {
            Ok(catalog) => catalog,
            Err(why) => {
                let text = format!("the saved catalog of {certname}: {why}");
                return Outcome::Failed { old: Some(without_position(&Reason::runtime(text))), new: None };
            }
        };
        let compiled = match saved.form {
            Form::Native => wire::native::document(&catalog.for_agent()),
            Form::Wire => wire::puppetdb::document_of_version_4(catalog),
        };
        let compiled = compiled.map_err(|reason| without_position(&reason)).and_then(|document| {
            comparable::normalize(document).map_err(|why| without_position(&Reason::runtime(why)))
        });
        match compiled {
            Ok(mut compiled) => {
                if !saved.has_edges() {
                    compiled.remove_edges();
                }
                let documents = self.without_secrets(saved.document, compiled.document, catalog);
                self.compare_documents(certname, documents, saved.form, is_bare(catalog)).with_origins(None, catalog)
            }
            Err(failure) => Outcome::Failed { old: None, new: Some(failure) },
        }
    }

    /// Replaces the secrets in a saved and a compiled catalog. Those of the saved one are the values that it marks as sensitive, and those
    /// that are secret in the compiled one.
    fn without_secrets(&self, saved: Value, compiled: Value, catalog: &Catalog) -> [Redacted; 2] {
        let key = self.plan.new.session.secrets_key();
        let secrets = Secrets::from_document(&saved, key).union(&catalog.secrets, key);
        let compiled = Redacted::new(compiled, &secrets);
        let mut saved = Redacted::new(saved, &secrets);
        saved.hide_counterparts(&compiled, key);
        [saved, compiled]
    }

    /// Compares two documents after applying the rules.
    fn compare_documents(&self, certname: &str, documents: [Redacted; 2], form: Form, bare: bool) -> Outcome {
        let [mut old, mut new] = documents;
        for document in [&mut old, &mut new] {
            let used_by_document = self.plan.rules.apply(certname, document, self.plan.new.session.secrets_key());
            self.rule_use.lock().add(&used_by_document);
            if !self.plan.tags {
                without_tags(document);
            }
        }
        let diff = diff::diff(&old, &new, form);
        if diff.is_empty() { Outcome::Same { compiled: true, bare } } else { Outcome::Differs(Box::new(diff)) }
    }
}

fn without_position(reason: &Reason) -> Failure {
    let message = reason.message.to_string();
    Failure { text: message.clone(), message, code: reason.code, position: None }
}

fn without_tags(document: &mut Value) {
    for resource in document.get_mut("resources").and_then(Value::as_array_mut).into_iter().flatten() {
        if let Some(members) = resource.as_object_mut() {
            members.remove("tags");
        }
    }
}

/// Whether a catalog contains only the resources that every catalog has, often because the node's code was not found.
fn is_bare(catalog: &Catalog) -> bool {
    catalog.resources.iter().all(|resource| match resource.type_name.as_str() {
        "Stage" | "Node" => true,
        "Class" => matches!(&*resource.title, "main" | "Main" | "settings" | "Settings"),
        _ => false,
    })
}

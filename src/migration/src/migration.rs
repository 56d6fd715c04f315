//! Compiles nodes with two versions of Puppet and finds what undoes the differences.

use parking_lot::Mutex;
use std::path::PathBuf;
use std::sync::Arc;

use indexmap::IndexMap;
use indexmap::IndexSet;

use crate::legacy_facts;
use crate::legacy_facts::LegacyFact;
use crate::levers;
use crate::levers::Lever;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::diag::Severity;
use catwalk_base::version::Version;
use catwalk_catalog::Catalog;
use catwalk_compare as compare;
use catwalk_compare::FailureKind;
use catwalk_compare::Group;
use catwalk_compare::OldSide;
use catwalk_compare::Plan;
use catwalk_compare::Report;
use catwalk_compare::Side;
use catwalk_compare::Task;
use catwalk_session::Compiled;
use catwalk_session::Options;
use catwalk_session::Session;
use catwalk_value::Value;
use catwalk_world::Disk;

/// What the new version changes.
pub struct Migration {
    /// The versions.
    pub from: Version,
    /// The new version.
    pub to: Version,
    /// Groups of equal changes of catalogs, and failures.
    pub report: Report,
    /// For each group of changes the lever that undoes it, if there is one.
    pub group_levers: Vec<Option<Lever>>,
    /// For each failure the lever that undoes it.
    pub failure_levers: Vec<Option<Lever>>,
    /// Legacy facts that nodes use and agents of the new version do not send.
    pub legacy_facts: Vec<LegacyFact>,
    /// Warnings that only the new version gives, with the nodes.
    pub warnings: Vec<Finding>,
    /// Files whose content looks like a checksum: the old version takes it for the name of content in a filebucket.
    pub checksum_contents: Vec<Finding>,
}

/// A finding about some nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// A message with its position, or the reference of a resource.
    pub text: String,
    /// The nodes.
    pub nodes: Vec<Arc<str>>,
}

impl Migration {
    /// Whether nothing changes for any node.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        self.report.is_same()
            && self.legacy_facts.is_empty()
            && self.warnings.is_empty()
            && self.checksum_contents.is_empty()
    }

    /// Whether no node could be compiled with either version.
    #[must_use]
    pub fn is_failure(&self) -> bool {
        self.report.is_failure()
    }
}

/// What is noted while nodes are compiled.
#[derive(Default)]
struct Observed {
    /// By name of a legacy fact: the nodes that use it.
    legacy: IndexMap<String, Vec<Arc<str>>>,
    /// The files that these nodes read.
    read: IndexSet<PathBuf>,
    warnings: IndexMap<String, Vec<Arc<str>>>,
    checksums: IndexMap<String, Vec<Arc<str>>>,
}

/// Compiles the nodes that `select` names with both versions and compares. `progress` gets the number of nodes and
/// returns what is called for each.
///
/// # Errors
/// The site cannot be opened with one of the versions, or a node does not exist.
pub fn run(
    options: &Options,
    (from, to): (Version, Version),
    select: &dyn Fn(&Session) -> Result<Vec<Arc<str>>, Reason>,
    progress: &dyn Fn(usize) -> Box<dyn Fn() + Sync>,
) -> Result<Migration, Reason> {
    let options = &Options { keep_facts: true, ..options.clone() };
    let old = open(Options { puppet: Some(from), ..options.clone() })?;
    let new_options = levers::new_options(options, from, to);
    let new = open(new_options.clone())?;
    let names = select(&old.session)?;
    let tasks: Vec<Task> = names.into_iter().map(|certname| Task { certname, old: true, new: true }).collect();
    let observed: Arc<Mutex<Observed>> = Arc::default();
    let loses_legacy_facts = new_options.drop_legacy_facts;
    let rules = (*new.session.site.rules).clone();
    let mut plan = Plan::new(OldSide::Session(Box::new(old)), new, rules);
    let (shared, checksums) = (observed.clone(), to.checksums_are_content && !from.checksums_are_content);
    plan.observe = Some(Box::new(move |sides, before, after| {
        let mut observed = shared.lock();
        if loses_legacy_facts {
            observed.note_legacy_facts(before);
        }
        observed.note_warnings(sides, before, after);
        if let (true, Ok(catalog)) = (checksums, &after.result) {
            observed.note_checksums(&after.certname, catalog);
        }
    }));
    let compared = compare::run(&plan, &tasks, &*progress(tasks.len()));
    plan.observe = None;
    let observed = std::mem::take(&mut *observed.lock());
    let report = Report::new(label(from), label(to), compared);
    let (group_levers, failure_levers) = find_levers(&mut plan, &report, &new_options)?;
    let world = plan.new.world.clone();
    let legacy_facts = legacy_facts::located(observed.legacy, &observed.read, world.as_ref());
    let findings = |all: IndexMap<String, Vec<Arc<str>>>| -> Vec<Finding> {
        let mut all: Vec<Finding> = all.into_iter().map(|(text, nodes)| Finding { text, nodes }).collect();
        all.iter_mut().for_each(|finding| finding.nodes.sort());
        all.sort_by(|a, b| (b.nodes.len(), &a.text).cmp(&(a.nodes.len(), &b.text)));
        all
    };
    let (warnings, checksum_contents) = (findings(observed.warnings), findings(observed.checksums));
    Ok(Migration { from, to, report, group_levers, failure_levers, legacy_facts, warnings, checksum_contents })
}

fn label(version: Version) -> String {
    format!("Puppet {}", version.release)
}

fn open(options: Options) -> Result<Side, Reason> {
    let disk = Arc::new(Disk::new());
    Ok(Side::new(Session::open(options, disk.clone())?, disk))
}

/// For each group and each failure the first lever that undoes it on the first of its nodes.
type FoundLevers = (Vec<Option<Lever>>, Vec<Option<Lever>>);

fn find_levers(plan: &mut Plan, report: &Report, options: &Options) -> Result<FoundLevers, Reason> {
    let mut groups: Vec<Option<Lever>> = vec![None; report.groups.len()];
    let mut failures: Vec<Option<Lever>> = vec![None; report.failures.len()];
    let OldSide::Session(old) = &plan.old else { return Ok((groups, failures)) };
    let from = old.session.options.settings.version;
    for lever in levers::available(options, from) {
        let first = |nodes: &[Arc<str>]| nodes.first().cloned();
        let open_groups = report.groups.iter().zip(&groups).filter(|(_, found)| found.is_none());
        let open_failures = report.failures.iter().zip(&failures);
        let open_failures =
            open_failures.filter(|(failure, found)| found.is_none() && failure.kind == FailureKind::New);
        let names: IndexSet<Arc<str>> = open_groups
            .filter_map(|(group, _)| first(&group.nodes))
            .chain(open_failures.filter_map(|(failure, _)| first(&failure.nodes)))
            .collect();
        if names.is_empty() {
            break;
        }
        plan.new = open(lever.applied(options))?;
        let tasks: Vec<Task> = names.into_iter().map(|certname| Task { certname, old: true, new: true }).collect();
        let with_lever = Report::new(String::new(), String::new(), compare::run(plan, &tasks, &|| ()));
        for (group, found) in report.groups.iter().zip(&mut groups).filter(|(_, found)| found.is_none()) {
            if first(&group.nodes).is_some_and(|node| undoes(&with_lever, group, &node)) {
                *found = Some(lever);
            }
        }
        for (failure, found) in report.failures.iter().zip(&mut failures).filter(|(_, found)| found.is_none()) {
            let fails = |node: &Arc<str>| with_lever.failures.iter().any(|other| other.nodes.contains(node));
            let is_new = failure.kind == FailureKind::New;
            if is_new && first(&failure.nodes).is_some_and(|node| !fails(&node)) {
                *found = Some(lever);
            }
        }
    }
    Ok((groups, failures))
}

/// Whether none of the changes of a group are in a report about a node.
fn undoes(report: &Report, group: &Group, node: &Arc<str>) -> bool {
    let fails = report.failures.iter().any(|failure| failure.nodes.contains(node));
    let has = |change| report.groups.iter().any(|other| other.nodes.contains(node) && other.changes.contains(change));
    !fails && !group.changes.iter().any(has)
}

impl Observed {
    fn note_legacy_facts(&mut self, before: &Compiled) {
        let used = before.used_legacy_facts();
        if used.is_empty() {
            return;
        }
        for name in used {
            self.legacy.entry(name).or_default().push(before.certname.clone());
        }
        self.read.extend(before.reads.paths().map(std::path::Path::to_path_buf));
    }

    /// Notes warnings of the new version whose message the old one does not give.
    fn note_warnings(&mut self, [old, new]: [&Session; 2], before: &Compiled, after: &Compiled) {
        let text = |session: &Session, log: &Diagnostic| {
            let text = log.puppet_text(session.sources());
            let root = session.options.root.as_ref().map(|root| format!("{}/", root.display()));
            root.map_or(text.clone(), |root| text.replace(&root, ""))
        };
        let warns = |log: &&Diagnostic| log.severity == Severity::Warning;
        let known: IndexSet<String> = before.logs.iter().map(|log| text(old, log)).collect();
        let added: IndexSet<String> = after.logs.iter().filter(warns).map(|log| text(new, log)).collect();
        for text in added.into_iter().filter(|text| !known.contains(text)) {
            self.warnings.entry(text).or_default().push(after.certname.clone());
        }
    }

    fn note_checksums(&mut self, certname: &Arc<str>, catalog: &Catalog) {
        let (file, content) = (catwalk_base::name!("file"), catwalk_base::name!("content"));
        for resource in catalog.resources.iter().filter(|resource| resource.type_name.normalized() == file) {
            let Some(Value::Str(text)) = resource.parameters.get(&content) else { continue };
            if catwalk_resources::looks_like_checksum(text.as_bytes()) {
                // Not the content: it may be a secret.
                self.checksums.entry(resource.reference()).or_default().push(certname.clone());
            }
        }
    }
}

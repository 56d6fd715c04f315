//! Applies the resources of a catalog one after the other (Puppet::Transaction).

mod children;
mod events;
mod prepare;
mod purge;
mod relate;
mod skip;

use std::collections::HashSet;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use rustc_hash::FxBuildHasher;

use catwalk_catalog::Catalog;
use catwalk_catalog::Tags;
use catwalk_resource_api::Failure;
use catwalk_resource_api::Level;
use catwalk_resource_api::Log;
use catwalk_system::Clock;
use catwalk_value::Value;
use catwalk_value::secret;

use crate::Environment;
use crate::Kinds;
use crate::ManagedResource;
use crate::Options;
use crate::ResourcePath;
use crate::Run;
use crate::graph::Graph;
use crate::harness::Evaluation;
use crate::item::Item;
use crate::item::is_deferred;
use crate::plan;
use crate::recorder::LogLine;
use crate::recorder::Recorder;
use crate::recorder::Subject;
use crate::status::Event;
use crate::status::EventStatus;
use crate::status::Status;
use crate::transaction::relate::Names;
use catwalk_base::secrets::SecretCollection;

/// The kind of a node of the graph.
#[derive(Clone)]
enum Node {
    /// A resource that is managed.
    Resource(usize),
    /// The beginning or the end of a container, or the end of a resource that generated others.
    Anchor { reference: Arc<str>, is_end: bool, tags: Tags },
    /// A container: its anchors replace it in the graph.
    Replaced,
}

/// A resource after a run.
#[derive(Clone, Debug)]
pub struct AppliedResource {
    /// The type with a capital: `File`.
    pub resource_type: String,
    /// Its title.
    pub title: String,
    /// `File[/x]`
    pub reference: Arc<str>,
    /// `/Stage[main]/Main/File[/x]`
    pub path: ResourcePath,
    /// The name of Puppet's equivalent provider: `posix`, `systemd`.
    pub provider: Option<Arc<str>>,
    /// Its tags.
    pub tags: Vec<Arc<str>>,
    /// The file and line of its declaration.
    pub position: Option<(Arc<str>, u32)>,
    /// Its events and state.
    pub status: Status,
}

/// The result of a run.
#[derive(Clone, Debug, Default)]
pub struct RunOutcome {
    /// The resources that were evaluated or skipped, in order.
    pub resources: Vec<AppliedResource>,
    /// The log of the run.
    pub logs: Vec<LogLine>,
    /// Whether all resources are valid, so that the catalog could be applied.
    pub is_prepared: bool,
    /// Whether the run was completed: neither refused nor ended by a failure nor interrupted.
    pub is_complete: bool,
    /// The reason why nothing was applied or the run ended early.
    pub failure: Option<String>,
    /// The line of the script that caused the failure, and the calls, for people; empty if they are unknown.
    pub excerpt: String,
    /// The duration of the evaluation of all resources; `None` if it did not end.
    pub evaluation_time: Option<Duration>,
    /// Whether a resource failed to list the resources that it generates.
    pub failed_to_generate: bool,
    /// The changes that a noop run would make, with [`Options::record_plan`].
    pub changes: Vec<plan::Change>,
    /// The resources that a noop run would refresh.
    pub refreshes: Vec<String>,
}

/// Applies a catalog.
pub fn apply(catalog: &Catalog, kinds: &Kinds, environment: &mut Environment<'_>, options: &Options) -> RunOutcome {
    let clock = environment.system.clock();
    let mut transaction = Transaction {
        options,
        kinds,
        recorder: Recorder::new(environment.log, clock.clone()),
        secrets: environment.secrets,
        clock: clock.clone(),
        system: environment.system,
        resolver: environment.resolver,
        state: environment.state,
        items: Vec::new(),
        nodes: Vec::new(),
        graph: Graph::default(),
        names: Names::default(),
        item_nodes: Vec::new(),
        queues: Vec::new(),
        failed: Vec::new(),
        notified: HashSet::default(),
        reported: HashSet::default(),
        warned_schedules: HashSet::default(),
        evaluated: Vec::new(),
        outcome: RunOutcome::default(),
    };
    let started = clock.elapsed();
    let result = transaction.prepare(catalog).and_then(|()| {
        transaction.outcome.is_prepared = true;
        transaction.relate(catalog)
    });
    match result {
        Err(failure) => transaction.outcome.failure = Some(failure),
        Ok(()) => {
            let version = match &catalog.version {
                catwalk_catalog::Version::Seconds(seconds) => seconds.to_string(),
                catwalk_catalog::Version::Text(text) => text.to_string(),
            };
            let text = format!("Applying configuration version '{version}'");
            transaction.recorder.log(Level::Info, None, &text);
            transaction.traverse(environment.is_interrupted, environment.progress);
            if transaction.outcome.failure.is_none() {
                transaction.outcome.evaluation_time = Some(clock.elapsed().saturating_sub(started));
            }
        }
    }
    kinds.iter().for_each(|kind| kind.finish());
    transaction.finish()
}

struct Transaction<'a, 'e> {
    options: &'a Options,
    kinds: &'a Kinds,
    recorder: Recorder<'a>,
    secrets: &'a SecretCollection,
    /// The clock of the machine.
    clock: Arc<dyn Clock>,
    system: &'a mut (dyn catwalk_system::System + 'e),
    resolver: &'a mut (dyn crate::Resolver + 'e),
    state: &'a mut crate::State,
    items: Vec<Item>,
    nodes: Vec<Node>,
    graph: Graph,
    /// Items by type and by the names that references use.
    names: Names,
    /// The nodes of the items.
    item_nodes: Vec<usize>,
    /// The pending events of each node.
    queues: Vec<Vec<EventStatus>>,
    /// The failed dependencies of each node.
    failed: Vec<Option<Rc<Vec<usize>>>>,
    /// Failed resources that were reported for a dependent resource.
    notified: HashSet<usize, FxBuildHasher>,
    /// The addresses of the lists of failed dependencies whose members were reported; `failed` keeps the lists.
    reported: HashSet<usize, FxBuildHasher>,
    warned_schedules: HashSet<Arc<str>, FxBuildHasher>,
    /// The items of the report, by position.
    evaluated: Vec<usize>,
    outcome: RunOutcome,
}

impl Transaction<'_, '_> {
    fn traverse(&mut self, is_interrupted: &dyn Fn() -> bool, progress: &mut dyn FnMut(usize, usize)) {
        self.queues.resize(self.graph.len(), Vec::new());
        self.failed.resize(self.graph.len(), None);
        self.graph.start();
        let mut number = 0;
        while !is_interrupted() && self.outcome.failure.is_none() {
            let Some(node) = self.graph.next() else {
                self.outcome.is_complete = true;
                break;
            };
            match self.nodes.get(node) {
                Some(Node::Resource(at)) => {
                    let at = *at;
                    number += 1;
                    progress(number, self.items.len());
                    self.generate_children(node, at);
                    self.evaluate_node(node, Some(at));
                }
                _ => self.evaluate_node(node, None),
            }
            self.graph.finish(node);
        }
        while let Some(node) = self.graph.next() {
            if let Some(Node::Resource(at)) = self.nodes.get(node) {
                let at = *at;
                self.evaluated.push(at);
                self.items[at].status.skipped = true;
                self.log(at, Level::Debug, "Transaction canceled, skipping");
            }
            self.graph.finish(node);
        }
    }

    /// Logs a message about a resource.
    fn log(&mut self, at: usize, level: Level, message: &str) {
        let Some(item) = self.items.get(at) else { return };
        if self.recorder.wants(level) {
            self.recorder.subject = Some(subject(item));
            let path = item.path.to_string();
            self.recorder.log(level, Some(&path), message);
        }
    }

    /// Logs a message about a node, whose path in messages is that of its resource or the reference of its container.
    fn log_node(&mut self, node: usize, level: Level, message: &str) {
        match self.nodes.get(node) {
            Some(Node::Resource(at)) => self.log(*at, level, message),
            Some(Node::Anchor { reference, tags, .. }) => {
                let reference = reference.clone();
                let tags = tags.iter().cloned().collect();
                self.recorder.subject = Some(Subject { tags, position: None });
                self.recorder.log(level, Some(&reference), message);
            }
            _ => {}
        }
    }

    fn is_noop(&self, at: usize) -> bool {
        self.items.get(at).and_then(|item| item.meta.noop).unwrap_or(self.options.noop)
    }

    fn evaluate_node(&mut self, node: usize, at: Option<usize>) {
        self.evaluated.extend(at);
        self.propagate_failures(node, at);
        if self.is_skipped(node, at) {
            if let Some(at) = at {
                self.items[at].status.skipped = true;
                self.log(at, Level::Debug, "Resource is being skipped, unscheduling all events");
            }
            if self.queues.get(node).is_some_and(|queue| !queue.is_empty()) {
                let text = format!("Unscheduling all events on {}", self.reference(node));
                self.log_node(node, Level::Info, &text);
                self.queues[node].clear();
            }
            return;
        }
        if let Some(at) = at {
            self.evaluate_item(node, at);
        }
        self.process_events(node, at);
    }

    fn reference(&self, node: usize) -> Arc<str> {
        match self.nodes.get(node) {
            Some(Node::Resource(at)) => self.items.get(*at).map(|item| item.reference.clone()).unwrap_or_default(),
            Some(Node::Anchor { reference, .. }) => reference.clone(),
            _ => Arc::default(),
        }
    }

    fn evaluate_item(&mut self, node: usize, at: usize) {
        let started = self.clock.elapsed();
        self.items[at].status.time = self.clock.now();
        let noop = self.is_noop(at);
        let managed = match self.items[at].managed.take() {
            Some(managed) => Ok(managed),
            None => self.prepare_deferred(at),
        };
        let before = self.items[at].status.events.len();
        // Changes during the preparation are not attributed to a resource.
        self.recorder.changes.clear();
        let result = match managed {
            Err(failure) => Err(failure),
            Ok(mut managed) => {
                let result = self.evaluate_managed(at, managed.as_mut(), noop);
                self.items[at].managed = Some(managed);
                result
            }
        };
        if let Err(failure) = result {
            self.fail(at, &failure, "Could not evaluate: ");
        }
        let item = &mut self.items[at];
        item.status.machine_changes.append(&mut self.recorder.changes);
        item.status.evaluation_time = Some(self.clock.elapsed().saturating_sub(started));
        let events: Vec<Event> = item.status.events.iter().skip(before).cloned().collect();
        if item.status.changed && !noop {
            self.machine_changed(at);
        }
        if !self.items[at].status.blocks_dependents() {
            self.queue_events(node, &events);
        }
    }

    /// Notifies all kinds except that of a changed resource that their cached states may be outdated.
    fn machine_changed(&self, at: usize) {
        let Some(item) = self.items.get(at) else { return };
        let others = self.kinds.iter().filter(|kind| kind.name() != item.declared.type_name.as_str());
        others.for_each(|kind| kind.machine_changed());
    }

    fn evaluate_managed(&mut self, at: usize, managed: &mut dyn ManagedResource, noop: bool) -> Result<(), Failure> {
        let item = &mut self.items[at];
        self.recorder.subject = Some(subject(item));
        let mut run = Run {
            system: self.system,
            log: &mut self.recorder,
            secrets: self.secrets,
            strict: self.options.strict,
            noop,
            path: item.path.clone(),
        };
        let plan = self.options.plan.as_ref();
        let recorded_changes = self.options.record_plan.as_ref().map(|key| (key, &mut self.outcome.changes));
        let version = self.options.version;
        Evaluation {
            run: &mut run,
            clock: self.clock.as_ref(),
            state: self.state,
            plan,
            recorded_changes,
            noop,
            version,
        }
        .evaluate(item, managed)
    }

    /// Records and logs the failure of a resource as a whole.
    fn fail(&mut self, at: usize, failure: &Failure, prefix: &str) {
        if failure.is_fatal {
            self.outcome.failure = Some(format!("Could not run: {}", failure.message));
            self.outcome.excerpt.clone_from(&failure.excerpt);
        } else {
            self.log(at, Level::Err, &format!("{prefix}{}", failure.message));
            self.recorder.show_excerpt(&failure.excerpt);
            for line in &failure.trace {
                self.log(at, Level::Debug, line);
            }
        }
        let event =
            Event::for_resource("resource_error", EventStatus::Failure, failure.message.clone(), self.clock.now());
        self.items[at].status.add(event);
    }

    /// Resolves the deferred values of a resource and prepares it.
    fn prepare_deferred(&mut self, at: usize) -> Result<Box<dyn ManagedResource>, Failure> {
        self.resolve_deferred(at)?;
        self.prepare_item(at).map_err(|errors| Failure::new(errors.join("\n")))
    }

    /// Resolves the deferred values of a resource.
    fn resolve_deferred(&mut self, at: usize) -> Result<(), Failure> {
        let item = &mut self.items[at];
        for (name, value) in item.declared.parameters.iter_mut() {
            if is_deferred(value) {
                let resolved = self.resolver.resolve(value, &mut self.recorder).map_err(Failure::new)?;
                secret::conceal_marked(&resolved, self.secrets);
                *value = match resolved {
                    Value::Sensitive(inner) => {
                        item.declared.sensitive.push(*name);
                        inner.as_ref().clone()
                    }
                    resolved => resolved,
                };
            }
        }
        Ok(())
    }

    fn finish(mut self) -> RunOutcome {
        if self.outcome.is_complete {
            self.state.keep_system_values(self.items.iter().map(|item| &*item.reference));
        }
        self.outcome.logs = std::mem::take(&mut self.recorder.lines);
        let mut items: Vec<Option<Item>> = std::mem::take(&mut self.items).into_iter().map(Some).collect();
        let evaluated = self.evaluated.iter().filter_map(|at| items.get_mut(*at)?.take());
        self.outcome.resources = evaluated
            .map(|item| AppliedResource {
                provider: item.managed.as_ref().and_then(|managed| managed.provider()),
                resource_type: item.type_name().to_owned(),
                title: item.declared.title.to_string(),
                reference: item.reference,
                path: item.path,
                tags: item.tags.iter().cloned().collect(),
                position: item.declared.position,
                status: item.status,
            })
            .collect();
        self.outcome
    }
}

fn subject(item: &Item) -> Subject {
    Subject { tags: item.tags.iter().cloned().collect(), position: item.declared.position.clone() }
}

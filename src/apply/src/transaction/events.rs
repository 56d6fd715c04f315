//! Propagates events to the resources that subscribe to them (Puppet::Transaction::EventManager).

use catwalk_resource_api::Failure;
use catwalk_resource_api::Level;

use crate::RefreshOutcome;
use crate::Run;
use crate::status::Event;
use crate::status::EventStatus;
use crate::transaction::Node;
use crate::transaction::Transaction;
use crate::transaction::subject;

impl Transaction<'_, '_> {
    /// Queues events of a node for its listeners: once for each event name and edge.
    pub(super) fn queue_events(&mut self, node: usize, events: &[Event]) {
        let mut groups: Vec<(&str, Vec<EventStatus>)> = Vec::new();
        for event in events {
            match groups.iter_mut().find(|(name, _)| *name == event.name) {
                Some((_, statuses)) => statuses.push(event.status),
                None => groups.push((&event.name, vec![event.status])),
            }
        }
        for (_, statuses) in &groups {
            self.queue_statuses(node, statuses);
        }
        if let Some(Node::Resource(at)) = self.nodes.get(node) {
            let is_absent = |event: &Event| event.name == format!("{}_removed", self.items[*at].declared.type_name);
            let cancels = self.items[*at].kind.is_some() && self.items[*at].traits.absence_cancels_refresh;
            if cancels && events.iter().any(is_absent) {
                let text = format!("Unscheduling refresh on {}", self.reference(node));
                self.log_node(node, Level::Info, &text);
                self.queues[node].clear();
            }
        }
    }

    fn queue_statuses(&mut self, node: usize, statuses: &[EventStatus]) {
        for target in self.graph.listeners(node) {
            let (reference, is_end) = match self.nodes.get(target) {
                Some(Node::Resource(at)) => {
                    let item = &self.items[*at];
                    if !item.traits.is_refreshable {
                        continue;
                    }
                    (item.reference.clone(), false)
                }
                Some(Node::Anchor { reference, is_end, .. }) => (reference.clone(), *is_end),
                _ => continue,
            };
            if is_end {
                let text = format!("The container {reference} will propagate my refresh event");
                self.log_node(node, Level::Debug, &text);
            } else {
                self.log_node(node, Level::Info, &format!("Scheduling refresh of {reference}"));
            }
            self.queues[target].extend_from_slice(statuses);
        }
    }

    /// Processes the events that are queued for a node.
    pub(super) fn process_events(&mut self, node: usize, at: Option<usize>) {
        let events = self.queues.get_mut(node).map(std::mem::take).unwrap_or_default();
        if events.is_empty() || self.outcome.failure.is_some() {
            return;
        }
        let is_noop = at.map_or(self.options.noop, |at| self.is_noop(at));
        let count = format!("{} event{}", events.len(), if events.len() == 1 { "" } else { "s" });
        if is_noop || events.iter().all(|status| *status == EventStatus::Noop) {
            self.log_node(node, Level::Notice, &format!("Would have triggered 'refresh' from {count}"));
            if let Some(at) = at {
                self.outcome.refreshes.push(self.items[at].reference.to_string());
            }
            let event = Event::for_resource("noop_restart", EventStatus::Noop, String::new(), self.clock.now());
            self.queue_events(node, &[event]);
            return;
        }
        if let Some(at) = at {
            let message = format!("Triggered 'refresh' from {count}");
            match self.refresh(at) {
                Err(failure) => return self.failed_to_refresh(at, &failure),
                Ok(RefreshOutcome::Ignored) => return,
                Ok(RefreshOutcome::Refreshed) => {}
            }
            self.log(at, Level::Notice, &message);
            let status = &mut self.items[at].status;
            status.add(Event::for_resource("refresh", EventStatus::Success, message, self.clock.now()));
            status.restarted = true;
            self.machine_changed(at);
        }
        let event = Event::for_resource("restarted", EventStatus::Success, String::new(), self.clock.now());
        self.queue_events(node, &[event]);
    }

    fn refresh(&mut self, at: usize) -> Result<RefreshOutcome, Failure> {
        let item = &mut self.items[at];
        self.recorder.subject = Some(subject(item));
        let Some(managed) = item.managed.as_mut() else { return Ok(RefreshOutcome::Ignored) };
        if let Some(plan) = &self.options.plan
            && !plan.refreshes(&item.reference)
        {
            return Err(Failure::new(format!("the plan does not refresh {}", item.reference)));
        }
        let mut run = Run {
            system: self.system,
            log: &mut self.recorder,
            secrets: self.secrets,
            strict: self.options.strict,
            noop: false,
            path: item.path.clone(),
        };
        let refreshed = managed.refresh(&mut run);
        item.status.machine_changes.append(&mut self.recorder.changes);
        refreshed
    }

    fn failed_to_refresh(&mut self, at: usize, failure: &Failure) {
        let message = format!("Failed to call refresh: {}", failure.message);
        self.log(at, Level::Err, &message);
        let status = &mut self.items[at].status;
        status.failed_to_restart = true;
        status.add(Event::for_resource("resource_error", EventStatus::Failure, message, self.clock.now()));
        self.log(at, Level::Err, &failure.message);
        if failure.is_fatal {
            self.outcome.failure = Some(format!("Could not run: {}", failure.message));
        }
    }
}

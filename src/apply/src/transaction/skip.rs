//! Decides whether a resource is skipped: tags, schedules, failed dependencies (Puppet::Transaction#skip?).

use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use catwalk_resource_api::Level;
use catwalk_value::Value;

use crate::transaction::Node;
use crate::transaction::Transaction;

impl Transaction<'_, '_> {
    /// Collects the failed resources that a node depends on.
    pub(super) fn propagate_failures(&mut self, node: usize, at: Option<usize>) {
        let mut all: Option<Rc<Vec<usize>>> = None;
        // The contents of `all`, once there are several lists.
        let mut seen: FxHashSet<usize> = FxHashSet::default();
        let mut add = |failed: Rc<Vec<usize>>| match &mut all {
            None => all = Some(failed),
            Some(collected) if Rc::ptr_eq(collected, &failed) => {}
            Some(collected) => {
                if seen.is_empty() {
                    seen.extend(collected.iter());
                }
                let new: Vec<usize> = failed.iter().copied().filter(|at| seen.insert(*at)).collect();
                if !new.is_empty() {
                    Rc::make_mut(collected).extend(new);
                }
            }
        };
        for dependency in self.graph.dependencies(node) {
            if let Some(failed) = self.failed.get(dependency).cloned().flatten() {
                add(failed);
            }
            if let Some(Node::Resource(other)) = self.nodes.get(dependency)
                && self.items[*other].status.blocks_dependents()
            {
                add(Rc::new(vec![*other]));
            }
        }
        if let Some(at) = at {
            self.items[at].status.failed_dependencies = all.clone();
        }
        self.failed[node] = all;
    }

    /// Whether a node is skipped; logs the reason.
    pub(super) fn is_skipped(&mut self, node: usize, at: Option<usize>) -> bool {
        let is_tagged = |selected: &[String]| {
            let tags = match self.nodes.get(node) {
                Some(Node::Resource(at)) => &self.items[*at].tags,
                Some(Node::Anchor { tags, .. }) => tags,
                _ => return false,
            };
            selected.iter().any(|tag| tags.contains(tag))
        };
        let (tags, skip_tags) = (&self.options.tags, &self.options.skip_tags);
        if !skip_tags.is_empty() && is_tagged(skip_tags) {
            self.log_node(node, Level::Debug, &format!("Skipping with skip tags {}", skip_tags.join(", ")));
            return true;
        }
        if !tags.is_empty() && !is_tagged(tags) {
            self.log_node(node, Level::Debug, &format!("Not tagged with {}", tags.join(", ")));
            return true;
        }
        if at.is_some_and(|at| !self.is_scheduled(at)) {
            self.log_node(node, Level::Debug, "Not scheduled");
            return true;
        }
        if self.failed.get(node).is_some_and(Option::is_some) {
            if let Some(at) = at {
                self.report_failed_dependencies(at);
            }
            return true;
        }
        at.is_some_and(|at| self.belongs_elsewhere(at))
    }

    fn report_failed_dependencies(&mut self, at: usize) {
        let failed = self.items[at].status.failed_dependencies.clone().unwrap_or_default();
        // Dependents of one container share the list.
        let is_new = self.reported.insert(Rc::as_ptr(&failed).addr());
        for dependency in failed.iter().filter(|_| is_new) {
            if self.notified.insert(*dependency) {
                let failed = &self.items[*dependency];
                let text = format!("Dependency {} has failures: {}", failed.reference, failed.status.failed);
                self.log(at, Level::Notice, &text);
            }
        }
        self.log(at, Level::Warning, "Skipping because of failed dependencies");
    }

    /// Whether a resource belongs to a device in a run for a machine, or the reverse.
    fn belongs_elsewhere(&mut self, at: usize) -> bool {
        let item = &self.items[at];
        if item.kind.is_none() {
            return false;
        }
        let (host, device) = (item.traits.applies_to_host, item.traits.applies_to_device);
        match (self.options.is_device, host, device) {
            (true, true, false) => self.log(at, Level::Debug, "Skipping host resources because running on a device"),
            (false, false, true) => {
                self.log(at, Level::Debug, "Skipping device resources because running on a posix host");
            }
            _ => return false,
        }
        true
    }

    /// Whether the schedule of a resource permits its evaluation. Supported are `never` and schedules without a limit.
    fn is_scheduled(&mut self, at: usize) -> bool {
        let Some(name) = self.items[at].meta.schedule.clone() else { return true };
        let schedule = self.names.get(&(catwalk_base::name!("schedule"), name.clone()));
        let schedule = schedule.map(|at| &self.items[*at]).filter(|item| item.declared.title == name);
        let limits = |name: &Arc<str>| matches!(&**name, "hourly" | "daily" | "weekly" | "monthly");
        let is_limited = match schedule {
            None if *name == *"never" => return false,
            None => limits(&name),
            Some(schedule) => {
                let parameters = &schedule.declared.parameters;
                let period = parameters.get(&catwalk_base::name!("period")).and_then(Value::as_str);
                if period == Some("never") {
                    return false;
                }
                parameters
                    .keys()
                    .any(|name| matches!(name.as_str(), "period" | "range" | "periodmatch" | "weekday" | "repeat"))
            }
        };
        if is_limited && self.warned_schedules.insert(name.clone()) {
            let text = format!("Schedule[{name}] is not supported: its resources are applied in every run");
            self.log(at, Level::Warning, &text);
        }
        true
    }
}

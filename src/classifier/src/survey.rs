//! Many nodes at once: which node is in which group, conflicts, groups without nodes.
//!
//! In: groups and nodes. Out: [`Survey`]. Must not: know files or how it is shown.
//!
//! Nodes are distributed over the threads of the current pool. Nodes with the same leaves share one outcome.

use std::sync::Arc;

use indexmap::IndexMap;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::classify::NodeClassification;
use crate::groups::Groups;
use crate::lint;
use crate::lint::Finding;
use crate::outcome::Outcome;
use crate::outcome::conflicts_document;
use crate::problem::object;
use crate::subject::Subject;
use catwalk_base::diag::Diagnostic;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_world::World;

/// The smallest number of nodes for a thread: threads do not share cached results.
const NODES_PER_THREAD: usize = 64;

/// The classification of many nodes.
#[derive(Debug)]
pub struct Survey {
    /// The result of each node, in the order of the input.
    pub nodes: Vec<NodeClassification>,
    /// The number of nodes that match each group.
    pub counts: Vec<usize>,
    /// Groups whose rule holds for no node.
    pub unmatched: Vec<usize>,
    /// Groups that no node is in although the rule holds for some: each with the ancestor that keeps them out.
    pub unreachable: Vec<(usize, usize)>,
    /// Findings about rules.
    pub findings: Vec<Finding>,
}

impl Groups {
    /// Classifies nodes in parallel, in the pool of the calling thread.
    ///
    /// # Errors
    /// Returns the error of a rule in code.
    pub fn classify_all(
        &self,
        nodes: &[Subject],
        world: &dyn World,
    ) -> Result<Vec<NodeClassification>, Box<Diagnostic>> {
        let classify_share = nodes.len().div_ceil(rayon::current_num_threads() * 4).max(NODES_PER_THREAD);
        let shares: Result<Vec<Vec<NodeClassification>>, Box<Diagnostic>> =
            nodes.par_chunks(classify_share).map(|nodes| self.classify_share(nodes, world)).collect();
        Ok(shares?.into_iter().flatten().collect())
    }

    fn classify_share(&self, nodes: &[Subject], world: &dyn World) -> Result<Vec<NodeClassification>, Box<Diagnostic>> {
        let mut worker = self.plan.worker();
        let mut outcomes: FxHashMap<Vec<usize>, NodeClassification> = FxHashMap::default();
        let mut done = Vec::with_capacity(nodes.len());
        for node in nodes {
            let matching = worker.matching(node, world)?;
            let classified = outcomes.entry(matching).or_insert_with_key(|matching| {
                let outcome: Arc<Outcome> = Arc::new(self.outcome(self.leaves(matching)));
                let values = outcome.conflicts.is_empty().then(|| Arc::new(outcome.values.clone()));
                NodeClassification { matching: matching.clone(), outcome, values }
            });
            let mut classified = classified.clone();
            if self.nodes.contains_key(node.name()) {
                classified.values = self.with_individual(node.name(), &classified.outcome);
            }
            done.push(classified);
        }
        Ok(done)
    }

    /// Classifies nodes, counts the nodes of each group and checks the rules against them.
    ///
    /// # Errors
    /// Returns the error of a rule in code.
    pub fn survey(
        &self,
        nodes: &[Subject],
        short_names: &[&str],
        world: &dyn World,
    ) -> Result<Survey, Box<Diagnostic>> {
        let classified = self.classify_all(nodes, world)?;
        let mut counts = vec![0_usize; self.groups.len()];
        for group in classified.iter().flat_map(|node| &node.matching) {
            if let Some(count) = counts.get_mut(*group) {
                *count += 1;
            }
        }
        let empty: Vec<usize> = counts.iter().enumerate().filter(|(_, n)| **n == 0).map(|(group, _)| group).collect();
        let (mut unmatched, mut unreachable) = (Vec::new(), Vec::new());
        for group in empty {
            let Some(rule) = self.get(group).and_then(|group| group.rule.as_ref()) else { continue };
            let matching_node: Result<Option<&Subject>, Box<Diagnostic>> = nodes
                .par_iter()
                .map(|node| rule.holds(node, world).map(|holds| holds.then_some(node)))
                .find_any(|found| !matches!(found, Ok(None)))
                .unwrap_or(Ok(None));
            match matching_node? {
                None => unmatched.push(group),
                Some(node) => unreachable.push((group, self.find_blocking(group, node, world)?)),
            }
        }
        let findings = lint::lint(&self.groups, nodes, short_names);
        Ok(Survey { nodes: classified, counts, unmatched, unreachable, findings })
    }

    /// The ancestor nearest to the root that keeps a node out of a group.
    fn find_blocking(&self, group: usize, node: &Subject, world: &dyn World) -> Result<usize, Box<Diagnostic>> {
        let mut blocking_group = group;
        for above in self.ancestors(group) {
            if let Some(rule) = self.get(above).and_then(|group| group.rule.as_ref())
                && !rule.holds(node, world)?
            {
                blocking_group = above;
            }
        }
        Ok(blocking_group)
    }
}

impl Survey {
    /// Whether some node's groups conflict.
    #[must_use]
    pub fn has_conflicts(&self) -> bool {
        self.nodes.iter().any(|node| !node.outcome.conflicts.is_empty())
    }

    /// The survey as a document.
    #[must_use]
    pub fn document(&self, groups: &Groups, subjects: &[Subject]) -> Value {
        let id = |number: &usize| groups.get(*number).map_or(Value::Undef, |group| Value::from(group.id.clone()));
        let ids = |numbers: &[usize]| Value::array(numbers.iter().map(id).collect());
        let mut nodes = Hash::new();
        for (subject, node) in subjects.iter().zip(&self.nodes) {
            let mut entry = Hash::new();
            entry.set("groups", ids(&node.matching));
            entry.set("leaf_groups", ids(&node.outcome.leaves));
            if let Some(values) = &node.values {
                entry.set("environment", values.environment().map_or(Value::Undef, Value::str));
                entry.set("classes", Value::array(values.classes.keys().map(|c| Value::from(c.clone())).collect()));
            } else {
                entry.set("conflicts", conflicts_document(groups, &node.outcome.conflicts));
            }
            nodes.set(subject.name(), Value::hash(entry));
        }
        let mut by_id: IndexMap<Value, Value> = IndexMap::new();
        for (group, count) in groups.groups.iter().zip(&self.counts) {
            let count = Value::Int(i64::try_from(*count).unwrap_or(i64::MAX));
            let entry = object([("name", Value::from(group.name.clone())), ("nodes", count)]);
            by_id.insert(Value::from(group.id.clone()), entry);
        }
        let unreachable = |(group, by): &(usize, usize)| object([("group", id(group)), ("blocked_by", id(by))]);
        object([
            ("nodes", Value::hash(nodes)),
            ("groups", Value::hash(by_id.into_iter().collect())),
            ("never_match", ids(&self.unmatched)),
            ("unreachable", Value::array(self.unreachable.iter().map(unreachable).collect())),
            ("lint", Value::array(self.findings.iter().map(Finding::document).collect())),
        ])
    }
}

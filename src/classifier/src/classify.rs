//! Classifies one node, and writes the documents of the service's classification endpoints.
//!
//! In: groups and a node. Out: the groups that it is in, `explanation`, near misses. Must not: know files or formats.

use std::sync::Arc;

use crate::evaluate::RuleExplanation;
use crate::groups::Groups;
use crate::outcome::Outcome;
use crate::outcome::conflicts_document;
use crate::problem::object;
use crate::subject::Subject;
use crate::values::Values;
use catwalk_base::diag::Diagnostic;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_world::World;

/// The classification of a node.
#[derive(Clone, Debug)]
pub struct NodeClassification {
    /// All groups that match, by depth, then id.
    pub matching: Vec<usize>,
    /// The values that they assign.
    pub outcome: Arc<Outcome>,
    /// The node's final values; `None` where groups conflict.
    pub values: Option<Arc<Values>>,
}

/// A group that a node is not in, and why.
#[derive(Clone, Debug)]
pub struct NearMiss {
    /// The group.
    pub group: usize,
    /// The group whose rule does not hold: itself or an ancestor.
    pub blocked_by: usize,
    /// That rule, explained; `None` if the group has no rule.
    pub explanation: Option<RuleExplanation>,
}

impl Groups {
    /// Classifies a node.
    ///
    /// # Errors
    /// Returns the error of a rule in code.
    pub fn classify(&self, node: &Subject, world: &dyn World) -> Result<NodeClassification, Box<Diagnostic>> {
        let matching = self.plan.worker().matching(node, world)?;
        let outcome = Arc::new(self.outcome(self.leaves(&matching)));
        let values = self.with_individual(node.name(), &outcome);
        Ok(NodeClassification { matching, outcome, values })
    }

    /// The node's final values: those of groups, overridden by its own classification.
    #[must_use]
    pub(crate) fn with_individual(&self, name: &str, outcome: &Arc<Outcome>) -> Option<Arc<Values>> {
        if !outcome.conflicts.is_empty() {
            return None;
        }
        let mut values = outcome.values.clone();
        if let Some(own) = self.nodes.get(name) {
            values.merge_node_values(own);
        }
        Some(Arc::new(values))
    }

    /// The answer of `POST /v1/classified/nodes/NAME/explanation`. With `all` also `near_misses`: the groups that do not
    /// match, each with the first condition that keeps the node out.
    ///
    /// # Errors
    /// Returns the error of a rule in code.
    pub fn explanation(
        &self,
        node: &Subject,
        classified: &NodeClassification,
        all: bool,
        world: &dyn World,
    ) -> Result<Value, Box<Diagnostic>> {
        let mut document = Hash::new();
        document.set("node_as_received", node.document());
        let mut explanations = Hash::new();
        for number in &classified.matching {
            let Some(group) = self.get(*number) else { continue };
            if let Some(rule) = &group.rule {
                explanations.set(&group.id, rule.explain(node, world)?.document());
            }
        }
        document.set("match_explanations", Value::hash(explanations));
        let leaves = &classified.outcome.leaves;
        let by_id = |make: &dyn Fn(usize) -> Value| {
            let one = |number: &usize| Some((Value::from(self.get(*number)?.id.clone()), make(*number)));
            Value::hash(leaves.iter().filter_map(one).collect())
        };
        document.set("leaf_groups", by_id(&|number| self.document(number)));
        let inherited = |number: usize| self.inherited(number).map_or(Value::Undef, Values::document);
        document.set("inherited_classifications", by_id(&inherited));
        if !classified.outcome.conflicts.is_empty() {
            document.set("conflicts", conflicts_document(self, &classified.outcome.conflicts));
        }
        document.set("individual_classification", self.individual_document(node.name()));
        if let Some(values) = &classified.values {
            document.set("final_classification", values.document());
            document.set("classification_sources", values.annotated_document(&|source| self.source(source)));
        }
        if all {
            document.set("near_misses", self.near_misses_document(node, classified, world)?);
        }
        Ok(Value::hash(document))
    }

    /// A node's own classification, without empty members.
    fn individual_document(&self, name: &str) -> Value {
        let Some(own) = self.nodes.get(name) else { return Value::hash(Hash::new()) };
        let mut document = Hash::new();
        if let Some(environment) = own.environment() {
            document.set("environment", Value::str(environment));
        }
        let parts = [
            ("classes", own.classes_document()),
            ("variables", own.variables_document()),
            ("config_data", own.data_document()),
        ];
        for (name, part) in parts.into_iter().filter(|(_, part)| !part.is_empty()) {
            document.set(name, Value::hash(part));
        }
        Value::hash(document)
    }

    /// The groups that a node is not in, in order, each with the group that blocks it.
    ///
    /// # Errors
    ///
    /// Returns the error of a rule in code.
    pub fn near_misses(
        &self,
        node: &Subject,
        classified: &NodeClassification,
        world: &dyn World,
    ) -> Result<Vec<NearMiss>, Box<Diagnostic>> {
        // For each group, the blocking group that is nearest to the root.
        let mut blocked: Vec<Option<usize>> = Vec::with_capacity(self.groups.len());
        let mut explanation: Vec<Option<RuleExplanation>> = Vec::with_capacity(self.groups.len());
        let mut misses = Vec::new();
        for (number, group) in self.groups.iter().enumerate() {
            let above = group.parent.and_then(|parent| blocked.get(parent).copied().flatten());
            let rule_explanation = match &group.rule {
                Some(rule) if above.is_none() => Some(rule.explain(node, world)?),
                _ => None,
            };
            let fails = rule_explanation.as_ref().is_some_and(|rule_explanation| !rule_explanation.holds);
            let by = above.or(fails.then_some(number));
            if !classified.matching.contains(&number) {
                let blocked_by = by.unwrap_or(number);
                let reason = if blocked_by == number {
                    rule_explanation.clone()
                } else {
                    explanation.get(blocked_by).cloned().flatten()
                };
                misses.push(NearMiss { group: number, blocked_by, explanation: reason });
            }
            blocked.push(by);
            explanation.push(rule_explanation);
        }
        Ok(misses)
    }

    fn near_misses_document(
        &self,
        node: &Subject,
        classified: &NodeClassification,
        world: &dyn World,
    ) -> Result<Value, Box<Diagnostic>> {
        let mut document = Hash::new();
        for miss in self.near_misses(node, classified, world)? {
            let Some(group) = self.get(miss.group) else { continue };
            let mut entry = Hash::new();
            entry.set("name", Value::from(group.name.clone()));
            if let Some(blocking) = self.get(miss.blocked_by).filter(|_| miss.blocked_by != miss.group) {
                entry.set(
                    "blocked_by",
                    object([("id", Value::from(blocking.id.clone())), ("name", Value::from(blocking.name.clone()))]),
                );
            }
            let failing =
                miss.explanation.as_ref().and_then(RuleExplanation::first_failing).map(RuleExplanation::document);
            entry.set("first_failing", failing.unwrap_or(Value::Undef));
            entry.set("explanation", miss.explanation.as_ref().map_or(Value::Undef, RuleExplanation::document));
            document.set(&group.id, Value::hash(entry));
        }
        Ok(Value::hash(document))
    }
}

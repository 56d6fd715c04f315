//! Hints for unknown variables: names in scope, variables of classes, structured facts.
//!
//! In: a name. Out: a hint. Must not: evaluate, load files.

use super::Scope;
use crate::Evaluator;
use catwalk_base::names::Name;
use catwalk_base::names::did_you_mean;
use catwalk_base::names::nearest;
use catwalk_node::facts::overrides;

/// The limit on hints of one compile: searching takes longer than the warning, which a loop may repeat.
const MAX_HINTS: u32 = 50;

impl<'c> Evaluator<'c> {
    /// The most similar existing variable.
    pub(crate) fn similar_variable(&self, name: Name) -> Option<String> {
        let hints = self.hints.get();
        if hints >= MAX_HINTS {
            return None;
        }
        self.hints.set(hints + 1);
        match name.parts() {
            Some((class, leaf)) if !class.is_empty() => self.similar_in_class(class.normalized(), leaf),
            Some((_, leaf)) => self.similar_in_scopes(leaf),
            None => self.similar_in_scopes(name),
        }
    }

    fn similar_in_scopes(&self, name: Name) -> Option<String> {
        if let Some(fact) = overrides::structured_name(name.as_str()) {
            let fact = overrides::manifest_expression(fact);
            return Some(format!("'{name}' is a legacy fact that this node does not have: use {fact}"));
        }
        // Another fact could be a better hint.
        self.note_all_facts();
        let mut names: Vec<&str> = Vec::new();
        let mut at = Some(self.scope);
        while let Some((id, scope)) = at.and_then(|at| Some((at, self.scope(at)?))) {
            names.extend(variable_names(scope));
            at = match scope.kind.is_base() {
                true => self.next_base(id).map(|base| self.innermost(base)),
                false => scope.parent,
            };
        }
        did_you_mean(name.as_str(), names)
    }

    fn similar_in_class(&self, class: Name, leaf: Name) -> Option<String> {
        let Some(base) = self.class_scopes.get(&class).copied() else {
            if matches!(self.program.class(class), Ok(Some(_))) {
                return Some(format!("class {class} is not evaluated yet: include it before this line"));
            }
            let near = nearest(class.as_str(), self.class_scopes.keys().map(|class| class.as_str()))?;
            let scope = self.class_scopes.get(&Name::new(near)).and_then(|base| self.scope(*base))?;
            return scope.vars.contains(leaf).then(|| format!("did you mean '{near}::{leaf}'?"));
        };
        let mut names: Vec<&str> = Vec::new();
        let mut at = Some(base);
        // A class that inherits itself is refused before it is evaluated, so the chain ends.
        while let Some(scope) = at.and_then(|at| self.scope(at)) {
            names.extend(variable_names(scope));
            at = scope.inherited;
        }
        nearest(leaf.as_str(), names).map(|near| format!("did you mean '{class}::{near}'?"))
    }
}

fn variable_names<'s>(scope: &'s Scope<'_>) -> impl Iterator<Item = &'s str> {
    scope.vars.iter().filter(|(name, _)| !name.is_qualified()).map(|(name, _)| name.as_str())
}

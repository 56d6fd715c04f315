//! Reading variables: of the scope, of the scopes around it, of classes by qualified name.
//!
//! In: names. Out: values, or why there is none. Must not: bind.

use super::Scope;
use super::ScopeId;
use super::ScopeKind;
use crate::Evaluator;
use crate::Res;
use crate::Stop;
use catwalk_base::diag::Code;
use catwalk_base::diag::Reason;
use catwalk_base::names::Name;
use catwalk_value::Value;

/// Why a variable has no value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unknown {
    /// `class a could not be found`, `class a has not been evaluated`, if Puppet states a reason.
    pub reason: Option<String>,
    /// The name in Puppet's message: `::a::b` if the class exists but has no such variable.
    pub name: String,
}

/// Whether a variable is always known, even without a value.
fn is_always_known(name: Name) -> bool {
    name.is_numeric() || name == catwalk_base::name!("module_name") || name == catwalk_base::name!("caller_module_name")
}

impl<'c> Evaluator<'c> {
    /// The node or top scope that functions of the Puppet language see (`find_global_scope`).
    #[must_use]
    pub fn global(&self) -> ScopeId {
        let mut at = self.base();
        while let Some(scope) = self.scope(at) {
            if matches!(scope.kind, ScopeKind::Top | ScopeKind::Node) {
                return at;
            }
            match self.next_base(at) {
                Some(next) => at = next,
                None => return at,
            }
        }
        ScopeId::TOP
    }

    /// The value of a variable as written in the source (`x`, `a::b`, `::x`, `0`); an inner error when it is not set.
    ///
    /// # Errors
    /// A parameter is used before it has a value, or the file of the class does not parse.
    pub fn variable(&mut self, name: Name) -> Res<Result<Value, Unknown>> {
        if name.is_qualified() {
            return self.qualified(name);
        }
        if let Some(value) = self.unqualified(self.scope, name)? {
            return Ok(Ok(value.clone()));
        }
        if is_always_known(name) {
            return Ok(Ok(Value::Undef));
        }
        Ok(Err(Unknown { reason: None, name: name.to_string() }))
    }

    /// The value of a variable named by a string, for functions; `undef` if it is not set.
    ///
    /// # Errors
    /// As [`Evaluator::variable`].
    pub fn variable_named(&mut self, name: &str) -> Res<Result<Value, Unknown>> {
        self.variable(Name::new(name))
    }

    /// All visible variables except those set to `undef` (`Scope#to_hash`).
    #[must_use]
    pub fn visible_variables(&self) -> indexmap::IndexMap<Name, Value, rustc_hash::FxBuildHasher> {
        self.note_all_facts();
        let mut found = indexmap::IndexMap::default();
        self.add_variables(self.scope, &mut found, 0);
        found
    }

    fn add_variables(
        &self,
        at: ScopeId,
        found: &mut indexmap::IndexMap<Name, Value, rustc_hash::FxBuildHasher>,
        depth: usize,
    ) {
        let Some(scope) = self.scope(at) else { return };
        if depth > self.scopes.len() {
            return;
        }
        if scope.kind.is_base() {
            for outer in [self.enclosing(at), scope.inherited].into_iter().flatten() {
                self.add_variables(self.innermost(outer), found, depth + 1);
            }
        } else if let Some(parent) = scope.parent {
            self.add_variables(parent, found, depth + 1);
        }
        for (name, value) in scope.vars.iter() {
            if value.is_undef() {
                found.shift_remove(&name);
            } else {
                found.insert(name, value.clone());
            }
        }
    }

    /// Whether a variable is set, also to `undef` (`Scope#exist?`).
    ///
    /// # Errors
    /// As [`Evaluator::variable`].
    pub fn variable_exists(&mut self, name: Name) -> Res<bool> {
        if let Some((class, leaf)) = name.parts() {
            if class.is_empty() {
                return Ok(is_always_known(leaf) && !leaf.is_numeric()
                    || self.unqualified(self.innermost(ScopeId::TOP), leaf)?.is_some());
            }
            let class = class.normalized();
            let Some(base) = self.class_scopes.get(&class).copied() else {
                // A class that is not evaluated is loaded nevertheless.
                self.program.class(class)?;
                self.type_loaded_definitions()?;
                return Ok(false);
            };
            if class.trim_start_matches("::") == "settings" && leaf != "all_local" {
                return Ok(self.puppet_setting(leaf.as_str())?.is_some());
            }
            return Ok(self.unqualified(self.innermost(base), leaf)?.is_some());
        }
        Ok(self.unqualified(self.scope, name)?.is_some() || is_always_known(name) && !name.is_numeric())
    }

    pub(super) fn innermost(&self, base: ScopeId) -> ScopeId {
        self.scope(base).map_or(base, |scope| scope.innermost)
    }

    /// A variable without a namespace, searched from a scope outwards.
    fn unqualified(&self, from: ScopeId, name: Name) -> Res<Option<&Value>> {
        let number = if name.is_numeric() { name.as_str().parse::<usize>().ok() } else { None };
        let mut at = from;
        while let Some(scope) = self.scope(at) {
            if at == ScopeId::TOP && number.is_none() {
                self.note_fact(name);
            }
            if let Some(value) = self.variable_of_scope(scope, name, number)? {
                return Ok(Some(value));
            }
            let next =
                if scope.kind.is_base() { self.next_base(at).map(|base| self.innermost(base)) } else { scope.parent };
            match next {
                Some(next) => at = next,
                None => break,
            }
        }
        Ok(None)
    }

    pub(super) fn variable_of_scope<'s>(
        &self,
        scope: &'s Scope<'c>,
        name: Name,
        number: Option<usize>,
    ) -> Res<Option<&'s Value>> {
        if let Some(value) = scope.vars.get(name) {
            return Ok(Some(value));
        }
        if let Some(pending) = &scope.pending
            && pending.names.contains(&name)
        {
            return Err(Stop::from(Reason::new(Code::UNEVALUATED_PARAMETER, name.as_str())));
        }
        if let (Some(number), Some(matches)) = (number, &scope.matches) {
            return Ok(Some(matches.get(number).unwrap_or(&Value::Undef)));
        }
        Ok(None)
    }

    /// A variable set in a named scope or the scopes nested in it right now.
    fn find_local(&self, base: ScopeId, name: Name) -> Res<Option<&Value>> {
        let number = if name.is_numeric() { name.as_str().parse::<usize>().ok() } else { None };
        let mut at = self.innermost(base);
        while let Some(scope) = self.scope(at) {
            if at == ScopeId::TOP {
                self.note_fact(name);
            }
            if let Some(value) = self.variable_of_scope(scope, name, number)? {
                return Ok(Some(value));
            }
            match scope.parent {
                Some(parent) if !scope.kind.is_base() => at = parent,
                _ => break,
            }
        }
        Ok(None)
    }

    /// Why a class has no scope. If its file is invalid, only the variable is reported as unknown
    /// (`Scope#lookup_qualified_variable`): errors of Ruby itself are passed on.
    fn missing_scope_reason(&mut self, class: Name) -> Res<String> {
        let found = self.program.class(class).map(|found| found.is_some()).map_err(Stop::Failed);
        let failure = match found.and_then(|found| self.type_loaded_definitions().map(|()| found)) {
            Ok(true) => return Ok(format!("class {class} has not been evaluated")),
            Ok(false) => return Ok(format!("class {class} could not be found")),
            Err(Stop::Failed(diagnostic)) => diagnostic,
            Err(Stop::Reason(reason)) => Box::from(*reason),
            Err(other) => return Err(other),
        };
        match failure.code {
            Code::NOT_SUPPORTED_YET | Code::RUBY_ERROR => Err(Stop::Failed(failure)),
            _ => Ok(failure.puppet_text(&self.program.sources)),
        }
    }

    /// `$a::b::c` and `$::x`.
    fn qualified(&mut self, name: Name) -> Res<Result<Value, Unknown>> {
        let unknown = |name: &str| Ok(Err(Unknown { reason: None, name: format!("::{name}") }));
        let Some((class, leaf)) = name.parts() else { return unknown(name.as_str()) };
        let text = name.strip_prefix("::").unwrap_or(name.as_str());
        // Facts and parameters of a node may have such names.
        let top = self.scope(ScopeId::TOP).filter(|_| self.qualified_tops || class.is_empty());
        let key = if class.is_empty() { Some(leaf) } else { top.map(|_| Name::new(text)) };
        if let Some(key) = key {
            self.note_fact(key);
        }
        if let Some(value) = top.zip(key).and_then(|(top, key)| top.vars.get(key)) {
            return Ok(Ok(value.clone()));
        }
        if class.is_empty() {
            return unknown(leaf.as_str());
        }
        let (mut shown_class, class) = (class, class.normalized());
        if class == catwalk_base::name!("settings")
            && self.class_scopes.contains_key(&class)
            && let Some(value) = self.puppet_setting(leaf.as_str())?
        {
            return Ok(Ok(value));
        }
        let Some(mut base) = self.class_scopes.get(&class).copied() else {
            return Ok(Err(Unknown { reason: Some(self.missing_scope_reason(class)?), name: text.to_owned() }));
        };
        // A class that inherits itself is refused before it is evaluated, so the chain ends.
        for _ in 0..self.scopes.len() {
            if base == ScopeId::TOP {
                self.note_fact(leaf);
            }
            let value = self.scope(base).and_then(|scope| scope.vars.get(leaf));
            if let Some(value) = value {
                return Ok(Ok(value.clone()));
            }
            if let Some(value) = self.find_local(base, leaf)? {
                return Ok(Ok(value.clone()));
            }
            match self.scope(base).and_then(|scope| scope.inherited) {
                Some(inherited) => base = inherited,
                None => break,
            }
            if let Some(ScopeKind::Class(name)) = self.scope(base).map(|scope| scope.kind) {
                shown_class = name;
            }
        }
        let shown_class = shown_class.strip_prefix("::").unwrap_or(shown_class.as_str());
        unknown(&format!("{shown_class}::{leaf}"))
    }
}

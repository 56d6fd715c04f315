//! Scopes: where variables, resource defaults and match results live (Puppet::Parser::Scope).
//!
//! In: names. Out: values. Must not: evaluate expressions.
//!
//! The reference has one scope object for top, node, class or define, each with a stack of nested ("ephemeral") scopes
//! for blocks, templates and functions. Here every scope is an entry of the arena: a named scope is a [base](Scope::base),
//! a nested one knows its base, and the base knows which nested scope is [innermost](Scope::innermost) right now. A class
//! that is evaluated while a block of the top scope runs sees that block's variables, as in the reference.
//!
//! Nested scopes are gone when their construct ends. What is kept longer (a declared resource, a collector) must keep the
//! [base](Evaluator::base), as the reference does.

use std::sync::Arc;

use crate::diag::Code;
use crate::diag::Reason;
use crate::eval::Evaluator;
use crate::eval::Res;
use crate::eval::Stop;
use crate::meter;
use crate::names::Name;
use crate::names::Table;
use crate::value::Value;

/// Index of a scope in the evaluator's arena.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ScopeId(pub u32);

impl ScopeId {
    /// The top scope.
    pub const TOP: ScopeId = ScopeId(0);

    fn at(self) -> usize {
        self.0 as usize
    }
}

/// What a scope belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScopeKind {
    /// The top scope (also `Class[main]`).
    Top,
    /// A node block.
    Node,
    /// A class, by its name.
    Class(Name),
    /// An instance of a define, by the define's name.
    Define(Name),
    /// A function in the Puppet language, or a template: sees only its parameters and global variables.
    Function,
    /// A block, a template body or another nested scope that sees its parent's variables.
    Local,
}

impl ScopeKind {
    /// Whether such a scope has its own object in the reference; the others are nested in one.
    #[must_use]
    pub fn is_base(self) -> bool {
        !matches!(self, ScopeKind::Function | ScopeKind::Local)
    }
}

/// Variables in the order they were set.
#[derive(Clone, Debug, Default)]
pub struct Vars(Table<Value>);

impl Vars {
    /// No variables.
    #[must_use]
    pub fn new() -> Vars {
        Vars::default()
    }

    /// Room for `n` variables.
    #[must_use]
    pub fn with_capacity(n: usize) -> Vars {
        Vars(Table::with_capacity(n))
    }

    /// Room for `n` more variables.
    pub fn reserve(&mut self, n: usize) {
        self.0.reserve(n);
    }

    /// The value of a variable that is set here.
    #[must_use]
    pub fn get(&self, name: Name) -> Option<&Value> {
        self.0.get(&name)
    }

    /// Whether a variable is set here.
    #[must_use]
    pub fn contains(&self, name: Name) -> bool {
        self.0.contains_key(&name)
    }

    /// Sets a variable, replacing an earlier value.
    pub fn insert(&mut self, name: Name, value: Value) {
        self.0.insert(name, value);
    }

    /// Sets a variable that is known not to be set.
    pub fn push(&mut self, name: Name, value: Value) {
        self.0.push(name, value);
    }

    /// Sets variables with distinct names, replacing earlier values.
    pub fn extend(&mut self, values: Vec<(Name, Value)>) {
        match self.0.is_empty() || !values.iter().any(|(name, _)| self.0.contains_key(name)) {
            true => self.0.push_all(values.into_iter()),
            false => values.into_iter().for_each(|(name, value)| drop(self.0.insert(name, value))),
        }
    }

    /// Puts in place of values what they became; how many these were.
    pub(crate) fn replace<'v>(&mut self, renewed: &impl Fn(&Value) -> Option<&'v Value>) -> usize {
        let mut replaced = 0;
        for value in self.0.values_mut() {
            if let Some(new) = renewed(value) {
                *value = new.clone();
                replaced += 1;
            }
        }
        replaced
    }

    /// All variables in the order they were set.
    pub fn iter(&self) -> impl Iterator<Item = (Name, &Value)> {
        self.0.iter().map(|(name, value)| (*name, value))
    }
}

/// What has parameters.
#[derive(Clone, Debug)]
pub enum Callee {
    /// A block, function or template, as messages call it.
    Named(Arc<str>),
    /// An instance of a class or define.
    Resource(crate::catalog::ResourceId),
}

/// Parameters whose values are being worked out: their defaults may use earlier ones only.
#[derive(Clone, Debug)]
pub struct Pending {
    /// What has the parameters, for messages: `lambda`, a function's or resource's name.
    pub callee: Callee,
    /// All its parameters in order.
    pub names: Vec<Name>,
    /// Whether a default is being evaluated: variables cannot be set.
    pub read_only: bool,
}

/// One scope.
#[derive(Clone, Debug)]
pub struct Scope<'c> {
    /// What it belongs to.
    pub kind: ScopeKind,
    /// The scope it was made in: dynamic parent for resource defaults; lexical parent of `Local` scopes.
    pub parent: Option<ScopeId>,
    /// For a class with `inherits`: the scope of the parent class.
    pub inherited: Option<ScopeId>,
    /// Variables.
    pub vars: Vars,
    /// `$0` … `$9` of the last successful match, guarded by the construct that made it.
    pub matches: Option<Arc<Vec<Value>>>,
    /// The module its source belongs to (`$module_name`).
    pub module: Option<Name>,
    /// The resource (class, define instance, node) whose body is evaluated in it.
    pub resource: Option<crate::catalog::ResourceId>,
    /// The definition whose body is evaluated in it.
    pub definition: Option<&'c crate::syntax::ast::Definition>,
    /// The named scope it is part of; itself for top, node, class and define.
    pub base: ScopeId,
    /// For a base: the nested scope that is active in it, or itself.
    pub innermost: ScopeId,
    /// Set while parameters get their values.
    pub pending: Option<Box<Pending>>,
}

/// Why a variable has no value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unknown {
    /// `class a could not be found`, `class a has not been evaluated`, where the reference gives a reason.
    pub reason: Option<String>,
    /// What the reference calls it: `::a::b` where the class is there and has no such variable.
    pub name: String,
}

/// Stops evaluation of a parameter's default that uses a later parameter; [`Evaluator::default_value`] words it.
pub(super) const UNEVALUATED: Code = Code("UNEVALUATED_PARAMETER");

/// Variables that are there without a value.
fn always_known(name: Name) -> bool {
    name.is_numeric() || name == crate::name!("module_name") || name == crate::name!("caller_module_name")
}

impl<'c> Evaluator<'c> {
    /// Makes a named scope. Fields that the caller knows better are set on it through [`Evaluator::scope_mut`].
    pub fn new_scope(&mut self, kind: ScopeKind, parent: Option<ScopeId>) -> ScopeId {
        let id = ScopeId(u32::try_from(self.scopes.len()).unwrap_or(u32::MAX));
        let base = if kind.is_base() { id } else { parent.map_or(id, |parent| self.base_of(parent)) };
        meter::charge(size_of::<Scope<'_>>());
        self.scopes.push(Scope {
            kind,
            parent,
            inherited: None,
            vars: Vars::new(),
            matches: None,
            module: None,
            resource: None,
            definition: None,
            base,
            innermost: id,
            pending: None,
        });
        id
    }

    /// A scope of the arena.
    #[must_use]
    pub fn scope(&self, id: ScopeId) -> Option<&Scope<'c>> {
        self.scopes.get(id.at())
    }

    /// A scope of the arena, to change it.
    pub fn scope_mut(&mut self, id: ScopeId) -> Option<&mut Scope<'c>> {
        self.scopes.get_mut(id.at())
    }

    /// The top, node, class or define scope that a scope is part of.
    #[must_use]
    pub fn base_of(&self, id: ScopeId) -> ScopeId {
        self.scope(id).map_or(ScopeId::TOP, |scope| scope.base)
    }

    /// The named scope that is being evaluated: what declared resources and collectors keep.
    #[must_use]
    pub fn base(&self) -> ScopeId {
        self.base_of(self.scope)
    }

    /// The top or node scope around a named scope (`enclosing_scope`); `None` for the top scope.
    fn enclosing(&self, base: ScopeId) -> Option<ScopeId> {
        let mut at = self.scope(base)?.parent?;
        loop {
            let scope = self.scope(self.base_of(at))?;
            if matches!(scope.kind, ScopeKind::Top | ScopeKind::Node) {
                return Some(scope.base);
            }
            at = scope.parent?;
        }
    }

    /// The named scope that is searched after a named scope.
    fn next_base(&self, base: ScopeId) -> Option<ScopeId> {
        self.scope(base)?.inherited.or_else(|| self.enclosing(base))
    }

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
        if let Some(value) = self.simple(self.scope, name)? {
            return Ok(Ok(value.clone()));
        }
        if always_known(name) {
            return Ok(Ok(Value::Undef));
        }
        Ok(Err(Unknown { reason: None, name: name.to_string() }))
    }

    /// The value of a variable given by text, for functions; `undef` when it is not set.
    ///
    /// # Errors
    /// As [`Evaluator::variable`].
    pub fn variable_text(&mut self, name: &str) -> Res<Result<Value, Unknown>> {
        self.variable(Name::new(name))
    }

    /// All variables that can be seen from here but those set to `undef` (`Scope#to_hash`).
    #[must_use]
    pub fn visible_variables(&self) -> indexmap::IndexMap<Name, Value, rustc_hash::FxBuildHasher> {
        self.note_all_facts();
        let mut found = indexmap::IndexMap::default();
        self.add_variables(self.scope, &mut found, 0);
        found
    }

    /// Defaults of a resource type that hold here (`Scope#lookupdefaults`), by parameter.
    pub(crate) fn visible_defaults(&self, type_name: Name) -> Vec<(Name, Value)> {
        let mut found = Vec::new();
        let mut at = Some(self.base());
        for _ in 0..=self.scopes.len() {
            let Some(scope) = at else { break };
            if let Some(params) = self.state.defaults.get(&(scope, type_name)) {
                found.extend(params.iter().map(|(name, param)| (*name, param.value.clone())));
            }
            at = self.scope(scope).and_then(|scope| scope.parent).map(|parent| self.base_of(parent));
        }
        // What is nearest wins.
        found.reverse();
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
                return Ok(always_known(leaf) && !leaf.is_numeric()
                    || self.simple(self.innermost(ScopeId::TOP), leaf)?.is_some());
            }
            let class = class.normalized();
            let Some(base) = self.class_scopes.get(&class).copied() else {
                // A class that is not evaluated is loaded all the same.
                self.program.class(class)?;
                return Ok(false);
            };
            if class.trim_start_matches("::") == "settings" && leaf != "all_local" {
                return Ok(self.puppet_setting(leaf.as_str())?.is_some());
            }
            return Ok(self.simple(self.innermost(base), leaf)?.is_some());
        }
        Ok(self.simple(self.scope, name)?.is_some() || always_known(name) && !name.is_numeric())
    }

    fn innermost(&self, base: ScopeId) -> ScopeId {
        self.scope(base).map_or(base, |scope| scope.innermost)
    }

    /// A variable without a namespace, searched from a scope outwards.
    fn simple(&self, from: ScopeId, name: Name) -> Res<Option<&Value>> {
        let number = if name.is_numeric() { name.as_str().parse::<usize>().ok() } else { None };
        let mut at = from;
        while let Some(scope) = self.scope(at) {
            if at == ScopeId::TOP && number.is_none() {
                self.note_fact(name);
            }
            if let Some(value) = self.here(scope, name, number)? {
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

    fn here<'s>(&self, scope: &'s Scope<'c>, name: Name, number: Option<usize>) -> Res<Option<&'s Value>> {
        if let Some(value) = scope.vars.get(name) {
            return Ok(Some(value));
        }
        if let Some(pending) = &scope.pending
            && pending.names.contains(&name)
        {
            return Err(Stop::from(Reason::new(UNEVALUATED, name.as_str())));
        }
        if let (Some(number), Some(matches)) = (number, &scope.matches) {
            return Ok(Some(matches.get(number).unwrap_or(&Value::Undef)));
        }
        Ok(None)
    }

    /// A variable set in a named scope or the scopes nested in it right now.
    fn local_of(&self, base: ScopeId, name: Name) -> Res<Option<&Value>> {
        let number = if name.is_numeric() { name.as_str().parse::<usize>().ok() } else { None };
        let mut at = self.innermost(base);
        while let Some(scope) = self.scope(at) {
            if at == ScopeId::TOP {
                self.note_fact(name);
            }
            if let Some(value) = self.here(scope, name, number)? {
                return Ok(Some(value));
            }
            match scope.parent {
                Some(parent) if !scope.kind.is_base() => at = parent,
                _ => break,
            }
        }
        Ok(None)
    }

    /// `$a::b::c` and `$::x`.
    fn qualified(&mut self, name: Name) -> Res<Result<Value, Unknown>> {
        let unknown = |name: &str| Ok(Err(Unknown { reason: None, name: format!("::{name}") }));
        let Some((class, leaf)) = name.parts() else { return unknown(name.as_str()) };
        let text = name.strip_prefix("::").unwrap_or(name.as_str());
        // Facts and parameters of a node may be called so.
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
        let (mut shown, class) = (class, class.normalized());
        if class == crate::name!("settings")
            && self.class_scopes.contains_key(&class)
            && let Some(value) = self.puppet_setting(leaf.as_str())?
        {
            return Ok(Ok(value));
        }
        let Some(mut base) = self.class_scopes.get(&class).copied() else {
            // Whatever is wrong with the file of the class, it is the variable that is not known.
            let reason = match self.program.class(class) {
                Ok(Some(_)) => format!("class {class} has not been evaluated"),
                Ok(None) => format!("class {class} could not be found"),
                Err(diagnostic) => diagnostic.puppet_text(&self.program.sources),
            };
            return Ok(Err(Unknown { reason: Some(reason), name: text.to_owned() }));
        };
        // A class that inherits itself is refused before it is evaluated, so the chain ends.
        for _ in 0..self.scopes.len() {
            if base == ScopeId::TOP {
                self.note_fact(leaf);
            }
            let own = self.scope(base).and_then(|scope| scope.vars.get(leaf));
            if let Some(value) = own {
                return Ok(Ok(value.clone()));
            }
            if let Some(value) = self.local_of(base, leaf)? {
                return Ok(Ok(value.clone()));
            }
            match self.scope(base).and_then(|scope| scope.inherited) {
                Some(inherited) => base = inherited,
                None => break,
            }
            if let Some(ScopeKind::Class(name)) = self.scope(base).map(|scope| scope.kind) {
                shown = name;
            }
        }
        let shown = shown.strip_prefix("::").unwrap_or(shown.as_str());
        unknown(&format!("{shown}::{leaf}"))
    }

    /// The scope that an assignment here would change.
    fn assignable(&self) -> ScopeId {
        self.scope
    }

    /// Whether a variable of this name was already assigned here.
    #[must_use]
    pub fn is_bound(&self, name: Name) -> bool {
        if self.assignable() == ScopeId::TOP {
            self.note_fact(name);
        }
        self.scope(self.assignable()).is_some_and(|scope| {
            scope.vars.contains(name) || scope.pending.as_ref().is_some_and(|pending| pending.names.contains(&name))
        })
    }

    /// Sets a variable of the current scope (`Scope#setvar`).
    ///
    /// # Errors
    /// Reserved and numeric names, and variables that are set already.
    pub fn set_variable(&mut self, name: Name, value: Value) -> Result<(), Reason> {
        if name.is_numeric() {
            return Err(Reason::runtime(format!("Cannot assign to a numeric match result variable '${name}'")));
        }
        if super::lambda::reserved(name.as_str()) {
            return Err(Reason::runtime(format!("Attempt to assign to a reserved variable name: '{name}'")));
        }
        if self.is_bound(name) {
            return Err(Reason::runtime(format!("Cannot reassign variable '${name}'")));
        }
        let at = self.assignable();
        let Some(scope) = self.scope_mut(at) else { return Ok(()) };
        if scope.pending.as_ref().is_some_and(|pending| pending.read_only) {
            return Err(Reason::runtime(format!("Attempt to assign variable {name} when evaluating parameters")));
        }
        scope.vars.insert(name, value);
        self.qualified_tops |= name.is_qualified();
        Ok(())
    }

    /// Sets a variable of a scope without any check: `$facts`, `$title`, parameters that were checked before.
    pub fn bind(&mut self, id: ScopeId, name: Name, value: Value) {
        self.qualified_tops |= name.is_qualified();
        if let Some(scope) = self.scope_mut(id) {
            scope.vars.insert(name, value);
        }
    }

    /// Remembers the scope in which a class was evaluated, for `$class::variable`.
    pub fn set_class_scope(&mut self, class: Name, scope: ScopeId) {
        self.class_scopes.insert(class.normalized(), scope);
    }

    /// Runs `body` with the match variables restored at its end (`with_guarded_scope`).
    pub(super) fn guarded<T>(&mut self, body: impl FnOnce(&mut Self) -> T) -> T {
        let at = self.scope;
        let saved = self.scope(at).and_then(|scope| scope.matches.clone());
        let result = body(self);
        if let Some(scope) = self.scope_mut(at) {
            scope.matches = saved;
        }
        result
    }

    /// Sets `$0` … of the current scope; a match that failed leaves what was there.
    pub fn set_matches(&mut self, matches: Option<Vec<Value>>) {
        let at = self.scope;
        if let (Some(matches), Some(scope)) = (matches, self.scope_mut(at)) {
            scope.matches = Some(Arc::new(matches));
        }
    }

    /// Runs `body` in a new scope nested in `parent`.
    pub(super) fn nested<T>(
        &mut self,
        kind: ScopeKind,
        parent: ScopeId,
        vars: Vars,
        body: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let id = self.new_scope(kind, Some(parent));
        if let Some(scope) = self.scope_mut(id) {
            scope.vars = vars;
        }
        let base = self.base_of(parent);
        let saved = self.scope;
        let outer = self.innermost(base);
        // A function does not see the nested scopes and matches of the scope it runs in.
        let hidden =
            if kind == ScopeKind::Function { self.scope_mut(base).and_then(|s| s.matches.take()) } else { None };
        if let Some(scope) = self.scope_mut(base) {
            scope.innermost = id;
        }
        self.scope = id;
        let result = body(self);
        self.scope = saved;
        if let Some(scope) = self.scope_mut(base) {
            scope.innermost = outer;
            if hidden.is_some() {
                scope.matches = hidden;
            }
        }
        // Classes evaluated meanwhile come after it in the arena; then its place stays taken.
        if self.scopes.len() == id.at() + 1 {
            self.scopes.pop();
        } else if let Some(scope) = self.scope_mut(id) {
            scope.vars = Vars::new();
        }
        result
    }

    /// Runs `body` with a named scope as the current one.
    pub fn in_scope<T>(&mut self, id: ScopeId, body: impl FnOnce(&mut Self) -> T) -> T {
        let saved = self.scope;
        self.scope = self.innermost(id);
        let result = body(self);
        self.scope = saved;
        result
    }

    /// As [`Evaluator::in_scope`], for callers whose own state holds the evaluator; the scope to go back to.
    pub(crate) fn enter_scope(&mut self, id: ScopeId) -> ScopeId {
        let inner = self.innermost(id);
        std::mem::replace(&mut self.scope, inner)
    }

    /// Ends [`Evaluator::enter_scope`].
    pub(crate) fn leave_scope(&mut self, outer: ScopeId) {
        self.scope = outer;
    }

    /// What log lines call the current scope: `Scope(Class[main])`.
    #[must_use]
    pub fn scope_text(&self) -> String {
        let scope = self.scope(self.base()).filter(|scope| scope.kind != ScopeKind::Top);
        let owner = scope.and_then(|scope| self.state.entries.get(scope.resource?.0 as usize));
        match owner.map(crate::eval::state::Entry::reference) {
            _ if self.base() == ScopeId::TOP => "Scope(Class[main])".to_owned(),
            Some(owner) => format!("Scope({owner})"),
            None => {
                self.program.uses_places();
                let place = self.frames.last().and_then(|frame| self.program.sources.locate(frame.called_at));
                match place {
                    Some((source, line, _)) => format!("Scope({}, {line})", source.name),
                    None => "Scope()".to_owned(),
                }
            }
        }
    }
}

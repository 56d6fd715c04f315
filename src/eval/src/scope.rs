//! Scopes, which hold variables, resource defaults and match results (Puppet::Parser::Scope).
//!
//! In: names. Out: values. Must not: evaluate expressions.
//!
//! Puppet has one scope object for top, node, class or define, each with a stack of nested ("ephemeral") scopes
//! for blocks, templates and functions. Here every scope is an entry of the arena: a named scope is a [base](Scope::base),
//! a nested scope refers to its base, and the base refers to its [innermost](Scope::innermost) active nested scope. A class
//! that is evaluated while a block of the top scope runs sees that block's variables, as in Puppet.
//!
//! Nested scopes are removed when their construct ends. Anything that outlives the construct (a declared resource, a collector)
//! must refer to the [base](Evaluator::base), as in Puppet.

mod read;
mod similar;
mod vars;

use std::sync::Arc;

use crate::Evaluator;
use catwalk_base::diag::Reason;
use catwalk_base::meter;
use catwalk_base::names::Name;
use catwalk_value::Value;
pub use read::Unknown;
pub(crate) use vars::Vars;

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
    /// Whether such a scope has its own object in Puppet; the others are nested in one.
    #[must_use]
    pub(crate) fn is_base(self) -> bool {
        !matches!(self, ScopeKind::Function | ScopeKind::Local)
    }
}

/// The owner of parameters.
#[derive(Clone, Debug)]
pub enum Callee {
    /// A block, function or template, as messages call it.
    Named(Arc<str>),
    /// An instance of a class or define.
    Resource(catwalk_catalog::ResourceId),
}

/// Parameters that are being evaluated: a default may use only earlier parameters.
#[derive(Clone, Debug)]
pub struct PendingParameters {
    /// The owner of the parameters, for messages: `lambda`, a function's or resource's name.
    pub callee: Callee,
    /// All parameters in order.
    pub names: Vec<Name>,
    /// Whether a default is being evaluated: variables cannot be set.
    pub read_only: bool,
}

/// One scope.
#[derive(Clone, Debug)]
pub struct Scope<'c> {
    /// The kind of code that it belongs to.
    pub kind: ScopeKind,
    /// The scope in which it was created: dynamic parent for resource defaults; lexical parent of `Local` scopes.
    pub parent: Option<ScopeId>,
    /// For a class with `inherits`: the scope of the parent class.
    pub inherited: Option<ScopeId>,
    /// Variables.
    pub vars: Vars,
    /// `$0` … `$9` of the last successful match, restored at the end of some constructs (see `guarded`).
    pub matches: Option<Arc<Vec<Value>>>,
    /// The module its source belongs to (`$module_name`).
    pub module: Option<Name>,
    /// The resource (class, define instance, node) whose body is evaluated in it.
    pub resource: Option<catwalk_catalog::ResourceId>,
    /// The definition whose body is evaluated in it.
    pub definition: Option<&'c catwalk_syntax::ast::Definition>,
    /// The named scope it is part of; itself for top, node, class and define.
    pub base: ScopeId,
    /// For a base: the nested scope that is active in it, or itself.
    pub innermost: ScopeId,
    /// Set while parameters get their values.
    pub pending: Option<Box<PendingParameters>>,
}

impl<'c> Evaluator<'c> {
    /// Creates a named scope. The caller sets further fields through [`Evaluator::scope_mut`].
    pub(crate) fn new_scope(&mut self, kind: ScopeKind, parent: Option<ScopeId>) -> ScopeId {
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

    /// A scope of the arena, for changes.
    pub(crate) fn scope_mut(&mut self, id: ScopeId) -> Option<&mut Scope<'c>> {
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

    /// The named scope that is searched next.
    fn next_base(&self, base: ScopeId) -> Option<ScopeId> {
        self.scope(base)?.inherited.or_else(|| self.enclosing(base))
    }

    /// The scope that an assignment here would change.
    fn assignable(&self) -> ScopeId {
        self.scope
    }

    /// Whether a variable of this name was already assigned in this scope.
    #[must_use]
    pub(crate) fn is_bound(&self, name: Name) -> bool {
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

    /// Records the scope in which a class was evaluated, for `$class::variable`.
    pub(crate) fn set_class_scope(&mut self, class: Name, scope: ScopeId) {
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

    /// Sets `$0` … of the current scope; after a failed match they stay.
    pub(crate) fn set_matches(&mut self, matches: Option<Vec<Value>>) {
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
        // If classes were evaluated meanwhile, they come after it in the arena, and its entry stays.
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

    /// As [`Evaluator::in_scope`], for callers that cannot pass a closure; returns the scope for [`Evaluator::leave_scope`].
    pub fn enter_scope(&mut self, id: ScopeId) -> ScopeId {
        let inner = self.innermost(id);
        std::mem::replace(&mut self.scope, inner)
    }

    /// Ends [`Evaluator::enter_scope`].
    pub fn leave_scope(&mut self, outer: ScopeId) {
        self.scope = outer;
    }

    /// What log lines call the current scope: `Scope(Class[main])`.
    #[must_use]
    pub fn scope_label(&self) -> String {
        let scope = self.scope(self.base()).filter(|scope| scope.kind != ScopeKind::Top);
        let owner = scope.and_then(|scope| self.state.resources.entries.get(scope.resource?.0 as usize));
        match owner.map(crate::state::Entry::reference) {
            _ if self.base() == ScopeId::TOP => "Scope(Class[main])".to_owned(),
            Some(owner) => format!("Scope({owner})"),
            None => {
                self.program.record_position_use();
                let position = self.frames.last().and_then(|frame| self.program.sources.locate(frame.called_at));
                match position {
                    Some((source, line, _)) => format!("Scope({}, {line})", source.name),
                    None => "Scope()".to_owned(),
                }
            }
        }
    }
}

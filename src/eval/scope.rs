//! Scopes: where variables, resource defaults and match results live (Puppet::Parser::Scope).

use std::sync::Arc;

use crate::names::Name;
use crate::names::NameMap;
use crate::value::Value;

/// Index of a scope in the evaluator's arena.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ScopeId(pub u32);

impl ScopeId {
    /// The top scope.
    pub const TOP: ScopeId = ScopeId(0);
}

/// What a scope belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScopeKind {
    /// The top scope (also `Class[main]`).
    Top,
    /// A node block.
    Node,
    /// A class, by its name.
    Class(Name),
    /// An instance of a define, by the define's name.
    Define(Name),
    /// A function in the Puppet language: sees only its parameters and global variables.
    Function,
    /// A block, a template body or another nested scope that sees its parent's variables.
    Local,
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
    pub vars: NameMap<Value>,
    /// `$0` … `$9` of the last successful match, guarded by the construct that made it.
    pub matches: Option<Arc<Vec<Value>>>,
    /// The module its source belongs to (`$module_name`).
    pub module: Option<Name>,
    /// The resource (class, define instance, node) whose body is evaluated in it.
    pub resource: Option<crate::catalog::ResourceId>,
    /// The definition whose body is evaluated in it.
    pub definition: Option<&'c crate::syntax::ast::Definition>,
}

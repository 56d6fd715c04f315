//! Definitions: classes, defines, nodes, functions, type aliases, plans.
//!
//! Data only. Must not: know its source except by spans.

use super::Block;
use super::Expr;
use super::Parameter;
use catwalk_base::names::Name;
use catwalk_base::source::Span;

/// A template.
#[derive(Debug)]
pub struct Epp {
    /// Whether the template has `<%- | … | -%>`.
    pub params_specified: bool,
    /// Its parameters.
    pub params: Vec<Parameter>,
    /// Its literal text and expressions.
    pub body: Block,
}

/// A named definition in a file.
#[derive(Debug)]
pub struct Definition {
    /// The position of the whole definition.
    pub span: Span,
    /// The full name as in Puppet: nested definitions are prefixed with the names of their classes.
    pub name: Name,
    /// The kind of the definition.
    pub kind: DefinitionKind,
}

/// The kinds of definitions.
#[derive(Debug)]
pub enum DefinitionKind {
    /// `class`
    Class(ClassDefinition),
    /// `define`
    Define(DefineDefinition),
    /// `node`
    Node(NodeDefinition),
    /// `function`
    Function(FunctionDefinition),
    /// `plan`, in the language of Bolt only; it has no return type.
    Plan(FunctionDefinition),
    /// `type X = …`
    TypeAlias(Expr),
    /// `type X[…] = …`: the left and the right side. Validation rejects all but mappings of `Runtime`.
    TypeMapping(Expr, Expr),
    /// `type X inherits Y { … }`: always rejected by validation.
    TypeDefinition {
        /// The type after `inherits`.
        parent: Option<Name>,
        /// Statements.
        body: Block,
    },
}

/// A class.
#[derive(Debug)]
pub struct ClassDefinition {
    /// Parameters.
    pub params: Vec<Parameter>,
    /// `inherits`
    pub parent: Option<(Name, Span)>,
    /// Statements.
    pub body: Block,
}

/// A defined type.
#[derive(Debug)]
pub struct DefineDefinition {
    /// Parameters.
    pub params: Vec<Parameter>,
    /// Statements.
    pub body: Block,
}

/// A node block.
#[derive(Debug)]
pub struct NodeDefinition {
    /// The host matches: `Str`, `Regex`, `Default`, `Bareword`, or dotted names as `Str`.
    pub matches: Vec<Expr>,
    /// `inherits`, rejected by validation.
    pub parent: Option<Expr>,
    /// Statements.
    pub body: Block,
}

/// A function in the Puppet language.
#[derive(Debug)]
pub struct FunctionDefinition {
    /// Parameters.
    pub params: Vec<Parameter>,
    /// The type after `>>`.
    pub return_type: Option<Expr>,
    /// Statements.
    pub body: Block,
}

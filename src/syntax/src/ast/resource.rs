//! Resource expressions, collectors and relations in the tree.
//!
//! Data only. Must not: know its source except by spans.

use super::Expr;
use catwalk_base::names::Name;
use catwalk_base::source::Span;

/// Whether a resource is realized, virtual or exported.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ResourceForm {
    /// `file {`
    Regular,
    /// `@file {`
    Virtual,
    /// `@@file {`
    Exported,
}

/// A resource expression with one or more bodies.
#[derive(Debug)]
pub struct Resource {
    /// Realized, virtual or exported.
    pub form: ResourceForm,
    /// The type: a `Bareword` (`class` too), a `TypeName`, or an expression that returns one.
    pub type_name: Expr,
    /// `title: attributes` in order.
    pub bodies: Vec<ResourceBody>,
}

/// One `title: attributes` of a resource expression.
#[derive(Debug)]
pub struct ResourceBody {
    /// Its position: the title's start.
    pub span: Span,
    /// The title, or `default`.
    pub title: Expr,
    /// Its attributes.
    pub attributes: Vec<Attribute>,
}

/// The operator of an attribute.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AttributeOp {
    /// `=>`
    Set,
    /// `+>`
    Append,
    /// `* =>`: the value is a hash of attributes; `name` is `*`.
    Splat,
}

/// One attribute.
#[derive(Debug)]
pub struct Attribute {
    /// Its position: the name's start.
    pub span: Span,
    /// Name.
    pub name: Name,
    /// Operator.
    pub op: AttributeOp,
    /// Value.
    pub value: Expr,
}

/// `File { … }`
#[derive(Debug)]
pub struct ResourceDefaults {
    /// Regular, or the virtual/exported forms that validation rejects.
    pub form: ResourceForm,
    /// The type.
    pub type_ref: Expr,
    /// The attributes.
    pub attributes: Vec<Attribute>,
}

/// `File['x'] { … }`
#[derive(Debug)]
pub struct ResourceOverride {
    /// Regular, or the virtual/exported forms that validation rejects.
    pub form: ResourceForm,
    /// The references.
    pub references: Expr,
    /// The attributes.
    pub attributes: Vec<Attribute>,
}

/// `Type <| query |> { … }`
#[derive(Debug)]
pub struct Collector {
    /// The position of the whole expression.
    pub span: Span,
    /// The type.
    pub type_ref: Expr,
    /// `<<| |>>`
    pub exported: bool,
    /// The query: `None` for an empty one. Made of `Binary` with `Eq`, `Ne`, `And`, `Or`, and `Paren`.
    pub query: Option<Expr>,
    /// Overrides in braces.
    pub attributes: Vec<Attribute>,
}

/// Relationship arrows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arrow {
    /// `->`
    Before,
    /// `~>`
    Notify,
    /// `<-`
    Require,
    /// `<~`
    Subscribe,
}

impl Arrow {
    /// The arrow as in the source.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Arrow::Before => "->",
            Arrow::Notify => "~>",
            Arrow::Require => "<-",
            Arrow::Subscribe => "<~",
        }
    }
}

/// `left arrow right`
#[derive(Debug)]
pub struct Relation {
    /// The arrow.
    pub arrow: Arrow,
    /// Left operand.
    pub left: Expr,
    /// Right operand.
    pub right: Expr,
}

//! The syntax tree of a manifest or template, with positions; nothing is evaluated.
//!
//! One enum for all expressions, as the language has it (a resource is an expression too). Names follow the Puppet
//! specification's model (`puppet-specifications/language/expressions.md`), so that `parse --format pn` is a direct walk.
//! Constant strings are `Arc<str>` so that evaluation shares them instead of copying.

mod definition;
mod resource;

use std::sync::Arc;

use catwalk_base::names::Name;
use catwalk_base::source::FileId;
use catwalk_base::source::Span;
use catwalk_regexp::Regexp;
pub(crate) use definition::ClassDefinition;
pub(crate) use definition::DefineDefinition;
pub use definition::Definition;
pub use definition::DefinitionKind;
pub use definition::Epp;
pub use definition::FunctionDefinition;
pub(crate) use definition::NodeDefinition;
pub use resource::Arrow;
pub use resource::Attribute;
pub use resource::AttributeOp;
pub use resource::Collector;
pub use resource::Relation;
pub use resource::Resource;
pub use resource::ResourceBody;
pub use resource::ResourceDefaults;
pub use resource::ResourceForm;
pub use resource::ResourceOverride;

/// A parsed file.
#[derive(Debug)]
pub struct File {
    /// Its source.
    pub id: FileId,
    /// The program: the body in order. For a template, one [`ExprKind::Epp`].
    pub body: Block,
    /// Every class, define, node, function, type alias … at the top or nested in classes, in the order in which they
    /// end: a nested class comes before the class around it.
    pub definitions: Vec<Arc<Definition>>,
    /// Whether the source does not parse; such a tree was not validated.
    pub has_syntax_errors: bool,
}

/// Statements in order; an empty list means that there is no body.
#[derive(Debug)]
pub struct Block {
    /// Puppet's position of the block: its `{`, its first statement, or the construct that it belongs to.
    pub span: Span,
    /// The statements.
    pub statements: Vec<Expr>,
}

/// An expression with its position.
#[derive(Debug)]
pub struct Expr {
    /// Puppet's position of the expression, since messages name that line and column: binary operators, assignments and
    /// relationships have that of the operator, method calls that of the `(` (or of the `.` without parentheses), everything else
    /// that of its first token.
    pub span: Span,
    /// The kind of the expression.
    pub kind: ExprKind,
}

/// All expressions of the language.
#[derive(Debug)]
pub enum ExprKind {
    /// Nothing: an empty file or body.
    Nop,
    /// `undef`
    Undef,
    /// `default`
    Default,
    /// `true`, `false`
    Bool(bool),
    /// `42`, `0x2A`, `052`
    Int(i64, Radix),
    /// `1.5e3`
    Float(f64),
    /// `'string'`, and a double-quoted string or heredoc without interpolation.
    Str(Arc<str>),
    /// `"a ${b} c"`: strings, variables and other expressions in order.
    Interpolated(Vec<Expr>),
    /// `${expr}` inside a string (the PN `str`): the value is converted to a string.
    Text(Box<Expr>),
    /// `@(END)`: its syntax tag and its text (a `Str` or an `Interpolated`).
    Heredoc(Box<Heredoc>),
    /// A bare word: `foo`, `foo::bar`.
    Bareword(Name),
    /// `Foo`, `Foo::Bar`: as written.
    TypeName(Name),
    /// A reserved word used as a value.
    Reserved(Name),
    /// `/re/`
    Regex(Arc<Regexp>),
    /// `$x`, `$::a::b`, `$0`: the name without the dollar sign, as written.
    Var(Name),
    /// `[a, b]`
    Array(Vec<Expr>),
    /// `{a => b}`
    Hash(Vec<HashEntry>),
    /// `( … )`
    Paren(Box<Expr>),
    /// `-x`
    Minus(Box<Expr>),
    /// `!x`
    Not(Box<Expr>),
    /// `*x`
    Unfold(Box<Expr>),
    /// `a op b`
    Binary(Box<Binary>),
    /// `x = …`, `x += …`, `x -= …`
    Assign(Box<Assign>),
    /// `a[b, c]`
    Access(Box<Access>),
    /// `name(args) |…| {…}`, `name args`, `Type(args)`
    Call(Box<Call>),
    /// `a.name(args) |…| {…}`
    Method(Box<Method>),
    /// `|…| {…}`
    Lambda(Box<Lambda>),
    /// `if`/`elsif`: an `elsif` is an `If` in `else_body`.
    If(Box<If>),
    /// `unless`
    Unless(Box<If>),
    /// `case`
    Case(Box<Case>),
    /// `x ? { … }`
    Selector(Box<Selector>),
    /// Several statements in place of one expression.
    Block(Block),
    /// `file { 'x': … }`, `@file`, `@@file`
    Resource(Box<Resource>),
    /// `File { mode => … }`
    ResourceDefaults(Box<ResourceDefaults>),
    /// `File['x'] { mode => … }`
    ResourceOverride(Box<ResourceOverride>),
    /// `File <| … |>`, `File <<| … |>>`, with an optional body of overrides
    Collector(Arc<Collector>),
    /// `a -> b`, `a ~> b`, `a <- b`, `a <~ b`
    Relation(Box<Relation>),
    /// A class, define, node, function, alias … : also listed in [`File::definitions`].
    Definition(Arc<Definition>),
    /// A template: its parameters and body.
    Epp(Box<Epp>),
    /// Text of a template, printed unchanged.
    RenderText(Arc<str>),
    /// `<%= expr %>`
    RenderExpr(Box<Expr>),
    /// A statement that could not be parsed; a diagnostic was reported for it.
    Error,
}

/// `key => value` of a hash.
#[derive(Debug)]
pub struct HashEntry {
    /// The position of the `=>`.
    pub span: Span,
    /// The key.
    pub key: Expr,
    /// The value.
    pub value: Expr,
}

/// How an integer was written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Radix {
    /// `10`
    Decimal,
    /// `012`
    Octal,
    /// `0xA`
    Hex,
}

/// A heredoc.
#[derive(Debug)]
pub struct Heredoc {
    /// The text after `:`, as in `@(END:json)`.
    pub syntax: Option<Name>,
    /// Its contents.
    pub text: Expr,
}

/// Binary operators without assignment and relationships.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BinaryOp {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `%`
    Mod,
    /// `<<`
    ShiftLeft,
    /// `>>`
    ShiftRight,
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `=~`
    Match,
    /// `!~`
    NotMatch,
    /// `in`
    In,
    /// `and`
    And,
    /// `or`
    Or,
}

impl BinaryOp {
    /// The operator as in the source.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::Mod => "%",
            BinaryOp::ShiftLeft => "<<",
            BinaryOp::ShiftRight => ">>",
            BinaryOp::Eq => "==",
            BinaryOp::Ne => "!=",
            BinaryOp::Lt => "<",
            BinaryOp::Le => "<=",
            BinaryOp::Gt => ">",
            BinaryOp::Ge => ">=",
            BinaryOp::Match => "=~",
            BinaryOp::NotMatch => "!~",
            BinaryOp::In => "in",
            BinaryOp::And => "and",
            BinaryOp::Or => "or",
        }
    }
}

/// `left op right`
#[derive(Debug)]
pub struct Binary {
    /// The operator.
    pub op: BinaryOp,
    /// Left operand.
    pub left: Expr,
    /// Right operand.
    pub right: Expr,
}

/// `=`, `+=`, `-=` (the last two are always errors when evaluated or validated).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AssignOp {
    /// `=`
    Set,
    /// `+=`
    Append,
    /// `-=`
    Delete,
}

impl AssignOp {
    /// The operator as in the source.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            AssignOp::Set => "=",
            AssignOp::Append => "+=",
            AssignOp::Delete => "-=",
        }
    }
}

/// An assignment.
#[derive(Debug)]
pub struct Assign {
    /// The operator.
    pub op: AssignOp,
    /// A variable or an array of variables.
    pub left: Expr,
    /// The value.
    pub right: Expr,
}

/// `left[keys]`
#[derive(Debug)]
pub struct Access {
    /// The value or type whose elements are accessed.
    pub left: Expr,
    /// The keys.
    pub keys: Vec<Expr>,
}

/// A function call by name (or of a type, `Integer('1')`).
#[derive(Debug)]
pub struct Call {
    /// The callee: a `Bareword`, a `TypeName`, an `Access` on a type, or anything else (which validation rejects).
    pub callee: Expr,
    /// Arguments.
    pub args: Vec<Expr>,
    /// The block after the call.
    pub block: Option<Lambda>,
    /// Whether the value of the call is used (`call` and `invoke` in PN).
    pub value_needed: bool,
}

/// A call in dotted form.
#[derive(Debug)]
pub struct Method {
    /// The receiver: the first argument.
    pub receiver: Expr,
    /// The function: a `Bareword`, or a reserved word such as `type`.
    pub name: Name,
    /// The position of the name.
    pub name_span: Span,
    /// Further arguments.
    pub args: Vec<Expr>,
    /// The block after the call.
    pub block: Option<Lambda>,
}

/// A parameter of a class, define, function, lambda or template.
#[derive(Debug)]
pub struct Parameter {
    /// Its position.
    pub span: Span,
    /// Name without the dollar sign.
    pub name: Name,
    /// The type before the name.
    pub data_type: Option<Expr>,
    /// The value after `=`.
    pub default: Option<Expr>,
    /// `*$rest`
    pub captures_rest: bool,
}

/// `|params| >> Type { body }`
#[derive(Debug)]
pub struct Lambda {
    /// Its position.
    pub span: Span,
    /// Parameters.
    pub params: Vec<Parameter>,
    /// The type after `>>`.
    pub return_type: Option<Expr>,
    /// Statements.
    pub body: Block,
}

/// `if` or `unless`.
#[derive(Debug)]
pub struct If {
    /// The condition.
    pub test: Expr,
    /// The first body.
    pub then: Block,
    /// `else` body; an `elsif` is a block of one `If`.
    pub else_body: Option<Block>,
}

/// `case`
#[derive(Debug)]
pub struct Case {
    /// The value.
    pub test: Expr,
    /// Options in order.
    pub options: Vec<CaseOption>,
}

/// One option of a `case`.
#[derive(Debug)]
pub struct CaseOption {
    /// Its position.
    pub span: Span,
    /// The values.
    pub values: Vec<Expr>,
    /// The body.
    pub then: Block,
}

/// `value ? { … }`
#[derive(Debug)]
pub struct Selector {
    /// The value.
    pub test: Expr,
    /// `match => result` in order.
    pub options: Vec<SelectorOption>,
}

/// One option of a selector.
#[derive(Debug)]
pub struct SelectorOption {
    /// Its position.
    pub span: Span,
    /// What to match.
    pub matching: Expr,
    /// The result.
    pub value: Expr,
}

//! Trees of Ruby programs.
//!
//! Local variables are distinguished from calls while parsing, as Ruby does: a name is a variable from its first assignment on.
//! Bodies that outlive the tree around them (blocks, methods, classes) are shared. Debug output contains no lines, so
//! equal programs have equal output.

use std::fmt;
use std::sync::Arc;

use arcstr::ArcStr;

use catwalk_base::names::Name;

use crate::inline_cache::Literal;
use crate::inline_cache::Local;
use crate::inline_cache::Operator;
use crate::inline_cache::Shape;
use crate::inline_cache::Site;

/// The variable of a template that contains its output so far.
pub const OUTPUT: &str = "_erbout";

/// An expression; Ruby has no statements.
#[derive(Clone)]
pub struct Node {
    /// The kind of expression.
    pub kind: NodeKind,
    /// The line, from 1.
    pub line: u32,
}

/// A part of an interpolated string.
#[derive(Clone, Debug)]
pub enum StrPart {
    /// A literal string.
    Literal(Arc<str>),
    /// `#{…}`
    Code(Node),
}

/// An entry of a hash literal or of keyword arguments.
#[derive(Clone, Debug)]
pub enum Pair {
    /// `key => value`, `key: value`
    Entry(Node, Node),
    /// `**hash`
    Splat(Node),
}

/// A `when` or `rescue` clause: alternatives and the body.
#[derive(Clone, Debug)]
pub struct When {
    /// Alternatives; `Splat` for `*list`.
    pub tests: Vec<Node>,
    /// The body.
    pub body: Node,
}

/// One `in` clause of `case`.
#[derive(Clone, Debug)]
pub struct InClause {
    /// The pattern.
    pub pattern: Pattern,
    /// The guard after the pattern: `if` (`true`) or `unless` (`false`) and its condition.
    pub guard: Option<(bool, Node)>,
    /// The body.
    pub body: Node,
}

/// A pattern of `case … in`.
#[derive(Clone, Debug)]
pub enum Pattern {
    /// A value compared by `===`; also `^name`.
    Value(Node),
    /// Binds the value to a name.
    Bind(Name),
    /// `pattern => name`
    Named(Box<Pattern>, Name),
    /// `a | b`
    Either(Vec<Pattern>),
    /// `[a, *rest, b]`, `Class(a, b)`
    Array {
        /// The class before the bracket.
        class: Option<Box<Node>>,
        /// Items before the splat.
        before: Vec<Pattern>,
        /// The splat with its name, if any.
        rest: Option<Option<Name>>,
        /// Items after the splat.
        after: Vec<Pattern>,
    },
    /// `{key: pattern}`, `Class(key: pattern)`
    Hash {
        /// The class before the bracket.
        class: Option<Box<Node>>,
        /// Keys with their patterns; a key without a pattern binds its value to a variable of this name.
        entries: Vec<(Arc<str>, Option<Pattern>)>,
        /// What is allowed for other keys.
        rest: PatternRest,
    },
}

/// The part of a hash pattern for keys that it does not name.
#[derive(Clone, Debug)]
pub enum PatternRest {
    /// Any other keys are allowed.
    Ignored,
    /// `**nil`: other keys are not allowed.
    Nothing,
    /// `**rest`
    Bind(Name),
}

/// One `rescue` clause.
#[derive(Clone, Debug)]
pub struct Rescue {
    /// The exception classes; empty for `StandardError`.
    pub classes: Vec<Node>,
    /// `=> target`
    pub target: Option<Node>,
    /// The body.
    pub body: Node,
}

/// A call of a method.
#[derive(Clone, Debug)]
pub struct Call {
    /// The receiver; `None` for `self`.
    pub receiver: Option<Node>,
    /// `&.`
    pub safe: bool,
    /// The method.
    pub name: Name,
    /// Arguments: `Splat` for `*list`, a last `Hash` without braces is marked by `keywords`.
    pub args: Vec<Node>,
    /// Whether the last argument is a hash without braces.
    pub keywords: bool,
    /// `&expression`
    pub block_arg: Option<Node>,
    /// `{ … }`, `do … end`
    pub block: Option<Arc<Lambda>>,
    /// Whether the call is a bare name, which could also be a variable.
    pub bare: bool,
    /// Data that the evaluator caches for this call.
    pub site: Site,
}

/// A parameter.
#[derive(Clone, Debug)]
pub enum Param {
    /// `a`
    Required(Name),
    /// `(a, b)`
    Pattern(Vec<Param>),
    /// `a = 1`
    Optional(Name, Node),
    /// `*a`, `*`
    Rest(Option<Name>),
    /// `a:`, `a: 1`
    Keyword(Name, Option<Node>),
    /// `**a`, `**nil`
    KeywordRest(Option<Name>),
    /// `&a`
    Block(Option<Name>),
}

/// A block or `->`.
#[derive(Clone)]
pub struct Lambda {
    /// Parameters.
    pub params: Vec<Param>,
    /// `|a,|`: more arguments than parameters are unpacked.
    pub trailing_comma: bool,
    /// The body.
    pub body: Node,
    /// Block-local variables (`|a; b|`).
    pub locals: Vec<Name>,
    /// All local variables: the parameters, then those assigned in the body.
    pub names: Vec<Name>,
    /// Whether all parameters are distinct plain names.
    pub has_plain_params: bool,
    /// The line, from 1.
    pub line: u32,
    /// The highest numbered parameter (`_1`, `_2`) that is used, or 0.
    pub numbered_params: usize,
}

/// A method.
#[derive(Clone)]
pub struct Def {
    /// `def self.name`
    pub singleton: Option<Node>,
    /// Its name.
    pub name: Name,
    /// Parameters.
    pub params: Vec<Param>,
    /// The body.
    pub body: Node,
    /// All local variables: the parameters, then those assigned in the body.
    pub names: Vec<Name>,
    /// Whether all parameters are distinct plain names.
    pub has_plain_params: bool,
    /// The line, from 1.
    pub line: u32,
    /// The file, if it differs from the file of the program.
    pub file: Option<Arc<str>>,
}

/// A class or module body.
#[derive(Clone, Debug)]
pub struct Class {
    /// Whether this is a `class`, not a `module`.
    pub is_class: bool,
    /// The name; `None` for `class << object`.
    pub path: Option<Node>,
    /// The object of `class << object`, unless it is `self`.
    pub object: Option<Node>,
    /// `< Parent`
    pub parent: Option<Node>,
    /// The body.
    pub body: Node,
}

/// Kinds of expressions.
#[derive(Clone, Debug)]
pub enum NodeKind {
    /// `nil`
    Nil,
    /// `true`, `false`
    Bool(bool),
    /// `self`
    SelfRef,
    /// A whole number.
    Int(i64),
    /// A floating point number.
    Float(f64),
    /// A string without interpolation.
    Str(Arc<str>),
    /// A string with interpolation.
    InterpolatedStr(Vec<StrPart>),
    /// `` `command` ``
    Command(Vec<StrPart>),
    /// `:name`
    Symbol(ArcStr),
    /// `:"…#{}…"`
    DynamicSymbol(Vec<StrPart>),
    /// `/…/flags`
    Regexp(Vec<StrPart>, Arc<str>, Literal),
    /// `[ … ]`; items may be `Splat`.
    Array(Vec<Node>),
    /// `{ … }`
    Hash(Vec<Pair>),
    /// `a..b`, `a...b`
    Range(Option<Box<Node>>, Option<Box<Node>>, bool),
    /// A local variable.
    Local(Local),
    /// `@name`, without the sign, and a cache of the variable's position in its object.
    IVar(Local),
    /// `@@name`, without the signs.
    CVar(Name),
    /// `$name`, without the sign.
    GVar(Name),
    /// `Name`, `a::Name`, `::Name` (an empty scope is `Some(None)`).
    Const(Option<Option<Box<Node>>>, Name),
    /// `target = value`
    Assign(Box<Node>, Box<Node>),
    /// `target op= value`; the operator is a method, `||` or `&&`.
    OpAssign(Box<Node>, Name, Box<Node>, Site),
    /// `a, (b, *c) = value`
    MultiAssign(Vec<Node>, Box<Node>),
    /// `(a, b)` as a target.
    Targets(Vec<Node>),
    /// `a && b`
    And(Box<Node>, Box<Node>),
    /// `a || b`
    Or(Box<Node>, Box<Node>),
    /// `!a`
    Not(Box<Node>),
    /// `defined?(a)`
    Defined(Box<Node>),
    /// `if`, `unless`, `?:` and the modifiers.
    If(Box<Node>, Box<Node>, Box<Node>),
    /// `while` (`true`), `until` (`false`): condition, body, whether the body runs before the first test.
    While(bool, Box<Node>, Box<Node>, bool),
    /// `for targets in list`
    For(Vec<Node>, Box<Node>, Box<Node>),
    /// `case subject when …`
    Case(Option<Box<Node>>, Vec<When>, Box<Node>),
    /// `case subject in …`, and `else`.
    CaseIn(Box<Node>, Vec<InClause>, Option<Box<Node>>),
    /// `begin … rescue … else … ensure … end`
    Begin(Box<Node>, Vec<Rescue>, Option<Box<Node>>, Option<Box<Node>>),
    /// Several expressions in order.
    Block(Vec<Node>),
    /// A call.
    Call(Box<Call>),
    /// `super`: the arguments and block as a call, and whether there are any arguments or empty parentheses.
    Super(Box<Call>, bool),
    /// `yield`
    Yield(Vec<Node>),
    /// `->`
    Lambda(Arc<Lambda>),
    /// `def`
    Def(Arc<Def>),
    /// `class`, `module`
    Class(Arc<Class>),
    /// `return`
    Return(Option<Box<Node>>),
    /// `break`
    Break(Option<Box<Node>>),
    /// `next`
    Next(Option<Box<Node>>),
    /// `redo`
    Redo,
    /// `retry`
    Retry,
    /// `*list` among arguments, items and targets.
    Splat(Option<Box<Node>>),
    /// `alias new old`
    Alias(Name, Name),
    /// The literal part of a template: `_erbout.<< "…"`.
    EmitText(Arc<str>),
    /// `<%= … %>`
    Emit(Box<Node>),
    /// `__FILE__`
    File,
}

impl Node {
    /// Creates a node at a line.
    #[must_use]
    pub fn new(kind: NodeKind, line: u32) -> Node {
        Node { kind, line }
    }

    /// `nil`
    #[must_use]
    pub fn nil(line: u32) -> Node {
        Node { kind: NodeKind::Nil, line }
    }
}

impl NodeKind {
    /// A local variable.
    #[must_use]
    pub fn local(name: Name) -> NodeKind {
        NodeKind::Local(match name.as_str() {
            OUTPUT => Local::computed(name),
            _ => Local::new(name),
        })
    }
}

impl Call {
    /// The shape of the call, computed at its first evaluation.
    #[inline]
    #[must_use]
    pub fn shape(&self) -> Shape {
        self.site.shape(|| self.find_shape())
    }

    #[cold]
    fn find_shape(&self) -> Shape {
        let splat = |arg: &Node| matches!(arg.kind, NodeKind::Splat(_));
        if self.block_arg.is_some() || self.args.iter().any(splat) {
            return Shape::General;
        }
        match (&self.receiver, self.args.len()) {
            (None, _) => Shape::ImplicitSelf,
            (Some(_), 1) if self.block.is_none() && !self.safe && self.site.operator != Operator::Other => {
                Shape::Operator
            }
            (Some(_), 1) if self.block.is_none() => Shape::OneArgument,
            _ => Shape::Plain,
        }
    }
}

/// Whether parameters are distinct plain names, and in this order the first variables of their body.
#[must_use]
pub fn are_plain(params: &[Param], names: &[Name]) -> bool {
    params.len() <= names.len()
        && params.iter().zip(names).all(|(param, name)| matches!(param, Param::Required(own) if own == name))
}

impl fmt::Debug for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)
    }
}

impl fmt::Debug for Lambda {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Lambda { params, trailing_comma, body, locals, names: _, has_plain_params: _, line: _, numbered_params } =
            self;
        (params, trailing_comma, body, locals, numbered_params).fmt(f)
    }
}

impl fmt::Debug for Def {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Def { singleton, name, params, body, names: _, has_plain_params: _, line: _, file } = self;
        (singleton, name, params, body, file).fmt(f)
    }
}

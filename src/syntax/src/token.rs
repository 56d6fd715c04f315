//! Tokens: the output of the lexer.
//!
//! [`Token`] and its kinds. Must not: know how tokens combine.

use catwalk_base::diag::Code;

/// The kinds of tokens, named as the grammar names them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(super) enum Kind {
    /// End of the source.
    End,
    /// A piece of source that cannot be lexed; the value is the reason.
    Error,
    /// A character that matches no rule.
    Other,
    /// `[` after something that is not white space.
    LBrack,
    /// `[` at the start or after white space: starts a list, never an index.
    ListStart,
    /// `]`
    RBrack,
    /// `{`
    LBrace,
    /// `{` after `?`
    SelBrace,
    /// `}`
    RBrace,
    /// `(`
    LParen,
    /// `(` as the first thing on its line: never starts the arguments of a call.
    WsLParen,
    /// `)`
    RParen,
    /// `=`
    Equals,
    /// `+=`
    Appends,
    /// `-=`
    Deletes,
    /// `==`
    IsEqual,
    /// `!=`
    NotEqual,
    /// `=~`
    Match,
    /// `!~`
    NoMatch,
    /// `>=`
    GreaterEqual,
    /// `>`
    Greater,
    /// `<=`
    LessEqual,
    /// `<`
    Less,
    /// `=>`
    FArrow,
    /// `+>`
    PArrow,
    /// `<<`
    LShift,
    /// `<<|`
    LLCollect,
    /// `<|`
    LCollect,
    /// `>>`
    RShift,
    /// `|>>`
    RRCollect,
    /// `|>`
    RCollect,
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `/`
    Div,
    /// `*`
    Times,
    /// `%`
    Modulo,
    /// `!`
    Not,
    /// `.`
    Dot,
    /// `|`
    Pipe,
    /// `@`
    At,
    /// `@@`
    AtAt,
    /// `:`
    Colon,
    /// `,`
    Comma,
    /// `;`
    Semic,
    /// `?`
    QMark,
    /// `~`, which no rule uses
    Tilde,
    /// `->`
    InEdge,
    /// `~>`
    InEdgeSub,
    /// `<-`
    OutEdge,
    /// `<~`
    OutEdgeSub,
    /// A string without interpolation
    String,
    /// A bare word that is not a name: it has a dash or an underscore first
    Word,
    /// The string before the first interpolation
    DqPre,
    /// The string between two interpolations
    DqMid,
    /// The string after the last interpolation
    DqPost,
    /// A number
    Number,
    /// `$name`
    Variable,
    /// `/…/`
    Regex,
    /// `@(…)`: its value is the syntax tag
    Heredoc,
    /// `foo`, `foo::bar`
    Name,
    /// `Foo`, `Foo::Bar`
    ClassRef,
    /// `case`
    Case,
    /// `class`
    Class,
    /// `default`
    Default,
    /// `define`
    Define,
    /// `if`
    If,
    /// `elsif`
    Elsif,
    /// `else`
    Else,
    /// `inherits`
    Inherits,
    /// `node`
    Node,
    /// `and`
    And,
    /// `or`
    Or,
    /// `undef`
    Undef,
    /// `true`, `false`
    Boolean,
    /// `in`
    In,
    /// `unless`
    Unless,
    /// `function`
    Function,
    /// `type`
    Type,
    /// `attr`
    Attr,
    /// `private`
    Private,
    /// The start of a template
    EppStart,
    /// `%>` that ends an expression
    EppEnd,
    /// `-%>` that ends an expression
    EppEndTrim,
    /// Text of a template
    RenderString,
    /// `<%=`
    RenderExpr,
}

impl Kind {
    /// The keyword that is spelled like this.
    pub(super) fn keyword(text: &[u8]) -> Option<Kind> {
        Some(match text {
            b"if" => Kind::If,
            b"in" => Kind::In,
            b"or" => Kind::Or,
            b"and" => Kind::And,
            b"true" | b"false" => Kind::Boolean,
            b"case" => Kind::Case,
            b"else" => Kind::Else,
            b"node" => Kind::Node,
            b"type" => Kind::Type,
            b"attr" => Kind::Attr,
            b"class" => Kind::Class,
            b"elsif" => Kind::Elsif,
            b"undef" => Kind::Undef,
            b"define" => Kind::Define,
            b"unless" => Kind::Unless,
            b"default" => Kind::Default,
            b"private" => Kind::Private,
            b"inherits" => Kind::Inherits,
            b"function" => Kind::Function,
            _ => return None,
        })
    }

    /// Whether it is a keyword, including `true` and `false`.
    pub(super) fn is_keyword(self) -> bool {
        (Kind::Case as u8..=Kind::Private as u8).contains(&(self as u8))
    }

    /// Whether a `/` after this token starts a regular expression. (`lexer2.rb`, `regexp_acceptable?`)
    pub(super) fn regex_may_follow(self) -> bool {
        !matches!(
            self,
            Kind::RParen
                | Kind::RBrack
                | Kind::RRCollect
                | Kind::RCollect
                | Kind::Name
                | Kind::ClassRef
                | Kind::Number
                | Kind::String
                | Kind::Boolean
                | Kind::DqPre
                | Kind::DqMid
                | Kind::DqPost
                | Kind::Heredoc
                | Kind::Regex
                | Kind::Variable
                | Kind::Word
        )
    }
}

/// A token with its byte range in the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    /// Its kind.
    pub(super) kind: Kind,
    /// First byte.
    pub(super) start: u32,
    /// One past the last byte.
    pub(super) end: u32,
    /// 0: the value is the range itself. Otherwise one more than the index of the value in [`Tokens::pieces`], or for
    /// [`Kind::Error`] in [`Tokens::errors`].
    pub(super) value: u32,
}

/// The value of a token that differs from the token's range.
#[derive(Debug)]
pub(super) enum Piece {
    /// A range of the file.
    Range(u32, u32),
    /// The result of replacing escapes or removing margins.
    Owned(String),
}

/// Why something cannot be lexed, or a warning about it.
#[derive(Debug)]
pub(super) struct LexDiagnostic {
    /// The code of the issue.
    pub(super) code: Code,
    /// Puppet's message.
    pub(super) message: String,
    /// Where Puppet reports it.
    pub(super) at: u32,
    /// The number of tokens before it, which orders it among other diagnostics.
    pub(super) token: u32,
    /// The offending bytes, if they are elsewhere.
    pub(super) culprit: Option<(u32, u32)>,
}

/// The output of the lexer.
#[derive(Debug, Default)]
pub(super) struct Tokens {
    /// The tokens; the last is [`Kind::End`].
    pub(super) list: Vec<Token>,
    /// Values of tokens.
    pub(super) pieces: Vec<Piece>,
    /// The reasons why tokens could not be lexed.
    pub(super) errors: Vec<LexDiagnostic>,
    /// Warnings.
    pub(super) warnings: Vec<LexDiagnostic>,
}

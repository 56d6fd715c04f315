//! Splits Ruby source into tokens: strings of all kinds with interpolations, heredocs, word lists, regular expressions (as opposed
//! to divisions), symbols, labels.
//!
//! In: source code. Out: [`Token`]s, including newlines. Must not: know more of the grammar than the kinds of tokens depend on. The
//! rules are those of Ruby 3.1's lexer, approximated where it depends on the parser.

mod literal;
mod name;
mod tables;

use std::sync::Arc;

use catwalk_base::meter;
use tables::operator;

/// The deepest nesting of interpolations.
const MAX_DEPTH: usize = 40;

/// A token.
#[derive(Clone, Debug, PartialEq)]
pub struct Token {
    /// Its kind, with its contents.
    pub kind: Kind,
    /// The line, from 1.
    pub line: u32,
    /// Whether white space precedes it: `a [1]` and `a[1]` differ.
    pub follows_space: bool,
}

/// A part of a string, symbol, regular expression or word.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// A literal part, with escapes replaced (except in regular expressions).
    Literal(String),
    /// `#{…}`
    Code(Arc<Vec<Token>>),
}

/// Kinds of tokens.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// `name`, `name?`, `name!`
    Ident(Arc<str>),
    /// `Name`
    Const(Arc<str>),
    /// `@name`
    IVar(Arc<str>),
    /// `@@name`
    CVar(Arc<str>),
    /// `$name`
    GVar(Arc<str>),
    /// A reserved word, except where it is a name, as in `a.class`.
    Keyword(&'static str),
    /// `name:` in hashes and calls, and `"name":` without interpolation.
    Label(Arc<str>),
    /// `:name`
    Symbol(Arc<str>),
    /// `:"…#{}…"`
    DynamicSymbol(Vec<Part>),
    /// A string or heredoc.
    Str(Vec<Part>),
    /// `` `command` ``
    Command(Vec<Part>),
    /// A regular expression and its flags.
    Regexp(Vec<Part>, Arc<str>),
    /// `%w[…]`, `%W[…]`
    Words(Vec<Vec<Part>>),
    /// `%i[…]`, `%I[…]`
    Symbols(Vec<Vec<Part>>),
    /// An integer of 64 bits.
    Int(i64),
    /// A number with a point or an exponent.
    Float(f64),
    /// A number with a suffix, or an integer of more than 64 bits.
    OtherNumber(Arc<str>),
    /// An operator or a bracket.
    Op(&'static str),
    /// End of a line that may end a statement, or `;`.
    Newline,
}

/// Source that is not Ruby, or not supported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LexError {
    /// The line, from 1.
    pub line: u32,
    /// The error message.
    pub message: String,
}

/// Splits `source` into tokens, up to `__END__`.
///
/// # Errors
/// An unclosed literal, or a character that cannot begin a token.
pub fn lex(source: &str) -> Result<Vec<Token>, LexError> {
    let mut lexer = Lexer::new(source, 1, 0);
    // Real code has one token per five to ten bytes.
    lexer.tokens.reserve(source.len() / 6);
    lexer.run(false)?;
    Ok(lexer.tokens)
}

/// A heredoc whose body begins on the next line.
struct PendingHeredoc {
    token: usize,
    tag: String,
    raw: bool,
    squiggly: bool,
    indented: bool,
    command: bool,
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    line: u32,
    tokens: Vec<Token>,
    pending: Vec<PendingHeredoc>,
    depth: usize,
    /// Whether the statement so far contains the `?` of a ternary.
    has_question: bool,
}

impl<'a> Lexer<'a> {
    fn new(text: &'a str, line: u32, depth: usize) -> Lexer<'a> {
        Lexer { text, at: 0, line, tokens: Vec::new(), pending: Vec::new(), depth, has_question: false }
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn peek_at(&self, ahead: usize) -> Option<char> {
        self.rest().chars().nth(ahead)
    }

    fn bump(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        if c == '\n' {
            self.line += 1;
        }
        Some(c)
    }

    fn eat(&mut self, text: &str) -> bool {
        let matches = self.rest().starts_with(text);
        if matches {
            self.at += text.len();
        }
        matches
    }

    fn fail<T>(&self, message: &str) -> Result<T, LexError> {
        Err(LexError { line: self.line, message: message.to_owned() })
    }

    /// Reads tokens up to the end of the source, or in an interpolation up to its closing brace.
    fn run(&mut self, interpolation: bool) -> Result<(), LexError> {
        if self.depth > MAX_DEPTH {
            return self.fail("interpolations nest too deep");
        }
        let mut braces = 0usize;
        loop {
            meter::tick(1);
            let space = self.skip_blank()?;
            let Some(c) = self.peek() else {
                return if interpolation { self.fail("unterminated interpolation") } else { Ok(()) };
            };
            let line = self.line;
            if interpolation && c == '}' && braces == 0 {
                self.bump();
                return Ok(());
            }
            if c == '{' {
                braces += 1;
            } else if c == '}' {
                braces = braces.saturating_sub(1);
            }
            if c == '\n' || c == ';' {
                self.bump();
                if c == '\n' {
                    self.heredoc_bodies()?;
                    if self.rest().starts_with("__END__\n") || self.rest() == "__END__" {
                        return Ok(());
                    }
                }
                if c == ';' || (self.may_end_statement() && !self.next_line_continues()) {
                    self.tokens.push(Token { kind: Kind::Newline, line, follows_space: space });
                    self.has_question = false;
                }
                continue;
            }
            let kind = self.token(c, space)?;
            self.has_question |= kind == Kind::Op("?");
            self.tokens.push(Token { kind, line, follows_space: space });
        }
    }

    /// Whether a newline here may end a statement: not after an operator, a comma or an opening bracket.
    fn may_end_statement(&self) -> bool {
        match self.tokens.last().map(|token| &token.kind) {
            None | Some(Kind::Newline | Kind::Label(_) | Kind::Keyword("and" | "or" | "not")) => false,
            Some(Kind::Op(op)) => matches!(*op, ")" | "]" | "}" | "|") || self.names_method(),
            Some(_) => true,
        }
    }

    /// Whether the last token, an operator, is the name of a method: `alias eql? ==`, `def !`.
    fn names_method(&self) -> bool {
        let word = |back: usize, words: &[&str]| {
            let token = self.tokens.len().checked_sub(back).and_then(|at| self.tokens.get(at));
            matches!(token.map(|token| &token.kind), Some(Kind::Keyword(word)) if words.contains(word))
        };
        word(2, &["def", "alias", "undef"]) || word(3, &["alias"]) || word(5, &["alias"])
    }

    /// Whether the next line begins with `.name` or `&.`, so that it continues the expression.
    fn next_line_continues(&self) -> bool {
        let mut rest = self.rest().trim_start();
        while rest.starts_with('#') {
            rest = rest.split_once('\n').map_or("", |(_, rest)| rest).trim_start();
        }
        (rest.starts_with('.') && !rest.starts_with("..")) || rest.starts_with("&.")
    }

    /// Skips spaces, comments, continued lines and `=begin` blocks; returns whether there were any.
    fn skip_blank(&mut self) -> Result<bool, LexError> {
        let start = self.at;
        loop {
            meter::tick(1);
            match self.peek() {
                Some(' ' | '\t' | '\r') => self.at += 1,
                Some('\\') if self.rest().starts_with("\\\n") || self.rest().starts_with("\\\r\n") => {
                    while self.bump() != Some('\n') {}
                }
                Some('#') => self.skip_line(),
                Some('=') if self.rest().starts_with("=begin") && self.is_at_line_start() => loop {
                    if self.peek().is_none() {
                        return self.fail("embedded document meets end of file");
                    }
                    let end = self.rest().starts_with("=end");
                    self.skip_line();
                    if end {
                        break;
                    }
                    self.bump();
                },
                _ => return Ok(self.at > start),
            }
        }
    }

    fn is_at_line_start(&self) -> bool {
        self.at == 0 || self.text.as_bytes().get(self.at - 1) == Some(&b'\n')
    }

    /// Whether the last token ends an operand, so that `/` divides and `[` indexes.
    fn after_operand(&self) -> bool {
        match self.tokens.last().map(|token| &token.kind) {
            None | Some(Kind::Newline | Kind::Label(_)) => false,
            Some(Kind::Op(op)) => matches!(*op, ")" | "]" | "}"),
            Some(Kind::Keyword(word)) => {
                matches!(*word, "end" | "self" | "true" | "false" | "nil" | "__FILE__" | "__LINE__" | "super")
            }
            Some(_) => true,
        }
    }

    /// Whether a literal may begin here although an identifier precedes it: `puts /x/`, `puts %w[a]`.
    fn may_begin_literal(&self, space: bool) -> bool {
        // `def /(other)`: the name of a method.
        if self.after_dot() || matches!(self.tokens.last().map(|token| &token.kind), Some(Kind::Keyword("def"))) {
            return false;
        }
        if !self.after_operand() {
            return true;
        }
        let command = matches!(self.tokens.last().map(|token| &token.kind), Some(Kind::Ident(_)));
        command && space && !matches!(self.peek_at(1), Some(' ' | '\t' | '\n' | '=') | None)
    }

    fn after_dot(&self) -> bool {
        matches!(self.tokens.last().map(|token| &token.kind), Some(Kind::Op("." | "&.")))
    }

    fn token(&mut self, c: char, space: bool) -> Result<Kind, LexError> {
        match c {
            '"' | '\'' | '`' if !(c == '`' && self.after_dot()) => self.quoted(c),
            '/' if self.may_begin_literal(space) => {
                self.bump();
                self.regexp('/', '/')
            }
            '%' if self.may_begin_literal(space) && self.begins_percent_literal() => self.percent(),
            '?' if self.may_begin_literal(space) && self.begins_character() => {
                self.bump();
                let text = self.character()?;
                Ok(Kind::Str(vec![Part::Literal(text)]))
            }
            '<' if self.rest().starts_with("<<") && self.begins_heredoc(space) => self.heredoc(),
            ':' if self.ends_quoted_label() => {
                self.bump();
                Ok(Kind::Op("=>"))
            }
            ':' if !self.rest().starts_with("::") && self.begins_symbol() => self.symbol(),
            '@' => self.variable(),
            '$' => self.global(),
            '0'..='9' => Ok(self.number()),
            c if c == '_' || c.is_alphabetic() => Ok(self.word()),
            _ => self.operator(),
        }
    }

    fn operator(&mut self) -> Result<Kind, LexError> {
        let rest = self.rest();
        let sign = rest.starts_with("+@") || rest.starts_with("-@");
        // `+@` and `-@` are only names of methods: `def +@`, `:+@`.
        let op = if sign && matches!(self.tokens.last().map(|token| &token.kind), Some(Kind::Keyword("def"))) {
            if rest.starts_with('+') { "+@" } else { "-@" }
        } else {
            match operator(rest.as_bytes()) {
                Some(op) => op,
                None => return self.fail("unexpected character"),
            }
        };
        self.at += op.len();
        Ok(Kind::Op(op))
    }

    /// Skips to the end of the line; the newline is not consumed.
    fn skip_line(&mut self) {
        let rest = self.rest();
        self.at += rest.find('\n').unwrap_or(rest.len());
    }
}

#[cfg(test)]
mod tests;

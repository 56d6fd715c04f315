//! Splits Ruby source into tokens: strings of all kinds with interpolations, heredocs, word lists, regular expressions (as opposed
//! to divisions), symbols, labels.
//!
//! In: source code. Out: [`Token`]s, including newlines. Must not: know more of the grammar than the kinds of tokens depend on. The
//! rules are those of Ruby 3.1's lexer, approximated where it depends on the parser.

mod literal;

use std::sync::Arc;

use catwalk_base::meter;

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
    pub space: bool,
}

/// A part of a string, symbol, regular expression or word.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// A literal part, with escapes replaced (except in regular expressions).
    Text(String),
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

/// The reserved word with this spelling.
fn keyword(text: &str) -> Option<&'static str> {
    /// All reserved words are shorter than this.
    const LONGEST: usize = 12;
    if text.len() > LONGEST {
        return None;
    }
    macro_rules! one_of {
        ($($word:literal)*) => {
            match text {
                $($word => Some($word),)*
                _ => None,
            }
        };
    }
    one_of!(
        "__ENCODING__" "__FILE__" "__LINE__" "BEGIN" "END" "alias" "and" "begin" "break"
        "case" "class" "def" "defined?" "do" "else" "elsif" "end" "ensure"
        "false" "for" "if" "in" "module" "next" "nil" "not" "or"
        "redo" "rescue" "retry" "return" "self" "super" "then" "true" "undef"
        "unless" "until" "when" "while" "yield"
    )
}

/// The longest operator at the start of the source.
fn operator(text: &[u8]) -> Option<&'static str> {
    let at = |ahead: usize| text.get(ahead).copied().unwrap_or(0);
    let (second, third) = (at(1), at(2));
    Some(match at(0) {
        b'*' => match (second, third) {
            (b'*', b'=') => "**=",
            (b'*', _) => "**",
            (b'=', _) => "*=",
            _ => "*",
        },
        b'<' => match (second, third) {
            (b'=', b'>') => "<=>",
            (b'<', b'=') => "<<=",
            (b'<', _) => "<<",
            (b'=', _) => "<=",
            _ => "<",
        },
        b'>' => match (second, third) {
            (b'>', b'=') => ">>=",
            (b'>', _) => ">>",
            (b'=', _) => ">=",
            _ => ">",
        },
        b'=' => match (second, third) {
            (b'=', b'=') => "===",
            (b'=', _) => "==",
            (b'~', _) => "=~",
            (b'>', _) => "=>",
            _ => "=",
        },
        b'.' => match (second, third) {
            (b'.', b'.') => "...",
            (b'.', _) => "..",
            _ => ".",
        },
        b'&' => match (second, third) {
            (b'&', b'=') => "&&=",
            (b'&', _) => "&&",
            (b'.', _) => "&.",
            (b'=', _) => "&=",
            _ => "&",
        },
        b'|' => match (second, third) {
            (b'|', b'=') => "||=",
            (b'|', _) => "||",
            (b'=', _) => "|=",
            _ => "|",
        },
        b'!' => match second {
            b'=' => "!=",
            b'~' => "!~",
            _ => "!",
        },
        b'-' => match second {
            b'=' => "-=",
            b'>' => "->",
            _ => "-",
        },
        b':' if second == b':' => "::",
        b'+' if second == b'=' => "+=",
        b'/' if second == b'=' => "/=",
        b'%' if second == b'=' => "%=",
        b'^' if second == b'=' => "^=",
        b'[' => "[",
        b']' => "]",
        b'(' => "(",
        b')' => ")",
        b'{' => "{",
        b'}' => "}",
        b'+' => "+",
        b'/' => "/",
        b'%' => "%",
        b'^' => "^",
        b'~' => "~",
        b'?' => "?",
        b':' => ":",
        b',' => ",",
        b'\\' => "\\",
        b'@' => "@",
        b'$' => "$",
        b'#' => "#",
        _ => return None,
    })
}

/// Splits `source` into tokens, up to `__END__`.
///
/// # Errors
/// An unclosed literal, or a character that cannot begin a token.
pub fn lex(source: &str) -> Result<Vec<Token>, LexError> {
    lex_into(source, Vec::new())
}

/// Splits `source` into tokens; reuses the memory of `tokens`.
///
/// # Errors
/// As [`lex`].
pub(super) fn lex_into(source: &str, tokens: Vec<Token>) -> Result<Vec<Token>, LexError> {
    let mut lexer = Lexer::new(source, 1, 0);
    lexer.tokens = tokens;
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
    parens: usize,
}

impl<'a> Lexer<'a> {
    fn new(text: &'a str, line: u32, depth: usize) -> Lexer<'a> {
        Lexer { text, at: 0, line, tokens: Vec::new(), pending: Vec::new(), depth, parens: 0 }
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
        let fits = self.rest().starts_with(text);
        if fits {
            self.at += text.len();
        }
        fits
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
                if c == ';' || (self.may_end() && !self.continues()) {
                    self.tokens.push(Token { kind: Kind::Newline, line, space });
                }
                continue;
            }
            let kind = self.token(c, space)?;
            self.tokens.push(Token { kind, line, space });
        }
    }

    /// Whether a newline here may end a statement: not after an operator, a comma or an opening bracket.
    fn may_end(&self) -> bool {
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
    fn continues(&self) -> bool {
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
                Some('=') if self.rest().starts_with("=begin") && self.line_start() => loop {
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

    fn line_start(&self) -> bool {
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
    fn literal_here(&self, space: bool) -> bool {
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
            '/' if self.literal_here(space) => {
                self.bump();
                self.regexp('/', '/')
            }
            '%' if self.literal_here(space) && self.percent_opens() => self.percent(),
            '?' if self.literal_here(space) && self.character_here() => {
                self.bump();
                let text = self.character()?;
                Ok(Kind::Str(vec![Part::Text(text)]))
            }
            '<' if self.rest().starts_with("<<") && self.heredoc_opens(space) => self.heredoc(),
            ':' if self.behind_label() => {
                self.bump();
                Ok(Kind::Op("=>"))
            }
            ':' if !self.rest().starts_with("::") && self.symbol_opens() => self.symbol(),
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
        match op {
            "(" => self.parens += 1,
            ")" => self.parens = self.parens.saturating_sub(1),
            _ => {}
        }
        Ok(Kind::Op(op))
    }

    fn name(&mut self) -> &'a str {
        let rest = self.rest();
        let ascii = rest.bytes().take_while(|c| *c == b'_' || c.is_ascii_alphanumeric()).count();
        let mut end = ascii;
        if rest.as_bytes().get(ascii).is_some_and(|c| !c.is_ascii()) {
            let more = rest.get(ascii..).unwrap_or("");
            end += more.find(|c: char| !(c == '_' || c.is_alphanumeric())).unwrap_or(more.len());
        }
        self.at += end;
        rest.get(..end).unwrap_or("")
    }

    /// Skips to the end of the line; the newline is not consumed.
    fn skip_line(&mut self) {
        let rest = self.rest();
        self.at += rest.find('\n').unwrap_or(rest.len());
    }

    fn word(&mut self) -> Kind {
        let start = self.at;
        self.name();
        if matches!(self.peek(), Some('?' | '!')) && self.peek_at(1) != Some('=') {
            // In `a ?b : c` the `?` is not part of the name; without a space before it, it always is.
            self.bump();
        } else if matches!(self.peek(), Some('?' | '!'))
            && self.rest().get(1..).is_some_and(|r| r.starts_with("==") || r.starts_with("=~"))
        {
            self.bump();
        }
        let text = self.text.get(start..self.at).unwrap_or("");
        let dotted = self.after_dot();
        // `name:` is a label, except before the colon of a ternary, which has a space before it.
        let ternary = matches!(self.tokens.last().map(|t| &t.kind), Some(Kind::Op("?")));
        if self.peek() == Some(':') && self.peek_at(1) != Some(':') && !dotted && !ternary {
            self.bump();
            return Kind::Label(Arc::from(text));
        }
        let named =
            dotted || matches!(self.tokens.last().map(|t| &t.kind), Some(Kind::Keyword("def" | "alias" | "undef")));
        if let Some(word) = keyword(text)
            && (!named || (text == "self" && !dotted))
        {
            return Kind::Keyword(word);
        }
        if text.starts_with(char::is_uppercase) { Kind::Const(Arc::from(text)) } else { Kind::Ident(Arc::from(text)) }
    }

    fn variable(&mut self) -> Result<Kind, LexError> {
        self.bump();
        let class = self.eat("@");
        let name: Arc<str> = Arc::from(self.name());
        if name.is_empty() {
            return self.fail("'@' without identifiers is not allowed as a variable name");
        }
        Ok(if class { Kind::CVar(name) } else { Kind::IVar(name) })
    }

    fn global(&mut self) -> Result<Kind, LexError> {
        self.bump();
        let name = self.name();
        if !name.is_empty() {
            return Ok(Kind::GVar(Arc::from(name)));
        }
        match self.bump() {
            Some('-') => {
                let letter = self.bump().unwrap_or('w');
                Ok(Kind::GVar(Arc::from(format!("-{letter}"))))
            }
            Some(c) if c.is_ascii_punctuation() => Ok(Kind::GVar(Arc::from(c.to_string()))),
            _ => self.fail("'$' without identifiers is not allowed as a global variable name"),
        }
    }

    fn number(&mut self) -> Kind {
        let start = self.at;
        let radix = match self.rest().get(..2).map(str::to_ascii_lowercase).as_deref() {
            Some("0x") => 16,
            Some("0b") => 2,
            Some("0o") => 8,
            _ => 10,
        };
        if radix != 10 {
            self.at += 2;
        }
        let mut float = false;
        while let Some(c) = self.peek() {
            let next = self.peek_at(1);
            let fits = c.is_digit(radix) || (c == '_' && next.is_some_and(|c| c.is_digit(radix)));
            let point = c == '.' && radix == 10 && !float && next.is_some_and(|c| c.is_ascii_digit());
            let exponent = radix == 10
                && matches!(c, 'e' | 'E')
                && (next.is_some_and(|c| c.is_ascii_digit())
                    || (matches!(next, Some('-' | '+')) && self.peek_at(2).is_some_and(|c| c.is_ascii_digit())));
            if exponent {
                self.bump();
            }
            if !(fits || point || exponent) {
                break;
            }
            float |= point || exponent;
            self.bump();
        }
        let raw = self.text.get(start..self.at).unwrap_or("");
        let digits: String = raw.chars().filter(|c| *c != '_').collect();
        if matches!(self.peek(), Some('r' | 'i')) && !self.peek_at(1).is_some_and(char::is_alphanumeric) {
            self.bump();
            return Kind::OtherNumber(Arc::from(self.text.get(start..self.at).unwrap_or("")));
        }
        if float {
            return digits.parse().map_or_else(|_| Kind::OtherNumber(Arc::from(raw)), Kind::Float);
        }
        let octal = radix == 10 && digits.len() > 1 && digits.starts_with('0');
        let body = if radix == 10 { digits.as_str() } else { digits.get(2..).unwrap_or("") };
        i64::from_str_radix(body, if octal { 8 } else { radix })
            .map_or_else(|_| Kind::OtherNumber(Arc::from(raw)), Kind::Int)
    }

    /// Whether the colon here ends a quoted label.
    fn behind_label(&self) -> bool {
        matches!(self.tokens.last().map(|token| &token.kind), Some(Kind::DynamicSymbol(_)))
            && self.text.as_bytes().get(self.at.wrapping_sub(1)) == Some(&b'"')
            && !self.rest().starts_with("::")
            && !self.open_ternary()
    }

    fn symbol_opens(&self) -> bool {
        match self.peek_at(1) {
            Some('"' | '\'') => !self.after_operand() || self.rest_has_space_before(),
            Some(c) if c == '_' || c.is_alphabetic() => !self.attached_to_ternary(),
            Some('@' | '$') => true,
            Some('[' | '+' | '-' | '*' | '<' | '>' | '=' | '!' | '%' | '&' | '|' | '^' | '~' | '/') => {
                !self.after_operand() || (self.rest_has_space_before() && !self.open_ternary())
            }
            _ => false,
        }
    }

    fn rest_has_space_before(&self) -> bool {
        self.text.as_bytes().get(self.at.wrapping_sub(1)).is_some_and(u8::is_ascii_whitespace)
    }

    /// Whether the colon here is that of a ternary and directly follows an operand: `x ?1:y`.
    fn attached_to_ternary(&self) -> bool {
        self.after_operand() && !self.rest_has_space_before()
    }

    fn symbol(&mut self) -> Result<Kind, LexError> {
        self.bump();
        match self.peek() {
            Some(quote @ ('"' | '\'')) => {
                self.bump();
                let parts = self.string_parts(quote, quote, quote == '"', false)?;
                return Ok(match parts.as_slice() {
                    [] => Kind::Symbol(Arc::from("")),
                    [Part::Text(text)] => Kind::Symbol(Arc::from(text.as_str())),
                    _ => Kind::DynamicSymbol(parts),
                });
            }
            Some('@' | '$') => {
                let start = self.at;
                while matches!(self.peek(), Some('@' | '$')) {
                    self.bump();
                }
                self.name();
                return Ok(Kind::Symbol(Arc::from(self.text.get(start..self.at).unwrap_or(""))));
            }
            _ => {}
        }
        let start = self.at;
        if !self.name().is_empty() {
            let next = self.peek_at(1);
            match self.peek() {
                Some('?' | '!') if next != Some('=') => {
                    self.bump();
                }
                Some('=') if !matches!(next, Some('=' | '~' | '>')) => {
                    self.bump();
                }
                _ => {}
            }
        } else {
            const METHODS: [&str; 27] = [
                "[]=", "[]", "<=>", "===", "==", "=~", "!~", "!=", "**", "+@", "-@", "<<", ">>", "<=", ">=", "+", "-",
                "*", "/", "%", "<", ">", "!", "&", "|", "^", "~",
            ];
            let Some(method) = METHODS.iter().find(|method| self.rest().starts_with(**method)) else {
                return self.fail("unexpected ':'");
            };
            self.at += method.len();
        }
        Ok(Kind::Symbol(Arc::from(self.text.get(start..self.at).unwrap_or(""))))
    }
}

#[cfg(test)]
mod tests;

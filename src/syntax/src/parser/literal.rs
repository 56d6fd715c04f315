//! Primary expressions: literals, names, interpolated strings, arrays and hashes.

use catwalk_base::diag::Code;
use std::sync::Arc;

use crate::ast::Expr;
use crate::ast::ExprKind;
use crate::ast::HashEntry;
use crate::ast::Heredoc;
use crate::ast::Radix;
use crate::parser::ParseResult;
use crate::parser::Parser;
use crate::parser::ReportedError;
use crate::parser::Statement;
use crate::parser::expression::Argument;
use crate::parser::expression::Arguments;
use crate::token::Kind;
use crate::token::Token;
use catwalk_regexp::Regexp;

impl Parser<'_> {
    pub(super) fn primary(&mut self) -> ParseResult<Expr> {
        let token = self.token();
        if self.is_task_keyword(token) {
            return if self.value(token) == "plan" { self.plan_definition() } else { self.apply_block() };
        }
        let kind = match token.kind {
            Kind::Variable => ExprKind::Var(self.name(token)),
            Kind::Name => ExprKind::Bareword(self.name(token)),
            Kind::String | Kind::Word => ExprKind::Str(Arc::from(self.value(token))),
            Kind::ClassRef => ExprKind::TypeName(self.name(token)),
            Kind::Number => self.number(token)?,
            Kind::Boolean => ExprKind::Bool(self.value(token) == "true"),
            Kind::Undef => ExprKind::Undef,
            Kind::Default => ExprKind::Default,
            Kind::Regex => self.regex(token)?,
            Kind::Attr | Kind::Private => ExprKind::Reserved(self.name(token)),
            Kind::RenderString => ExprKind::RenderText(Arc::from(self.value(token))),
            _ => return self.compound(token),
        };
        self.bump();
        Ok(Expr { span: self.span(token), kind })
    }

    /// The primary expressions of more than one token.
    fn compound(&mut self, token: Token) -> ParseResult<Expr> {
        match token.kind {
            Kind::DqPre => self.interpolated(),
            Kind::LBrack | Kind::ListStart => self.list(),
            Kind::LBrace => self.hash(),
            Kind::LParen | Kind::WsLParen => {
                self.bump();
                self.enter()?;
                let inner = self.assignment()?;
                self.leave();
                self.expect(Kind::RParen)?;
                Ok(Expr { span: self.span_from(token.start), kind: ExprKind::Paren(Box::new(inner)) })
            }
            Kind::If => self.if_expression(),
            Kind::Unless => self.unless_expression(),
            Kind::Case => self.case_expression(),
            Kind::Heredoc => self.heredoc(),
            Kind::Class => self.class_definition(),
            Kind::Define => self.define_definition(),
            Kind::Node => self.node_definition(),
            Kind::Function => self.function_definition(),
            Kind::Type if self.next_kind() == Kind::LParen => {
                self.bump();
                let name = self.name(token);
                Ok(Expr { span: self.span(token), kind: ExprKind::Bareword(name) })
            }
            Kind::Type => self.type_definition(),
            Kind::RenderExpr => self.render(),
            _ => self.unexpected(),
        }
    }

    fn number(&mut self, token: Token) -> ParseResult<ExprKind> {
        let text = self.value(token);
        let span = self.span(token);
        if let Some(hex) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
            // Validation rejects numbers that do not fit; the value is not used then.
            return Ok(ExprKind::Int(i64::from_str_radix(hex, 16).unwrap_or(i64::MAX), Radix::Hex));
        }
        if text.bytes().all(|byte| byte.is_ascii_digit()) {
            return Ok(if text.len() > 1 && text.starts_with('0') {
                ExprKind::Int(i64::from_str_radix(text, 8).unwrap_or(i64::MAX), Radix::Octal)
            } else {
                ExprKind::Int(text.parse().unwrap_or(i64::MAX), Radix::Decimal)
            });
        }
        let value: f64 = text.parse().unwrap_or(f64::INFINITY);
        // To Puppet, zero with an exponent is not a number, nor is infinity.
        let mantissa = text.split(['e', 'E']).next().unwrap_or("");
        let zero = mantissa.len() < text.len() && mantissa.bytes().all(|byte| matches!(byte, b'0' | b'.'));
        if value.is_infinite() || zero {
            let message = format!("Internal Error, NUMBER token does not contain a valid number, {text}");
            return self.error(message, span);
        }
        Ok(ExprKind::Float(value))
    }

    /// Ruby compiles a regular expression when it is lexed. Here it is compiled only if it may be malformed.
    fn regex(&mut self, token: Token) -> ParseResult<ExprKind> {
        let source = self.value(token);
        let regexp = Regexp::new(source);
        if !is_plain_regex(source)
            && let Err(error) = regexp.check()
        {
            return Err(self.report(Code::REGEXP_ERROR, error.message().to_owned(), self.span(token)));
        }
        Ok(ExprKind::Regex(Arc::new(regexp)))
    }

    /// `"a ${b} c"`: empty strings are omitted.
    fn interpolated(&mut self) -> ParseResult<Expr> {
        let start = self.token().start;
        self.enter()?;
        let mut parts = Vec::with_capacity(4);
        loop {
            let token = self.bump();
            let text = self.value(token);
            if !text.is_empty() {
                parts.push(Expr { span: self.span(token), kind: ExprKind::Str(Arc::from(text)) });
            }
            if token.kind == Kind::DqPost {
                break;
            }
            let inner = self.assignment()?;
            parts.push(Expr { span: inner.span, kind: ExprKind::Text(Box::new(inner)) });
            if !matches!(self.kind(), Kind::DqMid | Kind::DqPost) {
                return self.unexpected();
            }
        }
        self.leave();
        Ok(Expr { span: self.span_from(start), kind: ExprKind::Interpolated(parts) })
    }

    fn heredoc(&mut self) -> ParseResult<Expr> {
        let token = self.bump();
        let syntax = if self.value(token).is_empty() { None } else { Some(self.name(token)) };
        let text = match self.kind() {
            Kind::String => self.primary()?,
            _ => self.interpolated()?,
        };
        Ok(Expr { span: self.span(token), kind: ExprKind::Heredoc(Box::new(Heredoc { syntax, text })) })
    }

    /// `[ … ]`
    pub(super) fn list(&mut self) -> ParseResult<Expr> {
        let start = self.bump().start;
        self.enter()?;
        let mut list = Arguments::default();
        while self.kind() != Kind::RBrack {
            let argument = self.collection_entry()?;
            list.push(argument);
            if self.eat(Kind::Comma).is_none() {
                break;
            }
        }
        self.leave();
        self.expect(Kind::RBrack)?;
        let list = list.into_expressions(self);
        Ok(Expr { span: self.span_from(start), kind: ExprKind::Array(list) })
    }

    fn collection_entry(&mut self) -> ParseResult<Argument> {
        let Some(word) = self.keyword_entry() else { return self.argument() };
        match self.eat(Kind::FArrow) {
            Some(arrow) => self.pair(word, arrow),
            None => Ok(Argument::Single(word)),
        }
    }

    /// `{ key => value, … }`
    pub(super) fn hash(&mut self) -> ParseResult<Expr> {
        let start = self.bump().start;
        self.hash_rest(start, Vec::new())
    }

    fn hash_rest(&mut self, start: u32, mut entries: Vec<HashEntry>) -> ParseResult<Expr> {
        self.enter()?;
        while self.kind() != Kind::RBrace {
            let key = self.hash_entry()?;
            let arrow = self.expect(Kind::FArrow)?;
            let value = self.hash_entry()?;
            entries.push(HashEntry { span: self.span(arrow), key, value });
            if self.eat(Kind::Comma).is_none() {
                break;
            }
        }
        self.leave();
        self.expect(Kind::RBrace)?;
        Ok(Expr { span: self.span_from(start), kind: ExprKind::Hash(entries) })
    }

    /// `<%= expression %>`, where a `{` may open a hash or a block of statements: the first `=>` decides.
    fn render(&mut self) -> ParseResult<Expr> {
        let start = self.bump().start;
        let inner = if self.kind() == Kind::LBrace && self.next_kind() != Kind::RBrace {
            self.render_brace()?
        } else {
            self.expression()?
        };
        if !matches!(self.kind(), Kind::EppEnd | Kind::EppEndTrim) {
            return self.unexpected();
        }
        self.bump();
        Ok(Expr { span: self.span_from(start), kind: ExprKind::RenderExpr(Box::new(inner)) })
    }

    fn render_brace(&mut self) -> ParseResult<Expr> {
        let start = self.bump().start;
        self.enter()?;
        let first = match self.keyword_entry() {
            Some(word) => word,
            None => self.assignment()?,
        };
        if let Some(arrow) = self.eat(Kind::FArrow) {
            let value = self.hash_entry()?;
            let entries = vec![HashEntry { span: self.span(arrow), key: first, value }];
            if self.eat(Kind::Comma).is_none() && self.kind() != Kind::RBrace {
                return self.unexpected();
            }
            let hash = self.hash_rest(start, entries)?;
            self.leave();
            let hash = self.postfix(hash)?;
            return self.binary_after(hash);
        }
        let first: Result<Statement, ReportedError> = self.statement_rest(first);
        let statements = self.render_statements(first?);
        self.leave();
        self.expect(Kind::RBrace)?;
        let span = self.span_from(start);
        let mut statements = statements;
        Ok(match statements.pop() {
            Some(only) if statements.is_empty() => only,
            last => {
                statements.extend(last);
                Expr { span, kind: ExprKind::Block(crate::ast::Block { span, statements }) }
            }
        })
    }

    fn render_statements(&mut self, first: Statement) -> Vec<Expr> {
        self.statements_after(Some(first), Kind::RBrace)
    }
}

/// Whether a regular expression is simple enough that it cannot be malformed: literals, common escapes, classes without unusual
/// ranges, balanced groups, single quantifiers after an atom.
fn is_plain_regex(source: &str) -> bool {
    let bytes = source.as_bytes();
    let mut open = 0_u32;
    let mut at = 0;
    // Whether a quantifier is allowed here.
    let mut atom = false;
    while let Some(byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'\\' => {
                let known = b".-/\\dDwWsS()[]{}|$^*+?:_@";
                if !bytes.get(at).is_some_and(|next| known.contains(next)) {
                    return false;
                }
                at += 1;
                atom = true;
            }
            b'(' => {
                match bytes.get(at..at + 2) {
                    Some(b"?:") => at += 2,
                    Some([b'?', _]) => return false,
                    _ => {}
                }
                open += 1;
                atom = false;
            }
            b')' => {
                if open == 0 {
                    return false;
                }
                open -= 1;
                atom = true;
            }
            b'*' | b'+' | b'?' if atom => atom = false,
            b'|' | b'^' => atom = false,
            b'[' => match plain_class(bytes, at) {
                Some(end) => (at, atom) = (end, true),
                None => return false,
            },
            b'*' | b'+' | b'?' | b'{' | b'}' | b']' => return false,
            _ => atom = byte.is_ascii(),
        }
        if !byte.is_ascii() {
            return false;
        }
    }
    open == 0
}

/// The end of the character class that starts at `at`, if it has only letters, digits, a few signs and the usual ranges.
fn plain_class(bytes: &[u8], mut at: usize) -> Option<usize> {
    if bytes.get(at) == Some(&b'^') {
        at += 1;
    }
    let start = at;
    loop {
        match bytes.get(at)? {
            b']' => return (at > start).then_some(at + 1),
            b'a' if bytes.get(at..at + 3) == Some(b"a-z") => at += 3,
            b'A' if bytes.get(at..at + 3) == Some(b"A-Z") => at += 3,
            b'0' if bytes.get(at..at + 3) == Some(b"0-9") => at += 3,
            byte if byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b',' | b' ' | b':' | b'/') => at += 1,
            _ => return None,
        }
        if bytes.get(at) == Some(&b'-') && bytes.get(at + 1) != Some(&b']') {
            return None;
        }
        if bytes.get(at) == Some(&b'-') {
            at += 1;
        }
    }
}

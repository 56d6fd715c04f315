//! Expressions: operators by precedence, what may follow a value, calls, conditionals.

use crate::ast::Access;
use crate::ast::Arrow;
use crate::ast::Assign;
use crate::ast::AssignOp;
use crate::ast::Binary;
use crate::ast::BinaryOp;
use crate::ast::Block;
use crate::ast::Call;
use crate::ast::Case;
use crate::ast::CaseOption;
use crate::ast::Expr;
use crate::ast::ExprKind;
use crate::ast::HashEntry;
use crate::ast::If;
use crate::ast::Lambda;
use crate::ast::Method;
use crate::ast::Relation;
use crate::ast::Selector;
use crate::ast::SelectorOption;
use crate::parser::ParseResult;
use crate::parser::Parser;
use crate::token::Kind;
use catwalk_base::source::Span;

/// Binds more tightly than every binary operator: the operand of a prefix operator.
const PREFIX: u8 = 20;
const QMARK: u8 = 3;

/// The precedence of a binary operator; all are left associative.
fn binary(kind: Kind) -> Option<(u8, BinaryOp)> {
    Some(match kind {
        Kind::In => (10, BinaryOp::In),
        Kind::Match => (9, BinaryOp::Match),
        Kind::NoMatch => (9, BinaryOp::NotMatch),
        Kind::Times => (8, BinaryOp::Mul),
        Kind::Div => (8, BinaryOp::Div),
        Kind::Modulo => (8, BinaryOp::Mod),
        Kind::Plus => (7, BinaryOp::Add),
        Kind::Minus => (7, BinaryOp::Sub),
        Kind::LShift => (6, BinaryOp::ShiftLeft),
        Kind::RShift => (6, BinaryOp::ShiftRight),
        Kind::IsEqual => (5, BinaryOp::Eq),
        Kind::NotEqual => (5, BinaryOp::Ne),
        Kind::Greater => (4, BinaryOp::Gt),
        Kind::GreaterEqual => (4, BinaryOp::Ge),
        Kind::Less => (4, BinaryOp::Lt),
        Kind::LessEqual => (4, BinaryOp::Le),
        Kind::And => (2, BinaryOp::And),
        Kind::Or => (1, BinaryOp::Or),
        _ => return None,
    })
}

/// An argument, an index or an element: an expression, or `key => value` pairs that make one hash together.
pub(super) enum Argument {
    Single(Expr),
    Pair(HashEntry),
}

impl Parser<'_> {
    /// `a = b = c` groups to the right; the left side may be a relationship.
    pub(super) fn assignment(&mut self) -> ParseResult<Expr> {
        let (left, pure) = self.relationship()?;
        let op = match self.kind() {
            Kind::Equals => AssignOp::Set,
            Kind::Appends => AssignOp::Append,
            Kind::Deletes => AssignOp::Delete,
            _ => {
                self.is_only_expression = pure;
                return Ok(left);
            }
        };
        let token = self.bump();
        self.enter()?;
        let right = self.assignment()?;
        self.leave();
        self.is_only_expression = false;
        Ok(Expr { span: self.span(token), kind: ExprKind::Assign(Box::new(Assign { op, left, right })) })
    }

    fn relationship(&mut self) -> ParseResult<(Expr, bool)> {
        self.chain(Self::relationship_chain)
    }

    fn relationship_chain(&mut self) -> ParseResult<(Expr, bool)> {
        let (mut left, mut pure) = self.resource()?;
        loop {
            let arrow = match self.kind() {
                Kind::InEdge => Arrow::Before,
                Kind::InEdgeSub => Arrow::Notify,
                Kind::OutEdge => Arrow::Require,
                Kind::OutEdgeSub => Arrow::Subscribe,
                _ => return Ok((left, pure)),
            };
            self.link()?;
            let token = self.bump();
            let (right, _) = self.resource()?;
            pure = false;
            left = Expr { span: self.span(token), kind: ExprKind::Relation(Box::new(Relation { arrow, left, right })) };
        }
    }

    pub(super) fn expression(&mut self) -> ParseResult<Expr> {
        self.binary(0)
    }

    fn binary(&mut self, min: u8) -> ParseResult<Expr> {
        self.chain(|parser| {
            let left = parser.unary()?;
            parser.binary_rest(left, min)
        })
    }

    fn binary_rest(&mut self, mut left: Expr, min: u8) -> ParseResult<Expr> {
        loop {
            if self.kind() == Kind::QMark && QMARK > min {
                self.link()?;
                left = self.selector(left)?;
                continue;
            }
            let Some((strength, op)) = binary(self.kind()).filter(|(strength, _)| *strength > min) else {
                return Ok(left);
            };
            self.link()?;
            let token = self.bump();
            let right = self.binary(strength)?;
            left = Expr { span: self.span(token), kind: ExprKind::Binary(Box::new(Binary { op, left, right })) };
        }
    }

    /// The rest of an expression whose first operand was already parsed.
    pub(super) fn binary_after(&mut self, left: Expr) -> ParseResult<Expr> {
        self.binary_rest(left, 0)
    }

    fn unary(&mut self) -> ParseResult<Expr> {
        let make = match self.kind() {
            Kind::Minus => ExprKind::Minus,
            Kind::Times => ExprKind::Unfold,
            Kind::Not => ExprKind::Not,
            _ => {
                let left = self.primary()?;
                return self.postfix(left);
            }
        };
        let token = self.bump();
        self.enter()?;
        let operand = self.binary(PREFIX)?;
        self.leave();
        Ok(Expr { span: self.span(token), kind: make(Box::new(operand)) })
    }

    /// What may follow a value directly: `[…]`, `(…)`, `.name`, `<| … |>`.
    pub(super) fn postfix(&mut self, mut left: Expr) -> ParseResult<Expr> {
        loop {
            left = match self.kind() {
                Kind::LBrack => self.access(left)?,
                Kind::LParen => self.call(left)?,
                Kind::Dot => self.method(left)?,
                Kind::LCollect | Kind::LLCollect => self.collector(left)?,
                _ => return Ok(left),
            };
            self.link()?;
        }
    }

    fn access(&mut self, left: Expr) -> ParseResult<Expr> {
        self.bump();
        self.enter()?;
        let keys = self.access_args()?;
        self.eat(Kind::Comma);
        self.leave();
        self.expect(Kind::RBrack)?;
        let span = self.span_from(left.span.start);
        Ok(Expr { span, kind: ExprKind::Access(Box::new(Access { left, keys })) })
    }

    /// Keys without a trailing comma.
    pub(super) fn access_args(&mut self) -> ParseResult<Vec<Expr>> {
        let mut list = Arguments::default();
        loop {
            let argument = self.access_arg()?;
            list.push(argument);
            if self.kind() != Kind::Comma || self.next_kind() == Kind::RBrack {
                return Ok(list.into_expressions(self));
            }
            self.bump();
        }
    }

    fn access_arg(&mut self) -> ParseResult<Argument> {
        let argument = self.argument()?;
        match argument {
            Argument::Single(_) if !self.is_only_expression => self.unexpected(),
            argument => Ok(argument),
        }
    }

    /// `assignment`, or `hash_entry => hash_entry`.
    pub(super) fn argument(&mut self) -> ParseResult<Argument> {
        if let Some(key) = self.keyword_entry() {
            let arrow = self.expect(Kind::FArrow)?;
            return self.pair(key, arrow);
        }
        let first = self.assignment()?;
        match self.eat(Kind::FArrow) {
            Some(arrow) => self.pair(first, arrow),
            None => Ok(Argument::Single(first)),
        }
    }

    pub(super) fn pair(&mut self, key: Expr, arrow: crate::token::Token) -> ParseResult<Argument> {
        let value = self.hash_entry()?;
        Ok(Argument::Pair(HashEntry { span: self.span(arrow), key, value }))
    }

    /// `type` or `function` as a string in an array or hash.
    pub(super) fn keyword_entry(&mut self) -> Option<Expr> {
        let keyword = match (self.kind(), self.next_kind()) {
            (Kind::Type, Kind::LParen | Kind::ClassRef) => false,
            (Kind::Function, Kind::Name | Kind::Word | Kind::ClassRef | Kind::Class | Kind::String) => false,
            (Kind::Type | Kind::Function, _) => true,
            _ => false,
        };
        keyword.then(|| {
            let token = self.bump();
            Expr { span: self.span(token), kind: ExprKind::Str(self.value(token).into()) }
        })
    }

    pub(super) fn hash_entry(&mut self) -> ParseResult<Expr> {
        match self.keyword_entry() {
            Some(word) => Ok(word),
            None => self.assignment(),
        }
    }

    /// `( … )` after a value.
    fn call(&mut self, callee: Expr) -> ParseResult<Expr> {
        self.bump();
        let args = self.arguments()?;
        self.eat(Kind::Comma);
        self.expect(Kind::RParen)?;
        let block = self.opt_lambda()?;
        let span = self.span_from(callee.span.start);
        let call = Call { callee, args, block, value_needed: true };
        Ok(Expr { span, kind: ExprKind::Call(Box::new(call)) })
    }

    /// Arguments without a trailing comma or the `)`.
    pub(super) fn arguments(&mut self) -> ParseResult<Vec<Expr>> {
        if self.kind() == Kind::RParen {
            return Ok(Vec::new());
        }
        self.enter()?;
        let mut list = Arguments::default();
        loop {
            let argument = self.argument()?;
            list.push(argument);
            if self.kind() != Kind::Comma || self.next_kind() == Kind::RParen {
                self.leave();
                return Ok(list.into_expressions(self));
            }
            self.bump();
        }
    }

    fn method(&mut self, receiver: Expr) -> ParseResult<Expr> {
        let dot = self.bump();
        if !matches!(self.kind(), Kind::Name | Kind::Type) || self.is_task_keyword(self.token()) {
            return self.unexpected();
        }
        let token = self.bump();
        let name_span = self.span(token);
        let name = self.name(token);
        let mut span = self.span_from(dot.start);
        let mut args = Vec::new();
        if self.kind() == Kind::LParen {
            let open = self.bump();
            args = self.arguments()?;
            // No trailing comma is allowed here; the error is at the token after it.
            if self.eat(Kind::Comma).is_some() {
                return self.unexpected();
            }
            let close = self.expect(Kind::RParen)?;
            span = Span { file: self.file, start: open.start, end: close.end };
        }
        let block = self.opt_lambda()?;
        let method = Method { receiver, name, name_span, args, block };
        Ok(Expr { span, kind: ExprKind::Method(Box::new(method)) })
    }

    pub(super) fn opt_lambda(&mut self) -> ParseResult<Option<Lambda>> {
        if self.kind() != Kind::Pipe {
            return Ok(None);
        }
        let start = self.token().start;
        let params = self.pipe_parameters()?;
        let return_type = self.opt_return_type()?;
        let mut body = self.block()?;
        let span = self.span_from(start);
        body.span = span;
        Ok(Some(Lambda { span, params, return_type, body }))
    }

    fn selector(&mut self, test: Expr) -> ParseResult<Expr> {
        self.bump();
        let span = test.span;
        let mut options = Vec::new();
        self.enter()?;
        if self.eat(Kind::SelBrace).is_none() {
            options.push(self.selector_entry()?);
            self.leave();
            return Ok(Expr { span, kind: ExprKind::Selector(Box::new(Selector { test, options })) });
        }
        loop {
            options.push(self.selector_entry()?);
            if self.eat(Kind::Comma).is_none() || self.kind() == Kind::RBrace {
                break;
            }
        }
        self.leave();
        self.expect(Kind::RBrace)?;
        self.postfix(Expr { span, kind: ExprKind::Selector(Box::new(Selector { test, options })) })
    }

    fn selector_entry(&mut self) -> ParseResult<SelectorOption> {
        let matching = self.expression()?;
        let arrow = self.expect(Kind::FArrow)?;
        let value = self.expression()?;
        Ok(SelectorOption { span: self.span(arrow), matching, value })
    }

    // Conditionals

    pub(super) fn if_expression(&mut self) -> ParseResult<Expr> {
        let start = self.bump().start;
        self.enter()?;
        let test = self.expression()?;
        let then = self.block()?;
        let else_body = match self.kind() {
            Kind::Elsif => {
                let inner = self.if_expression()?;
                Some(Block { span: inner.span, statements: vec![inner] })
            }
            Kind::Else => {
                self.bump();
                Some(self.block()?)
            }
            _ => None,
        };
        self.leave();
        Ok(Expr { span: self.span_from(start), kind: ExprKind::If(Box::new(If { test, then, else_body })) })
    }

    pub(super) fn unless_expression(&mut self) -> ParseResult<Expr> {
        let start = self.bump().start;
        self.enter()?;
        let test = self.expression()?;
        let then = self.block()?;
        let else_body = match self.eat(Kind::Else) {
            Some(_) => Some(self.block()?),
            None => None,
        };
        self.leave();
        Ok(Expr { span: self.span_from(start), kind: ExprKind::Unless(Box::new(If { test, then, else_body })) })
    }

    pub(super) fn case_expression(&mut self) -> ParseResult<Expr> {
        let start = self.bump().start;
        self.enter()?;
        let test = self.expression()?;
        self.expect(Kind::LBrace)?;
        let mut options = Vec::new();
        loop {
            options.push(self.case_option()?);
            if self.kind() == Kind::RBrace {
                break;
            }
        }
        self.leave();
        self.expect(Kind::RBrace)?;
        Ok(Expr { span: self.span_from(start), kind: ExprKind::Case(Box::new(Case { test, options })) })
    }

    fn case_option(&mut self) -> ParseResult<CaseOption> {
        let mut values = vec![self.expression()?];
        while self.eat(Kind::Comma).is_some() {
            values.push(self.expression()?);
        }
        let colon = self.expect(Kind::Colon)?;
        let mut then = self.block()?;
        let span = self.span_from(colon.start);
        then.span = span;
        Ok(CaseOption { span, values, then })
    }
}

/// Collects arguments; adjacent pairs become one hash.
#[derive(Default)]
pub(super) struct Arguments {
    expressions: Vec<Expr>,
    pairs: Vec<HashEntry>,
}

impl Arguments {
    pub(super) fn push(&mut self, argument: Argument) {
        match argument {
            Argument::Pair(entry) => self.pairs.push(entry),
            Argument::Single(expr) => {
                self.flush();
                self.expressions.push(expr);
            }
        }
    }

    fn flush(&mut self) {
        let pairs = std::mem::take(&mut self.pairs);
        if let Some(first) = pairs.first() {
            self.expressions.push(Expr { span: first.span, kind: ExprKind::Hash(pairs) });
        }
    }

    pub(super) fn into_expressions(mut self, _: &Parser<'_>) -> Vec<Expr> {
        self.flush();
        self.expressions
    }
}

//! Literals, names and expressions in parentheses.

use super::Parse;
use super::Parser;
use super::literal_string;
use crate::ast::Call;
use crate::ast::Node;
use crate::ast::NodeKind;
use crate::ast::OUTPUT;
use crate::inline_cache::Literal;
use crate::inline_cache::Local;
use crate::inline_cache::Site;
use crate::lexer::Kind;
use crate::lexer::Part;
use catwalk_base::names::Name;
use std::sync::Arc;

impl Parser {
    /// Parses a primary with the calls and indexes after it.
    pub(super) fn primary_with_postfix(&mut self) -> Parse<Node> {
        self.with_depth(|p| {
            let node = p.primary()?;
            p.postfix(node)
        })
    }

    fn primary(&mut self) -> Parse<Node> {
        let line = self.line();
        if let Some(Kind::Str(parts)) = self.kind()
            && !matches!(self.kind_at(1), Some(Kind::Str(_)))
            && let Some(text) = literal_string(parts)
        {
            self.at += 1;
            return Ok(Node::new(NodeKind::Str(text), line));
        }
        let Some(token) = self.next() else { return self.fail("syntax error, unexpected end-of-input") };
        let node = |kind| Ok(Node::new(kind, line));
        match token.kind {
            Kind::Int(n) => node(NodeKind::Int(n)),
            Kind::Float(f) => node(NodeKind::Float(f)),
            Kind::OtherNumber(text) => self.other_number(&text, line),
            Kind::Str(parts) => self.strings(parts, line),
            Kind::Command(parts) => {
                let parts = self.parts(parts)?;
                node(NodeKind::Command(parts))
            }
            Kind::Symbol(name) => node(NodeKind::Symbol(name.into())),
            Kind::DynamicSymbol(parts) => self.symbol(parts, line),
            Kind::Regexp(parts, flags) => {
                let parts = self.parts(parts)?;
                node(NodeKind::Regexp(parts, flags, Literal::fresh()))
            }
            Kind::Words(words) => {
                let items = words.into_iter().map(|word| self.string(word, line)).collect::<Parse<_>>()?;
                node(NodeKind::Array(items))
            }
            Kind::Symbols(words) => {
                let items = words.into_iter().map(|word| self.symbol(word, line)).collect::<Parse<_>>()?;
                node(NodeKind::Array(items))
            }
            Kind::IVar(name) => node(NodeKind::IVar(Local::new(Name::new(&name)))),
            Kind::CVar(name) => node(NodeKind::CVar(Name::new(&name))),
            Kind::GVar(name) => node(NodeKind::GVar(Name::new(&name))),
            Kind::Const(name) => self.constant(&name, line),
            Kind::Ident(name) => self.identifier(&name, line),
            Kind::Keyword(word) => self.keyword(word, line),
            Kind::Op("(") => self.parenthesized(line),
            Kind::Op("[") => {
                let items = self.list("]")?;
                node(NodeKind::Array(items))
            }
            Kind::Op("{") => {
                let pairs = self.in_brackets(Parser::hash_pairs)?;
                self.expect_op("}")?;
                node(NodeKind::Hash(pairs))
            }
            Kind::Op("->") => self.arrow(line),
            Kind::Op("::") => match self.next().map(|token| token.kind) {
                Some(Kind::Const(name)) => node(NodeKind::Const(Some(None), Name::new(&name))),
                _ => self.missing("constant"),
            },
            kind => {
                self.at -= 1;
                self.unexpected(&kind)
            }
        }
    }

    fn symbol(&mut self, parts: Vec<Part>, line: u32) -> Parse<Node> {
        let kind = match literal_string(&parts) {
            Some(name) => NodeKind::Symbol(name.into()),
            None => NodeKind::DynamicSymbol(self.parts(parts)?),
        };
        Ok(Node::new(kind, line))
    }

    /// Parses a rational number, or an integer of more than 64 bits.
    fn other_number(&mut self, text: &str, line: u32) -> Parse<Node> {
        if let Some(fraction) = text.strip_suffix('r')
            && !fraction.contains(['x', 'X', 'b', 'B', 'o', 'O', 'e', 'E'])
        {
            return Ok(number_from_string(fraction, "to_r", Vec::new(), line));
        }
        let digits: String = text.chars().filter(|c| *c != '_').collect();
        let radix = match digits.get(..2) {
            Some("0x" | "0X") => 16,
            Some("0b" | "0B") => 2,
            Some("0o" | "0O") => 8,
            _ => 10,
        };
        let digits = if radix == 10 { digits.as_str() } else { digits.get(2..).unwrap_or_default() };
        match i64::from_str_radix(digits, radix) {
            Ok(n) => Ok(Node::new(NodeKind::Int(n), line)),
            Err(_) if !digits.is_empty() && digits.chars().all(|digit| digit.is_digit(radix)) => {
                let radix = Node::new(NodeKind::Int(i64::from(radix)), line);
                Ok(number_from_string(digits, "to_i", vec![radix], line))
            }
            Err(_) => self.unsupported(&format!("the number {text}")),
        }
    }

    /// Parses a string and the adjacent strings after it, which are concatenated.
    fn strings(&mut self, mut parts: Vec<Part>, line: u32) -> Parse<Node> {
        while let Some(Kind::Str(next)) = self.kind() {
            let next = next.clone();
            self.at += 1;
            for part in next {
                match (parts.last_mut(), part) {
                    (Some(Part::Literal(literal)), Part::Literal(next)) => literal.push_str(&next),
                    (_, part) => parts.push(part),
                }
            }
        }
        self.string(parts, line)
    }

    fn constant(&mut self, name: &str, line: u32) -> Parse<Node> {
        // `Array(x)`, `Integer "1"`: calls of a method with the name of a constant.
        let called = self.is_op("(") && !self.space_at(0);
        if called
            || self.starts_array_argument(0)
            || self.starts_command_argument(0)
            || (self.is_word("do") && !self.no_do)
        {
            return self.call_rest(None, false, Name::new(name), line, true);
        }
        Ok(Node::new(NodeKind::Const(None, Name::new(name)), line))
    }

    /// Whether the next token can only be the first argument of the name before it: `Integer "1"`, `A::Error "message"`, and `x = x y`,
    /// where `x` is already a variable.
    pub(super) fn starts_command_argument(&self, ahead: usize) -> bool {
        matches!(
            self.kind_at(ahead),
            Some(Kind::Str(_) | Kind::Ident(_) | Kind::IVar(_) | Kind::Int(_) | Kind::Float(_))
        ) && self.space_at(ahead)
    }

    /// Whether a space and an array literal follow. After a constant, the literal is the argument of a method.
    pub(super) fn starts_array_argument(&self, ahead: usize) -> bool {
        self.kind_at(ahead) == Some(&Kind::Op("[")) && self.space_at(ahead)
    }

    pub(super) fn identifier(&mut self, text: &str, line: u32) -> Parse<Node> {
        let name = Name::new(text);
        if self.template && text == OUTPUT {
            return self.output(line);
        }
        let called = self.is_op("(") && !self.space_at(0);
        if self.is_local(name) && !called && !self.starts_command_argument(0) {
            return Ok(Node::new(NodeKind::local(name), line));
        }
        if let Some(number) =
            text.strip_prefix('_').and_then(|n| n.parse::<usize>().ok()).filter(|n| (1..=9).contains(n))
        {
            self.numbered_params = self.numbered_params.max(number);
            return Ok(Node::new(NodeKind::local(name), line));
        }
        if matches!(text, "lambda" | "proc") && (self.is_op("{") || self.is_word("do")) {
            let block = self.block()?;
            let call = Call {
                receiver: None,
                safe: false,
                name,
                args: Vec::new(),
                keywords: false,
                block_arg: None,
                block,
                bare: false,
                site: Site::new(name),
            };
            return Ok(Node::new(NodeKind::Call(Box::new(call)), line));
        }
        self.call_rest(None, false, name, line, true)
    }

    /// Parses `_erbout.<< "literal"` and `_erbout.<<((code).to_s)`. Any other use is the output so far.
    fn output(&mut self, line: u32) -> Parse<Node> {
        let emits = self.is_op(".") && matches!(self.kind_at(1), Some(Kind::Op("<<")));
        let shifts = self.is_op("<<");
        if !emits && !shifts {
            return Ok(Node::new(NodeKind::local(Name::new(OUTPUT)), line));
        }
        self.at += if emits { 2 } else { 1 };
        let value = if shifts { self.primary_with_postfix()? } else { self.emitted_value()? };
        let kind = match value.kind {
            NodeKind::Str(text) => NodeKind::EmitText(text),
            kind => NodeKind::Emit(Box::new(Node::new(kind, value.line))),
        };
        Ok(Node::new(kind, line))
    }

    /// Parses the argument that the template compiler writes after `_erbout.<<`: a string, or `((code).to_s)`.
    fn emitted_value(&mut self) -> Parse<Node> {
        if !self.is_op("(") {
            return self.primary();
        }
        self.at += 1;
        let inner = self.in_brackets(|p| p.statements(&[]))?;
        self.expect_op(")")?;
        // `NodeKind::Emit` includes the `.to_s`.
        Ok(match inner.kind {
            NodeKind::Call(call) if call.name.as_str() == "to_s" && call.args.is_empty() => match call.receiver {
                Some(receiver) => receiver,
                None => return self.missing("expression"),
            },
            kind => Node::new(kind, inner.line),
        })
    }

    fn parenthesized(&mut self, line: u32) -> Parse<Node> {
        let body = self.in_brackets(|p| p.statements(&[]))?;
        self.skip_newlines();
        self.expect_op(")")?;
        Ok(match body.kind {
            // `(begin … end) while x` tests the condition first, and `(a; b)` is one operand.
            NodeKind::Begin(body, rescues, None, None) if rescues.is_empty() => *body,
            kind => Node::new(kind, line),
        })
    }
}

/// A number that a method of `String` computes from its digits: fractions, and integers of more than 128 bits.
fn number_from_string(digits: &str, method: &str, args: Vec<Node>, line: u32) -> Node {
    let receiver = Node::new(NodeKind::Str(Arc::from(digits)), line);
    super::expression::operator_call(receiver, method, args, line)
}

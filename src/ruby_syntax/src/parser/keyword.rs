//! Expressions that begin with a reserved word or with `->`.

use super::Parse;
use super::Parser;
use crate::ast::Call;
use crate::ast::Lambda;
use crate::ast::Node;
use crate::ast::NodeKind;
use crate::ast::are_plain;
use crate::inline_cache::Site;
use crate::lexer::Kind;
use catwalk_base::names::Name;
use std::sync::Arc;

impl Parser {
    /// Parses an expression after its first word, which is reserved.
    pub(super) fn keyword(&mut self, word: &'static str, line: u32) -> Parse<Node> {
        let node = |kind| Ok(Node::new(kind, line));
        match word {
            "nil" => node(NodeKind::Nil),
            "true" => node(NodeKind::Bool(true)),
            "false" => node(NodeKind::Bool(false)),
            "self" => node(NodeKind::SelfRef),
            "__FILE__" => node(NodeKind::File),
            "__LINE__" => node(NodeKind::Int(i64::from(line))),
            "if" => self.if_rest(line, false),
            "unless" => self.if_rest(line, true),
            "while" => self.while_rest(line, true),
            "until" => self.while_rest(line, false),
            "for" => self.for_rest(line),
            "case" => self.case_rest(line),
            "begin" => self.begin_rest(line),
            "def" => self.def_rest(line),
            "class" => self.class_rest(line, true),
            "module" => self.class_rest(line, false),
            "return" => {
                let value = self.jump_value()?;
                node(NodeKind::Return(value))
            }
            "break" => {
                let value = self.jump_value()?;
                node(NodeKind::Break(value))
            }
            "next" => {
                let value = self.jump_value()?;
                node(NodeKind::Next(value))
            }
            "redo" => node(NodeKind::Redo),
            "retry" => node(NodeKind::Retry),
            "yield" => {
                let (args, _, _) = self.arguments()?;
                node(NodeKind::Yield(args))
            }
            "super" => self.super_rest(line),
            "not" => {
                self.at -= 1;
                self.expression()
            }
            "defined?" => {
                self.at -= 1;
                self.ternary()
            }
            "alias" => {
                let (new, old) = (self.alias_name()?, self.alias_name()?);
                node(NodeKind::Alias(new, old))
            }
            "BEGIN" | "END" | "undef" | "__ENCODING__" => self.unsupported(&format!("'{word}'")),
            word => {
                self.at -= 1;
                self.unexpected(&Kind::Keyword(word))
            }
        }
    }

    /// Parses `super` after the word.
    fn super_rest(&mut self, line: u32) -> Parse<Node> {
        let has_parens = self.is_op("(") && !self.space_at(0);
        let has_arguments = has_parens || self.starts_argument();
        let is_command = has_arguments && !self.is_op("(");
        let (args, block_arg, keywords) = self.arguments()?;
        let has_braces = self.is_op("{") && !is_command;
        let block = if has_braces || (self.is_word("do") && !self.no_do) { self.block()? } else { None };
        let name = Name::new("super");
        let call = Call {
            receiver: None,
            safe: false,
            name,
            args,
            keywords,
            block_arg,
            block,
            bare: false,
            site: Site::new(name),
        };
        Ok(Node::new(NodeKind::Super(Box::new(call), has_arguments), line))
    }

    /// Parses a name after `alias`: of a method, as a name or symbol, or of a global variable.
    fn alias_name(&mut self) -> Parse<Name> {
        match self.kind().cloned() {
            Some(Kind::Symbol(name) | Kind::GVar(name)) => {
                self.at += 1;
                Ok(Name::new(&name))
            }
            _ => self.def_name(),
        }
    }

    /// Parses the value of `return`, `break` or `next`. Several values are an array.
    fn jump_value(&mut self) -> Parse<Option<Box<Node>>> {
        let line = self.line();
        let ends = matches!(
            self.kind(),
            None | Some(
                Kind::Newline
                    | Kind::Op("}" | ")" | "]" | ":")
                    | Kind::Keyword("if" | "unless" | "end" | "while" | "until" | "and" | "or")
            )
        );
        if ends {
            return Ok(None);
        }
        if self.starts_pair() {
            let pairs = self.bare_pairs()?;
            return Ok(Some(Box::new(Node::new(NodeKind::Hash(pairs), line))));
        }
        let first = self.item()?;
        if !self.is_op(",") && !matches!(first.kind, NodeKind::Splat(_)) {
            return Ok(Some(Box::new(first)));
        }
        let mut items = vec![first];
        while self.eat_op(",") {
            self.skip_newlines();
            items.push(self.item()?);
        }
        Ok(Some(Box::new(Node::new(NodeKind::Array(items), line))))
    }

    /// `->(a) { … }`
    pub(super) fn arrow(&mut self, line: u32) -> Parse<Node> {
        self.in_scope(false, |p| {
            let params = if p.eat_op("(") {
                let params = p.params(")")?;
                p.expect_op(")")?;
                params
            } else if p.is_op("{") || p.is_word("do") {
                Vec::new()
            } else {
                p.params("{")?
            };
            let outer = std::mem::take(&mut p.numbered_params);
            let body = if p.eat_op("{") {
                let body = p.statements(&[])?;
                p.expect_op("}")?;
                body
            } else {
                p.expect_word("do")?;
                p.body(line)?
            };
            let numbered_params = std::mem::replace(&mut p.numbered_params, outer);
            let (locals, names) = (Vec::new(), p.body_variables(numbered_params));
            let has_plain_params = are_plain(&params, &names);
            let lambda =
                Lambda { params, trailing_comma: false, body, locals, names, has_plain_params, line, numbered_params };
            Ok(Node::new(NodeKind::Lambda(Arc::new(lambda)), line))
        })
    }
}

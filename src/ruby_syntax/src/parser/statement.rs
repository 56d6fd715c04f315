//! Statements: sequences, modifiers, `if`, `case`, loops, `begin`, definitions.

use std::sync::Arc;

use super::Parse;
use super::Parser;
use crate::ast::Class;
use crate::ast::Def;
use crate::ast::Node;
use crate::ast::NodeKind;
use crate::ast::Rescue;
use crate::ast::When;
use crate::ast::are_plain;
use crate::lexer::Kind;
use catwalk_base::names::Name;

impl Parser {
    /// Parses statements up to one of the words or a closing brace, which is not consumed, or the end of the source.
    pub(super) fn statements(&mut self, ends: &[&str]) -> Parse<Node> {
        let line = self.line();
        let mut list = Vec::new();
        loop {
            self.skip_newlines();
            match self.kind() {
                None => break,
                Some(Kind::Keyword(word)) if ends.contains(word) => break,
                Some(Kind::Op("}" | ")")) => break,
                _ => {}
            }
            list.push(self.statement()?);
            match self.kind() {
                None | Some(Kind::Newline | Kind::Op("}" | ")")) => {}
                Some(Kind::Keyword(word)) if ends.contains(word) => {}
                Some(kind) => return self.unexpected(&kind.clone()),
            }
        }
        Ok(match list.len() {
            0 => Node::nil(line),
            1 => list.swap_remove(0),
            _ => Node::new(NodeKind::Block(list), line),
        })
    }

    /// Parses a statement with its modifiers.
    pub(super) fn statement(&mut self) -> Parse<Node> {
        self.with_depth(|p| {
            let mut node = p.expression_statement()?;
            let mut length = 0;
            loop {
                p.extend_chain(&mut length)?;
                let line = p.line();
                if p.eat_word("if") {
                    let test = p.condition()?;
                    let kind = NodeKind::If(Box::new(test), Box::new(node), Box::new(Node::nil(line)));
                    node = Node::new(kind, line);
                } else if p.eat_word("unless") {
                    let test = p.condition()?;
                    let kind = NodeKind::If(Box::new(test), Box::new(Node::nil(line)), Box::new(node));
                    node = Node::new(kind, line);
                } else if p.is_word("while") || p.is_word("until") {
                    let expected = p.eat_word("while");
                    if !expected {
                        p.at += 1;
                    }
                    let test = p.condition()?;
                    let body_first = matches!(node.kind, NodeKind::Begin(..));
                    node = Node::new(NodeKind::While(expected, Box::new(test), Box::new(node), body_first), line);
                } else if p.eat_word("rescue") {
                    p.skip_newlines();
                    let body = p.expression_statement()?;
                    node = with_rescue(node, body, line);
                } else {
                    return Ok(node);
                }
            }
        })
    }

    /// Parses the condition of a modifier, which may be on the next line.
    fn condition(&mut self) -> Parse<Node> {
        self.skip_newlines();
        self.expression()
    }

    /// Parses an expression, a multiple assignment, or an assignment of several values.
    fn expression_statement(&mut self) -> Parse<Node> {
        let start = self.at;
        let line = self.line();
        if (self.is_op("*") || (self.is_op("(") && self.is_bracket_assigned()))
            && let Some(node) = self.try_multiple_assignment(start)?
        {
            return Ok(node);
        }
        let node = self.expression()?;
        if !self.is_op(",") {
            return Ok(node);
        }
        if let NodeKind::Assign(target, value) = node.kind {
            let mut items = vec![*value];
            while self.eat_op(",") {
                self.skip_newlines();
                items.push(self.item()?);
            }
            let list = Node::new(NodeKind::Array(items), line);
            return Ok(Node::new(NodeKind::Assign(target, Box::new(list)), line));
        }
        match self.try_multiple_assignment(start)? {
            Some(node) => Ok(node),
            None => Ok(node),
        }
    }

    /// Whether a comma or `=` follows the closing bracket of the bracket here. If not, it is not parsed as targets first: trying both
    /// would double the time at each level of nesting.
    fn is_bracket_assigned(&self) -> bool {
        let mut open = 0usize;
        for ahead in 0.. {
            match self.kind_at(ahead) {
                None => return false,
                Some(Kind::Op("(" | "[" | "{")) => open += 1,
                Some(Kind::Op(")" | "]" | "}")) => {
                    open = open.saturating_sub(1);
                    if open == 0 {
                        return matches!(self.kind_at(ahead + 1), Some(Kind::Op("," | "=")));
                    }
                }
                Some(_) => {}
            }
        }
        false
    }

    /// Parses `a, *b, (c, d) = values`. If this is not a multiple assignment, consumes nothing and returns `None`.
    fn try_multiple_assignment(&mut self, start: usize) -> Parse<Option<Node>> {
        let saved = self.at;
        self.at = start;
        let line = self.line();
        let Ok((targets, has_comma)) = self.targets() else {
            self.at = saved;
            return Ok(None);
        };
        let has_splat = targets.iter().any(|target| matches!(target.kind, NodeKind::Splat(_)));
        let is_nested = matches!(targets.as_slice(), [Node { kind: NodeKind::Targets(_), .. }]);
        if !self.is_op("=") || !(has_comma || has_splat || is_nested) {
            self.at = saved;
            return Ok(None);
        }
        self.at += 1;
        self.skip_newlines();
        for target in &targets {
            self.declare_target(target);
        }
        let first = self.item()?;
        let value = if self.is_op(",") || matches!(first.kind, NodeKind::Splat(_)) {
            let mut items = vec![first];
            while self.eat_op(",") {
                self.skip_newlines();
                items.push(self.item()?);
            }
            Node::new(NodeKind::Array(items), line)
        } else {
            first
        };
        Ok(Some(Node::new(NodeKind::MultiAssign(targets, Box::new(value)), line)))
    }

    /// Parses the targets of a multiple assignment; returns them and whether there was a comma.
    pub(super) fn targets(&mut self) -> Parse<(Vec<Node>, bool)> {
        let mut targets = Vec::new();
        let mut has_comma = false;
        loop {
            let line = self.line();
            if self.eat_op("*") {
                let named = !matches!(self.kind(), Some(Kind::Op("," | "=" | ")" | "|")) | Some(Kind::Keyword("in")));
                let inner = if named { Some(Box::new(self.target()?)) } else { None };
                targets.push(Node::new(NodeKind::Splat(inner), line));
            } else if self.eat_op("(") {
                let (inner, _) = self.targets()?;
                self.expect_op(")")?;
                targets.push(Node::new(NodeKind::Targets(inner), line));
            } else {
                targets.push(self.target()?);
            }
            if !self.eat_op(",") {
                return Ok((targets, has_comma));
            }
            has_comma = true;
            if self.is_op("=") || self.is_op(")") || self.is_word("in") {
                return Ok((targets, has_comma));
            }
        }
    }

    fn target(&mut self) -> Parse<Node> {
        let node = self.primary_with_postfix()?;
        match self.as_target(node) {
            Ok(target) => Ok(target),
            Err(_) => self.fail("syntax error, this cannot be assigned to"),
        }
    }

    /// Converts an expression to the target of an assignment. `Err`: the unchanged expression, which cannot be a target.
    pub(super) fn as_target(&self, node: Node) -> Result<Node, Node> {
        let line = node.line;
        match node.kind {
            NodeKind::Local(_) | NodeKind::IVar(_) | NodeKind::GVar(_) | NodeKind::CVar(_) | NodeKind::Const(..) => {
                Ok(node)
            }
            NodeKind::Call(call) if call.bare && call.receiver.is_none() => {
                Ok(Node::new(NodeKind::local(call.name), line))
            }
            NodeKind::Call(call)
                if call.receiver.is_some()
                    && call.block.is_none()
                    && (call.name.as_str() == "[]"
                        || (call.args.is_empty()
                            && call.name.as_str().starts_with(|c: char| c == '_' || c.is_alphabetic()))) =>
            {
                Ok(Node::new(NodeKind::Call(call), line))
            }
            kind => Err(Node::new(kind, line)),
        }
    }

    pub(super) fn declare_target(&mut self, target: &Node) {
        match &target.kind {
            NodeKind::Local(local) => self.declare(local.name),
            NodeKind::Splat(Some(inner)) => self.declare_target(inner),
            NodeKind::Targets(inner) => inner.iter().for_each(|target| self.declare_target(target)),
            _ => {}
        }
    }

    /// Parses `if`, `elsif` or `unless` after the word.
    pub(super) fn if_rest(&mut self, line: u32, negated: bool) -> Parse<Node> {
        let test = self.in_brackets(Parser::statement_expression)?;
        if self.kind() != Some(&Kind::Newline) && !self.is_word("then") {
            return self.missing("then");
        }
        self.skip_then();
        let body = self.in_brackets(|p| p.statements(&["elsif", "else", "end"]))?;
        let else_body = if self.eat_word("elsif") {
            let line = self.line();
            self.with_depth(|p| p.if_rest(line, false))?
        } else {
            let body =
                if self.eat_word("else") { self.in_brackets(|p| p.statements(&["end"]))? } else { Node::nil(line) };
            self.expect_word("end")?;
            body
        };
        let (yes, no) = if negated { (else_body, body) } else { (body, else_body) };
        Ok(Node::new(NodeKind::If(Box::new(test), Box::new(yes), Box::new(no)), line))
    }

    /// Parses the condition of `if`, `while` and similar statements, which may be on the next line.
    fn statement_expression(&mut self) -> Parse<Node> {
        self.skip_newlines();
        self.expression()
    }

    /// Skips `then` and the newlines around it.
    pub(super) fn skip_then(&mut self) {
        self.skip_newlines();
        if self.eat_word("then") {
            self.skip_newlines();
        }
    }

    pub(super) fn while_rest(&mut self, line: u32, expected: bool) -> Parse<Node> {
        let test = self.without_do(Parser::statement_expression)?;
        self.eat_word("do");
        let body = self.in_brackets(|p| p.statements(&["end"]))?;
        self.expect_word("end")?;
        Ok(Node::new(NodeKind::While(expected, Box::new(test), Box::new(body), false), line))
    }

    pub(super) fn for_rest(&mut self, line: u32) -> Parse<Node> {
        let (targets, _) = self.targets()?;
        for target in &targets {
            self.declare_target(target);
        }
        self.expect_word("in")?;
        self.skip_newlines();
        let list = self.without_do(Parser::expression)?;
        self.eat_word("do");
        let body = self.in_brackets(|p| p.statements(&["end"]))?;
        self.expect_word("end")?;
        Ok(Node::new(NodeKind::For(targets, Box::new(list), Box::new(body)), line))
    }

    pub(super) fn case_rest(&mut self, line: u32) -> Parse<Node> {
        self.in_brackets(|p| {
            let subject = if p.kind() == Some(&Kind::Newline) || p.is_word("when") {
                None
            } else {
                Some(Box::new(p.case_subject()?))
            };
            p.skip_newlines();
            if p.is_word("in") {
                return p.in_clauses(subject, line);
            }
            let mut whens = Vec::new();
            while p.eat_word("when") {
                let mut tests = Vec::new();
                loop {
                    p.skip_newlines();
                    tests.push(p.item()?);
                    if !p.eat_op(",") {
                        break;
                    }
                }
                p.skip_then();
                let body = p.statements(&["when", "else", "end"])?;
                whens.push(When { tests, body });
            }
            let else_body = if p.eat_word("else") { p.statements(&["end"])? } else { Node::nil(line) };
            p.expect_word("end")?;
            Ok(Node::new(NodeKind::Case(subject, whens, Box::new(else_body)), line))
        })
    }

    /// Parses a body with `rescue`, `else` and `ensure`, and its `end`.
    pub(super) fn body(&mut self, line: u32) -> Parse<Node> {
        self.in_brackets(|p| {
            let ends = ["rescue", "else", "ensure", "end"];
            let body = p.statements(&ends)?;
            let mut rescues = Vec::new();
            while p.eat_word("rescue") {
                rescues.push(p.rescue_clause(&ends)?);
            }
            let else_body = if p.eat_word("else") { Some(Box::new(p.statements(&["ensure", "end"])?)) } else { None };
            let ensure = if p.eat_word("ensure") { Some(Box::new(p.statements(&["end"])?)) } else { None };
            p.expect_word("end")?;
            if rescues.is_empty() && ensure.is_none() && else_body.is_none() {
                return Ok(body);
            }
            Ok(Node::new(NodeKind::Begin(Box::new(body), rescues, else_body, ensure), line))
        })
    }

    fn rescue_clause(&mut self, ends: &[&str]) -> Parse<Rescue> {
        let mut classes = Vec::new();
        while !matches!(self.kind(), Some(Kind::Newline | Kind::Op("=>") | Kind::Keyword("then")) | None) {
            classes.push(if self.eat_op("*") {
                let line = self.line();
                let list = self.ternary()?;
                Node::new(NodeKind::Splat(Some(Box::new(list))), line)
            } else {
                self.ternary()?
            });
            if !self.eat_op(",") {
                break;
            }
            self.skip_newlines();
        }
        let target = if self.eat_op("=>") {
            let target = self.target()?;
            self.declare_target(&target);
            Some(target)
        } else {
            None
        };
        self.skip_then();
        let body = self.statements(ends)?;
        Ok(Rescue { classes, target, body })
    }

    pub(super) fn begin_rest(&mut self, line: u32) -> Parse<Node> {
        let body = self.body(line)?;
        if matches!(body.kind, NodeKind::Begin(..)) {
            return Ok(body);
        }
        // A node `Begin` even without clauses, so that `begin … end while x` runs once before the test.
        Ok(Node::new(NodeKind::Begin(Box::new(body), Vec::new(), None, None), line))
    }

    pub(super) fn def_rest(&mut self, line: u32) -> Parse<Node> {
        let mut singleton = None;
        if matches!(self.kind_at(1), Some(Kind::Op("." | "::"))) {
            let token = self.next();
            singleton = Some(match token.map(|token| token.kind) {
                Some(Kind::Keyword("self")) => Node::new(NodeKind::SelfRef, line),
                Some(Kind::Const(name)) => Node::new(NodeKind::Const(None, Name::new(&name)), line),
                Some(Kind::Ident(name)) if self.is_local(Name::new(&name)) => {
                    Node::new(NodeKind::local(Name::new(&name)), line)
                }
                _ => return self.unsupported("def of this object's method"),
            });
            self.at += 1;
        }
        let name = self.def_name()?;
        self.in_scope(true, |p| {
            let params = if p.eat_op("(") {
                let params = p.params(")")?;
                p.skip_newlines();
                p.expect_op(")")?;
                params
            } else if matches!(p.kind(), Some(Kind::Newline) | None) || p.is_op("=") || p.line() > line {
                Vec::new()
            } else {
                p.params("\n")?
            };
            let body = if p.eat_op("=") {
                p.skip_newlines();
                p.statement()?
            } else {
                p.body(line)?
            };
            let names = p.body_variables(0);
            let has_plain_params = are_plain(&params, &names);
            let def = Def { singleton, name, params, body, names, has_plain_params, line, file: None };
            Ok(Node::new(NodeKind::Def(Arc::new(def)), line))
        })
    }

    /// Parses the name after `def`, including `name=`, `[]=`, `==`.
    pub(super) fn def_name(&mut self) -> Parse<Name> {
        let Some(token) = self.next() else { return self.missing("method name") };
        let mut text = match token.kind {
            Kind::Ident(name) | Kind::Const(name) => name.to_string(),
            Kind::Keyword(word) => word.to_owned(),
            Kind::Label(_) => return self.unsupported("this method name"),
            Kind::Op("[") => {
                self.expect_op("]")?;
                "[]".to_owned()
            }
            Kind::Op(op) => op.to_owned(),
            kind => return self.unexpected(&kind),
        };
        let attached = self.is_op("=") && !self.space_at(0) && !text.ends_with(['?', '!']);
        // A later line is the body of a setter without parameters.
        let ends = self.tokens.get(self.at + 1).is_none_or(|next| next.line > self.line());
        if attached && (ends || matches!(self.kind_at(1), Some(Kind::Op("(") | Kind::Ident(_) | Kind::Newline))) {
            self.at += 1;
            text.push('=');
        }
        Ok(Name::new(&text))
    }

    pub(super) fn class_rest(&mut self, line: u32, is_class: bool) -> Parse<Node> {
        if is_class && self.eat_op("<<") {
            let object = self.expression()?;
            let object = (!matches!(object.kind, NodeKind::SelfRef)).then_some(object);
            let body = self.in_scope(true, |p| p.body(line))?;
            let class = Class { is_class, path: None, object, parent: None, body };
            return Ok(Node::new(NodeKind::Class(Arc::new(class)), line));
        }
        let path = self.primary_with_postfix()?;
        let parent = if self.eat_op("<") { Some(self.expression()?) } else { None };
        let body = self.in_scope(true, |p| p.body(line))?;
        Ok(Node::new(NodeKind::Class(Arc::new(Class { is_class, path: Some(path), object: None, parent, body })), line))
    }
}

/// `node rescue body`
pub(super) fn with_rescue(node: Node, body: Node, line: u32) -> Node {
    let clause = Rescue { classes: Vec::new(), target: None, body };
    match node.kind {
        NodeKind::Assign(target, value) => {
            let value = Node::new(NodeKind::Begin(value, vec![clause], None, None), line);
            Node::new(NodeKind::Assign(target, Box::new(value)), line)
        }
        kind => {
            let node = Node::new(kind, node.line);
            Node::new(NodeKind::Begin(Box::new(node), vec![clause], None, None), line)
        }
    }
}

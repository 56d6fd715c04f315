//! Patterns of `case … in`, `value => pattern` and `value in pattern`.

use std::sync::Arc;

use super::Parse;
use super::Parser;
use crate::ast::InClause;
use crate::ast::Node;
use crate::ast::NodeKind;
use crate::ast::Pattern;
use crate::ast::PatternRest;
use crate::lexer::Kind;
use catwalk_base::names::Name;

impl Parser {
    /// Parses the clauses `in pattern …` and the `end`.
    pub(super) fn in_clauses(&mut self, subject: Option<Box<Node>>, line: u32) -> Parse<Node> {
        let Some(subject) = subject else { return self.missing("expression") };
        let mut clauses = Vec::new();
        while self.eat_word("in") {
            let pattern = self.whole_pattern()?;
            let guard = if self.eat_word("if") {
                Some((true, self.expression()?))
            } else if self.eat_word("unless") {
                Some((false, self.expression()?))
            } else {
                None
            };
            self.skip_then();
            let body = self.statements(&["in", "else", "end"])?;
            clauses.push(InClause { pattern, guard, body });
        }
        let else_body = if self.eat_word("else") { Some(Box::new(self.statements(&["end"])?)) } else { None };
        self.expect_word("end")?;
        Ok(Node::new(NodeKind::CaseIn(subject, clauses, else_body), line))
    }

    /// Parses the rest of `value => pattern`, which raises an error if it does not match, or of `value in pattern`, which returns whether
    /// it matches. Returns `value` if neither follows.
    pub(super) fn pattern_match(&mut self, value: Node) -> Parse<Node> {
        let line = self.line();
        let is_test = self.is_word("in");
        if !is_test && !self.is_op("=>") {
            return Ok(value);
        }
        self.at += 1;
        let pattern = self.whole_pattern()?;
        let node = |kind| Node::new(kind, line);
        let (body, else_body) = match is_test {
            true => (node(NodeKind::Bool(true)), Some(Box::new(node(NodeKind::Bool(false))))),
            false => (node(NodeKind::Nil), None),
        };
        let clauses = vec![InClause { pattern, guard: None, body }];
        Ok(Node::new(NodeKind::CaseIn(Box::new(value), clauses, else_body), line))
    }

    /// Parses a pattern, or an array pattern without brackets.
    fn whole_pattern(&mut self) -> Parse<Pattern> {
        if matches!(self.kind(), Some(Kind::Label(_) | Kind::Op("**"))) {
            return self.hash_pattern(None, None);
        }
        if !self.is_op("*") {
            let first = self.pattern()?;
            if !self.is_op(",") {
                return Ok(first);
            }
            self.at += 1;
            return self.array_pattern(None, vec![first], None);
        }
        self.array_pattern(None, Vec::new(), None)
    }

    fn pattern(&mut self) -> Parse<Pattern> {
        self.with_depth(|p| {
            let first = p.primary_pattern()?;
            let mut pattern = if p.is_op("|") {
                let mut alternatives = vec![first];
                while p.eat_op("|") {
                    alternatives.push(p.primary_pattern()?);
                }
                Pattern::Either(alternatives)
            } else {
                first
            };
            while p.eat_op("=>") {
                let name = p.pattern_name()?;
                pattern = Pattern::Named(Box::new(pattern), name);
            }
            Ok(pattern)
        })
    }

    fn pattern_name(&mut self) -> Parse<Name> {
        match self.next().map(|token| token.kind) {
            Some(Kind::Ident(name)) => {
                let name = Name::new(&name);
                self.declare(name);
                Ok(name)
            }
            _ => self.missing("name"),
        }
    }

    fn primary_pattern(&mut self) -> Parse<Pattern> {
        match self.kind().cloned() {
            Some(Kind::Op("[")) => {
                self.at += 1;
                self.in_brackets(|p| p.array_pattern(None, Vec::new(), Some("]")))
            }
            Some(Kind::Op("{")) => {
                self.at += 1;
                self.in_brackets(|p| p.hash_pattern(None, Some("}")))
            }
            Some(Kind::Op("(")) => {
                self.at += 1;
                let inner = self.in_brackets(Parser::pattern)?;
                self.expect_op(")")?;
                Ok(inner)
            }
            Some(Kind::Op("^")) => {
                self.at += 1;
                Ok(Pattern::Value(self.primary_with_postfix()?))
            }
            Some(Kind::Ident(_)) if !matches!(self.kind_at(1), Some(Kind::Op("." | "(" | "&."))) => {
                Ok(Pattern::Bind(self.pattern_name()?))
            }
            Some(Kind::Const(_)) => {
                let class = self.pattern_class()?;
                match self.kind() {
                    Some(Kind::Op(open @ ("(" | "["))) if !self.space_at(0) => {
                        let close = if *open == "(" { ")" } else { "]" };
                        self.at += 1;
                        self.in_brackets(|p| {
                            p.skip_newlines();
                            if matches!(p.kind(), Some(Kind::Label(_) | Kind::Op("**"))) {
                                p.hash_pattern(Some(Box::new(class)), Some(close))
                            } else {
                                p.array_pattern(Some(Box::new(class)), Vec::new(), Some(close))
                            }
                        })
                    }
                    Some(Kind::Op(".." | "...")) => self.unsupported("ranges of constants in patterns"),
                    _ => Ok(Pattern::Value(class)),
                }
            }
            _ => {
                let outer = std::mem::replace(&mut self.no_pipe, true);
                let value = self.range();
                self.no_pipe = outer;
                Ok(Pattern::Value(value?))
            }
        }
    }

    /// `A::B`
    fn pattern_class(&mut self) -> Parse<Node> {
        let line = self.line();
        let mut scope = None;
        loop {
            let Some(Kind::Const(name)) = self.next().map(|token| token.kind) else { return self.missing("constant") };
            let node = Node::new(NodeKind::Const(scope, Name::new(&name)), line);
            if !self.eat_op("::") {
                return Ok(node);
            }
            scope = Some(Some(Box::new(node)));
        }
    }

    /// Parses items up to and including a closing bracket; `None`: up to a token that does not begin an item.
    fn array_pattern(
        &mut self,
        class: Option<Box<Node>>,
        mut before: Vec<Pattern>,
        close: Option<&str>,
    ) -> Parse<Pattern> {
        let mut rest: Option<Option<Name>> = None;
        let mut after = Vec::new();
        loop {
            if let Some(close) = close {
                self.skip_newlines();
                if self.eat_op(close) {
                    break;
                }
            }
            if self.eat_op("*") {
                if rest.is_some() {
                    return self.unsupported("patterns with two splats");
                }
                let named = matches!(self.kind(), Some(Kind::Ident(_)));
                rest = Some(if named { Some(self.pattern_name()?) } else { None });
            } else if rest.is_some() {
                after.push(self.pattern()?);
            } else {
                before.push(self.pattern()?);
            }
            if close.is_some() {
                self.skip_newlines();
            }
            if !self.eat_op(",") {
                if let Some(close) = close {
                    self.expect_op(close)?;
                }
                break;
            }
        }
        Ok(Pattern::Array { class, before, rest, after })
    }

    /// Parses `key: pattern, …` up to and including a closing bracket; `None`: up to a token that is not a key.
    fn hash_pattern(&mut self, class: Option<Box<Node>>, close: Option<&str>) -> Parse<Pattern> {
        let mut entries: Vec<(Arc<str>, Option<Pattern>)> = Vec::new();
        let mut rest = PatternRest::Ignored;
        loop {
            if let Some(close) = close {
                self.skip_newlines();
                if self.eat_op(close) {
                    break;
                }
            }
            if self.eat_op("**") {
                rest =
                    if self.eat_word("nil") { PatternRest::Nothing } else { PatternRest::Bind(self.pattern_name()?) };
            } else {
                let Some(Kind::Label(key)) = self.next().map(|token| token.kind) else { return self.missing("key") };
                let ends = matches!(
                    self.kind(),
                    None | Some(
                        Kind::Newline | Kind::Op("," | "}" | ")" | "]") | Kind::Keyword("then" | "if" | "unless")
                    )
                );
                let pattern = if ends {
                    self.declare(Name::new(&key));
                    None
                } else {
                    Some(self.pattern()?)
                };
                entries.push((key, pattern));
            }
            if close.is_some() {
                self.skip_newlines();
            }
            if !self.eat_op(",") {
                if let Some(close) = close {
                    self.expect_op(close)?;
                }
                break;
            }
        }
        Ok(Pattern::Hash { class, entries, rest })
    }
}

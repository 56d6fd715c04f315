//! The entries of arrays, hashes and argument lists.

use super::Parse;
use super::Parser;
use crate::ast::Node;
use crate::ast::NodeKind;
use crate::ast::Pair;
use crate::lexer::Kind;

impl Parser {
    /// Parses items up to and including a closing bracket.
    pub(super) fn list(&mut self, close: &str) -> Parse<Vec<Node>> {
        self.in_brackets(|p| {
            let mut items = Vec::new();
            loop {
                p.skip_newlines();
                if p.eat_op(close) {
                    return Ok(items);
                }
                if p.starts_pair() {
                    let line = p.line();
                    let pairs = p.bare_pairs()?;
                    items.push(Node::new(NodeKind::Hash(pairs), line));
                } else {
                    let line = p.line();
                    let item = p.item()?;
                    p.skip_newlines();
                    if p.eat_op("=>") {
                        p.skip_newlines();
                        let value = p.item()?;
                        let mut pairs = vec![Pair::Entry(item, value)];
                        if p.eat_op(",") {
                            p.skip_newlines();
                            if !p.is_op(close) {
                                pairs.extend(p.bare_pairs()?);
                            }
                        }
                        items.push(Node::new(NodeKind::Hash(pairs), line));
                    } else {
                        items.push(item);
                    }
                }
                p.skip_newlines();
                if !p.eat_op(",") {
                    p.expect_op(close)?;
                    return Ok(items);
                }
            }
        })
    }

    /// Whether `key: value`, `"key": value` or `**hash` follows.
    pub(super) fn starts_pair(&self) -> bool {
        matches!(self.kind(), Some(Kind::Label(_) | Kind::Op("**")))
    }

    /// Parses the entries of `{ … }`.
    pub(super) fn hash_pairs(&mut self) -> Parse<Vec<Pair>> {
        let mut pairs = Vec::new();
        loop {
            self.skip_newlines();
            if self.is_op("}") {
                return Ok(pairs);
            }
            pairs.push(self.pair()?);
            self.skip_newlines();
            if !self.eat_op(",") {
                return Ok(pairs);
            }
        }
    }

    /// Parses entries without braces, up to a token that does not begin an entry.
    pub(super) fn bare_pairs(&mut self) -> Parse<Vec<Pair>> {
        let mut pairs = vec![self.pair()?];
        loop {
            let saved = self.at;
            self.skip_newlines();
            if !self.eat_op(",") {
                self.at = saved;
                return Ok(pairs);
            }
            self.skip_newlines();
            if self.is_op("&") || matches!(self.kind(), Some(Kind::Op(")" | "]")) | None) {
                self.at = saved;
                return Ok(pairs);
            }
            pairs.push(self.pair()?);
        }
    }

    fn pair(&mut self) -> Parse<Pair> {
        let line = self.line();
        if self.eat_op("**") {
            return Ok(Pair::Splat(self.ternary()?));
        }
        if let Some(Kind::Label(name)) = self.kind().cloned() {
            self.at += 1;
            let key = Node::new(NodeKind::Symbol((&*name).into()), line);
            let skipped = self.at;
            self.skip_newlines();
            if matches!(self.kind(), Some(Kind::Op("," | "}" | ")")) | None) {
                // In `{x:}` the value is the variable or method `x`.
                self.at = skipped;
                let value = self.identifier(&name, line)?;
                return Ok(Pair::Entry(key, value));
            }
            let value = self.pair_value()?;
            return Ok(Pair::Entry(key, value));
        }
        let key = self.ternary()?;
        self.skip_newlines();
        self.expect_op("=>")?;
        self.skip_newlines();
        let value = self.pair_value()?;
        Ok(Pair::Entry(key, value))
    }

    fn pair_value(&mut self) -> Parse<Node> {
        self.with_depth(Parser::item)
    }
}

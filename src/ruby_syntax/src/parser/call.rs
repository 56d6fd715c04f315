//! Arguments with and without parentheses, and blocks.

use std::sync::Arc;

use super::Parse;
use super::Parser;
use super::param;
use crate::ast::Call;
use crate::ast::Lambda;
use crate::ast::Node;
use crate::ast::NodeKind;
use crate::ast::Pair;
use crate::ast::are_plain;
use crate::inline_cache::Site;
use crate::lexer::Kind;
use catwalk_base::names::Name;

/// The arguments, the block argument after `&`, and whether the last argument is a hash without braces.
type Arguments = (Vec<Node>, Option<Node>, bool);

impl Parser {
    /// Parses the arguments and the block of a call after its name; `allows_command`: whether arguments may follow without parentheses.
    pub(super) fn call_rest(
        &mut self,
        receiver: Option<Node>,
        safe: bool,
        name: Name,
        line: u32,
        allows_command: bool,
    ) -> Parse<Node> {
        let parens = self.is_op("(") && !self.space_at(0);
        // `list.include?x`: an argument may directly follow `?` and `!`.
        let marked = name.as_str().ends_with(['?', '!']) && !self.space_at(0);
        // A string may directly follow any name: `list.join','`.
        let attached = match self.kind() {
            Some(Kind::Ident(_) | Kind::IVar(_) | Kind::Const(_)) => marked,
            Some(Kind::Str(_)) => !self.space_at(0),
            _ => false,
        };
        let command = allows_command && !parens && (attached || self.starts_argument());
        if attached {
            let (args, block_arg, keywords) = self.without_do(|p| p.argument_list(false))?;
            let call = Call {
                receiver,
                safe,
                name,
                args,
                keywords,
                block_arg,
                block: None,
                bare: false,
                site: Site::new(name),
            };
            return Ok(Node::new(NodeKind::Call(Box::new(call)), line));
        }
        // `name (list) { … }`: the block belongs to the command.
        let spaced = command && self.is_op("(");
        let (args, block_arg, keywords) = if parens || command { self.arguments()? } else { (Vec::new(), None, false) };
        let bare = !parens && !command && receiver.is_none();
        let braces = self.is_op("{") && (!command || spaced);
        let block = if braces || (self.is_word("do") && !self.no_do) { self.block()? } else { None };
        let bare = bare && block.is_none();
        let call = Call { receiver, safe, name, args, keywords, block_arg, block, bare, site: Site::new(name) };
        Ok(Node::new(NodeKind::Call(Box::new(call)), line))
    }

    /// Whether the token after the name of a method begins its first argument.
    pub(super) fn starts_argument(&self) -> bool {
        let Some(token) = self.peek() else { return false };
        if !token.follows_space {
            return false;
        }
        let attached = !self.space_at(1) && !matches!(self.kind_at(1), Some(Kind::Newline) | None);
        match &token.kind {
            Kind::Ident(_)
            | Kind::Const(_)
            | Kind::IVar(_)
            | Kind::CVar(_)
            | Kind::GVar(_)
            | Kind::Label(_)
            | Kind::Symbol(_)
            | Kind::DynamicSymbol(_)
            | Kind::Str(_)
            | Kind::Command(_)
            | Kind::Regexp(..)
            | Kind::Words(_)
            | Kind::Symbols(_)
            | Kind::Int(_)
            | Kind::Float(_)
            | Kind::OtherNumber(_) => true,
            Kind::Keyword(word) => {
                matches!(
                    *word,
                    "nil"
                        | "true"
                        | "false"
                        | "self"
                        | "not"
                        | "defined?"
                        | "__FILE__"
                        | "__LINE__"
                        | "case"
                        | "def"
                        | "yield"
                        | "super"
                )
            }
            Kind::Op(op) => match *op {
                "->" | "!" | "~" => true,
                "(" => true,
                "[" => true,
                "-" | "*" | "&" | "**" | "::" => attached,
                _ => false,
            },
            Kind::Newline => false,
        }
    }

    /// Parses arguments, with or without parentheses.
    pub(super) fn arguments(&mut self) -> Parse<Arguments> {
        if self.is_op("(") && !self.space_at(0) {
            self.at += 1;
            return self.in_brackets(|p| {
                let arguments = p.argument_list(true)?;
                p.skip_newlines();
                p.expect_op(")")?;
                Ok(arguments)
            });
        }
        if !self.starts_argument() {
            return Ok((Vec::new(), None, false));
        }
        self.without_do(|p| p.argument_list(false))
    }

    fn argument_list(&mut self, parens: bool) -> Parse<Arguments> {
        let mut args = Vec::new();
        loop {
            if parens {
                self.skip_newlines();
                if self.is_op(")") {
                    return Ok((args, None, false));
                }
            }
            let line = self.line();
            if self.eat_op("&") {
                let block = self.block_argument()?;
                self.eat_op(",");
                return Ok((args, Some(block), false));
            }
            if parens && self.is_op("...") && self.kind_at(1) == Some(&Kind::Op(")")) {
                self.at += 1;
                return Ok(forwarded_arguments(args, line));
            }
            if self.starts_pair() {
                let pairs = self.bare_pairs()?;
                return self.finish_arguments(args, pairs, line);
            }
            // Neither `f(a if b)` nor `f(a and b)` is Ruby.
            let arg = self.with_depth(Parser::item)?;
            if self.eat_op("=>") {
                self.skip_newlines();
                let value = self.with_depth(Parser::item)?;
                let mut pairs = vec![Pair::Entry(arg, value)];
                let saved = self.at;
                if parens {
                    self.skip_newlines();
                }
                if self.eat_op(",") {
                    self.skip_newlines();
                    if self.is_op("&") || self.is_op(")") {
                        self.at = saved;
                    } else {
                        pairs.extend(self.bare_pairs()?);
                    }
                } else {
                    self.at = saved;
                }
                return self.finish_arguments(args, pairs, line);
            }
            args.push(arg);
            if parens {
                self.skip_newlines();
            }
            if !self.eat_op(",") {
                return Ok((args, None, false));
            }
            self.skip_newlines();
        }
    }

    /// Parses the expression after `&`; without an expression, the block of the current method is passed.
    fn block_argument(&mut self) -> Parse<Node> {
        if matches!(self.kind(), Some(Kind::Op(")" | ",") | Kind::Newline) | None) {
            return Ok(Node::new(NodeKind::local(Name::new(param::BLOCK)), self.line()));
        }
        self.ternary()
    }

    /// Ends the arguments with a hash without braces; only a block may follow.
    fn finish_arguments(&mut self, mut args: Vec<Node>, pairs: Vec<Pair>, line: u32) -> Parse<Arguments> {
        args.push(Node::new(NodeKind::Hash(pairs), line));
        let saved = self.at;
        self.skip_newlines();
        if self.eat_op(",") {
            self.skip_newlines();
            if self.eat_op("&") {
                let block = self.block_argument()?;
                return Ok((args, Some(block), true));
            }
        } else {
            self.at = saved;
        }
        Ok((args, None, true))
    }

    /// Parses `{ |a| … }` or `do |a| … end`.
    pub(super) fn block(&mut self) -> Parse<Option<Arc<Lambda>>> {
        let line = self.line();
        let braces = self.is_op("{");
        self.at += 1;
        let block = self.with_depth(|p| {
            p.in_scope(false, |p| {
                p.skip_newlines();
                let mut params = Vec::new();
                let mut locals = Vec::new();
                let mut trailing_comma = false;
                if p.eat_op("|") {
                    params = p.params("|")?;
                    trailing_comma = p.follows_comma();
                    while p.kind() == Some(&Kind::Newline) {
                        p.at += 1;
                        while let Some(Kind::Ident(name)) = p.kind().cloned() {
                            p.at += 1;
                            locals.push(Name::new(&name));
                            p.declare_inner(Name::new(&name));
                            p.eat_op(",");
                        }
                    }
                    p.expect_op("|")?;
                } else {
                    p.eat_op("||");
                }
                let outer = std::mem::take(&mut p.numbered_params);
                let body = if braces {
                    let body = p.statements(&[])?;
                    p.expect_op("}")?;
                    body
                } else {
                    p.body(line)?
                };
                let numbered_params = std::mem::replace(&mut p.numbered_params, outer);
                let names = p.body_variables(numbered_params);
                let has_plain_params = are_plain(&params, &names);
                Ok(Lambda { params, trailing_comma, body, locals, names, has_plain_params, line, numbered_params })
            })
        })?;
        Ok(Some(Arc::new(block)))
    }

    fn follows_comma(&self) -> bool {
        matches!(self.at.checked_sub(1).and_then(|at| self.tokens.get(at)).map(|t| &t.kind), Some(Kind::Op(",")))
    }
}

/// `f(a, ...)`: passes the arguments of the parameter `...` to another method.
fn forwarded_arguments(mut args: Vec<Node>, line: u32) -> Arguments {
    let local = |name| Node::new(NodeKind::local(Name::new(name)), line);
    args.push(Node::new(NodeKind::Splat(Some(Box::new(local(param::REST)))), line));
    (args, Some(local(param::BLOCK)), false)
}

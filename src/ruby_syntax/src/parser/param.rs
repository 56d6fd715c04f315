//! Parameters of blocks and methods.

use super::Parse;
use super::Parser;
use crate::ast::Param;
use crate::lexer::Kind;
use catwalk_base::names::Name;

/// The variable for the block of a parameter `&` without a name, and of `...`.
pub(super) const BLOCK: &str = "&";

/// The variable for the arguments of `...`.
pub(super) const REST: &str = "...";

impl Parser {
    /// Parses parameters up to the closing token, which is not consumed. `"\n"` is the end of the line.
    pub(super) fn params(&mut self, close: &str) -> Parse<Vec<Param>> {
        let pipe = close == "|";
        let saved = std::mem::replace(&mut self.no_pipe, pipe);
        let result = self.param_list(close);
        self.no_pipe = saved;
        result
    }

    fn param_list(&mut self, close: &str) -> Parse<Vec<Param>> {
        let mut params = Vec::new();
        loop {
            if close == ")" {
                self.skip_newlines();
            }
            if self.ends_params(close) {
                return Ok(params);
            }
            if self.eat_op("...") {
                for name in [REST, BLOCK] {
                    self.declare_inner(Name::new(name));
                }
                params.push(Param::Rest(Some(Name::new(REST))));
                params.push(Param::Block(Some(Name::new(BLOCK))));
                return Ok(params);
            }
            params.push(self.param(close)?);
            if close == ")" {
                self.skip_newlines();
            }
            if !self.eat_op(",") {
                return Ok(params);
            }
            self.skip_params_newline(close);
        }
    }

    fn skip_params_newline(&mut self, close: &str) {
        if close != "|" {
            self.skip_newlines();
        }
    }

    fn ends_params(&self, close: &str) -> bool {
        match self.kind() {
            None => true,
            Some(Kind::Newline) => close == "\n" || close == "|",
            Some(Kind::Op(op)) => *op == close,
            Some(Kind::Keyword("do")) => close == "{",
            Some(_) => false,
        }
    }

    fn param(&mut self, close: &str) -> Parse<Param> {
        let Some(token) = self.next() else { return self.missing(close) };
        Ok(match token.kind {
            Kind::Ident(text) => {
                let name = Name::new(&text);
                self.declare_inner(name);
                if self.eat_op("=") { Param::Optional(name, self.ternary()?) } else { Param::Required(name) }
            }
            Kind::Label(text) => {
                let name = Name::new(&text);
                self.declare_inner(name);
                // After parameters without brackets, a brace begins the body.
                let ends = matches!(self.kind(), None | Some(Kind::Newline | Kind::Op("," | ")" | "|")))
                    || (close == "{" && self.is_op("{"));
                Param::Keyword(name, if ends { None } else { Some(self.ternary()?) })
            }
            Kind::Op("*") => Param::Rest(self.optional_name()),
            Kind::Op("**") => {
                self.eat_word("nil");
                Param::KeywordRest(self.optional_name())
            }
            Kind::Op("&") => Param::Block(Some(self.optional_name().unwrap_or(Name::new(BLOCK)))),
            Kind::Op("(") => {
                let inner = self.param_list(")")?;
                self.expect_op(")")?;
                Param::Pattern(inner)
            }
            kind => {
                self.at -= 1;
                return self.unexpected(&kind);
            }
        })
    }

    fn optional_name(&mut self) -> Option<Name> {
        let Some(Kind::Ident(text)) = self.kind().cloned() else { return None };
        self.at += 1;
        let name = Name::new(&text);
        self.declare_inner(name);
        Some(name)
    }

    /// Declares a parameter, which hides an outer variable with the same name.
    pub(super) fn declare_inner(&mut self, name: Name) {
        if let Some(names) = self.locals.last_mut() {
            names.insert(name);
        }
    }
}

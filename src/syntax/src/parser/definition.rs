//! Classes, defines, nodes, functions, types, and their parameters.

use std::sync::Arc;

use crate::ast::Access;
use crate::ast::Block;
use crate::ast::Call;
use crate::ast::ClassDefinition;
use crate::ast::DefineDefinition;
use crate::ast::Definition;
use crate::ast::DefinitionKind;
use crate::ast::Expr;
use crate::ast::ExprKind;
use crate::ast::FunctionDefinition;
use crate::ast::HashEntry;
use crate::ast::Lambda;
use crate::ast::NodeDefinition;
use crate::ast::Parameter;
use crate::parser::ParseResult;
use crate::parser::Parser;
use crate::token::Kind;
use crate::token::Token;
use catwalk_base::meter;
use catwalk_base::names::Name;
use catwalk_base::source::Span;

/// The limit on the bytes of the full names of nested classes and defined types in a file: each level repeats the names around
/// it.
pub(super) const NAME_BYTES: usize = 16 << 20;

impl Parser<'_> {
    fn define(&mut self, span: Span, name: Name, kind: DefinitionKind) -> Expr {
        let definition = Arc::new(Definition { span, name, kind });
        self.definitions.push(definition.clone());
        Expr { span, kind: ExprKind::Definition(definition) }
    }

    /// A name after `class`, `define`, `function` or `inherits`.
    fn class_name(&mut self) -> ParseResult<Name> {
        let token = self.token();
        match token.kind {
            _ if self.is_task_keyword(token) => self.unexpected(),
            Kind::Name | Kind::Word | Kind::ClassRef => {
                self.bump();
                Ok(self.name(token))
            }
            Kind::Class => self.error("'class' keyword not allowed at this location", self.span(token)),
            Kind::String => self.error("A quoted string is not valid as a name here", self.span(token)),
            _ => self.unexpected(),
        }
    }

    /// The name prefixed with the names of the enclosing classes; leading colons of the outermost are removed.
    /// (`ParserSupport#classname`)
    fn qualified(&mut self, name: Name, span: Span) -> ParseResult<Name> {
        if self.classes.is_empty() {
            return Ok(name);
        }
        let parts = || self.classes.iter().chain([&name]).map(|part| part.as_str());
        let bytes = parts().map(|part| part.len() + 2).sum::<usize>();
        if bytes > self.name_bytes {
            let text =
                format!("the full names of nested classes and defines in this file have more than {NAME_BYTES} bytes");
            return self.error(text, span);
        }
        self.name_bytes -= bytes;
        let full = parts().collect::<Vec<&str>>().join("::");
        meter::charge(full.len());
        Ok(self.intern(full.strip_prefix("::").unwrap_or(&full)))
    }

    /// The body of a definition, with the position of the definition's start.
    fn definition_body(&mut self, start: u32) -> ParseResult<Block> {
        let mut body = self.block()?;
        body.span = self.span_from(start);
        Ok(body)
    }

    pub(super) fn class_definition(&mut self) -> ParseResult<Expr> {
        let start = self.bump().start;
        let name = self.class_name()?;
        self.classes.push(name);
        let params = self.parameter_list()?;
        let parent = match self.eat(Kind::Inherits) {
            None => None,
            Some(_) => {
                let token = self.token();
                let parent = if token.kind == Kind::Default {
                    self.bump();
                    self.name(token)
                } else {
                    self.class_name()?
                };
                Some((parent, self.span(token)))
            }
        };
        let body = self.definition_body(start)?;
        self.classes.pop();
        let span = self.span_from(start);
        let name = self.qualified(name, span)?;
        let kind = DefinitionKind::Class(ClassDefinition { params, parent, body });
        Ok(self.define(self.span_from(start), name, kind))
    }

    pub(super) fn define_definition(&mut self) -> ParseResult<Expr> {
        let start = self.bump().start;
        let name = self.class_name()?;
        let params = self.parameter_list()?;
        let body = self.definition_body(start)?;
        let span = self.span_from(start);
        let name = self.qualified(name, span)?;
        Ok(self.define(self.span_from(start), name, DefinitionKind::Define(DefineDefinition { params, body })))
    }

    pub(super) fn function_definition(&mut self) -> ParseResult<Expr> {
        let start = self.bump().start;
        let name = self.class_name()?;
        let params = self.parameter_list()?;
        let return_type = self.opt_return_type()?;
        let body = self.definition_body(start)?;
        let kind = DefinitionKind::Function(FunctionDefinition { params, return_type, body });
        Ok(self.define(self.span_from(start), name, kind))
    }

    /// Whether a token is `plan` or `apply`, which are keywords only in plans.
    pub(super) fn is_task_keyword(&self, token: Token) -> bool {
        self.tasks && token.kind == Kind::Name && matches!(self.value(token), "plan" | "apply")
    }

    /// `plan name(parameters) { statements }`; plans in it have names below its name.
    pub(super) fn plan_definition(&mut self) -> ParseResult<Expr> {
        let start = self.bump().start;
        let name = self.class_name()?;
        self.classes.push(name);
        let params = self.parameter_list()?;
        let body = self.definition_body(start)?;
        self.classes.pop();
        let span = self.span_from(start);
        let name = self.qualified(name, span)?;
        let kind = DefinitionKind::Plan(FunctionDefinition { params, return_type: None, body });
        Ok(self.define(span, name, kind))
    }

    /// `apply(targets) { statements }`, as a call whose block is the manifest to apply.
    pub(super) fn apply_block(&mut self) -> ParseResult<Expr> {
        let token = self.bump();
        let callee = Expr { span: self.span(token), kind: ExprKind::Bareword(self.name(token)) };
        if self.eat(Kind::WsLParen).is_none() {
            self.expect(Kind::LParen)?;
        }
        if self.kind() == Kind::RParen {
            return self.unexpected();
        }
        let args = self.arguments()?;
        self.eat(Kind::Comma);
        self.expect(Kind::RParen)?;
        let body = self.block()?;
        let span = self.span_from(token.start);
        let block = Lambda { span: body.span, params: Vec::new(), return_type: None, body };
        let call = Call { callee, args, block: Some(block), value_needed: true };
        Ok(Expr { span, kind: ExprKind::Call(Box::new(call)) })
    }

    pub(super) fn node_definition(&mut self) -> ParseResult<Expr> {
        let start = self.bump().start;
        let mut matches = vec![self.hostname()?];
        while self.eat(Kind::Comma).is_some() {
            if matches!(self.kind(), Kind::LBrace | Kind::Inherits) {
                break;
            }
            matches.push(self.hostname()?);
        }
        let parent = match self.eat(Kind::Inherits) {
            Some(_) => Some(self.hostname()?),
            None => None,
        };
        let body = self.definition_body(start)?;
        let name = self.intern("");
        let kind = DefinitionKind::Node(NodeDefinition { matches, parent, body });
        Ok(self.define(self.span_from(start), name, kind))
    }

    /// A dotted name, a string, `default` or a regular expression.
    fn hostname(&mut self) -> ParseResult<Expr> {
        match self.kind() {
            Kind::Name | Kind::Number => {}
            Kind::String | Kind::Word | Kind::DqPre | Kind::Heredoc | Kind::Default | Kind::Regex => {
                return self.primary();
            }
            _ => return self.unexpected(),
        }
        let start = self.token().start;
        let mut name = String::new();
        loop {
            if !matches!(self.kind(), Kind::Name | Kind::Number) {
                return self.unexpected();
            }
            let token = self.bump();
            name.push_str(self.value(token));
            if self.eat(Kind::Dot).is_none() {
                break;
            }
            name.push('.');
        }
        Ok(Expr { span: self.span_from(start), kind: ExprKind::Str(Arc::from(name)) })
    }

    pub(super) fn opt_return_type(&mut self) -> ParseResult<Option<Expr>> {
        if self.eat(Kind::RShift).is_none() {
            return Ok(None);
        }
        self.parameter_type().map(Some)
    }

    // Parameters

    /// `( parameters )`, or no parameters.
    fn parameter_list(&mut self) -> ParseResult<Vec<Parameter>> {
        if !matches!(self.kind(), Kind::LParen | Kind::WsLParen) {
            return Ok(Vec::new());
        }
        self.bump();
        let list = if self.kind() == Kind::RParen { Vec::new() } else { self.parameters(Kind::RParen)? };
        self.expect(Kind::RParen)?;
        Ok(list)
    }

    /// `| parameters |`
    pub(super) fn pipe_parameters(&mut self) -> ParseResult<Vec<Parameter>> {
        self.expect(Kind::Pipe)?;
        let list = if self.kind() == Kind::Pipe { Vec::new() } else { self.parameters(Kind::Pipe)? };
        self.expect(Kind::Pipe)?;
        Ok(list)
    }

    /// At least one parameter; a trailing comma may precede `end`, which is not consumed.
    fn parameters(&mut self, end: Kind) -> ParseResult<Vec<Parameter>> {
        let mut list = Vec::new();
        loop {
            list.push(self.parameter()?);
            if self.eat(Kind::Comma).is_none() || self.kind() == end {
                return Ok(list);
            }
        }
    }

    pub(super) fn parameter(&mut self) -> ParseResult<Parameter> {
        let data_type = if self.kind() == Kind::ClassRef { Some(self.parameter_type()?) } else { None };
        let captures_rest = self.eat(Kind::Times).is_some();
        let token = self.expect(Kind::Variable)?;
        let name = self.name(token);
        let default = match self.eat(Kind::Equals) {
            Some(_) => Some(self.expression()?),
            None => None,
        };
        Ok(Parameter { span: self.span(token), name, data_type, default, captures_rest })
    }

    /// `Type` or `Type[keys]`, without a trailing comma in the keys.
    pub(super) fn parameter_type(&mut self) -> ParseResult<Expr> {
        let token = self.expect(Kind::ClassRef)?;
        let name = self.name(token);
        let left = Expr { span: self.span(token), kind: ExprKind::TypeName(name) };
        if self.eat(Kind::LBrack).is_none() {
            return Ok(left);
        }
        self.type_keys(left, false)
    }

    /// `keys ]`
    fn type_keys(&mut self, left: Expr, comma: bool) -> ParseResult<Expr> {
        self.enter()?;
        let keys = self.access_args()?;
        if comma {
            self.eat(Kind::Comma);
        } else if self.kind() == Kind::Comma {
            // A comma may follow here; the error is at the token after it.
            self.bump();
            return self.unexpected();
        }
        self.leave();
        self.expect(Kind::RBrack)?;
        let span = self.span_from(left.span.start);
        Ok(Expr { span, kind: ExprKind::Access(Box::new(Access { left, keys })) })
    }

    // Types

    /// `type Name = …`, `type Name[…] = …`, `type Name { … }`
    pub(super) fn type_definition(&mut self) -> ParseResult<Expr> {
        let keyword = self.bump();
        let token = self.token();
        if token.kind == Kind::ClassRef && matches!(self.next_kind(), Kind::LBrace | Kind::Inherits) {
            return self.type_with_body(keyword.start);
        }
        let left = self.parameter_type()?;
        self.expect(Kind::Equals)?;
        let right = self.aliased_type()?;
        let span = self.span_from(left.span.start);
        Ok(match left.kind {
            ExprKind::TypeName(name) => {
                let right = object_type(self, right);
                self.define(span, name, DefinitionKind::TypeAlias(right))
            }
            _ => {
                let name = self.intern("");
                let right = match right {
                    AliasDefinition::Type(expr) => expr,
                    AliasDefinition::Object(parent, hash) => parent.unwrap_or(hash),
                };
                self.define(span, name, DefinitionKind::TypeMapping(left, right))
            }
        })
    }

    fn aliased_type(&mut self) -> ParseResult<AliasDefinition> {
        match self.kind() {
            Kind::LBrace => Ok(AliasDefinition::Object(None, self.hash()?)),
            Kind::LBrack | Kind::ListStart => Ok(AliasDefinition::Type(self.list()?)),
            Kind::ClassRef => {
                let token = self.bump();
                let name = self.name(token);
                let left = Expr { span: self.span(token), kind: ExprKind::TypeName(name) };
                match self.kind() {
                    Kind::LBrack => {
                        self.bump();
                        Ok(AliasDefinition::Type(self.type_keys(left, true)?))
                    }
                    Kind::LBrace => Ok(AliasDefinition::Object(Some(left), self.hash()?)),
                    _ => Ok(AliasDefinition::Type(left)),
                }
            }
            _ => self.unexpected(),
        }
    }

    fn type_with_body(&mut self, start: u32) -> ParseResult<Expr> {
        let token = self.bump();
        let name = self.name(token);
        let parent = match self.eat(Kind::Inherits) {
            None => None,
            Some(_) => {
                let token = self.expect(Kind::ClassRef)?;
                Some(self.name(token))
            }
        };
        let body = self.definition_body(start)?;
        Ok(self.define(self.span_from(start), name, DefinitionKind::TypeDefinition { parent, body }))
    }
}

/// The right side of a type alias.
enum AliasDefinition {
    Type(Expr),
    /// `{ … }` or `Parent { … }`
    Object(Option<Expr>, Expr),
}

/// `{ … }` means `Object[{ … }]`, `Parent { … }` means `Object[{ …, parent => Parent }]`, and `TypeSet { … }` and `Object { … }`
/// mean `TypeSet[{ … }]` and `Object[{ … }]`. (`model/factory.rb`, `build_TypeAlias`)
fn object_type(parser: &mut Parser<'_>, right: AliasDefinition) -> Expr {
    let (parent, mut hash) = match right {
        AliasDefinition::Type(expr) => return expr,
        AliasDefinition::Object(parent, hash) => (parent, hash),
    };
    let span = hash.span;
    let is_object_or_type_set =
        |expr: &Expr| matches!(&expr.kind, ExprKind::TypeName(name) if *name == "Object" || *name == "TypeSet");
    let left = match parent {
        Some(parent) if is_object_or_type_set(&parent) => parent,
        parent => {
            if let (Some(parent), ExprKind::Hash(entries)) = (parent, &mut hash.kind) {
                let key = Expr { span: parent.span, kind: ExprKind::Bareword(parser.intern("parent")) };
                // It has no position, so that of the hash is used.
                entries.push(HashEntry { span, key, value: parent });
            }
            Expr { span, kind: ExprKind::TypeName(parser.intern("Object")) }
        }
    };
    Expr { span, kind: ExprKind::Access(Box::new(Access { left, keys: vec![hash] })) }
}

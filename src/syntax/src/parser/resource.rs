//! Resources, their defaults, overrides and collectors.

use std::sync::Arc;

use crate::ast::Attribute;
use crate::ast::AttributeOp;
use crate::ast::Block;
use crate::ast::Collector;
use crate::ast::Expr;
use crate::ast::ExprKind;
use crate::ast::HashEntry;
use crate::ast::Resource;
use crate::ast::ResourceBody;
use crate::ast::ResourceDefaults;
use crate::ast::ResourceForm;
use crate::ast::ResourceOverride;
use crate::parser::Calls;
use crate::parser::ParseResult;
use crate::parser::Parser;
use crate::parser::Statement;
use crate::token::Kind;
use catwalk_base::source::Span;

impl Parser<'_> {
    /// An expression, a resource, or `class { … }`, and whether it was only an expression.
    pub(super) fn resource(&mut self) -> ParseResult<(Expr, bool)> {
        let form = match self.kind() {
            Kind::At => ResourceForm::Virtual,
            Kind::AtAt => ResourceForm::Exported,
            _ => return self.plain_resource(),
        };
        let token = self.bump();
        self.enter()?;
        let (mut inner, _) = self.resource()?;
        self.leave();
        let target = match &mut inner.kind {
            ExprKind::Resource(resource) => &mut resource.form,
            ExprKind::ResourceDefaults(defaults) => &mut defaults.form,
            ExprKind::ResourceOverride(over) => &mut over.form,
            // The token after it was lexed earlier.
            _ if self.kind() == Kind::Error => return self.unexpected(),
            _ => {
                let message = match form {
                    ResourceForm::Virtual => "Virtual (@) can only be applied to a Resource Expression",
                    _ => "Exported (@@) can only be applied to a Resource Expression",
                };
                return self.error(message, self.span(token));
            }
        };
        *target = form;
        inner.span = self.span_from(token.start);
        Ok((inner, false))
    }

    fn plain_resource(&mut self) -> ParseResult<(Expr, bool)> {
        let (mut left, mut pure) = if self.kind() == Kind::Class && self.next_kind() == Kind::LBrace {
            (self.class_resource()?, false)
        } else {
            (self.expression()?, true)
        };
        while self.kind() == Kind::LBrace {
            self.link()?;
            left = self.resource_braces(left)?;
            pure = false;
        }
        Ok((left, pure))
    }

    /// `class { title: … }`
    fn class_resource(&mut self) -> ParseResult<Expr> {
        let token = self.bump();
        let name = self.intern("class");
        let type_name = Expr { span: self.span(token), kind: ExprKind::Bareword(name) };
        self.bump();
        self.enter()?;
        let mut bodies = Vec::new();
        self.resource_bodies(&mut bodies)?;
        self.leave();
        self.expect(Kind::RBrace)?;
        let resource = Resource { form: ResourceForm::Regular, type_name, bodies };
        Ok(Expr { span: self.span_from(token.start), kind: ExprKind::Resource(Box::new(resource)) })
    }

    /// `title: attributes`, several of them separated by `;`, and an optional trailing `;`.
    fn resource_bodies(&mut self, bodies: &mut Vec<ResourceBody>) -> ParseResult<()> {
        loop {
            let title = self.expression()?;
            self.resource_body(title, bodies)?;
            if self.eat(Kind::Semic).is_none() || self.kind() == Kind::RBrace {
                return Ok(());
            }
        }
    }

    fn resource_body(&mut self, title: Expr, bodies: &mut Vec<ResourceBody>) -> ParseResult<()> {
        self.expect(Kind::Colon)?;
        let attributes = self.attributes()?;
        bodies.push(ResourceBody { span: title.span, title, attributes });
        Ok(())
    }

    /// `{ … }` after an expression: a resource if there is a title, otherwise defaults, an override, or a call with a hash.
    fn resource_braces(&mut self, left: Expr) -> ParseResult<Expr> {
        let open = self.bump();
        self.enter()?;
        if !self.starts_attributes() {
            let mut bodies = Vec::with_capacity(1);
            let title = self.expression()?;
            self.resource_body(title, &mut bodies)?;
            if self.eat(Kind::Semic).is_some() && self.kind() != Kind::RBrace {
                self.resource_bodies(&mut bodies)?;
            }
            self.leave();
            self.expect(Kind::RBrace)?;
            let span = self.span_from(left.span.start);
            let resource = Resource { form: ResourceForm::Regular, type_name: left, bodies };
            return Ok(Expr { span, kind: ExprKind::Resource(Box::new(resource)) });
        }
        let attributes = self.attributes()?;
        self.leave();
        self.expect(Kind::RBrace)?;
        let span = self.span_from(left.span.start);
        let form = ResourceForm::Regular;
        let kind = match left.kind {
            ExprKind::Bareword(_) => return self.without_title(left, attributes, self.span_from(open.start)),
            ExprKind::TypeName(_) => {
                ExprKind::ResourceDefaults(Box::new(ResourceDefaults { form, type_ref: left, attributes }))
            }
            ExprKind::Access(_) => {
                ExprKind::ResourceOverride(Box::new(ResourceOverride { form, references: left, attributes }))
            }
            _ => {
                let message = "Expression is not valid as a resource, resource-default, or resource-override";
                return self.error(message, left.span);
            }
        };
        Ok(Expr { span, kind })
    }

    /// `name { a => b }`: a call if the name is that of a function that needs no parentheses, otherwise two expressions that
    /// validation rejects. (`Factory.transform_resource_wo_title`)
    fn without_title(&mut self, left: Expr, attributes: Vec<Attribute>, braces: Span) -> ParseResult<Expr> {
        if attributes.iter().any(|attribute| attribute.op == AttributeOp::Append) {
            let open = Span { end: braces.start + 1, ..braces };
            return self.error("Syntax error resource body without title or hash with +>", open);
        }
        let entries = attributes
            .into_iter()
            .map(|attribute| {
                let key = match attribute.op {
                    AttributeOp::Splat => ExprKind::Nop,
                    _ => ExprKind::Str(Arc::from(attribute.name.as_str())),
                };
                let value = match attribute.op {
                    AttributeOp::Splat => Expr { span: braces, kind: ExprKind::Nop },
                    _ => attribute.value,
                };
                HashEntry { span: braces, key: Expr { span: braces, kind: key }, value }
            })
            .collect();
        let hash = Expr { span: braces, kind: ExprKind::Hash(entries) };
        let span = left.span.to(braces);
        let mut calls = Calls::default();
        calls.extend([Statement::Single(left), Statement::Single(hash)]);
        let mut statements = calls.expressions;
        Ok(match statements.pop() {
            Some(only) if statements.is_empty() => Expr { span, kind: only.kind },
            last => {
                statements.extend(last);
                Expr { span, kind: ExprKind::Block(Block { span, statements }) }
            }
        })
    }

    /// Whether attributes follow rather than a title.
    fn starts_attributes(&self) -> bool {
        match self.kind() {
            Kind::RBrace | Kind::Comma => true,
            Kind::Times => self.next_kind() == Kind::FArrow,
            Kind::And | Kind::Or | Kind::In | Kind::Else | Kind::Elsif | Kind::Inherits => true,
            kind if is_attribute_name(kind) => matches!(self.next_kind(), Kind::FArrow | Kind::PArrow),
            _ => false,
        }
    }

    /// Attributes separated by commas; as in the grammar, a comma may also precede or follow them. The closing `}` or `;` is not
    /// consumed.
    pub(super) fn attributes(&mut self) -> ParseResult<Vec<Attribute>> {
        let mut list = Vec::new();
        if self.starts_attribute() {
            list.push(self.attribute()?);
        }
        while self.eat(Kind::Comma).is_some() {
            if !self.starts_attribute() {
                break;
            }
            list.push(self.attribute()?);
        }
        Ok(list)
    }

    fn starts_attribute(&self) -> bool {
        is_attribute_name(self.kind()) || self.kind() == Kind::Times
    }

    fn attribute(&mut self) -> ParseResult<Attribute> {
        let token = self.bump();
        let name = if token.kind == Kind::Times { self.intern("*") } else { self.name(token) };
        let op = match (token.kind, self.kind()) {
            (Kind::Times, Kind::FArrow) => AttributeOp::Splat,
            (Kind::Times, _) => return self.unexpected(),
            (_, Kind::FArrow) => AttributeOp::Set,
            (_, Kind::PArrow) => AttributeOp::Append,
            _ => return self.unexpected(),
        };
        self.bump();
        let value = self.expression()?;
        Ok(Attribute { span: self.span_from(token.start), name, op, value })
    }

    /// `<| query |>` or `<<| query |>>` after a type, with overrides in braces.
    pub(super) fn collector(&mut self, type_ref: Expr) -> ParseResult<Expr> {
        let exported = self.bump().kind == Kind::LLCollect;
        let close = if exported { Kind::RRCollect } else { Kind::RCollect };
        self.enter()?;
        let query = if self.kind() == close { None } else { Some(self.expression()?) };
        self.expect(close)?;
        let mut attributes = Vec::new();
        if self.eat(Kind::LBrace).is_some() {
            attributes = self.attributes()?;
            self.expect(Kind::RBrace)?;
        }
        self.leave();
        let span = self.span_from(type_ref.span.start);
        let collector = Collector { span, type_ref, exported, query, attributes };
        Ok(Expr { span, kind: ExprKind::Collector(Arc::new(collector)) })
    }
}

/// Names and all keywords except `true` and `false`.
fn is_attribute_name(kind: Kind) -> bool {
    kind == Kind::Name || (kind.is_keyword() && kind != Kind::Boolean)
}

//! Visiting the expressions directly inside an expression.

use crate::ast::Attribute;
use crate::ast::Block;
use crate::ast::Definition;
use crate::ast::DefinitionKind;
use crate::ast::Expr;
use crate::ast::ExprKind;
use crate::ast::Parameter;

impl Expr {
    /// Calls `visit` with each expression directly inside, statements of bodies included; lambdas are left out, as they are
    /// evaluated later, in their own scope.
    pub fn children(&self, visit: &mut dyn FnMut(&Expr)) {
        match &self.kind {
            ExprKind::Interpolated(list) | ExprKind::Array(list) => list.iter().for_each(visit),
            ExprKind::Text(inner)
            | ExprKind::Paren(inner)
            | ExprKind::Minus(inner)
            | ExprKind::Not(inner)
            | ExprKind::Unfold(inner)
            | ExprKind::RenderExpr(inner) => visit(inner),
            ExprKind::Heredoc(heredoc) => visit(&heredoc.text),
            ExprKind::Hash(entries) => {
                for entry in entries {
                    visit(&entry.key);
                    visit(&entry.value);
                }
            }
            ExprKind::Binary(inner) => [&inner.left, &inner.right].into_iter().for_each(visit),
            ExprKind::Assign(inner) => [&inner.left, &inner.right].into_iter().for_each(visit),
            ExprKind::Relation(inner) => [&inner.left, &inner.right].into_iter().for_each(visit),
            ExprKind::Access(inner) => [&inner.left].into_iter().chain(&inner.keys).for_each(visit),
            ExprKind::Call(inner) => [&inner.callee].into_iter().chain(&inner.args).for_each(visit),
            ExprKind::Method(inner) => [&inner.receiver].into_iter().chain(&inner.args).for_each(visit),
            ExprKind::If(inner) | ExprKind::Unless(inner) => {
                visit(&inner.test);
                statements(&inner.then, visit);
                inner.else_body.iter().for_each(|block| statements(block, visit));
            }
            ExprKind::Case(inner) => {
                visit(&inner.test);
                for option in &inner.options {
                    option.values.iter().for_each(&mut *visit);
                    statements(&option.then, visit);
                }
            }
            ExprKind::Selector(inner) => {
                visit(&inner.test);
                for option in &inner.options {
                    visit(&option.matching);
                    visit(&option.value);
                }
            }
            ExprKind::Block(block) => statements(block, visit),
            ExprKind::Resource(inner) => {
                visit(&inner.type_name);
                for body in &inner.bodies {
                    visit(&body.title);
                    attributes(&body.attributes, visit);
                }
            }
            ExprKind::ResourceDefaults(inner) => {
                visit(&inner.type_ref);
                attributes(&inner.attributes, visit);
            }
            ExprKind::ResourceOverride(inner) => {
                visit(&inner.references);
                attributes(&inner.attributes, visit);
            }
            ExprKind::Collector(inner) => {
                visit(&inner.type_ref);
                inner.query.iter().for_each(&mut *visit);
                attributes(&inner.attributes, visit);
            }
            ExprKind::Definition(definition) => definition.children(visit),
            _ => {}
        }
    }
}

fn statements(block: &Block, visit: &mut dyn FnMut(&Expr)) {
    block.statements.iter().for_each(visit);
}

fn attributes(list: &[Attribute], visit: &mut dyn FnMut(&Expr)) {
    list.iter().map(|attribute| &attribute.value).for_each(visit);
}

fn parameters(list: &[Parameter], visit: &mut dyn FnMut(&Expr)) {
    list.iter().flat_map(|param| param.default.iter().chain(&param.data_type)).for_each(visit);
}

impl Definition {
    /// Calls `visit` with each expression directly inside.
    pub fn children(&self, visit: &mut dyn FnMut(&Expr)) {
        match &self.kind {
            DefinitionKind::Class(inner) => {
                parameters(&inner.params, visit);
                statements(&inner.body, visit);
            }
            DefinitionKind::Define(inner) => {
                parameters(&inner.params, visit);
                statements(&inner.body, visit);
            }
            DefinitionKind::Function(inner) | DefinitionKind::Plan(inner) => {
                parameters(&inner.params, visit);
                statements(&inner.body, visit);
                inner.return_type.iter().for_each(visit);
            }
            DefinitionKind::Node(inner) => {
                inner.parent.iter().chain(&inner.matches).for_each(&mut *visit);
                statements(&inner.body, visit);
            }
            DefinitionKind::TypeAlias(expr) => visit(expr),
            DefinitionKind::TypeMapping(left, right) => [left, right].into_iter().for_each(visit),
            DefinitionKind::TypeDefinition { body, .. } => statements(body, visit),
        }
    }
}

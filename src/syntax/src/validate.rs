//! What is well formed but not allowed, and what has no effect. (`validation/checker4_0.rb`)
//!
//! In: a tree without syntax errors, and the rules of its path. Out: diagnostics in the order in which Puppet finds them: each
//! node before what it holds, parts in the order of Puppet's model. Must not: evaluate.

mod definition;
mod external;
pub(super) mod label;
mod placement;
mod plans;
mod rules;

use std::borrow::Cow;

use crate::Options;
use crate::ast::Attribute;
use crate::ast::AttributeOp;
use crate::ast::Block;
use crate::ast::Call;
use crate::ast::Collector;
use crate::ast::Epp;
use crate::ast::Expr;
use crate::ast::ExprKind;
use crate::ast::File;
use crate::ast::If;
use crate::ast::Lambda;
use crate::ast::Parameter;
use crate::ast::Resource;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::diag::Severity;
use catwalk_base::meter;
use catwalk_base::source::Source;
use catwalk_base::source::Span;

pub use placement::Placement;

use label::a_an;

/// All diagnostics of a tree that has no syntax errors.
pub(super) fn validate(file: &File, source: &Source, options: &Options) -> Vec<Diagnostic> {
    let mut checker =
        Checker { source, options, diagnostics: Vec::new(), path: Vec::with_capacity(32), stopped: false };
    checker.path.push(Container::Program);
    checker.top_constructs(&file.body);
    checker.branch(&file.body);
    checker.diagnostics
}

/// The kind of the enclosing node, where rules depend on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Container {
    Program,
    Class,
    /// The manifest in a plan that `apply` applies.
    Apply,
    Block,
    Lambda,
    Collector,
    Override,
    Defaults,
    Body,
    Other,
}

struct Checker<'c> {
    source: &'c Source,
    options: &'c Options,
    diagnostics: Vec<Diagnostic>,
    path: Vec<Container>,
    /// Puppet stops at the first heredoc whose text does not have its declared syntax.
    stopped: bool,
}

impl Checker<'_> {
    fn accept(&mut self, code: Code, message: impl Into<Cow<'static, str>>, span: Span) {
        self.accept_as(Severity::Error, code, message, span);
    }

    fn accept_as(&mut self, severity: Severity, code: Code, message: impl Into<Cow<'static, str>>, span: Span) {
        if !self.stopped {
            self.diagnostics.push(Diagnostic::new(Reason::new(code, message), Some(span)).severity(severity));
        }
    }

    fn in_container(&mut self, kind: Container, walk: impl FnOnce(&mut Self)) {
        self.path.push(kind);
        walk(self);
        self.path.pop();
    }

    /// Statements that Puppet treats as one expression if there is one, otherwise as a block.
    fn branch(&mut self, block: &Block) {
        match block.statements.as_slice() {
            [] => {}
            [only] => self.expr(only),
            list => self.block(list, block.span),
        }
    }

    /// Statements that are a block even if there is only one; without statements there is no body.
    fn body(&mut self, block: &Block) {
        if !block.statements.is_empty() {
            self.block(&block.statements, block.span);
        }
    }

    fn block(&mut self, statements: &[Expr], span: Span) {
        self.check_statements(statements, span);
        self.in_container(Container::Block, |checker| checker.all(statements));
    }

    fn all(&mut self, list: &[Expr]) {
        for expr in list {
            self.expr(expr);
        }
    }

    /// Checks an expression with everything in it.
    fn expr(&mut self, expr: &Expr) {
        meter::tick(1);
        if self.options.tasks && self.is_refused_in_plan(expr) {
            return;
        }
        let span = expr.span;
        match &expr.kind {
            ExprKind::Nop
            | ExprKind::Undef
            | ExprKind::Default
            | ExprKind::Bool(_)
            | ExprKind::Float(_)
            | ExprKind::Str(_)
            | ExprKind::Bareword(_)
            | ExprKind::TypeName(_)
            | ExprKind::Regex(_)
            | ExprKind::RenderText(_)
            | ExprKind::Error => {}
            ExprKind::Int(value, _) => self.check_int(expr, *value),
            ExprKind::Reserved(word) => {
                let message = format!("Use of reserved word: {word}, must be quoted if intended to be a String value");
                self.accept(Code::RESERVED_WORD, message, span);
            }
            ExprKind::Var(name) => self.check_variable(name, span),
            ExprKind::Heredoc(heredoc) => {
                self.check_heredoc(heredoc);
                self.in_container(Container::Other, |checker| checker.expr(&heredoc.text));
            }
            ExprKind::Interpolated(parts) => self.in_container(Container::Other, |checker| checker.all(parts)),
            ExprKind::Array(list) => {
                list.iter().for_each(|item| self.rvalue(item));
                self.in_container(Container::Other, |checker| checker.all(list));
            }
            ExprKind::Hash(entries) => self.hash(entries),
            ExprKind::Text(inner)
            | ExprKind::Paren(inner)
            | ExprKind::Minus(inner)
            | ExprKind::Not(inner)
            | ExprKind::Unfold(inner)
            | ExprKind::RenderExpr(inner) => {
                self.rvalue(inner);
                self.in_container(Container::Other, |checker| checker.expr(inner));
            }
            ExprKind::Binary(binary) => {
                self.rvalue(&binary.left);
                self.rvalue(&binary.right);
                self.pair(&binary.left, &binary.right);
            }
            ExprKind::Assign(assign) => {
                self.check_assignment(assign, span);
                self.pair(&assign.left, &assign.right);
            }
            ExprKind::Relation(relation) => {
                self.relation(&relation.left);
                self.relation(&relation.right);
                self.pair(&relation.left, &relation.right);
            }
            ExprKind::Access(access) => self.in_container(Container::Other, |checker| {
                checker.expr(&access.left);
                checker.all(&access.keys);
            }),
            _ => self.compound(expr, span),
        }
    }

    fn pair(&mut self, left: &Expr, right: &Expr) {
        self.in_container(Container::Other, |checker| {
            checker.expr(left);
            checker.expr(right);
        });
    }

    /// The rest of [`Checker::expr`]: calls, control, resources, definitions.
    fn compound(&mut self, expr: &Expr, span: Span) {
        match &expr.kind {
            ExprKind::Call(call) => self.call(call, expr, span),
            ExprKind::Method(method) => self.in_container(Container::Other, |checker| {
                checker.expr(&method.receiver);
                checker.all(&method.args);
                method.block.iter().for_each(|block| checker.lambda(block));
            }),
            ExprKind::Lambda(lambda) => self.lambda(lambda),
            ExprKind::If(inner) | ExprKind::Unless(inner) => self.conditional(inner),
            ExprKind::Case(_) | ExprKind::Selector(_) => self.choice(expr),
            ExprKind::Block(block) => self.block(&block.statements, block.span),
            ExprKind::Resource(resource) => self.resource(resource, span),
            ExprKind::ResourceDefaults(defaults) => {
                self.check_form(defaults.form, span);
                self.in_container(Container::Defaults, |checker| {
                    checker.expr(&defaults.type_ref);
                    checker.attributes(&defaults.attributes, "Resource Defaults Expression");
                });
            }
            ExprKind::ResourceOverride(over) => {
                self.check_form(over.form, span);
                self.in_container(Container::Override, |checker| {
                    checker.expr(&over.references);
                    checker.attributes(&over.attributes, "Resource Override");
                });
            }
            ExprKind::Collector(collector) => self.collector(collector),
            ExprKind::Definition(definition) => self.definition(definition),
            ExprKind::Epp(epp) => self.template(epp),
            _ => {}
        }
    }

    fn call(&mut self, call: &Call, expr: &Expr, span: Span) {
        self.check_callee(&call.callee, expr, span);
        self.in_container(Container::Other, |checker| {
            checker.expr(&call.callee);
            checker.all(&call.args);
            match &call.block {
                Some(block) if checker.options.tasks && plans::is_apply(call) => {
                    checker.check_statements(&block.body.statements, block.body.span);
                    checker.in_container(Container::Apply, |checker| checker.all(&block.body.statements));
                }
                block => block.iter().for_each(|block| checker.lambda(block)),
            }
        });
    }

    fn lambda(&mut self, lambda: &Lambda) {
        self.check_rest_is_last(&lambda.params);
        self.check_return_type(lambda.return_type.as_ref());
        self.in_container(Container::Lambda, |checker| {
            checker.parameters(&lambda.params);
            checker.body(&lambda.body);
            lambda.return_type.iter().for_each(|expr| checker.expr(expr));
        });
    }

    fn template(&mut self, epp: &Epp) {
        self.check_rest_is_last(&epp.params);
        self.in_container(Container::Lambda, |checker| {
            checker.parameters(&epp.params);
            checker.check_no_rest(&epp.params, "Epp Template");
            checker.check_unique(&epp.params);
            checker.in_container(Container::Other, |checker| checker.body(&epp.body));
        });
    }

    fn parameters(&mut self, params: &[Parameter]) {
        for param in params {
            self.check_parameter(param);
            self.in_container(Container::Other, |checker| {
                param.default.iter().for_each(|expr| checker.expr(expr));
                param.data_type.iter().for_each(|expr| checker.expr(expr));
            });
        }
    }

    fn conditional(&mut self, inner: &If) {
        self.rvalue(&inner.test);
        self.in_container(Container::Other, |checker| {
            checker.expr(&inner.test);
            checker.branch(&inner.then);
            inner.else_body.iter().for_each(|block| checker.branch(block));
        });
    }

    fn choice(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Case(case) => {
                self.rvalue(&case.test);
                self.check_defaults(case.options.iter().flat_map(|option| &option.values), "'case' statement", true);
                self.in_container(Container::Other, |checker| {
                    checker.expr(&case.test);
                    for option in &case.options {
                        option.values.iter().for_each(|value| checker.rvalue(value));
                        checker.in_container(Container::Other, |checker| {
                            checker.all(&option.values);
                            checker.body(&option.then);
                        });
                    }
                });
            }
            ExprKind::Selector(selector) => {
                self.rvalue(&selector.test);
                let keys = selector.options.iter().map(|option| &option.matching);
                self.check_defaults(keys, "Selector Expression", false);
                self.in_container(Container::Other, |checker| {
                    checker.expr(&selector.test);
                    for option in &selector.options {
                        checker.rvalue(&option.matching);
                        checker.pair(&option.matching, &option.value);
                    }
                });
            }
            _ => {}
        }
    }

    fn resource(&mut self, resource: &Resource, span: Span) {
        self.check_virtual_class(resource, span);
        self.in_container(Container::Other, |checker| {
            checker.expr(&resource.type_name);
            for body in &resource.bodies {
                checker.check_splats(&body.attributes);
                checker.in_container(Container::Body, |checker| {
                    checker.expr(&body.title);
                    checker.attributes(&body.attributes, "Resource Instance Definition");
                });
            }
        });
    }

    /// Checks attributes; `parent` is Puppet's name of the enclosing node.
    fn attributes(&mut self, list: &[Attribute], parent: &str) {
        for attribute in list {
            let around = self.path.last();
            if attribute.op == AttributeOp::Append
                && !matches!(around, Some(Container::Collector | Container::Override))
            {
                let message = format!(
                    "Illegal +> operation on attribute {}. This operator can not be used in {}",
                    attribute.name,
                    a_an(parent)
                );
                self.accept(Code::ILLEGAL_ATTRIBUTE_APPEND, message, attribute.span);
            }
            self.rvalue(&attribute.value);
            self.in_container(Container::Other, |checker| checker.expr(&attribute.value));
        }
    }

    fn collector(&mut self, collector: &Collector) {
        let label = if collector.exported { "Exported Query" } else { "Virtual Query" };
        self.check_collected_type(collector, label);
        self.in_container(Container::Collector, |checker| {
            checker.expr(&collector.type_ref);
            if let Some(query) = &collector.query {
                checker.query(query);
                checker.in_container(Container::Other, |checker| checker.expr(query));
            }
            checker.attributes(&collector.attributes, label);
        });
    }
}

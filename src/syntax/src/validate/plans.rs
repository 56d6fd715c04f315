//! The rules on plans: a catalog's expressions are allowed only in the manifests that `apply` applies. (`validation/tasks_checker.rb`)

use crate::ast::Call;
use crate::ast::DefinitionKind;
use crate::ast::Expr;
use crate::ast::ExprKind;
use crate::validate::Checker;
use crate::validate::Container;
use crate::validate::label::a_an_uc;
use crate::validate::label::label;
use catwalk_base::diag::Code;

/// Whether a call in a plan is `apply(targets) { manifest }`, which has the manifest as its block.
pub(super) fn is_apply(call: &Call) -> bool {
    call.block.is_some() && matches!(&call.callee.kind, ExprKind::Bareword(name) if *name == "apply")
}

impl Checker<'_> {
    /// Reports an expression that a plan may not contain here, and checks what is in it. `false`: it may contain the expression.
    pub(super) fn is_refused_in_plan(&mut self, expr: &Expr) -> bool {
        let is_applied = self.path.contains(&Container::Apply);
        let (code, when) = match &expr.kind {
            ExprKind::Definition(definition) => match definition.kind {
                DefinitionKind::Class(_) | DefinitionKind::Define(_) => SCRIPTING,
                DefinitionKind::Node(_) if !is_applied => SCRIPTING,
                _ => return false,
            },
            ExprKind::Collector(collector) if is_applied && collector.exported => COMPILING,
            ExprKind::Call(call) if is_applied && is_apply(call) => COMPILING,
            ExprKind::Collector(_)
            | ExprKind::Relation(_)
            | ExprKind::Resource(_)
            | ExprKind::ResourceDefaults(_)
            | ExprKind::ResourceOverride(_)
                if !is_applied =>
            {
                SCRIPTING
            }
            _ => return false,
        };
        let label = match &expr.kind {
            ExprKind::Collector(collector) if collector.exported => "Exported Query".into(),
            ExprKind::Collector(_) => "Virtual Query".into(),
            ExprKind::Call(_) => "'apply' expression".into(),
            _ => label(expr),
        };
        self.accept(code, format!("{} is {when} when compiling a catalog", a_an_uc(&label)), expr.span);
        self.in_container(Container::Other, |checker| expr.children(&mut |child| checker.expr(child)));
        true
    }
}

/// The code and the part of the message for expressions that only manifests may contain.
const SCRIPTING: (Code, &str) = (Code::EXPRESSION_NOT_SUPPORTED_WHEN_SCRIPTING, "only available");
/// The code and the part of the message for expressions that only plans may contain.
const COMPILING: (Code, &str) = (Code::EXPRESSION_NOT_SUPPORTED_WHEN_COMPILING, "not available");

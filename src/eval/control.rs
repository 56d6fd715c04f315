//! Statements in order, `if`, `unless`, `case` and selectors.

use crate::eval::Evaluator;
use crate::eval::Res;
use crate::eval::Stop;
use crate::eval::issues;
use crate::syntax::ast;
use crate::syntax::ast::Expr;
use crate::syntax::ast::ExprKind;
use crate::value::Value;

impl<'c> Evaluator<'c> {
    /// Statements in order: the value of the last one.
    pub(crate) fn eval_block(&mut self, block: &'c ast::Block) -> Res<Value> {
        let mut last = Value::Undef;
        for statement in &block.statements {
            last = self.eval(statement)?;
        }
        Ok(last)
    }

    pub(super) fn eval_if(&mut self, expr: &'c ast::If, unless: bool) -> Res<Value> {
        self.guarded(|ev| {
            if ev.eval(&expr.test)?.truthy() != unless {
                return ev.eval_block(&expr.then);
            }
            match &expr.otherwise {
                Some(otherwise) => ev.eval_block(otherwise),
                None => Ok(Value::Undef),
            }
        })
    }

    pub(super) fn eval_case(&mut self, case: &'c ast::Case) -> Res<Value> {
        self.guarded(|ev| {
            let test = ev.eval(&case.test)?;
            let mut default = None;
            for option in &case.options {
                for value in &option.values {
                    match unwind(value) {
                        Expr { kind: ExprKind::Default, .. } => default = Some(&option.then),
                        value if ev.option_matches(&test, value)? => return ev.eval_block(&option.then),
                        _ => {}
                    }
                }
            }
            default.map_or(Ok(Value::Undef), |then| ev.eval_block(then))
        })
    }

    pub(super) fn eval_selector(&mut self, selector: &'c ast::Selector) -> Res<Value> {
        self.guarded(|ev| {
            let test = ev.eval(&selector.test)?;
            let mut default = None;
            for option in &selector.options {
                match unwind(&option.matching) {
                    Expr { kind: ExprKind::Default, .. } => default = Some(&option.value),
                    value if ev.option_matches(&test, value)? => return ev.eval(&option.value),
                    _ => {}
                }
            }
            match default {
                Some(default) => ev.eval(default),
                None => {
                    let reason = issues::unmatched_selector(&ev.ruby_text(&test));
                    Err(Stop::issue(reason, selector.test.span))
                }
            }
        })
    }

    /// Whether a value matches an option of `case` or of a selector; `*$list` matches when one of its values does.
    fn option_matches(&mut self, test: &Value, option: &'c Expr) -> Res<bool> {
        let pattern = self.eval(option)?;
        if let (ExprKind::Unfold(_), Value::Array(patterns)) = (&option.kind, &pattern) {
            for pattern in patterns.iter() {
                if self.matches(test, pattern)? {
                    return Ok(true);
                }
            }
            return Ok(false);
        }
        self.matches(test, &pattern)
    }
}

/// The expression inside parentheses.
pub(super) fn unwind(expr: &Expr) -> &Expr {
    let mut at = expr;
    while let ExprKind::Paren(inner) = &at.kind {
        at = inner;
    }
    at
}

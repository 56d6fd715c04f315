//! Statements in order, `if`, `unless`, `case` and selectors.

use crate::Evaluator;
use crate::Res;
use crate::Stop;
use crate::coverage::CoveragePoint;
use crate::issues;
use catwalk_base::source::Span;
use catwalk_syntax::ast;
use catwalk_syntax::ast::Expr;
use catwalk_syntax::ast::ExprKind;
use catwalk_value::Value;
use catwalk_value::ruby;

impl<'c> Evaluator<'c> {
    /// Statements in order: the value of the last one.
    pub(crate) fn eval_block(&mut self, block: &'c ast::Block) -> Res<Value> {
        if self.settings.coverage.is_some() {
            return self.eval_counted(block);
        }
        let mut last = Value::Undef;
        for statement in &block.statements {
            last = self.eval(statement)?;
        }
        Ok(last)
    }

    /// Evaluates a block and counts each statement.
    fn eval_counted(&mut self, block: &'c ast::Block) -> Res<Value> {
        let mut last = Value::Undef;
        for statement in &block.statements {
            self.count_hit(CoveragePoint::Statement, statement.span);
            last = self.eval(statement)?;
        }
        Ok(last)
    }

    /// Counts a point of code, if the run requests coverage.
    pub(super) fn count_hit(&self, point: CoveragePoint, span: Span) {
        if let Some(hits) = &self.settings.coverage {
            hits.add([(point, span)]);
        }
    }

    pub(super) fn eval_if(&mut self, expr: &'c ast::If, unless: bool) -> Res<Value> {
        self.guarded(|ev| {
            let taken = ev.eval(&expr.test)?.truthy() != unless;
            ev.count_hit(CoveragePoint::If(u32::from(!taken)), expr.test.span);
            if taken {
                return ev.eval_block(&expr.then);
            }
            match &expr.else_body {
                Some(alternative) => ev.eval_block(alternative),
                None => Ok(Value::Undef),
            }
        })
    }

    pub(super) fn eval_case(&mut self, case: &'c ast::Case) -> Res<Value> {
        self.guarded(|ev| {
            let test = ev.eval(&case.test)?;
            let mut default = None;
            for (number, option) in (0..).zip(&case.options) {
                for value in &option.values {
                    match without_parentheses(value) {
                        Expr { kind: ExprKind::Default, .. } => default = Some((number, &option.then)),
                        value if ev.option_matches(&test, value)? => {
                            ev.count_hit(CoveragePoint::Case(number), case.test.span);
                            return ev.eval_block(&option.then);
                        }
                        _ => {}
                    }
                }
            }
            let none = || u32::try_from(case.options.len()).unwrap_or(u32::MAX);
            ev.count_hit(CoveragePoint::Case(default.map_or_else(none, |(number, _)| number)), case.test.span);
            default.map_or(Ok(Value::Undef), |(_, then)| ev.eval_block(then))
        })
    }

    pub(super) fn eval_selector(&mut self, selector: &'c ast::Selector) -> Res<Value> {
        self.guarded(|ev| {
            let test = ev.eval(&selector.test)?;
            let mut default = None;
            for (number, option) in (0..).zip(&selector.options) {
                match without_parentheses(&option.matching) {
                    Expr { kind: ExprKind::Default, .. } => default = Some((number, &option.value)),
                    value if ev.option_matches(&test, value)? => {
                        ev.count_hit(CoveragePoint::Selector(number), selector.test.span);
                        return ev.eval(&option.value);
                    }
                    _ => {}
                }
            }
            match default {
                Some((number, default)) => {
                    ev.count_hit(CoveragePoint::Selector(number), selector.test.span);
                    ev.eval(default)
                }
                None => {
                    let reason = issues::unmatched_selector(&ruby::to_s(&test));
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
pub(super) fn without_parentheses(expr: &Expr) -> &Expr {
    let mut at = expr;
    while let ExprKind::Paren(inner) = &at.kind {
        at = inner;
    }
    at
}

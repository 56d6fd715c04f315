//! Calls without parentheses: `notice 'x'`. The name of such a function and the statement after it become one call.
//!
//! In: statements in order. Out: statements with these calls formed. Must not: look at tokens. (Puppet's grammar,
//! `transform_calls`)

use crate::ast::Call;
use crate::ast::Expr;
use crate::ast::ExprKind;
use catwalk_base::source::Span;
use std::borrow::Cow;

/// A statement, or several expressions with commas between them: the arguments of a call without parentheses.
pub(super) enum Statement {
    Single(Expr),
    /// The expressions and the position of the first comma.
    List(Vec<Expr>, Span),
}

/// Functions that may be called without parentheses. (`model/factory.rb`, `STATEMENT_CALLS`)
pub(super) const STATEMENT_CALLS: [&str; 15] = [
    "require", "realize", "include", "contain", "tag", "debug", "info", "notice", "warning", "err", "fail", "import",
    "break", "next", "return",
];

/// Collects statements; names that are followed by arguments without parentheses become calls. (`Factory.transform_calls`)
#[derive(Default)]
pub(super) struct Calls {
    pub(super) expressions: Vec<Expr>,
    /// Lists that do not follow such a name: errors that are reported at the end of the block.
    pub(super) commas: Vec<(Cow<'static, str>, Span)>,
}

impl Extend<Statement> for Calls {
    fn extend<T: IntoIterator<Item = Statement>>(&mut self, statements: T) {
        statements.into_iter().for_each(|statement| self.push(statement));
    }
}

impl Calls {
    pub(super) fn push(&mut self, statement: Statement) {
        let callee = self
            .expressions
            .pop_if(|last| matches!(&last.kind, ExprKind::Bareword(name) if STATEMENT_CALLS.contains(&name.as_str())));
        match (callee, statement) {
            (Some(callee), statement) => {
                let args = match statement {
                    Statement::Single(arg) => vec![arg],
                    Statement::List(args, _) => args,
                };
                let span = args.last().map_or(callee.span, |last| callee.span.to(last.span));
                let call = Call { callee, args, block: None, value_needed: false };
                self.expressions.push(Expr { span, kind: ExprKind::Call(Box::new(call)) });
            }
            (None, Statement::Single(mut expr)) => {
                if let ExprKind::Call(call) = &mut expr.kind {
                    call.value_needed = false;
                }
                self.expressions.push(expr);
            }
            (None, Statement::List(list, comma)) => {
                let message = match self.expressions.last().map(|last| &last.kind) {
                    Some(ExprKind::Bareword(name)) => Cow::Owned(format!(
                        "attempt to pass argument list to the function '{name}' which cannot be called without \
                         parentheses"
                    )),
                    _ => Cow::Borrowed("illegal comma separated argument list"),
                };
                self.commas.push((message, comma));
                self.expressions.extend(list);
            }
        }
    }
}

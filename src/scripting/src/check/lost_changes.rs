//! Changes to the variable of a loop that are never read: Rhai's loops assign copies, so the changes are lost.
//!
//! In: a loop. Out: the last such change. Must not: report loops that use the changed copy.

use rhai::AST;
use rhai::ASTNode;
use rhai::Expr;
use rhai::FlowControl;
use rhai::Position;
use rhai::Stmt;

/// Methods that change the value that they are called on.
const CHANGING: [&str; 13] = [
    "append",
    "clear",
    "fill_with",
    "insert",
    "mixin",
    "pop",
    "push",
    "remove",
    "retain",
    "set",
    "shift",
    "trim",
    "truncate",
];

/// The uses of a loop's variable in its body.
#[derive(Default)]
struct Uses {
    /// Positions of the variable in expressions that change it.
    changed: Vec<Position>,
    /// Positions where the value is used, except to change it.
    read: Vec<Position>,
    /// Whether a change is in an inner loop, where code before it may also run after it.
    is_in_inner_loop: bool,
    /// Whether a block captures the variable, or an inner variable has its name.
    is_unclear: bool,
}

/// Whether `classify(node)` fills a classification and ends with a statement that has no value.
pub(super) fn forgets_classification(ast: &AST) -> bool {
    let mut classify = ast.clone_functions_only();
    classify.retain_functions(|_, _, name, params| name == "classify" && params == 1);
    let (mut begins, mut returns, mut is_last_void) = (false, false, false);
    classify.walk(&mut |nodes| {
        match nodes.last() {
            Some(ASTNode::Expr(Expr::FnCall(call, _)) | ASTNode::Stmt(Stmt::FnCall(call, _))) => {
                begins |= call.name == "classification";
            }
            Some(ASTNode::Stmt(Stmt::Return(Some(_), ..))) => returns = true,
            _ => {}
        }
        if let [ASTNode::Stmt(statement)] = nodes {
            is_last_void = is_void(statement);
        }
        true
    });
    begins && !returns && is_last_void
}

/// Whether a statement has no value, or is a method of a classification that has none.
fn is_void(statement: &Stmt) -> bool {
    match statement {
        Stmt::Var(..) | Stmt::Assignment(..) | Stmt::For(..) | Stmt::While(..) | Stmt::Noop(_) => true,
        Stmt::Expr(expr) => match expr.as_ref() {
            Expr::Dot(pair, ..) => {
                matches!(&pair.rhs, Expr::MethodCall(call, _) if matches!(call.name.as_str(), "include" | "param"))
            }
            _ => false,
        },
        _ => false,
    }
}

/// The position of the last change of the variable of a loop, where no part of the loop reads the variable after it.
pub(super) fn find_lost_change(variable: &str, flow: &FlowControl) -> Option<Position> {
    let mut uses = Uses::default();
    for statement in flow.body.iter() {
        statement.walk(&mut Vec::new(), &mut |nodes| {
            uses.record(variable, nodes);
            true
        });
    }
    let last = uses.changed.iter().max().copied()?;
    let is_read = uses.read.iter().any(|read| uses.is_in_inner_loop || *read > last);
    (!is_read && !uses.is_unclear).then_some(last)
}

impl Uses {
    fn record(&mut self, variable: &str, nodes: &[ASTNode<'_>]) {
        let Some((node, above)) = nodes.split_last() else { return };
        match node {
            ASTNode::Stmt(Stmt::Share(names)) => {
                self.is_unclear |= names.iter().any(|(name, _)| name.name == variable);
            }
            ASTNode::Stmt(Stmt::Var(declared, ..)) => self.is_unclear |= declared.0.name == variable,
            ASTNode::Stmt(Stmt::For(inner, _)) => self.is_unclear |= inner.0.name == variable,
            ASTNode::Stmt(statement) => {
                if let Some(at) = changed_by(statement, variable) {
                    let is_loop = |node: &ASTNode<'_>| {
                        matches!(node, ASTNode::Stmt(Stmt::For(..) | Stmt::While(..) | Stmt::Do(..)))
                    };
                    self.is_in_inner_loop |= above.iter().any(is_loop);
                    self.changed.push(at);
                }
            }
            ASTNode::Expr(Expr::Variable(used, _, at)) if used.1 == variable && used.2.is_empty() => {
                // An expression that only computes the change does not use the changed value.
                let is_change = |node: &ASTNode<'_>| match node {
                    ASTNode::Stmt(statement) => changed_by(statement, variable).is_some(),
                    _ => false,
                };
                if !above.iter().any(is_change) {
                    self.read.push(*at);
                }
            }
            _ => {}
        }
    }
}

/// The position of a variable that a statement changes: `r = …`, `r.x = …`, `r["x"] += …`, `r.remove("x");`.
fn changed_by(statement: &Stmt, variable: &str) -> Option<Position> {
    let position_in = |expr: &Expr| match expr {
        Expr::Variable(used, _, at) if used.1 == variable && used.2.is_empty() => Some(*at),
        _ => None,
    };
    match statement {
        Stmt::Assignment(assignment) => match &assignment.1.lhs {
            Expr::Dot(pair, ..) | Expr::Index(pair, ..) => position_in(&pair.lhs),
            expr => position_in(expr),
        },
        Stmt::Expr(expr) => match expr.as_ref() {
            Expr::Dot(pair, ..) => match &pair.rhs {
                Expr::MethodCall(call, _) if CHANGING.contains(&call.name.as_str()) => position_in(&pair.lhs),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}

//! Calls, indexes and constants after an expression: `.name`, `[…]`, `::Name`.

use super::Parse;
use super::Parser;
use super::expression::operator_call;
use crate::ast::Node;
use crate::ast::NodeKind;
use crate::lexer::Kind;
use catwalk_base::names::Name;

impl Parser {
    /// Parses calls, indexes and constants after an expression.
    pub(super) fn postfix(&mut self, mut node: Node) -> Parse<Node> {
        let mut length = 0;
        loop {
            self.extend_chain(&mut length)?;
            let Some(token) = self.peek() else { return Ok(node) };
            let (line, space) = (token.line, token.follows_space);
            match &token.kind {
                Kind::Op(op @ ("." | "&.")) => {
                    let safe = *op == "&.";
                    self.at += 1;
                    node = self.method_call(node, safe)?;
                }
                Kind::Op("::") if !space => {
                    self.at += 1;
                    let called = matches!(self.kind_at(1), Some(Kind::Op("("))) && !self.space_at(1);
                    let constant = matches!(self.kind(), Some(Kind::Const(_)))
                        && !called
                        && !self.starts_command_argument(1)
                        && !self.starts_array_argument(1);
                    if constant {
                        if let Some(Kind::Const(name)) = self.next().map(|token| token.kind) {
                            node = Node::new(NodeKind::Const(Some(Some(Box::new(node))), Name::new(&name)), line);
                        }
                    } else {
                        node = self.method_call(node, false)?;
                    }
                }
                Kind::Op("[") if !space || accepts_spaced_index(&node) => {
                    self.at += 1;
                    let args = self.list("]")?;
                    node = operator_call(node, "[]", args, line);
                }
                Kind::Op("(") if !space && matches!(node.kind, NodeKind::Lambda(_)) => return Ok(node),
                _ => return Ok(node),
            }
        }
    }

    /// Parses the method call after a dot.
    fn method_call(&mut self, receiver: Node, safe: bool) -> Parse<Node> {
        self.skip_newlines();
        let Some(token) = self.next() else { return self.missing("method name") };
        // The line of a call is that of its name.
        let line = token.line;
        let name = match token.kind {
            Kind::Ident(name) | Kind::Const(name) => Name::new(&name),
            Kind::Keyword(word) => Name::new(word),
            Kind::Op("(") => {
                self.at -= 1;
                Name::new("call")
            }
            Kind::Op(op)
                if matches!(
                    op,
                    "+" | "-"
                        | "*"
                        | "/"
                        | "%"
                        | "=="
                        | "<"
                        | ">"
                        | "<="
                        | ">="
                        | "<=>"
                        | "<<"
                        | "!"
                        | "==="
                        | "=~"
                        | "&"
                        | "|"
                        | "^"
                        | "**"
                ) =>
            {
                Name::new(op)
            }
            Kind::Op("[") => {
                self.expect_op("]")?;
                Name::new("[]")
            }
            kind => {
                self.at -= 1;
                return self.unexpected(&kind);
            }
        };
        self.call_rest(Some(receiver), safe, name, line, true)
    }
}

/// Whether `x [1]`, with a space, is an index: for all nodes except a constant, which could be a method. For methods, `[1]` has been
/// parsed as their argument.
fn accepts_spaced_index(node: &Node) -> bool {
    !matches!(node.kind, NodeKind::Const(..))
}

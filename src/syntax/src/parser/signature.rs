//! Types and parameter lists from strings instead of manifests: `"String $a, Callable[1,1] &$block"`.

use crate::ast::BinaryOp;
use crate::ast::Expr;
use crate::ast::ExprKind;
use crate::ast::Parameter;
use crate::lexer;
use crate::parser::Parser;
use crate::parser::ReportedError;
use crate::token::Kind;
use catwalk_base::diag::Reason;
use catwalk_base::names::Name;
use catwalk_base::source::FileId;

/// The file of these spans, which no source map contains.
const NO_FILE: FileId = FileId(u32::MAX);

/// The parameters of a function that is not written in Puppet.
#[derive(Debug)]
pub struct Signature {
    /// The parameters in order, without the block.
    pub params: Vec<Parameter>,
    /// `Callable[…] &$block`: the block, which is optional if its type is an `Optional`.
    pub block: Option<Parameter>,
    /// The type after `>>`.
    pub return_type: Option<Expr>,
}

/// Parses one expression that is the whole source: a type, a literal.
///
/// # Errors
/// The source is not one expression; the reason is Puppet's syntax error without position.
pub(crate) fn parse_expression(text: &str) -> Result<Expr, Reason> {
    with_parser(text, |parser| {
        let expr = parser.assignment()?;
        if parser.kind() == Kind::End { Ok(expr) } else { parser.unexpected() }
    })
}

/// Parses a parameter list: parameters as a class has them, `*$rest`, a block parameter `&$block` as the last one, and
/// a return type after `>>`.
///
/// # Errors
/// The source is not a parameter list.
pub(crate) fn parse_signature(text: &str) -> Result<Signature, Reason> {
    with_parser(text, |parser| {
        let mut signature = Signature { params: Vec::new(), block: None, return_type: None };
        while !matches!(parser.kind(), Kind::End | Kind::RShift) {
            let data_type = if parser.kind() == Kind::ClassRef { Some(parser.parameter_type()?) } else { None };
            if parser.kind() == Kind::Other {
                parser.bump();
                let token = parser.expect(Kind::Variable)?;
                let name: Name = parser.name(token);
                let span = parser.span(token);
                signature.block = Some(Parameter { span, name, data_type, default: None, captures_rest: false });
            } else {
                let mut param = parser.parameter()?;
                param.data_type = data_type;
                signature.params.push(param);
            }
            if parser.eat(Kind::Comma).is_none() {
                break;
            }
        }
        signature.return_type = match signature.params.last_mut().and_then(after_default) {
            Some(found) => Some(found),
            None => parser.opt_return_type()?,
        };
        if parser.kind() == Kind::End { Ok(signature) } else { parser.unexpected() }
    })
}

/// The return type after a default, where `>>` was parsed as an operator.
fn after_default(param: &mut Parameter) -> Option<Expr> {
    match param.default.take() {
        Some(Expr { kind: ExprKind::Binary(binary), .. }) if binary.op == BinaryOp::ShiftRight => {
            param.default = Some(binary.left);
            Some(binary.right)
        }
        other => {
            param.default = other;
            None
        }
    }
}

fn with_parser<T>(text: &str, rule: impl FnOnce(&mut Parser<'_>) -> Result<T, ReportedError>) -> Result<T, Reason> {
    let tokens = lexer::tokenize(text, false);
    let mut parser = Parser::new(text, NO_FILE, &tokens);
    rule(&mut parser).map_err(|ReportedError| match parser.diagnostics.pop() {
        Some(diagnostic) => diagnostic.into_reason(),
        None => Reason::runtime("Syntax error"),
    })
}

//! Names of expressions in messages. (`model/model_label_provider.rb`)

use std::borrow::Cow;

use crate::ast::BinaryOp;
use crate::ast::DefinitionKind;
use crate::ast::Expr;
use crate::ast::ExprKind;

/// The name of an expression in messages, without article: `Resource Statement`.
#[must_use]
pub fn label(expr: &Expr) -> Cow<'static, str> {
    Cow::Borrowed(match &expr.kind {
        ExprKind::Nop | ExprKind::Error => "Nop Expression",
        ExprKind::Undef => "'undef' expression",
        ExprKind::Default => "'default' expression",
        ExprKind::Bool(_) => "Boolean",
        ExprKind::Int(..) => "Literal Integer",
        ExprKind::Float(_) => "Literal Float",
        ExprKind::Str(_) => "String",
        ExprKind::Interpolated(_) => "Double Quoted String",
        ExprKind::Text(_) => "Expression in Interpolated String",
        ExprKind::Heredoc(heredoc) => {
            let syntax = heredoc.syntax.map_or("", |syntax| syntax.as_str());
            return Cow::Owned(format!("'@({syntax})' expression"));
        }
        ExprKind::Bareword(_) => "Name",
        ExprKind::TypeName(_) => "Type-Name",
        ExprKind::Reserved(word) => return Cow::Owned(format!("Reserved Word '{word}'")),
        ExprKind::Regex(_) => "Regular Expression",
        ExprKind::Var(_) => "Variable",
        ExprKind::Array(_) => "Array Expression",
        ExprKind::Hash(_) => "Hash Expression",
        ExprKind::Paren(_) => "Parenthesized Expression",
        ExprKind::Minus(_) => "Unary Minus",
        ExprKind::Not(_) => "'not' expression",
        ExprKind::Unfold(_) => "Unfold",
        ExprKind::Binary(binary) => return Cow::Owned(format!("'{}' expression", binary.op.as_str())),
        ExprKind::Assign(assign) => return Cow::Owned(format!("'{}' expression", assign.op.as_str())),
        ExprKind::Relation(relation) => return Cow::Owned(format!("'{}' expression", relation.arrow.as_str())),
        ExprKind::Access(_) => "'[]' expression",
        ExprKind::Call(_) => "Function Call",
        ExprKind::Method(_) => "Method call",
        ExprKind::Lambda(_) => "Lambda",
        ExprKind::If(_) => "'if' statement",
        ExprKind::Unless(_) => "'unless' Statement",
        ExprKind::Case(_) => "'case' statement",
        ExprKind::Selector(_) => "Selector Expression",
        ExprKind::Block(_) => "Block Expression",
        ExprKind::Resource(_) => "Resource Statement",
        ExprKind::ResourceDefaults(_) => "Resource Defaults Expression",
        ExprKind::ResourceOverride(_) => "Resource Override",
        ExprKind::Collector(collector) if collector.exported => "Exported Query",
        ExprKind::Collector(_) => "Virtual Query",
        ExprKind::Definition(definition) => definition_label(&definition.kind),
        ExprKind::Epp(_) => "Lambda",
        ExprKind::RenderText(_) => "Epp Text",
        ExprKind::RenderExpr(_) => "Epp Interpolated Expression",
    })
}

/// The name of a definition in messages.
pub(super) fn definition_label(kind: &DefinitionKind) -> &'static str {
    match kind {
        DefinitionKind::Class(_) => "Host Class Definition",
        DefinitionKind::Define(_) => "'define' expression",
        DefinitionKind::Node(_) => "Node Definition",
        DefinitionKind::Function(_) => "Function Definition",
        DefinitionKind::Plan(_) => "Plan Definition",
        DefinitionKind::TypeAlias(_) => "Type Alias",
        DefinitionKind::TypeMapping(..) => "Type Mapping",
        DefinitionKind::TypeDefinition { .. } => "Type Definition",
    }
}

fn article(label: &str) -> &'static str {
    let first = label.trim_start_matches(['\'', '"']).chars().next().unwrap_or(' ');
    if matches!(first.to_ascii_lowercase(), 'a' | 'e' | 'i' | 'o' | 'u' | 'y') { "an" } else { "a" }
}

/// The label with its article: `a Name`.
pub(super) fn a_an(label: &str) -> String {
    format!("{} {label}", article(label))
}

/// The label with its article at the start of a sentence: `A Name`.
pub(super) fn a_an_uc(label: &str) -> String {
    format!("{} {label}", if article(label) == "an" { "An" } else { "A" })
}

/// The class an expression has in Puppet's model (`Puppet::Pops::Model`), which some messages show.
pub fn model_name(expr: &Expr) -> String {
    let name = match &expr.kind {
        ExprKind::Array(_) => "LiteralList",
        ExprKind::Hash(_) => "LiteralHash",
        ExprKind::Default => "LiteralDefault",
        ExprKind::Regex(_) => "LiteralRegularExpression",
        ExprKind::Call(_) => "CallNamedFunctionExpression",
        ExprKind::Method(_) => "CallMethodExpression",
        ExprKind::TypeName(_) => "QualifiedReference",
        ExprKind::Binary(binary) => match binary.op {
            BinaryOp::Match | BinaryOp::NotMatch => "MatchExpression",
            BinaryOp::In => "InExpression",
            BinaryOp::And => "AndExpression",
            BinaryOp::Or => "OrExpression",
            BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => {
                "ComparisonExpression"
            }
            _ => "ArithmeticExpression",
        },
        ExprKind::Not(_) => "NotExpression",
        ExprKind::Minus(_) => "UnaryMinusExpression",
        ExprKind::Access(_) => "AccessExpression",
        ExprKind::If(_) => "IfExpression",
        ExprKind::Unless(_) => "UnlessExpression",
        ExprKind::Case(_) => "CaseExpression",
        ExprKind::Heredoc(_) => "HeredocExpression",
        ExprKind::Assign(_) => "AssignmentExpression",
        ExprKind::Block(_) => "BlockExpression",
        ExprKind::Undef => "LiteralUndef",
        ExprKind::Bool(_) => "LiteralBoolean",
        ExprKind::Int(..) => "LiteralInteger",
        ExprKind::Float(_) => "LiteralFloat",
        ExprKind::Str(_) => "LiteralString",
        ExprKind::Interpolated(_) => "ConcatenatedString",
        ExprKind::Bareword(_) => "QualifiedName",
        ExprKind::Var(_) => "VariableExpression",
        _ => return label(expr).replace(' ', ""),
    };
    name.to_owned()
}

//! Queries of collectors: compiled from expressions, and matched with resources.
//!
//! In: expressions, entries. Out: queries, answers. Must not: realize anything.

use std::borrow::Cow;

use crate::Evaluator;
use crate::Res;
use crate::Stop;
use catwalk_base::names::Name;
use catwalk_catalog::Exported;
use catwalk_catalog::ResourceId;
use catwalk_catalog::Tags;
use catwalk_syntax::ast;
use catwalk_syntax::ast::BinaryOp;
use catwalk_syntax::ast::ExprKind;
use catwalk_value::Type;
use catwalk_value::Value;
use catwalk_value::compare;

/// A query, its operands evaluated.
#[derive(Clone, Debug)]
pub(super) enum Query {
    And(Box<Query>, Box<Query>),
    Or(Box<Query>, Box<Query>),
    Tagged(Vec<(u32, String)>),
    Equal(Name, Value),
    NotEqual(Name, Value),
    /// A comparison with a reference in a variable has a constant result: only references in the code are resolved for the
    /// catalog.
    Constant(bool),
    /// A comparison whose left side is not a name: it fails for the first resource.
    InvalidName(String),
    /// A value instead of a query, which fails for the first resource, too.
    Value(Value),
}

fn invalid_name(left: &Value) -> Query {
    Query::InvalidName(inspect_value(left))
}

/// A value as Ruby's error messages print it.
fn inspect_value(value: &Value) -> String {
    format!("{}:{}", catwalk_value::ruby::inspect(value), catwalk_value::ruby::class_name(value))
}

/// Whether a query's operand is a reference that came from a variable.
fn is_variable_reference(operand: &ast::Expr, value: &Value) -> bool {
    match &operand.kind {
        ExprKind::Paren(inner) => is_variable_reference(inner, value),
        ExprKind::Var(_) => matches!(value, Value::Type(Type::Resource(_) | Type::Class(_))),
        _ => false,
    }
}

/// Whether PuppetDB would return an exported resource for a query.
pub(super) fn matches_exported(query: &Query, row: &Exported) -> bool {
    let operand = |name: Name| match name.as_str() {
        "title" => Some(Value::from(row.title.clone())),
        _ => row.parameters.iter().find(|(known, _)| *known == name).map(|(_, value)| value.clone()),
    };
    let has_tag = |tag: &str| row.tags.iter().any(|known| **known == *tag);
    match query {
        Query::And(left, right) => matches_exported(left, row) && matches_exported(right, row),
        Query::Or(left, right) => matches_exported(left, row) || matches_exported(right, row),
        Query::Tagged(tags) => tags.iter().any(|(_, tag)| has_tag(tag)),
        Query::Equal(name, value) => operand(*name).as_ref() == Some(value),
        // PuppetDB compares tags in both directions.
        Query::NotEqual(name, value) if name == "tag" => {
            !value.as_str().is_some_and(|tag| has_tag(&tag.to_lowercase()))
        }
        Query::NotEqual(name, value) => operand(*name).as_ref() != Some(value),
        Query::Constant(answer) => *answer,
        Query::InvalidName(_) | Query::Value(_) => false,
    }
}

fn cannot_transform<T>(expr: &ast::Expr) -> Res<T> {
    let label = catwalk_syntax::model_name(expr);
    Err(Stop::runtime(format!("Cannot transform object of class Puppet::Pops::Model::{label}")))
}

impl<'c> Evaluator<'c> {
    pub(super) fn query(&mut self, expr: &'c ast::Expr) -> Res<Query> {
        match &expr.kind {
            ExprKind::Paren(inner) => self.query(inner),
            ExprKind::Binary(binary) => match binary.op {
                BinaryOp::And => {
                    Ok(Query::And(Box::new(self.query(&binary.left)?), Box::new(self.query(&binary.right)?)))
                }
                BinaryOp::Or => {
                    Ok(Query::Or(Box::new(self.query(&binary.left)?), Box::new(self.query(&binary.right)?)))
                }
                BinaryOp::Eq => {
                    let (name, value) = match self.query_operands(binary, false)? {
                        Ok(operands) => operands,
                        Err(query) => return Ok(query),
                    };
                    if name != "tag" {
                        let is_variable = is_variable_reference(&binary.right, &value);
                        return Ok(if is_variable { Query::Constant(false) } else { Query::Equal(name, value) });
                    }
                    let items = match &value {
                        Value::Array(items) => items.to_vec(),
                        other => vec![other.clone()],
                    };
                    let mut tags = Vec::with_capacity(items.len());
                    for item in items {
                        if matches!(item, Value::Int(_) | Value::BigInt(_) | Value::Float(_)) {
                            return Err(Stop::runtime("Cannot transform a number to a tag"));
                        }
                        let tag = catwalk_value::to_puppet_string(&item).to_lowercase();
                        tags.push((Tags::hash(&tag), tag));
                    }
                    Ok(Query::Tagged(tags))
                }
                BinaryOp::Ne => {
                    let (name, value) = match self.query_operands(binary, true)? {
                        Ok(operands) => operands,
                        Err(query) => return Ok(query),
                    };
                    let is_variable = is_variable_reference(&binary.right, &value);
                    Ok(if is_variable { Query::Constant(true) } else { Query::NotEqual(name, value) })
                }
                _ => cannot_transform(expr),
            },
            _ => self.query_value(expr).map(Query::Value),
        }
    }

    /// The name and the value of a comparison, or the constant query that replaces an invalid comparison: nothing equals a query,
    /// and a query is not a name.
    fn query_operands(&mut self, binary: &'c ast::Binary, different: bool) -> Res<Result<(Name, Value), Query>> {
        let left = self.query(&binary.left)?;
        let right = self.query(&binary.right)?;
        let left = match left {
            Query::Value(left) => left,
            _ => return Ok(Err(Query::InvalidName("#<Proc>".to_owned()))),
        };
        let Some(name) = left.as_str().map(Name::new) else { return Ok(Err(invalid_name(&left))) };
        Ok(match right {
            Query::Value(value) => Ok((name, value)),
            _ => Err(Query::Constant(different)),
        })
    }

    /// An operand that is not a query.
    fn query_value(&mut self, expr: &'c ast::Expr) -> Res<Value> {
        match &expr.kind {
            ExprKind::Undef => Ok(Value::Undef),
            ExprKind::Access(_)
            | ExprKind::Var(_)
            | ExprKind::Bool(_)
            | ExprKind::Str(_)
            | ExprKind::Interpolated(_)
            | ExprKind::Int(..)
            | ExprKind::Float(_)
            | ExprKind::Bareword(_) => {
                let value = self.eval(expr)?;
                self.catalog_value(value)
            }
            _ => cannot_transform(expr),
        }
    }

    pub(super) fn matches_query(&self, query: &Query, id: ResourceId) -> Res<bool> {
        Ok(match query {
            Query::And(left, right) => self.matches_query(left, id)? && self.matches_query(right, id)?,
            Query::Or(left, right) => self.matches_query(left, id)? || self.matches_query(right, id)?,
            Query::InvalidName(value) => {
                let text = format!("undefined method `intern' for {value}");
                return Err(Stop::ruby_error("NoMethodError", text));
            }
            Query::Value(value) => {
                let text = format!("undefined method `call' for {}", inspect_value(value));
                return Err(Stop::ruby_error("NoMethodError", text));
            }
            Query::Tagged(tags) => self.is_tagged(id, tags),
            Query::Constant(result) => *result,
            Query::Equal(name, value) => match &*self.query_operand(id, *name) {
                // A reference in an array is an element; otherwise a type matches its instances.
                Value::Array(items) if matches!(value, Value::Type(Type::Resource(_) | Type::Class(_))) => {
                    items.iter().any(|item| compare::equals(item, value))
                }
                items @ Value::Array(_) => compare::includes(items, value),
                other => compare::equals(other, value),
            },
            Query::NotEqual(name, value) => !compare::equals(&self.query_operand(id, *name), value),
        })
    }

    pub(super) fn query_operand(&self, id: ResourceId, name: Name) -> Cow<'_, Value> {
        let Some(entry) = self.state.resources.entries.get(id.0 as usize) else { return Cow::Owned(Value::Undef) };
        if name == catwalk_base::name!("title") {
            return Cow::Owned(Value::from(entry.title.clone()));
        }
        entry.get(name).map_or(Cow::Owned(Value::Undef), Cow::Borrowed)
    }

    /// Whether a resource, or what contains it, has one of the tags (given in lower case).
    pub fn is_tagged(&self, id: ResourceId, tags: &[(u32, String)]) -> bool {
        let mut at = id;
        for _ in 0..=self.state.resources.entries.len() {
            let Some(entry) = self.state.resources.entries.get(at.0 as usize) else { return false };
            if tags.iter().any(|(hash, tag)| entry.tags.contains_hashed((*hash, tag))) {
                return true;
            }
            match self.scope_resource(entry.scope) {
                Some(container) if container != at => at = container,
                _ => return false,
            }
        }
        false
    }
}

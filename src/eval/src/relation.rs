//! Relationship arrows, and references as the catalog stores them (Puppet::Pops::Evaluator::RelationshipOperator,
//! Puppet::Parser::Relationship, Puppet::Pops::Evaluator::Runtime3Converter).

mod apply;
mod reference;

use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::Evaluator;
use crate::Res;
use crate::Stop;
use crate::collector::CollectorId;
use crate::resource::issue;
use apply::EvaluatedOperand;
use apply::is_incomplete;
use catwalk_base::diag::Code;
use catwalk_base::diag::Reason;
use catwalk_base::meter;
use catwalk_base::source::Span;
use catwalk_syntax::ast;
use catwalk_syntax::ast::Arrow;
use catwalk_syntax::ast::ExprKind;
use catwalk_value::Type;
use catwalk_value::Value;
pub use reference::Reference;
pub(crate) use reference::integer_too_large;

/// One side of an arrow.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Operand {
    /// A reference, as a value and as the catalog stores it.
    Reference(Value, Reference),
    /// A reference type that names no resource, such as `Class`: it fails when an arrow is created.
    Incomplete(Value),
    /// A collector.
    Collector(CollectorId),
}

/// The identity of an operand (RelationshipOperator#evaluate uses each once).
#[derive(PartialEq, Eq, Hash)]
enum Identity {
    /// Whether it is the type of a reference; the reference; its title as source if it is not a string.
    Reference(bool, Reference, Option<Arc<str>>),
    Incomplete(Arc<str>),
    Collector(CollectorId),
}

impl Operand {
    fn identity(&self) -> Identity {
        match self {
            Operand::Reference(value, reference) => {
                let of = matches!(value, Value::Type(Type::Type(_)));
                Identity::Reference(of, reference.clone(), title_source(value))
            }
            Operand::Incomplete(value) => Identity::Incomplete(catwalk_value::to_puppet_string(value)),
            Operand::Collector(id) => Identity::Collector(*id),
        }
    }
}

/// The title of a reference as source if it is not a string.
fn title_source(value: &Value) -> Option<Arc<str>> {
    match value {
        Value::Type(Type::Resource(resource)) => resource.written.clone(),
        _ => None,
    }
}

/// An arrow between two operands, which is applied after all declarations.
#[derive(Clone, Debug)]
pub struct Relationship {
    source: Operand,
    target: Operand,
    /// `before` or `notify`
    parameter: &'static str,
    span: Span,
}

impl<'c> Evaluator<'c> {
    /// Evaluates a relationship expression to its right operand, or the left one if that is empty.
    ///
    /// # Errors
    /// A value that cannot be an operand of an arrow.
    pub(crate) fn eval_relation(&mut self, relation: &'c ast::Relation, span: Span) -> Res<Value> {
        let operands = self.relation(relation, span)?;
        let value = |operand| match operand {
            Operand::Reference(value, _) | Operand::Incomplete(value) => value,
            Operand::Collector(_) => Value::Undef,
        };
        Ok(Value::array(operands.into_iter().map(value).collect()))
    }

    fn relation(&mut self, relation: &'c ast::Relation, span: Span) -> Res<Vec<Operand>> {
        let left = self.evaluate_operand(&relation.left)?;
        let right = self.evaluate_operand(&relation.right)?;
        let left = self.operands(left, span)?;
        let right = self.operands(right, span)?;
        let reverse = matches!(relation.arrow, Arrow::Require | Arrow::Subscribe);
        let (sources, targets) = if reverse { (&right, &left) } else { (&left, &right) };
        let subscribe = matches!(relation.arrow, Arrow::Notify | Arrow::Subscribe);
        let parameter = if subscribe { "notify" } else { "before" };
        for source in sources {
            for target in targets {
                meter::charge(size_of::<Relationship>());
                self.assert_reference(source)?;
                self.assert_reference(target)?;
                let (source, target) = (source.clone(), target.clone());
                self.state.relations.relationships.push(Relationship { source, target, parameter, span });
            }
        }
        match right.as_slice() {
            [] => return Ok(left),
            [Operand::Collector(id)] => {
                if let Some(collector) = self.state.collection.collectors.get_mut(id.0 as usize) {
                    collector.alternative = Some(left);
                }
            }
            _ => {}
        }
        Ok(right)
    }

    /// Evaluates one side; collectors and inner arrows are not converted.
    fn evaluate_operand(&mut self, expr: &'c ast::Expr) -> Res<Vec<EvaluatedOperand>> {
        match &expr.kind {
            ExprKind::Paren(inner) => self.evaluate_operand(inner),
            ExprKind::Collector(collector) => {
                let id = self.add_collector(collector).map_err(|stop| self.add_span(stop, expr))?;
                Ok(vec![EvaluatedOperand::Operand(Operand::Collector(id))])
            }
            ExprKind::Relation(relation) => {
                let operands = self.relation(relation, expr.span).map_err(|stop| self.add_span(stop, expr))?;
                Ok(operands.into_iter().map(EvaluatedOperand::Operand).collect())
            }
            ExprKind::Array(items) if items.iter().any(holds_collector) => {
                let mut evaluated = Vec::new();
                for item in items {
                    evaluated.extend(self.evaluate_operand(item)?);
                }
                Ok(evaluated)
            }
            _ => Ok(vec![EvaluatedOperand::Value(self.eval(expr)?)]),
        }
    }

    fn operands(&mut self, evaluated: Vec<EvaluatedOperand>, span: Span) -> Res<Vec<Operand>> {
        let mut operands = Vec::new();
        let mut seen = FxHashSet::default();
        let mut add = |operand: Operand| {
            if seen.insert(operand.identity()) {
                operands.push(operand);
            }
        };
        for evaluated in evaluated {
            match evaluated {
                EvaluatedOperand::Operand(operand) => add(operand),
                EvaluatedOperand::Value(value) => {
                    let mut flat = Vec::new();
                    crate::resource::flatten(&value, &mut flat);
                    for value in flat {
                        add(self.operand(value, span)?);
                    }
                }
            }
        }
        Ok(operands)
    }

    fn operand(&mut self, value: Value, span: Span) -> Res<Operand> {
        let data_type = match &value {
            Value::Type(data_type) => data_type.clone(),
            Value::Str(text) => self.parse_type(text)?,
            other => {
                let label = catwalk_value::a_an(&catwalk_value::label(other));
                let text = format!(
                    "Illegal relationship operand, can not form a relationship with {label}. A Catalog type is required."
                );
                return issue(Code::ILLEGAL_RELATIONSHIP_OPERAND_TYPE, text, span);
            }
        };
        let inner = match &data_type {
            Type::Type(Some(inner)) => inner.as_ref(),
            other => other,
        };
        if matches!(inner, Type::CatalogEntry) {
            return Ok(Operand::Incomplete(Value::Type(data_type)));
        }
        if !matches!(inner, Type::Resource(_) | Type::Class(_)) {
            // Puppet fails while it formats this message.
            let text = "undefined method `string' for an instance of Puppet::Pops::Types::TypeCalculator";
            let help = format!(
                "no relationship can be formed with something of type {data_type}: a resource or class is required"
            );
            return Err(Reason::runtime(text).help(help).into());
        }
        match self.catalog_reference(inner) {
            Ok(reference) => Ok(Operand::Reference(Value::Type(data_type), reference)),
            Err(Stop::Reason(_)) if is_incomplete(inner) => Ok(Operand::Incomplete(Value::Type(data_type))),
            Err(stop) => Err(stop),
        }
    }

    /// Checks that an arrow can be drawn from or to an operand.
    ///
    /// # Errors
    ///
    /// It is not a reference.
    fn assert_reference(&self, operand: &Operand) -> Res<()> {
        let Operand::Incomplete(Value::Type(data_type)) = operand else { return Ok(()) };
        let inner = match data_type {
            Type::Type(Some(inner)) => inner.as_ref(),
            other => other,
        };
        match inner {
            Type::CatalogEntry => Err(Stop::runtime(crate::runtime3::NO_SPLIT)),
            inner => self.catalog_reference(inner).map(drop),
        }
    }
}

fn holds_collector(expr: &ast::Expr) -> bool {
    match &expr.kind {
        ExprKind::Collector(_) | ExprKind::Relation(_) => true,
        ExprKind::Paren(inner) => holds_collector(inner),
        ExprKind::Array(items) => items.iter().any(holds_collector),
        _ => false,
    }
}

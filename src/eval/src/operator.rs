//! Operators on evaluated operands, and those that evaluate their right side only if it matters.

mod arithmetic;
mod collection;
mod matching;
mod time;

pub use collection::ruby_equals;

use crate::Evaluator;
use crate::Res;
use crate::Stop;
use crate::dispatch::weight;
use crate::issues;
use catwalk_base::meter;
use catwalk_base::source::Span;
use catwalk_syntax::ast::Binary;
use catwalk_syntax::ast::BinaryOp;
use catwalk_value::Type;
use catwalk_value::Value;
use catwalk_value::compare;
use catwalk_value::ruby;

/// Operations on larger values may take long, so they are checked for limits and report their position.
const BIG: usize = 1 << 12;

impl<'c> Evaluator<'c> {
    pub(super) fn eval_binary(&mut self, binary: &'c Binary, span: Span) -> Res<Value> {
        use BinaryOp as Op;
        let left = self.eval(&binary.left)?;
        match binary.op {
            Op::And if !left.truthy() => return Ok(Value::Bool(false)),
            Op::Or if left.truthy() => return Ok(Value::Bool(true)),
            _ => {}
        }
        let right = self.eval(&binary.right)?;
        let weight = weight(&left).saturating_add(weight(&right));
        if weight < BIG {
            return self.apply(left, right, binary, span);
        }
        meter::tick(weight);
        let (frames, depth, scope) = (self.frames.len(), self.depth, self.scope);
        meter::catch(|| self.apply(left, right, binary, span)).unwrap_or_else(|exceeded| {
            self.frames.truncate(frames);
            self.depth = depth;
            self.scope = scope;
            Err(self.exceeded(exceeded).into())
        })
    }

    fn apply(&mut self, left: Value, right: Value, binary: &'c Binary, span: Span) -> Res<Value> {
        use BinaryOp as Op;
        match binary.op {
            Op::And | Op::Or => Ok(Value::Bool(right.truthy())),
            Op::Eq => comparable(&left, &right).map(|()| comparison_result(are_equal(&left, &right), &right, &left)),
            Op::Ne => comparable(&left, &right).map(|()| Value::Bool(!are_equal(&left, &right))),
            Op::Lt | Op::Le => order(binary.op, &left, &right, span).map(|yes| comparison_result(yes, &right, &left)),
            Op::Gt | Op::Ge => order(binary.op, &left, &right, span).map(|yes| comparison_result(yes, &left, &right)),
            Op::Match | Op::NotMatch => {
                let matched = self.match_operator(&left, &right, binary)?;
                Ok(Value::Bool(matched == (binary.op == Op::Match)))
            }
            Op::In => self.contains(&right, &left).map(Value::Bool),
            Op::Add | Op::Sub | Op::Mul | Op::Div | Op::Mod | Op::ShiftLeft | Op::ShiftRight => {
                self.calculate(left, right, binary, span)
            }
        }
    }
}

/// Comparing a resource in a parameter with a reference: Puppet lacks the method that Ruby calls.
fn comparable(left: &Value, right: &Value) -> Res<()> {
    let (Value::Type(Type::Resource(a)), Value::Type(Type::Resource(b))) = (left, right) else { return Ok(()) };
    match (a.resolved, b.resolved, &b.type_name, &b.title) {
        (true, false, Some(name), Some(title)) => {
            let details = format!("@type_name={name:?}, @title={title:?}, @downcased_name={:?}", name.to_lowercase());
            let text = format!("undefined method `type' for #<Puppet::Pops::Types::PResourceType {details}>");
            Err(Stop::runtime(text))
        }
        _ => Ok(()),
    }
}

/// The result of a comparison that first tests whether values of `source` can be assigned to `target`: for some types the negative
/// result is nil.
fn comparison_result(is_true: bool, target: &Value, source: &Value) -> Value {
    match (target, source) {
        (Value::Type(target), Value::Type(source))
            if !is_true
                && catwalk_value::is_assignable_nil(target, source)
                && !catwalk_value::is_assignable(target, source) =>
        {
            Value::Undef
        }
        _ => Value::Bool(is_true),
    }
}

/// The operator `==`: two types are equal if each can be assigned to the other (TypeCalculator#equals).
fn are_equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Type(a), Value::Type(b)) => are_equal_types(a, b),
        _ => equals(left, right),
    }
}

fn are_equal_types(a: &Type, b: &Type) -> bool {
    if let (Type::Resource(a), Type::Resource(b)) = (a, b)
        && a.resolved != b.resolved
    {
        return false;
    }
    a == b || (catwalk_value::is_assignable(b, a) && catwalk_value::is_assignable(a, b))
}

/// The language's `==` as matching and `in` use it.
#[must_use]
pub(crate) fn equals(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Type(left), Value::Type(right)) => left == right,
        _ => compare::equals(left, right),
    }
}

/// `<`, `<=`, `>`, `>=`: types are compared by assignability, other values by their order.
fn order(op: BinaryOp, left: &Value, right: &Value, span: Span) -> Res<bool> {
    if let Value::Type(a) = left {
        let Value::Type(b) = right else {
            if matches!((op, a), (BinaryOp::Gt | BinaryOp::Ge, Type::Iterable(_))) {
                let receiver = ruby::receiver(right);
                return Err(Stop::runtime(format!("undefined method `iterable_type' for {receiver}")));
            }
            return Ok(false);
        };
        return Ok(order_of_types(op, a, b));
    }
    // Ruby treats versions as numbers, but cannot convert the other number to one.
    if matches!((left, right), (Value::Int(_) | Value::BigInt(_) | Value::Float(_), Value::SemVer(_))) {
        return Err(Stop::runtime(format!("can't convert {} into Float", ruby::plain_conversion_name(right))));
    }
    let order = compare::compare(left, right).map_err(|detail| {
        let (left, right) = (catwalk_value::label(left), catwalk_value::label(right));
        Stop::issue(issues::comparison_not_possible(op.as_str(), &left, &right, detail), span)
    })?;
    Ok(match op {
        BinaryOp::Lt => order.is_lt(),
        BinaryOp::Le => order.is_le(),
        BinaryOp::Gt => order.is_gt(),
        _ => order.is_ge(),
    })
}

fn order_of_types(op: BinaryOp, left: &Type, right: &Type) -> bool {
    match op {
        BinaryOp::Lt => catwalk_value::is_assignable(right, left) && !are_equal_types(left, right),
        BinaryOp::Le => catwalk_value::is_assignable(right, left),
        BinaryOp::Gt => catwalk_value::is_assignable(left, right) && !are_equal_types(left, right),
        _ => catwalk_value::is_assignable(left, right),
    }
}

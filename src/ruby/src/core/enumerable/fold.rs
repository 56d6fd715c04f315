//! Methods of `Enumerable` that fold all items into one value.

use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::core::walk::CONTINUE;
use crate::core::walk::walk;
use crate::value::Rv;

pub(crate) fn each_with_object(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let (Some(block), [memo]) = (block, args) else { return Ok(Rv::Nil) };
    walk(rt, this, |rt, item| {
        rt.yield_values(block, &[item.value(), memo.clone()])?;
        Ok(CONTINUE)
    })?;
    Ok(memo.clone())
}

/// `inject { |memo, item| … }`, `inject(start) { … }`, `inject(:+)`, `inject(start, :+)`
pub(crate) fn inject(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let (mut memo, operator) = match (args, block) {
        ([start, operator], _) => (Some(start.clone()), Some(operator)),
        ([only], None) => (None, Some(only)),
        ([start], Some(_)) => (Some(start.clone()), None),
        _ => (None, None),
    };
    let operator = match operator {
        None => None,
        Some(name) => match name.string_or_symbol() {
            Some(name) => Some(name),
            None => {
                let inspected = rt.inspect(name)?;
                return rt.raise("TypeError", format!("{inspected} is not a symbol nor a string"));
            }
        },
    };
    walk(rt, this, |rt, item| {
        let item = item.value();
        memo = Some(match (memo.take(), &operator, block) {
            (None, ..) => item,
            (Some(memo), Some(operator), _) => combined(rt, memo, operator, item)?,
            (Some(memo), None, Some(block)) => rt.yield_values(block, &[memo, item])?,
            (Some(_), None, None) => return rt.raise("LocalJumpError", "no block given"),
        });
        Ok(CONTINUE)
    })?;
    Ok(memo.unwrap_or(Rv::Nil))
}

/// `memo OPERATOR item`
fn combined(rt: &mut Interp<'_>, memo: Rv, operator: &str, item: Rv) -> Raise<Rv> {
    if let (Rv::Int(a), Rv::Int(b)) = (&memo, &item)
        && !rt.tables.reopens_builtins
    {
        let result = match operator {
            "+" => a.checked_add(*b),
            "*" => a.checked_mul(*b),
            _ => None,
        };
        if let Some(result) = result {
            return Ok(Rv::Int(result));
        }
    }
    rt.call_method(&memo, operator, &[item], None)
}

/// A sum in progress.
enum Sum {
    /// A sum of any values, by their `+`.
    Plain(Rv),
    /// A sum of floats with the rounding error so far (Kahan and Babuska), as Ruby's `ary_add_one`.
    Float(f64, f64),
}

impl Sum {
    fn add(self, rt: &mut Interp<'_>, item: Rv) -> Raise<Sum> {
        Ok(match (self, item) {
            (Sum::Plain(Rv::Int(a)), Rv::Int(b)) if let Some(sum) = a.checked_add(b) => Sum::Plain(Rv::Int(sum)),
            (Sum::Plain(Rv::Int(a)), Rv::Float(b)) => Sum::Float(a as f64, 0.0).add_float(b.get()),
            (Sum::Plain(Rv::Float(a)), Rv::Float(b)) => Sum::Float(a.get(), 0.0).add_float(b.get()),
            (Sum::Plain(Rv::Float(a)), Rv::Int(b)) => Sum::Float(a.get(), 0.0).add_float(b as f64),
            (sum @ Sum::Float(..), Rv::Float(b)) => sum.add_float(b.get()),
            (sum @ Sum::Float(..), Rv::Int(b)) => sum.add_float(b as f64),
            (sum, item) => Sum::Plain(rt.call_method(&sum.value(), "+", &[item], None)?),
        })
    }

    fn add_float(self, x: f64) -> Sum {
        let Sum::Float(sum, lost) = self else { return self };
        if !x.is_finite() || !sum.is_finite() {
            return Sum::Float(sum + x, 0.0);
        }
        let next = sum + x;
        let rounded = if sum.abs() >= x.abs() { (sum - next) + x } else { (x - next) + sum };
        Sum::Float(next, lost + rounded)
    }

    fn value(self) -> Rv {
        match self {
            Sum::Plain(value) => value,
            Sum::Float(sum, lost) => Rv::float(sum + lost),
        }
    }
}

pub(crate) fn sum(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let mut sum = Some(Sum::Plain(args.first().cloned().unwrap_or(Rv::Int(0))));
    walk(rt, this, |rt, item| {
        let item = match block {
            Some(block) => item.yield_as_one(rt, block)?,
            None => item.value(),
        };
        if let Some(sum_so_far) = sum.take() {
            sum = Some(sum_so_far.add(rt, item)?);
        }
        Ok(CONTINUE)
    })?;
    Ok(sum.map_or(Rv::Nil, Sum::value))
}

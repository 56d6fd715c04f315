//! Lazy sequences: the results of `step`, `reverse_each` and `tree_each` without a block.

mod in_ruby;

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering;

use num_bigint::BigInt;
use num_bigint::Sign;

use crate::types;
use crate::types::BigRange;
use crate::types::IntRange;
use crate::types::Type;
use crate::value::Hash;
use crate::value::List;
use crate::value::Measure;
use crate::value::Value;
use crate::value::rich;
use crate::value::tree::TreeOptions;
use catwalk_base::meter;

/// A lazy sequence. It stores its position, as Puppet's iterators do: copies share it.
#[derive(Clone, Debug)]
pub struct Iter {
    kind: Kind,
    /// The number of values taken; for a string the number of bytes.
    at: Arc<AtomicUsize>,
}

#[derive(Clone, Debug)]
enum Kind {
    Array(Arc<List>),
    Hash(Arc<Hash>),
    Chars(Arc<str>),
    /// Lower bound, upper bound, step: from the upper bound down where the step is negative.
    Range(i64, i64, i64),
    /// A range with an end that does not fit 64 bits.
    BigRange(Arc<BigSteps>),
    Enum(Arc<types::EnumType>),
    Step(Arc<Iter>, usize),
    /// The reversed sequence, for its type; the values.
    Reverse(Arc<Iter>, Arc<List>),
    Tree(Value, TreeOptions),
}

#[derive(Debug)]
struct BigSteps {
    low: BigInt,
    high: BigInt,
    step: BigInt,
}

impl From<(i64, i64, i64)> for BigSteps {
    fn from((low, high, step): (i64, i64, i64)) -> BigSteps {
        BigSteps { low: low.into(), high: high.into(), step: step.into() }
    }
}

impl BigSteps {
    /// # Errors
    /// As [`Iter::step`].
    fn step(&self, n: &BigInt) -> Result<BigSteps, String> {
        let step = &self.step * n;
        let (mut low, mut high) = (self.low.clone(), self.high.clone());
        let span = &high - &low;
        if step.sign() == Sign::Minus {
            // Ruby's remainder of the negative span.
            let rest = -span % &step;
            low += if rest == BigInt::ZERO { rest } else { rest - &step };
            check_range(&low, &high)?;
        } else {
            high -= &span % &step;
        }
        Ok(BigSteps { low, high, step })
    }

    fn get(&self, at: usize) -> Option<Value> {
        let first = if self.step.sign() == Sign::Minus { &self.high } else { &self.low };
        let value = first + &self.step * at;
        (value >= self.low && value <= self.high).then(|| Value::integer(value))
    }
}

/// The values of a range at steps of `width`.
fn step_range(low: i64, high: i64, width: i64) -> Result<Kind, String> {
    let span = i128::from(high) - i128::from(low);
    let size = i128::from(width).abs();
    let bound = |bound: i128| i64::try_from(bound).unwrap_or(high);
    if width > 0 {
        return Ok(Kind::Range(low, bound(i128::from(high) - span.rem_euclid(size)), width));
    }
    let from = i128::from(low) + (-span).rem_euclid(size);
    check_range(&from, &i128::from(high))?;
    Ok(Kind::Range(bound(from), high, width))
}

/// Checks that two ends are in order. (PAbstractRangeType#initialize)
fn check_range<T: PartialOrd + std::fmt::Display>(from: &T, to: &T) -> Result<(), String> {
    if from > to { Err(format!("'from' must be less or equal to 'to'. Got ({from}, {to}")) } else { Ok(()) }
}

impl Iter {
    fn new(kind: Kind) -> Iter {
        Iter { kind, at: Arc::new(AtomicUsize::new(0)) }
    }

    /// Iterates over a value; `None` if it is not iterable.
    #[must_use]
    pub fn over(value: &Value) -> Option<Iter> {
        Some(Iter::new(match value {
            Value::Iterator(iter) => return Some((**iter).clone()),
            Value::Array(items) => Kind::Array(items.clone()),
            Value::Hash(entries) => Kind::Hash(entries.clone()),
            Value::Str(text) => Kind::Chars(text.to_shared()),
            Value::Int(0) => Kind::Array(Arc::new(List::from(Vec::new()))),
            Value::Int(n) if *n > 0 => Kind::Range(0, n - 1, 1),
            Value::BigInt(n) if n.sign() == Sign::Plus => {
                let high = &**n - 1;
                Kind::BigRange(Arc::new(BigSteps { low: BigInt::ZERO, high, step: BigInt::from(1) }))
            }
            Value::Type(t) => return Iter::over_type(t),
            _ => return None,
        }))
    }

    fn over_type(t: &Type) -> Option<Iter> {
        match t.resolved() {
            Type::Integer(range) => Some(Iter::new(Kind::Range(range.lower()?, range.upper()?, 1))),
            Type::BigInteger(range) => {
                let (low, high) = (range.from.clone()?, range.to.clone()?);
                Some(Iter::new(Kind::BigRange(Arc::new(BigSteps { low, high, step: BigInt::from(1) }))))
            }
            Type::Enum(values) => Some(Iter::new(Kind::Enum(values.clone()))),
            _ => None,
        }
    }

    /// The sequence of a tree's nodes.
    #[must_use]
    pub fn tree(root: Value, options: TreeOptions) -> Iter {
        Iter::new(Kind::Tree(root, options))
    }

    /// Every `n`th value, from the first. A range is shortened to the values that the steps reach, as Puppet computes it: a
    /// descending range may be shortened too much. (IntegerRangeIterator#step_iterator)
    ///
    /// # Errors
    ///
    /// The remaining steps of a descending range are not a range; the message names its ends.
    pub fn step(&self, n: &BigInt) -> Result<Iter, String> {
        let one = BigInt::from(1);
        if *n <= one && !matches!(self.kind, Kind::Tree(..)) {
            return Ok(self.clone());
        }
        // A tree with steps, even of 1, is an ordinary iterator.
        let n = n.max(&one);
        let width = |step: i64| i64::try_from(n).ok().and_then(|n| step.checked_mul(n));
        Ok(Iter::new(match &self.kind {
            Kind::Range(low, high, step) => match width(*step) {
                Some(width) => step_range(*low, *high, width)?,
                None => Kind::BigRange(Arc::new(BigSteps::from((*low, *high, *step)).step(n)?)),
            },
            Kind::BigRange(steps) => Kind::BigRange(Arc::new(steps.step(n)?)),
            _ => Kind::Step(Arc::new(self.clone()), usize::try_from(n).unwrap_or(usize::MAX)),
        }))
    }

    /// From the end to the start.
    #[must_use]
    pub fn reverse(&self) -> Iter {
        if let Kind::Range(low, high, step) = self.kind {
            return Iter::new(Kind::Range(low, high, step.checked_neg().unwrap_or(i64::MAX)));
        }
        if let Kind::BigRange(steps) = &self.kind {
            let (low, high, step) = (steps.low.clone(), steps.high.clone(), -&steps.step);
            return Iter::new(Kind::BigRange(Arc::new(BigSteps { low, high, step })));
        }
        let mut items = self.to_vec();
        items.reverse();
        Iter::new(Kind::Reverse(Arc::new(self.clone()), Arc::new(List::from(items))))
    }

    /// Whether entries are pairs of key and value.
    #[must_use]
    pub fn is_hash(&self) -> bool {
        matches!(self.kind, Kind::Hash(_))
    }

    /// Whether Puppet iterates over it with Ruby's `loop`, which treats `break()` in a block as the end of all values.
    #[must_use]
    pub fn ends_at_break(&self) -> bool {
        matches!(self.kind, Kind::Range(..) | Kind::BigRange(_) | Kind::Step(..))
    }

    /// The type of the values.
    #[must_use]
    pub(crate) fn element_type(&self) -> Type {
        let all = |values: &mut dyn Iterator<Item = &Value>| Type::variant(values.map(types::infer_set).collect());
        match &self.kind {
            Kind::Array(items) if items.is_empty() => Type::Unit,
            Kind::Array(items) => all(&mut items.iter()),
            Kind::Hash(entries) if entries.is_empty() => {
                Type::tuple(vec![Type::Unit, Type::Unit], Some(IntRange::exactly(2)))
            }
            Kind::Hash(entries) => {
                Type::tuple(vec![all(&mut entries.keys()), all(&mut entries.values())], Some(IntRange::exactly(2)))
            }
            Kind::Chars(_) => Type::string_size(IntRange::exactly(1)),
            Kind::Range(low, high, _) => Type::Integer(IntRange::new(Some(*low), Some(*high))),
            Kind::BigRange(steps) => {
                Type::integer(BigRange { from: Some(steps.low.clone()), to: Some(steps.high.clone()) })
            }
            Kind::Enum(values) => Type::Enum(values.clone()),
            Kind::Step(inner, _) | Kind::Reverse(inner, _) => inner.element_type(),
            Kind::Tree(..) => Type::Any,
        }
    }

    /// The values as Ruby's `Enumerable` returns them: ranges and steps continue, everything else starts again without moving.
    #[must_use]
    pub fn values(&self) -> Box<dyn Iterator<Item = Value> + '_> {
        match &self.kind {
            Kind::Array(items) | Kind::Reverse(_, items) => Box::new(items.iter().cloned()),
            Kind::Hash(entries) => {
                Box::new(entries.iter().map(|(key, value)| Value::array(vec![key.clone(), value.clone()])))
            }
            Kind::Chars(text) => Box::new(text.chars().map(|c| Value::from(c.to_string()))),
            Kind::Enum(values) => Box::new(values.values.iter().map(|text| Value::from(text.clone()))),
            Kind::Step(_, n) if *n > 1 => Box::new(std::iter::from_fn(|| self.take().map(yielded))),
            Kind::Range(..) | Kind::BigRange(_) | Kind::Step(..) => Box::new(std::iter::from_fn(|| self.take())),
            Kind::Tree(root, options) => options.walk(root),
        }
    }

    /// [`Iter::values`] for Ruby's `all?` and `any?`, which take only the first of several yielded values.
    #[must_use]
    pub fn first_values(&self) -> Box<dyn Iterator<Item = Value> + '_> {
        match &self.kind {
            Kind::Step(..) => Box::new(std::iter::from_fn(|| self.take().map(first_yielded))),
            _ => self.values(),
        }
    }

    /// The values from the current position. A later call continues after the taken values. (`Iterator#next`)
    #[must_use]
    pub fn remaining(&self) -> Box<dyn Iterator<Item = Value> + '_> {
        match &self.kind {
            Kind::Tree(..) => self.values(),
            _ => Box::new(std::iter::from_fn(|| self.take())),
        }
    }

    /// The next value.
    fn take(&self) -> Option<Value> {
        let at = self.at.load(Ordering::Relaxed);
        let mut next = at + 1;
        let value = match &self.kind {
            Kind::Array(items) | Kind::Reverse(_, items) => items.get(at)?.clone(),
            Kind::Hash(entries) => {
                let (key, value) = entries.get_index(at)?;
                Value::array(vec![key.clone(), value.clone()])
            }
            Kind::Chars(text) => {
                let c = text.get(at..)?.chars().next()?;
                next = at + c.len_utf8();
                Value::from(c.to_string())
            }
            Kind::Enum(values) => Value::from(values.values.get(at)?.clone()),
            Kind::Range(low, high, step) => {
                let first = if *step < 0 { high } else { low };
                let value = i128::from(*first) + i128::from(*step) * i128::try_from(at).ok()?;
                let value = i64::try_from(value).ok().filter(|n| n >= low && n <= high)?;
                Value::Int(value)
            }
            Kind::BigRange(steps) => steps.get(at)?,
            Kind::Step(inner, n) => {
                let first = inner.take()?;
                for _ in 1..*n {
                    if inner.take().is_none() {
                        break;
                    }
                }
                return Some(first);
            }
            Kind::Tree(root, options) => options.walk(root).nth(at)?,
        };
        self.at.store(next, Ordering::Relaxed);
        Some(value)
    }

    /// The number of values as Puppet computes it: one less for a range. (Iterator#size)
    #[must_use]
    pub fn size(&self) -> Option<usize> {
        match &self.kind {
            Kind::Array(items) => Some(items.len()),
            Kind::Hash(entries) => Some(entries.len()),
            Kind::Chars(text) => Some(text.chars().count()),
            Kind::Range(low, high, step) => {
                let span = i128::from(*high) - i128::from(*low);
                usize::try_from(span / i128::from(*step).abs().max(1)).ok()
            }
            Kind::BigRange(steps) => {
                let step = if steps.step.sign() == Sign::Minus { -&steps.step } else { steps.step.clone() };
                usize::try_from((&steps.high - &steps.low) / step).ok()
            }
            Kind::Enum(values) => Some(values.values.len()),
            Kind::Step(inner, n) => inner.size().map(|size| size / n),
            Kind::Reverse(_, items) => Some(items.len()),
            Kind::Tree(..) => None,
        }
    }

    /// Whether it iterates over a tree, whose nodes are not counted: computing the size fails (`TreeIterator#size`).
    #[must_use]
    pub fn is_unsized(&self) -> bool {
        match &self.kind {
            Kind::Step(inner, _) => matches!(inner.kind, Kind::Tree(..)) || inner.is_unsized(),
            _ => false,
        }
    }

    /// All values. Too many end the compile.
    #[must_use]
    pub fn to_vec(&self) -> Vec<Value> {
        match &self.kind {
            Kind::Array(items) => items.to_vec(),
            _ => meter::collect(self.values()),
        }
    }

    /// Its size in memory, without the values it yields.
    #[must_use]
    pub(super) fn measure(&self) -> Measure {
        match &self.kind {
            Kind::Array(items) => items.measure(),
            Kind::Hash(entries) => entries.measure(),
            Kind::Chars(text) => Measure { bytes: text.len() as u64, ..Measure::default() },
            Kind::Range(..) | Kind::BigRange(_) | Kind::Enum(_) => Measure::default(),
            Kind::Step(inner, _) | Kind::Reverse(inner, _) => inner.measure().inside(),
            Kind::Tree(root, _) => root.measure(),
        }
    }

    /// Its source values, if they are not shared, so that they can be dropped without recursion.
    pub(super) fn into_sources(self) -> [Option<Value>; 2] {
        match self.kind {
            Kind::Array(items) => [Some(Value::Array(items)), None],
            Kind::Hash(entries) => [Some(Value::Hash(entries)), None],
            Kind::Step(inner, _) => [Some(Value::Iterator(inner)), None],
            Kind::Reverse(inner, items) => [Some(Value::Iterator(inner)), Some(Value::Array(items))],
            Kind::Tree(root, _) => [Some(root), None],
            _ => [None, None],
        }
    }
}

/// The value that Ruby's `Enumerable` receives from `yield *value`, as steps do: the only item of a collection, nil for an
/// empty one, else all items. (`StepIterator`, `rb_enum_values_pack`)
fn yielded(value: Value) -> Value {
    match splat_items(&value) {
        Some(mut items) if items.len() < 2 => items.pop().unwrap_or(Value::Undef),
        Some(items) => Value::array(items),
        None => value,
    }
}

/// The value received from `yield *value` where at most one is taken: the first.
fn first_yielded(value: Value) -> Value {
    match splat_items(&value) {
        Some(items) => items.into_iter().next().unwrap_or(Value::Undef),
        None => value,
    }
}

/// Ruby's splat, `*value`: the items of a collection, nothing for `undef`, else the value.
pub fn splat(value: Value) -> Vec<Value> {
    match (splat_items(&value), value) {
        (Some(items), _) => items,
        (None, Value::Undef) => Vec::new(),
        (None, value) => vec![value],
    }
}

/// The items that Ruby's `*value` yields; `None` for a value without items.
pub fn splat_items(value: &Value) -> Option<Vec<Value>> {
    Some(match value {
        Value::Array(items) => items.to_vec(),
        Value::Hash(entries) => {
            entries.iter().map(|(key, value)| Value::array(vec![key.clone(), value.clone()])).collect()
        }
        Value::Iterator(iter) => iter.to_vec(),
        Value::Type(t) => match t.resolved() {
            Type::Tuple(tuple) => tuple.types.iter().cloned().map(Value::Type).collect(),
            Type::Variant(types) => types.iter().cloned().map(Value::Type).collect(),
            Type::Struct(elements) => elements.iter().map(rich::element).collect(),
            _ => return None,
        },
        _ => return None,
    })
}

/// A sequence equals only itself; sequences are not iterated to compare them.
impl PartialEq for Iter {
    fn eq(&self, other: &Iter) -> bool {
        std::ptr::eq(self, other)
    }
}

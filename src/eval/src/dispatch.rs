//! Which signature of a function written in Rust fits the arguments (Puppet::Pops::Functions::Dispatcher).

use crate::Block;
use crate::BlockRule;
use crate::Call;
use crate::Entry;
use crate::Evaluator;
use crate::Res;
use crate::Signature;
use crate::Stop;
use crate::interpolate;
use catwalk_base::diag::Cause;
use catwalk_base::diag::Reason;
use catwalk_base::meter;
use catwalk_base::names::Name;
use catwalk_base::source::Span;
use catwalk_value::CallableType;
use catwalk_value::IntRange;
use catwalk_value::Type;
use catwalk_value::Value;
use catwalk_value::mismatch;

/// The minimum and maximum number of arguments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arity {
    /// The minimum.
    pub min: usize,
    /// The maximum; `None`: no limit.
    pub max: Option<usize>,
}

impl Arity {
    /// Whether a call with every number of arguments in `min..=max` works.
    #[must_use]
    pub fn covers(self, min: usize, max: Option<usize>) -> bool {
        self.min <= min && self.max.is_none_or(|own_max| max.is_some_and(|max| max <= own_max))
    }

    /// The number of arguments, if only one number is accepted.
    #[must_use]
    pub fn exact(self) -> Option<usize> {
        (self.max == Some(self.min)).then_some(self.min)
    }
}

impl Block<'_> {
    /// The number of arguments that the block accepts.
    #[must_use]
    pub fn arity(&self) -> Arity {
        match self {
            Block::Native { arity, .. } => *arity,
            Block::Lambda { lambda, types, .. } => match types {
                Some(types) => types.arity,
                None => super::lambda::arity(&lambda.params),
            },
        }
    }

    /// Its type: a `Callable`.
    #[must_use]
    pub fn callable(&self) -> Type {
        if let Block::Lambda { types: Some(types), .. } = self {
            return Type::Callable(types.callable.clone());
        }
        let arity = self.arity();
        let count = arity.max.unwrap_or(arity.min.max(1));
        let size = IntRange::new(i64::try_from(arity.min).ok(), arity.max.and_then(|max| i64::try_from(max).ok()));
        let params = catwalk_value::TupleType::new(vec![Type::Any; count], Some(size));
        Type::Callable(std::sync::Arc::new(CallableType { params: Some(params), block: None, returns: None }))
    }
}

impl<'c> Evaluator<'c> {
    /// Finds the signature that fits and runs its code.
    pub(super) fn call_native(
        &mut self,
        entry: &'static Entry,
        args: &[Value],
        block: Option<&Block<'c>>,
        span: Span,
    ) -> Res<Value> {
        // Reading large arguments takes time, which is counted here.
        args.iter().for_each(|arg| meter::tick(weight(arg)));
        let name = entry.function.name;
        let signatures = entry.signatures()?;
        let Some(signature) = signatures.iter().find(|signature| accepts(signature, args, block)) else {
            check_matchable_arguments(signatures, args)?;
            let signatures: Vec<&Signature> = signatures.iter().collect();
            let text = match entry.counts_scope {
                true => describe_mismatch_with_scope(name, &signatures, args, block),
                false => describe_mismatch(name, &signatures, args, block),
            };
            return Err(wrong_arguments(name, text).into());
        };
        if let Some(Block::Lambda { types: Some(types), .. }) = block
            && let Some((_, invalid_type)) = types.invalid_types.first()
            && let Some(Type::Callable(block_type)) = &signature.shape.callable.block
            && block_type.params.is_some()
        {
            return Err(Stop::runtime(format!("undefined method `assignable?' for {invalid_type}")));
        }
        let mut call = Call { ev: self, name, args, block, span };
        let result = (signature.body)(&mut call);
        if signature.returns_mismatch {
            let text = interpolate::to_interpolated(&result?);
            return Err(Stop::runtime(format!("'{name}' {text}")));
        }
        match result {
            // `call('next', 1)`: Puppet's dispatcher catches what a function throws.
            Err(Stop::Next(jump)) if !entry.throws_next => Ok(jump.0),
            Ok(value) => {
                if let Value::Str(text) = &value {
                    meter::charge(text.len());
                }
                if let Some(returns) = signature.shape.callable.returns.as_ref().filter(|_| !entry.unchecked_result) {
                    let subject = format!("value returned from function '{name}'");
                    let checked = mismatch::assert_instance(&subject, returns, &value);
                    checked.map_err(|reason| Stop::runtime(reason.message))?;
                }
                // References are resources for such a function.
                if entry.is_3x { self.convert_3x_result(value) } else { Ok(value) }
            }
            Err(stop) => Err(stop),
        }
    }
}

/// Fails if an argument was compared with a type that cannot test values.
fn check_matchable_arguments(signatures: &[Signature], args: &[Value]) -> Res<()> {
    for signature in signatures.iter().filter(|signature| (signature.min..=signature.max).contains(&args.len())) {
        for (at, arg) in args.iter().enumerate() {
            match signature.param(at) {
                Some(t) if catwalk_value::is_instance(t, arg) => {}
                Some(t) => {
                    catwalk_value::check_matchable(t, arg)?;
                    break;
                }
                None => break,
            }
        }
    }
    Ok(())
}

/// The return type of a function for these arguments; `None` if no signature accepts them.
pub(super) fn native_return_type(entry: &'static Entry, args: &[Value]) -> Res<Option<Option<Type>>> {
    let fitting = entry.signatures()?.iter().find(|signature| accepts(signature, args, None));
    Ok(fitting
        .filter(|signature| !signature.returns_mismatch)
        .map(|signature| signature.shape.callable.returns.clone()))
}

/// The number of steps to visit a whole value.
pub(super) fn weight(value: &Value) -> usize {
    match value {
        Value::Str(text) => text.len() / 16,
        Value::Array(items) => items.measure().elements as usize,
        Value::Hash(entries) => entries.measure().elements as usize,
        _ => 0,
    }
}

/// The first signature that accepts these arguments and this block.
///
/// # Errors
///
/// No signature does: the error, as Puppet words it.
pub fn select<'s>(
    name: &str,
    signatures: &[&'s Signature],
    args: &[Value],
    block: Option<&Block<'_>>,
) -> Result<&'s Signature, Reason> {
    let found = signatures.iter().find(|signature| accepts(signature, args, block));
    found.copied().ok_or_else(|| wrong_arguments(name, describe_mismatch(name, signatures, args, block)))
}

/// Whether a signature takes these arguments and this block.
fn accepts(signature: &Signature, args: &[Value], block: Option<&Block<'_>>) -> bool {
    if args.len() < signature.min || args.len() > signature.max {
        return false;
    }
    let fits = |(at, arg): (usize, &Value)| signature.param(at).is_some_and(|t| catwalk_value::is_instance(t, arg));
    args.iter().enumerate().all(fits) && accepts_block(signature, block)
}

fn accepts_block(signature: &Signature, block: Option<&Block<'_>>) -> bool {
    let Some(block) = block else { return !signature.block_required };
    match &signature.block {
        BlockRule::None => false,
        BlockRule::Any => true,
        BlockRule::Counted(min, max) => block.arity().covers(*min, *max),
        BlockRule::Typed(t) => catwalk_value::is_assignable(t, &block.callable()),
    }
}

fn wrong_arguments(name: &str, description: String) -> Reason {
    Reason::runtime(description).because(Cause::WrongArguments(Name::new(name)))
}

/// `'f' expects …`: the error for arguments that match no signature.
fn describe_mismatch(name: &str, signatures: &[&Signature], args: &[Value], block: Option<&Block<'_>>) -> String {
    let described = signatures.iter().filter(|signature| !signature.returns_mismatch);
    let described: Vec<mismatch::Signature> = described.map(|signature| signature.shape.clone()).collect();
    mismatch::describe_signatures(name, &described, args, block.map(Block::callable).as_ref())
}

/// The arity message for a function whose first parameter is the scope: Puppet counts the scope as an argument.
fn describe_mismatch_with_scope(
    name: &str,
    signatures: &[&Signature],
    args: &[Value],
    block: Option<&Block<'_>>,
) -> String {
    let described = signatures.iter().filter(|signature| !signature.returns_mismatch);
    let mut described: Vec<mismatch::Signature> = described.map(|signature| signature.shape.clone()).collect();
    described.iter_mut().for_each(add_scope_argument);
    let args: Vec<Value> = std::iter::once(Value::Undef).chain(args.iter().cloned()).collect();
    mismatch::describe_signatures(name, &described, &args, block.map(Block::callable).as_ref())
}

fn add_scope_argument(signature: &mut mismatch::Signature) {
    let Some(params) = &signature.callable.params else { return };
    let types = std::iter::once(Type::Any).chain(params.types.iter().cloned()).collect();
    let size = params.size_range();
    let size = IntRange::new(size.lower().map(|n| n.saturating_add(1)), size.upper().map(|n| n.saturating_add(1)));
    signature.callable.params = Some(catwalk_value::TupleType::new(types, Some(size)));
    let names: Vec<std::sync::Arc<str>> =
        std::iter::once(std::sync::Arc::from("scope")).chain(signature.names.iter().cloned()).collect();
    signature.names = names;
}

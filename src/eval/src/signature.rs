//! A signature: the arguments and block that a function accepts, and its code.
//!
//! In: a parameter list in the Puppet language. Out: types, counts, the rule for the block.

use std::sync::Arc;

use crate::Body;
use catwalk_base::diag::Reason;
use catwalk_syntax as syntax;
use catwalk_syntax::ast::Expr;
use catwalk_value::CallableType;
use catwalk_value::IntRange;
use catwalk_value::TupleType;
use catwalk_value::Type;
use catwalk_value::Value;
use catwalk_value::mismatch;
use catwalk_value::parse;

/// The rule for the block.
#[derive(Debug)]
pub enum BlockRule {
    /// No block is accepted.
    None,
    /// Any block is accepted.
    Any,
    /// It must accept every number of arguments from the first to the second.
    Counted(usize, Option<usize>),
    /// It must be of this type.
    Typed(Type),
}

/// One signature.
#[derive(Debug)]
pub struct Signature {
    /// Types and names of parameters, block and result.
    pub shape: mismatch::Signature,
    /// The minimum number of arguments.
    pub min: usize,
    /// The maximum number of arguments.
    pub max: usize,
    /// The block.
    pub block: BlockRule,
    /// Whether the block is required.
    pub block_required: bool,
    /// Whether its code returns the message of an argument mismatch.
    pub returns_mismatch: bool,
    /// The code.
    pub body: Body,
}

impl Signature {
    /// The type of an argument by its position; the last parameter repeats.
    #[must_use]
    pub fn param(&self, at: usize) -> Option<&Type> {
        let types = &self.shape.callable.params.as_ref()?.types;
        types.get(at).or(types.last())
    }

    /// The signature of a script function. `resolver` finds types of modules.
    ///
    /// # Errors
    /// The string is not a parameter list.
    pub fn parse_parameters(text: &str, resolver: &mut dyn parse::AliasResolver) -> Result<Signature, Reason> {
        Signature::parse(text, |_| Ok(Value::Undef), resolver)
    }

    /// Makes the last parameter repeatable, with at least one argument.
    #[must_use]
    pub fn with_repeatable_last(mut self) -> Signature {
        self.min += 1;
        if let Some(params) = self.shape.callable.params.take() {
            let size = IntRange::new(i64::try_from(self.min).ok(), None);
            self.shape.callable.params = Some(TupleType::new(params.types, Some(size)));
        }
        self
    }

    pub(super) fn parse(text: &str, body: Body, resolver: &mut dyn parse::AliasResolver) -> Result<Signature, Reason> {
        let (returns_mismatch, text) = match text.strip_prefix('!') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let parsed = syntax::parse_signature(text)?;
        let mut type_of = |expr: &Option<Expr>| match expr {
            Some(expr) => parse::parse_type_expr(expr, text, resolver),
            None => Ok(Type::Any),
        };
        let types = parsed.params.iter().map(|param| type_of(&param.data_type)).collect::<Result<Vec<_>, _>>()?;
        let names = parsed.params.iter().map(|param| Arc::from(param.name.as_str())).collect();
        let min = parsed.params.iter().filter(|param| param.default.is_none() && !param.captures_rest).count();
        let rest = parsed.params.last().is_some_and(|param| param.captures_rest);
        let max = if rest { usize::MAX } else { parsed.params.len() };
        let block = parsed.block.as_ref().map(|param| type_of(&param.data_type)).transpose()?;
        let returns = parsed.return_type.as_ref().map(|expr| parse::parse_type_expr(expr, text, resolver));
        let size = IntRange::new(i64::try_from(min).ok(), i64::try_from(max).ok().filter(|_| !rest));
        let size = if min > 0 && min == max { None } else { Some(size) };
        Ok(Signature {
            block_required: block.as_ref().is_some_and(|block| !matches!(block, Type::Optional(_))),
            block: block.as_ref().map_or(BlockRule::None, rule),
            shape: mismatch::Signature {
                callable: CallableType {
                    params: Some(TupleType::new(types, size)),
                    block,
                    returns: returns.transpose()?,
                },
                names,
                block_name: parsed.block.as_ref().map(|param| Arc::from(param.name.as_str())),
            },
            min,
            max,
            returns_mismatch,
            body,
        })
    }
}

/// The rule for a block of this type.
fn rule(t: &Type) -> BlockRule {
    let inner = match t {
        Type::Optional(Some(inner)) => inner,
        t => t,
    };
    let Type::Callable(callable) = inner else { return BlockRule::Typed(t.clone()) };
    match &callable.params {
        None if callable.returns.is_none() => BlockRule::Any,
        Some(params) if callable.returns.is_none() && callable.block.is_none() => {
            // `Callable[1, 1]` does not restrict the types of arguments.
            if !params.types.iter().all(|t| matches!(t, Type::Unit)) {
                return BlockRule::Typed(t.clone());
            }
            let size = params.size_range();
            let count = |n: i64| usize::try_from(n).unwrap_or(0);
            BlockRule::Counted(size.lower().map_or(0, count), size.upper().map(count))
        }
        _ => BlockRule::Typed(t.clone()),
    }
}

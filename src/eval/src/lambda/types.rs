//! Types of parameters and results: evaluated once, and compared with arguments.
//!
//! In: parameters, arguments. Out: types, whether arguments match, Puppet's message. Must not: call anything.
//! (`Puppet::Pops::Evaluator::Closure`)

use crate::Arity;
use crate::Block;
use crate::Evaluator;
use crate::Res;
use crate::ScopeId;
use crate::Stop;
use crate::Vars;
use crate::issues;
use catwalk_syntax::ast::Expr;
use catwalk_syntax::ast::FunctionDefinition;
use catwalk_syntax::ast::Lambda;
use catwalk_syntax::ast::Parameter;
use catwalk_value::CallableType;
use catwalk_value::IntRange;
use catwalk_value::TupleType;
use catwalk_value::Type;
use catwalk_value::Value;
use catwalk_value::mismatch;
use catwalk_value::ruby;
use std::sync::Arc;

/// The types of parameters and result, evaluated once for each block or function.
#[derive(Debug)]
pub struct Types {
    /// One for each parameter; for `*$rest` the type of each element.
    pub params: Vec<Type>,
    /// The arity of the signature.
    pub arity: Arity,
    /// The signature as a type.
    pub callable: Arc<CallableType>,
    /// Parameters whose declared type is invalid, with Ruby's name for it: reported when a value is compared with it.
    pub invalid_types: Vec<(usize, String)>,
    /// Ruby's name of the declared result type, if it is not a type.
    pub(super) invalid_return_type: Option<String>,
}

impl Types {
    /// The value that the parameter of an argument declares instead of a type.
    pub(super) fn invalid_type(&self, argument: usize) -> Option<&str> {
        if self.invalid_types.is_empty() {
            return None;
        }
        let parameter = argument.min(self.params.len().saturating_sub(1));
        self.invalid_types.iter().find(|(at, _)| *at == parameter).map(|(_, name)| name.as_str())
    }
}

/// Ruby's error for a comparison with a value that is not a type.
pub(super) fn not_a_type_error(value: &str) -> Stop {
    Stop::runtime(format!("undefined method `instance?' for {value}"))
}

/// Whether arguments match by number and type.
///
/// # Errors
///
/// An argument is compared with a value that is not a type.
pub(super) fn accepts(types: &Types, args: &[Value]) -> Res<bool> {
    if args.len() < types.arity.min || types.arity.max.is_some_and(|max| args.len() > max) {
        return Ok(false);
    }
    for (at, arg) in args.iter().enumerate() {
        if let Some(name) = types.invalid_type(at) {
            return Err(not_a_type_error(name));
        }
        if !types.params.get(at).or(types.params.last()).is_some_and(|t| catwalk_value::is_instance(t, arg)) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether bound parameters have values of their types.
///
/// # Errors
/// As [`accepts`].
pub(super) fn fits(params: &[Parameter], types: &Types, vars: &Vars) -> Res<bool> {
    for (at, (param, t)) in params.iter().zip(&types.params).enumerate() {
        let invalid_type = || types.invalid_type(at).map_or(Ok(()), |name| Err(not_a_type_error(name)));
        let fit = match vars.get(param.name) {
            Some(Value::Array(items)) if param.captures_rest => {
                let before = params.len() - 1;
                let count = before + items.len();
                if !items.is_empty() {
                    invalid_type()?;
                }
                count >= types.arity.min
                    && types.arity.max.is_none_or(|max| count <= max)
                    && items.iter().all(|item| catwalk_value::is_instance(t, item))
            }
            Some(value) => {
                invalid_type()?;
                *t == Type::Any || catwalk_value::is_instance(t, value)
            }
            None => true,
        };
        if !fit {
            return Ok(false);
        }
    }
    Ok(true)
}

pub(super) fn final_arguments(params: &[Parameter], vars: &Vars) -> Vec<Value> {
    let mut values = Vec::new();
    for param in params {
        match vars.get(param.name) {
            Some(Value::Array(items)) if param.captures_rest => values.extend(items.iter().cloned()),
            Some(value) => values.push(value.clone()),
            None => {}
        }
    }
    values
}

pub(super) fn describe_mismatch(
    name: &str,
    params: &[Parameter],
    types: &Types,
    args: &[Value],
    block: Option<&Block<'_>>,
) -> String {
    let signature = mismatch::Signature {
        callable: CallableType::clone(&types.callable),
        names: params.iter().map(|param| Arc::from(param.name.as_str())).collect(),
        block_name: None,
    };
    mismatch::describe_signatures(name, &[signature], args, block.map(Block::callable).as_ref())
}

impl<'c> Evaluator<'c> {
    /// The types of a block; `None` if it declares none.
    pub(crate) fn lambda_types(&mut self, lambda: &'c Lambda) -> Res<Option<Arc<Types>>> {
        let plain = |param: &Parameter| param.data_type.is_none() && param.default.is_none();
        if lambda.return_type.is_none() && lambda.params.iter().all(plain) {
            return Ok(None);
        }
        Ok(Some(Arc::new(self.evaluate_types(&lambda.params, lambda.return_type.as_ref())?)))
    }

    pub(super) fn evaluate_types(&mut self, params: &'c [Parameter], returns: Option<&'c Expr>) -> Res<Types> {
        let mut param_types = Vec::with_capacity(params.len());
        let (mut min, mut max) = (0i64, Some(0i64));
        let mut optional = false;
        let mut invalid_types = Vec::new();
        for (at, param) in params.iter().enumerate() {
            let declared = match &param.data_type {
                Some(expr) => self.declared_type(expr)?.unwrap_or_else(|name| {
                    invalid_types.push((at, name));
                    Type::Any
                }),
                None => Type::Any,
            };
            let (t, from, to) = match (param.captures_rest, &declared) {
                (true, Type::Array(array)) => {
                    let size = array.size.unwrap_or(IntRange::from(0));
                    (array.element.clone(), size.lower().unwrap_or(0), size.upper())
                }
                (true, _) => (declared, 0, None),
                (false, _) if param.default.is_some() => (declared, 0, Some(1)),
                (false, _) => (declared, 1, Some(1)),
            };
            if from == 0 {
                optional = true;
            } else if optional {
                return Err(Stop::issue(issues::required_after_optional(param.name.as_str()), param.span));
            }
            param_types.push(t);
            min += from;
            max = max.zip(to).map(|(max, to)| max.saturating_add(to));
        }
        let (returns, invalid_return_type) = match returns {
            Some(expr) => match self.declared_type(expr)? {
                Ok(declared) => (Some(declared), None),
                Err(name) => (None, Some(name)),
            },
            None => (None, None),
        };
        let tuple = TupleType::new(param_types.clone(), Some(IntRange::new(Some(min), max)));
        let callable = CallableType { params: Some(tuple), block: None, returns: returns.filter(|t| *t != Type::Any) };
        let count = |n: i64| usize::try_from(n).unwrap_or(usize::MAX);
        Ok(Types {
            params: param_types,
            arity: Arity { min: count(min), max: max.map(count) },
            callable: Arc::new(callable),
            invalid_types,
            invalid_return_type,
        })
    }

    /// An expression whose value must be a type.
    ///
    /// # Errors
    ///
    /// It fails, or has another value.
    pub(crate) fn eval_type(&mut self, expr: &'c Expr) -> Res<Type> {
        self.declared_type(expr)?.map_err(|name| not_a_type_error(&name))
    }

    /// The declared type; Ruby's name of the value if it is not a type.
    pub(super) fn declared_type(&mut self, expr: &'c Expr) -> Res<Result<Type, String>> {
        Ok(match self.eval_shared_type(expr)? {
            Value::Type(t) => Ok(t),
            other @ (Value::Undef | Value::Array(_)) => Err(ruby::receiver(&other)),
            other => Err(ruby::plain_conversion_name(&other).to_owned()),
        })
    }

    /// The types of a function in the Puppet language.
    pub(super) fn function_types(&mut self, function: &'c FunctionDefinition) -> Res<Arc<Types>> {
        if let Some(types) = self.signatures.get(&std::ptr::from_ref(function)) {
            return Ok(types.clone());
        }
        let returns = function.return_type.as_ref();
        let types = Arc::new(self.in_scope(ScopeId::TOP, |ev| ev.evaluate_types(&function.params, returns))?);
        self.signatures.insert(std::ptr::from_ref(function), types.clone());
        Ok(types)
    }

    /// The return type of a function in the Puppet language for these arguments; `None` if it does not accept them.
    pub(crate) fn defined_return_type(
        &mut self,
        function: &'c FunctionDefinition,
        args: &[Value],
    ) -> Res<Option<Option<Type>>> {
        let types = self.function_types(function)?;
        Ok(accepts(&types, args)?.then(|| types.callable.returns.clone()))
    }
}

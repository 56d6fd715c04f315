//! Parameters, defaults and bodies of blocks and of functions in the Puppet language (Puppet::Pops::Evaluator::Closure).

mod types;

pub(crate) use types::Types;
use types::accepts;
use types::describe_mismatch;
use types::final_arguments;
use types::fits;
use types::not_a_type_error;

use std::sync::Arc;

use crate::Arity;
use crate::Block;
use crate::Evaluator;
use crate::PendingParameters;
use crate::Res;
use crate::ScopeId;
use crate::ScopeKind;
use crate::Stop;
use crate::Vars;
use crate::issues;
use catwalk_base::diag::Code;
use catwalk_base::diag::Reason;
use catwalk_base::names::Name;
use catwalk_base::profile;
use catwalk_syntax::ast;
use catwalk_syntax::ast::Expr;
use catwalk_syntax::ast::ExprKind;
use catwalk_syntax::ast::FunctionDefinition;
use catwalk_syntax::ast::Lambda;
use catwalk_syntax::ast::Parameter;
use catwalk_value::Value;
use catwalk_value::mismatch;

/// The arity of parameters without types.
pub(super) fn arity(params: &[Parameter]) -> Arity {
    let min = params.iter().filter(|param| param.default.is_none() && !param.captures_rest).count();
    let captures_rest = params.last().is_some_and(|param| param.captures_rest);
    Arity { min, max: (!captures_rest).then_some(params.len()) }
}

/// The called block or function, for messages and the kind of its scope.
#[derive(Clone, Copy)]
struct Callee<'c> {
    name: &'c str,
    params: &'c [Parameter],
    body: &'c ast::Block,
    kind: ScopeKind,
    scope: ScopeId,
}

impl<'c> Evaluator<'c> {
    /// Calls a block in the scope it was written in.
    pub(super) fn call_lambda(
        &mut self,
        lambda: &'c Lambda,
        scope: ScopeId,
        types: Option<&Types>,
        args: &[Value],
    ) -> Res<Value> {
        let callee =
            Callee { name: "lambda", params: &lambda.params, body: &lambda.body, kind: ScopeKind::Local, scope };
        let saved = self.scope;
        self.scope = scope;
        let result = self.call_closure(callee, types, args);
        self.scope = saved;
        result
    }

    /// Calls a function in the Puppet language.
    pub(super) fn call_defined(
        &mut self,
        name: Name,
        function: &'c FunctionDefinition,
        args: &[Value],
        block: Option<&Block<'c>>,
    ) -> Res<Value> {
        // Even when called in a node block, a function runs in the compiler's top scope.
        let scope = ScopeId::TOP;
        profile::set_file(|| Some(self.program.sources.get(function.body.span.file)?.name.clone()));
        let types = self.function_types(function)?;
        if !accepts(&types, args)? || block.is_some() {
            let text = describe_mismatch(name.as_str(), &function.params, &types, args, block);
            return Err(Stop::runtime(text));
        }
        let callee = Callee {
            name: name.as_str(),
            params: &function.params,
            body: &function.body,
            kind: ScopeKind::Function,
            scope,
        };
        match self.call_closure(callee, Some(&types), args) {
            Err(Stop::Return(jump)) => Ok(jump.0),
            result => result,
        }
    }

    fn call_closure(&mut self, callee: Callee<'c>, types: Option<&Types>, args: &[Value]) -> Res<Value> {
        let simple = args.len() >= callee.params.len() && !callee.params.last().is_some_and(|p| p.captures_rest);
        let vars = if simple {
            let mut vars = Vars::with_capacity(callee.params.len());
            for (param, arg) in callee.params.iter().zip(args) {
                vars.insert(param.name, arg.clone());
            }
            vars
        } else {
            self.bind_parameters(callee, args)?
        };
        if let Some(param) = callee.params.iter().find(|param| reserved(param.name.as_str())) {
            let text = format!("Attempt to assign to a reserved variable name: '{}'", param.name);
            return Err(Stop::runtime(text));
        }
        if let Some(types) = types
            && !fits(callee.params, types, &vars)?
        {
            let values = final_arguments(callee.params, &vars);
            types.params.iter().zip(&values).try_for_each(|(t, value)| mismatch::check_describable(t, value))?;
            return Err(Stop::runtime(describe_mismatch(callee.name, callee.params, types, &values, None)));
        }
        let result = self.nested(callee.kind, callee.scope, vars, |ev| ev.eval_block(callee.body));
        let value = match result {
            Err(Stop::Next(jump)) => jump.0,
            other => other?,
        };
        if let Some(name) = types.and_then(|types| types.invalid_return_type.as_ref()) {
            return Err(not_a_type_error(name));
        }
        if let Some(returns) = types.and_then(|types| types.callable.returns.as_ref()) {
            let subject = format!("value returned from {}", callee.name);
            let checked = mismatch::assert_instance(&subject, returns, &value);
            checked.map_err(|reason| Stop::runtime(reason.message))?;
        }
        Ok(value)
    }

    /// Binds parameters to arguments, with defaults for missing ones.
    fn bind_parameters(&mut self, callee: Callee<'c>, args: &[Value]) -> Res<Vars> {
        let names = callee.params.iter().map(|param| param.name).collect();
        let pending =
            PendingParameters { callee: crate::Callee::Named(Arc::from(callee.name)), names, read_only: false };
        let count = callee.params.len();
        self.with_pending(callee.kind, callee.scope, pending, |ev, id| {
            for (at, param) in callee.params.iter().enumerate() {
                let value = match (args.get(at), &param.default) {
                    (None, Some(default)) => {
                        let value = ev.default_value(param.name, default)?;
                        if param.captures_rest { as_array(value) } else { value }
                    }
                    (None, None) if param.captures_rest => Value::array(Vec::new()),
                    (None, None) => {
                        let reason = issues::missing_required_parameter(param.name.as_str());
                        return Err(Stop::issue(reason, param.span));
                    }
                    (Some(Value::Undef), Some(default)) if param.captures_rest && args.len() == count => {
                        as_array(ev.default_value(param.name, default)?)
                    }
                    (Some(_), _) if param.captures_rest => Value::array(args.get(at..).unwrap_or_default().to_vec()),
                    (Some(value), _) => value.clone(),
                };
                ev.set_pending(id, param.name, value);
            }
            Ok(())
        })
    }

    /// Runs `body` in a scope whose parameters have no values yet (`with_parameter_scope`); returns its result.
    ///
    /// # Errors
    /// The failure of `body`.
    pub(crate) fn with_pending(
        &mut self,
        kind: ScopeKind,
        parent: ScopeId,
        pending: PendingParameters,
        body: impl FnOnce(&mut Self, ScopeId) -> Res<()>,
    ) -> Res<Vars> {
        self.nested(kind, parent, Vars::new(), |ev| {
            let id = ev.scope;
            if let Some(scope) = ev.scope_mut(id) {
                scope.pending = Some(Box::new(pending));
            }
            body(ev, id)?;
            Ok(ev.scope_mut(id).map(|scope| std::mem::take(&mut scope.vars)).unwrap_or_default())
        })
    }

    /// Sets a parameter of `Evaluator::with_pending`.
    pub fn set_pending(&mut self, id: ScopeId, name: Name, value: Value) {
        if let Some(scope) = self.scope_mut(id) {
            scope.vars.insert(name, value);
        }
    }

    /// The value of a parameter's default expression, evaluated in the scope of `Evaluator::with_pending`.
    ///
    /// # Errors
    /// It fails, or uses a parameter that has no value yet.
    pub fn default_value(&mut self, name: Name, default: &'c Expr) -> Res<Value> {
        if matches!(default.kind, ExprKind::Str(_) | ExprKind::Int(..) | ExprKind::Bool(_) | ExprKind::Undef) {
            return self.eval(default);
        }
        let id = self.scope;
        let was = self.set_read_only(id, true);
        let result = self.guarded(|ev| ev.eval(default));
        self.set_read_only(id, was);
        match result {
            Err(Stop::Reason(reason)) if reason.code == Code::UNEVALUATED_PARAMETER => {
                Err(self.unevaluated(id, name, &reason.message).into())
            }
            result => result,
        }
    }

    fn set_read_only(&mut self, id: ScopeId, on: bool) -> bool {
        let pending = self.scope_mut(id).and_then(|scope| scope.pending.as_mut());
        pending.is_some_and(|pending| std::mem::replace(&mut pending.read_only, on))
    }

    fn unevaluated(&self, id: ScopeId, from: Name, to: &str) -> Reason {
        let Some(pending) = self.scope(id).and_then(|scope| scope.pending.as_ref()) else {
            return Reason::runtime(format!("expects a value for parameter ${to}"));
        };
        let position = |name: &str| pending.names.iter().position(|known| known.as_str() == name);
        let callee = match &pending.callee {
            crate::Callee::Named(name) => name.to_string(),
            crate::Callee::Resource(id) => {
                self.state.resources.entries.get(id.0 as usize).map_or_else(String::new, crate::state::Entry::reference)
            }
        };
        if position(to) < position(from.as_str()) {
            return Reason::runtime(format!("{callee}: expects a value for parameter ${to}"));
        }
        Reason::runtime(format!(
            "{callee}: default expression for ${from} tries to illegally access not yet evaluated ${to}"
        ))
    }
}

/// Variables that only the compiler sets.
#[must_use]
pub fn reserved(name: &str) -> bool {
    matches!(name, "facts" | "trusted" | "server_facts")
}

fn as_array(value: Value) -> Value {
    match value {
        Value::Array(_) => value,
        other => Value::array(vec![other]),
    }
}

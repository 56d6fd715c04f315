//! Evaluation of all kinds of expressions, and of the simple ones: literals, variables, assignment, collections.

use crate::Evaluator;
use crate::Limits;
use crate::Res;
use crate::Stop;
use crate::control::without_parentheses;
use crate::issues;
use catwalk_base::diag::Code;
use catwalk_base::diag::Reason;
use catwalk_base::names::Name;
use catwalk_base::source::Span;
use catwalk_syntax::ast;
use catwalk_syntax::ast::AssignOp;
use catwalk_syntax::ast::Expr;
use catwalk_syntax::ast::ExprKind;
use catwalk_syntax::label;
use catwalk_value::Hash;
use catwalk_value::Value;

/// The limit on nested expressions, as a multiple of the limit on nested calls.
const NESTING: u32 = 8;

impl<'c> Evaluator<'c> {
    /// The value of an expression.
    ///
    /// # Errors
    ///
    /// Any failure, with its position; `return`, `next` and `break` that are not caught yet.
    pub fn eval(&mut self, expr: &'c Expr) -> Res<Value> {
        match &expr.kind {
            ExprKind::Str(text) => Ok(Value::from(text.clone())),
            ExprKind::Bareword(name) => Ok(Value::from(name.shared())),
            ExprKind::Int(number, _) => Ok(Value::Int(*number)),
            ExprKind::Bool(value) => Ok(Value::Bool(*value)),
            ExprKind::Undef | ExprKind::Nop | ExprKind::Definition(_) => Ok(Value::Undef),
            ExprKind::Var(name) => match self.eval_variable(*name, expr.span) {
                Ok(value) => Ok(value),
                Err(stop) => Err(self.add_span(stop, expr)),
            },
            _ => self.eval_nested(expr),
        }
    }

    fn eval_nested(&mut self, expr: &'c Expr) -> Res<Value> {
        if self.depth >= self.settings.limits.depth.saturating_mul(NESTING) {
            let help = format!("expressions are nested more than {} deep; {}", self.depth, Limits::hint("depth"));
            return Err(self.add_span(Reason::runtime("stack level too deep").help(help).into(), expr));
        }
        self.depth += 1;
        let result = self.eval_kind(expr);
        self.depth -= 1;
        let stop = match result {
            Ok(value) => match self.check_value(&value) {
                Ok(()) => return Ok(value),
                Err(stop) => stop,
            },
            Err(stop) => stop,
        };
        Err(self.add_span(stop, expr))
    }

    /// One line for each kind, so that this frame, which is repeated in recursion, stays small.
    fn eval_kind(&mut self, expr: &'c Expr) -> Res<Value> {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Nop | ExprKind::Undef | ExprKind::Definition(_) => Ok(Value::Undef),
            ExprKind::Default => Ok(Value::Default),
            ExprKind::Bool(value) => Ok(Value::Bool(*value)),
            ExprKind::Int(number, _) => Ok(Value::Int(*number)),
            ExprKind::Float(number) => Ok(Value::Float(*number)),
            ExprKind::Str(text) => Ok(Value::from(text.clone())),
            ExprKind::Interpolated(parts) => self.eval_interpolated(parts),
            ExprKind::Text(inner) => self.eval_as_string(inner),
            ExprKind::Heredoc(heredoc) => self.eval_heredoc(heredoc),
            ExprKind::Bareword(name) => Ok(Value::from(name.shared())),
            ExprKind::TypeName(name) => self.eval_type_name(*name, span),
            ExprKind::Reserved(word) => Err(Stop::issue(issues::reserved_word(word), span)),
            ExprKind::Regex(regexp) => Ok(Value::Regexp(regexp.clone())),
            ExprKind::Var(name) => self.eval_variable(*name, span),
            ExprKind::Array(items) => Ok(Value::array(self.eval_list(items)?)),
            ExprKind::Hash(entries) => self.eval_hash(entries),
            ExprKind::Paren(inner) => self.eval(inner),
            ExprKind::Minus(inner) => self.eval_minus(inner, span),
            ExprKind::Not(inner) => Ok(Value::Bool(!self.eval(inner)?.truthy())),
            ExprKind::Unfold(inner) => self.eval_unfold(inner),
            ExprKind::Binary(binary) => self.eval_binary(binary, span),
            ExprKind::Assign(assign) => self.eval_assign(assign, span),
            ExprKind::Access(access) => self.eval_access(access, span),
            ExprKind::Call(call) => self.eval_call(call, span),
            ExprKind::Method(method) => self.eval_method(method, span),
            ExprKind::Lambda(_) => Err(Reason::unsupported("a lambda that is not part of a call").into()),
            ExprKind::If(inner) => self.eval_if(inner, false),
            ExprKind::Unless(inner) => self.eval_if(inner, true),
            ExprKind::Case(case) => self.eval_case(case),
            ExprKind::Selector(selector) => self.eval_selector(selector),
            ExprKind::Block(block) => self.eval_block(block),
            ExprKind::Resource(resource) => self.eval_resource(resource, span),
            ExprKind::ResourceDefaults(defaults) => self.eval_resource_defaults(defaults),
            ExprKind::ResourceOverride(node) => self.eval_resource_override(node, span),
            ExprKind::Collector(collector) => self.eval_collector(collector),
            ExprKind::Relation(relation) => self.eval_relation(relation, span),
            ExprKind::Epp(epp) => self.eval_epp(epp),
            ExprKind::RenderText(text) => Ok(self.render_text(text)),
            ExprKind::RenderExpr(inner) => self.render(inner),
            ExprKind::Error => Err(Reason::runtime("this statement has a syntax error").into()),
        }
    }

    /// Adds the span of the evaluated expression to a failure without a position.
    pub(super) fn add_span(&self, stop: Stop, expr: &Expr) -> Stop {
        let Stop::Reason(reason) = stop else { return stop };
        self.add_position(*reason, expr.span, || label(expr).into_owned())
    }

    /// Adds a position to a failure; `label` is the kind of expression for the message.
    pub(super) fn add_position(&self, mut reason: Reason, span: Span, label: impl FnOnce() -> String) -> Stop {
        if reason.code == Code::UNEVALUATED_PARAMETER {
            return reason.into();
        }
        if matches!(reason.code, Code::RUNTIME_ERROR | Code::DUPLICATE_RESOURCE | Code::NOT_CONVERTIBLE) {
            if reason.code == Code::NOT_CONVERTIBLE {
                reason.code = Code::RUNTIME_ERROR;
            }
            let label = super::interpolate::article(&label());
            reason.message = format!("Error while evaluating {label}, {}", reason.message).into();
        }
        let stop = Stop::issue(reason, span);
        match stop {
            Stop::Failed(mut diagnostic) => {
                diagnostic.trace = self.trace();
                Stop::Failed(diagnostic)
            }
            other => other,
        }
    }

    /// `$name`; an unknown variable is treated as `strict_variables` and `strict` require.
    pub(super) fn eval_variable(&mut self, name: Name, span: Span) -> Res<Value> {
        match self.variable(name)? {
            Ok(value) => Ok(value),
            Err(_) if self.settings.strict_variables => {
                let near = self.similar_variable(name);
                Err(Stop::issue(issues::unknown_variable(name.as_str()).hint(near), span))
            }
            Err(_) => {
                let near = match self.settings.strict {
                    catwalk_base::version::Strict::Off => None,
                    _ => self.similar_variable(name),
                };
                self.strictly(|| issues::unknown_variable(name.as_str()).hint(near), span)?;
                Ok(Value::Undef)
            }
        }
    }

    /// Values of a list in which `*x` is expanded.
    pub(super) fn eval_list(&mut self, items: &'c [Expr]) -> Res<Vec<Value>> {
        let mut values = Vec::with_capacity(items.len());
        self.eval_list_into(&mut values, items)?;
        Ok(values)
    }

    pub(super) fn eval_list_into(&mut self, values: &mut Vec<Value>, items: &'c [Expr]) -> Res<()> {
        for item in items {
            let item = without_parentheses(item);
            let value = self.eval(item)?;
            match (&item.kind, value) {
                (ExprKind::Unfold(_), Value::Array(several)) => values.extend(several.iter().cloned()),
                (_, value) => values.push(value),
            }
        }
        Ok(())
    }

    fn eval_unfold(&mut self, inner: &'c Expr) -> Res<Value> {
        Ok(match self.eval(inner)? {
            Value::Undef => Value::array(Vec::new()),
            Value::Array(items) => Value::Array(items),
            Value::Hash(entries) => Value::array(pairs(&entries)),
            Value::Iterator(iter) => Value::array(iter.to_vec()),
            // Only iterators are `Iterable` as a Ruby class: a string or a number stays one value.
            other => Value::array(vec![other]),
        })
    }

    fn eval_hash(&mut self, entries: &'c [ast::HashEntry]) -> Res<Value> {
        let mut hash = Hash::with_capacity(entries.len());
        for entry in entries {
            let key = self.eval(&entry.key)?;
            let value = self.eval(&entry.value)?;
            hash.insert(key, value);
        }
        Ok(Value::hash(hash))
    }

    fn eval_assign(&mut self, assign: &'c ast::Assign, span: Span) -> Res<Value> {
        check_target(&assign.left)?;
        let value = self.eval(&assign.right)?;
        if assign.op != AssignOp::Set {
            return Err(Stop::issue(issues::appends_deletes_no_longer_supported(assign.op.as_str()), span));
        }
        self.assign(&assign.left, &value, assign, span)?;
        Ok(value)
    }

    fn assign(&mut self, target: &'c Expr, value: &Value, assign: &'c ast::Assign, span: Span) -> Res<()> {
        match &target.kind {
            ExprKind::Var(name) => self.assign_one(*name, value, assign, span),
            ExprKind::Array(targets) => self.assign_several(targets, value, assign, span),
            _ => Err(Stop::issue(issues::illegal_assignment(&label(target)), target.span)),
        }
    }

    fn assign_one(&mut self, name: Name, value: &Value, assign: &'c ast::Assign, span: Span) -> Res<()> {
        if name.is_numeric() {
            return Err(Stop::issue(issues::illegal_numeric_assignment(name.as_str()), assign.left.span));
        }
        if name.is_qualified() {
            return Err(Stop::issue(issues::cross_scope_assignment(name.as_str()), assign.left.span));
        }
        if name.as_str() == "server_facts" {
            return Err(Stop::issue(issues::illegal_reserved_assignment(name.as_str()), span));
        }
        if self.is_bound(name) {
            let reserved = matches!(name.as_str(), "trusted" | "facts");
            let issue = if reserved { issues::illegal_reserved_assignment } else { issues::illegal_reassignment };
            return Err(Stop::issue(issue(name.as_str()), span));
        }
        Ok(self.set_variable(name, value.clone())?)
    }

    fn assign_several(&mut self, targets: &'c [Expr], value: &Value, assign: &'c ast::Assign, span: Span) -> Res<()> {
        match value {
            Value::Hash(entries) => {
                for target in targets {
                    // Nested lists are looked up with the list of names as the key.
                    let ExprKind::Var(name) = &target.kind else {
                        let Some(value) = entries.get_value(&target_key(target)) else {
                            let key = target_text(target);
                            return Err(Stop::issue(issues::missing_multi_assignment_key(&key), span));
                        };
                        self.assign(target, &value.clone(), assign, span)?;
                        continue;
                    };
                    let value = entries.get(name.as_str()).cloned();
                    let missing = || Stop::issue(issues::missing_multi_assignment_key(name.as_str()), span);
                    self.assign_one(*name, &value.ok_or_else(missing)?, assign, span)?;
                }
                Ok(())
            }
            Value::Type(catwalk_value::Type::Class(Some(class))) => {
                self.assign_from_class(targets, &class.clone(), assign, span)
            }
            Value::Type(catwalk_value::Type::Class(None)) => Err(Stop::runtime(crate::runtime3::NO_CLASS)),
            Value::Array(values) if values.len() == targets.len() => targets
                .iter()
                .zip(values.iter())
                .try_for_each(|(target, value)| self.assign(target, value, assign, span)),
            Value::Array(values) => Err(Stop::issue(issues::multi_assignment_size(targets.len(), values.len()), span)),
            value => match targets {
                [target] => self.assign(target, value, assign, span),
                _ => Err(Stop::issue(issues::multi_assignment_size(targets.len(), 1), span)),
            },
        }
    }

    /// `[$a, $b] = Class[c]`
    fn assign_from_class(&mut self, targets: &'c [Expr], class: &str, assign: &'c ast::Assign, span: Span) -> Res<()> {
        if !self.class_scopes.contains_key(&Name::new(class).normalized()) {
            return Err(Stop::issue(issues::unknown_resource("Class", class), assign.right.span));
        }
        for target in targets {
            // A list of names is looked up as one name, which no variable has.
            let ExprKind::Var(name) = &target.kind else {
                let full = format!("{}::{}", class.to_lowercase(), target_text(target));
                return Err(Stop::issue(issues::missing_multi_assignment_variable(&full), target.span));
            };
            let full = Name::new(&format!("{}::{name}", class.to_lowercase()));
            if !self.variable_exists(full)? {
                return Err(Stop::issue(issues::missing_multi_assignment_variable(full.as_str()), target.span));
            }
            let value = self.eval_variable(full, target.span)?;
            self.assign_one(*name, &value, assign, span)?;
        }
        Ok(())
    }
}

/// Entries of a hash as arrays of key and value.
pub(crate) fn pairs(entries: &Hash) -> Vec<Value> {
    entries.iter().map(|(key, value)| Value::array(vec![key.clone(), value.clone()])).collect()
}

/// Fails for an expression that cannot be assigned to.
fn check_target(target: &Expr) -> Res<()> {
    match &target.kind {
        ExprKind::Var(_) => Ok(()),
        ExprKind::Array(targets) => targets.iter().try_for_each(check_target),
        _ => Err(Stop::issue(issues::illegal_assignment(&label(target)), target.span)),
    }
}

/// The key of a target in a hash: its name, or the list of its names.
fn target_key(target: &Expr) -> Value {
    match &target.kind {
        ExprKind::Var(name) => Value::str(name.as_str()),
        ExprKind::Array(targets) => Value::array(targets.iter().map(target_key).collect()),
        _ => Value::Undef,
    }
}

fn target_text(target: &Expr) -> String {
    match &target.kind {
        ExprKind::Var(name) => format!("\"{name}\""),
        ExprKind::Array(targets) => {
            format!("[{}]", targets.iter().map(target_text).collect::<Vec<_>>().join(", "))
        }
        _ => String::new(),
    }
}

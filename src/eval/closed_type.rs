//! Types that mean the same everywhere: the language's own with constants as parameters.
//!
//! In: type expressions. Out: types, evaluated once and then shared by all compiles of an environment. What depends on an
//! alias, a variable or the clock is evaluated by each compile. Must not: load files.

use std::sync::OnceLock;
use std::sync::PoisonError;
use std::sync::RwLock;

use crate::eval::Evaluator;
use crate::eval::Res;
use crate::names::Name;
use crate::names::NameMap;
use crate::syntax::ast::Expr;
use crate::syntax::ast::ExprKind;
use crate::types::Type;
use crate::types::parse;
use crate::value::Value;

/// The type of the language with this name, if it has nothing to do with the catalog or the clock.
pub(super) fn of_name(name: Name) -> Option<Type> {
    static KNOWN: OnceLock<RwLock<NameMap<Option<Type>>>> = OnceLock::new();
    let known = KNOWN.get_or_init(RwLock::default);
    if let Some(known) = known.read().unwrap_or_else(PoisonError::into_inner).get(&name) {
        return known.clone();
    }
    let found = parse::language_type(name.as_str()).filter(|t| {
        !matches!(t, Type::Resource(_) | Type::Class(_) | Type::Timestamp(_) | Type::Object(_) | Type::CatalogEntry)
    });
    known.write().unwrap_or_else(PoisonError::into_inner).insert(name, found.clone());
    found
}

/// Whether an expression is such a type, or a constant as its parameter.
pub(super) fn is_closed(expr: &Expr, depth: usize) -> bool {
    if depth > 32 {
        return false;
    }
    match &expr.kind {
        ExprKind::TypeName(name) => of_name(*name).is_some(),
        ExprKind::Access(access) => {
            let ExprKind::TypeName(name) = &access.left.kind else { return false };
            let closed_key = |key: &Expr| match &key.kind {
                ExprKind::Hash(entries) if *name == "Struct" => {
                    entries.iter().all(|entry| is_closed(&entry.key, depth + 2) && is_closed(&entry.value, depth + 2))
                }
                _ => is_closed(key, depth + 1),
            };
            is_closed(&access.left, depth + 1) && access.keys.iter().all(closed_key)
        }
        ExprKind::Paren(inner) | ExprKind::Minus(inner) => is_closed(inner, depth + 1),
        ExprKind::Str(_)
        | ExprKind::Int(..)
        | ExprKind::Float(_)
        | ExprKind::Bool(_)
        | ExprKind::Regex(_)
        | ExprKind::Undef
        | ExprKind::Default => true,
        _ => false,
    }
}

impl<'c> Evaluator<'c> {
    /// The value of an expression that should be a type.
    ///
    /// # Errors
    /// Its evaluation fails.
    pub(super) fn eval_shared_type(&mut self, expr: &'c Expr) -> Res<Value> {
        if let ExprKind::TypeName(name) = &expr.kind
            && let Some(t) = of_name(*name)
        {
            return Ok(Value::Type(t));
        }
        let shared = self.program.shared_types();
        match shared.get(expr.span) {
            Some(Some(t)) => return Ok(Value::Type(t)),
            Some(None) => return self.eval(expr),
            None => {}
        }
        let closed = is_closed(expr, 0);
        let value = self.eval(expr)?;
        match &value {
            Value::Type(t) if closed => shared.set(expr.span, Some(t.clone())),
            _ => shared.set(expr.span, None),
        }
        Ok(value)
    }
}

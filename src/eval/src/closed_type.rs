//! Types that mean the same in every compile: the language's own with constants as parameters.
//!
//! In: type expressions. Out: types, evaluated once and then shared by all compiles of an environment, including type aliases as
//! long as each name in them means the same alias. Types that depend on a variable, a resource type or the clock are evaluated by
//! each compile. Must not: load files, except those of aliases.

use parking_lot::RwLock;
use std::sync::Arc;
use std::sync::OnceLock;

use crate::Evaluator;
use crate::Res;
use crate::type_resolver::Aliases;
use catwalk_base::names::Name;
use catwalk_base::names::NameMap;
use catwalk_program::SharedType;
use catwalk_syntax::ast::Expr;
use catwalk_syntax::ast::ExprKind;
use catwalk_value::Alias;
use catwalk_value::Type;
use catwalk_value::Value;
use catwalk_value::parse;
use catwalk_value::parse::AliasResolver;

/// The language's type with this name, if it does not depend on the catalog or the clock.
pub(super) fn closed_type_named(name: Name) -> Option<Type> {
    static TYPES: OnceLock<RwLock<NameMap<Option<Type>>>> = OnceLock::new();
    let types = TYPES.get_or_init(RwLock::default);
    if let Some(found) = types.read().get(&name) {
        return found.clone();
    }
    let found = parse::language_type(name.as_str()).filter(|t| {
        !matches!(
            t,
            Type::Resource(_)
                | Type::Class(_)
                | Type::Timestamp(_)
                | Type::Object(_)
                | Type::CatalogEntry
                | Type::Reference(_)
        )
    });
    types.write().insert(name, found.clone());
    found
}

/// Whether an expression consists only of such types, of constants as their parameters, and of possible names of aliases. Adds
/// these names to `names`.
fn is_closed(expr: &Expr, depth: usize, names: &mut Vec<Name>) -> bool {
    if depth > 32 {
        return false;
    }
    match &expr.kind {
        ExprKind::TypeName(name) => {
            let may_be_alias = name.is_qualified();
            if may_be_alias && !names.contains(name) {
                names.push(*name);
            }
            may_be_alias || closed_type_named(*name).is_some()
        }
        ExprKind::Access(access) => {
            let ExprKind::TypeName(name) = &access.left.kind else { return false };
            let mut closed_key = |key: &Expr| match &key.kind {
                ExprKind::Hash(entries) if *name == "Struct" => entries
                    .iter()
                    .all(|entry| is_closed(&entry.key, depth + 2, names) && is_closed(&entry.value, depth + 2, names)),
                _ => is_closed(key, depth + 1, names),
            };
            closed_type_named(*name).is_some() && access.keys.iter().all(&mut closed_key)
        }
        ExprKind::Paren(inner) | ExprKind::Minus(inner) => is_closed(inner, depth + 1, names),
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
            && let Some(t) = closed_type_named(*name)
        {
            return Ok(Value::Type(t));
        }
        match self.program.shared_types().get(expr.span) {
            Some(Some(known)) if self.has_same_aliases(&known) => return Ok(Value::Type(known.data_type)),
            Some(None) => return self.eval(expr),
            _ => {}
        }
        let value = self.eval(expr)?;
        match &value {
            Value::Type(t) => self.share_type(expr, t),
            _ => self.program.shared_types().set(expr.span, None),
        }
        Ok(value)
    }

    /// Shares the type of an expression with other compiles, if possible.
    pub(super) fn share_type(&mut self, expr: &'c Expr, data_type: &Type) {
        let mut names = Vec::new();
        let aliases = is_closed(expr, 0, &mut names).then(|| {
            names
                .into_iter()
                .map(|name| self.non_recursive_alias(name).map(|alias| (name, alias)))
                .collect::<Option<_>>()
        });
        let shared = aliases.flatten().map(|aliases| SharedType { data_type: data_type.clone(), aliases });
        self.program.shared_types().set(expr.span, shared);
    }

    /// Whether a type of another compile equals the one that this compile would evaluate: each alias is looked up, as the
    /// evaluation does, and must be the same.
    pub(super) fn has_same_aliases(&mut self, shared: &SharedType) -> bool {
        if shared.aliases.is_empty() {
            return true;
        }
        let same = |ev: &mut Self, name: Name, alias: &Arc<Alias>| {
            ev.non_recursive_alias(name).is_some_and(|found| Arc::ptr_eq(&found, alias))
        };
        shared.aliases.iter().all(|(name, alias)| same(self, *name, alias)) && self.loaded_only_aliases()
    }

    /// The alias of a name, if it exists, is resolved and does not contain itself.
    fn non_recursive_alias(&mut self, name: Name) -> Option<Arc<Alias>> {
        match (Aliases { ev: self }).resolve(name.as_str()) {
            Ok(Some(Type::Alias(alias))) => Some(alias).filter(|alias| !alias.is_recursive()),
            _ => None,
        }
    }
}
